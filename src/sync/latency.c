#include "sync/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/select.h"
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

enum { N_PERCENTILES = 3 };

/* Nearest rank percentiles, which rise. */
static int percentiles(const int64_t *v, size_t n, int64_t min,
	const unsigned percent[N_PERCENTILES], int64_t result[N_PERCENTILES], struct mer_err *err)
{
	size_t *counts = calloc(N_BUCKETS, sizeof(*counts));
	if (!counts)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		counts[bucket_of(v[i], min)]++;
	/* The values of the buckets that are looked into, one bucket behind the other. */
	size_t first[N_PERCENTILES], k[N_PERCENTILES], end[N_PERCENTILES], before = 0, room = 0;
	unsigned bucket[N_PERCENTILES], b = 0;
	for (int p = 0; p < N_PERCENTILES; p++) {
		size_t rank = (n * percent[p] + 99) / 100 - 1;
		while (before + counts[b] <= rank)
			before += counts[b++];
		bool again = p > 0 && bucket[p - 1] == b;
		bucket[p] = b;
		k[p] = rank - before;
		first[p] = end[p] = again ? first[p - 1] : room;
		room += again ? 0 : counts[b];
	}
	int64_t *some = malloc(room * sizeof(*some));
	for (size_t i = 0; i < n && some; i++) {
		unsigned own = bucket_of(v[i], min);
		int p = 0;
		while (p < N_PERCENTILES && bucket[p] != own)
			p++;
		if (p < N_PERCENTILES)
			some[end[p]++] = v[i];
	}
	for (int p = 0; p < N_PERCENTILES && some; p++)
		result[p] = mer_select(some + first[p], counts[bucket[p]], k[p]);
	free(some);
	free(counts);
	return some ? 0 : mer_fail_nomem(err);
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
	int64_t *values = mer_spill_array(NULL, l->n, sizeof(*values));
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
		static const unsigned percent[N_PERCENTILES] = { 50, 90, 99 };
		int64_t p[N_PERCENTILES] = { 0 };
		rc = percentiles(values, n, latency->min, percent, p, err);
		latency->median = p[0];
		latency->p90 = p[1];
		latency->p99 = p[2];
	}
	mer_spill_release(values);
	return rc;
}

int sync_link_latency(const struct sync_link *l, const struct trace_clock_map *from,
	const struct trace_clock_map *to, struct sync_latency *latency, struct mer_err *err)
{
	return sync_latency_of(l, NULL, from, to, latency, err);
}
