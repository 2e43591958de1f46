/* plat.h: all that the front takes from the system: a mutex, a condition with a deadline, the monotonic clock, once, fork, stderr. */
#ifndef AICC_PLAT_H
#define AICC_PLAT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#  if !defined(WIN32_LEAN_AND_MEAN)
#    define WIN32_LEAN_AND_MEAN
#  endif
#  include <windows.h>
typedef SRWLOCK            plat_mutex;
typedef CONDITION_VARIABLE plat_cond;
#  define PLAT_MUTEX SRWLOCK_INIT
#else
#  include <pthread.h>
typedef pthread_mutex_t plat_mutex;
typedef pthread_cond_t  plat_cond;
#  define PLAT_MUTEX PTHREAD_MUTEX_INITIALIZER
#  pragma GCC visibility push(hidden)
#endif

/* 1 in a forked child, where there is no core and a lock may be held for ever: nothing locks there. */
extern atomic_int aicc__forked;

void    aicc__mutex_init(plat_mutex *mutex);
void    aicc__cond_init(plat_cond *cond);
void    aicc__cond_wait(plat_cond *cond, plat_mutex *mutex, int64_t deadline_ns); /* may return early; INT64_MAX: no deadline */
void    aicc__cond_signal(plat_cond *cond);
void    aicc__cond_broadcast(plat_cond *cond);
int64_t aicc__now(void);                                                           /* ns, monotonic, above 0 */
void    aicc__stderr(const char *text, size_t len);
void    aicc__setup(void);     /* runs aicc__start once; whoever may be first calls it: Go's threads start before constructors of ours have run */
void    aicc__start(void);     /* lib.c */

#if defined(_WIN32)
static inline void aicc__lock(plat_mutex *mutex)   { AcquireSRWLockExclusive(mutex); }
static inline void aicc__unlock(plat_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
#else
static inline void aicc__lock(plat_mutex *mutex)   { (void)pthread_mutex_lock(mutex); }
static inline void aicc__unlock(plat_mutex *mutex) { (void)pthread_mutex_unlock(mutex); }
#  pragma GCC visibility pop
#endif

#endif
