#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include "cli/hints.h"
#include "cli/verb.h"

#define COMMON(member) offsetof(struct cli, member)

const struct cli_option cli_common_options[] = {
	{ .name = "format",
		.kind = CLI_FORMAT,
		.arg = "FORMAT",
		.uses = CLI_USES_FORMAT,
		.help = NULL, /* made from the verb's formats */
		.offset = COMMON(format) },
	{ .name = "json",
		.kind = CLI_SET,
		.value = CLI_FORMAT_JSON,
		.uses = CLI_USES_FORMAT,
		.help = "short for --format json",
		.offset = COMMON(format) },
	{ .name = "output",
		.letter = 'o',
		.kind = CLI_FILE,
		.arg = "FILE",
		.uses = CLI_USES_FORMAT,
		.help = "write the results to FILE",
		.help_more = ", or each table into DIR/",
		.more_uses = CLI_USES_TABLES,
		.offset = COMMON(output) },
	{ .name = "csv-safe",
		.kind = CLI_FLAG,
		.uses = CLI_USES_FORMAT,
		.help = "csv: protect cells that a spreadsheet would take for formulas",
		.offset = COMMON(csv_safe),
		.in_manual_only = true },
	{ .name = "begin",
		.kind = CLI_MOMENT,
		.arg = "TIME",
		.uses = CLI_USES_TIME,
		.help = "from TIME: [HOST:]date and time, HH:MM:SS.nnn or +1.5s",
		.offset = COMMON(select.begin) },
	{ .name = "end",
		.kind = CLI_MOMENT,
		.arg = "TIME",
		.uses = CLI_USES_TIME,
		.help = "before TIME; + counts from the start of the traces",
		.offset = COMMON(select.end) },
	{ .name = "marks",
		.kind = CLI_FILE,
		.arg = "FILE",
		.uses = CLI_USES_MARKS,
		.help = "once for each mark of FILE (-: marks.tsv of the traces)",
		.offset = COMMON(marks),
		.in_manual_only = true },
	{ .name = "host",
		.kind = CLI_TEXTS,
		.arg = "NAME",
		.uses = CLI_USES_HOST,
		.help = "only these hosts (a,b; may be repeated)",
		.offset = COMMON(select.hosts) },
	{ .name = "cpu",
		.kind = CLI_RANGES,
		.arg = "N",
		.uses = CLI_USES_CPU,
		.help = "only these CPUs (0,2-4)",
		.offset = COMMON(select.cpus) },
	{ .name = "tid",
		.kind = CLI_RANGES,
		.arg = "N",
		.uses = CLI_USES_TID,
		.help = "only these threads (0,2-4)",
		.help_more = "; --pid: processes",
		.more_uses = CLI_USES_PID,
		.offset = COMMON(select.tids) },
	{ .name = "pid",
		.kind = CLI_RANGES,
		.arg = "N",
		.value = true,
		.uses = CLI_USES_PID,
		.help = "all threads of these processes (0,2-4), besides those of --tid",
		.offset = COMMON(select.tids),
		.in_manual_only = true },
	{ .name = "comm",
		.kind = CLI_TEXTS,
		.arg = "NAME",
		.uses = CLI_USES_COMM,
		.help = "only threads with this name (* and ? are wildcards)",
		.offset = COMMON(select.comms) },
	{ .name = "sync",
		.kind = CLI_FILE,
		.arg = "HOW",
		.choices = "auto|none",
		.uses = CLI_USES_SYNC,
		.help = "clocks: auto, none (as recorded) or a FILE",
		.offset = COMMON(sync) },
	{ .name = "vm",
		.kind = CLI_TEXTS,
		.arg = "G=H:PID",
		.uses = CLI_USES_SYNC,
		.help = "host G is the guest that process PID of host H runs",
		.offset = COMMON(vms),
		.in_manual_only = true },
	{ .name = "view",
		.kind = CLI_TEXTS,
		.arg = "VIEW",
		.uses = CLI_USES_VIEWS,
		.help = "states of programs: mpi, FILE, ...: 'meridian help view'",
		.offset = COMMON(views) },
	{ .name = "store",
		.kind = CLI_FLAG,
		.uses = CLI_USES_STORE,
		.help = "if the cache has no store of these traces, read them and make it",
		.offset = COMMON(store),
		.in_manual_only = true },
	{ .name = "no-store",
		.kind = CLI_FLAG,
		.uses = CLI_USES_STORE,
		.help = "read the traces, also where the cache has a store of them",
		.offset = COMMON(no_store),
		.in_manual_only = true },
	{ .name = "jobs",
		.letter = 'j',
		.kind = CLI_NUMBER,
		.arg = "N",
		.uses = CLI_USES_JOBS,
		.help = "threads to use (default: one per CPU)",
		.offset = COMMON(jobs),
		.in_manual_only = true },
	{ .name = "progress",
		.kind = CLI_CHOICE,
		.arg = "WHEN",
		.choices = "auto|always|never",
		.uses = CLI_USES_INPUT,
		.help = "progress line: auto, always or never",
		.offset = COMMON(progress_when),
		.in_manual_only = true },
	{ .name = "strict",
		.kind = CLI_FLAG,
		.uses = CLI_USES_INPUT,
		.help = "exit status 4 if anything was lost or damaged",
		.offset = COMMON(strict) },
	{ .name = "ignore-uuid",
		.kind = CLI_FLAG,
		.uses = CLI_USES_INPUT,
		.help = "read packets with another trace's UUID too",
		.offset = COMMON(ignore_uuid),
		.in_manual_only = true },
	{ .name = "clock-wrap",
		.kind = CLI_TEXT,
		.arg = "BITS|TIME",
		.uses = CLI_USES_INPUT,
		.help = "a clock that wraps: the width of its counter in bits (32), or the period",
		.offset = COMMON(clock_wrap),
		.in_manual_only = true },
	{ .name = "color",
		.kind = CLI_CHOICE,
		.arg = "WHEN",
		.choices = "auto|always|never",
		.uses = CLI_USES_ALWAYS,
		.help = "colors: auto, always or never",
		.offset = COMMON(color),
		.in_manual_only = true },
	{ .name = "quiet",
		.letter = 'q',
		.kind = CLI_REPEAT,
		.uses = CLI_USES_ALWAYS,
		.help = "print only errors on stderr",
		.offset = COMMON(quiet) },
	{ .name = "verbose",
		.letter = 'v',
		.kind = CLI_REPEAT,
		.uses = CLI_USES_ALWAYS,
		.help = "print all notes and warnings",
		.offset = COMMON(verbose) },
	{ .name = "help",
		.letter = 'h',
		.kind = CLI_FLAG,
		.uses = CLI_USES_ALWAYS,
		.help = "print this help",
		.offset = COMMON(want_help) },
	{ 0 },
};

/* Understood before the verb only. */
static const struct cli_option version_option = { .name = "version",
	.letter = 'V',
	.kind = CLI_FLAG,
	.help = "print the version",
	.offset = COMMON(want_version) };

const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t i, bool *common)
{
	if (common)
		*common = false;
	for (const struct cli_option *o = verb ? verb->options : NULL; o && o->name; o++) {
		if (i-- == 0)
			return o;
	}
	if (common)
		*common = true;
	for (const struct cli_option *o = cli_common_options; o->name; o++) {
		if (verb && !(o->uses & (verb->uses | CLI_USES_ALWAYS)))
			continue;
		if (i-- == 0)
			return o;
	}
	return !verb && i == 0 ? &version_option : NULL;
}

int cli_choice_index(const char *choices, const char *word, size_t len)
{
	int index = 0;
	for (const char *p = choices;; index++) {
		size_t n = strcspn(p, "|");
		if (n == len && memcmp(p, word, n) == 0)
			return index;
		if (!p[n])
			return -1;
		p += n + 1;
	}
}

const char *cli_tids_option(const struct cli *cli)
{
	for (size_t i = 0; i < cli->select.tids.n; i++)
		if (!cli->select.tids.item[i].is_process)
			return "tid";
	return "pid";
}

int cli_option_refuse(struct cli *cli, const struct cli_option *o)
{
	const struct cli_verb *v = cli->verb;
	if (o->uses == CLI_USES_PID && (v->uses & CLI_USES_TID))
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--pid needs to know which threads a process has, which '%s' does not read: use --tid, or -f 'pid == N'",
			v->name);
	return cli_hint_option(cli, o->name);
}

static int unknown_option(struct cli *cli, const char *name, size_t len)
{
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
	for (const struct cli_option *o = cli_common_options; cli->verb && o->name; o++)
		if (strcmp(o->name, word) == 0)
			return cli_option_refuse(cli, o);
	return cli_hint_option(cli, word);
}

static int parse_number(
	struct cli *cli, const char *what, const char *text, size_t len, uint64_t *v)
{
	uint64_t r = 0;
	bool bad = len == 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(r, 10, &r) ||
			__builtin_add_overflow(r, (uint64_t)(text[i] - '0'), &r))
			bad = true;
	}
	if (bad)
		return mer_fail(&cli->err, MER_ERR_USAGE, "%s: '%.*s' is not a number", what,
			(int)(len < 200 ? len : 200), text);
	*v = r;
	return 0;
}

/* An array of the arena one element longer, in steps of powers of two. */
static void *grown(struct cli *cli, const void *item, size_t n, size_t size)
{
	if (n && (n & (n - 1)))
		return (void *)(uintptr_t)item;
	void *p = mer_arena_zalloc(&cli->arena, n ? 2 * n : 1, size);
	if (p && n)
		memcpy(p, item, n * size);
	return p;
}

static int add_texts(struct cli *cli, struct session_texts *t, const char *text)
{
	for (const char *p = text;;) {
		size_t len = strcspn(p, ",");
		if (len) {
			const char **item = grown(cli, t->item, t->n, sizeof(*item));
			char *copy = mer_arena_strndup(&cli->arena, p, len);
			if (!item || !copy)
				return mer_fail_nomem(&cli->err);
			t->item = item;
			t->item[t->n++] = copy;
		}
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

static int add_ranges(
	struct cli *cli, const struct cli_option *o, struct session_ranges *r, const char *text)
{
	char what[64];
	snprintf(what, sizeof(what), "--%s", o->name);
	for (const char *p = text;;) {
		size_t len = strcspn(p, ","), first = strcspn(p, ",-");
		struct session_range range = { .is_process = o->value != 0 };
		int rc = parse_number(cli, what, p, first, &range.first);
		range.last = range.first;
		if (!rc && first < len)
			rc = parse_number(cli, what, p + first + 1, len - first - 1, &range.last);
		if (rc)
			return mer_fail(&cli->err, rc,
				"%s: '%.*s' is not a number or a range (2-4)", what,
				(int)(len < 200 ? len : 200), p);
		if (range.last < range.first)
			return mer_fail(&cli->err, MER_ERR_USAGE, "%s: '%.*s' is an empty range",
				what, (int)(len < 200 ? len : 200), p);
		struct session_range *item = grown(cli, r->item, r->n, sizeof(*item));
		if (!item)
			return mer_fail_nomem(&cli->err);
		r->item = item;
		r->item[r->n++] = range;
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

int cli_parse_size(struct cli *cli, const char *what, const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits;
	const char *at = *unit ? strchr(units, *unit) : NULL;
	unsigned shift = at ? 10 * (unsigned)(at - units + 1) : 0;
	unit += at != NULL;
	if (at && strncmp(unit, "iB", 2) == 0)
		unit += 2;
	else if (!at && *unit == 'B')
		unit++;
	int rc = digits && !*unit ? parse_number(cli, what, text, digits, bytes) : MER_ERR_USAGE;
	if (rc || *bytes > (uint64_t)INT64_MAX >> shift)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"%s: '%.200s' is not a size such as 4096, 64KiB or 1M", what, text);
	*bytes <<= shift;
	return 0;
}

static int store_amount(struct cli *cli, const struct cli_option *o, const char *what,
	struct cli_amount *a, const char *text)
{
	uint64_t n = 0;
	int rc = o->kind == CLI_DURATION ? 0
		 : o->kind == CLI_SIZE	 ? cli_parse_size(cli, what, text, &n)
					 : parse_number(cli, what, text, strlen(text), &n);
	if (rc)
		return rc;
	a->set = true;
	a->v = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	if (o->kind == CLI_DURATION && !session_duration_parse(&a->v, text))
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"%s: '%.200s' is not a duration such as 250us or 1.5s", what, text);
	return 0;
}

/* as enum cli_format */
static const char format_names[] =
	"table|text|json|jsonl|csv|lttv|dot|folded|speedscope|svg|otlp|perfetto";

static int store(struct cli *cli, const struct cli_option *o, void *at, const char *arg)
{
	char what[64];
	snprintf(what, sizeof(what), "--%s", o->name);
	switch (o->kind) {
	case CLI_FLAG: *(bool *)at = true; return 0;
	case CLI_REPEAT: ++*(unsigned *)at; return 0;
	case CLI_SET: *(unsigned *)at = o->value; return 0;
	case CLI_TEXT:
	case CLI_FILE: *(const char **)at = arg; return 0;
	case CLI_PICTURE:
		*(const char **)at = arg;
		cli->picture_only = strcmp(arg, "-") == 0;
		return 0;
	case CLI_REQUEST: {
		struct cli_request_choice *c = at;
		*(strchr(arg, ':') ? &c->rule : &c->id) = arg;
		return 0;
	}
	case CLI_TEXTS: return add_texts(cli, at, arg);
	case CLI_NUMBER: return parse_number(cli, what, arg, strlen(arg), at);
	case CLI_NTH: {
		int rc = parse_number(cli, what, arg, strlen(arg), at);
		if (rc == 0 && *(uint64_t *)at == 0)
			return mer_fail(&cli->err, MER_ERR_USAGE, "%s: the first is 1", what);
		return rc;
	}
	case CLI_LIMIT: {
		int rc = parse_number(cli, what, arg, strlen(arg), at);
		if (rc == 0 && *(uint64_t *)at == 0)
			*(uint64_t *)at = UINT64_MAX;
		return rc;
	}
	case CLI_AMOUNT:
	case CLI_SIZE:
	case CLI_DURATION: return store_amount(cli, o, what, at, arg);
	case CLI_RANGES: return add_ranges(cli, o, at, arg);
	case CLI_FORMAT:
	case CLI_CHOICE: {
		const char *choices = o->kind == CLI_FORMAT ? format_names : o->choices;
		int index = cli_choice_index(choices, arg, strlen(arg));
		if (index < 0)
			return mer_fail(&cli->err, MER_ERR_USAGE, "%s: '%s' is not one of %s", what,
				arg,
				o->kind == CLI_FORMAT && cli->verb ? cli->verb->formats : choices);
		*(unsigned *)at = (unsigned)index;
		return 0;
	}
	case CLI_MOMENT: {
		struct mer_err err = { 0 };
		struct session_moment *m = at;
		if (session_moment_parse(m, arg, &err) == 0) {
			/* Other options do not resolve it. */
			if (m->kind != SESSION_MOMENT_ON_HOST || (o->uses & CLI_USES_TIME))
				return 0;
			mer_fail(&err, MER_ERR_USAGE,
				"'%s': a host's own clock is for --begin and --end only", arg);
		}
		return mer_fail(&cli->err, MER_ERR_USAGE, "%s: %s", what, err.text);
	}
	}
	return mer_fail(&cli->err, MER_ERR_BUG, "%s: no such kind of option", what);
}

const struct cli_option *cli_option_find(
	const struct cli_verb *verb, const char *name, size_t len, char letter, bool *common)
{
	const struct cli_option *o;
	for (size_t i = 0; (o = cli_option_at(verb, i, common)); i++) {
		if (name ? strlen(o->name) == len && memcmp(o->name, name, len) == 0
			 : o->letter == letter)
			return o;
	}
	return NULL;
}

static void *place(struct cli *cli, const struct cli_option *o, bool common, void *values)
{
	return (char *)(common ? (void *)cli : values) + o->offset;
}

/* --name, --name=value, --name value */
static int parse_long(struct cli *cli, int argc, char **argv, int *at, void *values)
{
	const char *name = argv[*at] + 2;
	size_t len = strcspn(name, "=");
	bool common;
	const struct cli_option *o = cli_option_find(cli->verb, name, len, 0, &common);
	const char *arg = name[len] ? name + len + 1 : NULL;
	if (!o)
		return unknown_option(cli, name, len);
	if (!cli_option_has_arg(o)) {
		if (arg)
			return mer_fail(
				&cli->err, MER_ERR_USAGE, "option --%s takes no value", o->name);
	} else if (!arg) {
		if (*at + 1 >= argc)
			return mer_fail(&cli->err, MER_ERR_USAGE, "option --%s needs a value (%s)",
				o->name, o->arg);
		arg = argv[++*at];
	}
	return store(cli, o, place(cli, o, common, values), arg);
}

/* -v, -vq, -j4, -j 4 */
static int parse_letters(struct cli *cli, int argc, char **argv, int *at, void *values)
{
	for (const char *p = argv[*at] + 1; *p; p++) {
		bool common;
		const struct cli_option *o = cli_option_find(cli->verb, NULL, 0, *p, &common);
		if (!o)
			return cli_hint_letter(cli, *p);
		const char *arg = NULL;
		if (cli_option_has_arg(o)) {
			if (p[1])
				arg = p + 1;
			else if (*at + 1 < argc)
				arg = argv[++*at];
			else
				return mer_fail(&cli->err, MER_ERR_USAGE,
					"option -%c needs a value (%s)", *p, o->arg);
		}
		int rc = store(cli, o, place(cli, o, common, values), arg);
		if (rc || arg)
			return rc;
	}
	return 0;
}

int cli_parse(struct cli *cli, int argc, char **argv, int *at, void *values)
{
	bool words_only = false;
	for (; *at < argc; ++*at) {
		const char *word = argv[*at];
		int rc = 0;
		if (words_only || word[0] != '-' || !word[1]) {
			if (!cli->verb)
				return 0;
			const char **args = grown(cli, cli->args, cli->n_args, sizeof(*args));
			if (!args)
				return mer_fail_nomem(&cli->err);
			cli->args = args;
			cli->args[cli->n_args++] = word;
			cli->n_before += !words_only;
		} else if (strcmp(word, "--") == 0) {
			cli->has_dashes = words_only = true;
		} else if (word[1] == '-') {
			rc = parse_long(cli, argc, argv, at, values);
		} else {
			rc = parse_letters(cli, argc, argv, at, values);
		}
		if (rc)
			return rc;
	}
	return 0;
}
