#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	(void)values;
	if (!cli->n_args) {
		cli_help_all(cli->out, cli->bold_out);
		return CLI_OK;
	}
	const struct cli_verb *verb = cli_verb_find(cli->args[0]);
	if (!verb)
		return mer_fail(&cli->err, MER_ERR_USAGE, "unknown verb '%.100s'", cli->args[0]);
	cli_help_verb(verb, cli->out, cli->bold_out);
	return CLI_OK;
}

const struct cli_verb cli_verb_help = {
	.name = "help",
	.help = "what the verbs are, or what one of them does",
	.synopsis = "[VERB]",
	.description = "Without VERB: the list of verbs. With VERB: what 'meridian VERB --help' "
		       "prints. The manual pages tell more: man meridian, man meridian-VERB.",
	.max_args = 1,
	.args = "VERB",
	.examples = {
		{ "meridian help", "The verbs, a line each." },
		{ "meridian help events", "The options of one verb." },
	},
	.run = run,
};
