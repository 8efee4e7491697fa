/* The tables "bins" of an analysis as charts, one below the other. */
#include <string.h>

#include "draw/chart_table.h"
#include "ask/reports/grid.h"

enum { MAX_PANELS = 10 };

static bool is_over_time(const struct mer_table *t)
{
	return strncmp(t->id, "bins", 4) == 0;
}

int ask_grid_plot(struct ask_grid *g, const char *path)
{
	struct draw_chart_page p;
	struct mer_str svg = { 0 };
	int64_t begin = 0, end = 1;
	bool any = false;
	int rc = 0;
	for (size_t i = g->n_printed; i < g->n; i++) {
		int64_t from, to;
		if (!is_over_time(&g->tables[i]) || !draw_table_range(&g->tables[i], &from, &to))
			continue;
		begin = any && begin < from ? begin : from;
		end = any && end > to ? end : to;
		any = true;
	}
	draw_chart_init(&p, begin, end, &g->ask->err);
	struct ask_grid_colors *colors = NULL;
	if (g->analysis->of_views)
		rc = ask_grid_colors_new(g, &colors);
	p.state_color = colors ? ask_grid_color : NULL;
	p.state_color_ctx = colors;
	for (size_t i = g->n_printed; i < g->n && rc == 0; i++)
		if (is_over_time(&g->tables[i]))
			rc = draw_tables(&p, &g->tables[i], g->analysis, MAX_PANELS);
	if (rc == 0)
		rc = draw_chart_svg(&p, g->analysis->title, &svg);
	if (rc == 0)
		rc = ask_write_picture(g->ask, path, &svg);
	draw_chart_fini(&p);
	ask_grid_colors_free(colors);
	mer_str_fini(&svg);
	return rc;
}

int ask_grid_map(struct ask_grid *g, const char *path)
{
	const struct mer_table *t = NULL;
	struct mer_str svg = { 0 };
	for (size_t i = g->n_printed; i < g->n; i++)
		if (strncmp(g->tables[i].id, "map", 3) == 0)
			t = &g->tables[i];
	if (!t)
		return mer_fail(&g->ask->err, MER_ERR_USAGE,
			"--plot: the analysis '%s' has no table 'map'", g->analysis->id);
	int rc = draw_map(t, g->e->n_hosts > 1, &svg, &g->ask->err);
	if (rc == 0)
		rc = ask_write_picture(g->ask, path, &svg);
	mer_str_fini(&svg);
	return rc;
}
