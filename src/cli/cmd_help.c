#include "cli/help.h"
#include "cli/verbs.h"
#include "cli/topic.h"
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	(void)values;
	if (!ask->n_args) {
		cli_help_all(ask->out, ask->bold_out);
		return ASK_OK;
	}
	const struct ask_verb *verb = cli_verb_find(ask->args[0]);
	const struct cli_topic *topic = cli_topic_find(ask->args[0]);
	if (!verb && !topic)
		return mer_fail(
			&ask->err, MER_ERR_USAGE, "no verb or topic '%.100s'", ask->args[0]);
	if (verb)
		cli_help_verb(verb, ask->out, ask->bold_out);
	else
		cli_help_topic(topic, ask->out, ask->bold_out);
	return ASK_OK;
}

const struct ask_verb cli_verb_help = {
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
