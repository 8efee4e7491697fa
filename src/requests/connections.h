/* Connections: which two sockets are the ends of one connection, and which of them sends the
 * requests.
 *
 * Both ends of a TCP connection know its addresses. The addresses of a socket are those of the
 * packets that its calls sent, whether or not a receiver is known (addresses.c); without packets,
 * those that the state dump told (a copy of /proc), or the peer that connect or accept named, if
 * the packets of the host lead to one local end only. A socket pair has one name for both ends. The
 * ends of a unix socket with a path have neither: there the two ends are matched by wake-ups,
 * because a write to one end, or its connect, wakes the other end. The end that called connect
 * sends the requests, not the end that accepted; otherwise not the end whose host listens on its
 * port, as the state dump says; otherwise the end with a port that the kernel assigned, if the
 * other port was not assigned; otherwise the end that wrote first. Ends on hosts whose clocks
 * cannot be compared are not joined. An end that was not recorded is missing: its socket is
 * KERNEL_NONE. */
#ifndef MER_REQUESTS_CONNECTIONS_H
#define MER_REQUESTS_CONNECTIONS_H

#include "requests/log.h"

enum requests_side { REQUESTS_CLIENT, REQUESTS_SERVER, REQUESTS_N_SIDES };

struct requests_end {
	uint32_t host, socket; /* KERNEL_NONE: not recorded; host of the other end then */
	uint32_t endpoint;     /* sync_endpoint; 0: not known */
};

struct requests_connection {
	int64_t begin;
	struct requests_end ends[REQUESTS_N_SIDES];
	uint32_t flow;	/* of the packets below, plus 1; 0: none */
	bool is_pipes;	/* one each way */
	bool is_unix;	/* over unix sockets that are no pair */
	bool is_opened; /* connect was seen, so the first byte was, too */
	/* What was written at one end is not what was read at the other one: events are missing. */
	bool is_damaged;
	bool is_multiplexed; /* requests were answered in another order, or in parts: join.c */
	uint32_t first, n;   /* its exchanges: of requests.exchanges */
};

struct requests_connections { /* zeroed: none */
	const struct kernel_world *w;
	struct requests_log *log;
	struct requests_connection *item; /* by begin */
	size_t n, cap;
	/* Packets with data, of each flow (both endpoints of a connection), each way apart:
	 * numbers of bridges, in the order of time, and when they were sent. Those of flow i and
	 * way d are from starts[2 i + d] on. */
	uint64_t n_unfollowed; /* reads on sockets that were there before, of unknown addresses */
	uint64_t n_datagrams;  /* reads on UDP sockets with several peers, of one that is unknown */
	/* Endpoints that names of sockets tell, packets or not -> place, plus 1; and ports that
	 * the state dump says are listened on (host and port). */
	struct mer_map named, listened;
	struct requests_place {
		uint32_t host, name;
	} * places;
	size_t n_places, cap_places;
	struct mer_map flows; /* both endpoints -> flow, plus 1 */
	uint32_t *packets, *starts, n_flows;
	int64_t *sent;
	uint32_t **by_socket,
		**actions_of; /* by host: actions of socket i are actions_of[by_socket[i]...] */
};

int requests_connections_find(struct requests_connections *c, const struct kernel_world *w,
	struct requests_log *log, struct mer_err *err);
void requests_connections_fini(struct requests_connections *c);

/* Pipes that are connections become the two ends of one (pipes.c). */
bool requests_pipes_join(struct requests_host *r, const struct kernel_host *h);

/* Actions of a socket that read or write, in the order of time: numbers. */
static inline const uint32_t *requests_actions_of(
	const struct requests_connections *c, uint32_t host, uint32_t socket, size_t *n)
{
	const uint32_t *from = c->by_socket[host];
	*n = from[socket + 1] - from[socket];
	return &c->actions_of[host][from[socket]];
}

/* The first packet with data that was sent on the connection in [begin, until) by the end `from`;
 * NULL: none. The last one with `last`. */
const struct kernel_bridge *requests_packet(const struct requests_connections *c,
	const struct requests_connection *of, enum requests_side from, int64_t begin, int64_t until,
	bool last);
/* Segments of the same, of which one end only was seen (struct kernel_single); *n of them. */
const struct kernel_single *requests_singles(const struct requests_connections *c,
	const struct requests_connection *of, enum requests_side from, int64_t begin, int64_t until,
	uint32_t *n);

/* "10.0.0.2:80" and its port, of packets or of names of sockets; false: not known. */
bool requests_endpoint_text(const struct requests_connections *c, uint32_t endpoint,
	char text[KERNEL_ENDPOINT_BYTES], uint16_t *port);

/* Of this folder: UDP sockets with several peers become one for each (datagrams.c). False: no
 * memory. */
bool requests_datagrams_split(struct requests_connections *c);
/* The addresses of all sockets, as far as packets show them. False: no memory. */
bool requests_addresses(struct requests_connections *c);
/* The endpoint of a name of the host, kept for requests_endpoint_text; *endpoint 0: it is no
 * address. False: no memory. */
bool requests_named_endpoint(
	struct requests_connections *c, uint32_t host, uint32_t name, uint32_t *endpoint);

#endif
