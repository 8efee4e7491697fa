/* Files of marks: what a line says, each reason why one is refused, and where the file of traces
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "session/marks.h"

/* "LINE BEGIN END TEXT (moment); " of each, or why not. */
static void marks_are(const char *text, size_t n, const char *expected)
{
	struct session_marks m;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	int rc = session_marks_parse(&m, "f", text, n, &err);
	mer_str_puts(&s, rc ? err.text : "");
	for (size_t i = 0; i < m.n && !rc; i++)
		mer_str_printf(&s, "%u %d:%lld %d:%lld %s%s; ", m.all[i].line,
			(int)m.all[i].begin.kind, (long long)m.all[i].begin.ns,
			(int)m.all[i].end.kind, (long long)m.all[i].end.ns, m.all[i].text,
			m.all[i].is_moment ? " (moment)" : "");
	assert_string_equal(s.data, expected);
	assert_int_equal(rc, err.text[0] ? MER_ERR_USAGE : 0);
	session_marks_fini(&m);
	assert_int_equal(m.n, 0);
	mer_str_fini(&s);
}

static void are(const char *text, const char *expected)
{
	marks_are(text, strlen(text), expected);
}

static void lines(void **state)
{
	(void)state;
	are("", "");
	are("+1us\t+2us\ta b\n", "1 2:1000 2:2000 a b; ");
	are("+1us\t+2us\ta\tb", "1 2:1000 2:2000 a\tb; ");
	are("+1us\t\ta\n+2us\n+3us\t+3us\n",
		"1 2:1000 2:1000 a (moment); 2 2:2000 2:2000  (moment); "
		"3 2:3000 2:3000  (moment); ");
	are("begin\tend\ttext\n#x\n\n+1us\r\n", "4 2:1000 2:1000  (moment); ");
	are("\xef\xbb\xbf"
	    "begin\tend\ttext\n+1us\n",
		"2 2:1000 2:1000  (moment); ");
	/* Of two kinds, and of days, it may be anything. */
	are("23:00\t01:00\tn\n", "1 3:82800000000000 3:3600000000000 n; ");
	are("+5us\t01:00\tn\n", "1 2:5000 3:3600000000000 n; ");
	are("h:+1us\th:+1us\n", "1 4:0 4:0  (moment); ");
	are("h:+2us\th:+1us\n", "1 4:0 4:0 ; ");
}

static void refused(void **state)
{
	static const char not_a_time[] =
		"' is not a time; write 2024-05-03T12:34:56.789, 12:34:56.789, +1.5s (after the start of the traces), "
		"nanoseconds since 1970, or HOST:TIME for a host's own clock";
	char why[600];
	(void)state;
	snprintf(why, sizeof(why), "f:1: 'x%s", not_a_time);
	are("x\ty\n", why);
	snprintf(why, sizeof(why), "f:2: 'y%s", not_a_time);
	are("+1us\n+1us\ty\n", why);
	snprintf(why, sizeof(why), "f:2: 'begin%s", not_a_time);
	are("+1us\nbegin\tend\ttext\n", why);
	are("\t+1us\n",
		"f:1: no time before the first tab; a line is BEGIN, END and TEXT with tabs between");
	are("+2us\t+1us\ta\n", "f:1: the mark ends before it begins; exchange the two times");
	static const char no_text[] =
		"f:1: control characters, or bytes that are no UTF-8; a line is BEGIN, END and "
		"TEXT with tabs between";
	are("+1us\t\ta\x01\n", no_text);
	are("+1us\t\t\xff\n", no_text);
	char text[1200];
	memset(text, '1', sizeof(text));
	text[201] = '\0';
	are(text, "f:1: this is too long for a time");
	snprintf(text, sizeof(text), "+1us\t\t%01000d", 0);
	struct session_marks m;
	struct mer_err err = { 0 };
	assert_int_equal(session_marks_parse(&m, "f", text, strlen(text), &err), 0);
	session_marks_fini(&m);
	snprintf(text, sizeof(text), "+1us\t\t%01001d", 0);
	are(text, "f:1: the text is longer than 1000 bytes");
}

static void as_many_as_there_can_be(void **state)
{
	struct session_marks m;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	(void)state;
	for (int i = 0; i < SESSION_MAX_MARKS; i++)
		mer_str_puts(&s, "+1us\n");
	assert_int_equal(session_marks_parse(&m, "f", s.data, s.len, &err), 0);
	assert_int_equal(m.n, 1000);
	session_marks_fini(&m);
	mer_str_puts(&s, "# no mark\n+1us\n");
	are(s.data, "f:1002: more than 1000 marks; split the file");
	mer_str_fini(&s);
	char *many = malloc(SESSION_MAX_MARKS_BYTES + 1);
	assert_non_null(many);
	memset(many, '\n', SESSION_MAX_MARKS_BYTES + 1);
	marks_are(many, SESSION_MAX_MARKS_BYTES, "");
	marks_are(many, SESSION_MAX_MARKS_BYTES + 1,
		"f: 1048577 bytes are no file of marks: it has at most 1048576");
	free(many);
}

/* ---- Where ---- */

static char dir[64];

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/marks-XXXXXX");
	return mkdtemp(dir) ? 0 : 1;
}

static int end(void **state)
{
	char command[100];
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static char *in(const char *name, char *path)
{
	snprintf(path, 200, "%s/%s", dir, name);
	return path;
}

static void make(const char *name)
{
	char path[200];
	assert_int_equal(mkdir(in(name, path), 0777), 0);
}

static void touch(const char *name)
{
	char path[200];
	FILE *f = fopen(in(name, path), "w");
	assert_non_null(f);
	fclose(f);
}

/* Of up to two traces; expected: below dir; a beginning of it where it ends with "*". */
static void path_is(
	const char *a, const char *b, const char *cache, bool to_write, const char *expected)
{
	char first[200], second[200], folder[200];
	const char *traces[] = { in(a, first), b ? in(b, second) : NULL };
	struct mer_err err = { 0 };
	char *path = session_marks_path(
		traces, b ? 2 : 1, cache ? in(cache, folder) : NULL, to_write, &err);
	if (!expected) {
		assert_null(path);
		assert_int_equal(err.code, MER_ERR_USAGE);
		return;
	}
	size_t n = strlen(expected) - (expected[strlen(expected) - 1] == '*');
	if (!path || strncmp(path, dir, strlen(dir)) != 0 ||
		strncmp(path + strlen(dir) + 1, expected, n) != 0 ||
		(!expected[n] && path[strlen(dir) + 1 + n]))
		fail_msg("%s, not %s", path ? path : err.text, expected);
	free(path);
}

static void where(void **state)
{
	(void)state;
	make("all");
	make("all/a");
	make("all/b");
	make("other");
	make("other/a");
	make("cache");
	touch("all/a/metadata");
	touch("all/b/metadata");
	touch("other/a/metadata");
	/* In the folder that has them all. */
	path_is("all", NULL, NULL, false, "all/marks.tsv");
	path_is("all/a", NULL, NULL, false, "all/marks.tsv");
	path_is("all/a/metadata", NULL, NULL, false, "all/marks.tsv");
	path_is("all/a", "all/b", "cache", true, "all/marks.tsv");
	path_is("all/a", "all/b", "cache", false, "all/marks.tsv");
	/* They have none: in the cache, whatever their order, or nowhere. */
	path_is("all/a", "other/a", "cache", true, "cache/marks-*");
	path_is("all/a", "other/a", "cache", false, "cache/marks-*");
	path_is("all/a", "other/a", NULL, true, NULL);
	path_is("none", NULL, NULL, false, NULL);
	char one[200], two[200], folder[200];
	const char *forth[] = { in("all/a", one), in("other/a", two) }, *back[] = { two, one };
	struct mer_err err;
	char *p = session_marks_path(forth, 2, in("cache", folder), true, &err);
	char *q = session_marks_path(back, 2, folder, true, &err);
	char *r = session_marks_path(forth, 1, folder, true, &err);
	assert_string_equal(p, q);
	assert_int_equal(strlen(p), strlen(folder) + strlen("/marks-.tsv") + 32);
	assert_string_not_equal(p, r);
	free(p);
	free(q);
	free(r);
}

static void read_from_a_file(void **state)
{
	struct session_marks m;
	struct mer_err err = { 0 };
	char path[200];
	(void)state;
	assert_true(session_marks_read(&m, in("none", path), &err) < 0);
	touch("marks");
	assert_int_equal(session_marks_read(&m, in("marks", path), &err), 0);
	assert_int_equal(m.n, 0);
	session_marks_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(refused),
		cmocka_unit_test(as_many_as_there_can_be),
		cmocka_unit_test_setup_teardown(where, begin, end),
		cmocka_unit_test_setup_teardown(read_from_a_file, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
