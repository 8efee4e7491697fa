#include "requests/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct sum { /* of one reason and culprit */
	struct requests_culprit culprit;
	uint32_t reason;
	int64_t slow_ns, typical_ns; /* of all requests */
};

struct victim { /* who met a last culprit, and how */
	uint32_t reason, host, program, in;
	uint8_t part, deed;
	int64_t ns; /* of all slow requests */
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
	struct mer_map
		victims; /* hash of a reason and who met it -> number in victims_of, plus 1 */
	struct victim *victims_of;
	size_t n_victims, cap_victims;
	struct mer_map examples; /* hash of a sum and a request -> number in examples_ns, plus 1 */
	int64_t *examples_ns;	 /* of all slow requests */
	size_t n_examples, cap_examples;
	int64_t *slow, *typical; /* by reason: ns of all */
	size_t cap_slow, cap_typical;
	struct mer_err *err;
};

/* A program that a request waited in or for; MER_INTERN_NONE: no memory. */
static uint32_t name_program(struct explaining *e, uint32_t host, uint32_t task)
{
	const char *program = task == KERNEL_NONE ? "" : requests_program(e->k, host, task);
	return mer_intern_add(&e->x->names, program, strlen(program));
}

/* KERNEL_NONE: no memory. */
static uint32_t add_reason(
	struct explaining *e, const uint32_t *key, size_t size, const struct requests_reason *first)
{
	struct requests_explanation *x = e->x;
	uint32_t *at = mer_map_put(&e->reasons, mer_hash(key, size));
	if (!at)
		return KERNEL_NONE;
	if (!*at) {
		if (!mer_grow(&x->reasons, x->n, &x->cap, sizeof(*x->reasons)) ||
			!mer_grow_at(&e->slow, &e->cap_slow, x->n, sizeof(*e->slow)) ||
			!mer_grow_at(&e->typical, &e->cap_typical, x->n, sizeof(*e->typical)))
			return KERNEL_NONE;
		x->reasons[x->n] = *first;
		*at = (uint32_t)++x->n;
	}
	return *at - 1;
}

/* KERNEL_NONE: no memory. */
static uint32_t find_reason(struct explaining *e, const struct requests_part *p)
{
	const struct kernel_host *h = &e->k->r->w->hosts[p->host];
	const struct kernel_span *wait = kernel_span_kept(h, p->wait);
	/* A thread of the kernel that it waits for (the journal's) works for the program. */
	uint32_t task = wait && h->tasks[p->task].is_kernel ? wait->task : p->task;
	uint32_t name = p->is_kernels ? mer_intern_add(&e->x->names, "kernel", strlen("kernel"))
				      : name_program(e, p->host, task);
	uint32_t key[] = { p->host, name, e->k->of[p->exchange], p->kind };
	return name == MER_INTERN_NONE ? KERNEL_NONE
				       : add_reason(e, key, sizeof(key),
						 &(struct requests_reason){ .host = p->host,
							 .program = name,
							 .in = key[2],
							 .part = p->kind });
}

/* What the part is of who waited for a last culprit. */
static uint8_t part_at(const struct requests_culprit *c)
{
	switch ((enum requests_deed)c->deed) {
	case REQUESTS_DEED_CPU: return REQUESTS_RUNNABLE;
	case REQUESTS_DEED_DISK: return REQUESTS_DISK;
	case REQUESTS_DEED_HELD: return REQUESTS_LOCKS;
	case REQUESTS_DEED_LOST: return REQUESTS_NETWORK;
	default: return c->at_kind;
	}
}

/* Of a last culprit: all that its program took in that way; in any way, whoever met it, if it
 * serves no request: that it was there at all is the reason. A segment is lost on the way between
 * hosts, whichever. KERNEL_NONE: no memory. */
static uint32_t find_last(struct explaining *e, const struct requests_culprit *c, bool is_slow)
{
	bool is_lost = c->deed == REQUESTS_DEED_LOST;
	uint32_t by =
		is_lost ? mer_intern_add(&e->x->names, "", 0) : name_program(e, c->host, c->task);
	struct victim v = { .host = c->at_host,
		.program = name_program(e, c->at_host, c->at_task),
		.in = e->k->of[c->at_exchange],
		.part = part_at(c),
		.deed = c->deed };
	bool is_outside =
		c->task != KERNEL_NONE && requests_is_outsider(e->finder, c->host, c->task);
	if (by == MER_INTERN_NONE || v.program == MER_INTERN_NONE)
		return KERNEL_NONE;
	/* What serves requests itself is slow for its own reasons: who met it stays apart. */
	bool is_one = is_lost || is_outside;
	uint32_t key[] = { is_lost ? 0 : c->host, by, is_outside ? REQUESTS_N_DEEDS : c->deed,
		is_one				     ? 0
		: c->deed == REQUESTS_DEED_INTERRUPT ? c->cause
						     : c->number,
		!is_one && c->is_write, is_one ? 0 : v.host, is_one ? 0 : v.program,
		is_one ? 0 : v.in, is_one ? 0 : v.part };
	v.reason = add_reason(e, key, sizeof(key),
		&(struct requests_reason){ .host = v.host,
			.program = v.program,
			.in = v.in,
			.part = v.part,
			.is_last = true,
			.deed = c->deed,
			.and = c->deed,
			.by_host = c->host,
			.by = by });
	uint32_t who[] = { v.reason, v.host, v.program, v.in, (uint32_t)v.part << 8 | v.deed };
	uint32_t *at = v.reason == KERNEL_NONE
			       ? NULL
			       : mer_map_put(&e->victims, mer_hash(who, sizeof(who)));
	if (!at || (!*at && !mer_grow(&e->victims_of, e->n_victims, &e->cap_victims,
				    sizeof(*e->victims_of))))
		return KERNEL_NONE;
	if (!*at) {
		e->victims_of[e->n_victims++] = v;
		*at = (uint32_t)e->n_victims;
	}
	e->victims_of[*at - 1].ns += is_slow ? c->ns : 0;
	return v.reason;
}

static int by_time_taken(const void *a, const void *b)
{
	const struct victim *p = a, *q = b;
	return (p->ns < q->ns) - (p->ns > q->ns);
}

/* Who met each last culprit most, and what it did most. */
static void choose_victims(struct explaining *e)
{
	struct requests_explanation *x = e->x;
	int64_t *ours = calloc(x->n + 1, sizeof(*ours));
	int64_t(*deeds)[REQUESTS_N_DEEDS] = calloc(x->n + 1, sizeof(*deeds));
	if (e->n_victims)
		qsort(e->victims_of, e->n_victims, sizeof(*e->victims_of), by_time_taken);
	for (size_t i = 0; ours && deeds && i < e->n_victims; i++) {
		const struct victim *v = &e->victims_of[i];
		struct requests_reason *r = &x->reasons[v->reason];
		if (ours[v->reason] == 0) {
			r->host = v->host;
			r->program = v->program;
			r->in = v->in;
			r->part = v->part;
		}
		ours[v->reason] += v->host == r->host && v->program == r->program ? v->ns : 0;
		deeds[v->reason][v->deed] += v->ns;
	}
	for (size_t i = 0; ours && deeds && i < x->n; i++) {
		struct requests_reason *r = &x->reasons[i];
		uint8_t first = r->deed;
		if (!r->is_last)
			continue;
		r->is_in_many = ours[i] < e->slow[i] / 10 * 9;
		for (uint8_t d = 0; d < REQUESTS_N_DEEDS; d++)
			first = deeds[i][d] > deeds[i][first] ? d : first;
		r->deed = r->and = first;
		for (uint8_t d = 0; d < REQUESTS_N_DEEDS; d++)
			if (d != first && deeds[i][d] > e->slow[i] / 10 &&
				(r->and == first || deeds[i][d] > deeds[i][r->and ]))
				r->and = d;
	}
	free(ours);
	free(deeds);
}

struct adding { /* culprits of a part */
	struct explaining *e;
	uint32_t reason;
	bool is_slow;
	int64_t rest; /* of the part, without those that are of other reasons */
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
	struct adding *a = ctx;
	struct explaining *e = a->e;
	uint32_t reason = requests_is_last(c) ? find_last(e, c, a->is_slow) : a->reason;
	if (reason == KERNEL_NONE)
		return false;
	if (reason != a->reason) {
		(a->is_slow ? e->slow : e->typical)[reason] += c->ns;
		a->rest -= c->ns;
	}
	uint32_t key[] = { reason, c->host, c->task, c->deed, c->kind, c->call, c->object,
		c->number,
		(uint32_t)c->via << 24 | (uint32_t)c->cause << 16 | (uint32_t)c->meanwhile << 3 |
			(uint32_t)c->is_slowing << 2 | (uint32_t)c->is_later << 1 | c->is_write };
	uint32_t *at = mer_map_put(&e->culprits, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&e->sums, e->n_sums, &e->cap_sums, sizeof(*e->sums)))
		return false;
	if (!*at) {
		e->sums[e->n_sums++] = (struct sum){ .culprit = *c, .reason = reason };
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
	/* In a second is no sum. */
	if (!c->is_slowing)
		s->culprit.bytes += c->bytes;
	else if (c->bytes > s->culprit.bytes)
		s->culprit.bytes = c->bytes;
	s->culprit.count += c->count;
	return c->example == KERNEL_NONE || add_example(e, *at - 1, c);
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

/* In the order of time: those that were under way together waited for the same ones, whose parts
 * are then found once. */
static int add_requests(struct explaining *e, const uint32_t *which, uint32_t n, bool is_slow)
{
	struct requests_parts parts = { 0 };
	struct timed *order = malloc(((size_t)n + 1) * sizeof(*order));
	int rc = order ? 0 : mer_fail_nomem(e->err);
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct timed){ e->k->r->exchanges[which[i]].begin, which[i] };
	if (order && n)
		qsort(order, n, sizeof(*order), by_time);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		rc = requests_parts_find_each(e->f, order[i].number, &parts, e->err);
		for (size_t k = 0; rc == 0 && k < parts.n; k++) {
			const struct requests_part *p = &parts.item[k];
			uint32_t reason = find_reason(e, p);
			struct adding a = { e, reason, is_slow, p->end - p->begin };
			if (reason == KERNEL_NONE ||
				!requests_culprits_of(e->finder, p, add_culprit, &a))
				rc = mer_fail_nomem(e->err);
			else
				(is_slow ? e->slow : e->typical)[reason] += a.rest;
		}
	}
	free(order);
	requests_parts_fini(&parts);
	return rc;
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
		s->culprit.bytes /= s->culprit.is_slowing ? 1 : x->n_slow;
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
	choose_victims(e);
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
	mer_map_fini(&e.victims);
	free(e.victims_of);
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
