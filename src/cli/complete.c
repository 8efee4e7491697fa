#include "cli/complete.h"

#include <stdio.h>
#include <string.h>
#include "analysis/analysis.h"
#include "cli/verb.h"

/* The words an option's value is one of, "a b c"; empty when it is free. */
static void value_words(struct mer_str *s, const struct cli_verb *verb, const struct cli_option *o)
{
	const char *choices = o->kind == CLI_CHOICE	      ? o->choices
			      : o->kind == CLI_FORMAT && verb ? verb->formats
			      : o->kind == CLI_FORMAT	      ? "table|text|json|jsonl|csv"
							      : "";
	for (const char *p = choices; *p; p++)
		mer_str_putc(s, *p == '|' ? ' ' : *p);
}

static bool is_words(const struct cli_option *o)
{
	return o->kind == CLI_CHOICE || o->kind == CLI_FORMAT;
}

static bool takes(const struct cli_verb *verb, const char *what)
{
	return verb->args && strcmp(verb->args, what) == 0;
}

/* What the words after a verb are besides traces: verbs, analyses, or the words themselves. */
static void arg_words(struct mer_str *s, const struct cli_verb *verb)
{
	if (!verb->args)
		return;
	if (takes(verb, "ANALYSIS")) {
		for (size_t i = 0; analyses[i]; i++)
			mer_str_printf(s, "%s%s", i ? " " : "", analyses[i]->id);
	} else if (takes(verb, "VERB")) {
		for (size_t i = 0; cli_verbs[i]; i++)
			mer_str_printf(s, "%s%s", i ? " " : "", cli_verbs[i]->name);
	} else if (!takes(verb, "TRACE")) {
		for (const char *p = verb->args; *p; p++)
			mer_str_putc(s, *p == '|' ? ' ' : *p);
	}
}

static void bash_options(struct mer_str *s, const struct cli_verb *verb)
{
	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(verb, i, NULL)); i++) {
		mer_str_printf(s, "%s--%s", i ? " " : "", o->name);
		if (o->letter)
			mer_str_printf(s, " -%c", o->letter);
	}
}

static void bash_values(struct mer_str *s, const struct cli_verb *verb)
{
	const struct cli_option *o;
	const char *name = verb ? verb->name : "";
	for (size_t i = 0; (o = cli_option_at(verb, i, NULL)); i++) {
		if (!cli_option_has_arg(o))
			continue;
		mer_str_printf(s, "\t'%s --%s'", name, o->name);
		if (o->letter)
			mer_str_printf(s, " | '%s -%c'", name, o->letter);
		if (is_words(o)) {
			mer_str_puts(s, ") words='");
			value_words(s, verb, o);
			mer_str_puts(s, "' ;;\n");
		} else {
			mer_str_printf(s, ") files=%s ;;\n", o->kind == CLI_FILE ? "-f" : "none");
		}
	}
}

static void bash(struct mer_str *s)
{
	mer_str_puts(s, "# bash completion for meridian; made by: meridian completion bash\n"
			"_meridian()\n{\n"
			"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=\n"
			"\tlocal verb= words= files= i word\n"
			"\t((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
			"\t# --name=value comes as three words\n"
			"\tif [[ $cur == = ]]; then\n"
			"\t\tcur=\n"
			"\telif [[ $prev == = ]] && ((COMP_CWORD > 1)); then\n"
			"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
			"\tfi\n"
			"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
			"\t\tword=${COMP_WORDS[i]}\n"
			"\t\tcase $word in\n\t\t");
	for (size_t i = 0; cli_verbs[i]; i++)
		mer_str_printf(s, "%s%s", i ? " | " : "", cli_verbs[i]->name);
	mer_str_puts(s, ") verb=$word; break ;;\n\t\tesac\n\tdone\n"
			"\tcase \"$verb $prev\" in\n");
	bash_values(s, NULL);
	for (size_t i = 0; cli_verbs[i]; i++)
		bash_values(s, cli_verbs[i]);
	mer_str_puts(s, "\t*)\n\t\tcase \"$verb,$cur\" in\n\t\t,-*) words='");
	bash_options(s, NULL);
	mer_str_puts(s, "' ;;\n\t\t,*) words='");
	for (size_t i = 0; cli_verbs[i]; i++)
		mer_str_printf(s, "%s%s", i ? " " : "", cli_verbs[i]->name);
	mer_str_puts(s, "' ;;\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		const struct cli_verb *v = cli_verbs[i];
		mer_str_printf(s, "\t\t%s,-*) words='", v->name);
		bash_options(s, v);
		mer_str_puts(s, "' ;;\n");
		if (takes(v, "TRACE")) {
			mer_str_printf(s, "\t\t%s,*) files=-d ;;\n", v->name);
		} else {
			mer_str_printf(s, "\t\t%s,*) words='", v->name);
			arg_words(s, v);
			mer_str_puts(s, takes(v, "ANALYSIS") ? "' files=-d ;;\n" : "' ;;\n");
		}
	}
	mer_str_puts(s, "\t\tesac\n\t\t;;\n\tesac\n"
			"\tCOMPREPLY=()\n"
			"\tif [[ $files == -? ]]; then\n"
			"\t\tcompopt -o filenames 2>/dev/null\n"
			"\t\twhile IFS= read -r word; do\n"
			"\t\t\tCOMPREPLY+=(\"$word\")\n"
			"\t\tdone < <(compgen \"$files\" -- \"$cur\")\n"
			"\tfi\n"
			"\tif [[ -n $words ]]; then\n"
			"\t\twhile IFS= read -r word; do\n"
			"\t\t\tCOMPREPLY+=(\"$word\")\n"
			"\t\tdone < <(compgen -W \"$words\" -- \"$cur\")\n"
			"\tfi\n"
			"\treturn 0\n"
			"}\n"
			"complete -F _meridian meridian\n");
}

/* Text inside of single quotes; brackets and colons end a part of zsh's specifications. */
static void quoted(struct mer_str *s, const char *text, const char *escape)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			mer_str_puts(s, "'\\''");
		else if (strchr(escape, *p))
			mer_str_printf(s, "\\%c", *p);
		else
			mer_str_putc(s, *p);
	}
}

static void option_help(struct mer_str *s, const struct cli_verb *verb, const struct cli_option *o,
	const char *escape)
{
	struct mer_str help = { 0 };
	cli_option_help(&help, verb, o);
	if (help.data)
		quoted(s, help.data, escape);
	s->failed |= help.failed;
	mer_str_fini(&help);
}

static void zsh_spec(struct mer_str *s, const struct cli_verb *verb, const struct cli_option *o)
{
	bool repeats = o->kind == CLI_TEXTS || o->kind == CLI_RANGES || o->kind == CLI_REPEAT;
	const char *eq = cli_option_has_arg(o) ? "=" : "";
	mer_str_puts(s, "\t\t");
	if (o->letter && !repeats)
		mer_str_printf(s, "'(-%c --%s)'", o->letter, o->name);
	else if (repeats)
		mer_str_puts(s, "'*'");
	if (o->letter)
		mer_str_printf(s, "{-%c%s,--%s%s}'", o->letter, *eq ? "+" : "", o->name, eq);
	else
		mer_str_printf(s, "'--%s%s", o->name, eq);
	mer_str_putc(s, '[');
	option_help(s, verb, o, "[]:");
	mer_str_putc(s, ']');
	if (cli_option_has_arg(o)) {
		mer_str_printf(s, ":%s:", o->arg);
		if (is_words(o)) {
			mer_str_putc(s, '(');
			value_words(s, verb, o);
			mer_str_putc(s, ')');
		} else if (o->kind == CLI_FILE) {
			mer_str_puts(s, "_files");
		} else {
			mer_str_putc(s, ' ');
		}
	}
	mer_str_puts(s, "' \\\n");
}

static void zsh(struct mer_str *s)
{
	const struct cli_option *o;
	mer_str_puts(s, "#compdef meridian\n"
			"# zsh completion for meridian; made by: meridian completion zsh\n"
			"_meridian() {\n"
			"\tlocal curcontext=$curcontext state line ret=1\n"
			"\ttypeset -A opt_args\n"
			"\tlocal -a verbs=(\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "\t\t'%s:", cli_verbs[i]->name);
		quoted(s, cli_verbs[i]->help, ":");
		mer_str_puts(s, "'\n");
	}
	mer_str_puts(s, "\t)\n\t_arguments -C -s \\\n");
	for (size_t i = 0; (o = cli_option_at(NULL, i, NULL)); i++)
		zsh_spec(s, NULL, o);
	mer_str_puts(s, "\t\t'1:verb:->verb' \\\n\t\t'*::arg:->args' && ret=0\n"
			"\tcase $state in\n"
			"\tverb) _describe -t verbs verb verbs && ret=0 ;;\n"
			"\targs)\n\t\tcase $line[1] in\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		const struct cli_verb *v = cli_verbs[i];
		mer_str_printf(s, "\t\t%s) _arguments -s \\\n", v->name);
		for (size_t k = 0; (o = cli_option_at(v, k, NULL)); k++)
			zsh_spec(s, v, o);
		if (takes(v, "TRACE")) {
			mer_str_puts(s, "\t\t'*:trace:_files -/' && ret=0 ;;\n");
		} else if (takes(v, "ANALYSIS")) {
			mer_str_puts(s, "\t\t'1:analysis:(");
			arg_words(s, v);
			mer_str_puts(s, ")' '*:trace:_files -/' && ret=0 ;;\n");
		} else {
			mer_str_puts(s, "\t\t'*:word:(");
			arg_words(s, v);
			mer_str_puts(s, ")' && ret=0 ;;\n");
		}
	}
	mer_str_puts(s, "\t\tesac\n\t\t;;\n\tesac\n\treturn ret\n}\n"
			"if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
			"\t_meridian \"$@\"\nelse\n\tcompdef _meridian meridian\nfi\n");
}

static void fish_options(struct mer_str *s, const struct cli_verb *verb)
{
	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(verb, i, NULL)); i++) {
		mer_str_puts(s, "complete -c meridian -n '");
		if (verb)
			mer_str_printf(s, "__fish_seen_subcommand_from %s", verb->name);
		else
			mer_str_puts(s, "__fish_use_subcommand");
		mer_str_printf(s, "' -l %s", o->name);
		if (o->letter)
			mer_str_printf(s, " -s %c", o->letter);
		if (is_words(o)) {
			mer_str_puts(s, " -x -a '");
			value_words(s, verb, o);
			mer_str_putc(s, '\'');
		} else if (cli_option_has_arg(o)) {
			mer_str_puts(s, o->kind == CLI_FILE ? " -r -F" : " -x");
		}
		mer_str_puts(s, " -d '");
		option_help(s, verb, o, "");
		mer_str_puts(s, "'\n");
	}
}

static void fish(struct mer_str *s)
{
	mer_str_puts(s, "# fish completion for meridian; made by: meridian completion fish\n"
			"complete -c meridian -f\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "complete -c meridian -n __fish_use_subcommand -a %s -d '",
			cli_verbs[i]->name);
		quoted(s, cli_verbs[i]->help, "");
		mer_str_puts(s, "'\n");
	}
	fish_options(s, NULL);
	for (size_t i = 0; cli_verbs[i]; i++) {
		const struct cli_verb *v = cli_verbs[i];
		fish_options(s, v);
		if (!v->args)
			continue;
		mer_str_printf(s, "complete -c meridian -n '__fish_seen_subcommand_from %s' -a '",
			v->name);
		if (takes(v, "TRACE") || takes(v, "ANALYSIS"))
			mer_str_puts(s, "(__fish_complete_directories) ");
		if (!takes(v, "TRACE"))
			arg_words(s, v);
		mer_str_puts(s, "'\n");
	}
}

void cli_complete(struct mer_str *s, const char *shell)
{
	if (strcmp(shell, "zsh") == 0)
		zsh(s);
	else if (strcmp(shell, "fish") == 0)
		fish(s);
	else
		bash(s);
}
