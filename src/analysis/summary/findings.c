#include "analysis/summary/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary/summary_tables.h"
#include "analysis/summary/summary_views.h"
#include "base/grow.h"
#include "base/str.h"
#include "sync/auto.h"
#include "views/view.h"

/* Thresholds from which on something is a finding. */
#define UNKNOWN 0.05	  /* of CPU time */
#define QUEUE_PER_CPU 0.2 /* tasks that wait for a CPU, on average, for each CPU */
#define WAITS 0.02	  /* of the time: for disks, locks, packets */
#define DISK_BUSY 0.5	  /* of the time; also queued requests, on average */
#define STOLEN 0.05	  /* of the time that a guest's tasks seemed to run */
#define SOFTIRQ 0.1	  /* of the CPUs; interrupts too */
#define POLLING 0.1	  /* of a CPU */
#define RANKS 0.1	  /* of the time of ranks */
#define BRIEF_SHARE 0.4	  /* of the CPU time of tasks: brief processes */
#define BRIEF_LOAD 0.25	  /* of the capacity of the CPUs: brief processes */
#define MATTERS 0.1	  /* of the time: findings with less come after those that matter */
#define ODD_ERRORS 0.05	  /* of system calls */
#define REPEATED 0.01	  /* of packets */
#define STUCK 0.5	  /* of a recording of less than STUCK_NS */
#define LATENCY_NS INT64_C(10000000) /* from wake-up to running */
#define FLIGHT_NS INT64_C(1000000)   /* of packets, on average */
#define FLUSH_NS INT64_C(20000000)   /* on the average */
#define STUCK_NS INT64_C(1000000000)
#define IDLE 0.5 /* of the time of a CPU, while tasks waited for other CPUs */
enum { BRIEF_PER_S = 10, ERRORS_MANY = 10 };

/* What a finding is about; rank() orders by it. */
enum finding_class { FINDING_RECORDING, FINDING_FAILURE, FINDING_TIME, FINDING_NOTE };

static const struct {
	const char *name;
	enum finding_class class;
} rules[FINDING_N_RULES] = {
	[FINDING_LOST] = { "lost", FINDING_RECORDING },
	[FINDING_UNKNOWN] = { "unknown", FINDING_RECORDING },
	[FINDING_GAPS] = { "recording-gaps", FINDING_RECORDING },
	[FINDING_NO_SWITCH] = { "no-sched-switch", FINDING_RECORDING },
	[FINDING_PACKETS] = { "captured-only", FINDING_NOTE },
	[FINDING_NOTHING] = { "nothing-recorded", FINDING_RECORDING },
	[FINDING_EMPTY] = { "no-events", FINDING_RECORDING },
	[FINDING_DISK_ERRORS] = { "disk-errors", FINDING_FAILURE },
	[FINDING_STUCK] = { "stuck-locks", FINDING_FAILURE },
	[FINDING_CPU] = { "cpu-queue", FINDING_TIME },
	[FINDING_CPU_FULL] = { "cpu-full", FINDING_TIME },
	[FINDING_PROCESSES] = { "brief-processes", FINDING_TIME },
	[FINDING_DISK_BUSY] = { "disk-busy", FINDING_TIME },
	[FINDING_DISK] = { "disk-waits", FINDING_TIME },
	[FINDING_FAULTS] = { "major-faults", FINDING_TIME },
	[FINDING_FLUSHES] = { "flushes", FINDING_TIME },
	[FINDING_LOCKS] = { "lock-waits", FINDING_TIME },
	[FINDING_STOLEN] = { "stolen", FINDING_TIME },
	[FINDING_SOFTIRQ] = { "softirqs", FINDING_TIME },
	[FINDING_IRQ] = { "interrupts", FINDING_TIME },
	[FINDING_POLLING] = { "busy-polling", FINDING_TIME },
	[FINDING_RANKS] = { "mpi-waits", FINDING_TIME },
	[FINDING_OUTSIDE] = { "unknown-senders", FINDING_TIME },
	[FINDING_LATENCY] = { "network-latency", FINDING_TIME },
	[FINDING_REQUEST] = { "slow-request", FINDING_TIME },
	[FINDING_REPEATED] = { "repeated-packets", FINDING_NOTE },
	[FINDING_CALM] = { "nothing-saturated", FINDING_NOTE },
	[FINDING_SCHEDULING] = { "scheduling-latency", FINDING_NOTE },
	[FINDING_CALL_ERRORS] = { "call-errors", FINDING_NOTE },
	[FINDING_VIEW] = { "view-fits", FINDING_NOTE },
};

const char *finding_rule_name(enum finding_rule rule)
{
	return rules[rule].name;
}

const struct mer_column findings_columns[] = { { "kind", "kind", MER_TEXT },
	{ "rule", "rule", MER_TEXT }, { "host", "host", MER_TEXT },
	{ "time_ns", "time", MER_DURATION }, { "share_percent", NULL, MER_RATIO },
	{ "value", NULL, MER_REAL }, { "count", NULL, MER_COUNT }, { "count2", NULL, MER_COUNT },
	{ "time2_ns", NULL, MER_DURATION }, { "tid", NULL, MER_ID }, { "comm", NULL, MER_TEXT },
	{ "tid2", NULL, MER_ID }, { "comm2", NULL, MER_TEXT }, { "object", NULL, MER_TEXT },
	{ "object2", NULL, MER_TEXT }, { "time3_ns", NULL, MER_DURATION },
	{ "share2_percent", NULL, MER_RATIO }, { "alike", NULL, MER_COUNT },
	{ SUMMARY_SENTENCE, "finding", MER_TEXT }, { SUMMARY_NEXT, "next", MER_TEXT }, { 0 } };

/* ---- rows ---- */

struct finding {
	enum finding_rule rule;
	const struct summary_host *host;
	int64_t ns; /* the time that is reported; also the rank, if rank_ns is 0 */
	int64_t rank_ns;
	int64_t range; /* the time that ns is a part of */
	double share, share2, value;
	bool has_share, has_value;
	int64_t count, count2, time2, time3; /* 0: none */
	int64_t alike;			     /* number of other hosts that it stands for */
	const struct summary_task *task, *task2;
	const char *object, *object2;
};

struct findings {
	struct summary *s;
	struct finding *all; /* malloc'ed */
	size_t n, cap;
	bool failed;
};

static void add(struct findings *f, struct finding x)
{
	if (mer_grow(&f->all, f->n, &f->cap, sizeof(*f->all)))
		f->all[f->n++] = x;
	else
		f->failed = true;
}

static int64_t rank_ns(const struct finding *x)
{
	return x->rank_ns ? x->rank_ns : x->ns;
}

static bool matters(const struct finding *x)
{
	return rules[x->rule].class == FINDING_TIME && summary_per(rank_ns(x), x->range) >= MATTERS;
}

/* Order: recording, failures, time that matters, "nothing is saturated", other time, notes. */
static int rank(const struct finding *x)
{
	switch (rules[x->rule].class) {
	case FINDING_RECORDING: return 0;
	case FINDING_FAILURE: return 1;
	case FINDING_TIME: return matters(x) ? 2 : 4;
	default: return x->rule == FINDING_CALM ? 3 : 5;
	}
}

/* The cost of lock waits is what the lock holders did meanwhile: if there is a finding about
 * that, it comes first. */
static int64_t weight(const struct finding *x)
{
	return x->rule == FINDING_LOCKS ? rank_ns(x) / 10 * 9 : rank_ns(x);
}

static int compare(const void *a, const void *b)
{
	const struct finding *p = a, *q = b;
	int r = rank(p), t = rank(q);
	if (r != t)
		return r < t ? -1 : 1;
	if (r == 0 && p->share != q->share) /* the more is missing, the earlier */
		return p->share > q->share ? -1 : 1;
	if (weight(p) != weight(q))
		return weight(p) > weight(q) ? -1 : 1;
	if (p->rule != q->rule)
		return p->rule < q->rule ? -1 : 1;
	return (p->host > q->host) - (p->host < q->host);
}

static void task_cells(const struct summary_task *t, struct mer_cell *c)
{
	bool any = t && t->comm;
	c[0] = any && t->tid >= 0 ? MER_INT(t->tid) : MER_NONE;
	c[1] = mer_text(any ? t->comm : NULL);
}

/* ---- similar findings of many hosts ---- */

enum { MANY = 4 }; /* hosts with the same finding: fewer are listed one by one */

/* The size of a finding, by which similar hosts are grouped. */
static double size_of(const struct finding *x)
{
	if (x->ns)
		return summary_per(x->ns, x->range ? x->range : 1);
	double counts = (double)x->count + (double)x->count2;
	return counts > 0 ? counts : x->share;
}

/* Findings within a factor of two of the median are replaced by the median. list: findings of one
 * rule, by descending size. Fills out, and returns how many it has then. */
static size_t fold(const struct finding *list, size_t n, struct finding *out)
{
	size_t n_out = 0, high = 0, low = n;
	if (n < MANY) {
		memcpy(out, list, n * sizeof(*list));
		return n;
	}
	double middle = size_of(&list[n / 2]);
	while (size_of(&list[high]) > 2 * middle)
		high++;
	while (low > n / 2 + 1 && size_of(&list[low - 1]) < middle / 2)
		low--;
	n_out += fold(list, high, out);
	out[n_out] = list[n / 2];
	out[n_out++].alike = (int64_t)(low - high) - 1;
	return n_out + fold(list + low, n - low, out + n_out);
}

static int by_rule_and_size(const void *a, const void *b)
{
	const struct finding *p = a, *q = b;
	double x = size_of(p), y = size_of(q);
	if (p->rule != q->rule)
		return p->rule < q->rule ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return (p->host > q->host) - (p->host < q->host);
}

static void fold_hosts(struct findings *f)
{
	struct finding *out = calloc(f->n + 1, sizeof(*out));
	size_t n_out = 0;
	if (!out || !f->n) {
		f->failed |= !out;
		free(out);
		return;
	}
	qsort(f->all, f->n, sizeof(*f->all), by_rule_and_size);
	for (size_t i = 0, end; i < f->n; i = end) {
		for (end = i + 1; end < f->n && f->all[end].rule == f->all[i].rule; end++)
			;
		if (!f->all[i].host) { /* already about all hosts */
			memcpy(out + n_out, &f->all[i], (end - i) * sizeof(*out));
			n_out += end - i;
			continue;
		}
		n_out += fold(&f->all[i], end - i, out + n_out);
	}
	memcpy(f->all, out, n_out * sizeof(*out));
	f->n = n_out;
	free(out);
}

static void emit(struct findings *f)
{
	static const char *const kinds[] = { "recording", "failure", "time", "note" };
	fold_hosts(f);
	if (f->n)
		qsort(f->all, f->n, sizeof(*f->all), compare);
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *x = &f->all[i];
		struct mer_cell c[FINDING_N_COLUMNS] = {
			[FINDING_COL_KIND] = mer_text(kinds[rules[x->rule].class]),
			[FINDING_COL_RULE] = mer_text(rules[x->rule].name),
			[FINDING_COL_HOST] = mer_text(x->host ? x->host->name : NULL),
			[FINDING_COL_TIME] = mer_int_unless(x->ns, 0),
			[FINDING_COL_PERCENT] = x->has_share ? MER_REAL_CELL(x->share) : MER_NONE,
			[FINDING_COL_VALUE] = x->has_value ? MER_REAL_CELL(x->value) : MER_NONE,
			[FINDING_COL_COUNT] = mer_int_unless(x->count, 0),
			[FINDING_COL_COUNT2] = mer_int_unless(x->count2, 0),
			[FINDING_COL_TIME2] = mer_int_unless(x->time2, 0),
			[FINDING_COL_OBJECT] = mer_text(x->object),
			[FINDING_COL_OBJECT2] = mer_text(x->object2),
			[FINDING_COL_TIME3] = mer_int_unless(x->time3, 0),
			[FINDING_COL_PERCENT2] =
				x->share2 > 0 ? MER_REAL_CELL(x->share2) : MER_NONE,
			[FINDING_COL_ALIKE] = mer_int_unless(x->alike, 0),
		};
		task_cells(x->task, &c[FINDING_COL_TID]);
		task_cells(x->task2, &c[FINDING_COL_TID2]);
		mer_table_add(&f->s->out[SUMMARY_FINDINGS], c);
	}
}

/* ---- about the recording ---- */

/* True also if the host has no events in the selected time: then nothing is missing. */
static bool knows_what_is_there(const struct summary_host *h)
{
	return summary_knows_cpus(h) || (!h->range && h->has_switches);
}

/* Says what is missing, so that an empty list does not look like a good result. */
static void find_recording(struct findings *f)
{
	const struct summary *s = f->s;
	uint32_t n = 0, n_unknown = 0, n_there = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->hosts[i].name && s->hosts[i].is_empty)
			add(f, (struct finding){ .rule = FINDING_EMPTY, .host = &s->hosts[i] });
		if (s->hosts[i].has_packets_only || s->hosts[i].is_empty)
			continue;
		n += s->hosts[i].name != NULL;
		n_unknown += s->hosts[i].name && !knows_what_is_there(&s->hosts[i]);
		n_there += s->hosts[i].name && s->hosts[i].range;
	}
	if (n && n_unknown == n && n > 1)
		add(f, (struct finding){
			       .rule = FINDING_NO_SWITCH, .share = 1, .has_share = true });
	else if (n && !n_there && !n_unknown)
		add(f, (struct finding){ .rule = FINDING_NOTHING });
	for (uint32_t i = 0; i < s->n; i++) {
		const struct summary_host *h = &s->hosts[i];
		bool knows = knows_what_is_there(h);
		if (!h->name || h->is_empty)
			continue;
		double gaps = knows ? summary_per(h->gaps.ns, h->range) : 0;
		double blind = summary_per(h->gaps.blind_ns, h->range);
		double unknown = h->unknown > gaps ? h->unknown - gaps : 0;
		struct finding x = { .host = h,
			.share = h->cpus && h->range ? unknown : 1,
			.has_share = h->cpus && h->range,
			.count = (int64_t)h->lost_events,
			.count2 = (int64_t)h->lost_packets };
		if (h->lost_events || h->lost_packets || h->missing)
			x.rule = FINDING_LOST;
		else if (h->has_packets_only)
			x.rule = FINDING_PACKETS;
		else if (!knows)
			x.rule = FINDING_NO_SWITCH;
		else
			x.rule = FINDING_UNKNOWN;
		if (x.rule == FINDING_LOST)
			x.object = h->missing;
		if (x.rule == FINDING_UNKNOWN && 2 * blind >= unknown)
			x.object = "sched_switch";
		if (x.rule == FINDING_LOST || x.rule == FINDING_PACKETS ||
			(x.rule == FINDING_NO_SWITCH && (n == 1 || n_unknown < n)) ||
			(knows && h->range && unknown >= UNKNOWN))
			add(f, x);
		if (gaps >= UNKNOWN)
			add(f, (struct finding){ .rule = FINDING_GAPS,
				       .host = h,
				       .ns = h->gaps.ns,
				       .share = gaps,
				       .has_share = true,
				       .count = h->gaps.n });
	}
}

/* ---- failures ---- */

bool findings_is_stuck(const struct summary_host *h, int64_t ns)
{
	return ns >= STUCK_NS || summary_per(ns, h->range) >= STUCK;
}

static void find_failures(struct findings *f, const struct summary_host *h)
{
	if (h->disk_errors)
		add(f, (struct finding){
			       .rule = FINDING_DISK_ERRORS, .host = h, .count = h->disk_errors });
	if (h->stuck)
		add(f, (struct finding){ .rule = FINDING_STUCK,
			       .host = h,
			       .ns = h->stuck_ns,
			       .range = h->range,
			       .count = h->stuck,
			       .task = &h->stuck_one,
			       .task2 = &h->stuck_by });
}

/* ---- time ---- */

/* A single finding for all signs that CPUs are short: tasks queue, a CPU is full, or there are many
 * short-lived processes. */
static void find_cpu(struct findings *f, const struct summary_host *h)
{
	if (!h->range || !summary_knows_cpus(h))
		return;
	bool queues = summary_runnable_tasks(h) >= QUEUE_PER_CPU * (double)h->cpus;
	bool brief = (double)h->brief * 1e9 >= BRIEF_PER_S * (double)h->range &&
		     summary_per(h->brief_ns, h->self_ns - h->tracer_ns) >= BRIEF_SHARE &&
		     summary_per(h->brief_ns, h->range * h->cpus) >= BRIEF_LOAD;
	int64_t rank = queues && h->runnable_ns > h->fullest_ns ? h->runnable_ns : h->fullest_ns;
	if (!queues && !h->fullest_ns && !brief)
		return;
	struct finding x = { .rule = queues ? FINDING_CPU : FINDING_CPU_FULL,
		.host = h,
		.ns = h->runnable_ns,
		.rank_ns = brief && h->brief_ns > rank ? h->brief_ns : rank,
		.range = h->range,
		.share = h->cpu,
		.has_share = true,
		.value = summary_runnable_tasks(h),
		.has_value = true,
		.count = h->cpus,
		.time2 = h->cpu_user.ns,
		.task = &h->cpu_user };
	if (brief) {
		x.rule = FINDING_PROCESSES;
		x.count2 = h->brief;
		x.object = 2 * h->brief_threads > h->brief ? "threads" : "processes";
		x.ns = x.time2 = h->brief_ns;
		x.task = &h->cpu_brief;
	} else if (queues && h->idlest_share >= IDLE && 2 * h->stayed_ns >= h->runnable_ns) {
		x.object = mer_arena_printf(&f->s->run->arena, "%" PRId64, h->idlest);
		x.share2 = h->idlest_share;
	} else if (!queues) {
		x.ns = x.rank_ns = h->full_ns;
		x.count2 = h->n_full;
		if (h->n_full == 1) {
			x.task = &h->full_user;
			x.time2 = h->full_user.ns;
		}
		x.object = mer_arena_printf(&f->s->run->arena, "%" PRId64, h->fullest);
	}
	add(f, x);
}

/* The task with the longest total wait, in the arena; NULL: none. */
static const struct summary_task *waiter(
	struct findings *f, uint32_t host, enum summary_cause cause)
{
	const struct summary_wait *w = &f->s->waits.hosts[host][cause];
	struct summary_task *t = mer_arena_zalloc(&f->s->run->arena, 1, sizeof(*t));
	if (!t || w->most == KERNEL_NONE)
		return NULL;
	*t = (struct summary_task){ analysis_comm(f->s->run, host, w->most),
		f->s->run->world->hosts[host].tasks[w->most].tid, w->most_ns };
	return t;
}

/* If the clocks of hosts cannot be compared, the senders of packets are unknown although they were
 * recorded. Returns the names of hosts for which this is so, and of the reference, in the arena;
 * NULL: there are none, or this host is in another group. */
static const char *one_sided(struct findings *f, const struct summary_host *h)
{
	const struct sync_result *r = f->s->r;
	uint32_t host = (uint32_t)(h - f->s->hosts);
	struct mer_str names = { 0 };
	if (!r || host >= r->n_hosts || r->hosts[host].group != 0)
		return NULL;
	uint32_t n = sync_one_sided(r, &names);
	if (n)
		mer_str_printf(
			&names, "%s%.64s", n > 1 ? ", " : " and ", r->hosts[r->references[0]].name);
	const char *text =
		n && !names.failed ? mer_arena_strdup(&f->s->run->arena, names.data) : NULL;
	mer_str_fini(&names);
	return text;
}

static void find_waits(struct findings *f, const struct summary_host *h)
{
	static const struct {
		enum summary_cause cause;
		enum finding_rule rule;
	} causes[] = { { SUMMARY_DISK, FINDING_DISK }, { SUMMARY_FAULT, FINDING_FAULTS },
		{ SUMMARY_OUTSIDE, FINDING_OUTSIDE } };
	uint32_t host = (uint32_t)(h - f->s->hosts);
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		const struct summary_wait *w = &f->s->waits.hosts[host][causes[i].cause];
		const struct summary_task *t = waiter(f, host, causes[i].cause);
		if (!w->total || summary_per(w->total, h->range) < WAITS)
			continue;
		add(f, (struct finding){ .rule = causes[i].rule,
			       .host = h,
			       .ns = w->total,
			       .range = h->range,
			       .share = h->disk,
			       .has_share = h->has_disk && causes[i].cause != SUMMARY_OUTSIDE,
			       .count = (int64_t)w->count,
			       .time2 = w->most_ns,
			       .task = t,
			       .object = causes[i].cause != SUMMARY_OUTSIDE ? h->disk_name
									    : one_sided(f, h) });
	}
	if (summary_per(h->locks_ns, h->range) >= WAITS)
		add(f, (struct finding){ .rule = FINDING_LOCKS,
			       .host = h,
			       .ns = h->locks_ns,
			       .range = h->range,
			       .time2 = h->locks_max,
			       .task = &h->lock_waiter,
			       .task2 = &h->lock_holder });
}

static const struct summary_host *host_called(const struct summary *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->hosts[i].name && strcmp(s->hosts[i].name, name) == 0)
			return &s->hosts[i];
	return NULL;
}

/* The link with the most packets to this host, among those with a high latency that cannot be an
 * error of the clocks. */
static const struct summary_link *main_link(const struct summary *s, const struct summary_host *h)
{
	const struct summary_link *best = NULL;
	for (size_t i = 0; i < s->n_links; i++) {
		const struct summary_link *l = &s->links[i];
		if (strcmp(l->to, h->name) == 0 && l->has_times && l->mean_ns >= FLIGHT_NS &&
			l->bound_ns < l->mean_ns / 2 && (!best || l->packets > best->packets))
			best = l;
	}
	return best;
}

static void find_latency(struct findings *f, const struct summary_host *h)
{
	int64_t ns = f->s->waits.under_way[h - f->s->hosts];
	const struct summary_link *l = main_link(f->s, h);
	if (l && summary_per(ns, h->range) >= WAITS)
		add(f, (struct finding){ .rule = FINDING_LATENCY,
			       .host = h,
			       .ns = ns,
			       .range = h->range,
			       .count = l->packets,
			       .time2 = l->mean_ns,
			       .object = l->from });
}

static void find_links(struct findings *f)
{
	for (size_t i = 0; i < f->s->n_links; i++) {
		const struct summary_link *l = &f->s->links[i];
		const struct summary_host *h = host_called(f->s, l->from);
		if (h && l->repeated + l->unmatched >= ERRORS_MANY &&
			summary_per(l->repeated + l->unmatched, l->packets) >= REPEATED)
			add(f, (struct finding){ .rule = FINDING_REPEATED,
				       .host = h,
				       .count = l->repeated,
				       .count2 = l->unmatched,
				       .object = l->to });
	}
}

/* A busy disk that no task waits for: written data goes to disk later. */
static void find_disk(struct findings *f, const struct summary_host *h)
{
	uint32_t host = (uint32_t)(h - f->s->hosts);
	const struct summary_wait *w = f->s->waits.hosts[host];
	double queue = summary_per(h->disk_queue_ns, h->range);
	if (!h->has_disk || (h->disk < DISK_BUSY && queue < DISK_BUSY) ||
		summary_per(w[SUMMARY_DISK].total + w[SUMMARY_FAULT].total, h->range) >= WAITS)
		return;
	int64_t busy = (int64_t)(h->disk * (double)h->range);
	add(f, (struct finding){ .rule = FINDING_DISK_BUSY,
		       .host = h,
		       .ns = busy > h->disk_queue_ns ? busy : h->disk_queue_ns,
		       .range = h->range,
		       .share = h->disk,
		       .has_share = true,
		       .value = queue,
		       .has_value = true,
		       .object = h->disk_name });
}

static void find_stolen(struct findings *f, const struct summary_host *h)
{
	double share = summary_per(h->stolen_ns, h->seen_ns - h->unseen_ns);
	if (share < STOLEN)
		return;
	add(f, (struct finding){ .rule = FINDING_STOLEN,
		       .host = h,
		       .ns = h->stolen_ns,
		       .range = h->range,
		       .share = share,
		       .has_share = true,
		       .value = summary_per(h->unseen_ns, h->seen_ns),
		       .has_value = true,
		       .task = &h->stolen_from,
		       .object = h->stolen_by && *h->stolen_by ? h->stolen_by : NULL,
		       .time2 = h->stolen_by_ns,
		       .object2 = h->stolen_by_task_ns ? h->stolen_by_task : NULL,
		       .time3 = h->stolen_by_task_ns });
}

static void find_times(struct findings *f, const struct summary_host *h)
{
	find_cpu(f, h);
	find_waits(f, h);
	find_latency(f, h);
	find_disk(f, h);
	find_stolen(f, h);
	if (h->softirq >= SOFTIRQ)
		add(f, (struct finding){ .rule = FINDING_SOFTIRQ,
			       .host = h,
			       .ns = h->softirq_ns,
			       .range = h->range,
			       .share = h->softirq,
			       .has_share = true });
	if (h->irq >= SOFTIRQ)
		add(f, (struct finding){ .rule = FINDING_IRQ,
			       .host = h,
			       .ns = h->irq_ns,
			       .range = h->range,
			       .share = h->irq,
			       .has_share = true });
	if (summary_per(h->polling_ns, h->range) >= POLLING)
		add(f, (struct finding){ .rule = FINDING_POLLING,
			       .host = h,
			       .ns = h->polling_ns,
			       .range = h->range,
			       .share = summary_per(h->polling_ns, h->range),
			       .has_share = true,
			       .task = &h->poller });
	if (summary_per(h->rank_waits_ns, h->rank_ns) >= RANKS)
		add(f, (struct finding){ .rule = FINDING_RANKS,
			       .host = h,
			       .ns = h->rank_waits_ns,
			       .range = h->range,
			       .share = summary_per(h->rank_waits_ns, h->rank_ns),
			       .has_share = true,
			       .count = h->ranks });
	if (h->flushes && h->flush_ns / h->flushes >= FLUSH_NS)
		add(f, (struct finding){ .rule = FINDING_FLUSHES,
			       .host = h,
			       .ns = h->flush_ns,
			       .range = h->range,
			       .count = h->flushes,
			       .time2 = h->flush_ns / h->flushes });
}

/* ---- notes ---- */

static void find_notes(struct findings *f, const struct summary_host *h)
{
	if (h->has_latency && h->latency >= LATENCY_NS)
		add(f, (struct finding){ .rule = FINDING_SCHEDULING,
			       .host = h,
			       .ns = h->latency,
			       .range = h->range,
			       .task = &h->late });
	if (h->odd_errors >= ERRORS_MANY && summary_per(h->odd_errors, h->calls) >= ODD_ERRORS)
		add(f, (struct finding){ .rule = FINDING_CALL_ERRORS,
			       .host = h,
			       .count = h->odd_errors,
			       .share = summary_per(h->odd_errors, h->calls),
			       .has_share = true,
			       .object = h->worst_call,
			       .object2 = h->worst_error });
}

/* If nothing is saturated, the finding says what tasks waited for most: each other, hosts,
 * timers. */
static void find_calm(struct findings *f)
{
	const struct summary *s = f->s;
	struct finding x = { .rule = FINDING_CALM, .has_share = true };
	int64_t sums[SUMMARY_N_CAUSES] = { 0 };
	int most = SUMMARY_UNKNOWN;
	bool any = false, whole = true, has_wakeups = false;
	for (size_t i = 0; i < f->n; i++)
		if (matters(&f->all[i]))
			return;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct summary_host *h = &s->hosts[i];
		if (!h->name || !h->range || !summary_knows_cpus(h))
			continue;
		any = true;
		has_wakeups |= s->run->world->hosts[i].has_wakeups;
		whole &= h->unknown < UNKNOWN;
		x.share = h->cpu > x.share ? h->cpu : x.share;
		x.has_value |= h->has_disk;
		x.value = h->disk > x.value ? h->disk : x.value;
		for (int c = 1; c < SUMMARY_N_CAUSES; c++)
			sums[c] += s->waits.hosts[i][c].total;
	}
	for (int c = 1; c < SUMMARY_N_CAUSES; c++)
		if (!summary_is_told((enum summary_cause)c) && c != SUMMARY_TIMER)
			most = sums[c] > sums[most] ? c : most;
	if (!sums[most]) /* last, because tasks sleep on purpose */
		most = SUMMARY_TIMER;
	if (!has_wakeups) {
		x.object2 = "sched_waking";
	} else if (sums[most]) {
		x.object = summary_cause_name((enum summary_cause)most);
		x.time2 = sums[most];
	}
	if (any && whole) /* if much is unknown, this cannot be said */
		add(f, x);
}

/* Without kernel events: the shipped views that can show the recorded programs. */
static void find_views(struct findings *f)
{
	const struct summary *s = f->s;
	bool knows = false;
	for (uint32_t i = 0; i < s->n; i++)
		knows |= s->hosts[i].name && summary_knows_cpus(&s->hosts[i]);
	for (size_t i = 0; !knows && view_shipped[i].name; i++) {
		bool fits;
		struct mer_err err = { 0 };
		f->failed |= summary_view_fits(s->run->e, i, &fits, &err) == MER_ERR_NOMEM;
		if (fits)
			add(f, (struct finding){
				       .rule = FINDING_VIEW, .object = view_shipped[i].name });
	}
}

void findings_find(struct summary *s)
{
	struct findings f = { .s = s };
	find_recording(&f);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->hosts[i].name) {
			find_failures(&f, &s->hosts[i]);
			find_times(&f, &s->hosts[i]);
			find_notes(&f, &s->hosts[i]);
		}
	find_links(&f);
	find_calm(&f);
	find_views(&f);
	emit(&f);
	s->out[SUMMARY_FINDINGS].failed |= f.failed;
	free(f.all);
}

/* Does this row come before that of a slow request? more: its time above the median, ns; 0: less
 * than twice the median. */
static bool is_before_request(const struct mer_cell *row, int64_t more)
{
	const char *kind = row[FINDING_COL_KIND].set ? row[FINDING_COL_KIND].v.text : "";
	const struct mer_cell *time = &row[FINDING_COL_TIME];
	return strcmp(kind, "recording") == 0 || strcmp(kind, "failure") == 0 ||
	       (strcmp(kind, "time") == 0 && (!more || !time->set || time->v.i > more));
}

void findings_add_request(struct mer_table *t, const struct finding_request *x)
{
	double times = x->median_ns > 0 ? (double)x->ns / (double)x->median_ns : 1;
	struct mer_cell row[FINDING_N_COLUMNS] = {
		[FINDING_COL_KIND] = mer_text("time"),
		[FINDING_COL_RULE] = mer_text(finding_rule_name(FINDING_REQUEST)),
		[FINDING_COL_TIME] = MER_INT(x->ns),
		[FINDING_COL_VALUE] = MER_REAL_CELL(times),
		[FINDING_COL_COUNT] = MER_INT(x->count),
		[FINDING_COL_TIME2] = MER_INT(x->median_ns),
		[FINDING_COL_OBJECT] = mer_text(x->id),
		[FINDING_COL_OBJECT2] = mer_text(x->kind),
	};
	size_t at = 0, n = t->n_rows;
	mer_table_add(t, row);
	if (t->n_rows == n)
		return; /* failed */
	while (at < n && is_before_request(&t->cells[at * t->n_columns],
				 times >= 2 ? x->ns - x->median_ns : 0))
		at++;
	memmove(&t->cells[(at + 1) * t->n_columns], &t->cells[at * t->n_columns],
		(n - at) * t->n_columns * sizeof(*t->cells));
	memcpy(&t->cells[at * t->n_columns], row, sizeof(row));
}
