/* Questions to a session that stays open: each answer is that of a session of its own without a
 * store, findings and all, whatever was asked before; with and without a store, and with a view. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "given.h"
#include "meridian/session.h"

static char path[500], dir[40];
static struct mer_err err;

#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", err.text);                                                  \
	} while (0)

/* ---- sessions ---- */

enum { WITH_STORE = 1, WITH_VIEW = 2, WITH_CACHE = 4 };

static int make_folder(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_orders.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	(void)state;
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	return rmdir(dir);
}

static struct mer_session *open_session(unsigned with)
{
	const char *paths[] = { path }, *views[] = { "mpi" };
	struct mer_session *s;
	struct mer_session_options o = { .size = sizeof(o), .n_threads = 2 };
	o.cache_folder = with & (WITH_STORE | WITH_CACHE) ? dir : NULL;
	o.store = with & WITH_STORE;
	o.views = views;
	o.n_views = with & WITH_VIEW ? 1 : 0;
	OK(mer_session_new(paths, 1, &o, &s, &err));
	OK(mer_session_open(s, &err));
	return s;
}

/* ---- questions ---- */

enum { WORDS = 6 };
struct question {
	const char *words[WORDS];
};

/* malloc'ed */
static char *ask(struct mer_session *s, const struct question *q)
{
	struct mer_answer *a;
	const char *text;
	size_t n = 0, len;
	while (n < WORDS && q->words[n])
		n++;
	if (mer_ask(s, q->words, n, &a, &err))
		fail_msg("%s %s: %s", q->words[0], n > 1 ? q->words[1] : "", err.text);
	OK(mer_answer_json(a, &text, &len, &err));
	char *copy = malloc(len + 1);
	assert_non_null(copy);
	memcpy(copy, text, len + 1);
	mer_answer_free(a);
	return copy;
}

static char *ask_alone(unsigned with, const struct question *q)
{
	struct mer_session *s = open_session(with);
	char *answer = ask(s, q);
	mer_session_free(s);
	return answer;
}

static void expect(struct mer_session *s, const struct question *q, const char *expected, int order)
{
	char *answer = ask(s, q);
	size_t at = 0;
	while (answer[at] && answer[at] == expected[at])
		at++;
	if (answer[at] != expected[at])
		fail_msg("order %d, %s %s: %.200s, not %.200s", order, q->words[0],
			q->words[1] ? q->words[1] : "", answer + at, expected + at);
	free(answer);
}

/* Forward, backward, and so that each is asked twice with half of the others between. In the last
 * order the world has been there before, for nobody's question. */
static void ask_in_orders(const char *name, unsigned with, const struct question *q, size_t n)
{
	enum { MOST = 16 };
	char *expected[MOST];
	struct mer_result *tasks;
	given_path(path, sizeof(path), name);
	assert_true(n <= MOST);
	for (size_t i = 0; i < n; i++)
		expected[i] = ask_alone(with & WITH_VIEW, &q[i]);
	for (int order = 0; order < 3; order++) {
		struct mer_session *s = open_session(with);
		if (order == 2) {
			OK(mer_session_tasks(s, NULL, &tasks, &err));
			mer_result_free(tasks);
		}
		for (size_t i = 0; i < n; i++)
			if (order < 2)
				expect(s, &q[order ? n - 1 - i : i],
					expected[order ? n - 1 - i : i], order);
		for (size_t i = 0; i < n && order == 2; i++)
			for (size_t k = i; k < n + i; k += n / 2)
				expect(s, &q[k % n], expected[k % n], order);
		mer_session_free(s);
	}
	for (size_t i = 0; i < n; i++)
		free(expected[i]);
}

static const struct question all[] = {
	{ { "stats", "--by", "name" } },
	{ { "path", "--comm", "file-maker" } },
	{ { "requests", "--list" } },
	{ { "blocked" } },
	{ { "check" } },
	{ { "task", "--comm", "file-maker", "--all" } },
	{ { "requests", "--explain" } },
	{ { "top", "cpu" } },
	{ { "requests", "--cost" } },
	{ { "state", "--at", "+1s" } },
	{ { "summary" } },
	{ { "graph" } },
	{ { "info" } },
};
enum { N_ALL = sizeof(all) / sizeof(*all) };

static void with_losses(void **state)
{
	(void)state;
	ask_in_orders("lab/lost-packets", 0, all, N_ALL);
}

static void with_losses_and_a_store(void **state)
{
	(void)state;
	ask_in_orders("lab/lost-packets", WITH_STORE, all, N_ALL);
}

static void of_ranks_with_a_store(void **state)
{
	static const struct question q[] = {
		{ { "requests", "--list" } },
		{ { "path", "--comm", "halo" } },
		{ { "task", "--comm", "halo" } },
		{ { "requests" } },
		{ { "blocked" } },
	};
	(void)state;
	ask_in_orders("lab/mpi-3vm", WITH_STORE, q, sizeof(q) / sizeof(*q));
}

static void with_doubts_about_clocks(void **state)
{
	static const struct question q[] = {
		{ { "top", "cpu" } },
		{ { "path", "--comm", "wget", "--list" } },
		{ { "sync" } },
		{ { "requests" } },
		{ { "info" } },
	};
	(void)state;
	ask_in_orders("lab/wget-cold-hot-nogro", 0, q, sizeof(q) / sizeof(*q));
}

/* That finds nothing, which is a finding of those that look at it. */
static void with_a_view(void **state)
{
	static const struct question q[] = {
		{ { "path", "--comm", "file-maker" } },
		{ { "requests" } },
		{ { "top", "view" } },
		{ { "diff", "--comm", "file-maker" } },
		{ { "requests", "--list" } },
		{ { "path", "--comm", "file-maker", "--list" } },
	};
	(void)state;
	ask_in_orders("lab/lost-packets", WITH_VIEW, q, sizeof(q) / sizeof(*q));
	ask_in_orders("lab/lost-packets", WITH_VIEW | WITH_STORE, q, sizeof(q) / sizeof(*q));
}

/* ---- a store that nobody asked for ---- */

static size_t n_stores(void)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;
	assert_non_null(d);
	while ((entry = readdir(d)))
		n += strncmp(entry->d_name, "world-", 6) == 0;
	closedir(d);
	return n;
}

/* Each is a question of its own: the second one makes it, and nobody sees a difference. */
static void the_second_question_makes_a_store(void **state)
{
	static const struct question q[] = {
		{ { "top", "sched" } },
		{ { "requests" } },
		{ { "blocked" } },
	};
	(void)state;
	given_path(path, sizeof(path), "lab/web-load");
	struct mer_session *s = open_session(WITH_CACHE);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		char *expected = ask_alone(0, &q[i]);
		expect(s, &q[i], expected, 0);
		assert_int_equal(n_stores(), i ? 1 : 0);
		free(expected);
	}
	mer_session_free(s);
	assert_int_equal(n_stores(), 1);
}

/* ---- findings ---- */

/* How many have this code; frees the result. */
static size_t n_with(struct mer_result *r, const char *code)
{
	const char *text;
	size_t n = 0;
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		n += mer_result_text(r, i, mer_result_column(r, "code"), &text) &&
		     strcmp(text, code) == 0;
	mer_result_free(r);
	return n;
}

static size_t n_of(struct mer_session *s, const char *code)
{
	struct mer_result *r;
	OK(mer_session_diagnostics(s, &r, &err));
	return n_with(r, code);
}

/* Of an answer, which goes before they are read. */
static size_t n_of_answer(struct mer_session *s, const struct question *q, const char *code)
{
	struct mer_answer *answer;
	struct mer_result *r;
	OK(mer_ask(s, q->words, 3, &answer, &err));
	OK(mer_answer_diagnostics(answer, &r, &err));
	mer_answer_free(answer);
	return n_with(r, code);
}

/* Those of a question are not those of the session, until it uses the same world itself. */
static void findings_of_a_question(void **state)
{
	static const struct question path_of_it = { { "path", "--comm", "file-maker" } };
	static const char code[] = "kernel-contradictions";
	struct mer_result *tasks;
	(void)state;
	given_path(path, sizeof(path), "lab/lost-packets");
	struct mer_session *s = open_session(0);
	char *answer = ask(s, &path_of_it);
	assert_non_null(strstr(answer, code));
	assert_int_equal(n_of_answer(s, &path_of_it, code), 1);
	assert_int_equal(n_of(s, code), 0);
	for (int i = 0; i < 2; i++) {
		OK(mer_session_tasks(s, NULL, &tasks, &err));
		mer_result_free(tasks);
		assert_int_equal(n_of(s, code), 1);
	}
	expect(s, &path_of_it, answer, 0);
	free(answer);
	mer_session_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		TEST(with_losses),
		TEST(with_losses_and_a_store),
		TEST(of_ranks_with_a_store),
		TEST(with_doubts_about_clocks),
		TEST(with_a_view),
		TEST(the_second_question_makes_a_store),
		TEST(findings_of_a_question),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
