//go:build ignore

/* A host's own faults reach its own handler, with its own mask and flags, and leave nothing behind when the handler longjmps out.
 * usage: faults return|jump|divide|reset|default|ignore|sent|front|into|core|chain LIBRARY */
#define _GNU_SOURCE
#include "host.h"
#include "../../../include/aicc.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

enum { TIMES = 1000 };

static char *page;
static volatile int handled, last_code;
static sigjmp_buf out;
static sigset_t want_mask; /* what must be blocked while the handler runs */

static void check_mask(void)
{
    sigset_t is;
    pthread_sigmask(SIG_SETMASK, NULL, &is);
    for (int sig = 1; sig <= 64; sig++)
        if (sigismember(&is, sig) != sigismember(&want_mask, sig)) {
            fault("signal %d is %s in the handler", sig, sigismember(&is, sig) ? "blocked" : "not blocked");
            exit(verdict());
        }
}

static void open_page(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    check_mask();
    if (info->si_addr != page)
        fault("wrong address");
    handled++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void jump(int sig, siginfo_t *info, void *context)
{
    (void)context;
    check_mask();
    handled++;
    last_code = info->si_code;
    siglongjmp(out, sig);
}

static void note(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    check_mask();
    if (info->si_pid != getpid())
        fault("the sender is lost");
    handled++;
    last_code = info->si_code;
}

static void install(int sig, void (*handler)(int, siginfo_t *, void *), int flags, int blocked)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_sigaction = handler;
    act.sa_flags = flags | SA_SIGINFO;
    if (blocked != 0)
        sigaddset(&act.sa_mask, blocked);
    sigaction(sig, &act, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &want_mask);
    if (blocked != 0)
        sigaddset(&want_mask, blocked);
    if ((flags & SA_NODEFER) == 0)
        sigaddset(&want_mask, sig);
}

static void touch(void) { *(volatile char *)page = 1; }

/* Whether each fault is handled, by a handler that jumps out without taking the mask back: after the first, a mask left behind would show. */
static void jump_out(void (*act)(void), int sig, int save_mask)
{
    for (int i = 0; i < TIMES; i++) {
        int got = sigsetjmp(out, save_mask);
        if (got == 0) {
            act();
            fault("no fault");
        } else if (got != sig) {
            fault("signal %d instead of %d", got, sig);
        }
    }
}

/* How a child ends that faults, or sends itself a signal: 0, or the signal that killed it. */
static int child(void (*act)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(5);
        act();
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* To this thread: one sent to the process may come to any that does not block it. */
static void send_to_self(void) { pthread_kill(pthread_self(), SIGSEGV); }

#if defined(__x86_64__)
static void divide(void)
{
    volatile int zero = 0, one = 1;
    one = one / zero;
}
#endif

static void (*front)(aicc_writer *, char *, size_t);
static void bad_pointer(void) { front((aicc_writer *)(void *)page, NULL, 0); }

static pthread_t main_thread;

/* Sends the main thread one SIGSEGV after another, each when the last was handled. */
static void *sender(void *unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        pthread_kill(main_thread, SIGSEGV);
        while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) <= i)
            ;
    }
    return NULL;
}

static struct sigaction previous;

static void chain(int sig, siginfo_t *info, void *context)
{
    handled++;
    previous.sa_sigaction(sig, info, context);
}

/* Go dereferences nil and recovers, and writes to broken pipes, TIMES each, from when a file is there until it takes it away. */
static void let_core_fault(void)
{
    const char *file = getenv("AICC_TEST_BURN_FILE");
    fclose(fopen(file, "w"));
    UNTIL(access(file, F_OK) != 0, 20000);
    if (access(file, F_OK) == 0)
        fault("the core did not come through");
}

/* Ends by SIGSEGV only if the handler had the first fault, and had it alone. */
static void twice(void)
{
    if (sigsetjmp(out, 1) == 0)
        touch();
    if (handled != 1)
        _exit(0);
    if (sigsetjmp(out, 1) == 0)
        touch();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 3;
    const char *mode = argv[1];
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(mode, "return") == 0) {
        install(SIGSEGV, open_page, SA_RESTART, SIGUSR1);
        load(argv[2]);
        for (int i = 0; i < TIMES; i++) {
            mprotect(page, 4096, PROT_NONE);
            touch();
        }
    } else if (strcmp(mode, "jump") == 0) {
        install(SIGSEGV, jump, 0, SIGUSR1);
        load(argv[2]);
        jump_out(touch, SIGSEGV, 1);
    } else if (strcmp(mode, "divide") == 0) {
        /* As a run time with exceptions of its own does it: no mask is saved, and after a caught null dereference comes a division by zero. */
        install(SIGFPE, jump, SA_NODEFER, 0);
        install(SIGSEGV, jump, SA_NODEFER, 0);
        load(argv[2]);
        jump_out(touch, SIGSEGV, 0);
#if defined(__x86_64__)
        handled = 0;
        jump_out(divide, SIGFPE, 0);
#endif
    } else if (strcmp(mode, "reset") == 0) {
        install(SIGSEGV, jump, SA_RESETHAND, 0);
        load(argv[2]);
        if (child(twice) != SIGSEGV)
            fault("SA_RESETHAND: not one fault handled and the next deadly");
        handled = TIMES;
    } else if (strcmp(mode, "default") == 0) {
        load(argv[2]);
        if (child(touch) != SIGSEGV)
            fault("a fault did not kill");
        if (child(send_to_self) != SIGSEGV)
            fault("a SIGSEGV that was sent did not kill");
        handled = TIMES;
    } else if (strcmp(mode, "ignore") == 0) {
        signal(SIGSEGV, SIG_IGN);
        load(argv[2]);
        if (child(touch) != SIGSEGV)
            fault("a fault did not kill");
        if (child(send_to_self) != 0)
            fault("an ignored SIGSEGV that was sent did not stay ignored");
        handled = TIMES;
    } else if (strcmp(mode, "sent") == 0) {
        install(SIGSEGV, note, 0, SIGUSR1);
        load(argv[2]);
        for (int i = 0; i < TIMES; i++)
            send_to_self();
        if (last_code != SI_TKILL)
            fault("si_code %d", last_code);
    } else if (strcmp(mode, "front") == 0) {
        /* A bad pointer that the C front runs into is the host's fault too. */
        install(SIGSEGV, jump, SA_NODEFER, SIGUSR1);
        void *library = load(argv[2]);
        *(void **)&front = dlsym(library, "aicc_write_begin");
        jump_out(bad_pointer, SIGSEGV, 1);
    } else if (strcmp(mode, "into") == 0) {
        /* A SIGSEGV that was sent is the host's wherever it comes, also within the library's code. */
        static aicc_writer writer;
        pthread_t other;
        install(SIGSEGV, note, 0, SIGUSR1);
        void *library = load(argv[2]);
        *(void **)&front = dlsym(library, "aicc_write_begin");
        main_thread = pthread_self();
        pthread_create(&other, NULL, sender, NULL);
        while (handled < TIMES)
            for (int i = 0; i < 1000; i++)
                front(&writer, NULL, 0);
        pthread_join(other, NULL);
    } else if (strcmp(mode, "core") == 0) {
        /* The host would die of the core's SIGPIPE, and jump out of its faults. */
        install(SIGSEGV, jump, 0, 0);
        load(argv[2]);
        let_core_fault();
        if (handled != 0)
            fault("the host was given %d faults of the core", handled);
        handled = TIMES;
    } else if (strcmp(mode, "chain") == 0) {
        /* A handler that came after load gets the core's faults, and hands on what is not its own. */
        load(argv[2]);
        sigaction(SIGSEGV, NULL, &previous);
        install(SIGSEGV, chain, SA_ONSTACK, 0);
        let_core_fault();
    } else {
        return 3;
    }
    if (handled != TIMES)
        fault("%d of %d handled", handled, TIMES);
    return verdict();
}
