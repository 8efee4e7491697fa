#include "net_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

static const int64_t SPAN = 1000000;

static int by_value(const void *a, const void *b)
{
	int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
	return (p > q) - (p < q);
}

/* Two disjoint ranges, or one. */
static size_t ranges(struct sync_range r[2], uint64_t *seed)
{
	int64_t ends[4];
	for (int i = 0; i < 4; i++)
		ends[i] = random_in(seed, -SPAN / 10, SPAN + SPAN / 10);
	qsort(ends, 4, sizeof(*ends), by_value);
	r[0] = (struct sync_range){ ends[0], ends[1] };
	r[1] = (struct sync_range){ ends[2], ends[3] };
	return random_next(seed) & 1 ? 2 : 1;
}

/* Instants, no two at one time: inside a step nothing says which of them comes first. */
static void make_times(struct net_case *c, uint32_t h, uint64_t *seed)
{
	int64_t *t = c->t[h];
	for (int i = 0; i < c->n_instants; i++)
		t[i] = random_in(seed, 0, SPAN);
	qsort(t, (size_t)c->n_instants, sizeof(*t), by_value);
	for (int i = 1; i < c->n_instants; i++)
		t[i] = t[i] <= t[i - 1] ? t[i - 1] + 1 : t[i];
}

static bool linked(const struct sync_drift *d, int64_t t1, int64_t t2)
{
	size_t e = sync_drift_epoch(d, t1);
	return e == sync_drift_epoch(d, t2) && !(e & 1);
}

/* The farthest that a clock can go is what finds mistakes: often all of the budget is used. */
static void make_offsets(struct net_case *c, uint32_t h, uint64_t *seed)
{
	const struct sync_drift *d = &c->drift[h];
	int64_t *t = c->t[h], *o = c->offset[h];
	o[0] = random_in(seed, -SPAN, SPAN);
	for (int i = 1; i < c->n_instants; i++) {
		int64_t dt = t[i] - t[i - 1];
		if (linked(d, t[i - 1], t[i])) {
			int64_t most = sync_drift_budget(d, t[i]) - sync_drift_budget(d, t[i - 1]);
			o[i] = o[i - 1] + (random_next(seed) & 1
							  ? (random_next(seed) & 1 ? most : -most)
							  : random_in(seed, -most, most));
		} else {
			o[i] = o[i - 1] + random_in(seed, -dt, SPAN / 4);
		}
	}
	/* Beyond steps: instants on the same side of all of them are linked, also over one that is
	 * inside; a walk from one to the next keeps to that because only steps separate them. */
}

void net_case_make(struct net_case *c, unsigned kinds, int64_t least_ns, uint64_t *seed)
{
	memset(c, 0, sizeof(*c));
	c->n_hosts = (uint32_t)random_in(seed, 2, CASE_HOSTS);
	c->n_instants = (int)random_in(seed, 1, CASE_INSTANTS);
	c->reference[0] = true;
	for (uint32_t h = 0; h < c->n_hosts; h++) {
		struct sync_drift *d = &c->drift[h];
		struct sync_range r[2];
		make_times(c, h, seed);
		d->origin = random_in(seed, -SPAN, 2 * SPAN);
		if (c->reference[h])
			continue;
		d->max_rate = (double)random_in(seed, 0, 20) * 1e-3;
		if (kinds & CASE_SLEWS && random_next(seed) & 1) {
			d->n_slews = ranges(r, seed);
			for (size_t i = 0; i < d->n_slews; i++)
				c->slews[h][i] = (struct sync_slew){ r[i], 0,
					(double)random_in(seed, 20000, 200000) };
			d->slews = c->slews[h];
		}
		if (kinds & CASE_STEPS && random_next(seed) & 1) {
			d->n_steps = ranges(r, seed);
			for (size_t i = 0; i < d->n_steps; i++)
				c->steps[h][i] = (struct sync_step){ r[i], 0 };
			d->steps = c->steps[h];
		}
		make_offsets(c, h, seed);
	}
	int wanted = (int)random_in(seed, 1, CASE_MESSAGES - 1);
	for (int tries = 0; tries < 4 * wanted && c->n_messages < wanted; tries++) {
		net_case_add_any(c, seed);
		const struct case_message *m = &c->messages[c->n_messages - 1];
		if (c->t[m->to][m->j] + c->offset[m->to][m->j] -
				(c->t[m->from][m->i] + c->offset[m->from][m->i]) <
			least_ns)
			c->n_messages--;
	}
}

void net_case_add_any(struct net_case *c, uint64_t *seed)
{
	uint32_t from = (uint32_t)(random_next(seed) % c->n_hosts);
	uint32_t to = (from + 1 + (uint32_t)(random_next(seed) % (c->n_hosts - 1))) % c->n_hosts;
	int i = (int)random_in(seed, 0, c->n_instants - 1);
	int j = (int)random_in(seed, 0, c->n_instants - 1);
	c->messages[c->n_messages++] = (struct case_message){ from, to, i, j, false };
}

void net_case_messages(const struct net_case *c, struct sync_messages *m)
{
	assert_int_equal(sync_messages_init(m, c->n_hosts, NULL), 0);
	for (int k = 0; k < c->n_messages; k++) {
		const struct case_message *s = &c->messages[k];
		struct sync_link *l = sync_messages_link(m, s->from, s->to);
		assert_non_null(l);
		struct sync_message msg = { c->t[s->from][s->i], c->t[s->to][s->j] };
		assert_int_equal(sync_link_add(l, msg, SYNC_TCP, NULL), 0);
	}
	assert_int_equal(sync_messages_finish(m, NULL), 0);
}

int net_case_node(uint32_t host, int instant)
{
	return (int)host * CASE_INSTANTS + instant;
}

int64_t net_case_high(int64_t distance[CASE_NODES][CASE_NODES], int node)
{
	int64_t d = distance[CASE_NODES - 1][node];
	return d == CASE_FAR ? INT64_MAX : d;
}

int64_t net_case_low(int64_t distance[CASE_NODES][CASE_NODES], int node)
{
	int64_t d = distance[node][CASE_NODES - 1];
	return d == CASE_FAR ? INT64_MIN : -d;
}

static void least(int64_t *d, int64_t v)
{
	*d = v < *d ? v : *d;
}

bool net_case_solve(const struct net_case *c, const bool *fixed, int64_t slack_ns,
	int64_t distance[CASE_NODES][CASE_NODES])
{
	enum { ZERO = CASE_NODES - 1 };
	for (int i = 0; i < CASE_NODES; i++)
		for (int j = 0; j < CASE_NODES; j++)
			distance[i][j] = i == j ? 0 : CASE_FAR;
	/* What the net does not know of: instants without messages. Between them and others
	 * monotony would say more than between those others alone. */
	bool used[CASE_HOSTS][CASE_INSTANTS] = { 0 };
	for (int k = 0; k < c->n_messages; k++) {
		const struct case_message *m = &c->messages[k];
		used[m->from][m->i] = used[m->to][m->j] = true;
	}
	for (uint32_t h = 0; h < c->n_hosts; h++) {
		const struct sync_drift *d = &c->drift[h];
		for (int i = 0; i < c->n_instants; i++) {
			int a = net_case_node(h, i);
			int64_t t1 = c->t[h][i];
			if (!used[h][i])
				continue;
			if (fixed[h]) {
				distance[ZERO][a] = c->offset[h][i];
				distance[a][ZERO] = -c->offset[h][i];
				continue;
			}
			for (int j = i + 1; j < c->n_instants; j++) {
				int b = net_case_node(h, j);
				int64_t t2 = c->t[h][j];
				/* Time never runs backwards. */
				if (!used[h][j])
					continue;
				if (d->n_steps)
					distance[b][a] = t2 - t1;
				if (!linked(d, t1, t2))
					continue;
				int64_t budget =
					sync_drift_budget(d, t2) - sync_drift_budget(d, t1);
				least(&distance[a][b], budget);
				least(&distance[b][a], budget);
			}
		}
	}
	for (int k = 0; k < c->n_messages; k++) {
		const struct case_message *m = &c->messages[k];
		/* Between fixed hosts: they are given, whatever the messages say. */
		if (m->silent || (fixed[m->from] && fixed[m->to]))
			continue;
		least(&distance[net_case_node(m->to, m->j)][net_case_node(m->from, m->i)],
			c->t[m->to][m->j] - c->t[m->from][m->i] - slack_ns);
	}
	for (int k = 0; k < CASE_NODES; k++)
		for (int i = 0; i < CASE_NODES; i++) {
			if (distance[i][k] == CASE_FAR)
				continue;
			for (int j = 0; j < CASE_NODES; j++)
				if (distance[k][j] != CASE_FAR &&
					distance[i][k] + distance[k][j] > -CASE_FAR)
					least(&distance[i][j], distance[i][k] + distance[k][j]);
		}
	for (int i = 0; i < CASE_NODES; i++)
		if (distance[i][i] < 0 &&
			(distance[i][ZERO] != CASE_FAR || distance[ZERO][i] != CASE_FAR))
			return false;
	return true;
}
