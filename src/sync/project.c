#include "sync/project.h"

#include <math.h>
#include <string.h>

static int64_t to_ns(long double x)
{
	return x >= 9.2e18L ? INT64_MAX - 1 : x <= -9.2e18L ? INT64_MIN + 1 : (int64_t)llroundl(x);
}

/* Where a clock moves fast, a course goes straight from instant to instant: what the estimate has
 * between them may be steeper than a clock can be. */
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

/* A course with other values at the host's instants: where two neighbouring ones did not change, it
 * stays as it is between them, else the change passes evenly from one to the other. */
static int correct(struct sync_course *c, const struct sync_net_host *host, struct mer_err *err)
{
	size_t n = host->n, k = 0, hint = 0, changed = 0;
	int64_t *by = host->high; /* by how much: in place of the values */
	for (size_t i = 0; i < n; i++) {
		/* Rounded down without overflow; both are close to each other. */
		int64_t value = host->low[i] + (sync_sub(host->high[i], host->low[i]) >> 1);
		by[i] = sync_sub(value, to_ns(sync_course_at(c, host->t[i], &hint)));
		changed += by[i] != 0;
	}
	if (n == 0 || (changed == 0 && host->drift.n_steps + host->drift.n_slews == 0))
		return 0;
	struct sync_course new = { 0 };
	size_t at = 0; /* next knot of c */
	hint = 0;
	/* Outside of the instants the course keeps its slope, not that of their last correction. */
	int64_t before = sync_sub(host->t[0], SYNC_FAR_NS),
		behind = sync_add(host->t[n - 1], SYNC_FAR_NS);
	int rc = 0;
	if (c->n == 0 || c->knots[0].t > before)
		rc = sync_course_add(&new, before, sync_course_at(c, before, NULL) + by[0], err);
	size_t hint2 = 0;
	for (k = 0; k <= n && rc == 0; k++) {
		/* Knots before instant k. */
		for (; at < c->n && rc == 0 && (k == n || c->knots[at].t < host->t[k]); at++) {
			int64_t t = c->knots[at].t;
			if (moves_fast(&host->drift, t, t))
				continue;
			long double more = k == 0 ? by[0] : by[k - 1];
			if (k > 0 && k < n)
				more += ((long double)by[k] - by[k - 1]) *
					((long double)t - host->t[k - 1]) /
					((long double)host->t[k] - host->t[k - 1]);
			rc = sync_course_add(&new, t, c->knots[at].off + more, err);
		}
		if (k == n || rc)
			break;
		bool matters = by[k] != 0 || (k > 0 && by[k - 1] != 0) ||
			       (k + 1 < n && by[k + 1] != 0) ||
			       moves_fast(&host->drift, k > 0 ? host->t[k - 1] : INT64_MIN,
				       k + 1 < n ? host->t[k + 1] : INT64_MAX);
		/* A knot of its own where the value is a whole number. */
		if (matters)
			rc = sync_course_add(&new, host->t[k],
				(long double)(by[k] + to_ns(sync_course_at(c, host->t[k], &hint2))),
				err);
		if (at < c->n && c->knots[at].t == host->t[k]) {
			if (!matters)
				rc = sync_course_add(&new, c->knots[at].t, c->knots[at].off, err);
			at++;
		}
	}
	if (rc == 0 && (c->n == 0 || c->knots[c->n - 1].t < behind))
		rc = sync_course_add(
			&new, behind, sync_course_at(c, behind, NULL) + by[n - 1], err);
	if (rc) {
		sync_course_free(&new);
		return rc;
	}
	sync_course_free(c);
	*c = new;
	return 0;
}

/* Fixed hosts have their course, all others are open. */
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

/* Are the courses between the limits that the net has now, and drift no more than they may, where
 * nothing else limits them than hosts whose course is known? */
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
	/* A course can only be moved between its neighbours' when it is within its limits. */
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
