/* What somebody may have meant: how much may be wrong in a word, and which of several it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/nearest.h"

static void meant(const char *word, const char *expected)
{
	static const char *const words[] = { "cpu", "sched", "latency", "network", "sched_switch",
		"at" };
	const char *got = mer_nearest(word, words, sizeof(words) / sizeof(*words));
	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got ? got : "nothing", expected);
}

static void one_letter(void **state)
{
	(void)state;
	meant("cpu", "cpu");
	meant("cqu", "cpu");  /* another one */
	meant("cp", "cpu");   /* one is missing, */
	meant("cppu", "cpu"); /* too many, */
	meant("pcu", "cpu");  /* two are swapped */
	meant("latenyc", "latency");
	meant("alt", "at"); /* of three letters one may be wrong, not two */
	meant("cxx", NULL);
	meant("xyz", NULL);
	meant("a", "at");
	meant("", NULL);
}

/* Of five or so letters two may be wrong, of six to eight three. */
static void more_letters(void **state)
{
	(void)state;
	meant("schxx", "sched");
	meant("scxxx", NULL);
	meant("scehd", "sched");
	meant("sxhxd", "sched");
	meant("netwxxx", "network");
	meant("netxxxx", NULL);
	meant("latxxcy", "latency");
	/* The begin of a word is as good as one wrong letter; of equal ones the first counts. */
	meant("sched_", "sched");
	meant("sched_s", "sched_switch");
	meant("sc", "sched");
	meant("s", NULL);
}

static void long_words(void **state)
{
	char word[70], other[70];
	const char *words[] = { other };
	(void)state;
	for (size_t n = 62; n <= 64; n++) {
		memset(word, 'a', n);
		word[n] = '\0';
		strcpy(other, word);
		other[5] = 'b';
		assert_true(mer_nearest(word, words, 1) == (n <= 63 ? other : NULL));
	}
	strcpy(word, "cpu");
	assert_null(mer_nearest(word, words, 1));
	assert_null(mer_nearest(word, words, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_letter),
		cmocka_unit_test(more_letters), cmocka_unit_test(long_words) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
