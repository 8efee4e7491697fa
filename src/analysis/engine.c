/* Runs analyses over an experiment: one observer for each host, which hands what it is told to all of
 * them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/chosen.h"
#include "sync/result.h"

struct host_run { /* of one host */
	struct mer_arena arena;
	struct analysis_host *parts; /* as engine.analyses */
	struct mer_err err;
	const struct engine *engine;
};

struct engine {
	struct analysis_run *run;
	const struct analysis **analyses; /* each once */
	uint32_t *asked;		  /* by analysis: its outputs, bits */
	size_t n;
	struct host_run *hosts;
	uint32_t n_hosts;
};

/* Hands on to every analysis that listens. */
#define TELL_ALL(member, ...)                                                                      \
	do {                                                                                       \
		struct host_run *hr = ctx;                                                         \
		for (size_t i = 0; i < hr->engine->n; i++) {                                       \
			const struct analysis *a = hr->engine->analyses[i];                        \
			int rc = a->on.member ? a->on.member(&hr->parts[i], h, __VA_ARGS__) : 0;   \
			if (rc)                                                                    \
				return rc;                                                         \
		}                                                                                  \
		return 0;                                                                          \
	} while (0)

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	TELL_ALL(span, span, end);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	TELL_ALL(call, c);
}

static int on_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	TELL_ALL(open_call, c);
}

static int on_request(void *ctx, const struct kernel_host *h, uint32_t request)
{
	TELL_ALL(request, request);
}

static int on_interrupt(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *x)
{
	TELL_ALL(interrupt, x);
}

static int on_idle(void *ctx, const struct kernel_host *h, const struct kernel_idle *x)
{
	TELL_ALL(idle, x);
}

static int on_switched(void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time)
{
	TELL_ALL(switched, cpu, time);
}

static int on_woken_ready(
	void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by)
{
	TELL_ALL(woken_ready, task, time, by);
}

static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	TELL_ALL(packet, p);
}

static int on_memory(void *ctx, const struct kernel_host *h, const struct kernel_memory *m)
{
	TELL_ALL(memory, m);
}

static int on_signal(void *ctx, const struct kernel_host *h, const struct kernel_signal *s)
{
	TELL_ALL(signal, s);
}

static int on_migrate(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	TELL_ALL(migrate, task, time, from, to);
}

static int on_frequency(
	void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time, uint64_t khz)
{
	TELL_ALL(frequency, cpu, time, khz);
}

static int on_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	TELL_ALL(merge, m);
}

/* Only what somebody listens to: the model then does not even make the rest. */
static struct kernel_observer observer_of(const struct engine *g, struct host_run *hr)
{
	struct kernel_observer o = { .ctx = hr };
	for (size_t i = 0; i < g->n; i++) {
		const struct kernel_observer *on = &g->analyses[i]->on;
		o.wants |= g->analyses[i]->wants;
		o.span = on->span ? on_span : o.span;
		o.call = on->call ? on_call : o.call;
		o.open_call = on->open_call ? on_open_call : o.open_call;
		o.request = on->request ? on_request : o.request;
		o.interrupt = on->interrupt ? on_interrupt : o.interrupt;
		o.idle = on->idle ? on_idle : o.idle;
		o.switched = on->switched ? on_switched : o.switched;
		o.woken_ready = on->woken_ready ? on_woken_ready : o.woken_ready;
		o.packet = on->packet ? on_packet : o.packet;
		o.memory = on->memory ? on_memory : o.memory;
		o.signal = on->signal ? on_signal : o.signal;
		o.migrate = on->migrate ? on_migrate : o.migrate;
		o.frequency = on->frequency ? on_frequency : o.frequency;
		o.merge = on->merge ? on_merge : o.merge;
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
	return i < g->n || g->n == 0;
}

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
			hr->parts[i] = (struct analysis_host){ .run = g->run,
				.host = h,
				.arena = &hr->arena,
				.err = &hr->err,
				.asked = g->asked[i] };
			hr->parts[i].state =
				mer_arena_zalloc(&hr->arena, 1, g->analyses[i]->state_size + 1);
			if (!hr->parts[i].state)
				return mer_fail_nomem(err);
			int rc = g->analyses[i]->begin ? g->analyses[i]->begin(&hr->parts[i]) : 0;
			if (rc) {
				*err = hr->err;
				return rc;
			}
		}
	}
	return 0;
}

static int end_hosts(struct engine *g, const struct kernel_world *w, struct mer_err *err)
{
	for (uint32_t h = 0; h < g->n_hosts; h++)
		for (size_t i = 0; i < g->n; i++) {
			const struct analysis *a = g->analyses[i];
			int rc = a->end ? a->end(&g->hosts[h].parts[i], &w->hosts[h]) : 0;
			if (rc) {
				*err = g->hosts[h].err;
				return rc;
			}
		}
	return 0;
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
		while (g->analyses[i] != a)
			i++;
		for (uint32_t h = 0; h < g->n_hosts; h++)
			states[h] = g->hosts[h].parts[i].state;
		g->run->analysis = a;
		g->run->states = states;
		int rc = a->emit(g->run, requests[k].output, &tables[k]);
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
		for (size_t i = 0; hr->parts && i < g->n; i++)
			if (hr->parts[i].state && g->analyses[i]->free_state)
				g->analyses[i]->free_state(hr->parts[i].state);
		mer_arena_fini(&hr->arena);
	}
	free(g->hosts);
	free(g->analyses);
	free(g->asked);
}

bool analysis_needs_messages(const struct analysis_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (requests[i].analysis->messages)
			return true;
	return false;
}

bool analysis_reads_names(
	const struct analysis_options *options, const struct analysis_request *requests, size_t n)
{
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= !(requests[i].analysis->late >> requests[i].output & 1);
	return any && options->wants_task && options->wants_names;
}

int analysis_run(struct analysis_run *run, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *world, const struct analysis_options *options,
	const struct analysis_request *requests, size_t n, struct mer_table *tables,
	struct mer_err *err)
{
	struct engine g = { .run = run, .n_hosts = e->n_hosts };
	struct kernel_world_options o =
		world ? *world : (struct kernel_world_options){ .n_threads = 1 };
	*run = (struct analysis_run){ .e = e, .options = options, .err = err };
	mer_arena_init(&run->arena);
	for (size_t k = 0; k < n; k++)
		mer_table_init(&tables[k], requests[k].analysis->outputs[requests[k].output].id,
			requests[k].analysis->outputs[requests[k].output].title,
			requests[k].analysis->outputs[requests[k].output].columns, &run->arena);
	g.analyses = calloc(n + 1, sizeof(*g.analyses));
	g.asked = calloc(n + 1, sizeof(*g.asked));
	g.hosts = calloc((size_t)e->n_hosts + 1, sizeof(*g.hosts));
	struct kernel_observer *observers = calloc((size_t)e->n_hosts + 1, sizeof(*observers));
	bool *unread = calloc((size_t)e->n_hosts + 1, sizeof(*unread));
	bool needs_packets =
		analysis_needs_messages(requests, n); /* and who is at their other ends */
	int rc = g.analyses && g.asked && g.hosts && observers && unread ? 0 : mer_fail_nomem(err);
	for (size_t k = 0; k < n && rc == 0; k++) {
		size_t i = 0;
		while (i < g.n && g.analyses[i] != requests[k].analysis)
			i++;
		if (i == g.n)
			g.analyses[g.n++] = requests[k].analysis;
		g.asked[i] |= 1u << requests[k].output;
	}
	if (rc == 0)
		rc = begin_hosts(&g, err);
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++) {
		observers[h] = observer_of(&g, &g.hosts[h]);
		if (!wants_host(run, h)) { /* nobody listens, but wants is the same */
			observers[h] = (struct kernel_observer){ .wants = observers[h].wants };
			unread[h] = !needs_packets;
		}
	}
	o.observers = observers;
	o.unread = unread;
	o.forget = !options->keep_spans;
	if (rc == 0 && looks_at_world(&g) && analysis_reads_names(options, requests, n))
		rc = analysis_choose(run, r, &o, err);
	if (rc == 0 && looks_at_world(&g))
		rc = kernel_world_build(e, messages, r, &o, &run->world, err);
	/* What an analysis said, of the first host that failed. */
	for (uint32_t h = 0; rc && g.hosts && h < e->n_hosts && !err->text[0]; h++)
		if (g.hosts[h].err.code)
			*err = g.hosts[h].err;
	if (rc == 0 && run->world)
		rc = end_hosts(&g, run->world, err);
	if (rc == 0)
		rc = emit_all(&g, requests, n, tables, err);
	free_engine(&g);
	free(observers);
	free(unread);
	return rc;
}

void analysis_run_fini(struct analysis_run *run)
{
	kernel_world_free(run->world);
	run->world = NULL;
	mer_arena_fini(&run->arena);
}
