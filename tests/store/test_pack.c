/* Columns in few bits: what was packed is unpacked, whatever the values; damaged bytes are refused
 * or give other values, and nothing outside of them is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "store/pack.h"

static uint64_t seed = 1;

static uint64_t any(void)
{
	return random_next(&seed);
}

enum shape { SMALL, TIMES, FEW, FAR, WILD, SAME, EDGES, N_SHAPES };

static uint64_t value(enum shape shape, uint64_t before)
{
	static const uint64_t edges[] = { 0, 1, UINT32_MAX, UINT64_MAX, INT64_MAX,
		(uint64_t)INT64_MIN };
	switch (shape) {
	case SMALL: return any() % 16;
	case TIMES: return before + any() % 3000;
	case FEW: return any() % 9 * 0x123456789u;
	case FAR: /* one of fifty is far away */
		return any() % 50 ? any() % 100 : any() >> any() % 64;
	case WILD: return any();
	case EDGES: return edges[any() % 6];
	case SAME:
	default: return 42;
	}
}

static void test_comes_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 511, 512, 1000, STORE_PACK_MAX };
	uint64_t v[STORE_PACK_MAX], back[STORE_PACK_MAX];
	(void)state;
	for (int shape = 0; shape < N_SHAPES; shape++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (int packing = STORE_PLAIN; packing <= STORE_DICT; packing++) {
				struct mer_str out = { 0 };
				size_t n = sizes[s];
				for (size_t i = 0; i < n; i++)
					v[i] = value((enum shape)shape, i ? v[i - 1] : 1u << 30);
				store_pack(&out, (enum store_packing)packing, v, n);
				assert_true(mer_str_reserve(&out, STORE_SLACK));
				struct store_in in = { (const uint8_t *)out.data,
					(const uint8_t *)out.data + out.len };
				assert_true(store_unpack(&in, back, n));
				assert_ptr_equal(in.at, in.end);
				assert_memory_equal(v, back, n * sizeof(*v));
				mer_str_fini(&out);
			}
}

/* One long one among short ones costs a few bytes, not bits for each. */
static void test_one_long_value(void **state)
{
	uint64_t v[64];
	struct mer_str out = { 0 };
	(void)state;
	for (size_t i = 0; i < 64; i++)
		v[i] = i % 8;
	v[20] = 1u << 30;
	store_pack(&out, STORE_PLAIN, v, 64);
	assert_in_range(out.len, 24, 36); /* 3 bits each: 24 bytes */
	mer_str_fini(&out);
}

static void test_damage(void **state)
{
	uint64_t v[512], back[512];
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct mer_str out = { 0 };
		for (size_t i = 0; i < 512; i++)
			v[i] = value((enum shape)(round % N_SHAPES), i ? v[i - 1] : 0);
		store_pack(&out, (enum store_packing)(round % 3), v, 512);
		/* In memory of just that size, so that a sanitizer sees what is read beside. */
		size_t n = any() % 3 ? out.len : any() % (out.len + 1);
		uint8_t *bytes = malloc(n + STORE_SLACK);
		assert_non_null(bytes);
		memcpy(bytes, out.data, n);
		memset(bytes + n, 0xff, STORE_SLACK);
		for (uint64_t i = any() % 4; n && i > 0; i--)
			bytes[any() % n] = (uint8_t)any();
		struct store_in in = { bytes, bytes + n };
		(void)store_unpack(&in, back, 512);
		assert_true(in.at <= in.end);
		free(bytes);
		mer_str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_one_long_value),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
