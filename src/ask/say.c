/* What a question says besides its answer: notes, warnings, errors, and findings about the
 * input. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ask/print/remedies.h"
#include "ask/program.h"
#include "base/plural.h"

enum { REPORT_ROWS = 10 };

static void say(struct ask *ask, enum ask_said kind, const char *text)
{
	if (ask->program)
		ask->program->say(ask, kind, text);
	else
		mer_str_printf(&ask->notes, "%s\n", text);
}

static void vsay(struct ask *ask, enum ask_said kind, const char *fmt, va_list ap)
{
	char text[4096];
	vsnprintf(text, sizeof(text), fmt, ap);
	say(ask, kind, text);
}

void ask_error(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsay(ask, ASK_ERROR, fmt, ap);
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

void ask_warn(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	if (ask->quiet)
		return;
	va_start(ap, fmt);
	vsay(ask, ASK_WARNING, fmt, ap);
	va_end(ap);
}

void ask_note(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	if (ask->quiet)
		return;
	va_start(ap, fmt);
	vsay(ask, ASK_NOTE, fmt, ap);
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
			d->severity == MER_NOTE	     ? ASK_NOTE
			: d->severity == MER_WARNING ? ASK_WARNING
						     : ASK_ERROR,
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
