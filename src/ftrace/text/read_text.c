#include "ftrace/dump.h"
#include "ftrace/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/plural.h"
#include "copied/order.h"
#include "ftrace/text/text_form.h"
#include "ftrace/text/text_line.h"

enum { MAX_COMM = 15 };

struct cpu {
	struct copied_order order; /* of its lines, some of which may come late */
	uint64_t last;		   /* time of the last one in the file */
	struct ftrace_stream *stream;
	uint64_t n_lost;
	bool has_events;
};

/* What the comments above the events say. */
struct head {
	const char *host, *release, *clock, *tracer;
	int64_t offset_ns;
	uint64_t n_overwritten;
};

struct text {
	struct ftrace_reading *r;
	struct head head;
	struct ftrace_formats formats;
	struct ftrace_forms *forms;
	struct cpu *cpus;
	size_t cap_cpus;
	bool is_perf, is_begun;
	enum ftrace_time_unit unit; /* the least exact one */
	uint64_t n_events, n_started, n_others, n_samples;
	struct mer_map tasks; /* those whose process was written */
};

/* ---- comments above the events ---- */

static bool begins(const struct ftrace_slice *line, const char *with)
{
	size_t n = strlen(with);
	return line->len >= n && memcmp(line->at, with, n) == 0;
}

/* The rest of the line after `front`. */
static const char *rest(struct text *t, const struct ftrace_slice *line, const char *front)
{
	size_t n = strlen(front);
	return mer_arena_strndup(&t->r->arena, line->at + n, line->len - n);
}

static int64_t ns_of(long long seconds, const char *fraction)
{
	int64_t ns = 0;
	for (int i = 0; i < 9; i++) {
		bool is_digit = *fraction >= '0' && *fraction <= '9';
		ns = ns * 10 + (is_digit ? *fraction - '0' : 0);
		fraction += is_digit;
	}
	return seconds * 1000000000 + ns;
}

/* "# clockid: monotonic (1)" of `perf script --header`. */
static void take_clock(struct text *t, const char *line)
{
	static const struct {
		int id;
		const char *name;
	} clocks[] = { { 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" },
		{ 11, "tai" } };
	int id;
	const char *open = strchr(line, '(');
	if (!open || sscanf(open, "(%d)", &id) != 1)
		return;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (clocks[i].id == id)
			t->head.clock = clocks[i].name;
}

static void take_comment(struct text *t, const struct ftrace_slice *line)
{
	struct head *h = &t->head;
	static const char host[] = "# hostname : ", release[] = "# os release : ",
			  clock[] = "# clockid: ", pair[] = "# reference time: ",
			  entries[] = "# entries-in-buffer/entries-written: ",
			  tracer[] = "# tracer: ";
	if (begins(line, host)) {
		h->host = rest(t, line, host);
	} else if (begins(line, release)) {
		h->release = rest(t, line, release);
	} else if (begins(line, tracer)) {
		h->tracer = rest(t, line, tracer);
	} else if (begins(line, clock)) {
		const char *text = rest(t, line, clock);
		if (text)
			take_clock(t, text);
	} else if (begins(line, entries)) {
		unsigned long long kept, written;
		const char *text = rest(t, line, entries);
		if (text && sscanf(text, "%19llu/%19llu", &kept, &written) == 2 && written > kept)
			h->n_overwritten = written - kept;
	} else if (begins(line, pair)) {
		const char *text = rest(t, line, pair);
		const char *wall = text ? strstr(text, " = ") : NULL;
		long long s[2];
		char fraction[2][16];
		if (wall && sscanf(wall, " = %10lld.%15[0-9] (TOD) = %10lld.%15[0-9]", &s[0],
				    fraction[0], &s[1], fraction[1]) == 4)
			h->offset_ns = ns_of(s[0], fraction[0]) - ns_of(s[1], fraction[1]);
	}
}

/* ---- the first look ---- */

static struct cpu *cpu_of(struct text *t, uint32_t cpu)
{
	return mer_grow_at(&t->cpus, &t->cap_cpus, cpu, sizeof(*t->cpus));
}

static int look_at(struct text *t, const struct ftrace_slice *line, const struct ftrace_line *l)
{
	if (l->kind == FTRACE_LINE_BESIDE) {
		if (line->len && *line->at == '#')
			take_comment(t, line);
		return 0;
	}
	t->n_others += l->kind == FTRACE_LINE_OTHER;
	t->n_samples += l->kind == FTRACE_LINE_SAMPLE;
	t->n_started += l->kind == FTRACE_LINE_STARTED;
	if (l->kind != FTRACE_LINE_EVENT)
		return 0;
	struct cpu *c = cpu_of(t, l->cpu);
	if (!c)
		return mer_fail_nomem(t->r->err);
	if (!ftrace_forms_look(t->forms, l))
		return mer_fail_nomem(t->r->err);
	copied_order_look(&c->order, l->time);
	if (t->n_events++ == 0) {
		t->is_perf = l->is_perf;
		t->unit = l->unit;
	}
	if (l->unit == FTRACE_US)
		t->unit = FTRACE_US;
	return 0;
}

/* ---- writing ---- */

static int open_stream(struct text *t, struct cpu *c, uint32_t cpu)
{
	return c->stream ? 0 : ftrace_stream_open(t->r->copy, "", cpu, &c->stream, t->r->err);
}

static int lose(struct text *t, uint32_t cpu, uint64_t n)
{
	struct cpu *c = cpu_of(t, cpu);
	int rc = c ? open_stream(t, c, cpu) : mer_fail_nomem(t->r->err);
	if (rc || n == 0)
		return rc;
	c->n_lost += n;
	return ftrace_stream_lost(c->stream, n, t->r->err);
}

/* The text does not say on which CPUs events were overwritten: one counts for each CPU that starts
 * later, the others for the CPU of the first event. */
static int lose_before(struct text *t, uint32_t cpu)
{
	uint64_t n = t->head.n_overwritten;
	t->is_begun = true;
	return lose(t, cpu, n > t->n_started ? n - t->n_started : 0);
}

/* Writes the task's process, if the line has it: the kernel's events do not, and there is no state
 * dump. A task that was forked meanwhile may be a thread or a process, and may reuse the tid of one
 * that has ended: its process is written at its own first line. */
static int tell_task(struct text *t, struct cpu *c, const struct ftrace_line *l)
{
	static const char child[] = " child_pid=";
	const char *p = memmem(l->body.at, l->body.len, child, sizeof(child) - 1);
	char comm[MAX_COMM + 1];
	if (p) {
		uint64_t tid = 0;
		for (p += sizeof(child) - 1; p < l->body.at + l->body.len && *p >= '0' && *p <= '9';
			p++)
			tid = (tid * 10 + (uint64_t)(*p - '0')) & UINT32_MAX;
		uint32_t *at = mer_map_put(&t->tasks, tid + 1);
		if (!at)
			return mer_fail_nomem(t->r->err);
		*at = 0;
	}
	if (l->pid <= 0 || l->tid <= 0)
		return 0;
	uint32_t *at = mer_map_put(&t->tasks, (uint64_t)l->tid + 1);
	if (!at)
		return mer_fail_nomem(t->r->err);
	if (*at)
		return 0;
	*at = 1;
	snprintf(comm, sizeof(comm), "%.*s", (int)(l->comm.len < MAX_COMM ? l->comm.len : MAX_COMM),
		l->comm.at);
	return ftrace_stream_dump(c->stream, l->time,
		&(struct ftrace_dump){ .kind = FTRACE_DUMP_TASK,
			.numbers = { l->tid, l->pid, -1 },
			.texts = { comm } },
		t->r->err);
}

static int write_event(struct text *t, const struct ftrace_line *l)
{
	const uint8_t *record;
	uint32_t size;
	int rc = t->is_begun ? 0 : lose_before(t, l->cpu);
	struct cpu *c = rc ? NULL : cpu_of(t, l->cpu);
	if (rc == 0)
		rc = c ? open_stream(t, c, l->cpu) : mer_fail_nomem(t->r->err);
	if (rc == 0)
		rc = tell_task(t, c, l);
	if (rc)
		return rc;
	c->has_events = true;
	return ftrace_forms_record(t->forms, l, &record, &size)
		       ? ftrace_stream_record(c->stream, l->time, record, size, t->r->err)
		       : mer_fail_nomem(t->r->err);
}

static int write_line(struct text *t, const struct ftrace_slice *line, const struct ftrace_line *l)
{
	(void)line;
	switch (l->kind) {
	case FTRACE_LINE_EVENT: return write_event(t, l);
	case FTRACE_LINE_LOST:
		t->r->n_unknown_losses += l->lost == 0;
		return lose(t, l->cpu, l->lost ? l->lost : 1);
	case FTRACE_LINE_STARTED:
		t->r->n_unknown_losses += t->head.n_overwritten == 0;
		return lose(t, l->cpu, 1);
	default: return 0;
	}
}

static int each(struct text *t,
	int (*act)(struct text *, const struct ftrace_slice *, const struct ftrace_line *))
{
	const char *at = (const char *)t->r->file.data, *end = at + t->r->file.size;
	struct ftrace_slice line;
	struct ftrace_line l;
	bool is_whole;
	int rc = 0;
	while (rc == 0 && ftrace_line_next(&at, end, &line, &is_whole)) {
		/* In a line without an end, 12 may be the beginning of 123. */
		if (!is_whole) {
			t->r->is_cut = true;
			break;
		}
		ftrace_line_read(line.at, line.len, &l);
		rc = act(t, &line, &l);
	}
	return rc;
}

static int write_ready(struct text *t, struct cpu *c, bool is_end)
{
	struct copied_waiting w;
	int rc = 0;
	while (rc == 0 && copied_order_take(&c->order, is_end, &w)) {
		struct ftrace_line l;
		const struct ftrace_slice line = { .at = w.at, .len = w.size };
		ftrace_line_read(line.at, line.len, &l);
		rc = write_line(t, &line, &l);
	}
	return rc;
}

static int put(struct text *t, const struct ftrace_slice *line, const struct ftrace_line *l)
{
	if (l->kind != FTRACE_LINE_EVENT && l->kind != FTRACE_LINE_LOST &&
		l->kind != FTRACE_LINE_STARTED)
		return 0;
	struct cpu *c = cpu_of(t, l->cpu);
	if (!c)
		return mer_fail_nomem(t->r->err);
	if (c->order.late == 0 || line->len > UINT32_MAX)
		return write_line(t, line, l);
	/* A loss without a time has that of the CPU's last event before it. */
	if (l->kind == FTRACE_LINE_EVENT || l->has_time)
		c->last = l->time;
	const struct copied_waiting w = {
		.time = c->last, .at = line->at, .size = (uint32_t)line->len
	};
	return copied_order_put(&c->order, &w) ? write_ready(t, c, false)
					       : mer_fail_nomem(t->r->err);
}

static int write_all(struct text *t)
{
	for (size_t i = 0; i < t->cap_cpus; i++) {
		copied_order_begin(&t->cpus[i].order);
		t->cpus[i].order.most = COPIED_ORDER_MOST / t->cap_cpus + 1;
	}
	int rc = each(t, put);
	for (size_t i = 0; i < t->cap_cpus && rc == 0; i++)
		rc = write_ready(t, &t->cpus[i], true);
	return rc;
}

static int close_streams(struct text *t, int rc)
{
	for (size_t i = 0; i < t->cap_cpus; i++) {
		int closed = ftrace_stream_close(t->cpus[i].stream, rc ? NULL : t->r->err);
		rc = rc ? rc : closed;
	}
	return rc;
}

/* ---- notes ---- */

static void tell(struct text *t)
{
	struct ftrace_reading *r = t->r;
	const struct ftrace_form_counts *n = ftrace_forms_counts(t->forms);
	const char *better =
		t->is_perf ? "perf record -k CLOCK_MONOTONIC" : "trace-cmd record -C mono";
	if (t->head.clock)
		ftrace_note_clock(r, t->head.clock, true, better);
	else if (t->is_perf)
		copied_notef(&r->notes, MER_WARNING, "ftrace-clock", 1,
			"the text does not say with which clock it was recorded, so that it fits no other recording; name perf.data itself, recorded with '%s', or write the text with 'perf script --header'",
			better);
	else
		copied_notef(&r->notes, MER_WARNING, "ftrace-clock", 1,
			"the text does not say with which clock it was recorded, so that it fits no other recording; record with '%s'",
			better);
	if (t->unit == FTRACE_US)
		copied_notef(&r->notes, MER_NOTE, "ftrace-text", 1,
			"its times are whole microseconds: shorter durations, and the order of events of different CPUs within one, are not known");
	else if (t->unit == FTRACE_WHOLE)
		copied_notef(&r->notes, MER_WARNING, "ftrace-text", 1,
			"its times are whole numbers, and taken as ns; with the clocks counter, uptime and x86-tsc they are none, and durations are wrong");
	if (n->n_hashed)
		copied_notef(&r->notes, MER_NOTE, "ftrace-hashed", 1,
			"the kernel hid the addresses in its text (it prints hashes): they fit no other recording");
	if (n->n_long)
		copied_notef(&r->notes, MER_WARNING, "ftrace-long", n->n_long,
			"long texts were shortened");
	if (t->n_others)
		copied_notef(&r->notes, MER_WARNING, "ftrace-lines", t->n_others, "%s left out",
			mer_plural(t->n_others,
				"a line of the text is no event of a form that is known, and was",
				"lines of the text are no events of a form that is known, and were"));
	if (t->n_samples)
		copied_notef(&r->notes, MER_NOTE, "perf-other-samples", t->n_samples,
			"samples of no tracepoint (of a profile, or of counters) were left out");
	if (t->head.n_overwritten)
		copied_notef(&r->notes, MER_WARNING, "ftrace-overwritten", t->head.n_overwritten,
			"%" PRIu64
			" %s at the beginning, as the buffer was full; on which CPUs is not said",
			t->head.n_overwritten,
			mer_plural(t->head.n_overwritten, "event was overwritten",
				"events were overwritten"));
	uint64_t n_alone = 0;
	for (size_t i = 0; i < t->cap_cpus; i++)
		n_alone += t->cpus[i].has_events ? 0 : t->cpus[i].n_lost;
	/* A stream without any event has no times, and cannot report losses. */
	if (n_alone)
		copied_notef(&r->notes, MER_WARNING, "ftrace-lost", n_alone,
			"%" PRIu64 " %s lost on CPUs of which there is nothing else", n_alone,
			mer_plural(n_alone, "event was", "events were"));
}

static int read_it(struct text *t)
{
	struct ftrace_reading *r = t->r;
	t->forms = ftrace_forms_new(&r->arena, &t->formats);
	int rc = t->forms ? each(t, look_at) : mer_fail_nomem(r->err);
	if (rc)
		return rc;
	/* perf's header names the clock, unless it is perf's own. */
	if (t->is_perf && t->head.host && !t->head.clock)
		t->head.clock = "perf";
	if (t->n_events == 0)
		return t->head.tracer && strcmp(t->head.tracer, "nop") != 0
			       ? mer_fail(r->err, MER_ERR_INPUT,
					 "it has no events, only the text of the tracer '%.60s', which is not read; record with 'trace-cmd record -e sched -e irq'",
					 t->head.tracer)
			       : mer_fail(r->err, MER_ERR_INPUT,
					 "it has no events; record with 'trace-cmd record -e sched -e irq'");
	const struct ftrace_copy_host host = { .name = t->head.host,
		.release = t->head.release,
		.tracer = t->is_perf ? "perf" : "ftrace",
		.form = "text",
		.clock = t->head.clock ? t->head.clock : "unknown",
		.id = r->id,
		.offset_ns = t->head.offset_ns,
		.wants_closes = r->has_state };
	rc = ftrace_copy_new(r->folder, &host, &t->formats, &r->copy, r->err);
	if (rc == 0)
		rc = write_all(t);
	rc = close_streams(t, rc);
	if (rc == 0)
		tell(t);
	return rc;
}

int ftrace_read_text(struct ftrace_reading *r)
{
	struct text *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(r->err);
	t->r = r;
	int rc = read_it(t);
	ftrace_forms_free(t->forms);
	mer_map_fini(&t->tasks);
	for (size_t i = 0; i < t->cap_cpus; i++)
		copied_order_fini(&t->cpus[i].order);
	free(t->cpus);
	free(t);
	return rc;
}
