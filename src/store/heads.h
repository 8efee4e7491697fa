/* Heads: the fixed-size data of the world and of each host, as laid out in the file. Tables have
 * sections of their own. */
#ifndef MER_STORE_HEADS_H
#define MER_STORE_HEADS_H

#include <stdint.h>

struct store_world_head {
	uint32_t n_hosts, n_bridges;
	uint64_t n_unsynchronized, n_inversions;
};

enum store_host_flags { STORE_HAS_WAKEUPS = 1, STORE_HAS_INTERRUPTS = 2 };

struct store_host_head {
	int64_t begin, end;
	uint64_t n_events, n_odd, n_calls_left_out;
	uint32_t n_spans, flags;
	uint32_t seen, n_requests; /* seen: of struct usage_sums */
	uint64_t n_points;
};

struct store_away_counts { /* of a guest */
	uint32_t n_aways, n_moves, n_relays, hypervisor;
};

#endif
