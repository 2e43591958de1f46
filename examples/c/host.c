/* host.c: see host.h. POSIX. On Windows ask PeekNamedPipe(GetStdHandle(STD_INPUT_HANDLE), ...) how much there is instead of poll, then
 * ReadFile that much; _setmode both streams to _O_BINARY; and wait on a waitable timer. */
#define _POSIX_C_SOURCE 200809L
#include "host.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Takes what is there. 1: something came. */
static int fill(struct wire *wire)
{
    struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
    ssize_t got;
    if (wire->closed || wire->len == WIRE_MAX || poll(&input, 1, 0) <= 0) return 0;
    got = read(STDIN_FILENO, wire->buf + wire->len, WIRE_MAX - wire->len);
    if (got > 0) {
        wire->len += (size_t)got;
        return 1;
    }
    wire->closed = got == 0 || (errno != EINTR && errno != EAGAIN);
    return 0;
}

static void forget(struct wire *wire, size_t bytes)
{
    wire->len -= bytes;
    memmove(wire->buf, wire->buf + bytes, wire->len);
}

static int is(const struct wire *wire, const char *end, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(end - wire->buf) == len && !memcmp(wire->buf, word, len);
}

/* What a whole line says of the connection: WIRE_CUT, WIRE_DIAL, WIRE_LINE nothing, WIRE_NOTHING that it is to be dropped. */
static enum wire_got sort(struct wire *wire, const char *end)
{
    char dialled[] = "#dial\n";
    if (wire->tail || end == wire->buf) return WIRE_NOTHING;    /* the end of a line that was cut, or an empty line */
    if (is(wire, end, "#dial") ? !wire->down : wire->down) return WIRE_NOTHING;
    if (is(wire, end, "#cut")) {
        wire->down = 1;
        return WIRE_CUT;
    }
    if (!wire->down) return WIRE_LINE;
    wire->down = 0;
    wire->closed |= wire_write(dialled, sizeof dialled - 2) < 0;
    return WIRE_DIAL;
}

enum wire_got wire_read(struct wire *wire, const char **text, size_t *len)
{
    do {
        char *end;
        while ((end = memchr(wire->buf, '\n', wire->len)) != NULL) {
            enum wire_got got = sort(wire, end);
            *text = wire->buf;
            *len = (size_t)(end - wire->buf);
            if (got == WIRE_LINE) return got;
            forget(wire, *len + 1);
            wire->tail = 0;
            if (got != WIRE_NOTHING) return got;
        }
        if (wire->tail) forget(wire, wire->len);
        if (wire->len == WIRE_MAX || (wire->closed && wire->len > 0)) {
            *text = wire->buf;
            *len = wire->len;
            if (!wire->down) return WIRE_LINE;
            wire_drop(wire);
        }
    } while (fill(wire) || (wire->closed && wire->len > 0));
    return wire->closed ? WIRE_CLOSED : WIRE_NOTHING;
}

void wire_drop(struct wire *wire)
{
    char *end = memchr(wire->buf, '\n', wire->len);
    wire->tail = !end && wire->len == WIRE_MAX;
    forget(wire, end ? (size_t)(end - wire->buf) + 1 : wire->len);
}

int wire_write(char *text, size_t len)
{
    size_t done = 0;
    text[len++] = '\n';
    while (done < len) {
        ssize_t put = write(STDOUT_FILENO, text + done, len - done);
        if (put < 0 && errno != EINTR) return -1;
        if (put > 0) done += (size_t)put;
    }
    return 0;
}

void frame_wait(void)
{
    static struct timespec next;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > next.tv_sec + 1) next = now;           /* the first frame, or the machine slept: start afresh */
    next.tv_nsec += 1000000000 / 60;
    if (next.tv_nsec >= 1000000000) {
        next.tv_nsec -= 1000000000;
        next.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) { }
}
