/* The catalog: each question stands once, and what it says of columns is so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask/catalog.h"
#include "session/choice.h"

static struct answer catalog;

static int make(void **state)
{
	struct mer_err err;
	(void)state;
	return ask_catalog(&catalog, &err);
}

static int drop(void **state)
{
	(void)state;
	answer_fini(&catalog);
	return 0;
}

static const char *text(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = &t->cells[row * t->n_columns + mer_table_column(t, key)];
	return c->set ? c->v.text : NULL;
}

/* NULL: none begins so. */
static const char *find(const char *words, size_t len)
{
	const struct mer_table *t = answer_find(&catalog, "questions");
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *w = text(t, i, "words");
		if (w && strncmp(w, words, len) == 0 && strchr(" ", w[len]))
			return w;
	}
	return NULL;
}

static void each_stands_once(void **state)
{
	const struct mer_table *t = answer_find(&catalog, "questions");
	(void)state;
	assert_true(t->n_rows > 100);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = i + 1; k < t->n_rows && text(t, i, "words"); k++)
			if (text(t, k, "words") &&
				!strcmp(text(t, i, "words"), text(t, k, "words")))
				fail_msg("%s stands twice", text(t, i, "words"));
}

static bool has_column(const struct mer_column *c, const char *key, size_t len)
{
	while (c->key && (strlen(c->key) != len || strncmp(c->key, key, len) != 0))
		c++;
	return c->key;
}

/* The first table of the analysis that is of the kind: what the page looks at. */
static const struct mer_column *columns_of(const char *analysis, const char *kind)
{
	const struct analysis *a = analysis_find(analysis);
	assert_non_null(a);
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		if (session_is_table_of(o, kind))
			return o->columns;
	fail_msg("'%s' has no table '%s'", analysis, kind);
	return NULL;
}

/* Each alternative of each brace of a pattern is a column; or no key. */
static void check_pattern(const struct mer_column *columns, const char *pattern)
{
	for (const char *p = strchr(pattern, '{'); p; p = strchr(p + 1, '{')) {
		const char *end = strchr(p, '}'), *key = p + 1;
		assert_non_null(end);
		key += strchr(" /", *key) ? 1 : 0;
		for (size_t n; key < end; key += n + 1) {
			n = strcspn(key, "|}");
			if (*key != '?' && !has_column(columns, key, n))
				fail_msg("%s: there is no such column", key);
		}
	}
}

static void topics_are_questions_with_these_columns(void **state)
{
	(void)state;
	for (const struct ask_topic *t = ask_topics; t->id; t++) {
		for (size_t i = 0; i < ASK_TOPIC_QUESTIONS && t->questions[i]; i++)
			if (!find(t->questions[i], strlen(t->questions[i])))
				fail_msg("%s is no question", t->questions[i]);
		for (size_t i = 0; i < ASK_TOPIC_CURVES && t->curves[i].title; i++) {
			const struct ask_curve *c = &t->curves[i];
			const struct mer_column *columns = columns_of(t->id, "bins");
			check_pattern(columns, c->name);
			assert_true(has_column(columns, c->value, strlen(c->value)));
			assert_true(!c->of || has_column(columns, "of", 2));
			/* Only these are made of a sum and the length of a bin. */
			assert_true(c->how != ASK_CURVE_SUM || c->type == MER_RATIO ||
				    c->type == MER_RATE);
		}
		if (t->durations)
			check_pattern(columns_of(t->id, "freq"), t->durations);
	}
}

/* Of those of analyses the columns are known without traces; of others the page's tests know. */
static void comparisons_are_questions(void **state)
{
	(void)state;
	for (const struct ask_comparison *c = ask_comparisons; c->id; c++) {
		const char *more = strstr(c->words, " --limit"), *by = strstr(c->words, " --by");
		size_t len = more ? (size_t)(more - c->words) : strlen(c->words);
		assert_non_null(find(c->words, by ? (size_t)(by - c->words) : len));
		const char *analysis = strchr(c->words, ' ');
		if (!analysis || analysis[1] == '-')
			continue;
		char id[32] = { 0 };
		memcpy(id, analysis + 1, strcspn(analysis + 1, " "));
		const struct analysis *a = analysis_find(id);
		int output = a ? analysis_find_output(a, c->table) : -1;
		assert_true(output >= 0);
		check_pattern(a->outputs[output].columns, c->name);
		assert_true(has_column(a->outputs[output].columns, c->value, strlen(c->value)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stands_once),
		cmocka_unit_test(topics_are_questions_with_these_columns),
		cmocka_unit_test(comparisons_are_questions),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
