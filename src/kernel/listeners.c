#include "kernel/listeners.h"

#include "kernel/events.h"

#define HAND_ON(member, parameters, arguments)                                                     \
	static int on_##member parameters                                                          \
	{                                                                                          \
		const struct kernel_listeners *l = ctx;                                            \
		for (size_t i = 0; l->member[i].on; i++) {                                         \
			void *listener = l->member[i].ctx;                                         \
			int rc = l->member[i].on(listener, h, SPREAD arguments);                   \
			if (rc)                                                                    \
				return rc;                                                         \
		}                                                                                  \
		return 0;                                                                          \
	}
#define SPREAD(...) __VA_ARGS__
KERNEL_REPORTS(HAND_ON)

static int on_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	const struct kernel_listeners *listeners = ctx;
	int rc = 0;
	for (const struct kernel_event_listener *l = listeners->event; l->on && rc == 0; l++)
		if (l->wants & KERNEL_WANT_KIND(e->kind))
			rc = l->on(l->ctx, h, e);
	return rc;
}

#define ADD_LISTENER(member, parameters, arguments)                                                \
	if (on->member) {                                                                          \
		size_t i = 0;                                                                      \
		while (l->member[i].on)                                                            \
			i++;                                                                       \
		l->member[i].on = on->member;                                                      \
		l->member[i].ctx = ctx;                                                            \
	}
void kernel_listeners_add(
	struct kernel_listeners *l, const struct kernel_observer *on, uint64_t wants, void *ctx)
{
	size_t n = 0;
	KERNEL_REPORTS(ADD_LISTENER)
	while (l->event[n].on)
		n++;
	if (on->event)
		l->event[n] = (struct kernel_event_listener){ on->event, ctx, wants };
	l->wants |= wants;
}

#define OBSERVE(member, parameters, arguments) o.member = l->member[0].on ? on_##member : NULL;
struct kernel_observer kernel_listeners_observer(struct kernel_listeners *l)
{
	struct kernel_observer o = {
		.ctx = l, .wants = l->wants, .event = l->event[0].on ? on_event : NULL
	};
	KERNEL_REPORTS(OBSERVE)
	return o;
}
