/* twin: layouts and structs that the runner makes, for all that C does with them. Reads, as little-endian words and bytes:
 *   "L" length, a layout's wire form (see core/layout/wire.go; elements by the order of L)     defines it
 *   "S" layout, length, struct with its texts behind it (see core/layout/doc.go)               prints it as written, and as emitted
 *   "R" layout, length, JSON                                                                   prints the struct that it fills, as written
 * and stops at the end. A line begins with the status where that is not AICC_OK. */
#include "e.h"

enum { MAX = 200 };
typedef struct one { aicc_layout handle; uint32_t size; aicc_field fields[64]; uint32_t count; aicc_event event; } one;
static one all[MAX + 1];
static uint32_t defined;
static t_world w;
static char json[1 << 20];
static uint32_t current;

static uint32_t word(const unsigned char **p) { uint32_t v; memcpy(&v, *p, 4); *p += 4; return v; }

static char *text(const unsigned char **p, uint32_t n) {
    char *out = malloc(n + 1);
    MUST(out);
    memcpy(out, *p, n);
    out[n] = 0;
    *p += n;
    return out;
}

static void define(const unsigned char *p) {
    one *l = &all[++defined];
    MUST(defined <= MAX && word(&p) == 1);
    l->size = word(&p);
    l->count = word(&p);
    for (uint32_t i = 0; i < l->count; i++) {
        aicc_field *f = &l->fields[i];
        uint32_t element, len;
        f->offset = word(&p), f->type = (int32_t)word(&p), f->count = word(&p), f->stride = word(&p), f->count_offset = (int32_t)word(&p);
        f->count_type = (int32_t)word(&p), f->decimals = (int32_t)word(&p), f->flags = (int32_t)word(&p), element = word(&p);
        len = word(&p), f->names_count = word(&p);
        f->element = all[element].handle;
        f->reserved = element;      /* the library does not look at it */
        f->name = aicc_sn(text(&p, len), len);
        aicc_str *names = calloc(f->names_count + 1, sizeof *names);
        for (uint32_t k = 0; k < f->names_count; k++) { len = word(&p); names[k] = aicc_sn(text(&p, len), len); }
        f->names = names;
    }
    l->handle = e_layout(l->size, l->fields, l->count);
    l->event = e_event(w.bridge, AICC_TOPIC_STATE_CHANGE, NULL, AICC_EACH, 0, l->handle);
}

/* Offsets become pointers, as a host has them. */
static void point(const one *l, char *base, char *whole) {
    for (uint32_t i = 0; i < l->count; i++) {
        const aicc_field *f = &l->fields[i];
        if (f->type == AICC_TEXT) {
            uint32_t pair[2];
            memcpy(pair, base + f->offset, 8);
            aicc_str s = aicc_sn(pair[1] ? whole + pair[0] : NULL, pair[1]);
            memcpy(base + f->offset, &s, sizeof s);
        }
        if (f->type == AICC_STRUCT)
            for (uint32_t k = 0; k < (f->count ? f->count : 1); k++)
                point(&all[f->reserved], base + f->offset + (size_t)k * (f->stride ? f->stride : all[f->reserved].size), whole);
    }
}

static aicc_str written(uint32_t number, const void *data) {
    aicc_writer j;
    aicc_str out;
    aicc_write_begin(&j, json, sizeof json);
    aicc_write_struct(&j, aicc_s(NULL), all[number].handle, data, all[number].size);
    STATUS(AICC_OK, aicc_write_done(&j, &out));
    return out;
}

static aicc_status fill(const aicc_request *r, void *user) {
    char *data = calloc(1, all[current].size);
    aicc_status status = aicc_value_struct(&r->input, aicc_s(NULL), all[current].handle, data, all[current].size);
    (void)user;
    if (status != AICC_OK) printf("%s\n", aicc_status_name(status));
    else { aicc_str s = written(current, data); printf("%.*s\n", (int)s.len, s.ptr); }
    free(data);
    return AICC_OK;
}

int main(void) {
    static unsigned char in[1 << 20];
    t_open(&w, "twin");
    t_tool(w.bridge, "fill", "{\"type\":\"object\"}", fill, NULL);
    for (int what; (what = getchar()) != EOF; ) {
        uint32_t number = 0, len;
        if (what != 'L') MUST(fread(&number, 4, 1, stdin) == 1 && number >= 1 && number <= defined);
        MUST(fread(&len, 4, 1, stdin) == 1 && len < sizeof in && fread(in, 1, len, stdin) == len);
        if (what == 'L') {
            define(in);
        } else if (what == 'S') {
            char *data = malloc(len); /* of its very size, so that a sanitizer sees what goes past it */
            memcpy(data, in, len);
            point(&all[number], data, data);
            aicc_str s = written(number, data);
            printf("%.*s\n", (int)s.len, s.ptr);
            STATUS(AICC_OK, aicc_event_emit(all[number].event, &w.session, 1, data, 0, NULL));
            free(data);
            MUST(t_message(&w, "\"type\":\"event\""));
            printf("%s\n", e_payload(&w));
        } else {
            in[len] = 0;
            current = number, w.calls++;
            static char message[1 << 20];
            int n = snprintf(message, sizeof message, "{\"protocol\":\"aicc/0.1\",\"type\":\"tool_call\",\"session_id\":\"%s\",\"message_id\":\"00000000-0000-4000-8000-%012u\","
                "\"call_id\":\"c%u\",\"tool\":\"fill\",\"input\":%s}", w.sid, w.calls, w.calls, (const char *)in);
            STATUS(AICC_OK, aicc_session_receive(w.session, aicc_sn(message, (size_t)n)));
            STATUS(AICC_OK, aicc_bridge_flush(w.bridge, 20000));
            t_pump(&w);
            (void)t_message(&w, "nothing");
        }
    }
    T_END();
}
