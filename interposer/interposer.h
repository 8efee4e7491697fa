/* The interposer of MPI programs: between the program and the MPI library, by LD_PRELOAD or -l.
 *
 *   calls.list ──generate──→ wrappers of all calls, in C and for Fortran
 *                                │ actions.h: what each tells
 *   core.c      where this process is in MPI: rank, communicators, begin and end
 *   requests.c  what was begun and has not completed
 *   tell.c      events: to LTTng-UST if a session wants them, else kept, and written as CTF (ctf.c)
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

struct mm_thread {
	int depth; /* of wrappers */
	int32_t tid;
	MPI_Comm comm; /* looked up last, as of this generation */
	struct mm_comm *info;
	unsigned generation;
	struct mm_buffer *buffer; /* tell.c */
};
extern __thread struct mm_thread mm_thread;
extern int32_t mm_rank, mm_size, mm_pid;
extern bool mm_is_on;

/* False: inside of another call, or MPI has not begun: nothing is told. */
bool mm_begin(void);
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
	MM_N_EVENTS
};

struct mm_record {     /* an event; each kind has some of these */
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	int64_t comm;
	uint64_t bytes;	  /* JOINED: too; INIT: the program's number */
	uint64_t request; /* JOINED: its number */
	int32_t rank, tid;
	int32_t peer; /* JOINED: root; INIT, COMM: size; ENTER, LEAVE: call */
	int32_t tag;
	uint32_t event; /* enum mm_event */
	uint32_t unused;
};

void mm_tell_begin(void);
void mm_tell(struct mm_record r);
void mm_tell_end(void);

/* ---- CTF (ctf.c) ---- */

struct mm_ctf;
struct mm_ctf *mm_ctf_open(const char *folder, char *problem, size_t size);
/* A stream for each thread, whose records come in their order. False: it cannot be written. */
bool mm_ctf_write(struct mm_ctf *c, unsigned stream, const struct mm_record *r, size_t n);
bool mm_ctf_close(struct mm_ctf *c);

#endif
