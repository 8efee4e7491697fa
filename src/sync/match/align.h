/* Align: by how much the hosts' clocks differ, roughly, while they are being read.
 *
 * Only decides in which order events of different hosts are looked at; no result depends on it but
 * through what is pending at a time. A host's time plus its shift is the common time. Hosts that
 * have exchanged no message yet are in different groups; the first message between two groups
 * aligns them, later ones that seem to be received before they are sent correct the two hosts. */
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

/* Clocks whose recorded time spans overlap are believed at first; others begin together. */
int sync_align_init(struct sync_align *a, const struct mer_experiment *e, struct mer_err *err);
void sync_align_fini(struct sync_align *a);
/* For reading everything again: the hosts that are lost, because all they did was forgotten
 * before any message was found, now begin together with the first of the others, which keep
 * their shifts. */
void sync_align_again(struct sync_align *a, const bool *lost);

enum sync_shifted { SYNC_NOT_SHIFTED, SYNC_TWO_SHIFTED, SYNC_MANY_SHIFTED };
/* A message was found; says whose shifts have changed: its two hosts', or others' too. */
enum sync_shifted sync_align_by(struct sync_align *a, const struct sync_match *m);

static inline int64_t sync_common_time(const struct sync_align *a, uint32_t host, int64_t t)
{
	int64_t sum;
	if (__builtin_add_overflow(t, a->shifts[host], &sum))
		return t < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

#endif
