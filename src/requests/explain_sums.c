#include "requests/explain_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct requests_sum { /* of one reason and culprit */
	struct requests_culprit culprit;
	uint32_t reason;
	int64_t slow_ns;   /* of all requests */
	double typical_ns; /* the mean */
};

struct requests_victim { /* which part met a last culprit, and how */
	uint32_t reason, host, program, in;
	uint8_t part, deed;
	int64_t ns; /* of all slow requests */
};

/* ---- Which culprits are the same ---- */

/* It serves no request: that it was there at all is the reason, whatever it did. */
static bool is_outside(struct requests_culprits *finder, const struct requests_culprit *c)
{
	return requests_is_last(c) && c->deed != REQUESTS_DEED_LOST && c->task != KERNEL_NONE &&
	       requests_is_outsider(finder, c->host, c->task);
}

uint64_t requests_culprit_key(const struct requests_kinds *k, struct requests_culprits *finder,
	const struct requests_culprit *c)
{
	/* Whose segment was lost is chance; interrupts are of no program. */
	bool has_program = c->task != KERNEL_NONE && c->deed != REQUESTS_DEED_LOST;
	const char *program = has_program ? requests_program(k, c->host, c->task) : "";
	uint64_t key[] = { is_outside(finder, c) ? REQUESTS_N_DEEDS : c->deed,
		mer_hash(program, strlen(program)), c->deed == REQUESTS_DEED_LOST ? 0 : c->host,
		c->deed == REQUESTS_DEED_COMPUTE ? c->call : 0,
		c->deed == REQUESTS_DEED_INTERRUPT ? c->cause : 0 };
	return mer_hash(key, sizeof(key));
}

bool requests_is_of_none(struct requests_culprits *finder, const struct requests_reason *r)
{
	return r->is_last && (r->deed == REQUESTS_DEED_LOST ||
				     (r->n_culprits && is_outside(finder, &r->culprits[0])));
}

/* ---- reasons ---- */

/* A program that a request waited in or for; MER_INTERN_NONE: no memory. */
static uint32_t name_program(struct requests_explaining *e, uint32_t host, uint32_t task)
{
	const char *program = task == KERNEL_NONE ? "" : requests_program(e->k, host, task);
	return mer_intern_add(&e->x->names, program, strlen(program));
}

/* KERNEL_NONE: no memory. */
static uint32_t add_reason(struct requests_explaining *e, const uint32_t *key, size_t size,
	const struct requests_reason *first)
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
static uint32_t find_reason(struct requests_explaining *e, const struct requests_told_what *w)
{
	uint32_t name = w->is_kernels ? mer_intern_add(&e->x->names, "kernel", strlen("kernel"))
				      : name_program(e, w->host, w->task);
	uint32_t key[] = { w->host, name, w->in, w->kind };
	return name == MER_INTERN_NONE ? KERNEL_NONE
				       : add_reason(e, key, sizeof(key),
						 &(struct requests_reason){ .host = w->host,
							 .program = name,
							 .in = w->in,
							 .part = w->kind });
}

/* The part of the task that waited for a last culprit. */
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
 * hosts, whichever. victim: who met it. KERNEL_NONE: no memory. */
static uint32_t find_last(
	struct requests_explaining *e, const struct requests_culprit *c, uint32_t *victim)
{
	bool is_lost = c->deed == REQUESTS_DEED_LOST;
	uint32_t by =
		is_lost ? mer_intern_add(&e->x->names, "", 0) : name_program(e, c->host, c->task);
	struct requests_victim v = { .host = c->at_host,
		.program = name_program(e, c->at_host, c->at_task),
		.in = e->k->of[c->at_exchange],
		.part = part_at(c),
		.deed = c->deed };
	bool outside = is_outside(e->finder, c);
	if (by == MER_INTERN_NONE || v.program == MER_INTERN_NONE)
		return KERNEL_NONE;
	/* What serves requests itself is slow for its own reasons: who met it stays apart. */
	bool is_one = is_lost || outside;
	uint32_t key[] = { is_lost ? 0 : c->host, by, outside ? REQUESTS_N_DEEDS : c->deed,
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
			       : mer_map_put(&e->victim_of, mer_hash(who, sizeof(who)));
	if (!at || (!*at && !mer_grow(&e->victims, e->n_victims, &e->cap_victims,
				    sizeof(*e->victims))))
		return KERNEL_NONE;
	if (!*at) {
		e->victims[e->n_victims++] = v;
		*at = (uint32_t)e->n_victims;
	}
	*victim = *at - 1;
	return v.reason;
}

static int by_time_taken(const void *a, const void *b)
{
	const struct requests_victim *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->program > q->program) - (p->program < q->program);
}

/* Who met each last culprit most, and what it did most. False: no memory. */
static bool choose_victims(struct requests_explaining *e)
{
	struct requests_explanation *x = e->x;
	int64_t *ours = calloc(x->n + 1, sizeof(*ours));
	int64_t(*deeds)[REQUESTS_N_DEEDS] = calloc(x->n + 1, sizeof(*deeds));
	if (e->n_victims)
		qsort(e->victims, e->n_victims, sizeof(*e->victims), by_time_taken);
	for (size_t i = 0; ours && deeds && i < e->n_victims; i++) {
		const struct requests_victim *v = &e->victims[i];
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
	bool ok = ours && deeds;
	free(ours);
	free(deeds);
	return ok;
}

/* ---- culprits ---- */

/* Among the requests that the culprit acted for, the one that took most of its time, summed over
 * all slow requests. */
static bool add_example(struct requests_explaining *e, struct requests_explaining_what *w,
	const struct requests_culprit *c, int64_t ns)
{
	struct requests_culprit *s = &e->sums[w->sum].culprit;
	if (w->example == KERNEL_NONE) {
		uint32_t key[] = { w->sum, c->example };
		uint32_t *at = mer_map_put(&e->examples, mer_hash(key, sizeof(key)));
		if (!at || !mer_grow(&e->examples_ns, e->n_examples, &e->cap_examples,
				   sizeof(*e->examples_ns)))
			return false;
		if (!*at) {
			e->examples_ns[e->n_examples++] = 0;
			*at = (uint32_t)e->n_examples;
		}
		w->example = *at - 1;
	}
	int64_t *of = &e->examples_ns[w->example];
	*of += ns;
	if (*of > s->example_ns || (*of == s->example_ns && c->example < s->example)) {
		s->example_ns = *of;
		s->example = c->example;
	}
	return true;
}

/* KERNEL_NONE: no memory. */
static uint32_t find_doer(struct requests_explaining *e, const struct requests_culprit *c)
{
	uint32_t *at = mer_map_put(&e->doer_of, requests_culprit_key(e->k, e->finder, c));
	if (!at || !mer_grow(&e->doers, e->n_doers, &e->cap_doers, sizeof(*e->doers)))
		return KERNEL_NONE;
	if (!*at) {
		e->doers[e->n_doers++] =
			(struct requests_doer){ .is_cause = c->deed != REQUESTS_DEED_SERVED &&
							    c->deed != REQUESTS_DEED_CONNECTION };
		*at = (uint32_t)e->n_doers;
	}
	return *at - 1;
}

static bool add_to_doer(struct requests_explaining *e, uint32_t doer, double weight, int64_t ns)
{
	struct requests_doer *d = &e->doers[doer];
	if (weight > 0) {
		d->typical_ns += weight * (double)ns;
		return true;
	}
	if (!mer_grow(&e->touched, e->n_touched, &e->cap_touched, sizeof(*e->touched)))
		return false;
	if (!d->now)
		e->touched[e->n_touched++] = doer;
	d->now += ns;
	return true;
}

/* KERNEL_NONE: no memory. */
static uint32_t find_sum(
	struct requests_explaining *e, uint32_t reason, const struct requests_culprit *c)
{
	uint32_t key[] = { reason, c->host, c->task, c->deed, c->kind, c->call, c->object,
		c->number,
		(uint32_t)c->via << 24 | (uint32_t)c->cause << 16 | (uint32_t)c->meanwhile << 3 |
			(uint32_t)c->is_slowing << 2 | (uint32_t)c->is_later << 1 | c->is_write };
	uint32_t *at = mer_map_put(&e->culprits, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&e->sums, e->n_sums, &e->cap_sums, sizeof(*e->sums)))
		return KERNEL_NONE;
	if (!*at) {
		e->sums[e->n_sums++] = (struct requests_sum){ .culprit = *c, .reason = reason };
		*at = (uint32_t)e->n_sums;
		struct requests_culprit *first = &e->sums[e->n_sums - 1].culprit;
		first->bytes = first->count = 0;
		first->example = KERNEL_NONE;
	}
	return *at - 1;
}

/* Of which sums it is, found when it is met for the first time; NULL: no memory. */
static struct requests_explaining_what *find_sums(struct requests_explaining *e, uint32_t number)
{
	const struct requests_told_what *t = &e->told->what[number];
	struct requests_explaining_what *w =
		mer_grow_at(&e->what, &e->cap_what, number, sizeof(*e->what));
	if (!w || w->is_known)
		return w;
	*w = (struct requests_explaining_what){
		.is_known = true,
		.is_last = !t->is_part && requests_is_last(&t->culprit),
		.example = KERNEL_NONE,
	};
	w->reason = w->is_last ? find_last(e, &t->culprit, &w->victim) : find_reason(e, t);
	if (w->reason == KERNEL_NONE)
		return NULL;
	if (!t->is_part) {
		w->sum = find_sum(e, w->reason, &t->culprit);
		w->doer = w->sum == KERNEL_NONE ? KERNEL_NONE : find_doer(e, &t->culprit);
		if (w->doer == KERNEL_NONE)
			return NULL;
	}
	return w;
}

static bool add_culprit(struct requests_explaining *e, const struct requests_told_event *t,
	struct requests_explaining_what *w, double weight)
{
	const struct requests_culprit *c = &e->told->what[t->what].culprit;
	struct requests_sum *s = &e->sums[w->sum];
	if (!add_to_doer(e, w->doer, weight, t->ns))
		return false;
	if (weight > 0) {
		s->typical_ns += weight * (double)t->ns;
		return true;
	}
	if (w->is_last)
		e->victims[w->victim].ns += t->ns;
	s->slow_ns += t->ns;
	/* In a second is no sum. */
	if (!c->is_slowing)
		s->culprit.bytes += c->bytes * t->times;
	else if (c->bytes > s->culprit.bytes)
		s->culprit.bytes = c->bytes;
	s->culprit.count += c->count * t->times;
	return c->example == KERNEL_NONE || add_example(e, w, c, t->ns);
}

/* The reason of a part has what of it no last culprit has. */
int requests_explaining_add(struct requests_explaining *e, uint32_t exchange, double weight)
{
	struct requests_told_list list;
	uint32_t part = 0;
	int64_t rest = 0; /* of a part of a typical request, whose parts come one by one */
	int rc = requests_told_of(e->told, exchange, weight <= 0, &list, e->err);
	for (uint32_t i = 0; rc == 0 && i < list.n; i++) {
		const struct requests_told_event *t = &e->told->events[list.from + i];
		const struct requests_told_what *what = &e->told->what[t->what];
		struct requests_explaining_what *w = find_sums(e, t->what);
		if (!w)
			return mer_fail_nomem(e->err);
		if (what->is_part) {
			if (weight > 0)
				e->typical[part] += weight * (double)rest;
			else
				e->slow[w->reason] += t->ns;
			part = w->reason;
			rest = t->ns;
			continue;
		}
		if (w->is_last && weight > 0) {
			e->typical[w->reason] += weight * (double)t->ns;
			rest -= t->ns;
		} else if (w->is_last) {
			e->slow[w->reason] += t->ns;
			e->slow[e->what[what->part].reason] -= t->ns;
		}
		if (!add_culprit(e, t, w, weight))
			return mer_fail_nomem(e->err);
	}
	if (rc == 0 && list.n && weight > 0)
		e->typical[part] += weight * (double)rest;
	return rc;
}

bool requests_explaining_lead(struct requests_explaining *e, uint32_t place, int64_t ns)
{
	if (!mer_grow(&e->leds, e->n_leds, &e->cap_leds, sizeof(*e->leds)))
		return false;
	struct requests_led *l = &e->leds[e->n_leds++];
	*l = (struct requests_led){ .place = place, .ns = ns };
	for (size_t i = 0; i < e->n_touched; i++) {
		struct requests_doer *d = &e->doers[e->touched[i]];
		unsigned k = REQUESTS_LONGEST;
		while (k && d->now > l->longest[k - 1].ns) {
			if (k < REQUESTS_LONGEST)
				l->longest[k] = l->longest[k - 1];
			k--;
		}
		if (k < REQUESTS_LONGEST) {
			l->longest[k].doer = e->touched[i] + 1;
			l->longest[k].ns = d->now;
		}
		d->now = 0;
	}
	e->n_touched = 0;
	return true;
}

/* ---- differences ---- */

static int by_sum(const void *a, const void *b)
{
	const struct requests_sum *p = a, *q = b;
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

bool requests_explaining_compare(struct requests_explaining *e)
{
	struct requests_explanation *x = e->x;
	size_t greatest = 0;
	int64_t rest = x->slow_ns - x->typical_ns;
	for (size_t i = 0; i < e->n_sums; i++) {
		struct requests_sum *s = &e->sums[i];
		s->culprit.ns = s->slow_ns / x->n_slow - (int64_t)s->typical_ns;
		s->culprit.bytes /= s->culprit.is_slowing ? 1 : x->n_slow;
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
	if (!choose_victims(e))
		return false;
	if (x->n)
		x->reasons[greatest].ns += rest;
	for (size_t i = 0; i < e->n_sums; i++) {
		const struct requests_sum *s = &e->sums[i];
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
	return true;
}

void requests_explaining_fini(struct requests_explaining *e)
{
	mer_map_fini(&e->doer_of);
	mer_map_fini(&e->reasons);
	mer_map_fini(&e->culprits);
	mer_map_fini(&e->victim_of);
	mer_map_fini(&e->examples);
	free(e->what);
	free(e->doers);
	free(e->touched);
	free(e->leds);
	free(e->victims);
	free(e->examples_ns);
	free(e->sums);
	free(e->slow);
	free(e->typical);
}
