/* Networks of generated worlds. */
#include "world_network.h"

#include <stdlib.h>

struct world_link_options world_link_defaults(void)
{
	return (struct world_link_options){ .rate_hz = 1,
		.floor_ns = 40000,
		.jitter_ns = 100000,
		.burst_ns = 0,
		.burst_begins = 0.02,
		.burst_ends = 0.1,
		.busy_for_ns = 2000000000,
		.busy_every_ns = 2000000000 };
}

struct messages {
	struct world_message *m;
	size_t n, cap;
};

static int add(struct messages *all, struct world_message m, struct mer_err *err)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 64;
		struct world_message *p = realloc(all->m, cap * sizeof(*p));
		if (!p)
			return mer_fail_nomem(err);
		all->m = p;
		all->cap = cap;
	}
	all->m[all->n++] = m;
	return 0;
}

static int by_sent(const void *a, const void *b)
{
	const struct world_message *x = a, *y = b;
	if (x->sent != y->sent)
		return x->sent < y->sent ? -1 : 1;
	return (x->of > y->of) - (x->of < y->of);
}

struct busy { /* stretches in which an end has no CPU */
	struct world_random r;
	double until; /* of this stretch, or of the time between two */
	double more;  /* ns, for each message of this stretch; 0: none now */
};

/* What it adds to the delay of a message that is sent now. */
static double wait_for_cpu(const struct world_link_options *o, struct busy *b, double now)
{
	if (!o->busy_ns)
		return 0;
	while (b->until <= now) {
		bool begins = b->more <= 0;
		double mean = (double)(begins ? o->busy_for_ns : o->busy_every_ns);
		b->more = begins ? (double)o->busy_ns * world_random_exponential(&b->r) + 1 : 0;
		b->until += mean * world_random_exponential(&b->r) + 1;
	}
	if (b->more <= 0)
		return 0;
	return b->more + (double)o->busy_ns * world_random_exponential(&b->r);
}

/* One message of a link on its way. Always draws the same number of times for the same options. */
static struct world_message carry(const struct world_link_options *o, struct world_random *r,
	int64_t sent, bool congested, double more, int64_t *last)
{
	struct world_message m = { .sent = sent };
	double delay = more + (double)o->jitter_ns * world_random_exponential(r);
	if (congested)
		delay += (double)o->burst_ns * world_random_exponential(r);
	m.received = sent + o->floor_ns + (int64_t)delay;
	if (world_random_unit(r) < o->loss)
		m.flags |= WORLD_LOST;
	if (world_random_unit(r) < o->duplicate)
		m.flags |= WORLD_DUPLICATE;
	double hold = o->reorder_ns ? (double)o->reorder_ns : 3e9 / o->rate_hz;
	hold *= world_random_unit(r);
	if (world_random_unit(r) < o->reorder) {
		m.flags |= WORLD_REORDERED;
		m.received += (int64_t)hold;
	} else if (m.received <= *last) {
		m.received = *last + 1000; /* behind the one before, in the same queue */
	}
	if (!(m.flags & (WORLD_REORDERED | WORLD_LOST)))
		*last = m.received;
	return m;
}

int world_link_messages(const struct world_link_options *o, int64_t begin_ns, int64_t end_ns,
	uint64_t seed, struct world_message **messages, size_t *n, struct mer_err *err)
{
	struct messages all = { 0 };
	struct world_random when = world_random_new(seed, 1), how = world_random_new(seed, 2);
	struct busy busy = { .r = world_random_new(seed, 3), .until = (double)begin_ns };
	bool congested = false;
	int64_t last = INT64_MIN;
	double gap = 1e9 / o->rate_hz;
	uint32_t number = 0;
	int rc = 0;
	*messages = NULL;
	*n = 0;
	if (!(o->rate_hz > 0) || o->rate_hz > 1e8)
		return mer_fail(err, MER_ERR_USAGE, "a link needs 0 to 1e8 messages per second");
	/* Regular links do not all send at the same moments. */
	double t = (double)begin_ns + gap * world_random_unit(&when);
	for (; !rc && t < (double)end_ns;) {
		double p = world_random_unit(&how);
		congested = o->burst_ns && (congested ? p >= o->burst_ends : p < o->burst_begins);
		struct world_message m =
			carry(o, &how, (int64_t)t, congested, wait_for_cpu(o, &busy, t), &last);
		m.of = number++;
		rc = add(&all, m, err);
		for (int again = 0; !rc && m.flags & WORLD_LOST && o->retransmit_ns && again < 6;
			again++) { /* each time it is waited for twice as long */
			int64_t own = INT64_MIN;
			uint32_t of = m.of;
			m = carry(
				o, &how, m.sent + (o->retransmit_ns << again), congested, 0, &own);
			m.flags |= WORLD_RETRANSMISSION;
			m.of = of;
			rc = add(&all, m, err);
		}
		t += o->regular ? gap : gap * world_random_exponential(&when);
	}
	if (rc) {
		free(all.m);
		return rc;
	}
	if (all.n)
		qsort(all.m, all.n, sizeof(*all.m), by_sent);
	*messages = all.m;
	*n = all.n;
	return 0;
}

struct edges {
	struct world_edge *e;
	size_t n, cap;
};

static int add_edge(struct edges *all, uint32_t a, uint32_t b, struct mer_err *err)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 16;
		struct world_edge *p = realloc(all->e, cap * sizeof(*p));
		if (!p)
			return mer_fail_nomem(err);
		all->e = p;
		all->cap = cap;
	}
	all->e[all->n++] = a < b ? (struct world_edge){ a, b } : (struct world_edge){ b, a };
	return 0;
}

static int by_hosts(const void *p, const void *q)
{
	const struct world_edge *x = p, *y = q;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* Each host with an earlier one, so that it is connected; then chosen pairs. */
static int add_random(
	struct edges *all, uint32_t n, double degree, uint64_t seed, struct mer_err *err)
{
	struct world_random r = world_random_new(seed, 3);
	double full = (double)n * (n - 1) / 2, want = degree * n / 2;
	int rc = 0;
	for (uint32_t i = 1; !rc && i < n; i++)
		rc = add_edge(all, i, (uint32_t)(world_random_u64(&r) % i), err);
	/* Some will be drawn twice; with most of all pairs wanted that would not end. */
	for (size_t i = all->n; !rc && (double)i < want && (double)i < full / 2; i++) {
		uint32_t a = (uint32_t)(world_random_u64(&r) % n);
		uint32_t b = (uint32_t)(world_random_u64(&r) % n);
		if (a != b)
			rc = add_edge(all, a, b, err);
	}
	return rc;
}

int world_edges(enum world_topology t, uint32_t n_hosts, double degree, uint64_t seed,
	struct world_edge **edges, size_t *n, struct mer_err *err)
{
	struct edges all = { 0 };
	int rc = 0;
	*edges = NULL;
	*n = 0;
	if (n_hosts < 2)
		return mer_fail(err, MER_ERR_USAGE, "a network needs at least two hosts");
	switch (t) {
	case WORLD_PAIR:
		for (uint32_t i = 0; !rc && i + 1 < n_hosts; i += 2)
			rc = add_edge(&all, i, i + 1, err);
		break;
	case WORLD_STAR:
		for (uint32_t i = 1; !rc && i < n_hosts; i++)
			rc = add_edge(&all, 0, i, err);
		break;
	case WORLD_RING:
		if (n_hosts > 2)
			rc = add_edge(&all, 0, n_hosts - 1, err);
		/* fall through */
	case WORLD_CHAIN:
	case WORLD_TWO_GROUPS:
		for (uint32_t i = 0; !rc && i + 1 < n_hosts; i++)
			if (t != WORLD_TWO_GROUPS || i + 1 != (n_hosts + 1) / 2)
				rc = add_edge(&all, i, i + 1, err);
		break;
	case WORLD_FULL:
		for (uint32_t i = 0; !rc && i < n_hosts; i++)
			for (uint32_t j = i + 1; !rc && j < n_hosts; j++)
				rc = add_edge(&all, i, j, err);
		break;
	case WORLD_RANDOM: rc = add_random(&all, n_hosts, degree, seed, err); break;
	}
	if (rc) {
		free(all.e);
		return rc;
	}
	size_t kept = 0;
	if (all.n)
		qsort(all.e, all.n, sizeof(*all.e), by_hosts);
	for (size_t i = 0; i < all.n; i++)
		if (!kept || by_hosts(&all.e[kept - 1], &all.e[i]))
			all.e[kept++] = all.e[i];
	*edges = all.e;
	*n = kept;
	return 0;
}
