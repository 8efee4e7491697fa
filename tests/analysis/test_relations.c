/* Relations: bytes of a stream go to who read them; what a wake-up means follows from what both
 * did; a signal and the wait that it ends are one, whichever is told first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/relations/started.h"
#include "analysis/relations/state.h"
#include "kernel/calls.h"
#include "kernel/events.h"
#include "tasks_world.h"

/* ---- streams ---- */

enum { TASKS = 5, BYTES = 20000 };

struct given {
	uint64_t n[TASKS][TASKS], bytes[TASKS][TASKS];
};

static bool give(void *ctx, uint32_t from, uint32_t to, uint64_t n, uint64_t bytes)
{
	struct given *g = ctx;
	g->n[from][to] += n;
	g->bytes[from][to] += bytes;
	return true;
}

static unsigned next(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* Every byte with its writer, the simple way. */
static void reads_get_the_bytes_in_order(void **state)
{
	(void)state;
	static uint8_t writer[BYTES], ends_write[BYTES];
	for (uint32_t seed = 1; seed < 200; seed++) {
		struct relation_stream s = { 0 };
		struct given got = { 0 }, want = { 0 };
		uint32_t random = seed;
		size_t written = 0, read = 0;
		for (int64_t t = 0; t < 300; t++) {
			uint32_t task = next(&random, TASKS);
			size_t n = 1 + next(&random, 50);
			if (next(&random, 2) && written + n <= BYTES) {
				memset(&writer[written], (int)task, n);
				memset(&ends_write[written], 0, n);
				written += n;
				ends_write[written - 1] = 1;
				assert_true(relation_stream_write(&s, task, t, n, give, &got));
				continue;
			}
			n = n < written - read ? n : written - read;
			for (size_t i = 0; i < n; i++, read++) {
				want.bytes[writer[read]][task]++;
				want.n[writer[read]][task] += ends_write[read];
			}
			if (n)
				assert_true(relation_stream_read(&s, task, t, n, give, &got));
		}
		assert_memory_equal(got.bytes, want.bytes, sizeof(got.bytes));
		/* Writes of one task after another are not told apart when some are read in part:
		 * then they may be counted for the next reader, but none is counted twice. */
		for (int w = 0; w < TASKS; w++) {
			uint64_t n = 0, m = 0;
			for (int r = 0; r < TASKS; r++) {
				n += got.n[w][r];
				m += want.n[w][r];
			}
			assert_in_range(n, m > 2 ? m - 2 : 0, m + 2);
		}
		relation_stream_fini(&s);
	}
}

/* The reader's call ends before the writer's does. */
static void a_read_may_be_told_before_its_write(void **state)
{
	(void)state;
	struct relation_stream s = { 0 };
	struct given got = { 0 };
	assert_true(relation_stream_read(&s, 1, 100, 5, give, &got));
	assert_true(relation_stream_read(&s, 2, 110, 3, give, &got));
	assert_int_equal(got.bytes[0][1], 0);
	assert_true(relation_stream_write(&s, 0, 90, 10, give, &got)); /* began before both */
	assert_int_equal(got.bytes[0][1], 5);
	assert_int_equal(got.bytes[0][2], 3);
	assert_int_equal(got.n[0][1] + got.n[0][2], 0); /* not all of it is read */
	assert_true(relation_stream_read(&s, 1, 120, 2, give, &got));
	assert_int_equal(got.bytes[0][1], 7);
	assert_int_equal(got.n[0][1], 1);
	relation_stream_fini(&s);
}

/* What was read before the write began came from somebody else. */
static void what_was_read_earlier_is_not_from_a_later_write(void **state)
{
	(void)state;
	struct relation_stream s = { 0 };
	struct given got = { 0 };
	assert_true(relation_stream_read(&s, 1, 100, 5, give, &got));
	assert_true(relation_stream_write(&s, 0, 101, 4, give, &got));
	assert_int_equal(got.bytes[0][1], 0);
	assert_true(relation_stream_read(&s, 2, 110, 4, give, &got));
	assert_int_equal(got.bytes[0][2], 4);
	relation_stream_fini(&s);
}

/* However much is written or owed, memory is bounded. */
static void a_stream_is_bounded(void **state)
{
	(void)state;
	struct relation_stream s = { 0 };
	struct given got = { 0 };
	for (uint32_t i = 0; i < 100000; i++)
		assert_true(relation_stream_write(&s, i % 2, 0, 1, give, &got));
	assert_in_range(s.cap, 1, 8192);
	assert_true(relation_stream_read(&s, 3, 0, 1000000, give, &got));
	assert_int_equal(got.bytes[0][3] + got.bytes[1][3], 4096);
	relation_stream_fini(&s);
}

/* ---- wake-ups ---- */

enum { A = 0, B, CHILD_OF_B, THREAD_OF_B, KTHREAD, OTHER }; /* tasks of the host, in this order */

struct scene {
	struct tasks_world t;
	struct analysis_run run;
	struct analysis_options options;
	struct analysis_host a;
	struct relation_state state;
	struct mer_err err;
	int64_t now;
};

static struct kernel_host *host(struct scene *x)
{
	return &x->t.hosts[0];
}

static void open_scene(struct scene *x)
{
	*x = (struct scene){ .options = { .begin = INT64_MIN, .end = INT64_MAX } };
	tw_init(&x->t, 1, 1000000);
	x->run.options = &x->options;
	x->run.world = &x->t.w;
	x->a = (struct analysis_host){ .run = &x->run, .state = &x->state, .err = &x->err };
	tw_task(&x->t, 0, 10, "a");
	tw_task(&x->t, 0, 20, "b");
	tw_fork(&x->t, 0, B, 21, "child", 0);
	tw_fork(&x->t, 0, B, 22, "thread", 0);
	tw_task(&x->t, 0, 30, "kworker/0:1");
	tw_task(&x->t, 0, 40, "other");
	host(x)->tasks[CHILD_OF_B].ppid = 20;
	host(x)->tasks[THREAD_OF_B].pid = 20;
	host(x)->tasks[KTHREAD].is_kernel = true;
	for (uint32_t i = A; i <= OTHER; i++)
		tw_span(&x->t, 0, i, 0, KERNEL_USER);
}

static void close_scene(struct scene *x)
{
	analysis_relations.free_state(&x->state);
	tw_fini(&x->t);
}

/* "read pipe#1": the number of the call; kind and end of the descriptor. */
static uint32_t call(
	struct scene *x, const char *name, const char *object, int fd, int kind, int end)
{
	struct kernel_host *h = host(x);
	struct kernel_call c = {
		.object = KERNEL_NONE, .fd = fd, .kind = (uint8_t)kind, .end = (uint8_t)end
	};
	if (!*name)
		return KERNEL_NONE;
	c.name = mer_intern_add(&h->names, name, strlen(name));
	if (*object)
		c.object = mer_intern_add(&h->names, object, strlen(object));
	return kernel_add_call(h, &c);
}

static void does(struct scene *x, uint32_t task, uint32_t c)
{
	uint32_t s = tw_span(&x->t, 0, task, ++x->now, KERNEL_SYSCALL);
	kernel_span(host(x), s)->call = c;
}

/* One waits for ms in a call, until the other one, in a call of its own, wakes it. */
static void wakes(struct scene *x, uint32_t from, uint32_t by, uint32_t to, uint32_t in, int64_t ms)
{
	uint32_t wait = tw_span(&x->t, 0, to, ++x->now, KERNEL_BLOCKED);
	kernel_span(host(x), wait)->call = in;
	x->now += ms - 1;
	does(x, from, by);
	struct kernel_span *s = kernel_span(host(x), wait);
	s->by = host(x)->tasks[from].last;
	s->cause = KERNEL_TASK;
	assert_int_equal(relation_on_span(&x->a, host(x), wait, x->now * MS), 0);
}

/* A call of the task ends. */
static void ends(struct scene *x, uint32_t task, uint32_t c, int64_t ret, uint64_t arg)
{
	struct kernel_call_end e = { .task = task,
		.call = c,
		.begin = x->now * MS,
		.end = (x->now + 1) * MS,
		.ret = ret,
		.kind = KERNEL_CALL_USES_FD,
		.args = { arg } };
	const char *name = kernel_name_text(host(x), host(x)->calls[c].name);
	if (strcmp(name, "close") == 0)
		e.kind = KERNEL_CALL_CLOSE;
	x->now++;
	assert_int_equal(relation_on_call(&x->a, host(x), &e), 0);
}

/* The only edge between two tasks of a kind, NULL if there is none. */
static const struct relation *edge(
	const struct scene *x, uint32_t from, uint32_t to, enum relation_kind kind)
{
	const struct relation *found = NULL;
	for (size_t i = 0; i < x->state.set.n; i++) {
		const struct relation *r = &x->state.set.rows[i];
		if (r->from == from && r->to == to && r->kind == kind) {
			assert_null(found);
			found = r;
		}
	}
	return found;
}

static void what_both_did_tells_the_means(void **state)
{
	(void)state;
	static const struct {
		uint32_t from;
		const char *by, *by_object;
		int by_kind;
		uint32_t to;
		const char *in, *in_object;
		int in_kind;
		enum relation_kind kind;
		const char *object; /* NULL: not a name */
	} cases[] = {
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "read", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_PIPE, "pipe#1" },
		{ A, "read", "pipe#1", KERNEL_OBJECT_PIPE, B, "write", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_PIPE, "pipe#1" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "epoll_wait", "epoll",
			KERNEL_OBJECT_POLL, RELATION_PIPE, "pipe#1" },
		{ A, "exit_group", "", 0, B, "read", "pipe#1", KERNEL_OBJECT_PIPE, RELATION_PIPE,
			"pipe#1" },
		{ A, "sendmsg", "unix socket", KERNEL_OBJECT_UNIX, B, "recvmsg", "unix socket",
			KERNEL_OBJECT_UNIX, RELATION_UNIX, "unix socket" },
		{ A, "connect", "unix socket", KERNEL_OBJECT_UNIX, B, "accept4", "listening socket",
			KERNEL_OBJECT_UNIX, RELATION_UNIX, "listening socket" },
		{ A, "write", "eventfd", KERNEL_OBJECT_EVENT, B, "poll", "", 0, RELATION_EVENTFD,
			"eventfd" },
		{ A, "write", "eventfd", KERNEL_OBJECT_EVENT, B, "_newselect", "", 0,
			RELATION_EVENTFD, "eventfd" },
		{ A, "write", "eventfd", KERNEL_OBJECT_EVENT, B, "io_uring_enter", "", 0,
			RELATION_EVENTFD, "eventfd" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "tee", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_PIPE, "pipe#1" },
		{ A, "write", "eventfd", KERNEL_OBJECT_EVENT, B, "epoll_ctl", "", 0,
			RELATION_KERNEL, "epoll_ctl" },
		{ A, "openat", "/x/f", KERNEL_OBJECT_FILE, B, "openat", "/x/f", KERNEL_OBJECT_FILE,
			RELATION_FIFO, "/x/f" },
		{ A, "write", "/x/f", KERNEL_OBJECT_FILE, B, "read", "/x/f", KERNEL_OBJECT_FILE,
			RELATION_FIFO, "/x/f" },
		{ A, "futex", "", 0, B, "futex", "", 0, RELATION_FUTEX, NULL },
		{ A, "flock", "/l", KERNEL_OBJECT_FILE, B, "flock", "/l", KERNEL_OBJECT_FILE,
			RELATION_LOCK, "/l" },
		{ A, "close", "/l", KERNEL_OBJECT_FILE, B, "fcntl", "/l", KERNEL_OBJECT_FILE,
			RELATION_LOCK, "/l" },
		{ A, "exit_group", "", 0, B, "flock", "/l", KERNEL_OBJECT_FILE, RELATION_LOCK,
			"/l" },
		{ CHILD_OF_B, "exit_group", "", 0, B, "wait4", "", 0, RELATION_WAIT, NULL },
		{ CHILD_OF_B, "execve", "/bin/x", 0, B, "vfork", "", 0, RELATION_WAIT, NULL },
		{ CHILD_OF_B, "exit_group", "", 0, B, "pause", "", 0, RELATION_WAIT, NULL },
		{ THREAD_OF_B, "exit", "", 0, B, "futex", "", 0, RELATION_WAIT, NULL },
		{ B, "exit_group", "", 0, THREAD_OF_B, "futex", "", 0, RELATION_SIGNAL, NULL },
		{ A, "semop", "", 0, B, "semtimedop", "", 0, RELATION_SEMAPHORE, NULL },
		{ A, "ptrace", "", 0, B, "read", "pipe#1", KERNEL_OBJECT_PIPE, RELATION_PTRACE,
			NULL },
		{ A, "write", "/dev/pts/1", KERNEL_OBJECT_TTY, B, "read", "/dev/pts/1",
			KERNEL_OBJECT_TTY, RELATION_TTY, "/dev/pts/1" },
		{ A, "openat", "/x/f", KERNEL_OBJECT_FILE, B, "read", "inotify",
			KERNEL_OBJECT_EVENT, RELATION_INOTIFY, "/x/f" },
		{ A, "write", "eventfd", KERNEL_OBJECT_EVENT, B, "read", "eventfd",
			KERNEL_OBJECT_EVENT, RELATION_EVENTFD, "eventfd" },
		{ A, "msgsnd", "", 0, B, "msgrcv", "", 0, RELATION_QUEUE, NULL },
		{ A, "mq_timedsend", "", 0, B, "poll", "", 0, RELATION_QUEUE, NULL },
		{ A, "connect", "tcp socket", KERNEL_OBJECT_SOCKET, B, "accept", "listening socket",
			KERNEL_OBJECT_SOCKET, RELATION_SOCKET, "tcp socket" },
		{ A, "sendto", "unix socket", KERNEL_OBJECT_UNIX, B, "recvfrom", "socket",
			KERNEL_OBJECT_SOCKET, RELATION_UNIX, "unix socket" },
		{ A, "close", "pipe#1", KERNEL_OBJECT_PIPE, B, "write", "pipe#1",
			KERNEL_OBJECT_PIPE, RELATION_PIPE, "pipe#1" },
		{ A, "shutdown", "unix socket", KERNEL_OBJECT_UNIX, B, "recvfrom", "unix socket",
			KERNEL_OBJECT_UNIX, RELATION_UNIX, "unix socket" },
		/* One of the two descriptors is not known: it is the other one's thing. */
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "read", "", KERNEL_OBJECT_UNKNOWN,
			RELATION_PIPE, "pipe#1" },
		{ A, "write", "", KERNEL_OBJECT_UNKNOWN, B, "read", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_PIPE, "pipe#1" },
		{ A, "read", "", KERNEL_OBJECT_UNKNOWN, B, "read", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_KERNEL, "read" },
		{ A, "exit_group", "", 0, B, "futex", "", 0, RELATION_FUTEX, NULL },
		{ A, "exit_group", "", 0, B, "read", "", KERNEL_OBJECT_UNKNOWN, RELATION_KERNEL,
			"read" },
		{ CHILD_OF_B, "exit_group", "", 0, B, "read", "", KERNEL_OBJECT_UNKNOWN,
			RELATION_WAIT, NULL },
		{ CHILD_OF_B, "write", "/x/f", KERNEL_OBJECT_FILE, B, "wait4", "", 0, RELATION_WAIT,
			NULL },
		{ OTHER, "execve", "/bin/x", 0, B, "vfork", "", 0, RELATION_KERNEL, "vfork" },
		{ CHILD_OF_B, "read", "/bin/x", 0, B, "vfork", "", 0, RELATION_KERNEL, "vfork" },
		/* Nobody's business but the kernel's. */
		{ KTHREAD, "", "", 0, B, "fsync", "/f", KERNEL_OBJECT_FILE, RELATION_KERNEL,
			"fsync" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, KTHREAD, "", "", 0, RELATION_KERNEL,
			NULL },
		{ A, "", "", 0, B, "", "", 0, RELATION_KERNEL, NULL },
		{ A, "mmap", "", 0, B, "futex", "", 0, RELATION_KERNEL, "futex" },
		{ A, "write", "/x/f", KERNEL_OBJECT_FILE, B, "write", "/x/f", KERNEL_OBJECT_FILE,
			RELATION_KERNEL, "write" },
		{ A, "write", "/x/f", KERNEL_OBJECT_FILE, B, "read", "/x/g", KERNEL_OBJECT_FILE,
			RELATION_KERNEL, "read" },
		{ A, "write", "/x/f", KERNEL_OBJECT_FILE, B, "poll", "", 0, RELATION_KERNEL,
			"poll" },
		{ OTHER, "exit_group", "", 0, B, "poll", "", 0, RELATION_KERNEL, "poll" },
		{ OTHER, "write", "/x/f", KERNEL_OBJECT_FILE, B, "wait4", "", 0, RELATION_KERNEL,
			"wait4" },
		{ A, "fsync", "/f", KERNEL_OBJECT_FILE, B, "read", "pipe#1", KERNEL_OBJECT_PIPE,
			RELATION_KERNEL, "read" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "read", "unix socket",
			KERNEL_OBJECT_UNIX, RELATION_KERNEL, "read" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "write", "pipe#1",
			KERNEL_OBJECT_PIPE, RELATION_KERNEL, "write" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "msgrcv", "", 0, RELATION_KERNEL,
			"msgrcv" },
		{ A, "semop", "", 0, B, "futex", "", 0, RELATION_KERNEL, "futex" },
		{ A, "write", "pipe#1", KERNEL_OBJECT_PIPE, B, "semop", "", 0, RELATION_KERNEL,
			"semop" },
		{ A, "read", "/l", KERNEL_OBJECT_FILE, B, "flock", "/l", KERNEL_OBJECT_FILE,
			RELATION_KERNEL, "flock" },
		{ A, "openat", "/x/f", KERNEL_OBJECT_FILE, B, "openat", "/x/g", KERNEL_OBJECT_FILE,
			RELATION_KERNEL, "openat" },
		{ A, "openat", "/x/f", KERNEL_OBJECT_FILE, B, "read", "eventfd",
			KERNEL_OBJECT_EVENT, RELATION_KERNEL, "read" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scene x;
		open_scene(&x);
		wakes(&x, cases[i].from,
			call(&x, cases[i].by, cases[i].by_object, 3, cases[i].by_kind, 0),
			cases[i].to,
			call(&x, cases[i].in, cases[i].in_object, 4, cases[i].in_kind, 0), 7);
		assert_int_equal(relation_end(&x.a, host(&x)), 0);
		const struct relation *r = edge(&x, cases[i].from, cases[i].to, cases[i].kind);
		if (!r)
			fail_msg("case %zu: no %s", i, relation_kind_name(cases[i].kind));
		assert_int_equal(r->n_waits, 1);
		assert_int_equal(r->wait_ns, 7 * MS);
		if (cases[i].object)
			assert_string_equal(
				kernel_name_text(host(&x), (uint32_t)r->object), cases[i].object);
		/* And nothing else but the forks of the scene. */
		for (size_t k = 0; k < x.state.set.n; k++)
			assert_true(&x.state.set.rows[k] == r ||
				    x.state.set.rows[k].kind == RELATION_FORK);
		close_scene(&x);
	}
}

static void forks_are_told(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	assert_int_equal(relation_end(&x.a, host(&x)), 0);
	assert_int_equal(x.state.set.n, 2);
	assert_int_equal(edge(&x, B, CHILD_OF_B, RELATION_FORK)->object, RELATION_PROCESS);
	assert_int_equal(edge(&x, B, THREAD_OF_B, RELATION_FORK)->object, RELATION_THREAD);
	close_scene(&x);
}

static void signal_from(struct scene *x, uint32_t from, int32_t to_tid, int number)
{
	uint64_t slots[KERNEL_EVENT_SLOTS] = {
		[SIGNAL_TID] = (uint64_t)to_tid, [SIGNAL_NUMBER] = (uint64_t)number
	};
	struct kernel_told_event e = {
		.time = x->now * MS, .slots = slots, .task = from, .kind = KERNEL_EV_SIGNAL
	};
	assert_int_equal(relation_on_signal(&x->a, host(x), &e), 0);
	/* One that an interrupt sends is nobody's. */
	e.in_interrupt = true;
	e.task = from == A ? B : A;
	assert_int_equal(relation_on_signal(&x->a, host(x), &e), 0);
}

/* The wake-up before the event of the signal, as newer kernels have it, or after it. */
static void a_signal_and_the_wait_it_ends_are_one(void **state)
{
	(void)state;
	for (int order = 0; order < 3; order++) {
		struct scene x;
		open_scene(&x);
		uint32_t kill = call(&x, "kill", "", -1, 0, 0),
			 in = call(&x, "pause", "", -1, 0, 0);
		if (order == 1) {
			uint32_t wait = tw_span(&x.t, 0, B, ++x.now, KERNEL_BLOCKED);
			kernel_span(host(&x), wait)->call = in;
			x.now += 4;
			does(&x, A, kill);
			signal_from(&x, A, 20, 10);
			kernel_span(host(&x), wait)->by = host(&x)->tasks[A].last;
			assert_int_equal(relation_on_span(&x.a, host(&x), wait, x.now * MS), 0);
		} else {
			wakes(&x, A, kill, B, in, 5);
			if (order == 0)
				signal_from(&x, A, 20, 10);
		}
		ends(&x, A, kill, 0, 20);
		const struct relation *r = edge(&x, A, B, RELATION_SIGNAL);
		assert_non_null(r);
		assert_int_equal(r->n_waits, 1);
		assert_int_equal(r->wait_ns, 5 * MS);
		assert_int_equal(r->n_given, order < 2); /* without the event: not its number */
		assert_true(r->object == (order < 2 ? 10 : RELATION_NO_OBJECT));
		assert_int_equal(x.state.set.n, 1);
		close_scene(&x);
	}
}

/* A parent is told of an exit, whether it waits or not, once. */
static void an_exit_is_one_relation(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct scene x;
		open_scene(&x);
		uint32_t out = call(&x, "exit_group", "", -1, 0, 0);
		if (waits)
			wakes(&x, CHILD_OF_B, out, B, call(&x, "wait4", "", -1, 0, 0), 3);
		else
			does(&x, CHILD_OF_B, out);
		signal_from(&x, CHILD_OF_B, 20, RELATION_SIGCHLD);
		assert_int_equal(x.state.set.n, 1);
		const struct relation *r = edge(&x, CHILD_OF_B, B, RELATION_WAIT);
		assert_int_equal(r->n_given, 1);
		assert_int_equal(r->wait_ns, waits ? 3 * MS : 0);
		close_scene(&x);
	}
}

static void the_end_of_the_call_tells_the_address(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t f = call(&x, "futex", "", -1, 0, 0);
	wakes(&x, A, f, B, f, 5);
	assert_int_equal(x.state.set.n, 0);
	wakes(&x, A, f, B, f, 6); /* still the same call */
	ends(&x, B, f, 0, 0x1000);
	const struct relation *r = edge(&x, A, B, RELATION_FUTEX);
	assert_int_equal(r->object, 0x1000);
	assert_int_equal(r->n_waits, 2);
	assert_int_equal(r->wait_ns, 11 * MS);
	wakes(&x, OTHER, f, B, f, 1); /* a call that never ends */
	assert_int_equal(relation_end(&x.a, host(&x)), 0);
	assert_true(edge(&x, OTHER, B, RELATION_FUTEX)->object == RELATION_NO_OBJECT);
	close_scene(&x);
}

/* Another one that wakes in the same call: what the first one did has no address. */
static void two_wakers_of_one_call(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t f = call(&x, "futex", "", -1, 0, 0);
	wakes(&x, A, f, B, f, 5);
	wakes(&x, OTHER, f, B, f, 6);
	ends(&x, B, f, 0, 0x1000);
	assert_true(edge(&x, A, B, RELATION_FUTEX)->object == RELATION_NO_OBJECT);
	assert_int_equal(edge(&x, A, B, RELATION_FUTEX)->wait_ns, 5 * MS);
	assert_int_equal(edge(&x, OTHER, B, RELATION_FUTEX)->object, 0x1000);
	assert_int_equal(edge(&x, OTHER, B, RELATION_FUTEX)->wait_ns, 6 * MS);
	close_scene(&x);
}

/* Two waits that calls to send signals ended, and no event of either signal. */
static void signals_of_unknown_numbers(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t kill = call(&x, "kill", "", -1, 0, 0), in = call(&x, "pause", "", -1, 0, 0);
	wakes(&x, A, kill, B, in, 5);
	wakes(&x, A, kill, OTHER, in, 6);
	const struct relation *r = edge(&x, A, B, RELATION_SIGNAL);
	assert_non_null(r);
	assert_true(r->object == RELATION_NO_OBJECT && r->n_given == 0 && r->n_waits == 1);
	assert_null(edge(&x, A, OTHER, RELATION_SIGNAL));
	ends(&x, A, kill, 0, 20);
	r = edge(&x, A, OTHER, RELATION_SIGNAL);
	assert_non_null(r);
	assert_true(r->object == RELATION_NO_OBJECT && r->wait_ns == 6 * MS);
	close_scene(&x);
}

/* ---- data ---- */

/* Both ends of a pair have one name; who reads at an end gets what was written at the other one. */
static void pairs_of_sockets_have_two_directions(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t put = call(&x, "write", "socketpair#1", 3, KERNEL_OBJECT_UNIX, 0),
		 get = call(&x, "read", "socketpair#1", 3, KERNEL_OBJECT_UNIX, 0),
		 answer = call(&x, "write", "socketpair#1", 4, KERNEL_OBJECT_UNIX, 1),
		 ask = call(&x, "read", "socketpair#1", 4, KERNEL_OBJECT_UNIX, 1);
	ends(&x, A, put, 100, 0);
	ends(&x, OTHER, get, 7, 0); /* the same end as A: not A's bytes */
	ends(&x, B, ask, 60, 0);
	ends(&x, B, ask, 40, 0);
	ends(&x, B, answer, 5, 0);
	ends(&x, A, get, 5, 0);
	assert_int_equal(x.state.set.n, 2);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->bytes, 100);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->n_given, 1);
	assert_int_equal(edge(&x, B, A, RELATION_UNIX)->bytes, 5);
	close_scene(&x);
}

/* What tee copies stays in the pipe: whoever reads it gets it. */
static void tee_takes_nothing(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	ends(&x, A, call(&x, "write", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0), 100, 0);
	ends(&x, OTHER, call(&x, "tee", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0), 100, 0);
	ends(&x, B, call(&x, "splice", "pipe#1", 4, KERNEL_OBJECT_PIPE, 0), 100, 0);
	assert_int_equal(x.state.set.n, 1);
	assert_int_equal(edge(&x, A, B, RELATION_PIPE)->bytes, 100);
	close_scene(&x);
}

/* Without a name: to who was woken by it; to nobody before, and after the number is another
 * thing. */
static void other_sockets_lead_to_who_was_woken(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t put = call(&x, "sendto", "unix socket", 3, KERNEL_OBJECT_UNIX, 0),
		 get = call(&x, "recvfrom", "unix socket", 5, KERNEL_OBJECT_UNIX, 0),
		 back = call(&x, "sendto", "unix socket", 5, KERNEL_OBJECT_UNIX, 0),
		 close = call(&x, "close", "unix socket", 3, KERNEL_OBJECT_UNIX, 0);
	ends(&x, A, put, 10, 0);
	assert_int_equal(x.state.set.n, 0);
	wakes(&x, A, put, B, get, 2);
	ends(&x, A, put, 20, 0);
	ends(&x, A, put, 30, 0);
	ends(&x, B, back, 3, 0);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->bytes, 50);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->n_given, 2);
	assert_int_equal(edge(&x, B, A, RELATION_UNIX)->bytes, 3);
	ends(&x, A, close, 0, 0);
	ends(&x, A, put, 1000, 0);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->bytes, 50);
	close_scene(&x);
}

/* A file is a file, until it is known to be a fifo. */
static void files_are_no_fifos(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t put = call(&x, "write", "/x/f", 3, KERNEL_OBJECT_FILE, 0),
		 get = call(&x, "read", "/x/f", 3, KERNEL_OBJECT_FILE, 0),
		 open = call(&x, "openat", "/x/f", -1, KERNEL_OBJECT_FILE, 0);
	ends(&x, A, put, 10, 0);
	ends(&x, B, get, 10, 0);
	assert_int_equal(x.state.set.n, 0);
	wakes(&x, A, open, B, open, 1);
	ends(&x, A, put, 10, 0);
	ends(&x, B, get, 10, 0);
	assert_int_equal(edge(&x, A, B, RELATION_FIFO)->bytes, 10);
	assert_int_equal(x.state.set.n, 1);
	close_scene(&x);
}

/* What is given, or ends, in the window; waits are cut to its begin. */
static void a_window_cuts(void **state)
{
	(void)state;
	struct scene x;
	uint32_t put, get;
	open_scene(&x);
	put = call(&x, "write", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0);
	get = call(&x, "read", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0);
	x.options.begin = 5 * MS;
	x.options.end = 20 * MS;
	wakes(&x, A, put, B, get, 2); /* ends at 3 */
	assert_int_equal(x.state.set.n, 0);
	wakes(&x, A, put, B, get, 8); /* 4 to 12 */
	assert_int_equal(edge(&x, A, B, RELATION_PIPE)->wait_ns, 7 * MS);
	wakes(&x, A, put, B, get, 8); /* ends behind */
	assert_int_equal(edge(&x, A, B, RELATION_PIPE)->n_waits, 1);
	close_scene(&x);
}

/* A look at what is there takes nothing. */
static void a_look_takes_nothing(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t look = call(&x, "recvfrom", "socketpair#1", 4, KERNEL_OBJECT_UNIX, 1);
	struct kernel_call_end e = { .task = OTHER,
		.call = look,
		.begin = 1,
		.end = 2,
		.ret = 100,
		.kind = KERNEL_CALL_RECEIVE,
		.args = { [KERNEL_ARG_RECEIVE_FLAGS] = 2 | 0x40 } };
	ends(&x, A, call(&x, "write", "socketpair#1", 3, KERNEL_OBJECT_UNIX, 0), 100, 0);
	assert_int_equal(relation_on_call(&x.a, host(&x), &e), 0);
	assert_int_equal(x.state.set.n, 0);
	e.args[KERNEL_ARG_RECEIVE_FLAGS] = 0x40;
	e.task = B;
	assert_int_equal(relation_on_call(&x.a, host(&x), &e), 0);
	assert_int_equal(edge(&x, A, B, RELATION_UNIX)->bytes, 100);
	close_scene(&x);
}

/* Who ends a wait of its own talks to nobody. */
static void nobody_wakes_itself(void **state)
{
	(void)state;
	struct scene x;
	open_scene(&x);
	uint32_t put = call(&x, "write", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0);
	does(&x, A, put);
	uint32_t own = host(&x)->tasks[A].last;
	uint32_t wait = tw_span(&x.t, 0, A, ++x.now, KERNEL_BLOCKED);
	kernel_span(host(&x), wait)->call = call(&x, "read", "pipe#1", 3, KERNEL_OBJECT_PIPE, 0);
	kernel_span(host(&x), wait)->by = own;
	kernel_span(host(&x), wait)->cause = KERNEL_TASK;
	assert_int_equal(relation_on_span(&x.a, host(&x), wait, ++x.now * MS), 0);
	assert_int_equal(x.state.set.n, 0);
	close_scene(&x);
}

/* ---- what a task started ---- */

static struct relation between(uint32_t from, uint32_t to, enum relation_kind kind)
{
	return (struct relation){ .from = from, .to = to, .kind = (uint8_t)kind };
}

/* A shell reads what its child writes. It is another thing if it writes to the child, too; but not
 * if it only sends it signals, shares memory with it, or a lock of the kernel. */
static void children_give_to_those_who_started_them(void **state)
{
	(void)state;
	static const struct {
		enum relation_kind kind;
		bool is_given;
	} back[] = { { RELATION_PIPE, true }, { RELATION_FUTEX, true }, { RELATION_TCP, true },
		{ RELATION_QUEUE, true }, { RELATION_SIGNAL, false }, { RELATION_PTRACE, false },
		{ RELATION_KERNEL, false }, { RELATION_MEMORY, false }, { RELATION_FORK, false },
		{ RELATION_WAIT, false } };
	for (size_t i = 0; i < sizeof(back) / sizeof(*back); i++) {
		struct scene x;
		struct relation_started s = { 0 };
		open_scene(&x);
		struct relation r = between(CHILD_OF_B, B, RELATION_PIPE),
				b = between(B, CHILD_OF_B, back[i].kind),
				far = between(B, CHILD_OF_B, RELATION_TCP);
		far.to_host = 1;
		assert_true(relation_started_note(&s, &x.run, &r));
		assert_true(relation_started_note(&s, &x.run, &far));
		assert_true(relation_is_started(&s, &x.run, &r));
		assert_true(relation_started_note(&s, &x.run, &b));
		if (relation_is_started(&s, &x.run, &r) == back[i].is_given)
			fail_msg("%s", relation_kind_name(back[i].kind));
		relation_started_fini(&s);
		close_scene(&x);
	}
}

static void who_started_whom(void **state)
{
	(void)state;
	struct scene x;
	struct relation_started s = { 0 };
	open_scene(&x);
	uint32_t child = tw_fork(&x.t, 0, THREAD_OF_B, 50, "child", 1);
	uint32_t grandchild = tw_fork(&x.t, 0, child, 51, "grandchild", 2);
	static const struct {
		uint32_t from, to;
		enum relation_kind kind;
		bool is_started;
	} cases[] = { { CHILD_OF_B, B, RELATION_PIPE, true },
		{ CHILD_OF_B, THREAD_OF_B, RELATION_PIPE, true }, /* of the same process */
		{ B, CHILD_OF_B, RELATION_PIPE, false }, { OTHER, B, RELATION_PIPE, false },
		{ THREAD_OF_B, B, RELATION_PIPE, false }, /* it is B */
		{ CHILD_OF_B, B, RELATION_KERNEL, false },
		{ CHILD_OF_B, B, RELATION_SIGNAL, false },
		{ CHILD_OF_B, B, RELATION_PTRACE, false },
		{ CHILD_OF_B, B, RELATION_MEMORY, false }, { OTHER, B, RELATION_WAIT, true },
		{ OTHER, B, RELATION_FORK, true } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct relation r = between(cases[i].from, cases[i].to, cases[i].kind);
		if (relation_is_started(&s, &x.run, &r) != cases[i].is_started)
			fail_msg("case %zu", i);
	}
	struct relation r = between(child, B, RELATION_PIPE);
	assert_true(relation_is_started(&s, &x.run, &r));
	r = between(grandchild, B, RELATION_PIPE);
	assert_true(relation_is_started(&s, &x.run, &r));
	r = between(grandchild, A, RELATION_PIPE);
	assert_false(relation_is_started(&s, &x.run, &r));
	/* It was there when the recording began: who started it is not known for sure. */
	host(&x)->tasks[child].born = false;
	r = between(grandchild, B, RELATION_PIPE);
	assert_false(relation_is_started(&s, &x.run, &r));
	r = between(CHILD_OF_B, B, RELATION_TCP);
	r.from_host = 1;
	assert_false(relation_is_started(&s, &x.run, &r));
	relation_started_fini(&s);
	close_scene(&x);
}

/* ---- memory ---- */

static void maps(struct scene *x, uint32_t task, const char *name, bool writes)
{
	struct relation_use use = { .kind = KERNEL_OBJECT_FILE,
		.object = mer_intern_add(&host(x)->names, name, strlen(name)) };
	struct kernel_call_end e = { .task = task,
		.end = ++x->now * MS,
		.ret = 0x7f0000000000,
		.kind = KERNEL_CALL_MMAP,
		.args = { [KERNEL_ARG_MMAP_FLAGS] = 1, [KERNEL_ARG_MMAP_PROT] = writes ? 3 : 1 } };
	assert_int_equal(relation_on_memory(&x->a, host(x), &e, &use), 0);
}

/* Is there a hint that the two share what both have mapped? */
static bool share(struct scene *x)
{
	assert_int_equal(relation_memory_end(&x->a, host(x)), 0);
	const struct relation *r = edge(x, A, B, RELATION_MEMORY);
	assert_true(!r || r->n_given == 2);
	return r != NULL;
}

/* The same file, by a name that is one file for both; one that writes, and both alive at the same
 * time. */
static void what_may_be_shared(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool writes[2];
		uint32_t pid_ns[2];
		int64_t died;
		bool are_shared;
	} cases[] = {
		{ "/srv/data", { true, true }, { 0, 0 }, 100, true },
		{ "/srv/data", { false, true }, { 0, 0 }, 100, true },
		{ "/srv/data", { true, false }, { 0, 0 }, 100, true },
		{ "/srv/data", { false, false }, { 0, 0 }, 100, false },
		{ "srv/data", { true, true }, { 0, 0 }, 100, false },
		{ "/dev/dri/card0", { true, true }, { 0, 0 }, 100, false },
		{ "/dev/shm/x", { true, true }, { 0, 0 }, 100, true },
		{ "/srv/data", { true, true }, { 7, 7 }, 100, true },
		{ "/srv/data", { true, true }, { 7, 0 }, 100, true },
		{ "/srv/data", { true, true }, { 0, 7 }, 100, true },
		{ "/srv/data", { true, true }, { 7, 8 }, 100, false },
		{ "/srv/data", { true, true }, { 0, 0 }, 2, false },
		{ "/srv/data", { true, true }, { 0, 0 }, 3, true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scene x;
		open_scene(&x);
		host(&x)->tasks[A].pid_ns = cases[i].pid_ns[0];
		host(&x)->tasks[B].pid_ns = cases[i].pid_ns[1];
		host(&x)->tasks[A].died = cases[i].died * MS;
		maps(&x, A, cases[i].name, cases[i].writes[0]);
		maps(&x, B, cases[i].name, cases[i].writes[1]);
		if (share(&x) != cases[i].are_shared)
			fail_msg("case %zu", i);
		close_scene(&x);
	}
	/* Two threads of one process share everything anyway. */
	struct scene x;
	open_scene(&x);
	maps(&x, B, "/srv/data", true);
	maps(&x, THREAD_OF_B, "/srv/data", true);
	assert_int_equal(relation_memory_end(&x.a, host(&x)), 0);
	assert_int_equal(x.state.set.n, 0);
	close_scene(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_get_the_bytes_in_order),
		cmocka_unit_test(a_read_may_be_told_before_its_write),
		cmocka_unit_test(what_was_read_earlier_is_not_from_a_later_write),
		cmocka_unit_test(a_stream_is_bounded),
		cmocka_unit_test(what_both_did_tells_the_means),
		cmocka_unit_test(forks_are_told),
		cmocka_unit_test(a_signal_and_the_wait_it_ends_are_one),
		cmocka_unit_test(an_exit_is_one_relation),
		cmocka_unit_test(the_end_of_the_call_tells_the_address),
		cmocka_unit_test(two_wakers_of_one_call),
		cmocka_unit_test(signals_of_unknown_numbers),
		cmocka_unit_test(pairs_of_sockets_have_two_directions),
		cmocka_unit_test(tee_takes_nothing),
		cmocka_unit_test(other_sockets_lead_to_who_was_woken),
		cmocka_unit_test(files_are_no_fifos),
		cmocka_unit_test(a_window_cuts),
		cmocka_unit_test(a_look_takes_nothing),
		cmocka_unit_test(nobody_wakes_itself),
		cmocka_unit_test(children_give_to_those_who_started_them),
		cmocka_unit_test(who_started_whom),
		cmocka_unit_test(what_may_be_shared),
	};
	return cmocka_run_group_tests_name("relations", tests, NULL, NULL);
}
