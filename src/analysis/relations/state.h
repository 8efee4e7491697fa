/* State of the analysis of relations for one host, shared by the files of this folder:
 *
 *   relations.c    the analysis and its table
 *   wakes.c        wake-ups, signals, forks
 *   data.c         what calls write and read
 *   packets.c      packets: collected while hosts are read, joined when all have been read
 *   connections.c  which descriptors are the two ends of a connection
 *   memory.c       memory that processes share
 *   calls.c        the roles of system calls
 *   stream.c       whose bytes a reader gets
 *   set.c          edges */
#ifndef MER_ANALYSIS_RELATIONS_STATE_H
#define MER_ANALYSIS_RELATIONS_STATE_H

#include "analysis/relations/calls.h"
#include "analysis/relations/set.h"
#include "analysis/relations/stream.h"
#include "base/majority.h"
#include "kernel/files/files.h"

/* Objects for kinds that have neither a name nor an address. */
enum { RELATION_BY_EXIT, RELATION_BY_THREAD_EXIT, RELATION_BY_EXEC }; /* WAIT */
enum { RELATION_PROCESS, RELATION_THREAD };			      /* FORK */
enum { RELATION_KILLED }; /* SIGNAL: exit_group; not the number of a signal */
enum { RELATION_SIGCHLD = 17 };

struct relation_wake { /* a wait that ended */
	bool set;
	uint32_t other; /* task: the waker, or the task that waited */
	uint64_t n;
	int64_t wait_ns, first, last;
};

struct relation_task {
	/* wake-up by a futex call; the address is known when the call ends */
	struct relation_wake futex;
	struct relation_wake kick; /* wait ended by a call that sends a signal */
	struct {
		bool set;
		uint32_t to;
		uint64_t number;
		int64_t time;
	} sent;		    /* its last signal */
	uint32_t accepting; /* arrival that ended a wait in its accept call, plus 1 */
	/* It writes packets to a device, as the process of a VM writes packets of the guest to a
	 * tap: they are received, and answered, during its call. */
	bool has_tap;
};

enum relation_way { RELATION_WRITES, RELATION_READS, RELATION_N_WAYS };

/* calls of one task on one flow, without a call of another task in between */
struct relation_run {
	uint32_t task;
	/* next run of the same flow and direction, index in relation_state.runs, plus 1 */
	uint32_t next;
	bool is_asked; /* inside the analyzed time, and not reported already */
	uint64_t n, bytes;
	int64_t first, last; /* when the first and the last call ended */
};

/* An open descriptor of a process whose other end has no name: the receiver of what is written
 * to it is inferred from the tasks that the writer wakes. */
struct relation_flow {
	int64_t begin; /* at or before its first use */
	/* flow of another process that it may be inherited from, plus 1 */
	uint32_t copy_of;
	uint32_t object;    /* name */
	bool is_connected;  /* by connect(), to object */
	uint32_t owner;	    /* task that first used it */
	uint32_t peer;	    /* task of this host, plus 1; 0: not known */
	uint8_t peer_kind;  /* enum relation_kind */
	uint32_t last_send; /* index in sends, plus 1 */
	/* Written, but no packet that carries it was seen. */
	uint32_t task;
	uint64_t n, bytes;
	int64_t first, last;
	uint32_t first_run[RELATION_N_WAYS], last_run[RELATION_N_WAYS]; /* plus 1 */
	uint32_t writer_run; /* where relation_connection_writer stopped last, plus 1 */
	/* sync_endpoint of both ends, see connections.c; 0: not known. */
	uint32_t local, remote;
	struct mer_majority sent; /* majority of the endpoints of its packets */
	uint8_t packet_kind;	  /* enum sync_kind */
	bool is_joined;		  /* there are edges for what was written to it */
	/* The flow that receives its packets (packets.c), plus 1; 0: not known. */
	bool is_linked;
	uint32_t votes;
	uint32_t to_host, to_task, to_flow;
};

/* bit in an object: the number of a System V segment, not a name */
#define RELATION_SYSV (UINT64_C(1) << 32)

struct relation_mapping { /* of a process */
	uint64_t object;
	uint32_t task; /* first task of the process that mapped it */
	bool writes;
	uint64_t n;
	int64_t first, last;
};

struct relation_send { /* a packet that a task sent */
	uint32_t packet, task;
	uint32_t object;   /* name, of its call */
	uint32_t flow;	   /* plus 1; 0: none */
	uint64_t n, bytes; /* sums over the calls that it carries data of */
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
	struct mer_map memfds;	    /* names of created memfds -> how often */
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

struct relation_use { /* the system call that a task is in */
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
/* call KERNEL_NONE: the use of a task that is in no call. */
struct relation_use relation_use_of(const struct kernel_host *h, uint32_t call);
/* The call that the task is in now. */
uint32_t relation_call_now(const struct kernel_host *h, uint32_t task);
struct relation_task *relation_task(struct analysis_host *a, uint32_t task); /* NULL: no memory */
static inline bool relation_has_tap(const struct relation_state *s, uint32_t task)
{
	return task < s->cap_tasks && s->tasks[task].has_tap;
}
/* The newest task with this tid; KERNEL_NONE: there is none. False: no memory. */
bool relation_find_tid(
	struct analysis_host *a, const struct kernel_host *h, int32_t tid, uint32_t *task);
/* Number of the flow, plus 1; 0: there is none (and none is created), or no memory. */
uint32_t relation_flow_of(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, bool make, bool *no_memory);
/* The descriptor refers to a new object from now on: its flow, plus 1; 0: no memory. */
uint32_t relation_flow_new(
	struct analysis_host *a, const struct kernel_host *h, uint32_t task, int32_t fd);
/* The descriptor is closed, or becomes a duplicate of another one of the process (copy; -1:
 * none). */
int relation_flow_close(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, int32_t copy);
/* Is this time part of what the user selected? */
static inline bool relation_is_asked(const struct analysis_host *a, int64_t time)
{
	return analysis_is_asked(a->run->options, time);
}
static inline bool relation_same_process(const struct kernel_host *h, uint32_t a, uint32_t b)
{
	return a == b || (h->tasks[a].pid >= 0 && h->tasks[a].pid == h->tasks[b].pid);
}
/* Adds an edge between tasks of this host. 0 or an error. */
int relation_note(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, const struct relation *what);
/* Adds an edge for a wait that ended. */
int relation_note_wake(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, uint64_t n_given, const struct relation_wake *w);

/* wakes.c: a span that ended; a signal; the end of a call; the end of the recording */
int relation_on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end);
int relation_on_signal(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e);
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
/* The task's accept call has ended: the packet that ended its wait belongs to the new
 * descriptor. */
int relation_accepted(
	struct analysis_host *a, const struct kernel_host *h, const struct kernel_call_end *c);
/* Adds edges found by packets to set, with objects as numbers in texts. n_unknown: number of
 * writes whose readers are not known. */
int relation_join(const struct analysis_run *run, struct relation_set *set,
	struct mer_intern *texts, uint64_t *n_unknown);

#endif
