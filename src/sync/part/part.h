/* Part: what the synchronization of a host's clock needs of its recording, in one small file. So
 * clocks of a thousand hosts are aligned without copying recordings: each host makes its part,
 * and the parts meet.
 *
 *   recording ──sync_part_write──→ HOST.part ──copied (part/file.h)──→ experiment ──→ messages
 *
 * A part is a trace (layout.h) of the ends of messages: sync_gather finds the same messages in
 * parts as in recordings. With a rate, only some ends are kept (sample.h); messages are then those
 * whose two ends were both kept. What is not in a part: pairs that the user declares, what the CPUs
 * of guests show of clocks, messages of MPI. Their absence is a note of the part. */
#ifndef MER_SYNC_PART_PART_H
#define MER_SYNC_PART_PART_H

#include "base/pool.h"
#include "trace/experiment.h"

struct sync_part_options {
	/* So many ends of each peer and direction are kept in each second, as far as peers have
	 * many (sample.h); 0: all. */
	double per_second;
	const char *temporary;	      /* folder for a file while it writes a pipe; NULL: /tmp */
	struct mer_cancel *cancel;    /* NULL: none */
	_Atomic uint64_t *done_bytes; /* raised as events are read, for progress; NULL: not */
};

struct sync_part_counts {
	uint64_t n_seen, n_kept;   /* ends of messages with other hosts, or that may be */
	uint64_t bytes;		   /* of the part */
	bool runs_guests, has_mpi; /* of which a part has less than the recording */
};

/* What the parts of an experiment's hosts have in common. */
struct sync_parts;

/* e must not have clock maps applied, and must outlive it. */
int sync_parts_new(struct mer_experiment *e, struct sync_parts **parts, struct mer_err *err);
void sync_parts_free(struct sync_parts *parts); /* NULL is fine */
/* Writes the part of a host to the file. MER_ERR_INPUT: the host has no clock, or no events. */
int sync_part_write(const struct sync_parts *parts, uint32_t host, const char *path,
	const struct sync_part_options *o, struct sync_part_counts *counts, struct mer_err *err);

#endif
