/* What a drawing of relations shows: boxes for programs (or tasks), lines for all that goes between
 * two of them by like means. A drawing is for looking at: there are as many boxes and lines as can
 * be told apart, those that people waited for longest. */
#ifndef MER_DRAW_GRAPH_GROUPS_H
#define MER_DRAW_GRAPH_GROUPS_H

#include "draw/graph.h"

/* Kinds that are drawn alike, by colors that people who see few can tell apart; for light and dark
 * pages. */
struct draw_graph_family {
	const char *title, *color, *dark;
	const char *kinds[8]; /* the first of the last family: all others */
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
	size_t n_tasks; /* that rows name */
};

struct draw_graph_way { /* all that one node gave the other one */
	uint64_t count;
	int64_t wait_ns; /* of the one that got it */
};

/* From the one that waited more to the one that it waited for: dependencies go from left to
 * right. */
struct draw_graph_edge {
	size_t tail, head; /* nodes */
	size_t family;
	unsigned kinds;	    /* bit i: kinds[i] of the family */
	const char *object; /* NULL: not known of any */
	uint64_t n_objects;
	bool is_started; /* nothing but relations of one with what it started */
	struct draw_graph_way to_tail, to_head;
};

struct draw_graph_drawing {
	struct draw_graph_node *nodes;
	struct draw_graph_edge
		*edges; /* the longest wait first; between hosts before others, those with
				  * what one started last */
	size_t n_nodes, n_edges;
	size_t n_left_out; /* edges that are not drawn */
	int64_t most_ns;   /* the longest wait of an edge, without those with what one started */
};

/* draw_graph_drawing_fini in any case. */
int draw_graph_drawing_make(
	const struct draw_graph *g, struct draw_graph_drawing *d, struct mer_err *err);
void draw_graph_drawing_fini(struct draw_graph_drawing *d);

/* Is something of this kind of relation in it? */
bool draw_graph_edge_has(const struct draw_graph_edge *e, const char *kind);
static inline int64_t draw_graph_edge_wait(const struct draw_graph_edge *e)
{
	return e->to_tail.wait_ns + e->to_head.wait_ns;
}

#endif
