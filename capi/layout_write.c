/* layout_write.c: a struct as JSON, written on the caller's thread by its layout's program. The model is Append of core/layout. */
#include "front.h"
#include "writer.h"

#include <string.h>

/* Where it is written, and the last byte of that, which tells whether a comma is needed. */
typedef struct layout_writer {
    aicc_writer *w;
    char         last;
} layout_writer;

static void put(layout_writer *p, const char *text, size_t n)
{
    if (n == 0)
        return;
    aicc__write_raw(p->w, text, n);
    p->last = text[n - 1];
}

static void put_text(layout_writer *p, aicc_str s)
{
    aicc__write_text(p->w, s.len > 0 ? s.ptr : "", s.len);
    p->last = '"';
}

static void comma(layout_writer *p)
{
    if (p->last != '{' && p->last != '[')
        put(p, ",", 1);
}

/* 0 of what has more than 8 bytes and so is no number. */
static uint64_t bits_at(const char *at, size_t size)
{
    uint64_t bits = 0;
    if (size <= sizeof bits)
        memcpy(&bits, at, size);
    return bits;
}

static int64_t extended(uint64_t bits, size_t size)
{
    unsigned shift = (unsigned)(64 - 8 * size);
    return (int64_t)(bits << shift) >> shift;
}

/* A number as text; 0: it is no number. */
static size_t number(const layout_op *op, const char *at, char *out)
{
    uint64_t bits = bits_at(at, op->size);
    double d;
    float f;
    switch (op->code) {
    case AICC_F32:
        memcpy(&f, at, sizeof f);
        if (op->decimals > 0 && f < 4503599627370496.0f && f > -4503599627370496.0f)
            return aicc__format_fixed(out, (double)f, (int32_t)op->decimals);
        return aicc__format_float(out, f);
    case AICC_F64:
        memcpy(&d, at, sizeof d);
        return op->decimals > 0 ? aicc__format_fixed(out, d, (int32_t)op->decimals) : aicc__format_number(out, d);
    case AICC_I8: case AICC_I16: case AICC_I32: case AICC_I64:
        return aicc__format_integer(out, extended(bits, op->size));
    case AICC_U8: case AICC_U16: case AICC_U32: case AICC_U64:
        return aicc__format_unsigned(out, bits);
    default:
        return 0;
    }
}

static aicc_str text_at(const layout_op *op, const char *base)
{
    const char *at = base + op->offset, *end;
    aicc_str s;
    int cut;
    if (op->code == AICC_TEXT) {
        memcpy(&s, at, sizeof s);
        s.len = aicc__layout_text(op, &s, &cut);
        return s;
    }
    s.ptr = at;
    s.len = aicc__layout_used(op, base);
    end = op->count_type == 0 ? memchr(at, 0, s.len) : NULL;
    if (end != NULL)
        s.len = (size_t)(end - at);
    return s;
}

static void put_object(layout_writer *p, const layout *l, const char *base);

static void put_name(layout_writer *p, const layout *l, const layout_op *op, uint64_t value)
{
    layout_name name = {0, 0, 0, 0};
    if (value < op->names)
        memcpy(&name, l->base + op->names_at + value * sizeof name, sizeof name);
    if (name.json_len > 0)
        put(p, l->base + name.json_at, name.json_len);
    else
        put(p, "null", 4);
}

/* One value that is no text of CHARS: that needs the struct. */
static void put_value(layout_writer *p, const layout *l, const layout_op *op, const char *at)
{
    char text[AICC__NUMBER_MAX];
    size_t n = number(op, at, text);
    int quoted = (op->flags & AICC_FIELD_STRING) != 0;
    if (n > 0) {
        put(p, "\"", (size_t)quoted);
        put(p, text, n);
        put(p, "\"", (size_t)quoted);
    } else if (op->code == AICC_STRUCT) {
        put_object(p, aicc__layout_at(op->element), at);
    } else if (op->code == AICC_BOOL8 || op->code == AICC_BOOL32) {
        if (bits_at(at, op->size) != 0)
            put(p, "true", 4);
        else
            put(p, "false", 5);
    } else {
        put_name(p, l, op, bits_at(at, op->size));
    }
}

/* Is a value one that may be left out? A float is empty when it is written as 0. */
static int empty(const layout_op *op, const char *base)
{
    char text[AICC__NUMBER_MAX];
    size_t n;
    if (layout_is_array(op))
        return aicc__layout_used(op, base) == 0;
    if (op->code == AICC_CHARS || op->code == AICC_TEXT)
        return text_at(op, base).len == 0;
    if (op->code == AICC_STRUCT)
        return 0;
    n = number(op, base + op->offset, text);
    if (n > 0)
        return (n == 1 && text[0] == '0') || (n == 2 && text[0] == '-' && text[1] == '0');
    return bits_at(base + op->offset, op->size) == 0;
}

static void put_op(layout_writer *p, const layout *l, const layout_op *op, const char *base)
{
    const char *at = base + op->offset;
    if (op->code != 0 && (op->flags & AICC_FIELD_OMIT_EMPTY) != 0 && empty(op, base))
        return;
    if ((op->flags & LAYOUT_COMMA) != 0)
        comma(p);
    put(p, l->base + op->text_at, op->text_len);
    if (op->code == 0)
        return;
    if (op->code == AICC_CHARS || op->code == AICC_TEXT) {
        put_text(p, text_at(op, base));
    } else if (layout_is_array(op)) {
        put(p, "[", 1);
        for (uint32_t i = 0, n = aicc__layout_used(op, base); i < n; i++) {
            comma(p);
            put_value(p, l, op, at + (size_t)i * op->stride);
        }
        put(p, "]", 1);
    } else {
        put_value(p, l, op, at);
    }
}

static void put_object(layout_writer *p, const layout *l, const char *base)
{
    put(p, "{", 1);
    for (uint32_t i = 0; i < l->ops_count; i++)
        put_op(p, l, &l->ops[i], base);
    put(p, "}", 1);
}

void aicc_write_struct(aicc_writer *writer, aicc_str key, aicc_layout handle, const void *data, size_t size)
{
    layout_writer p = {writer, 0};
    const layout *l = aicc__layout(handle);
    if (writer != NULL && writer->status == AICC_OK && l == NULL)
        writer->status = AICC_E_HANDLE;
    else if (writer != NULL && writer->status == AICC_OK && (data == NULL || size != l->size))
        writer->status = AICC_E_ARG;
    if (aicc__write_before(writer, key))
        put_object(&p, l, data);
}
