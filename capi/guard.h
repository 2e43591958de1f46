/* The signal guard: the Go run time comes into a process without touching the host's signal handlers. guard.c says how. */
#ifndef AICC_GUARD_H
#define AICC_GUARD_H

/* Looks again at the handlers that may run on the core's threads, since managed run times install theirs late.
 * The core's wait loop calls it about once a second, from any thread; it never blocks. Does nothing where there is no guard. */
#if !defined(_WIN32)
__attribute__((visibility("hidden")))
#endif
void aicc_guard_look(void);

#endif
