/* Copying a tape, and opening one that came from outside: nothing in it is believed before it was held against its bounds.
 *
 * A tape that is accepted has the one form that core/tape gives it, over a text that is JSON of at most 64 levels; every string says what the text
 * says there, and is UTF-8. Two things are not looked at: whether a number's payload is what the text says, and whether an object has a
 * name twice (the first one counts). Neither can do harm here. */
#include "value.h"

/* A container that is open. */
typedef struct aicc__level {
    uint32_t end;                   /* index of the first node behind it */
    uint32_t text_end;              /* of its closing bracket */
    uint64_t left;                  /* members or elements that have not come */
    int32_t  object;
    int32_t  first;                 /* none has come */
} aicc__level;

typedef struct aicc__check {
    const char *text, *strings;
    aicc__tape  head;
    uint32_t    text_at, strings_at; /* up to where each is accounted for */
} aicc__check;

static uint32_t aicc__skip_space(const char *text, uint32_t at, uint32_t end)
{
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) at++;
    return at;
}

/* Between what was seen last and `to` there is white space, and `mark` once unless it is 0. */
static int aicc__gap(aicc__check *c, uint32_t to, char mark)
{
    if (to < c->text_at || to > c->head.text) return 0;
    uint32_t at = aicc__skip_space(c->text, c->text_at, to);
    if (mark) {
        if (at == to || c->text[at] != mark) return 0;
        at = aicc__skip_space(c->text, at + 1, to);
    }
    c->text_at = to;
    return at == to;
}

static int aicc__hex4(const char *s, const char *end, uint32_t *out)
{
    uint32_t v = 0;
    if (end - s < 4) return 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                       : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10) : 16;
        if (digit == 16) return 0;
        v = v << 4 | digit;
    }
    *out = v;
    return 1;
}

/* What the escape behind the backslash at s means, as UTF-8. Returns how many bytes of text it takes; 0: it is none. */
static size_t aicc__unescape(const char *s, const char *end, char out[4], size_t *out_len)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t c, low;
    size_t used = 6;
    if (end - s < 2) return 0;
    if (s[1] != 'u') {
        const char *hit = s[1] ? strchr(from, s[1]) : NULL;
        if (!hit) return 0;
        out[0] = to[hit - from];
        *out_len = 1;
        return 2;
    }
    if (!aicc__hex4(s + 2, end, &c)) return 0;
    if (c >= 0xd800 && c <= 0xdfff) {
        if (c <= 0xdbff && end - s >= 12 && s[6] == '\\' && s[7] == 'u' && aicc__hex4(s + 8, end, &low) && low >= 0xdc00 && low <= 0xdfff) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            used = 12;
        } else {
            c = 0xfffd;             /* a surrogate alone */
        }
    }
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = n; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    *out_len = n;
    return used;
}

/* The string is where it must be, has its NUL, and means what the text says. */
static int aicc__check_string(aicc__check *c, const aicc__node *n)
{
    uint32_t at = aicc__string_at(n), len = aicc__string_len(n);
    if (at != c->strings_at || len >= c->head.strings - at) return 0;
    const char *means = c->strings + at, *means_end = means + len;
    if (*means_end != 0) return 0;
    c->strings_at = at + len + 1;
    const char *s = c->text + n->text, *end = s + n->text_len - 1;
    if (n->text_len < 2 || *s != '"' || *end != '"') return 0;
    for (s++; s < end; ) {
        char buf[4];
        const char *piece = s;
        size_t piece_len, used;
        if (*s == '\\') {
            used = aicc__unescape(s, end, buf, &piece_len);
            piece = buf;
        } else {
            used = *s == '"' || (unsigned char)*s < ' ' ? 0 : aicc__utf8_len(s, (size_t)(end - s));
            piece_len = used;
        }
        if (used == 0 || piece_len > (size_t)(means_end - means) || memcmp(piece, means, piece_len) != 0) return 0;
        s += used;
        means += piece_len;
    }
    return means == means_end;
}

static uint32_t aicc__digits(const char *s, uint32_t at, uint32_t end)
{
    while (at < end && s[at] >= '0' && s[at] <= '9') at++;
    return at;
}

static int aicc__is_number(const char *s, uint32_t len)
{
    uint32_t at = len > 0 && s[0] == '-', from = at;
    at = aicc__digits(s, at, len);
    if (at == from || (s[from] == '0' && at > from + 1)) return 0;
    if (at < len && s[at] == '.') {
        from = at + 1;
        at = aicc__digits(s, from, len);
        if (at == from) return 0;
    }
    if (at < len && (s[at] | 0x20) == 'e') {
        at++;
        if (at < len && (s[at] == '+' || s[at] == '-')) at++;
        from = at;
        at = aicc__digits(s, from, len);
        if (at == from) return 0;
    }
    return at == len;
}

static int aicc__is_word(const char *s, uint32_t len, const char *word) { return len == strlen(word) && memcmp(s, word, len) == 0; }

/* A node that has none inside. Its span is within the text. */
static int aicc__check_scalar(aicc__check *c, const aicc__node *n)
{
    const char *s = c->text + n->text;
    switch (n->kind) {
    case AICC_KIND_NULL:
        return n->payload == 0 && aicc__is_word(s, n->text_len, "null");
    case AICC_KIND_BOOL:
        return n->payload <= 1 && aicc__is_word(s, n->text_len, n->payload ? "true" : "false");
    case AICC_KIND_INTEGER:
        return aicc__is_number(s, n->text_len);
    case AICC_KIND_NUMBER:
    case AICC_KIND_NUMBER | AICC__FLAG_WHOLE:
        return (n->payload & 0x7fffffffffffffffu) <= 0x7ff0000000000000u && aicc__is_number(s, n->text_len);   /* no NaN */
    case AICC_KIND_STRING:
    case AICC__KIND_KEY:
        return aicc__check_string(c, n);
    }
    return 0;
}

/* Opens the container, whose span is within the text. */
static int aicc__check_open(aicc__check *c, const aicc__node *n, uint32_t limit, aicc__level *l)
{
    l->object = n->kind == AICC_KIND_OBJECT;
    l->end = n->next;
    l->left = n->payload;
    l->first = 1;
    if (n->text_len < 2 || n->next > limit) return 0;
    l->text_end = n->text + n->text_len - 1;
    c->text_at = n->text + 1;
    return c->text[n->text] == (l->object ? '{' : '[') && c->text[l->text_end] == (l->object ? '}' : ']');
}

static int aicc__check_nodes(const void *tape, aicc__check *c)
{
    aicc__level levels[AICC__TAPE_DEPTH], *l = NULL;    /* l is the innermost, NULL outside */
    int value_of_key = 0;
    for (uint32_t at = 0; at < c->head.nodes; at++) {
        aicc__node n = aicc__node_at(tape, at);
        uint32_t limit = l ? l->end : c->head.nodes, text_limit = l ? l->text_end : c->head.text;
        char mark = 0;
        if (value_of_key) {
            mark = ':';
        } else if (l) {
            if (l->left-- == 0 || (l->object && n.kind != AICC__KIND_KEY)) return 0;
            mark = l->first ? 0 : ',';
            l->first = 0;
        } else if (n.text != 0) {
            return 0;
        }
        if (n.kind == AICC__KIND_KEY && (value_of_key || !l || !l->object)) return 0;
        if (!aicc__gap(c, n.text, mark) || n.text > text_limit || n.text_len > text_limit - n.text) return 0;
        if (n.next <= at || n.next > limit) return 0;
        if (n.kind == AICC_KIND_ARRAY || n.kind == AICC_KIND_OBJECT) {
            if (l == levels + AICC__TAPE_DEPTH - 1) return 0;
            l = l ? l + 1 : levels;
            if (!aicc__check_open(c, &n, limit, l)) return 0;
        } else {
            if (n.next != at + 1 || !aicc__check_scalar(c, &n)) return 0;
            c->text_at = n.text + n.text_len;
        }
        value_of_key = n.kind == AICC__KIND_KEY;
        /* Close what ends here. A name without a value would be the last. */
        while (l && l->end == at + 1) {
            if (value_of_key || l->left != 0 || !aicc__gap(c, l->text_end, 0)) return 0;
            c->text_at++;
            l = l == levels ? NULL : l - 1;
        }
        if (!l && at + 1 != c->head.nodes) return 0;
    }
    return c->text_at == c->head.text && c->strings_at == c->head.strings;
}

static int aicc__check_tape(const void *tape, size_t len, aicc_value *out)
{
    aicc__check c;
    if (len < AICC__TAPE_HEADER) return 0;
    c.head = aicc__tape_of(tape);
    uint64_t used = AICC__TAPE_HEADER + (uint64_t)c.head.nodes * AICC__TAPE_NODE + c.head.text + c.head.strings;
    if (c.head.magic != AICC__TAPE_MAGIC || c.head.version != AICC__TAPE_VERSION || c.head.nodes == 0) return 0;
    if (c.head.size != len || ((used + 7) & ~(uint64_t)7) != len) return 0;
    for (size_t at = (size_t)used; at < len; at++)
        if (((const char *)tape)[at] != 0) return 0;
    if (aicc__tape_check(tape, len) != c.head.check) return 0;
    c.text = aicc__tape_text(tape, &c.head);
    c.strings = aicc__tape_strings(tape, &c.head);
    c.text_at = c.strings_at = 0;
    if (!aicc__check_nodes(tape, &c)) return 0;
    *out = aicc__value_root(tape);
    return 1;
}

aicc_status AICC_CALL aicc_value_open(const void *buf, size_t len, aicc_value *out)
{
    if (!buf || !out || ((uintptr_t)buf & 7) != 0) return AICC_E_ARG;
    return aicc__check_tape(buf, len, out) ? AICC_OK : AICC_E_JSON;
}

aicc_status AICC_CALL aicc_value_copy(const aicc_value *value, void *buf, size_t cap, size_t *len)
{
    if (!value || !len || (!buf && cap > 0)) return AICC_E_ARG;
    if (!value->tape) return AICC_ABSENT;
    const void *tape = value->tape;
    aicc__tape from = aicc__tape_of(tape), to = from;
    if (value->at >= from.nodes) return AICC_E_ARG;
    aicc__node root = aicc__node_at(tape, value->at);
    if (root.kind == AICC__KIND_KEY) return AICC_E_ARG;

    /* The strings of a part stand together, since all stand in the order of their nodes. */
    uint32_t first = 0;
    to.nodes = root.next - value->at;
    to.text = root.text_len;
    to.strings = 0;
    for (uint32_t at = value->at; at < root.next; at++) {
        aicc__node n = aicc__node_at(tape, at);
        if (n.kind != AICC_KIND_STRING && n.kind != AICC__KIND_KEY) continue;
        if (to.strings == 0) first = aicc__string_at(&n);
        to.strings = aicc__string_at(&n) + aicc__string_len(&n) + 1 - first;
    }
    size_t used = aicc__text_offset(&to) + to.text + to.strings;
    to.size = (uint32_t)((used + 7) & ~(size_t)7);
    *len = to.size;
    if (cap < to.size) return AICC_E_SMALL;

    char *out = buf;
    to.check = 0;
    memcpy(out, &to, AICC__TAPE_HEADER);
    for (uint32_t i = 0; i < to.nodes; i++) {
        aicc__node n = aicc__node_at(tape, value->at + i);
        n.next -= value->at;
        n.text -= root.text;
        if (n.kind == AICC_KIND_STRING || n.kind == AICC__KIND_KEY) n.payload -= first;
        memcpy(out + AICC__TAPE_HEADER + (size_t)i * AICC__TAPE_NODE, &n, AICC__TAPE_NODE);
    }
    out += aicc__text_offset(&to);
    memcpy(out, aicc__tape_text(tape, &from) + root.text, to.text);
    memcpy(out + to.text, aicc__tape_strings(tape, &from) + first, to.strings);
    memset(out + to.text + to.strings, 0, to.size - used);
    to.check = aicc__tape_check(buf, to.size);
    memcpy((char *)buf + offsetof(aicc__tape, check), &to.check, sizeof to.check);
    return AICC_OK;
}
