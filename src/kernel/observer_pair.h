/* Observer pair: two observers of each host as one, the first hears everything before the second.
 * For what is found in one reading. */
#ifndef MER_KERNEL_OBSERVER_PAIR_H
#define MER_KERNEL_OBSERVER_PAIR_H

#include "kernel/observer.h"

struct kernel_observer_pairs { /* of all hosts */
	struct kernel_listeners *listeners;
	struct kernel_observer *both; /* by host: for kernel_world_options */
};

/* Of n hosts; first and second are arrays of observers, which are copied. False: no memory.
 * kernel_observer_pairs_fini in any case. */
bool kernel_observer_pairs_make(struct kernel_observer_pairs *p, uint32_t n,
	const struct kernel_observer *first, const struct kernel_observer *second);
void kernel_observer_pairs_fini(struct kernel_observer_pairs *p); /* a zeroed one is fine */

#endif
