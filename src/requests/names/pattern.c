#include "requests/names/pattern.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { NS = 1, US = 1000, MS = 1000000, SECOND = 1000000000 };

/* ---- the words ---- */

struct word {
	const char *name;
	uint8_t field;
	bool is_begin;
	int64_t unit_ns;
};

static const struct word nginx_words[] = {
	{ "msec", NAMES_EPOCH, false, SECOND },
	{ "time_local", NAMES_CLF, false, 0 },
	{ "time_iso8601", NAMES_ISO, false, 0 },
	{ "request_time", NAMES_TOOK, false, SECOND },
	{ "request", NAMES_REQUEST, false, 0 },
	{ "request_method", NAMES_METHOD, false, 0 },
	{ "request_uri", NAMES_TARGET, false, 0 },
	{ "uri", NAMES_TARGET, false, 0 },
	{ "status", NAMES_STATUS, false, 0 },
	{ "remote_addr", NAMES_CLIENT, false, 0 },
	{ "remote_port", NAMES_CLIENT_PORT, false, 0 },
	{ "server_port", NAMES_SERVER_PORT, false, 0 },
	{ "otel_trace_id", NAMES_TRACE_ID, false, 0 },
	{ "otel_span_id", NAMES_SPAN_ID, false, 0 },
	{ "http_traceparent", NAMES_TRACEPARENT, false, 0 },
	{ 0 },
};

static const struct word apache_words[] = {
	{ "t", NAMES_CLF, true, 0 },
	{ "{sec}t", NAMES_EPOCH, true, SECOND },
	{ "{msec}t", NAMES_EPOCH, true, MS },
	{ "{usec}t", NAMES_EPOCH, true, US },
	{ "{begin:sec}t", NAMES_EPOCH, true, SECOND },
	{ "{begin:msec}t", NAMES_EPOCH, true, MS },
	{ "{begin:usec}t", NAMES_EPOCH, true, US },
	{ "{end:sec}t", NAMES_EPOCH, false, SECOND },
	{ "{end:msec}t", NAMES_EPOCH, false, MS },
	{ "{end:usec}t", NAMES_EPOCH, false, US },
	{ "D", NAMES_TOOK, false, US },
	{ "T", NAMES_TOOK, false, SECOND },
	{ "{s}T", NAMES_TOOK, false, SECOND },
	{ "{ms}T", NAMES_TOOK, false, MS },
	{ "{us}T", NAMES_TOOK, false, US },
	{ "r", NAMES_REQUEST, false, 0 },
	{ "m", NAMES_METHOD, false, 0 },
	{ "U", NAMES_TARGET, false, 0 },
	{ "s", NAMES_STATUS, false, 0 },
	{ "h", NAMES_CLIENT, false, 0 },
	{ "a", NAMES_CLIENT, false, 0 },
	{ "{remote}p", NAMES_CLIENT_PORT, false, 0 },
	{ "{local}p", NAMES_SERVER_PORT, false, 0 },
	{ "{traceparent}i", NAMES_TRACEPARENT, false, 0 },
	{ 0 },
};

static const struct word envoy_words[] = {
	{ "START_TIME", NAMES_ISO, true, 0 },
	{ "DURATION", NAMES_TOOK, false, MS },
	{ "REQ(:METHOD)", NAMES_METHOD, false, 0 },
	{ "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", NAMES_TARGET, false, 0 },
	{ "REQ(:PATH)", NAMES_TARGET, false, 0 },
	{ "RESPONSE_CODE", NAMES_STATUS, false, 0 },
	{ "DOWNSTREAM_DIRECT_REMOTE_ADDRESS", NAMES_CLIENT, false, 0 },
	{ "DOWNSTREAM_REMOTE_ADDRESS", NAMES_CLIENT, false, 0 },
	{ "DOWNSTREAM_REMOTE_PORT", NAMES_CLIENT_PORT, false, 0 },
	{ "REQ(TRACEPARENT)", NAMES_TRACEPARENT, false, 0 },
	{ "TRACE_ID", NAMES_TRACE_ID, false, 0 },
	{ 0 },
};

static const struct {
	const char *name, *pattern;
} shipped[] = {
	{ "nginx",
		"$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent" },
	{ "apache", "%h %l %u %t \"%r\" %>s %b" },
	{ "envoy",
		"[%START_TIME%] \"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%\" "
		"%RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION%" },
};

/* ---- a pattern ---- */

static struct names_piece piece_of(const struct word *words, const char *name, size_t len)
{
	for (; words->name; words++)
		if (strlen(words->name) == len && memcmp(words->name, name, len) == 0)
			return (struct names_piece){ .field = words->field,
				.is_begin = words->is_begin,
				.unit_ns = words->unit_ns };
	return (struct names_piece){ .field = NAMES_IGNORED };
}

/* How long the word at text is, behind its $ or %; 0: there is none. */
static size_t nginx_word(const char *text, struct names_piece *piece)
{
	bool has_brace = text[0] == '{';
	const char *name = text + has_brace;
	size_t len = 0;
	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	if (!len || (has_brace && name[len] != '}'))
		return 0;
	*piece = piece_of(nginx_words, name, len);
	return len + 2 * has_brace;
}

static size_t envoy_word(const char *text, struct names_piece *piece)
{
	enum { LEAST = 3 }; /* "%U%q" is of Apache */
	size_t len = 0, all;
	while (isupper((unsigned char)text[len]) || isdigit((unsigned char)text[len]) ||
		text[len] == '_')
		len++;
	if (len < LEAST)
		return 0;
	all = len;
	if (text[len] == '(') {
		const char *close = strchr(text, ')');
		if (!close)
			return 0;
		all = (size_t)(close - text) + 1;
		/* START_TIME(%s): of a format of its own, which may have anything in it. */
		if (strncmp(text, "START_TIME", len) == 0)
			return 0;
	}
	if (text[all] == ':') /* a length: %REQ(X):20% */
		while (isdigit((unsigned char)text[++all]))
			;
	const char *cut = memchr(text, ':', all);
	size_t known = text[len] == '(' || !cut ? all : (size_t)(cut - text);
	*piece = piece_of(envoy_words, text, known);
	return text[all] == '%' ? all + 1 : 0;
}

static size_t apache_word(const char *text, struct names_piece *piece)
{
	size_t at = strspn(text, "<>!,0123456789"), begin = at;
	if (text[at] == '{') {
		const char *close = strchr(text + at, '}');
		if (!close)
			return 0;
		at = (size_t)(close - text) + 1;
	}
	if (text[at] == '^')
		at += 2; /* %{X}^ti */
	if (!isalpha((unsigned char)text[at]))
		return 0;
	*piece = piece_of(apache_words, text + begin, at + 1 - begin);
	return at + 1;
}

/* A word at text; 0: none. */
static size_t word_at(const char *text, struct names_piece *piece)
{
	size_t len = 0;
	if (text[0] == '$')
		len = nginx_word(text + 1, piece);
	else if (text[0] == '%' && !(len = envoy_word(text + 1, piece)))
		len = apache_word(text + 1, piece);
	return len ? len + 1 : 0;
}

/* "log_format NAME 'one' 'two';" as it stands in a configuration: what is in the quotes. */
static const char *unwrap(const char *text, struct mer_arena *arena)
{
	static const char head[] = "log_format";
	text += strspn(text, " \t\n");
	if (strncmp(text, head, sizeof(head) - 1) != 0)
		return text;
	char *out = mer_arena_strdup(arena, text), *to = out;
	char quote = '\0';
	for (; out && *text; text++) {
		if (!quote && (*text == '\'' || *text == '"'))
			quote = *text;
		else if (quote && *text == quote)
			quote = '\0';
		else if (quote)
			*to++ = *text;
	}
	if (out)
		*to = '\0';
	return out;
}

static bool has(const struct names_pattern *p, enum names_field field)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->item[i].field == field)
			return true;
	return false;
}

int names_pattern_of(
	struct names_pattern *p, const char *text, struct mer_arena *arena, struct mer_err *err)
{
	*p = (struct names_pattern){ 0 };
	for (size_t i = 0; i < sizeof(shipped) / sizeof(*shipped); i++)
		if (strcmp(text, shipped[i].name) == 0) {
			text = shipped[i].pattern;
			p->may_go_on = true;
		}
	text = unwrap(text, arena);
	if (!text)
		return mer_fail_nomem(err);
	p->before = "";
	const char *literal = text;
	for (const char *at = text;;) {
		struct names_piece piece = { 0 };
		size_t len = word_at(at, &piece), before = (size_t)(at - literal);
		if (*at && !len) {
			at++;
			continue;
		}
		/* What was passed since the last word is what ends it. */
		char *kept = mer_arena_strndup(arena, literal, before);
		if (!kept)
			return mer_fail_nomem(err);
		if (p->n) {
			p->item[p->n - 1].until = kept;
			p->item[p->n - 1].until_len = before;
		} else {
			p->before = kept;
			p->before_len = before;
		}
		if (!*at)
			break;
		if (p->n == NAMES_MOST_FIELDS)
			return mer_fail(err, MER_ERR_USAGE,
				"format of lines: more than %d fields: leave out those at the end",
				NAMES_MOST_FIELDS);
		/* Two words without anything between them are one, of the first one's kind. */
		if (!p->n || before)
			p->item[p->n++] = piece;
		at += len;
		literal = at;
	}
	if (!p->n)
		return mer_fail(err, MER_ERR_USAGE,
			"'%.60s' is no format of lines: nginx, apache, envoy, or the text of log_format (with $msec) or LogFormat (with %%t) of the program that wrote the log",
			text);
	if (!has(p, NAMES_EPOCH) && !has(p, NAMES_CLF) && !has(p, NAMES_ISO))
		return mer_fail(err, MER_ERR_USAGE,
			"format '%.60s': the lines have no time that is known here ($msec, $time_local, $time_iso8601; %%t; %%START_TIME%%)",
			text);
	return 0;
}

/* ---- a line ---- */

static bool digits(const char **at, const char *end, int n, int *to)
{
	*to = 0;
	for (; n; n--, ++*at) {
		if (*at == end || !isdigit((unsigned char)**at))
			return false;
		*to = 10 * *to + (**at - '0');
	}
	return true;
}

static bool skip(const char **at, const char *end, const char *any)
{
	if (*at == end || !**at || !strchr(any, **at))
		return false;
	++*at;
	return true;
}

/* Days since 1970 in the calendar of today; month from 1 on. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "+0200", "+02:00", "Z": seconds. */
static bool zone(const char **at, const char *end, int *to)
{
	int hours, minutes;
	*to = 0;
	if (*at < end && **at == 'Z') {
		++*at;
		return true;
	}
	bool is_west = *at < end && **at == '-';
	if (!skip(at, end, "+-") || !digits(at, end, 2, &hours))
		return false;
	skip(at, end, ":");
	if (!digits(at, end, 2, &minutes))
		return false;
	*to = (hours * 60 + minutes) * (is_west ? -60 : 60);
	return true;
}

static bool put_moment(struct names_line *to, bool is_begin, int64_t ns, int64_t resolution_ns)
{
	/* Of two times of one kind the finer one counts: $time_local and $msec. */
	if ((is_begin ? to->has_begin : to->has_end) && to->resolution_ns <= resolution_ns)
		return true;
	*(is_begin ? &to->begin : &to->end) = ns;
	*(is_begin ? &to->has_begin : &to->has_end) = true;
	to->resolution_ns = resolution_ns;
	return true;
}

static bool clock_time(const char **at, const char *end, int64_t days, int64_t *seconds)
{
	int h, m, s;
	if (!digits(at, end, 2, &h) || !skip(at, end, ":") || !digits(at, end, 2, &m) ||
		!skip(at, end, ":") || !digits(at, end, 2, &s) || h > 23 || m > 59 || s > 60)
		return false;
	*seconds = ((days * 24 + h) * 60 + m) * 60 + s;
	return true;
}

/* How long it is; 0: there is none at text. */
static size_t read_clf(const char *text, const char *end, bool is_begin, struct names_line *to)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *at = text;
	int day, month = -1, year, offset;
	int64_t seconds;
	bool in_brackets = skip(&at, end, "[");
	if (!digits(&at, end, 2, &day) || !skip(&at, end, "/") || end - at < 4)
		return 0;
	for (int i = 0; i < 12; i++)
		if (memcmp(months + 3 * (ptrdiff_t)i, at, 3) == 0)
			month = i + 1;
	at += 3;
	if (month < 0 || !skip(&at, end, "/") || !digits(&at, end, 4, &year) || year < 1970 ||
		!skip(&at, end, ":") ||
		!clock_time(&at, end, days_of(year, month, day), &seconds) ||
		!skip(&at, end, " ") || !zone(&at, end, &offset) ||
		(in_brackets && !skip(&at, end, "]")))
		return 0;
	if (year > 2200 || !put_moment(to, is_begin, (seconds - offset) * SECOND, SECOND))
		return 0;
	return (size_t)(at - text);
}

static size_t read_iso(const char *text, const char *end, bool is_begin, struct names_line *to)
{
	const char *at = text;
	int year, month, day, offset;
	int64_t seconds, fraction = 0, unit = SECOND;
	if (!digits(&at, end, 4, &year) || year < 1970 || year > 2200 || !skip(&at, end, "-") ||
		!digits(&at, end, 2, &month) || !skip(&at, end, "-") ||
		!digits(&at, end, 2, &day) || !skip(&at, end, "T ") || month < 1 || month > 12 ||
		!clock_time(&at, end, days_of(year, month, day), &seconds))
		return 0;
	if (skip(&at, end, ".,"))
		for (int digit; unit > 1 && digits(&at, end, 1, &digit);) {
			unit /= 10;
			fraction += digit * unit;
		}
	if (!zone(&at, end, &offset) ||
		!put_moment(to, is_begin, (seconds - offset) * SECOND + fraction, unit))
		return 0;
	return (size_t)(at - text);
}

/* "1795359264.694" of seconds: ns, and what its last digit is worth. */
static bool read_number(
	const char *text, size_t len, int64_t unit_ns, int64_t *ns, int64_t *resolution_ns)
{
	int64_t whole = 0, unit = unit_ns;
	size_t i = 0;
	for (; i < len && isdigit((unsigned char)text[i]); i++) {
		if (whole > INT64_MAX / 20 / unit_ns)
			return false;
		whole = 10 * whole + (text[i] - '0');
	}
	if (!i)
		return false;
	*ns = whole * unit_ns;
	if (i < len && text[i] == '.')
		for (i++; i < len && isdigit((unsigned char)text[i]) && unit >= 10; i++) {
			unit /= 10;
			*ns += (text[i] - '0') * unit;
		}
	*resolution_ns = unit;
	return i == len;
}

static uint16_t port_of(const char *text, size_t len)
{
	int64_t ns, unit;
	return len < 6 && read_number(text, len, 1, &ns, &unit) && ns <= UINT16_MAX ? (uint16_t)ns
										    : 0;
}

/* "10.0.0.1:443", "[::1]:443"; without a port: 0. */
static uint16_t port_behind(const char *text, size_t len)
{
	size_t colons = 0, last = 0;
	for (size_t i = 0; i < len; i++)
		if (text[i] == ':') {
			colons++;
			last = i;
		}
	if (!colons || (colons > 1 && text[0] != '['))
		return 0;
	return port_of(text + last + 1, len - last - 1);
}

struct reading {
	struct names_lines *l;
	struct names_line *to;
	const char *method, *target;
	size_t method_len, target_len;
	int64_t took, took_unit;
	bool has_took;
};

/* "GET /path HTTP/1.1" */
static void read_request(struct reading *r, const char *text, size_t len)
{
	const char *space = memchr(text, ' ', len);
	if (!space)
		return;
	r->method = text;
	r->method_len = (size_t)(space - text);
	r->target = space + 1;
	r->target_len = len - r->method_len - 1;
	for (size_t i = r->target_len; i-- > 0;)
		if (r->target[i] == ' ') {
			r->target_len = i;
			break;
		}
}

/* "00-" 32 digits "-" 16 digits "-01" */
static void read_traceparent(struct reading *r, const char *text, size_t len)
{
	enum { TRACE = 32, SPAN = 16, AT_TRACE = 3, AT_SPAN = AT_TRACE + TRACE + 1 };
	if (len < AT_SPAN + SPAN || text[2] != '-' || text[AT_SPAN - 1] != '-')
		return;
	r->to->trace_id = names_keep_id(r->l, text + AT_TRACE, TRACE, TRACE);
	if (r->to->trace_id)
		r->to->parent_span_id = names_keep_id(r->l, text + AT_SPAN, SPAN, SPAN);
}

static bool read_value(struct reading *r, const struct names_piece *p, const char *text, size_t len)
{
	enum { TRACE_DIGITS = 32, SPAN_DIGITS = 16 };
	struct names_line *to = r->to;
	int64_t ns, unit;
	switch ((enum names_field)p->field) {
	case NAMES_EPOCH:
		return read_number(text, len, p->unit_ns, &ns, &unit) &&
		       put_moment(to, p->is_begin, ns, unit);
	case NAMES_TOOK:
		r->has_took = read_number(text, len, p->unit_ns, &r->took, &r->took_unit);
		break;
	case NAMES_REQUEST: read_request(r, text, len); break;
	case NAMES_METHOD:
		r->method = text;
		r->method_len = len;
		break;
	case NAMES_TARGET:
		r->target = text;
		r->target_len = len;
		break;
	case NAMES_STATUS: to->status = names_keep(r->l, text, len); break;
	case NAMES_CLIENT_PORT: to->client_port = port_of(text, len); break;
	case NAMES_CLIENT:
		if (!to->client_port)
			to->client_port = port_behind(text, len);
		break;
	case NAMES_SERVER_PORT: to->server_port = port_of(text, len); break;
	case NAMES_TRACE_ID: to->trace_id = names_keep_id(r->l, text, len, TRACE_DIGITS); break;
	case NAMES_SPAN_ID: to->span_id = names_keep_id(r->l, text, len, SPAN_DIGITS); break;
	case NAMES_TRACEPARENT: read_traceparent(r, text, len); break;
	default: break;
	}
	return true;
}

/* Where the text that ends a value is. An escaped quote (\") does not end it. */
static const char *find_end(const char *at, const char *end, const char *until, size_t len)
{
	for (const char *from = at; (size_t)(end - from) >= len; from++) {
		from = memchr(from, until[0], (size_t)(end - from) - len + 1);
		if (!from)
			return NULL;
		bool is_escaped = until[0] == '"' && from > at && from[-1] == '\\';
		if (!is_escaped && memcmp(from, until, len) == 0)
			return from;
	}
	return NULL;
}

bool names_pattern_read(const struct names_pattern *p, struct names_lines *l, const char *line,
	size_t len, struct names_line *to)
{
	struct reading r = { .l = l, .to = to };
	const char *at = line, *end = line + len;
	if (len < p->before_len || memcmp(line, p->before, p->before_len) != 0)
		return false;
	at += p->before_len;
	for (size_t i = 0; i < p->n; i++) {
		const struct names_piece *piece = &p->item[i];
		const char *stop = NULL;
		size_t time = piece->field == NAMES_CLF	  ? read_clf(at, end, piece->is_begin, to)
			      : piece->field == NAMES_ISO ? read_iso(at, end, piece->is_begin, to)
							  : 0;
		if (time)
			stop = at + time;
		else if (piece->field == NAMES_CLF || piece->field == NAMES_ISO)
			return false;
		else if (piece->until_len)
			stop = find_end(at, end, piece->until, piece->until_len);
		else if (p->may_go_on && memchr(at, ' ', (size_t)(end - at)))
			stop = memchr(at, ' ', (size_t)(end - at));
		else
			stop = end;
		if (!stop || (size_t)(end - stop) < piece->until_len ||
			memcmp(stop, piece->until, piece->until_len) != 0 ||
			(!time && !read_value(&r, piece, at, (size_t)(stop - at))))
			return false;
		at = stop + piece->until_len;
	}
	if ((at != end && !p->may_go_on) || (!to->has_begin && !to->has_end))
		return false;
	/* What is known to the second only says nothing of a time to the millisecond. */
	if (r.has_took && to->has_begin != to->has_end && r.took_unit <= to->resolution_ns) {
		to->begin = to->has_begin ? to->begin : to->end - r.took;
		to->end = to->has_end ? to->end : to->begin + r.took;
		to->has_begin = to->has_end = true;
	}
	to->name = names_keep_request(l, r.method, r.method_len, r.target, r.target_len);
	return true;
}
