/* Sessions of libmeridian: traces with aligned clocks, and what is asked about them: tables, tasks,
 * the path of a task.
 *
 *   mer_session_new → mer_session_open → mer_session_synchronize → mer_session_table, _tasks,
 *   _path, _blocked, ...
 *
 * Answers are results: rows under columns that are found by their keys. All times are int64_t
 * nanoseconds: instants since 1970-01-01 UTC on the clock of the reference host once the clocks are
 * aligned, durations as they are. The unit of a column is mer_result_unit.
 *
 * Ownership: a handle that a function returns by pointer is freed by the caller with the function
 * that its description names. Texts that are returned belong to the handle that they were asked of.
 * Texts and lists that are passed in are copied.
 *
 * Options are structs that begin with their size: zero the struct, set size to sizeof of it, then
 * what differs from the default (MER_OPTIONS of meridian.h does the first two). Later versions of
 * the library add members at the end only, so programs built with this header go on working. NULL
 * is the same as all defaults.
 *
 * Errors: functions that can fail return 0 or a negative enum mer_err_code, and fill *err (which
 * may be NULL) with a sentence. *result and the like are NULL then. Any of them can return
 * MER_ERR_NOMEM and MER_ERR_BUG, and those that read traces MER_ERR_SYS, MER_ERR_LIMIT and
 * MER_ERR_CANCELLED; other codes are listed with each function. Damage in traces is no error: see
 * mer_session_diagnostics.
 *
 * Threads: a session is used by one thread at a time, whichever that is, and reads on several
 * threads of its own. Only mer_session_cancel and mer_session_progress may be called at any time
 * from any thread. Different sessions are independent of each other. A result does not change: any
 * number of threads may read it. */
#ifndef MERIDIAN_SESSION_H
#define MERIDIAN_SESSION_H

#include <meridian/meridian.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Version ---- */

/* The version that a program is built with; it compares as a number: 1.1.0 is 10100. */
#define MER_VERSION_MAJOR 1
#define MER_VERSION_MINOR 1
#define MER_VERSION_PATCH 0
#define MER_VERSION (MER_VERSION_MAJOR * 10000 + MER_VERSION_MINOR * 100 + MER_VERSION_PATCH)

/* The version that it runs with: MER_VERSION of the library. Cannot fail. */
int mer_version(void);
/* The same as text: "1.1.0". The text is constant. */
const char *mer_version_text(void);

/* ---- Session ---- */

struct mer_session;

enum mer_clocks {	     /* how clocks are aligned */
	MER_CLOCKS_AUTO,     /* by the messages between the hosts; a single host needs none */
	MER_CLOCKS_RECORDED, /* not at all: each host has its own */
	MER_CLOCKS_SAVED     /* as clocks_file says, which `meridian sync --save` wrote */
};

struct mer_session_options {
	size_t size;
	uint32_t clocks;	 /* enum mer_clocks */
	uint32_t n_threads;	 /* that read traces; 0: one for each CPU */
	const char *clocks_file; /* of MER_CLOCKS_SAVED */
	/* Folder for what is kept between sessions: clocks, states from which windows are read,
	 * stores. Created when something is written. NULL: nothing is kept. */
	const char *cache_folder;
	/* Answers come from a store in cache_folder if there is one, which makes them faster and
	 * not different. store: it is written first if there is none. */
	bool store;
	bool ignore_uuid; /* as in mer_open_options */
	/* Called when a stage of work begins (stage is its name, such as "reading") and ends
	 * (NULL), on the thread that called the library. It must not call functions of the session
	 * other than mer_session_cancel and mer_session_progress. NULL: not called. */
	void (*progress)(void *progress_data, const char *stage);
	void *progress_data;
	/* There will be one question: what it needed is released at once, which saves memory. A
	 * second one reads the traces again. */
	bool once;
	/* What grows with the traces takes memory_bytes at most; the rest goes to a temporary file
	 * in the first of these folders that has room for it. No folder: memory takes it all. */
	uint64_t memory_bytes;
	const char *const *temporary_folders;
	size_t n_temporary_folders;
	/* What was found when clocks were aligned stays out of mer_session_diagnostics. */
	bool no_clock_findings;
	bool no_store; /* answers always come from the traces */
	/* Of MER_CLOCKS_AUTO: hosts that are the guest of a process of another one, each as
	 * "GUEST=HOST:PID". Other guests are found. */
	const char *const *vms;
	size_t n_vms;
	/* View files, or names of those that belong to meridian ("mpi"): states of programs, for
	 * the analysis "view", and for what tasks did. Read by mer_session_open. */
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

/* Opens the traces: reads metadata and packet headers, no events. Once.
 * MER_ERR_INPUT, MER_ERR_SYS: none of the paths can be read; if one can, the others are
 * diagnostics.
 * MER_ERR_USAGE: it is open. All functions below return this if it is not. */
int mer_session_open(struct mer_session *session, struct mer_err *err);

/* Ends what the session does: the running call and all later ones that read return
 * MER_ERR_CANCELLED. From any thread, and from signal handlers. */
void mer_session_cancel(struct mer_session *session);
/* How far the present stage is: bytes of traces that are read, and bytes in all. From any thread.
 * false: no stage is running; *done_bytes and *total_bytes are 0 then. */
bool mer_session_progress(struct mer_session *session, uint64_t *done_bytes, uint64_t *total_bytes);

/* The opened traces, for the functions of meridian.h (hosts, streams, losses, events); NULL before
 * mer_session_open. It belongs to the session. Do not call mer_synchronize with it. */
struct mer_experiment *mer_session_experiment(struct mer_session *session);

/* ---- Results ---- */

/* A table. Rows and columns count from 0. Freed with mer_result_free, before the session. */
struct mer_result;

enum mer_value {	/* what the cells of a column are */
	MER_VALUE_INT,	/* int64_t */
	MER_VALUE_REAL, /* double */
	MER_VALUE_TEXT	/* UTF-8 as recorded, with a NUL at its end */
};

/* Frees a result, and the texts that were read from it. NULL is allowed. */
void mer_result_free(struct mer_result *result);

/* Numbers of its rows and columns. */
size_t mer_result_n_rows(const struct mer_result *result);
size_t mer_result_n_columns(const struct mer_result *result);
/* Rows that the limit left out. */
uint64_t mer_result_n_left_out(const struct mer_result *result);
/* The time that a table of an analysis is about, on the common clock: false, and nothing is
 * written, when nothing was recorded in the window, or for other results. */
bool mer_result_window(const struct mer_result *result, int64_t *begin, int64_t *end);
/* The id of a table, "top", and its title for people, or NULL. */
const char *mer_result_id(const struct mer_result *result);
const char *mer_result_title(const struct mer_result *result);

/* The column with this key; mer_result_n_columns if there is none. Keys are stable: those of the
 * program's JSON. */
size_t mer_result_column(const struct mer_result *result, const char *key);
/* What a column is: its key, "total_ns"; its title for people, "Time", or NULL; its type,
 * "duration", "bytes", "time", "id", ...; its unit, "ns", "bytes", "percent", or NULL. All NULL for
 * a column that is not there. */
const char *mer_result_key(const struct mer_result *result, size_t column);
const char *mer_result_column_title(const struct mer_result *result, size_t column);
const char *mer_result_type(const struct mer_result *result, size_t column);
const char *mer_result_unit(const struct mer_result *result, size_t column);
/* The key of the column that rows are sorted by; NULL: by none. */
const char *mer_result_sorted(const struct mer_result *result);
/* Which of the three functions below reads its cells. */
enum mer_value mer_result_value(const struct mer_result *result, size_t column);

/* A cell. false, and *value is left as it is: unknown, not there, or of another kind. A text lives
 * as long as the result. */
bool mer_result_int(const struct mer_result *result, size_t row, size_t column, int64_t *value);
bool mer_result_real(const struct mer_result *result, size_t row, size_t column, double *value);
bool mer_result_text(
	const struct mer_result *result, size_t row, size_t column, const char **value);

/* Many cells of a column: rows first, first + 1, ... as far as there are and n lets; returns how
 * many. values and known have n elements; known may be NULL. An unknown cell is 0, 0.0 or NULL, and
 * known[i] false. 0: the column is of another kind or not there, or no row is left. */
size_t mer_result_ints(const struct mer_result *result, size_t column, size_t first, size_t n,
	int64_t *values, bool *known);
size_t mer_result_reals(const struct mer_result *result, size_t column, size_t first, size_t n,
	double *values, bool *known);
size_t mer_result_texts(const struct mer_result *result, size_t column, size_t first, size_t n,
	const char **values, bool *known);

/* ---- What is known without reading events ---- */

/* The hosts, in the order of mer_hosts: host, id, traces, begin, end (of their events, by their own
 * clocks before they are aligned). */
int mer_session_hosts(struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* What each analysis can do on each host, by the events that were recorded: host, analysis (text
 * for people), ids (analyses of mer_session_table, separated by blanks; unknown: none), possible
 * ("yes", "partly", "no"), missing (events to record, separated by blanks). */
int mer_session_capabilities(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* Findings so far: damage, losses, doubts about clocks. severity ("note", "warning", "error"), code
 * (a stable word for programs: "lost-events"; docs/diagnostics.md lists them), host, path, count,
 * remedy (a stable word, see mer_remedy_name), message (a sentence). */
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
 * cache_folder. The second call does nothing; the functions below call it if nobody has. Clocks
 * that cannot be aligned stay as recorded, which is no error: mer_session_clocks is empty then, and
 * mer_session_clocks_error says why.
 * MER_ERR_INPUT, MER_ERR_SYS: clocks_file cannot be read. MER_ERR_USAGE: vms name no hosts of the
 * session, or no VM. */
int mer_session_synchronize(struct mer_session *session, struct mer_err *err);
/* Why the clocks stayed as recorded; NULL: they are aligned, or were not to be. The text belongs to
 * the session. */
const char *mer_session_clocks_error(struct mer_session *session);
/* How the clocks were aligned, a row for each host: host, reference (the host whose clock its times
 * are on), method, offset_ns (time to add to its clock, at the begin of its traces), drift_ppm,
 * bound_ns (largest possible error over its traces; unknown: not bounded), messages (matched). No
 * rows: not aligned. */
int mer_session_clocks(
	struct mer_session *session, struct mer_result **result, struct mer_err *err);
/* The clock of a host at an instant `at` of this clock, ns: *offset_ns is the time to add to it for
 * the reference time, *bound_ns (may be NULL) by how much that may be wrong at most; INT64_MAX: not
 * bounded. Without alignment both are 0 for a session of one host, and the bound is INT64_MAX
 * otherwise.
 * MER_ERR_USAGE: there is no such host. */
int mer_session_offset(struct mer_session *session, const char *host, int64_t at,
	int64_t *offset_ns, int64_t *bound_ns, struct mer_err *err);

/* ---- Questions ---- */

/* Which hosts, CPUs, tasks, and what part of the time; what is not set does not restrict. */
struct mer_selection {
	size_t size;
	const char *const *hosts; /* names, or patterns of * and ? */
	size_t n_hosts;
	/* Names of tasks, or patterns; any name that a task ever had counts. */
	const char *const *comms;
	size_t n_comms;
	const uint32_t *cpus; /* numbers */
	size_t n_cpus;
	const uint32_t *tids; /* of threads */
	size_t n_tids;
	const uint32_t *pids; /* of processes, all of whose threads are meant */
	size_t n_pids;
	/* [begin, end), as on the command line: "+1.5s" after the first event, "12:34:56.789",
	 * "HOST:TIME" by that host's clock, ns since 1970. */
	const char *begin, *end;
	/* Besides the single numbers above, ranges of them: the first and the last of a range, both
	 * included, then the next one's. n_ counts ranges. */
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
	/* Rows at most; 0: all. Not of histograms, whose rows belong together. */
	uint64_t limit;
	int64_t min_ns, max_ns; /* durations that count; max_ns 0: all */
	/* Files, system calls, interrupts, ... that count: names, or patterns of * and ?. */
	const char *const *names;
	size_t n_names;
	uint64_t n_bins;     /* of tables over time; 0: 20, unless interval_ns is set */
	int64_t interval_ns; /* width of a bin; 0: by n_bins */
	uint64_t max_bins;   /* more are an error; 0: as many as there can be */
	/* Bytes that things moved, of analyses that know sizes; max_bytes 0: any. */
	uint64_t min_bytes, max_bytes;
	/* A column, by its key (the unit may be left out) or title: the greatest first, but names
	 * from a to z and times forward. "+" before it: the least first. NULL: the order of the
	 * table. */
	const char *sort;
	bool reverse; /* the order */
	/* Without rows of the tracer's own tasks and without idle waits, as the program shows them
	 * to people. */
	bool leave_out;
	/* Only what happens in periods: from an event that matches BEGIN to the next one that
	 * matches END. "BEGIN : END", as `meridian top --period`; durations of periods, max 0:
	 * any. */
	const char *period;
	const char *const *period_by; /* what both events share: "host", "cpu", "tid", a field */
	size_t n_period_by;
	int64_t period_min_ns, period_max_ns;
	bool zero_max; /* 0 as max_ns, max_bytes or period_max_ns is a limit like any other */
	/* Of mer_session_tables, so many tables, the last ones, keep all rows in their own order,
	 * whatever sort, leave_out and limit say: for a chart. */
	size_t n_whole;
	/* Of 'summary': also waits for what a task started itself, such as joins of threads. */
	bool all;
};

/* A table of an analysis: "cpu", "top". mer_session_catalog lists them. Rows are in the order of
 * the program's output. "summary" has tables of the whole experiment, "findings" and others, which
 * hosts, a window and periods select; their columns finding and next, sentences and commands of the
 * program, are unknown. "relations" has the tables "graph", which task gave what to which other
 * one, and "requests", of services and who calls them, by program, or by task if group_by is
 * "task"; of tasks that are selected one of the two must be. leave_out is of the graph there:
 * without the tracer's own tasks, and of waits only what somebody felt.
 * MER_ERR_USAGE: no such analysis or table; an option that does not apply to it or is no
 * expression; hosts or CPUs that are not there; a window that ends before it begins; no period, or
 * too many of them. */
int mer_session_table(struct mer_session *session, const char *analysis, const char *table,
	const struct mer_table_options *options, struct mer_result **result, struct mer_err *err);

/* Several tables of an analysis from one reading, so that their numbers agree and the traces are
 * read once. Options have to apply to all of them, sort to one. results has n_tables elements,
 * which are freed one by one.
 * MER_ERR_USAGE: as mer_session_table; no table. */
int mer_session_tables(struct mer_session *session, const char *analysis, const char *const *tables,
	size_t n_tables, const struct mer_table_options *options, struct mer_result **results,
	struct mer_err *err);

/* The tasks that are selected (NULL: all), in the order in which they began: host, tid, pid, comm
 * (its last name), begin, end (of its life, as far as recorded and in the window), duration_ns,
 * born (1: began in the recording), kernel (1: a kernel thread).
 * MER_ERR_USAGE: as mer_session_table. */
int mer_session_tasks(struct mer_session *session, const struct mer_selection *selection,
	struct mer_result **result, struct mer_err *err);

struct mer_path_options {
	size_t size;
	const struct mer_selection
		*selection; /* of the task, and the window; its life is cut to it */
	/* Which of the selected tasks, in the order of mer_session_tasks, from 1; 0: the first that
	 * was born and has ended in the recording, else the first born, else the first. */
	uint64_t nth;
};

/* The critical path of a task: its time, where each wait is replaced by what was waited for, on
 * whichever host. Segments follow each other without gap: begin, end, duration_ns, host, tid, comm
 * (of the task that ran or waited; unknown: the kernel of the host), cpu, depth (0: the task
 * itself; 1: what it waited for; ...), state, cause, syscall (that the task was in), in_flight (1:
 * a packet on its way to host).
 * MER_ERR_USAGE: no task is selected, or fewer than nth; as mer_session_table. */
int mer_session_path(struct mer_session *session, const struct mer_path_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_blocked_options {
	size_t size;
	/* The tasks whose waits are meant, and the window, to which they are cut. Of tasks that are
	 * selected all waits count but those for work and for input; of others those that somebody
	 * felt. */
	const struct mer_selection *selection;
	bool all;	/* also those for work and for input */
	uint32_t depth; /* levels below a wait: what others did meanwhile; 0: none, 50 at most */
	uint64_t limit; /* waits at most; 0: all */
};

/* What tasks waited for, added up by task, system call, object and cause. First come the waits that
 * somebody felt, then those for input, then those for work, then those for work that did not end;
 * the longest first in each. Below a wait that somebody felt, if depth says so, are the rows of
 * what others did meanwhile, and what these waited for: depth (0: a wait of the task; of what is
 * below, 1 and so on), doing ("blocked", "ran", "runnable", ...), host, tid (unknown: several
 * tasks), comm, kind ("syscall", "page-fault", ...), call, object, cause, class ("request",
 * "input", "idle"), by (who ended it), by_host, count, total_ns, min_ns, max_ns, mean_ns,
 * runnable_ns (from the wake-up until the task had a CPU), max_at (when the longest began).
 * Unknown is what a row does not have.
 * MER_ERR_USAGE: depth too large; as mer_session_tasks. */
int mer_session_blocked(struct mer_session *session, const struct mer_blocked_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_task_options {
	size_t size;
	const struct mer_selection
		*selection; /* of the task, and the window; its life is cut to it */
	uint64_t nth;	    /* as in mer_path_options */
	bool all;	    /* what others did while it waited for work counts, too */
};

/* What one task waited for and what it cost, with all who worked for it, on all hosts, by ids:
 * "blocking": its waits by descriptor and call (fd, object, kind, call, count, total_ns, ...);
 * "accounting": CPU time of it and, below it, of who ended its waits (depth, host, tid, pid, comm,
 * count, self_ns, children_ns, total_ns, ...); "resources": the same of memory, disks and network;
 * "residual": its time without CPU time by cause (cause, host, tid, comm, total_ns). The model of
 * the whole recording is needed, whatever the window. results has n_tables elements, which are
 * freed one by one.
 * MER_ERR_USAGE: no such table; no task is selected, or fewer than nth; as mer_session_tasks. */
int mer_session_task(struct mer_session *session, const char *const *tables, size_t n_tables,
	const struct mer_task_options *options, struct mer_result **results, struct mer_err *err);

enum mer_lanes {	/* what a lane is of */
	MER_LANES_CPUS, /* the CPUs that are selected; selected tasks are not looked at */
	MER_LANES_TASKS /* the tasks that are selected, in the order of mer_session_tasks */
};

struct mer_lane_options {
	size_t size;
	const struct mer_selection *selection;
	uint32_t lanes;	   /* enum mer_lanes */
	uint32_t max_bins; /* 0: exact spans; 1048576 at most */
};

/* What CPUs or tasks did in the window, lane by lane, for pictures: lane (its number, from 0),
 * host, cpu, tid, comm, begin, end, state ("user", "syscall", "blocked", ...), duration_ns (how
 * long the lane was in the state from begin to end), cause, syscall (that the task was in).
 * max_bins 0: spans as they are, without those of no length, cut to the window. A lane of a CPU has
 * the tasks that were on it; cpu of a task's span is where it ran, ran last, or waits for a CPU.
 * Otherwise there is a resolution: the window is cut into so many bins at most, a power of two of
 * ns wide, that begin at multiples of it; the first and the last may reach beyond the window. A row
 * is a bin and a state in it (of waits and interruptions: with one cause), or several bins one
 * after the other that are wholly of that; of a lane's own host, CPU or task alone. In a session
 * with a store, this costs as much as there are bins, however long the window is. What is left of
 * the time of a CPU is time without a task. MER_ERR_USAGE: too many bins; as mer_session_tasks. */
int mer_session_lanes(struct mer_session *session, const struct mer_lane_options *options,
	struct mer_result **result, struct mer_err *err);

struct mer_count_options {
	size_t size;
	const struct mer_selection
		*selection; /* hosts, and the window; nothing else of it counts */
	const char *kinds;  /* ids of kinds of facts, blanks between; NULL: all */
	uint32_t max_bins;  /* 1 to 65536 */
};

/* How many things of each kind began in the bins of the window, and how many bytes they moved, for
 * pictures: host, kind ("call", "packet", "disk_request", "fault", ...), begin, end, count, bytes
 * (unknown where things of this kind have none). Bins are cut as those of mer_session_lanes; those
 * without any have no row. In a session with a store this costs as much as there are bins, in
 * others everything is read.
 * MER_ERR_USAGE: no such kind; no bins, or too many of them; as mer_session_tasks. */
int mer_session_counts(struct mer_session *session, const struct mer_count_options *options,
	struct mer_result **result, struct mer_err *err);

/* The messages from one host to another, or to itself, by when they were sent: sent, received (each
 * by the clock of its own host, as recorded), kind ("tcp", "udp", ...). first: so many are skipped;
 * limit: rows at most, 0: all the others. A row takes 50 bytes: programs that read millions ask for
 * parts (first 0, then 10000, ...), which costs nothing more, until a result has no rows.
 * mer_result_n_left_out counts those after the last row.
 * MER_ERR_USAGE: there is no such host. */
int mer_session_messages(struct mer_session *session, const char *from, const char *to,
	uint64_t first, uint64_t limit, struct mer_result **result, struct mer_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
