/* status: every function with null, zero, stale, foreign and out-of-range arguments, and each status that the header promises. */
#include "t.h"

static const aicc_bridge no_bridge = {0};
static const aicc_session no_session = {0};
static const aicc_tool no_tool = {0};
static const aicc_call no_call = {0};
static const aicc_event no_event = {0};

static aicc_status pending(const aicc_request *r, void *user) { *(aicc_call *)user = r->call; return AICC_PENDING; }

static void expect_error(aicc_status got, aicc_status want, const aicc_error *e, const char *field, int line) {
    if (got != want || e->status != want || strcmp(e->field, field) != 0 || e->message[0] == 0) {
        fprintf(stderr, "status.c:%d: gave %s, field \"%s\", message \"%s\"; want %s, field \"%s\"\n", line, aicc_status_name(got), e->field,
            e->message, aicc_status_name(want), field);
        t_failed++;
    }
}
#define FIELD(want, name, call) expect_error((call), want, &e, name, __LINE__)

static void library(void) {
    aicc_process_options o;
    aicc_error e;
    aicc_log log;
    char buf[4];
    size_t len = 77;

    CHECK(strcmp(aicc_status_name(AICC_OK), "AICC_OK") == 0);
    CHECK(strcmp(aicc_status_name(AICC_E_INTERNAL), "AICC_E_INTERNAL") == 0);
    CHECK(strcmp(aicc_status_name(AICC_PENDING), "AICC_PENDING") == 0);
    CHECK(aicc_status_name(-12345) != NULL && aicc_status_name(12345) != NULL);
    CHECK(aicc_version()[0] != 0);
    aicc_process_options_init(NULL, sizeof o);
    memset(&o, 0x55, sizeof o);
    aicc_process_options_init(&o, 4);           /* writes no more than it was given */
    CHECK(o.max_threads == 0x55555555);
    aicc_process_options_init(&o, sizeof o);
    CHECK(o.struct_size == sizeof o && o.max_threads == 2 && o.log_level == AICC_INFO && o.log_stderr == 0 && o.memory_limit == 256 << 20);
    FIELD(AICC_E_ARG, "options", aicc_configure(NULL, &e));
    o.max_threads = 65;
    FIELD(AICC_E_ARG, "max_threads", aicc_configure(&o, &e));
    o.max_threads = 2;
    o.memory_limit = 1;
    FIELD(AICC_E_ARG, "memory_limit", aicc_configure(&o, &e));
    o.memory_limit = 256 << 20;
    o.log_level = 9;
    FIELD(AICC_E_ARG, "log_level", aicc_configure(&o, &e));
    o.log_level = AICC_DEBUG;
    o.struct_size = 0;
    FIELD(AICC_E_ARG, "struct_size", aicc_configure(&o, &e));
    o.struct_size = sizeof o;
    STATUS(AICC_OK, aicc_configure(&o, &e));
    CHECK(e.status == AICC_OK && e.message[0] == 0);
    STATUS(AICC_E_ARG, aicc_log_next(NULL, NULL, 16, &len));
    STATUS(AICC_E_ARG, aicc_log_next(NULL, buf, sizeof buf, NULL));
    log.struct_size = 0;
    STATUS(AICC_E_ARG, aicc_log_next(&log, buf, sizeof buf, &len));
}

static void bridges(void) {
    aicc_bridge_options o;
    aicc_bridge b = {0}, c = {0};
    aicc_error e;
    aicc_item item;
    aicc_frame frame = {0};
    aicc_session to;
    aicc_stats stats;
    size_t len;
    char buf[8], name[300];

    aicc_bridge_options_init(NULL, sizeof o);
    aicc_bridge_options_init(&o, sizeof o);
    CHECK(o.kind == AICC_WORLD_3D && o.tick_mode == AICC_TICK_HYBRID && o.tick_rate_hz == 10 && o.heartbeat_ms == 15000 && o.idle_ms == 45000);
    CHECK(o.resume_window_ms == 120000 && o.queue_bytes == 4 << 20 && o.outbox_bytes == 512 << 10 && o.clock == AICC_CLOCK_LIBRARY);
    b.id = 99;
    FIELD(AICC_E_ARG, "options", aicc_bridge_create(NULL, &b, &e));
    CHECK(b.id == 0);
    FIELD(AICC_E_ARG, "out", aicc_bridge_create(&o, NULL, &e));
    FIELD(AICC_E_NAME, "name", aicc_bridge_create(&o, &b, &e));
    o.name = aicc_s("bad \xff name");
    FIELD(AICC_E_NAME, "name", aicc_bridge_create(&o, &b, &e));
    memset(name, 'n', sizeof name);
    o.name = aicc_sn(name, 257);
    FIELD(AICC_E_NAME, "name", aicc_bridge_create(&o, &b, &e));
    STATUS(AICC_E_NAME, aicc_bridge_create(&o, &b, NULL));
    o.name = aicc_sn(name, 256);
    STATUS(AICC_OK, aicc_bridge_create(&o, &b, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    o.name = aicc_s("w");
#define RANGE(field, bad, good) do { o.field = bad; FIELD(AICC_E_ARG, #field, aicc_bridge_create(&o, &b, &e)); o.field = good; } while (0)
    RANGE(kind, 0, AICC_WORLD_2D);
    RANGE(kind, 5, AICC_WORLD_2D);
    RANGE(tick_mode, 4, AICC_TICK_FIXED);
    RANGE(tick_rate_hz, 0, 10);
    RANGE(tick_rate_hz, 1000.5, 1000);
    RANGE(tick_rate_hz, -1, 10);
    RANGE(tick_rate_hz, 0.0 / (o.tick_rate_hz - 10), 10);   /* NaN */
    RANGE(clock, 2, 0);
    RANGE(debug, 2, 0);
    RANGE(replace, -1, 0);
    RANGE(queue_bytes, 65535, 65536);
    RANGE(queue_bytes, (int64_t)1 << 31, 65536);
    RANGE(outbox_bytes, 4095, 4096);
    RANGE(outbox_bytes, (64 << 20) + 1, 64 << 20);
    RANGE(heartbeat_ms, 99, 100);
    RANGE(heartbeat_ms, 3600001, 3600000);
    RANGE(idle_ms, -1, 0);
    RANGE(resume_window_ms, -1, 0);
    RANGE(resume_window_ms, 86400001, 86400000);
    STATUS(AICC_OK, aicc_bridge_create(&o, &b, &e));
    CHECK(aicc_bridge_valid(b) == 1 && aicc_bridge_valid(no_bridge) == 0);

    /* A second one of the same name is fine; with replace the first one goes. */
    STATUS(AICC_OK, aicc_bridge_create(&o, &c, &e));
    o.replace = 1;
    STATUS(AICC_OK, aicc_bridge_destroy(c));
    STATUS(AICC_OK, aicc_bridge_create(&o, &c, &e));
    CHECK(!aicc_bridge_valid(b) && aicc_bridge_valid(c));
    b = c;

    STATUS(AICC_E_HANDLE, aicc_bridge_close(no_bridge));
    STATUS(AICC_E_HANDLE, aicc_bridge_destroy(no_bridge));
    STATUS(AICC_E_HANDLE, aicc_bridge_frame(no_bridge, NULL));
    STATUS(AICC_E_HANDLE, aicc_bridge_pump(no_bridge, NULL, NULL, NULL));
    STATUS(AICC_E_HANDLE, aicc_bridge_flush(no_bridge, 0));
    STATUS(AICC_E_HANDLE, aicc_bridge_next_message(no_bridge, &to, buf, sizeof buf, &len));
    item.struct_size = sizeof item;
    STATUS(AICC_E_HANDLE, aicc_bridge_next(no_bridge, &item));
    stats.struct_size = sizeof stats;
    STATUS(AICC_E_HANDLE, aicc_bridge_stats(no_bridge, &stats));

    STATUS(AICC_E_ARG, aicc_bridge_next(b, NULL));
    item.struct_size = 0;
    STATUS(AICC_E_ARG, aicc_bridge_next(b, &item));
    item.struct_size = sizeof item;
    STATUS(AICC_EMPTY, aicc_bridge_next(b, &item));
    STATUS(AICC_E_ARG, aicc_bridge_stats(b, NULL));
    stats.struct_size = 3;
    STATUS(AICC_E_ARG, aicc_bridge_stats(b, &stats));
    STATUS(AICC_E_ARG, aicc_bridge_frame(b, &frame));       /* struct_size 0 */
    frame.struct_size = sizeof frame;
    frame.flags = 2;
    STATUS(AICC_E_ARG, aicc_bridge_frame(b, &frame));
    frame.flags = 0;
    frame.max_items = -1;
    STATUS(AICC_E_ARG, aicc_bridge_pump(b, &frame, NULL, NULL));
    frame.max_items = 0;
    frame.budget_us = -1;
    STATUS(AICC_E_ARG, aicc_bridge_pump(b, &frame, NULL, NULL));
    STATUS(AICC_E_ARG, aicc_bridge_flush(b, -1));
    STATUS(AICC_E_ARG, aicc_bridge_flush(b, 60001));
    STATUS(AICC_E_ARG, aicc_bridge_next_message(b, NULL, buf, sizeof buf, &len));
    STATUS(AICC_E_ARG, aicc_bridge_next_message(b, &to, NULL, 4, &len));
    STATUS(AICC_E_ARG, aicc_bridge_next_message(b, &to, buf, sizeof buf, NULL));
    STATUS(AICC_EMPTY, aicc_bridge_next_message(b, &to, buf, sizeof buf, &len));

    STATUS(AICC_OK, aicc_bridge_close(b));
    STATUS(AICC_E_STATE, aicc_bridge_close(b));
    STATUS(AICC_OK, aicc_bridge_pump(b, NULL, NULL, NULL));
    STATUS(AICC_OK, aicc_bridge_flush(b, 20000));
    STATUS(AICC_OK, aicc_bridge_destroy(b));

    /* A frame's clock: needs a frame, and does not go back. */
    o.clock = AICC_CLOCK_FRAME;
    STATUS(AICC_OK, aicc_bridge_create(&o, &b, &e));
    STATUS(AICC_E_ARG, aicc_bridge_pump(b, NULL, NULL, NULL));
    memset(&frame, 0, sizeof frame);
    frame.struct_size = sizeof frame;
    frame.now_ns = 1000;
    STATUS(AICC_OK, aicc_bridge_pump(b, &frame, NULL, NULL));
    frame.now_ns = 999;
    STATUS(AICC_E_ARG, aicc_bridge_pump(b, &frame, NULL, NULL));
    STATUS(AICC_OK, aicc_shutdown(12345));
    CHECK(aicc_bridge_valid(b));
    STATUS(AICC_OK, aicc_shutdown(0));
    CHECK(!aicc_bridge_valid(b));
}

static void tools(void) {
    aicc_bridge b = t_bridge("tools"), other = t_bridge("other");
    aicc_tool_options o;
    aicc_tool t = {0};
    aicc_error e;
    char id[80];

    aicc_tool_options_init(NULL, sizeof o);
    aicc_tool_options_init(&o, sizeof o);
    CHECK(o.timeout_ms == 30000 && o.cls == 0 && o.strict_input == 0 && o.max_in_flight == 0);
    FIELD(AICC_E_ARG, "options", aicc_tool_register(b, NULL, &t, &e));
    FIELD(AICC_E_ARG, "out", aicc_tool_register(b, &o, NULL, &e));
    FIELD(AICC_E_ARG, "cls", aicc_tool_register(b, &o, &t, &e));
    o.cls = AICC_SENSOR;
    FIELD(AICC_E_NAME, "id", aicc_tool_register(b, &o, &t, &e));
    FIELD(AICC_E_NAME, "id", aicc_tool_register(b, &o, &t, &e));
    o.id = aicc_s("look");
    FIELD(AICC_E_NAME, "description", aicc_tool_register(b, &o, &t, &e));
    o.description = aicc_s("Looks around.");
    o.id = aicc_s("Look");
    FIELD(AICC_E_NAME, "id", aicc_tool_register(b, &o, &t, &e));
    memset(id, 'a', sizeof id);
    o.id = aicc_sn(id, 65);
    FIELD(AICC_E_NAME, "id", aicc_tool_register(b, &o, &t, &e));
    o.id = aicc_sn(id, 64);
    STATUS(AICC_OK, aicc_tool_register(b, &o, &t, &e));
    FIELD(AICC_E_NAME, "id", aicc_tool_register(b, &o, &t, &e));
    CHECK(t.id == 0);
    o.id = aicc_s("look");
#define TRANGE(field, bad, good) do { o.field = bad; FIELD(AICC_E_ARG, #field, aicc_tool_register(b, &o, &t, &e)); o.field = good; } while (0)
    TRANGE(cls, 4, AICC_SENSOR);
    TRANGE(calls_per_minute, -1, 0);
    TRANGE(calls_per_minute, 10001, 0);
    TRANGE(calls_per_session, -1, 0);
    TRANGE(max_in_flight, 17, 0);
    TRANGE(max_in_flight, -1, 0);
    TRANGE(strict_input, 2, 0);
    TRANGE(while_paused, 2, 0);
    TRANGE(no_repair, 2, 0);
    TRANGE(timeout_ms, 0, 30000);
    TRANGE(timeout_ms, -2, 30000);
    TRANGE(timeout_ms, 86400001, -1);
#define SCHEMA(want, text, where) do { o.input_schema = aicc_s(text); FIELD(want, "input_schema", aicc_tool_register(b, &o, &t, &e)); \
    if (strcmp(e.pointer, where) != 0) { fprintf(stderr, "%s: pointer %s, want %s\n", text, e.pointer, where); t_failed++; } } while (0)
    SCHEMA(AICC_E_JSON, "{\"type\":", "/type");
    SCHEMA(AICC_E_SCHEMA, "[]", "");
    SCHEMA(AICC_E_SCHEMA, "{\"type\":\"objekt\"}", "/type");
    SCHEMA(AICC_E_SCHEMA, "{\"type\":\"string\"}", "");
    SCHEMA(AICC_E_SCHEMA, "{\"properties\":{\"a/b\":{\"minimum\":\"3\"}}}", "/properties/a~1b/minimum");
    SCHEMA(AICC_E_SCHEMA, "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/nowhere\"}}}", "/properties/a/$ref");
    o.input_schema = aicc_s(NULL);
    o.output_schema = aicc_s("{\"type\":7}");
    FIELD(AICC_E_SCHEMA, "output_schema", aicc_tool_register(b, &o, &t, &e));
    CHECK(strcmp(e.pointer, "/type") == 0);
    o.output_schema = aicc_s(NULL);
    FIELD(AICC_E_HANDLE, "bridge", aicc_tool_register(no_bridge, &o, &t, &e));
    STATUS(AICC_OK, aicc_tool_register(b, &o, &t, &e));
    STATUS(AICC_E_HANDLE, aicc_tool_unregister(no_tool));
    STATUS(AICC_OK, aicc_tool_unregister(t));
    STATUS(AICC_E_HANDLE, aicc_tool_unregister(t));
    STATUS(AICC_OK, aicc_bridge_close(b));
    FIELD(AICC_E_STATE, "bridge", aicc_tool_register(b, &o, &t, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    FIELD(AICC_E_HANDLE, "bridge", aicc_tool_register(b, &o, &t, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(other));
}

static void sessions(void) {
    aicc_bridge b = t_bridge("sessions");
    aicc_tool t = t_tool(b, "x", NULL, NULL, NULL);
    aicc_session_options o;
    aicc_session s = {0}, again = {0}, forged;
    aicc_error e;
    aicc_str caps[65];
    char big[(1 << 20) + 2], small[16], name[129];
    aicc_session to;
    size_t len = 0, i;

    aicc_session_options_init(NULL, sizeof o);
    aicc_session_options_init(&o, sizeof o);
    CHECK(o.model_class == AICC_CLOUD_MEDIUM && o.topics == AICC_TOPIC_ALL);
    FIELD(AICC_E_ARG, "options", aicc_session_open(b, NULL, &s, &e));
    FIELD(AICC_E_ARG, "out", aicc_session_open(b, &o, NULL, &e));
    FIELD(AICC_E_HANDLE, "bridge", aicc_session_open(no_bridge, &o, &s, &e));
#define SRANGE(field, bad, good) do { o.field = bad; FIELD(AICC_E_ARG, #field, aicc_session_open(b, &o, &s, &e)); o.field = good; } while (0)
    SRANGE(model_class, 0, AICC_EDGE_SMALL);
    SRANGE(model_class, 5, AICC_CLOUD_LARGE);
    SRANGE(topics, 32, 31);
    SRANGE(topics, -1, 31);
    SRANGE(expected_first_token_ms, -1, 0);
    SRANGE(expected_full_response_ms, -1, 0);
    SRANGE(struct_size, 2, sizeof o);
    for (i = 0; i < 65; i++) caps[i] = aicc_s("c");
    o.capabilities = caps;
    SRANGE(capabilities_count, 65, 0);
    o.capabilities = NULL;
    o.capabilities_count = 1;
    FIELD(AICC_E_ARG, "capabilities", aicc_session_open(b, &o, &s, &e));
    o.capabilities_count = 0;
    memset(name, 'n', sizeof name);
    o.name = aicc_sn(name, 129);
    FIELD(AICC_E_NAME, "name", aicc_session_open(b, &o, &s, &e));
    o.name = aicc_s("\xc3");
    FIELD(AICC_E_NAME, "name", aicc_session_open(b, &o, &s, &e));
    o.name = aicc_sn(name, 128);
    STATUS(AICC_OK, aicc_session_open(b, &o, &s, &e));
    FIELD(AICC_E_NAME, "name", aicc_session_open(b, &o, &again, &e));
    CHECK(again.id == 0);
    o.name = aicc_s(NULL);
    STATUS(AICC_OK, aicc_session_open(b, &o, &again, &e));   /* nameless ones may be many */
    STATUS(AICC_OK, aicc_session_close(again, aicc_s(NULL)));
    STATUS(AICC_OK, aicc_session_open(b, &o, &again, &e));

    STATUS(AICC_E_HANDLE, aicc_session_close(no_session, aicc_s(NULL)));
    STATUS(AICC_E_HANDLE, aicc_session_set_paused(no_session, 1));
    STATUS(AICC_E_HANDLE, aicc_session_attach(no_session));
    STATUS(AICC_E_HANDLE, aicc_session_detach(no_session));
    STATUS(AICC_E_HANDLE, aicc_session_receive(no_session, aicc_s("x")));
    forged.id = t.id;                                         /* a handle of another kind */
    STATUS(AICC_E_HANDLE, aicc_session_close(forged, aicc_s(NULL)));
    forged.id = s.id ^ ((uint64_t)1 << 40);
    STATUS(AICC_E_HANDLE, aicc_session_attach(forged));
    forged.id = ~(uint64_t)0;
    STATUS(AICC_E_HANDLE, aicc_session_attach(forged));
    CHECK(aicc_session_has_agent(forged) == 0 && aicc_session_has_agent(no_session) == 0);
    STATUS(AICC_E_ARG, aicc_session_set_paused(s, 2));
    STATUS(AICC_OK, aicc_session_set_paused(s, 1));
    STATUS(AICC_OK, aicc_session_set_paused(s, 1));
    STATUS(AICC_OK, aicc_session_set_paused(s, 0));
    STATUS(AICC_E_STATE, aicc_session_detach(s));
    STATUS(AICC_E_STATE, aicc_session_receive(s, aicc_s("x")));
    STATUS(AICC_OK, aicc_session_attach(s));
    STATUS(AICC_E_STATE, aicc_session_attach(s));
    memset(big, ' ', sizeof big);
    STATUS(AICC_E_RANGE, aicc_session_receive(s, aicc_sn(big, sizeof big)));
    STATUS(AICC_E_ARG, aicc_session_receive(s, aicc_sn(NULL, 5)));
    STATUS(AICC_OK, aicc_bridge_flush(b, 20000));
    STATUS(AICC_E_SMALL, aicc_bridge_next_message(b, &to, small, sizeof small, &len));
    CHECK(len > sizeof small);
    i = len;
    STATUS(AICC_E_SMALL, aicc_bridge_next_message(b, &to, small, 0, &len));
    CHECK(len == i);
    STATUS(AICC_E_SMALL, aicc_bridge_next_message(b, &to, big, i, &len));       /* no place for the NUL */
    STATUS(AICC_OK, aicc_bridge_next_message(b, &to, big, i + 1, &len));
    CHECK(len == i && big[len] == 0 && to.id == s.id && strlen(big) == len);
    STATUS(AICC_OK, aicc_session_receive(s, aicc_sn(big, sizeof big - 1)));      /* 1 MiB + 1: told to the agent */
    STATUS(AICC_OK, aicc_bridge_flush(b, 20000));
    STATUS(AICC_OK, aicc_bridge_next_message(b, &to, big, sizeof big, &len));
    CHECK(strstr(big, "\"invalid_input\"") != NULL);

    STATUS(AICC_OK, aicc_bridge_close(b));
    FIELD(AICC_E_STATE, "bridge", aicc_session_open(b, &o, &s, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    STATUS(AICC_E_HANDLE, aicc_session_attach(s));
    STATUS(AICC_E_HANDLE, aicc_tool_unregister(t));
}

static void calls_and_events(void) {
    t_world w = {0};
    aicc_call call = {0}, forged, queued = {0};
    aicc_event_options o;
    aicc_event ev = {0};
    aicc_error e;
    aicc_item item;
    char *big = malloc((256 << 10) + 3);
    size_t i;

    t_open(&w, "calls");
    t_tool(w.bridge, "wait", NULL, pending, &call);
    t_tool(w.bridge, "drain", NULL, NULL, NULL);
    t_call(&w, "wait", "{}");
    t_pump(&w);
    MUST(call.id != 0);
    STATUS(AICC_E_HANDLE, aicc_call_succeed(no_call, aicc_s(NULL)));
    STATUS(AICC_E_HANDLE, aicc_call_fail(no_call, AICC_CODE_TIMEOUT, aicc_s(NULL), 0));
    STATUS(AICC_E_HANDLE, aicc_call_set_user_data(no_call, NULL));
    CHECK(aicc_call_alive(no_call) == 0 && aicc_call_alive(call) == 1);
    forged.id = w.session.id;
    STATUS(AICC_E_HANDLE, aicc_call_succeed(forged, aicc_s(NULL)));
    forged.id = call.id + ((uint64_t)1 << 32);                   /* a generation that was never given out */
    STATUS(AICC_E_HANDLE, aicc_call_succeed(forged, aicc_s(NULL)));
    STATUS(AICC_E_ARG, aicc_call_fail(call, 0, aicc_s(NULL), 0));
    STATUS(AICC_E_ARG, aicc_call_fail(call, 6, aicc_s(NULL), 0));
    STATUS(AICC_E_ARG, aicc_call_fail(call, AICC_CODE_TIMEOUT, aicc_s(NULL), 2));
    STATUS(AICC_E_ARG, aicc_call_succeed(call, aicc_sn(NULL, 3)));
    memset(big, ' ', (256 << 10) + 3);
    memcpy(big, "{}", 2);
    STATUS(AICC_E_RANGE, aicc_call_succeed(call, aicc_sn(big, (256 << 10) + 1)));
    CHECK(aicc_call_alive(call) == 1);
    STATUS(AICC_OK, aicc_call_succeed(call, aicc_sn(big, 256 << 10)));
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"output\":{}"));

    /* Delivered through aicc_bridge_next: queued until then. */
    t_call(&w, "drain", "{}");
    item.struct_size = sizeof item;
    do { STATUS(AICC_OK, aicc_bridge_next(w.bridge, &item)); } while (item.kind != AICC_ITEM_CALL);
    CHECK(item.request && item.request->call.id == item.call.id && item.session.id == w.session.id && item.request->struct_size == sizeof *item.request);
    queued = item.call;
    STATUS(AICC_OK, aicc_call_fail(queued, AICC_CODE_TOOL_UNAVAILABLE, aicc_s("busy"), 1));
    STATUS(AICC_GONE, aicc_call_fail(queued, AICC_CODE_TOOL_UNAVAILABLE, aicc_s("busy"), 1));
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"tool_unavailable\""));
    t_call(&w, "drain", "{}");
    t_pump(&w);                                                   /* no function, no `other`: nobody can answer it */
    CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"internal_error\""));

    aicc_event_options_init(NULL, sizeof o);
    aicc_event_options_init(&o, sizeof o);
    FIELD(AICC_E_ARG, "options", aicc_event_define(w.bridge, NULL, &ev, &e));
    FIELD(AICC_E_ARG, "out", aicc_event_define(w.bridge, &o, NULL, &e));
    FIELD(AICC_E_ARG, "topic", aicc_event_define(w.bridge, &o, &ev, &e));
    o.topic = AICC_TOPIC_TICK | AICC_TOPIC_AUDIO;
    FIELD(AICC_E_ARG, "topic", aicc_event_define(w.bridge, &o, &ev, &e));
    o.topic = AICC_TOPIC_AUDIO;
    o.delivery = 3;
    FIELD(AICC_E_ARG, "delivery", aicc_event_define(w.bridge, &o, &ev, &e));
    o.delivery = 0;
    o.kind = aicc_sn(big, 65);
    FIELD(AICC_E_NAME, "kind", aicc_event_define(w.bridge, &o, &ev, &e));
    o.kind = aicc_s("\xff");
    FIELD(AICC_E_NAME, "kind", aicc_event_define(w.bridge, &o, &ev, &e));
    o.kind = aicc_s("knock \"twice\"");
    FIELD(AICC_E_HANDLE, "bridge", aicc_event_define(no_bridge, &o, &ev, &e));
    for (i = 0; i < 256; i++) STATUS(AICC_OK, aicc_event_define(w.bridge, &o, &ev, &e));
    { aicc_event one_more; FIELD(AICC_E_FULL, "", aicc_event_define(w.bridge, &o, &one_more, &e)); }
    STATUS(AICC_E_HANDLE, aicc_event_json(no_event, w.session, aicc_s("{}")));
    forged.id = w.session.id;
    { aicc_session stale = {w.session.id + ((uint64_t)5 << 32)}; STATUS(AICC_E_HANDLE, aicc_event_json(ev, stale, aicc_s("{}"))); }
    STATUS(AICC_E_ARG, aicc_event_json(ev, w.session, aicc_s(NULL)));
    STATUS(AICC_E_RANGE, aicc_event_json(ev, w.session, aicc_sn(big, (64 << 10) + 1)));
    STATUS(AICC_OK, aicc_event_json(ev, w.session, aicc_sn(big, 64 << 10)));
    CHECK(t_message(&w, "\"audio\"") && strstr(w.msg, "\"payload\":{\"kind\":\"knock \\\"twice\\\"\"}"));
    STATUS(AICC_OK, aicc_event_json(ev, no_session, aicc_s("{\"n\":1}")));
    CHECK(t_message(&w, "\"n\":1"));
    STATUS(AICC_OK, aicc_event_json(ev, w.session, aicc_s("{\"n\":")));
    CHECK(!t_message(&w, "\"event\""));
    STATUS(AICC_E_HANDLE, aicc_event_reply_json(ev, no_call, aicc_s("{}")));
    STATUS(AICC_GONE, aicc_event_reply_json(ev, call, aicc_s("{}")));
    STATUS(AICC_OK, aicc_session_detach(w.session));
    STATUS(AICC_EMPTY, aicc_event_json(ev, w.session, aicc_s("{}")));
    STATUS(AICC_EMPTY, aicc_event_json(ev, no_session, aicc_s("{}")));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    STATUS(AICC_E_HANDLE, aicc_event_json(ev, no_session, aicc_s("{}")));
    STATUS(AICC_E_HANDLE, aicc_call_succeed(call, aicc_s(NULL)));
    free(big);
}

/* Bounds at their edges: what is full says so and goes on when there is room. */
static void bounds(void) {
    t_world w = {0};
    aicc_bridge_options o;
    aicc_event_options eo;
    aicc_event ev;
    char payload[60000];
    int i, taken = 0;
    aicc_status s = AICC_OK;

    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("bounds");
    o.clock = AICC_CLOCK_FRAME;
    o.queue_bytes = 64 << 10;
    MUST(aicc_bridge_create(&o, &w.bridge, NULL) == AICC_OK);
    w.session = t_session(w.bridge, "guard");
    STATUS(AICC_OK, aicc_session_attach(w.session));
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_COLLISION;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, NULL));
    memset(payload, ' ', sizeof payload);
    memcpy(payload, "{}", 2);
    for (i = 0; i < 1000 && s == AICC_OK; i++) {
        s = aicc_event_json(ev, w.session, aicc_sn(payload, sizeof payload));
        taken += s == AICC_OK;
        if (s == AICC_E_FULL) break;
    }
    /* The core may have worked in between; what matters is that a full queue says so or the core kept up, and that nothing blocks. */
    CHECK(s == AICC_OK || s == AICC_E_FULL);
    CHECK(taken >= 1);
    STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 20000));
    STATUS(AICC_OK, aicc_event_json(ev, w.session, aicc_sn(payload, sizeof payload)));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
}

int main(void) {
    library();
    bridges();
    tools();
    sessions();
    calls_and_events();
    bounds();
    T_END();
}
