#include "ask/sync/sync_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/words/hints.h"
#include "ask/words/options.h"
#include "session/given_vms.h"

int ask_sync_find_host(
	const struct ask_sync *s, const char *what, const char *name, size_t len, uint32_t *host)
{
	return session_find_host(s->e, what, name, len, host, &s->ask->err);
}

/* ---- What the options say ---- */

static const char method_names[] = "auto|hull|offset|realtime|none|vcpu"; /* as enum sync_method */

/* METHOD or HOST=METHOD */
static int choose_method(struct ask_sync *s, const char *text)
{
	const char *equals = strrchr(text, '='), *word = equals ? equals + 1 : text;
	int method = ask_choice_index(method_names, word, strlen(word));
	uint32_t host;
	if (method < 0)
		return mer_fail(&s->ask->err, MER_ERR_USAGE, "--method: '%.100s' is not one of %s",
			word, method_names);
	if (!equals) {
		s->options.method = (enum sync_method)method;
		return 0;
	}
	int rc = ask_sync_find_host(s, "--method", text, (size_t)(equals - text), &host);
	if (rc)
		return rc;
	s->choices[host].has_method = true;
	s->choices[host].method = (enum sync_method)method;
	return 0;
}

/* HOST=-5us */
static int choose_offset(struct ask_sync *s, const char *text)
{
	const char *equals = strrchr(text, '=');
	struct session_moment m;
	uint32_t host;
	char after[64];
	if (!equals)
		return mer_fail(&s->ask->err, MER_ERR_USAGE,
			"--offset: expected HOST=TIME, as in node1=-5us, found '%.100s'", text);
	int rc = ask_sync_find_host(s, "--offset", text, (size_t)(equals - text), &host);
	if (rc)
		return rc;
	bool negative = equals[1] == '-';
	snprintf(after, sizeof(after), "+%s", equals + 1 + (negative || equals[1] == '+'));
	size_t len = strlen(after);
	/* Without a unit it would be seconds: nobody means these. */
	if ((after[len - 1] >= '0' && after[len - 1] <= '9') ||
		session_moment_parse(&m, after, NULL))
		return mer_fail(&s->ask->err, MER_ERR_USAGE,
			"--offset: '%.60s' is not a time with a unit, as -5us or 1.5ms",
			equals + 1);
	s->choices[host].has_offset = true;
	s->choices[host].offset_ns = negative ? -m.ns : m.ns;
	return 0;
}

static int choose_drift(struct ask_sync *s, const char *text)
{
	char *end;
	errno = 0;
	if (!strcmp(text, "auto")) {
		s->options.drift_seen = true;
		return 0;
	}
	double ppm = strtod(text, &end);
	if (end == text || *end || errno || !(ppm > 0 && ppm < 1e6))
		return mer_fail(&s->ask->err, MER_ERR_USAGE,
			"--max-drift: '%.60s' is neither auto nor a number of ppm above 0 and below 1000000",
			text);
	s->options.max_drift = ppm / 1e6;
	return 0;
}

static int read_choices(struct ask_sync *s, const struct ask_sync_values *v)
{
	uint32_t host;
	int rc = 0;
	s->choices = mer_arena_zalloc(
		&s->ask->arena, s->e->n_hosts ? s->e->n_hosts : 1, sizeof(*s->choices));
	if (!s->choices)
		return mer_fail_nomem(&s->ask->err);
	s->options.choices = s->choices;
	for (size_t i = 0; !rc && i < v->methods.n; i++)
		rc = choose_method(s, v->methods.item[i]);
	for (size_t i = 0; !rc && i < v->offsets.n; i++)
		rc = choose_offset(s, v->offsets.item[i]);
	if (!rc)
		rc = session_given_vms(
			s->e, &s->ask->vms, &s->ask->arena, &s->options, &s->ask->err);
	if (!rc && v->max_drift_ppm)
		rc = choose_drift(s, v->max_drift_ppm);
	if (!rc && v->reference) {
		rc = ask_sync_find_host(s, "--ref", v->reference, strlen(v->reference), &host);
		s->options.reference_plus_1 = (int32_t)host + 1;
	}
	return rc;
}

/* ---- From traces to a result ---- */

/* No two clocks can be compared because nothing was recorded to compare them by. The warning is a
 * finding of the traces. */
static bool is_unanswered(const struct mer_experiment *e, const struct sync_result *r)
{
	bool any_lacks = false;
	size_t n;
	const struct mer_diag *rows = trace_findings(e, &n);
	for (size_t i = 0; i < n; i++)
		any_lacks |= strcmp(rows[i].code, "sync-no-events") == 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		for (uint32_t k = 0; k < h; k++)
			if (r->hosts[h].group == r->hosts[k].group)
				return false;
	return any_lacks && r->n_hosts > 1 && r->method != SYNC_NONE;
}

int ask_sync_open(struct ask *ask, const struct ask_sync_values *v, struct ask_sync *s)
{
	bool is_none = ask->sync && strcmp(ask->sync, "none") == 0;
	bool is_file = ask->sync && !is_none && strcmp(ask->sync, "auto") != 0;
	*s = (struct ask_sync){ .ask = ask };
	int rc = ask_session_open(ask, &s->session);
	if (rc)
		return rc;
	struct session_window w;
	s->e = session_experiment(s->session);
	rc = session_window_find(&ask->select, s->e, NULL, &w, &ask->err);
	rc = rc ? rc : ask_hint_window(ask, s->e, &w);
	if (rc)
		return rc;
	rc = read_choices(s, v);
	if (rc)
		return rc;
	if (is_none)
		s->options.method = SYNC_NONE;
	struct session_alignment_query q = { .options = s->options,
		.pairs = v->pairs,
		.file = is_file ? ask->sync : NULL,
		.begin = ask->select.begin,
		.end = ask->select.end };
	rc = session_align(s->session, &q, &s->found, &ask->err);
	s->result = s->found.result;
	if (rc == 0)
		ask->unanswered |= is_unanswered(s->e, s->result);
	return rc;
}

void ask_sync_close(struct ask_sync *s)
{
	if (s->result && !s->told) {
		fflush(s->ask->out);
		ask_report(s->ask, s->result->diags.rows, s->result->diags.n);
	} else if (s->result && s->result->diags.n_warnings) {
		s->ask->degraded = true;
	}
	session_alignment_fini(&s->found);
	ask_session_close(s->ask, s->session);
}
