#include "kernel/receivers.h"

static void find_on(const struct kernel_world *w, uint32_t host, uint32_t *tasks)
{
	const struct kernel_host *h = &w->hosts[host];
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		if (s->state == KERNEL_BLOCKED && s->cause == KERNEL_NETWORK &&
			s->source < w->n_bridges)
			tasks[s->source] = s->task;
	}
}

int kernel_receivers_find(const struct kernel_world *w, uint32_t *tasks, struct mer_err *err)
{
	struct mer_err why;
	if (w->saved.get_receivers && w->saved.get_receivers(w->saved.ctx, w, tasks, &why) == 0)
		return 0;
	for (uint32_t i = 0; i < w->n_bridges; i++)
		tasks[i] = KERNEL_NONE;
	int rc = 0;
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++) {
		find_on(w, h, tasks);
		rc = kernel_world_go_on(w, err);
	}
	return rc;
}
