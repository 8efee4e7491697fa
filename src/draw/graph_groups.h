/* What a drawing of relations shows: boxes for programs (or tasks), and one line for all relations
 * of a similar kind between two of them. The number of boxes and lines is limited to what a reader
 * can tell apart; those with the longest waits are kept. */
#ifndef MER_DRAW_GRAPH_GROUPS_H
#define MER_DRAW_GRAPH_GROUPS_H

#include "draw/graph.h"

/* Kinds that are drawn alike. The colors can be told apart with color blindness, and suit light
 * and dark pages. */
struct draw_graph_family {
	const char *title, *color, *dark;
	const char *kinds[8]; /* the last family has all kinds that no other has */
};
enum {
	DRAW_NETWORK,
	DRAW_PIPES,
	DRAW_LOCKS,
	DRAW_PROCESSES,
	DRAW_MEMORY,
	DRAW_KERNEL,
	DRAW_N_FAMILIES
};
extern const struct draw_graph_family draw_graph_families[DRAW_N_FAMILIES];

struct draw_graph_node {
	const char *host, *name;
	int64_t tid;	/* of its first task */
	size_t n_tasks; /* tasks that the rows name */
};

struct draw_graph_way { /* all relations in one direction */
	uint64_t count;
	int64_t wait_ns; /* wait time of the receiving node */
};

/* Points from the node that waited longer to the node that it waited for, so dependencies run from
 * left to right. */
struct draw_graph_edge {
	size_t tail, head; /* nodes */
	size_t family;
	unsigned kinds;	    /* bit i: kinds[i] of the family */
	const char *object; /* NULL: unknown for all of them */
	uint64_t n_objects;
	bool is_started; /* only relations of a task with what it started */
	struct draw_graph_way to_tail, to_head;
};

struct draw_graph_drawing {
	struct draw_graph_node *nodes;
	struct draw_graph_edge
		*edges; /* the longest wait first; edges between hosts before others, edges to what
			   a task started last */
	size_t n_nodes, n_edges;
	size_t n_left_out; /* edges that are not drawn */
	int64_t most_ns;   /* the longest wait of an edge, without edges to what a task started */
};

/* Call draw_graph_drawing_fini in any case. */
int draw_graph_drawing_make(
	const struct draw_graph *g, struct draw_graph_drawing *d, struct mer_err *err);
void draw_graph_drawing_fini(struct draw_graph_drawing *d);

/* Does the edge have a relation of this kind? */
bool draw_graph_edge_has(const struct draw_graph_edge *e, const char *kind);
static inline int64_t draw_graph_edge_wait(const struct draw_graph_edge *e)
{
	return e->to_tail.wait_ns + e->to_head.wait_ns;
}

#endif
