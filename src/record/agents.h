/* Agents: a process on each host while it is recorded (scripts/agent.pl, agent.py).
 *
 * It answers with what its clocks show, which gives rounds: limits of its clock that need no
 * event of any trace. It sends beacons along the edges of a small net, so that the traces
 * themselves have packets in both directions between hosts. And it ends with its standard
 * input: then, unless it was dismissed, it removes the session, so that nothing records on when
 * this program is gone. On a host with neither perl nor python3 a shell answers, more coarsely,
 * and sends none; where it may not read the clock it does this last
 * thing alone. */
#ifndef MER_RECORD_AGENTS_H
#define MER_RECORD_AGENTS_H

#include "record/run.h"

enum { RECORD_MOST_EDGES = 2 * RECORD_MOST_HOSTS };

struct record_edge {
	size_t from, to;
	const char *address; /* of `to`, for `from` */
};

int record_agents_begin(struct record_run *r, struct mer_err *err);
/* Asks all hosts that are not still busy with the last question. */
void record_agents_ask(struct record_run *r);
/* n questions to each host, one after the other; at most for the time. */
void record_agents_burst(struct record_run *r, unsigned n, int64_t most_ns);
/* Two beacons a second along the edges; 0 s: none any more. */
void record_agents_beacons(struct record_run *r, double every_s);
/* How many were answered; best effort. */
void record_agents_count(struct record_run *r);
/* Dismisses them, and waits until they are gone. */
void record_agents_end(struct record_run *r);

/* A tree of the hosts and two chords, with the addresses that are known; how many. */
size_t record_edges(const struct record_run *r, struct record_edge *edges, size_t most);
/* Reads the lines of an agent behind h->parsed. */
void record_agent_read(struct record_host *h, const char *text, size_t len, int64_t now_ns);

#endif
