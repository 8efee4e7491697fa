/* Ends: which events are ends of messages, and where their fields lie.
 *
 *   net_dev_queue -> net_if_receive_skb, netif_receive_skb   packets with their headers
 *   inet_sock_local_out -> inet_sock_local_in                TCP only: seq, ack_seq, flags
 *   vmsync_gh_guest -> vmsync_gh_host                        hypercalls, by vm_uid and cnt
 *   vmsync_hg_host -> vmsync_hg_guest
 *   pairs that the user declares (user_pairs.h)
 *
 * net_if_receive_skb_entry is not used: it has only the address of the packet's buffer.
 *
 * Layouts of packet headers differ between versions of the tracer. The version does not matter: the
 * headers are found by the names of the fields in a class of events, in any nesting of structures
 * and variants. The result is a list of forms: "if these variants have these options, the fields
 * are in these slots". Other events are not read at all. */
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

/* Which events that could be ends a part of the experiment has. Sets members to true, never to
 * false. */
struct sync_ends_classes {
	bool any;     /* it has a class of such events */
	bool way[2];  /* it has a class with the fields that identify a message: received, sent */
	bool entries; /* it has a class of entries of vCPUs into their guests */
};
void sync_ends_of_part(const struct sync_ends *, uint32_t part, struct sync_ends_classes *has);
/* Is there a class of events for this end of the user's pair, with all fields of its key? */
bool sync_ends_has_pair(const struct sync_ends *, uint32_t pair, bool is_send);

/* The ends that an event stands for, at most sync_ends_max(); hosts are not set. Ends of user's
 * pairs have the number of the pair in flags. without: counts ends that were left out because
 * nothing identifies the message, [is_send]. */
uint32_t sync_ends_max(const struct sync_ends *);
uint32_t sync_ends_get(const struct sync_ends *, const struct mer_event *ev, struct sync_end *out,
	uint32_t without[2]);
/* Is it an entry of a vCPU into its guest? These are read only to know whether there are any. */
bool sync_ends_is_entry(const struct sync_ends *, const struct mer_event *ev);

#endif
