/* Containers on one host that ask each other through virtual interfaces and a bridge: each packet
 * is sent and received on up to four of them. The path of a client goes to the servers that it
 * asked, which ask others, in other containers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"

enum { MS = 1000000 };

struct asked { /* a server, and how long it worked for the client at least, by its log */
	int32_t tid;
	int64_t least;
};
/* rpc-srv of the first container is 223, of the second 225, of the third 230. */
static const struct {
	int32_t tid, vtid; /* of the client */
	struct asked servers[3];
} clients[] = {
	/* h:40 s:40 f:30 h:20 of the second, which for c:30 asks the third. */
	{ 336, 5,
		{ { 225, 95 * (int64_t)MS }, { 230, 28 * (int64_t)MS },
			{ 337, 28 * (int64_t)MS } } },
	/* h:30 s:20 of the third. */
	{ 342, 7, { { 230, 48 * (int64_t)MS } } },
	/* From the host itself: h:30 of the first, which for c:20 asks the second. */
	{ 345, 345, { { 223, 28 * (int64_t)MS }, { 225, 18 * (int64_t)MS } } },
};
enum { N = sizeof(clients) / sizeof(*clients) };

static int64_t time_of(const struct path *p, int32_t tid)
{
	int64_t ns = 0;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		const struct kernel_host *h = &p->world->hosts[s->host];
		if (s->task != KERNEL_NONE && h->tasks[s->task].tid == tid)
			ns += s->end - s->begin;
	}
	return ns;
}

static void clients_lead_to_their_servers(void **state)
{
	(void)state;
	struct recording r;
	recording_open(&r, "lab/netns-containers");
	for (size_t i = 0; i < N; i++) {
		uint32_t task = recording_task(&r, 0, clients[i].tid, NULL);
		const struct kernel_task *t = &r.w->hosts[0].tasks[task];
		struct path p;
		assert_string_equal(kernel_comm(&r.w->hosts[0], task), "rpc-cli");
		/* Threads that begin while recorded: their inner number is not in the state
		 * dump. */
		assert_true(t->vtid == clients[i].vtid || t->vtid == -1);
		recording_find_path(&r, 0, task, INT64_MIN, INT64_MAX, &p);
		for (const struct asked *a = clients[i].servers;
			a < clients[i].servers + 3 && a->tid; a++)
			if (time_of(&p, a->tid) < a->least)
				fail_msg("path of %d: %.3f ms of %d", (int)clients[i].tid,
					(double)time_of(&p, a->tid) / MS, (int)a->tid);
		/* What packets were waited for on is little. */
		assert_true(p.by_cause[PATH_NETWORK] < 2 * MS);
		path_fini(&p);
	}
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(clients_lead_to_their_servers) };
	return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
