/* What is told when states are found: each kind of what did not fit, one of it and
 * several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "views/bind.h"
#include "views/tell.h"

/* expected: "severity code message"; "": nothing. */
static void tells(struct view_doubts doubts, const char *expected)
{
	struct mer_experiment e = { 0 };
	struct mer_arena arena;
	const struct view_reading r = { 0 };
	const struct view_states s = { .doubts = doubts };
	char line[400] = "";
	mer_arena_init(&arena);
	mer_diags_init(&e.diags, &arena);
	view_tell(&e, &r, &s);
	assert_int_equal(e.diags.n, expected[0] != '\0');
	if (e.diags.n)
		snprintf(line, sizeof(line), "%s %s %s",
			e.diags.rows[0].severity == MER_WARNING ? "warning" : "note",
			e.diags.rows[0].code, e.diags.rows[0].message);
	assert_string_equal(line, expected);
	mer_diags_fini(&e.diags);
	mer_arena_fini(&arena);
}

#define NOTE "note view-states views: "
#define TELLS(member, one, more)                                                                   \
	tells((struct view_doubts){ .member = 1 }, NOTE "1 " one);                                 \
	tells((struct view_doubts){ .member = 2 }, NOTE "2 " more)

static void each(void **state)
{
	(void)state;
	tells((struct view_doubts){ 0 }, "");
	TELLS(n_lost, "state closed where events were lost",
		"states closed where events were lost");
	TELLS(n_unbegun, "end without a begin", "ends without a begin");
	TELLS(n_unended, "state ended by the one around it", "states ended by the one around them");
	TELLS(n_keyless, "event without the fields of the key",
		"events without the fields of the key");
	TELLS(n_unnamed, "event without the fields of its text or amount",
		"events without the fields of their text or amount");
	TELLS(n_unlabelled, "row without the fields of its text, named as it is declared",
		"rows without the fields of their text, named as they are declared");
	TELLS(n_untaken, "value taken that was not added", "values taken that were not added");
	TELLS(n_unsent, "arrow without its start", "arrows without their start");
	TELLS(n_unreceived, "arrow without its end", "arrows without their end");
	TELLS(n_again, "end of an arrow with a repeated key, or after a loss",
		"ends of arrows with a repeated key, or after a loss");
	tells((struct view_doubts){ .n_lost = 3, .n_unsent = 1 },
		NOTE "3 states closed where events were lost; 1 arrow without its start");
}

static void mistakes_of_views(void **state)
{
#define DEEP " within more than 1000 others and left out: is an 'end' missing?"
#define REPLACED                                                                                   \
	" that nothing had taken: what was added before with the same fields of 'by' no longer "   \
	"counts; if it should, these fields do not say whose it is"
	(void)state;
	tells((struct view_doubts){ .n_deep = 1 }, "warning view-deep views: 1 state is" DEEP);
	tells((struct view_doubts){ .n_deep = 2 }, "warning view-deep views: 2 states are" DEEP);
	tells((struct view_doubts){ .n_replaced = 1 },
		"warning view-replaced views: 1 value replaced one" REPLACED);
	tells((struct view_doubts){ .n_replaced = 2 },
		"warning view-replaced views: 2 values replaced ones" REPLACED);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each),
		cmocka_unit_test(mistakes_of_views) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
