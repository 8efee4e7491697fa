/* meridian events: the merged events of all traces, a line each. */
#include <stdlib.h>
#include <string.h>

#include "cli/event_format.h"
#include "cli/progress.h"
#include "cli/sync_traces.h"
#include "cli/traces.h"
#include "cli/verb.h"
#include "trace/slices.h"

struct values {
	struct cli_texts fields;
	const char *filter;
	uint64_t limit;
	bool headers;
};

struct job {
	struct cli *cli;
	const struct event_select *select;
	struct event_format *format;
	struct cli_progress *progress;
	struct event_page *pages; /* one: a single thread, which writes at once */
	size_t n_pages;
	uint64_t limit;
	uint64_t seen_bytes; /* of the one cursor */
};

enum {
	SLICE_BYTES = 1 << 21, /* makes some 10 MB of text */
	WRITE_BYTES = 1 << 18,
	FEW_BYTES = 16 << 20, /* not worth a second thread */
	MAX_THREADS = 6	      /* each holds a slice's text; what they make together is 5 GB/s */
};

static void begin_page(void *ctx, size_t slot)
{
	event_page_clear(&((struct job *)ctx)->pages[slot]);
}

static int write_now(struct job *j, const struct mer_cursor *c, struct mer_err *err)
{
	struct event_page *p = &j->pages[0];
	int rc = event_page_write(j->format, j->cli, p, err);
	mer_str_clear(&p->lines);
	p->state.delta_at = -1;
	uint64_t bytes = trace_cursor_bytes(c);
	cli_progress_add(j->progress, bytes - j->seen_bytes);
	j->seen_bytes = bytes;
	if (rc == 0 && j->limit && p->n_lines >= j->limit)
		return mer_fail(err, MER_ERR_CANCELLED, "enough");
	return rc;
}

static int add_events(void *ctx, size_t slot, const struct mer_cursor *c,
	const struct mer_event *ev, size_t n, struct mer_err *err)
{
	struct job *j = ctx;
	struct event_page *p = &j->pages[slot];
	for (size_t i = 0; i < n && !(j->limit && p->n_lines == j->limit); i++)
		if (event_selected(j->select, c, &ev[i]))
			event_page_add(j->format, p, c, &ev[i]);
	if (j->n_pages == 1 && (p->lines.len > WRITE_BYTES || j->limit))
		return write_now(j, c, err);
	return p->lines.failed ? mer_fail_nomem(err) : 0;
}

static int write_slice(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	if (j->n_pages > 1)
		cli_progress_add(j->progress, SLICE_BYTES);
	return event_page_write(j->format, j->cli, &j->pages[slot], err);
}

static int print(
	struct job *j, struct mer_experiment *e, struct trace_range range, struct mer_err *err)
{
	unsigned threads = j->limit || e->bytes < FEW_BYTES ? 1 : cli_jobs(j->cli);
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	j->n_pages = threads > 1 ? threads + 1 : 1;
	j->pages = calloc(j->n_pages, sizeof(*j->pages));
	if (!j->pages)
		return mer_fail_nomem(err);
	struct trace_slices_job slices = { .reading = j->select->reading,
		.range = range,
		.n_threads = threads,
		.slice_bytes = SLICE_BYTES,
		.n_slots = j->n_pages,
		.cancel = &j->cli->cancel,
		.ctx = j,
		.begin = begin_page,
		.batch = add_events,
		.consume = write_slice };
	struct cli_progress progress;
	j->progress = &progress;
	cli_progress_begin(&progress, j->cli, "reading", e->bytes);
	event_format_begin(j->format, j->cli);
	int rc = trace_run_slices(e, &slices, err);
	cli_progress_end(&progress);
	for (size_t i = 0; i < j->n_pages; i++)
		mer_str_fini(&j->pages[i].lines);
	free(j->pages);
	if (rc == MER_ERR_CANCELLED && j->limit)
		rc = 0;
	if (ferror(j->cli->out))
		rc = 0; /* told once, when the output is closed */
	if (rc == 0)
		event_format_end(j->format, j->cli, e);
	return rc;
}

static int run(struct cli *cli, const void *values)
{
	const struct values *v = values;
	struct mer_experiment *e;
	struct event_select select;
	struct event_format format = { 0 };
	int rc = cli_traces_open_synced(cli, CLI_SYNC_AUTO, &e);
	if (rc)
		return rc;
	bool text = cli->format == CLI_FORMAT_TEXT;
	rc = event_select_init(&select, cli, e,
		&(struct event_select_options){ .filter = v->filter,
			.fields = &v->fields,
			.headers = v->headers && !text,
			.contexts = text && event_text_has_contexts(e) });
	if (rc == 0)
		rc = event_format_init(&format, cli, &select);
	struct trace_range range = {
		cli_moment_resolve(&cli->begin, e->begin, e->end, INT64_MIN),
		cli_moment_resolve(&cli->end, e->begin, e->end, INT64_MAX),
	};
	struct job j = { .cli = cli, .select = &select, .format = &format, .limit = v->limit };
	if (rc == 0)
		rc = print(&j, e, range, &cli->err);
	event_format_fini(&format);
	event_select_fini(&select);
	cli_traces_close(cli, e);
	return rc;
}

static const struct cli_option options[] = {
	{ .name = "filter",
		.letter = 'f',
		.kind = CLI_TEXT,
		.arg = "EXPR",
		.help = "only events for which EXPR holds",
		.offset = offsetof(struct values, filter) },
	{ .name = "fields",
		.kind = CLI_TEXTS,
		.arg = "LIST",
		.help = "only these fields (name,next_tid)",
		.offset = offsetof(struct values, fields) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "stop after N events",
		.offset = offsetof(struct values, limit) },
	{ .name = "headers",
		.kind = CLI_FLAG,
		.help = "json: packet contexts and event headers too",
		.offset = offsetof(struct values, headers) },
	{ 0 },
};

const struct cli_verb cli_verb_events = {
	.name = "events",
	.help = "the events of all traces, merged in the order of time",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Prints an event a line. The text layout is that of babeltrace2. EXPR compares "
		       "fields, name and $host with ==, !=, <, <=, >, >=, with =~ for a regular "
		       "expression; == on text knows * and ?; &&, || and ! combine.",
	.more = "A filter is made of comparisons, with && before ||, ! for what follows it, and "
		"parentheses. Left and right stand: name (of the event); $host, $domain, $cpu, $stream, "
		"$trace, $time; fields, with dots for members (a.b), brackets for elements (seq[3]) and, "
		"where it matters, the scope in front (payload.x, context.x, packet.x; always header.x); "
		"len(field); numbers in decimal, hexadecimal (0x2a), octal (052) or with a unit (10us, "
		"3ms, 1.5s); texts in double or single quotes.\n\n"
		"Operators are == != < <= > >=, and =~ and !~ for POSIX extended regular expressions. In a "
		"text that == or != compares with, * stands for any characters and ? for one. "
		"Enumerations compare as numbers or by their labels. A field alone means that it is there "
		"and neither 0 nor empty. A comparison with a field that the event does not have is false, "
		"also with !=.\n\n"
		"--tid and --comm look at the fields tid, vtid, prev_tid, next_tid, child_tid, and comm, "
		"procname, prev_comm, next_comm, child_comm.\n\n"
		"Events are in the order of time; those of the same time in the order of host, trace, "
		"stream and place in the stream.",
	.formats = "text|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_CPU | CLI_USES_TID |
		CLI_USES_COMM | CLI_USES_SYNC | CLI_USES_JOBS | CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian events --begin +1s --end +1.5s client/ server/",
			"Half a second of two machines." },
		{ "meridian events -n 5 -f 'name == \"sched_*\" && cpu_id < 2' client/",
			"The first scheduling events of two processors." },
	},
	.run = run,
};
