#include "requests/of_tracer.h"

#include <stdlib.h>

#include "analysis/tracer.h"

int requests_of_tracer_find(
	const struct requests *r, struct requests_of_tracer *t, struct mer_err *err)
{
	uint32_t n = r->w->n_hosts;
	*t = (struct requests_of_tracer){ .r = r,
		.tasks = calloc((size_t)n + 1, sizeof(*t->tasks)) };
	bool ok = t->tasks != NULL;
	for (uint32_t h = 0; ok && h < n; h++)
		ok = (t->tasks[h] = analysis_tracer_tasks(&r->w->hosts[h])) != NULL;
	return ok ? 0 : mer_fail_nomem(err);
}

void requests_of_tracer_fini(struct requests_of_tracer *t)
{
	if (t->r)
		analysis_tracer_free(t->tasks, t->r->w->n_hosts);
	*t = (struct requests_of_tracer){ 0 };
}

bool requests_of_tracer_has(const struct requests_of_tracer *t, uint32_t exchange)
{
	const struct requests_exchange *x = &t->r->exchanges[exchange];
	const struct requests_end *ends = requests_connection_of(t->r, exchange)->ends;
	const uint32_t tasks[REQUESTS_N_SIDES] = { x->client_task,
		x->server_task == KERNEL_NONE ? x->reader : x->server_task };
	for (int side = 0; side < REQUESTS_N_SIDES; side++)
		if (ends[side].socket != KERNEL_NONE && tasks[side] != KERNEL_NONE &&
			t->tasks[ends[side].host][tasks[side]])
			return true;
	return false;
}
