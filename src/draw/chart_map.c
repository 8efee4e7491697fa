/* The table "map" of an analysis as charts: where requests go on disks over time, a panel for each
 * disk, a point for each row. */
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "draw/chart_table.h"

enum { MAX_PANELS = 12 };

/* In the order of their colors. */
static const char *const names[] = { "disk read", "disk write", "disk discard" };

struct map {
	struct draw_chart_page page;
	bool many_hosts;
	const struct mer_table *t;
	size_t begin, end, host, of, name, place, place_end, count; /* columns */
};

static const struct mer_cell *cell(const struct map *m, size_t row, size_t c)
{
	return &m->t->cells[row * m->t->n_columns + c];
}

static bool find_columns(struct map *m, const struct mer_table *t)
{
	m->t = t;
	m->begin = mer_table_column(t, "begin");
	m->end = mer_table_column(t, "end");
	m->host = mer_table_column(t, "host");
	m->of = mer_table_column(t, "disk");
	m->name = mer_table_column(t, "name");
	m->place = mer_table_column(t, "sector");
	m->place_end = mer_table_column(t, "sector_end");
	m->count = mer_table_column(t, "requests");
	const size_t all[] = { m->begin, m->end, m->host, m->of, m->name, m->place, m->place_end,
		m->count };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] == SIZE_MAX)
			return false;
	return true;
}

static bool is_same(const struct map *m, size_t c, size_t a, size_t b)
{
	return strcmp(cell(m, a, c)->v.text, cell(m, b, c)->v.text) == 0;
}

static bool is_same_panel(const struct map *m, size_t a, size_t b)
{
	return is_same(m, m->host, a, b) && is_same(m, m->of, a, b);
}

/* The middle of [from, to], counted from zero, which is not after from. Times may be further apart
 * than INT64_MAX. */
static double middle(int64_t from, int64_t to, int64_t zero)
{
	double begin = (double)((uint64_t)from - (uint64_t)zero);
	return begin + (double)((uint64_t)to - (uint64_t)from) / 2;
}

/* The points of rows first to last that have this name. */
static bool add_points(struct map *m, size_t first, size_t last, const char *name)
{
	double *x = draw_chart_values(&m->page, last - first);
	double *y = draw_chart_values(&m->page, last - first);
	size_t n = 0;
	int64_t requests = 0;
	if (!x || !y)
		return false;
	for (size_t i = first; i < last; i++) {
		if (strcmp(cell(m, i, m->name)->v.text, name) != 0)
			continue;
		x[n] = middle(cell(m, i, m->begin)->v.i, cell(m, i, m->end)->v.i, m->page.begin);
		y[n++] = middle(cell(m, i, m->place)->v.i, cell(m, i, m->place_end)->v.i, 0);
		requests += cell(m, i, m->count)->v.i;
	}
	const char *text = mer_arena_printf(&m->page.arena, "%s (%" PRId64 ")", name, requests);
	if (!text)
		return false;
	if (n)
		draw_chart_points(
			&m->page, (struct draw_chart_name){ .name = text, .key = name }, x, y, n);
	return true;
}

static bool add_panel(struct map *m, size_t first, size_t last)
{
	struct mer_arena *arena = &m->page.arena;
	int64_t requests = 0;
	const char *host = m->many_hosts ? cell(m, first, m->host)->v.text : "";
	const char *title = mer_arena_printf(
		arena, "%s%s%s", host, *host ? ": " : "", cell(m, first, m->of)->v.text);
	struct mer_svg_chart *c =
		title ? draw_chart_panel(&m->page, title, "sector", MER_SVG_PLAIN) : NULL;
	if (!c)
		return false;
	for (size_t i = first; i < last; i++)
		requests += cell(m, i, m->count)->v.i;
	if (requests > (int64_t)(last - first))
		c->note = mer_arena_printf(arena,
			"%" PRId64
			" requests as %zu %s: those near each other in time and place are one",
			requests, last - first, mer_plural(last - first, "point", "points"));
	bool ok = requests == (int64_t)(last - first) || c->note;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && ok; i++)
		ok = add_points(m, first, last, names[i]);
	return ok;
}

int draw_map(const struct mer_table *t, bool many_hosts, struct mer_str *svg, struct mer_err *err)
{
	struct map m = { .many_hosts = many_hosts };
	if (!find_columns(&m, t))
		return mer_fail(err, MER_ERR_USAGE, "the table '%s' is no map", t->id);
	int64_t begin = t->n_rows ? INT64_MAX : 0, end = t->n_rows ? INT64_MIN : 1;
	for (size_t i = 0; i < t->n_rows; i++) {
		begin = cell(&m, i, m.begin)->v.i < begin ? cell(&m, i, m.begin)->v.i : begin;
		end = cell(&m, i, m.end)->v.i > end ? cell(&m, i, m.end)->v.i : end;
	}
	draw_chart_init(&m.page, begin, end > begin ? end : begin + 1, err);
	bool ok = true;
	size_t first = 0, last;
	for (size_t n = 0; first < t->n_rows && ok && n < MAX_PANELS; n++) {
		for (last = first + 1; last < t->n_rows && is_same_panel(&m, first, last);)
			last++;
		ok = add_panel(&m, first, last);
		first = last;
	}
	if (ok && first < t->n_rows)
		m.page.panels[m.page.n - 1].note =
			"more disks are not drawn: select a host, or see the table 'map'";
	int rc = ok ? draw_chart_svg(&m.page, t->title, svg) : mer_fail_nomem(err);
	draw_chart_fini(&m.page);
	return rc;
}
