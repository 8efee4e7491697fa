/* Events of libmeridian: the traces of many hosts, read together.
 *
 *   mer_experiment_open → mer_synchronize → mer_cursor_open → mer_cursor_next ... → mer_cursor_free
 *
 * For tables, tasks or paths, open a session instead (meridian/session.h); mer_session_experiment
 * gives its experiment.
 *
 * Ownership: a handle that a function returns by pointer is freed by the caller with the function
 * that its description names. Anything else that is returned belongs to the experiment or cursor
 * that was passed in.
 *
 * Errors: functions that can fail return 0 or a negative enum mer_err_code, and fill *err with a
 * sentence. Any of them can return MER_ERR_NOMEM, MER_ERR_BUG, MER_ERR_SYS and MER_ERR_LIMIT.
 * Damaged traces are not an error: see mer_diagnostic_at.
 *
 * Threads: an experiment and its cursors may be used by only one thread at a time, but by any
 * thread. Several cursors of one experiment may be open at once. Different experiments are
 * independent of each other. */
#ifndef MERIDIAN_H
#define MERIDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The (negative) return values of every function that can fail. */
enum mer_err_code {
	MER_ERR_INPUT = -1,	/* the data is damaged, or of another format than it claims */
	MER_ERR_SYS = -2,	/* a system call failed */
	MER_ERR_LIMIT = -3,	/* the input exceeds a limit of the library */
	MER_ERR_USAGE = -4,	/* wrong arguments */
	MER_ERR_CANCELLED = -5, /* stopped on request */
	MER_ERR_NOMEM = -6,	/* out of memory */
	MER_ERR_BUG = -7	/* a bug in the library */
};

/* What the user can do about an error or a finding. Programs turn it into their own words: a
 * button, an option. The message beside it is complete without it. */
enum mer_remedy {
	MER_REMEDY_NONE,
	/* What was selected is not there, or makes no sense: select something else. */
	MER_REMEDY_HOSTS,
	MER_REMEDY_CPUS,
	MER_REMEDY_BEGIN,
	MER_REMEDY_END,
	MER_REMEDY_WINDOW_ORDER, /* the begin is not before the end */
	MER_REMEDY_SHORTER_WINDOW,
	MER_REMEDY_FILTER,     /* which rows count */
	MER_REMEDY_GROUP_BY,   /* what a row stands for */
	MER_REMEDY_FEWER_ROWS, /* fewer bins, hosts or CPUs */
	MER_REMEDY_FEWER_BINS,
	MER_REMEDY_NO_GRAPHVIZ,	    /* draw the text for Graphviz elsewhere */
	MER_REMEDY_FEWER_RELATIONS, /* the same, or draw fewer relations */
	/* Periods between two events (BEGIN, END). */
	MER_REMEDY_PERIOD,
	MER_REMEDY_PERIOD_EVENTS, /* no recorded event can match */
	MER_REMEDY_PERIOD_FILTER, /* none matched */
	MER_REMEDY_PERIOD_LIMITS, /* limits of their duration */
	MER_REMEDY_PERIOD_KEY,	  /* the field that both events must share */
	MER_REMEDY_PERIOD_KEYED,  /* the same, or change the events */
	MER_REMEDY_PERIOD_WINDOW, /* none is in the window */
	MER_REMEDY_PERIOD_OPEN,	  /* too many open at once: change the key or the end event */
	MER_REMEDY_PERIOD_MANY,	  /* choose rarer events, or longer periods */
	MER_REMEDY_PERIOD_NEEDED, /* the analysis needs periods */
	/* Traces and clocks. */
	MER_REMEDY_KEEP_OFFSETS, /* mer_open_options.keep_offsets */
	MER_REMEDY_IGNORE_UUID,	 /* mer_open_options.ignore_uuid */
	MER_REMEDY_METHOD_AUTO,	 /* a method that follows clocks */
	MER_REMEDY_DRIFT_LIMIT,	 /* another drift limit */
	MER_REMEDY_LATENCIES,	 /* look at the pairs of hosts */
	MER_REMEDY_NEW_FOLDER,	 /* to write to */
	MER_REMEDY_GUEST,	 /* say which host is the guest */
	MER_REMEDY_VIEW,	 /* mer_session_options.views */
	MER_REMEDY_CLOCK_WRAP,	 /* mer_open_options.clock_wrap_bits, clock_wrap_ns */
	MER_REMEDY_SAVE_CLOCKS,	 /* a file of clocks is meant, not tables of them */
	MER_N_REMEDIES
};

/* The stable word of a remedy, for programs: "hosts", "keep-offsets"; NULL for MER_REMEDY_NONE. */
const char *mer_remedy_name(enum mer_remedy remedy);

struct mer_err { /* stays as it is in all versions 1.x */
	int code;
	char text[1000]; /* one or more lines that say what failed and where; no final newline */
	enum mer_remedy remedy;
};

/* Options are structs that begin with their size. Zero stands for the default of every other
 * member; set only those that differ: struct mer_read_options o = MER_OPTIONS(struct
 * mer_read_options); In the options of this header a size of 0 stands for version 1.0. */
#ifdef __cplusplus
#define MER_OPTIONS(type)                                                                          \
	{                                                                                          \
		sizeof(type)                                                                       \
	}
#else
#define MER_OPTIONS(type)                                                                          \
	{                                                                                          \
		.size = sizeof(type)                                                               \
	}
#endif

enum mer_severity {
	MER_NOTE,    /* good to know; no result is affected */
	MER_WARNING, /* results are incomplete or less exact; nothing shown is wrong */
	MER_ERROR    /* part of the input could not be read */
};

/* A finding about the input, shown beside the results that it affects. */
struct mer_diag {
	enum mer_severity severity;
	const char *code;    /* a stable word for programs, "lost-events": docs/diagnostics.md */
	const char *host;    /* NULL: not about one host */
	const char *path;    /* file or trace; NULL: none */
	int64_t stream;	     /* stream's number in its trace, -1: none */
	int64_t packet;	     /* packet's number in its stream, -1: none */
	int64_t offset_bits; /* from the start of the file, -1: none */
	uint64_t count;	     /* how often: events lost, rows folded into this one, ... */
	const char *message; /* a sentence */
	enum mer_remedy remedy;
};

/* ---- Experiment: the traces of any number of hosts, opened together ----
 *
 * Paths may be traces (directories with a file `metadata`), OTF2 archives (files NAME.otf2, where
 * the library was built with libotf2), or directories to search for these.
 * Opening reads metadata and packet headers, no events. The structs below belong to the experiment
 * and live as long as it does. */

struct mer_experiment;

#define MER_NO_TIME INT64_MIN /* an unknown time */

struct mer_host {	  /* one boot of one machine; its traces share one clock */
	const char *name; /* made unique: "vm", "vm#2" */
	const char *id;	  /* the same for the same boot in another experiment: clock UUID or path */
	uint32_t n_traces;
};

struct mer_clock_info { /* as in the metadata */
	const char *name;
	uint64_t freq_hz;
	int64_t offset_ns; /* time at which the clock reads 0; saturates, see base_s of the trace */
	const char *uuid;  /* NULL: none */
};

struct mer_trace {	    /* one logical trace: all directories with the same trace UUID */
	const char *path;   /* of the first directory */
	const char *domain; /* "kernel", "ust", or "" when the metadata does not say */
	const char *tracer; /* "lttng-modules 2.13.9", "" */
	const char *format; /* "CTF 1.8", "CTF 2.0" */
	const char *uuid;   /* NULL: none */
	uint32_t host, n_dirs, n_streams, first_stream;
	uint64_t n_packets, bytes, lost_events, lost_packets;
	int64_t begin, end; /* ns, of its first and last event; MER_NO_TIME: unknown */
	bool has_clock;
	struct mer_clock_info clock;
	int64_t base_s; /* all its times count from this many seconds after the epoch; 0 except for
			   clocks whose offset does not fit into 64-bit nanoseconds */
};

struct mer_stream {	  /* one data stream, all its files */
	const char *path; /* of its first file */
	uint32_t trace;
	int32_t cpu;	       /* -1: unknown */
	uint64_t class_id, id; /* id: data stream (instance) id, or its number in the trace */
	uint64_t n_packets, bytes, lost_events, lost_packets;
	int64_t begin, end; /* ns, of its events */
};

enum mer_loss_kind {
	MER_LOSS_COUNTED, /* by the tracer, or by the numbers of packets */
	/* The first or last packets of the stream are missing; how many events they had is unknown:
	 * events and packets are 0. */
	MER_LOSS_FIRST_PACKETS,
	MER_LOSS_LAST_PACKETS
};

struct mer_loss { /* where events of a stream are missing */
	uint32_t stream;
	int64_t begin, end; /* ns: lost within this range; MER_NO_TIME: unknown */
	uint64_t events, packets;
	enum mer_loss_kind kind;
};

struct mer_open_options {
	size_t size;
	bool keep_offsets; /* every trace keeps its recorded clock offset, even if the offsets of
			      one host's traces differ only by the measurement error */
	bool ignore_uuid;  /* packets with the UUID of another trace are read too */
	/* Folder for the CTF copies that are made of OTF2 archives, and read instead; created when
	 * missing. NULL: a temporary folder, removed when the experiment is freed. */
	const char *cache_folder;
	/* For clocks that wrap to 0 before their fields do, such as counters of few bits: the
	 * period in ns, or the number of bits of the cycle counter. 0: as the metadata says. */
	uint64_t clock_wrap_ns;
	uint32_t clock_wrap_bits;
};

/* Opens every readable trace: an unreadable path is a diagnostic if there is another trace, and an
 * error if there is none. options may be NULL. *experiment is freed with mer_experiment_free.
 * MER_ERR_INPUT, MER_ERR_SYS: none of the paths can be read. */
int mer_experiment_open(const char *const *paths, size_t n_paths,
	const struct mer_open_options *options, struct mer_experiment **experiment,
	struct mer_err *err);

/* Frees an experiment, after its cursors. NULL is allowed. */
void mer_experiment_free(struct mer_experiment *);

/* The numbers of hosts, traces, data streams, and places where events are missing. */
size_t mer_n_hosts(const struct mer_experiment *);
size_t mer_n_traces(const struct mer_experiment *);
size_t mer_n_streams(const struct mer_experiment *);
size_t mer_n_losses(const struct mer_experiment *);

/* The i-th of them, from 0; NULL if i is too large. It belongs to the experiment. Later versions
 * may add members to these structs: do not copy them, and do not use them as arrays. */
const struct mer_host *mer_host_at(const struct mer_experiment *, size_t i);
const struct mer_trace *mer_trace_at(const struct mer_experiment *, size_t i);
const struct mer_stream *mer_stream_at(const struct mer_experiment *, size_t i);
const struct mer_loss *mer_loss_at(const struct mer_experiment *, size_t i);

/* The number of diagnostics so far, from opening and from all finished readings, and the i-th of
 * them; NULL if i is too large. It is valid until the next reading ends. */
size_t mer_n_diagnostics(const struct mer_experiment *);
const struct mer_diag *mer_diagnostic_at(const struct mer_experiment *, size_t i);

/* ---- Clock alignment ----
 *
 * Every host has its own clock until the experiment is synchronized. From then on all times are on
 * the clock of one host, the reference, and events of different hosts are in the order in which
 * they happened, within the error of the alignment. */

struct mer_sync_options { /* defaults: use the recorded messages between the hosts */
	size_t size;
	const char *saved; /* the text that `meridian sync --save` wrote; NULL: none */
	size_t saved_len;
};

/* Call it once, after opening and before the first reading. options may be NULL. Reads all network
 * events, unless options.saved is set. Diagnostics (codes begin with "sync-") report the hosts
 * that cannot be compared and the error of the others.
 * MER_ERR_INPUT: the saved text is damaged, or describes other hosts. */
int mer_synchronize(
	struct mer_experiment *, const struct mer_sync_options *options, struct mer_err *err);

/* ---- Events, merged in the order of (time, host, stream, place in the stream) ---- */

struct ctf_plan;

/* One event record of a batch. This struct and mer_need stay as they are in all versions 1.x,
 * because they are used in arrays. mer_need explains the slots; the accessors below read them by
 * name. */
struct mer_event {
	int64_t ts;		     /* ns; MER_NO_TIME: its stream has no clock */
	const uint64_t *slots;	     /* values of its fields */
	const struct ctf_plan *plan; /* their meaning */
	uint32_t stream;	     /* index of the data stream, for mer_stream_at */
	uint32_t context; /* index of its packet's context in the batch; UINT32_MAX: not read */
};

/* The wanted events and fields of a reading. event is a name, or a pattern of * and ?. fields lists
 * field names separated by blanks: the first is in slots[0], and so on. A number takes one slot.
 * Text is written "name:s" and takes two slots, its address and its length (no NUL at its end). An
 * array of numbers is written "name:a" and takes two slots, their count and the address of that
 * many slots. "name:r" is the same for an array of anything: each element takes the slots of its
 * class. A field that an event does not have, or has with another type, reads 0. fields NULL: all
 * fields, in slots that only the accessors can read. */
struct mer_need {
	const char *event;
	const char *fields;
};

struct mer_read_options { /* defaults: everything */
	size_t size;
	const struct mer_need *needs; /* the first that matches an event's name counts */
	size_t n_needs;		      /* 0: all events, all fields */
	bool has_begin, has_end;
	int64_t begin, end; /* ns, from begin on, before end */
	bool headers;	    /* also the fields of event headers and packet contexts */
};

struct mer_cursor;

/* Begins to read the events that options select; NULL selects everything. *cursor is freed with
 * mer_cursor_free. */
int mer_cursor_open(struct mer_experiment *, const struct mer_read_options *,
	struct mer_cursor **cursor, struct mer_err *err);

/* Ends a reading, at its end or before. Diagnostics of the reading are available from then on.
 * NULL is allowed. */
void mer_cursor_free(struct mer_cursor *);

/* The next batch; *n is 0 at the end. Events, and the memory to which their slots point, live until
 * the next call. Damage in the traces becomes diagnostics of the experiment when the cursor is
 * freed; errors here come from the system, not from the trace. */
int mer_cursor_next(
	struct mer_cursor *, const struct mer_event **events, size_t *n, struct mer_err *err);

/* The name of an event: "sched_switch". The text lives as long as the experiment. */
const char *mer_event_name(const struct mer_event *);

/* Index of the need that matched the event (0 if there are no needs). */
int mer_event_need(const struct mer_event *);

/* A field by name, payload first, then contexts. For readings of all fields; convenient, not fast.
 * Returns false if there is no such field, or if it has another type. */
bool mer_event_int(const struct mer_event *, const char *field, int64_t *value);
bool mer_event_text(const struct mer_event *, const char *field, const char **text, size_t *len);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
