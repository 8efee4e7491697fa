/* Paths of public recordings, against published values: a poll of a three-tier web application, and
 * one host where a compositor waits for a kernel thread. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"

struct published { /* percent of the time */
	const char *host;
	int32_t tid;
	double percent;
};

/* Documentation of Trace Compass, KernelWaitAnalysisDjango.png. */
static const struct published postgres[] = {
	{ "django-db", 2256, 1.46 },
	{ "django-db", 2257, 3.63 },
	{ "django-db", 2258, 1.65 },
	{ "django-db", 2259, 2.09 },
	{ "django-db", 2260, 4.14 },
	{ "django-db", 2261, 3.02 },
	{ "django-db", 2262, 2.54 },
	{ "django-db", 2263, 3.08 },
	{ "django-db", 2264, 3.75 },
};
static const struct published apache[] = {
	{ "django-httpd", 1061, 0.03 },
	{ "django-httpd", 1062, 2.97 },
	{ "django-httpd", 1063, 2.41 },
	{ "django-httpd", 1065, 2.14 },
	{ "django-httpd", 1066, 0.04 },
	{ "django-httpd", 1072, 2.86 },
	{ "django-httpd", 1074, 2.61 },
	{ "django-httpd", 1076, 3.34 },
	{ "django-httpd", 1079, 0.04 },
	{ "django-httpd", 1081, 3.22 },
	{ "django-httpd", 1083, 1.99 },
	{ "django-httpd", 1086, 3.24 },
	{ "django-httpd", 1092, 0.19 },
	{ "django-httpd", 1102, 0.35 },
};
enum {
	N_POSTGRES = sizeof(postgres) / sizeof(*postgres),
	N_APACHE = sizeof(apache) / sizeof(*apache)
};

struct rows {
	const struct recording *r;
	const struct path *p;
	struct path_share *shares;
	size_t n;
};

static const struct path_share *row_of(const struct rows *t, const char *host, int32_t tid)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct path_share *s = &t->shares[i];
		if (s->task != KERNEL_NONE && strcmp(t->r->e->hosts[s->host].name, host) == 0 &&
			t->r->w->hosts[s->host].tasks[s->task].tid == tid)
			return s;
	}
	fail_msg("%s/%d is not on the path", host, (int)tid);
	return NULL;
}

/* Without packets on their way, of all without packets on their way: the table's total is a sum of
 * what tasks did. */
static double percent(const struct rows *t, const struct path_share *s)
{
	return 100 * (double)(s->total_ns - s->in_flight_ns) /
	       (double)(t->p->end - t->p->begin - t->p->in_flight_ns);
}

static void check_row(const struct published *row, double is, double tolerance)
{
	if (fabs(is - row->percent) > tolerance)
		fail_msg("%s/%d: %.2f %%, published %.2f %%", row->host, (int)row->tid, is,
			row->percent);
}

static void check_rows(const struct rows *t)
{
	double sum = percent(t, row_of(t, "django-db", 1001)), published = 0;
	for (size_t i = 0; i < N_POSTGRES; i++) {
		const struct path_share *s = row_of(t, postgres[i].host, postgres[i].tid);
		check_row(&postgres[i], percent(t, s), 0.3);
		sum += percent(t, s);
		published += postgres[i].percent;
	}
	/* An apache2 that waits for its connection waits, here, for the postmaster (1001), who
	 * accepts it and forks; in the published table it just waits. So its row is less here, by
	 * what the postmaster and the first steps of its child have. With the packets on their way
	 * to it, which the table has there too, it is the same again. */
	for (size_t i = 0; i < N_APACHE; i++) {
		const struct path_share *s = row_of(t, apache[i].host, apache[i].tid);
		check_row(&apache[i], percent(t, s), 0.5);
		check_row(&apache[i], 100 * (double)s->total_ns / (double)(t->p->end - t->p->begin),
			0.3);
		sum += percent(t, s);
		published += apache[i].percent;
	}
	if (fabs(sum - published) > 0.3)
		fail_msg("servers: %.2f %%, published %.2f %%", sum, published);
}

/* The UPDATE goes to the disk: two waits, of 0.1 and of 7.4 ms by the trace. */
static void check_sync(const struct rows *t)
{
	const struct path_share *row = row_of(t, "django-db", 2257);
	const struct kernel_host *h = &t->p->world->hosts[row->host];
	int n = 0;
	assert_in_range(row->by_cause[PATH_DISK], 7400000, 7600000);
	for (size_t i = 0; i < t->p->n_segments; i++) {
		const struct path_segment *s = &t->p->segments[i];
		if (s->cause != PATH_DISK || s->host != row->host || s->task != row->task)
			continue;
		assert_string_equal(kernel_name_text(h, h->calls[s->call].name), "fdatasync");
		n++;
	}
	assert_int_equal(n, 2);
}

static void the_poll_is_where_it_was_published(void **state)
{
	(void)state;
	struct recording r;
	struct path p;
	struct mer_err err = { 0 };
	recording_open(&r, "public/django-vote");
	uint32_t client = recording_host(&r, "django-client");
	recording_find_path(
		&r, client, recording_task(&r, client, 2327, NULL), INT64_MIN, INT64_MAX, &p);
	struct rows t = { .r = &r, .p = &p };
	assert_return_code(path_by_task(&p, &t.shares, &t.n, &err), 0);
	int64_t on_tasks = p.end - p.begin - p.in_flight_ns;
	if (on_tasks < 403000000 || on_tasks > 411000000)
		fail_msg("%" PRId64 " ns on tasks", on_tasks);
	check_row(&(struct published){ "django-client", 2327, 49.13 },
		percent(&t, row_of(&t, "django-client", 2327)), 0.5);
	check_rows(&t);
	check_sync(&t);
	assert_true(p.unexplained_ns * 100 < p.end - p.begin);
	/* Nobody is on a host that is not theirs. */
	for (size_t i = 0; i < t.n; i++) {
		const struct path_share *q = &t.shares[i];
		const char *host = r.e->hosts[q->host].name;
		const char *comm =
			q->task == KERNEL_NONE ? "" : kernel_comm(&r.w->hosts[q->host], q->task);
		assert_true(strcmp(comm, "postgres") != 0 || strcmp(host, "django-db") == 0);
		assert_true(strcmp(comm, "apache2") != 0 || strcmp(host, "django-httpd") == 0);
		assert_true(strcmp(comm, "python") != 0 || strcmp(host, "django-client") == 0);
	}
	free(t.shares);
	path_fini(&p);
	recording_close(&r);
}

/* weston waits for a worker of the kernel, which waits for an interrupt. */
static void a_compositor_waits_for_a_worker(void **state)
{
	(void)state;
	const int64_t s = 1412670963000000000;
	const struct {
		int64_t begin, end;
		int32_t tid;
		enum path_cause cause;
	} expected[] = {
		{ s + 793673139, s + 793920739, 6, PATH_DEVICE },
		{ s + 793920739, s + 793934339, 6, PATH_RUNNABLE },
		/* until it begins the work that it was woken for */
		{ s + 793934339, s + 793940039, 6, PATH_RUNNING },
		{ s + 793940039, s + 793951339, 6, PATH_RUNNING },
		{ s + 793951339, s + 793965639, 338, PATH_RUNNABLE },
	};
	enum { N = sizeof(expected) / sizeof(*expected) };
	struct recording r;
	struct path p;
	recording_open(&r, "public/bug446190");
	recording_find_path(&r, 0, recording_task(&r, 0, 338, NULL), expected[0].begin,
		expected[N - 1].end, &p);
	const struct kernel_host *h = &r.w->hosts[0];
	assert_string_equal(kernel_comm(h, p.task), "weston");
	assert_int_equal(p.n_segments, N);
	for (size_t i = 0; i < N; i++) {
		const struct path_segment *g = &p.segments[i];
		assert_int_equal(g->begin, expected[i].begin);
		assert_int_equal(g->end, expected[i].end);
		assert_int_equal(h->tasks[g->task].tid, expected[i].tid);
		assert_int_equal(g->cause, expected[i].cause);
	}
	assert_string_equal(kernel_comm(h, p.segments[0].task), "kworker/u16:0");
	path_fini(&p);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_poll_is_where_it_was_published),
		cmocka_unit_test(a_compositor_waits_for_a_worker),
	};
	return cmocka_run_group_tests_name("public recordings", tests, NULL, NULL);
}
