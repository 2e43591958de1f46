/* Items: turns, order, pause, bounds, and when user data comes back. */
#include "fake.h"

static int item_is(aicc_bridge b, int32_t kind, aicc_session s, aicc_item *it)
{
    return fake_next(b, it) && it->kind == kind && it->session.id == s.id;
}

static void turns(void)
{
    aicc_bridge b = fake_bridge("turns", 0, 0);
    aicc_tool t = fake_tool(b, "go", NULL, &b, 0);
    aicc_session s[3];
    aicc_item it;
    char call[16];
    snprintf(call, sizeof call, "call %u", fake_number(t.id));
    for (int i = 0; i < 3; i++)
        s[i] = fake_session(b, &s[i], 1);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 - i; k++)
            fake_call(s[i], t);
    fake_flush(b);
    static const int want[6] = {0, 1, 2, 0, 1, 0}; /* sessions take turns */
    for (int i = 0; i < 6; i++) {
        CHECK(item_is(b, AICC_ITEM_CALL, s[want[i]], &it));
        CHECK(it.session_user == &s[want[i]] && it.tool_user == &b && it.tool.id == t.id);
        CHECK(it.request->session.id == it.session.id && it.request->call.id == it.call.id && it.request->tool.id == t.id);
        CHECK(it.request->bridge.id == b.id && it.request->session_user == it.session_user && it.request->deadline_ns == INT64_MAX);
        CHECK(it.request->tool_id.len == 2 && strcmp(it.request->tool_id.ptr, "go") == 0);
        CHECK(it.request->call_id.len == 2 && strcmp(it.request->call_id.ptr, "id") == 0);
        CHECK(((uintptr_t)it.request->input.tape & 7) == 0 && memcmp(it.request->input.tape, "12345678", 8) == 0);
        EQUAL(aicc_call_alive(it.call), 1);
        EQUAL(aicc_call_succeed(it.call, aicc_s("{}")), AICC_OK);
        EQUAL(aicc_call_alive(it.call), 0);
    }
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

static aicc_frame frame_of(int paused)
{
    aicc_frame f = {.struct_size = sizeof f, .flags = paused ? AICC_FRAME_PAUSED : 0};
    return f;
}

static void pause_holds(void)
{
    aicc_bridge b = fake_bridge("pause", 0, 0);
    aicc_tool stop = fake_tool(b, "stop", NULL, NULL, 0), menu = fake_tool(b, "menu", NULL, NULL, 1);
    aicc_session s = fake_session(b, NULL, 1), other = fake_session(b, NULL, 1);
    aicc_frame paused = frame_of(1), running = frame_of(0);
    aicc_item it;
    EQUAL(aicc_bridge_frame(b, &paused), AICC_OK);
    fake_call(s, stop);
    fake_say(s, "say a");
    fake_call(s, menu);
    fake_call(s, stop);
    fake_call(other, stop);
    fake_flush(b);
    CHECK(item_is(b, AICC_ITEM_AGENT_MESSAGE, s, &it) && it.text.len == 1 && strcmp(it.text.ptr, "a") == 0);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it) && it.tool.id == menu.id);
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_bridge_frame(b, &paused), AICC_OK);
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_session_set_paused(other, 1), AICC_OK); /* so that the end of the frame's pause does not free its call */
    EQUAL(aicc_bridge_frame(b, &running), AICC_OK);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it) && it.tool.id == stop.id);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it) && it.tool.id == stop.id);
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_session_set_paused(other, 0), AICC_OK);
    CHECK(item_is(b, AICC_ITEM_CALL, other, &it));
    CHECK(!fake_next(b, &it));
    fake_call(s, stop); /* deliverable, then paused, then not: the order stays */
    fake_say(s, "say b");
    fake_flush(b);
    EQUAL(aicc_session_set_paused(s, 1), AICC_OK);
    CHECK(item_is(b, AICC_ITEM_AGENT_MESSAGE, s, &it));
    CHECK(!fake_next(b, &it));
    fake_say(s, "say c");
    fake_flush(b);
    EQUAL(aicc_session_set_paused(s, 0), AICC_OK);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it));
    CHECK(item_is(b, AICC_ITEM_AGENT_MESSAGE, s, &it) && strcmp(it.text.ptr, "c") == 0);
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

static void bounds(void)
{
    aicc_bridge b = fake_bridge("bounds", 0, 0);
    aicc_tool t = fake_tool(b, "t", NULL, NULL, 0);
    aicc_session s = fake_session(b, NULL, 1);
    aicc_stats stats = {.struct_size = sizeof stats};
    aicc_item it;
    char text[32];
    for (int i = 1; i <= 6; i++) {
        snprintf(text, sizeof text, "agent %d", i);
        fake_say(s, text);
        fake_say(s, "say m");
    }
    for (int i = 0; i < 70; i++)
        fake_say(s, "say n");
    for (int i = 0; i < 300; i++)
        fake_fault(s, t);
    fake_flush(b);
    int agents = 0, messages = 0, faults = 0, last = 0;
    static const int kept[4] = {1, 2, 3, 6};
    while (fake_next(b, &it)) {
        if (it.kind == AICC_ITEM_AGENT)
            EQUAL(it.reason, kept[agents++]);
        messages += it.kind == AICC_ITEM_AGENT_MESSAGE;
        faults += it.kind == AICC_ITEM_FAULT && strcmp(it.text.ptr, "broken") == 0 && it.tool.id == t.id;
        last = it.kind;
    }
    EQUAL(agents, 4);
    EQUAL(messages, 64);
    EQUAL(faults, 256);
    EQUAL(last, AICC_ITEM_FAULT);
    fake_say(s, "agent 1"); /* and all start anew */
    fake_say(s, "say x");
    fake_fault(s, t);
    fake_flush(b);
    for (int i = 0; i < 3; i++)
        CHECK(fake_next(b, &it));
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_bridge_stats(b, &stats), AICC_OK);
    EQUAL(stats.sessions, 1);
    EQUAL(stats.agents, 1);
    EQUAL(stats.tools, 1);
    EQUAL(stats.events_dropped, 12);
    char line[2048];
    size_t len; /* a flood is one line */
    EQUAL(aicc_log_next(NULL, line, sizeof line, &len), AICC_OK);
    CHECK(strncmp(line, "items of kind 7 are dropped", 27) == 0);
    EQUAL(aicc_log_next(NULL, line, sizeof line, &len), AICC_OK);
    CHECK(strncmp(line, "items of kind 6 are dropped", 27) == 0);
    EQUAL(aicc_log_next(NULL, line, sizeof line, &len), AICC_EMPTY);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

/* A released tool or session comes after all items that name it, also when the source of those has its turn later. */
static void releases(void)
{
    aicc_bridge b = fake_bridge("releases", 0, 0);
    int tool_user, session_user, call_user;
    aicc_tool t = fake_tool(b, "t", NULL, &tool_user, 0);
    aicc_session s = fake_session(b, &session_user, 1);
    aicc_item it;
    fake_call(s, t);
    fake_call(s, t);
    fake_call(s, t);
    fake_flush(b);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it));
    EQUAL(aicc_call_set_user_data(it.call, &call_user), AICC_OK);
    aicc_call first = it.call;
    EQUAL(aicc_tool_unregister(t), AICC_OK);
    EQUAL(aicc_tool_unregister(t), AICC_E_HANDLE);
    CHECK(!fake_next(b, &it) || it.kind == AICC_ITEM_CALL_ENDED); /* a call of a tool that is gone is not delivered */
    fake_flush(b);
    if (it.kind != AICC_ITEM_CALL_ENDED)
        CHECK(fake_next(b, &it));
    CHECK(it.kind == AICC_ITEM_CALL_ENDED && it.reason == AICC_ENDED_TOOL && it.call.id == first.id && it.call_user == &call_user);
    CHECK(it.session.id == s.id && it.tool.id == t.id && it.tool_user == &tool_user && it.session_user == &session_user);
    EQUAL(aicc_call_succeed(first, aicc_s("{}")), AICC_GONE);
    EQUAL(aicc_call_set_user_data(first, NULL), AICC_GONE);
    CHECK(fake_next(b, &it) && it.kind == AICC_ITEM_TOOL_RELEASED && it.tool.id == t.id && it.tool_user == &tool_user);
    CHECK(!fake_next(b, &it));

    t = fake_tool(b, "again", NULL, &tool_user, 0);
    fake_call(s, t);
    fake_say(s, "say bye");
    fake_flush(b);
    CHECK(item_is(b, AICC_ITEM_CALL, s, &it));
    EQUAL(aicc_session_close(s, aicc_s("despawned")), AICC_OK);
    EQUAL(aicc_session_close(s, aicc_s("despawned")), AICC_E_HANDLE);
    EQUAL(aicc_session_receive(s, aicc_s("x")), AICC_E_HANDLE);
    fake_flush(b);
    CHECK(item_is(b, AICC_ITEM_AGENT_MESSAGE, s, &it));
    CHECK(item_is(b, AICC_ITEM_CALL_ENDED, s, &it) && it.reason == AICC_ENDED_SESSION);
    CHECK(item_is(b, AICC_ITEM_SESSION_CLOSED, s, &it) && it.session_user == &session_user);
    CHECK(!fake_next(b, &it));
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

/* ---- pump */

static int ran, others;
static aicc_status returns(const aicc_request *r, void *user)
{
    ran++;
    CHECK(r->struct_size == sizeof *r);
    return *(aicc_status *)user;
}
static void other(const aicc_item *it, void *user)
{
    CHECK(it->struct_size == sizeof *it);
    *(int32_t *)user = it->kind;
    others++;
}

static uint16_t last_kind, last_flags;
static char last_text[64];
static int see_answers(uint32_t slot, const aicc_rec *rec, const char *data)
{
    (void)slot;
    if (rec->kind == AICC_REC_ANSWER || rec->kind == AICC_REC_FAIL) {
        last_kind = rec->kind;
        last_flags = rec->flags;
        memset(last_text, 0, sizeof last_text);
        memcpy(last_text, data, rec->length < 63 ? rec->length : 63);
    }
    return 0;
}

static void pump(void)
{
    aicc_bridge b = fake_bridge("pump", 0, 0);
    aicc_status verdict = AICC_OK;
    int32_t kind = 0;
    aicc_tool with = fake_tool(b, "with", returns, &verdict, 0), without = fake_tool(b, "without", NULL, NULL, 0);
    aicc_session s = fake_session(b, NULL, 1);
    aicc_frame f = {.struct_size = sizeof f, .max_items = 2};
    fake_flush(b);
    fake_look = see_answers;
    static const struct { aicc_status returned; uint16_t kind, flags; const char *text; } table[] = {
        {AICC_OK, AICC_REC_ANSWER, 0, "{}"},
        {AICC_E_RANGE, AICC_REC_FAIL, AICC_CODE_EXECUTION_FAILED, "AICC_E_RANGE"},
        {-12345, AICC_REC_FAIL, AICC_CODE_EXECUTION_FAILED, "AICC_UNKNOWN"},
        {AICC_GONE, AICC_REC_FAIL, AICC_CODE_EXECUTION_FAILED, "AICC_E_ARG"},
        {12345, AICC_REC_FAIL, AICC_CODE_EXECUTION_FAILED, "AICC_E_ARG"},
        {AICC_PENDING, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        last_kind = last_flags = 0;
        memset(last_text, 0, sizeof last_text);
        verdict = table[i].returned;
        fake_call(s, with);
        fake_flush(b);
        EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
        fake_flush(b);
        EQUAL(ran, i + 1);
        EQUAL(last_kind, table[i].kind);
        EQUAL(last_flags, table[i].flags);
        CHECK(strcmp(last_text, table[i].text) == 0);
    }
    fake_call(s, without); /* no function, and nobody for items */
    fake_flush(b);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
    fake_flush(b);
    EQUAL(last_kind, AICC_REC_FAIL);
    EQUAL(last_flags, AICC_CODE_INTERNAL_ERROR);
    CHECK(strcmp(last_text, "the game has no function for this tool") == 0);
    char line[2048];
    size_t len;
    aicc_log log = {.struct_size = sizeof log};
    EQUAL(aicc_log_next(&log, line, sizeof line, &len), AICC_OK);
    CHECK(log.level == AICC_WARN && log.bridge.id == b.id && log.tool.id == without.id && strstr(line, "without") != NULL);
    fake_call(s, without);
    fake_flush(b);
    EQUAL(aicc_bridge_pump(b, NULL, other, &kind), AICC_OK);
    EQUAL(kind, AICC_ITEM_CALL);
    for (int i = 0; i < 5; i++)
        fake_say(s, "say x");
    fake_flush(b);
    others = 0;
    for (int want = 2; want <= 5; want += want == 4 ? 1 : 2) {
        EQUAL(aicc_bridge_pump(b, &f, other, &kind), AICC_OK);
        EQUAL(others, want);
    }
    f.max_items = 0;
    f.budget_us = 1;
    for (int i = 0; i < 1000; i++)
        if (i % 16 == 0) {
            fake_flush(b);
            fake_say(s, "say y");
        }
    fake_flush(b);
    others = 0;
    while (others < 63) { /* a budget that is over at once still lets one through */
        int before = others;
        EQUAL(aicc_bridge_pump(b, &f, other, &kind), AICC_OK);
        CHECK(others > before);
    }
    fake_look = NULL;
    f.flags = 2;
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_ARG);
    f.flags = 0;
    f.max_items = -1;
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_ARG);
    f.max_items = 0;
    f.struct_size = 4;
    EQUAL(aicc_bridge_frame(b, &f), AICC_E_ARG);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

int main(void)
{
    fake_start();
    turns();
    pause_holds();
    bounds();
    releases();
    pump();
    return 0;
}
