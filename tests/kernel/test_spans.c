/* Spans wherever they lie. Forgotten ones: the last one of each task stays as it was written,
 * however long ago that was; of the rest only the newest stay, whatever the tasks do. In a file, or
 * from a source: the same as in memory, for any number of them, also what is changed long after it
 * was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/host.h"

enum { N_TASKS = 3000, N_SPANS = 400000, SURELY_KEPT = 20000, MOST_CHUNKS = 80 };

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 31);
}

/* Few tasks do most; some do something once and never again. */
static uint32_t choose(uint64_t *rng)
{
	uint64_t r = next_random(rng);
	return r % 64 ? (uint32_t)(r >> 32) % 8 : (uint32_t)(r >> 32) % N_TASKS;
}

static void check_tasks(const struct kernel_host *h, const int64_t *begins)
{
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		const struct kernel_span *s = kernel_span_kept(h, h->tasks[t].last);
		assert_int_equal(s != NULL, begins[t] >= 0);
		assert_true(!s || (s->begin == begins[t] && s->task == t));
	}
}

static void last_ones_stay(void **state)
{
	struct kernel_host h;
	int64_t *begins = malloc(N_TASKS * sizeof(*begins));
	uint32_t *tasks = malloc(N_SPANS * sizeof(*tasks)), forgotten = 0;
	uint64_t rng = 7;
	(void)state;
	assert_non_null(begins);
	assert_non_null(tasks);
	kernel_host_init_in(&h, NULL, true);
	for (uint32_t t = 0; t < N_TASKS; t++) {
		assert_int_equal(kernel_add_task(&h, (int32_t)t + 1, 0), t);
		begins[t] = -1;
	}
	for (uint32_t i = 0; i < N_SPANS; i++) {
		uint32_t t = choose(&rng);
		struct kernel_span s = { .begin = i, .task = t, .by = KERNEL_NONE };
		assert_int_equal(kernel_add_span(&h, &s), i);
		tasks[i] = t;
		begins[t] = i;
		if (i % 20011 == 0)
			check_tasks(&h, begins);
	}
	check_tasks(&h, begins);
	for (uint32_t i = 0; i < N_SPANS; i++) {
		const struct kernel_span *s = kernel_span_kept(&h, i);
		assert_true(!s || (s->begin == i && s->task == tasks[i]));
		assert_true(s || i + SURELY_KEPT < N_SPANS);
		forgotten += !s;
	}
	assert_true(forgotten > N_SPANS / 2);
	uint32_t n_chunks = 0;
	for (uint32_t c = 0; c < h.log.n_chunks; c++)
		n_chunks += h.log.chunks[c] != NULL;
	assert_true(n_chunks <= MOST_CHUNKS);
	kernel_host_fini(&h);
	free(begins);
	free(tasks);
}

/* ---- in a file ---- */

enum { FEW_TASKS = 50, MOST_SPANS = 1500000 };

struct both { /* the same spans in memory and elsewhere */
	struct kernel_host plain, host;
	struct mer_spill *spill;
	uint64_t rng;
};

static void begin_both(struct both *b, size_t in_memory)
{
	static const char *const folders[] = { "." };
	struct mer_spill_options o = { .in_memory = in_memory, .folders = folders, .n_folders = 1 };
	*b = (struct both){ .rng = 11, .spill = mer_spill_new(&o) };
	assert_non_null(b->spill);
	kernel_host_init(&b->plain);
	kernel_host_init_in(&b->host, b->spill, false);
	for (int32_t t = 0; t < FEW_TASKS; t++) {
		kernel_add_task(&b->plain, t + 1, 0);
		kernel_add_task(&b->host, t + 1, 0);
	}
}

static void end_both(struct both *b)
{
	kernel_host_fini(&b->plain);
	kernel_host_fini(&b->host);
	struct mer_spill_use use = mer_spill_use(b->spill);
	assert_true(use.in_memory == 0 && use.in_file == 0);
	mer_spill_free(b->spill);
}

static void change(struct both *b, uint32_t i, uint32_t by)
{
	kernel_span(&b->plain, i)->by = by;
	kernel_span(&b->host, i)->by = by;
}

/* One more, and what is then learned of earlier ones: the newest, a wait of any age, and any at
 * all. */
static void add_to_both(struct both *b)
{
	uint32_t i = b->plain.n_spans;
	struct kernel_span s = { .begin = i * 10,
		.task = (uint32_t)(next_random(&b->rng) % FEW_TASKS),
		.call = i % 7,
		.by = KERNEL_NONE,
		.source = i ^ 1,
		.cpu = (uint16_t)(i % 8),
		.state = KERNEL_BLOCKED };
	assert_int_equal(kernel_add_span(&b->plain, &s), i);
	assert_int_equal(kernel_add_span(&b->host, &s), i);
	change(b, b->plain.tasks[next_random(&b->rng) % FEW_TASKS].last % (i + 1), i);
	if (i % 16 == 0)
		change(b, (uint32_t)(next_random(&b->rng) % (i + 1)), i);
}

static void compare_both(const struct both *b)
{
	assert_int_equal(b->plain.n_spans, b->host.n_spans);
	for (uint32_t i = 0; i < b->plain.n_spans; i++)
		if (memcmp(kernel_span(&b->plain, i), kernel_span(&b->host, i),
			    sizeof(struct kernel_span)) != 0)
			fail_msg("span %u differs", i);
	for (uint32_t t = 0; t < FEW_TASKS; t++)
		assert_int_equal(b->plain.tasks[t].last, b->host.tasks[t].last);
}

/* So many spans, in a file as far as they are more than that. */
static void in_file(uint32_t n, size_t in_memory)
{
	struct both b;
	begin_both(&b, in_memory);
	for (uint32_t i = 0; i < n; i++) {
		add_to_both(&b);
		if (i == n / 2)
			compare_both(&b);
	}
	compare_both(&b);
	kernel_span_log_finish(&b.host.log);
	compare_both(&b);
	for (uint32_t i = 0; i < n; i += 100)
		change(&b, i, 1);
	compare_both(&b);
	struct mer_spill_use use = mer_spill_use(b.spill);
	assert_true(mer_spill_problem(b.spill) ||
		    use.in_file + use.in_memory >= n * sizeof(struct kernel_span));
	assert_true(mer_spill_problem(b.spill) || use.in_memory <= in_memory);
	end_both(&b);
}

static void same_in_a_file(void **state)
{
	static const uint32_t edges[] = { 0, KERNEL_CHUNK, 2 * KERNEL_CHUNK, 3 * KERNEL_CHUNK,
		64 * KERNEL_CHUNK, 65 * KERNEL_CHUNK, 128 * KERNEL_CHUNK, 1023 * KERNEL_CHUNK,
		2047 * KERNEL_CHUNK };
	(void)state;
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		for (uint32_t n = edges[i] ? edges[i] - 1 : 1; n <= edges[i] + 1; n++)
			in_file(n, 0);
	in_file(100000, 1 << 20);
	in_file(MOST_SPANS, 16 << 20);
}

/* ---- from a source ---- */

enum { PLACES = 4 };

static struct source { /* decodes a chunk by copying it */
	const struct kernel_host *from;
	struct kernel_span spans[PLACES][KERNEL_CHUNK];
	uint32_t chunks[PLACES];
	unsigned n_loaded, n_near;
} source;

static struct kernel_span *load(const struct kernel_host *h, uint32_t chunk)
{
	uint32_t place = source.n_loaded % PLACES;
	if (source.n_loaded++ >= PLACES)
		h->log.chunks[source.chunks[place]] = NULL;
	source.chunks[place] = chunk;
	uint32_t first = chunk << KERNEL_CHUNK_BITS;
	for (uint32_t i = first; i < h->n_spans && i < first + KERNEL_CHUNK; i++)
		source.spans[place][i - first] = *kernel_span(source.from, i);
	return h->log.chunks[chunk] = source.spans[place];
}

static uint32_t near(const struct kernel_host *h, uint32_t task, int64_t time)
{
	source.n_near++;
	uint32_t i = h->tasks[task].last;
	while (i != KERNEL_NONE && kernel_span(source.from, i)->begin > time + 5000)
		i = kernel_span(source.from, i)->before;
	return i;
}

static void same_from_a_source(void **state)
{
	static const struct kernel_span_source functions = { load, near, NULL, NULL };
	enum { N = 50 * KERNEL_CHUNK + 7 };
	struct both b;
	(void)state;
	begin_both(&b, SIZE_MAX);
	while (b.plain.n_spans < N)
		add_to_both(&b);
	source = (struct source){ .from = &b.plain };
	kernel_span_log_fini(&b.host.log);
	assert_true(kernel_span_log_add_absent(&b.host.log, 51));
	b.host.source = &functions;
	compare_both(&b);
	assert_int_equal(source.n_loaded, 51);
	for (uint32_t i = N; i-- > 0;)
		assert_int_equal(kernel_span(&b.host, i)->begin, i * 10);
	assert_true(source.n_loaded <= 2 * 51);
	for (uint32_t t = 0; t < FEW_TASKS; t++)
		for (int64_t time = -1; time < N * 10; time += 9973)
			assert_int_equal(kernel_span_at(&b.host, t, time, KERNEL_NONE),
				kernel_span_at(&b.plain, t, time, KERNEL_NONE));
	assert_true(source.n_near > 0);
	end_both(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_ones_stay),
		cmocka_unit_test(same_in_a_file),
		cmocka_unit_test(same_from_a_source),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
