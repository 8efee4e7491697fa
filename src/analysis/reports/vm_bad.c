/* Events that a guest recorded at times when, by the aligned clocks, the event's vCPU was not in
 * the guest. A guest can record nothing then, so these events show how far off its clock is.
 *
 * The distance from an event to the nearest time in the guest is not the clock's error, but
 * anything up to it: an event in the middle of a stay is off by less, and one that is shifted past
 * a whole stay is near the wrong one. So the events of a stretch of time are fitted together: their
 * distance is the move of the guest's clock after which none of them is outside. If the clock
 * drifts, so does the move. If there is no such move (the error jumps), the stretch is halved; if
 * it has few events, each has its own distance to the nearest time in the guest.
 *
 * What a vCPU did before it was first seen, after it was last seen, or while events were lost, is
 * not known. Events at such times are not counted. A move that takes more than a quarter of the
 * events there proves nothing and is rejected. And the edge of the known time is not a time in the
 * guest, so no distance is measured to it.
 *
 * All events of all kinds count, so this needs a reading of its own, of times only. */
#include "analysis/reports/vm_bad.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bins.h"
#include "analysis/cells.h"
#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "kernel/recorded.h"
#include "kernel/vm/guests.h"
#include "sync/vcpu/feasible.h"
#include "trace/cursor.h"

#define BAD_COLUMNS                                                                                \
	{ "guest", "guest", MER_TEXT }, { "events", "events", MER_COUNT },                         \
		{ "bad", "outside", MER_COUNT }, { "bad_percent", "%", MER_RATIO },                \
		{ "mean_ns", "mean", MER_DURATION }, { "p95_ns", "p95", MER_DURATION },            \
	{                                                                                          \
		"max_ns", "max", MER_DURATION                                                      \
	}
enum { GUEST, EVENTS, BAD, PERCENT, MEAN, P95, MAX, N };
const struct mer_column vm_bad_columns[] = { BAD_COLUMNS, { 0 } };
const struct mer_column vm_bad_bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, BAD_COLUMNS, { 0 } };

/* A stretch of events ends when its move is known well enough, or when it is long. One in
 * LEFT_OUT of its events may contradict the others. */
enum { LEFT_OUT = 64, WHILE_BAD = 1024, WHILE_EVENTS = 1 << 16, WHILE_NS = 1000000000 };

struct lane { /* of a CPU: when it was not in its guest */
	struct sync_gap *gaps;
	uint32_t n, cap;
	uint32_t next; /* the first gap that may contain the next event */
	/* Times in which its state is known: begins and ends, alternately. */
	int64_t *known;
	uint32_t n_known, cap_known;
};

struct seen { /* an event */
	int64_t time;
	uint32_t bin;
	uint16_t cpu;
	bool is_bad;
};

struct sums {
	uint64_t events, bad;
	int64_t *distances; /* of bad events that have one; malloc'ed */
	size_t n, cap;
};

struct counter {
	struct analysis_run *run;
	uint32_t host;
	struct lane *lanes;	    /* by CPU of the guest */
	struct sync_cpu_gaps *gaps; /* the same, for feasible.h */
	uint32_t n_lanes;
	struct sync_feasible feasible;
	struct seen *seen; /* the current stretch: room for WHILE_EVENTS */
	uint32_t n_seen, n_bad;
	int64_t last; /* move at the end of the previous stretch; 0: not known */
	const struct analysis_bins *bins; /* NULL: one for all */
	struct sums *sums;		  /* by bin */
	struct mer_err *err;
};

static int find_aways(struct counter *c, const struct kernel_guest *g)
{
	for (uint32_t i = 0; i < g->n_edges; i++) {
		const struct kernel_edge *e = &g->edges[i];
		struct lane *l = &c->lanes[e->cpu];
		bool is_known = e->absence != KERNEL_NOT_KNOWN;
		bool is_away = is_known && e->absence != KERNEL_NONE;
		bool was_away = l->n && l->gaps[l->n - 1].entry == INT64_MAX;
		if (was_away && !is_away)
			l->gaps[l->n - 1].entry = e->time;
		if (!was_away && is_away) {
			if (!mer_grow32(&l->gaps, l->n, &l->cap, sizeof(*l->gaps)))
				return mer_fail_nomem(c->err);
			l->gaps[l->n++] = (struct sync_gap){ e->time, INT64_MAX };
		}
		if (is_known == (l->n_known % 2 != 0))
			continue;
		if (!mer_grow32(&l->known, l->n_known, &l->cap_known, sizeof(*l->known)))
			return mer_fail_nomem(c->err);
		l->known[l->n_known++] = e->time;
	}
	for (uint32_t i = 0; i < c->n_lanes; i++)
		c->gaps[i] = (struct sync_cpu_gaps){ .gaps = c->lanes[i].gaps, .n = c->lanes[i].n };
	return 0;
}

/* Both edges belong to the known time: an event at its very end is known. */
static bool is_known(const struct lane *l, int64_t time)
{
	MER_LOWER_BOUND(begun, 0, l->n_known, i, l->known[i] <= time);
	return begun % 2 != 0 || (begun && l->known[begun - 1] == time);
}

/* ---- distances ---- */

/* Chooses the range of moves nearest to 0 (index `range`), and a move in it. A guest records events
 * right after an entry, but some time before an exit: so in a narrow range the earliest move is the
 * right one. In a wide range, the one nearest to 0 is taken. 0: no move is needed. */
static int64_t least_move(const struct sync_feasible *f, size_t *range)
{
	int64_t least = INT64_MAX, move = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].low <= 0 && f->v[i].high >= 0)
			return 0; /* the bad events contradict the others */
		bool is_back = f->v[i].high < 0;
		int64_t here = is_back ? -f->v[i].high : f->v[i].low;
		int64_t most = is_back ? -f->v[i].low : here;
		if (here >= least)
			continue;
		least = here;
		move = most - least <= least / 2 ? most : least;
		move = is_back ? -move : move;
		*range = i;
	}
	return move;
}

/* Does the move take at least three quarters of the events to known times? */
static bool shows_something(const struct counter *c, uint32_t from, uint32_t until, int64_t move)
{
	uint32_t n = 0;
	for (uint32_t i = from; i < until; i++)
		n += is_known(&c->lanes[c->seen[i].cpu], c->seen[i].time + move);
	return n >= until - from - (until - from) / 4;
}

/* Chooses one of the moves that bring all events into the guest; 0: there is none. */
static int64_t chosen_move(
	const struct counter *c, struct sync_feasible *f, uint32_t from, uint32_t until)
{
	enum { TRIES = 64 };
	for (int i = 0; i < TRIES && f->n; i++) {
		size_t range = 0;
		int64_t move = least_move(f, &range);
		if (move == 0 || shows_something(c, from, until, move))
			return move;
		f->v[range] = f->v[--f->n];
	}
	return 0;
}

struct move { /* in ns, at the first and at the last event; both 0: no move */
	int64_t begin, end;
};

/* Goes through the events from first to last, or back, and chooses the move at the last one
 * visited; 0: there is none in `all`. */
static int follow(struct counter *c, uint32_t from, uint32_t until, bool is_back,
	struct sync_offsets all, int64_t *move)
{
	struct sync_feasible *f = &c->feasible;
	/* that may contradict, because the error varies */
	uint32_t n = until - from, spare = n / LEFT_OUT;
	*move = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct seen *x = &c->seen[is_back ? until - 1 - i : from + i];
		if (i == 0 && !sync_feasible_begin(f, x->time, all))
			return mer_fail_nomem(c->err);
		if (f->units)
			sync_feasible_move(f, x->time);
		f->at = x->time; /* without drift, the offset is the same at any time */
		enum sync_cut cut = sync_feasible_cut(f, &c->gaps[x->cpu]);
		if (cut == SYNC_CUT_NOMEM)
			return mer_fail_nomem(c->err);
		if (cut == SYNC_CUT_CONTRADICTS && spare-- == 0)
			return 0;
	}
	*move = chosen_move(c, f, from, until);
	return 0;
}

static int find_move(struct counter *c, uint32_t from, uint32_t until, struct sync_offsets all,
	struct move *move)
{
	/* Drift that is allowed: first none, because wider limits say less; then more than most
	 * clocks have. */
	static const double rates[] = { 0, 100e-6 };
	int rc = 0;
	*move = (struct move){ 0, 0 };
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates) && rc == 0; i++) {
		c->feasible.units = sync_drift_units(rates[i]);
		rc = follow(c, from, until, false, all, &move->end);
		if (rc == 0 && rates[i] <= 0)
			move->begin = move->end;
		else if (rc == 0)
			rc = follow(c, from, until, true, all, &move->begin);
		if (move->begin || move->end)
			break;
	}
	return rc;
}

/* Tries moves near that of the previous stretch: a stretch that is too short to single out the
 * right move among all may still fit that one. */
static int go_on(struct counter *c, uint32_t from, uint32_t until, struct move *move)
{
	enum { PART = 16 };
	int64_t by = llabs(c->last) / PART;
	struct sync_offsets near = { c->last - by, c->last + by };
	return c->last ? find_move(c, from, until, near, move) : 0;
}

static int note_distance(struct counter *c, const struct seen *x, int64_t distance)
{
	struct sums *s = &c->sums[x->bin];
	s->bad++;
	if (distance == INT64_MAX)
		return 0;
	if (!mer_grow(&s->distances, s->n, &s->cap, sizeof(*s->distances)))
		return mer_fail_nomem(c->err);
	s->distances[s->n++] = distance;
	return 0;
}

/* Distance of one event to the nearest time in the guest, for stretches without a move. INT64_MAX:
 * the known time begins and ends with the gap. */
static int64_t nearest_of(const struct counter *c, const struct seen *x)
{
	const struct lane *l = &c->lanes[x->cpu];
	MER_LOWER_BOUND(at, 0, l->n, i, l->gaps[i].entry <= x->time);
	MER_LOWER_BOUND(begun, 0, l->n_known, k, l->known[k] <= x->time);
	const struct sync_gap *gap = &l->gaps[at];
	/* The known time that contains the gap. */
	int64_t begin = begun ? l->known[begun - 1] : INT64_MIN;
	int64_t end = begun < l->n_known ? l->known[begun] : INT64_MAX;
	int64_t back = gap->exit > begin ? x->time - gap->exit : INT64_MAX;
	int64_t ahead = gap->entry < end ? gap->entry - x->time : INT64_MAX;
	return back < ahead ? back : ahead;
}

static bool is_move(struct move m)
{
	return m.begin != 0 || m.end != 0;
}

static int64_t moved_by(
	const struct counter *c, struct move m, uint32_t from, uint32_t until, const struct seen *x)
{
	int64_t begin = c->seen[from].time, way = c->seen[until - 1].time - begin;
	double part = way ? (double)(x->time - begin) / (double)way : 0;
	return llabs(m.begin + (int64_t)((double)(m.end - m.begin) * part));
}

static int64_t farthest(uint32_t n)
{
	enum { SOME = 256, MANY = 1024 };
	return n >= MANY ? 100000000 : n >= SOME ? 1000000 : 0;
}

static int solve(struct counter *c, uint32_t from, uint32_t until)
{
	bool any = false;
	int64_t end = farthest(until - from);
	struct move move = { 0, 0 };
	int rc = 0;
	for (uint32_t i = from; i < until && !any; i++)
		any = c->seen[i].is_bad;
	if (!any)
		return 0;
	/* Small moves first: these have few ranges. */
	for (int64_t most = 1000000; most <= end && !is_move(move) && rc == 0; most *= 10)
		rc = find_move(c, from, until, (struct sync_offsets){ -most, most }, &move);
	if (rc == 0 && !is_move(move))
		rc = go_on(c, from, until, &move);
	c->last = is_move(move) ? move.end : c->last;
	if (rc == 0 && !is_move(move) && end > 0) {
		uint32_t middle = from + (until - from) / 2;
		rc = solve(c, from, middle);
		return rc ? rc : solve(c, middle, until);
	}
	for (uint32_t i = from; i < until && rc == 0; i++) {
		const struct seen *x = &c->seen[i];
		int64_t distance =
			x->is_bad && is_move(move) ? moved_by(c, move, from, until, x) : 0;
		if (x->is_bad)
			rc = note_distance(c, x, distance ? distance : nearest_of(c, x));
	}
	return rc;
}

static int end_while(struct counter *c)
{
	int rc = c->n_bad ? solve(c, 0, c->n_seen) : 0;
	c->n_seen = c->n_bad = 0;
	return rc;
}

static int see(struct counter *c, const struct mer_event *ev)
{
	const struct mer_experiment *e = c->run->e;
	int32_t cpu = e->streams[ev->stream].cpu;
	const char *domain = e->traces[e->streams[ev->stream].trace].domain;
	if (ev->ts == MER_NO_TIME || cpu < 0 || (uint32_t)cpu >= c->n_lanes ||
		!analysis_is_asked(c->run->options, ev->ts) || strcmp(domain, "ust") == 0)
		return 0;
	int64_t bin = c->bins ? analysis_bin_of(c->bins, ev->ts) : 0;
	struct lane *l = &c->lanes[cpu];
	if (bin < 0 || !is_known(l, ev->ts))
		return 0;
	c->sums[bin].events++;
	while (l->next < l->n && l->gaps[l->next].entry <= ev->ts)
		l->next++;
	bool is_bad = l->next < l->n && l->gaps[l->next].exit < ev->ts;
	c->seen[c->n_seen++] = (struct seen){ ev->ts, (uint32_t)bin, (uint16_t)cpu, is_bad };
	c->n_bad += is_bad;
	bool is_over = c->n_seen == WHILE_EVENTS || c->n_bad == WHILE_BAD ||
		       ev->ts - c->seen[0].time > WHILE_NS;
	return is_over ? end_while(c) : 0;
}

static int count(struct counter *c, const struct trace_reading *all)
{
	struct mer_cursor *cursor;
	int rc = trace_cursor_of_host(c->run->e, all, c->host, &cursor, c->err);
	if (rc)
		return rc;
	while (rc == 0) {
		const struct mer_event *ev;
		size_t n;
		rc = kernel_world_go_on(c->run->world, c->err);
		if (rc == 0)
			rc = mer_cursor_next(cursor, &ev, &n, c->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n && rc == 0; i++)
			rc = see(c, &ev[i]);
	}
	trace_cursor_drop(cursor);
	return rc ? rc : end_while(c);
}

static int compare_distances(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void fill(const struct counter *c, struct sums *s, struct mer_cell *cells)
{
	__int128 sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += s->distances[i];
	if (s->n)
		qsort(s->distances, s->n, sizeof(*s->distances), compare_distances);
	cells[GUEST] = mer_text(analysis_host_name(c->run, c->host));
	cells[EVENTS] = MER_INT(s->events);
	cells[BAD] = MER_INT(s->bad);
	cells[PERCENT] = s->events ? MER_REAL_CELL((double)s->bad / (double)s->events) : MER_NONE;
	cells[MEAN] = s->n ? MER_INT((int64_t)(sum / (int64_t)s->n)) : MER_NONE;
	cells[P95] = s->n ? MER_INT(s->distances[(s->n - 1) * 95 / 100]) : MER_NONE;
	cells[MAX] = s->n ? MER_INT(s->distances[s->n - 1]) : MER_NONE;
}

static void put(const struct counter *c, struct mer_table *t)
{
	struct mer_cell cells[N + 2];
	uint32_t n = c->bins ? c->bins->n : 1;
	for (uint32_t i = 0; i < n; i++) {
		struct mer_cell *at = cells;
		if (c->bins) {
			*at++ = MER_INT(analysis_bin_edge(c->bins, i));
			*at++ = MER_INT(analysis_bin_edge(c->bins, i + 1));
		}
		fill(c, &c->sums[i], at);
		mer_table_add(t, cells);
	}
}

static int of_guest(struct counter *c, const struct trace_reading *all, struct mer_table *t)
{
	const struct kernel_guest *g = c->run->world->hosts[c->host].guest;
	uint32_t n = c->bins ? c->bins->n : 1;
	c->n_lanes = g->n_cpus;
	c->lanes = calloc((size_t)c->n_lanes + 1, sizeof(*c->lanes));
	c->gaps = calloc((size_t)c->n_lanes + 1, sizeof(*c->gaps));
	c->sums = calloc((size_t)n + 1, sizeof(*c->sums));
	c->seen = malloc(WHILE_EVENTS * sizeof(*c->seen));
	sync_feasible_init(&c->feasible, 0);
	int rc = c->lanes && c->gaps && c->sums && c->seen ? find_aways(c, g)
							   : mer_fail_nomem(c->err);
	if (rc == 0)
		rc = count(c, all);
	if (rc == 0)
		put(c, t);
	for (uint32_t i = 0; c->lanes && i < c->n_lanes; i++) {
		free(c->lanes[i].gaps);
		free(c->lanes[i].known);
	}
	for (uint32_t i = 0; c->sums && i < n; i++)
		free(c->sums[i].distances);
	free(c->lanes);
	free(c->gaps);
	free(c->sums);
	free(c->seen);
	sync_feasible_fini(&c->feasible);
	return rc;
}

int vm_bad_emit(struct analysis_run *run, bool over_time, struct mer_table *t)
{
	struct analysis_bins bins = { 0 };
	struct trace_reading *all = NULL;
	const struct analysis_options *o = run->options;
	int rc = over_time ? analysis_bins_find(run, &bins, run->err) : 0;
	for (uint32_t i = 0; i < run->world->n_hosts && rc == 0; i++) {
		if (!run->world->hosts[i].guest || (o->wants_host && !o->wants_host(o->ctx, i)))
			continue;
		if (!all)
			rc = kernel_recorded_reading_new(run->e, &all, run->err);
		struct counter c = { .run = run, .host = i, .err = run->err };
		c.bins = over_time && bins.n ? &bins : NULL;
		if (rc == 0)
			rc = of_guest(&c, all, t);
	}
	trace_reading_free(all);
	return rc;
}
