/* Bursts: stretches of time in which many requests of a kind were slow, such as a warm-up or the
 * run of a cron job.
 *
 * A stretch is one if so many slow requests among so few others are unlikely (1 %) by chance,
 * anywhere in the recording, at the rate of slow requests that it has. The slowest half, quarter
 * and eighth of the slow ones are tried as well: a few that are slower than all others. If there
 * are more than a few, slow requests just come together, which says nothing of a time: then there
 * is none. */
#ifndef MER_REQUESTS_BURSTS_H
#define MER_REQUESTS_BURSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUESTS_MOST_BURSTS = 3 };

struct requests_moment {
	int64_t begin;
	uint32_t place; /* whatever the caller means by it */
	uint32_t rank;	/* 0: the slowest */
};

struct requests_burst {
	size_t from, until; /* moments; the first and the last one are slow */
};

/* m: in the order of time; slow are those with a rank below n_slow. Returns how many there are, in
 * the order of time. */
unsigned requests_bursts_find(const struct requests_moment *m, size_t n, uint32_t n_slow,
	struct requests_burst bursts[REQUESTS_MOST_BURSTS]);

#endif
