/* The bytes of packed columns, as FORMAT.md has them: each kind of column, each width, and what is
 * no column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "store/pack.h"

static bool unpacks(const uint8_t *bytes, size_t len, uint64_t *v, size_t n)
{
	/* In memory of just that size, with what could be taken for more of it behind. */
	uint8_t *copy = malloc(len + STORE_SLACK);
	assert_non_null(copy);
	if (len)
		memcpy(copy, bytes, len);
	memset(copy + len, 1, STORE_SLACK);
	struct store_in in = { copy, copy + len };
	bool ok = store_unpack(&in, v, n);
	assert_true(in.at <= in.end);
	ok = ok && in.at == in.end;
	free(copy);
	return ok;
}

static void bytes_are(enum store_packing packing, const uint64_t *v, size_t n,
	const uint8_t *expected, size_t len)
{
	uint64_t back[STORE_PACK_MAX];
	struct mer_str out = { 0 };
	store_pack(&out, packing, v, n);
	assert_int_equal(out.len, len);
	if (len)
		assert_memory_equal(out.data, expected, len);
	assert_true(unpacks(expected, len, back, n));
	if (n)
		assert_memory_equal(v, back, n * sizeof(*v));
	/* A part of them is no column. */
	for (size_t part = 0; part < len; part++)
		assert_false(unpacks(expected, part, back, n));
	mer_str_fini(&out);
}

#define V(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8
#define B(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static void columns(void **state)
{
	(void)state;
	const uint64_t minus = UINT64_MAX;
	bytes_are(STORE_PLAIN, NULL, 0, NULL, 0);
	bytes_are(STORE_PLAIN, V(42), B(3, 84));
	bytes_are(STORE_DELTA, V(42, 42), B(3, 84));
	bytes_are(STORE_DICT, V(minus, minus, minus), B(3, 1));
	bytes_are(STORE_PLAIN, V(1, 2, 3), B(0, 2, 2, 0x24));
	bytes_are(STORE_PLAIN, V(3, 1, 2), B(0, 2, 2, 0x12));
	bytes_are(STORE_PLAIN, V(0, minus), B(0, 1, 1, 1));
	bytes_are(STORE_DELTA, V(10, 11, 13), B(1, 20, 2, 1, 2));
	bytes_are(STORE_DELTA, V(10, 9, 8), B(1, 20, 1, 0)); /* all the same: of no width */
	bytes_are(STORE_DICT, V(5, 9, 5), B(2, 2, 10, 3, 0x20, 0, 1, 2));
	/* Of two values one is that much longer that its bits lie apart, with its place. */
	bytes_are(STORE_PLAIN, V(0, 0, 0, 0, 0, 0, 0, 0, (uint64_t)1 << 14),
		B(0, 0, 0x80, 1, 8, 0x80, 0x80, 1));
	bytes_are(STORE_PLAIN, V(7, 7 + 129), B(0, 14, 8, 0x00, 0x81));
}

/* 64 values make a group, the rest the next one. */
static void groups(void **state)
{
	uint64_t v[66];
	uint8_t expected[] = { 0, 0, 1, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 18, 1, 1 };
	(void)state;
	for (size_t i = 0; i < 64; i++)
		v[i] = i % 2;
	v[64] = 10;
	v[65] = 9;
	bytes_are(STORE_PLAIN, v, 66, expected, sizeof(expected));
}

/* The one long value's upper bits lie behind. */
static void one_apart(void **state)
{
	uint64_t v[64];
	uint8_t expected[] = { 0, 0, 0x83, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x88, 0x46, 0xf8,
		0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x88, 0xc6,
		0xfa, 1, 20, 0x81, 0x80, 0x80, 0x40 };
	(void)state;
	for (size_t i = 0; i < 64; i++)
		v[i] = i % 8;
	v[20] = ((uint64_t)1 << 30) + 8;
	for (size_t i = 3; i < 27; i++) /* bit by bit */
		expected[i] = 0;
	for (size_t bit = 0; bit < 192; bit++)
		expected[3 + bit / 8] |= (uint8_t)((v[bit / 3] >> bit % 3 & 1) << bit % 8);
	bytes_are(STORE_PLAIN, v, 64, expected, sizeof(expected));
}

/* Up to 57 bits each value has just so many; beyond that all have 64. */
static void widths(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 64; width++) {
		uint64_t v[64], back[64], seed = width;
		struct mer_str out = { 0 };
		for (size_t i = 0; i < 64; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			v[i] = seed >> (64 - width) | (uint64_t)1 << (width - 1);
		}
		v[width % 64] = 0;
		if (width == 64) /* signed: the least is 1 << 63 */
			v[0] = (uint64_t)1 << 63;
		store_pack(&out, STORE_PLAIN, v, 64);
		size_t wide = width <= 57 ? width : 64;
		size_t head = width == 64 ? 12 : 3;
		assert_int_equal(out.len, head + wide * 8);
		assert_int_equal((uint8_t)out.data[head - 1], wide);
		assert_true(unpacks((uint8_t *)out.data, out.len, back, 64));
		assert_memory_equal(v, back, sizeof(v));
		mer_str_fini(&out);
	}
}

/* Bytes of the group with that width; the values are differences to the least one. */
static size_t length_of(const uint64_t *v, size_t n, unsigned width)
{
	size_t rest = 0;
	for (size_t i = 0; i < n && width < 64; i++)
		if (v[i] >> width) {
			uint8_t bytes[STORE_VARINT_BYTES];
			rest += 1 + store_set_varint(bytes, v[i] >> width);
		}
	return (n * width + 7) / 8 + (rest ? 1 + rest : 0);
}

/* Whatever the values, no other width makes the group shorter. */
static void shortest(void **state)
{
	uint64_t seed = 1;
	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint64_t v[64] = { 0 };
		struct mer_str out = { 0 };
		size_t n = 2 + seed % 63, best = SIZE_MAX;
		unsigned usual = (unsigned)(seed >> 20) % 64, rare = (unsigned)(seed >> 30) % 63;
		for (size_t i = 1; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			v[i] = seed >> (seed >> 40 & 7 ? 1 + usual % 63 : 1 + rare);
		}
		v[1] |= 1; /* not all the same */
		for (unsigned width = 0; width <= 64; width++)
			if (width <= 57 || width == 64) {
				size_t length = length_of(v, n, width);
				best = length < best ? length : best;
			}
		store_pack(&out, STORE_PLAIN, v, n);
		assert_int_equal(out.len, 3 + best);
		mer_str_fini(&out);
	}
}

/* A dictionary has at most 256 values. */
static void dictionary(void **state)
{
	(void)state;
	for (size_t n_values = 255; n_values <= 257; n_values++) {
		uint64_t v[600], back[600];
		struct mer_str out = { 0 };
		for (size_t i = 0; i < 600; i++)
			v[i] = i % n_values * 0x9E3779B97F4A7C15u;
		store_pack(&out, STORE_DICT, v, 600);
		assert_int_equal(out.data[0], n_values <= 256 ? STORE_DICT : STORE_PLAIN);
		assert_true(unpacks((uint8_t *)out.data, out.len, back, 600));
		assert_memory_equal(v, back, sizeof(v));
		mer_str_fini(&out);
	}
}

static void refused(const uint8_t *bytes, size_t len, size_t n)
{
	uint64_t v[STORE_PACK_MAX];
	assert_false(unpacks(bytes, len, v, n));
}

static void no_columns(void **state)
{
	(void)state;
	uint8_t wide[3 + 64] = { 0, 0 };
	refused(B(4, 2, 2, 0x24), 3);
	for (unsigned width = 58; width < 128; width++) {
		uint64_t v[1];
		wide[2] = (uint8_t)width;
		size_t bytes = (width + 7) / 8;
		if (width != 64)
			refused(wide, 3 + bytes, 1);
		else
			assert_true(unpacks(wide, 3 + bytes, v, 1));
	}
	/* Upper bits of values that have all of them; of one that is none. */
	refused(B(0, 0, 0xc0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 1), 1);
	refused(B(0, 0, 0x80, 1, 1, 5), 1);
	refused(B(0, 0, 0x80, 200, 0, 5), 1);
	/* A number that the dictionary does not have; too large a dictionary. */
	refused(B(2, 2, 10, 3, 0x20, 4, 1, 2), 3);
	refused(B(2, 0x81, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 3);
}

static void varints(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits <= 64; bits++)
		for (int less = 0; less < 2; less++) {
			uint64_t v = (bits < 64 ? (uint64_t)1 << bits : 0) - (uint64_t)less, back;
			uint8_t bytes[STORE_VARINT_BYTES];
			size_t expected = 1;
			for (uint64_t rest = v >> 7; rest; rest >>= 7)
				expected++;
			size_t n = store_set_varint(bytes, v);
			assert_int_equal(n, expected);
			struct store_in in = { bytes, bytes + n };
			assert_true(store_get_varint(&in, &back));
			assert_true(back == v && in.at == in.end);
			in = (struct store_in){ bytes, bytes + n - 1 };
			assert_false(store_get_varint(&in, &back));
		}
	static const uint8_t without_end[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		1 };
	uint64_t v;
	struct store_in in = { without_end, without_end + 11 };
	assert_false(store_get_varint(&in, &v));
	static const uint8_t of_many[] = { 0x81, 0x82, 3 };
	in = (struct store_in){ of_many, of_many + 3 };
	assert_true(store_get_varint(&in, &v));
	assert_int_equal(v, 1 + (2 << 7) + (3 << 14));
}

static void signs_and_distances(void **state)
{
	static const int64_t numbers[] = { 0, -1, 1, -2, 2 };
	static const uint32_t places[] = { 0, 1, 2, 100, UINT32_MAX - 2, UINT32_MAX };
	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		assert_int_equal(store_zigzag(numbers[i]), i);
		assert_int_equal(store_unzigzag(i), numbers[i]);
	}
	assert_int_equal(store_zigzag(INT64_MIN), UINT64_MAX);
	assert_int_equal(store_unzigzag(UINT64_MAX), INT64_MIN);
	assert_int_equal(store_zigzag(INT64_MAX), UINT64_MAX - 1);
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 6; k++)
			assert_int_equal(
				store_at_distance(places[i], store_distance(places[i], places[k])),
				places[k]);
	assert_int_equal(store_distance(5, 5), 1);
	assert_int_equal(store_distance(5, 4), 3);
	assert_int_equal(store_distance(5, 6), 2);
	assert_int_equal(store_distance(5, STORE_NOWHERE), 0);
	/* Before the first one, or beyond all: it cannot be. */
	assert_int_equal(store_at_distance(5, store_zigzag(6) + 1), STORE_NOWHERE - 1);
	assert_int_equal(store_at_distance(5, store_zigzag(5) + 1), 0);
	assert_int_equal(
		store_at_distance(5, store_zigzag(-(int64_t)UINT32_MAX) + 1), STORE_NOWHERE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(groups),
		cmocka_unit_test(one_apart),
		cmocka_unit_test(widths),
		cmocka_unit_test(shortest),
		cmocka_unit_test(dictionary),
		cmocka_unit_test(no_columns),
		cmocka_unit_test(varints),
		cmocka_unit_test(signs_and_distances),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
