/* Tables over time (output "bins" of an analysis) as panels of a page of charts. */
#ifndef MER_CLI_CHART_TABLE_H
#define MER_CLI_CHART_TABLE_H

#include "analysis/analysis.h"
#include "cli/chart.h"

enum { CLI_CHART_HOSTS = 4, CLI_CHART_BINS = 20000 };

/* Is it over time? Then from when until when. */
bool cli_chart_table_range(const struct analysis_table *t, int64_t *begin, int64_t *end);

/* Adds a panel, or one for each host; none where there are no such rows. Fails when there are more bins than
 * a chart can show. */
int cli_chart_table(struct cli_chart_page *p, const struct analysis_table *t,
	const struct analysis_chart *chart);

/* Those of the analysis; where it has none, one for each column that measures and is shown to people. No
 * more charts are begun when there are this many panels. */
int cli_chart_tables(struct cli_chart_page *p, const struct analysis_table *t,
	const struct analysis *a, size_t most);
/* Those of the analysis that show the whole experiment. */
int cli_chart_summary(
	struct cli_chart_page *p, const struct analysis_table *t, const struct analysis *a);

#endif
