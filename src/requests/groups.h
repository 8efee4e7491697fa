/* Groups: whether the slow requests of a kind are of one population, or several that came about in
 * different ways: a burst in time (bursts.h), one worker, one shape (a class of like.h, or sizes).
 * Each slow request is in one group: of its burst, else of the worker, else of its shape, else of
 * the rest.
 *
 * There is a group only where it is unlikely by chance. */
#ifndef MER_REQUESTS_GROUPS_H
#define MER_REQUESTS_GROUPS_H

#include "requests/bursts.h"
#include "requests/like.h"
#include "requests/shape.h"

enum requests_group_kind {
	REQUESTS_GROUP_ALL, /* there is no other */
	REQUESTS_GROUP_BURST,
	REQUESTS_GROUP_WORKER,
	REQUESTS_GROUP_SHAPE,
	REQUESTS_GROUP_REST,
	REQUESTS_GROUP_MIXED, /* of several groups that became slow in the same way */
	REQUESTS_GROUP_CAUSE  /* of those that have one main reason among others that have not */
};
/* "all", "burst", "worker", ...: stable words. */
const char *requests_group_name(enum requests_group_kind);

struct requests_group {
	bool may_be_chance;	     /* SHAPE: that so many are of it */
	uint8_t kind;		     /* enum requests_group_kind */
	uint32_t n_bursts;	     /* BURST */
	uint32_t host, task;	     /* WORKER */
	double slow_share, share;    /* WORKER: of the slow requests, and of all, that it served */
	struct requests_shape shape; /* SHAPE; of ALL, if there is one */
};

enum {
	REQUESTS_MOST_SHAPES = 3,
	REQUESTS_GROUPS = REQUESTS_MOST_BURSTS + REQUESTS_MOST_SHAPES + 4
};
struct requests_groups {
	struct requests_group item[REQUESTS_GROUPS];
	unsigned n;
	uint8_t *of; /* by place from `slow` on: number of its group; malloc'ed */
};

/* which: exchanges of one kind, by latency; from `slow` on the slow ones. To be freed: `of`. */
int requests_groups_find(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const struct requests_like *like, const uint32_t *which, uint32_t n, uint32_t slow,
	struct requests_groups *x, struct mer_err *err);

#endif
