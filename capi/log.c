/* log.c: the last lines, in a ring, for aicc_log_next. */
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 1024, LINE_BYTES = 1900 };

static struct {
    plat_mutex lock;
    atomic_int level, to_stderr;
    int        env_stderr;
    uint32_t   first, count;
    uint64_t   lost;             /* before the first one */
    struct line {
        int32_t  level;
        uint16_t len;
        int64_t  time_ns;
        uint64_t bridge, session, tool;
        char     text[LINE_BYTES + 4];
    } lines[LINES];
} ring = {.lock = PLAT_MUTEX, .level = AICC_INFO};

void aicc__log_start(void)
{
    const char *where = getenv("AICC_LOG");
    ring.env_stderr = where != NULL && strcmp(where, "stderr") == 0;
    atomic_store(&ring.to_stderr, ring.env_stderr);
}

void aicc__log_options(int32_t level, int32_t to_stderr)
{
    atomic_store(&ring.level, level);
    atomic_store(&ring.to_stderr, to_stderr != 0 || ring.env_stderr);
}

static void to_stderr(int32_t level, const char *text, size_t len)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    char out[LINE_BYTES + 32];
    int n = snprintf(out, sizeof out, "aicc %s: %.*s\n", names[level - AICC_DEBUG], (int)len, text);
    aicc__stderr(out, (size_t)n);
}

void aicc__log_text(int32_t level, bridge *b, uint32_t session_no, uint32_t tool_no, const char *text, size_t len)
{
    struct line *line;
    session *s;
    tool *t;
    if (level < atomic_load_explicit(&ring.level, memory_order_relaxed) || level > AICC_ERROR || level < AICC_DEBUG)
        return;
    s = b != NULL ? session_at(b, session_no) : NULL;
    t = b != NULL ? tool_at(b, tool_no) : NULL;
    len = aicc__utf8_cut(text, len, LINE_BYTES);
    aicc__lock(&ring.lock);
    if (ring.count == LINES) {
        ring.first = (ring.first + 1) % LINES;
        ring.count--;
        ring.lost++;
    }
    line = &ring.lines[(ring.first + ring.count++) % LINES];
    line->level = level;
    line->time_ns = aicc__now();
    line->bridge = b != NULL ? aicc__bridge_handle(b) : 0;
    line->session = s != NULL ? handle_of(b, KIND_SESSION, &s->head) : 0;
    line->tool = t != NULL ? handle_of(b, KIND_TOOL, &t->head) : 0;
    line->len = (uint16_t)len;
    if (len > 0)
        memcpy(line->text, text, len);
    aicc__unlock(&ring.lock);
    if (atomic_load(&ring.to_stderr) != 0)
        to_stderr(level, text, len);
}

void aicc__log(int32_t level, bridge *b, uint32_t session_no, uint32_t tool_no, const char *format, ...)
{
    char text[LINE_BYTES + 1];
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        aicc__log_text(level, b, session_no, tool_no, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void aicc_core_log(int32_t level, uint32_t number, uint32_t session_no, uint32_t tool_no, const void *text, size_t len)
{
    aicc__log_text(level, number != 0 ? aicc__bridge_at(number - 1) : NULL, session_no, tool_no, text, len);
}

aicc_status aicc_log_next(aicc_log *log, char *buf, size_t cap, size_t *len)
{
    aicc_status status = AICC_EMPTY;
    aicc_log full = {0};
    if (atomic_load(&aicc__forked) != 0)
        return AICC_E_STATE;
    if (len == NULL || (buf == NULL && cap > 0) || (log != NULL && aicc__options(log, &full, sizeof full, NULL) != AICC_OK))
        return AICC_E_ARG;
    aicc__lock(&ring.lock);
    if (ring.count > 0) {
        const struct line *line = &ring.lines[ring.first];
        status = aicc__copy_out(line->text, line->len, buf, cap, len);
        if (status == AICC_OK) {
            full.level = line->level;
            full.time_ns = line->time_ns;
            full.lost = ring.lost;
            full.bridge.id = line->bridge;
            full.session.id = line->session;
            full.tool.id = line->tool;
            ring.lost = 0;
            ring.first = (ring.first + 1) % LINES;
            ring.count--;
        }
    }
    aicc__unlock(&ring.lock);
    if (status == AICC_OK && log != NULL)
        aicc__give(log, &full, sizeof full);
    return status;
}
