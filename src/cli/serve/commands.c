#include "cli/serve/commands.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ask/command.h"
#include "ask/verb.h"

const char *cli_serve_surroundings(struct ask *ask)
{
	const char *zone = getenv("TZ");
	tzset();
	return mer_arena_printf(&ask->arena, "%s %s %s %ld %d %d", zone ? zone : "", tzname[0],
		tzname[1], timezone, ask_width(ask), ask->ascii);
}

/* Those that ask about traces and print an answer. */
static bool may_run(const char *verb)
{
	static const char *const verbs[] = { "info", "check", "sync", "latency", "events", "stats",
		"summary", "requests", "path", "blocked", "graph", "diff", "task", "state", "top",
		"log", "freq" };
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verb, verbs[i]) == 0)
			return true;
	return false;
}

static bool aligns_itself(const char *verb)
{
	return strcmp(verb, "sync") == 0 || strcmp(verb, "latency") == 0;
}

enum server_clocks cli_serve_command_clocks(
	void *ctx, enum server_clocks clocks, const char *const *words, size_t n)
{
	(void)ctx;
	(void)n;
	bool is_recorded = aligns_itself(words[0]) || strcmp(words[0], "info") == 0 ||
			   strcmp(words[0], "check") == 0;
	return is_recorded ? SERVER_CLOCKS_RECORDED : clocks;
}

/* Options that only look: no files (a view may be one), and nothing that belongs to the server. A
 * picture is an answer where it needs no other program. value: NULL: none. */
static bool may_have(
	const struct ask_verb *verb, const struct ask_option *o, bool common, const char *value)
{
	static const char *const of_server[] = { "store", "no-store", "vm", "jobs", "progress",
		"ignore-uuid", "color", "help", "version", "view" };
	for (size_t i = 0; common && i < sizeof(of_server) / sizeof(*of_server); i++)
		if (strcmp(o->name, of_server[i]) == 0)
			return false;
	if (o->kind == ASK_PICTURE)
		return value && strcmp(value, "-") == 0 && strcmp(verb->name, "graph") != 0;
	return o->kind != ASK_FILE;
}

static const struct ask_option *option_of(
	const struct ask_verb *verb, const char *word, bool *common)
{
	const struct ask_option *o;
	size_t len = strcspn(word + 2, "=");
	for (size_t i = 0; (o = ask_option_at(verb, i, common)); i++)
		if (strlen(o->name) == len && strncmp(o->name, word + 2, len) == 0)
			return o;
	return NULL;
}

/* words: behind the verb. */
static int check_words(
	struct ask *ask, const struct ask_verb *verb, const char *const *words, size_t n)
{
	size_t n_plain = 0;
	for (size_t i = 0; i < n; i++) {
		bool common = false;
		const char *word = words[i];
		if (word[0] != '-') {
			n_plain++;
			continue;
		}
		const struct ask_option *o = word[1] == '-' ? option_of(verb, word, &common) : NULL;
		const char *value = strchr(word, '=');
		value = value ? value + 1 : i + 1 < n ? words[i + 1] : NULL;
		if (!o || !may_have(verb, o, common, value))
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"option %.100s cannot be used here: only long options that name no file",
				word);
		if (ask_option_has_arg(o) && !strchr(word, '='))
			i++; /* its value */
	}
	bool has_analysis = strcmp(verb->args, "ANALYSIS") == 0;
	if (n_plain > has_analysis)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"the traces are those of the server: no others can be named");
	return 0;
}

enum { TEXT, JSON, JSON_LINES, CSV, SVG, N_TYPES };
const char *const cli_serve_types[N_TYPES + 1] = { "text/plain; charset=utf-8", "application/json",
	"application/x-ndjson", "text/csv; charset=utf-8", "image/svg+xml" };

static const char *type_of(unsigned format)
{
	switch (format) {
	case ASK_FORMAT_JSON: return cli_serve_types[JSON];
	case ASK_FORMAT_JSONL: return cli_serve_types[JSON_LINES];
	case ASK_FORMAT_CSV: return cli_serve_types[CSV];
	case ASK_FORMAT_SVG: return cli_serve_types[SVG];
	default: return cli_serve_types[TEXT];
	}
}

/* The command line of the program that this is: program, words, traces. */
static char **whole_line(
	struct ask *ask, const struct ask *server, const char *const *words, size_t n, int *argc)
{
	char **argv = mer_arena_zalloc(&ask->arena, n + server->n_args + 3, sizeof(*argv));
	size_t at = 0;
	bool ok = argv != NULL;
	if (!ok)
		return NULL;
	argv[at++] = mer_arena_strdup(&ask->arena, "meridian");
	for (size_t i = 0; i < n; i++)
		argv[at++] = mer_arena_strdup(&ask->arena, words[i]);
	argv[at++] = mer_arena_strdup(&ask->arena, "--");
	for (size_t i = 0; i < server->n_args; i++)
		argv[at++] = mer_arena_strdup(&ask->arena, server->args[i]);
	for (size_t i = 0; i < at; i++)
		ok &= argv[i] != NULL;
	*argc = (int)at;
	return ok ? argv : NULL;
}

static int read_command(struct ask *ask, const struct ask *server, const char *const *words,
	size_t n, void **values)
{
	const struct ask_verb *verb = may_run(words[0]) ? cli_verb_find(words[0]) : NULL;
	int argc;
	if (!verb)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"'%.100s' is no verb that asks about traces", words[0]);
	ask->verb = verb;
	int rc = check_words(ask, verb, words + 1, n - 1);
	if (rc)
		return rc;
	char **argv = whole_line(ask, server, words, n, &argc);
	if (!argv)
		return mer_fail_nomem(&ask->err);
	rc = ask_command_read(ask, argc, argv, 1, values);
	return rc ? rc : ask_command_check_words(ask);
}

static int run(struct ask *ask, const void *values, struct server_output *out)
{
	char *text = NULL;
	size_t len = 0;
	ask->out = open_memstream(&text, &len);
	if (!ask->out)
		return mer_fail_nomem(&ask->err);
	int rc = ask_run_verb(ask, values);
	if (fclose(ask->out) != 0 && rc >= 0)
		rc = mer_fail_nomem(&ask->err);
	if (rc >= 0)
		mer_str_add(&out->text, text, len);
	free(text);
	return rc < 0 ? rc : 0;
}

/* A word that no command has: without the rows that tables for people leave out. */
static bool take_leave_out(const char *const *words, size_t *n)
{
	bool is_last = *n > 1 && strcmp(words[*n - 1], "--leave-out") == 0;
	*n -= is_last;
	return is_last;
}

void cli_serve_command(void *ctx, struct mer_session *session, enum server_clocks clocks,
	const char *const *words, size_t n, struct server_output *out)
{
	const struct ask *server = ctx;
	struct ask ask;
	void *values;
	memset(&ask, 0, sizeof(ask));
	ask.format = UINT32_MAX;
	ask.color = ASK_NEVER;
	ask.progress_when = ASK_NEVER;
	ask.quiet = 1;
	mer_arena_init(&ask.arena);
	ask.shared = session;
	ask.leaves_out = take_leave_out(words, &n);
	bool is_recorded = clocks == SERVER_CLOCKS_RECORDED && !aligns_itself(words[0]);
	ask.sync = is_recorded ? "none" : server->sync;
	ask.jobs = server->jobs;
	if (!is_recorded)
		ask.vms = server->vms;
	ask.views = server->views;
	int rc = read_command(&ask, server, words, n, &values);
	if (rc == 0)
		rc = run(&ask, values, out);
	out->status = rc;
	out->type = ask.picture_only ? cli_serve_types[SVG] : type_of(ask.format);
	if (rc)
		mer_str_puts(&out->text, ask_err_text(&ask, &ask.err));
	mer_str_fini(&ask.notes);
	mer_str_fini(&ask.warnings);
	mer_arena_fini(&ask.arena);
}
