#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	(void)values;
	fprintf(ask->out, "meridian %s\n", MERIDIAN_VERSION);
	return ASK_OK;
}

const struct ask_verb cli_verb_version = {
	.name = "version",
	.help = "print the version",
	.is_aside = true,
	.synopsis = "",
	.description = "Prints the program's name and version on one line.",
	.examples = {
		{ "meridian version", "Print the version." },
		{ "meridian --version", "Print the version too." },
	},
	.run = run,
};
