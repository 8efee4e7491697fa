/* Packet headers: converts the first bytes of an IP packet into the fields of LTTng's
 * net_dev_queue and net_if_receive_skb: network_header_type, and network_header with the transport
 * header inside. So packets of all tracers are read by the same code. */
#ifndef MER_COPIED_PACKET_HEADERS_H
#define MER_COPIED_PACKET_HEADERS_H

#include "ctf/writer.h"

/* A type, the IPv6 header, a type, and the TCP header. */
enum { COPIED_HEADERS_MOST = 1 + 40 + 1 + 20 };

/* Adds the fields to a payload. Everything is in the arena; a->failed: out of memory. */
void copied_add_headers(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload);

/* Writes these fields for a packet of which n bytes from the IP header on are known (0: none);
 * returns how many bytes were written. A packet that is not IP, or that is cut within its headers,
 * is "unknown"; so is the transport of a later fragment and of a packet with extension headers. out
 * has room for COPIED_HEADERS_MOST. */
size_t copied_put_headers(const uint8_t *ip, size_t n, uint8_t *out);

#endif
