/* Read: a capture of packets into a copy: a trace of one host whose events are the packets that it
 * sent and received, with their headers as LTTng has them (net_dev_queue, net_if_receive_skb). */
#ifndef MER_PCAP_READ_H
#define MER_PCAP_READ_H

#include "base/err.h"

/* Writes the copy FOLDER/0 and FOLDER/notes. id: of the recording. */
int pcap_read(const char *path, const char *folder, uint64_t id, struct mer_err *err);

#endif
