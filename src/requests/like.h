/* Like: which requests of a kind had the same work to do, as far as the traces show: the same
 * requests below them, and an answer of about the same size. Slow requests are compared with
 * typical ones of their class, so that what a request always costs is no reason for being slow.
 *
 * If few requests of a class are known, or most of them are slow, the class does not show what
 * is typical. Its requests are then compared with those that have the same requests below them,
 * or otherwise with all (class 0). */
#ifndef MER_REQUESTS_LIKE_H
#define MER_REQUESTS_LIKE_H

#include "requests/kinds.h"

enum { REQUESTS_SAME_ANSWER, REQUESTS_SAME_BELOW, REQUESTS_LIKE_LEVELS };

struct requests_like {
	/* By place in `which`: its class of each level, however few are in it. */
	uint32_t (*level)[REQUESTS_LIKE_LEVELS];
	uint32_t *class_of; /* the one that it is compared with */
	/* Of class c the typical ones, from p40 to p60: typical[first[c]] until first[c + 1], as
	 * places in `which`. */
	uint32_t *typical, *first;
	uint32_t n; /* classes */
};

/* which: exchanges of one kind, by latency; from `slow` on the slow ones. requests_like_fini in any
 * case. */
int requests_like_find(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t slow, struct requests_like *x,
	struct mer_err *err);
void requests_like_fini(struct requests_like *x);

#endif
