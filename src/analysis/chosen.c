#include "analysis/chosen.h"

#include <stdlib.h>

static int choose_of_host(const struct analysis_run *run, const struct kernel_host *h,
	struct mer_arena *arena, struct analysis_chosen *c, struct mer_err *err)
{
	const struct analysis_options *o = run->options;
	bool *wanted = mer_arena_zalloc(arena, (size_t)h->n_tasks + 1, sizeof(*wanted));
	if (!wanted)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		wanted[i] = o->wants_task(o->ctx, h, i);
	*c = (struct analysis_chosen){ wanted, h->n_tasks };
	return 0;
}

int analysis_choose(struct analysis_run *run, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err)
{
	uint32_t n = run->e->n_hosts;
	struct kernel_observer *silent = calloc((size_t)n + 1, sizeof(*silent));
	struct analysis_chosen *chosen =
		mer_arena_zalloc(&run->arena, (size_t)n + 1, sizeof(*chosen));
	struct kernel_world_options names = *o;
	struct kernel_world *world = NULL;
	int rc = silent && chosen ? 0 : mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < n; h++)
		silent[h].wants = o->observers[h].wants; /* the same events: the same tasks */
	names.observers = silent;
	names.drop = NULL;
	names.again = true;
	names.no_guests = true;
	names.keeper = NULL;
	/* Names of all the time are known where only a part is read: nothing more has to be. */
	struct kernel_window none;
	if (o->window) {
		none = *o->window;
		none.until = none.begin;
		none.is_told = false;
		names.window = &none;
	}
	if (rc == 0)
		rc = kernel_world_build(run->e, NULL, r, &names, &world, err);
	for (uint32_t h = 0; rc == 0 && h < n; h++)
		rc = choose_of_host(run, &world->hosts[h], &run->arena, &chosen[h], err);
	kernel_world_free(world);
	free(silent);
	run->chosen = rc == 0 ? chosen : NULL;
	return rc;
}
