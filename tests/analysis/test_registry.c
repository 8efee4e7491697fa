/* Every analysis, by what it says about itself: names that programs rely on and titles that people
 * tell columns apart by. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/analysis.h"

static bool is_snake_case(const char *s)
{
	if (!islower((unsigned char)s[0]))
		return false;
	for (; *s; s++)
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) &&
			(*s != '_' || s[1] == '_' || !s[1]))
			return false;
	return true;
}

/* Each of them on its own, so that a test says all that is wrong at once. */
static unsigned n_wrong;

static void wrong(const struct analysis *a, const struct analysis_output *o, const char *what,
	const char *name)
{
	print_message("%s %s: %s: '%s'\n", a->id, o ? o->id : "", what, name);
	n_wrong++;
}

static void check_column(const struct analysis *a, const struct analysis_output *o, size_t i)
{
	const struct mer_column *c = &o->columns[i];
	if (!is_snake_case(c->key))
		wrong(a, o, "a key that is not snake_case", c->key);
	if (c->title && (!c->title[0] || c->title[0] == ' '))
		wrong(a, o, "an empty title", c->key);
	if (c->type < MER_TEXT || c->type >= MER_BAR)
		wrong(a, o, "a type that is none", c->key);
	/* What printers and users rely on: units are in keys. */
	if (mer_column_flaw(c))
		wrong(a, o, mer_column_flaw(c), c->key);
	for (size_t k = 0; k < i; k++) {
		const struct mer_column *other = &o->columns[k];
		if (strcmp(c->key, other->key) == 0)
			wrong(a, o, "a key that is there twice", c->key);
		if (c->title && other->title && strcmp(c->title, other->title) == 0)
			wrong(a, o, "a title that is there twice", c->title);
	}
}

static void check_output(const struct analysis *a, size_t i)
{
	const struct analysis_output *o = &a->outputs[i];
	bool has_sort = !o->sort;
	if (!is_snake_case(o->id))
		wrong(a, o, "an id that is not snake_case", o->id);
	if (!o->title || !o->title[0])
		wrong(a, o, "no title", o->id);
	for (size_t k = 0; k < i; k++)
		if (strcmp(a->outputs[k].id, o->id) == 0)
			wrong(a, o, "an id that is there twice", o->id);
	for (size_t c = 0; o->columns[c].key; c++) {
		check_column(a, o, c);
		has_sort |= strcmp(o->columns[c].key, o->sort ? o->sort : "") == 0;
	}
	if (!o->columns[0].key)
		wrong(a, o, "no columns", o->id);
	if (!has_sort)
		wrong(a, o, "sorted by a key that is not there", o->sort);
}

static void names_and_titles(void **state)
{
	(void)state;
	n_wrong = 0;
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis *a = analyses[i];
		if (!is_snake_case(a->id) || analysis_find(a->id) != a)
			wrong(a, NULL, "an id that does not find it", a->id);
		if (!a->title || !a->title[0] || !a->help || !a->help[0])
			wrong(a, NULL, "no title or help", a->id);
		for (size_t k = 0; a->outputs[k].id; k++) {
			check_output(a, k);
			assert_int_equal(analysis_find_output(a, a->outputs[k].id), k);
		}
	}
	if (n_wrong)
		fail_msg("%u names are wrong", n_wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_titles) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
