/* Requests: every exchange on a connection, and which of them were made to serve which.
 *
 * A request goes from the requester's first byte, sent after the answer before was read, to its
 * last byte of the answer read. Where an answer overlaps with further requests on the same
 * connection (pipelining, HTTP/2), all of them until the connection is quiet again are one
 * exchange: a window, with the number of messages that can be told apart. What cannot be separated
 * is never invented.
 *
 *   struct requests_log (log.h) ──connections.c──→ connections ──exchanges.c──→ exchanges
 *   ──nest.c, join.c──→ parents ──parts.c──→ where the time went
 *
 * Invariants: exchanges of one connection do not overlap; begin <= sent <= end; parents served on
 * the host that their children were sent from, and were open from before these began until after
 * these ended. */
#ifndef MER_REQUESTS_REQUESTS_H
#define MER_REQUESTS_REQUESTS_H

#include "requests/connections.h"

#define REQUESTS_NO_TIME INT64_MIN

struct requests_exchange {
	/* As the requester saw it; if only the server was recorded, as that did. */
	int64_t begin, sent, end; /* first byte sent, last one sent, last byte of the answer read */
	/* The server; REQUESTS_NO_TIME: not known. */
	int64_t read, read_end, answered,
		done; /* first and last byte of the request read, of the answer sent */
	uint64_t bytes_out, bytes_in; /* request, answer */
	uint32_t connection;
	uint32_t client_task,
		server_task; /* KERNEL_NONE: not recorded. The server: who wrote the answer */
	uint32_t reader;     /* task of the server that read the request; KERNEL_NONE */
	uint32_t n_messages; /* 1: a request; more: a window */
	uint32_t parent;     /* exchange, plus 1; 0: none known */
	uint32_t first_send, last_answer; /* actions: of the client, of the server; KERNEL_NONE */
	float confidence;		  /* that parent is right */
	bool is_damaged;		  /* see requests_connection, losses.c: it may lack calls */
};

/* Its latency is that of one request, from begin to end. */
static inline bool requests_has_latency(const struct requests_exchange *x)
{
	return x->n_messages == 1 && !x->is_damaged;
}

struct requests {
	const struct kernel_world *w;
	struct requests_log *log;
	struct requests_connections connections;
	/* By connection, then begin. A block of the world's spill. */
	struct requests_exchange *exchanges;
	uint32_t n, cap;
	/* Those that were found by connections; the user's own come after them (own.h). */
	uint32_t n_found, n_connections_found;
	uint32_t *found_parents; /* of those, without own ones; NULL: there are no own ones */
	uint32_t n_damaged,
		n_one_way; /* connections with missing events; exchanges without an answer */
};

/* log: filled while w was built, and from then on the result's. */
int requests_find(const struct kernel_world *w, struct requests_log *log, struct requests **out,
	struct mer_err *err);
void requests_free(struct requests *); /* NULL is fine */

/* The socket at both ends of an own request: there is none, but who it was is known. */
#define REQUESTS_OWN_SOCKET (KERNEL_NONE - 1)
static inline bool requests_is_own(const struct requests *r, uint32_t exchange)
{
	return exchange >= r->n_found;
}

/* "r17.203": connection and place on it, both from 1 on; the same for the same traces. Own ones:
 * "u1.203". */
enum { REQUESTS_ID_BYTES = sizeof("r4294967295.4294967295") };
void requests_id_text(const struct requests *r, uint32_t exchange, char text[REQUESTS_ID_BYTES]);
/* KERNEL_NONE: there is none. */
uint32_t requests_by_id(const struct requests *r, const char *text);

static inline const struct requests_connection *requests_connection_of(
	const struct requests *r, uint32_t exchange)
{
	return &r->connections.item[r->exchanges[exchange].connection];
}

/* The one that it was sent for, as if there were no own ones; plus 1, 0: none known. */
static inline uint32_t requests_found_parent(const struct requests *r, uint32_t exchange)
{
	return r->found_parents && !requests_is_own(r, exchange) ? r->found_parents[exchange]
								 : r->exchanges[exchange].parent;
}
/* Is `exchange` this request, or one below it? */
enum { REQUESTS_MOST_DEPTH = 64 }; /* further below, a request is no longer looked into */
bool requests_is_within(const struct requests *r, uint32_t exchange, uint32_t root);

/* Of this folder. */
int requests_exchanges_find(struct requests *r, struct mer_err *err);
int requests_losses_find(struct requests *r, struct mer_err *err);
int requests_nest(struct requests *r, struct mer_err *err);
/* continues: by exchange, whether the next one of its connection is of the same window. */
int requests_join(struct requests *r, const bool *continues, struct mer_err *err);

#endif
