/* print IN OUT: for each tape of IN three records: the value written anew by iteration, its JSON text, and the tape that a copy of it is.
 * Each value inside is copied, opened and compared as well. */
#include "t.h"

static void print(const aicc_value *v, aicc_str key, aicc_writer *w)
{
    aicc_str none = aicc_sn(NULL, 0), s;
    aicc_value child;
    uint32_t place = 0;
    int32_t b;
    int64_t n;
    double d;
    char text[64];
    size_t len, count, seen = 0;
    switch (v->kind) {
    case AICC_KIND_NULL:
        CHECK(aicc_value_number(v, none, &d) == AICC_ABSENT);
        aicc_write_null(w, key);
        return;
    case AICC_KIND_BOOL:
        CHECK(aicc_value_bool(v, none, &b) == AICC_OK);
        aicc_write_bool(w, key, b);
        return;
    case AICC_KIND_INTEGER:
        CHECK(aicc_value_integer(v, none, &n) == AICC_OK);
        CHECK(aicc_value_number(v, none, &d) == AICC_OK && d == (double)n);
        aicc_write_integer(w, key, n);
        return;
    case AICC_KIND_NUMBER:
        CHECK(aicc_value_integer(v, none, &n) != AICC_OK);
        if (aicc_value_number(v, none, &d) == AICC_OK) {
            aicc_write_number(w, key, d, -1);
            return;
        }
        CHECK(aicc_value_number(v, none, &d) == AICC_E_RANGE);
        CHECK(aicc_value_json(v, none, text, sizeof text, &len) == AICC_OK);
        aicc_write_json(w, key, aicc_sn(text, len));
        return;
    case AICC_KIND_STRING:
        CHECK(aicc_value_string(v, none, &s) == AICC_OK && s.ptr[s.len] == 0);
        /* A view without bytes is one that was not given, and an empty string when written. */
        aicc_write_string(w, key, s);
        return;
    }
    if (v->kind == AICC_KIND_OBJECT) aicc_write_object(w, key);
    else aicc_write_array(w, key);
    while (aicc_value_next(v, &place, &s, &child) == AICC_OK) {
        CHECK(v->kind == AICC_KIND_OBJECT ? s.ptr[s.len] == 0 : s.ptr == NULL && s.len == 0);
        print(&child, s, w);
        seen++;
    }
    CHECK(aicc_value_next(v, &place, NULL, &child) == AICC_EMPTY);
    CHECK(aicc_value_count(v, none, &count) == AICC_OK && count == seen);
    aicc_write_end(w);
}

/* The tape of a value inside: it opens, says the same text, and its copy is the same bytes. */
static void copy_all(const aicc_value *v)
{
    aicc_str none = aicc_sn(NULL, 0);
    size_t size, again, len, other;
    aicc_value copy, child;
    uint32_t place = 0;
    CHECK(aicc_value_copy(v, NULL, 0, &size) == AICC_E_SMALL);
    char *tape = malloc(size), *twice = malloc(size);
    CHECK(aicc_value_copy(v, tape, size - 1, &again) == AICC_E_SMALL && again == size);
    CHECK(aicc_value_copy(v, tape, size, &again) == AICC_OK && again == size);
    CHECK(aicc_value_open(tape, size, &copy) == AICC_OK && copy.kind == v->kind);
    CHECK(aicc_value_copy(&copy, twice, size, &again) == AICC_OK && memcmp(tape, twice, size) == 0);
    CHECK(aicc_value_json(v, none, NULL, 0, &len) == AICC_E_SMALL);
    char *a = malloc(len + 1), *b = malloc(len + 1);
    CHECK(aicc_value_json(v, none, a, len, &other) == AICC_E_SMALL && other == len);
    CHECK(aicc_value_json(v, none, a, len + 1, &other) == AICC_OK && other == len && a[len] == 0);
    CHECK(aicc_value_json(&copy, none, b, len + 1, &other) == AICC_OK && strcmp(a, b) == 0);
    free(a), free(b), free(twice), free(tape);
    while (aicc_value_next(v, &place, NULL, &child) == AICC_OK) copy_all(&child);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 9;
    FILE *in = t_open(argv[1], "rb"), *out = t_open(argv[2], "wb");
    char *tape;
    size_t size, len;
    while ((tape = t_read(in, &size)) != NULL) {
        aicc_value root;
        aicc_writer w;
        aicc_str text;
        CHECK(aicc_value_open(tape, size, &root) == AICC_OK);
        if (t_failed) return 1;

        /* First without room, to learn how much it takes. */
        aicc_write_begin(&w, NULL, 0);
        print(&root, aicc_sn(NULL, 0), &w);
        CHECK(aicc_write_done(&w, &text) == AICC_E_SMALL);
        size_t cap = text.len + 1;
        char *buf = malloc(cap);
        aicc_write_begin(&w, buf, cap);
        print(&root, aicc_sn(NULL, 0), &w);
        CHECK(aicc_write_done(&w, &text) == AICC_OK && text.ptr == buf && text.len == cap - 1 && buf[text.len] == 0);
        t_write(out, text.ptr, text.len);
        free(buf);

        CHECK(aicc_value_json(&root, aicc_sn(NULL, 0), NULL, 0, &len) == AICC_E_SMALL);
        buf = malloc(len + 1);
        CHECK(aicc_value_json(&root, aicc_sn(NULL, 0), buf, len + 1, &len) == AICC_OK);
        t_write(out, buf, len);
        free(buf);

        buf = malloc(size);
        CHECK(aicc_value_copy(&root, buf, size, &len) == AICC_OK && len == size);
        t_write(out, buf, size);
        free(buf);

        copy_all(&root);
        free(tape);
        if (t_failed) return 1;
    }
    fclose(in);
    fclose(out);
    return t_failed;
}
