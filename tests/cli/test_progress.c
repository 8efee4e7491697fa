/* The progress line: there after a second, not more often than ten times a second, gone at the end
 * and while something else is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "ask/program.h"
#include "cli/messages.h"
#include "cli/program.h"
#include "cli/progress.h"

static char text[10000];

/* Runs with stderr in a file, and reads what was written into text. */
static void captured(unsigned when, unsigned half_ms, unsigned second, const char *things)
{
	struct ask ask = {
		.progress_when = when, .format = ASK_FORMAT_TABLE, .program = &cli_program
	};
	struct ask_progress p;
	FILE *f = tmpfile();
	assert_non_null(f);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);

	if (things)
		ask_progress_count(&p, &ask, "reading", things, 4096);
	else
		ask_progress_begin(&p, &ask, "reading", 4096);
	ask_progress_add(&p, 1024);
	usleep(half_ms * 1000);
	ask_warn(&ask, "a word between");
	cli_say_notes(&ask);
	ask_progress_add(&p, second);
	usleep(half_ms * 1000);
	ask_progress_end(&p);

	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	assert_null(ask.progress);
}

static size_t times(const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void shown(void **state)
{
	(void)state;
	captured(ASK_ALWAYS, 750, 1024, NULL);
	assert_non_null(strstr(text, "reading: 2.00 KiB of 4.00 KiB (50 %), "));
	assert_non_null(strstr(text, "meridian: warning: a word between\n"));
	assert_in_range(times("reading"), 1, 6);
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	/* All is read, and it goes on. */
	captured(ASK_ALWAYS, 750, 3072, NULL);
	assert_non_null(strstr(text, "reading: 4.00 KiB read, computing for 0 ns"));
	assert_null(strstr(text, "100 %"));
}

static void things(void **state)
{
	(void)state;
	captured(ASK_ALWAYS, 750, 1024, "hosts");
	assert_non_null(strstr(text, "\r\033[Kreading: 2,048 of 4,096 hosts\r"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
}

static void not_shown(void **state)
{
	static const char word[] = "meridian: warning: a word between\n";
	(void)state;
	captured(ASK_ALWAYS, 50, 1024, NULL); /* too short */
	assert_string_equal(text, word);
	captured(ASK_AUTO, 550, 1024, NULL); /* no terminal */
	assert_string_equal(text, word);
	captured(ASK_NEVER, 1, 1024, NULL);
	assert_string_equal(text, word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown),
		cmocka_unit_test(things),
		cmocka_unit_test(not_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
