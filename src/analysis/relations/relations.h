/* Relations: which task gave something to which other one, through what, and how long that one had
 * waited for it.
 *
 * An edge goes from who writes, wakes, signals, forks or unlocks to who reads, waits or begins. It
 * counts what was handed over (writes, signals, forks); where nothing is, the waits that it ended.
 * It is told by
 *
 *   wake-ups    what the task that was woken waited in, and what the one that woke it was doing
 *   packets     who sent the one that ended a wait; what else was sent through that connection
 *   calls       writes and reads of one pipe, fifo or pair of sockets, byte by byte, whoever waited
 *   signals, forks
 *
 * A wake-up whose means cannot be told from both is of kind KERNEL: one task had a lock of the
 * kernel that the other one needed, or a thread of the kernel did work for it. These say nothing
 * about who talks to whom. What no event tells (writes into a file that another reads, what is done
 * with memory that is shared) is not there; nothing is guessed. That two processes could exchange
 * something by memory, because both have mapped the same thing and one may write to it, is told as
 * a hint, kind "shared-memory?": from the one that mapped it first, which says nothing about who
 * gives to whom. */
#ifndef MER_ANALYSIS_RELATIONS_RELATIONS_H
#define MER_ANALYSIS_RELATIONS_RELATIONS_H

#include "analysis/analysis.h"

enum relation_kind {
	RELATION_TCP,
	RELATION_UDP,
	RELATION_NETWORK, /* another protocol between hosts */
	RELATION_UNIX,
	RELATION_SOCKET, /* of another family, or not known of which */
	RELATION_PIPE,
	RELATION_FIFO,
	RELATION_EVENTFD,
	RELATION_INOTIFY,
	RELATION_TTY,
	RELATION_FUTEX,
	RELATION_SEMAPHORE, /* System V */
	RELATION_QUEUE,	    /* of messages, System V or POSIX */
	RELATION_LOCK,	    /* of a file */
	RELATION_SIGNAL,
	RELATION_FORK,
	RELATION_WAIT, /* for the end of a process or thread */
	RELATION_PTRACE,
	RELATION_MEMORY, /* a hint: both have mapped the same, see below */
	RELATION_KERNEL, /* see above */
	RELATION_N_KINDS
};
/* "tcp", "pipe", ... Stable words for programs. */
const char *relation_kind_name(enum relation_kind);

/* Its one output is "graph". Not one of the grid: the verb graph asks for it. options.wants_task:
 * either end must fit; wants_host must be NULL, or what other hosts sent would not be known. */
extern const struct analysis analysis_relations;

/* Of the table: those with what a task started last; the greatest wait first, then the greatest
 * count. */
enum relation_column {
	RELATION_FROM_HOST,
	RELATION_FROM_TID,
	RELATION_FROM_COMM,
	RELATION_TO_HOST,
	RELATION_TO_TID,
	RELATION_TO_COMM,
	RELATION_KIND,
	RELATION_OBJECT, /* "pipe#1", "10.0.0.2:80", "SIGUSR1", "0x7f3c8000"; not set: not known */
	RELATION_COUNT,
	RELATION_BYTES,	  /* not set: nothing that is counted in bytes */
	RELATION_WAIT_NS, /* without what nobody felt, if the run keeps its spans */
	RELATION_FIRST,	  /* when it was given, or the wait ended */
	RELATION_LAST,
	RELATION_IDLE_NS,      /* that nobody felt */
	RELATION_FROM_PID,     /* of the process; not set: not known */
	RELATION_FROM_PROGRAM, /* name of the process: of its first thread */
	RELATION_TO_PID,
	RELATION_TO_PROGRAM,
	RELATION_IS_STARTED, /* 1: of a task with what it started: see started.h */
	RELATION_N_COLUMNS
};

#endif
