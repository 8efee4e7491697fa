#include "tasks_world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void need(bool ok)
{
	if (!ok)
		__builtin_trap();
}

void tw_init(struct tasks_world *t, uint32_t n_hosts, int64_t end)
{
	*t = (struct tasks_world){ 0 };
	need(n_hosts <= 3);
	for (uint32_t i = 0; i < n_hosts; i++) {
		kernel_host_init(&t->hosts[i]);
		t->hosts[i].end = end * MS;
	}
	t->w.hosts = t->hosts;
	t->w.n_hosts = n_hosts;
	t->w.bridges = t->packets;
}

void tw_fini(struct tasks_world *t)
{
	for (uint32_t i = 0; i < t->w.n_hosts; i++)
		kernel_host_fini(&t->hosts[i]);
}

static uint32_t add_task(
	struct tasks_world *t, uint32_t host, int32_t tid, const char *comm, int64_t at)
{
	struct kernel_host *h = &t->hosts[host];
	uint32_t task = kernel_add_task(h, tid, at * MS);
	need(task != KERNEL_NONE);
	h->tasks[task].pid = tid;
	h->tasks[task].end = h->end;
	h->tasks[task].died = INT64_MAX;
	need(kernel_rename(h, task, at * MS, comm, strlen(comm), NULL) == 0);
	return task;
}

uint32_t tw_task(struct tasks_world *t, uint32_t host, int32_t tid, const char *comm)
{
	return add_task(t, host, tid, comm, 0);
}

uint32_t tw_fork(struct tasks_world *t, uint32_t host, uint32_t parent, int32_t tid,
	const char *comm, int64_t at)
{
	uint32_t task = add_task(t, host, tid, comm, at);
	t->hosts[host].tasks[task].parent = parent;
	t->hosts[host].tasks[task].born = true;
	return task;
}

void tw_exit(struct tasks_world *t, uint32_t host, uint32_t task, int64_t at)
{
	tw_span(t, host, task, at, KERNEL_DEAD);
	t->hosts[host].tasks[task].died = at * MS;
	t->hosts[host].tasks[task].end = at * MS;
}

static uint32_t add_span(struct tasks_world *t, uint32_t host, const struct kernel_span *s)
{
	uint32_t span = kernel_add_span(&t->hosts[host], s);
	need(span != KERNEL_NONE);
	return span;
}

uint32_t tw_span(
	struct tasks_world *t, uint32_t host, uint32_t task, int64_t at, enum kernel_state state)
{
	struct kernel_span s = { .begin = at * MS,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.state = (uint8_t)state };
	return add_span(t, host, &s);
}

uint32_t tw_wait(struct tasks_world *t, uint32_t host, uint32_t task, int64_t at, const char *call,
	const char *object, enum kernel_cause cause)
{
	struct kernel_host *h = &t->hosts[host];
	struct kernel_call c = { .fd = -1, .object = KERNEL_NONE };
	struct kernel_span s = { .begin = at * MS,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.state = KERNEL_BLOCKED,
		.cause = (uint8_t)cause };
	if (*call) {
		c.name = mer_intern_add(&h->names, call, strlen(call));
		if (*object)
			c.object = mer_intern_add(&h->names, object, strlen(object));
		s.call = kernel_add_call(h, &c);
		need(s.call != KERNEL_NONE);
	}
	return add_span(t, host, &s);
}

void tw_by(struct tasks_world *t, uint32_t host, uint32_t wait, uint32_t span)
{
	kernel_span(&t->hosts[host], wait)->by = span;
}

void tw_by_packet(struct tasks_world *t, uint32_t host, uint32_t wait, uint32_t from,
	uint32_t sender, int64_t sent, int64_t received)
{
	need(t->w.n_bridges < 32);
	t->packets[t->w.n_bridges] = (struct kernel_bridge){ .from.time = sent * MS,
		.to.time = received * MS,
		.from.host = from,
		.to.host = host,
		.from.span = sender,
		.answers = KERNEL_NONE,
		.to.span = KERNEL_NONE };
	kernel_span(&t->hosts[host], wait)->source = t->w.n_bridges++;
}

enum { ROOM = 8, TEXTS = 200 };

struct kernel_guest *tw_guest(struct tasks_world *t, uint32_t host, uint32_t hypervisor)
{
	struct kernel_guest *g = t->hosts[host].guest = calloc(1, sizeof(*g));
	need(g);
	g->absences = calloc(ROOM, sizeof(*g->absences));
	g->moves = calloc(ROOM, sizeof(*g->moves));
	g->relays = calloc(ROOM, sizeof(*g->relays));
	g->aways = mer_spill_array(NULL, ROOM, sizeof(*g->aways));
	g->texts = calloc(1, TEXTS);
	need(g->absences && g->moves && g->relays && g->aways && g->texts);
	g->n_texts = 1;
	g->hypervisor = hypervisor;
	return g;
}

uint32_t tw_absence(struct kernel_guest *g, enum kernel_vcpu_state state, const char *words)
{
	uint32_t n = (uint32_t)strlen(words) + 1;
	need(g->n < ROOM && g->n_texts + n <= TEXTS);
	memcpy(g->texts + g->n_texts, words, n);
	g->absences[g->n] = (struct kernel_absence){
		.state = (uint8_t)state, .words = g->n_texts, .thread = KERNEL_NONE
	};
	g->n_texts += n;
	return g->n++;
}
