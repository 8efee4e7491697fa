/* Tables of a host by hand: tasks, names, calls, requests, pieces of waits, and what is still open;
 * and where peers' packets go to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernel/local_endpoints.h"
#include "kernel/world.h"

static uint32_t span(struct kernel_host *h, uint32_t task, int64_t begin, enum kernel_state state)
{
	const struct kernel_span s = { .begin = begin,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.state = (uint8_t)state };
	return kernel_add_span(h, &s);
}

static void new_task(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	assert_int_equal(kernel_add_task(&h, 7, 100), 0);
	assert_int_equal(kernel_add_task(&h, 7, 200), 1);
	const struct kernel_task *t = &h.tasks[1];
	assert_true(t->begin == 200 && t->end == INT64_MAX && t->died == INT64_MAX);
	assert_true(t->tid == 7 && t->pid == -1 && t->ppid == -1 && t->vtid == -1 && t->vpid == -1);
	assert_true(t->parent == KERNEL_NONE && t->last == KERNEL_NONE && t->name == KERNEL_NONE);
	assert_true(t->prio == KERNEL_NO_PRIO && !t->born && !t->is_kernel);
	assert_string_equal(kernel_comm(&h, 1), "");
	kernel_host_fini(&h);
}

/* Of spans without length the last one; back from the span that is given. */
static void span_at_a_time(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	uint32_t a = kernel_add_task(&h, 1, 0), b = kernel_add_task(&h, 2, 0);
	uint32_t first = span(&h, a, 10, KERNEL_USER);
	span(&h, b, 15, KERNEL_USER);
	uint32_t second = span(&h, a, 20, KERNEL_SYSCALL), third = span(&h, a, 20, KERNEL_USER),
		 last = span(&h, a, 30, KERNEL_BLOCKED);
	assert_int_equal(kernel_span(&h, first)->before, KERNEL_NONE);
	assert_int_equal(kernel_span(&h, second)->before, first);
	assert_int_equal(h.tasks[a].last, last);
	assert_int_equal(kernel_span_at(&h, a, 9, KERNEL_NONE), KERNEL_NONE);
	assert_int_equal(kernel_span_at(&h, a, 10, KERNEL_NONE), first);
	assert_int_equal(kernel_span_at(&h, a, 19, KERNEL_NONE), first);
	assert_int_equal(kernel_span_at(&h, a, 20, KERNEL_NONE), third);
	assert_int_equal(kernel_span_at(&h, a, 29, KERNEL_NONE), third);
	assert_int_equal(kernel_span_at(&h, a, 30, KERNEL_NONE), last);
	assert_int_equal(kernel_span_at(&h, a, INT64_MAX, KERNEL_NONE), last);
	assert_int_equal(kernel_span_at(&h, a, INT64_MAX, second), second);
	assert_int_equal(kernel_span_at(&h, a, 15, second), first);
	kernel_host_fini(&h);
}

static void names(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	uint32_t t = kernel_add_task(&h, 1, 0);
	assert_int_equal(kernel_rename(&h, t, 10, "sh", 2, NULL), 0);
	assert_int_equal(kernel_rename(&h, t, 20, "sh", 2, NULL), 0); /* the same: no new one */
	assert_int_equal(h.n_renames, 1);
	assert_int_equal(kernel_rename(&h, t, 30, "shell", 2 + 3, NULL), 0);
	assert_int_equal(kernel_rename(&h, t, 40, "shelf", 2 + 3, NULL), 0);
	assert_int_equal(kernel_rename(&h, t, 50, "sh", 2, NULL), 0);
	assert_int_equal(h.n_renames, 4);
	assert_int_equal(h.tasks[t].name, 3);
	assert_string_equal(kernel_comm(&h, t), "sh");
	assert_string_equal(kernel_name_text(&h, KERNEL_NONE), "");
	/* All that it had, from the last one back. */
	static const char *const had[] = { "sh", "shelf", "shell", "sh" };
	uint32_t n = h.tasks[t].name;
	for (size_t i = 0; i < 4; i++, n = h.renames[n].before)
		assert_string_equal(kernel_name_text(&h, h.renames[n].name), had[i]);
	assert_int_equal(n, KERNEL_NONE);
	/* The last one that was told, also where time goes backwards. */
	assert_int_equal(kernel_rename(&h, t, 45, "late", 4, NULL), 0);
	assert_string_equal(kernel_comm(&h, t), "late");
	kernel_host_fini(&h);
}

/* Each different call is there once; what it does follows from its name. */
static void calls(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	uint32_t read = mer_intern_add(&h.names, "read", 4),
		 file = mer_intern_add(&h.names, "/f", 2);
	const struct kernel_call c = { .name = read, .object = file, .fd = 3, .kind = 1, .end = 0 };
	struct kernel_call other[5] = { c, c, c, c, c };
	other[0].name = file;
	other[1].object = KERNEL_NONE;
	other[2].fd = 4;
	other[3].kind = 2;
	other[4].end = 1;
	assert_int_equal(kernel_add_call(&h, &c), 0);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(kernel_add_call(&h, &other[i]), i + 1);
	assert_int_equal(kernel_add_call(&h, &c), 0);
	assert_int_equal(h.n_calls, 6);
	assert_int_equal(h.calls[0].id, kernel_call_id("read"));
	assert_true(kernel_classes(&h, 0) & KERNEL_CALLS_READ);
	assert_int_equal(h.calls[1].id, 0);
	assert_int_equal(kernel_classes(&h, 1), 0);
	assert_int_equal(kernel_classes(&h, KERNEL_NONE), 0);
	struct kernel_call known = c;
	known.fd = 9;
	known.id = 5;
	assert_int_equal(h.calls[kernel_add_call(&h, &known)].id, 5);
	kernel_host_fini(&h);
}

/* A piece of a wait that timed out says which one is the last, and that one which is the first. */
static void pieces(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	uint32_t t = kernel_add_task(&h, 1, 0), piece = span(&h, t, 10, KERNEL_BLOCKED),
		 last = span(&h, t, 20, KERNEL_BLOCKED);
	struct kernel_span *s = kernel_span(&h, piece);
	assert_int_equal(kernel_wait_first(&h, last), last);
	s->cause = KERNEL_TIMER;
	assert_int_equal(kernel_wait_end(&h, piece), piece);
	s->source = last;
	assert_int_equal(kernel_wait_end(&h, piece), last);
	s->cause = KERNEL_TASK;
	assert_int_equal(kernel_wait_end(&h, piece), piece);
	s->cause = KERNEL_TIMER;
	s->state = KERNEL_INTERRUPTED;
	assert_int_equal(kernel_wait_end(&h, piece), piece);
	*mer_map_put(&h.first_pieces, last) = piece + 1;
	assert_int_equal(kernel_wait_first(&h, last), piece);
	assert_int_equal(kernel_wait_first(&h, piece), piece);
	kernel_host_fini(&h);
}

static void words(void **state)
{
	static const char *const states[] = { "unknown", "running", "user", "syscall", "thread",
		"interrupted", "runnable", "blocked", "new", "stopped", "dead", "?" };
	static const char *const causes[] = { "unknown", "disk", "network", "timer", "task",
		"futex", "pipe", "input", "ipi", "irq", "softirq", "stolen", "hypervisor", "?" };
	static const char *const softirqs[] = { "hi", "timer", "net_tx", "net_rx", "block",
		"irq_poll", "tasklet", "sched", "hrtimer", "rcu" };
	static const struct {
		enum kernel_state state;
		const char *name;
	} some[] = { { KERNEL_UNKNOWN, "unknown" }, { KERNEL_USER, "user" },
		{ KERNEL_BLOCKED, "blocked" }, { KERNEL_DEAD, "dead" } };
	(void)state;
	unsigned n_found = 0;
	for (unsigned i = 0; i <= KERNEL_N_STATES; i++)
		for (unsigned k = 0; k < sizeof(states) / sizeof(states[0]); k++)
			n_found += strcmp(kernel_state_name((enum kernel_state)i), states[k]) == 0;
	assert_int_equal(n_found, KERNEL_N_STATES + 1);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(kernel_state_name(some[i].state), some[i].name);
	n_found = 0;
	for (unsigned i = 0; i <= KERNEL_N_CAUSES; i++)
		for (unsigned k = 0; k < sizeof(causes) / sizeof(causes[0]); k++)
			n_found += strcmp(kernel_cause_name((enum kernel_cause)i), causes[k]) == 0;
	assert_int_equal(n_found, KERNEL_N_CAUSES + 1);
	for (uint32_t i = 0; i < 10; i++)
		assert_string_equal(kernel_softirq_name(i), softirqs[i]);
	assert_null(kernel_softirq_name(10));
	assert_null(kernel_softirq_name(UINT32_MAX));
}

/* ---- local endpoints ---- */

static void is_local(struct kernel_world *w, uint32_t host, uint32_t remote, uint32_t expected)
{
	struct kernel_local_endpoints l = { .w = w };
	uint32_t local = 77;
	assert_true(kernel_local_endpoint(&l, host, remote, &local));
	assert_int_equal(local, expected);
	assert_true(
		kernel_local_endpoint(&l, host, remote, &local)); /* again, from what was found */
	assert_int_equal(local, expected);
	kernel_local_endpoints_fini(&l);
}

static void local_endpoints(void **state)
{
	(void)state;
	struct kernel_bridge b[3] = { { .kind = SYNC_TCP,
					      .from = { .host = 0, .endpoint = 10 },
					      .to = { .host = 1, .endpoint = 20 } },
		{ .kind = SYNC_UDP,
			.from = { .host = 0, .endpoint = 11 },
			.to = { .host = 1, .endpoint = 21 } },
		{ .kind = SYNC_TCP, .from = { .host = 0 }, .to = { .host = 1, .endpoint = 22 } } };
	struct kernel_single singles[2] = {
		{ .host = 1, .source = 30, .destination = 20 },
		{ .host = 1, .source = 31, .destination = 32, .is_send = true },
	};
	struct kernel_world w = {
		.bridges = b, .n_bridges = 3, .singles = singles, .n_singles = 2
	};
	is_local(&w, 1, 10, 20);
	is_local(&w, 0, 20, 10);
	is_local(&w, 0, 10, 0); /* of another host */
	is_local(&w, 1, 11, 0); /* no TCP */
	is_local(&w, 0, 22, 0); /* its begin is not known */
	is_local(&w, 1, 30, 20);
	is_local(&w, 1, 31, 0); /* it was sent, so that is the local one */
	is_local(&w, 1, 32, 0);
	b[1] = b[0]; /* the same again */
	is_local(&w, 1, 10, 20);
	b[1].to.endpoint = 21; /* two of them */
	is_local(&w, 1, 10, 0);
	is_local(&w, 0, 20, 10);
	is_local(&w, 0, 21, 10);
	b[2] = b[0];
	is_local(&w, 1, 10, 0);
	assert_true(kernel_endpoints_key(3, 5) == kernel_endpoints_key(5, 3));
	assert_true(kernel_endpoints_key(3, 5) == ((uint64_t)3 << 32 | 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_task),
		cmocka_unit_test(span_at_a_time),
		cmocka_unit_test(names),
		cmocka_unit_test(calls),
		cmocka_unit_test(pieces),
		cmocka_unit_test(words),
		cmocka_unit_test(local_endpoints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
