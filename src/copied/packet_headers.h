/* Packet headers: the first bytes of an IP packet as the fields that LTTng's net_dev_queue and
 * net_if_receive_skb have of it: network_header_type, and network_header with the transport's
 * header within. What reads packets then reads those of any tracer. */
#ifndef MER_COPIED_PACKET_HEADERS_H
#define MER_COPIED_PACKET_HEADERS_H

#include "ctf/writer.h"

/* A type, IPv6's header, a type, and TCP's. */
enum { COPIED_HEADERS_MOST = 1 + 40 + 1 + 20 };

/* Adds the fields to a payload. Everything is in arena; a->failed tells if memory is out. */
void copied_add_headers(struct mer_arena *a, struct ctf_schema *schema, struct ctf_fc *payload);

/* The bytes of these fields, of a packet whose n bytes from the IP header on are known (0: nothing
 * is): how many were written. What is no IP packet, or is cut within its headers, is "unknown", as
 * is the transport of a later fragment and of a packet with extension headers. out has room for
 * COPIED_HEADERS_MOST. */
size_t copied_put_headers(const uint8_t *ip, size_t n, uint8_t *out);

#endif
