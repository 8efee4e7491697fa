/* Several observers of the model of one host, which takes only one: each report goes to all that
 * want it, in the order in which they were added, until one fails. */
#ifndef MER_KERNEL_LISTENERS_H
#define MER_KERNEL_LISTENERS_H

#include "kernel/observer.h"

enum { KERNEL_LISTENERS_MOST = 64 };

/* What the model reports: member of struct kernel_observer, parameters, arguments. */
#define KERNEL_REPORTS(X)                                                                          \
	X(span, (void *ctx, const struct kernel_host *h, uint32_t span, int64_t end), (span, end)) \
	X(call, (void *ctx, const struct kernel_host *h, const struct kernel_call_end *c), (c))    \
	X(unseen_call, (void *ctx, const struct kernel_host *h, const struct kernel_call_end *c),  \
		(c))                                                                               \
	X(moved, (void *ctx, const struct kernel_host *h, const struct kernel_moved *x), (x))      \
	X(told_socket,                                                                             \
		(void *ctx, const struct kernel_host *h, const struct kernel_told_socket *x), (x)) \
	X(open_call, (void *ctx, const struct kernel_host *h, const struct kernel_open_call *c),   \
		(c))                                                                               \
	X(request, (void *ctx, const struct kernel_host *h, uint32_t request), (request))          \
	X(interrupt, (void *ctx, const struct kernel_host *h, const struct kernel_interrupt *x),   \
		(x))                                                                               \
	X(idle, (void *ctx, const struct kernel_host *h, const struct kernel_idle *x), (x))        \
	X(switched, (void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time),          \
		(cpu, time))                                                                       \
	X(woken_ready,                                                                             \
		(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,              \
			uint32_t by),                                                              \
		(task, time, by))                                                                  \
	X(packet, (void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p),    \
		(p))                                                                               \
	X(migrate,                                                                                 \
		(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,              \
			uint16_t from, uint16_t to),                                               \
		(task, time, from, to))                                                            \
	X(merge, (void *ctx, const struct kernel_host *h, const struct kernel_merge *m), (m))

/* The observers, in order: each list ends with an entry without a function. */
#define KERNEL_LISTENERS_OF(member, parameters, arguments)                                         \
	struct {                                                                                   \
		int(*on) parameters;                                                               \
		void *ctx;                                                                         \
	} member[KERNEL_LISTENERS_MOST + 1];

struct kernel_listeners { /* zeroed: no observers */
	KERNEL_REPORTS(KERNEL_LISTENERS_OF)
	struct kernel_event_listener { /* as above; it gets only events that it wants */
		int (*on)(
			void *ctx, const struct kernel_host *h, const struct kernel_told_event *e);
		void *ctx;
		uint64_t wants;
	} event[KERNEL_LISTENERS_MOST + 1];
	uint64_t wants; /* of all */
};

/* An observer with another context and other wants than its own; at most
 * KERNEL_LISTENERS_MOST. */
void kernel_listeners_add(
	struct kernel_listeners *l, const struct kernel_observer *on, uint64_t wants, void *ctx);
/* The observer to give to the model; l must outlive it. It has callbacks only for reports that
 * some observer wants, so the model does not produce the others. */
struct kernel_observer kernel_listeners_observer(struct kernel_listeners *l);

#endif
