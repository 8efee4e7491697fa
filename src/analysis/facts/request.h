/* Facts about requests. They are found above this layer (requests/facts.c), of the world of all
 * hosts; here is what they are.
 *
 * A request is a fact at each of its ends that was recorded: first of the server, then of the
 * client. */
#ifndef MER_ANALYSIS_FACTS_REQUEST_H
#define MER_ANALYSIS_FACTS_REQUEST_H

#include "analysis/fact.h"

enum request_side { REQUEST_SERVER, REQUEST_CLIENT, REQUEST_N_SIDES };

struct request_fact {
	/* choice: enum request_side, whose task and host it is of; begin, end: of the request */
	struct fact fact;
	int64_t latency; /* FACT_UNKNOWN: several messages that overlap, or events are missing */
	uint64_t sent, received;    /* bytes, as the client sees them */
	uint32_t kind, parent_kind; /* names; KERNEL_NONE: it was sent for none */
	/* By side; KERNEL_NONE: not recorded, or not known. */
	uint32_t hosts[REQUEST_N_SIDES];
	uint32_t tasks[REQUEST_N_SIDES]; /* of these hosts */
	uint32_t names[REQUEST_N_SIDES]; /* of these tasks */
	uint32_t messages;		 /* more than one: they overlap */
	/* Of its id, and of that of its parent, from 1 on: r17.203; 0: none. */
	uint32_t connection, place, parent_connection, parent_place;
	uint16_t port; /* of the server; 0: not known */
	uint16_t unused;
};

#endif
