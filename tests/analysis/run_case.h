/* Run case: a scenario or a recording, and the tables that an analysis makes of it.
 *
 * Everything must succeed, or the test fails; recordings that are absent skip it. */
#ifndef TESTS_RUN_CASE_H
#define TESTS_RUN_CASE_H

#include "analysis/analysis.h"
#include "sync/auto.h"

struct run_case {
	char dir[64]; /* of a scenario: goes away with the case */
	struct mer_experiment *e;
	struct sync_messages messages;
	struct sync_result *result; /* NULL: one host */
	struct analysis_request requests[32];
	size_t n;
	struct analysis_run run;
	struct mer_table tables[32]; /* as requests */
	bool has_run;
};

/* text: a scenario (docs/dev/scenario.md). name: a recording (given.h). */
void run_case_open_scenario(struct run_case *c, const char *text);
void run_case_open_recording(struct run_case *c, const char *name);
/* Once or more: all outputs of an analysis, or of several ("io disk"), in one reading. options:
 * NULL: everything. */
void run_case_run(struct run_case *c, const char *analysis, const struct analysis_options *options);
/* The same of any tables, on so many threads: analysis_run, with requests. */
int run_case_analyze(struct run_case *c, unsigned n_threads, const struct analysis_options *options,
	struct analysis_run *run, const struct analysis_request *requests, size_t n,
	struct mer_table *tables, struct mer_err *err);
void run_case_close(struct run_case *c);

/* Of the first analysis; of another one "disk:top". */
const struct mer_table *run_case_table(const struct run_case *c, const char *output);
/* The cell of a row; the test fails if there is no such column. */
const struct mer_cell *run_case_cell(const struct mer_table *t, size_t row, const char *key);
int64_t run_case_int(const struct mer_table *t, size_t row, const char *key);
/* "" when not set. */
const char *run_case_text(const struct mer_table *t, size_t row, const char *key);
/* The first row from `from` on with this text in a column; the test fails when there is none. */
size_t run_case_find(const struct mer_table *t, const char *key, const char *text, size_t from);
/* Of a column: of all rows, or those that have this text in column `of` (NULL: all). */
int64_t run_case_sum(const struct mer_table *t, const char *key, const char *of, const char *text);
/* Tables that must agree with a log of all durations (duration_ns). keys: columns with blanks
 * between; what is equal in these is one. Each row of sums has the statistics of the rows of log
 * that it is of, and all rows of log are in one; likewise those of a histogram. A top has the
 * longest ones. */
void run_case_check_sums(
	const struct mer_table *log, const struct mer_table *sums, const char *keys);
void run_case_check_freq(
	const struct mer_table *log, const struct mer_table *freq, const char *keys);
void run_case_check_top(const struct mer_table *log, const struct mer_table *top);
/* For people who look for what is wrong. */
void run_case_print(const struct mer_table *t);

#endif
