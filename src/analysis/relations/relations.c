#include "analysis/relations/relations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/relations/idle.h"
#include "analysis/relations/started.h"
#include "analysis/relations/state.h"
#include "analysis/tracer.h"
#include "kernel/events.h"

const char *relation_kind_name(enum relation_kind kind)
{
	static const char *const names[RELATION_N_KINDS] = { "tcp", "udp", "network", "unix",
		"socket", "pipe", "fifo", "eventfd", "inotify", "tty", "futex", "semaphore",
		"queue", "lock", "signal", "fork", "wait", "ptrace", "shared-memory?", "kernel" };
	return names[kind];
}

/* ---- what the files have in common ---- */

struct relation_use relation_use_of(const struct kernel_host *h, uint32_t call)
{
	if (call == KERNEL_NONE)
		return (struct relation_use){ .role = ROLE_OTHER,
			.call = call,
			.object = KERNEL_NONE,
			.name = KERNEL_NONE,
			.fd = -1 };
	const struct kernel_call *c = &h->calls[call];
	return (struct relation_use){ .role = relation_role_of(kernel_call_classes(c->id)),
		.call = call,
		.object = c->object,
		.name = c->name,
		.fd = c->fd,
		.kind = c->kind,
		.end = c->end };
}

uint32_t relation_call_now(const struct kernel_host *h, uint32_t task)
{
	const struct kernel_span *s = kernel_span_kept(h, h->tasks[task].last);
	return s ? s->call : KERNEL_NONE;
}

struct relation_task *relation_task(struct analysis_host *a, uint32_t task)
{
	struct relation_state *s = relation_state(a);
	return task < s->cap_tasks ? &s->tasks[task]
				   : mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

bool relation_find_tid(
	struct analysis_host *a, const struct kernel_host *h, int32_t tid, uint32_t *task)
{
	struct relation_state *s = relation_state(a);
	*task = KERNEL_NONE;
	for (; s->n_indexed < h->n_tasks; s->n_indexed++) {
		uint32_t *at = mer_map_put(&s->tids, (uint32_t)h->tasks[s->n_indexed].tid);
		if (!at)
			return false;
		*at = s->n_indexed + 1;
	}
	const uint32_t *at = tid > 0 ? mer_map_get(&s->tids, (uint32_t)tid) : NULL;
	if (at && *at)
		*task = *at - 1;
	return true;
}

static uint64_t flow_key(uint32_t leader, int32_t fd)
{
	return (uint64_t)leader << 32 | (uint32_t)fd;
}

/* The main thread of the task's process, or the task itself if that is not known. False: no
 * memory. */
static bool leader_of(
	struct analysis_host *a, const struct kernel_host *h, uint32_t task, uint32_t *leader)
{
	if (!relation_find_tid(a, h, h->tasks[task].pid, leader))
		return false;
	if (*leader == KERNEL_NONE)
		*leader = task;
	return true;
}

/* The flow of the same descriptor in the process that forked this one; 0: none, or no memory. */
static uint32_t inherited(
	struct analysis_host *a, const struct kernel_host *h, uint32_t leader, int32_t fd)
{
	uint32_t parent = h->tasks[leader].parent, its_leader;
	if (parent == KERNEL_NONE || !leader_of(a, h, parent, &its_leader))
		return 0;
	const uint32_t *at = mer_map_get(&relation_state(a)->flows_by_fd, flow_key(its_leader, fd));
	return at ? *at : 0;
}

static uint32_t make_flow(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	uint64_t key, uint32_t copy_of)
{
	struct relation_state *s = relation_state(a);
	const struct kernel_span *now = kernel_span_kept(h, h->tasks[task].last);
	uint32_t *at = mer_map_put(&s->flows_by_fd, key);
	struct relation_flow *f =
		at ? mer_grow_at(&s->flows, &s->cap_flows, s->n_flows, sizeof(*f)) : NULL;
	if (!f)
		return 0;
	*f = (struct relation_flow){ .begin = now ? now->begin : h->tasks[task].begin,
		.copy_of = copy_of,
		.object = KERNEL_NONE,
		.owner = task };
	return *at = (uint32_t)++s->n_flows;
}

uint32_t relation_flow_of(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, bool make, bool *no_memory)
{
	struct relation_state *s = relation_state(a);
	uint32_t leader;
	if (!leader_of(a, h, task, &leader)) {
		*no_memory = true;
		return 0;
	}
	const uint32_t *at = mer_map_get(&s->flows_by_fd, flow_key(leader, fd));
	if ((at && *at) || !make)
		return at ? *at : 0;
	uint32_t made = make_flow(a, h, task, flow_key(leader, fd), inherited(a, h, leader, fd));
	*no_memory |= made == 0;
	return made;
}

uint32_t relation_flow_new(
	struct analysis_host *a, const struct kernel_host *h, uint32_t task, int32_t fd)
{
	uint32_t leader;
	return leader_of(a, h, task, &leader) ? make_flow(a, h, task, flow_key(leader, fd), 0) : 0;
}

int relation_flow_close(struct analysis_host *a, const struct kernel_host *h, uint32_t task,
	int32_t fd, int32_t copy)
{
	struct relation_state *s = relation_state(a);
	uint32_t leader, flow = 0;
	if (!leader_of(a, h, task, &leader))
		return mer_fail_nomem(a->err);
	if (copy >= 0) {
		const uint32_t *from = mer_map_get(&s->flows_by_fd, flow_key(leader, copy));
		flow = from ? *from : 0;
	}
	uint32_t *at = flow ? mer_map_put(&s->flows_by_fd, flow_key(leader, fd))
			    : mer_map_get(&s->flows_by_fd, flow_key(leader, fd));
	if (at)
		*at = flow;
	return at || !flow ? 0 : mer_fail_nomem(a->err);
}

int relation_note(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, const struct relation *what)
{
	struct relation r = *what;
	r.from_host = r.to_host = a->host;
	r.from = from;
	r.to = to;
	r.kind = (uint8_t)kind;
	r.object = object;
	return relation_add(&relation_state(a)->set, &r) ? 0 : mer_fail_nomem(a->err);
}

int relation_note_wake(struct analysis_host *a, uint32_t from, uint32_t to, enum relation_kind kind,
	uint64_t object, uint64_t n_given, const struct relation_wake *w)
{
	struct relation what = { .n_given = n_given,
		.n_waits = w->n,
		.wait_ns = w->wait_ns,
		.first = w->first,
		.last = w->last };
	return relation_note(a, from, to, kind, object, &what);
}

/* ---- the table ---- */

static const char *signal_name(struct mer_arena *arena, uint64_t number)
{
	static const char *const names[] = { "exit_group", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL",
		"SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
		"SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT",
		"SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
		"SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS" };
	if (number < sizeof(names) / sizeof(*names))
		return names[number];
	return mer_arena_printf(arena, "signal %" PRIu64, number);
}

/* The object of an edge within one host, as text; NULL: not known. Edges between hosts get theirs
 * in relation_join. */
static const char *object_text(
	const struct kernel_host *h, const struct relation *r, struct mer_arena *arena)
{
	static const char *const exits[] = { "exit", "thread exit", "exec" };
	static const char *const forks[] = { "process", "thread" };
	if (r->object == RELATION_NO_OBJECT)
		return NULL;
	switch ((enum relation_kind)r->kind) {
	case RELATION_FUTEX: /* between two processes: in shared memory */
		return mer_arena_printf(arena, "0x%" PRIx64 "%s", r->object,
			relation_same_process(h, r->from, r->to) ? "" : " shared");
	case RELATION_SIGNAL: return signal_name(arena, r->object);
	case RELATION_WAIT: return r->object < 3 ? exits[r->object] : NULL;
	case RELATION_FORK: return r->object < 2 ? forks[r->object] : NULL;
	case RELATION_MEMORY:
		if (r->object & RELATION_SYSV)
			return mer_arena_printf(arena, "sysv #%" PRIu32, (uint32_t)r->object);
		return kernel_name_text(h, (uint32_t)r->object);
	case RELATION_SEMAPHORE:
	case RELATION_QUEUE:
	case RELATION_PTRACE: return NULL;
	default: return kernel_name_text(h, (uint32_t)r->object);
	}
}

struct out_row {
	const struct relation *r;
	const char *object;
	int64_t idle; /* the idle part of its wait */
	bool is_started;
};

static int64_t felt(const struct out_row *x)
{
	return x->r->wait_ns - x->idle;
}

static uint64_t count_of(const struct relation *r)
{
	return r->n_given ? r->n_given : r->n_waits;
}

static int by_weight(const void *a, const void *b)
{
	const struct out_row *x = a, *y = b;
	const struct relation *p = x->r, *q = y->r;
	uint64_t n = count_of(p), m = count_of(q);
	if (x->is_started != y->is_started)
		return x->is_started ? 1 : -1;
	if (felt(x) != felt(y))
		return felt(x) > felt(y) ? -1 : 1;
	if (n != m)
		return n > m ? -1 : 1;
	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	const uint32_t keys[][2] = { { p->from_host, q->from_host }, { p->from, q->from },
		{ p->to_host, q->to_host }, { p->to, q->to }, { p->kind, q->kind } };
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return strcmp(x->object ? x->object : "", y->object ? y->object : "");
}

static bool is_wanted(struct analysis_run *run, const bool *const *tracer, const struct relation *r)
{
	const struct analysis_options *o = run->options;
	const struct kernel_host *hosts = run->world->hosts;
	if (tracer && (tracer[r->from_host][r->from] || tracer[r->to_host][r->to])) {
		run->n_tracer++;
		return false;
	}
	return !o->wants_task || o->wants_task(o->ctx, &hosts[r->from_host], r->from) ||
	       o->wants_task(o->ctx, &hosts[r->to_host], r->to);
}

static void put_end(
	const struct analysis_run *run, uint32_t host, uint32_t task, struct mer_cell *cells)
{
	cells[0] = mer_text(analysis_host_name(run, host));
	cells[1] = MER_INT(run->world->hosts[host].tasks[task].tid);
	cells[2] = mer_text(analysis_comm(run, host, task));
}

/* The process of a task: its first thread, as far as that is known. */
static uint32_t process_of(const struct analysis_run *run, uint32_t host, uint32_t task)
{
	const struct relation_state *s = run->states[host];
	const struct kernel_task *t = &run->world->hosts[host].tasks[task];
	const uint32_t *at =
		t->pid > 0 && t->pid != t->tid ? mer_map_get(&s->tids, (uint32_t)t->pid) : NULL;
	return at && *at ? *at - 1 : task;
}

/* Kernel threads that do the same on different CPUs have the same name up to the slash. */
static const char *program_of(struct analysis_run *run, uint32_t host, uint32_t task)
{
	const char *name = analysis_comm(run, host, process_of(run, host, task));
	bool is_kernel = run->world->hosts[host].tasks[task].is_kernel;
	const char *slash = name && is_kernel ? strchr(name, '/') : NULL;
	return slash ? mer_arena_printf(&run->arena, "%.*s", (int)(slash - name), name) : name;
}

static void put_process(
	struct analysis_run *run, uint32_t host, uint32_t task, struct mer_cell *cells)
{
	int32_t pid = run->world->hosts[host].tasks[task].pid;
	cells[0] = mer_natural(pid);
	cells[1] = mer_text(program_of(run, host, task));
}

static void put_row(struct analysis_run *run, const struct out_row *row, struct mer_table *t)
{
	const struct relation *r = row->r;
	struct mer_cell c[RELATION_N_COLUMNS];
	put_end(run, r->from_host, r->from, &c[RELATION_FROM_HOST]);
	put_end(run, r->to_host, r->to, &c[RELATION_TO_HOST]);
	c[RELATION_KIND] = mer_text(relation_kind_name((enum relation_kind)r->kind));
	c[RELATION_OBJECT] = mer_text(row->object && *row->object ? row->object : NULL);
	c[RELATION_COUNT] = MER_INT(count_of(r));
	c[RELATION_BYTES] = r->has_bytes ? MER_INT(r->bytes) : MER_NONE;
	c[RELATION_WAIT_NS] = MER_INT(felt(row));
	c[RELATION_FIRST] = MER_INT(r->first);
	c[RELATION_LAST] = MER_INT(r->last);
	c[RELATION_IDLE_NS] = MER_INT(row->idle);
	put_process(run, r->from_host, r->from, &c[RELATION_FROM_PID]);
	put_process(run, r->to_host, r->to, &c[RELATION_TO_PID]);
	c[RELATION_IS_STARTED] = MER_INT(row->is_started);
	mer_table_add(t, c);
}

static void report(struct analysis_run *run, uint64_t n_unknown, uint64_t n_rest)
{
	struct mer_diag d = { .severity = MER_NOTE,
		.code = "graph-unknown-reader",
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = n_unknown };
	if (n_unknown)
		mer_diag_add(&run->e->diags, &d,
			"writes to sockets have an unknown reader: the other end was not recorded, or the packets that identify it were not");
	d.severity = MER_WARNING;
	d.code = "graph-too-large";
	d.count = n_rest;
	if (n_rest)
		mer_diag_add(&run->e->diags, &d,
			"relations were left out: there are more than are kept");
}

/* The edges of all hosts as rows, wanted ones only; *n of them. NULL: no memory. */
static struct out_row *make_rows(struct analysis_run *run, const struct relation_set *packets,
	const struct mer_intern *texts, const bool *const *tracer, size_t *n)
{
	size_t most = packets->n;
	for (uint32_t h = 0; h < run->world->n_hosts; h++)
		most += ((const struct relation_state *)run->states[h])->set.n;
	struct out_row *rows = calloc(most + 1, sizeof(*rows));
	*n = 0;
	for (uint32_t h = 0; rows && h < run->world->n_hosts; h++) {
		const struct relation_set *set =
			&((const struct relation_state *)run->states[h])->set;
		for (size_t i = 0; i < set->n; i++)
			if (is_wanted(run, tracer, &set->rows[i]))
				rows[(*n)++] = (struct out_row){ &set->rows[i],
					object_text(
						&run->world->hosts[h], &set->rows[i], &run->arena),
					0, false };
	}
	for (size_t i = 0; rows && i < packets->n; i++) {
		const struct relation *r = &packets->rows[i];
		if (is_wanted(run, tracer, r))
			rows[(*n)++] = (struct out_row){ r,
				r->object == RELATION_NO_OBJECT
					? NULL
					: mer_intern_text(texts, (uint32_t)r->object),
				0, false };
	}
	return rows;
}

static int mark_idle(const struct analysis_run *run, struct out_row *rows, size_t n)
{
	struct relation_idle idle = { 0 };
	int rc = relation_idle_find(run, &idle);
	for (size_t i = 0; i < n && rc == 0; i++)
		rows[i].idle = relation_idle_of(&idle, rows[i].r);
	relation_idle_fini(&idle);
	return rc;
}

/* Uses all relations, selected or not, so that a row does not depend on the selection. */
static int mark_started(const struct analysis_run *run, const struct relation_set *packets,
	struct out_row *rows, size_t n)
{
	struct relation_started started = { 0 };
	bool ok = true;
	for (uint32_t h = 0; h <= run->world->n_hosts && ok; h++) {
		const struct relation_set *set =
			h < run->world->n_hosts
				? &((const struct relation_state *)run->states[h])->set
				: packets;
		for (size_t i = 0; i < set->n && ok; i++)
			ok = relation_started_note(&started, run, &set->rows[i]);
	}
	for (size_t i = 0; i < n && ok; i++)
		rows[i].is_started = relation_is_started(&started, run, rows[i].r);
	relation_started_fini(&started);
	return ok ? 0 : mer_fail_nomem(run->err);
}

/* By host and task; NULL: no memory. */
static const bool **find_tracer(struct analysis_run *run)
{
	uint32_t n = run->world->n_hosts;
	const bool **all = mer_arena_zalloc(&run->arena, (size_t)n + 1, sizeof(*all));
	for (uint32_t h = 0; all && h < n; h++)
		if (!(all[h] = analysis_tracer_of(run, h)))
			return NULL;
	return all;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	struct relation_set packets = { 0 };
	struct mer_intern texts;
	uint64_t n_unknown = 0, n_rest = 0;
	size_t n = 0;
	(void)output;
	mer_intern_init(&texts, &run->arena);
	int rc = relation_join(run, &packets, &texts, &n_unknown);
	bool hides = run->options->without_tracer;
	const bool **tracer = rc == 0 && hides ? find_tracer(run) : NULL;
	struct out_row *rows =
		rc || (hides && !tracer) ? NULL : make_rows(run, &packets, &texts, tracer, &n);
	if (rc == 0 && !rows)
		rc = mer_fail_nomem(run->err);
	if (rc == 0 && run->options->keep_spans)
		rc = mark_idle(run, rows, n);
	if (rc == 0)
		rc = mark_started(run, &packets, rows, n);
	if (n)
		qsort(rows, n, sizeof(*rows), by_weight);
	for (size_t i = 0; i < n; i++)
		put_row(run, &rows[i], t);
	n_rest = packets.n_rest;
	for (uint32_t h = 0; h < run->world->n_hosts; h++)
		n_rest += ((const struct relation_state *)run->states[h])->set.n_rest;
	if (rc == 0)
		report(run, n_unknown, n_rest);
	free(rows);
	mer_intern_fini(&texts); /* its texts live in the run's arena */
	relation_set_fini(&packets);
	return rc;
}

static void free_state(void *state)
{
	struct relation_state *s = state;
	for (size_t i = 0; i < s->n_streams; i++)
		relation_stream_fini(&s->streams[i]);
	relation_set_fini(&s->set);
	mer_map_fini(&s->tids);
	mer_map_fini(&s->streams_by_name);
	mer_map_fini(&s->fifos);
	mer_map_fini(&s->flows_by_fd);
	mer_map_fini(&s->memfds);
	mer_map_fini(&s->mapping_map);
	free(s->mappings);
	free(s->tasks);
	free(s->streams);
	free(s->flows);
	free(s->runs);
	free(s->sends);
	free(s->arrivals);
}

static const struct mer_column columns[] = { { "from_host", "From host", MER_TEXT },
	{ "from_tid", "From tid", MER_ID }, { "from_comm", "From", MER_TEXT },
	{ "to_host", "To host", MER_TEXT }, { "to_tid", "To tid", MER_ID },
	{ "to_comm", "To", MER_TEXT }, { "kind", "Kind", MER_TEXT },
	{ "object", "Object", MER_TEXT }, { "count", "Count", MER_COUNT },
	{ "bytes", "Bytes", MER_BYTES }, { "wait_ns", "Wait", MER_DURATION },
	{ "first", "First", MER_TIME }, { "last", "Last", MER_TIME },
	{ "idle_ns", NULL, MER_DURATION }, { "from_pid", "From pid", MER_ID },
	{ "from_program", "From program", MER_TEXT }, { "to_pid", "To pid", MER_ID },
	{ "to_program", "To program", MER_TEXT }, { "is_started", NULL, MER_COUNT }, { 0 } };

static const struct analysis_output outputs[] = {
	{ "graph", "Relations between tasks", columns, .sort = NULL }, { 0 }
};

const struct analysis analysis_relations = {
	.id = "relations",
	.title = "Relations between tasks",
	.help = "which tasks communicate, over what, and who waits for whom",
	.wants = KERNEL_WANT_EVENT(SIGNAL),
	.messages = true,
	.outputs = outputs,
	.state_size = sizeof(struct relation_state),
	.on = { .span = relation_on_span,
		.call = relation_on_call,
		.packet = relation_on_packet,
		.event = relation_on_signal },
	.end = relation_end,
	.emit = emit,
	.free_state = free_state,
};
