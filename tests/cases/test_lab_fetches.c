/* Two fetches of a page, the first from the disk of the server and the second from its memory: the
 * path of the client shows the disk in the first one alone, and the programs of the server in both.
 * Where clocks cannot be compared nothing is said about the server. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"

enum { SLACK_NS = 1000000 };

struct fetch { /* as the program on the server logged it, on the common clock */
	int64_t begin, after_database, after_file, end;
};

static struct fetch read_log(const struct recording *r, const char *page)
{
	char path[600], name[200], line[200], asked[50];
	snprintf(name, sizeof(name), "%s/app.log", r->name);
	recording_path(path, sizeof(path), name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	uint32_t h = recording_host(r, "server");
	struct fetch fetch = { 0 };
	while (fgets(line, sizeof(line), f)) {
		int64_t t[4];
		if (sscanf(line,
			    "%" SCNd64 " app request %49s sqlite until %" SCNd64
			    " file until %" SCNd64 " done %" SCNd64,
			    &t[0], asked, &t[1], &t[2], &t[3]) == 5 &&
			strcmp(asked, page) == 0)
			fetch = (struct fetch){ recording_time(r, h, t[0]),
				recording_time(r, h, t[1]), recording_time(r, h, t[2]),
				recording_time(r, h, t[3]) };
	}
	fclose(f);
	assert_int_not_equal(fetch.begin, 0);
	return fetch;
}

struct times {				  /* ns */
	int64_t all, nginx, python, disk; /* all but the first on the server */
};

/* Whether it is of a task of this name; or that has the CPU which another one, that the path is
 * with, still needs before it can wait. */
static bool is_of(const struct path *p, const struct path_segment *s, const char *comm)
{
	const struct kernel_host *h = &p->world->hosts[s->host];
	if (s->task != KERNEL_NONE && strcmp(kernel_comm(h, s->task), comm) == 0)
		return true;
	return s->cause == PATH_RUNNABLE && s->by != KERNEL_NONE &&
	       strcmp(kernel_comm(h, kernel_span(h, s->by)->task), comm) == 0;
}

static struct times sum_between(const struct path *p, int64_t begin, int64_t end, uint32_t server)
{
	struct times u = { 0 };
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		int64_t from = s->begin > begin ? s->begin : begin,
			to = s->end < end ? s->end : end;
		if (from >= to)
			continue;
		u.all += to - from;
		if (s->host != server)
			continue;
		u.disk += s->cause == PATH_DISK ? to - from : 0;
		u.nginx += is_of(p, s, "nginx") ? to - from : 0;
		u.python += is_of(p, s, "python3") ? to - from : 0;
	}
	return u;
}

/* The tasks named wget, in the order in which they began. */
static void find_fetches(const struct recording *r, uint32_t client, uint32_t *tasks)
{
	const struct kernel_host *h = &r->w->hosts[client];
	uint32_t n = 0;
	for (uint32_t t = 0; (t = kernel_find_task(h, -1, "wget", t)) != KERNEL_NONE; t++) {
		assert_true(n < 2);
		tasks[n++] = t;
	}
	assert_int_equal(n, 2);
	if (h->tasks[tasks[0]].begin > h->tasks[tasks[1]].begin) {
		uint32_t t = tasks[0];
		tasks[0] = tasks[1];
		tasks[1] = t;
	}
}

static void check_fetches(const char *name)
{
	static const char *const pages[] = { "/cold", "/hot" };
	struct recording opened, *r = &opened;
	uint32_t tasks[2];
	recording_open(r, name);
	uint32_t client = recording_host(r, "client"), server = recording_host(r, "server");
	find_fetches(r, client, tasks);
	for (int i = 0; i < 2; i++) {
		struct fetch f = read_log(r, pages[i]);
		struct path p;
		recording_find_path(r, client, tasks[i], INT64_MIN, INT64_MAX, &p);
		struct times all = sum_between(&p, p.begin, p.end, server),
			     app = sum_between(&p, f.begin, f.end, server);
		assert_true(p.begin < f.begin && f.end < p.end);
		assert_int_equal(all.all, p.end - p.begin);
		assert_int_equal(p.unexplained_ns, 0);
		assert_int_equal(p.n_unresolved_remote, 0);
		assert_true(all.nginx > SLACK_NS);
		/* While the program was at it, the path is with it, and with the disk. */
		if (app.python < f.end - f.begin - 2 * SLACK_NS)
			fail_msg("%s %s: python3 %" PRId64 " of %" PRId64, name, pages[i],
				app.python, f.end - f.begin);
		if (i == 0)
			assert_true(all.disk > SLACK_NS);
		else
			assert_int_equal(all.disk, 0);
		path_fini(&p);
	}
	recording_close(r);
}

static void the_disk_of_the_server_shows_when_cold(void **state)
{
	(void)state;
	check_fetches("lab/wget-cold-hot");
}

/* The same where interrupts are served by threads: it is still the disk that is waited for. */
static void with_interrupt_threads(void **state)
{
	(void)state;
	check_fetches("lab/threadirqs");
}

static void nothing_is_invented_without_a_common_clock(void **state)
{
	(void)state;
	struct recording opened, *r = &opened;
	uint32_t tasks[2];
	recording_open(r, "lab/wget-cold-hot-nogro");
	uint32_t client = recording_host(r, "client");
	assert_true(r->result->hosts[0].group != r->result->hosts[1].group);
	for (uint32_t i = 0; i < r->w->n_bridges; i++)
		assert_int_equal(r->w->bridges[i].from.host, r->w->bridges[i].to.host);
	find_fetches(r, client, tasks);
	for (int i = 0; i < 2; i++) {
		struct path p;
		recording_find_path(r, client, tasks[i], INT64_MIN, INT64_MAX, &p);
		for (size_t k = 0; k < p.n_segments; k++)
			assert_int_equal(p.segments[k].host, client);
		assert_true(p.n_unresolved_remote > 0);
		/* The server took longer than that, by its own log. */
		assert_true(p.by_cause[PATH_NETWORK] > 50000000);
		path_fini(&p);
	}
	recording_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_disk_of_the_server_shows_when_cold),
		cmocka_unit_test(with_interrupt_threads),
		cmocka_unit_test(nothing_is_invented_without_a_common_clock),
	};
	return cmocka_run_group_tests_name("fetches", tests, NULL, NULL);
}
