/* Sample: which ends of messages a part keeps.
 *
 * Two hosts keep the same messages without a word: an end is kept if so many low bits of its key's
 * hash are zero. How many is chosen by each host, for each peer, direction and second, so that at
 * least the wanted number remains. Hosts may choose differently; what needs more zero bits is a
 * part of what needs fewer, so the messages of both are those of the stricter one. Peers with few
 * messages, which are most of the clients of a server, and mostly not recorded, share a number
 * (SYNC_SAMPLE_FEW).
 *
 * Always kept: what opens a connection; hypercalls; datagrams without an identification, which are
 * matched by their order (datagrams.h). With a rate never: what cannot leave the host. */
#ifndef MER_SYNC_PART_SAMPLE_H
#define MER_SYNC_PART_SAMPLE_H

#include "base/map.h"
#include "sync/match/end.h"

/* Times per_second: what peers with fewer messages than that have together. */
enum { SYNC_SAMPLE_FEW = 50 };

struct sync_sample_group;

struct sync_sample {	   /* of a host; zeroed, with per_second set */
	double per_second; /* 0: all are kept */
	int64_t second;
	struct sync_end *ends; /* of that second */
	size_t n, cap;
	struct mer_map group_of; /* peer and direction -> group, plus 1 */
	struct sync_sample_group *groups;
	size_t n_groups, cap_groups;
};

typedef int sync_sample_keep(void *ctx, const struct sync_end *e, struct mer_err *err);

/* Ends come in the order of time; those of a second are passed on when the next one begins. */
int sync_sample_add(struct sync_sample *s, const struct sync_end *e, sync_sample_keep *keep,
	void *ctx, struct mer_err *err);
/* After the last end. */
int sync_sample_end(struct sync_sample *s, sync_sample_keep *keep, void *ctx, struct mer_err *err);
void sync_sample_fini(struct sync_sample *s);

#endif
