/* Fold: describes, as data, how a table is computed from facts.
 *
 * A fold says which facts it uses, by which keys they are grouped, and what each column shows of
 * a group: a count, a sum, a percentile. The columns themselves are those of the output
 * (analysis.h): a column that has no cell here is a key, found by its own key among the fields
 * and views of the kind. The engine selects facts by the options, cuts stretches at the edges of
 * windows, periods and bins, and sums up.
 *
 * All sums are sums of integers and do not depend on the order of facts. If two facts have the
 * same minimum or maximum, the earlier one is reported.
 *
 * In fold/:
 *
 *   plan.c     from names to numbers: which sums, by which keys
 *   source.c   numbers of facts
 *   levels.c   what tasks hold, in the order of facts
 *   select.c   which facts, and which parts of them; filter.c: as --filter says
 *   waiting.c  facts whose tasks may not be wanted
 *   add.c      facts into groups.c, histogram.c, values.c
 *   rows.c     facts as rows of a table
 *   joined.c   groups of all hosts to rows, in an order.c
 *   table.c    rows to a table, of keys.c and cells.c
 *   bins.c     the same over time
 *   partial.c  what one host has for a table, as bytes; merge.c: these of all hosts to a table */
#ifndef MER_ANALYSIS_FOLD_H
#define MER_ANALYSIS_FOLD_H

#include "analysis/fact.h"
#include "analysis/options.h"
#include "base/table.h"

struct analysis_run;
struct fold_parts;

enum fold_shape {
	FOLD_GROUPS = 1, /* a row for each group */
	FOLD_ROWS,	 /* a row for each fact: all, or the first ones in the order of `value` */
	/* groups, and for each of them a histogram of `value`: begin_*, end_*, count */
	FOLD_BUCKETS,
	FOLD_BINS /* groups by bin: begin, end, and the other keys */
};

/* A condition on a field or view. If the value is not known, only FOLD_UNKNOWN holds. */
enum fold_test {
	FOLD_IS = 1,  /* the number a */
	FOLD_IS_NOT,  /* known, and not equal to a */
	FOLD_ONE_OF,  /* a number below 64 whose bit is set in a */
	FOLD_FROM_TO, /* a <= number <= b */
	FOLD_KNOWN,
	FOLD_UNKNOWN,
	/* For kinds with facts at two ends (fact_kind.first_end): the first end, or the second
	 * if the first one is not selected, so that each thing counts once. Needs no field. */
	FOLD_ONCE
};
struct fold_where {
	/* NULL: no condition; with FOLD_ONCE any text, as it is not used */
	const char *field;
	enum fold_test test;
	int64_t a, b;
};

enum fold_op {
	/* Computed from facts. of: a field or view; NULL: the length of the fact, or of its part
	 * in the window */
	FOLD_COUNT = 1, /* number of facts; with of: of those with a known value */
	FOLD_SUM,
	FOLD_MIN,
	FOLD_MAX,
	FOLD_MEAN,   /* rounded mean; only of integers */
	FOLD_STDDEV, /* of the sample (n - 1), rounded */
	FOLD_P50,
	FOLD_P90,
	FOLD_P95,
	FOLD_P99,
	/* These keep each value, so they are only for kinds with few facts. Exact percentiles are
	 * the least value that so many do not exceed; the median may lie between two values. */
	FOLD_MEDIAN,
	FOLD_EXACT_P50,
	FOLD_EXACT_P90,
	FOLD_EXACT_P99,
	FOLD_EXACT_P999,
	FOLD_AT_MIN, /* begin of the earliest fact with the minimum */
	FOLD_AT_MAX,
	FOLD_FIRST, /* earliest and latest begin */
	FOLD_LAST,
	/* for facts that are cut: a sum that accrues evenly over the length of the fact */
	FOLD_SPREAD,
	/* the same as a real number per second of the time that FOLD_PER_SECOND uses */
	FOLD_SPREAD_PER_SECOND,
	FOLD_TIME_MEAN, /* mean weighted by time, for facts that are cut */
	/* number times seconds (kHz -> thousand cycles), times `scale`, rounded */
	FOLD_TIME_SUM,
	/* In bins of hosts, threads, processes and programs: what their tasks hold at the end of
	 * the bin, if each fact adds `of`, relative to the least that each task held during the
	 * recording. Empty in all other rows, and with filters that depend on tasks and facts at
	 * once. */
	FOLD_LEVEL,
	/* computed from the parts of a row */
	FOLD_DIFFERENT, /* number of distinct values of the key `of` (see fold.parts) */
	/* Computed from columns, in the order of cells. of: keys of columns, separated by
	 * blanks; by: another one */
	FOLD_PLUS,	  /* sum of the columns */
	FOLD_LESS,	  /* of minus by */
	FOLD_RATIO,	  /* of divided by `by`; 0 divided by 0 is 0 */
	FOLD_SHARE,	  /* share of the column's sum over all rows */
	FOLD_OF_RANGE,	  /* share of the analyzed time of the host, or of the bin */
	FOLD_PER_SECOND,  /* per second of that time */
	FOLD_OF_TIME,	  /* `of` (ns) as a share of that time */
	FOLD_OF_CAPACITY, /* share of the capacity: that time summed over all CPUs */
	FOLD_CAPACITY,	  /* the capacity itself */
	/* The sum of the columns `of` (keys, separated by blanks), compared with the available
	 * time: in groups by CPU the analyzed time, otherwise the capacity. FOLD_REST: what the sum
	 * leaves of that time, at least 0. FOLD_OF_OWN: the sum as a share of that time; empty if
	 * the time is 0. */
	FOLD_REST,
	FOLD_OF_OWN,
	FOLD_CONSTANT, /* the value of `scale` */
	FOLD_FUNCTION,
	/* In rows: a field or view other than the one with the column's key, or with a condition */
	FOLD_VALUE
};

struct fold_cell {
	const char *key; /* of the column that it fills */
	enum fold_op op;
	const char *of, *by;
	struct fold_where
		/* only facts for which it holds count; in rows: otherwise the cell is empty */
		where;
	/* Index into fold.kinds: whose facts; FOLD_EVERY_KIND: those of all kinds with the field
	 * of `where`, which is a choice. */
	uint8_t kind;
	/* determined by the group's keys; without these keys there is no such column */
	bool is_key;
	bool empty_if_none; /* the cell is empty, not 0, if no fact counted */
	/* FOLD_FUNCTION: counts what belongs to one host, so that for a row of several hosts it is
	 * the sum of theirs (partial.h). FOLD_DIFFERENT always does. */
	bool adds;
	int64_t scale; /* sums are divided by it; 0: no division */
	const char *
		/* scopes that have this cell, by their words: the same key may have different
		 * cells in different scopes; NULL: all */
		scopes;
	/* FOLD_SUM: sums the result of this function for each selected piece, instead of `of`. */
	int64_t (*of_piece)(int64_t begin, int64_t end);
	/* FOLD_FUNCTION: computed from the parts of a group. With `of`: fold_part_count and
	 * fold_part_sum return that value for the column. */
	int (*of_parts)(const struct fold_parts *p, struct mer_cell *c);
	/* The same, computed from the fact of a row. */
	struct mer_cell (*of_fact)(
		const struct analysis_run *run, uint32_t host, const struct fact *f);
};

/* Cells for ANALYSIS_STATS_COLUMNS (cells.h), with or without percentiles. */
#define FOLD_STATS(of_)                                                                            \
	{ "count", FOLD_COUNT, .of = of_ }, { "min_ns", FOLD_MIN, .of = of_ },                     \
		{ "max_ns", FOLD_MAX, .of = of_ }, { "mean_ns", FOLD_MEAN, .of = of_ },            \
		{ "stddev_ns", FOLD_STDDEV, .of = of_ }, { "total_ns", FOLD_SUM, .of = of_ },      \
		{ "min_at", FOLD_AT_MIN, .of = of_ },                                              \
	{                                                                                          \
		"max_at", FOLD_AT_MAX, .of = of_                                                   \
	}
#define FOLD_PERCENTILES(of_)                                                                      \
	{ "p50_ns", FOLD_P50, .of = of_ }, { "p90_ns", FOLD_P90, .of = of_ },                      \
	{                                                                                          \
		"p99_ns", FOLD_P99, .of = of_                                                      \
	}

/* Cells for ANALYSIS_LENGTHS_COLUMNS. */
#define FOLD_LENGTHS(of_)                                                                          \
	{ "count", FOLD_COUNT, .of = of_ }, { "mean_ns", FOLD_MEAN, .of = of_ },                   \
		{ "max_ns", FOLD_MAX, .of = of_ }, FOLD_PERCENTILES(of_),                          \
	{                                                                                          \
		"total_ns", FOLD_SUM, .of = of_                                                    \
	}

/* Rows of a table over time that describe the same kind of thing: hosts, CPUs, threads. */
struct fold_scope {
	const char *of;	   /* word in the column "of"; NULL: there is no such column */
	const char *group; /* keys */
	/* columns that the scope fills, the others stay empty; NULL: all */
	const char *cells;
	bool every_bin;	   /* bins without facts are rows as well */
	const char *known; /* keys: groups in which one of them is not known get no row */
	/* By the sum of these columns, the ten greatest groups get rows of their own, and all
	 * others of a host share the row "all others" in comm; NULL: all groups get rows of
	 * their own. */
	const char *busiest;
};

enum { FOLD_KINDS = 4, FOLD_WHERES = 3, FOLD_EVERY_KIND = UINT8_MAX };

/* What options select facts by, besides time, tasks and CPUs: min_ns and max_ns; wants_name;
 * sizes. */
enum fold_choice { FOLD_BY_DURATION = 1, FOLD_BY_NAME = 2, FOLD_BY_SIZE = 4 };

struct fold {
	enum fold_shape shape;
	/* groups of several kinds are joined by their keys */
	const struct fact_kind *kinds[FOLD_KINDS];
	/* Keys, blanks between: fields and views; "thread" is the task, "process" its process,
	 * "program" its name. "host" is a key like the others: without it, groups of all hosts
	 * are joined. */
	const char *group;
	/* Further keys by which sums are kept apart until rows are made, for of_parts and
	 * FOLD_DIFFERENT. */
	const char *parts;
	/* all must hold (for kinds that have the field) */
	struct fold_where where[FOLD_WHERES];
	const struct fold_cell *cells; /* ends with {0} */
	/* Keys and columns to sort rows by before the output's sort applies; with - in front:
	 * descending; "first": by the begin of their earliest fact; NULL: in the order in which
	 * their first facts were reported, host by host. */
	const char *order;
	const char *
		/* FOLD_BUCKETS: field or view; NULL: the length of the fact, or of its part in
		 * the window. FOLD_ROWS: the smallest values are kept; with -
		 * in front: the greatest */
		value;
	/* FOLD_ROWS: keep all rows, as there are few, whatever options.limit says */
	bool all_rows;
	/* FOLD_ROWS of facts that are cut: a row shows only the part in the window */
	bool cut_rows;
	enum fact_rule rule; /* 0: the rule of the kind */
	/* Fields to use instead of begin and end, with either rule. Facts without one of them do
	 * not count. */
	const char *from, *to;
	const struct fold_scope *scopes; /* FOLD_BINS: ends with {0} */
	/* Facts of all tasks count. In scopes with `busiest`, options that select tasks choose
	 * which tasks get rows of their own; all others are in "all others". */
	bool every_task;
	/* Rows are about two ends, or about the host as a whole: --group-by and --filter do not
	 * apply. */
	bool is_fixed;
	/* Bits of enum fold_choice: options that select by these do not apply, although the
	 * facts have them. */
	uint8_t ignores;
	bool every_cpu;	   /* groups by CPU: recorded CPUs without facts get a row as well */
	const char *known; /* as in struct fold_scope */
	/* not_by: keys that rows of this fold cannot be grouped by, although its facts may have
	 * them; instead: the table whose rows can. */
	const char *not_by, *instead;
	/* finish looks at rows of several facts at once, and orders them anew: tables of hosts
	 * cannot be merged (partial.h). */
	bool finishes_together;
	/* Called with all rows in order, before they are sorted by the output's sort; may add,
	 * change and remove rows. n_seen: number of facts, selected or not. With options.take_row,
	 * which is of FOLD_ROWS, it is called with some of the rows at a time, and may only
	 * change cells. */
	int (*finish)(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);
};

/* ---- parts: the groups that a row was joined from, for functions ---- */

struct fold_parts; /* groups by all keys, including those of `parts` */
size_t fold_parts_n(const struct fold_parts *p);
const struct analysis_run *fold_parts_run(const struct fold_parts *p);
uint32_t fold_part_host(const struct fold_parts *p, size_t i);
/* The value of a key; FACT_UNKNOWN: none. */
int64_t fold_part_key(const struct fold_parts *p, size_t i, const char *key);
/* The value of a part in a column that is a count, a sum or a maximum. */
int64_t fold_part_sum(const struct fold_parts *p, size_t i, const char *column);
/* The number of facts with a known value. */
int64_t fold_part_count(const struct fold_parts *p, size_t i, const char *column);

/* ---- making tables ---- */

struct fold_plan;  /* made from a fold and options: immutable, shared by all hosts */
struct fold_state; /* sums of one plan and host */

struct fold_request {
	const struct fold *fold;
	const struct mer_column *columns; /* columns of the table, end with {0} */
	const struct analysis_options *options;
	/* options.filter may name columns that this table does not have; their value is then not
	 * known */
	bool other_columns;
};

/* Returns NULL after an error. The plan's columns are in run->arena if options.group_by makes
 * them differ from the request's. run->world may still be NULL. */
int fold_plan_new(struct analysis_run *run, const struct fold_request *r, struct fold_plan **plan,
	struct mer_err *err);
/* Does options.group_by apply to it? It does not change rows of single facts, nor rows with
 * totals of everything. */
static inline bool fold_plan_groups_by(const struct fold *f)
{
	return f->shape != FOLD_ROWS && !f->is_fixed && (f->group || f->scopes);
}
/* Do options that select by this choice apply to it? */
bool fold_selects_by(const struct fold *f, enum fold_choice choice);
/* Are any of its facts about tasks, so that options that select tasks apply? */
bool fold_has_tasks(const struct fold *f);
/* Do both compute the same sums, so that they can share a state? */
bool fold_plan_adds_same(const struct fold_plan *a, const struct fold_plan *b);
void fold_plan_free(struct fold_plan *); /* NULL is fine */
const struct mer_column *fold_plan_columns(const struct fold_plan *p);
/* The kinds of facts it needs; ends with NULL. */
const struct fact_kind *const *fold_plan_kinds(const struct fold_plan *p);

struct fold_state *fold_state_new(const struct fold_plan *p, uint32_t host); /* NULL: no memory */
void fold_state_free(struct fold_state *);
/* Adds n facts of one kind of the host, one after the other. Any thread may call it; one thread
 * at a time for each state. */
int fold_add(struct fold_state *s, const struct kernel_host *h, const struct fact_kind *kind,
	const void *facts, size_t n, struct mer_err *err);
/* Does it need all facts, including those outside the analyzed time? */
bool fold_needs_all_time(const struct fold_plan *p);
/* Does it need facts of all tasks, whichever are selected? */
bool fold_needs_every_task(const struct fold_plan *p);
/* Must facts wait until it is known which tasks are selected? Then the engine keeps the facts of
 * each kind and host for all states that use them, and adds those of selected tasks when
 * everything has been read. */
bool fold_waits(const struct fold_plan *p);
struct fold_waiting;
struct fold_waiting *fold_waiting_new(const struct fact_kind *kind, uint32_t n_hosts);
bool fold_waiting_for(struct fold_waiting *w, struct fold_state *s); /* false: no memory */
void fold_waiting_free(struct fold_waiting *);			     /* NULL is fine */
int fold_waiting_take(struct fold_waiting *w, const struct kernel_host *h, const void *facts,
	size_t n, struct mer_err *err);
/* run->world must be set. */
int fold_waiting_end(
	struct fold_waiting *w, const struct analysis_run *run, uint32_t host, struct mer_err *err);
/* states: by host, NULL: none. run->world must be set. Call it once, on one thread. */
int fold_emit(const struct fold_plan *p, struct analysis_run *run, struct fold_state *const *states,
	struct mer_table *t);

/* ---- tables of several runs (partial.h) ---- */

struct mer_str;
struct analysis_left_out;
struct analysis_partial_host;

/* Adds what this host has for the table to out. idle: see analysis_leave_out. */
int fold_partial_write(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, uint32_t host, bool idle, struct mer_str *out);
/* Rows of all hosts, in their order. */
struct fold_merge {
	struct analysis_run *run; /* of no host */
	const struct analysis_partial_host *hosts;
	uint32_t n_hosts;
	size_t request;
	bool leaves_out;
	struct analysis_left_out *sum;
};
int fold_merge(const struct fold_plan *p, struct fold_merge *m, struct mer_table *t);

#endif
