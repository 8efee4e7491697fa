#include "analysis/listeners.h"

#define HAND_ON(member, parameters, arguments)                                                     \
	static int on_##member parameters                                                          \
	{                                                                                          \
		const struct listeners *l = ctx;                                                   \
		for (size_t i = 0; l->member[i].on; i++) {                                         \
			void *listener = l->member[i].ctx;                                         \
			int rc = l->member[i].on(listener, h, SPREAD arguments);                   \
			if (rc)                                                                    \
				return rc;                                                         \
		}                                                                                  \
		return 0;                                                                          \
	}
#define SPREAD(...) __VA_ARGS__
LISTENERS_REPORTS(HAND_ON)

#define ADD_LISTENER(member, parameters, arguments)                                                \
	if (on->member) {                                                                          \
		size_t i = 0;                                                                      \
		while (l->member[i].on)                                                            \
			i++;                                                                       \
		l->member[i].on = on->member;                                                      \
		l->member[i].ctx = ctx;                                                            \
	}
void listeners_add(struct listeners *l, const struct kernel_observer *on, void *ctx)
{
	LISTENERS_REPORTS(ADD_LISTENER)
}

#define OBSERVE(member, parameters, arguments) o.member = l->member[0].on ? on_##member : NULL;
struct kernel_observer listeners_observer(struct listeners *l)
{
	struct kernel_observer o = { .ctx = l };
	LISTENERS_REPORTS(OBSERVE)
	return o;
}
