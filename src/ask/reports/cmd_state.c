/* meridian state: what every CPU, task and disk did at one moment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/path/path_words.h"
#include "ask/print/answer_print.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "kernel/vm/guests.h"
#include "session/instant.h"

struct values {
	struct session_moment at;
	struct ask_amount limit;
	bool all;
};

enum { ROWS = 20 }; /* of a table, for people */

struct screen {
	struct ask *ask;
	const struct values *v;
	struct session_world w;
	struct path words; /* of which only the world is looked at */
	struct session_instant now;
};

/* ---- Words ---- */

/* A span as a piece of a path, which has words. */
static struct path_segment segment_of(const struct screen *x, const struct session_instant_task *t)
{
	const struct kernel_span *k = kernel_span(&x->w.world->hosts[t->host], t->span);
	return (struct path_segment){ .begin = k->begin,
		.end = x->now.at + 1,
		.host = t->host,
		.task = t->task,
		.span = t->span,
		.call = k->call,
		.by = k->by,
		.source = k->source,
		.state = k->state,
		.cause = (uint8_t)path_cause_of(k),
		.by_cause = k->cause,
		.cpu = k->cpu };
}

static struct mer_cell sentence_of(
	const struct screen *x, const struct session_instant_task *t, struct mer_table *table)
{
	struct path_segment s = segment_of(x, t);
	struct mer_str out = { 0 };
	path_put_sentence(&x->words, &s, &out);
	return mer_table_keep(table, &out);
}

static struct mer_cell comm_of(const struct screen *x, uint32_t host, uint32_t task)
{
	return mer_text(kernel_comm(&x->w.world->hosts[host], task));
}

static struct mer_cell host_of(const struct screen *x, uint32_t host)
{
	return mer_text(session_task_host(&x->w, host));
}

/* ---- Tables ---- */

enum { C_HOST, C_CPU, C_STATE, C_TID, C_COMM, C_SINCE, C_FOR, C_CALL, C_BY, N_CPU };

static const struct mer_column cpu_columns[N_CPU + 1] = {
	[C_HOST] = { "host", "host", MER_TEXT },
	[C_CPU] = { "cpu", "CPU", MER_ID },
	[C_STATE] = { "state", "state", MER_TEXT },
	[C_TID] = { "tid", "tid", MER_ID },
	[C_COMM] = { "comm", "name", MER_TEXT },
	[C_SINCE] = { "since", NULL, MER_TIME },
	[C_FOR] = { "for_ns", "for", MER_DURATION },
	[C_CALL] = { "syscall", "system call", MER_TEXT },
	[C_BY] = { "stolen_by", "stolen by", MER_TEXT },
};

static struct mer_cell call_of(const struct kernel_host *h, const struct kernel_span *k)
{
	return k->call == KERNEL_NONE ? MER_NONE
				      : mer_text(kernel_name_text(h, h->calls[k->call].name));
}

/* Whoever is on a CPU of a guest does not run while the hypervisor has it. */
static void tell_away(const struct kernel_host *h, const struct session_instant_cpu *c,
	struct mer_cell row[N_CPU])
{
	const struct kernel_absence *a = &h->guest->absences[c->absence];
	const char *by = kernel_absence_words(h->guest, c->absence);
	if (a->state == KERNEL_VCPU_HALTED)
		return; /* as it says: idle */
	row[C_STATE] = mer_text(kernel_cause_name(kernel_absence_cause(h->guest, c->absence)));
	if (a->state == KERNEL_VCPU_PREEMPTED && *by)
		row[C_BY] = mer_text(by);
}

static void add_cpus(const struct screen *x, struct mer_table *t)
{
	bool any_stolen = false;
	for (size_t i = 0; i < x->now.n_cpus; i++) {
		const struct session_instant_cpu *c = &x->now.cpus[i];
		struct mer_cell row[N_CPU] = { [C_HOST] = host_of(x, c->host),
			[C_CPU] = MER_INT(c->cpu),
			[C_STATE] = mer_text(c->is_unknown ? "unknown" : "idle") };
		if (c->task != SIZE_MAX) {
			const struct session_instant_task *on = &x->now.tasks[c->task];
			const struct kernel_host *h = &x->w.world->hosts[c->host];
			const struct kernel_span *k = kernel_span(h, on->span);
			row[C_STATE] = mer_text(kernel_state_name((enum kernel_state)k->state));
			row[C_TID] = mer_natural(h->tasks[on->task].tid);
			row[C_COMM] = comm_of(x, c->host, on->task);
			row[C_SINCE] = MER_INT(k->begin);
			row[C_FOR] = MER_INT(x->now.at - k->begin);
			row[C_CALL] = call_of(h, k);
			if (k->cause == KERNEL_STOLEN || k->cause == KERNEL_HYPERVISOR)
				row[C_STATE] =
					mer_text(kernel_cause_name((enum kernel_cause)k->cause));
		}
		if (c->absence != KERNEL_NONE)
			tell_away(&x->w.world->hosts[c->host], c, row);
		any_stolen |= row[C_BY].set;
		mer_table_add(t, row);
	}
	if (!any_stolen)
		mer_table_hide(t, C_BY);
}

enum {
	T_HOST,
	T_TID,
	T_PID,
	T_COMM,
	T_STATE,
	T_CAUSE,
	T_CPU,
	T_SINCE,
	T_FOR,
	T_CALL,
	T_BY_HOST,
	T_BY_TID,
	T_BY_COMM,
	T_DOES,
	N_TASK
};

static const struct mer_column task_columns[N_TASK + 1] = {
	[T_HOST] = { "host", "host", MER_TEXT },
	[T_TID] = { "tid", "tid", MER_ID },
	[T_PID] = { "pid", NULL, MER_ID },
	[T_COMM] = { "comm", "name", MER_TEXT },
	[T_STATE] = { "state", NULL, MER_TEXT },
	[T_CAUSE] = { "cause", NULL, MER_TEXT },
	[T_CPU] = { "cpu", NULL, MER_ID },
	[T_SINCE] = { "since", NULL, MER_TIME },
	[T_FOR] = { "for_ns", "for", MER_DURATION },
	[T_CALL] = { "syscall", NULL, MER_TEXT },
	[T_BY_HOST] = { "by_host", NULL, MER_TEXT },
	[T_BY_TID] = { "by_tid", NULL, MER_ID },
	[T_BY_COMM] = { "by_comm", "ended by", MER_TEXT },
	[T_DOES] = { "does", "does", MER_TEXT },
};

/* Those that people look for first: on a CPU, then waiting for one, then for anything, then dead or
 * not known. */
static int rank_of(const struct screen *x, const struct session_instant_task *t)
{
	if (t->span == KERNEL_NONE)
		return 4;
	const struct kernel_span *k = kernel_span(&x->w.world->hosts[t->host], t->span);
	enum kernel_state state = (enum kernel_state)k->state;
	return kernel_is_on_cpu(state)				 ? 0
	       : state == KERNEL_RUNNABLE			 ? 1
	       : state == KERNEL_BLOCKED			 ? 2
	       : state == KERNEL_UNKNOWN || state == KERNEL_DEAD ? 4
								 : 3;
}

static void add_task(
	const struct screen *x, const struct session_instant_task *t, struct mer_table *table)
{
	const struct kernel_host *h = &x->w.world->hosts[t->host];
	const struct kernel_task *k = &h->tasks[t->task];
	struct mer_cell row[N_TASK] = { [T_HOST] = host_of(x, t->host),
		[T_TID] = mer_natural(k->tid),
		[T_PID] = mer_natural(k->pid),
		[T_COMM] = comm_of(x, t->host, t->task),
		[T_STATE] = mer_text(kernel_state_name(KERNEL_UNKNOWN)) };
	if (t->span != KERNEL_NONE) {
		const struct kernel_span *s = kernel_span(h, t->span);
		row[T_STATE] = mer_text(kernel_state_name((enum kernel_state)s->state));
		row[T_CAUSE] = s->cause ? mer_text(kernel_cause_name((enum kernel_cause)s->cause))
					: MER_NONE;
		row[T_CPU] = mer_int_unless(s->cpu, KERNEL_NO_CPU);
		row[T_SINCE] = MER_INT(s->begin);
		row[T_FOR] = MER_INT(x->now.at - s->begin);
		row[T_CALL] = call_of(h, s);
		row[T_DOES] = sentence_of(x, t, table);
	}
	if (t->by.host != KERNEL_NONE) {
		row[T_BY_HOST] = host_of(x, t->by.host);
		row[T_BY_TID] = mer_natural(x->w.world->hosts[t->by.host].tasks[t->by.task].tid);
		row[T_BY_COMM] = comm_of(x, t->by.host, t->by.task);
	}
	mer_table_add(table, row);
}

struct place { /* of a task in the table */
	int rank;
	int64_t since;
	size_t i;
};

/* What changed last is what somebody asks about; most tasks sleep for ever. */
static int in_order(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	if (p->rank != q->rank)
		return p->rank - q->rank;
	if (p->since != q->since)
		return p->since > q->since ? -1 : 1;
	return (p->i > q->i) - (p->i < q->i);
}

static void add_tasks(const struct screen *x, struct mer_table *t)
{
	size_t n = x->now.n_tasks;
	struct place *places = mer_arena_zalloc(&x->ask->arena, n + 1, sizeof(*places));
	t->failed |= !places;
	for (size_t i = 0; places && i < n; i++) {
		const struct session_instant_task *k = &x->now.tasks[i];
		const struct kernel_host *h = &x->w.world->hosts[k->host];
		places[i] = (struct place){ rank_of(x, k),
			k->span == KERNEL_NONE ? INT64_MIN : kernel_span(h, k->span)->begin, i };
	}
	if (places && n)
		qsort(places, n, sizeof(*places), in_order);
	for (size_t i = 0; places && i < n; i++)
		add_task(x, &x->now.tasks[places[i].i], t);
}

enum { D_HOST, D_DISK, D_QUEUED, D_SERVICE, D_OLDEST, N_DISK };

static const struct mer_column disk_columns[N_DISK + 1] = {
	[D_HOST] = { "host", "host", MER_TEXT },
	[D_DISK] = { "disk", "disk", MER_TEXT },
	[D_QUEUED] = { "queued", "queued", MER_COUNT },
	[D_SERVICE] = { "in_service", "in service", MER_COUNT },
	[D_OLDEST] = { "oldest_ns", "oldest", MER_DURATION },
};

static void add_disks(const struct screen *x, struct mer_table *t)
{
	for (size_t i = 0; i < x->now.n_disks; i++) {
		const struct session_instant_disk *d = &x->now.disks[i];
		struct mer_str name = { 0 };
		path_put_device(&x->w.world->hosts[d->host], d->dev, &name);
		mer_table_add(t, (struct mer_cell[N_DISK]){ [D_HOST] = host_of(x, d->host),
					 [D_DISK] = mer_table_keep(t, &name),
					 [D_QUEUED] = MER_INT(d->queued),
					 [D_SERVICE] = MER_INT(d->in_service),
					 [D_OLDEST] = MER_INT(x->now.at - d->oldest) });
	}
}

enum { M_FROM, M_TO, M_COUNT, M_OLDEST, N_MESSAGE };

static const struct mer_column message_columns[N_MESSAGE + 1] = {
	[M_FROM] = { "from", "from", MER_TEXT },
	[M_TO] = { "to", "to", MER_TEXT },
	[M_COUNT] = { "count", "messages", MER_COUNT },
	[M_OLDEST] = { "oldest_ns", "oldest", MER_DURATION },
};

static void add_messages(const struct screen *x, struct mer_table *t)
{
	for (size_t i = 0; i < x->now.n_flights; i++) {
		const struct session_instant_flight *f = &x->now.flights[i];
		mer_table_add(t, (struct mer_cell[N_MESSAGE]){ [M_FROM] = host_of(x, f->from),
					 [M_TO] = host_of(x, f->to),
					 [M_COUNT] = MER_INT(f->n),
					 [M_OLDEST] = MER_INT(x->now.at - f->oldest) });
	}
}

static const struct {
	const char *id, *title;
	const struct mer_column *columns;
	void (*add)(const struct screen *x, struct mer_table *t);
} parts[] = {
	{ "cpus", "CPUs", cpu_columns, add_cpus },
	{ "tasks", "Tasks", task_columns, add_tasks },
	{ "disks", "Disks with requests", disk_columns, add_disks },
	{ "messages", "Messages on their way", message_columns, add_messages },
};
enum { N_TABLES = sizeof(parts) / sizeof(*parts) };

/* ---- Printing ---- */

static int print_text(const struct screen *x, struct answer *a)
{
	struct ask *ask = x->ask;
	struct mer_str out = { 0 };
	int rc = answer_check(a, &ask->err);
	if (rc)
		return rc;
	mer_str_puts(&out, "At ");
	ask_text_time(&out, x->now.at);
	mer_str_puts(&out, "\n");
	for (int i = 0; i < N_TABLES; i++) {
		struct mer_table *t = a->tables[i].table;
		if (!t->n_rows)
			continue;
		mer_table_limit(t, x->v->limit.set ? (size_t)x->v->limit.v : ROWS);
		mer_str_printf(&out, "\n%s%s%s\n", ask->bold_out ? "\033[1m" : "", t->title,
			ask->bold_out ? "\033[0m" : "");
		ask_table_text(t, &out, (size_t)ask_width(ask), ask->bold_out, ask->ascii);
		if (t->n_left_out)
			mer_str_printf(
				&out, "... and %" PRIu64 " more (-n 0 shows all)\n", t->n_left_out);
	}
	return ask_put(ask, &out, 0);
}

static int print(struct screen *x)
{
	struct ask *ask = x->ask;
	struct answer a;
	ask_answer_init(ask, x->w.e, false, &a);
	a.begin = a.end = x->now.at;
	for (int i = 0; i < N_TABLES; i++)
		parts[i].add(x, answer_add(&a, parts[i].id, parts[i].title, parts[i].columns));
	int rc = ask->format == ASK_FORMAT_TABLE ? print_text(x, &a) : ask_answer_print(ask, &a);
	answer_fini(&a);
	return rc;
}

static int fail_outside(struct ask *ask, const struct mer_experiment *e)
{
	struct mer_str when = { 0 };
	if (e->begin == MER_NO_TIME) {
		mer_str_puts(&when, "there are no events");
	} else {
		mer_str_puts(&when, "the first event is of ");
		ask_text_time(&when, e->begin);
		mer_str_puts(&when, ", the last of ");
		ask_text_time(&when, e->end);
	}
	int rc = mer_fail(&ask->err, MER_ERR_USAGE, "--at: nothing was recorded then: %s",
		when.failed ? "" : when.data);
	mer_str_fini(&when);
	return rc;
}

static int look(struct screen *x, struct session *s)
{
	struct ask *ask = x->ask;
	int64_t at = ask->window.begin;
	const struct mer_experiment *e = session_experiment(s);
	if (e->begin == MER_NO_TIME || at < e->begin || at > e->end)
		return fail_outside(ask, e);
	int rc = session_world(s, SESSION_USAGE_NONE, &x->w, &ask->err);
	if (rc == 0)
		rc = session_instant_find(&x->w, at, &ask->select, &ask->arena, &x->now, &ask->err);
	x->words.world = x->w.world;
	return rc ? rc : print(x);
}

static int run(struct ask *ask, const void *values)
{
	struct screen x = { .ask = ask, .v = values };
	struct session *s;
	if (x.v->at.kind == SESSION_MOMENT_NONE)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--at is missing: the moment to look at, as in --at +1.5s");
	ask->select.begin = x.v->at; /* that is where moments become times */
	int rc = ask_session_open(ask, &s);
	if (rc)
		return rc;
	rc = ask_session_synchronize(ask, s, false);
	if (rc == 0)
		rc = look(&x, s);
	ask_session_close(ask, s);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "at",
		.kind = ASK_MOMENT,
		.arg = "TIME",
		.help = "the moment: date and time, HH:MM:SS.nnn or +1.5s",
		.offset = offsetof(struct values, at) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "at most N rows per table (20; 0: all)",
		.offset = offsetof(struct values, limit) },
	{ 0 },
};

const struct ask_verb ask_verb_state = {
	.name = "state",
	.help = "what every CPU, task and disk did at one moment",
	.synopsis = "--at TIME [OPTION...] TRACE...",
	.description =
		"Shows what each CPU ran, what each task did or waited for and since when, which disks had requests, and how many messages were on their way between hosts. Tasks on a CPU come first, then those that wait for one, then all others, the last that changed first.",
	.more =
		"As the whole recording is known, 'ended by' says who ended a wait later, on whichever host; of a runnable task it is the task that had its CPU. A CPU without a task is idle; it is unknown before its first event and where its events were lost. A guest's CPU is stolen while its hypervisor had given it to another task, whoever is on it in the guest. Disk requests are queued until they are issued, then in service. With --comm, --tid or --pid CPUs that other tasks have are shown as idle.",
	.formats = "table|json|jsonl|csv",
	.uses = (ASK_USES_TASKS & ~(ASK_USES_TIME | ASK_USES_MARKS)) | ASK_USES_CPU | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian state --at +1s client/ server/", "One second after the start." },
		{ "meridian state --at +500ms --comm 'python*' -n 0 server/", "Of some tasks, all." },
	},
	.run = run,
};
