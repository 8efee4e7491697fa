/* End: one end of a message, independent of the layout of the event that recorded it.
 *
 * seq and ack identify the message, for every kind: all layouts have them. The other members
 * distinguish messages that agree in these two; 0 means "not known". Two ends that differ in a
 * member that both know do not belong to one message.
 *
 *   TCP     seq, ack: of the header; flags: its nine flags, some layouts add the data offset
 *   UDP     seq: both ports; ack: identification and length of the IP header (without the first:
 *           (datagrams.h)
 *   ICMP    seq: rest of the header (echo: identifier and number); ack: as UDP; flags: type, code
 *   others  seq, ack: 64 bits that are the key's hash */
#ifndef MER_SYNC_MATCH_END_H
#define MER_SYNC_MATCH_END_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/messages.h"

enum { SYNC_FLAGS_MASK = 0x1ff, SYNC_SYN = 2, SYNC_RST = 4 };

struct sync_end {
	int64_t time;  /* ns, host's clock */
	uint32_t host; /* of the experiment */
	uint32_t hash; /* sync_hash of kind, seq, ack */
	uint32_t seq, ack;
	uint32_t addresses, ports; /* of the flow; addresses 0: no IP header was recorded */
	uint32_t from, to;	   /* hashes of the addresses */
	uint32_t stream;	   /* of its event, in the experiment */
	uint16_t flags, id, len;   /* id, len: identification and total length of the IP header */
	uint8_t head;		   /* TCP: bytes of len that are headers; 0: not known */
	uint8_t kind;		   /* enum sync_kind */
	bool is_send;
	bool is_local; /* a loopback address: it cannot leave its host */
	bool is_ipv4;  /* from and to are the addresses themselves */
};
_Static_assert(sizeof(struct sync_end) == 56, "bits would not make it smaller");

static inline uint32_t sync_hash(uint32_t kind, uint32_t a, uint32_t b)
{
	uint64_t x = ((uint64_t)a << 32 | b) + kind * 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 32) * 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
	return (uint32_t)(x >> 32);
}

/* An address and a port as one number, never 0. address: as in struct sync_end; an IPv4 one is
 * itself. */
static inline uint32_t sync_endpoint(uint32_t address, uint32_t port)
{
	uint32_t hash = sync_hash(2, address, port);
	return hash ? hash : 1;
}

/* Bytes of a TCP segment; 0 when not known. */
static inline uint32_t sync_payload(uint16_t len, uint8_t head)
{
	return head && len > head ? (uint32_t)len - head : 0;
}

#endif
