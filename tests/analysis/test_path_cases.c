/* Small graphs of tasks that wait for one another, each with its path known: the cases that the
 * bounded algorithm was published with. (The facts are those of GraphFactory in Trace Compass's
 * tests of the graph analysis: who runs and waits when, who wakes whom, what the bounded path is.
 * Where ours is another one on purpose, the case says why.)
 *
 * What differs everywhere: our path has no vertices, so stretches of the same task with the same
 * cause are one; a packet's way is a segment of the one who waits for it, where theirs is an edge
 * with a duration; and a task through which the path would pass without staying is not in our
 * links. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_text.h"

enum { TICK = 1000, MAX_HOSTS = 3, MAX_PACKETS = 4 };

struct graph {
	struct kernel_world w;
	struct kernel_host hosts[MAX_HOSTS];
	struct kernel_bridge packets[MAX_PACKETS];
};

static void begin(struct graph *g, uint32_t n_hosts)
{
	*g = (struct graph){ 0 };
	for (uint32_t h = 0; h < n_hosts; h++) {
		kernel_host_init(&g->hosts[h]);
		g->hosts[h].begin = INT64_MAX;
		g->hosts[h].end = INT64_MIN;
	}
	g->w.hosts = g->hosts;
	g->w.bridges = g->packets;
	g->w.n_hosts = n_hosts;
}

static void end(struct graph *g)
{
	for (uint32_t h = 0; h < g->w.n_hosts; h++)
		kernel_host_fini(&g->hosts[h]);
}

static enum kernel_state state_of(char letter)
{
	switch (letter) {
	case 'R': return KERNEL_USER;
	case 'B': return KERNEL_BLOCKED;
	case 'N': return KERNEL_NEW;
	case 'W': return KERNEL_RUNNABLE;
	case 'U': return KERNEL_UNKNOWN;
	default: fail_msg("no state %c", letter); return KERNEL_UNKNOWN;
	}
}

/* A task whose life is told as "0 R 2 B 4 R 6": runs from 0 to 2, and so on. Waits end without a
 * cause until something is said about them. */
static uint32_t actor(struct graph *g, uint32_t host, int32_t tid, const char *life)
{
	struct kernel_host *h = &g->hosts[host];
	char *p;
	int64_t at = strtol(life, &p, 10) * TICK;
	uint32_t task = kernel_add_task(h, tid, at);
	assert_int_not_equal(task, KERNEL_NONE);
	h->begin = at < h->begin ? at : h->begin;
	while (*p) {
		while (*p == ' ')
			p++;
		struct kernel_span s = { .begin = at,
			.task = task,
			.call = KERNEL_NONE,
			.by = KERNEL_NONE,
			.source = KERNEL_NONE,
			.cpu = (uint16_t)tid,
			.state = (uint8_t)state_of(*p) };
		assert_int_not_equal(kernel_add_span(h, &s), KERNEL_NONE);
		at = strtol(p + 1, &p, 10) * TICK;
	}
	h->tasks[task].end = at;
	h->end = at > h->end ? at : h->end;
	return task;
}

/* The span of a task that ends at a time, or that it is in then. */
static uint32_t before(const struct graph *g, uint32_t host, uint32_t task, int64_t time)
{
	return kernel_span_at(&g->hosts[host], task, time * TICK - 1, KERNEL_NONE);
}

/* The wait of a task that ends at a time. */
static struct kernel_span *wait_until(struct graph *g, uint32_t host, uint32_t task, int64_t time)
{
	struct kernel_span *s = kernel_span(&g->hosts[host], before(g, host, task, time));
	assert_true(s->state == KERNEL_BLOCKED || s->state == KERNEL_NEW);
	return s;
}

static void wake(struct graph *g, uint32_t host, uint32_t task, int64_t time, uint32_t waker)
{
	struct kernel_span *s = wait_until(g, host, task, time);
	s->cause = KERNEL_TASK;
	s->by = before(g, host, waker, time);
	assert_int_not_equal(s->by, KERNEL_NONE);
}

/* The child's first span is from the fork on. */
static void forks(struct graph *g, uint32_t host, uint32_t parent, uint32_t child)
{
	struct kernel_task *t = &g->hosts[host].tasks[child];
	t->parent = parent;
	t->born = true;
	struct kernel_span *s = kernel_span(
		&g->hosts[host], kernel_span_at(&g->hosts[host], child, t->begin, KERNEL_NONE));
	while (s->before != KERNEL_NONE)
		s = kernel_span(&g->hosts[host], s->before);
	if (s->state != KERNEL_NEW)
		return;
	s->cause = KERNEL_TASK;
	s->by = before(g, host, parent, t->begin / TICK);
}

/* from_task KERNEL_NONE: nobody knows who sent it. The one who waits is woken as it arrives. */
static void packet(struct graph *g, uint32_t from, uint32_t from_task, int64_t sent, uint32_t to,
	uint32_t to_task, int64_t received)
{
	uint32_t sender = from_task == KERNEL_NONE ? KERNEL_NONE : before(g, from, from_task, sent);
	g->packets[g->w.n_bridges] = (struct kernel_bridge){ .from.time = sent * TICK,
		.to.time = received * TICK,
		.from.host = from,
		.to.host = to,
		.from.span = sender,
		.answers = KERNEL_NONE,
		.to.span = KERNEL_NONE };
	struct kernel_span *s = wait_until(g, to, to_task, received);
	s->cause = KERNEL_NETWORK;
	s->source = g->w.n_bridges++;
}

/* What holds for every path, and then this one in particular. links NULL: not compared. */
static void expect(struct graph *g, uint32_t task, const char *segments, const char *links)
{
	struct path p;
	struct mer_err err = { 0 };
	if (path_find(&g->w, 0, task, INT64_MIN, INT64_MAX, &p, &err))
		fail_msg("%s", err.text);
	int64_t sum = 0, at = g->hosts[0].tasks[task].begin;
	for (unsigned c = 0; c < PATH_N_CAUSES; c++)
		sum += p.by_cause[c];
	assert_int_equal(p.begin, at);
	assert_int_equal(p.end, g->hosts[0].tasks[task].end);
	assert_int_equal(sum, p.end - p.begin);
	for (size_t i = 0; i < p.n_segments; i++) {
		assert_int_equal(p.segments[i].begin, at);
		assert_true(p.segments[i].end > at);
		at = p.segments[i].end;
	}
	assert_int_equal(at, p.end);
	struct mer_str text = { 0 };
	path_text_segments(&p, TICK, &text);
	if (segments)
		assert_string_equal(text.data, segments);
	mer_str_clear(&text);
	path_text_links(&p, TICK, &text);
	if (links)
		assert_string_equal(text.data ? text.data : "", links);
	mer_str_fini(&text);
	path_fini(&p);
}

/* ---- one task ---- */

static void basic(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1");
	expect(&g, a0, "0 running 0-1\n", "");
	end(&g);
}

/* A timer that the task set itself. Theirs has an edge from where it was set; ours is the wait's
 * cause, and when it was set does not matter. */
static void wakeup_self(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1 R 2 B 3 R 4");
	wait_until(&g, 0, a0, 3)->cause = KERNEL_TIMER;
	expect(&g, a0, "0 running 0-2\n0 timer 2-3\n0 running 3-4\n", "");
	end(&g);
}

static void wakeup_missing(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 2 B 4 R 6");
	expect(&g, a0, "0 running 0-2\n0 blocked 2-4\n0 running 4-6\n", "");
	end(&g);
}

/* ---- messages ---- */

/* A packet from a task of which nothing else is known. */
static void wakeup_unknown(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 2);
	uint32_t a0 = actor(&g, 0, 0, "0 R 2 B 4 R 6"), a1 = actor(&g, 1, 1, "0 U 6");
	packet(&g, 1, a1, 3, 0, a0, 4);
	expect(&g, a0, "0 running 0-2\n1 unknown 2-3\n0 network 3-4\n0 running 4-6\n",
		"0@2 wait 1@2\n1@3 network 0@4\n");
	end(&g);
}

/* The same, but it is not even known who sent it: then it is the kernel's of that host. */
static void sender_unknown(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 2);
	uint32_t a0 = actor(&g, 0, 0, "0 R 2 B 4 R 6");
	packet(&g, 1, KERNEL_NONE, 3, 0, a0, 4);
	expect(&g, a0, "0 running 0-2\nkernel network 2-3\n0 network 3-4\n0 running 4-6\n",
		"0@2 wait kernel@2\nkernel@3 network 0@4\n");
	end(&g);
}

/* Something was sent before the wait began. With them A1 at 3 is visited without staying, and 3-6
 * is nobody's; with us it was under way then. */
static void opened_delay(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 2);
	uint32_t a0 = actor(&g, 0, 0, "0 R 3 B 6 R 9"), a1 = actor(&g, 1, 1, "0 R 2 R 5");
	packet(&g, 1, a1, 2, 0, a0, 6);
	expect(&g, a0, "0 running 0-3\n0 network 3-6\n0 running 6-9\n", "");
	end(&g);
}

/* The same as a wakeup, which no kernel would do: it acts at once. The waker's last span ended
 * before the wait began; there is nothing of it to follow, and all that holds is what holds for
 * every path. */
static void opened_delay_by_task(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 3 B 6 R 9"), a1 = actor(&g, 0, 1, "0 R 2 R 5");
	wake(&g, 0, a0, 6, a1);
	wait_until(&g, 0, a0, 6)->by = before(&g, 0, a1, 2);
	expect(&g, a0, NULL, NULL);
	end(&g);
}

/* A1 sends to A2, which sends to A3, which wakes A0. In their graph A2 and A3 run a bit before the
 * packet comes, and are not known before that; the path leaves them out there, because nothing
 * leads further back, and follows the packet instead. With us a packet is followed where somebody
 * waited for it: A2 and A3 wait. */
static void net1(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 3);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1 B 11 R 12");
	uint32_t a1 = actor(&g, 1, 1, "0 U 3 R 4 R 5 U 12");
	uint32_t a2 = actor(&g, 2, 2, "0 U 6 B 7 R 8 U 12");
	uint32_t a3 = actor(&g, 0, 3, "0 U 9 B 10 R 11 U 12");
	packet(&g, 1, a1, 4, 2, a2, 7);
	packet(&g, 2, a2, 8, 0, a3, 10);
	wake(&g, 0, a0, 11, a3);
	/* The waits of A2 and A3 are short: before them nobody knows what they did. */
	expect(&g, a0,
		"0 running 0-1\n3 unknown 1-9\n3 network 9-10\n3 running 10-11\n0 running 11-12\n",
		NULL);
	end(&g);

	/* They wait all the time. */
	begin(&g, 3);
	a0 = actor(&g, 0, 0, "0 R 1 B 11 R 12");
	a1 = actor(&g, 1, 1, "0 U 3 R 4 R 5 U 12");
	a2 = actor(&g, 2, 2, "0 B 7 R 8 U 12");
	a3 = actor(&g, 0, 3, "0 B 10 R 11 U 12");
	packet(&g, 1, a1, 4, 2, a2, 7);
	packet(&g, 2, a2, 8, 0, a3, 10);
	wake(&g, 0, a0, 11, a3);
	expect(&g, a0,
		"0 running 0-1\n1 unknown 1-3\n1 running 3-4\n2 network 4-7\n2 running 7-8\n"
		"3 network 8-10\n3 running 10-11\n0 running 11-12\n",
		"0@1 wait 1@1\n1@4 network 2@7\n2@8 network 3@10\n3@11 wake 0@11\n");
	end(&g);
}

/* No case of theirs: A0 waits for a packet that the kernel of another machine sent in answer to one
 * of A0's own, an acknowledgement for example. */
static void answered_by_kernel(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 2);
	uint32_t a0 = actor(&g, 0, 0, "0 R 2 B 8 R 9");
	packet(&g, 1, KERNEL_NONE, 5, 0, a0, 8);
	g.packets[0].to.time = 7 * TICK; /* and takes a while to be delivered */
	g.packets[0].answers = 1;
	g.packets[g.w.n_bridges++] = (struct kernel_bridge){ .from.time = 1 * TICK,
		.to.time = 4 * TICK,
		.from.host = 0,
		.to.host = 1,
		.from.span = before(&g, 0, a0, 1),
		.answers = KERNEL_NONE,
		.to.span = KERNEL_NONE };
	expect(&g, a0,
		"0 running 0-2\nkernel network 2-4\nkernel interrupted 4-5\n0 network 5-8\n"
		"0 running 8-9\n",
		NULL);
	end(&g);
}

/* ---- tasks that wake one another ---- */

/* A0 makes A1 and waits for it. */
static void wakeup_new(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 2 R 4 B 6 R 8"), a1 = actor(&g, 0, 1, "2 N 3 R 6");
	forks(&g, 0, a0, a1);
	wake(&g, 0, a0, 6, a1);
	expect(&g, a0, "0 running 0-4\n1 running 4-6\n0 running 6-8\n",
		"0@4 wait 1@4\n1@6 wake 0@6\n");
	end(&g);
}

static void opened(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 3 B 6 R 9"), a1 = actor(&g, 0, 1, "0 R 6 R 9");
	wake(&g, 0, a0, 6, a1);
	expect(&g, a0, "0 running 0-3\n1 running 3-6\n0 running 6-9\n",
		"0@3 wait 1@3\n1@6 wake 0@6\n");
	end(&g);
}

static void mutual(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1 R 2 R 3 B 4 R 5");
	uint32_t a1 = actor(&g, 0, 1, "0 R 1 B 2 R 3 R 4 R 5");
	wake(&g, 0, a1, 2, a0);
	wake(&g, 0, a0, 4, a1);
	expect(&g, a0, "0 running 0-3\n1 running 3-4\n0 running 4-5\n",
		"0@3 wait 1@3\n1@4 wake 0@4\n");
	/* And from the other side. */
	expect(&g, a1, "1 running 0-1\n0 running 1-2\n1 running 2-5\n",
		"1@1 wait 0@1\n0@2 wake 1@2\n");
	end(&g);
}

/* Two tasks that A0 made and joins in turn: the one made last first, or first. Between the waits A0
 * does nothing; with them the path comes back to it at 8 for no time. */
static void two_children(void **state)
{
	(void)state;
	static const char *const lives[][2] = { { "4 R 8", "2 R 10" }, { "2 R 8", "4 R 10" } };
	for (int interleave = 0; interleave < 2; interleave++) {
		struct graph g;
		begin(&g, 1);
		uint32_t a0 = actor(&g, 0, 0, "0 R 2 R 4 R 6 B 8 B 10 R 12");
		uint32_t a1 = actor(&g, 0, 1, lives[interleave][0]);
		uint32_t a2 = actor(&g, 0, 2, lives[interleave][1]);
		forks(&g, 0, a0, a1);
		forks(&g, 0, a0, a2);
		wake(&g, 0, a0, 8, a1);
		wake(&g, 0, a0, 10, a2);
		expect(&g, a0, "0 running 0-6\n1 running 6-8\n2 running 8-10\n0 running 10-12\n",
			"0@6 wait 1@6\n1@8 wake 2@8\n2@10 wake 0@10\n");
		end(&g);
	}
}

/* Each makes the next and waits for it. */
static void nested(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1 B 6 R 7"), a1 = actor(&g, 0, 1, "1 R 2 B 5 R 6");
	uint32_t a2 = actor(&g, 0, 2, "2 R 3 B 4 R 5"), a3 = actor(&g, 0, 3, "3 R 4");
	forks(&g, 0, a0, a1);
	forks(&g, 0, a1, a2);
	forks(&g, 0, a2, a3);
	wake(&g, 0, a2, 4, a3);
	wake(&g, 0, a1, 5, a2);
	wake(&g, 0, a0, 6, a1);
	expect(&g, a0,
		"0 running 0-1\n1 running 1-2\n2 running 2-3\n3 running 3-4\n2 running 4-5\n"
		"1 running 5-6\n0 running 6-7\n",
		NULL);
	end(&g);
}

/* No case of theirs: the waker itself was not on a CPU until shortly before, and its own waker
 * neither. The path follows both back and never leaves the bounds of the first wait. */
static void chain(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 4 B 20 W 21 R 22");
	uint32_t a1 = actor(&g, 0, 1, "0 R 2 B 16 W 18 R 22");
	uint32_t a2 = actor(&g, 0, 2, "0 B 10 W 12 R 22");
	wait_until(&g, 0, a2, 10)->cause = KERNEL_DISK;
	wake(&g, 0, a1, 16, a2);
	wake(&g, 0, a0, 20, a1);
	expect(&g, a0,
		"0 running 0-4\n2 disk 4-10\n2 runnable 10-12\n2 running 12-16\n1 runnable 16-18\n"
		"1 running 18-20\n0 runnable 20-21\n0 running 21-22\n",
		"0@4 wait 2@4\n2@16 wake 1@16\n1@20 wake 0@20\n");
	end(&g);
}

/* Impossible, but files can say anything: two tasks, each woken by the other while that waited. */
static void circle(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 1 B 5 R 6"), a1 = actor(&g, 0, 1, "0 R 1 B 5 R 6");
	wake(&g, 0, a0, 5, a1);
	wake(&g, 0, a1, 5, a0);
	expect(&g, a0, NULL, NULL);
	expect(&g, a1, NULL, NULL);
	end(&g);
}

/* Clocks of CPUs that went backwards make such a world: the waker is not known before it wakes. */
static void waker_from_the_future(void **state)
{
	(void)state;
	struct graph g;
	begin(&g, 1);
	uint32_t a0 = actor(&g, 0, 0, "0 R 3 B 6 R 9"), a1 = actor(&g, 0, 1, "8 R 9");
	struct kernel_span *wait = wait_until(&g, 0, a0, 6);
	wait->cause = KERNEL_TASK;
	wait->by = g.hosts[0].tasks[a1].last;
	expect(&g, a0, NULL, NULL);
	end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(basic),
		cmocka_unit_test(wakeup_self),
		cmocka_unit_test(wakeup_missing),
		cmocka_unit_test(wakeup_unknown),
		cmocka_unit_test(sender_unknown),
		cmocka_unit_test(opened_delay),
		cmocka_unit_test(opened_delay_by_task),
		cmocka_unit_test(net1),
		cmocka_unit_test(answered_by_kernel),
		cmocka_unit_test(wakeup_new),
		cmocka_unit_test(opened),
		cmocka_unit_test(mutual),
		cmocka_unit_test(two_children),
		cmocka_unit_test(nested),
		cmocka_unit_test(chain),
		cmocka_unit_test(circle),
		cmocka_unit_test(waker_from_the_future),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
