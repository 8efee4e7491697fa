#include "ftrace/text/text_line.h"

#include <ctype.h>
#include <string.h>

enum { MAX_HEAD = 300, MAX_COMM = 15, MAX_FLAGS = 8, MAX_CPU = 1 << 14 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Digits; NULL: there are none, or too many. */
static const char *number(const char *p, const char *end, uint64_t *value)
{
	const char *begin = p;
	*value = 0;
	for (; p < end && is_digit(*p); p++) {
		if (p - begin >= 19)
			return NULL;
		*value = *value * 10 + (uint64_t)(*p - '0');
	}
	return p > begin ? p : NULL;
}

bool ftrace_line_next(const char **at, const char *end, struct ftrace_slice *line, bool *is_whole)
{
	const char *p = *at;
	if (p >= end)
		return false;
	const char *nl = memchr(p, '\n', (size_t)(end - p));
	*is_whole = nl != NULL;
	*at = nl ? nl + 1 : end;
	const char *last = nl ? nl : end;
	while (last > p && (last[-1] == '\r' || is_blank(last[-1])))
		last--;
	*line = (struct ftrace_slice){ p, (size_t)(last - p) };
	return true;
}

/* ---- the columns ---- */

/* "57.332291", "57.332291123", "18940042573" (ns of the clock), "57331609us". */
static const char *time_of(const char *p, const char *end, struct ftrace_line *l)
{
	uint64_t whole, part = 0;
	enum { MAX_SECONDS = 1000000000 };
	p = number(p, end, &whole);
	if (!p)
		return NULL;
	if (end - p > 2 && p[0] == 'u' && p[1] == 's') {
		l->unit = FTRACE_US;
		l->time = whole * 1000;
		p = p + 2;
		while (p < end && strchr("!+#*@$ ", *p))
			p++;
		return whole < (uint64_t)MAX_SECONDS * 1000000 ? p : NULL;
	}
	l->unit = FTRACE_WHOLE;
	l->time = whole;
	if (p == end || *p != '.')
		return p;
	unsigned n = 0;
	for (p++; p < end && is_digit(*p); p++)
		if (n < 9) {
			part = part * 10 + (uint64_t)(*p - '0');
			n++;
		}
	if (n == 0 || whole >= MAX_SECONDS)
		return NULL;
	l->unit = n > 6 ? FTRACE_FRACTION : FTRACE_US;
	for (; n < 9; n++)
		part *= 10;
	l->time = whole * 1000000000 + part;
	return p;
}

/* The column that ftrace heads with irqs-off, need-resched, hardirq/softirq, preempt-depth, ...
 * Source: trace_print_lat_fmt of the kernel's kernel/trace/trace_output.c. */
static const char *flags_of(const char *p, const char *end, struct ftrace_line *l)
{
	enum {
		IRQS_OFF = 1,
		RESCHED = 4,
		HARDIRQ = 8,
		SOFTIRQ = 16,
		PREEMPT_RESCHED = 32,
		NMI = 64
	};
	const char *begin = p;
	while (p < end && !is_blank(*p)) {
		if (!isalnum((unsigned char)*p) && !strchr(".#*?", *p))
			return NULL;
		p++;
	}
	if (p == begin || p - begin > MAX_FLAGS || is_digit(*begin))
		return NULL;
	l->flags = 0;
	l->flags |= *begin == 'd' || *begin == 'D' ? IRQS_OFF : 0;
	if (p - begin > 1)
		l->flags |= strchr("NnBL", begin[1])  ? RESCHED
			    : strchr("pbl", begin[1]) ? PREEMPT_RESCHED
						      : 0;
	if (p - begin > 2)
		l->flags |= strchr("HhzZ", begin[2]) ? HARDIRQ : 0;
	if (p - begin > 2)
		l->flags |= strchr("Hs", begin[2]) ? SOFTIRQ : strchr("zZ", begin[2]) ? NMI : 0;
	l->preempt = p - begin > 3 && is_digit(begin[3]) ? (uint8_t)(begin[3] - '0') : 0;
	return p;
}

/* Reads what follows the CPU: maybe flags, the time, a colon. Returns where the event's name
 * begins; NULL: something else follows. */
static const char *behind_cpu(const char *p, const char *end, struct ftrace_line *l)
{
	l->flags = l->preempt = 0;
	p = skip_blanks(p, end);
	if (p < end && !is_digit(*p)) {
		p = flags_of(p, end, l);
		p = p ? skip_blanks(p, end) : NULL;
	}
	p = p ? time_of(p, end, l) : NULL;
	if (p)
		p = skip_blanks(p, end);
	return p && p < end && *p == ':' ? p + 1 : NULL;
}

/* Reads the number at the end of [begin, *end), and moves *end before it. */
static bool number_before(const char *begin, const char **end, uint64_t *value)
{
	const char *p = *end, *after;
	while (p > begin && is_digit(p[-1]))
		p--;
	after = number(p, *end, value);
	*end = p;
	return after && *value <= INT32_MAX;
}

static void trim(const char **begin, const char **end)
{
	while (*begin < *end && is_blank(**begin))
		++*begin;
	while (*begin < *end && is_blank((*end)[-1]))
		--*end;
}

/* "(  330)" or "(-----)" at the end is the process. */
static void take_process(const char *begin, const char **end, struct ftrace_line *l)
{
	const char *p = *end, *inner;
	uint64_t value;
	if (p <= begin || p[-1] != ')')
		return;
	for (inner = p - 1; inner > begin && (is_digit(inner[-1]) || strchr(" -", inner[-1]));)
		inner--;
	if (inner <= begin || inner[-1] != '(' || inner == p - 1)
		return;
	const char *last = p - 1;
	*end = inner - 1;
	if (number_before(inner, &last, &value))
		l->pid = (int32_t)value;
}

/* "sh-330", "sh   330", "sh  330/331": the task. */
static bool take_task(const char *begin, const char *end, struct ftrace_line *l)
{
	uint64_t id;
	l->pid = l->tid = -1;
	trim(&begin, &end);
	take_process(begin, &end, l);
	trim(&begin, &end);
	if (!number_before(begin, &end, &id))
		return false;
	l->tid = (int32_t)id;
	l->is_perf = false;
	if (end > begin && end[-1] == '/') {
		l->is_perf = true;
		end--;
		if (!number_before(begin, &end, &id))
			return false;
		l->pid = (int32_t)id;
	} else if (end > begin && end[-1] == '-') {
		end--;
		/* perf writes ":-1  -1" for events without a task. */
		if (end - begin >= 4 && memcmp(begin, ":-1", 3) == 0) {
			l->is_perf = true;
			l->tid = 0;
		}
	} else if (end == begin || is_blank(end[-1])) {
		l->is_perf = true;
	} else {
		return false;
	}
	trim(&begin, &end);
	/* The buffer's name may come before it: "other:               sh". */
	for (const char *p = begin; end - begin > MAX_COMM && p + 1 < end; p++)
		if (p[0] == ':' && p[1] == ' ') {
			begin = p + 1;
			trim(&begin, &end);
			break;
		}
	l->comm = (struct ftrace_slice){ begin, (size_t)(end - begin) };
	return true;
}

/* The columns up to the time, in any of the forms: where the event's name begins, or NULL. */
static const char *columns(const char *text, const char *end, struct ftrace_line *l)
{
	const char *limit = (size_t)(end - text) > MAX_HEAD ? text + MAX_HEAD : end;
	for (const char *p = text; p < limit; p++) {
		uint64_t cpu;
		if (*p != '[' || p == text || !(is_blank(p[-1]) || p[-1] == ')'))
			continue;
		const char *after = number(p + 1, end, &cpu);
		if (!after || after == end || *after != ']' || cpu >= MAX_CPU)
			continue;
		const char *event = behind_cpu(after + 1, end, l);
		if (event && take_task(text, p, l)) {
			l->cpu = (uint32_t)cpu;
			return event;
		}
	}
	/* Without brackets, the flags directly follow the CPU: "sh-330     1d..2. 57.332291:". */
	for (const char *p = text; p < limit; p++) {
		uint64_t cpu;
		if (!is_blank(*p) || p + 1 >= end || !is_digit(p[1]))
			continue;
		const char *after = number(p + 1, end, &cpu);
		if (!after || after == end || is_blank(*after) || is_digit(*after) ||
			cpu >= MAX_CPU || !strchr(".dDXbB?", *after))
			continue;
		const char *event = behind_cpu(after, end, l);
		if (event && take_task(text, p, l) && !l->is_perf) {
			l->cpu = (uint32_t)cpu;
			return event;
		}
	}
	return NULL;
}

/* ---- the event ---- */

static bool is_name(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)p[i]) && !strchr("_:.-+", p[i]))
			return false;
	return len > 0 && len < 120 && p[0] != ':' && p[len - 1] != ':';
}

/* Is it a counter of perf ("cycles", "cpu-clock:pppH")? Tracepoints have a system. */
static bool is_counter(const char *name, size_t len)
{
	const char *colon = memchr(name, ':', len);
	if (!colon)
		return true;
	for (const char *p = colon + 1; p < name + len; p++)
		if (!strchr("ukhGHpPSDIWe", *p))
			return false;
	return true;
}

static bool begins(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);
	return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

/* The kernel's own text of a call, "sys_read(fd: 3, buf: 7ffe4a88e7e0, count: 10)", and of its
 * result, "sys_read -> 0x10": the event's name ends with what tells them apart. */
static bool take_call(const char *p, const char *end, struct ftrace_line *l)
{
	const char *q = p + 4, *body;
	if (l->is_perf || !begins(p, end, "sys_"))
		return false;
	while (q < end && (isalnum((unsigned char)*q) || *q == '_'))
		q++;
	if (q < end - 1 && *q == '(' && end[-1] == ')') {
		body = ++q;
		end--;
	} else if (begins(q, end, " -> 0x")) {
		body = q + 4;
		q += 3;
	} else {
		return false;
	}
	l->event = (struct ftrace_slice){ p, (size_t)(q - p) };
	l->body = (struct ftrace_slice){ body, (size_t)(end - body) };
	l->kind = FTRACE_LINE_EVENT;
	return true;
}

static void take_event(const char *p, const char *end, struct ftrace_line *l)
{
	uint64_t n;
	p = skip_blanks(p, end);
	/* trace-cmd report --ts-diff */
	if (end - p > 2 && p[0] == '(' && p[1] == '+') {
		const char *close = memchr(p, ')', (size_t)(end - p));
		p = close ? skip_blanks(close + 1, end) : p;
	}
	l->kind = FTRACE_LINE_OTHER;
	if (begins(p, end, "PERF_RECORD_LOST lost ")) {
		if (number(p + 22, end, &n)) {
			l->kind = FTRACE_LINE_LOST;
			l->lost = n;
			l->has_time = true;
		}
		return;
	}
	if (begins(p, end, "PERF_RECORD_") || begins(p, end, "<stack trace>")) {
		l->kind = FTRACE_LINE_BESIDE;
		return;
	}
	if (take_call(p, end, l))
		return;
	/* perf script -F +period */
	const char *behind = l->is_perf ? number(p, end, &n) : NULL;
	if (behind && behind < end && is_blank(*behind))
		p = skip_blanks(behind, end);
	const char *last = p;
	while (last < end && !is_blank(*last))
		last++;
	const char *body = skip_blanks(last, end);
	l->body = (struct ftrace_slice){ body, (size_t)(end - body) };
	if (last > p + 1 && last[-1] == ':' && is_name(p, (size_t)(last - 1 - p))) {
		l->event = (struct ftrace_slice){ p, (size_t)(last - 1 - p) };
		l->kind = l->is_perf && is_counter(p, l->event.len) ? FTRACE_LINE_SAMPLE
								    : FTRACE_LINE_EVENT;
	} else if (begins(body, end, "<-")) {
		/* The tracer `function`: "vfs_read <-ksys_read". */
		static const char function[] = "ftrace:function";
		l->event = (struct ftrace_slice){ function, sizeof(function) - 1 };
		l->body = (struct ftrace_slice){ p, (size_t)(end - p) };
		l->kind = FTRACE_LINE_EVENT;
	} else if (l->is_perf) {
		l->kind = FTRACE_LINE_SAMPLE;
	}
}

/* ---- lines that are no events ---- */

/* "CPU:3 [LOST 123 EVENTS]", "CPU:3 [LOST EVENTS]" of the kernel; "CPU:1 [2187 EVENTS DROPPED]",
 * "CPU:1 [EVENTS DROPPED]", "buffer: CPU:1 ..." of trace-cmd. */
static bool is_loss(const char *p, const char *end, struct ftrace_line *l)
{
	uint64_t cpu, n = 0;
	/* The buffer's name may come before it. */
	const char *colon =
		(size_t)(end - p) > MAX_HEAD ? NULL : memmem(p, (size_t)(end - p), ": CPU:", 6);
	p = colon ? colon + 2 : skip_blanks(p, end);
	if (!begins(p, end, "CPU:"))
		return false;
	p = number(p + 4, end, &cpu);
	if (!p || cpu >= MAX_CPU || !begins(p, end, " ["))
		return false;
	p += 2;
	bool is_kernel = begins(p, end, "LOST ");
	const char *after = number(is_kernel ? p + 5 : p, end, &n);
	if (after)
		p = skip_blanks(after, end);
	else
		p = is_kernel ? p + 5 : p;
	if (!begins(p, end, is_kernel ? "EVENTS]" : "EVENTS DROPPED]"))
		return false;
	l->cpu = (uint32_t)cpu;
	l->lost = after ? n : 0;
	l->kind = FTRACE_LINE_LOST;
	return true;
}

/* "##### CPU 2 buffer started ####" */
static bool is_start(const char *p, const char *end, struct ftrace_line *l)
{
	uint64_t cpu;
	if (!begins(p, end, "##### CPU "))
		return false;
	p = number(p + 10, end, &cpu);
	if (!p || cpu >= MAX_CPU || !begins(p, end, " buffer started"))
		return false;
	l->cpu = (uint32_t)cpu;
	l->kind = FTRACE_LINE_STARTED;
	return true;
}

/* "        ffffffff8109a2b4 __schedule+0x2f4 ([kernel.kallsyms])" of perf; " => __schedule",
 * "<stack trace>" of ftrace; what else tools write above the events. */
static bool is_beside(const char *text, const char *end)
{
	const char *p = skip_blanks(text, end);
	unsigned n = 0;
	if (p == end || *p == '#' || begins(p, end, "=> ") || begins(p, end, "<stack trace>") ||
		begins(p, end, "<user stack trace>") || begins(p, end, "<stack unavailable>"))
		return true;
	if (begins(p, end, "cpus=") || begins(p, end, "version = ") ||
		(begins(p, end, "CPU ") && end - p < 40 &&
			memmem(p, (size_t)(end - p), " is empty", 9)))
		return true;
	if (p == text)
		return false;
	for (; p < end && isxdigit((unsigned char)*p); p++)
		n++;
	return n >= 1 && n <= 16 && (p == end || is_blank(*p));
}

void ftrace_line_read(const char *text, size_t len, struct ftrace_line *l)
{
	const char *end = text + len;
	memset(l, 0, sizeof(*l));
	if (is_loss(text, end, l) || is_start(text, end, l))
		return;
	if (len && *text == '#') {
		l->kind = FTRACE_LINE_BESIDE;
		return;
	}
	const char *event = columns(text, end, l);
	if (event)
		take_event(event, end, l);
	else if (is_beside(text, end))
		l->kind = FTRACE_LINE_BESIDE;
}

bool ftrace_text_is(const char *head, size_t size, bool is_all)
{
	enum { MOST_LINES = 200, LEAST_EVENTS = 2 };
	const char *at = head, *end = head + size;
	struct ftrace_slice line;
	struct ftrace_line l;
	unsigned n_events = 0, n_others = 0;
	bool is_whole;
	if (memchr(head, '\0', size))
		return false;
	while (n_events + n_others < MOST_LINES && ftrace_line_next(&at, end, &line, &is_whole)) {
		/* The last line of the head may be incomplete. */
		if (!is_whole && !is_all)
			break;
		if (begins(line.at, line.at + line.len, "# tracer: ") && n_events + n_others == 0)
			return true;
		ftrace_line_read(line.at, line.len, &l);
		n_others += l.kind == FTRACE_LINE_OTHER;
		n_events += l.kind != FTRACE_LINE_OTHER && l.kind != FTRACE_LINE_BESIDE;
	}
	return n_events >= LEAST_EVENTS && n_events > n_others;
}
