#include "sync/result.h"
#include "base/lower_bound.h"

#include <stdlib.h>

static int by_hosts(const void *a, const void *b)
{
	const struct sync_pair *p = a, *q = b;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

void sync_result_sort_pairs(struct sync_result *r)
{
	if (r->n_pairs)
		qsort(r->pairs, r->n_pairs, sizeof(*r->pairs), by_hosts);
}

void sync_result_free(struct sync_result *r)
{
	if (!r)
		return;
	mer_diags_fini(&r->diags);
	mer_arena_fini(&r->arena);
	free(r);
}

/* The last limit at or before t, as its index + 1; 0: none. */
static size_t last_before(const struct sync_limit *l, size_t n, int64_t t)
{
	MER_LOWER_BOUND(lo, 0, n, at, l[at].at <= t);
	return lo;
}

/* The limit at t from the limits on either side of it: see struct sync_limit. No limit is weaker
 * than its neighbours imply, so each one matters only up to the next. */
static bool limit_at(const struct sync_drift *d, const struct sync_limit *l, size_t n, int sign,
	int64_t t, int64_t *offset)
{
	size_t i = last_before(l, n, t), epoch = sync_drift_epoch(d, t);
	int64_t budget = sync_drift_budget(d, t);
	bool any = false;
	for (size_t k = i > 0 ? i - 1 : 0; k < n && k <= i; k++) {
		int64_t way = sync_sub(budget, sync_drift_budget(d, l[k].at));
		if (way < 0)
			way = sync_sub(0, way);
		if (epoch & 1)
			return false;
		if (sync_drift_epoch(d, l[k].at) != epoch) {
			/* Beyond a step, only the fact that clocks never run backwards helps. */
			bool holds = sign > 0 ? l[k].at > t : l[k].at < t;
			if (!holds)
				continue;
			way = l[k].at > t ? sync_sub(l[k].at, t) : sync_sub(t, l[k].at);
		}
		int64_t v =
			sign > 0 ? sync_add(l[k].offset_ns, way) : sync_sub(l[k].offset_ns, way);
		if (!any || (sign > 0 ? v < *offset : v > *offset))
			*offset = v;
		any = true;
	}
	return any;
}

static struct sync_drift drift_of(const struct sync_host *h)
{
	return (struct sync_drift){ h->max_rate_ppm / 1e6, h->span.begin, h->slews, h->steps,
		h->n_slews, h->n_steps };
}

/* The latest, or earliest, reference time that t can be; INT64_MAX or INT64_MIN: any. Budgets are
 * rounded down: what is lost by that is less than 2 ns. */
static int64_t latest(const struct sync_host *h, const struct sync_drift *d, int64_t t)
{
	int64_t o;
	return limit_at(d, h->high, h->n_high, 1, t, &o) ? sync_add(t, sync_add(o, 2)) : INT64_MAX;
}

static int64_t earliest(const struct sync_host *h, const struct sync_drift *d, int64_t t)
{
	int64_t o;
	return limit_at(d, h->low, h->n_low, -1, t, &o) ? sync_add(t, sync_sub(o, 2)) : INT64_MIN;
}

bool sync_host_limits(
	const struct sync_result *r, uint32_t host, int64_t t, int64_t *low, int64_t *high)
{
	const struct sync_host *h = &r->hosts[host];
	if (h->quality == SYNC_REFERENCE) {
		*low = *high = trace_map_time(&h->map, t);
		return true;
	}
	struct sync_drift d = drift_of(h);
	*high = latest(h, &d, t);
	*low = earliest(h, &d, t);
	return *low != INT64_MIN && *high != INT64_MAX;
}

/* On the line through two instants, which may go on outside of them. */
static int64_t on_line(const struct sync_limit *a, const struct sync_limit *b, int64_t t)
{
	double part = (double)sync_sub(t, a->at) / (double)sync_sub(b->at, a->at);
	double off = (double)a->offset_ns + (double)sync_sub(b->offset_ns, a->offset_ns) * part;
	return off < 9e18 ? (int64_t)off : INT64_MAX;
}

/* The likely error before the first or after the last instant for which it is given. */
static int64_t likely_outside(const struct sync_host *h, int64_t t, bool is_before)
{
	const struct sync_limit *l = h->likely, *last = &l[h->n_likely - 1];
	const struct sync_limit *end = is_before ? l : last;
	const struct sync_limit *next = is_before ? l + 1 : last - 1;
	if (h->n_likely < 2 || end->offset_ns == INT64_MAX || next->offset_ns >= end->offset_ns)
		return end->offset_ns;
	return on_line(next, end, t);
}

int64_t sync_host_likely(const struct sync_result *r, uint32_t host, int64_t t)
{
	const struct sync_host *h = &r->hosts[host];
	if (h->quality == SYNC_REFERENCE)
		return 0;
	if (h->n_likely == 0)
		return INT64_MAX;
	size_t i = last_before(h->likely, h->n_likely, t);
	if (i == 0 || i == h->n_likely)
		return likely_outside(h, t, i == 0);
	const struct sync_limit *a = &h->likely[i - 1], *b = a + 1;
	int64_t low, high;
	/* Next to a range without a likely error, that of the other side is used, provided that t
	 * has limits. */
	if (a->offset_ns == INT64_MAX || b->offset_ns == INT64_MAX)
		return !sync_host_limits(r, host, t, &low, &high)
			       ? INT64_MAX
			       : (a->offset_ns < b->offset_ns ? a : b)->offset_ns;
	return on_line(a, b, t);
}

bool sync_host_guaranteed(const struct sync_result *r, uint32_t host)
{
	const struct sync_host *h = &r->hosts[host];
	if (h->quality == SYNC_ABSENT || h->quality == SYNC_FAIL || h->bound.median == INT64_MAX)
		return false;
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if (r->hosts[p->a].group == h->group &&
			(p->ab.after.n_inversions || p->ba.after.n_inversions))
			return false;
	}
	return true;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? sync_sub(a, b) : sync_sub(b, a);
}

/* Where a limit of reference times, which rises with the host's, passes `time`: the last moment of
 * the host's clock at which the latest one is not beyond it (is_high), or the first at which the
 * earliest one is. guess: near it, at: the limit there. It rises about as fast as time does, so a
 * few steps lead there; halving in between makes sure that they end. */
static bool find_crossing(const struct sync_host *h, bool is_high, int64_t time, int64_t guess,
	int64_t at, int64_t *found)
{
	enum { FIRST_NS = 1000, MOST_STEPS = 48 };
	struct sync_drift d = drift_of(h);
	int64_t (*limit)(const struct sync_host *, const struct sync_drift *, int64_t) =
		is_high ? latest : earliest;
	int64_t nothing = is_high ? INT64_MAX : INT64_MIN;
	int64_t from = guess, to = guess, value = at;
	int64_t step = sync_add(distance(at, time), FIRST_NS);
	bool beyond = false;
	for (int k = 0; k < MOST_STEPS && !beyond; k++, step = sync_add(step, step)) {
		to = is_high ? sync_sub(guess, step) : sync_add(guess, step);
		value = limit(h, &d, to);
		if (value == nothing)
			return false; /* into a step: nothing is known */
		beyond = is_high ? value <= time : value >= time;
		if (!beyond)
			from = to;
	}
	if (!beyond)
		return false;
	/* `to` is beyond, `from` is not. */
	bool moved_to = true;
	for (unsigned k = 0; distance(from, to) > 1; k++) {
		int64_t mid = from / 2 + to / 2 + (from % 2 + to % 2) / 2;
		int64_t first = from < to ? from : to, last = from < to ? to : from;
		int64_t near = k % 3 == 0   ? sync_add(to, sync_sub(time, value))
			       : k % 3 == 1 ? (moved_to == (from > to) ? first + 1 : last - 1)
					    : mid;
		if (near > first && near < last)
			mid = near;
		int64_t v = limit(h, &d, mid);
		moved_to = is_high ? v <= time : v >= time;
		*(moved_to ? &to : &from) = mid;
		if (moved_to)
			value = v;
	}
	*found = to;
	return true;
}

bool sync_host_limits_back(
	const struct sync_result *r, uint32_t host, int64_t time, int64_t *low, int64_t *high)
{
	const struct sync_host *h = &r->hosts[host];
	*low = INT64_MIN;
	*high = INT64_MAX;
	if (h->quality == SYNC_REFERENCE) {
		*low = *high = trace_unmap_time(&h->map, time);
		return true;
	}
	/* The host's clock shows at least t when the latest reference time of t is not beyond
	 * `time`. */
	int64_t guess = trace_unmap_time(&h->map, time), lo, hi;
	sync_host_limits(r, host, guess, &lo, &hi);
	if (hi != INT64_MAX)
		find_crossing(h, true, time, guess, hi, low);
	if (lo != INT64_MIN)
		find_crossing(h, false, time, guess, lo, high);
	return *low != INT64_MIN && *high != INT64_MAX;
}
