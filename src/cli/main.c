/* The program: finds the verb, reads its options, runs it. */
#include <stdlib.h>
#include <unistd.h>
#include "ask/words/command.h"
#include "ask/words/here.h"
#include "cli/help.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "ask/verb.h"
#include "server/endpoints.h"
#include "server/tsp/endpoints.h"

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

/* The verb is the word `at`. */
static int run_words(struct ask *ask, char **argv, int argc, int at, bool bold)
{
	void *values;
	int rc = ask_command_read(ask, argc, argv, at, &values);
	if (rc)
		return rc == MER_ERR_NOMEM ? cli_failed(ask, rc) : cli_misused(ask);
	if (ask->want_help) {
		cli_help_verb(ask->verb, stdout, bold);
		return ASK_OK;
	}
	if (ask_command_check_words(ask))
		return cli_misused(ask);
	return cli_run(ask, values);
}

static int run(struct ask *ask, int argc, char **argv)
{
	int at = 1, status, rc;
	if (hidden(argc, argv, &status))
		return status;
	rc = ask_parse(ask, argc, argv, &at, NULL);
	if (rc)
		return cli_misused(ask);
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
	cli_prepare_process();
	cli_begin(&ask);
	return cli_end(&ask, run(&ask, argc, argv));
}
