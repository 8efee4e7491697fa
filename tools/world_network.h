/* Networks of generated worlds: when messages are sent and received, in true time.
 *
 * A link is one direction between two hosts. Each has its own random numbers, so that a link's
 * messages do not depend on the other links. It knows nothing of clocks: see world.h. */
#ifndef WORLD_NETWORK_H
#define WORLD_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "world_random.h"

struct world_link_options {
	double rate_hz;	     /* messages per second */
	bool regular;	     /* evenly spaced; else as a Poisson process */
	int64_t floor_ns;    /* least latency */
	int64_t jitter_ns;   /* mean of an exponential delay on top */
	int64_t burst_ns;    /* mean of one more, while the link is congested (Gilbert's model): */
	double burst_begins; /* probability, at each message, that it becomes so, */
	double burst_ends;   /* ... and that it ends */
	/* As of a host that has no CPU: stretches in which each message takes more, by a least time
	 * that each stretch has (mean) and an exponential one of the same mean. Each direction has
	 * its own, so that one is slower than the other for long. */
	int64_t busy_ns;       /* 0: none */
	int64_t busy_for_ns;   /* means: of a stretch, */
	int64_t busy_every_ns; /* ... and of the time between two */
	double loss;	       /* probability that a message is lost */
	int64_t retransmit_ns; /* a lost one is sent once more after this; 0: not */
	double reorder;	    /* probability that a message is held back, so that others overtake; */
	int64_t reorder_ns; /* ... by up to this; 0: three times the usual distance of messages */
	double duplicate;   /* probability that both devices of a bridge show the message */
};

enum world_message_flag { /* bits */
	WORLD_LOST = 1,
	WORLD_RETRANSMISSION = 2, /* of the lost message `of` */
	WORLD_REORDERED = 4,
	WORLD_DUPLICATE = 8
};

struct world_message {
	int64_t sent, received; /* true time, ns; without meaning when lost */
	uint32_t flags;
	uint32_t of; /* number of the message that it repeats; else its own. Numbers count the
			link's messages, without repetitions, in the order of sending */
};

/* Floor 40 us, exponential jitter of 100 us, once a second. */
struct world_link_options world_link_defaults(void);

/* The messages that are sent from begin_ns to end_ns, in the order of sending (malloc'ed, the
 * caller's; n may be 0). Those that are not held back arrive in order. */
int world_link_messages(const struct world_link_options *o, int64_t begin_ns, int64_t end_ns,
	uint64_t seed, struct world_message **messages, size_t *n, struct mer_err *err);

enum world_topology {
	WORLD_PAIR, /* 0-1, 2-3, ... */
	WORLD_RING,
	WORLD_STAR, /* all with host 0 */
	WORLD_CHAIN,
	WORLD_FULL,
	WORLD_RANDOM,	 /* connected, with about `degree` neighbours each */
	WORLD_TWO_GROUPS /* two chains that do not talk to each other */
};

struct world_edge {
	uint32_t a, b; /* a < b; none twice */
};

int world_edges(enum world_topology t, uint32_t n_hosts, double degree, uint64_t seed,
	struct world_edge **edges, size_t *n, struct mer_err *err);

#endif
