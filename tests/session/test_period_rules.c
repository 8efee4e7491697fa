/* Requests about periods, and about rows of some names: which time was looked at, and why there is
 * none, each by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/request.h"
#include "session_scenario.h"

/* Two periods of a:b, 10 to 20 and 30 to 60 us; of the keys, the second b has another. */
static const char text[] = "host host\ntrace host/kernel { declare sched_waking }\n"
			   "event a { s32 k; }\nevent b { s32 k; s32 other; }\nevent c { s32 z; }\n"
			   "5us 0 c z=1\n10us 0 a k=1\n20us 0 b k=1\n30us 0 a k=2\n60us 0 b k=3\n"
			   "70us 0 sched_switch next_tid=1\n";

static struct session_scenario opened;
static struct session *session;
static struct mer_err err;
static int64_t t0; /* ns of the scenario's 0 */

static int open_all(void **state)
{
	(void)state;
	session_scenario_open(&opened, text);
	session = opened.session;
	t0 = session_experiment(session)->begin - 5000;
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	session_scenario_close(&opened);
	return 0;
}

struct asked {
	const char *periods, *by;
	int64_t min_ns;
	int64_t begin, end; /* us; 0: not said */
};

/* "cpu" looks at everything, "period" at nothing but periods. */
static int ask(const char *analysis, const struct asked *x, struct session_answer *a)
{
	struct analysis_request table = { .analysis = analysis_find(analysis) };
	struct analysis_period_query query = { .expression = x->periods,
		.by = &x->by,
		.n_by = x->by != NULL,
		.min_ns = x->min_ns,
		.max_ns = INT64_MAX };
	struct analysis_period_rule *rule = NULL;
	struct session_selection what = { 0 };
	assert_non_null(table.analysis);
	if (x->periods && analysis_period_rule_new(&query, &rule, &err))
		fail_msg("%s", err.text);
	if (x->begin)
		what.begin = (struct session_moment){ .kind = SESSION_MOMENT_ABSOLUTE,
			.ns = t0 + x->begin * 1000 };
	if (x->end)
		what.end = (struct session_moment){ .kind = SESSION_MOMENT_ABSOLUTE,
			.ns = t0 + x->end * 1000 };
	static struct session_request q; /* the answer has it, too */
	q = (struct session_request){ .tables = &table,
		.n = 1,
		.selection = &what,
		.periods = rule,
		.options = { .max_ns = INT64_MAX },
		.stage = SESSION_READING };
	err = (struct mer_err){ 0 };
	int rc = session_request(session, &q, a, &err);
	analysis_period_rule_free(rule);
	return rc;
}

/* In us, of what was looked at. */
static void looked_at(const char *analysis, const struct asked *x, int begin, int end)
{
	struct session_answer a;
	if (ask(analysis, x, &a))
		fail_msg("%s", err.text);
	assert_int_equal(a.begin - t0, begin * 1000);
	assert_int_equal(a.end - t0, end * 1000);
	session_answer_fini(&a);
}

static void range(void **state)
{
	(void)state;
	static const char *const both[] = { "cpu", "period" };
	for (int i = 0; i < 2; i++) {
		looked_at(both[i], &(struct asked){ .periods = "a : b" }, 5, 70);
		looked_at(both[i], &(struct asked){ .periods = "a : b", .begin = 15 }, 15, 70);
		looked_at(both[i], &(struct asked){ .periods = "a : b", .end = 40 }, 5, 40);
		looked_at(both[i], &(struct asked){ .periods = "a : b", .begin = 15, .end = 40 },
			15, 40);
		looked_at(both[i], &(struct asked){ .periods = "a : b", .begin = 1, .end = 90 }, 5,
			70);
	}
	looked_at("cpu", &(struct asked){ .begin = 15, .end = 40 }, 15, 40);
}

static void nothing(const struct asked *x, enum mer_remedy remedy, const char *why)
{
	struct session_answer a;
	assert_int_equal(ask("period", x, &a), MER_ERR_USAGE);
	assert_int_equal(err.remedy, remedy);
	assert_string_equal(err.text, why);
	session_answer_fini(&a);
}

static void no_periods(void **state)
{
	(void)state;
	nothing(&(struct asked){ .periods = "nosuch : b" }, MER_REMEDY_PERIOD_EVENTS,
		"no event of these traces can match BEGIN");
	nothing(&(struct asked){ .periods = "a : nosuch" }, MER_REMEDY_PERIOD_EVENTS,
		"no event of these traces can match END");
	nothing(&(struct asked){ .periods = "sched_waking : b" }, MER_REMEDY_PERIOD_FILTER,
		"no event matches BEGIN");
	nothing(&(struct asked){ .periods = "a : sched_waking" }, MER_REMEDY_PERIOD_FILTER,
		"no event matches END");
	nothing(&(struct asked){ .periods = "b && k == 3 : a" }, MER_REMEDY_PERIOD,
		"no period: 1 event matches BEGIN and 2 match END, but no END comes after a BEGIN");
	nothing(&(struct asked){ .periods = "a && k == 2 : b && k == 1" }, MER_REMEDY_PERIOD,
		"no period: 1 event matches BEGIN and 1 matches END, but no END comes after a BEGIN");
	nothing(&(struct asked){ .periods = "a && k == 2 : b", .by = "k" }, MER_REMEDY_PERIOD_KEYED,
		"no period: 1 event matches BEGIN and 2 match END, but no END comes after a BEGIN "
		"with the same key");
	nothing(&(struct asked){ .periods = "a : c", .by = "other" }, MER_REMEDY_PERIOD_KEY,
		"3 events match, none has all fields of this key");
	nothing(&(struct asked){ .periods = "a : b", .min_ns = 40000 }, MER_REMEDY_PERIOD_LIMITS,
		"2 periods found, none with a duration between the limits");
	nothing(&(struct asked){ .periods = "a && k == 1 : b", .min_ns = 40000 },
		MER_REMEDY_PERIOD_LIMITS,
		"1 period found, none with a duration between the limits");
	nothing(&(struct asked){ .periods = "a : b", .begin = 61 }, MER_REMEDY_PERIOD_WINDOW,
		"none of the 2 periods lies in the window");
	nothing(&(struct asked){ .periods = "a : b", .begin = 21, .end = 30 },
		MER_REMEDY_PERIOD_WINDOW, "none of the 2 periods lies in the window");
	/* What is found in part of it lies in it. */
	looked_at("period", &(struct asked){ .periods = "a : b", .begin = 21, .end = 31 }, 21, 31);
}

/* ---- names ---- */

static void names(void **state)
{
	(void)state;
	struct analysis_request table = { .analysis = analysis_find("syscall") };
	table.output = (unsigned)analysis_find_output(table.analysis, "top");
	const char *patterns[] = { "nosuch", "ge*" };
	struct session_texts these = { patterns, 2 };
	static struct session_request q; /* the answer has it, too */
	q = (struct session_request){ .tables = &table,
		.n = 1,
		.names = &these,
		.options = { .max_ns = INT64_MAX },
		.stage = SESSION_READING };
	struct session_answer a = { .request = &q };
	assert_string_equal(session_answer_unnamed(&a), "nosuch");
	a.named = 1;
	assert_string_equal(session_answer_unnamed(&a), "ge*");
	a.named = 2;
	assert_string_equal(session_answer_unnamed(&a), "nosuch");
	a.named = 3;
	assert_null(session_answer_unnamed(&a));
	q.names = NULL;
	a.named = 0;
	assert_null(session_answer_unnamed(&a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(range),
		cmocka_unit_test(no_periods),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
