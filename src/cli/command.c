#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "cli/here.h"
#include "cli/verb.h"

static int unknown_verb(struct cli *cli, const char *word)
{
	const char *names[64];
	size_t n = 0;
	while (n < 64 && cli_verbs[n]) {
		names[n] = cli_verbs[n]->name;
		n++;
	}
	const char *best = mer_nearest(word, names, n);
	return mer_fail(&cli->err, MER_ERR_USAGE, "unknown verb '%.100s'%s%s%s", word,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

/* Common options that were given before the verb, and formats, need the verb to be judged. */
static int check_options(struct cli *cli, int first, char **argv, int verb_at)
{
	const struct cli_verb *v = cli->verb;
	const struct cli_option *given = NULL;
	for (int i = first; i < verb_at && !given; i++) {
		for (const struct cli_option *o = cli_common_options; o->name; o++) {
			size_t n = strlen(o->name);
			if (argv[i][0] == '-' && argv[i][1] == '-' &&
				strncmp(argv[i] + 2, o->name, n) == 0 &&
				(argv[i][2 + n] == '=' || !argv[i][2 + n]) &&
				!(o->uses & (v->uses | CLI_USES_ALWAYS)))
				given = o;
		}
	}
	if (given)
		return cli_option_refuse(cli, given);
	static const char *const names[] = { "table", "text", "json", "jsonl", "csv", "lttv", "dot",
		"folded", "speedscope", "svg", "otlp", "perfetto" };
	if (!v->formats)
		return 0;
	if (cli->format == UINT32_MAX) {
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (cli_choice_index(v->formats, names[i], strlen(names[i])) == 0)
				cli->format = i;
		}
	} else if (cli_choice_index(v->formats, names[cli->format], strlen(names[cli->format])) <
		   0) {
		return mer_fail(&cli->err, MER_ERR_USAGE, "--format: '%s' is not one of %s",
			names[cli->format], v->formats);
	}
	return 0;
}

int cli_command_check_words(struct cli *cli)
{
	const struct cli_verb *v = cli->verb;
	bool wants_traces = v->uses & CLI_USES_INPUT && v->min_args == 1;
	if (wants_traces && !cli->n_args && cli_here_add(cli))
		return 0;
	if (cli->n_args < (size_t)v->min_args)
		return mer_fail(&cli->err, MER_ERR_USAGE, "%s; usage: meridian %s %s",
			cli->n_args    ? "too few arguments"
			: wants_traces ? "no traces were named, and the current folder has none"
				       : "no argument given",
			v->name, v->synopsis);
	if (v->max_args >= 0 && cli->n_args > (size_t)v->max_args)
		return mer_fail(&cli->err, MER_ERR_USAGE, "unexpected argument '%.200s'",
			cli->args[v->max_args]);
	return 0;
}

int cli_command_read(struct cli *cli, int argc, char **argv, int verb_at, void **values)
{
	const struct cli_verb *verb = cli_verb_find(argv[verb_at]);
	int at = verb_at + 1;
	if (!verb)
		return unknown_verb(cli, argv[verb_at]);
	cli->verb = verb;
	*values = mer_arena_zalloc(&cli->arena, 1, verb->values_size ? verb->values_size : 1);
	if (!*values)
		return mer_fail_nomem(&cli->err);
	int rc = cli_parse(cli, argc, argv, &at, *values);
	if (rc || cli->want_help)
		return rc;
	return check_options(cli, 1, argv, verb_at);
}
