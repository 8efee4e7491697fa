/* meridian stats: how much there is of what, and what was lost. With the name of an analysis, its
 * statistics (ask/reports/grid.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/plural.h"
#include "ask/print/answer_print.h"
#include "ask/events/event_select.h"
#include "ask/reports/grid.h"
#include "ask/program.h"
#include "base/count.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "ask/tables.h"
#include "trace/cursor.h"
#include "trace/walk.h"
#include "trace/missing.h"

enum by { BY_ALL, BY_NAME, BY_HOST, BY_STREAM };

struct values {
	struct ask_grid_values grid; /* first: see ASK_GRID_OPTION */
	unsigned by;		     /* enum by */
	uint64_t limit;
};

struct name_row { /* an event name on one host */
	uint32_t host;
	const char *name;
	uint64_t count, bits;
};

struct stats {
	struct ask *ask;
	const struct mer_experiment *e;
	/* NULL: of events that match a filter, which are in names alone */
	const struct trace_counts *counts;
	struct mer_intern keys; /* of names */
	struct name_row *names;
	uint32_t n_names, cap_names;
	uint64_t total;
	int64_t span_ns; /* 0: not known */
};

enum { SCREENFUL = 20 }; /* rows for people, when --limit does not say */

static int by_count(const void *a, const void *b)
{
	const struct name_row *p = a, *q = b;
	if (p->count != q->count)
		return p->count > q->count ? -1 : 1;
	int c = strcmp(p->name, q->name);
	return c ? c : p->host < q->host ? -1 : p->host > q->host;
}

/* The number of its row, made when it is new; MER_INTERN_NONE: no memory. */
static uint32_t row_of(struct stats *s, uint32_t host, const char *name)
{
	char key[600];
	int len = snprintf(key, sizeof(key), "%u %.500s", host, name);
	uint32_t id = mer_intern_add(&s->keys, key, (size_t)len);
	if (id == MER_INTERN_NONE || !mer_grow32(&s->names, id, &s->cap_names, sizeof(*s->names)))
		return MER_INTERN_NONE;
	if (id == s->n_names)
		s->names[s->n_names++] = (struct name_row){ host, name, 0, 0 };
	return id;
}

/* Sums the classes of all parts by host and name. */
static int sum_names(struct stats *s)
{
	for (uint32_t p = 0; p < s->e->n_parts; p++) {
		const struct ctf_schema *schema = s->e->parts[p].schema;
		uint32_t trace = s->e->parts[p].trace, number = 0;
		for (uint32_t c = 0; c < schema->n_streams; c++)
			for (uint32_t i = 0; i < schema->streams[c].n_events; i++, number++) {
				const struct trace_count *n = &s->counts->by_class[p][number];
				if (n->events == 0 ||
					!session_selects_trace(&s->ask->select, s->e, trace))
					continue;
				uint32_t id = row_of(s, s->e->traces[trace].host,
					schema->streams[c].events[i].name);
				if (id == MER_INTERN_NONE)
					return mer_fail_nomem(&s->ask->err);
				s->names[id].count += n->events;
				s->names[id].bits += n->bits;
				s->total += n->events;
			}
	}
	return 0;
}

/* From the first event to the last. */
static void find_span(struct stats *s)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (uint32_t i = 0; i < s->e->n_streams; i++)
		if (s->counts->first[i] != MER_NO_TIME &&
			session_selects_stream(&s->ask->select, s->e, i)) {
			first = s->counts->first[i] < first ? s->counts->first[i] : first;
			last = s->counts->last[i] > last ? s->counts->last[i] : last;
		}
	s->span_ns = last > first ? mer_time_between(first, last) : 0;
}

static struct mer_cell rate(const struct stats *s, uint64_t count)
{
	return s->span_ns ? MER_INT((double)count * 1e9 / (double)s->span_ns + 0.5) : MER_NONE;
}

static void add_names(const struct stats *s, struct answer *a)
{
	enum { HOST, NAME, COUNT, SHARE, RATE, BYTES, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[NAME] = { "name", "Event", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[SHARE] = { "percent", "Share", MER_RATIO },
		[RATE] = { "count_per_s", "Per second", MER_COUNT },
		[BYTES] = { "bytes", "Size", MER_BYTES },
	};
	struct mer_table *t = answer_add(a, "by_name", "Events by name", columns);
	if (!s->counts)
		mer_table_hide(t, BYTES);
	for (uint32_t i = 0; i < s->n_names; i++) {
		const struct name_row *r = &s->names[i];
		double share = (double)r->count / (double)s->total;
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(s->e->hosts[r->host].name),
					 [NAME] = mer_text(r->name),
					 [COUNT] = MER_INT(r->count),
					 [SHARE] = MER_REAL_CELL(share),
					 [RATE] = rate(s, r->count),
					 [BYTES] = s->counts ? MER_INT(r->bits / 8) : MER_NONE,
				 });
	}
}

static void add_hosts(const struct stats *s, struct answer *a)
{
	enum { HOST, COUNT, RATE, BYTES, LOST_EVENTS, LOST_PACKETS, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[RATE] = { "count_per_s", "Per second", MER_COUNT },
		[BYTES] = { "bytes", "Size", MER_BYTES },
		[LOST_EVENTS] = { "lost_events", "Lost events", MER_COUNT },
		[LOST_PACKETS] = { "lost_packets", "Lost packets", MER_COUNT },
	};
	struct mer_table *t = answer_add(a, "by_host", "Events by host", columns);
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		uint64_t count = 0, bits = 0, events = 0, packets = 0;
		if (!session_selects_host(&s->ask->select, s->e->hosts[h].name))
			continue;
		for (uint32_t i = 0; i < s->e->n_streams; i++) {
			if (s->e->traces[s->e->streams[i].trace].host != h)
				continue;
			count += s->counts->by_stream[i].events;
			bits += s->counts->by_stream[i].bits;
			mer_add_count(&events, s->e->streams[i].lost_events);
			mer_add_count(&packets, s->e->streams[i].lost_packets);
		}
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(s->e->hosts[h].name),
					 [COUNT] = MER_INT(count),
					 [RATE] = rate(s, count),
					 [BYTES] = MER_INT(bits / 8),
					 [LOST_EVENTS] = MER_INT(events),
					 [LOST_PACKETS] = MER_INT(packets),
				 });
	}
}

static const char *stream_host(const struct stats *s, uint32_t stream)
{
	return s->e->hosts[s->e->traces[s->e->streams[stream].trace].host].name;
}

static void add_streams(const struct stats *s, struct answer *a)
{
	enum { HOST, PATH, CPU, COUNT, RATE, BYTES, LOST_EVENTS, LOST_PACKETS, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[PATH] = { "path", "Stream", MER_TEXT },
		[CPU] = { "cpu", "CPU", MER_ID },
		[COUNT] = { "count", "Count", MER_COUNT },
		[RATE] = { "count_per_s", "Per second", MER_COUNT },
		[BYTES] = { "bytes", "Size", MER_BYTES },
		[LOST_EVENTS] = { "lost_events", "Lost events", MER_COUNT },
		[LOST_PACKETS] = { "lost_packets", "Lost packets", MER_COUNT },
	};
	struct mer_table *t = answer_add(a, "by_stream", "Events by stream", columns);
	for (uint32_t i = 0; i < s->e->n_streams; i++) {
		const struct mer_stream *m = &s->e->streams[i];
		const struct trace_count *n = &s->counts->by_stream[i];
		if (!session_selects_stream(&s->ask->select, s->e, i))
			continue;
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(stream_host(s, i)),
					 [PATH] = mer_text(m->path),
					 [CPU] = mer_natural(m->cpu),
					 [COUNT] = MER_INT(n->events),
					 [RATE] = rate(s, n->events),
					 [BYTES] = MER_INT(n->bits / 8),
					 [LOST_EVENTS] = MER_INT(m->lost_events),
					 [LOST_PACKETS] = MER_INT(m->lost_packets),
				 });
	}
}

/* People see when and for how long, programs the two ends. */
static void add_losses(const struct stats *s, struct answer *a)
{
	static const char *const what[] = { [MER_LOSS_COUNTED] = "lost",
		[MER_LOSS_FIRST_PACKETS] = "first packets missing",
		[MER_LOSS_LAST_PACKETS] = "last packets missing" };
	enum { HOST, PATH, STREAM, BEGIN, END, LENGTH, EVENTS, PACKETS, WHAT, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[PATH] = { "path", "Stream", MER_TEXT },
		[STREAM] = { "stream", NULL, MER_ID },
		[BEGIN] = { "begin", "From", MER_DATE },
		[END] = { "end", NULL, MER_DATE },
		[LENGTH] = { "duration_ns", "Within", MER_DURATION },
		[EVENTS] = { "events", "Events", MER_COUNT },
		[PACKETS] = { "packets", "Packets", MER_COUNT },
		[WHAT] = { "what", "What", MER_TEXT },
	};
	bool people = s->ask->format == ASK_FORMAT_TABLE;
	struct mer_table *t = answer_add(a, "losses", "Losses", columns);
	for (uint32_t i = 0; i < s->e->n_losses; i++) {
		const struct mer_loss *l = &s->e->losses[i];
		const char *path = s->e->streams[l->stream].path, *slash = strrchr(path, '/');
		if (!session_selects_stream(&s->ask->select, s->e, l->stream))
			continue;
		struct mer_cell row[N] = {
			[HOST] = mer_text(stream_host(s, l->stream)),
			[PATH] = mer_text(people && slash ? slash + 1 : path),
			[STREAM] = MER_INT(l->stream),
			[BEGIN] = mer_int_unless(l->begin, MER_NO_TIME),
			[END] = mer_int_unless(l->end, MER_NO_TIME),
			[EVENTS] = l->kind ? MER_NONE : MER_INT(l->events),
			[PACKETS] = l->kind ? MER_NONE : MER_INT(l->packets),
			[WHAT] = mer_text(what[l->kind]),
		};
		if (row[BEGIN].set && row[END].set)
			row[LENGTH] = MER_INT(mer_time_between(l->begin, l->end));
		mer_table_add(t, row);
	}
}

/* What to change so that next time nothing is lost: buffers four times as large, and the events
 * that fill them. */
static void put_advice(const struct stats *s, struct mer_str *out)
{
	uint64_t packet = 0, lost = 0;
	bool kernel = false;
	for (uint32_t i = 0; i < s->e->n_losses; i++) {
		const struct trace_stream *t = &s->e->data[s->e->losses[i].stream];
		mer_add_count(&lost, s->e->losses[i].events);
		kernel |= strcmp(s->e->traces[s->e->streams[s->e->losses[i].stream].trace].domain,
				  "ust") != 0;
		for (uint32_t p = 0; p < t->n_packets; p++)
			if (t->packets[p].size_bits / 8 > packet)
				packet = t->packets[p].size_bits / 8;
	}
	if (!lost)
		return;
	uint64_t size = 1 << 16;
	while (size < packet * 4)
		size *= 2;
	mer_str_printf(out,
		"Next time record with larger buffers (the packets here have %" PRIu64 " %s):\n"
		"  lttng enable-channel --%s --subbuf-size=%" PRIu64 "K --num-subbuf=8 NAME\n",
		packet < 1024 ? packet : packet / 1024,
		packet < 1024 ? mer_plural(packet, "byte", "bytes") : "KiB",
		kernel ? "kernel" : "userspace", size / 1024);
	double most = s->n_names ? 100.0 * (double)s->names[0].count / (double)s->total : 0;
	if (most >= 15)
		mer_str_printf(out, "or without %s, which is %.0f %% of what was recorded.\n",
			s->names[0].name, most);
	else
		mer_str_puts(out, "or with fewer kinds of events (see the table above).\n");
}

static void add_total(const struct stats *s, struct answer *a)
{
	enum { COUNT, SPAN, N };
	static const struct mer_column columns[N + 1] = {
		[COUNT] = { "count", "Events", MER_COUNT },
		[SPAN] = { "duration_ns", "Time", MER_DURATION },
	};
	struct mer_table *t = answer_add_beside(a, "total", "All events", columns);
	mer_table_add(t, (struct mer_cell[N]){
				 [COUNT] = MER_INT(s->total),
				 [SPAN] = s->span_ns ? MER_INT(s->span_ns) : MER_NONE,
			 });
}

static const struct table_of {
	enum by by;
	const char *id, *unit; /* unit: what rows are */
	void (*add)(const struct stats *, struct answer *);
} tables[] = {
	{ BY_NAME, "by_name", "names", add_names },
	{ BY_HOST, "by_host", "hosts", add_hosts },
	{ BY_STREAM, "by_stream", "streams", add_streams },
	{ BY_ALL, "losses", "gaps", add_losses },
};
enum { N_TABLES = sizeof(tables) / sizeof(*tables) };

static bool asked_for(const struct values *v, const struct table_of *t)
{
	return v->by == BY_ALL || v->by == (unsigned)t->by;
}

static void put_table(const struct stats *s, const struct values *v, struct mer_table *t,
	const char *unit, struct mer_str *out)
{
	uint64_t limit = v->limit ? v->limit : SCREENFUL;
	if (t->n_rows)
		mer_str_printf(out, "\n%s\n", t->title);
	if (v->by == BY_ALL || v->limit)
		mer_table_limit(t, limit);
	ask_table_text(t, out, (size_t)ask_width(s->ask), s->ask->bold_out, s->ask->ascii);
	if (t->n_left_out)
		mer_str_printf(
			out, "... and %" PRIu64 " more %s (-n 0 shows all)\n", t->n_left_out, unit);
	out->failed |= t->failed;
}

static void put_text(
	const struct stats *s, const struct values *v, struct answer *a, struct mer_str *out)
{
	uint64_t lost = 0;
	for (uint32_t i = 0; i < s->e->n_losses; i++)
		if (session_selects_stream(&s->ask->select, s->e, s->e->losses[i].stream))
			mer_add_count(&lost, s->e->losses[i].events);
	ask_text_count(out, (int64_t)s->total);
	mer_str_puts(out, " events in ");
	if (s->span_ns)
		ask_text_duration(out, s->span_ns);
	else
		mer_str_puts(out, "an unknown time");
	if (lost) {
		mer_str_puts(out, "; ");
		ask_text_count(out, (int64_t)lost);
		mer_str_printf(
			out, " lost (%.1f %%)", 100.0 * (double)lost / (double)(lost + s->total));
	}
	struct trace_missing missing = { 0 };
	for (uint32_t t = 0; t < s->e->n_traces; t++)
		if (session_selects_trace(&s->ask->select, s->e, t))
			trace_count_missing(s->e, t, &missing);
	if (trace_is_missing(&missing)) {
		mer_str_puts(out, "; missing: ");
		trace_put_missing(out, &missing);
	}
	mer_str_putc(out, '\n');
	for (size_t i = 0; i < N_TABLES; i++)
		if (asked_for(v, &tables[i]) &&
			(tables[i].by != BY_HOST || s->e->n_hosts > 1 || v->by))
			put_table(s, v, answer_find(a, tables[i].id), tables[i].unit, out);
	if (v->by == BY_ALL && lost) {
		mer_str_putc(out, '\n');
		put_advice(s, out);
	}
}

static int print_text(const struct stats *s, const struct values *v, struct answer *a)
{
	struct mer_str out = { 0 };
	put_text(s, v, a, &out);
	return ask_put(s->ask, &out, 0);
}

static int print_rows(const struct stats *s, const struct values *v, struct answer *a)
{
	for (size_t i = 0; v->limit && i < a->n; i++)
		mer_table_limit(a->tables[i].table, v->limit);
	add_total(s, a);
	return ask_answer_print(s->ask, a);
}

static int print(struct stats *s, const struct values *v)
{
	struct answer a;
	if (s->n_names)
		qsort(s->names, s->n_names, sizeof(*s->names), by_count);
	ask_answer_init(s->ask, s->e, true, &a);
	for (size_t i = 0; i < N_TABLES; i++)
		if (asked_for(v, &tables[i]))
			tables[i].add(s, &a);
	int rc = s->ask->format == ASK_FORMAT_TABLE ? print_text(s, v, &a) : print_rows(s, v, &a);
	answer_fini(&a);
	return rc;
}

void ask_stats_tables(struct answer *a)
{
	static const struct mer_experiment none;
	struct ask nobody = { .format = ASK_FORMAT_JSON };
	const struct trace_counts counts = { 0 };
	const struct stats s = { .ask = &nobody, .e = &none, .counts = &counts };
	for (size_t i = 0; i < N_TABLES; i++)
		tables[i].add(&s, a);
	add_total(&s, a);
}

static int count_events(struct ask *ask, const struct values *v)
{
	struct session *session;
	struct trace_counts *counts = NULL;
	/* Rates, spans and the times of losses go by one time line of all hosts. */
	int rc = ask_session_open_synced(ask, ASK_SYNC_AUTO, &session);
	if (rc)
		return rc;
	struct mer_experiment *e = session_experiment(session);
	struct trace_range range = { ask->window.begin, ask->window.end };
	struct ask_progress progress;
	ask_progress_begin(&progress, ask, "counting", e->bytes);
	rc = trace_walk_range(e, range, ask_jobs(ask), session_cancel_of(session),
		&progress.done_bytes, &counts, &ask->err);
	ask_progress_end(&progress);
	struct stats s = { .ask = ask, .e = e, .counts = counts };
	mer_intern_init(&s.keys, &ask->arena);
	if (rc == 0)
		rc = sum_names(&s);
	if (rc == 0) {
		find_span(&s);
		rc = print(&s, v);
	}
	mer_intern_fini(&s.keys);
	free(s.names);
	trace_counts_free(counts);
	ask_session_close(ask, session);
	return rc;
}

/* ---- Of events that match a filter ---- */

/* rows: by ctf_plan.id: number of its row, plus 1; 0: not looked for yet. */
static int add_matching(struct stats *s, uint32_t *rows, const struct mer_event *ev)
{
	uint32_t *row = &rows[ev->plan->id];
	if (!*row) {
		uint32_t trace = s->e->streams[ev->stream].trace;
		uint32_t id = row_of(s, s->e->traces[trace].host, mer_event_name(ev));
		if (id == MER_INTERN_NONE)
			return mer_fail_nomem(&s->ask->err);
		*row = id + 1;
	}
	s->names[*row - 1].count++;
	s->total++;
	return 0;
}

/* They are decoded, not walked: nothing says how long a record is. */
static int read_matching(struct stats *s, struct mer_experiment *e,
	const struct event_select *select, struct mer_cancel *cancel)
{
	struct ask *ask = s->ask;
	struct trace_range range = { ask->window.begin, ask->window.end };
	struct trace_batch batch = { 0 };
	struct mer_cursor *cursor = NULL;
	struct ask_progress progress;
	uint64_t seen = 0;
	uint32_t *rows = calloc(select->reading->n_plans + 1u, sizeof(*rows));
	int rc = rows ? trace_cursor_new(e, select->reading, range, NULL, &cursor, &ask->err)
		      : mer_fail_nomem(&ask->err);
	ask_progress_begin(&progress, ask, "counting", e->bytes);
	while (rc == 0 && (rc = trace_cursor_take(cursor, &batch, &ask->err)) == 0 && batch.n) {
		for (size_t i = 0; rc == 0 && i < batch.n; i++)
			if (event_selected(select, trace_batch_context(&batch, &batch.events[i]),
				    &batch.events[i]))
				rc = add_matching(s, rows, &batch.events[i]);
		ask_progress_add(&progress, trace_cursor_bytes(cursor) - seen);
		seen = trace_cursor_bytes(cursor);
		if (rc == 0 && mer_cancelled(cancel))
			rc = mer_fail(&ask->err, MER_ERR_CANCELLED, "cancelled");
	}
	ask_progress_end(&progress);
	free(rows);
	trace_batch_fini(&batch);
	mer_cursor_free(cursor);
	return rc;
}

/* Rates are of the time that was asked for: what matches may be few, or one. */
static void span_of_window(struct stats *s)
{
	int64_t begin = s->ask->window.begin > s->e->begin ? s->ask->window.begin : s->e->begin;
	int64_t end = s->ask->window.end < s->e->end ? s->ask->window.end : s->e->end;
	bool known = s->e->begin != MER_NO_TIME && s->e->end != MER_NO_TIME;
	s->span_ns = known && end > begin ? mer_time_between(begin, end) : 0;
}

static int count_matching(struct ask *ask, const struct values *given)
{
	struct session *session;
	const char *only_name = "name";
	struct session_texts fields = { .item = &only_name, .n = 1 };
	struct event_select select;
	struct values v = *given;
	v.by = BY_NAME;
	int rc = ask_session_open_synced(ask, ASK_SYNC_AUTO, &session);
	if (rc)
		return rc;
	struct mer_experiment *e = session_experiment(session);
	struct stats s = { .ask = ask, .e = e };
	mer_intern_init(&s.keys, &ask->arena);
	rc = event_select_init(&select, ask, e,
		&(struct event_select_options){
			.filter = v.grid.filter, .names = &v.grid.names, .fields = &fields });
	if (rc == 0)
		rc = read_matching(&s, e, &select, session_cancel_of(session));
	if (rc == 0) {
		span_of_window(&s);
		rc = print(&s, &v);
	}
	event_select_fini(&select);
	mer_intern_fini(&s.keys);
	free(s.names);
	ask_session_close(ask, session);
	return rc;
}

/* Events are looked at one by one: what chooses them is that of 'meridian events'. */
static bool is_chosen(const struct ask *ask, const struct values *v)
{
	return v->grid.filter || v->grid.names.n || ask->select.cpus.n || ask->select.tids.n ||
	       ask->select.comms.n;
}

/* Options that only one of the two meanings has. */
static int check_options(struct ask *ask, const struct values *v)
{
	bool analysis = ask_grid_asked(ask);
	const char *odd = analysis		      ? (v->by ? "by" : NULL)
			  : v->grid.tables.n	      ? "table"
			  : v->grid.sort	      ? "sort"
			  : v->grid.reverse	      ? "reverse"
			  : v->grid.min.set	      ? "min"
			  : v->grid.max.set	      ? "max"
			  : v->grid.min_size.set      ? "min-size"
			  : v->grid.max_size.set      ? "max-size"
			  : v->grid.group_by	      ? "group-by"
			  : v->grid.period.expression ? "period"
						      : NULL;
	const char *meant = analysis ? NULL : ask_grid_meant(ask);
	if (meant)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"'%.100s' is neither a trace nor an analysis (did you mean %s?)",
			ask->args[0], meant);
	if (odd && analysis)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"option --%s does not apply to 'stats %s'", odd, ask->args[0]);
	if (odd)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"option --%s does not apply to 'stats' without an analysis", odd);
	if (!analysis && ask->views.n)
		return ask_grid_no_view(ask, "stats", " without an analysis");
	if (!analysis && is_chosen(ask, v) && v->by != BY_ALL && v->by != BY_NAME)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--%s counts events by name: it goes with --by name only",
			v->grid.filter	      ? "filter"
			: v->grid.names.n     ? "name"
			: ask->select.cpus.n  ? "cpu"
			: ask->select.comms.n ? "comm"
					      : ask_tids_option(ask));
	if (!analysis && ask->part)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--part needs an analysis: 'meridian stats sched --part'; counts of events of all hosts are those of each");
	bool is_any_pid = false;
	for (size_t i = 0; i < ask->select.tids.n; i++)
		is_any_pid |= ask->select.tids.item[i].is_process;
	if (!analysis && is_any_pid)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--pid needs to know which threads a process has, which 'stats' without an analysis does not read: use --tid, or --filter 'pid == N'");
	return 0;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *given = values;
	struct values own = *given;
	if (given->grid.limit.set)
		own.limit = given->grid.limit.v ? (uint64_t)given->grid.limit.v : UINT64_MAX;
	int rc = check_options(ask, given);
	if (rc)
		return rc;
	return ask_grid_asked(ask)     ? ask_grid_run(ask, "stats", &given->grid)
	       : is_chosen(ask, given) ? count_matching(ask, &own)
				       : count_events(ask, &own);
}
static const struct ask_option options[] = {
	{ .name = "by",
		.kind = ASK_CHOICE,
		.arg = "WHAT",
		.choices = "all|name|host|stream",
		.help = "only one table: by name, host or stream",
		.offset = offsetof(struct values, by) },
	ASK_GRID_LIMIT("at most N rows per table (default: 20; 0: all)"),
	ASK_GRID_SORT("with an ANALYSIS: by this column, largest first"),
	ASK_GRID_OPTION(
		min, ASK_DURATION, "TIME", "with an ANALYSIS: only TIME or longer; also --max"),
	ASK_GRID_MANUAL_OPTION(max, ASK_DURATION, "TIME", "with an ANALYSIS: only TIME or less"),
	ASK_GRID_SIZES("io, disk: "),
	ASK_GRID_NAME("with an ANALYSIS: only these; also --filter"),
	ASK_GRID_GROUP_BY("with an ANALYSIS: "),
	ASK_GRID_FILTER("events that match EXPR, by name; with an ANALYSIS: "),
	ASK_GRID_TABLE("with an ANALYSIS: another table (list, all)"),
	ASK_GRID_PERIOD,
	{ 0 },
};

const struct ask_verb ask_verb_stats = {
	.name = "stats",
	.help = "count events, rates, losses; statistics of an analysis",
	.synopsis = "[ANALYSIS] [OPTION...] TRACE...",
	.description = "Counts events by name, host and stream; lists what was lost, and how to avoid "
		       "losses next time. With an ANALYSIS (see 'meridian top'): statistics of "
		       "durations.",
	.more = "If the first word names an analysis and no file, it is the analysis; write ./syscall for a "
		"trace with that name. --by is for event counts; with --filter, --name, --cpu, --tid or --comm, as for 'meridian events', "
		"only events that match are counted, by name; --sort, --reverse, --min, --max, "
		"--period and --pid are for analyses, which show minimum, maximum, "
		"mean and total duration. Standard deviations are those of samples (n - 1).\n\n"  ASK_GRID_OPENMETRICS_MANUAL ASK_GRID_NAME_MANUAL ASK_GRID_GROUP_BY_MANUAL ASK_GRID_FILTER_MANUAL ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|openmetrics",
	.uses = ASK_USES_TASKS | ASK_USES_VIEWS | ASK_USES_CPU | ASK_USES_TABLES | ASK_USES_PARTS,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian stats client/ server/", "Which events were recorded most, and what was lost." },
		{ "meridian stats requests client/ server/",
			"Number and latencies of each kind of request." },
	},
	.run = run,
};
