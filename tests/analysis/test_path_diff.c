/* Profiles and their comparison: rows of every kind sum to the totals, match what has the same
 * name, and swap with the sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* Rows of a comparison by part, as "HOST COMM CAUSE A B". */
static void rows_are(const struct path_profile *a, const struct path_profile *b,
	const char *const *expected, size_t n_expected)
{
	struct path_diff_row *rows;
	size_t n;
	assert_int_equal(path_diff(a, b, PATH_DIFF_BY_PART, &rows, &n, &err), 0);
	assert_int_equal(n, n_expected);
	for (size_t i = 0; i < n; i++) {
		char text[100];
		snprintf(text, sizeof(text), "%s %s %s %d %d%s", rows[i].host ? rows[i].host : "-",
			rows[i].comm ? rows[i].comm : "-",
			path_cause_name((enum path_cause)rows[i].cause), (int)rows[i].a_ns,
			(int)rows[i].b_ns, rows[i].in_flight ? " flight" : "");
		assert_string_equal(text, expected[i]);
	}
	free(rows);
}

/* The greatest difference first, whichever way; then the greatest time, of either side; then by
 * host, what has none first, program, cause, and what is under way last. */
static void order(void **state)
{
	static const char *const expected[] = { "h up running 0 9", "h down running 8 0",
		"h big running 27 20", "h both running 20 27", "h small running 7 0",
		"- - network 5 5 flight", "a x running 5 5", "h a running 5 5", "h a network 5 5",
		"h b running 5 5" };
	struct path_profile a, b;
	(void)state;
	path_profile_init(&a);
	path_profile_init(&b);
	add(&a, "h", "b", PATH_RUNNING, false, 5);
	add(&a, "h", "a", PATH_NETWORK, false, 5);
	add(&a, "h", "a", PATH_NETWORK, true, 5);
	add(&a, "h", "a", PATH_RUNNING, false, 5);
	add(&a, "a", "x", PATH_RUNNING, false, 5);
	add(&b, "a", "x", PATH_RUNNING, false, 5);
	add(&b, "h", "b", PATH_RUNNING, false, 5);
	add(&b, "h", "a", PATH_NETWORK, false, 5);
	add(&b, "h", "a", PATH_NETWORK, true, 5);
	add(&b, "h", "a", PATH_RUNNING, false, 5);
	add(&a, "h", "small", PATH_RUNNING, false, 7);
	add(&a, "h", "big", PATH_RUNNING, false, 27);
	add(&b, "h", "big", PATH_RUNNING, false, 20);
	add(&a, "h", "both", PATH_RUNNING, false, 20);
	add(&b, "h", "both", PATH_RUNNING, false, 27);
	add(&a, "h", "down", PATH_RUNNING, false, 8);
	add(&b, "h", "up", PATH_RUNNING, false, 9);
	rows_are(&a, &b, expected, sizeof(expected) / sizeof(expected[0]));
	path_profile_fini(&a);
	path_profile_fini(&b);
	assert_null(a.parts);
	assert_int_equal(a.n + a.cap, 0);
}

/* Threads of the kernel without their numbers; others whole, even if they begin alike. */
static void names(void **state)
{
	static const char *const cases[][2] = { { "kworker/0:1", "kworker" },
		{ "ksoftirqd/12", "ksoftirqd" }, { "migration/0", "migration" },
		{ "cpuhp/3", "cpuhp" }, { "swapper/1", "swapper" },
		{ "idle_inject/0", "idle_inject" }, { "irq_work/7", "irq_work" },
		{ "rcuop/1", "rcuop" }, { "rcuos/1", "rcuos" }, { "rcuog/1", "rcuog" },
		{ "rcuc/1", "rcuc" }, { "kworker/", "kworker" }, { "kworkers/1", "kworkers/1" },
		{ "a/kworker/1", "a/kworker/1" }, { "rcu", "rcu" }, { "", "" } };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct path_profile p;
		path_profile_init(&p);
		add(&p, "host", cases[i][0], PATH_RUNNING, false, 1);
		assert_string_equal(mer_intern_text(&p.names, p.parts[0].comm), cases[i][1]);
		assert_string_equal(mer_intern_text(&p.names, p.parts[0].host), "host");
		path_profile_fini(&p);
	}
}

/* More parts than there is room for at first: each is there once, with the sum of its times. */
static void many_parts(void **state)
{
	struct path_profile p;
	(void)state;
	path_profile_init(&p);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 300; i++) {
			char comm[20];
			snprintf(comm, sizeof(comm), "c%d", i);
			assert_int_equal(path_profile_add(&p, "h", comm, PATH_DISK, false,
						 (uint64_t)i + 1, i, &err),
				0);
		}
	assert_int_equal(p.n, 300);
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(p.parts[i].ns, 2 * i);
		assert_int_equal(p.parts[i].n, 2 * (i + 1));
		assert_int_equal(p.parts[i].cause, PATH_DISK);
	}
	assert_int_equal(p.total_ns, 300 * 299);
	path_profile_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cold_and_hot),
		cmocka_unit_test(sums_and_swaps), cmocka_unit_test(too_large),
		cmocka_unit_test(order), cmocka_unit_test(names), cmocka_unit_test(many_parts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
