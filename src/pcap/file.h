/* File: captures of tcpdump and others, pcap and pcapng, as a kind of recording that is converted
 * (copied/copied.h). */
#ifndef MER_PCAP_FILE_H
#define MER_PCAP_FILE_H

#include "copied/copied.h"

/* Does the file begin like a capture? Only regular files are opened. */
bool pcap_is_file(const char *path);
extern const struct copied_kind pcap_file;

#endif
