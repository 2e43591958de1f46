/* world.c: a game for the tests of the listener. Arguments: 0 refuse or 1 replace, the resume window in ms, then the characters' names (N*: a thousand
 * of that beginning). It prints its address; then "ran CALL_ID" for each call that ran, and does what lines on stdin say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "aicc.h"

static aicc_error error;
static aicc_status check(aicc_status status, int line)
{
    if (status >= 0) return status;
    printf("world.c:%d: %s: %s: %s\n", line, aicc_status_name(status), error.field, error.message);
    exit(1);
}
#define CHECK(call) check((call), __LINE__)

enum { MAX_OPEN = 4096 };
static aicc_listener listener;
static aicc_bridge bridge;
static struct { aicc_call call; long long due; int fail; } pending[MAX_OPEN];
static struct { char name[32]; aicc_session session; } characters[2048];
static int n_characters, n_pending;

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void finish(aicc_call call, int fail)
{
    if (fail) CHECK(aicc_call_fail(call, AICC_CODE_EXECUTION_FAILED, aicc_s("no way"), 0));
    else CHECK(aicc_call_succeed(call, aicc_s("{\"done\":true}")));
}

/* {"ms":n}: the answer comes so much later. {"fail":true}: it fails. */
static aicc_status go(const aicc_request *request, void *user)
{
    int64_t ms = 0;
    int32_t fail = 0;
    (void)user;
    printf("ran %.*s\n", (int)request->call_id.len, request->call_id.ptr);
    (void)aicc_value_integer(&request->input, aicc_s("ms"), &ms);
    (void)aicc_value_bool(&request->input, aicc_s("fail"), &fail);
    if (ms == 0 || n_pending == MAX_OPEN) {
        finish(request->call, fail);
        return AICC_OK;
    }
    pending[n_pending].call = request->call;
    pending[n_pending].due = now_ms() + ms;
    pending[n_pending++].fail = fail;
    return AICC_PENDING;
}

static void answer_due(void)
{
    for (int i = 0; i < n_pending; i++)
        if (pending[i].due <= now_ms()) {
            finish(pending[i].call, pending[i].fail);
            pending[i--] = pending[--n_pending];
        }
}

static void open_character(const char *name)
{
    aicc_session_options o;
    aicc_session_options_init(&o, sizeof o);
    o.name = aicc_s(name);
    o.topics = AICC_TOPIC_AUDIO | AICC_TOPIC_STATE_CHANGE;
    snprintf(characters[n_characters].name, sizeof characters[0].name, "%s", name);
    while (aicc_session_open(bridge, &o, &characters[n_characters].session, &error) == AICC_E_FULL) CHECK(aicc_bridge_flush(bridge, 1000));
    n_characters++;
}

static void on_item(const aicc_item *item, void *user)
{
    (void)user;
    if (item->kind == AICC_ITEM_AGENT) printf("agent %d\n", (int)item->reason);
    if (item->kind == AICC_ITEM_CALL_ENDED) printf("ended %d\n", (int)item->reason);
}

static void obey(char *line, aicc_event event)
{
    char *word = strtok(line, " \n"), *rest = strtok(NULL, "\n");
    char text[256];
    size_t len;
    if (word == NULL) return;
    if (!strcmp(word, "open")) open_character(rest);
    if (!strcmp(word, "emit")) CHECK(aicc_event_json(event, (aicc_session){0}, aicc_s(rest)));
    if (!strcmp(word, "close"))
        for (int i = 0; i < n_characters; i++)
            if (!strcmp(characters[i].name, rest)) CHECK(aicc_session_close(characters[i].session, aicc_s("the character died")));
    if (!strcmp(word, "unlisten")) printf("unlisten %s\n", aicc_status_name(aicc_listener_close(listener)));
    if (!strcmp(word, "address")) printf("address %s\n", aicc_status_name(aicc_listener_address(listener, text, sizeof text, &len)));
    if (!strcmp(word, "bye")) {
        CHECK(aicc_bridge_close(bridge));
        CHECK(aicc_bridge_flush(bridge, 1000));
        CHECK(aicc_bridge_destroy(bridge));
        CHECK(aicc_listener_close(listener));
        printf("bye\n");
        exit(0);
    }
    if (!strcmp(word, "stats")) {
        aicc_stats s;
        s.struct_size = sizeof s;
        CHECK(aicc_bridge_stats(bridge, &s));
        printf("stats sessions %d agents %d in flight %d waiting %llu\n", s.sessions, s.agents, s.calls_in_flight, (unsigned long long)s.outgoing_bytes);
    }
    printf("ok\n");
}

int main(int argc, char **argv)
{
    aicc_bridge_options bo;
    aicc_listen_options lo;
    aicc_tool_options to;
    aicc_event_options eo;
    aicc_tool tool;
    aicc_event event;
    char text[256], line[4096];
    size_t len, have = 0;
    if (argc < 3) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    aicc_listen_options_init(&lo, sizeof lo);
    lo.second_agent = atoi(argv[1]);
    lo.token = aicc_s(getenv("WORLD_TOKEN") ? getenv("WORLD_TOKEN") : "");
    lo.inspector = getenv("WORLD_INSPECTOR") != NULL;
    CHECK(aicc_listen(&lo, &listener, &error));
    aicc_bridge_options_init(&bo, sizeof bo);
    bo.name = aicc_s("yard");
    bo.listener = listener;
    bo.resume_window_ms = atoi(argv[2]);
    CHECK(aicc_bridge_create(&bo, &bridge, &error));
    aicc_tool_options_init(&to, sizeof to);
    to.cls = AICC_ACTUATOR;
    to.id = aicc_s("go");
    to.description = aicc_s("Goes.");
    to.input_schema = aicc_s("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"ms\":{\"type\":\"integer\"},\"fail\":{\"type\":\"boolean\"}}}");
    to.fn = go;
    CHECK(aicc_tool_register(bridge, &to, &tool, &error));
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO;
    CHECK(aicc_event_define(bridge, &eo, &event, &error));
    for (int i = 3; i < argc; i++) {
        size_t end = strlen(argv[i]) - 1;
        if (argv[i][end] != '*') {
            open_character(argv[i]);
            continue;
        }
        for (int k = 0; k < 1000; k++) {
            snprintf(text, sizeof text, "%.*s%d", (int)end, argv[i], k);
            open_character(text);
        }
    }
    CHECK(aicc_bridge_flush(bridge, 5000)); /* who asks for a character before the core has heard of it is told that there is none */
    CHECK(aicc_listener_address(listener, text, sizeof text, &len));
    printf("%s\n", text);
    if (lo.inspector) {
        CHECK(aicc_listener_inspector(listener, text, sizeof text, &len));
        printf("inspector %s\n", text);
    }
    for (;;) {
        struct pollfd input = {STDIN_FILENO, POLLIN, 0};
        if (poll(&input, 1, 1) > 0) {
            ssize_t got = read(STDIN_FILENO, line + have, sizeof line - 1 - have);
            char *end;
            if (got <= 0) return 0;
            have += (size_t)got;
            line[have] = 0;
            while ((end = strchr(line, '\n')) != NULL) {
                size_t used = (size_t)(end - line) + 1;
                char copy[4096];
                memcpy(copy, line, used);
                copy[used] = 0;
                obey(copy, event);
                memmove(line, line + used, have - used + 1);
                have -= used;
            }
        }
        CHECK(aicc_bridge_pump(bridge, NULL, on_item, NULL));
        answer_due();
        while (aicc_log_next(NULL, text, sizeof text, &len) == AICC_OK) printf("log %s\n", text);
    }
}
