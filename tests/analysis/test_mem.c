/* Memory against what was worked out by hand, a second computation from the events themselves, and
 * the pages that a program of a recording says it touched; and that all tables agree. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/facts/mem_objects.h"
#include "base/str.h"
#include "run_more.h"

enum { US = 1000, PAGE = 4096 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

/* ---- objects ---- */

/* Against an array: any mixture of allocations and frees of 2^12 addresses that collide. */
static void objects_are_found(void **state)
{
	enum { N = 1 << 12, STEPS = 200000 };
	static int64_t size[N]; /* plus 1; 0: free */
	struct mem_objects o = { 0 };
	uint64_t random = 1;
	size_t n = 0;
	(void)state;
	for (int i = 0; i < STEPS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t k = (random >> 33) % N;
		uint64_t address = UINT64_C(0xffff888000000000) + k * 64;
		if (random >> 63) {
			n += size[k] == 0;
			size[k] = (int64_t)(random >> 40 & 0xffff) + 1;
			assert_true(mem_objects_put(&o, address, size[k] - 1));
		} else {
			n -= size[k] != 0;
			assert_int_equal(mem_objects_take(&o, address), size[k] - 1);
			size[k] = 0;
		}
		assert_int_equal(o.n, n);
	}
	mem_objects_fini(&o);
}

static void objects_are_bounded(void **state)
{
	struct mem_objects o = { 0 };
	(void)state;
	for (uint64_t i = 1; i <= MEM_MAX_OBJECTS + 10; i++)
		assert_true(mem_objects_put(&o, i * 8, (int64_t)i));
	assert_int_equal(o.n, MEM_MAX_OBJECTS);
	assert_int_equal(o.forgotten, 10);
	assert_int_equal(mem_objects_take(&o, 8), 1);
	assert_int_equal(mem_objects_take(&o, 8), -1);
	assert_int_equal(mem_objects_take(&o, (MEM_MAX_OBJECTS + 5) * UINT64_C(8)), -1);
	assert_true(mem_objects_put(&o, 8, 3));
	assert_int_equal(mem_objects_take(&o, 8), 3);
	mem_objects_fini(&o);
}

/* ---- by hand ---- */

#define PAGES_AND_OBJECTS                                                                          \
	"host h\n"                                                                                 \
	"trace h/kernel\n"                                                                         \
	"event kmem_mm_page_alloc { u64 pfn; u32 order; }\n"                                       \
	"event kmem_mm_page_free { u64 pfn; u32 order; }\n"                                        \
	"event kmem_kmalloc { u64 ptr; u64 bytes_req; u64 bytes_alloc; }\n"

#define SWITCH(time, cpu, prev, next)                                                              \
	time "us h " cpu " sched_switch prev_comm=\"t\" prev_tid=" prev                            \
	     " prev_prio=20 next_comm=\"t\" next_tid=" next " next_prio=20\n"

static void pages_and_objects(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c,
		PAGES_AND_OBJECTS "event kmem_kfree { u64 ptr; }\n" SWITCH("1", "0", "1",
			"1") "10us h 0 kmem_mm_page_alloc pfn=1 order=0\n"
			     "11us h 0 kmem_mm_page_alloc pfn=2 order=3\n"
			     "12us h 0 kmem_kmalloc ptr=4096 bytes_req=50 bytes_alloc=64\n"
			     "13us h 0 kmem_kmalloc ptr=8192 bytes_req=100 bytes_alloc=128\n"
			     "17us h 0 irq_softirq_entry vec=3\n"
			     "18us h 0 kmem_mm_page_alloc pfn=3 order=1\n"
			     "19us h 0 irq_softirq_exit vec=3\n" SWITCH("20", "0", "1",
				     "2") "21us h 0 kmem_kfree ptr=8192\n"
					  /* from before the recording */
					  "22us h 0 kmem_kfree ptr=12288\n"
					  "23us h 0 kmem_kfree ptr=0\n"
					  "24us h 0 kmem_mm_page_free pfn=2 order=3\n" SWITCH(
						  "25", "0", "2", "0") "30us h 0 kmem_mm_page_free "
								       "pfn=1 order=0\n");
	run_case_run(&c, "mem", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 3);
	size_t one = run_more_row(t, "tid=1"), two = run_more_row(t, "tid=2");
	size_t idle = run_more_row(t, "tid=-");
	assert_int_equal(one, 0); /* the greatest first */
	assert_int_equal(run_case_int(t, one, "allocated_bytes"), 11 * PAGE);
	assert_int_equal(run_case_int(t, one, "allocated_pages"), 11);
	assert_int_equal(run_case_int(t, one, "in_interrupt_bytes"), 2 * PAGE);
	assert_int_equal(run_case_int(t, one, "freed_bytes"), 0);
	assert_int_equal(run_case_int(t, one, "slab_allocated_bytes"), 192);
	assert_int_equal(run_case_int(t, one, "slab_freed_bytes"), 0);
	assert_int_equal(run_case_int(t, one, "gained_bytes"), 11 * PAGE);
	assert_int_equal(run_case_int(t, two, "freed_bytes"), 8 * PAGE);
	assert_int_equal(run_case_int(t, two, "net_bytes"), -8 * PAGE);
	assert_int_equal(run_case_int(t, two, "slab_freed_bytes"), 128);
	assert_int_equal(run_case_int(t, idle, "freed_pages"), 1);
	t = run_case_table(&c, "stats");
	assert_int_equal(run_case_int(t, run_case_find(t, "name", "slab free", 0), "count"), 1);
	assert_int_equal(run_case_int(t, run_case_find(t, "name", "slab free", 0), "unknown"), 1);
	size_t pages = run_case_find(t, "name", "page alloc", 0);
	assert_int_equal(run_case_int(t, pages, "min_bytes"), PAGE);
	assert_int_equal(run_case_int(t, pages, "max_bytes"), 8 * PAGE);
	assert_false(run_case_cell(t, pages, "unknown")->set); /* it is said with each event */
	t = run_case_table(&c, "log");
	assert_false(run_case_cell(t, 6, "bytes")->set);
	assert_string_equal(run_case_text(t, 6, "address"), "0x3000");
	/* The most until 15 us, when the last two pages had not been allocated. */
	struct analysis_options o = all;
	o.begin = run_case_int(t, 0, "begin") + 1000;
	o.end = o.begin + 4000;
	run_case_run(&c, "mem", &o);
	t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(run_case_int(t, 0, "allocated_pages"), 8);
	assert_int_equal(run_case_int(t, 0, "gained_bytes"), 9 * PAGE);
	/* By other keys. */
	o = all;
	o.group_by = "program,name";
	run_case_run(&c, "mem", &o);
	t = run_case_table(&c, "top");
	one = run_case_find(t, "name", "page alloc", 0);
	assert_string_equal(run_case_text(t, one, "comm"), "t");
	assert_int_equal(run_case_int(t, one, "net_bytes"), 11 * PAGE);
	run_case_close(&c);
}

/* What is no size counts as none; an allocation and a free remain what they are. */
static void sizes_that_cannot_be(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, PAGES_AND_OBJECTS
		"1us h 0 kmem_mm_page_alloc pfn=1 order=30\n"
		"2us h 0 kmem_mm_page_alloc pfn=1 order=31\n"
		"3us h 0 kmem_mm_page_free pfn=1 order=31\n"
		"4us h 0 kmem_kmalloc ptr=4096 bytes_req=0 bytes_alloc=0\n"
		"5us h 0 kmem_kmalloc ptr=8192 bytes_req=1 bytes_alloc=9223372036854775807\n");
	run_case_run(&c, "mem", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	size_t page = run_case_find(t, "name", "page alloc", 0);
	assert_true(run_more_is(t, page, "count=2 min_bytes=0 max_bytes=4398046511104"));
	page = run_case_find(t, "name", "page free", 0);
	assert_true(run_more_is(t, page, "count=1 total_bytes=0"));
	size_t slab = run_case_find(t, "name", "slab alloc", 0);
	assert_true(run_more_is(t, slab, "count=2 total_bytes=0"));
	run_case_close(&c);
}

/* The description names threads in a field of its own; here they come onto their CPU before each
 * event. */
static void steps_of_a_description(void **state)
{
	char line[500];
	long time = 0, tid = 0, order = 0, cpu = 0, on[2] = { 9, 9 };
	bool is_alloc = false;
	struct mer_str text = { 0 };
	(void)state;
	FILE *f = run_more_file("cases/xml-traces/kernel/KernelMemoryAnalysis_testTrace.xml");
	mer_str_printf(&text, "host h\ntrace h/kernel\n"
			      "event kmem_mm_page_alloc { u32 order; }\n"
			      "event kmem_mm_page_free { u32 order; }\n");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "<event timestamp=\"%ld\"", &time) == 1)
			is_alloc = strstr(line, "page_alloc") != NULL;
		(void)sscanf(line, "<field name=\"cpu\" value=\"%ld\"", &cpu);
		(void)sscanf(line, "<field name=\"tid\" value=\"proc%ld\"", &tid);
		(void)sscanf(line, "<field name=\"order\" value=\"%ld\"", &order);
		if (!strstr(line, "</event>"))
			continue;
		assert_true(cpu == 0 || cpu == 1);
		mer_str_printf(&text,
			"%ldns h %ld sched_switch prev_comm=\"t\" prev_tid=%ld prev_prio=20 "
			"next_comm=\"t\" next_tid=%ld next_prio=20\n%ldns h %ld kmem_mm_page_%s "
			"order=%ld\n",
			time * US - 1, cpu, on[cpu], tid, time * US, cpu,
			is_alloc ? "alloc" : "free", order);
		on[cpu] = tid;
	}
	fclose(f);
	struct run_case c;
	struct analysis_options o = all;
	run_case_open_scenario(&c, text.data);
	mer_str_fini(&text);
	run_case_run(&c, "mem", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=1"), "net_bytes"), 0);
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=2"), "net_bytes"), -2 * PAGE);
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=3"), "net_bytes"), 5 * PAGE);
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=4"), "net_bytes"), 0);
	/* Each thread over its least: 2 begins with two pages that it frees, 4 with one. */
	static const int64_t held[] = { /* at the end of ticks 0, 1, ... in pages */
		3, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 6, 6, 6, 6, 6, 5, 5, 5, 5, 5, 5,
		4, 5, 6
	};
	enum { N = sizeof(held) / sizeof(held[0]) };
	o.begin = run_case_int(run_case_table(&c, "log"), 0, "begin") - 1 * US;
	o.end = o.begin + N * US;
	o.n_bins = N;
	run_case_run(&c, "mem", &o);
	t = run_case_table(&c, "bins");
	for (size_t i = 0; i < N; i++) {
		assert_false(run_case_cell(t, i, "tid")->set);
		assert_int_equal(run_case_int(t, i, "held_bytes"), held[i] * PAGE);
	}
	run_case_close(&c);
}

/* ---- the same from the events themselves ---- */

enum { MAX_TIDS = 1 << 16, MAX_CPUS = 16, N_POINTS = 50 };

struct page_event {
	int64_t time, bytes;
	int32_t tid;
};

/* Page events, with the thread that was switched to last on their CPU (before: that is switched
 * from first). */
static struct page_event *read_pages(struct mer_experiment *e, size_t *n_events)
{
	static const struct mer_need needs[] = { { "sched_switch", "prev_tid next_tid" },
		{ "mm_page_alloc", "order" }, { "kmem_mm_page_alloc", "order" },
		{ "mm_page_free", "order" }, { "kmem_mm_page_free", "order" } };
	struct mer_read_options o = { .needs = needs, .n_needs = 5 };
	struct page_event *all_events = NULL;
	int32_t on[MAX_CPUS];
	size_t n = 0, cap = 0, first[MAX_CPUS] = { 0 };
	memset(on, 0xff, sizeof(on));
	for (int pass = 0; pass < 2; pass++) { /* the first one finds who runs first */
		struct mer_cursor *cursor;
		struct mer_err err = { 0 };
		const struct mer_event *ev;
		size_t k;
		assert_int_equal(mer_cursor_open(e, &o, &cursor, &err), 0);
		while (mer_cursor_next(cursor, &ev, &k, &err) == 0 && k > 0)
			for (size_t i = 0; i < k; i++) {
				int32_t cpu = e->streams[ev[i].stream].cpu;
				int need = mer_event_need(&ev[i]);
				assert_true(cpu >= 0 && cpu < MAX_CPUS);
				if (need == 0 && pass == 0) {
					if (first[cpu]++ == 0)
						on[cpu] = (int32_t)ev[i].slots[0];
				} else if (need == 0) {
					on[cpu] = (int32_t)ev[i].slots[1];
				} else if (pass == 1) {
					int64_t bytes = (int64_t)PAGE << ev[i].slots[0];
					struct page_event *p =
						mer_grow_at(&all_events, &cap, n++, sizeof(*p));
					assert_non_null(p);
					*p = (struct page_event){ ev[i].ts,
						need < 3 ? bytes : -bytes, on[cpu] };
				}
			}
		mer_cursor_free(cursor);
	}
	*n_events = n;
	return all_events;
}

/* Bytes over each thread's least, just before a time. */
static int64_t held_before(const struct page_event *events, size_t n, int64_t time)
{
	static int64_t level[MAX_TIDS], lowest[MAX_TIDS];
	int64_t held = 0;
	memset(level, 0, sizeof(level));
	memset(lowest, 0, sizeof(lowest));
	for (size_t i = 0; i < n; i++) {
		size_t tid = (size_t)events[i].tid % MAX_TIDS;
		level[tid] += events[i].bytes;
		if (level[tid] < lowest[tid])
			lowest[tid] = level[tid];
		if (events[i].time < time)
			held += events[i].bytes;
	}
	for (size_t i = 0; i < MAX_TIDS; i++)
		held -= lowest[i];
	return held;
}

static void fifty_points(const char *name, bool only_a_part)
{
	struct run_case c;
	struct analysis_options o = all;
	size_t n;
	run_case_open_recording(&c, name);
	struct page_event *events = read_pages(c.e, &n);
	assert_true(n > 100);
	o.n_bins = N_POINTS;
	if (only_a_part) {
		o.begin = events[n / 3].time;
		o.end = events[n / 2].time;
	}
	run_case_run(&c, "mem", &o);
	const struct mer_table *t = run_case_table(&c, "bins");
	for (size_t i = 0; i < N_POINTS; i++) {
		int64_t should = held_before(events, n, run_case_int(t, i, "end"));
		if (run_case_int(t, i, "held_bytes") != should)
			fail_msg("%s: point %zu: %" PRId64 ", not %" PRId64, name, i,
				run_case_int(t, i, "held_bytes"), should);
	}
	free(events);
	run_case_close(&c);
}

static void held_over_time(void **state)
{
	(void)state;
	fifty_points("public/bug446190", false);
	fifty_points("public/bug446190", true);
}

/* ---- a recording whose program says what it touched ---- */

/* memhog maps and touches 6144 pages and unmaps them, three times (its log: CLOCK_MONOTONIC of
 * these lines). */
static void pages_of_a_program(void **state)
{
	enum { PAGES = 6144, ROUNDS = 3, BESIDES = PAGES / 100 };
	static const struct {
		int64_t alloc, touched, freed;
	} rounds[ROUNDS] = { { 21324321629, 21473213483, 21707661227 },
		{ 21908951642, 22034892036, 22259782759 },
		{ 22460666238, 22568700740, 22799366736 } };
	struct run_case c;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	int64_t base = 0;
	for (uint32_t p = 0; p < c.e->n_parts; p++)
		if (strcmp(c.e->hosts[c.e->traces[c.e->parts[p].trace].host].name, "worker") == 0)
			base = c.e->parts[p].clocks[0].base_ns;
	assert_int_not_equal(base, 0);
	run_case_run(&c, "mem", NULL);
	const struct mer_table *log = run_case_table(&c, "log");
	for (int r = 0; r < ROUNDS; r++) {
		int64_t allocated = 0, freed = 0;
		for (size_t i = 0; i < log->n_rows; i++) {
			int64_t at = run_case_int(log, i, "begin") - base;
			const struct mer_cell *tid = run_case_cell(log, i, "tid");
			const char *what = run_case_text(log, i, "name");
			if (!tid->set || tid->v.i != 252)
				continue;
			if (at > rounds[r].alloc && at < rounds[r].touched) {
				allocated += strcmp(what, "page alloc") == 0
						     ? run_case_int(log, i, "bytes") / PAGE
						     : 0;
			}
			if (at > rounds[r].touched && at < rounds[r].freed)
				freed += strcmp(what, "page free") == 0
						 ? -run_case_int(log, i, "bytes") / PAGE
						 : 0;
		}
		/* Besides them page tables (one for each 512 pages), and
		 * what printing needs. */
		if (allocated < PAGES || allocated > PAGES + BESIDES || freed < PAGES ||
			freed > PAGES + BESIDES)
			fail_msg("round %d: %" PRId64 " pages, %" PRId64 " freed", r, allocated,
				freed);
	}
	const struct mer_table *top = run_case_table(&c, "top");
	size_t hog = run_more_row(top, "tid=252 comm=memhog");
	assert_int_equal(hog, 0);
	int64_t pages = run_case_int(top, hog, "allocated_pages");
	assert_true(pages >= ROUNDS * PAGES && pages < ROUNDS * PAGES + 200);
	int64_t gained = run_case_int(top, hog, "gained_bytes") / PAGE;
	assert_true(gained >= PAGES && gained < PAGES + 200);
	run_case_close(&c);
}

/* ---- all tables say the same ---- */

static const char *const sums[] = { "allocated_bytes", "freed_bytes", "net_bytes",
	"allocated_pages", "freed_pages", "in_interrupt_bytes", "slab_allocated_bytes",
	"slab_freed_bytes", "slab_net_bytes" };

static int64_t sum_of_log(const struct mer_table *log, const char *what)
{
	int64_t bytes = run_case_sum(log, "bytes", "name", what);
	return bytes < 0 ? -bytes : bytes;
}

static void tables_agree(void **state)
{
	static const char *const names[] = { "lab/cpu-mem-io", "public/bug446190" };
	(void)state;
	for (size_t r = 0; r < sizeof(names) / sizeof(names[0]); r++) {
		struct run_case c;
		run_case_open_recording(&c, names[r]);
		run_case_run(&c, "mem", NULL);
		const struct mer_table *top = run_case_table(&c, "top");
		const struct mer_table *cpus = run_case_table(&c, "cpus");
		const struct mer_table *stats = run_case_table(&c, "stats");
		const struct mer_table *log = run_case_table(&c, "log");
		for (size_t k = 0; k < sizeof(sums) / sizeof(sums[0]); k++)
			assert_int_equal(run_case_sum(top, sums[k], NULL, NULL),
				run_case_sum(cpus, sums[k], NULL, NULL));
		for (size_t i = 0; i < stats->n_rows; i++)
			assert_int_equal(sum_of_log(log, run_case_text(stats, i, "name")),
				run_case_sum(stats, "total_bytes", "name",
					run_case_text(stats, i, "name")));
		assert_int_equal(run_case_sum(stats, "count", NULL, NULL) +
					 run_case_sum(stats, "unknown", NULL, NULL),
			(int64_t)log->n_rows);
		assert_int_equal(run_case_sum(top, "allocated_bytes", NULL, NULL),
			sum_of_log(log, "page alloc"));
		assert_int_equal(
			run_case_sum(top, "freed_bytes", NULL, NULL), sum_of_log(log, "page free"));
		int64_t allocated = sum_of_log(log, "page alloc");
		int64_t freed = sum_of_log(log, "page free");
		static const uint64_t n_bins[] = { 1, 13, 500 };
		static const char *const scopes[] = { "host", "thread" };
		for (size_t i = 0; i < sizeof(n_bins) / sizeof(n_bins[0]); i++) {
			struct analysis_options o = all;
			o.n_bins = n_bins[i];
			run_case_run(&c, "mem", &o);
			const struct mer_table *bins = run_case_table(&c, "bins");
			for (int k = 0; k < 2; k++)
				assert_int_equal(
					run_case_sum(bins, "allocated_bytes", "of", scopes[k]),
					allocated);
			for (int k = 0; k < 2; k++)
				assert_int_equal(
					run_case_sum(bins, "freed_bytes", "of", scopes[k]), freed);
		}
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_found),
		cmocka_unit_test(objects_are_bounded),
		cmocka_unit_test(pages_and_objects),
		cmocka_unit_test(sizes_that_cannot_be),
		cmocka_unit_test(steps_of_a_description),
		cmocka_unit_test(held_over_time),
		cmocka_unit_test(pages_of_a_program),
		cmocka_unit_test(tables_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
