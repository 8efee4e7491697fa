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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(in_any_order),
		cmocka_unit_test(backwards),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(none_at_all),
	};
	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
