/* Record: turns the MPI events of one host after the other into lines, calls, ends of messages and
 * members of collectives. Internal to src/mpi. */
#ifndef MER_MPI_RECORD_H
#define MER_MPI_RECORD_H

#include "base/map.h"
#include "mpi/events.h"
#include "mpi/run.h"

struct mpi_end { /* of a message */
	int64_t comm, time;
	uint64_t bytes, request;
	uint32_t job, line;
	uint32_t posted;       /* call that sent or posted it; MPI_NONE: events are missing */
	uint32_t done;	       /* call that completed it; MPI_NONE: not known */
	int32_t from, to, tag; /* ranks; below 0: any */
	bool is_send;
	bool is_complete; /* always true for sends */
	bool is_void;	  /* cancelled, or with MPI_PROC_NULL */
	bool is_any;	  /* was posted for any rank or tag */
	bool is_late;	  /* events were lost before it: it cannot be counted */
};

struct mpi_member { /* a line in a collective, or at the end of a marked part */
	int64_t comm, seq;
	int64_t enter; /* of marked parts: when it ended */
	uint64_t bytes;
	uint32_t job, line, call;
	uint32_t size; /* of the communicator; 0: not known */
	int32_t root;  /* -1: none */
	uint16_t id;
};

struct mpi_open {	  /* the present state of a line */
	int64_t last;	  /* event */
	int64_t mark;	  /* number of the marked part that it is in */
	uint32_t call;	  /* open state; MPI_NONE: none */
	uint32_t depth;	  /* nesting of MPI calls; only the outermost is a state */
	uint32_t pending; /* receive that was posted without a request; MPI_NONE */
	uint32_t loss;	  /* index in the host's losses: the earlier ones ended before `last` */
	bool is_marked;
	uint32_t spare; /* unused entry of run->calls that can be reused; MPI_NONE: none */
	int64_t poll;	/* begin of the last poll in the open run */
};

struct mpi_otf2;

struct mpi_recorder {
	struct mer_experiment *e;
	struct mpi_run *run;
	struct mpi_open *open; /* parallel to run->lines */
	size_t cap_open;
	struct mpi_end *ends; /* by host, then line, in the order of posting */
	uint32_t n_ends, cap_ends;
	struct mpi_member *members;
	uint32_t n_members, cap_members;
	struct mer_map processes, lines; /* hash of the key -> number, plus 1 */
	struct mer_map requests;	 /* hash of process and request -> end, plus 1 */
	struct mer_map sizes;		 /* hash of program and communicator -> size */
	struct mer_map counters; /* hash of process and communicator -> collectives so far */
	struct mpi_loss {	 /* of the host, by begin */
		int64_t begin, end;
	} * losses;
	size_t n_losses, cap_losses;
	uint32_t host;
	int64_t host_end;      /* of its recording */
	struct mpi_otf2 *otf2; /* NULL: none */
	struct mer_err *err;
};

int mpi_recorder_host(struct mpi_recorder *r, uint32_t host);
int mpi_record(
	struct mpi_recorder *r, const struct mpi_event_row *row, int64_t ts, const uint64_t *slots);
/* After the host's last event: closes what is open. */
int mpi_recorder_end(struct mpi_recorder *r);
void mpi_recorder_fini(struct mpi_recorder *r);

/* Finds which processes belong to one program; sets `job` of processes, ends and members. */
int mpi_find_jobs(struct mpi_recorder *r);
int mpi_match(struct mpi_recorder *r);
int mpi_join(struct mpi_recorder *r);
/* Notes that the call waited for line `by` until then, unless a later end of its wait is known. */
void mpi_waited(struct mpi_run *run, uint32_t call, enum mpi_wait wait, uint32_t by, int64_t until);

/* ---- OTF2 (otf2.c) ---- */

int mpi_otf2_define(struct mpi_otf2 **o, const struct mpi_event_row *row, const uint64_t *slots,
	struct mer_err *err);
void mpi_otf2_free(struct mpi_otf2 *); /* NULL is fine */
/* The location of the same process that has its rank; the location itself if it has one, or none is
 * known. */
uint64_t mpi_otf2_main(const struct mpi_otf2 *o, uint64_t location);
/* The rank in the world of a location, or of a member of a communicator; -1: not known. */
int32_t mpi_otf2_rank(const struct mpi_otf2 *o, uint64_t location);
int32_t mpi_otf2_member(const struct mpi_otf2 *o, uint64_t comm, uint64_t member);
uint32_t mpi_otf2_size(const struct mpi_otf2 *o, uint64_t comm); /* 0: not known */
uint32_t mpi_otf2_world(const struct mpi_otf2 *o);
unsigned mpi_otf2_call(const struct mpi_otf2 *o, uint64_t region);

#endif
