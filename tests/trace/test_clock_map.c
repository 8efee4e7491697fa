/* Clock maps: the arithmetic against plain definitions, for extreme numbers too; and readings with
 * maps against readings without, whose times are mapped and put in order again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "given.h"
#include "many_traces.h"
#include "trace/clock_map.h"
#include "trace/locate.h"
#include "trace/slices.h"
#include "trace/walk.h"

#define STANDING (-((int64_t)1 << TRACE_RATE_BITS))
enum { MAX_PIECES = 1000 };

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int64_t below(int64_t n)
{
	return (int64_t)(next() % (uint64_t)n);
}

/* Numbers at and near where something may go wrong. */
static int64_t extreme(void)
{
	static const int64_t at[] = { 0, INT64_MAX, INT64_MIN + 1, (int64_t)1 << 60, STANDING,
		1700000000000000000, (int64_t)1 << 32, -1000 };
	uint64_t t = (uint64_t)at[next() % 8];
	switch (next() % 4) {
	case 0: break;
	case 1: t += next() % 5 - 2; break;
	case 2: t += next() >> (next() % 64); break;
	default: t = next() >> (next() % 64); break;
	}
	return (int64_t)t == INT64_MIN ? INT64_MIN + 1 : (int64_t)t;
}

static int64_t any_rate(void)
{
	switch (next() % 6) {
	case 0: return 0;
	case 1: return STANDING;
	case 2: return STANDING + below(1000);
	case 3: return STANDING / 1000 + below(-STANDING / 500);
	case 4: return (int64_t)(next() >> 1);
	default: return STANDING + (int64_t)(next() >> 3);
	}
}

static void random_rates(struct trace_clock_piece *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i].rate = any_rate();
}

static int by_begin(const void *a, const void *b)
{
	const struct trace_clock_piece *p = a, *q = b;
	return p->begin < q->begin ? -1 : p->begin > q->begin;
}

/* Puts the pieces in order and gives them times that never fall; some jump. */
static struct trace_clock_map chain(struct trace_clock_piece *p, size_t n, int64_t offset)
{
	qsort(p, n, sizeof(*p), by_begin);
	size_t kept = n > 0;
	if (n && __builtin_add_overflow(p[0].begin, offset, &p[0].time))
		p[0].time = p[0].begin;
	if (n && p[0].time == INT64_MIN)
		p[0].time++;
	for (size_t i = 1; i < n; i++) {
		if (p[i].begin == p[kept - 1].begin)
			continue;
		int64_t t = trace_piece_time(&p[kept - 1], p[i].begin);
		if (next() % 4 == 0 && t < INT64_MAX / 2)
			t += below(1000000);
		p[kept] = (struct trace_clock_piece){ p[i].begin, t, p[i].rate };
		kept++;
	}
	return (struct trace_clock_map){ p, kept };
}

/* time = piece.time + d + floor(d * rate / 2^60), another way: d * rate in halves. */
static __int128 plain_time(const struct trace_clock_piece *p, int64_t t)
{
	__int128 d = (__int128)t - p->begin;
	__int128 low = d & (((__int128)1 << 30) - 1), high = d >> 30;
	__int128 sum = high * p->rate + (low * p->rate >> 30);
	return p->time + d + (sum >> 30);
}

static void one_map(const struct trace_clock_map *m)
{
	struct mer_err err;
	if (trace_check_map(m, &err))
		fail_msg("%s", err.text);
	int64_t before_t = INT64_MIN, before = INT64_MIN;
	for (int i = 0; i < 60; i++) {
		int64_t t = extreme();
		if (m->n && next() % 2)
			t = (int64_t)((uint64_t)m->pieces[next() % m->n].begin + next() % 5 - 2);
		if (t == INT64_MIN)
			t++;
		int64_t time = trace_map_time(m, t);
		if (t == INT64_MAX) {
			assert_true(time == INT64_MAX);
			continue;
		}
		if (!m->n) {
			assert_true(time == t && trace_unmap_time(m, t) == t);
			continue;
		}
		size_t k = 0;
		while (k + 1 < m->n && m->pieces[k + 1].begin <= t)
			k++;
		__int128 plain = plain_time(&m->pieces[k], t);
		if (plain > INT64_MAX - 1)
			plain = INT64_MAX - 1;
		if (plain < INT64_MIN + 1)
			plain = INT64_MIN + 1;
		assert_true(time == (int64_t)plain);
		if (before_t != INT64_MIN)
			assert_true(t >= before_t ? time >= before : time <= before);
		before_t = t;
		before = time;
		/* The way back. */
		assert_true(trace_unmap_time(m, time) <= t);
		int64_t want = next() % 2 ? time + (time < INT64_MAX - 1) : extreme();
		if (want == INT64_MAX)
			continue;
		int64_t back = trace_unmap_time(m, want);
		if (back != INT64_MAX)
			assert_true(trace_map_time(m, back) >= want);
		if (back > INT64_MIN + 1)
			assert_true(trace_map_time(m, back - 1) < want);
	}
	assert_true(trace_map_time(m, MER_NO_TIME) == MER_NO_TIME);
	assert_true(trace_unmap_time(m, MER_NO_TIME) == MER_NO_TIME);
	assert_true(trace_unmap_time(m, INT64_MAX) == INT64_MAX);
}

static void arithmetic(void **unused)
{
	struct trace_clock_piece p[20];
	(void)unused;
	for (int round = 0; round < 20000 / GIVEN_EVERY(5); round++) {
		size_t n = next() % 20;
		random_rates(p, n);
		for (size_t i = 0; i < n; i++)
			p[i].begin = round % 2 ? extreme() : below(10000);
		struct trace_clock_map m = chain(p, n, round % 3 ? below(2000000) : extreme());
		one_map(&m);
	}
}

static void wrong_maps(void **unused)
{
	static const struct {
		struct trace_clock_piece p[2];
		const char *why;
	} wrong[] = {
		{ { { 0, 0, 0 }, { 0, 5, 0 } }, "piece 2 of 2 does not begin after" },
		{ { { 0, 0, 0 }, { 10, 8, 0 } }, "piece 2 of 2 begins at a time that" },
		{ { { 0, 0, STANDING - 1 }, { 10, 50, 0 } }, "piece 1 of 2 runs backwards" },
		{ { { INT64_MIN, 0, 0 }, { 10, 50, 0 } }, "piece 1 of 2 has no time" },
	};
	struct mer_err err;
	(void)unused;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct trace_clock_map m = { wrong[i].p, 2 };
		assert_int_equal(trace_check_map(&m, &err), MER_ERR_INPUT);
		assert_non_null(strstr(err.text, wrong[i].why));
	}
	static const struct trace_clock_piece right[] = { { 0, 0, 0 }, { 10, 9, 0 } };
	struct trace_clock_map m = { right, 2 };
	assert_int_equal(trace_check_map(&m, &err), 0);
}

/* ---- Readings ---- */

struct seen {
	int64_t ts, serial;
	uint64_t stream, plan, place; /* place: in the reading without maps */
};

struct reading { /* a list of events, of slices by turns */
	struct seen *all;
	size_t n, cap;
	struct {
		struct seen *ev;
		size_t n, cap;
	} page[16];
};

static void append(struct seen **list, size_t *n, size_t *cap, struct seen s)
{
	if (*n == *cap) {
		*cap = *cap ? *cap * 2 : 1024;
		*list = realloc(*list, *cap * sizeof(**list));
		assert_non_null(*list);
	}
	(*list)[(*n)++] = s;
}

static void begin_page(void *ctx, size_t slot)
{
	((struct reading *)ctx)->page[slot].n = 0;
}

static int add_batch(void *ctx, size_t slot, const struct mer_cursor *c, const struct mer_event *ev,
	size_t n, struct mer_err *err)
{
	struct reading *r = ctx;
	(void)c;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct seen s = { ev[i].ts, 0, ev[i].stream, ev[i].plan->id, 0 };
		mer_event_int(&ev[i], "serial", &s.serial);
		append(&r->page[slot].ev, &r->page[slot].n, &r->page[slot].cap, s);
	}
	return 0;
}

static int use_page(void *ctx, size_t slot, struct mer_err *err)
{
	struct reading *r = ctx;
	(void)err;
	for (size_t i = 0; i < r->page[slot].n; i++)
		append(&r->all, &r->n, &r->cap, r->page[slot].ev[i]);
	return 0;
}

static void read_more(struct reading *r, struct mer_experiment *e, struct trace_range range,
	unsigned threads, uint64_t slice_bytes)
{
	struct mer_err err;
	struct trace_reading *wants;
	assert_int_equal(trace_reading_new(e, NULL, false, &wants, &err), 0);
	struct trace_slices_job job = { .reading = wants,
		.range = range,
		.n_threads = threads,
		.slice_bytes = slice_bytes,
		.n_slots = 8,
		.ctx = r,
		.begin = begin_page,
		.batch = add_batch,
		.consume = use_page };
	if (trace_run_slices(e, &job, &err))
		fail_msg("%s", err.text);
	trace_reading_free(wants);
}

static void forget(struct reading *r)
{
	for (size_t i = 0; i < 16; i++)
		free(r->page[i].ev);
	free(r->all);
	memset(r, 0, sizeof(*r));
}

static int by_time_and_place(const void *a, const void *b)
{
	const struct seen *p = a, *q = b;
	if (p->ts != q->ts)
		return p->ts < q->ts ? -1 : 1;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	return p->place < q->place ? -1 : p->place > q->place;
}

static int by_stream_and_serial(const void *a, const void *b)
{
	const struct seen *p = a, *q = b;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	if (p->ts != q->ts)
		return p->ts < q->ts ? -1 : 1;
	if (p->plan != q->plan)
		return p->plan < q->plan ? -1 : 1;
	return p->serial < q->serial ? -1 : p->serial > q->serial;
}

static void assert_same(
	const char *what, const char *path, const struct reading *a, const struct reading *b)
{
	if (a->n != b->n)
		fail_msg("%s: %s: %zu events, expected %zu", path, what, b->n, a->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct seen *p = &a->all[i], *q = &b->all[i];
		if (p->ts != q->ts || p->stream != q->stream || p->plan != q->plan ||
			p->serial != q->serial)
			fail_msg("%s: %s: event %zu is at %lld in stream %lld, expected %lld, %lld",
				path, what, i, (long long)q->ts, (long long)q->stream,
				(long long)p->ts, (long long)p->stream);
	}
}

static void random_maps(const struct mer_experiment *e, struct trace_clock_map *maps)
{
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		static const size_t sizes[] = { 0, 1, 2, 7, MAX_PIECES };
		size_t n = sizes[next() % 5];
		struct trace_clock_piece *p = calloc(n + 1, sizeof(*p));
		assert_non_null(p);
		int64_t length = e->end - e->begin + 10;
		for (size_t i = 0; i < n; i++) {
			p[i].begin = e->begin - length / 10 + below(length / 5 * 6 + 10);
			static const int64_t ppm = ((int64_t)1 << TRACE_RATE_BITS) / 1000000;
			p[i].rate = next() % 8 == 0 ? STANDING : (below(20000) - 10000) * ppm;
		}
		maps[h] = chain(p, n, below(2 * length) - length);
	}
}

static uint32_t host_of(const struct mer_experiment *e, uint64_t stream)
{
	return e->traces[e->streams[stream].trace].host;
}

/* The walk counts what the cursor gives, and has the same first and last times. */
static void same_as_walk(const char *path, struct mer_experiment *e, const struct reading *r)
{
	struct mer_err err;
	struct trace_counts *counts;
	assert_int_equal(trace_walk(e, 2, NULL, NULL, &counts, &err), 0);
	int64_t *first = calloc(e->n_streams + 1u, sizeof(*first));
	int64_t *last = calloc(e->n_streams + 1u, sizeof(*last));
	for (uint32_t i = 0; i < e->n_streams; i++)
		first[i] = last[i] = MER_NO_TIME;
	for (size_t i = 0; i < r->n; i++) {
		uint64_t s = r->all[i].stream;
		trace_widen(&first[s], &last[s], r->all[i].ts, r->all[i].ts);
	}
	for (uint32_t i = 0; i < e->n_streams; i++) {
		assert_true(counts->first[i] == first[i]);
		assert_true(counts->last[i] == last[i]);
	}
	assert_int_equal(counts->all.events, r->n);
	trace_counts_free(counts);
	struct trace_range range = { e->begin + (e->end - e->begin) / 3,
		e->begin + (e->end - e->begin) / 3 * 2 };
	struct reading part = { 0 };
	read_more(&part, e, range, 1, 0);
	assert_int_equal(trace_walk_range(e, range, 2, NULL, NULL, &counts, &err), 0);
	if (counts->all.events != part.n)
		fail_msg("%s: the walk counts %lu events in a range, the cursor gives %zu", path,
			(unsigned long)counts->all.events, part.n);
	trace_counts_free(counts);
	forget(&part);
	free(first);
	free(last);
}

static void ends_follow(const struct mer_experiment *plain, const struct mer_experiment *e,
	const struct trace_clock_map *maps)
{
	int64_t begin = MER_NO_TIME, end = MER_NO_TIME;
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct mer_stream *a = &plain->streams[i], *b = &e->streams[i];
		assert_true(b->begin == trace_map_time(&maps[host_of(e, i)], a->begin));
		assert_true(b->end == trace_map_time(&maps[host_of(e, i)], a->end));
		trace_widen(&begin, &end, b->begin, b->end);
		assert_true(e->traces[b->trace].begin <= b->begin);
		assert_true(e->traces[b->trace].end >= b->end);
	}
	assert_true(begin == e->begin && end == e->end);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct trace_clock_map *m = &maps[host_of(e, e->losses[i].stream)];
		assert_true(e->losses[i].begin == trace_map_time(m, plain->losses[i].begin));
		assert_true(e->losses[i].end == trace_map_time(m, plain->losses[i].end));
	}
}

static void locate_follows(struct mer_experiment *e, const struct reading *r)
{
	struct mer_err err;
	struct trace_record_place place;
	uint64_t found, nth = 0;
	for (size_t i = 0; i < r->n; i += r->n / 7 + 1) {
		nth = i + 1;
		if (trace_locate(e, "step", nth, NULL, NULL, &place, &found, &err))
			fail_msg("%s", err.text);
		assert_int_equal(found, nth);
		assert_true(place.ts == r->all[i].ts && place.stream == r->all[i].stream);
	}
}

/* steps: all events are called "step", and there are no overlapping packets or such. */
static void maps_on(const char *path, bool steps)
{
	static const struct trace_range whole = { INT64_MIN, INT64_MAX };
	struct mer_err err;
	struct mer_experiment *plain = NULL, *e = NULL;
	if (mer_experiment_open(&path, 1, NULL, &plain, &err) ||
		mer_experiment_open(&path, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	if (e->begin == MER_NO_TIME || e->end - e->begin > (int64_t)1 << 60 || !e->n_streams) {
		mer_experiment_free(plain);
		mer_experiment_free(e);
		return;
	}
	struct trace_clock_map *maps = calloc(e->n_hosts + 1u, sizeof(*maps));
	assert_non_null(maps);
	random_maps(e, maps);
	struct reading a = { 0 }, b = { 0 };
	read_more(&a, plain, whole, 1, 0);
	size_t n_diags;
	const struct mer_diag *d = trace_findings(plain, &n_diags);
	bool straight = true;
	for (size_t i = 0; i < n_diags; i++)
		straight &= strcmp(d[i].code, "clock-backwards") != 0;
	assert_true(straight || !steps);
	for (size_t i = 0; i < a.n; i++) {
		a.all[i].place = i;
		a.all[i].ts = trace_map_time(&maps[host_of(e, a.all[i].stream)], a.all[i].ts);
	}
	if (trace_apply_clock_maps(e, maps, &err))
		fail_msg("%s", err.text);
	ends_follow(plain, e, maps);
	read_more(&b, e, whole, 1, 0);
	struct reading sorted = { 0 };
	for (size_t i = 0; i < b.n; i++)
		append(&sorted.all, &sorted.n, &sorted.cap, b.all[i]);
	if (straight) {
		qsort(a.all, a.n, sizeof(*a.all), by_time_and_place);
		assert_same("mapped", path, &a, &b);
	} else {
		qsort(a.all, a.n, sizeof(*a.all), by_stream_and_serial);
		qsort(sorted.all, sorted.n, sizeof(*sorted.all), by_stream_and_serial);
		assert_same("mapped, in any order", path, &a, &sorted);
	}
	forget(&a);
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t bytes[] = { 1, 5000, 100000 };
		read_more(&a, e, whole, 2 + i, bytes[i]);
		assert_same("mapped, in slices", path, &b, &a);
		forget(&a);
	}
	int64_t from = INT64_MIN;
	for (int i = 1; i <= 10; i++) {
		int64_t to = i == 10 ? INT64_MAX : e->begin + (e->end - e->begin) / 10 * i;
		read_more(&a, e, (struct trace_range){ from, to }, 1, 0);
		from = to;
	}
	assert_same("mapped, in ranges", path, &b, &a);
	forget(&a);
	if (straight)
		same_as_walk(path, e, &b);
	if (steps)
		locate_follows(e, &b);
	bool any = false;
	for (uint32_t h = 0; h < e->n_hosts; h++)
		any |= maps[h].n > 0;
	assert_int_equal(trace_apply_clock_maps(e, maps, &err), any ? MER_ERR_USAGE : 0);
	if (!steps)
		print_message("%-60s %8zu events\n", path, b.n);
	forget(&b);
	forget(&sorted);
	for (uint32_t h = 0; h < e->n_hosts; h++)
		free((void *)maps[h].pieces);
	free(maps);
	mer_experiment_free(plain);
	mer_experiment_free(e);
}

static void random_traces(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < 24 / GIVEN_EVERY(4); i++) {
		struct many_traces t;
		many_traces_make(&t, i);
		for (int k = 0; k < 4; k++)
			maps_on(t.dir, true);
		many_traces_remove(&t);
	}
}

static void each_below(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[1200];
		struct stat st;
		snprintf(path, sizeof(path), "%.600s/%.500s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			maps_on(path, false);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void demo_recordings(void **unused)
{
	char path[1000];
	(void)unused;
	snprintf(path, sizeof(path), "%.900s/demo", given_environment("SRC"));
	each_below(path);
}

static void other_recordings(void **unused)
{
	char path[1000];
	(void)unused;
	given_path(path, sizeof(path), "public/synctraces");
	each_below(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(wrong_maps),
		cmocka_unit_test(random_traces),
		cmocka_unit_test(demo_recordings),
		cmocka_unit_test(other_recordings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
