#include "store/waits.h"

#include <stdlib.h>

#include "store/numbers.h"
#include "store/types.h"

enum column {
	BEGIN,
	END,
	RUN,
	ASKED,
	TASK,
	SPAN,
	WHOLE,
	BY_HOST,
	BY_TASK,
	CALL,
	FLAGS,
	ASKER,
	N_COLUMNS
};
enum { LEADERS = N_COLUMNS, FIRSTS, N_NUMBERS };

static const enum store_packing packings[N_COLUMNS] = {
	[BEGIN] = STORE_DELTA,
	[END] = STORE_PLAIN,
	[RUN] = STORE_PLAIN,
	[ASKED] = STORE_PLAIN,
	[TASK] = STORE_DICT,
	[SPAN] = STORE_DELTA,
	[WHOLE] = STORE_PLAIN,
	[BY_HOST] = STORE_DICT,
	[BY_TASK] = STORE_DICT,
	[CALL] = STORE_DICT,
	[FLAGS] = STORE_DICT,
	[ASKER] = STORE_DICT,
};

struct context {
	const struct kernel_world *world;
	struct blocked_host *h;
	enum column column;
	uint32_t n_tasks, host;
	bool bad; /* an index is out of range */
};

/* Columns that do not depend on packets are stored once. */
static bool is_shared(unsigned column)
{
	return column != ASKED && column != BY_HOST && column != BY_TASK && column != FLAGS &&
	       column != ASKER;
}

static uint32_t number_of(uint32_t variant, unsigned column)
{
	return (is_shared(column) ? 0 : variant * N_NUMBERS) + column;
}

/* ---- writing ---- */

static uint64_t flags_of(const struct blocked_wait *w)
{
	return w->kind | (uint64_t)w->cause << 8 | (uint64_t)w->open << 16 |
	       (uint64_t)w->is_input << 17 | (uint64_t)w->is_for_work << 18 |
	       (uint64_t)w->is_felt << 19 | (uint64_t)w->is_answer << 20;
}

static uint64_t get_column(const void *ctx, size_t i)
{
	const struct context *c = ctx;
	const struct blocked_wait *w = &c->h->waits[i];
	switch (c->column) {
	case BEGIN: return (uint64_t)w->begin;
	case END: return (uint64_t)w->end - (uint64_t)w->begin;
	case RUN: return (uint64_t)w->run - (uint64_t)w->end;
	case ASKED: return (uint64_t)w->end - (uint64_t)w->asked;
	case TASK: return w->task;
	case SPAN: return w->span;
	case WHOLE: return (uint64_t)w->whole - w->span;
	case BY_HOST: return (uint32_t)(w->by_host + 1);
	case BY_TASK: return (uint32_t)(w->by_task + 1);
	case CALL: return (uint32_t)(w->call + 1);
	case FLAGS: return flags_of(w);
	case ASKER:
	default: return (uint32_t)(w->asker + 1);
	}
}

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
		for (unsigned k = 0; k < N_COLUMNS; k++) {
			c.column = (enum column)k;
			if (variant && is_shared(k))
				continue;
			store_put_numbers(w, STORE_WAITS, i, number_of(variant, k), packings[k],
				get_column, &c, c.h->n);
		}
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

static uint32_t below_or_none(struct context *c, uint64_t number_plus_1, uint64_t n)
{
	c->bad |= number_plus_1 > n;
	return (uint32_t)number_plus_1 - 1;
}

static void set_flags(struct context *c, struct blocked_wait *w, uint64_t v)
{
	w->kind = (uint8_t)v;
	w->cause = (uint8_t)(v >> 8);
	w->open = v >> 16 & 1;
	w->is_input = v >> 17 & 1;
	w->is_for_work = v >> 18 & 1;
	w->is_felt = v >> 19 & 1;
	w->is_answer = v >> 20 & 1;
	c->bad |= w->kind >= BLOCKED_N_KINDS || w->cause >= KERNEL_N_CAUSES;
}

static void set_column(void *ctx, size_t i, uint64_t v)
{
	struct context *c = ctx;
	struct blocked_wait *w = &c->h->waits[i];
	const struct kernel_world *world = c->world;
	const struct kernel_host *h = &world->hosts[c->host];
	switch (c->column) {
	case BEGIN: w->begin = (int64_t)v; break;
	case END: w->end = (int64_t)((uint64_t)w->begin + v); break;
	case RUN: w->run = (int64_t)((uint64_t)w->end + v); break;
	case ASKED: w->asked = (int64_t)((uint64_t)w->end - v); break;
	case TASK: w->task = below(c, v, h->n_tasks); break;
	case SPAN: w->span = below(c, v, h->n_spans); break;
	case WHOLE: w->whole = below(c, w->span + v, h->n_spans); break;
	case BY_HOST: w->by_host = below_or_none(c, v, world->n_hosts); break;
	case BY_TASK:
		w->by_task = w->by_host == KERNEL_NONE || c->bad
				     ? below_or_none(c, v, 0)
				     : below_or_none(c, v, world->hosts[w->by_host].n_tasks);
		break;
	case CALL: w->call = below_or_none(c, v, h->n_calls); break;
	case FLAGS: set_flags(c, w, v); break;
	case ASKER:
	default: w->asker = below_or_none(c, v, c->n_tasks); break;
	}
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
	for (unsigned k = 0; ok && k < N_COLUMNS && !c->bad; k++) {
		c->column = (enum column)k;
		ok = store_get_numbers(
			f, STORE_WAITS, i, number_of(variant, k), set_column, c, c->h->n);
	}
	return ok && !c->bad &&
	       store_get_numbers(
		       f, STORE_WAITS, i, number_of(variant, LEADERS), set_leader, c, n_tasks) &&
	       !c->bad;
}

/* The number of waits is the last element of `firsts`. */
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
