/* --help, the list of verbs, and the check of the tables that all this comes from. */
#include <string.h>
#include "cli/help.h"
#include "cli/ranks/ranks.h"
#include "cli/verbs.h"
#include "ask/print/text.h"
#include "cli/topic.h"
#include "ask/verb.h"

/* Text starts at this column, after the options' names. */
enum { HELP_WIDTH = 79, HELP_COLUMN = 23, HELP_LINES = 40 };

static void heading(struct mer_str *s, const char *text, bool bold)
{
	mer_str_printf(s, "\n%s%s:%s\n", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

/* "table (default), json or csv" */
static void formats_help(struct mer_str *s, const char *formats)
{
	for (const char *p = formats;;) {
		size_t n = strcspn(p, "|");
		mer_str_printf(s, "%.*s%s", (int)n, p, p == formats && p[n] ? " (default)" : "");
		if (!p[n])
			return;
		p += n + 1;
		mer_str_puts(s, strchr(p, '|') ? ", " : " or ");
	}
}

void ask_option_help(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	if (o->kind == ASK_FORMAT)
		formats_help(s, verb && verb->formats ? verb->formats : "table|json|jsonl|csv");
	else
		mer_str_printf(s, "%s%s", o->help,
			o->help_more && verb && (verb->uses & o->more_uses) ? o->help_more : "");
}

static void option_line(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	char name[64], letter[8] = "    ";
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(name, sizeof(name), "  %s--%s%s%s", letter, o->name, o->arg ? " " : "",
		o->arg ? o->arg : "");
	mer_str_printf(s, "%-*s ", HELP_COLUMN - 1, name);
	if (o->kind == ASK_FORMAT) { /* made, not written: it may need a second line */
		struct mer_str text = { 0 }, lines = { 0 };
		ask_option_help(&text, verb, o);
		ask_text_wrap(&lines, text.data ? text.data : "", HELP_WIDTH, HELP_COLUMN);
		if (lines.len > HELP_COLUMN)
			mer_str_add(s, lines.data + HELP_COLUMN, lines.len - HELP_COLUMN);
		s->failed |= text.failed || lines.failed;
		mer_str_fini(&text);
		mer_str_fini(&lines);
		return;
	}
	ask_option_help(s, verb, o);
	mer_str_putc(s, '\n');
}

/* With the names of options that only the manual page describes: those that are looked for most
 * come first, and as many as fit the line. */
static void common_heading(const struct ask_verb *verb, struct mer_str *s, bool bold)
{
	static const char *const first[] = { "store", "jobs", "progress", "marks", "pid", "vm",
		"ignore-uuid", "clock-wrap", "color", NULL };
	struct mer_str text = { 0 };
	unsigned n = 0, n_left = 0;
	mer_str_puts(&text, "Common options");
	for (const char *const *name = first; *name; name++)
		for (const struct ask_option *o = ask_common_options; o->name; o++) {
			if (strcmp(o->name, *name) != 0 || !o->in_manual_only ||
				!(o->uses & (verb->uses | ASK_USES_ALWAYS)))
				continue;
			size_t len = text.len;
			if (n++)
				mer_str_printf(&text, ", --%s", o->name);
			else
				mer_str_printf(
					&text, " (man meridian-%s: --%s", verb->name, o->name);
			if (text.len + strlen(", ...):") <= HELP_WIDTH)
				continue;
			text.len = len;
			text.data[len] = '\0';
			n_left++;
		}
	mer_str_puts(&text, n ? n_left ? ", ...)" : ")" : "");
	heading(s, text.data ? text.data : "Common options", bold);
	s->failed |= text.failed;
	mer_str_fini(&text);
}

static void verb_help(const struct ask_verb *verb, struct mer_str *s, bool bold)
{
	const struct ask_option *o;
	bool common, began = false;

	char between = verb->is_program ? '-' : ' ';
	mer_str_printf(s, "meridian%c%s: %s\n\n", between, verb->name, verb->help);
	mer_str_printf(s, "%sUsage:%s meridian%c%s%s%s\n\n", bold ? "\033[1m" : "",
		bold ? "\033[0m" : "", between, verb->name, *verb->synopsis ? " " : "",
		verb->synopsis);
	ask_text_wrap(s, verb->description, HELP_WIDTH, 0);
	for (size_t i = 0; (o = ask_option_at(verb, i, &common)); i++) {
		if (common && i > 0 && !began)
			common_heading(verb, s, bold);
		else if (i == 0)
			heading(s, "Options", bold);
		began |= common;
		if (!o->in_manual_only)
			option_line(s, verb, o);
	}
	heading(s, "Examples", bold);
	for (size_t i = 0; i < 2; i++)
		mer_str_printf(
			s, "  %s\n      %s\n", verb->examples[i].command, verb->examples[i].what);
}

static void print(struct mer_str *s, FILE *out)
{
	if (s->data)
		fwrite(s->data, 1, s->len, out);
	mer_str_fini(s);
}

void cli_help_verb(const struct ask_verb *verb, FILE *out, bool bold)
{
	struct mer_str s = { 0 };
	verb_help(verb, &s, bold);
	print(&s, out);
}

void cli_help_topic(const struct cli_topic *topic, FILE *out, bool bold)
{
	struct mer_str s = { 0 };
	mer_str_printf(&s, "meridian %s: %s\n", topic->name, topic->help);
	for (const struct cli_topic_section *x = topic->sections; x->title; x++) {
		heading(&s, x->title, bold);
		ask_text_wrap(&s, x->text, HELP_WIDTH, 0);
	}
	print(&s, out);
}

void cli_help_all(FILE *out, bool bold)
{
	struct mer_str s = { 0 };
	const struct ask_option *o;
	mer_str_printf(&s,
		"meridian: performance analysis across hosts from kernel traces\n\n"
		"%sUsage:%s meridian VERB [OPTION...] [TRACE...]\n",
		bold ? "\033[1m" : "", bold ? "\033[0m" : "");
	heading(&s, "Verbs", bold);
	/* Rarely needed ones share a line: the whole is one screen. */
	for (size_t i = 0; cli_verbs[i]; i++)
		if (!cli_verbs[i]->is_aside)
			mer_str_printf(&s, "  %-12s %s\n", cli_verbs[i]->name, cli_verbs[i]->help);
	for (size_t i = 0, n = 0; cli_verbs[i]; i++)
		if (cli_verbs[i]->is_aside)
			mer_str_printf(&s, "%s%s", n++ ? ", " : "  ", cli_verbs[i]->name);
	mer_str_puts(&s, "\n\nA TRACE is the folder of a trace, or one with traces below it.\n"
			 "'meridian VERB --help' lists the options of a verb, with examples.\n");
	heading(&s, "Options of every verb", bold);
	for (size_t i = 0; (o = ask_option_at(NULL, i, NULL)); i++) {
		if (!o->uses || o->uses & ASK_USES_ALWAYS)
			option_line(&s, NULL, o);
	}
	heading(&s, "Example", bold);
	mer_str_puts(&s, "  meridian summary client/ server/\n");
	print(&s, out);
}

void cli_help_options(FILE *out)
{
	static const char *const names[] = { "begin", "host", "cpu", "tid", "pid", "comm", "name",
		"min", "filter", "period", "request", "view", "marks", "sync", "limit", "plot",
		"json", "store", "jobs", NULL };
	fputs("| verb |", out);
	for (const char *const *name = names; *name; name++)
		fprintf(out, " %s |", *name);
	fputs("\n|---|", out);
	for (const char *const *name = names; *name; name++)
		fputs(":-:|", out);
	for (size_t i = 0; cli_verbs[i]; i++) {
		if (!(cli_verbs[i]->uses & ASK_USES_INPUT))
			continue;
		fprintf(out, "\n| %s |", cli_verbs[i]->name);
		for (const char *const *name = names; *name; name++)
			fputs(ask_option_find(cli_verbs[i], *name, strlen(*name), 0, NULL) ? " x |"
											   : " |",
				out);
	}
	fputs("\n", out);
}

static int check_options(const struct ask_verb *verb, FILE *out)
{
	const struct ask_option *a, *b;
	const char *name = verb ? verb->name : "meridian";
	int n_bad = 0;
	for (size_t i = 0; (a = ask_option_at(verb, i, NULL)); i++) {
		for (size_t k = i + 1; (b = ask_option_at(verb, k, NULL)); k++) {
			if (strcmp(a->name, b->name) == 0 ||
				(a->letter && a->letter == b->letter)) {
				fprintf(out, "%s: --%s and --%s collide\n", name, a->name, b->name);
				n_bad++;
			}
		}
		if (ask_option_has_arg(a) != (a->arg != NULL) ||
			(!a->help && a->kind != ASK_FORMAT) ||
			(a->kind == ASK_CHOICE && !a->choices)) {
			fprintf(out, "%s: --%s is not described completely\n", name, a->name);
			n_bad++;
		}
		/* The server refuses options by their kind. */
		if (a->arg && strcmp(a->arg, "FILE") == 0 && !ask_option_is_file(a)) {
			fprintf(out, "%s: --%s is a file, but not of that kind\n", name, a->name);
			n_bad++;
		}
		if (!a->in_manual_only &&
			strlen(a->name) + (a->arg ? strlen(a->arg) + 1 : 0) + 8 >= HELP_COLUMN) {
			fprintf(out, "%s: --%s and its value are too long\n", name, a->name);
			n_bad++;
		}
	}
	return n_bad;
}

static int check_size(const char *name, const struct mer_str *s, FILE *out)
{
	int n_bad = 0, lines = 0;
	for (const char *p = s->data ? s->data : ""; *p;) {
		size_t n = strcspn(p, "\n");
		lines++;
		if (ask_text_width(p, n) > HELP_WIDTH) {
			fprintf(out, "%s: too wide: %.*s\n", name, (int)n, p);
			n_bad++;
		}
		p += n + (p[n] != '\0');
	}
	if (lines > HELP_LINES) {
		fprintf(out, "%s: help is %d lines long\n", name, lines);
		n_bad++;
	}
	return n_bad;
}

static int check_help(const struct ask_verb *v, FILE *out)
{
	struct mer_str s = { 0 };
	int n_bad = check_options(v, out);
	verb_help(v, &s, false);
	n_bad += check_size(v->name, &s, out);
	mer_str_fini(&s);
	return n_bad;
}

int cli_check_verb(const struct ask_verb *v, FILE *out)
{
	int n_bad = check_help(v, out);
	for (size_t k = 0; k < 2; k++) {
		const char *command = v->examples[k].command;
		if (!command || !strstr(command, "meridian ") || !strstr(command, v->name)) {
			fprintf(out, "%s: example %zu does not use it\n", v->name, k + 1);
			n_bad++;
		}
	}
	if (!v->run || !v->help || !v->description) {
		fprintf(out, "%s: not described completely\n", v->name);
		n_bad++;
	}
	if ((v->uses & ASK_USES_FORMAT) && !v->formats) {
		fprintf(out, "%s: takes --format, but lists no formats\n", v->name);
		n_bad++;
	}
	return n_bad;
}

int cli_self_check(FILE *out)
{
	int n_bad = check_options(NULL, out) + check_help(&cli_verb_mpi, out);
	for (size_t i = 0; cli_verbs[i]; i++) {
		const struct ask_verb *v = cli_verbs[i];
		n_bad += cli_check_verb(v, out);
		if (cli_verb_find(v->name) != v) {
			fprintf(out, "%s: there are two of this name\n", v->name);
			n_bad++;
		}
	}
	return n_bad;
}
