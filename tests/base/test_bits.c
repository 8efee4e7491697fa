/* Bit fields: the rules of CTF 1.8, section 4.1.5, one test a rule; a table of odd fields; and all
 * positions and lengths against a model that moves one bit at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"

/* The struct a:4 = 0xE, b:32 = 0xA1B2C3D4, c:4 = 0xF. */
static const uint8_t example_be[5] = { 0xEA, 0x1B, 0x2C, 0x3D, 0x4F };
static const uint8_t example_le[5] = { 0x4E, 0x3D, 0x2C, 0x1B, 0xFA };

static void encode_example(uint8_t bytes[6], uint8_t background, bool be)
{
	memset(bytes, background, 6);
	mer_bits_put(bytes, 0, 4, be, 0xE);
	mer_bits_put(bytes, 4, 32, be, 0xA1B2C3D4);
	mer_bits_put(bytes, 36, 4, be, 0xF);
}

static void decode_example(const uint8_t bytes[5], bool be)
{
	assert_int_equal(mer_bits_get(bytes, 0, 4, be), 0xE);
	assert_int_equal(mer_bits_get(bytes, 4, 32, be), 0xA1B2C3D4);
	assert_int_equal(mer_bits_get(bytes, 36, 4, be), 0xF);
}

static void big_endian_goes_from_high_bits_to_low(void **state)
{
	(void)state;
	uint8_t bytes[6];
	encode_example(bytes, 0x00, true);
	assert_memory_equal(bytes, example_be, 5);
	decode_example(example_be, true);
}

static void little_endian_goes_from_low_bits_to_high(void **state)
{
	(void)state;
	uint8_t bytes[6];
	encode_example(bytes, 0x00, false);
	assert_memory_equal(bytes, example_le, 5);
	decode_example(example_le, false);
}

static void bytes_beside_the_fields_stay(void **state)
{
	(void)state;
	uint8_t bytes[6];
	for (int be = 0; be < 2; be++)
		for (int background = 0; background < 256; background += 255) {
			encode_example(bytes, (uint8_t)background, be);
			assert_memory_equal(bytes, be ? example_be : example_le, 5);
			assert_int_equal(bytes[5], background);
		}
}

static void bits_beside_the_field_stay(void **state)
{
	(void)state;
	uint8_t bytes[6], want[6];
	for (int be = 0; be < 2; be++)
		for (int background = 0; background < 256; background += 255) {
			/* b alone: its neighbours in bytes 0 and 4 keep the background */
			memset(bytes, background, 6);
			mer_bits_put(bytes, 4, 32, be, 0xA1B2C3D4);
			memcpy(want, be ? example_be : example_le, 5);
			uint8_t first = be ? 0xF0 : 0x0F, last = be ? 0x0F : 0xF0;
			want[0] = (uint8_t)((want[0] & ~first) | (background & first));
			want[4] = (uint8_t)((want[4] & ~last) | (background & last));
			want[5] = (uint8_t)background;
			assert_memory_equal(bytes, want, 6);
		}
}

static void little_endian_fifth_byte_has_b_below_c(void **state)
{
	(void)state;
	uint8_t bytes[6];
	encode_example(bytes, 0x00, false);
	assert_int_equal(bytes[4] & 0x0F, 0xA); /* the highest four bits of b */
	assert_int_equal(bytes[4] >> 4, 0xF);	/* c */
}

static void negative_numbers_are_extended_from_the_first_bit(void **state)
{
	(void)state;
	assert_true((int64_t)mer_sign_extend(0x16, 5) == -10);
	assert_true((int64_t)mer_sign_extend(0x0A, 5) == 10);
	assert_true((int64_t)mer_sign_extend(1, 1) == -1);
	assert_true((int64_t)mer_sign_extend(UINT64_MAX, 64) == -1);
	assert_true((int64_t)mer_sign_extend((uint64_t)1 << 63, 64) == INT64_MIN);
}

static void reversed_bits_come_back(void **state)
{
	(void)state;
	assert_int_equal(mer_bits_reverse(0x1, 4), 0x8);
	assert_int_equal(mer_bits_reverse(0x6, 5), 0xC);
	assert_true(mer_bits_reverse(1, 64) == (uint64_t)1 << 63);
	for (unsigned len = 1; len <= 64; len++) {
		uint64_t v = 0x123456789ABCDEF0 & UINT64_MAX >> (64 - len);
		assert_true(mer_bits_reverse(mer_bits_reverse(v, len), len) == v);
	}
}

/* Values that two independent readers agree on. */
static void fields_at_odd_places(void **state)
{
	(void)state;
	static const uint8_t bytes[] = { 0xb5, 0x3c, 0xa7, 0x9d, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
		0xcd, 0xef, 0x12, 0x34, 0x12, 0x34, 0xab, 0xcd };
	static const struct {
		unsigned bit, len;
		bool is_signed;
		int64_t le, be;
	} rows[] = { { 0, 3, false, 5, 5 }, { 3, 5, true, -10, -11 },
		{ 8, 12, false, 0x73C, 0x3CA }, { 20, 4, true, -6, 7 }, { 24, 3, false, 5, 4 },
		{ 27, 64, false, (int64_t)0xF9B5712CE8A46033, (int64_t)0xE8091A2B3C4D5E6F },
		{ 91, 5, false, 29, 15 }, { 128, 12, false, 0xDAB, 0xABC },
		{ 140, 4, false, 0xC, 0xD } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int be = 0; be < 2; be++) {
			uint64_t v = mer_bits_get(bytes, rows[i].bit, rows[i].len, be);
			if (rows[i].is_signed)
				v = mer_sign_extend(v, rows[i].len);
			assert_true((int64_t)v == (be ? rows[i].be : rows[i].le));
		}
	assert_int_equal(mer_bits_get(bytes, 96, 16, true), 0x1234);
	assert_int_equal(mer_bits_get(bytes, 112, 16, false), 0x3412);
}

static unsigned model_bit(const uint8_t *bytes, uint64_t bit, bool be)
{
	unsigned in = bit % 8;
	return bytes[bit / 8] >> (be ? 7 - in : in) & 1;
}

static uint64_t model_get(const uint8_t *bytes, uint64_t bit, unsigned len, bool be)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < len; i++)
		v |= (uint64_t)model_bit(bytes, bit + i, be) << (be ? len - 1 - i : i);
	return v;
}

static void model_put(uint8_t *bytes, uint64_t bit, unsigned len, bool be, uint64_t v)
{
	for (unsigned i = 0; i < len; i++) {
		unsigned in = (bit + i) % 8, shift = be ? 7 - in : in;
		unsigned b = v >> (be ? len - 1 - i : i) & 1;
		uint8_t *p = &bytes[(bit + i) / 8];
		*p = (uint8_t)((*p & ~(1u << shift)) | b << shift);
	}
}

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t x = *seed += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

/* The field's bytes stand alone in memory, so that a sanitizer sees any byte read beside them. */
static void all_places_and_lengths_against_the_model(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (unsigned start = 0; start < 8; start++)
		for (unsigned len = 1; len <= 64; len++)
			for (int be = 0; be < 2; be++)
				for (int round = 0; round < 20; round++) {
					size_t n = (start + len + 7) / 8;
					uint8_t *bytes = malloc(n), want[9];
					assert_non_null(bytes);
					for (size_t i = 0; i < n; i++)
						bytes[i] = (uint8_t)random_bits(&seed);
					memcpy(want, bytes, n);
					uint64_t v = random_bits(&seed);
					assert_true(mer_bits_get(bytes, start, len, be) ==
						    model_get(bytes, start, len, be));
					mer_bits_put(bytes, start, len, be, v);
					model_put(want, start, len, be, v);
					assert_memory_equal(bytes, want, n);
					assert_true(mer_bits_get(bytes, start, len, be) ==
						    (v & UINT64_MAX >> (64 - len)));
					free(bytes);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(big_endian_goes_from_high_bits_to_low),
		cmocka_unit_test(little_endian_goes_from_low_bits_to_high),
		cmocka_unit_test(bytes_beside_the_fields_stay),
		cmocka_unit_test(bits_beside_the_field_stay),
		cmocka_unit_test(little_endian_fifth_byte_has_b_below_c),
		cmocka_unit_test(negative_numbers_are_extended_from_the_first_bit),
		cmocka_unit_test(reversed_bits_come_back),
		cmocka_unit_test(fields_at_odd_places),
		cmocka_unit_test(all_places_and_lengths_against_the_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
