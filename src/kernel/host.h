/* Host: what is known about one machine after its events were read: tasks, and what each did when.
 *
 * Written by the model (model.h) in the order of time, or by tests directly; read by analyses.
 * Spans of all tasks lie in one log, in the order in which they began to be written; those of one
 * task are a list from its last one back. */
#ifndef MER_KERNEL_HOST_H
#define MER_KERNEL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "kernel/calls.h"
#include "kernel/span_log.h"

struct kernel_name { /* a task's name from a time on */
	int64_t begin;
	uint32_t name;	 /* in kernel_host.names */
	uint32_t before; /* the name before it, in kernel_host.renames; KERNEL_NONE */
};

enum { KERNEL_NO_PRIO = INT16_MIN };

struct kernel_task {
	int64_t begin, end; /* its life as far as recorded; end: freed, or end of the recording */
	int64_t died;	    /* exited; INT64_MAX: not while recorded */
	int32_t tid, pid;   /* of the outermost namespace; pid -1: not known */
	int32_t ppid;	    /* of its parent process; -1: not known */
	int32_t vtid, vpid; /* in its own namespace; -1: not known */
	uint32_t pid_ns;    /* inum of its pid namespace; 0: not known */
	uint32_t parent;    /* task that forked it, if recorded; KERNEL_NONE */
	uint32_t last;	    /* its last span; KERNEL_NONE: none */
	uint32_t name;	    /* its last name, in kernel_host.renames; KERNEL_NONE: not known */
	int16_t prio;	/* when it last came onto a CPU, as recorded, if wanted; KERNEL_NO_PRIO */
	bool is_kernel; /* a kernel thread */
	bool born;	/* begin is its fork, not the begin of the recording */
};

struct kernel_call {   /* a system call on something; each different one once */
	uint32_t name; /* "read", in kernel_host.names */
	uint32_t
		object; /* "10.0.0.2:80", "/etc/passwd", in names; KERNEL_NONE: not known or none */
	int32_t fd;	/* -1: none */
	uint8_t kind;	/* enum kernel_object_kind (files.h) of the descriptor */
	uint8_t end;	/* of a socket pair: 0 the first, 1 the second */
	uint16_t id;	/* of the name (kernel_call_id), for what the call does */
};

enum { KERNEL_SECTOR_BYTES = 512 }; /* of all devices, whatever theirs are */

struct kernel_request {			 /* to a block device */
	int64_t insert, issue, complete; /* ns; INT64_MIN: not seen */
	uint64_t sector;
	uint32_t dev, bytes;
	uint32_t by; /* span of the task that issued it (inserted, if that was seen); KERNEL_NONE */
	uint32_t task; /* of that span, which may be forgotten; KERNEL_NONE */
	uint16_t cpu;  /* where it was then; KERNEL_NO_CPU: not known */
	uint8_t flags; /* enum kernel_request_flags */
	int16_t error;
};
enum kernel_request_flags { /* of LTTng's rwbs */
	KERNEL_WRITE = 1,
	KERNEL_DISCARD = 2,
	KERNEL_READ = 4,
	KERNEL_FLUSH = 8, /* a cache flush, or forced through */
	KERNEL_SYNC = 16,
	KERNEL_META = 32,
	KERNEL_MERGED = 64 /* not of rwbs: it is part of another request, which has its bytes */
};

struct kernel_guest;
struct kernel_mpi;

struct kernel_rest { /* of a forgotten chunk: the spans that are some task's last */
	uint32_t n;
	struct kernel_rest_span {
		uint32_t number;
		struct kernel_span span;
	} spans[];
};

struct view_host;

struct kernel_host {
	struct mer_arena arena;
	struct mer_intern names; /* of tasks, calls, objects, devices */
	struct kernel_task *tasks;
	uint32_t n_tasks, cap_tasks;
	struct kernel_span_log log;
	/* By chunk, if spans are forgotten: what is kept of one that is (NULL: nothing), and how
	 * many of its spans are some task's last. */
	struct kernel_rest **rests;
	uint16_t *n_open;
	const struct kernel_span_source *source; /* NULL: all spans that are kept are in the log */
	uint32_t n_spans, cap_rests;
	bool forgets;
	struct kernel_guest *guest; /* it is the guest of a traced VM (vm/guests.h); NULL */
	/* What view files say that its threads did (views/states.h); borrowed; NULL: nothing. */
	const struct view_host *views;
	/* What the ranks of all hosts did, for observers that want it; NULL. Borrowed. */
	const struct kernel_mpi *mpi;
	struct kernel_name *renames;
	uint32_t n_renames, cap_renames;
	struct kernel_call *calls;
	uint32_t n_calls, cap_calls;
	struct mer_map call_map; /* hash of a call -> newest such call, plus 1 */
	struct kernel_request *requests;
	uint32_t n_requests, cap_requests;
	struct mer_map devices;	     /* dev -> name, plus 1 */
	struct mer_map irq_names;    /* irq -> name, plus 1 */
	struct mer_map packages;     /* CPU -> the package that it is in, plus 1 */
	struct mer_map cpus;	     /* CPU that had an event -> 1 */
	struct mer_map first_pieces; /* see kernel_wait_first: last span -> first, plus 1 */
	int64_t begin, end;	     /* of the recording: first and last event */
	uint64_t n_events;	     /* that were read */
	bool has_wakeups, has_interrupts, has_migrations; /* are recorded */
	uint64_t n_odd; /* that contradict what was known: see model.h */
	uint64_t
		/* system calls that ended, of which the name or the begin is not known: never
		 * reported */
		n_calls_left_out;
};

void kernel_host_init(struct kernel_host *h);
/* The same. spill: where what grows with the trace goes, and which is there longer than the host;
 * NULL: memory. forgets: spans are forgotten some time after they were written, unless they are a
 * task's last. */
void kernel_host_init_in(struct kernel_host *h, struct mer_spill *spill, bool forgets);
void kernel_host_fini(struct kernel_host *h);

/* ---- writing; pointers hold until the next call ---- */

/* KERNEL_NONE: no memory. */
uint32_t kernel_add_task(struct kernel_host *h, int32_t tid, int64_t begin);
/* Appends a span of s->task; its `before` is set, and it becomes the task's last. Its number, or
 * KERNEL_NONE: no memory, or more than 2^32 - 2 spans. */
uint32_t kernel_add_span(struct kernel_host *h, const struct kernel_span *s);
/* From begin on the task has this name; the same name again is no new one. */
int kernel_rename(struct kernel_host *h, uint32_t task, int64_t begin, const char *name, size_t len,
	struct mer_err *err);
/* The number of this call; KERNEL_NONE: no memory. Without an id it gets that of its name. */
uint32_t kernel_add_call(struct kernel_host *h, const struct kernel_call *call);
uint32_t kernel_add_request(struct kernel_host *h, const struct kernel_request *r);

/* ---- reading ---- */

/* Of a chunk that is not there: from the source, else what is kept of it. NULL: it was
 * forgotten. */
struct kernel_span *kernel_span_of_rest(const struct kernel_host *h, uint32_t i);
/* Of those that are surely kept: a task's last, or when nothing is forgotten. How long it holds:
 * span_log.h. */
static inline struct kernel_span *kernel_span(const struct kernel_host *h, uint32_t i)
{
	struct kernel_span *chunk = h->log.chunks[i >> KERNEL_CHUNK_BITS];
	return __builtin_expect(chunk != NULL, 1) ? &chunk[i & (KERNEL_CHUNK - 1)]
						  : kernel_span_of_rest(h, i);
}
/* The same, NULL for KERNEL_NONE and for what was forgotten. */
static inline struct kernel_span *kernel_span_kept(const struct kernel_host *h, uint32_t i)
{
	return i != KERNEL_NONE ? kernel_span(h, i) : NULL;
}
/* Of a host that may be of a saved world. */
static inline const struct kernel_request *kernel_request_at(
	const struct kernel_host *h, uint32_t request)
{
	if (h->source)
		h->source->load_request(h, request);
	return &h->requests[request];
}
/* A wait that timed out and was taken up again, on the same objects with nothing sent or received
 * between, is one with the last of these: it was for what ended that one. The last one; another
 * wait is itself. */
static inline uint32_t kernel_wait_end(const struct kernel_host *h, uint32_t i)
{
	const struct kernel_span *s = kernel_span(h, i);
	return s->state == KERNEL_BLOCKED && s->cause == KERNEL_TIMER && s->source != KERNEL_NONE
		       ? s->source
		       : i;
}
/* The first piece of the wait that this one is the last of; another wait is itself. */
static inline uint32_t kernel_wait_first(const struct kernel_host *h, uint32_t i)
{
	const uint32_t *first = h->first_pieces.n ? mer_map_get(&h->first_pieces, i) : NULL;
	return first && *first ? *first - 1 : i;
}
/* Where the task's last span ends. */
static inline int64_t kernel_task_end(const struct kernel_host *h, uint32_t task)
{
	return h->tasks[task].end;
}
/* The task's span at a time (of spans without length the last), going back from span `from`
 * (KERNEL_NONE: its last one). KERNEL_NONE: it had not begun. */
uint32_t kernel_span_at(const struct kernel_host *h, uint32_t task, int64_t time, uint32_t from);
/* All spans that begin in [begin, end] are among [*from, *to), with others: of a saved world those
 * near them, else all. */
void kernel_spans_between(
	const struct kernel_host *h, int64_t begin, int64_t end, uint32_t *from, uint32_t *to);
/* What the call does: enum kernel_call_class; 0: not known, also for KERNEL_NONE. */
static inline uint32_t kernel_classes(const struct kernel_host *h, uint32_t call)
{
	return call == KERNEL_NONE ? 0 : kernel_call_classes(h->calls[call].id);
}
/* Text of a name; "" for KERNEL_NONE. */
const char *kernel_name_text(const struct kernel_host *h, uint32_t name);
/* What the task is called, in every answer: its last name, which says what became of it, such as
 * the program that a child of a shell is after exec. It had others before that (kernel_task.name);
 * if each answer had the name of its own moment, one task would look like several. "": none is
 * known. While events are read it is the last one until now. */
const char *kernel_comm(const struct kernel_host *h, uint32_t task);

#endif
