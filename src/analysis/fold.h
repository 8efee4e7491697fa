/* Fold: how a table is made of facts, as data.
 *
 * A fold says which facts, by which keys they are grouped, and what each column is of a group: a
 * count, a sum, a percentile. The columns themselves are those of the output (analysis.h): a column
 * that has no cell here is a key, found by its own key among the fields and views of the kind. The
 * engine selects facts by the options, cuts stretches at the edges of windows, periods and bins,
 * and sums up.
 *
 * All sums are of whole numbers and do not depend on the order of facts. Where two have the same
 * least or greatest value, the earlier one is told.
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
 *   bins.c     the same over time */
#ifndef MER_ANALYSIS_FOLD_H
#define MER_ANALYSIS_FOLD_H

#include "analysis/fact.h"
#include "analysis/options.h"
#include "base/table.h"

struct analysis_run;
struct fold_parts;

enum fold_shape {
	FOLD_GROUPS = 1, /* a row for each group */
	FOLD_ROWS,	 /* a row for each fact: all, or the first ones by `value` */
	/* groups, of each how many facts have how much of `value`: begin_*, end_*, count */
	FOLD_BUCKETS,
	FOLD_BINS /* groups by part of the time: begin, end, and the rest */
};

/* A condition on a field or view. Not known: none of them holds but FOLD_UNKNOWN. */
enum fold_test {
	FOLD_IS = 1,  /* the number a */
	FOLD_IS_NOT,  /* known, and not a */
	FOLD_ONE_OF,  /* a number below 64, whose bit is set in a */
	FOLD_FROM_TO, /* a <= number <= b */
	FOLD_KNOWN,
	FOLD_UNKNOWN,
	/* Of kinds with facts of two ends (fact_kind.first_end): the first end, or the second where
	 * the first one is not selected. So each thing counts once. No field. */
	FOLD_ONCE
};
struct fold_where {
	const char *field; /* NULL: always; of FOLD_ONCE anything, as it is not looked at */
	enum fold_test test;
	int64_t a, b;
};

enum fold_op {
	/* of facts; of: a field or view, NULL: the length of the fact, or of its part in the
	 * window */
	FOLD_COUNT = 1, /* how many; with of: of which that is known */
	FOLD_SUM,
	FOLD_MIN,
	FOLD_MAX,
	FOLD_MEAN,   /* rounded, of whole numbers */
	FOLD_STDDEV, /* of the sample, rounded */
	FOLD_P50,
	FOLD_P90,
	FOLD_P95,
	FOLD_P99,
	FOLD_MEDIAN, /* exact: keeps each number, for facts of which there are few */
	FOLD_AT_MIN, /* begin of the earliest that has the least */
	FOLD_AT_MAX,
	FOLD_FIRST, /* earliest and latest begin */
	FOLD_LAST,
	FOLD_SPREAD, /* of facts that are cut: a sum that comes in evenly over its length */
	/* the same with fractions, of the time of FOLD_PER_SECOND: a real */
	FOLD_SPREAD_PER_SECOND,
	FOLD_TIME_MEAN, /* mean by time: of facts that are cut */
	FOLD_TIME_SUM,	/* number times seconds: kHz -> thousand cycles; times `scale`, rounded */
	/* In bins of hosts, threads, processes and programs: what their tasks hold when it ends, if
	 * each fact adds `of`, over the least that each task held in the recording. Empty in rows
	 * of anything else, and with filters that are about tasks and facts at once. */
	FOLD_LEVEL,
	/* of the parts of a row */
	FOLD_DIFFERENT, /* how many different numbers of the key `of` (see fold.parts) there are */
	/* of columns, in the order of cells; of: their keys, blanks between; by: another one */
	FOLD_PLUS,	  /* their sum */
	FOLD_LESS,	  /* of - by */
	FOLD_RATIO,	  /* of / by; nothing of nothing is 0 */
	FOLD_SHARE,	  /* of its sum over all rows */
	FOLD_OF_RANGE,	  /* of the time that was looked at of the host, or in the bin */
	FOLD_PER_SECOND,  /* of that time */
	FOLD_OF_TIME,	  /* of that time, ns */
	FOLD_OF_CAPACITY, /* of the time of all its CPUs */
	FOLD_CAPACITY,	  /* that time itself */
	/* Of groups by CPU the time of that CPU, of others that of all CPUs: what `of` leaves of
	 * it, at least 0; and what share `of` is of it, empty where there is none. of: keys, blanks
	 * between. */
	FOLD_REST,
	FOLD_OF_OWN,
	FOLD_CONSTANT, /* scale itself */
	FOLD_FUNCTION,
	/* of rows: a field or view other than the column's key, or with a condition */
	FOLD_VALUE
};

struct fold_cell {
	const char *key; /* of the column */
	enum fold_op op;
	const char *of, *by;
	struct fold_where
		where; /* only facts for which it holds; of rows: otherwise the cell is empty */
	/* Of fold.kinds: whose facts; FOLD_EVERY_KIND: of all that have the field of `where`, a
	 * choice. */
	uint8_t kind;
	bool is_key;	    /* it follows from the group's keys: there is none with others */
	bool empty_if_none; /* counts and sums of no fact at all: an empty cell, not 0 */
	int64_t scale;	    /* sums are divided by it; 0: by 1 */
	const char *
		/* words of scopes that have it: cells with one key differ in them; NULL: all */
		scopes;
	/* FOLD_SUM: of this, of each part that is looked at, instead of `of`. */
	int64_t (*of_piece)(int64_t begin, int64_t end);
	/* FOLD_FUNCTION: of a group. With `of`: fold_part_count and fold_part_sum know that of the
	 * column. */
	int (*of_parts)(const struct fold_parts *p, struct mer_cell *c);
	/* The same of a row. */
	struct mer_cell (*of_fact)(
		const struct analysis_run *run, uint32_t host, const struct fact *f);
};

/* Cells of ANALYSIS_STATS_COLUMNS (cells.h), with or without the percentiles. */
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

/* Cells of ANALYSIS_LENGTHS_COLUMNS. */
#define FOLD_LENGTHS(of_)                                                                          \
	{ "count", FOLD_COUNT, .of = of_ }, { "mean_ns", FOLD_MEAN, .of = of_ },                   \
		{ "max_ns", FOLD_MAX, .of = of_ }, FOLD_PERCENTILES(of_),                          \
	{                                                                                          \
		"total_ns", FOLD_SUM, .of = of_                                                    \
	}

/* Rows of a table over time that are about the same thing: hosts, CPUs, threads. */
struct fold_scope {
	const char *of;	   /* word in the column "of"; NULL: there is no such column */
	const char *group; /* keys */
	const char *cells; /* columns that it has, the others stay empty; NULL: all */
	bool every_bin;	   /* bins without facts are rows, too */
	const char *known; /* keys: groups in which one of them is not known are no rows */
	/* Of these columns together the ten that have most are rows by themselves, the others of a
	 * host one row, "all others" in comm; NULL: all are by themselves. */
	const char *busiest;
};

enum { FOLD_KINDS = 4, FOLD_WHERES = 3, FOLD_EVERY_KIND = UINT8_MAX };

/* What options select facts by, besides time, tasks and CPUs: min_ns and max_ns, wants_name,
 * sizes. */
enum fold_choice { FOLD_BY_DURATION = 1, FOLD_BY_NAME = 2, FOLD_BY_SIZE = 4 };

struct fold {
	enum fold_shape shape;
	const struct fact_kind *kinds[FOLD_KINDS]; /* groups of several are joined by their keys */
	/* Keys, blanks between: fields and views; "thread" is a task, "process" its process,
	 * "program" its name. "host" is one like others: without it groups of all hosts are
	 * joined. */
	const char *group;
	/* Further keys by which sums are kept apart until rows are made: of_parts and
	 * FOLD_DIFFERENT see them. */
	const char *parts;
	struct fold_where where[FOLD_WHERES]; /* all must hold (where a kind has such a field) */
	const struct fold_cell *cells;	      /* ends with {0} */
	/* Keys and columns by which rows are in order before the output's sort, - before one: the
	 * greatest first; "first": by the begin of their earliest fact; NULL: as their first facts
	 * came, host by host. */
	const char *order;
	const char *
		/* FOLD_BUCKETS: field or view. FOLD_ROWS: the smallest are kept; -: the greatest */
		value;
	bool all_rows;	     /* FOLD_ROWS, of which there are few: whatever options.limit is */
	bool cut_rows;	     /* FOLD_ROWS of what is cut: a row is what lies in the window */
	enum fact_rule rule; /* 0: the kind's */
	/* Instead of begin and end, for both rules: fields. A fact that lacks one of them does not
	 * count. */
	const char *from, *to;
	const struct fold_scope *scopes; /* FOLD_BINS: ends with {0} */
	/* Facts of all tasks count. In scopes with `busiest`, options that choose tasks choose
	 * those that are rows by themselves, and the others are among "all others". */
	bool every_task;
	/* Rows are about two ends, or the host as a whole: other groups and filters do not
	 * apply. */
	bool is_fixed;
	/* Bits of enum fold_choice: options that select by these select nothing, though its facts
	 * have them. */
	uint8_t ignores;
	bool every_cpu;	   /* of groups by CPU: also those without facts that are recorded */
	const char *known; /* as in struct fold_scope */
	/* Keys that rows of this fold cannot be told apart by, though its facts may have them, and
	 * the table whose rows can. */
	const char *not_by, *instead;
	/* The rows are there, in order, not yet sorted: may add, change and remove some. n_seen:
	 * facts, selected or not. */
	int (*finish)(struct analysis_run *run, struct mer_table *t, uint64_t n_seen);
};

/* ---- parts: what a row was joined of, for functions ---- */

struct fold_parts; /* groups by all keys, those of `parts` too */
size_t fold_parts_n(const struct fold_parts *p);
const struct analysis_run *fold_parts_run(const struct fold_parts *p);
uint32_t fold_part_host(const struct fold_parts *p, size_t i);
/* The number of a key, FACT_UNKNOWN: none. */
int64_t fold_part_key(const struct fold_parts *p, size_t i, const char *key);
/* What the part has of a column that is a count, a sum or a greatest one. */
int64_t fold_part_sum(const struct fold_parts *p, size_t i, const char *column);
/* Of how many facts it is known. */
int64_t fold_part_count(const struct fold_parts *p, size_t i, const char *column);

/* ---- making tables ---- */

struct fold_plan;  /* of a fold and options: immutable, for all hosts */
struct fold_state; /* of a plan and a host */

struct fold_request {
	const struct fold *fold;
	const struct mer_column *columns; /* of the table, end with {0} */
	const struct analysis_options *options;
	/* options.filter may name what this table has not: then that is not known */
	bool other_columns;
};

/* NULL after an error. The plan's columns are in run->arena where they are not the request's,
 * because of options.group_by. run->world need not be there yet. */
int fold_plan_new(struct analysis_run *run, const struct fold_request *r, struct fold_plan **plan,
	struct mer_err *err);
/* Does options.group_by apply to it? Rows of single facts, and of all of them, stay what they
 * are. */
static inline bool fold_plan_groups_by(const struct fold *f)
{
	return f->shape != FOLD_ROWS && !f->is_fixed && (f->group || f->scopes);
}
/* Do options that select by this apply to it? */
bool fold_selects_by(const struct fold *f, enum fold_choice choice);
/* Are any of its facts about tasks, so that options that choose tasks apply to it? */
bool fold_has_tasks(const struct fold *f);
/* Do both add up the same, so that a state of one is a state of the other? */
bool fold_plan_adds_same(const struct fold_plan *a, const struct fold_plan *b);
void fold_plan_free(struct fold_plan *); /* NULL is fine */
const struct mer_column *fold_plan_columns(const struct fold_plan *p);
/* Whose facts: ends with NULL. */
const struct fact_kind *const *fold_plan_kinds(const struct fold_plan *p);

struct fold_state *fold_state_new(const struct fold_plan *p, uint32_t host); /* NULL: no memory */
void fold_state_free(struct fold_state *);
/* n facts of one kind of the host, one after the other. On any thread; a state on one at a time. */
int fold_add(struct fold_state *s, const struct kernel_host *h, const struct fact_kind *kind,
	const void *facts, size_t n, struct mer_err *err);
/* Does it need all facts, also those before and after the time that is looked at? */
bool fold_needs_all_time(const struct fold_plan *p);
/* Do facts wait until it is known whose they are? Then the engine keeps those of a kind and host,
 * for all states that they are for, and adds those of wanted tasks when all is read. */
bool fold_waits(const struct fold_plan *p);
struct fold_waiting;
struct fold_waiting *fold_waiting_new(const struct fact_kind *kind, uint32_t n_hosts);
bool fold_waiting_for(struct fold_waiting *w, struct fold_state *s); /* false: no memory */
void fold_waiting_free(struct fold_waiting *);			     /* NULL is fine */
int fold_waiting_take(struct fold_waiting *w, const struct kernel_host *h, const void *facts,
	size_t n, struct mer_err *err);
/* run->world is there. */
int fold_waiting_end(
	struct fold_waiting *w, const struct analysis_run *run, uint32_t host, struct mer_err *err);
/* states: by host, NULL: none. run->world is there. On one thread, once. */
int fold_emit(const struct fold_plan *p, struct analysis_run *run, struct fold_state *const *states,
	struct mer_table *t);

#endif
