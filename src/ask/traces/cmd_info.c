#include <stdlib.h>
#include <string.h>
#include "base/count.h"
#include "ask/print/answer_print.h"
#include "ask/program.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "ask/tables.h"
#include "trace/missing.h"
#include "trace/tool.h"
#include "trace/walk.h"

struct values {
	bool count, streams;
};

struct info {
	struct ask *ask;
	const struct mer_experiment *e;
	const struct trace_counts *counts; /* NULL: events were not counted */
	bool streams;
	uint32_t n_hosts, n_traces;
	uint64_t
		/* traces and folders that could not be read: what was lost there is not known */
		n_unread;
	uint64_t bytes, lost_events, lost_packets, events;
	int64_t begin, end;
	struct trace_missing missing;
	bool far;	/* a clock whose times do not count from 1970 */
	uint32_t *rows; /* by trace: number of its row; and how many there are */
};

/* Where packet headers do not say it and events were read, the events do. */
static void stream_span(const struct info *in, uint32_t s, int64_t *begin, int64_t *end)
{
	*begin = in->e->streams[s].begin;
	*end = in->e->streams[s].end;
	if (*begin == MER_NO_TIME && in->counts) {
		*begin = in->counts->first[s];
		*end = in->counts->last[s];
	}
}

static void trace_span(const struct info *in, uint32_t t, int64_t *begin, int64_t *end)
{
	const struct mer_trace *trace = &in->e->traces[t];
	*begin = trace->begin;
	*end = trace->end;
	for (uint32_t s = 0; s < trace->n_streams; s++) {
		int64_t b, n;
		stream_span(in, trace->first_stream + s, &b, &n);
		trace_widen(begin, end, b, n);
	}
}

static uint64_t trace_events(const struct info *in, uint32_t t)
{
	const struct mer_trace *trace = &in->e->traces[t];
	uint64_t n = 0;
	for (uint32_t s = 0; s < trace->n_streams; s++)
		n += in->counts->by_stream[trace->first_stream + s].events;
	return n;
}

static bool is_unread(const struct mer_diag *d)
{
	return strcmp(d->code, "trace-unreadable") == 0 ||
	       strcmp(d->code, "path-unreadable") == 0 || strcmp(d->code, "folder-unreadable") == 0;
}

static void sum_up(struct info *in)
{
	size_t n_diags;
	const struct mer_diag *d = trace_findings(in->e, &n_diags);
	for (size_t i = 0; i < n_diags; i++)
		in->n_unread += is_unread(&d[i]) ? d[i].count : 0;
	in->begin = in->end = MER_NO_TIME;
	for (uint32_t h = 0; h < in->e->n_hosts; h++)
		in->n_hosts += session_selects_host(&in->ask->select, in->e->hosts[h].name);
	for (uint32_t t = 0; t < in->e->n_traces; t++) {
		const struct mer_trace *trace = &in->e->traces[t];
		int64_t b, n;
		if (!session_selects_trace(&in->ask->select, in->e, t))
			continue;
		in->n_traces++;
		in->bytes += trace->bytes;
		mer_add_count(&in->lost_events, trace->lost_events);
		mer_add_count(&in->lost_packets, trace->lost_packets);
		trace_count_missing(in->e, t, &in->missing);
		in->far |= trace->base_s != 0;
		if (in->counts)
			in->events += trace_events(in, t);
		trace_span(in, t, &b, &n);
		trace_widen(&in->begin, &in->end, b, n);
	}
}

static struct mer_cell duration_cell(int64_t begin, int64_t end)
{
	return begin == MER_NO_TIME || end == MER_NO_TIME || end < begin
		       ? MER_NONE
		       : MER_INT(mer_time_between(begin, end));
}

/* Everything about a trace in one row, for programs. */
enum {
	C_HOST,
	C_HOST_ID,
	C_PATH,
	C_DOMAIN,
	C_TRACER,
	C_FORMAT,
	C_STREAMS,
	C_PACKETS,
	C_BYTES,
	C_EVENTS,
	C_LOST_EVENTS,
	C_LOST_PACKETS,
	C_BEGIN,
	C_END,
	C_CLOCK,
	C_FREQ,
	C_OFFSET,
	C_UUID,
	C_N
};
static const struct mer_column full_columns[] = {
	[C_HOST] = { "host", "Host", MER_TEXT },
	[C_HOST_ID] = { "host_id", "Host id", MER_TEXT },
	[C_PATH] = { "path", "Path", MER_TEXT },
	[C_DOMAIN] = { "domain", "Domain", MER_TEXT },
	[C_TRACER] = { "tracer", "Tracer", MER_TEXT },
	[C_FORMAT] = { "format", "Format", MER_TEXT },
	[C_STREAMS] = { "streams", "Streams", MER_COUNT },
	[C_PACKETS] = { "packets", "Packets", MER_COUNT },
	[C_BYTES] = { "bytes", "Size", MER_BYTES },
	[C_EVENTS] = { "events", "Events", MER_COUNT },
	[C_LOST_EVENTS] = { "lost_events", "Lost events", MER_COUNT },
	[C_LOST_PACKETS] = { "lost_packets", "Lost packets", MER_COUNT },
	[C_BEGIN] = { "begin", "Begin", MER_DATE },
	[C_END] = { "end", "End", MER_DATE },
	[C_CLOCK] = { "clock_name", "Clock", MER_TEXT },
	[C_FREQ] = { "clock_freq_hz", "Frequency", MER_HZ },
	[C_OFFSET] = { "clock_offset_ns", "Offset", MER_OFFSET },
	[C_UUID] = { "clock_uuid", "Clock UUID", MER_TEXT },
	[C_N] = { 0 },
};

static void add_full(const struct info *in, struct mer_table *table, uint32_t t)
{
	const struct mer_experiment *e = in->e;
	const struct mer_trace *trace = &e->traces[t];
	int64_t b, n;
	trace_span(in, t, &b, &n);
	struct mer_cell row[C_N] = {
		[C_HOST] = mer_text(e->hosts[trace->host].name),
		[C_HOST_ID] = mer_text(e->hosts[trace->host].id),
		[C_PATH] = mer_text(trace->path),
		[C_DOMAIN] = mer_text_if_any(trace->domain),
		[C_TRACER] = mer_text_if_any(trace->tracer),
		[C_FORMAT] = mer_text(trace->format),
		[C_STREAMS] = MER_INT(trace->n_streams),
		[C_PACKETS] = MER_INT(trace->n_packets),
		[C_BYTES] = MER_INT(trace->bytes),
		[C_LOST_EVENTS] = MER_INT(trace->lost_events),
		[C_LOST_PACKETS] = MER_INT(trace->lost_packets),
		[C_BEGIN] = mer_int_unless(b, MER_NO_TIME),
		[C_END] = mer_int_unless(n, MER_NO_TIME),
	};
	if (in->counts)
		row[C_EVENTS] = MER_INT(trace_events(in, t));
	if (trace->has_clock) {
		row[C_CLOCK] = mer_text(trace->clock.name);
		row[C_FREQ] = MER_INT(trace->clock.freq_hz);
		row[C_OFFSET] = MER_INT(trace->clock.offset_ns);
		row[C_UUID] = mer_text(trace->clock.uuid);
	}
	mer_table_add(table, row);
}

/* "89,678 events, 3 packets"; "-": none. */
static struct mer_cell lost_cell(struct ask *ask, uint64_t events, uint64_t packets)
{
	struct mer_str s = { 0 };
	if (events) {
		ask_text_count(&s, (int64_t)events);
		mer_str_puts(&s, events == 1 ? " event" : " events");
	}
	if (packets) {
		mer_str_puts(&s, events ? ", " : "");
		ask_text_count(&s, (int64_t)packets);
		mer_str_puts(&s, packets == 1 ? " packet" : " packets");
	}
	const char *text = s.data && !s.failed ? mer_arena_strdup(&ask->arena, s.data) : NULL;
	mer_str_fini(&s);
	return mer_text(text);
}

/* The same for people, in two tables that fit 80 columns. */
enum { T_HOST, T_DOMAIN, T_PATH, T_STREAMS, T_PACKETS, T_BYTES, T_LOST, T_DURATION, T_EVENTS, T_N };
static const struct mer_column trace_columns[] = {
	[T_HOST] = { "host", "Host", MER_TEXT },
	[T_DOMAIN] = { "domain", "Domain", MER_TEXT },
	[T_PATH] = { "path", "Trace", MER_TEXT },
	[T_STREAMS] = { "streams", "Streams", MER_COUNT },
	[T_PACKETS] = { "packets", "Packets", MER_COUNT },
	[T_BYTES] = { "bytes", "Size", MER_BYTES },
	[T_LOST] = { "lost", "Lost", MER_TEXT },
	[T_DURATION] = { "duration_ns", "Duration", MER_DURATION },
	[T_EVENTS] = { "events", "Events", MER_COUNT },
	[T_N] = { 0 },
};
static void add_trace(const struct info *in, struct mer_table *table, uint32_t t)
{
	const struct mer_trace *trace = &in->e->traces[t];
	int64_t b, n;
	trace_span(in, t, &b, &n);
	struct mer_cell row[T_N] = {
		[T_HOST] = mer_text(in->e->hosts[trace->host].name),
		[T_DOMAIN] = mer_text_if_any(trace->domain),
		[T_PATH] = mer_text(trace->path),
		[T_STREAMS] = MER_INT(trace->n_streams),
		[T_PACKETS] = MER_INT(trace->n_packets),
		[T_BYTES] = MER_INT(trace->bytes),
		[T_LOST] = lost_cell(in->ask, trace->lost_events, trace->lost_packets),
		[T_DURATION] = duration_cell(b, n),
	};
	if (in->counts)
		row[T_EVENTS] = MER_INT(trace_events(in, t));
	mer_table_add(table, row);
}

enum { R_HOST, R_TRACER, R_FORMAT, R_CLOCK, R_FREQ, R_AFTER, R_N };
static const struct mer_column recorder_columns[] = {
	[R_HOST] = { "host", "Host", MER_TEXT },
	[R_TRACER] = { "tracer", "Tracer", MER_TEXT },
	[R_FORMAT] = { "format", "Format", MER_TEXT },
	[R_CLOCK] = { "clock", "Clock", MER_TEXT },
	[R_FREQ] = { "freq_hz", "Frequency", MER_TEXT },
	[R_AFTER] = { "after_ns", "Begins after", MER_DURATION },
	[R_N] = { 0 },
};

static const char *frequency(struct ask *ask, uint64_t hz)
{
	static const char *const units[] = { "Hz", "kHz", "MHz", "GHz" };
	double v = (double)hz;
	int u = 0;
	while (u < 3 && v >= 1000) {
		v /= 1000;
		u++;
	}
	return mer_arena_printf(&ask->arena, "%.6g %s", v, units[u]);
}

static void add_recorder(const struct info *in, struct mer_table *table, uint32_t t)
{
	const struct mer_trace *trace = &in->e->traces[t];
	int64_t b, n;
	trace_span(in, t, &b, &n);
	struct mer_cell row[R_N] = {
		[R_HOST] = mer_text(in->e->hosts[trace->host].name),
		[R_TRACER] = mer_text_if_any(trace->tracer),
		[R_FORMAT] = mer_text(trace->format),
		[R_AFTER] = duration_cell(in->begin, b),
	};
	if (trace->has_clock) {
		row[R_CLOCK] = mer_text(trace->clock.name);
		row[R_FREQ] = mer_text(frequency(in->ask, trace->clock.freq_hz));
	}
	mer_table_add(table, row);
}

/* Streams: people want to know when in the experiment, programs when. */
enum {
	S_HOST,
	S_PATH,
	S_CPU,
	S_CLASS,
	S_ID,
	S_PACKETS,
	S_BYTES,
	S_LOST,
	S_BEGIN,
	S_END,
	S_EVENTS,
	S_LOST_PACKETS, /* people have it beside the events */
	S_N
};
#define STREAM_COLUMNS                                                                             \
	[S_HOST] = { "host", "Host", MER_TEXT }, [S_PATH] = { "path", "Stream", MER_TEXT },        \
	[S_CPU] = { "cpu", "CPU", MER_ID }, [S_CLASS] = { "class_id", NULL, MER_ID },              \
	[S_ID] = { "id", NULL, MER_ID }, [S_PACKETS] = { "packets", "Packets", MER_COUNT },        \
	[S_BYTES] = { "bytes", "Size", MER_BYTES }, [S_EVENTS] = { "events", "Events", MER_COUNT }
static const struct mer_column stream_columns[S_N + 1] = {
	STREAM_COLUMNS,
	[S_LOST] = { "lost", "Lost", MER_TEXT },
	[S_BEGIN] = { "after_ns", "After", MER_DURATION },
	[S_END] = { "duration_ns", "Duration", MER_DURATION },
};
static const struct mer_column stream_columns_full[S_N + 1] = {
	STREAM_COLUMNS,
	[S_LOST] = { "lost_events", "Lost events", MER_COUNT },
	[S_LOST_PACKETS] = { "lost_packets", "Lost packets", MER_COUNT },
	[S_BEGIN] = { "begin", "Begin", MER_DATE },
	[S_END] = { "end", "End", MER_DATE },
};

static void add_stream(const struct info *in, struct mer_table *table, uint32_t i)
{
	const struct mer_stream *s = &in->e->streams[i];
	bool people = in->ask->format == ASK_FORMAT_TABLE;
	const char *slash = strrchr(s->path, '/');
	int64_t b, n;
	stream_span(in, i, &b, &n);
	struct mer_cell row[S_N] = {
		[S_HOST] = mer_text(in->e->hosts[in->e->traces[s->trace].host].name),
		[S_PATH] = mer_text(people && slash ? slash + 1 : s->path),
		[S_CPU] = mer_natural(s->cpu),
		[S_CLASS] = MER_INT(s->class_id),
		[S_ID] = MER_INT(s->id),
		[S_PACKETS] = MER_INT(s->n_packets),
		[S_BYTES] = MER_INT(s->bytes),
		[S_LOST] = people ? lost_cell(in->ask, s->lost_events, s->lost_packets)
				  : MER_INT(s->lost_events),
		[S_LOST_PACKETS] = MER_INT(s->lost_packets),
		[S_BEGIN] = people ? duration_cell(in->begin, b) : mer_int_unless(b, MER_NO_TIME),
		[S_END] = people ? duration_cell(b, n) : mer_int_unless(n, MER_NO_TIME),
	};
	if (in->counts)
		row[S_EVENTS] = MER_INT(in->counts->by_stream[i].events);
	mer_table_add(table, row);
}

typedef void add_row(const struct info *, struct mer_table *, uint32_t);

struct view { /* a table with a row per trace or stream */
	const char *id;
	const struct mer_column *columns;
	add_row *add;
	bool per_stream;
	int events; /* people do not see this column unless events were counted; -1: none */
};
static const struct view traces_view = { "traces", trace_columns, add_trace, .events = T_EVENTS };
static const struct view recorders_view = { "traces", recorder_columns, add_recorder,
	.events = -1 };
static const struct view streams_view = { "streams", stream_columns, add_stream, true, S_EVENTS };
static const struct view all_traces_view = { "traces", full_columns, add_full, .events = -1 };
static const struct view all_streams_view = { "streams", stream_columns_full, add_stream, true,
	-1 };

static void add_rows(const struct info *in, const struct view *v, struct mer_table *table)
{
	const struct mer_experiment *e = in->e;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		if (!session_selects_host(&in->ask->select, e->hosts[h].name))
			continue;
		for (uint32_t t = 0; t < e->n_traces; t++) {
			if (e->traces[t].host != h)
				continue;
			if (!v->per_stream)
				v->add(in, table, t);
			for (uint32_t s = 0; v->per_stream && s < e->traces[t].n_streams; s++)
				v->add(in, table, e->traces[t].first_stream + s);
		}
	}
}

static int print_table(const struct info *in, const struct view *v)
{
	struct mer_table table;
	mer_table_init(&table, v->id, NULL, v->columns, &in->ask->arena);
	if (v->events >= 0 && !in->counts)
		mer_table_hide(&table, (size_t)v->events);
	add_rows(in, v, &table);
	int rc = ask_table_print(in->ask, &table);
	mer_table_fini(&table);
	return rc;
}

/* ---- For programs ---- */

static void add_all(const struct info *in, struct answer *a)
{
	enum { UNREAD, EVENTS, N };
	static const struct mer_column columns[N + 1] = {
		[UNREAD] = { "unread_traces", "Traces that could not be read", MER_COUNT },
		[EVENTS] = { "events", "Events", MER_COUNT },
	};
	struct mer_table *t = answer_add_beside(a, "info", "All traces", columns);
	mer_table_add(t, (struct mer_cell[N]){
				 [UNREAD] = MER_INT(in->n_unread),
				 [EVENTS] = in->counts ? MER_INT(in->events) : MER_NONE,
			 });
}

static void add_hosts(const struct info *in, struct answer *a)
{
	enum { HOST, HOST_ID, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[HOST_ID] = { "host_id", "Host id", MER_TEXT },
	};
	struct mer_table *t = answer_add_beside(a, "hosts", "Hosts", columns);
	for (uint32_t h = 0; h < in->e->n_hosts; h++)
		if (session_selects_host(&in->ask->select, in->e->hosts[h].name))
			mer_table_add(t, (struct mer_cell[N]){
						 [HOST] = mer_text(in->e->hosts[h].name),
						 [HOST_ID] = mer_text(in->e->hosts[h].id),
					 });
}

static void add_number(const struct info *in, struct mer_table *t, uint32_t trace)
{
	(void)t;
	in->rows[trace] = ++in->rows[in->e->n_traces];
}

static void add_missing(const struct info *in, struct mer_table *t, uint32_t trace)
{
	struct trace_missing m = { 0 };
	trace_count_missing(in->e, trace, &m);
	ask_missing_add(t, in->rows[trace], in->e->traces[trace].path, &m);
}

static const struct mer_column of_traces_columns[] = { { "row", NULL, MER_ID },
	{ "stream", "Row of streams", MER_ID }, { 0 } };

static void add_stream_of(const struct info *in, struct mer_table *t, uint32_t stream)
{
	mer_table_add(t, (struct mer_cell[]){ MER_INT(in->rows[in->e->streams[stream].trace]),
				 MER_INT(t->n_rows + 1) });
}

static const struct view numbers_view = { .add = add_number };
static const struct view missing_view = { .add = add_missing };
static const struct view streams_of_view = { .add = add_stream_of, .per_stream = true };

/* With --streams, CSV has these instead of the traces. */
static void fill(const struct info *in, struct answer *a)
{
	static const char title[] = "Traces";
	struct mer_table *traces = in->streams ? answer_add_beside(a, "traces", title, full_columns)
					       : answer_add(a, "traces", title, full_columns);
	add_rows(in, &numbers_view, NULL);
	add_rows(in, &all_traces_view, traces);
	if (in->streams) {
		add_rows(in, &all_streams_view,
			answer_add(a, "streams", "Streams", stream_columns_full));
		add_rows(in, &streams_of_view,
			answer_add_beside(a, "streams_of_traces", "Which trace streams are of",
				of_traces_columns));
	}
	add_rows(in, &missing_view, ask_missing_table(a));
	add_all(in, a);
	add_hosts(in, a);
}

void ask_info_tables(struct answer *a)
{
	static const struct mer_experiment none;
	fill(&(struct info){ .e = &none, .streams = true }, a);
}

static int print_answer(struct info *in)
{
	struct answer a;
	in->rows = mer_arena_zalloc(&in->ask->arena, in->e->n_traces + 1u, sizeof(*in->rows));
	if (!in->rows)
		return mer_fail_nomem(&in->ask->err);
	ask_answer_init(in->ask, in->e, false, &a);
	a.begin = in->begin;
	a.end = in->end;
	fill(in, &a);
	int rc = ask_answer_print(in->ask, &a);
	answer_fini(&a);
	return rc;
}

/* Which, and why: the first line of it. */
static void print_unread(const struct info *in)
{
	struct mer_str out = { 0 };
	size_t n;
	const struct mer_diag *d = trace_findings(in->e, &n);
	for (size_t i = 0; i < n; i++) {
		struct mer_str line = { 0 }, clean = { 0 };
		if (!is_unread(&d[i]))
			continue;
		mer_str_printf(&line, "Could not be read: %s: %.*s", d[i].path ? d[i].path : "?",
			(int)strcspn(d[i].message, "\n"), d[i].message);
		if (line.data)
			ask_text_clean(&clean, line.data, line.len, false);
		if (clean.data)
			ask_text_wrap(&out, clean.data, (size_t)ask_width(in->ask), 2);
		mer_str_fini(&line);
		mer_str_fini(&clean);
	}
	if (out.data)
		fputs(out.data, in->ask->out);
	mer_str_fini(&out);
}

static void print_summary(const struct info *in)
{
	struct mer_str s = { 0 }, wrapped = { 0 };
	ask_text_things(&s, in->n_hosts, "host", "hosts");
	mer_str_puts(&s, ", ");
	ask_text_things(&s, in->n_traces, "trace", "traces");
	if (in->begin != MER_NO_TIME) {
		struct mer_str from = { 0 }, to = { 0 };
		ask_text_time(&from, in->begin);
		ask_text_time(&to, in->end);
		enum { DAY = 10 }; /* characters */
		bool same_day = from.len > DAY && to.len > DAY && !memcmp(from.data, to.data, DAY);
		if (in->far)
			mer_str_puts(&s, ", lasting");
		else if (from.data && to.data)
			mer_str_printf(&s, ", from %s to %s,", from.data,
				to.data + (same_day ? DAY + 1 : 0));
		mer_str_putc(&s, ' ');
		ask_text_duration(&s, mer_time_between(in->begin, in->end));
		mer_str_fini(&from);
		mer_str_fini(&to);
	}
	mer_str_puts(&s, ", ");
	ask_text_bytes(&s, (int64_t)in->bytes);
	if (in->counts) {
		mer_str_puts(&s, ", ");
		ask_text_count(&s, (int64_t)in->events);
		mer_str_puts(&s, in->events == 1 ? " event" : " events");
	}
	if (in->n_unread) {
		mer_str_puts(&s, "; ");
		ask_text_things(&s, in->n_unread, "trace", "traces");
		mer_str_puts(&s, " could not be read");
	}
	mer_str_puts(&s, in->lost_events || in->lost_packets ? "; lost: "
			 : trace_is_missing(&in->missing)    ? ""
			 : in->n_unread			     ? "; nothing lost in the others"
							     : "; nothing lost");
	if (in->lost_events) {
		ask_text_count(&s, (int64_t)in->lost_events);
		mer_str_puts(&s, in->lost_events == 1 ? " event" : " events");
	}
	if (in->lost_packets) {
		mer_str_puts(&s, in->lost_events ? " and " : "");
		ask_text_count(&s, (int64_t)in->lost_packets);
		mer_str_puts(&s, in->lost_packets == 1 ? " packet" : " packets");
	}
	if (trace_is_missing(&in->missing)) {
		mer_str_puts(&s, "; missing: ");
		trace_put_missing(&s, &in->missing);
	}
	if (s.data)
		ask_text_wrap(&wrapped, s.data, (size_t)ask_width(in->ask), 0);
	if (wrapped.data)
		fputs(wrapped.data, in->ask->out);
	mer_str_fini(&wrapped);
	mer_str_fini(&s);
}

/* Traces that were moved onto the clock of another one of their machine: people should know. */
static void print_reconciled(const struct info *in)
{
	size_t n, moved = 0;
	const struct mer_diag *d = trace_findings(in->e, &n);
	for (size_t i = 0; i < n; i++)
		moved += strcmp(d[i].code, "clock-offset-reconciled") == 0;
	if (moved)
		fprintf(in->ask->out,
			"\n%zu trace%s given the clock offset of another trace of the same host\n"
			"(-v shows by how much; --sync none keeps the recorded ones).\n",
			moved, moved == 1 ? " was" : "s were");
}

/* Without the time of day, which LTTng always has, dates are those of 1970 and mean nothing. */
static void print_undated(const struct info *in)
{
	static const int64_t year_ns = INT64_C(365) * 86400 * 1000000000;
	struct mer_str names = { 0 }, text = { 0 };
	for (uint32_t h = 0; h < in->e->n_hosts; h++) {
		bool is_undated = false;
		for (uint32_t t = 0; t < in->e->n_traces && !is_undated; t++) {
			int64_t b, n;
			trace_span(in, t, &b, &n);
			is_undated = in->e->traces[t].host == h && b >= 0 && b <= year_ns;
		}
		if (!is_undated || trace_tool_of(in->e, h) == TRACE_BY_LTTNG)
			continue;
		mer_str_puts(&names, names.len ? ", " : "");
		const char *name = in->e->hosts[h].name;
		ask_text_clean(&names, name, strlen(name), false);
	}
	if (names.data) {
		mer_str_puts(&names,
			": the time of day was not recorded; times count from when the host was started, and dates mean nothing.");
		mer_str_putc(&text, '\n');
		ask_text_wrap(&text, names.data, (size_t)ask_width(in->ask), 0);
	}
	if (text.data)
		fputs(text.data, in->ask->out);
	mer_str_fini(&names);
	mer_str_fini(&text);
}

static int print(struct info *in)
{
	if (in->ask->format != ASK_FORMAT_TABLE)
		return print_answer(in);
	print_summary(in);
	print_unread(in);
	fputc('\n', in->ask->out);
	int rc = print_table(in, &traces_view);
	fputc('\n', in->ask->out);
	if (rc == 0)
		rc = print_table(in, &recorders_view);
	if (rc == 0 && in->streams) {
		fputc('\n', in->ask->out);
		rc = print_table(in, &streams_view);
	}
	print_undated(in);
	print_reconciled(in);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct session *s;
	struct trace_counts *counts = NULL;
	/* At once, for traces of any size: so clocks are as recorded unless --sync is given. */
	int rc = ask_session_open_synced(ask, ASK_SYNC_GIVEN, &s);
	if (rc)
		return rc;
	struct mer_experiment *e = session_experiment(s);
	if (v->count) {
		struct ask_progress progress;
		ask_progress_begin(&progress, ask, "counting", e->bytes);
		rc = trace_walk(e, ask_jobs(ask), session_cancel_of(s), &progress.done_bytes,
			&counts, &ask->err);
		ask_progress_end(&progress);
	}
	if (rc == 0) {
		struct info in = { .ask = ask, .e = e, .counts = counts, .streams = v->streams };
		sum_up(&in);
		rc = print(&in);
	}
	trace_counts_free(counts);
	ask_session_close(ask, s);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "count",
		.kind = ASK_FLAG,
		.help = "count the events, too (reads everything)",
		.offset = offsetof(struct values, count) },
	{ .name = "streams",
		.kind = ASK_FLAG,
		.help = "list the streams, too",
		.offset = offsetof(struct values, streams) },
	{ 0 },
};

const struct ask_verb ask_verb_info = {
	.name = "info",
	.help = "show what is in the traces: hosts, clocks, time span, losses",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Shows hosts and their traces, the tracer, the clock, the number of streams "
		       "and packets, what was lost, and the time from the first to the last "
		       "event. Reads only metadata, packet headers and the ends of each stream, so "
		       "it is fast on traces of any size; --count reads all events. Times are those "
		       "of each host's own clock; with --sync auto, clocks are aligned, as in the "
		       "other verbs.",
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_HOST | ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian info client/ server/", "Summarize the traces of two hosts." },
		{ "meridian info --count --json client/ | jq '.tables[0].rows[].events'",
			"Number of events in each trace." },
	},
	.run = run,
};
