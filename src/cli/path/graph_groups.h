/* What a drawing of relations shows: boxes for programs (or tasks), lines for all that goes between two of
 * them by like means. A drawing is for looking at: there are as many boxes and lines as can be told apart,
 * those that people waited for longest. */
#ifndef MER_CLI_PATH_GRAPH_GROUPS_H
#define MER_CLI_PATH_GRAPH_GROUPS_H

#include "cli/path/graph.h"

/* Kinds that are drawn alike, by colors that people who see few can tell apart; for light and dark pages. */
struct graph_family {
	const char *title, *color, *dark;
	const char *kinds[8]; /* the first of the last family: all others */
};
enum {
	GRAPH_NETWORK,
	GRAPH_PIPES,
	GRAPH_LOCKS,
	GRAPH_PROCESSES,
	GRAPH_MEMORY,
	GRAPH_KERNEL,
	GRAPH_N_FAMILIES
};
extern const struct graph_family graph_families[GRAPH_N_FAMILIES];

struct graph_node {
	const char *host, *name;
	int64_t tid;	/* of its first task */
	size_t n_tasks; /* that rows name */
};

struct graph_way { /* all that one node gave the other one */
	uint64_t count;
	int64_t wait_ns; /* of the one that got it */
};

/* From the one that waited more to the one that it waited for: dependencies go from left to right. */
struct graph_edge {
	size_t tail, head; /* nodes */
	size_t family;
	unsigned kinds;	    /* bit i: kinds[i] of the family */
	const char *object; /* NULL: not known of any */
	uint64_t n_objects;
	bool is_started; /* nothing but relations of one with what it started */
	struct graph_way to_tail, to_head;
};

struct graph_drawing {
	struct graph_node *nodes;
	struct graph_edge *edges; /* the longest wait first; between hosts before others, those with
				  * what one started last */
	size_t n_nodes, n_edges;
	size_t n_left_out; /* edges that are not drawn */
	int64_t most_ns;   /* the longest wait of an edge, without those with what one started */
};

/* by_task: a box for each task. limited: as many as can be looked at. 0 or an error; to be freed in any case. */
int graph_drawing_make(
	const struct cli_graph *g, bool by_task, bool limited, struct graph_drawing *d);
void graph_drawing_fini(struct graph_drawing *d);

static inline int64_t graph_edge_wait(const struct graph_edge *e)
{
	return e->to_tail.wait_ns + e->to_head.wait_ns;
}

#endif
