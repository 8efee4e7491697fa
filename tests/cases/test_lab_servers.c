/* Servers: who accepts connections, since when these were ready, and who does the work, against
 * what events of recordings say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "recording.h"

struct served { /* tables of a recording */
	struct recording r;
	struct analysis_run run;
	struct mer_table top, workers;
};

static void read_servers(struct served *x, const char *name)
{
	static const struct analysis_options o = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
	};
	struct mer_err err = { 0 };
	struct mer_table t[2];
	const struct analysis *a = analysis_find("servers");
	assert_non_null(a);
	const struct analysis_request requests[] = { { a, 0 }, { a, 1 } };
	recording_open(&x->r, name);
	if (analysis_run(
		    &x->run, x->r.e, &x->r.messages, x->r.result, NULL, &o, requests, 2, t, &err))
		fail_msg("%s", err.text);
	x->top = t[0];
	x->workers = t[1];
}

static void done(struct served *x)
{
	mer_table_fini(&x->top);
	mer_table_fini(&x->workers);
	analysis_run_fini(&x->run);
	recording_close(&x->r);
}

static const struct mer_cell *cell(const struct mer_table *t, size_t row, const char *key)
{
	size_t c = 0;
	while (strcmp(t->columns[c].key, key) != 0)
		assert_non_null(t->columns[++c].key);
	return &t->cells[row * t->n_columns + c];
}

static int64_t number(const struct mer_table *t, size_t row, const char *key)
{
	return cell(t, row, key)->set ? cell(t, row, key)->v.i : -1;
}

static size_t find(const struct mer_table *t, const char *comm)
{
	size_t r = 0;
	for (; r < t->n_rows; r++)
		if (strcmp(cell(t, r, "comm")->v.text, comm) == 0)
			return r;
	fail_msg("no %s", comm);
	return r;
}

/* Times were read on another clock than the aligned one: they differ by its rate. */
static void about(int64_t ns, int64_t read)
{
	assert_in_range(ns, read - read / 1000, read + read / 1000);
}

static int64_t sum(const struct mer_table *t, const char *key)
{
	int64_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		n += number(t, r, key);
	return n;
}

/* nginx waits in epoll: the handshakes ended when packets came at .261282826 and 0.710 ms before
 * its second accept returned; the second server is asked over loopback. Packets of unix sockets
 * there are none. */
static void ready_since(void **state)
{
	(void)state;
	struct served x;
	read_servers(&x, "lab/wget-cold-hot");
	const struct mer_table *t = &x.top;
	size_t nginx = find(t, "nginx"), python = find(t, "python3"),
	       lttng = find(t, "Client manageme");
	assert_int_equal(number(t, nginx, "accepts"), 2);
	assert_int_equal(number(t, nginx, "accept_delay_known"), 2);
	about(number(t, nginx, "accept_delay_max_ns"), 281039978 - 261282826);
	assert_int_equal(number(t, python, "accepts"), 2);
	assert_int_equal(number(t, python, "accept_delay_known"), 2);
	assert_int_equal(number(t, nginx, "max_connections"), 1);
	assert_false(cell(t, lttng, "accept_delay_mean_ns")->set);
	done(&x);
}

/* It waits in accept and does not ask who the clients are: the packets that ended its waits came at
 * .191619692, .107061943, .717254728, and it returned at these times. */
static void waits_in_accept(void **state)
{
	(void)state;
	struct served x;
	read_servers(&x, "lab/clihog-srvhog-2vm");
	const struct mer_table *t = &x.top;
	size_t r = find(t, "rpc-srv");
	const int64_t took[] = { 199965836 - 191619692, 107874773 - 107061943,
		718045916 - 717254728 };
	assert_int_equal(number(t, r, "accepts"), 3);
	assert_int_equal(number(t, r, "accept_delay_known"), 3);
	about(number(t, r, "accept_delay_max_ns"), took[0]);
	about(number(t, r, "accept_delay_mean_ns"), (took[0] + took[1] + took[2]) / 3);
	assert_int_equal(number(t, r, "workers"), 1);
	done(&x);
}

/* Four processes on one socket are one server; what workers did sums up to what the server did. */
static void several_workers(void **state)
{
	(void)state;
	struct served x;
	read_servers(&x, "lab/web-lossy");
	const struct mer_table *t = &x.top, *w = &x.workers;
	size_t r = find(t, "python3");
	int64_t most = 0, wakeups = 0, n = 0;
	assert_int_equal(number(t, r, "workers"), 4);
	assert_int_equal(number(t, r, "processes"), 4);
	for (size_t i = 0; i < w->n_rows; i++) {
		if (strcmp(cell(w, i, "comm")->v.text, "python3") != 0)
			continue;
		int64_t k = number(w, i, "wakeups");
		most = k > most ? k : most;
		wakeups += k;
		n++;
	}
	assert_int_equal(n, 4);
	assert_int_equal(number(t, r, "wakeups"), wakeups);
	assert_true(cell(t, r, "imbalance")->v.f * (double)wakeups > (double)most * 3.999);
	assert_true(cell(t, r, "imbalance")->v.f * (double)wakeups < (double)most * 4.001);
	for (const char *const *key = (const char *const[]){ "accepts", "spurious_accepts",
		     "accept_delay_known", NULL };
		*key; key++)
		assert_int_equal(sum(t, *key), sum(w, *key));
	done(&x);
}

/* A client that accepts nothing is no server; who only tried is one without accepts. */
static void prefork(void **state)
{
	(void)state;
	struct served x;
	read_servers(&x, "public/django-vote");
	const struct mer_table *t = &x.top;
	size_t r = find(t, "apache2");
	assert_int_equal(number(t, r, "accepts"), 12);
	assert_int_equal(number(t, r, "spurious_accepts"), 11);
	assert_int_equal(number(t, r, "workers"), 2);
	for (size_t i = 0; i < t->n_rows; i++)
		assert_true(number(t, i, "accepts") + number(t, i, "spurious_accepts") > 0);
	done(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ready_since),
		cmocka_unit_test(waits_in_accept), cmocka_unit_test(several_workers),
		cmocka_unit_test(prefork) };
	return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
