#include "ask/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/plural.h"
#include "base/safe_text.h"

void ask_text_clean(struct mer_str *out, const char *s, size_t len, bool multiline)
{
	while (multiline && len) {
		size_t n = 0;
		while (n < len && s[n] != '\n' && s[n] != '\t')
			n++;
		mer_safe_add(out, s, n);
		if (n == len)
			return;
		mer_str_putc(out, s[n]);
		s += n + 1;
		len -= n + 1;
	}
	mer_safe_add(out, s, len);
}

size_t ask_text_width(const char *s, size_t len)
{
	size_t width = 0;
	for (size_t i = 0; i < len; i++)
		width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

/* Bytes of the first n characters. */
static size_t head(const char *s, size_t len, size_t n)
{
	size_t i = 0;
	while (i < len) {
		if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0)
			break;
		i++;
	}
	return i;
}

/* Of "make/12 on b": where "/12 on b" begins, and where " on b" does; len: it is not the name of a
 * task. */
static size_t number_of_task(const char *s, size_t len, size_t *behind)
{
	*behind = len;
	for (size_t i = 1; i + 1 < len; i++) {
		size_t end = i + 1;
		while (end < len && s[end] >= '0' && s[end] <= '9')
			end++;
		if (s[i] == '/' && end > i + 1 && (end == len || s[end] == ' ')) {
			*behind = end;
			return i;
		}
	}
	return len;
}

/* What is in brackets at its end goes first: where that begins; len: nothing is. */
static size_t brackets_of(const char *s, size_t len)
{
	if (len == 0 || s[len - 1] != ')')
		return len;
	for (size_t i = 1; i + 1 < len; i++)
		if (s[i] == ' ' && s[i + 1] == '(')
			return i;
	return len;
}

void ask_text_shorten(struct mer_str *out, const char *s, size_t len, size_t width)
{
	if (mer_safe_span(s, len) < len) {
		struct mer_str clean = { 0 };
		mer_safe_add(&clean, s, len);
		if (clean.data)
			ask_text_shorten(out, clean.data, clean.len, width);
		out->failed |= clean.failed;
		mer_str_fini(&clean);
		return;
	}
	size_t have = ask_text_width(s, len);
	if (have <= width) {
		mer_str_add(out, s, len);
		return;
	}
	if (width == 0)
		return;
	size_t brackets = brackets_of(s, len);
	if (brackets < len && width > 1) {
		static const char dots[] = "\xe2\x80\xa6";
		ask_text_shorten(out, s, brackets, width - 1);
		size_t n = sizeof(dots) - 1;
		bool ends_so = out->len >= n && memcmp(out->data + out->len - n, dots, n) == 0;
		mer_str_puts(out, ends_so ? "" : dots);
		return;
	}
	/* The ends of a text distinguish it better than its middle: names share beginnings,
	 * paths share directories. The number and host of a task distinguish it from others with
	 * its name. */
	enum { LEAST_NAME = 4 };
	size_t behind, number = number_of_task(s, len, &behind),
		       back = ask_text_width(s + number, len - number);
	/* Half a number would be another task's: rather no host. */
	if (behind < len && back + 1 + LEAST_NAME > width && behind - number + 2 < width) {
		ask_text_shorten(out, s, behind, width - 1);
		mer_str_puts(out, "\xe2\x80\xa6");
		return;
	}
	if (number == len || back + 1 + LEAST_NAME > width)
		back = width - 1 - (width - 1) / 2;
	size_t front = width - 1 - back;
	size_t begin = head(s, len, front), rest = head(s, len, have - back);
	mer_str_add(out, s, begin);
	mer_str_puts(out, "\xe2\x80\xa6");
	mer_str_add(out, s + rest, len - rest);
}

void ask_text_wrap(struct mer_str *out, const char *s, size_t width, size_t indent)
{
	size_t column = 0;
	bool fresh = true; /* at the begin of an output line */
	while (*s) {
		if (s[0] == '\n' && (s[1] == '\n' || s[1] == ' ')) {
			/* A paragraph ends, or a line follows that is kept. */
			if (!fresh)
				mer_str_putc(out, '\n');
			if (s[1] == '\n')
				mer_str_putc(out, '\n');
			fresh = true;
			s += s[1] == '\n' ? 2 : 1;
			continue;
		}
		if (fresh && s[0] == ' ') {
			size_t n = strcspn(s, "\n");
			mer_str_printf(out, "%*s%.*s\n", (int)indent, "", (int)n, s);
			s += n;
			if (s[0] == '\n' && s[1] != '\n')
				s++;
			continue;
		}
		if (s[0] == ' ' || s[0] == '\n') {
			s++;
			continue;
		}
		size_t n = strcspn(s, " \n");
		size_t w = ask_text_width(s, n);
		if (!fresh && column + 1 + w > width) {
			mer_str_putc(out, '\n');
			fresh = true;
		}
		if (fresh) {
			mer_str_printf(out, "%*s", (int)indent, "");
			column = indent;
		} else {
			mer_str_putc(out, ' ');
			column++;
		}
		mer_str_add(out, s, n);
		column += w;
		fresh = false;
		s += n;
	}
	if (!fresh)
		mer_str_putc(out, '\n');
}

void ask_text_things(struct mer_str *out, uint64_t n, const char *one, const char *many)
{
	ask_text_count(out, n > INT64_MAX ? INT64_MAX : (int64_t)n);
	mer_str_printf(out, " %s", mer_plural(n, one, many));
}

/* Local time in a form of strftime; *part gets the nanoseconds. False: beyond what a calendar
 * has. */
static bool local_time(char *text, size_t size, const char *form, int64_t ns, int *part)
{
	int64_t rest = ns % 1000000000, s = ns / 1000000000;
	if (rest < 0) {
		rest += 1000000000;
		s--;
	}
	*part = (int)rest;
	time_t t = (time_t)s;
	struct tm tm;
	return localtime_r(&t, &tm) && strftime(text, size, form, &tm);
}

void ask_text_clock(struct mer_str *out, int64_t ns)
{
	char text[64];
	int part;
	if (local_time(text, sizeof(text), "%H:%M:%S", ns, &part))
		mer_str_printf(out, "%s.%03d", text, part / 1000000);
	else
		mer_str_printf(out, "%" PRId64, ns);
}

void ask_text_clock_us(struct mer_str *out, int64_t ns)
{
	char text[64];
	int part;
	if (local_time(text, sizeof(text), "%H:%M:%S", ns, &part))
		mer_str_printf(out, "%s.%06d", text, part / 1000);
	else
		mer_str_printf(out, "%" PRId64, ns);
}

void ask_text_rate(struct mer_str *out, double v)
{
	if (!isfinite(v)) {
		mer_str_putc(out, '-');
		return;
	}
	double most = 9e18;
	ask_text_bytes(out, (int64_t)fmax(-most, fmin(most, round(v))));
	mer_str_puts(out, "/s");
}

void ask_text_bar(struct mer_str *out, double part, size_t width)
{
	if (!(part > 0))
		return;
	size_t eighths = (size_t)lround(fmin(part, 1) * 8 * (double)width);
	if (eighths == 0)
		eighths = 1; /* little, but not nothing */
	for (; eighths >= 8; eighths -= 8)
		mer_str_puts(out, "\xe2\x96\x88");
	/* U+258F is an eighth, U+2588 the whole. */
	if (eighths)
		mer_str_printf(out, "\xe2\x96%c", (char)(0x90 - (int)eighths));
}

void ask_text_seconds(struct mer_str *out, int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	mer_str_printf(out, "%s%" PRIu64 ".%09d", ns < 0 ? "-" : "", v / 1000000000,
		(int)(v % 1000000000));
}

void ask_text_real(struct mer_str *out, double v)
{
	if (!isfinite(v))
		mer_str_putc(out, '-');
	else
		mer_str_printf(out, fabs(v) < 1e7 ? "%.2f" : "%.3g", fabs(v) < 0.005 ? 0 : v);
}

void ask_text_time(struct mer_str *out, int64_t ns)
{
	char text[64];
	int part;
	if (local_time(text, sizeof(text), "%Y-%m-%d %H:%M:%S", ns, &part))
		mer_str_printf(out, "%s.%09d", text, part);
	else
		mer_str_printf(out, "%" PRId64, ns);
}

void ask_text_ratio(struct mer_str *out, double v)
{
	if (!isfinite(v))
		mer_str_puts(out, "-");
	else
		mer_str_printf(out, "%.*f %%", fabs(v) < 0.0995 ? 2 : 1, v * 100);
}
