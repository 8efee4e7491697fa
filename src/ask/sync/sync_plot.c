/* Charts of a synchronization: for each host the course of its clock between its limits, with the
 * messages that made them; and the latencies of all messages, as recorded and as synchronized.
 *
 * A clock's offset may be years and its drift a millisecond a minute; what matters are the
 * microseconds around it. So a straight line, from the begin of the host's traces to their end, is
 * taken away, and the chart says which. Messages are points at the offset that they allow: those
 * from the host lie above the clock's course, those to it below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/svg.h"
#include "ask/sync/sync_print.h"
#include "ask/print/text.h"
#include "sync/result_view.h"

enum {
	MAX_HOSTS = 24,	    /* with a chart of their own: the worst */
	SAMPLES = 700,	    /* of a clock's course */
	MESSAGES = 4000,    /* of a host and direction */
	MAX_DIRECTIONS = 8, /* with a color of their own */
	GRAY = 8,	    /* the color of the others */
	LATENCIES = 1 << 18 /* points of a chart, before it thins them out itself */
};

struct list {
	double *x, *y, *y2;
	size_t n, cap;
};

struct plot { /* what lives as long as the charts */
	struct ask_sync *s;
	struct mer_arena arena;
	struct mer_svg_chart *charts;
	size_t n;
};

static bool list_add(struct list *l, double x, double y, double y2)
{
	if (l->n == l->cap)
		return false;
	l->x[l->n] = x;
	l->y[l->n] = y;
	if (l->y2)
		l->y2[l->n] = y2;
	l->n++;
	return true;
}

static bool list_new(struct plot *p, struct list *l, size_t cap, bool band)
{
	*l = (struct list){ .cap = cap };
	l->x = mer_arena_zalloc(&p->arena, cap + 1, sizeof(double));
	l->y = mer_arena_zalloc(&p->arena, cap + 1, sizeof(double));
	l->y2 = band ? mer_arena_zalloc(&p->arena, cap + 1, sizeof(double)) : NULL;
	return l->x && l->y && (!band || l->y2);
}

static double difference(int64_t a, int64_t b)
{
	return (double)sync_sub(a, b);
}

/* ---- A host's clock ---- */

struct view { /* of one host */
	const struct sync_result *r;
	uint32_t host;
	int64_t begin, end;   /* its clock */
	int64_t origin;	      /* reference's time, x = 0 */
	double offset, slope; /* the line taken away: at begin, and per ns */
	double low, high;     /* of y so far */
};

static double line_at(const struct view *v, int64_t t)
{
	return v->offset + v->slope * difference(t, v->begin);
}

static double x_of(const struct view *v, int64_t t)
{
	return difference(trace_map_time(&v->r->hosts[v->host].map, t), v->origin);
}

static double y_of(const struct view *v, int64_t t, int64_t time)
{
	return difference(time, t) - line_at(v, t);
}

static int by_time(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

/* Instants at which the course is drawn: evenly, and where it bends or its limits do. */
static int64_t *instants(struct plot *p, const struct view *v, size_t *n)
{
	const struct sync_host *h = &v->r->hosts[v->host];
	size_t every_high = h->n_high / SAMPLES + 1, every_low = h->n_low / SAMPLES + 1,
	       every_piece = h->map.n / SAMPLES + 1;
	int64_t *t = mer_arena_zalloc(&p->arena, 6 * SAMPLES, sizeof(*t));
	*n = 0;
	for (int i = 0; t && i <= SAMPLES; i++)
		t[(*n)++] = v->begin + (int64_t)(difference(v->end, v->begin) * i / SAMPLES);
	for (size_t i = 0; t && i < h->map.n; i += every_piece)
		t[(*n)++] = h->map.pieces[i].begin;
	for (size_t i = 0; t && i < h->n_high; i += every_high)
		t[(*n)++] = h->high[i].at;
	for (size_t i = 0; t && i < h->n_low; i += every_low)
		t[(*n)++] = h->low[i].at;
	size_t kept = 0;
	for (size_t i = 0; t && i < *n; i++)
		if (t[i] >= v->begin && t[i] <= v->end)
			t[kept++] = t[i];
	*n = kept;
	if (kept)
		qsort(t, kept, sizeof(*t), by_time);
	return t;
}

/* Messages between the host and others, as limits of its offset. Of each few neighbours of a link
 * the tightest and the first. from: those that it sent. */
static bool add_messages(struct plot *p, const struct view *v, bool from, struct list *l)
{
	const struct sync_messages *m = &p->s->found.messages;
	const struct sync_host *h = &v->r->hosts[v->host];
	size_t total = 0;
	for (size_t i = 0; i < m->n_links; i++)
		if ((from ? m->links[i].from : m->links[i].to) == v->host)
			total += m->links[i].n;
	size_t group = total / MESSAGES + 1;
	if (!list_new(p, l, total / group * 2 + 2 * m->n_links + 2, false))
		return false;
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *k = &m->links[i];
		uint32_t other = from ? k->to : k->from;
		if ((from ? k->from : k->to) != v->host || other == v->host ||
			v->r->hosts[other].group != h->group)
			continue;
		for (size_t g = 0; g < k->n; g += group) {
			double best_x = 0, best_y = 0;
			size_t end = k->n - g < group ? k->n : g + group;
			for (size_t e = g; e < end; e++) {
				int64_t t = from ? k->messages[e].sent : k->messages[e].received;
				int64_t o = from ? k->messages[e].received : k->messages[e].sent;
				double x = x_of(v, t);
				double y = y_of(v, t, ask_sync_time(p->s, other, o));
				if (e == g)
					list_add(l, x, y, 0);
				if (e == g || (from ? y < best_y : y > best_y)) {
					best_x = x;
					best_y = y;
				}
			}
			list_add(l, best_x, best_y, 0);
		}
	}
	return true;
}

static void put_removed(struct mer_str *out, const struct view *v)
{
	mer_str_puts(out, "subtracted: ");
	ask_text_seconds(out, (int64_t)v->offset);
	mer_str_printf(out, " s and %.3f ppm", v->slope * 1e6);
	mer_str_puts(out, "; points are messages: from it above, to it below");
}

/* The offset's range that shows the course and its bounds where they are good; what lies beyond is
 * cut off. */
static void choose_range(const struct view *v, const struct sync_bound *b, struct mer_svg_axis *y)
{
	double room = 200;
	if (b->median != INT64_MAX)
		room = fmax(room, 3 * sqrt((double)b->min * (double)b->median));
	if (b->max != INT64_MAX)
		room = fmax(fmin(room, 1.3 * (double)b->max), 200);
	else if (b->median == INT64_MAX)
		return;
	y->min = v->low - room;
	y->max = v->high + room;
}

static bool add_host(struct plot *p, uint32_t host)
{
	const struct sync_result *r = p->s->result;
	const struct sync_host *h = &r->hosts[host];
	const struct sync_host *ref = &r->hosts[r->references[h->group]];
	struct view v = { .r = r, .host = host, .begin = h->span.begin, .end = h->span.end };
	struct list course, upper, lower;
	struct mer_svg_series *series = mer_arena_zalloc(&p->arena, 64, sizeof(*series));
	size_t n_times, n = 0;
	v.origin = trace_map_time(&h->map, v.begin);
	v.offset = difference(v.origin, v.begin);
	if (v.end > v.begin)
		v.slope = (difference(trace_map_time(&h->map, v.end), v.end) - v.offset) /
			  difference(v.end, v.begin);
	int64_t *times = instants(p, &v, &n_times);
	if (!series || !times || !list_new(p, &course, n_times, false) ||
		!add_messages(p, &v, true, &upper) || !add_messages(p, &v, false, &lower))
		return false;
	struct list band = { 0 };
	for (size_t i = 0; i < n_times; i++) {
		int64_t low, high;
		double y = y_of(&v, times[i], trace_map_time(&h->map, times[i]));
		v.low = i ? fmin(v.low, y) : y;
		v.high = i ? fmax(v.high, y) : y;
		list_add(&course, x_of(&v, times[i]), y, 0);
		/* A band for each stretch in which there are limits. */
		if (!sync_host_limits(r, host, times[i], &low, &high)) {
			band.cap = band.n;
			continue;
		}
		if (band.n == band.cap && n < 40) {
			if (!list_new(p, &band, n_times - i, true))
				return false;
			series[n] = (struct mer_svg_series){ MER_SVG_BAND, n == 0 ? "limits" : NULL,
				0, band.x, band.y, band.y2, 0 };
			n++;
		}
		if (list_add(&band, x_of(&v, times[i]), y_of(&v, times[i], low),
			    y_of(&v, times[i], high)))
			series[n - 1].n = band.n;
	}
	series[n++] = (struct mer_svg_series){ MER_SVG_POINTS, "messages from it", 1, upper.x,
		upper.y, NULL, upper.n };
	series[n++] = (struct mer_svg_series){ MER_SVG_POINTS, "messages to it", 2, lower.x,
		lower.y, NULL, lower.n };
	series[n++] = (struct mer_svg_series){ MER_SVG_LINE, "estimate", 0, course.x, course.y,
		NULL, course.n };
	struct mer_str note = { 0 };
	put_removed(&note, &v);
	struct mer_svg_chart *c = &p->charts[p->n++];
	*c = (struct mer_svg_chart){
		.title = mer_arena_printf(&p->arena, "%s against %s", h->name, ref->name),
		.note = mer_arena_strdup(&p->arena, note.data ? note.data : ""),
		.x = { mer_arena_printf(&p->arena, "local time on the clock of %s", ref->name),
			MER_SVG_CLOCK, v.origin, 0, x_of(&v, v.end) },
		.y = { "offset", MER_SVG_DURATION, 0, 0, 0 },
		.series = series,
		.n_series = n,
		.height = 330,
	};
	choose_range(&v, &h->bound, &c->y);
	bool ok = !note.failed && c->title && c->note && c->x.title;
	mer_str_fini(&note);
	return ok;
}

/* ---- Latencies ---- */

struct direction { /* a link with its place among those that are drawn */
	const struct sync_link *link;
	struct list points;
};

static int by_messages(const void *a, const void *b)
{
	const struct direction *p = a, *q = b;
	if (p->link->n != q->link->n)
		return p->link->n > q->link->n ? -1 : 1;
	return p->link < q->link ? -1 : p->link > q->link;
}

static int by_double(const void *a, const void *b)
{
	const double *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

/* Most of the latencies, and zero; the note says how many of the points lie beyond. */
static bool choose_latencies(
	struct plot *p, const struct direction *d, size_t n, struct mer_svg_chart *c)
{
	size_t all = 0, k = 0, beyond = 0;
	for (size_t i = 0; i < n; i++)
		all += d[i].points.n;
	double *y = mer_arena_zalloc(&p->arena, all + 1, sizeof(*y));
	if (!y)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t e = 0; e < d[i].points.n; e++)
			y[k++] = d[i].points.y[e];
	if (all == 0)
		return true;
	qsort(y, all, sizeof(*y), by_double);
	double low = fmin(y[all / 200], 0), high = fmax(y[all - 1 - all / 50], 0);
	double room = fmax((high - low) * 0.15, 100);
	c->y.min = low < 0 ? low - room : low - room / 5;
	c->y.max = high + room;
	for (size_t i = 0; i < all; i++)
		beyond += y[i] < c->y.min || y[i] > c->y.max;
	if (beyond)
		c->note = mer_arena_printf(
			&p->arena, "%zu of %zu points lie outside this chart", beyond, all);
	return !beyond || c->note;
}

/* The group with the most messages: times of others have nothing to do with its own. */
static uint32_t busiest_group(struct plot *p, bool *ok)
{
	const struct sync_messages *m = &p->s->found.messages;
	const struct sync_result *r = p->s->result;
	size_t *n = mer_arena_zalloc(&p->arena, r->n_groups + 1, sizeof(*n));
	uint32_t best = 0;
	*ok = n != NULL;
	for (size_t i = 0; n && i < m->n_links; i++) {
		uint32_t g = r->hosts[m->links[i].from].group;
		if (r->hosts[m->links[i].to].group == g)
			n[g] += m->links[i].n;
		if (n[g] > n[best])
			best = g;
	}
	return best;
}

static bool add_latencies(struct plot *p, bool after, unsigned height)
{
	const struct sync_messages *m = &p->s->found.messages;
	const struct sync_result *r = p->s->result;
	struct direction *d = mer_arena_zalloc(&p->arena, m->n_links + 1, sizeof(*d));
	size_t n = 0, total = 0, inversions = 0;
	int64_t begin = INT64_MAX, end = INT64_MIN;
	bool ok;
	uint32_t group = busiest_group(p, &ok);
	if (!d || !ok)
		return false;
	for (size_t i = 0; i < m->n_links; i++)
		if (m->links[i].from != m->links[i].to && m->links[i].n &&
			(r->hosts[m->links[i].from].group == group ||
				r->hosts[m->links[i].to].group == group)) {
			const struct sync_link *l = d[n++].link = &m->links[i];
			int64_t first = ask_sync_time(p->s, l->from, l->messages[0].sent),
				last = ask_sync_time(p->s, l->from, l->messages[l->n - 1].sent);
			begin = first < begin ? first : begin;
			end = last > end ? last : end;
			total += m->links[i].n;
		}
	if (n)
		qsort(d, n, sizeof(*d), by_messages);
	size_t every = total / LATENCIES + 1;
	struct mer_svg_series *series = mer_arena_zalloc(&p->arena, n + 1, sizeof(*series));
	if (!series)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct sync_link *l = d[i].link;
		if (!list_new(p, &d[i].points, l->n / every + 1, false))
			return false;
		for (size_t k = 0; k < l->n; k++) {
			int64_t sent = l->messages[k].sent, received = l->messages[k].received;
			int64_t time = ask_sync_time(p->s, l->from, sent);
			double y = after ? difference(ask_sync_time(p->s, l->to, received), time)
					 : difference(received, sent);
			inversions += y < 0;
			if (k % every == 0)
				list_add(&d[i].points, difference(time, begin), y, 0);
		}
		const char *name = i < MAX_DIRECTIONS
					   ? mer_arena_printf(&p->arena, "%s to %s",
						     r->hosts[l->from].name, r->hosts[l->to].name)
				   : i == MAX_DIRECTIONS ? "others"
							 : NULL;
		series[i] = (struct mer_svg_series){ MER_SVG_POINTS, name,
			i < MAX_DIRECTIONS ? (unsigned)i : GRAY, d[i].points.x, d[i].points.y, NULL,
			d[i].points.n };
	}
	struct mer_svg_chart *c = &p->charts[p->n++];
	*c = (struct mer_svg_chart){
		.title = mer_arena_printf(&p->arena,
			"Latencies %s: %zu of %zu messages received before they were sent",
			after ? "as synchronized" : "as recorded", inversions, total),
		.x = { "local time when sent, synchronized", MER_SVG_CLOCK, n ? begin : 0, 0,
			n ? difference(end, begin) : 0 },
		.y = { "received minus sent", MER_SVG_DURATION, 0, 0, 0 },
		.series = series,
		.n_series = n,
		.height = height,
	};
	return c->title && choose_latencies(p, d, n, c);
}

/* ---- Files ---- */

static int write_plot(struct plot *p, bool ok, const char *title, const char *path)
{
	struct mer_str text = { 0 };
	struct mer_err *err = &p->s->ask->err;
	int rc = ok ? mer_svg_write(&text, title, p->charts, p->n, err) : mer_fail_nomem(err);
	if (!rc)
		rc = ask_write_picture(p->s->ask, path, &text);
	mer_str_fini(&text);
	mer_arena_fini(&p->arena);
	return rc;
}

static bool plot_init(struct plot *p, struct ask_sync *s)
{
	*p = (struct plot){ .s = s };
	mer_arena_init(&p->arena);
	p->charts = mer_arena_zalloc(&p->arena, MAX_HOSTS + 2, sizeof(*p->charts));
	return p->charts != NULL;
}

/* Worth a chart: it is compared with something. */
static bool has_chart(const struct sync_result *r, uint32_t host)
{
	const struct sync_host *h = &r->hosts[host];
	return r->references[h->group] != host && h->span.begin != MER_NO_TIME &&
	       h->span.end > h->span.begin;
}

int ask_sync_plot(struct ask_sync *s, const char *path)
{
	const struct sync_result *r = s->result;
	struct plot p;
	bool ok = plot_init(&p, s);
	/* All, as long as they are few; else those whose bound is worst. */
	int64_t least = -1;
	for (size_t n = SIZE_MAX; n > MAX_HOSTS;) {
		int64_t next = INT64_MAX;
		n = 0;
		for (uint32_t h = 0; h < r->n_hosts; h++)
			if (has_chart(r, h) && r->hosts[h].bound.max > least) {
				n++;
				next = r->hosts[h].bound.max < next ? r->hosts[h].bound.max : next;
			}
		if (n > MAX_HOSTS)
			least = next;
		if (least == INT64_MAX)
			break;
	}
	uint32_t n_charts = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n_charts += has_chart(r, h);
	for (uint32_t h = 0; ok && h < r->n_hosts && p.n < MAX_HOSTS; h++)
		if (has_chart(r, h) && (r->hosts[h].bound.max > least || least == INT64_MAX))
			ok = add_host(&p, h);
	if (p.n < n_charts)
		ask_note(s->ask, "%s shows %zu of %u hosts: those with the widest bounds", path,
			p.n, (unsigned)n_charts);
	if (ok)
		ok = add_latencies(&p, false, 380) && add_latencies(&p, true, 380);
	return write_plot(&p, ok, "Clocks of the hosts, and latencies of their messages", path);
}

int ask_sync_plot_latency(struct ask_sync *s, const char *path)
{
	struct plot p;
	bool ok = plot_init(&p, s);
	ok = ok && add_latencies(&p, false, 480) && add_latencies(&p, true, 480);
	return write_plot(&p, ok, "Latencies of messages between the hosts", path);
}
