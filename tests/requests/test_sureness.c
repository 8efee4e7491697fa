/* How sure a parent is where threads of a process take each other's requests from memory, as in a
 * server in Go, and where events are missing that nobody counted. Threads 20 and 21 read requests
 * of 10 and 11 and ask 30; worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "calls_world.h"

struct text {
	struct mer_str s;
	int now; /* us */
};

static void begin(struct text *t)
{
	*t = (struct text){ .now = 10 };
	mer_str_puts(&t->s, "pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\n");
}

static void call(struct text *t, int task, const char *what, int fd)
{
	mer_str_printf(&t->s, "%d-%d %d %s %d 10\n", t->now, t->now + 1, task, what, fd);
	t->now += 2;
}

/* What is behind the last call of each is for nobody. */
static void rest(struct text *t)
{
	call(t, 20, "epoll_wait", -1);
	call(t, 21, "epoll_wait", -1);
}

static void ask_and_get(struct text *t, int asks, int gets)
{
	call(t, asks, "write", 8);
	call(t, 30, "read", 9);
	call(t, 30, "write", 9);
	call(t, gets, "read", 8);
}

/* One thread does all of it: both links of its request to 30 say the same. */
static void add_agreeing(struct text *t)
{
	call(t, 10, "write", 5);
	call(t, 20, "read", 7);
	ask_and_get(t, 20, 20);
	call(t, 20, "write", 7);
	call(t, 10, "read", 5);
	rest(t);
}

/* 20 asks for the one that it has read, and answers the other one when it has the answer: its links
 * differ. 21, which has read that one, answers the first: what it took, nothing says. */
static void add_differing(struct text *t)
{
	call(t, 10, "write", 5);
	call(t, 11, "write", 5);
	call(t, 21, "read", 17);
	call(t, 20, "read", 7);
	ask_and_get(t, 20, 20);
	call(t, 20, "write", 17);
	call(t, 21, "write", 7);
	call(t, 10, "read", 5);
	call(t, 11, "read", 5);
	rest(t);
}

/* Both are read and answered, each by the other thread. */
static void add_taken(struct text *t)
{
	call(t, 10, "write", 5);
	call(t, 11, "write", 5);
	call(t, 20, "read", 7);
	call(t, 21, "read", 17);
	call(t, 20, "write", 17);
	call(t, 21, "write", 7);
	call(t, 10, "read", 5);
	call(t, 11, "read", 5);
	rest(t);
}

/* Both are open; 20 asks for nobody that is known, and answers 10 in the turn of the answer; the
 * link behind stands alone. is_alone: the other one is not there. */
static void add_link_behind(struct text *t, bool is_alone)
{
	call(t, 10, "write", 5);
	if (!is_alone)
		call(t, 11, "write", 5);
	call(t, 20, "read", 7);
	if (!is_alone)
		call(t, 21, "read", 17);
	rest(t);
	ask_and_get(t, 20, 20);
	call(t, 20, "write", 7);
	call(t, 10, "read", 5);
	if (is_alone)
		return;
	call(t, 21, "write", 17);
	call(t, 11, "read", 5);
}

/* 20 has read it and asks for it; another thread gets the answer. What that one asks then, or
 * answers, says for which. */
static void add_link_in_front(struct text *t)
{
	call(t, 10, "write", 5);
	call(t, 11, "write", 5);
	call(t, 21, "read", 17);
	call(t, 20, "read", 7);
	ask_and_get(t, 20, 21);
}

/* 21 is first. */
static void end_both(struct text *t, bool is_10_of_21)
{
	call(t, 21, "write", is_10_of_21 ? 7 : 17);
	call(t, 20, "write", is_10_of_21 ? 17 : 7);
	call(t, 10, "read", 5);
	call(t, 11, "read", 5);
}

static int32_t tid_of(const struct calls_world *c, uint32_t task)
{
	return task == KERNEL_NONE ? -1 : c->host.tasks[task].tid;
}

/* Of the last request to 30, or so many before it: who sent its parent, and how sure that is. */
static void parent_is(struct text *t, unsigned back, const char *expected)
{
	struct calls_world c;
	char text[64] = "none";
	calls_world_open(&c, t->s.data);
	uint32_t last = KERNEL_NONE;
	for (uint32_t i = 0; i < c.r->n; i++)
		if (tid_of(&c, c.r->exchanges[i].server_task) == 30)
			last = i;
	assert_int_not_equal(last, KERNEL_NONE);
	const struct requests_exchange *x = &c.r->exchanges[last - back];
	if (x->parent)
		snprintf(text, sizeof(text), "%d %.3f",
			tid_of(&c, c.r->exchanges[x->parent - 1].client_task),
			(double)x->confidence);
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void end(struct text *t)
{
	mer_str_fini(&t->s);
}

static void repeat(struct text *t, int n, void (*add)(struct text *))
{
	while (n-- > 0)
		add(t);
}

static void add_alone(struct text *t)
{
	add_link_behind(t, true);
}

/* 20 of 25 pairs agree, 0.8; the standard error is 0.08. */
static void as_often_as_pairs_agree(void **state)
{
	struct text t;
	(void)state;
	begin(&t);
	repeat(&t, 20, add_agreeing);
	parent_is(&t, 0, "10 1.000");
	repeat(&t, 5, add_differing);
	parent_is(&t, 0, "11 0.500"); /* as the link behind says */
	add_link_behind(&t, false);
	parent_is(&t, 0, "10 0.720");
	end(&t);
}

/* Of 8 + 10 + 2 turns that a request began another one is answered in 8; plus one. 11 links are
 * behind: 1 - 9 / 21 * 11 / 12. */
static void as_often_as_another_is_taken(void **state)
{
	struct text t;
	(void)state;
	begin(&t);
	repeat(&t, 4, add_taken);
	repeat(&t, 10, add_alone);
	parent_is(&t, 0, "10 0.980"); /* no other one was open */
	add_link_behind(&t, false);
	parent_is(&t, 0, "10 0.607");
	end(&t);
}

/* What 21 asks when it has the answer is for the same; the ends of that chain agree, or not. */
static void ends_of_a_chain(void **state)
{
	struct text t;
	(void)state;
	for (int same = 0; same < 2; same++) {
		begin(&t);
		repeat(&t, 4, add_taken);
		repeat(&t, 10, add_alone);
		add_link_in_front(&t);
		ask_and_get(&t, 21, 21);
		end_both(&t, same);
		parent_is(&t, 0, same ? "10 0.990" : "11 0.500");
		parent_is(&t, 1, same ? "10 0.990" : "11 0.500");
		end(&t);
	}
}

/* A loop reads all that is there, then works on the first one: what it read last says nothing. */
static void add_collecting(struct text *t)
{
	call(t, 10, "write", 5);
	call(t, 11, "write", 5);
	call(t, 20, "read", 7);
	call(t, 20, "read", 17);
	ask_and_get(t, 20, 20);
	call(t, 20, "write", 7);
	call(t, 20, "write", 17);
	call(t, 10, "read", 5);
	call(t, 11, "read", 5);
	rest(t);
}

/* 30 pairs agree, 10 do not: 0.75, and 0.068 of error. If none agrees, it is one of the two that
 * were open. */
static void a_loop_that_collects(void **state)
{
	struct text t;
	(void)state;
	for (int n = 30; n >= 0; n -= 30) {
		begin(&t);
		repeat(&t, n, add_agreeing);
		repeat(&t, 10, add_collecting);
		call(&t, 10, "write", 5);
		call(&t, 11, "write", 5);
		call(&t, 20, "read", 7);
		call(&t, 20, "read", 17);
		ask_and_get(&t, 20, 20);
		call(&t, 20, "epoll_wait", -1);
		call(&t, 20, "write", 7);
		call(&t, 20, "write", 17);
		call(&t, 10, "read", 5);
		call(&t, 11, "read", 5);
		parent_is(&t, 0, n ? "11 0.682" : "11 0.500");
		end(&t);
	}
}

/* 2 of 1,000 events contradict others. */
static void where_events_are_missing(void **state)
{
	struct text t;
	(void)state;
	begin(&t);
	mer_str_puts(&t.s, "contradictions 2 1000\n");
	add_agreeing(&t);
	parent_is(&t, 0, "10 0.667");
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_often_as_pairs_agree),
		cmocka_unit_test(as_often_as_another_is_taken),
		cmocka_unit_test(ends_of_a_chain),
		cmocka_unit_test(a_loop_that_collects),
		cmocka_unit_test(where_events_are_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
