/* Ends: which events are ends of messages, and where their fields lie.
 *
 *   net_dev_queue -> net_if_receive_skb, netif_receive_skb   packets with their headers
 *   inet_sock_local_out -> inet_sock_local_in                TCP only: seq, ack_seq, flags
 *   vmsync_gh_guest -> vmsync_gh_host                        hypercalls, by vm_uid and cnt
 *   vmsync_hg_host -> vmsync_hg_guest
 *   pairs that the user declares (user_pairs.h)
 *
 * net_if_receive_skb_entry is none: it has the address of the packet's buffer and nothing else.
 *
 * Layouts of packet headers differ between versions of the tracer. They are not told apart by
 * version: a class of events is searched for the headers by the names in it, below whatever
 * structures and variants there are. What is found is a list of forms: "if these variants have
 * these options, the fields are in these slots". Other events are not read at all. */
#ifndef MER_SYNC_MATCH_ENDS_H
#define MER_SYNC_MATCH_ENDS_H

#include "sync/match/end.h"
#include "sync/match/user_pairs.h"
#include "trace/reading.h"

struct sync_ends;

/* e and user (NULL: none) must outlive it. */
int sync_ends_new(const struct mer_experiment *e, const struct sync_user_pairs *user,
	struct sync_ends **ends, struct mer_err *err);
void sync_ends_free(struct sync_ends *);
const struct trace_reading *sync_ends_reading(const struct sync_ends *);

/* What a part of the experiment has of events that could be ends. Only sets what is there. */
struct sync_ends_classes {
	bool any;    /* some class of events */
	bool way[2]; /* whose layout has what identifies a message: received, sent */
};
void sync_ends_of_part(const struct sync_ends *, uint32_t part, struct sync_ends_classes *has);
/* Is there an event for this end of the user's pair, with all fields of its key? */
bool sync_ends_has_pair(const struct sync_ends *, uint32_t pair, bool is_send);

/* The ends that an event is, at most sync_ends_max(), hosts not set. User's pairs have their number
 * in flags. without: how many were left out because nothing identifies the message, [is_send]. */
uint32_t sync_ends_max(const struct sync_ends *);
uint32_t sync_ends_get(const struct sync_ends *, const struct mer_event *ev, struct sync_end *out,
	uint32_t without[2]);
/* Is it an entry of a vCPU into its guest? They are read to know whether there are any. */
bool sync_ends_is_entry(const struct sync_ends *, const struct mer_event *ev);

#endif
