/* many: bridges made and ended by the thousand leave no handle, no thread and no memory behind. */
#include <unistd.h>
#include "t.h"

static long status_line(const char *name) {
    char line[256];
    long v = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) if (strncmp(line, name, strlen(name)) == 0) v = strtol(line + strlen(name) + 1, NULL, 10);
    if (f) fclose(f);
    return v;
}
static aicc_status fine(const aicc_request *r, void *user) { (void)r; (void)user; return AICC_PENDING; }

static void round_of(int n, int polite) {
    int i;
    for (i = 0; i < n; i++) {
        static t_world w;
        memset(&w, 0, sizeof w);
        t_open(&w, "one of many");
        t_tool(w.bridge, "fine", NULL, fine, NULL);
        t_call(&w, "fine", "{}");
        t_pump(&w);
        t_session(w.bridge, "second");
        if (polite) {
            STATUS(AICC_OK, aicc_bridge_close(w.bridge));
            CHECK(t_message(&w, "\"session_close\""));
        }
        STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
        CHECK(aicc_bridge_valid(w.bridge) == 0);
    }
}

int main(void) {
    static aicc_bridge all[4096];
    aicc_bridge_options o;
    aicc_error e;
    int i, round;
    long threads, rss;

    round_of(300, 1);
    threads = status_line("Threads:");
    rss = status_line("VmRSS:");
    round_of(500, 0);
    round_of(500, 1);
    CHECK(status_line("Threads:") <= threads + 2);
    CHECK(status_line("VmRSS:") < rss + 16 * 1024);

    /* All the slots there are, three times over: none is lost. */
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("full house");
    o.queue_bytes = 64 << 10;
    for (round = 0; round < 3; round++) {
        for (i = 0; i < 4096; i++) {
            aicc_status s = aicc_bridge_create(&o, &all[i], &e);
            int again = 0;
            while (s == AICC_E_FULL && round > 0 && again++ < 10000) { usleep(200); s = aicc_bridge_create(&o, &all[i], &e); }  /* the last round is still ending */
            MUST(s == AICC_OK);
        }
        { aicc_bridge one_more; STATUS(AICC_E_FULL, aicc_bridge_create(&o, &one_more, &e)); CHECK(strstr(e.message, "4,096") || strstr(e.message, "4096")); }
        STATUS(AICC_OK, aicc_shutdown(0));
        CHECK(!aicc_bridge_valid(all[0]) && !aicc_bridge_valid(all[4095]));
    }
    T_END();
}
