#include "sync/limits/points.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/lower_bound.h"
#include "sync/limits/drift.h"
#include "sync/order.h"

/* Makes the points of one direction: each message's time on the axis' clock, and the limit that it
 * gives. */
static int one_direction(const struct sync_link *l, bool forth, const uint8_t *out,
	struct sync_point **points, uint32_t **of, size_t *n, struct mer_err *err)
{
	*points = NULL;
	*of = NULL;
	*n = 0;
	if (!l || l->n == 0)
		return 0;
	struct sync_point *p = mer_spill_array(NULL, l->n, sizeof(*p));
	if (!p)
		return mer_fail_nomem(err);
	*points = p;
	bool sorted = true, all = true;
	for (size_t i = 0; i < l->n; i++) {
		const struct sync_message *m = &l->messages[i];
		int64_t x = forth ? m->sent : m->received;
		if (out && out[i]) {
			all = false;
			continue;
		}
		sorted &= *n == 0 || p[*n - 1].x <= x;
		p[(*n)++] = (struct sync_point){ x,
			forth ? sync_sub(m->received, m->sent) : sync_sub(m->sent, m->received) };
	}
	if (sorted && all)
		return 0;
	/* The numbers of the messages, then sorted together with the points. */
	struct sync_order_key *keys = mer_spill_array(NULL, *n, sizeof(*keys));
	*of = mer_spill_array(NULL, *n, sizeof(**of));
	if (!keys || !*of) {
		mer_spill_release(keys);
		return mer_fail_nomem(err);
	}
	size_t k = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct sync_message *m = &l->messages[i];
		int64_t x = forth ? m->sent : m->received;
		if (!(out && out[i]))
			keys[k++] = (struct sync_order_key){ x, (uint32_t)i };
	}
	int rc = sorted ? 0 : sync_order(keys, k, err);
	for (size_t i = 0; i < k && rc == 0; i++) {
		const struct sync_message *m = &l->messages[keys[i].index];
		(*of)[i] = keys[i].index;
		p[i] = (struct sync_point){ keys[i].time,
			forth ? sync_sub(m->received, m->sent) : sync_sub(m->sent, m->received) };
	}
	mer_spill_release(keys);
	return rc;
}

int sync_points_new(const struct sync_link *forth, const struct sync_link *back,
	const uint8_t *out_forth, const uint8_t *out_back, struct sync_pair_points *p,
	struct mer_err *err)
{
	memset(p, 0, sizeof(*p));
	int rc = one_direction(forth, true, out_forth, &p->upper, &p->upper_of, &p->n_upper, err);
	if (rc == 0)
		rc = one_direction(
			back, false, out_back, &p->lower, &p->lower_of, &p->n_lower, err);
	if (rc)
		sync_points_free(p);
	return rc;
}

void sync_points_free(struct sync_pair_points *p)
{
	mer_spill_release(p->upper);
	mer_spill_release(p->lower);
	mer_spill_release(p->upper_of);
	mer_spill_release(p->lower_of);
	memset(p, 0, sizeof(*p));
}

size_t sync_first_point(const struct sync_point *p, size_t n, int64_t x)
{
	MER_LOWER_BOUND(lo, 0, n, at, p[at].x < x);
	return lo;
}
