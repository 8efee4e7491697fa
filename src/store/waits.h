/* Waits in a file: what path/blocked.h finds of a world, which needs all spans of all tasks. */
#ifndef MER_STORE_WAITS_H
#define MER_STORE_WAITS_H

#include "path/blocked.h"
#include "store/sections.h"

/* variant: of several worlds of the same spans. */
void store_waits_put(struct store_writer *w, uint32_t variant, const struct blocked *b);
/* blocked_fini in any case. MER_ERR_INPUT: they are damaged, or not there. */
int store_waits_get(const struct store_file *f, uint32_t variant, const struct kernel_world *world,
	struct blocked *b, struct mer_err *err);

#endif
