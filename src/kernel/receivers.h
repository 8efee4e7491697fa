/* Receivers: whom what came over a bridge ended a wait of. */
#ifndef MER_KERNEL_RECEIVERS_H
#define MER_KERNEL_RECEIVERS_H

#include "kernel/world.h"

/* tasks: by bridge, of its receiving host; of several the one that began to wait last. KERNEL_NONE:
 * it ended no wait. Looks at all spans, unless the world is a saved one. */
int kernel_receivers_find(const struct kernel_world *w, uint32_t *tasks, struct mer_err *err);

#endif
