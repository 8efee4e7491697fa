/* State of the analysis of relations, of one host, shared by the files of this folder:
 *
 *   relations.c    what is asked for and told: the analysis, and its table
 *   wakes.c        wake-ups, signals, forks
 *   data.c         what calls write and read
 *   packets.c      packets: noted while hosts are read, joined when all are
 *   connections.c  which descriptors are the two ends of a connection
 *   memory.c       memory that processes share
 *   calls.c        what calls mean
 *   stream.c       whose bytes a reader gets
 *   set.c          edges */
#ifndef MER_ANALYSIS_RELATIONS_STATE_H
#define MER_ANALYSIS_RELATIONS_STATE_H

#include "analysis/relations/calls.h"
#include "analysis/relations/set.h"
#include "analysis/relations/stream.h"
#include "base/majority.h"
#include "kernel/files/files.h"

/* Objects of kinds that have no name or address. */
enum { RELATION_BY_EXIT, RELATION_BY_THREAD_EXIT, RELATION_BY_EXEC }; /* WAIT */
enum { RELATION_PROCESS, RELATION_THREAD };			      /* FORK */
enum { RELATION_KILLED }; /* SIGNAL: exit_group, which is no signal's number */
enum { RELATION_SIGCHLD = 17 };

struct relation_wake { /* a wait that ended */
	bool set;
	uint32_t other; /* task: who ended it, or whose it was */
	uint64_t n;
	int64_t wait_ns, first, last;
};

struct relation_task {
	struct relation_wake futex; /* of its call, which tells the address when it ends */
	struct relation_wake kick;  /* that its call ended, which is to send a signal */
	struct {
		bool set;
		uint32_t to;
		uint64_t number;
		int64_t time;
	} sent;		    /* its last signal */
	uint32_t accepting; /* arrival that ended a wait of its call accept, plus 1 */
	/* It writes packets to a device, as a VM's process writes what its guest sends to a tap:
	 * they are received, and answered, in its call. */
	bool has_tap;
};

enum relation_way { RELATION_WRITES, RELATION_READS, RELATION_N_WAYS };

struct relation_run { /* calls of one task on one flow, with none of another in between */
	uint32_t task;
	uint32_t next; /* of the same flow and way, in relation_state.runs, plus 1 */
	bool is_asked; /* in the time that is looked at, and not told already */
	uint64_t n, bytes;
	int64_t first, last; /* ends of calls */
};

/* An open descriptor of a process whose other end has no name: to whom what is written there goes
 * is learned from whom it woke. */
struct relation_flow {
	int64_t begin;	    /* not after its first use */
	uint32_t copy_of;   /* another process' flow that it may be inherited from, plus 1 */
	uint32_t object;    /* name */
	bool is_connected;  /* by connect, to object */
	uint32_t owner;	    /* task that first used it */
	uint32_t peer;	    /* task of this host, plus 1; 0: not known */
	uint8_t peer_kind;  /* enum relation_kind */
	uint32_t last_send; /* of sends, plus 1 */
	/* Written, with no packet seen that it went into. */
	uint32_t task;
	uint64_t n, bytes;
	int64_t first, last;
	uint32_t first_run[RELATION_N_WAYS], last_run[RELATION_N_WAYS]; /* plus 1 */
	uint32_t writer_run; /* where relation_connection_writer was last, plus 1 */
	/* See connections.c: sync_endpoint of both ends; 0: not known. */
	uint32_t local, remote;
	struct mer_majority sent; /* the two of its packets */
	uint8_t packet_kind;	  /* enum sync_kind */
	bool is_joined;		  /* what was written to it has its edges */
	/* Where its packets go (packets.c): flow plus 1, 0: not known. */
	bool is_linked;
	uint32_t votes;
	uint32_t to_host, to_task, to_flow;
};

#define RELATION_SYSV (UINT64_C(1) << 32) /* in an object: the number of a segment, not a name */

struct relation_mapping { /* of a process */
	uint64_t object;
	uint32_t task; /* that was the first to map it */
	bool writes;
	uint64_t n;
	int64_t first, last;
};

struct relation_send { /* a packet that a task sent */
	uint32_t packet, task;
	uint32_t object;   /* name, of its call */
	uint32_t flow;	   /* plus 1; 0: none */
	uint64_t n, bytes; /* of calls that it is of */
	int64_t time;
};

struct relation_arrival { /* a packet that ended a wait */
	uint32_t packet, task, flow;
	int64_t wait_ns, time;
};

struct relation_state {
	struct relation_set set;
	struct relation_task *tasks; /* by task */
	size_t cap_tasks;
	struct mer_map tids; /* tid -> its newest task, plus 1; as far as n_indexed */
	uint32_t n_indexed;
	struct mer_map streams_by_name; /* -> number, plus 1 */
	struct relation_stream *streams;
	size_t n_streams, cap_streams;
	struct mer_map fifos; /* names of paths that are fifos -> 1 */
	struct mer_map flows_by_fd;
	struct relation_flow *flows;
	size_t n_flows, cap_flows;
	struct mer_map memfds;	    /* names of those that were made -> how often */
	struct mer_map mapping_map; /* hash of an object and a process -> mapping, plus 1 */
	struct relation_mapping *mappings;
	size_t n_mappings, cap_mappings;
	struct relation_run *runs;
	size_t n_runs, cap_runs;
	struct relation_send *sends;
	size_t n_sends, cap_sends;
	struct relation_arrival *arrivals;
	size_t n_arrivals, cap_arrivals;
};

struct relation_use { /* what a task does: its call */
	enum relation_role role;
	uint32_t call, object, name; /* KERNEL_NONE */
	int32_t fd;
	uint8_t kind; /* enum kernel_object_kind */
	uint8_t end;
};

static inline struct relation_state *relation_state(const struct analysis_host *a)
{
	return a->state;
}
/* call KERNEL_NONE: none. */
struct relation_use relation_use_of(const struct kernel_host *h, uint32_t call);
/* The call that a task is in now. */
uint32_t relation_call_now(const struct kernel_host *h, uint32_t task);
struct relation_task *relation_task(struct analysis_host *a, uint32_t task); /* NULL: no memory */
static inline bool relation_has_tap(const struct relation_state *s, uint32_t task)
{
	return task < s->cap_tasks && s->tasks[task].has_tap;
}
/* The newest task with this tid; KERNEL_NONE: there is none. False: no memory. */
bool relation_find_tid(
	struct analysis_host *a, const struct kernel_host *h, int32_t tid, uint32_t *task);
/* Number of the flow, plus 1; 0: none (not made), or no memory. */
uint32_t relation_flow_of(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, bool make, bool *no_memory);
/* The descriptor is a new thing from now on: its flow, plus 1; 0: no memory. */
uint32_t relation_flow_new(
	struct analysis_host *a, const struct kernel_host *h, uint32_t task, int32_t fd);
/* The descriptor is closed; or from now on the same as another one of the process (copy; -1:
 * none). */
int relation_flow_close(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, int32_t copy);
/* Is there something at this time that the user wants to know? */
static inline bool relation_is_asked(const struct analysis_host *a, int64_t time)
{
	return analysis_is_asked(a->run->options, time);
}
static inline bool relation_same_process(const struct kernel_host *h, uint32_t a, uint32_t b)
{
	return a == b || (h->tasks[a].pid >= 0 && h->tasks[a].pid == h->tasks[b].pid);
}
/* Adds an edge of this host. 0 or an error. */
int relation_note(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, const struct relation *what);
/* Of wakes. */
int relation_note_wake(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, uint64_t n_given, const struct relation_wake *w);

/* wakes.c: a span that ended; a signal; the end of a call; the end of the recording */
int relation_on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end);
int relation_on_signal(void *ctx, const struct kernel_host *h, const struct kernel_signal *s);
int relation_end_of_wake(
	struct analysis_host *a, const struct kernel_call_end *c, const struct relation_use *use);
int relation_end(struct analysis_host *a, const struct kernel_host *h);

/* data.c */
int relation_on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c);

/* memory.c: any call that ended; the end of the recording */
int relation_on_memory(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct relation_use *use);
int relation_memory_end(struct analysis_host *a, const struct kernel_host *h);

/* packets.c */
int relation_on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p);
int relation_arrived(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_span *s, int64_t end);
/* The task's accept has ended: the packet that ended its wait is of the new descriptor. */
int relation_accepted(
	struct analysis_host *a, const struct kernel_host *h, const struct kernel_call_end *c);
/* What packets tell is added to set, with objects as numbers in texts. n_unknown: writes of which
 * is not known who read them. */
int relation_join(const struct analysis_run *run, struct relation_set *set,
	struct mer_intern *texts, uint64_t *n_unknown);

#endif
