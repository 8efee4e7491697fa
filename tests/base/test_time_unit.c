/* Units of times, by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/time_unit.h"

static void units(void **state)
{
	static const struct {
		const char *name;
		int64_t ns;
	} known[] = { { "ns", 1 }, { "us", 1000 }, { "\xc2\xb5s", 1000 }, { "\xce\xbcs", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 }, { "min", INT64_C(60000000000) },
		{ "m", INT64_C(60000000000) }, { "h", INT64_C(3600000000000) },
		{ "d", INT64_C(86400000000000) } };
	static const char *const none[] = { "", "n", "nss", "S", "minute", "y" };
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(mer_time_unit(known[i].name, strlen(known[i].name)), known[i].ns);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(mer_time_unit(none[i], strlen(none[i])), 0);
	assert_int_equal(mer_time_unit("ms and more", 2), 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(units) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
