#include "analysis/relations/idle.h"

#include <stdlib.h>

#include "path/blocked.h"
#include "base/grow.h"

static uint64_t key_of(uint32_t from_host, uint32_t from, uint32_t to_host, uint32_t to)
{
	uint32_t key[4] = { from_host, from, to_host, to };
	return mer_hash(key, sizeof(key));
}

static struct relation_idle_pair *pair_of(struct relation_idle *x, uint64_t key)
{
	uint32_t *at = mer_map_put(&x->map, key);
	if (!at)
		return NULL;
	if (!*at) {
		if (!mer_grow(&x->pairs, x->n, &x->cap, sizeof(*x->pairs)))
			return NULL;
		x->pairs[x->n++] = (struct relation_idle_pair){ 0 };
		*at = (uint32_t)x->n;
	}
	return &x->pairs[*at - 1];
}

/* All waits of selected tasks count. */
static bool is_chosen(const struct analysis_run *run, uint32_t host, uint32_t task)
{
	const struct analysis_options *o = run->options;
	return o->wants_task && o->wants_task(o->ctx, &run->world->hosts[host], task);
}

int relation_idle_find(const struct analysis_run *run, struct relation_idle *x)
{
	const struct kernel_world *w = run->world;
	struct blocked b;
	*x = (struct relation_idle){ 0 };
	int rc = blocked_find(w, &b, run->err);
	for (uint32_t host = 0; host < w->n_hosts && rc == 0; host++) {
		const struct blocked_host *h = &b.hosts[host];
		for (size_t i = 0; i < h->n && rc == 0; i++) {
			const struct blocked_wait *v = &h->waits[i];
			if (v->by_task == KERNEL_NONE || !analysis_is_asked(run->options, v->end))
				continue;
			struct relation_idle_pair *p =
				pair_of(x, key_of(v->by_host, v->by_task, host, v->task));
			if (!p)
				rc = mer_fail_nomem(run->err);
			else if (blocked_class_of(v, is_chosen(run, host, v->task)) ==
				 BLOCKED_REQUEST)
				p->felt += v->end - v->begin;
			else
				p->idle += v->end - v->begin;
		}
	}
	blocked_fini(&b);
	return rc;
}

int64_t relation_idle_of(const struct relation_idle *x, const struct relation *r)
{
	const uint32_t *at = mer_map_get(&x->map, key_of(r->from_host, r->from, r->to_host, r->to));
	if (!at || !*at)
		return 0;
	const struct relation_idle_pair *p = &x->pairs[*at - 1];
	double all = (double)p->idle + (double)p->felt;
	int64_t idle = all > 0 ? (int64_t)((double)r->wait_ns * ((double)p->idle / all)) : 0;
	if (idle > p->idle) /* the rest of the wait was spinning for a lock */
		idle = p->idle;
	return idle < r->wait_ns ? idle : r->wait_ns;
}

void relation_idle_fini(struct relation_idle *x)
{
	mer_map_fini(&x->map);
	free(x->pairs);
}
