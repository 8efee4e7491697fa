/* Holes: when entries and exits of a host may be missing in its trace.
 *
 * A packet that counts lost events tells that they are missing since the packet before it ended.
 * LTTng loses them before the first event of the packet or in its tail, where small events may
 * still have found a place after a larger one had not: there the last events count as lying in
 * between. Of other tracers the whole of that time is a hole. */
#ifndef MER_SYNC_VCPU_HOLES_H
#define MER_SYNC_VCPU_HOLES_H

#include "sync/limits/drift.h"
#include "trace/experiment.h"

struct sync_lossy; /* of a stream, while its events are read */

struct sync_holes {
	struct sync_range *holes; /* malloc'ed; when finished: by time, disjoint */
	size_t n, cap;
	struct sync_lossy *lossy; /* malloc'ed; as the streams of the experiment */
	uint32_t n_streams;
};

int sync_holes_begin(
	const struct mer_experiment *e, uint32_t host, struct sync_holes *h, struct mer_err *err);
/* All events that are looked at, of each stream in the order of time. *is_after: something may be
 * missing between the stream's event before this one and this one. */
int sync_holes_event(
	struct sync_holes *h, uint32_t stream, int64_t time, bool *is_after, struct mer_err *err);
int sync_holes_finish(struct sync_holes *h, struct mer_err *err);
/* Is one between the two times? When finished. */
bool sync_holes_between(const struct sync_holes *h, int64_t begin, int64_t end);
void sync_holes_fini(struct sync_holes *h);

#endif
