#include "session/request.h"
#include "analysis/partial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/plural.h"
#include "requests/facts.h"
#include "session/requests.h"
#include "session/state.h"
#include "session/views.h"
#include "store/store.h"

/* ---- What is selected ---- */

static const struct session_selection everything;

static bool wants_host(void *ctx, uint32_t host)
{
	const struct session_answer *a = ctx;
	return session_selects_host(a->selection, a->session->e->hosts[host].name);
}

static bool wants_cpu(void *ctx, uint16_t cpu)
{
	const struct session_answer *a = ctx;
	return session_ranges_contain(&a->selection->cpus, cpu);
}

static bool wants_task(void *ctx, const struct kernel_host *h, uint32_t task)
{
	const struct session_answer *a = ctx;
	return session_selects_task(a->selection, h, task);
}

static bool wants_task_of_host(void *ctx, const struct kernel_host *h, uint32_t task)
{
	const struct session_answer *a = ctx;
	return wants_host(ctx, (uint32_t)(h - a->run.world->hosts)) && wants_task(ctx, h, task);
}

static bool wants_thread(void *ctx, const struct kernel_host *h, int64_t tid)
{
	const struct session_answer *a = ctx;
	bool is_here =
		!a->request->all_hosts || wants_host(ctx, (uint32_t)(h - a->run.world->hosts));
	return is_here && session_selects_thread(a->selection, tid);
}

/* All patterns are tried, so that those that match nothing are known. */
static bool wants_name(void *ctx, const char *name)
{
	struct session_answer *a = ctx;
	const struct session_texts *names = a->request->names;
	uint64_t named = 0;
	for (size_t i = 0; i < names->n; i++)
		if (mer_glob(names->item[i], name))
			named |= (uint64_t)1 << i;
	if (named)
		atomic_fetch_or_explicit(&a->named, named, memory_order_relaxed);
	return named != 0;
}

const char *session_answer_unnamed(const struct session_answer *a)
{
	const struct session_texts *names = a->request->names;
	for (size_t i = 0; names && i < names->n; i++)
		if (!(atomic_load(&a->named) >> i & 1))
			return names->item[i];
	return NULL;
}

static int find_requests(struct session_answer *a, struct mer_err *err)
{
	if (a->requests)
		return 0;
	if (a->run.has_source) {
		a->has_kept_requests = true;
		return session_requests_stored(a->session, a->session->store, &a->requests, err);
	}
	struct requests_log *log = a->log;
	a->log = NULL; /* the result's, in any case */
	return requests_find(a->run.world, log, &a->requests, err);
}

static int make_requests(void *ctx, struct fact_host *const *by_host, struct mer_err *err)
{
	struct session_answer *a = ctx;
	int rc = find_requests(a, err);
	return rc ? rc : requests_make_facts(a->requests, a->run.world->hosts, by_host, err);
}

static int choose(struct session_answer *a, struct mer_err *err)
{
	const struct session_request *q = a->request;
	const struct session_selection *s = q->selection ? q->selection : &everything;
	struct analysis_options *o = &a->options;
	struct session_window window;
	int rc = session_window(a->session, s, &window, err);
	a->selection = s;
	*o = q->options;
	o->begin = window.begin;
	o->end = window.end;
	o->wants_host = s->hosts.n && !q->all_hosts ? wants_host : NULL;
	o->wants_cpu = s->cpus.n ? wants_cpu : NULL;
	o->wants_task = session_selects_tasks(s) ? wants_task : NULL;
	o->wants_names = o->wants_task && s->comms.n && !q->all_hosts;
	if (q->all_hosts && (o->wants_task || s->hosts.n))
		o->wants_task = wants_task_of_host;
	o->wants_thread = o->wants_task ? wants_thread : NULL;
	o->wants_name = q->names && q->names->n ? wants_name : NULL;
	o->requests = make_requests;
	o->ctx = a;
	return rc;
}

/* ---- Periods ---- */

static int no_period(const struct session *s, const struct analysis_period_rule *rule,
	const struct analysis_periods *p, struct mer_err *err)
{
	static const char *const words[] = { "BEGIN", "END" };
	for (int side = 0; side < 2; side++) {
		if (!analysis_period_rule_can(rule, s->e, side))
			return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_EVENTS,
				"no event of these traces can match %s", words[side]);
		if (!p->n_fit[side])
			return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_FILTER,
				"no event matches %s", words[side]);
	}
	if (p->n_left_out)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_LIMITS,
			"%" PRIu64 " %s found, none with a duration between the limits",
			p->n_left_out, mer_plural(p->n_left_out, "period", "periods"));
	if (p->n_keyless == p->n_fit[0] + p->n_fit[1])
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_KEY,
			"%" PRIu64 " %s, none has all fields of this key", p->n_keyless,
			mer_plural(p->n_keyless, "event matches", "events match"));
	return mer_fail_remedy(err, MER_ERR_USAGE,
		p->is_keyed ? MER_REMEDY_PERIOD_KEYED : MER_REMEDY_PERIOD,
		"no period: %" PRIu64 " %s BEGIN and %" PRIu64
		" %s END, but no END comes after a BEGIN%s",
		p->n_fit[0], mer_plural(p->n_fit[0], "event matches", "events match"), p->n_fit[1],
		mer_plural(p->n_fit[1], "matches", "match"),
		p->is_keyed ? " with the same key" : "");
}

int session_periods(struct session *s, const struct analysis_period_rule *rule,
	struct analysis_periods *p, struct mer_err *err)
{
	_Atomic uint64_t *done = session_stage_begin(s, SESSION_PERIODS, s->e->bytes);
	int rc = analysis_periods_find(s->e, rule, session_threads(s), &s->cancel, done, p, err);
	session_stage_end(s);
	if (rc)
		return rc == MER_ERR_LIMIT ? MER_ERR_USAGE : rc;
	return p->n ? 0 : no_period(s, rule, p, err);
}

static int find_periods(struct session_answer *a, struct mer_err *err)
{
	struct analysis_periods *p = &a->found;
	struct analysis_options *o = &a->options;
	int rc = session_periods(a->session, a->request->periods, p, err);
	if (rc)
		return rc;
	o->periods = p->parts;
	o->n_periods = p->n_parts;
	o->found = p;
	if (!analysis_overlap(o, INT64_MIN, INT64_MAX))
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_WINDOW,
			"none of the %zu %s lies in the window", p->n,
			mer_plural(p->n, "period", "periods"));
	return 0;
}

/* ---- Running it ---- */

/* What was looked at, over all hosts. */
static void find_range(struct session_answer *a)
{
	const struct mer_experiment *e = a->session->e;
	const struct analysis_options *o = &a->options;
	a->begin = a->end = MER_NO_TIME;
	if (!a->run.world) { /* there are periods in the window, so there are events */
		a->begin = e->begin > o->begin ? e->begin : o->begin;
		a->end = e->end < o->end ? e->end : o->end;
	}
	for (uint32_t h = 0; a->run.world && h < a->run.world->n_hosts; h++) {
		int64_t begin, end;
		if ((a->request->all_hosts || wants_host(a, h)) &&
			analysis_range(&a->run, h, &begin, &end))
			trace_widen(&a->begin, &a->end, begin, end);
	}
}

static int run_stored(struct session_answer *a, struct store *store, struct mer_err *err)
{
	struct session *s = a->session;
	const struct session_request *q = a->request;
	struct analysis_source source = store_source(store);
	/* As it is when these tables are read: whoever does not need messages must not see that
	 * they are there. */
	if (!analysis_needs_messages(q->tables, q->n)) {
		struct kernel_world *alone = mer_arena_alloc(&s->arena, sizeof(*alone));
		if (!alone)
			return mer_fail_nomem(err);
		*alone = *source.world;
		alone->n_bridges = 0;
		source.world = alone;
	}
	struct kernel_world_options world = { .n_threads = session_threads(s),
		.cancel = &s->cancel };
	a->tables = calloc(q->n + 1, sizeof(*a->tables));
	if (!a->tables)
		return mer_fail_nomem(err);
	a->has_run = true;
	session_store_mend(s, false);
	int rc = analysis_run_from(
		&a->run, &source, &world, &a->options, q->tables, q->n, a->tables, err);
	if (rc == 0 && session_stored(s) == SESSION_STORE_LACKS)
		rc = MER_ERR_INPUT;
	session_store_mend(s, true);
	return rc;
}

/* What was run. */
static void forget(struct session_answer *a)
{
	for (size_t i = 0; a->tables && i < a->request->n; i++)
		mer_table_fini(&a->tables[i]);
	requests_log_free(a->log);
	if (!a->has_kept_requests)
		requests_free(a->requests);
	a->log = NULL;
	a->requests = NULL;
	a->has_kept_requests = false;
	if (a->has_run)
		analysis_run_fini(&a->run);
	a->has_run = false;
}

static int read_traces(struct session_answer *a, struct mer_err *err)
{
	struct session *s = a->session;
	const struct session_request *q = a->request;
	const struct sync_messages *m = NULL;
	int rc = analysis_needs_messages(q->tables, q->n) ? session_messages(s, &m, err) : 0;
	if (rc == 0 && (q->with_requests || analysis_needs_requests(q->tables, q->n)))
		rc = requests_log_new(s->e->n_hosts, s->e->spill, &a->log, err);
	if (rc)
		return rc;
	const struct kernel_world_options world = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.drop = s->o.once ? &s->messages : NULL,
		.observers = a->log ? requests_log_observers(a->log) : NULL,
		.views = s->view_hosts,
		.done_bytes = session_stage_begin(s, q->stage, s->e->bytes) };
	a->has_run = true;
	rc = analysis_run(
		&a->run, s->e, m, s->result, &world, &a->options, q->tables, q->n, a->tables, err);
	session_stage_end(s);
	return rc == 0 && q->with_requests ? find_requests(a, err) : rc;
}

/* The states that tables are about. */
static int find_views(struct session_answer *a, struct mer_err *err)
{
	struct session *s = a->session;
	const struct view_states *states;
	bool is_asked = false;
	for (size_t i = 0; i < a->request->n; i++)
		is_asked |= a->request->tables[i].analysis->of_views;
	if (!is_asked)
		return 0;
	int rc = session_views(s, &states, err);
	if (rc == 0 && !states)
		rc = mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_VIEW,
			"this analysis needs a view: a file that says which events are states");
	return rc;
}

static int run(struct session_answer *a, struct mer_err *err)
{
	struct session *s = a->session;
	const struct session_request *q = a->request;
	struct store *store = NULL;
	const char *why = s->e->has_no_events ? analysis_needs_traces(q->tables, q->n) : NULL;
	if (why)
		return mer_fail(err, MER_ERR_USAGE,
			"'%s' %s, which full parts of recordings do not have: ask it where the traces are",
			q->tables[0].analysis->id, why);
	if (analysis_is_of_facts(q->tables, q->n)) {
		int rc = session_store(s, &store, err);
		if (rc == 0 && store && !store_has_facts(store))
			return mer_fail(err, MER_ERR_USAGE,
				"'%s' needs facts, and these full parts were made without them",
				q->tables[0].analysis->id);
		if (rc == 0 && store)
			rc = run_stored(a, store, err);
		if (rc == 0 && store)
			find_range(a);
		if (rc == 0 && store && q->with_requests)
			rc = find_requests(a, err);
		if (rc != MER_ERR_INPUT && (rc || store))
			return rc;
		if (rc && !store)
			return rc;
		if (rc) { /* damaged: the traces are read after all */
			forget(a);
			free(a->tables);
			a->tables = NULL;
			rc = session_store_drop(s, err);
			if (rc)
				return rc;
		}
	}
	a->tables = calloc(q->n + 1, sizeof(*a->tables));
	if (!a->tables)
		return mer_fail_nomem(err);
	int rc = find_views(a, err);
	if (rc)
		return rc;
	rc = read_traces(a, err);
	if (s->o.once) {
		sync_messages_free(&s->messages);
		s->has_messages = false;
	}
	if (rc == 0)
		find_range(a);
	return rc;
}

int session_request(struct session *s, const struct session_request *q, struct session_answer *a,
	struct mer_err *err)
{
	*a = (struct session_answer){ .session = s, .request = q };
	bool messages = analysis_needs_messages(q->tables, q->n);
	int rc = session_synchronize(s, messages, err);
	if (rc == 0)
		rc = choose(a, err);
	if (rc == 0 && q->periods)
		rc = find_periods(a, err);
	return rc ? rc : run(a, err);
}

void session_answer_fini(struct session_answer *a)
{
	forget(a);
	free(a->tables);
	a->tables = NULL;
	analysis_periods_fini(&a->found);
}

struct session_world session_answer_world(const struct session_answer *a)
{
	return (struct session_world){
		.e = a->session->e, .world = a->run.world, .synced = session_synced(a->session)
	};
}
