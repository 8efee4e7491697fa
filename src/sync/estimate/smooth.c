/* See smooth.h. Beliefs are kept in their information form, in which "nothing known" is zero and
 * independent knowledge adds up. */
#include "sync/estimate/smooth.h"

#include <math.h>

/* Student's t with this many degrees of freedom: heavy tails, so that a course that is straight
 * except for a few sharp bends is estimated as such. */
static const double TAIL = 1;
/* The probability that a limit is wrong, if the caller has doubts. */
static const double WRONG = 1e-3;
/* A limit farther away than this, in standard deviations, has no effect. */
static const double FAR = 5;
/* Changes that are not worth another sweep, in standard deviations. */
static const double STILL = 0.02;

static struct sync_belief plus(struct sync_belief x, const struct sync_belief *y)
{
	x.a += y->a;
	x.b += y->b;
	x.c += y->c;
	x.e += y->e;
	x.f += y->f;
	return x;
}

static struct sync_belief with_limit(struct sync_belief x, const struct sync_smooth_node *n)
{
	x.a += n->tau;
	x.e += n->nu + n->side * n->pull;
	return x;
}

/* The belief dt seconds later, or earlier (dt < 0), after the random walk of the rate. */
static struct sync_belief elsewhere(struct sync_belief x, double dt, double walk)
{
	double det = x.a * x.c - x.b * x.b;
	double b = x.b - dt * x.a, f = x.f - dt * x.e;
	double c = x.a > 0 ? (fmax(det, 0) + b * b) / x.a : x.c;
	double q2 = walk * fabs(dt), q1 = q2 * dt / 2, q0 = q2 * dt * dt / 3;
	/* (I + L Q)^-1 L */
	double m00 = 1 + x.a * q0 + b * q1, m01 = x.a * q1 + b * q2;
	double m10 = b * q0 + c * q1, m11 = 1 + b * q1 + c * q2;
	double d = 1 / (m00 * m11 - m01 * m10);
	return (struct sync_belief){ .a = (m11 * x.a - m01 * b) * d,
		.b = (m11 * b - m01 * c) * d,
		.c = (m00 * c - m10 * b) * d,
		.e = (m11 * x.e - m01 * f) * d,
		.f = (m00 * f - m10 * x.e) * d };
}

struct tally {				    /* of one sweep over all limits and steps */
	double contacts, stiffness, weight; /* how hard the limits press */
	double surprise, room;		    /* size of the rate's steps, and what it should be */
	double change;			    /* sum of the means' changes, in standard deviations */
};

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

/* Replaces the limit by the Gaussian that has the same effect on the evidence of all others. */
static void meet_limit(const struct sync_smooth *s, struct sync_smooth_node *n, struct tally *tally)
{
	struct sync_belief others = plus(n->before, &n->after);
	others.e += n->side * n->pull;
	double det = others.a * others.c - others.b * others.b;
	double var = others.c / det, mean = (others.c * others.e - others.b * others.f) / det;
	if (!(det > 0) || !(var > 0) || !isfinite(var) || !isfinite(mean))
		return;
	double total = var + s->blur * s->blur, sd = sqrt(total);
	double z = (n->side * (n->y - mean) - s->floor / 2) / sd;
	n->z = z;
	double tau = 0, nu = 0, after = mean, var_after = var;
	if (z < FAR) {
		double h = pressure(z, s->doubt ? WRONG : 0);
		double gain = h * (z + h) / total;
		if (gain > 0) {
			gain = fmin(gain, (1 - 1e-9) / var);
			tau = gain / (1 - var * gain);
			after = mean - n->side * var * h / sd;
			nu = (tau + 1 / var) * after - mean / var;
			var_after = var - var * var * gain;
			tally->contacts += h / sd;
			tally->stiffness += gain;
			tally->weight += h;
		}
	}
	if (isfinite(tau) && isfinite(nu)) {
		n->tau = tau;
		n->nu = nu;
		n->sd = sqrt(var_after);
		tally->change += fmin(fabs(after - n->mean) / n->sd, 1);
		n->mean = after;
	}
}

/* Estimates from the evidence on both sides how much the rate walked between n and the node before
 * it, and adjusts the variance of this walk, drawn towards the typical one. */
static void adjust_walk(
	const struct sync_smooth *s, struct sync_smooth_node *n, double dt, struct tally *tally)
{
	const struct sync_belief *l = &n->before;
	struct sync_belief all = with_limit(plus(*l, &n->after), n);
	double det = all.a * all.c - all.b * all.b;
	double p00 = all.c / det, p01 = -all.b / det, p11 = all.a / det;
	double g = p00 * all.e + p01 * all.f, r = p01 * all.e + p11 * all.f;
	/* The step's score, and its variance: L - L P L. */
	double s0 = l->a * g + l->b * r - l->e, s1 = l->b * g + l->c * r - l->f;
	double t00 = l->a * p00 + l->b * p01, t01 = l->a * p01 + l->b * p11;
	double t10 = l->b * p00 + l->c * p01, t11 = l->b * p01 + l->c * p11;
	double v00 = l->a - (t00 * l->a + t01 * l->b), v01 = l->b - (t00 * l->b + t01 * l->c);
	double v11 = l->c - (t10 * l->b + t11 * l->c);
	double q0 = dt * dt * dt / 3, q1 = dt * dt / 2;
	double surprise = s0 * s0 * q0 + 2 * s0 * s1 * q1 + s1 * s1 * dt;
	double room = v00 * q0 + 2 * v01 * q1 + v11 * dt;
	if (!(room > 0) || !(surprise >= 0) || !isfinite(surprise) || !isfinite(room))
		return;
	tally->surprise += surprise;
	tally->room += room;
	if (dt > 0)
		n->walk = fmin(
			(TAIL * s->walk + n->walk * n->walk * surprise) / (TAIL + n->walk * room),
			s->most_walk);
}

static void sweep(struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n, bool adjust,
	struct tally *tally)
{
	for (size_t i = 0; i < n; i++) {
		meet_limit(s, &nodes[i], tally);
		if (i + 1 < n)
			nodes[i + 1].before = elsewhere(with_limit(nodes[i].before, &nodes[i]),
				nodes[i + 1].t - nodes[i].t, nodes[i + 1].walk);
	}
	*tally = (struct tally){ 0 };
	for (size_t i = n; i-- > 0;) {
		meet_limit(s, &nodes[i], tally);
		double dt = i ? nodes[i].t - nodes[i - 1].t : 0, walk = nodes[i].walk;
		if (adjust)
			adjust_walk(s, &nodes[i], dt, tally);
		if (i)
			nodes[i - 1].after =
				elsewhere(with_limit(nodes[i].after, &nodes[i]), -dt, walk);
	}
}

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

void sync_smooth_run(
	struct sync_smooth *s, struct sync_smooth_node *nodes, size_t n, unsigned max_sweeps)
{
	/* Nothing else is adjusted before the limits have been replaced a few times. */
	enum { SETTLE = 2 };
	double reach = 1, last = 0;
	for (unsigned i = 0; i < max_sweeps; i++) {
		struct tally tally = { 0 };
		sweep(s, nodes, n, i >= SETTLE && !s->steady, &tally);
		if (i < SETTLE)
			continue;
		double moved = tally.change / (double)n;
		if (tally.room > 0)
			s->walk *= fmin(fmax(tally.surprise / tally.room, 0.01), 100);
		s->walk = fmin(fmax(s->walk, 1e-30), s->most_walk);
		if (s->contacts > 0 && tally.stiffness > 0) {
			/* A Newton step of limited size. */
			double most = tally.weight / tally.contacts;
			double step = (s->contacts - tally.contacts) / (tally.stiffness / 2) / most;
			reach = step * last > 0 ? reach * 2 : 1;
			step = fmin(fmax(step, -reach), reach);
			last = step;
			s->floor = fmin(
				fmax(s->floor + step * most, s->floor_range[0]), s->floor_range[1]);
			moved = fmax(moved, fabs(step));
		}
		if (moved < STILL && i > SETTLE + 1)
			break;
	}
	for (size_t i = 0; i < n; i++) {
		struct sync_belief x =
			with_limit(plus(nodes[i].before, &nodes[i].after), &nodes[i]);
		double det = x.a * x.c - x.b * x.b, rate = (x.a * x.f - x.b * x.e) / det;
		nodes[i].rate = isfinite(rate) ? rate : 0;
		nodes[i].rate_sd = det > 0 ? sqrt(x.a / det) : INFINITY;
	}
}
