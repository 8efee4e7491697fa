#include "run_more.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "given.h"

FILE *run_more_file(const char *name)
{
	char path[500];
	given_path(path, sizeof(path), name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

void run_more_open_xml(struct run_case *c, const char *name, const char *sed)
{
	char path[500], below[300], command[2000], buffer[4096];
	const char *src = given_environment("SRC");
	struct mer_str text = { 0 };
	size_t n;
	snprintf(below, sizeof(below), "cases/xml-traces/%s", name);
	given_path(path, sizeof(path), below);
	snprintf(command, sizeof(command),
		"d=$(mktemp -d) && sed '%s' '%s' >$d/case.xml && "
		"'%s/tools/xml_scenario' host=$d/case.xml; rm -rf $d",
		sed, path, src);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		mer_str_add(&text, buffer, n);
	assert_int_equal(pclose(f), 0);
	assert_true(text.len > 0 && !text.failed);
	run_case_open_scenario(c, text.data);
	mer_str_fini(&text);
}

void run_more_open_world(struct run_case *c, const char *options)
{
	char command[1000];
	const char *kernelworld = given_environment("KERNELWORLD"), *path = c->dir;
	struct mer_err err = { 0 };
	*c = (struct run_case){ 0 };
	snprintf(c->dir, sizeof(c->dir), "/tmp/run_more.XXXXXX");
	assert_non_null(mkdtemp(c->dir));
	snprintf(command, sizeof(command), "ASAN_OPTIONS=detect_leaks=0 '%s' -o %s %s >/dev/null",
		kernelworld, c->dir, options);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
	if (mer_experiment_open(&path, 1, NULL, &c->e, &err) ||
		sync_gather(c->e, &(struct sync_gather_options){ .keep_streams = true },
			&c->messages, &err))
		fail_msg("%s", err.text);
}

static const struct mer_column *column_of(const struct mer_table *t, const char *key)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].key, key) == 0)
			return &t->columns[i];
	fail_msg("%s has no column %s", t->id, key);
	return NULL;
}

bool run_more_is(const struct mer_table *t, size_t row, const char *values)
{
	char text[300], number[32], *rest = text, *word;
	assert_true(strlen(values) < sizeof(text));
	snprintf(text, sizeof(text), "%s", values);
	while ((word = strsep(&rest, " ")) && *word) {
		char *value = strchr(word, '=');
		assert_non_null(value);
		*value++ = '\0';
		const struct mer_cell *cell = run_case_cell(t, row, word);
		bool is_text = column_of(t, word)->type == MER_TEXT;
		if (!cell->set || strcmp(value, "-") == 0) {
			if (cell->set || strcmp(value, "-") != 0)
				return false;
			continue;
		}
		snprintf(number, sizeof(number), "%" PRId64, is_text ? 0 : cell->v.i);
		if (strcmp(is_text ? cell->v.text : number, value) != 0)
			return false;
	}
	return true;
}

size_t run_more_row(const struct mer_table *t, const char *values)
{
	size_t found = t->n_rows;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!run_more_is(t, i, values))
			continue;
		if (found < t->n_rows)
			fail_msg("%s: several rows with %s", t->id, values);
		found = i;
	}
	if (found == t->n_rows)
		fail_msg("%s: no row with %s", t->id, values);
	return found;
}

int64_t run_more_sum(const struct mer_table *t, const char *key, const char *values)
{
	int64_t sum = 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (run_more_is(t, i, values) && run_case_cell(t, i, key)->set)
			sum += run_case_int(t, i, key);
	return sum;
}
