/* A forked child has no core: everything says so at once, also when a lock was held at the fork. */
#include "fake.h"

#include <sys/wait.h>
#include <unistd.h>

static aicc_bridge  b;
static aicc_session s;
static aicc_tool    t;
static aicc_call    c;
static aicc_event   e;

static void in_child(void)
{
    aicc_bridge_options bo;
    aicc_process_options po;
    aicc_tool_options to;
    aicc_session_options so;
    aicc_event_options eo;
    aicc_error err;
    aicc_item it = {.struct_size = sizeof it};
    aicc_stats st = {.struct_size = sizeof st};
    aicc_log log = {.struct_size = sizeof log};
    char buf[8];
    size_t len;
    alarm(20); /* whoever waits, dies */
    aicc_process_options_init(&po, sizeof po);
    aicc_bridge_options_init(&bo, sizeof bo);
    aicc_tool_options_init(&to, sizeof to);
    aicc_session_options_init(&so, sizeof so);
    aicc_event_options_init(&eo, sizeof eo);
    bo.name = aicc_s("child");
    EQUAL(aicc_configure(&po, &err), AICC_E_STATE);
    CHECK(strstr(err.message, "forked") != NULL);
    EQUAL(aicc_bridge_create(&bo, &(aicc_bridge){0}, &err), AICC_E_STATE);
    CHECK(strstr(err.message, "forked") != NULL);
    EQUAL(aicc_tool_register(b, &to, &(aicc_tool){0}, &err), AICC_E_STATE);
    EQUAL(aicc_session_open(b, &so, &(aicc_session){0}, &err), AICC_E_STATE);
    EQUAL(aicc_event_define(b, &eo, &(aicc_event){0}, &err), AICC_E_STATE);
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_E_STATE);
    EQUAL(aicc_shutdown(0), AICC_E_STATE);
    EQUAL(aicc_bridge_close(b), AICC_E_STATE);
    EQUAL(aicc_bridge_destroy(b), AICC_E_STATE);
    EQUAL(aicc_bridge_valid(b), 0);
    EQUAL(aicc_tool_unregister(t), AICC_E_STATE);
    EQUAL(aicc_session_close(s, aicc_s("")), AICC_E_STATE);
    EQUAL(aicc_session_set_paused(s, 1), AICC_E_STATE);
    EQUAL(aicc_session_has_agent(s), 0);
    EQUAL(aicc_session_attach(s), AICC_E_STATE);
    EQUAL(aicc_session_detach(s), AICC_E_STATE);
    EQUAL(aicc_session_receive(s, aicc_s("x")), AICC_E_STATE);
    EQUAL(aicc_bridge_frame(b, NULL), AICC_E_STATE);
    EQUAL(aicc_bridge_next(b, &it), AICC_E_STATE);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_E_STATE);
    EQUAL(aicc_bridge_flush(b, 60000), AICC_E_STATE);
    EQUAL(aicc_bridge_next_message(b, &(aicc_session){0}, buf, sizeof buf, &len), AICC_E_STATE);
    EQUAL(aicc_bridge_stats(b, &st), AICC_E_STATE);
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_E_STATE);
    EQUAL(aicc_call_fail(c, 3, aicc_s("x"), 0), AICC_E_STATE);
    EQUAL(aicc_call_alive(c), 0);
    EQUAL(aicc_call_set_user_data(c, NULL), AICC_E_STATE);
    EQUAL(aicc_event_json(e, s, aicc_s("{}")), AICC_E_STATE);
    EQUAL(aicc_event_reply_json(e, c, aicc_s("{}")), AICC_E_STATE);
    CHECK(aicc_abi() == AICC_ABI && strcmp(aicc_version(), "0.1.0") == 0);
    CHECK(strcmp(aicc_status_name(AICC_E_STATE), "AICC_E_STATE") == 0);
}

static void fork_once(int hold)
{
    int status;
    pid_t child;
    if (hold)
        aicc__lock_all(aicc__bridge_at(fake_slot(b) - 1));
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        in_child();
        _Exit(7);
    }
    if (hold)
        aicc__unlock_all(aicc__bridge_at(fake_slot(b) - 1));
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
    aicc_event_options eo;
    aicc_item it;
    fork_once(0); /* before the first bridge too */
    fake_start();
    b = fake_bridge("parent", 0, 0);
    t = fake_tool(b, "t", NULL, NULL, 0);
    s = fake_session(b, NULL, 1);
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = 1;
    EQUAL(aicc_event_define(b, &eo, &e, NULL), AICC_OK);
    fake_call(s, t);
    fake_flush(b);
    CHECK(fake_next(b, &it));
    c = it.call;
    fork_once(0);
    fork_once(1);
    fake_flush(b); /* the parent goes on */
    EQUAL(aicc_call_succeed(c, aicc_s("{}")), AICC_OK);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    return 0;
}
