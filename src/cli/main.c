/* The program: finds the verb, reads its options, runs it, and turns what comes of it into an exit
 * status. Signals are handled here and nowhere else. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/sink.h"
#include "cli/verb.h"

/* Only what a signal handler may call: write and _exit. */
static void say_and_exit(const char *text, size_t len, int status)
{
	ssize_t written = write(STDERR_FILENO, text, len);
	(void)written;
	_exit(status);
}

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	/* A progress line may be there; elsewhere stderr is left alone. */
	if (isatty(STDERR_FILENO))
		say_and_exit("\r\033[K", 4, CLI_INTERRUPTED);
	_exit(CLI_INTERRUPTED);
}

static void on_bus_error(int signal_number)
{
	static const char text[] = "meridian: error: an input file was truncated, or its disk "
				   "failed, while it was being read\n";
	(void)signal_number;
	say_and_exit(text, sizeof(text) - 1, CLI_INPUT);
}

static void prepare_process(void)
{
	struct sigaction act;
	memset(&act, 0, sizeof(act));
	sigemptyset(&act.sa_mask);
	/* The reader of our output has left: end without a word, also when our parent ignores
	 * it. */
	act.sa_handler = SIG_DFL;
	sigaction(SIGPIPE, &act, NULL);
	/* A file that may not grow (ulimit -f) is an error of writing, with a message. */
	act.sa_handler = SIG_IGN;
	sigaction(SIGXFSZ, &act, NULL);
	act.sa_handler = on_interrupt;
	sigaction(SIGINT, &act, NULL);
	act.sa_handler = on_bus_error;
	sigaction(SIGBUS, &act, NULL);
	/* A file opened later must not get the number of a closed standard stream. Read only, so
	 * that writing to it still fails. */
	for (;;) {
		int fd = open("/dev/null", O_RDONLY);
		if (fd < 0)
			break;
		if (fd > STDERR_FILENO) {
			close(fd);
			break;
		}
	}
}

static int usage(struct cli *cli)
{
	cli_say_warnings(cli);
	cli_usage(cli);
	if (cli->verb)
		fprintf(stderr, "Try 'meridian %s --help'.\n", cli->verb->name);
	else
		fprintf(stderr, "Try 'meridian --help'.\n");
	return CLI_USAGE;
}

static int fail(struct cli *cli, int code)
{
	if (code == MER_ERR_CANCELLED)
		return CLI_INTERRUPTED;
	cli_say_warnings(cli);
	cli_error(cli, "%s", cli->err.text[0] ? cli_err_text(cli, &cli->err) : "unknown error");
	return cli_exit_of(code);
}

static int unknown_verb(struct cli *cli, const char *word)
{
	const char *names[64];
	size_t n = 0;
	while (n < 64 && cli_verbs[n]) {
		names[n] = cli_verbs[n]->name;
		n++;
	}
	const char *best = cli_nearest(word, names, n);
	return mer_fail(&cli->err, MER_ERR_USAGE, "unknown verb '%.100s'%s%s%s", word,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

/* Common options that were given before the verb, and formats, need the verb to be judged. */
static int check_options(struct cli *cli, int first, char **argv, int verb_at)
{
	const struct cli_verb *v = cli->verb;
	const struct cli_option *given = NULL;
	for (int i = first; i < verb_at && !given; i++) {
		for (const struct cli_option *o = cli_common_options; o->name; o++) {
			size_t n = strlen(o->name);
			if (argv[i][0] == '-' && argv[i][1] == '-' &&
				strncmp(argv[i] + 2, o->name, n) == 0 &&
				(argv[i][2 + n] == '=' || !argv[i][2 + n]) &&
				!(o->uses & (v->uses | CLI_USES_ALWAYS)))
				given = o;
		}
	}
	if (given)
		return cli_option_refuse(cli, given);
	static const char *const names[] = { "table", "text", "json", "jsonl", "csv", "lttv", "dot",
		"folded", "speedscope", "svg", "otlp", "perfetto" };
	if (!v->formats)
		return 0;
	if (cli->format == UINT32_MAX) {
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (cli_choice_index(v->formats, names[i], strlen(names[i])) == 0)
				cli->format = i;
		}
	} else if (cli_choice_index(v->formats, names[cli->format], strlen(names[cli->format])) <
		   0) {
		return mer_fail(&cli->err, MER_ERR_USAGE, "--format: '%s' is not one of %s",
			names[cli->format], v->formats);
	}
	return 0;
}

static int check_args(struct cli *cli)
{
	const struct cli_verb *v = cli->verb;
	if (cli->n_args < (size_t)v->min_args)
		return mer_fail(&cli->err, MER_ERR_USAGE, "%s; usage: meridian %s %s",
			cli->n_args ? "too few arguments" : "no argument given", v->name,
			v->synopsis);
	if (v->max_args >= 0 && cli->n_args > (size_t)v->max_args)
		return mer_fail(&cli->err, MER_ERR_USAGE, "unexpected argument '%.200s'",
			cli->args[v->max_args]);
	return 0;
}

/* Not for people: what the build and the tests ask. */
static bool hidden(int argc, char **argv, int *status)
{
	*status = CLI_OK;
	if (argc == 3 && strcmp(argv[1], "--man") == 0)
		*status = cli_man_page(argv[2], stdout) ? CLI_OK : CLI_USAGE;
	else if (argc == 2 && strcmp(argv[1], "--self-check") == 0)
		*status = cli_self_check(stdout) ? CLI_INTERNAL : CLI_OK;
	else if (argc == 2 && strcmp(argv[1], "--examples") == 0)
		for (size_t i = 0; cli_verbs[i]; i++)
			printf("%s\n%s\n", cli_verbs[i]->examples[0].command,
				cli_verbs[i]->examples[1].command);
	else if (argc == 2 && strcmp(argv[1], "--verbs") == 0)
		for (size_t i = 0; cli_verbs[i]; i++)
			printf("%s\t%s\n", cli_verbs[i]->name, cli_verbs[i]->synopsis);
	else
		return false;
	return true;
}

/* What was asked for, once the command line is understood. */
static int run_verb(struct cli *cli, const void *values)
{
	int rc = cli_open_output(cli);
	if (rc)
		return fail(cli, rc);
	rc = cli->verb->run(cli, values);
	if (rc == MER_ERR_USAGE) {
		cli_close_output(cli);
		return usage(cli);
	}
	if (rc < 0)
		rc = fail(cli, rc);
	if (rc == CLI_OK && cli->unreadable)
		rc = CLI_INPUT;
	if (rc == CLI_OK && cli->strict && cli->degraded) {
		cli_warn(cli, "something was lost or damaged (--strict)");
		rc = CLI_DEGRADED;
	}
	return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
	int at = 1, status, rc;
	if (hidden(argc, argv, &status))
		return status;
	rc = cli_parse(cli, argc, argv, &at, NULL);
	if (rc)
		return usage(cli);
	bool bold = cli->color == CLI_ALWAYS ||
		    (cli->color == CLI_AUTO && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	if (cli->want_version) {
		cli->verb = cli_verb_find("version");
		return cli->verb->run(cli, NULL);
	}
	if (at >= argc) {
		if (!cli->want_help) {
			cli_help_all(stderr, false);
			return CLI_USAGE;
		}
		cli_help_all(stdout, bold);
		return CLI_OK;
	}
	const struct cli_verb *verb = cli_verb_find(argv[at]);
	if (!verb) {
		unknown_verb(cli, argv[at]);
		return usage(cli);
	}
	cli->verb = verb;
	int verb_at = at++;
	void *values = mer_arena_zalloc(&cli->arena, 1, verb->values_size ? verb->values_size : 1);
	if (!values)
		return fail(cli, mer_fail_nomem(&cli->err));
	rc = cli_parse(cli, argc, argv, &at, values);
	if (!rc && cli->want_help) {
		cli_help_verb(verb, stdout, bold);
		return CLI_OK;
	}
	if (!rc)
		rc = check_options(cli, 1, argv, verb_at);
	if (!rc)
		rc = check_args(cli);
	if (rc)
		return usage(cli);
	return run_verb(cli, values);
}

int main(int argc, char **argv)
{
	struct cli cli;
	prepare_process();
	memset(&cli, 0, sizeof(cli));
	cli.format = UINT32_MAX;
	cli.out = stdout;
	cli.ascii = !cli_locale_is_utf8();
	mer_arena_init(&cli.arena);
	int status = run(&cli, argc, argv);
	if (cli_close_output(&cli) != 0) {
		cli_error(&cli, "%s", cli.err.text);
		if (status == CLI_OK || status == CLI_DEGRADED || status == CLI_CONDITION)
			status = CLI_INTERNAL;
	}
	cli_say_notes(&cli);
	mer_arena_fini(&cli.arena);
	return status;
}
