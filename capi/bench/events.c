#if !defined(_GNU_SOURCE)
#  define _GNU_SOURCE
#endif
/* events: what structs as events cost the engine's thread. With --figures: name, value a line, in nanoseconds, for capi/bench/table, which puts
 * them beside the references; else for a reader. Each figure is the best of several rounds; only ratios of one run mean something. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "aicc.h"

#define MUST(status) do { aicc_status s_ = (status); if (s_ < 0) { fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #status, aicc_status_name(s_)); exit(1); } } while (0)

enum { N = 1000, SESSIONS = 10000 };
typedef struct guard {
    uint32_t id; uint16_t hp; uint8_t state; bool alert;
    float x, y, z, heading;
    uint32_t target; int16_t mood; uint8_t level; bool armed;
} guard;
static const aicc_str states[] = { { "idle", 4 }, { "patrol", 6 }, { "chase", 5 }, { "attack", 6 }, { "flee", 4 } };
#define F(text, member, t) { .name = { text, AICC_NTS }, .offset = offsetof(guard, member), .type = t }
static const aicc_field fields[] = {
    F("id", id, AICC_U32), F("hp", hp, AICC_U16),
    { .name = { "state", 5 }, .offset = offsetof(guard, state), .type = AICC_ENUM8, .names = states, .names_count = 5 },
    F("alert", alert, AICC_BOOL8), F("position.x", x, AICC_F32), F("position.y", y, AICC_F32), F("position.z", z, AICC_F32),
    F("heading", heading, AICC_F32), F("target", target, AICC_U32), F("mood", mood, AICC_I16), F("level", level, AICC_U8), F("armed", armed, AICC_BOOL8),
};
static int rounds = 200, figures;
static aicc_bridge world;
static aicc_session s[SESSIONS];
static aicc_event moved, tick;
static guard a[N];
static char copy[sizeof a];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void say(const char *name, const char *words, double ns) {
    if (figures) printf("%s %.3f\n", name, ns);
    else printf("%-64s %12.1f ns\n", words, ns);
}

static void drain(void) {
    static char buf[1 << 20];
    aicc_session to;
    size_t len;
    MUST(aicc_bridge_flush(world, 60000));
    while (aicc_bridge_next_message(world, &to, buf, sizeof buf, &len) == AICC_OK) {}
}

static void open_sessions(int from, int to) {
    for (int i = from; i < to; i++) {
        aicc_session_options o;
        aicc_session_options_init(&o, sizeof o);
        MUST(aicc_session_open(world, &o, &s[i], NULL));
        MUST(aicc_session_attach(s[i]));
        if (i % 200 == 0) drain();
    }
    drain();
}

static void *(*volatile copies)(void *, const void *, size_t) = memcpy;

static void emit_rows(void) {
    double mem = 1e18, own = 1e18, same = 1e18, deaf = 1e18, due = 1e18, x;
    uint32_t index[N];
    size_t n;
    for (int i = 0; i < rounds; i++) {
        x = now(); copies(copy, a, sizeof a); x = now() - x; if (x < mem) mem = x;
        x = now(); MUST(aicc_event_emit(moved, s, N, a, sizeof *a, &n)); x = now() - x; if (x < own) own = x;
        if (n != N) { fprintf(stderr, "events: %zu of %d were taken\n", n, N); exit(1); }
        drain();
        x = now(); MUST(aicc_event_emit(moved, s, N, a, 0, &n)); x = now() - x; if (x < same) same = x;
        drain();
        x = now(); MUST(aicc_event_due(tick, s, N, index, &n)); x = now() - x; if (x < due) due = x;
        x = now(); MUST(aicc_event_emit(moved, s + SESSIONS - N, N, a, sizeof *a, &n)); x = now() - x; if (x < deaf) deaf = x;
    }
    say("memcpy_1000", "memcpy of 1,000 structs of 32 bytes", mem);
    say("emit_1000", "emit of them, to 1,000 sessions in one call", own);
    say("emit_same", "emit of one struct to 1,000 sessions", same);
    say("emit_deaf", "emit to 1,000 sessions of which none listens", deaf);
    say("due_1000", "which of 1,000 sessions are due", due);
}

static double idle(void) {
    double best = 1e18, x;
    for (int i = 0; i < 50; i++) { MUST(aicc_bridge_pump(world, NULL, NULL, NULL)); drain(); }
    for (int i = 0; i < rounds; i++) {
        x = now();
        for (int k = 0; k < 1000; k++) MUST(aicc_bridge_pump(world, NULL, NULL, NULL));
        x = (now() - x) / 1000;
        if (x < best) best = x;
    }
    return best;
}

/* ---- the engine's frame while another thread drains, and the core encodes all that it can */

static atomic_int over;
static void *drains(void *unused) {
    static char buf[1 << 20];
    aicc_session to;
    size_t len;
    (void)unused;
    while (!atomic_load(&over))
        if (aicc_bridge_next_message(world, &to, buf, sizeof buf, &len) != AICC_OK) { struct timespec t = { 0, 200000 }; nanosleep(&t, NULL); }
    return NULL;
}

static int less(const void *x, const void *y) { double d = *(const double *)x - *(const double *)y; return (d > 0) - (d < 0); }

static void frames(int count) {
    double *took = malloc((size_t)count * sizeof *took), from;
    struct rusage before, after;
    int waited = 0, preempted = 0, dropped = 0;
    pthread_t t;
    if (!took || pthread_create(&t, NULL, drains, NULL) != 0) exit(1);
    for (int i = 0; i < count; i++) {
        struct timespec rest = { 0, 1000000 };
        getrusage(RUSAGE_THREAD, &before);
        from = now();
        dropped += aicc_event_emit(tick, s, N, a, sizeof *a, NULL) != AICC_OK;      /* where the core gets no time, the queue fills */
        dropped += aicc_event_emit(moved, s, N, a, sizeof *a, NULL) != AICC_OK;
        MUST(aicc_bridge_pump(world, NULL, NULL, NULL));
        took[i] = now() - from;
        getrusage(RUSAGE_THREAD, &after);
        waited += after.ru_nvcsw > before.ru_nvcsw;         /* for a lock */
        preempted += after.ru_nivcsw > before.ru_nivcsw;    /* the machine had other work */
        nanosleep(&rest, NULL);
    }
    atomic_store(&over, 1);
    pthread_join(t, NULL);
    qsort(took, (size_t)count, sizeof *took, less);
    say("frame_p50", "a frame of 2,000 structs, the core busy: half are below", took[count / 2]);
    say("frame_p99", "  99 of 100", took[(long)count * 99 / 100]);
    say("frame_p999", "  999 of 1,000", took[(long)count * 999 / 1000]);
    say("frame_max", "  all", took[count - 1]);
    if (figures) printf("frame_waited %d\nframe_preempted %d\nframes %d\nframe_dropped %d\n", waited, preempted, count, dropped);
    else printf("  of %d frames %d waited for a lock, in %d the system ran another thread instead; %d emissions found the queue full\n", count, waited, preempted, dropped);
    free(took);
}

int main(int argc, char **argv) {
    aicc_bridge_options bo;
    aicc_event_options eo;
    aicc_layout_options lo;
    aicc_layout l;
    double one;
    int smoke = 0;
    for (int i = 1; i < argc; i++) {
        figures |= strcmp(argv[i], "--figures") == 0;
        smoke |= strcmp(argv[i], "--smoke") == 0;
    }
    if (smoke) rounds = 2;
    aicc_bridge_options_init(&bo, sizeof bo);
    bo.name = aicc_s("events");
    bo.heartbeat_ms = 3600000;
    MUST(aicc_bridge_create(&bo, &world, NULL));
    aicc_layout_options_init(&lo, sizeof lo);
    lo.field_size = sizeof *fields, lo.size = sizeof (guard), lo.count = sizeof fields / sizeof *fields, lo.fields = fields;
    MUST(aicc_layout_define(&lo, &l, NULL));
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_STATE_CHANGE, eo.kind = aicc_s("guard"), eo.delivery = AICC_LATEST, eo.layout = l;
    MUST(aicc_event_define(world, &eo, &moved, NULL));
    eo.topic = AICC_TOPIC_TICK;
    MUST(aicc_event_define(world, &eo, &tick, NULL));
    for (int i = 0; i < N; i++)
        a[i] = (guard){ (uint32_t)i, 87, (uint8_t)(i % 5), true, 12.5f + (float)i, -3.25f, 118.125f, 1.571f, 1042, -7, 12, false };
    open_sessions(0, 1);
    one = idle();
    say("idle_one", "a pump with nothing to do, one session", one);
    open_sessions(1, N);
    /* The last thousand have no agents. */
    for (int i = N; i < SESSIONS; i++) {
        aicc_session_options o;
        aicc_session_options_init(&o, sizeof o);
        MUST(aicc_session_open(world, &o, &s[i], NULL));
        if (i % 500 == 0) drain();
        if (i < SESSIONS - N) { MUST(aicc_session_attach(s[i])); }
    }
    drain();
    emit_rows();
    say("idle_many", "the same with 10,000", idle());
    frames(smoke ? 50 : 4000);
    MUST(aicc_bridge_destroy(world));
    return 0;
}
