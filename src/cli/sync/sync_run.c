#include "cli/sync/sync_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "sync/auto.h"
#include "sync/user_pairs.h"

int cli_sync_find_host(
	const struct cli_sync *s, const char *what, const char *name, size_t len, uint32_t *host)
{
	for (uint32_t h = 0; h < s->e->n_hosts; h++)
		if (strlen(s->e->hosts[h].name) == len &&
			memcmp(s->e->hosts[h].name, name, len) == 0) {
			*host = h;
			return 0;
		}
	struct mer_str names = { 0 };
	for (uint32_t h = 0; h < s->e->n_hosts && names.len < 300; h++)
		mer_str_printf(&names, "%s%.64s", h ? ", " : "", s->e->hosts[h].name);
	int rc = mer_fail(&s->cli->err, MER_ERR_USAGE,
		"%s: the traces have no host '%.*s'; they have: %s", what,
		(int)(len < 100 ? len : 100), name, names.data ? names.data : "none");
	mer_str_fini(&names);
	return rc;
}

/* ---- What the options say ---- */

static const char method_names[] = "auto|hull|offset|realtime|none"; /* as enum sync_method */

/* METHOD or HOST=METHOD */
static int choose_method(struct cli_sync *s, const char *text)
{
	const char *equals = strrchr(text, '='), *word = equals ? equals + 1 : text;
	int method = cli_choice_index(method_names, word, strlen(word));
	uint32_t host;
	if (method < 0)
		return mer_fail(&s->cli->err, MER_ERR_USAGE, "--method: '%.100s' is not one of %s",
			word, method_names);
	if (!equals) {
		s->options.method = (enum sync_method)method;
		return 0;
	}
	int rc = cli_sync_find_host(s, "--method", text, (size_t)(equals - text), &host);
	if (rc)
		return rc;
	s->choices[host].has_method = true;
	s->choices[host].method = (enum sync_method)method;
	return 0;
}

/* HOST=-5us */
static int choose_offset(struct cli_sync *s, const char *text)
{
	const char *equals = strrchr(text, '=');
	struct session_moment m;
	uint32_t host;
	char after[64];
	if (!equals)
		return mer_fail(&s->cli->err, MER_ERR_USAGE,
			"--offset: expected HOST=TIME, as in node1=-5us, found '%.100s'", text);
	int rc = cli_sync_find_host(s, "--offset", text, (size_t)(equals - text), &host);
	if (rc)
		return rc;
	bool negative = equals[1] == '-';
	snprintf(after, sizeof(after), "+%s", equals + 1 + (negative || equals[1] == '+'));
	size_t len = strlen(after);
	/* Without a unit it would be seconds: nobody means these. */
	if ((after[len - 1] >= '0' && after[len - 1] <= '9') ||
		session_moment_parse(&m, after, NULL))
		return mer_fail(&s->cli->err, MER_ERR_USAGE,
			"--offset: '%.60s' is not a time with a unit, as -5us or 1.5ms",
			equals + 1);
	s->choices[host].has_offset = true;
	s->choices[host].offset_ns = negative ? -m.ns : m.ns;
	return 0;
}

static int choose_drift(struct cli_sync *s, const char *text)
{
	char *end;
	errno = 0;
	double ppm = strtod(text, &end);
	if (end == text || *end || errno || !(ppm > 0 && ppm < 1e6))
		return mer_fail(&s->cli->err, MER_ERR_USAGE,
			"--max-drift: '%.60s' is not a number of ppm above 0 and below 1000000",
			text);
	s->options.max_drift = ppm * 1e-6;
	return 0;
}

static int read_choices(struct cli_sync *s, const struct cli_sync_values *v)
{
	uint32_t host;
	int rc = 0;
	s->choices = mer_arena_zalloc(
		&s->cli->arena, s->e->n_hosts ? s->e->n_hosts : 1, sizeof(*s->choices));
	if (!s->choices)
		return mer_fail_nomem(&s->cli->err);
	s->options.choices = s->choices;
	for (size_t i = 0; !rc && i < v->methods.n; i++)
		rc = choose_method(s, v->methods.item[i]);
	for (size_t i = 0; !rc && i < v->offsets.n; i++)
		rc = choose_offset(s, v->offsets.item[i]);
	if (!rc && v->max_drift_ppm)
		rc = choose_drift(s, v->max_drift_ppm);
	if (!rc && v->reference) {
		rc = cli_sync_find_host(s, "--ref", v->reference, strlen(v->reference), &host);
		s->options.reference_plus_1 = (int32_t)host + 1;
	}
	return rc;
}

/* ---- Traces and messages ---- */

/* Of which host's clock it is must be known. */
static int check_moment(struct cli *cli, const struct session_moment *m, enum mer_remedy remedy,
	const struct mer_experiment *e)
{
	struct session_moment time;
	uint32_t host;
	int rc = m->kind == SESSION_MOMENT_ON_HOST
			 ? session_moment_host(m, e, &host, &time, &cli->err)
			 : 0;
	if (rc)
		cli->err.remedy = remedy;
	return rc;
}

static int open_traces(struct cli *cli, struct cli_sync *s)
{
	*s = (struct cli_sync){ .cli = cli };
	int rc = cli_session_open(cli, &s->session);
	if (rc)
		return rc;
	s->e = session_experiment(s->session);
	rc = check_moment(cli, &cli->select.begin, MER_REMEDY_BEGIN, s->e);
	if (rc == 0)
		rc = check_moment(cli, &cli->select.end, MER_REMEDY_END, s->e);
	if (rc)
		return rc;
	s->hosts = sync_host_infos(s->e, &cli->arena);
	return s->hosts ? 0 : mer_fail_nomem(&cli->err);
}

/* A moment on a host's own clock; fallback also when it is one of another host's. */
static int64_t on_own_clock(
	const struct cli_sync *s, const struct session_moment *m, uint32_t host, int64_t fallback)
{
	const struct sync_range *r = &s->hosts[host].span;
	struct session_moment time = *m;
	if (m->kind == SESSION_MOMENT_ON_HOST &&
		!session_moment_on_host(m, s->e->hosts[host].name, &time))
		return fallback;
	return session_moment_resolve(&time, r->begin, r->end, fallback);
}

/* What --begin and --end mean on a host's own clock. */
static struct sync_range wanted_range(const struct cli_sync *s, uint32_t host)
{
	return (struct sync_range){ on_own_clock(s, &s->cli->select.begin, host, INT64_MIN),
		on_own_clock(s, &s->cli->select.end, host, INT64_MAX) };
}

/* Is there time between --begin and --end on one of the clocks that both are of? */
static int check_order(struct cli_sync *s)
{
	bool any = false;
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		struct sync_range r = wanted_range(s, h);
		if (r.begin == INT64_MIN || r.end == INT64_MAX)
			continue;
		if (r.begin < r.end)
			return 0;
		any = true;
	}
	return !any ? 0 : mer_fail(&s->cli->err, MER_ERR_USAGE, "--begin is not before --end");
}

static void keep_wanted(struct cli_sync *s)
{
	if (s->cli->select.begin.kind == SESSION_MOMENT_NONE &&
		s->cli->select.end.kind == SESSION_MOMENT_NONE)
		return;
	for (size_t i = 0; i < s->messages.n_links; i++) {
		struct sync_link *l = &s->messages.links[i];
		struct sync_range from = wanted_range(s, l->from), to = wanted_range(s, l->to);
		size_t kept = 0;
		for (size_t k = 0; k < l->n; k++) {
			struct sync_message m = l->messages[k];
			if (m.sent < from.begin || m.sent >= from.end || m.received < to.begin ||
				m.received >= to.end)
				continue;
			if (l->kinds)
				l->kinds[kept] = l->kinds[k];
			if (l->streams)
				l->streams[kept] = l->streams[k];
			l->messages[kept++] = m;
		}
		l->n = kept;
	}
}

static int gather(struct cli_sync *s, const struct cli_sync_values *v)
{
	struct cli_progress progress;
	struct sync_user_pairs *user = NULL;
	int rc = v->pairs ? sync_user_pairs_load(v->pairs, &user, &s->cli->err) : 0;
	if (rc)
		return rc;
	struct sync_gather_options o = { .user = user,
		.cancel = session_cancel_of(s->session),
		.done_bytes = &progress.done_bytes,
		.n_threads = cli_jobs(s->cli) };
	cli_progress_begin(&progress, s->cli, "matching", s->e->bytes);
	rc = sync_gather(s->e, &o, &s->messages, &s->cli->err);
	cli_progress_end(&progress);
	sync_user_pairs_free(user);
	if (!rc)
		keep_wanted(s);
	return rc;
}

int cli_sync_open(struct cli *cli, const struct cli_sync_values *v, struct cli_sync *s)
{
	int rc = open_traces(cli, s);
	if (!rc)
		rc = check_order(s);
	if (!rc)
		rc = read_choices(s, v);
	if (!rc)
		rc = gather(s, v);
	if (rc)
		return rc;
	if (cli->sync && strcmp(cli->sync, "auto") != 0 && strcmp(cli->sync, "none") != 0)
		return sync_load(s->e, cli->sync, &s->result, &cli->err);
	if (cli->sync && strcmp(cli->sync, "none") == 0)
		s->options.method = SYNC_NONE;
	s->options.n_threads = cli_jobs(cli);
	return sync_solve(
		&s->messages, s->hosts, s->e->n_hosts, &s->options, &s->result, &cli->err);
}

void cli_sync_close(struct cli_sync *s)
{
	sync_messages_free(&s->messages);
	if (s->result && !s->told) {
		fflush(s->cli->out);
		cli_report(s->cli, s->result->diags.rows, s->result->diags.n);
	} else if (s->result && s->result->diags.n_warnings) {
		s->cli->degraded = true;
	}
	sync_result_free(s->result);
	cli_session_close(s->cli, s->session);
}
