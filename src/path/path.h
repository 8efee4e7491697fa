/* Path: the critical path of a task, across hosts.
 *
 * The time line of one task over a window, in which each wait is replaced by what the task
 * waited for: by the task that ended the wait, from the begin of the wait on, and recursively by
 * what that task waited for. The result is a list of segments without gaps, from the begin of
 * the window to its end, so they sum to the elapsed time. (The bounded algorithm: nothing before
 * the wait counts. F. Giraldeau, M. Dagenais, "Wait analysis of distributed systems using kernel
 * tracing", TPDS 27(8), 2016.) */
#ifndef MER_PATH_PATH_H
#define MER_PATH_PATH_H

#include "base/pool.h"
#include "kernel/world.h"

/* What a moment of the path was spent on. */
enum path_cause {
	PATH_RUNNING,	  /* a task ran on a CPU */
	PATH_INTERRUPTED, /* its CPU served an interrupt, softirq or timer */
	PATH_RUNNABLE,	  /* a task was ready, others had the CPU */
	/* A task of a guest was on its CPU or waited for it, and the hypervisor had given the
	 * CPU to others; or the hypervisor, or the process of the VM, did something for the
	 * guest. */
	PATH_STOLEN,
	PATH_HYPERVISOR,
	/* Waits that no task's work explains: */
	PATH_DISK,
	PATH_NETWORK, /* a packet was on its way, or came from a host that was not recorded */
	PATH_TIMER,
	PATH_TASK, /* ended by a task, which cannot be followed (its events are not there) */
	PATH_FUTEX,
	PATH_PIPE,
	PATH_INPUT,
	PATH_IPI,
	PATH_DEVICE,  /* another device or kernel work in an interrupt */
	PATH_STOPPED, /* by a signal */
	PATH_NEW,     /* a forked task before its first run */
	/* Of a request (requests/parts.h): it had arrived, and its server worked on something
	 * else. */
	PATH_QUEUED,
	/* In a call of MPI that waits for another rank or moves data, and polls meanwhile: the
	 * kernel shows the task running. If the rank that it waits for is known, the path goes
	 * there instead. */
	PATH_MPI,
	PATH_BLOCKED, /* a wait whose end was not recorded */
	PATH_UNKNOWN, /* events are missing */
	PATH_N_CAUSES
};
/* Stable words: "running", "runnable", "disk", ... */
const char *path_cause_name(enum path_cause);
/* The cause of a span by itself. For a piece of a wait: of its last piece (kernel_wait_end). */
enum path_cause path_cause_of(const struct kernel_span *s);
struct kernel_guest;
/* The same for a task on a CPU of a guest that is not running, or that waits for that CPU. */
enum path_cause path_cause_of_absence(const struct kernel_guest *g, uint32_t absence);
/* Is this time that the path cannot explain? */
bool path_is_unexplained(enum path_cause);

struct path_segment {
	int64_t begin, end; /* ns; each begins where the one before it ends; never empty */
	/* The task that ran or waited; in flight: the task that waited for the packet. task
	 * KERNEL_NONE: the kernel of that host, in an interrupt that answered or sent a packet. */
	uint32_t host, task;
	uint32_t span; /* of the task that it is part of; KERNEL_NONE: in flight, unknown */
	uint32_t call; /* system call that the task was in; KERNEL_NONE */
	/* KERNEL_RUNNABLE: span of the task that had the CPU instead; KERNEL_NONE */
	uint32_t by;
	uint32_t
		/* DISK: request; NETWORK: packet; DEVICE, INPUT, INTERRUPTED: irq or vec; STOLEN,
		 * HYPERVISOR: number in kernel_guest.absences; MPI: in mpi_run.calls */
		source;
	uint32_t depth;	  /* 0: the task itself; 1: what it waited for; ... */
	uint8_t state;	  /* enum kernel_state */
	uint8_t cause;	  /* enum path_cause */
	uint8_t by_cause; /* enum kernel_cause of INTERRUPTED */
	bool in_flight;	  /* NETWORK: packet `source` was on its way (to `host`) */
	bool delivery;	  /* NETWORK: it had arrived there, and was on its way to the task */
	bool held;	  /* NETWORK: `host` held it back until it knew the next hardware address */
	uint16_t cpu;
	/* The state that the task was in according to kernel_host.views: number of the innermost
	 * state, plus 1; 0: none. */
	uint32_t user_state;
};

enum path_link_kind {	/* how the path went from one task to the next */
	PATH_LINK_WAKE, /* a task woke the next one */
	PATH_LINK_FUTEX,
	PATH_LINK_PIPE,
	PATH_LINK_FORK,
	PATH_LINK_NETWORK,
	/* A rank of an MPI program sent, received or entered the call that the next one waited
	 * for. */
	PATH_LINK_MPI,
	/* Backward: the path comes to a task because the task that it waited for had begun to
	 * wait even earlier. From here on the work of the latter counts. */
	PATH_LINK_WAIT
};
const char *path_link_name(enum path_link_kind);

struct path_link { /* the path goes from one (host, task) to another */
	uint32_t from_host, from_task, to_host, to_task;
	int64_t from_time, to_time; /* differ for NETWORK: the time on the way */
	uint8_t kind;
	uint32_t packet; /* NETWORK; else KERNEL_NONE */
};

struct path {
	const struct kernel_world *world; /* borrowed */
	uint32_t host, task;
	int64_t begin, end;	       /* ns */
	struct path_segment *segments; /* malloc'ed */
	size_t n_segments, cap_segments;
	struct path_link
		*links; /* malloc'ed; one for each change of (host, task), in order of time */
	size_t n_links, cap_links;
	int64_t by_cause[PATH_N_CAUSES]; /* ns; sum: end - begin */
	int64_t in_flight_ns;		 /* of NETWORK */
	int64_t delivery_ns;
	int64_t held_ns;
	int64_t unresolved_ns; /* of NETWORK: the sender of the packet is not known */
	int64_t unexplained_ns;
	/* Waits that another host would explain if its clock were comparable. */
	uint64_t n_unresolved_remote;
};

/* The path of a task over [begin, end], which is cut to the task's life (INT64_MIN, INT64_MAX: all
 * of it, until it died). path_fini in any case. */
int path_find(const struct kernel_world *w, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct path *path, struct mer_err *err);
/* The same for a window that ends in or with a wait, if the span of the task that follows the
 * wait is known already, so that it need not be searched. KERNEL_NONE: it is not known. */
int path_find_before(const struct kernel_world *w, uint32_t host, uint32_t task, uint32_t after,
	int64_t begin, int64_t end, struct path *path, struct mer_err *err);
void path_fini(struct path *);
/* Cuts segments where their task enters another state of kernel_host.views; path_find does this. */
int path_cut_by_states(struct path *, struct mer_err *err);
/* "query_db"; NULL: none. */
const char *path_user_state(const struct path *, const struct path_segment *);
/* Are they in states of the same text, or both in none? */
bool path_same_user_state(
	const struct path *, const struct path_segment *, const struct path_segment *);
/* Computes the sums, for a path whose segments were not made by path_find. */
void path_sum(struct path *);

/* A row: the time of one task or host on the path. */
struct path_share {
	uint32_t host, task; /* task KERNEL_NONE: the whole host; by task: see path_segment */
	int64_t total_ns;
	int64_t in_flight_ns; /* of it: packets on their way to it */
	int64_t by_cause[PATH_N_CAUSES];
};
/* malloc'ed, the greatest first. */
int path_by_task(const struct path *, struct path_share **rows, size_t *n, struct mer_err *err);
int path_by_host(const struct path *, struct path_share **rows, size_t *n, struct mer_err *err);

#endif
