#include "kernel/bridge.h"

#include "kernel/world.h"

enum { ANSWERS = 64 }; /* bridges that answer bridges that ...: followed this far */

bool kernel_bridge_origin(
	const struct kernel_world *w, uint32_t host, uint32_t bridge, struct kernel_waker *by)
{
	for (int i = 0; i < ANSWERS && bridge < w->n_bridges; i++) {
		const struct kernel_bridge *b = kernel_bridge_at(w, bridge);
		if (b->to.host != host || b->to.time > by->asked)
			return false;
		by->asked = b->from.time;
		host = b->from.host;
		if (b->from.span != KERNEL_NONE) {
			const struct kernel_host *h = &w->hosts[host];
			by->host = host;
			by->span = b->from.span;
			by->task = kernel_span(h, by->span)->task;
			by->asked = kernel_bridge_asked(b, h);
			return true;
		}
		bridge = b->answers;
	}
	return false;
}
