/* bad.c: texts that are no capabilities, each with the error that it gives, when validated and when imported. Further texts come as files:
 * each is validated, and what comes of it is printed. */
#include "../../host/c/t.h"

static const struct {
    const char *text;
    int32_t     lenient;
    aicc_status status;
    const char *pointer, *message;
} bad[] = {
    {"{\"name\":", 0, AICC_E_JSON, "/name", "byte 8 (/name): a value was wanted, the end of the text came"},
    {"{\"name\":\"meta.a\",\"name\":\"meta.b\",\"version\":\"1.0\"}", 1, AICC_E_JSON, "/name", "byte 17 (/name): duplicate member"},
    {"1", 0, AICC_E_SCHEMA, "", "wanted a document, an array of documents, an object with capabilities, or an event; got 1"},
    {"{\"capabilities\":1}", 0, AICC_E_SCHEMA, "/capabilities", "wanted a document, an array of documents, an object with capabilities, or an event; got 1"},
    {"{\"version\":\"1.0\"}", 0, AICC_E_SCHEMA, "/name", "wanted a string that matches ^[a-z0-9_]+(\\.[a-z0-9_]+){0,5}$, required; got nothing"},
    {"{\"name\":\"A\",\"version\":\"1\"}", 0, AICC_E_SCHEMA, "/name", "wanted a string that matches ^[a-z0-9_]+(\\.[a-z0-9_]+){0,5}$; got \"A\" (and 1 more)"},
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"pricing\":{\"currency\":\"EURO\",\"model\":\"per_request\"}}", 1, AICC_E_SCHEMA, "/pricing/amount",
     "wanted a number (at least 0), required; got nothing"},
    {"{\"name\":\"a.b\",\"version\":\"1.0\"}", 0, AICC_E_SCHEMA, "/name", "wanted a name that begins with meta, translate, vision, verify, compute, text, "
     "audio, data, payment, observe, summarize, code, research, coordinate, or with x and a level below it; got \"a.b\""},
    {"[{\"name\":\"meta.a\",\"version\":\"1.0\"},{\"name\":\"meta.b\",\"version\":\"01.0\"}]", 0, AICC_E_SCHEMA, "/1/version",
     "wanted two numbers without leading zeros, MAJOR.MINOR; got \"01.0\""},
    {"{\"content\":\"{}\"}", 0, AICC_E_SCHEMA, "/id", "event id: it is missing"},
    {"{\"name\":\"a.b\",\"version\":\"1.0\",\"input_schema\":[]}", 1, AICC_E_SCHEMA, "/input_schema", "wanted an object; got []"},
};

/* Good documents that make no tool. */
static const struct { const char *text, *pointer, *message; } no_tool[] = {
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"constraints\":{\"max_input_bytes\":1}}", "/constraints/max_input_bytes",
     "wanted room for an object, the smallest of which has 2 bytes; got 1"},
    {"[{\"name\":\"meta.a\",\"version\":\"1.0\",\"extensions\":[{\"uri\":\"https://example.org/e\",\"required\":true}]}]", "/0/extensions/0/uri",
     "wanted no extension that is required and not known here; got \"https://example.org/e\""},
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"input_schema\":{\"type\":\"string\"}}", "/input_schema", "wanted a schema that a tool can have; got this schema accepts no object, "
     "and inputs and outputs are objects (payload_of_no_object)"},
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"output_schema\":{\"$ref\":\"https://example.org/s\"}}", "/output_schema/$ref", "wanted a schema that a tool can have; got "
     "$ref \"https://example.org/s\" leads outside the schema, and nothing is fetched (remote_reference)"},
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"extensions\":[{\"uri\":\"https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool\",\"params\":{\"id\":\"x\"}}]}",
     "/extensions/0/params", "wanted an object with id and class; got {\"id\":\"x\"}"},
    {"{\"name\":\"meta.a\",\"version\":\"1.0\",\"extensions\":[{\"uri\":\"https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool\",\"params\":{\"id\":\"x\","
     "\"class\":\"sensor\",\"limits\":{\"calls_per_session\":3000000000}}}]}", "/extensions", "wanted limits below 2^31; got more"},
};

static aicc_tool_options plain(void)
{
    aicc_tool_options t;
    aicc_tool_options_init(&t, sizeof t);
    return t;
}

static char file[1 << 20], out[1 << 20];

int main(int argc, char **argv)
{
    aicc_import_options o;
    aicc_tool_options t = plain();
    aicc_str heeded = aicc_s("https://example.org/e");
    aicc_error e;
    aicc_tool tool;
    aicc_bridge b;
    size_t n;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {       /* before there is any bridge */
        aicc_status got = aicc_capability_validate(aicc_s(bad[i].text), bad[i].lenient, &e);
        if (got != bad[i].status || e.status != got || (strncmp(e.message, "event ", 6) != 0 && strcmp(e.field, "text") != 0) || strcmp(e.pointer, bad[i].pointer) ||
            strcmp(e.message, bad[i].message)) {
            fprintf(stderr, "%s:\n  %s field \"%s\" pointer \"%s\" offset %d: %s\n", bad[i].text, aicc_status_name(got), e.field, e.pointer, (int)e.offset, e.message);
            t_failed++;
        }
    }
    STATUS(AICC_OK, aicc_capability_validate(aicc_s("{\"name\":\"a.b\",\"version\":\"1.0\"}"), 1, &e));
    STATUS(AICC_OK, aicc_capability_validate(aicc_s("[]"), 0, NULL));
    STATUS(AICC_E_ARG, aicc_capability_validate(aicc_s("[]"), 2, &e));
    STATUS(AICC_E_ARG, aicc_capability_validate(aicc_s(NULL), 0, &e));
    STATUS(AICC_E_ARG, aicc_capability_validate(aicc_sn(NULL, 3), 0, &e));
    CHECK(strcmp(e.field, "text") == 0);
    memset(file, ' ', sizeof file);
    STATUS(AICC_OK, (memcpy(file, "[]", 2), aicc_capability_validate(aicc_sn(file, sizeof file), 0, &e)));
    STATUS(AICC_E_RANGE, aicc_capability_validate(aicc_sn(file, sizeof file + 1), 0, &e));   /* not read: the length alone tells */

    b = t_bridge("bad");
    aicc_import_options_init(&o, sizeof o);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tool.id = 7;
        o.lenient = bad[i].lenient;
        o.index = strstr(bad[i].pointer, "/1/") == bad[i].pointer;
        STATUS(bad[i].status, aicc_tool_register_capability(b, aicc_s(bad[i].text), &o, &tool, &e));
        CHECK(tool.id == 0 && strcmp(e.pointer, bad[i].pointer) == 0);
    }
    aicc_import_options_init(&o, sizeof o);
    for (size_t i = 0; i < sizeof no_tool / sizeof no_tool[0]; i++) {
        STATUS(AICC_OK, aicc_capability_validate(aicc_s(no_tool[i].text), 0, NULL));
        STATUS(AICC_E_SCHEMA, aicc_tool_register_capability(b, aicc_s(no_tool[i].text), NULL, &tool, &e));
        if (strcmp(e.pointer, no_tool[i].pointer) || strcmp(e.message, no_tool[i].message)) {
            fprintf(stderr, "%s:\n  %s: %s\n", no_tool[i].text, e.pointer, e.message);
            t_failed++;
        }
    }
    o.extensions = &heeded;
    o.extensions_count = 1;
    STATUS(AICC_OK, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    STATUS(AICC_E_NAME, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));   /* there is one of this id */
    CHECK(strcmp(e.field, "id") == 0 && tool.id == 0);
    t.id = aicc_s("other");
    t.cls = AICC_SENSOR;
    t.max_input_bytes = 100;
    o.tool = &t;
    STATUS(AICC_OK, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    STATUS(AICC_OK, aicc_bridge_capabilities(b, NULL, out, sizeof out, &n, &e));
    if (strcmp(out, "[{\"name\":\"meta.a\",\"version\":\"1.0\",\"extensions\":[{\"uri\":\"https://example.org/e\",\"required\":true}]},"
               "{\"name\":\"meta.a_2\",\"version\":\"1.0\",\"constraints\":{\"max_input_bytes\":100},\"extensions\":[{\"uri\":\"https://example.org/e\",\"required\":true},"
               "{\"uri\":\"https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool\",\"params\":{\"id\":\"other\",\"class\":\"sensor\"},\"required\":false}]}]")) {
        fprintf(stderr, "published again: %s\n", out);
        t_failed++;
    }
    o.index = 1;
    STATUS(AICC_EMPTY, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    o.index = -1;
    STATUS(AICC_E_ARG, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    CHECK(strcmp(e.field, "index") == 0);
    o.index = 0;
    o.extensions = NULL;
    STATUS(AICC_E_ARG, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    CHECK(strcmp(e.field, "extensions") == 0);
    aicc_import_options_init(&o, sizeof o);
    t.struct_size = 3;
    o.tool = &t;
    STATUS(AICC_E_ARG, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), &o, &tool, &e));
    STATUS(AICC_E_ARG, aicc_tool_register_capability(b, aicc_s(no_tool[1].text), NULL, NULL, &e));
    CHECK(strcmp(e.field, "out") == 0);
    t = plain();
    t.cls = AICC_SENSOR;
    t.id = aicc_s("one");
    t.description = aicc_s("One.");
    t.max_output_bytes = 1;
    STATUS(AICC_E_ARG, aicc_tool_register(b, &t, &tool, &e));
    CHECK(strcmp(e.field, "max_output_bytes") == 0);
    t.max_output_bytes = -1;
    STATUS(AICC_E_ARG, aicc_tool_register(b, &t, &tool, &e));
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    STATUS(AICC_E_HANDLE, aicc_tool_register_capability(b, aicc_s("[]"), NULL, &tool, &e));

    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        MUST(f != NULL);
        n = fread(file, 1, sizeof file, f);
        fclose(f);
        printf("%s %s %s\n", aicc_status_name(aicc_capability_validate(aicc_sn(file, n), 0, &e)), e.pointer, e.message);
    }
    T_END();
}
