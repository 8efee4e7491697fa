/* Page faults: how many each task had, in user mode and inside of the kernel.
 *
 * Whether a fault had to wait for a disk (a major one) is no field of the events: what tasks waited for
 * is in their waits. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/bins.h"

struct fault { /* a row of the log */
	int64_t time;
	uint64_t address;
	uint32_t task;
	uint16_t cpu;
	bool is_kernel;
};

struct task_faults {
	uint64_t user, kernel;
};

struct state {
	struct task_faults *tasks; /* by task; that of nobody (idle, not known) is `other` */
	size_t cap_tasks;
	struct task_faults other;
	struct analysis_bins over;
	struct task_faults *bins; /* by bin */
	size_t cap_bins;
	struct fault *log;
	size_t cap_log, n_log;
	uint64_t n_left_out;
};

/* ---- while reading ---- */

static int begin(struct analysis_host *a)
{
	struct state *s = a->state;
	return analysis_bins_find(a->run, &s->over, a->err);
}

static void count(struct task_faults *f, bool is_kernel)
{
	*(is_kernel ? &f->kernel : &f->user) += 1;
}

static int on_memory(void *ctx, const struct kernel_host *h, const struct kernel_memory *m)
{
	struct analysis_host *a = ctx;
	const struct analysis_options *o = a->run->options;
	struct state *s = a->state;
	bool is_kernel = m->kind == KERNEL_FAULT_KERNEL;
	if ((!is_kernel && m->kind != KERNEL_FAULT_USER) || !analysis_is_asked(o, m->time) ||
		!analysis_wants_cpu(a, m->cpu) || !analysis_wants_task(a, h, m->task))
		return 0;
	struct task_faults *f = &s->other;
	if (m->task != KERNEL_NONE)
		f = analysis_at(&s->tasks, &s->cap_tasks, m->task, sizeof(*f));
	if (!f)
		return mer_fail_nomem(a->err);
	count(f, is_kernel);
	int64_t bin = s->over.n ? analysis_bin_of(&s->over, m->time) : -1;
	if (bin >= 0) {
		f = analysis_at(&s->bins, &s->cap_bins, (size_t)bin, sizeof(*f));
		if (!f)
			return mer_fail_nomem(a->err);
		count(f, is_kernel);
	}
	if (o->limit && s->n_log >= o->limit) {
		s->n_left_out++;
		return 0;
	}
	struct fault *l = analysis_at(&s->log, &s->cap_log, s->n_log, sizeof(*l));
	if (!l)
		return mer_fail_nomem(a->err);
	*l = (struct fault){ m->time, m->address, m->task, m->cpu, is_kernel };
	s->n_log++;
	return 0;
}

/* ---- tables ---- */

static const struct analysis_column top_columns[] = { { "host", "Host", ANALYSIS_TEXT },
	{ "tid", "TID", ANALYSIS_ID }, { "pid", "PID", ANALYSIS_ID },
	{ "comm", "Program", ANALYSIS_TEXT }, { "faults", "Faults", ANALYSIS_COUNT },
	{ "percent", "Share", ANALYSIS_RATIO }, { "user", "User", ANALYSIS_COUNT },
	{ "kernel", "Kernel", ANALYSIS_COUNT }, { 0 } };

static const struct analysis_column log_columns[] = { { "time", "Time", ANALYSIS_TIME },
	{ "host", "Host", ANALYSIS_TEXT }, { "cpu", "CPU", ANALYSIS_ID },
	{ "tid", "TID", ANALYSIS_ID }, { "pid", NULL, ANALYSIS_ID },
	{ "comm", "Program", ANALYSIS_TEXT }, { "mode", "Mode", ANALYSIS_TEXT },
	{ "address", "Address", ANALYSIS_TEXT }, { 0 } };

static const struct analysis_column bins_columns[] = { { "begin", "Begin", ANALYSIS_TIME },
	{ "end", NULL, ANALYSIS_TIME }, { "host", "Host", ANALYSIS_TEXT },
	{ "user", "User", ANALYSIS_COUNT }, { "kernel", "Kernel", ANALYSIS_COUNT }, { 0 } };

/* host, tid, pid, comm; nobody: the last three are not known. */
static void put_task(
	const struct analysis_run *run, uint32_t host, uint32_t task, struct analysis_cell cells[4])
{
	const struct kernel_host *h = &run->world->hosts[host];
	cells[0] = analysis_text(analysis_host_name(run, host));
	cells[1] = cells[2] = cells[3] = ANALYSIS_NONE;
	if (task == KERNEL_NONE)
		return;
	cells[1] = ANALYSIS_INT(h->tasks[task].tid);
	if (h->tasks[task].pid >= 0)
		cells[2] = ANALYSIS_INT(h->tasks[task].pid);
	cells[3] = analysis_text(analysis_comm(run, host, task));
}

static void add_top(struct analysis_run *run, struct analysis_table *t, uint32_t host,
	uint32_t task, const struct task_faults *f, uint64_t all)
{
	struct analysis_cell c[8];
	if (f->user + f->kernel == 0)
		return;
	put_task(run, host, task, c);
	c[4] = ANALYSIS_INT(f->user + f->kernel);
	c[5] = ANALYSIS_REAL_CELL((double)(f->user + f->kernel) / (double)all);
	c[6] = ANALYSIS_INT(f->user);
	c[7] = ANALYSIS_INT(f->kernel);
	analysis_table_add(t, c);
}

static void emit_top(struct analysis_run *run, struct analysis_table *t)
{
	uint64_t all = 0;
	for (int adding = 0; adding < 2; adding++)
		for (uint32_t host = 0; host < run->world->n_hosts; host++) {
			const struct state *s = run->states[host];
			for (size_t i = 0; i <= s->cap_tasks; i++) {
				bool is_task = i < s->cap_tasks;
				const struct task_faults *f = is_task ? &s->tasks[i] : &s->other;
				if (adding)
					add_top(run, t, host, is_task ? (uint32_t)i : KERNEL_NONE,
						f, all);
				else
					all += f->user + f->kernel;
			}
		}
}

static void add_log(
	struct analysis_run *run, struct analysis_table *t, uint32_t host, const struct fault *l)
{
	struct analysis_cell task[4];
	put_task(run, host, l->task, task);
	analysis_table_add(t,
		(struct analysis_cell[]){ ANALYSIS_INT(l->time), task[0], ANALYSIS_INT(l->cpu),
			task[1], task[2], task[3], analysis_text(l->is_kernel ? "kernel" : "user"),
			analysis_text(mer_arena_printf(
				t->arena, "0x%llx", (unsigned long long)l->address)) });
}

/* Every host's log is in order. */
static int emit_log(struct analysis_run *run, struct analysis_table *t)
{
	uint32_t n_hosts = run->world->n_hosts;
	size_t *at = mer_arena_zalloc(&run->arena, (size_t)n_hosts + 1, sizeof(*at));
	if (!at)
		return mer_fail_nomem(run->err);
	for (uint32_t host = 0; host < n_hosts; host++)
		t->n_left_out += ((const struct state *)run->states[host])->n_left_out;
	for (;;) {
		uint32_t first = n_hosts;
		int64_t time = 0;
		for (uint32_t host = 0; host < n_hosts; host++) {
			const struct state *s = run->states[host];
			if (at[host] >= s->n_log ||
				(first < n_hosts && s->log[at[host]].time >= time))
				continue;
			first = host;
			time = s->log[at[host]].time;
		}
		if (first == n_hosts)
			return 0;
		const struct state *s = run->states[first];
		add_log(run, t, first, &s->log[at[first]++]);
	}
}

static void emit_bins(struct analysis_run *run, struct analysis_table *t)
{
	const struct analysis_bins *b =
		run->world->n_hosts ? &((const struct state *)run->states[0])->over : NULL;
	for (uint32_t i = 0; b && i < b->n; i++)
		for (uint32_t host = 0; host < run->world->n_hosts; host++) {
			const struct state *s = run->states[host];
			struct task_faults f =
				i < s->cap_bins ? s->bins[i] : (struct task_faults){ 0, 0 };
			if (!s->cap_tasks && !s->other.user && !s->other.kernel)
				continue; /* a host that had none */
			analysis_table_add(
				t, (struct analysis_cell[]){ ANALYSIS_INT(analysis_bin_edge(b, i)),
					   ANALYSIS_INT(analysis_bin_edge(b, i + 1)),
					   analysis_text(analysis_host_name(run, host)),
					   ANALYSIS_INT(f.user), ANALYSIS_INT(f.kernel) });
		}
}

enum { TOP, LOG, BINS };

static int emit(struct analysis_run *run, unsigned output, struct analysis_table *t)
{
	switch (output) {
	case TOP: emit_top(run, t); return 0;
	case LOG: return emit_log(run, t);
	default: emit_bins(run, t); return 0;
	}
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->tasks);
	free(s->bins);
	free(s->log);
}

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Page faults by task", top_columns, "faults" },
	[LOG] = { "log", "Page faults", log_columns, NULL },
	[BINS] = { "bins", "Page faults over time", bins_columns, NULL },
	{ 0 },
};

const struct analysis analysis_faults = {
	.id = "faults",
	.title = "Page faults",
	.help = "page faults of tasks, in user mode and in the kernel",
	.wants = KERNEL_WANT_MEMORY,
	.outputs = outputs,
	.state_size = sizeof(struct state),
	.on = { .memory = on_memory },
	.begin = begin,
	.emit = emit,
	.free_state = free_state,
};
