/* Shared memory: whoever mapped the same thing so that one may write and another one sees it is
 * named, and nobody else. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "run_case.h"

enum { SHARED = 1, PRIVATE = 2, ANONYMOUS = 0x20, READS = 1, WRITES = 3 };

struct scenario {
	char text[16000];
	size_t len;
	int now; /* us */
};

static void add(struct scenario *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct scenario *s, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	s->len += (size_t)vsnprintf(s->text + s->len, sizeof(s->text) - s->len, format, ap);
	va_end(ap);
	assert_true(s->len < sizeof(s->text));
}

static void event(struct scenario *s, const char *rest)
{
	add(s, "%dus h 0 %s\n", ++s->now, rest);
}

static void begin(struct scenario *s)
{
	*s = (struct scenario){ .len = 0 };
	add(s, "host h\n");
	for (int tid = 100; tid <= 500; tid += 100)
		add(s,
			"%dus h 0 lttng_statedump_process_state tid=%d pid=%d ppid=1 name=\"p%d\" "
			"status=5\n",
			++s->now, tid, tid, tid);
	add(s,
		"%dus h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 "
		"next_comm=\"p100\" next_tid=100\n",
		++s->now);
}

/* The next calls are of this task, which is not `before`. */
static void switch_to(struct scenario *s, int before, int tid)
{
	add(s,
		"%dus h 0 sched_switch prev_comm=\"p%d\" prev_tid=%d prev_state=0 "
		"next_comm=\"p%d\" next_tid=%d\n",
		++s->now, before, before, tid, tid);
}

static void opens(struct scenario *s, const char *path)
{
	add(s, "%dus h 0 syscall_entry_openat dfd=-100 filename=\"%s\" flags=2\n", ++s->now, path);
	event(s, "syscall_exit_openat ret=5");
}

static void maps(struct scenario *s, int fd, int flags, int prot, bool works)
{
	add(s, "%dus h 0 syscall_entry_mmap fd=%d flags=%d prot=%d\n", ++s->now, fd, flags, prot);
	event(s, works ? "syscall_exit_mmap ret=140000000000000"
		       : "syscall_exit_mmap ret=18446744073709551604");
}

/* "100 200 /dev/shm/x" of each edge, sorted by nobody: there are few. */
static void check(struct scenario *s, const char *const *expected)
{
	struct run_case c;
	struct mer_table t;
	struct mer_err err = { 0 };
	const struct analysis_request request = { &analysis_relations, 0 };
	const struct analysis_options o = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
	};
	size_t n = 0, n_expected = 0;
	run_case_open_scenario(&c, s->text);
	struct analysis_run run;
	if (analysis_run(&run, c.e, &c.messages, c.result, NULL, &o, &request, 1, &t, &err))
		fail_msg("%s", err.text);
	while (expected[n_expected])
		n_expected++;
	for (size_t r = 0; r < t.n_rows; r++) {
		char got[200];
		bool found = false;
		if (strncmp(run_case_text(&t, r, "kind"), "shared", 6) != 0)
			continue;
		assert_string_equal(run_case_text(&t, r, "kind"), "shared-memory?");
		snprintf(got, sizeof(got), "%" PRId64 " %" PRId64 " %s x%" PRId64,
			run_case_int(&t, r, "from_tid"), run_case_int(&t, r, "to_tid"),
			run_case_text(&t, r, "object"), run_case_int(&t, r, "count"));
		for (size_t i = 0; i < n_expected; i++)
			found |= strcmp(expected[i], got) == 0;
		if (!found)
			fail_msg("an edge too many: %s", got);
		assert_int_equal(run_case_int(&t, r, "wait_ns"), 0);
		n++;
	}
	assert_int_equal(n, n_expected);
	mer_table_fini(&t);
	analysis_run_fini(&run);
	run_case_close(&c);
}

static void same_file(void **state)
{
	(void)state;
	struct scenario s;
	begin(&s);
	opens(&s, "/dev/shm/x");
	maps(&s, 5, SHARED, WRITES, true);
	maps(&s, 5, SHARED, WRITES, true);
	switch_to(&s, 100, 200); /* reads what 100 writes */
	opens(&s, "/dev/shm/x");
	maps(&s, 5, SHARED, READS, true);
	switch_to(&s, 200, 300); /* reads too: nothing with 200 */
	opens(&s, "/dev/shm/x");
	maps(&s, 5, SHARED, READS, true);
	switch_to(&s, 300, 400); /* has a copy of its own */
	opens(&s, "/dev/shm/x");
	maps(&s, 5, PRIVATE, WRITES, true);
	switch_to(&s, 400, 500); /* did not get it */
	opens(&s, "/dev/shm/x");
	maps(&s, 5, SHARED, WRITES, false);
	check(&s, (const char *const[]){ "100 200 /dev/shm/x x3", "100 300 /dev/shm/x x3", NULL });
}

/* Names that do not tell that it is one thing: a device, a relative path, memory without a file. */
static void not_the_same(void **state)
{
	(void)state;
	struct scenario s;
	static const char *const paths[] = { "/dev/zero", "data", "/dev/dri/card0" };
	begin(&s);
	for (int tid = 100; tid <= 300; tid += 100) {
		for (size_t i = 0; i < 3; i++) {
			opens(&s, paths[i]);
			maps(&s, 5, SHARED, WRITES, true);
		}
		maps(&s, 5, SHARED | ANONYMOUS, WRITES, true);
		maps(&s, -1, SHARED | ANONYMOUS, WRITES, true);
		switch_to(&s, tid, tid + 100);
	}
	check(&s, (const char *const[]){ NULL });
}

/* A library that all load is no relation. */
static void libraries(void **state)
{
	(void)state;
	struct scenario s;
	begin(&s);
	for (int tid = 100; tid <= 400; tid += 100) {
		opens(&s, "/lib/libc.so.6");
		maps(&s, 5, PRIVATE, READS, true);
		maps(&s, 5, PRIVATE, WRITES, true);
		maps(&s, 5, SHARED, READS, true);
		switch_to(&s, tid, tid + 100);
	}
	check(&s, (const char *const[]){ NULL });
}

static void segments(void **state)
{
	(void)state;
	struct scenario s;
	begin(&s);
	event(&s, "syscall_entry_shmat shmid=7 shmflg=0");
	event(&s, "syscall_exit_shmat ret=140000000000000");
	switch_to(&s, 100, 200);
	event(&s, "syscall_entry_shmat shmid=7 shmflg=4096"); /* to read */
	event(&s, "syscall_exit_shmat ret=140000000000000");
	switch_to(&s, 200, 300);
	event(&s, "syscall_entry_shmat shmid=8 shmflg=0");
	event(&s, "syscall_exit_shmat ret=140000000000000");
	check(&s, (const char *const[]){ "100 200 sysv #7 x2", NULL });
}

/* A memfd that a child inherits is one; two of one name are two. */
static void memfds(void **state)
{
	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		struct scenario s;
		begin(&s);
		event(&s, "syscall_entry_memfd_create uname=\"heap\" flags=0");
		event(&s, "syscall_exit_memfd_create ret=6");
		maps(&s, 6, SHARED, WRITES, true);
		event(&s, "sched_process_fork parent_tid=100 parent_pid=100 child_tid=600 "
			  "child_pid=600 child_comm=\"child\"");
		switch_to(&s, 100, 600);
		if (twice) {
			event(&s, "syscall_entry_memfd_create uname=\"heap\" flags=0");
			event(&s, "syscall_exit_memfd_create ret=6");
		}
		maps(&s, 6, SHARED, WRITES, true);
		check(&s, twice ? (const char *const[]){ NULL }
				: (const char *const[]){ "100 600 memfd:heap x2", NULL });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(same_file),
		cmocka_unit_test(not_the_same), cmocka_unit_test(libraries),
		cmocka_unit_test(segments), cmocka_unit_test(memfds) };
	return cmocka_run_group_tests_name("memory that processes share", tests, NULL, NULL);
}
