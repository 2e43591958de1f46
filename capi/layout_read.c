/* layout_read.c: a struct filled from a value, on the caller's thread, by its layout's program. The model is Read of core/layout. */
#include "front.h"

#include <string.h>

enum { MAX_OPS = 256 };

/* Twice over the value: all of it is looked at before anything is written. */
typedef struct reader {
    char *out;
    int   fill;
} reader;

static aicc_str nowhere(void) { return aicc__view(NULL, 0); }

static void put(const reader *r, size_t at, const void *from, size_t size)
{
    if (r->fill)
        memcpy(r->out + at, from, size);
}

static void put_bits(const reader *r, size_t at, uint64_t bits, size_t size) { put(r, at, &bits, size); }

static aicc_status read_object(const reader *r, const layout *l, size_t base, const aicc_value *object);

/* ---- integers: also as 3.0 and 1e3, and beyond int64 from their text */

/* digits * 10^exponent as an unsigned integer. */
static aicc_status scaled(const char *digits, size_t n, int64_t exponent, uint64_t *out)
{
    uint64_t v = 0;
    while (n > 0 && digits[n - 1] == '0') {
        n--;
        exponent++;
    }
    if (n > 0 && exponent < 0)
        return AICC_E_TYPE;
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return AICC_E_RANGE;
        v = v * 10 + digit;
    }
    for (; v > 0 && exponent > 0; exponent--) {
        if (v > UINT64_MAX / 10)
            return AICC_E_RANGE;
        v *= 10;
    }
    *out = v;
    return AICC_OK;
}

/* A JSON number that is not negative. A text as long as this holds none that fits and is not plain. */
static aicc_status parse_unsigned(const char *text, size_t len, uint64_t *out)
{
    char digits[64];
    size_t n = 0, i = 0;
    int64_t exponent = 0, e = 0;
    int negative = 0, point = 0;
    if (len > sizeof digits)
        return AICC_E_RANGE;
    for (; i < len && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.')
            point = 1;
        else {
            digits[n++] = text[i];
            exponent -= point;
        }
    }
    if (i < len)
        i++;
    if (i < len && (text[i] == '-' || text[i] == '+'))
        negative = text[i++] == '-';
    for (; i < len && e < 1000; i++)
        e = e * 10 + (text[i] - '0');
    return scaled(digits, n, exponent + (negative ? -e : e), out);
}

static int is_signed(const layout_op *op)
{
    return op->code == AICC_I8 || op->code == AICC_I16 || op->code == AICC_I32 || op->code == AICC_I64;
}

static aicc_status keep_signed(const reader *r, const layout_op *op, size_t at, int64_t v)
{
    unsigned shift = (unsigned)(64 - 8 * op->size);
    if ((int64_t)((uint64_t)v << shift) >> shift != v)
        return AICC_E_RANGE;
    put_bits(r, at, (uint64_t)v, op->size);
    return AICC_OK;
}

static aicc_status keep_unsigned(const reader *r, const layout_op *op, size_t at, uint64_t v)
{
    if (op->size < 8 && v >> (8 * op->size) != 0)
        return AICC_E_RANGE;
    put_bits(r, at, v, op->size);
    return AICC_OK;
}

/* The digits that STRING writes: no signs but one minus, no zeros before. */
static int is_whole(const char *s, size_t n)
{
    if (n > 1 && s[0] == '-') {
        s++;
        n--;
    }
    for (size_t i = 0; i < n; i++)
        if (s[i] < '0' || s[i] > '9')
            return 0;
    return n == 1 || (n > 1 && s[0] != '0');
}

static aicc_status read_digits(const reader *r, const layout_op *op, size_t at, const char *s, size_t n)
{
    int negative = n > 0 && s[0] == '-';
    uint64_t v = 0;
    aicc_status status;
    if (!is_whole(s, n))
        return AICC_E_TYPE;
    status = parse_unsigned(s + negative, n - (size_t)negative, &v);
    if (status != AICC_OK)
        return status;
    if (!is_signed(op))
        return negative && v > 0 ? AICC_E_RANGE : keep_unsigned(r, op, at, v);
    if (v > (uint64_t)INT64_MAX + (uint64_t)negative)
        return AICC_E_RANGE;
    return keep_signed(r, op, at, negative ? (int64_t)(0 - v) : (int64_t)v);
}

static aicc_status read_integer(const reader *r, const layout_op *op, size_t at, const aicc_value *value)
{
    char text[65];
    size_t len;
    int64_t v;
    uint64_t u;
    aicc_str s;
    aicc_status status;
    if (value->kind == AICC_KIND_STRING && (op->flags & AICC_FIELD_STRING) != 0)
        return aicc_value_string(value, nowhere(), &s) == AICC_OK ? read_digits(r, op, at, s.ptr, s.len) : AICC_E_TYPE;
    status = aicc_value_integer(value, nowhere(), &v);
    if (status == AICC_OK)
        return is_signed(op) ? keep_signed(r, op, at, v) : v < 0 ? AICC_E_RANGE : keep_unsigned(r, op, at, (uint64_t)v);
    if (status != AICC_E_RANGE || op->code != AICC_U64 || aicc_value_json(value, nowhere(), text, sizeof text, &len) != AICC_OK || text[0] == '-')
        return status;
    status = parse_unsigned(text, len, &u);
    return status == AICC_OK ? keep_unsigned(r, op, at, u) : status;
}

/* ---- the other types */

static aicc_status read_float(const reader *r, const layout_op *op, size_t at, const aicc_value *value)
{
    double d;
    float f;
    aicc_status status = aicc_value_number(value, nowhere(), &d);
    if (status != AICC_OK)
        return status;
    if (op->code == AICC_F64) {
        put(r, at, &d, sizeof d);
        return AICC_OK;
    }
    if (d >= 3.4028235677973366e38 || d <= -3.4028235677973366e38) /* from here on the nearest float is infinite */
        return AICC_E_RANGE;
    f = (float)d;
    put(r, at, &f, sizeof f);
    return AICC_OK;
}

static aicc_status read_chars(const reader *r, const layout_op *op, size_t base, const aicc_value *value, int64_t *count)
{
    size_t room = op->count_type == 0 ? op->count - 1 : op->count;
    char *to = r->out + base + op->offset;
    aicc_str s;
    aicc_status status = aicc_value_string(value, nowhere(), &s);
    if (status != AICC_OK)
        return status;
    if (s.len > room || (op->count_type == 0 && s.len > 0 && memchr(s.ptr, 0, s.len) != NULL))
        return AICC_E_RANGE;
    if (r->fill) {
        memset(to, 0, op->count);
        if (s.len > 0)
            memcpy(to, s.ptr, s.len);
    }
    *count = (int64_t)s.len;
    return AICC_OK;
}

static aicc_status read_enum(const reader *r, const layout *l, const layout_op *op, size_t at, const aicc_value *value)
{
    aicc_str s;
    aicc_status status = aicc_value_string(value, nowhere(), &s);
    for (uint32_t i = 0; status == AICC_OK && i < op->names; i++) {
        layout_name name;
        memcpy(&name, l->base + op->names_at + (size_t)i * sizeof name, sizeof name);
        if (name.json_len == 0 || name.len != s.len || memcmp(l->base + name.at, s.ptr, s.len) != 0)
            continue;
        put_bits(r, at, i, op->size);
        return AICC_OK;
    }
    return status == AICC_OK ? AICC_E_RANGE : status;
}

static aicc_status read_value(const reader *r, const layout *l, const layout_op *op, size_t at, const aicc_value *value)
{
    aicc_status status;
    aicc_str s;
    int32_t b;
    if (value->kind == AICC_KIND_NULL)
        return AICC_E_TYPE;
    switch (op->code) {
    case AICC_STRUCT:
        return value->kind == AICC_KIND_OBJECT ? read_object(r, aicc__layout_at(op->element), at, value) : AICC_E_TYPE;
    case AICC_TEXT:
        status = aicc_value_string(value, nowhere(), &s);
        if (status == AICC_OK && s.len > op->count)
            return AICC_E_RANGE;
        if (status == AICC_OK)
            put(r, at, &s, sizeof s);
        return status;
    case AICC_ENUM8: case AICC_ENUM16: case AICC_ENUM32:
        return read_enum(r, l, op, at, value);
    case AICC_BOOL8: case AICC_BOOL32:
        status = aicc_value_bool(value, nowhere(), &b);
        if (status == AICC_OK)
            put_bits(r, at, b != 0, op->size);
        return status;
    case AICC_F32: case AICC_F64:
        return read_float(r, op, at, value);
    default:
        return read_integer(r, op, at, value);
    }
}

static aicc_status read_array(const reader *r, const layout *l, const layout_op *op, size_t at, const aicc_value *value, int64_t *count)
{
    uint32_t place = 0;
    size_t n;
    aicc_value element;
    aicc_status status = value->kind == AICC_KIND_ARRAY ? aicc_value_count(value, nowhere(), &n) : AICC_E_TYPE;
    if (status != AICC_OK)
        return status;
    for (uint32_t i = 0; i < op->count && aicc_value_next(value, &place, NULL, &element) == AICC_OK; i++) {
        status = read_value(r, l, op, at + (size_t)i * op->stride, &element);
        if (status != AICC_OK)
            return status;
    }
    if (n > op->count || (op->count_type == 0 && n != op->count))
        return AICC_E_RANGE;
    *count = (int64_t)n;
    return AICC_OK;
}

/* What a pointer names. AICC_ABSENT: there is nothing, or a null on the way. AICC_E_TYPE: something on the way is no object. */
static aicc_status find(const aicc_value *object, const char *pointer, size_t len, aicc_value *out)
{
    for (size_t at = 1; at <= len; at++) {
        if (at < len && pointer[at] != '/')
            continue;
        if (aicc_value_find(object, aicc__view(pointer, at), out) != AICC_OK || out->kind == AICC_KIND_NULL)
            return AICC_ABSENT;
        if (at < len && out->kind != AICC_KIND_OBJECT)
            return AICC_E_TYPE;
    }
    return AICC_OK;
}

static aicc_status read_op(const reader *r, const layout *l, const layout_op *op, size_t base, const aicc_value *object, int64_t *count)
{
    aicc_value value;
    aicc_status status = find(object, l->base + op->pointer_at, op->pointer_len, &value);
    if (status != AICC_OK)
        return status == AICC_ABSENT ? AICC_OK : status;
    if (op->code == AICC_CHARS)
        status = read_chars(r, op, base, &value, count);
    else if (layout_is_array(op))
        status = read_array(r, l, op, base + op->offset, &value, count);
    else
        return read_value(r, l, op, base + op->offset, &value);
    if (status == AICC_OK && op->count_type != 0)
        put_bits(r, base + op->count_offset, (uint64_t)*count, op->count_type == AICC_U8 ? 1 : op->count_type == AICC_U16 ? 2 : 4);
    return status;
}

static aicc_status read_object(const reader *r, const layout *l, size_t base, const aicc_value *object)
{
    int64_t counts[MAX_OPS];
    for (uint32_t i = 0; i < l->ops_count && i < MAX_OPS; i++) {
        const layout_op *op = &l->ops[i];
        aicc_status status;
        counts[i] = -1;
        if (op->code == 0)
            continue;
        status = read_op(r, l, op, base, object, &counts[i]);
        if (status != AICC_OK)
            return status;
        for (uint32_t k = 0; k < i && op->count_type != 0 && counts[i] >= 0; k++) {
            const layout_op *o = &l->ops[k];
            if (o->count_type == op->count_type && o->count_offset == op->count_offset && counts[k] >= 0 && counts[k] != counts[i])
                return AICC_E_RANGE; /* two arrays with one count */
        }
    }
    return AICC_OK;
}

aicc_status aicc_value_struct(const aicc_value *value, aicc_str pointer, aicc_layout handle, void *out, size_t size)
{
    const layout *l = aicc__layout(handle);
    reader r = {out, 0};
    aicc_value object;
    aicc_status status;
    if (l == NULL)
        return AICC_E_HANDLE;
    if (out == NULL || size != l->size)
        return AICC_E_ARG;
    status = aicc_value_find(value, pointer, &object);
    if (status != AICC_OK || object.kind == AICC_KIND_NULL)
        return status != AICC_OK ? status : AICC_ABSENT;
    if (object.kind != AICC_KIND_OBJECT)
        return AICC_E_TYPE;
    status = read_object(&r, l, 0, &object);
    if (status != AICC_OK)
        return status;
    r.fill = 1;
    return read_object(&r, l, 0, &object);
}
