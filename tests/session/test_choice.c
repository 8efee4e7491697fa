/* Which options apply to an analysis follows from its facts, however its columns are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "analysis/fold.h"
#include "session/choice.h"

static const struct fact_kind of_tasks = { .id = "stay" };
static const struct fact_kind of_cpus = { .id = "speed", .of_cpus = true };
static const struct fact_kind of_host = { .id = "space", .of_host = true };
static const struct mer_column with_tid[] = { { "tid", NULL, MER_ID }, { 0 } };
static const struct mer_column without_tid[] = { { "program", NULL, MER_TEXT }, { 0 } };

static uint32_t tables_of(const struct fact_kind *first, const struct fact_kind *second,
	const struct mer_column *columns, bool of_periods)
{
	const struct fold fold = { .shape = FOLD_GROUPS, .kinds = { first, second } };
	const struct analysis_output outputs[] = { { "top", "Top", columns, "n", .fold = &fold },
		{ 0 } };
	const struct analysis a = { .id = "a", .outputs = outputs, .of_periods = of_periods };
	return session_choice_tables(&a, SESSION_CHOICE_TASKS);
}

static void tasks(void **state)
{
	(void)state;
	assert_int_equal(tables_of(&of_tasks, NULL, without_tid, false), 1);
	assert_int_equal(tables_of(&of_cpus, &of_tasks, without_tid, false), 1);
	assert_int_equal(tables_of(&of_cpus, NULL, with_tid, false), 0);
	assert_int_equal(tables_of(&of_host, &of_cpus, with_tid, false), 0);
	assert_int_equal(tables_of(&of_tasks, NULL, with_tid, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tasks) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
