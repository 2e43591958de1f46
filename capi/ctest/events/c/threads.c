/* threads: all of it from many threads at once, while sessions come and go and in the end the bridge. */
#include "e.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { N = 200, WORKERS = 4 };
typedef struct state { uint32_t id; float x; aicc_str note; } state;
static const aicc_field fields[] = {
    { .name = { "id", 2 }, .offset = offsetof(state, id), .type = AICC_U32, .flags = AICC_FIELD_KEY },
    { .name = { "x", 1 }, .offset = offsetof(state, x), .type = AICC_F32 },
    { .name = { "note", 4 }, .offset = offsetof(state, note), .type = AICC_TEXT, .count = 100 },
};
static aicc_bridge world;
static aicc_session s[N];
static aicc_event ev[3];
static atomic_int over, ended;
static atomic_ulong emitted, due_count;

static void *emits(void *arg) {
    unsigned me = (unsigned)(size_t)arg, round = 0;
    state a[N] = { 0 };
    for (int i = 0; i < N; i++) a[i].id = (uint32_t)i % 7, a[i].x = (float)i, a[i].note = aicc_s(i % 2 ? "some text" : "");
    while (!atomic_load(&ended)) {
        uint32_t index[N];
        size_t n = 0;
        aicc_status status = aicc_event_due(ev[round % 3], s, N, index, &n);
        if (status == AICC_OK) atomic_fetch_add(&due_count, n);
        status = aicc_event_emit(ev[(round + me) % 3], round % 5 ? s : NULL, N, a, round % 2 || round % 5 == 0 ? sizeof *a : 0, &n);
        if (status == AICC_E_HANDLE) break;
        CHECK(status >= 0 || status == AICC_E_FULL || status == AICC_E_STATE);
        atomic_fetch_add(&emitted, n);
        e_layout(sizeof (state), fields, 1 + (round + me) % 3);
        round++;
    }
    return NULL;
}

static void *comes_and_goes(void *arg) {
    unsigned at = (unsigned)(size_t)arg;
    while (!atomic_load(&over)) {
        aicc_session *one = &s[at++ % N];
        if (aicc_session_has_agent(*one)) (void)aicc_session_detach(*one);
        else (void)aicc_session_attach(*one);
        (void)aicc_session_set_topics(*one, at % 3 ? AICC_TOPIC_ALL : AICC_TOPIC_AUDIO);
    }
    return NULL;
}

static void *drains(void *arg) {
    static char msg[1 << 16];
    aicc_session to;
    size_t len;
    (void)arg;
    while (!atomic_load(&ended)) {
        aicc_status status = aicc_bridge_next_message(world, &to, msg, sizeof msg, &len);
        if (status == AICC_E_HANDLE) break;
    }
    return NULL;
}

int main(void) {
    pthread_t t[WORKERS + 2];
    aicc_bridge_options o;
    aicc_layout l = e_layout(sizeof (state), fields, 3);
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("threads"), o.tick_rate_hz = 100, o.queue_bytes = 256 << 10, o.outbox_bytes = 16 << 10;
    MUST(aicc_bridge_create(&o, &world, NULL) == AICC_OK);
    for (int i = 0; i < N; i++) s[i] = t_session(world, NULL);
    ev[0] = e_event(world, AICC_TOPIC_TICK, NULL, 0, 0, l);
    ev[1] = e_event(world, AICC_TOPIC_STATE_CHANGE, NULL, AICC_LATEST, 5, l);
    ev[2] = e_event(world, AICC_TOPIC_AUDIO, "sound", 0, 0, l);
    for (size_t i = 0; i < WORKERS; i++) MUST(pthread_create(&t[i], NULL, emits, (void *)i) == 0);
    MUST(pthread_create(&t[WORKERS], NULL, comes_and_goes, (void *)(size_t)0) == 0);
    MUST(pthread_create(&t[WORKERS + 1], NULL, drains, NULL) == 0);
    while (atomic_load(&emitted) < 50000 || atomic_load(&due_count) < 1000) { /* the test's own limit of time ends it if not */
        STATUS(AICC_OK, aicc_bridge_pump(world, NULL, NULL, NULL));
        sched_yield();
    }
    atomic_store(&over, 1);
    MUST(pthread_join(t[WORKERS], NULL) == 0);
    STATUS(AICC_OK, aicc_bridge_destroy(world));
    atomic_store(&ended, 1);
    for (int i = 0; i < WORKERS; i++) MUST(pthread_join(t[i], NULL) == 0);
    MUST(pthread_join(t[WORKERS + 1], NULL) == 0);
    T_END();
}
