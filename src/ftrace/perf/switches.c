#include "ftrace/perf/switches.h"

#include <string.h>

#include "ctf/writer.h"

enum { NOT_KNOWN = -1, IS_OUT = 1 << 13, IS_RUNNABLE = 1 << 14 };
enum { RUNNABLE, WAITS, WHO_KNOWS }; /* prev_waits */
enum { FLAGS = 2, COMMON = 6, BYTES = COMMON + 4 + 1 + 4 };

static const struct ctf_event_class *new_class(struct ftrace_stream *s, struct mer_err *err)
{
	struct ftrace_copy_of of = ftrace_copy_of(s);
	struct ctf_fc *payload = ctf_new_struct(of.arena, 8);
	ctf_struct_add(of.arena, payload, "prev_tid", ctf_new_int(of.arena, 32, true, 8, of.order));
	ctf_struct_add(
		of.arena, payload, "prev_waits", ctf_new_int(of.arena, 8, false, 8, of.order));
	ctf_struct_add(of.arena, payload, "next_tid", ctf_new_int(of.arena, 32, true, 8, of.order));
	return ftrace_copy_class(of.copy, "perf_switch", payload, err);
}

static void store32(uint8_t *to, int32_t value, bool is_be)
{
	uint32_t v = ftrace_load32((const uint8_t *)&value, is_be);
	memcpy(to, &v, sizeof(v));
}

static int write_event(const struct ctf_event_class *class, struct ftrace_stream *s, uint64_t time,
	const int32_t tids[2], uint8_t waits, bool is_be, struct mer_err *err)
{
	uint8_t bytes[BYTES] = { 0 };
	store32(bytes + FLAGS, tids[0] > 0 ? tids[0] : 0, is_be);
	store32(bytes + COMMON, tids[0], is_be);
	bytes[COMMON + 4] = waits;
	store32(bytes + COMMON + 5, tids[1], is_be);
	return ftrace_stream_event(s, class, time, bytes, sizeof(bytes), err);
}

int perf_switch_event(const struct ctf_event_class **class, struct perf_on_cpu *c,
	struct ftrace_stream *s, uint64_t time, const struct perf_record *r, bool is_be,
	struct mer_err *err)
{
	struct ftrace_bytes b = ftrace_bytes(r->data, r->size, is_be);
	int32_t other = NOT_KNOWN, own;
	if (r->type == PERF_SWITCH_CPU_WIDE) {
		(void)ftrace_u32(&b);
		other = (int32_t)ftrace_u32(&b);
	}
	/* All records end with the same fields; the first are pid and tid of the record's task. */
	(void)ftrace_u32(&b);
	own = (int32_t)ftrace_u32(&b);
	if (b.ended)
		return 0;
	if (!*class)
		*class = new_class(s, err);
	if (!*class)
		return MER_ERR_NOMEM;
	struct perf_on_cpu before = *c;
	bool is_out = r->misc & IS_OUT;
	/* A task that has ended has no number any more. */
	if (is_out && own < 0 && before.knows)
		own = before.tid;
	int32_t now = is_out ? other : own;
	*c = (struct perf_on_cpu){ .tid = now,
		.knows = now >= 0,
		.is_out = is_out,
		.is_of_some = r->type == PERF_SWITCH };
	/* The other half of the pair. */
	if (!is_out && before.is_out && before.knows && before.tid == own)
		return 0;
	if (is_out)
		return write_event(*class, s, time, (int32_t[]){ own, other },
			r->misc & IS_RUNNABLE ? RUNNABLE : WAITS, is_be, err);
	return write_event(*class, s, time, (int32_t[]){ other, own }, WHO_KNOWS, is_be, err);
}

int perf_switch_exit(const struct ctf_event_class *class, struct perf_on_cpu *c,
	struct ftrace_stream *s, uint64_t time, const struct perf_record *r, bool is_be,
	struct mer_err *err)
{
	enum { TID = 8 };
	if (!c->is_of_some || !c->knows || r->size < TID + 4 ||
		c->tid != (int32_t)ftrace_load32(r->data + TID, is_be))
		return 0;
	c->knows = false;
	return write_event(class, s, time, (int32_t[]){ c->tid, NOT_KNOWN }, WAITS, is_be, err);
}

void perf_switch_lost(struct perf_on_cpu *c)
{
	*c = (struct perf_on_cpu){ 0 };
}
