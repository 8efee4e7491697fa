/* Own: which address of a link is that of the machine that recorded it, where neither the file nor
 * the link's headers say which packets it sent.
 *
 * It is in all packets that the machine sent or received, so the address that is in most of them.
 * On a link to one other machine both are in all: then the one counts whose packets are shorter
 * than a link allows (they were recorded before they were padded), or that answers at once in
 * handshakes of TCP. */
#ifndef MER_PCAP_OWN_H
#define MER_PCAP_OWN_H

#include "base/str.h"
#include "pcap/packet.h"

struct pcap_own;

struct pcap_own *pcap_own_new(void);
void pcap_own_free(struct pcap_own *o); /* NULL is fine */

/* Looks at a packet whose way is not known. False: memory is out. */
bool pcap_own_look(struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h);
/* After all were looked at. */
void pcap_own_decide(struct pcap_own *o);
/* The way of such a packet; unknown: it is not this machine's. */
enum pcap_way pcap_own_way(
	const struct pcap_own *o, const struct pcap_packet *p, const struct pcap_headers *h);

/* The addresses that were taken, as text: sure, and such as may be the other machine's. */
void pcap_own_tell(const struct pcap_own *o, struct mer_str *sure, struct mer_str *guessed);

#endif
