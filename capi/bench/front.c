/* front: what the C front costs the engine's thread, each as a ratio to a reference measured in the same run. Absolute times are noise on a
 * shared machine; each figure is the best of several rounds, reference and subject in turns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "aicc.h"

#define MUST(status) do { aicc_status s_ = (status); if (s_ < 0) { fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #status, aicc_status_name(s_)); exit(1); } } while (0)

enum { BATCH = 1000, SESSIONS = 10000 };
static int rounds = 40;
static aicc_bridge world;
static aicc_session guard;
static aicc_event moved;
static char sid[40];
static const char payload[] = "{\"x\":1.25,\"y\":-3.5,\"hp\":97,\"i\":1}";   /* 33 bytes */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void drain(void) {
    static char buf[1 << 20];
    aicc_session to;
    size_t len;
    MUST(aicc_bridge_flush(world, 60000));
    while (aicc_bridge_next_message(world, &to, buf, sizeof buf, &len) == AICC_OK) {
        const char *p = strstr(buf, "\"session_id\":\"");
        if (p && to.id == guard.id) { memcpy(sid, p + 14, 36); }
    }
}

/* ---- the references */
static char store[BATCH * sizeof payload];
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void reference_copy_one(void) { copy(store, payload, sizeof payload - 1); }
static void reference_copy_batch(void) { int i; for (i = 0; i < BATCH; i++) copy(store + (size_t)i * (sizeof payload - 1), payload, sizeof payload - 1); }

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;
static void *echo(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    for (;;) { while (turn != 1) pthread_cond_wait(&c, &m); turn = 0; pthread_cond_broadcast(&c); }
    return NULL;
}
static void reference_handover(void) {   /* ask another thread, wait for its word: what any answer from another thread costs at least */
    pthread_mutex_lock(&m);
    turn = 1;
    pthread_cond_broadcast(&c);
    while (turn != 0) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

/* ---- the subjects */
static void emit_one(void) { MUST(aicc_event_json(moved, guard, aicc_sn(payload, sizeof payload - 1))); }
static void emit_batch(void) { int i; for (i = 0; i < BATCH; i++) MUST(aicc_event_json(moved, guard, aicc_sn(payload, sizeof payload - 1))); }
static void idle_pump(void) { MUST(aicc_bridge_pump(world, NULL, NULL, NULL)); }
static void request(void) { MUST(aicc_bridge_flush(world, 60000)); }

static unsigned calls;
static aicc_status answer(const aicc_request *r, void *user) { (void)user; return aicc_call_succeed(r->call, aicc_s("{\"sees\":\"a thief\"}")); }
static void call(void) {
    char text[512];
    char buf[4096];
    aicc_session to;
    size_t len;
    int n = snprintf(text, sizeof text, "{\"protocol\":\"aicc/0.1\",\"type\":\"tool_call\",\"session_id\":\"%s\",\"message_id\":"
        "\"00000000-0000-4000-8000-%012u\",\"call_id\":\"c%u\",\"tool\":\"look\",\"input\":{\"range\":12}}", sid, calls, calls);
    int got = 0;
    calls++;
    MUST(aicc_session_receive(guard, aicc_sn(text, (size_t)n)));
    MUST(aicc_bridge_flush(world, 60000));
    MUST(aicc_bridge_pump(world, NULL, NULL, NULL));
    MUST(aicc_bridge_flush(world, 60000));
    while (aicc_bridge_next_message(world, &to, buf, sizeof buf, &len) == AICC_OK) got |= strstr(buf, "\"ok\":true") != NULL;
    if (!got) { fprintf(stderr, "front: a call got no result\n"); exit(1); }
}

static double best(void (*f)(void), int n) {
    double start = now();
    int i;
    for (i = 0; i < n; i++) f();
    return (now() - start) / n;
}

/* The better of `rounds` for each, taken in turns. */
static void compare(const char *what, void (*f)(void), const char *against, void (*ref)(void), int n, int ref_n, void (*between)(void)) {
    double a = 1e18, b = 1e18, x;
    int i;
    for (i = 0; i < rounds; i++) {
        if ((x = best(ref, ref_n)) < b) b = x;
        if ((x = best(f, n)) < a) a = x;
        if (between) between();
    }
    printf("%-44s %8.1fx  of %s\n", what, a / b, against);
}

static double idle_with(int sessions, aicc_session *s) {
    double t = 1e18, x;
    int i;
    for (i = 1; i < sessions; i++) { aicc_session_options o; aicc_session_options_init(&o, sizeof o); MUST(aicc_session_open(world, &o, &s[i], NULL)); if (i % 500 == 0) drain(); }
    drain();
    for (i = 0; i < 50; i++) { idle_pump(); drain(); }
    for (i = 0; i < rounds; i++) if ((x = best(idle_pump, 2000)) < t) t = x;
    return t;
}

int main(int argc, char **argv) {
    static aicc_session all[SESSIONS];
    aicc_bridge_options bo;
    aicc_session_options so;
    aicc_tool_options to;
    aicc_event_options eo;
    aicc_tool t;
    pthread_t other;
    double one, many;
    if (argc > 1 && strcmp(argv[1], "--smoke") == 0) rounds = 2;
    aicc_bridge_options_init(&bo, sizeof bo);
    bo.name = aicc_s("bench");
    bo.tick_mode = AICC_TICK_EVENT;
    MUST(aicc_bridge_create(&bo, &world, NULL));
    aicc_tool_options_init(&to, sizeof to);
    to.cls = AICC_SENSOR;
    to.id = aicc_s("look");
    to.description = aicc_s("Looks.");
    to.input_schema = aicc_s("{\"type\":\"object\",\"properties\":{\"range\":{\"type\":\"number\"}}}");
    to.fn = answer;
    MUST(aicc_tool_register(world, &to, &t, NULL));
    aicc_session_options_init(&so, sizeof so);
    so.topics = AICC_TOPIC_STATE_CHANGE;
    MUST(aicc_session_open(world, &so, &guard, NULL));
    MUST(aicc_session_attach(guard));
    drain();
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_STATE_CHANGE;
    eo.delivery = AICC_LATEST;
    MUST(aicc_event_define(world, &eo, &moved, NULL));
    if (pthread_create(&other, NULL, echo, NULL) != 0) return 1;

    printf("%-44s %8s\n", "engine's thread", "ratio");
    compare("an event emitted by itself, 33 bytes", emit_one, "memcpy of its payload", reference_copy_one, 16, 1000, drain);
    compare("1,000 events emitted in a row", emit_batch, "memcpy of their payloads", reference_copy_batch, 1, 1, drain);
    compare("a request and its answer (flush)", request, "one handover to another thread and back", reference_handover, 200, 200, drain);
    compare("a tool call, receipt to result, via the core", call, "one handover to another thread and back", reference_handover, 200, 200, drain);
    one = idle_with(1, all);
    many = idle_with(SESSIONS, all);
    printf("%-44s %8.2fx  of the same with one session\n", "a pump with nothing to do, 10,000 sessions", many / one);
    MUST(aicc_bridge_destroy(world));
    return 0;
}
