#include "cli/serve/commands.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/command.h"
#include "cli/verb.h"

const char *cli_serve_surroundings(struct cli *cli)
{
	const char *zone = getenv("TZ");
	tzset();
	return mer_arena_printf(&cli->arena, "%s %s %s %ld %d %d", zone ? zone : "", tzname[0],
		tzname[1], timezone, cli_width(cli), cli->ascii);
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
	const struct cli_verb *verb, const struct cli_option *o, bool common, const char *value)
{
	static const char *const of_server[] = { "store", "no-store", "vm", "jobs", "progress",
		"ignore-uuid", "color", "help", "version", "view" };
	for (size_t i = 0; common && i < sizeof(of_server) / sizeof(*of_server); i++)
		if (strcmp(o->name, of_server[i]) == 0)
			return false;
	if (o->kind == CLI_PICTURE)
		return value && strcmp(value, "-") == 0 && strcmp(verb->name, "graph") != 0;
	return o->kind != CLI_FILE;
}

static const struct cli_option *option_of(
	const struct cli_verb *verb, const char *word, bool *common)
{
	const struct cli_option *o;
	size_t len = strcspn(word + 2, "=");
	for (size_t i = 0; (o = cli_option_at(verb, i, common)); i++)
		if (strlen(o->name) == len && strncmp(o->name, word + 2, len) == 0)
			return o;
	return NULL;
}

/* words: behind the verb. */
static int check_words(
	struct cli *cli, const struct cli_verb *verb, const char *const *words, size_t n)
{
	size_t n_plain = 0;
	for (size_t i = 0; i < n; i++) {
		bool common = false;
		const char *word = words[i];
		if (word[0] != '-') {
			n_plain++;
			continue;
		}
		const struct cli_option *o = word[1] == '-' ? option_of(verb, word, &common) : NULL;
		const char *value = strchr(word, '=');
		value = value ? value + 1 : i + 1 < n ? words[i + 1] : NULL;
		if (!o || !may_have(verb, o, common, value))
			return mer_fail(&cli->err, MER_ERR_USAGE,
				"option %.100s cannot be used here: only long options that name no file",
				word);
		if (cli_option_has_arg(o) && !strchr(word, '='))
			i++; /* its value */
	}
	bool has_analysis = strcmp(verb->args, "ANALYSIS") == 0;
	if (n_plain > has_analysis)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"the traces are those of the server: no others can be named");
	return 0;
}

enum { TEXT, JSON, JSON_LINES, CSV, SVG, N_TYPES };
const char *const cli_serve_types[N_TYPES + 1] = { "text/plain; charset=utf-8", "application/json",
	"application/x-ndjson", "text/csv; charset=utf-8", "image/svg+xml" };

static const char *type_of(unsigned format)
{
	switch (format) {
	case CLI_FORMAT_JSON: return cli_serve_types[JSON];
	case CLI_FORMAT_JSONL: return cli_serve_types[JSON_LINES];
	case CLI_FORMAT_CSV: return cli_serve_types[CSV];
	case CLI_FORMAT_SVG: return cli_serve_types[SVG];
	default: return cli_serve_types[TEXT];
	}
}

/* The command line of the program that this is: program, words, traces. */
static char **whole_line(
	struct cli *cli, const struct cli *server, const char *const *words, size_t n, int *argc)
{
	char **argv = mer_arena_zalloc(&cli->arena, n + server->n_args + 3, sizeof(*argv));
	size_t at = 0;
	bool ok = argv != NULL;
	if (!ok)
		return NULL;
	argv[at++] = mer_arena_strdup(&cli->arena, "meridian");
	for (size_t i = 0; i < n; i++)
		argv[at++] = mer_arena_strdup(&cli->arena, words[i]);
	argv[at++] = mer_arena_strdup(&cli->arena, "--");
	for (size_t i = 0; i < server->n_args; i++)
		argv[at++] = mer_arena_strdup(&cli->arena, server->args[i]);
	for (size_t i = 0; i < at; i++)
		ok &= argv[i] != NULL;
	*argc = (int)at;
	return ok ? argv : NULL;
}

static int read_command(struct cli *cli, const struct cli *server, const char *const *words,
	size_t n, void **values)
{
	const struct cli_verb *verb = may_run(words[0]) ? cli_verb_find(words[0]) : NULL;
	int argc;
	if (!verb)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"'%.100s' is no verb that asks about traces", words[0]);
	cli->verb = verb;
	int rc = check_words(cli, verb, words + 1, n - 1);
	if (rc)
		return rc;
	char **argv = whole_line(cli, server, words, n, &argc);
	if (!argv)
		return mer_fail_nomem(&cli->err);
	rc = cli_command_read(cli, argc, argv, 1, values);
	return rc ? rc : cli_command_check_words(cli);
}

static int run(struct cli *cli, const void *values, struct server_output *out)
{
	char *text = NULL;
	size_t len = 0;
	cli->out = open_memstream(&text, &len);
	if (!cli->out)
		return mer_fail_nomem(&cli->err);
	int rc = cli_run_verb(cli, values);
	if (fclose(cli->out) != 0 && rc >= 0)
		rc = mer_fail_nomem(&cli->err);
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
	const struct cli *server = ctx;
	struct cli cli;
	void *values;
	memset(&cli, 0, sizeof(cli));
	cli.format = UINT32_MAX;
	cli.color = CLI_NEVER;
	cli.progress_when = CLI_NEVER;
	cli.quiet = 1;
	mer_arena_init(&cli.arena);
	cli.shared = session;
	cli.leaves_out = take_leave_out(words, &n);
	bool is_recorded = clocks == SERVER_CLOCKS_RECORDED && !aligns_itself(words[0]);
	cli.sync = is_recorded ? "none" : server->sync;
	cli.jobs = server->jobs;
	if (!is_recorded)
		cli.vms = server->vms;
	cli.views = server->views;
	int rc = read_command(&cli, server, words, n, &values);
	if (rc == 0)
		rc = run(&cli, values, out);
	out->status = rc;
	out->type = cli.picture_only ? cli_serve_types[SVG] : type_of(cli.format);
	if (rc)
		mer_str_puts(&out->text, cli_err_text(&cli, &cli.err));
	mer_str_fini(&cli.notes);
	mer_str_fini(&cli.warnings);
	mer_arena_fini(&cli.arena);
}
