/* Groups: rows of facts that are the same in the columns that a statement uses, each once, and how
 * many they are: for GROUP BY and count(*), so that nobody sorts or steps through millions.
 *
 * SQLite counts rows, so count() here (query_add_count) counts what a row stands for: its weight.
 * Only where nothing can tell the difference rows have weights (statement_can_weigh in groups.c);
 * elsewhere each is given as often as it is there, one after the other, and SQLite is spared the
 * sorting. */
#ifndef MER_QUERY_GROUPS_H
#define MER_QUERY_GROUPS_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "query/rows.h"

struct query;

struct query_groups {
	struct query_rows *rows; /* filled by query_groups_end, in the order of their values */
	const struct mer_column *columns;
	struct mer_arena arena;
	struct mer_intern keys; /* of a group; its number is that of its row */
	struct mer_table distinct;
	uint64_t *counts;
	size_t cap_counts;
	struct mer_str key;	   /* scratch */
	uint8_t by[QUERY_COLUMNS]; /* the columns that are kept */
	size_t n_by;
	uint32_t last[1 << 10]; /* groups, by a hash of addresses */
};

int query_groups_init(struct query_groups *g, struct query_rows *rows, struct mer_err *err);
/* As take_row of analysis_options; the taker is a query_groups. */
int query_groups_take(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells);
/* *counts: malloc'ed, of each row. */
int query_groups_end(struct query_groups *g, uint64_t **counts, struct mer_err *err);
void query_groups_fini(struct query_groups *g);

/* Looks at a statement before it is prepared, and at what it uses while it is. */
void query_weigh_begin(struct query *q, const char *sql);
void query_weigh_function(struct query *q, const char *name);
void query_weigh_table(struct query *q, const char *name);
/* May rows stand for several? */
bool query_can_weigh(const struct query *q);
/* Makes count() count weights: q->weight. SQLite's code. */
int query_add_count(struct query *q);

#endif
