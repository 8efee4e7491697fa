/* Probes: dynamic events of group "mer" for data that the kernel's tracepoints do not have.
 *
 * Headers of packets (tx, rx), names of files and programs (open, exec), and what file descriptors
 * refer to (connect, accept, acceptfd, send, recv, sendto). Each has definitions for several kinds
 * of probes; a host gets the first one that its kernel accepts, and none if it accepts none.
 * Offsets of structure fields differ between kernels: they come from the host's own BTF (btf.h),
 * and a definition that needs an unknown offset is left out. */
#ifndef MER_RECORD_PROBES_H
#define MER_RECORD_PROBES_H

#include "base/str.h"
#include "record/facts.h"

#define RECORD_PROBE_GROUP "mer"

struct record_skb { /* offsets in struct sk_buff, in bytes; -1: unknown */
	int64_t data, len;
};

/* The number of the probe "mer:tx", or -1. */
int record_probe_find(const char *event);
/* Writes the line for dynamic_events; false: no definition of that kind, or a needed offset is
 * unknown. */
bool record_probe_define(size_t i, enum record_probe_kind kind, const struct record_skb *skb,
	const char *architecture, struct mer_str *out);

/* Which data the host's recording will have, given the kinds that it accepts. */
struct record_rung {
	bool headers, names; /* packet headers; names of files, programs and descriptors: all or
				some */
	enum record_probe_kind headers_by;
};
struct record_rung record_rung_of(const struct record_facts *f, const struct record_skb *skb);

#endif
