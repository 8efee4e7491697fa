#include "store/waits.h"

#include <stdlib.h>

#include "store/numbers.h"
#include "store/types.h"
#include "store/wait_columns.h"

enum { LEADERS = STORE_WAIT_COLUMNS, FIRSTS, N_NUMBERS };

struct context {
	const struct kernel_world *world;
	struct blocked_host *h;
	uint32_t n_tasks, host;
	bool bad; /* numbers of what is not there */
};

/* What does not depend on packets is there once. */
static bool is_shared(unsigned column)
{
	return column != STORE_WAIT_ASKED && column != STORE_WAIT_BY_HOST &&
	       column != STORE_WAIT_BY_TASK && column != STORE_WAIT_FLAGS &&
	       column != STORE_WAIT_ASKER;
}

static uint32_t number_of(uint32_t variant, unsigned column)
{
	return (is_shared(column) ? 0 : variant * N_NUMBERS) + column;
}

/* ---- writing ---- */

static uint64_t get_leader(const void *ctx, size_t i)
{
	const struct context *c = ctx;
	return i - (uint64_t)c->h->leaders[i];
}

static uint64_t get_first(const void *ctx, size_t i)
{
	const struct context *c = ctx;
	return c->h->first[i];
}

void store_waits_put(struct store_writer *w, uint32_t variant, const struct blocked *b)
{
	for (uint32_t i = 0; i < b->world->n_hosts; i++) {
		struct context c = { .world = b->world, .h = &b->hosts[i] };
		size_t n_tasks = b->world->hosts[i].n_tasks;
		const struct store_waits_array a = {
			.world = b->world, .waits = c.h->waits, .n = c.h->n, .host = i
		};
		for (unsigned k = 0; k < STORE_WAIT_COLUMNS; k++)
			if (!variant || !is_shared(k))
				store_put_wait_column(w, &a, (enum store_wait_column)k, STORE_WAITS,
					number_of(variant, k));
		if (variant)
			continue;
		store_put_numbers(w, STORE_WAITS, i, number_of(variant, LEADERS), STORE_PLAIN,
			get_leader, &c, n_tasks);
		store_put_numbers(w, STORE_WAITS, i, number_of(variant, FIRSTS), STORE_DELTA,
			get_first, &c, n_tasks + 1);
	}
}

/* ---- reading ---- */

static uint32_t below(struct context *c, uint64_t number, uint64_t n)
{
	c->bad |= number >= n;
	return (uint32_t)number;
}

static void set_leader(void *ctx, size_t i, uint64_t v)
{
	struct context *c = ctx;
	c->h->leaders[i] = below(c, i - v, c->world->hosts[c->host].n_tasks);
}

static void set_first(void *ctx, size_t i, uint64_t v)
{
	struct context *c = ctx;
	c->bad |= i > 0 && v < c->h->first[i - 1];
	c->h->first[i] = v;
}

static bool get_host(const struct store_file *f, uint32_t variant, struct context *c)
{
	uint32_t i = c->host;
	size_t n_tasks = c->world->hosts[i].n_tasks;
	bool ok = true;
	struct store_waits_array a = { .world = c->world,
		.waits = c->h->waits,
		.n = c->h->n,
		.host = i,
		.n_processes = c->n_tasks };
	for (unsigned k = 0; ok && k < STORE_WAIT_COLUMNS; k++)
		ok = store_get_wait_column(
			f, &a, (enum store_wait_column)k, STORE_WAITS, number_of(variant, k));
	return ok && !c->bad &&
	       store_get_numbers(
		       f, STORE_WAITS, i, number_of(variant, LEADERS), set_leader, c, n_tasks) &&
	       !c->bad;
}

/* How many waits there are is what the last of the firsts says. */
static int open_host(
	const struct store_file *f, uint32_t variant, struct context *c, struct mer_err *err)
{
	struct blocked_host *h = c->h;
	size_t n_tasks = c->world->hosts[c->host].n_tasks;
	h->first = calloc(n_tasks + 1, sizeof(*h->first));
	h->leaders = calloc(n_tasks + 1, sizeof(*h->leaders));
	if (!h->first || !h->leaders)
		return mer_fail_nomem(err);
	if (!store_get_numbers(f, STORE_WAITS, c->host, number_of(variant, FIRSTS), set_first, c,
		    n_tasks + 1) ||
		c->bad || h->first[0] != 0 || h->first[n_tasks] > c->world->hosts[c->host].n_spans)
		return mer_fail(err, MER_ERR_INPUT, "damaged waits in the store");
	h->n = h->first[n_tasks];
	h->waits = mer_spill_array(c->world->spill, h->n + 1, sizeof(*h->waits));
	if (!h->waits)
		return mer_fail_nomem(err);
	return get_host(f, variant, c) ? 0
				       : mer_fail(err, MER_ERR_INPUT, "damaged waits in the store");
}

int store_waits_get(const struct store_file *f, uint32_t variant, const struct kernel_world *world,
	struct blocked *b, struct mer_err *err)
{
	uint32_t processes = 0;
	int rc = 0;
	*b = (struct blocked){ .world = world };
	b->hosts = calloc((size_t)world->n_hosts + 1, sizeof(*b->hosts));
	if (!b->hosts)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < world->n_hosts; i++)
		processes += world->hosts[i].n_tasks;
	struct context c = { .world = world, .n_tasks = processes };
	processes = 0;
	for (uint32_t i = 0; i < world->n_hosts && rc == 0; i++) {
		c.host = i;
		c.h = &b->hosts[i];
		c.h->processes = processes;
		processes += world->hosts[i].n_tasks;
		rc = open_host(f, variant, &c, err);
	}
	return rc;
}
