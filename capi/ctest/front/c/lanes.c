/* Lanes: order across the two of them, what a full one refuses and what it never does, payloads of every size. */
#include "fake.h"

enum { THREADS = 8, ROUNDS = 5000 };

static aicc_bridge world;
static aicc_event  event_of;
static aicc_session seats[THREADS];

static uint32_t seen[THREADS];
static uint64_t seen_tick[THREADS];
static atomic_uint records;

/* Each thread's records carry its number and a count; both kinds of lane must give one sequence. */
static int in_order(uint32_t at, const aicc_rec *rec, const char *data)
{
    uint32_t who, n;
    (void)at;
    if (rec->kind != AICC_REC_EVENT_JSON && rec->kind != AICC_REC_RECEIVE)
        return 0;
    CHECK(rec->length >= 8);
    memcpy(&who, data, 4);
    memcpy(&n, data + 4, 4);
    CHECK(who < THREADS);
    EQUAL(n, seen[who]);
    seen[who]++;
    for (uint32_t i = 8; i < rec->length; i++)
        CHECK(data[i] == (char)(n + i));
    CHECK((rec->length > AICC_INLINE_MAX) == (rec->block != 0));
    CHECK(rec->tick >= seen_tick[who]); /* of one thread; two that race with a frame may note it in either order */
    seen_tick[who] = rec->tick;
    atomic_fetch_add(&records, 1);
    return 1;
}

static void *give(void *number)
{
    uint32_t who = (uint32_t)(uintptr_t)number;
    char *text = malloc(70000);
    CHECK(text != NULL);
    for (uint32_t n = 0; n < ROUNDS; n++) {
        static const size_t sizes[] = {8, 9, 15, 16, 4095, 4096, 4097, 60000};
        size_t len = n % 64 == 0 ? sizes[n / 64 % 8] : 8 + n % 40;
        memcpy(text, &who, 4);
        memcpy(text + 4, &n, 4);
        for (size_t i = 8; i < len; i++)
            text[i] = (char)(n + i);
        for (;;) {
            aicc_status status = n % 3 == 0 ? aicc_session_receive(seats[who], aicc_sn(text, len))
                                            : aicc_event_json(event_of, seats[who], aicc_sn(text, len));
            if (status == AICC_OK)
                break;
            EQUAL(status, AICC_E_FULL);
            sched_yield();
        }
    }
    free(text);
    return NULL;
}

static void order(void)
{
    aicc_event_options o;
    pthread_t t[THREADS];
    aicc_stats s = {.struct_size = sizeof s};
    world = fake_bridge("order", 0, 64 << 10);
    aicc_event_options_init(&o, sizeof o);
    o.topic = AICC_TOPIC_STATE_CHANGE;
    EQUAL(aicc_event_define(world, &o, &event_of, NULL), AICC_OK);
    for (int i = 0; i < THREADS; i++)
        seats[i] = fake_session(world, NULL, 1);
    fake_flush(world);
    fake_look = in_order;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, give, (void *)(uintptr_t)i) == 0);
    for (uint64_t tick = 1; atomic_load(&records) < THREADS * ROUNDS; tick++) {
        aicc_frame f = {.struct_size = sizeof f, .tick = tick};
        EQUAL(aicc_bridge_frame(world, &f), AICC_OK);
        sched_yield();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    fake_flush(world);
    for (int i = 0; i < THREADS; i++)
        EQUAL(seen[i], ROUNDS);
    fake_look = NULL;
    EQUAL(aicc_bridge_stats(world, &s), AICC_OK);
    EQUAL(s.queue_bytes, 0);
    EQUAL(aicc_bridge_destroy(world), AICC_OK);
}

static atomic_uint answers;
static int count_answers(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    if (rec->kind == AICC_REC_ANSWER)
        atomic_fetch_add(&answers, 1);
    return rec->kind == AICC_REC_EVENT_JSON;
}

/* The bound, to the byte; and what is exempt from it. */
static void bound(void)
{
    enum { LIMIT = 64 << 10, CALLS = 300 };
    static char text[1 << 20];
    aicc_event_options o;
    aicc_stats s = {.struct_size = sizeof s};
    aicc_tool t;
    aicc_item it;
    aicc_call open[CALLS];
    uint64_t dropped = 0;
    memset(text, 'x', sizeof text);
    world = fake_bridge("bound", 0, LIMIT);
    t = fake_tool(world, "t", NULL, NULL, 0);
    aicc_event_options_init(&o, sizeof o);
    o.topic = AICC_TOPIC_AUDIO;
    EQUAL(aicc_event_define(world, &o, &event_of, NULL), AICC_OK);
    seats[0] = fake_session(world, NULL, 1);
    for (int i = 0; i < CALLS; i++) {
        fake_call(seats[0], t);
        if (i % 50 == 49)
            fake_flush(world);
    }
    fake_flush(world);
    for (int i = 0; i < CALLS; i++) {
        CHECK(fake_next(world, &it) && it.kind == AICC_ITEM_CALL);
        open[i] = it.call;
    }
    fake_look = count_answers;
    fake_flush(world);
    atomic_store(&fake_stop_reading, 1);
    for (size_t used = 0, rec = sizeof (aicc_rec) + 1000;; used += rec) {
        aicc_status status = aicc_event_json(event_of, seats[0], aicc_sn(text, 1000));
        EQUAL(aicc_bridge_stats(world, &s), AICC_OK);
        if (used + rec > LIMIT) { /* one more would pass it */
            EQUAL(status, AICC_E_FULL);
            EQUAL(s.queue_bytes, used);
            size_t rest = LIMIT - used; /* and what fits to the byte, fits */
            if (rest >= sizeof (aicc_rec) + 8) {
                EQUAL(aicc_event_json(event_of, seats[0], aicc_sn(text, rest - sizeof (aicc_rec) + 1)), AICC_E_FULL);
                EQUAL(aicc_event_json(event_of, seats[0], aicc_sn(text, rest - sizeof (aicc_rec))), AICC_OK);
                dropped++;
            }
            EQUAL(aicc_event_json(event_of, seats[0], aicc_sn(text, 1)), AICC_E_FULL);
            dropped += 2;
            break;
        }
        EQUAL(status, AICC_OK);
    }
    EQUAL(aicc_bridge_stats(world, &s), AICC_OK);
    EQUAL(s.queue_bytes, LIMIT);
    EQUAL(s.events_dropped, dropped);
    EQUAL(aicc_session_receive(seats[0], aicc_sn(text, sizeof text)), AICC_OK); /* an empty lane takes one of any size */
    EQUAL(aicc_session_receive(seats[0], aicc_sn(text, 1)), AICC_E_FULL);
    EQUAL(aicc_session_receive(seats[0], aicc_sn(text, 0)), AICC_E_FULL);
    for (int i = 0; i < CALLS; i++) /* answers always have their place */
        EQUAL(aicc_call_succeed(open[i], aicc_sn(text, 4000)), AICC_OK);
    EQUAL(aicc_session_set_paused(seats[0], 1), AICC_E_FULL); /* twice the bound is for such */
    EQUAL(aicc_bridge_frame(world, NULL), AICC_OK);
    EQUAL(aicc_session_detach(seats[0]), AICC_OK);
    EQUAL(aicc_tool_unregister(t), AICC_OK);
    EQUAL(aicc_session_close(seats[0], aicc_s("bye")), AICC_OK);
    atomic_store(&fake_stop_reading, 0);
    fake_flush(world);
    EQUAL(atomic_load(&answers), CALLS);
    fake_look = NULL;
    EQUAL(aicc_bridge_destroy(world), AICC_OK);
}

/* Events: nobody listens, one does, another does. */
static void audience(void)
{
    aicc_event_options o;
    aicc_session_options so;
    aicc_session deaf, plain;
    aicc_bridge elsewhere = fake_bridge("elsewhere", 0, 0);
    aicc_session foreign = fake_session(elsewhere, NULL, 1);
    world = fake_bridge("audience", 0, 0);
    aicc_event_options_init(&o, sizeof o);
    EQUAL(aicc_event_define(world, &o, &event_of, NULL), AICC_E_ARG);
    CHECK(event_of.id == 0);
    o.topic = AICC_TOPIC_TICK | AICC_TOPIC_AUDIO;
    EQUAL(aicc_event_define(world, &o, &event_of, NULL), AICC_E_ARG);
    o.topic = AICC_TOPIC_AUDIO;
    EQUAL(aicc_event_define(world, &o, &event_of, NULL), AICC_OK);
    aicc_session_options_init(&so, sizeof so);
    so.topics = AICC_TOPIC_ALL & ~AICC_TOPIC_AUDIO;
    EQUAL(aicc_session_open(world, &so, &deaf, NULL), AICC_OK);
    EQUAL(aicc_session_attach(deaf), AICC_OK);
    plain = fake_session(world, NULL, 0);
    EQUAL(aicc_event_json(event_of, no_session(), aicc_s("{}")), AICC_EMPTY);
    EQUAL(aicc_event_json(event_of, deaf, aicc_s("{}")), AICC_EMPTY);
    EQUAL(aicc_event_json(event_of, plain, aicc_s("{}")), AICC_EMPTY);
    EQUAL(aicc_event_json(event_of, plain, aicc_s("")), AICC_EMPTY); /* nothing is looked at then */
    EQUAL(aicc_event_json(event_of, foreign, aicc_s("{}")), AICC_E_HANDLE);
    EQUAL(aicc_session_attach(plain), AICC_OK);
    EQUAL(aicc_event_json(event_of, no_session(), aicc_s("{}")), AICC_OK);
    EQUAL(aicc_event_json(event_of, plain, aicc_s("{}")), AICC_OK);
    EQUAL(aicc_event_json(event_of, plain, aicc_s("")), AICC_E_ARG);
    EQUAL(aicc_event_json(event_of, plain, aicc_sn(NULL, 3)), AICC_E_ARG);
    EQUAL(aicc_session_detach(plain), AICC_OK);
    EQUAL(aicc_event_json(event_of, no_session(), aicc_s("{}")), AICC_EMPTY);
    EQUAL(aicc_session_attach(plain), AICC_OK);
    EQUAL(aicc_session_close(plain, aicc_s("")), AICC_OK);
    EQUAL(aicc_event_json(event_of, no_session(), aicc_s("{}")), AICC_EMPTY);
    EQUAL(aicc_event_json(event_of, plain, aicc_s("{}")), AICC_E_HANDLE);
    aicc_stats s = {.struct_size = sizeof s};
    EQUAL(aicc_bridge_stats(world, &s), AICC_OK);
    EQUAL(s.events, 2);
    EQUAL(s.agents, 1);
    EQUAL(aicc_shutdown(0), AICC_OK);
    EQUAL(aicc_event_json(event_of, deaf, aicc_s("{}")), AICC_E_HANDLE);
}

int main(void)
{
    fake_start();
    order();
    bound();
    audience();
    return 0;
}
