/* pointers IN: what each getter says, place by place, of the tape that value_test.go made of its `places`. */
#include "t.h"

static aicc_value root;

typedef struct row {
    const char *pointer;
    int kind;                       /* as found; GONE or AICC_E_NAME when it is not */
    int number, integer, boolean, string, count;
} row;

enum { GONE = -100, OK = AICC_OK, NO = AICC_ABSENT, TYPE = AICC_E_TYPE, RANGE = AICC_E_RANGE, NAME = AICC_E_NAME };
#define ALL(s) s, s, s, s, s

static const row rows[] = {
    { "",                AICC_KIND_OBJECT,  TYPE, TYPE, TYPE, TYPE, OK },
    { "/",               AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "speed",           AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/speed",          AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/spee",           GONE, ALL(NO) },
    { "/speedy",         GONE, ALL(NO) },
    { "/Speed",          GONE, ALL(NO) },
    { "//speed",         GONE, ALL(NO) },
    { "/speed/",         GONE, ALL(NO) },
    { "/speed/0",        GONE, ALL(NO) },
    { "/target/x",       AICC_KIND_NUMBER,  OK, TYPE, TYPE, TYPE, TYPE },
    { "target/x",        AICC_KIND_NUMBER,  OK, TYPE, TYPE, TYPE, TYPE },
    { "/list/0",         AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/list/1",         AICC_KIND_ARRAY,   TYPE, TYPE, TYPE, TYPE, OK },
    { "/list/1/0/deep",  AICC_KIND_BOOL,    TYPE, TYPE, OK, TYPE, TYPE },
    { "/list/2",         AICC_KIND_NULL,    ALL(NO) },
    { "/list/3",         GONE, ALL(NO) },
    { "/list/-",         GONE, ALL(NO) },
    { "/list/-1",        GONE, ALL(NO) },
    { "/list/00",        GONE, ALL(NO) },
    { "/list/01",        GONE, ALL(NO) },
    { "/list/+1",        GONE, ALL(NO) },
    { "/list/1e0",       GONE, ALL(NO) },
    { "/list/ 1",        GONE, ALL(NO) },
    { "/list/",          GONE, ALL(NO) },
    { "/list/length",    GONE, ALL(NO) },
    { "/list/4294967296", GONE, ALL(NO) },
    { "/list/18446744073709551616", GONE, ALL(NO) },
    { "/01",             AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/-",              AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/a~1b",           AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "a~1b",            AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/a/b",            GONE, ALL(NO) },
    { "/m~0n",           AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/~01",            AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/~",              AICC_E_NAME, ALL(NAME) },
    { "~",               AICC_E_NAME, ALL(NAME) },
    { "/~2",             AICC_E_NAME, ALL(NAME) },
    { "/none/~",         AICC_E_NAME, ALL(NAME) },
    { "/a~",             AICC_E_NAME, ALL(NAME) },
    { "/a~/b",           AICC_E_NAME, ALL(NAME) },
    { "/\xc3\xa4\xf0\x9f\x98\x80", AICC_KIND_STRING, TYPE, TYPE, TYPE, OK, TYPE },
    { "/null",           AICC_KIND_NULL,    ALL(NO) },
    { "/null/x",         GONE, ALL(NO) },
    { "/off",            AICC_KIND_BOOL,    TYPE, TYPE, OK, TYPE, TYPE },
    { "/text",           AICC_KIND_STRING,  TYPE, TYPE, TYPE, OK, TYPE },
    { "/numbers/min",    AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/numbers/max",    AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/numbers/over",   AICC_KIND_NUMBER,  OK, RANGE, TYPE, TYPE, TYPE },
    { "/numbers/under",  AICC_KIND_NUMBER,  OK, RANGE, TYPE, TYPE, TYPE },
    { "/numbers/near",   AICC_KIND_NUMBER,  OK, TYPE, TYPE, TYPE, TYPE },
    { "/numbers/huge",   AICC_KIND_NUMBER,  RANGE, RANGE, TYPE, TYPE, TYPE },
    { "/numbers/tiny",   AICC_KIND_NUMBER,  OK, TYPE, TYPE, TYPE, TYPE },
    { "/numbers/three",  AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/numbers/kilo",   AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
    { "/numbers/minus",  AICC_KIND_INTEGER, OK, OK, TYPE, TYPE, TYPE },
};

static void check_row(const row *r)
{
    aicc_str p = aicc_s(r->pointer), s = aicc_sn("mine", 4);
    aicc_value v = root;
    double d = 4.5;
    int64_t n = 45;
    int32_t b = 7;
    size_t c = 45;
    int got = aicc_value_find(&root, p, &v);
    if (got == AICC_OK) got = v.kind;
    else {
        CHECK(v.at == root.at);
        if (got == AICC_ABSENT) got = GONE;
    }
    int is[] = { got, aicc_value_number(&root, p, &d), aicc_value_integer(&root, p, &n), aicc_value_bool(&root, p, &b),
                 aicc_value_string(&root, p, &s), aicc_value_count(&root, p, &c) };
    int want[] = { r->kind, r->number, r->integer, r->boolean, r->string, r->count };
    if (memcmp(is, want, sizeof is) != 0) {
        fprintf(stderr, "\"%s\": %d %d %d %d %d %d\n", r->pointer, is[0], is[1], is[2], is[3], is[4], is[5]);
        t_failed = 1;
    }
    if (r->number != OK) CHECK(d == 4.5);
    if (r->integer != OK) CHECK(n == 45);
    if (r->boolean != OK) CHECK(b == 7);
    if (r->string != OK) CHECK(t_is(s, "mine"));
    if (r->count != OK) CHECK(c == 45);
    /* From the value that was found, "not given" is itself. */
    if (r->kind > 0) CHECK(aicc_value_number(&v, aicc_s(NULL), &d) == r->number);
}

static double number(const char *p) { double d = -1; CHECK(aicc_value_number(&root, aicc_s(p), &d) == AICC_OK); return d; }
static int64_t integer(const char *p) { int64_t n = -1; CHECK(aicc_value_integer(&root, aicc_s(p), &n) == AICC_OK); return n; }
static aicc_str string(const char *p) { aicc_str s = { "?", 1 }; CHECK(aicc_value_string(&root, aicc_s(p), &s) == AICC_OK); return s; }

static void contents(void)
{
    int32_t b = 7;
    size_t n;
    uint64_t bits;
    CHECK(number("/target/x") == 1.5 && number("speed") == 3 && integer("speed") == 3);
    CHECK(integer("/numbers/min") == INT64_MIN && integer("/numbers/max") == INT64_MAX);
    CHECK(number("/numbers/over") == 9223372036854775808.0 && number("/numbers/under") == -9223372036854775808.0);
    CHECK(number("/numbers/tiny") == 0 && integer("/numbers/three") == 3 && integer("/numbers/kilo") == 1000 && integer("/numbers/minus") == 0);
    double minus = number("/numbers/minus");
    memcpy(&bits, &minus, 8);
    CHECK(bits == (uint64_t)1 << 63);
    CHECK(t_is(string("/"), "empty") && t_is(string("/a~1b"), "slash") && t_is(string("/m~0n"), "tilde") && t_is(string("/~01"), "tilde one"));
    CHECK(t_is(string("/\xc3\xa4\xf0\x9f\x98\x80"), "unicode") && t_is(string("/01"), "zero one") && t_is(string("/-"), "dash"));
    aicc_str text = string("/text");
    CHECK(text.len == 5 && memcmp(text.ptr, "a\0b\"\n", 6) == 0);
    CHECK(aicc_value_bool(&root, aicc_s("off"), &b) == AICC_OK && b == 0);
    CHECK(aicc_value_bool(&root, aicc_s("/list/1/0/deep"), &b) == AICC_OK && b == 1);
    CHECK(aicc_value_count(&root, aicc_s("list"), &n) == AICC_OK && n == 3);
    /* A view need not end with a NUL. */
    CHECK(aicc_value_find(&root, aicc_sn("/target/xyz", 9), &(aicc_value){ 0 }) == AICC_OK);
}

static void numbers(void)
{
    double d[4] = { 9, 9, 9, 9 };
    size_t n = 77;
    CHECK(aicc_value_numbers(&root, aicc_s("position"), d, 2, &n) == AICC_E_SMALL && n == 3 && d[0] == 9);
    CHECK(aicc_value_numbers(&root, aicc_s("position"), NULL, 0, &n) == AICC_E_SMALL && n == 3);
    CHECK(aicc_value_numbers(&root, aicc_s("position"), d, 3, &n) == AICC_OK && n == 3 && d[0] == 1 && d[1] == -2.5 && d[2] == 3e-7 && d[3] == 9);
    n = 77;
    CHECK(aicc_value_numbers(&root, aicc_s("list"), d, 4, &n) == AICC_E_TYPE && n == 77 && d[0] == 1);
    CHECK(aicc_value_numbers(&root, aicc_s("speed"), d, 4, &n) == AICC_E_TYPE && n == 77);
    CHECK(aicc_value_numbers(&root, aicc_s("target"), d, 4, &n) == AICC_E_TYPE && n == 77);
    CHECK(aicc_value_numbers(&root, aicc_s("null"), d, 4, &n) == AICC_ABSENT && n == 77);
    CHECK(aicc_value_numbers(&root, aicc_s("far"), d, 4, &n) == AICC_E_RANGE && n == 77 && d[0] == 1);
    CHECK(aicc_value_numbers(&root, aicc_s("/none"), NULL, 0, &n) == AICC_OK && n == 0);
    CHECK(aicc_value_numbers(&root, aicc_s("position"), NULL, 1, &n) == AICC_E_ARG);
    CHECK(aicc_value_numbers(&root, aicc_s("position"), d, 4, NULL) == AICC_E_ARG);
}

static void walking(void)
{
    static const char *const names[] = { "x", "y", "z" };
    aicc_value target, child = { 0 };
    aicc_str key;
    uint32_t place = 0, at = 0;
    int i = 0;
    CHECK(aicc_value_find(&root, aicc_s("target"), &target) == AICC_OK);
    for (; aicc_value_next(&target, &place, &key, &child) == AICC_OK; i++) CHECK(i < 3 && t_is(key, names[i]));
    CHECK(i == 3 && aicc_value_next(&target, &place, &key, &child) == AICC_EMPTY && aicc_value_next(&target, &place, NULL, &child) == AICC_EMPTY);
    aicc_value_find(&root, aicc_s("/target/x"), &child);
    CHECK(aicc_value_next(&child, &at, &key, &child) == AICC_E_TYPE);
    aicc_value_find(&root, aicc_s("null"), &child);
    CHECK(aicc_value_next(&child, &at, &key, &child) == AICC_ABSENT);
    aicc_value_find(&root, aicc_s("none"), &child);
    CHECK(aicc_value_next(&child, &at, &key, &child) == AICC_EMPTY && at == 0);
    at = 1;
    CHECK(aicc_value_next(&target, &at, &key, &child) == AICC_E_ARG);      /* before it */
    at = target.at + 2;
    CHECK(aicc_value_next(&target, &at, &key, &child) == AICC_E_ARG);      /* a value where a name belongs */
    at = UINT32_MAX;
    CHECK(aicc_value_next(&target, &at, &key, &child) == AICC_E_ARG);
}

/* Null and zero, at each function. */
static void arguments(void)
{
    aicc_value zero = { 0 }, v = root, wrong = root;
    aicc_str none = aicc_sn(NULL, 0), bad = aicc_sn(NULL, 5), s;
    double d;
    int64_t n;
    int32_t b;
    size_t c = 77;
    uint32_t place = 0;
    char buf[8] = "keep";
#define EACH(value, pointer, status) \
    CHECK(aicc_value_number(value, pointer, &d) == (status)); \
    CHECK(aicc_value_integer(value, pointer, &n) == (status)); \
    CHECK(aicc_value_bool(value, pointer, &b) == (status)); \
    CHECK(aicc_value_string(value, pointer, &s) == (status)); \
    CHECK(aicc_value_count(value, pointer, &c) == (status)); \
    CHECK(aicc_value_find(value, pointer, &v) == (status)); \
    CHECK(aicc_value_numbers(value, pointer, &d, 1, &c) == (status)); \
    CHECK(aicc_value_json(value, pointer, buf, sizeof buf, &c) == (status))
    EACH(NULL, none, AICC_E_ARG);
    EACH(&zero, none, AICC_ABSENT);
    EACH(&zero, aicc_s("/~"), AICC_ABSENT);
    EACH(&root, bad, AICC_E_ARG);
    EACH(&root, aicc_s("/~x"), AICC_E_NAME);
    EACH(&root, aicc_s("/gone"), AICC_ABSENT);
    wrong.at = 1;                   /* a name is no value */
    EACH(&wrong, none, AICC_E_ARG);
    CHECK(aicc_value_copy(&wrong, NULL, 0, &c) == AICC_E_ARG);
    wrong.at = UINT32_MAX;
    EACH(&wrong, none, AICC_E_ARG);
    CHECK(aicc_value_copy(&wrong, NULL, 0, &c) == AICC_E_ARG);
    CHECK(c == 77 && strcmp(buf, "keep") == 0);
    CHECK(aicc_value_next(NULL, &place, &s, &v) == AICC_E_ARG && aicc_value_next(&zero, &place, &s, &v) == AICC_ABSENT);
    CHECK(aicc_value_next(&root, NULL, &s, &v) == AICC_E_ARG && aicc_value_next(&root, &place, &s, NULL) == AICC_E_ARG);
    CHECK(aicc_value_copy(NULL, NULL, 0, &c) == AICC_E_ARG && aicc_value_copy(&zero, NULL, 0, &c) == AICC_ABSENT);
    CHECK(aicc_value_copy(&root, NULL, 8, &c) == AICC_E_ARG && aicc_value_copy(&root, NULL, 0, NULL) == AICC_E_ARG);
    CHECK(aicc_value_json(&root, none, NULL, 8, &c) == AICC_E_ARG && aicc_value_json(&root, none, buf, 8, NULL) == AICC_E_ARG);
    CHECK(aicc_value_number(&root, none, NULL) == AICC_E_ARG && aicc_value_integer(&root, none, NULL) == AICC_E_ARG);
    CHECK(aicc_value_bool(&root, none, NULL) == AICC_E_ARG && aicc_value_string(&root, none, NULL) == AICC_E_ARG);
    CHECK(aicc_value_count(&root, none, NULL) == AICC_E_ARG && aicc_value_find(&root, none, NULL) == AICC_E_ARG);
    CHECK(aicc_value_open(NULL, 8, &v) == AICC_E_ARG && aicc_value_open(root.tape, 8, NULL) == AICC_E_ARG);
    CHECK(aicc_value_json(&root, aicc_s("null"), buf, sizeof buf, &c) == AICC_OK && c == 4 && strcmp(buf, "null") == 0);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 9;
    size_t size;
    FILE *in = t_open(argv[1], "rb");
    char *tape = t_read(in, &size);
    if (!tape || aicc_value_open(tape, size, &root) != AICC_OK) return 9;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i]);
    contents();
    numbers();
    walking();
    arguments();
    fclose(in);
    free(tape);
    return t_failed;
}
