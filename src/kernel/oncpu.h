/* On CPU: which task is on each CPU of a host, as far as context switches and holes of the record
 * show. The same rules for all users: the model, the reading in advance that finds which task runs
 * after a hole, and the periods.
 *
 * - A hole begins after an event of the same time, and ends before one. Holes of a CPU may
 *   overlap.
 * - In a hole no task is known, not even after a switch: other switches may be missing.
 * - After a hole, and where the record begins, the task runs that the next switch takes off the
 *   CPU, unless another hole begins before that switch: then it is not known. */
#ifndef MER_KERNEL_ONCPU_H
#define MER_KERNEL_ONCPU_H

#include <stdbool.h>
#include "kernel/losses.h"

/* ---- The holes of a host, in order ---- */

struct kernel_holes {
	const struct kernel_losses *losses; /* NULL: none */
	uint32_t n_begun, n_ended;
	int64_t next; /* an event at this time or later passes the next begin or end */
};

struct kernel_hole_edge {
	const struct kernel_loss *loss;
	uint32_t number; /* in kernel_losses.by_begin */
	bool is_begin;
};

void kernel_holes_init(struct kernel_holes *, const struct kernel_losses *);
/* The next begin or end that an event at ts passes; of equal times begins come first. False: no
 * more. */
bool kernel_holes_pass(struct kernel_holes *, int64_t ts, struct kernel_hole_edge *edge);

/* ---- Who is on a CPU ---- */

struct kernel_on_cpu {
	/* of the switch or the hole's end that told; INT64_MIN: the record's begin */
	int64_t since;
	int32_t tid;	  /* 0: idle; KERNEL_TID_UNKNOWN. Does not hold while there are holes */
	uint32_t n_holes; /* going on */
};

static inline void kernel_on_cpu_init(struct kernel_on_cpu *c, int32_t first_tid)
{
	*c = (struct kernel_on_cpu){ .since = INT64_MIN, .tid = first_tid };
}

/* Switches and edges may come in turn by turns; what is later counts. */
static inline void kernel_on_cpu_switch(struct kernel_on_cpu *c, int64_t time, int32_t next_tid)
{
	if (time < c->since)
		return;
	c->since = time;
	c->tid = next_tid;
}

/* True: the CPU's record is complete again, and the task there is known from the end of the
 * hole. */
static inline bool kernel_on_cpu_edge(struct kernel_on_cpu *c, const struct kernel_hole_edge *edge)
{
	if (edge->is_begin) {
		c->n_holes++;
		return false;
	}
	c->n_holes -= c->n_holes > 0;
	if (edge->loss->end > c->since) {
		c->since = edge->loss->end;
		c->tid = edge->loss->next_tid;
	}
	return c->n_holes == 0;
}

static inline int32_t kernel_on_cpu_tid(const struct kernel_on_cpu *c)
{
	return c->n_holes ? KERNEL_TID_UNKNOWN : c->tid;
}

/* ---- Who was on a CPU, as a later switch tells ---- */

struct kernel_before {
	enum { KERNEL_BEFORE_KNOWN, KERNEL_BEFORE_FIRST, KERNEL_BEHIND_HOLE } is;
	uint32_t hole; /* BEHIND_HOLE: the number of its loss, by begin */
	uint32_t n_holes;
};

static inline void kernel_before_edge(struct kernel_before *b, const struct kernel_hole_edge *edge)
{
	b->is = KERNEL_BEFORE_KNOWN;
	if (edge->is_begin) {
		b->n_holes++;
		return;
	}
	b->n_holes -= b->n_holes > 0;
	if (b->n_holes == 0) {
		b->is = KERNEL_BEHIND_HOLE;
		b->hole = edge->number;
	}
}

#endif
