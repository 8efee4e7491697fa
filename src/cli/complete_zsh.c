/* zsh: _arguments for each verb; what depends on the analysis is a function. */
#include "cli/verbs.h"
#include "cli/complete_words.h"

/* Where a value is looked for: _arguments' action. */
static void put_action(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	struct mer_str words = { 0 };
	bool any = complete_values(&words, verb, o);
	if (o->values == ASK_VALUES_COLUMNS)
		mer_str_puts(s, "_meridian_columns");
	else if (o->values == ASK_VALUES_TABLES)
		mer_str_puts(s, "_meridian_tables");
	else if (any && ask_option_is_file(o))
		mer_str_printf(
			s, "_alternative \"word:word:(%s)\" \"file:file:_files\"", words.data);
	else if (any)
		mer_str_printf(s, "(%s)", words.data);
	else
		mer_str_puts(s, ask_option_is_file(o) ? "_files" : " ");
	s->failed |= words.failed;
	mer_str_fini(&words);
}

static void put_spec(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	bool repeats = o->kind == ASK_TEXTS || o->kind == ASK_RANGES || o->kind == ASK_REPEAT ||
		       o->kind == ASK_REQUEST;
	const char *eq = ask_option_has_arg(o) ? "=" : "";
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
	complete_help(s, verb, o, "[]:");
	mer_str_putc(s, ']');
	if (ask_option_has_arg(o)) {
		mer_str_printf(s, ":%s:", o->arg);
		put_action(s, verb, o);
	}
	mer_str_puts(s, "' \\\n");
}

static void put_args(struct mer_str *s, const struct ask_verb *v)
{
	if (complete_takes(v, "TRACE")) {
		mer_str_puts(s, "\t\t'*:trace:_files -/' && ret=0 ;;\n");
		return;
	}
	bool analysis = complete_takes(v, "ANALYSIS");
	mer_str_puts(s, analysis ? "\t\t'1:analysis:" : "\t\t'*:word:");
	if (analysis && complete_may_take(v))
		mer_str_puts(s, "_alternative \"analysis:analysis:(");
	else
		mer_str_putc(s, '(');
	complete_args(s, v);
	if (analysis && complete_may_take(v))
		mer_str_puts(s, ")\" \"trace:trace:_files -/\"");
	else
		mer_str_putc(s, ')');
	mer_str_puts(s, analysis ? "' '*:trace:_files -/' && ret=0 ;;\n" : "' && ret=0 ;;\n");
}

/* The values that an analysis has, chosen by the first of its names on the line. */
static void put_function(struct mer_str *s, const char *name, enum ask_values values)
{
	const struct ask_option o = { .values = values };
	mer_str_printf(s,
		"_meridian_%s() {\n\tlocal word\n\tfor word in $words; do\n\t\tcase $word in\n",
		name);
	for (size_t i = 0; analyses[i]; i++) {
		mer_str_printf(s, "\t\t%s) compadd -- ", analyses[i]->id);
		complete_values_of(s, &o, analyses[i]);
		mer_str_puts(s, "; return ;;\n");
	}
	mer_str_puts(s, "\t\tesac\n\tdone\n\treturn 1\n}\n");
}

void complete_zsh(struct mer_str *s)
{
	const struct ask_option *o;
	mer_str_puts(s, "#compdef meridian\n"
			"# zsh completion for meridian; made by: meridian completion zsh\n");
	put_function(s, "columns", ASK_VALUES_COLUMNS);
	put_function(s, "tables", ASK_VALUES_TABLES);
	mer_str_puts(s, "_meridian() {\n"
			"\tlocal curcontext=$curcontext state line ret=1\n"
			"\ttypeset -A opt_args\n"
			"\tlocal -a verbs=(\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "\t\t'%s:", cli_verbs[i]->name);
		complete_quoted(s, cli_verbs[i]->help, ":");
		mer_str_puts(s, "'\n");
	}
	mer_str_puts(s, "\t)\n\t_arguments -C -s \\\n");
	for (size_t i = 0; (o = ask_option_at(NULL, i, NULL)); i++)
		put_spec(s, NULL, o);
	mer_str_puts(s, "\t\t'1:verb:->verb' \\\n\t\t'*::arg:->args' && ret=0\n"
			"\tcase $state in\n"
			"\tverb) _describe -t verbs verb verbs && ret=0 ;;\n"
			"\targs)\n\t\tcase $line[1] in\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "\t\t%s) _arguments -s \\\n", cli_verbs[i]->name);
		for (size_t k = 0; (o = ask_option_at(cli_verbs[i], k, NULL)); k++)
			put_spec(s, cli_verbs[i], o);
		put_args(s, cli_verbs[i]);
	}
	mer_str_puts(s, "\t\tesac\n\t\t;;\n\tesac\n\treturn ret\n}\n"
			"if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
			"\t_meridian \"$@\"\nelse\n\tcompdef _meridian meridian\nfi\n");
}
