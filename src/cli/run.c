#include "cli/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/marks.h"
#include "ask/verb.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/sink.h"

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

void cli_prepare_process(void)
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

int cli_misused(struct ask *ask)
{
	cli_say_warnings(ask);
	cli_usage(ask);
	if (ask->verb)
		fprintf(stderr, "Try 'meridian%c%s --help'.\n", ask->verb->is_program ? '-' : ' ',
			ask->verb->name);
	else
		fprintf(stderr, "Try 'meridian --help'.\n");
	return ASK_USAGE;
}

int cli_failed(struct ask *ask, int code)
{
	if (code == MER_ERR_CANCELLED)
		return ASK_INTERRUPTED;
	cli_say_warnings(ask);
	ask_error(ask, "%s", ask->err.text[0] ? ask_err_text(ask, &ask->err) : "unknown error");
	return cli_exit_of(code);
}

void cli_begin(struct ask *ask)
{
	*ask = (struct ask){ .format = UINT32_MAX,
		.out = stdout,
		.ascii = !cli_locale_is_utf8(),
		.program = &cli_program };
	mer_arena_init(&ask->arena);
}

int cli_run(struct ask *ask, const void *values)
{
	int rc = cli_open_output(ask);
	if (rc)
		return cli_failed(ask, rc);
	rc = ask->marks ? ask_marks_run(ask, values) : ask_run_verb(ask, values);
	ask->failed_with = rc < 0 ? rc : 0;
	if (rc == MER_ERR_USAGE) {
		cli_close_output(ask);
		return cli_misused(ask);
	}
	if (rc < 0)
		rc = cli_failed(ask, rc);
	if (rc == ASK_OK && (ask->unreadable || ask->unanswered))
		rc = ASK_INPUT;
	if (rc == ASK_OK && ask->strict && ask->degraded) {
		ask_warn(ask, "something was lost or damaged (--strict)");
		rc = ASK_DEGRADED;
	}
	return rc;
}

int cli_end(struct ask *ask, int status)
{
	if (cli_close_output(ask) != 0) {
		ask_error(ask, "%s", ask->err.text);
		if (status == ASK_OK || status == ASK_DEGRADED || status == ASK_CONDITION)
			status = ASK_INTERNAL;
	}
	cli_say_notes(ask);
	mer_arena_fini(&ask->arena);
	return status;
}
