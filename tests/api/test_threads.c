/* Sessions on threads: two of the same traces, each on a thread of its own, answer as one alone;
 * streams of an answer are read and released where their answer is freed. For TSan (make tsan). */
#include <pthread.h>

#include "arrow_check.h"
#include "ask.h" /* the last: its `err` is a macro */
#undef err

enum { THREADS = 2, ROUNDS = 2 };
static const char *const questions[][3] = { { "top", "cpu", "--all" }, { "requests", "--list" },
	{ "summary" }, { "events", "--limit", "500" }, { "sync" }, { "info" } };
enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

struct asker {
	struct mer_answer *answers[QUESTIONS];
	struct mer_err err;
};

/* Without cmocka, which knows one thread. */
static void *ask_all(void *to)
{
	struct asker *a = to;
	const char *paths[] = { ask_path };
	struct mer_session *s;
	for (int round = 0; round < ROUNDS && a->err.code == 0; round++) {
		int rc = mer_session_new(paths, 1, NULL, &s, &a->err);
		rc = rc ? rc : mer_session_open(s, &a->err);
		for (int i = 0; rc == 0 && i < QUESTIONS; i++) {
			size_t n = 0;
			while (n < 3 && questions[i][n])
				n++;
			mer_answer_free(a->answers[i]);
			rc = mer_ask(s, questions[i], n, &a->answers[i], &a->err);
		}
		mer_session_free(s);
	}
	return NULL;
}

static void two_sessions(void **state)
{
	(void)state;
	struct asker askers[THREADS] = { 0 }, alone = { 0 };
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_all, &askers[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ask_all(&alone);
	for (int i = 0; i < THREADS; i++)
		for (int q = 0; q < QUESTIONS; q++) {
			const char *got, *wanted;
			size_t n, n_wanted;
			if (askers[i].err.code)
				fail_msg("%s", askers[i].err.text);
			assert_int_equal(mer_answer_json(askers[i].answers[q], &got, &n, NULL), 0);
			assert_int_equal(
				mer_answer_json(alone.answers[q], &wanted, &n_wanted, NULL), 0);
			assert_string_equal(got, wanted);
			assert_int_equal(n, n_wanted);
			mer_answer_free(askers[i].answers[q]);
		}
	for (int q = 0; q < QUESTIONS; q++)
		mer_answer_free(alone.answers[q]);
}

static void *read_stream(void *from)
{
	struct ArrowArrayStream *stream = from;
	struct ArrowArray batch;
	size_t rows = 0;
	while (stream->get_next(stream, &batch) == 0 && batch.release) {
		rows += (size_t)batch.length;
		batch.release(&batch);
	}
	stream->release(stream);
	return (void *)rows;
}

static void streams(void **state)
{
	(void)state;
	struct mer_session *s = ask_open_session();
	struct mer_answer *answer;
	struct ArrowArrayStream stream[THREADS];
	pthread_t threads[THREADS];
	assert_int_equal(mer_ask(s, questions[3], 3, &answer, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(
			mer_result_arrow(mer_answer_table(answer, 0), NULL, &stream[i], NULL), 0);
		assert_int_equal(pthread_create(&threads[i], NULL, read_stream, &stream[i]), 0);
	}
	mer_answer_free(answer);
	for (int i = 0; i < THREADS; i++) {
		void *rows;
		pthread_join(threads[i], &rows);
		assert_int_equal((size_t)rows, 500);
	}
	mer_session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(two_sessions, ask_find_recording),
		cmocka_unit_test_setup(streams, ask_find_recording),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
