#include "analysis/reports/cpu_stays.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reports/cpu_tables.h"

/* ---- while reading ---- */

static bool count(struct analysis_host *a, struct cpu_stays *s, const struct kernel_host *h,
	struct cpu_stay *x, enum cpu_stay_end how)
{
	x->is_open = false;
	if (x->end <= x->begin || !analysis_counts(a, x->begin, x->end) ||
		!analysis_wants_cpu(a, x->cpu) || !analysis_wants_task(a, h, x->task))
		return true;
	struct analysis_stats *stats =
		mer_grow_at(&s->stats, &s->cap_stats, x->task, sizeof(*stats));
	if (!stats)
		return false;
	analysis_stats_add(stats, x->end - x->begin, x->begin);
	s->freq.n[analysis_bucket(x->end - x->begin)]++;
	x->how = (uint8_t)how;
	x->row.key = x->begin;
	return !analysis_asks(a, CPU_LOG) ||
	       analysis_rows_add(&s->log, x, sizeof(*x), a->run->options->limit);
}

static enum cpu_stay_end end_of(enum kernel_state next)
{
	switch (next) {
	case KERNEL_READY: return CPU_STAY_PREEMPTED;
	case KERNEL_BLOCKED: return CPU_STAY_BLOCKED;
	case KERNEL_STOPPED: return CPU_STAY_STOPPED;
	case KERNEL_DEAD: return CPU_STAY_EXITED;
	default: return CPU_STAY_UNKNOWN;
	}
}

bool cpu_stays_add(struct analysis_host *a, struct cpu_stays *s, const struct kernel_host *h,
	const struct kernel_span *k, int64_t end)
{
	struct cpu_stay *x = mer_grow_at(&s->open, &s->cap_open, k->task, sizeof(*x));
	bool on = kernel_is_on_cpu(k->state) && k->cpu != KERNEL_NO_CPU;
	bool ok = true;
	if (!x)
		return false;
	if (x->is_open && !(on && x->cpu == k->cpu))
		ok = count(a, s, h, x, on ? CPU_STAY_MOVED : end_of(k->state));
	if (!on)
		return ok;
	if (!x->is_open)
		*x = (struct cpu_stay){
			.begin = k->begin, .task = k->task, .cpu = k->cpu, .is_open = true
		};
	x->end = end;
	if (k->state == KERNEL_INTERRUPTED)
		x->interrupted += end - k->begin;
	return ok;
}

bool cpu_stays_end(struct analysis_host *a, struct cpu_stays *s, const struct kernel_host *h)
{
	bool ok = true;
	for (size_t i = 0; i < s->cap_open && i < h->n_tasks && ok; i++) {
		struct cpu_stay *x = &s->open[i];
		if (x->is_open)
			ok = count(a, s, h, x,
				h->tasks[i].died <= x->end ? CPU_STAY_EXITED : CPU_STAY_UNKNOWN);
	}
	return ok;
}

void cpu_stays_fini(struct cpu_stays *s)
{
	free(s->open);
	free(s->stats);
	analysis_rows_fini(&s->log);
}

/* ---- tables ---- */

const struct mer_column cpu_log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_TASK_COLUMNS, { "ended", "ended", MER_TEXT },
	{ "self_ns", NULL, MER_DURATION }, { "interrupted_ns", "interrupted", MER_DURATION },
	{ 0 } };
const struct mer_column cpu_freq_columns[] = { { "host", "host", MER_TEXT }, ANALYSIS_FREQ_COLUMNS,
	{ 0 } };
const struct mer_column cpu_stats_columns[] = { ANALYSIS_TASK_COLUMNS, ANALYSIS_STATS_COLUMNS,
	{ 0 } };

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct cpu_state *)state)->stays.log;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	enum { BEFORE = 4, AFTER = BEFORE + ANALYSIS_TASK_CELLS };
	static const char *const ends[] = { NULL, "preempted", "blocked", "stopped", "exited",
		"moved" };
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join(run, log_of, sizeof(struct cpu_stay), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct cpu_stay *x = rows[i].row;
		int64_t ns = x->end - x->begin;
		struct mer_cell cells[AFTER + 3] = { MER_INT(x->begin), MER_INT(x->end),
			MER_INT(ns), MER_INT(x->cpu) };
		analysis_task_cells(run, rows[i].host, x->task, x->end, cells + BEFORE);
		cells[AFTER] = mer_text(ends[x->how]);
		cells[AFTER + 1] = MER_INT(ns - x->interrupted);
		cells[AFTER + 2] = MER_INT(x->interrupted);
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static void emit_stats(const struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct cpu_state *s = run->states[host];
	struct mer_cell cells[ANALYSIS_TASK_CELLS + ANALYSIS_STATS_CELLS];
	uint32_t n_tasks = run->world->hosts[host].n_tasks;
	for (uint32_t i = 0; i < s->stays.cap_stats && i < n_tasks; i++) {
		if (!s->stays.stats[i].n)
			continue;
		analysis_task_cells(run, host, i, INT64_MAX, cells);
		analysis_stats_cells(&s->stays.stats[i], cells + ANALYSIS_TASK_CELLS);
		mer_table_add(t, cells);
	}
}

int cpu_emit_stays(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	if (output == CPU_LOG)
		return emit_log(run, t);
	for (uint32_t h = 0; h < run->e->n_hosts; h++) {
		const struct cpu_state *s = run->states[h];
		struct mer_cell host = mer_text(analysis_host_name(run, h));
		if (output == CPU_FREQ)
			analysis_freq_rows(t, &host, 1, &s->stays.freq);
		else
			emit_stats(run, h, t);
	}
	return 0;
}
