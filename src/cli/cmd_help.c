#include "cli/topic.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	(void)values;
	if (!cli->n_args) {
		cli_help_all(cli->out, cli->bold_out);
		return CLI_OK;
	}
	const struct cli_verb *verb = cli_verb_find(cli->args[0]);
	const struct cli_topic *topic = cli_topic_find(cli->args[0]);
	if (!verb && !topic)
		return mer_fail(
			&cli->err, MER_ERR_USAGE, "no verb or topic '%.100s'", cli->args[0]);
	if (verb)
		cli_help_verb(verb, cli->out, cli->bold_out);
	else
		cli_help_topic(topic, cli->out, cli->bold_out);
	return CLI_OK;
}

const struct cli_verb cli_verb_help = {
	.name = "help",
	.help = "list the verbs, or print the help of one of them",
	.is_aside = true,
	.synopsis = "[VERB]",
	.description = "Without VERB, lists the verbs. With VERB, prints the same as 'meridian VERB "
		       "--help'. 'meridian help view' explains view files. The manual pages have "
		       "more: man meridian, man meridian-VERB.",
	.max_args = 1,
	.args = "VERB",
	.examples = {
		{ "meridian help", "List the verbs, one per line." },
		{ "meridian help events", "Print the options of one verb." },
	},
	.run = run,
};
