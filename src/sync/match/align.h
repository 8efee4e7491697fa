/* Align: rough differences of the hosts' clocks, kept up to date while the traces are read.
 *
 * They only decide the order in which events of different hosts are processed; results depend on
 * them only through the number of messages that are pending at a time. A host's time plus its shift
 * is the common time. Hosts that have exchanged no message yet are in different groups; the first
 * message between two groups aligns them, later messages that seem to be received before they were
 * sent correct the two hosts. */
#ifndef MER_SYNC_MATCH_ALIGN_H
#define MER_SYNC_MATCH_ALIGN_H

#include "sync/match/match.h"
#include "trace/experiment.h"

struct sync_align {
	int64_t *shifts, *begins;      /* begins: of the hosts' traces; MER_NO_TIME: not known */
	uint32_t *group, *next;	       /* next of the same group, NONE at the end */
	uint32_t *first, *last, *size; /* of a group */
	uint32_t n;
};

/* At first, clocks whose recorded time spans overlap are taken as right; other hosts get a common
 * begin. */
int sync_align_init(struct sync_align *a, const struct mer_experiment *e, struct mer_err *err);
void sync_align_fini(struct sync_align *a);
/* For a second reading: the lost hosts (all their ends were forgotten before any message was found)
 * now begin together with the first of the other hosts, which keep their shifts. */
void sync_align_again(struct sync_align *a, const bool *lost);

enum sync_shifted { SYNC_NOT_SHIFTED, SYNC_TWO_SHIFTED, SYNC_MANY_SHIFTED };
/* Takes a message that was found into account; returns whose shifts have changed: those of its two
 * hosts, or others too. */
enum sync_shifted sync_align_by(struct sync_align *a, const struct sync_match *m);

static inline int64_t sync_common_time(const struct sync_align *a, uint32_t host, int64_t t)
{
	int64_t sum;
	if (__builtin_add_overflow(t, a->shifts[host], &sum))
		return t < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

#endif
