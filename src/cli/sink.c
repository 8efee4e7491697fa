#include "cli/sink.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "ask/print/ascii.h"
#include "base/safe_text.h"

/* By the name of the locale, whether or not it is installed here: a login from elsewhere brings
 * names of its own, and the terminal is there. */
bool cli_locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *v = NULL;
	for (int i = 0; i < 3 && !(v && *v); i++)
		v = getenv(names[i]);
	const char *codeset = v ? strchr(v, '.') : NULL;
	return codeset &&
	       (strncasecmp(codeset, ".utf-8", 6) == 0 || strncasecmp(codeset, ".utf8", 5) == 0);
}

/* ---- Text ---- */

/* Of our own escape sequences at s: its bytes; 0: there is none. */
static size_t own_sequence(const struct cli_sink *o, const char *s, size_t len)
{
	return o->bold && len >= 4 && (memcmp(s, "\033[1m", 4) == 0 || memcmp(s, "\033[0m", 4) == 0)
		       ? 4
		       : 0;
}

/* Bytes at the end that may be the begin of a character or sequence, of which the rest comes with
 * the next write. */
static size_t cut_off(const struct cli_sink *o, const char *s, size_t len)
{
	for (size_t n = 1; n <= 3 && n <= len; n++) {
		unsigned char c = (unsigned char)s[len - n];
		if (c == '\033')
			return o->bold && memcmp(&s[len - n], "\033[1m", n < 2 ? n : 2) == 0 ? n
											     : 0;
		if (c >= 0xc0)
			return n < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u) ? n : 0;
		if (c < 0x80 && !o->bold)
			return 0;
	}
	return 0;
}

static void make_text(struct cli_sink *o, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = mer_safe_span(s + i, len - i);
		if (n && o->ascii) {
			ask_ascii(&o->made, s + i, n);
			continue;
		}
		if (!n && (s[i] == '\n' || s[i] == '\t'))
			n = 1;
		if (!n)
			n = own_sequence(o, s + i, len - i);
		if (n)
			mer_str_add(&o->made, s + i, n);
		else
			n = mer_safe_escape(&o->made, s + i, len - i);
	}
}

/* ---- CSV ---- */

static bool is_number(const char *s, size_t len)
{
	char text[64], *end;
	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	(void)strtod(text, &end);
	return !*end;
}

/* CSV fields that a spreadsheet would take for a formula, as they begin with = + - @ and are no
 * numbers, get an apostrophe before it. field: one, as it stands in the file, quotes included. */
static void guard(struct mer_str *out, const char *field, size_t len)
{
	size_t quote = len && field[0] == '"', n = len - quote - (quote && len > 1);
	if (n && strchr("=+-@\t\r", field[quote]) && field[quote] && !is_number(field + quote, n)) {
		mer_str_add(out, field, quote);
		mer_str_putc(out, '\'');
		field += quote;
		len -= quote;
	}
	mer_str_add(out, field, len);
}

/* The field that rest holds ended. */
static void end_field(struct cli_sink *o)
{
	if (o->rest.len)
		guard(&o->made, o->rest.data, o->rest.len);
	mer_str_clear(&o->rest);
}

static void make_csv(struct cli_sink *o, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = 0;
		while (i + n < len && s[i + n] != '"' &&
			(o->in_quotes || (s[i + n] != ',' && s[i + n] != '\n')))
			n++;
		mer_str_add(&o->rest, s + i, n);
		if (i + n == len)
			return;
		char c = s[i + n++];
		if (c == '"') {
			o->in_quotes = !o->in_quotes;
			mer_str_putc(&o->rest, c);
		} else {
			end_field(o);
			mer_str_putc(&o->made, c);
		}
	}
}

/* ---- Writing ---- */

static bool put(struct cli_sink *o, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(o->fd, s, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!o->error)
				o->error = n < 0 ? errno : EIO;
			return false;
		}
		s += n;
		len -= (size_t)n;
		o->n_bytes += (uint64_t)n;
	}
	return true;
}

/* is_last: nothing will follow. */
static bool put_made(struct cli_sink *o, const char *s, size_t len, bool is_last)
{
	mer_str_clear(&o->made);
	if (o->is_guarded) {
		make_csv(o, s, len);
		if (is_last)
			end_field(o);
	} else {
		mer_str_add(&o->rest, s, len);
		size_t have = o->rest.len, whole = have;
		if (!is_last && have)
			whole -= cut_off(o, o->rest.data, have);
		if (whole)
			make_text(o, o->rest.data, whole);
		if (whole < have)
			memmove(o->rest.data, o->rest.data + whole, have - whole);
		o->rest.len = have - whole;
	}
	if ((o->made.failed || o->rest.failed) && !o->error)
		o->error = ENOMEM;
	return !o->error && (!o->made.len || put(o, o->made.data, o->made.len));
}

static ssize_t on_write(void *cookie, const char *s, size_t len)
{
	struct cli_sink *o = cookie;
	if (o->error)
		errno = o->error;
	else if (o->is_text || o->is_guarded ? put_made(o, s, len, false) : put(o, s, len))
		return (ssize_t)len;
	return 0;
}

static int on_close(void *cookie)
{
	struct cli_sink *o = cookie;
	bool ok = !o->error && put_made(o, "", 0, true);
	mer_str_fini(&o->made);
	mer_str_fini(&o->rest);
	if (ok)
		return 0;
	errno = o->error;
	return EOF;
}

FILE *cli_sink_open(struct cli_sink *s)
{
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = on_write, .close = on_close });
}
