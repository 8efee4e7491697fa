/* Waits of worlds by hand: which of them somebody felt, and what was done meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "path/blocked_tree.h"
#include "tasks_world.h"

static struct blocked find(struct tasks_world *t)
{
	struct blocked b;
	struct mer_err err = { 0 };
	assert_int_equal(blocked_find(&t->w, &b, &err), 0);
	return b;
}

static struct kernel_bridge *add_packet(
	struct tasks_world *t, uint32_t from, uint32_t sender, int64_t sent, int64_t received)
{
	struct kernel_bridge *p = &t->packets[t->w.n_bridges++];
	*p = (struct kernel_bridge){ .from.time = sent * MS,
		.to.time = received * MS,
		.from.host = from,
		.to.host = 1 - from,
		.from.span = sender,
		.answers = KERNEL_NONE,
		.to.span = KERNEL_NONE };
	return p;
}

/* The wait of a task that begins then. */
static const struct blocked_wait *at(
	const struct blocked *b, uint32_t host, uint32_t task, int64_t begin)
{
	const struct blocked_wait *w = blocked_before(b, host, task, begin * MS + 1);
	assert_non_null(w);
	assert_int_equal(w->begin, begin * MS);
	return w;
}

#define ASSERT_CLASS(b, host, task, begin, is)                                                     \
	assert_string_equal(                                                                       \
		blocked_class_name(blocked_class_of(at(&(b), host, task, begin), false)), is)

/* A connection from before the recording. The server computes, so the first request ends no wait of
 * it; the first wait that ends is the client's. Who asked first, its packet tells. */
static void test_busy_server(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 200);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "server");
	tw_span(&t, 1, s, 0, KERNEL_USER);
	uint32_t asks = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	uint32_t wait1 = tw_wait(&t, 0, c, 10, "read", "", KERNEL_NETWORK);
	add_packet(&t, 0, asks, 10, 11);
	uint32_t answers = tw_span(&t, 1, s, 30, KERNEL_SYSCALL);
	tw_by_packet(&t, 0, wait1, 1, answers, 30, 31);
	asks = tw_span(&t, 0, c, 31, KERNEL_USER);
	uint32_t idle = tw_wait(&t, 1, s, 32, "read", "", KERNEL_NETWORK);
	uint32_t wait2 = tw_wait(&t, 0, c, 50, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle, 0, asks, 50, 51);
	answers = tw_span(&t, 1, s, 51, KERNEL_USER);
	tw_by_packet(&t, 0, wait2, 1, answers, 60, 61);
	tw_span(&t, 0, c, 61, KERNEL_USER);
	tw_wait(&t, 1, s, 70, "read", "", KERNEL_NETWORK);
	for (uint32_t known = 0; known < 2; known++) {
		for (uint32_t i = 0; i < t.w.n_bridges; i++) {
			t.packets[i].from.endpoint = known * (1 + t.packets[i].from.host);
			t.packets[i].to.endpoint = known * (1 + t.packets[i].to.host);
		}
		struct blocked b = find(&t);
		assert_int_equal(at(&b, 0, c, 10)->is_for_work, !known);
		assert_int_equal(at(&b, 0, c, 50)->is_for_work, !known);
		assert_int_equal(at(&b, 1, s, 32)->is_for_work, known);
		blocked_fini(&b);
	}
	tw_fini(&t);
}

/* A shell of a login server waits for a command, which connects to somewhere. The server accepts,
 * but not the connections of that command: it does not work for it. */
static void test_child_connects(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 200);
	uint32_t login = tw_task(&t, 0, 10, "sshd");
	tw_wait(&t, 0, login, 0, "accept", "", KERNEL_NETWORK);
	tw_span(&t, 0, login, 5, KERNEL_USER);
	uint32_t shell = tw_fork(&t, 0, login, 11, "sh", 10);
	tw_span(&t, 0, shell, 10, KERNEL_USER);
	uint32_t child = tw_fork(&t, 0, shell, 12, "command", 20);
	uint32_t wait = tw_wait(&t, 0, shell, 25, "wait4", "", KERNEL_TASK);
	tw_span(&t, 0, child, 25, KERNEL_USER);
	tw_wait(&t, 0, child, 30, "connect", "", KERNEL_NETWORK);
	uint32_t exits = tw_span(&t, 0, child, 40, KERNEL_SYSCALL);
	tw_by(&t, 0, wait, exits);
	tw_span(&t, 0, shell, 60, KERNEL_USER);
	struct blocked b = find(&t);
	assert_false(at(&b, 0, shell, 25)->is_for_work);
	ASSERT_CLASS(b, 0, shell, 25, "request");
	blocked_fini(&b);
	tw_fini(&t);
}

/* A packet that went to another host ends no wait here. */
static void test_packet_of_others(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 100);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "server");
	uint32_t wait = tw_wait(&t, 0, c, 0, "read", "", KERNEL_NETWORK);
	uint32_t sends = tw_span(&t, 1, s, 0, KERNEL_USER);
	tw_by_packet(&t, 0, wait, 1, sends, 10, 11);
	tw_span(&t, 0, c, 11, KERNEL_USER);
	struct blocked b = find(&t);
	assert_int_equal(at(&b, 0, c, 0)->by_task, s);
	blocked_fini(&b);
	t.packets[0].to.host = 1;
	b = find(&t);
	assert_int_equal(at(&b, 0, c, 0)->by_task, KERNEL_NONE);
	blocked_fini(&b);
	tw_fini(&t);
}

/* A client asks a server on another machine three times; the server asks its disk each time, and
 * once more by itself. Both were there before. */
struct exchange {
	struct tasks_world t;
	uint32_t client, server;
};

static void make_exchange(struct exchange *x)
{
	struct tasks_world *t = &x->t;
	tw_init(t, 2, 1000);
	uint32_t c = x->client = tw_task(t, 0, 10, "client");
	uint32_t s = x->server = tw_task(t, 1, 20, "server");
	tw_span(t, 0, c, 0, KERNEL_USER);
	uint32_t idle = tw_wait(t, 1, s, 0, "read", "", KERNEL_NETWORK);
	for (int i = 0; i < 3; i++) {
		/* asks at 100, received at 101; disk 110-140; answers at 150, received at 151 */
		int64_t at = 100 + 100 * i;
		uint32_t ask = tw_span(t, 0, c, at, KERNEL_SYSCALL);
		uint32_t wait = tw_wait(t, 0, c, at, "read", "", KERNEL_NETWORK);
		tw_by_packet(t, 1, idle, 0, ask, at, at + 1);
		tw_span(t, 1, s, at + 1, KERNEL_USER);
		tw_wait(t, 1, s, at + 10, "fsync", "/data", KERNEL_DISK);
		uint32_t answer = tw_span(t, 1, s, at + 40, KERNEL_SYSCALL);
		idle = tw_wait(t, 1, s, at + 50, "read", "", KERNEL_NETWORK);
		tw_by_packet(t, 0, wait, 1, answer, at + 50, at + 51);
		tw_span(t, 0, c, at + 51, KERNEL_USER);
	}
	kernel_span(&t->hosts[1], idle)->cause = KERNEL_TIMER; /* it does not wait for ever */
	tw_span(t, 1, s, 500, KERNEL_USER);
	tw_wait(t, 1, s, 510, "fsync", "/data", KERNEL_DISK);
	tw_span(t, 1, s, 530, KERNEL_USER);
	tw_wait(t, 1, s, 540, "read", "", KERNEL_NO_CAUSE);
}

static void test_who_spoke_first(void **state)
{
	(void)state;
	struct exchange x;
	make_exchange(&x);
	struct blocked b = find(&x.t);
	for (int64_t t = 100; t <= 300; t += 100) {
		ASSERT_CLASS(b, 0, x.client, t, "request");	 /* waits for the answer */
		ASSERT_CLASS(b, 1, x.server, t + 10, "request"); /* inside of that */
	}
	for (int64_t t = 150; t <= 250; t += 100)
		ASSERT_CLASS(b, 1, x.server, t, "idle"); /* waits for the next one */
	ASSERT_CLASS(b, 1, x.server, 510, "idle");	 /* nobody waits for this */
	ASSERT_CLASS(b, 1, x.server, 540, "idle");
	/* Who asks for the server sees its disk, but not its waits for work. */
	assert_int_equal(blocked_class_of(at(&b, 1, x.server, 510), true), BLOCKED_REQUEST);
	assert_int_equal(blocked_class_of(at(&b, 1, x.server, 150), true), BLOCKED_IDLE);
	/* It ended with the packet that was sent a millisecond before. */
	const struct blocked_wait *w = at(&b, 0, x.client, 200);
	assert_int_equal(w->end, 251 * MS);
	assert_int_equal(w->asked, 250 * MS);
	assert_int_equal(w->by_host, 1);
	assert_int_equal(w->by_task, x.server);
	blocked_fini(&b);
	tw_fini(&x.t);
}

/* A server that accepts and leaves the connection to a child, which speaks first. */
static void test_forking_server(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 1000);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "server");
	uint32_t accept = tw_wait(&t, 1, s, 0, "accept4", "", KERNEL_NETWORK);
	uint32_t connect = tw_span(&t, 0, c, 0, KERNEL_SYSCALL);
	tw_by_packet(&t, 1, accept, 0, connect, 10, 11);
	uint32_t greeting = tw_wait(&t, 0, c, 12, "read", "", KERNEL_NETWORK);
	tw_span(&t, 1, s, 11, KERNEL_SYSCALL);
	uint32_t child = tw_fork(&t, 1, s, 21, "server", 20);
	uint32_t hello = tw_span(&t, 1, child, 20, KERNEL_SYSCALL);
	tw_wait(&t, 1, s, 21, "accept4", "", KERNEL_NO_CAUSE);
	tw_by_packet(&t, 0, greeting, 1, hello, 30, 31);
	uint32_t query = tw_span(&t, 0, c, 31, KERNEL_SYSCALL);
	uint32_t idle = tw_wait(&t, 1, child, 32, "recvfrom", "", KERNEL_NETWORK);
	uint32_t answer = tw_wait(&t, 0, c, 40, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle, 0, query, 40, 41);
	uint32_t run = tw_span(&t, 1, child, 41, KERNEL_USER);
	tw_by_packet(&t, 0, answer, 1, run, 90, 91);
	tw_span(&t, 0, c, 91, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 1, s, 0, "idle");
	ASSERT_CLASS(b, 1, child, 32, "idle");
	ASSERT_CLASS(b, 0, c, 12, "request");
	ASSERT_CLASS(b, 0, c, 40, "request");
	blocked_fini(&b);
	tw_fini(&t);
}

/* The server finds the first request there and does not wait for it: so it sends first, as far as
 * waits tell. But it is who accepts. */
static void test_connect_and_accept(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 1000);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "server");
	tw_wait(&t, 1, s, 0, "accept", "", KERNEL_NETWORK);
	tw_wait(&t, 0, c, 5, "connect", "", KERNEL_NETWORK);
	tw_span(&t, 0, c, 10, KERNEL_USER);
	uint32_t answer1 = tw_span(&t, 1, s, 12, KERNEL_SYSCALL);
	uint32_t read1 = tw_wait(&t, 0, c, 15, "read", "", KERNEL_NETWORK);
	uint32_t idle = tw_wait(&t, 1, s, 40, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 0, read1, 1, answer1, 40, 41);
	uint32_t ask = tw_span(&t, 0, c, 41, KERNEL_SYSCALL);
	uint32_t read2 = tw_wait(&t, 0, c, 50, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle, 0, ask, 50, 51);
	uint32_t answer2 = tw_span(&t, 1, s, 51, KERNEL_USER);
	tw_by_packet(&t, 0, read2, 1, answer2, 90, 91);
	tw_wait(&t, 1, s, 90, "read", "", KERNEL_NO_CAUSE);
	tw_span(&t, 0, c, 91, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 0, c, 5, "request");
	ASSERT_CLASS(b, 0, c, 15, "request");
	ASSERT_CLASS(b, 0, c, 50, "request");
	ASSERT_CLASS(b, 1, s, 0, "idle");
	ASSERT_CLASS(b, 1, s, 40, "idle");
	ASSERT_CLASS(b, 1, s, 90, "idle"); /* never ended, like the one before */
	blocked_fini(&b);
	tw_fini(&t);
}

/* Clients that were not recorded: what ends a read of a process that accepts is a request, and what
 * it waits for otherwise is inside of one. Of a process that connects it is an answer. */
static void test_outside(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 1000);
	uint32_t s = tw_task(&t, 0, 20, "server"), c = tw_task(&t, 0, 10, "client");
	tw_wait(&t, 0, s, 0, "accept", "", KERNEL_NETWORK);
	tw_wait(&t, 0, c, 0, "connect", "10.0.0.9:80", KERNEL_NETWORK);
	tw_span(&t, 0, c, 5, KERNEL_USER);
	tw_span(&t, 0, s, 10, KERNEL_USER);
	tw_wait(&t, 0, c, 15, "read", "10.0.0.9:80", KERNEL_NETWORK);
	tw_wait(&t, 0, s, 20, "read", "", KERNEL_NETWORK);
	tw_span(&t, 0, s, 30, KERNEL_USER);
	tw_wait(&t, 0, s, 40, "fsync", "/data", KERNEL_DISK);
	tw_span(&t, 0, s, 50, KERNEL_USER);
	tw_span(&t, 0, c, 60, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 0, s, 0, "idle");
	ASSERT_CLASS(b, 0, s, 20, "idle");
	ASSERT_CLASS(b, 0, s, 40, "request");
	ASSERT_CLASS(b, 0, c, 0, "request");
	ASSERT_CLASS(b, 0, c, 15, "request");
	blocked_fini(&b);
	tw_fini(&t);
}

/* A server that connects too: a packet from outside is a request where it waits for the first of
 * several things, and what it asked for where it waits for one. */
static void test_first_of_several(void **state)
{
	(void)state;
	static const struct {
		const char *call;
		bool is_first;
	} cases[] = { { "epoll_wait", true }, { "_newselect", true }, { "io_getevents", true },
		{ "io_pgetevents", true }, { "io_uring_enter", true }, { "read", false },
		{ "epoll_ctl", false }, { "epoll_create1", false }, { "readlink", false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tasks_world t;
		tw_init(&t, 1, 1000);
		uint32_t s = tw_task(&t, 0, 20, "server");
		tw_wait(&t, 0, s, 0, "accept", "", KERNEL_NETWORK);
		tw_span(&t, 0, s, 5, KERNEL_USER);
		tw_wait(&t, 0, s, 10, "connect", "10.0.0.9:80", KERNEL_NETWORK);
		tw_span(&t, 0, s, 15, KERNEL_USER);
		tw_wait(&t, 0, s, 20, cases[i].call, "", KERNEL_NETWORK);
		tw_span(&t, 0, s, 30, KERNEL_USER);
		struct blocked b = find(&t);
		assert_int_equal(at(&b, 0, s, 20)->is_for_work, cases[i].is_first);
		blocked_fini(&b);
		tw_fini(&t);
	}
}

/* A wait in two pieces, of which a packet ended the second: that ended the first one, too, though
 * it came after its end. */
static void test_packet_of_pieces(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 1000);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "server");
	uint32_t first = tw_wait(&t, 0, c, 0, "poll", "", KERNEL_TIMER);
	tw_span(&t, 0, c, 10, KERNEL_USER);
	uint32_t second = tw_wait(&t, 0, c, 11, "poll", "", KERNEL_NETWORK);
	kernel_span(&t.hosts[0], first)->source = second;
	uint32_t sends = tw_span(&t, 1, s, 0, KERNEL_USER);
	tw_by_packet(&t, 0, second, 1, sends, 30, 31);
	tw_span(&t, 0, c, 31, KERNEL_USER);
	struct blocked b = find(&t);
	assert_int_equal(at(&b, 0, c, 0)->by_task, s);
	assert_int_equal(at(&b, 0, c, 0)->by_host, 1);
	assert_int_equal(at(&b, 0, c, 11)->by_task, s);
	blocked_fini(&b);
	tw_fini(&t);
}

/* A listener hands the request to a worker by a futex; the worker asks a lock of a third thread,
 * too. */
static void test_worker_pool(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 2, 1000);
	uint32_t c = tw_task(&t, 0, 10, "client"), s = tw_task(&t, 1, 20, "listener");
	uint32_t worker = tw_task(&t, 1, 21, "worker"), other = tw_task(&t, 1, 22, "other");
	t.hosts[1].tasks[worker].pid = t.hosts[1].tasks[other].pid = 20;
	uint32_t idle = tw_wait(&t, 1, s, 0, "epoll_wait", "", KERNEL_NETWORK);
	uint32_t spare = tw_wait(&t, 1, worker, 0, "futex", "", KERNEL_FUTEX);
	uint32_t holds = tw_span(&t, 1, other, 0, KERNEL_USER);
	uint32_t ask = tw_span(&t, 0, c, 50, KERNEL_SYSCALL);
	uint32_t wait = tw_wait(&t, 0, c, 100, "read", "", KERNEL_NETWORK);
	tw_by_packet(&t, 1, idle, 0, ask, 100, 101);
	uint32_t hands = tw_span(&t, 1, s, 101, KERNEL_SYSCALL);
	tw_by(&t, 1, spare, hands);
	tw_span(&t, 1, worker, 105, KERNEL_USER);
	uint32_t lock = tw_wait(&t, 1, worker, 110, "futex", "", KERNEL_FUTEX);
	tw_by(&t, 1, lock, holds);
	uint32_t answer = tw_span(&t, 1, worker, 150, KERNEL_SYSCALL);
	tw_by_packet(&t, 0, wait, 1, answer, 160, 161);
	tw_span(&t, 0, c, 161, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 1, s, 0, "idle");
	ASSERT_CLASS(b, 1, worker, 0, "idle");
	assert_true(at(&b, 1, worker, 0)->is_for_work);
	ASSERT_CLASS(b, 0, c, 100, "request");
	ASSERT_CLASS(b, 1, worker, 110, "request");
	blocked_fini(&b);
	tw_fini(&t);
}

/* shell: cat | grep. What the shell waits for contains what grep waits for. */
static void test_pipeline(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 1000);
	uint32_t sh = tw_task(&t, 0, 10, "sh");
	tw_span(&t, 0, sh, 0, KERNEL_USER);
	uint32_t cat = tw_fork(&t, 0, sh, 11, "cat", 10);
	uint32_t grep = tw_fork(&t, 0, sh, 12, "grep", 20);
	uint32_t reads = tw_span(&t, 0, cat, 10, KERNEL_USER);
	tw_span(&t, 0, grep, 20, KERNEL_USER);
	uint32_t child = tw_wait(&t, 0, sh, 25, "wait4", "", KERNEL_TASK);
	uint32_t in = tw_wait(&t, 0, grep, 30, "read", "pipe", KERNEL_PIPE);
	tw_by(&t, 0, in, reads);
	tw_exit(&t, 0, cat, 101);
	uint32_t ends = tw_span(&t, 0, grep, 100, KERNEL_USER);
	tw_by(&t, 0, child, ends);
	tw_exit(&t, 0, grep, 120);
	tw_span(&t, 0, sh, 121, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 0, sh, 25, "request");
	ASSERT_CLASS(b, 0, grep, 30, "request");
	blocked_fini(&b);
	tw_fini(&t);
}

/* What a kernel thread does for someone counts, what it sleeps before does not; and the
 * terminal. */
static void test_kernel_thread_and_input(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 1000);
	uint32_t sh = tw_task(&t, 0, 1, "sh");
	uint32_t k = tw_task(&t, 0, 5, "jbd2/vda1-8");
	t.hosts[0].tasks[k].is_kernel = true;
	uint32_t sleeps = tw_wait(&t, 0, k, 0, "", "", KERNEL_TASK);
	uint32_t p = tw_fork(&t, 0, sh, 10, "db", 0);
	tw_wait(&t, 0, p, 0, "read", "/dev/tty1", KERNEL_INPUT);
	uint32_t commits = tw_span(&t, 0, p, 50, KERNEL_SYSCALL);
	tw_by(&t, 0, sleeps, commits);
	uint32_t sync = tw_wait(&t, 0, p, 100, "fsync", "/data", KERNEL_TASK);
	tw_span(&t, 0, k, 100, KERNEL_THREAD);
	tw_wait(&t, 0, k, 110, "", "", KERNEL_DISK);
	uint32_t done = tw_span(&t, 0, k, 150, KERNEL_THREAD);
	tw_by(&t, 0, sync, done);
	tw_span(&t, 0, p, 151, KERNEL_USER);
	tw_wait(&t, 0, k, 160, "", "", KERNEL_TIMER);
	tw_wait(&t, 0, p, 200, "", "", KERNEL_DISK);
	tw_span(&t, 0, k, 210, KERNEL_THREAD);
	tw_span(&t, 0, p, 230, KERNEL_USER);
	struct blocked b = find(&t);
	ASSERT_CLASS(b, 0, p, 0, "input");
	ASSERT_CLASS(b, 0, p, 100, "request");
	ASSERT_CLASS(b, 0, k, 0, "idle");
	ASSERT_CLASS(b, 0, k, 110, "request");
	ASSERT_CLASS(b, 0, k, 160, "idle");
	assert_int_equal(at(&b, 0, p, 100)->kind, BLOCKED_IN_CALL);
	assert_int_equal(at(&b, 0, p, 200)->kind, BLOCKED_PAGE_FAULT);
	assert_int_equal(at(&b, 0, k, 110)->kind, BLOCKED_IN_KERNEL);
	blocked_fini(&b);
	tw_fini(&t);
}

/* ---- Trees ---- */

static const struct blocked_node *below(
	const struct blocked_tree *t, uint32_t list, const char *comm, enum blocked_doing doing)
{
	for (uint32_t i = list; i != KERNEL_NONE; i = t->nodes[i].next)
		if (strcmp(t->nodes[i].comm, comm) == 0 && t->nodes[i].doing == doing)
			return &t->nodes[i];
	return NULL;
}

static void make_tree(const struct blocked *b, struct blocked_tree *tree, uint32_t host,
	uint32_t task, struct blocked_scope scope)
{
	struct mer_err err = { 0 };
	blocked_tree_init(tree, b);
	assert_int_equal(blocked_tree_add(tree, host, task, &scope, &err), 0);
	assert_int_equal(blocked_tree_sort(tree, &err), 0);
}

/* Three levels, of 100, 200 and 400 ms: each forks the next and waits for it. */
static void test_inception(void **state)
{
	(void)state;
	struct tasks_world t;
	tw_init(&t, 1, 1000);
	uint32_t a = tw_task(&t, 0, 10, "one");
	tw_span(&t, 0, a, 0, KERNEL_USER);
	uint32_t b = tw_fork(&t, 0, a, 11, "two", 100);
	tw_span(&t, 0, b, 100, KERNEL_USER);
	uint32_t wait_a = tw_wait(&t, 0, a, 100, "wait4", "", KERNEL_TASK);
	uint32_t c = tw_fork(&t, 0, b, 12, "three", 300);
	uint32_t run_c = tw_span(&t, 0, c, 300, KERNEL_USER);
	uint32_t wait_b = tw_wait(&t, 0, b, 300, "wait4", "", KERNEL_TASK);
	tw_by(&t, 0, wait_b, run_c);
	tw_exit(&t, 0, c, 700);
	uint32_t end_b = tw_span(&t, 0, b, 700, KERNEL_SYSCALL);
	tw_by(&t, 0, wait_a, end_b);
	tw_exit(&t, 0, b, 700);
	tw_span(&t, 0, a, 700, KERNEL_SYSCALL);
	tw_exit(&t, 0, a, 700);
	struct blocked found = find(&t);
	ASSERT_CLASS(found, 0, a, 100, "request");
	ASSERT_CLASS(found, 0, b, 300, "request");
	struct blocked_tree tree;
	struct blocked_scope scope = {
		.begin = INT64_MIN, .end = INT64_MAX, .chosen = true, .depth = 5
	};
	make_tree(&found, &tree, 0, a, scope);
	const struct blocked_node *row = &tree.nodes[tree.first];
	assert_int_equal(row->next, KERNEL_NONE);
	assert_string_equal(row->call, "wait4");
	assert_string_equal(row->by, "two");
	assert_int_equal(row->count, 1);
	assert_int_equal(row->total_ns, 600 * MS);
	assert_int_equal(row->min_ns, 600 * MS);
	assert_int_equal(row->max_ns, 600 * MS);
	const struct blocked_node *ran = below(&tree, row->child, "two", BLOCKED_RAN);
	assert_non_null(ran);
	assert_int_equal(ran->total_ns, 200 * MS);
	const struct blocked_node *waited = below(&tree, row->child, "two", BLOCKED_WAITED);
	assert_non_null(waited);
	assert_int_equal(waited->total_ns, 400 * MS);
	assert_int_equal(waited->count, 1);
	assert_ptr_equal(waited, &tree.nodes[row->child]); /* the longest first */
	ran = below(&tree, waited->child, "three", BLOCKED_RAN);
	assert_non_null(ran);
	assert_int_equal(ran->total_ns, 400 * MS);
	blocked_tree_fini(&tree);
	/* No deeper than asked for. */
	scope.depth = 1;
	make_tree(&found, &tree, 0, a, scope);
	for (uint32_t i = 0; i < tree.n; i++)
		assert_true(tree.nodes[i].level <= 1);
	blocked_tree_fini(&tree);
	blocked_fini(&found);
	tw_fini(&t);
}

/* The client's waits: the server's work, its disk, and the way there and back. */
static void test_across_hosts(void **state)
{
	(void)state;
	struct exchange x;
	make_exchange(&x);
	struct blocked b = find(&x.t);
	struct blocked_tree tree;
	struct blocked_scope scope = {
		.begin = INT64_MIN, .end = INT64_MAX, .chosen = true, .depth = 3
	};
	make_tree(&b, &tree, 0, x.client, scope);
	const struct blocked_node *row = &tree.nodes[tree.first];
	assert_int_equal(row->count, 3);
	assert_int_equal(row->total_ns, 3 * 51 * MS);
	const struct blocked_node *n = below(&tree, row->child, "server", BLOCKED_RAN);
	assert_non_null(n);
	assert_int_equal(n->host, 1);
	assert_int_equal(n->total_ns, 3 * 19 * MS);
	n = below(&tree, row->child, "server", BLOCKED_WAITED);
	assert_non_null(n);
	assert_string_equal(n->call, "fsync");
	assert_string_equal(n->object, "/data");
	assert_int_equal(n->cause, KERNEL_DISK);
	assert_int_equal(n->count, 3);
	assert_int_equal(n->total_ns, 3 * 30 * MS);
	int64_t sum = 0;
	for (uint32_t i = row->child; i != KERNEL_NONE; i = tree.nodes[i].next)
		sum += tree.nodes[i].total_ns;
	assert_int_equal(sum, row->total_ns);
	blocked_tree_fini(&tree);
	/* A window cuts waits: of the second one what is inside. */
	scope.begin = 180 * MS;
	scope.end = 225 * MS;
	make_tree(&b, &tree, 0, x.client, scope);
	assert_int_equal(tree.nodes[tree.first].count, 1);
	assert_int_equal(tree.nodes[tree.first].total_ns, 25 * MS);
	blocked_tree_fini(&tree);
	blocked_fini(&b);
	tw_fini(&x.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_server),
		cmocka_unit_test(test_child_connects),
		cmocka_unit_test(test_packet_of_others),
		cmocka_unit_test(test_who_spoke_first),
		cmocka_unit_test(test_forking_server),
		cmocka_unit_test(test_connect_and_accept),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_first_of_several),
		cmocka_unit_test(test_packet_of_pieces),
		cmocka_unit_test(test_worker_pool),
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_kernel_thread_and_input),
		cmocka_unit_test(test_inception),
		cmocka_unit_test(test_across_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
