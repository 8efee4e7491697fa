/* Facts in a file: all members come back, in their order, whatever their widths and what stands
 * for "not known"; a window has what lies in it; members that are not needed are 0; damage is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/facts.h"

struct thing {
	struct fact f;
	int64_t raised; /* FACT_UNKNOWN: not known */
	uint64_t address;
	uint32_t name;
	int32_t result;
	uint16_t port;
	int8_t small;
	uint8_t flags;
	uint32_t other;
};

static const struct fact_field fields[] = {
	{ "raised", NULL, MER_TIME, FACT_NUMBER, FACT_MEMBER(struct thing, raised),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "address", NULL, MER_TEXT, FACT_ADDRESS, FACT_MEMBER(struct thing, address) },
	{ "name", NULL, MER_TEXT, FACT_NAME, FACT_MEMBER(struct thing, name),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "result", NULL, MER_TEXT, FACT_RESULT, FACT_MEMBER(struct thing, result) },
	{ "port", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct thing, port) },
	{ "choice", NULL, MER_TEXT, FACT_NUMBER, FACT_MEMBER(struct thing, f.choice) },
	{ "small", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct thing, small),
		FACT_NONE_IS(-1) },
	{ "flags", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct thing, flags) },
	{ "other", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct thing, other),
		FACT_NONE_IS(KERNEL_NONE) },
	{ 0 },
};

static const struct fact_kind kind = { .id = "thing",
	.title = "Things",
	.rule = FACT_BEGINS,
	.size = sizeof(struct thing),
	.fields = fields };

static const uint8_t key[STORE_KEY_BYTES] = "facts";
enum { N = 10000, TASKS = 50, NAMES = 30 };

struct given {
	char path[64];
	struct thing *things;
	size_t n;
	struct kernel_host h; /* only how many tasks and names there are */
	struct store_file file;
	struct thing *back;
	size_t n_back;
};

static uint64_t any(void)
{
	static uint64_t seed = 1;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static void make(struct thing *x, int64_t *now, bool is_open)
{
	*now += (int64_t)(any() % 1000);
	int64_t begin = *now - (int64_t)(any() % 5000);
	memset(x, 0,
		sizeof(*x)); /* what lies between the members too: they are compared as bytes */
	x->f = (struct fact){ begin, is_open ? FACT_UNKNOWN : *now,
		any() % 9 ? (uint32_t)(any() % TASKS) : KERNEL_NONE,
		any() % 9 ? (uint16_t)(any() % 8) : KERNEL_NO_CPU, (uint16_t)(any() % 3) };
	x->raised = any() % 2 ? begin - (int64_t)(any() % 100) : FACT_UNKNOWN;
	x->address = any();
	x->name = any() % 4 ? (uint32_t)(any() % NAMES) : KERNEL_NONE;
	x->result = (int32_t)(any() % 200) - 100;
	x->port = (uint16_t)any();
	x->small = (int8_t)(any() % 5 - 2);
	x->flags = (uint8_t)any();
	x->other = (uint32_t)(any() % TASKS);
}

static int keep(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct given *g = ctx;
	(void)h;
	(void)err;
	assert_true(g->n_back + n <= g->n);
	memcpy(g->back + g->n_back, facts, n * sizeof(*g->back));
	g->n_back += n;
	return 0;
}

static int setup(void **state)
{
	struct given *g = calloc(1, sizeof(*g));
	struct store_writer w;
	struct mer_err err;
	assert_non_null(g);
	*state = g;
	snprintf(g->path, sizeof(g->path), "/tmp/meridian-facts-XXXXXX");
	int fd = mkstemp(g->path);
	assert_true(fd >= 0);
	close(fd);
	g->n = N;
	g->things = malloc(N * sizeof(*g->things));
	g->back = malloc(N * sizeof(*g->back));
	assert_true(g->things && g->back);
	int64_t now = 1700000000000000000;
	for (size_t i = 0; i < N; i++)
		make(&g->things[i], &now, i > N - 500 && any() % 9 == 0);
	for (size_t i = 0; i < N; i++) /* the last task comes late */
		if (g->things[i].f.task == TASKS - 1 && i < N - 5)
			g->things[i].f.task = 0;
	g->things[N - 1].f.task = TASKS - 1;
	g->h.n_tasks = TASKS;
	g->h.names.n = NAMES;
	assert_int_equal(store_writer_begin(&w, g->path, key, &err), 0);
	static unsigned round; /* every other time another thread packs them */
	struct mer_ahead *packer = round++ % 2 ? mer_ahead_start() : NULL;
	struct store_facts *f = store_facts_new(&w, 3, 7, &kind, packer);
	assert_non_null(f);
	for (size_t i = 0; i < N;) { /* as they come */
		size_t n = any() % 300;
		n = n < N - i ? n : N - i;
		assert_int_equal(store_facts_take(f, &g->h, g->things + i, n, &err), 0);
		i += n;
	}
	store_facts_end(f);
	mer_ahead_stop(packer);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&g->file, g->path, key, &err), 0);
	return 0;
}

static int teardown(void **state)
{
	struct given *g = *state;
	store_file_close(&g->file);
	unlink(g->path);
	free(g->things);
	free(g->back);
	free(g);
	return 0;
}

static int read_window(struct given *g, uint64_t needs, int64_t begin, int64_t end)
{
	struct mer_err err;
	g->n_back = 0;
	return store_facts_read(&g->file, 3, 7, &kind, &g->h, needs,
		&(struct fact_range){ begin, end, NULL }, keep, g, &err);
}

static void test_all(void **state)
{
	struct given *g = *state;
	assert_int_equal(read_window(g, STORE_NEEDS_ALL, INT64_MIN, INT64_MAX), 0);
	assert_int_equal(g->n_back, N);
	assert_memory_equal(g->back, g->things, N * sizeof(*g->things));
	assert_int_equal(store_facts_read(&g->file, 2, 7, &kind, &g->h, STORE_NEEDS_ALL,
				 &(struct fact_range){ INT64_MIN, INT64_MAX, NULL }, keep, g, NULL),
		MER_ERR_INPUT);
}

static void test_window(void **state)
{
	struct given *g = *state;
	for (int round = 0; round < 50; round++) {
		int64_t begin = g->things[any() % N].f.begin,
			end = begin + (int64_t)(any() % 100000);
		assert_int_equal(read_window(g, STORE_NEEDS_ALL, begin, end), 0);
		size_t k = 0;
		for (size_t i = 0; i < N; i++) {
			const struct thing *x = &g->things[i];
			if (x->f.begin > end || (x->f.end != FACT_UNKNOWN && x->f.end < begin))
				continue;
			while (k < g->n_back && memcmp(&g->back[k], x, sizeof(*x)) != 0)
				k++;
			assert_true(k++ < g->n_back);
		}
		assert_true(g->n_back < N); /* not all blocks */
	}
}

/* All facts about a task, and not all others. */
static void test_tasks(void **state)
{
	struct given *g = *state;
	struct mer_err err;
	bool tasks[TASKS] = { false };
	static const uint32_t wanted[] = { TASKS - 1, 3 };
	for (size_t t = 0; t < sizeof(wanted) / sizeof(*wanted); t++) {
		size_t n = 0, n_back = 0;
		tasks[wanted[t]] = true;
		g->n_back = 0;
		assert_int_equal(
			store_facts_read(&g->file, 3, 7, &kind, &g->h, STORE_NEEDS_ALL,
				&(struct fact_range){ INT64_MIN, INT64_MAX, tasks }, keep, g, &err),
			0);
		for (size_t i = 0; i < N; i++)
			n += g->things[i].f.task != KERNEL_NONE && tasks[g->things[i].f.task];
		for (size_t i = 0; i < g->n_back; i++)
			n_back += g->back[i].f.task != KERNEL_NONE && tasks[g->back[i].f.task];
		assert_true(n > 0);
		assert_int_equal(n_back, n);
		assert_true(t > 0 || g->n_back < N);
	}
	/* Of nobody there is something all the same: that there are facts at all. */
	memset(tasks, 0, sizeof(tasks));
	g->n_back = 0;
	assert_int_equal(
		store_facts_read(&g->file, 3, 7, &kind, &g->h, STORE_NEEDS_ALL,
			&(struct fact_range){ INT64_MIN, INT64_MAX, tasks }, keep, g, &err),
		0);
	assert_in_range(g->n_back, 1, STORE_FACTS);
}

static void test_needs(void **state)
{
	struct given *g = *state;
	assert_int_equal(read_window(g, STORE_NEEDS_CPU | 1u << 3, INT64_MIN, INT64_MAX), 0);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(g->back[i].f.begin, g->things[i].f.begin);
		assert_int_equal(g->back[i].f.end, g->things[i].f.end);
		assert_int_equal(g->back[i].f.cpu, g->things[i].f.cpu);
		assert_int_equal(g->back[i].result, g->things[i].result);
		assert_int_equal(g->back[i].f.task, 0);
		assert_int_equal(g->back[i].address, 0);
	}
}

/* A task that is not there. */
static void test_numbers(void **state)
{
	struct given *g = *state;
	g->h.n_tasks = TASKS - 1;
	assert_int_equal(read_window(g, STORE_NEEDS_ALL, INT64_MIN, INT64_MAX), MER_ERR_INPUT);
	g->h.n_tasks = TASKS;
}

static void test_damage(void **state)
{
	struct given *g = *state;
	struct mer_err err;
	uint8_t *bytes = malloc(g->file.file.size);
	assert_non_null(bytes);
	size_t size = g->file.file.size, n_noticed = 0;
	memcpy(bytes, g->file.file.data, size);
	for (int round = 0; round < 200; round++) {
		char path[] = "/tmp/meridian-facts-XXXXXX";
		size_t at = any() % size;
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		bytes[at] ^= 16;
		assert_int_equal(write(fd, bytes, size), (ssize_t)size);
		close(fd);
		bytes[at] ^= 16;
		struct given damaged = *g;
		int rc = store_file_open(&damaged.file, path, key, &err);
		if (rc == 0)
			rc = read_window(&damaged, STORE_NEEDS_ALL, INT64_MIN, INT64_MAX);
		n_noticed += rc == MER_ERR_INPUT;
		store_file_close(&damaged.file);
		unlink(path);
	}
	assert_in_range(n_noticed, 190, 200);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
