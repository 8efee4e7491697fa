#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	(void)values;
	return mer_fail(&cli->err, MER_ERR_BUG, "not there yet");
}

const struct cli_verb cli_verb_check = {
	.name = "check",
	.help = "are the traces sound, and what can be analysed with them",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Reads everything and says for each trace whether it is sound, for each pair of "
		       "machines whether their clocks can be compared, and for each analysis "
		       "whether its events are there; for what is missing, the line to type when "
		       "recording. Exit status 1 when a trace is not sound.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_HOST | CLI_USES_JOBS | CLI_USES_INPUT,
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian check client/ server/", "Can these two be analysed together?" },
		{ "meridian check --json client/ | jq .analyses", "For a script." },
	},
	.run = run,
};
