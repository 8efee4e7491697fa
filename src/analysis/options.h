/* Options: what the user asked for, and what of the time that is. */
#ifndef MER_ANALYSIS_OPTIONS_H
#define MER_ANALYSIS_OPTIONS_H

#include "kernel/host.h"

struct analysis_periods;
struct trace_filter;

/* A part of the time that is looked at: [begin, end), ns on the common time line. */
struct analysis_period {
	int64_t begin, end;
};

/* What the user asked for; common to all analyses. Ranges are inclusive of begin, exclusive of
 * end. */
struct analysis_options {
	int64_t begin, end; /* ns, common time line; INT64_MIN, INT64_MAX: all */
	/* Parts of [begin, end) that are looked at, apart from each other and in order, none empty;
	 * n_periods 0: all of it. See below. */
	const struct analysis_period *periods;
	size_t n_periods;
	/* What they are the union of (period.h); NULL: they were not found by events. */
	const struct analysis_periods *found;
	int64_t min_ns, max_ns; /* durations that count (FOLD_BY_DURATION); 0, INT64_MAX: all */
	struct {
		bool are_limited;
		uint64_t min, max; /* bytes that these moved, if so (FOLD_BY_SIZE) */
	} sizes;
	uint64_t n_bins;     /* output "bins": 0: by interval_ns */
	int64_t interval_ns; /* width of a bin; 0: by n_bins */
	uint64_t max_bins;   /* more are an error (MER_ERR_LIMIT); 0: ANALYSIS_MAX_BINS */
	/* Is this host, CPU, task wanted? NULL: all are. From any thread. */
	bool (*wants_host)(void *ctx, uint32_t host);
	bool (*wants_cpu)(void *ctx, uint16_t cpu);
	bool (*wants_task)(void *ctx, const struct kernel_host *h, uint32_t task);
	/* The same of a thread that only the program's own events know (fact_kind.thread); NULL as
	 * wants_task. */
	bool (*wants_thread)(void *ctx, const struct kernel_host *h, int64_t tid);
	/* It goes by names: all that a task ever has count from its begin on, so it is called when
	 * all is read. */
	bool wants_names;
	/* And what is called so (FOLD_BY_NAME)? Not fast: see struct analysis_wanted. */
	bool (*wants_name)(void *ctx, const char *name);
	void *ctx;
	/* Of tables that folds make (fold.h): keys to group by instead of theirs, blanks or commas
	 * between; NULL: theirs. Only what this holds for: fields of facts, columns of the tables;
	 * NULL: all. */
	const char *group_by;
	const struct trace_filter *filter;
	uint64_t limit;	 /* rows that log keeps while it reads; 0: all */
	bool keep_spans; /* the world keeps all of them, for waits (blocked.h): 32 bytes each */
	/* rows of its tasks are left out, of analyses that can: see n_tracer */
	bool without_tracer;
};

/* Do min_ns and max_ns leave durations out? Then what has none does not count either. */
static inline bool analysis_limits_durations(const struct analysis_options *o)
{
	return o->min_ns > 0 || o->max_ns < INT64_MAX;
}

/* The first period that ends after t; n_periods: none does. */
size_t analysis_period_after(const struct analysis_options *o, int64_t t);

/* Was this instant asked for? */
static inline bool analysis_is_asked(const struct analysis_options *o, int64_t t)
{
	if (t < o->begin || t >= o->end)
		return false;
	if (o->n_periods == 0)
		return true;
	size_t i = analysis_period_after(o, t);
	return i < o->n_periods && t >= o->periods[i].begin;
}

/* The first part of [*begin, end) that was asked for: moves begin to where it begins. False:
 * nothing is left. All parts: for (int64_t t = begin, to; analysis_part(o, &t, end, &to); t =
 * to). */
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

/* How much of [begin, end) was asked for, ns. */
int64_t analysis_overlap(const struct analysis_options *o, int64_t begin, int64_t end);

#endif
