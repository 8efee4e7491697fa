/* Filters of viewers' search fields: each operator and key, what binds tighter, words with signs,
 * and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "server/tsp/filter.h"

static const struct tsp_facts facts = {
	.texts = { [TSP_OF_LABEL] = "openat",
		[TSP_OF_STATE] = "waits for |a|&b",
		[TSP_OF_THREAD] = "nginx: worker",
		[TSP_OF_PROCESS] = "nginx" },
	.numbers = { [TSP_OF_TID] = 42,
		[TSP_OF_PID] = -1,
		[TSP_OF_CPU] = 0,
		[TSP_OF_DURATION] = 10000000 },
};

enum { NO, YES, NONE };

static int got(const char *text)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct tsp_filter *f = NULL;
	mer_arena_init(&arena);
	int result =
		tsp_filter_parse(text, &arena, &f, &err) ? NONE : tsp_filter_matches(f, &facts);
	assert_true(result != NONE || err.text[0]);
	tsp_filter_fini(f);
	mer_arena_fini(&arena);
	return result;
}

static void is(const char *text, int wanted)
{
	int result = got(text);
	if (result != wanted)
		fail_msg("%s: %d, not %d", text, result, wanted);
}

static void words(void **state)
{
	(void)state;
	is("openat", YES);
	is("OPEN", YES); /* in any case of letters */
	is("worker", YES);
	is("close", NO);
	is("\"for |a|\"", YES);
	/* One sign of two is a letter of a word; both are an operator. */
	is("|a|", YES);
	is("|c|", NO);
	is("|&b", YES);
	is("&c", NO);
	is("close||openat", YES);
	is("close&&openat", NO);
	is("open&&nginx", YES);
	is("containsX", NO); /* a word, no operator */
}

static void texts(void **state)
{
	(void)state;
	is("process == nginx", YES);
	is("process=NGINX", YES);
	is("thread == nginx", NO);
	is("thread != nginx", YES);
	is("process != nginx", NO);
	is("thread contains ngin", YES);
	is("thread contains apache", NO);
	is("state matches \"^waits.*b$\"", YES);
	is("state matches \"^for\"", NO);
	is("label present", YES);
	is("host present", NO);
	is("host == x", NO); /* what there is not matches nothing */
	is("host != x", NO);
}

static void numbers(void **state)
{
	(void)state;
	is("tid == 42", YES);
	is("tid = 43", NO);
	is("tid != 43", YES);
	is("tid < 42", NO);
	is("tid <= 42", YES);
	is("tid > 41", YES);
	is("tid > 42", NO);
	is("tid >= 42", YES);
	is("cpu == 0", YES);
	is("cpu present", YES);
	is("pid present", NO);
	is("pid != 7", NO);
	is("duration == 10ms", YES);
	is("duration >= 0.01s", YES);
	is("duration > 10000000", NO);
	is("duration < 10.1ms", YES);
}

static void what_binds_tighter(void **state)
{
	(void)state;
	is("openat || close && close", YES);
	is("(openat || close) && close", NO);
	is("!close && openat", YES);
	is("!(close || openat)", NO);
	is("!!openat", YES);
	is("tid == 42 && (process == x || process == nginx)", YES);
}

static void what_is_none(void **state)
{
	static const char *const none[] = { "", " ", "(", "openat)", "(openat", "openat &&",
		"|| openat", "tid == x", "tid contains 4", "tid matches 4", "duration > 10 parsecs",
		"duration >", "thread ==", "\"open", "state matches \"(\"", "nothing == 1", "!" };
	char deep[3000];
	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		is(none[i], NONE);
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	is(deep, NONE);
	memset(deep, '!', sizeof(deep) - 1);
	is(deep, NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(texts),
		cmocka_unit_test(numbers), cmocka_unit_test(what_binds_tighter),
		cmocka_unit_test(what_is_none) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
