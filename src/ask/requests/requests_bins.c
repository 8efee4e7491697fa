#include "ask/requests/requests_bins.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ask/period.h"
#include "ask/print/table.h"
#include "draw/chart.h"

/* ---- which in which ---- */

static int find_range(
	const struct ask_requests *c, uint64_t n_bins, int64_t interval_ns, struct analysis_bins *b)
{
	int64_t begin, end;
	*b = (struct analysis_bins){ 0 };
	if (!ask_requests_window(c, &begin, &end))
		return 0;
	b->begin = begin;
	b->length = end - begin;
	if (!n_bins) {
		n_bins = (uint64_t)((b->length - 1) / interval_ns) + 1;
		if (n_bins > ANALYSIS_MAX_BINS)
			return mer_fail(&c->ask->err, MER_ERR_USAGE,
				"--interval: %" PRIu64
				" bins are more than %d; choose a longer one",
				n_bins, (int)ANALYSIS_MAX_BINS);
		b->length = (int64_t)n_bins * interval_ns; /* the last one may be cut */
	}
	b->n = (uint32_t)n_bins;
	return 0;
}

static int add_bin(const struct ask_requests *c, struct ask_requests_bins *b,
	const uint32_t *row_of, const uint32_t *which, uint32_t n, uint32_t bin)
{
	struct requests_sums *rows = NULL;
	uint32_t n_rows = 0;
	int rc = requests_sum(c->kinds, which, n, &rows, &n_rows, &c->ask->err);
	for (uint32_t i = 0; rc == 0 && i < n_rows; i++) {
		const struct requests_sums *x = &rows[i];
		uint32_t row = row_of[x->kind];
		if (row) /* plus 1; of the others only some are wanted */
			b->times[(size_t)(row - 1) * b->bins.n + bin] =
				(struct ask_requests_time){ x->count, x->n_timed, x->p50_ns,
					x->p90_ns, x->p99_ns, x->max_ns };
	}
	free(rows);
	return rc;
}

int ask_requests_bins_find(const struct ask_requests *c, const struct requests_sums *kinds,
	uint32_t n_kinds, uint64_t n_bins, int64_t interval_ns, struct ask_requests_bins *b)
{
	*b = (struct ask_requests_bins){ .kinds = kinds, .n_kinds = n_kinds };
	int rc = find_range(c, n_bins, interval_ns, &b->bins);
	if (rc || !b->bins.n)
		return rc;
	size_t n_times = (size_t)n_kinds * b->bins.n;
	uint32_t *starts = calloc((size_t)b->bins.n + 2, sizeof(*starts));
	uint32_t *order = malloc(((size_t)c->n + 1) * sizeof(*order));
	uint32_t *row_of = calloc((size_t)c->kinds->names.n + 1, sizeof(*row_of));
	b->times = malloc((n_times + 1) * sizeof(*b->times));
	if (!starts || !order || !row_of || !b->times)
		rc = mer_fail_nomem(&c->ask->err);
	for (size_t i = 0; rc == 0 && i < n_times; i++)
		b->times[i] = (struct ask_requests_time){ 0, 0, -1, -1, -1, -1 };
	for (uint32_t i = 0; rc == 0 && i < n_kinds; i++)
		row_of[kinds[i].kind] = i + 1;
	/* All lie within: the range is theirs. */
	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		starts[analysis_bin_of(&b->bins, c->r->exchanges[c->which[i]].begin) + 2]++;
	for (uint32_t i = 1; rc == 0 && i < b->bins.n + 2; i++)
		starts[i] += starts[i - 1];
	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		order[starts[analysis_bin_of(&b->bins, c->r->exchanges[c->which[i]].begin) + 1]++] =
			c->which[i];
	for (uint32_t i = 0; rc == 0 && i < b->bins.n; i++)
		if (starts[i + 1] > starts[i])
			rc = add_bin(c, b, row_of, order + starts[i], starts[i + 1] - starts[i], i);
	free(starts);
	free(order);
	free(row_of);
	return rc;
}

void ask_requests_bins_fini(struct ask_requests_bins *b)
{
	free(b->times);
}

static double rate_of(const struct ask_requests_bins *b, uint32_t bin, uint32_t count)
{
	int64_t ns = analysis_bin_edge(&b->bins, bin + 1) - analysis_bin_edge(&b->bins, bin);
	return ns > 0 ? (double)count * 1e9 / (double)ns : 0;
}

/* ---- as a table ---- */

enum { BEGIN, END, KIND, COUNT, RATE, P50, P90, P99, MAX, N };
static const struct mer_column columns[N + 1] = {
	[BEGIN] = { "begin", "Begin", MER_TIME },
	[END] = { "end", NULL, MER_TIME },
	[KIND] = { "kind", "Kind", MER_TEXT },
	[COUNT] = { "count", "Count", MER_COUNT },
	[RATE] = { "rate", "Per second", MER_REAL },
	[P50] = { "p50_ns", "p50", MER_DURATION },
	[P90] = { "p90_ns", "p90", MER_DURATION },
	[P99] = { "p99_ns", "p99", MER_DURATION },
	[MAX] = { "max_ns", "Max", MER_DURATION },
};

/* least: p90 and p99 of fewer requests are not told. */
static void add_rows(const struct ask_requests *c, const struct ask_requests_bins *b,
	uint32_t least, struct mer_table *t)
{
	for (uint32_t i = 0; i < b->n_kinds; i++)
		for (uint32_t k = 0; k < b->bins.n; k++) {
			const struct ask_requests_time *x = &b->times[(size_t)i * b->bins.n + k];
			bool is_ranked = x->n_timed >= least;
			const char *kind = mer_intern_text(&c->kinds->names, b->kinds[i].kind);
			mer_table_add(
				t, (struct mer_cell[N]){
					   [BEGIN] = MER_INT(analysis_bin_edge(&b->bins, k)),
					   [END] = MER_INT(analysis_bin_edge(&b->bins, k + 1)),
					   [KIND] = mer_text(kind),
					   [COUNT] = MER_INT(x->count),
					   [RATE] = MER_REAL_CELL(rate_of(b, k, x->count)),
					   [P50] = mer_natural(x->p50_ns),
					   [P90] = mer_natural(is_ranked ? x->p90_ns : -1),
					   [P99] = mer_natural(is_ranked ? x->p99_ns : -1),
					   [MAX] = mer_natural(x->max_ns),
				   });
		}
}

void ask_requests_answer_bins(
	const struct ask_requests *c, const struct ask_requests_bins *b, struct answer *a)
{
	add_rows(c, b, 0, answer_add(a, "bins", "Requests by kind over time", columns));
}

int ask_requests_bins_text(
	const struct ask_requests *c, const struct ask_requests_bins *b, struct mer_str *out)
{
	struct mer_arena arena;
	struct mer_table t;
	mer_arena_init(&arena);
	mer_table_init(&t, "bins", NULL, columns, &arena);
	add_rows(c, b, ASK_REQUESTS_LEAST_RANKED, &t);
	ask_heading_text(c->ask, "Requests by kind over time", NULL,
		b->bins.n ? b->bins.begin : MER_NO_TIME, b->bins.begin + b->bins.length, out);
	ask_requests_shorten_kinds(c, &t, KIND);
	/* Kinds that one can tell apart are worth more. */
	if (ask_table_least_width(&t, SIZE_MAX, c->ask->ascii) > (size_t)ask_width(c->ask))
		mer_table_hide(&t, P90);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	int rc = t.failed || arena.failed ? mer_fail_nomem(&c->ask->err) : 0;
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	return rc;
}

/* ---- as a chart ---- */

enum measure { RATES, P50S, P99S };

static double measured(
	const struct ask_requests_bins *b, uint32_t kind, uint32_t bin, enum measure m)
{
	const struct ask_requests_time *x = &b->times[(size_t)kind * b->bins.n + bin];
	int64_t ns = m == P50S ? x->p50_ns : x->p99_ns;
	if (m == RATES)
		return rate_of(b, bin, x->count);
	return ns < 0 ? (double)NAN : (double)ns;
}

static void add_panel(const struct ask_requests *c, const struct ask_requests_bins *b,
	struct draw_chart_page *p, enum measure m, const int64_t *edges)
{
	static const char *const titles[] = { "Requests by kind",
		"Half of the requests take at most", "99 % of the requests take at most" };
	static const char *const units[] = { "per second", "p50", "p99" };
	struct draw_chart_name names[DRAW_CHART_SERIES];
	const double *values[DRAW_CHART_SERIES];
	uint32_t n = b->n_kinds < DRAW_CHART_SERIES ? b->n_kinds : DRAW_CHART_SERIES;
	struct mer_svg_chart *chart = draw_chart_panel(
		p, titles[m], units[m], m == RATES ? MER_SVG_PLAIN : MER_SVG_DURATION);
	if (chart && n < b->n_kinds)
		chart->note = "Only the kinds that took most of the time are drawn.";
	for (uint32_t i = 0; i < n; i++) {
		double *v = draw_chart_values(p, b->bins.n);
		if (!v)
			return;
		for (uint32_t k = 0; k < b->bins.n; k++)
			v[k] = measured(b, i, k, m);
		values[i] = v;
		names[i] = (struct draw_chart_name){ .name = mer_intern_text(
							     &c->kinds->names, b->kinds[i].kind) };
	}
	draw_chart_levels(p, false, names, values, n, false, edges, b->bins.n);
}

int ask_requests_bins_plot(
	const struct ask_requests *c, const struct ask_requests_bins *b, const char *path)
{
	struct draw_chart_page p;
	struct mer_str svg = { 0 };
	int64_t *edges = malloc(((size_t)b->bins.n + 1) * sizeof(*edges));
	int rc = edges ? 0 : mer_fail_nomem(&c->ask->err);
	if (rc == 0 && !b->bins.n)
		rc = mer_fail(
			&c->ask->err, MER_ERR_USAGE, "--plot: no request matches the options");
	if (rc) {
		free(edges);
		return rc;
	}
	for (uint32_t i = 0; i <= b->bins.n; i++)
		edges[i] = analysis_bin_edge(&b->bins, i);
	draw_chart_init(&p, edges[0], edges[b->bins.n], &c->ask->err);
	for (unsigned m = RATES; m <= P99S; m++)
		add_panel(c, b, &p, (enum measure)m, edges);
	rc = draw_chart_svg(&p, "Requests over time", &svg);
	if (rc == 0)
		rc = ask_write_picture(c->ask, path, &svg);
	draw_chart_fini(&p);
	mer_str_fini(&svg);
	free(edges);
	return rc;
}
