/* What a task is charged is what its critical path walks through: of every task of a recording, the
 * time of each helper on a CPU is the same in both. An account leaves out what happened in waits
 * for work, unless it is told not to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/account.h"
#include "recording.h"

#define MS 1e6

struct compared {
	struct recording r;
	struct blocked b;
	struct account_index *x;
	size_t n_tasks;
	/* Of each task of all hosts: its time on a CPU on one path, and in one account. */
	int64_t *on_path, *charged;
	int64_t idle; /* rests of that account that are idle, or a person's time */
	int64_t total;
};

static size_t number_of(const struct compared *c, uint32_t host, uint32_t task)
{
	return (size_t)c->b.hosts[host].processes + task;
}

static const char *task_text(
	const struct compared *c, uint32_t host, uint32_t task, char *text, size_t size)
{
	const struct kernel_host *h = &c->r.w->hosts[host];
	snprintf(text, size, "%s/%d on host %u", kernel_comm(h, task), (int)h->tasks[task].tid,
		(unsigned)host);
	return text;
}

static void sum_path(struct compared *c, uint32_t host, uint32_t task)
{
	struct path p;
	memset(c->on_path, 0, c->n_tasks * sizeof(*c->on_path));
	recording_find_path(&c->r, host, task, INT64_MIN, INT64_MAX, &p);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		bool is_on_cpu = s->cause == PATH_RUNNING || s->cause == PATH_INTERRUPTED;
		if (is_on_cpu && s->task != KERNEL_NONE)
			c->on_path[number_of(c, s->host, s->task)] += s->end - s->begin;
	}
	path_fini(&p);
}

static void sum_account(struct compared *c, uint32_t host, uint32_t task, bool all)
{
	struct account a;
	struct mer_err err = { 0 };
	memset(c->charged, 0, c->n_tasks * sizeof(*c->charged));
	c->idle = 0;
	assert_int_equal(account_find(c->x, host, task, INT64_MIN, INT64_MAX, all, &a, &err), 0);
	for (uint32_t i = 0; i < a.n; i++) {
		c->charged[number_of(c, a.nodes[i].host, a.nodes[i].task)] += a.nodes[i].self_ns;
		c->idle +=
			a.nodes[i].residual_ns[ACCOUNT_IDLE] + a.nodes[i].residual_ns[PATH_INPUT];
	}
	account_fini(&a);
}

/* Each helper: the same within 4 % and 1 ms. Where waits were left out, less may be charged, all
 * together no more than these took. */
static void compare(struct compared *c, uint32_t host, uint32_t task, bool all)
{
	int64_t missing = 0;
	for (uint32_t h = 0; h < c->r.w->n_hosts; h++)
		for (uint32_t t = 0; t < c->r.w->hosts[h].n_tasks; t++) {
			size_t at = number_of(c, h, t);
			int64_t off = c->charged[at] - c->on_path[at];
			int64_t most = c->on_path[at] / 25 + 1000000;
			char name[80], helper[80];
			missing += off < 0 ? -off : 0;
			c->total += c->charged[at];
			if (off <= most && (off >= -most || c->idle))
				continue;
			fail_msg("%s: %s%s: of %s %.3f ms are on the path, %.3f ms are charged",
				c->r.name, task_text(c, host, task, name, sizeof(name)),
				all ? ", all waits" : "",
				task_text(c, h, t, helper, sizeof(helper)),
				(double)c->on_path[at] / MS, (double)c->charged[at] / MS);
		}
	assert_true(all || missing <= c->idle + c->total / 25 + 1000000);
}

static void check_recording(const char *name)
{
	struct compared c = { 0 };
	struct mer_err err = { 0 };
	recording_open(&c.r, name);
	assert_int_equal(blocked_find(c.r.w, &c.b, &err), 0);
	assert_int_equal(account_index_new(&c.b, NULL, &c.x, &err), 0);
	for (uint32_t h = 0; h < c.r.w->n_hosts; h++)
		c.n_tasks += c.r.w->hosts[h].n_tasks;
	c.on_path = calloc(c.n_tasks + 1, sizeof(*c.on_path));
	c.charged = calloc(c.n_tasks + 1, sizeof(*c.charged));
	assert_true(c.on_path && c.charged);
	for (uint32_t h = 0; h < c.r.w->n_hosts; h++)
		for (uint32_t t = 0; t < c.r.w->hosts[h].n_tasks; t++) {
			sum_path(&c, h, t);
			for (int all = 0; all < 2; all++) {
				sum_account(&c, h, t, all);
				compare(&c, h, t, all);
			}
		}
	assert_true(c.total > 0);
	free(c.on_path);
	free(c.charged);
	account_index_free(c.x);
	blocked_fini(&c.b);
	recording_close(&c.r);
}

#define RECORDING(name, folder)                                                                    \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		check_recording(folder);                                                           \
	}
RECORDING(cold_and_warm, "lab/cold-disk")
RECORDING(three_tiers, "lab/web-load")
RECORDING(shop, "lab/shop-a")
RECORDING(logins, "lab/login-tree")
RECORDING(two_tracers, "lab/ftrace-lttng")
RECORDING(guests, "lab/kvm-nested")
RECORDING(ways_to_communicate, "lab/ipc-zoo")
RECORDING(ranks, "lab/mpi-3vm")
RECORDING(one_cpu, "lab/clihog-srvhog-1vm")
RECORDING(containers, "lab/netns-containers")
RECORDING(lost_events, "lab/web-lossy")
RECORDING(stock, "lab/stock-ft")
RECORDING(django, "public/django-vote")

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_and_warm),
		cmocka_unit_test(three_tiers),
		cmocka_unit_test(shop),
		cmocka_unit_test(logins),
		cmocka_unit_test(two_tracers),
		cmocka_unit_test(guests),
		cmocka_unit_test(ways_to_communicate),
		cmocka_unit_test(ranks),
		cmocka_unit_test(one_cpu),
		cmocka_unit_test(containers),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(stock),
		cmocka_unit_test(django),
	};
	return cmocka_run_group_tests_name("accounts and paths", tests, NULL, NULL);
}
