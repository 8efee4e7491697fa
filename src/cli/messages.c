/* What the program says on stderr: made safe, wrapped, and at the right time. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ask/print/ascii.h"
#include "cli/messages.h"
#include "base/plural.h"
#include "ask/context.h"
#include "cli/progress.h"
#include "ask/print/remedies.h"
#include "cli/sink.h"
#include "ask/print/text.h"

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
static void compose(
	const struct ask *ask, enum ask_said kind, const char *text, struct mer_str *out)
{
	static const char *const kinds[] = { "note: ", "warning: ", "error: ", "" };
	static const char *const colors[] = { "1", "1;33", "1;31", "" };
	struct mer_str s = { 0 };
	bool colored = ask->bold_err && kind != ASK_MISUSE;
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
void cli_say(struct ask *ask, enum ask_said kind, const char *text)
{
	struct mer_str s = { 0 };
	compose(ask, kind, text, &s);
	if (kind >= ASK_ERROR) {
		put_messages(ask, &s);
		return;
	}
	/* What is true of the traces is true of each mark. */
	bool is_said = ask->shared && s.data && ask->notes.data && strstr(ask->notes.data, s.data);
	if (s.data && !is_said) {
		mer_str_add(&ask->notes, s.data, s.len);
		if (kind == ASK_WARNING)
			mer_str_add(&ask->warnings, s.data, s.len);
	}
	mer_str_fini(&s);
}

void cli_usage(struct ask *ask)
{
	cli_say(ask, ASK_MISUSE, ask_err_text(ask, &ask->err));
}
