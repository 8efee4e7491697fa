/* Who the time of a path belongs to, with how much of it packets were on their way, which is
 * nobody's. */
#include <stdlib.h>

#include "ask/path/path_print.h"
#include "ask/session.h"

/* Sums of time in flight: ns[number of the row]. */
static int sum_flights(const struct ask_path *c, bool tasks, struct ask_path_share *rows, size_t n)
{
	const struct path *p = c->p;
	struct mer_map map = { 0 }; /* host << 32 | task -> number of the row, plus 1 */
	bool failed = false;
	if (!p->in_flight_ns)
		return 0;
	for (size_t i = 0; i < n && !failed; i++) {
		const struct path_share *r = &rows[i].share;
		uint32_t *number = mer_map_put(
			&map, (uint64_t)r->host << 32 | (tasks ? r->task : KERNEL_NONE));
		failed = !number;
		if (number)
			*number = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < p->n_segments && !failed; i++) {
		const struct path_segment *s = &p->segments[i];
		if (!s->in_flight)
			continue;
		const uint32_t *number = mer_map_get(
			&map, (uint64_t)s->host << 32 | (tasks ? s->task : KERNEL_NONE));
		if (number && *number)
			rows[*number - 1].in_flight_ns += s->end - s->begin;
	}
	mer_map_fini(&map);
	return failed ? mer_fail_nomem(&c->ask->err) : 0;
}

bool ask_path_crosses(const struct path *p, const struct path_segment *s)
{
	const struct kernel_bridge *k = s->in_flight && s->source < p->world->n_bridges
						? kernel_bridge_at(p->world, s->source)
						: NULL;
	return k && k->from.host != k->to.host;
}

bool ask_path_is_below_bound(const struct ask_path *c, const struct path_segment *s)
{
	if (!ask_path_crosses(c->p, s) || !c->w->synced)
		return false;
	const struct kernel_bridge *k = kernel_bridge_at(c->p->world, s->source);
	int64_t bound = c->w->synced->summary.median_ns;
	return bound != INT64_MAX && k->to.time - k->from.time < bound;
}

int ask_path_shares(const struct ask_path *c, bool tasks, struct ask_path_share **rows, size_t *n)
{
	struct path_share *shares;
	size_t all;
	*rows = NULL;
	*n = 0;
	int rc = tasks ? path_by_task(c->p, &shares, &all, &c->ask->err)
		       : path_by_host(c->p, &shares, &all, &c->ask->err);
	if (rc)
		return rc;
	*rows = calloc(all + 1, sizeof(**rows));
	for (size_t i = 0; *rows && i < all; i++)
		(*rows)[i].share = shares[i];
	free(shares);
	if (!*rows)
		return mer_fail_nomem(&c->ask->err);
	*n = all;
	return sum_flights(c, tasks, *rows, all);
}
