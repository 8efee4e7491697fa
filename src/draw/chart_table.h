/* Tables over time (output "bins" of an analysis) as panels of a page of charts. */
#ifndef MER_DRAW_CHART_TABLE_H
#define MER_DRAW_CHART_TABLE_H

#include "analysis/analysis.h"
#include "draw/chart.h"

enum { DRAW_CHART_HOSTS = 4, DRAW_CHART_BINS = 20000 };

/* Is it a table over time? Then sets the time range. */
bool draw_table_range(const struct mer_table *t, int64_t *begin, int64_t *end);

/* Adds the charts of the analysis to the page, each as one panel, or one per host; none if the
 * table has no rows for it. If the analysis defines no charts, each visible column with a measured
 * value gets one. No new chart is begun once there are this many panels. Fails when there are more
 * bins than a chart can show. */
int draw_tables(struct draw_chart_page *p, const struct mer_table *t, const struct analysis *a,
	size_t most);
/* The same for the charts that show the whole experiment. */
int draw_summary(struct draw_chart_page *p, const struct mer_table *t, const struct analysis *a);

/* The table "map" of an analysis, where requests go on disks over time: a panel for each disk, a
 * point for each row. Adds the picture. */
int draw_map(const struct mer_table *t, bool many_hosts, struct mer_str *svg, struct mer_err *err);

#endif
