/* gather.c: a struct and the texts that it points to become one piece without pointers, of the form that core/layout/doc.go gives. */
#include "front.h"

#include <string.h>

enum { TEXT_CUT = 1u << 31 };

uint32_t aicc__layout_used(const layout_op *op, const char *base)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t n = op->count;
    switch (op->count_type) {
    case AICC_U8:
        memcpy(&u8, base + op->count_offset, sizeof u8);
        n = u8;
        break;
    case AICC_U16:
        memcpy(&u16, base + op->count_offset, sizeof u16);
        n = u16;
        break;
    case AICC_I32:
    case AICC_U32:
        memcpy(&n, base + op->count_offset, sizeof n);
        if (op->count_type == AICC_I32 && n > INT32_MAX)
            return 0;
        break;
    default:
        break;
    }
    return n < op->count ? n : op->count;
}

/* How much of a text is taken, and whether that is less than it has. */
size_t aicc__layout_text(const layout_op *op, const aicc_str *s, int *cut)
{
    size_t n = s->len;
    *cut = 0;
    if (n == 0 || s->ptr == NULL)
        return 0;
    if (n == AICC_NTS) {
        const char *end = memchr(s->ptr, 0, (size_t)op->count + 1);
        n = end != NULL ? (size_t)(end - s->ptr) : (size_t)op->count + 1;
    }
    if (n <= op->count)
        return n;
    *cut = 1;
    return aicc__utf8_cut(s->ptr, op->count, op->count);
}

/* The structs' copy at out, its texts behind it. */
typedef struct gathering {
    char  *out;
    size_t at, cap;
} gathering;

static void gather_text(gathering *g, const layout_op *op, char *place, int use)
{
    aicc_str s;
    uint32_t pair[2] = {0, 0};
    int cut;
    size_t n;
    memcpy(&s, place, sizeof s);
    memset(place, 0, sizeof s);
    if (!use)
        return;
    n = aicc__layout_text(op, &s, &cut);
    if (n > g->cap - g->at)
        n = g->cap - g->at;      /* only when the host has changed the struct meanwhile */
    if (n > 0) {
        memcpy(g->out + g->at, s.ptr, n);
        pair[0] = (uint32_t)g->at;
        g->at += n;
    }
    pair[1] = (uint32_t)n | (cut ? TEXT_CUT : 0);
    memcpy(place, pair, sizeof pair);
}

static void gather_in(gathering *g, const layout *l, char *base, int use)
{
    for (uint32_t i = 0; i < l->ops_count; i++) {
        const layout_op *op = &l->ops[i];
        const layout *element = op->code == AICC_STRUCT ? aicc__layout_at(op->element) : NULL;
        if (op->code == AICC_TEXT)
            gather_text(g, op, base + op->offset, use);
        if (element == NULL || !element->has_text)
            continue;
        uint32_t n = layout_is_array(op) ? op->count : 1, used = layout_is_array(op) ? aicc__layout_used(op, base) : 1;
        for (uint32_t k = 0; k < n; k++)
            gather_in(g, element, base + op->offset + (size_t)k * op->stride, use && k < used);
    }
}

size_t aicc__gather(const layout *l, const void *data, char *out, size_t cap)
{
    gathering g = {out, l->size, cap};
    memcpy(out, data, l->size);
    if (l->has_text)
        gather_in(&g, l, out, 1);
    return g.at;
}

static size_t texts_size(const layout *l, const char *base)
{
    size_t size = 0;
    for (uint32_t i = 0; i < l->ops_count; i++) {
        const layout_op *op = &l->ops[i];
        const layout *element = op->code == AICC_STRUCT ? aicc__layout_at(op->element) : NULL;
        if (op->code == AICC_TEXT) {
            aicc_str s;
            int cut;
            memcpy(&s, base + op->offset, sizeof s);
            size += aicc__layout_text(op, &s, &cut);
        }
        if (element == NULL || !element->has_text)
            continue;
        uint32_t used = layout_is_array(op) ? aicc__layout_used(op, base) : 1;
        for (uint32_t k = 0; k < used; k++)
            size += texts_size(element, base + op->offset + (size_t)k * op->stride);
    }
    return size;
}

size_t aicc__gather_size(const layout *l, const void *data)
{
    return l->size + (l->has_text ? texts_size(l, data) : 0);
}
