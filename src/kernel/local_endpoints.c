#include "kernel/local_endpoints.h"

enum { AMBIGUOUS = 0 }; /* no endpoint has this number */

static bool put(struct kernel_local_endpoints *l, uint32_t host, uint32_t remote, uint32_t local)
{
	uint64_t key = (uint64_t)host << 32 | remote;
	uint32_t *was = mer_map_get(&l->local_of, key);
	if (was) {
		if (*was != local)
			*was = AMBIGUOUS;
		return true;
	}
	uint32_t *at = mer_map_put(&l->local_of, key);
	if (at)
		*at = local;
	return at != NULL;
}

bool kernel_local_endpoint(
	struct kernel_local_endpoints *l, uint32_t host, uint32_t remote, uint32_t *local)
{
	for (uint32_t i = 0; !l->is_filled && i < l->w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(l->w, i);
		if (p->kind == SYNC_TCP && p->from.endpoint &&
			(!put(l, p->to.host, p->from.endpoint, p->to.endpoint) ||
				!put(l, p->from.host, p->to.endpoint, p->from.endpoint)))
			return false;
	}
	/* Of peers that were not recorded. */
	for (uint32_t i = 0; !l->is_filled && i < l->w->n_singles; i++) {
		const struct kernel_single *p = &l->w->singles[i];
		if (!p->is_send && !put(l, p->host, p->source, p->destination))
			return false;
	}
	l->is_filled = true;
	const uint32_t *at = mer_map_get(&l->local_of, (uint64_t)host << 32 | remote);
	*local = at ? *at : AMBIGUOUS;
	return true;
}

void kernel_local_endpoints_fini(struct kernel_local_endpoints *l)
{
	mer_map_fini(&l->local_of);
}
