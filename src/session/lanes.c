#include "session/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/sort.h"
#include "session/state.h"
#include "store/store.h"

/* ---- Which ---- */

static int by_number(const void *a, const void *b)
{
	const struct session_lane *p = a, *q = b;
	return (p->number > q->number) - (p->number < q->number);
}

int session_lanes_of_cpus(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_lanes *l, struct mer_err *err)
{
	size_t first, kept;
	size_t n = w->e->n_streams;
	for (uint32_t h = 0; h < w->e->n_hosts; h++)
		n += w->world->hosts[h].cpus.n;
	l->item = mer_arena_zalloc(arena, n + 1, sizeof(*l->item));
	if (!l->item)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; h < w->e->n_hosts; h++) {
		uint32_t at = 0;
		uint16_t cpu;
		first = kept = l->n;
		if (!session_selects_host(s, session_task_host(w, h)))
			continue;
		while (analysis_next_cpu_of(w->e, &w->world->hosts[h], h, &at, &cpu))
			if (!s->cpus.n || session_ranges_contain(&s->cpus, cpu))
				l->item[l->n++] = (struct session_lane){ h, true, cpu };
		if (l->n > first)
			qsort(l->item + first, l->n - first, sizeof(*l->item), by_number);
		for (size_t i = first; i < l->n; i++) /* several streams may be of one CPU */
			if (kept == first || l->item[kept - 1].number != l->item[i].number)
				l->item[kept++] = l->item[i];
		l->n = kept;
	}
	return 0;
}

int session_lanes_of_tasks(const struct session_tasks *tasks, struct mer_arena *arena,
	struct session_lanes *l, struct mer_err *err)
{
	l->item = mer_arena_zalloc(arena, tasks->n + 1, sizeof(*l->item));
	if (!l->item)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < tasks->n; i++)
		l->item[i] =
			(struct session_lane){ tasks->item[i].host, false, tasks->item[i].task };
	l->n = tasks->n;
	return 0;
}

/* ---- What they did ---- */

struct reader {
	const struct session_world *w;
	struct session_lanes *l;
	int64_t begin, end; /* that are looked at */
	/* Of a range of lanes and of bins: where a part of a span goes instead of to l->spans;
	 * NULL: it goes there. */
	const struct store_window *bins;
	size_t from;
	int64_t *times;
	struct mer_err *err;
};

static int add_span(struct reader *r, const struct session_lane_span *s)
{
	struct session_lanes *l = r->l;
	if (!mer_grow(&l->spans, l->n_spans, &l->cap_spans, sizeof(*l->spans)))
		return mer_fail_nomem(r->err);
	l->spans[l->n_spans++] = *s;
	return 0;
}

static int add_part(struct reader *r, size_t lane, const struct kernel_span *s, uint32_t number,
	int64_t begin, int64_t end)
{
	if (!r->bins)
		return add_span(r, &(struct session_lane_span){ begin, end, end - begin,
					   (uint32_t)lane, number, s->state, s->cause });
	int64_t *times = r->times + (lane - r->from) * r->bins->n_bins * STORE_KINDS +
			 store_lane_kind(s->state, s->cause);
	while (begin < end) {
		uint64_t bin = (uint64_t)(begin - r->begin) >> r->bins->shift;
		int64_t bin_end = store_bin_end(begin >> r->bins->shift, r->bins->shift);
		int64_t until = end < bin_end ? end : bin_end;
		times[bin * STORE_KINDS] += until - begin;
		begin = until;
	}
	return 0;
}

/* The spans of a task, from the last one in the time back: for the lane of the task, or of the CPUs
 * that it was on. cpus: number of the lane of each CPU, plus 1. */
static int add_task(
	struct reader *r, uint32_t host, uint32_t task, const uint32_t *cpus, size_t lane)
{
	const struct kernel_host *h = &r->w->world->hosts[host];
	int64_t end = store_lanes_end(h, task);
	int rc = kernel_world_go_on(r->w->world, r->err);
	if (h->tasks[task].begin >= r->end || end <= r->begin)
		return rc;
	end = end < r->end ? end : r->end;
	uint32_t i = kernel_span_at(h, task, end - 1, KERNEL_NONE);
	for (; rc == 0 && i != KERNEL_NONE && end > r->begin; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t begin = s->begin > r->begin ? s->begin : r->begin;
		bool on = kernel_is_on_cpu((enum kernel_state)s->state) && s->cpu != KERNEL_NO_CPU;
		size_t to = !cpus ? lane + 1 : on ? cpus[s->cpu] : 0;
		if (to && begin < end)
			rc = add_part(r, to - 1, s, i, begin, end);
		end = s->begin < end ? s->begin : end;
	}
	return rc;
}

/* Lanes from..to-1, which are all of one host and of one kind. */
static int read_spans(struct reader *r, size_t from, size_t to)
{
	const struct session_lane *lanes = r->l->item;
	uint32_t host = lanes[from].host;
	int rc = 0;
	if (!lanes[from].is_cpu) {
		for (size_t i = from; rc == 0 && i < to; i++)
			rc = add_task(r, host, lanes[i].number, NULL, i);
		return rc;
	}
	uint32_t *cpus = calloc((size_t)KERNEL_NO_CPU + 1, sizeof(*cpus));
	if (!cpus)
		return mer_fail_nomem(r->err);
	for (size_t i = from; i < to; i++)
		cpus[lanes[i].number] = (uint32_t)i + 1;
	for (uint32_t t = 0; rc == 0 && t < r->w->world->hosts[host].n_tasks; t++)
		rc = add_task(r, host, t, cpus, 0);
	free(cpus);
	return rc;
}

/* ---- In bins ---- */

/* From a pyramid, if there is a store. */
static int read_bins(struct reader *r, struct store *store, size_t from, size_t to)
{
	const struct session_lane *lanes = r->l->item;
	if (!store)
		return read_spans(r, from, to);
	struct store_lane *of = calloc(to - from + 1, sizeof(*of));
	if (!of)
		return mer_fail_nomem(r->err);
	for (size_t i = from; i < to; i++)
		of[i - from] = (struct store_lane){ lanes[i].is_cpu, lanes[i].number };
	int rc = store_lanes(store, lanes[from].host, of, to - from, r->bins, r->times, r->err);
	free(of);
	if (rc != MER_ERR_INPUT)
		return rc;
	/* Damaged: the spans tell it as well. */
	memset(r->times, 0, (to - from) * r->bins->n_bins * STORE_KINDS * sizeof(*r->times));
	return read_spans(r, from, to);
}

/* Times of a lane to spans. */
static int add_bins(struct reader *r, size_t lane)
{
	const struct store_window *w = r->bins;
	const int64_t *times = r->times + (lane - r->from) * w->n_bins * STORE_KINDS;
	int64_t width = (int64_t)1 << w->shift;
	size_t first = r->l->n_spans;
	int rc = 0;
	for (uint32_t bin = 0; rc == 0 && bin < w->n_bins; bin++, times += STORE_KINDS) {
		int64_t begin = w->begin + (int64_t)((uint64_t)bin << w->shift);
		int64_t end = store_bin_end(begin >> w->shift, w->shift);
		for (uint8_t kind = 0; rc == 0 && kind < STORE_KINDS; kind++) {
			size_t n = r->l->n_spans;
			struct session_lane_span *last = n > first ? &r->l->spans[n - 1] : NULL;
			uint8_t state, cause;
			if (!times[kind])
				continue;
			store_lane_kind_is(kind, &state, &cause);
			if (last && times[kind] == width && last->end == begin &&
				last->state == state && last->cause == cause &&
				last->ns == last->end - last->begin) {
				last->end = end;
				last->ns += width;
				continue;
			}
			rc = add_span(r, &(struct session_lane_span){ begin, end, times[kind],
						 (uint32_t)lane, KERNEL_NONE, state, cause });
		}
	}
	return rc;
}

/* As many lanes of one host and kind from this one on as there is memory for: after the last of
 * them. */
static size_t end_of_batch(const struct session_lanes *l, size_t from, size_t most)
{
	size_t to = from;
	while (to < l->n && to - from < most && l->item[to].host == l->item[from].host &&
		l->item[to].is_cpu == l->item[from].is_cpu)
		to++;
	return to;
}

static struct store_window bins_of(int64_t begin, int64_t end, uint32_t max_bins)
{
	unsigned shift = store_lanes_shift(begin, end - 1, max_bins);
	return (struct store_window){ .begin = begin >> shift << shift,
		.shift = shift,
		.n_bins = (uint32_t)(((end - 1) >> shift) - (begin >> shift) + 1) };
}

/* Lanes from..to-1, a batch after the other. */
static int read_batches(struct reader *r, struct store *store, size_t from, size_t end)
{
	enum { BYTES = 64 << 20, LANES = 60000 }; /* of times, lanes at once */
	size_t each = (size_t)r->bins->n_bins * STORE_KINDS * sizeof(*r->times);
	size_t most = BYTES / each ? BYTES / each : 1;
	most = most < LANES ? most : LANES;
	int rc = 0;
	for (size_t to; rc == 0 && from < end; from = to) {
		to = end_of_batch(r->l, from, most);
		r->from = from;
		r->times = calloc(to - from, each);
		rc = r->times ? read_bins(r, store, from, to) : mer_fail_nomem(r->err);
		for (size_t i = from; rc == 0 && i < to; i++)
			rc = add_bins(r, i);
		free(r->times);
	}
	r->times = NULL;
	return rc;
}

/* Stretches of lanes of one host each, which are read on several threads: what is loaded of a store
 * is a host's own. */
struct stretches {
	struct reader *r; /* for each */
	struct session_lanes *spans;
	size_t *first; /* lane of each, and the end */
	size_t n;
	struct store *store;
};

static int read_stretch(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	struct stretches *x = ctx;
	(void)worker;
	x->r[i].l = &x->spans[i];
	x->r[i].err = err;
	return read_batches(&x->r[i], x->store, x->first[i], x->first[i + 1]);
}

/* A host may have lanes in several places; then one thread reads all. */
static size_t split(const struct session_lanes *l, size_t *first)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (i && l->item[i].host == l->item[i - 1].host)
			continue;
		for (size_t k = 0; k < n; k++)
			if (l->item[first[k]].host == l->item[i].host) {
				first[1] = l->n;
				return 1;
			}
		first[n++] = i;
	}
	first[n] = l->n;
	return n;
}

static int join(struct session_lanes *to, const struct session_lanes *from, struct mer_err *err)
{
	size_t n = to->n_spans + from->n_spans;
	struct session_lane_span *spans = n ? realloc(to->spans, n * sizeof(*spans)) : to->spans;
	if (n && !spans)
		return mer_fail_nomem(err);
	if (from->n_spans)
		memcpy(spans + to->n_spans, from->spans, from->n_spans * sizeof(*spans));
	to->spans = spans;
	to->n_spans = to->cap_spans = n;
	return 0;
}

static int read_in_bins(struct reader *r, struct store *store, uint32_t max_bins)
{
	struct store_window w = bins_of(r->begin, r->end, max_bins);
	struct session_lanes *l = r->l;
	struct stretches x = { .store = store,
		.r = calloc(l->n + 1, sizeof(*x.r)),
		.spans = calloc(l->n + 1, sizeof(*x.spans)),
		.first = calloc(l->n + 2, sizeof(*x.first)) };
	int rc = x.r && x.spans && x.first ? 0 : mer_fail_nomem(r->err);
	r->begin = w.begin;
	r->end = store_window_end(&w);
	r->bins = &w;
	x.n = rc == 0 ? split(l, x.first) : 0;
	for (size_t i = 0; i < x.n; i++) {
		x.r[i] = *r;
		x.spans[i] = (struct session_lanes){ .item = l->item, .n = l->n };
	}
	unsigned n_threads = session_threads(r->w->session);
	bool parallel = store && x.n > 1 && n_threads > 1;
	if (rc == 0)
		rc = mer_pool_run(parallel ? n_threads : 1, x.n, read_stretch, &x, NULL, r->err);
	for (size_t i = 0; i < x.n; i++) {
		if (rc == 0)
			rc = join(l, &x.spans[i], r->err);
		free(x.spans[i].spans);
	}
	free(x.r);
	free(x.spans);
	free(x.first);
	r->bins = NULL; /* lives no longer than this */
	return rc;
}

/* ---- Exactly ---- */

static int in_order(const void *a, const void *b)
{
	const struct session_lane_span *p = a, *q = b;
	if (p->lane != q->lane)
		return p->lane < q->lane ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->span > q->span) - (p->span < q->span);
}

static int read_exactly(struct reader *r)
{
	int rc = 0;
	for (size_t from = 0, to; rc == 0 && from < r->l->n; from = to) {
		to = end_of_batch(r->l, from, SIZE_MAX);
		rc = read_spans(r, from, to);
	}
	if (rc == 0 && !mer_sort(NULL, r->l->spans, r->l->n_spans, sizeof(*r->l->spans), in_order))
		rc = mer_fail_nomem(r->err);
	return rc;
}

/* The part of the recording that the window has; false: none. */
static bool cut(const struct mer_experiment *e, struct session_window *w)
{
	w->begin = w->begin > e->begin ? w->begin : e->begin;
	w->end = w->end <= e->end || e->end == INT64_MAX ? w->end : e->end + 1;
	return e->begin != MER_NO_TIME && w->begin < w->end;
}

bool session_lanes_bins(const struct mer_experiment *e, const struct session_window *window,
	uint32_t max_bins, struct store_window *bins)
{
	struct session_window own = *window;
	if (!cut(e, &own))
		return false;
	*bins = bins_of(own.begin, own.end, max_bins);
	return true;
}

int session_lanes_read(const struct session_world *w, const struct session_window *window,
	uint32_t max_bins, struct session_lanes *l, struct mer_err *err)
{
	struct session_window own = *window;
	if (max_bins > SESSION_LANE_BINS)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FEWER_BINS, "at most %d bins",
			(int)SESSION_LANE_BINS);
	l->n_spans = 0; /* of another reading of them */
	if (!cut(w->e, &own))
		return 0;
	struct reader r = { .w = w, .l = l, .begin = own.begin, .end = own.end, .err = err };
	struct store *store = w->session->store && w->world == store_world(w->session->store)
				      ? w->session->store
				      : NULL;
	return max_bins ? read_in_bins(&r, store, max_bins) : read_exactly(&r);
}

void session_lanes_fini(struct session_lanes *l)
{
	free(l->spans);
	l->spans = NULL;
	l->n_spans = l->cap_spans = 0;
}
