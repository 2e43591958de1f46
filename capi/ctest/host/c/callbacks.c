/* callbacks: what a tool's function may do besides answering: everything. */
#include <setjmp.h>
#include "t.h"

static t_world w;
static jmp_buf out_of_here;
static aicc_call kept;
static int runs;

static aicc_status closes_session(const aicc_request *r, void *user) {
    (void)user;
    STATUS(AICC_OK, aicc_session_close(r->session, aicc_s("the tool did it")));
    STATUS(AICC_GONE, aicc_call_succeed(r->call, aicc_s("{}")));
    STATUS(AICC_OK, aicc_bridge_flush(r->bridge, 20000));
    CHECK(strncmp(r->call_id.ptr, "c", 1) == 0);       /* what was lent is still there */
    return AICC_OK;                                     /* its call ended with the session: no fault */
}
static aicc_status destroys_bridge(const aicc_request *r, void *user) {
    aicc_value v;
    (void)user;
    STATUS(AICC_OK, aicc_bridge_destroy(r->bridge));
    STATUS(AICC_OK, aicc_value_find(&r->input, aicc_s(NULL), &v));
    CHECK(strncmp(r->tool_id.ptr, "destroys_bridge", r->tool_id.len) == 0);
    { aicc_bridge fresh = t_bridge("made while another ends"); STATUS(AICC_OK, aicc_bridge_destroy(fresh)); }
    CHECK(r->input.kind == AICC_KIND_OBJECT && strncmp(r->call_id.ptr, "c", 1) == 0);
    return AICC_E_FULL;                                 /* nobody is left to tell: quietly nothing */
}
static aicc_status says_hello(const aicc_request *r, void *user) {
    (void)user;
    return aicc_call_succeed(r->call, aicc_s("{\"hello\":true}"));
}
static aicc_status registers_tool(const aicc_request *r, void *user) {
    (void)user;
    t_tool(r->bridge, "hello", NULL, says_hello, NULL);
    return AICC_OK;
}
static aicc_status unregisters_itself(const aicc_request *r, void *user) {
    (void)user;
    STATUS(AICC_OK, aicc_tool_unregister(r->tool));
    STATUS(AICC_GONE, aicc_call_succeed(r->call, aicc_s("{\"last\":true}")));
    CHECK(aicc_call_alive(r->call) == 0);
    return AICC_GONE;
}
static aicc_status jumps(const aicc_request *r, void *user) { (void)user; kept = r->call; longjmp(out_of_here, 1); }
static aicc_status pumps(const aicc_request *r, void *user) {
    (void)user;
    if (++runs < 3) { aicc_bridge_pump(r->bridge, NULL, NULL, NULL); }
    return AICC_OK;
}
static aicc_status answers_twice(const aicc_request *r, void *user) {
    (void)user;
    STATUS(AICC_OK, aicc_call_succeed(r->call, aicc_s("{\"n\":1}")));
    STATUS(AICC_GONE, aicc_call_succeed(r->call, aicc_s("{\"n\":2}")));
    STATUS(AICC_GONE, aicc_call_fail(r->call, AICC_CODE_TIMEOUT, aicc_s("no"), 0));
    return AICC_E_ARG;                                  /* answered: the status changes nothing */
}
static aicc_status returns_rubbish(const aicc_request *r, void *user) { (void)r; (void)user; return 77; }
static aicc_status flushes(const aicc_request *r, void *user) {
    char big[8];
    aicc_session to;
    size_t len;
    (void)user;
    STATUS(AICC_OK, aicc_bridge_flush(r->bridge, 20000));
    STATUS(AICC_EMPTY, aicc_bridge_next_message(r->bridge, &to, big, sizeof big, &len));
    return AICC_OK;
}

int main(void) {
    int i;
    t_open(&w, "callbacks");
    t_tool(w.bridge, "registers_tool", NULL, registers_tool, NULL);
    t_tool(w.bridge, "unregisters_itself", NULL, unregisters_itself, NULL);
    t_tool(w.bridge, "jumps", NULL, jumps, NULL);
    t_tool(w.bridge, "pumps", NULL, pumps, NULL);
    t_tool(w.bridge, "answers_twice", NULL, answers_twice, NULL);
    t_tool(w.bridge, "returns_rubbish", NULL, returns_rubbish, NULL);
    t_tool(w.bridge, "flushes", NULL, flushes, NULL);
    while (t_message(&w, "\"type\"")) {}

    CHECK(t_result(&w, "flushes", "{}") && strstr(w.msg, "\"ok\":true"));
    CHECK(t_result(&w, "registers_tool", "{}") && strstr(w.msg, "\"ok\":true"));
    CHECK(t_result(&w, "hello", "{}") && strstr(w.msg, "\"hello\":true"));
    CHECK(t_result(&w, "answers_twice", "{}") && strstr(w.msg, "\"n\":1"));
    CHECK(!t_message(&w, "\"tool_result\""));
    CHECK(t_result(&w, "returns_rubbish", "{}") && strstr(w.msg, "execution_failed"));
    CHECK(t_result(&w, "unregisters_itself", "{}") && strstr(w.msg, "\"ok\":false"));
    CHECK(t_result(&w, "unregisters_itself", "{}") && strstr(w.msg, "tool_unknown"));

    /* A longjmp out of pump, a thousand times; the call stays open until it is answered. */
    for (i = 0; i < 1000; i++) {
        t_call(&w, "jumps", "{}");
        if (setjmp(out_of_here) == 0) { t_pump(&w); CHECK(!"came back"); }
        CHECK(aicc_call_alive(kept) == 1);
        STATUS(AICC_OK, aicc_call_succeed(kept, aicc_s("{}")));
        CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"ok\":true"));
    }
    /* Pump within pump: each call runs once. */
    t_call(&w, "pumps", "{}"); t_call(&w, "pumps", "{}"); t_call(&w, "pumps", "{}"); t_call(&w, "pumps", "{}");
    t_pump(&w);
    CHECK(runs == 4);
    for (i = 0; i < 4; i++) CHECK(t_message(&w, "\"tool_result\"") && strstr(w.msg, "\"ok\":true"));
    CHECK(!t_message(&w, "\"tool_result\""));

    t_tool(w.bridge, "closes_session", NULL, closes_session, NULL);
    t_call(&w, "closes_session", "{}");
    t_pump(&w);
    CHECK(t_message(&w, "\"session_close\"") && strstr(w.msg, "the tool did it"));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));

    for (i = 0; i < 50; i++) {
        t_world d = {0};
        t_open(&d, "ends inside");
        t_tool(d.bridge, "destroys_bridge", NULL, destroys_bridge, NULL);
        t_call(&d, "destroys_bridge", "{}");
        STATUS(AICC_OK, aicc_bridge_pump(d.bridge, NULL, NULL, NULL));
        CHECK(!aicc_bridge_valid(d.bridge));
    }
    T_END();
}
