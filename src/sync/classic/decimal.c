/* Decimal: schoolbook arithmetic on arrays of digits. A line costs some ten operations, so that
 * being plainly right is worth more than speed. */
#include "sync/classic/decimal.h"

#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { DIGITS = SYNC_DECIMAL_DIGITS, PRECISION = SYNC_DECIMAL_PRECISION };

static struct sync_decimal from_u128(bool negative, u128 v, int scale)
{
	struct sync_decimal d = { .scale = scale };
	for (; v; v /= 10)
		d.digit[d.n++] = (uint8_t)(v % 10);
	d.negative = negative && d.n;
	return d;
}

static u128 to_u128(const struct sync_decimal *a) /* at most 38 digits */
{
	u128 v = 0;
	for (int i = a->n; i-- > 0;)
		v = v * 10 + a->digit[i];
	return v;
}

struct sync_decimal sync_decimal_magnitude(bool negative, uint64_t magnitude)
{
	return from_u128(negative, magnitude, 0);
}

struct sync_decimal sync_decimal_int(int64_t v)
{
	return sync_decimal_magnitude(v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

struct sync_decimal sync_decimal_negate(struct sync_decimal a)
{
	a.negative = !a.negative && a.n;
	return a;
}

static void trim(struct sync_decimal *a)
{
	while (a->n > 0 && a->digit[a->n - 1] == 0)
		a->n--;
	if (a->n == 0)
		a->negative = false;
}

/* Drops the k lowest digits. */
static void drop(struct sync_decimal *a, int k)
{
	int left = a->n > k ? a->n - k : 0;
	memmove(a->digit, a->digit + (a->n - left), (size_t)left);
	memset(a->digit + left, 0, (size_t)(a->n - left));
	a->n = left;
	a->scale -= k;
}

/* The same value with k more zeros behind it. */
static void extend(struct sync_decimal *a, int k)
{
	if (a->n) {
		memmove(a->digit + k, a->digit, (size_t)a->n);
		memset(a->digit, 0, (size_t)k);
		a->n += k;
	}
	a->scale += k;
}

static void increment(struct sync_decimal *a)
{
	int i = 0;
	for (; i < a->n && a->digit[i] == 9; i++)
		a->digit[i] = 0;
	a->digit[i]++;
	if (i == a->n)
		a->n++;
}

static struct sync_decimal rounded(struct sync_decimal a)
{
	int k = a.n - PRECISION;
	if (k <= 0)
		return a;
	bool more = false; /* anything but zeros below the highest digit that goes? */
	for (int i = 0; i < k - 1; i++)
		more |= a.digit[i] != 0;
	uint8_t highest = a.digit[k - 1];
	bool odd = a.digit[k] & 1;
	drop(&a, k);
	if (highest > 5 || (highest == 5 && (more || odd)))
		increment(&a);
	if (a.n > PRECISION) /* 99...9 became 100...0 */
		drop(&a, 1);
	return a;
}

static int compare_digits(const struct sync_decimal *a, const struct sync_decimal *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n; i-- > 0;)
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	return 0;
}

struct sync_decimal sync_decimal_add(const struct sync_decimal *a, const struct sync_decimal *b)
{
	struct sync_decimal x = *a, y = *b;
	if (x.scale < y.scale)
		extend(&x, y.scale - x.scale);
	else
		extend(&y, x.scale - y.scale);
	if (compare_digits(&x, &y) < 0) {
		struct sync_decimal t = x;
		x = y;
		y = t;
	}
	/* |x| >= |y|: the result has x's sign. */
	bool subtract = x.negative != y.negative;
	int carry = 0;
	for (int i = 0; i < x.n; i++) {
		int low = i < y.n ? y.digit[i] : 0;
		int v = subtract ? x.digit[i] - low + carry : x.digit[i] + low + carry;
		carry = v < 0 ? -1 : v > 9;
		x.digit[i] = (uint8_t)(v - 10 * carry);
	}
	if (carry > 0)
		x.digit[x.n++] = 1;
	trim(&x);
	return x;
}

struct sync_decimal sync_decimal_sub(const struct sync_decimal *a, const struct sync_decimal *b)
{
	struct sync_decimal minus = sync_decimal_negate(*b);
	return sync_decimal_add(a, &minus);
}

struct sync_decimal sync_decimal_mul(const struct sync_decimal *a, const struct sync_decimal *b)
{
	struct sync_decimal r = { .negative = a->negative != b->negative,
		.scale = a->scale + b->scale,
		.n = a->n + b->n };
	for (int i = 0; i < a->n; i++) {
		int carry = 0;
		for (int k = 0; k < b->n; k++) {
			int v = r.digit[i + k] + a->digit[i] * b->digit[k] + carry;
			r.digit[i + k] = (uint8_t)(v % 10);
			carry = v / 10;
		}
		r.digit[i + b->n] = (uint8_t)carry;
	}
	trim(&r);
	return rounded(r);
}

struct sync_decimal sync_decimal_div(const struct sync_decimal *a, const struct sync_decimal *b)
{
	const u128 full = to_u128(&(struct sync_decimal){ .n = PRECISION,
		.digit = { [PRECISION - 1] = 1 } }); /* the least number of 34 digits */
	u128 divisor = to_u128(b), rest = to_u128(a), q = rest / divisor;
	int scale = a->scale - b->scale;
	rest %= divisor;
	/* Digit after digit until nothing is left or there are 34: an exact quotient has no more
	 * zeros at its end than it must. rest < 10^34, so ten times that fits. */
	for (; rest && q < full; scale++) {
		q = q * 10 + rest * 10 / divisor;
		rest = rest * 10 % divisor;
	}
	if (2 * rest > divisor || (2 * rest == divisor && (q & 1)))
		q++; /* to 35 digits at most: rounded() takes the zero away */
	return rounded(from_u128(a->negative != b->negative, q, scale));
}

struct sync_decimal sync_decimal_half(const struct sync_decimal *a)
{
	struct sync_decimal r = *a;
	int carry = 0;
	for (int i = 0; i < r.n; i++) {
		int v = r.digit[i] * 5 + carry;
		r.digit[i] = (uint8_t)(v % 10);
		carry = v / 10;
	}
	if (carry)
		r.digit[r.n++] = (uint8_t)carry;
	r.scale++;
	if (r.digit[0] == 0) /* it was even: no digit more than before */
		drop(&r, 1);
	return rounded(r);
}

struct sync_decimal sync_decimal_strip(struct sync_decimal a)
{
	int k = 0;
	while (k < a.scale && (k >= a.n || a.digit[k] == 0))
		k++;
	drop(&a, k);
	return a;
}

bool sync_decimal_floor(const struct sync_decimal *a, int64_t *v)
{
	struct sync_decimal r = *a;
	bool more = false;
	for (int i = 0; i < r.scale && i < r.n; i++)
		more |= r.digit[i] != 0;
	if (r.n - r.scale > 19) /* 10^19 or more */
		return false;
	if (r.scale > 0)
		drop(&r, r.scale);
	else
		extend(&r, -r.scale);
	u128 magnitude = to_u128(&r) + (a->negative && more);
	const u128 limit = (u128)INT64_MAX + a->negative;
	if (magnitude > limit)
		return false;
	*v = a->negative ? (int64_t)(0 - (uint64_t)magnitude) : (int64_t)magnitude;
	return true;
}

void sync_decimal_text(const struct sync_decimal *a, char text[SYNC_DECIMAL_TEXT])
{
	char out[2 * DIGITS];
	int len = 0, n = a->n ? a->n : 1; /* zero has one digit */
	int exponent = n - 1 - a->scale;  /* of the first digit */
	bool plain = a->scale >= 0 && exponent >= -6;
	int whole = plain ? n - a->scale : 1; /* digits before the point */
	if (a->negative)
		out[len++] = '-';
	if (whole <= 0)
		len += sprintf(out + len, "0.%.*s", -whole, "000000");
	for (int i = 0; i < n; i++) {
		if (i == whole && i > 0)
			out[len++] = '.';
		out[len++] = (char)('0' + (a->n ? a->digit[n - 1 - i] : 0));
	}
	out[len] = '\0';
	if (!plain && exponent)
		sprintf(out + len, "E%+d", exponent);
	snprintf(text, SYNC_DECIMAL_TEXT, "%.*s", SYNC_DECIMAL_TEXT - 1, out);
}
