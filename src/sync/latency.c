#include "sync/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sync/limits/drift.h"
#include "sync/solve.h"

/* Maps times that mostly rise, so the piece is usually that of the previous time. */
struct walk {
	const struct trace_clock_map *m;
	size_t i;
};

static int64_t walk_to(struct walk *w, int64_t t)
{
	if (!w->m || w->m->n == 0)
		return t;
	const struct trace_clock_piece *p = w->m->pieces;
	while (w->i + 1 < w->m->n && p[w->i + 1].begin <= t)
		w->i++;
	while (w->i > 0 && p[w->i].begin > t)
		w->i--;
	struct trace_clock_map one = { &p[w->i], 1 };
	return trace_map_time(&one, t);
}

/* The k-th smallest of n values; reorders them. */
static int64_t select_kth(int64_t *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;
	while (lo < hi) {
		/* Median of three as pivot, the values equal to it in the middle. */
		int64_t a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi];
		int64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		size_t less = lo, i = lo, more = hi + 1;
		while (i < more) {
			int64_t x = v[i];
			if (x < pivot) {
				v[i++] = v[less];
				v[less++] = x;
			} else if (x > pivot) {
				v[i] = v[--more];
				v[more] = x;
			} else {
				i++;
			}
		}
		if (k < less)
			hi = less - 1;
		else if (k >= more)
			lo = more;
		else
			return pivot;
	}
	return v[lo];
}

/* Buckets of values, finer where values are small: the leading bits of their distance from the
 * least one. Few values share a bucket with the one that is looked for. */
enum { BUCKET_BITS = 6, N_BUCKETS = 64 << BUCKET_BITS };

static unsigned bucket_of(int64_t v, int64_t min)
{
	const uint64_t first = 1u << BUCKET_BITS;
	uint64_t d = (uint64_t)v - (uint64_t)min;
	d = d > UINT64_MAX - first ? UINT64_MAX : d + first;
	unsigned top = 63u - (unsigned)__builtin_clzll(d);
	return (top - BUCKET_BITS) << BUCKET_BITS |
	       (unsigned)(d >> (top - BUCKET_BITS) & ((1u << BUCKET_BITS) - 1));
}

/* Nearest rank percentiles. */
static int percentiles(const int64_t *v, size_t n, int64_t min, const unsigned *percent, size_t n_p,
	int64_t *result, struct mer_err *err)
{
	size_t *counts = calloc(N_BUCKETS, sizeof(*counts));
	if (!counts)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		counts[bucket_of(v[i], min)]++;
	int rc = 0;
	for (size_t p = 0; p < n_p && rc == 0; p++) {
		size_t k = (n * percent[p] + 99) / 100 - 1, before = 0, m = 0;
		unsigned b = 0;
		while (before + counts[b] <= k)
			before += counts[b++];
		int64_t *some = malloc(counts[b] * sizeof(*some));
		if (!some) {
			rc = mer_fail_nomem(err);
			break;
		}
		for (size_t i = 0; i < n; i++)
			if (bucket_of(v[i], min) == b)
				some[m++] = v[i];
		result[p] = select_kth(some, m, k - before);
		free(some);
	}
	free(counts);
	return rc;
}

/* An MPI message lasts from call to call, a packet only as long as it is in the network. So MPI
 * messages count only if the link has no packets. Stays of VMs and rounds never count. */
static bool is_left_out(const struct sync_link *l, size_t i, bool packets)
{
	return l->kinds && (l->kinds[i] == SYNC_STAY || l->kinds[i] == SYNC_ROUND ||
				   (l->kinds[i] == SYNC_MPI && packets));
}

static bool has_packets(const struct sync_link *l)
{
	size_t i = 0;
	while (i < l->n && is_left_out(l, i, true))
		i++;
	return i < l->n;
}

int sync_latency_of(const struct sync_link *l, const uint8_t *out,
	const struct trace_clock_map *from, const struct trace_clock_map *to,
	struct sync_latency *latency, struct mer_err *err)
{
	*latency = (struct sync_latency){ .stddev = NAN };
	if (l->n == 0)
		return 0;
	int64_t *values = malloc(l->n * sizeof(*values));
	if (!values)
		return mer_fail_nomem(err);
	struct walk a = { from, 0 }, b = { to, 0 };
	bool packets = has_packets(l);
	size_t n = 0;
	double sum = 0;
	for (size_t i = 0; i < l->n; i++) {
		if ((out && out[i]) || is_left_out(l, i, packets))
			continue;
		int64_t v = sync_sub(
			walk_to(&b, l->messages[i].received), walk_to(&a, l->messages[i].sent));
		values[n++] = v;
		latency->n_inversions += v < 0;
		latency->min = n == 1 || v < latency->min ? v : latency->min;
		latency->max = n == 1 || v > latency->max ? v : latency->max;
		sum += (double)v;
	}
	latency->n = n;
	int rc = 0;
	if (n) {
		latency->mean = sum / (double)n;
		double squares = 0;
		for (size_t i = 0; i < n; i++) {
			double d = (double)values[i] - latency->mean;
			squares += d * d;
		}
		if (n > 1)
			latency->stddev = sqrt(squares / (double)(n - 1));
		static const unsigned percent[] = { 50, 90, 99 };
		int64_t p[3] = { 0 };
		rc = percentiles(values, n, latency->min, percent, 3, p, err);
		latency->median = p[0];
		latency->p90 = p[1];
		latency->p99 = p[2];
	}
	free(values);
	return rc;
}

int sync_link_latency(const struct sync_link *l, const struct trace_clock_map *from,
	const struct trace_clock_map *to, struct sync_latency *latency, struct mer_err *err)
{
	return sync_latency_of(l, NULL, from, to, latency, err);
}
