#include "server/tsp/index.h"

#include <stdlib.h>
#include <string.h>
#include "ask/library/api.h"
#include "base/now.h"
#include "store/lanes.h"

enum { MAX_BINS = 1 << 17, HELD_MS = 50 };

/* ---- Reading events ---- */

int tsp_reading_open(struct tsp_reading *r, struct mer_experiment *e, const char *fields,
	struct trace_range range, struct mer_err *err)
{
	const struct mer_need all = { "*", fields };
	*r = (struct tsp_reading){ 0 };
	int rc = trace_reading_from_needs(e, &all, 1, false, &r->reading, err);
	return rc ? rc : trace_cursor_new(e, r->reading, range, NULL, &r->cursor, err);
}

/* Drops what the cursor found: damage was reported when the traces were read. */
void tsp_reading_close(struct tsp_reading *r)
{
	if (r->cursor)
		trace_cursor_drop(r->cursor);
	trace_reading_free(r->reading);
}

/* ---- Making it ---- */

struct maker {
	struct tsp_index *x;
	struct server *s;
};

static int make_bins(struct tsp_index *x, const struct mer_experiment *e, struct mer_err *err)
{
	int64_t begin = e->begin == MER_NO_TIME ? 0 : e->begin;
	int64_t end = e->begin == MER_NO_TIME ? 0 : e->end;
	x->shift = store_lanes_shift(begin, end, MAX_BINS);
	x->begin = begin >> x->shift << x->shift;
	x->n_bins = (uint32_t)(((uint64_t)(end - x->begin) >> x->shift) + 1);
	x->before = calloc(x->n_bins + 1u, sizeof(*x->before));
	x->by_stream = calloc(e->n_streams + 1u, sizeof(*x->by_stream));
	return x->before && x->by_stream ? 0 : mer_fail_nomem(err);
}

/* Counts events: those of bin i in before[i + 1]; `make` turns the counts into sums. */
static void add(struct tsp_index *x, const struct mer_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		x->by_stream[events[i].stream]++;
		if (events[i].ts != MER_NO_TIME)
			x->before[tsp_index_bin(x, events[i].ts) + 1]++;
	}
}

/* Reads events for HELD_MS: other requests wait meanwhile. */
static int read_part(struct tsp_index *x, struct tsp_reading *r, bool *is_done, struct mer_err *err)
{
	int64_t until = mer_now_ns() + HELD_MS * INT64_C(1000000);
	int rc = 0;
	while (rc == 0 && !*is_done && mer_now_ns() < until) {
		const struct mer_event *events;
		size_t n;
		rc = mer_cursor_next(r->cursor, &events, &n, err);
		*is_done = rc == 0 && n == 0;
		if (rc == 0)
			add(x, events, n);
	}
	return rc;
}

static int make(const struct maker *m, struct mer_err *err)
{
	struct tsp_index *x = m->x;
	struct tsp_reading r = { 0 };
	bool is_done = false;
	int rc = 0;
	for (bool is_first = true; rc == 0 && !is_done && !atomic_load(&x->stop);
		is_first = false) {
		struct server_traces *traces =
			server_traces_use(m->s, SERVER_CLOCKS_ALIGNED, &(struct http_answer){ 0 });
		if (!traces)
			return mer_fail(err, MER_ERR_BUG, "the traces cannot be used");
		struct mer_experiment *e = mer_session_experiment(traces->session);
		if (is_first)
			rc = make_bins(x, e, err);
		if (rc == 0 && is_first)
			rc = tsp_reading_open(
				&r, e, "", (struct trace_range){ INT64_MIN, INT64_MAX }, err);
		if (rc == 0)
			rc = read_part(x, &r, &is_done, err);
		if (rc || is_done || atomic_load(&x->stop))
			tsp_reading_close(&r);
		server_traces_done(traces);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); /* waiters are next */
	}
	for (uint32_t i = 0; rc == 0 && i < x->n_bins; i++)
		x->before[i + 1] += x->before[i];
	return rc || is_done ? rc : mer_fail(err, MER_ERR_CANCELLED, "cancelled");
}

static void *maker_thread(void *data)
{
	struct maker *m = data;
	struct tsp_index *x = m->x;
	int rc = make(m, &x->error);
	free(m);
	atomic_store(&x->stage, rc ? TSP_INDEX_FAILED : TSP_INDEX_READY);
	return NULL;
}

void tsp_index_start(struct tsp_index *x, struct server *s)
{
	unsigned none = TSP_INDEX_NONE;
	if (!atomic_compare_exchange_strong(&x->stage, &none, TSP_INDEX_MAKING))
		return;
	struct maker *m = malloc(sizeof(*m));
	if (m)
		*m = (struct maker){ x, s };
	x->has_thread = m && pthread_create(&x->thread, NULL, maker_thread, m) == 0;
	if (!x->has_thread) {
		free(m);
		mer_fail(&x->error, MER_ERR_SYS, "no thread could be started");
		atomic_store(&x->stage, TSP_INDEX_FAILED);
	}
}

void tsp_index_fini(struct tsp_index *x)
{
	atomic_store(&x->stop, true);
	if (x->has_thread)
		pthread_join(x->thread, NULL);
	free(x->before);
	free(x->by_stream);
}

/* ---- Using it ---- */

uint32_t tsp_index_bin(const struct tsp_index *x, int64_t time)
{
	uint64_t bin = time > x->begin ? ((uint64_t)time - (uint64_t)x->begin) >> x->shift : 0;
	return bin < x->n_bins ? (uint32_t)bin : x->n_bins - 1;
}

uint32_t tsp_index_bin_of(const struct tsp_index *x, uint64_t i)
{
	uint32_t low = 0, high = x->n_bins;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (x->before[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return low;
}

int tsp_index_at(const struct tsp_index *x, struct mer_experiment *e, int64_t time, uint64_t *i,
	struct mer_err *err)
{
	uint32_t bin = tsp_index_bin(x, time);
	int64_t begin = tsp_index_bin_begin(x, bin);
	uint64_t n = 0;
	int rc = 0;
	*i = x->before[bin];
	if (time > begin + ((int64_t)1 << x->shift))
		*i = tsp_index_total(x);
	else if (time > begin)
		rc = tsp_index_count(x, e, begin, time - begin, 1, time, &n, err);
	*i += n;
	return rc;
}

int tsp_index_count(const struct tsp_index *x, struct mer_experiment *e, int64_t begin,
	int64_t width, size_t n, int64_t end, uint64_t *counts, struct mer_err *err)
{
	int64_t own = (int64_t)1 << x->shift, until = begin + (int64_t)n * width;
	until = until < end ? until : end;
	memset(counts, 0, n * sizeof(*counts));
	if ((width & (own - 1)) == 0 && ((begin - x->begin) & (own - 1)) == 0) {
		for (size_t i = 0; i < n; i++) {
			int64_t from = begin + (int64_t)i * width - x->begin;
			int64_t to = i + 1 < n ? from + width : until - x->begin + own - 1;
			int64_t first = from >> x->shift, last = to >> x->shift;
			first = first < 0 ? 0 : first < x->n_bins ? first : x->n_bins;
			last = last < 0 ? 0 : last < x->n_bins ? last : x->n_bins;
			counts[i] = x->before[last] - x->before[first];
		}
		return 0;
	}
	struct tsp_reading r;
	struct trace_range range = { begin, until };
	int rc = tsp_reading_open(&r, e, "", range, err);
	size_t n_events = 1;
	while (rc == 0 && n_events) {
		const struct mer_event *events;
		rc = mer_cursor_next(r.cursor, &events, &n_events, err);
		for (size_t i = 0; rc == 0 && i < n_events; i++) {
			uint64_t bin = (uint64_t)(events[i].ts - begin) / (uint64_t)width;
			if (events[i].ts >= begin && bin < n)
				counts[bin]++;
		}
	}
	tsp_reading_close(&r);
	return rc;
}
