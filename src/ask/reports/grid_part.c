#include "ask/reports/grid_part.h"

#include "ask/library/api.h"
#include "ask/parts.h"
#include "ask/print/text.h"
#include "ask/program.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "session/choice.h"
#include "sync/auto.h"
#include "sync/result.h"

/* When the events of all hosts begin and end that the file of clocks has. */
static int find_events(struct ask_grid *g)
{
	struct ask *ask = g->ask;
	struct api_partials *p = g->partials;
	int64_t begin = MER_NO_TIME, end = MER_NO_TIME;
	if (!ask_clocks_file(ask))
		return 0;
	int rc = sync_load(NULL, ask_clocks_file(ask), &g->clocks, &ask->err);
	if (rc)
		return rc;
	const struct sync_result *r = g->clocks;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *x = &r->hosts[h];
		if (x->span.begin != MER_NO_TIME)
			trace_widen(&begin, &end, trace_map_time(&x->map, x->span.begin),
				trace_map_time(&x->map, x->span.end));
	}
	p->knows_events = begin != MER_NO_TIME;
	p->first_event = begin;
	p->last_event = end;
	return 0;
}

static int resolve(struct ask *ask, const struct api_partials *p, struct session_moment *m)
{
	if (m->kind == SESSION_MOMENT_NONE || m->kind == SESSION_MOMENT_ABSOLUTE)
		return 0;
	if (m->kind == SESSION_MOMENT_ON_HOST || !p->knows_events)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--part: '%.100s' is another time on each host: it needs a date, or --sync with the file of all hosts' clocks",
			m->text);
	m->ns = session_moment_resolve(m, p->first_event, p->last_event, 0);
	m->kind = SESSION_MOMENT_ABSOLUTE;
	return 0;
}

static bool has_bins(const struct ask_grid *g)
{
	size_t i = 0;
	while (i < g->n &&
		!session_is_table_of(&g->analysis->outputs[g->requests[i].output], "bins"))
		i++;
	return i < g->n;
}

void ask_part_end(struct ask_grid *g)
{
	sync_result_free(g->clocks);
	g->clocks = NULL;
}

int ask_part_begin(struct ask_grid *g)
{
	struct ask *ask = g->ask;
	struct mer_err *err = &ask->err;
	struct session_selection *s = &ask->select;
	if (ask->taken || ask->shared)
		return mer_fail(err, MER_ERR_USAGE,
			"--part writes a file, which only the program does: 'meridian %s'",
			ask->verb->name);
	if (ask->folder)
		return mer_fail(err, MER_ERR_USAGE,
			"--part: -o must be a file; the tables of all hosts go to a folder when they are merged");
	if (ask->marks)
		return mer_fail(err, MER_ERR_USAGE, "--part and --marks exclude each other");
	if (ask->out_is_terminal)
		return mer_fail(err, MER_ERR_USAGE,
			"--part writes bytes for 'meridian merge', which are nothing for a terminal: -o FILE");
	int rc = find_events(g);
	if (rc == 0)
		rc = resolve(ask, g->partials, &s->begin);
	return rc ? rc : resolve(ask, g->partials, &s->end);
}

int ask_grid_begin_part(struct ask_grid *g)
{
	struct ask *ask = g->ask;
	const struct ask_grid_values *v = g->values;
	const struct session_selection *s = &ask->select;
	const char *why = analysis_cannot_merge(g->requests, g->n);
	if (why)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--part does not apply to '%s': it %s",
			g->analysis->id, why);
	if (v->plot || v->period.expression)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--part and --%s exclude each other",
			v->plot ? "plot" : "period");
	int rc = ask_part_begin(g);
	if (rc == 0 && has_bins(g) && !g->partials->knows_events &&
		(!s->begin.kind || !s->end.kind))
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"--part: bins of all hosts need --begin and --end, or --sync with the file of all hosts' clocks");
	return rc;
}

/* ---- Writing ---- */

/* Of all hosts whose clocks were aligned together, not only of these: how exact that is, and their
 * names. */
static int add_clocks(struct ask *ask, const struct sync_result *r, struct answer_part *p)
{
	struct session_synced *all = mer_arena_zalloc(&p->arena, 1, sizeof(*all));
	int rc = all ? answer_part_clocks(ask->synced->file, &p->clocks, &ask->err)
		     : mer_fail_nomem(&ask->err);
	if (rc)
		return rc;
	const char **names = mer_arena_zalloc(&p->arena, r->n_hosts + 1u, sizeof(*names));
	struct mer_str text = { 0 };
	*all = (struct session_synced){
		.summary = sync_summary_of(r), .method = r->method, .file = ask->synced->file
	};
	if (r->n_hosts)
		all->reference = mer_arena_strdup(&p->arena, r->hosts[all->summary.reference].name);
	if (sync_one_sided(r, &text) && text.data)
		all->one_sided = mer_arena_strdup(&p->arena, text.data);
	mer_str_clear(&text);
	if (sync_contradictory(r, &text) && text.data)
		all->contradictory = mer_arena_strdup(&p->arena, text.data);
	mer_str_fini(&text);
	for (uint32_t h = 0; names && h < r->n_hosts; h++)
		names[h] = mer_arena_strdup(&p->arena, r->hosts[h].name);
	p->aligned = (struct session_texts){ names, names ? r->n_hosts : 0 };
	p->about.synced = all;
	return names && !p->arena.failed ? 0 : mer_fail_nomem(&ask->err);
}

static int add_host(struct ask_grid *g, uint32_t host, const struct session_answer *a,
	const struct analysis_partials *taken, struct answer_part *p)
{
	const struct mer_experiment *e = g->e;
	struct answer_part_host *h = &p->hosts[p->n_hosts++];
	*h = (struct answer_part_host){ .name = e->hosts[host].name,
		.id = e->hosts[host].id,
		.begin = MER_NO_TIME,
		.end = MER_NO_TIME };
	int64_t begin, end;
	if (a->run.world && analysis_range(&a->run, host, &begin, &end))
		trace_widen(&h->begin, &h->end, begin, end);
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (e->traces[t].host == host) {
			const char *identity = trace_identity(&e->traces[t]);
			if (!h->streams_by || strcmp(identity, h->streams_by) < 0)
				h->streams_by = identity;
			h->lost_events += e->traces[t].lost_events;
			h->lost_packets += e->traces[t].lost_packets;
			h->first_stream =
				h->n_streams ? h->first_stream : e->traces[t].first_stream;
			h->n_streams += e->traces[t].n_streams;
		}
	h->of = mer_arena_zalloc(&p->arena, p->n_tables + 1, sizeof(*h->of));
	if (!h->of)
		return mer_fail_nomem(&g->ask->err);
	for (size_t i = 0; i < p->n_tables; i++) {
		const struct mer_str *s = &taken->of[host * taken->n + i];
		h->of[i] = (struct analysis_partial_bytes){ s->data, s->len };
	}
	return 0;
}

int ask_grid_put_part(struct ask_grid *g, const struct session_answer *a, struct mer_table *own)
{
	struct ask *ask = g->ask;
	const struct analysis_partials *taken = g->partials->taken;
	const struct mer_experiment *e = g->e;
	struct answer_part p;
	size_t n_found;
	answer_part_init(&p);
	p.verb = g->verb;
	p.analysis = g->analysis ? g->analysis->id : "";
	p.options = ask->asked;
	p.begin = ask->select.begin.kind ? ask->select.begin.ns : INT64_MIN;
	p.end = ask->select.end.kind ? ask->select.end.ns : INT64_MAX;
	p.knows_events = g->partials->knows_events;
	p.first_event = g->partials->first_event;
	p.last_event = g->partials->last_event;
	p.n_tables = taken ? taken->n : 0;
	p.hosts = mer_arena_zalloc(&p.arena, e->n_hosts + 1u, sizeof(*p.hosts));
	struct mer_str lacking = { 0 };
	int rc = p.hosts ? 0 : mer_fail_nomem(&ask->err);
	if (rc == 0 && g->analysis)
		rc = ask_grid_lacking(ask, e, g->analysis->id, &lacking);
	if (own)
		answer_add_made(&p.about, own);
	p.lacking = lacking.len ? lacking.data : NULL;
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++)
		if (session_selects_host(&ask->select, e->hosts[h].name))
			rc = add_host(g, h, a, taken, &p);
	if (rc == 0 && g->clocks && ask->synced)
		rc = add_clocks(ask, g->clocks, &p);
	else if (rc == 0 && ask->synced) {
		/* Aligned among themselves: no other part has these clocks. */
		p.about.synced = ask->synced;
		for (uint32_t h = 0; h < e->n_hosts; h++)
			p.clocks = p.clocks * 31 + mer_hash(e->hosts[h].id, strlen(e->hosts[h].id));
		p.clocks |= 1;
	}
	const struct mer_diag *found = trace_findings(e, &n_found);
	memcpy(p.n_opening, e->n_opening, sizeof(p.n_opening));
	for (size_t i = 0; i < n_found; i++)
		mer_diag_add(&p.about.taken, &found[i], "%s", found[i].message);
	if (rc == 0)
		rc = answer_part_write(&p, ask->out, &ask->err);
	answer_part_fini(&p);
	mer_str_fini(&lacking);
	return rc;
}

/* ---- Merging ---- */

static void note_clocks(struct ask *ask, const struct session_synced *s)
{
	struct mer_str text = { 0 };
	int64_t ns =
		s->summary.likely_ns != INT64_MAX ? s->summary.likely_ns : s->summary.median_ns;
	if (s->contradictory || s->one_sided || ns == INT64_MAX) {
		ask_warn(ask,
			"times of some of these hosts cannot be compared with those of others (see 'meridian sync --sync %s')",
			s->file ? s->file : "FILE");
		return;
	}
	ask_text_duration(&text, ns);
	ask_note(ask, "clocks of %u hosts aligned to that of %s: accurate to %s",
		(unsigned)s->summary.n_hosts, s->reference ? s->reference : "?",
		text.data ? text.data : "?");
	mer_str_fini(&text);
}

void ask_parts_begin(struct ask *ask)
{
	const struct answer_part *first = &ask->parts->of[0];
	struct session_selection *s = &ask->select;
	s->begin.ns = first->begin;
	s->begin.kind = first->begin != INT64_MIN ? SESSION_MOMENT_ABSOLUTE : SESSION_MOMENT_NONE;
	s->end.ns = first->end;
	s->end.kind = first->end != INT64_MAX ? SESSION_MOMENT_ABSOLUTE : SESSION_MOMENT_NONE;
	ask->window = (struct session_window){ first->begin, first->end };
	ask->synced = first->about.synced;
	if (ask->synced)
		note_clocks(ask, ask->synced);
}

void ask_parts_end(struct ask *ask)
{
	size_t n;
	const struct mer_diag *found = trace_findings(ask->parts->e, &n);
	fflush(ask->out);
	ask_report(ask, found, n);
	ask->synced = NULL;
}

int ask_grid_merge(struct ask_grid *g, const char *const *ids, const struct mer_table_options *o)
{
	struct ask *ask = g->ask;
	struct ask_parts *p = ask->parts;
	struct mer_result *results[ASK_GRID_TABLES] = { 0 };
	const struct answer_part *first = &p->of[0];
	struct api_partials partials = { .hosts = p->hosts,
		.n_hosts = p->n_hosts,
		.knows_events = first->knows_events,
		.first_event = first->first_event,
		.last_event = first->last_event };
	if (first->n_tables != g->n)
		return mer_fail(&ask->err, MER_ERR_INPUT,
			"%.500s: this part of an answer is damaged", first->path);
	ask_parts_begin(ask);
	g->e = p->e;
	g->begin = p->begin;
	g->end = p->end;
	int rc = api_tables(
		NULL, g->analysis->id, ids, g->n, o, &ask->select, &partials, results, &ask->err);
	if (rc == 0)
		rc = ask_grid_take(g, results);
	if (rc == 0)
		rc = ask_grid_print(g);
	for (size_t i = 0; i < g->n; i++)
		mer_result_free(results[i]);
	ask_parts_end(ask);
	return rc;
}
