/* Whoever writes a line looks at a clock soon after it read the request, and again about when it
 * wrote the answer; but a server that is not on a CPU, or that read its clock when its loop began,
 * is late or early. So there are two rules: a line is close to a request if its times are within
 * CLOSE_NS of where they belong, which most lines are. It may be of a request, loosely, if they
 * merely are within it. The close ones say how the clock is. A line has a name if it may be of one
 * request only; or if it is close to one only, and that to no other line. */
#include "requests/names/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

enum {
	CLOSE_NS = 5000000,  /* a time that was taken when it should be, is off by at most this */
	EARLY_NS = 30000000, /* the end, by a loop that looked at the clock when it began */
	EARLY_FINE_NS = 15000000, /* the end of a span, before all of the answer was sent */
	LOOSE_NS = 20000000,
	FINE_NS = 1000000, /* coarser clocks do not tell requests apart that are close */
	MOST_SAMPLE = 1024,
	MOST_STEPS = 64, /* requests looked at for a line, on the average */
	SLACK_STEPS = 1 << 20,
};
static const int64_t most_off_ns = 26LL * 3600 * 1000000000; /* a time zone that is wrong */

enum rule { LOOSE, CLOSE };

/* ---- one line ---- */

struct hits {
	uint32_t n, first;
	uint64_t n_steps;
};

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Some time within the line's resolution fits both ends. */
static bool fits(
	const struct names_request *x, const struct names_line *l, int64_t moved, enum rule rule)
{
	int64_t low = 0, high = max(l->resolution_ns - 1, 0);
	bool close = rule != LOOSE && x->is_one; /* of a window, a line is of any part */
	int64_t off = rule == CLOSE ? CLOSE_NS : LOOSE_NS;
	if (l->has_begin) {
		int64_t t = l->begin + moved;
		low = max(low, x->begin - off - t);
		high = min(high, (close ? x->read_end + off : x->done + off) - t);
	}
	if (l->has_end) {
		int64_t t = l->end + moved;
		int64_t early = l->resolution_ns < FINE_NS ? EARLY_FINE_NS : EARLY_NS;
		low = max(low, (close ? max(x->read - off, x->done - early) : x->read - off) - t);
		high = min(high, x->done + off - t);
	}
	return low <= high;
}

/* How many requests of that port begin at or before t: up to there. */
static uint32_t upper(const struct names_requests *r, uint16_t port, int64_t t)
{
	uint32_t low = 0, high = r->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct names_request *x = &r->item[middle];
		if (x->port < port || (x->port == port && x->begin <= t))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* count: the requests' counts of lines are raised. */
static struct hits find(const struct names_requests *r, const struct names_line *l, int64_t moved,
	enum rule rule, bool count)
{
	struct hits h = { 0 };
	uint16_t port = r->by_port ? l->client_port : 0;
	int64_t from = (l->has_begin ? l->begin : l->end) + moved,
		to = (l->has_end ? l->end : l->begin) + moved;
	int64_t latest = max(from, to) + l->resolution_ns + LOOSE_NS;
	for (uint32_t i = upper(r, port, latest); i-- > 0 && r->item[i].port == port;) {
		h.n_steps++;
		if (r->last[i] < from - LOOSE_NS)
			break;
		if (!fits(&r->item[i], l, moved, rule))
			continue;
		h.first = h.n++ ? h.first : i;
		if (count && rule == CLOSE)
			r->item[i].n_close++;
		else if (count)
			r->item[i].n_loose++;
	}
	return h;
}

/* Its times are among those of the requests, and its client is one that sent any. */
static bool is_within(const struct names_requests *r, const struct names_line *l, int64_t moved)
{
	int64_t from = (l->has_begin ? l->begin : l->end) + moved,
		to = (l->has_end ? l->end : l->begin) + moved;
	if (to + l->resolution_ns < r->first || from > r->end)
		return false;
	if (!r->by_port)
		return true;
	uint32_t i = upper(r, l->client_port, INT64_MAX);
	return i && r->item[i - 1].port == l->client_port;
}

/* ---- the clock ---- */

struct trial {
	const struct names_requests *r;
	const struct names_lines *l;
	const uint32_t *which;
	size_t n, step; /* each step-th line is looked at */
};

struct score {
	size_t n_tried, n_fit;
};

static struct score score_at(const struct trial *t, int64_t moved)
{
	struct score s = { 0 };
	for (size_t i = 0; i < t->n; i += t->step) {
		const struct names_line *l = &t->l->item[t->which[i]];
		if (!is_within(t->r, l, moved))
			continue;
		s.n_tried++;
		s.n_fit += find(t->r, l, moved, CLOSE, false).n > 0;
	}
	return s;
}

static double share(struct score s)
{
	return s.n_tried ? (double)s.n_fit / (double)s.n_tried : 0;
}

/* How many would fit at other times, by chance. */
static double by_chance(const struct trial *t, int64_t moved, int64_t width)
{
	struct score all = { 0 };
	int64_t span = t->r->end - t->r->first;
	for (int64_t off = 4 * width; off < span * 3 / 4; off += max(off / 8, width))
		for (int sign = -1; sign <= 1; sign += 2) {
			struct score s = score_at(t, moved + sign * off);
			all.n_tried += s.n_tried;
			all.n_fit += s.n_fit;
		}
	return all.n_tried ? share(all) : 0;
}

/* Would so many fit by chance less often than once in ten thousand times? */
static bool is_sure(struct score s, double chance)
{
	enum { DEVIATIONS = 6 };
	static const double least = 1e-3, unlikely = 9.2; /* ln 1e4 */
	double q = chance < least ? least : chance > 1 - least ? 1 - least : chance;
	double n = (double)s.n_tried;
	return (double)s.n_fit * -log(q) > unlikely && share(s) > q + 0.1 &&
	       (share(s) - q) * sqrt(n) > DEVIATIONS * sqrt(q * (1 - q));
}

struct bin {
	int64_t at;
	uint32_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct bin *p = a, *q = b;
	if (p->n != q->n)
		return p->n > q->n ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* By how much lines would have to be moved to be at a request: the times that many agree on. */
static bool find_bins(const struct trial *t, int64_t width, struct bin **bins, size_t *n)
{
	enum { MOST_LINES = 256, MOST_PAIRS = 4 << 20 };
	const struct names_requests *r = t->r;
	int64_t *at = malloc(MOST_PAIRS * sizeof(*at));
	size_t n_at = 0, step = t->n / MOST_LINES + 1;
	*bins = NULL;
	*n = 0;
	for (size_t i = 0; at && i < t->n; i += step) {
		const struct names_line *l = &t->l->item[t->which[i]];
		uint16_t port = r->by_port ? l->client_port : 0;
		for (uint32_t k = upper(r, port, INT64_MAX);
			k-- > 0 && r->item[k].port == port && n_at < MOST_PAIRS;) {
			int64_t off = l->has_begin ? r->item[k].read - l->begin
						   : r->item[k].done - l->end;
			if (off > -most_off_ns && off < most_off_ns)
				at[n_at++] = (off + most_off_ns) / width;
		}
	}
	if (at)
		qsort(at, n_at, sizeof(*at), mer_compare_int64);
	*bins = at ? malloc((n_at + 1) * sizeof(**bins)) : NULL;
	for (size_t i = 0; *bins && i < n_at; i++) {
		int64_t middle = at[i] * width - most_off_ns + width / 2;
		if (i == 0 || at[i] != at[i - 1])
			(*bins)[(*n)++] = (struct bin){ middle, 0 };
		(*bins)[*n - 1].n++;
	}
	free(at);
	if (*bins)
		qsort(*bins, *n, sizeof(**bins), by_count);
	return *bins;
}

/* The middle of where most fit around `at`. */
static int64_t refine(const struct trial *t, int64_t at, int64_t width, struct score *best)
{
	enum { STEPS = 8 };
	int64_t first = at, last = at;
	*best = score_at(t, at);
	for (int i = -STEPS; i <= STEPS; i++) {
		int64_t here = at + i * (width / (STEPS / 2));
		struct score s = score_at(t, here);
		if (s.n_fit > best->n_fit) {
			*best = s;
			first = here;
			last = here;
		} else if (s.n_fit == best->n_fit) {
			first = min(first, here);
			last = max(last, here);
		}
	}
	int64_t middle = first + (last - first) / 2;
	struct score s = score_at(t, middle);
	if (s.n_fit >= best->n_fit)
		*best = s;
	return s.n_fit >= best->n_fit ? middle : first;
}

bool names_fit_find(const struct names_requests *r, const struct names_lines *l,
	const uint32_t *which, size_t n, struct names_fit *f)
{
	enum { BEST = 24, LEAST_MOVED = 20 };
	static const double most = 0.9, most_moved = 0.95, most_rival = 0.8;
	struct trial t = { .r = r, .l = l, .which = which, .n = n, .step = n / MOST_SAMPLE + 1 };
	struct bin *bins;
	size_t n_bins;
	int64_t width = CLOSE_NS, moved = 0;
	*f = (struct names_fit){ .verdict = NAMES_OTHER_TIME };
	if (!n || !r->n)
		return true;
	for (size_t i = 0; i < n; i += t.step)
		width = max(width, l->item[which[i]].resolution_ns);
	struct score here = score_at(&t, 0), best = here, rival = { 0 };
	f->n_tried = here.n_tried;
	f->n_fit = here.n_fit;
	if (!find_bins(&t, width, &bins, &n_bins))
		return false;
	for (size_t i = 0; i < n_bins && i < BEST; i++) {
		struct score s;
		int64_t at = refine(&t, bins[i].at, width, &s);
		if (s.n_fit > best.n_fit) {
			if (llabs(at - moved) > 3 * width && best.n_fit > rival.n_fit)
				rival = best;
			best = s;
			moved = at;
		} else if (llabs(at - moved) > 3 * width && s.n_fit > rival.n_fit)
			rival = s;
	}
	free(bins);
	f->n_tried_moved = best.n_tried;
	f->n_fit_moved = best.n_fit;
	if (here.n_tried && share(here) >= most && here.n_fit * 20 + 40 >= best.n_fit * 19) {
		f->verdict = is_sure(here, by_chance(&t, 0, width)) ? NAMES_JOINED : NAMES_ANY_FIT;
		return true;
	}
	f->moved_ns = moved;
	if (moved && best.n_tried >= LEAST_MOVED && best.n_tried * 2 >= n / t.step &&
		share(best) >= most_moved && is_sure(best, by_chance(&t, moved, width)) &&
		(double)rival.n_fit < most_rival * (double)best.n_fit)
		f->verdict = NAMES_JOINED;
	else
		f->verdict = here.n_tried ? NAMES_NO_FIT : NAMES_OTHER_TIME;
	return true;
}

/* ---- names ---- */

static bool is_same_line(const struct names_line *a, const struct names_line *b)
{
	return a->begin == b->begin && a->end == b->end && a->has_begin == b->has_begin &&
	       a->has_end == b->has_end && a->name == b->name && a->status == b->status &&
	       a->client_port == b->client_port && a->trace_id == b->trace_id &&
	       a->span_id == b->span_id;
}

/* Where lines fit nothing, the clock was set, or they are of something else: what fits among them
 * fits by chance. False: no memory. */
static bool drop_doubtful(const struct names_requests *r, struct names_lines *l,
	const uint32_t *which, size_t n, struct names_source *s)
{
	enum { SIDE = 12 };
	uint32_t *tried = malloc((n + 1) * sizeof(*tried)),
		 *unfit = malloc((n + 2) * sizeof(*unfit));
	size_t m = 0;
	if (!tried || !unfit) {
		free(tried);
		free(unfit);
		return false;
	}
	/* unfit[i]: how many of those before the i-th do not fit. */
	unfit[0] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct names_line *x = &l->item[which[i]];
		if (!is_within(r, x, s->moved_ns))
			continue;
		unfit[m + 1] = unfit[m] + !find(r, x, s->moved_ns, CLOSE, false).n;
		tried[m++] = which[i];
	}
	for (size_t i = 0; i < m; i++) {
		/* At most one on each side, itself included. At either end of the log there is one
		 * side only: none in more lines of that. */
		bool is_end = i < SIDE || m - i <= SIDE;
		size_t side = is_end ? 4 * SIDE : SIDE;
		size_t first = i < side ? 0 : i - side, end = m - i <= side ? m : i + side + 1;
		bool is_doubtful =
			unfit[i + 1] - unfit[first] > !is_end || unfit[end] - unfit[i] > !is_end;
		if (!is_doubtful || !l->item[tried[i]].exchange)
			continue;
		l->item[tried[i]].exchange = 0;
		s->n_named--;
		s->n_doubtful++;
	}
	free(tried);
	free(unfit);
	return true;
}

bool names_fit_assign(struct names_requests *r, struct names_lines *l, const uint32_t *which,
	size_t n, struct names_source *s)
{
	uint64_t steps = 0, most = (uint64_t)n * MOST_STEPS + SLACK_STEPS;
	size_t n_close = 0, n_within = 0;
	for (size_t i = 0; i < n; i++) {
		const struct names_line *x = &l->item[which[i]];
		if (i && is_same_line(x, &l->item[which[i - 1]]))
			continue;
		steps += find(r, x, s->moved_ns, LOOSE, true).n_steps;
		bool is_close = find(r, x, s->moved_ns, CLOSE, true).n > 0;
		n_within += is_within(r, x, s->moved_ns);
		n_close += is_close && is_within(r, x, s->moved_ns);
		if (steps > most) {
			s->verdict = NAMES_ANY_FIT;
			return true;
		}
	}
	/* Lines without a port of which some fit nothing are not of this service alone: then what
	 * fits may be another one's. */
	bool is_pure = r->by_port || n_close * 50 >= n_within * 49;
	for (size_t i = 0; i < n; i++) {
		struct names_line *x = &l->item[which[i]];
		if (i && is_same_line(x, &l->item[which[i - 1]])) {
			s->n_alike++;
			continue;
		}
		struct hits loose = find(r, x, s->moved_ns, LOOSE, false);
		struct hits close = find(r, x, s->moved_ns, CLOSE, false);
		bool is_fine = x->has_begin && x->has_end && x->resolution_ns <= FINE_NS;
		const struct names_request *of = NULL;
		if (loose.n == 1 && r->item[loose.first].n_loose == 1)
			of = &r->item[loose.first];
		else if (is_fine && close.n == 1 && r->item[close.first].n_close == 1)
			of = &r->item[close.first];
		if (of && of->is_one && is_pure && is_within(r, x, s->moved_ns)) {
			x->exchange = of->exchange + 1;
			s->n_named++;
		} else if (!is_within(r, x, s->moved_ns))
			s->n_outside++;
		else if (loose.n)
			s->n_alike++;
		else
			s->n_unfit++;
	}
	return drop_doubtful(r, l, which, n, s);
}
