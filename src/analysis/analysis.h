/* Analysis: one const struct and a few callbacks. Verbs, JSON, CSV, the manual and the page
 * derive from the struct; the engine runs any number of them in one reading.
 *
 * Each host has a state of its own, on a thread of its own; emit joins them to tables. An
 * analysis may rely on this: callbacks of one host come in time order; names, tasks and calls of
 * a host (kernel/host.h) stay valid; spans are discarded (kernel_span_kept) unless the run keeps
 * them. */
#ifndef MER_ANALYSIS_ANALYSIS_H
#define MER_ANALYSIS_ANALYSIS_H

#include "analysis/options.h"
#include "base/grow.h"
#include "base/pool.h"
#include "base/table.h"
#include "kernel/world.h"

struct analysis_run;
struct analysis_bins; /* bins.h */
struct fact_kind;
struct fact_range; /* fact.h */
struct fold;	   /* fold.h */

enum { ANALYSIS_MAX_KINDS = 64 }; /* kinds of facts in a run */

struct analysis_host { /* what the callbacks get as ctx */
	struct analysis_run *run;
	void *state;   /* of this analysis and host, zeroed at first */
	uint32_t host; /* its number in the experiment */
	/* of this host, freed with the run; not shared between threads */
	struct mer_arena *arena;
	struct mer_err *err; /* to fill when a callback returns an error */
};

struct analysis_output {
	const char *id;	   /* "top", "log", "freq", "stats", "bins" */
	const char *title; /* shown to users */
	const struct mer_column *columns;
	/* key of the column to sort rows by, in descending order; NULL: as emitted */
	const char *sort;
	/* How the table is computed from facts; NULL: by the emit callback of the analysis. */
	const struct fold *fold;
	bool is_top; /* the verb top prints it, though its id does not say so */
	/* emit reads the traces itself, or needs data that only a reading of them gives */
	bool reads;
};

/* A chart of a table over time: which rows and columns to draw, and how. The columns that
 * identify a row (texts and numbers of things) name its series; rows with "all others" in comm
 * are the rest. */
struct analysis_chart {
	const char *title; /* e.g. "CPU usage by thread"; NULL: ends a list */
	const char *table; /* id of the output; NULL: "bins" */
	const char *y;	   /* what the axis counts; a unit is added */
	const char *of;	   /* only rows with this word in the column "of"; NULL: all rows */
	/* columns to draw, separated by blanks: each is a series for each name */
	const char *keys;
	/* column that the values are parts of: drawn in %; "time": per second; NULL: as they are */
	const char *per;
	/* An additional line named total_name: column `total` (a RATIO) of the rows whose "of"
	 * is total_of. NULL: none */
	const char *total_name, *total_of, *total;
	bool lines;   /* draw separate lines; otherwise the values add up and are stacked */
	bool by_host; /* one panel for each of the hosts with the greatest values */
	bool several; /* draw it only if there is more than one series */
	bool summary; /* also in the picture of the whole experiment */
};

/* An output that has moved to another analysis: users who give its old name get an error with the
 * new one. output: its old id; analysis, to: id of the analysis that has it now, and its id
 * there. */
struct analysis_moved {
	const char *output; /* NULL: ends a list */
	const char *analysis, *to;
};

struct analysis {
	const char *id;	   /* "cpu": the word on the command line */
	const char *was;   /* its former name, still accepted; NULL: none */
	const char *title; /* "CPU usage" */
	const char *help;  /* one line */
	uint64_t wants;	   /* as in struct kernel_observer */
	/* reads kernel_world.bridges, which must be collected in a separate reading */
	bool messages;
	/* Told events (kernel/told_events.h) without which it has nothing to say; ends with
	 * KERNEL_EV_NONE. NULL: session/capabilities.c says what it needs. */
	const uint8_t *needs;
	bool of_periods; /* uses options.found only: run.world is NULL */
	bool of_views;	 /* uses kernel_host.views, which stores do not keep */
	/* Bit i: rows of outputs[i] are single calls or waits, which may be idle (leave_out.h). */
	uint32_t calls;
	bool names_others; /* tasks in its rows are not the tasks that the rows are about */
	const char *names; /* what --name selects: "interrupt", "file or disk" */
	/* Keys of columns, separated by blanks, most important first: shown where a line has no
	 * room for all columns. Columns that identify the row come before them; all other
	 * columns follow in their order. NULL: none. */
	const char *worth;
	const struct analysis_output *outputs; /* ends with {0} */
	/* Ends with {0}; the first ones matter most. NULL: a chart for each column of "bins". */
	const struct analysis_chart *charts;
	const struct analysis_moved *moved; /* NULL: none */
	size_t state_size;
	/* ctx: struct analysis_host. Any may be NULL. Meanings as in kernel/observer.h. */
	struct kernel_observer on;
	/* After the last event of the host: h->begin and h->end are known. */
	int (*end)(struct analysis_host *a, const struct kernel_host *h);
	/* Called on one thread: fills the table of this output. states: by host; states of hosts
	 * that are not selected are empty. */
	int (*emit)(struct analysis_run *run, unsigned output, struct mer_table *t);
	void (*free_state)(void *state);
};

extern const struct analysis *const analyses[]; /* ends with NULL */
const struct analysis *analysis_find(const char *id);
/* Index of the output; -1: there is none with this id. */
int analysis_find_output(const struct analysis *a, const char *id);
/* NULL: it was never an output of this analysis, or still is. */
const struct analysis_moved *analysis_find_moved(const struct analysis *a, const char *id);

struct analysis_run {
	struct mer_experiment *e;
	const struct analysis_options *options;
	/* valid while emit runs; NULL if all analyses are about periods only */
	struct kernel_world *world;
	struct mer_arena arena;	    /* for texts of tables */
	struct analysis_bins *bins; /* in arena; NULL: not needed so far */
	struct mer_err *err;
	const struct analysis *analysis; /* the analysis whose emit runs, and its states */
	void *const *states;		 /* by host */
	bool has_source;		 /* the world belongs to an analysis_source */
	bool **tracer;	   /* by host, see analysis_tracer_of; NULL: not computed yet */
	uint64_t n_tracer; /* rows left out because of options.without_tracer */
};

/* Runs the requests in one reading. tables[i] is outputs[i] of analyses[i]; free it with
 * mer_table_fini. Its texts live in run->arena. For messages, r, n_threads, ... see
 * kernel_world_build. Call analysis_run_fini whatever the result. */
struct analysis_request {
	const struct analysis *analysis;
	unsigned output;
};
int analysis_run(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err);
void analysis_run_fini(struct analysis_run *run);

/* Facts computed earlier, and the world they are about: from a store. */
struct analysis_source {
	struct kernel_world *world; /* borrowed; outlives the run */
	void *ctx;
	/* Passes the facts of the kind and host that lie in the range to take (a fact_taker), in
	 * order. It may also pass others of that kind and host. Called from any thread. */
	int (*read)(void *ctx, uint32_t host, const struct fact_kind *kind,
		const struct fact_range *range,
		int (*take)(void *taker, const struct kernel_host *h, const void *facts, size_t n,
			struct mer_err *err),
		void *taker, struct mer_err *err);
};
/* Can all of these be computed from facts alone? */
bool analysis_is_of_facts(const struct analysis_request *requests, size_t n);
/* As analysis_run, but without reading the traces; only for requests that analysis_is_of_facts
 * accepts. */
int analysis_run_from(struct analysis_run *run, const struct analysis_source *source,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err);
/* Who keeps facts of these kinds as they are computed. */
struct analysis_keeper {
	const struct fact_kind *const *kinds; /* ends with NULL */
	void *ctx;
	/* What receives the facts of a host and kind, on the thread of the host; NULL: nothing
	 * does. */
	void *(*taker)(void *ctx, uint32_t host, const struct fact_kind *kind);
	int (*take)(void *taker, const struct kernel_host *h, const void *facts, size_t n,
		struct mer_err *err);
};
/* Computes facts only, no tables: keeper.kinds of all hosts. */
int analysis_read_facts(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_keeper *keeper, struct mer_err *err);
/* Does one of them use messages? If not, analysis_run does not need them. */
bool analysis_needs_messages(const struct analysis_request *requests, size_t n);

/* Is one of them about requests? Then options.requests finds them. */
bool analysis_needs_requests(const struct analysis_request *requests, size_t n);

/* ---- helpers for analyses ---- */

static inline bool analysis_wants_cpu(const struct analysis_host *a, uint16_t cpu)
{
	const struct analysis_options *o = a->run->options;
	return !o->wants_cpu || o->wants_cpu(o->ctx, cpu);
}
/* Which names of an analysis are selected, by number of the name; zeroed: not known yet for any
 * name. */
struct analysis_wanted {
	uint8_t *known; /* 1: no, 2: yes */
	size_t cap;
};
void analysis_wanted_fini(struct analysis_wanted *w);
/* The time range of a host that is analyzed: its recording, limited to the range that the user
 * selected. Returns its length without the gaps between periods, ns; 0: empty. */
int64_t analysis_range(const struct analysis_run *run, uint32_t host, int64_t *begin, int64_t *end);
/* Iterates over the CPUs of the host that were recorded and selected, including those without
 * events. *at: 0 at first. False: no more. A CPU may be returned twice. */
bool analysis_next_cpu(const struct analysis_host *a, uint32_t *at, uint16_t *cpu);
/* All recorded CPUs, selected or not: for makers of facts. h: the host as far as it was read;
 * NULL: only CPUs that packets name. */
bool analysis_next_cpu_of(const struct mer_experiment *e, const struct kernel_host *h,
	uint32_t host, uint32_t *at, uint16_t *cpu);
/* Did the task live for less than a second? Then the cost of starting it matters. */
bool analysis_is_brief(const struct kernel_task *t);
/* Name of a host; last name of a task, in run->arena or in the host's names. */
const char *analysis_host_name(const struct analysis_run *run, uint32_t host);
const char *analysis_comm(const struct analysis_run *run, uint32_t host, uint32_t task);

/* Count, sum and spread of durations (or sizes) as they come; stddev of the sample (n - 1). */
struct analysis_stats {
	uint64_t n;
	int64_t min, max, total;
	double mean, m2;	/* Welford */
	int64_t min_at, max_at; /* begin of the shortest and of the longest one */
};
void analysis_stats_add(struct analysis_stats *s, int64_t value, int64_t at);
double analysis_stats_stddev(const struct analysis_stats *s); /* NAN below two */

/* Counts by duration. Bucket limits are the powers of two and the midpoints between them, so a
 * histogram has bounded size. */
enum { ANALYSIS_BUCKETS = 128 };
struct analysis_histogram {
	uint64_t n[ANALYSIS_BUCKETS];
};
unsigned analysis_bucket(int64_t ns);
/* ns; a bucket ends where the next one begins */
int64_t analysis_bucket_begin(unsigned bucket);

#endif
