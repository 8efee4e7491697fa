/* Experiment: what mer_experiment_open has found, for the layers above.
 *
 *   experiment ── hosts[]
 *              ├─ traces[]   logical traces: parts with the same trace UUID
 *              ├─ streams[]  sorted by (host, trace, class id, stream id): the order of events with
 *              │             equal times
 *              ├─ parts[]    directories with a metadata file, each with its own schema
 *              └─ files[]    data stream files (files.h)
 *
 * Immutable after opening, except for the diagnostics, and for clock maps, which may be applied
 * once (clock_map.h). */
#ifndef MER_TRACE_EXPERIMENT_H
#define MER_TRACE_EXPERIMENT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/spill.h"
#include "copied/copied.h"
#include "ctf/packet.h"
#include "ctf/program.h"
#include "ctf/schema.h"
#include "trace/clock.h"
#include "trace/files.h"

/* Steps of opening: looking for traces, and copies of recordings; then findings are in the order of
 * paths, of streams, and of traces. */
enum { TRACE_OF_PLACES, TRACE_OF_FILES, TRACE_OF_STREAMS, TRACE_OF_TRACES, TRACE_OPENINGS };

struct trace_part { /* a directory with a metadata file */
	const char *path;
	const char *given; /* name known to the user: path, or the anchor of an archive */
	const struct ctf_schema *schema;
	const struct ctf_program *scan; /* compiled for packet headers only */
	uint32_t trace;
	struct mer_clock *clocks; /* as schema->clocks */
};

/* Is the part a copy of a recording that is no CTF trace? */
static inline bool trace_part_is_copy(const struct trace_part *p)
{
	return p->given != p->path;
}

struct trace_stream {		    /* private side of struct mer_stream */
	struct ctf_packet *packets; /* malloc'ed; by begin time, then in the files' order */
	uint32_t n_packets, cap_packets;
	uint32_t part; /* of its first file */
	bool ordered;  /* every packet has a begin time: any of them can be read alone */
	bool has_id;
	uint64_t class_id, id;
	uint32_t file; /* first */
	int32_t cpu;   /* of its first packet; -1: unknown */
	uint64_t lost_events, lost_packets;
	/* packets before its first, or after its last, are missing: see missing.h */
	bool begins_late, ends_early;
};

struct trace_absent { /* a CPU whose stream is missing */
	uint32_t trace;
	int32_t cpu;
};

/* Events of this stream within [begin, end) that another trace of its host recorded as well,
 * because two sessions ran at once. Readings of a host (trace_cursor_of_host) skip them. */
struct trace_twin {
	uint32_t stream, other; /* other: the trace */
	int64_t begin, end;
};

struct mer_experiment {
	struct mer_arena arena;
	struct mer_diags diags;
	size_t n_opening[TRACE_OPENINGS]; /* how many there were after each step of opening */
	struct mer_open_options options;
	struct mer_host *hosts;
	struct mer_trace *traces;
	struct mer_stream *streams;
	struct trace_stream *data; /* as streams */
	struct trace_part *parts;
	struct trace_file *files;
	struct trace_file_cache *file_cache; /* of files.c */
	struct mer_loss *losses;	     /* by stream, then time */
	struct trace_absent *absent;
	struct trace_twin *twins; /* by stream, then begin; none overlap */
	struct copied *copies;	  /* copies of recordings that are parts; in arena */
	/* For data of higher layers that grows with the number of events; freed with the
	 * experiment. NULL: ordinary memory. */
	struct mer_spill *spill;
	uint32_t n_hosts, n_traces, n_streams, n_parts, n_files, n_losses, n_absent, n_twins,
		n_copies;
	uint32_t cap_parts, cap_files, cap_data, cap_losses, cap_absent;
	struct mer_map stream_map; /* while opening: identity of a stream -> its number + 1 */
	uint64_t bytes;		   /* of all data stream files */
	uint32_t n_unread;	   /* paths and traces that could not be opened */
	/* Some are full parts of recordings (part/file.h): questions are answered from what is
	 * saved in these, and events cannot be read. */
	bool has_no_events;
	int64_t begin, end; /* of all events; MER_NO_TIME: not known */
};

/* The environment entry of this name in the copy of a recording; NULL: no copy, or no such entry.
 * Entries of a CTF trace, such as one written from a copy, are ignored. */
static inline const char *trace_of_copy(const struct trace_part *part, const char *name)
{
	const struct ctf_env *found =
		trace_part_is_copy(part) ? ctf_env_find(part->schema, name) : NULL;
	return found ? found->text : NULL;
}

/* Were events lost in any of the recordings? Of a part it is known that some were, not when. */
static inline bool trace_has_losses(const struct mer_experiment *e)
{
	bool has = e->n_losses > 0;
	for (uint32_t i = 0; !has && i < e->n_parts; i++)
		has = trace_of_copy(&e->parts[i], COPIED_ENV_LOST) != NULL;
	return has;
}

/* Clock of a part's stream; NULL: it has none. */
static inline const struct mer_clock *trace_clock(const struct trace_part *p, uint32_t stream_class)
{
	int clock = p->schema->streams[stream_class].clock;
	return clock < 0 ? NULL : &p->clocks[clock];
}

/* The diagnostics so far; the pointer is invalid once more are added. */
static inline const struct mer_diag *trace_findings(const struct mer_experiment *e, size_t *n)
{
	*n = e->diags.n;
	return e->diags.rows;
}
/* By which streams are sorted: those of a host by the least one of its traces. */
static inline const char *trace_identity(const struct mer_trace *t)
{
	return t->uuid ? t->uuid : t->path;
}
/* Extends [*begin, *end] to contain b and n; MER_NO_TIME in any of them: no time. */
static inline void trace_widen(int64_t *begin, int64_t *end, int64_t b, int64_t n)
{
	if (b != MER_NO_TIME && (*begin == MER_NO_TIME || b < *begin))
		*begin = b;
	if (n != MER_NO_TIME && (*end == MER_NO_TIME || n > *end))
		*end = n;
}

/* Begin of a packet in ns; MER_NO_TIME if its header does not have it. */
int64_t trace_packet_begin(const struct mer_experiment *e, const struct ctf_packet *p);
int64_t trace_packet_end(const struct mer_experiment *e, const struct ctf_packet *p);

#endif
