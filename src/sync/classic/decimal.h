/* Decimal: the few operations on decimal numbers that published clock lines need.
 *
 * Digits as other tools print them: quotients and products of 34 significant digits, ties to even
 * (IEEE 754 decimal128), sums exact; trailing zeros are part of a result just as in Java's
 * BigDecimal. Made for numbers that come from a few 64-bit integers, not for a hot path, and not a
 * general library: callers stay inside the ranges that each function names. */
#ifndef MER_SYNC_CLASSIC_DECIMAL_H
#define MER_SYNC_CLASSIC_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

enum { SYNC_DECIMAL_DIGITS = 192, SYNC_DECIMAL_PRECISION = 34, SYNC_DECIMAL_TEXT = 80 };

struct sync_decimal { /* the integer of the digits, times 10^-scale */
	bool negative;
	int scale;
	int n;				    /* digits; no leading zeros, so 0 for zero */
	uint8_t digit[SYNC_DECIMAL_DIGITS]; /* 0..9, the least significant first */
};

struct sync_decimal sync_decimal_int(int64_t v);
struct sync_decimal sync_decimal_magnitude(bool negative, uint64_t magnitude);
struct sync_decimal sync_decimal_negate(struct sync_decimal a);
/* Exact; the result, aligned to the finer scale, has fewer than SYNC_DECIMAL_DIGITS digits. */
struct sync_decimal sync_decimal_add(const struct sync_decimal *a, const struct sync_decimal *b);
struct sync_decimal sync_decimal_sub(const struct sync_decimal *a, const struct sync_decimal *b);
/* Rounded to 34 digits; together the factors have fewer than SYNC_DECIMAL_DIGITS digits. */
struct sync_decimal sync_decimal_mul(const struct sync_decimal *a, const struct sync_decimal *b);
/* Rounded to 34 digits; a and b have at most as many, b is not 0. */
struct sync_decimal sync_decimal_div(const struct sync_decimal *a, const struct sync_decimal *b);
/* a / 2, rounded to 34 digits; a has fewer than SYNC_DECIMAL_DIGITS digits. */
struct sync_decimal sync_decimal_half(const struct sync_decimal *a);
/* The same value without trailing zeros behind the point. */
struct sync_decimal sync_decimal_strip(struct sync_decimal a);
/* Rounds down to an integer; false: it does not fit 64 bits. */
bool sync_decimal_floor(const struct sync_decimal *a, int64_t *v);
/* "-1.50", or with an exponent ("1.5E-7", "1E+40") when its first digit is behind the sixth decimal
 * or its scale is negative. What does not fit is cut; 76 digits fit without exponent. */
void sync_decimal_text(const struct sync_decimal *a, char text[SYNC_DECIMAL_TEXT]);

#endif
