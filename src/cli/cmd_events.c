/* meridian events: the merged events of all traces, a line each. */
#include <stdlib.h>
#include <string.h>

#include "cli/event_text.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "trace/slices.h"

struct values {
	struct cli_texts fields;
	const char *filter;
	uint64_t limit;
};

/* Lines of one slice of time, made on any thread, written in order. */
struct page {
	struct mer_str text;
	struct event_text_state state;
	uint64_t n_lines;
};

struct job {
	struct cli *cli;
	struct mer_experiment *e;
	struct event_text *text;
	struct page *pages;
	size_t n_pages;
	uint64_t limit, n_written;
	int64_t last; /* time of the last line written */
	_Atomic uint64_t done_bytes;
};

static void begin_page(void *ctx, size_t slot)
{
	struct page *p = &((struct job *)ctx)->pages[slot];
	mer_str_clear(&p->text);
	event_text_begin(&p->state);
	p->state.leave_delta = true;
	p->n_lines = 0;
}

enum { WRITE_BYTES = 1 << 18 };

/* With one page, and thus one thread, what is ready can go out at once. */
static int write_page(struct job *j, struct page *p, struct mer_err *err)
{
	if (p->text.failed)
		return mer_fail_nomem(err);
	size_t from = 0;
	if (p->state.delta_at >= 0) {
		struct mer_str delta = { 0 };
		event_text_delta(&delta, j->last, p->state.first);
		fwrite(p->text.data, 1, (size_t)p->state.delta_at, j->cli->out);
		fwrite(delta.data, 1, delta.len, j->cli->out);
		from = (size_t)p->state.delta_at;
		mer_str_fini(&delta);
	}
	if (p->text.len > from)
		fwrite(p->text.data + from, 1, p->text.len - from, j->cli->out);
	if (p->state.last != MER_NO_TIME)
		j->last = p->state.last;
	return ferror(j->cli->out) ? mer_fail(err, MER_ERR_SYS, "cannot write the output") : 0;
}

static int add_events(void *ctx, size_t slot, const struct mer_cursor *c,
	const struct mer_event *ev, size_t n, struct mer_err *err)
{
	struct job *j = ctx;
	struct page *p = &j->pages[slot];
	for (size_t i = 0; i < n; i++) {
		if (j->limit && p->n_lines == j->limit)
			break;
		event_text_line(j->text, &p->state, &p->text, c, &ev[i]);
		p->n_lines++;
	}
	if (j->n_pages == 1 && (p->text.len > WRITE_BYTES || j->limit)) {
		int rc = write_page(j, p, err);
		if (rc)
			return rc;
		mer_str_clear(&p->text);
		p->state.delta_at = -1;
		if (j->limit && p->n_lines >= j->limit)
			return mer_fail(err, MER_ERR_CANCELLED, "limit reached");
	}
	return p->text.failed ? mer_fail_nomem(err) : 0;
}

static int write_slice(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	return write_page(j, &j->pages[slot], err);
}

static int print_all(struct job *j, struct trace_range range, unsigned threads, struct mer_err *err)
{
	struct trace_reading *r;
	int rc = trace_reading_new(j->e, NULL, event_text_has_contexts(j->e), &r, err);
	if (rc)
		return rc;
	j->n_pages = threads > 1 ? threads + 1 : 1;
	j->pages = calloc(j->n_pages, sizeof(*j->pages));
	rc = j->pages ? event_text_new(j->e, r, &j->text, err) : mer_fail_nomem(err);
	struct trace_slices_job job = { .reading = r,
		.range = range,
		.n_threads = threads,
		.slice_bytes = 1 << 21,
		.n_slots = j->n_pages,
		.cancel = &j->cli->cancel,
		.ctx = j,
		.begin = begin_page,
		.batch = add_events,
		.consume = write_slice };
	if (rc == 0)
		rc = trace_run_slices(j->e, &job, err);
	for (size_t i = 0; j->pages && i < j->n_pages; i++)
		mer_str_fini(&j->pages[i].text);
	free(j->pages);
	event_text_free(j->text);
	trace_reading_free(r);
	return rc;
}

static int run(struct cli *cli, const void *values)
{
	const struct values *v = values;
	struct mer_open_options o = { .keep_offsets = cli->sync && strcmp(cli->sync, "none") == 0 };
	struct job j = { .cli = cli, .limit = v->limit, .last = MER_NO_TIME };
	int rc = mer_experiment_open(cli->args, cli->n_args, &o, &j.e, &cli->err);
	if (rc)
		return rc;
	struct trace_range range = {
		cli_moment_resolve(&cli->begin, j.e->begin, j.e->end, INT64_MIN),
		cli_moment_resolve(&cli->end, j.e->begin, j.e->end, INT64_MAX),
	};
	rc = print_all(&j, range, v->limit ? 1 : cli_jobs(cli), &cli->err);
	if (rc == MER_ERR_CANCELLED && v->limit)
		rc = 0;
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(j.e, &n);
	cli_report(cli, rows, n);
	mer_experiment_free(j.e);
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
	{ 0 },
};

const struct cli_verb cli_verb_events = {
	.name = "events",
	.help = "the events of all traces, merged in the order of time",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Prints an event a line. The text layout is that of babeltrace2. EXPR compares "
		       "fields, name and $host with ==, !=, <, <=, >, >=, with =~ for a regular "
		       "expression; == on text knows * and ?; &&, || and ! combine.",
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
