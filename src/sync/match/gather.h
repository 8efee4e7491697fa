/* Gather: reads the events of an experiment that are ends of messages, and matches them.
 *
 * Each host has its own cursor. The hosts advance together, by the offsets that the first matches
 * give, so that few messages are pending however far apart the clocks are. */
#ifndef MER_SYNC_MATCH_GATHER_H
#define MER_SYNC_MATCH_GATHER_H

#include "base/pool.h"
#include "sync/messages.h"
#include "trace/experiment.h"

struct sync_user_pairs; /* user_pairs.h */

struct sync_gather_options {
	const struct sync_user_pairs *user; /* NULL: none */
	size_t max_pending;		    /* ends that may wait for the other one; 0: a default */
	struct mer_cancel *cancel;	    /* NULL: none */
	_Atomic uint64_t *done_bytes;	    /* raised as events are read, for progress; NULL: not */
	unsigned n_threads;		    /* 2 or more: other threads read the hosts ahead */
	bool keep_streams; /* of the messages, for callers that look up their events later */
};

/* Initializes and fills m; the caller frees it with sync_messages_free in any case. Findings about
 * missing data in the traces become diagnostics of e. e must not have clock maps applied. */
int sync_gather(struct mer_experiment *e, const struct sync_gather_options *o,
	struct sync_messages *m, struct mer_err *err);

#endif
