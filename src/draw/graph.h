/* Graphs: the table of relations between tasks (analysis/relations/relations.h) as a drawing.
 *
 * graph_groups.h says what is drawn, graph_dot.c writes it for Graphviz, graphviz.c has it laid
 * out. */
#ifndef MER_DRAW_GRAPH_H
#define MER_DRAW_GRAPH_H

#include "base/pool.h"
#include "base/str.h"
#include "base/table.h"

struct draw_graph {
	const struct mer_table *table;	  /* columns as enum relation_column */
	const struct mer_table *requests; /* columns as enum requests_edge_column; NULL: none */
	bool by_task;			  /* a box is a task, otherwise a program */
	bool limited;			  /* no more than can be looked at */
	const char *why_empty;		  /* lines instead of a drawing of nothing; NULL: none */
	const char *how_to_see_all; /* for the legend of one that leaves something out; NULL */
	struct mer_cancel *cancel;  /* NULL: none */
};

/* For Graphviz: hosts are boxes around their programs or tasks; colors tell the kind; the longer
 * the wait, the thicker. */
int draw_graph_dot(const struct draw_graph *g, struct mer_str *out, struct mer_err *err);
/* The same as SVG, laid out by Graphviz' program dot, which must be there. */
int draw_graph_svg(const struct draw_graph *g, struct mer_str *svg, struct mer_err *err);

#endif
