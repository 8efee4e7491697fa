/* Solve: chooses the drift limit: the given one, a larger one if the messages show more drift, or
 * the observed drift. */
#include <math.h>

#include "sync/advice.h"
#include "sync/solve_once.h"

struct drifts { /* of all hosts against their references, ppm */
	double least, most, off;
	bool known;
};

/* Adds a host's drift, measured over parts of its traces that are long compared with latencies. */
static void see_drift(const struct sync_host *h, struct drifts *d)
{
	enum { PARTS = 16 };
	int64_t length = sync_sub(h->span.end, h->span.begin) / PARTS;
	d->known &= isfinite(h->drift_off_ppm) && h->quality != SYNC_FAIL &&
		    h->n_steps + h->n_slews == 0;
	for (int i = 0; i < PARTS && length > 0; i++) {
		int64_t t = h->span.begin + i * length;
		int64_t a = sync_sub(trace_map_time(&h->map, t), t);
		int64_t b = sync_sub(trace_map_time(&h->map, t + length), t + length);
		double ppm = (double)sync_sub(b, a) / (double)length * 1e6;
		d->least = fmin(d->least, ppm);
		d->most = fmax(d->most, ppm);
	}
	d->off = fmax(d->off, h->drift_off_ppm);
}

/* The drift limit between two hosts from their observed drifts, with a margin for the time in
 * between; the given limit if those are not known. */
static double seen_drift(const struct sync_result *r, double most, double *seen_ppm)
{
	static const double ROOM = 1.5, LEAST_PPM = 20;
	struct drifts d = { .known = true };
	for (uint32_t h = 0; h < r->n_hosts; h++)
		if (r->hosts[h].quality != SYNC_ABSENT && r->hosts[h].span.begin != MER_NO_TIME)
			see_drift(&r->hosts[h], &d);
	*seen_ppm = d.most - d.least;
	double limit = (ROOM * *seen_ppm + 2 * d.off + LEAST_PPM) * 1e-6;
	return d.known && limit < most ? limit : most;
}

/* Do the messages show that the clocks drift more than the limit? Slews for most of the time, or
 * many wrong matches, are a sign of that. */
static bool is_refuted(const struct sync_result *r)
{
	enum { MOST_PERCENT = 20, MANY_PERCENT = 5, FEW = 16 };
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		double slewed = 0;
		for (size_t i = 0; i < host->n_slews; i++)
			slewed += (double)sync_sub(
				host->slews[i].range.end, host->slews[i].range.begin);
		if (slewed * 100 >
			(double)sync_sub(host->span.end, host->span.begin) * MOST_PERCENT)
			return true;
	}
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		uint64_t n = p->ab.before.n + p->ba.before.n;
		if (n >= FEW && p->n_rejected * 100 > n * MANY_PERCENT)
			return true;
	}
	return false;
}

/* Solves with a higher drift limit if the messages require it; if that does not help, with the
 * given one. */
static int solve_within(const struct sync_messages *m, const struct sync_host_info *hosts,
	uint32_t n_hosts, const struct sync_options *o, struct sync_result **result,
	struct mer_err *err)
{
	static const double MOST = 5e-3;
	struct sync_options own = *o;
	double said = sync_drift_allowed(o);
	struct sync_result *r = NULL, *first = NULL;
	int rc = sync_solve_once(m, hosts, n_hosts, &own, &first, err);
	bool refuted = rc == 0 && is_refuted(first);
	for (double drift = 2 * said; refuted && rc == 0 && drift <= MOST; drift *= 2) {
		own.max_drift = drift;
		rc = sync_solve_once(m, hosts, n_hosts, &own, &r, err);
		refuted = rc == 0 && is_refuted(r);
		if (rc == 0 && !refuted)
			sync_advise_drift(r, said, drift);
		else
			sync_result_free(r);
		r = refuted || rc ? NULL : r;
	}
	if (r || rc) {
		sync_result_free(first);
		first = r;
	}
	*result = first;
	return rc;
}

int sync_solve(const struct sync_messages *m, const struct sync_host_info *hosts, uint32_t n_hosts,
	const struct sync_options *o, struct sync_result **result, struct mer_err *err)
{
	struct sync_options own = *o;
	struct sync_result *first = NULL;
	double seen_ppm = 0;
	*result = NULL;
	if (o->drift_seen) {
		int rc = sync_solve_once(m, hosts, n_hosts, o, &first, err);
		if (rc)
			return rc;
		own.max_drift = seen_drift(first, sync_drift_allowed(o), &seen_ppm);
		sync_result_free(first);
	}
	int rc = solve_within(m, hosts, n_hosts, &own, result, err);
	if (rc == 0 && o->drift_seen)
		sync_advise_seen_drift(*result, seen_ppm);
	return rc;
}
