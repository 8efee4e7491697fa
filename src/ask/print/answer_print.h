/* Printing of answers for programs. */
#ifndef MER_ASK_PRINT_ANSWER_PRINT_H
#define MER_ASK_PRINT_ANSWER_PRINT_H

#include "ask/answer.h"
#include "ask/context.h"

/* Begins an answer about traces; with the clocks and, if it is of a time (is_timed), the window of
 * the command line, as far as events were recorded in it. answer_fini in any case. */
void ask_answer_init(
	struct ask *ask, const struct mer_experiment *e, bool is_timed, struct answer *a);
/* As JSON, JSON Lines or CSV: each table in its own file with -o FOLDER/. Otherwise one after the
 * other in one output; in CSV and JSON Lines without those beside others, and of several tables
 * each row says which one it is of. */
int ask_answer_print(struct ask *ask, struct answer *a);

/* A table beside the traces: what is missing that is not counted, of those with any. row: number of
 * the trace's row. */
struct mer_table *ask_missing_table(struct answer *a);
struct trace_missing;
void ask_missing_add(
	struct mer_table *t, size_t row, const char *path, const struct trace_missing *m);

#endif
