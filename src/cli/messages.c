/* What the program says on stderr: made safe, wrapped, and at the right time. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/plural.h"
#include "ask/context.h"
#include "cli/progress.h"
#include "ask/print/remedies.h"
#include "cli/sink.h"
#include "ask/print/text.h"

enum { REPORT_ROWS = 10 };

enum kind { NOTE, WARNING, ERROR, USAGE };

/* Where messages are wrapped: at the terminal's width, else at $COLUMNS. Else not at all: a message
 * that goes to a file or a program stays one line, which can be searched for. */
size_t cli_message_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	if (isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	int n = columns ? atoi(columns) : 0;
	return n > 0 && n < 10000 ? (size_t)n : SIZE_MAX;
}

/* One line of a message, which may be wrapped; those after the first are indented, so that no text
 * of a trace can look like a message of ours. first: columns that the line has already. */
static void put_line(struct mer_str *out, const char *s, size_t len, size_t first, size_t width)
{
	enum { INDENT = 2 };
	struct mer_str line = { 0 };
	size_t column = first;
	ask_text_clean(&line, s, len, true);
	if (!line.data || line.data[0] == ' ') {
		mer_str_add(out, line.data ? line.data : "", line.len);
	} else {
		for (const char *p = line.data; *p;) {
			size_t n = strcspn(p, " "), w = ask_text_width(p, n);
			if (column > INDENT && column + 1 + w > width && p > line.data) {
				mer_str_printf(out, "\n%*s", INDENT, "");
				column = INDENT;
			} else if (p > line.data) {
				mer_str_putc(out, ' ');
				column++;
			}
			mer_str_add(out, p, n);
			column += w;
			p += n + (p[n] == ' ');
		}
	}
	mer_str_fini(&line);
}

/* The whole message, ready to be written. */
static void compose(const struct ask *ask, enum kind kind, const char *text, struct mer_str *out)
{
	static const char *const kinds[] = { "note: ", "warning: ", "error: ", "" };
	static const char *const colors[] = { "1", "1;33", "1;31", "" };
	struct mer_str s = { 0 };
	bool colored = ask->bold_err && kind != USAGE;
	size_t before = (colored ? 0 : strlen("meridian: ")) + strlen(kinds[kind]);
	for (const char *p = text; p;) {
		size_t n = strcspn(p, "\n");
		put_line(&s, p, n, before, cli_message_width());
		p = p[n] ? p + n + 1 : NULL;
		mer_str_puts(&s, p ? "\n  " : "\n");
		before = 2;
	}
	if (colored)
		mer_str_printf(out, "\033[%sm%.*s\033[0m: ", colors[kind],
			(int)strlen(kinds[kind]) - 2, kinds[kind]);
	else
		mer_str_printf(out, "meridian: %s", kinds[kind]);
	if (ask->ascii)
		ask_ascii(out, s.data ? s.data : "", s.len);
	else
		mer_str_add(out, s.data ? s.data : "", s.len);
	mer_str_fini(&s);
}

static void put_messages(struct ask *ask, struct mer_str *s)
{
	cli_progress_hide(ask->progress);
	if (s->data)
		fputs(s->data,
			stderr); /* one write, so that lines of several programs do not mix */
	cli_progress_show(ask->progress);
	mer_str_fini(s);
}

void cli_say_notes(struct ask *ask)
{
	put_messages(ask, &ask->notes);
	mer_str_fini(&ask->warnings);
}

void cli_say_warnings(struct ask *ask)
{
	put_messages(ask, &ask->warnings);
	mer_str_fini(&ask->notes);
}

/* Errors at once; the rest when the result is there, where it does not scroll away. */
static void say(struct ask *ask, enum kind kind, const char *text)
{
	struct mer_str s = { 0 };
	compose(ask, kind, text, &s);
	if (kind >= ERROR) {
		put_messages(ask, &s);
		return;
	}
	/* What is true of the traces is true of each mark. */
	bool is_said = ask->shared && s.data && ask->notes.data && strstr(ask->notes.data, s.data);
	if (s.data && !is_said) {
		mer_str_add(&ask->notes, s.data, s.len);
		if (kind == WARNING)
			mer_str_add(&ask->warnings, s.data, s.len);
	}
	mer_str_fini(&s);
}

static void vsay(struct ask *ask, enum kind kind, const char *fmt, va_list ap)
{
	char text[4096];
	vsnprintf(text, sizeof(text), fmt, ap);
	say(ask, kind, text);
}

void ask_error(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsay(ask, ERROR, fmt, ap);
	va_end(ap);
}

const char *ask_err_text(struct ask *ask, const struct mer_err *err)
{
	struct mer_str s = { 0 };
	ask_put_remedied(&s, err->text, err->remedy);
	const char *text = s.failed || !s.data ? NULL : mer_arena_strdup(&ask->arena, s.data);
	mer_str_fini(&s);
	return text ? text : err->text;
}

void cli_usage(struct ask *ask)
{
	say(ask, USAGE, ask_err_text(ask, &ask->err));
}

void ask_warn(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	if (ask->quiet)
		return;
	va_start(ap, fmt);
	vsay(ask, WARNING, fmt, ap);
	va_end(ap);
}

void ask_note(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	if (ask->quiet)
		return;
	va_start(ap, fmt);
	vsay(ask, NOTE, fmt, ap);
	va_end(ap);
}

/* Is it about a whole host, and says the same as a row before, of another one? */
static bool says_same(const struct mer_diag *d, const struct mer_diag *other)
{
	return d->host && !d->path && other->host && !other->path &&
	       d->severity == other->severity && strcmp(d->code, other->code) == 0 && d->message &&
	       other->message && strcmp(d->message, other->message) == 0;
}

/* n_more: further hosts for which the same is true. */
static void report_row(struct ask *ask, const struct mer_diag *d, size_t n_more)
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
		PLACE("host %s and %zu %s: ", d->host, n_more,
			mer_plural(n_more, "other", "others"));
	else if (d->host && !d->path)
		PLACE("host %s: ", d->host);
	/* An error of the system names its file itself. */
	size_t n = d->path ? strlen(d->path) : 0;
	bool is_named =
		n && d->message && strncmp(d->message, d->path, n) == 0 && d->message[n] == ':';
	if (d->path && !is_named) {
		PLACE("%s", d->path);
		if (d->packet >= 0)
			PLACE(", packet %lld", (long long)d->packet);
		if (d->offset_bits >= 0)
			PLACE(", byte %lld", (long long)(d->offset_bits / 8));
		PLACE(": ");
	}
#undef PLACE
	struct mer_str s = { 0 };

	mer_str_puts(&s, place);
	ask_put_remedied(&s, d->message ? d->message : d->code, d->remedy);
	if (s.data)
		say(ask,
			d->severity == MER_NOTE	     ? NOTE
			: d->severity == MER_WARNING ? WARNING
						     : ERROR,
			s.data);
	mer_str_fini(&s);
}

void ask_report(struct ask *ask, const struct mer_diag *rows, size_t n)
{
	size_t shown = 0, hidden = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].severity == MER_ERROR)
			ask->unreadable = true;
		if (rows[i].severity != MER_NOTE)
			ask->degraded = true;
		if (rows[i].severity == MER_NOTE && !ask->verbose)
			continue;
		if (rows[i].severity != MER_ERROR && ask->quiet)
			continue;
		bool joins = rows[i].host && !rows[i].path && !ask->verbose;
		size_t n_more = 0, before = 0;
		while (joins && before < i && !says_same(&rows[i], &rows[before]))
			before++;
		if (joins && before < i)
			continue; /* was reported there */
		for (size_t k = i + 1; joins && k < n; k++)
			n_more += says_same(&rows[i], &rows[k]);
		if (shown >= REPORT_ROWS && !ask->verbose) {
			hidden++;
			continue;
		}
		report_row(ask, &rows[i], n_more);
		shown++;
	}
	if (hidden)
		ask_note(ask, "%zu more %s (-v prints all)", hidden,
			mer_plural(hidden, "message", "messages"));
}
