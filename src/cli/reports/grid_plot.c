/* The tables "bins" of an analysis as charts, one below the other. */
#include <string.h>

#include "cli/reports/chart_table.h"
#include "cli/reports/grid.h"

enum { MAX_PANELS = 10 };

static bool is_over_time(const struct mer_table *t)
{
	return strncmp(t->id, "bins", 4) == 0;
}

int cli_grid_plot(struct cli_grid *g, const char *path)
{
	struct cli_chart_page p;
	int64_t begin = 0, end = 1;
	bool any = false;
	int rc = 0;
	for (size_t i = 0; i < g->n; i++) {
		int64_t from, to;
		if (!is_over_time(&g->tables[i]) ||
			!cli_chart_table_range(&g->tables[i], &from, &to))
			continue;
		begin = any && begin < from ? begin : from;
		end = any && end > to ? end : to;
		any = true;
	}
	cli_chart_init(&p, g->cli, begin, end);
	for (size_t i = 0; i < g->n && rc == 0; i++)
		if (is_over_time(&g->tables[i]))
			rc = cli_chart_tables(&p, &g->tables[i], g->analysis, MAX_PANELS);
	if (rc == 0)
		rc = cli_chart_write(&p, g->analysis->title, path);
	cli_chart_fini(&p);
	return rc;
}
