/* The parts of the summary, and helpers to read tables. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_TABLES_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_TABLES_H

#include "analysis/summary/summary_data.h"

enum summary_in { /* the input tables */
	SUMMARY_IN_THREADS,
	SUMMARY_IN_CPUS,
	SUMMARY_IN_HOSTS,
	SUMMARY_IN_TOTALS,
	SUMMARY_IN_SCHED,
	SUMMARY_IN_IO,
	SUMMARY_IN_DISKS,
	SUMMARY_IN_QUEUES,
	SUMMARY_IN_REQUESTS,
	SUMMARY_IN_PAIRS,
	SUMMARY_IN_INTERFACES,
	SUMMARY_IN_CALLS,
	SUMMARY_IN_ERRORS,
	SUMMARY_IN_IRQ,
	SUMMARY_IN_FUTEXES,
	SUMMARY_IN_STUCK,
	SUMMARY_IN_POLL,
	SUMMARY_IN_MEMORY,
	SUMMARY_IN_GUESTS,
	SUMMARY_IN_GUEST_TASKS,
	SUMMARY_IN_RANKS
};

enum summary_mark { SUMMARY_TRACER = 1, SUMMARY_BRIEF = 2, SUMMARY_KERNEL = 4 };

/* ---- cells of input tables; 0 and "" if they are not set ---- */

static inline const struct mer_cell *summary_cell(
	const struct mer_table *t, size_t row, const char *key)
{
	static const struct mer_cell none = { 0 };
	size_t c = mer_table_column(t, key);
	return c == SIZE_MAX ? &none : &t->cells[row * t->n_columns + c];
}
static inline int64_t summary_number(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = summary_cell(t, row, key);
	return c->set ? c->v.i : 0;
}
static inline double summary_real(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = summary_cell(t, row, key);
	return c->set ? c->v.f : 0;
}
static inline const char *summary_text(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = summary_cell(t, row, key);
	return c->set ? c->v.text : "";
}

/* The host of this name; NULL: none. */
struct summary_host *summary_host_named(const struct summary *s, const char *name);
/* The host that a row of an input table belongs to; NULL: none. */
struct summary_host *summary_host_of(
	const struct summary *s, const struct mer_table *t, size_t row);
/* Marks of the task in this row, found by its columns tid and comm: bits of enum summary_mark. */
unsigned summary_marks(const struct summary *s, const struct mer_table *t, size_t row);

void summary_init_tables(struct summary *s);
/* Fills all tables except the findings. */
void summary_emit(struct summary *s);

/* Has a task waited for a lock for so long that its holder is not going to release it? */
bool findings_is_stuck(const struct summary_host *h, int64_t ns);
/* Fills the findings. */
void findings_find(struct summary *s);

#endif
