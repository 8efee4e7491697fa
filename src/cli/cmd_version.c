#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	(void)values;
	fprintf(cli->out, "meridian %s\n", MERIDIAN_VERSION);
	return CLI_OK;
}

const struct cli_verb cli_verb_version = {
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
