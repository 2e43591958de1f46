/* types: a struct with a field of every type, as an event, as the answer to a call, by the writer, and read back. Prints the JSON of each. */
#include "e.h"
#include <math.h>

typedef struct item { uint16_t id; char name[8]; aicc_str note; } item;
typedef struct all {
    float    f32_;   double   f64_;
    int8_t   i8_;    uint8_t  u8_;   int16_t i16_;  uint16_t u16_;
    int32_t  i32_;   uint32_t u32_;  int64_t i64_;  uint64_t u64_;
    int64_t  is_;    uint64_t us_;
    bool     b8_;    int32_t  b32_;
    char     chars_[6];
    uint8_t  clen_;  char counted_[6];
    aicc_str text_;
    uint8_t  e8_;    uint16_t e16_;  uint32_t e32_;
    float    x_, y_;
    float    rounded_;
    int32_t  none_;
    float    three_[3];
    uint8_t  used_;  int16_t some_[4];
    uint32_t items_used_;  item items_[3];
    struct { float v; int32_t pad; } strided_[2];
} all;

static const aicc_str states[] = { { "idle", 4 }, { NULL, 0 }, { "chase \"it\"", AICC_NTS } };
#define ENUM .names = states, .names_count = 3

static aicc_layout items(void) {
    const aicc_field f[] = {
        { .name = { "id", 2 }, .offset = offsetof(item, id), .type = AICC_U16 },
        { .name = { "name", 4 }, .offset = offsetof(item, name), .type = AICC_CHARS, .count = 8 },
        { .name = { "note", 4 }, .offset = offsetof(item, note), .type = AICC_TEXT, .count = 16, .flags = AICC_FIELD_OMIT_EMPTY },
    };
    return e_layout(sizeof (item), f, 3);
}

static aicc_layout whole(void) {
    const aicc_field f[] = {
        FIELD(all, f32, AICC_F32), FIELD(all, f64, AICC_F64), FIELD(all, i8, AICC_I8), FIELD(all, u8, AICC_U8), FIELD(all, i16, AICC_I16),
        FIELD(all, u16, AICC_U16), FIELD(all, i32, AICC_I32), FIELD(all, u32, AICC_U32), FIELD(all, i64, AICC_I64), FIELD(all, u64, AICC_U64),
        { .name = { "is", 2 }, .offset = offsetof(all, is_), .type = AICC_I64, .flags = AICC_FIELD_STRING },
        { .name = { "us", 2 }, .offset = offsetof(all, us_), .type = AICC_U64, .flags = AICC_FIELD_STRING },
        FIELD(all, b8, AICC_BOOL8), FIELD(all, b32, AICC_BOOL32),
        { .name = { "chars", 5 }, .offset = offsetof(all, chars_), .type = AICC_CHARS, .count = 6 },
        { .name = { "counted", 7 }, .offset = offsetof(all, counted_), .type = AICC_CHARS, .count = 6, .count_type = AICC_U8, .count_offset = offsetof(all, clen_) },
        { .name = { "text", 4 }, .offset = offsetof(all, text_), .type = AICC_TEXT, .count = 20 },
        { .name = { "e8", 2 }, .offset = offsetof(all, e8_), .type = AICC_ENUM8, ENUM },
        { .name = { "e16", 3 }, .offset = offsetof(all, e16_), .type = AICC_ENUM16, ENUM },
        { .name = { "e32", 3 }, .offset = offsetof(all, e32_), .type = AICC_ENUM32, ENUM },
        { .name = { "position.x", AICC_NTS }, .offset = offsetof(all, x_), .type = AICC_F32 },
        { .name = { "position.y", AICC_NTS }, .offset = offsetof(all, y_), .type = AICC_F32, .flags = AICC_FIELD_OMIT_EMPTY },
        { .name = { "rounded", AICC_NTS }, .offset = offsetof(all, rounded_), .type = AICC_F32, .decimals = 2 },
        { .name = { "none", 4 }, .offset = offsetof(all, none_), .type = AICC_I32, .flags = AICC_FIELD_OMIT_EMPTY },
        { .name = { "three", 5 }, .offset = offsetof(all, three_), .type = AICC_F32, .count = 3 },
        { .name = { "some", 4 }, .offset = offsetof(all, some_), .type = AICC_I16, .count = 4, .count_type = AICC_U8, .count_offset = offsetof(all, used_) },
        { .name = { "items", 5 }, .offset = offsetof(all, items_), .type = AICC_STRUCT, .count = 3, .count_type = AICC_U32, .count_offset = offsetof(all, items_used_), .element = items() },
        { .name = { "strided", 7 }, .offset = offsetof(all, strided_), .type = AICC_F32, .count = 2, .stride = sizeof (((all *)0)->strided_[0]) },
    };
    return e_layout(sizeof (all), f, sizeof f / sizeof *f);
}

static all filled(void) {
    all a;
    memset(&a, 0xee, sizeof a);
    a.f32_ = 0.1f, a.f64_ = -1.5e-9, a.i8_ = -128, a.u8_ = 255, a.i16_ = -32768, a.u16_ = 65535, a.i32_ = INT32_MIN, a.u32_ = UINT32_MAX;
    a.i64_ = INT64_MIN, a.u64_ = UINT64_MAX, a.is_ = INT64_MIN, a.us_ = UINT64_MAX;
    a.b8_ = true, a.b32_ = 0;
    memcpy(a.chars_, "ab\0zzz", 6);
    a.clen_ = 3, memcpy(a.counted_, "a\0czzz", 6);
    a.text_ = aicc_s("a \"text\"\n\xc3\xa9");
    a.e8_ = 0, a.e16_ = 2, a.e32_ = 0;
    a.x_ = 12.25f, a.y_ = 0, a.rounded_ = 1.005f, a.none_ = 0;
    a.three_[0] = 1, a.three_[1] = -0.0f, a.three_[2] = 3.4028235e38f;
    a.used_ = 2, a.some_[0] = -1, a.some_[1] = 7;
    a.items_used_ = 2;
    memset(a.items_, 0, sizeof a.items_);
    a.items_[0].id = 7, memcpy(a.items_[0].name, "sword", 6), a.items_[0].note = aicc_s("sharp");
    a.items_[1].id = 8, memcpy(a.items_[1].name, "shield1", 8);
    a.items_[2].note.ptr = (const char *)1, a.items_[2].note.len = 99; /* not used, so never looked at */
    a.strided_[0].v = 1.5f, a.strided_[1].v = 16777216.0f;
    return a;
}

/* What has no place in JSON. */
static all broken(void) {
    static const char dots[] = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x82\xac"; /* 18 bytes and 3: cut to 18 */
    all a = filled();
    a.f32_ = NAN, a.f64_ = -INFINITY;
    memcpy(a.chars_, "\xff\xfe" "abcd", 6);
    a.clen_ = 200;
    a.text_ = aicc_s(dots);
    a.e8_ = 1, a.e16_ = 3, a.e32_ = UINT32_MAX;
    a.used_ = 77;
    a.some_[2] = 1, a.some_[3] = 2;
    a.items_used_ = 0;
    a.rounded_ = 1e30f;
    return a;
}

static aicc_layout l;
static t_world w;

static void write_it(const char *what, const all *a) {
    static char buf[8192];
    aicc_writer j;
    aicc_str text;
    aicc_write_begin(&j, buf, sizeof buf);
    aicc_write_array(&j, aicc_s(NULL));
    aicc_write_null(&j, aicc_s(NULL));
    aicc_write_struct(&j, aicc_s(NULL), l, a, sizeof *a);
    aicc_write_end(&j);
    STATUS(AICC_OK, aicc_write_done(&j, &text));
    printf("%s: %.*s\n", what, (int)text.len - 7, text.ptr + 6);
    /* A buffer of any size is not passed. */
    for (size_t cap = 0; cap < text.len; cap += 7) {
        static char small[8192];
        memset(small, 0x55, sizeof small);
        aicc_write_begin(&j, small, cap);
        aicc_write_struct(&j, aicc_s(NULL), l, a, sizeof *a);
        STATUS(AICC_E_SMALL, aicc_write_done(&j, &text));
        CHECK(small[cap] == 0x55);
    }
}

static all given;
static aicc_status echo(const aicc_request *r, void *user) {
    all a;
    all *out = user;
    memset(&a, 0xee, sizeof a);
    memset(a.items_, 0, sizeof a.items_);
    a.none_ = 41, a.y_ = 42;    /* not in the input: they stay */
    STATUS(AICC_OK, aicc_value_struct(&r->input, aicc_s(NULL), l, &a, sizeof a));
    write_it("read", &a);
    *out = a;
    return aicc_call_succeed_struct(r->call, l, &given, sizeof given);
}

static void misfits(const aicc_value *input) {
    all a, before;
    aicc_layout none = {0};
    memset(&a, 0x11, sizeof a);
    before = a;
    STATUS(AICC_E_HANDLE, aicc_value_struct(input, aicc_s(NULL), none, &a, sizeof a));
    STATUS(AICC_E_ARG, aicc_value_struct(input, aicc_s(NULL), l, &a, sizeof a - 1));
    STATUS(AICC_E_ARG, aicc_value_struct(input, aicc_s(NULL), l, NULL, sizeof a));
    STATUS(AICC_ABSENT, aicc_value_struct(input, aicc_s("/nowhere"), l, &a, sizeof a));
    CHECK(memcmp(&a, &before, sizeof a) == 0);
}

/* Each member of the input is an object that does not fit; the name begins with the status. */
static aicc_status try_all(const aicc_request *r, void *user) {
    uint32_t place = 0;
    aicc_str key;
    aicc_value v;
    (void)user;
    misfits(&r->input);
    while (aicc_value_next(&r->input, &place, &key, &v) == AICC_OK) {
        all a, before;
        memset(&a, 0x11, sizeof a);
        before = a;
        aicc_status s = aicc_value_struct(&v, aicc_s(NULL), l, &a, sizeof a);
        const char *name = aicc_status_name(s);
        if (strncmp(key.ptr, name, strlen(name)) != 0) {
            fprintf(stderr, "%s gave %s\n", key.ptr, name);
            t_failed++;
        }
        if (s != AICC_OK) CHECK(memcmp(&a, &before, sizeof a) == 0);
    }
    return AICC_OK;
}

int main(int argc, char **argv) {
    static char schema[1 << 16];
    aicc_tool_options o;
    aicc_tool tool;
    aicc_error e;
    size_t len;
    all a = filled(), b = broken(), read;
    l = whole();
    CHECK(whole().id == l.id);
    STATUS(AICC_OK, aicc_layout_schema(l, schema, sizeof schema, &len));
    printf("schema: %s\n", schema);
    STATUS(AICC_E_SMALL, aicc_layout_schema(l, schema, 10, &len));
    t_open(&w, "types");
    aicc_event ev = e_event(w.bridge, AICC_TOPIC_STATE_CHANGE, "all", 0, 0, l);
    STATUS(AICC_OK, aicc_event_emit(ev, &w.session, 1, &a, 0, NULL));
    STATUS(AICC_OK, aicc_event_emit(ev, &w.session, 1, &b, sizeof b, NULL));
    MUST(t_message(&w, "\"event\""));
    printf("emit: %s\n", e_payload(&w));
    MUST(t_message(&w, "\"event\""));
    printf("bad: %s\n", e_payload(&w));
    printf("values_bad: %d\n", (int)e_stats(w.bridge).values_bad);
    write_it("write", &a);
    write_it("write bad", &b);

    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_SENSOR, o.id = aicc_s("echo"), o.description = aicc_s("Echo."), o.fn = echo, o.user_data = &read;
    o.input_layout = o.output_layout = l;
    STATUS(AICC_OK, aicc_tool_register(w.bridge, &o, &tool, &e));
    o.id = aicc_s("both"), o.input_schema = aicc_s("{}");
    STATUS(AICC_E_ARG, aicc_tool_register(w.bridge, &o, &tool, &e));
    CHECK(strcmp(e.field, "input_layout") == 0);
    t_tool(w.bridge, "try_all", "{\"type\":\"object\"}", try_all, NULL);
    given = a;
    static char buf[8192];
    aicc_writer j;
    aicc_str text;
    aicc_write_begin(&j, buf, sizeof buf);
    aicc_write_struct(&j, aicc_s(NULL), l, &a, sizeof a);
    STATUS(AICC_OK, aicc_write_done(&j, &text));
    MUST(t_result(&w, "echo", text.ptr));
    printf("result: %s\n", w.msg);
    for (int i = 1; i < argc; i++) {
        MUST(t_result(&w, "try_all", argv[i]));
        CHECK(strstr(w.msg, "\"ok\":true"));
    }
    T_END();
}
