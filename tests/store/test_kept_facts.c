/* Facts that are kept: those of any window come back, of each host; nothing is kept where it would
 * be too large or the reading failed; a world with other numbers of tasks, names or calls, another
 * key and damage are noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/kept_facts.h"

struct thing {
	struct fact f;
	uint32_t name;
	uint32_t number;
};

static const struct fact_field fields[] = {
	{ "name", NULL, MER_TEXT, FACT_NAME, FACT_MEMBER(struct thing, name),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "number", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct thing, number) },
	{ 0 },
};
static const struct fact_kind kind = { .id = "thing",
	.title = "Things",
	.rule = FACT_BEGINS,
	.size = sizeof(struct thing),
	.fields = fields };
static const struct store_key key = { { 1, 2 } }, another_key = { { 1, 3 } };
enum { HOSTS = 2, N = 9000, TASKS = 7, NAMES = 5, STEP_NS = 10 };

struct kept {
	char path[64];
	struct kernel_host hosts[HOSTS];
	struct kernel_world w;
	size_t n_taken; /* by keep_numbers */
	uint32_t least, most;
};

static struct thing thing_of(uint32_t host, uint32_t i)
{
	int64_t begin = 1000 + (int64_t)i * STEP_NS;
	return (struct thing){ .f = { begin, begin + STEP_NS / 2, (i + host) % TASKS, 0, 0 },
		.name = i % NAMES,
		.number = host * N + i };
}

static bool save(struct kept *k, uint64_t max_bytes, bool ok)
{
	struct store_facts_keeper *keeper =
		store_facts_keeper_new(k->path, &key, &kind, HOSTS, max_bytes);
	assert_non_null(keeper);
	for (uint32_t host = 0; host < HOSTS; host++)
		for (uint32_t i = 0; i < N; i++) {
			struct thing x = thing_of(host, i);
			void *taker = store_facts_keeper_of(keeper, host);
			struct mer_err err;
			if (taker)
				assert_int_equal(store_facts_keeper_take(
							 taker, &k->hosts[host], &x, 1, &err),
					0);
		}
	return store_facts_keeper_end(keeper, &k->w, ok);
}

static int setup(void **state)
{
	struct kept *k = calloc(1, sizeof(*k));
	assert_non_null(k);
	snprintf(k->path, sizeof(k->path), "/tmp/meridian-kept-XXXXXX");
	int fd = mkstemp(k->path);
	assert_true(fd >= 0);
	close(fd);
	k->w = (struct kernel_world){ .hosts = k->hosts, .n_hosts = HOSTS };
	for (uint32_t i = 0; i < HOSTS; i++) {
		k->hosts[i].n_tasks = TASKS;
		k->hosts[i].names.n = NAMES;
	}
	assert_true(save(k, 1 << 20, true));
	*state = k;
	return 0;
}

static int teardown(void **state)
{
	struct kept *k = *state;
	unlink(k->path);
	free(k);
	return 0;
}

static int keep_numbers(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct kept *k = ctx;
	const struct thing *x = facts;
	(void)h;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct thing same = thing_of(x[i].number / N, x[i].number % N);
		assert_memory_equal(&x[i], &same, sizeof(same));
		k->least = x[i].number < k->least ? x[i].number : k->least;
		k->most = x[i].number > k->most ? x[i].number : k->most;
	}
	k->n_taken += n;
	return 0;
}

static int read_host(struct kept *k, const struct store_kept_facts *from, uint32_t host,
	int64_t begin, int64_t end)
{
	struct mer_err err;
	struct fact_range range = { begin, end, NULL };
	k->n_taken = 0;
	k->least = UINT32_MAX;
	k->most = 0;
	return store_kept_facts_read(
		from, host, &k->hosts[host], &kind, &range, keep_numbers, k, &err);
}

static void all_come_back(void **state)
{
	struct kept *k = *state;
	struct store_kept_facts *from = store_kept_facts_open(k->path, &key);
	assert_non_null(from);
	for (uint32_t host = 0; host < HOSTS; host++) {
		assert_int_equal(read_host(k, from, host, INT64_MIN, INT64_MAX), 0);
		assert_int_equal(k->n_taken, N);
		assert_int_equal(k->least, host * N);
		assert_int_equal(k->most, host * N + N - 1);
	}
	store_kept_facts_close(from);
}

static void a_window_is_a_part(void **state)
{
	struct kept *k = *state;
	struct store_kept_facts *from = store_kept_facts_open(k->path, &key);
	assert_non_null(from);
	int64_t begin = thing_of(1, N - 10).f.begin;
	assert_int_equal(read_host(k, from, 1, begin, INT64_MAX), 0);
	assert_in_range(k->n_taken, 10, N / 2);
	assert_in_range(k->least, N, N + N - 10);
	assert_int_equal(k->most, N + N - 1);
	store_kept_facts_close(from);
}

static void too_large_or_failed_is_not_kept(void **state)
{
	struct kept *k = *state;
	unlink(k->path);
	assert_false(save(k, 1000, true));
	assert_null(store_kept_facts_open(k->path, &key));
	assert_false(save(k, 1 << 20, false));
	assert_null(store_kept_facts_open(k->path, &key));
}

static void another_world_is_noticed(void **state)
{
	struct kept *k = *state;
	assert_null(store_kept_facts_open(k->path, &another_key));
	struct store_kept_facts *from = store_kept_facts_open(k->path, &key);
	assert_non_null(from);
	uint32_t *numbers[] = { &k->hosts[0].n_tasks, &k->hosts[0].names.n, &k->hosts[0].n_calls,
		&k->hosts[0].n_renames };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		++*numbers[i];
		assert_int_equal(read_host(k, from, 0, INT64_MIN, INT64_MAX), MER_ERR_INPUT);
		--*numbers[i];
	}
	assert_int_equal(read_host(k, from, 0, INT64_MIN, INT64_MAX), 0);
	store_kept_facts_close(from);
}

static void damage_is_noticed(void **state)
{
	struct kept *k = *state;
	enum { MOST = 1 << 20 };
	uint8_t *bytes = malloc(MOST);
	FILE *f = fopen(k->path, "rb");
	assert_true(bytes && f);
	size_t n = fread(bytes, 1, MOST, f), n_noticed = 0, n_tries = 0;
	fclose(f);
	for (size_t i = 0; i < n; i += 97, n_tries++) {
		bytes[i] ^= 0x40;
		f = fopen(k->path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(bytes, 1, i % 5 ? n : i, f), i % 5 ? n : i);
		fclose(f);
		bytes[i] ^= 0x40;
		struct store_kept_facts *from = store_kept_facts_open(k->path, &key);
		int rc = from ? 0 : MER_ERR_INPUT;
		for (uint32_t host = 0; host < HOSTS && rc == 0; host++)
			rc = read_host(k, from, host, INT64_MIN, INT64_MAX);
		assert_true(rc == 0 || rc == MER_ERR_INPUT);
		n_noticed += rc != 0;
		store_kept_facts_close(from);
	}
	/* What is left are bytes between sections. */
	print_message("%zu of %zu noticed\n", n_noticed, n_tries);
	assert_true(n_noticed * 10 > n_tries * 9);
	free(bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(all_come_back), TEST(a_window_is_a_part),
		TEST(too_large_or_failed_is_not_kept), TEST(another_world_is_noticed),
		TEST(damage_is_noticed) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
