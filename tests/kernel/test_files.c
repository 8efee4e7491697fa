/* Files: what each call is on, in sequences that programs make, in the orders in which state dumps
 * come, with numbers that make no sense; and a random sequence against a plain model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "call_row.h"
#include "kernel/files/fd_table.h"
#include "kernel/files/file_processes.h"

enum { CLOEXEC = 02000000, AT_CWD = -100, N_SLOTS = 8 };

struct test {
	struct kernel_host h;
	struct kernel_files *f;
	struct mer_err err;
	struct kernel_call call; /* of the latest entry */
};

static int set_up(void **state)
{
	struct test *t = calloc(1, sizeof(*t));
	assert_non_null(t);
	kernel_host_init(&t->h);
	assert_int_equal(kernel_files_new(&t->h, &t->f, &t->err), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct test *t = *state;
	kernel_files_free(t->f);
	kernel_host_fini(&t->h);
	free(t);
	return 0;
}

static uint32_t new_task(struct test *t, int32_t pid, int32_t tid)
{
	uint32_t i = kernel_add_task(&t->h, tid, 0);
	assert_true(i != KERNEL_NONE);
	t->h.tasks[i].pid = pid;
	return i;
}

/* As many numbers as the row has slots; text takes two. */
static const char *enter(struct test *t, uint32_t task, const char *name, const uint64_t *slots)
{
	const struct kernel_call_row *row = call_row(name);
	assert_non_null(row);
	assert_int_equal(kernel_files_enter(t->f, task, (enum kernel_call_kind)row->kind, slots,
				 &t->call, &t->err),
		0);
	return kernel_name_text(&t->h, t->call.object);
}

static void leave(
	struct test *t, uint32_t task, const char *name, int64_t ret, const uint64_t *slots)
{
	const struct kernel_call_row *row = call_row(name);
	assert_int_equal(kernel_files_leave(
				 t->f, task, (enum kernel_call_kind)row->kind, ret, slots, &t->err),
		0);
}

#define SLOTS(...) ((const uint64_t[N_SLOTS]){ __VA_ARGS__ })
#define TEXT(s) (uint64_t)(uintptr_t)(s), strlen(s)
#define ENTER(task, name, ...) enter(t, task, name, SLOTS(__VA_ARGS__))
#define CALL(task, name, ret, ...) (ENTER(task, name, __VA_ARGS__), leave(t, task, name, ret, NULL))
#define OBJECT(task, n) ENTER(task, "read", (uint64_t)(int64_t)(n))
#define ASSERT_IS(task, n, text, k)                                                                \
	do {                                                                                       \
		assert_string_equal(OBJECT(task, n), text);                                        \
		assert_int_equal(t->call.kind, k);                                                 \
		assert_int_equal(t->call.fd, n);                                                   \
	} while (0)
#define ASSERT_UNKNOWN(task, n)                                                                    \
	do {                                                                                       \
		assert_string_equal(OBJECT(task, n), "");                                          \
		assert_int_equal(t->call.object, KERNEL_NONE);                                     \
		assert_int_equal(t->call.kind, KERNEL_OBJECT_UNKNOWN);                             \
	} while (0)

static void open_file(struct test *t, uint32_t task, int fd, const char *path, uint64_t flags)
{
	CALL(task, "open", fd, TEXT(path), flags);
}

static void dump(struct test *t, uint64_t table, int32_t pid, int32_t fd, const char *name)
{
	assert_int_equal(kernel_files_dump(t->f, table, pid, fd, name, strlen(name), &t->err), 0);
}

static void dump_task(struct test *t, uint32_t task, uint64_t table)
{
	assert_int_equal(kernel_files_dump_task(t->f, task, table, &t->err), 0);
}

static void fork_task(struct test *t, uint32_t parent, uint32_t child, bool shares)
{
	assert_int_equal(kernel_files_fork(t->f, parent, child, shares, &t->err), 0);
}

static void exec_task(struct test *t, uint32_t task)
{
	assert_int_equal(kernel_files_exec(t->f, task, &t->err), 0);
}

static void test_paths(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	assert_string_equal(ENTER(a, "open", TEXT("/etc/passwd"), 0), "/etc/passwd");
	assert_int_equal(t->call.kind, KERNEL_OBJECT_FILE);
	assert_int_equal(t->call.fd, -1);
	ASSERT_UNKNOWN(a, 3);
	open_file(t, a, 3, "/etc/passwd", 0);
	ASSERT_IS(a, 3, "/etc/passwd", KERNEL_OBJECT_FILE);
	CALL(a, "open", -2, TEXT("/no"), 0); /* fails */
	ASSERT_IS(a, 3, "/etc/passwd", KERNEL_OBJECT_FILE);
	open_file(t, a, 4, "/dev/pts/0", 0);
	ASSERT_IS(a, 4, "/dev/pts/0", KERNEL_OBJECT_TTY);
	assert_string_equal(ENTER(a, "recvmmsg_time32", 4, 0), "/dev/pts/0");
	assert_int_equal(t->call.fd, 4);
	assert_string_equal(ENTER(a, "mq_timedreceive_time32", 4), "/dev/pts/0");
	/* Relative to a directory; and to one that is not known. */
	open_file(t, a, 5, "/srv/data", 0);
	CALL(a, "openat", 6, 5, TEXT("x/y"), 0);
	ASSERT_IS(a, 6, "/srv/data/x/y", KERNEL_OBJECT_FILE);
	CALL(a, "openat", 7, 5, TEXT("/abs"), 0);
	ASSERT_IS(a, 7, "/abs", KERNEL_OBJECT_FILE);
	CALL(a, "openat", 8, (uint64_t)AT_CWD, TEXT("rel"), 0);
	ASSERT_IS(a, 8, "rel", KERNEL_OBJECT_FILE);
	CALL(a, "openat", 9, 77, TEXT("rel2"), 0);
	ASSERT_IS(a, 9, "rel2", KERNEL_OBJECT_FILE);
	open_file(t, a, 10, "/", 0);
	assert_string_equal(ENTER(a, "newfstatat", 10, TEXT("etc"), 0), "/etc");
	/* The tracer could not read the path: what was there before must not stay. */
	open_file(t, a, 9, "", 0);
	ASSERT_UNKNOWN(a, 9);
	assert_string_equal(ENTER(a, "newfstatat", 3, TEXT(""), 0x1000), "/etc/passwd");
	assert_int_equal(t->call.fd, 3);
	assert_string_equal(ENTER(a, "newfstatat", 3, TEXT(""), 0), "");
	assert_string_equal(ENTER(a, "execve", TEXT("/bin/ls")), "/bin/ls");
	CALL(a, "memfd_create", 11, 1, TEXT("shm"));
	ASSERT_IS(a, 11, "memfd:shm", KERNEL_OBJECT_FILE);
	/* Another open that ends without its beginning has no say. */
	leave(t, a, "open", 3, NULL);
	ASSERT_IS(a, 3, "/etc/passwd", KERNEL_OBJECT_FILE);
}

static void test_close_and_dup(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	open_file(t, a, 3, "/a", CLOEXEC);
	assert_string_equal(ENTER(a, "close", 3), "/a");
	/* Already now the number may be another thread's. */
	ASSERT_UNKNOWN(a, 3);
	open_file(t, a, 3, "/b", CLOEXEC);
	leave(t, a, "close", 0, NULL);
	ASSERT_IS(a, 3, "/b", KERNEL_OBJECT_FILE);

	CALL(a, "dup", 4, 3);
	CALL(a, "dup2", 100, 3, 100);
	CALL(a, "dup3", 101, 3, 101, CLOEXEC);
	CALL(a, "fcntl", 5, 3, 0, 0);
	CALL(a, "fcntl", 6, 3, 1030, 0);
	CALL(a, "dup2", -9, 3, 7); /* fails */
	CALL(a, "dup2", 3, 3, 3);  /* stays as it is, with its flag */
	for (int i = 3; i <= 6; i++)
		ASSERT_IS(a, i, "/b", KERNEL_OBJECT_FILE);
	ASSERT_IS(a, 100, "/b", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 7);
	exec_task(t, a);
	ASSERT_UNKNOWN(a, 3);
	ASSERT_IS(a, 4, "/b", KERNEL_OBJECT_FILE);
	ASSERT_IS(a, 5, "/b", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 6);
	ASSERT_IS(a, 100, "/b", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 101);

	CALL(a, "fcntl", 0, 4, 2, 1); /* F_SETFD on */
	CALL(a, "fcntl", 0, 5, 2, 1); /* and off again */
	CALL(a, "fcntl", 0, 5, 2, 0);
	CALL(a, "ioctl", 0, 100, 0x5451); /* FIOCLEX */
	open_file(t, a, 6, "/c", CLOEXEC);
	CALL(a, "ioctl", 0, 6, 0x5450); /* FIONCLEX */
	exec_task(t, a);
	ASSERT_UNKNOWN(a, 4);
	ASSERT_IS(a, 5, "/b", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 100);
	ASSERT_IS(a, 6, "/c", KERNEL_OBJECT_FILE);
	/* A copy of what is not known is not known. */
	CALL(a, "dup2", 6, 90, 6);
	ASSERT_UNKNOWN(a, 6);

	for (int i = 60; i < 200; i++)
		open_file(t, a, i, "/d", 0);
	CALL(a, "close_range", 0, 63, 128, 0);
	ASSERT_IS(a, 62, "/d", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 63);
	ASSERT_UNKNOWN(a, 100);
	ASSERT_UNKNOWN(a, 128);
	ASSERT_IS(a, 129, "/d", KERNEL_OBJECT_FILE);
	CALL(a, "close_range", 0, 150, UINT32_MAX, 4); /* at exec only */
	ASSERT_IS(a, 199, "/d", KERNEL_OBJECT_FILE);
	exec_task(t, a);
	ASSERT_IS(a, 149, "/d", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 150);
	ASSERT_UNKNOWN(a, 199);
}

static void test_sockets(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	static const uint64_t v4[] = { 10, 0, 0, 2 }, six[] = { 0, 0, 0, 0, 0, 0, 0, 1 },
			      mapped[] = { 0, 0, 0, 0, 0, 0xffff, 0x0a00, 0x0001 };
	uint64_t v4_at = (uint64_t)(uintptr_t)v4, six_at = (uint64_t)(uintptr_t)six,
		 mapped_at = (uint64_t)(uintptr_t)mapped;
	assert_string_equal(ENTER(a, "socket", 2, 1 | CLOEXEC, 0), "tcp socket");
	leave(t, a, "socket", 3, NULL);
	ASSERT_IS(a, 3, "tcp socket", KERNEL_OBJECT_SOCKET);
	assert_string_equal(ENTER(a, "connect", 3, 2, 80, 4, v4_at, 0, 0), "10.0.0.2:80");
	assert_int_equal(t->call.fd, 3);
	assert_int_equal(t->call.kind, KERNEL_OBJECT_SOCKET);
	leave(t, a, "connect", -111, NULL); /* refused */
	ASSERT_IS(a, 3, "tcp socket", KERNEL_OBJECT_SOCKET);
	CALL(a, "connect", -115, 3, 2, 80, 4, v4_at, 0, 0); /* in progress */
	ASSERT_IS(a, 3, "10.0.0.2:80", KERNEL_OBJECT_SOCKET);
	/* Without the fields of newer tracers nothing changes. */
	assert_string_equal(ENTER(a, "connect", 3), "10.0.0.2:80");
	leave(t, a, "connect", 0, NULL);
	ASSERT_IS(a, 3, "10.0.0.2:80", KERNEL_OBJECT_SOCKET);
	CALL(a, "socket", 4, 10, 2, 0);
	ASSERT_IS(a, 4, "udp socket", KERNEL_OBJECT_SOCKET);
	CALL(a, "connect", 0, 4, 10, 53, 0, 0, 8, six_at);
	ASSERT_IS(a, 4, "[::1]:53", KERNEL_OBJECT_SOCKET);
	CALL(a, "socket", 5, 1, 1, 0);
	CALL(a, "connect", 0, 5, 1);
	ASSERT_IS(a, 5, "unix socket", KERNEL_OBJECT_UNIX);
	/* An array of another length is no address. */
	CALL(a, "socket", 6, 2, 1, 0);
	CALL(a, "connect", 0, 6, 2, 80, 3, v4_at, 0, 0);
	ASSERT_IS(a, 6, "tcp socket", KERNEL_OBJECT_SOCKET);

	CALL(a, "bind", 0, 6);
	CALL(a, "listen", 0, 6);
	assert_string_equal(ENTER(a, "accept4", 6, CLOEXEC), "listening socket");
	leave(t, a, "accept4", 7, SLOTS(7, 2, 37878, 4, v4_at, 0, 0));
	ASSERT_IS(a, 7, "10.0.0.2:37878", KERNEL_OBJECT_SOCKET);
	ENTER(a, "accept", 6);
	leave(t, a, "accept", 8, SLOTS(8, 10, 9, 0, 0, 8, mapped_at));
	ASSERT_IS(a, 8, "10.0.0.1:9", KERNEL_OBJECT_SOCKET);
	/* Who it is was not asked for, or the tracer does not tell. */
	ENTER(a, "accept", 6);
	leave(t, a, "accept", 9, SLOTS(9));
	ASSERT_IS(a, 9, "tcp socket", KERNEL_OBJECT_SOCKET);
	CALL(a, "accept", 10, 99);
	ASSERT_IS(a, 10, "socket", KERNEL_OBJECT_SOCKET);
	exec_task(t, a);
	ASSERT_UNKNOWN(a, 3);
	ASSERT_IS(a, 6, "listening socket", KERNEL_OBJECT_SOCKET);
	ASSERT_UNKNOWN(a, 7);
	ASSERT_IS(a, 8, "10.0.0.1:9", KERNEL_OBJECT_SOCKET);
}

static void dump_socket(struct test *t, int32_t pid, int32_t fd, uint16_t family, const char *name)
{
	assert_int_equal(
		kernel_files_dump_socket(t->f, pid, fd, family, name, strlen(name), &t->err), 0);
}

/* Of sockets a copy of /proc tells addresses: more than what a system call without addresses told,
 * less than one with. */
static void test_dumped_sockets(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	static const uint64_t v4[] = { 10, 0, 0, 2 };
	uint64_t v4_at = (uint64_t)(uintptr_t)v4;
	dump_task(t, a, 0);
	dump_socket(t, 1, 3, 2, "10.0.0.1:54690");
	dump_socket(t, 1, 4, 2, "socket:[10] listens on 0.0.0.0:80");
	dump_socket(t, 1, 5, 1, "socket:[40]");
	dump_socket(t, 1, 6, 2, "");
	ASSERT_IS(a, 3, "10.0.0.1:54690", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(a, 4, "socket:[10] listens on 0.0.0.0:80", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(a, 5, "socket:[40]", KERNEL_OBJECT_UNIX);
	ASSERT_UNKNOWN(a, 6);
	/* What is accepted there is of the same family, also where the call does not tell whose. */
	ENTER(a, "accept4", 4);
	leave(t, a, "accept4", 7, SLOTS(7));
	ASSERT_IS(a, 7, "tcp socket", KERNEL_OBJECT_SOCKET);
	dump_socket(t, 1, 7, 2, "socket:[11]");
	ASSERT_IS(a, 7, "tcp socket", KERNEL_OBJECT_SOCKET);
	dump_socket(t, 1, 7, 2, "10.0.0.1:54691");
	ASSERT_IS(a, 7, "10.0.0.1:54691", KERNEL_OBJECT_SOCKET);
	/* A unix socket, and a peer that was told, stay what they are. */
	CALL(a, "socket", 8, 1, 1, 0);
	dump_socket(t, 1, 8, 1, "socket:[41]");
	ASSERT_IS(a, 8, "unix socket", KERNEL_OBJECT_UNIX);
	CALL(a, "socket", 9, 2, 1, 0);
	CALL(a, "connect", 0, 9, 2, 80, 4, v4_at, 0, 0);
	dump_socket(t, 1, 9, 2, "10.0.0.9:81");
	ASSERT_IS(a, 9, "10.0.0.2:80", KERNEL_OBJECT_SOCKET);
	/* It is closed as any other. */
	CALL(a, "close", 0, 3);
	ASSERT_UNKNOWN(a, 3);
}

static void test_pipes_and_others(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1), b = new_task(t, 2, 2);
	static const uint64_t one[] = { 3, 4 }, two[] = { 5, 6 };
	ENTER(a, "pipe2", CLOEXEC);
	leave(t, a, "pipe2", 0, SLOTS(0, 2, (uint64_t)(uintptr_t)one));
	ENTER(a, "pipe", 0);
	leave(t, a, "pipe", 0, SLOTS(0, 2, (uint64_t)(uintptr_t)two));
	fork_task(t, a, b, false);
	CALL(b, "dup2", 1, 6, 1);
	ASSERT_IS(a, 3, "pipe#1", KERNEL_OBJECT_PIPE);
	ASSERT_IS(a, 4, "pipe#1", KERNEL_OBJECT_PIPE);
	ASSERT_IS(a, 5, "pipe#2", KERNEL_OBJECT_PIPE);
	ASSERT_IS(b, 1, "pipe#2", KERNEL_OBJECT_PIPE);
	exec_task(t, b);
	ASSERT_UNKNOWN(b, 3);
	ASSERT_IS(b, 6, "pipe#2", KERNEL_OBJECT_PIPE);
	ASSERT_IS(a, 3, "pipe#1", KERNEL_OBJECT_PIPE);
	ENTER(a, "socketpair", 1, 1);
	leave(t, a, "socketpair", 0, SLOTS(0, 2, (uint64_t)(uintptr_t)two));
	ASSERT_IS(a, 5, "socketpair#1", KERNEL_OBJECT_UNIX);
	/* The old tracer does not tell the numbers. */
	CALL(a, "pipe", 0, 0);
	ASSERT_IS(a, 5, "socketpair#1", KERNEL_OBJECT_UNIX);

	CALL(a, "eventfd2", 7, 0);
	CALL(a, "timerfd_create", 8, CLOEXEC);
	CALL(a, "epoll_create1", 9, 0);
	CALL(a, "inotify_init1", 10, 0);
	CALL(a, "signalfd4", 11, 0, UINT64_MAX);
	CALL(a, "signalfd4", 7, 0, 7); /* of one that is there: nothing new */
	ASSERT_IS(a, 7, "eventfd", KERNEL_OBJECT_EVENT);
	ASSERT_IS(a, 8, "timerfd", KERNEL_OBJECT_TIMER);
	assert_string_equal(ENTER(a, "epoll_wait", 9), "epoll");
	assert_int_equal(t->call.kind, KERNEL_OBJECT_POLL);
	ASSERT_IS(a, 10, "inotify", KERNEL_OBJECT_EVENT);
	ASSERT_IS(a, 11, "signalfd", KERNEL_OBJECT_EVENT);
	CALL(a, "pidfd_open", 7, 0);
	ASSERT_UNKNOWN(a, 7);
	/* Memory without a file is on nothing, whatever number stands there. */
	assert_string_equal(ENTER(a, "mmap", 8, 0x22), "");
	assert_int_equal(t->call.fd, -1);
	assert_string_equal(ENTER(a, "mmap", 8, 1), "timerfd");
	assert_string_equal(ENTER(a, "futex", 8), "");
}

/* Whoever shares with nobody has nothing to part from: who comes later shares with it. */
static void test_unshare_alone(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	open_file(t, a, 3, "/a", 0);
	CALL(a, "unshare", 0, 0x400);
	open_file(t, a, 4, "/b", 0);
	uint32_t late = new_task(t, 1, 2);
	ASSERT_IS(late, 3, "/a", KERNEL_OBJECT_FILE);
	ASSERT_IS(late, 4, "/b", KERNEL_OBJECT_FILE);
	open_file(t, late, 5, "/c", 0);
	ASSERT_IS(a, 5, "/c", KERNEL_OBJECT_FILE);
}

static void test_processes(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1), thread = new_task(t, 1, 2), child = new_task(t, 3, 3),
		 late = new_task(t, 1, 4);
	open_file(t, a, 3, "/a", CLOEXEC);
	fork_task(t, a, thread, true);
	open_file(t, thread, 4, "/b", 0);
	ASSERT_IS(a, 4, "/b", KERNEL_OBJECT_FILE);
	fork_task(t, thread, child, false);
	open_file(t, a, 5, "/c", 0);
	ASSERT_UNKNOWN(child, 5);
	ASSERT_IS(child, 3, "/a", KERNEL_OBJECT_FILE);
	CALL(child, "close", 0, 4);
	ASSERT_IS(a, 4, "/b", KERNEL_OBJECT_FILE);
	/* A thread whose birth was not seen is known by its pid. */
	ASSERT_IS(late, 4, "/b", KERNEL_OBJECT_FILE);
	exec_task(t, child);
	ASSERT_UNKNOWN(child, 3);
	ASSERT_IS(a, 3, "/a", KERNEL_OBJECT_FILE);
	kernel_files_exit(t->f, a);
	ASSERT_IS(thread, 4, "/b", KERNEL_OBJECT_FILE);
	/* A thread that goes its own way. */
	CALL(late, "unshare", 0, 0x400);
	open_file(t, late, 9, "/own", 0);
	ASSERT_UNKNOWN(thread, 9);
	ASSERT_IS(late, 4, "/b", KERNEL_OBJECT_FILE);
	kernel_files_exit(t->f, thread);
	kernel_files_exit(t->f, late);
	/* The pid is used again. */
	uint32_t again = new_task(t, 1, 1);
	ASSERT_UNKNOWN(again, 4);
	/* An exec by one of two threads is the process from then on. */
	uint32_t other = new_task(t, 1, 5);
	fork_task(t, again, other, true);
	open_file(t, again, 3, "/keep", 0);
	open_file(t, again, 4, "/gone", CLOEXEC);
	exec_task(t, other);
	ASSERT_IS(other, 3, "/keep", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(other, 4);
	kernel_files_exit(t->f, again);
	uint32_t newer = new_task(t, 1, 6);
	ASSERT_IS(newer, 3, "/keep", KERNEL_OBJECT_FILE);
}

static void test_dump(void **state)
{
	struct test *t = *state;
	const uint64_t x = 0xffff8880049d1b80, y = 0xffff888004900000;
	uint32_t a = new_task(t, 1, 1), b = new_task(t, 2, 2), b2 = new_task(t, 2, 3),
		 c = new_task(t, 4, 4);
	/* Newer tracers: a task, its rows, the next task. */
	dump_task(t, a, x);
	dump(t, x, 0, 0, "/dev/console (deleted)");
	dump(t, x, 0, 3, "socket:[123]");
	dump(t, x, 0, 4, "anon_inode:[eventpoll]");
	dump(t, x, 0, 5, "anon_inode:inotify");
	dump(t, x, 0, 6, "anon_inode:[bpf-map]");
	dump_task(t, b, y);
	dump(t, y, 0, 0, "pipe:[9]");
	dump_task(t, b2, y);
	ASSERT_IS(a, 0, "/dev/console (deleted)", KERNEL_OBJECT_TTY);
	ASSERT_IS(a, 3, "socket:[123]", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(a, 4, "epoll", KERNEL_OBJECT_POLL);
	ASSERT_IS(a, 5, "inotify", KERNEL_OBJECT_EVENT);
	ASSERT_IS(a, 6, "anon_inode:[bpf-map]", KERNEL_OBJECT_UNKNOWN);
	ASSERT_IS(b2, 0, "pipe:[9]", KERNEL_OBJECT_PIPE);
	open_file(t, b, 7, "/shared", 0);
	ASSERT_IS(b2, 7, "/shared", KERNEL_OBJECT_FILE);
	/* Rows before the task, and calls before both. */
	open_file(t, c, 5, "rel", CLOEXEC);
	CALL(c, "socket", 6, 2, 1, 0);
	dump(t, 0x77, 0, 5, "/home/rel");
	dump(t, 0x77, 0, 6, "socket:[7]");
	dump(t, 0x77, 0, 8, "/log");
	dump_task(t, c, 0x77);
	ASSERT_IS(c, 5, "rel", KERNEL_OBJECT_FILE);
	ASSERT_IS(c, 6, "tcp socket", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(c, 8, "/log", KERNEL_OBJECT_FILE);
	/* After its calls: a path that is complete is better, a socket's number is not. */
	dump(t, 0x77, 0, 5, "/home/rel");
	dump(t, 0x77, 0, 6, "socket:[7]");
	dump(t, 0x77, 0, 8, "");
	ASSERT_IS(c, 5, "/home/rel", KERNEL_OBJECT_FILE);
	ASSERT_IS(c, 6, "tcp socket", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(c, 8, "/log", KERNEL_OBJECT_FILE);
	exec_task(t, c);
	ASSERT_UNKNOWN(c, 5);
	/* A second dump, in which address x belongs to a new process while a's end was not seen. */
	uint32_t d = new_task(t, 8, 8);
	dump_task(t, b, y);
	dump_task(t, d, x);
	dump(t, x, 0, 1, "/new");
	ASSERT_UNKNOWN(d, 3);
	ASSERT_IS(d, 1, "/new", KERNEL_OBJECT_FILE);
	ASSERT_UNKNOWN(a, 1);
	ASSERT_IS(a, 3, "socket:[123]", KERNEL_OBJECT_SOCKET);
	ASSERT_IS(b2, 7, "/shared", KERNEL_OBJECT_FILE);
}

static void test_dump_by_pid(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1), b = new_task(t, 1, 2), c = new_task(t, -1, 3);
	dump(t, 0, 1, 3, "/early");
	dump_task(t, a, 0);
	dump(t, 0, 1, 4, "/late");
	ASSERT_IS(a, 3, "/early", KERNEL_OBJECT_FILE);
	ASSERT_IS(a, 4, "/late", KERNEL_OBJECT_FILE);
	ASSERT_IS(b, 4, "/late", KERNEL_OBJECT_FILE);
	/* A task whose pid turns out to be that of others. */
	open_file(t, c, 5, "/c", 0);
	t->h.tasks[c].pid = 1;
	dump_task(t, c, 0);
	ASSERT_IS(c, 3, "/early", KERNEL_OBJECT_FILE);
	ASSERT_IS(a, 5, "/c", KERNEL_OBJECT_FILE);
	dump(t, 0, -1, 3, "/nobody");
	for (uint32_t i = 0; i < 3; i++)
		kernel_files_exit(t->f, i);
	uint32_t d = new_task(t, 1, 1);
	ASSERT_UNKNOWN(d, 3);
	/* What was known by one pid and then another is found by neither when it is gone. */
	open_file(t, d, 3, "/d", 0);
	t->h.tasks[d].pid = 7;
	dump_task(t, d, 0);
	kernel_files_exit(t->f, d);
	uint32_t e = new_task(t, 9, 9), old = new_task(t, 1, 10);
	open_file(t, e, 3, "/e", 0);
	ASSERT_UNKNOWN(old, 3);
}

static void test_senseless(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	static const int64_t numbers[] = { -1, -100, INT32_MIN, INT32_MAX, 1 << 20, (1 << 20) - 1,
		INT64_MAX, INT64_MIN, 0xffffffff };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int64_t n = numbers[i];
		CALL(a, "open", n, TEXT("/x"), 0);
		CALL(a, "dup2", n, 0, (uint64_t)n);
		CALL(a, "close", 0, (uint64_t)n);
		CALL(a, "close_range", 0, (uint64_t)n, UINT32_MAX, 0);
		CALL(a, "fcntl", n, (uint64_t)n, 1030, (uint64_t)n);
		CALL(a, "openat", n, (uint64_t)n, TEXT("y"), 0);
		CALL(a, "accept", n, (uint64_t)n);
		CALL(a, "connect", 0, (uint64_t)n);
		dump(t, (uint64_t)n, (int32_t)n, (int32_t)n, "/z");
	}
	/* A return value that is no number of a descriptor. */
	open_file(t, a, 3, "/three", 0);
	CALL(a, "open", ((int64_t)1 << 32) + 3, TEXT("/x"), 0);
	ASSERT_IS(a, 3, "/three", KERNEL_OBJECT_FILE);
	/* Calls of which no argument is known. */
	for (int k = 0; k < KERNEL_N_CALL_KINDS; k++) {
		enum kernel_call_kind kind = (enum kernel_call_kind)k;
		open_file(t, a, 3, "/three", 0);
		assert_int_equal(kernel_files_enter(t->f, a, kind, NULL, &t->call, &t->err), 0);
		assert_int_equal(t->call.object, KERNEL_NONE);
		assert_int_equal(t->call.fd, -1);
		assert_int_equal(kernel_files_leave(t->f, a, kind, 3, NULL, &t->err), 0);
		assert_string_not_equal(OBJECT(a, 3), "/x");
	}
	/* An open whose path is not known has ended with 3. */
	open_file(t, a, 3, "/three", 0);
	enter(t, a, "open", NULL);
	leave(t, a, "open", 3, NULL);
	ASSERT_UNKNOWN(a, 3);
	static char longest[5000];
	memset(longest, 'x', sizeof(longest) - 1);
	open_file(t, a, 3, longest, 0);
	ASSERT_IS(a, 3, "", KERNEL_OBJECT_FILE);
	CALL(a, "memfd_create", 3, 0, TEXT(longest));
	assert_int_equal(strlen(OBJECT(a, 3)), 6 + 256);
	kernel_files_exit(t->f, 12345);
}

/* More than any machine has: everything stays within the budget, and what was dropped has no name
 * rather than a wrong one. */
static void test_bounds(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1);
	uint64_t before = t->f->budget.forgotten;
	for (int fd = 0; fd < KERNEL_FD_LIMIT; fd++)
		open_file(t, a, fd, fd % 2 ? "/odd" : "/even", fd % 3 ? 0 : CLOEXEC);
	assert_int_equal(t->f->budget.forgotten, before);
	ASSERT_IS(a, KERNEL_FD_LIMIT - 1, "/odd", KERNEL_OBJECT_FILE);
	/* Forks that write and exec make copies of 9 MB each, unless somebody stops them. */
	for (int32_t i = 0; i < 2000; i++) {
		uint32_t b = new_task(t, 10 + i, 10 + i);
		fork_task(t, a, b, false);
		open_file(t, b, 64 * i, "/new", 0);
		const char *text = OBJECT(b, 64 * i);
		assert_true(!*text || strcmp(text, "/new") == 0);
		exec_task(t, b);
		text = OBJECT(b, 64 * i + 1);
		assert_true(!*text || strcmp(text, "/odd") == 0);
		text = OBJECT(b, 64 * i + 2);
		assert_true(!*text || strcmp(text, "/even") == 0);
	}
	assert_true(t->f->budget.forgotten > before);
	ASSERT_IS(a, 7, "/odd", KERNEL_OBJECT_FILE);
	/* A million tables that only rows tell of. */
	for (uint64_t i = 1; i <= 1000000; i++)
		dump(t, i << 4, 0, 1000, "/row");
	/* Names. */
	char path[32];
	uint32_t n = t->h.names.n;
	for (int i = 0; i < (1 << 20) + 1000; i++) {
		snprintf(path, sizeof(path), "/tmp/%d", i);
		assert_int_equal(kernel_files_dump(t->f, 0, 1, 5, path, strlen(path), &t->err), 0);
	}
	assert_true(t->h.names.n - n <= 1 << 20);
	assert_true(t->h.arena.total_bytes < (size_t)256 << 20);
	open_file(t, a, 5, path, 0);
	ASSERT_IS(a, 5, "", KERNEL_OBJECT_FILE);
	open_file(t, a, 5, "/odd", 0);
	ASSERT_IS(a, 5, "/odd", KERNEL_OBJECT_FILE);
}

/* Each event may cost so many steps, which are saved up; a large table costs more. */
static void test_steps(void **state)
{
	struct test *t = *state;
	uint32_t a = new_task(t, 1, 1), b = new_task(t, 2, 2);
	open_file(t, a, 3, "/three", 0);
	open_file(t, a, 64 * 100, "/far", 0);
	const uint64_t *steps = &t->f->budget.steps;
	for (int event = 0; event < 5; event++) {
		uint64_t before = *steps;
		assert_true(before > 2 * KERNEL_FD_STEPS_AN_EVENT);
		switch (event) {
		case 0: dump(t, 0, 1, 5, "/five"); break;
		case 1: dump_task(t, a, 0); break;
		case 2: fork_task(t, a, b, true); break;
		case 3: exec_task(t, a); break;
		case 4: ENTER(a, "read", 3); break;
		}
		if (*steps + 200 < before || *steps > before + KERNEL_FD_STEPS_AN_EVENT)
			fail_msg("event %d: %llu after %llu steps", event,
				(unsigned long long)*steps, (unsigned long long)before);
	}
	uint64_t before = *steps;
	dump(t, 0, 1, 6, "/six");
	dump(t, 0, 1, 6, "/six");
	assert_in_range(*steps, before + 1, before + 2 * KERNEL_FD_STEPS_AN_EVENT);
}

/* ---- against a plain model ---- */

enum { N_FDS = 300, N_TASKS = 40, N_PATHS = 50 };

struct plain {
	int path[N_FDS]; /* -1: not known */
	bool cloexec[N_FDS];
	int users;
};

struct model {
	struct plain *of[N_TASKS]; /* NULL: no such task */
	uint32_t task[N_TASKS];
	uint64_t random;
	int32_t pids;
};

static uint32_t draw(struct model *m, uint32_t n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)(m->random >> 20) % n;
}

static void let_go(struct plain *p)
{
	if (p && --p->users == 0)
		free(p);
}

static struct plain *copy_of(const struct plain *p)
{
	struct plain *q = calloc(1, sizeof(*q));
	assert_non_null(q);
	if (p)
		*q = *p;
	else
		memset(q->path, -1, sizeof(q->path));
	q->users = 1;
	return q;
}

static void start(struct test *t, struct model *m, uint32_t i, uint32_t parent, bool shares)
{
	const struct kernel_task *pt = parent == N_TASKS ? NULL : &t->h.tasks[m->task[parent]];
	int32_t pid = shares ? pt->pid : ++m->pids;
	m->task[i] = new_task(t, pid, shares ? ++m->pids : pid);
	if (parent == N_TASKS) {
		m->of[i] = copy_of(NULL);
		return;
	}
	fork_task(t, m->task[parent], m->task[i], shares);
	m->of[i] = shares ? m->of[parent] : copy_of(m->of[parent]);
	m->of[i]->users += shares;
}

static void put(struct plain *p, uint32_t fd, int path, bool cloexec)
{
	p->path[fd] = path;
	p->cloexec[fd] = cloexec;
}

static void one_step(struct test *t, struct model *m, uint32_t i)
{
	struct plain *p = m->of[i];
	uint32_t task = m->task[i], fd = draw(m, N_FDS), to = draw(m, N_FDS);
	int path = (int)draw(m, N_PATHS);
	bool on = draw(m, 2);
	char text[16];
	snprintf(text, sizeof(text), "/p%d", path);
	switch (draw(m, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
	case 5:
		open_file(t, task, (int)fd, text, on ? CLOEXEC : 0);
		put(p, fd, path, on);
		break;
	case 6:
	case 7:
		CALL(task, "close", 0, fd);
		p->path[fd] = -1;
		break;
	case 8:
		CALL(task, "dup3", to, fd, to, on ? CLOEXEC : 0);
		if (to != fd)
			put(p, to, p->path[fd], on);
		break;
	case 9:
		CALL(task, "fcntl", 0, fd, 2, on);
		p->cloexec[fd] = on;
		break;
	case 10: {
		uint32_t last = fd + draw(m, 80);
		CALL(task, "close_range", 0, fd, last, on ? 4 : 0);
		for (uint32_t k = fd; k <= last && k < N_FDS; k++)
			put(p, k, on ? p->path[k] : -1, on);
		break;
	}
	case 11:
	case 12:
	case 13: { /* fork, or a thread */
		uint32_t k = draw(m, N_TASKS);
		if (!m->of[k])
			start(t, m, k, i, on);
		break;
	}
	case 14: /* exec: the task has a table of its own then */
		exec_task(t, task);
		if (p->users > 1) {
			p->users--;
			p = m->of[i] = copy_of(p);
		}
		for (uint32_t k = 0; k < N_FDS; k++)
			if (p->cloexec[k])
				p->path[k] = -1;
		break;
	case 15:
		kernel_files_exit(t->f, task);
		m->of[i] = NULL;
		let_go(p);
		break;
	}
}

static void test_random(void **state)
{
	struct test *t = *state;
	struct model m = { .random = 0x9E3779B97F4A7C15u };
	for (int step = 0; step < 300000; step++) {
		uint32_t i = draw(&m, N_TASKS);
		if (!m.of[i] && draw(&m, 20) == 0)
			start(t, &m, i, N_TASKS, false);
		if (m.of[i])
			one_step(t, &m, i);
		uint32_t k = draw(&m, N_TASKS), fd = draw(&m, N_FDS);
		if (!m.of[k])
			continue;
		char text[16] = "";
		if (m.of[k]->path[fd] >= 0)
			snprintf(text, sizeof(text), "/p%d", m.of[k]->path[fd]);
		assert_string_equal(OBJECT(m.task[k], fd), text);
	}
	for (uint32_t i = 0; i < N_TASKS; i++)
		let_go(m.of[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_close_and_dup, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sockets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dumped_sockets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pipes_and_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unshare_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_by_pid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_senseless, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
