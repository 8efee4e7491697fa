#include "requests/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct sum { /* of one reason and culprit */
	struct requests_culprit culprit;
	uint32_t reason;
	int64_t slow_ns, typical_ns; /* of all requests */
};

struct explaining {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct requests_culprits *finder;
	struct requests_explanation *x;
	struct mer_map reasons;	 /* hash of what it is -> number, plus 1 */
	struct mer_map culprits; /* hash -> number in sums, plus 1 */
	struct sum *sums;
	size_t n_sums, cap_sums;
	struct mer_map examples; /* hash of a sum and a request -> number in examples_ns, plus 1 */
	int64_t *examples_ns;	 /* of all slow requests */
	size_t n_examples, cap_examples;
	int64_t *slow, *typical; /* by reason: ns of all */
	size_t cap_slow, cap_typical;
	struct mer_err *err;
};

/* KERNEL_NONE: no memory. */
static uint32_t find_reason(struct explaining *e, const struct requests_part *p)
{
	struct requests_explanation *x = e->x;
	const struct kernel_host *h = &e->k->r->w->hosts[p->host];
	const struct kernel_span *wait = kernel_span_kept(h, p->wait);
	/* A thread of the kernel that it waits for (the journal's) works for the program. */
	uint32_t task = wait && h->tasks[p->task].is_kernel ? wait->task : p->task;
	const char *program = p->is_kernels ? "kernel" : requests_program(e->k, p->host, task);
	uint32_t name = mer_intern_add(&x->names, program, strlen(program));
	uint32_t key[] = { p->host, name, e->k->of[p->exchange], p->kind };
	uint32_t *at = name == MER_INTERN_NONE
			       ? NULL
			       : mer_map_put(&e->reasons, mer_hash(key, sizeof(key)));
	if (!at)
		return KERNEL_NONE;
	if (!*at) {
		if (!mer_grow(&x->reasons, x->n, &x->cap, sizeof(*x->reasons)) ||
			!mer_grow_at(&e->slow, &e->cap_slow, x->n, sizeof(*e->slow)) ||
			!mer_grow_at(&e->typical, &e->cap_typical, x->n, sizeof(*e->typical)))
			return KERNEL_NONE;
		x->reasons[x->n] = (struct requests_reason){
			.host = p->host, .program = name, .in = key[2], .part = p->kind
		};
		*at = (uint32_t)++x->n;
	}
	return *at - 1;
}

struct adding { /* culprits of a part */
	struct explaining *e;
	uint32_t reason;
	bool is_slow;
};

/* Of the requests that the culprit acted for, the one that took most of its time in all slow
 * requests together. */
static bool add_example(struct explaining *e, uint32_t sum, const struct requests_culprit *c)
{
	struct requests_culprit *s = &e->sums[sum].culprit;
	uint32_t key[] = { sum, c->example };
	uint32_t *at = mer_map_put(&e->examples, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&e->examples_ns, e->n_examples, &e->cap_examples,
			   sizeof(*e->examples_ns)))
		return false;
	if (!*at) {
		e->examples_ns[e->n_examples++] = 0;
		*at = (uint32_t)e->n_examples;
	}
	int64_t *ns = &e->examples_ns[*at - 1];
	*ns += c->ns;
	if (*ns > s->example_ns || (*ns == s->example_ns && c->example < s->example)) {
		s->example_ns = *ns;
		s->example = c->example;
	}
	return true;
}

static bool add_culprit(void *ctx, const struct requests_culprit *c)
{
	const struct adding *a = ctx;
	struct explaining *e = a->e;
	uint32_t key[] = { a->reason, c->host, c->task, c->deed, c->kind, c->call, c->object,
		c->number,
		(uint32_t)c->cause << 16 | c->meanwhile << 2 | c->is_later << 1 | c->is_write };
	uint32_t *at = mer_map_put(&e->culprits, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&e->sums, e->n_sums, &e->cap_sums, sizeof(*e->sums)))
		return false;
	if (!*at) {
		e->sums[e->n_sums++] = (struct sum){ .culprit = *c, .reason = a->reason };
		*at = (uint32_t)e->n_sums;
		struct requests_culprit *first = &e->sums[e->n_sums - 1].culprit;
		first->bytes = first->count = 0;
		first->example = KERNEL_NONE;
	}
	struct sum *s = &e->sums[*at - 1];
	if (!a->is_slow) {
		s->typical_ns += c->ns;
		return true;
	}
	s->slow_ns += c->ns;
	s->culprit.bytes += c->bytes;
	s->culprit.count += c->count;
	return c->example == KERNEL_NONE || add_example(e, *at - 1, c);
}

static int add_requests(struct explaining *e, const uint32_t *which, uint32_t n, bool is_slow)
{
	struct requests_parts parts = { 0 };
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		rc = requests_parts_find_each(e->f, which[i], &parts, e->err);
		for (size_t k = 0; rc == 0 && k < parts.n; k++) {
			const struct requests_part *p = &parts.item[k];
			uint32_t reason = find_reason(e, p);
			struct adding a = { e, reason, is_slow };
			if (reason == KERNEL_NONE ||
				!requests_culprits_of(e->finder, p, add_culprit, &a))
				rc = mer_fail_nomem(e->err);
			else
				(is_slow ? e->slow : e->typical)[reason] += p->end - p->begin;
		}
	}
	requests_parts_fini(&parts);
	return rc;
}

struct timed {
	int64_t ns;
	uint32_t number;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static int by_sum(const void *a, const void *b)
{
	const struct sum *p = a, *q = b;
	const struct requests_culprit *c = &p->culprit, *d = &q->culprit;
	if (c->ns != d->ns)
		return c->ns > d->ns ? -1 : 1;
	if (c->task != d->task)
		return c->task < d->task ? -1 : 1;
	if (c->kind != d->kind)
		return c->kind < d->kind ? -1 : 1;
	if (c->deed != d->deed)
		return c->deed < d->deed ? -1 : 1;
	if (c->call != d->call)
		return c->call < d->call ? -1 : 1;
	return (c->object > d->object) - (c->object < d->object);
}

static int by_difference(const void *a, const void *b)
{
	const struct requests_reason *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	if (p->part != q->part)
		return p->part < q->part ? -1 : 1;
	if (p->in != q->in)
		return p->in < q->in ? -1 : 1;
	return (p->program > q->program) - (p->program < q->program);
}

/* Means, and their differences, of which the greatest takes what rounding left. */
static void compare(struct explaining *e, int64_t slow_sum, int64_t typical_sum)
{
	struct requests_explanation *x = e->x;
	size_t greatest = 0;
	int64_t rest;
	x->slow_ns = slow_sum / x->n_slow;
	x->typical_ns = typical_sum / x->n_typical;
	rest = x->slow_ns - x->typical_ns;
	for (size_t i = 0; i < e->n_sums; i++) {
		struct sum *s = &e->sums[i];
		s->culprit.ns = s->slow_ns / x->n_slow - s->typical_ns / x->n_typical;
		s->culprit.bytes /= x->n_slow;
		s->culprit.example_ns /= x->n_slow;
	}
	if (e->n_sums)
		qsort(e->sums, e->n_sums, sizeof(*e->sums), by_sum);
	for (size_t i = 0; i < x->n; i++) {
		struct requests_reason *r = &x->reasons[i];
		r->slow_ns = e->slow[i] / x->n_slow;
		r->typical_ns = e->typical[i] / x->n_typical;
		r->ns = r->slow_ns - r->typical_ns;
		rest -= r->ns;
		if (r->ns > x->reasons[greatest].ns)
			greatest = i;
	}
	if (x->n)
		x->reasons[greatest].ns += rest;
	for (size_t i = 0; i < e->n_sums; i++) {
		const struct sum *s = &e->sums[i];
		struct requests_reason *r = &x->reasons[s->reason];
		/* Together never more than what they explain. */
		int64_t left = r->ns;
		for (unsigned k = 0; k < r->n_culprits; k++)
			left -= r->culprits[k].ns;
		if (s->culprit.ns <= 0 || left <= 0 || r->n_culprits == REQUESTS_CULPRITS)
			continue;
		struct requests_culprit *c = &r->culprits[r->n_culprits++];
		*c = s->culprit;
		c->ns = c->ns < left ? c->ns : left;
	}
	if (x->n)
		qsort(x->reasons, x->n, sizeof(*x->reasons), by_difference);
}

int requests_explain(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t kind, const struct requests_choice *choice,
	struct requests_explanation *x, struct mer_err *err)
{
	struct explaining e = { .k = k, .f = f, .x = x, .err = err };
	struct timed *rows = malloc(((size_t)n + 1) * sizeof(*rows));
	uint32_t *numbers = malloc(((size_t)n + 1) * sizeof(*numbers)), m = 0;
	*x = (struct requests_explanation){ .kind = kind };
	mer_arena_init(&x->arena);
	mer_intern_init(&x->names, &x->arena);
	int rc = rows && numbers ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		const struct requests_exchange *r = &k->r->exchanges[which[i]];
		if (k->of[which[i]] == kind && r->n_messages == 1 && !r->is_damaged)
			rows[m++] = (struct timed){ r->end - r->begin, which[i] };
	}
	if (rc == 0 && m)
		qsort(rows, m, sizeof(*rows), by_time);
	uint32_t from = (uint32_t)((uint64_t)m * 2 / 5), until = (uint32_t)((uint64_t)m * 3 / 5);
	uint32_t slow = m - (m + 99) / 100; /* the first one above p99 */
	if (choice->slowest)
		slow = choice->slowest < m ? m - choice->slowest : 0;
	else if (choice->above_ns)
		for (slow = 0; slow < m && rows[slow].ns <= choice->above_ns;)
			slow++;
	x->n_all = m;
	x->n_chosen = m - slow;
	x->slowest_ns = m && rc == 0 ? rows[m - 1].ns : 0;
	/* Some typical ones are not slow. */
	if (rc == 0 && slow < m && slow > from) {
		int64_t sums[2] = { 0 };
		x->n_slow = m - slow;
		x->n_typical = until > from ? until - from : 1;
		x->example = rows[m - 1].number;
		for (uint32_t i = 0; i < m; i++) {
			numbers[i] = rows[i].number;
			sums[0] += i >= slow ? rows[i].ns : 0;
			sums[1] += i >= from && i < from + x->n_typical ? rows[i].ns : 0;
		}
		rc = requests_culprits_new(k, f, &e.finder, err);
		if (rc == 0)
			rc = add_requests(&e, numbers + slow, x->n_slow, true);
		if (rc == 0)
			rc = add_requests(&e, numbers + from, x->n_typical, false);
		if (rc == 0)
			rc = requests_shape_find(k->r, f, numbers, m, slow, &x->shape, err);
		if (rc == 0)
			compare(&e, sums[0], sums[1]);
	}
	requests_culprits_free(e.finder);
	mer_map_fini(&e.reasons);
	mer_map_fini(&e.culprits);
	mer_map_fini(&e.examples);
	free(e.examples_ns);
	free(e.sums);
	free(e.slow);
	free(e.typical);
	free(rows);
	free(numbers);
	return rc;
}

void requests_explanation_fini(struct requests_explanation *x)
{
	free(x->reasons);
	mer_intern_fini(&x->names);
	mer_arena_fini(&x->arena);
}
