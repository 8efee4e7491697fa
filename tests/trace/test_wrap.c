/* Which steps back look like a counter that starts again, and how that is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace/wrap.h"

enum { GHZ = 1000000000, MHZ = 1000000 };

static void guesses(void **state)
{
	static const uint64_t k = 1000, bits_32 = (uint64_t)1 << 32;
	const struct {
		uint64_t from, to, freq, cycles;
		unsigned bits;
	} steps[] = {
		{ bits_32 - 5 * k, 3 * k, MHZ, bits_32, 32 },
		{ bits_32 - 5 * k, 3 * k, GHZ, bits_32, 32 },
		{ 65000, 10, MHZ, 65536, 16 },
		{ 65000000, 2891136, GHZ, 1 << 26, 26 },
		/* 100 MHz in ns: the case of Zephyr. */
		{ UINT64_C(42944672960), 0, GHZ, 10 * bits_32, 0 },
		{ UINT64_C(42944672960), 0, MHZ, 0, 0 }, /* cycles of what? */
		/* Neither near the end of a range nor behind its begin. */
		{ bits_32 / 2, 3 * k, GHZ, 0, 0 },
		{ bits_32 - 5 * k, bits_32 / 4, GHZ, 0, 0 },
		{ bits_32 - 5 * k, bits_32 - 9 * k, GHZ, 0, 0 },
		{ UINT64_C(40000000000), 0, GHZ, 0, 0 },
		/* A unit more or less may be as near. */
		{ 900 * bits_32 - 40 * k * k * k / 100, 0, GHZ, 900 * bits_32, 0 },
		{ 900 * bits_32 - 700 * MHZ, 0, GHZ, 0, 0 },
		{ 5, 5, GHZ, 0, 0 },
		{ 0, 0, 0, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct trace_wrap w = trace_guess_wrap(steps[i].from, steps[i].to, steps[i].freq);
		assert_true(w.cycles == steps[i].cycles);
		assert_int_equal(w.bits, steps[i].bits);
	}
}

static void words(void **state)
{
	const struct {
		struct trace_wrap w;
		const char *text;
	} said[] = {
		{ { (uint64_t)1 << 32, 32 },
			"; it looks like a counter of 32 bits that starts again at 0: read with a "
			"wrap of 32 (bits), times go on" },
		{ { UINT64_C(42949672960), 0 },
			"; it looks like a counter that starts again at 0: read with a wrap of "
			"42.94967296s, times go on" },
		{ { UINT64_C(43000000000), 0 },
			"; it looks like a counter that starts again at 0: read with a wrap of "
			"43.0s, times go on" },
		{ { UINT64_C(43000000010), 0 },
			"; it looks like a counter that starts again at 0: read with a wrap of "
			"43.00000001s, times go on" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		struct mer_str out = { 0 };
		trace_put_wrap(&out, &said[i].w, GHZ);
		assert_string_equal(out.data, said[i].text);
		mer_str_fini(&out);
	}
	struct mer_str out = { 0 };
	trace_put_wrap(&out, &(struct trace_wrap){ 0 }, 0);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guesses),
		cmocka_unit_test(words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
