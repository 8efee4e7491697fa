/* Holes: time ranges in which entries and exits of a host may be missing in its trace.
 *
 * A packet that counts lost events means that they were lost after the end of the packet before it.
 * LTTng loses them before the first event of the packet or at its end, where small events may still
 * have fitted after a larger one had not: there the last events count as within the hole. With
 * other tracers all of that time is a hole. */
#ifndef MER_SYNC_VCPU_HOLES_H
#define MER_SYNC_VCPU_HOLES_H

#include "sync/limits/drift.h"
#include "trace/experiment.h"

struct sync_lossy; /* state of a stream while its events are read */

struct sync_holes {
	struct sync_range *holes; /* malloc'ed; when finished: by time, disjoint */
	size_t n, cap;
	struct sync_lossy *lossy; /* malloc'ed; as the streams of the experiment */
	uint32_t n_streams;
};

int sync_holes_begin(
	const struct mer_experiment *e, uint32_t host, struct sync_holes *h, struct mer_err *err);
/* To be called for every event that is used, in time order within each stream. *is_after: events
 * may be missing between the stream's previous event and this one. */
int sync_holes_event(
	struct sync_holes *h, uint32_t stream, int64_t time, bool *is_after, struct mer_err *err);
int sync_holes_finish(struct sync_holes *h, struct mer_err *err);
/* Is there a hole between the two times? After sync_holes_finish. */
bool sync_holes_between(const struct sync_holes *h, int64_t begin, int64_t end);
void sync_holes_fini(struct sync_holes *h);

#endif
