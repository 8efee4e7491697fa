#include "ask/words/command.h"

#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "ask/words/here.h"
#include "ask/program.h"
#include "ask/verb.h"

static int unknown_verb(struct ask *ask, const char *word)
{
	const char *names[64];
	size_t n = 0;
	const struct ask_verb *const *all = ask_verbs_of(ask);
	while (n < 64 && all[n]) {
		names[n] = all[n]->name;
		n++;
	}
	const char *best = mer_nearest(word, names, n);
	return mer_fail(&ask->err, MER_ERR_USAGE, "unknown verb '%.100s'%s%s%s", word,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

/* Common options that were given before the verb, and formats, need the verb to be judged. */
static int check_options(struct ask *ask, int first, char **argv, int verb_at)
{
	const struct ask_verb *v = ask->verb;
	const struct ask_option *given = NULL;
	for (int i = first; i < verb_at && !given; i++) {
		for (const struct ask_option *o = ask_common_options; o->name; o++) {
			size_t n = strlen(o->name);
			if (argv[i][0] == '-' && argv[i][1] == '-' &&
				strncmp(argv[i] + 2, o->name, n) == 0 &&
				(argv[i][2 + n] == '=' || !argv[i][2 + n]) &&
				!(o->uses & (v->uses | ASK_USES_ALWAYS)))
				given = o;
		}
	}
	if (given)
		return ask_option_refuse(ask, given);
	static const char *const names[] = { "table", "text", "json", "jsonl", "csv", "lttv", "dot",
		"folded", "speedscope", "svg", "otlp", "perfetto", "openmetrics" };
	if (!v->formats)
		return 0;
	if (ask->format == UINT32_MAX) {
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (ask_choice_index(v->formats, names[i], strlen(names[i])) == 0)
				ask->format = i;
		}
	} else if (ask_choice_index(v->formats, names[ask->format], strlen(names[ask->format])) <
		   0) {
		return mer_fail(&ask->err, MER_ERR_USAGE, "--format: '%s' is not one of %s",
			names[ask->format], v->formats);
	}
	return 0;
}

int ask_command_check_words(struct ask *ask)
{
	const struct ask_verb *v = ask->verb;
	bool wants_traces = v->uses & ASK_USES_INPUT && v->min_args == 1;
	if (wants_traces && !ask->n_args && ask_here_add(ask))
		return 0;
	if (ask->n_args < (size_t)v->min_args)
		return mer_fail(&ask->err, MER_ERR_USAGE, "%s; usage: meridian %s %s",
			ask->n_args    ? "too few arguments"
			: wants_traces ? "no traces were named, and the current folder has none"
				       : "no argument given",
			v->name, v->synopsis);
	if (v->max_args >= 0 && ask->n_args > (size_t)v->max_args)
		return mer_fail(&ask->err, MER_ERR_USAGE, "unexpected argument '%.200s'",
			ask->args[v->max_args]);
	return 0;
}

int ask_command_read(struct ask *ask, int argc, char **argv, int verb_at, void **values)
{
	const struct ask_verb *verb = ask_verb_find(ask, argv[verb_at]);
	int at = verb_at + 1;
	if (!verb)
		return unknown_verb(ask, argv[verb_at]);
	ask->verb = verb;
	*values = mer_arena_zalloc(&ask->arena, 1, verb->values_size ? verb->values_size : 1);
	if (!*values)
		return mer_fail_nomem(&ask->err);
	int rc = ask_parse(ask, argc, argv, &at, *values);
	if (rc || ask->want_help)
		return rc;
	return check_options(ask, 1, argv, verb_at);
}
