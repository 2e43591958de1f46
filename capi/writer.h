/* writer.h: numbers as text, whatever the locale is. */
#ifndef AICC_WRITER_H
#define AICC_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include "core.h"

enum { AICC__NUMBER_MAX = 32 };     /* no number takes more bytes */

AICC_HIDDEN size_t aicc__format_integer(char *out, int64_t n);
AICC_HIDDEN size_t aicc__format_unsigned(char *out, uint64_t n);
/* The shortest text that reads back the same, the closest one of several: the bytes that AppendFloat in core/jsonwire writes. "null" for NaN
 * and the infinities. */
AICC_HIDDEN size_t aicc__format_number(char *out, double f);
/* The same for a float: what AppendFloat32 writes. */
AICC_HIDDEN size_t aicc__format_float(char *out, float f);
/* The exact value, rounded to decimals (0 to 9), to even from the middle; without zeros at its end, and 0 has no sign. */
AICC_HIDDEN size_t aicc__format_fixed(char *out, double f, int32_t decimals);

/* For values of other files: what comes before one (0: none goes here, or there is a fault already), text as it is, and a string. */
AICC_HIDDEN int  aicc__write_before(aicc_writer *w, aicc_str key);
AICC_HIDDEN void aicc__write_raw(aicc_writer *w, const char *text, size_t n);
AICC_HIDDEN void aicc__write_text(aicc_writer *w, const char *text, size_t len);

#endif
