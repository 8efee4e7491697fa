/* Counts of facts in bins: whatever order the facts come in and wherever they lie, each level says
 * the same as the facts one by one. Narrower bins: tests/cases/test_store.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/all.h"
#include "store/counts.h"
#include "store/numbers.h"
#include "store/types.h"

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";

enum { N_FACTS = 150000, N_BINS = 300 };

struct given {
	int64_t *begins;
	size_t n;
	struct store_file file;
	char path[64];
};

static uint64_t random_in(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 20) % below;
}

static uint64_t bytes_of(size_t i)
{
	return i % 7 * 1000;
}

static void save(struct given *g)
{
	struct store_writer w;
	struct store_counts c = { .has_bytes = true };
	struct mer_err err = { 0 };
	snprintf(g->path, sizeof(g->path), "/tmp/meridian-counts-XXXXXX");
	int fd = mkstemp(g->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, g->path, key, &err), 0);
	for (size_t i = 0; i < g->n; i++)
		store_counts_add(&c, g->begins[i], bytes_of(i));
	store_counts_put(&c, &w, 0, 7);
	store_counts_fini(&c);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&g->file, g->path, key, &err), 0);
}

/* Facts are not in the file: only windows that a level serves can be asked for. */
static bool check(const struct given *g, int64_t begin, unsigned shift)
{
	static uint64_t counts[N_BINS], bytes[N_BINS], want[N_BINS], want_bytes[N_BINS];
	const struct store_window w = { (begin >> shift) * ((int64_t)1 << shift), shift, N_BINS };
	struct mer_err err = { 0 };
	if (store_counts_read(&g->file, 0, 7, &fact_packet, NULL, &w, counts, bytes, &err))
		return false;
	memset(want, 0, sizeof(want));
	memset(want_bytes, 0, sizeof(want_bytes));
	for (size_t i = 0; i < g->n; i++) {
		__int128 bin = ((__int128)g->begins[i] - w.begin) >> shift;
		if (bin >= 0 && bin < N_BINS) {
			want[bin]++;
			want_bytes[bin] += bytes_of(i);
		}
	}
	assert_memory_equal(counts, want, sizeof(want));
	assert_memory_equal(bytes, want_bytes, sizeof(want));
	return true;
}

static void check_all(struct given *g, int64_t begin, int64_t length)
{
	uint64_t seed = 3;
	unsigned n_shifts = 0;
	save(g);
	for (unsigned shift = 0; shift < 50; shift++) {
		bool ok = check(g, begin - 5, shift);
		for (int i = 0; ok && i < 8; i++)
			ok = check(g, begin + (int64_t)random_in(&seed, (uint64_t)length), shift);
		n_shifts += ok;
	}
	assert_true(n_shifts > 10);
	store_file_close(&g->file);
	unlink(g->path);
	free(g->begins);
}

static void make(struct given *g)
{
	*g = (struct given){ .begins = malloc(N_FACTS * sizeof(*g->begins)), .n = N_FACTS };
	assert_non_null(g->begins);
}

static void in_order(void **state)
{
	struct given g;
	int64_t t = 1795227203025107642;
	uint64_t seed = 1;
	(void)state;
	make(&g);
	for (size_t i = 0; i < g.n; i++)
		g.begins[i] = t += (int64_t)random_in(&seed, 40000);
	check_all(&g, g.begins[0], g.begins[g.n - 1] - g.begins[0]);
}

static void in_any_order(void **state)
{
	struct given g;
	uint64_t seed = 2;
	(void)state;
	make(&g);
	for (size_t i = 0; i < g.n; i++)
		g.begins[i] = -5000000000 + (int64_t)random_in(&seed, 10000000000);
	check_all(&g, -5000000000, 10000000000);
}

static void backwards(void **state)
{
	struct given g;
	(void)state;
	make(&g);
	for (size_t i = 0; i < g.n; i++)
		g.begins[i] = 1000000000000 - (int64_t)i * 3001;
	check_all(&g, 1000000000000 - (int64_t)N_FACTS * 3001, (int64_t)N_FACTS * 3001);
}

/* Most of them at once, and others at both ends of all times. */
static void far_apart(void **state)
{
	struct given g;
	(void)state;
	make(&g);
	for (size_t i = 0; i < g.n; i++)
		g.begins[i] = i == 5 ? INT64_MIN : i == 100000 ? INT64_MAX : (int64_t)i * 10;
	save(&g);
	for (unsigned shift = 0; shift < 50; shift++)
		(void)check(&g, 0, shift);
	for (unsigned shift = 54; shift < 63; shift++) {
		assert_true(check(&g, INT64_MIN, shift));
		assert_true(check(&g, 0, shift));
	}
	store_file_close(&g.file);
	unlink(g.path);
	free(g.begins);
}

static void none_at_all(void **state)
{
	struct given g = { 0 };
	(void)state;
	save(&g);
	assert_true(check(&g, 0, 0));
	assert_true(check(&g, 1795227203025107642, 20));
	store_file_close(&g.file);
	unlink(g.path);
}

/* ---- levels that cannot be ---- */

struct level { /* as they lie in the file */
	int64_t first;
	uint64_t n, at;
	uint32_t shift, has_bytes;
};

static uint64_t one(const void *ctx, size_t i)
{
	(void)ctx;
	return i + 1;
}

static void levels_are(const struct level *levels, size_t n, size_t n_numbers, bool ok)
{
	struct given g = { 0 };
	struct store_writer w;
	struct mer_err err = { 0 };
	uint64_t counts[4], bytes[4];
	const struct store_window window = { 0, 20, 4 };
	snprintf(g.path, sizeof(g.path), "/tmp/meridian-counts-XXXXXX");
	int fd = mkstemp(g.path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, g.path, key, &err), 0);
	store_put_section(&w, STORE_COUNT_LEVELS, 0, 7, levels, n, sizeof(*levels));
	store_put_numbers(&w, STORE_COUNTS, 0, 7, STORE_PLAIN, one, NULL, n_numbers);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&g.file, g.path, key, &err), 0);
	assert_int_equal(
		store_counts_read(&g.file, 0, 7, &fact_packet, NULL, &window, counts, bytes, &err),
		ok ? 0 : MER_ERR_INPUT);
	assert_string_equal(err.text, ok ? "" : "damaged counts in the store");
	store_file_close(&g.file);
	unlink(g.path);
}

static void that_cannot_be(void **state)
{
	static const struct {
		struct level l;
		bool ok;
	} cases[] = {
		{ { 0, 4, 0, 20, 0 }, true },
		{ { 0, 4, 0, 20, 1 }, true },
		{ { 0, 4, 0, 20, 2 }, false },
		{ { 0, 4, 1, 20, 0 }, false },
		{ { 0, 0, 0, 20, 0 }, false },
		{ { 0, 4, 0, 63, 0 }, false },
		{ { 0, ((uint64_t)1 << 40) + 1, 0, 10, 0 }, false },
		/* They begin or end beyond all times. */
		{ { INT64_MIN >> 20, 4, 0, 20, 0 }, true },
		{ { (INT64_MIN >> 20) - 1, 4, 0, 20, 0 }, false },
		{ { (INT64_MAX >> 20) - 3, 4, 0, 20, 0 }, true },
		{ { (INT64_MAX >> 20) - 2, 4, 0, 20, 0 }, false },
		{ { (INT64_MAX >> 20) + 1, 1, 0, 20, 0 }, false },
		{ { INT64_MAX >> 20, 1, 0, 20, 0 }, true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		levels_are(&cases[i].l, 1, 4 * (1 + cases[i].l.has_bytes), cases[i].ok);
	/* One behind the other; there are so many numbers. */
	struct level two[] = { { 0, 4, 0, 10, 1 }, { 0, 2, 8, 20, 1 } };
	levels_are(two, 2, 12, true);
	two[1].at = 7;
	levels_are(two, 2, 12, false);
	two[1].at = 9;
	levels_are(two, 2, 12, false);
	levels_are(&cases[0].l, 1, 5000, false);
}

/* The widest level that is not wider than what is wanted; numbers of its bins, from 1 on. */
static void read_of(void **state)
{
	static const struct level levels[] = { { 2, 8, 0, 18, 1 }, { 1, 4, 16, 20, 1 },
		{ 0, 2, 24, 22, 1 } };
	static const struct {
		unsigned shift;
		int64_t begin;
		uint64_t counts[3], bytes[3];
	} cases[] = {
		{ 18, 0, { 0, 0, 1 }, { 0, 0, 9 } },
		{ 18, 8, { 7, 8, 0 }, { 15, 16, 0 } },
		{ 19, 0, { 0, 1 + 2, 3 + 4 }, { 0, 9 + 10, 11 + 12 } },
		{ 20, 0, { 0, 17, 18 }, { 0, 21, 22 } },
		{ 20, 4, { 20, 0, 0 }, { 24, 0, 0 } },
		{ 20, 5, { 0, 0, 0 }, { 0, 0, 0 } },
		{ 21, 0, { 17, 18 + 19, 20 }, { 21, 22 + 23, 24 } },
		{ 22, 0, { 25, 26, 0 }, { 27, 28, 0 } },
		{ 23, -1, { 0, 25 + 26, 0 }, { 0, 27 + 28, 0 } },
	};
	struct given g = { 0 };
	struct store_writer w;
	struct mer_err err = { 0 };
	(void)state;
	snprintf(g.path, sizeof(g.path), "/tmp/meridian-counts-XXXXXX");
	int fd = mkstemp(g.path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(store_writer_begin(&w, g.path, key, &err), 0);
	store_put_section(&w, STORE_COUNT_LEVELS, 0, 7, levels, 3, sizeof(levels[0]));
	store_put_numbers(&w, STORE_COUNTS, 0, 7, STORE_PLAIN, one, NULL, 28);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&g.file, g.path, key, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t counts[3], bytes[3];
		const struct store_window window = {
			cases[i].begin * ((int64_t)1 << cases[i].shift), cases[i].shift, 3
		};
		assert_int_equal(store_counts_read(&g.file, 0, 7, &fact_packet, NULL, &window,
					 counts, bytes, &err),
			0);
		assert_memory_equal(counts, cases[i].counts, sizeof(counts));
		assert_memory_equal(bytes, cases[i].bytes, sizeof(bytes));
	}
	store_file_close(&g.file);
	unlink(g.path);
}

/* How many bytes a fact moved: none where it is not known, or none are told. */
static void bytes_of_facts(void **state)
{
	static const struct fact_field plain = { .width = 8, .is_signed = true }, with_none = {
		.width = 8, .is_signed = true, FACT_NONE_IS(7)
	};
	static const int64_t values[] = { 0, 1, -1, 7, INT64_MAX, INT64_MIN };
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		uint64_t v = values[i] > 0 ? (uint64_t)values[i] : 0;
		assert_int_equal(store_counts_bytes(&plain, &values[i]), v);
		assert_int_equal(store_counts_bytes(&with_none, &values[i]), v == 7 ? 0 : v);
		assert_int_equal(store_counts_bytes(NULL, &values[i]), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(in_any_order),
		cmocka_unit_test(backwards),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(none_at_all),
		cmocka_unit_test(that_cannot_be),
		cmocka_unit_test(read_of),
		cmocka_unit_test(bytes_of_facts),
	};
	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
