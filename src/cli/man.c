/* Manual pages as scdoc source, from the same tables as --help. The build runs them through scdoc:
 * see CMakeLists.txt. */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"
#include "cli/verbs.h"
#include "analysis/analysis.h"
#include "cli/complete_words.h"
#include "cli/ranks/ranks.h"
#include "ask/print/text.h"
#include "cli/topic.h"
#include "ask/verb.h"

/* Text in which scdoc must see no markup. */
static void plain(struct mer_str *s, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (strchr("_*\\#`[]|<>~", *p))
			mer_str_putc(s, '\\');
		mer_str_putc(s, *p);
	}
}

/* Paragraphs; lines that begin with blanks are literal. */
static void paragraphs(struct mer_str *s, const char *text)
{
	bool literal = false;
	while (*text) {
		size_t n = strcspn(text, "\n");
		if ((text[0] == ' ') != literal) {
			if (!literal && s->len >= 2 && s->data[s->len - 2] != '\n')
				mer_str_putc(s, '\n');
			mer_str_puts(s, "```\n");
			literal = !literal;
		}
		char line[1024];
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		if (literal) {
			mer_str_puts(s, line);
		} else {
			if (line[0] && strchr("-*#|]:", line[0]))
				mer_str_putc(s, '\\'); /* no list, heading or table */
			plain(s, line);
		}
		mer_str_putc(s, '\n');
		text += n + (text[n] != '\0');
	}
	if (literal)
		mer_str_puts(s, "```\n");
	mer_str_putc(s, '\n');
}

static void title(struct mer_str *s, const char *page, int section)
{
	mer_str_printf(s, "%s(%d)\n\n# NAME\n\n%s - ", page, section, page);
}

static void option(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o)
{
	if (o->letter)
		mer_str_printf(s, "*-%c*, ", o->letter);
	mer_str_printf(s, "*--%s*", o->name);
	if (o->arg)
		mer_str_printf(s, " _%s_", o->arg);
	mer_str_puts(s, "\n\t");
	struct mer_str help = { 0 };
	ask_option_help(&help, verb, o);
	if (help.data)
		plain(s, help.data);
	s->failed |= help.failed;
	mer_str_fini(&help);
	mer_str_puts(s, "\n\n");
}

static const char times[] =
	"# TIMES\n\n"
	"A _TIME_ is a date and time in local time (*2024-05-03T12:34:56.789*; *Z* or *+02:00* "
	"may follow), a time of day on the day on which the trace starts (*12:34:56.789*), a "
	"time since the start of the trace (*+1.5s*, or *1.5s*; the units are ns, us, ms, s, min "
	"and h), seconds since 1970 (*@1714732496.5*), or nanoseconds since 1970 as in JSON "
	"output. It is a time of the reference host's clock; *HOST:*_TIME_, as in "
	"*client:12:34:56.789*, is a time of that host's own clock.\n\n";

static const char marks[] =
	"# MARKS\n\n"
	"A file of marks has lines of a start, an end and a text, with tabs between; both are a "
	"_TIME_. Without an end a line marks a moment, which has no table. With *--marks* _FILE_ "
	"the result is printed once for each range, as with *--begin* and *--end*: under a heading "
	"in text; with a column *mark* in CSV and a key *mark* in JSON Lines; as an element of "
	"*marks* in JSON. *--marks -* is the file of the traces: *marks.tsv* in the folder that "
	"has them all, or a file in the cache if there is none or it cannot be written.\n\n";

static const char status[] =
	"# EXIT STATUS\n\n"
	"*0*\n\tThe question was answered, also if the answer is empty: the events that it needs "
	"were recorded, and none occurred, or none matches *--filter*, *--min* and other options "
	"that choose rows.\n\n"
	"*1*\n\tA check failed: *meridian check* found a trace that is not sound, or with "
	"*meridian "
	"diff --fail-above* B took too long.\n\n"
	"*2*\n\tThe command line is wrong, or names a host, CPU, task, request or time that these "
	"traces do not have.\n\n"
	"*3*\n\tThe question cannot be answered from these traces: they lack the events that it "
	"needs, and the output says what to record. Or input, or part of it, cannot be read; "
	"everything readable was processed.\n\n"
	"*4*\n\tSuccess, but something was lost or damaged, and *--strict* was given.\n\n"
	"*5*\n\tOutput cannot be written, memory ran out, or the program has a bug.\n\n"
	"*130*\n\tInterrupted.\n\n";

static const char environment[] =
	"# ENVIRONMENT\n\n"
	"*NO\\_COLOR*\n\tIf not empty, no colors are used, unless *--color* is given.\n\n"
	"*COLUMNS*\n\tWidth of tables and messages if they do not go to a terminal; by default "
	"tables have 80 columns and messages are not wrapped.\n\n"
	"*LC\\_ALL*, *LC\\_CTYPE*, *LANG*\n\tIf the locale is not UTF-8, text is printed in ASCII: "
	"bars and ellipses as # and ~, other characters as escapes such as \\\\u00e9. JSON, CSV "
	"and SVG are always UTF-8.\n\n"
	"*MERIDIAN\\_MEMORY*\n\tHow much of the data that grows with the traces is kept in memory: "
	"a "
	"size such as 256M or 4G (default: 512M). Data beyond that is in a temporary file without "
	"a "
	"name, which is removed when the program ends. The file takes up to 40 bytes for each "
	"event.\n\n"
	"*TMPDIR*\n\tThe folder of that file. If it is not set, or its files are in memory "
	"(tmpfs), the "
	"file is in the cache folder, otherwise in /var/tmp. If no file can be written, the data "
	"stays "
	"in memory, with a warning.\n\n"
	"*XDG\\_CACHE\\_HOME*\n\tThe cache folder is $XDG\\_CACHE\\_HOME/meridian, by default "
	"~/.cache/meridian.\n\n"
	"*TZ*\n\tThe time zone in which times are printed and read.\n\n";

/* Is it an answer to a verb, or a further table? */
static bool is_table(const char *output)
{
	static const char *const verbs[] = { "top", "log", "freq", "stats", "bins" };
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(output, verbs[i]) == 0)
			return false;
	return true;
}

/* Those that answer this verb, and what --table, if it has that, knows of each. */
static void analysis_list(struct mer_str *s, const struct ask_verb *verb, bool with_tables)
{
	mer_str_puts(s, "# ANALYSES\n\n");
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis_output *o = analyses[i]->outputs;
		bool has_tables = false;
		if (!complete_has(verb, analyses[i]))
			continue;
		mer_str_printf(s, "*%s*\n\t", analyses[i]->id);
		plain(s, analyses[i]->help);
		for (; o->id; o++) {
			if (!with_tables || !is_table(o->id))
				continue;
			mer_str_puts(s, has_tables ? ", " : "; tables: ");
			plain(s, o->id);
			has_tables = true;
		}
		mer_str_puts(s, "\n\n");
	}
}

static void verb_page(struct mer_str *s, const struct ask_verb *verb)
{
	const struct ask_option *o;
	char page[64];
	bool common, began = false, with_tables = false;

	snprintf(page, sizeof(page), "meridian-%s", verb->name);
	title(s, page, 1);
	plain(s, verb->help);
	mer_str_printf(s, "\n\n# SYNOPSIS\n\n*meridian%c%s*%s", verb->is_program ? '-' : ' ',
		verb->name, *verb->synopsis ? " " : "");
	plain(s, verb->synopsis);
	mer_str_puts(s, "\n\n# DESCRIPTION\n\n");
	paragraphs(s, verb->description);
	if (verb->more)
		paragraphs(s, verb->more);
	for (size_t i = 0; (o = ask_option_at(verb, i, &common)); i++) {
		if (common && i > 0 && !began)
			mer_str_puts(s, "# COMMON OPTIONS\n\n");
		else if (i == 0)
			mer_str_puts(s, "# OPTIONS\n\n");
		began |= common;
		with_tables |= strcmp(o->name, "table") == 0;
		option(s, verb, o);
	}
	if (verb->args && strcmp(verb->args, "ANALYSIS") == 0)
		analysis_list(s, verb, with_tables);
	if (verb->uses & ASK_USES_TIME)
		mer_str_puts(s, times);
	if (verb->uses & ASK_USES_MARKS)
		mer_str_puts(s, marks);
	mer_str_puts(s, status);
	mer_str_puts(s, "# EXAMPLES\n\n");
	for (size_t i = 0; i < 2; i++) {
		plain(s, verb->examples[i].what);
		mer_str_printf(s, "\n\n```\n%s\n```\n\n", verb->examples[i].command);
	}
	mer_str_puts(s, "# SEE ALSO\n\n*meridian*(1)");
	mer_str_puts(s, verb->uses & ASK_USES_VIEWS ? ", *meridian-view*(5)\n" : "\n");
}

static void topic_page(struct mer_str *s, const struct cli_topic *topic)
{
	char page[64];
	snprintf(page, sizeof(page), "meridian-%s", topic->name);
	title(s, page, 5);
	plain(s, topic->help);
	mer_str_puts(s, "\n\n");
	for (const struct cli_topic_section *x = topic->sections; x->title; x++) {
		mer_str_puts(s, "# ");
		for (const char *c = x->title; *c; c++)
			mer_str_putc(s, (char)toupper((unsigned char)*c));
		mer_str_puts(s, "\n\n");
		paragraphs(s, x->text);
	}
	mer_str_puts(s, "# SEE ALSO\n\n*meridian*(1), *meridian-top*(1), *meridian-events*(1)\n");
}

static void main_page(struct mer_str *s)
{
	const struct ask_option *o;
	title(s, "meridian", 1);
	mer_str_puts(s,
		"performance analysis across hosts from kernel traces\n\n"
		"# SYNOPSIS\n\n*meridian* _VERB_ \\[OPTION...\\] \\[TRACE...\\]\n\n"
		"# DESCRIPTION\n\n"
		"meridian reads kernel and user-space traces in the Common Trace Format (CTF 1.8 and CTF 2) of any number of hosts, aligns the clocks of the hosts, and analyses the traces together. A _TRACE_ is the folder of a trace, an OTF2 archive (NAME.otf2, where meridian was built with libotf2), or a folder with any of these below it.\n\n"
		"Results go to standard output, everything else to standard error; notes and warnings follow the results. Damage in a trace does not stop the program: it is reported together with the results that it affects. Control characters and invalid UTF-8 in names and values are printed as escapes such as \\\\x1b.\n\n# VERBS\n\n");
	for (size_t i = 0; cli_verbs[i]; i++) {
		mer_str_printf(s, "*%s*\n\t", cli_verbs[i]->name);
		plain(s, cli_verbs[i]->help);
		mer_str_printf(s, "; see *meridian-%s*(1)\n\n", cli_verbs[i]->name);
	}
	mer_str_puts(s,
		"# OPTIONS\n\nThe manual page of each verb lists its options. The following options apply to every verb, and may also precede it.\n\n");
	for (size_t i = 0; (o = ask_option_at(NULL, i, NULL)); i++) {
		if (!o->uses || o->uses & ASK_USES_ALWAYS)
			option(s, NULL, o);
	}
	mer_str_puts(s, status);
	mer_str_puts(s, environment);
	mer_str_puts(s, "# SEE ALSO\n\n");
	for (size_t i = 0; cli_verbs[i]; i++)
		mer_str_printf(s, "%s*meridian-%s*(1)", i ? ", " : "", cli_verbs[i]->name);
	for (size_t i = 0; cli_topics[i]; i++)
		mer_str_printf(s, ", *meridian-%s*(5)", cli_topics[i]->name);
	mer_str_puts(s, ", *lttng*(1), *babeltrace2*(1)\n");
}

bool cli_man_page(const char *page, FILE *out)
{
	struct mer_str s = { 0 };
	static const char prefix[] = "meridian-";
	if (strcmp(page, "meridian") == 0) {
		main_page(&s);
	} else {
		bool full = strncmp(page, prefix, sizeof(prefix) - 1) == 0;
		const char *name = full ? page + sizeof(prefix) - 1 : page;
		const struct ask_verb *verb =
			strcmp(name, cli_verb_mpi.name) == 0 ? &cli_verb_mpi : cli_verb_find(name);
		const struct cli_topic *topic = cli_topic_find(name);
		if (!verb && !topic)
			return false;
		if (verb)
			verb_page(&s, verb);
		else
			topic_page(&s, topic);
	}
	bool ok = !s.failed && fwrite(s.data, 1, s.len, out) == s.len;
	mer_str_fini(&s);
	return ok;
}
