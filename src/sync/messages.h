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
	SYNC_STAY,   /* an event of a guest lies between an entry and an exit (sync/vcpu) */
	SYNC_MPI,    /* messages of MPI (src/mpi), matched by counting */
	SYNC_ROUND,  /* requests of the recorder and their replies (sync/rounds) */
	SYNC_N_KINDS
};
const char *sync_kind_name(enum sync_kind);

struct sync_message {
	int64_t sent;	  /* clock of link.from, ns */
	int64_t received; /* clock of link.to, ns */
};

enum { SYNC_NO_STREAM = UINT32_MAX };

enum sync_content { /* payload of a message */
	SYNC_CONTENT_UNKNOWN,
	SYNC_EMPTY, /* no data: acknowledges, or ends a connection */
	SYNC_OPENS, /* a SYN, or the answer to one */
	SYNC_DATA
};

/* The streams of a message's two events, and the endpoints between which it was sent. */
struct sync_streams {
	/* The streams of its two events, numbered as in the experiment: a time alone does not
	 * identify an event among those of several CPUs. SYNC_NO_STREAM: not known. */
	uint32_t sent, received;
	/* sync_endpoint (match/end.h) of its sender and its receiver: the same numbers on both
	 * hosts. 0: not known. */
	uint32_t source, destination;
	uint8_t content; /* enum sync_content */
};

struct sync_link { /* one direction between two hosts; from == to: messages to itself */
	uint32_t from, to;
	/* These three are blocks of spill. */
	struct sync_message *messages; /* by sent, then received */
	uint8_t *kinds;		       /* as messages: enum sync_kind; NULL: all SYNC_TCP */
	struct sync_streams *streams;  /* by message; NULL: none is known */
	size_t n, cap;
	struct mer_spill *spill; /* borrowed */
	uint64_t
		n_duplicates; /* packets seen again: bridges, virtual interfaces, retransmissions */
	uint64_t n_reordered; /* received before one that was sent earlier */
	uint64_t n_unmatched; /* sent to an address of link.to, and not seen there */
};

struct sync_host_counts {
	uint64_t n_sent, n_received; /* events that could be one end of a message */
	uint64_t n_unmatched_sent, n_unmatched_received, n_duplicates;
	uint64_t n_too_old;	/* of the unmatched: given up because too many were pending */
	uint64_t n_without_key; /* events without the fields that identify a message */
	uint64_t n_entries;	/* of vCPUs into guests: it runs virtual machines */
};

/* A TCP segment with data, or that opens a connection, of which only one end was seen: it was lost
 * on its way to a recorded host, or its other end is a host that was not recorded. */
struct sync_single {
	int64_t time; /* clock of the host that sent or received it */
	uint32_t host;
	uint32_t source, destination; /* sync_endpoint */
	bool is_send, opens;	      /* opens: SYNC_OPENS, else SYNC_DATA */
	bool leaves;		      /* is_send, to a host that is not known to be recorded */
};

enum { SYNC_RECENT = 256, SYNC_RECENT_LINKS = 64 };

struct sync_rounds; /* sync/rounds/rounds.h */

struct sync_messages {
	/* Only links with messages or counts. By from, then to, once finished. */
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
	/* Address and port of the endpoints in streams; IPv4 only. */
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
/* The link, made if it does not exist; NULL: no memory. The pointer is valid until the next
 * call. */
struct sync_link *sync_messages_link(struct sync_messages *m, uint32_t from, uint32_t to);
/* Notes the IPv4 address and port of an endpoint. False: no memory. */
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
/* The same for a message whose streams are known. */
int sync_link_add_in(struct sync_link *l, struct sync_message msg, enum sync_kind kind,
	struct sync_streams streams, struct mer_err *err);
/* After the last message: sorts each link's messages, counts the reordered. */
int sync_messages_finish(struct sync_messages *m, struct mer_err *err);

#endif
