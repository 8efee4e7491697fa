/* Scan: from data stream files to streams of packets.
 *
 * Reads the header of every packet of a file, even a damaged one, and adds each packet to its
 * stream. After a damaged packet the next one is found with the LTTng index, or else by searching
 * for the magic number. */
#ifndef MER_TRACE_SCAN_H
#define MER_TRACE_SCAN_H

#include "trace/experiment.h"

/* Scans files[file], whose part and map are set. Scratch memory comes from arena. */
int trace_scan_file(
	struct mer_experiment *e, uint32_t file, struct mer_arena *arena, struct mer_err *err);

/* Call once all files are scanned: sorts the packets of every stream, drops duplicates (snapshots
 * overlap), and counts what the tracer lost. */
int trace_finish_streams(struct mer_experiment *e, struct mer_err *err);
/* Appends to e->losses. False: no memory. */
bool trace_add_loss(struct mer_experiment *e, struct mer_loss loss);

#endif
