/* Making a plan: what the files of that share. */
#ifndef MER_ANALYSIS_FOLD_PLAN_MAKER_H
#define MER_ANALYSIS_FOLD_PLAN_MAKER_H

#include "analysis/fold/plan.h"

struct fold_maker { /* of a plan */
	struct fold_plan *p;
	struct mer_err *err;
	const char *group_by; /* that the user wants; NULL: as the fold says */
};

/* The fold itself is wrong: it names what is not there. */
int fold_plan_is_wrong(const struct fold_maker *m, const char *what, const char *name);
int fold_plan_condition(const struct fold_maker *m, const struct fact_kind *k,
	const struct fold_where *w, struct fold_condition *c);
void fold_plan_set_name(char *to, const char *from, size_t len); /* to: 32 bytes */
/* "waker_comm" of a task "waker", "comm" of the task itself. */
bool fold_plan_split_task(
	const struct fold_plan *p, const char *key, char task[32], enum fold_task_part *part);

/* plan_sums.c: what a cell needs of a sum (bits); the sum that a cell is made of, negative: an
 * error; when all are there, their slots */
uint16_t fold_plan_needs(const struct fold_cell *c);
int fold_plan_sum(const struct fold_maker *m, const struct fold_cell *c);
int fold_plan_slots(const struct fold_maker *m);

/* plan_columns.c: for the user's keys, other ones; what each is made of; and which key of which
 * scope */
int fold_plan_columns_by(const struct fold_maker *m);
int fold_plan_all_columns(const struct fold_maker *m);
int fold_plan_derived(const struct fold_maker *m);
int fold_plan_bind_columns(const struct fold_maker *m);

#endif
