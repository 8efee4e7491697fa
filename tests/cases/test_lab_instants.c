/* What `state` says of a moment is what the scheduler's events say, replayed by themselves: who was
 * on each CPU, who waited for one, who slept. At 200 moments of each recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"
#include "recording.h"
#include "session/instant.h"

enum { INSTANTS = 200, MAX_CPUS = 64 };

enum known { NOTHING, RUNS, WAITS_FOR_CPU, SLEEPS, IS_WOKEN };

struct host {		       /* as replayed */
	int64_t tid[MAX_CPUS]; /* on each CPU; -1: not known */
	struct mer_map tasks;  /* tid -> enum known */
};

struct replay {
	struct recording r;
	struct kernel_world *world;
	struct session_world w;
	struct host *hosts;
	int64_t at[INSTANTS];
	size_t n_cpus_seen, n_tasks_seen;
};

static uint32_t next_random(void)
{
	static uint64_t state = 7;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static uint32_t *known_of(struct host *h, int64_t tid)
{
	uint32_t *k = mer_map_put(&h->tasks, (uint64_t)tid);
	assert_non_null(k);
	return k;
}

/* ---- Replaying ---- */

enum { SWITCH, WAKING, WAKEUP, N_NEEDS };

static const struct mer_need needs[N_NEEDS] = {
	[SWITCH] = { "sched_switch", "prev_tid prev_state next_tid" },
	[WAKING] = { "sched_waking", "tid" },
	[WAKEUP] = { "sched_wakeup*", "tid" },
};

static void apply(struct replay *x, const struct mer_event *ev)
{
	const struct mer_stream *s = mer_stream_at(x->r.e, ev->stream);
	struct host *h = &x->hosts[x->r.e->traces[s->trace].host];
	int64_t tid = (int64_t)ev->slots[0];
	if (s->cpu < 0 || s->cpu >= MAX_CPUS)
		return;
	if (mer_event_need(ev) == SWITCH) {
		int64_t next = (int64_t)ev->slots[2];
		/* Flags above the states say that it was preempted. */
		bool is_ready = (ev->slots[1] & 0xff) == 0;
		if (tid)
			*known_of(h, tid) = is_ready ? WAITS_FOR_CPU : SLEEPS;
		if (next)
			*known_of(h, next) = RUNS;
		h->tid[s->cpu] = next;
	} else if (tid && *known_of(h, tid) == SLEEPS) {
		*known_of(h, tid) = mer_event_need(ev) == WAKING ? IS_WOKEN : WAITS_FOR_CPU;
	} else if (tid && *known_of(h, tid) == IS_WOKEN && mer_event_need(ev) == WAKEUP) {
		*known_of(h, tid) = WAITS_FOR_CPU;
	}
}

/* ---- Comparing ---- */

static bool agrees(enum known k, const struct kernel_span *s)
{
	switch (k) {
	case RUNS: return kernel_is_on_cpu((enum kernel_state)s->state);
	case WAITS_FOR_CPU: return s->state == KERNEL_RUNNABLE;
	case SLEEPS:
		return s->state == KERNEL_BLOCKED || s->state == KERNEL_STOPPED ||
		       s->state == KERNEL_DEAD || s->state == KERNEL_NEW;
	case IS_WOKEN:
		return s->state == KERNEL_RUNNABLE || s->state == KERNEL_BLOCKED ||
		       s->state == KERNEL_NEW;
	default: return true;
	}
}

/* After a loss nothing of before is known any more. */
static void forget_lost(struct replay *x, int64_t before, int64_t at)
{
	for (size_t i = 0; i < x->r.e->n_losses; i++) {
		const struct mer_loss *l = mer_loss_at(x->r.e, i);
		const struct mer_stream *s = mer_stream_at(x->r.e, l->stream);
		struct host *h = &x->hosts[x->r.e->traces[s->trace].host];
		if (l->begin == MER_NO_TIME || l->begin > at || l->end < before)
			continue;
		for (int c = 0; c < MAX_CPUS; c++)
			h->tid[c] = -1;
		mer_map_fini(&h->tasks);
	}
}

static void compare(struct replay *x, int64_t at)
{
	const struct session_selection all = { 0 };
	struct session_instant now;
	struct mer_arena arena;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	if (session_instant_find(&x->w, at, &all, &arena, &now, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < now.n_cpus; i++) {
		const struct session_instant_cpu *c = &now.cpus[i];
		int64_t want = c->cpu < MAX_CPUS ? x->hosts[c->host].tid[c->cpu] : -1;
		int64_t got = 0;
		if (c->task != SIZE_MAX)
			got = x->world->hosts[c->host].tasks[now.tasks[c->task].task].tid;
		if (want < 0 || c->is_unknown)
			continue;
		if (got != want)
			fail_msg("%s: host %u CPU %u at %lld: %lld, not %lld", x->r.name,
				(unsigned)c->host, (unsigned)c->cpu, (long long)at, (long long)got,
				(long long)want);
		x->n_cpus_seen++;
	}
	for (size_t i = 0; i < now.n_tasks; i++) {
		const struct session_instant_task *t = &now.tasks[i];
		const struct kernel_host *h = &x->world->hosts[t->host];
		int32_t tid = h->tasks[t->task].tid;
		enum known k = (enum known) * known_of(&x->hosts[t->host], tid);
		if (t->span == KERNEL_NONE || k == NOTHING)
			continue;
		const struct kernel_span *s = kernel_span(h, t->span);
		if (s->state != KERNEL_UNKNOWN && !agrees(k, s))
			fail_msg("%s: host %u tid %d at %lld: %s, replayed %d", x->r.name,
				(unsigned)t->host, (int)tid, (long long)at,
				kernel_state_name((enum kernel_state)s->state), (int)k);
		x->n_tasks_seen += s->state != KERNEL_UNKNOWN;
	}
	mer_arena_fini(&arena);
}

static void replay(struct replay *x)
{
	struct mer_read_options o = MER_OPTIONS(struct mer_read_options);
	struct mer_cursor *cursor;
	const struct mer_event *events;
	struct mer_err err = { 0 };
	size_t n, next = 0;
	o.needs = needs;
	o.n_needs = N_NEEDS;
	if (mer_cursor_open(x->r.e, &o, &cursor, &err))
		fail_msg("%s", err.text);
	while (mer_cursor_next(cursor, &events, &n, &err) == 0 && n)
		for (size_t i = 0; i < n; i++) {
			while (next < INSTANTS && x->at[next] < events[i].ts) {
				forget_lost(x, next ? x->at[next - 1] : INT64_MIN, x->at[next]);
				compare(x, x->at[next++]);
			}
			/* At the very time of an event both sides are right. */
			while (next < INSTANTS && x->at[next] == events[i].ts)
				next++;
			apply(x, &events[i]);
		}
	mer_cursor_free(cursor);
}

static void instants_of(const char *name)
{
	struct replay x = { 0 };
	struct mer_err err = { 0 };
	recording_open(&x.r, name);
	const struct kernel_world_options o = { .n_threads = 2 };
	if (kernel_world_build(x.r.e, &x.r.messages, x.r.result, &o, &x.world, &err))
		fail_msg("%s", err.text);
	x.w = (struct session_world){ .e = x.r.e, .world = x.world };
	x.hosts = calloc(x.r.e->n_hosts, sizeof(*x.hosts));
	assert_non_null(x.hosts);
	for (uint32_t h = 0; h < x.r.e->n_hosts; h++)
		for (int c = 0; c < MAX_CPUS; c++)
			x.hosts[h].tid[c] = -1;
	for (int i = 0; i < INSTANTS; i++)
		x.at[i] = x.r.e->begin + (int64_t)((double)(x.r.e->end - x.r.e->begin) *
						   next_random() / (double)UINT32_MAX * 2);
	qsort(x.at, INSTANTS, sizeof(*x.at), by_time);
	replay(&x);
	printf("%s: %zu CPUs, %zu tasks\n", name, x.n_cpus_seen, x.n_tasks_seen);
	assert_true(x.n_cpus_seen > INSTANTS / 4 && x.n_tasks_seen > INSTANTS);
	for (uint32_t h = 0; h < x.r.e->n_hosts; h++)
		mer_map_fini(&x.hosts[h].tasks);
	free(x.hosts);
	kernel_world_free(x.world);
	recording_close(&x.r);
}

#define RECORDING(id, name)                                                                        \
	static void id(void **state)                                                               \
	{                                                                                          \
		(void)state;                                                                       \
		instants_of(name);                                                                 \
	}
RECORDING(shop_a, "lab/shop-a")
RECORDING(web_load, "lab/web-load")
RECORDING(ipc_zoo, "lab/ipc-zoo")
RECORDING(mpi_3vm, "lab/mpi-3vm")
RECORDING(lost_events, "lab/lost-events")
RECORDING(threadirqs, "lab/threadirqs")

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shop_a),
		cmocka_unit_test(web_load),
		cmocka_unit_test(ipc_zoo),
		cmocka_unit_test(mpi_3vm),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(threadirqs),
	};
	return cmocka_run_group_tests_name("cases instants", tests, NULL, NULL);
}
