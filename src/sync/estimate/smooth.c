/* See smooth.h. Beliefs are kept in their information form, in which "nothing known" is zero and
 * independent knowledge adds up.
 *
 * Each step of a sweep needs the one before, so one course alone would mostly wait for divisions.
 * Therefore some courses are swept side by side, each in a lane of its own: the same operations in
 * the same order for each of them, whatever is in the other lanes. A lane whose course is done
 * takes the next one. */
#include "sync/estimate/smooth.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/spill.h"

/* Student's t with this many degrees of freedom: heavy tails, so that a course that is straight
 * except for a few sharp bends is estimated as such. */
static const double TAIL = 1;
/* The probability that a limit is wrong, if the caller has doubts. */
static const double WRONG = 1e-3;
/* A limit farther away than this, in standard deviations, has no effect. */
static const double FAR = 5;
/* Changes that are not worth another sweep, in standard deviations. */
static const double STILL = 0.02;

/* ---- Lanes ---- */

enum { WIDE = 2, GROUPS = 2, LANES = WIDE * GROUPS };

/* A number for each lane of a group, and what is true of which of them. */
typedef double wide __attribute__((vector_size(16)));
typedef int64_t lanes __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE wide choose(lanes which, wide yes, wide no)
{
	return (wide)(((lanes)yes & which) | ((lanes)no & ~which));
}

INLINE wide magnitude(wide x)
{
	return (wide)((lanes)x & INT64_MAX);
}

INLINE lanes is_finite(wide x)
{
	return (lanes)(magnitude(x) < INFINITY);
}

INLINE wide root(wide x)
{
#ifdef __SSE2__
	return (wide)_mm_sqrt_pd((__m128d)x);
#else
	for (int i = 0; i < WIDE; i++)
		x[i] = sqrt(x[i]);
	return x;
#endif
}

struct belief { /* as sync_belief */
	wide a, b, c, e, f;
};

struct node { /* as sync_smooth_node */
	wide t, y, side, push, mean, sd, z, walk, tau, nu;
	struct belief before, after;
};

struct scales { /* as sync_smooth, of a group */
	wide half_floor, blur2, walk, most_walk;
	lanes adjusts;	/* its walk is adjusted */
	double rest[2]; /* the probability that a limit is wrong */
	wide n;		/* nodes */
};

struct tally {				  /* of one sweep over all limits and steps, of a group */
	wide contacts, stiffness, weight; /* how hard the limits press */
	wide surprise, room;		  /* size of the rate's steps, and what it should be */
	wide change;			  /* sum of the means' changes, in standard deviations */
};

/* ---- Sweeps ---- */

INLINE struct belief plus(const struct belief *x, const struct belief *y)
{
	return (struct belief){ x->a + y->a, x->b + y->b, x->c + y->c, x->e + y->e, x->f + y->f };
}

INLINE struct belief with_limit(struct belief x, const struct node *n)
{
	x.a += n->tau;
	x.e += n->nu + n->push;
	return x;
}

/* The belief dt seconds later, or earlier (dt < 0), after the random walk of the rate. */
INLINE struct belief elsewhere(struct belief x, wide dt, wide walk)
{
	wide zero = { 0 };
	wide det = x.a * x.c - x.b * x.b;
	wide b = x.b - dt * x.a, f = x.f - dt * x.e;
	wide c = (choose((lanes)(det > 0), det, zero) + b * b) / x.a;
	c = choose((lanes)(x.a > 0), c, x.c);
	wide q2 = walk * magnitude(dt), q1 = q2 * dt / 2, q0 = q2 * dt * dt / 3;
	/* (I + L Q)^-1 L */
	wide m00 = 1 + x.a * q0 + b * q1, m01 = x.a * q1 + b * q2;
	wide m10 = b * q0 + c * q1, m11 = 1 + b * q1 + c * q2;
	wide d = 1 / (m00 * m11 - m01 * m10);
	return (struct belief){ .a = (m11 * x.a - m01 * b) * d,
		.b = (m11 * b - m01 * c) * d,
		.c = (m00 * c - m10 * b) * d,
		.e = (m11 * x.e - m01 * f) * d,
		.f = (m00 * f - m10 * x.e) * d };
}

/* Density over distribution of the normal law: how hard a limit at z presses; rest: the
 * probability that it is wrong. */
static double pressure(double z, double rest)
{
	static const double root_2_pi = 2.50662827463100050, root_half = 0.70710678118654752;
	if (rest <= 0 && z < -25) /* both vanish; their quotient does not */
		return -z - 1 / z;
	double below = erfc(-z * root_half) / 2;
	return (1 - rest) * exp(-z * z / 2) / root_2_pi / ((1 - rest) * below + rest);
}

/* Replaces the limits by the Gaussians that have the same effect on the evidence of all others. */
INLINE void meet_limits(
	const struct scales *scales, struct node *nodes, int groups, size_t at, struct tally *tally)
{
	wide zero = { 0 }, var[GROUPS], mean[GROUPS], total[GROUPS], sd[GROUPS], z[GROUPS],
	     press[GROUPS];
	lanes known[GROUPS];
	for (int g = 0; g < groups; g++) {
		struct node *n = &nodes[g];
		struct belief others = plus(&n->before, &n->after);
		others.e += n->push;
		wide det = others.a * others.c - others.b * others.b;
		var[g] = others.c / det;
		mean[g] = (others.c * others.e - others.b * others.f) / det;
		known[g] = (lanes)(scales[g].n > (double)at) & (lanes)(det > 0) &
			   (lanes)(var[g] > 0) & is_finite(var[g]) & is_finite(mean[g]);
		total[g] = var[g] + scales[g].blur2;
		sd[g] = root(total[g]);
		z[g] = (n->side * (n->y - mean[g]) - scales[g].half_floor) / sd[g];
		n->z = choose(known[g], z[g], n->z);
	}
	for (int g = 0; g < groups; g++) {
		lanes near = known[g] & (lanes)(z[g] < FAR);
		press[g] = zero;
		for (int i = 0; i < WIDE; i++)
			if (near[i])
				press[g][i] = pressure(z[g][i], scales[g].rest[i]);
	}
	for (int g = 0; g < groups; g++) {
		struct node *n = &nodes[g];
		wide h = press[g], gain = h * (z[g] + h) / total[g];
		lanes gains = (lanes)(gain > 0);
		wide most = (1 - 1e-9) / var[g];
		gain = choose((lanes)(gain < most), gain, most);
		wide tau = gain / (1 - var[g] * gain);
		wide after = mean[g] - n->side * var[g] * h / sd[g];
		wide nu = (tau + 1 / var[g]) * after - mean[g] / var[g];
		wide var_after = var[g] - var[g] * var[g] * gain;
		tau = choose(gains, tau, zero);
		nu = choose(gains, nu, zero);
		after = choose(gains, after, mean[g]);
		var_after = choose(gains, var_after, var[g]);
		lanes fits = known[g] & is_finite(tau) & is_finite(nu);
		wide own = root(var_after), change = magnitude(after - n->mean) / own;
		n->tau = choose(fits, tau, n->tau);
		n->nu = choose(fits, nu, n->nu);
		n->sd = choose(fits, own, n->sd);
		n->mean = choose(fits, after, n->mean);
		if (!tally)
			continue;
		tally[g].contacts += choose(gains, h / sd[g], zero);
		tally[g].stiffness += choose(gains, gain, zero);
		tally[g].weight += choose(gains, h, zero);
		wide one = zero + 1;
		tally[g].change += choose(fits, choose((lanes)(change < 1), change, one), zero);
	}
}

/* Estimates from the evidence on both sides how much the rate walked between n and the node before
 * it, and adjusts the variance of this walk, drawn towards the typical one. */
INLINE void adjust_walk(
	const struct scales *s, struct node *n, size_t at, wide dt, struct tally *tally)
{
	const struct belief *l = &n->before;
	struct belief all = with_limit(plus(l, &n->after), n);
	wide zero = { 0 };
	wide det = all.a * all.c - all.b * all.b;
	wide p00 = all.c / det, p01 = -all.b / det, p11 = all.a / det;
	wide g = p00 * all.e + p01 * all.f, r = p01 * all.e + p11 * all.f;
	/* The step's score, and its variance: L - L P L. */
	wide s0 = l->a * g + l->b * r - l->e, s1 = l->b * g + l->c * r - l->f;
	wide t00 = l->a * p00 + l->b * p01, t01 = l->a * p01 + l->b * p11;
	wide t10 = l->b * p00 + l->c * p01, t11 = l->b * p01 + l->c * p11;
	wide v00 = l->a - (t00 * l->a + t01 * l->b), v01 = l->b - (t00 * l->b + t01 * l->c);
	wide v11 = l->c - (t10 * l->b + t11 * l->c);
	wide q0 = dt * dt * dt / 3, q1 = dt * dt / 2;
	wide surprise = s0 * s0 * q0 + 2 * s0 * s1 * q1 + s1 * s1 * dt;
	wide room = v00 * q0 + 2 * v01 * q1 + v11 * dt;
	lanes fits = s->adjusts & (lanes)(s->n > (double)at) & (lanes)(room > 0) &
		     (lanes)(surprise >= 0) & is_finite(surprise) & is_finite(room);
	tally->surprise += choose(fits, surprise, zero);
	tally->room += choose(fits, room, zero);
	wide walk = (TAIL * s->walk + n->walk * n->walk * surprise) / (TAIL + n->walk * room);
	walk = choose((lanes)(walk < s->most_walk), walk, s->most_walk);
	n->walk = choose(fits & (lanes)(dt > 0), walk, n->walk);
}

/* Sweeps over n nodes of all courses forwards and backwards. Beyond a course's own nodes a lane has
 * zeroes, which say nothing: backwards they remain zeroes, forwards nobody looks at what becomes of
 * them. */
INLINE void sweep_groups(const struct scales *scales, bool adjust, struct node *nodes, int groups,
	size_t n, struct tally *tally)
{
	for (size_t i = 0; i < n; i++) {
		struct node *here = nodes + i * (size_t)groups;
		meet_limits(scales, here, groups, i, NULL);
		for (int g = 0; g < groups && i + 1 < n; g++) {
			const struct node *p = &here[g];
			struct node *to = &here[groups + g];
			to->before = elsewhere(with_limit(p->before, p), to->t - p->t, to->walk);
		}
	}
	for (size_t i = n; i-- > 0;) {
		struct node *here = nodes + i * (size_t)groups;
		meet_limits(scales, here, groups, i, tally);
		for (int g = 0; g < groups; g++) {
			struct node *p = &here[g];
			wide zero = { 0 }, dt = i ? p->t - p[-groups].t : zero, walk = p->walk;
			if (adjust)
				adjust_walk(&scales[g], p, i, dt, &tally[g]);
			if (i)
				p[-groups].after = elsewhere(with_limit(p->after, p), -dt, walk);
		}
	}
}

static void sweep(const struct scales *scales, bool adjust, struct node *nodes, int groups,
	size_t n, struct tally *tally)
{
	if (groups == 1)
		sweep_groups(scales, adjust, nodes, 1, n, tally);
	else
		sweep_groups(scales, adjust, nodes, GROUPS, n, tally);
}

/* ---- Runs ---- */

void sync_smooth_start(const struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sync_smooth_node *p = &nodes[i];
		p->tau = p->nu = 0;
		p->walk = s->walk;
		p->before = p->after = (struct sync_belief){ 0 };
		p->mean = p->rate = p->z = 0;
		p->sd = INFINITY;
	}
	double a = 1 / (s->offset_sd * s->offset_sd), c = 1 / (s->rate_sd * s->rate_sd);
	if (n)
		nodes[0].before = (struct sync_belief){
			.a = a, .c = c, .e = a * s->offset, .f = c * s->rate
		};
}

struct lane {
	const struct sync_smooth_run *run; /* NULL: none */
	unsigned done;			   /* sweeps */
	double reach, last;		   /* of the steps of the floor */
};

static void set_belief(struct belief *to, int i, const struct sync_belief *x)
{
	to->a[i] = x->a;
	to->b[i] = x->b;
	to->c[i] = x->c;
	to->e[i] = x->e;
	to->f[i] = x->f;
}

static void get_belief(struct sync_belief *to, const struct belief *x, int i)
{
	*to = (struct sync_belief){ x->a[i], x->b[i], x->c[i], x->e[i], x->f[i] };
}

/* Puts a course into a lane; what is behind its nodes, up to `most`, becomes zeroes. */
static void take_in(
	struct node *nodes, int groups, size_t most, int lane, const struct sync_smooth_run *r)
{
	static const struct sync_smooth_node none;
	int i = lane % WIDE;
	for (size_t k = 0; k < most; k++) {
		const struct sync_smooth_node *p = k < r->n ? &r->nodes[k] : &none;
		struct node *to = &nodes[k * (size_t)groups + (size_t)lane / WIDE];
		to->t[i] = p->t;
		to->y[i] = p->y;
		to->side[i] = p->side;
		to->push[i] = p->side * p->pull;
		to->mean[i] = p->mean;
		to->sd[i] = p->sd;
		to->z[i] = p->z;
		to->walk[i] = p->walk;
		to->tau[i] = p->tau;
		to->nu[i] = p->nu;
		set_belief(&to->before, i, &p->before);
		set_belief(&to->after, i, &p->after);
	}
}

/* Takes the course out of its lane, and computes the rates. */
static void take_out(
	const struct node *nodes, int groups, int lane, const struct sync_smooth_run *r)
{
	int i = lane % WIDE;
	for (size_t k = 0; k < r->n; k++) {
		const struct node *p = &nodes[k * (size_t)groups + (size_t)lane / WIDE];
		struct sync_smooth_node *to = &r->nodes[k];
		to->mean = p->mean[i];
		to->sd = p->sd[i];
		to->z = p->z[i];
		to->walk = p->walk[i];
		to->tau = p->tau[i];
		to->nu = p->nu[i];
		get_belief(&to->before, &p->before, i);
		get_belief(&to->after, &p->after, i);
		struct belief x = with_limit(plus(&p->before, &p->after), p);
		double det = x.a[i] * x.c[i] - x.b[i] * x.b[i];
		double rate = (x.a[i] * x.f[i] - x.b[i] * x.e[i]) / det;
		to->rate = isfinite(rate) ? rate : 0;
		to->rate_sd = det > 0 ? sqrt(x.a[i] / det) : INFINITY;
	}
}

/* Nothing else is adjusted before the limits have been replaced a few times. */
enum { SETTLE = 2 };

/* Adjusts the scales of a course by what a sweep over it has found. False: it is done. */
static bool go_on(struct lane *lane, const struct tally *tally, int i)
{
	const struct sync_smooth_run *r = lane->run;
	struct sync_smooth *s = r->s;
	unsigned done = lane->done++;
	bool more = done + 1 < r->max_sweeps;
	if (done < SETTLE)
		return more;
	double moved = tally->change[i] / (double)r->n;
	double contacts = tally->contacts[i], stiffness = tally->stiffness[i];
	if (tally->room[i] > 0)
		s->walk *= fmin(fmax(tally->surprise[i] / tally->room[i], 0.01), 100);
	s->walk = fmin(fmax(s->walk, 1e-30), s->most_walk);
	if (s->contacts > 0 && stiffness > 0) {
		/* A Newton step of limited size. */
		double most = tally->weight[i] / contacts;
		double step = (s->contacts - contacts) / (stiffness / 2) / most;
		lane->reach = step * lane->last > 0 ? lane->reach * 2 : 1;
		step = fmin(fmax(step, -lane->reach), lane->reach);
		lane->last = step;
		s->floor = fmin(fmax(s->floor + step * most, s->floor_range[0]), s->floor_range[1]);
		moved = fmax(moved, fabs(step));
	}
	return more && !(moved < STILL && done > SETTLE + 1);
}

static void set_scales(struct scales *to, int i, const struct lane *lane)
{
	const struct sync_smooth *s = lane->run ? lane->run->s : NULL;
	to->n[i] = s ? (double)lane->run->n : 0;
	if (!s)
		return;
	to->half_floor[i] = s->floor / 2;
	to->blur2[i] = s->blur * s->blur;
	to->walk[i] = s->walk;
	to->most_walk[i] = s->most_walk;
	to->adjusts[i] = lane->done >= SETTLE && !s->steady ? -1 : 0;
	to->rest[i] = s->doubt ? WRONG : 0;
}

int sync_smooth_run(const struct sync_smooth_run *runs, size_t n, struct mer_err *err)
{
	struct lane lane[LANES] = { 0 };
	struct scales scales[GROUPS] = { 0 };
	int groups = n > WIDE ? GROUPS : 1;
	size_t most = 0, next = 0;
	for (size_t i = 0; i < n; i++)
		most = runs[i].n > most ? runs[i].n : most;
	struct node *nodes = mer_spill_array(NULL, most * (size_t)groups, sizeof(*nodes));
	if (!nodes)
		return mer_fail_nomem(err);
	for (;;) {
		size_t longest = 0;
		bool adjust = false;
		for (int k = 0; k < groups * WIDE; k++) {
			if (!lane[k].run && next < n) {
				lane[k] = (struct lane){ .run = &runs[next++], .reach = 1 };
				take_in(nodes, groups, most, k, lane[k].run);
			}
			struct scales *own = &scales[k / WIDE];
			set_scales(own, k % WIDE, &lane[k]);
			if (!lane[k].run)
				continue;
			adjust |= own->adjusts[k % WIDE] != 0;
			longest = lane[k].run->n > longest ? lane[k].run->n : longest;
		}
		if (longest == 0)
			break;
		struct tally tally[GROUPS] = { 0 };
		sweep(scales, adjust, nodes, groups, longest, tally);
		for (int k = 0; k < groups * WIDE; k++)
			if (lane[k].run && !go_on(&lane[k], &tally[k / WIDE], k % WIDE)) {
				take_out(nodes, groups, k, lane[k].run);
				lane[k].run = NULL;
			}
	}
	mer_spill_release(nodes);
	return 0;
}
