/* Told: what took the time of each request that is explained, found once. A request is in several
 * explanations, one after the other: of its group, of what this was taken apart into, and of those
 * that were joined. To follow what it waited for takes long; to sum what was found does not.
 *
 * What is told has a number, the same in all explanations: a part, or a culprit in a part. For
 * explain_sums.c only. */
#ifndef MER_REQUESTS_EXPLAIN_TOLD_H
#define MER_REQUESTS_EXPLAIN_TOLD_H

#include "requests/culprits.h"

struct requests_told_what {
	bool is_part; /* else a culprit in it */
	/* Of the part: */
	bool is_kernels; /* as of requests_part */
	uint8_t kind;	 /* enum requests_part_kind */
	uint32_t host;
	uint32_t task; /* who waited, or was waited for */
	uint32_t in;   /* kind of the request that it is of */
	uint32_t part; /* of a culprit: number of its part */
	/* Its time is of no request: see the event. at_exchange: one of its kind. */
	struct requests_culprit culprit;
};

struct requests_told_event {
	uint32_t what;	/* number */
	uint32_t times; /* that it was told */
	int64_t ns;	/* of all of these */
};

struct requests_told_list {
	uint32_t from, n; /* events */
};

enum { REQUESTS_TOLD_RECENT = 256 };

struct requests_told {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct requests_culprits *finder;
	struct requests_parts parts; /* of one request after the other */
	struct mer_map number_of;    /* hash of a requests_told_what -> number, plus 1 */
	/* Of these the recent ones, by low bits: a request meets the same ones again and again. */
	struct {
		uint64_t hash;
		uint32_t number; /* plus 1 */
	} recent[REQUESTS_TOLD_RECENT];
	struct requests_told_what *what;
	uint32_t *event_of; /* by number: its newest event */
	uint32_t n_what, cap_what;
	size_t cap_event_of;
	struct mer_map list_of; /* exchange, and whether its times are summed -> number, plus 1 */
	struct requests_told_list *lists;
	uint32_t n_lists, cap_lists;
	struct requests_told_event *events;
	uint32_t n_events, cap_events;
};

/* In the order of time, each part before its culprits. is_sum: what is told several times is one
 * event, where it was told first. The list is valid until the next one is asked for. */
int requests_told_of(struct requests_told *t, uint32_t exchange, bool is_sum,
	struct requests_told_list *list, struct mer_err *err);
void requests_told_fini(struct requests_told *t);

#endif
