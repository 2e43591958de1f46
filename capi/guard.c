/* The signal guard: the host's signals stay the host's.
 *
 * A Go run time that starts in a c-shared library takes over SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG, and adds SA_ONSTACK to every
 * handler that the host had. The second corrupts heaps: a collector's stop signal then runs on the alternate stack and scans the wrong
 * one. So Go is kept from doing either, and its threads are made so that the host's signals do not come to them.
 *
 * How. Go asks the C library for sigaction (runtime/cgo, linux), and within this library that name is ours: guard_on.go gives the
 * linker --wrap=sigaction. While the library loads, what Go wants for the host's signals is answered with success and not done, so there is no
 * moment at which another thread of the host could be hit by a changed handler. Two constructors frame Go's: the first, of a priority
 * that comes before it, blocks all asynchronous signals in the loading thread, from which the first Go thread and through it
 * every other inherits its mask; the second comes after it, since cgo's objects follow Go's on the link line, and gives the thread its mask back.
 *
 * What the host finds after load: every handler byte for byte, and
 *   SIGURG   is Go's (it preempts goroutines with it). A host that installs its own later keeps it, with SA_ONSTACK added, and Go goes on
 *            without preemption.
 *   SIGSEGV  is dispatched by address, below. Same mask and flags, but SA_SIGINFO and SA_ONSTACK are set, the latter since Go's stacks are small,
 *            and SA_RESETHAND is cleared and done by the dispatcher.
 *   SIGCHLD, SIGPROF  keep the host's handler, with SA_ONSTACK added: Go unblocks them on its own threads whatever these inherited, and
 *            a handler must not run on a goroutine's stack of 2 KB. aicc_guard_look adds it to one installed later.
 * Go unblocks signal 34 as well (musl's SIGSYNCCALL), which is left alone: with glibc it is SIGRTMIN, by which CoreCLR stops its threads, and
 * its handler overflows the alternate stack. That is sent to one thread, never to ours. A host that has SIGRTMIN sent to the whole process
 * must give its handler SA_ONSTACK itself, or may die of it when all its own threads block it.
 * SIGPIPE is blocked on Go's threads: a write there to a closed socket is EPIPE and no more.
 * Go needs neither SIGFPE nor SIGBUS: on amd64 and arm64 it tests divisors, and its nil dereference is a SIGSEGV.
 *
 * SIGSEGV. A fault at an address within this library goes to Go with all signals blocked, as Go's own handler would have it; one of Go's code becomes a
 * panic, one of the C front Go forwards to what it takes for the handler that was there before, and that is forward() below. All other
 * faults, and a SIGSEGV that somebody sent, go to the host's handler and touch no Go code: with the host's mask, since the kernel set
 * it, and with nothing held, so that the handler may longjmp out. A host that installs its handler after load simply has it; a fault
 * in Go's code then goes to that handler, and comes back here if it calls the previous one, as crash reporters and managed run times do.
 *
 * Only linux on amd64 and arm64 has a guard. On Windows there are no such signals. On macOS nothing is done: constructors have no
 * priority across objects there, and Go does not pass through a C sigaction that could be wrapped; the host has what Go's
 * os/signal describes for c-shared. For tests only, AICC_NO_GUARD leaves the guard out and AICC_GUARD_PLAIN adds no SA_ONSTACK. */
#define _GNU_SOURCE
#include "guard.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(AICC_NO_GUARD)

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum { LAST_SIGNAL = 64 };

int __real_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
HIDDEN int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);

/* Written before Go's first thread exists, read only afterwards; host_spent alone changes. */
static int loading;              /* between the two constructors */
static sigset_t loader_mask;     /* of the thread that loads the library */
static struct sigaction host;    /* the host's SIGSEGV */
static struct sigaction go;      /* Go's SIGSEGV; no handler until Go asked for one */
static int host_spent;           /* SA_RESETHAND: the host's handler had its one fault */
static uintptr_t code_low, code_high;

static int is_function(const struct sigaction *act)
{
    return act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
}

/* The default action, as the kernel does it: a fault happens again once we return, a signal that was sent is sent again. */
static void die_by_default(int sig, const siginfo_t *info)
{
    struct sigaction dfl = {0};
    dfl.sa_handler = SIG_DFL;
    __real_sigaction(sig, &dfl, NULL);
    if (info->si_code <= 0)
        raise(sig);
}

/* Runs the host's handler. Nothing of ours may come after it: it may longjmp. */
static void to_host(int sig, siginfo_t *info, void *context)
{
    if (host.sa_handler == SIG_IGN && info->si_code <= 0)
        return; /* a fault cannot be ignored, a signal that was sent can */
    if (!is_function(&host))
        die_by_default(sig, info);
    else if ((host.sa_flags & (int)SA_RESETHAND) != 0 && __atomic_exchange_n(&host_spent, 1, __ATOMIC_SEQ_CST) != 0)
        die_by_default(sig, info);
    else
        host.sa_sigaction(sig, info, context); /* without SA_SIGINFO it takes the first argument only, as with the kernel */
}

/* What Go takes for the handler before its own. Go calls it with all signals blocked; the host's handler is to see its own mask. */
static void forward(int sig, siginfo_t *info, void *context)
{
    sigset_t mask;
    sigemptyset(&mask);
    for (int s = 1; s <= LAST_SIGNAL; s++)
        if (sigismember(&((ucontext_t *)context)->uc_sigmask, s) == 1 || sigismember(&host.sa_mask, s) == 1)
            sigaddset(&mask, s);
    if ((host.sa_flags & SA_NODEFER) == 0)
        sigaddset(&mask, sig);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    to_host(sig, info, context);
}

static uintptr_t fault_address(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static void dispatch(int sig, siginfo_t *info, void *context)
{
    uintptr_t at = fault_address(context);
    if (info->si_code > 0 && at >= code_low && at < code_high && go.sa_sigaction != NULL) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL); /* the kernel takes the old mask back when the handler returns */
        go.sa_sigaction(sig, info, context);
        return;
    }
    to_host(sig, info, context);
}

static int find_code(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t low = (uintptr_t)(object->dlpi_addr + part->p_vaddr), high = low + (uintptr_t)part->p_memsz;
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0 || (uintptr_t)&find_code < low || (uintptr_t)&find_code >= high)
            continue;
        code_low = low;
        code_high = high;
        return 1;
    }
    return 0;
}

static int take_segv(const struct sigaction *act)
{
    struct sigaction ours = host;
    go = *act;
    ours.sa_sigaction = dispatch;
    ours.sa_flags = (host.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    return __real_sigaction(SIGSEGV, &ours, NULL);
}

/* What Go calls for sigaction. After load it is let through: all that a Go program without os/signal does then is to die by a signal. */
int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!__atomic_load_n(&loading, __ATOMIC_ACQUIRE))
        return __real_sigaction(sig, act, old);
    if (act == NULL) {
        int status = __real_sigaction(sig, NULL, old);
        if (status == 0 && sig == SIGSEGV && old != NULL) {
            old->sa_sigaction = forward;
            old->sa_flags |= SA_SIGINFO;
        }
        return status;
    }
    if (sig == SIGURG || act->sa_handler == SIG_DFL)
        return __real_sigaction(sig, act, old);
    return sig == SIGSEGV ? take_segv(act) : 0;
}

__attribute__((constructor(101))) static void aicc_guard_before_go(void)
{
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t asynchronous;
    sigfillset(&asynchronous); /* the C library keeps its own two out of it */
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&asynchronous, synchronous[i]);
    dl_iterate_phdr(find_code, NULL);
    __real_sigaction(SIGSEGV, NULL, &host);
    aicc_guard_look(); /* before there is a thread of Go's that could be hit */
    __atomic_store_n(&loading, 1, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_BLOCK, &asynchronous, &loader_mask);
}

__attribute__((constructor)) static void aicc_guard_after_go(void)
{
    __atomic_store_n(&loading, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &loader_mask, NULL);
}

#if !defined(AICC_GUARD_PLAIN)
/* Adds SA_ONSTACK to a handler that has none. What the change displaced tells whether the host installed another in between; then that one is
 * the host's newest, and is put back the same way. */
static void add_onstack(int sig)
{
    struct sigaction expected, displaced, wanted;
    if (__real_sigaction(sig, NULL, &expected) != 0 || !is_function(&expected) || (expected.sa_flags & SA_ONSTACK) != 0)
        return;
    for (wanted = expected;; expected = wanted, wanted = displaced) {
        if (is_function(&wanted))
            wanted.sa_flags |= SA_ONSTACK;
        if (__real_sigaction(sig, &wanted, &displaced) != 0)
            return;
        if (displaced.sa_handler == expected.sa_handler && displaced.sa_flags == expected.sa_flags)
            return;
    }
}
#endif

void aicc_guard_look(void)
{
#if !defined(AICC_GUARD_PLAIN)
    add_onstack(SIGCHLD);
    add_onstack(SIGPROF);
    add_onstack(SIGURG);
#endif
}

#else

void aicc_guard_look(void)
{
}

#endif
