/* Sessions of libmeridian: traces with aligned clocks, and queries on them: tables, tasks, the
 * path of a task.
 *
 *   mer_session_new → mer_session_open → mer_session_synchronize → mer_session_table, _tasks,
 *   _path, _blocked, ...
 *
 * Every query returns a result: a table whose columns are found by their keys. All times are
 * int64_t nanoseconds: instants since 1970-01-01 UTC on the clock of the reference host once the
 * clocks are aligned, durations as they are. The unit of a column is mer_result_unit.
 *
 * Ownership: a handle that a function returns by pointer is freed by the caller with the function
 * that its description names. Texts that are returned belong to the handle that was passed in.
 * Texts and lists that are passed in are copied.
 *
 * Options are structs that begin with their size: zero the struct, set size to its sizeof, then
 * set the members that differ from the default (MER_OPTIONS of meridian.h does the first two).
 * Later versions of the library add members at the end only, so programs built with this header go
 * on working. NULL is the same as all defaults.
 *
 * Errors: functions that can fail return 0 or a negative enum mer_err_code, and fill *err (which
 * may be NULL) with a sentence. *result and other outputs are NULL then. Any of them can return
 * MER_ERR_NOMEM and MER_ERR_BUG, and those that read traces MER_ERR_SYS, MER_ERR_LIMIT and
 * MER_ERR_CANCELLED; other codes are listed with each function. Damaged traces are not an error:
 * see mer_session_diagnostics.
 *
 * Threads: a session may be used by only one thread at a time, but by any thread. It reads on
 * several threads of its own. Only mer_session_cancel and mer_session_progress may be called at
 * any time from any thread. Different sessions are independent of each other. A result does not
 * change: any number of threads may read it. */
#ifndef MERIDIAN_SESSION_H
#define MERIDIAN_SESSION_H

#include <meridian/meridian.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Version ---- */

/* The version of this header, as a number that can be compared: 1.1.0 is 10100. */
#define MER_VERSION_MAJOR 1
#define MER_VERSION_MINOR 1
#define MER_VERSION_PATCH 0
#define MER_VERSION (MER_VERSION_MAJOR * 10000 + MER_VERSION_MINOR * 100 + MER_VERSION_PATCH)

/* The version of the library that the program runs with, as MER_VERSION. Cannot fail. */
int mer_version(void);
/* The same as text: "1.1.0". The text is constant. */
const char *mer_version_text(void);

/* ---- Session ---- */

struct mer_session;

enum mer_clocks {	     /* how clocks are aligned */
	MER_CLOCKS_AUTO,     /* by the messages between the hosts; a single host needs none */
	MER_CLOCKS_RECORDED, /* not aligned: each host keeps its own clock */
	MER_CLOCKS_SAVED     /* from clocks_file, written by `meridian sync --save` */
};

struct mer_session_options {
	size_t size;
	uint32_t clocks;	 /* enum mer_clocks */
	uint32_t n_threads;	 /* threads that read traces; 0: one per CPU */
	const char *clocks_file; /* for MER_CLOCKS_SAVED */
	/* Cache between sessions: clock alignment, stores. Created when something is written. NULL:
	 * nothing is kept. */
	const char *cache_folder;
	/* A store in cache_folder is used if there is one; it makes answers faster, and does not
	 * change them. It is written for the second question about the same traces and clocks, if
	 * they have 4 MB or more and the disk has room for it: each mer_ask is a question, all
	 * other queries of a session together are one. store: for the first one, if there is
	 * none. */
	bool store;
	bool ignore_uuid; /* as in mer_open_options */
	/* Called when a stage of work begins (stage is its name, such as "reading") and ends
	 * (NULL), on the thread that called the library. It must not call functions of the session
	 * other than mer_session_cancel and mer_session_progress. NULL: not called. */
	void (*progress)(void *progress_data, const char *stage);
	void *progress_data;
	/* There will be only one query: what it needed is released at once, which saves memory. A
	 * second one reads the traces again. */
	bool once;
	/* Data that grows with the traces takes memory_bytes at most; the rest goes to a temporary
	 * file in the first of these folders that has room. No folder: all of it stays in
	 * memory. */
	uint64_t memory_bytes;
	const char *const *temporary_folders;
	size_t n_temporary_folders;
	/* mer_session_diagnostics leaves out the findings of the clock alignment. */
	bool no_clock_findings;
	bool no_store; /* answers always come from the traces */
	/* For MER_CLOCKS_AUTO: hosts that are virtual machines of a process on another host, each
	 * as "GUEST=HOST:PID". Guests that are not listed are detected. */
	const char *const *vms;
	size_t n_vms;
	/* View files, or names of built-in views ("mpi"): they define states of programs, for the
	 * analysis "view" and for what tasks did. Read by mer_session_open. */
	const char *const *views;
	size_t n_views;
	uint64_t clock_wrap_ns; /* as in mer_open_options */
	uint32_t clock_wrap_bits;
};

/* A session for these traces; nothing is opened yet. paths: traces (folders with a file
 * `metadata`), or folders that have traces in them. *session is freed with mer_session_free.
 * MER_ERR_USAGE: no path; a size or value in options that this version of the library does not
 * know. */
int mer_session_new(const char *const *paths, size_t n_paths,
	const struct mer_session_options *options, struct mer_session **session,
	struct mer_err *err);
/* Frees a session, after all results of it. NULL is allowed. */
void mer_session_free(struct mer_session *session);

/* Opens the traces: reads metadata and packet headers, no events. Call it once.
 * MER_ERR_INPUT, MER_ERR_SYS: none of the paths can be read; if one can, the others are
 * diagnostics.
 * MER_ERR_USAGE: the session is open already. All functions below return this code if it is not
 * open. */
int mer_session_open(struct mer_session *session, struct mer_err *err);

/* Cancels the session: the running call, and all later calls that read, return MER_ERR_CANCELLED.
 * May be called from any thread and from signal handlers. */
void mer_session_cancel(struct mer_session *session);
/* Progress of the current stage: trace bytes read so far, and in all. May be called from any
 * thread. false: no stage is running; *done_bytes and *total_bytes are 0 then. */
bool mer_session_progress(struct mer_session *session, uint64_t *done_bytes, uint64_t *total_bytes);

/* The opened traces, for the functions of meridian.h (hosts, streams, losses, events); NULL before
 * mer_session_open. It belongs to the session. Do not call mer_synchronize with it. */
struct mer_experiment *mer_session_experiment(struct mer_session *session);

/* ---- Results ---- */

/* A table. Rows and columns count from 0. Freed with mer_result_free, before the session. */
struct mer_result;

enum mer_value {	/* type of the cells of a column */
	MER_VALUE_INT,	/* int64_t */
	MER_VALUE_REAL, /* double */
	MER_VALUE_TEXT	/* UTF-8 as recorded, with a NUL at its end */
};

/* Frees a result, and the texts in its cells. NULL is allowed. */
void mer_result_free(struct mer_result *result);

/* The numbers of rows and columns. */
size_t mer_result_n_rows(const struct mer_result *result);
size_t mer_result_n_columns(const struct mer_result *result);
/* Rows that the limit left out. */
uint64_t mer_result_n_left_out(const struct mer_result *result);
/* The time range that a table of an analysis covers, on the common clock. Returns false and writes
 * nothing when nothing was recorded in the window, and for other results. */
bool mer_result_window(const struct mer_result *result, int64_t *begin, int64_t *end);
/* The id of a table, "top", and its title for people, or NULL. */
const char *mer_result_id(const struct mer_result *result);
const char *mer_result_title(const struct mer_result *result);

/* The index of the column with this key; mer_result_n_columns if there is none. Keys are stable,
 * and the same as in the program's JSON. */
size_t mer_result_column(const struct mer_result *result, const char *key);
/* Description of a column: its key, "total_ns"; its title for people, "Time", or NULL; its type,
 * "duration", "bytes", "time", "id", ...; its unit, "ns", "bytes", "percent", or NULL. All are
 * NULL for an index that is too large. */
const char *mer_result_key(const struct mer_result *result, size_t column);
const char *mer_result_column_title(const struct mer_result *result, size_t column);
const char *mer_result_type(const struct mer_result *result, size_t column);
const char *mer_result_unit(const struct mer_result *result, size_t column);
/* The key of the column that rows are sorted by; NULL: by none. */
const char *mer_result_sorted(const struct mer_result *result);
/* Which of the three functions below reads its cells. */
enum mer_value mer_result_value(const struct mer_result *result, size_t column);

/* Reads a cell. Returns false and leaves *value alone if the cell is unknown, does not exist or
 * has another type. A text lives as long as the result. */
bool mer_result_int(const struct mer_result *result, size_t row, size_t column, int64_t *value);
bool mer_result_real(const struct mer_result *result, size_t row, size_t column, double *value);
bool mer_result_text(
	const struct mer_result *result, size_t row, size_t column, const char **value);

/* Reads up to n cells of a column, from row `first` on; returns how many. values and known have n
 * elements; known may be NULL. An unknown cell is 0, 0.0 or NULL, and known[i] false. Returns 0 if
 * the column has another type or does not exist, or if no row is left. */
size_t mer_result_ints(const struct mer_result *result, size_t column, size_t first, size_t n,
	int64_t *values, bool *known);
size_t mer_result_reals(const struct mer_result *result, size_t column, size_t first, size_t n,
	double *values, bool *known);
size_t mer_result_texts(const struct mer_result *result, size_t column, size_t first, size_t n,
	const char **values, bool *known);

/* ---- Results as Arrow ----
 *
 * The structs of Arrow's C data interface and C stream interface, whose layout these fix: nothing
 * of Arrow is needed. pandas, polars, DuckDB and others take them without a copy. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

struct mer_arrow_options {
	size_t size;
	uint32_t max_rows; /* of a batch; 0: 65536 */
	/* Columns of text are dictionaries: a batch has each text once, and numbers of them.
	 * Quicker where texts are repeated; not every reader treats it as text. */
	bool dictionaries;
};

/* The rows of a result as a stream of batches. A field is called by the key of its column; a whole
 * number is an int64, a time timestamp[ns, UTC], a duration duration[ns], any other number a
 * double, a text utf8 (with U+FFFD for each byte that is none). What is unknown is NULL. Metadata
 * of a field: title, type and unit, as mer_result_column_title, _type and _unit say them, where
 * they are not NULL; of the whole: id and title.
 *
 * The stream is released by its own release, and what it gives by theirs, in any order and on any
 * thread. Batches and schemas depend on nothing. A stream keeps what it reads: the result, or the
 * answer that the result belongs to, may be freed before it; the session may not, unless it is of
 * an answer. If memory runs out, get_next returns ENOMEM, and can be called again.
 * MER_ERR_USAGE: a size or value in options that this version of the library does not know. */
int mer_result_arrow(const struct mer_result *result, const struct mer_arrow_options *options,
	struct ArrowArrayStream *stream, struct mer_err *err);

/* ---- What is known without reading events ---- */

/* The hosts, in the order of mer_hosts: host, id, traces, begin, end (of its events; on its own
 * clock until clocks are aligned). */
int mer_session_hosts(struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* What each analysis can do on each host, by the events that were recorded: host, analysis (text
 * for people), ids (analyses of mer_session_table, separated by blanks; unknown: none), possible
 * ("yes", "partly", "no"), missing (events to record, separated by blanks). */
int mer_session_capabilities(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* Findings so far (damage, losses, doubts about clocks; of mer_ask: mer_answer_diagnostics):
 * severity ("note", "warning", "error"), code (a stable word for programs: "lost-events";
 * docs/diagnostics.md lists them), host, path, count, remedy (a stable word, see mer_remedy_name),
 * message (a sentence). */
int mer_session_diagnostics(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* The analyses and their tables, for mer_session_table: analysis, table, title, columns (keys,
 * separated by blanks), groups (1: group_by applies), filters (1: filter applies), periods (1: is
 * about periods and needs option period), views (1: is about states of a view and needs
 * mer_session_options.views). Needs no open session. */
int mer_session_catalog(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);

/* ---- Clocks ---- */

/* Aligns the clocks as the options say. Reads all network events, unless the result is in
 * cache_folder. A second call does nothing; the functions below call it if it has not been
 * called. Clocks that cannot be aligned stay as recorded, which is no error: mer_session_clocks
 * is empty then, and mer_session_clocks_error says why.
 * MER_ERR_INPUT, MER_ERR_SYS: clocks_file cannot be read.
 * MER_ERR_USAGE: vms names a host that is not in the session, or one that is not a virtual
 * machine. */
int mer_session_synchronize(struct mer_session *session, struct mer_err *err);
/* Why the clocks stayed as recorded; NULL if they are aligned, or if no alignment was requested.
 * The text belongs to the session. */
const char *mer_session_clocks_error(struct mer_session *session);
/* How the clocks were aligned, a row for each host: host, reference (the host whose clock its times
 * are on), method, offset_ns (time to add to its clock, at the beginning of its traces),
 * drift_ppm, bound_ns (largest possible error over its traces; unknown: not bounded), messages
 * (matched). No rows: not aligned. */
int mer_session_clocks(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* The alignment of a host's clock when that clock reads `at`, ns: *offset_ns is the time to add to
 * it to get the reference time, *bound_ns (may be NULL) its largest possible error; INT64_MAX: not
 * bounded. Without alignment both are 0 for a session of one host, and the bound is INT64_MAX
 * otherwise.
 * MER_ERR_USAGE: there is no such host. */
int mer_session_offset(struct mer_session *session, const char *host, int64_t at,
	int64_t *offset_ns, int64_t *bound_ns, struct mer_err *err);

/* ---- Questions ---- */

/* Selects hosts, CPUs, tasks and a time window. A member that is not set restricts nothing. */
struct mer_selection {
	size_t size;
	const char *const *hosts; /* names, or patterns of * and ? */
	size_t n_hosts;
	/* Names of tasks, or patterns; a task matches by any name that it ever had. */
	const char *const *comms;
	size_t n_comms;
	const uint32_t *cpus; /* numbers */
	size_t n_cpus;
	const uint32_t *tids; /* of threads */
	size_t n_tids;
	const uint32_t *pids; /* of processes: selects all their threads */
	size_t n_pids;
	/* [begin, end), as on the command line: "+1.5s" after the first event, "12:34:56.789",
	 * "HOST:TIME" by that host's clock, ns since 1970. */
	const char *begin, *end;
	/* Ranges, in addition to the single numbers above: first and last number of a range, both
	 * included, then those of the next range. n_ counts ranges. */
	const uint64_t *cpu_ranges, *tid_ranges, *pid_ranges;
	size_t n_cpu_ranges, n_tid_ranges, n_pid_ranges;
};

struct mer_table_options {
	size_t size;
	const struct mer_selection *selection;
	/* Only facts for which this expression holds: "duration_ns > 1ms". */
	const char *filter;
	/* Keys, separated by commas, instead of the table's: "host,process". */
	const char *group_by;
	/* Maximum number of rows; 0: all. Does not apply to histograms, whose rows belong
	 * together. */
	uint64_t limit;
	int64_t min_ns, max_ns; /* only durations in this range; max_ns 0: no upper limit */
	/* Only these files, system calls, interrupts, ...: names, or patterns of * and ?. */
	const char *const *names;
	size_t n_names;
	uint64_t n_bins;     /* for tables over time; 0: 20, unless interval_ns is set */
	int64_t interval_ns; /* width of a bin; 0: by n_bins */
	uint64_t max_bins;   /* more bins are an error, MER_ERR_LIMIT; 0: at most 1048576 */
	/* Only transfers of this size, in analyses that know sizes; max_bytes 0: no upper
	 * limit. */
	uint64_t min_bytes, max_bytes;
	/* Column to sort by, as its key ("_ns" may be left out) or title: largest first, but
	 * columns that name the rows (names from a to z, numbers such as a CPU) and times in
	 * ascending order. "+" before it: ascending. NULL: the table's own order. */
	const char *sort;
	bool reverse; /* the order */
	/* Leaves out the rows of the tracer's own tasks and idle waits, as the program does in its
	 * text output. */
	bool leave_out;
	/* Only what happens in periods: from an event that matches BEGIN to the next one that
	 * matches END. Written "BEGIN : END", as for `meridian top --period`. The limits select
	 * periods by duration; max 0: no upper limit. */
	const char *period;
	/* What both events must share: "host", "cpu", "tid", a field. */
	const char *const *period_by;
	size_t n_period_by;
	int64_t period_min_ns, period_max_ns;
	bool zero_max; /* a max_ns, max_bytes or period_max_ns of 0 means a limit of 0 */
	/* For mer_session_tables: the last n_whole tables keep all rows in their own order and
	 * ignore sort, leave_out and limit; for charts. */
	size_t n_whole;
	/* For "summary": also count waits for what a task started itself, such as joining
	 * threads. */
	bool all;
};

/* A table of an analysis: "cpu", "top". mer_session_catalog lists them. Rows are in the order of
 * the program's output. "summary" has tables of the whole experiment, "findings" and others;
 * selected hosts, a window and periods apply to them. Their columns finding and next, which hold
 * sentences and commands in the program's output, are always unknown here. "relations" has the
 * tables "graph" (which task gave what to which other task) and "requests" (services and their
 * callers), by program, or by task if group_by is "task". If tasks are selected, a row is kept if
 * one of its two sides is a selected task. leave_out leaves out the tracer's own tasks, unless
 * tasks are selected, and idle waits of the graph.
 * MER_ERR_USAGE: no such analysis or table; an option that does not apply to it, or an
 * expression with a syntax error; hosts or CPUs that do not exist; a window that ends before it
 * begins; no period, or too many periods. */
int mer_session_table(struct mer_session *session, const char *analysis, const char *table,
	const struct mer_table_options *options, struct mer_result **result, struct mer_err *err);

/* Several tables of an analysis from one reading, so that their numbers agree and the traces are
 * read once. Options have to apply to all of them; sort to at least one. results has n_tables
 * elements, which are freed one by one.
 * MER_ERR_USAGE: as mer_session_table; no table. */
int mer_session_tables(struct mer_session *session, const char *analysis, const char *const *tables,
	size_t n_tables, const struct mer_table_options *options, struct mer_result **results,
	struct mer_err *err);

/* The tasks that are selected (NULL: all), in the order in which they began: nth (its number, from
 * 1), host, tid, pid, comm (its last name), begin, end (of its life, as far as recorded and in the
 * window), duration_ns, born (1: began in the recording), kernel (1: a kernel thread).
 * MER_ERR_USAGE: as mer_session_table. */
int mer_session_tasks(struct mer_session *session, const struct mer_selection *selection,
	struct mer_result **result, struct mer_err *err);

struct mer_path_options {
	size_t size;
	const struct mer_selection
		*selection; /* of the task, and the window; its life is cut to it */
	/* Which of the selected tasks, in the order of mer_session_tasks, from 1; 0: the first
	 * that began and ended in the recording, else the first that began in it, else the
	 * first. */
	uint64_t nth;
};

/* The critical path of a task: its time, with each wait replaced by what it waited for, on any
 * host. Segments follow each other without gaps: begin, end, host, tid, comm (of the task that ran
 * or waited; unknown: the kernel of the host), state, cause, detail (of a wait, in words), depth
 * (0: the task itself; 1: what it waited for; ...), in_flight (1: a packet on its way to host),
 * delivery (1: it had arrived, and the task was not yet woken), user_state (of views),
 * duration_ns, cpu, syscall (the system call that the task was in).
 * MER_ERR_USAGE: no task is selected, or fewer than nth; as mer_session_table. */
int mer_session_path(struct mer_session *session, const struct mer_path_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_blocked_options {
	size_t size;
	/* The tasks whose waits are shown, and the window to which waits are cut. If tasks are
	 * selected, all their waits are shown except those for work and for input; otherwise only
	 * the waits that are part of what another task waited for. */
	const struct mer_selection *selection;
	bool all; /* also all other waits */
	/* Levels of detail below a wait (what other tasks did meanwhile); 0: none, 50 at most. */
	uint32_t depth;
	uint64_t limit; /* waits at most; 0: all */
};

/* What tasks waited for, summed by task, system call, object and cause. Waits of class "request"
 * (those that are shown without `all`) come first, then those of class "input", then "idle", then
 * "idle" that did not end; the longest first in each. With a depth, the rows below a wait of class
 * "request" show what other tasks did meanwhile, and what these waited for: depth (0: a wait of the
 * task; 1 and more: the levels below it), doing ("blocked", "ran", "runnable", ...), host, tid
 * (unknown: several tasks), comm, kind ("syscall", "page-fault", ...), call, object, cause, class
 * ("request", "input", "idle"), by (the task that ended it), by_host, count, total_ns, min_ns,
 * max_ns, mean_ns, runnable_ns (from the wake-up until the task had a CPU), max_at (when the
 * longest began). Cells that do not apply to a row are unknown.
 * MER_ERR_USAGE: depth too large; as mer_session_tasks. */
int mer_session_blocked(struct mer_session *session, const struct mer_blocked_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_task_options {
	size_t size;
	const struct mer_selection
		*selection; /* of the task, and the window; its life is cut to it */
	uint64_t nth;	    /* as in mer_path_options */
	bool all;	    /* also count what other tasks did while it waited for work */
};

/* What one task waited for and what it cost, including all tasks that worked for it on any host.
 * Ids of the tables: "blocking": its waits by descriptor and call (fd, object, kind, call, count,
 * total_ns, ...); "accounting": its CPU time and, below it, that of the tasks that ended its
 * waits (depth, host, tid, pid, comm, count, self_ns, children_ns, total_ns, ...); "resources":
 * the same for memory, disks and network; "residual": its time without CPU time by cause (cause,
 * host, tid, comm, total_ns). The model of the whole recording is needed, whatever the window.
 * results has n_tables elements, which are freed one by one.
 * MER_ERR_USAGE: no such table; no task is selected, or fewer than nth; as mer_session_tasks. */
int mer_session_task(struct mer_session *session, const char *const *tables, size_t n_tables,
	const struct mer_task_options *options, struct mer_result **results, struct mer_err *err);

enum mer_lanes {	/* what a lane stands for */
	MER_LANES_CPUS, /* the selected CPUs; selected tasks are ignored */
	MER_LANES_TASKS /* the selected tasks, in the order of mer_session_tasks */
};

struct mer_lane_options {
	size_t size;
	const struct mer_selection *selection;
	uint32_t lanes;	   /* enum mer_lanes */
	uint32_t max_bins; /* 0: exact spans; 1048576 at most */
};

/* What CPUs or tasks did in the window, lane by lane, for pictures: lane (its number, from 0),
 * host, cpu, tid, comm, begin, end, state ("user", "syscall", "blocked", ...), duration_ns (how
 * long the lane was in the state from begin to end), cause, syscall (the system call that the
 * task was in). A lane of a CPU shows the tasks that ran on it; the rest of its time is time
 * without a task.
 *
 * With max_bins 0, rows are exact spans, cut to the window, without those of zero length; cpu of a
 * task's span is the CPU where it ran, ran last, or waits to run.
 *
 * Otherwise the window is cut into max_bins bins at most, whose width is a power of two ns and
 * which begin at multiples of it; the first and the last may reach beyond the window. A row is one
 * state in one bin (for waits and interrupts: with one cause), or in several consecutive bins that
 * it fills completely. Rows name only the lane's own host, CPU or task. In a session with a store
 * the cost grows with the number of bins, not with the length of the window.
 * MER_ERR_USAGE: too many bins; as mer_session_tasks. */
int mer_session_lanes(struct mer_session *session, const struct mer_lane_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_count_options {
	size_t size;
	const struct mer_selection
		*selection; /* hosts and the window; the other members are ignored */
	const char *kinds;  /* ids of kinds of facts, separated by blanks; NULL: all */
	uint32_t max_bins;  /* 1 to 65536 */
};

/* How many facts of each kind began in each bin of the window, and how many bytes they moved,
 * for charts: host, kind ("call", "packet", "disk_request", "fault", ...), begin, end, count,
 * bytes (unknown for kinds without bytes). Bins are cut as by mer_session_lanes; empty bins have
 * no row. In a session with a store the cost grows with the number of bins; without one,
 * everything is read.
 * MER_ERR_USAGE: no such kind; no bins, or too many of them; as mer_session_tasks. */
int mer_session_counts(struct mer_session *session, const struct mer_count_options *options,
	struct mer_result **result, struct mer_err *err);

/* The messages from one host to another, or to itself, ordered by send time: sent, received (each
 * on the clock of its own host, as recorded), kind ("tcp", "udp", ...). first: number of messages
 * to skip; limit: maximum number of rows, 0: all the rest. A row takes 50 bytes. To read millions,
 * call it for parts (first 0, then 10000, ...) until a result has no rows; that costs no extra
 * time. mer_result_n_left_out counts those after the last row.
 * MER_ERR_USAGE: there is no such host. */
int mer_session_messages(struct mer_session *session, const char *from, const char *to,
	uint64_t first, uint64_t limit, struct mer_result **result, struct mer_err *err);

/* ---- Questions in words ---- */

struct mer_answer;

/* Asks in the words of the program, without its name and the traces: { "top", "cpu", "--begin",
 * "+1s", "--limit", "5" }. There are all verbs that ask about traces: info, check, sync, latency,
 * events, stats, summary, requests, path, blocked, graph, diff, task, state, top, log, freq.
 * Options are long ones, and none that names a file or changes what the session is. Formats are of
 * no use: an answer is tables. A limit that the program has for people does not apply, as with its
 * --json; all that is found is in memory, so limit events, or the time.
 *
 * Diagnostics are those of opening the traces and of what the answer was made of, also if an
 * earlier question read that. Those about clocks are there unless the session was made with
 * no_clock_findings; the program's --json has them with -v only.
 * MER_ERR_USAGE: the words are wrong, or not allowed here; err says which, as the program does. */
int mer_ask(struct mer_session *session, const char *const *words, size_t n_words,
	struct mer_answer **answer, struct mer_err *err);
/* Asks in SQL (of SQLite): docs/queries.md has the tables, those of `meridian query .tables`. Each
 * statement that finds something is a table of the answer: "result", "result_2", ... Statements
 * only read. All that is found is in memory, so limit the rows. Diagnostics say, besides those of
 * the traces, of which tables nothing was recorded (code "query-not-recorded").
 * MER_ERR_USAGE: what is wrong with a statement, and where; or the library was built without
 * SQLite. MER_ERR_LIMIT: too many statements. */
int mer_sql(struct mer_session *session, const char *sql, struct mer_answer **answer,
	struct mer_err *err);
/* NULL is allowed. */
void mer_answer_free(struct mer_answer *answer);
size_t mer_answer_n_tables(const struct mer_answer *answer);
/* A table, from 0 on, which belongs to the answer; mer_result_id names it. NULL: there is none. */
const struct mer_result *mer_answer_table(const struct mer_answer *answer, size_t table);
/* The time that was looked at; false: the answer is not of a time. */
bool mer_answer_window(const struct mer_answer *answer, int64_t *begin, int64_t *end);
/* What was found about the traces, and about what the answer was made of, as rows of
 * mer_session_diagnostics. *result is freed with mer_result_free, and needs no answer. */
int mer_answer_diagnostics(
	const struct mer_answer *answer, struct mer_result **result, struct mer_err *err);
/* The answer as the program prints it with --json, to the byte (about clocks: mer_ask). *text ends
 * with a 0 behind its length, and belongs to the answer. */
int mer_answer_json(
	struct mer_answer *answer, const char **text, size_t *length, struct mer_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
