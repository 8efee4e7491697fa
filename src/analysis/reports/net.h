/* What the parts of the analysis "net" share: net.c counts packets, net_pairs.c joins both ends of those that
 * are known to be the same, net_sockets.c counts what programs send and receive. */
#ifndef MER_ANALYSIS_REPORTS_NET_H
#define MER_ANALYSIS_REPORTS_NET_H

#include "analysis/bins.h"
#include "analysis/rows.h"

enum { NET_RECEIVED, NET_SENT, NET_N_WAYS };

struct net_device {
	uint32_t name; /* KERNEL_NONE: events that tell no device, nor any length */
	/* Of the link layer, in the length of what is sent: Ethernet's, unless packets of which both ends
	 * are known say another one. What is received has none any more. */
	int64_t header_bytes;
};

struct net_flow { /* packets of a task through a device; task KERNEL_NONE: in interrupts, or not known */
	uint32_t task, device;
	uint64_t packets[NET_N_WAYS], bytes[NET_N_WAYS]; /* bytes as the events tell them */
};

struct net_size { /* each different one once: there are few, and a packet needs two */
	uint32_t device, bytes;
};

struct net_end {			   /* of a packet whose other end is known */
	uint32_t packet : 31, is_send : 1; /* packet: in kernel_world.bridges */
	uint32_t size;			   /* in net_state.sizes */
};

struct net_socket { /* of a task */
	uint32_t task, name;
	bool is_unix; /* to a process of the same host: moves nothing over a network */
	uint64_t calls[NET_N_WAYS], bytes[NET_N_WAYS], errors;
	int64_t total_ns;
};

struct net_row { /* of the log */
	struct analysis_row row;
	uint32_t packet, bytes, device, task;
	uint16_t cpu;
	bool is_send, in_interrupt;
};

struct net_state {
	struct net_device *devices;
	size_t n_devices, cap_devices;
	struct mer_map device_map; /* name -> number, plus 1 */
	struct net_flow *flows;
	size_t n_flows, cap_flows;
	struct mer_map flow_map; /* task and device -> number, plus 1 */
	struct net_size *sizes;
	size_t n_sizes, cap_sizes;
	struct mer_map size_map; /* name of a device and bytes -> number, plus 1 */
	struct net_end *ends;	 /* a block of the experiment's spill */
	size_t n_ends, cap_ends;
	bool learned; /* the headers' bytes of its devices */
	struct net_socket *sockets;
	size_t n_sockets, cap_sockets;
	struct mer_map socket_map; /* task and name -> number, plus 1 */
	struct analysis_bins bins;
	struct analysis_series series; /* by flow and way: bytes as told, packets */
	struct analysis_rows log;
};

/* Bytes of packets without the header of the link layer. */
static inline uint64_t net_bytes(
	const struct net_device *d, int way, uint64_t packets, uint64_t bytes)
{
	uint64_t header = way == NET_SENT && bytes ? packets * (uint64_t)d->header_bytes : 0;
	return bytes > header ? bytes - header : 0;
}

/* net_pairs.c: after the last event. */
int net_learn_headers(struct analysis_run *run);
enum net_pairs_output { NET_PAIRS, NET_PAIRS_STATS, NET_PAIRS_FREQ };
int net_emit_pairs(struct analysis_run *run, struct mer_table *t, enum net_pairs_output output);
extern const struct mer_column net_pairs_columns[], net_stats_columns[], net_freq_columns[];

/* net_sockets.c */
int net_on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c);
void net_emit_sockets(struct analysis_run *run, struct mer_table *t);
extern const struct mer_column net_sockets_columns[];

#endif
