/* forked: in a child made by fork there is no core, and everything says so at once; the parent goes on. */
#include <sys/wait.h>
#include <unistd.h>
#include "t.h"

static aicc_status fine(const aicc_request *r, void *user) { (void)r; (void)user; return AICC_OK; }

static int child(t_world *w, aicc_event ev, aicc_call call) {
    aicc_bridge_options o;
    aicc_bridge b;
    aicc_error e;
    aicc_item item;
    aicc_session to, s;
    aicc_session_options so;
    aicc_stats stats;
    char buf[64];
    size_t len;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("child");
    STATUS(AICC_E_STATE, aicc_bridge_create(&o, &b, &e));
    CHECK(strstr(e.message, "fork") != NULL);
    aicc_session_options_init(&so, sizeof so);
    item.struct_size = sizeof item;
    stats.struct_size = sizeof stats;
    STATUS(AICC_E_STATE, aicc_session_open(w->bridge, &so, &s, &e));
    STATUS(AICC_E_STATE, aicc_bridge_pump(w->bridge, NULL, NULL, NULL));
    STATUS(AICC_E_STATE, aicc_bridge_next(w->bridge, &item));
    STATUS(AICC_E_STATE, aicc_bridge_flush(w->bridge, 60000));
    STATUS(AICC_E_STATE, aicc_bridge_capabilities(w->bridge, NULL, buf, sizeof buf, &len, &e));
    STATUS(AICC_E_STATE, aicc_capability_validate(aicc_s("[]"), 0, &e));
    STATUS(AICC_E_STATE, aicc_event_json(ev, w->session, aicc_s("{}")));
    STATUS(AICC_E_STATE, aicc_session_attach(w->session));
    STATUS(AICC_E_STATE, aicc_session_receive(w->session, aicc_s("{}")));
    STATUS(AICC_E_STATE, aicc_call_succeed(call, aicc_s("{}")));
    STATUS(AICC_E_STATE, aicc_bridge_next_message(w->bridge, &to, buf, sizeof buf, &len));
    STATUS(AICC_E_STATE, aicc_bridge_stats(w->bridge, &stats));
    STATUS(AICC_E_STATE, aicc_log_next(NULL, buf, sizeof buf, &len));
    STATUS(AICC_E_STATE, aicc_bridge_close(w->bridge));
    STATUS(AICC_E_STATE, aicc_bridge_destroy(w->bridge));
    STATUS(AICC_E_STATE, aicc_shutdown(0));
    CHECK(aicc_bridge_valid(w->bridge) == 0 && aicc_session_has_agent(w->session) == 0 && aicc_call_alive(call) == 0);
    return t_failed ? 1 : 0;
}

int main(void) {
    t_world w = {0};
    aicc_event_options eo;
    aicc_event ev;
    aicc_call none = {0};
    int i, status;
    t_open(&w, "forked");
    t_tool(w.bridge, "fine", NULL, fine, NULL);
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO;
    STATUS(AICC_OK, aicc_event_define(w.bridge, &eo, &ev, NULL));
    for (i = 0; i < 20; i++) {
        pid_t pid = fork();
        MUST(pid >= 0);
        if (pid == 0) _exit(child(&w, ev, none));
        CHECK(t_result(&w, "fine", "{}"));
        MUST(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    { pid_t pid = fork(); if (pid == 0) exit(7); MUST(waitpid(pid, &status, 0) == pid); CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7); }
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    T_END();
}
