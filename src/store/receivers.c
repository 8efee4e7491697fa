#include "store/receivers.h"

#include <stdlib.h>

#include "kernel/receivers.h"
#include "store/columns.h"
#include "store/types.h"

static const struct store_column task = {
	.bytes = sizeof(uint32_t), .packing = STORE_DICT, .has_none = true
};
static const struct store_columns tasks_of = { sizeof(uint32_t), &task, 1 };

int store_put_receivers(
	struct store_writer *w, const struct kernel_world *world, struct mer_err *err)
{
	uint32_t *tasks = malloc(((size_t)world->n_bridges + 1) * sizeof(*tasks));
	int rc = tasks ? kernel_receivers_find(world, tasks, err) : mer_fail_nomem(err);
	if (rc == 0)
		store_put_columns(w, STORE_RECEIVERS, 0, 0, &tasks_of, tasks, world->n_bridges);
	free(tasks);
	return rc;
}

/* Which host a bridge led to is not looked at here: that would decode all of them. */
int store_get_receivers(const struct store_file *f, const struct kernel_world *world,
	uint32_t *tasks, struct mer_err *err)
{
	uint32_t most = 0;
	bool ok = store_get_columns(f, STORE_RECEIVERS, 0, 0, &tasks_of, tasks, world->n_bridges);
	for (uint32_t h = 0; h < world->n_hosts; h++)
		most = world->hosts[h].n_tasks > most ? world->hosts[h].n_tasks : most;
	for (uint32_t i = 0; ok && i < world->n_bridges; i++)
		ok = tasks[i] < most || tasks[i] == KERNEL_NONE;
	return ok ? 0 : mer_fail(err, MER_ERR_INPUT, "damaged receivers in the store");
}
