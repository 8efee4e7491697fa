/* Agents: a process on each host during the recording (scripts/agent.pl, agent.py).
 *
 * It answers requests with its clock readings. Each request and answer is a round, which bounds
 * the host's clock offset without any trace event. It sends beacons along the edges of a small
 * network, so that the traces themselves have packets in both directions between hosts. It ends
 * when its standard input is closed; unless it was dismissed before, it then removes the session,
 * so that recording stops when this program is gone. On a host with neither perl nor python3 a
 * shell answers, less precisely, and sends no beacons; if it cannot read the clock, it only removes
 * the session. */
#ifndef MER_RECORD_AGENTS_H
#define MER_RECORD_AGENTS_H

#include "record/run.h"

enum { RECORD_MOST_EDGES = 2 * RECORD_MOST_HOSTS };

struct record_edge {
	size_t from, to;
	const char *address; /* of `to`, for `from` */
};

int record_agents_begin(struct record_run *r, struct mer_err *err);
/* Sends a request to all hosts that have answered the last one. */
void record_agents_ask(struct record_run *r);
/* Sends n requests to each host, one after the other, for at most this time. */
void record_agents_burst(struct record_run *r, unsigned n, int64_t most_ns);
/* Starts beacons along the edges, one exchange every every_s seconds; 0 s: stops them. */
void record_agents_beacons(struct record_run *r, double every_s);
/* Counts how many beacons were answered; best effort. */
void record_agents_count(struct record_run *r);
/* Dismisses the agents, and waits until they have ended. */
void record_agents_end(struct record_run *r);

/* Connects the hosts by a tree and two more edges, using the known addresses; returns the number
 * of edges. */
size_t record_edges(const struct record_run *r, struct record_edge *edges, size_t most);
/* Parses the agent's output after h->parsed. */
void record_agent_read(struct record_host *h, const char *text, size_t len, int64_t now_ns);

#endif
