/* Packet: the headers of a captured packet. */
#ifndef MER_PCAP_PACKET_H
#define MER_PCAP_PACKET_H

#include "pcap/capture.h"

enum pcap_transport { PCAP_NO_TRANSPORT, PCAP_TCP, PCAP_UDP, PCAP_ICMP }; /* as LTTng counts */

struct pcap_headers {
	enum pcap_way way;   /* direction; unknown: neither in the file nor in the link header */
	bool is_for_others;  /* addressed to another host, by the link header */
	bool is_to_all;	     /* broadcast or multicast of the link */
	bool is_loop;	     /* on a link with both ends on this host */
	const uint8_t *macs; /* destination, source: 12 bytes; NULL: the link has none */
	uint32_t device;     /* number of the network interface; 0: unknown */
	uint32_t link_bytes; /* bytes before the IP header, as on an Ethernet link */
	uint32_t full_size;  /* original length of the IP packet */
	uint8_t version;     /* 4, 6; 0: not an IP packet */
	const uint8_t *ip;   /* its fixed header: 20 bytes, or 40 */
	bool is_short;	     /* some of its headers were not captured */
	enum pcap_transport transport;
	const uint8_t *header; /* transport header: 20 bytes for TCP, 8 for others */
};

/* False: the link type is not supported. */
bool pcap_headers_of(const struct pcap_packet *p, struct pcap_headers *h);

#endif
