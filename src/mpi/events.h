/* Events: the dictionary of MPI events of all supported tracers, a row each.
 *
 *   meridian_mpi:*   our interposer
 *   mpi:*            small interposers with one event at the begin and one at the end of each call
 *   Event_*, GlobalDef_*   OTF2 archives, converted to CTF
 *
 * A row gives the meaning of an event (actions) and the names of its fields, in the order of
 * mpi_slot. So a reader sees one kind of event, and support for another tracer is a few rows.
 * Events of other programs may have the same names: a class that lacks a field of its row is not
 * used. */
#ifndef MER_MPI_EVENTS_H
#define MER_MPI_EVENTS_H

#include "trace/reading.h"

enum mpi_action {     /* bits; done in this order */
	MPI_INIT = 1, /* the rank is known from here on: RANK, SIZE, JOB */
	MPI_COMM = 2, /* a communicator: COMM, SIZE; RANK is a member */
	MPI_ENTER = 4,
	MPI_SENT = 8,	   /* PEER, TAG, COMM, BYTES, REQUEST */
	MPI_POSTED = 16,   /* a receive: PEER and TAG may be below 0: any; REQUEST */
	MPI_RECEIVED = 32, /* PEER and TAG: the actual ones; REQUEST */
	MPI_DONE = 64,	   /* the send of REQUEST has completed */
	MPI_JOINED = 128,  /* a collective: COMM, SEQ, ROOT, BYTES */
	MPI_LEAVE = 256,
	MPI_FINAL = 512, /* the rank leaves MPI */
	MPI_MARK = 1024, /* begin of a part that the program marked as computing: SEQ is its
			    number */
	MPI_UNMARK = 2048,
	/* an OTF2 definition; these are read first */
	MPI_DEFINES = 4096,
	/* A run of polls has ended, with LEAVE: BYTES is their number, SEQ the time since its
	 * begin, ns. */
	MPI_POLLED = 8192
};

enum mpi_slot {	  /* of a row; the value is 0 if the event lacks the field */
	MPI_RANK, /* or, of OTF2, the location */
	MPI_TID,
	MPI_PEER,
	MPI_TAG,
	MPI_COMM_ID,
	MPI_BYTES,
	MPI_REQUEST,
	MPI_SEQ,
	MPI_ROOT,
	MPI_CALL, /* or, of OTF2, the region */
	MPI_SIZE,
	MPI_JOB,
	MPI_VPID,
	MPI_VTID,
	MPI_TEXT, /* address and length */
	MPI_TEXT_LENGTH,
	MPI_N_SLOTS
};

enum mpi_source { MPI_OWN, MPI_SMALL, MPI_OTF2 };

struct mpi_event_row {
	const char *name;
	uint32_t actions;
	uint16_t call;	    /* call of MPI_ENTER if the event has no field for it; else
			       MPI_CALL_OUTSIDE */
	uint8_t source;	    /* enum mpi_source */
	const char *fields; /* by mpi_slot; "-": none */
};

extern const struct mpi_event_row mpi_events[];
extern const uint32_t mpi_n_events;

/* The row of a class; NULL: it is not an MPI event. */
const struct mpi_event_row *mpi_event_of(const struct ctf_event_class *ec);

/* By stream: can it have events with any of these actions? Malloc'ed; NULL: no memory. *any: at
 * least one can. */
bool *mpi_event_streams(const struct mer_experiment *e, uint32_t actions, bool *any);

#endif
