#include "analysis/partial.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/fold.h"

bool analysis_partials_init(struct analysis_partials *p, uint32_t n_hosts, size_t n)
{
	*p = (struct analysis_partials){ .n = n, .n_hosts = n_hosts };
	p->of = calloc(n * n_hosts + 1, sizeof(*p->of));
	p->idle = calloc(n + 1, sizeof(*p->idle));
	return p->of && p->idle;
}

void analysis_partials_fini(struct analysis_partials *p)
{
	for (size_t i = 0; p->of && i < p->n * p->n_hosts; i++)
		mer_str_fini(&p->of[i]);
	free(p->of);
	free(p->idle);
	*p = (struct analysis_partials){ 0 };
}

/* Of hosts whose traces were read apart, however much is known of them. */
static const char *needs_traces(const struct analysis_request *r)
{
	if (strcmp(r->analysis->id, "mpi") == 0)
		return "needs the ranks of all hosts";
	if (strcmp(r->analysis->id, "vm") == 0)
		return "needs guests beside their hypervisors";
	return NULL;
}

const char *analysis_needs_traces(const struct analysis_request *requests, size_t n)
{
	const char *why = n ? needs_traces(&requests[0]) : NULL;
	for (size_t i = 1; i < n && why; i++)
		why = needs_traces(&requests[i]);
	return why;
}

static const char *why_not(const struct analysis_request *r)
{
	const struct analysis_output *o = &r->analysis->outputs[r->output];
	if (!o->fold || r->analysis->of_periods)
		return "is made of all events, not of what single hosts have";
	if (o->fold->finishes_together)
		return "has a table of all places at once";
	for (size_t i = 0; i < FOLD_KINDS && o->fold->kinds[i]; i++) {
		const struct fact_maker *m = o->fold->kinds[i]->maker;
		if (m->requests)
			return "needs requests, whose ends are on several hosts";
		if (m->messages || m->of_world)
			return "needs both ends of messages, which are on several hosts";
	}
	return needs_traces(r);
}

const char *analysis_cannot_merge(const struct analysis_request *requests, size_t n)
{
	const char *why = NULL;
	for (size_t i = 0; i < n && !why; i++)
		why = why_not(&requests[i]);
	return why;
}
