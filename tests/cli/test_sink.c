/* What may leave the program: text for people without what a terminal would obey, in ASCII where
 * need be; CSV without formulas; and the reason when output cannot be written. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/sink.h"

/* What arrives of text, written in pieces of so many bytes. */
static char *through(struct cli_sink s, const char *text, size_t len, size_t piece)
{
	static char got[4096];
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	s.fd = ends[1];
	FILE *f = cli_sink_open(&s);
	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	for (size_t i = 0; i < len; i += piece)
		fwrite(text + i, 1, len - i < piece ? len - i : piece, f);
	assert_int_equal(fclose(f), 0);
	close(ends[1]);
	ssize_t n = read(ends[0], got, sizeof(got) - 1);
	close(ends[0]);
	got[n > 0 ? n : 0] = '\0';
	return got;
}

#define ARRIVES(sink, text, wanted)                                                                \
	for (size_t piece = 1; piece <= sizeof(text); piece++)                                     \
	assert_string_equal(through((struct cli_sink)sink, text, sizeof(text) - 1, piece), wanted)
#define SINK(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void text(void **state)
{
	(void)state;
	/* However writes cut it: characters stay whole, the rest is an escape. */
	ARRIVES(SINK(.is_text = true),
		"a\tb\n\xc3\xa9\xe2\x80\xa6\x1b["
		"1mx\x9b\xc2\x9b\xe2\x80\xae\xf0\x9f\x98\x80\xed\xa0\x80"
		"\xc0\xae\x7f\xf3\xa0\x80\x81\xe2\x80",
		"a\tb\n\xc3\xa9\xe2\x80\xa6\\x1b["
		"1mx\\x9b\\u009b\\u202e\xf0\x9f\x98\x80\\xed\\xa0\\x80"
		"\\xc0\\xae\\x7f\\U000e0001\\xe2\\x80");
	/* Of escape sequences only those for bold, and only where there are colors. */
	ARRIVES(SINK(.is_text = true, .bold = true), "\x1b[1mT\x1b[0m\x1b[31m\x1b]0;x\x1b[",
		"\x1b[1mT\x1b[0m\\x1b[31m\\x1b]0;x\\x1b[");
	ARRIVES(SINK(.is_text = true, .ascii = true),
		"\xe2\x96\x88\xe2\x96\x8f n\xe2\x80\xa6m \xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80",
		"#- n~m \\u00e9 > \\U0001f600");
	/* For programs nothing changes. */
	ARRIVES(SINK(.ascii = true), "\x1b\xff\xc3\xa9", "\x1b\xff\xc3\xa9");
}

static void formulas(void **state)
{
	(void)state;
	ARRIVES(SINK(.is_guarded = true),
		"name,n\n=1+1,-5\n+a,+1.5e3\n-bash,\"=x\"\"\n,y\"\n@c,a=b\n\"-\",-\n\n-inf,\"\"",
		"name,n\n'=1+1,-5\n'+a,+1.5e3\n'-bash,\"'=x\"\"\n,y\"\n'@c,a=b\n\"'-\",'-\n\n-inf,"
		"\"\"");
	ARRIVES(SINK(0), "=1+1\n", "=1+1\n");
}

static void disk_full(void **state)
{
	(void)state;
	struct cli_sink s = { .fd = open("/dev/full", O_WRONLY) };
	if (s.fd < 0)
		skip();
	FILE *f = cli_sink_open(&s);
	char much[1 << 16];
	memset(much, 'x', sizeof(much));
	for (int i = 0; i < 100; i++) /* much later it is still known */
		fwrite(much, 1, sizeof(much), f);
	errno = 0;
	assert_int_equal(fclose(f), EOF);
	assert_int_equal(s.error, ENOSPC);
	close(s.fd);
}

static void locales(void **state)
{
	(void)state;
	unsetenv("LC_CTYPE");
	setenv("LANG", "C.UTF-8", 1);
	setenv("LC_ALL", "C", 1);
	assert_false(cli_locale_is_utf8());
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_true(cli_locale_is_utf8());
	setenv("LC_ALL", "", 1);
	assert_true(cli_locale_is_utf8());
	setenv("LANG", "xx_XX.ISO-8859-1", 1); /* not installed: its name says it */
	assert_false(cli_locale_is_utf8());
	setenv("LANG", "xx_XX.utf8", 1);
	assert_true(cli_locale_is_utf8());
	unsetenv("LANG");
	unsetenv("LC_ALL");
	assert_false(cli_locale_is_utf8());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(formulas),
		cmocka_unit_test(disk_full),
		cmocka_unit_test(locales),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
