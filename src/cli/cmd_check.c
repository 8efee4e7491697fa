#include <string.h>

#include "base/plural.h"
#include "cli/check_result.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/verb.h"

/* ---- Soundness ---- */

/* The trace whose folder the path is in, or is; n_traces: none. */
static uint32_t trace_of(const struct mer_experiment *e, const char *path)
{
	uint32_t trace = e->n_traces;
	size_t longest = 0;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		size_t n = strlen(e->parts[p].path);
		if (n < longest || strncmp(e->parts[p].path, path, n) != 0)
			continue;
		if (path[n] == '\0' || path[n] == '/' || (n && path[n - 1] == '/')) {
			longest = n;
			trace = e->parts[p].trace;
		}
	}
	return trace;
}

/* What concerns no trace that was opened, and is an error, gets a row of its own. */
static struct verdict *row_of(struct check *c, const struct mer_diag *d)
{
	const struct mer_experiment *e = c->e;
	uint32_t t = d->path ? trace_of(e, d->path) : e->n_traces;
	if (t < e->n_traces)
		return &c->verdicts[t];
	if (d->severity != MER_ERROR)
		return NULL;
	for (uint32_t i = e->n_traces; d->path && i < c->n_verdicts; i++)
		if (strcmp(c->verdicts[i].path, d->path) == 0)
			return &c->verdicts[i];
	struct verdict *v = &c->verdicts[c->n_verdicts++];
	*v = (struct verdict){ .path = d->path ? d->path : "",
		.wanted = true,
		.unread = strcmp(d->code, "trace-unreadable") == 0 ||
			  strcmp(d->code, "path-unreadable") == 0 };
	return v;
}

static int judge_traces(struct check *c)
{
	const struct mer_experiment *e = c->e;
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(e, &n);
	c->verdicts = mer_arena_zalloc(&c->cli->arena, n + e->n_traces + 1, sizeof(*c->verdicts));
	if (!c->verdicts)
		return mer_fail_nomem(&c->cli->err);
	c->n_verdicts = e->n_traces;
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *trace = &e->traces[t];
		struct verdict *v = &c->verdicts[t];
		*v = (struct verdict){ .path = trace->path,
			.host = e->hosts[trace->host].name,
			.lost_events = trace->lost_events,
			.lost_packets = trace->lost_packets,
			.wanted = session_selects_trace(&c->cli->select, e, t) };
		for (uint32_t s = 0; s < trace->n_streams; s++)
			v->events += c->counts->by_stream[trace->first_stream + s].events;
	}
	for (size_t i = 0; i < n; i++) {
		struct verdict *v = row_of(c, &rows[i]);
		/* The count of an error is the number of errors that share the row; that of a
		 * warning may count events. */
		if (v && rows[i].severity == MER_ERROR)
			v->errors += rows[i].count;
		else if (v && rows[i].severity == MER_WARNING)
			v->warnings++;
	}
	c->sound = true;
	for (uint32_t i = 0; i < c->n_verdicts; i++) {
		struct verdict *v = &c->verdicts[i];
		v->sound = !v->errors && !v->lost_events && !v->lost_packets;
		c->sound &= v->sound || !v->wanted;
	}
	return 0;
}

/* ---- The verb ---- */

/* Nothing could be opened: for this verb that is a finding, not a failure. */
static int report_unopened(struct cli *cli)
{
	cli_error(cli, "%s", cli_err_text(cli, &cli->err));
	int rc = check_print_unopened(cli);
	return rc ? rc : CLI_CONDITION;
}

static int make_hosts(struct check *c)
{
	const struct mer_experiment *e = c->e;
	c->hosts = mer_arena_zalloc(&c->cli->arena, e->n_hosts + 1u, sizeof(*c->hosts));
	if (!c->hosts)
		return mer_fail_nomem(&c->cli->err);
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		c->hosts[h].name = e->hosts[h].name;
		c->hosts[h].number = h;
		c->hosts[h].wanted = session_selects_host(&c->cli->select, e->hosts[h].name);
	}
	check_tally(e, c->counts, c->hosts);
	return 0;
}

/* What is missing of a host may be what would have been needed: that must not be mistaken for an event
 * that did not happen. */
static void find_partial(struct check *c)
{
	const struct mer_experiment *e = c->e;
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(e, &n);
	for (uint32_t t = 0; t < e->n_traces; t++)
		c->hosts[e->traces[t].host].partial |=
			e->traces[t].lost_events || e->traces[t].lost_packets;
	for (size_t i = 0; i < n; i++) {
		uint32_t t = rows[i].path ? trace_of(e, rows[i].path) : e->n_traces;
		if (rows[i].severity == MER_ERROR && t < e->n_traces)
			c->hosts[e->traces[t].host].partial = true;
	}
}

static void report_regressions(struct mer_experiment *e, uint64_t n_back)
{
	if (!n_back)
		return;
	mer_diag_add(&e->diags,
		&(struct mer_diag){ .severity = MER_WARNING,
			.code = "clock-backwards",
			.path = e->n_traces == 1 ? e->traces[0].path : NULL,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1,
			.count = n_back },
		"the clock goes backwards %llu %s inside packets; these events are kept in the "
		"order in which they were written",
		(unsigned long long)n_back, mer_plural(n_back, "time", "times"));
}

static int check(struct cli *cli, struct mer_experiment *e, const struct trace_counts *counts)
{
	struct check c = { .cli = cli, .e = e, .counts = counts };
	report_regressions(e, counts->n_back);
	int rc = make_hosts(&c);
	if (rc == 0)
		find_partial(&c);
	if (rc == 0)
		rc = check_sync(cli, e, c.hosts);
	if (rc == 0)
		rc = judge_traces(&c);
	if (rc)
		return rc;
	c.can_sync = true;
	for (uint32_t h = 0; h < e->n_hosts; h++)
		c.can_sync &= c.hosts[h].can_sync || !c.hosts[h].wanted;
	for (uint32_t i = 0; i < c.n_verdicts; i++)
		c.can_sync &= !c.verdicts[i].unread;
	rc = check_print(&c);
	return rc ? rc : c.sound ? CLI_OK : CLI_CONDITION;
}

/* What all fields of all events are read with. Events that cannot be read so, because they have too many
 * fields, are a finding: *reading is NULL then. */
static int read_all(struct cli *cli, struct mer_experiment *e, struct trace_reading **reading)
{
	int rc = trace_reading_new(e, NULL, true, reading, &cli->err);
	if (rc != MER_ERR_LIMIT)
		return rc;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		struct mer_arena arena;
		struct ctf_program *program;
		struct mer_err why;
		mer_arena_init(&arena);
		rc = ctf_program_compile(e->parts[i].schema, NULL, &arena, &program, &why);
		mer_arena_fini(&arena);
		if (rc == MER_ERR_NOMEM)
			return mer_fail_nomem(&cli->err);
		if (rc)
			mer_diag_add(&e->diags,
				&(struct mer_diag){ .severity = MER_ERROR,
					.code = "too-many-fields",
					.path = e->parts[i].path,
					.stream = -1,
					.packet = -1,
					.offset_bits = -1 },
				"its events cannot be read: %s", why.text);
	}
	return 0;
}

static int run(struct cli *cli, const void *values)
{
	struct session *s;
	struct trace_counts *counts = NULL;
	(void)values;
	int rc = cli_session_open(cli, &s);
	if (rc == MER_ERR_INPUT || rc == MER_ERR_SYS || rc == MER_ERR_LIMIT)
		return report_unopened(cli);
	if (rc)
		return rc;
	struct mer_experiment *e = session_experiment(s);
	struct cli_progress progress;
	cli_progress_begin(&progress, cli, "checking", e->bytes);
	struct trace_reading *reading = NULL;
	rc = read_all(cli, e, &reading);
	if (rc == 0 && reading)
		rc = trace_walk_deep(e, reading, cli_jobs(cli), session_cancel_of(s),
			&progress.done_bytes, &counts, &cli->err);
	else if (rc == 0)
		rc = trace_walk(e, cli_jobs(cli), session_cancel_of(s), &progress.done_bytes,
			&counts, &cli->err);
	cli_progress_end(&progress);
	trace_reading_free(reading);
	if (rc == 0)
		rc = check(cli, e, counts);
	trace_counts_free(counts);
	cli_session_close(cli, s);
	/* With --host, damage on other machines does not count. */
	if (rc == CLI_OK)
		cli->unreadable = false;
	return rc;
}

const struct cli_verb cli_verb_check = {
	.name = "check",
	.help = "check whether traces are sound, and what can be analysed",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Reads all events and reports whether each trace is sound, whether each "
		       "host's clock can be synchronized with others, and whether the events "
		       "that each analysis needs were recorded. For missing events it prints the "
		       "commands that enable them. Exit status 1: a trace is not sound, because "
		       "something was lost or could not be read.",
	.more = "An event counts as recorded when the metadata declares it, even if it never "
		"occurred. Packet headers may be declared and still be missing, so some thousand "
		"packets of each host are examined. With --format csv or jsonl there is one row "
		"for each trace.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_HOST | CLI_USES_JOBS | CLI_USES_INPUT,
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian check client/ server/", "Can these two be analysed together?" },
		{ "meridian check --json client/ | jq .analyses", "For a script." },
	},
	.run = run,
};
