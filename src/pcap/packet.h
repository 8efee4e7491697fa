/* Packet: the headers of a captured packet. */
#ifndef MER_PCAP_PACKET_H
#define MER_PCAP_PACKET_H

#include "pcap/capture.h"

enum pcap_transport { PCAP_NO_TRANSPORT, PCAP_TCP, PCAP_UDP, PCAP_ICMP }; /* as LTTng counts */

struct pcap_headers {
	enum pcap_way way;   /* unknown: neither the file nor the link's header says it */
	bool is_for_others;  /* the link's header says so */
	bool is_to_all;	     /* broadcast or multicast of the link */
	bool is_loop;	     /* of a link that both ends of which are here */
	const uint8_t *macs; /* destination, source: 12 bytes; NULL: the link has none */
	uint32_t device;     /* its number; 0: not known */
	uint32_t link_bytes; /* in front of the IP header, as they are on an Ethernet link */
	uint32_t full_size;  /* of the IP packet, as it was */
	uint8_t version;     /* 4, 6; 0: it is no IP packet */
	const uint8_t *ip;   /* its fixed header: 20 bytes, or 40 */
	bool is_short;	     /* it had headers that the capture has not */
	enum pcap_transport transport;
	const uint8_t *header; /* of the transport: 20 bytes of TCP, 8 of the others */
};

/* False: nothing is known of such a link. */
bool pcap_headers_of(const struct pcap_packet *p, struct pcap_headers *h);

#endif
