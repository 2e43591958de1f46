/* writer: exact bytes and exact errors of aicc_write_*. */
#include <locale.h>
#include "t.h"

#define NOKEY aicc_sn(NULL, 0)

static char buf[4096];
static aicc_writer w;

static aicc_str done(aicc_status want, int line)
{
    aicc_str out = { "untouched", 9 };
    aicc_status got = aicc_write_done(&w, &out);
    if (got != want) {
        fprintf(stderr, "writer.c:%d: status %d, not %d\n", line, got, want);
        t_failed = 1;
    }
    return out;
}

/* BODY writes; the text is then WANT, also in just the room it takes, and in any smaller one it is AICC_E_SMALL and nothing is written outside. */
#define TEXT(want, body) \
    do { \
        size_t room = sizeof (want); \
        aicc_write_begin(&w, buf, sizeof buf); \
        body; \
        aicc_str text = done(AICC_OK, __LINE__); \
        if (!t_is(text, want)) fprintf(stderr, "writer.c:%d: %.*s\n", __LINE__, (int)text.len, text.ptr); \
        CHECK(t_is(text, want) && text.ptr == buf && buf[text.len] == 0); \
        for (size_t cap = 0; cap <= room; cap++) { \
            char *exact = malloc(cap ? cap : 1); \
            aicc_write_begin(&w, exact, cap); \
            body; \
            text = done(cap < room ? AICC_E_SMALL : AICC_OK, __LINE__); \
            CHECK(text.len == room - 1 && text.ptr == (cap < room ? NULL : exact)); \
            free(exact); \
        } \
    } while (0)
/* A fault stays whatever comes after it, and the text is no JSON. */
#define FAULT(fault, body) \
    do { \
        aicc_write_begin(&w, buf, sizeof buf); \
        body; \
        size_t len = w.len; \
        if (w.status != AICC_OK) { \
            aicc_write_null(&w, NOKEY); \
            aicc_write_end(&w); \
            aicc_write_object(&w, NOKEY); \
            aicc_write_number(&w, NOKEY, 1, 77); \
            aicc_write_string(&w, NOKEY, aicc_sn(NULL, 3)); \
            aicc_write_json(&w, NOKEY, NOKEY); \
            CHECK(w.len == len); \
        } \
        CHECK(t_is(done(fault, __LINE__), "aicc_writer: fault")); \
    } while (0)

#define N(value, decimals) aicc_write_number(&w, NOKEY, value, decimals)
#define S(text) aicc_write_string(&w, NOKEY, aicc_sn(text, sizeof (text) - 1))
#define OBJECT(body) do { aicc_write_object(&w, NOKEY); body; aicc_write_end(&w); } while (0)
#define ARRAY(body) do { aicc_write_array(&w, NOKEY); body; aicc_write_end(&w); } while (0)

static void values(void)
{
    TEXT("null", aicc_write_null(&w, NOKEY));
    TEXT("true", aicc_write_bool(&w, NOKEY, 1));
    TEXT("true", aicc_write_bool(&w, NOKEY, -5));
    TEXT("false", aicc_write_bool(&w, NOKEY, 0));
    TEXT("0", aicc_write_integer(&w, NOKEY, 0));
    TEXT("9223372036854775807", aicc_write_integer(&w, NOKEY, INT64_MAX));
    TEXT("-9223372036854775808", aicc_write_integer(&w, NOKEY, INT64_MIN));
    TEXT("{}", OBJECT((void)0));
    TEXT("[]", ARRAY((void)0));
    TEXT(" {\"any\":thing}", aicc_write_json(&w, NOKEY, aicc_s(" {\"any\":thing}")));
    TEXT("[[],{},[[{}]]]", ARRAY({ ARRAY((void)0); OBJECT((void)0); ARRAY(ARRAY(OBJECT((void)0))); }));
    TEXT("{\"a\":1,\"b\":{\"c\":[true,null,\"x\"],\"d\":{}},\"e\":[1.5,-2]}", OBJECT({
        aicc_write_integer(&w, aicc_s("a"), 1);
        aicc_write_object(&w, aicc_s("b"));
        aicc_write_array(&w, aicc_sn("cut", 1));
        aicc_write_bool(&w, NOKEY, 1);
        aicc_write_null(&w, aicc_s(NULL));
        aicc_write_string(&w, aicc_sn("not given", 0), aicc_s("x"));
        aicc_write_end(&w);
        aicc_write_object(&w, aicc_s("d"));
        aicc_write_end(&w);
        aicc_write_end(&w);
        aicc_write_array(&w, aicc_s("e"));
        N(1.5, -1);
        aicc_write_json(&w, NOKEY, aicc_s("-2"));
        aicc_write_end(&w);
    }));
    TEXT("{\"n\":null,\"b\":false,\"s\":\"\",\"j\":[],\"d\":2.5}", OBJECT({
        aicc_write_null(&w, aicc_s("n"));
        aicc_write_bool(&w, aicc_s("b"), 0);
        aicc_write_string(&w, aicc_s("s"), NOKEY);
        aicc_write_json(&w, aicc_s("j"), aicc_s("[]"));
        aicc_write_number(&w, aicc_s("d"), 2.5, 1);
    }));
    TEXT("{\"\\\"\\n\xef\xbf\xbd\":1}", OBJECT(aicc_write_integer(&w, aicc_s("\"\n\xff"), 1)));
}

static void strings(void)
{
    TEXT("\"\"", S(""));
    TEXT("\"\"", aicc_write_string(&w, NOKEY, aicc_s(NULL)));
    TEXT("\"\"", aicc_write_string(&w, NOKEY, aicc_s("")));
    TEXT("\"a\\u0000b\"", S("a\0b"));
    TEXT("\"\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u001f \x7f\"", S("\x01\x07\b\t\n\x0b\f\r\x0e\x1f \x7f"));
    TEXT("\"\\\"\\\\/'<>&\"", S("\"\\/'<>&"));
    TEXT("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf\"", S("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf"));
    TEXT("\"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\"", S("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80"));
#define BAD "\xef\xbf\xbd"
    TEXT("\"a" BAD "b\"", S("a\xff" "b"));
    TEXT("\"" BAD BAD "\"", S("\xc0\xaf"));                         /* overlong */
    TEXT("\"" BAD BAD BAD "\"", S("\xe0\x9f\xbf"));
    TEXT("\"" BAD BAD BAD BAD "\"", S("\xf0\x8f\xbf\xbf"));
    TEXT("\"" BAD BAD BAD "\"", S("\xed\xa0\x80"));                 /* a surrogate */
    TEXT("\"" BAD BAD BAD BAD "\"", S("\xf4\x90\x80\x80"));         /* beyond U+10FFFF */
    TEXT("\"" BAD "\"", S("\x80"));
    TEXT("\"" BAD "a\"", S("\xc3" "a"));
    TEXT("\"" BAD "\"", S("\xc3"));                                 /* cut off, also where the next byte would fit */
    TEXT("\"" BAD BAD "\"", aicc_write_string(&w, NOKEY, aicc_sn("\xe2\x82\xac", 2)));
    TEXT("\"" BAD "\\n" BAD "\\\"\"", S("\xf8\n\xfe\""));
}

static void numbers(void)
{
    TEXT("0", N(0, -1));
    TEXT("-0", N(-0.0, -1));
    TEXT("0.1", N(0.1, -1));
    TEXT("0.10000000149011612", N((double)0.1f, -1));
    TEXT("123456.789", N(123456.789, -1));
    TEXT("999999999999.999", N(999999999999.999, -1));
    TEXT("9007199254740992", N(9007199254740993.0, -1));
    TEXT("100000000000000000000", N(1e20, -1));
    TEXT("1e+21", N(1e21, -1));
    TEXT("0.000001", N(1e-6, -1));
    TEXT("1e-07", N(1e-7, -1));
    TEXT("5e-324", N(5e-324, -1));
    TEXT("-1.7976931348623157e+308", N(-1.7976931348623157e308, -1));
    TEXT("2.2250738585072014e-308", N(2.2250738585072014e-308, -1));
    TEXT("null", N((double)1e300 * 1e300, -1));
    TEXT("null", N(-1e300 * 1e300, 3));
    TEXT("null", N(1e300 * 1e300 * 0, 3));

    TEXT("3", N(3.14159, 0));
    TEXT("3.14", N(3.14159, 2));
    TEXT("3.1", N(3.1, 9));
    TEXT("2", N(1.5, 0));
    TEXT("2", N(2.5, 0));           /* to even */
    TEXT("-4", N(-3.5, 0));
    TEXT("0.12", N(0.125, 2));
    TEXT("0.38", N(0.375, 2));
    TEXT("2.67", N(2.675, 2));      /* which is less than it looks */
    TEXT("1", N(0.9999, 2));
    TEXT("100", N(99.999, 2));
    TEXT("0", N(0.004, 2));
    TEXT("0", N(-0.004, 2));
    TEXT("0", N(-0.0, 0));
    TEXT("-0.01", N(-0.006, 2));
    TEXT("0.000000001", N(0.9e-9, 9));
    TEXT("0", N(5e-324, 9));
    TEXT("1.000000001", N(1.000000001, 9));
    TEXT("4503599627370495.5", N(4503599627370495.5, 9));
    TEXT("4503599627370496", N(4503599627370495.5, 0));
    TEXT("9007199254740992", N(9007199254740992.0, 9));
    TEXT("1e+300", N(1e300, 2));
}

static void faults(void)
{
    FAULT(AICC_E_STATE, (void)0);
    FAULT(AICC_E_STATE, aicc_write_object(&w, NOKEY));
    FAULT(AICC_E_STATE, aicc_write_end(&w));
    FAULT(AICC_E_STATE, { OBJECT((void)0); aicc_write_end(&w); });
    FAULT(AICC_E_STATE, { aicc_write_null(&w, NOKEY); aicc_write_null(&w, NOKEY); });
    FAULT(AICC_E_STATE, { OBJECT((void)0); aicc_write_object(&w, NOKEY); });
    FAULT(AICC_E_NAME, aicc_write_null(&w, aicc_s("key")));
    FAULT(AICC_E_NAME, OBJECT(aicc_write_null(&w, NOKEY)));
    FAULT(AICC_E_NAME, OBJECT(aicc_write_null(&w, aicc_s(""))));
    FAULT(AICC_E_NAME, ARRAY(aicc_write_null(&w, aicc_s("key"))));
    FAULT(AICC_E_NAME, ARRAY(aicc_write_object(&w, aicc_s("key"))));
    FAULT(AICC_E_NAME, OBJECT({ aicc_write_array(&w, aicc_s("a")); aicc_write_null(&w, aicc_s("key")); }));
    FAULT(AICC_E_ARG, N(1, 10));
    FAULT(AICC_E_ARG, N(1, -2));
    FAULT(AICC_E_ARG, OBJECT(aicc_write_null(&w, aicc_sn(NULL, AICC_NTS))));
    FAULT(AICC_E_ARG, aicc_write_string(&w, NOKEY, aicc_sn(NULL, 1)));
    FAULT(AICC_E_ARG, aicc_write_json(&w, NOKEY, aicc_sn(NULL, 1)));
    FAULT(AICC_E_ARG, aicc_write_string(&w, NOKEY, aicc_sn("x", (size_t)-2)));
    FAULT(AICC_E_JSON, aicc_write_json(&w, NOKEY, NOKEY));
    FAULT(AICC_E_JSON, aicc_write_json(&w, NOKEY, aicc_s("")));
    FAULT(AICC_E_ARG, aicc_write_begin(&w, NULL, 8));
    FAULT(AICC_E_RANGE, for (int i = 0; i < 65; i++) aicc_write_array(&w, NOKEY));
    FAULT(AICC_E_NAME, { OBJECT(aicc_write_null(&w, NOKEY)); N(1, 99); });   /* the first */

    aicc_str out;
    CHECK(aicc_write_done(NULL, &out) == AICC_E_ARG && aicc_write_done(&w, NULL) == AICC_E_ARG);
    aicc_write_begin(NULL, buf, 8);
    aicc_write_object(NULL, NOKEY);
    aicc_write_array(NULL, NOKEY);
    aicc_write_end(NULL);
    aicc_write_number(NULL, NOKEY, 1, 99);
    aicc_write_integer(NULL, NOKEY, 1);
    aicc_write_bool(NULL, NOKEY, 1);
    aicc_write_string(NULL, NOKEY, aicc_sn(NULL, 1));
    aicc_write_null(NULL, NOKEY);
    aicc_write_json(NULL, NOKEY, aicc_sn(NULL, 1));
}

static void depth(void)
{
    char want[257] = "";
    for (int i = 0; i < 64; i++) strcat(want, i % 3 ? "[" : i ? "{\"k\":" : "{\"k\":");
    aicc_write_begin(&w, buf, sizeof buf);
    for (int i = 0; i < 64; i++) {
        aicc_str key = i > 0 && (i - 1) % 3 == 0 ? aicc_s("k") : NOKEY;
        if (i % 3) aicc_write_array(&w, key);
        else aicc_write_object(&w, key);
    }
    aicc_write_null(&w, aicc_s("k"));
    for (int i = 63; i >= 0; i--) aicc_write_end(&w);
    strcat(want, "null");
    for (int i = 63; i >= 0; i--) strcat(want, i % 3 ? "]" : "}");
    CHECK(t_is(done(AICC_OK, __LINE__), want));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        if (!setlocale(LC_ALL, argv[1])) return 8;
        snprintf(buf, sizeof buf, "%.1f", 1.5);
        CHECK(strcmp(buf, "1,5") == 0);     /* else this run shows nothing */
    }
    values();
    strings();
    numbers();
    faults();
    depth();
    return t_failed;
}
