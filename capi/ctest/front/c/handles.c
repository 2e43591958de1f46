/* Handles: wrong ones of every sort at every function, tables at their bound, generations; options of every size; what a closed bridge says. */
#include "fake.h"

#include <math.h>

/* Every function that takes a handle, with these five; each must say `want`. */
static void all_say(aicc_bridge b, aicc_tool t, aicc_session s, aicc_call c, aicc_event e, aicc_event good_e, aicc_status want)
{
    aicc_bridge_options bo;
    aicc_tool_options to;
    aicc_session_options so;
    aicc_event_options eo;
    aicc_tool t2 = {1};
    aicc_session s2 = {1}, to_session;
    aicc_event e2 = {1};
    aicc_error err;
    char buf[8];
    size_t len;
    aicc_bridge_options_init(&bo, sizeof bo);
    aicc_tool_options_init(&to, sizeof to);
    aicc_session_options_init(&so, sizeof so);
    aicc_event_options_init(&eo, sizeof eo);
    to.cls = AICC_SENSOR, to.id = aicc_s("x"), to.description = aicc_s("x"), eo.topic = 1;
    EQUAL(aicc_tool_register(b, &to, &t2, &err), want);
    CHECK(t2.id == 0 && err.status == want && err.message[0] != 0);
    EQUAL(aicc_session_open(b, &so, &s2, &err), want);
    CHECK(s2.id == 0 && err.status == want && err.message[0] != 0);
    EQUAL(aicc_event_define(b, &eo, &e2, &err), want);
    CHECK(e2.id == 0 && err.status == want && err.message[0] != 0);
    EQUAL(aicc_bridge_close(b), want);
    EQUAL(aicc_tool_unregister(t), want);
    EQUAL(aicc_session_close(s, aicc_s("r")), want);
    EQUAL(aicc_session_set_paused(s, 1), want);
    EQUAL(aicc_session_attach(s), want);
    EQUAL(aicc_session_detach(s), want);
    EQUAL(aicc_session_receive(s, aicc_s("r")), want);
    EQUAL(aicc_event_json(e, no_session(), aicc_s("{}")), want);
    EQUAL(aicc_event_reply_json(e, c, aicc_s("{}")), want);
    EQUAL(aicc_event_reply_json(good_e, c, aicc_s("{}")), want);
    aicc_status late = want == AICC_E_STATE ? AICC_GONE : want; /* a closed bridge has ended its calls */
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), late);
    EQUAL(aicc_call_fail(c, 3, aicc_s("no"), 0), late);
    EQUAL(aicc_call_set_user_data(c, NULL), late);
    if (want == AICC_E_STATE)
        return;
    aicc_item it = {.struct_size = sizeof it};
    aicc_stats st = {.struct_size = sizeof st};
    EQUAL(aicc_bridge_frame(b, NULL), want);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), want);
    EQUAL(aicc_bridge_next(b, &it), want);
    EQUAL(aicc_bridge_flush(b, 1000), want);
    EQUAL(aicc_bridge_next_message(b, &to_session, buf, sizeof buf, &len), want);
    EQUAL(aicc_bridge_stats(b, &st), want);
    EQUAL(aicc_bridge_destroy(b), want);
    EQUAL(aicc_bridge_valid(b), 0);
    EQUAL(aicc_call_alive(c), 0);
    EQUAL(aicc_session_has_agent(s), 0);
}

static void wrong_ones(void)
{
    aicc_bridge b = fake_bridge("wrong", 0, 0);
    aicc_tool t = fake_tool(b, "t", NULL, NULL, 0);
    aicc_session s = fake_session(b, NULL, 1);
    aicc_event_options eo;
    aicc_event e;
    aicc_item it;
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = 1;
    EQUAL(aicc_event_define(b, &eo, &e, NULL), AICC_OK);
    fake_call(s, t);
    fake_flush(b);
    CHECK(fake_next(b, &it));
    aicc_call c = it.call;
#define AS(T, v) ((T){v})
    const uint64_t all[] = {0, 1, 0xffffffff, (uint64_t)-1, (uint64_t)-1 << 32, b.id, t.id, s.id, c.id, e.id, b.id + 1, b.id + ((uint64_t)1 << 32), s.id + 1, s.id + 0xffff,
                            s.id + ((uint64_t)1 << 32), s.id ^ ((uint64_t)3 << 16), t.id ^ ((uint64_t)1 << 31)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t v = all[i];
        all_say(AS(aicc_bridge, v == b.id ? 0 : v), AS(aicc_tool, v == t.id ? 0 : v), AS(aicc_session, v == s.id ? 0 : v), AS(aicc_call, v == c.id ? 0 : v),
                AS(aicc_event, v == e.id ? 0 : v), e, AICC_E_HANDLE);
    }
    CHECK(aicc_session_has_agent(s) == 1 && aicc_call_alive(c) == 1 && aicc_bridge_valid(b) == 1);

    EQUAL(aicc_bridge_close(b), AICC_OK); /* from then on: */
    all_say(b, t, s, c, e, e, AICC_E_STATE);
    aicc_stats st = {.struct_size = sizeof st};
    EQUAL(aicc_bridge_frame(b, NULL), AICC_OK);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
    EQUAL(aicc_bridge_flush(b, 1000), AICC_OK);
    EQUAL(aicc_bridge_stats(b, &st), AICC_OK);
    EQUAL(aicc_bridge_valid(b), 1);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    all_say(b, t, s, c, e, e, AICC_E_HANDLE);
    while (aicc_core_live() != 0)
        sched_yield();
    for (int i = 0; i < 3; i++) { /* and in all later lives of the slot */
        aicc_bridge again = fake_bridge("again", 0, 0);
        fake_tool(again, "t", NULL, NULL, 0);
        fake_session(again, NULL, 1);
        all_say(b, t, s, c, e, e, AICC_E_HANDLE);
        EQUAL(aicc_bridge_destroy(again), AICC_OK);
        while (aicc_core_live() != 0)
            sched_yield();
    }
}

static void bounds(void)
{
    static aicc_bridge many[MAX_BRIDGES];
    static aicc_session seats[MAX_SESSIONS];
    aicc_bridge_options bo;
    aicc_error e;
    aicc_bridge_options_init(&bo, sizeof bo);
    bo.name = aicc_s("many");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MAX_BRIDGES; i++)
            many[i] = fake_bridge("many", i % 2, 0);
        EQUAL(aicc_bridge_create(&bo, &(aicc_bridge){0}, &e), AICC_E_FULL);
        EQUAL(aicc_core_live(), MAX_BRIDGES);
        EQUAL(aicc_shutdown(1), AICC_OK); /* nobody's */
        CHECK(aicc_bridge_valid(many[0]) == 1);
        EQUAL(aicc_shutdown(0), AICC_OK);
        CHECK(aicc_bridge_valid(many[0]) == 0);
    }
    aicc_bridge b = fake_bridge("tables", 0, 64 << 20);
    aicc_session_options so;
    aicc_session_options_init(&so, sizeof so);
    for (int round = 0; round < 2; round++) {
        char name[32];
        aicc_item it;
        int closed = 0;
        for (int i = 0; i < MAX_SESSIONS; i++) {
            so.name = aicc_sn(name, (size_t)snprintf(name, sizeof name, "npc %d", i));
            EQUAL(aicc_session_open(b, &so, &seats[i], NULL), AICC_OK);
        }
        EQUAL(aicc_session_open(b, &so, &seats[0], &e), AICC_E_NAME);
        so.name = aicc_s("one more");
        EQUAL(aicc_session_open(b, &so, &seats[0], &e), AICC_E_FULL);
        for (int i = 1; i < MAX_SESSIONS; i++)
            EQUAL(aicc_session_close(seats[i], aicc_s("")), AICC_OK);
        so.name = aicc_s("npc 7"); /* the name is free at once, the number is not */
        EQUAL(aicc_session_open(b, &so, &seats[1], &e), AICC_E_FULL);
        fake_flush(b);
        while (fake_next(b, &it))
            closed += it.kind == AICC_ITEM_SESSION_CLOSED;
        EQUAL(closed, MAX_SESSIONS - 1);
        EQUAL(aicc_session_open(b, &so, &seats[1], &e), AICC_OK);
        so.name = aicc_s("npc 0");
        EQUAL(aicc_session_open(b, &so, &seats[2], &e), AICC_E_NAME);
        EQUAL(aicc_bridge_destroy(b), AICC_OK);
        b = fake_bridge("tables", 0, 64 << 20);
    }
    for (int i = 0; i < MAX_TOOLS; i++)
        fake_tool(b, "t", NULL, NULL, 0);
    aicc_tool_options to;
    aicc_tool_options_init(&to, sizeof to);
    to.cls = AICC_SENSOR, to.id = aicc_s("x"), to.description = aicc_s("x");
    EQUAL(aicc_tool_register(b, &to, &(aicc_tool){0}, &e), AICC_E_FULL);
    aicc_event_options eo;
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = 1;
    for (int i = 0; i < MAX_EVENTS; i++)
        EQUAL(aicc_event_define(b, &eo, &(aicc_event){0}, NULL), AICC_OK);
    EQUAL(aicc_event_define(b, &eo, &(aicc_event){0}, &e), AICC_E_FULL);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

/* Any number as any handle, while bridges come and go. */
static _Atomic uint64_t lately[4];
static atomic_int stop;
static void *poke(void *seed)
{
    uint64_t x = (uint64_t)(uintptr_t)seed * 0x9e3779b97f4a7c15u + 1;
    while (!atomic_load(&stop)) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t v = atomic_load(&lately[x & 3]);
        if ((x >> 8 & 7) == 0)
            v = x;
        else if ((x >> 8 & 7) < 4)
            v ^= (uint64_t)1 << (x >> 16 & 63);
        aicc_stats st = {.struct_size = sizeof st};
        (void)aicc_bridge_valid(AS(aicc_bridge, v));
        (void)aicc_call_alive(AS(aicc_call, v));
        (void)aicc_session_has_agent(AS(aicc_session, v));
        (void)aicc_call_succeed(AS(aicc_call, v), aicc_s("{}"));
        (void)aicc_session_set_paused(AS(aicc_session, v), (int32_t)(x & 1));
        (void)aicc_bridge_stats(AS(aicc_bridge, v), &st);
        (void)aicc_event_json(AS(aicc_event, v), AS(aicc_session, v), aicc_s("{}"));
        (void)aicc_session_receive(AS(aicc_session, v), aicc_s("say hi"));
        if ((x >> 40 & 255) == 0)
            sched_yield();
        if ((x >> 20 & 63) == 0) {
            (void)aicc_tool_unregister(AS(aicc_tool, v));
            (void)aicc_session_close(AS(aicc_session, v), aicc_s("poked"));
            (void)aicc_bridge_destroy(AS(aicc_bridge, v));
        }
    }
    return NULL;
}

static void fuzz(void)
{
    pthread_t t[3];
    for (uintptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], NULL, poke, (void *)(i + 1)) == 0);
    for (int i = 0; i < ROUNDS_OF(2000); i++) {
        aicc_bridge_options bo;
        aicc_bridge b;
        aicc_tool_options to;
        aicc_tool tool_of;
        aicc_session_options so;
        aicc_session s;
        aicc_item it = {.struct_size = sizeof it};
        aicc_bridge_options_init(&bo, sizeof bo);
        aicc_tool_options_init(&to, sizeof to);
        aicc_session_options_init(&so, sizeof so);
        bo.name = aicc_s("fuzz"), bo.clock = i % 2;
        to.cls = AICC_SENSOR, to.id = aicc_s("x"), to.description = aicc_s("x");
        EQUAL(aicc_bridge_create(&bo, &b, NULL), AICC_OK);
        atomic_store(&lately[0], b.id);
        (void)aicc_tool_register(b, &to, &tool_of, NULL);
        (void)aicc_session_open(b, &so, &s, NULL);
        atomic_store(&lately[1], s.id);
        atomic_store(&lately[2], tool_of.id);
        (void)aicc_session_attach(s);
        for (int k = 0; k < 5; k++) {
            char text[32];
            snprintf(text, sizeof text, "call %u", fake_number(tool_of.id));
            (void)aicc_session_receive(s, aicc_s(text));
            (void)aicc_bridge_flush(b, 5000);
            while (aicc_bridge_next(b, &it) == AICC_OK)
                if (it.kind == AICC_ITEM_CALL)
                    atomic_store(&lately[3], it.call.id);
        }
        (void)aicc_session_close(s, aicc_s(""));
        (void)aicc_bridge_destroy(b);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    EQUAL(aicc_shutdown(0), AICC_OK);
    while (aicc_core_live() != 0)
        sched_yield();
}

/* Sizes of structs: nothing beyond what was given is written, and what no version had is refused. */
static void sizes(void)
{
    char raw[512];
    aicc_error e;
#define SIZES(T, init) do { \
    for (size_t n = 0; n < sizeof (T) + 64; n++) { \
        memset(raw, 0x5a, sizeof raw); \
        init((T *)(void *)raw, n); \
        size_t given = n < sizeof (T) ? n : sizeof (T); \
        for (size_t i = given; i < sizeof raw; i++) CHECK(raw[i] == 0x5a); \
        uint32_t size; memcpy(&size, raw, 4); \
        if (n >= 4) EQUAL(size, given); \
    } \
    init(NULL, 0); init(NULL, 10000); } while (0)
    SIZES(aicc_process_options, aicc_process_options_init);
    SIZES(aicc_bridge_options, aicc_bridge_options_init);
    SIZES(aicc_tool_options, aicc_tool_options_init);
    SIZES(aicc_session_options, aicc_session_options_init);
    SIZES(aicc_event_options, aicc_event_options_init);

    struct { aicc_bridge_options o; char newer[64]; } big;
    aicc_bridge b;
    aicc_bridge_options_init(&big.o, sizeof big);
    memset(big.newer, 0xff, sizeof big.newer);
    big.o.struct_size = sizeof big;
    big.o.name = aicc_s("big");
    EQUAL(aicc_bridge_create(&big.o, &b, &e), AICC_OK);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    for (uint32_t n = 0; n < sizeof big.o; n++) {
        big.o.struct_size = n;
        EQUAL(aicc_bridge_create(&big.o, &b, &e), AICC_E_ARG);
        CHECK(strcmp(e.field, "struct_size") == 0 && b.id == 0);
    }
    EQUAL(aicc_bridge_create(NULL, &b, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "options") == 0);
    EQUAL(aicc_bridge_create(&big.o, NULL, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "out") == 0);
}

static void bridge_fields(void)
{
    static const struct { const char *field; aicc_status status; } table_of[] = {
        {"name", AICC_E_NAME}, {"name", AICC_E_NAME}, {"name", AICC_E_NAME}, {"name", AICC_E_ARG}, {"kind", AICC_E_ARG}, {"replace", AICC_E_ARG},
        {"tick_mode", AICC_E_ARG}, {"tick_rate_hz", AICC_E_ARG}, {"tick_rate_hz", AICC_E_ARG}, {"tick_rate_hz", AICC_E_ARG}, {"clock", AICC_E_ARG},
        {"debug", AICC_E_ARG}, {"queue_bytes", AICC_E_ARG}, {"outbox_bytes", AICC_E_ARG}, {"heartbeat_ms", AICC_E_ARG}, {"idle_ms", AICC_E_ARG},
        {"resume_window_ms", AICC_E_ARG},
    };
    char longer[258];
    memset(longer, 'n', 257);
    longer[257] = 0;
    for (int i = 0; i < (int)(sizeof table_of / sizeof *table_of); i++) {
        aicc_bridge_options o;
        aicc_bridge b;
        aicc_error e;
        aicc_bridge_options_init(&o, sizeof o);
        o.name = aicc_s("w");
        switch (i) {
        case 0: o.name = aicc_s(NULL); break;
        case 1: o.name = aicc_s(longer); break;
        case 2: o.name = aicc_s("\xff"); break;
        case 3: o.name = aicc_sn(NULL, 4); break;
        case 4: o.kind = 5; break;
        case 5: o.replace = 2; break;
        case 6: o.tick_mode = 0; break;
        case 7: o.tick_rate_hz = 0; break;
        case 8: o.tick_rate_hz = 1000.5; break;
        case 9: o.tick_rate_hz = (double)NAN; break;
        case 10: o.clock = -1; break;
        case 11: o.debug = 7; break;
        case 12: o.queue_bytes = (64 << 10) - 1; break;
        case 13: o.outbox_bytes = (64 << 20) + 1; break;
        case 14: o.heartbeat_ms = 99; break;
        case 15: o.idle_ms = -1; break;
        case 16: o.resume_window_ms = 86400001; break;
        default: break;
        }
        EQUAL(aicc_bridge_create(&o, &b, &e), table_of[i].status);
        CHECK(strcmp(e.field, table_of[i].field) == 0 && e.message[0] != 0 && e.status == table_of[i].status && b.id == 0);
    }
}

static void text(void)
{
    static const struct { const char *text; int good; } table_of[] = {
        {"", 1}, {"a", 1}, {"\xc3\xa9", 1}, {"\xe2\x82\xac", 1}, {"\xf0\x9f\x98\x80", 1}, {"\xf4\x8f\xbf\xbf", 1}, {"\xed\x9f\xbf", 1},
        {"\x80", 0}, {"\xc0\xaf", 0}, {"\xc1\xbf", 0}, {"\xc3", 0}, {"\xe0\x80\x80", 0}, {"\xe0\x9f\xbf", 0}, {"\xed\xa0\x80", 0}, {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0}, {"\xf5\x80\x80\x80", 0}, {"a\xe2\x82", 0}, {"\xe2\x82z", 0}, {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof table_of / sizeof *table_of; i++) {
        aicc_str s = aicc_s(table_of[i].text);
        CHECK(aicc__text(&s, 100) == 1);
        EQUAL(aicc__utf8(s), table_of[i].good);
    }
    static const char euro[] = "a\xe2\x82\xac";
    static const size_t cuts[] = {0, 1, 1, 1, 4, 4};
    for (size_t i = 0; i < 6; i++)
        EQUAL(aicc__utf8_cut(euro, 4, i), cuts[i]);
    EQUAL(aicc__utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5); /* no UTF-8: cut anywhere */
    aicc_str s = aicc_s("four");
    CHECK(aicc__text(&s, 3) == 0);
    s = aicc_sn("four", 4);
    CHECK(aicc__text(&s, 4) == 1 && aicc__text(&s, 3) == 0);
}

int main(void)
{
    text();
    fake_start();
    sizes();
    bridge_fields();
    wrong_ones();
    bounds();
    fuzz();
    return 0;
}
