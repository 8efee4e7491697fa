/* Servers: processes that accept connections; how long connections that were ready waited for it,
 * and how evenly the work is spread over those who wait for them.
 *
 * A connection is ready when the first packet of its client has come after the first one that was
 * sent to it: that is the end of the handshake. Where accept did not tell the client, it is the
 * packet that ended the wait in accept, if there was one. Where packets are not recorded, or a
 * client's port was used again, it is not known since when a connection was ready.
 *
 * A worker is a thread that has called accept. Workers of one process are one server; so are those
 * of several processes on one listening socket, where its number is known (from the state dump). */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "kernel/files/object_name.h"

struct worker {			       /* by task */
	uint64_t calls, accepts, vain; /* calls of accept; vain: there was nothing */
	uint64_t wakeups, switches;    /* waits that ended; how often it came onto a CPU */
	struct analysis_stats ready;   /* while emit runs */
	uint32_t object;	       /* what it listens on: name; KERNEL_NONE */
	int64_t woken;		       /* by this packet, the last time: */
	uint32_t packet;
	int32_t max_fd;
	uint32_t max_open; /* connections of the process at a time, when this worker accepted */
};

struct accepted {
	uint32_t task, name; /* of the new descriptor; KERNEL_NONE: not told yet */
	uint32_t packet;     /* that ended the wait for it; KERNEL_NONE */
	int64_t end;
};

struct state {
	struct worker *workers;
	size_t cap_workers;
	struct accepted *accepted;
	size_t n_accepted, cap_accepted;
	struct mer_map open;   /* process and descriptor -> accepted, plus 1 */
	struct mer_map n_open; /* process -> connections that are open now */
};

static void free_state(void *state)
{
	struct state *s = state;
	mer_map_fini(&s->open);
	mer_map_fini(&s->n_open);
	free(s->workers);
	free(s->accepted);
}

/* ---- while reading ---- */

static struct worker *worker_of(struct analysis_host *a, uint32_t task)
{
	struct state *s = a->state;
	return task < s->cap_workers
		       ? &s->workers[task]
		       : mer_grow_at(&s->workers, &s->cap_workers, task, sizeof(*s->workers));
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct analysis_host *a = ctx;
	const struct kernel_span *k = kernel_span(h, span);
	if ((k->state != KERNEL_BLOCKED && k->state != KERNEL_RUNNABLE) ||
		!analysis_is_asked(a->run->options, end) || h->tasks[k->task].is_kernel)
		return 0;
	struct worker *w = worker_of(a, k->task);
	if (!w)
		return mer_fail_nomem(a->err);
	if (k->state == KERNEL_RUNNABLE) {
		w->switches++;
		return 0;
	}
	w->wakeups++;
	if (k->cause == KERNEL_NETWORK && k->source != KERNEL_NONE) {
		w->woken = end;
		w->packet = k->source + 1;
	}
	return 0;
}

/* Threads of a process have its descriptors in common. */
static uint64_t process_of(const struct kernel_host *h, uint32_t task)
{
	int32_t pid = h->tasks[task].pid;
	return pid >= 0 ? (uint32_t)pid : (uint64_t)1 << 31 | task;
}

static bool opened(struct state *s, const struct kernel_host *h, struct worker *w,
	const struct kernel_call_end *c)
{
	uint64_t process = process_of(h, c->task);
	struct accepted *x = mer_grow_at(&s->accepted, &s->cap_accepted, s->n_accepted, sizeof(*x));
	uint32_t *at = x ? mer_map_put(&s->open, process << 32 | (uint32_t)c->ret) : NULL;
	if (!at)
		return false;
	bool was_open = *at != 0;
	*x = (struct accepted){ .task = c->task,
		.name = KERNEL_NONE,
		.packet = w->packet && w->woken >= c->begin ? w->packet - 1 : KERNEL_NONE,
		.end = c->end };
	*at = (uint32_t)++s->n_accepted;
	uint32_t *n = mer_map_put(&s->n_open, process);
	if (!n)
		return false;
	*n += !was_open;
	w->max_open = *n > w->max_open ? *n : w->max_open;
	return true;
}

static void closed(struct state *s, const struct kernel_host *h, uint32_t task, int32_t fd)
{
	uint64_t process = process_of(h, task);
	uint32_t *at = mer_map_get(&s->open, process << 32 | (uint32_t)fd);
	if (!at || !*at)
		return;
	*at = 0;
	uint32_t *n = mer_map_get(&s->n_open, process);
	if (n && *n)
		--*n;
}

/* A later call on the connection tells its client. */
static void learn_name(
	struct state *s, const struct kernel_host *h, uint32_t task, const struct kernel_call *call)
{
	const uint32_t *at = mer_map_get(&s->open, process_of(h, task) << 32 | (uint32_t)call->fd);
	if (at && *at && s->accepted[*at - 1].name == KERNEL_NONE)
		s->accepted[*at - 1].name = call->object;
}

static int accepts(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call *call, const struct kernel_call_end *c)
{
	enum { EAGAIN_ = 11 };
	struct worker *w = worker_of(a, c->task);
	if (!w)
		return mer_fail_nomem(a->err);
	bool found = c->ret >= 0 && c->ret <= INT32_MAX;
	if (call->object != KERNEL_NONE)
		w->object = call->object + 1;
	w->calls++;
	w->accepts += found;
	w->vain += c->ret == -EAGAIN_;
	return !found || opened(a->state, h, w, c) ? 0 : mer_fail_nomem(a->err);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	const struct kernel_call *call = &h->calls[c->call];
	bool asked = analysis_is_asked(a->run->options, c->end);
	int32_t fd = call->fd;
	switch (c->kind) {
	case KERNEL_CALL_ACCEPT:
	case KERNEL_CALL_OPEN:
	case KERNEL_CALL_OPEN_AT:
	case KERNEL_CALL_SOCKET:
	case KERNEL_CALL_DUP: fd = c->ret > fd && c->ret <= INT32_MAX ? (int32_t)c->ret : fd; break;
	case KERNEL_CALL_CLOSE:
		if (s->n_accepted && fd >= 0)
			closed(s, h, c->task, fd);
		fd = -1; /* all that there may be are closed by some programs */
		break;
	default: break;
	}
	if (asked && fd >= 0) {
		struct worker *w = worker_of(a, c->task);
		if (!w)
			return mer_fail_nomem(a->err);
		w->max_fd = fd + 1 > w->max_fd ? fd + 1 : w->max_fd;
	}
	if (c->kind == KERNEL_CALL_ACCEPT)
		return asked && analysis_wants_cpu(a, c->cpu) && analysis_wants_task(a, h, c->task)
			       ? accepts(a, h, call, c)
			       : 0;
	if (s->n_accepted && call->fd >= 0 && call->kind == KERNEL_OBJECT_SOCKET &&
		call->object != KERNEL_NONE)
		learn_name(s, h, c->task, call);
	return 0;
}

/* ---- since when connections were ready ---- */

struct client {			 /* an address and port, of which one connection was accepted */
	int64_t answered, ready; /* INT64_MIN: not yet */
	uint32_t n;
};

static void look_at_packets(const struct kernel_world *w, uint32_t host, const struct mer_map *map,
	struct client *clients)
{
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(w, i);
		const uint32_t *at;
		if (p->kind != SYNC_TCP || !p->from.endpoint)
			continue;
		at = p->from.host == host ? mer_map_get(map, p->to.endpoint) : NULL;
		if (at && clients[*at - 1].answered == INT64_MIN)
			clients[*at - 1].answered = p->from.time;
		at = p->to.host == host ? mer_map_get(map, p->from.endpoint) : NULL;
		if (at) {
			struct client *x = &clients[*at - 1];
			if (x->ready == INT64_MIN && x->answered != INT64_MIN &&
				p->to.time > x->answered)
				x->ready = p->to.time;
		}
	}
}

static int find_ready(struct analysis_run *run, uint32_t host)
{
	struct state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct mer_map map = { 0 };
	struct client *clients = calloc(s->n_accepted + 1, sizeof(*clients));
	bool ok = clients != NULL;
	for (size_t i = 0; i < s->n_accepted && ok; i++) {
		uint32_t peer = kernel_name_endpoint(kernel_name_text(h, s->accepted[i].name));
		uint32_t *at = peer ? mer_map_put(&map, peer) : NULL;
		ok = !peer || at;
		if (!at)
			continue;
		if (!*at)
			*at = (uint32_t)i + 1;
		clients[*at - 1].n++;
		clients[*at - 1].answered = clients[*at - 1].ready = INT64_MIN;
	}
	if (ok && map.n)
		look_at_packets(run->world, host, &map, clients);
	for (size_t i = 0; i < s->n_accepted && ok; i++) {
		const struct accepted *x = &s->accepted[i];
		uint32_t peer = kernel_name_endpoint(kernel_name_text(h, x->name));
		const uint32_t *at = peer ? mer_map_get(&map, peer) : NULL;
		const struct client *c = at && *at ? &clients[*at - 1] : NULL;
		int64_t ready = c && c->n == 1 ? c->ready : INT64_MIN;
		if (!peer && x->packet != KERNEL_NONE)
			ready = kernel_bridge_at(run->world, x->packet)->to.time;
		if (ready != INT64_MIN && ready <= x->end)
			analysis_stats_add(&s->workers[x->task].ready, x->end - ready, ready);
	}
	mer_map_fini(&map);
	free(clients);
	return ok ? 0 : mer_fail_nomem(run->err);
}

/* ---- tables ---- */

enum { TOP, WORKERS }; /* outputs */

struct process { /* of any threads, workers or not */
	uint64_t switches;
	int32_t max_fd;
	uint32_t server; /* number of that in which it was counted last, plus 1 */
};

struct processes {	    /* of a host; zeroed: empty */
	struct mer_map map; /* process_of -> number, plus 1 */
	struct process *all;
	size_t n, cap;
};

static bool find_processes(const struct state *s, const struct kernel_host *h, struct processes *p)
{
	for (uint32_t i = 0; i < s->cap_workers && i < h->n_tasks; i++) {
		const struct worker *w = &s->workers[i];
		uint32_t *at = mer_map_put(&p->map, process_of(h, i));
		struct process *x =
			at ? mer_grow_at(&p->all, &p->cap, *at ? *at - 1 : p->n, sizeof(*x)) : NULL;
		if (!x)
			return false;
		if (!*at)
			*at = (uint32_t)++p->n;
		x->switches += w->switches;
		x->max_fd = w->max_fd > x->max_fd ? w->max_fd : x->max_fd;
	}
	return true;
}

struct member {		 /* a worker, and what it is put together with */
	uint64_t server; /* equal for workers of one */
	uint32_t task;
};

static int by_server(const void *a, const void *b)
{
	const struct member *p = a, *q = b;
	if (p->server != q->server)
		return p->server < q->server ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

static const char *object_of(const struct kernel_host *h, const struct worker *w)
{
	return w->object ? kernel_name_text(h, w->object - 1) : NULL;
}

static uint64_t server_of(const struct kernel_host *h, const struct worker *w, uint32_t task)
{
	const char *object = object_of(h, w);
	if (object && strncmp(object, "socket:[", 8) == 0)
		return (uint64_t)1 << 63 | w->object;
	return process_of(h, task);
}

static struct mer_cell ratio(double above, double below)
{
	return below > 0 ? MER_REAL_CELL(above / below) : MER_NONE;
}

/* Known, mean, max, total. */
static void ready_cells(const struct analysis_stats *ready, struct mer_cell *cells)
{
	struct mer_cell s[ANALYSIS_STATS_CELLS];
	enum { COUNT, MIN, MAX, MEAN, STDDEV, TOTAL };
	analysis_stats_cells(ready, s);
	cells[0] = ready->n ? s[MEAN] : MER_NONE;
	cells[1] = ready->n ? s[MAX] : MER_NONE;
	cells[2] = MER_INT(ready->n);
}

static void emit_worker(struct analysis_run *run, uint32_t host, uint32_t task, struct mer_table *t)
{
	const struct state *s = run->states[host];
	const struct worker *w = &s->workers[task];
	struct mer_cell c[12];
	analysis_task_cells(run, host, task, INT64_MAX, c);
	c[4] = MER_INT(w->accepts);
	ready_cells(&w->ready, c + 5);
	c[8] = MER_INT(w->vain);
	c[9] = MER_INT(w->wakeups);
	c[10] = MER_INT(w->switches);
	c[11] = mer_text(object_of(&run->world->hosts[host], w));
	mer_table_add(t, c);
}

/* Members of server number `server`. Threads of their processes that never accepted count for its
 * switches and descriptors: the work goes on there. */
static void emit_server(struct analysis_run *run, uint32_t host, const struct member *m, size_t n,
	struct processes *all, uint32_t server, struct mer_table *t)
{
	const struct state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct worker sum = { 0 };
	uint64_t most = 0, processes = 0, own_wakeups = 0;
	const struct worker *best = &s->workers[m[0].task];
	uint32_t best_task = m[0].task;
	for (size_t i = 0; i < n; i++) {
		const struct worker *w = &s->workers[m[i].task];
		analysis_stats_merge(&sum.ready, &w->ready);
		sum.accepts += w->accepts;
		sum.vain += w->vain;
		own_wakeups += w->wakeups;
		most = w->wakeups > most ? w->wakeups : most;
		if (w->accepts > best->accepts) {
			best = w;
			best_task = m[i].task;
		}
		sum.max_open = w->max_open > sum.max_open ? w->max_open : sum.max_open;
		const uint32_t *at = mer_map_get(&all->map, process_of(h, m[i].task));
		struct process *x = at ? &all->all[*at - 1] : NULL;
		if (!x || x->server == server + 1) /* another worker of it was there */
			continue;
		x->server = server + 1;
		processes++;
		sum.switches += x->switches;
		sum.max_fd = x->max_fd > sum.max_fd ? x->max_fd : sum.max_fd;
	}
	struct mer_cell c[17];
	analysis_task_cells(run, host, best_task, INT64_MAX, c);
	c[4] = MER_INT(sum.accepts);
	ready_cells(&sum.ready, c + 5);
	c[8] = MER_INT(sum.vain);
	c[9] = MER_INT(n);
	c[10] = MER_INT(own_wakeups);
	c[11] = ratio((double)most * (double)n, (double)own_wakeups);
	c[12] = ratio((double)sum.switches, (double)sum.accepts);
	c[13] = sum.max_open ? MER_INT(sum.max_open) : MER_NONE;
	c[14] = sum.max_fd ? MER_INT(sum.max_fd) : MER_NONE;
	c[15] = MER_INT(processes);
	c[16] = mer_text(object_of(h, best));
	mer_table_add(t, c);
}

static int emit_host(struct analysis_run *run, uint32_t host, unsigned output, struct mer_table *t)
{
	struct state *s = run->states[host];
	const struct kernel_host *h = &run->world->hosts[host];
	struct member *members = calloc(s->cap_workers + 1, sizeof(*members));
	struct processes processes = { 0 };
	size_t n = 0;
	int rc = members && find_processes(s, h, &processes) ? 0 : mer_fail_nomem(run->err);
	for (uint32_t i = 0; i < s->cap_workers; i++)
		s->workers[i].ready = (struct analysis_stats){ 0 };
	if (rc == 0 && s->n_accepted)
		rc = find_ready(run, host);
	for (uint32_t i = 0; i < s->cap_workers && i < h->n_tasks && rc == 0; i++)
		if (s->workers[i].calls)
			members[n++] = (struct member){ server_of(h, &s->workers[i], i), i };
	if (n)
		qsort(members, n, sizeof(*members), by_server);
	for (size_t i = 0, k; i < n && rc == 0; i = k) {
		for (k = i; k < n && members[k].server == members[i].server; k++)
			if (output == WORKERS)
				emit_worker(run, host, members[k].task, t);
		if (output == TOP)
			emit_server(run, host, &members[i], k - i, &processes, (uint32_t)i, t);
	}
	free(members);
	free(processes.all);
	mer_map_fini(&processes.map);
	return rc;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++)
		rc = emit_host(run, h, output, t);
	return rc;
}

#define READY_COLUMNS                                                                              \
	{ "accept_delay_mean_ns", "delay mean", MER_DURATION },                                    \
		{ "accept_delay_max_ns", "max", MER_DURATION },                                    \
	{                                                                                          \
		"accept_delay_known", NULL, MER_COUNT                                              \
	}
static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "accepts", "accepts", MER_COUNT }, READY_COLUMNS,
	{ "spurious_accepts", "spurious", MER_COUNT }, { "workers", "workers", MER_COUNT },
	{ "wakeups", "wake-ups", MER_COUNT }, { "imbalance", "max/mean", MER_REAL },
	{ "switches_per_accept", "switches/accept", MER_REAL },
	{ "max_connections", "max open", MER_COUNT },
	{ "max_descriptors", "descriptors", MER_COUNT }, { "processes", NULL, MER_COUNT },
	{ "object", NULL, MER_TEXT }, { 0 } };
static const struct mer_column worker_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "accepts", "accepts", MER_COUNT }, READY_COLUMNS,
	{ "spurious_accepts", "spurious", MER_COUNT }, { "wakeups", "wake-ups", MER_COUNT },
	{ "switches", "switches", MER_COUNT }, { "object", "listens on", MER_TEXT }, { 0 } };

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Servers that accept connections", top_columns, .sort = "accepts" },
	[WORKERS] = { "top_workers", "Threads that accept connections", worker_columns,
		.sort = "accepts" },
	{ 0 }
};

const struct analysis analysis_servers = {
	.id = "servers",
	.title = "Servers",
	.help = "who accepts connections, how long these waited, and how evenly workers share",
	.messages = true,
	.outputs = outputs,
	.worth = "accepts accept_delay_max_ns accept_delay_mean_ns workers max_connections "
		 "spurious_accepts object "
		 "imbalance",
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call },
	.emit = emit,
	.free_state = free_state,
};
