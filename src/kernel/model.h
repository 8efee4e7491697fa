/* Model: turns the events of one host, in time order, into what its tasks did (host.h).
 *
 * Rules where traces leave room:
 *
 * - Unknown stays unknown until an event shows more, and then also backward: a task that is
 *   switched out ran since the begin of its CPU's record (start.h looks ahead for that); a task
 *   that is woken was blocked; a task that leaves a system call was in it.
 * - Where events were lost, everything that may have changed is unknown: the task on that CPU
 *   until the hole ends, and every task that was not on another CPU while there are holes
 *   (model_losses.c: what is certain nevertheless).
 * - An event that contradicts what was known (events are missing without being counted) makes
 *   unknown the time that the two leave open, is counted in n_odd, and changes nothing else. The
 *   largest such time is left by a switch from a task that was not thought to be on the CPU:
 *   everything since the last event that proves which task was there.
 * - The first of sched_ttwu, sched_waking and sched_wakeup shows which task woke another one. If
 *   the host records the earlier kinds, a later one alone means that an event is missing, not
 *   that its CPU was the waker's. If sched_wakeup is the only kind, its CPU may not be the
 *   waker's (model_waker.c). */
#ifndef MER_KERNEL_MODEL_H
#define MER_KERNEL_MODEL_H

#include "kernel/layouts.h"
#include "kernel/losses.h"
#include "kernel/observer.h"
#include "kernel/world.h"

struct kernel_end { /* of a packet, at this host: there are two for each packet of the world */
	uint32_t packet : 31, is_send : 1;
};

static inline int64_t kernel_end_time(const struct kernel_bridge *packets, struct kernel_end e)
{
	return e.is_send ? packets[e.packet].from.time : packets[e.packet].to.time;
}
/* That has its event; SYNC_NO_STREAM: not known, of any end of the host. */
static inline uint32_t kernel_end_stream(const struct kernel_bridge *packets, struct kernel_end e)
{
	return e.is_send ? packets[e.packet].from.stream : packets[e.packet].to.stream;
}
/* By time, stream, packet: as kernel_model_input.ends are. */
static inline int kernel_end_compare(
	const struct kernel_bridge *packets, struct kernel_end a, struct kernel_end b)
{
	int64_t s = kernel_end_time(packets, a), t = kernel_end_time(packets, b);
	if (s != t)
		return s < t ? -1 : 1;
	uint32_t x = kernel_end_stream(packets, a), y = kernel_end_stream(packets, b);
	if (x != y)
		return x < y ? -1 : 1;
	return (a.packet > b.packet) - (a.packet < b.packet);
}

struct kernel_model_input {
	const struct mer_experiment *e;
	uint32_t host; /* of e */
	const struct kernel_layouts *layouts;
	/* Its first and last event of any kind; both 0: those that are read. */
	int64_t begin, end;
	struct kernel_losses *losses;  /* of this host */
	struct kernel_bridge *packets; /* of the world; this host's sides of them are filled */
	const struct kernel_end *ends; /* by time, stream, packet */
	size_t n_ends;
	/* Events of some host were lost; the layouts were made with KERNEL_WANT_PACKETS. */
	bool has_losses;
	const struct kernel_observer *observer; /* NULL: there is no observer */
};

struct kernel_model;

/* h: initialized; is filled. What in points to must outlive the model. */
int kernel_model_new(const struct kernel_model_input *in, struct kernel_host *h,
	struct kernel_model **model, struct mer_err *err);
void kernel_model_free(struct kernel_model *);
int kernel_model_run(
	struct kernel_model *, const struct mer_event *ev, size_t n, struct mer_err *err);
/* After the last event: ends what is open. */
int kernel_model_finish(struct kernel_model *, struct mer_err *err);
#endif
