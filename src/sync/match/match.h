/* Match: pairs ends into messages.
 *
 * A wrong message is worse than a missed one: it moves a clock without a visible reason. The rules:
 *
 * - Two ends belong to one message when they agree in all members that both know (end.h). Where
 *   address translation may have changed addresses and ports, an acknowledgement number, an
 *   identification and a length that agree stand in for them.
 * - A key is matched once. What comes later with a key that was matched is a duplicate, for as long
 *   as the key is remembered (pending.h).
 * - Sent again from the same host: the same packet on a lower device if it has the same
 *   identification, or none and comes within DEVICE_NS; then the later time counts, which is closer
 *   to the wire. Else it is a retransmission, and the first time counts: any receive is later than
 *   that.
 * - Of several receives, on one host or on several, the first one counts.
 * - A packet that a host forwards (a router, a bridge, a hypervisor) is one message to it and one
 *   from it: each host receives from the one before it. routes.h is for the case that the events of
 *   the last host are read too early.
 * - Identifications of UDP and ICMP are used again soon. If a key is sent twice, or received twice,
 *   before its other end was seen, the messages cannot be distinguished, and the key is no longer
 *   matched. After a match the key may be used again. TCP without an identification that is
 *   received twice before its send was seen is given up as well: the first send may never have been
 *   recorded. Keys of hypercalls and of users' messages must be unique, else they are given up in
 *   the same way.
 * - Messages of a host to itself (loopback, containers) have no place in the order above, because a
 *   host also sees what it sends to others on its own bridges. So a receive on the sending host is
 *   only noted, and becomes a message when the packet is sent again there (a hop between devices),
 *   or when the send is forgotten without having been received elsewhere - unless its destination
 *   address is known to be another host's: then it was lost on its way there. If it is received
 *   again at once, on a device further up, the later time counts. Between loopback addresses, where
 *   no other receive is possible, the send is forgotten after a tenth of a second.
 * - Segments that an interface split (TSO) or merged (GRO) differ in length and flags. A receive
 *   and a send of the same flow that begin with the same byte (and acknowledgement and
 *   identification), or end with the same byte, are a message nevertheless: the first sending of a
 *   byte precedes every receipt of it. Of a big packet that was split, the first part is matched;
 *   of a merged one, the last part. The other parts are counted as duplicates.
 *
 * The owner of an address is learned from matches: the host that sends packets with this source
 * address without having received them before. */
#ifndef MER_SYNC_MATCH_MATCH_H
#define MER_SYNC_MATCH_MATCH_H

#include "sync/match/end.h"

struct sync_matcher;

struct sync_match { /* a message that was just found; times as in struct sync_message */
	bool found;
	uint32_t from, to;
	int64_t sent, received;
};

/* max_pending: maximum of ends that wait or are remembered; 0: 2^20. m is borrowed. */
int sync_matcher_new(struct sync_messages *m, size_t max_pending, struct sync_matcher **matcher,
	struct mer_err *err);
void sync_matcher_free(struct sync_matcher *);

/* Ends of one host must come in the order of their times; ends of different hosts should, as far as
 * the order is known. match is filled in any case. */
int sync_matcher_add(struct sync_matcher *, const struct sync_end *e, struct sync_match *match,
	struct mer_err *err);
/* After the last end. */
int sync_matcher_finish(struct sync_matcher *, struct mer_err *err);

/* Hints that this end comes about 16 and 8 ends later. */
void sync_matcher_expect(const struct sync_matcher *, const struct sync_end *e);
void sync_matcher_expect_soon(const struct sync_matcher *, const struct sync_end *e);

/* Keys that were given up because they were used twice at a time. */
uint64_t sync_matcher_doubtful(const struct sync_matcher *, enum sync_kind kind);

#endif
