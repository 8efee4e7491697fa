#include "expected.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "given.h"

static void path_of(const char *file, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/%s", given_environment("SRC"), file);
}

char *expected_read(const char *file)
{
	char path[600];
	struct mer_file f;
	struct mer_err err = { 0 };
	path_of(file, path, sizeof(path));
	if (mer_file_open(&f, path, &err))
		fail_msg("%s", err.text);
	char *text = strndup((const char *)f.data, f.size);
	size_t bytes = f.size;
	mer_file_close(&f);
	assert_non_null(text);
	assert_int_equal(strlen(text), bytes);
	return text;
}

void expected_is(const char *file, const struct mer_str *text)
{
	char path[600];
	const char *update = getenv("UPDATE");
	path_of(file, path, sizeof(path));
	if (update && *update)
		assert_true(
			mer_file_replace(path, &(struct mer_bytes){ text->data, text->len }, 1));
	char *wanted = expected_read(file);
	assert_int_equal(strlen(text->data), text->len);
	size_t at = 0, line = 0;
	while (text->data[at] && text->data[at] == wanted[at])
		if (text->data[at++] == '\n')
			line = at;
	if (text->data[at] || wanted[at])
		fail_msg("%s: it is\n%.300s\nand not\n%.300s", file, text->data + line,
			wanted + line);
	free(wanted);
}

char *expected_part(const char *text, const char *name)
{
	char head[100];
	snprintf(head, sizeof(head), "== %s\n", name);
	const char *from = strstr(text, head), *to;
	if (!from)
		return strdup("");
	from += strlen(head);
	to = strstr(from, "\n== ");
	return to ? strndup(from, (size_t)(to - from) + 1) : strdup(from);
}

void expected_each(const char *folder, void (*run)(const char *file))
{
	char pattern[600];
	const char *src = given_environment("SRC");
	glob_t all;
	snprintf(pattern, sizeof(pattern), "%s/%s/*.txt", src, folder);
	assert_int_equal(glob(pattern, 0, NULL, &all), 0);
	for (size_t i = 0; i < all.gl_pathc; i++)
		run(all.gl_pathv[i] + strlen(src) + 1);
	globfree(&all);
}
