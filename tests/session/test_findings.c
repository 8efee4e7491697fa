/* Findings of what a session keeps: once among those of all so far, once among those of each
 * question that uses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "given.h"
#include "session/findings.h"
#include "session/session.h"

static struct mer_err err;

/* Rows of one kind, about these packets. */
static void find(struct session *s, int first, int n)
{
	for (int i = first; i < first + n; i++)
		mer_diag_add(&session_experiment(s)->diags,
			&(struct mer_diag){ .severity = MER_WARNING, .code = "test", .packet = i },
			"row %d", i);
}

static uint64_t n_found(struct session *s)
{
	const struct mer_diags *d = &session_experiment(s)->diags;
	uint64_t n = 0;
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->rows[i].code, "test") == 0)
			n += d->rows[i].count;
	return n;
}

static void told_once(void **state)
{
	enum { N = DIAG_ROWS_PER_KIND + 5 };
	char path[500];
	const char *paths[] = { path };
	struct session_findings question;
	(void)state;
	given_path(path, sizeof(path), "lab/lost-packets");
	struct session *s = session_new(&(struct session_options){ .paths = paths, .n_paths = 1 });
	assert_non_null(s);
	assert_int_equal(session_open(s, &err), 0);
	size_t n_opened = session_experiment(s)->diags.n;
	assert_true(n_opened > 0);
	session_found_begin(s, SESSION_KEPT_WORLD);
	find(s, 0, N);
	session_found_end(s, SESSION_KEPT_WORLD);
	assert_int_equal(n_found(s), N);
	/* Those of another reading fold into the same rows. */
	session_found_begin(s, SESSION_KEPT_REQUESTS);
	find(s, N, 3);
	session_found_end(s, SESSION_KEPT_REQUESTS);
	const uint64_t both = N + 3;
	assert_int_equal(n_found(s), both);
	session_found_tell(s, SESSION_KEPT_WORLD);
	session_found_tell(s, SESSION_KEPT_REQUESTS);
	assert_int_equal(n_found(s), both);
	for (int asked = 0; asked < 2; asked++) {
		assert_true(session_findings_begin(s, &question));
		assert_int_equal(session_experiment(s)->diags.n, n_opened);
		for (int used = 0; used < 2; used++) {
			session_found_tell(s, SESSION_KEPT_WORLD);
			assert_int_equal(n_found(s), N);
		}
		session_findings_end(s, &question);
		assert_int_equal(n_found(s), both);
	}
	/* What is read again is what it finds then. */
	session_found_begin(s, SESSION_KEPT_WORLD);
	find(s, 0, 2);
	session_found_end(s, SESSION_KEPT_WORLD);
	assert_int_equal(n_found(s), both);
	assert_true(session_findings_begin(s, &question));
	session_found_tell(s, SESSION_KEPT_WORLD);
	assert_int_equal(n_found(s), 2);
	session_findings_end(s, &question);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(told_once) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
