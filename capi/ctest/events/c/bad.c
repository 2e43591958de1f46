/* bad: layouts that are refused, with the field named; and misuse of those that are not. */
#include "e.h"

typedef struct point { float x, y; uint32_t id, n; char name[16]; aicc_str text; double d; } point;
static aicc_error e;

static void refused(int line, aicc_status want, const char *field, const char *words, size_t size, const aicc_field *f, size_t n) {
    aicc_layout_options o;
    aicc_layout l = { 1 };
    aicc_layout_options_init(&o, sizeof o);
    o.field_size = sizeof *f, o.size = (uint32_t)size, o.count = (uint32_t)n, o.fields = f;
    aicc_status got = aicc_layout_define(&o, &l, &e);
    if (got != want || e.status != want || strcmp(e.field, field) != 0 || !strstr(e.message, words) || l.id != 0) {
        fprintf(stderr, "bad.c:%d: %s, field \"%s\", \"%s\"; wanted %s, \"%s\", \"%s\"\n", line, aicc_status_name(got), e.field, e.message,
                aicc_status_name(want), field, words);
        t_failed++;
    }
}
#define REFUSED(want, field, words, size, ...) do { const aicc_field f_[] = { __VA_ARGS__ }; \
    refused(__LINE__, want, field, words, size, f_, sizeof f_ / sizeof *f_); } while (0)
#define N(text) .name = { text, AICC_NTS }
#define AT(member) .offset = offsetof(point, member)
#define X { N("x"), AT(x), .type = AICC_F32 }

int main(void) {
    static const aicc_str names[] = { { "a", 1 }, { "a", 1 } }, none[] = { { NULL, 0 } }, good[] = { { "a", 1 }, { "b", 1 } };
    static char longer[200];
    aicc_layout_options o;
    aicc_layout l, other;
    aicc_event ev;
    aicc_event_options eo;
    t_world w;
    size_t i;
    memset(longer, 'x', sizeof longer - 1);

    REFUSED(AICC_E_NAME, "fields[0].name", "needs a name", sizeof (point), { AT(x), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[0].name", "128 bytes", sizeof (point), { N(longer), AT(x), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[0].name", "NULL", sizeof (point), { .name = { NULL, 3 }, AT(x), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[0].name", "not UTF-8", sizeof (point), { N("\xff"), AT(x), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[1].name", "already", sizeof (point), X, { N("x"), AT(y), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[1].name", "\"x.y\"", sizeof (point), X, { N("x.y"), AT(y), .type = AICC_F32 });
    REFUSED(AICC_E_NAME, "fields[0].name", "empty", sizeof (point), { N("a..b"), AT(y), .type = AICC_F32 });
    REFUSED(AICC_E_ARG, "fields[0].type", "\"x\": 0 is no type", sizeof (point), { N("x"), AT(x) });
    REFUSED(AICC_E_ARG, "fields[0].type", "99", sizeof (point), { N("x"), AT(x), .type = 99 });
    REFUSED(AICC_E_ARG, "fields[1].offset", "\"y\": it overlaps \"x\" at byte 2", sizeof (point), X, { N("y"), .offset = 2, .type = AICC_F32 });
    REFUSED(AICC_E_ARG, "fields[0].offset", "ends at byte 66", 64, { N("x"), .offset = 62, .type = AICC_F32 });
    REFUSED(AICC_E_ARG, "fields[0].offset", "ends at", 64, { N("x"), .offset = UINT32_MAX, .type = AICC_F32 });
    REFUSED(AICC_E_ARG, "fields[0].offset", "ends at", 64, { N("x"), .type = AICC_F64, .count = UINT32_MAX, .stride = UINT32_MAX });
    REFUSED(AICC_E_ARG, "fields[0].stride", "one element has 4 bytes", sizeof (point), { N("x"), .type = AICC_F32, .count = 2, .stride = 3 });
    REFUSED(AICC_E_ARG, "fields[0].count", "chars needs", sizeof (point), { N("x"), AT(name), .type = AICC_CHARS });
    REFUSED(AICC_E_ARG, "fields[0].count", "text needs", sizeof (point), { N("x"), AT(text), .type = AICC_TEXT });
    REFUSED(AICC_E_ARG, "fields[0].count_type", "counts nothing", sizeof (point), { N("x"), .type = AICC_F32, .count = 2, .count_type = AICC_F32, .count_offset = 12 });
    REFUSED(AICC_E_ARG, "fields[0].count_type", "cannot count to 300", 304, { N("x"), .type = AICC_U8, .count = 300, .count_type = AICC_U8, .count_offset = 300 });
    REFUSED(AICC_E_ARG, "fields[0].count_offset", "multiple of 4", sizeof (point), { N("x"), .type = AICC_U8, .count = 2, .count_type = AICC_U32, .count_offset = 13 });
    REFUSED(AICC_E_ARG, "fields[0].count_offset", "ends at", 16, { N("x"), .type = AICC_U8, .count = 2, .count_type = AICC_U32, .count_offset = 16 });
    REFUSED(AICC_E_ARG, "fields[0].count_offset", "is where", 16, { N("x"), .type = AICC_U8, .count = 2, .count_type = AICC_U8, .count_offset = -1 });
    REFUSED(AICC_E_ARG, "fields[0].decimals", "10", sizeof (point), { N("x"), .type = AICC_F32, .decimals = 10 });
    REFUSED(AICC_E_ARG, "fields[0].decimals", "only a float", sizeof (point), { N("x"), .type = AICC_I32, .decimals = 1 });
    REFUSED(AICC_E_ARG, "fields[0].flags", "no flag", sizeof (point), { N("x"), .type = AICC_I32, .flags = 8 });
    REFUSED(AICC_E_ARG, "fields[0].flags", "AICC_FIELD_KEY on f32", sizeof (point), { N("x"), .type = AICC_F32, .flags = AICC_FIELD_KEY });
    REFUSED(AICC_E_ARG, "fields[0].flags", "AICC_FIELD_STRING", sizeof (point), { N("x"), .type = AICC_I32, .flags = AICC_FIELD_STRING });
    REFUSED(AICC_E_ARG, "fields[0].names", "needs names", sizeof (point), { N("x"), .type = AICC_ENUM8 });
    REFUSED(AICC_E_ARG, "fields[0].names", "needs names", sizeof (point), { N("x"), .type = AICC_ENUM8, .names = none, .names_count = 1 });
    REFUSED(AICC_E_ARG, "fields[0].names", "are both \"a\"", sizeof (point), { N("x"), .type = AICC_ENUM8, .names = names, .names_count = 2 });
    REFUSED(AICC_E_ARG, "fields[0].names", "NULL", sizeof (point), { N("x"), .type = AICC_ENUM8, .names_count = 2 });
    REFUSED(AICC_E_ARG, "fields[0].names", "1024", sizeof (point), { N("x"), .type = AICC_ENUM8, .names = good, .names_count = UINT32_MAX });
    REFUSED(AICC_E_ARG, "fields[0].names", "has no names", sizeof (point), { N("x"), .type = AICC_F32, .names = good, .names_count = 2 });
    REFUSED(AICC_E_ARG, "fields[0].element", "needs the layout", sizeof (point), { N("x"), .type = AICC_STRUCT });
    REFUSED(AICC_E_HANDLE, "fields[0].element", "no layout", sizeof (point), { N("x"), .type = AICC_STRUCT, .element = { 7 } });
    REFUSED(AICC_E_HANDLE, "fields[0].element", "no layout", sizeof (point), { N("x"), .type = AICC_STRUCT, .element = { 0x1f0000100 } });
    REFUSED(AICC_E_ARG, "size", "0 bytes", 0, X);
    REFUSED(AICC_E_ARG, "size", "65537", 65537, X);
    REFUSED(AICC_E_FULL, "fields", "texts can take", 128, { N("x"), .type = AICC_TEXT, .count = 65536 });
    {
        static aicc_field many[65];
        refused(__LINE__, AICC_E_ARG, "count", "no fields", 8, many, 0);
        refused(__LINE__, AICC_E_FULL, "count", "65 fields", 8, many, 65);
        refused(__LINE__, AICC_E_FULL, "count", "4294967295 fields", 8, many, UINT32_MAX);
        refused(__LINE__, AICC_E_ARG, "fields", "NULL", 8, NULL, 1);
    }
    aicc_layout_options_init(&o, sizeof o);
    STATUS(AICC_E_ARG, aicc_layout_define(NULL, &l, &e));
    STATUS(AICC_E_ARG, aicc_layout_define(&o, NULL, &e));
    const aicc_field x[] = { X };
    o.size = sizeof (point), o.count = 1, o.fields = x;
    STATUS(AICC_E_ARG, aicc_layout_define(&o, &l, &e));
    CHECK(strcmp(e.field, "field_size") == 0);
    o.struct_size = 3;
    STATUS(AICC_E_ARG, aicc_layout_define(&o, &l, &e));

    l = e_layout(sizeof (point), x, 1);
    const aicc_field k[] = { { N("kind"), AT(x), .type = AICC_F32 } }, deep[] = { { N("kind.x"), AT(x), .type = AICC_F32 } };
    t_open(&w, "bad");
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO, eo.kind = aicc_s("x");
    eo.layout = e_layout(sizeof (point), k, 1);
    STATUS(AICC_E_NAME, aicc_event_define(w.bridge, &eo, &ev, &e));
    CHECK(strcmp(e.field, "kind") == 0);
    eo.layout = e_layout(sizeof (point), deep, 1);
    STATUS(AICC_E_NAME, aicc_event_define(w.bridge, &eo, &ev, &e));
    eo.layout.id++;
    STATUS(AICC_E_HANDLE, aicc_event_define(w.bridge, &eo, &ev, &e));
    CHECK(strcmp(e.field, "layout") == 0);
    eo.layout = l, eo.min_interval_ms = -1;
    STATUS(AICC_E_ARG, aicc_event_define(w.bridge, &eo, &ev, &e));
    eo.min_interval_ms = 0;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, &e));
    point p = { 0 };
    size_t n = 9;
    aicc_call no_call = { 0 };
    aicc_layout no_layout = { 0 };
    aicc_event no_event = { 0 }, json = e_event(w.bridge, AICC_TOPIC_AUDIO, NULL, 0, 0, no_layout);
    STATUS(AICC_E_HANDLE, aicc_event_emit(no_event, &w.session, 1, &p, 0, &n));
    CHECK(n == 0);
    STATUS(AICC_E_TYPE, aicc_event_emit(json, &w.session, 1, &p, 0, NULL));
    STATUS(AICC_E_TYPE, aicc_event_json(ev, w.session, aicc_s("{}")));
    STATUS(AICC_E_ARG, aicc_event_emit(ev, &w.session, 1, NULL, 0, NULL));
    STATUS(AICC_E_ARG, aicc_event_emit(ev, &w.session, 1, &p, sizeof p - 1, NULL));
    STATUS(AICC_E_ARG, aicc_event_emit(ev, NULL, 2, &p, 0, NULL));
    STATUS(AICC_EMPTY, aicc_event_emit(ev, &w.session, 0, NULL, 0, NULL));
    STATUS(AICC_EMPTY, aicc_event_emit(ev, NULL, 0, NULL, 0, NULL));
    STATUS(AICC_E_HANDLE, aicc_event_reply(ev, no_call, &p, sizeof p));
    STATUS(AICC_E_ARG, aicc_event_reply(ev, no_call, &p, sizeof p - 1));
    STATUS(AICC_E_TYPE, aicc_event_reply(json, no_call, &p, sizeof p));
    STATUS(AICC_E_HANDLE, aicc_call_succeed_struct(no_call, l, &p, sizeof p));
    STATUS(AICC_E_HANDLE, aicc_layout_schema(no_layout, NULL, 0, &i));
    STATUS(AICC_E_ARG, aicc_layout_schema(l, NULL, 0, NULL));
    STATUS(AICC_E_ARG, aicc_event_due(ev, &w.session, 1, NULL, &n));
    STATUS(AICC_E_ARG, aicc_event_due(ev, &w.session, 1, NULL, NULL));
    char buf[64];
    aicc_writer j;
    aicc_str text;
    aicc_write_begin(&j, buf, sizeof buf);
    aicc_write_struct(&j, aicc_s(NULL), no_layout, &p, sizeof p);
    STATUS(AICC_E_HANDLE, aicc_write_done(&j, &text));
    aicc_write_begin(&j, buf, sizeof buf);
    aicc_write_struct(&j, aicc_s(NULL), l, &p, 1);
    STATUS(AICC_E_ARG, aicc_write_done(&j, &text));
    aicc_write_begin(&j, buf, sizeof buf);
    aicc_write_struct(&j, aicc_s("key"), l, &p, sizeof p);
    STATUS(AICC_E_NAME, aicc_write_done(&j, &text));

    /* 256 layouts, and no more: those that are there are still found. */
    aicc_status status = AICC_OK;
    for (i = 0; i < 300 && status == AICC_OK; i++) {
        char name[16];
        const aicc_field f[] = { { N(name), AT(x), .type = AICC_F32 } };
        snprintf(name, sizeof name, "n%zu", i);
        aicc_layout_options_init(&o, sizeof o);
        o.field_size = sizeof *f, o.size = sizeof (point), o.count = 1, o.fields = f;
        status = aicc_layout_define(&o, &other, &e);
    }
    CHECK(status == AICC_E_FULL && i > 200 && i <= 256);
    CHECK(strstr(e.message, "256 layouts already") != NULL);
    CHECK(e_layout(sizeof (point), x, 1).id == l.id);
    T_END();
}
