#include "sync/limits/between.h"

#include <stdlib.h>
#include "base/sort.h"
#include "sync/limits/corridor.h"

enum {
	MANY_HOSTS = 64,
	INSTANTS = 512 /* maximum for each pair and host */
};

/* Chooses instants at which the host has messages with other hosts than the pair's; returns how
 * many. */
static size_t choose(const struct sync_messages *m, uint32_t host, uint32_t but, int64_t *t)
{
	size_t total = 0, n = 0, seen = 0;
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *l = &m->links[i];
		if (l->from != l->to && (l->from == host || l->to == host) && l->from != but &&
			l->to != but)
			total += l->n;
	}
	size_t each = total / INSTANTS + 1;
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *l = &m->links[i];
		if (l->from == l->to || (l->from != host && l->to != host) || l->from == but ||
			l->to == but)
			continue;
		for (size_t k = 0; k < l->n; k++)
			if (seen++ % each == 0 && n < INSTANTS)
				t[n++] = l->from == host ? l->messages[k].sent
							 : l->messages[k].received;
	}
	qsort(t, n, sizeof(*t), mer_compare_int64);
	return n;
}

/* Adds two links: the pair's limits at instants of the host `on`, as messages. */
static int say(const struct sync_messages *m, const struct sync_pairs *pairs, size_t number,
	uint32_t on, double max_rate, struct mer_arena *arena, struct sync_messages *all,
	struct mer_err *err)
{
	const struct sync_pair_scan *pair = &pairs->pairs[number];
	uint32_t other = pair->a == on ? pair->b : pair->a;
	int64_t t[INSTANTS];
	size_t n = choose(m, on, other, t);
	if (n == 0)
		return 0;
	struct sync_message *there = mer_arena_zalloc(arena, n, sizeof(*there));
	struct sync_message *back = mer_arena_zalloc(arena, n, sizeof(*back));
	struct sync_pair_points p;
	struct sync_corridor c;
	if (!there || !back)
		return mer_fail_nomem(err);
	int rc = sync_pair_points(m, pairs, number, on, pairs->out, &p, err);
	if (rc)
		return rc;
	sync_corridor_init(&c, max_rate);
	for (size_t i = 0; i < p.n_upper && rc == 0; i++)
		rc = sync_corridor_add(&c, true, p.upper[i], err);
	for (size_t i = 0; i < p.n_lower && rc == 0; i++)
		rc = sync_corridor_add(&c, false, p.lower[i], err);
	size_t k = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		int64_t low, high;
		if (!sync_corridor_limits(&c, t[i], &low, &high) || low > high)
			continue;
		there[k] = (struct sync_message){ t[i], sync_add(t[i], sync_add(high, 2)) };
		back[k++] = (struct sync_message){ sync_add(t[i], sync_sub(low, 2)), t[i] };
	}
	sync_corridor_free(&c);
	sync_points_free(&p);
	if (rc || k == 0)
		return rc;
	all->links[all->n_links++] =
		(struct sync_link){ .from = on, .to = other, .messages = there, .n = k };
	all->links[all->n_links++] =
		(struct sync_link){ .from = other, .to = on, .messages = back, .n = k };
	return 0;
}

int sync_between(const struct sync_messages *m, const struct sync_pairs *pairs,
	const struct sync_tree *tree, double max_rate, struct mer_arena *arena,
	struct sync_messages *all, struct mer_err *err)
{
	*all = *m;
	if (tree->n_hosts > MANY_HOSTS)
		return 0;
	all->links = mer_arena_zalloc(arena, m->n_links + 4 * pairs->n + 1, sizeof(*all->links));
	if (!all->links)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < m->n_links; i++)
		all->links[i] = m->links[i];
	int rc = 0;
	for (size_t i = 0; i < pairs->n && rc == 0; i++) {
		const struct sync_pair_scan *p = &pairs->pairs[i];
		if (tree->parent[p->a] == SYNC_NO_HOST || tree->parent[p->b] == SYNC_NO_HOST ||
			p->breaks.n || p->n_out || p->ab == SYNC_NO_LINK || p->ba == SYNC_NO_LINK)
			continue;
		rc = say(m, pairs, i, p->a, max_rate, arena, all, err);
		if (rc == 0)
			rc = say(m, pairs, i, p->b, max_rate, arena, all, err);
	}
	return rc;
}
