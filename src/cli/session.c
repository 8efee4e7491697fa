#include "cli/session.h"

#include <string.h>

#include "base/diag_json.h"
#include "base/plural.h"
#include "cli/period.h"
#include "cli/places.h"
#include "cli/progress.h"
#include "cli/tasks.h"
#include "cli/text.h"

/* A bound that is wider is worth a warning: most requests between machines are shorter. */
#define WIDE_NS 10000000

/* ---- Opening ---- */

struct waiting { /* for a session, on a terminal */
	struct cli *cli;
	struct cli_progress progress;
};

static _Atomic uint64_t *begin_stage(void *ctx, enum session_stage stage, uint64_t total_bytes)
{
	static const char *const words[SESSION_N_STAGES] = {
		[SESSION_SYNCHRONIZING] = "synchronizing",
		[SESSION_MATCHING] = "matching",
		[SESSION_PERIODS] = "looking for periods",
		[SESSION_READING] = "reading",
		[SESSION_CHECKING] = "checking",
		[SESSION_DRAWING] = "drawing",
		[SESSION_STORING] = "building the store",
	};
	struct waiting *w = ctx;
	cli_progress_begin(&w->progress, w->cli, words[stage], total_bytes);
	return &w->progress.done_bytes;
}

static void end_stage(void *ctx)
{
	struct waiting *w = ctx;
	cli_progress_end(&w->progress);
}

static int open_session(struct cli *cli, bool once, struct session **s)
{
	bool is_auto = !cli->sync || strcmp(cli->sync, "auto") == 0;
	struct waiting *waiting = mer_arena_zalloc(&cli->arena, 1, sizeof(*waiting));
	*s = NULL;
	cli->synced = NULL;
	cli->window = (struct session_window){ INT64_MIN, INT64_MAX };
	if (!waiting)
		return mer_fail_nomem(&cli->err);
	waiting->cli = cli;
	const struct mer_spill_options *spill;
	int rc = cli_spill_options(cli, &spill);
	if (rc)
		return rc;
	*s = session_new(&(struct session_options){ .paths = cli->args,
		.n_paths = cli->n_args,
		.clocks = is_auto			   ? SESSION_CLOCKS_AUTO
			  : strcmp(cli->sync, "none") == 0 ? SESSION_CLOCKS_RECORDED
							   : SESSION_CLOCKS_SAVED,
		.clocks_file = cli->sync,
		.ignore_uuid = cli->ignore_uuid,
		.n_threads = cli_jobs(cli),
		.store = cli->store,
		.cache_dir = cli_cache_folder(cli),
		.spill = spill,
		.all_findings = cli->verbose,
		.once = once,
		.watcher = { waiting, begin_stage, end_stage } });
	if (!*s)
		return mer_fail_nomem(&cli->err);
	rc = session_open(*s, &cli->err);
	if (rc == 0)
		rc = session_selection_check(&cli->select, session_experiment(*s), &cli->err);
	if (rc) { /* of such traces nothing else is to be said */
		session_free(*s);
		*s = NULL;
	}
	return rc;
}

int cli_session_open(struct cli *cli, struct session **s)
{
	return open_session(cli, false, s);
}

static void report_store(struct cli *cli, const struct session *s)
{
	const struct mer_err *why = session_store_error(s);
	if (why)
		cli_warn(cli, "--store: the traces were read instead: %s", cli_err_text(cli, why));
	if (!session_store_is_damaged(s))
		return;
	cli_warn(cli,
		"the store of these traces was damaged, and times in it are missing above; it was "
		"removed: run the command again");
	cli->degraded = true;
}

void cli_session_close(struct cli *cli, struct session *s)
{
	if (!s)
		return;
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(session_experiment(s), &n);
	/* What was asked for comes before what is to be said about it, also on a terminal. */
	fflush(cli->out);
	cli_report(cli, rows, n);
	cli_spill_report(cli, session_experiment(s));
	report_store(cli, s);
	session_free(s);
	cli->synced = NULL;
}

/* ---- Clocks ---- */

/* Names of hosts apart from the largest group, as many as fit a line. */
static void add_unsynchronized(struct mer_str *out, const struct sync_result *r, uint32_t n)
{
	enum { NAMES = 4 };
	uint32_t shown = 0;
	for (uint32_t h = 0; h < r->n_hosts && shown < NAMES; h++)
		if (r->hosts[h].group != 0 && r->hosts[h].span.begin != MER_NO_TIME)
			mer_str_printf(out, "%s%.64s", shown++ ? ", " : "", r->hosts[h].name);
	if (n > shown)
		mer_str_printf(out, " and %u more", (unsigned)(n - shown));
}

/* One line for each problem that matters when times of hosts are compared; without a problem, one line with
 * the error. */
static void note_clocks(struct cli *cli, const struct sync_result *r, const struct sync_summary *s)
{
	const char *reference = r->hosts[s->reference].name;
	struct mer_str text = { 0 };
	if (s->n_hosts < 2 && s->n_unsynchronized) {
		cli_warn(cli,
			"no messages between the %u hosts were found: their clocks stay as "
			"recorded "
			"and times of different hosts cannot be compared ('meridian check' lists "
			"what to record)",
			(unsigned)(s->n_hosts + s->n_unsynchronized));
		return;
	}
	if (s->n_unsynchronized) {
		add_unsynchronized(&text, r, s->n_unsynchronized);
		cli_warn(cli,
			"times of %s cannot be compared with those of the other %u %s: no "
			"messages between them were found (see 'meridian sync')",
			text.data ? text.data : "?", (unsigned)s->n_hosts,
			mer_plural(s->n_hosts, "host", "hosts"));
		mer_str_clear(&text);
	}
	if (s->n_hosts < 2) {
		mer_str_fini(&text);
		return;
	}
	uint32_t one_sided = sync_one_sided(r, &text);
	if (one_sided) {
		cli_warn(cli,
			"the %s of %s cannot be compared with that of %s: messages between them "
			"limit %s on one side only (see 'meridian sync')",
			mer_plural(one_sided, "clock", "clocks"), text.data ? text.data : "?",
			reference, mer_plural(one_sided, "it", "them"));
		mer_str_fini(&text);
		return;
	}
	cli_text_duration(&text, s->median_ns);
	mer_str_puts(&text, " (median)");
	if (s->max_ns != INT64_MAX) {
		mer_str_puts(&text, ", ");
		cli_text_duration(&text, s->max_ns);
		mer_str_puts(&text, " (max)");
	}
	if (text.failed)
		mer_str_clear(&text);
	const char *bounds = text.data ? text.data : "?";
	if (s->median_ns == INT64_MAX)
		cli_warn(cli,
			"clocks of %u hosts aligned to that of %s; the error of %s's clock is "
			"unknown (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->median].name);
	else if (s->median_ns > WIDE_NS)
		cli_warn(cli,
			"clocks of %u hosts aligned to that of %s; the clock of %s may be off by "
			"%s (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->median].name, bounds);
	else
		cli_note(cli,
			"clocks of %u hosts aligned to that of %s: off by less than %s; see "
			"'meridian sync'",
			(unsigned)s->n_hosts, reference, bounds);
	mer_str_fini(&text);
}

int cli_session_synchronize(struct cli *cli, struct session *s, bool messages)
{
	int rc = session_synchronize(s, messages, &cli->err);
	if (rc)
		return rc;
	const struct sync_result *r = session_sync_result(s);
	const struct mer_err *why = session_sync_error(s);
	cli->synced = session_synced(s);
	if (r)
		note_clocks(cli, r, &cli->synced->summary);
	for (size_t i = 0; r && i < r->diags.n; i++)
		cli->degraded |= r->diags.rows[i].severity != MER_NOTE;
	if (why) {
		cli_warn(cli, "the clocks could not be aligned and stay as recorded: %s",
			cli_err_text(cli, why));
		cli->degraded = true;
	}
	return session_window(s, &cli->select, &cli->window, &cli->err);
}

int cli_session_open_synced(struct cli *cli, enum cli_sync_when when, struct session **s)
{
	int rc = cli_session_open(cli, s);
	if (rc || when == CLI_SYNC_NEVER || (when == CLI_SYNC_GIVEN && !cli->sync))
		return rc;
	rc = cli_session_synchronize(cli, *s, false);
	if (rc) {
		session_free(*s);
		*s = NULL;
	}
	return rc;
}

static int open_world(struct cli *cli, enum session_usage usage, bool part, bool waits,
	struct session **s, struct session_world *w)
{
	int rc = open_session(cli, true, s);
	if (rc == 0 && part)
		session_expect_part(*s);
	if (rc == 0 && waits)
		session_expect_waits(*s);
	if (rc == 0)
		rc = cli_session_synchronize(cli, *s, !part);
	return rc ? rc : session_world(*s, part ? &cli->window : NULL, usage, w, &cli->err);
}

int cli_session_open_world(
	struct cli *cli, enum session_usage usage, struct session **s, struct session_world *w)
{
	return open_world(cli, usage, false, false, s, w);
}

/* ---- A question ---- */

int cli_ask(struct cli *cli, struct cli_question *q)
{
	struct session *s;
	struct session_answer a = { 0 };
	struct session_request *r = &q->request;
	r->selection = &cli->select;
	int rc = open_session(cli, !q->goes_on, &s);
	if (rc)
		return rc;
	rc = cli_session_synchronize(cli, s, analysis_needs_messages(r->tables, r->n));
	if (rc == 0 && r->periods)
		cli_periods_warn(cli, r->periods, session_experiment(s));
	if (rc == 0)
		rc = session_request(s, r, &a, &cli->err);
	if (rc == 0 && r->periods)
		cli_periods_note(cli, &a.found);
	if (rc == 0)
		rc = q->print(q->ctx, &a);
	if (a.session)
		session_answer_fini(&a);
	cli_session_close(cli, s);
	return rc;
}

static int answer_tasks(
	struct cli *cli, const struct cli_task_question *q, const struct session_world *w)
{
	struct session_tasks tasks;
	size_t chosen;
	int rc = cli_tasks_find(cli, w, &tasks);
	if (rc || q->all)
		return rc ? rc : q->print(q->ctx, w, &tasks);
	if (q->list)
		return cli_tasks_print(cli, w, &tasks, q->limit);
	rc = cli_tasks_choose(cli, w, &tasks, q->nth, &chosen);
	if (rc)
		return rc;
	return q->print(q->ctx, w, &(struct session_tasks){ &tasks.item[chosen], 1 });
}

int cli_ask_tasks(struct cli *cli, const struct cli_task_question *q)
{
	struct session *s;
	struct session_world w;
	bool part = q->part && (cli->select.begin.kind || cli->select.end.kind);
	int rc = open_world(cli, q->usage, part, q->waits, &s, &w);
	if (rc == 0)
		rc = answer_tasks(cli, q, &w);
	cli_session_close(cli, s);
	return rc;
}

/* ---- In JSON ---- */

static void put_bound(struct mer_json *j, const char *key, int64_t ns)
{
	if (ns == INT64_MAX)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, ns);
}

void cli_json_synced(struct mer_json *j, const struct cli *cli)
{
	const struct session_synced *s = cli->synced;
	if (!s) {
		mer_json_kv_null(j, "sync");
		return;
	}
	mer_json_kv_object(j, "sync");
	mer_json_kv_text(j, "method", sync_method_name(s->method));
	mer_json_kv_text(j, "reference", s->reference);
	mer_json_kv_uint(j, "hosts", s->summary.n_hosts);
	mer_json_kv_uint(j, "hosts_unsynchronized", s->summary.n_unsynchronized);
	put_bound(j, "median_bound_ns", s->summary.median_ns);
	put_bound(j, "max_bound_ns", s->summary.max_ns);
	mer_json_kv_text(j, "file", s->file);
	mer_json_end_object(j);
}

void cli_json_time(struct mer_json *j, const char *key, int64_t t)
{
	if (t == MER_NO_TIME)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, t);
}

void cli_json_known(struct mer_json *j, const char *key, const char *text)
{
	mer_json_kv_text(j, key, text && text[0] ? text : NULL);
}

void cli_json_diagnostics(struct mer_json *j, const struct mer_experiment *e)
{
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(e, &n);
	mer_json_kv_array(j, "diagnostics");
	for (size_t i = 0; i < n; i++)
		mer_diag_json(&rows[i], j);
	mer_json_end_array(j);
}
