/* host.c: a host publishes its guard; a second bridge takes the documents in and is played through the imported tools. With an argument the text of
 * aicc_bridge_capabilities is written there, with a second one the event. */
#include "../../host/c/t.h"

static char text[1 << 20], again[1 << 20], event[1 << 18];
static size_t len, again_len, event_len;

static aicc_status AICC_CALL answer(const aicc_request *request, void *user_data)
{
    return aicc_call_succeed(request->call, aicc_s((const char *)user_data));
}
static aicc_status AICC_CALL later(const aicc_request *request, void *user_data)
{
    *(aicc_call *)user_data = request->call;
    return AICC_PENDING;
}

static void save(const char *path, const char *bytes, size_t n)
{
    FILE *f = path != NULL ? fopen(path, "wb") : NULL;
    if (f == NULL)
        return;
    CHECK(fwrite(bytes, 1, n, f) == n);
    fclose(f);
}

static void tool(aicc_bridge b, int32_t cls, const char *id, const char *input, const char *output, aicc_tool_fn fn, void *user, int64_t in, int64_t out,
                 int64_t at_once)
{
    aicc_tool_options o;
    aicc_tool handle;
    aicc_error e;
    aicc_tool_options_init(&o, sizeof o);
    o.cls = cls;
    o.id = aicc_s(id);
    o.description = aicc_s("A tool of the guard.");
    o.input_schema = aicc_s(input);
    o.output_schema = aicc_s(output);
    o.fn = fn;
    o.user_data = user;
    o.max_input_bytes = in;
    o.max_output_bytes = out;
    o.max_concurrent = at_once;
    if (aicc_tool_register(b, &o, &handle, &e) != AICC_OK) { fprintf(stderr, "%s: %s %s\n", id, e.field, e.message); exit(1); }
}

static void guard(aicc_bridge b, aicc_call *walk)
{
    tool(b, AICC_SENSOR, "look", NULL, "{\"type\":\"object\",\"required\":[\"light\"],\"properties\":{\"light\":{\"type\":\"integer\"}}}", answer,
         "{\"light\":8}", 0, 64, 0);
    tool(b, AICC_ACTUATOR, "walk_to", "{\"type\":\"object\",\"required\":[\"place\"],\"properties\":{\"place\":{\"enum\":[\"gate\",\"store\"]}}}", NULL,
         later, walk, 0, 0, 1);
    tool(b, AICC_GENERATOR, "say", "{\"type\":\"object\",\"required\":[\"text\"],\"properties\":{\"text\":{\"type\":\"string\"}}}", NULL, answer, "{}", 40, 0, 0);
}

/* Every document of the text, as a tool with this function. */
static int take_in(aicc_bridge b, const char *documents, aicc_tool_fn fn, void *user)
{
    aicc_import_options o;
    aicc_tool_options t;
    aicc_tool handle;
    aicc_error e;
    aicc_import_options_init(&o, sizeof o);
    aicc_tool_options_init(&t, sizeof t);
    t.fn = fn;
    t.user_data = user;
    o.tool = &t;
    for (;; o.index++) {
        aicc_status status = aicc_tool_register_capability(b, aicc_s(documents), &o, &handle, &e);
        if (status == AICC_EMPTY) { CHECK(handle.id == 0); return o.index; }
        if (status != AICC_OK) { fprintf(stderr, "import: %s %s %s\n", e.field, e.pointer, e.message); exit(1); }
    }
}

static int in_log(const char *needle)
{
    char line[2048];
    size_t n;
    int found = 0;
    while (aicc_log_next(NULL, line, sizeof line, &n) == AICC_OK)
        found |= strstr(line, needle) != NULL;
    return found;
}

static t_world mine, theirs;

static void play(void)
{
    aicc_call walking = {0};
    t_world other;
    memset(&other, 0, sizeof other);
    theirs.bridge = t_bridge("Elsewhere");
    CHECK(take_in(theirs.bridge, text, later, &walking) == 3);
    theirs.session = t_session(theirs.bridge, "guard");
    STATUS(AICC_OK, aicc_session_attach(theirs.session));
    MUST(t_message(&theirs, "\"session_init\""));
    t_copy_field(theirs.msg, "session_id", theirs.sid, sizeof theirs.sid);
    CHECK(strstr(theirs.msg, "\"id\":\"walk_to\"") && strstr(theirs.msg, "\"id\":\"say\""));

    t_call(&theirs, "say", "{\"text\":\"Who goes there?\"}");      /* good: 27 bytes */
    t_pump(&theirs);
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s("{\"heard_by\":[]}")));
    MUST(t_message(&theirs, "\"tool_result\""));
    CHECK(strstr(theirs.msg, "\"call_id\":\"c1\",\"ok\":true,\"output\":{\"heard_by\":[]}"));

    t_call(&theirs, "say", "{\"text\":     \"Who goes there, so late?\"}");   /* 40 bytes with its spaces: good */
    t_pump(&theirs);
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s(NULL)));
    MUST(t_message(&theirs, "\"tool_result\""));
    CHECK(strstr(theirs.msg, "\"ok\":true"));
    t_call(&theirs, "say", "{\"text\":      \"Who goes there, so late?\"}");
    MUST(t_message(&theirs, "\"tool_result\""));
    CHECK(strstr(theirs.msg, "\"ok\":false,\"error\":{\"code\":\"invalid_input\",\"message\":\"the input has 41 bytes, and tool \\\"say\\\" takes at most 40: "
                             "send less\",\"retryable\":false}"));

    t_call(&theirs, "walk_to", "{\"place\":\"gate\"}");
    t_pump(&theirs);
    other = theirs;                                                 /* a second character: the bound is the bridge's */
    other.session = t_session(theirs.bridge, "second");
    STATUS(AICC_OK, aicc_session_attach(other.session));
    MUST(t_message(&other, "\"session_init\""));
    t_copy_field(other.msg, "session_id", other.sid, sizeof other.sid);
    t_call(&other, "walk_to", "{\"place\":\"store\"}");
    MUST(t_message(&other, "\"tool_result\""));
    CHECK(strstr(other.msg, "\"error\":{\"code\":\"tool_unavailable\",\"message\":\"tool \\\"walk_to\\\" takes 1 call at a time from all characters "
                            "together: call it again after retry_after_ms\",\"retryable\":true}"));
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s(NULL)));
    t_call(&other, "walk_to", "{\"place\":\"store\"}");
    t_pump(&other);
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s(NULL)));
    MUST(t_message(&other, "\"tool_result\""));
    CHECK(strstr(other.msg, "\"ok\":true"));

    (void)in_log("");
    t_call(&theirs, "look", "{}");
    t_pump(&theirs);
    STATUS(AICC_OK, aicc_call_succeed(walking, aicc_s("{\"light\":8,\"sees\":\"a thief with a sack, and what a large sack it is\"}")));
    MUST(t_message(&theirs, "\"tool_result\""));
    CHECK(strstr(theirs.msg, "\"code\":\"internal_error\""));
    CHECK(in_log("tool \"look\": its output has 69 bytes, and its max_output_bytes is 64"));

    /* What was taken in goes out as it came. */
    STATUS(AICC_OK, aicc_bridge_capabilities(theirs.bridge, NULL, again, sizeof again, &again_len, NULL));
    CHECK(again_len == len && strcmp(text, again) == 0);
    STATUS(AICC_OK, aicc_bridge_destroy(theirs.bridge));
}

/* The host's own tools, with what they measured. */
static void measured(void)
{
    CHECK(strstr(text, "p50_latency_ms") == NULL);
    for (int i = 0; i < 100; i++)
        MUST(t_result(&mine, "look", "{}"));
    STATUS(AICC_OK, aicc_bridge_capabilities(mine.bridge, NULL, again, sizeof again, &again_len, NULL));
    CHECK(strstr(again, "\"constraints\":{\"max_output_bytes\":64,\"p50_latency_ms\":") != NULL);
    CHECK(strstr(again, "p95_latency_ms") != NULL && strstr(strstr(again, "p50_latency_ms") + 1, "p50_latency_ms") == NULL);
}

static void small_buffers(void)
{
    char tiny[16];
    size_t n = 0;
    aicc_error e;
    for (size_t cap = 0; cap <= sizeof tiny; cap += 8) {
        STATUS(AICC_E_SMALL, aicc_bridge_capabilities(mine.bridge, NULL, cap != 0 ? tiny : NULL, cap, &n, &e));
        CHECK(n == len && e.status == AICC_E_SMALL && strcmp(e.field, "buf") == 0);
    }
    STATUS(AICC_E_SMALL, aicc_bridge_capabilities(mine.bridge, NULL, again, len, &n, NULL));
    STATUS(AICC_OK, aicc_bridge_capabilities(mine.bridge, NULL, again, len + 1, &n, NULL));
    CHECK(n == len && strcmp(again, text) == 0);
    STATUS(AICC_E_ARG, aicc_bridge_capabilities(mine.bridge, NULL, NULL, 5, &n, &e));
    CHECK(n == 0 && strcmp(e.field, "buf") == 0);
}

static void bad_publishing(void)
{
    static const unsigned char seed[32] = {1};
    aicc_capability_options o;
    aicc_error e;
    size_t n;
    aicc_bridge gone = t_bridge("gone"), closed = t_bridge("closed");
    aicc_session foreign = t_session(closed, "x"), shut = t_session(mine.bridge, "shut");
    aicc_str three[11] = {{"cap", 3}, {"x", 1}, {"cap", 3}}, bad = aicc_s("Night");
    STATUS(AICC_OK, aicc_bridge_destroy(gone));
    STATUS(AICC_E_HANDLE, aicc_bridge_capabilities(gone, NULL, again, sizeof again, &n, &e));
    STATUS(AICC_E_HANDLE, aicc_capability_event(gone, seed, NULL, again, sizeof again, &n, &e));
    STATUS(AICC_E_ARG, aicc_capability_event(mine.bridge, NULL, NULL, again, sizeof again, &n, &e));
    CHECK(strcmp(e.field, "seed") == 0);
    aicc_capability_options_init(&o, sizeof o);
    o.struct_size = 4;
    STATUS(AICC_E_ARG, aicc_bridge_capabilities(mine.bridge, &o, again, sizeof again, &n, &e));
    CHECK(strcmp(e.field, "struct_size") == 0);
#define REFUSED(status, name, set, says) do { aicc_capability_options_init(&o, sizeof o); set; \
    STATUS(status, aicc_capability_event(mine.bridge, seed, &o, again, sizeof again, &n, &e)); \
    CHECK(n == 0); if (strcmp(e.field, name) || strcmp(e.message, says)) { fprintf(stderr, "%s: %s: %s\n", name, e.field, e.message); t_failed++; } } while (0)
    REFUSED(AICC_E_HANDLE, "session", o.session = foreign, "the session is stale or of another bridge");
    STATUS(AICC_OK, aicc_session_close(shut, aicc_s(NULL)));
    REFUSED(AICC_E_HANDLE, "session", o.session = shut, "the session is stale or of another bridge");
    REFUSED(AICC_E_ARG, "prefix", o.prefix = aicc_s("guard"), "wanted a name that begins with meta, translate, vision, verify, compute, text, audio, data, "
            "payment, observe, summarize, code, research, coordinate, or with x and a level below it; got \"guard.a\"");
    REFUSED(AICC_E_ARG, "version", o.version = aicc_s("1.01"), "wanted two numbers without leading zeros, MAJOR.MINOR; got \"1.01\"");
    REFUSED(AICC_E_ARG, "prefix", o.prefix = aicc_sn(NULL, 4), "NULL with a length; give the text, or length 0");
    REFUSED(AICC_E_ARG, "prefix", o.prefix = aicc_sn("\xff", 1), "it is not UTF-8");
    REFUSED(AICC_E_ARG, "version", o.version = aicc_sn(text, 33), "it is too long; use at most 32 bytes");
    REFUSED(AICC_E_ARG, "tags", (o.tags = &bad, o.tags_count = 1), "wanted a string that matches ^[a-z0-9-]+$; got \"Night\"");
    REFUSED(AICC_E_ARG, "tags", (o.tags = three, o.tags_count = 11), "11 are too many; give at most 10");
    REFUSED(AICC_E_ARG, "tags", o.tags_count = 1, "NULL with a count; give the texts, or count 0");
    REFUSED(AICC_E_ARG, "event_tags", (o.event_tags = three, o.event_tags_count = 3), "a name has no value; give name, value, name, value");
    REFUSED(AICC_E_ARG, "created_at", o.created_at = -2, "-2 is out of range: -1 to 9007199254740991");
    STATUS(AICC_OK, aicc_bridge_close(closed));
    STATUS(AICC_E_STATE, aicc_bridge_capabilities(closed, NULL, again, sizeof again, &n, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(closed));
}

/* A tool that cannot be a document is left out and named; one that is cut is named. */
static void left_out(void)
{
    static char long_text[3000];
    aicc_capability_options o;
    aicc_tool_options t;
    aicc_tool handle;
    aicc_bridge b = t_bridge("Left Out!");
    aicc_session s = t_session(b, "one");
    aicc_toolset set;
    aicc_str tag = aicc_s("night-watch");
    aicc_error e;
    size_t n;
    (void)in_log("");
    memset(long_text, 'x', sizeof long_text - 1);
    t_tool(b, "good", NULL, NULL, NULL);
    t_tool(b, "dynamic", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"contains\":{},\"minContains\":2}}}", NULL, NULL);
    t_tool(b, "off", NULL, NULL, NULL);
    STATUS(AICC_PARTIAL, aicc_bridge_capabilities(b, NULL, again, sizeof again, &n, &e));
    CHECK(e.status == AICC_OK);
    CHECK(strstr(again, "[{\"name\":\"x.aicc.left_out.good\",\"version\":\"1.0\"") == again && strstr(again, "dynamic") == NULL);
    CHECK(in_log("capabilities: left out: tool \"dynamic\": schema at /input_schema/properties/a/minContains: "));
    STATUS(AICC_OK, aicc_toolset_create(b, aicc_s("more"), &set, NULL));
    aicc_tool_options_init(&t, sizeof t);
    t.cls = AICC_SENSOR;
    t.id = aicc_s("wide");
    t.description = aicc_s(long_text);
    t.set = set;
    STATUS(AICC_OK, aicc_tool_register(b, &t, &handle, NULL));
    STATUS(AICC_PARTIAL, aicc_bridge_capabilities(b, NULL, again, sizeof again, &n, NULL));
    CHECK(strstr(again, "x.aicc.left_out.wide") != NULL);
    CHECK(in_log("capabilities: loss: wide/description: of 2999 code points 2048 stay"));
    aicc_capability_options_init(&o, sizeof o);
    o.session = s;                                                  /* it does not hold the set */
    o.prefix = aicc_s("x.watch");
    o.version = aicc_s("2.1");
    o.tags = &tag;
    o.tags_count = 1;
    STATUS(AICC_PARTIAL, aicc_bridge_capabilities(b, &o, again, sizeof again, &n, NULL));
    CHECK(strstr(again, "[{\"name\":\"x.watch.good\",\"version\":\"2.1\"") == again && strstr(again, "wide") == NULL);
    CHECK(strstr(again, "\"tags\":[\"aicc\",\"actuator\",\"night-watch\"]") != NULL);
    STATUS(AICC_OK, aicc_bridge_destroy(b));
}

static void signing(void)
{
    static unsigned char seed[32];
    aicc_capability_options o;
    aicc_str tags[2] = {{"cap", 3}, {"x.aicc", 6}};
    aicc_error e;
    size_t n;
    for (int i = 0; i < 32; i++)
        seed[i] = (unsigned char)(7 * i + 1);
    aicc_capability_options_init(&o, sizeof o);
    o.created_at = 1800000000;
    STATUS(AICC_E_SMALL, aicc_capability_event(mine.bridge, seed, &o, event, 8, &event_len, &e));
    STATUS(AICC_OK, aicc_capability_event(mine.bridge, seed, &o, event, sizeof event, &event_len, &e));
    STATUS(AICC_OK, aicc_capability_validate(aicc_sn(event, event_len), 0, &e));
    o.event_tags = tags;
    o.event_tags_count = 2;
    STATUS(AICC_OK, aicc_capability_event(mine.bridge, seed, &o, again, sizeof again, &n, &e));
    CHECK(strstr(again, "\"tags\":[[\"cap\",\"x.aicc\"]]") != NULL);
    o.created_at = -1;
    STATUS(AICC_OK, aicc_capability_event(mine.bridge, seed, &o, again, sizeof again, &n, &e));
    CHECK(strstr(again, "\"created_at\":1800000000,") == NULL);
    for (int i = 0; i < 40; i++) {
        char id[16];
        snprintf(id, sizeof id, "t%d", i);
        t_tool(mine.bridge, id, NULL, NULL, NULL);
    }
    STATUS(AICC_E_RANGE, aicc_capability_event(mine.bridge, seed, NULL, again, sizeof again, &n, &e));
    CHECK(strcmp(e.pointer, "/tags") == 0);
    CHECK(strcmp(e.message, "event tags: 43 names would be a tag each, an event has at most 32: publish fewer, or give the tags to be found by") == 0);
}

int main(int argc, char **argv)
{
    aicc_call walk = {0};
    t_open(&mine, "Night Watch");
    guard(mine.bridge, &walk);
    STATUS(AICC_OK, aicc_bridge_capabilities(mine.bridge, NULL, text, sizeof text, &len, NULL));
    CHECK(strlen(text) == len && text[0] == '[' && strstr(text, "\"x.aicc.night_watch.walk_to\"") != NULL);
    STATUS(AICC_OK, aicc_capability_validate(aicc_sn(text, len), 0, NULL));
    play();
    small_buffers();
    bad_publishing();
    left_out();
    measured();
    signing();
    save(argc > 1 ? argv[1] : NULL, text, len);
    save(argc > 2 ? argv[2] : NULL, event, event_len);
    STATUS(AICC_OK, aicc_bridge_destroy(mine.bridge));
    T_END();
}
