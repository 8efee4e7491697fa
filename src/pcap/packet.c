#include "pcap/packet.h"

#include <string.h>

enum { ETHERNET = 14, IPV4_HEADER = 20, IPV6_HEADER = 40, VLAN = 4 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd };

static uint16_t be16(const uint8_t *p)
{
	return ftrace_load16(p, true);
}

/* Skips VLAN tags; returns the type of what follows. */
static uint16_t skip_tags(const struct pcap_packet *p, uint16_t type, uint32_t *at)
{
	while ((type == 0x8100 || type == 0x88a8 || type == 0x9100) && *at + VLAN <= p->size) {
		type = be16(p->data + *at + 2);
		*at += VLAN;
	}
	return type;
}

/* The packet type of Linux' cooked captures: sent, received, or for another host. */
static void take_type(struct pcap_headers *h, unsigned type)
{
	enum { HOST = 0, BROADCAST = 1, MULTICAST = 2, OTHER_HOST = 3, OUTGOING = 4 };
	if (h->way == PCAP_WAY_UNKNOWN)
		h->way = type == OUTGOING    ? PCAP_SENT
			 : type <= MULTICAST ? PCAP_RECEIVED
					     : PCAP_WAY_UNKNOWN;
	h->is_for_others = type == OTHER_HOST;
	h->is_to_all = type == BROADCAST || type == MULTICAST;
}

/* Where the IP header begins, and its type by the link's header. False: the link is not known. */
static bool skip_link(
	const struct pcap_packet *p, struct pcap_headers *h, uint32_t *at, uint16_t *type)
{
	const uint8_t *d = p->data;
	*type = 0;
	switch (p->link) {
	case PCAP_ETHERNET:
		*at = ETHERNET;
		if (p->size < ETHERNET)
			return true;
		h->macs = d;
		h->is_to_all = d[0] & 1;
		h->is_loop = memcmp(d, "\0\0\0\0\0\0\0\0\0\0\0\0", 12) == 0;
		*type = skip_tags(p, be16(d + 12), at);
		return true;
	case PCAP_SLL:
		*at = 16;
		if (p->size < *at)
			return true;
		take_type(h, be16(d));
		*type = skip_tags(p, be16(d + 14), at);
		return true;
	case PCAP_SLL2:
		*at = 20;
		if (p->size < *at)
			return true;
		take_type(h, d[10]);
		h->device = ftrace_load32(d + 4, true);
		*type = skip_tags(p, be16(d), at);
		return true;
	case PCAP_NULL:
	case PCAP_LOOP: {
		/* The family's numbers differ between systems; the version in the IP header says
		 * it. */
		*at = 4;
		h->is_loop = true;
		break;
	}
	case PCAP_RAW:
	case PCAP_IPV4:
	case PCAP_IPV6:
	/* DLT_RAW of some systems */
	case 12:
	case 14: *at = 0; break;
	default: return false;
	}
	if (p->size > *at)
		*type = d[*at] >> 4 == 4 ? TYPE_IPV4 : d[*at] >> 4 == 6 ? TYPE_IPV6 : 0;
	return true;
}

/* Takes the transport header, if the capture has all of it. end: of the packet, by its own length,
 * as frames are padded. ICMPv6 is left out, as LTTng has no such header. */
static void take_transport(const struct pcap_packet *p, struct pcap_headers *h, unsigned protocol,
	uint64_t at, uint64_t end)
{
	enum { ICMP = 1, TCP = 6, UDP = 17 };
	enum pcap_transport t = protocol == TCP			      ? PCAP_TCP
				: protocol == UDP		      ? PCAP_UDP
				: protocol == ICMP && h->version == 4 ? PCAP_ICMP
								      : PCAP_NO_TRANSPORT;
	uint64_t needed = at + (t == PCAP_TCP ? 20 : 8);
	if (t == PCAP_NO_TRANSPORT || needed > end)
		return;
	h->is_short = needed > p->size;
	if (h->is_short)
		return;
	h->transport = t;
	h->header = p->data + at;
}

static void take_ipv4(const struct pcap_packet *p, struct pcap_headers *h, uint32_t at)
{
	const uint8_t *ip = p->data + at;
	h->is_short = at + IPV4_HEADER > p->size;
	if (h->is_short || ip[0] >> 4 != 4)
		return;
	h->version = 4;
	h->ip = ip;
	/* All fragments except the first have data in the place of the header. */
	uint32_t head = (ip[0] & 15u) * 4, total = be16(ip + 2);
	if (head >= IPV4_HEADER && (be16(ip + 6) & 0x1fff) == 0)
		take_transport(p, h, ip[9], (uint64_t)at + head,
			total ? (uint64_t)at + total : UINT64_MAX);
}

static void take_ipv6(const struct pcap_packet *p, struct pcap_headers *h, uint32_t at)
{
	const uint8_t *ip = p->data + at;
	h->is_short = at + IPV6_HEADER > p->size;
	if (h->is_short || ip[0] >> 4 != 6)
		return;
	h->version = 6;
	h->ip = ip;
	uint32_t payload = be16(ip + 4);
	take_transport(p, h, ip[6], (uint64_t)at + IPV6_HEADER,
		payload ? (uint64_t)at + IPV6_HEADER + payload : UINT64_MAX);
}

bool pcap_headers_of(const struct pcap_packet *p, struct pcap_headers *h)
{
	uint32_t at;
	uint16_t type;
	*h = (struct pcap_headers){ .way = p->way };
	if (!skip_link(p, h, &at, &type))
		return false;
	h->link_bytes = h->is_loop && !h->macs ? 0 : at == 16 || at == 20 ? ETHERNET : at;
	h->full_size = p->full_size > at ? p->full_size - at : 0;
	if (type == TYPE_IPV4)
		take_ipv4(p, h, at);
	else if (type == TYPE_IPV6)
		take_ipv6(p, h, at);
	return true;
}
