/* Connections: which two descriptors are the ends of a connection, and whose bytes the readers
 * got. Found when all hosts have been read. */
#ifndef MER_ANALYSIS_RELATIONS_CONNECTIONS_H
#define MER_ANALYSIS_RELATIONS_CONNECTIONS_H

#include "analysis/relations/state.h"

struct relation_end {  /* a flow that is an end of a connection */
	uint64_t key;  /* hash of both endpoints, the same for both directions */
	int64_t begin; /* begin of the flow */
	uint32_t host, flow, local;
	bool opened; /* by connect() */
};

struct relation_connections { /* zeroed: no connections */
	const struct analysis_run *run;
	struct relation_end *ends; /* sorted by connection, then by begin */
	size_t n, cap;
	struct mer_map first; /* key -> its first end, plus 1 */
	struct mer_map udp;   /* host and endpoint -> flow there, plus 1 */
};

/* Fills c; free it with relation_connections_fini whatever the result. False, here and below: no
 * memory. */
bool relation_connections_find(struct relation_connections *c, const struct analysis_run *run);
void relation_connections_fini(struct relation_connections *c);
/* Adds edges for everything written to connections whose ends are both known, with objects as
 * numbers in texts; sets is_joined of their flows. */
bool relation_connections_give(
	const struct relation_connections *c, struct relation_set *set, struct mer_intern *texts);

/* Name of the packet's connection, as the task that opened it gave it; "": not known. */
const char *relation_connection_name(
	const struct relation_connections *c, const struct kernel_bridge *p);
/* Is the name an address, not just "socket"? */
bool relation_is_address(const char *name);
/* The endpoint with the lower port, which is usually the server's: the name of a connection
 * opened before the recording. In text; "": neither is known. */
const char *relation_name_between(
	const struct kernel_world *w, uint32_t a, uint32_t b, char text[KERNEL_ENDPOINT_BYTES]);
/* The task at the sending end that wrote last before the packet was sent. False: not known. */
bool relation_connection_writer(
	const struct relation_connections *c, const struct kernel_bridge *p, uint32_t *task);
/* The flow at the address to which the datagram was sent; NULL: not known. */
const struct relation_flow *relation_udp_reader(
	const struct relation_connections *c, const struct kernel_bridge *p);

#endif
