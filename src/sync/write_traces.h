/* Write traces: copies of an experiment's traces whose times are those of the reference clock.
 *
 * For other programs, which know nothing of clock maps. Everything else is kept: packets, counters
 * of what was lost, contexts, all fields of all events in the order of the file, also where the
 * time goes backwards. The originals are only read. Padding, and packets that the experiment leaves
 * out because another file has them too, are not copied. */
#ifndef MER_SYNC_WRITE_TRACES_H
#define MER_SYNC_WRITE_TRACES_H

#include "base/pool.h"
#include "trace/experiment.h"

/* Writes below dir, which must be empty or not exist: each trace under its path, as far as the
 * paths differ. Clocks of the copies have 1 GHz, their names and UUIDs, and are absolute: their
 * times can be compared whatever their UUID. MER_ERR_USAGE: dir is not empty; MER_ERR_LIMIT: the
 * event headers of a trace have too few bits for such times. What was written until a failure stays
 * there. Damage becomes a diagnostic of the experiment; the rest of a damaged packet is not copied.
 * done_bytes: for progress, NULL allowed. */
int sync_write_traces(struct mer_experiment *e, const char *dir, unsigned n_threads,
	struct mer_cancel *cancel, _Atomic uint64_t *done_bytes, struct mer_err *err);

/* The outline of the traces: the same packets, but of each stream the first and the last event
 * alone, by the clocks as recorded. So it opens like the traces themselves: hosts, streams, begin
 * and end, losses, kinds of events. Below dir, which must be there, part i of the experiment is the
 * folder i, and its streams are files with numbers. MER_ERR_LIMIT as above. */
int sync_write_outline(struct mer_experiment *e, const char *dir, unsigned n_threads,
	struct mer_cancel *cancel, struct mer_err *err);

#endif
