/* Own: finds which address of a link belongs to the recording machine, if neither the file nor the
 * link headers tell which packets it sent.
 *
 * The machine's address is in all packets that it sent or received, so it is the address that is
 * in most packets. On a link with only one other machine both addresses are in all packets. Then
 * the own address is the one whose packets are shorter than the link's minimum (they were captured
 * before padding), or the one that answers immediately in TCP handshakes. */
#ifndef MER_PCAP_OWN_H
#define MER_PCAP_OWN_H

#include "base/str.h"
#include "pcap/packet.h"

struct pcap_own;

struct pcap_own *pcap_own_new(void);
void pcap_own_free(struct pcap_own *o); /* NULL is allowed */

/* Looks at a packet of unknown direction. False: out of memory. */
bool pcap_own_look(struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h);
/* Call it after all packets were looked at. */
void pcap_own_decide(struct pcap_own *o);
/* The direction of such a packet; unknown: neither sent nor received by this machine. */
enum pcap_way pcap_own_way(
	const struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h);

/* The chosen addresses as text: the certain ones, and those that may be the other machine's. */
void pcap_own_tell(const struct pcap_own *o, struct mer_str *sure, struct mer_str *guessed);

#endif
