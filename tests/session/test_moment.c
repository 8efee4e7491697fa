/* Times as people type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "session/moment.h"

/* 2024-05-03 12:34:56.789 UTC */
#define T INT64_C(1714739696789000000)
#define S INT64_C(1000000000)

static void is(const char *text, enum session_moment_kind kind, int64_t ns)
{
	struct session_moment m = { 0 };
	struct mer_err err = { 0 };
	if (session_moment_parse(&m, text, &err) != 0)
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(m.kind, kind);
	if (m.ns != ns)
		fail_msg("%s: %lld", text, (long long)m.ns);
}

static void is_not(const char *text)
{
	struct session_moment m = { 0 };
	struct mer_err err = { 0 };
	if (session_moment_parse(&m, text, &err) == 0)
		fail_msg("'%s' was read as %lld", text, (long long)m.ns);
	assert_int_equal(err.code, MER_ERR_USAGE);
}

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static void forms(void **state)
{
	(void)state;
	zone("UTC");
	is("2024-05-03T12:34:56.789", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03 12:34:56.789", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03", SESSION_MOMENT_ABSOLUTE, T / (86400 * S) * (86400 * S));
	is("1970-01-31Z", SESSION_MOMENT_ABSOLUTE, 30 * 86400 * S);
	is("1970-12-01Z", SESSION_MOMENT_ABSOLUTE, 334 * 86400 * S);
	is("1900-01-01Z", SESSION_MOMENT_ABSOLUTE, -25567 * (86400 * S));
	is_not("1899-12-31Z");
	is_not("1970-13-01Z");
	is_not("1970-00-01Z");
	is_not("1970-01-32Z");
	is_not("1970-01-00Z");
	is("@1714739696.789", SESSION_MOMENT_ABSOLUTE, T);
	is("1714739696789000000", SESSION_MOMENT_ABSOLUTE, T);
	is("12:34:56.789", SESSION_MOMENT_DAY, INT64_C(45296789000000));
	is("12:34", SESSION_MOMENT_DAY, INT64_C(45240000000000));
	is("24:00", SESSION_MOMENT_DAY, INT64_C(86400000000000));
	is("00:59", SESSION_MOMENT_DAY, INT64_C(3540000000000));
	is("00:00:60", SESSION_MOMENT_DAY, INT64_C(60000000000));
	is("+1.5s", SESSION_MOMENT_RELATIVE, 1500000000);
	is("+1.5", SESSION_MOMENT_RELATIVE, 1500000000);
	is("1.5s", SESSION_MOMENT_RELATIVE, 1500000000);
	is("0.0000000019s", SESSION_MOMENT_RELATIVE, 1);
	is("200ms", SESSION_MOMENT_RELATIVE, 200000000);
	is("3us", SESSION_MOMENT_RELATIVE, 3000);
	is("3\xc2\xb5s", SESSION_MOMENT_RELATIVE, 3000);
	is("2min", SESSION_MOMENT_RELATIVE, 120 * S);
	is("1.5h", SESSION_MOMENT_RELATIVE, 5400 * S);
	zone("Europe/Berlin");
	is("2024-05-03T14:34:56.789", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03T12:34:56.789Z", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03T18:04:56.789+05:30", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03T05:34:56.789-0700", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03T05:34:56.789-07", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-04T12:34:56.789+24:00", SESSION_MOMENT_ABSOLUTE, T);
	is("2024-05-03T13:33:56.789+00:59", SESSION_MOMENT_ABSOLUTE, T);
	static const char *const bad[] = { "", "5", "yesterday", "1.5", "1.5x", "s", "+", "+-1s",
		"@1s", "@", "9999999999999999999", "12:", "12:3x", "25:00", "12:60", "2024-13-01",
		"2024-05", "2024-05-03T", "2024-05-03T1", "2024-05-03Q", "99999999999999999999",
		"9999999999999999999", "999999999999999999h", "1s ", "-1s", "+1s2s", "1714739696 ",
		"25:00:00", "24:60:00.5", "2024-05-03T25:00:00", "2024-13-01 10:00:00", "00:00:61",
		"2024-05-03T12:00+25:00", "2024-05-03T12:00+01:60", "2024-05-03T12:00+0160",
		"2024-05-03T12:00+", "2024-05-00", "2024-05-32", "2024-00-01", "1899-05-03",
		"web:25:00:00" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_not(bad[i]);
}

static int64_t resolved(const char *text, int64_t begin, int64_t end)
{
	struct session_moment m = { 0 };
	assert_int_equal(session_moment_parse(&m, text, NULL), 0);
	return session_moment_resolve(&m, begin, end, 42);
}

static void resolution(void **state)
{
	struct session_moment none = { 0 };
	(void)state;
	zone("UTC");
	assert_int_equal(session_moment_resolve(&none, T, T + S, 42), 42);
	assert_int_equal(resolved("+1s", T, T + 5 * S), T + S);
	assert_int_equal(resolved("12:34:57.789", T, T + 5 * S), T + S);
	assert_int_equal(resolved("12:34:55.789", T, T + 5 * S), T - S);
	/* Over midnight. */
	assert_int_equal(resolved("00:10", T, T + 86400 * S), T - 45296789000000 + 87000 * S);
	/* The day on which Berlin's clocks go forward: 03:30 is 01:30 UTC. */
	zone("Europe/Berlin");
	int64_t midnight = INT64_C(1711839600) * S; /* 2024-03-31 00:00 +01:00 */
	assert_int_equal(resolved("03:30", midnight, midnight + S), midnight + 9000 * S);
	assert_int_equal(resolved("+1s", INT64_MAX - 5, INT64_MAX), INT64_MAX);
	/* What does not fit stops at the ends. */
	assert_true(resolved("+1ns", INT64_MAX, INT64_MAX) == INT64_MAX);
	assert_true(resolved("+1ns", 5, 9) == 6);
}

/* HOST:TIME; names may have colons, and what is a time without a host stays one. */
static void on_host(void **state)
{
	struct session_moment m, time;
	(void)state;
	assert_int_equal(session_moment_parse(&m, "client:+1s", NULL), 0);
	assert_int_equal(m.kind, SESSION_MOMENT_ON_HOST);
	assert_true(session_moment_on_host(&m, "client", &time));
	assert_int_equal(time.kind, SESSION_MOMENT_RELATIVE);
	assert_int_equal(time.ns, S);
	assert_false(session_moment_on_host(&m, "clien", &time));
	assert_false(session_moment_on_host(&m, "server", &time));
	assert_int_equal(session_moment_parse(&m, "a:b:12:34:56.789", NULL), 0);
	assert_true(session_moment_on_host(&m, "a:b", &time));
	assert_int_equal(time.kind, SESSION_MOMENT_DAY);
	assert_false(session_moment_on_host(&m, "a", &time));
	assert_int_equal(session_moment_parse(&m, "125:12:34", NULL), 0); /* no time: a host */
	assert_true(session_moment_on_host(&m, "125", &time));
	assert_int_equal(time.kind, SESSION_MOMENT_DAY);
	assert_int_equal(session_moment_parse(&m, "12:345Z:+1s", NULL), 0); /* nor is this one */
	assert_true(session_moment_on_host(&m, "12:345Z", &time));
	assert_int_equal(session_moment_parse(&m, "12:34:56", NULL), 0);
	assert_int_equal(m.kind, SESSION_MOMENT_DAY);
	assert_int_equal(
		session_moment_parse(&m, "::::::::::::::::::::::::::::::::x", NULL), MER_ERR_USAGE);
	assert_int_equal(session_moment_parse(&m, "host:", NULL), MER_ERR_USAGE);
	assert_int_equal(session_moment_parse(&m, ":+1s", NULL), MER_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_host),
		cmocka_unit_test(forms),
		cmocka_unit_test(resolution),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
