#include "kernel/model.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/model_state.h"

struct cpu *model_cpu(struct kernel_model *m, int64_t number)
{
	if (number < 0 || number >= KERNEL_MAX_CPUS)
		return NULL;
	if ((uint64_t)number >= m->n_cpus) {
		uint32_t n = (uint32_t)number + 1;
		struct cpu *p = realloc(m->cpus, (size_t)n * sizeof(*p));
		if (!p)
			return NULL;
		m->cpus = p;
		for (; m->n_cpus < n; m->n_cpus++) {
			p[m->n_cpus] = (struct cpu){ .task = ON_CPU_UNKNOWN,
				.last = m->h->begin,
				.lost_until = INT64_MIN,
				.drained = INT64_MIN,
				.packet = KERNEL_NONE,
				.request = KERNEL_NONE,
				.unmatched = INT64_MIN,
				.absence = KERNEL_NONE,
				.told_path = KERNEL_NONE,
				.told_by = KERNEL_NONE };
			for (int i = 0; i < MODEL_SOFTIRQS; i++)
				p[m->n_cpus].raised[i] = INT64_MIN;
		}
	}
	return &m->cpus[number];
}

uint16_t model_cpu_number(const struct kernel_model *m, const struct cpu *c)
{
	return (uint16_t)(c - m->cpus);
}

static int place_first(struct kernel_model *m)
{
	const struct kernel_losses *l = m->in.losses;
	for (uint32_t i = 0; i < l->n_cpus; i++) {
		struct cpu *c = model_cpu(m, i);
		if (!c)
			return mer_fail_nomem(m->err);
		uint32_t task;
		c->task = l->first_tid[i] == 0 ? ON_CPU_IDLE : ON_CPU_UNKNOWN;
		c->is_fresh = true;
		c->fresh_since = c->idle_since = c->sure = m->h->begin;
		if (l->first_tid[i] <= 0)
			continue;
		int rc = model_task_of(m, l->first_tid[i], &task);
		if (rc)
			return rc;
		struct kernel_span *open = model_open(m, task);
		if (open->state != KERNEL_UNKNOWN)
			continue; /* named by two CPUs: the second one got it later */
		*open = (struct kernel_span){ .begin = open->begin,
			.task = task,
			.before = open->before,
			.call = KERNEL_NONE,
			.by = KERNEL_NONE,
			.source = KERNEL_NONE,
			.cpu = (uint16_t)i,
			.state = KERNEL_RUNNING };
		m->live[task].mode_since = m->h->tasks[task].last;
		m->cpus[i].task = task;
	}
	return 0;
}

/* ---- events ---- */

/* Recording begins and ends with an event: packets are opened before the tracer is started, and
 * closed long after it was stopped. */
static int begin(struct kernel_model *m, int64_t ts)
{
	m->h->begin = m->in.begin && m->in.begin < ts ? m->in.begin : ts;
	m->h->end = ts;
	return place_first(m);
}

static bool list_cpu(struct kernel_model *m, struct cpu *c, int64_t number)
{
	uint32_t *at = mer_map_put(&m->h->cpus, (uint64_t)number);
	if (at)
		*at = 1;
	c->is_listed = at != NULL;
	return at != NULL;
}

int kernel_model_run(
	struct kernel_model *m, const struct mer_event *ev, size_t n, struct mer_err *err)
{
	m->err = err;
	for (size_t i = 0; i < n; i++) {
		const struct kernel_binding *b = &m->bindings[ev[i].plan->id];
		if (!m->is_kernel_stream[ev[i].stream] || ev[i].ts == MER_NO_TIME)
			continue;
		int32_t number = m->in.e->streams[ev[i].stream].cpu;
		int64_t cpu = number >= 0 ? number : (int64_t)ev[i].slots[KERNEL_SLOT_CPU];
		if (cpu >= KERNEL_MAX_CPUS || cpu < 0) {
			m->h->n_odd++;
			continue;
		}
		int rc = m->h->n_events++ ? 0 : begin(m, ev[i].ts);
		m->now = ev[i].ts;
		if (rc == 0 && ev[i].ts >= m->next_edge_time)
			rc = model_pass_edges(m, ev[i].ts);
		if (rc == 0 && ev[i].ts >= m->holes.next)
			rc = model_pass_holes(m, ev[i].ts);
		struct cpu *c = rc ? NULL : model_cpu(m, cpu);
		if (!c)
			return rc ? rc : mer_fail_nomem(err);
		if (!c->is_listed && !list_cpu(m, c, cpu))
			return mer_fail_nomem(err);
		const struct kernel_event_row *row = &kernel_event_rows[b->event];
		if (!c->in_loss || row->any_task)
			rc = row->handle(m, c, &ev[i], b);
		if (rc)
			return rc;
		/* Waking a task on a CPU not seen before may have moved the CPUs. Time goes
		 * backwards where the trace's does. */
		m->cpus[cpu].last = ev[i].ts;
		if (ev[i].ts > m->h->end)
			m->h->end = ev[i].ts;
	}
	return 0;
}

/* ---- begin and end ---- */

static bool is_switch(uint8_t event)
{
	return event == KERNEL_EV_SWITCH;
}

static bool is_wakeup(uint8_t event)
{
	return event == KERNEL_EV_TTWU || event == KERNEL_EV_WAKING || event == KERNEL_EV_WAKEUP;
}

static bool is_late_wakeup(uint8_t event)
{
	return event == KERNEL_EV_WAKEUP;
}

static bool is_migration(uint8_t event)
{
	return event == KERNEL_EV_MIGRATE;
}

static bool is_free(uint8_t event)
{
	return event == KERNEL_EV_FREE;
}

static bool is_interrupt(uint8_t event)
{
	return event == KERNEL_EV_IRQ_ENTRY || event == KERNEL_EV_SOFTIRQ_ENTRY ||
	       event == KERNEL_EV_HRTIMER_ENTRY || event == KERNEL_EV_LOCAL_TIMER_ENTRY;
}

/* Has the host's recording such events? */
static bool records(const struct kernel_model *m, bool (*is)(uint8_t event))
{
	const struct mer_experiment *e = m->in.e;
	const struct trace_reading *r = kernel_layouts_reading(m->in.layouts);
	for (uint32_t i = 0; i < e->n_parts; i++) {
		if (e->traces[e->parts[i].trace].host != m->in.host)
			continue;
		const struct ctf_program *p = r->programs[i];
		for (uint32_t k = 0; k < p->schema->n_streams; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events; c++) {
				const struct ctf_plan *plan = &p->streams[k].events[c];
				uint8_t event =
					plan->wanted ? m->bindings[plan->id].event : KERNEL_EV_NONE;
				if (is(event))
					return true;
			}
	}
	return false;
}

int kernel_model_new(const struct kernel_model_input *in, struct kernel_host *h,
	struct kernel_model **model, struct mer_err *err)
{
	struct kernel_model *m = calloc(1, sizeof(*m));
	if (!m)
		return mer_fail_nomem(err);
	m->in = *in;
	m->h = h;
	m->err = err;
	for (int i = 0; i < MODEL_WOKE; i++)
		m->woke[i] = KERNEL_NONE;
	m->bindings = kernel_bindings(in->layouts);
	h->begin = in->losses->begin;
	h->end = in->losses->end;
	m->call_names = calloc((size_t)kernel_n_bindings(in->layouts) + 1, sizeof(*m->call_names));
	m->last_calls = calloc((size_t)kernel_n_bindings(in->layouts) + 1, sizeof(*m->last_calls));
	m->is_kernel_stream = calloc((size_t)in->e->n_streams + 1, sizeof(*m->is_kernel_stream));
	int rc = m->call_names && m->last_calls && m->is_kernel_stream
			 ? kernel_files_new(h, &m->files, err)
			 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < in->e->n_streams && rc == 0; i++) {
		const struct mer_trace *t = &in->e->traces[in->e->streams[i].trace];
		m->is_kernel_stream[i] = strcmp(t->domain, "ust") != 0;
		m->has_more_cpus |=
			m->is_kernel_stream[i] && t->host == in->host && in->e->streams[i].cpu > 0;
	}
	if (rc == 0) {
		m->has_switches = records(m, is_switch);
		m->has_wakeups = records(m, is_wakeup);
		m->has_interrupts = records(m, is_interrupt);
		m->has_late_wakeups = records(m, is_late_wakeup);
		m->has_migrations = records(m, is_migration);
		m->has_frees = records(m, is_free);
		h->has_wakeups = m->has_wakeups;
		h->has_interrupts = m->has_interrupts;
		h->has_migrations = m->has_migrations;
		kernel_holes_init(&m->holes, m->in.losses);
		model_begin_edges(m);
	}
	if (rc) {
		kernel_model_free(m);
		return rc;
	}
	*model = m;
	return 0;
}

void kernel_model_free(struct kernel_model *m)
{
	if (!m)
		return;
	kernel_files_free(m->files);
	mer_map_fini(&m->tids);
	mer_map_fini(&m->open_requests);
	mer_map_fini(&m->flows);
	mer_map_fini(&m->sent_on);
	mer_map_fini(&m->pollers);
	mer_map_fini(&m->reads);
	free(m->cpus);
	mer_spill_release(m->live);
	free(m->lulls);
	free(m->is_kernel_stream);
	free(m->call_names);
	free(m->last_calls);
	free(m);
}

/* Where no end of a call is recorded, calls are not open for that. */
static int tell_open_calls(struct kernel_model *m)
{
	const struct kernel_host *h = m->h;
	const struct kernel_observer *o = m->in.observer;
	int rc = 0;
	if (!o || !o->open_call || !m->has_call_ends)
		return 0;
	for (uint32_t i = 0; i < h->n_tasks && rc == 0; i++) {
		const struct live *l = &m->live[i];
		if (l->call == KERNEL_NONE || l->call_begin == INT64_MIN || l->exiting ||
			l->untracked || h->tasks[i].died != INT64_MAX || h->tasks[i].end < h->end)
			continue;
		struct kernel_open_call told = { .task = i,
			.call = l->call,
			.begin = l->call_begin,
			.kind = l->kind,
			.cpu = model_open(m, i)->cpu };
		memcpy(told.args, l->args,
			kernel_call_args((enum kernel_call_kind)l->kind) * sizeof(*l->args));
		rc = o->open_call(o->ctx, h, &told);
	}
	return rc;
}

int kernel_model_finish(struct kernel_model *m, struct mer_err *err)
{
	struct kernel_host *h = m->h;
	const struct kernel_observer *o = m->in.observer;
	m->err = err;
	if (h->n_events && m->in.end > h->end)
		h->end = m->in.end;
	int rc = model_pass_edges(m, h->end);
	if (rc == 0 && h->n_events)
		rc = model_end_losses(m, h->end);
	for (uint32_t i = 0; i < m->n_cpus && rc == 0; i++)
		if (m->cpus[i].task == ON_CPU_IDLE)
			rc = model_tell_idle(m, &m->cpus[i], h->end, KERNEL_NO_CAUSE);
	for (uint32_t i = 0; i < h->n_tasks && rc == 0; i++) {
		struct kernel_task *t = &h->tasks[i];
		if (t->end == INT64_MAX) {
			/* What it did since its last event: the same, unless events were lost. */
			if (!kernel_is_on_cpu(model_open(m, i)->state))
				rc = model_outlast(m, i, h->end);
			t->end = h->end;
		}
		if (t->end < model_open(m, i)->begin)
			t->end = model_open(m, i)->begin;
		if (rc == 0 && o && o->span)
			rc = o->span(o->ctx, h, t->last, t->end);
	}
	if (rc == 0)
		rc = model_wait_finish(m);
	return rc ? rc : tell_open_calls(m);
}
