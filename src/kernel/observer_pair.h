/* Observer pair: two observers of a host as one, the first hears everything before the second. For
 * what is found in one reading. */
#ifndef MER_KERNEL_OBSERVER_PAIR_H
#define MER_KERNEL_OBSERVER_PAIR_H

#include "kernel/observer.h"

struct kernel_observer_pair {
	const struct kernel_observer *first, *second; /* borrowed */
};

/* pair: as long as what is returned. */
struct kernel_observer kernel_observe_both(struct kernel_observer_pair *pair);

#endif
