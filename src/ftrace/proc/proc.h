/* Proc: copies of /proc that lie beside a recording, in folders proc-before and proc-after
 * (their layout: proc_snapshot.h), as a dump of the state (dump.h).
 *
 *   proc-before ···gap··· first record ─────────────── last record ··· proc-after
 *
 * What happened in the gap, and after the last record, is unknown. So data of proc-before is used
 * unless the recording or proc-after contradicts it, and data of proc-after only if it was valid
 * all the time: proc_rows.c has the rules. A copy that was made while recording has no gap. */
#ifndef MER_FTRACE_PROC_H
#define MER_FTRACE_PROC_H

#include <stdint.h>
#include "ftrace/proc/proc_snapshot.h"
#include "ftrace/reading.h"

/* Are there copies of /proc beside the file? */
bool ftrace_proc_is_beside(const char *path);
/* Adds the identity of their files to the key of a recording (copied.h). */
void ftrace_proc_key(const char *path, uint64_t key[2]);
/* Adds the dump to r->copy; all its other streams must be closed. */
int ftrace_proc_add(struct ftrace_reading *r);

/* ---- rules: proc_rows.c ---- */

struct proc_row { /* an event of the dump, and its time in ns of the trace's clock */
	uint64_t time;
	uint32_t n; /* in this order at equal times */
	struct ftrace_dump dump;
};

struct proc_rows { /* zeroed, except for the first part, which the caller sets */
	const struct proc_snapshot *before, *after;
	const char *clock;    /* of the trace: the kernel's name */
	uint64_t first, last; /* times of the first and last record, on that clock */
	bool is_whole;	      /* no record was lost */
	const struct ftrace_closes *closes;
	struct mer_arena *arena;

	struct proc_row *row; /* in order of time */
	size_t n, cap;
	uint64_t n_unconfirmed; /* descriptors named from proc-before without confirmation */
	uint64_t n_doubtful;	/* descriptors left out because they referred to something else
				   afterwards */
	int64_t gap_ns;		/* the longest gap; 0: none, or unknown */
};
/* False: no memory. */
bool proc_rows_find(struct proc_rows *rows);
void proc_rows_fini(struct proc_rows *rows);

#endif
