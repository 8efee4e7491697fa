/* Blocks that leave memory: they hold what was written wherever they lie, and a file that cannot be
 * had is no failure. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/pool.h"
#include "base/spill.h"

enum { LIMIT = 1 << 20, BLOCK = 300000, PAGE = 4096 };

struct place {
	char folder[64], inner[80];
};

static void make_place(struct place *p)
{
	snprintf(p->folder, sizeof(p->folder), "spill-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->inner, sizeof(p->inner), "%s/cache", p->folder);
}

static void remove_place(const struct place *p)
{
	rmdir(p->inner); /* the file has no name, so they are empty */
	assert_int_equal(rmdir(p->folder), 0);
}

static struct mer_spill *new_spill(size_t in_memory, const char *first, const char *second)
{
	const char *folders[] = { first, second };
	struct mer_spill_options o = { .in_memory = in_memory,
		.folders = folders,
		.n_folders = (size_t)(first != NULL) + (second != NULL) };
	struct mer_spill *s = mer_spill_new(&o);
	assert_non_null(s);
	return s;
}

/* In the file; where the build lies in memory there is none. */
static void check_in_file(struct mer_spill *s, const void *block)
{
	const char *problem = mer_spill_problem(s);
	if (problem && strstr(problem, "tmpfs"))
		skip();
	assert_null(problem);
	assert_true(mer_spill_is_file(block));
}

static void beyond_the_limit(void **state)
{
	struct place p;
	unsigned char *blocks[8];
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(LIMIT, p.inner, NULL);
	for (int i = 0; i < 8; i++) {
		blocks[i] = mer_spill_alloc(s, BLOCK);
		assert_non_null(blocks[i]);
		for (int k = 0; k < BLOCK; k += 1000)
			assert_int_equal(blocks[i][k], 0);
		memset(blocks[i], i + 1, BLOCK);
	}
	for (int i = 0; i < 3; i++)
		assert_false(mer_spill_is_file(blocks[i]));
	check_in_file(s, blocks[3]);
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < BLOCK; k++)
			assert_int_equal(blocks[i][k], i + 1);
	struct mer_spill_use use = mer_spill_use(s);
	assert_true(use.in_memory == 3 * BLOCK);
	assert_true(use.in_file >= 5 * BLOCK && use.in_file < 5 * (BLOCK + 3 * PAGE));
	assert_string_equal(use.folder, p.inner);
	mer_spill_release(blocks[0]);
	/* There is room in memory again, and small ones are always there. */
	blocks[0] = mer_spill_alloc(s, BLOCK);
	assert_false(mer_spill_is_file(blocks[0]));
	mer_spill_release(blocks[1]);
	blocks[1] = mer_spill_alloc(s, 100);
	assert_false(mer_spill_is_file(blocks[1]));
	for (int i = 0; i < 8; i++)
		mer_spill_release(blocks[i]);
	mer_spill_release(NULL);
	use = mer_spill_use(s);
	assert_true(use.in_memory == 0 && use.in_file == 0);
	assert_true(use.most_in_file >= 5 * BLOCK && use.most_in_file < 5 * (BLOCK + 3 * PAGE));
	assert_true(use.most_beyond == 0);
	mer_spill_free(s);
	remove_place(&p);
}

/* Of every size, at the edges of pages too; a copy into the file is the same as one through the
 * mapping. */
static void of_any_size(void **state)
{
	struct place p;
	char from[3 * PAGE];
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(0, p.inner, NULL);
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + i / 256);
	for (size_t n = 1; n <= 2 * PAGE + 1; n += n % PAGE < 3 || n % PAGE > PAGE - 3 ? 1 : 509) {
		char *block = mer_spill_alloc(s, n + PAGE);
		check_in_file(s, block);
		block[PAGE - 1] = 1;
		mer_spill_copy(block, block + PAGE, from, n);
		assert_memory_equal(block + PAGE, from, n);
		block[PAGE] = 9;
		mer_spill_copy(block, block + 1, from + 1, 2);
		assert_memory_equal(block + 1, from + 1, 2);
		assert_true(block[0] == 0 && block[PAGE - 1] == 1 && block[PAGE] == 9);
		mer_spill_release(block);
	}
	mer_spill_free(s);
	remove_place(&p);
}

/* What was never set is 0, in memory and in the file. */
static void grows_at(void **state)
{
	struct place p;
	size_t cap = 0;
	uint32_t *array = NULL;
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(LIMIT, "/dev/null/no", p.inner);
	for (size_t i = 2; i < LIMIT; i = i * 3 + 1) {
		uint32_t *at = mer_spill_grow_at(s, &array, &cap, i, sizeof(*array));
		assert_non_null(at);
		assert_ptr_equal(at, &array[i]);
		*at = 7;
		assert_ptr_equal(mer_spill_grow_at(s, &array, &cap, 0, sizeof(*array)), array);
	}
	check_in_file(s, array);
	for (size_t i = 0, set = 2; i < cap; i++) {
		assert_int_equal(array[i], i == set ? 7 : 0);
		if (i == set && set * 3 + 1 < LIMIT)
			set = set * 3 + 1;
	}
	/* Far behind the last element: only what was there is copied. */
	size_t far = cap * 64;
	uint32_t *last = mer_spill_grow_at(s, &array, &cap, far, sizeof(*array));
	assert_non_null(last);
	assert_int_equal(*last, 0);
	assert_int_equal(array[2], 7);
	cap = SIZE_MAX / 16;
	assert_null(mer_spill_grow_at(s, &array, &cap, SIZE_MAX / 8, sizeof(*array)));
	mer_spill_release(array);
	mer_spill_free(s);
	remove_place(&p);
}

/* Far beyond what is there: only that is copied. */
static void grows_far(void **state)
{
	enum { FAR = 16 << 20 };
	struct place p;
	size_t cap = 0;
	uint32_t *array = NULL;
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(0, p.inner, NULL);
	*(uint32_t *)mer_spill_grow_at(s, &array, &cap, 0, sizeof(*array)) = 7;
	assert_non_null(mer_spill_grow_at(s, &array, &cap, FAR, sizeof(*array)));
	assert_true(array[0] == 7 && array[1] == 0 && array[FAR] == 0);
	mer_spill_release(array);
	mer_spill_free(s);
	remove_place(&p);
}

/* From memory into the file on its way. */
static void grows(void **state)
{
	struct place p;
	size_t n = 0, cap = 0;
	uint32_t n32 = 0, cap32 = 0;
	uint64_t *array = NULL;
	uint32_t *array32 = NULL;
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(LIMIT, "/dev/null/no", p.inner);
	while (n < LIMIT) {
		assert_true(mer_spill_grow(s, &array, n, &cap, sizeof(*array)));
		assert_true(mer_spill_grow32(s, &array32, n32, &cap32, sizeof(*array32)));
		array[n] = n * 3;
		array32[n32] = n32 ^ 5;
		n++;
		n32++;
	}
	check_in_file(s, array);
	for (size_t i = 0; i < n; i++)
		assert_true(array[i] == i * 3 && array32[i] == (i ^ 5));
	cap32 = UINT32_MAX - 1;
	assert_false(mer_spill_grow32(s, &array32, UINT32_MAX - 1, &cap32, sizeof(*array32)));
	cap = SIZE_MAX / 16;
	assert_false(mer_spill_grow(s, &array, cap, &cap, sizeof(*array)));
	assert_true(array[n - 1] == 3 * (n - 1));
	mer_spill_release(array);
	mer_spill_release(array32);
	mer_spill_free(s);
	remove_place(&p);
}

static void check_fallback(struct mer_spill *s, const char *why)
{
	char *a = mer_spill_alloc(s, 2 * LIMIT), *b = mer_spill_array(s, LIMIT, 3);
	assert_non_null(a);
	assert_non_null(b);
	assert_false(mer_spill_is_file(a));
	assert_false(mer_spill_is_file(b));
	assert_non_null(mer_spill_problem(s));
	if (!strstr(mer_spill_problem(s), why))
		fail_msg("'%s' is not in: %s", why, mer_spill_problem(s));
	struct mer_spill_use use = mer_spill_use(s);
	assert_true(use.most_beyond == 4 * (uint64_t)LIMIT && use.in_file == 0);
	mer_spill_release(a);
	mer_spill_release(b);
	mer_spill_free(s);
}

static void without_a_folder(void **state)
{
	(void)state;
	check_fallback(new_spill(LIMIT, "/dev/null/here", "/proc/no/such"), "in /dev/null/here: ");
	if (access("/dev/shm", W_OK) == 0)
		check_fallback(
			new_spill(LIMIT, "/dev/shm", NULL), "/dev/shm: its files are in memory");
}

/* As a full disk: the file may not become larger. */
static void without_room(void **state)
{
	struct place p;
	struct rlimit before, less;
	(void)state;
	make_place(&p);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	less = before;
	less.rlim_cur = LIMIT / 2;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	struct mer_spill *s = new_spill(LIMIT, p.inner, NULL);
	check_fallback(s, "/cache: ");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	remove_place(&p);
}

static void without_a_spill(void **state)
{
	size_t n = 0, cap = 0;
	int *array = NULL;
	(void)state;
	for (; n < 1000; n++) {
		assert_true(mer_spill_grow(NULL, &array, n, &cap, sizeof(*array)));
		array[n] = (int)n;
	}
	assert_int_equal(array[999], 999);
	assert_false(mer_spill_is_file(array));
	mer_spill_copy(array, array + 1, array, sizeof(*array));
	assert_int_equal(array[1], 0);
	mer_spill_release(array);
	assert_null(mer_spill_problem(NULL));
	/* With a limit, but without any folder: all is in memory, and nobody is told why. */
	struct mer_spill *s = new_spill(LIMIT, NULL, NULL);
	char *block = mer_spill_alloc(s, 2 * LIMIT);
	assert_non_null(block);
	assert_false(mer_spill_is_file(block));
	assert_null(mer_spill_problem(s));
	mer_spill_release(block);
	/* More than there can be is no problem of the file. */
	assert_null(mer_spill_alloc(s, PTRDIFF_MAX));
	assert_null(mer_spill_alloc(s, PTRDIFF_MAX - 4096));
	assert_null(mer_spill_problem(s));
	assert_true(mer_spill_use(s).in_memory == 0);
	mer_spill_free(s);
	assert_null(mer_spill_array(NULL, SIZE_MAX / 2, 16));
	assert_null(mer_spill_array(NULL, SIZE_MAX / 16 + 2, 16)); /* 16 bytes, were it cut off */
	mer_spill_free(NULL);
}

static int use_blocks(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	struct mer_spill *s = ctx;
	(void)worker;
	(void)err;
	for (size_t k = 0; k < 20; k++) {
		size_t bytes = 1000 + 7919 * ((i * 20 + k) % 40);
		unsigned char *block = mer_spill_alloc(s, bytes);
		if (!block)
			return -1;
		memset(block, (int)i, bytes);
		for (size_t b = 0; b < bytes; b++)
			if (block[b] != (unsigned char)i)
				return -1;
		mer_spill_release(block);
	}
	return 0;
}

static void by_threads(void **state)
{
	struct place p;
	struct mer_err err;
	(void)state;
	make_place(&p);
	struct mer_spill *s = new_spill(LIMIT / 4, p.inner, NULL);
	assert_int_equal(mer_pool_run(4, 40, use_blocks, s, NULL, &err), 0);
	struct mer_spill_use use = mer_spill_use(s);
	assert_true(use.in_memory == 0 && use.in_file == 0);
	mer_spill_free(s);
	remove_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beyond_the_limit),
		cmocka_unit_test(of_any_size),
		cmocka_unit_test(grows),
		cmocka_unit_test(grows_at),
		cmocka_unit_test(grows_far),
		cmocka_unit_test(without_a_folder),
		cmocka_unit_test(without_room),
		cmocka_unit_test(without_a_spill),
		cmocka_unit_test(by_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
