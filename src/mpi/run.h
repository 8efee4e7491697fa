/* Run: what the ranks of MPI programs did: their calls, the messages between them, collective
 * operations, and which rank waited for which.
 *
 *   events ──read.c──→ record.c ──→ lines with calls, ends of messages, members of collectives
 *      otf2.c: what numbers mean          │
 *                                         ├── jobs.c     which processes are one program
 *                                         ├── match.c    ends → messages
 *                                         └── join.c     members → collectives
 *                                                  └──→ waits
 *
 * A line is a thread of a rank. Its calls tile its life, from its first event to its last one:
 * between two calls of MPI it computes, or is outside. Messages are matched by counting: the k-th
 * send from one rank to another on a communicator with a tag belongs to the k-th receive that was
 * posted for it; clocks do not matter. Missing events make these counts wrong, so nothing is
 * matched after them. Uncertain ends are counted (mpi_doubts), never matched.
 *
 * A wait begins with a call, and ends with the event that it waited for: the sender's call began
 * (late sender), the receive was posted (late receiver), the last one entered. */
#ifndef MER_MPI_RUN_H
#define MER_MPI_RUN_H

#include "base/err.h"
#include "base/pool.h"
#include "mpi/calls.h"
#include "trace/experiment.h"

#define MPI_NONE UINT32_MAX

enum mpi_wait {
	MPI_NO_WAIT,
	MPI_LATE_SENDER,
	MPI_LATE_RECEIVER,
	MPI_WAIT_BARRIER,
	MPI_WAIT_NXN,
	MPI_LATE_BROADCAST,
	MPI_EARLY_REDUCE,
	MPI_N_WAITS
};
extern const char *const mpi_wait_names[MPI_N_WAITS]; /* "", "late sender", ... */

enum mpi_flags {	   /* of a call */
	MPI_OPEN = 1,	   /* its end was not recorded: the recording ended, or events are
			      missing */
	MPI_CONTINUED = 2, /* continues the state before it, which MPI calls interrupted */
	MPI_COMPLETES = 4, /* an operation completed in it: a poll that follows begins a new run */
};

struct mpi_call {
	int64_t begin, end;
	uint32_t line;
	uint32_t before, next; /* of the same line; MPI_NONE */
	/* The call waited for line `by` from its begin to `until`; wait is MPI_NO_WAIT if it did
	 * not. */
	uint32_t by;
	int64_t until;
	int64_t seq; /* number of the collective or the marked part; -1: none */
	uint64_t bytes;
	uint32_t polls;	   /* number of polls if it is a run of polls; else 0 */
	int32_t peer, tag; /* point to point, of the last message; -1: none */
	uint16_t id;	   /* enum mpi_call_id */
	uint8_t wait;	   /* enum mpi_wait */
	uint8_t flags;
};

/* Does it wait for other ranks? A run of polls does. */
static inline bool mpi_call_waits(const struct mpi_call *c)
{
	return c->polls > 1 || mpi_call_blocks(c->id);
}

struct mpi_process {
	int32_t rank; /* in its program; -1: not known */
	int32_t size; /* ranks of its program; 0: not known */
	uint32_t host;
	uint32_t job; /* number of its program */
	uint64_t job_key;
	int64_t begin;		 /* its first event */
	bool from_start, to_end; /* its first call and its last one were recorded */
	bool is_otf2, is_marked; /* is_marked: it marks the parts in which it computes */
};

struct mpi_line {
	uint32_t process;
	int64_t tid; /* as in the trace; -1: not known */
	int64_t begin, end;
	uint32_t first, last; /* calls; MPI_NONE: none */
	bool is_main;
};

struct mpi_message {
	uint32_t from, to;	/* lines */
	int64_t sent, sent_end; /* the call that sent it */
	int64_t posted;		/* the receive */
	int64_t received;	/* end of the call that completed the receive */
	int64_t waited_from;	/* begin of that call */
	int64_t comm;
	uint64_t bytes;
	int32_t tag;
	uint8_t wait; /* MPI_LATE_SENDER, MPI_LATE_RECEIVER, MPI_NO_WAIT */
	bool is_any;  /* the receive was posted for any source or tag */
};

struct mpi_collective {
	uint32_t first, last; /* lines that entered first and last; for marked parts: that
				 ended it */
	int64_t begin, end;   /* times of these two */
	int64_t left;	      /* time when the last line left */
	int64_t comm, seq;
	int64_t waited; /* sum over all lines, ns */
	uint64_t bytes;
	uint32_t n;
	uint32_t job;
	uint16_t id;
};

struct mpi_doubts { /* what was left out because it is uncertain */
	uint64_t unmatched_sends, unmatched_receives; /* the other end was not recorded */
	uint64_t after_loss;	/* ends of messages after lost events: counting is impossible */
	uint64_t doubtful;	/* matched ends that contradict each other: sizes, or times of
				   one clock */
	uint64_t inversions;	/* messages between hosts received before they were sent */
	uint64_t incomplete;	/* collectives of which some ranks were not recorded */
	uint64_t contradictory; /* collectives whose ranks disagree, or with a rank twice */
	uint64_t early;		/* collectives that a rank left before the last one entered */
	uint64_t strays;	/* events without a rank, or ends of calls without a begin */
	uint64_t apart; /* messages and collectives between hosts whose times cannot be compared */
	uint64_t twice; /* ranks that several processes of a program have */
};

struct mpi_run {
	struct mer_spill *spill; /* borrowed */
	struct mpi_process *processes;
	struct mpi_line *lines;
	struct mpi_call *calls;		    /* in recorded order; see mpi_line.first */
	struct mpi_message *messages;	    /* by time of their sending */
	struct mpi_collective *collectives; /* by time of the first one */
	uint32_t n_processes, cap_processes, n_lines, cap_lines, n_calls, cap_calls, n_messages,
		cap_messages, n_collectives, cap_collectives, n_jobs;
	struct mpi_doubts doubts;
	uint32_t *groups; /* by host, malloc'ed; NULL: all times can be compared */
};

/* Does the experiment have MPI events? */
bool mpi_is_recorded(const struct mer_experiment *e);
/* Reads the experiment with its present clocks. groups: by host; times of hosts in different groups
 * cannot be compared, so waits between them are unknown; NULL: all can be compared. *run NULL: no
 * MPI event was recorded. */
int mpi_read(struct mer_experiment *e, const uint32_t *groups, struct mer_cancel *cancel,
	struct mpi_run **run, struct mer_err *err);
void mpi_run_free(struct mpi_run *); /* NULL is fine */
/* Reports what was left out (mpi_doubts) as diagnostics. */
void mpi_report(struct mer_experiment *e, const struct mpi_run *run);

static inline const struct mpi_process *mpi_process_of(const struct mpi_run *r, uint32_t line)
{
	return &r->processes[r->lines[line].process];
}

/* Can their times be compared? */
static inline bool mpi_is_comparable(const struct mpi_run *r, uint32_t a, uint32_t b)
{
	uint32_t x = mpi_process_of(r, a)->host, y = mpi_process_of(r, b)->host;
	return x == y || !r->groups || r->groups[x] == r->groups[y];
}

#endif
