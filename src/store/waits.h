/* Waits in a file: the result of path/blocked.h, which takes all spans of all tasks to compute. */
#ifndef MER_STORE_WAITS_H
#define MER_STORE_WAITS_H

#include "path/blocked.h"
#include "store/sections.h"

/* variant: distinguishes several worlds of the same spans. */
void store_waits_put(struct store_writer *w, uint32_t variant, const struct blocked *b);
/* Call blocked_fini in any case. MER_ERR_INPUT: the waits are damaged or missing. */
int store_waits_get(const struct store_file *f, uint32_t variant, const struct kernel_world *world,
	struct blocked *b, struct mer_err *err);

#endif
