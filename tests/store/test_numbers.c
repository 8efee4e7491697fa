/* Arrays of numbers in blocks: all of them or a part come back, across the borders of blocks; what
 * is not there, damaged, or not so many is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/numbers.h"

enum { TYPE = 17, HOST = 3, MOST = 3 * STORE_PACK_MAX };

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";

static uint64_t value(const void *ctx, size_t i)
{
	return *(const uint64_t *)ctx + i * i;
}

struct got {
	uint64_t first; /* what the 0th is */
	size_t from, n;
};

static void take(void *ctx, size_t first, const uint64_t *v, size_t count)
{
	struct got *g = ctx;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(first + i, g->from + g->n++); /* one after the other */
		assert_int_equal(v[i], value(&g->first, first + i));
	}
}

struct saved {
	char path[64];
	struct store_file file;
};

static void save(struct saved *s, size_t n)
{
	struct store_writer w;
	struct mer_err err = { 0 };
	uint64_t first = 1000, other = 7;
	snprintf(s->path, sizeof(s->path), "/tmp/meridian-numbers-XXXXXX");
	int fd = mkstemp(s->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, s->path, key, &err), 0);
	store_put_numbers(&w, TYPE, HOST, 1, STORE_DELTA, value, &first, n);
	store_put_numbers(&w, TYPE, HOST, 2, STORE_PLAIN, value, &other, n);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&s->file, s->path, key, &err), 0);
}

static void forget(struct saved *s)
{
	store_file_close(&s->file);
	unlink(s->path);
}

static bool get(const struct saved *s, uint32_t number, size_t n)
{
	struct got g = { .first = number == 1 ? 1000 : 7 };
	bool ok = store_get_numbers(&s->file, TYPE, HOST, number, take, &g, n);
	if (ok)
		assert_int_equal(g.n, n);
	return ok;
}

static bool get_some(const struct saved *s, size_t n, size_t from, size_t count)
{
	struct got g = { .first = 1000, .from = from };
	bool ok = store_get_some_numbers(&s->file, TYPE, HOST, 1, take, &g, n, from, count);
	assert_int_equal(g.n, ok ? count : 0);
	return ok;
}

static void all(void **state)
{
	static const size_t sizes[] = { 0, 1, 63, STORE_PACK_MAX - 1, STORE_PACK_MAX,
		STORE_PACK_MAX + 1, 2 * STORE_PACK_MAX, MOST };
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct saved s;
		struct got g = { .first = 1000 };
		size_t n = sizes[i];
		save(&s, n);
		assert_true(get(&s, 1, n));
		assert_true(get(&s, 2, n));
		assert_false(get(&s, 3, n));
		assert_false(store_get_numbers(&s.file, TYPE, HOST + 1, 1, take, &g, n));
		assert_false(store_get_numbers(&s.file, TYPE + 1, HOST, 1, take, &g, n));
		assert_false(get(&s, 1, n + STORE_PACK_MAX));
		if (n > STORE_PACK_MAX)
			assert_false(get(&s, 1, n - STORE_PACK_MAX));
		forget(&s);
	}
}

static void some(void **state)
{
	static const size_t places[] = { 0, 1, 100, STORE_PACK_MAX - 1, STORE_PACK_MAX,
		STORE_PACK_MAX + 1, 2 * STORE_PACK_MAX - 1, 2 * STORE_PACK_MAX, MOST - 1, MOST };
	enum { N = sizeof(places) / sizeof(places[0]) };
	struct saved s;
	(void)state;
	save(&s, MOST);
	for (size_t from = 0; from < N; from++)
		for (size_t to = from; to < N; to++)
			assert_true(get_some(&s, MOST, places[from], places[to] - places[from]));
	assert_false(get_some(&s, MOST, 0, MOST + 1));
	assert_false(get_some(&s, MOST, MOST, 1));
	assert_false(get_some(&s, MOST, MOST + 1, 0));
	assert_false(get_some(&s, MOST, 1, SIZE_MAX));
	forget(&s);
}

/* One block is damaged: parts without it are as they were. */
static void damaged(void **state)
{
	struct saved s;
	struct mer_err err = { 0 };
	uint64_t n = 0;
	(void)state;
	save(&s, MOST);
	const struct store_block *blocks = store_find(&s.file, TYPE, HOST, 1, sizeof(*blocks), &n);
	assert_true(blocks && n == 3);
	long at = (long)blocks[1].at + 5;
	store_file_close(&s.file);
	FILE *f = fopen(s.path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	int c = fgetc(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	fputc(c ^ 1, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(store_file_open(&s.file, s.path, key, &err), 0);
	assert_true(get_some(&s, MOST, 0, STORE_PACK_MAX));
	assert_true(get_some(&s, MOST, 2 * STORE_PACK_MAX, STORE_PACK_MAX));
	assert_false(get_some(&s, MOST, STORE_PACK_MAX, 1));
	assert_false(get(&s, 1, MOST));
	assert_true(get(&s, 2, MOST));
	forget(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all),
		cmocka_unit_test(some),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
