/* The critical path (path.c), each rule by itself, in worlds of few lines.
 *
 * A path is its segments, "HOST:TID CAUSE BEGIN-END" with " flight", " delivery", " held" and
 * "/DEPTH" where it is not 0, and then its links, "TID KIND TID BEGIN-END"; TID "-": the kernel of
 * that host. Times are ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/files/object_name.h"
#include "path/path.h"
#include "world_text.h"

static void add_tid(struct mer_str *out, const struct tasks_world *t, uint32_t host, uint32_t task)
{
	if (task == KERNEL_NONE)
		mer_str_puts(out, "-");
	else
		mer_str_printf(out, "%d", (int)t->hosts[host].tasks[task].tid);
}

/* The sums of a path are those of its segments. */
static void check_sums(const struct path *p)
{
	int64_t by_cause[PATH_N_CAUSES] = { 0 }, flight = 0, delivery = 0, held = 0, unresolved = 0,
		unexplained = 0;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		int64_t ns = s->end - s->begin;
		by_cause[s->cause] += ns;
		if (s->in_flight)
			flight += ns;
		else if (s->delivery)
			delivery += ns;
		else if (s->held)
			held += ns;
		else if (s->cause == PATH_NETWORK)
			unresolved += ns;
		if (path_is_unexplained((enum path_cause)s->cause))
			unexplained += ns;
	}
	assert_memory_equal(by_cause, p->by_cause, sizeof(by_cause));
	assert_int_equal(flight, p->in_flight_ns);
	assert_int_equal(delivery, p->delivery_ns);
	assert_int_equal(held, p->held_ns);
	assert_int_equal(unresolved, p->unresolved_ns);
	assert_int_equal(unexplained, p->unexplained_ns);
}

static void path_is(struct tasks_world *t, uint32_t host, int32_t tid, int64_t begin, int64_t end,
	const char *expected)
{
	struct path p;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	int64_t all = 0;
	assert_int_equal(path_find(&t->w, host, world_text_task(t, host, tid), begin * MS, end * MS,
				 &p, &err),
		0);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		assert_int_equal(s->begin, i ? p.segments[i - 1].end : p.begin);
		all += s->end - s->begin;
		mer_str_printf(&out, "%s%u:", i ? ", " : "", (unsigned)s->host);
		add_tid(&out, t, s->host, s->task);
		mer_str_printf(&out, " %s %d-%d%s%s%s", path_cause_name((enum path_cause)s->cause),
			(int)(s->begin / MS), (int)(s->end / MS), s->in_flight ? " flight" : "",
			s->delivery ? " delivery" : "", s->held ? " held" : "");
		if (s->depth)
			mer_str_printf(&out, "/%u", (unsigned)s->depth);
	}
	assert_int_equal(all, p.end - p.begin);
	check_sums(&p);
	for (size_t i = 0; i < p.n_links; i++) {
		const struct path_link *l = &p.links[i];
		mer_str_puts(&out, i ? ", " : "; ");
		add_tid(&out, t, l->from_host, l->from_task);
		mer_str_printf(&out, " %s ", path_link_name((enum path_link_kind)l->kind));
		add_tid(&out, t, l->to_host, l->to_task);
		mer_str_printf(&out, " %d-%d", (int)(l->from_time / MS), (int)(l->to_time / MS));
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	path_fini(&p);
}

static void path_of(const char *world, int64_t begin, int64_t end, const char *expected)
{
	struct tasks_world t;
	world_text(&t, world);
	path_is(&t, 0, 1, begin, end, expected);
	tw_fini(&t);
}

/* cause_of: waits that nobody's work explains, and what is no wait. */
static void causes(void **state)
{
	(void)state;
	path_of("0 0:1 user\n10 0:1 read disk\n20 0:1 runnable\n30 0:1 syscall\n40 0:1 "
		"interrupted\n50 0:1 running\n60 0:1 thread\n",
		0, 100,
		"0:1 running 0-10, 0:1 disk 10-20, 0:1 runnable 20-30, 0:1 running 30-40, 0:1 "
		"interrupted 40-50, 0:1 running 50-60, 0:1 running 60-100");
	path_of("0 0:1 user\n10 0:1 read timer\n20 0:1 user\n30 0:1 read network\n40 0:1 user\n50 "
		"0:1 read task\n60 0:1 user\n",
		0, 100,
		"0:1 running 0-10, 0:1 timer 10-20, 0:1 running 20-30, 0:1 network 30-40, 0:1 "
		"running 40-50, 0:1 task 50-60, 0:1 running 60-100");
	path_of("0 0:1 user\n10 0:1 read futex\n20 0:1 user\n30 0:1 read pipe\n40 0:1 user\n50 0:1 "
		"read input\n60 0:1 user\n",
		0, 100,
		"0:1 running 0-10, 0:1 futex 10-20, 0:1 running 20-30, 0:1 pipe 30-40, 0:1 running "
		"40-50, 0:1 input 50-60, 0:1 running 60-100");
	path_of("0 0:1 user\n10 0:1 read ipi\n20 0:1 user\n30 0:1 read irq\n40 0:1 user\n50 0:1 "
		"read softirq\n60 0:1 user\n",
		0, 100,
		"0:1 running 0-10, 0:1 ipi 10-20, 0:1 running 20-30, 0:1 device 30-40, 0:1 running "
		"40-50, 0:1 device 50-60, 0:1 running 60-100");
	path_of("0 0:1 user\n10 0:1 read -\n20 0:1 user\n30 0:1 stopped\n40 0:1 user\n50 0:1 "
		"unknown\n60 0:1 user\n",
		0, 100,
		"0:1 running 0-10, 0:1 blocked 10-20, 0:1 running 20-30, 0:1 stopped 30-40, 0:1 "
		"running 40-50, 0:1 unknown 50-60, 0:1 running 60-100");
}

/* The window is cut to the task's life; before its first span nothing is known. */
static void windows(void **state)
{
	(void)state;
	path_of("0 0:2 user\n10 0:2 fork 1\n10 0:1 new\n20 0:1 user\n50 0:1 dead\n", 0, 100,
		"0:1 fork 10-20, 0:1 running 20-50");
	path_of("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n", 12, 15, "0:1 disk 12-15");
	path_of("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n", 5, 12,
		"0:1 running 5-10, 0:1 disk 10-12");
	path_of("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n", 15, 25,
		"0:1 disk 15-20, 0:1 running 20-25");
	struct tasks_world t;
	struct path p;
	struct mer_err err = { 0 };
	world_text(&t, "0 0:2 user\n10 0:2 fork 1\n10 0:1 new\n20 0:1 user\n50 0:1 dead\n");
	assert_int_equal(path_find(&t.w, 0, 1, 60 * MS, 70 * MS, &p, &err), MER_ERR_USAGE);
	path_fini(&p);
	assert_int_equal(path_find(&t.w, 0, 1, 0, 9 * MS, &p, &err), MER_ERR_USAGE);
	path_fini(&p);
	assert_int_equal(path_find(&t.w, 0, 1, 50 * MS, 70 * MS, &p, &err), 0); /* without length */
	path_fini(&p);
	tw_fini(&t);
	path_of("5 0:1 user\n", 0, 10, "0:1 unknown 0-5, 0:1 running 5-10");
}

/* Who ended a wait is followed down to its begin, and through whatever that one waited for. */
static void followed(void **state)
{
	(void)state;
	path_of("0 0:1 user\n0 0:2 user\n10 0:1 read task by 0:2\n20 0:2 syscall\n30 0:1 user\n", 0,
		50,
		"0:1 running 0-10, 0:2 running 10-20/1, 0:2 running 20-30/1, 0:1 running 30-50; 1 "
		"wait 2 10-10, 2 wake 1 30-30");
	path_of("0 0:1 user\n0 0:2 user\n10 0:1 futex futex by 0:2\n15 0:2 read disk\n20 0:2 "
		"user\n30 0:1 user\n",
		0, 50,
		"0:1 running 0-10, 0:2 running 10-15/1, 0:2 disk 15-20/1, 0:2 running 20-30/1, 0:1 "
		"running 30-50; 1 wait 2 10-10, 2 futex 1 30-30");
	path_of("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read pipe by 0:2\n12 0:2 read pipe by "
		"0:3\n20 0:2 user\n30 0:1 user\n",
		0, 50,
		"0:1 running 0-10, 0:2 running 10-12/1, 0:3 running 12-20/2, 0:2 running 20-30/1, "
		"0:1 running 30-50; 1 wait 2 10-10, 2 wait 3 12-12, 3 pipe 2 20-20, 2 pipe 1 "
		"30-30");
	/* Its own wait began before: what ended that is followed, but nothing before the first
	 * one's begin. */
	path_of("0 0:1 user\n0 0:3 user\n1 0:2 user\n5 0:2 read task by 0:3\n10 0:1 read task by "
		"0:2\n20 0:2 user\n30 0:1 user\n",
		0, 50,
		"0:1 running 0-10, 0:3 running 10-20/2, 0:2 running 20-30/1, 0:1 running 30-50; 1 "
		"wait 3 10-10, 3 wake 2 20-20, 2 wake 1 30-30");
	/* The window ends within the wait: what ended it was that for, too. */
	path_of("0 0:1 user\n0 0:2 user\n10 0:1 read task by 0:2\n30 0:1 user\n", 0, 20,
		"0:1 running 0-10, 0:2 running 10-20/1; 1 wait 2 10-10");
	/* Ended by itself, or by one of whom events are missing: it says nothing more. */
	path_of("0 0:1 user\n0 0:2 unknown\n10 0:1 read task by 0:2\n30 0:1 user\n", 0, 50,
		"0:1 running 0-10, 0:1 blocked 10-30, 0:1 running 30-50");
}

/* A window that ends in a wait, or between pieces of one: what ended it is what its part in the
 * window was for. */
static void ends_in_a_wait(void **state)
{
	(void)state;
	static const char world[] =
		"0 0:1 user\n0 0:2 user\n10 0:1 read task by 0:2\n30 0:2 syscall\n40 0:1 runnable\n"
		"45 0:1 user\n60 0:1 read disk\n70 0:1 user\n";
	path_of(world, 0, 10, "0:1 running 0-10");
	path_of(world, 0, 20, "0:1 running 0-10, 0:2 running 10-20/1; 1 wait 2 10-10");
	path_of(world, 0, 40,
		"0:1 running 0-10, 0:2 running 10-30/1, 0:2 running 30-40/1; 1 wait 2 "
		"10-10");
	path_of(world, 0, 43,
		"0:1 running 0-10, 0:2 running 10-30/1, 0:2 running 30-40/1, 0:1 "
		"runnable 40-43; 1 wait 2 10-10, 2 wake 1 40-40");
	path_of(world, 0, 65,
		"0:1 running 0-10, 0:2 running 10-30/1, 0:2 running 30-40/1, 0:1 "
		"runnable 40-45, 0:1 running 45-60, 0:1 disk 60-65; 1 wait 2 10-10, 2 "
		"wake 1 40-40");
	path_of(world, 20, 35, "0:2 running 20-30/1, 0:2 running 30-35/1");
}

/* Whoever forked a new task is not always known. */
static void new_of_nobody(void **state)
{
	(void)state;
	path_of("0 0:2 user\n0 0:1 user\n5 0:1 wait4 task by 0:3\n10 0:3 new\n20 0:3 user\n40 0:1 "
		"user\n",
		0, 50,
		"0:1 running 0-5, 0:3 unknown 5-10/1, 0:3 fork 10-20/1, 0:3 running 20-40/1, 0:1 "
		"running 40-50; 1 wait 3 5-5, 3 wake 1 40-40");
}

/* A stopped one is followed as well. A new one was made by its parent. */
static void stopped_and_new(void **state)
{
	struct tasks_world t;
	(void)state;
	path_of("0 0:1 user\n0 0:2 user\n10 0:1 stopped\n30 0:1 user\n", 0, 50,
		"0:1 running 0-10, 0:1 stopped 10-30, 0:1 running 30-50");
	world_text(&t, "0 0:2 user\n10 0:2 fork 1\n10 0:1 new\n20 0:1 user\n25 0:2 user\n");
	path_is(&t, 0, 1, 0, 50, "0:1 fork 10-20, 0:1 running 20-50");
	/* A wait for it goes on with who forked it. */
	tw_fini(&t);
	world_text(&t, "0 0:2 user\n0 0:3 user\n5 0:2 wait4 task\n5 0:3 syscall\n10 0:3 fork 1\n10 "
		       "0:1 new\n20 0:1 user\n40 0:2 user\n");
	struct kernel_host *h = &t.hosts[0];
	uint32_t child = world_text_task(&t, 0, 1), parent = world_text_task(&t, 0, 3),
		 waits = world_text_task(&t, 0, 2);
	for (uint32_t i = 0; i < h->n_spans; i++) {
		struct kernel_span *s = kernel_span(h, i);
		if (s->task == child && s->state == KERNEL_NEW)
			s->by = h->tasks[parent].last;
		if (s->task == waits && s->state == KERNEL_BLOCKED)
			s->by = h->tasks[child].last;
	}
	path_is(&t, 0, 2, 0, 50,
		"0:2 running 0-5, 0:3 running 5-10/1, 0:1 fork 10-20/1, 0:1 running 20-40/1, 0:2 "
		"running 40-50; 2 wait 3 5-5, 3 fork 1 10-10, 1 wake 2 40-40");
	tw_fini(&t);
}

/* Packets: from the wait's end back to the packet's receipt, its way, and what its sender did. */
static void packets(void **state)
{
	(void)state;
	path_of("0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n30 0:1 user\n", 0, 50,
		"0:1 running 0-10, 1:2 running 10-29/1, 0:1 network 29-30 flight, 0:1 running "
		"30-50; 1 wait 2 10-10, 2 network 1 29-30");
	path_of("0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n15 1:2 read disk\n25 1:2 "
		"user\n30 0:1 user\n",
		0, 50,
		"0:1 running 0-10, 1:2 running 10-15/1, 1:2 disk 15-25/1, 1:2 running 25-29/1, 0:1 "
		"network 29-30 flight, 0:1 running 30-50; 1 wait 2 10-10, 2 network 1 29-30");
	struct tasks_world t;
	/* It was received some time before the wait ended, and sent long before. */
	world_text(&t, "0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n30 0:1 user\n");
	t.packets[0].to.time = 26 * MS;
	t.packets[0].from.time = 20 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:2 running 10-20/1, 0:1 network 20-26 flight, 0:1 network "
		"26-30 delivery, 0:1 running 30-50; 1 wait 2 10-10, 2 network 1 20-26");
	/* ... before the wait began. */
	t.packets[0].from.time = 8 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 0:1 network 10-26 flight, 0:1 network 26-30 delivery, 0:1 "
		"running 30-50");
	t.packets[0].to.time = 9 * MS;
	path_is(&t, 0, 1, 0, 50, "0:1 running 0-10, 0:1 network 10-30 delivery, 0:1 running 30-50");
	/* Its sender is not known. */
	t.packets[0].to.time = 26 * MS;
	t.packets[0].from.time = 20 * MS;
	t.packets[0].from.span = KERNEL_NONE;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:- network 10-20/1, 0:1 network 20-26 flight, 0:1 network "
		"26-30 delivery, 0:1 running 30-50; 1 wait - 10-10, - network 1 20-26");
	tw_fini(&t);
}

/* An interrupt that answered another packet: through its host's kernel to who sent that. */
static void answers(void **state)
{
	struct tasks_world t;
	(void)state;
	world_text(&t,
		"0 0:1 user\n0 1:2 user\n0 2:3 user\n10 0:1 read network by 1:2\n30 0:1 user\n");
	t.packets[0].from.span = KERNEL_NONE;
	t.packets[0].from.time = 25 * MS;
	t.packets[0].to.time = 29 * MS;
	t.packets[0].answers = 1;
	t.packets[1] = (struct kernel_bridge){ .from.time = 15 * MS,
		.to.time = 20 * MS,
		.from.host = 2,
		.to.host = 1,
		.from.span = t.hosts[2].tasks[0].last,
		.answers = KERNEL_NONE,
		.to.span = KERNEL_NONE };
	t.w.n_bridges = 2;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 2:3 running 10-15/1, 1:- network 15-20 flight/1, 1:- "
		"interrupted 20-25/1, 0:1 network 25-29 flight, 0:1 network 29-30 delivery, 0:1 "
		"running 30-50; 1 wait 3 10-10, 3 network - 15-20, - network 1 25-29");
	/* That came later: it cannot be. */
	t.packets[1].to.time = 26 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:- network 10-25/1, 0:1 network 25-29 flight, 0:1 network "
		"29-30 delivery, 0:1 running 30-50; 1 wait - 10-10, - network 1 25-29");
	tw_fini(&t);
}

/* What the kernel held back, for want of the next one's hardware address, is a wait for the network
 * of the sender. */
static void held(void **state)
{
	struct tasks_world t;
	(void)state;
	world_text(&t, "0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n12 1:2 "
		       "connect:10.0.0.1:80 -\n14 1:2 user\n30 0:1 user\n");
	struct kernel_span *s = NULL;
	for (uint32_t i = 0; i < t.hosts[1].n_spans; i++)
		if (kernel_span(&t.hosts[1], i)->begin == 12 * MS) {
			s = kernel_span(&t.hosts[1], i);
			s->state = KERNEL_SYSCALL;
		}
	assert_non_null(s);
	t.packets[0].from.time = 25 * MS;
	t.packets[0].to.time = 29 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:2 running 10-12/1, 1:2 running 12-14/1, 1:2 running 14-25/1, "
		"0:1 network 25-29 flight, 0:1 network 29-30 delivery, 0:1 running 30-50; 1 wait 2 "
		"10-10, 2 network 1 25-29");
	t.packets[0].was_held = true;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:2 running 10-12/1, 1:2 running 12-14/1, 1:2 running 14-25/1, "
		"0:1 network 25-29 flight, 0:1 network 29-30 delivery, 0:1 running 30-50; 1 wait 2 "
		"10-10, 2 network 1 25-29");
	t.packets[0].to.endpoint = kernel_name_endpoint("10.0.0.1:80");
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:2 running 10-12/1, 1:2 running 12-14/1, 1:2 network 14-25 "
		"held/1, 0:1 network 25-29 flight, 0:1 network 29-30 delivery, 0:1 running 30-50; "
		"1 wait 2 10-10, 2 network 1 25-29");
	tw_fini(&t);
}

/* ---- guests ---- */

/* The span of a task in which it was at that time. */
static uint32_t span_at(const struct tasks_world *t, uint32_t host, int32_t tid, int64_t time)
{
	uint32_t i = t->hosts[host].tasks[world_text_task(t, host, tid)].last;
	while (kernel_span(&t->hosts[host], i)->begin > time * MS)
		i = kernel_span(&t->hosts[host], i)->before;
	return i;
}

static void add_request(struct tasks_world *t, int64_t insert, int64_t issue)
{
	const struct kernel_request r = { .insert = insert,
		.issue = issue,
		.complete = 38 * MS,
		.by = KERNEL_NONE,
		.task = KERNEL_NONE };
	assert_int_not_equal(kernel_add_request(&t->hosts[0], &r), KERNEL_NONE);
}

/* A task of a guest waits from 10 to 40 for a request, issued at 20, which task 2 of the hypervisor
 * served until 33; its vCPU (3) brings the interrupt at 35. */
static struct kernel_relay *relayed(struct tasks_world *t)
{
	world_text(t, "0 0:1 user\n0 1:2 user\n0 1:3 user\n10 0:1 read disk\n34 1:3 "
		      "syscall\n40 0:1 user\n");
	struct kernel_guest *g = tw_guest(t, 0, 1);
	add_request(t, 15 * MS, 20 * MS);
	kernel_span(&t->hosts[0], span_at(t, 0, 1, 10))->source = 0;
	g->relays[0] = (struct kernel_relay){ .entered = 35 * MS,
		.sent = 33 * MS,
		.vcpu = span_at(t, 1, 3, 35),
		.by = span_at(t, 1, 2, 33) };
	g->n_relays = 1;
	return g->relays;
}

static void relays(void **state)
{
	struct tasks_world t;
	(void)state;
	struct kernel_relay *r = relayed(&t);
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 0:1 disk 10-20, 1:2 running 20-33/1, 1:3 running 33-34/1, 1:3 "
		"running 34-35/1, 0:1 disk 35-40, 0:1 running 40-50; 1 wait 2 20-20, 2 wake 3 "
		"33-33, 3 wake 1 35-35");
	/* Who sent the interrupt is not known, or did so before the request was there: the vCPU's
	 * thread is followed. */
	static const char by_vcpu[] =
		"0:1 running 0-10, 0:1 disk 10-20, 1:3 running 20-34/1, 1:3 running 34-35/1, 0:1 "
		"disk 35-40, 0:1 running 40-50; 1 wait 3 20-20, 3 wake 1 35-35";
	uint32_t by = r->by;
	r->by = KERNEL_NONE;
	path_is(&t, 0, 1, 0, 50, by_vcpu);
	r->by = by;
	r->sent = 20 * MS;
	path_is(&t, 0, 1, 0, 50, by_vcpu);
	r->sent = 21 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 0:1 disk 10-20, 1:2 running 20-21/1, 1:3 running 21-34/1, 1:3 "
		"running 34-35/1, 0:1 disk 35-40, 0:1 running 40-50; 1 wait 2 20-20, 2 wake 3 "
		"21-21, 3 wake 1 35-35");
	/* Entered as the wait ends: nothing of it is left. */
	r->entered = 40 * MS;
	r->sent = 33 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 0:1 disk 10-20, 1:2 running 20-33/1, 1:3 running 33-34/1, 1:3 "
		"running 34-40/1, 0:1 running 40-50; 1 wait 2 20-20, 2 wake 3 33-33, 3 wake 1 "
		"40-40");
	tw_fini(&t);
}

/* Since it was issued; else since it was inserted; but not before the wait. */
static void since_issued(void **state)
{
	struct tasks_world t;
	(void)state;
	relayed(&t);
	t.hosts[0].requests[0].issue = INT64_MIN;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 0:1 disk 10-15, 1:2 running 15-33/1, 1:3 running 33-34/1, 1:3 "
		"running 34-35/1, 0:1 disk 35-40, 0:1 running 40-50; 1 wait 2 15-15, 2 wake 3 "
		"33-33, 3 wake 1 35-35");
	t.hosts[0].requests[0].issue = 5 * MS;
	path_is(&t, 0, 1, 0, 50,
		"0:1 running 0-10, 1:2 running 10-33/1, 1:3 running 33-34/1, 1:3 running 34-35/1, "
		"0:1 disk 35-40, 0:1 running 40-50; 1 wait 2 10-10, 2 wake 3 33-33, 3 wake 1 "
		"35-35");
	path_is(&t, 0, 1, 25, 50,
		"1:2 running 25-33/1, 1:3 running 33-34/1, 1:3 running 34-35/1, 0:1 disk 35-40, "
		"0:1 running 40-50; 2 wake 3 33-33, 3 wake 1 35-35");
	tw_fini(&t);
}

/* It is a disk's wait when nobody is known to have served the request. */
static void not_relayed(void **state)
{
	static const char plain[] = "0:1 running 0-10, 0:1 disk 10-40, 0:1 running 40-50";
	struct tasks_world t;
	(void)state;
	struct kernel_relay *r = relayed(&t);
	r->request = 1;
	path_is(&t, 0, 1, 0, 50, plain);
	r->request = 0;
	r->entered = 20 * MS; /* before it was issued */
	path_is(&t, 0, 1, 0, 50, plain);
	r->entered = 35 * MS;
	kernel_span(&t.hosts[0], span_at(&t, 0, 1, 10))->source = KERNEL_NONE;
	path_is(&t, 0, 1, 0, 50, plain);
	tw_fini(&t);
}

/* Ready for a CPU of a guest that is away: stolen, or with the hypervisor; else others have it. */
static void ready_in_a_guest(void **state)
{
	struct tasks_world t;
	(void)state;
	world_text(&t, "0 0:1 user\n10 0:1 runnable\n50 0:1 user\n");
	struct kernel_guest *g = tw_guest(&t, 0, 1);
	uint32_t stolen = tw_absence(g, KERNEL_VCPU_PREEMPTED, "hog"),
		 exit = tw_absence(g, KERNEL_VCPU_HYPERVISOR, "NPF"), ready = span_at(&t, 0, 1, 10);
	path_is(&t, 0, 1, 0, 60, "0:1 running 0-10, 0:1 runnable 10-50, 0:1 running 50-60");
	g->aways[0] = (struct kernel_edge){ 15 * MS, stolen, 0 };
	g->aways[1] = (struct kernel_edge){ 20 * MS, KERNEL_NONE, 0 };
	g->aways[2] = (struct kernel_edge){ 30 * MS, exit, 0 };
	g->aways[3] = (struct kernel_edge){ 45 * MS, KERNEL_NONE, 0 };
	g->aways[4] = (struct kernel_edge){ 0, stolen, 3 };
	g->n_aways = 5;
	path_is(&t, 0, 1, 0, 60,
		"0:1 running 0-10, 0:1 runnable 10-15, 0:1 stolen 15-20, 0:1 runnable 20-30, 0:1 "
		"hypervisor 30-45, 0:1 runnable 45-50, 0:1 running 50-60");
	/* Until 40 it was ready on another one, which was away. */
	g->moves[0] = (struct kernel_move){ 40 * MS, ready, 3 };
	g->n_moves = 1;
	path_is(&t, 0, 1, 0, 60,
		"0:1 running 0-10, 0:1 stolen 10-40, 0:1 hypervisor 40-45, 0:1 runnable 45-50, 0:1 "
		"running 50-60");
	/* Who has the CPU instead is known of the one that it came to alone. */
	kernel_span(&t.hosts[0], ready)->by = 0;
	struct path p;
	struct mer_err err = { 0 };
	assert_int_equal(path_find(&t.w, 0, 0, 0, 60 * MS, &p, &err), 0);
	assert_int_equal(p.segments[1].by, KERNEL_NONE);
	assert_int_equal(p.segments[1].cpu, 3);
	assert_int_equal(p.segments[1].source, stolen);
	assert_int_equal(p.segments[2].by, 0);
	assert_int_equal(p.segments[2].cpu, 0);
	assert_int_equal(p.segments[2].source, exit);
	path_fini(&p);
	tw_fini(&t);
}

/* Rows of who the time belongs to: the greatest first, equal ones by host, then by task. */
static void shares(void **state)
{
	(void)state;
	struct path_segment segments[] = { { .begin = 0, .end = 10, .host = 1, .task = 2 },
		{ .begin = 10, .end = 20, .host = 0, .task = 7 },
		{ .begin = 20, .end = 30, .host = 0, .task = 3 },
		{ .begin = 30, .end = 40, .host = 0, .task = 5 },
		{ .begin = 40, .end = 51, .host = 1, .task = 9 } };
	const struct path p = { .segments = segments, .n_segments = 5 };
	struct path_share *rows;
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	size_t n;
	assert_int_equal(path_by_task(&p, &rows, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		mer_str_printf(&out, "%u:%u %d, ", (unsigned)rows[i].host, (unsigned)rows[i].task,
			(int)rows[i].total_ns);
	assert_string_equal(out.data, "1:9 11, 0:3 10, 0:5 10, 0:7 10, 1:2 10, ");
	mer_str_fini(&out);
	free(rows);
}

/* Each segment adds to the row of its task, and to that of its host; what is under way also by
 * itself. A host's kernel is no task of another host. */
static void shares_sum(void **state)
{
	(void)state;
	struct path_segment segments[] = { { .begin = 0, .end = 10, .host = 1, .task = 2 },
		{ .begin = 10,
			.end = 13,
			.host = 1,
			.task = 2,
			.cause = PATH_NETWORK,
			.in_flight = true },
		{ .begin = 13, .end = 18, .host = 1, .task = 2, .cause = PATH_NETWORK },
		{ .begin = 18, .end = 20, .host = 0, .task = 2, .cause = PATH_DISK },
		{ .begin = 20, .end = 21, .host = 0, .task = KERNEL_NONE },
		{ .begin = 21, .end = 25, .host = 1, .task = KERNEL_NONE } };
	const struct path p = { .segments = segments, .n_segments = 6 };
	const struct path empty = { 0 };
	struct path_share *rows;
	struct mer_err err = { 0 };
	size_t n;
	assert_int_equal(path_by_task(&p, &rows, &n, &err), 0);
	assert_int_equal(n, 4);
	assert_true(rows[0].host == 1 && rows[0].task == 2);
	assert_int_equal(rows[0].total_ns, 18);
	assert_int_equal(rows[0].in_flight_ns, 3);
	assert_int_equal(rows[0].by_cause[PATH_RUNNING], 10);
	assert_int_equal(rows[0].by_cause[PATH_NETWORK], 8);
	assert_true(rows[1].host == 1 && rows[1].task == KERNEL_NONE && rows[1].total_ns == 4);
	assert_true(rows[2].host == 0 && rows[2].task == 2 && rows[2].total_ns == 2);
	assert_int_equal(rows[2].in_flight_ns, 0);
	assert_int_equal(rows[2].by_cause[PATH_DISK], 2);
	free(rows);
	assert_int_equal(path_by_host(&p, &rows, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_true(rows[0].host == 1 && rows[0].task == KERNEL_NONE && rows[0].total_ns == 22);
	assert_int_equal(rows[0].in_flight_ns, 3);
	assert_true(rows[1].host == 0 && rows[1].task == KERNEL_NONE && rows[1].total_ns == 3);
	free(rows);
	assert_int_equal(path_by_host(&empty, &rows, &n, &err), 0);
	assert_int_equal(n, 0);
	free(rows);
}

/* Whoever asked no longer waits. */
static void cancelled(void **state)
{
	struct tasks_world t;
	struct path p;
	struct mer_err err = { 0 };
	struct mer_cancel cancel = { true };
	(void)state;
	world_text(&t, "0 0:1 user\n10 0:1 read disk\n20 0:1 user\n");
	t.w.cancel = &cancel;
	assert_int_equal(path_find(&t.w, 0, 0, 5 * MS, 25 * MS, &p, &err), MER_ERR_CANCELLED);
	path_fini(&p);
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(causes), cmocka_unit_test(windows),
		cmocka_unit_test(followed), cmocka_unit_test(ends_in_a_wait),
		cmocka_unit_test(new_of_nobody), cmocka_unit_test(stopped_and_new),
		cmocka_unit_test(packets), cmocka_unit_test(answers), cmocka_unit_test(held),
		cmocka_unit_test(relays), cmocka_unit_test(since_issued),
		cmocka_unit_test(not_relayed), cmocka_unit_test(ready_in_a_guest),
		cmocka_unit_test(shares), cmocka_unit_test(shares_sum),
		cmocka_unit_test(cancelled) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
