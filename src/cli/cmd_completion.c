#include "cli/complete.h"

#include <string.h>
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	struct mer_str s = { 0 };
	const char *shell = ask->args[0];
	(void)values;
	if (ask_choice_index(ask->verb->args, shell, strlen(shell)) < 0)
		return mer_fail(&ask->err, MER_ERR_USAGE, "'%.100s' is not one of %s", shell,
			ask->verb->args);
	cli_complete(&s, shell);
	bool failed = s.failed;
	if (!failed)
		fwrite(s.data, 1, s.len, ask->out);
	mer_str_fini(&s);
	return failed ? mer_fail_nomem(&ask->err) : ASK_OK;
}

const struct ask_verb cli_verb_completion = {
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
