#include "cli/sync_traces.h"

#include <string.h>

#include "base/plural.h"
#include "cli/progress.h"
#include "cli/sync_cache.h"
#include "cli/text.h"
#include "cli/traces.h"

/* A bound that is wider is worth a warning: most requests between machines are shorter. */
#define WIDE_NS 10000000

static bool is_word(const struct cli *cli, const char *word)
{
	return cli->sync && strcmp(cli->sync, word) == 0;
}

/* Finds the messages, which have to be found before clocks are changed, and with r also the result.
 * keep NULL: the messages are wanted for the result only. */
static int compute(struct cli *cli, struct mer_experiment *e, struct sync_messages *keep,
	struct sync_result **r)
{
	struct cli_progress progress;
	struct sync_messages own = { 0 }, *m = keep ? keep : &own;
	struct mer_diags found;
	cli_progress_begin(&progress, cli, r ? "synchronizing" : "matching", e->bytes);
	struct sync_gather_options o = { .cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes,
		.n_threads = cli_jobs(cli),
		.keep_streams = keep != NULL };
	struct sync_options solve = { .n_threads = cli_jobs(cli), .no_lines = true };
	int rc = sync_auto_gather(e, &o, m, &found, &cli->err);
	if (rc == 0 && r)
		rc = sync_auto_solve(e, m, &found, &solve, r, &cli->err);
	mer_diags_fini(&found);
	sync_messages_free(&own);
	cli_progress_end(&progress);
	return rc;
}

/* The result from the cache, else computed; with keep the messages in any case. */
static int find(struct cli *cli, struct mer_experiment *e, struct sync_messages *keep,
	struct sync_result **r)
{
	struct sync_cache cache;
	sync_cache_find(&cache, e);
	*r = sync_cache_load(&cache, e);
	if (*r)
		return keep ? compute(cli, e, keep, NULL) : 0;
	int rc = compute(cli, e, keep, r);
	if (rc == 0)
		sync_cache_save(&cache, *r);
	return rc;
}

/* Names of hosts apart from the largest group, as many as fit a line. */
static void add_apart(struct mer_str *out, const struct sync_result *r, uint32_t n)
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
	if (s->n_hosts < 2 && s->n_apart) {
		cli_warn(cli,
			"no messages between the %u hosts were found: their clocks stay as "
			"recorded "
			"and times of different hosts cannot be compared ('meridian check' lists "
			"what to record)",
			(unsigned)(s->n_hosts + s->n_apart));
		return;
	}
	if (s->n_apart) {
		add_apart(&text, r, s->n_apart);
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
	cli_text_duration(&text, s->usual_ns);
	mer_str_puts(&text, " (median)");
	if (s->worst_ns != INT64_MAX) {
		mer_str_puts(&text, ", ");
		cli_text_duration(&text, s->worst_ns);
		mer_str_puts(&text, " (worst)");
	}
	if (text.failed)
		mer_str_clear(&text);
	const char *bounds = text.data ? text.data : "?";
	if (s->usual_ns == INT64_MAX)
		cli_warn(cli,
			"clocks of %u hosts aligned to that of %s; the error of %s's clock is "
			"unknown (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->usual].name);
	else if (s->usual_ns > WIDE_NS)
		cli_warn(cli,
			"clocks of %u hosts aligned to that of %s; the clock of %s may be off by "
			"%s (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->usual].name, bounds);
	else
		cli_note(cli,
			"clocks of %u hosts aligned to that of %s: off by less than %s; see "
			"'meridian sync'",
			(unsigned)s->n_hosts, reference, bounds);
	mer_str_fini(&text);
}

static int use(struct cli *cli, struct mer_experiment *e, const struct sync_result *r)
{
	struct cli_synced *synced = mer_arena_zalloc(&cli->arena, 1, sizeof(*synced));
	if (!synced)
		return mer_fail_nomem(&cli->err);
	int rc = sync_apply(e, r, &cli->err);
	if (rc)
		return rc;
	*synced = (struct cli_synced){ .summary = sync_summary_of(r), .method = r->method };
	synced->reference = e->hosts[synced->summary.reference].name;
	synced->file = is_word(cli, "auto") ? NULL : cli->sync;
	struct mer_str names = { 0 };
	if (sync_one_sided(r, &names) && names.data)
		synced->one_sided = mer_arena_strdup(&cli->arena, names.data);
	mer_str_fini(&names);
	cli->synced = synced;
	note_clocks(cli, r, &synced->summary);
	if (cli->verbose)
		mer_diags_merge(&e->diags, &r->diags);
	for (size_t i = 0; i < r->diags.n; i++)
		cli->degraded |= r->diags.rows[i].severity != MER_NOTE;
	return 0;
}

/* When the host was traced, by its own clock. */
static struct sync_range own_span(
	const struct mer_experiment *e, const struct sync_result *r, uint32_t host)
{
	struct sync_range span = { MER_NO_TIME, MER_NO_TIME };
	if (r)
		return r->hosts[host].span;
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *trace = &e->traces[t];
		if (trace->host != host || trace->begin == MER_NO_TIME)
			continue;
		if (span.begin == MER_NO_TIME || trace->begin < span.begin)
			span.begin = trace->begin;
		if (span.end == MER_NO_TIME || trace->end > span.end)
			span.end = trace->end;
	}
	return span;
}

int cli_moment_find_host(struct cli *cli, const char *option, const struct cli_moment *m,
	const struct mer_experiment *e, uint32_t *host, struct cli_moment *time)
{
	struct mer_str names = { 0 };
	for (*host = 0; *host < e->n_hosts; ++*host) {
		const char *name = e->hosts[*host].name;
		if (cli_moment_on_host(m, name, time))
			break;
		mer_str_printf(&names, "%s%.64s", *host ? ", " : "", name);
	}
	int rc = 0;
	if (*host == e->n_hosts)
		rc = mer_fail(&cli->err, MER_ERR_USAGE,
			"--%s: '%.100s' names no host of the traces; they have: %.400s", option,
			m->text, names.data ? names.data : "none");
	mer_str_fini(&names);
	return rc;
}

static int place_moment(struct cli *cli, const char *option, struct cli_moment *m,
	const struct mer_experiment *e, const struct sync_result *r)
{
	struct cli_moment time;
	uint32_t host;
	if (m->kind != CLI_MOMENT_ON_HOST)
		return 0;
	int rc = cli_moment_find_host(cli, option, m, e, &host, &time);
	if (rc)
		return rc;
	struct sync_range span = own_span(e, r, host);
	bool empty = span.begin == MER_NO_TIME;
	int64_t t = cli_moment_resolve(&time, empty ? 0 : span.begin, empty ? 0 : span.end, 0);
	*m = (struct cli_moment){ .kind = CLI_MOMENT_ABSOLUTE,
		.ns = r ? trace_map_time(&r->hosts[host].map, t) : t };
	return 0;
}

int cli_moments_check(struct cli *cli, int64_t begin, int64_t end)
{
	if (begin < end)
		return 0;
	return mer_fail(&cli->err, MER_ERR_USAGE, "--begin is not before --end");
}

int cli_moments_place(struct cli *cli, const struct mer_experiment *e, const struct sync_result *r)
{
	int rc = place_moment(cli, "begin", &cli->begin, e, r);
	if (rc == 0)
		rc = place_moment(cli, "end", &cli->end, e, r);
	if (rc)
		return rc;
	return cli_moments_check(cli, cli_moment_resolve(&cli->begin, e->begin, e->end, INT64_MIN),
		cli_moment_resolve(&cli->end, e->begin, e->end, INT64_MAX));
}

/* m NULL: the messages are not wanted. */
static int sync_as_told(
	struct cli *cli, struct mer_experiment *e, struct sync_messages *m, struct sync_result **r)
{
	bool file = cli->sync && !is_word(cli, "auto"), as_recorded = is_word(cli, "none");
	int rc = 0;
	if (as_recorded || (!file && e->n_hosts < 2))
		return m ? compute(cli, e, m, NULL) : 0;
	if (file && m)
		rc = compute(cli, e, m, NULL);
	if (rc == 0)
		rc = file ? sync_load(e, cli->sync, r, &cli->err) : find(cli, e, m, r);
	if (rc == 0)
		rc = use(cli, e, *r);
	if (rc == 0)
		return 0;
	sync_result_free(*r);
	*r = NULL;
	if (file || rc == MER_ERR_CANCELLED || rc == MER_ERR_NOMEM)
		return rc;
	cli_warn(cli, "the clocks could not be aligned and stay as recorded: %s", cli->err.text);
	cli->degraded = true;
	return 0;
}

static int sync_traces(
	struct cli *cli, struct mer_experiment *e, struct sync_messages *m, struct sync_result **r)
{
	int rc = sync_as_told(cli, e, m, r);
	return rc ? rc : cli_moments_place(cli, e, *r);
}

int cli_traces_sync(struct cli *cli, struct mer_experiment *e, enum cli_sync_when when)
{
	struct sync_result *r = NULL;
	if (when == CLI_SYNC_ASKED && !cli->sync)
		return 0;
	int rc = sync_traces(cli, e, NULL, &r);
	sync_result_free(r);
	return rc;
}

int cli_traces_sync_keep(
	struct cli *cli, struct mer_experiment *e, struct sync_messages *m, struct sync_result **r)
{
	*m = (struct sync_messages){ 0 };
	*r = NULL;
	return sync_traces(cli, e, m, r);
}

bool cli_traces_sync_known(struct cli *cli, const struct mer_experiment *e, struct sync_result **r)
{
	bool file = cli->sync && !is_word(cli, "auto"), as_recorded = is_word(cli, "none");
	struct mer_err err;
	struct sync_cache cache;
	*r = NULL;
	if (as_recorded || (!file && e->n_hosts < 2))
		return true;
	if (file)
		return sync_load(e, cli->sync, r, &err) == 0;
	sync_cache_find(&cache, e);
	*r = sync_cache_load(&cache, e);
	return *r != NULL;
}

int cli_traces_sync_result(struct cli *cli, struct mer_experiment *e, struct sync_result **r)
{
	*r = NULL;
	return sync_traces(cli, e, NULL, r);
}

int cli_traces_sync_for(struct cli *cli, struct mer_experiment *e,
	const struct analysis_request *requests, size_t n, struct sync_messages *m,
	struct sync_result **r)
{
	if (analysis_needs_messages(requests, n))
		return cli_traces_sync_keep(cli, e, m, r);
	*m = (struct sync_messages){ 0 };
	return cli_traces_sync_result(cli, e, r);
}

int cli_traces_open_synced(struct cli *cli, enum cli_sync_when when, struct mer_experiment **e)
{
	int rc = cli_traces_open(cli, e);
	if (rc)
		return rc;
	rc = cli_traces_sync(cli, *e, when);
	if (rc) {
		mer_experiment_free(*e);
		*e = NULL;
	}
	return rc;
}

static void put_bound(struct mer_json *j, const char *key, int64_t ns)
{
	if (ns == INT64_MAX)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, ns);
}

void cli_json_synced(struct mer_json *j, const struct cli *cli)
{
	const struct cli_synced *s = cli->synced;
	if (!s) {
		mer_json_kv_null(j, "sync");
		return;
	}
	mer_json_kv_object(j, "sync");
	mer_json_kv_text(j, "method", sync_method_name(s->method));
	mer_json_kv_text(j, "reference", s->reference);
	mer_json_kv_uint(j, "hosts", s->summary.n_hosts);
	mer_json_kv_uint(j, "hosts_apart", s->summary.n_apart);
	put_bound(j, "usual_bound_ns", s->summary.usual_ns);
	put_bound(j, "worst_bound_ns", s->summary.worst_ns);
	mer_json_kv_text(j, "file", s->file);
	mer_json_end_object(j);
}
