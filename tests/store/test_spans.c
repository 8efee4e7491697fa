/* Spans in a file: they come back, can be found by time and by task, and those that cannot be do no
 * harm; lanes of tasks and CPUs, from spans and from the pyramid, are what the spans say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "store/lanes.h"
#include "store/levels.h"
#include "store/on_cpu.h"
#include "store/spans.h"
#include "store/types.h"

enum { N_TASKS = 40, N_CPUS = 4, N_SPANS = 9000, N_CALLS = 30, N_BRIDGES = 20, N_REQUESTS = 10 };

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";

static uint64_t seed = 1;

static uint64_t any(void)
{
	return random_next(&seed);
}

struct saved {
	struct kernel_host host;
	struct kernel_world w;
	char path[64];
	struct store_file file;
	struct store_spans s;
	uint32_t n; /* spans */
};

static uint32_t a_source(const struct kernel_span *s, uint32_t number)
{
	uint32_t n = s->cause == KERNEL_NETWORK ? N_BRIDGES
		     : s->cause == KERNEL_DISK	? N_REQUESTS
		     : s->cause == KERNEL_TIMER ? number
						: 1 << 30;
	return n && any() % 3 ? (uint32_t)(any() % n) : KERNEL_NONE;
}

/* Tasks come onto CPUs and leave them; one task on each CPU at most. */
static void make_many(struct saved *x, int64_t begin, uint64_t step, uint32_t n)
{
	static const enum kernel_state on[] = { KERNEL_USER, KERNEL_SYSCALL, KERNEL_RUNNING,
		KERNEL_INTERRUPTED, KERNEL_THREAD };
	static const enum kernel_state off[] = { KERNEL_BLOCKED, KERNEL_RUNNABLE, KERNEL_STOPPED,
		KERNEL_UNKNOWN };
	struct kernel_host *h = &x->host;
	uint32_t on_cpu[N_CPUS];
	*x = (struct saved){ .n = n };
	kernel_host_init(h);
	x->w.hosts = h;
	x->w.n_hosts = 1;
	memset(on_cpu, 0xff, sizeof(on_cpu));
	int64_t time = begin;
	for (uint32_t t = 0; t < N_TASKS; t++) {
		assert_int_equal(kernel_add_task(h, 100 + (int32_t)t, begin), t);
		h->tasks[t].end = INT64_MAX;
		h->tasks[t].died = INT64_MAX;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = (uint32_t)(any() % N_CPUS), task = on_cpu[cpu];
		bool leaves = task != KERNEL_NONE && any() % 3 == 0;
		if (task == KERNEL_NONE) {
			bool is_on = true;
			while (is_on) {
				task = (uint32_t)(any() % N_TASKS);
				is_on = false;
				for (int c = 0; c < N_CPUS; c++)
					is_on |= on_cpu[c] == task;
			}
		}
		on_cpu[cpu] = leaves ? KERNEL_NONE : task;
		struct kernel_span s = { .begin = time += (int64_t)(any() % step),
			.task = task,
			.call = any() % 2 ? (uint32_t)(any() % N_CALLS) : KERNEL_NONE,
			.by = any() % 4 ? KERNEL_NONE : (uint32_t)(any() % (i + 1)),
			.cpu = leaves ? KERNEL_NO_CPU : (uint16_t)cpu,
			.state = (uint8_t)(leaves ? off[any() % 4] : on[any() % 5]),
			.cause = (uint8_t)(any() % KERNEL_N_CAUSES) };
		s.source = a_source(&s, i);
		assert_int_equal(kernel_add_span(h, &s), i);
	}
	h->begin = begin;
	h->end = time + 50;
	for (uint32_t t = 0; t < N_TASKS; t += 3) /* some have ended */
		h->tasks[t].end = kernel_span(h, h->tasks[t].last)->begin + 7;
}

static void make(struct saved *x, int64_t begin, uint64_t step)
{
	make_many(x, begin, step, N_SPANS);
}

static void save(struct saved *x)
{
	struct store_writer w;
	struct mer_err err = { 0 };
	snprintf(x->path, sizeof(x->path), "/tmp/meridian-spans-XXXXXX");
	int fd = mkstemp(x->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, x->path, key, &err), 0);
	assert_int_equal(store_spans_save(&w, &x->w, 0, 2, NULL, &err), 0);
	assert_int_equal(store_lanes_save(&w, &x->w, 0, NULL, &err), 0);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&x->file, x->path, key, &err), 0);
	x->s = (struct store_spans){ .n_spans = x->n,
		.n_tasks = N_TASKS,
		.n_calls = N_CALLS,
		.n_requests = N_REQUESTS,
		.n_bridges = N_BRIDGES };
	assert_int_equal(store_spans_open(&x->s, &x->file, 0, &err), 0);
}

static void forget_file(struct saved *x)
{
	store_file_close(&x->file);
	unlink(x->path);
}

static void forget(struct saved *x)
{
	forget_file(x);
	kernel_host_fini(&x->host);
}

static size_t size_of(const struct saved *x, uint32_t block)
{
	uint32_t first = block * KERNEL_CHUNK;
	return x->n - first < KERNEL_CHUNK ? x->n - first : KERNEL_CHUNK;
}

/* How many blocks are as they were; the others have spans that say nothing. */
static uint32_t n_good(struct saved *x)
{
	uint32_t n = 0;
	for (uint32_t b = 0; b < x->s.n_blocks; b++) {
		struct kernel_span spans[KERNEL_CHUNK];
		bool ok = store_spans_read(&x->s, b, spans);
		n += ok;
		for (size_t i = 0; i < size_of(x, b); i++) {
			const struct kernel_span *s =
				kernel_span(&x->host, b * KERNEL_CHUNK + (uint32_t)i);
			if (ok) {
				assert_memory_equal(&spans[i], s, sizeof(*s));
				continue;
			}
			assert_true(x->s.is_damaged);
			assert_int_equal(spans[i].state, KERNEL_UNKNOWN);
			assert_int_equal(spans[i].task, 0);
			assert_int_equal(spans[i].before, KERNEL_NONE);
			assert_int_equal(spans[i].call, KERNEL_NONE);
			assert_int_equal(spans[i].by, KERNEL_NONE);
			assert_int_equal(spans[i].source, KERNEL_NONE);
			assert_int_equal(spans[i].cpu, KERNEL_NO_CPU);
			assert_int_equal(spans[i].begin, x->s.blocks[b].first);
		}
	}
	return n;
}

static void come_back(void **state)
{
	(void)state;
	struct saved x;
	struct store_brief b;
	make(&x, -1000000, 3000);
	save(&x);
	assert_int_equal(x.s.n_blocks, (N_SPANS + KERNEL_CHUNK - 1) / KERNEL_CHUNK);
	assert_int_equal(n_good(&x), x.s.n_blocks);
	for (uint32_t k = 0; k < x.s.n_blocks; k++) {
		assert_true(store_spans_read_brief(&x.s, k, &b));
		assert_int_equal(b.n, size_of(&x, k));
		for (size_t i = 0; i < b.n; i++) {
			const struct kernel_span *s =
				kernel_span(&x.host, k * KERNEL_CHUNK + (uint32_t)i);
			assert_true((int64_t)b.begin[i] == s->begin && b.task[i] == s->task &&
				    b.state[i] == s->state && b.cause[i] == s->cause &&
				    b.cpu[i] == s->cpu);
		}
	}
	assert_false(x.s.is_damaged);
	forget(&x);
}

/* Blocks [from, to) have all spans that begin in a range, and no block on either side has one. */
static void by_time(void **state)
{
	(void)state;
	struct saved x;
	make(&x, 0, 3000);
	for (uint32_t i = 5; i < N_SPANS; i += 97) { /* some are not in order */
		struct kernel_span *s = kernel_span(&x.host, i);
		s->begin -= 2000;
	}
	save(&x);
	for (int round = 0; round < 100; round++) {
		int64_t begin = kernel_span(&x.host, (uint32_t)(any() % N_SPANS))->begin;
		int64_t end = begin + (int64_t)(any() % 3 * (any() % 1000000));
		uint32_t from, to, least = UINT32_MAX, most = 0;
		store_spans_between(&x.s, begin, end, &from, &to);
		for (uint32_t i = 0; i < N_SPANS; i++) {
			int64_t at = kernel_span(&x.host, i)->begin;
			if (at < begin || at > end)
				continue;
			uint32_t block = i / KERNEL_CHUNK;
			least = block < least ? block : least;
			most = block > most ? block : most;
			assert_true(block >= from && block < to);
		}
		assert_in_range(least - from, 0, 1);
		assert_in_range(to - 1 - most, 0, 1);
	}
	forget(&x);
}

/* One that begins much later than those behind it is found in its own block. */
static void out_of_order(void **state)
{
	(void)state;
	enum { N = 4 * KERNEL_CHUNK };
	struct saved x;
	uint32_t from, to;
	make_many(&x, 0, 3000, N);
	int64_t late = kernel_span(&x.host, N - 2)->begin + 1;
	kernel_span(&x.host, KERNEL_CHUNK + 10)->begin = late;
	save(&x);
	store_spans_between(&x.s, late, late, &from, &to);
	assert_true(from <= 1 && to == 4);
	/* And one that begins much earlier. */
	forget_file(&x);
	kernel_span(&x.host, 2 * KERNEL_CHUNK + 10)->begin = 1;
	save(&x);
	store_spans_between(&x.s, 0, 1, &from, &to);
	assert_true(from == 0 && to == 3);
	forget(&x);
}

/* The task's last span of the first stretch that ends with one that begins later. */
static void by_task(void **state)
{
	enum { STRETCH = STORE_STRETCH * KERNEL_CHUNK };
	(void)state;
	struct saved x;
	make(&x, 0, 3000);
	save(&x);
	for (int round = 0; round < 150; round++) {
		uint32_t task = (uint32_t)(any() % N_TASKS), expected = KERNEL_NONE;
		int64_t time = kernel_span(&x.host, (uint32_t)(any() % N_SPANS))->begin;
		for (uint32_t first = 0; first < N_SPANS && expected == KERNEL_NONE;
			first += STRETCH) {
			uint32_t last = KERNEL_NONE;
			for (uint32_t i = first; i < N_SPANS && i < first + STRETCH; i++)
				last = kernel_span(&x.host, i)->task == task ? i : last;
			if (last != KERNEL_NONE && kernel_span(&x.host, last)->begin > time)
				expected = last;
		}
		assert_int_equal(store_spans_near(&x.s, task, time), expected);
	}
	assert_int_equal(store_spans_near(&x.s, N_TASKS, 0), KERNEL_NONE);
	forget(&x);
}

/* ---- what cannot be ---- */

enum { SOME = 3 * KERNEL_CHUNK };

/* The second block's spans do not fit what there is, by one member of one span. */
static void fits(struct saved *x, bool ok)
{
	save(x);
	assert_int_equal(n_good(x), x->s.n_blocks - !ok);
	assert_int_equal(x->s.is_damaged, !ok);
	forget_file(x);
}

static void that_cannot_be(void **state)
{
	(void)state;
	struct saved x;
	make_many(&x, 0, 3000, SOME);
	struct kernel_span *s = kernel_span(&x.host, KERNEL_CHUNK + 50), good;
	s->state = KERNEL_BLOCKED;
	s->cause = KERNEL_NO_CAUSE;
	good = *s;
	fits(&x, true);
#define WITH(member_, fits_, cannot_)                                                              \
	s->member_ = (fits_);                                                                      \
	fits(&x, true);                                                                            \
	s->member_ = (cannot_);                                                                    \
	fits(&x, false);                                                                           \
	s->member_ = KERNEL_NONE;                                                                  \
	fits(&x, true);                                                                            \
	*s = good
	WITH(before, KERNEL_CHUNK + 49, KERNEL_CHUNK + 50);
	WITH(call, N_CALLS - 1, N_CALLS);
	WITH(by, SOME - 1, SOME);
	s->cause = KERNEL_NETWORK;
	good = *s;
	WITH(source, N_BRIDGES - 1, N_BRIDGES);
	s->cause = KERNEL_DISK;
	good = *s;
	WITH(source, N_REQUESTS - 1, N_REQUESTS);
	s->cause = KERNEL_TIMER;
	good = *s;
	WITH(source, SOME - 1, SOME);
	s->source = SOME; /* of no wait: it means something else */
	s->state = KERNEL_INTERRUPTED;
	fits(&x, true);
	s->cause = KERNEL_IRQ;
	fits(&x, true);
	s->cause = KERNEL_N_CAUSES - 1;
	fits(&x, true);
	s->cause = KERNEL_N_CAUSES;
	fits(&x, false);
	s->cause = KERNEL_IRQ;
	s->state = KERNEL_N_STATES - 1;
	fits(&x, true);
	kernel_host_fini(&x.host);
}

/* A task that is not there; and of what drawing needs. */
static void another_world(void **state)
{
	(void)state;
	struct saved x;
	struct store_brief b;
	make(&x, 0, 3000);
	save(&x);
	uint32_t good = 0, briefs = 0, without = 0;
	x.s.n_tasks = N_TASKS - 1;
	for (uint32_t k = 0; k < x.s.n_blocks; k++) {
		bool has = false;
		for (uint32_t i = k * KERNEL_CHUNK; i < N_SPANS && i < (k + 1) * KERNEL_CHUNK; i++)
			has |= kernel_span(&x.host, i)->task == N_TASKS - 1;
		without += !has;
		bool ok = store_spans_read_brief(&x.s, k, &b);
		briefs += ok;
		assert_int_equal(b.n, ok ? size_of(&x, k) : 0);
	}
	good = n_good(&x);
	assert_int_equal(good, without);
	assert_int_equal(briefs, without);
	assert_true(x.s.is_damaged && without < x.s.n_blocks);
	/* Sections that say other numbers. */
	for (int i = 0; i < 3; i++) {
		struct store_spans s = { .n_spans = N_SPANS + (i == 1) * KERNEL_CHUNK,
			.n_tasks = N_TASKS + (i == 2) };
		struct mer_err err = { 0 };
		assert_int_equal(store_spans_open(&s, &x.file, 0, &err), i ? MER_ERR_INPUT : 0);
		assert_string_equal(err.text, i ? "spans that do not belong together" : "");
		assert_int_equal(store_spans_open(&s, &x.file, 1, &err), MER_ERR_INPUT);
	}
	forget(&x);
}

/* ---- lanes ---- */

enum { N_BINS = 50 };

static void put(
	int64_t *times, const struct store_window *w, unsigned state, int64_t begin, int64_t end)
{
	uint64_t first = begin > w->begin ? (uint64_t)(begin - w->begin) >> w->shift : 0;
	for (uint64_t b = first; b < w->n_bins; b++) {
		int64_t from = w->begin + (int64_t)(b << w->shift);
		int64_t to = from + ((int64_t)1 << w->shift);
		from = from > begin ? from : begin;
		to = to < end ? to : end;
		if (from >= to)
			break;
		times[b * STORE_KINDS + state] += to - from;
	}
}

/* What the spans say. */
static void expect(const struct saved *x, const struct store_lane *lane,
	const struct store_window *w, int64_t *times)
{
	memset(times, 0, N_BINS * STORE_KINDS * sizeof(*times));
	for (uint32_t t = 0; t < N_TASKS; t++) {
		int64_t end = store_lanes_end(&x->host, t);
		if (!lane->is_cpu && t != lane->number)
			continue;
		for (uint32_t i = x->host.tasks[t].last; i != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(&x->host, i);
			if (!lane->is_cpu || (s->cpu == lane->number &&
						     kernel_is_on_cpu((enum kernel_state)s->state)))
				put(times, w, store_lane_kind(s->state, s->cause), s->begin, end);
			end = s->begin;
			i = s->before;
		}
	}
}

static void lanes_of(struct saved *x, int64_t begin, int64_t length, unsigned least_shift)
{
	struct store_lane lanes[N_CPUS + 5];
	size_t n = 0;
	static int64_t times[N_CPUS + 5][N_BINS * STORE_KINDS], expected[N_BINS * STORE_KINDS];
	for (uint32_t c = 0; c < N_CPUS; c++)
		lanes[n++] = (struct store_lane){ true, c };
	for (uint32_t t = 0; t < 4; t++)
		lanes[n++] = (struct store_lane){ false, (uint32_t)(any() % N_TASKS) };
	lanes[n++] = lanes[5]; /* twice */
	for (unsigned shift = least_shift; shift < 40; shift += least_shift ? 4 : 1) {
		struct store_window w = { .shift = shift, .n_bins = N_BINS };
		struct mer_err err = { 0 };
		int64_t at = begin - 100 + (int64_t)(any() % (uint64_t)(length + 200));
		w.begin = (at >> shift) * ((int64_t)1 << shift);
		assert_int_equal(
			store_lanes_read(&x->s, &x->host, 0, lanes, n, &w, times[0], &err), 0);
		for (size_t i = 0; i < n; i++) {
			expect(x, &lanes[i], &w, expected);
			assert_memory_equal(times[i], expected, sizeof(expected));
		}
	}
}

static void lanes(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct saved x;
		int64_t begin = i ? -5000000 : 1795227203025107642;
		make(&x, begin, i ? 3000 : 200000);
		save(&x);
		lanes_of(&x, begin, x.host.end - begin, 0);
		forget(&x);
	}
}

/* So many spans that there are several levels. */
static void pyramid(void **state)
{
	(void)state;
	struct saved x;
	uint64_t n = 0;
	make_many(&x, -5000000, 3000, 290000);
	save(&x);
	const struct store_level *levels =
		store_find(&x.file, STORE_LEVELS, 0, 0, sizeof(*levels), &n);
	assert_true(levels && n == 2);
	assert_int_equal(levels[0].shift, store_lanes_lowest_shift(&x.host));
	assert_int_equal(levels[1].shift, levels[0].shift + 2);
	lanes_of(&x, x.host.begin, x.host.end - x.host.begin, levels[0].shift - 1);
	forget(&x);
}

static void no_lanes(void **state)
{
	(void)state;
	struct saved x;
	static int64_t times[2 * N_BINS * STORE_KINDS];
	static const struct {
		struct store_lane lane;
		struct store_window w;
		int rc;
	} cases[] = {
		{ { true, 0 }, { 0, 10, N_BINS }, 0 },
		{ { true, KERNEL_NO_CPU - 1 }, { 0, 10, N_BINS }, 0 },
		{ { true, KERNEL_NO_CPU }, { 0, 10, N_BINS }, MER_ERR_USAGE },
		{ { false, N_TASKS - 1 }, { 0, 10, N_BINS }, 0 },
		{ { false, N_TASKS }, { 0, 10, N_BINS }, MER_ERR_USAGE },
		{ { true, 0 }, { 0, 62, N_BINS }, 0 },
		{ { true, 0 }, { 0, 63, N_BINS }, MER_ERR_USAGE },
		{ { true, 0 }, { 0, 10, 0 }, MER_ERR_USAGE },
		{ { true, 0 }, { 0, 10, 1 }, 0 },
		{ { true, 0 }, { 1024, 10, N_BINS }, 0 },
		{ { true, 0 }, { 512, 10, N_BINS }, MER_ERR_USAGE },
		{ { true, 0 }, { 1, 1, N_BINS }, MER_ERR_USAGE },
	};
	make(&x, 0, 3000);
	save(&x);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mer_err err = { 0 };
		assert_int_equal(store_lanes_read(&x.s, &x.host, 0, &cases[i].lane, 1, &cases[i].w,
					 times, &err),
			cases[i].rc);
		assert_string_equal(err.text, cases[i].rc ? "no such lanes, or no such bins" : "");
	}
	forget(&x);
}

/* The least width of bins with which so many cover the time. */
static void shifts(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		int64_t begin = (int64_t)(any() >> (1 + any() % 62)) * (any() % 2 ? 1 : -1);
		int64_t end = begin + (int64_t)(any() >> (2 + any() % 60));
		uint32_t n = 1 + (uint32_t)(any() % 1000);
		unsigned shift = store_lanes_shift(begin, end, n);
		if (end < begin)
			continue;
		assert_true(shift <= 62);
		assert_true(
			shift == 62 || (uint64_t)(end >> shift) - (uint64_t)(begin >> shift) < n);
		if (shift)
			assert_true(
				(uint64_t)(end >> (shift - 1)) - (uint64_t)(begin >> (shift - 1)) >=
				n);
	}
	assert_int_equal(store_lanes_shift(0, 0, 1), 0);
	assert_int_equal(store_lanes_shift(0, 1, 1), 1);
	assert_int_equal(store_lanes_shift(0, 1, 2), 0);
	assert_int_equal(store_lanes_shift(0, 1023, 1), 10);
	assert_int_equal(store_lanes_shift(0, 1024, 1), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(come_back),
		cmocka_unit_test(by_time),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(by_task),
		cmocka_unit_test(that_cannot_be),
		cmocka_unit_test(another_world),
		cmocka_unit_test(lanes),
		cmocka_unit_test(pyramid),
		cmocka_unit_test(no_lanes),
		cmocka_unit_test(shifts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
