#include "requests/cost_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct summing {
	const struct requests_kinds *k;
	struct requests_cost_sums *s;
	bool *is_chosen;	 /* by exchange */
	struct mer_map programs; /* host and name -> number in s->programs, plus 1 */
	size_t cap_programs;
};

static bool add_program(struct summing *x, const struct requests_charge *c)
{
	const char *program = requests_program(x->k, c->host, c->task);
	uint64_t key[] = { c->host, mer_hash(program, strlen(program)) };
	uint32_t *at = mer_map_put(&x->programs, mer_hash(key, sizeof(key)));
	if (!at)
		return false;
	if (!*at) {
		size_t n = x->s->n_programs;
		if (!mer_grow(&x->s->programs, n, &x->cap_programs, sizeof(*x->s->programs)))
			return false;
		x->s->programs[n] =
			(struct requests_program_cost){ .host = c->host, .program = program };
		*at = ++x->s->n_programs;
	}
	requests_cost_add(&x->s->programs[*at - 1].cost, &c->cost);
	return true;
}

static bool on_charge(void *ctx, const struct requests_charge *c)
{
	struct summing *x = ctx;
	struct requests_cost_sums *s = x->s;
	const struct requests *r = x->k->r;
	requests_cost_add(&s->all, &c->cost);
	requests_cost_add(
		c->exchange ? &s->for_requests[c->host] : &s->for_none[c->host], &c->cost);
	if (!c->exchange) {
		requests_cost_add(&s->none, &c->cost);
		return add_program(x, c);
	}
	uint32_t e = c->exchange - 1;
	requests_cost_add(x->is_chosen[e] ? &s->kinds[x->k->of[e]].self : &s->others, &c->cost);
	for (unsigned depth = 0; depth <= REQUESTS_MOST_DEPTH; depth++) {
		if (x->is_chosen[e])
			requests_cost_add(&s->kinds[x->k->of[e]].total, &c->cost);
		if (!r->exchanges[e].parent)
			break;
		e = r->exchanges[e].parent - 1;
	}
	return true;
}

static int by_cpu(const void *a, const void *b)
{
	const struct requests_kind_cost *p = a, *q = b;
	if (p->self.cpu_ns != q->self.cpu_ns)
		return p->self.cpu_ns > q->self.cpu_ns ? -1 : 1;
	return (p->kind > q->kind) - (p->kind < q->kind);
}

static int by_cpu_of_program(const void *a, const void *b)
{
	const struct requests_program_cost *p = a, *q = b;
	if (p->cost.cpu_ns != q->cost.cpu_ns)
		return p->cost.cpu_ns > q->cost.cpu_ns ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return strcmp(p->program, q->program);
}

int requests_cost_sum(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const struct usage *u, const uint32_t *which, uint32_t n, int64_t begin, int64_t end,
	struct requests_cost_sums *s, struct mer_err *err)
{
	struct summing x = { .k = k, .s = s };
	uint32_t n_hosts = k->r->w->n_hosts, n_kinds = 0;
	*s = (struct requests_cost_sums){ .n_hosts = n_hosts };
	s->kinds = calloc((size_t)k->names.n + 1, sizeof(*s->kinds));
	s->for_requests = calloc((size_t)n_hosts + 1, sizeof(*s->for_requests));
	s->for_none = calloc((size_t)n_hosts + 1, sizeof(*s->for_none));
	x.is_chosen = calloc((size_t)k->r->n + 1, sizeof(*x.is_chosen));
	bool ok = s->kinds && s->for_requests && s->for_none && x.is_chosen;
	for (uint32_t i = 0; ok && i < k->names.n; i++)
		s->kinds[i].kind = i;
	for (uint32_t i = 0; ok && i < n; i++) {
		x.is_chosen[which[i]] = true;
		s->kinds[k->of[which[i]]].count++;
	}
	int rc = ok ? requests_charge(f, k->r, u, begin, end, on_charge, &x, err)
		    : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < k->names.n; i++)
		if (s->kinds[i].count)
			s->kinds[n_kinds++] = s->kinds[i];
	s->n_kinds = n_kinds;
	if (n_kinds)
		qsort(s->kinds, n_kinds, sizeof(*s->kinds), by_cpu);
	if (s->n_programs)
		qsort(s->programs, s->n_programs, sizeof(*s->programs), by_cpu_of_program);
	mer_map_fini(&x.programs);
	free(x.is_chosen);
	return rc;
}

void requests_cost_sums_fini(struct requests_cost_sums *s)
{
	free(s->kinds);
	free(s->programs);
	free(s->for_requests);
	free(s->for_none);
	*s = (struct requests_cost_sums){ 0 };
}

/* ---- each ---- */

struct each {
	const struct requests *r;
	struct requests_cost *self, *total;
};

static bool on_charge_of_each(void *ctx, const struct requests_charge *c)
{
	struct each *x = ctx;
	if (!c->exchange)
		return true;
	uint32_t e = c->exchange - 1;
	requests_cost_add(&x->self[e], &c->cost);
	for (unsigned depth = 0; depth <= REQUESTS_MOST_DEPTH; depth++) {
		requests_cost_add(&x->total[e], &c->cost);
		if (!x->r->exchanges[e].parent)
			break;
		e = x->r->exchanges[e].parent - 1;
	}
	return true;
}

int requests_cost_each(const struct requests *r, const struct requests_parts_finder *f,
	const struct usage *u, struct requests_cost **self, struct requests_cost **total,
	struct mer_err *err)
{
	size_t n = (size_t)r->n + 1;
	*self = mer_spill_array(r->w->spill, n, sizeof(**self));
	*total = mer_spill_array(r->w->spill, n, sizeof(**total));
	struct each x = { r, *self, *total };
	if (!*self || !*total)
		return mer_fail_nomem(err);
	return requests_charge(f, r, u, INT64_MIN, INT64_MAX, on_charge_of_each, &x, err);
}
