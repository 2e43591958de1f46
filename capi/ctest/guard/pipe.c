//go:build ignore

/* A write to a socket that the other side reset is EPIPE, and SIGPIPE as the host decided.
 * usage: pipe ignore|handle|once|default LIBRARY */
#define _GNU_SOURCE
#include "host.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static volatile int handled;

static void handler(int sig)
{
    sigset_t is;
    (void)sig;
    pthread_sigmask(SIG_SETMASK, NULL, &is);
    for (int s = 1; s <= 64; s++)
        if (sigismember(&is, s) != (s == SIGPIPE || s == SIGUSR1))
            fault("signal %d is %s in the handler", s, sigismember(&is, s) ? "blocked" : "not blocked");
    handled++;
}

/* A TCP connection whose other end is gone by reset. */
static int reset_socket(void)
{
    struct sockaddr_in where;
    socklen_t size = sizeof where;
    struct linger hard = {1, 0};
    memset(&where, 0, sizeof where);
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), ours = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&where, size) != 0 || listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&where, &size) != 0 ||
        connect(ours, (struct sockaddr *)&where, size) != 0)
        fault("no connection: %s", strerror(errno));
    int theirs = accept(listener, NULL, NULL);
    setsockopt(theirs, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(theirs);
    close(listener);
    return ours;
}

/* The errno of the second write: the first one is told of the reset. */
static int write_twice(int fd)
{
    if (write(fd, "x", 1) >= 0 || errno != ECONNRESET)
        fault("first write: %s", strerror(errno));
    return write(fd, "x", 1) < 0 ? errno : 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 3;
    const char *mode = argv[1];
    struct sigaction act, is;
    memset(&act, 0, sizeof act);
    act.sa_handler = strcmp(mode, "ignore") == 0 ? SIG_IGN : strcmp(mode, "default") == 0 ? SIG_DFL : handler;
    act.sa_flags = strcmp(mode, "once") == 0 ? (int)SA_RESETHAND : 0;
    sigaddset(&act.sa_mask, SIGUSR1);
    sigaction(SIGPIPE, &act, NULL);
    load(argv[2]);
    sigaction(SIGPIPE, NULL, &is);
    if (is.sa_handler != act.sa_handler)
        fault("SIGPIPE is no longer the host's");
    fflush(stdout);
    pid_t pid = fork(); /* a child inherits what the library left; it may die */
    if (pid == 0) {
        int want = act.sa_handler == handler, first = write_twice(reset_socket());
        if (first != EPIPE)
            fault("second write: %s", strerror(first));
        if (handled != want)
            fault("handled %d times", handled);
        if (strcmp(mode, "once") == 0)
            write_twice(reset_socket()); /* to die of */
        exit(faults == 0 ? 0 : 1);
    }
    int status, deadly = strcmp(mode, "default") == 0 || strcmp(mode, "once") == 0;
    waitpid(pid, &status, 0);
    if (deadly ? !(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) : status != 0)
        fault("status %#x", (unsigned)status);
    return verdict();
}
