/* fish: a line for each option of each verb, with the condition under which it counts. */
#include <stdio.h>
#include <string.h>
#include "cli/verbs.h"
#include "cli/complete_words.h"

static void put_begin(struct mer_str *s, const struct ask_verb *verb, const char *and_seen)
{
	mer_str_puts(s, "complete -c meridian -n '");
	if (verb)
		mer_str_printf(s, "__fish_seen_subcommand_from %s", verb->name);
	else
		mer_str_puts(s, "__fish_use_subcommand");
	if (and_seen)
		mer_str_printf(s, "; and %s", and_seen);
	mer_str_putc(s, '\'');
}

static void put_name(struct mer_str *s, const struct ask_option *o)
{
	mer_str_printf(s, " -l %s", o->name);
	if (o->letter)
		mer_str_printf(s, " -s %c", o->letter);
}

static void put_help(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	mer_str_puts(s, " -d '");
	complete_help(s, verb, o, "");
	mer_str_puts(s, "'\n");
}

/* The values that each analysis has. */
static void put_values_of(
	struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	for (size_t i = 0; analyses[i]; i++) {
		char seen[128];
		if (!complete_has(verb, analyses[i]))
			continue;
		snprintf(seen, sizeof(seen), "__fish_seen_subcommand_from %.64s", analyses[i]->id);
		put_begin(s, verb, seen);
		put_name(s, o);
		mer_str_puts(s, " -x -a '");
		complete_values_of(s, o, analyses[i]);
		mer_str_puts(s, "'\n");
	}
}

static void put_options(struct mer_str *s, const struct ask_verb *verb)
{
	const struct ask_option *o;
	for (size_t i = 0; (o = ask_option_at(verb, i, NULL)); i++) {
		struct mer_str words = { 0 };
		bool any = complete_values(&words, verb, o);
		put_begin(s, verb, NULL);
		put_name(s, o);
		if (ask_option_has_arg(o))
			mer_str_puts(s, ask_option_is_file(o) ? " -r -F" : " -x");
		if (any && ask_option_has_arg(o))
			mer_str_printf(s, " -a '%s'", words.data);
		put_help(s, verb, o);
		if (verb && o->values != ASK_VALUES_NONE)
			put_values_of(s, verb, o);
		s->failed |= words.failed;
		mer_str_fini(&words);
	}
}

/* Analyses, then traces; never both, but where the analysis may be missing. */
static void put_analyses(struct mer_str *s, const struct ask_verb *v)
{
	struct mer_str words = { 0 }, seen = { 0 };
	complete_args(&words, v);
	mer_str_printf(&seen, "not __fish_seen_subcommand_from %s", words.data ? words.data : "");
	put_begin(s, v, seen.data);
	mer_str_printf(s, " -a '%s'\n", words.data ? words.data : "");
	put_begin(s, v, complete_may_take(v) || !seen.data ? NULL : seen.data + strlen("not "));
	mer_str_puts(s, " -a '(__fish_complete_directories)'\n");
	s->failed |= words.failed || seen.failed;
	mer_str_fini(&words);
	mer_str_fini(&seen);
}

static void put_args(struct mer_str *s, const struct ask_verb *v)
{
	if (complete_takes(v, "ANALYSIS")) {
		put_analyses(s, v);
	} else if (v->args) {
		put_begin(s, v, NULL);
		mer_str_puts(s, " -a '");
		if (complete_takes(v, "TRACE"))
			mer_str_puts(s, "(__fish_complete_directories)");
		complete_args(s, v);
		mer_str_puts(s, "'\n");
	}
}

void complete_fish(struct mer_str *s)
{
	mer_str_puts(s, "# fish completion for meridian; made by: meridian completion fish\n"
			"complete -c meridian -f\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "complete -c meridian -n __fish_use_subcommand -a %s -d '",
			cli_verbs[i]->name);
		complete_quoted(s, cli_verbs[i]->help, "");
		mer_str_puts(s, "'\n");
	}
	put_options(s, NULL);
	for (size_t i = 0; cli_verbs[i]; i++) {
		put_options(s, cli_verbs[i]);
		put_args(s, cli_verbs[i]);
	}
}
