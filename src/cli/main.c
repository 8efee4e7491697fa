/* The program: finds the verb, reads its options, runs it, and turns what comes of it into an exit
 * status. Signals are handled here and nowhere else. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/here.h"
#include "cli/marks.h"
#include "cli/sink.h"
#include "cli/verb.h"
#include "server/endpoints.h"
#include "server/tsp/endpoints.h"

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

/* Not for people: what the build and the tests ask. */
static bool hidden(int argc, char **argv, int *status)
{
	*status = CLI_OK;
	if (argc == 3 && strcmp(argv[1], "--man") == 0)
		*status = cli_man_page(argv[2], stdout) ? CLI_OK : CLI_USAGE;
	else if (argc == 2 && strcmp(argv[1], "--option-table") == 0)
		cli_help_options(stdout);
	else if (argc == 2 && strcmp(argv[1], "--self-check") == 0)
		*status = cli_self_check(stdout) ? CLI_INTERNAL : CLI_OK;
	else if (argc == 2 && strcmp(argv[1], "--examples") == 0)
		for (size_t i = 0; cli_verbs[i]; i++)
			printf("%s\n%s\n", cli_verbs[i]->examples[0].command,
				cli_verbs[i]->examples[1].command);
	else if (argc == 2 && strcmp(argv[1], "--verbs") == 0)
		for (size_t i = 0; cli_verbs[i]; i++)
			printf("%s\t%s\n", cli_verbs[i]->name, cli_verbs[i]->synopsis);
	else if (argc == 2 && strcmp(argv[1], "--endpoints") == 0) {
		for (const struct endpoint *e = server_endpoints; e->path; e++)
			printf("| `%s %s` | %s |\n", e->method, e->path, e->help);
		for (const struct tsp_endpoint *e = tsp_endpoints; e->path; e++)
			printf("| `%s /tsp/api%s` | %s |\n", e->method, e->path, e->help);
	} else
		return false;
	return true;
}

/* What was asked for, once the command line is understood. */
static int run_verb(struct cli *cli, const void *values)
{
	int rc = cli_open_output(cli);
	if (rc)
		return fail(cli, rc);
	rc = cli->marks ? cli_marks_run(cli, values) : cli_run_verb(cli, values);
	cli->failed_with = rc < 0 ? rc : 0;
	if (rc == MER_ERR_USAGE) {
		cli_close_output(cli);
		return usage(cli);
	}
	if (rc < 0)
		rc = fail(cli, rc);
	if (rc == CLI_OK && (cli->unreadable || cli->unanswered))
		rc = CLI_INPUT;
	if (rc == CLI_OK && cli->strict && cli->degraded) {
		cli_warn(cli, "something was lost or damaged (--strict)");
		rc = CLI_DEGRADED;
	}
	return rc;
}

/* The verb is the word `at`. */
static int run_words(struct cli *cli, char **argv, int argc, int at, bool bold)
{
	void *values;
	int rc = cli_command_read(cli, argc, argv, at, &values);
	if (rc)
		return rc == MER_ERR_NOMEM ? fail(cli, rc) : usage(cli);
	if (cli->want_help) {
		cli_help_verb(cli->verb, stdout, bold);
		return CLI_OK;
	}
	if (cli_command_check_words(cli))
		return usage(cli);
	return run_verb(cli, values);
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
		if (cli->want_help) {
			cli_help_all(stdout, bold);
			return CLI_OK;
		}
		if (argc > 1 || !cli_here_has_traces()) {
			cli_help_all(stderr, false);
			return CLI_USAGE;
		}
		/* Without arguments in a folder of traces: show a summary. */
		char *words[] = { argv[0], (char[]){ "summary" }, NULL };
		return run_words(cli, words, 2, 1, bold);
	}
	return run_words(cli, argv, argc, at, bold);
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
