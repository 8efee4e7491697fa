#include "copied/packet_headers.h"

#include <string.h>

enum { UNKNOWN, IPV4, IPV6 };	     /* network_header_type */
enum { TCP = 1, UDP = 2, ICMP = 3 }; /* transport_header_type */
enum { IPV4_BYTES = 20, IPV6_BYTES = 40, TCP_BYTES = 20, UDP_BYTES = 8, ICMP_BYTES = 8 };
enum { PROTOCOL_ICMP = 1, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

/* ---- the fields ---- */

struct member {
	const char *name;
	uint8_t bits, base;
	uint8_t n; /* elements; 0: it is no array */
};
#define DEC(name, bits)                                                                            \
	{                                                                                          \
		name, bits, 10, 0                                                                  \
	}
#define HEX(name, bits)                                                                            \
	{                                                                                          \
		name, bits, 16, 0                                                                  \
	}

static const struct member ipv4[] = { DEC("version", 4), DEC("ihl", 4), DEC("tos", 8),
	DEC("tot_len", 16), HEX("id", 16), DEC("frag_off", 16), DEC("ttl", 8), DEC("protocol", 8),
	HEX("checksum", 16), { "saddr", 8, 10, 4 }, { "daddr", 8, 10, 4 } };
static const struct member ipv6[] = { DEC("version", 4), DEC("prio", 4), { "flow_lbl", 8, 16, 3 },
	DEC("payload_len", 16), DEC("nexthdr", 8), DEC("hop_limit", 8), { "saddr", 16, 16, 8 },
	{ "daddr", 16, 16, 8 } };
static const struct member tcp[] = { DEC("source_port", 16), DEC("dest_port", 16), DEC("seq", 32),
	DEC("ack_seq", 32), DEC("data_offset", 4), DEC("reserved", 3), HEX("flags", 9),
	DEC("window_size", 16), HEX("checksum", 16), DEC("urg_ptr", 16) };
static const struct member udp[] = { DEC("source_port", 16), DEC("dest_port", 16), DEC("len", 16),
	DEC("check", 16) };
static const struct member icmp[] = { DEC("type", 8), DEC("code", 8), DEC("checksum", 16),
	DEC("gateway", 32) };
#define ALL_OF(members) members, sizeof(members) / sizeof((members)[0])

static struct ctf_fc *structure(struct mer_arena *a, const struct member *members, size_t n)
{
	struct ctf_fc *all = ctf_new_struct(a, 8);
	for (size_t i = 0; i < n; i++) {
		const struct member *m = &members[i];
		unsigned align = m->bits % 8 == 0 ? 8 : m->bits % 4 == 0 ? 4 : 1;
		struct ctf_fc *fc = ctf_new_int(a, m->bits, false, align, CTF_BE);
		if (!fc)
			return NULL;
		fc->u.bits.base = m->base;
		ctf_struct_add(a, all, m->name, m->n ? ctf_new_array(a, fc, m->n) : fc);
	}
	return all;
}

static const char *const networks[] = { "unknown", "ipv4", "ipv6" };
static const char *const transports[] = { "unknown", "tcp", "udp", "icmp" };

/* Adds an enumeration `type`, and a variant `name` of which it selects an option. */
static void add_choice(struct mer_arena *a, struct ctf_schema *s, struct ctf_fc *to,
	const char *type, const char *name, const char *const *names, struct ctf_fc **options,
	unsigned n)
{
	struct ctf_fc *which = ctf_new_int(a, 8, false, 8, CTF_BE), *one = ctf_new_variant(a);
	for (unsigned i = 0; i < n; i++) {
		ctf_enum_add(a, which, names[i], i, i);
		ctf_variant_add(a, one, names[i], options[i], i, i);
	}
	struct ctf_field *selector = ctf_struct_add(a, to, type, which);
	if (!selector || !one || !ctf_refer(s, one, selector)) {
		a->failed = true;
		return;
	}
	ctf_struct_add(a, to, name, one);
}

static void add_transport(struct mer_arena *a, struct ctf_schema *s, struct ctf_fc *network)
{
	struct ctf_fc *options[] = { ctf_new_struct(a, 8), structure(a, ALL_OF(tcp)),
		structure(a, ALL_OF(udp)), structure(a, ALL_OF(icmp)) };
	add_choice(a, s, network, "transport_header_type", "transport_header", transports, options,
		sizeof(options) / sizeof(options[0]));
}

void copied_add_headers(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload)
{
	struct ctf_fc *options[] = { ctf_new_struct(a, 8), structure(a, ALL_OF(ipv4)),
		structure(a, ALL_OF(ipv6)) };
	add_transport(a, schema, options[IPV4]);
	add_transport(a, schema, options[IPV6]);
	add_choice(a, schema, payload, "network_header_type", "network_header", networks, options,
		sizeof(options) / sizeof(options[0]));
}

/* ---- their bytes ---- */

static size_t put_transport(uint8_t protocol, const uint8_t *data, size_t n, uint8_t *out)
{
	size_t len = 0;
	out[0] = UNKNOWN;
	if (protocol == PROTOCOL_TCP && n >= TCP_BYTES) {
		out[0] = TCP;
		len = TCP_BYTES;
	} else if (protocol == PROTOCOL_UDP && n >= UDP_BYTES) {
		out[0] = UDP;
		len = UDP_BYTES;
	} else if (protocol == PROTOCOL_ICMP && n >= ICMP_BYTES) {
		out[0] = ICMP;
		len = ICMP_BYTES;
	}
	memcpy(out + 1, data, len);
	return 1 + len;
}

static size_t put_ipv4(const uint8_t *ip, size_t n, uint8_t *out)
{
	size_t head = (ip[0] & 15u) * 4u;
	size_t total = (size_t)ip[2] << 8 | ip[3]; /* 0: too long for the field */
	bool is_later = (ip[6] & 0x1f) || ip[7];   /* not the first fragment */
	if (head < IPV4_BYTES || (total && total < head))
		return 0;
	n = total && total < n ? total : n;
	memcpy(out, ip, IPV4_BYTES);
	bool has_more = head < n && !is_later;
	return IPV4_BYTES + put_transport(has_more ? ip[9] : 0, ip + (has_more ? head : 0),
				    has_more ? n - head : 0, out + IPV4_BYTES);
}

static size_t put_ipv6(const uint8_t *ip, size_t n, uint8_t *out)
{
	size_t total = IPV6_BYTES + ((size_t)ip[4] << 8 | ip[5]); /* payload length 0: unknown */
	uint8_t next = ip[6] == PROTOCOL_ICMP ? 0 : ip[6];	  /* 1 is the ICMP of IPv4 */
	n = total > IPV6_BYTES && total < n ? total : n;
	memcpy(out, ip, IPV6_BYTES);
	return IPV6_BYTES + put_transport(next, ip + IPV6_BYTES, n - IPV6_BYTES, out + IPV6_BYTES);
}

size_t copied_put_headers(const uint8_t *ip, size_t n, uint8_t *out)
{
	unsigned version = n ? ip[0] >> 4 : 0;
	size_t len = 0;
	out[0] = UNKNOWN;
	if (version == 4 && n >= IPV4_BYTES) {
		len = put_ipv4(ip, n, out + 1);
		out[0] = len ? IPV4 : UNKNOWN;
	} else if (version == 6 && n >= IPV6_BYTES) {
		len = put_ipv6(ip, n, out + 1);
		out[0] = IPV6;
	}
	return 1 + len;
}
