#include "draw/chart.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { COMPACT_PLOT = 120 };

void draw_chart_init(struct draw_chart_page *p, int64_t begin, int64_t end, struct mer_err *err)
{
	*p = (struct draw_chart_page){ .err = err, .begin = begin, .end = end };
	mer_arena_init(&p->arena);
	mer_intern_init(&p->keys, &p->arena);
}

void draw_chart_fini(struct draw_chart_page *p)
{
	mer_intern_fini(&p->keys);
	mer_arena_fini(&p->arena);
}

static void *get(struct draw_chart_page *p, size_t n, size_t bytes)
{
	void *at = mer_arena_zalloc(&p->arena, n, bytes);
	p->failed |= !at;
	return at;
}

static const char *copy(struct draw_chart_page *p, const char *text)
{
	const char *at = text ? mer_arena_strdup(&p->arena, text) : NULL;
	p->failed |= text && !at;
	return at;
}

double *draw_chart_values(struct draw_chart_page *p, size_t n)
{
	return get(p, n + 1, sizeof(double));
}

/* Names the day: labels have only the time of day. */
static const char *axis_title(struct draw_chart_page *p)
{
	time_t t = (time_t)(p->begin / 1000000000);
	struct tm tm;
	char day[40];
	if (!localtime_r(&t, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d", &tm))
		return "local time";
	const char *title = mer_arena_printf(&p->arena, "local time, %s", day);
	p->failed |= !title;
	return title ? title : "";
}

/* ns from one time to another. Times as floating-point numbers would be some hundred ns off. */
static double between(int64_t from, int64_t to)
{
	return (double)(int64_t)((uint64_t)to - (uint64_t)from);
}

struct mer_svg_chart *draw_chart_panel(
	struct draw_chart_page *p, const char *title, const char *y_title, enum mer_svg_unit unit)
{
	if (p->n == p->cap) { /* the old array stays in the arena: there are few panels */
		size_t cap = p->cap ? 2 * p->cap : 8;
		struct mer_svg_chart *more = get(p, cap, sizeof(*more));
		if (!more)
			return NULL;
		if (p->n)
			memcpy(more, p->panels, p->n * sizeof(*more));
		p->panels = more;
		p->cap = cap;
	}
	struct mer_svg_chart *c = &p->panels[p->n++];
	double length = between(p->begin, p->end);
	*c = (struct mer_svg_chart){
		.title = copy(p, title),
		.x = { axis_title(p), MER_SVG_CLOCK, p->begin, 0, length > 1 ? length : 1 },
		.y = { copy(p, y_title), unit, 0, 0, 0 },
		.plot = DRAW_CHART_PLOT,
	};
	return c;
}

static void add(struct draw_chart_page *p, const struct mer_svg_series *s)
{
	struct mer_svg_chart *c = p->n ? &p->panels[p->n - 1] : NULL;
	struct mer_svg_series *all;
	if (!c || !(all = get(p, c->n_series + 1, sizeof(*all))))
		return;
	if (c->n_series)
		memcpy(all, c->series, c->n_series * sizeof(*all));
	all[c->n_series] = *s;
	all[c->n_series].name = copy(p, s->name);
	c->series = all;
	c->n_series++;
}

/* Colors are chosen when all panels are known. Until then, the color of a series is KEYS plus the
 * number of its key; numbers below KEYS, and from MER_SVG_OWN on, are colors. */
enum { KEYS = MER_SVG_INK + 1 };

static unsigned key_of(struct draw_chart_page *p, struct draw_chart_name name)
{
	const char *key = name.key ? name.key : name.name ? name.name : "";
	uint32_t i = mer_intern_add(&p->keys, key, strlen(key));
	p->failed |= i == MER_INTERN_NONE;
	return KEYS + (i == MER_INTERN_NONE ? 0 : i);
}

void draw_chart_points(struct draw_chart_page *p, struct draw_chart_name name, const double *x,
	const double *y, size_t n)
{
	add(p, &(struct mer_svg_series){
		       MER_SVG_POINTS, name.name, key_of(p, name), x, y, NULL, n });
}

/* ---- Levels ---- */

struct levels {
	const double *const *values;
	size_t n_series, n, group; /* group: this many neighbours become one */
	bool stacked;
};

/* Which of the intervals i to end - 1 has the highest level. */
static size_t tallest(const struct levels *l, size_t i, size_t end)
{
	size_t best = i;
	double most = -INFINITY;
	for (; i < end; i++) {
		double sum = -INFINITY;
		for (size_t s = 0; s < l->n_series; s++) {
			double v = l->values[s][i];
			if (isfinite(v))
				sum = !isfinite(sum) ? v : l->stacked ? sum + v : fmax(sum, v);
		}
		if (sum > most) {
			most = sum;
			best = i;
		}
	}
	return best;
}

/* Chooses the interval to draw for each group; x: begin and end of each group. Returns the number
 * of groups. */
static size_t choose(struct draw_chart_page *p, const struct levels *l, const int64_t *edges,
	size_t *chosen, double *x)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i += l->group, n++) {
		size_t end = l->n - i < l->group ? l->n : i + l->group;
		chosen[n] = tallest(l, i, end);
		x[2 * n] = between(p->begin, edges[i]);
		x[2 * n + 1] = between(p->begin, edges[end]);
	}
	return n;
}

static void add_levels(struct draw_chart_page *p, const struct levels *l,
	const struct draw_chart_name *names, const unsigned *colors, const int64_t *edges)
{
	size_t n = l->n;
	size_t *chosen = get(p, n + 1, sizeof(*chosen));
	double *x = draw_chart_values(p, 2 * n), *below = draw_chart_values(p, 2 * n);
	if (!chosen || !x || !below || n == 0)
		return;
	n = choose(p, l, edges, chosen, x);
	for (size_t s = 0; s < l->n_series; s++) {
		double *y = draw_chart_values(p, 2 * n);
		if (!y)
			return;
		for (size_t i = 0; i < n; i++) {
			double v = l->values[s][chosen[i]];
			if (l->stacked)
				v = below[2 * i] + (isfinite(v) ? fmax(v, 0) : 0);
			y[2 * i] = y[2 * i + 1] = v;
		}
		add(p, &(struct mer_svg_series){ l->stacked ? MER_SVG_AREA : MER_SVG_LINE,
			       names[s].name, colors[s], x, y, below, 2 * n });
		if (l->stacked)
			below = y;
	}
}

static struct levels levels_of(const double *const *values, size_t n_series, size_t n, bool stacked)
{
	return (struct levels){ values, n_series, n,
		n / DRAW_CHART_LEVELS + (n % DRAW_CHART_LEVELS != 0), stacked };
}

/* Variant n of a color: 0 is the color itself, then darker and lighter ones by turns. */
static unsigned shade(uint32_t rgb, unsigned n)
{
	double part = .22 * ((n + 1) / 2);
	unsigned out = 0;
	part = part < .66 ? part : .66;
	for (int at = 16; at >= 0; at -= 8) {
		unsigned v = rgb >> at & 0xff, to = n % 2 ? 0 : 0xff;
		out = out << 8 | (unsigned)lround(v + ((double)to - v) * part);
	}
	return MER_SVG_OWN | out;
}

static unsigned own_color(const struct draw_chart_name *names, size_t s)
{
	unsigned n = 0;
	for (size_t i = 0; i < s; i++)
		n += names[i].own == names[s].own;
	return shade(names[s].own - 1, n);
}

void draw_chart_levels(struct draw_chart_page *p, bool stacked, const struct draw_chart_name *names,
	const double *const *values, size_t n_series, bool others, const int64_t *edges, size_t n)
{
	struct levels l = levels_of(values, n_series, n, stacked);
	unsigned *colors = get(p, n_series + 1, sizeof(*colors));
	for (size_t s = 0; colors && s < n_series; s++)
		colors[s] = others && s + 1 == n_series ? DRAW_CHART_OTHERS
			    : names[s].own		? own_color(names, s)
							: key_of(p, names[s]);
	if (colors)
		add_levels(p, &l, names, colors, edges);
}

void draw_chart_total(struct draw_chart_page *p, const char *name, const double *values,
	const int64_t *edges, size_t n)
{
	struct levels l = levels_of(&values, 1, n, false);
	add_levels(p, &l, &(struct draw_chart_name){ .name = name },
		(const unsigned[]){ MER_SVG_INK }, edges);
}

/* ---- Colors ---- */

/* The series of panels are borrowed by the picture as const; those here were made by add(). */
static struct mer_svg_series *series_of(const struct draw_chart_page *p, size_t panel)
{
	return (struct mer_svg_series *)(uintptr_t)p->panels[panel].series;
}

static bool is_on(const struct mer_svg_chart *c, unsigned key)
{
	for (size_t i = 0; i < c->n_series; i++)
		if (c->series[i].color == KEYS + key)
			return true;
	return false;
}

/* Chooses a color that no earlier key has that shares a panel with this one. If there are several,
 * the one that the fewest keys have; if none of the usual ones is left, a new one. colors: by key,
 * of the earlier keys. used: how many keys have each color. */
static unsigned choose_color(const struct draw_chart_page *p, unsigned key, const unsigned *colors,
	bool *taken, const unsigned *used, size_t n)
{
	unsigned best = (unsigned)n;
	memset(taken, 0, n * sizeof(*taken));
	taken[DRAW_CHART_OTHERS] = true;
	for (size_t i = 0; i < p->n; i++) {
		const struct mer_svg_chart *c = &p->panels[i];
		for (size_t k = 0; is_on(c, key) && k < c->n_series; k++)
			if (c->series[k].color >= KEYS && c->series[k].color < KEYS + key)
				taken[colors[c->series[k].color - KEYS]] = true;
	}
	for (unsigned i = 0; i < n; i++) {
		bool is_more = i >= MER_SVG_COLORS; /* not as easy to tell apart */
		if (!taken[i] && (best == n || (!is_more && used[i] < used[best])))
			best = i;
	}
	return best;
}

static void give_colors(struct draw_chart_page *p)
{
	/* A color for each, and that of the others. */
	size_t n = p->keys.n + MER_SVG_COLORS;
	unsigned *colors = get(p, n, sizeof(*colors)), *used = get(p, n, sizeof(*used));
	bool *taken = get(p, n, sizeof(*taken));
	if (p->failed)
		return;
	for (unsigned key = 0; key < p->keys.n; key++) {
		colors[key] = choose_color(p, key, colors, taken, used, n);
		used[colors[key]]++;
	}
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->panels[i].n_series; k++) {
			struct mer_svg_series *s = &series_of(p, i)[k];
			if (s->color >= KEYS && s->color < MER_SVG_OWN)
				s->color = colors[s->color - KEYS];
		}
}

/* ---- The page ---- */

static void fold(struct draw_chart_page *p)
{
	for (size_t i = 0; i < p->n; i++) {
		p->panels[i].plot = COMPACT_PLOT;
		if (i + 1 < p->n)
			p->panels[i].x.title = NULL;
	}
}

int draw_chart_svg(struct draw_chart_page *p, const char *title, struct mer_str *svg)
{
	if (!p->failed)
		give_colors(p);
	if (p->failed)
		return mer_fail_nomem(p->err);
	if (p->compact)
		fold(p);
	return mer_svg_write(svg, title, p->panels, p->n, p->err);
}
