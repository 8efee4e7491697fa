/* Connections: which descriptors are the two ends of one, and whose bytes its readers got. Found
 * when all hosts are read. */
#ifndef MER_ANALYSIS_RELATIONS_CONNECTIONS_H
#define MER_ANALYSIS_RELATIONS_CONNECTIONS_H

#include "analysis/relations/state.h"

struct relation_end {  /* a flow that is an end of a connection */
	uint64_t key;  /* of both its endpoints, whichever way */
	int64_t begin; /* of the flow */
	uint32_t host, flow, local;
	bool opened; /* by connect */
};

struct relation_connections { /* zeroed: none */
	const struct analysis_run *run;
	struct relation_end *ends; /* by connection, then by begin */
	size_t n, cap;
	struct mer_map first; /* key -> its first end, plus 1 */
	struct mer_map udp;   /* host and endpoint -> flow there, plus 1 */
};

/* Fills c, to be freed with relation_connections_fini in any case. False: no memory; so below. */
bool relation_connections_find(struct relation_connections *c, const struct analysis_run *run);
void relation_connections_fini(struct relation_connections *c);
/* Adds edges for all that was written to connections of which both ends are known, with objects as
 * numbers in texts; their flows are then is_joined. */
bool relation_connections_give(
	const struct relation_connections *c, struct relation_set *set, struct mer_intern *texts);

/* What the packet's connection is called: as the one who opened it said; "": not known. */
const char *relation_connection_name(
	const struct relation_connections *c, const struct kernel_bridge *p);
/* Is that an address, and not only a socket? */
bool relation_is_address(const char *name);
/* The end of the lower port, as servers have it: what a connection is called that was opened before
 * the recording. In text; "": neither is known. */
const char *relation_name_between(
	const struct kernel_world *w, uint32_t a, uint32_t b, char text[KERNEL_ENDPOINT_BYTES]);
/* The task that wrote last, before the packet was sent, at the end that sent it. False: not
 * known. */
bool relation_connection_writer(
	const struct relation_connections *c, const struct kernel_bridge *p, uint32_t *task);
/* The flow at the address that the datagram went to; NULL: not known. */
const struct relation_flow *relation_udp_reader(
	const struct relation_connections *c, const struct kernel_bridge *p);

#endif
