/* Fractions as text: as few digits as are read back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/real.h"

static void is(double v, bool is_single, const char *wanted)
{
	struct mer_str s = { 0 };
	mer_put_real(&s, v, is_single);
	assert_string_equal(s.data, wanted);
	mer_str_fini(&s);
}

static void shortest(void **state)
{
	(void)state;
	is(3.141592, false, "3.141592");
	is(0.1, false, "0.1");
	is(0.1 + 0.2, false, "0.30000000000000004");
	is((double)0.1f, true, "0.1");
	is((double)0.1f, false, "0.10000000149011612");
	is((double)3.1415927f, true, "3.1415927");
	is(-2.0, false, "-2");
	is(1e300, false, "1e+300");
	is(HUGE_VAL, false, "inf");
	is(-HUGE_VAL, true, "-inf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
