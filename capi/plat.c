/* plat.c: threads, clocks and waiting, once for POSIX and once for Windows. */
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#  define _GNU_SOURCE
#endif
#include "plat.h"

atomic_int aicc__forked;

#if defined(_WIN32)

void aicc__mutex_init(plat_mutex *mutex) { InitializeSRWLock(mutex); }
void aicc__cond_init(plat_cond *cond)    { InitializeConditionVariable(cond); }
void aicc__cond_signal(plat_cond *cond)    { WakeConditionVariable(cond); }
void aicc__cond_broadcast(plat_cond *cond) { WakeAllConditionVariable(cond); }

void aicc__cond_wait(plat_cond *cond, plat_mutex *mutex, int64_t deadline_ns)
{
    DWORD ms = INFINITE;
    if (deadline_ns != INT64_MAX) {
        int64_t left = deadline_ns - aicc__now();
        if (left <= 0)
            return;
        left = left / 1000000 + 1;
        ms = left < 0x7fffffff ? (DWORD)left : 0x7fffffffu;
    }
    (void)SleepConditionVariableSRW(cond, mutex, ms, 0);
}

int64_t aicc__now(void)
{
    static _Atomic int64_t frequency;
    LARGE_INTEGER count;
    int64_t f = atomic_load_explicit(&frequency, memory_order_relaxed);
    if (f == 0) {
        LARGE_INTEGER q;
        QueryPerformanceFrequency(&q);
        f = q.QuadPart;
        atomic_store_explicit(&frequency, f, memory_order_relaxed);
    }
    QueryPerformanceCounter(&count);
    return count.QuadPart / f * 1000000000 + count.QuadPart % f * 1000000000 / f;
}

void aicc__stderr(const char *text, size_t len)
{
    DWORD done;
    HANDLE err = GetStdHandle(STD_ERROR_HANDLE);
    if (err != NULL && err != INVALID_HANDLE_VALUE)
        (void)WriteFile(err, text, (DWORD)len, &done, NULL);
}

static BOOL CALLBACK start_once(PINIT_ONCE once, PVOID argument, PVOID *context)
{
    (void)once;
    (void)argument;
    (void)context;
    aicc__start();
    return TRUE;
}

void aicc__setup(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    (void)InitOnceExecuteOnce(&once, start_once, NULL, NULL);
}

#else

#include <time.h>
#include <unistd.h>

void aicc__mutex_init(plat_mutex *mutex) { (void)pthread_mutex_init(mutex, NULL); }
void aicc__cond_signal(plat_cond *cond)    { (void)pthread_cond_signal(cond); }
void aicc__cond_broadcast(plat_cond *cond) { (void)pthread_cond_broadcast(cond); }

void aicc__cond_init(plat_cond *cond)
{
#if defined(__APPLE__)
    (void)pthread_cond_init(cond, NULL);
#else
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(cond, &attr);
    (void)pthread_condattr_destroy(&attr);
#endif
}

void aicc__cond_wait(plat_cond *cond, plat_mutex *mutex, int64_t deadline_ns)
{
    struct timespec at;
    if (deadline_ns == INT64_MAX) {
        (void)pthread_cond_wait(cond, mutex);
        return;
    }
#if defined(__APPLE__)
    deadline_ns -= aicc__now();
    if (deadline_ns <= 0)
        return;
#else
    if (deadline_ns < 0)
        deadline_ns = 0;
#endif
    at.tv_sec = (time_t)(deadline_ns / 1000000000);
    at.tv_nsec = (long)(deadline_ns % 1000000000);
#if defined(__APPLE__)
    (void)pthread_cond_timedwait_relative_np(cond, mutex, &at);
#else
    (void)pthread_cond_timedwait(cond, mutex, &at);
#endif
}

int64_t aicc__now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void aicc__stderr(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

static void child(void)
{
    atomic_store(&aicc__forked, 1);
}

static void start_once(void)
{
    (void)pthread_atfork(NULL, NULL, child);
    aicc__start();
}

void aicc__setup(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start_once);
}

#endif

__attribute__((constructor)) static void load(void)
{
    aicc__setup();
}
