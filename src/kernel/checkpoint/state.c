#include "kernel/checkpoint/state.h"

#include <stdlib.h>

#include "base/grow.h"

#include "base/lower_bound.h"
#include "kernel/checkpoint/files_state.h"
#include "kernel/checkpoint/keep.h"
#include "kernel/files/file_processes.h"

/* ---- structs ---- */

/* Whoever changes one of these writes and reads the new field here, too, and then the size. What a
 * guest's CPUs are away for follows from the time alone (model_edges_from). */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(struct kernel_task) == 64, "a field that is not visited");
_Static_assert(sizeof(struct live) == 152, "a field that is not visited");
_Static_assert(sizeof(struct cpu) == 856, "a field that is not visited");
_Static_assert(sizeof(struct context) == 40, "a field that is not visited");
_Static_assert(sizeof(struct kernel_span) == 32, "a field that is not visited");
_Static_assert(sizeof(struct kernel_request) == 56, "a field that is not visited");
_Static_assert(sizeof(struct kernel_model) == 13136, "a field that is not visited");
_Static_assert(sizeof(struct kernel_file_process) == 40, "a field that is not visited");
_Static_assert(sizeof(struct kernel_files) == 160, "a field that is not visited");
_Static_assert(sizeof(struct kernel_call) == 16, "a field that is not visited");
#endif

static void visit_request(struct archive *a, struct kernel_request *r, int64_t now)
{
	archive_time(a, &r->insert, now);
	archive_time(a, &r->issue, now);
	archive_time(a, &r->complete, now);
	archive_u64(a, &r->sector);
	archive_u32(a, &r->dev);
	archive_u32(a, &r->bytes);
	archive_ref(a, ARCHIVE_SPAN, &r->by);
	archive_ref(a, ARCHIVE_TASK, &r->task);
	archive_u16(a, &r->cpu);
	archive_u8(a, &r->flags, 0);
	uint16_t error = (uint16_t)r->error;
	archive_u16(a, &error);
	r->error = (int16_t)error;
}

void checkpoint_visit_task(struct archive *a, struct kernel_task *t, int64_t now)
{
	archive_time(a, &t->begin, now);
	archive_time(a, &t->end, now);
	archive_time(a, &t->died, now);
	archive_i32(a, &t->tid);
	archive_i32(a, &t->pid);
	archive_i32(a, &t->ppid);
	archive_i32(a, &t->vtid);
	archive_i32(a, &t->vpid);
	archive_u32(a, &t->pid_ns);
	archive_ref(a, ARCHIVE_TASK, &t->parent);
	archive_ref(a, ARCHIVE_RENAME, &t->name);
	uint16_t prio = (uint16_t)t->prio;
	archive_u16(a, &prio);
	t->prio = (int16_t)prio;
	archive_bool(a, &t->is_kernel);
	archive_bool(a, &t->born);
}

/* source is a packet, a request, a span or a number, as the state and cause say. */
static void visit_source(struct archive *a, uint8_t state, uint8_t cause, uint32_t *source)
{
	if (state != KERNEL_INTERRUPTED && cause == KERNEL_NETWORK)
		archive_ref(a, ARCHIVE_PACKET, source);
	else if (state != KERNEL_INTERRUPTED && cause == KERNEL_DISK)
		archive_ref(a, ARCHIVE_REQUEST, source);
	else if (state != KERNEL_INTERRUPTED && cause == KERNEL_TIMER)
		archive_ref(a, ARCHIVE_SPAN, source);
	else
		archive_u32(a, source);
}

static void visit_span(struct archive *a, struct kernel_span *s, int64_t now)
{
	archive_time(a, &s->begin, now);
	archive_ref(a, ARCHIVE_TASK, &s->task);
	archive_ref(a, ARCHIVE_CALL, &s->call);
	archive_u16(a, &s->cpu);
	archive_u8(a, &s->state, KERNEL_N_STATES);
	archive_u8(a, &s->cause, KERNEL_N_CAUSES);
	archive_ref(a, ARCHIVE_SPAN, &s->by);
	visit_source(a, s->state, s->cause, &s->source);
}

static void visit_wait(struct archive *a, struct model_wait *w, int64_t now)
{
	archive_u64(a, &w->objects);
	archive_ref(a, ARCHIVE_SPAN, &w->span);
	archive_ref(a, ARCHIVE_SPAN, &w->timed_out);
	archive_ref(a, ARCHIVE_CALL, &w->call);
	archive_u64(a, &w->timed_out_objects);
	archive_time(a, &w->until, now);
}

static void visit_live(struct archive *a, struct live *l, int64_t now)
{
	archive_ref(a, ARCHIVE_CALL, &l->call);
	archive_bool(a, &l->knows_mode);
	archive_bool(a, &l->went_back);
	archive_bool(a, &l->untracked);
	archive_bool(a, &l->exiting);
	archive_bool(a, &l->was_dumped);
	archive_bool(a, &l->woken_early);
	archive_u8(a, &l->early_cause, KERNEL_N_CAUSES);
	if (l->woken_early) { /* else it is what was left of another one */
		visit_source(a, KERNEL_BLOCKED, l->early_cause, &l->early_source);
		archive_ref(a, ARCHIVE_SPAN, &l->early_by);
	}
	archive_ref(a, ARCHIVE_TASK, &l->spins_for);
	archive_u16(a, &l->kind);
	a->failed |= l->kind >= KERNEL_N_CALL_KINDS;
	archive_ref(a, ARCHIVE_SPAN, &l->mode_since);
	archive_time(a, &l->call_begin, now);
	archive_ref(a, ARCHIVE_CALL, &l->doubted.call);
	archive_u16(a, &l->doubted.kind);
	a->failed |= l->doubted.kind >= KERNEL_N_CALL_KINDS;
	archive_time(a, &l->doubted.begin, now);
	archive_time(a, &l->renamed, now);
	archive_ref(a, ARCHIVE_PACKET, &l->packet);
	for (unsigned i = 0; i < KERNEL_CALL_ARGS; i++)
		archive_u64(a, &l->args[i]);
	archive_u64(a, &l->woke_futex);
	archive_time(a, &l->woke_futex_at, now);
	visit_wait(a, &l->wait, now);
}

static void visit_context(struct archive *a, struct context *x, int64_t now)
{
	archive_u8(a, &x->kind, CONTEXT_PACKET + 1);
	archive_u32(a, &x->nr);
	archive_time(a, &x->since, now);
	archive_time(a, &x->raised, now);
	archive_bool(a, &x->has_packet);
	archive_ref(a, ARCHIVE_PACKET, &x->packet);
	archive_bool(a, &x->sent_on);
	archive_ref(a, ARCHIVE_REQUEST, &x->request);
}

static void visit_current(struct archive *a, uint32_t *task)
{
	bool is_idle = *task == ON_CPU_IDLE;
	archive_bool(a, &is_idle);
	if (is_idle)
		*task = ON_CPU_IDLE;
	else
		archive_ref(a, ARCHIVE_TASK, task); /* ON_CPU_UNKNOWN is KERNEL_NONE */
}

static void visit_cpu(struct archive *a, struct cpu *c, int64_t now)
{
	visit_current(a, &c->task);
	archive_u32(a, &c->depth);
	for (uint32_t i = 0; i < c->depth && i < MODEL_MAX_CONTEXTS; i++)
		visit_context(a, &c->contexts[i], now);
	archive_time(a, &c->last, now);
	archive_time(a, &c->sure, now);
	archive_bool(a, &c->is_doubtful);
	for (int i = 0; i < MODEL_SOFTIRQS; i++)
		archive_time(a, &c->raised[i], now);
	archive_bool(a, &c->is_fresh);
	archive_time(a, &c->fresh_since, now);
	archive_u32(a, &c->in_loss);
	archive_time(a, &c->lost_until, now);
	archive_time(a, &c->drained, now);
	archive_time(a, &c->idle_since, now);
	archive_u8(a, &c->idle_cause, KERNEL_N_CAUSES);
	archive_bool(a, &c->has_packet);
	archive_ref(a, ARCHIVE_PACKET, &c->packet);
	archive_ref(a, ARCHIVE_REQUEST, &c->request);
	archive_time(a, &c->unmatched, now);
	uint32_t new_tid = (uint32_t)c->new_tid;
	archive_u32(a, &new_tid);
	c->new_tid = (int32_t)new_tid;
	archive_bool(a, &c->new_is_thread);
	uint32_t forked_tid = (uint32_t)c->forked_tid;
	archive_u32(a, &forked_tid);
	c->forked_tid = (int32_t)forked_tid;
	archive_ref(a, ARCHIVE_NAME, &c->told_path);
	archive_ref(a, ARCHIVE_TASK, &c->told_by);
}

static void visit_cpus(struct archive *a, struct kernel_model *m, int64_t now)
{
	uint32_t n = m->n_cpus;
	archive_count(a, &n, 20);
	if (a->mode == ARCHIVE_READ && n && (n > KERNEL_MAX_CPUS || !model_cpu(m, n - 1)))
		a->failed = true;
	for (uint32_t i = 0; i < n && !a->failed; i++)
		visit_cpu(a, &m->cpus[i], now);
}

/* ---- maps ---- */

static void read_map(struct archive *a, struct mer_map *map, enum archive_ref ref)
{
	for (;;) {
		uint64_t key = 0;
		uint32_t value = KERNEL_NONE;
		archive_ref(a, ref, &value);
		if (a->failed || value == KERNEL_NONE)
			return;
		archive_u64(a, &key);
		uint32_t *at = a->failed ? NULL : mer_map_put(map, key);
		if (at)
			*at = value + 1;
		a->failed |= !at;
	}
}

/* A map's values are numbers plus 1; 0 stands for none. keep: which are written; NULL: all. */
static void visit_some(struct archive *a, struct mer_map *map, enum archive_ref ref,
	bool (*keep)(const struct kernel_model *m, uint32_t value), const struct kernel_model *m)
{
	uint32_t none = KERNEL_NONE;
	if (a->mode == ARCHIVE_READ) {
		read_map(a, map, ref);
		return;
	}
	for (size_t i = 0; i < map->cap; i++) {
		struct mer_map_slot s = map->slots[i];
		uint32_t value = s.value - 1;
		if (!s.used || !s.value || (keep && !keep(m, value)))
			continue;
		archive_ref(a, ref, &value);
		archive_u64(a, &s.key);
	}
	archive_ref(a, ref, &none);
}

static void visit_map(struct archive *a, struct mer_map *map, enum archive_ref ref)
{
	visit_some(a, map, ref, NULL, NULL);
}

static bool is_living(const struct kernel_model *m, uint32_t task)
{
	return m->h->tasks[task].end == INT64_MAX;
}

/* Numbers of tasks that have not ended: those of the others follow from the list of all tasks. */
static void visit_tids(struct archive *a, struct kernel_model *m)
{
	visit_some(a, &m->tids, ARCHIVE_TASK, is_living, m);
}

/* ---- the model ---- */

static void visit_numbers(struct archive *a, struct kernel_model *m, int64_t now)
{
	struct kernel_host *h = m->h;
	archive_u64(a, &h->n_events);
	archive_u64(a, &h->n_odd);
	archive_u64(a, &h->n_calls_left_out);
	archive_bool(a, &m->has_call_ends);
	archive_u8(a, &m->wake_rank, 4);
	archive_bool(a, &m->reuses_numbers);
	archive_bool(a, &m->has_taken_up);
	archive_u32(a, &m->holes.n_begun);
	archive_u32(a, &m->holes.n_ended);
	archive_u32(a, &m->n_in_loss);
	archive_u32(a, &m->n_old);
	archive_time(a, &m->lost_until, now);
	archive_u64(a, &m->n_slept);
	if (a->mode == ARCHIVE_READ)
		a->failed |=
			m->holes.n_begun > m->in.losses->n || m->holes.n_ended > m->in.losses->n;
}

static void visit_commands(struct archive *a, struct kernel_model *m)
{
	archive_u32(a, &m->n_commands);
	a->failed |= m->n_commands > MODEL_COMMANDS;
	for (uint32_t i = 0; i < m->n_commands && !a->failed; i++) {
		struct model_command *c = &m->commands[i];
		archive_ref(a, ARCHIVE_REQUEST, &c->request);
		archive_u16(a, &c->cpu);
		archive_bool(a, &c->is_flush);
		a->failed |= c->request == KERNEL_NONE;
	}
}

static void visit_connects(struct archive *a, struct kernel_model *m, int64_t now)
{
	archive_u32(a, &m->n_connects);
	a->failed |= m->n_connects > MODEL_CONNECTS;
	for (uint32_t i = 0; i < m->n_connects && !a->failed; i++) {
		struct model_connect *c = &m->connects[i];
		archive_time(a, &c->time, now);
		archive_u32(a, &c->endpoint);
		archive_ref(a, ARCHIVE_TASK, &c->task);
		a->failed |= c->task == KERNEL_NONE;
	}
}

/* Buffers that were used a moment ago: of others the packet is not looked at any more
 * (passed_on). */
static void visit_skbs(struct archive *a, struct kernel_model *m, int64_t now)
{
	enum { SOON_NS = 50000000 };
	for (int i = 0; i < MODEL_SKBS; i++) {
		struct model_skb *s = &m->skbs[i];
		bool is_used = s->address && now - s->time < SOON_NS;
		archive_bool(a, &is_used);
		if (!is_used)
			continue;
		archive_u64(a, &s->address);
		archive_time(a, &s->time, now);
		archive_ref(a, ARCHIVE_PACKET, &s->packet);
		archive_u32(a, &s->device);
	}
}

static void visit_lulls(struct archive *a, struct kernel_model *m, int64_t now)
{
	uint32_t n = m->n_lulls;
	archive_count(a, &n, 2);
	if (a->mode == ARCHIVE_READ && n) {
		m->lulls = calloc(n, sizeof(*m->lulls));
		a->failed |= !m->lulls;
		m->n_lulls = m->cap_lulls = a->failed ? 0 : n;
	}
	for (uint32_t i = 0; i < m->n_lulls && !a->failed; i++) {
		archive_time(a, &m->lulls[i].begin, now);
		archive_time(a, &m->lulls[i].end, now);
	}
}

/* Which end of a packet comes next; KERNEL_NONE: none. */
static void visit_next_end(struct archive *a, struct kernel_model *m, struct model_next *next)
{
	for (int i = 0; i < 2; i++) {
		struct model_next *x = &next[i];
		if (a->mode != ARCHIVE_READ) {
			bool any = m->next_end[i] < m->in.n_ends;
			struct kernel_end e =
				any ? m->in.ends[m->next_end[i]] : (struct kernel_end){ 0 };
			x->packet = any ? e.packet : KERNEL_NONE;
			x->is_send = any && e.is_send;
		}
		archive_ref(a, ARCHIVE_PACKET, &x->packet);
		archive_bool(a, &x->is_send);
	}
}

/* All but tasks and what is referred to. */
static void visit_rest(
	struct archive *a, struct kernel_model *m, struct model_next *next, int64_t now)
{
	visit_cpus(a, m, now);
	visit_commands(a, m);
	visit_skbs(a, m, now);
	visit_map(a, &m->sent_on, ARCHIVE_PACKET);
	visit_map(a, &m->reads, ARCHIVE_PACKET);
	for (int i = 0; i < MODEL_WOKE; i++)
		archive_ref(a, ARCHIVE_PACKET, &m->woke[i]);
	visit_next_end(a, m, next);
	if (a->mode == ARCHIVE_MARK)
		return; /* what follows refers to nothing that has to be found */
	visit_numbers(a, m, now);
	visit_tids(a, m);
	visit_connects(a, m, now);
	visit_lulls(a, m, now);
	visit_map(a, &m->flows, ARCHIVE_TASK);
	visit_map(a, &m->pollers, ARCHIVE_TASK);
	archive_u32(a, &m->n_woke);
	archive_bool(a, &m->has_shared);
	visit_map(a, &m->h->irq_names, ARCHIVE_NAME);
	visit_map(a, &m->h->devices, ARCHIVE_NAME);
	kernel_files_visit(a, m->files);
}

/* ---- writing ---- */

static void visit_living(struct archive *a, struct kernel_model *m, int64_t now)
{
	struct kernel_host *h = m->h;
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		if (h->tasks[i].end != INT64_MAX)
			continue;
		struct live l = m->live[i];
		/* What was forgotten is not corrected any more. */
		if (l.mode_since != KERNEL_NONE && !kernel_span_kept(h, l.mode_since))
			l.mode_since = h->tasks[i].last;
		archive_ref(a, ARCHIVE_TASK, &i);
		checkpoint_visit_task(a, &h->tasks[i], now);
		visit_live(a, &l, now);
		if (a->mode == ARCHIVE_MARK)
			archive_ref(a, ARCHIVE_SPAN, &h->tasks[i].last);
	}
}

/* Requests that are open: those that were when it was looked last, and new ones. */
static bool find_open_requests(struct model_saver *s, const struct kernel_host *h)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_open; i++) {
		const struct kernel_request *r = &h->requests[s->open[i]];
		if (r->complete == INT64_MIN && !(r->flags & KERNEL_MERGED))
			s->open[n++] = s->open[i];
	}
	s->n_open = n;
	for (; s->n_requests < h->n_requests; s->n_requests++) {
		const struct kernel_request *r = &h->requests[s->n_requests];
		if (r->complete != INT64_MIN || r->flags & KERNEL_MERGED)
			continue;
		if (!mer_grow32(&s->open, s->n_open, &s->cap_open, sizeof(*s->open)))
			return false;
		s->open[s->n_open++] = s->n_requests;
	}
	return true;
}

/* Spans that were forgotten are none. */
static void leave_out_forgotten(struct archive *a, const struct kernel_host *h)
{
	struct archive_set *set = &a->sets[ARCHIVE_SPAN];
	uint32_t n = 0;
	for (uint32_t i = 0; i < set->n; i++) {
		if (kernel_span_kept(h, set->item[i]))
			set->item[n++] = set->item[i];
		else
			*mer_map_get(&set->seen, set->item[i]) = 0;
	}
	set->n = n;
}

/* What is referred to, and what that refers to. Of spans only those that are their tasks' last say
 * more than themselves: by whom they wait, and for what. */
static void mark_all(struct archive *a, struct kernel_model *m, struct model_saver *s,
	struct model_next *next, int64_t now)
{
	struct kernel_host *h = m->h;
	a->mode = ARCHIVE_MARK;
	visit_rest(a, m, next, now);
	visit_living(a, m, now);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		if (h->tasks[i].end == INT64_MAX)
			visit_span(a, model_open(m, i), now);
	for (uint32_t i = 0; i < s->n_open; i++)
		archive_ref(a, ARCHIVE_REQUEST, &s->open[i]);
	struct archive_set *requests = &a->sets[ARCHIVE_REQUEST];
	for (uint32_t i = 0; i < requests->n; i++)
		visit_request(a, &h->requests[requests->item[i]], now);
	leave_out_forgotten(a, h);
	archive_sort(a);
}

static void write_spans(struct archive *a, const struct kernel_host *h, int64_t now)
{
	struct archive_set *set = &a->sets[ARCHIVE_SPAN];
	for (uint32_t i = 0; i < set->n; i++) {
		struct kernel_span s = *kernel_span(h, set->item[i]);
		if (h->tasks[s.task].last != set->item[i])
			s.by = KERNEL_NONE;
		visit_span(a, &s, now);
	}
}

static void write_requests(struct archive *a, struct kernel_model *m, int64_t now)
{
	struct archive_set *set = &a->sets[ARCHIVE_REQUEST];
	for (uint32_t i = 0; i < set->n; i++) {
		struct kernel_request r = m->h->requests[set->item[i]];
		uint8_t places = model_places(m, set->item[i]);
		visit_request(a, &r, now);
		archive_u8(a, &places, 4);
	}
}

static void write_packets(struct archive *a)
{
	struct archive_set *set = &a->sets[ARCHIVE_PACKET];
	uint32_t before = 0;
	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t delta = set->item[i] - before;
		archive_u32(a, &delta);
		before = set->item[i];
	}
}

/* A batch of packets is looked at as a whole (model_flows.c): those that came this long before are
 * needed. */
static int64_t packets_since(const struct kernel_model *m, int64_t now)
{
	enum { BATCH_NS = 10000000 };
	int64_t since = now;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		const struct cpu *c = &m->cpus[i];
		uint32_t depth = c->depth < MODEL_MAX_CONTEXTS ? c->depth : MODEL_MAX_CONTEXTS;
		for (uint32_t k = 0; k <= depth; k++) {
			uint32_t packet = k < depth ? c->contexts[k].packet : c->packet;
			if (packet != KERNEL_NONE && m->in.packets[packet].to.time < since)
				since = m->in.packets[packet].to.time;
		}
	}
	return since > INT64_MIN + BATCH_NS ? since - BATCH_NS : INT64_MIN;
}

static struct model_counts counts_of(
	const struct archive *a, const struct kernel_model *m, int64_t now)
{
	uint32_t living = 0;
	for (uint32_t i = 0; i < m->h->n_tasks; i++)
		living += m->h->tasks[i].end == INT64_MAX;
	return (struct model_counts){ .tasks = m->h->n_tasks,
		.living = living,
		.renames = m->h->n_renames,
		.spans = a->sets[ARCHIVE_SPAN].n,
		.requests = a->sets[ARCHIVE_REQUEST].n,
		.packets = a->sets[ARCHIVE_PACKET].n,
		.all_spans = m->h->n_spans,
		.all_requests = m->h->n_requests,
		.packets_since = packets_since(m, now) };
}

static void visit_counts(struct archive *a, struct model_counts *c, int64_t now)
{
	archive_u32(a, &c->tasks);
	archive_u32(a, &c->living);
	archive_u32(a, &c->renames);
	archive_u32(a, &c->spans);
	archive_u32(a, &c->requests);
	archive_u32(a, &c->packets);
	archive_u32(a, &c->all_spans);
	archive_u32(a, &c->all_requests);
	archive_time(a, &c->packets_since, now);
}

bool model_save(struct model_saver *s, struct kernel_model *m, int64_t now, struct archive *a)
{
	struct model_next next[2];
	struct kernel_host *h = m->h;
	if (!find_open_requests(s, h))
		return false;
	mark_all(a, m, s, next, now);
	a->mode = ARCHIVE_WRITE;
	struct model_counts counts = counts_of(a, m, now);
	visit_counts(a, &counts, now);
	write_packets(a);
	visit_living(a, m, now);
	write_spans(a, h, now);
	write_requests(a, m, now);
	visit_rest(a, m, next, now);
	return !a->failed;
}

void model_saver_fini(struct model_saver *s)
{
	free(s->open);
	*s = (struct model_saver){ 0 };
}

/* ---- reading ---- */

/* What was read of the counts has to fit into what follows. */
static bool is_possible(
	const struct archive *a, const struct model_counts *c, const struct model_whole *whole)
{
	uint64_t left = (uint64_t)(a->end - a->at);
	return !a->failed && c->tasks <= whole->n_tasks && c->renames <= whole->n_renames &&
	       c->packets <= left && c->living <= c->tasks && c->living * (uint64_t)20 <= left &&
	       c->spans * (uint64_t)8 <= left && c->requests * (uint64_t)8 <= left;
}

bool model_read_packets(struct archive *a, const struct model_whole *whole, int64_t now,
	struct model_counts *c, uint32_t **packets)
{
	uint32_t number = 0;
	visit_counts(a, c, now);
	if (!is_possible(a, c, whole))
		return false;
	*packets = calloc((size_t)c->packets + 1, sizeof(**packets));
	if (!*packets)
		return false;
	for (uint32_t i = 0; i < c->packets && !a->failed; i++) {
		uint32_t delta = 0;
		archive_u32(a, &delta);
		a->failed |= __builtin_add_overflow(number, delta, &number) ||
			     number >= whole->n_packets || (i && !delta);
		(*packets)[i] = number;
	}
	return !a->failed;
}

/* Of a task that has ended nothing is asked but that it was there. */
static bool add_dead(struct kernel_host *h, uint32_t task, int64_t end)
{
	struct kernel_span s = { .begin = end,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.cpu = KERNEL_NO_CPU,
		.state = KERNEL_DEAD };
	return kernel_add_span(h, &s) != KERNEL_NONE;
}

static bool add_tasks(
	struct kernel_model *m, const struct model_whole *whole, uint32_t n, const bool *is_living)
{
	struct kernel_host *h = m->h;
	for (uint32_t i = 0; i < n; i++) {
		if (!mer_spill_grow32(h->log.spill, &m->live, i, &m->cap_live, sizeof(*m->live)))
			return false;
		const struct kernel_task *t = &whole->tasks[i];
		if (kernel_add_task(h, t->tid, t->begin) == KERNEL_NONE)
			return false;
		m->live[i] = model_no_live();
		if (is_living[i])
			continue;
		h->tasks[i] = *t;
		h->tasks[i].last = KERNEL_NONE;
		uint32_t *at = mer_map_put(&m->tids, (uint32_t)t->tid);
		if (!at || !add_dead(h, i, t->end))
			return false;
		*at = i + 1;
	}
	return true;
}

bool model_add_renames(struct kernel_host *h, const struct model_whole *whole, uint32_t n)
{
	while (h->n_renames < n) {
		const struct kernel_name *x = &whole->renames[h->n_renames];
		if (!kernel_add_name(h, x->begin, x->name, x->before))
			return false;
	}
	return true;
}

/* Who sent the packets that were on their way: what is left of the spans in which they did. */
static bool add_senders(struct kernel_model *m, const struct model_sender *senders, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct kernel_bridge *p = &m->in.packets[senders[i].packet];
		struct kernel_span s = { .begin = senders[i].asked,
			.task = senders[i].task,
			.call = KERNEL_NONE,
			.by = KERNEL_NONE,
			.source = KERNEL_NONE,
			.cpu = KERNEL_NO_CPU,
			.state = KERNEL_RUNNING };
		if (s.task >= m->h->n_tasks)
			return false;
		p->from.span = kernel_add_span(m->h, &s);
		if (p->from.span == KERNEL_NONE)
			return false;
	}
	return true;
}

static bool read_spans(struct archive *a, struct kernel_host *h, uint32_t n, int64_t now)
{
	for (uint32_t i = 0; i < n && !a->failed; i++) {
		struct kernel_span s = { .before = KERNEL_NONE };
		visit_span(a, &s, now);
		a->failed |= s.task == KERNEL_NONE || kernel_add_span(h, &s) == KERNEL_NONE;
	}
	return !a->failed;
}

static bool read_requests(struct archive *a, struct kernel_model *m, uint32_t n, int64_t now)
{
	for (uint32_t i = 0; i < n && !a->failed; i++) {
		struct kernel_request r = { 0 };
		uint8_t places = 0;
		visit_request(a, &r, now);
		archive_u8(a, &places, 4);
		uint32_t number = a->failed ? KERNEL_NONE : kernel_add_request(m->h, &r);
		a->failed |= number == KERNEL_NONE || !model_put_places(m, number, places);
	}
	return !a->failed;
}

/* What is read of tasks that had not ended; put into the model when all tasks are there. */
struct living {
	bool *is; /* by task */
	struct kernel_task *tasks;
	struct live *live;
	uint32_t *numbers;
};

static bool read_living(
	struct archive *a, const struct model_counts *c, struct living *l, int64_t now)
{
	l->is = calloc((size_t)c->tasks + 1, sizeof(*l->is));
	l->tasks = calloc((size_t)c->living + 1, sizeof(*l->tasks));
	l->live = calloc((size_t)c->living + 1, sizeof(*l->live));
	l->numbers = calloc((size_t)c->living + 1, sizeof(*l->numbers));
	if (!l->is || !l->tasks || !l->live || !l->numbers)
		return false;
	for (uint32_t i = 0; i < c->living && !a->failed; i++) {
		uint32_t *number = &l->numbers[i];
		l->live[i] = model_no_live();
		archive_ref(a, ARCHIVE_TASK, number);
		checkpoint_visit_task(a, &l->tasks[i], now);
		visit_live(a, &l->live[i], now);
		a->failed |= *number >= c->tasks || l->is[*number];
		if (!a->failed)
			l->is[*number] = true;
	}
	return !a->failed;
}

static void free_living(struct living *l)
{
	free(l->is);
	free(l->tasks);
	free(l->live);
	free(l->numbers);
}

static bool put_living(struct kernel_model *m, const struct living *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = l->numbers[i], last = m->h->tasks[t].last;
		if (last == KERNEL_NONE)
			return false; /* its last span is missing */
		m->h->tasks[t] = l->tasks[i];
		m->h->tasks[t].last = last;
		m->live[t] = l->live[i];
	}
	return true;
}

static size_t find_end(const struct kernel_model *m, const struct model_next *next)
{
	if (next->packet == KERNEL_NONE)
		return m->in.n_ends;
	struct kernel_end e = { next->packet & INT32_MAX, next->is_send };
	MER_LOWER_BOUND(
		low, 0, m->in.n_ends, at, kernel_end_compare(m->in.packets, m->in.ends[at], e) < 0);
	return low;
}

static bool restore(
	struct archive *a, struct kernel_model *m, const struct model_restore *in, struct living *l)
{
	const struct model_counts *c = in->counts;
	const struct model_whole *whole = in->whole;
	struct model_next next[2] = { 0 };
	a->limits[ARCHIVE_SPAN] = c->spans;
	a->limits[ARCHIVE_REQUEST] = c->requests;
	a->limits[ARCHIVE_PACKET] = c->packets;
	a->limits[ARCHIVE_TASK] = c->tasks;
	a->limits[ARCHIVE_RENAME] = c->renames;
	a->limits[ARCHIVE_NAME] = whole->n_names;
	a->limits[ARCHIVE_CALL] = whole->n_calls;
	a->tables[ARCHIVE_PACKET] = in->packets;
	/* Before them: a span of each task that has ended, and those of senders. */
	a->bases[ARCHIVE_SPAN] = c->tasks - c->living + in->n_senders;
	if (!read_living(a, c, l, in->now) || !model_add_renames(m->h, whole, c->renames) ||
		!add_tasks(m, whole, c->tasks, l->is) ||
		!add_senders(m, in->senders, in->n_senders) ||
		!read_spans(a, m->h, c->spans, in->now) ||
		!read_requests(a, m, c->requests, in->now) || !put_living(m, l, c->living))
		return false;
	visit_rest(a, m, next, in->now);
	for (int i = 0; i < 2; i++)
		m->next_end[i] = find_end(m, &next[i]);
	return !a->failed;
}

bool model_restore(struct archive *a, struct kernel_model *m, const struct model_restore *in)
{
	struct living l = { 0 };
	bool ok = restore(a, m, in, &l);
	free_living(&l);
	if (!ok)
		return false;
	m->restored = in->now;
	kernel_holes_go_on(&m->holes, m->holes.n_begun, m->holes.n_ended);
	return model_edges_from(m, in->now) == 0;
}
