#include "cli/complete.h"

#include <string.h>
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	struct mer_str s = { 0 };
	const char *shell = cli->args[0];
	(void)values;
	if (cli_choice_index(cli->verb->args, shell, strlen(shell)) < 0)
		return mer_fail(&cli->err, MER_ERR_USAGE, "'%.100s' is not one of %s", shell,
			cli->verb->args);
	cli_complete(&s, shell);
	bool failed = s.failed;
	if (!failed)
		fwrite(s.data, 1, s.len, cli->out);
	mer_str_fini(&s);
	return failed ? mer_fail_nomem(&cli->err) : CLI_OK;
}

const struct cli_verb cli_verb_completion = {
	.name = "completion",
	.help = "print a completion script for a shell",
	.is_aside = true,
	.synopsis = "bash|zsh|fish",
	.description = "Prints a script with which the shell completes verbs, options and "
		       "values. 'make install' installs these scripts; to try one without "
		       "installing, load it as in the examples.",
	.min_args = 1,
	.max_args = 1,
	.args = "bash|zsh|fish",
	.examples = {
		{ "source <(meridian completion bash)", "For this shell only." },
		{ "meridian completion zsh > _meridian", "A file to put into a folder of $fpath." },
	},
	.run = run,
};
