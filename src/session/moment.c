#include "session/moment.h"

#include <string.h>
#include <time.h>

#include "base/time_unit.h"

enum { NS_PER_S = 1000000000 };

/* Reads an unsigned decimal number of at most max_digits digits; NULL when there is none. */
static const char *digits(const char *p, int max_digits, int64_t *value)
{
	int64_t v = 0;
	int n = 0;
	while (p[n] >= '0' && p[n] <= '9') {
		if (n == max_digits)
			return NULL;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, p[n] - '0', &v))
			return NULL;
		n++;
	}
	*value = v;
	return n ? p + n : NULL;
}

/* Reads ".123" as a part of unit, if there is one; digits beyond the unit's are dropped. */
static const char *fraction(const char *p, int64_t unit, int64_t *value)
{
	*value = 0;
	if (*p != '.')
		return p;
	p++;
	while (*p >= '0' && *p <= '9') {
		unit /= 10;
		*value += (*p++ - '0') * unit;
	}
	return p;
}

/* A number and its unit, to the end of the text; without a unit: default_unit, 0 for none. */
static const char *duration(const char *p, int64_t default_unit, int64_t *ns)
{
	int64_t whole, part, unit = default_unit;
	const char *end = digits(p, 18, &whole);
	if (!end)
		return NULL;
	p = fraction(end, 1, &part);
	if (*p) {
		unit = mer_time_unit(p, strlen(p));
		p += strlen(p);
	}
	if (!unit || __builtin_mul_overflow(whole, unit, ns))
		return NULL;
	fraction(end, unit, &part);
	return __builtin_add_overflow(*ns, part, ns) ? NULL : p;
}

bool session_duration_parse(int64_t *ns, const char *text)
{
	*ns = 0;
	return strcmp(text, "0") == 0 || duration(text, 0, ns) != NULL;
}

/* HH:MM[:SS[.nnn]] as seconds and nanoseconds of a day. */
static const char *time_of_day(const char *p, struct tm *tm, int64_t *ns)
{
	int64_t h, m, s = 0;
	*ns = 0;
	if (!(p = digits(p, 2, &h)) || *p++ != ':' || !(p = digits(p, 2, &m)))
		return NULL;
	if (*p == ':') {
		if (!(p = digits(p + 1, 2, &s)))
			return NULL;
		p = fraction(p, NS_PER_S, ns);
	}
	if (h > 24 || m > 59 || s > 60)
		return NULL;
	tm->tm_hour = (int)h;
	tm->tm_min = (int)m;
	tm->tm_sec = (int)s;
	return p;
}

/* Z, +HH:MM, +HHMM or +HH: seconds east of Greenwich. */
static const char *zone(const char *p, int64_t *east)
{
	int64_t h, m = 0;
	*east = 0;
	if (*p == 'Z' || *p == 'z')
		return p + 1;
	int sign = *p == '-' ? -1 : 1;
	if (*p != '+' && *p != '-')
		return NULL;
	const char *q = digits(p + 1, 4, &h);
	if (!q)
		return NULL;
	if (q - p > 3) {
		m = h % 100;
		h /= 100;
	} else if (*q == ':') {
		q = digits(q + 1, 2, &m);
	}
	*east = sign * (h * 3600 + m * 60);
	return q && h <= 24 && m <= 59 ? q : NULL;
}

static const char *date_and_time(const char *p, int64_t *ns)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t year, month, day, part = 0, east, seconds;
	if (!(p = digits(p, 4, &year)) || *p++ != '-' || !(p = digits(p, 2, &month)) ||
		*p++ != '-' || !(p = digits(p, 2, &day)))
		return NULL;
	if (year < 1900 || month < 1 || month > 12 || day < 1 || day > 31)
		return NULL;
	tm.tm_year = (int)(year - 1900);
	tm.tm_mon = (int)(month - 1);
	tm.tm_mday = (int)day;
	if (*p == 'T' || *p == 't' || *p == ' ') {
		if (!(p = time_of_day(p + 1, &tm, &part)))
			return NULL;
	}
	if (*p) {
		if (!(p = zone(p, &east)))
			return NULL;
		seconds = (int64_t)timegm(&tm) - east;
	} else {
		seconds = (int64_t)mktime(&tm);
	}
	if (__builtin_mul_overflow(seconds, NS_PER_S, ns) || __builtin_add_overflow(*ns, part, ns))
		return NULL;
	return p;
}

/* A time without a host. */
static bool parse_time(struct session_moment *m, const char *text)
{
	struct session_moment r = { 0 };
	struct tm tm = { 0 };
	const char *p;
	int64_t v;

	if (text[0] == '+') {
		r.kind = SESSION_MOMENT_RELATIVE;
		p = duration(text + 1, NS_PER_S, &r.ns);
	} else if (text[0] == '@') {
		r.kind = SESSION_MOMENT_ABSOLUTE;
		p = strpbrk(text + 1, "nmuhsd") ? NULL : duration(text + 1, NS_PER_S, &r.ns);
	} else if ((p = time_of_day(text, &tm, &v)) && !*p) {
		r.kind = SESSION_MOMENT_DAY;
		r.ns = (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * INT64_C(1000000000) + v;
	} else if ((p = date_and_time(text, &r.ns)) && !*p) {
		r.kind = SESSION_MOMENT_ABSOLUTE;
	} else if ((p = duration(text, 0, &r.ns))) {
		r.kind = SESSION_MOMENT_RELATIVE;
	} else if (strlen(text) >= 12 && (p = digits(text, 19, &r.ns)) && !*p && r.ns >= 0) {
		/* Fewer digits would be minutes after 1970: rather a forgotten unit. */
		r.kind = SESSION_MOMENT_ABSOLUTE;
	}
	if (!p || *p)
		return false;
	*m = r;
	return true;
}

bool session_moment_on_host(
	const struct session_moment *m, const char *host, struct session_moment *time)
{
	size_t len = strlen(host);
	return m->kind == SESSION_MOMENT_ON_HOST && strncmp(m->text, host, len) == 0 &&
	       m->text[len] == ':' && parse_time(time, m->text + len + 1);
}

/* Digits and colons as of a time of day, maybe after a date, whether or not there is such a time:
 * 25:00. */
static bool looks_like_time(const char *p)
{
	int64_t number;
	size_t date = strspn(p, "0123456789-");
	int n = 1;
	if (memchr(p, '-', date) && strchr("Tt ", p[date]) && p[date])
		p += date + 1;
	if (!(p = digits(p, 2, &number)))
		return false;
	while (n < 3 && *p == ':' && (p = digits(p + 1, 2, &number)))
		n++;
	if (!p || n < 2)
		return false;
	p = fraction(p, 1, &number);
	return !*p || zone(p, &number);
}

/* A name, a colon, and a time; names may have colons, too. */
static bool has_host(const char *text)
{
	struct session_moment time;
	for (const char *p = text; p && !looks_like_time(p);)
		if ((p = strchr(p, ':')) && p++ > text && parse_time(&time, p))
			return true;
	return false;
}

int session_moment_parse(struct session_moment *m, const char *text, struct mer_err *err)
{
	if (parse_time(m, text)) {
		m->text = text;
		return 0;
	}
	if (!has_host(text))
		return mer_fail(err, MER_ERR_USAGE,
			"'%s' is not a time; write 2024-05-03T12:34:56.789, 12:34:56.789, +1.5s (after the start of the traces), nanoseconds since 1970, or HOST:TIME for a host's own clock",
			text);
	*m = (struct session_moment){ .kind = SESSION_MOMENT_ON_HOST, .text = text };
	return 0;
}

static int64_t sum(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_add_overflow(a, b, &r))
		return b > 0 ? INT64_MAX : INT64_MIN;
	return r;
}

/* That time on the day of ns, days later; local time, so a day may have 23 or 25 hours. */
static int64_t on_day_of(int64_t ns, int days, int64_t of_day)
{
	time_t t = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
	struct tm tm;
	if (!localtime_r(&t, &tm))
		return ns;
	int64_t seconds = of_day / NS_PER_S;
	tm.tm_mday += days;
	tm.tm_hour = (int)(seconds / 3600);
	tm.tm_min = (int)(seconds / 60 % 60);
	tm.tm_sec = (int)(seconds % 60);
	tm.tm_isdst = -1;
	int64_t r;
	if (__builtin_mul_overflow((int64_t)mktime(&tm), NS_PER_S, &r))
		return ns;
	return sum(r, of_day % NS_PER_S);
}

int64_t session_moment_resolve(
	const struct session_moment *m, int64_t begin, int64_t end, int64_t fallback)
{
	int64_t t;
	switch (m->kind) {
	case SESSION_MOMENT_NONE:
	case SESSION_MOMENT_ON_HOST: return fallback;
	case SESSION_MOMENT_ABSOLUTE: return m->ns;
	case SESSION_MOMENT_RELATIVE: return sum(begin, m->ns);
	case SESSION_MOMENT_DAY: break;
	}
	t = on_day_of(begin, 0, m->ns);
	if (t < begin) {
		int64_t next = on_day_of(begin, 1, m->ns);
		if (next <= end)
			return next;
	}
	return t;
}
