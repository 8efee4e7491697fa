/* Saves whom bridges ended a wait of (kernel/receivers.h), which only all spans tell. */
#ifndef MER_STORE_RECEIVERS_H
#define MER_STORE_RECEIVERS_H

#include "kernel/world.h"
#include "store/sections.h"

int store_put_receivers(
	struct store_writer *w, const struct kernel_world *world, struct mer_err *err);
/* tasks: by bridge. MER_ERR_INPUT: damaged or missing. */
int store_get_receivers(const struct store_file *f, const struct kernel_world *world,
	uint32_t *tasks, struct mer_err *err);

#endif
