/* threads: eight of them at once on one bridge, each emitting, answering, opening and closing, while one pumps and one drains. */
#include <pthread.h>
#include <stdatomic.h>
#include "t.h"

enum { WORKERS = 8, ROUNDS = 300, QUEUE = 4096 };
static t_world w;
static aicc_event ev;
static atomic_int stop, running = WORKERS, answered, late, results, opened, closed;
static aicc_call queue[QUEUE];
static int head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static aicc_status later(const aicc_request *r, void *user) {
    (void)user;
    pthread_mutex_lock(&lock);
    queue[head++ % QUEUE] = r->call;
    pthread_mutex_unlock(&lock);
    return AICC_PENDING;
}

static int take(aicc_call *out) {
    int got = 0;
    pthread_mutex_lock(&lock);
    if (tail < head) { *out = queue[tail++ % QUEUE]; got = 1; }
    pthread_mutex_unlock(&lock);
    return got;
}

static void *work(void *arg) {
    int i, me = (int)(intptr_t)arg;
    for (i = 0; i < ROUNDS; i++) {
        char json[128];
        aicc_call c;
        aicc_session_options o;
        aicc_session s;
        aicc_status st;
        int n = snprintf(json, sizeof json, "{\"from\":%d,\"n\":%d}", me, i);
        st = aicc_event_json(ev, w.session, aicc_sn(json, (size_t)n));
        CHECK(st == AICC_OK || st == AICC_E_FULL);
        if (take(&c)) {
            st = aicc_call_succeed(c, aicc_s("{}"));
            CHECK(st == AICC_OK || st == AICC_GONE);
            atomic_fetch_add(st == AICC_OK ? &answered : &late, 1);
            STATUS(AICC_GONE, aicc_call_succeed(c, aicc_s("{}")));
            CHECK(aicc_call_alive(c) == 0);
        }
        aicc_session_options_init(&o, sizeof o);
        st = aicc_session_open(w.bridge, &o, &s, NULL);
        CHECK(st == AICC_OK || st == AICC_E_FULL);
        if (st == AICC_OK) {
            atomic_fetch_add(&opened, 1);
            STATUS(AICC_OK, aicc_session_attach(s));
            STATUS(AICC_OK, aicc_session_set_paused(s, i & 1));
            STATUS(AICC_OK, aicc_session_close(s, aicc_s(NULL)));
            STATUS(AICC_E_HANDLE, aicc_session_set_paused(s, 0));
        }
        if (i % 50 == 0) {
            aicc_stats stats;
            aicc_tool_options to;
            aicc_tool t;
            char id[32];
            stats.struct_size = sizeof stats;
            STATUS(AICC_OK, aicc_bridge_stats(w.bridge, &stats));
            aicc_tool_options_init(&to, sizeof to);
            snprintf(id, sizeof id, "t%d_%d", me, i);
            to.cls = AICC_GENERATOR;
            to.id = aicc_s(id);
            to.description = aicc_s("made by a worker");
            st = aicc_tool_register(w.bridge, &to, &t, NULL);
            CHECK(st == AICC_OK || st == AICC_E_FULL);      /* the frames of a thread that only pumps may fill the queue */
            if (st == AICC_OK) STATUS(AICC_OK, aicc_tool_unregister(t));
            STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
        }
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

/* Sends calls as the agent and reads what comes, on one thread. */
static void *agent(void *arg) {
    static char msg[1 << 20];
    char call[512];
    unsigned n = 0;
    size_t len;
    aicc_session to;
    (void)arg;
    while (!atomic_load(&stop)) {
        aicc_status st;
        if (n < WORKERS * ROUNDS && n < (unsigned)atomic_load(&results) + 12) {
            int k = snprintf(call, sizeof call, "{\"protocol\":\"aicc/0.1\",\"type\":\"tool_call\",\"session_id\":\"%s\",\"message_id\":"
                "\"00000000-0000-4000-8000-%012u\",\"call_id\":\"n%u\",\"tool\":\"later\",\"input\":{}}", w.sid, n, n);
            st = aicc_session_receive(w.session, aicc_sn(call, (size_t)k));
            CHECK(st == AICC_OK || st == AICC_E_FULL);
            if (st == AICC_OK) n++;
        }
        while (aicc_bridge_next_message(w.bridge, &to, msg, sizeof msg, &len) == AICC_OK) {
            CHECK(msg[0] == '{' && msg[len] == 0);
            if (to.id == w.session.id && strstr(msg, "\"tool_result\"")) atomic_fetch_add(&results, 1);
        }
    }
    return (void *)(uintptr_t)n;
}

static void other(const aicc_item *i, void *user) { (void)user; if (i->kind == AICC_ITEM_SESSION_CLOSED) atomic_fetch_add(&closed, 1); }

int main(void) {
    pthread_t t[WORKERS], a;
    aicc_event_options eo;
    aicc_call c;
    void *sent;
    int i;
    t_open(&w, "threads");
    t_tool(w.bridge, "later", NULL, later, NULL);
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_STATE_CHANGE;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, NULL));
    MUST(pthread_create(&a, NULL, agent, NULL) == 0);
    for (i = 0; i < WORKERS; i++) MUST(pthread_create(&t[i], NULL, work, (void *)(intptr_t)i) == 0);
    while (atomic_load(&running) > 0) STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, other, NULL));
    for (i = 0; i < WORKERS; i++) pthread_join(t[i], NULL);
    atomic_store(&stop, 1);
    pthread_join(a, &sent);
    /* What is left: every call that was sent gets its one result. */
    for (i = 0; i < 200 && atomic_load(&results) < (int)(uintptr_t)sent; i++) {
        STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));
        STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, other, NULL));
        while (take(&c)) STATUS(AICC_OK, aicc_call_succeed(c, aicc_s("{}")));
        while (t_message(&w, "\"tool_result\"")) atomic_fetch_add(&results, 1);
    }
    STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 60000));   /* the last sessions' farewells */
    STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, other, NULL));
    CHECK(atomic_load(&results) == (int)(uintptr_t)sent);
    CHECK(atomic_load(&opened) == atomic_load(&closed));
    CHECK(atomic_load(&opened) > 0 && atomic_load(&answered) > 0);
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    T_END();
}
