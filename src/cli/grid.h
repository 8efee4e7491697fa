/* The grid: top, log, freq and stats of any analysis (analysis/analysis.h). Verbs hand the command line
 * over; outputs, columns, keys, and what options make sense follow from the analysis' struct.
 *
 * An output with an id such as "top_cpu" is a further table of top; others ("cpus") are shown when they
 * are asked for by --table. */
#ifndef MER_CLI_GRID_H
#define MER_CLI_GRID_H

#include "analysis/analysis.h"
#include "base/json.h"
#include "cli/context.h"

struct cli_grid_values { /* of options; not all verbs have all of them */
	struct cli_amount limit, min, max, bins, interval;
	const char *sort, *plot;
	struct cli_texts tables;
};

enum { CLI_GRID_TABLES = 16 }; /* of one verb of an analysis, and its bins */

struct cli_grid {
	struct cli *cli;
	const struct cli_grid_values *values;
	const char *verb; /* "top", "log", "freq", "stats" */
	const struct analysis *analysis;
	struct mer_experiment *e;
	int64_t begin, end; /* what was looked at; MER_NO_TIME: nothing */
	struct analysis_request requests[CLI_GRID_TABLES];
	struct analysis_table tables[CLI_GRID_TABLES]; /* as requests; the printed ones first */
	const char *sorted[CLI_GRID_TABLES];	       /* by which key; NULL: as they came */
	size_t n, n_printed;
};

/* cli->args: the analysis, then traces. None: lists what there is. */
int cli_grid_run(struct cli *cli, const char *verb, const struct cli_grid_values *values);
/* Is the first word an analysis (and no trace of that name)? For stats, which has another meaning. */
bool cli_grid_asked(const struct cli *cli);
/* For the same: the name that somebody may have meant by the first word; NULL: it is there, or none. */
const char *cli_grid_meant(const struct cli *cli);

/* All as --format says. */
int cli_grid_print(struct cli_grid *g);
/* The tables "bins", over time, as SVG. */
int cli_grid_plot(struct cli_grid *g, const char *path);
/* Does the column name things, as opposed to measuring them? */
static inline bool cli_grid_names(const struct analysis_column *c)
{
	return c->type == ANALYSIS_TEXT || c->type == ANALYSIS_ID;
}

#endif
