/* A path as a picture: a lane for each task on it, coloured by what the time was spent on, and
 * lines where the path goes from one task to another. The colors are those of the page.
 *
 * The file is bounded, however long the path is: pieces shorter than a pixel share that pixel,
 * which gets the color of what took most of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/print/text.h"

enum {
	WIDTH = 1000,
	LEFT = 190, /* names of tasks */
	RIGHT = 16,
	TOP = 54,
	LANE = 24,
	BAR = 16,
	LEGEND = 20,
	LANES = 40,   /* the others share one */
	LINKS = 1500, /* of one file */
	NAME = 26     /* characters of a task's name */
};
#define PLOT (WIDTH - LEFT - RIGHT)

static const struct {
	const char *light, *dark;
} colors[PATH_N_CAUSES] = {
	[PATH_RUNNING] = { "#46a758", "#4fb264" },
	[PATH_INTERRUPTED] = { "#8e5bd0", "#a67be0" },
	[PATH_RUNNABLE] = { "#f0932b", "#f2a044" },
	[PATH_STOLEN] = { "#8a5a2b", "#96603a" },
	[PATH_HYPERVISOR] = { "#3e7bd6", "#5b93ea" },
	[PATH_DISK] = { "#c93430", "#e0423d" },
	[PATH_NETWORK] = { "#e9a3b8", "#f6c1d3" },
	[PATH_TIMER] = { "#cfd4dc", "#3c4450" },
	[PATH_FUTEX] = { "#7a2460", "#a8327f" },
	[PATH_QUEUED] = { "#e3b341", "#d6a93c" },
	[PATH_MPI] = { "#1f9fb5", "#3cc0d2" },
};

static void put_color(enum path_cause c, bool dark, struct mer_str *out)
{
	const char *own = dark ? colors[c].dark : colors[c].light;
	mer_str_puts(out, own ? own : dark ? "#4a525f" : "#b9c0ca");
}

struct lane {
	uint32_t host, task;
	int64_t ns;
};

struct picture {
	const struct path *p;
	struct lane *lanes; /* in the order in which the path comes to them */
	uint32_t *lane_of;  /* by segment */
	size_t n_lanes, n_shown;
	struct mer_str *out;
};

/* ---- Lanes ---- */

static size_t find_lane(const struct picture *x, uint32_t host, uint32_t task)
{
	for (size_t i = 0; i < x->n_lanes; i++)
		if (x->lanes[i].host == host && x->lanes[i].task == task)
			return i;
	return x->n_lanes;
}

/* More lanes than are shown: the last one is of all others. A path of many thousand tasks is rare,
 * and its search for lanes is bounded by them. */
static bool find_lanes(struct picture *x)
{
	const struct path *p = x->p;
	x->lanes = calloc(LANES + 1, sizeof(*x->lanes));
	x->lane_of = calloc(p->n_segments + 1, sizeof(*x->lane_of));
	if (!x->lanes || !x->lane_of)
		return false;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		size_t lane = find_lane(x, s->host, s->task);
		if (lane == x->n_lanes && x->n_lanes < LANES)
			x->lanes[x->n_lanes++] = (struct lane){ .host = s->host, .task = s->task };
		x->lane_of[i] = (uint32_t)lane;
		x->lanes[lane].ns += s->end - s->begin;
	}
	x->n_shown = x->n_lanes + (x->lanes[LANES].ns > 0);
	return true;
}

static double x_of(const struct picture *x, int64_t t)
{
	double all = (double)(x->p->end - x->p->begin);
	return LEFT + (all > 0 ? (double)(t - x->p->begin) / all * PLOT : 0);
}

static double y_of(size_t lane)
{
	return TOP + (double)lane * LANE;
}

/* ---- Text ---- */

static void put_xml(struct mer_str *out, const char *s, size_t most)
{
	struct mer_str clean = { 0 };
	ask_text_clean(&clean, s, strlen(s), true);
	const char *text = clean.data ? clean.data : "";
	for (size_t n = 0; *text && n < most; n++) {
		size_t len = mer_safe_length(text, strlen(text));
		if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
			mer_str_printf(out, "&#%d;", *text);
		else
			mer_str_add(out, text, len ? len : 1);
		text += len ? len : 1;
	}
	mer_str_puts(out, *text ? "…" : "");
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

static void put_lane_name(const struct picture *x, size_t lane)
{
	struct mer_str name = { 0 };
	mer_str_printf(x->out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">", LEFT - 8,
		y_of(lane) + BAR - 3);
	if (lane == LANES) {
		mer_str_puts(x->out, "other tasks");
	} else {
		const struct lane *l = &x->lanes[lane];
		if (l->task == KERNEL_NONE)
			mer_str_puts(&name, "kernel");
		else
			path_put_task(x->p, l->host, l->task, &name);
		if (ask_path_has_hosts(x->p))
			mer_str_printf(&name, " on %s", path_host_name(x->p, l->host));
		put_xml(x->out, name.data ? name.data : "?", NAME);
	}
	mer_str_puts(x->out, "</text>\n");
	x->out->failed |= name.failed;
	mer_str_fini(&name);
}

/* ---- Bars ---- */

static void put_bar(const struct picture *x, size_t lane, double from, double to, unsigned cause)
{
	mer_str_printf(x->out,
		"<rect class=\"c%u\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>\n", cause,
		from, y_of(lane), to - from, BAR);
}

/* Pieces below a pixel, by pixel: what took most of each, its neighbours of the same in one bar. */
static void put_small(const struct picture *x, size_t lane, double (*of)[PATH_N_CAUSES])
{
	int begin = 0, last = -1;
	for (int i = 0; i <= PLOT; i++) {
		int most = -1;
		for (int c = 0; i < PLOT && c < PATH_N_CAUSES; c++)
			if (of[i][c] > 0 && (most < 0 || of[i][c] > of[i][most]))
				most = c;
		if (most == last)
			continue;
		if (last >= 0)
			put_bar(x, lane, LEFT + begin, LEFT + i, (unsigned)last);
		begin = i;
		last = most;
	}
}

static bool put_bars(const struct picture *x)
{
	double(*small)[PATH_N_CAUSES] = malloc(PLOT * sizeof(*small));
	for (size_t lane = 0; small && lane < x->n_shown; lane++) {
		memset(small, 0, PLOT * sizeof(*small));
		for (size_t i = 0; i < x->p->n_segments; i++) {
			const struct path_segment *s = &x->p->segments[i];
			double from = x_of(x, s->begin), to = x_of(x, s->end);
			int at = (int)(from - LEFT);
			if (x->lane_of[i] == lane && to - from < 1)
				small[at < PLOT ? at : PLOT - 1][s->cause] += to - from;
		}
		put_small(x, lane, small);
		for (size_t i = 0; i < x->p->n_segments; i++) {
			const struct path_segment *s = &x->p->segments[i];
			double from = x_of(x, s->begin), to = x_of(x, s->end);
			if (x->lane_of[i] == lane && to - from >= 1)
				put_bar(x, lane, from, to, s->cause);
		}
	}
	free(small);
	return small != NULL;
}

/* Where the path goes on in another lane; of several within a pixel between the same lanes one. */
static void put_links(const struct picture *x)
{
	double last = -1;
	size_t last_from = SIZE_MAX, last_to = SIZE_MAX;
	unsigned n = 0;
	mer_str_puts(x->out, "<path class=\"k\" d=\"");
	for (size_t i = 0; i < x->p->n_links && n < LINKS; i++) {
		const struct path_link *l = &x->p->links[i];
		size_t from = find_lane(x, l->from_host, l->from_task);
		size_t to = find_lane(x, l->to_host, l->to_task);
		double x1 = x_of(x, l->from_time), x2 = x_of(x, l->to_time);
		if (from == to || from >= x->n_shown || to >= x->n_shown ||
			(from == last_from && to == last_to && x1 - last < 1))
			continue;
		bool down = from < to;
		mer_str_printf(x->out, "M%.1f %.0fL%.1f %.0f", fmax(LEFT, x1),
			y_of(from) + (down ? BAR : 0), fmin(LEFT + PLOT, x2),
			y_of(to) + (down ? 0 : BAR));
		last = x1;
		last_from = from;
		last_to = to;
		n++;
	}
	mer_str_puts(x->out, "\"/>\n");
}

/* ---- The frame ---- */

static void put_axis(const struct picture *x)
{
	enum { TICKS = 7 };
	double all = (double)(x->p->end - x->p->begin);
	double step = all > 0 ? pow(10, floor(log10(all / TICKS))) : 1;
	double bottom = y_of(x->n_shown) + 4;
	while (all / step > TICKS)
		step *= all / step > 2.5 * TICKS ? 5 : 2;
	for (double t = 0; t <= all; t += step) {
		double at = x_of(x, x->p->begin + (int64_t)t);
		struct mer_str text = { 0 };
		ask_text_duration(&text, (int64_t)t);
		mer_str_printf(x->out,
			"<path class=\"g\" d=\"M%.1f %d V%.0f\"/><text class=\"n\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">",
			at, TOP - 6, bottom, at, bottom + 14);
		mer_str_printf(x->out, "%s</text>\n", text.data ? text.data : "");
		mer_str_fini(&text);
	}
}

static void put_legend(const struct picture *x)
{
	double at = LEFT, y = y_of(x->n_shown) + 30;
	for (unsigned c = 0; c < PATH_N_CAUSES; c++) {
		struct mer_str text = { 0 };
		if (!x->p->by_cause[c])
			continue;
		mer_str_printf(&text, "%s ", path_cause_words((enum path_cause)c));
		ask_text_duration(&text, x->p->by_cause[c]);
		double width = 26 + 7.0 * (double)text.len;
		if (at + width > WIDTH - RIGHT && at > LEFT) {
			at = LEFT;
			y += LEGEND;
		}
		mer_str_printf(x->out,
			"<rect class=\"c%u\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\"/><text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
			c, at, y, at + 17, y + 11, text.data ? text.data : "");
		at += width;
		mer_str_fini(&text);
	}
}

static void put_style(struct mer_str *out)
{
	for (int dark = 0; dark < 2; dark++) {
		mer_str_puts(out,
			dark ? "@media (prefers-color-scheme:dark){text{fill:#e7eaef}.n{fill:#97a1b1}.b{fill:#12151a}.g{stroke:#2a303a}.k{stroke:#f4f6fa}\n"
			     : "<style>\ntext{font-family:sans-serif;font-size:12px;fill:#1a1e24}.t{font-size:14px;font-weight:bold}.n{fill:#596372}.b{fill:#fff}.g{stroke:#e2e5ea;fill:none}.k{stroke:#111827;fill:none;stroke-width:.8}\n");
		for (unsigned c = 0; c < PATH_N_CAUSES; c++) {
			mer_str_printf(out, ".c%u{fill:", c);
			put_color((enum path_cause)c, dark, out);
			mer_str_puts(out, "}");
		}
		mer_str_puts(out, dark ? "}\n</style>\n" : "\n");
	}
}

int ask_path_plot(const struct ask_path *c, const char *file)
{
	struct mer_str svg = { 0 }, title = { 0 };
	struct picture x = { .p = c->p, .out = &svg };
	bool ok = find_lanes(&x);
	if (ok) {
		double height = y_of(x.n_shown) + 30 + 3 * LEGEND;
		ask_path_title(c->p, &title);
		mer_str_printf(&svg,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
			WIDTH, height, WIDTH, height);
		put_xml(&svg, title.data ? title.data : "", SIZE_MAX);
		mer_str_puts(&svg, "</title>\n");
		put_style(&svg);
		mer_str_printf(
			&svg, "<rect class=\"b\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH, height);
		mer_str_puts(&svg, "<text class=\"t\" x=\"16\" y=\"24\">Critical path of ");
		put_xml(&svg, title.data ? title.data : "", 110);
		mer_str_puts(&svg, "</text>\n");
		put_axis(&x);
		for (size_t i = 0; i < x.n_shown; i++)
			put_lane_name(&x, i);
		ok = put_bars(&x);
		put_links(&x);
		put_legend(&x);
		mer_str_puts(&svg, "</svg>\n");
	}
	free(x.lanes);
	free(x.lane_of);
	int rc = ok && !svg.failed && !title.failed ? ask_write_picture(c->ask, file, &svg)
						    : mer_fail_nomem(&c->ask->err);
	mer_str_fini(&title);
	mer_str_fini(&svg);
	return rc;
}
