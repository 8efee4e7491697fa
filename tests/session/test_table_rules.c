/* What of a question applies to which tables, and which of their rows are shown, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/fold.h"
#include "session/choice.h"
#include "session/rows.h"

enum { COMM, TID, BEGIN, TOTAL, N };
static const struct mer_column columns[N + 1] = {
	[COMM] = { "comm", "Task", MER_TEXT },
	[TID] = { "tid", "TID", MER_ID },
	[BEGIN] = { "begin", "Begin", MER_TIME },
	[TOTAL] = { "total_ns", "Time", MER_DURATION },
};
static const struct mer_column totals[] = { { "total_ns", "Time", MER_DURATION }, { 0 } };

static const struct fact_kind named = { .duration = "duration_ns", .name = "name" },
			      sized = { .duration = "wait_ns", .bytes = "bytes", .of_cpus = true },
			      whole = { .of_host = true };
static const struct fold rows_of = { .shape = FOLD_ROWS, .kinds = { &named } },
			 sums_of = { .shape = FOLD_GROUPS,
				 .kinds = { &named, &sized },
				 .ignores = FOLD_BY_NAME | FOLD_BY_DURATION },
			 scopes_of = { .shape = FOLD_GROUPS,
				 .kinds = { &sized },
				 .scopes = (struct fold_scope[1]){ { 0 } } },
			 fixed = { .shape = FOLD_GROUPS,
				 .kinds = { &sized },
				 .group = "host",
				 .is_fixed = true };
enum { TOP, TOP_CPU, LOG, FREQ, BINS, BINS_CPU, BINSET, N_OUTPUTS };
static const struct analysis_output outputs[] = { [TOP] = { "top", NULL, columns, "total_ns" },
	[TOP_CPU] = { "top_cpu", NULL, totals, NULL, &sums_of },
	[LOG] = { "log", NULL, columns, NULL, &rows_of },
	[FREQ] = { "freq", NULL, totals, NULL, &scopes_of },
	[BINS] = { "bins", NULL, totals, NULL },
	[BINS_CPU] = { "bins_cpu", NULL, totals, NULL },
	[BINSET] = { "binset", NULL, totals, NULL, &fixed },
	{ 0 } };

/* ---- What applies ---- */

static void choices(void **state)
{
	(void)state;
	enum { ALL = (1 << N_OUTPUTS) - 1 };
	struct analysis a = { .outputs = outputs };
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_FILTER),
		1 << TOP_CPU | 1 << LOG | 1 << FREQ);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_GROUPS), 1 << FREQ);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_BINS), 1 << BINS | 1 << BINS_CPU);
	/* What one of its kinds has, unless the table is about all of them. */
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_DURATIONS),
		1 << LOG | 1 << FREQ | 1 << BINSET);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_NAMES), 1 << LOG);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_SIZES),
		1 << TOP_CPU | 1 << FREQ | 1 << BINSET);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), ALL);
	a.outputs = outputs + LOG;
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), ALL >> LOG);
	a.outputs = outputs + FREQ;
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), 0);
	/* Whatever its columns are called. */
	const struct fold of_whole = { .shape = FOLD_GROUPS, .kinds = { &whole, &sized } },
			  of_both = { .shape = FOLD_GROUPS, .kinds = { &sized, &named } };
	const struct analysis_output
		of_host[] = { { .id = "top", .columns = columns, .fold = &of_whole }, { 0 } },
		of_tasks[] = { { .id = "top", .columns = totals, .fold = &of_both }, { 0 } };
	a.outputs = of_host;
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), 0);
	a.outputs = of_tasks;
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), 1);
	a.outputs = outputs;
	a.of_periods = true;
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_TASKS), 0);
	assert_int_equal(session_choice_tables(&a, SESSION_CHOICE_DURATIONS), ALL);
}

static void kinds_of_tables(void **state)
{
	(void)state;
	assert_true(session_is_table_of(&outputs[TOP], "top"));
	assert_true(session_is_table_of(&outputs[TOP_CPU], "top"));
	assert_false(session_is_table_of(&outputs[LOG], "top"));
	assert_false(session_is_table_of(&outputs[BINSET], "bins"));
	assert_false(session_is_table_of(&outputs[TOP], "top_cpu"));
}

static void tasks_of_periods(void **state)
{
	(void)state;
	const struct analysis periods = { .outputs = outputs, .of_periods = true },
			      other = { .outputs = outputs };
	const struct analysis_request r[] = { { &other, TOP }, { &periods, FREQ },
		{ &periods, LOG } };
	assert_false(session_tells_tasks(r, 0));
	assert_false(session_tells_tasks(r, 2));
	assert_true(session_tells_tasks(r, 3));
	assert_true(session_tells_tasks(r + 2, 1));
}

/* ---- What is kept ---- */

static void what_is_kept(void **state)
{
	(void)state;
	const struct analysis a = { .outputs = outputs, .calls = 1 << LOG };
	const struct analysis_request calls[] = { { &a, TOP }, { &a, LOG } };
	static const struct {
		struct session_rows rows;
		size_t n;
		uint64_t limit;
		bool keeps;
	} cases[] = { { { .limit = 0 }, 2, 0, false }, { { .limit = 7 }, 2, 7, false },
		{ { .limit = 7, .leaves_out = true }, 2, 2007, true },
		{ { .limit = 7, .leaves_out = true }, 1, 2007, false },
		{ { .limit = 0, .leaves_out = true }, 1, 0, false },
		{ { .limit = 7, .sort = "tid" }, 1, 0, false },
		{ { .limit = 7, .reverse = true }, 1, 0, false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct analysis_options o = { .limit = 99 };
		session_rows_prepare(&cases[i].rows, calls, cases[i].n, &o);
		assert_int_equal(o.limit, cases[i].limit);
		assert_int_equal(o.keep_spans, cases[i].keeps);
	}
	struct analysis_options o = { .keep_spans = true };
	session_rows_prepare(&cases[0].rows, calls, 1, &o);
	assert_true(o.keep_spans);
}

/* ---- Order ---- */

/* The rows "b 1 at 30: 5", "a 2 at 20: 9", "c 3 at 10: 7" as TIDs in the order in which they are
 * shown, and the key by which. */
static void shown(unsigned output, const struct session_rows *o, const char *by, const char *tids)
{
	const struct analysis a = { .outputs = outputs };
	const struct analysis_request r = { &a, output };
	const struct session_request q = { .tables = &r, .n = 1 };
	struct mer_table t;
	struct session_answer answer = { .request = &q, .tables = &t };
	struct analysis_left_out sum = { 0 };
	struct mer_err err;
	const char *sorted;
	char text[20] = "";
	mer_table_init(&t, "t", NULL, columns, NULL);
	mer_table_add(
		&t, (struct mer_cell[N]){ mer_text("b"), MER_INT(1), MER_INT(30), MER_INT(5) });
	mer_table_add(
		&t, (struct mer_cell[N]){ mer_text("a"), MER_INT(2), MER_INT(20), MER_INT(9) });
	mer_table_add(
		&t, (struct mer_cell[N]){ mer_text("c"), MER_INT(3), MER_INT(10), MER_INT(7) });
	assert_int_equal(session_rows_arrange(&answer, 0, o, &sorted, &sum, &err), 0);
	for (size_t i = 0; i < t.n_rows; i++)
		text[i] = (char)('0' + t.cells[i * N + TID].v.i);
	assert_string_equal(text, tids);
	if (by)
		assert_string_equal(sorted, by);
	else
		assert_null(sorted);
	mer_table_fini(&t);
}

static void order(void **state)
{
	(void)state;
	shown(TOP, &(struct session_rows){ 0 }, "total_ns", "123");
	shown(LOG, &(struct session_rows){ 0 }, NULL, "123");
	shown(TOP, &(struct session_rows){ .sort = "total" }, "total_ns", "231");
	shown(TOP, &(struct session_rows){ .sort = "+total" }, "total_ns", "132");
	shown(TOP, &(struct session_rows){ .sort = "total", .reverse = true }, "total_ns", "132");
	shown(TOP, &(struct session_rows){ .sort = "+total", .reverse = true }, "total_ns", "231");
	shown(TOP, &(struct session_rows){ .sort = "comm" }, "comm", "213");
	shown(TOP, &(struct session_rows){ .sort = "tid", .reverse = true }, "tid", "321");
	shown(TOP, &(struct session_rows){ .sort = "begin" }, "begin", "321");
	shown(TOP, &(struct session_rows){ .sort = "other" }, "total_ns", "123");
	/* Only the other way round: what it is sorted by, or its first column. */
	shown(TOP, &(struct session_rows){ .reverse = true }, "total_ns", "132");
	shown(LOG, &(struct session_rows){ .reverse = true }, "comm", "312");
}

static void limits(void **state)
{
	(void)state;
	shown(LOG, &(struct session_rows){ .limit = 2 }, NULL, "12");
	shown(FREQ, &(struct session_rows){ .limit = 2 }, NULL, "123");
	shown(LOG, &(struct session_rows){ .limit = 2, .sort = "total" }, "total_ns", "23");
	/* Of what was not read nothing is left out; and of sums over time never. */
	shown(LOG, &(struct session_rows){ .leaves_out = true }, NULL, "123");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices),
		cmocka_unit_test(kinds_of_tables),
		cmocka_unit_test(tasks_of_periods),
		cmocka_unit_test(what_is_kept),
		cmocka_unit_test(order),
		cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
