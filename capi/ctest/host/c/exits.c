/* exits: the process ends by return, exit, _exit or a signal while threads emit, pump and wait. The runner looks at how it ended. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "t.h"

static t_world w;
static aicc_event ev;

static void *emit(void *arg) { (void)arg; for (;;) aicc_event_json(ev, w.session, aicc_s("{\"n\":1}")); return NULL; }
static void *flush(void *arg) { (void)arg; for (;;) aicc_bridge_flush(w.bridge, 60000); return NULL; }
static void *make(void *arg) { (void)arg; for (;;) aicc_bridge_destroy(t_bridge("m")); return NULL; }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    pthread_t t;
    aicc_event_options eo;
    int i;
    t_open(&w, "exits");
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, NULL));
    MUST(pthread_create(&t, NULL, emit, NULL) == 0);
    MUST(pthread_create(&t, NULL, flush, NULL) == 0);
    MUST(pthread_create(&t, NULL, make, NULL) == 0);
    for (i = 0; i < 60; i++) {
        aicc_bridge_pump(w.bridge, NULL, NULL, NULL);
        if (i % 10 == 0) (void)t_message(&w, "\"event\"");
    }
    if (t_failed) return 1;
    if (strcmp(how, "exit") == 0) exit(3);
    if (strcmp(how, "_exit") == 0) _exit(4);
    if (strcmp(how, "term") == 0) { raise(SIGTERM); return 9; }
    if (strcmp(how, "shutdown") == 0) { STATUS(AICC_OK, aicc_shutdown(0)); return t_failed ? 1 : 5; }
    return 6;
}
