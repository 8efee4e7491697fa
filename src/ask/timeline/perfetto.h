/* Facts as a trace of Perfetto (its protobuf form): what ui.perfetto.dev and trace_processor read.
 *
 *   track    host / task (or disk, CPU) / kind of facts; where facts of one overlap, several tracks
 *            of one name, which viewers fold into one
 *   slice    a fact with a duration, to the ns; an instant: one whose end is not known
 *   counter  of each host, how many tasks are on CPUs and how many are runnable
 *   flow     from who woke a task (instant "wakes") to its slice "runnable"
 *
 * Tracks are Perfetto's generic ones, with numbers of their own. Its native tracks of processes,
 * threads and CPUs are named by pid, tid and CPU alone, and hosts have the same ones: they would be
 * mixed. Times are those of the reference host, ns since 1970.
 *
 * It is written as facts come, of one kind and host after the other, each in the order of time:
 * such a run is a sequence of packets with a clock of its own, in which each packet has the time
 * since the one before. Kept are tracks, names, and the slices that are open. */
#ifndef MER_ASK_TIMELINE_PERFETTO_H
#define MER_ASK_TIMELINE_PERFETTO_H

#include <stdio.h>
#include "base/err.h"
#include "base/table.h"

struct perfetto;

/* file: borrowed. */
int perfetto_new(FILE *file, struct perfetto **p, struct mer_err *err);
/* A fact of this kind: a row of t, of this host. */
int perfetto_add(struct perfetto *p, const char *kind, const char *host, const struct mer_table *t,
	const struct mer_cell *cells, struct mer_err *err);
/* All facts have been added; what was written is complete if it returns 0. */
int perfetto_end(struct perfetto *p, struct mer_err *err);
void perfetto_counts(const struct perfetto *p, uint64_t *slices, uint64_t *instants,
	uint64_t *flows, uint64_t *bytes);
void perfetto_free(struct perfetto *p); /* NULL is fine */

#endif
