/* The program: finds the verb, reads its options, runs it, and turns what comes of it into an exit
 * status. Signals are handled here and nowhere else. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ask/words/command.h"
#include "ask/words/here.h"
#include "ask/marks.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/sink.h"
#include "cli/verbs.h"
#include "ask/verb.h"
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
		say_and_exit("\r\033[K", 4, ASK_INTERRUPTED);
	_exit(ASK_INTERRUPTED);
}

static void on_bus_error(int signal_number)
{
	static const char text[] = "meridian: error: an input file was truncated, or its disk "
				   "failed, while it was being read\n";
	(void)signal_number;
	say_and_exit(text, sizeof(text) - 1, ASK_INPUT);
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

static int usage(struct ask *ask)
{
	cli_say_warnings(ask);
	cli_usage(ask);
	if (ask->verb)
		fprintf(stderr, "Try 'meridian %s --help'.\n", ask->verb->name);
	else
		fprintf(stderr, "Try 'meridian --help'.\n");
	return ASK_USAGE;
}

static int fail(struct ask *ask, int code)
{
	if (code == MER_ERR_CANCELLED)
		return ASK_INTERRUPTED;
	cli_say_warnings(ask);
	ask_error(ask, "%s", ask->err.text[0] ? ask_err_text(ask, &ask->err) : "unknown error");
	return cli_exit_of(code);
}

/* Not for people: what the build and the tests ask. */
static bool hidden(int argc, char **argv, int *status)
{
	*status = ASK_OK;
	if (argc == 3 && strcmp(argv[1], "--man") == 0)
		*status = cli_man_page(argv[2], stdout) ? ASK_OK : ASK_USAGE;
	else if (argc == 2 && strcmp(argv[1], "--option-table") == 0)
		cli_help_options(stdout);
	else if (argc == 2 && strcmp(argv[1], "--self-check") == 0)
		*status = cli_self_check(stdout) ? ASK_INTERNAL : ASK_OK;
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
		puts("| `ANY /tsp/api/` | the Trace Server Protocol, for viewers that speak it: see below |");
		for (const struct tsp_endpoint *e = tsp_endpoints; e->path; e++)
			printf("| `%s /tsp/api%s` | %s |\n", e->method, e->path, e->help);
	} else
		return false;
	return true;
}

/* What was asked for, once the command line is understood. */
static int run_verb(struct ask *ask, const void *values)
{
	int rc = cli_open_output(ask);
	if (rc)
		return fail(ask, rc);
	rc = ask->marks ? ask_marks_run(ask, values) : ask_run_verb(ask, values);
	ask->failed_with = rc < 0 ? rc : 0;
	if (rc == MER_ERR_USAGE) {
		cli_close_output(ask);
		return usage(ask);
	}
	if (rc < 0)
		rc = fail(ask, rc);
	if (rc == ASK_OK && (ask->unreadable || ask->unanswered))
		rc = ASK_INPUT;
	if (rc == ASK_OK && ask->strict && ask->degraded) {
		ask_warn(ask, "something was lost or damaged (--strict)");
		rc = ASK_DEGRADED;
	}
	return rc;
}

/* The verb is the word `at`. */
static int run_words(struct ask *ask, char **argv, int argc, int at, bool bold)
{
	void *values;
	int rc = ask_command_read(ask, argc, argv, at, &values);
	if (rc)
		return rc == MER_ERR_NOMEM ? fail(ask, rc) : usage(ask);
	if (ask->want_help) {
		cli_help_verb(ask->verb, stdout, bold);
		return ASK_OK;
	}
	if (ask_command_check_words(ask))
		return usage(ask);
	return run_verb(ask, values);
}

static int run(struct ask *ask, int argc, char **argv)
{
	int at = 1, status, rc;
	if (hidden(argc, argv, &status))
		return status;
	rc = ask_parse(ask, argc, argv, &at, NULL);
	if (rc)
		return usage(ask);
	bool bold = ask->color == ASK_ALWAYS ||
		    (ask->color == ASK_AUTO && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	if (ask->want_version) {
		ask->verb = cli_verb_find("version");
		return ask->verb->run(ask, NULL);
	}
	if (at >= argc) {
		if (ask->want_help) {
			cli_help_all(stdout, bold);
			return ASK_OK;
		}
		if (argc > 1 || !ask_here_has_traces()) {
			cli_help_all(stderr, false);
			return ASK_USAGE;
		}
		/* Without arguments in a folder of traces: show a summary. */
		char *words[] = { argv[0], (char[]){ "summary" }, NULL };
		return run_words(ask, words, 2, 1, bold);
	}
	return run_words(ask, argv, argc, at, bold);
}

int main(int argc, char **argv)
{
	struct ask ask;
	prepare_process();
	memset(&ask, 0, sizeof(ask));
	ask.format = UINT32_MAX;
	ask.out = stdout;
	ask.ascii = !cli_locale_is_utf8();
	ask.program = &cli_program;
	mer_arena_init(&ask.arena);
	int status = run(&ask, argc, argv);
	if (cli_close_output(&ask) != 0) {
		ask_error(&ask, "%s", ask.err.text);
		if (status == ASK_OK || status == ASK_DEGRADED || status == ASK_CONDITION)
			status = ASK_INTERNAL;
	}
	cli_say_notes(&ask);
	mer_arena_fini(&ask.arena);
	return status;
}
