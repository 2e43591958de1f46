/* Writing JSON into the host's buffer. */
#include "writer.h"
#include "value.h"

/* What a writer's text is when it has a fault: no JSON, so that nobody takes it for an answer. */
static const char aicc__no_text[] = "aicc_writer: fault";

void AICC_CALL aicc_write_begin(aicc_writer *writer, char *buf, size_t cap)
{
    if (!writer) return;
    memset(writer, 0, sizeof *writer);
    writer->buf = buf;
    writer->cap = cap;
    if (!buf && cap > 0) writer->status = AICC_E_ARG;
}

static void aicc__put(aicc_writer *w, const char *text, size_t n)
{
    /* Once a piece did not fit, len is above cap and stays there. */
    if (w->len < w->cap && n <= w->cap - w->len) memcpy(w->buf + w->len, text, n);
    w->len += n;
}

static void aicc__put_char(aicc_writer *w, char c) { aicc__put(w, &c, 1); }

static void aicc__put_escape(aicc_writer *w, unsigned char c)
{
    static const char hex[] = "0123456789abcdef", letters[] = "btn\0fr";     /* from 0x08 on */
    char escape[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
    char letter = c >= ' ' ? (char)c : c >= '\b' && c <= '\r' ? letters[c - '\b'] : '\0';
    if (letter) escape[1] = letter;
    aicc__put(w, escape, letter ? 2 : 6);
}

static void aicc__put_string(aicc_writer *w, const char *s, size_t len)
{
    size_t from = 0, i = 0;
    aicc__put_char(w, '"');
    while (i < len) {
        unsigned char c = (unsigned char)s[i];
        int escape = c < ' ' || c == '"' || c == '\\';
        size_t good = escape ? 0 : c < 0x80 ? 1 : aicc__utf8_len(s + i, len - i);
        if (good > 0) {
            i += good;
            continue;
        }
        aicc__put(w, s + from, i - from);
        if (escape) aicc__put_escape(w, c);
        else aicc__put(w, "\xef\xbf\xbd", 3);
        from = ++i;
    }
    aicc__put(w, s + from, len - from);
    aicc__put_char(w, '"');
}

/* What comes before any value: a comma, the key. 0: no value goes here, or the writer has a fault already. */
static int aicc__before(aicc_writer *w, aicc_str key)
{
    const char *name;
    size_t name_len;
    if (!w || w->status != AICC_OK) return 0;
    if (!aicc__span(key, &name, &name_len)) w->status = AICC_E_ARG;
    else if (w->depth > 64 || (w->depth == 0 && w->len > 0)) w->status = AICC_E_STATE;
    else if ((name_len > 0) != (w->depth > 0 && (w->objects >> (w->depth - 1) & 1))) w->status = AICC_E_NAME;
    if (w->status != AICC_OK) return 0;
    if (w->depth > 0) {
        uint64_t bit = (uint64_t)1 << (w->depth - 1);
        if (w->filled & bit) aicc__put_char(w, ',');
        w->filled |= bit;
    }
    if (name_len > 0) {
        aicc__put_string(w, name, name_len);
        aicc__put_char(w, ':');
    }
    return 1;
}

int aicc__write_before(aicc_writer *w, aicc_str key) { return aicc__before(w, key); }
void aicc__write_raw(aicc_writer *w, const char *text, size_t n) { aicc__put(w, text, n); }
void aicc__write_text(aicc_writer *w, const char *text, size_t len) { aicc__put_string(w, text, len); }

static void aicc__open(aicc_writer *w, aicc_str key, uint64_t object)
{
    if (w && w->status == AICC_OK && w->depth == 64) w->status = AICC_E_RANGE;
    if (!aicc__before(w, key)) return;
    uint64_t bit = (uint64_t)1 << w->depth;
    w->objects = object ? w->objects | bit : w->objects & ~bit;
    w->filled &= ~bit;
    w->depth++;
    aicc__put_char(w, object ? '{' : '[');
}

void AICC_CALL aicc_write_object(aicc_writer *writer, aicc_str key) { aicc__open(writer, key, 1); }
void AICC_CALL aicc_write_array(aicc_writer *writer, aicc_str key) { aicc__open(writer, key, 0); }

void AICC_CALL aicc_write_end(aicc_writer *writer)
{
    if (!writer || writer->status != AICC_OK) return;
    if (writer->depth == 0 || writer->depth > 64) {
        writer->status = AICC_E_STATE;
        return;
    }
    writer->depth--;
    aicc__put_char(writer, writer->objects >> writer->depth & 1 ? '}' : ']');
}

void AICC_CALL aicc_write_number(aicc_writer *writer, aicc_str key, double value, int32_t decimals)
{
    char text[AICC__NUMBER_MAX];
    if (writer && writer->status == AICC_OK && (decimals < -1 || decimals > 9)) writer->status = AICC_E_ARG;
    if (!aicc__before(writer, key)) return;
    aicc__put(writer, text, decimals < 0 ? aicc__format_number(text, value) : aicc__format_fixed(text, value, decimals));
}

void AICC_CALL aicc_write_integer(aicc_writer *writer, aicc_str key, int64_t value)
{
    char text[AICC__NUMBER_MAX];
    if (aicc__before(writer, key)) aicc__put(writer, text, aicc__format_integer(text, value));
}

void AICC_CALL aicc_write_bool(aicc_writer *writer, aicc_str key, int32_t value)
{
    if (!aicc__before(writer, key)) return;
    if (value) aicc__put(writer, "true", 4);
    else aicc__put(writer, "false", 5);
}

void AICC_CALL aicc_write_null(aicc_writer *writer, aicc_str key)
{
    if (aicc__before(writer, key)) aicc__put(writer, "null", 4);
}

void AICC_CALL aicc_write_string(aicc_writer *writer, aicc_str key, aicc_str value)
{
    const char *text = NULL;
    size_t len = 0;
    if (writer && writer->status == AICC_OK && !aicc__span(value, &text, &len)) writer->status = AICC_E_ARG;
    if (aicc__before(writer, key)) aicc__put_string(writer, text, len);
}

void AICC_CALL aicc_write_json(aicc_writer *writer, aicc_str key, aicc_str json)
{
    const char *text;
    size_t len;
    if (!writer || writer->status != AICC_OK) return;
    if (!aicc__span(json, &text, &len)) writer->status = AICC_E_ARG;
    else if (len == 0) writer->status = AICC_E_JSON;
    if (aicc__before(writer, key)) aicc__put(writer, text, len);
}

aicc_status AICC_CALL aicc_write_done(aicc_writer *writer, aicc_str *out)
{
    if (!writer || !out) return AICC_E_ARG;
    aicc_status status = writer->status;
    if (status == AICC_OK && (writer->depth > 0 || writer->len == 0)) status = AICC_E_STATE;
    if (status != AICC_OK) {
        *out = aicc_sn(aicc__no_text, sizeof aicc__no_text - 1);
        return status;
    }
    if (writer->len >= writer->cap) {
        *out = aicc_sn(NULL, writer->len);
        return AICC_E_SMALL;
    }
    writer->buf[writer->len] = 0;
    *out = aicc_sn(writer->buf, writer->len);
    return AICC_OK;
}
