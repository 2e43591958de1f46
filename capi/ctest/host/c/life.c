/* life: one character's life from creation to destruction, every step with what comes of it. */
#include "t.h"

static int walks;
static aicc_call walking;
static void *const guard_user = (void *)(uintptr_t)7, *const walk_user = (void *)(uintptr_t)11;

static aicc_status look(const aicc_request *r, void *user) {
    char buf[256];
    aicc_writer w;
    aicc_str out;
    double range = -1;
    CHECK(user == NULL);
    CHECK(r->session_user == guard_user);
    CHECK(r->input.kind == AICC_KIND_OBJECT);
    STATUS(AICC_OK, aicc_value_number(&r->input, aicc_s("range"), &range));
    CHECK(range == 12.5);
    aicc_write_begin(&w, buf, sizeof buf);
    aicc_write_object(&w, aicc_s(NULL));
    aicc_write_string(&w, aicc_s("sees"), aicc_s("a thief"));
    aicc_write_end(&w);
    STATUS(AICC_OK, aicc_write_done(&w, &out));
    return aicc_call_succeed(r->call, out);
}

static aicc_status walk(const aicc_request *r, void *user) {
    CHECK(user == walk_user);
    CHECK(aicc_call_alive(r->call) == 1);
    CHECK(strncmp(r->tool_id.ptr, "walk_to", r->tool_id.len) == 0 && r->tool_id.ptr[r->tool_id.len] == 0);
    walks++;
    walking = r->call;
    STATUS(AICC_OK, aicc_call_set_user_data(r->call, (void *)(uintptr_t)(100 + walks)));
    return AICC_PENDING;
}

static aicc_status refuses(const aicc_request *r, void *user) {
    (void)user;
    return aicc_call_fail(r->call, AICC_CODE_INVALID_INPUT, aicc_s("no such door"), 1);
}
static aicc_status says_nothing(const aicc_request *r, void *user) { (void)r; (void)user; return AICC_OK; }
static aicc_status goes_wrong(const aicc_request *r, void *user) { (void)r; (void)user; return AICC_E_RANGE; }
static aicc_status writes_nonsense(const aicc_request *r, void *user) { (void)user; return aicc_call_succeed(r->call, aicc_s("{\"a\":}")); }

static struct { int connected, detached, resumed, gone, closed, released, ended, reason; void *call_user, *tool_user, *session_user; } saw;
static void other(const aicc_item *i, void *user) {
    CHECK(user == &saw);
    CHECK(i->struct_size == sizeof *i);
    switch (i->kind) {
    case AICC_ITEM_AGENT:
        if (i->reason == AICC_AGENT_CONNECTED) saw.connected++;
        if (i->reason == AICC_AGENT_DETACHED) saw.detached++;
        if (i->reason == AICC_AGENT_RESUMED) saw.resumed++;
        if (i->reason == AICC_AGENT_GONE) saw.gone++;
        break;
    case AICC_ITEM_SESSION_CLOSED: saw.closed++; saw.session_user = i->session_user; break;
    case AICC_ITEM_TOOL_RELEASED: saw.released++; saw.tool_user = i->tool_user; break;
    case AICC_ITEM_CALL_ENDED: saw.ended++; saw.reason = i->reason; saw.call_user = i->call_user; break;
    default: CHECK(!"an item of another kind");
    }
}

int main(void) {
    t_world w = {0};
    aicc_session_options so;
    aicc_event_options eo;
    aicc_event heard;
    aicc_frame frame = {0};
    aicc_stats stats;
    aicc_tool walk_tool;
    char log[2048];
    size_t len;

    CHECK(AICC_ABI_FITS(aicc_abi()));
    w.bridge = t_bridge("night watch");
    CHECK(aicc_bridge_valid(w.bridge) == 1);
    t_tool(w.bridge, "look", "{\"type\":\"object\",\"properties\":{\"range\":{\"type\":\"number\",\"default\":12.5}}}", look, NULL);
    walk_tool = t_tool(w.bridge, "walk_to", "{\"type\":\"object\",\"properties\":{\"place\":{\"type\":\"string\"}},\"required\":[\"place\"]}", walk, walk_user);
    t_tool(w.bridge, "refuses", NULL, refuses, NULL);
    t_tool(w.bridge, "says_nothing", NULL, says_nothing, NULL);
    t_tool(w.bridge, "goes_wrong", NULL, goes_wrong, NULL);
    t_tool(w.bridge, "writes_nonsense", NULL, writes_nonsense, NULL);

    aicc_session_options_init(&so, sizeof so);
    so.name = aicc_s("guard");
    so.user_data = guard_user;
    STATUS(AICC_OK, aicc_session_open(w.bridge, &so, &w.session, NULL));
    CHECK(aicc_session_has_agent(w.session) == 0);
    STATUS(AICC_E_STATE, aicc_session_receive(w.session, aicc_s("{}")));
    STATUS(AICC_OK, aicc_session_attach(w.session));
    STATUS(AICC_E_STATE, aicc_session_attach(w.session));
    CHECK(aicc_session_has_agent(w.session) == 1);
    MUST(t_message(&w, "\"session_init\""));
    CHECK(strstr(w.msg, "\"name\":\"night watch\"") && strstr(w.msg, "\"walk_to\""));
    t_copy_field(w.msg, "session_id", w.sid, sizeof w.sid);

    frame.struct_size = sizeof frame;
    frame.tick = 4711;
    STATUS(AICC_OK, aicc_bridge_pump(w.bridge, &frame, other, &saw));
    CHECK(saw.connected == 1);

    CHECK(t_result(&w, "look", "{}"));
    CHECK(strstr(w.msg, "\"ok\":true") && strstr(w.msg, "\"output\":{\"sees\":\"a thief\"}") && strstr(w.msg, "\"call_id\":\"c1\""));
    CHECK(t_result(&w, "refuses", "{}"));
    CHECK(strstr(w.msg, "\"code\":\"invalid_input\"") && strstr(w.msg, "no such door") && strstr(w.msg, "\"retryable\":true"));
    CHECK(t_result(&w, "says_nothing", "{}"));
    CHECK(strstr(w.msg, "\"ok\":true") && strstr(w.msg, "\"output\":{}"));
    CHECK(t_result(&w, "goes_wrong", "{}"));
    CHECK(strstr(w.msg, "\"code\":\"execution_failed\"") && strstr(w.msg, "AICC_E_RANGE"));
    CHECK(t_result(&w, "writes_nonsense", "{}"));
    CHECK(strstr(w.msg, "\"code\":\"internal_error\""));
    while (aicc_log_next(NULL, log, sizeof log, &len) == AICC_OK) if (strstr(log, "writes_nonsense")) break;
    CHECK(strstr(log, "writes_nonsense"));
    CHECK(t_result(&w, "walk_to", "{\"place\":7}"));
    CHECK(strstr(w.msg, "\"code\":\"invalid_input\"") && strstr(w.msg, "/place"));
    CHECK(walks == 0);
    CHECK(t_result(&w, "flies_to", "{}"));
    CHECK(strstr(w.msg, "\"code\":\"tool_unknown\""));

    /* A walk that takes frames, tells of its progress, and arrives. */
    t_call(&w, "walk_to", "{\"place\":\"gate\"}");
    t_pump(&w);
    CHECK(walks == 1);
    CHECK(!t_message(&w, "\"tool_result\""));
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_STATE_CHANGE;
    eo.kind = aicc_s("progress");
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &heard, NULL));
    STATUS(AICC_OK, aicc_event_reply_json(heard, walking, aicc_s("{\"left_m\":3}")));
    CHECK(t_message(&w, "\"event\""));
    CHECK(strstr(w.msg, "\"payload\":{\"kind\":\"progress\",\"left_m\":3}"));
    STATUS(AICC_OK, aicc_event_json(heard, w.session, aicc_s("{}")));
    CHECK(t_message(&w, "\"payload\":{\"kind\":\"progress\"}"));
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s("{\"arrived\":true}")));
    STATUS(AICC_GONE, aicc_call_succeed(walking, aicc_s(NULL)));
    CHECK(aicc_call_alive(walking) == 0);
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"arrived\":true"));
    CHECK(strstr(w.msg, "\"latency_ms\":") && strstr(w.msg, "\"source\":\"night watch\""));
    STATUS(AICC_GONE, aicc_call_fail(walking, AICC_CODE_EXECUTION_FAILED, aicc_s("late"), 0));
    STATUS(AICC_GONE, aicc_event_reply_json(heard, walking, aicc_s("{}")));

    /* Its tool goes: the walk ends without the host, and says so. */
    t_call(&w, "walk_to", "{\"place\":\"tower\"}");
    t_pump(&w);
    CHECK(walks == 2);
    STATUS(AICC_OK, aicc_tool_unregister(walk_tool));
    STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 20000));
    STATUS(AICC_OK, aicc_bridge_pump(w.bridge, &frame, other, &saw));
    CHECK(saw.ended == 1 && saw.reason == AICC_ENDED_TOOL && saw.call_user == (void *)(uintptr_t)102);
    CHECK(saw.released == 1 && saw.tool_user == walk_user);
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"ok\":false"));
    STATUS(AICC_E_HANDLE, aicc_tool_unregister(walk_tool));

    aicc_bridge_stats(w.bridge, NULL);
    stats.struct_size = sizeof stats;
    STATUS(AICC_OK, aicc_bridge_stats(w.bridge, &stats));
    CHECK(stats.sessions == 1 && stats.agents == 1 && stats.tools == 5 && stats.calls_in_flight == 0);
    CHECK(stats.calls == 7 && stats.calls_refused == 2 && stats.calls_failed == 4 && stats.answers_late == 2);

    STATUS(AICC_OK, aicc_session_detach(w.session));
    STATUS(AICC_E_STATE, aicc_session_detach(w.session));
    STATUS(AICC_OK, aicc_session_attach(w.session));
    CHECK(!t_message(&w, "\"session_init\""));                     /* an agent that comes back speaks first */
    { char m[256]; int n = snprintf(m, sizeof m, "{\"protocol\":\"aicc/0.1\",\"type\":\"session_resume\",\"session_id\":\"%s\",\"message_id\":\"%s\"}", w.sid, w.sid);
      STATUS(AICC_OK, aicc_session_receive(w.session, aicc_sn(m, (size_t)n))); }
    CHECK(t_message(&w, "\"session_init\"") && strstr(w.msg, w.sid));
    STATUS(AICC_OK, aicc_session_close(w.session, aicc_s("dawn")));
    STATUS(AICC_E_HANDLE, aicc_session_close(w.session, aicc_s("dawn")));
    CHECK(t_message(&w, "\"session_close\"") && strstr(w.msg, "\"reason\":\"dawn\""));
    STATUS(AICC_OK, aicc_bridge_pump(w.bridge, &frame, other, &saw));
    CHECK(saw.closed == 1 && saw.session_user == guard_user);

    STATUS(AICC_OK, aicc_bridge_close(w.bridge));
    STATUS(AICC_E_STATE, aicc_bridge_close(w.bridge));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    STATUS(AICC_E_HANDLE, aicc_bridge_destroy(w.bridge));
    CHECK(aicc_bridge_valid(w.bridge) == 0);
    T_END();
}
