/* Runs analyses over an experiment. Each host has one observer, which passes what the model
 * reports to the analyses and makers of facts that listen; facts are passed on to the folds of
 * tables. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/fold.h"
#include "analysis/partial.h"
#include "analysis/tracer.h"
#include "kernel/listeners.h"
#include "kernel/observer_pair.h"
#include "sync/result.h"

enum { MAX_KINDS = ANALYSIS_MAX_KINDS, MAX_MAKERS = KERNEL_LISTENERS_MOST };

struct taker { /* receives the facts of one kind and host */
	const struct fact_kind *kind;
	struct fold_state **states; /* in arena */
	size_t n_states;
	/* for facts whose tasks are not known to be selected yet; NULL: none */
	struct fold_waiting *waiting;
	bool needs_all_time;   /* one of the folds needs facts of all times */
	bool needs_every_task; /* the same of tasks, also where some are selected */
	int (*keep)(void *keeper, const struct kernel_host *h, const void *facts, size_t n,
		struct mer_err *err);
	void *keeper; /* NULL: facts of this kind are not kept */
};

struct host_run { /* state of one host */
	struct mer_arena arena;
	struct analysis_host *parts; /* in the order of engine.analyses */
	struct fact_host *makers;    /* in the order of engine.makers */
	struct taker *takers;	     /* in the order of engine.kinds */
	struct mer_err err;
	const struct engine *engine;
	struct kernel_listeners listeners;
};

struct engine {
	struct analysis_run *run;
	/* analyses that have outputs without a fold, each once */
	const struct analysis **analyses;
	size_t n;
	struct fold_plan **plans;    /* by request; NULL: it has no fold */
	struct fold_state ***states; /* by request, then host */
	size_t *shared_with;	     /* by request: the first request with the same states */
	size_t n_requests;
	const struct fact_kind *kinds[MAX_KINDS]; /* the kinds in use */
	const struct fact_maker *makers[MAX_MAKERS];
	void **maker_states[MAX_MAKERS]; /* by host, in run->arena */
	size_t n_kinds, n_makers;
	struct host_run *hosts;
	uint32_t n_hosts;
	const struct analysis_source *source; /* NULL: facts are computed */
	const struct analysis_keeper *keeper; /* NULL: no facts are kept */
};

static struct kernel_observer observer_of(const struct engine *g, struct host_run *hr)
{
	struct kernel_observer o = kernel_listeners_observer(&hr->listeners);
	/* a single listener: no dispatch needed */
	if (g->n == 0 && g->n_makers == 1) {
		o = g->makers[0]->on;
		o.ctx = &hr->makers[0];
		o.wants = g->makers[0]->wants;
	}
	return o;
}

static bool wants_host(const struct analysis_run *run, uint32_t host)
{
	return !run->options->wants_host || run->options->wants_host(run->options->ctx, host);
}

static bool looks_at_world(const struct engine *g)
{
	size_t i = 0;
	while (i < g->n && g->analyses[i]->of_periods)
		i++;
	return i < g->n || g->n == 0 || g->n_makers;
}

/* Is any of the facts of the world of all hosts, with its spans? */
static bool needs_spans(const struct engine *g)
{
	size_t i = 0;
	while (i < g->n_makers && !g->makers[i]->of_world)
		i++;
	return i < g->n_makers;
}

static bool has_kind(const struct fact_kind *const *kinds, const struct fact_kind *kind)
{
	while (kinds && *kinds && *kinds != kind)
		kinds++;
	return kinds && *kinds;
}

/* ---- facts ---- */

static int take_facts(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	const struct taker *t = ctx;
	int rc = 0;
	for (size_t i = 0; i < t->n_states && rc == 0; i++)
		rc = fold_add(t->states[i], h, t->kind, facts, n, err);
	if (t->waiting && rc == 0)
		rc = fold_waiting_take(t->waiting, h, facts, n, err);
	return t->keeper && rc == 0 ? t->keep(t->keeper, h, facts, n, err) : rc;
}

static int use_kind(struct engine *g, const struct fact_kind *kind, struct mer_err *err)
{
	size_t k = 0, m = 0;
	while (k < g->n_kinds && g->kinds[k] != kind)
		k++;
	if (k < g->n_kinds)
		return 0;
	while (m < g->n_makers && g->makers[m] != kind->maker)
		m++;
	if (g->n_kinds == MAX_KINDS || m == MAX_MAKERS)
		return mer_fail(err, MER_ERR_BUG, "too many kinds of facts");
	g->kinds[g->n_kinds++] = kind;
	g->makers[m] = kind->maker;
	g->n_makers += m == g->n_makers;
	return 0;
}

/* Finds the kinds of facts that folds and analyses need, and their makers. */
static int use_kinds(struct engine *g, struct mer_err *err)
{
	int rc = 0;
	for (size_t k = 0; k < g->n_requests && rc == 0; k++)
		for (const struct fact_kind *const *kinds =
				g->plans[k] ? fold_plan_kinds(g->plans[k]) : NULL;
			kinds && *kinds && rc == 0; kinds++)
			rc = use_kind(g, *kinds, err);
	/* Facts may also be kept for kinds that no table needs: those that others are derived
	 * from. */
	for (const struct fact_kind *const *kinds = g->keeper ? g->keeper->kinds : NULL;
		kinds && *kinds && rc == 0; kinds++)
		rc = use_kind(g, *kinds, err);
	return rc;
}

static bool add_state(
	struct taker *t, const struct fold_plan *p, struct fold_state *s, uint32_t n_hosts)
{
	t->needs_all_time |= fold_needs_all_time(p);
	t->needs_every_task |= fold_needs_every_task(p);
	if (!fold_waits(p)) {
		t->states[t->n_states++] = s;
		return true;
	}
	if (!t->waiting)
		t->waiting = fold_waiting_new(t->kind, n_hosts);
	return t->waiting && fold_waiting_for(t->waiting, s);
}

static bool begin_taker(struct engine *g, struct host_run *hr, size_t number, uint32_t host)
{
	struct taker *t = &hr->takers[number];
	t->kind = g->kinds[number];
	t->states = mer_arena_zalloc(&hr->arena, g->n_requests + 1, sizeof(struct fold_state *));
	if (!t->states)
		return false;
	for (size_t k = 0; k < g->n_requests; k++)
		if (g->plans[k] && g->shared_with[k] == k &&
			has_kind(fold_plan_kinds(g->plans[k]), t->kind) &&
			!add_state(t, g->plans[k], g->states[k][host], g->n_hosts))
			return false;
	if (g->keeper && has_kind(g->keeper->kinds, t->kind)) {
		t->keep = g->keeper->take;
		t->keeper = g->keeper->taker(g->keeper->ctx, host, t->kind);
	}
	return true;
}

static bool begin_sinks(
	struct engine *g, struct host_run *hr, struct fact_host *f, const struct fact_maker *m)
{
	size_t n = 0;
	while (m->kinds[n])
		n++;
	f->sinks = mer_arena_zalloc(&hr->arena, n + 1, sizeof(*f->sinks));
	for (size_t i = 0; i < n && f->sinks; i++)
		for (size_t k = 0; k < g->n_kinds; k++) {
			if (g->kinds[k] != m->kinds[i])
				continue;
			f->sinks[i] =
				(struct fact_sink){ .batch = mer_arena_alloc(&hr->arena,
							    (size_t)FACT_BATCH * g->kinds[k]->size),
					.size = g->kinds[k]->size,
					.take = take_facts,
					.ctx = &hr->takers[k] };
			if (!f->sinks[i].batch)
				return false;
		}
	return f->sinks != NULL;
}

static int begin_makers(struct engine *g, struct host_run *hr, uint32_t host, struct mer_err *err)
{
	hr->takers = mer_arena_zalloc(&hr->arena, g->n_kinds + 1, sizeof(*hr->takers));
	hr->makers = mer_arena_zalloc(&hr->arena, g->n_makers + 1, sizeof(*hr->makers));
	bool ok = hr->takers && hr->makers;
	for (size_t k = 0; k < g->n_requests && ok; k++)
		if (g->plans[k] && g->shared_with[k] != k) {
			g->states[k][host] = g->states[g->shared_with[k]][host];
		} else if (g->plans[k]) {
			g->states[k][host] = fold_state_new(g->plans[k], host);
			ok = g->states[k][host] != NULL;
		}
	for (size_t k = 0; k < g->n_kinds && ok; k++)
		ok = begin_taker(g, hr, k, host);
	for (size_t i = 0; i < g->n_makers && ok; i++) {
		struct fact_host *f = &hr->makers[i];
		if (g->source && !g->makers[i]->of_world)
			continue;
		*f = (struct fact_host){
			.arena = &hr->arena, .err = &hr->err, .e = g->run->e, .host = host
		};
		f->state = mer_arena_zalloc(&hr->arena, 1, g->makers[i]->state_size + 1);
		if (!g->maker_states[i])
			g->maker_states[i] = mer_arena_zalloc(
				&g->run->arena, g->n_hosts + 1u, sizeof(*g->maker_states[i]));
		if (!f->state || !g->maker_states[i])
			return mer_fail_nomem(err);
		f->states = g->maker_states[i];
		g->maker_states[i][host] = f->state;
		ok = begin_sinks(g, hr, f, g->makers[i]);
		int rc = ok && g->makers[i]->begin ? g->makers[i]->begin(f) : 0;
		if (rc) {
			*err = hr->err;
			return rc;
		}
		kernel_listeners_add(&hr->listeners, &g->makers[i]->on, g->makers[i]->wants, f);
	}
	return ok ? 0 : mer_fail_nomem(err);
}

/* For hosts that were read. */
static int end_makers(struct engine *g, const struct kernel_world *w, uint32_t host)
{
	struct host_run *hr = &g->hosts[host];
	int rc = 0;
	for (size_t i = 0; i < g->n_makers && rc == 0; i++) {
		const struct fact_maker *m = g->makers[i];
		struct fact_host *f = &hr->makers[i];
		rc = m->end ? m->end(f, w, &w->hosts[host]) : 0;
		for (unsigned k = 0; m->kinds[k] && rc == 0; k++)
			if (fact_is_used(f, k))
				rc = fact_flush(f, &w->hosts[host], k);
	}
	return rc;
}

/* Title with other keys: "Page faults by thread" becomes "Page faults by program". */
static const char *title_of(struct engine *g, const struct analysis_output *o)
{
	const char *keys = g->run->options->group_by, *by = strstr(o->title, " by ");
	if (!keys || !fold_plan_groups_by(o->fold))
		return o->title;
	const char *title = mer_arena_printf(&g->run->arena, "%.*s by %s",
		by ? (int)(by - o->title) : (int)strlen(o->title), o->title, keys);
	return title ? title : o->title;
}

static int plan_fold(struct engine *g, size_t k, const struct analysis_request *request,
	bool other_columns, struct mer_table *table, struct mer_err *err)
{
	const struct analysis *a = request->analysis;
	const struct analysis_output *o = &a->outputs[request->output];
	const struct fold_request r = { .fold = o->fold,
		.columns = o->columns,
		.options = g->run->options,
		.other_columns = other_columns };
	int rc = fold_plan_new(g->run, &r, &g->plans[k], err);
	if (rc == 0) {
		mer_table_init(table, o->id, title_of(g, o), fold_plan_columns(g->plans[k]),
			&g->run->arena);
		table->spill = g->run->e->spill;
	}
	return rc;
}

/* Tables with the same sums share a state, e.g. CPUs and the hosts they belong to. */
static void share_states(struct engine *g)
{
	for (size_t k = 0; k < g->n_requests; k++) {
		g->shared_with[k] = k;
		for (size_t i = 0; i < k && g->plans[k] && g->shared_with[k] == k; i++)
			if (g->plans[i] && g->shared_with[i] == i &&
				fold_plan_adds_same(g->plans[i], g->plans[k]))
				g->shared_with[k] = i;
	}
}

/* A name in a filter need not exist in every table, but in one of them at least. */
static int plan_folds(struct engine *g, const struct analysis_request *requests,
	struct mer_table *tables, struct mer_err *err)
{
	struct mer_err none;
	size_t n = 0;
	int rc = 0;
	for (size_t k = 0; k < g->n_requests && rc == 0; k++) {
		if (!requests[k].analysis->outputs[requests[k].output].fold)
			continue;
		g->states[k] = mer_arena_zalloc(
			&g->run->arena, g->n_hosts + 1u, sizeof(struct fold_state *));
		none = (struct mer_err){ 0 };
		rc = g->states[k] ? plan_fold(g, k, &requests[k], false, &tables[k], &none)
				  : mer_fail_nomem(&none);
		n += rc == 0;
		if (rc)
			*err = none;
		if (rc == MER_ERR_USAGE && g->run->options->filter)
			rc = 0;
	}
	for (size_t k = 0; k < g->n_requests && rc == 0; k++) {
		if (!g->states[k] || g->plans[k])
			continue;
		if (n == 0)
			return MER_ERR_USAGE;
		none = (struct mer_err){ 0 };
		rc = plan_fold(g, k, &requests[k], true, &tables[k], &none);
		*err = none;
	}
	if (rc == 0)
		share_states(g);
	return rc ? rc : use_kinds(g, err);
}

/* ---- hosts ---- */

static int begin_hosts(struct engine *g, struct mer_err *err)
{
	for (uint32_t h = 0; h < g->n_hosts; h++) {
		struct host_run *hr = &g->hosts[h];
		mer_arena_init(&hr->arena);
		hr->engine = g;
		hr->parts = mer_arena_zalloc(&hr->arena, g->n + 1, sizeof(*hr->parts));
		if (!hr->parts)
			return mer_fail_nomem(err);
		for (size_t i = 0; i < g->n; i++) {
			hr->parts[i] = (struct analysis_host){
				.run = g->run, .host = h, .arena = &hr->arena, .err = &hr->err
			};
			hr->parts[i].state =
				mer_arena_zalloc(&hr->arena, 1, g->analyses[i]->state_size + 1);
			if (!hr->parts[i].state)
				return mer_fail_nomem(err);
			kernel_listeners_add(&hr->listeners, &g->analyses[i]->on,
				g->analyses[i]->wants, &hr->parts[i]);
		}
		int rc = begin_makers(g, hr, h, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Copies the error of an analysis, from the first host that failed. */
static void say_why(const struct engine *g, struct mer_err *err)
{
	for (uint32_t h = 0; g->hosts && h < g->n_hosts && !err->text[0]; h++)
		if (g->hosts[h].err.code)
			*err = g->hosts[h].err;
}

/* Usually the facts that overlap the window. */
static struct fact_range range_of(const struct engine *g, const struct taker *t, const bool *tasks)
{
	const struct analysis_options *o = g->run->options;
	/* A store can select by task, but not by threads that kernel events do not know. */
	bool of_task =
		!t->kind->of_cpus && !t->kind->of_host && !t->kind->thread && !t->needs_every_task;
	struct fact_range range = { o->begin, o->end, of_task ? tasks : NULL };
	if (t->needs_all_time || t->kind->of_host) {
		range.begin = INT64_MIN;
		range.end = INT64_MAX;
	}
	return range;
}

/* What all its kinds together need. */
static struct fact_range range_of_maker(
	const struct engine *g, const struct fact_maker *m, uint32_t host)
{
	struct fact_range all = { INT64_MAX, INT64_MIN, NULL };
	for (size_t k = 0; k < g->n_kinds; k++) {
		if (g->kinds[k]->maker != m)
			continue;
		struct fact_range r = range_of(g, &g->hosts[host].takers[k], NULL);
		all.begin = r.begin < all.begin ? r.begin : all.begin;
		all.end = r.end > all.end ? r.end : all.end;
	}
	return all;
}

/* Facts that only the world of all hosts shows. */
static int make_of_world(struct engine *g, struct mer_err *err)
{
	struct fact_host **by_host = calloc((size_t)g->n_hosts + 1, sizeof(*by_host));
	int rc = by_host ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; i < g->n_makers && rc == 0; i++) {
		const struct fact_maker *m = g->makers[i];
		for (uint32_t h = 0; h < g->n_hosts; h++) {
			by_host[h] = wants_host(g->run, h) ? &g->hosts[h].makers[i] : NULL;
			if (by_host[h] && m->of_world)
				by_host[h]->range = range_of_maker(g, m, h);
		}
		rc = m->of_world ? m->of_world(g->run, by_host, err) : 0;
		for (uint32_t h = 0; h < g->n_hosts && m->of_world && rc == 0; h++)
			for (unsigned k = 0; by_host[h] && m->kinds[k] && rc == 0; k++)
				rc = fact_flush(by_host[h], &g->run->world->hosts[h], k);
	}
	free(by_host);
	return rc;
}

static int end_hosts(struct engine *g, const struct kernel_world *w, struct mer_err *err)
{
	int made = make_of_world(g, err);
	if (made) {
		say_why(g, err);
		return made;
	}
	for (uint32_t h = 0; h < g->n_hosts; h++) {
		int rc = wants_host(g->run, h) && !g->source ? end_makers(g, w, h) : 0;
		for (size_t k = 0; k < g->n_kinds && rc == 0; k++) {
			struct fold_waiting *waiting = g->hosts[h].takers[k].waiting;
			rc = waiting ? fold_waiting_end(waiting, g->run, h, &g->hosts[h].err) : 0;
		}
		for (size_t i = 0; i < g->n && rc == 0; i++) {
			const struct analysis *a = g->analyses[i];
			rc = a->end ? a->end(&g->hosts[h].parts[i], &w->hosts[h]) : 0;
		}
		if (rc) {
			*err = g->hosts[h].err;
			return rc;
		}
	}
	return 0;
}

static int write_partials(struct engine *g, size_t k)
{
	struct analysis_partials *to = g->run->options->partials;
	int rc = 0;
	for (uint32_t h = 0; to && h < g->n_hosts && rc == 0; h++)
		if (wants_host(g->run, h))
			rc = fold_partial_write(g->plans[k], g->run, g->states[k], h, to->idle[k],
				&to->of[h * to->n + k]);
	return rc;
}

static int emit_all(struct engine *g, const struct analysis_request *requests, size_t n,
	struct mer_table *tables, struct mer_err *err)
{
	void **states = mer_arena_zalloc(&g->run->arena, g->n_hosts + 1u, sizeof(*states));
	if (!states)
		return mer_fail_nomem(err);
	for (size_t k = 0; k < n; k++) {
		const struct analysis *a = requests[k].analysis;
		const struct analysis_output *o = &a->outputs[requests[k].output];
		size_t i = 0;
		while (i < g->n && g->analyses[i] != a)
			i++;
		for (uint32_t h = 0; h < g->n_hosts; h++)
			states[h] = i < g->n ? g->hosts[h].parts[i].state : NULL;
		g->run->analysis = a;
		g->run->states = states;
		int rc = g->plans[k] ? fold_emit(g->plans[k], g->run, g->states[k], &tables[k])
				     : a->emit(g->run, requests[k].output, &tables[k]);
		if (rc == 0 && g->plans[k])
			rc = write_partials(g, k);
		if (rc)
			return rc;
		if (tables[k].failed || g->run->arena.failed)
			return mer_fail_nomem(err);
		if (o->sort)
			mer_table_sort(&tables[k], o->sort, false);
	}
	return 0;
}

static void free_engine(struct engine *g)
{
	for (uint32_t h = 0; g->hosts && h < g->n_hosts; h++) {
		struct host_run *hr = &g->hosts[h];
		for (size_t k = 0; hr->takers && k < g->n_kinds; k++)
			fold_waiting_free(hr->takers[k].waiting);
		for (size_t i = 0; hr->parts && i < g->n; i++)
			if (hr->parts[i].state && g->analyses[i]->free_state)
				g->analyses[i]->free_state(hr->parts[i].state);
		for (size_t i = 0; hr->makers && i < g->n_makers; i++)
			if (hr->makers[i].state && g->makers[i]->free_state)
				g->makers[i]->free_state(hr->makers[i].state);
		mer_arena_fini(&hr->arena);
	}
	for (size_t k = 0; g->plans && k < g->n_requests; k++) {
		for (uint32_t h = 0; g->states && g->states[k] && h < g->n_hosts; h++)
			if (g->shared_with[k] == k)
				fold_state_free(g->states[k][h]);
	}
	for (size_t k = 0; g->plans && k < g->n_requests; k++)
		fold_plan_free(g->plans[k]);
	free(g->shared_with);
	free(g->plans);
	free(g->states);
	free(g->hosts);
	free(g->analyses);
}

/* Sets up everything that the requests need, before reading. */
static int begin_engine(struct engine *g, struct mer_experiment *e,
	const struct analysis_options *options, const struct analysis_request *requests, size_t n,
	struct mer_table *tables, struct mer_err *err)
{
	struct analysis_run *run = g->run;
	*run = (struct analysis_run){ .e = e, .options = options, .err = err };
	mer_arena_init(&run->arena);
	g->n_hosts = e->n_hosts;
	g->n_requests = n;
	for (size_t k = 0; k < n; k++) {
		mer_table_init(&tables[k], requests[k].analysis->outputs[requests[k].output].id,
			requests[k].analysis->outputs[requests[k].output].title,
			requests[k].analysis->outputs[requests[k].output].columns, &run->arena);
		tables[k].spill = e->spill;
	}
	g->analyses = calloc(n + 1, sizeof(*g->analyses));
	g->plans = calloc(n + 1, sizeof(*g->plans));
	g->states = calloc(n + 1, sizeof(*g->states));
	g->shared_with = calloc(n + 1, sizeof(*g->shared_with));
	g->hosts = calloc((size_t)e->n_hosts + 1, sizeof(*g->hosts));
	if (!g->analyses || !g->hosts || !g->plans || !g->states || !g->shared_with)
		return mer_fail_nomem(err);
	for (size_t k = 0; k < n; k++) {
		size_t i = 0;
		if (requests[k].analysis->outputs[requests[k].output].fold)
			continue;
		while (i < g->n && g->analyses[i] != requests[k].analysis)
			i++;
		if (i == g->n)
			g->analyses[g->n++] = requests[k].analysis;
	}
	int rc = plan_folds(g, requests, tables, err);
	return rc ? rc : begin_hosts(g, err);
}

/* keeper: NULL: no facts are kept. */
static int run_all(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, const struct analysis_keeper *keeper,
	struct mer_table *tables, struct mer_err *err)
{
	struct engine g = { .run = run, .keeper = keeper };
	struct kernel_world_options o =
		world ? *world : (struct kernel_world_options){ .n_threads = 1 };
	const struct kernel_observer *besides = o.observers;
	int rc = begin_engine(&g, e, options, requests, n, tables, err);
	struct kernel_observer *observers = calloc((size_t)e->n_hosts + 1, sizeof(*observers));
	struct kernel_observer_pairs pairs = { 0 };
	bool *unread = calloc((size_t)e->n_hosts + 1, sizeof(*unread));
	bool needs_packets =
		/* of unselected hosts, too, and the tasks at those ends */
		analysis_needs_messages(requests, n);
	if (rc == 0 && (!observers || !unread))
		rc = mer_fail_nomem(err);
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++) {
		observers[h] = observer_of(&g, &g.hosts[h]);
		/* nothing listens on this host, but wants stays the same */
		if (!wants_host(run, h)) {
			observers[h] = (struct kernel_observer){ .wants = observers[h].wants };
			unread[h] = !needs_packets;
		}
	}
	if (rc == 0 && besides &&
		!kernel_observer_pairs_make(&pairs, e->n_hosts, observers, besides))
		rc = mer_fail_nomem(err);
	o.observers = pairs.both ? pairs.both : observers;
	o.unread = unread;
	o.forget = !options->keep_spans && !needs_spans(&g);
	if (rc == 0 && looks_at_world(&g))
		rc = kernel_world_build(e, messages, r, &o, &run->world, err);
	if (rc)
		say_why(&g, err);
	if (rc == 0 && run->world)
		rc = end_hosts(&g, run->world, err);
	if (rc == 0)
		rc = emit_all(&g, requests, n, tables, err);
	free_engine(&g);
	free(observers);
	kernel_observer_pairs_fini(&pairs);
	free(unread);
	return rc;
}

int analysis_run(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err)
{
	return run_all(run, e, messages, r, world, options, requests, n, NULL, tables, err);
}

int analysis_read_facts(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_keeper *keeper, struct mer_err *err)
{
	return run_all(run, e, messages, r, world, options, NULL, 0, keeper, NULL, err);
}

/* ---- facts from a store ---- */

/* The selected tasks, for folds that select facts by task (fold/select.c). Not if tasks are
 * selected by name, because then every name must be tried. *tasks NULL: all tasks count. */
static int find_tasks(
	const struct engine *g, const struct kernel_host *h, bool **tasks, struct mer_err *err)
{
	const struct analysis_options *o = g->run->options;
	*tasks = NULL;
	if (!o->wants_task || o->wants_names || o->wants_name)
		return 0;
	*tasks = malloc(h->n_tasks + 1);
	if (!*tasks)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		(*tasks)[i] = o->wants_task(o->ctx, h, i);
	return 0;
}

static int read_host(void *ctx, size_t host, unsigned worker, struct mer_err *err)
{
	struct engine *g = ctx;
	bool *tasks;
	(void)worker;
	if (!wants_host(g->run, (uint32_t)host))
		return 0;
	int rc = find_tasks(g, &g->source->world->hosts[host], &tasks, err);
	for (size_t k = 0; k < g->n_kinds && rc == 0; k++) {
		struct taker *t = &g->hosts[host].takers[k];
		struct fact_range range = range_of(g, t, tasks);
		if (!g->kinds[k]->maker->of_world)
			rc = g->source->read(g->source->ctx, (uint32_t)host, g->kinds[k], &range,
				take_facts, t, err);
	}
	free(tasks);
	return rc;
}

int analysis_run_from(struct analysis_run *run, const struct analysis_source *source,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err)
{
	struct engine g = { .run = run, .source = source };
	int rc = begin_engine(&g, source->world->e, options, requests, n, tables, err);
	run->world = source->world;
	run->has_source = true;
	if (rc == 0)
		rc = mer_pool_run(world ? world->n_threads : 1, g.n_hosts, read_host, &g,
			world ? world->cancel : NULL, err);
	if (rc)
		say_why(&g, err);
	if (rc == 0)
		rc = end_hosts(&g, run->world, err);
	if (rc == 0)
		rc = emit_all(&g, requests, n, tables, err);
	free_engine(&g);
	return rc;
}

/* ---- from what hosts have ---- */

int analysis_merge(struct analysis_run *run, struct mer_experiment *none,
	const struct analysis_options *options, const struct analysis_request *requests, size_t n,
	const struct analysis_partial_host *hosts, uint32_t n_hosts, bool leaves_out,
	struct analysis_left_out *sum, struct mer_table *tables, struct mer_err *err)
{
	/* For what finishes tables: there is no host whose own rows it could change. */
	static struct kernel_world no_world;
	struct engine g = { .run = run };
	struct fold_merge m = {
		.run = run, .hosts = hosts, .n_hosts = n_hosts, .leaves_out = leaves_out, .sum = sum
	};
	int rc = begin_engine(&g, none, options, requests, n, tables, err);
	run->world = &no_world;
	run->has_source = true;
	for (size_t k = 0; k < n && rc == 0; k++) {
		const struct analysis_output *o =
			&requests[k].analysis->outputs[requests[k].output];
		run->analysis = requests[k].analysis;
		m.request = k;
		rc = g.plans[k] ? fold_merge(g.plans[k], &m, &tables[k])
				: mer_fail(err, MER_ERR_BUG, "a table without a fold");
		if (rc == 0 && (tables[k].failed || run->arena.failed))
			rc = mer_fail_nomem(err);
		if (rc == 0 && o->sort)
			mer_table_sort(&tables[k], o->sort, false);
	}
	free_engine(&g);
	return rc;
}

void analysis_run_fini(struct analysis_run *run)
{
	analysis_tracer_free(run->tracer, run->world ? run->world->n_hosts : 0);
	run->tracer = NULL;
	if (!run->has_source)
		kernel_world_free(run->world);
	run->world = NULL;
	mer_arena_fini(&run->arena);
}
