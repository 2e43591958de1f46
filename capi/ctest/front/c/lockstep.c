/* The frame clock: a frame waits, what came is to be seen with it and not before, time never goes back, and no record is stepped at an older time. */
#include "fake.h"

static int64_t stepped_now;
static uint64_t frames, times[64], ticks[64];
static uint16_t flags[64];
static uint32_t n_seen;
static int64_t want_at = INT64_MAX;

static int look(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)data;
    if (rec->kind == AICC_REC_FRAME) {
        stepped_now = (int64_t)rec->arg;
        frames++;
        flags[frames % 64] = rec->flags;
        aicc_core_want(at, want_at);
    } else if (rec->kind != AICC_REC_FLUSH && rec->kind != AICC_REC_CREATE && rec->kind != AICC_REC_DESTROY) {
        times[n_seen % 64] = (uint64_t)stepped_now;
        ticks[n_seen++ % 64] = rec->tick;
    }
    return 0;
}

static aicc_frame at(uint64_t tick, int64_t now)
{
    aicc_frame f = {.struct_size = sizeof f, .tick = tick, .now_ns = now};
    return f;
}

static void wants(void);

int main(void)
{
    aicc_bridge b;
    aicc_session s, to;
    aicc_tool t;
    aicc_item it;
    aicc_frame f;
    char buf[64];
    size_t len;
    fake_start();
    wants();
    fake_look = look;
    b = fake_bridge("lockstep", AICC_CLOCK_FRAME, 0);
    EQUAL(aicc_bridge_frame(b, NULL), AICC_E_ARG);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_E_ARG);
    f = at(1, -1);
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_ARG);

    f = at(1, 1000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK); /* CREATE came before it */
    EQUAL(frames, 1);
    f = at(2, 999);
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_ARG);
    for (int i = 0; i < 100; i++) { /* nothing to do: the core does not hear of it */
        f = at(3 + (uint64_t)i, 2000 + i);
        EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    }
    EQUAL(frames, 1);
    t = fake_tool(b, "t", NULL, NULL, 0); /* but before the next record it does */
    EQUAL(frames, 2);
    EQUAL(stepped_now, 2099);
    EQUAL(times[0], 2099);
    EQUAL(ticks[0], 102);
    s = fake_session(b, NULL, 1);
    f = at(200, 3000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    EQUAL(frames, 3);

    /* What comes of it, comes with the frame. */
    fake_call(s, t);
    fake_say(s, "echo hello");
    atomic_store(&fake_stop_reading, 0);
    for (uint64_t last = aicc_core_live(); last < 1000; last++) { /* the core has long stepped it */
        CHECK(!fake_next(b, &it));
        EQUAL(aicc_bridge_next_message(b, &to, buf, sizeof buf, &len), AICC_EMPTY);
        sched_yield();
    }
    f = at(201, 3000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    CHECK(fake_next(b, &it) && it.kind == AICC_ITEM_CALL);
    EQUAL(aicc_bridge_next_message(b, &to, buf, sizeof buf, &len), AICC_OK);
    CHECK(strcmp(buf, "echo hello") == 0);
    EQUAL(aicc_call_succeed(it.call, aicc_s("{}")), AICC_OK);
    fake_say(s, "say flushed"); /* a flush shows it too */
    fake_flush(b);
    CHECK(fake_next(b, &it) && it.kind == AICC_ITEM_AGENT_MESSAGE);

    /* The same calls, the same order of items, however the core's batches fell. */
    for (int round = 0; round < 200; round++) {
        static const char *const said[4] = {"say a", "say b", "say c", "agent 2"};
        for (int i = 0; i < 4; i++) {
            fake_say(s, said[i]);
            if ((round >> i & 1) != 0)
                sched_yield();
        }
        f = at(300 + (uint64_t)round, 4000 + round);
        EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
        for (int i = 0; i < 4; i++)
            CHECK(fake_next(b, &it) && it.kind == (i < 3 ? AICC_ITEM_AGENT_MESSAGE : AICC_ITEM_AGENT) && (i == 3 || it.text.ptr[0] == 'a' + i));
        CHECK(!fake_next(b, &it));
    }

    /* When the core wants to be stepped. */
    fake_say(s, "x");
    want_at = 6000;
    f = at(501, 5000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    uint64_t before = frames;
    f = at(502, 5999);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    EQUAL(frames, before);
    want_at = INT64_MAX;
    f = at(503, 6000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    EQUAL(frames, before + 1);
    f.flags = AICC_FRAME_PAUSED;
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK); /* a change of the pause is told, its staying is not */
    EQUAL(aicc_bridge_frame(b, &f), AICC_OK);
    EQUAL(frames, before + 2);
    EQUAL(flags[frames % 64], AICC_FRAME_PAUSED);

    /* A core that does not answer. */
    atomic_store(&aicc__patience_ns, 30000000);
    atomic_store(&fake_stop_reading, 1);
    fake_say(s, "say late");
    f = at(600, 7000);
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_INTERNAL);
    EQUAL(aicc_bridge_pump(b, &f, NULL, NULL), AICC_OK); /* nothing new to say: it returns */
    atomic_store(&fake_stop_reading, 0);
    atomic_store(&aicc__patience_ns, 5000000000);
    fake_flush(b);
    CHECK(fake_next(b, &it) && strcmp(it.text.ptr, "late") == 0);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    return 0;
}

/* With the library's clock the core is woken at the time that it wanted, and not before; many bridges keep their order. */

static void wants(void)
{
    enum { MANY = 200 };
    static aicc_bridge all[MANY];
    uint32_t slots[MANY], got = 0;
    int64_t now, at_ns[MANY + 1] = {0};

    for (int i = 0; i < MANY; i++)
        all[i] = fake_bridge("wants", 0, 0);
    for (int i = 0; i < MANY; i++)
        fake_flush(all[i]);
    atomic_store(&fake_stop_reading, 1); /* the stand-in's thread sleeps over the next one it is given */
    aicc_core_wake(fake_slot(all[0]));
    while (atomic_load(&aicc__bridge_at(fake_slot(all[0]) - 1)->ready) != 0)
        sched_yield();
    now = aicc__now();
    for (int i = 1; i < MANY; i++) {
        at_ns[fake_slot(all[i])] = now + 20000000 + (i * 37 % MANY) * 100000;
        aicc_core_want(fake_slot(all[i]), INT64_MAX - 1);
        aicc_core_want(fake_slot(all[i]), at_ns[fake_slot(all[i])]);
        if (i % 5 == 0)
            aicc_core_want(fake_slot(all[i]), INT64_MAX); /* thought better of it */
    }
    int64_t last = 0;
    while (got < MANY - 1 - (MANY - 1) / 5) {
        int32_t n = aicc_core_wait(slots, MANY);
        now = aicc__now();
        for (int32_t i = 0; i < n; i++, got++) {
            int64_t due = at_ns[slots[i]];
            CHECK(due > 0 && now >= due && due >= last);
            last = due;
            at_ns[slots[i]] = 0;
        }
    }
    atomic_store(&fake_stop_reading, 0);
    EQUAL(aicc_shutdown(0), AICC_OK);
    while (aicc_core_live() != 0)
        sched_yield();
}
