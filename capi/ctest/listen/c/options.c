/* options.c: what aicc_listen refuses and what it says, and what becomes of handles, ports and owners. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "aicc.h"

#define IS(got, wanted) do { long g_ = (long)(got), w_ = (long)(wanted); \
    if (g_ != w_) { printf("options.c:%d: %s is %ld, not %ld (%s)\n", __LINE__, #got, g_, w_, error.message); exit(1); } } while (0)
#define TEXT(got, wanted) do { if (strcmp((got), (wanted)) != 0) { printf("options.c:%d: \"%s\", not \"%s\"\n", __LINE__, (got), (wanted)); exit(1); } } while (0)

static aicc_error error;

static aicc_listen_options fresh(void)
{
    aicc_listen_options o;
    aicc_listen_options_init(&o, sizeof o);
    return o;
}

static int port_of(aicc_listener l)
{
    char text[64];
    size_t len;
    IS(aicc_listener_address(l, text, sizeof text, &len), AICC_OK);
    IS(len, strlen(text));
    return atoi(strrchr(text, ':') + 1);
}

static void refusals(void)
{
    aicc_listener l = {7};
    aicc_str names[65];
    aicc_listen_options o;
    IS(aicc_listen(NULL, &l, &error), AICC_E_ARG);
    IS(l.id, 0);
    o = fresh();
    IS(aicc_listen(&o, NULL, &error), AICC_E_ARG);
    TEXT(error.field, "out");
#define REFUSED(set, named) do { o = fresh(); set; l.id = 7; IS(aicc_listen(&o, &l, &error), AICC_E_ARG); IS(l.id, 0); TEXT(error.field, named); } while (0)
    REFUSED(o.port = -1, "port");
    REFUSED(o.port = 65536, "port");
    REFUSED(o.second_agent = 2, "second_agent");
    REFUSED(o.inspector = 2, "inspector");
    REFUSED(o.fixed_agents = -1, "fixed_agents");
    REFUSED(o.address = aicc_s("example.org"), "address");
    REFUSED(o.address.len = 3, "address");
    REFUSED(o.address = aicc_s("0.0.0.0"), "token");
    TEXT(error.message, "address 0.0.0.0 can be reached from other machines: give a token, and put TLS in front, or listen on 127.0.0.1");
    REFUSED(o.token = aicc_s("two words"), "token");
    REFUSED(o.token = aicc_s("\xff"), "token");
    for (int i = 0; i < 65; i++) names[i] = aicc_s("a");
    REFUSED((o.hosts = names, o.hosts_count = 65), "hosts");
    REFUSED(o.hosts_count = 1, "hosts");
    REFUSED((o.origins = names, o.origins_count = 65), "origins");
    names[1] = aicc_s("");
    REFUSED((o.origins = names, o.origins_count = 2), "origins");
    o = fresh();
    names[0] = aicc_s("game.example");
    o.hosts = names;
    names[1] = aicc_s("https://studio.example");
    o.origins = names + 1;
    o.hosts_count = o.origins_count = 1;
    o.address = aicc_s("::1");
    IS(aicc_listen(&o, &l, &error), AICC_OK);
    IS(aicc_listener_close(l), AICC_OK);
}

static void ports(void)
{
    aicc_listen_options o = fresh();
    aicc_listener one, two;
    char small[4], text[64];
    size_t len = 0;
    IS(aicc_listen(&o, &one, &error), AICC_OK);
    IS(aicc_listener_address(one, small, sizeof small, &len), AICC_E_SMALL);
    IS(len > 10, 1);
    IS(aicc_listener_address(one, text, sizeof text, NULL), AICC_E_ARG);
    IS(aicc_listener_inspector(one, text, sizeof text, &len), AICC_E_STATE);
    o.port = port_of(one);
    IS(aicc_listen(&o, &two, &error), AICC_E_IO);
    TEXT(error.field, "port");
    IS(strstr(error.message, "give port 0") != NULL, 1);
    for (int i = 0; i < 20; i++) { /* a port is free at once */
        IS(aicc_listener_close(one), AICC_OK);
        IS(aicc_listener_close(one), AICC_E_HANDLE);
        IS(aicc_listener_address(one, text, sizeof text, &len), AICC_E_HANDLE);
        IS(aicc_listen(&o, &one, &error), AICC_OK);
    }
    IS(aicc_listener_close((aicc_listener){0}), AICC_E_HANDLE);
    IS(aicc_listener_close((aicc_listener){UINT64_MAX}), AICC_E_HANDLE);
    IS(aicc_listener_close(one), AICC_OK);
}

static void bridges(void)
{
    aicc_listen_options o = fresh();
    aicc_bridge_options b;
    aicc_session_options s;
    aicc_listener l;
    aicc_bridge one, two;
    aicc_session session;
    char text[64];
    size_t len;
    aicc_bridge_options_init(&b, sizeof b);
    b.name = aicc_s("yard");
    b.listener.id = 99999;
    IS(aicc_bridge_create(&b, &one, &error), AICC_E_HANDLE);
    TEXT(error.field, "listener");
    IS(aicc_listen(&o, &l, &error), AICC_OK);
    b.listener = l;
    b.clock = AICC_CLOCK_FRAME;
    IS(aicc_bridge_create(&b, &one, &error), AICC_E_ARG);
    TEXT(error.field, "listener");
    b.clock = AICC_CLOCK_LIBRARY;
    IS(aicc_bridge_create(&b, &one, &error), AICC_OK);
    IS(aicc_bridge_create(&b, &two, &error), AICC_E_NAME);
    b.replace = 1;
    IS(aicc_bridge_create(&b, &two, &error), AICC_OK); /* the first one is gone */
    IS(aicc_bridge_valid(one), 0);
    aicc_session_options_init(&s, sizeof s);
    IS(aicc_session_open(two, &s, &session, &error), AICC_OK);
    IS(aicc_session_attach(session), AICC_E_STATE);
    IS(aicc_session_receive(session, aicc_s("{}")), AICC_E_STATE);
    IS(aicc_session_detach(session), AICC_E_STATE);
    IS(aicc_bridge_next_message(two, &session, text, sizeof text, &len), AICC_EMPTY);
    IS(aicc_listener_close(l), AICC_OK);
    IS(aicc_bridge_flush(two, 1000), AICC_OK); /* it goes on */
    b.listener.id = 0;
    b.name = aicc_s("other");
    IS(aicc_bridge_create(&b, &one, &error), AICC_OK);
    IS(aicc_bridge_destroy(one), AICC_OK);
    IS(aicc_bridge_destroy(two), AICC_OK);
}

static void owners(void)
{
    aicc_listen_options o = fresh();
    aicc_listener mine, theirs, all[64];
    int port, status;
    pid_t child;
    o.owner = 5;
    IS(aicc_listen(&o, &mine, &error), AICC_OK);
    port = port_of(mine);
    o.owner = 6;
    IS(aicc_listen(&o, &theirs, &error), AICC_OK);
    for (int i = 0; i < 20; i++) { /* as a domain reload does */
        IS(aicc_shutdown(5), AICC_OK);
        o.owner = 5;
        o.port = port;
        IS(aicc_listen(&o, &mine, &error), AICC_OK);
    }
    IS(port_of(theirs) > 0, 1);
    child = fork();
    if (child == 0) _exit(aicc_listen(&o, &all[0], &error) == AICC_E_STATE && aicc_listener_close(mine) == AICC_E_STATE ? 7 : 1);
    IS(waitpid(child, &status, 0), child);
    IS(WEXITSTATUS(status), 7);
    IS(aicc_shutdown(0), AICC_OK);
    o = fresh();
    for (int i = 0; i < 64; i++) IS(aicc_listen(&o, &all[i], &error), AICC_OK);
    IS(aicc_listen(&o, &mine, &error), AICC_E_FULL);
    IS(aicc_shutdown(0), AICC_OK);
    IS(aicc_listen(&o, &mine, &error), AICC_OK);
    IS(aicc_listener_close(mine), AICC_OK);
}

int main(void)
{
    IS(aicc_features(), AICC_FEATURE_LISTEN | AICC_FEATURE_INSPECTOR);
    IS(aicc_shutdown(0), AICC_OK); /* before there was anything */
    refusals();
    ports();
    bridges();
    owners();
    printf("ok\n");
    return 0;
}
