/* check.c: arguments, options, text and errors: each kind of check once. */
#include "front.h"
#include "value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

aicc_status aicc__fail(aicc_error *error, aicc_status status, const char *field, const char *format, ...)
{
    va_list args;
    int n;
    if (error == NULL)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    (void)snprintf(error->field, sizeof error->field, "%s", field);
    va_start(args, format);
    n = vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    if (n >= (int)sizeof error->message)
        error->message[aicc__utf8_cut(error->message, sizeof error->message - 1, sizeof error->message - 1)] = 0;
    return status;
}

aicc_status aicc__ok(aicc_error *error)
{
    if (error != NULL)
        memset(error, 0, sizeof *error);
    return AICC_OK;
}

aicc_status aicc__handle_error(aicc_error *error, aicc_status status)
{
    switch (status) {
    case AICC_E_HANDLE:
        return aicc__fail(error, status, "bridge", "the handle is zero, stale or of another kind; use the one that its create, open or register gave");
    case AICC_E_STATE:
        if (atomic_load(&aicc__forked) != 0)
            return aicc__fail(error, status, "", "this is a forked child, which has no core; use the library in the process that loaded it");
        return aicc__fail(error, status, "bridge", "the bridge is closed; create another one");
    default:
        return aicc__fail(error, status, "", "%s", aicc_status_name(status));
    }
}

void aicc__init(void *options, size_t size, const void *defaults, size_t known)
{
    uint32_t filled = (uint32_t)(size < known ? size : known);
    if (options == NULL)
        return;
    memcpy(options, defaults, filled);
    if (filled >= sizeof filled)
        memcpy(options, &filled, sizeof filled);
}

/* Every struct has its first size yet, so one that is smaller than known is one that no version had. */
aicc_status aicc__options(const void *given, void *full, size_t known, aicc_error *error)
{
    uint32_t size;
    if (given == NULL)
        return aicc__fail(error, AICC_E_ARG, "options", "NULL; fill a struct with its ..._init function and pass that");
    memcpy(&size, given, sizeof size);
    if (size < known)
        return aicc__fail(error, AICC_E_ARG, "struct_size", "%u, which no version had; call the struct's ..._init function first, with its sizeof", size);
    memcpy(full, given, known);
    return AICC_OK;
}

void aicc__give(void *given, const void *full, size_t known)
{
    memcpy((char *)given + sizeof (uint32_t), (const char *)full + sizeof (uint32_t), known - sizeof (uint32_t));
}

int aicc__out_of_range(aicc_error *error, const char *field, int64_t value, int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return 0;
    aicc__fail(error, AICC_E_ARG, field, "%lld is out of range: %lld to %lld", (long long)value, (long long)low, (long long)high);
    return 1;
}

int aicc__text(aicc_str *text, size_t max)
{
    if (text->len == 0)
        return 1;
    if (text->ptr == NULL)
        return -1;
    if (text->len == AICC_NTS) {
        const char *end = memchr(text->ptr, 0, max + 1);
        if (end == NULL)
            return 0;
        text->len = (size_t)(end - text->ptr);
    }
    return text->len <= max;
}

int aicc__utf8(aicc_str text)
{
    for (size_t at = 0, n; at < text.len; at += n)
        if ((n = aicc__utf8_len(text.ptr + at, text.len - at)) == 0)
            return 0;
    return 1;
}

size_t aicc__utf8_cut(const char *text, size_t len, size_t max)
{
    size_t lead;
    if (len < max)
        max = len;
    if (max == 0)
        return 0;
    for (lead = max - 1; lead > 0 && max - lead < 4 && ((unsigned char)text[lead] & 0xc0) == 0x80; lead--)
        ;
    if ((unsigned char)text[lead] < 0xc0)
        return max; /* it ends with a byte of its own, or was no UTF-8 */
    return aicc__utf8_len(text + lead, max - lead) != 0 ? max : lead;
}

aicc_status aicc__copy_out(const char *text, size_t n, char *buf, size_t cap, size_t *len)
{
    if (len != NULL)
        *len = n;
    if (n >= cap)
        return AICC_E_SMALL;
    if (n > 0)
        memcpy(buf, text, n);
    buf[n] = 0;
    return AICC_OK;
}
