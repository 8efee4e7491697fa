/* Proc: copies of /proc that lie beside a recording, in folders proc-before and proc-after
 * (their layout: proc_snapshot.h), as a dump of the state (dump.h).
 *
 *   proc-before ···gap··· first record ─────────────── last record ··· proc-after
 *
 * Nobody knows what happened in the gap, and after the last record. So of what was there before
 * is told what the recording and proc-after do not make doubtful; of what is there afterwards,
 * what was so all the time: proc_rows.c has the rules. A copy that was made while it was
 * recorded has no gap. / */
#ifndef MER_FTRACE_PROC_H
#define MER_FTRACE_PROC_H

#include <stdint.h>
#include "ftrace/proc/proc_snapshot.h"
#include "ftrace/reading.h"

/* Are there any beside the file? */
bool ftrace_proc_is_beside(const char *path);
/* Adds to the key of a recording what their files are (copied.h). */
void ftrace_proc_key(const char *path, uint64_t key[2]);
/* Into r->copy, all streams of which were closed. */
int ftrace_proc_add(struct ftrace_reading *r);

/* ---- rules: proc_rows.c ---- */

struct proc_row { /* what is told, and when, in ns of the trace's clock */
	uint64_t time;
	uint32_t n; /* in this order at equal times */
	struct ftrace_dump dump;
};

struct proc_rows { /* zeroed, but for the first part */
	const struct proc_snapshot *before, *after;
	const char *clock;    /* of the trace: the kernel's name */
	uint64_t first, last; /* times of records, by it */
	bool is_whole;	      /* no record was lost */
	const struct ftrace_closes *closes;
	struct mer_arena *arena;

	struct proc_row *row; /* in order of time */
	size_t n, cap;
	uint64_t n_unconfirmed; /* descriptors named as they were before, which nothing confirms */
	uint64_t n_doubtful;	/* left out: they stood for something else afterwards */
	int64_t gap_ns;		/* the longest one of them; 0: none, or not known */
};
/* False: no memory. */
bool proc_rows_find(struct proc_rows *rows);
void proc_rows_fini(struct proc_rows *rows);

#endif
