#include "draw/chart_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/human.h"

enum { MAX_KEYS = 8, MAX_KINDS = 6 };
static const char others[] = "all others";

struct drawing {
	struct draw_chart_page *page;
	const struct mer_table *t;
	const struct analysis_chart *chart;
	size_t begin, end, of, host, comm, tid, pid, per, total, view,
		state; /* columns; SIZE_MAX: not there */
	size_t keys[MAX_KEYS], n_keys;
	int64_t *edges; /* of bins: n_bins + 1 */
	size_t n_bins;
	const char *only;      /* the host whose panel is drawn; NULL: all */
	const char *only_host; /* the host of all rows; NULL: there are several */
	size_t n_hosts;
	/* The panel that is being made */
	struct mer_intern names;
	double **sums;	/* by name: values by bin */
	uint32_t *owns; /* by name: its own color; 0: none */
	size_t cap_sums, cap_owns;
};

static int nomem(const struct drawing *d)
{
	return mer_fail_nomem(d->page->err);
}

static const struct mer_cell *cell(const struct drawing *d, size_t row, size_t column)
{
	return &d->t->cells[row * d->t->n_columns + column];
}

static bool is_set(const struct drawing *d, size_t row, size_t column)
{
	return column != SIZE_MAX && cell(d, row, column)->set;
}

static bool says(const struct drawing *d, size_t row, size_t column, const char *text)
{
	return is_set(d, row, column) && strcmp(cell(d, row, column)->v.text, text) == 0;
}

static size_t find(const struct mer_table *t, const char *key, size_t len)
{
	for (size_t c = 0; c < t->n_columns; c++)
		if (strlen(t->columns[c].key) == len && memcmp(t->columns[c].key, key, len) == 0)
			return c;
	return SIZE_MAX;
}

static size_t find_key(const struct mer_table *t, const char *key)
{
	return key ? mer_table_column(t, key) : SIZE_MAX;
}

/* False: the table has nothing that is to be drawn. */
static bool find_columns(struct drawing *d)
{
	const struct analysis_chart *c = d->chart;
	d->begin = find_key(d->t, "begin");
	d->end = find_key(d->t, "end");
	d->of = find_key(d->t, "of");
	d->host = find_key(d->t, "host");
	d->comm = find_key(d->t, "comm");
	d->tid = find_key(d->t, "tid");
	d->pid = find_key(d->t, "pid");
	d->per = find_key(d->t, c->per);
	d->total = find_key(d->t, c->total);
	d->view = find_key(d->t, "view");
	d->state = find_key(d->t, "state");
	d->n_keys = 0;
	for (const char *k = c->keys; *k && d->n_keys < MAX_KEYS;) {
		size_t len = strcspn(k, " "), at = find(d->t, k, len);
		if (at != SIZE_MAX)
			d->keys[d->n_keys++] = at;
		k += len + (k[len] == ' ');
	}
	return d->begin != SIZE_MAX && d->end != SIZE_MAX && d->n_keys;
}

/* ---- Bins ---- */

static int by_time(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

bool draw_table_range(const struct mer_table *t, int64_t *begin, int64_t *end)
{
	size_t from = find_key(t, "begin"), to = find_key(t, "end");
	bool any = false;
	for (size_t r = 0; from != SIZE_MAX && to != SIZE_MAX && r < t->n_rows; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns];
		if (!c[from].set || !c[to].set)
			continue;
		*begin = any && *begin < c[from].v.i ? *begin : c[from].v.i;
		*end = any && *end > c[to].v.i ? *end : c[to].v.i;
		any = true;
	}
	return any;
}

/* All begins and ends are edges, as empty bins may have no row. */
static int find_bins(struct drawing *d)
{
	size_t n = 0, kept = 0;
	d->edges = mer_arena_zalloc(&d->page->arena, 2 * d->t->n_rows + 1, sizeof(*d->edges));
	if (!d->edges)
		return nomem(d);
	for (size_t r = 0; r < d->t->n_rows; r++)
		if (is_set(d, r, d->begin) && is_set(d, r, d->end)) {
			d->edges[n++] = cell(d, r, d->begin)->v.i;
			d->edges[n++] = cell(d, r, d->end)->v.i;
		}
	if (n)
		qsort(d->edges, n, sizeof(*d->edges), by_time);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || d->edges[i] != d->edges[kept - 1])
			d->edges[kept++] = d->edges[i];
	d->n_bins = kept ? kept - 1 : 0;
	if (d->n_bins > DRAW_CHART_BINS)
		return mer_fail_remedy(d->page->err, MER_ERR_USAGE, MER_REMEDY_FEWER_BINS,
			"%zu bins are more than a chart can show (%d)", d->n_bins,
			(int)DRAW_CHART_BINS);
	return 0;
}

static size_t bin_of(const struct drawing *d, int64_t time)
{
	const int64_t *at = bsearch(&time, d->edges, d->n_bins, sizeof(*d->edges), by_time);
	return at ? (size_t)(at - d->edges) : d->n_bins;
}

/* ---- Rows ---- */

static bool is_drawn(const struct drawing *d, size_t row)
{
	const struct analysis_chart *c = d->chart;
	return (!c->of || says(d, row, d->of, c->of)) &&
	       (!d->only || says(d, row, d->host, d->only)) && is_set(d, row, d->begin);
}

/* NAN: not known. */
static double value(const struct drawing *d, size_t row, size_t column)
{
	const struct mer_cell *c = cell(d, row, column);
	enum mer_type type = d->t->columns[column].type;
	if (!c->set)
		return NAN;
	double v = mer_type_is_real(type) ? c->v.f : (double)c->v.i;
	if (type == MER_RATIO)
		return 100 * v;
	if (d->per != SIZE_MAX) {
		const struct mer_cell *whole = cell(d, row, d->per);
		return whole->set && whole->v.i > 0 ? 100 * v / (double)whole->v.i : NAN;
	}
	if (d->chart->per && strcmp(d->chart->per, "time") == 0) {
		int64_t ns = cell(d, row, d->end)->v.i - cell(d, row, d->begin)->v.i;
		return ns > 0 ? v / ((double)ns / 1e9) : NAN;
	}
	return v;
}

static enum mer_svg_unit unit_of(const struct drawing *d)
{
	const struct mer_column *k = &d->t->columns[d->keys[0]];
	if (d->per != SIZE_MAX || k->type == MER_RATIO)
		return MER_SVG_PERCENT;
	switch (k->type) {
	case MER_BYTES: return d->chart->per ? MER_SVG_RATE : MER_SVG_BYTES;
	case MER_KHZ: return MER_SVG_KHZ;
	case MER_RATE: return MER_SVG_RATE;
	case MER_DURATION: return MER_SVG_DURATION;
	default: return MER_SVG_PLAIN;
	}
}

/* The name of the row's series, without what all rows of the panel have in common: "wget 4711",
 * "CPU 3". */
static void put_name(const struct drawing *d, size_t row, size_t key, struct mer_str *out)
{
	const struct mer_table *t = d->t;
	size_t number = is_set(d, row, d->tid) ? d->tid : d->pid;
	if (d->tid != SIZE_MAX && !is_set(d, row, d->tid) && says(d, row, d->comm, others)) {
		mer_str_puts(out, others);
		return;
	}
	bool by_thread = d->of == SIZE_MAX || says(d, row, d->of, "thread");
	bool of_nobody = d->tid != SIZE_MAX && by_thread && !is_set(d, row, d->tid) &&
			 !is_set(d, row, d->comm);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_column *k = &t->columns[c];
		const struct mer_cell *v = cell(d, row, c);
		if (!mer_column_names(k) || !v->set || c == d->of || c == d->tid ||
			(c == d->host && (d->only || d->n_hosts < 2)) ||
			(!k->title && c != d->comm))
			continue;
		if (c == d->pid && is_set(d, row, d->comm))
			continue;
		mer_str_puts(out, out->len ? ", " : "");
		if (k->type == MER_TEXT)
			mer_str_puts(out, v->v.text);
		else
			mer_str_printf(out, "%s %" PRId64, k->title, v->v.i);
		if (c == d->comm && is_set(d, row, number))
			mer_str_printf(out, " %" PRId64, cell(d, row, number)->v.i);
	}
	if (of_nobody) /* time of interrupts */
		mer_str_printf(out, "%sno thread", out->len ? ", " : "");
	const char *title = t->columns[key].title;
	if (d->n_keys > 1)
		mer_str_printf(
			out, "%s%s", out->len ? ": " : "", title ? title : t->columns[key].key);
	else if (out->len == 0 && d->only)
		mer_str_puts(out, d->only);
}

/* ---- A panel ---- */

static uint32_t own_color(const struct drawing *d, size_t row)
{
	const struct draw_chart_page *p = d->page;
	return p->state_color && is_set(d, row, d->view) && is_set(d, row, d->state)
		       ? p->state_color(p->state_color_ctx, cell(d, row, d->view)->v.text,
				 cell(d, row, d->state)->v.text)
		       : 0;
}

static int add_value(struct drawing *d, size_t row, size_t key, struct mer_str *name)
{
	size_t bin = bin_of(d, cell(d, row, d->begin)->v.i);
	double v = value(d, row, key);
	if (!isfinite(v) || bin >= d->n_bins)
		return 0;
	mer_str_clear(name);
	put_name(d, row, key, name);
	uint32_t i = mer_intern_add(&d->names, name->data ? name->data : "", name->len);
	double **sum = i == MER_INTERN_NONE || name->failed
			       ? NULL
			       : mer_grow_at(&d->sums, &d->cap_sums, i, sizeof(*sum));
	uint32_t *own = sum ? mer_grow_at(&d->owns, &d->cap_owns, i, sizeof(*own)) : NULL;
	if (!own)
		return nomem(d);
	if (!*sum) {
		*own = own_color(d, row);
		*sum = malloc((d->n_bins + 1) * sizeof(**sum));
		for (size_t b = 0; *sum && b < d->n_bins; b++)
			(*sum)[b] = NAN;
	}
	if (!*sum)
		return nomem(d);
	(*sum)[bin] = isfinite((*sum)[bin]) ? (*sum)[bin] + v : v;
	return 0;
}

struct ranked {
	double sum;
	uint32_t name;
};

static int by_sum(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->sum != q->sum)
		return p->sum > q->sum ? -1 : 1;
	return (p->name > q->name) - (p->name < q->name);
}

static double sum_of(const struct drawing *d, uint32_t name)
{
	double sum = 0;
	for (size_t b = 0; b < d->n_bins; b++)
		sum += isfinite(d->sums[name][b]) ? fabs(d->sums[name][b]) : 0;
	return sum;
}

static void add_to(double *to, const double *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(from[i]))
			to[i] = isfinite(to[i]) ? to[i] + from[i] : from[i];
}

/* A stacked series that is 0 everywhere needs no place in the legend, unless the series are
 * columns. */
static bool is_shown(const struct drawing *d, double sum)
{
	return sum != 0 || d->chart->lines || d->n_keys > 1;
}

static void put_total(struct drawing *d)
{
	size_t n = d->n_bins;
	double *v = draw_chart_values(d->page, n);
	struct analysis_chart of_total = { .of = d->chart->total_of };
	const struct analysis_chart *chart = d->chart;
	bool any = false;
	for (size_t i = 0; v && i < n; i++)
		v[i] = NAN;
	d->chart = &of_total;
	for (size_t r = 0; v && r < d->t->n_rows; r++) {
		size_t bin = is_drawn(d, r) ? bin_of(d, cell(d, r, d->begin)->v.i) : n;
		if (bin < n && is_set(d, r, d->total)) {
			v[bin] = 100 * cell(d, r, d->total)->v.f;
			any = true;
		}
	}
	d->chart = chart;
	if (any)
		draw_chart_total(d->page, chart->total_name, v, d->edges, n);
}

/* The key of a series, which has the same color on all panels: its host and name. NULL: its name
 * alone. */
static const char *key_of(const struct drawing *d, const char *name)
{
	const char *host = d->only ? d->only : d->only_host;
	return d->n_keys == 1 && host && strcmp(host, name) != 0
		       ? mer_arena_printf(&d->page->arena, "%s, %s", host, name)
		       : NULL;
}

/* Adds the largest series and, unless they are lines, the sum of all others. */
static int put_series(struct drawing *d)
{
	struct draw_chart_name names[DRAW_CHART_SERIES + 1];
	const double *values[DRAW_CHART_SERIES + 1];
	uint32_t n = d->names.n, rest = mer_intern_find(&d->names, others, sizeof(others) - 1);
	struct ranked *order = calloc((size_t)n + 1, sizeof(*order));
	double *left = draw_chart_values(d->page, d->n_bins);
	bool has_left = rest != MER_INTERN_NONE;
	size_t shown = 0;
	if (!order || !left) {
		free(order);
		return nomem(d);
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct ranked){ i == rest ? -1 : sum_of(d, i), i };
	/* Columns, and few lines, stay in the order of the table. */
	if (n > DRAW_CHART_SERIES || (!d->chart->lines && d->n_keys == 1))
		qsort(order, n, sizeof(*order), by_sum);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = order[k].name;
		if (!is_shown(d, order[k].sum))
			continue;
		if (shown < DRAW_CHART_SERIES && i != rest) {
			const char *name = mer_intern_text(&d->names, i);
			names[shown] = (struct draw_chart_name){ name[0] ? name : NULL,
				key_of(d, name), d->owns[i] };
			values[shown++] = d->sums[i];
		} else if (!d->chart->lines) {
			add_to(left, d->sums[i], d->n_bins);
			has_left = true;
		}
	}
	if (has_left && !d->chart->lines) {
		names[shown] = (struct draw_chart_name){ others, NULL, 0 };
		values[shown++] = left;
	} else {
		has_left = false;
	}
	draw_chart_levels(
		d->page, !d->chart->lines, names, values, shown, has_left, d->edges, d->n_bins);
	free(order);
	if (d->total != SIZE_MAX)
		put_total(d);
	return 0;
}

/* Bins are as wide as each other, to the nanosecond. */
static const char *note_of(struct drawing *d)
{
	struct mer_str text = { 0 };
	mer_put_duration(&text, d->edges[1] - d->edges[0]);
	const char *note =
		text.failed ? NULL : mer_arena_printf(&d->page->arena, "bins of %s", text.data);
	mer_str_fini(&text);
	return note;
}

/* Are there series to draw (at least two, if the chart compares several) besides the others? */
static bool is_worth_it(const struct drawing *d)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->names.n; i++)
		n += strcmp(mer_intern_text(&d->names, i), others) != 0 &&
		     is_shown(d, sum_of(d, i));
	return n > (d->chart->several ? 1 : 0);
}

static int put_panel(struct drawing *d)
{
	struct mer_str name = { 0 };
	int rc = 0;
	mer_intern_init(&d->names, &d->page->arena);
	for (size_t r = 0; r < d->t->n_rows && rc == 0; r++)
		for (size_t k = 0; k < d->n_keys && rc == 0 && is_drawn(d, r); k++)
			rc = add_value(d, r, d->keys[k], &name);
	const struct analysis_chart *c = d->chart;
	const char *title = d->only && d->n_hosts > 1
				    ? mer_arena_printf(&d->page->arena, "%s: %s", d->only, c->title)
				    : c->title;
	enum mer_svg_unit unit = unit_of(d);
	if (rc == 0 && is_worth_it(d)) {
		struct mer_svg_chart *panel = draw_chart_panel(d->page, title, c->y, unit);
		if (panel && unit == MER_SVG_PERCENT)
			panel->y.max = 100;
		if (panel && !d->page->compact)
			panel->note = note_of(d);
		else if (panel && (d->tid != SIZE_MAX || d->pid != SIZE_MAX))
			panel->note = d->page->task_note;
		rc = panel ? put_series(d) : nomem(d);
	}
	for (size_t i = 0; i < d->cap_sums; i++)
		free(d->sums[i]);
	free(d->sums);
	free(d->owns);
	d->sums = NULL;
	d->owns = NULL;
	d->cap_sums = d->cap_owns = 0;
	mer_intern_fini(&d->names);
	mer_str_fini(&name);
	return rc;
}

/* ---- Hosts ---- */

struct host {
	const char *name;
	double sum;
	size_t at;
};

static int by_host_sum(const void *a, const void *b)
{
	const struct host *p = a, *q = b;
	if (p->sum != q->sum)
		return p->sum > q->sum ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

static int by_place(const void *a, const void *b)
{
	const struct host *p = a, *q = b;
	return (p->at > q->at) - (p->at < q->at);
}

/* Hosts of the rows that are drawn, in the order of their first rows; in the arena. */
static struct host *find_hosts(struct drawing *d)
{
	struct mer_intern names;
	struct host *hosts = mer_arena_zalloc(&d->page->arena, d->t->n_rows + 1, sizeof(*hosts));
	d->n_hosts = 0;
	mer_intern_init(&names, &d->page->arena);
	for (size_t r = 0; hosts && r < d->t->n_rows; r++) {
		if (!is_set(d, r, d->host) || !is_drawn(d, r))
			continue;
		const char *name = cell(d, r, d->host)->v.text;
		uint32_t i = mer_intern_add(&names, name, strlen(name));
		if (i == MER_INTERN_NONE) {
			hosts = NULL;
			break;
		}
		d->n_hosts = names.n;
		hosts[i].name = mer_intern_text(&names, i);
		hosts[i].at = i;
		for (size_t k = 0; k < d->n_keys; k++) {
			double v = value(d, r, d->keys[k]);
			hosts[i].sum += isfinite(v) ? fabs(v) : 0;
		}
	}
	d->only_host = hosts && d->n_hosts == 1 ? hosts[0].name : NULL;
	mer_intern_fini(&names);
	return hosts;
}

static int put_panels(struct drawing *d)
{
	int rc = find_bins(d);
	struct host *hosts = rc == 0 && d->n_bins ? find_hosts(d) : NULL;
	if (rc || d->n_bins == 0)
		return rc;
	if (!hosts)
		return nomem(d);
	if (!d->chart->by_host)
		return put_panel(d);
	size_t n = d->n_hosts < DRAW_CHART_HOSTS ? d->n_hosts : DRAW_CHART_HOSTS;
	if (n)
		qsort(hosts, d->n_hosts, sizeof(*hosts), by_host_sum);
	if (n)
		qsort(hosts, n, sizeof(*hosts), by_place);
	for (size_t i = 0; i < n && rc == 0; i++) {
		d->only = hosts[i].name;
		rc = put_panel(d);
	}
	d->only = NULL;
	return rc;
}

static int draw_chart(
	struct draw_chart_page *p, const struct mer_table *t, const struct analysis_chart *chart)
{
	struct drawing d = { .page = p, .t = t, .chart = chart };
	return find_columns(&d) ? put_panels(&d) : 0;
}

/* ---- Without charts of its own ---- */

static int draw_column(
	struct draw_chart_page *p, const struct mer_table *t, size_t column, const char *kind)
{
	const struct mer_column *k = &t->columns[column];
	struct analysis_chart c = { .y = k->title, .of = kind, .keys = k->key };
	c.lines = k->type == MER_REAL;
	c.title = mer_arena_printf(
		&p->arena, "%s%s%s: %s", t->title, kind ? ", by " : "", kind ? kind : "", k->title);
	return c.title ? draw_chart(p, t, &c) : mer_fail_nomem(p->err);
}

/* Rows of several kinds ("host", "cpu", "thread") count the same time more than once: a chart for
 * each kind. */
static int draw_kinds(
	struct draw_chart_page *p, const struct mer_table *t, size_t of, size_t column)
{
	const char *kinds[MAX_KINDS];
	size_t n = 0;
	int rc = 0;
	for (size_t r = 0; r < t->n_rows && n < MAX_KINDS; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns + of];
		size_t i = 0;
		while (c->set && i < n && strcmp(kinds[i], c->v.text) != 0)
			i++;
		if (c->set && i == n)
			kinds[n++] = c->v.text;
	}
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = draw_column(p, t, column, kinds[i]);
	return rc;
}

static bool is_about(const struct analysis_chart *c, const struct mer_table *t)
{
	return strcmp(c->table ? c->table : "bins", t->id) == 0;
}

int draw_tables(
	struct draw_chart_page *p, const struct mer_table *t, const struct analysis *a, size_t most)
{
	size_t of = find_key(t, "of"), first = p->n;
	int rc = 0;
	if (a->charts) {
		for (size_t i = 0; a->charts[i].title && p->n - first < most && rc == 0; i++)
			if (is_about(&a->charts[i], t))
				rc = draw_chart(p, t, &a->charts[i]);
		return rc;
	}
	for (size_t c = 0; c < t->n_columns && p->n - first < most && rc == 0; c++) {
		if (!t->columns[c].title || mer_column_names(&t->columns[c]) ||
			t->columns[c].type == MER_TIME)
			continue;
		if (of != SIZE_MAX)
			return draw_kinds(p, t, of, c);
		rc = draw_column(p, t, c, NULL);
	}
	return rc;
}

int draw_summary(struct draw_chart_page *p, const struct mer_table *t, const struct analysis *a)
{
	int rc = 0;
	for (size_t i = 0; a->charts && a->charts[i].title && rc == 0; i++)
		if (a->charts[i].summary && is_about(&a->charts[i], t))
			rc = draw_chart(p, t, &a->charts[i]);
	return rc;
}
