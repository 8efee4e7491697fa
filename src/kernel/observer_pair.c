#include "kernel/observer_pair.h"

#include <stdlib.h>

#include "kernel/listeners.h"

bool kernel_observer_pairs_make(struct kernel_observer_pairs *p, uint32_t n,
	const struct kernel_observer *first, const struct kernel_observer *second)
{
	p->listeners = calloc((size_t)n + 1, sizeof(*p->listeners));
	p->both = calloc((size_t)n + 1, sizeof(*p->both));
	if (!p->listeners || !p->both)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct kernel_listeners *l = &p->listeners[i];
		kernel_listeners_add(l, &first[i], first[i].wants, first[i].ctx);
		kernel_listeners_add(l, &second[i], second[i].wants, second[i].ctx);
		p->both[i] = kernel_listeners_observer(l);
	}
	return true;
}

void kernel_observer_pairs_fini(struct kernel_observer_pairs *p)
{
	free(p->listeners);
	free(p->both);
	*p = (struct kernel_observer_pairs){ 0 };
}
