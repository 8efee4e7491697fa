/* Every remedy has words, and its sentence is there with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ask/print/remedies.h"

/* Has all phrases that words take the place of. */
static const char sentence[] =
	"the window does not start before its end, in the window, the limits, the limit, the key, "
	"or keep, periods between two events, a view: a file that says, read with a wrap of 32";

static void each_has_words(void **state)
{
	(void)state;
	for (int r = MER_REMEDY_NONE; r < MER_N_REMEDIES; r++) {
		struct mer_str s = { 0 };
		ask_put_remedied(&s, sentence, (enum mer_remedy)r);
		assert_false(s.failed);
		assert_int_equal(strcmp(s.data, sentence) != 0, r != MER_REMEDY_NONE);
		if (r != MER_REMEDY_NONE)
			assert_true(strstr(s.data, "--") || strstr(s.data, "'meridian "));
		mer_str_fini(&s);
	}
}

static void is(const char *text, enum mer_remedy remedy, const char *wanted)
{
	struct mer_str s = { 0 };
	ask_put_remedied(&s, text, remedy);
	assert_string_equal(s.data, wanted);
	mer_str_fini(&s);
}

static void places(void **state)
{
	(void)state;
	is("no host 'x'", MER_REMEDY_HOSTS, "--host: no host 'x'");
	is("two periods found, none between the limits", MER_REMEDY_PERIOD_LIMITS,
		"two periods found, none between --period-min and --period-max ('meridian freq "
		"period' shows the durations)");
	is("none lies in the window", MER_REMEDY_PERIOD_WINDOW,
		"none lies between --begin and --end");
	/* A text that says it otherwise stays whole. */
	is("too long", MER_REMEDY_DRIFT_LIMIT, "too long");
	is("anything", (enum mer_remedy)1000, "anything");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_words),
		cmocka_unit_test(places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
