/* t.h: what the C tests of the library share: checks, a bridge with a guard, and an agent that writes its messages with snprintf. */
#ifndef T_H
#define T_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aicc.h"

static int t_failed;
#define CHECK(cond) do { if (!(cond)) { fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); t_failed++; } } while (0)
#define MUST(cond)  do { if (!(cond)) { fprintf(stderr, "%s:%d: needed: %s\n", __FILE__, __LINE__, #cond); exit(1); } } while (0)
#define STATUS(want, call) do { aicc_status got_ = (call); if (got_ != (want)) { \
    fprintf(stderr, "%s:%d: %s\n  gave %s, want %s\n", __FILE__, __LINE__, #call, aicc_status_name(got_), aicc_status_name(want)); t_failed++; } } while (0)
#define T_END() do { if (t_failed) { fprintf(stderr, "%d failed\n", t_failed); return 1; } puts("ok"); return 0; } while (0)

typedef struct t_world {
    aicc_bridge  bridge;
    aicc_session session;
    char         sid[40];           /* the protocol's session id */
    char         msg[1 << 18];      /* the last message */
    size_t       len;
    unsigned     calls;             /* made by t_call */
} t_world;

static inline aicc_bridge t_bridge(const char *name) {
    aicc_bridge_options o;
    aicc_bridge b = {0};
    aicc_error e;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s(name);
    o.tick_mode = AICC_TICK_EVENT;
    if (aicc_bridge_create(&o, &b, &e) != AICC_OK) { fprintf(stderr, "create: %s\n", e.message); exit(1); }
    return b;
}

static inline aicc_tool t_tool(aicc_bridge b, const char *id, const char *schema, aicc_tool_fn fn, void *user) {
    aicc_tool_options o;
    aicc_tool t = {0};
    aicc_error e;
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_ACTUATOR;
    o.id = aicc_s(id);
    o.description = aicc_s("A tool of the tests.");
    o.input_schema = aicc_s(schema);
    o.fn = fn;
    o.user_data = user;
    if (aicc_tool_register(b, &o, &t, &e) != AICC_OK) { fprintf(stderr, "register %s: %s %s\n", id, e.pointer, e.message); exit(1); }
    return t;
}

/* The next message that contains needle, after the core has worked off everything; 0 when there is none. */
static inline int t_message(t_world *w, const char *needle) {
    aicc_session to;
    STATUS(AICC_OK, aicc_bridge_flush(w->bridge, 20000));
    while (aicc_bridge_next_message(w->bridge, &to, w->msg, sizeof w->msg, &w->len) == AICC_OK) {
        if (strstr(w->msg, needle) && to.id == w->session.id) return 1;
    }
    w->msg[0] = 0;
    return 0;
}

static inline void t_copy_field(const char *msg, const char *name, char *out, size_t cap) {
    char key[64];
    const char *p;
    size_t n = 0;
    snprintf(key, sizeof key, "\"%s\":\"", name);
    p = strstr(msg, key);
    if (p) for (p += strlen(key); *p && *p != '"' && n + 1 < cap; p++) out[n++] = *p;
    out[n] = 0;
}

static inline aicc_session t_session(aicc_bridge b, const char *name) {
    aicc_session_options o;
    aicc_session s = {0};
    aicc_session_options_init(&o, sizeof o);
    o.name = aicc_s(name);
    STATUS(AICC_OK, aicc_session_open(b, &o, &s, NULL));
    return s;
}

/* A bridge, one character, an agent that has read its session_init. Tools are registered by the test, before or after. */
static inline void t_open(t_world *w, const char *name) {
    w->bridge = t_bridge(name);
    w->session = t_session(w->bridge, "guard");
    STATUS(AICC_OK, aicc_session_attach(w->session));
    MUST(t_message(w, "\"session_init\""));
    t_copy_field(w->msg, "session_id", w->sid, sizeof w->sid);
    MUST(strlen(w->sid) == 36);
}

/* The agent calls a tool; call ids are c1, c2, ... */
static inline void t_call(t_world *w, const char *tool, const char *input) {
    char m[4096];
    int n = snprintf(m, sizeof m, "{\"protocol\":\"aicc/0.1\",\"type\":\"tool_call\",\"session_id\":\"%s\","
        "\"message_id\":\"00000000-0000-4000-8000-%012u\",\"call_id\":\"c%u\",\"tool\":\"%s\",\"input\":%s}", w->sid, w->calls + 1, w->calls + 1, tool, input);
    w->calls++;
    STATUS(AICC_OK, aicc_session_receive(w->session, aicc_sn(m, (size_t)n)));
    STATUS(AICC_OK, aicc_bridge_flush(w->bridge, 20000));
}

static inline void t_pump(t_world *w) { STATUS(AICC_OK, aicc_bridge_pump(w->bridge, NULL, NULL, NULL)); }

/* Calls, pumps, and gives the result's text in w->msg. */
static inline int t_result(t_world *w, const char *tool, const char *input) {
    t_call(w, tool, input);
    t_pump(w);
    return t_message(w, "\"tool_result\"");
}

#endif
