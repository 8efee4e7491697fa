/* Capture: the packets of a pcap or pcapng file, in the order of the file.
 *
 *   pcap    header, then for each packet: time, captured length, original length, bytes
 *   pcapng  blocks: sections (each with its own byte order), interfaces, packets, drop counts
 *
 * Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; the numbers of link types are those of
 * tcpdump.org/linktypes.html. */
#ifndef MER_PCAP_CAPTURE_H
#define MER_PCAP_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ftrace/bytes.h"

enum pcap_link {
	PCAP_NULL = 0,
	PCAP_ETHERNET = 1,
	PCAP_RAW = 101,
	PCAP_LOOP = 108,
	PCAP_SLL = 113,
	PCAP_IPV4 = 228,
	PCAP_IPV6 = 229,
	PCAP_SLL2 = 276
};

enum pcap_way { PCAP_WAY_UNKNOWN, PCAP_RECEIVED, PCAP_SENT };

struct pcap_packet {
	int64_t time; /* ns since 1970 */
	uint32_t link, interface;
	enum pcap_way way; /* direction, if the file has it */
	const uint8_t *data;
	uint32_t size, full_size; /* captured and original length */
	bool is_be;		  /* byte order of the section; DLT_NULL headers use it, too */
};

enum { PCAP_MAX_INTERFACES = 256, PCAP_NAME = 16 };

struct pcap_interface {
	uint32_t link;
	uint64_t units_per_s; /* units per second of its times */
	int64_t offset_s;
	char name[PCAP_NAME]; /* empty: not said */
};

struct pcap_capture {
	struct ftrace_bytes b;
	bool is_ng, is_done;
	struct pcap_interface interfaces[PCAP_MAX_INTERFACES];
	uint32_t n_interfaces;
	/* What was found so far. */
	bool is_cut, is_damaged;
	uint64_t n_without_time, n_dropped;
};

bool pcap_capture_is(const void *head, size_t size);
/* Positions before the first packet. */
int pcap_capture_open(
	struct pcap_capture *c, const uint8_t *data, size_t size, struct mer_err *err);
/* The next packet. False: there are no more. */
bool pcap_capture_next(struct pcap_capture *c, struct pcap_packet *p);

#endif
