//go:build ignore

/* Handlers for every signal, distinctive flags and masks: what does the host find after it loaded the library?
 * usage: handlers handle|ignore|default|late|watch LIBRARY */
#define _GNU_SOURCE
#include "host.h"
#include <dirent.h>
#include <pthread.h>

enum { RESTORER = 0x04000000 };

/* The kernel's own form, so that all of it is compared, the restorer too where there is one. */
struct kernel_action {
    uintptr_t handler;
    unsigned long flags;
    uintptr_t restorer;
    uint64_t mask;
};

static void one(int sig) { (void)sig; }
static void two(int sig, siginfo_t *info, void *context) { (void)sig, (void)info, (void)context; }
static void three(int sig) { (void)sig; }

static struct kernel_action look(int sig)
{
    struct kernel_action act;
    memset(&act, 0, sizeof act);
    syscall(SYS_rt_sigaction, sig, NULL, &act, 8);
    act.flags = (uint32_t)act.flags; /* SA_RESETHAND is an int's sign, which some C libraries extend */
    return act;
}

static int usable(int sig)
{
    return sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33;
}

static void install(int sig)
{
    static const int flags[] = {SA_RESTART, SA_NODEFER, SA_ONSTACK, 0, SA_RESETHAND, SA_NODEFER | SA_RESTART, SA_NOCLDSTOP};
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_flags = flags[sig % 7];
    if (sig == SIGSEGV)
        act.sa_flags = SA_RESETHAND | SA_RESTART;
    if (sig % 3 == 0) {
        act.sa_sigaction = two;
        act.sa_flags |= SA_SIGINFO;
    } else {
        act.sa_handler = sig % 3 == 1 ? one : three;
    }
    sigaddset(&act.sa_mask, sig % 64 + 1 == 32 || sig % 64 + 1 == 33 ? 40 : sig % 64 + 1);
    sigaddset(&act.sa_mask, SIGUSR1);
    sigaction(sig, &act, NULL);
}

static int same(const struct kernel_action *a, const struct kernel_action *b)
{
    return a->handler == b->handler && a->flags == b->flags && a->mask == b->mask && ((a->flags & RESTORER) == 0 || a->restorer == b->restorer);
}

/* One signal, as it was and as it is. Late: the host installed after load, so nothing is Go's. */
static void check(int sig, struct kernel_action was, int late)
{
    struct kernel_action is = look(sig), want = was;
    int function = was.handler > 1;
    if (sig == SIGURG && !late) {
        if (is.handler == was.handler || is.handler <= 1 || (is.flags & SA_ONSTACK) == 0)
            fault("SIGURG is not Go's: handler %#lx flags %#lx", (unsigned long)is.handler, is.flags);
        return;
    }
    if (sig == SIGSEGV && !late) {
        if (is.handler == was.handler)
            fault("SIGSEGV is not dispatched");
        want.handler = is.handler;
        want.flags = (was.flags & ~(unsigned long)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
        if (!function) { /* the C library adds these when ours is installed */
            want.flags |= is.flags & RESTORER;
            want.restorer = is.restorer;
        }
    }
    if ((sig == SIGCHLD || sig == SIGPROF || sig == SIGURG) && function)
        want.flags |= SA_ONSTACK;
    if (!same(&is, &want))
        fault("signal %d: handler %#lx flags %#lx mask %#lx, should be %#lx %#lx %#lx", sig, (unsigned long)is.handler, is.flags,
              (unsigned long)is.mask, (unsigned long)want.handler, want.flags, (unsigned long)want.mask);
}

/* The library's threads block what the host might be sent, so that the host's threads get it. */
static void check_threads(void)
{
    uint64_t may = 0;
    static const int open[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGSTKFLT, SIGCHLD, SIGPROF, SIGURG, SIGKILL, SIGSTOP, 32, 33, 34};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        may |= (uint64_t)1 << (open[i] - 1);
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], line[200];
        int id = atoi(task->d_name);
        if (id == 0 || id == (int)syscall(SYS_gettid))
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%d/status", id);
        FILE *status = fopen(path, "r");
        if (status == NULL)
            continue; /* it ended */
        while (fgets(line, sizeof line, status) != NULL) {
            unsigned long blocked;
            if (sscanf(line, "SigBlk: %lx", &blocked) != 1)
                continue;
            threads++;
            if ((blocked | may) != ~(uint64_t)0)
                fault("thread %d blocks %#lx only", id, blocked);
        }
        fclose(status);
    }
    closedir(tasks);
    if (threads == 0)
        fault("the library has no threads");
    printf("threads: %d\n", threads);
}

/* Another thread of the host watches all handlers while the library loads: a collector's stop signal may come at any moment. */
static int watching = 1, rounds;
static struct kernel_action before[65];

static void *watch(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&watching, __ATOMIC_SEQ_CST)) {
        for (int sig = 1; sig <= 64; sig++) {
            struct kernel_action is = look(sig);
            if (!usable(sig) || sig == SIGURG || sig == SIGSEGV || sig == SIGCHLD || sig == SIGPROF || same(&is, &before[sig]))
                continue;
            fault("signal %d was seen with handler %#lx flags %#lx during load", sig, (unsigned long)is.handler, is.flags);
            return NULL;
        }
        __atomic_fetch_add(&rounds, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static int watch_load(const char *path)
{
    pthread_t watcher;
    pthread_create(&watcher, NULL, watch, NULL);
    UNTIL(__atomic_load_n(&rounds, __ATOMIC_SEQ_CST) > 0, 5000);
    load(path);
    int loaded = __atomic_load_n(&rounds, __ATOMIC_SEQ_CST);
    UNTIL(__atomic_load_n(&rounds, __ATOMIC_SEQ_CST) > loaded + 1 || faults > 0, 5000);
    __atomic_store_n(&watching, 0, __ATOMIC_SEQ_CST);
    pthread_join(watcher, NULL);
    printf("rounds: %d\n", rounds);
    return verdict();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 3;
    const char *mode = argv[1];
    int late = strcmp(mode, "late") == 0;
    if (late)
        load(argv[2]);
    for (int sig = 1; sig <= 64; sig++) {
        if (!usable(sig) || strcmp(mode, "default") == 0)
            continue;
        if (strcmp(mode, "ignore") == 0)
            signal(sig, SIG_IGN);
        else
            install(sig);
    }
    sigset_t mine, found;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    sigaddset(&mine, SIGWINCH);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    for (int sig = 1; sig <= 64; sig++)
        before[sig] = look(sig);
    if (strcmp(mode, "watch") == 0)
        return watch_load(argv[2]);
    if (late)
        UNTIL((look(SIGCHLD).flags & look(SIGPROF).flags & look(SIGURG).flags & SA_ONSTACK) != 0, 4000);
    else
        load(argv[2]);
    pthread_sigmask(SIG_SETMASK, NULL, &found);
    for (int sig = 1; sig <= 64; sig++) {
        if (usable(sig))
            check(sig, before[sig], late);
        if (sigismember(&found, sig) != sigismember(&mine, sig))
            fault("signal %d: the loading thread's mask changed", sig);
    }
    check_threads();
    return verdict();
}
