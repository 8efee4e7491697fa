/* Events of guests outside of their guests: at times at which, by the aligned clocks, the event's
 * CPU was not in the guest. Nothing happens there; so they say how far off the guest's clock is: as
 * far as from the event to the next time at which the CPU was in the guest.
 *
 * All events count, of all kinds, so that needs a reading of its own: of the events' times
 * alone. */
#include "analysis/reports/vm_bad.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bins.h"
#include "analysis/cells.h"
#include "base/grow.h"
#include "base/sort.h"
#include "kernel/recorded.h"
#include "kernel/vm/guests.h"
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

struct away { /* a CPU was not in its guest */
	int64_t begin, end;
};

struct lane { /* of a CPU */
	struct away *aways;
	uint32_t n, cap;
	uint32_t next; /* the first that may hold an event that comes */
	bool is_open;
};

struct sums {
	uint64_t events;
	int64_t *distances; /* of those that are bad; malloc'ed */
	size_t n, cap;
};

struct counter {
	struct analysis_run *run;
	uint32_t host;
	struct lane *lanes; /* by CPU of the guest */
	uint32_t n_lanes;
	const struct analysis_bins *bins; /* NULL: one for all */
	struct sums *sums;		  /* by bin */
	struct mer_err *err;
};

static int find_aways(struct counter *c, const struct kernel_guest *g)
{
	for (uint32_t i = 0; i < g->n_edges; i++) {
		const struct kernel_edge *e = &g->edges[i];
		struct lane *l = &c->lanes[e->cpu];
		bool is_away = e->absence < KERNEL_NOT_KNOWN;
		if (l->is_open && !is_away)
			l->aways[l->n - 1].end = e->time;
		if (!l->is_open && is_away) {
			if (!mer_grow32(&l->aways, l->n, &l->cap, sizeof(*l->aways)))
				return mer_fail_nomem(c->err);
			l->aways[l->n++] = (struct away){ e->time, INT64_MAX };
		}
		l->is_open = is_away;
	}
	return 0;
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
	if (bin < 0)
		return 0;
	struct sums *s = &c->sums[bin];
	s->events++;
	while (l->next < l->n && l->aways[l->next].end <= ev->ts)
		l->next++;
	if (l->next == l->n || l->aways[l->next].begin >= ev->ts)
		return 0;
	const struct away *a = &l->aways[l->next];
	int64_t before = ev->ts - a->begin, after = a->end - ev->ts;
	if (!mer_grow(&s->distances, s->n, &s->cap, sizeof(*s->distances)))
		return mer_fail_nomem(c->err);
	s->distances[s->n++] = before < after ? before : after;
	return 0;
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
	return rc;
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
	cells[BAD] = MER_INT(s->n);
	cells[PERCENT] = MER_REAL_CELL(s->events ? (double)s->n / (double)s->events : 0);
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
	c->sums = calloc((size_t)n + 1, sizeof(*c->sums));
	int rc = c->lanes && c->sums ? find_aways(c, g) : mer_fail_nomem(c->err);
	if (rc == 0)
		rc = count(c, all);
	if (rc == 0)
		put(c, t);
	for (uint32_t i = 0; c->lanes && i < c->n_lanes; i++)
		free(c->lanes[i].aways);
	for (uint32_t i = 0; c->sums && i < n; i++)
		free(c->sums[i].distances);
	free(c->lanes);
	free(c->sums);
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
