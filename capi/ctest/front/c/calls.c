/* Calls: the engine's answer and the core's end race from two threads, and exactly one wins; every status of an answer. */
#include "fake.h"

static aicc_bridge  world;
static aicc_tool    kind;
static aicc_session seat;

static void states(void)
{
    static char big[(256 << 10) + 1];
    aicc_item it;
    aicc_stats s = {.struct_size = sizeof s};
    uint64_t queued;
    memset(big, ' ', sizeof big);
    fake_flush(world);
    atomic_store(&fake_stop_reading, 1);
    fake_say(seat, "end"); /* for later: the handle of a queued call is known to nobody, so it is made by hand */
    atomic_store(&fake_stop_reading, 0);
    fake_call(seat, kind);
    fake_flush(world);
    queued = aicc_core_call(fake_slot(world), fake_number(seat.id), fake_number(kind.id), 77, 0, 5, "", 0, "", 0);
    CHECK(queued != 0);
    aicc_call c = {queued};
    EQUAL(aicc_call_alive(c), 0);
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_E_STATE);
    EQUAL(aicc_call_set_user_data(c, NULL), AICC_E_STATE);
    EQUAL(aicc_core_call_end(fake_slot(world), queued, AICC_ENDED_TIMEOUT), 1);
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_GONE);
    EQUAL(aicc_core_call_end(fake_slot(world), queued, AICC_ENDED_TIMEOUT), 1);
    CHECK(fake_next(world, &it));
    c = it.call;
    EQUAL(aicc_call_succeed(c, aicc_sn(big, sizeof big)), AICC_E_RANGE);
    EQUAL(aicc_call_succeed(c, aicc_sn(NULL, 7)), AICC_E_ARG);
    EQUAL(aicc_call_fail(c, 0, aicc_s("no"), 0), AICC_E_ARG);
    EQUAL(aicc_call_fail(c, 6, aicc_s("no"), 0), AICC_E_ARG);
    EQUAL(aicc_call_alive(c), 1);
    EQUAL(aicc_call_fail(c, 3, aicc_sn(big, sizeof big), 1), AICC_OK); /* cut, not refused */
    EQUAL(aicc_call_fail(c, 3, aicc_s("no"), 1), AICC_GONE);
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_GONE);
    fake_flush(world);
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_GONE); /* also when the slot is free */
    for (int i = 0; i < 3; i++) {                          /* and when it has another call */
        fake_call(seat, kind);
        fake_flush(world);
        CHECK(fake_next(world, &it));
        EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_GONE);
        EQUAL(aicc_call_succeed(it.call, aicc_sn(big, sizeof big - 1)), AICC_OK);
    }
    aicc_call never = {c.id + ((uint64_t)1 << 40)};
    EQUAL(aicc_call_succeed(never, aicc_s("{}")), AICC_E_HANDLE);
    never.id = c.id & 0xffffffffu;
    EQUAL(aicc_call_succeed(never, aicc_s("{}")), AICC_E_HANDLE);
    EQUAL(aicc_bridge_stats(world, &s), AICC_OK);
    EQUAL(s.answers_late, 7);
}

/* ---- the race: this thread is the core, the other one answers */

enum { RACES = ROUNDS_OF(100000) };
static _Atomic uint64_t offered;
static atomic_int       go, near, done, engine_won, ended;

static void linger(int n) { for (volatile int i = n; i > 0; i--) ; }

static void *answerer(void *unused)
{
    (void)unused;
    for (int i = 1; i <= RACES; i++) {
        aicc_call c;
        SPIN_UNTIL(atomic_load(&go) >= i);
        c.id = atomic_load(&offered);
        atomic_store(&near, i); /* both are awake from here on */
        linger(i * 79 % 3001);
        if (i % 16 == 0)
            SPIN_UNTIL(atomic_load(&ended) >= i); /* the core first */
        aicc_status status = i % 2 ? aicc_call_succeed(c, aicc_s("{}")) : aicc_call_fail(c, 3, aicc_s("no"), 0);
        CHECK(status == AICC_OK || status == AICC_GONE);
        atomic_store(&engine_won, status == AICC_OK);
        atomic_store(&done, i);
    }
    return NULL;
}

static int swallow(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    return rec->kind == AICC_REC_ANSWER || rec->kind == AICC_REC_FAIL;
}

static void race(void)
{
    pthread_t t;
    int engine = 0, core = 0;
    uint32_t at = fake_slot(world);
    aicc_item it;
    fake_look = swallow;
    CHECK(pthread_create(&t, NULL, answerer, NULL) == 0);
    for (int i = 1; i <= RACES; i++) {
        uint64_t c = aicc_core_call(at, fake_number(seat.id), fake_number(kind.id), (uint64_t)i, 0, 5, "", 0, "", 0);
        CHECK(c != 0);
        CHECK(fake_next(world, &it) && it.kind == AICC_ITEM_CALL && it.call.id == c);
        atomic_store(&offered, c);
        atomic_store(&go, i);
        SPIN_UNTIL(atomic_load(&near) >= i);
        linger(i * 47 % 3001);
        if (i % 16 == 1)
            SPIN_UNTIL(atomic_load(&done) >= i); /* the engine first */
        int32_t was = aicc_core_call_end(at, c, AICC_ENDED_TIMEOUT);
        atomic_store(&ended, i);
        SPIN_UNTIL(atomic_load(&done) >= i);
        CHECK(was == (atomic_load(&engine_won) ? 3 : 2));
        if (was == 3) {
            engine++;
            aicc_core_call_done(at, c);
            CHECK(!fake_next(world, &it));
        } else {
            core++;
            CHECK(fake_next(world, &it) && it.kind == AICC_ITEM_CALL_ENDED && it.call.id == c && it.reason == AICC_ENDED_TIMEOUT);
        }
    }
    pthread_join(t, NULL);
    CHECK(engine >= RACES / 16 && core >= RACES / 16);
    fake_flush(world);
    fake_look = NULL;
    printf("races: the engine won %d, the core %d\n", engine, core);
}

/* Eight threads answer the same calls: one each wins. */
enum { CALLS = 2000, THREADS = 8 };
static aicc_call shared[CALLS];
static atomic_int wins[CALLS];
static void *all(void *unused)
{
    (void)unused;
    for (int i = 0; i < CALLS; i++)
        if (aicc_call_succeed(shared[i], aicc_s("{}")) == AICC_OK)
            atomic_fetch_add(&wins[i], 1);
    return NULL;
}
static void once(void)
{
    pthread_t t[THREADS];
    aicc_item it;
    for (int i = 0; i < CALLS; i++) {
        fake_call(seat, kind);
        if (i % 100 == 99)
            fake_flush(world);
    }
    for (int i = 0; i < CALLS; i++) {
        CHECK(fake_next(world, &it));
        shared[i] = it.call;
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, all, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < CALLS; i++)
        EQUAL(atomic_load(&wins[i]), 1);
    fake_flush(world);
}

/* An event that a call caused comes before the answer to it, and not after. */
static uint64_t reply_seq, answer_seq;
static int see(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    if (rec->kind == AICC_REC_EVENT_REPLY)
        reply_seq = rec->seq;
    if (rec->kind == AICC_REC_ANSWER)
        answer_seq = rec->seq;
    return 0;
}
static void reply_events(void)
{
    aicc_event_options o;
    aicc_event e;
    aicc_item it;
    aicc_event_options_init(&o, sizeof o);
    o.topic = AICC_TOPIC_STATE_CHANGE;
    EQUAL(aicc_event_define(world, &o, &e, NULL), AICC_OK);
    fake_call(seat, kind);
    fake_flush(world);
    CHECK(fake_next(world, &it));
    fake_look = see;
    EQUAL(aicc_event_reply_json(e, it.call, aicc_s("{}")), AICC_OK);
    EQUAL(aicc_call_succeed(it.call, aicc_s("{}")), AICC_OK);
    EQUAL(aicc_event_reply_json(e, it.call, aicc_s("{}")), AICC_GONE);
    fake_flush(world);
    CHECK(reply_seq != 0 && reply_seq < answer_seq);
    fake_look = NULL;
}

int main(void)
{
    fake_start();
    world = fake_bridge("calls", 0, 0);
    kind = fake_tool(world, "t", NULL, NULL, 0);
    seat = fake_session(world, NULL, 1);
    states();
    race();
    once();
    reply_events();
    EQUAL(aicc_bridge_destroy(world), AICC_OK);
    EQUAL(aicc_call_succeed(shared[0], aicc_s("{}")), AICC_E_HANDLE);
    return 0;
}
