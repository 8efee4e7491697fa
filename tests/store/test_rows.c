/* Rows in blocks: bridges and requests with any values come back, each block when one of its rows
 * is first looked at; those that cannot be are absent, and do no harm. */
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
#include "store/rows.h"
#include "store/types.h"

enum { N = 2 * STORE_ROWS + 100, N_SPANS = 5000, N_TASKS = 50, N_HOSTS = 70 };

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";

static uint64_t seed = 1;

static uint64_t any(void)
{
	return random_next(&seed);
}

struct saved {
	char path[64];
	struct store_file file;
	struct store_rows rows;
};

static int save_and_open(struct saved *s, const struct store_row_kind *kind, const void *rows,
	uint32_t n, uint32_t n_asked, const void *ctx)
{
	struct store_writer w;
	struct mer_err err = { 0 };
	snprintf(s->path, sizeof(s->path), "/tmp/meridian-rows-XXXXXX");
	int fd = mkstemp(s->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, s->path, key, &err), 0);
	store_rows_put(&w, STORE_BRIDGES, 4, kind, rows, n);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&s->file, s->path, key, &err), 0);
	int rc = store_rows_open(
		&s->rows, &s->file, STORE_BRIDGES, 4, kind, ctx, n_asked, NULL, &err);
	if (rc)
		assert_string_equal(err.text, "tables that cannot be");
	return rc;
}

static void forget(struct saved *s)
{
	store_rows_close(&s->rows);
	store_file_close(&s->file);
	unlink(s->path);
}

/* Loads every row, the last one first; the same as these, one block at a time. */
static void come_back(struct saved *s, const void *rows, uint32_t n)
{
	size_t size = s->rows.kind->size;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t block = i / STORE_ROWS, first = UINT32_MAX, count = 0;
		bool is_new = i == n - 1 || i % STORE_ROWS == STORE_ROWS - 1;
		assert_true(store_rows_load(&s->rows, i, &first, &count));
		assert_int_equal(first, is_new ? block * STORE_ROWS : UINT32_MAX);
		if (is_new)
			assert_int_equal(
				count, block == (n - 1) / STORE_ROWS ? n - first : STORE_ROWS);
		assert_memory_equal(
			(const char *)s->rows.rows + i * size, (const char *)rows + i * size, size);
	}
	uint32_t first, count;
	assert_true(store_rows_load(&s->rows, n, &first, &count)); /* there is none */
}

/* ---- bridges ---- */

struct given {
	struct kernel_host hosts[N_HOSTS];
	struct kernel_world w;
	struct kernel_bridge *b;
};

static uint32_t a_span(void)
{
	return any() % 4 ? (uint32_t)(any() % N_SPANS) : KERNEL_NONE;
}

static void make_end(struct kernel_bridge_end *e, int64_t time)
{
	*e = (struct kernel_bridge_end){ .time = time,
		.host = (uint32_t)(any() % N_HOSTS),
		.span = a_span(),
		.stream = any() % 5 ? (uint32_t)(any() % 100) : SYNC_NO_STREAM,
		.endpoint = (uint32_t)any() };
}

static void make_bridges(struct given *g)
{
	*g = (struct given){ .b = calloc(N, sizeof(*g->b)) };
	assert_non_null(g->b);
	g->w = (struct kernel_world){ .hosts = g->hosts, .n_hosts = N_HOSTS, .n_bridges = N };
	for (uint32_t i = 0; i < N_HOSTS; i++)
		g->hosts[i].n_spans = N_SPANS;
	int64_t time = -1000;
	for (uint32_t i = 0; i < N; i++) {
		struct kernel_bridge *b = &g->b[i];
		make_end(&b->from, time += (int64_t)(any() % 1000));
		make_end(&b->to, time + (int64_t)(any() % 3 * 500));
		b->answers = any() % 2 ? (uint32_t)(any() % N) : KERNEL_NONE;
		b->kind = (uint8_t)(any() % SYNC_N_KINDS);
		b->content = (uint8_t)(any() % (SYNC_DATA + 1));
		b->was_held = any() % 2;
	}
}

static void bridges(void **state)
{
	static const uint32_t sizes[] = { 0, 1, STORE_ROWS - 1, STORE_ROWS, STORE_ROWS + 1, N };
	struct given g;
	(void)state;
	make_bridges(&g);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct saved s;
		assert_int_equal(
			save_and_open(&s, &store_bridge_rows, g.b, sizes[i], sizes[i], &g.w), 0);
		come_back(&s, g.b, sizes[i]);
		forget(&s);
	}
	free(g.b);
}

static void another_number(void **state)
{
	static const uint32_t numbers[] = { 0, STORE_ROWS, N + STORE_ROWS };
	struct given g;
	(void)state;
	make_bridges(&g);
	for (size_t i = 0; i < 3; i++) {
		struct saved s;
		assert_int_equal(save_and_open(&s, &store_bridge_rows, g.b, N, numbers[i], &g.w),
			MER_ERR_INPUT);
		forget(&s);
	}
	free(g.b);
}

/* Of the second block one row cannot be: that block is absent, others are there. */
static void is_absent(const struct given *g, bool fits)
{
	struct saved s;
	uint32_t first, n;
	assert_int_equal(save_and_open(&s, &store_bridge_rows, g->b, N, N, &g->w), 0);
	assert_int_equal(store_rows_load(&s.rows, 700, &first, &n), fits);
	assert_int_equal(first, STORE_ROWS);
	assert_int_equal(n, STORE_ROWS);
	assert_true(store_rows_load(&s.rows, 701, &first, &n)); /* said once */
	const struct kernel_bridge *got = s.rows.rows;
	for (uint32_t i = STORE_ROWS; i < 2 * STORE_ROWS; i++)
		if (fits) {
			assert_memory_equal(&got[i], &g->b[i], sizeof(got[i]));
		} else {
			assert_true(got[i].from.span == KERNEL_NONE);
			assert_true(got[i].to.span == KERNEL_NONE);
			assert_true(got[i].answers == KERNEL_NONE);
			assert_true(got[i].from.stream == SYNC_NO_STREAM);
			assert_true(got[i].to.stream == SYNC_NO_STREAM);
			assert_true(got[i].from.time == 0 && got[i].to.time == 0);
			assert_true(got[i].from.host == 0 && got[i].kind == 0);
		}
	assert_true(store_rows_load(&s.rows, 0, &first, &n));
	assert_true(store_rows_load(&s.rows, N - 1, &first, &n));
	assert_memory_equal(&got[0], &g->b[0], STORE_ROWS * sizeof(got[0]));
	forget(&s);
}

static void bridges_that_cannot_be(void **state)
{
	struct given g;
	(void)state;
	make_bridges(&g);
	struct kernel_bridge *b = &g.b[800], good = *b;
	is_absent(&g, true);
#define WITH(member_, fits_, cannot_)                                                              \
	b->member_ = (fits_);                                                                      \
	is_absent(&g, true);                                                                       \
	b->member_ = (cannot_);                                                                    \
	is_absent(&g, false);                                                                      \
	*b = good
	WITH(from.host, N_HOSTS - 1, N_HOSTS);
	WITH(to.host, N_HOSTS - 1, N_HOSTS);
	WITH(from.span, N_SPANS - 1, N_SPANS);
	WITH(to.span, N_SPANS - 1, N_SPANS);
	WITH(to.time, b->from.time, b->from.time - 1);
	WITH(answers, N - 1, N);
	WITH(kind, SYNC_N_KINDS - 1, SYNC_N_KINDS);
	WITH(content, SYNC_DATA, SYNC_DATA + 1);
#undef WITH
	free(g.b);
}

/* ---- requests ---- */

static int64_t a_time(int64_t begin)
{
	return any() % 4 ? begin + (int64_t)(any() % 2000) - 500 : INT64_MIN;
}

static struct kernel_request *make_requests(void)
{
	struct kernel_request *r = calloc(N, sizeof(*r));
	assert_non_null(r);
	int64_t time = -1000;
	for (uint32_t i = 0; i < N; i++) {
		time += (int64_t)(any() % 1000);
		r[i].insert = a_time(time);
		r[i].issue = a_time(time + 100);
		r[i].complete = a_time(time + 1000);
		r[i].sector = any() >> any() % 64;
		r[i].dev = (uint32_t)(any() % 3 << 20);
		r[i].bytes = (uint32_t)any();
		r[i].by = a_span();
		r[i].task = any() % 4 ? (uint32_t)(any() % N_TASKS) : KERNEL_NONE;
		r[i].cpu = any() % 4 ? (uint16_t)(any() % 8) : KERNEL_NO_CPU;
		r[i].flags = (uint8_t)any();
		r[i].error = (int16_t)(any() % 3 ? 0 : -5);
	}
	return r;
}

static void requests(void **state)
{
	const struct kernel_host h = { .n_spans = N_SPANS, .n_tasks = N_TASKS };
	struct kernel_request *r = make_requests();
	struct saved s;
	(void)state;
	assert_int_equal(save_and_open(&s, &store_request_rows, r, N, N, &h), 0);
	come_back(&s, r, N);
	forget(&s);
	free(r);
}

static void requests_that_cannot_be(void **state)
{
	const struct kernel_host h = { .n_spans = N_SPANS, .n_tasks = N_TASKS };
	struct kernel_request *r = make_requests(), good = r[3];
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct saved s;
		uint32_t first, n;
		bool fits = i < 2;
		r[3] = good;
		if (i % 2)
			r[3].by = fits ? N_SPANS - 1 : N_SPANS;
		else
			r[3].task = fits ? N_TASKS - 1 : N_TASKS;
		assert_int_equal(save_and_open(&s, &store_request_rows, r, N, N, &h), 0);
		assert_int_equal(store_rows_load(&s.rows, 5, &first, &n), fits);
		assert_true(store_rows_load(&s.rows, N - 1, &first, &n));
		const struct kernel_request *got = s.rows.rows;
		for (uint32_t k = 0; k < STORE_ROWS && !fits; k++) {
			assert_true(got[k].insert == INT64_MIN && got[k].issue == INT64_MIN &&
				    got[k].complete == INT64_MIN);
			assert_true(got[k].by == KERNEL_NONE && got[k].task == KERNEL_NONE &&
				    got[k].cpu == KERNEL_NO_CPU);
			assert_true(got[k].bytes == 0 && got[k].flags == 0);
		}
		forget(&s);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bridges),
		cmocka_unit_test(another_number),
		cmocka_unit_test(bridges_that_cannot_be),
		cmocka_unit_test(requests),
		cmocka_unit_test(requests_that_cannot_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
