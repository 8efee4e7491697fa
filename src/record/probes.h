/* Probes: what the tracepoints of a kernel leave out, as dynamic events of group "mer".
 *
 * Headers of packets (tx, rx), names of files and programs (open, exec), and what descriptors stand
 * for (connect, accept, acceptfd, send, recv, sendto). Each has definitions for the kinds of probes
 * that kernels accept; a host gets the first that it takes, and goes without where it takes none.
 * Where structures of the kernel have their fields differs between kernels: it comes from the
 * host's own BTF (btf.h), and a definition that needs it is left out where that is not known. */
#ifndef MER_RECORD_PROBES_H
#define MER_RECORD_PROBES_H

#include "base/str.h"
#include "record/facts.h"

#define RECORD_PROBE_GROUP "mer"

struct record_skb { /* offsets in struct sk_buff, in bytes; -1: not known */
	int64_t data, len;
};

/* "mer:tx": its number, or -1. */
int record_probe_find(const char *event);
/* The line for dynamic_events; false: there is none of that kind, of what is known. */
bool record_probe_define(size_t i, enum record_probe_kind kind, const struct record_skb *skb,
	const char *architecture, struct mer_str *out);

/* What the host's recording will have, by the kinds that it accepts. */
struct record_rung {
	bool headers, names; /* of packets; of files, programs and descriptors: all or some */
	enum record_probe_kind headers_by;
};
struct record_rung record_rung_of(const struct record_facts *f, const struct record_skb *skb);

#endif
