/* Bridges: what leads from something that a task of one host did to something on another one. A
 * packet is one kind of bridge; declared pairs of events and hypercalls are others.
 *
 * A span refers to spans of its own host only (kernel_span.by). What ended a wait from elsewhere is
 * a bridge: the number of one is in the span's source, and the bridge has the host and the span on
 * the other side. So a span keeps its 32 bytes, most wakers need no host, and a new way between
 * hosts is a kind of bridge and a cause; who follows wakers (kernel_waker_of, path/path.c) need not
 * know it. */
#ifndef MER_KERNEL_BRIDGE_H
#define MER_KERNEL_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/host.h"
#include "sync/messages.h"

struct kernel_bridge_end {
	int64_t time; /* ns, on the common time line */
	uint32_t host;
	/* The span of the task that did it. At the begin, KERNEL_NONE: an interrupt did it, or
	 * its event was not seen. At the end, the span of the task that was on the CPU, which
	 * need not be the receiver; KERNEL_NONE. */
	uint32_t span;
	uint32_t stream; /* of the experiment, which has the event; SYNC_NO_STREAM: not known */
	/* sync_endpoint (sync/match/end.h); 0: not known. The same for a connection */
	uint32_t endpoint;
};

/* A message whose two ends are events of the experiment. */
struct kernel_bridge {
	struct kernel_bridge_end from, to; /* from.time <= to.time */
	/* Without a span at the begin: the bridge to that host which this one answers;
	 * KERNEL_NONE. */
	uint32_t answers;
	uint8_t kind;	 /* enum sync_kind */
	uint8_t content; /* enum sync_content */
	/* The kernel held a packet back, for want of the receiver's hardware address: the span at
	 * its begin is what its task did when it left. */
	bool was_held;
};

/* The order of a world's bridges, as far as times and hosts tell: by times, then hosts; as
 * strcmp. */
static inline int kernel_bridge_compare(
	const struct kernel_bridge *a, const struct kernel_bridge *b)
{
	if (a->from.time != b->from.time)
		return a->from.time < b->from.time ? -1 : 1;
	if (a->to.time != b->to.time)
		return a->to.time < b->to.time ? -1 : 1;
	if (a->from.host != b->from.host)
		return a->from.host < b->from.host ? -1 : 1;
	return (a->to.host > b->to.host) - (a->to.host < b->to.host);
}

/* When its task had sent it, as far as is known without looking at the task. host: the sender. */
static inline int64_t kernel_bridge_asked(
	const struct kernel_bridge *p, const struct kernel_host *host)
{
	int64_t since = p->was_held ? kernel_span(host, p->from.span)->begin : p->from.time;
	return since < p->from.time ? since : p->from.time;
}

/* What ended a wait: a span, on any host. */
struct kernel_waker {
	uint32_t host, task, span;
	/* when it did what ended the wait: for a packet, when its task had sent it */
	int64_t asked;
};

struct kernel_world;
/* The task that started what came to the host over a bridge: the task at the begin of the
 * bridge, or at the begin of the bridge that it answers, and so on. by->asked: no later than it
 * was. False: no task, or not known; *by is then not usable. */
bool kernel_bridge_origin(
	const struct kernel_world *w, uint32_t host, uint32_t bridge, struct kernel_waker *by);

#endif
