#include "cli/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/str.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/verb.h"

enum { OUTPUT_BUFFER = 1 << 18, REPORT_ROWS = 10 };

static bool wants_color(const struct cli *cli, bool terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	if (cli->color != CLI_AUTO)
		return cli->color == CLI_ALWAYS;
	return terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

int cli_open_output(struct cli *cli)
{
	cli->out = stdout;
	if (cli->output && strcmp(cli->output, "-") != 0) {
		cli->out = fopen(cli->output, "we");
		if (!cli->out) {
			cli->out = stdout;
			return mer_fail_errno(&cli->err, "write", cli->output);
		}
	}
	cli->out_is_terminal = isatty(fileno(cli->out));
	cli->bold_out = wants_color(cli, cli->out_is_terminal);
	cli->bold_err = wants_color(cli, isatty(STDERR_FILENO));
	if (!cli->out_is_terminal)
		setvbuf(cli->out, NULL, _IOFBF, OUTPUT_BUFFER);
	return 0;
}

int cli_close_output(struct cli *cli)
{
	const char *name = cli->out == stdout ? "standard output" : cli->output;
	bool failed = ferror(cli->out) != 0;
	/* errno of an earlier failure is gone by now; that of a full disk comes again. */
	errno = 0;
	if (fflush(cli->out) != 0)
		failed = true;
	int e = errno;
	if (cli->out != stdout && fclose(cli->out) != 0) {
		failed = true;
		e = errno;
	}
	cli->out = stdout;
	if (!failed)
		return 0;
	return mer_fail(&cli->err, MER_ERR_BUG, "cannot write to %s: %s", name,
		e ? strerror(e) : "not everything arrived");
}

int cli_width(const struct cli *cli)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	if (cli->out_is_terminal && ioctl(fileno(cli->out), TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	int n = columns ? atoi(columns) : 0;
	return n > 0 && n < 10000 ? n : 80;
}

unsigned cli_jobs(const struct cli *cli)
{
	if (cli->jobs)
		return cli->jobs < MER_POOL_THREADS ? (unsigned)cli->jobs : MER_POOL_THREADS;
	return mer_pool_processors();
}

bool cli_ranges_contain(const struct cli_ranges *r, uint64_t v)
{
	for (size_t i = 0; i < r->n; i++) {
		if (v >= r->item[i].first && v <= r->item[i].last)
			return true;
	}
	return false;
}

/* One write a message, so that lines of several threads do not mix. */
static void say(struct cli *cli, const char *kind, const char *color, const char *text)
{
	struct mer_str s = { 0 };
	struct mer_str clean = { 0 };
	cli_text_clean(&clean, text, strlen(text), true);
	if (cli->bold_err)
		mer_str_printf(
			&s, "\033[%sm%s\033[0m: %s\n", color, kind, clean.data ? clean.data : "");
	else
		mer_str_printf(&s, "meridian: %s: %s\n", kind, clean.data ? clean.data : "");
	cli_progress_hide(cli->progress);
	if (s.data)
		fputs(s.data, stderr);
	cli_progress_show(cli->progress);
	mer_str_fini(&clean);
	mer_str_fini(&s);
}

static void vsay(struct cli *cli, const char *kind, const char *color, const char *fmt, va_list ap)
{
	char text[4096];
	vsnprintf(text, sizeof(text), fmt, ap);
	say(cli, kind, color, text);
}

void cli_error(struct cli *cli, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsay(cli, "error", "1;31", fmt, ap);
	va_end(ap);
}

void cli_warn(struct cli *cli, const char *fmt, ...)
{
	va_list ap;
	if (cli->quiet)
		return;
	va_start(ap, fmt);
	vsay(cli, "warning", "1;33", fmt, ap);
	va_end(ap);
}

void cli_note(struct cli *cli, const char *fmt, ...)
{
	va_list ap;
	if (cli->quiet)
		return;
	va_start(ap, fmt);
	vsay(cli, "note", "1", fmt, ap);
	va_end(ap);
}

/* Is it about a whole host, and says the same as a row before, of another one? */
static bool says_same(const struct mer_diag *d, const struct mer_diag *other)
{
	return d->host && !d->path && other->host && !other->path &&
	       d->severity == other->severity && strcmp(d->code, other->code) == 0 && d->message &&
	       other->message && strcmp(d->message, other->message) == 0;
}

/* n_more: hosts besides of which the same is true. */
static void report_row(struct cli *cli, const struct mer_diag *d, size_t n_more)
{
	char place[512], *p = place, *end = place + sizeof(place);
	*p = '\0';
	/* snprintf tells the length that it wanted: clip, since paths may be long. */
#define PLACE(...)                                                                                 \
	do {                                                                                       \
		p += snprintf(p, (size_t)(end - p), __VA_ARGS__);                                  \
		if (p >= end)                                                                      \
			p = end - 1;                                                               \
	} while (0)
	if (d->host && !d->path && n_more)
		PLACE("host %s and %zu other%s: ", d->host, n_more, n_more > 1 ? "s" : "");
	else if (d->host && !d->path)
		PLACE("host %s: ", d->host);
	if (d->path) {
		PLACE("%s", d->path);
		if (d->packet >= 0)
			PLACE(", packet %lld", (long long)d->packet);
		if (d->offset_bits >= 0)
			PLACE(", byte %lld", (long long)(d->offset_bits / 8));
		PLACE(": ");
	}
#undef PLACE
	static const char *const kinds[] = { "note", "warning", "error" };
	static const char *const colors[] = { "1", "1;33", "1;31" };
	struct mer_str s = { 0 };
	unsigned severity = d->severity <= MER_ERROR ? (unsigned)d->severity : MER_ERROR;
	mer_str_printf(&s, "%s%s", place, d->message ? d->message : d->code);
	if (s.data)
		say(cli, kinds[severity], colors[severity], s.data);
	mer_str_fini(&s);
}

void cli_report(struct cli *cli, const struct mer_diag *rows, size_t n)
{
	size_t shown = 0, hidden = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].severity == MER_ERROR)
			cli->unreadable = true;
		if (rows[i].severity != MER_NOTE)
			cli->degraded = true;
		if (rows[i].severity == MER_NOTE && !cli->verbose)
			continue;
		if (rows[i].severity != MER_ERROR && cli->quiet)
			continue;
		bool joins = rows[i].host && !rows[i].path && !cli->verbose;
		size_t n_more = 0, before = 0;
		while (joins && before < i && !says_same(&rows[i], &rows[before]))
			before++;
		if (joins && before < i)
			continue; /* is told there */
		for (size_t k = i + 1; joins && k < n; k++)
			n_more += says_same(&rows[i], &rows[k]);
		if (shown >= REPORT_ROWS && !cli->verbose) {
			hidden++;
			continue;
		}
		report_row(cli, &rows[i], n_more);
		shown++;
	}
	if (hidden)
		cli_note(cli, "%zu more findings; -v prints them all", hidden);
}

int cli_exit_of(int code)
{
	switch (code) {
	case MER_ERR_INPUT:
	case MER_ERR_SYS:
	case MER_ERR_LIMIT: return CLI_INPUT;
	case MER_ERR_USAGE: return CLI_USAGE;
	case MER_ERR_CANCELLED: return CLI_INTERRUPTED;
	default: return CLI_INTERNAL;
	}
}
