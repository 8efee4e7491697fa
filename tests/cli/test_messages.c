/* What is said on stderr: which findings, of what place, how many of them, and how lines are
 * wrapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/messages.h"
#include "cli/program.h"
#include "ask/context.h"

static char text[10000];

static int capture(void)
{
	FILE *f = tmpfile();
	assert_non_null(f);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	fclose(f);
	return saved;
}

static void captured(int saved)
{
	assert_int_equal(lseek(STDERR_FILENO, 0, SEEK_SET), 0);
	ssize_t n = read(STDERR_FILENO, text, sizeof(text) - 1);
	dup2(saved, STDERR_FILENO);
	close(saved);
	text[n < 0 ? 0 : n] = '\0';
}

/* ---- findings ---- */

#define ROW(level, where, file, what)                                                              \
	{                                                                                          \
		.severity = level, .code = "code", .host = where, .path = file, .stream = -1,      \
		.packet = -1, .offset_bits = -1, .count = 1, .message = what                       \
	}

static struct ask reported(unsigned quiet, unsigned verbose, const struct mer_diag *rows, size_t n)
{
	struct ask ask = { .quiet = quiet, .verbose = verbose, .program = &cli_program };
	int saved = capture();
	ask_report(&ask, rows, n);
	cli_say_notes(&ask);
	captured(saved);
	return ask;
}

#define REPORTED(quiet, verbose, rows)                                                             \
	reported(quiet, verbose, rows, sizeof(rows) / sizeof(*(rows)))

static void severities(void **state)
{
	(void)state;
	static const struct mer_diag rows[] = { ROW(MER_NOTE, NULL, NULL, "a note"),
		ROW(MER_WARNING, NULL, NULL, "a warning"), ROW(MER_ERROR, NULL, NULL, "an error") };
	struct ask ask = REPORTED(0, 0, rows);
	/* Errors at once, the others later. */
	assert_string_equal(text, "meridian: error: an error\nmeridian: warning: a warning\n");
	assert_true(ask.unreadable && ask.degraded);
	REPORTED(0, 1, rows);
	assert_string_equal(text,
		"meridian: error: an error\nmeridian: note: a note\nmeridian: warning: a warning\n");
	REPORTED(1, 0, rows);
	assert_string_equal(text, "meridian: error: an error\n");
	REPORTED(1, 1, rows);
	assert_string_equal(text, "meridian: error: an error\n");
	ask = reported(0, 0, rows, 1);
	assert_string_equal(text, "");
	assert_false(ask.unreadable || ask.degraded);
	ask = reported(1, 0, rows, 2);
	assert_false(ask.unreadable);
	assert_true(ask.degraded);
}

/* Where it is, unless the message says so itself. */
static void places(void **state)
{
	(void)state;
	struct mer_diag rows[] = { ROW(MER_WARNING, NULL, "t/ch0", "cut off"),
		ROW(MER_WARNING, "a", NULL, "no wake-ups"), ROW(MER_WARNING, "a", "t/ch0", "odd"),
		ROW(MER_WARNING, NULL, "t/ch0", "t/ch0: cannot be read"),
		ROW(MER_WARNING, NULL, "t/ch0", "t/ch01: something else"),
		ROW(MER_WARNING, NULL, "t/ch0", NULL), ROW(MER_WARNING, NULL, "", "no name") };
	rows[0].packet = 0;
	rows[2].offset_bits = 80;
	rows[5].packet = 7;
	rows[5].offset_bits = 17;
	REPORTED(0, 0, rows);
	assert_string_equal(text, "meridian: warning: t/ch0, packet 0: cut off\n"
				  "meridian: warning: host a: no wake-ups\n"
				  "meridian: warning: t/ch0, byte 10: odd\n"
				  "meridian: warning: t/ch0: cannot be read\n"
				  "meridian: warning: t/ch0: t/ch01: something else\n"
				  "meridian: warning: t/ch0, packet 7, byte 2: code\n"
				  "meridian: warning: : no name\n");
	/* Names without end. */
	char path[700];
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	rows[0].path = path;
	reported(0, 0, rows, 1);
	assert_int_equal(strlen(text), strlen("meridian: warning: cut off\n") + 511);
}

/* The same of several hosts is said once. */
static void hosts_together(void **state)
{
	(void)state;
	struct mer_diag rows[] = { ROW(MER_WARNING, "a", NULL, "no wake-ups"),
		ROW(MER_WARNING, "a", NULL, "no interrupts"),
		ROW(MER_WARNING, "b", NULL, "no wake-ups"),
		ROW(MER_ERROR, "c", NULL, "no wake-ups"), ROW(MER_WARNING, "d", "t", "no wake-ups"),
		ROW(MER_WARNING, NULL, NULL, "no wake-ups"),
		ROW(MER_WARNING, "e", NULL, "no wake-ups"), ROW(MER_WARNING, "f", NULL, NULL),
		ROW(MER_WARNING, "g", NULL, "no interrupts") };
	REPORTED(0, 0, rows);
	assert_string_equal(text, "meridian: error: host c: no wake-ups\n"
				  "meridian: warning: host a and 2 others: no wake-ups\n"
				  "meridian: warning: host a and 1 other: no interrupts\n"
				  "meridian: warning: t: no wake-ups\n"
				  "meridian: warning: no wake-ups\n"
				  "meridian: warning: host f: code\n");
	rows[2].code = "another";
	reported(0, 0, rows, 3);
	assert_string_equal(text, "meridian: warning: host a: no wake-ups\n"
				  "meridian: warning: host a: no interrupts\n"
				  "meridian: warning: host b: no wake-ups\n");
	rows[2].code = "code";
	reported(0, 1, rows, 3);
	assert_string_equal(text, "meridian: warning: host a: no wake-ups\n"
				  "meridian: warning: host a: no interrupts\n"
				  "meridian: warning: host b: no wake-ups\n");
}

static void not_too_many(void **state)
{
	(void)state;
	struct mer_diag rows[12];
	char expected[1000] = "";
	for (int i = 0; i < 12; i++) {
		rows[i] = (struct mer_diag)ROW(MER_WARNING, NULL, NULL, "again");
		if (i < 10)
			strcat(expected, "meridian: warning: again\n");
	}
	reported(0, 0, rows, 10);
	assert_string_equal(text, expected);
	reported(0, 0, rows, 11);
	size_t n = strlen(expected);
	assert_memory_equal(text, expected, n);
	assert_string_equal(text + n, "meridian: note: 1 more message (-v prints all)\n");
	reported(0, 0, rows, 12);
	assert_string_equal(text + n, "meridian: note: 2 more messages (-v prints all)\n");
	reported(0, 1, rows, 12);
	assert_string_equal(text + n, "meridian: warning: again\nmeridian: warning: again\n");
}

/* ---- lines ---- */

static void said(struct ask ask, const char *columns, const char *what, const char *expected)
{
	if (columns)
		setenv("COLUMNS", columns, 1);
	else
		unsetenv("COLUMNS");
	int saved = capture();
	ask_error(&ask, "%s", what);
	captured(saved);
	assert_string_equal(text, expected);
}

static void lines(void **state)
{
	(void)state;
	const struct ask plain = { .program = &cli_program };
	said(plain, NULL, "one two three four five six",
		"meridian: error: one two three four five six\n");
	/* 17 columns come before it. */
	said(plain, "25", "one two three four five six",
		"meridian: error: one two\n  three four five six\n");
	said(plain, "24", "one two three four five six",
		"meridian: error: one two\n  three four five six\n");
	said(plain, "23", "one two three four five six",
		"meridian: error: one\n  two three four five\n  six\n");
	said(plain, "5", "long-words stay whole", "meridian: error: long-words\n  stay\n  whole\n");
	said(plain, "0", "one two", "meridian: error: one two\n");
	said(plain, "10000", "one two", "meridian: error: one two\n");
	said(plain, "x", "one two", "meridian: error: one two\n");
	/* Further lines are indented, and those that are indented already are not wrapped. */
	said(plain, "24", "one\ntwo three four five six",
		"meridian: error: one\n  two three four five\n  six\n");
	said(plain, "10", "one\n  indented line as it is",
		"meridian: error: one\n    indented line as it is\n");
	said(plain, NULL, "one\n\nthree", "meridian: error: one\n  \n  three\n");
	/* What a trace says cannot look like a message, or change the terminal. */
	said(plain, NULL, "a\033[31mb", "meridian: error: a\\x1b[31mb\n");
	said((struct ask){ .bold_err = true, .program = &cli_program }, "14", "one two",
		"\033[1;31merror\033[0m: one two\n");
	said((struct ask){ .bold_err = true, .program = &cli_program }, "13", "one two",
		"\033[1;31merror\033[0m: one\n  two\n");
}

/* Notes and warnings wait; before an error that ends all only warnings are said. */
static void what_waits(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		struct ask ask = { .program = &cli_program };
		unsetenv("COLUMNS");
		int saved = capture();
		ask_note(&ask, "first");
		ask_warn(&ask, "second");
		if (fails)
			cli_say_warnings(&ask);
		else
			cli_say_notes(&ask);
		captured(saved);
		assert_string_equal(
			text, fails ? "meridian: warning: second\n"
				    : "meridian: note: first\nmeridian: warning: second\n");
		assert_true(ask.notes.len == 0 && ask.warnings.len == 0);
	}
	struct ask quiet = { .quiet = 1 };
	int saved = capture();
	ask_note(&quiet, "first");
	ask_warn(&quiet, "second");
	cli_say_notes(&quiet);
	captured(saved);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(severities),
		cmocka_unit_test(places),
		cmocka_unit_test(hosts_together),
		cmocka_unit_test(not_too_many),
		cmocka_unit_test(lines),
		cmocka_unit_test(what_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
