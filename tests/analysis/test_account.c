/* What tasks cost, in worlds by hand, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/events.h"
#include "path/account.h"
#include "tasks_world.h"

struct accounts {
	struct blocked b;
	struct usage *u; /* with what took() said before */
	struct account_index *x;
	struct account a;
};

static void open_accounts(struct accounts *s, struct tasks_world *t)
{
	struct mer_err err = { 0 };
	if (!s->u)
		assert_int_equal(usage_new(t->w.n_hosts, NULL, &s->u, &err), 0);
	assert_int_equal(usage_settle(s->u, &t->w, &err), 0);
	assert_int_equal(blocked_find(&t->w, &s->b, &err), 0);
	assert_int_equal(account_index_new(&s->b, s->u, &s->x, &err), 0);
}

/* At a time a task allocates that many pages (freed: negative), has as many faults, and sends as
 * many packets. */
static void took(struct accounts *s, struct tasks_world *t, uint32_t host, uint32_t task,
	int64_t at, int64_t n)
{
	struct mer_err err = { 0 };
	if (!s->u)
		assert_int_equal(usage_new(t->w.n_hosts, NULL, &s->u, &err), 0);
	const struct kernel_observer *o = &usage_observers(s->u)[host];
	uint64_t slots[KERNEL_EVENT_SLOTS] = { 0 }; /* one page */
	struct kernel_told_event e = { .time = at * MS,
		.slots = slots,
		.task = task,
		.kind = n < 0 ? KERNEL_EV_PAGE_FREE : KERNEL_EV_PAGE_ALLOC };
	struct kernel_packet_seen p = { .time = at * MS, .task = task, .is_send = true };
	for (int64_t i = 0; i < llabs(n); i++)
		assert_int_equal(o->event(o->ctx, &t->hosts[host], &e), 0);
	e.kind = KERNEL_EV_FAULT_USER;
	for (int64_t i = 0; i < n; i++) {
		assert_int_equal(o->event(o->ctx, &t->hosts[host], &e), 0);
		assert_int_equal(o->packet(o->ctx, &t->hosts[host], &p), 0);
	}
}

/* Total of the task and all rests are the elapsed time; parts are parts. */
static void check_sums(const struct account *a)
{
	int64_t sum = a->nodes[0].self_ns + a->nodes[0].children_ns;
	for (uint32_t i = 0; i < a->n; i++) {
		int64_t below = 0;
		const struct account_node *n = &a->nodes[i];
		for (uint32_t c = n->child; c != KERNEL_NONE; c = a->nodes[c].next)
			below += a->nodes[c].self_ns + a->nodes[c].children_ns;
		assert_int_equal(below, n->children_ns);
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++) {
			assert_true(n->residual_ns[r] >= 0);
			sum += n->residual_ns[r];
		}
	}
	assert_int_equal(sum, a->end - a->begin);
}

static const struct account *find(
	struct accounts *s, uint32_t host, uint32_t task, int64_t begin, int64_t end)
{
	struct mer_err err = { 0 };
	account_fini(&s->a);
	assert_int_equal(
		account_find(s->x, host, task, begin * MS, end * MS, false, &s->a, &err), 0);
	check_sums(&s->a);
	return &s->a;
}

static void close_accounts(struct accounts *s)
{
	account_fini(&s->a);
	account_index_free(s->x);
	usage_free(s->u);
	blocked_fini(&s->b);
}

/* The child of a node for this task; NULL: none. */
static const struct account_node *below(
	const struct account *a, const struct account_node *n, uint32_t task)
{
	for (uint32_t c = n->child; c != KERNEL_NONE; c = a->nodes[c].next)
		if (a->nodes[c].task == task)
			return &a->nodes[c];
	return NULL;
}

#define ASSERT_NODE(n, self, sub)                                                                  \
	do {                                                                                       \
		assert_non_null(n);                                                                \
		assert_int_equal((n)->self_ns, (self)*MS);                                         \
		assert_int_equal((n)->children_ns, (sub)*MS);                                      \
	} while (0)

/* A client waits from 5 to 75 for A, which waits from 15 to 35 for B; B sleeps 4 of these. */
static void nested(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 200);
	uint32_t c = tw_task(&t, 0, 100, "client"), a = tw_task(&t, 0, 101, "a"),
		 b = tw_task(&t, 0, 102, "b");
	tw_span(&t, 0, c, 0, KERNEL_USER);
	uint32_t idle_a = tw_wait(&t, 0, a, 0, "read", "", KERNEL_TASK);
	uint32_t idle_b = tw_wait(&t, 0, b, 0, "read", "", KERNEL_TASK);
	uint32_t asks = tw_span(&t, 0, c, 4, KERNEL_SYSCALL);
	uint32_t wait_c = tw_wait(&t, 0, c, 5, "read", "", KERNEL_TASK);
	tw_by(&t, 0, idle_a, asks);
	tw_span(&t, 0, a, 5, KERNEL_USER);
	uint32_t asks_b = tw_span(&t, 0, a, 14, KERNEL_SYSCALL);
	uint32_t wait_a = tw_wait(&t, 0, a, 15, "poll", "", KERNEL_TASK);
	tw_by(&t, 0, idle_b, asks_b);
	tw_span(&t, 0, b, 15, KERNEL_USER);
	tw_wait(&t, 0, b, 20, "nanosleep", "", KERNEL_TIMER);
	tw_span(&t, 0, b, 24, KERNEL_USER);
	uint32_t answer_b = tw_span(&t, 0, b, 34, KERNEL_SYSCALL);
	tw_by(&t, 0, wait_a, answer_b);
	tw_span(&t, 0, a, 35, KERNEL_RUNNABLE);
	tw_wait(&t, 0, b, 36, "read", "", KERNEL_TASK);
	tw_span(&t, 0, a, 37, KERNEL_USER);
	uint32_t answer_a = tw_span(&t, 0, a, 74, KERNEL_SYSCALL);
	tw_by(&t, 0, wait_c, answer_a);
	tw_span(&t, 0, c, 75, KERNEL_USER);
	tw_span(&t, 0, a, 75, KERNEL_USER); /* tidies up: not for the client */
	tw_wait(&t, 0, a, 90, "read", "", KERNEL_TASK);
	open_accounts(&s, &t);

	const struct account *k = find(&s, 0, c, 0, 100);
	const struct account_node *na = below(k, &k->nodes[0], a);
	ASSERT_NODE(&k->nodes[0], 30, 64);
	ASSERT_NODE(na, 48, 16);
	ASSERT_NODE(below(k, na, b), 16, 0);
	assert_int_equal(na->n_served, 1);
	assert_int_equal(na->residual_ns[PATH_RUNNABLE], 2 * MS);
	assert_int_equal(below(k, na, b)->residual_ns[PATH_TIMER], 4 * MS);
	assert_int_equal(k->waited_ns, 70 * MS);
	/* A part of it, from within B's work to within A's. */
	k = find(&s, 0, c, 30, 50);
	na = below(k, &k->nodes[0], a);
	ASSERT_NODE(&k->nodes[0], 0, 18);
	ASSERT_NODE(na, 13, 5);
	/* A's own: what B did for it; its waits for work cost nothing. */
	k = find(&s, 0, a, 0, 200);
	ASSERT_NODE(&k->nodes[0], 63, 16);
	assert_int_equal(k->nodes[0].residual_ns[ACCOUNT_IDLE], (5 + 110) * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* Two clients on one machine ask a server on another one; it takes the first one's request at 10
 * and answers at 60, then the second one's, which had asked at 20, and answers at 100. */
static void two_clients(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 2, 200);
	uint32_t c1 = tw_task(&t, 0, 10, "one"), c2 = tw_task(&t, 0, 11, "two"),
		 srv = tw_task(&t, 1, 20, "server");
	uint32_t idle = tw_wait(&t, 1, srv, 0, "epoll_wait", "", KERNEL_NETWORK);
	uint32_t ask1 = tw_span(&t, 0, c1, 0, KERNEL_USER);
	tw_span(&t, 0, c2, 0, KERNEL_USER);
	uint32_t wait1 = tw_wait(&t, 0, c1, 9, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle, 0, ask1, 9, 10);
	tw_span(&t, 1, srv, 10, KERNEL_USER);
	uint32_t wait2 = tw_wait(&t, 0, c2, 20, "read", "", KERNEL_NETWORK);
	uint32_t answer1 = tw_span(&t, 1, srv, 59, KERNEL_SYSCALL);
	tw_by_packet(&t, 0, wait1, 1, answer1, 60, 62);
	tw_span(&t, 0, c1, 62, KERNEL_USER);
	uint32_t answer2 = tw_span(&t, 1, srv, 99, KERNEL_SYSCALL);
	tw_by_packet(&t, 0, wait2, 1, answer2, 100, 103);
	tw_span(&t, 0, c2, 103, KERNEL_USER);
	tw_wait(&t, 1, srv, 110, "epoll_wait", "", KERNEL_NETWORK);
	open_accounts(&s, &t);

	const struct account *k = find(&s, 0, c1, 0, 150);
	ASSERT_NODE(&k->nodes[0], 97, 50);
	ASSERT_NODE(below(k, &k->nodes[0], srv), 50, 0);
	assert_int_equal(below(k, &k->nodes[0], srv)->host, 1);
	assert_int_equal(k->nodes[0].residual_ns[PATH_NETWORK], 2 * MS);
	assert_int_equal(below(k, &k->nodes[0], srv)->others_ns, 0);
	/* It waits for all that the server does from 20 on; until 60 that was for the first one. */
	k = find(&s, 0, c2, 0, 150);
	ASSERT_NODE(&k->nodes[0], 67, 80);
	ASSERT_NODE(below(k, &k->nodes[0], srv), 80, 0);
	assert_int_equal(below(k, &k->nodes[0], srv)->others_ns, 40 * MS);
	assert_int_equal(k->nodes[0].residual_ns[PATH_NETWORK], 3 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* An acceptor takes a client's request and hands it to a worker, which answers. And on one
 * processor, before the client comes to wait. */
static void handed_on(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 100);
	uint32_t c = tw_task(&t, 0, 10, "client"), a = tw_task(&t, 0, 20, "acceptor"),
		 w = tw_task(&t, 0, 21, "worker");
	t.hosts[0].tasks[w].pid = 20;
	uint32_t idle_a = tw_wait(&t, 0, a, 0, "accept", "", KERNEL_TASK);
	uint32_t idle_w = tw_wait(&t, 0, w, 0, "futex", "", KERNEL_FUTEX);
	uint32_t asks = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	tw_by(&t, 0, idle_a, asks);
	tw_span(&t, 0, c, 10, KERNEL_RUNNABLE); /* A has the processor, 3 ms */
	tw_span(&t, 0, a, 10, KERNEL_USER);
	tw_span(&t, 0, a, 13, KERNEL_RUNNABLE);
	tw_span(&t, 0, c, 13, KERNEL_SYSCALL);
	uint32_t wait = tw_wait(&t, 0, c, 15, "read", "", KERNEL_TASK);
	uint32_t hands = tw_span(&t, 0, a, 15, KERNEL_USER);
	tw_by(&t, 0, idle_w, hands);
	tw_wait(&t, 0, a, 20, "accept", "", KERNEL_TASK);
	uint32_t answers = tw_span(&t, 0, w, 20, KERNEL_USER);
	tw_by(&t, 0, wait, answers);
	tw_wait(&t, 0, w, 50, "futex", "", KERNEL_FUTEX);
	tw_span(&t, 0, c, 50, KERNEL_USER);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c, 0, 60);
	const struct account_node *nw = below(k, &k->nodes[0], w);
	/* The worker 30, and what the acceptor did meanwhile, 5, through it. */
	ASSERT_NODE(&k->nodes[0], 22, 35);
	ASSERT_NODE(nw, 30, 5);
	ASSERT_NODE(below(k, nw, a), 5, 0);
	assert_int_equal(k->nodes[0].residual_ns[PATH_RUNNABLE], 3 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* The same for two clients on another machine, one after the other: what the acceptor did for the
 * first one, while the second one waited already, is the first one's. */
static void handed_on_for_two(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 2, 100);
	uint32_t c1 = tw_task(&t, 0, 10, "one"), c2 = tw_task(&t, 0, 11, "two"),
		 a = tw_task(&t, 1, 20, "acceptor"), w1 = tw_task(&t, 1, 21, "worker"),
		 w2 = tw_task(&t, 1, 22, "worker");
	t.hosts[1].tasks[w1].pid = t.hosts[1].tasks[w2].pid = 20;
	uint32_t idle_a = tw_wait(&t, 1, a, 0, "accept", "", KERNEL_NETWORK);
	uint32_t idle_1 = tw_wait(&t, 1, w1, 0, "futex", "", KERNEL_FUTEX);
	uint32_t idle_2 = tw_wait(&t, 1, w2, 0, "futex", "", KERNEL_FUTEX);
	uint32_t ask1 = tw_span(&t, 0, c1, 0, KERNEL_SYSCALL);
	uint32_t ask2 = tw_span(&t, 0, c2, 0, KERNEL_SYSCALL);
	uint32_t wait1 = tw_wait(&t, 0, c1, 9, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle_a, 0, ask1, 9, 10);
	uint32_t hands1 = tw_span(&t, 1, a, 10, KERNEL_USER);
	uint32_t wait2 = tw_wait(&t, 0, c2, 12, "read", "", KERNEL_NETWORK);
	tw_by(&t, 1, idle_1, hands1);
	uint32_t again = tw_wait(&t, 1, a, 20, "accept", "", KERNEL_NETWORK);
	uint32_t answer1 = tw_span(&t, 1, w1, 20, KERNEL_USER);
	tw_by_packet(&t, 1, again, 0, ask2, 11, 21);
	uint32_t hands2 = tw_span(&t, 1, a, 21, KERNEL_USER);
	tw_by(&t, 1, idle_2, hands2);
	tw_wait(&t, 1, a, 30, "accept", "", KERNEL_NETWORK);
	uint32_t answer2 = tw_span(&t, 1, w2, 30, KERNEL_USER);
	tw_wait(&t, 1, w1, 50, "futex", "", KERNEL_FUTEX);
	tw_by_packet(&t, 0, wait1, 1, answer1, 50, 52);
	tw_span(&t, 0, c1, 52, KERNEL_USER);
	tw_wait(&t, 1, w2, 60, "futex", "", KERNEL_FUTEX);
	tw_by_packet(&t, 0, wait2, 1, answer2, 60, 62);
	tw_span(&t, 0, c2, 62, KERNEL_USER);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c1, 0, 70);
	ASSERT_NODE(below(k, &k->nodes[0], w1), 30, 10);
	k = find(&s, 0, c2, 0, 70);
	const struct account_node *n = below(k, &k->nodes[0], w2);
	ASSERT_NODE(n, 30, 17);
	ASSERT_NODE(below(k, n, a), 17, 0);
	assert_int_equal(below(k, n, a)->others_ns, 8 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* The server runs from 10 on; its client, kept from its processor, begins to wait at 16 only. */
static void kept_from_the_processor(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 200);
	uint32_t c = tw_task(&t, 0, 10, "client"), srv = tw_task(&t, 0, 20, "server");
	uint32_t idle = tw_wait(&t, 0, srv, 0, "accept", "", KERNEL_TASK);
	uint32_t asks = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	tw_by(&t, 0, idle, asks);
	tw_span(&t, 0, c, 10, KERNEL_RUNNABLE);
	tw_span(&t, 0, srv, 10, KERNEL_USER);
	tw_span(&t, 0, srv, 15, KERNEL_RUNNABLE);
	tw_span(&t, 0, c, 15, KERNEL_SYSCALL);
	uint32_t wait = tw_wait(&t, 0, c, 16, "read", "", KERNEL_TASK);
	uint32_t answers = tw_span(&t, 0, srv, 16, KERNEL_USER);
	tw_by(&t, 0, wait, answers);
	tw_span(&t, 0, c, 111, KERNEL_USER);
	tw_wait(&t, 0, srv, 112, "accept", "", KERNEL_TASK);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c, 0, 150);
	ASSERT_NODE(&k->nodes[0], 50, 95);
	ASSERT_NODE(below(k, &k->nodes[0], srv), 95, 0);
	assert_int_equal(below(k, &k->nodes[0], srv)->ready_ns, 5 * MS);
	assert_int_equal(k->nodes[0].residual_ns[PATH_RUNNABLE], 5 * MS);
	assert_int_equal(k->waited_ns, 95 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* A server writes to a logger, which has waited for long, while it works for a client. The logger
 * asked for nothing: the time is the client's. */
static void bystander(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 100);
	uint32_t c = tw_task(&t, 0, 10, "client"), srv = tw_task(&t, 0, 20, "server"),
		 log = tw_task(&t, 0, 30, "logger");
	uint32_t idle = tw_wait(&t, 0, srv, 0, "accept", "", KERNEL_TASK);
	uint32_t logs = tw_wait(&t, 0, log, 0, "read", "", KERNEL_TASK);
	uint32_t asks = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	tw_by(&t, 0, idle, asks);
	uint32_t wait = tw_wait(&t, 0, c, 10, "read", "", KERNEL_TASK);
	tw_span(&t, 0, srv, 10, KERNEL_USER);
	uint32_t writes = tw_span(&t, 0, srv, 39, KERNEL_SYSCALL);
	tw_by(&t, 0, logs, writes);
	tw_span(&t, 0, log, 40, KERNEL_USER);
	uint32_t answers = tw_span(&t, 0, srv, 50, KERNEL_USER);
	tw_by(&t, 0, wait, answers);
	tw_span(&t, 0, c, 60, KERNEL_USER);
	tw_wait(&t, 0, srv, 61, "accept", "", KERNEL_TASK);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c, 0, 100);
	ASSERT_NODE(below(k, &k->nodes[0], srv), 50, 0);
	assert_int_equal(below(k, &k->nodes[0], srv)->others_ns, 0);
	close_accounts(&s);
	tw_fini(&t);
}

/* A task waits for what a child of its child writes: before that was forked, for who forked it. */
static void forked_meanwhile(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 100);
	uint32_t agent = tw_task(&t, 0, 10, "agent"), sh = tw_task(&t, 0, 20, "sh");
	tw_span(&t, 0, agent, 0, KERNEL_USER);
	uint32_t forks = tw_span(&t, 0, sh, 0, KERNEL_USER);
	uint32_t wait = tw_wait(&t, 0, agent, 5, "read", "", KERNEL_TASK);
	uint32_t child = tw_fork(&t, 0, sh, 30, "child", 30);
	kernel_span(&t.hosts[0], tw_span(&t, 0, child, 30, KERNEL_NEW))->by = forks;
	tw_span(&t, 0, child, 32, KERNEL_USER);
	uint32_t writes = tw_span(&t, 0, child, 50, KERNEL_SYSCALL);
	tw_by(&t, 0, wait, writes);
	tw_span(&t, 0, agent, 60, KERNEL_USER);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, agent, 0, 100);
	ASSERT_NODE(&k->nodes[0], 45, 28 + 25);
	ASSERT_NODE(below(k, &k->nodes[0], child), 28, 0);
	ASSERT_NODE(below(k, &k->nodes[0], sh), 25, 0);
	assert_int_equal(below(k, &k->nodes[0], child)->residual_ns[PATH_NEW], 2 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* A poll times out at 20 and is taken up again, in the midst of the server's wait for its database:
 * that one is followed in both pieces. */
static void poll_in_pieces(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 2, 100);
	uint32_t c = tw_task(&t, 0, 10, "client"), srv = tw_task(&t, 0, 20, "server"),
		 db = tw_task(&t, 1, 30, "db");
	uint32_t idle_db = tw_wait(&t, 1, db, 0, "accept", "", KERNEL_NETWORK);
	uint32_t idle = tw_wait(&t, 0, srv, 0, "accept", "", KERNEL_TASK);
	uint32_t asks = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	tw_by(&t, 0, idle, asks);
	uint32_t first = tw_wait(&t, 0, c, 10, "poll", "", KERNEL_TIMER);
	uint32_t queries = tw_span(&t, 0, srv, 10, KERNEL_USER);
	uint32_t wait_db = tw_wait(&t, 0, srv, 15, "recvfrom", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle_db, 0, queries, 15, 16);
	uint32_t rows = tw_span(&t, 1, db, 16, KERNEL_USER);
	uint32_t last = tw_wait(&t, 0, c, 20, "poll", "", KERNEL_TASK);
	kernel_span(&t.hosts[0], first)->source = last;
	tw_by_packet(&t, 0, wait_db, 1, rows, 24, 25);
	tw_wait(&t, 1, db, 24, "accept", "", KERNEL_NETWORK);
	uint32_t answers = tw_span(&t, 0, srv, 25, KERNEL_USER);
	tw_by(&t, 0, last, answers);
	tw_span(&t, 0, c, 30, KERNEL_USER);
	tw_wait(&t, 0, srv, 30, "accept", "", KERNEL_TASK);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c, 0, 100);
	const struct account_node *n = below(k, &k->nodes[0], srv);
	ASSERT_NODE(n, 10, 8);
	assert_int_equal(n->n_served, 1);
	ASSERT_NODE(below(k, n, db), 8, 0);
	assert_int_equal(n->residual_ns[PATH_NETWORK], 1 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* Waits that nobody's work explains: timer, disk, and one whose end is not recorded. */
static void nobody_worked(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 1, 100);
	uint32_t c = tw_task(&t, 0, 10, "client");
	uint32_t runs = tw_span(&t, 0, c, 0, KERNEL_USER);
	struct kernel_request r = { .insert = 5 * MS, .bytes = 4096, .by = runs };
	assert_int_not_equal(kernel_add_request(&t.hosts[0], &r), KERNEL_NONE);
	tw_wait(&t, 0, c, 10, "fsync", "/x", KERNEL_DISK);
	tw_span(&t, 0, c, 30, KERNEL_USER);
	tw_wait(&t, 0, c, 40, "nanosleep", "", KERNEL_TIMER);
	tw_span(&t, 0, c, 70, KERNEL_INTERRUPTED);
	tw_span(&t, 0, c, 75, KERNEL_USER);
	tw_wait(&t, 0, c, 80, "read", "", KERNEL_NO_CAUSE);
	open_accounts(&s, &t);
	const struct account *k = find(&s, 0, c, 0, 100);
	ASSERT_NODE(&k->nodes[0], 30, 0);
	assert_int_equal(k->n, 1);
	assert_int_equal(k->nodes[0].interrupted_ns, 5 * MS);
	assert_int_equal(k->nodes[0].used[USAGE_BLOCK_READ], 4096);
	assert_int_equal(k->nodes[0].residual_ns[PATH_DISK], 20 * MS);
	assert_int_equal(k->nodes[0].residual_ns[PATH_TIMER], 30 * MS);
	assert_int_equal(k->nodes[0].used[USAGE_REQUESTS], 1);
	assert_int_equal(find(&s, 0, c, 6, 100)->nodes[0].used[USAGE_REQUESTS], 0);
	close_accounts(&s);
	tw_fini(&t);
}

/* Pages, faults and packets of a node, and of all below it. */
static void check_used(const struct account_node *n, int64_t self, int64_t sub)
{
	static const enum usage_kind counts[] = { USAGE_FAULTS, USAGE_PACKETS_SENT };
	assert_non_null(n);
	assert_int_equal(n->used[USAGE_PAGES_ALLOCATED], 4096 * self);
	assert_int_equal(n->children_used[USAGE_PAGES_ALLOCATED], 4096 * sub);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(n->used[counts[i]], self);
		assert_int_equal(n->children_used[counts[i]], sub);
	}
}

/* Two clients ask, nested and at the same time: A for the first one, of which B on another machine
 * does a part, then A for the second one. What happens when somebody answers is still for who is
 * answered; each amount is a power of two, so that a sum tells its parts. */
static void used_meanwhile(void **state)
{
	(void)state;
	struct tasks_world t;
	struct accounts s = { 0 };
	tw_init(&t, 2, 200);
	uint32_t c1 = tw_task(&t, 0, 10, "one"), c2 = tw_task(&t, 0, 11, "two"),
		 a = tw_task(&t, 0, 20, "a"), b = tw_task(&t, 1, 30, "b");
	uint32_t idle_a = tw_wait(&t, 0, a, 0, "epoll_wait", "", KERNEL_TASK);
	uint32_t idle_b = tw_wait(&t, 1, b, 0, "read", "", KERNEL_NETWORK);
	uint32_t ask1 = tw_span(&t, 0, c1, 0, KERNEL_USER);
	tw_span(&t, 0, c2, 0, KERNEL_USER);
	took(&s, &t, 0, c1, 5, 1);
	uint32_t wait1 = tw_wait(&t, 0, c1, 10, "read", "", KERNEL_TASK);
	tw_by(&t, 0, idle_a, ask1);
	uint32_t ask_b = tw_span(&t, 0, a, 10, KERNEL_USER);
	took(&s, &t, 0, a, 15, 2);
	uint32_t wait2 = tw_wait(&t, 0, c2, 18, "read", "", KERNEL_TASK);
	uint32_t wait_a = tw_wait(&t, 0, a, 20, "poll", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle_b, 0, ask_b, 20, 22);
	tw_span(&t, 1, b, 22, KERNEL_USER);
	took(&s, &t, 1, b, 25, 4);
	uint32_t answer_b = tw_span(&t, 1, b, 29, KERNEL_SYSCALL);
	took(&s, &t, 1, b, 30, 8); /* the answer */
	tw_by_packet(&t, 0, wait_a, 1, answer_b, 30, 33);
	took(&s, &t, 1, b, 31, 16); /* for nobody */
	tw_span(&t, 0, a, 33, KERNEL_USER);
	tw_wait(&t, 1, b, 35, "read", "", KERNEL_NETWORK);
	took(&s, &t, 0, a, 35, 32);
	uint32_t answer1 = tw_span(&t, 0, a, 39, KERNEL_SYSCALL);
	took(&s, &t, 0, a, 40, 64); /* the first answer */
	tw_by(&t, 0, wait1, answer1);
	tw_span(&t, 0, c1, 40, KERNEL_USER);
	took(&s, &t, 0, a, 50, 128);
	took(&s, &t, 0, c1, 55, 256);
	uint32_t answer2 = tw_span(&t, 0, a, 59, KERNEL_SYSCALL);
	tw_by(&t, 0, wait2, answer2);
	tw_span(&t, 0, c2, 60, KERNEL_USER);
	took(&s, &t, 0, a, 65, 512); /* for nobody */
	tw_wait(&t, 0, a, 70, "epoll_wait", "", KERNEL_TASK);
	took(&s, &t, 0, c1, 75, -1);
	open_accounts(&s, &t);

	const struct account *k = find(&s, 0, c1, 0, 200);
	const struct account_node *na = below(k, &k->nodes[0], a);
	check_used(&k->nodes[0], 1 + 256, 2 + 4 + 8 + 32 + 64);
	assert_int_equal(k->nodes[0].used[USAGE_PAGES_FREED], 4096);
	check_used(na, 2 + 32 + 64, 4 + 8);
	check_used(below(k, na, b), 4 + 8, 0);
	k = find(&s, 0, c2, 0, 200);
	check_used(&k->nodes[0], 0, 128);
	check_used(below(k, &k->nodes[0], a), 128, 0);
	/* Of parts: what happens when one ends belongs to the next one. */
	k = find(&s, 0, c1, 0, 25);
	check_used(&k->nodes[0], 1, 2);
	k = find(&s, 0, c1, 25, 40);
	check_used(&k->nodes[0], 0, 4 + 8 + 32);
	/* A server's own is all that it took, and of others what was done for it. */
	k = find(&s, 0, a, 0, 200);
	check_used(&k->nodes[0], 2 + 32 + 64 + 128 + 512, 4 + 8);
	assert_true(usage_is_recorded(s.u, 1, USAGE_FAULTS));
	assert_false(usage_is_recorded(s.u, 1, USAGE_SOCKETS_SENT));
	close_accounts(&s);
	tw_fini(&t);
}

/* 200 ms in 10 parts. The server computes from 0 to 130, for a wait from 50 to 130: parts 2 to 5
 * count, 40 to 120, and not the last, which begins at 120. */
static void averages(void **state)
{
	(void)state;
	struct tasks_world t;
	struct blocked b;
	struct account a;
	struct mer_err err = { 0 };
	tw_init(&t, 1, 200);
	uint32_t c = tw_task(&t, 0, 10, "client"), srv = tw_task(&t, 0, 20, "server");
	tw_span(&t, 0, c, 0, KERNEL_USER);
	uint32_t answers = tw_span(&t, 0, srv, 0, KERNEL_USER);
	uint32_t wait = tw_wait(&t, 0, c, 50, "read", "", KERNEL_TASK);
	tw_by(&t, 0, wait, answers);
	tw_span(&t, 0, c, 130, KERNEL_USER);
	tw_wait(&t, 0, srv, 130, "read", "", KERNEL_NO_CAUSE);
	tw_wait(&t, 0, c, 145, "nanosleep", "", KERNEL_NO_CAUSE);
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	assert_int_equal(account_find_averaged(&b, 0, c, INT64_MIN, INT64_MAX, 10, &a, &err), 0);
	ASSERT_NODE(&a.nodes[0], 65, 80);
	ASSERT_NODE(below(&a, &a.nodes[0], srv), 80, 0);
	account_fini(&a);
	/* The finer, the closer to what is exact: 80. */
	assert_int_equal(
		account_find_averaged(&b, 0, c, INT64_MIN, INT64_MAX, 200000, &a, &err), 0);
	ASSERT_NODE(&a.nodes[0], 65, 80);
	account_fini(&a);
	blocked_fini(&b);
	tw_fini(&t);
}

/* One CPU's time in parts of 10 ms: a task is charged for all of each part in which its wait was,
 * but for the last one; whatever lies in the recording's last part is not charged. */
static void averages_at_edges(void **state)
{
	static const struct {
		int64_t begin, end; /* of the wait */
		int64_t charged;    /* of the server, which runs the first 5 ms of each part */
	} cases[] = {
		{ 10, 20, 5 },
		{ 10, 19, 0 },
		{ 19, 20, 5 },
		{ 9, 20, 10 },
		{ 0, 10, 5 },
		{ 0, 99, 45 },
		{ 90, 99, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tasks_world t;
		struct blocked b;
		struct account a;
		struct mer_err err = { 0 };
		tw_init(&t, 2, 100);
		uint32_t c = tw_task(&t, 0, 10, "client"), srv = tw_task(&t, 0, 20, "server"),
			 by = 0;
		bool waits = false, answered = false;
		for (int64_t at = 0; at < 100; at++) {
			if (at == cases[i].end) {
				tw_by(&t, 0, by, t.hosts[0].tasks[srv].last);
				answered = tw_span(&t, 0, c, at, KERNEL_USER) != KERNEL_NONE;
			}
			if (at == cases[i].begin) {
				by = tw_wait(&t, 0, c, at, "read", "", KERNEL_TASK);
				waits = true;
			} else if (at == 0) {
				tw_span(&t, 0, c, at, KERNEL_USER);
			}
			if (at % 10 == 0)
				tw_span(&t, 0, srv, at, KERNEL_USER);
			else if (at % 10 == 5)
				tw_span(&t, 0, srv, at, KERNEL_RUNNABLE);
		}
		assert_true(waits && answered);
		assert_int_equal(blocked_find(&t.w, &b, &err), 0);
		assert_int_equal(
			account_find_averaged(&b, 0, c, INT64_MIN, INT64_MAX, 10, &a, &err), 0);
		assert_int_equal(a.nodes[0].children_ns, cases[i].charged * MS);
		assert_int_equal(a.nodes[1].n_served, 1);
		account_fini(&a);
		blocked_fini(&b);
		tw_fini(&t);
	}
}

/* Of no parts one is made, whose time is never charged; a part of a life has its parts alone. */
static void averages_of_parts(void **state)
{
	struct tasks_world t;
	struct blocked b;
	struct account a;
	struct mer_err err = { 0 };
	(void)state;
	tw_init(&t, 1, 100);
	uint32_t c = tw_task(&t, 0, 10, "client");
	tw_span(&t, 0, c, 0, KERNEL_USER);
	tw_span(&t, 0, c, 15, KERNEL_RUNNABLE);
	tw_span(&t, 0, c, 20, KERNEL_USER);
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	assert_int_equal(account_find_averaged(&b, 0, c, INT64_MIN, INT64_MAX, 0, &a, &err), 0);
	assert_int_equal(a.nodes[0].self_ns, 0);
	account_fini(&a);
	assert_int_equal(account_find_averaged(&b, 0, c, 12 * MS, 38 * MS, 10, &a, &err), 0);
	assert_int_equal(a.begin, 12 * MS);
	assert_int_equal(a.end, 38 * MS);
	assert_int_equal(a.nodes[0].self_ns, 15 * MS);
	account_fini(&a);
	blocked_fini(&b);
	tw_fini(&t);
}

/* A task of a guest waits from 10 to 40 for a request that was issued at 20, and that a task of the
 * hypervisor served until 33. That one worked for it from 20 on. */
static void relayed(void **state)
{
	struct tasks_world t;
	struct accounts s = { 0 };
	(void)state;
	tw_init(&t, 2, 100);
	uint32_t c = tw_task(&t, 0, 10, "client"), io = tw_task(&t, 1, 20, "io");
	tw_span(&t, 0, c, 0, KERNEL_USER);
	uint32_t serves = tw_span(&t, 1, io, 0, KERNEL_USER);
	uint32_t wait = tw_wait(&t, 0, c, 10, "read", "/f", KERNEL_DISK);
	tw_span(&t, 0, c, 40, KERNEL_USER);
	struct kernel_guest *g = tw_guest(&t, 0, 1);
	struct kernel_request r = { .insert = 15 * MS,
		.issue = 20 * MS,
		.complete = 38 * MS,
		.by = KERNEL_NONE,
		.task = KERNEL_NONE };
	kernel_span(&t.hosts[0], wait)->source = kernel_add_request(&t.hosts[0], &r);
	g->relays[0] = (struct kernel_relay){ .entered = 35 * MS, .sent = 33 * MS, .by = serves };
	g->n_relays = 1;
	open_accounts(&s, &t);
	const struct account *a = find(&s, 0, c, 0, 100);
	ASSERT_NODE(&a->nodes[0], 70, 13);
	assert_int_equal(a->nodes[0].residual_ns[PATH_DISK], (10 + 7) * MS);
	assert_int_equal(a->waited_ns, 30 * MS);
	const struct account_node *n = below(a, &a->nodes[0], io);
	assert_true(n && n->host == 1);
	ASSERT_NODE(n, 13, 0);
	a = find(&s, 0, c, 12, 30); /* of a part of the wait */
	ASSERT_NODE(&a->nodes[0], 0, 10);
	assert_int_equal(a->nodes[0].residual_ns[PATH_DISK], 8 * MS);
	assert_int_equal(a->waited_ns, 18 * MS);
	close_accounts(&s);
	/* Not issued, as far as is known: since it was inserted. */
	t.hosts[0].requests[0].issue = INT64_MIN;
	s = (struct accounts){ 0 };
	open_accounts(&s, &t);
	a = find(&s, 0, c, 0, 100);
	ASSERT_NODE(&a->nodes[0], 70, 18);
	assert_int_equal(a->nodes[0].residual_ns[PATH_DISK], (5 + 7) * MS);
	close_accounts(&s);
	/* Nobody is known who served it. */
	g->relays[0].by = KERNEL_NONE;
	s = (struct accounts){ 0 };
	open_accounts(&s, &t);
	a = find(&s, 0, c, 0, 100);
	ASSERT_NODE(&a->nodes[0], 70, 0);
	assert_int_equal(a->nodes[0].residual_ns[PATH_DISK], 30 * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* Of a guest's task: the time that its CPU was away is a rest, whether it was on it or ready. */
static void away(void **state)
{
	struct tasks_world t;
	struct accounts s = { 0 };
	(void)state;
	tw_init(&t, 2, 100);
	uint32_t c = tw_task(&t, 0, 10, "client");
	struct kernel_guest *g = tw_guest(&t, 0, 1);
	uint32_t hog = tw_absence(g, KERNEL_VCPU_PREEMPTED, "hog"),
		 exit = tw_absence(g, KERNEL_VCPU_HYPERVISOR, "NPF");
	tw_span(&t, 0, c, 0, KERNEL_USER);
	uint32_t stolen = tw_span(&t, 0, c, 10, KERNEL_INTERRUPTED);
	uint32_t exits = tw_span(&t, 0, c, 13, KERNEL_INTERRUPTED);
	tw_span(&t, 0, c, 18, KERNEL_INTERRUPTED); /* an interrupt of its own */
	tw_span(&t, 0, c, 25, KERNEL_RUNNABLE);
	tw_span(&t, 0, c, 60, KERNEL_USER);
	kernel_span(&t.hosts[0], stolen)->source = hog;
	kernel_span(&t.hosts[0], stolen)->cause = KERNEL_STOLEN;
	kernel_span(&t.hosts[0], exits)->source = exit;
	kernel_span(&t.hosts[0], exits)->cause = KERNEL_HYPERVISOR;
	g->aways[0] = (struct kernel_edge){ 30 * MS, hog, 0 };
	g->aways[1] = (struct kernel_edge){ 41 * MS, exit, 0 };
	g->aways[2] = (struct kernel_edge){ 43 * MS, KERNEL_NONE, 0 };
	g->n_aways = 3;
	open_accounts(&s, &t);
	const struct account *a = find(&s, 0, c, 0, 100);
	ASSERT_NODE(&a->nodes[0], 10 + 7 + 40, 0);
	assert_int_equal(a->nodes[0].interrupted_ns, 7 * MS);
	assert_int_equal(a->nodes[0].residual_ns[PATH_STOLEN], (3 + 11) * MS);
	assert_int_equal(a->nodes[0].residual_ns[PATH_HYPERVISOR], (5 + 2) * MS);
	assert_int_equal(a->nodes[0].residual_ns[PATH_RUNNABLE], (5 + 17) * MS);
	close_accounts(&s);
	tw_fini(&t);
}

/* What is no CPU time is a rest, by its cause. */
static void rests(void **state)
{
	static const struct {
		enum kernel_state state;
		enum kernel_cause cause;
		unsigned rest;
	} cases[] = {
		{ KERNEL_BLOCKED, KERNEL_NO_CAUSE, PATH_BLOCKED },
		{ KERNEL_BLOCKED, KERNEL_DISK, PATH_DISK },
		{ KERNEL_BLOCKED, KERNEL_NETWORK, PATH_NETWORK },
		{ KERNEL_BLOCKED, KERNEL_TIMER, PATH_TIMER },
		{ KERNEL_BLOCKED, KERNEL_TASK, PATH_TASK },
		{ KERNEL_BLOCKED, KERNEL_FUTEX, PATH_FUTEX },
		{ KERNEL_BLOCKED, KERNEL_PIPE, PATH_PIPE },
		{ KERNEL_BLOCKED, KERNEL_INPUT, PATH_INPUT },
		{ KERNEL_BLOCKED, KERNEL_IPI, PATH_IPI },
		{ KERNEL_BLOCKED, KERNEL_IRQ, PATH_DEVICE },
		{ KERNEL_BLOCKED, KERNEL_SOFTIRQ, PATH_DEVICE },
		{ KERNEL_RUNNABLE, KERNEL_NO_CAUSE, PATH_RUNNABLE },
		{ KERNEL_STOPPED, KERNEL_NO_CAUSE, PATH_STOPPED },
		{ KERNEL_NEW, KERNEL_NO_CAUSE, PATH_NEW },
		{ KERNEL_UNKNOWN, KERNEL_NO_CAUSE, PATH_UNKNOWN },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tasks_world t;
		struct accounts s = { 0 };
		tw_init(&t, 1, 100);
		uint32_t c = tw_task(&t, 0, 10, "client");
		tw_span(&t, 0, c, 3, KERNEL_USER); /* before that nothing is known */
		uint32_t span = tw_span(&t, 0, c, 10, cases[i].state);
		kernel_span(&t.hosts[0], span)->cause = (uint8_t)cases[i].cause;
		tw_span(&t, 0, c, 30, KERNEL_USER);
		open_accounts(&s, &t);
		const struct account *a = find(&s, 0, c, 0, 100);
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++)
			assert_int_equal(a->nodes[0].residual_ns[r],
				((r == cases[i].rest ? 20 : 0) + (r == PATH_UNKNOWN ? 3 : 0)) * MS);
		a = find(&s, 0, c, 12, 17);
		assert_int_equal(a->nodes[0].residual_ns[cases[i].rest], 5 * MS);
		close_accounts(&s);
		tw_fini(&t);
	}
}

/* Of a time in which the task was not there, there is none. */
static void not_there(void **state)
{
	struct tasks_world t;
	struct accounts s = { 0 };
	struct account a;
	struct mer_err err = { 0 };
	(void)state;
	tw_init(&t, 1, 100);
	uint32_t p = tw_task(&t, 0, 10, "sh");
	tw_span(&t, 0, p, 0, KERNEL_USER);
	uint32_t c = tw_fork(&t, 0, p, 11, "c", 10);
	tw_span(&t, 0, c, 15, KERNEL_USER);
	tw_exit(&t, 0, c, 30);
	open_accounts(&s, &t);
	assert_int_equal(account_find(s.x, 0, c, 31 * MS, 50 * MS, false, &a, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "thread 11 of the host did not exist in this time range");
	account_fini(&a);
	assert_int_equal(account_find(s.x, 0, c, 0, 9 * MS, false, &a, &err), MER_ERR_USAGE);
	account_fini(&a);
	const struct account *whole = find(&s, 0, c, 0, 100);
	assert_true(whole->begin == 10 * MS && whole->end == 30 * MS);
	/* It had not begun: what its parent did is not its work. */
	assert_int_equal(whole->nodes[0].residual_ns[PATH_NEW], 5 * MS);
	ASSERT_NODE(&whole->nodes[0], 15, 0);
	assert_int_equal(find(&s, 0, c, 30, 100)->nodes[0].self_ns, 0);
	close_accounts(&s);
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),
		cmocka_unit_test(two_clients),
		cmocka_unit_test(handed_on),
		cmocka_unit_test(handed_on_for_two),
		cmocka_unit_test(kept_from_the_processor),
		cmocka_unit_test(bystander),
		cmocka_unit_test(forked_meanwhile),
		cmocka_unit_test(poll_in_pieces),
		cmocka_unit_test(nobody_worked),
		cmocka_unit_test(used_meanwhile),
		cmocka_unit_test(averages),
		cmocka_unit_test(averages_at_edges),
		cmocka_unit_test(averages_of_parts),
		cmocka_unit_test(relayed),
		cmocka_unit_test(away),
		cmocka_unit_test(rests),
		cmocka_unit_test(not_there),
	};
	return cmocka_run_group_tests_name("accounts", tests, NULL, NULL);
}
