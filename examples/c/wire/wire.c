/* wire.c: agents over a wire of your own, instead of aicc_listen: here TCP on this machine, one message a line.
 *
 * The bridge has no listener, so the game says who is there (aicc_session_attach), what came (aicc_session_receive), and who is gone
 * (aicc_session_detach), and sends what aicc_bridge_next_message gives. None of these waits. A pipe, a WebSocket library or a game's own network code
 * goes the same way; with more than one character, each needs a connection of its own.
 * Build:  gcc -Iinclude examples/c/wire/wire.c -Lbuild/lib -laicc -Wl,-rpath,$PWD/build/lib -o wire
 * Run:    ./wire      and to the port that it names:  nc 127.0.0.1 PORT
 */
#define _POSIX_C_SOURCE 200809L
#include "aicc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK(call) check((call), #call, __LINE__)
static aicc_error fault;
static aicc_status check(aicc_status status, const char *call, int line)
{
    if (status >= 0) return status;
    fprintf(stderr, "wire.c:%d: %s: %s %s %s\n", line, call, aicc_status_name(status), fault.field, fault.message);
    exit(1);
}

enum { LONGEST = (1 << 20) + 1, SENT = 4 << 20 };   /* what aicc_session_receive takes; what a bridge sends at most */

static aicc_bridge  bridge;
static aicc_session hero;
static int          port, agent = -1;               /* sockets */
static char         in[LONGEST], out[SENT + 1];     /* what came and was not taken yet; the message that is being sent */
static size_t       have, put, due;                 /* bytes in `in`; bytes of `out`: that were sent, that there are */
static int          skip;                           /* the rest of a line that was too long is still to come */
static int          broken;                         /* nothing more comes */
static volatile sig_atomic_t over;

static aicc_status AICC_CALL jump(const aicc_request *request, void *user_data)
{
    (void)request, (void)user_data;
    printf("the hero jumps\n");
    return AICC_OK;                                 /* the answer is {} */
}

static void hang_up(void)
{
    aicc_status status = aicc_session_detach(hero); /* calls go on and results are kept: it may come back with session_resume */
    if (status != AICC_E_STATE) CHECK(status);      /* E_STATE: the bridge has let it go before */
    close(agent), agent = -1;
}

/* A newcomer who is early, the old connection not being known to be lost yet, waits in the port's queue. */
static void answer(void)
{
    agent = accept(port, NULL, NULL);
    if (agent < 0) return;
    fcntl(agent, F_SETFL, O_NONBLOCK);
    have = put = due = 0, skip = broken = 0;
    CHECK(aicc_session_attach(hero));               /* it is sent session_init, or sends session_resume first: docs/protocol.md */
}

/* The next line that came, or as much of one that is too long as the bridge takes to say so. 0: there is none. */
static int next_line(aicc_str *line)
{
    char *end = memchr(in, '\n', have);
    if (!end && have < LONGEST) return 0;
    *line = aicc_sn(in, end ? (size_t)(end - in) : have);
    return 1;
}

static void drop_line(const aicc_str *line)
{
    size_t bytes = line->len < have ? line->len + 1 : have;     /* with its newline */
    skip = line->len == LONGEST;
    memmove(in, in + bytes, have -= bytes);
}

/* What came, but of a flood only so much in a frame: answers must find room. */
static void take(void)
{
    aicc_str line;
    for (int lines = 0; lines < 100 && next_line(&line); lines++) {
        if (line.len > 0 && !skip) {
            aicc_status status = aicc_session_receive(hero, line);
            if (status == AICC_E_FULL) return;      /* the same line again, after the next frame */
            if (status != AICC_E_STATE) CHECK(status);  /* E_STATE: it has said good-bye already */
        }
        drop_line(&line);
    }
}

static void read_some(void)
{
    ssize_t got = -1;
    errno = EAGAIN;
    if (have < LONGEST) got = read(agent, in + have, LONGEST - have);
    if (got > 0) have += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) broken = 1;
    take();
}

/* One message after the other, as fast as the agent reads. */
static void send_some(void)
{
    aicc_session to;                                /* with many characters: which agent's connection */
    for (;;) {
        ssize_t n;
        if (put == due) {
            put = due = 0;
            if (CHECK(aicc_bridge_next_message(bridge, &to, out, sizeof out, &due)) == AICC_EMPTY) break;
            out[due++] = '\n';
        }
        n = write(agent, out + put, due - put);
        if (n < 0 && (errno == EAGAIN || errno == EINTR) && !broken && aicc_session_has_agent(hero)) return;
        if (n < 0) broken = 1, put = due;
        else put += (size_t)n;
    }
    if (broken || !aicc_session_has_agent(hero)) hang_up();     /* the bridge lets it go after a good-bye, or when it does not read */
}

static void open_world(void)
{
    aicc_bridge_options world;
    aicc_tool_options tool;
    aicc_session_options character;
    aicc_tool handle;
    aicc_bridge_options_init(&world, sizeof world);
    world.name = aicc_s("own wire");
    CHECK(aicc_bridge_create(&world, &bridge, &fault));
    aicc_tool_options_init(&tool, sizeof tool);
    tool.cls = AICC_ACTUATOR;
    tool.id = aicc_s("jump");
    tool.description = aicc_s("Jumps.");
    tool.fn = jump;
    CHECK(aicc_tool_register(bridge, &tool, &handle, &fault));
    aicc_session_options_init(&character, sizeof character);
    character.name = aicc_s("hero");
    character.topics = 0;
    CHECK(aicc_session_open(bridge, &character, &hero, &fault));
}

static void open_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };   /* any port that is free */
    socklen_t size = sizeof address;
    port = socket(AF_INET, SOCK_STREAM, 0);
    if (port < 0 || bind(port, (struct sockaddr *)&address, size) || listen(port, 4) || getsockname(port, (struct sockaddr *)&address, &size)) {
        perror("wire: no port can be opened");
        exit(1);
    }
    printf("127.0.0.1:%d\n", ntohs(address.sin_port));
}

static void on_signal(int number) { over = number; }

int main(void)
{
    signal(SIGPIPE, SIG_IGN);                       /* an agent that is gone must not end the game */
    signal(SIGINT, on_signal), signal(SIGTERM, on_signal);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    open_world();
    open_port();
    while (!over) {                                 /* a frame */
        struct pollfd any = { agent < 0 ? port : have < LONGEST ? agent : -1, POLLIN, 0 };
        poll(&any, 1, 16);                          /* here your game does its work; this one waits */
        if (agent < 0 && any.revents) answer();
        if (agent >= 0) read_some();
        CHECK(aicc_bridge_pump(bridge, NULL, NULL, NULL));      /* here jump is called */
        if (agent >= 0) send_some();
    }
    CHECK(aicc_bridge_close(bridge));               /* fails what is open, says good-bye */
    CHECK(aicc_bridge_flush(bridge, 1000));
    if (agent >= 0) send_some();
    return CHECK(aicc_bridge_destroy(bridge));
}
