#include "requests/bursts.h"

#include <math.h>
#include <string.h>

enum { LEAST_SLOW = 4, LEAST_ALL = 20 };
/* Of the requests in a burst that are slow: one that most requests feel, and one that is over
 * before more of them come to where it is felt. */
static const double densities[] = { 0.9, 0.5, 0.25 };
enum { N_DENSITIES = sizeof(densities) / sizeof(densities[0]) };
static const double by_chance = 0.01;
enum { LEVELS = 4 }; /* all slow ones, the slowest half of them, ... */

struct scan {
	const struct requests_moment *m;
	size_t n;
	struct requests_burst known[REQUESTS_MOST_BURSTS + 1];
	unsigned n_known;
};

static bool is_known(const struct scan *s, size_t i)
{
	for (unsigned k = 0; k < s->n_known; k++)
		if (i >= s->known[k].from && i < s->known[k].until)
			return true;
	return false;
}

/* The stretch, clear of those that are known, whose moments have the greatest likelihood as ones of
 * that density against chance; its logarithm. The likelihood that chance reaches in one of n
 * stretches is above x in at most n / x cases. */
static double best_stretch(const struct scan *s, uint32_t n_slow, double rate, double density,
	struct requests_burst *best)
{
	double slow = log(density / rate), other = log((1 - density) / (1 - rate));
	double sum = 0, most = 0;
	uint32_t count = 0;
	size_t from = 0;
	for (size_t i = 0; i < s->n; i++) {
		bool is_slow = s->m[i].rank < n_slow;
		if (is_known(s, i) || sum <= 0) {
			sum = 0;
			count = 0;
			from = i;
		}
		if (is_known(s, i))
			continue;
		sum += is_slow ? slow : other;
		count += is_slow;
		if (is_slow && sum > most && count >= LEAST_SLOW) {
			most = sum;
			*best = (struct requests_burst){ from, i + 1 };
		}
	}
	return most;
}

/* The most unlikely one by chance. */
static bool find_next(struct scan *s, uint32_t n_slow, struct requests_burst *best)
{
	const uint32_t slow_in_all = n_slow;
	double most = 0;
	size_t n_all = 0;
	for (size_t i = 0; i < s->n; i++)
		n_all += !is_known(s, i);
	if (n_all < LEAST_ALL)
		return false;
	for (int level = 0; level < LEVELS; level++, n_slow /= 2) {
		size_t count = 0;
		for (size_t i = 0; i < s->n; i++)
			count += s->m[i].rank < n_slow && !is_known(s, i);
		double rate = (double)count / (double)n_all;
		for (int d = 0; d < N_DENSITIES && count >= LEAST_SLOW; d++) {
			struct requests_burst b;
			if (densities[d] < 2 * rate)
				continue;
			double gain = best_stretch(s, n_slow, rate, densities[d], &b);
			if (gain <= most)
				continue;
			most = gain;
			*best = b;
		}
	}
	if (most <= 0)
		return false;
	/* Slow ones beside it belong to it. */
	while (best->from && s->m[best->from - 1].rank < slow_in_all &&
		!is_known(s, best->from - 1))
		best->from--;
	while (best->until < s->n && s->m[best->until].rank < slow_in_all &&
		!is_known(s, best->until))
		best->until++;
	int64_t all = s->m[s->n - 1].begin - s->m[0].begin;
	return most >= log((double)n_all * N_DENSITIES * LEVELS / by_chance) &&
	       s->m[best->until - 1].begin - s->m[best->from].begin <= all / 2;
}

unsigned requests_bursts_find(const struct requests_moment *m, size_t n, uint32_t n_slow,
	struct requests_burst bursts[REQUESTS_MOST_BURSTS])
{
	struct scan s = { .m = m, .n = n };
	while (s.n_known <= REQUESTS_MOST_BURSTS && find_next(&s, n_slow, &s.known[s.n_known]))
		s.n_known++;
	if (s.n_known > REQUESTS_MOST_BURSTS)
		return 0;
	for (unsigned i = 1; i < s.n_known; i++)
		for (unsigned k = i; k && s.known[k].from < s.known[k - 1].from; k--) {
			struct requests_burst b = s.known[k];
			s.known[k] = s.known[k - 1];
			s.known[k - 1] = b;
		}
	memcpy(bursts, s.known, s.n_known * sizeof(*bursts));
	return s.n_known;
}
