/* Analysis: one const struct and a few callbacks. Verbs, JSON, CSV, manual and (later) the page derive
 * from the struct; the engine runs any number of them in one reading.
 *
 * Each host has a state of its own, on a thread of its own; finish joins them to tables. What an analysis
 * may rely on: the callbacks of one host come in the order of time; names, tasks and calls of a host
 * (kernel/host.h) stay; spans are forgotten (kernel_span_kept) unless the run keeps them. */
#ifndef MER_ANALYSIS_ANALYSIS_H
#define MER_ANALYSIS_ANALYSIS_H

#include "analysis/options.h"
#include "analysis/table.h"
#include "base/pool.h"
#include "kernel/world.h"

struct analysis_run;

struct analysis_host { /* what the callbacks get as ctx */
	struct analysis_run *run;
	void *state;		 /* of this analysis and host, zeroed at first */
	uint32_t host;		 /* of the experiment */
	struct mer_arena *arena; /* of the host, for the run's life; not shared between threads */
	struct mer_err *err;	 /* to fill when a callback returns an error */
	uint32_t asked;		 /* bit i: outputs[i] is asked for; begin sees it */
};

struct analysis_output {
	const char *id;	   /* "top", "log", "freq", "stats", "bins" */
	const char *title; /* for people */
	const struct analysis_column *columns;
	const char *sort; /* key that rows are sorted by, the greatest first; NULL: as emitted */
};

struct analysis {
	const char *id;			       /* "cpu": the word on the command line */
	const char *title;		       /* "CPU usage" */
	const char *help;		       /* one line */
	uint32_t wants;			       /* enum kernel_wants */
	const struct analysis_output *outputs; /* ends with {0} */
	size_t state_size;
	/* ctx: struct analysis_host. Any may be NULL. Meanings as in kernel/observer.h. */
	struct kernel_observer on;
	int (*begin)(struct analysis_host *a);
	/* After the last event of the host: h->begin and h->end are known. */
	int (*end)(struct analysis_host *a, const struct kernel_host *h);
	/* On one thread: fills the table of this output. states: by host; hosts that are not wanted have
	 * empty ones. */
	int (*emit)(struct analysis_run *run, unsigned output, struct analysis_table *t);
	void (*free_state)(void *state);
};

extern const struct analysis *const analyses[]; /* ends with NULL */
const struct analysis *analysis_find(const char *id);
/* Its number; -1: it has no such output. */
int analysis_find_output(const struct analysis *a, const char *id);

struct analysis_run {
	struct mer_experiment *e;
	const struct analysis_options *options;
	struct kernel_world *world; /* while emit runs */
	struct mer_arena arena;	    /* for texts of tables */
	struct mer_err *err;
	const struct analysis *analysis; /* whose emit runs, and its states */
	void *const *states;		 /* by host */
};

/* Runs these in one reading; tables[i] is that of outputs[i] of analyses[i], to be freed with
 * analysis_table_fini; their texts live in run->arena. messages, r, n_threads, ...: as kernel_world_build.
 * analysis_run_fini in any case. */
struct analysis_request {
	const struct analysis *analysis;
	unsigned output;
};
int analysis_run(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct analysis_table *tables,
	struct mer_err *err);
void analysis_run_fini(struct analysis_run *run);

/* ---- helpers for analyses ---- */

static inline bool analysis_wants_task(
	const struct analysis_host *a, const struct kernel_host *h, uint32_t task)
{
	const struct analysis_options *o = a->run->options;
	return !o->wants_task || (task != KERNEL_NONE && o->wants_task(o->ctx, h, task));
}
static inline bool analysis_wants_cpu(const struct analysis_host *a, uint16_t cpu)
{
	const struct analysis_options *o = a->run->options;
	return !o->wants_cpu || o->wants_cpu(o->ctx, cpu);
}
/* Will rows of this output be asked for? What only others need need not be kept. */
static inline bool analysis_asks(const struct analysis_host *a, unsigned output)
{
	return a->asked >> output & 1;
}
/* What is looked at of a host: from begin to end of its recording, as far as the user asked for it. Its
 * length without what is between periods, ns; 0: nothing. */
int64_t analysis_range(const struct analysis_run *run, uint32_t host, int64_t *begin, int64_t *end);
/* Name of a host; of a task as it was last, in run->arena or the host's names. */
const char *analysis_host_name(const struct analysis_run *run, uint32_t host);
const char *analysis_comm(const struct analysis_run *run, uint32_t host, uint32_t task);
/* An element of a growing zeroed array, malloc'ed; NULL: no memory. */
void *analysis_at(void *array, size_t *cap, size_t i, size_t bytes_each);

/* Count, sum and spread of durations (or sizes) as they come; stddev of the sample (n - 1). */
struct analysis_stats {
	uint64_t n;
	int64_t min, max, total;
	double mean, m2;	/* Welford */
	int64_t min_at, max_at; /* when these began */
};
void analysis_stats_add(struct analysis_stats *s, int64_t value, int64_t at);
void analysis_stats_merge(struct analysis_stats *into, const struct analysis_stats *from);
double analysis_stats_stddev(const struct analysis_stats *s); /* NAN below two */

/* Counts by duration: powers of two and halves between, for histograms in bounded memory. */
enum { ANALYSIS_BUCKETS = 128 };
struct analysis_histogram {
	uint64_t n[ANALYSIS_BUCKETS];
};
unsigned analysis_bucket(int64_t ns);
int64_t analysis_bucket_begin(unsigned bucket); /* ns; it ends where the next begins */

#endif
