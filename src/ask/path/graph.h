/* Printing of relations: the table of analysis_relations (analysis/relations/relations.h), for
 * people. Drawings: draw/graph.h. */
#ifndef MER_ASK_PATH_GRAPH_H
#define MER_ASK_PATH_GRAPH_H

#include "analysis/relations/relations.h"
#include "base/str.h"
#include "ask/context.h"

struct ask_graph {
	struct ask *ask;
	const struct mer_experiment *e;
	const struct analysis_options *options; /* of the run */
	const struct mer_table *table;		/* the wanted rows; n_left_out: by --limit */
	const struct mer_table *requests;	/* requests/edges.h; NULL: not wanted */
	size_t n_requests;			/* rows of these for people; 0: all */
	int64_t begin, end;			/* what was looked at; MER_NO_TIME: nothing */
	uint64_t n_kernel; /* edges of kind RELATION_KERNEL that were left out */
	uint64_t n_tracer; /* edges of the tracer's tasks that were */
};

int ask_graph_text(const struct ask_graph *g, struct mer_str *out);
/* Why there is nothing to draw, as a sentence; fix: commands that would record what is missing, if
 * that is why. */
int ask_graph_why_empty(const struct ask_graph *g, struct mer_str *why, struct mer_str *fix);
static inline const struct mer_cell *ask_graph_cell(
	const struct ask_graph *g, size_t row, enum relation_column column)
{
	return &g->table->cells[row * g->table->n_columns + column];
}

#endif
