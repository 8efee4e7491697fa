/* Adds up the tables of several analyses by host. Nothing here reads events. summary_tables.c makes
 * the tables of the summary, findings.c the findings. */
#include "analysis/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/recorded.h"
#include "analysis/summary/summary_data.h"
#include "analysis/summary/summary_tables.h"
#include "analysis/tracer.h"
#include "base/count.h"
#include "trace/missing.h"
#include "trace/tool.h"

/* Errors that are normal, e.g. because there is no data yet. */
static const char *const everyday[] = { "EAGAIN", "EINPROGRESS", "ETIMEDOUT", "ECHILD", "EINTR",
	"EALREADY", "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK" };
/* ENOENT is normal, too, for calls that search, along PATH and the like (KERNEL_CALLS_LOOKUP). And
 * these calls probe what a descriptor is: a terminal, seekable, open at all? */
static const struct {
	const char *call, *error;
} probes[] = { { "ioctl", "ENOTTY" }, { "lseek", "ESPIPE" }, { "ioctl", "EINVAL" },
	{ "close", "EBADF" }, { "fcntl", "EBADF" } };

static const struct {
	const struct analysis *analysis;
	const char *output;
} wanted[SUMMARY_REQUESTS] = {
	[SUMMARY_IN_THREADS] = { &analysis_cpu, "top" },
	[SUMMARY_IN_CPUS] = { &analysis_cpu, "cpus" },
	[SUMMARY_IN_HOSTS] = { &analysis_cpu, "hosts" },
	[SUMMARY_IN_TOTALS] = { &analysis_cpu, "totals" },
	[SUMMARY_IN_SCHED] = { &analysis_sched, "stats" },
	[SUMMARY_IN_IO] = { &analysis_io, "top" },
	[SUMMARY_IN_DISKS] = { &analysis_disk, "top" },
	[SUMMARY_IN_QUEUES] = { &analysis_disk, "bins" },
	[SUMMARY_IN_REQUESTS] = { &analysis_disk, "stats" },
	[SUMMARY_IN_PAIRS] = { &analysis_net, "pairs" },
	[SUMMARY_IN_INTERFACES] = { &analysis_net, "interfaces" },
	[SUMMARY_IN_CALLS] = { &analysis_syscall, "hosts" },
	[SUMMARY_IN_ERRORS] = { &analysis_syscall, "stats_errors" },
	[SUMMARY_IN_IRQ] = { &analysis_irq, "stats" },
	[SUMMARY_IN_FUTEXES] = { &analysis_futex, "top" },
	[SUMMARY_IN_STUCK] = { &analysis_futex, "top_unfinished" },
	[SUMMARY_IN_POLL] = { &analysis_poll, "stats" },
	[SUMMARY_IN_MEMORY] = { &analysis_mem, "top" },
	[SUMMARY_IN_GUESTS] = { &analysis_vm, "guests" },
	[SUMMARY_IN_GUEST_TASKS] = { &analysis_vm, "tasks" },
	[SUMMARY_IN_RANKS] = { &analysis_mpi, "ranks" },
};

void summary_requests(struct analysis_request *requests)
{
	for (int i = 0; i < SUMMARY_REQUESTS; i++)
		requests[i] = (struct analysis_request){ wanted[i].analysis,
			(unsigned)analysis_find_output(wanted[i].analysis, wanted[i].output) };
}

/* ---- hosts and tasks of rows ---- */

static bool has_nothing(const struct mer_experiment *e, uint32_t host)
{
	struct trace_missing missing = { 0 };
	uint64_t n = 0;
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (e->traces[t].host == host) {
			n += e->traces[t].n_packets;
			trace_count_missing(e, t, &missing);
		}
	return n == 0 && !trace_is_missing(&missing);
}

static void name_hosts(struct summary *s)
{
	const struct analysis_options *o = s->run->options;
	for (uint32_t i = 0; i < s->n; i++) {
		int64_t begin, end;
		if (o->wants_host && !o->wants_host(o->ctx, i))
			continue;
		s->hosts[i].name = analysis_host_name(s->run, i);
		s->hosts[i].range = analysis_range(s->run, i, &begin, &end);
		s->hosts[i].is_empty = has_nothing(s->run->e, i);
		s->hosts[i].has_packets_only = trace_has_packets_only(s->run->e, i);
	}
}

struct summary_host *summary_host_named(const struct summary *s, const char *name)
{
	const uint32_t *at = mer_map_get(&s->by_name, mer_hash(name, strlen(name)));
	return at && strcmp(s->hosts[*at - 1].name, name) == 0 ? &s->hosts[*at - 1] : NULL;
}

/* Finds the host of each row once, because there may be many hosts with many rows each. The names
 * of the hosts must be set. */
static int find_owners(struct summary *s)
{
	bool ok = true;
	for (uint32_t h = s->n; h-- > 0 && ok;) {
		const char *name = s->hosts[h].name;
		uint32_t *at = name ? mer_map_put(&s->by_name, mer_hash(name, strlen(name))) : NULL;
		ok = at || !name;
		if (at)
			*at = h + 1;
	}
	for (int i = 0; i < SUMMARY_REQUESTS && ok; i++) {
		const struct mer_table *t = &s->in[i];
		size_t column = mer_table_column(t, "host");
		s->owners[i] =
			mer_arena_zalloc(&s->run->arena, t->n_rows + 1, sizeof(*s->owners[i]));
		ok = s->owners[i] != NULL;
		for (size_t r = 0; r < t->n_rows && ok && column != SIZE_MAX; r++) {
			const struct mer_cell *c = &t->cells[r * t->n_columns + column];
			struct summary_host *of = c->set ? summary_host_named(s, c->v.text) : NULL;
			s->owners[i][r] = of ? (uint32_t)(of - s->hosts) + 1 : 0;
		}
	}
	return ok ? 0 : mer_fail_nomem(s->run->err);
}

struct summary_host *summary_host_of(const struct summary *s, const struct mer_table *t, size_t row)
{
	uint32_t owner = s->owners[t - s->in][row];
	return owner ? &s->hosts[owner - 1] : NULL;
}

static int mark_tasks(struct summary *s, uint32_t host)
{
	const struct kernel_host *h = &s->run->world->hosts[host];
	const struct analysis_options *o = s->run->options;
	struct summary_host *to = &s->hosts[host];
	s->tracer[host] = analysis_tracer_of(s->run, host);
	bool ok = s->tracer[host] != NULL;
	for (uint32_t i = 0; ok && i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		unsigned marks = (s->tracer[host][i] ? SUMMARY_TRACER : 0) |
				 (analysis_is_brief(t) ? SUMMARY_BRIEF : 0) |
				 (t->is_kernel ? SUMMARY_KERNEL : 0);
		if (t->born && !t->is_kernel && analysis_is_asked(o, t->begin))
			*(t->pid == t->tid ? &to->processes : &to->threads) += 1;
		if (!marks)
			continue;
		uint32_t *at = mer_map_put(&s->marks[host],
			analysis_task_key(0, t->tid, analysis_comm(s->run, host, i)));
		ok = at != NULL;
		if (at)
			*at |= marks;
		if (ok && s->tracer[host][i] && t->pid >= 0) {
			at = mer_map_put(&s->marks[host], analysis_task_key(0, t->pid, ""));
			ok = at != NULL;
			if (at)
				*at |= SUMMARY_TRACER;
		}
	}
	return ok ? 0 : mer_fail_nomem(s->run->err);
}

unsigned summary_marks(const struct summary *s, const struct mer_table *t, size_t row)
{
	const struct summary_host *h = summary_host_of(s, t, row);
	const uint32_t *at = h ? mer_map_get(&s->marks[h - s->hosts],
					 analysis_task_key(0, summary_number(t, row, "tid"),
						 summary_text(t, row, "comm")))
			       : NULL;
	return at ? *at : 0;
}

/* The same for the process in column pid, if a row is about several threads. */
static unsigned process_marks(const struct summary *s, const struct mer_table *t, size_t row)
{
	const struct summary_host *h = summary_host_of(s, t, row);
	const uint32_t *at = h ? mer_map_get(&s->marks[h - s->hosts],
					 analysis_task_key(0, summary_number(t, row, "pid"), ""))
			       : NULL;
	return (at ? *at : 0) |
	       (analysis_tracer_name(summary_text(t, row, "comm")) ? SUMMARY_TRACER : 0);
}

/* ---- sums ---- */

static void keep_task(struct summary_task *best, const struct mer_table *t, size_t row,
	const char *tid, const char *comm, int64_t ns)
{
	const struct mer_cell *number = summary_cell(t, row, tid);
	if (ns > 0 && ns > best->ns)
		*best = (struct summary_task){ summary_text(t, row, comm),
			number->set ? number->v.i : -1, ns };
}

static void sum_losses(struct summary *s)
{
	const struct mer_experiment *e = s->run->e;
	for (uint32_t h = 0; h < s->n; h++) {
		struct trace_missing m = { 0 };
		struct mer_str text = { 0 };
		for (uint32_t i = 0; i < e->n_traces; i++)
			if (e->traces[i].host == h)
				trace_count_missing(e, i, &m);
		trace_put_missing(&text, &m);
		if (text.data && !text.failed)
			s->hosts[h].missing = mer_arena_strdup(&s->run->arena, text.data);
		mer_str_fini(&text);
	}
	for (uint32_t i = 0; i < e->n_traces; i++)
		if (e->traces[i].host < s->n) {
			struct summary_host *h = &s->hosts[e->traces[i].host];
			mer_add_count(&h->lost_events, e->traces[i].lost_events);
			mer_add_count(&h->lost_packets, e->traces[i].lost_packets);
		}
}

/* If events are recorded, their number is shown even if it is 0. */
static void find_recorded(struct summary *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct summary_host *h = &s->hosts[i];
		h->has_interrupts = analysis_records(s->run, i, KERNEL_EV_IRQ_ENTRY);
		h->has_softirqs = analysis_records(s->run, i, KERNEL_EV_SOFTIRQ_ENTRY);
		h->has_switches = analysis_records(s->run, i, KERNEL_EV_SWITCH);
		h->has_calls = analysis_records(s->run, i, KERNEL_EV_SYSCALL_EXIT);
	}
}

static void sum_cpus(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_HOSTS];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r))) {
			h->cpus = summary_number(t, r, "cpus");
			int64_t all = h->cpus * h->range;
			h->knows_cpu = summary_cell(t, r, "percent")->set;
			h->cpu = summary_real(t, r, "percent");
			h->unknown = summary_per(summary_number(t, r, "unknown_ns"), all);
			h->irq_ns = summary_number(t, r, "irq_ns");
			h->irq = summary_per(h->irq_ns, all);
			h->softirq_ns = summary_number(t, r, "softirq_ns");
			h->softirq = summary_per(h->softirq_ns, all);
			h->full_ns = summary_number(t, r, "full_ns");
			h->switches = summary_number(t, r, "switches");
			h->task_ns = summary_number(t, r, "task_ns");
		}
	t = &s->in[SUMMARY_IN_CPUS];
	for (size_t r = 0; r < t->n_rows; r++) {
		int64_t full = summary_number(t, r, "full_ns");
		if (!(h = summary_host_of(s, t, r)))
			continue;
		h->n_full += full > 0;
		double idle = summary_per(summary_number(t, r, "idle_ns"), h->range);
		if (h->cpus > 1 && idle > h->idlest_share) {
			h->idlest_share = idle;
			h->idlest = summary_number(t, r, "cpu");
		}
		if (full > h->fullest_ns) {
			h->fullest_ns = full;
			h->fullest = summary_number(t, r, "cpu");
		}
	}
	t = &s->in[SUMMARY_IN_IRQ];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)) &&
			strcmp(summary_text(t, r, "kind"), "irq") == 0) {
			h->has_interrupts = true;
			h->interrupts += summary_number(t, r, "count");
		}
}

struct program { /* tasks of a host that are called the same */
	struct summary_host *host;
	struct summary_task sum;
	uint64_t n;
};

struct programs {
	struct mer_map map;  /* host and name -> number, plus 1 */
	struct program *all; /* malloc'ed */
	size_t n;
};

static bool add_program(
	struct programs *p, struct summary *s, const struct mer_table *t, size_t row, int64_t ns)
{
	struct summary_host *h = summary_host_of(s, t, row);
	const char *comm = summary_text(t, row, "comm");
	uint32_t *at = mer_map_put(&p->map, analysis_task_key((uint32_t)(h - s->hosts), 0, comm));
	if (!at)
		return false;
	if (!*at) {
		p->all[p->n] = (struct program){ .host = h,
			.sum = { comm, summary_number(t, row, "tid"), 0 } };
		*at = (uint32_t)++p->n;
	}
	p->all[*at - 1].sum.ns += ns;
	p->all[*at - 1].n++;
	return true;
}

static void keep_programs(const struct programs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct program *x = &p->all[i];
		if (x->sum.ns <= x->host->cpu_user.ns)
			continue;
		x->host->cpu_user = x->sum;
		if (x->n > 1)
			x->host->cpu_user.tid = -1;
	}
}

/* The task with the most time on the CPU that was full for the longest time. */
static int find_full_user(struct summary *s, uint32_t host)
{
	const struct kernel_host *h = &s->run->world->hosts[host];
	struct summary_host *to = &s->hosts[host];
	struct on_cpu {
		int64_t end, sum; /* begin of the span after this one; time on the full CPU */
	} *tasks = calloc((size_t)h->n_tasks + 1, sizeof(*tasks));
	if (!tasks)
		return mer_fail_nomem(s->run->err);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		tasks[i].end = kernel_task_end(h, i);
	for (uint32_t i = h->n_spans; i-- > 0;) {
		const struct kernel_span *x = kernel_span(h, i);
		if (kernel_is_on_cpu(x->state) && x->state != KERNEL_INTERRUPTED &&
			x->cpu == to->fullest)
			tasks[x->task].sum +=
				analysis_overlap(s->run->options, x->begin, tasks[x->task].end);
		tasks[x->task].end = x->begin;
	}
	for (uint32_t i = 0; i < h->n_tasks; i++)
		if (tasks[i].sum > to->full_user.ns)
			to->full_user = (struct summary_task){ analysis_comm(s->run, host, i),
				h->tasks[i].tid, tasks[i].sum };
	free(tasks);
	return 0;
}

static int sum_programs(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_THREADS];
	struct programs p = { .all = calloc(t->n_rows + 1, sizeof(*p.all)) };
	bool ok = p.all != NULL;
	for (size_t r = 0; r < t->n_rows && ok; r++)
		if (summary_host_of(s, t, r) && !(summary_marks(s, t, r) & SUMMARY_TRACER))
			ok = add_program(&p, s, t, r, summary_number(t, r, "self_ns"));
	if (ok)
		keep_programs(&p);
	mer_map_fini(&p.map);
	free(p.all);
	return ok ? 0 : mer_fail_nomem(s->run->err);
}

static void sum_threads(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_TOTALS];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r))) {
			h->tracer_ns = summary_number(t, r, "tracer_ns");
			h->self_ns = summary_number(t, r, "all_self_ns");
			h->runnable_ns = summary_number(t, r, "runnable_ns");
			h->lacks_runnable = !summary_cell(t, r, "runnable_ns")->set;
			h->brief = summary_number(t, r, "brief");
			h->brief_threads = summary_number(t, r, "brief_threads");
			h->brief_ns = summary_number(t, r, "brief_ns");
		}
	t = &s->in[SUMMARY_IN_THREADS];
	for (size_t r = 0; r < t->n_rows; r++) {
		unsigned marks = (h = summary_host_of(s, t, r)) ? summary_marks(s, t, r) : 0;
		if (!h || marks & SUMMARY_TRACER)
			continue;
		if (summary_number(t, r, "migrations") == 0)
			h->stayed_ns += summary_number(t, r, "runnable_ns");
		if (marks & SUMMARY_BRIEF)
			keep_task(&h->cpu_brief, t, r, "tid", "comm",
				summary_number(t, r, "self_ns"));
	}
	t = &s->in[SUMMARY_IN_SCHED];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)) && summary_number(t, r, "count") &&
			!(summary_marks(s, t, r) & (SUMMARY_TRACER | SUMMARY_KERNEL))) {
			int64_t max = summary_number(t, r, "max_ns");
			h->latency = max > h->latency ? max : h->latency;
			h->has_latency = true;
			keep_task(&h->late, t, r, "tid", "comm", max);
		}
	t = &s->in[SUMMARY_IN_GUESTS];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r))) {
			h->seen_ns = summary_number(t, r, "seen_ns");
			h->stolen_ns = summary_number(t, r, "stolen_ns");
			h->unseen_ns = summary_number(t, r, "unknown_ns");
			h->stolen_by = summary_text(t, r, "by");
			h->stolen_by_ns = summary_number(t, r, "by_ns");
			h->stolen_by_task = summary_text(t, r, "by_task");
			h->stolen_by_task_ns = summary_number(t, r, "by_task_ns");
		}
	t = &s->in[SUMMARY_IN_GUEST_TASKS];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)))
			keep_task(&h->stolen_from, t, r, "tid", "comm",
				summary_number(t, r, "stolen_ns"));
	t = &s->in[SUMMARY_IN_MEMORY];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r))) {
			h->memory_bytes += summary_number(t, r, "net_bytes");
			h->has_memory = true;
		}
	t = &s->in[SUMMARY_IN_POLL];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)) && !(summary_marks(s, t, r) & SUMMARY_TRACER)) {
			h->polling_ns += summary_number(t, r, "cpu_ns");
			keep_task(&h->poller, t, r, "tid", "comm", summary_number(t, r, "cpu_ns"));
		}
}

static void sum_disks(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_DISKS];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!(h = summary_host_of(s, t, r)))
			continue;
		h->disk_errors += summary_number(t, r, "errors");
		if (!h->has_disk || summary_real(t, r, "busy_percent") > h->disk) {
			h->disk = summary_real(t, r, "busy_percent");
			h->disk_name = summary_text(t, r, "disk");
		}
		h->has_disk = true;
	}
	t = &s->in[SUMMARY_IN_QUEUES];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)))
			h->disk_queue_ns += summary_number(t, r, "queue_ns");
	t = &s->in[SUMMARY_IN_REQUESTS];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = summary_host_of(s, t, r)) &&
			strcmp(summary_text(t, r, "name"), "disk flush") == 0) {
			int64_t max = summary_number(t, r, "max_ns");
			h->flushes += summary_number(t, r, "count");
			h->flush_ns += summary_number(t, r, "total_ns");
			h->flush_max = max > h->flush_max ? max : h->flush_max;
		}
}

static bool is_everyday(const char *call, const char *error)
{
	for (size_t i = 0; i < sizeof(everyday) / sizeof(*everyday); i++)
		if (strcmp(error, everyday[i]) == 0)
			return true;
	if (strcmp(error, "ENOENT") == 0 &&
		kernel_call_classes(kernel_call_id(call)) & KERNEL_CALLS_LOOKUP)
		return true;
	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
		if (strcmp(call, probes[i].call) == 0 && strcmp(error, probes[i].error) == 0)
			return true;
	return false;
}

static void sum_calls(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_CALLS];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!(h = summary_host_of(s, t, r)))
			continue;
		const char *name = summary_text(t, r, "name");
		int64_t n = summary_number(t, r, "count"), failed = summary_number(t, r, "errors");
		h->has_calls = true;
		h->calls += n;
		h->failed += failed;
		if (kernel_call_classes(kernel_call_id(name)) & KERNEL_CALLS_EXEC)
			h->execs += n - failed;
	}
	t = &s->in[SUMMARY_IN_ERRORS];
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *call = summary_text(t, r, "name"), *error = summary_text(t, r, "error");
		if (!(h = summary_host_of(s, t, r)) || is_everyday(call, error))
			continue;
		if (!h->worst_error) { /* the table is sorted by count */
			h->worst_error = error;
			h->worst_call = call;
		}
		h->odd_errors += summary_number(t, r, "count");
	}
}

/* Of MPI programs. */
static void sum_ranks(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_RANKS];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!(h = summary_host_of(s, t, r)))
			continue;
		h->ranks++;
		h->rank_ns += summary_number(t, r, "elapsed_ns");
		h->rank_waits_ns += summary_number(t, r, "waiting_ns");
	}
}

/* Only waits for locks: most other waits on futexes are waits for work. */
static void sum_locks(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_FUTEXES];
	struct summary_host *h;
	for (size_t r = 0; r < t->n_rows; r++) {
		int64_t ns = summary_number(t, r, "lock_ns");
		if (!(h = summary_host_of(s, t, r)) || ns <= 0 ||
			(process_marks(s, t, r) & SUMMARY_TRACER))
			continue;
		if (ns > h->lock_waiter.ns) {
			h->lock_waiter =
				(struct summary_task){ summary_text(t, r, "comm"), -1, ns };
			h->lock_holder = (struct summary_task){ 0 };
			keep_task(&h->lock_holder, t, r, "waker_tid", "waker_comm", ns);
			h->locks_max = summary_number(t, r, "max_ns");
		}
		h->locks_ns += ns;
	}
	t = &s->in[SUMMARY_IN_STUCK];
	for (size_t r = 0; r < t->n_rows; r++) {
		int64_t ns = summary_number(t, r, "so_far_ns");
		if (!(h = summary_host_of(s, t, r)) ||
			strcmp(summary_text(t, r, "kind"), "lock") != 0 ||
			!findings_is_stuck(h, ns))
			continue;
		h->stuck++;
		if (ns > h->stuck_ns) {
			h->stuck_ns = ns;
			keep_task(&h->stuck_one, t, r, "tid", "comm", ns);
			h->stuck_by = (struct summary_task){ 0 };
			keep_task(&h->stuck_by, t, r, "holder_tid", "holder_comm", ns);
		}
	}
}

/* ---- packets between hosts ---- */

static void add_counts(const struct summary *s, struct summary_link *l)
{
	const struct sync_result *r = s->r;
	for (size_t i = 0; r && i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		const char *a = r->hosts[p->a].name, *b = r->hosts[p->b].name;
		bool forth = strcmp(a, l->from) == 0 && strcmp(b, l->to) == 0;
		if (!forth && (strcmp(b, l->from) != 0 || strcmp(a, l->to) != 0))
			continue;
		const struct sync_direction *d = forth ? &p->ab : &p->ba;
		l->repeated = (int64_t)d->n_duplicates;
		l->unmatched = (int64_t)d->n_unmatched;
		l->bound_ns = p->bound.median;
		l->has_counts = true;
	}
}

static int find_links(struct summary *s)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_PAIRS];
	s->links = calloc(t->n_rows + 1, sizeof(*s->links));
	if (!s->links)
		return mer_fail_nomem(s->run->err);
	for (size_t r = 0; r < t->n_rows; r++) {
		struct summary_link l = { .from = summary_text(t, r, "from_host"),
			.to = summary_text(t, r, "to_host"),
			.packets = summary_number(t, r, "packets"),
			.bound_ns = INT64_MAX };
		int64_t sent = summary_number(t, r, "sent_bytes");
		int64_t received = summary_number(t, r, "received_bytes");
		if (strcmp(l.from, l.to) == 0)
			continue;
		l.bytes = sent > received ? sent : received;
		l.has_bytes = summary_cell(t, r, "sent_bytes")->set ||
			      summary_cell(t, r, "received_bytes")->set;
		l.has_times = summary_cell(t, r, "mean_ns")->set;
		l.mean_ns = summary_number(t, r, "mean_ns");
		l.max_ns = summary_number(t, r, "max_ns");
		l.total_ns = l.mean_ns * l.packets;
		add_counts(s, &l);
		s->links[s->n_links++] = l;
	}
	t = &s->in[SUMMARY_IN_INTERFACES];
	for (size_t r = 0; r < t->n_rows; r++) {
		struct summary_host *h = summary_host_of(s, t, r);
		if (h && strcmp(summary_text(t, r, "interface"), "lo") != 0 &&
			summary_cell(t, r, "bytes")->set) {
			h->net_bytes += summary_number(t, r, "bytes");
			h->has_net = true;
		}
	}
	return 0;
}

/* ---- all of it ---- */

static void compare_hosts(struct summary *s)
{
	struct mer_arena *a = &s->run->arena;
	struct peers_host *hosts = mer_arena_zalloc(a, s->n + 1u, sizeof(*hosts));
	const char **names = mer_arena_zalloc(a, s->n + 1u, sizeof(*names));
	struct mer_table *t = s->out;
	if (!hosts || !names)
		return; /* said by the run's arena */
	for (uint32_t h = 0; h < s->n; h++)
		names[h] = s->hosts[h].name ? s->hosts[h].name : "";
	peers_measure(s, &t[SUMMARY_MEASURES]);
	peers_gather(&t[SUMMARY_MEASURES], names, s->n, hosts);
	peers_compare(hosts, s->n, s->by, a, &t[SUMMARY_PEERS], &t[SUMMARY_GROUPS]);
}

static int make(struct summary *s)
{
	name_hosts(s);
	int rc = find_owners(s);
	for (uint32_t i = 0; i < s->n && rc == 0; i++)
		rc = mark_tasks(s, i);
	for (uint32_t i = 0; i < s->n && rc == 0; i++)
		if (s->hosts[i].name)
			rc = summary_gaps_find(s->run, i, &s->hosts[i].gaps);
	if (rc == 0)
		rc = summary_waits_find(s->run, s->tracer, s->felt, &s->waits);
	if (rc)
		return rc;
	find_recorded(s);
	sum_losses(s);
	sum_cpus(s);
	sum_threads(s);
	sum_disks(s);
	sum_calls(s);
	sum_locks(s);
	sum_ranks(s);
	rc = sum_programs(s);
	for (uint32_t i = 0; i < s->n && rc == 0; i++)
		if (s->hosts[i].name && s->hosts[i].fullest_ns)
			rc = find_full_user(s, i);
	if (rc == 0)
		rc = find_links(s);
	if (rc == 0) {
		summary_emit(s);
		findings_find(s);
		compare_hosts(s);
	}
	return rc;
}

static void fini(struct summary *s)
{
	for (uint32_t i = 0; s->marks && i < s->n; i++)
		mer_map_fini(&s->marks[i]);
	mer_map_fini(&s->by_name);
	free(s->tracer);
	free(s->marks);
	free(s->links);
	free(s->hosts);
	summary_waits_fini(&s->waits);
}

int summary_make(struct analysis_run *run, const struct sync_result *r, bool all, enum peers_by by,
	const struct summary_felt *felt, const struct mer_table *in, struct mer_table *out,
	struct mer_err *err)
{
	uint32_t *owners[SUMMARY_REQUESTS] = { 0 };
	struct summary s = { .run = run,
		.r = r,
		.felt = felt,
		.in = in,
		.out = out,
		.n = run->e->n_hosts,
		.owners = owners,
		.all = all,
		.by = by };
	summary_init_tables(&s);
	s.hosts = calloc((size_t)s.n + 1, sizeof(*s.hosts));
	s.tracer = calloc((size_t)s.n + 1, sizeof(*s.tracer));
	s.marks = calloc((size_t)s.n + 1, sizeof(*s.marks));
	int rc = s.hosts && s.tracer && s.marks ? make(&s) : mer_fail_nomem(err);
	fini(&s);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (out[i].failed && rc == 0)
			rc = mer_fail_nomem(err);
	return rc == 0 && run->arena.failed ? mer_fail_nomem(err) : rc;
}
