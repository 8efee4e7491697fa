#include "base/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/json.h"

enum { WIDTH = 900, HEIGHT = 500, LEFT = 84, RIGHT = 24, BOTTOM = 50, LINE = 17 };
enum { PER_GROUP = 4, MIN_POINTS = 50, MIN_CURVE = 200 }; /* that are always kept */

static const char style[] =
	"<style>\n"
	"text{font-family:sans-serif;font-size:12px;fill:#222}\n"
	".t{font-size:14px;font-weight:bold}.n{fill:#666}.b{fill:#fff}\n"
	".g{stroke:#e2e2e2;fill:none}.a{stroke:#888;fill:none}.z{stroke:#aaa;fill:none}\n"
	".p{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-opacity:.75}\n"
	".l{fill:none;stroke-width:1.6;stroke-linejoin:round}.f{fill-opacity:.28;stroke:none}\n"
	"@media (prefers-color-scheme:dark){text{fill:#ddd}.n{fill:#999}.b{fill:#16181c}"
	".g{stroke:#2c3036}.a{stroke:#777}.z{stroke:#666}}\n"
	"</style>\n";

static const char *const colors[MER_SVG_COLORS] = { "#2f7fc1", "#e0762f", "#2a9d63", "#c0509a",
	"#8a74e0", "#b3941a", "#d94f4f", "#1b9aa8", "#888888", "#7a9a28" };

/* Text is safe between tags and in quotes; what XML has no character for becomes a question mark. */
static void add_text(struct mer_str *out, const char *s)
{
	size_t len = s ? strlen(s) : 0;
	for (size_t i = 0; i < len;) {
		size_t n = mer_utf8_length(s + i, len - i);
		unsigned char c = (unsigned char)s[i];
		/* U+FFFE and U+FFFF are valid UTF-8 and no characters. */
		bool bad = n == 0 || (c < 0x20 && c != '\t') ||
			   (n == 3 && memcmp(s + i, "\xef\xbf", 2) == 0 &&
				   (unsigned char)s[i + 2] >= 0xbe);
		if (bad)
			mer_str_putc(out, '?');
		else if (c == '<')
			mer_str_puts(out, "&lt;");
		else if (c == '>')
			mer_str_puts(out, "&gt;");
		else if (c == '&')
			mer_str_puts(out, "&amp;");
		else if (c == '"')
			mer_str_puts(out, "&quot;");
		else
			mer_str_add(out, s + i, n);
		i += n ? n : 1;
	}
}

/* A coordinate with one decimal. */
static void add_number(struct mer_str *out, double v)
{
	double most = 1e6; /* far outside of any picture */
	long tenths = lround(fmax(-most, fmin(most, v)) * 10);
	mer_str_printf(out, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
	if (tenths % 10)
		mer_str_printf(out, ".%ld", labs(tenths) % 10);
}

static void add_point(struct mer_str *out, char command, double x, double y)
{
	mer_str_putc(out, command);
	add_number(out, x);
	mer_str_putc(out, ' ');
	add_number(out, y);
}

/* ---- Axes ---- */

struct scale {
	double min, max;    /* of the values */
	double from, to;    /* in pixels */
	double step, unit;  /* of the ticks; ns a unit */
	const char *suffix; /* the unit's name, "" for none */
};

static double place(const struct scale *s, double v)
{
	return s->from + (v - s->min) / (s->max - s->min) * (s->to - s->from);
}

static void include(double v, double *min, double *max)
{
	if (!isfinite(v))
		return;
	*min = fmin(*min, v);
	*max = fmax(*max, v);
}

/* The range of all series, with some room; never empty. */
static void find_range(const struct mer_svg_chart *c, bool is_y, struct scale *s)
{
	const struct mer_svg_axis *a = is_y ? &c->y : &c->x;
	s->min = a->min;
	s->max = a->max;
	if (a->min < a->max && isfinite(a->min) && isfinite(a->max))
		return;
	s->min = INFINITY;
	s->max = -INFINITY;
	for (size_t i = 0; i < c->n_series; i++) {
		const struct mer_svg_series *d = &c->series[i];
		for (size_t k = 0; k < d->n; k++) {
			include(is_y ? d->y[k] : d->x[k], &s->min, &s->max);
			if (is_y && d->kind == MER_SVG_BAND)
				include(d->y2[k], &s->min, &s->max);
		}
	}
	if (!(s->min <= s->max))
		s->min = s->max = 0;
	double room = (s->max - s->min) * (is_y ? 0.05 : 0.01);
	/* Small against the values themselves: a flat line, or nothing but rounding. */
	if (room <= fmax(fabs(s->min), fabs(s->max)) * 1e-12)
		room = fmax(fabs(s->max) * 0.1, 1);
	s->min -= room;
	s->max += room;
}

/* 1, 2 or 5 times a power of ten, so that at most n steps fill the range. */
static double nice_step(double range, double n)
{
	double power = pow(10, floor(log10(range / n)));
	double f = range / n / power;
	return power * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
}

/* The same for times of day. */
static double clock_step(double range, double n)
{
	static const int steps_s[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
		7200, 10800, 21600, 43200, 86400 };
	if (range / n <= 1e9)
		return nice_step(range, n);
	for (size_t i = 0; i < sizeof(steps_s) / sizeof(*steps_s); i++)
		if (range / n <= steps_s[i] * 1e9)
			return steps_s[i] * 1e9;
	return nice_step(range / 86400e9, n) * 86400e9;
}

static void choose_unit(const struct mer_svg_axis *a, struct scale *s)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	double most = fmax(fabs(s->min), fabs(s->max));
	s->unit = 1;
	s->suffix = "";
	for (size_t i = 0; a->unit == MER_SVG_DURATION && i < 4; i++)
		if (most >= 2 * units[i].ns || i == 3) {
			s->unit = units[i].ns;
			s->suffix = units[i].name;
			break;
		}
}

static void make_scale(
	const struct mer_svg_chart *c, bool is_y, double from, double to, struct scale *s)
{
	const struct mer_svg_axis *a = is_y ? &c->y : &c->x;
	double n = fabs(to - from) / (is_y ? 34 : 105);
	find_range(c, is_y, s);
	s->from = from;
	s->to = to;
	choose_unit(a, s);
	if (a->unit == MER_SVG_CLOCK)
		s->step = clock_step(s->max - s->min, n);
	else
		s->step = nice_step((s->max - s->min) / s->unit, n) * s->unit;
}

static void clock_label(struct mer_str *out, int64_t ns, double step)
{
	int64_t part = ns % 1000000000, seconds = ns / 1000000000;
	if (part < 0) {
		part += 1000000000;
		seconds--;
	}
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[40], digits[16];
	if (!localtime_r(&t, &tm) ||
		!strftime(text, sizeof(text), step >= 86400e9 ? "%m-%d" : "%H:%M:%S", &tm)) {
		mer_str_printf(out, "%lld", (long long)ns);
		return;
	}
	mer_str_puts(out, text);
	int decimals = step >= 1e9 ? 0 : (int)ceil(9 - log10(step) - 1e-9);
	snprintf(digits, sizeof(digits), "%09d", (int)part);
	if (decimals > 0)
		mer_str_printf(out, ".%.*s", decimals > 9 ? 9 : decimals, digits);
}

static void add_label(
	struct mer_str *out, const struct mer_svg_axis *a, const struct scale *s, double v)
{
	if (a->unit == MER_SVG_CLOCK) {
		int64_t ns;
		double at = fmax(-9e18, fmin(9e18, v));
		if (__builtin_add_overflow(a->origin, (int64_t)llround(at), &ns))
			ns = at < 0 ? INT64_MIN : INT64_MAX;
		clock_label(out, ns, s->step);
		return;
	}
	double step = s->step / s->unit, shown = v / s->unit;
	int decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
	if (fabs(shown) >= 1e7 || decimals > 9)
		mer_str_printf(out, "%.6g", shown);
	else
		mer_str_printf(out, "%.*f", decimals, fabs(shown) < step / 2 ? 0 : shown);
}

/* Where the first tick is: a multiple of the step; of clocks counted from local midnight. */
static double first_tick(const struct mer_svg_axis *a, const struct scale *s)
{
	double shift = 0;
	if (a->unit == MER_SVG_CLOCK) {
		time_t t = (time_t)(a->origin / 1000000000);
		struct tm tm;
		int64_t since = a->origin % 1000000000;
		if (localtime_r(&t, &tm))
			since += ((tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec) *
				 INT64_C(1000000000);
		shift = fmod((double)since, s->step);
	}
	return ceil((s->min + shift) / s->step - 1e-9) * s->step - shift;
}

static void put_axis(struct mer_str *out, const struct mer_svg_axis *a, const struct scale *s,
	const struct scale *other, bool is_y)
{
	double first = first_tick(a, s);
	for (int i = 0; i < 100; i++) {
		double v = first + i * s->step, at = place(s, v);
		if (!(v <= s->max + s->step * 1e-6))
			break;
		bool zero = is_y && fabs(v) < s->step * 1e-6;
		mer_str_printf(out, "<path class=\"%c\" d=\"", zero ? 'z' : 'g');
		add_point(out, 'M', is_y ? other->from : at, is_y ? at : other->from);
		add_point(out, 'L', is_y ? other->to : at, is_y ? at : other->to);
		mer_str_printf(out, "\"/><text text-anchor=\"%s\" x=\"", is_y ? "end" : "middle");
		add_number(out, is_y ? other->from - 7 : at);
		mer_str_puts(out, "\" y=\"");
		add_number(out, is_y ? at + 4 : other->from + 18);
		mer_str_puts(out, "\">");
		add_label(out, a, s, v);
		mer_str_puts(out, "</text>\n");
	}
	double middle = (s->from + s->to) / 2;
	mer_str_puts(out, "<text class=\"n\" text-anchor=\"middle\" ");
	if (is_y) {
		mer_str_puts(out, "transform=\"translate(18 ");
		add_number(out, middle);
		mer_str_puts(out, ") rotate(-90)\">");
	} else {
		mer_str_puts(out, "x=\"");
		add_number(out, middle);
		mer_str_puts(out, "\" y=\"");
		add_number(out, other->from + 38);
		mer_str_puts(out, "\">");
	}
	add_text(out, a->title);
	if (s->suffix[0])
		mer_str_printf(out, " (%s)", s->suffix);
	mer_str_puts(out, "</text>\n");
}

/* ---- Series ---- */

struct view {
	struct scale x, y;
};

static bool drawable(const struct mer_svg_series *d, size_t i)
{
	return isfinite(d->x[i]) && isfinite(d->y[i]) &&
	       (d->kind != MER_SVG_BAND || isfinite(d->y2[i]));
}

static void put_xy(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t i)
{
	add_point(out, 'M', place(&v->x, d->x[i]), place(&v->y, d->y[i]));
	mer_str_puts(out, "h0");
}

static bool outside(const struct view *v, const struct mer_svg_series *d, size_t i)
{
	return d->x[i] < v->x.min || d->x[i] > v->x.max || d->y[i] < v->y.min || d->y[i] > v->y.max;
}

/* Of the values i..end-1 those to draw, in order: the first, the least, the greatest, the last. */
static size_t pick(const struct mer_svg_series *d, size_t i, size_t end, size_t picked[PER_GROUP])
{
	size_t least = SIZE_MAX, most = SIZE_MAX, first = SIZE_MAX, last = SIZE_MAX, n = 0;
	for (; i < end; i++) {
		if (!drawable(d, i))
			continue;
		if (first == SIZE_MAX)
			first = least = most = i;
		last = i;
		least = d->y[i] < d->y[least] ? i : least;
		most = d->y[i] > d->y[most] ? i : most;
	}
	if (first == SIZE_MAX)
		return 0;
	size_t low = least < most ? least : most, high = least < most ? most : least;
	picked[n++] = first;
	if (low != first)
		picked[n++] = low;
	if (high != low && high != first)
		picked[n++] = high;
	if (last != picked[n - 1])
		picked[n++] = last;
	return n;
}

static void put_curve(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t group)
{
	bool began = false;
	for (size_t i = 0; i < d->n; i += group) {
		size_t picked[PER_GROUP], end = d->n - i < group ? d->n : i + group;
		size_t n = pick(d, i, end, picked);
		for (size_t k = 0; k < n; k++) {
			if (d->kind == MER_SVG_POINTS) {
				if (!outside(v, d, picked[k]))
					put_xy(out, v, d, picked[k]);
				continue;
			}
			add_point(out, began ? 'L' : 'M', place(&v->x, d->x[picked[k]]),
				place(&v->y, d->y[picked[k]]));
			began = true;
		}
	}
}

/* One side of a band over a group: from its first x to its last, at its outermost value. */
static void put_side(struct mer_str *out, const struct view *v, const struct mer_svg_series *d,
	size_t begin, size_t end, bool upper, bool *began)
{
	size_t first = SIZE_MAX, last = 0;
	double y = 0;
	for (size_t i = begin; i < end; i++) {
		if (!drawable(d, i))
			continue;
		double low = fmin(d->y[i], d->y2[i]), high = fmax(d->y[i], d->y2[i]);
		y = first == SIZE_MAX ? (upper ? high : low)
				      : (upper ? fmax(y, high) : fmin(y, low));
		first = first == SIZE_MAX ? i : first;
		last = i;
	}
	if (first == SIZE_MAX)
		return;
	add_point(
		out, *began ? 'L' : 'M', place(&v->x, d->x[upper ? first : last]), place(&v->y, y));
	if (first != last)
		add_point(out, 'L', place(&v->x, d->x[upper ? last : first]), place(&v->y, y));
	*began = true;
}

/* Forth along its upper side, back along the lower. */
static void put_band(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t group)
{
	bool began = false;
	size_t n_groups = d->n / group + (d->n % group != 0);
	for (size_t g = 0; g < n_groups; g++)
		put_side(out, v, d, g * group, g + 1 < n_groups ? (g + 1) * group : d->n, true,
			&began);
	for (size_t g = n_groups; g-- > 0;)
		put_side(out, v, d, g * group, g + 1 < n_groups ? (g + 1) * group : d->n, false,
			&began);
	if (began)
		mer_str_putc(out, 'Z');
}

static void put_series(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t share)
{
	size_t group = d->n > share ? (d->n * PER_GROUP + share - 1) / share : 1;
	const char *color = colors[d->color % MER_SVG_COLORS];
	if (d->n == 0)
		return;
	if (d->kind == MER_SVG_BAND)
		mer_str_printf(out, "<path class=\"f\" fill=\"%s\" d=\"", color);
	else
		mer_str_printf(out, "<path class=\"%c\" stroke=\"%s\" d=\"",
			d->kind == MER_SVG_LINE ? 'l' : 'p', color);
	if (d->kind == MER_SVG_BAND)
		put_band(out, v, d, group);
	else
		put_curve(out, v, d, group);
	mer_str_puts(out, "\">");
	if (d->name) {
		mer_str_puts(out, "<title>");
		add_text(out, d->name);
		mer_str_puts(out, "</title>");
	}
	mer_str_puts(out, "</path>\n");
}

/* ---- Charts ---- */

struct shares {		  /* how much of the file a series may take */
	double per_point; /* for each of its points */
	size_t of_points; /* and for being there */
	size_t of_curve;  /* lines and bands */
};

/* Half of the file is for curves, half for points; of these each series has its part, however few they
 * are, and the more the more they are. */
static struct shares divide(const struct mer_svg_chart *charts, size_t n)
{
	enum { HALF = MER_SVG_MAX_POINTS / 2 };
	size_t points = 0, n_points = 0, curves = 0, share;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < charts[i].n_series; k++) {
			bool is_curve = charts[i].series[k].kind != MER_SVG_POINTS;
			curves += is_curve;
			n_points += !is_curve;
			points += is_curve ? 0 : charts[i].series[k].n;
		}
	share = curves ? HALF / curves : HALF;
	return (struct shares){ points > HALF ? HALF / 2 / (double)points : 1,
		n_points ? HALF / 2 / n_points : 0, share < MIN_CURVE ? MIN_CURVE : share };
}

static size_t columns_of(const char *s)
{
	size_t n = 0;
	for (; s && *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Returns the height that it takes; out NULL: only that. */
static int put_legend(struct mer_str *out, const struct mer_svg_chart *c, int y)
{
	double x = LEFT;
	int rows = 0;
	for (size_t i = 0; i < c->n_series; i++) {
		const struct mer_svg_series *d = &c->series[i];
		double width = 34 + 7.1 * (double)columns_of(d->name);
		if (!d->name)
			continue;
		if (rows == 0 || x + width > WIDTH - RIGHT) {
			x = LEFT;
			rows++;
		}
		if (out) {
			mer_str_puts(out, "<rect width=\"14\" height=\"9\" rx=\"2\" x=\"");
			add_number(out, x);
			mer_str_printf(out, "\" y=\"%d\" fill=\"%s\"%s/><text x=\"",
				y + rows * LINE - 11, colors[d->color % MER_SVG_COLORS],
				d->kind == MER_SVG_BAND ? " fill-opacity=\".35\"" : "");
			add_number(out, x + 19);
			mer_str_printf(out, "\" y=\"%d\">", y + rows * LINE - 2);
			add_text(out, d->name);
			mer_str_puts(out, "</text>\n");
		}
		x += width;
	}
	return rows * LINE;
}

static unsigned height_of(const struct mer_svg_chart *c)
{
	return c->height < 160 ? HEIGHT : c->height;
}

static void put_chart(struct mer_str *out, const struct mer_svg_chart *c, size_t number, int top,
	const struct shares *shares)
{
	int y = top + 26, bottom = top + (int)height_of(c) - BOTTOM;
	struct view v;
	mer_str_printf(out, "<text class=\"t\" x=\"%d\" y=\"%d\">", LEFT, y - 4);
	add_text(out, c->title);
	mer_str_puts(out, "</text>\n");
	if (c->note) {
		y += LINE;
		mer_str_printf(out, "<text class=\"n\" x=\"%d\" y=\"%d\">", LEFT, y - 4);
		add_text(out, c->note);
		mer_str_puts(out, "</text>\n");
	}
	y += put_legend(out, c, y) + 8;
	if (y > bottom - 60)
		y = bottom - 60; /* an absurd legend: rather drawn over than no chart */
	make_scale(c, false, LEFT, WIDTH - RIGHT, &v.x);
	make_scale(c, true, bottom, y, &v.y);
	put_axis(out, &c->x, &v.x, &v.y, false);
	put_axis(out, &c->y, &v.y, &v.x, true);
	mer_str_printf(out,
		"<clipPath id=\"c%zu\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
		"</clipPath>\n<g clip-path=\"url(#c%zu)\">\n",
		number, LEFT, y, WIDTH - RIGHT - LEFT, bottom - y, number);
	for (size_t i = 0; i < c->n_series; i++) {
		double share = (double)c->series[i].n * shares->per_point;
		if (c->series[i].kind != MER_SVG_POINTS)
			put_series(out, &v, &c->series[i], shares->of_curve);
		else
			put_series(out, &v, &c->series[i],
				MIN_POINTS + shares->of_points + (size_t)share);
	}
	mer_str_printf(out,
		"</g>\n<rect class=\"a\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, y,
		WIDTH - RIGHT - LEFT, bottom - y);
}

int mer_svg_write(struct mer_str *out, const char *title, const struct mer_svg_chart *charts,
	size_t n, struct mer_err *err)
{
	unsigned height = 0;
	int top = 0;
	struct shares shares = divide(charts, n);
	for (size_t i = 0; i < n; i++)
		height += height_of(&charts[i]);
	mer_str_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" role=\"img\">\n<title>",
		WIDTH, height, WIDTH, height);
	add_text(out, title);
	mer_str_printf(out, "</title>\n%s<rect class=\"b\" width=\"%d\" height=\"%u\"/>\n", style,
		WIDTH, height);
	for (size_t i = 0; i < n; i++) {
		put_chart(out, &charts[i], i, top, &shares);
		top += (int)height_of(&charts[i]);
	}
	mer_str_puts(out, "</svg>\n");
	return out->failed ? mer_fail_nomem(err) : 0;
}
