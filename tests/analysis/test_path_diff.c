/* Profiles and their comparison: rows of every kind sum to the totals, match what has the same
 * name, and swap with the sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/path_diff.h"

static struct mer_err err;

static void add(struct path_profile *p, const char *host, const char *comm, enum path_cause cause,
	bool in_flight, int64_t ns)
{
	assert_int_equal(path_profile_add(p, host, comm, cause, in_flight, 1, ns, &err), 0);
}

static const struct path_diff_row *find(const struct path_diff_row *rows, size_t n,
	const char *host, const char *comm, int cause, bool in_flight)
{
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		if ((host ? r->host && strcmp(host, r->host) == 0 : !r->host) &&
			(comm ? r->comm && strcmp(comm, r->comm) == 0 : !r->comm) &&
			r->cause == cause && r->in_flight == in_flight)
			return r;
	}
	return NULL;
}

static void assert_row(const struct path_diff_row *r, int64_t a, int64_t b)
{
	assert_non_null(r);
	assert_int_equal(r->a_ns, a);
	assert_int_equal(r->b_ns, b);
}

static void cold_and_hot(void **state)
{
	struct path_profile a, b;
	struct path_diff_row *rows;
	size_t n;
	(void)state;
	path_profile_init(&a);
	path_profile_init(&b);
	add(&a, "client", "wget", PATH_RUNNING, false, 10);
	add(&a, "client", "wget", PATH_NETWORK, true, 5);
	add(&a, "server", "python3", PATH_RUNNING, false, 30);
	add(&a, "server", "python3", PATH_DISK, false, 40);
	add(&a, "server", "python3", PATH_DISK, false, 60);
	add(&a, "server", "kworker/0:1", PATH_RUNNING, false, 1);
	add(&b, "client", "wget", PATH_RUNNING, false, 12);
	add(&b, "client", "wget", PATH_NETWORK, true, 4);
	add(&b, "server", "python3", PATH_RUNNING, false, 30);
	add(&b, "server", "kworker/u4:2", PATH_RUNNING, false, 3);
	add(&b, "server", "sh", PATH_NEW, false, 2);
	assert_int_equal(a.total_ns, 146);
	assert_int_equal(b.total_ns, 51);

	assert_int_equal(path_diff(&a, &b, PATH_DIFF_BY_PART, &rows, &n, &err), 0);
	assert_int_equal(n, 6);
	/* The greatest difference first. */
	assert_string_equal(rows[0].comm, "python3");
	assert_row(&rows[0], 100, 0);
	assert_int_equal(rows[0].cause, PATH_DISK);
	assert_int_equal(rows[0].n_a, 2);
	assert_int_equal(rows[0].n_b, 0);
	assert_row(find(rows, n, "server", "python3", PATH_RUNNING, false), 30, 30);
	assert_row(find(rows, n, NULL, NULL, PATH_NETWORK, true), 5, 4);
	/* Kernel threads of a kind are one. */
	assert_row(find(rows, n, "server", "kworker", PATH_RUNNING, false), 1, 3);
	assert_row(find(rows, n, "server", "sh", PATH_NEW, false), 0, 2);
	free(rows);

	assert_int_equal(path_diff(&a, &b, PATH_DIFF_BY_CAUSE, &rows, &n, &err), 0);
	assert_int_equal(n, 4);
	assert_row(&rows[0], 100, 0);
	assert_row(find(rows, n, NULL, NULL, PATH_RUNNING, false), 41, 45);
	assert_row(find(rows, n, NULL, NULL, PATH_NETWORK, false), 5, 4);
	free(rows);

	assert_int_equal(path_diff(&a, &b, PATH_DIFF_BY_HOST, &rows, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_row(find(rows, n, "client", NULL, -1, false), 10, 12);
	assert_row(find(rows, n, "server", NULL, -1, false), 131, 35);
	assert_row(find(rows, n, NULL, NULL, -1, true), 5, 4);
	free(rows);

	assert_int_equal(path_diff(&a, &b, PATH_DIFF_BY_TASK, &rows, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_row(find(rows, n, "server", "python3", -1, false), 130, 30);
	free(rows);
	path_profile_fini(&a);
	path_profile_fini(&b);
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static void fill(struct path_profile *p, uint64_t *seed)
{
	static const char *const hosts[] = { "a", "b", "" };
	static const char *const comms[] = { "x", "y", "kworker/1:0", "kworker/1:1", "?", "" };
	path_profile_init(p);
	for (uint64_t n = next(seed) % 200; n > 0; n--) {
		enum path_cause cause = (enum path_cause)(next(seed) % PATH_N_CAUSES);
		add(p, hosts[next(seed) % 3], comms[next(seed) % 6], cause,
			cause == PATH_NETWORK && next(seed) % 2, (int64_t)(next(seed) % 1000));
	}
}

static void sums_and_swaps(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		struct path_profile a, b;
		uint64_t seed = i;
		fill(&a, &seed);
		fill(&b, &seed);
		for (int by = PATH_DIFF_BY_PART; by <= PATH_DIFF_BY_TASK; by++) {
			struct path_diff_row *rows, *swapped;
			size_t n, n_swapped;
			int64_t sum_a = 0, sum_b = 0;
			uint64_t n_a = 0, n_b = 0, all_a = 0, all_b = 0;
			assert_int_equal(
				path_diff(&a, &b, (enum path_diff_by)by, &rows, &n, &err), 0);
			assert_int_equal(path_diff(&b, &a, (enum path_diff_by)by, &swapped,
						 &n_swapped, &err),
				0);
			assert_int_equal(n, n_swapped);
			for (size_t k = 0; k < n; k++) {
				const struct path_diff_row *r = &rows[k];
				sum_a += r->a_ns;
				sum_b += r->b_ns;
				n_a += r->n_a;
				n_b += r->n_b;
				assert_row(
					find(swapped, n, r->host, r->comm, r->cause, r->in_flight),
					r->b_ns, r->a_ns);
				/* Each is there once, and the differences fall. */
				assert_ptr_equal(
					find(rows, n, r->host, r->comm, r->cause, r->in_flight), r);
				if (k)
					assert_true(llabs(r[-1].b_ns - r[-1].a_ns) >=
						    llabs(r->b_ns - r->a_ns));
			}
			assert_int_equal(sum_a, a.total_ns);
			assert_int_equal(sum_b, b.total_ns);
			for (size_t k = 0; k < a.n; k++)
				all_a += a.parts[k].n;
			for (size_t k = 0; k < b.n; k++)
				all_b += b.parts[k].n;
			assert_true(n_a == all_a && n_b == all_b);
			free(rows);
			free(swapped);
		}
		path_profile_fini(&a);
		path_profile_fini(&b);
	}
}

static void too_large(void **state)
{
	struct path_profile p;
	(void)state;
	path_profile_init(&p);
	add(&p, "h", "x", PATH_RUNNING, false, INT64_MAX);
	assert_int_equal(
		path_profile_add(&p, "h", "x", PATH_DISK, false, 1, 1, &err), MER_ERR_LIMIT);
	path_profile_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cold_and_hot),
		cmocka_unit_test(sums_and_swaps), cmocka_unit_test(too_large) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
