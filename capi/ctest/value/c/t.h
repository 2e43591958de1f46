/* t.h: what the programs of this folder share. They are built from value*.c and writer*.c alone, without the library. */
#ifndef T_H
#define T_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../value.h"
#include "../../../writer.h"

static int t_failed;

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            t_failed = 1; \
        } \
    } while (0)

/* A file of records: the length of each in 8 bytes, then that many bytes. NULL: no more. What it gives is a piece of memory of exactly its size. */
static inline char *t_read(FILE *in, size_t *len)
{
    uint64_t n;
    if (fread(&n, 8, 1, in) != 1) return NULL;
    char *p = malloc(n ? n : 1);
    *len = (size_t)n;
    if (!p || fread(p, 1, *len, in) != *len) exit(9);
    return p;
}

static inline void t_write(FILE *out, const void *p, size_t len)
{
    uint64_t n = len;
    if (fwrite(&n, 8, 1, out) != 1 || fwrite(p, 1, len, out) != len) exit(9);
}

static inline FILE *t_open(const char *name, const char *mode)
{
    FILE *f = fopen(name, mode);
    if (!f) {
        perror(name);
        exit(9);
    }
    return f;
}

static inline int t_is(aicc_str got, const char *want) { return got.len == strlen(want) && memcmp(got.ptr, want, got.len) == 0; }

#endif
