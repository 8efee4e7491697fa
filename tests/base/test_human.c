/* Numbers as people read them: where one unit ends and the next begins, and how many digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/human.h"

static void is(void (*put)(struct mer_str *, int64_t), int64_t v, const char *expected)
{
	struct mer_str out = { 0 };
	put(&out, v);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
}

static void counts(void **state)
{
	(void)state;
	is(mer_put_count, 0, "0");
	is(mer_put_count, 999, "999");
	is(mer_put_count, 1000, "1,000");
	is(mer_put_count, 12345, "12,345");
	is(mer_put_count, 123456, "123,456");
	is(mer_put_count, 1234567, "1,234,567");
	is(mer_put_count, -1, "-1");
	is(mer_put_count, -123456, "-123,456");
	is(mer_put_count, INT64_MAX, "9,223,372,036,854,775,807");
	is(mer_put_count, INT64_MIN, "-9,223,372,036,854,775,808");
}

static void bytes(void **state)
{
	(void)state;
	is(mer_put_bytes, 0, "0 B");
	is(mer_put_bytes, 9, "9 B");
	is(mer_put_bytes, 1000, "1000 B");
	is(mer_put_bytes, 1023, "1023 B");
	is(mer_put_bytes, 1024, "1.00 KiB");
	is(mer_put_bytes, 10235, "10.0 KiB");
	is(mer_put_bytes, 10 << 10, "10.0 KiB");
	is(mer_put_bytes, 100 << 10, "100 KiB");
	is(mer_put_bytes, 1023 << 10, "1023 KiB");
	is(mer_put_bytes, 1 << 20, "1.00 MiB");
	is(mer_put_bytes, INT64_C(1) << 30, "1.00 GiB");
	is(mer_put_bytes, INT64_C(1) << 40, "1.00 TiB");
	is(mer_put_bytes, INT64_C(1) << 50, "1.00 PiB");
	is(mer_put_bytes, INT64_C(1) << 60, "1.00 EiB");
	is(mer_put_bytes, INT64_MAX, "8.00 EiB");
	is(mer_put_bytes, -2048, "-2.00 KiB");
}

static void durations(void **state)
{
	(void)state;
	is(mer_put_duration, 0, "0 ns");
	is(mer_put_duration, 999, "999 ns");
	is(mer_put_duration, 1000, "1.00 us");
	is(mer_put_duration, 9994, "9.99 us");
	is(mer_put_duration, 9995, "10.0 us");
	is(mer_put_duration, 99949, "99.9 us");
	is(mer_put_duration, 99950, "100 us");
	is(mer_put_duration, 999499, "999 us");
	is(mer_put_duration, 999500, "1.00 ms");
	is(mer_put_duration, 999499999, "999 ms");
	is(mer_put_duration, 1000000000, "1.00 s");
	is(mer_put_duration, INT64_C(59900000000), "59.9 s");
	is(mer_put_duration, INT64_C(60000000000), "1min 00s");
	is(mer_put_duration, INT64_C(3599000000000), "59min 59s");
	is(mer_put_duration, INT64_C(3600000000000), "1h 00min");
	is(mer_put_duration, INT64_C(86399000000000), "23h 59min");
	is(mer_put_duration, INT64_C(86400000000000), "1d 00h");
	is(mer_put_duration, INT64_C(1000000000000000), "11d 13h");
	is(mer_put_duration, -1500, "-1.50 us");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counts), cmocka_unit_test(bytes),
		cmocka_unit_test(durations) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
