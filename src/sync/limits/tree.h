/* Tree: which hosts can be compared, which one is the reference, and through which neighbour each
 * host's clock is known best. */
#ifndef MER_SYNC_LIMITS_TREE_H
#define MER_SYNC_LIMITS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum { SYNC_NO_HOST = UINT32_MAX };

struct sync_edge { /* two hosts with messages between them */
	uint32_t a, b;
	double width; /* uncertainty of their offset, ns; > 0 */
};

struct sync_tree {
	uint32_t *group;	 /* of each host; groups are numbered by size, the largest first */
	uint32_t *references;	 /* of each group */
	uint32_t *parent, *edge; /* by host: the next host and edge towards the reference;
			    SYNC_NO_HOST for references */
	uint32_t *order;	 /* all hosts, parents before their children */
	uint32_t n_hosts, n_groups;
};

/* The reference of a group is `wanted` if it is in the group; else, among the hosts with the least
 * rank (NULL: all hosts), the one with the least sum of widths to all others. Paths to the
 * reference have the least sum of widths. All arrays malloc'ed. */
int sync_tree_new(const struct sync_edge *edges, size_t n_edges, uint32_t n_hosts, uint32_t wanted,
	const uint32_t *rank, struct sync_tree *tree, struct mer_err *err);
void sync_tree_free(struct sync_tree *tree);

#endif
