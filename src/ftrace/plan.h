/* Plans: how a record becomes a CTF event record. The CTF fields have the same bytes, byte order
 * and names as those of the record, so most of a record is copied in one piece:
 *
 *   record   | common | prev_comm prev_pid (gap) next_comm ... | texts |
 *   context  | flags preempt_count pid |
 *   payload                       | prev_comm prev_pid next_comm ... TEXT\0 |
 *
 * Gaps are left out; a text stored elsewhere in the record (__data_loc) is put at the place of its
 * field. */
#ifndef MER_FTRACE_PLAN_H
#define MER_FTRACE_PLAN_H

#include "base/arena.h"
#include "ctf/writer.h"
#include "ftrace/proc/closes.h"
#include "ftrace/formats.h"
#include "ftrace/join.h"

enum ftrace_step_kind {
	FTRACE_STEP_RUN,
	FTRACE_STEP_TEXT,
	FTRACE_STEP_LIST,
	FTRACE_STEP_REST,     /* a text to the end of the record */
	FTRACE_STEP_REST_LIST /* a list to there */
};

struct ftrace_step {
	enum ftrace_step_kind kind;
	uint32_t from, len; /* in the record: bytes to copy, or the field that locates a text or
			       list */
	uint8_t element;    /* of a list */
	bool is_relative;
};

struct ftrace_plan {
	const struct ftrace_format *format;
	const struct ctf_event_class *class;
	struct ftrace_close_plan closes;
	struct ftrace_step *steps;
	uint32_t n_steps;
	struct ftrace_part part;
	bool has_headers; /* the payload ends with those of the packet (copied/packet_headers.h) */
};

/* A structure of CTF for the event's own fields, and the plan that fills it. Both in arena; NULL:
 * out of memory. */
struct ftrace_plan *ftrace_plan_new(struct mer_arena *a, struct ctf_schema *schema,
	const struct ftrace_format *format, enum ctf_byte_order order, struct ctf_fc **payload);

/* Adds perf_callchain_size and perf_callchain, as perf's own conversion to CTF names them; false:
 * no memory. They are written as a list of addresses. */
bool ftrace_plan_add_chain(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload,
	enum ctf_byte_order order);

/* The fields of all events, as a CTF structure: common_flags, common_preempt_count,
 * common_pid. */
struct ctf_fc *ftrace_plan_context(struct mer_arena *a, enum ctf_byte_order order);

/* The most bytes that a record of this size can become. */
static inline size_t ftrace_plan_most(const struct ftrace_plan *p, uint32_t size)
{
	/* A text ends with a NUL of its own, a list begins with its length; each may name all of
	 * the record. */
	return 6 + (size_t)(p->n_steps + 1) * (size + 5u);
}

/* Writes context and payload of a record; returns the number of bytes. 0: the record is too short
 * for its format. out has room for ftrace_plan_most bytes. */
size_t ftrace_plan_run(const struct ftrace_plan *p, const uint8_t *record, uint32_t size,
	bool is_be, uint8_t *out);

/* Writes a list as in the payload: the number of elements, in 4 bytes, then the elements. Returns
 * its end. */
uint8_t *ftrace_put_list(
	uint8_t *out, const uint8_t *from, uint32_t len, uint8_t element, bool is_be);

#endif
