//go:build ignore

/* 3,000 child exits, or a profiling timer, for a host whose handler has no SA_ONSTACK, while the core computes.
 * The main thread blocks the signal, as hosts do that keep such work off it: whatever thread does not is hit, and Go's do not.
 * usage: storm child|profile early|late LIBRARY */
#define _GNU_SOURCE
#include "host.h"
#include <sys/time.h>

enum { CHILDREN = 3000, TICKS = 200 };

static int total, elsewhere; /* handled at all, and on a thread that is not the main one */
static pid_t main_thread;

/* Uses the stack as a handler does that formats a line. */
static void handler(int sig)
{
    char line[1024];
    int saved = errno;
    memset(line, sig, sizeof line);
    __asm__ volatile("" : : "r"(line) : "memory");
    __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    if ((pid_t)syscall(SYS_gettid) != main_thread)
        __atomic_fetch_add(&elsewhere, 1, __ATOMIC_SEQ_CST);
    errno = saved;
}

static int ready(int sig)
{
    struct sigaction act;
    sigaction(sig, NULL, &act);
    return (act.sa_flags & SA_ONSTACK) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 3;
    int children = strcmp(argv[1], "child") == 0, sig = children ? SIGCHLD : SIGPROF;
    int late = strcmp(argv[2], "late") == 0;
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = handler;
    act.sa_flags = SA_RESTART;
    main_thread = (pid_t)syscall(SYS_gettid);
    if (late)
        load(argv[3]);
    sigaction(sig, &act, NULL);
    if (!late)
        load(argv[3]);
    else
        UNTIL(ready(sig), 3000); /* the guard looks again once a second; without one nothing comes of it */
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, sig);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    if (children) {
        for (int i = 0; i < CHILDREN; i++) {
            pid_t pid = fork();
            if (pid == 0)
                _exit(0);
            if (pid < 0 || waitpid(pid, NULL, 0) != pid)
                fault("fork");
        }
        UNTIL(__atomic_load_n(&elsewhere, __ATOMIC_SEQ_CST) > 0, 5000);
    } else {
        struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
        setitimer(ITIMER_PROF, &often, NULL);
        UNTIL(__atomic_load_n(&elsewhere, __ATOMIC_SEQ_CST) >= TICKS, 30000);
        setitimer(ITIMER_PROF, &never, NULL);
        if (elsewhere < TICKS)
            fault("%d ticks only", elsewhere);
    }
    printf("handled: %d, on the core's threads %d\n", total, elsewhere);
    if (elsewhere == 0)
        fault("the core's threads were never hit: this run shows nothing");
    return verdict();
}
