/* Copy: records of ftrace and perf as a CTF trace of one host: FOLDER/metadata and a stream for
 * each CPU of each buffer. There is an event class for each kind of record that occurs. Streams
 * are written one after the other, or side by side. */
#ifndef MER_FTRACE_COPY_H
#define MER_FTRACE_COPY_H

#include "base/arena.h"
#include "base/err.h"
#include "ctf/schema.h"
#include "ftrace/proc/closes.h"
#include "ftrace/dump.h"
#include "ftrace/formats.h"
#include "ftrace/join.h"

struct ftrace_copy_host {
	const char *name;    /* NULL: not known */
	const char *release; /* of the kernel; NULL: not known */
	const char *machine; /* as uname has it: "x86_64"; NULL: not known */
	const char *tracer;  /* "trace-cmd", "perf" */
	const char *form;    /* what was read: "trace.dat 7" */
	const char *clock;   /* the kernel's name for it: "mono" */
	uint64_t id;	     /* of the recording, the same whenever it is copied */
	/* Boot id of the machine, which identifies its clock; NULL: unknown. */
	const uint8_t *boot;
	int64_t offset_ns; /* time at which the clock reads 0, since 1970; 0: unknown */
	bool is_be;
	bool has_chains;   /* events have the callchains of perf's samples */
	bool wants_closes; /* look for closed descriptors in its records (proc/closes.h) */
};

struct ftrace_copy;
struct ftrace_stream;

/* Begins a copy in an existing folder. Formats are borrowed until the last record; more may be
 * added to them until then. */
int ftrace_copy_new(const char *folder, const struct ftrace_copy_host *host,
	const struct ftrace_formats *formats, struct ftrace_copy **copy, struct mer_err *err);
/* Sets the offset of the clock later, from another source, if ftrace_copy_host.offset_ns is
 * unknown. */
void ftrace_copy_offset(struct ftrace_copy *c, int64_t offset_ns);
void ftrace_copy_free(struct ftrace_copy *c); /* NULL is allowed */
/* After the records: adds classes for events that were enabled but never occurred, so that they
 * are not reported as missing. Usually a recording has the formats of its enabled events only. If
 * it has those of all events of the kernel (`trace-cmd extract`, copies of tracefs), it is unknown
 * which were enabled, and none is added. */
int ftrace_copy_declare(struct ftrace_copy *c, struct mer_err *err);
/* Writes the metadata. */
int ftrace_copy_end(struct ftrace_copy *c, struct mer_err *err);

/* A stream of the buffer's events on a CPU. */
int ftrace_stream_open(struct ftrace_copy *c, const char *buffer, uint32_t cpu,
	struct ftrace_stream **s, struct mer_err *err);
int ftrace_stream_close(struct ftrace_stream *s, struct mer_err *err);

/* One record; its first bytes are the event's id (common_type). Times are in ns; a time before
 * that of the previous record is replaced by it, and counted. Records of unknown events, and
 * records that are too short, are left out and counted. */
int ftrace_stream_record(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct mer_err *err);
/* The same, with its callchain; for copies whose host has_chains. */
int ftrace_stream_sample(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct ftrace_chain chain, struct mer_err *err);
/* n events were lost between the last record and the next one. */
int ftrace_stream_lost(struct ftrace_stream *s, uint64_t n, struct mer_err *err);

struct ftrace_copied { /* of all streams so far; times: of closed streams only */
	uint64_t n_records, n_lost, n_unknown, n_short, n_back;
	uint64_t first, last;
	bool has_times;
};
const struct ftrace_copied *ftrace_copied(const struct ftrace_copy *c);
/* The host that the copy was made with. */
const struct ftrace_copy_host *ftrace_copy_host(const struct ftrace_copy *c);
const struct ftrace_closes *ftrace_copy_closes(const struct ftrace_copy *c);

/* ---- events of our own: dump.h ---- */

/* The stream for these events, at most one per copy; they come before other events of the same
 * time. */
int ftrace_stream_open_state(struct ftrace_copy *c, struct ftrace_stream **s, struct mer_err *err);
/* A class of the events with this name; its id is the next one. NULL: no memory. */
const struct ctf_event_class *ftrace_copy_class(
	struct ftrace_copy *c, const char *name, struct ctf_fc *payload, struct mer_err *err);
/* Writes an event of our own, with the bytes of its context and payload; not earlier than the
 * previous one. */
int ftrace_stream_own(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err);
/* The same for an event that was recorded: it counts as a record. */
int ftrace_stream_event(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err);

struct ftrace_copy_of { /* what a stream borrows from its copy */
	struct ftrace_copy *copy;
	struct mer_arena *arena;
	enum ctf_byte_order order;
	const struct ctf_event_class **dumps; /* FTRACE_N_DUMPS; NULL: none yet */
};
struct ftrace_copy_of ftrace_copy_of(struct ftrace_stream *s);

#endif
