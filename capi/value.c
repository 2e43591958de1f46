/* Reading a value: everything here walks a tape that this library made or aicc_value_open has checked, and trusts it. */
#include "value.h"

/* One place in a tape, with what every reader of it needs. */
typedef struct aicc__spot {
    const void *tape;
    aicc__tape  head;
    uint32_t    at;
    aicc__node  node;
} aicc__spot;

static int aicc__move(aicc__spot *p, uint32_t at)
{
    p->at = at;
    p->node = aicc__node_at(p->tape, at);
    return 1;
}

static int aicc__has_name(const aicc__spot *p, const aicc__node *key, const char *token, size_t len)
{
    const char *name = aicc__tape_strings(p->tape, &p->head) + aicc__string_at(key);
    size_t left = aicc__string_len(key);
    if (left > len) return 0;
    if (!memchr(token, '~', len)) return left == len && memcmp(name, token, len) == 0;
    for (; len > 0 && left > 0; left--) {
        char c = *token++;
        len--;
        if (c == '~') {
            c = *token++ == '0' ? '~' : '/';
            len--;
        }
        if (c != *name++) return 0;
    }
    return len == 0 && left == 0;
}

static int aicc__to_member(aicc__spot *p, const char *token, size_t len)
{
    for (uint32_t at = p->at + 1, end = p->node.next; at < end; ) {
        aicc__node key = aicc__node_at(p->tape, at);
        if (aicc__has_name(p, &key, token, len)) return aicc__move(p, at + 1);
        at = aicc__node_at(p->tape, at + 1).next;
    }
    return 0;
}

static int aicc__to_element(aicc__spot *p, const char *token, size_t len)
{
    uint64_t index = 0;
    if (len == 0 || len > 10 || (len > 1 && token[0] == '0')) return 0;
    for (size_t i = 0; i < len; i++) {
        if (token[i] < '0' || token[i] > '9') return 0;
        index = index * 10 + (uint64_t)(token[i] - '0');
    }
    if (index >= p->node.payload) return 0;
    uint32_t at = p->at + 1;
    while (index-- > 0) at = aicc__node_at(p->tape, at).next;
    return aicc__move(p, at);
}

/* A "~" stands before a 0 or a 1 and nowhere else. */
static int aicc__is_pointer(const char *p, size_t len)
{
    const char *end = p + len;
    while ((p = memchr(p, '~', (size_t)(end - p))) != NULL)
        if (++p == end || (*p != '0' && *p != '1')) return 0;
    return 1;
}

/* Fills *p with what value and pointer name. AICC_OK also for a null. */
static aicc_status aicc__find(const aicc_value *value, aicc_str pointer, aicc__spot *p)
{
    const char *s;
    size_t len;
    if (!value) return AICC_E_ARG;
    if (!value->tape) return AICC_ABSENT;
    p->tape = value->tape;
    p->head = aicc__tape_of(value->tape);
    if (value->at >= p->head.nodes || !aicc__span(pointer, &s, &len)) return AICC_E_ARG;
    aicc__move(p, value->at);
    if (aicc__node_kind(&p->node) == AICC__KIND_KEY) return AICC_E_ARG;
    if (!aicc__is_pointer(s, len)) return AICC_E_NAME;
    if (len > 0 && s[0] == '/') s++, len--;
    else if (len == 0) return AICC_OK;
    for (;;) {
        const char *slash = memchr(s, '/', len);
        size_t token = slash ? (size_t)(slash - s) : len;
        uint32_t kind = aicc__node_kind(&p->node);
        int there = kind == AICC_KIND_OBJECT ? aicc__to_member(p, s, token) : kind == AICC_KIND_ARRAY ? aicc__to_element(p, s, token) : 0;
        if (!there) return AICC_ABSENT;
        if (!slash) return AICC_OK;
        s += token + 1;
        len -= token + 1;
    }
}

/* The same, and a null is not there. */
static aicc_status aicc__find_member(const aicc_value *value, aicc_str pointer, aicc__spot *p)
{
    aicc_status status = aicc__find(value, pointer, p);
    return status == AICC_OK && aicc__node_kind(&p->node) == AICC_KIND_NULL ? AICC_ABSENT : status;
}

static aicc_status aicc__number(const aicc__spot *p, const aicc__node *n, double *out)
{
    double d;
    switch (aicc__node_kind(n)) {
    case AICC_KIND_INTEGER:
        d = (double)(int64_t)n->payload;
        /* -0 is a whole number, and 0 as an integer. */
        if (n->payload == 0 && aicc__tape_text(p->tape, &p->head)[n->text] == '-') d = -d;
        break;
    case AICC_KIND_NUMBER:
        if ((n->payload & 0x7fffffffffffffffu) >= 0x7ff0000000000000u) return AICC_E_RANGE;
        memcpy(&d, &n->payload, sizeof d);
        break;
    default:
        return AICC_E_TYPE;
    }
    if (out) *out = d;
    return AICC_OK;
}

aicc_status AICC_CALL aicc_value_number(const aicc_value *value, aicc_str pointer, double *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    return status == AICC_OK ? aicc__number(&p, &p.node, out) : status;
}

aicc_status AICC_CALL aicc_value_integer(const aicc_value *value, aicc_str pointer, int64_t *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    if (status != AICC_OK) return status;
    if (p.node.kind == (AICC_KIND_NUMBER | AICC__FLAG_WHOLE)) return AICC_E_RANGE;
    if (p.node.kind != AICC_KIND_INTEGER) return AICC_E_TYPE;
    *out = (int64_t)p.node.payload;
    return AICC_OK;
}

aicc_status AICC_CALL aicc_value_bool(const aicc_value *value, aicc_str pointer, int32_t *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    if (status != AICC_OK) return status;
    if (p.node.kind != AICC_KIND_BOOL) return AICC_E_TYPE;
    *out = (int32_t)p.node.payload;
    return AICC_OK;
}

static aicc_str aicc__text_of(const aicc__spot *p, const aicc__node *n)
{
    return aicc_sn(aicc__tape_strings(p->tape, &p->head) + aicc__string_at(n), aicc__string_len(n));
}

aicc_status AICC_CALL aicc_value_string(const aicc_value *value, aicc_str pointer, aicc_str *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    if (status != AICC_OK) return status;
    if (p.node.kind != AICC_KIND_STRING) return AICC_E_TYPE;
    *out = aicc__text_of(&p, &p.node);
    return AICC_OK;
}

static int aicc__is_container(const aicc__node *n) { return n->kind == AICC_KIND_ARRAY || n->kind == AICC_KIND_OBJECT; }

aicc_status AICC_CALL aicc_value_count(const aicc_value *value, aicc_str pointer, size_t *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    if (status != AICC_OK) return status;
    if (!aicc__is_container(&p.node)) return AICC_E_TYPE;
    *out = (size_t)p.node.payload;
    return AICC_OK;
}

static aicc_value aicc__value_at(const aicc__spot *p, uint32_t at)
{
    aicc_value v = { p->tape, at, (int32_t)(aicc__node_at(p->tape, at).kind & 0xffu) };
    return v;
}

aicc_status AICC_CALL aicc_value_find(const aicc_value *value, aicc_str pointer, aicc_value *out)
{
    aicc__spot p;
    if (!out) return AICC_E_ARG;
    aicc_status status = aicc__find(value, pointer, &p);
    if (status == AICC_OK) *out = aicc__value_at(&p, p.at);
    return status;
}

aicc_status AICC_CALL aicc_value_numbers(const aicc_value *value, aicc_str pointer, double *out, size_t cap, size_t *count)
{
    aicc__spot p;
    if (!count || (!out && cap > 0)) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, pointer, &p);
    if (status != AICC_OK) return status;
    if (p.node.kind != AICC_KIND_ARRAY) return AICC_E_TYPE;
    /* All are looked at before one is written. Numbers have no nodes inside, so their places are p.at + 1 and on. */
    size_t n = (size_t)p.node.payload;
    for (uint32_t at = p.at + 1; at < p.node.next; ) {
        aicc__node element = aicc__node_at(p.tape, at);
        status = aicc__number(&p, &element, NULL);
        if (status != AICC_OK) return status;
        at = element.next;
    }
    *count = n;
    if (n > cap) return AICC_E_SMALL;
    for (size_t i = 0; i < n; i++) {
        aicc__node element = aicc__node_at(p.tape, p.at + 1 + (uint32_t)i);
        aicc__number(&p, &element, out + i);
    }
    return AICC_OK;
}

aicc_status AICC_CALL aicc_value_next(const aicc_value *value, uint32_t *place, aicc_str *key, aicc_value *out)
{
    aicc__spot p;
    if (!place || !out) return AICC_E_ARG;
    aicc_status status = aicc__find_member(value, aicc_sn(NULL, 0), &p);
    if (status != AICC_OK) return status;
    if (!aicc__is_container(&p.node)) return AICC_E_TYPE;
    /* A place is the index of a node, and 0, the root's, is no child's. */
    uint32_t at = *place ? *place : p.at + 1;
    if (at == p.node.next) return AICC_EMPTY;
    if (at <= p.at || at > p.node.next) return AICC_E_ARG;
    aicc__node n = aicc__node_at(p.tape, at);
    int named = n.kind == AICC__KIND_KEY;
    if (named != (p.node.kind == AICC_KIND_OBJECT)) return AICC_E_ARG;
    if (key) *key = named ? aicc__text_of(&p, &n) : aicc_sn(NULL, 0);
    *out = aicc__value_at(&p, at + (uint32_t)named);
    *place = aicc__node_at(p.tape, out->at).next;
    return AICC_OK;
}

aicc_status AICC_CALL aicc_value_json(const aicc_value *value, aicc_str pointer, char *buf, size_t cap, size_t *len)
{
    aicc__spot p;
    if (!len || (!buf && cap > 0)) return AICC_E_ARG;
    aicc_status status = aicc__find(value, pointer, &p);
    if (status != AICC_OK) return status;
    *len = p.node.text_len;
    if (cap <= p.node.text_len) return AICC_E_SMALL;
    memcpy(buf, aicc__tape_text(p.tape, &p.head) + p.node.text, p.node.text_len);
    buf[p.node.text_len] = 0;
    return AICC_OK;
}
