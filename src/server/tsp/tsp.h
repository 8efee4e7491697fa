/* Trace Server Protocol (spec 0.6), which the trace viewers of VS Code and Theia speak: it
 * presents this server's traces as outputs of that protocol. Shared by the files of this folder.
 *
 *   route.c ── endpoints.c   finds the handler, checks access, forms of answers
 *           ├─ query.c       parses requests; chosen.c, filter.c which states match
 *           ├─ traces.c      traces, the experiment, health
 *           ├─ outputs.c     list of outputs ───────┬ threads.c, cpus.c  timelines: states.c,
 *           │                                       │   arrows.c, tooltip.c, style.c, marks.c,
 *           │                                       │   bookmarks.c
 *           │                                       ├ irqs.c, requests.c, vcpus.c, ranks.c  more
 *           │                                       ├ critical.c         path of a task
 *           │                                       ├ usage.c, disks.c, histogram.c  charts
 *           │                                       ├ latencies.c        how long things took when
 *           │                                       ├ durations.c        charts by duration
 *           │                                       ├ tables.c           tables of the program
 *           │                                       └ events.c           events, by index.c
 *           ├─ question.c    asks the program
 *           └─ reply.c       JSON as the clients want it
 *
 * Nothing is computed here: states are lanes of the session, tables are answers to questions.
 * Times are on the common clock. While the traces are read, requests for a model are answered
 * RUNNING, without a model, and clients ask again. */
#ifndef MER_SERVER_TSP_TSP_H
#define MER_SERVER_TSP_TSP_H

#include "base/json.h"
#include "server/state.h"
#include "server/tsp/chosen.h"
#include "server/tsp/endpoints.h"
#include "server/tsp/query.h"
#include "session/tasks.h"

struct tsp_output;
struct tsp_state;
struct tsp_kept_answer;

struct tsp { /* a request */
	struct server *s;
	struct tsp_state *state;
	const struct http_request *r;
	struct tsp_match m;
	struct tsp_query q;
	struct tsp_chosen chosen; /* which states match; set for requests for states */
	struct mer_arena arena;
	struct mer_json j;	      /* the answer */
	struct server_traces *traces; /* for TSP_MODEL: in exclusive use by this request; else
					 NULL */
	/* Set by a handler whose answer is incomplete, so that clients ask again; NULL: it is
	 * complete. */
	const char *running;
	const char *message; /* message sent with the model; NULL: none */
	unsigned status;     /* HTTP status of an error, instead of the one for its code; 0: none */
};

tsp_handler tsp_health, tsp_identifier, tsp_nothing;
tsp_handler tsp_traces, tsp_open_trace, tsp_trace;
tsp_handler tsp_experiments, tsp_make_experiment, tsp_experiment;
tsp_handler tsp_outputs, tsp_output, tsp_derive, tsp_forget, tsp_config_types, tsp_config_type;
tsp_handler tsp_tree, tsp_states, tsp_arrows, tsp_tooltip, tsp_xy, tsp_generic_xy, tsp_xy_tooltip;
tsp_handler tsp_columns, tsp_lines, tsp_style;
tsp_handler tsp_marker_sets, tsp_annotation_categories, tsp_annotations;
tsp_handler tsp_bookmarks, tsp_make_bookmark, tsp_bookmark, tsp_change_bookmark, tsp_drop_bookmark;

/* ---- What lives as long as the server: state.c ---- */

/* *state is a struct tsp_state. */
int tsp_state_new(struct server *s, void **state, struct mer_err *err);
void tsp_state_free(void *state);
/* Called when the index of events may be made; nothing else is prepared in advance. */
void tsp_state_start(const struct tsp *t);

/* ---- Questions: question.c ---- */

enum { TSP_QUESTION_WORDS = 2 };
struct tsp_question {
	const char *words[TSP_QUESTION_WORDS]; /* a verb; then NULL, or what it asks about */
	const struct session_window *window;   /* NULL: the whole recording */
	uint32_t limit;			       /* rows; 0: as many as the verb shows */
	uint32_t n_bins;		       /* 0: none are asked for */
};

/* The table of the answer with this id (NULL: the first one); it has neither columns nor rows if
 * the answer lacks it. It is valid until as many other questions as TSP_SURELY_KEPT are asked, or
 * the traces are no longer in use; nobody frees it. NULL and err: there is no answer. */
enum { TSP_SURELY_KEPT = 4 };
const struct mer_result *tsp_ask(
	struct tsp *t, const struct tsp_question *q, const char *id, struct mer_err *err);
void tsp_answers_free(struct tsp_kept_answer *first);

/* ---- Outputs ---- */

struct tsp_output {
	const char *id, *name, *help;
	const char *type; /* "TIME_GRAPH", ... */
	/* Can the traces have data for this output? NULL: always. Also called before the traces
	 * are read. */
	bool (*is_there)(const struct mer_experiment *e);
	/* NULL: the output has no such answer. All are called with the session in use. */
	tsp_handler *tree, *states, *arrows, *tooltip, *xy, *columns, *lines, *style, *marks;
	tsp_handler *generic_xy;  /* for a chart whose x axis is not time */
	struct tsp_question asks; /* of a table of the program */
	const char *table;	  /* its id; NULL: the first one of the answer */
	bool is_of_all;		  /* of the whole recording, whatever window is requested */
};
extern const struct tsp_output tsp_tables[]; /* ends with {0} */

/* The output that a request names; NULL and err: there is none. Derived outputs use the handlers
 * of the output that they come from. */
const struct tsp_output *tsp_output_of(struct tsp *t, struct mer_err *err);
/* Checks that the request names the experiment's UUID; otherwise sets err and status 404. */
int tsp_check_experiment(struct tsp *t, struct mer_err *err);
int tsp_not_there(struct tsp *t, struct mer_err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

tsp_handler tsp_threads_tree, tsp_threads_states, tsp_threads_arrows, tsp_threads_tooltip;
tsp_handler tsp_cpus_tree, tsp_cpus_states, tsp_cpus_tooltip, tsp_lane_style;
tsp_handler tsp_critical_tree, tsp_critical_states, tsp_critical_arrows, tsp_critical_tooltip;
tsp_handler tsp_critical_style;
tsp_handler tsp_usage_tree, tsp_usage_xy, tsp_disks_tree, tsp_disks_xy;
tsp_handler tsp_irqs_tree, tsp_irqs_states;
tsp_handler tsp_requests_tree, tsp_requests_states, tsp_request_style;
tsp_handler tsp_vcpus_tree, tsp_vcpus_states, tsp_vcpus_tooltip, tsp_vcpu_style;
tsp_handler tsp_ranks_tree, tsp_ranks_states, tsp_ranks_arrows, tsp_ranks_tooltip, tsp_rank_style;
bool tsp_has_vcpus(const struct mer_experiment *e);
bool tsp_has_ranks(const struct mer_experiment *e);
/* Their ids: this, and "requests" or the word of the analysis. */
#define TSP_LATENCIES "meridian.latencies."
tsp_handler tsp_latencies_tree, tsp_latencies_xy;
tsp_handler tsp_histogram_tree, tsp_histogram_xy;
/* Their ids: this, and the word of the analysis. */
#define TSP_DURATIONS "meridian.freq."
tsp_handler tsp_durations_tree, tsp_durations_xy;
tsp_handler tsp_table_tree, tsp_event_columns, tsp_event_lines;
tsp_handler tsp_loss_marks, tsp_cpu_loss_marks;

/* ---- Entries: rows of trees; an entry has the same number in all answers ---- */

enum tsp_kind {
	TSP_HOST,
	TSP_PROCESS, /* by pid: a process whose first thread was not recorded */
	TSP_TASK,
	TSP_CPU,
	TSP_PATH, /* a row of a critical path, by tid; KERNEL_ROW (critical.c): the host's kernel */
	TSP_DISK,
	TSP_READS, /* of a disk */
	TSP_WRITES,
	TSP_IRQ,     /* an interrupt handler */
	TSP_REQUEST, /* a row of a kind of requests */
	TSP_VCPU,    /* by tid on the hypervisor host */
	TSP_PROGRAM, /* an MPI program */
	TSP_RANK,    /* a line of an MPI program (mpi/run.h) */
	TSP_LATENCY, /* a latency: latencies.c */
	TSP_MEDIAN,
	TSP_LONGEST,
	TSP_N_KINDS
};
/* With at most this many hosts, entry numbers fit what clients can hold. */
enum { TSP_KIND_BITS = 4, TSP_MAX_HOSTS = 1 << 13 };
/* Less than 10^15, so that the clients' JSON readers keep it exact. */
static inline int64_t tsp_entry(enum tsp_kind kind, uint32_t host, uint32_t number)
{
	return ((((int64_t)host << TSP_KIND_BITS) + kind) << 32 | number) + 1;
}
/* Splits an entry number into its parts; false: no entry has this number. */
bool tsp_entry_parts(
	const struct tsp *t, int64_t id, enum tsp_kind *kind, uint32_t *host, uint32_t *number);

/* ---- Sessions ---- */

/* The experiment with aligned clocks. Without the session in use, only what never changes. */
struct mer_experiment *tsp_experiment_of(const struct tsp *t);
/* The requested time window, [begin, end); the whole recording if none was requested. */
struct session_window tsp_window(const struct tsp *t);
/* The world, for queries about this window. */
int tsp_world(struct tsp *t, struct session_world *w, struct mer_err *err);
/* Called in the middle of long work: lets waiting requests use the session first. No part of a
 * world may be in use. */
int tsp_let_others(struct tsp *t, struct mer_err *err);
/* The number of bins for a picture of n rows. */
uint32_t tsp_bins(const struct tsp *t, size_t n_rows);
/* The host of this name; KERNEL_NONE: there is none. */
uint32_t tsp_host(const struct mer_experiment *e, const char *name);

struct tsp_table { /* a table of an analysis; zero: the analysis' default */
	const char *analysis, *table;
	const struct session_window *window; /* NULL: the whole recording */
	const char *group_by;
	uint64_t limit, n_bins;
};
int tsp_read_table(
	struct tsp *t, const struct tsp_table *which, struct mer_result **r, struct mer_err *err);
/* Cells of a result, by column key; "" or none: unknown. */
const char *tsp_cell_text(const struct mer_result *r, size_t row, const char *key);
int64_t tsp_cell_int(const struct mer_result *r, size_t row, const char *key, int64_t none);

/* ---- Replies: reply.c ---- */

/* Writes a number in at most 15 characters, as clients fail on longer ones. */
void tsp_put_real(struct mer_json *j, double v);
/* Writes {"id", "parentId", "labels", "start", "end", "hasData", as far as they are given;
 * the caller closes the object, so it can add members. parent: -1: none. begin > end: no
 * times. */
void tsp_begin_entry(struct mer_json *j, int64_t id, int64_t parent, const char *const *labels,
	size_t n_labels, int64_t begin, int64_t end, bool has_data);
struct tsp_header {
	const char *name, *help, *type; /* "STRING", "NUMBER", "DURATION", "TIMESTAMP" */
};
/* {"headers": [...], "autoExpandLevel": n, "entries": [ ... which tsp_end_tree closes. */
void tsp_begin_tree(struct mer_json *j, const struct tsp_header *h, size_t n, int expand);
void tsp_end_tree(struct mer_json *j);
/* {"entryId": id, "states": [ ... which tsp_end_row closes. */
void tsp_begin_row(struct mer_json *j, int64_t id);
void tsp_end_row(struct mer_json *j);
/* Writes a state, cut to the window, unless the filters leave it out; label NULL: none. States
 * narrower than the row's width are written only once per width and tag (struct tsp_shown). False:
 * it is not written. */
struct tsp_state_of {
	int64_t begin, end;
	const char *label, *style;
	struct tsp_facts facts; /* label, state and duration are filled in */
};
struct tsp_shown { /* of a row */
	struct session_window window;
	int64_t width, until[TSP_DIMMED + 1];
};
/* w NULL: states are not cut. */
struct tsp_shown tsp_shown(const struct session_window *w, int64_t width);
bool tsp_put_state(struct tsp *t, struct tsp_shown *shown, struct tsp_state_of *s);
/* Writes "tags" (dimmed, left out) unless it is 0. */
void tsp_put_tag(struct mer_json *j, unsigned tag);
/* "style": {"parentKey": key, "values": {}} */
void tsp_put_style(struct mer_json *j, const char *key);
/* {"seriesId", "seriesName", descriptions, "xValues", "yValues"} */
struct tsp_series {
	int64_t id;
	const char *name, *y_label, *y_unit;
	const int64_t *x;
	const double *y;
	size_t n;
	bool is_duration;  /* y is ns */
	bool is_scattered; /* points, with nothing between them */
};
void tsp_put_series(struct mer_json *j, const struct tsp_series *s);
/* A member of a tooltip: "1.53 s". */
void tsp_put_duration(struct mer_json *j, const char *key, int64_t ns);
/* "12:34:56.789012345", UTC */
void tsp_put_clock(struct mer_str *out, int64_t ns);

#endif
