/* bash: one function that looks at the words before the cursor. */
#include "cli/verbs.h"
#include "cli/complete_words.h"

static void put_options(struct mer_str *s, const struct ask_verb *verb)
{
	const struct ask_option *o;
	for (size_t i = 0; (o = ask_option_at(verb, i, NULL)); i++) {
		mer_str_printf(s, "%s--%s", i ? " " : "", o->name);
		if (o->letter)
			mer_str_printf(s, " -%c", o->letter);
	}
}

/* 'top --sort' | 'top -n' */
static void put_names(struct mer_str *s, const char *verb, const struct ask_option *o)
{
	mer_str_printf(s, "'%s --%s'", verb, o->name);
	if (o->letter)
		mer_str_printf(s, " | '%s -%c'", verb, o->letter);
}

/* words= or files= for the value of each option. */
static void put_values(struct mer_str *s, const struct ask_verb *verb)
{
	const struct ask_option *o;
	for (size_t i = 0; (o = ask_option_at(verb, i, NULL)); i++) {
		if (!ask_option_has_arg(o))
			continue;
		mer_str_putc(s, '\t');
		put_names(s, verb ? verb->name : "", o);
		mer_str_puts(s, ") ");
		if (verb && o->values != ASK_VALUES_NONE) {
			mer_str_puts(s, "case $analysis in\n");
			for (size_t k = 0; analyses[k]; k++) {
				if (!complete_has(verb, analyses[k]))
					continue;
				mer_str_printf(s, "\t\t%s) words='", analyses[k]->id);
				complete_values_of(s, o, analyses[k]);
				mer_str_puts(s, "' ;;\n");
			}
			mer_str_puts(s, "\t\tesac ;;\n");
			continue;
		}
		mer_str_puts(s, "words='");
		complete_values(s, verb, o);
		mer_str_printf(s, "' files=%s ;;\n", ask_option_is_file(o) ? "-f" : "none");
	}
}

/* What the words after a verb are. */
static void put_args(struct mer_str *s, const struct ask_verb *v)
{
	mer_str_printf(s, "\t\t%s,-*) words='", v->name);
	put_options(s, v);
	mer_str_printf(s, "' ;;\n\t\t%s,*) ", v->name);
	if (complete_takes(v, "TRACE")) {
		mer_str_puts(s, "files=-d ;;\n");
	} else if (complete_takes(v, "ANALYSIS")) {
		/* Analyses first, then traces; never both, but where the analysis may be
		 * missing. */
		mer_str_printf(s, "files=-d; [[ -n $analysis%s ]] || { words='",
			complete_may_take(v) ? "" : " || $n_words -gt 0");
		complete_args(s, v);
		mer_str_printf(s, "'%s; } ;;\n", complete_may_take(v) ? "" : " files=");
	} else {
		mer_str_puts(s, "words='");
		complete_args(s, v);
		mer_str_puts(s, "' ;;\n");
	}
}

static void put_names_with_value(struct mer_str *s)
{
	const struct ask_option *o;
	const char *between = "";
	for (size_t v = 0; cli_verbs[v]; v++)
		for (size_t i = 0; (o = ask_option_at(cli_verbs[v], i, NULL)); i++)
			if (ask_option_has_arg(o)) {
				mer_str_puts(s, between);
				put_names(s, cli_verbs[v]->name, o);
				between = " | ";
			}
}

void complete_bash(struct mer_str *s)
{
	mer_str_puts(s, "# bash completion for meridian; made by: meridian completion bash\n"
			"_meridian()\n{\n"
			"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev= before=\n"
			"\tlocal verb= analysis= words= files= i word n_words=0\n"
			"\t((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
			"\t# --name=value comes as three words, or as one where = breaks no words\n"
			"\tif [[ $cur == = ]]; then\n"
			"\t\tcur=\n"
			"\telif [[ $prev == = ]] && ((COMP_CWORD > 1)); then\n"
			"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
			"\telif [[ $cur == --*=* ]]; then\n"
			"\t\tbefore=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}\n"
			"\tfi\n"
			"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
			"\t\tword=${COMP_WORDS[i]}\n"
			"\t\tif [[ -z $verb ]]; then\n"
			"\t\t\tcase $word in\n\t\t\t");
	for (size_t i = 0; cli_verbs[i]; i++)
		mer_str_printf(s, "%s%s", i ? " | " : "", cli_verbs[i]->name);
	mer_str_puts(s, ") verb=$word ;;\n\t\t\tesac\n\t\t\tcontinue\n\t\tfi\n"
			"\t\tcase \"$verb $word\" in\n\t\t");
	put_names_with_value(s);
	mer_str_puts(s, ")\n\t\t\t((i++))\n"
			"\t\t\t[[ ${COMP_WORDS[i]} == = ]] && ((i++))\n\t\t\t;;\n"
			"\t\t*\\ -* | *\\ =) ;;\n\t\t*)\n\t\t\tif ((n_words++ == 0)); then\n"
			"\t\t\t\tcase $word in\n\t\t\t\t");
	for (size_t i = 0; analyses[i]; i++)
		mer_str_printf(s, "%s%s", i ? " | " : "", analyses[i]->id);
	mer_str_puts(s, ") analysis=$word ;;\n\t\t\t\tesac\n\t\t\tfi\n\t\t\t;;\n\t\tesac\n\tdone\n"
			"\tcase \"$verb $prev\" in\n");
	put_values(s, NULL);
	for (size_t i = 0; cli_verbs[i]; i++)
		put_values(s, cli_verbs[i]);
	mer_str_puts(s, "\t*)\n\t\tcase \"$verb,$cur\" in\n\t\t,-*) words='");
	put_options(s, NULL);
	mer_str_puts(s, "' ;;\n\t\t,*) words='");
	for (size_t i = 0; cli_verbs[i]; i++)
		mer_str_printf(s, "%s%s", i ? " " : "", cli_verbs[i]->name);
	mer_str_puts(s, "' ;;\n");
	for (size_t i = 0; cli_verbs[i]; i++)
		put_args(s, cli_verbs[i]);
	mer_str_puts(s, "\t\tesac\n\t\t;;\n\tesac\n"
			"\tCOMPREPLY=()\n"
			"\tif [[ $files == -? ]]; then\n"
			"\t\tcompopt -o filenames 2>/dev/null\n"
			"\t\twhile IFS= read -r word; do\n"
			"\t\t\tCOMPREPLY+=(\"$before$word\")\n"
			"\t\tdone < <(compgen \"$files\" -- \"$cur\")\n"
			"\tfi\n"
			"\tif [[ -n $words ]]; then\n"
			"\t\twhile IFS= read -r word; do\n"
			"\t\t\tCOMPREPLY+=(\"$before$word\")\n"
			"\t\tdone < <(compgen -W \"$words\" -- \"$cur\")\n"
			"\tfi\n"
			"\treturn 0\n"
			"}\n"
			"complete -F _meridian meridian\n");
}
