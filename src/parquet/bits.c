#include "parquet/bits.h"

#include <string.h>

#include "parquet/thrift.h"

unsigned parquet_width(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

void parquet_pack(struct mer_str *out, const uint64_t *values, size_t n, unsigned width)
{
	unsigned __int128 bits = 0;
	unsigned held = 0; /* of bits; below 8 before each value */
	if (!width || !mer_str_reserve(out, (n * width + 7) / 8))
		return;
	uint64_t mask = UINT64_MAX >> (64 - width);
	for (size_t i = 0; i < n; i++) {
		bits |= (unsigned __int128)(values[i] & mask) << held;
		for (held += width; held >= 8; held -= 8) {
			out->data[out->len++] = (char)bits;
			bits >>= 8;
		}
	}
	if (held)
		out->data[out->len++] = (char)bits;
	out->data[out->len] = '\0';
}

/* ---- Runs ---- */

enum { EIGHT = 8 };

static size_t run_at(const uint64_t *values, size_t n, size_t i)
{
	size_t end = i + 1;
	while (end < n && values[end] == values[i])
		end++;
	return end - i;
}

static void put_run(struct mer_str *out, uint64_t value, size_t n, unsigned width)
{
	thrift_varint(out, n << 1);
	for (unsigned bit = 0; bit < width; bit += 8)
		mer_str_putc(out, (char)(value >> bit));
}

/* Where the values end that are no run: after a multiple of eight, so that the next ones begin
 * with a byte, or with the last value. */
static size_t end_of_mixed(const uint64_t *values, size_t n, size_t i)
{
	do
		i += EIGHT;
	while (i < n && run_at(values, n < i + EIGHT ? n : i + EIGHT, i) < EIGHT);
	return i < n ? i : n;
}

static void put_mixed(struct mer_str *out, const uint64_t *values, size_t n, unsigned width)
{
	uint64_t last[EIGHT] = { 0 };
	size_t whole = n / EIGHT * EIGHT;
	thrift_varint(out, (n + EIGHT - 1) / EIGHT << 1 | 1);
	parquet_pack(out, values, whole, width);
	memcpy(last, values + whole, (n - whole) * sizeof(*values));
	parquet_pack(out, last, n > whole ? EIGHT : 0, width);
}

void parquet_runs(struct mer_str *out, const uint64_t *values, size_t n, unsigned width)
{
	for (size_t i = 0, end; i < n; i = end) {
		size_t run = run_at(values, n, i);
		end = run >= EIGHT ? i + run : end_of_mixed(values, n, i);
		if (run >= EIGHT)
			put_run(out, values[i], run, width);
		else
			put_mixed(out, values + i, end - i, width);
	}
}

/* ---- Differences ---- */

enum { BLOCK = 128, PART = 32, PARTS = BLOCK / PART };

/* n differences, at most BLOCK; the rest of the array is 0. Parts without any have width 0 and no
 * bytes. */
static void put_block(struct mer_str *out, uint64_t *deltas, size_t n)
{
	int64_t least = INT64_MAX;
	unsigned width[PARTS] = { 0 };
	for (size_t i = 0; i < n; i++)
		least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
	for (size_t i = 0; i < n; i++) {
		deltas[i] -= (uint64_t)least;
		unsigned w = parquet_width(deltas[i]);
		width[i / PART] = w > width[i / PART] ? w : width[i / PART];
	}
	thrift_zigzag(out, least);
	for (size_t p = 0; p < PARTS; p++)
		mer_str_putc(out, (char)width[p]);
	for (size_t p = 0; p < PARTS; p++)
		parquet_pack(out, deltas + p * PART, PART, width[p]);
}

void parquet_deltas(struct mer_str *out, const uint64_t *values, size_t n)
{
	thrift_varint(out, BLOCK);
	thrift_varint(out, PARTS);
	thrift_varint(out, n);
	thrift_zigzag(out, n ? (int64_t)values[0] : 0);
	for (size_t i = 1; i < n; i += BLOCK) {
		uint64_t deltas[BLOCK] = { 0 };
		size_t k = 0;
		for (; k < BLOCK && i + k < n; k++)
			deltas[k] = values[i + k] - values[i + k - 1];
		put_block(out, deltas, k);
	}
}
