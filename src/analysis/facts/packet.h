/* Facts of packets, as the hosts saw them. */
#ifndef MER_ANALYSIS_FACTS_PACKET_H
#define MER_ANALYSIS_FACTS_PACKET_H

#include "analysis/fact.h"

enum net_way { NET_RECEIVED, NET_SENT };

enum packet_mark {
	PACKET_IN_INTERRUPT = 1,
	PACKET_FIRST = 2,     /* of the events at this end, which may be several */
	PACKET_HAS_OTHER = 4, /* an event at the other end was seen */
};

/* An event of a packet. It begins when the packet was sent and ends when it arrived, if both are
 * known; otherwise both are the event's time. */
struct packet {
	struct fact
		fact;	 /* choice: enum net_way; task KERNEL_NONE: in an interrupt, or not known */
	int64_t bytes;	 /* without the header of the link layer; FACT_UNKNOWN: not told */
	uint32_t packet; /* in kernel_world.bridges; KERNEL_NONE: its other end is not known */
	uint32_t peer;	 /* the other end's host; KERNEL_NONE */
	uint32_t host;	 /* that saw it */
	uint32_t device; /* a name; KERNEL_NONE: not told */
	/* Of the event at its other end. */
	uint32_t other_task;   /* of that host; KERNEL_NONE */
	uint16_t other_cpu;    /* KERNEL_NO_CPU */
	uint16_t header_bytes; /* of the link layer, of packets that the device sends */
	uint8_t marks;	       /* bits of enum packet_mark */
	uint8_t unused[7];
};

/* When the event was: at its own end. */
static inline int64_t packet_at(const struct fact *f)
{
	return f->choice == NET_SENT ? f->begin : f->end;
}

struct packet_link { /* an interface; all the time of the host */
	struct fact fact;
	uint32_t device; /* a name; KERNEL_NONE: not told */
	uint32_t header_bytes;
};

#endif
