#include "cli/verbs.h"
#include "cli/complete.h"

#include <string.h>
#include "cli/complete_words.h"
#include "cli/topic.h"
#include "session/choice.h"

static void put_word(struct mer_str *s, const char *word, size_t len)
{
	mer_str_puts(s, s->len ? " " : "");
	mer_str_add(s, word, len);
}

/* "a|b|c" */
static void put_choices(struct mer_str *s, const char *choices)
{
	for (const char *p = choices; p && *p;) {
		size_t n = strcspn(p, "|");
		put_word(s, p, n);
		p += n + (p[n] == '|');
	}
}

bool complete_takes(const struct ask_verb *verb, const char *what)
{
	return verb->args && strcmp(verb->args, what) == 0;
}

bool complete_may_take(const struct ask_verb *verb)
{
	return strncmp(verb->synopsis, "[ANALYSIS] ", 11) == 0;
}

bool complete_has(const struct ask_verb *verb, const struct analysis *a)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		if (session_is_table_of(o, verb->name))
			return true;
	return false;
}

void complete_args(struct mer_str *s, const struct ask_verb *verb)
{
	struct mer_str words = { 0 };
	if (complete_takes(verb, "ANALYSIS")) {
		for (size_t i = 0; analyses[i]; i++)
			if (complete_has(verb, analyses[i]))
				put_word(&words, analyses[i]->id, strlen(analyses[i]->id));
	} else if (complete_takes(verb, "VERB")) {
		for (size_t i = 0; cli_verbs[i]; i++)
			put_word(&words, cli_verbs[i]->name, strlen(cli_verbs[i]->name));
		for (size_t i = 0; cli_topics[i]; i++)
			put_word(&words, cli_topics[i]->name, strlen(cli_topics[i]->name));
	} else if (verb->args && !complete_takes(verb, "TRACE")) {
		put_choices(&words, verb->args);
	}
	mer_str_add(s, words.data ? words.data : "", words.len);
	s->failed |= words.failed;
	mer_str_fini(&words);
}

bool complete_values(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	struct mer_str words = { 0 };
	put_choices(&words, o->kind != ASK_FORMAT   ? o->choices
			    : verb && verb->formats ? verb->formats
						    : "table|json|jsonl|csv");
	bool any = words.len > 0;
	mer_str_add(s, words.data ? words.data : "", words.len);
	s->failed |= words.failed;
	mer_str_fini(&words);
	return any;
}

/* Is the key in an earlier column of the analysis? */
static bool was_there(const struct analysis *a, const struct mer_column *column)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		for (const struct mer_column *c = o->columns; c->key; c++) {
			if (c == column)
				return false;
			if (strcmp(c->key, column->key) == 0)
				return true;
		}
	return false;
}

void complete_values_of(struct mer_str *s, const struct ask_option *o, const struct analysis *a)
{
	struct mer_str words = { 0 };
	for (const struct analysis_output *out = a->outputs; out->id; out++) {
		if (o->values == ASK_VALUES_TABLES)
			put_word(&words, out->id, strlen(out->id));
		for (const struct mer_column *c = out->columns;
			o->values == ASK_VALUES_COLUMNS && c->key; c++)
			if (!was_there(a, c))
				put_word(&words, c->key, strlen(c->key));
	}
	if (o->values == ASK_VALUES_TABLES)
		put_word(&words, "all", 3);
	mer_str_add(s, words.data ? words.data : "", words.len);
	s->failed |= words.failed;
	mer_str_fini(&words);
}

void complete_quoted(struct mer_str *s, const char *text, const char *escape)
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

void complete_help(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o,
	const char *escape)
{
	struct mer_str help = { 0 };
	ask_option_help(&help, verb, o);
	if (help.data)
		complete_quoted(s, help.data, escape);
	s->failed |= help.failed;
	mer_str_fini(&help);
}

void cli_complete(struct mer_str *s, const char *shell)
{
	if (strcmp(shell, "zsh") == 0)
		complete_zsh(s);
	else if (strcmp(shell, "fish") == 0)
		complete_fish(s);
	else
		complete_bash(s);
}
