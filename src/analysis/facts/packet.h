/* Facts about packets, as the hosts saw them. */
#ifndef MER_ANALYSIS_FACTS_PACKET_H
#define MER_ANALYSIS_FACTS_PACKET_H

#include "analysis/fact.h"

enum net_way { NET_RECEIVED, NET_SENT };

enum packet_mark {
	PACKET_IN_INTERRUPT = 1,
	PACKET_FIRST = 2,     /* the first event at this end; there may be several */
	PACKET_HAS_OTHER = 4, /* an event at the other end exists */
};

/* An event of a packet. It begins when the packet was sent and ends when it arrived, if both
 * times are known; otherwise both are the time of the event. */
struct packet {
	struct fact
		fact;  /* choice: enum net_way; task KERNEL_NONE: in an interrupt, or not known */
	int64_t bytes; /* without the link-layer header; FACT_UNKNOWN: not recorded */
	/* index in kernel_world.bridges; KERNEL_NONE: its other end is not known */
	uint32_t packet;
	uint32_t peer;	 /* the other end's host; KERNEL_NONE */
	uint32_t host;	 /* host that saw it */
	uint32_t device; /* a name; KERNEL_NONE: not recorded */
	/* The event at the other end. */
	uint32_t other_task; /* task of the peer host; KERNEL_NONE */
	uint16_t other_cpu;  /* KERNEL_NO_CPU */
	/* length of the link-layer header, for packets that the device sends */
	uint16_t header_bytes;
	uint8_t marks; /* bits of enum packet_mark */
	uint8_t unused[7];
};

/* Hosts were read apart, and packets of each know nothing of the event at the other end: they
 * become as if the hosts had been read together. facts: by host, n each, in the order in which they
 * were made. */
struct kernel_world;
int packets_join(const struct kernel_world *w, struct packet *const *facts, const size_t *n,
	struct mer_err *err);

/* Time of the event at this end. */
static inline int64_t packet_at(const struct fact *f)
{
	return f->choice == NET_SENT ? f->begin : f->end;
}

#endif
