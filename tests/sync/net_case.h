/* Net case: a few hosts with few instants each, whose true offsets are known, and messages between
 * them; and the same as a plain system of difference constraints, solved by Floyd and Warshall. */
#ifndef TESTS_SYNC_NET_CASE_H
#define TESTS_SYNC_NET_CASE_H

#include "sync/limits/net.h"

enum { CASE_HOSTS = 5, CASE_INSTANTS = 9, CASE_MESSAGES = 60 };
enum { CASE_NODES = CASE_HOSTS * CASE_INSTANTS + 1 }; /* the last one: offset 0 */
#define CASE_FAR (INT64_MAX / 4)		      /* no path */

struct case_message {
	uint32_t from, to;
	int i, j;    /* instants */
	bool silent; /* says nothing, but its ends are instants of the hosts */
};

struct net_case {
	uint32_t n_hosts; /* 0 is the reference */
	int n_instants;	  /* of each host */
	int64_t t[CASE_HOSTS][CASE_INSTANTS], offset[CASE_HOSTS][CASE_INSTANTS]; /* true ones */
	struct sync_drift drift[CASE_HOSTS];
	struct sync_slew slews[CASE_HOSTS][2];
	struct sync_step steps[CASE_HOSTS][2];
	struct case_message messages[CASE_MESSAGES];
	int n_messages;
	bool reference[CASE_HOSTS];
};

enum { CASE_SLEWS = 1, CASE_STEPS = 2 };
/* Hosts, clocks, and messages that took least_ns or longer: a solution exists. */
void net_case_make(struct net_case *c, unsigned kinds, int64_t least_ns, uint64_t *seed);
/* One more message, sent and received at any instants: there may be no solution any more. */
void net_case_add_any(struct net_case *c, uint64_t *seed);
void net_case_messages(const struct net_case *c, struct sync_messages *m);

/* distance[i][j]: of j's offset above i's at most. Fixed hosts have their true offsets (the
 * reference is one). False: contradictory, at what is connected with offset 0. */
bool net_case_solve(const struct net_case *c, const bool *fixed, int64_t slack_ns,
	int64_t distance[CASE_NODES][CASE_NODES]);
/* Host's instant as a node; its upper and lower limits, INT64_MAX and INT64_MIN without. */
int net_case_node(uint32_t host, int instant);
int64_t net_case_high(int64_t distance[CASE_NODES][CASE_NODES], int node);
int64_t net_case_low(int64_t distance[CASE_NODES][CASE_NODES], int node);

#endif
