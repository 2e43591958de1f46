/* What the hosts of these tests share: load the library, say what is wrong, end with the count of it. */
#ifndef HOST_H
#define HOST_H

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int faults;

__attribute__((format(printf, 1, 2))) static inline void fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    faults++;
}

static inline void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        printf("cannot load: %s\n", dlerror());
        exit(3);
    }
    return library;
}

static inline int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for a condition, at most ms; gives the processor away meanwhile. */
#define UNTIL(condition, ms)                                    \
    do {                                                        \
        int64_t until_end = now_ms() + (ms);                    \
        while (!(condition) && now_ms() < until_end)            \
            nanosleep(&(struct timespec){0, 1000000}, NULL);    \
    } while (0)

static inline int verdict(void)
{
    printf("faults: %d\n", faults);
    return faults == 0 ? 0 : 1;
}

#endif
