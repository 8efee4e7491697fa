/* Hosts that are unlike their peers, for people: a line for each host, the most unusual first. */
#ifndef MER_ASK_REPORTS_SUMMARY_PEERS_H
#define MER_ASK_REPORTS_SUMMARY_PEERS_H

#include "ask/context.h"
#include "base/str.h"
#include "base/table.h"

/* peers, groups: analysis/summary/peers.h; most: hosts, 0: all. traces: as words of a command. */
void ask_peers_put(const struct ask *ask, const struct mer_table *peers,
	const struct mer_table *groups, size_t most, struct mer_str *out);

#endif
