/* bounds: 10,000 sessions, a million events a second and more offered for some seconds, by an engine that never waits and a wire that is slow.
 * What cannot be sent is dropped and counted, memory stays where it is, no call is long, and frames with nothing to do wake nobody. */
#include "e.h"
#include <dirent.h>
#include <time.h>
#include <unistd.h>

enum { N = 10000 };
typedef struct state { uint32_t id; float x, y, z, heading; uint16_t hp; uint8_t mode, alert; uint32_t target; uint32_t pad; } state;
static const aicc_field fields[] = {
    { .name = { "id", 2 }, .offset = offsetof(state, id), .type = AICC_U32 }, { .name = { "hp", 2 }, .offset = offsetof(state, hp), .type = AICC_U16 },
    { .name = { "x", 1 }, .offset = offsetof(state, x), .type = AICC_F32 }, { .name = { "y", 1 }, .offset = offsetof(state, y), .type = AICC_F32 },
};
static aicc_session s[N];
static state a[N];
static t_world w;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long resident(void) {
    long pages = 0, whole = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    MUST(f && fscanf(f, "%ld %ld", &whole, &pages) == 2);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* How often threads of this process other than this one have gone to sleep: at most as often as they were woken, and one more. */
static long naps(void) {
    long sum = 0;
    DIR *d = opendir("/proc/self/task");
    MUST(d != NULL);
    for (struct dirent *e; (e = readdir(d)) != NULL; ) {
        char path[300], line[256];
        long n;
        FILE *f;
        if (e->d_name[0] == '.' || atol(e->d_name) == (long)getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
        if (!(f = fopen(path, "r"))) continue;
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1) sum += n;
        fclose(f);
    }
    closedir(d);
    return sum;
}

static uint64_t drain(size_t most) {
    static char msg[1 << 16];
    aicc_session to;
    size_t len;
    uint64_t events = 0;
    while (most-- > 0 && aicc_bridge_next_message(w.bridge, &to, msg, sizeof msg, &len) == AICC_OK)
        events += strstr(msg, "\"type\":\"event\"") != NULL;
    return events;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 3, longest = 0, began;
    aicc_bridge_options o;
    aicc_event each, latest;
    aicc_layout l = e_layout(sizeof (state), fields, sizeof fields / sizeof *fields);
    uint64_t offered = 0, received = 0, last;
    long before, after, quiet;
    int i;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("bounds"), o.tick_mode = AICC_TICK_EVENT, o.outbox_bytes = 4096, o.heartbeat_ms = 3600000;
    MUST(aicc_bridge_create(&o, &w.bridge, NULL) == AICC_OK);
    for (i = 0; i < N; i++) {
        aicc_session_options so;
        aicc_status status;
        aicc_session_options_init(&so, sizeof so);
        while ((status = aicc_session_open(w.bridge, &so, &s[i], NULL)) == AICC_E_FULL) STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
        MUST(status == AICC_OK);
        while ((status = aicc_session_attach(s[i])) == AICC_E_FULL) STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
        MUST(status == AICC_OK);
        a[i].id = (uint32_t)i, a[i].x = 0.25f * (float)i;
    }
    each = e_event(w.bridge, AICC_TOPIC_STATE_CHANGE, "moved", AICC_EACH, 0, l);
    latest = e_event(w.bridge, AICC_TOPIC_COLLISION, NULL, AICC_LATEST, 0, l);
    do STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000)); while (drain(SIZE_MAX), e_stats(w.bridge).outgoing_bytes > 0);
    before = resident();

    for (began = now(); now() - began < seconds; ) {
        aicc_event ev = offered / N % 2 ? each : latest;
        double from = now(), took;
        size_t n;
        aicc_status status = aicc_event_emit(ev, s, N, a, sizeof *a, &n);
        took = now() - from;
        if (took > longest) longest = took;
        CHECK(status == AICC_OK || status == AICC_PARTIAL || status == AICC_E_FULL);
        offered += N;
        STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, NULL, NULL));
        received += drain(200);
    }
    after = resident();
    double rate = (double)offered / (now() - began);
    do {
        last = received;
        STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
        received += drain(SIZE_MAX);
    } while (received != last || e_stats(w.bridge).outgoing_bytes > 0);
    aicc_stats st = e_stats(w.bridge);
    fprintf(stderr, "%.1f million events a second were offered, %llu of %llu reached the wire, %llu were dropped; longest call %.1f ms; resident %ld KiB, then %ld\n",
            rate / 1e6, (unsigned long long)received, (unsigned long long)offered, (unsigned long long)st.events_dropped, 1e3 * longest, before, after);
    CHECK(received > N);
    /* Of `latest` ones those that a newer took the place of count as neither. */
    CHECK(received + st.events_dropped <= offered);
    CHECK(received + st.events_dropped >= offered / 2);
    CHECK(after - before < 200 << 10);
    CHECK(longest < 1);
    CHECK(rate > 1e6 || argc > 2);

    STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
    quiet = naps();
    began = now();
    for (i = 0; i < 100000; i++) STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, NULL, NULL));
    quiet = naps() - quiet;
    fprintf(stderr, "100000 frames with nothing to do: %.0f ns each, threads went to sleep %ld times\n", 1e4 * (now() - began), quiet);
    CHECK(quiet < 100);
    T_END();
}
