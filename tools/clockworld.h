/* clockworld: worlds (world.h) as the traces that their hosts would have recorded, with the truth.
 *
 *   clockworld.c          command line
 *   clockworld_packets.c  what is in a message: TCP sequence numbers, lengths, UDP, ICMP
 *   clockworld_write.c    a host's events, in the order of its clock, to a CTF trace
 *   clockworld_truth.c    truth.csv, steps.csv, messages.csv
 *
 * Traces are written with ctfgen's parts, a host at a time. Errors end the program. */
#ifndef CLOCKWORLD_H
#define CLOCKWORLD_H

#include "world.h"

enum layout {		  /* bits: what a host's tracer shows of TCP */
	LAYOUT_SKB = 1,	  /* lttng-modules 2.9 and later: net_dev_queue, net_if_receive_skb */
	LAYOUT_ADDONS = 2 /* lttng-modules' addons: inet_sock_local_out, inet_sock_local_in */
};

enum { MAX_LAYOUTS = 8 };

struct clockworld {
	struct world world;
	const char *dir;
	unsigned ctf_major;
	enum layout layouts[MAX_LAYOUTS]; /* host i has layouts[i % n_layouts] */
	unsigned n_layouts;
	unsigned n_cpus;
	double filler_hz; /* sched_switch events per second and CPU */
	double udp, icmp; /* part of the messages */
	bool offload;	  /* segmentation by the sender's device, merging by the receiver */
	bool write_messages;
	int64_t truth_every_ns;
	struct packet **packets; /* as the world's links and their messages */
};

enum protocol { PROTOCOL_ICMP = 1, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

struct packet {
	uint32_t seq, ack; /* TCP; ICMP: seq is that of the echo, ack its id */
	uint32_t payload;  /* bytes */
	uint16_t ip_id;	   /* of the first segment, the next have the next ones */
	uint16_t check;	   /* of UDP and TCP */
	uint8_t protocol;  /* enum protocol */
};

enum {
	MSS = 1448,	   /* bytes of TCP payload in a segment */
	SEGMENT_NS = 1200, /* between segments of an offloaded packet: 10 Gbit/s */
	BRIDGE_NS = 1500,  /* from a bridge to its device */
	N_PURPOSES =
		5000000, /* where purposes of random numbers begin that the world does not use */
};

void make_packets(struct clockworld *c);
void write_hosts(struct clockworld *c);
void write_truth(const struct clockworld *c);

/* "h3": with as many digits as the largest has. */
void host_name(const struct clockworld *c, uint32_t host, char *name, size_t size);
uint16_t port_of(const struct world_link *l, bool source);

_Noreturn void give_up(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *need(void *p); /* out of memory ends the program */

#endif
