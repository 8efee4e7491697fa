/* What the parts of the analysis "net" share: net_packet.c makes packets, net_pairs.c joins both ends of those that
 * are known to be the same, net_sockets.c counts what programs send and receive. */
#ifndef MER_ANALYSIS_REPORTS_NET_H
#define MER_ANALYSIS_REPORTS_NET_H

#include "analysis/analysis.h"
#include "analysis/fold.h"

enum net_way { NET_RECEIVED, NET_SENT };

/* An event of a packet. It begins when the packet was sent and ends when it arrived, if both are known;
 * otherwise both are the event's time. */
struct packet {
	struct fact
		fact; /* choice: enum net_way; task KERNEL_NONE: in an interrupt, or not known */
	int64_t at;   /* when the event was */
	int64_t flight_ns; /* FACT_UNKNOWN: its other end is not known */
	int64_t bytes;	   /* without the header of the link layer; FACT_UNKNOWN: not told */
	uint32_t packet;   /* in kernel_world.bridges; KERNEL_NONE: its other end is not known */
	uint32_t peer;	   /* the other end's host; KERNEL_NONE */
	uint32_t device;   /* a name; KERNEL_NONE: not told */
	uint16_t header_bytes; /* of the link layer, of packets that the device sends */
	uint16_t in_interrupt;
};

/* net_pairs.c: packets between hosts. */
struct net_ends {	      /* state of a host */
	struct net_end *ends; /* a block of the experiment's spill */
	size_t n, cap;
};
int net_take_packets(struct analysis_host *a, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n);
void net_free_ends(void *state);
enum net_pairs_output { NET_PAIRS, NET_PAIRS_STATS, NET_PAIRS_FREQ };
int net_emit_pairs(struct analysis_run *run, struct mer_table *t, enum net_pairs_output output);
extern const struct mer_column net_pairs_columns[], net_stats_columns[], net_freq_columns[];

/* net_sockets.c */
extern const struct mer_column net_sockets_columns[];
extern const struct fold net_sockets;

#endif
