/* Tables over time (output "bins" of an analysis) as panels of a page of charts. */
#ifndef MER_CLI_REPORTS_CHART_TABLE_H
#define MER_CLI_REPORTS_CHART_TABLE_H

#include "analysis/analysis.h"
#include "cli/reports/chart.h"

enum { CLI_CHART_HOSTS = 4, CLI_CHART_BINS = 20000 };

/* Is it over time? Then from when until when. */
bool cli_chart_table_range(const struct mer_table *t, int64_t *begin, int64_t *end);

/* Adds the charts of the analysis to the page, each a panel, or one for each host; none where there are no such
 * rows. Where the analysis has no charts, one for each column that measures and is shown to people. No more
 * charts are begun when there are this many panels. Fails when there are more bins than a chart can show. */
int cli_chart_tables(
	struct cli_chart_page *p, const struct mer_table *t, const struct analysis *a, size_t most);
/* The same of those charts that show the whole experiment. */
int cli_chart_summary(
	struct cli_chart_page *p, const struct mer_table *t, const struct analysis *a);

#endif
