/* Where the summary says to look next is there, and shows the task that the row is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/summary/summary_next.h"

static struct mer_cell row[FINDING_N_COLUMNS];

static struct summary_next next_of(enum finding_rule rule)
{
	struct mer_table t = {
		.id = "findings", .cells = row, .n_rows = 1, .n_columns = FINDING_N_COLUMNS
	};
	row[FINDING_COL_RULE] = mer_text(finding_rule_name(rule));
	row[FINDING_COL_HOST] = mer_text("web");
	assert_int_equal(finding_rule_of(&t, 0), rule);
	return finding_next(&t, 0);
}

static void tables_are_there(void **state)
{
	(void)state;
	memset(row, 0, sizeof(row));
	for (int rule = 0; rule < FINDING_N_RULES; rule++) {
		struct summary_next n = next_of((enum finding_rule)rule);
		assert_int_equal(n.view == SUMMARY_VIEW_TABLE, n.analysis != NULL);
		if (!n.analysis)
			continue;
		assert_non_null(analysis_find(n.analysis));
		char outputs[64];
		snprintf(outputs, sizeof(outputs), "%s", n.output);
		for (char *id = strtok(outputs, ","); id; id = strtok(NULL, ","))
			assert_true(analysis_find_output(analysis_find(n.analysis), id) >= 0);
		assert_string_equal(n.host, "web");
	}
}

static void about_a_task(void **state)
{
	static const enum finding_rule rules[] = { FINDING_DISK, FINDING_FAULTS, FINDING_OUTSIDE };
	(void)state;
	memset(row, 0, sizeof(row));
	row[FINDING_COL_TID] = MER_INT(42);
	for (int i = 0; i < 3; i++) {
		struct summary_next n = next_of(rules[i]);
		assert_int_equal(n.view, SUMMARY_VIEW_WAITS);
		assert_int_equal(n.tid, 42);
		assert_string_equal(n.host, "web");
	}
	assert_int_equal(next_of(FINDING_LOCKS).view, SUMMARY_VIEW_TABLE);
	row[FINDING_COL_OBJECT] = mer_text("web, db");
	assert_int_equal(next_of(FINDING_OUTSIDE).view, SUMMARY_VIEW_SYNC);
	assert_null(next_of(FINDING_OUTSIDE).host);
	assert_null(next_of(FINDING_LATENCY).host);
	assert_int_equal(next_of(FINDING_CALM).view, SUMMARY_VIEW_RELATIONS);
	row[FINDING_COL_OBJECT] = MER_NONE; /* no waits: how busy the hosts were */
	assert_string_equal(next_of(FINDING_CALM).output, "hosts");
	row[FINDING_COL_OBJECT2] = mer_text("sched_switch");
	assert_int_equal(next_of(FINDING_CALM).view, SUMMARY_VIEW_CHECK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_there),
		cmocka_unit_test(about_a_task),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
