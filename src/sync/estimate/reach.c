#include "sync/estimate/reach.h"

#include <math.h>
#include <stdlib.h>

#include "base/lower_bound.h"

/* Half a 95 % interval, in standard deviations. */
static const double SIGMAS = 2;

/* Covariance of offset and rate at some distance from the instant, given both at the instant. */
struct walked {
	double offset, both, rate;
};

static void walk_on(struct walked *w, double dt, double walk)
{
	w->offset += dt * (2 * w->both + dt * (w->rate + walk * dt / 3));
	w->both += dt * (w->rate + walk * dt / 2);
	w->rate += walk * dt;
}

/* The limits p[first] to p[last - 1], widened by what the walk between them and the instant
 * adds. */
struct window {
	struct sync_straight_point *p;
	size_t first, last;
};

static struct sync_straight_point widened(const struct sync_smooth_node *p, double by)
{
	return (struct sync_straight_point){ p->t, p->y + p->side * by, p->side };
}

static void look_around(
	const struct sync_smooth_node *p, size_t n, double t, double far, struct window *w)
{
	MER_LOWER_BOUND(here, 0, n, at, p[at].t < t);
	struct walked gone = { 0 };
	double last = t;
	for (w->last = here; w->last < n; w->last++) {
		walk_on(&gone, p[w->last].t - last, p[w->last].walk);
		double by = SIGMAS * sqrt(gone.offset);
		if (!(by <= far))
			break;
		last = p[w->last].t;
		w->p[w->last] = widened(&p[w->last], by);
	}
	gone = (struct walked){ 0 };
	last = t;
	for (w->first = here; w->first > 0; w->first--) {
		const struct sync_smooth_node *q = &p[w->first - 1];
		/* The walk of a node is that since the node before it; from q on it is that of the
		 * next node. */
		walk_on(&gone, last - q->t, w->first < n ? p[w->first].walk : q->walk);
		double by = SIGMAS * sqrt(gone.offset);
		if (!(by <= far))
			break;
		last = q->t;
		w->p[w->first - 1] = widened(q, by);
	}
}

int sync_reach(const struct sync_smooth_node *nodes, size_t n, const struct sync_reach_options *o,
	struct sync_reach *at, size_t n_at, struct mer_err *err)
{
	struct sync_passage h;
	struct window w = { malloc((n + 1) * sizeof(*w.p)), 0, n };
	int rc = sync_passage_new(&h, n, err);
	if (rc == 0 && !w.p)
		rc = mer_fail_nomem(err);
	for (size_t i = 0; i < n && o->straight && rc == 0; i++)
		w.p[i] = widened(&nodes[i], 0);
	for (size_t k = 0; k < n_at && rc == 0; k++) {
		if (!o->straight)
			look_around(nodes, n, at[k].t, o->far, &w);
		sync_passage_clear(&h);
		for (size_t i = w.first; i < w.last; i++)
			sync_passage_add(&h, &w.p[i], at[k].t);
		at[k].known = h.side[0].n && h.side[1].n &&
			      sync_passage_range(&h, o->flattest, o->steepest, &at[k].range);
	}
	free(w.p);
	sync_passage_free(&h);
	return rc;
}
