/* Tables over time as charts: a chart for each column that measures, in it a series for each name. Amounts
 * are stacked; what has no meaning as a sum, or is below zero, is drawn as lines. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/svg.h"
#include "cli/grid.h"
#include "cli/sync_print.h"

enum { MAX_CHARTS = 6, MAX_SERIES = 9, MAX_PLOT_BINS = 20000, HEIGHT = 320 };

struct plot {
	const struct cli_grid *g;
	struct mer_arena arena;
	struct mer_svg_chart charts[MAX_CHARTS];
	size_t n_charts;
	/* Of the table that is drawn */
	const struct analysis_table *t;
	size_t begin, end; /* columns; end SIZE_MAX: none */
	size_t of;	   /* column that says what rows are about; SIZE_MAX */
	const char *kind;  /* its value, of the chart that is drawn */
	int64_t *times;	   /* when bins begin */
	int64_t last;	   /* where the last one ends */
	size_t n_bins;
	uint32_t *names; /* by row: its series */
	const char **series;
	uint32_t n_series;
};

static const struct analysis_cell *cell(const struct plot *p, size_t row, size_t column)
{
	return &p->t->cells[row * p->t->n_columns + column];
}

static int nomem(const struct plot *p)
{
	return mer_fail_nomem(&p->g->cli->err);
}

static int by_time(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

static int find_bins(struct plot *p)
{
	size_t n = 0;
	p->times = mer_arena_zalloc(&p->arena, p->t->n_rows + 1, sizeof(*p->times));
	if (!p->times)
		return nomem(p);
	p->last = INT64_MIN;
	for (size_t r = 0; r < p->t->n_rows; r++) {
		const struct analysis_cell *begin = cell(p, r, p->begin);
		if (!begin->set)
			continue;
		p->times[n++] = begin->v.i;
		if (p->end != SIZE_MAX && cell(p, r, p->end)->set &&
			cell(p, r, p->end)->v.i > p->last)
			p->last = cell(p, r, p->end)->v.i;
	}
	if (n)
		qsort(p->times, n, sizeof(*p->times), by_time);
	p->n_bins = 0;
	for (size_t i = 0; i < n; i++)
		if (p->n_bins == 0 || p->times[i] != p->times[p->n_bins - 1])
			p->times[p->n_bins++] = p->times[i];
	if (p->n_bins > MAX_PLOT_BINS)
		return mer_fail(&p->g->cli->err, MER_ERR_USAGE,
			"--plot: %zu bins are more than a chart can show (%d)", p->n_bins,
			(int)MAX_PLOT_BINS);
	if (p->n_bins && p->last <= p->times[p->n_bins - 1])
		p->last = p->n_bins > 1 ? 2 * p->times[p->n_bins - 1] - p->times[p->n_bins - 2]
					: p->times[0] + 1;
	return 0;
}

static size_t bin_of(const struct plot *p, int64_t time)
{
	const int64_t *at = bsearch(&time, p->times, p->n_bins, sizeof(*p->times), by_time);
	return at ? (size_t)(at - p->times) : 0;
}

/* What a row is about: "server, wget 4711". */
static void put_name(const struct plot *p, size_t row, struct mer_str *out)
{
	for (size_t c = 0; c < p->t->n_columns; c++) {
		const struct analysis_column *k = &p->t->columns[c];
		const struct analysis_cell *v = cell(p, row, c);
		if (!cli_grid_names(k) || c == p->of || !k->title || !v->set ||
			(p->g->e->n_hosts == 1 && strcmp(k->key, "host") == 0))
			continue;
		mer_str_puts(out, out->len ? ", " : "");
		if (k->type == ANALYSIS_TEXT)
			mer_str_puts(out, v->v.text);
		else
			mer_str_printf(out, "%s %" PRId64, k->title, v->v.i);
	}
}

static int find_series(struct plot *p)
{
	struct mer_intern in;
	struct mer_str name = { 0 };
	int rc = 0;
	mer_intern_init(&in, &p->arena);
	p->names = mer_arena_zalloc(&p->arena, p->t->n_rows + 1, sizeof(*p->names));
	for (size_t r = 0; p->names && r < p->t->n_rows && rc == 0; r++) {
		mer_str_clear(&name);
		put_name(p, r, &name);
		p->names[r] = mer_intern_add(&in, name.data ? name.data : "", name.len);
		if (p->names[r] == MER_INTERN_NONE || name.failed)
			rc = nomem(p);
	}
	p->n_series = in.n;
	p->series = mer_arena_zalloc(&p->arena, in.n + 1u, sizeof(*p->series));
	for (uint32_t i = 0; p->series && i < in.n; i++)
		p->series[i] = mer_intern_text(&in, i);
	mer_intern_fini(&in);
	mer_str_fini(&name);
	return rc || (p->names && p->series) ? rc : nomem(p);
}

struct total {
	double sum;
	uint32_t series;
};

static int by_sum(const void *a, const void *b)
{
	const struct total *p = a, *q = b;
	if (p->sum != q->sum)
		return p->sum > q->sum ? -1 : 1;
	return (p->series > q->series) - (p->series < q->series);
}

/* Is the row drawn in this chart? */
static bool is_of(const struct plot *p, size_t row)
{
	const struct analysis_cell *c = cell(p, row, p->of);
	return c->set && strcmp(c->v.text, p->kind) == 0;
}

static double value(const struct plot *p, size_t row, size_t column)
{
	enum analysis_type type = p->t->columns[column].type;
	const struct analysis_cell *c = cell(p, row, column);
	if (!c->set || (p->of != SIZE_MAX && !is_of(p, row)))
		return NAN;
	if (type == ANALYSIS_RATIO)
		return c->v.f * 100;
	return type == ANALYSIS_REAL || type == ANALYSIS_RATE ? c->v.f : (double)c->v.i;
}

/* Where each series is drawn, the largest first; the rest together. place: by series. */
static size_t choose(
	struct plot *p, size_t column, size_t *place, const char **names, bool *stacked)
{
	struct total *totals = mer_arena_zalloc(&p->arena, p->n_series + 1u, sizeof(*totals));
	if (!totals)
		return 0;
	*stacked = p->t->columns[column].type != ANALYSIS_REAL;
	for (uint32_t i = 0; i < p->n_series; i++)
		totals[i] = (struct total){ -1, i };
	for (size_t r = 0; r < p->t->n_rows; r++) {
		double v = value(p, r, column);
		if (v < 0)
			*stacked = false;
		if (isfinite(v))
			totals[p->names[r]].sum = fmax(totals[p->names[r]].sum, 0) + fabs(v);
	}
	if (p->n_series)
		qsort(totals, p->n_series, sizeof(*totals), by_sum);
	size_t n = 0; /* that have values at all */
	while (n < p->n_series && totals[n].sum >= 0)
		n++;
	for (size_t i = 0; i < p->n_series; i++)
		place[totals[i].series] = i < MAX_SERIES ? i : MAX_SERIES;
	for (size_t i = 0; i < n && i < MAX_SERIES; i++)
		names[i] = p->series[totals[i].series];
	/* Sums of others make sense where sums do. */
	names[MAX_SERIES] = *stacked ? "all others" : NULL;
	return n <= MAX_SERIES ? n : *stacked ? MAX_SERIES + 1 : MAX_SERIES;
}

/* The values of a column, by place and bin; NAN: none. */
static double *sum_values(struct plot *p, size_t column, const size_t *place, size_t n)
{
	double *v = mer_arena_zalloc(&p->arena, n * p->n_bins + 1, sizeof(*v));
	for (size_t i = 0; v && i < n * p->n_bins; i++)
		v[i] = NAN;
	for (size_t r = 0; v && r < p->t->n_rows; r++) {
		size_t at = place[p->names[r]];
		double x = value(p, r, column);
		if (at >= n || !isfinite(x) || !cell(p, r, p->begin)->set)
			continue;
		double *slot = &v[at * p->n_bins + bin_of(p, cell(p, r, p->begin)->v.i)];
		*slot = isfinite(*slot) ? *slot + x : x;
	}
	return v;
}

/* Each bin is level from its begin to the next. */
static void put_steps(const struct plot *p, const double *y, double *to)
{
	for (size_t i = 0; i < p->n_bins; i++)
		to[2 * i] = to[2 * i + 1] = y[i];
}

static const double *make_x(struct plot *p)
{
	double *x = mer_arena_zalloc(&p->arena, 2 * p->n_bins + 1, sizeof(*x));
	for (size_t i = 0; x && i < p->n_bins; i++) {
		int64_t end = i + 1 < p->n_bins ? p->times[i + 1] : p->last;
		x[2 * i] = (double)(p->times[i] - p->times[0]);
		x[2 * i + 1] = (double)(end - p->times[0]);
	}
	return x;
}

static int add_chart(struct plot *p, size_t column, const double *x)
{
	const char *names[MAX_SERIES + 1];
	const struct analysis_column *k = &p->t->columns[column];
	size_t *place = mer_arena_zalloc(&p->arena, p->n_series + 1u, sizeof(*place));
	bool stacked = false;
	size_t n = place ? choose(p, column, place, names, &stacked) : 0;
	double *v = place ? sum_values(p, column, place, n) : NULL;
	struct mer_svg_series *series = mer_arena_zalloc(&p->arena, n + 1, sizeof(*series));
	double *below = mer_arena_zalloc(&p->arena, 2 * p->n_bins + 1, sizeof(*below));
	if (!v || !series || !below)
		return nomem(p);
	for (size_t s = 0; s < n; s++) {
		double *y = mer_arena_zalloc(&p->arena, 2 * p->n_bins + 1, sizeof(*y));
		if (!y)
			return nomem(p);
		put_steps(p, v + s * p->n_bins, y);
		for (size_t i = 0; stacked && i < 2 * p->n_bins; i++)
			y[i] = below[i] + (isfinite(y[i]) ? y[i] : 0);
		series[s] = (struct mer_svg_series){ stacked ? MER_SVG_BAND : MER_SVG_LINE,
			names[s], (unsigned)(s < MAX_SERIES ? s : MER_SVG_COLORS - 2), x, y, below,
			2 * p->n_bins };
		if (stacked)
			below = y;
	}
	bool wide = k->type == ANALYSIS_DURATION;
	const char *unit = k->type == ANALYSIS_BYTES   ? " (bytes)"
			   : k->type == ANALYSIS_RATIO ? " (percent)"
			   : k->type == ANALYSIS_RATE  ? " (bytes per second)"
						       : "";
	struct mer_svg_chart *c = &p->charts[p->n_charts++];
	*c = (struct mer_svg_chart){
		.title = mer_arena_printf(&p->arena, "%s%s%s: %s", p->t->title,
			p->kind ? ", by " : "", p->kind ? p->kind : "", k->title),
		.x = { "local time", MER_SVG_CLOCK, p->times[0], 0,
			(double)(p->last - p->times[0]) },
		.y = { mer_arena_printf(&p->arena, "%s in each bin%s", k->title, unit),
			wide ? MER_SVG_DURATION : MER_SVG_PLAIN, 0, 0, 0 },
		.series = series,
		.n_series = n,
		.height = HEIGHT,
	};
	return c->title && c->y.title ? 0 : nomem(p);
}

/* Rows of several kinds ("host", "cpu", "thread") tell the same more than once: a chart for each kind. */
static int add_kinds(struct plot *p, size_t column, const double *x)
{
	const char *kinds[MAX_CHARTS];
	size_t n = 0;
	int rc = 0;
	for (size_t r = 0; r < p->t->n_rows && n < MAX_CHARTS; r++) {
		const struct analysis_cell *c = cell(p, r, p->of);
		size_t i = 0;
		while (c->set && i < n && strcmp(kinds[i], c->v.text) != 0)
			i++;
		if (c->set && i == n)
			kinds[n++] = c->v.text;
	}
	for (size_t i = 0; i < n && p->n_charts < MAX_CHARTS && rc == 0; i++) {
		p->kind = kinds[i];
		rc = add_chart(p, column, x);
	}
	p->kind = NULL;
	return rc;
}

static int add_table(struct plot *p, const struct analysis_table *t)
{
	p->t = t;
	p->begin = p->end = p->of = SIZE_MAX;
	for (size_t c = 0; c < t->n_columns; c++) {
		if (strcmp(t->columns[c].key, "of") == 0 && t->columns[c].type == ANALYSIS_TEXT)
			p->of = c;
		if (t->columns[c].type != ANALYSIS_TIME)
			continue;
		if (p->begin == SIZE_MAX)
			p->begin = c;
		else if (p->end == SIZE_MAX)
			p->end = c;
	}
	if (p->begin == SIZE_MAX || !t->n_rows)
		return 0;
	int rc = find_bins(p);
	if (rc == 0 && p->n_bins)
		rc = find_series(p);
	const double *x = rc == 0 && p->n_bins ? make_x(p) : NULL;
	if (rc == 0 && p->n_bins && !x)
		rc = nomem(p);
	for (size_t c = 0; x && c < t->n_columns && p->n_charts < MAX_CHARTS && rc == 0; c++) {
		if (!t->columns[c].title || cli_grid_names(&t->columns[c]) ||
			t->columns[c].type == ANALYSIS_TIME)
			continue;
		if (p->of != SIZE_MAX)
			return add_kinds(p, c, x);
		rc = add_chart(p, c, x);
	}
	return rc;
}

int cli_grid_plot(struct cli_grid *g, const char *path)
{
	struct plot p = { .g = g };
	struct mer_str text = { 0 };
	int rc = 0;
	mer_arena_init(&p.arena);
	for (size_t i = 0; i < g->n && rc == 0; i++)
		if (strncmp(g->tables[i].id, "bins", 4) == 0)
			rc = add_table(&p, &g->tables[i]);
	if (rc == 0)
		rc = mer_svg_write(&text, g->analysis->title, p.charts, p.n_charts, &g->cli->err);
	if (rc == 0)
		rc = cli_sync_write_file(g->cli, path, &text);
	mer_str_fini(&text);
	mer_arena_fini(&p.arena);
	return rc;
}
