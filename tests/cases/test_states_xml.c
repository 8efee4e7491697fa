/* What tasks did when, CPU time, block requests, and messages, on descriptions of traces that come
 * with published results. Times are in ticks (us).
 *
 * Their rows of states are compared tick by tick with ours; where ours are others on purpose, the
 * list below says when and why, and each of its entries must be needed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel_case.h"

enum { TICK = KERNEL_CASE_TICK, N_TICKS = 80 };

/* ---- states ---- */

/* By their words; what differs in ours alone is not told apart here. */
static const char *label_of(const struct kernel_span *s)
{
	if (s->state == KERNEL_SYSCALL)
		return "System call";
	if (kernel_is_on_cpu(s->state))
		return "Usermode";
	switch (s->state) {
	case KERNEL_BLOCKED: return "Wait blocked";
	case KERNEL_RUNNABLE: return "Wait for CPU";
	case KERNEL_NEW: return "Wait fork";
	case KERNEL_DEAD: return "";
	default: return "Unknown";
	}
}

/* "LABEL FROM-TO, ..." of a task's life. */
static void life_text(const struct kernel_host *h, uint32_t task, struct mer_str *out)
{
	int64_t begin = h->tasks[task].begin;
	for (int64_t t = begin; t < h->tasks[task].end;) {
		uint32_t i = kernel_span_at(h, task, t, KERNEL_NONE);
		assert_int_not_equal(i, KERNEL_NONE);
		const struct kernel_span *s = kernel_span(h, i);
		const char *label = label_of(s), *call = "";
		int64_t end = kernel_case_span_end(h, i);
		if (s->state == KERNEL_SYSCALL && s->call != KERNEL_NONE)
			call = kernel_name_text(h, h->calls[s->call].name);
		while (end < h->tasks[task].end) {
			uint32_t k = kernel_span_at(h, task, end, KERNEL_NONE);
			if (strcmp(label_of(kernel_span(h, k)), label) != 0)
				break;
			end = kernel_case_span_end(h, k);
		}
		mer_str_printf(out, "%s%s%s%s %" PRId64 "-%" PRId64, t == begin ? "" : ", ", label,
			*call ? " " : "", call, t / TICK, end / TICK);
		t = end;
	}
}

static void expect_life(const struct kernel_case *c, int32_t tid, const char *wanted)
{
	const struct kernel_host *h = &c->w->hosts[0];
	struct mer_str text = { 0 };
	life_text(h, kernel_case_task(c, 0, tid), &text);
	assert_string_equal(text.data, wanted);
	mer_str_fini(&text);
}

static const struct {
	const char *name;
	int32_t tid;
} threads[] = {
	{ "proc10", 10 },
	{ "tid11", 11 },
	{ "tid12", 12 },
	{ "proc20", 20 },
	{ "proc30", 30 },
	{ "tid21", 21 },
	{ "lttng-sessiond", 100 },
};
enum { N_THREADS = sizeof(threads) / sizeof(threads[0]) };

static int32_t tid_of(const char *name, size_t len)
{
	for (size_t i = 0; i < N_THREADS; i++)
		if (strlen(threads[i].name) == len && memcmp(threads[i].name, name, len) == 0)
			return threads[i].tid;
	fail_msg("no thread %.*s", (int)len, name);
	return 0;
}

/* Theirs are "" before a thread's first event. */
static struct difference {
	const char *name;
	int begin, end;
	const char *theirs, *ours, *why;
	bool used;
} differences[] = {
	{ "tid21", 25, 30, "Wait for CPU", "Wait fork",
		"forked, and nothing says that it was woken for the first time", false },
	{ "proc30", 1, 12, "", "Usermode", "it is switched out: so it had the CPU", false },
	{ "lttng-sessiond", 1, 35, "", "Usermode", "it is switched out: so it had the CPU", false },
	{ "tid11", 1, 5, "", "Wait blocked", "its first state is that of the dump", false },
	{ "tid12", 1, 6, "", "Wait blocked", "its first state is that of the dump", false },
	{ "proc20", 1, 10, "", "Wait blocked", "its first state is that of the dump", false },
};
enum { N_DIFFERENCES = sizeof(differences) / sizeof(differences[0]) };

static bool is_same(const char *theirs, const char *ours)
{
	/* Their dump's waits are of no kind ("Wait"): LTTng dumps 5, which is a wait for
	 * something. */
	return strcmp(theirs, ours) == 0 ||
	       (strcmp(theirs, "Wait") == 0 && strcmp(ours, "Wait blocked") == 0);
}

static bool is_expected(const char *name, size_t len, int t, const char *theirs, const char *ours)
{
	for (size_t i = 0; i < N_DIFFERENCES; i++) {
		struct difference *d = &differences[i];
		if (strlen(d->name) == len && memcmp(d->name, name, len) == 0 && t >= d->begin &&
			t < d->end && strcmp(d->theirs, theirs) == 0 && strcmp(d->ours, ours) == 0)
			return d->used = true;
	}
	return false;
}

/* "tid11:1,4,-2147483648,null,5,7,Wait,null,...": begin, ticks, state, call. */
static void compare_row(const struct kernel_case *c, char *row)
{
	const struct kernel_host *h = &c->w->hosts[0];
	size_t len = strcspn(row, ":");
	uint32_t task = kernel_case_task(c, 0, tid_of(row, len));
	for (char *p = row + len + 1; *p;) {
		int begin, ticks, used;
		char state[40], call[40];
		assert_int_equal(
			sscanf(p, "%d,%d,%39[^,],%39[^,]%n", &begin, &ticks, state, call, &used),
			4);
		p += used + (p[used] == ',');
		const char *theirs = strcmp(state, "-2147483648") == 0 ? "" : state;
		for (int t = begin; t < begin + ticks && t < N_TICKS; t++) {
			uint32_t i = kernel_span_at(h, task, t * TICK + TICK / 2, KERNEL_NONE);
			bool ended = t * TICK >= h->tasks[task].end;
			const struct kernel_span *s =
				i == KERNEL_NONE || ended ? NULL : kernel_span(h, i);
			const char *ours = s ? label_of(s) : "";
			if (!is_same(theirs, ours) && !is_expected(row, len, t, theirs, ours))
				fail_msg("%.*s at %d: '%s', not '%s'", (int)len, row, t, ours,
					theirs);
			if (strcmp(call, "null") != 0)
				assert_string_equal(
					kernel_name_text(h, h->calls[s->call].name), call);
		}
	}
}

static void thread_states(void **state)
{
	(void)state;
	struct kernel_case c;
	char *rows = kernel_case_read("kernel/expectedThreadStatusRows"), *rest = rows, *row;
	kernel_case_open_xml(&c, "host=kernel/lttng_kernel_analysis.xml", NULL, NULL);
	for (size_t i = 0; i < N_DIFFERENCES; i++)
		differences[i].used = false;
	int n = 0;
	while ((row = strsep(&rest, "\n")) && *row) {
		compare_row(&c, row);
		n++;
	}
	assert_int_equal(n, N_THREADS);
	for (size_t i = 0; i < N_DIFFERENCES; i++)
		if (!differences[i].used)
			fail_msg("no difference any more: %s at %d: %s", differences[i].name,
				differences[i].begin, differences[i].why);
	/* The row of tid11 ends with its second call; the trace says more. */
	expect_life(&c, 11,
		"Wait blocked 1-12, Usermode 12-20, Wait blocked 20-35, Usermode 35-40, "
		"System call open 40-45, Usermode 45-71, System call write 71-78, Usermode 78-80");
	free(rows);
	kernel_case_close(&c);
}

/* "name,begin,end,tid,pid,ppid" */
static void thread_tree(void **state)
{
	(void)state;
	struct kernel_case c;
	char *tree = kernel_case_read("kernel/expectedThreadStatusTree"), *rest = tree, *row;
	kernel_case_open_xml(&c, "host=kernel/lttng_kernel_analysis.xml", NULL, NULL);
	const struct kernel_host *h = &c.w->hosts[0];
	strsep(&rest, "\n"); /* the trace itself */
	int n = 0;
	while ((row = strsep(&rest, "\n")) && *row) {
		char name[40];
		int begin, end, tid, pid, ppid;
		assert_int_equal(sscanf(row, "%39[^,],%d,%d,%d,%d,%d", name, &begin, &end, &tid,
					 &pid, &ppid),
			6);
		uint32_t task = kernel_case_task(&c, 0, tid);
		const struct kernel_task *t = &h->tasks[task];
		assert_string_equal(kernel_comm(h, task), name);
		/* Theirs begin with their first event, ours when they are born. */
		assert_true(t->begin <= begin * TICK);
		assert_int_equal(t->born, tid == 21);
		if (t->born)
			assert_int_equal(t->begin, begin * TICK);
		/* lttng-sessiond: nothing but its tid is recorded; theirs takes that for its
		 * pid. */
		assert_int_equal(t->pid, tid == 100 ? -1 : pid);
		if (tid != 21)
			assert_int_equal(t->ppid, ppid);
		n++;
	}
	assert_int_equal(n, N_THREADS);
	/* It is a thread of process 20, so its parent process is that of 20. Theirs is a child of
	 * 20. */
	const struct kernel_task *t = &h->tasks[kernel_case_task(&c, 0, 21)];
	assert_int_equal(t->pid, 20);
	assert_int_equal(t->ppid, 0);
	assert_int_equal(t->parent, kernel_case_task(&c, 0, 20));
	free(tree);
	kernel_case_close(&c);
}

/* "from,to,time,0": on one CPU one thread ends there, the other begins. */
static void switches(void **state)
{
	(void)state;
	struct kernel_case c;
	char *arrows = kernel_case_read("kernel/expectedThreadStatusArrows"), *rest = arrows, *row;
	kernel_case_open_xml(&c, "host=kernel/lttng_kernel_analysis.xml", NULL, NULL);
	const struct kernel_host *h = &c.w->hosts[0];
	int n = 0;
	while ((row = strsep(&rest, "\n")) && *row) {
		char from[40], to[40];
		int time;
		assert_int_equal(sscanf(row, "%39[^,],%39[^,],%d", from, to, &time), 3);
		uint32_t a = kernel_case_task(&c, 0, tid_of(from, strlen(from)));
		uint32_t b = kernel_case_task(&c, 0, tid_of(to, strlen(to)));
		uint32_t was = kernel_span_at(h, a, time * TICK - 1, KERNEL_NONE);
		uint32_t is = kernel_span_at(h, b, time * TICK, KERNEL_NONE);
		assert_true(kernel_case_span_end(h, was) == time * TICK);
		assert_true(kernel_span(h, is)->begin == time * TICK);
		/* proc30 has exited by then. */
		assert_true(kernel_is_on_cpu(kernel_span(h, was)->state) ||
			    kernel_span(h, was)->state == KERNEL_DEAD);
		assert_true(kernel_is_on_cpu(kernel_span(h, is)->state));
		assert_int_equal(kernel_span(h, was)->cpu, kernel_span(h, is)->cpu);
		n++;
	}
	assert_int_equal(n, 6);
	free(arrows);
	kernel_case_close(&c);
}

/* ---- CPU time ---- */

/* Ticks; tid -1: all, cpu -1: all. */
static int64_t cpu_time(
	const struct kernel_case *c, int32_t tid, int cpu, int64_t begin, int64_t end)
{
	const struct kernel_host *h = &c->w->hosts[0];
	int64_t sum = 0;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t b = s->begin, e = kernel_case_span_end(h, i);
		if (!kernel_is_on_cpu(s->state) || (cpu >= 0 && s->cpu != cpu) ||
			(tid >= 0 && h->tasks[s->task].tid != tid))
			continue;
		b = b < begin * TICK ? begin * TICK : b;
		e = e > end * TICK ? end * TICK : e;
		sum += e > b ? e - b : 0;
	}
	assert_int_equal(sum % TICK, 0);
	return sum / TICK;
}

static void cpu_usage(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c, "host=kernel/cpu_analysis.xml", NULL, NULL);
	assert_int_equal(cpu_time(&c, -1, -1, 0, 30), 48);
	assert_int_equal(cpu_time(&c, -1, 0, 0, 30), 24);
	assert_int_equal(cpu_time(&c, -1, 1, 0, 30), 24);
	static const struct {
		int64_t begin, end, ticks[4]; /* of tids 1 to 4 */
	} cases[] = {
		{ 0, 30, { 5, 19, 11, 13 } },
		{ 22, 25, { 0, 0, 3, 3 } },
		{ 1, 4, { 0, 3, 1, 2 } },
		{ 4, 13, { 0, 9, 5, 4 } },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int32_t tid = 1; tid <= 4; tid++)
			assert_int_equal(cpu_time(&c, tid, -1, cases[i].begin, cases[i].end),
				cases[i].ticks[tid - 1]);
	kernel_case_close(&c);
}

/* ---- block devices ---- */

/* "DEVICE SECTOR r|w BYTES INSERT/ISSUE/COMPLETE", those with data, as they were inserted. */
static void expect_requests(const char *descriptions, const char *wanted)
{
	struct kernel_case c;
	kernel_case_open_xml(&c, descriptions, NULL, NULL);
	struct kernel_host *h = &c.w->hosts[0];
	struct mer_str text = { 0 };
	for (uint32_t i = 0; i < h->n_requests; i++) {
		const struct kernel_request *r = &h->requests[i];
		const uint32_t *name = mer_map_get(&h->devices, r->dev);
		if (!(r->flags & (KERNEL_READ | KERNEL_WRITE)))
			continue;
		assert_true(r->insert != INT64_MIN && r->issue != INT64_MIN);
		assert_true(r->complete != INT64_MIN);
		assert_int_equal(r->error, 0);
		mer_str_printf(&text,
			"%s %" PRIu64 " %s %" PRIu32 " %" PRId64 "/%" PRId64 "/%" PRId64 "\n",
			name && *name ? kernel_name_text(h, *name - 1) : "?", r->sector,
			r->flags & KERNEL_READ ? "r" : "w", r->bytes, r->insert / TICK,
			r->issue / TICK, r->complete / TICK);
	}
	assert_string_equal(text.data, wanted);
	mer_str_fini(&text);
	kernel_case_close(&c);
}

/* Their sums: 24 sectors written, 256 read. A flush in between has no data. */
static void block_requests(void **state)
{
	(void)state;
	expect_requests("host=io/io_analysis.xml",
		"sda 444 w 4096 5/10/20\nsda 111 w 4096 25/27/30\nsda 222 w 4096 25/29/35\n"
		"sda 444 r 131072 40/50/60\n");
	expect_requests("host=io/io_nostatedump.xml", "? 444 w 4096 5/10/20\n");
	/* The name of the second disk is dumped after its first request. */
	expect_requests(
		"host=io/io_two_devices.xml", "sda 444 w 4096 5/10/20\nsdb 111 r 8192 8/12/18\n");
}

/* ---- messages ---- */

static void expect_messages(
	const struct kernel_case *c, const char *from, const char *to, const char *wanted)
{
	uint32_t a = kernel_case_host(c, from), b = kernel_case_host(c, to);
	struct mer_str text = { 0 };
	for (size_t i = 0; i < c->messages.n_links; i++) {
		const struct sync_link *l = &c->messages.links[i];
		for (size_t k = 0; k < l->n && l->from == a && l->to == b; k++)
			mer_str_printf(&text, "%s%" PRId64 "-%" PRId64, text.len ? " " : "",
				l->messages[k].sent / TICK, l->messages[k].received / TICK);
	}
	assert_string_equal(text.data ? text.data : "", wanted);
	mer_str_fini(&text);
}

/* A request from a container over two bridges to a server, and back. Theirs has the hops inside of
 * the client from 15 to 20 and from 105 to 115. With us a packet is received by a host itself on
 * the last device that it passes before it is sent again, and what came from another host is no
 * message of its own any more. */
static void network_hops(void **state)
{
	(void)state;
	static const char *const servers[] = { "server=network/server.xml",
		"server=network/server2.xml" };
	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
		struct kernel_case c;
		char descriptions[100];
		snprintf(descriptions, sizeof(descriptions), "client=network/client.xml %s",
			servers[i]);
		kernel_case_open_xml(&c, descriptions, NULL, NULL);
		expect_messages(&c, "client", "server", "30-50");
		expect_messages(&c, "server", "client", "70-100");
		expect_messages(&c, "client", "client", "15-25");
		assert_int_equal(c.w->n_bridges, 3);
		kernel_case_close(&c);
	}
}

/* Without the server's trace its packets are the client's own: what it sent it also received. */
static void network_hops_one_trace(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c, "client=network/client.xml", NULL, NULL);
	for (uint32_t i = 0; i < c.w->n_bridges; i++)
		assert_true(c.w->bridges[i].from.time <= c.w->bridges[i].to.time);
	kernel_case_close(&c);
}

static void hypercalls(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c, "host=vm/host.xml guest=vm/guest.xml", NULL, NULL);
	expect_messages(&c, "guest", "host", "40-50 190-200 240-250");
	expect_messages(&c, "host", "guest", "55-65 205-215 255-265");
	kernel_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_states),
		cmocka_unit_test(thread_tree),
		cmocka_unit_test(switches),
		cmocka_unit_test(cpu_usage),
		cmocka_unit_test(block_requests),
		cmocka_unit_test(network_hops),
		cmocka_unit_test(network_hops_one_trace),
		cmocka_unit_test(hypercalls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
