/* Copy: records of ftrace and perf as a CTF trace of one host: FOLDER/metadata and a stream for
 * each CPU of each buffer. Event classes are those of the records that were there. Streams are
 * written one after the other, or side by side. */
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
	/* Of the machine's boot, which tells whose clock it is; NULL: not known. */
	const uint8_t *boot;
	int64_t offset_ns; /* of the clock's 0, since 1970; 0: not known */
	bool is_be;
	bool has_chains;   /* events have the callchains of perf's samples */
	bool wants_closes; /* they are looked for in its records */
};

struct ftrace_copy;
struct ftrace_stream;

/* In a folder that is there. Formats are borrowed until the last record; more may be added to them
 * until then. */
int ftrace_copy_new(const char *folder, const struct ftrace_copy_host *host,
	const struct ftrace_formats *formats, struct ftrace_copy **copy, struct mer_err *err);
/* As ftrace_copy_host.offset_ns, where that is not known: something else tells it. */
void ftrace_copy_offset(struct ftrace_copy *c, int64_t offset_ns);
void ftrace_copy_free(struct ftrace_copy *c); /* NULL is fine */
/* After the records: events that were recorded, but of which there was none, get a class, too, so
 * that nobody takes them for missing. A recording has the formats of what it records; where it has
 * those of all events of the kernel (`trace-cmd extract`, copies of tracefs), it does not say what
 * that was, and none is added. */
int ftrace_copy_declare(struct ftrace_copy *c, struct mer_err *err);
/* Writes the metadata. */
int ftrace_copy_end(struct ftrace_copy *c, struct mer_err *err);

/* A stream of the buffer's events on a CPU. */
int ftrace_stream_open(struct ftrace_copy *c, const char *buffer, uint32_t cpu,
	struct ftrace_stream **s, struct mer_err *err);
int ftrace_stream_close(struct ftrace_stream *s, struct mer_err *err);

/* One record; its first bytes are the event's id (common_type). Times in ns; an earlier one than
 * the record before has counts as that one's, and is counted. Records of unknown events, and those
 * that are too short, are left out and counted. */
int ftrace_stream_record(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct mer_err *err);
/* The same, with its callchain; for copies whose host has_chains. */
int ftrace_stream_sample(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct ftrace_chain chain, struct mer_err *err);
/* n events were lost between the last record and the next one. */
int ftrace_stream_lost(struct ftrace_stream *s, uint64_t n, struct mer_err *err);

struct ftrace_copied { /* of all streams so far; times: of those that were closed */
	uint64_t n_records, n_lost, n_unknown, n_short, n_back;
	uint64_t first, last;
	bool has_times;
};
const struct ftrace_copied *ftrace_copied(const struct ftrace_copy *c);
/* What it was made with. */
const struct ftrace_copy_host *ftrace_copy_host(const struct ftrace_copy *c);
const struct ftrace_closes *ftrace_copy_closes(const struct ftrace_copy *c);

/* ---- events of our own: dump.h ---- */

/* A stream for them, of which a copy has one at most; what it tells comes before what happens at
 * the same time. */
int ftrace_stream_open_state(struct ftrace_copy *c, struct ftrace_stream **s, struct mer_err *err);
/* A class of the events with this name; its id is the next one. NULL: no memory. */
const struct ctf_event_class *ftrace_copy_class(
	struct ftrace_copy *c, const char *name, struct ctf_fc *payload, struct mer_err *err);
/* An event of it, with the bytes of its context and payload; not earlier than the one before. */
int ftrace_stream_own(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err);
/* The same of one that happened: it counts among the records. */
int ftrace_stream_event(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err);

struct ftrace_copy_of { /* what a stream's copy lends */
	struct ftrace_copy *copy;
	struct mer_arena *arena;
	enum ctf_byte_order order;
	const struct ctf_event_class **dumps; /* FTRACE_N_DUMPS; NULL: none yet */
};
struct ftrace_copy_of ftrace_copy_of(struct ftrace_stream *s);

#endif
