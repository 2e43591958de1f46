/* value.h: the form of a tape, and what value.c, value_open.c and writer.c share. The form is that of core/tape/tape.go. */
#ifndef AICC_VALUE_H
#define AICC_VALUE_H

#include <string.h>
#include "core.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#  error "tapes are little-endian, and so must be the machine that reads them"
#endif

enum { AICC__TAPE_MAGIC = 0x54434941, AICC__TAPE_VERSION = 1, AICC__TAPE_HEADER = 32, AICC__TAPE_NODE = 24, AICC__TAPE_DEPTH = 64 };
enum { AICC__KIND_KEY = 8, AICC__FLAG_WHOLE = 1 << 8 };

typedef struct aicc__tape {
    uint32_t magic, version;
    uint32_t size;                  /* of all, a multiple of 8 */
    uint32_t nodes;
    uint32_t text, strings;         /* bytes of each */
    uint64_t check;
} aicc__tape;

typedef struct aicc__node {
    uint32_t kind;                  /* AICC_KIND_*, AICC__KIND_KEY; with AICC__FLAG_WHOLE */
    uint32_t next;                  /* index of the first node behind this value */
    uint32_t text, text_len;        /* its span, from the text's start */
    uint64_t payload;
} aicc__node;

/* A tape is bytes of the host's: it is read by copying, never through a pointer of these types. */
static inline aicc__tape aicc__tape_of(const void *tape) { aicc__tape t; memcpy(&t, tape, sizeof t); return t; }
static inline aicc__node aicc__node_at(const void *tape, uint32_t at)
{
    aicc__node n;
    memcpy(&n, (const char *)tape + AICC__TAPE_HEADER + (size_t)at * AICC__TAPE_NODE, sizeof n);
    return n;
}
static inline size_t      aicc__text_offset(const aicc__tape *t) { return AICC__TAPE_HEADER + (size_t)t->nodes * AICC__TAPE_NODE; }
static inline const char *aicc__tape_text(const void *tape, const aicc__tape *t) { return (const char *)tape + aicc__text_offset(t); }
static inline const char *aicc__tape_strings(const void *tape, const aicc__tape *t) { return aicc__tape_text(tape, t) + t->text; }
static inline uint32_t    aicc__node_kind(const aicc__node *n) { return n->kind & 0xffu; }
static inline uint32_t    aicc__string_at(const aicc__node *n) { return (uint32_t)n->payload; }
static inline uint32_t    aicc__string_len(const aicc__node *n) { return (uint32_t)(n->payload >> 32); }

/* The root of a tape that this library made, which it must outlive. NULL gives no value. Other tapes go through aicc_value_open. */
static inline aicc_value aicc__value_root(const void *tape)
{
    aicc_value v = { tape, 0, 0 };
    if (tape) v.kind = (int32_t)(aicc__node_at(tape, 0).kind & 0xffu);
    return v;
}

/* The check of a tape of this size: Check in core/tape. */
static inline uint64_t aicc__tape_check(const void *tape, size_t size)
{
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t h = odd, word;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        if (at == offsetof(aicc__tape, check)) continue;
        memcpy(&word, (const char *)tape + at, 8);
        h = (h ^ word) * odd;
        h ^= h >> 32;
    }
    return h;
}

/* A view as a pointer and a length; 0: it is null where it must not be. */
static inline int aicc__span(aicc_str s, const char **ptr, size_t *len)
{
    *ptr = s.ptr ? s.ptr : "";
    *len = s.len;
    if (s.len != 0 && !s.ptr) return 0;
    if (s.len == AICC_NTS) *len = strlen(s.ptr);
    return *len <= PTRDIFF_MAX;
}

/* How many bytes the UTF-8 sequence at p takes, which has up to `left` bytes, at least one; 0: it is none. */
static inline size_t aicc__utf8_len(const char *p, size_t left)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (n < 3) return n;
    /* Overlong forms, surrogates, and what lies beyond U+10FFFF show in the second byte. */
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
    return n;
}

#endif
