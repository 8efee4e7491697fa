/* The interposer of MPI programs: between the program and the MPI library, by LD_PRELOAD or -l.
 *
 *   calls.list ──generate──→ wrappers of all calls, in C and for Fortran
 *                                │ actions.h: what each tells
 *   core.c      where this process is in MPI: rank, communicators, begin and end
 *   requests.c  what was begun and has not completed
 *   polls.c     runs of polls, which are one call
 *   tell.c      events: to LTTng-UST if a session wants them, else as CTF: ctf.c says what they are,
 *               stream.c writes them
 *
 * The events are those of src/mpi/events.c. A wrapper that is called by the MPI library itself
 * tells nothing (mm_begin). Nothing here may end the program: what cannot be told is left out, and
 * at the end said once. */
#ifndef MER_INTERPOSER_H
#define MER_INTERPOSER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi/calls.h"

#define MM_EXPORT __attribute__((visibility("default")))
#define MM_ALIAS(of_, name_, params_) MM_EXPORT void name_ params_ __attribute__((alias(#of_)));

/* ---- where the process is (core.c) ---- */

struct mm_comm {    /* a communicator */
	int64_t id; /* the same in all its ranks; the world: 0 */
	int size;
	int64_t seq; /* collective operations so far */
	int *world;  /* by rank: its rank in the world */
};

/* Polls of a call with nothing between them (polls.c). Ticks are the CPU's counter. */
struct mm_run {
	unsigned call;		 /* 0: none */
	unsigned skip;		 /* so many are still not looked at */
	unsigned since;		 /* so many were not, since the last one that was */
	bool is_in;		 /* one of them goes on */
	bool is_silent;		 /* they are as quick as usual: not each is looked at */
	bool is_written;	 /* CTF: its end is in the trace, and is moved */
	bool is_open;		 /* LTTng: its begin is in the trace, and not its end */
	uint64_t count, looked;	 /* polls; and when the clocks were looked at */
	uint64_t learned;	 /* ticks: since then each was measured, */
	uint64_t usual, checked; /* one takes so long; the last one that was looked at */
	uint64_t base_ticks, base_ns;
	uint64_t cpu, busy; /* CPU time at base, ns; ticks spent in polls since */
};

struct mm_thread {
	int depth; /* of wrappers */
	int32_t tid;
	MPI_Comm comm; /* looked up last, as of this generation */
	struct mm_comm *info;
	unsigned generation;
	struct mm_run run;
	unsigned untold;	  /* a call that is left out, unless it does something; 0: none */
	struct mm_stream *stream; /* tell.c */
	bool has_no_stream;	  /* it cannot be made */
};
extern __thread struct mm_thread mm_thread __attribute__((tls_model("initial-exec")));
extern int32_t mm_rank, mm_size, mm_pid;
extern bool mm_is_on;
extern bool mm_is_multiple; /* several threads may call MPI at the same time */

void mm_first_call(void); /* of a thread */
/* False: inside of another call, or MPI has not begun: nothing is told. */
static inline bool mm_begin(void)
{
	if (!mm_is_on || mm_thread.depth)
		return false;
	if (__builtin_expect(!mm_thread.tid, 0))
		mm_first_call();
	mm_thread.depth = 1;
	return true;
}
void mm_enter(unsigned call);
void mm_leave(unsigned call);
/* NULL: none, or one between two groups. */
struct mm_comm *mm_comm_of(MPI_Comm comm);
void mm_new_comm(MPI_Comm comm);
int64_t mm_bytes(int count, MPI_Datatype type);

/* ---- what is told of a call ---- */

void mm_send(MPI_Comm comm, int dest, int tag, int64_t bytes, uint64_t request);
void mm_posted(MPI_Comm comm, int source, int tag, int64_t bytes, uint64_t request);
void mm_received(const struct mm_comm *c, const MPI_Status *status, uint64_t request);
void mm_collective(MPI_Comm comm, int root, int64_t bytes);

/* ---- requests (requests.c) ---- */

enum mm_kind { MM_SEND, MM_RECV, MM_MESSAGE };

void mm_begun(MPI_Request request, enum mm_kind kind, MPI_Comm comm, uint64_t number);
uint64_t mm_next_request(void);
void mm_persistent(
	MPI_Request request, enum mm_kind kind, MPI_Comm comm, int peer, int tag, int64_t bytes);
void mm_started(MPI_Request request);
/* What is known of a request. A call that may complete some takes them before, and puts back those
 * that it did not complete: the library gives a completed one's handle to whoever begins the next
 * one, which another thread may do before the call is back here. */
struct mm_request {
	uint64_t key;	 /* of the handle; 0: not known */
	uint64_t number; /* 0: persistent, and not started */
	struct mm_comm *comm;
	MPI_Comm handle;
	int64_t bytes;
	int peer, tag;
	uint8_t kind;
	bool is_persistent;
};
void mm_take(const MPI_Request *requests, int n, struct mm_request *taken);
/* malloc'ed; NULL: no memory. */
struct mm_request *mm_take_all(const MPI_Request *requests, int n);
/* The handles as they are now, the thread's until the next such call; NULL: none, or no memory. */
const MPI_Request *mm_copy(const MPI_Request *requests, int n);
/* taken: this one has completed. */
void mm_completed(struct mm_request *taken, const MPI_Status *status);
void mm_put_back(struct mm_request *taken, int n);
void mm_freed(MPI_Request request);
extern bool mm_cancels; /* the program has cancelled something */
/* Messages that were found, and not received yet. */
void mm_found(MPI_Message message, MPI_Comm comm, const MPI_Status *status);
void mm_taken(MPI_Message message, const MPI_Status *status);
void mm_taking(MPI_Message message, MPI_Request request);

/* ---- Fortran ---- */

enum { MM_F_STATUS = 32 }; /* more than any has */
struct mm_f_statuses {
	MPI_Fint *f, *own;
	MPI_Status *c;
	int n;
};
MPI_Request *mm_f_requests(const MPI_Fint *f, int n);
struct mm_f_statuses mm_f_statuses(MPI_Fint *f, int n);
void mm_f_statuses_back(struct mm_f_statuses *s, int n);
void mm_f_statuses_fini(struct mm_f_statuses *s);

/* ---- telling (tell.c) ---- */

enum mm_event {
	MM_INIT,
	MM_COMM,
	MM_ENTER,
	MM_LEAVE,
	MM_SENT,
	MM_SEND_DONE,
	MM_POSTED,
	MM_RECV_DONE,
	MM_JOINED,
	MM_FINAL,
	MM_POLLED, /* a run of polls ends */
	MM_N_EVENTS
};

struct mm_record {     /* an event; each kind has some of these */
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	int64_t comm;
	uint64_t bytes;	  /* JOINED: too; INIT: the program's number; POLLED: how many */
	uint64_t request; /* JOINED: its number; POLLED: how long ago it was, ns */
	int32_t rank, tid;
	int32_t peer; /* JOINED: root; INIT, COMM: size; ENTER, LEAVE, POLLED: call */
	int32_t tag;
	uint32_t event; /* enum mm_event */
	uint32_t unused;
};

void mm_tell_begin(void);
void mm_tell_rank(void); /* it is known */
void mm_tell(struct mm_record r);
void mm_tell_end(void);
bool mm_is_lttng(void);
bool mm_is_left_out(unsigned call);
uint64_t mm_now(void); /* ns, CLOCK_MONOTONIC */
/* For polls.c: as it is; time 0: now. */
void mm_write(struct mm_record *r);
/* Of CTF: the thread's last event, a POLLED, is of this time and so many; is not there. */
void mm_amend(uint64_t time, uint64_t count);
bool mm_take_back(void);

/* ---- polls (polls.c) ---- */

void mm_polls_begin(void);
void mm_poll_enter_slowly(unsigned call);
void mm_poll_leave_slowly(unsigned call, bool is_done);
static inline void mm_poll_enter(unsigned call)
{
	struct mm_run *run = &mm_thread.run;
	if (run->call != call || !run->skip) {
		mm_poll_enter_slowly(call);
		return;
	}
	run->skip--;
	run->since++;
	run->count++;
	run->is_in = true;
}
static inline void mm_poll_leave(unsigned call, bool is_done)
{
	struct mm_run *run = &mm_thread.run;
	/* Another call may be left out while the run stays. */
	if (is_done || !run->is_silent || run->call != call) {
		mm_poll_leave_slowly(call, is_done);
		return;
	}
	run->is_in = false;
	mm_thread.depth = 0;
}
/* Something else is about to be told. */
void mm_polls_settle(void);

/* ---- CTF (ctf.c, stream.c) ---- */

struct mm_ctf;
struct mm_ctf *mm_ctf_open(const char *folder, char *problem, size_t size);
const uint8_t *mm_ctf_uuid(const struct mm_ctf *c);

struct mm_stream;
struct mm_stream *mm_stream_open(const struct mm_ctf *ctf, const char *path, uint64_t number);
/* False: there is no room; it is counted. */
bool mm_stream_put(struct mm_stream *s, const struct mm_record *r);
/* See mm_amend, mm_take_back; once for each event. */
void mm_stream_amend(struct mm_stream *s, uint64_t time, uint64_t count);
bool mm_stream_take_back(struct mm_stream *s);
/* is_own: of the thread that closes it. */
bool mm_stream_close(struct mm_stream *s, bool is_own);

#endif
