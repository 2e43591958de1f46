/* e.h: what the tests of events and layouts share. */
#ifndef E_H
#define E_H

#include <stdbool.h>
#include <stddef.h>
#include "../../host/c/t.h"

#define FIELD(type_, name_, kind) { .name = { #name_, AICC_NTS }, .offset = offsetof(type_, name_##_), .type = kind }

static inline aicc_layout e_layout(size_t size, const aicc_field *fields, size_t n) {
    aicc_layout_options o;
    aicc_layout l = {0};
    aicc_error e;
    aicc_layout_options_init(&o, sizeof o);
    o.field_size = sizeof *fields;
    o.size = (uint32_t)size;
    o.count = (uint32_t)n;
    o.fields = fields;
    if (aicc_layout_define(&o, &l, &e) != AICC_OK) { fprintf(stderr, "layout: %s: %s\n", e.field, e.message); exit(1); }
    return l;
}

static inline aicc_event e_event(aicc_bridge b, int32_t topic, const char *kind, int32_t delivery, int32_t interval, aicc_layout l) {
    aicc_event_options o;
    aicc_event e = {0};
    aicc_error err;
    aicc_event_options_init(&o, sizeof o);
    o.topic = topic;
    o.kind = aicc_s(kind);
    o.delivery = delivery;
    o.min_interval_ms = interval;
    o.layout = l;
    if (aicc_event_define(b, &o, &e, &err) != AICC_OK) { fprintf(stderr, "event: %s: %s\n", err.field, err.message); exit(1); }
    return e;
}

/* What stands between "payload": and ,"meta" of the message in w. */
static inline const char *e_payload(const t_world *w) {
    static char out[1 << 18];
    const char *from = strstr(w->msg, "\"payload\":"), *to = from ? strstr(from, ",\"meta\":{\"tick\"") : NULL;
    if (!to) return "";
    from += strlen("\"payload\":");
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = 0;
    return out;
}

static inline aicc_stats e_stats(aicc_bridge b) {
    aicc_stats s;
    memset(&s, 0, sizeof s);
    s.struct_size = sizeof s;
    STATUS(AICC_OK, aicc_bridge_stats(b, &s));
    return s;
}

#endif
