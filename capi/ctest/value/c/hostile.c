/* hostile IN: tapes that a peer has damaged, or made up. Whatever aicc_value_open accepts is then read to its last corner; the sanitizers that
 * this is built with say whether anything reads where it must not. Prints how many were opened and how many accepted. */
#include "t.h"

static unsigned long tried, accepted;
static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void touch(aicc_str s)
{
    volatile char sum = 0;
    for (size_t i = 0; i <= s.len; i++) sum = (char)(sum + s.ptr[i]);
    CHECK(s.ptr[s.len] == 0);
    for (size_t i = 0; i < s.len; ) {
        size_t n = aicc__utf8_len(s.ptr + i, s.len - i);
        CHECK(n > 0);
        i += n ? n : 1;
    }
}

static size_t read_all(const aicc_value *v, int depth)
{
    static const char *const pointers[] = { "", "a", "/0", "/1/0", "/a/b", "/-", "/~0", "/a~1b/2", "/99999999999", "/4294967295" };
    double d, list[4];
    int64_t n;
    int32_t b;
    size_t len, values = 1;
    aicc_str s;
    aicc_value child;
    char small[24];
    CHECK(depth <= 65);
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        aicc_str p = aicc_s(pointers[i]);
        aicc_value_number(v, p, &d);
        aicc_value_integer(v, p, &n);
        aicc_value_bool(v, p, &b);
        if (aicc_value_string(v, p, &s) == AICC_OK) touch(s);
        aicc_value_count(v, p, &len);
        aicc_value_numbers(v, p, list, 4, &len);
        aicc_value_json(v, p, small, sizeof small, &len);
        aicc_value_find(v, p, &child);
    }
    CHECK(aicc_value_copy(v, NULL, 0, &len) == AICC_E_SMALL);
    void *copy = malloc(len);
    CHECK(aicc_value_copy(v, copy, len, &len) == AICC_OK);
    CHECK(aicc_value_open(copy, len, &child) == AICC_OK);   /* what was accepted is accepted again */
    free(copy);
    uint32_t place = 0, odd = (uint32_t)random_bits() % 64;
    while (aicc_value_next(v, &place, &s, &child) == AICC_OK) {
        if (s.ptr) touch(s);
        values += read_all(&child, depth + 1);
    }
    aicc_value_next(v, &odd, &s, &child);                   /* a place that is none */
    return values;
}

/* The bytes in memory of just their size. */
static int try_open(const char *tape, size_t size, int mend)
{
    char *exact = malloc(size ? size : 1);
    aicc_value v;
    aicc_status status;
    memcpy(exact, tape, size);
    if (mend && size >= AICC__TAPE_HEADER) {
        uint64_t check = aicc__tape_check(exact, size);
        memcpy(exact + offsetof(aicc__tape, check), &check, 8);
    }
    tried++;
    status = aicc_value_open(exact, size, &v);
    CHECK(status == AICC_OK || status == AICC_E_JSON);
    if (status == AICC_OK) {
        accepted++;
        CHECK(read_all(&v, 1) <= size / AICC__TAPE_NODE);
    }
    free(exact);
    return status == AICC_OK;
}

static void damage(char *tape, size_t size)
{
    static const uint32_t words[] = { 0, 1, 2, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xfffffff8 };
    size_t nodes_end = AICC__TAPE_HEADER + (size_t)aicc__tape_of(tape).nodes * AICC__TAPE_NODE;
    CHECK(try_open(tape, size, 0));
    /* Damage: none of it passes. */
    for (size_t i = 0; i < size; i++) {
        char keep = tape[i];
        for (int bit = 0; bit < 8; bit++) {
            tape[i] = (char)(keep ^ (1 << bit));
            CHECK(!try_open(tape, size, 0));
        }
        tape[i] = keep;
        CHECK(!try_open(tape, i, 0));
        try_open(tape, i, 1);
    }
    /* Malice: the check is right again. */
    for (size_t i = 0; i < size; i++) {
        char keep = tape[i];
        for (int c = 0; c < 256; c++) {
            tape[i] = (char)c;
            try_open(tape, size, 1);
        }
        tape[i] = keep;
    }
    for (size_t i = 0; i + 4 <= nodes_end; i += 4) {
        uint32_t keep, word;
        memcpy(&keep, tape + i, 4);
        for (size_t k = 0; k < sizeof words / sizeof *words + 40; k++) {
            word = k < sizeof words / sizeof *words ? words[k] : keep + (uint32_t)random_bits() % 33 - 16;
            memcpy(tape + i, &word, 4);
            try_open(tape, size, 1);
        }
        memcpy(tape + i, &keep, 4);
    }
    /* Two words at once, and words that change places. */
    for (int k = 0; k < 20000; k++) {
        size_t i = random_bits() % (nodes_end / 4) * 4, j = random_bits() % (nodes_end / 4) * 4;
        char a[4], b[4];
        memcpy(a, tape + i, 4);
        memcpy(b, tape + j, 4);
        memcpy(tape + i, b, 4);
        if (k & 1) {
            uint32_t w = (uint32_t)random_bits() % 40;
            memcpy(tape + j, &w, 4);
        } else {
            memcpy(tape + j, a, 4);
        }
        try_open(tape, size, 1);
        memcpy(tape + j, b, 4);
        memcpy(tape + i, a, 4);
    }
    CHECK(try_open(tape, size, 0));
}

static void noise(void)
{
    for (int k = 0; k < 50000; k++) {
        uint64_t words[40];
        size_t size = 8 * (random_bits() % 40);
        for (size_t i = 0; i < 40; i++) words[i] = random_bits() >> (random_bits() % 64);
        if (k % 2 == 0 && size >= AICC__TAPE_HEADER) {
            /* A good header over nonsense. */
            aicc__tape t = { AICC__TAPE_MAGIC, AICC__TAPE_VERSION, (uint32_t)size, (uint32_t)(size - AICC__TAPE_HEADER) / AICC__TAPE_NODE, 0, 0, 0 };
            t.strings = (uint32_t)(size - AICC__TAPE_HEADER - t.nodes * AICC__TAPE_NODE);
            memcpy(words, &t, sizeof t);
        }
        try_open((char *)words, size, 1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return 9;
    FILE *in = t_open(argv[1], "rb");
    char *tape;
    size_t size;
    aicc_value v;
    while ((tape = t_read(in, &size)) != NULL) {
        damage(tape, size);
        CHECK(aicc_value_open(tape + 4, size - 4, &v) == AICC_E_ARG);   /* not aligned */
        free(tape);
    }
    noise();
    fclose(in);
    printf("%lu opened, %lu accepted\n", tried, accepted);
    return t_failed;
}
