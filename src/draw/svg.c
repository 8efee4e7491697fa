#include "draw/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/safe_text.h"

enum { WIDTH = 900, HEIGHT = 500, LEFT = 84, RIGHT = 24, LINE = 17 };
enum {
	BOTTOM = 50,
	BOTTOM_BARE = 14,
	HEIGHT_NONE = 60
}; /* room below the axis, with labels or without; height of a picture without charts */
enum { DIGIT = 7, EDGE = 3 }; /* largest width of a digit; room at the picture's edge */
/* PER_GROUP: points drawn for a group of values, at most. MIN_*: points that a series always gets.
 * NAME: characters of a name in a legend. */
enum { PER_GROUP = 4, MIN_POINTS = 50, MIN_CURVE = 800, NAME = 44 };

static const char style[] =
	"<style>\n"
	"text{font-family:sans-serif;font-size:12px;fill:#222}\n"
	".t{font-size:14px;font-weight:bold}.n{fill:#666}.b{fill:#fff}\n"
	".g{stroke:#e2e2e2;fill:none}.a{stroke:#888;fill:none}.z{stroke:#aaa;fill:none}\n"
	".p{fill:none;stroke-width:2.4;stroke-linecap:round;stroke-opacity:.75}\n"
	".l{fill:none;stroke-width:1.6;stroke-linejoin:round}.f{fill-opacity:.28;stroke:none}\n"
	".s{fill-opacity:.9;stroke:none;shape-rendering:crispEdges}\n"
	".k{stroke:#222;stroke-width:1}.i{fill:#222}\n"
	"@media (prefers-color-scheme:dark){text{fill:#ddd}.n{fill:#999}.b{fill:#16181c}"
	".g{stroke:#2c3036}.a{stroke:#777}.z{stroke:#666}.k{stroke:#ddd}.i{fill:#ddd}}\n"
	"</style>\n";

/* Distinguishable with color blindness, too: neighbours differ in lightness (after Okabe and Ito).
 * The last but one is for the rest. */
static const char *const colors[MER_SVG_COLORS] = { "#0072b2", "#e69f00", "#009e73", "#d58fb5",
	"#c44e00", "#56b4e9", "#6f4fa8", "#c9b800", "#888888", "#8c5a3c" };

enum { COLOR_BYTES = 8 };

/* The color as text: "#0072b2". Colors beyond the table turn the hue by the golden angle, in three
 * shades: any number of them, but harder to tell apart. */
static const char *color_text(unsigned color, char text[COLOR_BYTES])
{
	static const double shades[] = { .42, .62, .3 };
	if (color < MER_SVG_COLORS)
		return colors[color];
	if (color >= MER_SVG_OWN) {
		snprintf(text, COLOR_BYTES, "#%06x", color & 0xffffff);
		return text;
	}
	unsigned i = color - MER_SVG_COLORS, rgb[3];
	double l = shades[i % 3], a = .55 * fmin(l, 1 - l);
	for (int k = 0; k < 3; k++) {
		static const double at[] = { 0, 8, 4 };
		double x = fmod(at[k] + fmod(i * 137.508, 360) / 30, 12);
		rgb[k] = (unsigned)lround(255 * (l - a * fmax(-1, fmin(fmin(x - 3, 9 - x), 1))));
	}
	snprintf(text, COLOR_BYTES, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
	return text;
}

/* Adds text, escaped for use between tags and in quotes. Bytes that are invalid in XML, or unsafe
 * in a terminal, become question marks. */
static void add_text(struct mer_str *out, const char *s)
{
	size_t len = s ? strlen(s) : 0;
	for (size_t i = 0; i < len;) {
		size_t n = mer_safe_length(s + i, len - i);
		unsigned char c = (unsigned char)s[i];
		if (n == 0 && c != '\t')
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
			mer_str_add(out, s + i, n ? n : 1);
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

/* Writes a path compactly: horizontal and vertical lines as H and V, and consecutive horizontal
 * lines as one. */
struct pen {
	struct mer_str *out;
	double x, y;	/* where it is, in tenths */
	double level_x; /* end of the horizontal line that is not written yet; NAN: none */
	bool began;
	bool is_alone; /* there was one level so far */
};

static void end_level(struct pen *p)
{
	if (isnan(p->level_x))
		return;
	if (p->level_x != p->x) {
		mer_str_putc(p->out, 'H');
		add_number(p->out, p->level_x / 10);
	}
	p->x = p->level_x;
	p->level_x = NAN;
}

static void draw_to(struct pen *p, double x, double y)
{
	double most = 1e6;
	x = round(fmax(-most, fmin(most, x)) * 10);
	y = round(fmax(-most, fmin(most, y)) * 10);
	if (p->began && y == p->y) {
		/* The line turns back on the same level: the turning point must be seen. */
		if (!isnan(p->level_x) && (x - p->level_x) * (p->level_x - p->x) < 0)
			end_level(p);
		p->level_x = x;
		return;
	}
	if (p->began)
		end_level(p);
	if (p->began && x == p->x) {
		mer_str_putc(p->out, 'V');
		add_number(p->out, y / 10);
	} else {
		add_point(p->out, p->began ? 'L' : 'M', x / 10, y / 10);
	}
	p->is_alone = !p->began;
	p->x = x;
	p->y = y;
	p->level_x = NAN;
	p->began = true;
}

/* Ends the line: the next point is not joined to it. A value between two gaps is drawn as a dot. */
static void lift(struct pen *p)
{
	if (p->began && p->is_alone && isnan(p->level_x))
		mer_str_puts(p->out, "h1");
	end_level(p);
	p->began = false;
}

/* ---- Axes ---- */

struct scale {
	double min, max;    /* of the values */
	double from, to;    /* in pixels */
	double step, unit;  /* between ticks; size of the unit shown, in what values count */
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

/* The axis's own range, if it has one; otherwise that of all series, with some room. Never
 * empty. */
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
			if (is_y && d->kind >= MER_SVG_BAND)
				include(d->y2[k], &s->min, &s->max);
		}
	}
	if (!(s->min <= s->max))
		s->min = s->max = 0;
	if (is_y && s->min >= 0 && s->min < s->max / 2)
		s->min = 0;
	bool from_zero = is_y && s->min == 0;
	double room = (s->max - s->min) * (is_y ? 0.05 : 0.01);
	/* Small against the values themselves: a flat line, or nothing but rounding. */
	if (room <= fmax(fabs(s->min), fabs(s->max)) * 1e-12)
		room = fmax(fabs(s->max) * 0.1, 1);
	s->min -= from_zero ? 0 : room;
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

struct unit {
	double size; /* of what the axis counts in */
	const char *name;
};

/* Chooses the largest unit of which the axis has at least two. */
static void choose_of(const struct unit *units, size_t n, struct scale *s)
{
	double most = fmax(fabs(s->min), fabs(s->max));
	size_t i = 0;
	while (i + 1 < n && most < 2 * units[i].size)
		i++;
	s->unit = units[i].size;
	s->suffix = units[i].name;
}
#define CHOOSE_OF(units, s) choose_of(units, sizeof(units) / sizeof((units)[0]), s)

static void choose_unit(const struct mer_svg_axis *a, struct scale *s)
{
	static const struct unit times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" },
		{ 1, "ns" } };
	static const struct unit bytes[] = { { 0x1p40, "TiB" }, { 0x1p30, "GiB" },
		{ 0x1p20, "MiB" }, { 0x1p10, "KiB" }, { 1, "bytes" } };
	static const struct unit rates[] = { { 0x1p40, "TiB/s" }, { 0x1p30, "GiB/s" },
		{ 0x1p20, "MiB/s" }, { 0x1p10, "KiB/s" }, { 1, "bytes/s" } };
	static const struct unit frequencies[] = { { 1e6, "GHz" }, { 1e3, "MHz" }, { 1, "kHz" } };
	static const struct unit counts[] = { { 1e9, "billions" }, { 1e6, "millions" }, { 1, "" } };
	s->unit = 1;
	s->suffix = "";
	switch (a->unit) {
	case MER_SVG_DURATION: CHOOSE_OF(times, s); break;
	case MER_SVG_BYTES: CHOOSE_OF(bytes, s); break;
	case MER_SVG_RATE: CHOOSE_OF(rates, s); break;
	case MER_SVG_KHZ: CHOOSE_OF(frequencies, s); break;
	case MER_SVG_PERCENT: s->suffix = "%"; break;
	case MER_SVG_PLAIN: CHOOSE_OF(counts, s); break;
	default: break;
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
	if (a->unit == MER_SVG_CLOCK) {
		s->step = clock_step(s->max - s->min, n);
		if (s->step < 1e3) /* labels with more than six decimals are wider */
			s->step = clock_step(s->max - s->min, n * 105 / 130);
	} else {
		s->step = nice_step((s->max - s->min) / s->unit, n) * s->unit;
	}
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

/* Where the first tick is: at a multiple of the step; for clocks, counted from local midnight. */
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
	struct mer_str label = { 0 };
	for (int i = 0; i < 100; i++) {
		double v = first + i * s->step, at = place(s, v);
		if (!(v <= s->max + s->step * 1e-6))
			break;
		bool zero = is_y && fabs(v) < s->step * 1e-6;
		mer_str_printf(out, "<path class=\"%c\" d=\"", zero ? 'z' : 'g');
		add_point(out, 'M', is_y ? other->from : at, is_y ? at : other->from);
		add_point(out, 'L', is_y ? other->to : at, is_y ? at : other->to);
		mer_str_puts(out, "\"/>\n");
		if (!is_y && !a->title)
			continue;
		add_label(&label, a, s, v);
		/* The last one of x must not be cut at the picture's edge. */
		bool is_last = !is_y && at + (double)label.len * DIGIT / 2 > WIDTH - EDGE;
		mer_str_printf(
			out, "<text text-anchor=\"%s\" x=\"", is_y || is_last ? "end" : "middle");
		add_number(out, is_y ? other->from - 7 : is_last ? WIDTH - EDGE : at);
		mer_str_puts(out, "\" y=\"");
		add_number(out, is_y ? at + 4 : other->from + 18);
		mer_str_puts(out, "\">");
		mer_str_add(out, label.data ? label.data : "", label.len);
		out->failed |= label.failed;
		mer_str_clear(&label);
		mer_str_puts(out, "</text>\n");
	}
	mer_str_fini(&label);
	double middle = (s->from + s->to) / 2;
	if (!is_y && !a->title)
		return;
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
	       (d->kind < MER_SVG_BAND || isfinite(d->y2[i]));
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

/* Picks the values to draw from i..end-1, in order: the first, lowest, highest and last one. */
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
	struct pen pen = { .out = out, .level_x = NAN };
	for (size_t i = 0; i < d->n; i += group) {
		size_t picked[PER_GROUP], end = d->n - i < group ? d->n : i + group;
		size_t n = pick(d, i, end, picked);
		if (n == 0)
			lift(&pen);
		for (size_t k = 0; k < n; k++) {
			if (d->kind == MER_SVG_POINTS) {
				if (!outside(v, d, picked[k]))
					put_xy(out, v, d, picked[k]);
				continue;
			}
			draw_to(&pen, place(&v->x, d->x[picked[k]]), place(&v->y, d->y[picked[k]]));
		}
	}
	lift(&pen);
}

/* One side of a band over a group: from its first x to its last, at its outermost value. */
static void put_side(struct pen *pen, const struct view *v, const struct mer_svg_series *d,
	size_t begin, size_t end, bool upper)
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
	draw_to(pen, place(&v->x, d->x[upper ? first : last]), place(&v->y, y));
	if (first != last)
		draw_to(pen, place(&v->x, d->x[upper ? last : first]), place(&v->y, y));
}

struct groups { /* n groups of a series, of size values each */
	size_t size, n;
};

static bool is_hole(const struct mer_svg_series *d, const struct groups *of, size_t g)
{
	for (size_t i = g * of->size; i < d->n && i < (g + 1) * of->size; i++)
		if (drawable(d, i))
			return false;
	return true;
}

/* Draws a shape from each gap to the next: forth along the upper side, back along the lower one. */
static void put_band(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t group)
{
	struct pen pen = { .out = out, .level_x = NAN };
	const struct groups of = { group, d->n / group + (d->n % group != 0) };
	for (size_t first = 0, last; first < of.n; first = last + 1) {
		for (last = first; last < of.n && !is_hole(d, &of, last);)
			last++;
		for (size_t g = first; g < last; g++)
			put_side(
				&pen, v, d, g * group, g + 1 < of.n ? (g + 1) * group : d->n, true);
		for (size_t g = last; g-- > first;)
			put_side(&pen, v, d, g * group, g + 1 < of.n ? (g + 1) * group : d->n,
				false);
		end_level(&pen);
		if (pen.began)
			mer_str_putc(out, 'Z');
		pen.began = false;
	}
}

static void put_series(
	struct mer_str *out, const struct view *v, const struct mer_svg_series *d, size_t share)
{
	size_t group = d->n > share && d->kind != MER_SVG_AREA
			       ? (d->n * PER_GROUP + share - 1) / share
			       : 1;
	char text[COLOR_BYTES];
	const char *color = color_text(d->color, text);
	if (d->n == 0)
		return;
	if (d->kind >= MER_SVG_BAND)
		mer_str_printf(out, "<path class=\"%c\" fill=\"%s\" d=\"",
			d->kind == MER_SVG_AREA ? 's' : 'f', color);
	else
		mer_str_printf(out,
			d->color == MER_SVG_INK ? "<path class=\"%c k\" d=\""
						: "<path class=\"%c\" stroke=\"%s\" d=\"",
			d->kind == MER_SVG_LINE ? 'l' : 'p', color);
	if (d->kind >= MER_SVG_BAND)
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

struct shares {		  /* how many points of a series are drawn */
	double per_point; /* series of points: this share of its points, */
	size_t of_points; /* and this many more, however few it has */
	size_t of_curve;  /* a line or band */
};

/* Half of the points of a file are for lines and bands, shared equally. Half are for series of
 * points: one half of it is shared equally, the other one in proportion to their points. */
static struct shares divide(const struct mer_svg_chart *charts, size_t n)
{
	enum { HALF = MER_SVG_MAX_POINTS / 2 };
	size_t points = 0, n_points = 0, curves = 0, share;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < charts[i].n_series; k++) {
			enum mer_svg_kind kind = charts[i].series[k].kind;
			bool is_curve = kind != MER_SVG_POINTS;
			if (kind == MER_SVG_AREA)
				continue;
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

/* A name in a legend, cut if it is too long. */
static void add_name(struct mer_str *out, const char *name)
{
	char start[4 * NAME + 1];
	size_t columns = 0, len = 0;
	if (columns_of(name) <= NAME) {
		add_text(out, name);
		return;
	}
	for (; name[len] && len < 4 * NAME; len++) {
		columns += ((unsigned char)name[len] & 0xc0) != 0x80;
		if (columns == NAME)
			break;
		start[len] = name[len];
	}
	start[len] = 0;
	add_text(out, start);
	mer_str_puts(out, "\xe2\x80\xa6"); /* an ellipsis */
}

/* Draws the legend, and returns its height; out NULL: only returns it. */
static int put_legend(struct mer_str *out, const struct mer_svg_chart *c, int y)
{
	double x = LEFT;
	int rows = 0;
	for (size_t i = 0; i < c->n_series; i++) {
		const struct mer_svg_series *d = &c->series[i];
		char text[COLOR_BYTES];
		size_t columns = columns_of(d->name);
		double width = 34 + 7.1 * (double)(columns < NAME ? columns : NAME);
		if (!d->name)
			continue;
		if (rows == 0 || x + width > WIDTH - RIGHT) {
			x = LEFT;
			rows++;
		}
		if (out) {
			mer_str_puts(out, "<rect width=\"14\" height=\"9\" rx=\"2\" x=\"");
			add_number(out, x);
			mer_str_printf(out,
				d->color == MER_SVG_INK ? "\" y=\"%d\" class=\"i\"/><text x=\""
							: "\" y=\"%d\" fill=\"%s\"%s/><text x=\"",
				y + rows * LINE - 11, color_text(d->color, text),
				d->kind == MER_SVG_BAND	  ? " fill-opacity=\".35\""
				: d->kind == MER_SVG_AREA ? " fill-opacity=\".9\""
							  : "");
			add_number(out, x + 19);
			mer_str_printf(out, "\" y=\"%d\">", y + rows * LINE - 2);
			add_name(out, d->name);
			mer_str_puts(out, "</text>\n");
		}
		x += width;
	}
	return rows * LINE;
}

/* From the top of the chart to that of the plot. */
static int above(const struct mer_svg_chart *c)
{
	return 26 + (c->note ? LINE : 0) + put_legend(NULL, c, 0) + 8;
}

static int below(const struct mer_svg_chart *c)
{
	return c->x.title ? BOTTOM : BOTTOM_BARE;
}

static unsigned height_of(const struct mer_svg_chart *c)
{
	if (c->plot)
		return (unsigned)(above(c) + below(c)) + c->plot;
	return c->height < 120 ? HEIGHT : c->height;
}

static void put_chart(struct mer_str *out, const struct mer_svg_chart *c, size_t number, int top,
	const struct shares *shares)
{
	int y = top + 26, bottom = top + (int)height_of(c) - below(c);
	struct view v;
	mer_str_puts(out, "<g role=\"group\" aria-label=\"");
	add_text(out, c->title);
	mer_str_puts(out, "\">\n");
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
		y = bottom - 60; /* a huge legend: the chart is drawn over it */
	make_scale(c, false, LEFT, WIDTH - RIGHT, &v.x);
	make_scale(c, true, bottom, y, &v.y);
	put_axis(out, &c->x, &v.x, &v.y, false);
	put_axis(out, &c->y, &v.y, &v.x, true);
	mer_str_printf(out,
		"<clipPath id=\"c%zu\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n<g clip-path=\"url(#c%zu)\">\n",
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
		"</g>\n<rect class=\"a\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n</g>\n",
		LEFT, y, WIDTH - RIGHT - LEFT, bottom - y);
}

/* A description for screen readers: titles and series of the charts. */
static void put_description(struct mer_str *out, const struct mer_svg_chart *charts, size_t n)
{
	mer_str_printf(out, "<desc>%zu chart%s, one below the other.", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		bool any = false;
		mer_str_puts(out, " ");
		add_text(out, charts[i].title);
		for (size_t k = 0; k < charts[i].n_series; k++)
			if (charts[i].series[k].name) {
				mer_str_puts(out, any ? ", " : " (");
				add_text(out, charts[i].series[k].name);
				any = true;
			}
		mer_str_puts(out, any ? ")." : ".");
	}
	mer_str_puts(out, "</desc>\n");
}

int mer_svg_write(struct mer_str *out, const char *title, const struct mer_svg_chart *charts,
	size_t n, struct mer_err *err)
{
	unsigned height = 0;
	int top = 0;
	struct shares shares = divide(charts, n);
	for (size_t i = 0; i < n; i++)
		height += height_of(&charts[i]);
	if (n == 0)
		height = HEIGHT_NONE;
	mer_str_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" role=\"img\">\n<title>",
		WIDTH, height, WIDTH, height);
	add_text(out, title);
	mer_str_puts(out, "</title>\n");
	put_description(out, charts, n);
	mer_str_printf(
		out, "%s<rect class=\"b\" width=\"%d\" height=\"%u\"/>\n", style, WIDTH, height);
	for (size_t i = 0; i < n; i++) {
		put_chart(out, &charts[i], i, top, &shares);
		top += (int)height_of(&charts[i]);
	}
	if (n == 0) {
		mer_str_printf(out, "<text class=\"n\" x=\"%d\" y=\"%d\">", LEFT, HEIGHT_NONE / 2);
		add_text(out, title);
		mer_str_puts(out, ": there is nothing to show</text>\n");
	}
	mer_str_puts(out, "</svg>\n");
	return out->failed ? mer_fail_nomem(err) : 0;
}
