#include "kernel/observer_pair.h"

#include <stdlib.h>

/* A callback that hands on what it hears. */
#define BOTH(name, parameters, arguments)                                                          \
	static int both_##name parameters                                                          \
	{                                                                                          \
		const struct kernel_observer_pair *pair = ctx;                                     \
		const struct kernel_observer *o = pair->first;                                     \
		int rc = 0;                                                                        \
		if (o->name) {                                                                     \
			ctx = o->ctx;                                                              \
			rc = o->name arguments;                                                    \
		}                                                                                  \
		o = pair->second;                                                                  \
		if (rc == 0 && o->name) {                                                          \
			ctx = o->ctx;                                                              \
			rc = o->name arguments;                                                    \
		}                                                                                  \
		return rc;                                                                         \
	}
#define BOTH_OF(name, type)                                                                        \
	BOTH(name, (void *ctx, const struct kernel_host *h, const struct type *x), (ctx, h, x))

BOTH(span, (void *ctx, const struct kernel_host *h, uint32_t span, int64_t end),
	(ctx, h, span, end))
BOTH_OF(call, kernel_call_end)
BOTH_OF(unseen_call, kernel_call_end)
BOTH_OF(moved, kernel_moved)
BOTH_OF(told_socket, kernel_told_socket)
BOTH_OF(open_call, kernel_open_call)
BOTH(request, (void *ctx, const struct kernel_host *h, uint32_t request), (ctx, h, request))
BOTH_OF(interrupt, kernel_interrupt)
BOTH_OF(idle, kernel_idle)
BOTH(switched, (void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time),
	(ctx, h, cpu, time))
BOTH(woken_ready,
	(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by),
	(ctx, h, task, time, by))
BOTH_OF(packet, kernel_packet_seen)
BOTH_OF(memory, kernel_memory)
BOTH_OF(signal, kernel_signal)
BOTH(migrate,
	(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint16_t from,
		uint16_t to),
	(ctx, h, task, time, from, to))
BOTH(frequency, (void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time, uint64_t khz),
	(ctx, h, cpu, time, khz))
BOTH_OF(merge, kernel_merge)

/* An event that neither observer wants is not reported at all. */
#define HEARD(name) .name = a->name || b->name ? both_##name : NULL

struct kernel_observer kernel_observe_both(struct kernel_observer_pair *pair)
{
	const struct kernel_observer *a = pair->first, *b = pair->second;
	return (struct kernel_observer){ .ctx = pair,
		.wants = a->wants | b->wants,
		HEARD(span),
		HEARD(call),
		HEARD(unseen_call),
		HEARD(moved),
		HEARD(told_socket),
		HEARD(open_call),
		HEARD(request),
		HEARD(interrupt),
		HEARD(idle),
		HEARD(switched),
		HEARD(woken_ready),
		HEARD(packet),
		HEARD(memory),
		HEARD(signal),
		HEARD(migrate),
		HEARD(frequency),
		HEARD(merge) };
}

bool kernel_observer_pairs_make(struct kernel_observer_pairs *p, uint32_t n,
	const struct kernel_observer *first, const struct kernel_observer *second)
{
	p->pairs = calloc((size_t)n + 1, sizeof(*p->pairs));
	p->both = calloc((size_t)n + 1, sizeof(*p->both));
	if (!p->pairs || !p->both)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		p->pairs[i] = (struct kernel_observer_pair){ &first[i], &second[i] };
		p->both[i] = kernel_observe_both(&p->pairs[i]);
	}
	return true;
}

void kernel_observer_pairs_fini(struct kernel_observer_pairs *p)
{
	free(p->pairs);
	free(p->both);
	*p = (struct kernel_observer_pairs){ 0 };
}
