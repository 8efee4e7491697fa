/* Messages: what was sent on one host and received on another, with both clocks' times.
 *
 * match/gather.h finds them in traces, tests and generated worlds make them directly; everything
 * else of this layer is computed from them. Times are ns of the host's own clock, before any
 * synchronization. */
#ifndef MER_SYNC_MESSAGES_H
#define MER_SYNC_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/map.h"
#include "base/spill.h"

enum sync_kind {
	SYNC_TCP,
	SYNC_UDP,
	SYNC_ICMP,
	SYNC_VMSYNC, /* hypercalls between a guest and its hypervisor */
	SYNC_USER,   /* pairs of events that the user declared */
	SYNC_STAY,   /* what happened in a guest lies between entry and exit (sync/vcpu) */
	SYNC_MPI,    /* messages of MPI (src/mpi), matched by counting */
	SYNC_ROUND,  /* questions of the recorder and their answers (sync/rounds) */
	SYNC_N_KINDS
};
const char *sync_kind_name(enum sync_kind);

struct sync_message {
	int64_t sent;	  /* clock of link.from, ns */
	int64_t received; /* clock of link.to, ns */
};

enum { SYNC_NO_STREAM = UINT32_MAX };

enum sync_content { /* what a message carries besides its headers */
	SYNC_CONTENT_UNKNOWN,
	SYNC_EMPTY, /* acknowledges, or ends a connection */
	SYNC_OPENS, /* a SYN, or the answer to one */
	SYNC_DATA
};

/* Where a message's events are, and between what it was sent. */
struct sync_streams {
	/* The streams, numbered as in the experiment, that have the events of its ends. Times alone
	 * do not tell events of several CPUs apart. SYNC_NO_STREAM: not known. */
	uint32_t sent, received;
	/* sync_endpoint (match/end.h) of its sender and its receiver: what both ends of a
	 * connection know of it. 0: not known. */
	uint32_t source, destination;
	uint8_t content; /* enum sync_content */
};

struct sync_link { /* one direction between two hosts; from == to: messages to itself */
	uint32_t from, to;
	/* These three are blocks of spill. */
	struct sync_message *messages; /* by sent, then received */
	uint8_t *kinds;		       /* as messages: enum sync_kind; NULL: all SYNC_TCP */
	struct sync_streams *streams;  /* as messages; NULL: none is known */
	size_t n, cap;
	struct mer_spill *spill; /* borrowed */
	uint64_t n_duplicates;	 /* seen again: bridges, virtual interfaces, retransmissions */
	uint64_t n_reordered;	 /* received before one that was sent earlier */
	uint64_t n_unmatched;	 /* sent, by its addresses to this host, and not seen there */
};

struct sync_host_counts {
	uint64_t n_sent, n_received; /* events that could be one end of a message */
	uint64_t n_unmatched_sent, n_unmatched_received, n_duplicates;
	uint64_t n_too_old;	/* of the unmatched: given up because too many were pending */
	uint64_t n_without_key; /* events that lack what identifies a message */
	uint64_t n_entries;	/* of vCPUs into guests: it runs virtual machines */
};

/* A TCP segment with data, or that opens a connection, of which one end only was seen: it was sent
 * to a recorded host and lost on its way there, or it came from one that was not recorded, or went
 * to one. */
struct sync_single {
	int64_t time; /* clock of the host that sent, or received it */
	uint32_t host;
	uint32_t source, destination; /* sync_endpoint */
	bool is_send, opens;	      /* opens: SYNC_OPENS, else SYNC_DATA */
	bool leaves;		      /* is_send, to where nothing is known to be recorded */
};

enum { SYNC_RECENT = 256, SYNC_RECENT_LINKS = 64 };

struct sync_rounds; /* sync/rounds/rounds.h */

struct sync_messages {
	/* Only those with messages or counts. By from, then to, once finished. */
	struct sync_link *links;
	size_t n_links, cap_links;
	struct sync_host_counts *hosts; /* malloc'ed */
	uint32_t n_hosts;
	struct mer_spill *spill; /* of the links made from now on; NULL: memory */
	bool keeps_streams;	 /* of the messages found from now on */
	/* Kept with streams; a block of spill. */
	struct sync_single *singles;
	size_t n_singles, cap_singles;
	struct sync_rounds *rounds; /* not among the links; NULL: none */
	struct mer_map link_map;    /* from << 32 | to -> number of the link, plus 1 */
	uint32_t recent_links[SYNC_RECENT_LINKS]; /* numbers, plus 1, by the last bits of both */
	/* What the endpoints in streams stand for, as far as they are IPv4. */
	struct mer_map endpoints;
	struct sync_place {
		uint32_t address;
		uint16_t port;
	} * places; /* malloc'ed; the map has their numbers, plus 1 */
	uint32_t n_places, cap_places;
	uint32_t recent[SYNC_RECENT]; /* endpoints seen last, by their last bits */
};

int sync_messages_init(struct sync_messages *m, uint32_t n_hosts, struct mer_err *err);
void sync_messages_free(struct sync_messages *m);
/* The link, made when it is not there; NULL: no memory. Pointers to links hold until the next. */
struct sync_link *sync_messages_link(struct sync_messages *m, uint32_t from, uint32_t to);
/* What the endpoint stands for: an IPv4 address and a port. False: no memory. */
bool sync_messages_place(
	struct sync_messages *m, uint32_t endpoint, uint32_t address, uint16_t port);
int sync_messages_add_single(
	struct sync_messages *m, const struct sync_single *s, struct mer_err *err);
int sync_link_put(struct sync_link *l, int64_t sent, int64_t received, enum sync_kind kind,
	struct mer_err *err);
/* The same; the times stay in registers. */
static inline int sync_link_add(
	struct sync_link *l, struct sync_message msg, enum sync_kind kind, struct mer_err *err)
{
	return sync_link_put(l, msg.sent, msg.received, kind, err);
}
/* The same of a message whose streams are known. */
int sync_link_add_in(struct sync_link *l, struct sync_message msg, enum sync_kind kind,
	struct sync_streams streams, struct mer_err *err);
/* After the last message: sorts each link's messages, counts the reordered. */
int sync_messages_finish(struct sync_messages *m, struct mer_err *err);

#endif
