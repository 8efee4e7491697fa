/* Layout: the schema of a capture's copy. */
#ifndef MER_PCAP_LAYOUT_H
#define MER_PCAP_LAYOUT_H

#include "ctf/writer.h"

/* Event ids of stream 0. */
enum { PCAP_EVENT_SEND, PCAP_EVENT_RECEIVE, PCAP_N_EVENTS };

/* One stream of the events net_dev_queue and net_if_receive_skb, whose fields are those of LTTng:
 * skbaddr, len, name, and headers (copied/packet_headers.h). form: format of the capture. All in
 * the arena; NULL: no memory. */
struct ctf_schema *pcap_layout(struct mer_arena *a, const char *form);

#endif
