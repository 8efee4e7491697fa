#include "requests/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "requests/like.h"

struct sum { /* of one reason and culprit */
	struct requests_culprit culprit;
	uint32_t reason;
	int64_t slow_ns;   /* of all requests */
	double typical_ns; /* the mean */
};

/* What is the same for all groups. */
struct population {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct requests_culprits *finder;
	uint32_t *which;  /* by latency */
	uint32_t n, slow; /* from `slow` on they are slow */
	uint32_t kind;
	bool is_one;
	struct requests_like like;
	struct requests_groups groups;
	struct mer_err *err;
};

/* A culprit as in a profile: those of one program that did the same. */
struct doer {
	double typical_ns; /* the mean */
	int64_t now;	   /* of the request that is added */
	bool is_cause;	   /* no wait for other requests, which are slow for some reason */
};

/* What took most of a slow request. */
enum { LONGEST = 6 };
struct led {
	uint32_t place; /* of the request */
	int64_t ns;	/* its latency */
	struct {
		uint32_t doer; /* plus 1 */
		int64_t ns;
	} longest[LONGEST];
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
	int64_t *slow;	 /* by reason: ns of all */
	double *typical; /* the mean */
	size_t cap_slow, cap_typical;
	struct mer_map doer_of; /* key -> number, plus 1 */
	struct doer *doers;
	size_t n_doers, cap_doers;
	uint32_t *touched; /* doers of the request that is added */
	size_t n_touched, cap_touched;
	struct led *leds; /* by slow request */
	size_t n_leds, cap_leds;
	struct mer_err *err;
};

/* ---- what is one culprit ---- */

static uint64_t key_of_text(const char *text)
{
	return mer_hash(text, strlen(text));
}

static uint64_t key_of_culprit(const struct requests_kinds *k, const struct requests_culprit *c)
{
	/* Whose segment was lost is chance; interrupts are of no program. */
	bool has_program = c->task != KERNEL_NONE && c->deed != REQUESTS_DEED_LOST;
	uint64_t key[] = { c->deed,
		has_program ? key_of_text(requests_program(k, c->host, c->task)) : 0,
		has_program || c->deed != REQUESTS_DEED_LOST ? c->host : 0,
		c->deed == REQUESTS_DEED_COMPUTE ? c->call : 0,
		c->deed == REQUESTS_DEED_INTERRUPT ? c->cause : 0 };
	return mer_hash(key, sizeof(key));
}

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
	double weight; /* of a typical request in their mean; 0: it is a slow one */
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

static bool add_doer(struct explaining *e, const struct requests_culprit *c, double weight)
{
	uint32_t *at = mer_map_put(&e->doer_of, key_of_culprit(e->k, c));
	if (!at || !mer_grow(&e->doers, e->n_doers, &e->cap_doers, sizeof(*e->doers)) ||
		!mer_grow(&e->touched, e->n_touched, &e->cap_touched, sizeof(*e->touched)))
		return false;
	if (!*at) {
		e->doers[e->n_doers++] =
			(struct doer){ .is_cause = c->deed != REQUESTS_DEED_SERVED &&
						   c->deed != REQUESTS_DEED_CONNECTION };
		*at = (uint32_t)e->n_doers;
	}
	struct doer *d = &e->doers[*at - 1];
	if (weight > 0) {
		d->typical_ns += weight * (double)c->ns;
		return true;
	}
	if (!d->now)
		e->touched[e->n_touched++] = *at - 1;
	d->now += c->ns;
	return true;
}

/* The longest of the slow request that was added. */
static bool keep_longest(struct explaining *e, uint32_t place, int64_t ns)
{
	if (!mer_grow(&e->leds, e->n_leds, &e->cap_leds, sizeof(*e->leds)))
		return false;
	struct led *l = &e->leds[e->n_leds++];
	*l = (struct led){ .place = place, .ns = ns };
	for (size_t i = 0; i < e->n_touched; i++) {
		struct doer *d = &e->doers[e->touched[i]];
		unsigned k = LONGEST;
		while (k && d->now > l->longest[k - 1].ns) {
			if (k < LONGEST)
				l->longest[k] = l->longest[k - 1];
			k--;
		}
		if (k < LONGEST) {
			l->longest[k].doer = e->touched[i] + 1;
			l->longest[k].ns = d->now;
		}
		d->now = 0;
	}
	e->n_touched = 0;
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
	if (!add_doer(e, c, a->weight))
		return false;
	if (a->weight > 0) {
		s->typical_ns += a->weight * (double)c->ns;
		return true;
	}
	s->slow_ns += c->ns;
	s->culprit.bytes += c->bytes;
	s->culprit.count += c->count;
	return c->example == KERNEL_NONE || add_example(e, *at - 1, c);
}

static int add_request(
	struct explaining *e, uint32_t exchange, double weight, struct requests_parts *parts)
{
	int rc = requests_parts_find_each(e->f, exchange, parts, e->err);
	for (size_t k = 0; rc == 0 && k < parts->n; k++) {
		const struct requests_part *p = &parts->item[k];
		uint32_t reason = find_reason(e, p);
		struct adding a = { e, reason, weight };
		if (reason == KERNEL_NONE || !requests_culprits_of(e->finder, p, add_culprit, &a))
			rc = mer_fail_nomem(e->err);
		else if (weight > 0)
			e->typical[reason] += weight * (double)(p->end - p->begin);
		else
			e->slow[reason] += p->end - p->begin;
	}
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

/* Differences, of which the greatest takes what rounding left. */
static void compare(struct explaining *e)
{
	struct requests_explanation *x = e->x;
	size_t greatest = 0;
	int64_t rest = x->slow_ns - x->typical_ns;
	for (size_t i = 0; i < e->n_sums; i++) {
		struct sum *s = &e->sums[i];
		s->culprit.ns = s->slow_ns / x->n_slow - (int64_t)s->typical_ns;
		s->culprit.bytes /= x->n_slow;
		s->culprit.example_ns /= x->n_slow;
	}
	if (e->n_sums)
		qsort(e->sums, e->n_sums, sizeof(*e->sums), by_sum);
	for (size_t i = 0; i < x->n; i++) {
		struct requests_reason *r = &x->reasons[i];
		r->slow_ns = e->slow[i] / x->n_slow;
		r->typical_ns = (int64_t)e->typical[i];
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

/* ---- a group ---- */

/* The typical ones of a class, each with the weight that the class has among the slow ones. */
static int add_typical(const struct population *p, struct explaining *e, const uint32_t *n_of)
{
	struct requests_explanation *x = e->x;
	struct requests_parts parts = { 0 };
	double sum = 0;
	int rc = 0;
	x->is_like = !n_of[0];
	for (uint32_t c = 0; rc == 0 && c < p->like.n; c++) {
		uint32_t from = p->like.first[c], n = p->like.first[c + 1] - from;
		double weight = n ? (double)n_of[c] / x->n_slow / n : 0;
		for (uint32_t i = 0; rc == 0 && n_of[c] && i < n; i++) {
			uint32_t exchange = p->which[p->like.typical[from + i]];
			const struct requests_exchange *r = &p->k->r->exchanges[exchange];
			sum += weight * (double)(r->end - r->begin);
			rc = add_request(e, exchange, weight, &parts);
		}
		x->n_typical += n_of[c] ? n : 0;
	}
	x->typical_ns = (int64_t)sum;
	requests_parts_fini(&parts);
	return rc;
}

static int add_slow(
	const struct population *p, struct explaining *e, unsigned group, uint32_t *n_of)
{
	struct requests_explanation *x = e->x;
	struct requests_parts parts = { 0 };
	int64_t sum = 0;
	int rc = 0;
	x->first_begin = INT64_MAX;
	x->last_begin = INT64_MIN;
	for (uint32_t i = p->slow; rc == 0 && i < p->n; i++) {
		const struct requests_exchange *r = &p->k->r->exchanges[p->which[i]];
		if (p->groups.of[i - p->slow] != group)
			continue;
		n_of[p->like.class_of[i]]++;
		x->n_slow++;
		x->example = p->which[i];
		x->first_begin = r->begin < x->first_begin ? r->begin : x->first_begin;
		x->last_begin = r->begin > x->last_begin ? r->begin : x->last_begin;
		sum += r->end - r->begin;
		rc = add_request(e, p->which[i], 0, &parts);
		if (rc == 0 && !keep_longest(e, i, r->end - r->begin))
			rc = mer_fail_nomem(e->err);
	}
	x->slow_ns = x->n_slow ? sum / x->n_slow : 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t begin = p->k->r->exchanges[p->which[i]].begin;
		x->n_meanwhile += begin >= x->first_begin && begin <= x->last_begin;
	}
	requests_parts_fini(&parts);
	return rc;
}

/* Some of the slow requests have one main reason, which is not that of the mean: that of at least
 * half of what they took longer, each, and together of a quarter of what all took longer. They are
 * marked as of group `to`; false: there are no such. */
static bool split_by_cause(const struct population *p, const struct explaining *e, uint8_t to)
{
	enum { LEAST_SLOW = 4 };
	static const double main = 0.5, least = 0.25;
	const struct requests_explanation *x = e->x;
	int64_t typical = x->typical_ns, all = (x->slow_ns - typical) * x->n_slow, most = 0;
	int64_t *sums = calloc(e->n_doers + 1, sizeof(*sums)); /* of requests that it is main of */
	int64_t *own = calloc(e->n_doers + 1, sizeof(*own));   /* of it in all requests */
	uint32_t *leads = calloc(e->n_leds + 1, sizeof(*leads)); /* plus 1 */
	uint32_t best = KERNEL_NONE, n = 0;
	for (size_t i = 0; sums && own && leads && i < e->n_leds; i++) {
		const struct led *l = &e->leds[i];
		for (int k = 0; k < LONGEST && l->longest[k].doer; k++) {
			const struct doer *d = &e->doers[l->longest[k].doer - 1];
			int64_t more = l->longest[k].ns - (int64_t)d->typical_ns;
			own[l->longest[k].doer - 1] += more;
			if (leads[i] || !d->is_cause || l->ns <= typical ||
				(double)more < main * (double)(l->ns - typical))
				continue;
			leads[i] = l->longest[k].doer;
			sums[leads[i] - 1] += l->ns - typical;
		}
	}
	for (uint32_t d = 0; sums && own && leads && d < e->n_doers; d++)
		if (sums[d] > most && (double)own[d] < main * (double)all) {
			most = sums[d];
			best = d;
		}
	for (size_t i = 0; best != KERNEL_NONE && i < e->n_leds; i++)
		n += leads[i] == best + 1;
	bool is_split = n >= LEAST_SLOW && n < x->n_slow && (double)most >= least * (double)all;
	for (size_t i = 0; is_split && i < e->n_leds; i++)
		if (leads[i] == best + 1)
			p->groups.of[e->leds[i].place - p->slow] = to;
	free(sums);
	free(own);
	free(leads);
	return is_split;
}

static void free_explanation(struct requests_explanation *x)
{
	if (!x)
		return;
	free(x->reasons);
	mer_intern_fini(&x->names);
	mer_arena_fini(&x->arena);
	free(x);
}

/* split: whether some of it were put into a group of their own (the next one); NULL: none are to
 * be. Then nothing is explained yet. */
static int explain_group(
	const struct population *p, unsigned group, struct requests_explanation **out, bool *split)
{
	struct requests_explanation *x = calloc(1, sizeof(*x));
	struct explaining e = { .k = p->k, .f = p->f, .finder = p->finder, .x = x, .err = p->err };
	uint32_t *n_of = calloc((size_t)p->like.n + 1, sizeof(*n_of));
	*out = x;
	if (x) {
		mer_arena_init(&x->arena);
		mer_intern_init(&x->names, &x->arena);
		x->group = p->groups.item[group];
		x->kind = p->kind;
		x->is_one = p->is_one;
	}
	int rc = x && n_of ? add_slow(p, &e, group, n_of) : mer_fail_nomem(p->err);
	if (rc == 0)
		rc = add_typical(p, &e, n_of);
	if (rc == 0 && split)
		*split = split_by_cause(p, &e, (uint8_t)p->groups.n);
	if (rc == 0)
		compare(&e);
	mer_map_fini(&e.doer_of);
	free(e.doers);
	free(e.touched);
	free(e.leds);
	mer_map_fini(&e.reasons);
	mer_map_fini(&e.culprits);
	mer_map_fini(&e.examples);
	free(e.examples_ns);
	free(e.sums);
	free(e.slow);
	free(e.typical);
	free(n_of);
	return rc;
}

/* ---- groups that became slow in the same way ---- */

/* How much of the difference each culprit has: those of one program that did the same are one,
 * whichever task waited; where none is known, by reason. */
struct profile {
	struct mer_map map; /* number in shares, plus 1 */
	double *shares;
	size_t n, cap;
};

static bool add_to_profile(struct profile *p, uint64_t key, double share)
{
	uint32_t *at = mer_map_put(&p->map, key);
	if (!at || !mer_grow(&p->shares, p->n, &p->cap, sizeof(*p->shares)))
		return false;
	if (!*at) {
		p->shares[p->n++] = 0;
		*at = (uint32_t)p->n;
	}
	p->shares[*at - 1] += share;
	return true;
}

static bool find_profile(
	const struct requests_kinds *k, const struct requests_explanation *x, struct profile *p)
{
	double all = 0;
	for (size_t i = 0; i < x->n; i++)
		all += x->reasons[i].ns > 0 ? (double)x->reasons[i].ns : 0;
	for (size_t i = 0; i < x->n && x->reasons[i].ns > 0; i++) {
		const struct requests_reason *r = &x->reasons[i];
		int64_t left = r->ns;
		uint64_t key[] = { r->host, r->part, r->in,
			key_of_text(mer_intern_text(&x->names, r->program)) };
		for (unsigned u = 0; u < r->n_culprits; u++) {
			left -= r->culprits[u].ns;
			if (!add_to_profile(p, key_of_culprit(k, &r->culprits[u]),
				    (double)r->culprits[u].ns / all))
				return false;
		}
		if (left > 0 && !add_to_profile(p, mer_hash(key, sizeof(key)), (double)left / all))
			return false;
	}
	return true;
}

/* How much of the differences of both has the same culprits; negative: no memory. */
static double likeness(const struct requests_kinds *k, const struct requests_explanation *x,
	const struct requests_explanation *y)
{
	struct profile p = { 0 }, q = { 0 };
	bool ok = find_profile(k, x, &p) && find_profile(k, y, &q);
	double sum = 0;
	for (size_t i = 0; ok && i < p.map.cap; i++) {
		const struct mer_map_slot *s = &p.map.slots[i];
		const uint32_t *other = s->used ? mer_map_get(&q.map, s->key) : NULL;
		if (other) {
			double a = p.shares[s->value - 1], b = q.shares[*other - 1];
			sum += a < b ? a : b;
		}
	}
	mer_map_fini(&p.map);
	mer_map_fini(&q.map);
	free(p.shares);
	free(q.shares);
	return ok ? sum : -1;
}

static int64_t cost_of(const struct requests_explanation *x)
{
	return (x->slow_ns - x->typical_ns) * x->n_slow;
}

/* What the two are together. */
static struct requests_group both_of(const struct requests_group *a, const struct requests_group *b)
{
	struct requests_group both = *a;
	bool has_cause = a->kind == REQUESTS_GROUP_CAUSE || b->kind == REQUESTS_GROUP_CAUSE;
	if (has_cause)
		both = (struct requests_group){ .kind = REQUESTS_GROUP_CAUSE };
	else if (a->kind == REQUESTS_GROUP_BURST && b->kind == REQUESTS_GROUP_BURST)
		both.n_bursts += b->n_bursts;
	else
		both = (struct requests_group){ .kind = REQUESTS_GROUP_MIXED };
	return both;
}

/* How alike two groups must be to be one. That requests lie together in time, or are mostly of one
 * shape, is evidence of its own; that they are of one shape as chance has it is none. */
static double least_likeness(const struct requests_group *a, const struct requests_group *b)
{
	static const double burst = 0.75, usual = 0.6, likely = 0.4;
	if (a->kind == REQUESTS_GROUP_BURST || b->kind == REQUESTS_GROUP_BURST ||
		a->kind == REQUESTS_GROUP_CAUSE || b->kind == REQUESTS_GROUP_CAUSE)
		return burst;
	bool may_be_chance = a->may_be_chance || b->may_be_chance ||
			     a->kind == REQUESTS_GROUP_REST || b->kind == REQUESTS_GROUP_REST;
	return may_be_chance ? likely : usual;
}

/* The first group takes the second one. */
static int join_groups(
	struct population *p, struct requests_explanations *x, unsigned a, unsigned b)
{
	struct requests_groups *g = &p->groups;
	unsigned n_left = 0;
	for (uint32_t i = 0; i < p->n - p->slow; i++)
		if (g->of[i] == b)
			g->of[i] = (uint8_t)a;
	g->item[a] = both_of(&g->item[a], &g->item[b]);
	free_explanation(x->group[a]);
	free_explanation(x->group[b]);
	x->group[a] = x->group[b] = NULL;
	for (unsigned i = 0; i < g->n; i++)
		n_left += i == a || x->group[i];
	if (n_left == 1 && g->item[a].kind == REQUESTS_GROUP_MIXED) {
		g->item[a].kind = REQUESTS_GROUP_ALL;
		int rc = requests_shape_find(
			p->k->r, p->f, p->which, p->n, p->slow, &g->item[a].shape, p->err);
		if (rc)
			return rc;
	}
	return explain_group(p, a, &x->group[a], NULL);
}

/* The two groups that are most alike, and are of one population then; a == b: there are none. */
static int find_alike(
	struct population *p, const struct requests_explanations *x, unsigned *a, unsigned *b)
{
	double most = 0;
	*a = *b = 0;
	for (unsigned i = 0; i < p->groups.n; i++)
		for (unsigned k = i + 1; k < p->groups.n; k++) {
			if (!x->group[i] || !x->group[k])
				continue;
			double like = likeness(p->k, x->group[i], x->group[k]);
			if (like < 0)
				return mer_fail_nomem(p->err);
			if (like <= most ||
				like < least_likeness(&p->groups.item[i], &p->groups.item[k]))
				continue;
			most = like;
			*a = i;
			*b = k;
		}
	return 0;
}

static int join_alike(struct population *p, struct requests_explanations *x)
{
	unsigned a, b;
	int rc = find_alike(p, x, &a, &b);
	while (rc == 0 && a != b) {
		rc = join_groups(p, x, a, b);
		if (rc == 0)
			rc = find_alike(p, x, &a, &b);
	}
	return rc;
}

/* Takes the largest group apart if its mean hides a reason that some of it have. */
static int split_mixed(struct population *p, struct requests_explanations *x, bool *is_any)
{
	struct requests_groups *g = &p->groups;
	unsigned most = KERNEL_NONE;
	bool is_split = false;
	for (unsigned i = 0; i < g->n; i++)
		if (x->group[i] && g->item[i].kind != REQUESTS_GROUP_BURST &&
			g->item[i].kind != REQUESTS_GROUP_CAUSE &&
			(most == KERNEL_NONE || cost_of(x->group[i]) > cost_of(x->group[most])))
			most = i;
	*is_any = false;
	if (most == KERNEL_NONE || g->n == REQUESTS_GROUPS)
		return 0;
	free_explanation(x->group[most]);
	x->group[most] = NULL;
	int rc = explain_group(p, most, &x->group[most], &is_split);
	if (rc || !is_split)
		return rc;
	*is_any = true;
	if (g->item[most].kind == REQUESTS_GROUP_ALL || g->item[most].kind == REQUESTS_GROUP_MIXED)
		g->item[most] = (struct requests_group){ .kind = REQUESTS_GROUP_REST };
	g->item[g->n++] = (struct requests_group){ .kind = REQUESTS_GROUP_CAUSE };
	free_explanation(x->group[most]);
	x->group[most] = NULL;
	rc = explain_group(p, most, &x->group[most], NULL);
	if (rc == 0)
		rc = explain_group(p, g->n - 1, &x->group[g->n - 1], NULL);
	return rc ? rc : join_alike(p, x);
}

/* What the greatest reason of a group cost: what is explained best comes first. */
static int64_t main_cost_of(const struct requests_explanation *x)
{
	return x->n ? x->reasons[0].ns * x->n_slow : 0;
}

/* The one whose main reason cost most first. */
static void sort_groups(struct requests_explanations *x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (x->group[i])
			x->group[x->n++] = x->group[i];
	for (unsigned i = x->n; i < n; i++)
		x->group[i] = NULL;
	for (unsigned i = 1; i < x->n; i++)
		for (unsigned k = i; k && main_cost_of(x->group[k]) > main_cost_of(x->group[k - 1]);
			k--) {
			struct requests_explanation *g = x->group[k];
			x->group[k] = x->group[k - 1];
			x->group[k - 1] = g;
		}
}

/* ---- which are slow ---- */

/* One in twenty, and at least 30 if these are not more than one in ten: a few would be an accident,
 * more would hardly be slower than the others. */
static uint32_t usual_number(uint32_t n)
{
	enum { LEAST = 30 };
	uint32_t twentieth = n / 20 + (n % 20 > 0), tenth = n / 10;
	uint32_t least = tenth < LEAST ? tenth : LEAST;
	return twentieth > least ? twentieth : least;
}

static int sort_population(struct population *p, const uint32_t *which, uint32_t n,
	const struct requests_choice *choice, struct requests_explanations *x)
{
	struct timed *rows = malloc(((size_t)n + 1) * sizeof(*rows));
	uint32_t m = 0, only = KERNEL_NONE;
	p->which = malloc(((size_t)n + 1) * sizeof(*p->which));
	if (!rows || !p->which) {
		free(rows);
		return mer_fail_nomem(p->err);
	}
	x->first_begin = INT64_MAX;
	x->last_begin = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_exchange *r = &p->k->r->exchanges[which[i]];
		if (p->k->of[which[i]] != p->kind || r->n_messages != 1 || r->is_damaged)
			continue;
		x->first_begin = r->begin < x->first_begin ? r->begin : x->first_begin;
		x->last_begin = r->begin > x->last_begin ? r->begin : x->last_begin;
		if (choice->only && which[i] + 1 == choice->only)
			only = which[i];
		else
			rows[m++] = (struct timed){ r->end - r->begin, which[i] };
	}
	if (m)
		qsort(rows, m, sizeof(*rows), by_time);
	x->slowest_ns = m ? rows[m - 1].ns : 0;
	p->n = m;
	p->slow = m - usual_number(m);
	if (choice->only)
		p->slow = m;
	else if (choice->slowest)
		p->slow = choice->slowest < m ? m - choice->slowest : 0;
	else if (choice->above_ns)
		for (p->slow = 0; p->slow < m && rows[p->slow].ns <= choice->above_ns;)
			p->slow++;
	for (uint32_t i = 0; i < m; i++)
		p->which[i] = rows[i].number;
	x->slow_from_ns = p->slow < m ? rows[p->slow].ns : 0;
	if (only != KERNEL_NONE)
		p->which[p->n++] = only;
	x->n_all = p->n;
	x->n_chosen = p->n - p->slow;
	free(rows);
	return 0;
}

/* Some typical ones are not slow. */
static bool is_comparable(const struct population *p)
{
	return p->slow < p->n && p->slow > (uint32_t)((uint64_t)p->n * 2 / 5) && p->slow;
}

static int find_groups(struct population *p, const struct requests_choice *choice)
{
	int rc = requests_like_find(p->k, p->f, p->which, p->n, p->slow, &p->like, p->err);
	if (rc == 0 && !choice->only)
		return requests_groups_find(
			p->k, p->f, &p->like, p->which, p->n, p->slow, &p->groups, p->err);
	p->groups.of = rc ? NULL : calloc(1, sizeof(*p->groups.of));
	p->groups.n = 1;
	return rc || p->groups.of ? rc : mer_fail_nomem(p->err);
}

int requests_explain(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t kind, const struct requests_choice *choice,
	struct requests_explanations *x, struct mer_err *err)
{
	struct population p = { .k = k, .f = f, .kind = kind, .is_one = choice->only, .err = err };
	*x = (struct requests_explanations){ .kind = kind };
	int rc = sort_population(&p, which, n, choice, x);
	if (rc == 0 && is_comparable(&p)) {
		rc = requests_culprits_new(k, f, &p.finder, err);
		if (rc == 0)
			rc = find_groups(&p, choice);
		for (unsigned g = 0; rc == 0 && g < p.groups.n; g++)
			rc = explain_group(&p, g, &x->group[g], NULL);
		if (rc == 0)
			rc = join_alike(&p, x);
		for (bool more = !choice->only; rc == 0 && more;)
			rc = split_mixed(&p, x, &more);
		sort_groups(x, p.groups.n);
	}
	requests_culprits_free(p.finder);
	requests_like_fini(&p.like);
	free(p.groups.of);
	free(p.which);
	return rc;
}

void requests_explanations_fini(struct requests_explanations *x)
{
	for (unsigned i = 0; i < REQUESTS_GROUPS; i++)
		free_explanation(x->group[i]);
	*x = (struct requests_explanations){ 0 };
}
