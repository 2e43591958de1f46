/* Numbers as text. printf is of no use here: its decimal point is the locale's, and it needs several tries for the shortest text. */
#include <string.h>
#include "writer.h"
#include "writer_pow10.h"

enum { AICC__POW10_MIN = -292 };

typedef struct aicc__u128 { uint64_t hi, lo; } aicc__u128;

static aicc__u128 aicc__mul(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(AICC__NO_INT128)
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (aicc__u128){ (uint64_t)(product >> 64), (uint64_t)product };
#else
    uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), mid = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    uint64_t other = (a & 0xffffffffu) * (b >> 32) + (mid & 0xffffffffu);
    return (aicc__u128){ (a >> 32) * (b >> 32) + (mid >> 32) + (other >> 32), other << 32 | (low & 0xffffffffu) };
#endif
}

static size_t aicc__put_digits(char *out, uint64_t n)
{
    char text[20];
    size_t at = sizeof text;
    do text[--at] = (char)('0' + n % 10);
    while (n /= 10);
    memcpy(out, text + at, sizeof text - at);
    return sizeof text - at;
}

size_t aicc__format_integer(char *out, int64_t n)
{
    if (n >= 0) return aicc__put_digits(out, (uint64_t)n);
    *out = '-';
    return 1 + aicc__put_digits(out + 1, 0 - (uint64_t)n);
}

/* whole, then part of 10^decimals behind the point. */
static size_t aicc__put_parts(char *out, uint64_t whole, uint64_t part, int32_t decimals)
{
    size_t n = aicc__put_digits(out, whole);
    if (part == 0) return n;
    for (; part % 10 == 0; part /= 10) decimals--;
    out[n] = '.';
    for (int32_t i = decimals; i > 0; i--, part /= 10) out[n + (size_t)i] = (char)('0' + part % 10);
    return n + 1 + (size_t)decimals;
}

/* v = c * 2^q, 0 < c < 2^53. */
typedef struct aicc__binary { uint64_t c; int32_t q; } aicc__binary;

static aicc__binary aicc__split(uint64_t bits)
{
    uint64_t fraction = bits & 0xfffffffffffffu;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    if (exponent == 0) return (aicc__binary){ fraction, -1074 };
    return (aicc__binary){ fraction | (uint64_t)1 << 52, exponent - 1075 };
}

/* The product's upper part; its last bit is 1 as well when what is cut off is more than the table's rounding can explain. */
static uint64_t aicc__round_to_odd(const uint64_t g[2], uint64_t c)
{
    aicc__u128 x = aicc__mul(g[1], c), y = aicc__mul(g[0], c);
    uint64_t lo = y.lo + x.hi;
    y.hi += lo < y.lo;
    return y.hi | (lo > 1);
}

static int32_t aicc__floor_shift(int32_t n, int32_t bits) { return n >= 0 ? n >> bits : -((-n + (1 << bits) - 1) >> bits); }

/* The shortest decimal within what rounds to v, and of several the closest: *digits * 10^*exponent. This is R. Giulietti's Schubfach:
 * with v's neighbourhood scaled by one power of ten, at most one multiple of ten and at most two integers come into question. */
static void aicc__shortest(aicc__binary v, int closer_below, uint64_t *digits, int32_t *exponent)
{
    uint64_t odd = v.c & 1, c = 4 * v.c, below = c - 2 + (uint64_t)closer_below, above = c + 2;
    /* floor(log10(2^q)), or of 3/4 of that; then how far floor(log2(10^-k)) lies from where the products want it. */
    int32_t k = aicc__floor_shift(v.q * 1262611 - (closer_below ? 524031 : 0), 22);
    int32_t h = v.q + aicc__floor_shift(-k * 1741647, 19) + 1;
    const uint64_t *g = aicc__pow10[-k - AICC__POW10_MIN];
    uint64_t low = aicc__round_to_odd(g, below << h) + odd;
    uint64_t mid = aicc__round_to_odd(g, c << h);
    uint64_t high = aicc__round_to_odd(g, above << h) - odd;
    uint64_t s = mid / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        int down = low <= 40 * tens, up = 40 * tens + 40 <= high;
        if (down != up) {
            *digits = tens + (uint64_t)up;
            *exponent = k + 1;
            return;
        }
    }
    int down = low <= 4 * s, up = 4 * s + 4 <= high;
    if (down == up) up = mid > 4 * s + 2 || (mid == 4 * s + 2 && (s & 1));
    *digits = s + (uint64_t)up;
    *exponent = k;
}

/* digits * 10^exponent as ECMAScript writes it, but for two digits at least in an exponent. */
static size_t aicc__put_decimal(char *out, uint64_t digits, int32_t exponent)
{
    char text[20];
    for (; digits % 10 == 0; digits /= 10) exponent++;
    int32_t n = (int32_t)aicc__put_digits(text, digits), point = n + exponent;
    char *p = out;
    if (point <= -6 || point > 21) {
        *p++ = text[0];
        if (n > 1) *p++ = '.';
        memcpy(p, text + 1, (size_t)n - 1);
        p += n - 1;
        *p++ = 'e';
        *p++ = point > 0 ? '+' : '-';
        uint64_t e = (uint64_t)(point > 0 ? point - 1 : 1 - point);
        if (e < 10) *p++ = '0';
        p += aicc__put_digits(p, e);
    } else if (point <= 0) {
        memcpy(p, "0.00000", 7);
        p += 2 - point;
        memcpy(p, text, (size_t)n);
        p += n;
    } else {
        int32_t before = n < point ? n : point;
        memcpy(p, text, (size_t)before);
        p += before;
        for (; before < point; before++) *p++ = '0';
        if (n > point) {
            *p++ = '.';
            memcpy(p, text + point, (size_t)(n - point));
            p += n - point;
        }
    }
    return (size_t)(p - out);
}

static uint64_t aicc__bits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static const uint64_t aicc__sign = (uint64_t)1 << 63, aicc__infinity = (uint64_t)0x7ff << 52;

size_t aicc__format_number(char *out, double f)
{
    uint64_t bits = aicc__bits(f), digits;
    int32_t exponent;
    char *p = out;
    if ((bits & aicc__infinity) == aicc__infinity) {
        memcpy(out, "null", 4);
        return 4;
    }
    if (bits & aicc__sign) {
        *p++ = '-';
        bits &= ~aicc__sign;
        f = -f;
    }
    if (bits == 0) {
        *p++ = '0';
        return (size_t)(p - out);
    }
    /* Up to 15 digits name a double uniquely: if three decimals give it back, they are the shortest once their zeros are gone. */
    if (f < 999999999999.0) {
        uint64_t k = (uint64_t)(f * 1000 + 0.5);
        if (k > 0 && (double)k / 1000 == f) return (size_t)(p - out) + aicc__put_parts(p, k / 1000, k % 1000, 3);
    }
    aicc__shortest(aicc__split(bits), (bits & ~aicc__infinity) == 0 && bits >> 52 > 1, &digits, &exponent);
    return (size_t)(p - out) + aicc__put_decimal(p, digits, exponent);
}

size_t aicc__format_unsigned(char *out, uint64_t n) { return aicc__put_digits(out, n); }

size_t aicc__format_float(char *out, float f)
{
    uint32_t bits, fraction, exponent;
    uint64_t digits;
    int32_t shift;
    char *p = out;
    memcpy(&bits, &f, sizeof bits);
    fraction = bits & 0x7fffffu;
    exponent = bits >> 23 & 0xff;
    if (exponent == 0xff) {
        memcpy(out, "null", 4);
        return 4;
    }
    if (bits >> 31) *p++ = '-';
    if (bits << 1 == 0) {
        *p++ = '0';
        return (size_t)(p - out);
    }
    aicc__binary v = exponent == 0 ? (aicc__binary){ fraction, -149 } : (aicc__binary){ fraction | 1u << 23, (int32_t)exponent - 150 };
    aicc__shortest(v, fraction == 0 && exponent > 1, &digits, &shift);
    if (bits << 1 == 0x39800000u << 1) digits++;    /* 2^-12 is in the middle of two, and strconv takes the odd one: it alone of all powers of two */
    return (size_t)(p - out) + aicc__put_decimal(p, digits, shift);
}

size_t aicc__format_fixed(char *out, double f, int32_t decimals)
{
    static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    uint64_t bits = aicc__bits(f), half;
    aicc__binary v = aicc__split(bits & ~aicc__sign);
    if (v.q >= 0) return aicc__format_number(out, f);       /* a whole number of at least 2^52, or none */
    int32_t s = -v.q;
    uint64_t whole = s < 64 ? v.c >> s : 0, rest = s < 64 ? v.c & (((uint64_t)1 << s) - 1) : v.c, part = 0;
    int up = 0;
    /* What is behind the point, in units of the last decimal, is rest * 10^decimals / 2^s. Above 84 bits of shift that is far below a half. */
    aicc__u128 x = aicc__mul(rest, powers[decimals]);
    if (s < 64) {
        half = (uint64_t)1 << (s - 1);
        part = x.hi << (63 - s) << 1 | x.lo >> s;
        uint64_t cut = x.lo & (half * 2 - 1);
        up = cut > half || (cut == half && ((decimals ? part : whole) & 1));
    } else if (s <= 84) {
        s -= 64;
        part = x.hi >> s;
        uint64_t cut = x.hi & (((uint64_t)1 << s) - 1);
        half = s ? (uint64_t)1 << (s - 1) : 0;
        if (s == 0) up = x.lo > aicc__sign || (x.lo == aicc__sign && (part & 1));
        else up = cut > half || (cut == half && (x.lo > 0 || (part & 1)));
    }
    part += (uint64_t)up;
    if (part == powers[decimals]) {
        part = 0;
        whole++;
    }
    size_t n = bits & aicc__sign && (whole | part) ? 1 : 0;
    out[0] = '-';
    return n + aicc__put_parts(out + n, whole, part, decimals);
}
