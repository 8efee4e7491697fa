/* Commands that nobody waits for any more: cancelled, not begun, never kept; and who only sends
 * nothing more still gets the answer. The commands are the test's own: "long" runs until it is
 * cancelled, "sure" too but says that it is done, "held" until the test lets it go, all others are
 * done at once. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "ask/library/api.h"
#include "scenario.h"
#include "server/state.h"

enum { MOST_MS = 60000 }; /* then it is hung */

struct asked {
	struct scenario scenario;
	char path[100];
	const char *paths[1];
	struct mer_session_options session;
	struct server *server;
	atomic_uint n_begun, n_cancelled;
	atomic_bool is_free; /* "held" may end */
};

/* Waits until it is so many; false: never. */
static bool comes(atomic_uint *n, unsigned wanted)
{
	for (int ms = 0; ms < MOST_MS && atomic_load(n) < wanted; ms++)
		usleep(1000);
	return atomic_load(n) == wanted;
}

static int command(void *ctx, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct mer_str *out, enum ask_format *format,
	struct mer_err *err)
{
	struct asked *a = ctx;
	struct session *s = api_session(session);
	bool is_sure = strcmp(words[0], "sure") == 0;
	bool is_cancelled = session_is_cancelled(s);
	(void)as_recorded;
	(void)n;
	atomic_fetch_add(&a->n_begun, 1);
	for (int ms = 0;
		ms < MOST_MS && (is_sure || strcmp(words[0], "long") == 0) && !is_cancelled; ms++) {
		usleep(1000);
		is_cancelled = session_is_cancelled(s);
	}
	for (int ms = 0; ms < MOST_MS && strcmp(words[0], "held") == 0 && !atomic_load(&a->is_free);
		ms++)
		usleep(1000);
	atomic_fetch_add(&a->n_cancelled, is_cancelled);
	mer_str_printf(out, "[%u]", atomic_load(&a->n_begun));
	*format = ASK_FORMAT_JSON;
	return is_cancelled && !is_sure ? mer_fail(err, MER_ERR_CANCELLED, "cancelled") : 0;
}

static int set_up(void **state)
{
	struct asked *a = calloc(1, sizeof(*a));
	struct mer_err err = { 0 };
	assert_non_null(a);
	scenario_open(&a->scenario,
		"epoch 1000000000s\nhost a\n"
		"10us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"app\" next_tid=1\n"
		"25us a 0 sched_switch prev_comm=\"app\" prev_tid=1 prev_state=1 next_comm=\"swapper/0\" next_tid=0\n");
	snprintf(a->path, sizeof(a->path), "%s/traces", a->scenario.dir);
	a->paths[0] = a->path;
	a->session = (struct mer_session_options){ .size = sizeof(a->session), .n_threads = 1 };
	struct server_options o = { .address = "127.0.0.1",
		.no_token = true,
		.paths = a->paths,
		.n_paths = 1,
		.session = &a->session,
		.command = command,
		.ctx = a };
	if (server_start(&o, &a->server, &err))
		fail_msg("%s", err.text);
	*state = a;
	return 0;
}

static int tear_down(void **state)
{
	struct asked *a = *state;
	server_stop(a->server);
	scenario_close(&a->scenario);
	free(a);
	return 0;
}

static int ask(const struct asked *a, const char *word, const char *version)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(server_port(a->server)) };
	char text[200];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	int n = snprintf(text, sizeof(text),
		"GET /api/run?w=%s HTTP/%s\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", word,
		version);
	assert_int_equal(send(fd, text, (size_t)n, 0), n);
	return fd;
}

/* All that comes; closes it. */
static void read_answer(int fd, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;
	while ((got = recv(fd, text + n, size - 1 - n, 0)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd);
}

/* Asks until the traces are read. */
static void answer_is(const struct asked *a, const char *word, const char *part)
{
	char text[4096] = "still being read";
	for (int ms = 0; ms < MOST_MS && strstr(text, "still being read"); ms += 10) {
		read_answer(ask(a, word, "1.1"), text, sizeof(text));
		if (strstr(text, "still being read"))
			usleep(10000);
	}
	if (!strstr(text, part))
		fail_msg("%s: not '%s': %s", word, part, text);
}

static void is_cancelled(void **state)
{
	struct asked *a = *state;
	answer_is(a, "first", "[1]");
	int fd = ask(a, "long", "1.1");
	assert_true(comes(&a->n_begun, 2));
	close(fd);
	assert_true(comes(&a->n_cancelled, 1));
	/* The next one is not, and what says that it was done in spite of it is not kept. */
	answer_is(a, "second", "[3]");
	fd = ask(a, "sure", "1.1");
	assert_true(comes(&a->n_begun, 4));
	close(fd);
	assert_true(comes(&a->n_cancelled, 2));
	fd = ask(a, "sure", "1.1");
	assert_true(comes(&a->n_begun, 5));
	close(fd);
	assert_true(comes(&a->n_cancelled, 3));
	/* What was answered is. */
	answer_is(a, "second", "[3]");
}

static void is_not_begun(void **state)
{
	struct asked *a = *state;
	int waiting[5];
	answer_is(a, "first", "[1]");
	int held = ask(a, "held", "1.1");
	assert_true(comes(&a->n_begun, 2));
	for (int i = 0; i < 5; i++)
		waiting[i] = ask(a, i % 2 ? "long" : "other", "1.1");
	for (int i = 0; i < 5; i++)
		close(waiting[i]);
	/* Before it is their turn; what is under way is not cancelled because others go. */
	assert_true(comes(&a->server->n_given_up, 5));
	atomic_store(&a->is_free, true);
	char text[4096];
	read_answer(held, text, sizeof(text));
	assert_non_null(strstr(text, "200 OK"));
	answer_is(a, "last", "[");
	assert_int_equal(atomic_load(&a->n_cancelled), 0);
	assert_int_equal(atomic_load(&a->n_begun), 3);
}

/* The end of what a client sends is no end of its waiting. */
static void is_answered(void **state)
{
	struct asked *a = *state;
	char text[4096];
	answer_is(a, "first", "[1]");
	for (int i = 0; i < 2; i++) {
		atomic_store(&a->is_free, false);
		int fd = ask(a, i ? "held&w=2" : "held&w=1", i ? "1.0" : "1.1");
		shutdown(fd, SHUT_WR);
		assert_true(comes(&a->n_begun, 2 + (unsigned)i));
		usleep(50000);
		atomic_store(&a->is_free, true);
		read_answer(fd, text, sizeof(text));
		assert_non_null(strstr(text, "200 OK"));
		assert_non_null(strstr(text, i ? "[3]" : "[2]"));
		/* Only for who may be told so. */
		assert_true(i == 0 || !strstr(text, "100 Continue"));
		assert_int_equal(atomic_load(&a->n_cancelled), 0);
	}
}

/* What is still under way at the end stays cancelled. */
static void ends(void **state)
{
	struct asked *a = *state;
	answer_is(a, "first", "[1]");
	int fd = ask(a, "long", "1.1"), more = ask(a, "long&w=x", "1.1");
	assert_true(comes(&a->n_begun, 2));
	server_cancel(a->server);
	assert_true(comes(&a->n_cancelled, 2));
	close(fd);
	close(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_cancelled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_not_begun, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_answered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
