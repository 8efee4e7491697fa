/* perf.data: the container of perf. Finds the attributes of events, formats, host and clock, and
 * where records are; also in its pipe form, in which all of that comes as records. If the file is
 * cut, everything before the cut is found.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of
 * the kernel. */
#ifndef MER_FTRACE_PERFDATA_H
#define MER_FTRACE_PERFDATA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "ftrace/pages/tracing.h"

enum perf_record_type {
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_LOST_SAMPLES = 13,
	PERF_SWITCH = 14,
	PERF_SWITCH_CPU_WIDE = 15,
	PERF_ATTR = 64,
	PERF_TRACING_DATA = 66,
	PERF_AUXTRACE = 71,
	PERF_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83
};

enum { PERF_HEAD = 8 }; /* bytes: type, misc, size of the whole record */
struct perf_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *data; /* without its head */
	uint32_t size;
	const uint8_t *behind; /* data that belongs to it and follows it */
	uint64_t behind_size;
};

struct perf_attr {
	uint32_t type; /* 2: a tracepoint */
	uint64_t config, sample_type, read_format, branch_type;
	int32_t clock; /* CLOCK_..., if has_clock */
	bool has_clock, has_ids_in_all;
	bool has_switches; /* context switches are recorded by perf itself */
	/* Samples have a time, a CPU and a record of the event at these places, and nothing else
	 * whose length the sample says. */
	bool has_places;
	uint16_t time_at, cpu_at, raw_at;
};

struct perf_id { /* of an event on a CPU: which attribute it has */
	uint64_t id;
	uint32_t attr;
};

struct perfdata {
	struct mer_arena *arena;
	bool is_be, is_pipe, is_cut;
	bool is_plain;		/* no record can be compressed */
	bool is_folder;		/* records are in files beside it, too: data.0, data.1, ... */
	const uint8_t *records; /* of the main file */
	uint64_t records_size;
	struct perf_attr *attrs;
	struct perf_id *ids;
	uint32_t n_attrs, cap_attrs, n_ids, cap_ids;
	bool is_uniform;	/* samples of all attributes have the same fields */
	bool is_sorted;		/* the ids are */
	struct perf_id *recent; /* PERF_RECENT, by the id's lowest bits: 0: none */
	struct ftrace_tracing tracing;
	const char *host, *release, *machine; /* NULL: not said */
	uint64_t wall_ns, clock_ns;	      /* the same moment by both clocks; 0: not said */
};

bool perfdata_is(const void *head, size_t size);
/* MER_ERR_INPUT: nothing can be read. The file and the arena are borrowed. */
int perfdata_open(struct perfdata *p, const struct mer_file *file, struct mer_arena *arena,
	struct mer_err *err);
/* Do samples have callchains? */
bool perfdata_has_chains(const struct perfdata *p);
/* Does perf itself record context switches? */
bool perfdata_has_switches(const struct perfdata *p);
/* Are there tracepoints? */
bool perfdata_has_tracepoints(const struct perfdata *p);
/* Takes a record that describes the recording (pipe form). False: out of memory. */
bool perfdata_take(struct perfdata *p, const struct perf_record *r);

/* Takes the data that follows a record of these types. False: the file ends within it. */
bool perf_record_behind(struct ftrace_bytes *b, struct perf_record *r);
/* The next record of these bytes. False: the end; b->ended: within a record. */
static inline bool perf_record_next(struct ftrace_bytes *b, struct perf_record *r)
{
	size_t left = ftrace_left(b);
	const uint8_t *head = b->at;
	if (left == 0)
		return false;
	r->size = left < PERF_HEAD ? 0 : ftrace_load16(head + 6, b->is_be);
	if (r->size < PERF_HEAD || r->size > left) {
		b->ended = true;
		return false;
	}
	r->type = ftrace_load32(head, b->is_be);
	r->misc = ftrace_load16(head + 4, b->is_be);
	r->data = head + PERF_HEAD;
	b->at = head + r->size;
	r->size -= PERF_HEAD;
	r->behind = b->at;
	r->behind_size = 0;
	return (r->type != PERF_TRACING_DATA && r->type != PERF_AUXTRACE) ||
	       perf_record_behind(b, r);
}

/* Fields of a sample, or of the sample_id at the end of another record. */
struct perf_sample {
	uint64_t time;
	uint32_t pid, tid, cpu;
	bool has_time, has_cpu, has_tid;
	const uint8_t *raw; /* NULL: none */
	uint32_t raw_size;
	uint32_t
		n_chain; /* addresses of the callchain, 8 bytes each, right before the raw's size */
};

/* False: it is shorter than its attribute says, or its attribute is unknown. */
bool perf_sample_of_any(struct perfdata *p, const struct perf_record *r, struct perf_sample *s);
static inline bool perf_sample_at_places(
	const struct perf_attr *a, const struct perf_record *r, bool is_be, struct perf_sample *s)
{
	if (r->size < a->raw_at + 4u)
		return false;
	s->time = ftrace_load64(r->data + a->time_at, is_be);
	s->cpu = ftrace_load32(r->data + a->cpu_at, is_be);
	s->has_time = s->has_cpu = true;
	s->n_chain = 0;
	s->raw_size = ftrace_load32(r->data + a->raw_at, is_be);
	s->raw = r->data + a->raw_at + 4;
	return s->raw_size <= r->size - a->raw_at - 4u;
}
static inline bool perf_sample_of(
	struct perfdata *p, const struct perf_record *r, struct perf_sample *s)
{
	return p->is_uniform && p->attrs->has_places
		       ? perf_sample_at_places(p->attrs, r, p->is_be, s)
		       : perf_sample_of_any(p, r, s);
}
/* The same for any other record; nothing if records have no sample_id. */
void perf_end_of(const struct perfdata *p, const struct perf_record *r, struct perf_sample *s);

#endif
