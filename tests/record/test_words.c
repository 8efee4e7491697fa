/* What may stand in a line of a shell (record/words.h), what of another host's names is taken as a
 * path and as a list of files (record/fetch.h), and the presets of the program by name. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/fetch.h"
#include "record/hosts.h"
#include "record/words.h"

/* Texts up to NULL are such words, those behind it are not. */
static void words(bool (*is)(const char *text), const char *const *texts)
{
	bool expected = true;
	for (int ends = 0; ends < 2; texts++) {
		if (!*texts) {
			ends++;
			expected = false;
		} else if (is(*texts) != expected)
			fail_msg("'%s'", *texts);
	}
}

static void kinds_of_words(void **state)
{
	(void)state;
	words(record_is_target,
		(const char *const[]){ "h", "u@h", "u-x@h.y_z", "[fe80::1%eth0]", "h:22", NULL, "",
			"-h", "@h", "u@", "u@-h", "u@h@i", "a b", "a;b", "a/b", "a'b", NULL });
	words(record_is_name, (const char *const[]){ "a", "A_9.z-", "9", "_", NULL, "", "-a", ".a",
				      "a b", "a/b", "a@b", "a:b", "a*", NULL });
	words(record_is_event, (const char *const[]){ "a", "p:e", "a_*", "*", "a-b", "_", NULL, "",
				       "-a", "a b", "a.b", "a,b", "a'", NULL });
	words(record_is_address, (const char *const[]){ "10.0.0.1", "::1", "fe80::2", NULL, "",
					 "10.0.0", "h", "fe80::1%eth0", "10.0.0.1 ", NULL });
	char text[RECORD_WORD_MOST + 2];
	memset(text, 'a', sizeof(text));
	text[RECORD_WORD_MOST + 1] = '\0';
	assert_false(record_is_name(text));
	text[RECORD_WORD_MOST] = '\0';
	assert_true(record_is_name(text));
}

static void quoted(const char *word, const char *expected)
{
	struct mer_str s = { 0 };
	record_put_word(&s, word);
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

static void quotes(void **state)
{
	(void)state;
	quoted("a/B-9._:,=+@%", "a/B-9._:,=+@%");
	quoted("", "''");
	quoted("a b", "'a b'");
	quoted("$(x)", "'$(x)'");
	quoted("it's", "'it'\\''s'");
	quoted("~", "'~'");
}

static void paths(void **state)
{
	(void)state;
	words(record_is_path,
		(const char *const[]){ "a", "a/b", ".a", "..a", "a/...", "a b/c", NULL, "", "/a",
			".", "..", "a/..", "a/./b", "a//b", "a/", "../a", "a\033b", "a\nb", NULL });
	char text[1002];
	memset(text, 'a', sizeof(text));
	text[1001] = '\0';
	assert_false(record_is_path(text));
	text[1000] = '\0';
	assert_true(record_is_path(text));
}

/* "SIZE PATH; " of each, or why not. */
static void lists(const char *text, const char *expected)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	struct record_file *files;
	size_t n;
	mer_arena_init(&arena);
	int rc = record_files_read(text, strlen(text), &arena, &files, &n, &err);
	mer_str_puts(&s, rc ? err.text : "");
	for (size_t i = 0; i < n && !rc; i++)
		mer_str_printf(&s, "%" PRId64 " %s; ", files[i].size, files[i].path);
	assert_string_equal(s.data, expected);
	assert_int_equal(rc, *err.text ? MER_ERR_INPUT : 0);
	mer_str_fini(&s);
	mer_arena_fini(&arena);
}

static void files(void **state)
{
	(void)state;
	lists("", "");
	lists("123 ./kernel/metadata\n0 ./a b", "123 kernel/metadata; 0 a b; ");
	lists("9223372036854775807 ./a\n", "9223372036854775807 a; ");
	static const char *const none[] = { "x ./a", " ./a", "-1 ./a", "1 a", "1 /a", "1  ./a",
		"1 ./../a", "1 ./", "1", "\n", "9223372036854775808 ./a", "1 ./a\ntotal 1" };
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		lists(none[i], "its list of files has a line that is none");
}

static void too_many_files(void **state)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	struct record_file *list;
	size_t n;
	(void)state;
	mer_arena_init(&arena);
	for (int i = 0; i < RECORD_MOST_FILES; i++)
		mer_str_puts(&s, "1 ./a\n");
	assert_int_equal(record_files_read(s.data, s.len, &arena, &list, &n, &err), 0);
	assert_int_equal(n, RECORD_MOST_FILES);
	mer_str_puts(&s, "1 ./a\n");
	assert_int_equal(record_files_read(s.data, s.len, &arena, &list, &n, &err), MER_ERR_LIMIT);
	assert_string_equal(err.text, "more than 200000 files");
	mer_str_fini(&s);
	mer_arena_fini(&arena);
}

static void names_of_targets(void **state)
{
	static const char *const names[][2] = { { "web", "web" }, { "root@web-1.lan", "web-1.lan" },
		{ "me@[fe80::1%eth0]", "hfe80__1_eth0_" }, { "..", "h." }, { "_x", "hx" } };
	struct mer_arena arena;
	(void)state;
	mer_arena_init(&arena);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(record_name_of_target(&arena, names[i][0]), names[i][1]);
	assert_string_equal(record_shell_line(&arena, "echo 'a b'"), "sh -c 'echo '\\''a b'\\'''");
	mer_arena_fini(&arena);
}

/* Of files the first word of each line; what has a folder is no file. */
static void lists_of_hosts(void **state)
{
	char path[] = "/tmp/hosts-XXXXXX";
	static const char text[] = "a note\n\n # none\n\tuser@b:/x\r\nc#d\n";
	const char *words[] = { "x", "y:/etc/passwd", path, "z" }, *hosts[8];
	const char *const wanted[] = { "x", "y:/etc/passwd", "a", "user@b:/x", "c", "z" };
	const struct session_texts list = { words, 4 };
	struct mer_arena arena;
	struct mer_err err = { 0 };
	size_t n = 0;
	(void)state;
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	mer_arena_init(&arena);
	assert_int_equal(record_hosts_add(&arena, &list, hosts, &n, 8, &err), 0);
	assert_int_equal(n, 6);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(hosts[i], wanted[i]);
	n = 0;
	assert_int_equal(record_hosts_add(&arena, &list, hosts, &n, 4, &err), MER_ERR_LIMIT);
	unlink(path);
	n = 0;
	assert_int_equal(record_hosts_add(&arena, &list, hosts, &n, 8, &err), MER_ERR_SYS);
	mer_arena_fini(&arena);
}

/* Each preset is found by its name, has its own text, and can be read. */
static void presets(void **state)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	const char *before = NULL;
	size_t i = 0;
	(void)state;
	mer_arena_init(&arena);
	for (const char *name; (name = record_preset_name(i)) != NULL; i++) {
		struct record_preset p;
		size_t len = 0;
		const char *text = record_preset_text(name, &len);
		assert_true(text && text != before && len > 0);
		assert_int_equal(text[len - 1], '\n');
		if (record_preset_parse(&p, text, len, name, &arena, &err))
			fail_msg("%s", err.text);
		assert_true(p.n_rules > 0 && *p.about);
		before = text;
	}
	assert_int_equal(i, 7);
	assert_null(record_preset_text("none", &(size_t){ 0 }));
	mer_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_words),
		cmocka_unit_test(quotes),
		cmocka_unit_test(paths),
		cmocka_unit_test(files),
		cmocka_unit_test(too_many_files),
		cmocka_unit_test(names_of_targets),
		cmocka_unit_test(lists_of_hosts),
		cmocka_unit_test(presets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
