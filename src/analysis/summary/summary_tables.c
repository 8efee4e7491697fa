/* The tables of the summary, except the findings: each row is made from the sums of a host, or from
 * rows of one table. */
#include "analysis/summary/summary_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recorded.h"
#include "analysis/summary/findings.h"
#include "base/str.h"

static const struct mer_column host_columns[] = { { "host", "host", MER_TEXT },
	{ "range_ns", NULL, MER_DURATION }, { "cpus", "CPUs", MER_COUNT },
	{ "cpu_percent", "busy", MER_RATIO }, { "each_cpu", "each CPU", MER_TEXT },
	{ "unknown_percent", "unknown", MER_RATIO }, { "stolen_percent", "stolen", MER_RATIO },
	{ "stolen_ns", NULL, MER_DURATION }, { "runnable_tasks", "runnable", MER_REAL },
	{ "irq_percent", NULL, MER_RATIO }, { "softirq_percent", "softirq", MER_RATIO },
	{ "full_ns", NULL, MER_DURATION }, { "runnable_ns", NULL, MER_DURATION },
	{ "switches", NULL, MER_COUNT }, { "switches_per_s", "switch/s", MER_COUNT },
	{ "interrupts", NULL, MER_COUNT }, { "interrupts_per_s", "irq/s", MER_COUNT },
	{ "processes", NULL, MER_COUNT }, { "processes_per_s", "process/s", MER_REAL },
	{ "threads", NULL, MER_COUNT }, { "threads_per_s", "thread/s", MER_REAL },
	{ "execs", NULL, MER_COUNT }, { "execs_per_s", "exec/s", MER_REAL },
	{ "task_ns", NULL, MER_DURATION }, { "self_ns", NULL, MER_DURATION },
	{ "tracer_ns", NULL, MER_DURATION }, { "stolen_by", "stolen by", MER_TEXT }, { 0 } };
static const struct mer_column io_columns[] = { { "host", "host", MER_TEXT },
	{ "disk_percent", "disk", MER_RATIO }, { "disk", NULL, MER_TEXT },
	{ "disk_queue", "queued", MER_REAL }, { "flushes", NULL, MER_COUNT },
	{ "flushes_per_s", "flush/s", MER_REAL }, { "flush_mean_ns", "flush mean", MER_DURATION },
	{ "flush_max_ns", NULL, MER_DURATION }, { "major_faults", NULL, MER_COUNT },
	{ "major_faults_per_s", "majflt/s", MER_REAL }, { "net_bytes", NULL, MER_BYTES },
	{ "net_bytes_per_s", "network", MER_RATE }, { "memory_growth_bytes", "memory", MER_BYTES },
	{ "calls", NULL, MER_COUNT }, { "failed_calls", NULL, MER_COUNT },
	{ "odd_errors", "odd errors", MER_COUNT }, { "lost_events", "lost events", MER_COUNT },
	{ "lost_packets", "lost packets", MER_COUNT }, { 0 } };
static const struct mer_column top_columns[] = { { "resource", "resource", MER_TEXT },
	{ "host", "host", MER_TEXT }, { "who", "task", MER_TEXT }, { "tid", NULL, MER_ID },
	{ "comm", NULL, MER_TEXT }, { "time_ns", "time", MER_DURATION },
	{ "percent", "%", MER_RATIO }, { "bytes", "bytes", MER_BYTES },
	{ "bytes_per_s", "rate", MER_RATE }, { SUMMARY_NEXT, NULL, MER_TEXT }, { 0 } };
static const struct mer_column wait_columns[] = { { "cause", "cause", MER_TEXT },
	{ "host", "host", MER_TEXT }, { "total_ns", "total", MER_DURATION },
	{ "count", "count", MER_COUNT }, { "max_ns", "longest", MER_DURATION },
	{ "who", "longest by", MER_TEXT }, { "tid", NULL, MER_ID }, { "comm", NULL, MER_TEXT },
	{ "call", "in", MER_TEXT }, { "max_at", NULL, MER_TIME }, { "most_tid", NULL, MER_ID },
	{ "most_comm", NULL, MER_TEXT }, { "most_ns", NULL, MER_DURATION },
	{ SUMMARY_NEXT, NULL, MER_TEXT }, { 0 } };
static const struct mer_column link_columns[] = { { "from_host", "from", MER_TEXT },
	{ "to_host", "to", MER_TEXT }, { "packets", "packets", MER_COUNT },
	{ "packets_per_s", NULL, MER_REAL }, { "bytes", NULL, MER_BYTES },
	{ "bytes_per_s", "rate", MER_RATE }, { "latency_mean_ns", "latency mean", MER_DURATION },
	{ "latency_max_ns", "max", MER_DURATION }, { "bound_ns", "clock bound", MER_DURATION },
	{ "repeated_packets", "repeated", MER_COUNT },
	{ "unmatched_packets", "not received", MER_COUNT }, { SUMMARY_NEXT, NULL, MER_TEXT },
	{ 0 } };
static const struct mer_column kind_columns[] = { { "kind", "kind of requests", MER_TEXT },
	{ "count", "count", MER_COUNT }, { "p50_ns", "p50", MER_DURATION },
	{ "p99_ns", "p99", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ SUMMARY_NEXT, NULL, MER_TEXT }, { 0 } };
static const struct mer_column cpu_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "cpu_percent", "busy", MER_RATIO },
	{ "unknown_percent", "unknown", MER_RATIO }, { "full_ns", "full", MER_DURATION },
	{ "switches_per_s", "switch/s", MER_REAL }, { 0 } };

struct summary_about summary_about(enum summary_table table, bool all)
{
	const struct summary_about tables[SUMMARY_TABLES] = {
		[SUMMARY_HOSTS] = { "hosts", "Host load", host_columns },
		[SUMMARY_IO] = { "io", "I/O, errors and losses", io_columns },
		[SUMMARY_TOP] = { "top", "Largest users", top_columns },
		[SUMMARY_WAITS] = { "waits",
			all ? "Waits by cause, without idle waits"
			    : "Waits by cause, without idle waits, joins and children",
			wait_columns },
		[SUMMARY_LINKS] = { "links", "Packets between hosts", link_columns },
		[SUMMARY_KINDS] = { "requests", "Requests of services, the slowest first",
			kind_columns },
		[SUMMARY_CPUS] = { "cpus", "CPUs", cpu_columns },
		[SUMMARY_FINDINGS] = { "findings", "Findings", findings_columns },
		[SUMMARY_PEERS] = { "peers", "Hosts unlike their peers", peers_columns },
		[SUMMARY_GROUPS] = { "groups", "Groups of hosts", peers_group_columns },
		[SUMMARY_MEASURES] = { "measures", "Measures of hosts", peers_measure_columns },
	};
	return tables[table];
}

void summary_init_tables(struct summary *s)
{
	for (int i = 0; i < SUMMARY_TABLES; i++) {
		struct summary_about x = summary_about((enum summary_table)i, s->all);
		mer_table_init(&s->out[i], x.id, x.title, x.columns, &s->run->arena);
	}
}

static struct mer_cell rate(int64_t n, int64_t range)
{
	return range > 0 ? MER_REAL_CELL((double)n / ((double)range / 1e9)) : MER_NONE;
}

static struct mer_cell whole_rate(int64_t n, int64_t range)
{
	return range > 0 ? MER_INT((double)n / ((double)range / 1e9) + 0.5) : MER_NONE;
}

static struct mer_cell if_set(bool known, struct mer_cell c)
{
	return known ? c : MER_NONE;
}

/* ---- hosts ---- */

/* "71 75 %"; with more than two CPUs, the least and the most: "3-100 %". NULL: not known, or a
 * single CPU. */
static const char *each_cpu(const struct summary *s, const struct summary_host *h)
{
	enum { FEW = 2 };
	const struct mer_table *t = &s->in[SUMMARY_IN_CPUS];
	double least = 2, most = -1, few[FEW];
	int64_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (summary_host_of(s, t, r) != h || !summary_cell(t, r, "percent")->set)
			continue;
		double busy = summary_real(t, r, "percent");
		if (n < FEW)
			few[n] = busy;
		least = busy < least ? busy : least;
		most = busy > most ? busy : most;
		n++;
	}
	if (n < 2)
		return NULL;
	return n == FEW ? mer_arena_printf(
				  &s->run->arena, "%.0f %.0f %%", 100 * few[0], 100 * few[1])
			: mer_arena_printf(&s->run->arena, "%.0f-%.0f %%", 100 * least, 100 * most);
}

static void emit_load(struct summary *s, const struct summary_host *h, bool knows_tasks)
{
	bool known = h->cpus && h->range && !h->has_packets_only,
	     knows = known && summary_knows_cpus(h);
	struct mer_cell unknown = if_set(known, MER_REAL_CELL(h->unknown));
	knows_tasks &= knows;
	bool is_guest = h->seen_ns > 0;
	mer_table_add(&s->out[SUMMARY_HOSTS],
		(struct mer_cell[]){ mer_text(h->name), MER_INT(h->range),
			if_set(known, MER_INT(h->cpus)), if_set(knows, MER_REAL_CELL(h->cpu)),
			mer_text(knows ? each_cpu(s, h) : NULL), unknown,
			if_set(is_guest && known,
				MER_REAL_CELL(summary_per(h->stolen_ns, h->cpus * h->range))),
			if_set(is_guest, MER_INT(h->stolen_ns)),
			if_set(knows && !h->lacks_runnable,
				MER_REAL_CELL(summary_runnable_tasks(h))),
			if_set(known && (h->has_interrupts || h->irq_ns), MER_REAL_CELL(h->irq)),
			if_set(known && (h->has_softirqs || h->softirq_ns),
				MER_REAL_CELL(h->softirq)),
			if_set(knows, MER_INT(h->full_ns)),
			if_set(knows && !h->lacks_runnable, MER_INT(h->runnable_ns)),
			if_set(knows, MER_INT(h->switches)),
			if_set(knows, whole_rate(h->switches, h->range)),
			if_set(h->has_interrupts, MER_INT(h->interrupts)),
			if_set(h->has_interrupts, whole_rate(h->interrupts, h->range)),
			if_set(knows_tasks, MER_INT(h->processes)),
			if_set(knows_tasks, rate(h->processes, h->range)),
			if_set(knows_tasks, MER_INT(h->threads)),
			if_set(knows_tasks, rate(h->threads, h->range)),
			if_set(h->has_calls, MER_INT(h->execs)),
			if_set(h->has_calls, rate(h->execs, h->range)),
			if_set(knows, MER_INT(h->task_ns)), if_set(knows, MER_INT(h->self_ns)),
			if_set(knows, MER_INT(h->tracer_ns)),
			mer_text(
				is_guest && h->stolen_by && *h->stolen_by ? h->stolen_by : NULL) });
}

static void emit_io(
	struct summary *s, const struct summary_host *h, uint64_t faults, bool has_queue)
{
	bool knows = h->cpus && h->range && summary_knows_cpus(h);
	double seconds = (double)h->range / 1e9;
	mer_table_add(&s->out[SUMMARY_IO],
		(struct mer_cell[]){ mer_text(h->name), if_set(h->has_disk, MER_REAL_CELL(h->disk)),
			mer_text(h->disk_name),
			if_set(h->has_disk && has_queue,
				MER_REAL_CELL(summary_per(h->disk_queue_ns, h->range))),
			if_set(h->has_disk, MER_INT(h->flushes)),
			if_set(h->has_disk, rate(h->flushes, h->range)),
			if_set(h->flushes, MER_INT(h->flushes ? h->flush_ns / h->flushes : 0)),
			if_set(h->flushes, MER_INT(h->flush_max)),
			if_set(knows && h->has_disk, MER_INT(faults)),
			if_set(knows && h->has_disk, rate((int64_t)faults, h->range)),
			if_set(h->has_net, MER_INT(h->net_bytes)),
			if_set(h->has_net && h->range,
				MER_REAL_CELL((double)h->net_bytes / seconds)),
			if_set(h->has_memory, MER_INT(h->memory_bytes)),
			if_set(h->has_calls, MER_INT(h->calls)),
			if_set(h->has_calls, MER_INT(h->failed)),
			if_set(h->has_calls, MER_INT(h->odd_errors)), MER_INT(h->lost_events),
			MER_INT(h->lost_packets) });
}

static void emit_hosts(struct summary *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->hosts[i].name) {
			emit_load(s, &s->hosts[i],
				s->run->world->hosts[i].has_wakeups &&
					(analysis_records(s->run, i, KERNEL_EV_FORK) ||
						analysis_records(s->run, i, KERNEL_EV_PERF_FORK)));
			emit_io(s, &s->hosts[i], s->waits.hosts[i][SUMMARY_FAULT].count,
				analysis_records(s->run, i, KERNEL_EV_BLOCK_INSERT));
		}
}

static void emit_cpus(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_CPUS];
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct summary_host *h = summary_host_of(s, t, r);
		if (!h)
			continue;
		int64_t unknown = summary_number(t, r, "unknown_ns");
		mer_table_add(&s->out[SUMMARY_CPUS],
			(struct mer_cell[]){ mer_text(h->name), *summary_cell(t, r, "cpu"),
				*summary_cell(t, r, "percent"),
				if_set(h->range, MER_REAL_CELL(summary_per(unknown, h->range))),
				*summary_cell(t, r, "full_ns"),
				rate(summary_number(t, r, "switches"), h->range) });
	}
}

/* ---- who uses most ---- */

struct ranked {
	int64_t value;
	size_t row;
};

/* Greatest value first; equal ones by row. */
static int compare(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->value != q->value)
		return p->value < q->value ? 1 : -1;
	return (p->row > q->row) - (p->row < q->row);
}

/* Adds a row to the `most` greatest ones, if its value is above 0; returns how many there are. */
static size_t keep(struct ranked *best, size_t n, size_t most, int64_t value, size_t row)
{
	if (value <= 0 || (n == most && value <= best[n - 1].value))
		return n;
	n += n < most;
	best[n - 1] = (struct ranked){ value, row };
	qsort(best, n, sizeof(*best), compare);
	return n;
}

enum { CPU_ROWS = 3, DISK_ROWS = 2, MOST = 3 };

static const char *who(const struct summary *s, const struct mer_table *t, size_t row)
{
	const struct mer_cell *tid = summary_cell(t, row, "tid");
	const char *comm = summary_text(t, row, "comm");
	return tid->set && tid->v.i >= 0
		       ? mer_arena_printf(&s->run->arena, "%s/%" PRId64, comm, tid->v.i)
	       : comm[0] ? comm
			 : "unknown";
}

static void add_top(struct summary *s, const char *resource, const struct mer_table *t, size_t row,
	struct mer_cell ns, struct mer_cell percent, struct mer_cell bytes)
{
	const struct summary_host *h = summary_host_of(s, t, row);
	mer_table_add(&s->out[SUMMARY_TOP],
		(struct mer_cell[]){ mer_text(resource), *summary_cell(t, row, "host"),
			mer_text(who(s, t, row)), *summary_cell(t, row, "tid"),
			*summary_cell(t, row, "comm"), ns, percent, bytes,
			bytes.set && h && h->range > 0
				? MER_REAL_CELL((double)bytes.v.i / ((double)h->range / 1e9))
				: MER_NONE,
			MER_NONE });
}

/* The tracer's CPU time on all hosts, which the rows above leave out. */
static void add_tracer(struct summary *s)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < s->n; i++)
		ns += s->hosts[i].name ? s->hosts[i].tracer_ns : 0;
	if (ns > 0)
		mer_table_add(&s->out[SUMMARY_TOP],
			(struct mer_cell[]){ mer_text("CPU"), MER_NONE,
				mer_text("the tracer itself"), MER_NONE, MER_NONE, MER_INT(ns),
				MER_NONE, MER_NONE, MER_NONE, MER_NONE });
}

static void emit_top(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_THREADS];
	struct ranked best[MOST];
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		if (!(summary_marks(s, t, r) & SUMMARY_TRACER))
			n = keep(best, n, CPU_ROWS, summary_number(t, r, "self_ns"), r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "CPU", t, best[i].row, MER_INT(best[i].value),
			*summary_cell(t, best[i].row, "percent"), MER_NONE);
	add_tracer(s);
	t = &s->in[SUMMARY_IN_POLL];
	n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		if (!(summary_marks(s, t, r) & SUMMARY_TRACER))
			n = keep(best, n, 1, summary_number(t, r, "cpu_ns"), r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "busy polling", t, best[i].row, MER_INT(best[i].value), MER_NONE,
			MER_NONE);
	t = &s->in[SUMMARY_IN_IO];
	n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		if (!(summary_marks(s, t, r) & SUMMARY_TRACER))
			n = keep(best, n, DISK_ROWS,
				summary_number(t, r, "block_read_bytes") +
					summary_number(t, r, "block_written_bytes"),
				r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "disk", t, best[i].row, MER_NONE, MER_NONE, MER_INT(best[i].value));
}

/* ---- waits by cause ---- */

static struct mer_cell tid_cell(const struct kernel_host *h, uint32_t task)
{
	return task == KERNEL_NONE ? MER_NONE : MER_INT(h->tasks[task].tid);
}

static void add_wait(struct summary *s, uint32_t host, enum summary_cause cause)
{
	const struct summary_wait *w = &s->waits.hosts[host][cause];
	const struct kernel_host *h = &s->run->world->hosts[host];
	if (w->total <= 0)
		return;
	const char *comm = analysis_comm(s->run, host, w->task);
	const char *call =
		w->call == KERNEL_NONE ? NULL : kernel_name_text(h, h->calls[w->call].name);
	mer_table_add(&s->out[SUMMARY_WAITS],
		(struct mer_cell[]){ mer_text(summary_cause_name(cause)),
			mer_text(s->hosts[host].name), MER_INT(w->total), MER_INT(w->count),
			MER_INT(w->max),
			mer_text(mer_arena_printf(
				&s->run->arena, "%s/%" PRId32, comm, h->tasks[w->task].tid)),
			tid_cell(h, w->task), mer_text(comm), mer_text(call), MER_INT(w->max_at),
			tid_cell(h, w->most), mer_text(analysis_comm(s->run, host, w->most)),
			MER_INT(w->most_ns), MER_NONE });
}

/* All time that tasks were runnable: after wake-ups and after preemptions. The longest one is from
 * wake-up to running. */
static void add_ready(struct summary *s, const struct summary_host *h)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_SCHED];
	size_t longest = SIZE_MAX;
	int64_t count = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (summary_host_of(s, t, r) != h || (summary_marks(s, t, r) & SUMMARY_TRACER))
			continue;
		count += summary_number(t, r, "count") + summary_number(t, r, "preemptions");
		if (!summary_number(t, r, "count"))
			continue;
		if (longest == SIZE_MAX ||
			summary_number(t, r, "max_ns") > summary_number(t, longest, "max_ns"))
			longest = r;
	}
	if (h->runnable_ns <= 0)
		return;
	bool any = longest != SIZE_MAX;
	mer_table_add(&s->out[SUMMARY_WAITS],
		(struct mer_cell[]){ mer_text(summary_cause_name(SUMMARY_CPU)), mer_text(h->name),
			MER_INT(h->runnable_ns), if_set(count, MER_INT(count)),
			any ? *summary_cell(t, longest, "max_ns") : MER_NONE,
			any ? mer_text(who(s, t, longest)) : MER_NONE,
			any ? *summary_cell(t, longest, "tid") : MER_NONE,
			any ? *summary_cell(t, longest, "comm") : MER_NONE, MER_NONE,
			any ? *summary_cell(t, longest, "max_at") : MER_NONE, MER_NONE, MER_NONE,
			MER_NONE, MER_NONE });
}

static void emit_waits(struct summary *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->hosts[i].name)
			continue;
		add_ready(s, &s->hosts[i]);
		for (int c = 0; c < SUMMARY_N_CAUSES; c++)
			if (s->all || !summary_is_told((enum summary_cause)c))
				add_wait(s, i, (enum summary_cause)c);
	}
	mer_table_sort(&s->out[SUMMARY_WAITS], "total_ns", false);
}

/* ---- packets between hosts ---- */

static int64_t range_of(const struct summary *s)
{
	int64_t range = 0;
	for (uint32_t i = 0; i < s->n; i++)
		range = s->hosts[i].range > range ? s->hosts[i].range : range;
	return range;
}

static void emit_links(struct summary *s)
{
	int64_t range = range_of(s);
	for (size_t i = 0; i < s->n_links; i++) {
		const struct summary_link *l = &s->links[i];
		mer_table_add(&s->out[SUMMARY_LINKS],
			(struct mer_cell[]){ mer_text(l->from), mer_text(l->to),
				MER_INT(l->packets), rate(l->packets, range),
				if_set(l->has_bytes, MER_INT(l->bytes)),
				if_set(l->has_bytes && range > 0,
					MER_REAL_CELL((double)l->bytes / ((double)range / 1e9))),
				if_set(l->has_times, MER_INT(l->mean_ns)),
				if_set(l->has_times, MER_INT(l->max_ns)),
				if_set(l->bound_ns != INT64_MAX, MER_INT(l->bound_ns)),
				if_set(l->has_counts, MER_INT(l->repeated)),
				if_set(l->has_counts, MER_INT(l->unmatched)), MER_NONE });
	}
	mer_table_sort(&s->out[SUMMARY_LINKS], "packets", false);
}

void summary_emit(struct summary *s)
{
	emit_hosts(s);
	emit_cpus(s);
	emit_top(s);
	emit_waits(s);
	emit_links(s);
}
