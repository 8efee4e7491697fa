/* Options: what the user selected, and which parts of the time that includes. */
#ifndef MER_ANALYSIS_OPTIONS_H
#define MER_ANALYSIS_OPTIONS_H

#include "kernel/host.h"

struct analysis_partials;
struct analysis_periods;
struct analysis_run;
struct fact_host;
struct mer_cell;
struct mer_table;
struct trace_filter;

/* A part of the analyzed time: [begin, end), ns on the common time line. */
struct analysis_period {
	int64_t begin, end;
};

/* What the user selected; common to all analyses. Ranges include begin and exclude end. */
struct analysis_options {
	int64_t begin, end; /* ns, common time line; INT64_MIN, INT64_MAX: all */
	/* The parts of [begin, end) to analyze: separate, in order, none empty; n_periods 0: all
	 * of it. See below. */
	const struct analysis_period *periods;
	size_t n_periods;
	/* The periods whose union they are (period.h); NULL: they were not found by events. */
	const struct analysis_periods *found;
	int64_t min_ns, max_ns; /* durations that count (FOLD_BY_DURATION); 0, INT64_MAX: all */
	struct {
		bool are_limited;
		uint64_t min, max; /* bytes moved, for facts with a size (FOLD_BY_SIZE) */
	} sizes;
	uint64_t n_bins; /* output "bins": 0: by interval_ns */
	/* First and last event of all hosts, also of those that are read elsewhere: bins are of the
	 * time between them. */
	bool knows_events;
	int64_t first_event, last_event;
	int64_t interval_ns; /* width of a bin; 0: by n_bins */
	/* more bins are an error (MER_ERR_LIMIT); 0: ANALYSIS_MAX_BINS */
	uint64_t max_bins;
	/* Is this host, CPU or task selected? NULL: all are. Called from any thread. */
	bool (*wants_host)(void *ctx, uint32_t host);
	bool (*wants_cpu)(void *ctx, uint16_t cpu);
	bool (*wants_task)(void *ctx, const struct kernel_host *h, uint32_t task);
	/* The same for a thread that only the program's own events know (fact_kind.thread);
	 * NULL: as wants_task. */
	bool (*wants_thread)(void *ctx, const struct kernel_host *h, int64_t tid);
	/* Tasks are selected by name: all names that a task ever has apply from its begin on, so
	 * wants_task can only be called when everything has been read. */
	bool wants_names;
	/* Is something with this name selected (FOLD_BY_NAME)? Slow: use struct analysis_wanted. */
	bool (*wants_name)(void *ctx, const char *name);
	/* Makes facts of the requests in the world, which are found above this layer
	 * (facts/request.h; by_host: see fact_maker.of_world); NULL: there are none. */
	int (*requests)(void *ctx, struct fact_host *const *by_host, struct mer_err *err);
	void *ctx;
	/* For tables made by folds (fold.h): keys to group by instead of the fold's own,
	 * separated by blanks or commas; NULL: the fold's own. filter: only facts and rows that
	 * match; it may use fields of facts and columns of the tables; NULL: all. */
	const char *group_by;
	const struct trace_filter *filter;
	uint64_t limit;			    /* rows that log keeps while reading; 0: all */
	struct analysis_partials *partials; /* filled besides tables (partial.h); NULL: none */
	/* Takes rows of single facts (FOLD_ROWS) one by one, instead of their tables, which stay
	 * empty: of one host after the other, each in order. t: the table that it would be a row
	 * of, of run->analysis; texts of cells live until it returns. NULL: nobody does. */
	int (*take_row)(void *taker, const struct analysis_run *run, const struct mer_table *t,
		uint32_t host, const struct mer_cell *cells);
	void *taker;
	bool any_order; /* the taker needs no order, which saves sorting */
	/* Bit i: the taker looks at column i; the others may be empty. 0: at all. */
	uint64_t columns;
	/* the world keeps all spans, to find waits (blocked.h): 32 bytes each */
	bool keep_spans;
	/* leave out rows of the tracer's tasks, in analyses that support it: see n_tracer */
	bool without_tracer;
};

/* Do min_ns and max_ns exclude any duration? Then facts without a duration do not count either. */
static inline bool analysis_limits_durations(const struct analysis_options *o)
{
	return o->min_ns > 0 || o->max_ns < INT64_MAX;
}

/* Index of the first period that ends after t; n_periods: none. */
size_t analysis_period_after(const struct analysis_options *o, int64_t t);

/* Is this instant selected? */
static inline bool analysis_is_asked(const struct analysis_options *o, int64_t t)
{
	if (t < o->begin || t >= o->end)
		return false;
	if (o->n_periods == 0)
		return true;
	size_t i = analysis_period_after(o, t);
	return i < o->n_periods && t >= o->periods[i].begin;
}

/* The first selected part of [*begin, end): moves *begin to the begin of that part. False:
 * nothing is left. To visit all parts: for (int64_t t = begin, to; analysis_part(o, &t, end,
 * &to); t = to). */
static inline bool analysis_part(
	const struct analysis_options *o, int64_t *begin, int64_t end, int64_t *part_end)
{
	int64_t from = *begin > o->begin ? *begin : o->begin, to = end < o->end ? end : o->end;
	if (o->n_periods && from < to) {
		size_t i = analysis_period_after(o, from);
		const struct analysis_period *p = &o->periods[i];
		if (i == o->n_periods)
			return false;
		from = from > p->begin ? from : p->begin;
		to = to < p->end ? to : p->end;
	}
	*begin = from;
	*part_end = to;
	return from < to;
}

/* How much of [begin, end) is selected, ns. */
int64_t analysis_overlap(const struct analysis_options *o, int64_t begin, int64_t end);

#endif
