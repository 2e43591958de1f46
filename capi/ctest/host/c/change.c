/* change: what a running game changes: tools updated, disabled, in sets; capabilities, topics and toolsets of a session; reset; longer calls. */
#include <time.h>
#include "t.h"

static t_world w;
static aicc_call kept;
static int which, ended_reason;

static aicc_status first(const aicc_request *r, void *user) { (void)r; which = (int)(uintptr_t)user; return AICC_OK; }
static aicc_status keep(const aicc_request *r, void *user) { (void)user; kept = r->call; return AICC_PENDING; }
static void other(const aicc_item *i, void *user) { (void)user; if (i->kind == AICC_ITEM_CALL_ENDED) ended_reason = i->reason; }

static void wait_for(const char *needle) {   /* a manifest_update comes within a second */
    time_t late = time(NULL) + 60;
    while (!t_message(&w, needle) && time(NULL) < late) t_pump(&w);
    CHECK(w.msg[0] != 0);
}

int main(void) {
    aicc_toolset none = {0}, guards, merchants, many;
    aicc_tool_options o;
    aicc_tool t, g, m;
    aicc_session_options so;
    aicc_session s;
    aicc_error e;
    aicc_event_options eo;
    aicc_event ev;
    int i;

    t_open(&w, "changes");
    /* An update keeps the handle and changes what is called and what is accepted. */
    t = t_tool(w.bridge, "act", NULL, first, (void *)(uintptr_t)1);
    CHECK(t_result(&w, "act", "{}") && which == 1);
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_ACTUATOR;
    o.description = aicc_s("Acts, at a speed.");
    o.input_schema = aicc_s("{\"type\":\"object\",\"properties\":{\"speed\":{\"type\":\"integer\",\"maximum\":3}},\"required\":[\"speed\"]}");
    o.fn = first;
    o.user_data = (void *)(uintptr_t)2;
    STATUS(AICC_OK, aicc_tool_update(t, &o, &e));
    CHECK(t_result(&w, "act", "{\"speed\":9}") && strstr(w.msg, "invalid_input"));
    CHECK(t_result(&w, "act", "{\"speed\":2}") && strstr(w.msg, "\"ok\":true") && which == 2);
    o.id = aicc_s("other");
    STATUS(AICC_E_NAME, aicc_tool_update(t, &o, &e));
    CHECK(strcmp(e.field, "id") == 0);
    o.id = aicc_s("act");
    o.input_schema = aicc_s("{\"type\":3}");
    STATUS(AICC_E_SCHEMA, aicc_tool_update(t, &o, &e));
    CHECK(strcmp(e.pointer, "/type") == 0);
    CHECK(t_result(&w, "act", "{\"speed\":2}") && strstr(w.msg, "\"ok\":true"));      /* the old one stands */
    STATUS(AICC_E_ARG, aicc_tool_update(t, NULL, &e));
    { aicc_tool zero = {0}; STATUS(AICC_E_HANDLE, aicc_tool_update(zero, &o, &e)); STATUS(AICC_E_HANDLE, aicc_tool_set_enabled(zero, 1)); }
    wait_for("\"manifest_update\"");
    CHECK(strstr(w.msg, "Acts, at a speed."));

    STATUS(AICC_E_ARG, aicc_tool_set_enabled(t, 2));
    STATUS(AICC_OK, aicc_tool_set_enabled(t, 0));
    CHECK(t_result(&w, "act", "{\"speed\":2}") && strstr(w.msg, "tool_unavailable"));
    STATUS(AICC_OK, aicc_tool_set_enabled(t, 1));
    CHECK(t_result(&w, "act", "{\"speed\":2}") && strstr(w.msg, "\"ok\":true"));

    /* Two sets with a tool of the same name, and sessions that hold one of them. */
    STATUS(AICC_E_ARG, aicc_toolset_create(w.bridge, aicc_s("x"), NULL, &e));
    STATUS(AICC_E_NAME, aicc_toolset_create(w.bridge, aicc_s("\xff"), &guards, &e));
    STATUS(AICC_OK, aicc_toolset_create(w.bridge, aicc_s("guards"), &guards, &e));
    STATUS(AICC_OK, aicc_toolset_create(w.bridge, aicc_s("merchants"), &merchants, &e));
    for (i = 0; i < 62; i++) STATUS(AICC_OK, aicc_toolset_create(w.bridge, aicc_s(NULL), &many, &e));
    { aicc_toolset one_more; STATUS(AICC_E_FULL, aicc_toolset_create(w.bridge, aicc_s(NULL), &one_more, &e)); }
    STATUS(AICC_OK, aicc_toolset_destroy(many));
    STATUS(AICC_E_HANDLE, aicc_toolset_destroy(many));
    STATUS(AICC_E_HANDLE, aicc_toolset_destroy(none));
    o.input_schema = aicc_s(NULL);
    o.id = aicc_s("greet");
    o.set = guards;
    o.user_data = (void *)(uintptr_t)10;
    STATUS(AICC_OK, aicc_tool_register(w.bridge, &o, &g, &e));
    STATUS(AICC_E_NAME, aicc_tool_register(w.bridge, &o, &m, &e));
    o.set = merchants;
    o.user_data = (void *)(uintptr_t)20;
    STATUS(AICC_OK, aicc_tool_register(w.bridge, &o, &m, &e));
    o.set = many;
    STATUS(AICC_E_HANDLE, aicc_tool_register(w.bridge, &o, &m, &e));
    CHECK(strcmp(e.field, "set") == 0);
    CHECK(t_result(&w, "greet", "{}") && strstr(w.msg, "tool_unknown"));
    STATUS(AICC_OK, aicc_session_set_toolsets(w.session, &guards, 1));
    CHECK(t_result(&w, "greet", "{}") && strstr(w.msg, "\"ok\":true") && which == 10);
    STATUS(AICC_OK, aicc_session_set_toolsets(w.session, &merchants, 1));
    CHECK(t_result(&w, "greet", "{}") && which == 20);
    STATUS(AICC_E_ARG, aicc_session_set_toolsets(w.session, NULL, 1));
    STATUS(AICC_E_ARG, aicc_session_set_toolsets(w.session, &guards, 8));
    STATUS(AICC_E_HANDLE, aicc_session_set_toolsets(w.session, &many, 1));
    aicc_session_options_init(&so, sizeof so);
    so.toolsets = &many;
    so.toolsets_count = 1;
    STATUS(AICC_E_HANDLE, aicc_session_open(w.bridge, &so, &s, &e));
    CHECK(strcmp(e.field, "toolsets") == 0);
    so.toolsets_count = 8;
    STATUS(AICC_E_ARG, aicc_session_open(w.bridge, &so, &s, &e));
    so.toolsets = &guards;
    so.toolsets_count = 1;
    STATUS(AICC_OK, aicc_session_open(w.bridge, &so, &s, &e));
    STATUS(AICC_OK, aicc_session_close(s, aicc_s(NULL)));
    STATUS(AICC_OK, aicc_toolset_destroy(merchants));
    CHECK(t_result(&w, "greet", "{}") && strstr(w.msg, "tool_unknown"));

    /* A capability, refused, granted, taken back. */
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_ACTUATOR;
    o.id = aicc_s("ring");
    o.description = aicc_s("Rings the bell.");
    o.requires_capability = aicc_s("alarm");
    o.fn = first;
    STATUS(AICC_OK, aicc_tool_register(w.bridge, &o, &t, &e));
    CHECK(t_result(&w, "ring", "{}") && strstr(w.msg, "tool_unavailable"));
    STATUS(AICC_OK, aicc_session_grant(w.session, aicc_s("alarm"), 1));
    CHECK(t_result(&w, "ring", "{}") && strstr(w.msg, "\"ok\":true"));
    STATUS(AICC_OK, aicc_session_grant(w.session, aicc_s("alarm"), 0));
    CHECK(t_result(&w, "ring", "{}") && strstr(w.msg, "tool_unavailable"));
    STATUS(AICC_E_ARG, aicc_session_grant(w.session, aicc_s(NULL), 1));
    STATUS(AICC_E_ARG, aicc_session_grant(w.session, aicc_s("\xff"), 1));
    STATUS(AICC_E_ARG, aicc_session_grant(w.session, aicc_s("alarm"), 7));

    /* Topics: what nobody hears is not even queued. */
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, NULL));
    STATUS(AICC_OK, aicc_event_json(ev, w.session, aicc_s("{}")));
    STATUS(AICC_OK, aicc_session_set_topics(w.session, AICC_TOPIC_TICK));
    STATUS(AICC_EMPTY, aicc_event_json(ev, w.session, aicc_s("{}")));
    { aicc_session all = {0}; STATUS(AICC_EMPTY, aicc_event_json(ev, all, aicc_s("{}"))); }
    STATUS(AICC_E_ARG, aicc_session_set_topics(w.session, 32));
    STATUS(AICC_OK, aicc_session_set_topics(w.session, AICC_TOPIC_ALL));
    STATUS(AICC_OK, aicc_event_json(ev, w.session, aicc_s("{}")));

    /* A call that takes longer than thought, and a reset that ends it. */
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_ACTUATOR;
    o.id = aicc_s("keep");
    o.description = aicc_s("Takes its time.");
    o.fn = keep;
    STATUS(AICC_OK, aicc_tool_register(w.bridge, &o, &t, &e));
    t_call(&w, "keep", "{}");
    t_pump(&w);
    STATUS(AICC_E_ARG, aicc_call_extend(kept, 0));
    STATUS(AICC_OK, aicc_call_extend(kept, 60000));
    STATUS(AICC_OK, aicc_call_extend(kept, -1));
    STATUS(AICC_OK, aicc_session_reset(w.session, aicc_s("loaded a save")));
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"ok\":false"));
    CHECK(t_message(&w, "\"session_init\"") && !strstr(w.msg, w.sid));
    STATUS(AICC_OK, aicc_bridge_pump(w.bridge, NULL, other, NULL));
    CHECK(ended_reason == AICC_ENDED_RESET);
    STATUS(AICC_GONE, aicc_call_extend(kept, 1000));
    t_copy_field(w.msg, "session_id", w.sid, sizeof w.sid);
    CHECK(t_result(&w, "ring", "{}") && strstr(w.msg, "tool_unavailable"));

    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    STATUS(AICC_E_HANDLE, aicc_toolset_destroy(guards));
    STATUS(AICC_E_HANDLE, aicc_session_reset(w.session, aicc_s(NULL)));
    T_END();
}
