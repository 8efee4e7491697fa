/* Printing of relations: the table of analysis_relations (analysis/relations/relations.h), for people and as a graph. */
#ifndef MER_CLI_PATH_GRAPH_H
#define MER_CLI_PATH_GRAPH_H

#include "analysis/relations/relations.h"
#include "base/str.h"
#include "cli/context.h"

struct cli_graph {
	struct cli *cli;
	const struct mer_experiment *e;
	const struct analysis_options *options; /* of the run */
	const struct mer_table *table;		/* the wanted rows; n_left_out: by --limit */
	int64_t begin, end;			/* what was looked at; MER_NO_TIME: nothing */
	uint64_t n_kernel; /* edges of kind RELATION_KERNEL that were left out */
	struct mer_cancel *cancel;
	uint64_t n_tracer; /* edges of the tracer's tasks that were */
};

int cli_graph_text(const struct cli_graph *g, struct mer_str *out);
/* Why there is nothing to draw, as a sentence; fix: commands that would record what is missing, if that is why. */
int cli_graph_why_empty(const struct cli_graph *g, struct mer_str *why, struct mer_str *fix);
/* For Graphviz: hosts are boxes around their programs (by_task: tasks); colors tell the kind; the longer the
 * wait, the thicker. limited: no more than can be looked at. */
int cli_graph_dot(const struct cli_graph *g, bool by_task, bool limited, struct mer_str *out);
/* The same, drawn by Graphviz' program dot, which must be there. asked_by: the option, for errors. */
int cli_graph_svg(const struct cli_graph *g, bool by_task, bool limited, const char *asked_by,
	struct mer_str *svg);

static inline const struct mer_cell *cli_graph_cell(
	const struct cli_graph *g, size_t row, enum relation_column column)
{
	return &g->table->cells[row * g->table->n_columns + column];
}

#endif
