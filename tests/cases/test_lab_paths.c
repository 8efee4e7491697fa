/* Requests of the RPC client, whose server logged what it did when: the path of the client over
 * each request says so. On one machine and on two. */
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

enum {
	MAX_LOG = 100,
	/* Clocks are known to about 0.3 ms; between a program's look at the clock and the call
	 * before or after it lie some 0.2 ms on these emulated machines, and an interrupt now and
	 * then. */
	SLACK_NS = 1000000,
	MS = 1000000
};

struct logged { /* "begin h 100000 us" to "end h 100000 us" */
	int32_t tid;
	char kind;
	int64_t begin, end; /* on the common clock */
	int64_t asked;	    /* ns */
};

static size_t read_log(
	const struct recording *r, const char *file, const char *host, struct logged *rows)
{
	char path[600], line[200], what[10], kind;
	size_t n = 0;
	int64_t t, us;
	int tid;
	snprintf(path, sizeof(path), "%s/%s", r->name, file);
	recording_path(line, sizeof(line), path);
	FILE *f = fopen(line, "r");
	assert_non_null(f);
	uint32_t h = recording_host(r, host);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNd64 " %d %*s %*s %9s %c %" SCNd64 " us", &t, &tid, what,
			    &kind, &us) != 5)
			continue;
		t = recording_time(r, h, t);
		if (strcmp(what, "begin") == 0) {
			assert_true(n < MAX_LOG);
			rows[n++] = (struct logged){ tid, kind, t, INT64_MAX, us * 1000 };
		} else if (strcmp(what, "end") == 0) {
			assert_true(n > 0 && rows[n - 1].kind == kind);
			rows[n - 1].end = t;
		}
	}
	fclose(f);
	return n;
}

struct sums { /* of a path inside a window, ns */
	int64_t total;
	int64_t by_cause[PATH_N_CAUSES];
	int64_t on_server;			   /* the machine */
	int64_t client;				   /* the task itself */
	int64_t ran_server, ran_child, ran_client; /* on a CPU, interrupted or not */
	int64_t slept_server, slept_client;
};

static void add_segment(struct sums *u, const struct path *p, const struct path_segment *s,
	int64_t ns, uint32_t host)
{
	const struct kernel_host *h = &p->world->hosts[s->host];
	bool ran = s->cause == PATH_RUNNING || s->cause == PATH_INTERRUPTED;
	/* On one CPU the server may be at it already before the client waits for it. */
	bool others = s->cause == PATH_RUNNABLE && s->by != KERNEL_NONE;
	uint32_t task = others ? kernel_span(h, s->by)->task : s->task;
	/* A name that a program gives itself is seen when it is next switched. */
	const char *comm = task == KERNEL_NONE ? "" : kernel_comm(h, task);
	u->total += ns;
	u->by_cause[s->cause] += ns;
	u->on_server += s->host == host ? ns : 0;
	if (s->depth == 0 && s->task == p->task) {
		u->client += ns;
		u->ran_client += ran ? ns : 0;
		u->slept_client += s->cause == PATH_TIMER ? ns : 0;
	}
	if (strcmp(comm, "rpc-srv") == 0) {
		u->ran_server += ran || others ? ns : 0;
		u->slept_server += s->cause == PATH_TIMER ? ns : 0;
	} else if (strcmp(comm, "rpc-child") == 0) {
		u->ran_child += ran || others ? ns : 0;
	}
}

static struct sums sum_between(const struct path *p, int64_t begin, int64_t end, uint32_t server)
{
	struct sums u = { 0 };
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		int64_t from = s->begin > begin ? s->begin : begin,
			to = s->end < end ? s->end : end;
		if (from < to)
			add_segment(&u, p, s, to - from, server);
	}
	return u;
}

#define NEAR(a, low, high)                                                                         \
	do {                                                                                       \
		int64_t a_ = (a), low_ = (low), high_ = (high);                                    \
		if (a_ < low_ || a_ > high_)                                                       \
			fail_msg("%s %c: %s is %" PRId64 ", not %" PRId64 "..%" PRId64, r->name,   \
				c->kind, #a, a_, low_, high_);                                     \
	} while (0)

static bool waits_in_fsync(const struct path *p)
{
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		const struct kernel_host *h = &p->world->hosts[s->host];
		if (s->cause != PATH_DISK || s->call == KERNEL_NONE || s->source == KERNEL_NONE)
			continue;
		const struct kernel_call *call = &h->calls[s->call];
		if (strcmp(kernel_name_text(h, call->name), "fsync") == 0 &&
			strcmp(kernel_name_text(h, call->object), "/data/rpc.dat") == 0 &&
			h->requests[s->source].flags & KERNEL_WRITE)
			return true;
	}
	return false;
}

/* What the server logged as s, against the path while it did so. */
static void check_server(const struct recording *r, const struct path *p, const struct logged *c,
	const struct logged *s, uint32_t server)
{
	int64_t took = s->end - s->begin;
	struct sums u = sum_between(p, s->begin, s->end, server);
	struct sums all = sum_between(p, c->begin, c->end, server);
	assert_true(c->begin <= s->begin + SLACK_NS && s->end <= c->end + SLACK_NS);
	/* All that while the path is with the server. */
	NEAR(u.on_server, took - 2 * SLACK_NS, took);
	switch (c->kind) {
	/* The client may not have begun to wait when it falls asleep. */
	case 's': NEAR(all.slept_server, s->asked - SLACK_NS, took); break;
	/* It hogs until its CPU clock, which counts interruptions too, has advanced so much. */
	case 'h':
		NEAR(u.ran_server, s->asked - SLACK_NS, took);
		NEAR(all.slept_server, 0, 0);
		break;
	case 'f':
		NEAR(u.ran_child, s->asked - SLACK_NS, took);
		NEAR(all.slept_server, 0, 0);
		break;
	case 'd':
		assert_true(waits_in_fsync(p));
		NEAR(u.by_cause[PATH_DISK], MS / 10, took); /* it is a quick one */
		NEAR(all.slept_server, 0, 0);
		break;
	default: NEAR(all.by_cause[PATH_TIMER] + all.by_cause[PATH_DISK], 0, 0);
	}
	if (c->kind != 'd')
		NEAR(all.by_cause[PATH_DISK], 0, SLACK_NS);
	if (c->kind != 'f')
		NEAR(all.ran_child, 0, 0);
}

static void check_client(
	const struct recording *r, const struct path *p, const struct logged *c, uint32_t server)
{
	int64_t took = c->end - c->begin;
	struct sums u = sum_between(p, c->begin, c->end, server);
	assert_int_equal(u.total, took);
	NEAR(p->unexplained_ns, 0, 0);
	switch (c->kind) {
	case 'S':
		NEAR(u.slept_client, c->asked, took);
		NEAR(u.client, took, took);
		break;
	case 'L':
		NEAR(u.ran_client, c->asked - SLACK_NS, took);
		NEAR(u.client, took, took);
		break;
	default: NEAR(u.slept_client, 0, 0);
	}
}

/* How much of a request's time was sleep, and how much work or waiting for a CPU. */
struct answer {
	char kind;
	double asleep, awake;
};

static size_t check_requests(const char *name, const char *client, struct answer *answers)
{
	struct recording opened, *r = &opened;
	struct logged asked[MAX_LOG], served[MAX_LOG];
	recording_open(r, name);
	uint32_t host = recording_host(r, client), server = recording_host(r, "server");
	size_t n_asked = read_log(r, "cli.log", client, asked),
	       n_served = read_log(r, "srv.log", "server", served), k = 0;
	for (size_t i = 0; i < n_asked; i++) {
		const struct logged *c = &asked[i];
		struct path p;
		recording_find_path(
			r, host, recording_task(r, host, c->tid, NULL), c->begin, c->end, &p);
		assert_int_equal(p.begin, c->begin);
		assert_int_equal(p.end, c->end);
		check_client(r, &p, c, server);
		if (c->kind != 'L' && c->kind != 'S') {
			assert_true(k < n_served && served[k].kind == c->kind);
			check_server(r, &p, c, &served[k++], server);
		}
		answers[i].kind = c->kind;
		double took = (double)(c->end - c->begin);
		answers[i].asleep = (double)p.by_cause[PATH_TIMER] / took;
		answers[i].awake =
			(double)(p.by_cause[PATH_RUNNING] + p.by_cause[PATH_INTERRUPTED] +
				 p.by_cause[PATH_RUNNABLE]) /
			took;
		path_fini(&p);
	}
	assert_int_equal(k, n_served);
	recording_close(r);
	return n_asked;
}

static void requests_are_what_the_server_did(void **state)
{
	(void)state;
	struct answer one[MAX_LOG], two[MAX_LOG];
	size_t n_one = check_requests("lab/clihog-srvhog-1vm", "server", one),
	       n_two = check_requests("lab/clihog-srvhog-2vm", "client", two);
	enum { SCHEDULE = 10 };
	assert_int_equal(n_one, SCHEDULE + 1);
	assert_int_equal(n_two, 2 * SCHEDULE + 1);
	/* On one machine and on two, and each time, the same. Not of those that take no time, where
	 * the way there and back is the greater part, nor of the disk, which takes as long as it
	 * likes, nor of the first request, which meets cold caches. */
	for (size_t i = 1; i < 2 * SCHEDULE; i++) {
		const struct answer *a = &one[i % SCHEDULE], *b = &two[i];
		assert_int_equal(a->kind, b->kind);
		double asleep = a->asleep - b->asleep, awake = a->awake - b->awake;
		if (i != SCHEDULE && !strchr("nd", a->kind) &&
			(fabs(asleep) > 0.2 || fabs(awake) > 0.2))
			fail_msg("request %zu, %c: asleep %.3f and %.3f of it, awake %.3f and %.3f",
				i, a->kind, a->asleep, b->asleep, a->awake, b->awake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(requests_are_what_the_server_did) };
	return cmocka_run_group_tests_name("requests and the server's log", tests, NULL, NULL);
}
