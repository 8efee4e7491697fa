/* Read: converts a capture into a trace of one host. Its events are the packets that the host sent
 * and received, with their headers as in LTTng's events (net_dev_queue, net_if_receive_skb). */
#ifndef MER_PCAP_READ_H
#define MER_PCAP_READ_H

#include "base/err.h"

/* Writes the copy FOLDER/0 and FOLDER/notes. id: identifies the recording. */
int pcap_read(const char *path, const char *folder, uint64_t id, struct mer_err *err);

#endif
