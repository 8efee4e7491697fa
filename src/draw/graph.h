/* Graphs: the table of relations between tasks (analysis/relations/relations.h) as a drawing.
 *
 * graph_groups.h decides what is drawn, graph_dot.c writes it for Graphviz, graphviz.c runs
 * Graphviz for the layout. */
#ifndef MER_DRAW_GRAPH_H
#define MER_DRAW_GRAPH_H

#include "base/pool.h"
#include "base/str.h"
#include "base/table.h"

struct draw_graph {
	const struct mer_table *table;	  /* columns as enum relation_column */
	const struct mer_table *requests; /* columns as enum requests_edge_column; NULL: none */
	bool by_task;			  /* a box is a task, otherwise a program */
	bool limited;			  /* limit it to a readable size */
	const char *why_empty;		  /* text shown instead of an empty drawing; NULL: none */
	const char *how_to_see_all;	  /* for the legend if something is left out; NULL: none */
	struct mer_cancel *cancel;	  /* NULL: none */
};

/* Writes it for Graphviz: hosts are boxes around their programs or tasks; the color of a line is
 * its kind, and its width grows with the wait. */
int draw_graph_dot(const struct draw_graph *g, struct mer_str *out, struct mer_err *err);
/* The same as SVG, laid out by Graphviz' program dot, which must be installed. */
int draw_graph_svg(const struct draw_graph *g, struct mer_str *svg, struct mer_err *err);

#endif
