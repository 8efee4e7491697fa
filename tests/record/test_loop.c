/* Child processes (record/loop.h): what is read of them, how they end and what that is called,
 * what they are given, and that nothing of them is left. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/now.h"
#include "record/loop.h"

#define S INT64_C(1000000000)

static struct record_loop loop;
static struct record_child child;

static int open_loop(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	return record_loop_open(&loop, &err);
}

static int close_loop(void **state)
{
	(void)state;
	record_child_free(&child);
	record_loop_close(&loop);
	return 0;
}

static int start(const char *line, struct record_spawn how)
{
	const char *const argv[] = { "sh", "-c", line, NULL };
	struct mer_err err = { 0 };
	how.argv = argv;
	return record_loop_spawn(&loop, &child, &how, &err);
}

static void until_ended(void)
{
	for (int64_t end = mer_now_ns() + 60 * S; !child.ended && mer_now_ns() < end;)
		record_loop_turn(&loop, end);
	assert_true(child.ended);
	assert_true(child.ended_ns >= child.started_ns);
}

static void texts_and_codes(void **state)
{
	(void)state;
	assert_int_equal(start("echo out; echo err >&2; exit 7", (struct record_spawn){ 0 }), 0);
	assert_int_equal(record_child_code(&child), -1);
	assert_false(child.ended);
	until_ended();
	assert_string_equal(child.output.data, "out\n");
	assert_string_equal(child.errors.data, "err\n");
	assert_int_equal(record_child_code(&child), 7);
	assert_true(child.out < 0 && child.err < 0 && child.in < 0);
	assert_false(child.timed_out || child.killed);
	record_child_free(&child);
	assert_false(child.started);
	assert_null(loop.children);
	/* As a shell counts. */
	assert_int_equal(start("kill -9 $$", (struct record_spawn){ 0 }), 0);
	until_ended();
	assert_int_equal(record_child_code(&child), 137);
	record_child_free(&child);
	assert_int_equal(start("exit 255", (struct record_spawn){ 0 }), 0);
	until_ended();
	assert_int_equal(record_child_code(&child), 255);
}

static void no_such_program(void **state)
{
	const char *const argv[] = { "no-such-program-at-all", NULL };
	struct mer_err err = { 0 };
	(void)state;
	assert_true(
		record_loop_spawn(&loop, &child, &(struct record_spawn){ .argv = argv }, &err) < 0);
	assert_string_equal(
		err.text, "no-such-program-at-all: cannot run: No such file or directory");
	assert_false(child.started);
	assert_null(loop.children);
}

/* More than is kept is read all the same, so the child does not wait for ever. */
static void bounded(void **state)
{
	(void)state;
	assert_int_equal(start("head -c 5000000 /dev/zero; head -c 100000 /dev/zero >&2; echo x",
				 (struct record_spawn){ 0 }),
		0);
	until_ended();
	assert_int_equal(record_child_code(&child), 0);
	assert_int_equal(child.output.len, RECORD_OUT_BYTES);
	assert_int_equal(child.errors.len, RECORD_ERR_BYTES);
	assert_int_equal(RECORD_OUT_BYTES, 4194304);
	assert_int_equal(RECORD_ERR_BYTES, 65536);
}

static void input(void **state)
{
	(void)state;
	/* None: it is at its end at once. */
	assert_int_equal(start("cat; echo over", (struct record_spawn){ 0 }), 0);
	assert_false(record_child_write(&child, "x", 1));
	until_ended();
	assert_string_equal(child.output.data, "over\n");
	record_child_free(&child);
	assert_int_equal(start("cat; echo over", (struct record_spawn){ .keeps_input = true }), 0);
	assert_true(record_child_write(&child, "one\n", 4));
	assert_true(record_child_write(&child, "two\n", 4));
	record_child_close_input(&child);
	assert_false(record_child_write(&child, "three\n", 6));
	until_ended();
	assert_string_equal(child.output.data, "one\ntwo\nover\n");
	record_child_free(&child);
	/* One that reads no more does not end us. */
	assert_int_equal(start("exec <&-; echo closed; exec sleep 60",
				 (struct record_spawn){ .keeps_input = true }),
		0);
	for (int64_t end = mer_now_ns() + 60 * S; !child.output.len && mer_now_ns() < end;)
		record_loop_turn(&loop, end);
	assert_false(record_child_write(&child, "x\n", 2));
}

/* More than a pipe holds, to two children of which one is slow; then their input is still open. */
static void input_from_a_file(void **state)
{
	enum { BYTES = 1000000 };
	char path[] = "/tmp/loop-XXXXXX", *text = calloc(BYTES, 1);
	struct record_child slow = { 0 };
	const char *const slowly[] = { "sh", "-c",
		"sleep 0.3; head -c 1000000 | wc -c; read x || echo over", NULL };
	struct mer_err err = { 0 };
	(void)state;
	int fd = mkstemp(path);
	assert_true(fd > 0 && text);
	unlink(path);
	assert_int_equal(write(fd, text, BYTES), BYTES);
	free(text);
	assert_int_equal(start("head -c 1000000 | wc -c; read x || echo over",
				 (struct record_spawn){ .keeps_input = true, .input_fd = fd }),
		0);
	assert_int_equal(record_loop_spawn(&loop, &slow,
				 &(struct record_spawn){
					 .argv = slowly, .keeps_input = true, .input_fd = fd },
				 &err),
		0);
	for (int64_t end = mer_now_ns() + 60 * S;
		(!child.output.len || !slow.output.len) && mer_now_ns() < end;)
		record_loop_turn(&loop, end);
	assert_string_equal(child.output.data, "1000000\n");
	assert_string_equal(slow.output.data, "1000000\n");
	assert_false(child.ended || slow.ended);
	record_child_close_input(&child);
	record_child_free(&slow);
	until_ended();
	assert_string_equal(child.output.data, "1000000\nover\n");
	record_child_free(&child);
	/* One that does not read it ends as it likes. */
	assert_int_equal(start("exec <&-; exit 3",
				 (struct record_spawn){ .keeps_input = true, .input_fd = fd }),
		0);
	until_ended();
	assert_int_equal(record_child_code(&child), 3);
	close(fd);
}

static void output_into_a_file(void **state)
{
	char path[] = "/tmp/loop-XXXXXX", text[16] = { 0 };
	(void)state;
	int fd = mkstemp(path);
	assert_true(fd > 0);
	unlink(path);
	assert_int_equal(start("echo here", (struct record_spawn){ .output_fd = fd }), 0);
	until_ended();
	assert_int_equal(child.output.len, 0);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 5);
	assert_string_equal(text, "here\n");
	close(fd);
}

static unsigned n_heard;
static void hear(struct record_child *c)
{
	n_heard++;
	assert_true(c->output.len > 0);
	assert_true(c->read_ns >= c->started_ns);
	assert_ptr_equal(c->owner, &n_heard);
}

static void tells_of_output(void **state)
{
	(void)state;
	n_heard = 0;
	assert_int_equal(
		start("echo here", (struct record_spawn){ .owner = &n_heard, .on_output = hear }),
		0);
	until_ended();
	assert_true(n_heard > 0);
	record_child_free(&child);
	n_heard = 0;
	assert_int_equal(start("echo here >&2",
				 (struct record_spawn){ .owner = &n_heard, .on_output = hear }),
		0);
	until_ended();
	assert_int_equal(n_heard, 0);
}

/* At its deadline it is asked to end; one that does not is ended after the time of grace. */
static void deadlines(void **state)
{
	(void)state;
	assert_int_equal(start("exec sleep 100", (struct record_spawn){ .timeout_ns = 1 }), 0);
	assert_int_equal(child.deadline_ns, child.started_ns + 1);
	until_ended();
	assert_true(child.timed_out && child.killed);
	assert_int_equal(record_child_code(&child), 128 + SIGTERM);
	record_child_free(&child);
	assert_int_equal(start("trap '' TERM; echo ready; while :; do sleep 100; done",
				 (struct record_spawn){ 0 }),
		0);
	assert_true(child.deadline_ns == INT64_MAX);
	while (!child.output.len)
		record_loop_turn(&loop, mer_now_ns() + S);
	int64_t now = mer_now_ns();
	child.deadline_ns = now;
	record_loop_turn(&loop, now);
	assert_true(child.timed_out && !child.ended);
	assert_true(child.deadline_ns >= now + 2 * S && child.deadline_ns < now + 62 * S);
	child.deadline_ns = now;
	until_ended();
	assert_int_equal(record_child_code(&child), 128 + SIGKILL);
}

/* Signals to us are counted, those to children are not ours; the group of a child gets its own. */
static void signals(void **state)
{
	static const int watched[] = { SIGINT, SIGTERM, SIGHUP };
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(loop.n_interrupts, i);
		kill(getpid(), watched[i]);
		record_loop_turn(&loop, mer_now_ns() + 60 * S);
		assert_int_equal(loop.n_interrupts, i + 1);
		assert_int_equal(loop.last_signal, watched[i]);
	}
	assert_int_equal(
		start("sh -c 'echo in; exec sleep 100' | cat", (struct record_spawn){ 0 }), 0);
	while (!child.output.len)
		record_loop_turn(&loop, mer_now_ns() + S);
	assert_int_equal(getpgid(child.pid), child.pid);
	record_child_kill(&child, SIGTERM);
	until_ended();
	assert_int_equal(loop.n_interrupts, 3);
	assert_true(child.killed);
	assert_int_equal(record_child_code(&child), 128 + SIGTERM);
	/* What is killed after its end stays as it was. */
	child.killed = false;
	record_child_kill(&child, SIGTERM);
	assert_false(child.killed);
}

static void shares_the_terminal(void **state)
{
	(void)state;
	assert_int_equal(start("exit 3", (struct record_spawn){ .shares_terminal = true }), 0);
	assert_true(child.out < 0 && child.err < 0 && child.in < 0);
	assert_int_equal(getpgid(child.pid), getpgrp());
	until_ended();
	assert_int_equal(record_child_code(&child), 3);
	assert_int_equal(child.output.len, 0);
}

/* Freed while it runs it is killed and reaped; closing frees all. */
static void nothing_is_left(void **state)
{
	struct record_child others[3] = { 0 };
	struct mer_err err = { 0 };
	const char *const argv[] = { "sleep", "100", NULL };
	(void)state;
	record_child_free(&child); /* zeroed: nothing happens */
	for (int i = 0; i < 3; i++)
		assert_int_equal(record_loop_spawn(&loop, &others[i],
					 &(struct record_spawn){ .argv = argv }, &err),
			0);
	pid_t pid = others[1].pid;
	record_child_free(&others[1]);
	assert_true(kill(pid, 0) != 0);
	assert_true(loop.children == &others[2] && others[2].next == &others[0]);
	record_loop_close(&loop);
	assert_false(others[0].started || others[2].started || loop.children);
	assert_true(waitpid(-1, NULL, WNOHANG) < 0);
	record_loop_close(&loop); /* twice does nothing */
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_false(sigismember(&now, SIGINT) || sigismember(&now, SIGCHLD));
}

/* CPU time of the child, once it has ended: more than nothing, and not more than passed. */
static void cpu_time(void **state)
{
	(void)state;
	assert_int_equal(start("n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done",
				 (struct record_spawn){ 0 }),
		0);
	until_ended();
	assert_true(child.cpu_ns > 1000000);
	assert_true(child.cpu_ns <= child.ended_ns - child.started_ns + S / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts_and_codes, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(no_such_program, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(bounded, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(input, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(input_from_a_file, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(output_into_a_file, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(tells_of_output, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(deadlines, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(signals, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(shares_the_terminal, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(nothing_is_left, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(cpu_time, open_loop, close_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
