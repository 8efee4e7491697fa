#include "store/parts_packets.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "store/facts.h"

struct collecting {
	const struct store_parts *parts;
	uint32_t host;
	struct mer_spill *spill;
	struct packet **of;
	size_t *n, cap;
};

static int collect(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct collecting *c = ctx;
	(void)h;
	for (size_t i = 0; i < n; i++) {
		if (!mer_spill_grow(c->spill, c->of, *c->n, &c->cap, sizeof(**c->of)))
			return mer_fail_nomem(err);
		struct packet *x = &(*c->of)[(*c->n)++];
		memcpy(x, (const struct packet *)facts + i, sizeof(*x));
		if (x->packet != KERNEL_NONE &&
			!store_parts_packet(c->parts, c->host, &x->packet, 0))
			return mer_fail(err, MER_ERR_INPUT, "packets that cannot be");
	}
	return 0;
}

/* Numbers of other hosts' tasks are not looked at before they are made anew. */
static int read_host(struct store_packets *p, const struct store_parts *parts, uint32_t number,
	const struct kernel_world *w, uint32_t host, struct mer_err *err)
{
	const struct fact_range all = { INT64_MIN, INT64_MAX, NULL };
	struct collecting c = { parts, host, w->spill, &p->of[host], &p->n[host], 0 };
	return store_facts_read(parts->of[host], host, number, &fact_packet, &w->hosts[host],
		STORE_NEEDS_ALL, &all, collect, &c, err);
}

int store_packets_join(struct store_packets *p, const struct store_parts *parts, uint32_t number,
	const struct kernel_world *w, struct mer_err *err)
{
	int rc = 0;
	p->of = calloc((size_t)w->n_hosts + 1, sizeof(struct packet *));
	p->n = calloc((size_t)w->n_hosts + 1, sizeof(*p->n));
	if (!p->of || !p->n)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++)
		if (parts->is_there[h])
			rc = read_host(p, parts, number, w, h, err);
	return rc ? rc : packets_join(w, p->of, p->n, err);
}

void store_packets_fini(struct store_packets *p, uint32_t n_hosts)
{
	for (uint32_t h = 0; p->of && h < n_hosts; h++)
		mer_spill_release(p->of[h]);
	free(p->of);
	free(p->n);
	*p = (struct store_packets){ 0 };
}
