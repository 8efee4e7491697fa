/* Making a plan: declarations shared by the files that do it. */
#ifndef MER_ANALYSIS_FOLD_PLAN_MAKER_H
#define MER_ANALYSIS_FOLD_PLAN_MAKER_H

#include "analysis/fold/plan.h"

struct fold_maker { /* state while a plan is made */
	struct fold_plan *p;
	struct mer_err *err;
	const char *group_by; /* requested by the user; NULL: as the fold says */
};

/* An error in the fold itself: it names something that does not exist. */
int fold_plan_is_wrong(const struct fold_maker *m, const char *what, const char *name);
int fold_plan_condition(const struct fold_maker *m, const struct fact_kind *k,
	const struct fold_where *w, struct fold_condition *c);
void fold_plan_set_name(char *to, const char *from, size_t len); /* Size of to: 32 bytes. */
/* Splits "waker_comm" into task "waker" and part comm, and "comm" into the task itself and comm. */
bool fold_plan_split_task(
	const struct fold_plan *p, const char *key, char task[32], enum fold_task_part *part);

/* plan_sums.c: the bits of a sum that a cell needs; the index of the sum that a cell uses,
 * negative: an error; and the assignment of slots when all sums exist */
uint16_t fold_plan_needs(const struct fold_cell *c);
int fold_plan_sum(const struct fold_maker *m, const struct fold_cell *c);
int fold_plan_slots(const struct fold_maker *m);

/* plan_columns.c: columns for the user's keys; the source of each column; and the key of each
 * scope that it shows */
int fold_plan_columns_by(const struct fold_maker *m);
int fold_plan_all_columns(const struct fold_maker *m);
int fold_plan_derived(const struct fold_maker *m);
int fold_plan_bind_columns(const struct fold_maker *m);

#endif
