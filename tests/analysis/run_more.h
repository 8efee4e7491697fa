/* More for run cases: traces from other sources, and rows by what they hold. */
#ifndef TESTS_RUN_MORE_H
#define TESTS_RUN_MORE_H

#include <stdio.h>
#include "run_case.h"

/* A description of cases/xml-traces, changed by this sed script; skips the test when it is
 * absent. Its ticks become us; the host is called "host". */
void run_more_open_xml(struct run_case *c, const char *name, const char *sed);
/* Simulated machines (docs/dev/kernelworld.md), whose truth is in c->dir/truth. */
void run_more_open_world(struct run_case *c, const char *options);
/* A file (given.h), to be closed; skips the test when it is absent. */
FILE *run_more_file(const char *name);

/* Does the row have these values? "host=h0 tid=12 cpu=-": with - the cell is not set. */
bool run_more_is(const struct mer_table *t, size_t row, const char *values);
/* The only row that has these values; the test fails when there are none or several. */
size_t run_more_row(const struct mer_table *t, const char *values);
/* Sum over the rows that have these values; "": all. */
int64_t run_more_sum(const struct mer_table *t, const char *key, const char *values);

#endif
