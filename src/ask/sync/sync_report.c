/* --report: what each clock did over the time of its traces, in words, and on two lines of
 * characters: its rate against the reference, and how well it is known.
 *
 * The words are careful: a rate counts as a slew only where it differs from the clock's usual one
 * by more than the error of the best known instants could make of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/sync/sync_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "sync/result_view.h"

enum { COLUMNS = 60, PARTS = 4, WINDOWS = COLUMNS * PARTS, STEPS = 20 };
static const double LEAST_SLEW_PPM = 2;

struct span { /* of the reference's time, that all hosts of a group are shown over */
	int64_t begin, end;
};

struct course {			 /* of one host's clock, > 0: faster than the reference */
	double off_ppm[WINDOWS]; /* from its usual rate; 0: not told from it; NAN: no traces */
	double usual_ppm;
	double slew_ppm; /* largest distance from the usual rate */
	unsigned n_slews;
};

static int by_rate(const void *a, const void *b)
{
	const double *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

static int64_t window_begin(const struct span *s, int window)
{
	return s->begin +
	       (int64_t)((__int128)mer_time_between(s->begin, s->end) * window / WINDOWS);
}

static bool touches(struct sync_range r, int64_t begin, int64_t end)
{
	return r.begin <= end && r.end >= begin;
}

/* The rate over so many windows around one, as far as there are traces; NAN: or across a step. */
static double rate_ppm(const struct sync_host *h, const int64_t at[WINDOWS + 1],
	const struct span *s, int window, int width)
{
	int first = window - (width - 1) / 2, next = first + width;
	while (first < window && at[first < 0 ? 0 : first] == MER_NO_TIME)
		first++;
	while (next > window + 1 && at[next > WINDOWS ? WINDOWS : next] == MER_NO_TIME)
		next--;
	first = first < 0 ? 0 : first;
	next = next > WINDOWS ? WINDOWS : next;
	if (at[first] == MER_NO_TIME || at[next] == MER_NO_TIME)
		return NAN;
	for (size_t i = 0; i < h->n_steps; i++)
		if (touches(h->steps[i].range, at[first], at[next]))
			return NAN;
	double length = (double)mer_time_between(window_begin(s, first), window_begin(s, next));
	return ((double)mer_time_between(at[first], at[next]) / length - 1) * 1e6;
}

/* The rate around each instant over as short a time as tells it from the usual one: what the bounds
 * let it be off shrinks with the length, and so do the bends that an estimate makes with every
 * message. */
static void find_course(const struct sync_host *h, const struct span *s, struct course *c)
{
	int64_t at[WINDOWS + 1]; /* the host's clock at the windows' ends */
	double sorted[WINDOWS];
	size_t n = 0;
	*c = (struct course){ 0 };
	for (int i = 0; i <= WINDOWS; i++) {
		at[i] = trace_unmap_time(&h->map, window_begin(s, i));
		if (at[i] < h->span.begin || at[i] > h->span.end)
			at[i] = MER_NO_TIME;
	}
	double length = (double)mer_time_between(s->begin, s->end) / WINDOWS;
	for (int i = 0; i < WINDOWS && length > 0; i++) {
		double ppm = rate_ppm(h, at, s, i, 1);
		if (!isnan(ppm))
			sorted[n++] = ppm;
	}
	if (n) {
		qsort(sorted, n, sizeof(*sorted), by_rate);
		c->usual_ppm = sorted[n / 2];
	}
	double error = h->bound.min == INT64_MAX ? 0 : 2 * (double)h->bound.min;
	double last = 0;
	for (int i = 0; i < WINDOWS; i++) {
		c->off_ppm[i] = n && at[i] != MER_NO_TIME && at[i + 1] != MER_NO_TIME ? 0 : NAN;
		for (int width = 1; width <= WINDOWS / 8 && fabs(c->off_ppm[i]) <= 0; width *= 2) {
			double off = rate_ppm(h, at, s, i, width) - c->usual_ppm;
			if (fabs(off) > LEAST_SLEW_PPM + error / (length * width) * 1e6)
				c->off_ppm[i] = off;
		}
		double off = isnan(c->off_ppm[i]) ? 0 : c->off_ppm[i];
		c->n_slews += (off > 0 && !(last > 0)) || (off < 0 && !(last < 0));
		c->slew_ppm = fmax(c->slew_ppm, fabs(off));
		last = off;
	}
}

static void put_times(struct mer_str *out, size_t n)
{
	if (n == 1)
		mer_str_puts(out, "once");
	else if (n == 2)
		mer_str_puts(out, "twice");
	else
		mer_str_printf(out, "%zu times", n);
}

static void put_words(struct mer_str *out, const struct sync_host *h, const struct course *c)
{
	double fastest = 0;
	ask_text_clean(out, h->name, strlen(h->name), false);
	mer_str_printf(out, " runs at %+.2f ppm against the reference", c->usual_ppm);
	if (c->n_slews) {
		mer_str_puts(out, ", slewed ");
		put_times(out, c->n_slews);
		mer_str_printf(out, " by up to %.*f ppm", c->slew_ppm < 10 ? 1 : 0, c->slew_ppm);
	} else {
		mer_str_puts(out, ", constant");
	}
	for (size_t i = 0; i < h->n_slews; i++)
		fastest = fabs(h->slews[i].ppm) > fabs(fastest) ? h->slews[i].ppm : fastest;
	if (h->n_slews) {
		mer_str_puts(out, "; faster than --max-drift allows ");
		put_times(out, h->n_slews);
		mer_str_printf(out, " (%+.0f ppm)", fastest);
	}
	if (h->n_steps) {
		mer_str_puts(out, "; stepped ");
		put_times(out, h->n_steps);
	} else {
		mer_str_puts(out, "; no steps");
	}
	mer_str_puts(out, "; ");
	if (h->bound.max == INT64_MAX) {
		mer_str_puts(out, "no bound at some times");
	} else {
		mer_str_puts(out, "largest bound ");
		ask_text_duration(out, h->bound.max);
		if (h->bound.max_at != MER_NO_TIME) {
			mer_str_puts(out, " at ");
			ask_text_clock(out, h->bound.max_at);
		}
	}
	mer_str_puts(out, ".\n");
}

/* ---- The lines of characters ---- */

/* The most remarkable that happened within a column. */
static char rate_character(
	const struct sync_host *h, const struct course *c, const struct span *s, int column)
{
	int64_t begin = trace_unmap_time(&h->map, window_begin(s, column * PARTS)),
		end = trace_unmap_time(&h->map, window_begin(s, (column + 1) * PARTS));
	double most = 0;
	bool known = false;
	if (end < h->span.begin || begin > h->span.end)
		return ' ';
	for (size_t i = 0; i < h->n_steps; i++)
		if (touches(h->steps[i].range, begin, end))
			return '!';
	for (size_t i = 0; i < h->n_slews; i++)
		if (touches(h->slews[i].range, begin, end))
			return h->slews[i].ppm > 0 ? '+' : '-';
	for (int i = column * PARTS; i < (column + 1) * PARTS; i++) {
		known |= !isnan(c->off_ppm[i]);
		if (fabs(c->off_ppm[i]) > fabs(most))
			most = c->off_ppm[i];
	}
	return !known ? ' ' : most > 0 ? '/' : most < 0 ? '\\' : '.';
}

/* A digit: the bound has so many in nanoseconds. */
static char bound_character(
	const struct sync_result *r, uint32_t host, const struct span *w, int column)
{
	const struct sync_host *h = &r->hosts[host];
	int64_t low, high,
		t = trace_unmap_time(&h->map, window_begin(w, column * PARTS + PARTS / 2));
	if (t < h->span.begin || t > h->span.end)
		return ' ';
	if (!sync_host_limits(r, host, t, &low, &high))
		return '?';
	int64_t half = mer_time_between(low, high) / 2;
	char digits = '0';
	for (; half > 0 && digits < '9'; half /= 10)
		digits++;
	return digits;
}

static void put_lines(const struct sync_result *r, uint32_t host, const struct course *c,
	const struct span *w, struct mer_str *out)
{
	const struct sync_host *h = &r->hosts[host];
	struct mer_str name = { 0 }, brief = { 0 };
	ask_text_clean(&name, h->name, strlen(h->name), false);
	ask_text_shorten(&brief, name.data ? name.data : "", name.len, 12);
	mer_str_puts(out, brief.data ? brief.data : "");
	size_t width = ask_text_width(brief.data ? brief.data : "", brief.len);
	mer_str_printf(out, "%*s", (int)(width < 12 ? 12 - width : 0), "");
	mer_str_puts(out, "  |");
	for (int i = 0; i < COLUMNS; i++)
		mer_str_putc(out, rate_character(h, c, w, i));
	mer_str_printf(out, "|\n%*s|", 14, "");
	for (int i = 0; i < COLUMNS; i++)
		mer_str_putc(out,
			r->references[h->group] == host ? ' ' : bound_character(r, host, w, i));
	mer_str_puts(out, "|\n");
	out->failed |= name.failed || brief.failed;
	mer_str_fini(&name);
	mer_str_fini(&brief);
}

static struct span find_span(const struct sync_result *r, uint32_t group)
{
	struct span w = { INT64_MAX, INT64_MIN };
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		if (h->group != group || h->span.begin == MER_NO_TIME)
			continue;
		int64_t begin = trace_map_time(&h->map, h->span.begin),
			end = trace_map_time(&h->map, h->span.end);
		w.begin = begin < w.begin ? begin : w.begin;
		w.end = end > w.end ? end : w.end;
	}
	return w;
}

static void put_group(struct ask_sync *s, uint32_t group, struct mer_str *out)
{
	const struct sync_result *r = s->result;
	struct span w = find_span(r, group);
	struct mer_str words = { 0 };
	struct course c;
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		if (h->group != group)
			continue;
		mer_str_clear(&words);
		find_course(h, &w, &c);
		if (r->references[group] == i) {
			ask_text_clean(&words, h->name, strlen(h->name), false);
			bool alone = ask_sync_group_size(r, group) == 1;
			mer_str_puts(&words, alone ? " cannot be compared with any other host.\n"
						   : " is the reference clock.\n");
		} else {
			put_words(&words, h, &c);
		}
		ask_text_wrap(out, words.data ? words.data : "", (size_t)ask_width(s->ask), 0);
		for (size_t k = 0; k < h->n_steps && k < STEPS; k++) {
			mer_str_puts(out, "  stepped by ");
			ask_text_duration(out, h->steps[k].size_ns);
			mer_str_puts(out, " between ");
			ask_text_clock(out, h->steps[k].range.begin);
			mer_str_puts(out, " and ");
			ask_text_clock(out, h->steps[k].range.end);
			mer_str_puts(out, "; offset unknown in between\n");
		}
	}
	out->failed |= words.failed;
	mer_str_fini(&words);
	if (w.begin > w.end)
		return;
	mer_str_printf(out, "\n%*s", 15, "");
	size_t at = out->len;
	ask_text_clock(out, w.begin);
	size_t used = out->len - at;
	struct mer_str end = { 0 };
	ask_text_clock(&end, w.end);
	if (end.data && used + end.len < COLUMNS)
		mer_str_printf(out, "%*s%s", (int)(COLUMNS - used - end.len), "", end.data);
	mer_str_fini(&end);
	mer_str_putc(out, '\n');
	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (r->hosts[i].group == group) {
			find_course(&r->hosts[i], &w, &c);
			put_lines(r, i, &c, &w, out);
		}
}

int ask_sync_print_report(struct ask_sync *s)
{
	struct mer_str out = { 0 };
	for (uint32_t g = 0; g < s->result->n_groups; g++) {
		mer_str_puts(&out, g ? "\n" : "");
		put_group(s, g, &out);
	}
	mer_str_puts(&out, "\n"
			   "upper line:  . usual rate   / faster   \\ slower   ! step\n"
			   "             + - faster or slower than --max-drift allows\n"
			   "lower line:  digits of the bound in ns (4: below 10 us)   ? unknown\n");
	ask_sync_advice(s, &out);
	return ask_put(s->ask, &out, 0);
}
