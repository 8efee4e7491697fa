#include "ask/words/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ask/words/hints.h"
#include "ask/verb.h"

#define COMMON(member) offsetof(struct ask, member)

const struct ask_option ask_common_options[] = {
	{ .name = "format",
		.kind = ASK_FORMAT,
		.arg = "FORMAT",
		.uses = ASK_USES_FORMAT,
		.help = NULL, /* made from the verb's formats */
		.offset = COMMON(format) },
	{ .name = "json",
		.kind = ASK_SET,
		.value = ASK_FORMAT_JSON,
		.uses = ASK_USES_FORMAT,
		.help = "short for --format json",
		.offset = COMMON(format) },
	{ .name = "output",
		.letter = 'o',
		.kind = ASK_FILE,
		.arg = "FILE",
		.uses = ASK_USES_FORMAT,
		.help = "write the results to FILE",
		.help_more = ", or each table into DIR/",
		.more_uses = ASK_USES_TABLES,
		.offset = COMMON(output) },
	{ .name = "part",
		.kind = ASK_FLAG,
		.uses = ASK_USES_PARTS,
		.help = "write what these hosts have for it, for 'meridian merge'",
		.offset = COMMON(part),
		.in_manual_only = true },
	{ .name = "csv-safe",
		.kind = ASK_FLAG,
		.uses = ASK_USES_FORMAT,
		.help = "csv: protect cells that a spreadsheet would take for formulas",
		.offset = COMMON(csv_safe),
		.in_manual_only = true },
	{ .name = "begin",
		.kind = ASK_MOMENT,
		.arg = "TIME",
		.uses = ASK_USES_TIME,
		.help = "from TIME: [HOST:]date and time, HH:MM:SS.nnn or +1.5s",
		.offset = COMMON(select.begin) },
	{ .name = "end",
		.kind = ASK_MOMENT,
		.arg = "TIME",
		.uses = ASK_USES_TIME,
		.help = "before TIME; + counts from the start of the traces",
		.offset = COMMON(select.end) },
	{ .name = "marks",
		.kind = ASK_FILE,
		.arg = "FILE",
		.uses = ASK_USES_MARKS,
		.help = "once for each mark of FILE (-: marks.tsv of the traces)",
		.offset = COMMON(marks),
		.in_manual_only = true },
	{ .name = "host",
		.kind = ASK_TEXTS,
		.arg = "NAME",
		.uses = ASK_USES_HOST,
		.help = "only these hosts (a,b; may be repeated)",
		.offset = COMMON(select.hosts) },
	{ .name = "cpu",
		.kind = ASK_RANGES,
		.arg = "N",
		.uses = ASK_USES_CPU,
		.help = "only these CPUs (0,2-4)",
		.offset = COMMON(select.cpus) },
	{ .name = "tid",
		.kind = ASK_RANGES,
		.arg = "N",
		.uses = ASK_USES_TID,
		.help = "only these threads (0,2-4)",
		.help_more = "; --pid: processes",
		.more_uses = ASK_USES_PID,
		.offset = COMMON(select.tids) },
	{ .name = "pid",
		.kind = ASK_RANGES,
		.arg = "N",
		.value = true,
		.uses = ASK_USES_PID,
		.help = "all threads of these processes (0,2-4), besides those of --tid",
		.offset = COMMON(select.tids),
		.in_manual_only = true },
	{ .name = "comm",
		.kind = ASK_TEXTS,
		.arg = "NAME",
		.uses = ASK_USES_COMM,
		.help = "only threads with this name (* and ? are wildcards)",
		.offset = COMMON(select.comms) },
	{ .name = "sync",
		.kind = ASK_FILE,
		.arg = "HOW",
		.choices = "auto|none",
		.uses = ASK_USES_SYNC,
		.help = "clocks: auto, none (as recorded) or a FILE",
		.offset = COMMON(sync) },
	{ .name = "vm",
		.kind = ASK_TEXTS,
		.arg = "G=H:PID",
		.uses = ASK_USES_SYNC,
		.help = "host G is the guest that process PID of host H runs",
		.offset = COMMON(vms),
		.in_manual_only = true },
	{ .name = "view",
		.kind = ASK_TEXTS,
		.arg = "VIEW",
		.uses = ASK_USES_VIEWS,
		.help = "states of programs: mpi, FILE, ...: 'meridian help view'",
		.offset = COMMON(views) },
	{ .name = "store",
		.kind = ASK_FLAG,
		.uses = ASK_USES_STORE,
		.help = "if the cache has no store of these traces, read them and make it",
		.offset = COMMON(store),
		.in_manual_only = true },
	{ .name = "no-store",
		.kind = ASK_FLAG,
		.uses = ASK_USES_STORE | ASK_USES_KEPT,
		.help = "read the traces, also where the cache has a store of them",
		.offset = COMMON(no_store),
		.in_manual_only = true },
	{ .name = "jobs",
		.letter = 'j',
		.kind = ASK_NUMBER,
		.arg = "N",
		.uses = ASK_USES_JOBS,
		.help = "threads to use (default: one per CPU)",
		.offset = COMMON(jobs),
		.in_manual_only = true },
	{ .name = "progress",
		.kind = ASK_CHOICE,
		.arg = "WHEN",
		.choices = "auto|always|never",
		.uses = ASK_USES_INPUT,
		.help = "progress line: auto, always or never",
		.offset = COMMON(progress_when),
		.in_manual_only = true },
	{ .name = "strict",
		.kind = ASK_FLAG,
		.uses = ASK_USES_INPUT,
		.help = "exit status 4 if anything was lost or damaged",
		.offset = COMMON(strict) },
	{ .name = "ignore-uuid",
		.kind = ASK_FLAG,
		.uses = ASK_USES_INPUT,
		.help = "read packets with another trace's UUID too",
		.offset = COMMON(ignore_uuid),
		.in_manual_only = true },
	{ .name = "clock-wrap",
		.kind = ASK_TEXT,
		.arg = "BITS|TIME",
		.uses = ASK_USES_INPUT,
		.help = "a clock that wraps: the width of its counter in bits (32), or the period",
		.offset = COMMON(clock_wrap),
		.in_manual_only = true },
	{ .name = "color",
		.kind = ASK_CHOICE,
		.arg = "WHEN",
		.choices = "auto|always|never",
		.uses = ASK_USES_ALWAYS,
		.help = "colors: auto, always or never",
		.offset = COMMON(color),
		.in_manual_only = true },
	{ .name = "quiet",
		.letter = 'q',
		.kind = ASK_REPEAT,
		.uses = ASK_USES_ALWAYS,
		.help = "print only errors on stderr",
		.offset = COMMON(quiet) },
	{ .name = "verbose",
		.letter = 'v',
		.kind = ASK_REPEAT,
		.uses = ASK_USES_ALWAYS,
		.help = "print all notes and warnings",
		.offset = COMMON(verbose) },
	{ .name = "help",
		.letter = 'h',
		.kind = ASK_FLAG,
		.uses = ASK_USES_ALWAYS,
		.help = "print this help",
		.offset = COMMON(want_help) },
	{ 0 },
};

/* Understood before the verb only. */
static const struct ask_option version_option = { .name = "version",
	.letter = 'V',
	.kind = ASK_FLAG,
	.help = "print the version",
	.offset = COMMON(want_version) };

const struct ask_option *ask_option_at(const struct ask_verb *verb, size_t i, bool *common)
{
	if (common)
		*common = false;
	for (const struct ask_option *o = verb ? verb->options : NULL; o && o->name; o++) {
		if (i-- == 0)
			return o;
	}
	if (common)
		*common = true;
	for (const struct ask_option *o = ask_common_options; o->name; o++) {
		if (verb && !(o->uses & (verb->uses | ASK_USES_ALWAYS)))
			continue;
		if (i-- == 0)
			return o;
	}
	return !verb && i == 0 ? &version_option : NULL;
}

int ask_choice_index(const char *choices, const char *word, size_t len)
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

const char *ask_tids_option(const struct ask *ask)
{
	for (size_t i = 0; i < ask->select.tids.n; i++)
		if (!ask->select.tids.item[i].is_process)
			return "tid";
	return "pid";
}

int ask_option_refuse(struct ask *ask, const struct ask_option *o)
{
	const struct ask_verb *v = ask->verb;
	if (o->uses == ASK_USES_PID && (v->uses & ASK_USES_TID))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--pid needs to know which threads a process has, which '%s' does not read: use --tid, or -f 'pid == N'",
			v->name);
	return ask_hint_option(ask, o->name);
}

static int unknown_option(struct ask *ask, const char *name, size_t len)
{
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
	for (const struct ask_option *o = ask_common_options; ask->verb && o->name; o++)
		if (strcmp(o->name, word) == 0)
			return ask_option_refuse(ask, o);
	return ask_hint_option(ask, word);
}

static int parse_number(
	struct ask *ask, const char *what, const char *text, size_t len, uint64_t *v)
{
	uint64_t r = 0;
	bool bad = len == 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(r, 10, &r) ||
			__builtin_add_overflow(r, (uint64_t)(text[i] - '0'), &r))
			bad = true;
	}
	if (bad)
		return mer_fail(&ask->err, MER_ERR_USAGE, "%s: '%.*s' is not a number", what,
			(int)(len < 200 ? len : 200), text);
	*v = r;
	return 0;
}

/* An array of the arena one element longer, in steps of powers of two. */
static void *grown(struct ask *ask, const void *item, size_t n, size_t size)
{
	if (n && (n & (n - 1)))
		return (void *)(uintptr_t)item;
	void *p = mer_arena_zalloc(&ask->arena, n ? 2 * n : 1, size);
	if (p && n)
		memcpy(p, item, n * size);
	return p;
}

static int add_texts(struct ask *ask, struct session_texts *t, const char *text)
{
	for (const char *p = text;;) {
		size_t len = strcspn(p, ",");
		if (len) {
			const char **item = grown(ask, t->item, t->n, sizeof(*item));
			char *copy = mer_arena_strndup(&ask->arena, p, len);
			if (!item || !copy)
				return mer_fail_nomem(&ask->err);
			t->item = item;
			t->item[t->n++] = copy;
		}
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

static int add_ranges(
	struct ask *ask, const struct ask_option *o, struct session_ranges *r, const char *text)
{
	char what[64];
	snprintf(what, sizeof(what), "--%s", o->name);
	for (const char *p = text;;) {
		size_t len = strcspn(p, ","), first = strcspn(p, ",-");
		struct session_range range = { .is_process = o->value != 0 };
		int rc = parse_number(ask, what, p, first, &range.first);
		range.last = range.first;
		if (!rc && first < len)
			rc = parse_number(ask, what, p + first + 1, len - first - 1, &range.last);
		if (rc)
			return mer_fail(&ask->err, rc,
				"%s: '%.*s' is not a number or a range (2-4)", what,
				(int)(len < 200 ? len : 200), p);
		if (range.last < range.first)
			return mer_fail(&ask->err, MER_ERR_USAGE, "%s: '%.*s' is an empty range",
				what, (int)(len < 200 ? len : 200), p);
		struct session_range *item = grown(ask, r->item, r->n, sizeof(*item));
		if (!item)
			return mer_fail_nomem(&ask->err);
		r->item = item;
		r->item[r->n++] = range;
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

int ask_parse_size(struct ask *ask, const char *what, const char *text, uint64_t *bytes)
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
	int rc = digits && !*unit ? parse_number(ask, what, text, digits, bytes) : MER_ERR_USAGE;
	if (rc || *bytes > (uint64_t)INT64_MAX >> shift)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"%s: '%.200s' is not a size such as 4096, 64KiB or 1M", what, text);
	*bytes <<= shift;
	return 0;
}

static int store_amount(struct ask *ask, const struct ask_option *o, const char *what,
	struct ask_amount *a, const char *text)
{
	uint64_t n = 0;
	int rc = o->kind == ASK_DURATION ? 0
		 : o->kind == ASK_SIZE	 ? ask_parse_size(ask, what, text, &n)
					 : parse_number(ask, what, text, strlen(text), &n);
	if (rc)
		return rc;
	a->set = true;
	a->v = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	if (o->kind == ASK_DURATION && !session_duration_parse(&a->v, text))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"%s: '%.200s' is not a duration such as 250us or 1.5s", what, text);
	return 0;
}

/* as enum ask_format */
static const char format_names[] =
	"table|text|json|jsonl|csv|lttv|dot|folded|speedscope|svg|otlp|perfetto|openmetrics";

static int store(struct ask *ask, const struct ask_option *o, void *at, const char *arg)
{
	char what[64];
	snprintf(what, sizeof(what), "--%s", o->name);
	switch (o->kind) {
	case ASK_FLAG: *(bool *)at = true; return 0;
	case ASK_REPEAT: ++*(unsigned *)at; return 0;
	case ASK_SET: *(unsigned *)at = o->value; return 0;
	case ASK_TEXT:
	case ASK_FILE: *(const char **)at = arg; return 0;
	case ASK_PICTURE:
		*(const char **)at = arg;
		ask->picture_only = strcmp(arg, "-") == 0;
		return 0;
	case ASK_REQUEST: {
		struct ask_request_choice *c = at;
		*(strchr(arg, ':') ? &c->rule : &c->id) = arg;
		return 0;
	}
	case ASK_TEXTS: return add_texts(ask, at, arg);
	case ASK_NUMBER: return parse_number(ask, what, arg, strlen(arg), at);
	case ASK_NTH: {
		int rc = parse_number(ask, what, arg, strlen(arg), at);
		if (rc == 0 && *(uint64_t *)at == 0)
			return mer_fail(&ask->err, MER_ERR_USAGE, "%s: the first is 1", what);
		return rc;
	}
	case ASK_LIMIT: {
		int rc = parse_number(ask, what, arg, strlen(arg), at);
		if (rc == 0 && *(uint64_t *)at == 0)
			*(uint64_t *)at = UINT64_MAX;
		return rc;
	}
	case ASK_AMOUNT:
	case ASK_SIZE:
	case ASK_DURATION: return store_amount(ask, o, what, at, arg);
	case ASK_RANGES: return add_ranges(ask, o, at, arg);
	case ASK_FORMAT:
	case ASK_CHOICE: {
		const char *choices = o->kind == ASK_FORMAT ? format_names : o->choices;
		int index = ask_choice_index(choices, arg, strlen(arg));
		if (index < 0)
			return mer_fail(&ask->err, MER_ERR_USAGE, "%s: '%s' is not one of %s", what,
				arg,
				o->kind == ASK_FORMAT && ask->verb ? ask->verb->formats : choices);
		*(unsigned *)at = (unsigned)index;
		return 0;
	}
	case ASK_MOMENT: {
		struct mer_err err = { 0 };
		struct session_moment *m = at;
		if (session_moment_parse(m, arg, &err) == 0) {
			/* Other options do not resolve it. */
			if (m->kind != SESSION_MOMENT_ON_HOST || (o->uses & ASK_USES_TIME))
				return 0;
			mer_fail(&err, MER_ERR_USAGE,
				"'%s': a host's own clock is for --begin and --end only", arg);
		}
		return mer_fail(&ask->err, MER_ERR_USAGE, "%s: %s", what, err.text);
	}
	}
	return mer_fail(&ask->err, MER_ERR_BUG, "%s: no such kind of option", what);
}

const struct ask_option *ask_option_find(
	const struct ask_verb *verb, const char *name, size_t len, char letter, bool *common)
{
	const struct ask_option *o;
	for (size_t i = 0; (o = ask_option_at(verb, i, common)); i++) {
		if (name ? strlen(o->name) == len && memcmp(o->name, name, len) == 0
			 : o->letter == letter)
			return o;
	}
	return NULL;
}

static void *place(struct ask *ask, const struct ask_option *o, bool common, void *values)
{
	return (char *)(common ? (void *)ask : values) + o->offset;
}

/* Keeps the words of options that belong to the question. */
static int keep(
	struct ask *ask, const struct ask_option *o, bool common, const void *at, const char *arg)
{
	enum {
		ELSEWHERE = ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT | ASK_USES_STORE |
			    ASK_USES_KEPT | ASK_USES_ALWAYS | ASK_USES_PARTS
	};
	const struct session_moment *m = at;
	struct session_texts *t = &ask->asked;
	if (o->uses & ELSEWHERE || (common && o->offset == COMMON(output)))
		return 0;
	const char **item = grown(ask, t->item, t->n, sizeof(*item));
	const char *text = o->kind == ASK_MOMENT && m->kind == SESSION_MOMENT_ABSOLUTE
				   ? mer_arena_printf(&ask->arena, "--%s=%" PRId64, o->name, m->ns)
			   : arg ? mer_arena_printf(&ask->arena, "--%s=%s", o->name, arg)
				 : mer_arena_printf(&ask->arena, "--%s", o->name);
	if (!item || !text)
		return mer_fail_nomem(&ask->err);
	t->item = item;
	t->item[t->n++] = text;
	return 0;
}

/* --name, --name=value, --name value */
static int parse_long(struct ask *ask, int argc, char **argv, int *at, void *values)
{
	const char *name = argv[*at] + 2;
	size_t len = strcspn(name, "=");
	bool common;
	const struct ask_option *o = ask_option_find(ask->verb, name, len, 0, &common);
	const char *arg = name[len] ? name + len + 1 : NULL;
	if (!o)
		return unknown_option(ask, name, len);
	if (!ask_option_has_arg(o)) {
		if (arg)
			return mer_fail(
				&ask->err, MER_ERR_USAGE, "option --%s takes no value", o->name);
	} else if (!arg) {
		if (*at + 1 >= argc)
			return mer_fail(&ask->err, MER_ERR_USAGE, "option --%s needs a value (%s)",
				o->name, o->arg);
		arg = argv[++*at];
	}
	void *to = place(ask, o, common, values);
	int rc = store(ask, o, to, arg);
	return rc ? rc : keep(ask, o, common, to, arg);
}

/* -v, -vq, -j4, -j 4 */
static int parse_letters(struct ask *ask, int argc, char **argv, int *at, void *values)
{
	for (const char *p = argv[*at] + 1; *p; p++) {
		bool common;
		const struct ask_option *o = ask_option_find(ask->verb, NULL, 0, *p, &common);
		if (!o)
			return ask_hint_letter(ask, *p);
		const char *arg = NULL;
		if (ask_option_has_arg(o)) {
			if (p[1])
				arg = p + 1;
			else if (*at + 1 < argc)
				arg = argv[++*at];
			else
				return mer_fail(&ask->err, MER_ERR_USAGE,
					"option -%c needs a value (%s)", *p, o->arg);
		}
		void *to = place(ask, o, common, values);
		int rc = store(ask, o, to, arg);
		rc = rc ? rc : keep(ask, o, common, to, arg);
		if (rc || arg)
			return rc;
	}
	return 0;
}

int ask_parse(struct ask *ask, int argc, char **argv, int *at, void *values)
{
	bool words_only = false;
	for (; *at < argc; ++*at) {
		const char *word = argv[*at];
		int rc = 0;
		if (words_only || word[0] != '-' || !word[1]) {
			if (!ask->verb)
				return 0;
			const char **args = grown(ask, ask->args, ask->n_args, sizeof(*args));
			if (!args)
				return mer_fail_nomem(&ask->err);
			ask->args = args;
			ask->args[ask->n_args++] = word;
			ask->n_before += !words_only;
		} else if (strcmp(word, "--") == 0) {
			ask->has_dashes = words_only = true;
		} else if (word[1] == '-') {
			rc = parse_long(ask, argc, argv, at, values);
		} else {
			rc = parse_letters(ask, argc, argv, at, values);
		}
		if (rc)
			return rc;
	}
	return 0;
}
