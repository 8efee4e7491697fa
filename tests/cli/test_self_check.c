/* What meridian --self-check refuses in the table of a verb: each mistake by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/help.h"
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	(void)ask;
	(void)values;
	return 0;
}

static const struct ask_verb sound = { .name = "wave",
	.help = "waves",
	.synopsis = "[OPTION...]",
	.description = "Waves at everybody.",
	.examples = { { "meridian wave a/", "Wave." }, { "meridian wave b/", "Wave again." } },
	.run = run };

/* How many mistakes, and that the message is about this. */
static void refuses(const struct ask_verb *v, int n, const char *about)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	int n_bad = cli_check_verb(v, out);
	fclose(out);
	if (n_bad != n || (about && !strstr(text, about)))
		fail_msg("%d mistakes, not %d: %s", n_bad, n, text);
	free(text);
}

static void verbs(void **state)
{
	(void)state;
	refuses(&sound, 0, NULL);
	struct ask_verb v = sound;
	v.run = NULL;
	refuses(&v, 1, "wave: not described completely");
	v = sound;
	v.uses = ASK_USES_FORMAT;
	refuses(&v, 1, "wave: takes --format, but lists no formats");
	v.formats = "table";
	refuses(&v, 0, NULL);
	v = sound;
	v.examples[1].command = "meridian info b/";
	refuses(&v, 1, "wave: example 2 does not use it");
	v.examples[0].command = "wave b/";
	refuses(&v, 2, "wave: example 1 does not use it");
	v = sound;
	v.examples[0].what =
		"This line is with its six blanks at the begin eighty columns wide, which is";
	refuses(&v, 1, "wave: too wide:       This");
	v.examples[0].what =
		"This line is with its six blanks at the begin 79 columns wide, as may be.";
	refuses(&v, 0, NULL);
}

static void options(void **state)
{
	(void)state;
	struct ask_option o[4] = { { .name = "hand", .kind = ASK_FLAG, .help = "with the hand" } };
	struct ask_verb v = sound;
	v.options = o;
	refuses(&v, 0, NULL);
	o[1] = (struct ask_option){ .name = "hand", .kind = ASK_FLAG, .help = "the other one" };
	refuses(&v, 1, "wave: --hand and --hand collide");
	o[1].name = "arm";
	o[0].letter = o[1].letter = 'x';
	refuses(&v, 1, "wave: --hand and --arm collide");
	o[1].letter = 0;
	refuses(&v, 0, NULL);
	o[1].help = NULL;
	refuses(&v, 1, "wave: --arm is not described completely");
	/* A value without a word for it, and a word for a value that there is none of. */
	o[1] = (struct ask_option){ .name = "arm", .kind = ASK_NUMBER, .help = "which one" };
	refuses(&v, 1, "wave: --arm is not described completely");
	o[1].arg = "N";
	refuses(&v, 0, NULL);
	o[0].arg = "N";
	refuses(&v, 1, "wave: --hand is not described completely");
	o[0].arg = NULL;
	o[1] = (struct ask_option){
		.name = "arm", .kind = ASK_CHOICE, .arg = "WHICH", .help = "which one"
	};
	refuses(&v, 1, "wave: --arm is not described completely");
	o[1].choices = "left|right";
	refuses(&v, 0, NULL);
	/* A file that the server would not know as one. */
	o[1] = (struct ask_option){
		.name = "arm", .kind = ASK_NUMBER, .arg = "FILE", .help = "which one"
	};
	refuses(&v, 1, "wave: --arm is a file, but not of that kind");
}

/* The column of explanations begins at 23: "  -x, --NAME ARG  ". */
static void widths(void **state)
{
	(void)state;
	struct ask_option o[2] = { { .name = "fourteen-chars", .kind = ASK_FLAG, .help = "x" } };
	struct ask_verb v = sound;
	v.options = o;
	refuses(&v, 0, NULL);
	o[0].name = "fifteen-letters";
	refuses(&v, 1, "wave: --fifteen-letters and its value are too long");
	o[0] = (struct ask_option){
		.name = "ten-letter", .kind = ASK_NUMBER, .arg = "ABC", .help = "x"
	};
	refuses(&v, 0, NULL);
	o[0].arg = "ABCD";
	refuses(&v, 1, "wave: --ten-letter and its value are too long");
	o[0].in_manual_only = true;
	refuses(&v, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(verbs), cmocka_unit_test(options),
		cmocka_unit_test(widths) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
