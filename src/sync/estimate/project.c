#include "sync/estimate/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t to_ns(long double x)
{
	return x >= 9.2e18L ? INT64_MAX - 1 : x <= -9.2e18L ? INT64_MIN + 1 : (int64_t)llroundl(x);
}

/* Is a step or a slew in this range? There the course becomes a line from instant to instant,
 * because the estimate between them may be steeper than the clock can be. */
static bool moves_fast(const struct sync_drift *d, int64_t from, int64_t to)
{
	for (size_t i = 0; i < d->n_steps; i++)
		if (to >= d->steps[i].range.begin && from <= d->steps[i].range.end)
			return true;
	for (size_t i = 0; i < d->n_slews; i++)
		if (to >= d->slews[i].range.begin && from <= d->slews[i].range.end)
			return true;
	return false;
}

/* Moves knots of the old course. Between two instants a knot keeps its place if the clock can get
 * there from the knot before, and from there to the next instant: messages that are not in the net
 * because others imply them rely on this. */
struct bend {
	const struct sync_course *c;
	const struct sync_net_host *host;
	const int64_t *by;	    /* correction of each instant */
	const int64_t *values;	    /* corrected */
	struct sync_course_knot at; /* the last knot that was put */
};

/* The new offset of c->knots[i], which lies before instant k and not before instant k - 1. *moved:
 * the clock could not have got there otherwise. */
static long double bend(struct bend *b, size_t i, size_t k, bool *moved)
{
	enum { ROUNDING = 1 };
	const int64_t *t = b->host->t;
	const struct sync_drift *d = &b->host->drift;
	struct sync_course_knot old = b->c->knots[i];
	*moved = false;
	if (k == 0 || k == b->host->n)
		return old.off + b->by[k ? k - 1 : 0];
	long double off = old.off + b->by[k - 1] +
			  ((long double)b->by[k] - b->by[k - 1]) * ((long double)old.t - t[k - 1]) /
				  ((long double)t[k] - t[k - 1]);
	if (b->at.t < t[k - 1])
		b->at = (struct sync_course_knot){ t[k - 1], b->values[k - 1] };
	int64_t budget = sync_drift_budget(d, old.t);
	long double from = sync_sub(budget, sync_drift_budget(d, b->at.t));
	long double to = sync_sub(sync_drift_budget(d, t[k]), budget);
	long double low = fmaxl(b->at.off - from, b->values[k] - to);
	long double high = fminl(b->at.off + from, b->values[k] + to);
	*moved = off < low - ROUNDING || off > high + ROUNDING;
	if (*moved)
		off = low > high ? (low + high) / 2 : off < low ? low : high;
	b->at = (struct sync_course_knot){ old.t, off };
	return off;
}

/* Which instants get a knot of their own: those next to something that was moved, or to where the
 * clock moves fast. False: none does. */
static bool find_bends(struct bend b, uint8_t *own)
{
	size_t n = b.host->n, at = 0;
	bool any = false;
	for (size_t k = 0; k < n; k++) {
		own[k] |= b.by[k] != 0 || (k > 0 && b.by[k - 1] != 0) ||
			  (k + 1 < n && b.by[k + 1] != 0) ||
			  moves_fast(&b.host->drift, k > 0 ? b.host->t[k - 1] : INT64_MIN,
				  k + 1 < n ? b.host->t[k + 1] : INT64_MAX);
		any |= own[k];
		for (; at < b.c->n && b.c->knots[at].t < b.host->t[k]; at++) {
			bool moved = false;
			if (!moves_fast(&b.host->drift, b.c->knots[at].t, b.c->knots[at].t))
				bend(&b, at, k, &moved);
			if (moved) { /* so k is not the first */
				own[k - 1] = own[k] = 1;
				any = true;
			}
		}
	}
	return any;
}

/* Gives the course new values at the host's instants, from its limits. Between two unchanged
 * instants it stays as it is, else the change is interpolated linearly. */
static int correct(struct sync_course *c, const struct sync_net_host *host, struct mer_err *err)
{
	size_t n = host->n, hint = 0;
	int64_t *by = host->high, *values = host->low; /* they replace the limits */
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		/* Rounded down without overflow; both are close to each other. */
		values[i] += sync_sub(host->high[i], values[i]) >> 1;
		by[i] = sync_sub(values[i], to_ns(sync_course_at(c, host->t[i], &hint)));
	}
	uint8_t *own = calloc(n, 1);
	if (!own)
		return mer_fail_nomem(err);
	struct bend b = { c, host, by, values, { INT64_MIN, 0 } };
	if (!find_bends(b, own) && host->drift.n_steps + host->drift.n_slews == 0) {
		free(own);
		return 0;
	}
	struct sync_course new = { 0 };
	hint = 0;
	/* Outside of the instants the course keeps its slope, not that of their last correction. */
	int64_t begin = sync_sub(host->t[0], SYNC_FAR_NS),
		end = sync_add(host->t[n - 1], SYNC_FAR_NS);
	int rc = 0;
	size_t at = 0; /* next knot of c */
	if (c->n == 0 || c->knots[0].t > begin)
		rc = sync_course_add(&new, begin, sync_course_at(c, begin, NULL) + by[0], err);
	for (size_t k = 0; k <= n && rc == 0; k++) {
		/* Knots before instant k. */
		for (; at < c->n && rc == 0 && (k == n || c->knots[at].t < host->t[k]); at++) {
			bool moved;
			if (!moves_fast(&host->drift, c->knots[at].t, c->knots[at].t))
				rc = sync_course_add(
					&new, c->knots[at].t, bend(&b, at, k, &moved), err);
		}
		if (k == n || rc)
			break;
		/* Without a correction the value stays exact: else rounding would move the next
		 * instants. */
		if (own[k])
			rc = sync_course_add(&new, host->t[k],
				by[k] ? values[k] : sync_course_at(c, host->t[k], &hint), err);
		if (at < c->n && c->knots[at].t == host->t[k]) {
			if (!own[k])
				rc = sync_course_add(&new, c->knots[at].t, c->knots[at].off, err);
			at++;
		}
	}
	if (rc == 0 && (c->n == 0 || c->knots[c->n - 1].t < end))
		rc = sync_course_add(&new, end, sync_course_at(c, end, NULL) + by[n - 1], err);
	free(own);
	if (rc) {
		sync_course_free(&new);
		return rc;
	}
	sync_course_free(c);
	*c = new;
	return 0;
}

/* Limits of fixed hosts become their course; those of all others are open. */
static void open_limits(struct sync_net *net, const struct sync_course *courses)
{
	sync_net_reset(net);
	for (uint32_t h = 0; h < net->n_hosts; h++) {
		struct sync_net_host *host = &net->hosts[h];
		size_t hint = 0;
		for (size_t i = 0; host->fixed && i < host->n; i++)
			host->low[i] = host->high[i] =
				to_ns(sync_course_at(&courses[h], host->t[i], &hint));
	}
}

/* Both limits become the course, as far as it is between them. */
static void close_limits(struct sync_net *net, const struct sync_course *courses)
{
	for (uint32_t h = 0; h < net->n_hosts; h++) {
		struct sync_net_host *host = &net->hosts[h];
		size_t hint = 0;
		for (size_t i = 0; !host->fixed && i < host->n; i++) {
			int64_t v = to_ns(sync_course_at(&courses[h], host->t[i], &hint));
			v = v < host->low[i] ? host->low[i] : v;
			v = v > host->high[i] ? host->high[i] : v;
			host->low[i] = host->high[i] = v;
		}
	}
}

/* Is no piece steeper than the clock may be? */
static bool is_flat(const struct sync_course *c, double rate)
{
	for (size_t i = 0; i + 1 < c->n; i++) {
		long double dt = (long double)c->knots[i + 1].t - c->knots[i].t;
		if (fabsl(c->knots[i + 1].off - c->knots[i].off) > dt * rate + 1)
			return false;
	}
	return true;
}

/* Are all courses between the limits that the net has now, and within the drift limit? Answered
 * only in the simple case: every message has a fixed host on one side, fixed hosts have offset 0,
 * and there are no steps or slews. Otherwise false. */
static bool satisfied(const struct sync_net *net, const struct sync_course *courses, int64_t slack)
{
	for (size_t i = 0; i < net->n_links; i++) {
		const struct sync_net_link *l = &net->links[i];
		if (!l->skip && !net->hosts[l->from].fixed && !net->hosts[l->to].fixed)
			return false;
	}
	for (uint32_t h = 0; h < net->n_hosts; h++) {
		const struct sync_net_host *host = &net->hosts[h];
		if (host->fixed && courses[h].n)
			return false;
		if (host->drift.n_steps + host->drift.n_slews)
			return false;
		if (!host->fixed && !is_flat(&courses[h], host->drift.max_rate))
			return false;
		size_t hint = 0;
		int64_t v0 = 0, budget0 = 0;
		for (size_t i = 0; !host->fixed && i < host->n; i++) {
			int64_t v = to_ns(sync_course_at(&courses[h], host->t[i], &hint));
			if (v < sync_add(host->low[i], host->low[i] == INT64_MIN ? 0 : slack) ||
				v > sync_sub(host->high[i], host->high[i] == INT64_MAX ? 0 : slack))
				return false;
			int64_t budget = sync_drift_budget(&host->drift, host->t[i]);
			int64_t moved = sync_sub(v, v0), most = sync_sub(budget, budget0);
			if (i > 0 && (moved > most || moved < -most))
				return false;
			v0 = v;
			budget0 = budget;
		}
	}
	return true;
}

int sync_project(struct sync_net *net, struct sync_course *courses, int64_t slack_ns,
	bool *consistent, struct mer_err *err)
{
	*consistent = true;
	if (satisfied(net, courses, slack_ns))
		return 0;
	/* A course must be within its own limits before courses can be fitted to each other. */
	open_limits(net, courses);
	int rc = sync_net_tighten(net, SYNC_NET_HIGH | SYNC_NET_LOW, slack_ns, consistent, err);
	if (rc || !*consistent)
		return rc;
	close_limits(net, courses);
	rc = sync_net_tighten(net, SYNC_NET_LOW, slack_ns, consistent, err);
	if (rc == 0 && *consistent)
		rc = sync_net_tighten(net, SYNC_NET_HIGH, slack_ns, consistent, err);
	for (uint32_t h = 0; h < net->n_hosts && rc == 0 && *consistent; h++)
		if (!net->hosts[h].fixed)
			rc = correct(&courses[h], &net->hosts[h], err);
	return rc;
}
