/* Relations: which task passed something to which other task, through what, and how long the
 * receiver had waited for it.
 *
 * An edge goes from the task that writes, wakes, signals, forks or unlocks to the task that
 * reads, waits or begins. It counts what was passed (writes, signals, forks), or else the waits
 * that it ended. The evidence is
 *
 *   wake-ups    the calls of the woken task and its waker
 *   packets     the sender of a packet that ended a wait; other data on the same connection
 *   calls       writes and reads of a pipe, fifo or socket pair, byte by byte, even without waits
 *   signals, forks
 *
 * If what both tasks did does not explain a wake-up, the edge has kind KERNEL: one task held a
 * kernel lock that the other one needed, or a kernel thread worked for it. Such edges do not
 * mean that the tasks communicate. Communication without events (a file that one task writes and
 * another reads, use of shared memory) is not shown; nothing is guessed. If two processes could
 * exchange data through memory, because both have mapped the same object and one may write to
 * it, there is a hint of kind "shared-memory?". It goes from the process that mapped the object
 * first, which does not mean that data flows that way. */
#ifndef MER_ANALYSIS_RELATIONS_RELATIONS_H
#define MER_ANALYSIS_RELATIONS_RELATIONS_H

#include "analysis/analysis.h"

enum relation_kind {
	RELATION_TCP,
	RELATION_UDP,
	RELATION_NETWORK, /* another protocol between hosts */
	RELATION_UNIX,
	RELATION_SOCKET, /* another address family, or the family is not known */
	RELATION_PIPE,
	RELATION_FIFO,
	RELATION_EVENTFD,
	RELATION_INOTIFY,
	RELATION_TTY,
	RELATION_FUTEX,
	RELATION_SEMAPHORE, /* System V */
	RELATION_QUEUE,	    /* message queue, System V or POSIX */
	RELATION_LOCK,	    /* file lock */
	RELATION_SIGNAL,
	RELATION_FORK,
	RELATION_WAIT, /* wait for the end of a process or thread */
	RELATION_PTRACE,
	RELATION_MEMORY, /* a hint: both have mapped the same object, see above */
	RELATION_KERNEL, /* see above */
	RELATION_N_KINDS
};
/* "tcp", "pipe", ... Stable words for programs. */
const char *relation_kind_name(enum relation_kind);

/* Its only output is "graph". It is not listed with other analyses: the verb graph requests it.
 * options.wants_task: at least one end must match; wants_host must be NULL, or data sent by
 * other hosts would be unknown. */
extern const struct analysis analysis_relations;

/* Columns of the table. Order of rows: relations between tasks and what they started come last;
 * then by wait time, then by count, both descending. */
enum relation_column {
	RELATION_FROM_HOST,
	RELATION_FROM_TID,
	RELATION_FROM_COMM,
	RELATION_TO_HOST,
	RELATION_TO_TID,
	RELATION_TO_COMM,
	RELATION_KIND,
	/* "pipe#1", "10.0.0.2:80", "SIGUSR1", "0x7f3c8000"; not set: unknown */
	RELATION_OBJECT,
	RELATION_COUNT,
	RELATION_BYTES,	  /* not set: nothing counted in bytes */
	RELATION_WAIT_NS, /* without idle time, if the run keeps its spans */
	RELATION_FIRST,	  /* when something was passed, or when the wait ended */
	RELATION_LAST,
	RELATION_IDLE_NS,      /* idle time: a wait that delayed nobody */
	RELATION_FROM_PID,     /* pid; not set: not known */
	RELATION_FROM_PROGRAM, /* name of the process, which is that of its first thread */
	RELATION_TO_PID,
	RELATION_TO_PROGRAM,
	/* 1: the two ends are a task and something it started: see started.h */
	RELATION_IS_STARTED,
	RELATION_N_COLUMNS
};

#endif
