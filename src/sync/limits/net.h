/* Net: all hosts' messages as one system of limits, and the tightest limits that follow from it.
 *
 * Unknown for each host: offset(t) = reference time - host clock, at every host time t. A message
 * from a to b, and the drift of a clock between two of its instants, each bound a difference of
 * offsets:
 *
 *   offset_b(received) >= offset_a(sent) + sent - received
 *   |offset(t2) - offset(t1)| <= budget(t1, t2)                      (drift.h)
 *
 * The tightest limits that can follow from such a system are shortest paths from the reference
 * (Patt-Shamir, Rajsbaum: A theory of clock synchronization, 1994); here they are found host by
 * host: two sweeps over a host's instants propagate the drift limits, one pass over a link's
 * messages carries the limits to the neighbour, until nothing changes. With two hosts that is the
 * corridor of one forward and one backward sweep. */
#ifndef MER_SYNC_LIMITS_NET_H
#define MER_SYNC_LIMITS_NET_H

#include "sync/limits/drift.h"
#include "sync/limits/incidence.h"
#include "sync/messages.h"

struct sync_net_host {
	struct sync_drift drift;
	bool reference; /* its offset is 0; it has no instants of its own */
	bool fixed;	/* its limits are given and stay */
	/* One for each end of a used message, by t. INT64_MAX, INT64_MIN: no limit. */
	int64_t *t, *high, *low;
	size_t n;
};

struct sync_net_link {
	uint32_t from, to;
	const struct sync_message *messages; /* borrowed */
	uint32_t *message;		     /* numbers of those that are used */
	/* Numbers of their ends in the hosts' arrays; NULL: that host is a reference. */
	uint32_t *node_from, *node_to;
	size_t n;
	bool skip; /* does not count */
};

struct sync_net {
	struct sync_net_host *hosts;
	struct sync_net_link *links;
	struct sync_incidence links_of; /* of each host */
	uint32_t n_hosts;
	size_t n_links;
	uint32_t contradiction; /* after tightening: one of the hosts that contradict each other */
};

/* m is borrowed. drift, reference: by host. out: for each link, its messages to leave out, or NULL.
 * Messages that are implied by others are not taken in. */
int sync_net_new(const struct sync_messages *m, const struct sync_drift *drift,
	const bool *reference, uint8_t *const *out, struct sync_net *net, struct mer_err *err);
void sync_net_free(struct sync_net *net);

/* Resets all limits to "no limit". */
void sync_net_reset(struct sync_net *net);
/* Tightens limits from where they stand until all constraints hold. consistent: false when no
 * offsets satisfy all of them (limits are then meaningless). Every message is required to take at
 * least slack_ns. */
enum sync_net_what { SYNC_NET_HIGH = 1, SYNC_NET_LOW = 2 };
int sync_net_tighten(struct sync_net *net, unsigned what, int64_t slack_ns, bool *consistent,
	struct mer_err *err);

#endif
