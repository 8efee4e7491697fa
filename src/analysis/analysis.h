/* Analysis: one const struct and a few callbacks. Verbs, JSON, CSV, manual and (later) the page
 * derive from the struct; the engine runs any number of them in one reading.
 *
 * Each host has a state of its own, on a thread of its own; emit joins them to tables. What an
 * analysis may rely on: the callbacks of one host come in the order of time; names, tasks and
 * calls of a host (kernel/host.h) stay; spans are forgotten (kernel_span_kept) unless the run
 * keeps them. */
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

enum { ANALYSIS_MAX_KINDS = 64 }; /* of facts, in a run */

struct analysis_host { /* what the callbacks get as ctx */
	struct analysis_run *run;
	void *state;		 /* of this analysis and host, zeroed at first */
	uint32_t host;		 /* of the experiment */
	struct mer_arena *arena; /* of the host, for the run's life; not shared between threads */
	struct mer_err *err;	 /* to fill when a callback returns an error */
};

struct analysis_output {
	const char *id;	   /* "top", "log", "freq", "stats", "bins" */
	const char *title; /* for people */
	const struct mer_column *columns;
	const char *sort; /* key that rows are sorted by, the greatest first; NULL: as emitted */
	/* How it is made of facts; NULL: the analysis' emit makes it. */
	const struct fold *fold;
	bool is_top; /* the verb top prints it, though its id does not say so */
	bool reads;  /* emit reads the traces, and what only a reading of them knows */
};

/* A chart of a table over time: which rows and columns it draws, and how. What tells rows from each
 * other (columns of text and numbers of things) names its series; "all others" in comm are the
 * rest. */
struct analysis_chart {
	const char *title; /* "CPU usage by thread"; NULL: ends a list */
	const char *table; /* id of the output; NULL: "bins" */
	const char *y;	   /* what the axis counts; a unit is added */
	const char *of;	   /* rows whose column "of" says so; NULL: all */
	const char *keys;  /* columns, blanks between: each a series for each name */
	const char *per; /* column that values are parts of: drawn in %; "time": per second; NULL */
	/* Besides, a line of this name: this column (a RATIO) of such rows; NULL: none */
	const char *total_name, *total_of, *total;
	bool lines;   /* levels beside each other; otherwise they sum up and are stacked */
	bool by_host; /* a panel for each of the hosts that have most */
	bool several; /* only where there is more than one series */
	bool summary; /* also in the picture of the whole experiment */
};

/* A table that another analysis has now: whoever names it learns that. */
struct analysis_moved {
	const char *output; /* NULL: ends a list */
	const char *analysis, *to;
};

struct analysis {
	const char *id;	   /* "cpu": the word on the command line */
	const char *was;   /* the word before, still understood; NULL: none */
	const char *title; /* "CPU usage" */
	const char *help;  /* one line */
	uint32_t wants;	   /* enum kernel_wants */
	/* looks at kernel_world.bridges: they must be gathered, in a reading of its own */
	bool messages;
	/* Bit i: outputs[i] is about time slices as wholes, also those that end after the time
	 * asked about. */
	uint32_t slices;
	bool of_periods; /* of options.found alone: run.world is NULL */
	bool of_views;	 /* of kernel_host.views: no store has its facts */
	/* Bit i: rows of outputs[i] are single calls, which may be nothing but idle waits
	 * (leave_out.h). */
	uint32_t calls;
	bool names_others; /* tasks in its rows are not those that the rows are about */
	const char *names; /* what has these names: "interrupt", "file or disk" */
	/* Keys of columns, blanks between, the one that matters most first: what people see where a
	 * line has no room for all. Who or what a row is about comes before them, and columns that
	 * are not here after them, in their order. NULL: none. */
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
	/* On one thread: fills the table of this output. states: by host; hosts that are not wanted
	 * have empty ones. */
	int (*emit)(struct analysis_run *run, unsigned output, struct mer_table *t);
	void (*free_state)(void *state);
};

extern const struct analysis *const analyses[]; /* ends with NULL */
const struct analysis *analysis_find(const char *id);
/* Its number; -1: it has no such output. */
int analysis_find_output(const struct analysis *a, const char *id);
/* NULL: it never had it, or has it still. */
const struct analysis_moved *analysis_find_moved(const struct analysis *a, const char *id);

struct analysis_run {
	struct mer_experiment *e;
	const struct analysis_options *options;
	struct kernel_world *world; /* while emit runs; NULL: only analyses of periods are */
	struct mer_arena arena;	    /* for texts of tables */
	struct analysis_bins *bins; /* in arena; NULL: nobody has asked for them yet */
	struct mer_err *err;
	const struct analysis *analysis; /* whose emit runs, and its states */
	void *const *states;		 /* by host */
	bool has_source;		 /* the world belongs to it */
	bool **tracer;	   /* by host, see analysis_tracer_of; NULL: nobody has asked yet */
	uint64_t n_tracer; /* rows that were left out because of options.without_tracer */
};

/* Runs these in one reading; tables[i] is that of outputs[i] of analyses[i], to be freed with
 * mer_table_fini; their texts live in run->arena. messages, r, n_threads, ...: as
 * kernel_world_build. analysis_run_fini in any case. */
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

/* Facts that were made before, and the world that they are about: of a store. */
struct analysis_source {
	struct kernel_world *world; /* borrowed; longer there than the run */
	void *ctx;
	/* Hands those of the kind and host that are needed to take (a fact_taker), in their order;
	 * others may be among them, and are if there are no needed ones. From any thread. */
	int (*read)(void *ctx, uint32_t host, const struct fact_kind *kind,
		const struct fact_range *range,
		int (*take)(void *taker, const struct kernel_host *h, const void *facts, size_t n,
			struct mer_err *err),
		void *taker, struct mer_err *err);
};
/* Are all of these made of nothing but facts? */
bool analysis_is_of_facts(const struct analysis_request *requests, size_t n);
/* analysis_run without reading, of such requests. */
int analysis_run_from(struct analysis_run *run, const struct analysis_source *source,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err);
/* Does it look at what is reported while events are read? */
bool analysis_listens(const struct analysis *a);
/* What is needed to have them from a part of the traces (kernel_world_options.window). */
struct analysis_part {
	uint32_t kind; /* from which states */
	bool slices;   /* time slices have to end, too */
	bool bridges;  /* packets between hosts are looked at */
	/* Facts that have to be there already (struct analysis_kept), each once; ends with NULL. */
	const struct fact_kind *kept[ANALYSIS_MAX_KINDS + 1];
};
/* False: all has to be read. */
bool analysis_reads_part(
	const struct analysis_request *requests, size_t n, struct analysis_part *part);

/* Facts of kinds that cannot be made of a part of the traces: those of an earlier reading of
 * everything; or they are made now, and handed on to who keeps them. */
struct analysis_kept {
	const struct fact_kind *const *kinds; /* ends with NULL */
	void *ctx;
	/* As analysis_source.read. h NULL: of kinds that others follow from (fact_origin), before
	 * anything is known of the host. read NULL: they are made now. */
	int (*read)(void *ctx, uint32_t host, const struct kernel_host *h,
		const struct fact_kind *kind, const struct fact_range *range,
		int (*take)(void *taker, const struct kernel_host *h, const void *facts, size_t n,
			struct mer_err *err),
		void *taker, struct mer_err *err);
	/* Then: who gets each of them, on the thread of its host; NULL: nobody. */
	void *(*taker)(void *ctx, uint32_t host, const struct fact_kind *kind);
	int (*take)(void *taker, const struct kernel_host *h, const void *facts, size_t n,
		struct mer_err *err);
};
/* analysis_run, with them. */
int analysis_run_kept(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, const struct analysis_kept *kept,
	struct mer_table *tables, struct mer_err *err);
/* Facts alone, without tables: kept.kinds of all hosts, handed on as they are made. */
int analysis_read_facts(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_kept *kept, struct mer_err *err);
/* Does one of them look at messages? Otherwise analysis_run does not need them. */
bool analysis_needs_messages(const struct analysis_request *requests, size_t n);

/* ---- helpers for analyses ---- */

static inline bool analysis_wants_cpu(const struct analysis_host *a, uint16_t cpu)
{
	const struct analysis_options *o = a->run->options;
	return !o->wants_cpu || o->wants_cpu(o->ctx, cpu);
}
/* Which names of an analysis are asked for, by their numbers; zeroed: of none is it known yet. */
struct analysis_wanted {
	uint8_t *known; /* 1: no, 2: yes */
	size_t cap;
};
void analysis_wanted_fini(struct analysis_wanted *w);
/* What is looked at of a host: from begin to end of its recording, as far as the user asked for it.
 * Its length without what is between periods, ns; 0: nothing. */
int64_t analysis_range(const struct analysis_run *run, uint32_t host, int64_t *begin, int64_t *end);
/* The CPUs of the host that are recorded and wanted, also those without events. *at: 0 at first.
 * False: no more of them; one may come again. */
bool analysis_next_cpu(const struct analysis_host *a, uint32_t *at, uint16_t *cpu);
/* All that are recorded, wanted or not: for makers of facts. h: the host as far as it was read;
 * NULL: then only those that packets name. */
bool analysis_next_cpu_of(const struct mer_experiment *e, const struct kernel_host *h,
	uint32_t host, uint32_t *at, uint16_t *cpu);
/* Did the task live for less than a second? Then what it cost to start it counts. */
bool analysis_is_brief(const struct kernel_task *t);
/* Name of a host; of a task as it was last, in run->arena or the host's names. */
const char *analysis_host_name(const struct analysis_run *run, uint32_t host);
const char *analysis_comm(const struct analysis_run *run, uint32_t host, uint32_t task);

/* Count, sum and spread of durations (or sizes) as they come; stddev of the sample (n - 1). */
struct analysis_stats {
	uint64_t n;
	int64_t min, max, total;
	double mean, m2;	/* Welford */
	int64_t min_at, max_at; /* when these began */
};
void analysis_stats_add(struct analysis_stats *s, int64_t value, int64_t at);
double analysis_stats_stddev(const struct analysis_stats *s); /* NAN below two */

/* Counts by duration: powers of two and halves between, for histograms in bounded memory. */
enum { ANALYSIS_BUCKETS = 128 };
struct analysis_histogram {
	uint64_t n[ANALYSIS_BUCKETS];
};
unsigned analysis_bucket(int64_t ns);
int64_t analysis_bucket_begin(unsigned bucket); /* ns; it ends where the next begins */

#endif
