/* Layout: the metadata of a capture's copy, as text. */
#ifndef MER_PCAP_LAYOUT_H
#define MER_PCAP_LAYOUT_H

/* A trace with the classes of events net_dev_queue (0) and net_if_receive_skb (1). */
extern const char pcap_layout[];

enum { PCAP_EVENT_SEND, PCAP_EVENT_RECEIVE };

#endif
