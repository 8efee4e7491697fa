/* Hosts that are unlike their peers, for people: a line for each host, the most unusual first. */
#ifndef MER_ASK_REPORTS_SUMMARY_PEERS_H
#define MER_ASK_REPORTS_SUMMARY_PEERS_H

#include "ask/context.h"
#include "base/str.h"
#include "base/table.h"

/* The whole command of these words; NULL: no memory. */
typedef const char *ask_peers_command(void *ctx, const char *words);

/* peers, groups: analysis/summary/peers.h, grouped by `by`; most: hosts, 0: all. */
struct ask_peers {
	const struct ask *ask;
	const struct mer_table *peers, *groups;
	const char *by;
	size_t most;
	ask_peers_command *command;
	void *ctx;
};
void ask_peers_put(const struct ask_peers *p, struct mer_str *out);

#endif
