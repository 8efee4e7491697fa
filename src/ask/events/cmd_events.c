/* meridian events: the merged events of all traces, a line each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/pipeline.h"
#include "base/plural.h"
#include "ask/events/event_format.h"
#include "ask/program.h"
#include "ask/requests/one_request.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "trace/cursor.h"
#include "trace/files.h"

struct values {
	struct session_texts fields, names;
	const char *filter;
	struct ask_request_values request;
	uint64_t limit;
	bool headers;
};

/* Events under way: read, made lines of, written. */
struct part {
	struct trace_batch batch;
	struct event_page page;
	uint64_t bytes; /* read by the cursor up to here */
};

struct job {
	struct ask *ask;
	struct mer_cancel *cancel;
	const struct event_select *select;
	struct event_format *format;
	struct ask_progress *progress;
	struct mer_cursor *cursor;
	struct part *parts;
	uint64_t limit;	     /* lines; 0: all */
	uint64_t n_written;  /* lines */
	uint64_t seen_bytes; /* as progress knows */
};

enum {
	PART_EVENTS = 2048,   /* some 200 us of work, and their lines stay in the cache */
	FEW_BYTES = 16 << 20, /* not worth a second thread */
	MAX_THREADS = 6	      /* more wait for the one that reads: its share is about a sixth */
};

static int read_part(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	struct part *p = &j->parts[slot];
	int rc = trace_cursor_take(j->cursor, &p->batch, err);
	p->bytes = trace_cursor_bytes(j->cursor);
	return rc ? rc : p->batch.n ? 0 : MER_PIPELINE_END;
}

/* With a limit there is one thread, so n_written is that of all lines before. */
static int make_lines(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	struct part *p = &j->parts[slot];
	event_page_clear(&p->page);
	for (size_t i = 0; i < p->batch.n; i++) {
		const struct mer_event *ev = &p->batch.events[i];
		const uint64_t *context = trace_batch_context(&p->batch, ev);
		if (!event_selected(j->select, context, ev))
			continue;
		event_page_add(j->format, &p->page, context, ev);
		if (j->limit && j->n_written + p->page.n_lines == j->limit)
			break;
	}
	return p->page.lines.failed ? mer_fail_nomem(err) : 0;
}

static int write_part(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	struct part *p = &j->parts[slot];
	ask_progress_add(j->progress, p->bytes - j->seen_bytes);
	j->seen_bytes = p->bytes;
	j->n_written += p->page.n_lines;
	int rc = event_page_write(j->format, j->ask, &p->page, err);
	return rc == 0 && j->limit && j->n_written == j->limit ? MER_PIPELINE_END : rc;
}

static int print(
	struct job *j, struct mer_experiment *e, struct trace_range range, struct mer_err *err)
{
	/* Strings lie in the files: where these may go, a part is written before the next is
	 * read. */
	bool one = j->limit || j->ask->taken || e->bytes < FEW_BYTES || !trace_files_stay(e);
	unsigned threads = one ? 1 : ask_jobs(j->ask);
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	struct mer_pipeline pipeline = { .n_threads = threads,
		.n_slots = threads > 1 ? 2 * threads : 1,
		.ctx = j,
		.cancel = j->cancel,
		.read = read_part,
		.work = make_lines,
		.write = write_part };
	j->parts = calloc(pipeline.n_slots, sizeof(*j->parts));
	int rc = j->parts ? trace_cursor_new(e, j->select->reading, range, NULL, &j->cursor, err)
			  : mer_fail_nomem(err);
	if (rc == 0) {
		struct ask_progress progress;
		j->progress = &progress;
		if (!j->limit)
			trace_cursor_aim(j->cursor, PART_EVENTS);
		ask_progress_begin(&progress, j->ask, "reading", e->bytes);
		event_format_begin(j->format, j->ask);
		rc = mer_pipeline_run(&pipeline, err);
		ask_progress_end(&progress);
	}
	mer_cursor_free(j->cursor);
	for (size_t i = 0; j->parts && i < pipeline.n_slots; i++) {
		event_page_fini(&j->parts[i].page);
		trace_batch_fini(&j->parts[i].batch);
	}
	free(j->parts);
	if (ferror(j->ask->out))
		rc = 0; /* told once, when the output is closed */
	return rc ? rc : event_format_end(j->format, j->ask, e);
}

/* When which task worked for the request; it also narrows the time. */
static int find_pieces(struct ask *ask, const struct ask_request *q, struct event_pieces *p)
{
	struct requests_piece *pieces;
	size_t n;
	int rc = requests_pieces_find(q->parts, q->r, q->number, &pieces, &n, &ask->err);
	if (rc)
		return rc;
	rc = event_pieces_init(p, ask, q->w.e, q->w.world, pieces, n);
	free(pieces);
	if (p->begin > ask->window.begin)
		ask->window.begin = p->begin;
	if (p->end < ask->window.end - 1)
		ask->window.end = p->end + 1; /* what happened at its end belongs to it */
	if (ask->window.begin > ask->window.end)
		ask->window.end = ask->window.begin;
	return rc;
}

/* An empty answer is one, but for people a mistake that is hard to see. */
static void note_nothing(struct ask *ask, const struct values *v, const struct mer_experiment *e)
{
	const struct session_selection *s = &ask->select;
	const struct {
		bool is_given;
		const char *option;
	} given[] = { { v->filter, "--filter" }, { v->names.n, "--name" }, { s->hosts.n, "--host" },
		{ s->cpus.n, "--cpu" }, { s->tids.n, "--tid" }, { s->comms.n, "--comm" },
		{ s->begin.kind || s->end.kind, "the time range" },
		{ v->request.which.id || v->request.which.rule, "--request" } };
	struct mer_str all = { 0 };
	unsigned n = 0;
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (given[i].is_given)
			mer_str_printf(&all, "%s%s", n++ ? ", " : "", given[i].option);
	if (e->begin == MER_NO_TIME)
		ask_note(ask, "no event: the traces have none ('meridian info' describes them)");
	else if (n && all.data)
		ask_note(ask,
			"no event matches %s ('meridian stats --by name' counts what was recorded)",
			all.data);
	mer_str_fini(&all);
}

static int print_selected(
	struct ask *ask, const struct values *v, struct session *s, struct event_pieces *pieces)
{
	struct event_select select;
	struct event_format format = { 0 };
	struct mer_experiment *e = session_experiment(s);
	bool text = ask->format == ASK_FORMAT_TEXT;
	int rc = event_select_init(&select, ask, e,
		&(struct event_select_options){ .filter = v->filter,
			.fields = &v->fields,
			.names = &v->names,
			.headers = v->headers && !text,
			.pieces = pieces,
			.contexts = text && event_text_has_contexts(e) });
	if (rc == 0)
		rc = event_format_init(&format, ask, &select);
	struct trace_range range = { ask->window.begin, ask->window.end };
	struct job j = { .ask = ask,
		.cancel = session_cancel_of(s),
		.select = &select,
		.format = &format,
		.limit = v->limit == UINT64_MAX ? 0 : v->limit };
	if (rc == 0)
		rc = print(&j, e, range, &ask->err);
	if (rc == 0 && !j.n_written && !ferror(ask->out))
		note_nothing(ask, v, e);
	uint64_t n = select.filter ? trace_filter_given_up(select.filter) : 0;
	if (n)
		ask_warn(ask,
			"--filter: %" PRIu64
			" %s with a regular expression took too long and %s given up: no match; simplify the expression",
			n, mer_plural(n, "comparison", "comparisons"),
			mer_plural(n, "was", "were"));
	event_format_fini(&format);
	event_select_fini(&select);
	return rc;
}

static int print_request(struct ask *ask, const struct values *v)
{
	struct ask_request q;
	struct event_pieces pieces = { 0 };
	int rc = ask_request_open_chosen(ask, &v->request, &q);
	if (rc == 0)
		rc = find_pieces(ask, &q, &pieces);
	if (rc == 0)
		rc = print_selected(ask, v, q.s, &pieces);
	event_pieces_fini(&pieces);
	ask_request_close(ask, &q);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct session *s;
	if (v->request.which.id || v->request.which.rule || v->request.by.n)
		return print_request(ask, v);
	int rc = ask_session_open_synced(ask, ASK_SYNC_AUTO, &s);
	if (rc)
		return rc;
	rc = print_selected(ask, v, s, NULL);
	ask_session_close(ask, s);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "filter",
		.letter = 'f',
		.kind = ASK_TEXT,
		.arg = "EXPR",
		.help = "only events that match EXPR",
		.offset = offsetof(struct values, filter) },
	{ .name = "name",
		.kind = ASK_TEXTS,
		.arg = "NAME",
		.help = "only events with this name (* and ? are wildcards)",
		.offset = offsetof(struct values, names) },
	{ .name = "fields",
		.kind = ASK_TEXTS,
		.arg = "LIST",
		.help = "only these fields (name,next_tid)",
		.offset = offsetof(struct values, fields) },
	ASK_REQUEST_OPTIONS(
		struct values, request, "only events of a request (ids: meridian requests --list)"),
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "stop after N events (0: all)",
		.offset = offsetof(struct values, limit) },
	{ .name = "headers",
		.kind = ASK_FLAG,
		.help = "json: with packet contexts and event headers",
		.offset = offsetof(struct values, headers) },
	{ 0 },
};

const struct ask_verb ask_verb_events = {
	.name = "events",
	.help = "print the events of all traces, merged in time order",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Prints one event per line, in the layout of babeltrace2. EXPR compares fields, "
		       "name and $host using ==, !=, <, <=, >, >= or =~ (regular expression); "
		       "in text, == takes the wildcards * and ?. Combine with &&, || and !.",
	.more = "A filter consists of comparisons, combined with !, && and || (in this order of "
		"precedence) and parentheses. Operands are: name (of the event); $host, $domain, $cpu, "
		"$stream, $trace, $time; fields, with dots for members (a.b), brackets for elements "
		"(seq[3]) and, if needed, the scope in front (payload.x, context.x, packet.x; header.x "
		"always needs it); len(field); numbers in decimal, hexadecimal (0x2a), octal (052) or with "
		"a unit (10us, 3ms, 1.5s); text in double or single quotes.\n\n"
		"Operators are == != < <= > >=, and =~ and !~ for regular expressions (PCRE2). In "
		"text on the right of == or !=, * matches any characters and ? one character. "
		"Enumerations compare as numbers or by label. A field on its own is true if the event has "
		"it and it is neither 0 nor empty. A comparison with a field that the event does not have "
		"is false, even with !=.\n\n"
		"--tid matches the fields tid, vtid, prev_tid, next_tid and child_tid, and of perf and ftrace "
		"common_pid, the thread on the CPU, and what there has a thread as pid; --comm matches comm, "
		"procname, prev_comm, next_comm and child_comm.\n\n"
		"--request selects the events of a request that meridian-requests(1) found, on all "
		"hosts: those on the CPU of a task while it worked for the request or one below it, and "
		"those that name such a task, as wake-ups by others do. What a server did for other "
		"requests in that time is left out. " ASK_REQUEST_MANUAL "\n\n"
		"Events are sorted by time; events with the same time by host, trace, stream and position "
		"in the stream. Control characters and invalid UTF-8 in names and values are printed as "
		"escapes such as \\x1b.",
	.formats = "text|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_MARKS | ASK_USES_HOST | ASK_USES_CPU | ASK_USES_TID |
		ASK_USES_COMM | ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian events --begin +1s --end +1.5s client/ server/",
			"Half a second of two hosts." },
		{ "meridian events -n 5 -f 'name == \"sched_*\" && cpu_id < 2' client/",
			"The first scheduling events of two CPUs." },
	},
	.run = run,
};
