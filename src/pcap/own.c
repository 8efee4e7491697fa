#include "pcap/own.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

enum kind { MAC, V4, V6, N_KINDS };
enum {
	N_GROUPS = PCAP_MAX_INTERFACES * N_KINDS,
	MAX_ADDRESSES = 1 << 16,
	N_HANDSHAKES = 1024,
	PADDED = 60 /* bytes of a padded Ethernet frame; only sent frames are captured shorter */
};

struct address {
	uint8_t bytes[16];
	uint32_t group;
	uint64_t n_packets;
	uint64_t n_votes; /* for this one as the host's own */
};

struct group {
	uint64_t n_packets;
	uint32_t own;	/* of addresses, plus 1; 0: none */
	uint32_t first; /* the source of the first packet, plus 1 */
	bool is_guessed;
};

struct handshake {
	uint64_t key;
	uint32_t client, server; /* addresses, plus 1 */
	int64_t syn, answer;
};

struct pcap_own {
	struct mer_map map; /* -> addresses, plus 1 */
	struct address *addresses;
	size_t n, cap;
	struct group groups[N_GROUPS];
	struct handshake handshakes[N_HANDSHAKES];
};

struct pcap_own *pcap_own_new(void)
{
	return calloc(1, sizeof(struct pcap_own));
}

void pcap_own_free(struct pcap_own *o)
{
	if (!o)
		return;
	mer_map_fini(&o->map);
	free(o->addresses);
	free(o);
}

/* The addresses of a packet: MAC addresses if its link has them, otherwise those of IP. is_to_all:
 * the destination is a broadcast or multicast address. */
struct ends {
	enum kind kind;
	uint32_t len;
	const uint8_t *from, *to;
	bool is_to_all;
};

static bool ends_of(const struct pcap_headers *h, struct ends *e)
{
	if (h->macs) {
		*e = (struct ends){ MAC, 6, h->macs + 6, h->macs, h->macs[0] & 1 };
		return true;
	}
	if (h->version == 4) {
		*e = (struct ends){ V4, 4, h->ip + 12, h->ip + 16, h->ip[16] >= 224 };
		return true;
	}
	if (h->version == 6) {
		*e = (struct ends){ V6, 16, h->ip + 8, h->ip + 24, h->ip[24] == 0xff };
		return true;
	}
	return false;
}

static uint32_t group_of(const struct pcap_packet *p, enum kind kind)
{
	return p->interface % PCAP_MAX_INTERFACES * N_KINDS + kind;
}

static uint64_t key_of(uint32_t group, const uint8_t *bytes, uint32_t len)
{
	const uint64_t key[] = { group, mer_hash(bytes, len) };
	return mer_hash(key, sizeof(key));
}

/* The number of an address, plus 1; 0: it is unknown. */
static uint32_t find(const struct pcap_own *o, uint32_t group, const uint8_t *bytes, uint32_t len)
{
	const uint32_t *at = mer_map_get(&o->map, key_of(group, bytes, len));
	return at ? *at : 0;
}

static bool count(struct pcap_own *o, uint32_t group, const uint8_t *bytes, uint32_t len)
{
	if (!find(o, group, bytes, len) && o->n == MAX_ADDRESSES)
		return true;
	uint32_t *at = mer_map_put(&o->map, key_of(group, bytes, len));
	if (!at || !mer_grow(&o->addresses, o->n, &o->cap, sizeof(*o->addresses)))
		return false;
	if (!*at) {
		o->addresses[o->n] = (struct address){ .group = group };
		memcpy(o->addresses[o->n].bytes, bytes, len);
		*at = (uint32_t)++o->n;
	}
	o->addresses[*at - 1].n_packets++;
	return true;
}

static void vote(struct pcap_own *o, uint32_t address)
{
	if (address)
		o->addresses[address - 1].n_votes++;
}

/* SYN, SYN+ACK, ACK: the host that recorded them answers at once; an answer of the other one takes
 * a round trip. */
static void look_at_handshake(struct pcap_own *o, const struct pcap_packet *p,
	const struct pcap_headers *h, uint32_t from, uint32_t to)
{
	enum { SYN = 2, ACK = 16, BITS = 0x17, CLEARLY = 2 };
	unsigned flags = h->header[13] & BITS;
	uint32_t seq = ftrace_load32(h->header + 4, true), ack = ftrace_load32(h->header + 8, true);
	/* Identified by the client's initial sequence number and port. */
	uint64_t number = flags == SYN ? seq : flags == (SYN | ACK) ? ack - 1u : seq - 1u;
	const uint64_t of[] = { number, flags == (SYN | ACK)
						? (uint64_t)h->header[2] << 8 | h->header[3]
						: (uint64_t)h->header[0] << 8 | h->header[1] };
	uint64_t key = mer_hash(of, sizeof(of));
	struct handshake *s = &o->handshakes[key % N_HANDSHAKES];
	if (flags == SYN) {
		*s = (struct handshake){ .key = key, .client = from, .server = to, .syn = p->time };
	} else if (s->key != key || !s->client) {
		return;
	} else if (flags == (SYN | ACK)) {
		s->answer = p->time;
	} else if (flags == ACK && s->answer) {
		int64_t server = s->answer - s->syn, client = p->time - s->answer;
		if (server > CLEARLY * client && client >= 0)
			vote(o, s->client);
		else if (client > CLEARLY * server && server >= 0)
			vote(o, s->server);
		s->client = 0;
	}
}

bool pcap_own_look(struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h)
{
	struct ends e;
	if (!ends_of(h, &e))
		return true;
	uint32_t group = group_of(p, e.kind);
	if (!count(o, group, e.from, e.len) || (!e.is_to_all && !count(o, group, e.to, e.len)))
		return false;
	uint32_t from = find(o, group, e.from, e.len), to = find(o, group, e.to, e.len);
	struct group *g = &o->groups[group];
	if (g->n_packets++ == 0)
		g->first = from;
	if (e.kind == MAC && p->full_size < PADDED)
		vote(o, from);
	if (h->transport == PCAP_TCP)
		look_at_handshake(o, p, h, from, to);
	return true;
}

/* Does the address have about as many packets as the most frequent one? */
static bool is_as_frequent(const struct address *a, const struct address *best)
{
	return a->n_packets >= best->n_packets - best->n_packets / 50;
}

static void decide(struct pcap_own *o, struct group *g, uint32_t group)
{
	const struct address *best = NULL, *own = NULL;
	for (size_t i = 0; i < o->n; i++)
		if (o->addresses[i].group == group &&
			(!best || o->addresses[i].n_packets > best->n_packets))
			best = &o->addresses[i];
	if (!best)
		return;
	unsigned n_best = 0;
	for (size_t i = 0; i < o->n; i++) {
		const struct address *a = &o->addresses[i];
		if (a->group != group || !is_as_frequent(a, best))
			continue;
		if (!own || a->n_votes > own->n_votes) {
			own = a;
			n_best = 0;
		}
		n_best += a->n_votes == own->n_votes;
	}
	g->is_guessed = n_best > 1;
	if (g->is_guessed && g->first && is_as_frequent(&o->addresses[g->first - 1], best) &&
		o->addresses[g->first - 1].n_votes == own->n_votes)
		own = &o->addresses[g->first - 1];
	g->own = (uint32_t)(own - o->addresses) + 1;
}

void pcap_own_decide(struct pcap_own *o)
{
	for (uint32_t i = 0; i < N_GROUPS; i++)
		if (o->groups[i].n_packets)
			decide(o, &o->groups[i], i);
}

enum pcap_way pcap_own_way(
	const struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h)
{
	struct ends e;
	if (!ends_of(h, &e))
		return PCAP_WAY_UNKNOWN;
	uint32_t group = group_of(p, e.kind), own = o->groups[group].own;
	if (own && find(o, group, e.from, e.len) == own)
		return PCAP_SENT;
	return own && (e.is_to_all || find(o, group, e.to, e.len) == own) ? PCAP_RECEIVED
									  : PCAP_WAY_UNKNOWN;
}

void pcap_own_tell(const struct pcap_own *o, struct mer_str *sure, struct mer_str *guessed)
{
	for (uint32_t i = 0; i < N_GROUPS; i++) {
		const struct group *g = &o->groups[i];
		struct mer_str *to = g->is_guessed ? guessed : sure;
		char text[INET6_ADDRSTRLEN];
		if (!g->own)
			continue;
		const uint8_t *b = o->addresses[g->own - 1].bytes;
		mer_str_puts(to, to->len ? ", " : "");
		if (i % N_KINDS == MAC)
			mer_str_printf(to, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3],
				b[4], b[5]);
		else
			mer_str_puts(to, inet_ntop(i % N_KINDS == V4 ? AF_INET : AF_INET6, b, text,
						 sizeof(text)));
	}
}
