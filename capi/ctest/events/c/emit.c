/* emit: who gets an event, and when. With the frame's clock, so that each millisecond is known. */
#include "e.h"

enum { N = 40 };
typedef struct state { uint32_t id; float x; aicc_str note; } state;
static const aicc_field fields[] = {
    { .name = { "id", 2 }, .offset = offsetof(state, id), .type = AICC_U32, .flags = AICC_FIELD_KEY },
    { .name = { "x", 1 }, .offset = offsetof(state, x), .type = AICC_F32 },
    { .name = { "note", 4 }, .offset = offsetof(state, note), .type = AICC_TEXT, .count = 2000, .flags = AICC_FIELD_OMIT_EMPTY },
};
static aicc_bridge world;
static aicc_session s[N];
static int64_t now_ms = 1000;
static uint64_t tick;
static char got[1 << 20];       /* "INDEX PAYLOAD|" of each event since the last frame */
static int messages;

static void frame(int64_t ms) {
    aicc_frame f = { .struct_size = sizeof f };
    static char msg[1 << 20];
    aicc_session to;
    size_t len, at = 0;
    now_ms += ms;
    f.tick = ++tick, f.now_ns = now_ms * 1000000;
    STATUS(AICC_OK, aicc_bridge_pump(world, &f, NULL, NULL));
    got[0] = 0, messages = 0;
    while (aicc_bridge_next_message(world, &to, msg, sizeof msg, &len) == AICC_OK) {
        const char *p = strstr(msg, "\"payload\":"), *end = p ? strstr(p, ",\"meta\"") : NULL;
        int i;
        for (i = 0; i < N && s[i].id != to.id; i++) {}
        if (end) at += (size_t)snprintf(got + at, sizeof got - at, "%d %.*s|", i, (int)(end - p - 10), p + 10);
        messages += end != NULL;
    }
}
#define GOT(text) do { if (strcmp(got, text) != 0) { fprintf(stderr, "%s:%d: got %s\n  want %s\n", __FILE__, __LINE__, got, text); t_failed++; } } while (0)

static void open_all(int32_t mode) {
    aicc_bridge_options o;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("emit"), o.clock = AICC_CLOCK_FRAME, o.seed = 3, o.tick_mode = mode, o.tick_rate_hz = 20, o.queue_bytes = 64 << 10;
    MUST(aicc_bridge_create(&o, &world, NULL) == AICC_OK);
    for (int i = 0; i < N; i++) {
        aicc_session_options so;
        aicc_session_options_init(&so, sizeof so);
        so.model_class = AICC_EDGE_SMALL;
        so.topics = i % 4 == 3 ? AICC_TOPIC_AUDIO : AICC_TOPIC_ALL;
        STATUS(AICC_OK, aicc_session_open(world, &so, &s[i], NULL));
        if (i < 20) STATUS(AICC_OK, aicc_session_attach(s[i]));
    }
    frame(1);
    frame(1);
}

static void audience(aicc_layout l) {
    aicc_event each = e_event(world, AICC_TOPIC_STATE_CHANGE, "st", AICC_EACH, 0, l);
    state a[N] = { 0 }, one = { 7, 1.5f, { "note", 4 } };
    size_t n = 0;
    uint32_t index[N];
    aicc_session stale, foreign[3] = { { 0 }, { 12345 }, { s[0].id ^ (1ull << 32) } };
    aicc_bridge_options o;
    aicc_bridge second;
    for (int i = 0; i < N; i++) a[i].id = (uint32_t)i, a[i].x = 0.5f * (float)i;
    /* 40 structs for 40 sessions: 20 have agents, and 5 of those are not subscribed. */
    STATUS(AICC_OK, aicc_event_emit(each, s, N, a, sizeof *a, &n));
    CHECK(n == 15);
    frame(16);
    CHECK(messages == 15 && strstr(got, "18 {\"kind\":\"st\",\"id\":18,\"x\":9}|") && !strstr(got, "19 ") && !strstr(got, "3 {\"kind\":\"st\",\"id\":3,"));
    STATUS(AICC_OK, aicc_event_emit(each, s + 1, 3, &one, 0, &n));
    CHECK(n == 2);
    frame(16);
    GOT("1 {\"kind\":\"st\",\"id\":7,\"x\":1.5,\"note\":\"note\"}|2 {\"kind\":\"st\",\"id\":7,\"x\":1.5,\"note\":\"note\"}|");
    STATUS(AICC_EMPTY, aicc_event_emit(each, s + 20, 20, a, sizeof *a, &n));
    STATUS(AICC_EMPTY, aicc_event_emit(each, s + 3, 1, a, sizeof *a, &n));
    CHECK(n == 0);
    STATUS(AICC_OK, aicc_event_emit(each, NULL, 2, a, sizeof *a, &n));
    CHECK(n == 2);
    frame(16);
    CHECK(messages == 30);
    STATUS(AICC_OK, aicc_event_due(each, s, N, index, &n));
    CHECK(n == 15 && index[0] == 0 && index[3] == 4 && index[14] == 18);
    /* Stale ones are passed over and counted. */
    stale = s[39];
    STATUS(AICC_OK, aicc_session_close(s[39], aicc_s(NULL)));
    aicc_session mixed[5] = { stale, foreign[0], foreign[1], foreign[2], s[0] };
    STATUS(AICC_OK, aicc_event_emit(each, mixed, 5, a, sizeof *a, &n));
    CHECK(n == 1 && e_stats(world).handles_stale == 4);
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("second");
    MUST(aicc_bridge_create(&o, &second, NULL) == AICC_OK);
    mixed[0] = t_session(second, "x");
    STATUS(AICC_EMPTY, aicc_event_emit(each, mixed, 1, a, sizeof *a, &n));
    CHECK(e_stats(world).handles_stale == 5);
    STATUS(AICC_OK, aicc_bridge_destroy(second));
    frame(16);
    GOT("0 {\"kind\":\"st\",\"id\":4,\"x\":2}|");
}

static void delivery(aicc_layout l) {
    aicc_event latest = e_event(world, AICC_TOPIC_STATE_CHANGE, NULL, AICC_LATEST, 0, l), each = e_event(world, AICC_TOPIC_COLLISION, NULL, 0, 0, l);
    for (uint32_t i = 0; i < 9; i++) {
        state a = { i % 3, (float)i, { NULL, 0 } };
        STATUS(AICC_OK, aicc_event_emit(latest, s, 1, &a, 0, NULL));
        if (i < 2) STATUS(AICC_OK, aicc_event_emit(each, s, 1, &a, 0, NULL));
    }
    frame(16);
    GOT("0 {\"id\":0,\"x\":0}|0 {\"id\":1,\"x\":1}|0 {\"id\":0,\"x\":6}|0 {\"id\":1,\"x\":7}|0 {\"id\":2,\"x\":8}|");
}

static void intervals(aicc_layout l) {
    aicc_event slow = e_event(world, AICC_TOPIC_STATE_CHANGE, NULL, AICC_LATEST, 100, l), drop = e_event(world, AICC_TOPIC_AUDIO, NULL, AICC_EACH, 100, l);
    uint32_t index[4];
    size_t n;
    state a = { 1, 0, { NULL, 0 } };
    STATUS(AICC_OK, aicc_event_due(slow, s, 2, index, &n));
    CHECK(n == 2);
    STATUS(AICC_OK, aicc_event_emit(slow, s, 1, &a, 0, NULL));
    STATUS(AICC_OK, aicc_event_emit(drop, s, 1, &a, 0, NULL));
    frame(10);
    GOT("0 {\"id\":1,\"x\":0}|0 {\"id\":1,\"x\":0}|");
    STATUS(AICC_OK, aicc_event_due(slow, s, 2, index, &n));
    CHECK(n == 1 && index[0] == 1);
    for (int i = 1; i < 4; i++) {
        a.x = (float)i;
        a.id = 1 + (uint32_t)i % 2;
        STATUS(AICC_OK, aicc_event_emit(slow, s, 1, &a, 0, NULL)); /* each key has a time of its own */
        STATUS(AICC_OK, aicc_event_emit(drop, s, 1, &a, 0, NULL));
        frame(10);
        if (i == 1) GOT("0 {\"id\":2,\"x\":1}|0 {\"id\":2,\"x\":1}|");
    }
    GOT("");
    frame(59);
    GOT("");
    frame(1);
    GOT("0 {\"id\":1,\"x\":2}|");
    frame(200);
    STATUS(AICC_OK, aicc_event_due(slow, s, 2, index, &n));
    CHECK(n == 2);
    STATUS(AICC_OK, aicc_event_emit(slow, NULL, 1, &a, 0, NULL));
    frame(1);
    STATUS(AICC_EMPTY, aicc_event_due(slow, s, 2, index, &n));
    frame(200);
    /* A new agent's times begin anew. */
    STATUS(AICC_OK, aicc_event_emit(slow, s, 1, &a, 0, NULL));
    frame(1);
    STATUS(AICC_EMPTY, aicc_event_due(slow, s, 1, index, &n));
    STATUS(AICC_OK, aicc_session_detach(s[0]));
    STATUS(AICC_EMPTY, aicc_event_due(slow, s, 1, index, &n));
    STATUS(AICC_OK, aicc_session_attach(s[0]));
    STATUS(AICC_OK, aicc_event_due(slow, s, 1, index, &n));
    frame(2500); /* for two seconds the core waits for session_resume */
    frame(1);
}

static void full(aicc_layout l) {
    aicc_event each = e_event(world, AICC_TOPIC_STATE_CHANGE, NULL, AICC_EACH, 0, l);
    static char text[2001];
    state a[60];
    aicc_session to[60];
    size_t n = 0;
    uint64_t dropped = e_stats(world).events_dropped;
    memset(text, 'x', 2000);
    for (int i = 0, k = 0; k < 60; i = (i + 1) % 20)
        if (i % 4 != 3) to[k] = s[i], a[k] = (state){ (uint32_t)k, 0, { text, AICC_NTS } }, k++;
    /* 64 KiB hold 32 of these. */
    STATUS(AICC_PARTIAL, aicc_event_emit(each, to, 60, a, sizeof *a, &n));
    CHECK(n >= 28 && n <= 33);
    CHECK(e_stats(world).events_dropped - dropped == 60 - n);
    CHECK(e_stats(world).queue_bytes <= 66 << 10);
    frame(16);
    CHECK(messages == (int)n);
    STATUS(AICC_OK, aicc_event_emit(each, to, 15, a, sizeof *a, &n));
    frame(16);
    CHECK(messages == 15);
}

static void ticks(aicc_layout l) {
    aicc_event ev = e_event(world, AICC_TOPIC_TICK, "me", 0, 0, l);
    uint32_t index[N];
    size_t n;
    int emitted = 0, sent = 0;
    /* 250 ms apart, since the agents are of class edge_small; asked 60 times a second. */
    for (int i = 0; i < 60; i++) {
        state a = { 5, (float)i, { NULL, 0 } };
        if (aicc_event_due(ev, s, 1, index, &n) == AICC_OK) {
            STATUS(AICC_OK, aicc_event_emit(ev, s, 1, &a, 0, NULL));
            emitted++;
        }
        frame(16);
        if (strstr(got, "0 {")) sent++;
        if (strstr(got, "0 {") && !strstr(got, "0 {\"kind\":\"me\",\"id\":5,")) CHECK(!"a tick without what was emitted");
    }
    CHECK(sent >= 3 && sent <= 4);
    CHECK(emitted >= 9 && emitted <= 17);
    STATUS(AICC_EMPTY, aicc_event_due(ev, s + 3, 1, index, &n));
}

static aicc_event progress;
static aicc_status work(const aicc_request *r, void *user) {
    state a = { 3, 0.25f, { "half", 4 } };
    aicc_event other = progress;
    (void)user;
    STATUS(AICC_OK, aicc_event_reply(progress, r->call, &a, sizeof a));
    STATUS(AICC_OK, aicc_call_succeed_struct(r->call, *(aicc_layout *)user, &a, sizeof a));
    STATUS(AICC_GONE, aicc_event_reply(other, r->call, &a, sizeof a));
    STATUS(AICC_GONE, aicc_call_succeed_struct(r->call, *(aicc_layout *)user, &a, sizeof a));
    return AICC_OK;
}

static void causes(aicc_layout l) {
    static t_world w;
    aicc_session_options so;
    w.bridge = t_bridge("causes");
    aicc_session_options_init(&so, sizeof so);
    so.topics = 0;
    STATUS(AICC_OK, aicc_session_open(w.bridge, &so, &w.session, NULL));
    STATUS(AICC_OK, aicc_session_attach(w.session));
    MUST(t_message(&w, "\"session_init\""));
    t_copy_field(w.msg, "session_id", w.sid, sizeof w.sid);
    progress = e_event(w.bridge, AICC_TOPIC_STATE_CHANGE, "progress", AICC_LATEST, 0, l);
    t_tool(w.bridge, "work", "{\"type\":\"object\"}", work, &l);
    t_call(&w, "work", "{}");
    t_pump(&w);
    MUST(t_message(&w, "\"type\":\"event\""));
    CHECK(strcmp(e_payload(&w), "{\"kind\":\"progress\",\"id\":3,\"x\":0.25,\"note\":\"half\"}") == 0);
    MUST(t_message(&w, "\"tool_result\""));
    CHECK(strstr(w.msg, "\"output\":{\"id\":3,\"x\":0.25,\"note\":\"half\"}"));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
}

int main(void) {
    aicc_layout l = e_layout(sizeof (state), fields, 3);
    open_all(AICC_TICK_EVENT);
    audience(l);
    delivery(l);
    intervals(l);
    full(l);
    STATUS(AICC_OK, aicc_bridge_destroy(world));
    open_all(AICC_TICK_HYBRID);
    ticks(l);
    STATUS(AICC_OK, aicc_bridge_destroy(world));
    causes(l);
    T_END();
}
