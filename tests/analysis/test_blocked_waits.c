/* What is known of each wait (blocked.c): when it began, ended and was asked for, what kind it was,
 * and who ended it; and what its task started itself (blocked_started.c). Worlds by hand, in ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "path/blocked.h"
#include "world_text.h"

/* Of task 0:1, "BEGIN-END RUN KIND CAUSE", with " by TID" (host before it), " asked N" where that
 * is not the end, " open", and " several" where it is not certainly one span. */
static void describe(const struct tasks_world *t, const struct blocked *b, struct mer_str *out)
{
	const struct blocked_host *h = &b->hosts[0];
	uint32_t task = world_text_task(t, 0, 1);
	for (size_t i = h->first[task]; i < h->first[task + 1]; i++) {
		const struct blocked_wait *w = &h->waits[i];
		assert_int_equal(w->task, task);
		mer_str_printf(out, "%s%d-%d %d %s %s", out->len ? ", " : "", (int)(w->begin / MS),
			(int)(w->end / MS), (int)(w->run / MS),
			blocked_kind_name((enum blocked_kind)w->kind),
			kernel_cause_name((enum kernel_cause)w->cause));
		if (w->by_task != KERNEL_NONE)
			mer_str_printf(out, " by %u:%d", (unsigned)w->by_host,
				(int)t->hosts[w->by_host].tasks[w->by_task].tid);
		else
			assert_int_equal(w->by_host, KERNEL_NONE);
		if (w->asked != w->end)
			mer_str_printf(out, " asked %d", (int)(w->asked / MS));
		mer_str_printf(
			out, "%s%s", w->open ? " open" : "", w->is_one_span ? "" : " several");
	}
}

static void waits_are(const char *world, const char *expected)
{
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	world_text(&t, world);
	t.hosts[0].end = 100 * MS;
	for (uint32_t i = 0; i < t.hosts[0].n_tasks; i++)
		if (t.hosts[0].tasks[i].died == INT64_MAX)
			t.hosts[0].tasks[i].end = 100 * MS;
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	describe(&t, &b, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	blocked_fini(&b);
	tw_fini(&t);
}

static void times(void **state)
{
	(void)state;
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n", "10-20 20 syscall disk");
	/* Ready until it has a CPU, in several stretches. */
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 runnable\n25 0:1 user\n",
		"10-20 25 syscall disk");
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 runnable\n22 0:1 runnable\n25 0:1 user\n30 "
		  "0:1 runnable\n40 0:1 user\n",
		"10-20 25 syscall disk");
	/* Blocked again at once: it is the same wait, of what the last one says. */
	waits_are("0 0:1 user\n10 0:1 read disk\n15 0:1 read timer\n20 0:1 user\n",
		"10-20 20 syscall timer several");
	waits_are("0 0:1 user\n10 0:1 read disk\n15 0:1 user\n16 0:1 read disk\n20 0:1 user\n",
		"10-15 15 syscall disk, 16-20 20 syscall disk");
	/* It has not ended; ended with its task's life; or was ready at the end. */
	waits_are("0 0:1 user\n10 0:1 read disk\n", "10-100 100 syscall disk open");
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 dead\n", "10-20 20 syscall disk");
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 runnable\n", "10-20 100 syscall disk");
	waits_are("0 0:1 user\n10 0:1 read disk\n20 0:1 read disk\n",
		"10-100 100 syscall disk open several");
	waits_are("0 0:1 user\n", "");
}

/* In a call; in the kernel; a page fault only if it was in user mode just before. */
static void kinds(void **state)
{
	(void)state;
	waits_are("0 0:1 user\n10 0:1 - disk\n20 0:1 user\n", "10-20 20 page-fault disk");
	waits_are("0 0:1 x kernel\n0 0:1 thread\n10 0:1 - disk\n20 0:1 thread\n",
		"10-20 20 kernel disk");
	waits_are("0 0:1 running\n10 0:1 - disk\n20 0:1 user\n", "10-20 20 unknown disk");
	waits_are("0 0:1 syscall\n10 0:1 - disk\n20 0:1 user\n", "10-20 20 unknown disk");
	waits_are("10 0:1 - disk\n20 0:1 user\n", "10-20 20 unknown disk");
	/* Interrupts, and waits for a CPU between, say nothing of the mode. */
	waits_are("0 0:1 user\n5 0:1 interrupted\n6 0:1 runnable\n10 0:1 - disk\n20 0:1 user\n",
		"10-20 20 page-fault disk");
	waits_are("0 0:1 user\n5 0:1 unknown\n6 0:1 runnable\n10 0:1 - disk\n20 0:1 user\n",
		"10-20 20 unknown disk");
	waits_are("0 0:1 user\n10 0:1 - disk\n20 0:1 runnable\n30 0:1 - disk\n40 0:1 user\n",
		"10-20 30 page-fault disk, 30-40 40 page-fault disk");
}

/* It is looked back so many spans, not more. */
static void mode_long_ago(void **state)
{
	(void)state;
	for (int n = 62; n <= 64; n++) {
		struct mer_str world = { 0 };
		mer_str_puts(&world, "0 0:1 user\n");
		for (int i = 0; i < n; i++)
			mer_str_printf(&world, "1 0:1 %s\n", i % 2 ? "interrupted" : "runnable");
		mer_str_puts(&world, "10 0:1 - disk\n20 0:1 user\n");
		waits_are(
			world.data, n == 62 ? "10-20 20 page-fault disk" : "10-20 20 unknown disk");
		mer_str_fini(&world);
	}
}

static void wakers(void **state)
{
	(void)state;
	waits_are("0 0:1 user\n0 0:2 user\n10 0:1 read pipe by 0:2\n20 0:1 user\n",
		"10-20 20 syscall pipe by 0:2");
	/* By a packet: when it was sent. */
	waits_are("0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n20 0:1 user\n",
		"10-20 20 syscall network by 1:2 asked 19");
	waits_are("0 0:1 user\n10 0:1 read network\n20 0:1 user\n", "10-20 20 syscall network");
}

/* The last one that began before that time. */
static void before(void **state)
{
	(void)state;
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	world_text(&t, "0 0:1 user\n0 0:2 user\n1 0:2 read disk\n2 0:2 user\n10 0:1 read "
		       "disk\n20 0:1 user\n30 0:1 read disk\n40 0:1 user\n");
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	uint32_t task = world_text_task(&t, 0, 1);
	const struct blocked_wait *first = &b.hosts[0].waits[b.hosts[0].first[task]];
	assert_null(blocked_before(&b, 0, task, 0));
	assert_null(blocked_before(&b, 0, task, 10 * MS));
	assert_ptr_equal(blocked_before(&b, 0, task, 10 * MS + 1), first);
	assert_ptr_equal(blocked_before(&b, 0, task, 30 * MS), first);
	assert_ptr_equal(blocked_before(&b, 0, task, 30 * MS + 1), first + 1);
	assert_ptr_equal(blocked_before(&b, 0, task, INT64_MAX), first + 1);
	blocked_fini(&b);
	tw_fini(&t);
}

/* Processes have numbers of their own over all hosts; threads have their leader's: the latest
 * before them that has their pid as its tid. */
static void processes(void **state)
{
	(void)state;
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	tw_init(&t, 2, 100);
	uint32_t orphan = tw_task(&t, 0, 12, "orphan"), leader = tw_task(&t, 0, 10, "leader"),
		 thread = tw_task(&t, 0, 11, "thread"), again = tw_task(&t, 0, 10, "again"),
		 later = tw_task(&t, 0, 13, "later"), nobody = tw_task(&t, 0, 14, "nobody"),
		 idle = tw_task(&t, 0, 0, "idle"), of_idle = tw_task(&t, 0, 15, "of idle"),
		 there = tw_task(&t, 1, 10, "there");
	t.hosts[0].tasks[orphan].pid = t.hosts[0].tasks[thread].pid = t.hosts[0].tasks[later].pid =
		10;
	t.hosts[0].tasks[nobody].pid = -1;
	t.hosts[0].tasks[of_idle].pid = 0;
	assert_int_equal(blocked_begin(&t.w, &b, &err), 0);
	const uint32_t *leaders = b.hosts[0].leaders;
	assert_int_equal(leaders[orphan], orphan);
	assert_int_equal(leaders[leader], leader);
	assert_int_equal(leaders[thread], leader);
	assert_int_equal(leaders[again], again);
	assert_int_equal(leaders[later], again);
	assert_int_equal(leaders[nobody], nobody);
	assert_int_equal(leaders[idle], idle);
	assert_int_equal(leaders[of_idle], idle);
	assert_int_equal(blocked_process(&b, 0, thread), leader);
	assert_int_equal(blocked_process(&b, 1, there), t.hosts[0].n_tasks);
	blocked_fini(&b);
	tw_fini(&t);
}

/* The disk of a wait's request: of waits for a disk alone, and of pieces of one. */
static void disks(void **state)
{
	(void)state;
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	world_text(&t,
		"0 0:1 user\n10 0:1 read disk\n20 0:1 user\n30 0:1 read task\n40 0:1 user\n50 "
		"0:1 read disk\n60 0:1 user\n70 0:1 read disk\n80 0:1 user\n");
	struct kernel_host *h = &t.hosts[0];
	struct kernel_request r = { .dev = 8, .by = KERNEL_NONE, .task = KERNEL_NONE };
	assert_int_equal(kernel_add_request(h, &r), 0);
	r.dev = 9;
	assert_int_equal(kernel_add_request(h, &r), 1);
	uint32_t name = mer_intern_add(&h->names, "vda", 3);
	*mer_map_put(&h->devices, 8) = name + 1;
	static const uint32_t sources[] = { 0, 0, 1, 2 };
	for (uint32_t i = 0, n = 0; i < h->n_spans; i++)
		if (kernel_span(h, i)->state == KERNEL_BLOCKED)
			kernel_span(h, i)->source = sources[n++];
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	struct blocked_wait *w = b.hosts[0].waits;
	assert_int_equal(b.hosts[0].n, 4);
	assert_int_equal(blocked_disk(&b, 0, &w[0]), name);
	assert_int_equal(blocked_disk(&b, 0, &w[1]), KERNEL_NONE);
	assert_int_equal(blocked_disk(&b, 0, &w[2]), KERNEL_NONE); /* without a name */
	assert_int_equal(blocked_disk(&b, 0, &w[3]), KERNEL_NONE); /* no such request */
	w[0].cause = KERNEL_TIMER;
	assert_int_equal(blocked_disk(&b, 0, &w[0]), KERNEL_NONE);
	w[0].whole = w[0].span + 1;
	assert_int_equal(blocked_disk(&b, 0, &w[0]), name);
	assert_int_equal(blocked_started_of(&b, 0, &w[1]), BLOCKED_NOT_STARTED);
	blocked_fini(&b);
	tw_fini(&t);
}

/* ---- what was saved ---- */

static int get(void *ctx, const struct kernel_world *w, void *out, struct mer_err *err)
{
	struct blocked *b = out;
	int rc = blocked_begin(w, b, err);
	return rc ? rc : *(int *)ctx ? mer_fail(err, *(int *)ctx, "saved waits are damaged") : 0;
}

/* What is saved is used; if it is damaged the spans say it. */
static void saved(void **state)
{
	(void)state;
	for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
		int result = is_damaged ? MER_ERR_INPUT : 0;
		struct tasks_world t;
		struct blocked b;
		struct mer_err err = { 0 };
		world_text(&t, "0 0:1 user\n10 0:1 read disk\n20 0:1 user\n");
		t.w.saved.get_waits = get;
		t.w.saved.ctx = &result;
		assert_int_equal(blocked_find(&t.w, &b, &err), 0);
		assert_int_equal(b.hosts[0].n, is_damaged ? 1 : 0);
		blocked_fini(&b);
		tw_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(kinds),
		cmocka_unit_test(mode_long_ago),
		cmocka_unit_test(wakers),
		cmocka_unit_test(before),
		cmocka_unit_test(processes),
		cmocka_unit_test(disks),
		cmocka_unit_test(saved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
