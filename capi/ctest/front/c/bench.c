/* What the front costs an engine's thread: ns each, the core on another thread. */
#include "fake.h"

static int swallow(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    return rec->kind == AICC_REC_EVENT_JSON || rec->kind == AICC_REC_RECEIVE;
}

#define MEASURE(what, n, statement) do { \
    int64_t start_ = aicc__now(); \
    for (int i = 0; i < (n); i++) { statement; } \
    printf("%-58s %7.1f ns\n", what, (double)(aicc__now() - start_) / (n)); } while (0)

static aicc_status done(const aicc_request *r, void *user) { (void)r, (void)user; return AICC_OK; }

/* The engine's thread alone: the core works between the bursts. */
static void burst(const char *what, aicc_event e, aicc_session s, const char *text, size_t len, int n)
{
    int64_t spent = 0;
    aicc_bridge b = {(s.id & 0x0fff0000u) | (uint64_t)KIND_BRIDGE << 28};
    int rounds = 200000 / n < 20000 ? 200000 / n : 20000;
    b.id = aicc__bridge_handle(aicc__bridge_at((uint32_t)b.id >> 16 & 0xfff));
    for (int i = -10; i < rounds; i++) {
        int64_t start = aicc__now();
        for (int k = 0; k < n; k++)
            (void)aicc_event_json(e, s, aicc_sn(text, len));
        if (i >= 0)
            spent += aicc__now() - start;
        (void)aicc_bridge_frame(b, NULL);
        fake_flush(b);
    }
    printf("%-58s %7.1f ns\n", what, (double)spent / rounds / n);
}

int main(void)
{
    enum { N = 1000000 };
    static char text[201], copy[201], big[8192];
    aicc_event_options o;
    aicc_event e;
    aicc_bridge b;
    aicc_session s, deaf;
    aicc_tool t;
    memset(text, 'x', sizeof text);
    fake_start();
    b = fake_bridge("bench", 0, 1 << 30);
    aicc_event_options_init(&o, sizeof o);
    o.topic = AICC_TOPIC_STATE_CHANGE;
    EQUAL(aicc_event_define(b, &o, &e, NULL), AICC_OK);
    s = fake_session(b, NULL, 1);
    deaf = fake_session(b, NULL, 0);
    t = fake_tool(b, "t", done, NULL, 0);
    fake_look = swallow;
    fake_flush(b);
    MEASURE("memcpy of 200 bytes", N, memcpy(copy, text, 200); __asm__ volatile("" ::"r"(copy) : "memory"));
    MEASURE("event of 200 bytes, nobody listens", N, aicc_event_json(e, deaf, aicc_sn(text, 200)));
    burst("event of 200 bytes, 1,000 a frame", e, s, text, 200, 1000);
    burst("event of 32 bytes, 1,000 a frame", e, s, text, 32, 1000);
    burst("event of 200 bytes, 1 a frame", e, s, text, 200, 1);
    burst("event of 8 KiB, a block of its own, 50 a frame", e, s, big, sizeof big, 50);
    MEASURE("message received, the core reading along", 200000, aicc_session_receive(s, aicc_sn(text, 200)));
    fake_flush(b);
    MEASURE("frame with nothing to do", N, aicc_bridge_frame(b, NULL));
    MEASURE("pump with nothing to do", N, aicc_bridge_pump(b, NULL, NULL, NULL));
    MEASURE("aicc_call_alive of a stale handle", N, aicc_call_alive((aicc_call){e.id}));
    MEASURE("flush: to the core and back", 20000, aicc_bridge_flush(b, 1000));
    fake_look = NULL;
    enum { CALLS = 1000, ROUNDS = 20 };
    int64_t spent = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CALLS; i++)
            fake_call(s, t);
        fake_flush(b);
        int64_t start = aicc__now();
        EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
        spent += aicc__now() - start;
        fake_flush(b);
    }
    printf("%-58s %7.1f ns\n", "pump: a call, its function, its answer", (double)spent / (CALLS * ROUNDS));
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    return 0;
}
