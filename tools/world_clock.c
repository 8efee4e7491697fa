/* Clocks of generated worlds. */
#include "world_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_BITS = 60 };
static const int64_t stopped = -((int64_t)1 << RATE_BITS);

struct world_clock_options world_clock_defaults(void)
{
	return (struct world_clock_options){ .kind = WORLD_STRAIGHT,
		.thermal_ppm = 0.5,
		.period_min_ns = 1200000000000,
		.period_max_ns = 3600000000000,
		.walk_ppb = 1,
		.piece_ns = 1000000000,
		.jump_ppm = 30,
		.wait_min_ns = 30000000000,
		.wait_max_ns = 300000000000,
		.tooth_ppm = 50,
		.snap_ppm = 40000,
		.tooth_ns = 20000000 };
}

void world_clock_free(struct world_clock *c)
{
	free(c->pieces);
	*c = (struct world_clock){ 0 };
}

static int64_t rate_of(double ppm)
{
	return llrint(ppm * 1e-6 * 0x1p60);
}

static int64_t advance(int64_t d, int64_t rate)
{
	return d + (int64_t)((__int128)d * rate >> RATE_BITS); /* rounds down */
}

static int64_t at_piece(const struct world_clock_piece *p, int64_t true_ns)
{
	return p->clock + advance(true_ns - p->begin, p->rate);
}

int64_t world_clock_at(const struct world_clock *c, int64_t true_ns)
{
	size_t lo = 0, hi = c->n; /* the last piece that begins at or before */
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->pieces[mid].begin <= true_ns)
			lo = mid;
		else
			hi = mid;
	}
	return at_piece(&c->pieces[lo], true_ns);
}

int64_t world_clock_when(const struct world_clock *c, int64_t clock_ns)
{
	size_t lo = 0, hi = c->n; /* the first piece that begins with the clock there or beyond */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->pieces[mid].clock >= clock_ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	/* It is reached in the piece before, or at this one's begin by a jump or after a stop. */
	const struct world_clock_piece *p = &c->pieces[lo ? lo - 1 : 0];
	int64_t at_most = lo && lo < c->n ? c->pieces[lo].begin : INT64_MAX;
	if (p->rate == stopped)
		return at_most;
	long double d = (long double)(clock_ns - p->clock) / (1 + (long double)p->rate * 0x1p-60L);
	int64_t t = d > (long double)(at_most - p->begin) ? at_most : p->begin + (int64_t)d;
	while (t < at_most && at_piece(p, t) < clock_ns)
		t++;
	while (at_piece(p, t - 1) >= clock_ns)
		t--;
	return t;
}

/* While it is made, a piece's clock is what it jumps by at its begin. */
static int add(struct world_clock *c, int64_t begin, int64_t rate, struct mer_err *err)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 16;
		struct world_clock_piece *p = realloc(c->pieces, cap * sizeof(*p));
		if (!p)
			return mer_fail_nomem(err);
		c->pieces = p;
		c->cap = cap;
	}
	c->pieces[c->n++] = (struct world_clock_piece){ .begin = begin, .rate = rate };
	return 0;
}

static int add_free(struct world_clock *c, const struct world_clock_options *o, int64_t duration,
	struct world_random *r, struct mer_err *err)
{
	double phase[2], omega[2], walk = 0, piece_s = (double)o->piece_ns / 1e9;
	for (int i = 0; i < 2; i++) {
		phase[i] = world_random_between(r, 0, 6.283185307179586);
		omega[i] = 6.283185307179586e9 / world_random_between(r, (double)o->period_min_ns,
							 (double)o->period_max_ns);
	}
	for (int64_t t = 0; t < duration; t += o->piece_ns) {
		double s = (double)t / 1e9, swing = 0;
		for (int i = 0; i < 2; i++)
			swing += o->thermal_ppm / 2 * sin(phase[i] + omega[i] * s);
		int rc = add(c, t, rate_of(o->ppm + swing + walk), err);
		if (rc)
			return rc;
		walk += o->walk_ppb * 1e-3 * sqrt(piece_s) * world_random_normal(r);
	}
	return 0;
}

static int add_ntp(struct world_clock *c, const struct world_clock_options *o, int64_t duration,
	struct world_random *r, struct mer_err *err)
{
	int rc = 0;
	for (int64_t t = 0; !rc && t < duration;) {
		rc = add(c, t, rate_of(o->ppm + world_random_between(r, -o->jump_ppm, o->jump_ppm)),
			err);
		t += (int64_t)world_random_between(
			r, (double)o->wait_min_ns, (double)o->wait_max_ns);
	}
	return rc;
}

static int add_sawtooth(struct world_clock *c, const struct world_clock_options *o,
	int64_t duration, struct world_random *r, struct mer_err *err)
{
	int rc = 0;
	double away = o->tooth_ppm;
	for (int64_t t = 0; !rc && t < duration; away = -away) {
		double size = (double)o->tooth_ns * world_random_between(r, 0.6, 1);
		rc = add(c, t, rate_of(o->ppm + away), err);
		t += (int64_t)(size / fabs(away) * 1e6);
		if (!rc && t < duration)
			rc = add(c, t, rate_of(o->ppm + (away < 0 ? 1 : -1) * o->snap_ppm), err);
		t += (int64_t)(size / o->snap_ppm * 1e6);
	}
	return rc;
}

/* Cuts a piece in two at t: the index of the one that begins there. Or a negative error. */
static int cut(struct world_clock *c, int64_t t, size_t *at, struct mer_err *err)
{
	size_t i = c->n;
	while (i && c->pieces[i - 1].begin > t)
		i--;
	if (i && c->pieces[i - 1].begin == t) {
		*at = i - 1;
		return 0;
	}
	int rc = add(c, t, 0, err);
	if (rc)
		return rc;
	struct world_clock_piece p = c->pieces[c->n - 1];
	memmove(c->pieces + i + 1, c->pieces + i, (c->n - 1 - i) * sizeof(p));
	p.rate = i ? c->pieces[i - 1].rate : c->pieces[1].rate;
	c->pieces[i] = p;
	*at = i;
	return 0;
}

static int add_glitch(struct world_clock *c, const struct world_glitch *g, struct mer_err *err)
{
	size_t i, end;
	int64_t lasts = g->step_ns < 0 ? -g->step_ns : g->slew_for_ns;
	int rc = cut(c, g->at_ns, &i, err);
	if (!rc && g->step_ns > 0)
		c->pieces[i].clock += g->step_ns;
	if (!rc && g->back_ns > 0)
		c->pieces[i].clock -= g->back_ns;
	if (rc || lasts <= 0)
		return rc;
	rc = cut(c, g->at_ns + lasts, &end, err);
	for (; !rc && i < end; i++) {
		struct world_clock_piece *p = &c->pieces[i];
		if (g->step_ns < 0)
			p->rate = stopped;
		else if (p->rate != stopped)
			p->rate += rate_of(g->slew_ppm);
	}
	return rc;
}

int world_clock_make(struct world_clock *c, const struct world_clock_options *o,
	int64_t duration_ns, uint64_t seed, struct mer_err *err)
{
	struct world_random r = world_random_new(seed, 0);
	int rc = 0;
	*c = (struct world_clock){ 0 };
	if ((o->kind == WORLD_FREE && o->piece_ns <= 0) ||
		(o->kind == WORLD_NTP && o->wait_min_ns <= 0) ||
		(o->kind == WORLD_SAWTOOTH && (o->tooth_ppm == 0 || o->snap_ppm <= 0)))
		return mer_fail(err, MER_ERR_USAGE, "a clock needs pieces longer than nothing");
	switch (o->kind) {
	case WORLD_STRAIGHT: rc = add(c, 0, rate_of(o->ppm), err); break;
	case WORLD_FREE: rc = add_free(c, o, duration_ns, &r, err); break;
	case WORLD_NTP: rc = add_ntp(c, o, duration_ns, &r, err); break;
	case WORLD_SAWTOOTH: rc = add_sawtooth(c, o, duration_ns, &r, err); break;
	}
	if (!rc && !c->n)
		rc = add(c, 0, rate_of(o->ppm), err);
	for (unsigned i = 0; !rc && i < o->n_glitches; i++)
		rc = add_glitch(c, &o->glitches[i], err);
	if (rc)
		return rc;
	c->pieces[0].clock += o->start_ns;
	for (size_t i = 1; i < c->n; i++)
		c->pieces[i].clock += at_piece(&c->pieces[i - 1], c->pieces[i].begin);
	return 0;
}
