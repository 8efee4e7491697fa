/* Pairs: the messages of each pair of hosts, considered alone: how uncertain they leave the offset,
 * where they contradict a clock of bounded drift, and which of them are wrong. */
#ifndef MER_SYNC_LIMITS_PAIRS_H
#define MER_SYNC_LIMITS_PAIRS_H

#include "sync/limits/breaks.h"
#include "sync/limits/drift.h"
#include "sync/messages.h"
#include "sync/limits/points.h"

#define SYNC_NO_LINK SIZE_MAX

struct sync_pair_scan {
	uint32_t a, b; /* in the order that the caller's rank gives */
	uint32_t axis; /* a or b: whose clock the breaks are on */
	size_t ab, ba; /* links from a to b and back; SYNC_NO_LINK: none */
	struct sync_breaks breaks;
	uint64_t n_out; /* messages left out */
	/* Half width of the corridor, over the time of their messages, ns; INFINITY: messages in
	 * one direction only. */
	double min, median, max;
	int64_t max_at; /* axis' clock */
};

struct sync_pairs {
	struct sync_pair_scan *pairs; /* by a, then b */
	size_t n;
	uint8_t **out; /* for each link: 1 for messages left out; NULL: none */
	size_t n_links;
};

/* The pairs of hosts with messages between them, not scanned yet. rank: by host; a is the host with
 * the lower rank. */
int sync_pairs_new(const struct sync_messages *m, const uint32_t *rank, struct sync_pairs *pairs,
	struct mer_err *err);
/* The messages of a pair as limits on the clock of one of its hosts; out: pairs->out, or NULL to
 * leave nothing out. */
int sync_pair_points(const struct sync_messages *m, const struct sync_pairs *pairs, size_t pair,
	uint32_t axis, uint8_t *const *out, struct sync_pair_points *p, struct mer_err *err);
void sync_pairs_free(struct sync_pairs *pairs);
/* The range of a break on the clock of one of the pair's hosts. */
struct sync_range sync_break_range(
	const struct sync_pair_scan *pair, const struct sync_break *b, uint32_t host);
/* Did the host's clock stand still at a break? Then many messages have the same time on it. */
bool sync_break_stands_still(const struct sync_messages *m, const struct sync_pair_scan *pair,
	const struct sync_break *b, uint32_t host);
/* Scans one pair, or scans it anew, on the clock of `axis`. Different pairs may be scanned on
 * different threads. */
int sync_pair_scan_on(const struct sync_messages *m, struct sync_pairs *pairs, size_t pair,
	uint32_t axis, double max_rate, struct mer_err *err);
/* Scans one pair for the first time: on the clock of its host a, unless that was set back or stood
 * still. */
int sync_pair_scan(const struct sync_messages *m, struct sync_pairs *pairs, size_t pair,
	double max_rate, struct mer_err *err);
/* Scans it anew on the clock of the host to blame for the breaks (blame.h), unless that clock is
 * unfit as an axis. */
int sync_pair_scan_blamed(const struct sync_messages *m, struct sync_pairs *pairs, size_t pair,
	uint32_t axis, double max_rate, struct mer_err *err);

#endif
