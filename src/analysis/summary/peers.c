#include "analysis/summary/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary/summary_data.h"
#include "analysis/summary/summary_tables.h"
#include "base/human.h"
#include "sync/result_view.h"

const struct mer_column peers_columns[] = {
	[PEERS_COL_HOST] = { "host", "host", MER_TEXT },
	[PEERS_COL_GROUP] = { "group", "group", MER_TEXT },
	[PEERS_COL_HOSTS] = { "hosts", NULL, MER_COUNT },
	[PEERS_COL_MEASURE] = { "measure", NULL, MER_TEXT },
	[PEERS_COL_VALUE] = { "value", NULL, MER_REAL },
	[PEERS_COL_TYPICAL] = { "typical", NULL, MER_REAL },
	[PEERS_COL_UNIT] = { "unit", NULL, MER_TEXT },
	[PEERS_COL_TIMES] = { "times", NULL, MER_REAL },
	[PEERS_COL_DISTANCE] = { "distance", "distance", MER_REAL },
	[PEERS_COL_SENTENCE] = { "finding", "finding", MER_TEXT },
	{ 0 },
};
const struct mer_column peers_group_columns[] = {
	[PEERS_GROUP] = { "group", "group", MER_TEXT },
	[PEERS_GROUP_HOSTS] = { "hosts", "hosts", MER_COUNT },
	[PEERS_GROUP_UNUSUAL] = { "unusual", "unusual", MER_COUNT },
	[PEERS_GROUP_IS_COMPARED] = { "is_compared", NULL, MER_COUNT },
	{ 0 },
};
const struct mer_column peers_measure_columns[] = {
	[PEERS_OF_HOST] = { "host", "host", MER_TEXT },
	[PEERS_OF_PROGRAM] = { "program", "program", MER_TEXT },
	[PEERS_OF_MEASURE] = { "measure", "measure", MER_TEXT },
	[PEERS_OF_VALUE] = { "value", "value", MER_REAL },
	{ 0 },
};

const char *peers_by_name(enum peers_by by)
{
	static const char *const names[PEERS_N_BY] = { "name", "all", "program" };
	return names[by];
}

/* ---- measures ---- */

enum unit { SHARE, NUMBER, PER_SECOND, BYTES_PER_SECOND, NANOSECONDS, PPM, N_UNITS };
static const char *const units[N_UNITS] = { [SHARE] = "ratio",
	[NUMBER] = NULL,
	[PER_SECOND] = "1/s",
	[BYTES_PER_SECOND] = "B/s",
	[NANOSECONDS] = "ns",
	[PPM] = "ppm" };

enum link { LATENCY, REPEATED, NOT_RECEIVED, N_LINK_MEASURES };

struct sums { /* of a host, from rows of several tables */
	double disk_ns, disk_n;
	double link_sum[N_LINK_MEASURES], link_n[N_LINK_MEASURES];
};

/* NAN: not known. extra: of the measure. */
typedef double measure_fn(
	const struct summary *s, const struct sums *sums, uint32_t host, int extra);

struct measure {
	const char *id;
	const char *what; /* "switches", as in "switches 9 times as many" */
	measure_fn *get;
	int extra;
	enum unit unit;
	double matters;	 /* smaller differences do not */
	bool is_two_way; /* also when it is lower than that of others */
};

static double per_second(int64_t n, const struct summary_host *h)
{
	return h->range > 0 ? (double)n / ((double)h->range / 1e9) : NAN;
}

static double of_cpus(int64_t ns, const struct summary_host *h)
{
	return h->cpus > 0 && h->range > 0 ? summary_per(ns, h->cpus * h->range) : NAN;
}

static double if_known(bool is_known, double v)
{
	return is_known ? v : NAN;
}

enum cpu { BUSY, UNKNOWN, STOLEN, RUNNABLE, IRQ, SOFTIRQ, FULL, POLLING, BRIEF };

static double cpu_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct summary_host *h = &s->hosts[host];
	bool knows = h->cpus && h->range > 0 && !h->has_packets_only && summary_knows_cpus(h);
	switch ((enum cpu)extra) {
	case BUSY: return if_known(knows, h->cpu);
	case UNKNOWN: return if_known(knows, h->unknown);
	case STOLEN: return if_known(knows, of_cpus(h->stolen_ns, h));
	case RUNNABLE: return if_known(knows && !h->lacks_runnable, of_cpus(h->runnable_ns, h));
	case IRQ: return if_known(knows && (h->has_interrupts || h->irq_ns), h->irq);
	case SOFTIRQ: return if_known(knows && (h->has_softirqs || h->softirq_ns), h->softirq);
	case FULL: return if_known(knows, of_cpus(h->full_ns, h));
	case POLLING: return if_known(knows && h->has_calls, of_cpus(h->polling_ns, h));
	case BRIEF: return if_known(knows, of_cpus(h->brief_ns, h));
	}
	return NAN;
}

enum number { SWITCHES, INTERRUPTS, PROCESSES, THREADS, EXECS, CALLS, LOST, MEMORY, NET, ODD };

static double rate_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct summary_host *h = &s->hosts[host];
	bool knows = h->range > 0 && !h->has_packets_only && summary_knows_cpus(h);
	switch ((enum number)extra) {
	case SWITCHES: return if_known(knows, per_second(h->switches, h));
	case INTERRUPTS: return if_known(h->has_interrupts, per_second(h->interrupts, h));
	case PROCESSES: return if_known(knows, per_second(h->processes, h));
	case THREADS: return if_known(knows, per_second(h->threads, h));
	case EXECS: return if_known(h->has_calls, per_second(h->execs, h));
	case CALLS: return if_known(h->has_calls, per_second(h->calls, h));
	case LOST: return per_second((int64_t)(h->lost_events + h->lost_packets), h);
	case MEMORY: return if_known(h->has_memory, per_second(h->memory_bytes, h));
	case NET: return if_known(h->has_net, per_second(h->net_bytes, h));
	case ODD: return if_known(h->has_calls && h->calls, summary_per(h->odd_errors, h->calls));
	}
	return NAN;
}

enum disk { DISK_BUSY, DISK_QUEUE, DISK_ERRORS, FLUSHES, FLUSH_MEAN };

static double disk_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct summary_host *h = &s->hosts[host];
	if (!h->has_disk || h->range <= 0)
		return NAN;
	switch ((enum disk)extra) {
	case DISK_BUSY: return h->disk;
	case DISK_QUEUE: return summary_per(h->disk_queue_ns, h->range);
	case DISK_ERRORS: return per_second(h->disk_errors, h);
	case FLUSHES: return per_second(h->flushes, h);
	case FLUSH_MEAN: return h->flushes ? summary_per(h->flush_ns, h->flushes) : NAN;
	}
	return NAN;
}

/* Mean latency of requests to disks; flushes apart. */
static double disk_mean(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)s;
	(void)extra;
	return sums[host].disk_n > 0 ? sums[host].disk_ns / sums[host].disk_n : NAN;
}

enum lock { LOCKS, LONGEST_LOCK, SCHED_LATENCY };

static double lock_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct summary_host *h = &s->hosts[host];
	if (h->range <= 0)
		return NAN;
	switch ((enum lock)extra) {
	case LOCKS: return if_known(h->has_calls, summary_per(h->locks_ns, h->range));
	case LONGEST_LOCK: return if_known(h->has_calls, (double)h->locks_max);
	case SCHED_LATENCY: return if_known(h->has_latency, (double)h->latency);
	}
	return NAN;
}

/* Mean wait of a cause, of hosts with some. */
static double wait_mean(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	enum { SOME = 10 };
	const struct summary_wait *w = &s->waits.hosts[host][extra];
	return w->count >= SOME ? (double)w->total / (double)w->count : NAN;
}

/* How many tasks waited at a time, on average. */
static double wait_share(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct summary_host *h = &s->hosts[host];
	bool knows = h->range > 0 && !h->has_packets_only && summary_knows_cpus(h);
	return if_known(knows, summary_per(s->waits.hosts[host][extra].total, h->range));
}

static double link_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	enum { SOME = 50 };
	(void)s;
	double n = sums[host].link_n[extra];
	return n >= SOME ? sums[host].link_sum[extra] / n : NAN;
}

enum clock { DRIFT, BOUND, STEPS, OFFSET };
enum { SURE_PPM = 50 }; /* so far off may a drift be that is compared */

static double clock_of(const struct summary *s, const struct sums *sums, uint32_t host, int extra)
{
	(void)sums;
	const struct sync_host *c = s->r && host < s->r->n_hosts ? &s->r->hosts[host] : NULL;
	if (!c || c->span.begin == MER_NO_TIME ||
		(c->quality != SYNC_REFERENCE && !c->n_matched && !c->n_rounds))
		return NAN;
	bool is_reference = c->quality == SYNC_REFERENCE;
	switch ((enum clock)extra) {
	case DRIFT:
		return is_reference		     ? 0
		       : c->drift_off_ppm < SURE_PPM ? sync_host_drift_ppm(c)
						     : NAN;
	case BOUND:
		return is_reference || c->bound.median == INT64_MAX ? NAN : (double)c->bound.median;
	case STEPS: return (double)(c->n_steps + c->n_slews);
	case OFFSET:
		return is_reference ? 0
				    : (double)trace_map_time(&c->map, c->span.begin) -
					      (double)c->span.begin;
	}
	return NAN;
}

#define SECOND 1e9
#define MS 1e6
static const struct measure measures[] = {
	{ "cpu_busy", "CPUs busy", cpu_of, BUSY, SHARE, 0.15, true },
	{ "cpu_unknown", "CPU time unknown", cpu_of, UNKNOWN, SHARE, 0.05, false },
	{ "cpu_stolen", "CPU time stolen", cpu_of, STOLEN, SHARE, 0.03, false },
	{ "cpu_runnable", "tasks without a CPU, for each CPU", cpu_of, RUNNABLE, NUMBER, 0.3,
		false },
	{ "cpu_irq", "CPU time of interrupts", cpu_of, IRQ, SHARE, 0.03, false },
	{ "cpu_softirq", "CPU time of softirqs", cpu_of, SOFTIRQ, SHARE, 0.05, false },
	{ "cpu_full", "CPUs without idle time", cpu_of, FULL, SHARE, 0.2, false },
	{ "cpu_polling", "CPU time of busy polling", cpu_of, POLLING, SHARE, 0.05, false },
	{ "cpu_brief", "CPU time of tasks that live less than 1 s", cpu_of, BRIEF, SHARE, 0.1,
		false },
	{ "switches", "switches", rate_of, SWITCHES, PER_SECOND, 500, true },
	{ "interrupts", "interrupts", rate_of, INTERRUPTS, PER_SECOND, 500, true },
	{ "processes", "new processes", rate_of, PROCESSES, PER_SECOND, 5, false },
	{ "threads", "new threads", rate_of, THREADS, PER_SECOND, 5, false },
	{ "execs", "programs started", rate_of, EXECS, PER_SECOND, 5, false },
	{ "calls", "system calls", rate_of, CALLS, PER_SECOND, 1000, true },
	{ "odd_errors", "failed system calls", rate_of, ODD, SHARE, 0.03, false },
	{ "lost", "lost events and packets", rate_of, LOST, PER_SECOND, 1, false },
	{ "memory_growth", "growth of memory", rate_of, MEMORY, BYTES_PER_SECOND, 4e6, false },
	{ "network", "network traffic", rate_of, NET, BYTES_PER_SECOND, 1e6, true },
	{ "disk_busy", "busiest disk busy", disk_of, DISK_BUSY, SHARE, 0.2, false },
	{ "disk_queue", "requests queued for disks", disk_of, DISK_QUEUE, NUMBER, 0.5, false },
	{ "disk_latency", "disk latency", disk_mean, 0, NANOSECONDS, 0.2 * MS, false },
	{ "disk_errors", "failed disk requests", disk_of, DISK_ERRORS, PER_SECOND, 0.01, false },
	{ "flushes", "disk flushes", disk_of, FLUSHES, PER_SECOND, 10, false },
	{ "flush_latency", "latency of flushes", disk_of, FLUSH_MEAN, NANOSECONDS, 0.5 * MS,
		false },
	{ "locks", "tasks that wait for locks", lock_of, LOCKS, NUMBER, 0.3, false },
	{ "longest_lock", "longest wait for a lock", lock_of, LONGEST_LOCK, NANOSECONDS, 100 * MS,
		false },
	{ "sched_latency", "longest scheduling latency", lock_of, SCHED_LATENCY, NANOSECONDS,
		50 * MS, false },
	{ "disk_wait", "waits for disks", wait_mean, SUMMARY_DISK, NANOSECONDS, 0.5 * MS, false },
	{ "disk_waiting", "tasks that wait for disks", wait_share, SUMMARY_DISK, NUMBER, 0.3,
		false },
	{ "fault_wait", "waits for pages", wait_mean, SUMMARY_FAULT, NANOSECONDS, MS, false },
	{ "fault_waiting", "tasks that wait for pages", wait_share, SUMMARY_FAULT, NUMBER, 0.2,
		false },
	{ "network_wait", "waits for packets", wait_mean, SUMMARY_NETWORK, NANOSECONDS, 5 * MS,
		false },
	{ "message_latency", "latency of received messages", link_of, LATENCY, NANOSECONDS, MS,
		false },
	{ "repeated", "packets sent again", link_of, REPEATED, SHARE, 0.02, false },
	{ "not_received", "packets not received", link_of, NOT_RECEIVED, SHARE, 0.02, false },
	{ "clock_drift", "clock drift", clock_of, DRIFT, PPM, 100, true },
	{ "clock_bound", "clock bound", clock_of, BOUND, NANOSECONDS, 2 * MS, false },
	{ "clock_steps", "jumps of the clock", clock_of, STEPS, NUMBER, 1, false },
	{ "clock_offset", "clock offset", clock_of, OFFSET, NANOSECONDS, 0.1 * SECOND, true },
};
_Static_assert(sizeof(measures) / sizeof(measures[0]) == PEERS_MEASURES, "a value for each");

/* ---- groups ---- */

struct group {
	const char *name;
	uint32_t *hosts;
	size_t n;
	uint32_t n_unusual;
};

/* "web-#.example" of "web-01.example". NULL: no memory. */
static const char *without_numbers(struct mer_arena *arena, const char *name)
{
	char *out = mer_arena_strdup(arena, name), *to = out;
	for (const char *p = name; out && *p; p++) {
		bool is_digit = *p >= '0' && *p <= '9';
		if (!is_digit || to == out || to[-1] != '#')
			*to++ = is_digit ? '#' : *p;
	}
	if (out)
		*to = '\0';
	return out;
}

/* "": it is in no group. */
static const char *group_name(
	const struct peers_host *host, enum peers_by by, struct mer_arena *arena)
{
	switch (by) {
	case PEERS_BY_ALL: return "all";
	case PEERS_BY_PROGRAM: return host->program ? without_numbers(arena, host->program) : "";
	case PEERS_BY_NAME:
	case PEERS_N_BY: break;
	}
	return without_numbers(arena, host->name);
}

/* Hosts in groups, in the order of the first of each. NULL: no memory. */
static struct group *find_groups(const struct peers_host *all, uint32_t n_hosts, enum peers_by by,
	struct mer_arena *a, size_t *n)
{
	struct group *groups = mer_arena_zalloc(a, n_hosts + 1u, sizeof(*groups));
	uint32_t *of = mer_arena_zalloc(a, n_hosts + 1u, sizeof(*of)); /* by host: plus 1 */
	uint32_t *hosts = mer_arena_zalloc(a, n_hosts + 1u, sizeof(*hosts));
	struct mer_intern names;
	mer_intern_init(&names, a);
	bool ok = groups && of && hosts;
	for (uint32_t h = 0; ok && h < n_hosts; h++) {
		if (!all[h].name)
			continue;
		const char *name = group_name(&all[h], by, a);
		uint32_t number =
			name ? mer_intern_add(&names, name, strlen(name)) : MER_INTERN_NONE;
		ok = number != MER_INTERN_NONE;
		if (!ok)
			break;
		groups[number].name = mer_intern_text(&names, number);
		groups[number].n++;
		of[h] = number + 1;
	}
	*n = names.n;
	size_t at = 0;
	for (size_t g = 0; ok && g < *n; g++) {
		groups[g].hosts = &hosts[at];
		at += groups[g].n;
		groups[g].n = 0;
	}
	for (uint32_t h = 0; ok && h < n_hosts; h++)
		if (of[h])
			groups[of[h] - 1].hosts[groups[of[h] - 1].n++] = h;
	mer_intern_fini(&names);
	return ok ? groups : NULL;
}

static bool is_compared(const struct group *g)
{
	return g->n >= PEERS_FEWEST && g->name[0];
}

/* ---- distance ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct spread {			     /* of a measure in a group */
	double median, below, above; /* median deviations of each side, as standard deviations */
	size_t n;
};

/* Median of the deviations on one side of the median, which counts on both. */
static double side_of(const double *v, size_t n, double median, int sign, double *room)
{
	static const double NORMAL = 1.4826; /* makes it a standard deviation, if it is one */
	size_t k = 0;
	for (size_t i = 0; i < n; i++)
		if ((v[i] - median) * sign >= 0)
			room[k++] = fabs(v[i] - median);
	return k ? NORMAL * median_of(room, k) : 0;
}

static struct spread spread_of(double *v, size_t n, double *room)
{
	struct spread x = { .n = n };
	x.median = median_of(v, n);
	x.below = side_of(v, n, x.median, -1, room);
	x.above = side_of(v, n, x.median, 1, room);
	return x;
}

/* Shares and clocks count as they are; what may be any number, and is many times as large somewhere
 * by chance, by its magnitude, which is its logarithm beyond what matters. */
static bool is_linear(const struct measure *m)
{
	return m->unit == SHARE || m->get == clock_of;
}

static double scaled(const struct measure *m, double v)
{
	return is_linear(m) ? v : asinh(v / m->matters);
}

/* How far a value is from the median, in deviations of its side; 0: near. x: of scaled values. */
static double distance_of(const struct measure *m, const struct spread *x, double typical, double v)
{
	enum { FAR = 6, FEW = 30 };
	/* What is usual varies a little even where all hosts happen to agree. */
	static const double VARIES = 0.15;
	double by = scaled(m, v) - x->median;
	if ((by < 0 && !m->is_two_way) || fabs(v - typical) < m->matters)
		return 0;
	double side = by < 0 ? x->below : x->above;
	double distance = fabs(by) / fmax(side, is_linear(m) ? m->matters / 4 : VARIES);
	/* Of few hosts the deviation itself is uncertain. */
	return distance >= FAR + FEW / (double)x->n ? distance : 0;
}

/* ---- sentences ---- */

static void put_value(struct mer_str *out, enum unit unit, double v)
{
	switch (unit) {
	case SHARE: mer_str_printf(out, "%.3g %%", 100 * v); return;
	case NUMBER: mer_str_printf(out, "%.3g", v); return;
	case PER_SECOND: mer_str_printf(out, "%.3g/s", v); return;
	case PPM: mer_str_printf(out, "%.3g ppm", v); return;
	case NANOSECONDS: mer_put_duration(out, (int64_t)v); return;
	case BYTES_PER_SECOND:
		mer_put_bytes(out, (int64_t)v);
		mer_str_puts(out, "/s");
		return;
	case N_UNITS: return;
	}
}

/* "disk latency 9 times as large: 8.1 ms, typically 0.9 ms" */
static const char *sentence_of(
	struct mer_arena *arena, const struct measure *m, double typical, double v)
{
	struct mer_str out = { 0 };
	double times = typical > 0 && v > 0 && !is_linear(m) ? v / typical : 0;
	mer_str_puts(&out, m->what);
	if (times >= 1.5)
		mer_str_printf(&out, " %.*f times as %s", times < 3, times,
			m->unit == PER_SECOND ? "many" : "large");
	mer_str_puts(&out, ": ");
	put_value(&out, m->unit, v);
	mer_str_puts(&out, ", typically ");
	put_value(&out, m->unit, typical);
	const char *text = out.failed ? NULL : mer_arena_strdup(arena, out.data);
	mer_str_fini(&out);
	return text;
}

/* ---- what is unusual ---- */

struct unusual {
	uint32_t host;
	const struct group *group;
	const struct measure *measure;
	size_t n; /* hosts that were compared */
	double value, typical, distance;
	double most; /* distance of the host's farthest measure */
};

static int by_host(const void *a, const void *b)
{
	const struct unusual *p = a, *q = b;
	if (p->most != q->most)
		return p->most > q->most ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->distance != q->distance)
		return p->distance > q->distance ? -1 : 1;
	return (p->measure > q->measure) - (p->measure < q->measure);
}

struct finding {
	const struct peers_host *hosts;
	struct mer_arena *arena;
	struct unusual *item;
	size_t n;
	double *values, *sorted, *room; /* by host of a group */
	double *most;			/* by host */
	double *n_known;		/* by host: measures that are known */
};

/* What more of a group have on one side is no exception. */
static size_t most_of(size_t n)
{
	enum { SHARE_OF_GROUP = 10, LEAST = 2 };
	return n / SHARE_OF_GROUP > LEAST ? n / SHARE_OF_GROUP : LEAST;
}

/* Of f->values, those of the group's hosts; `relative`: only differences from the median mean
 * something, as it is arbitrary which clock is the reference. */
static void compare_values(
	struct finding *f, const struct group *g, const struct measure *m, bool relative)
{
	size_t n = 0, from = f->n, n_above = 0;
	for (size_t i = 0; i < g->n; i++)
		if (!isnan(f->values[i]))
			f->sorted[n++] = f->values[i];
	if (n < PEERS_FEWEST)
		return;
	double typical = median_of(f->sorted, n);
	for (size_t i = 0; i < n; i++)
		f->sorted[i] = scaled(m, f->sorted[i] - (relative ? typical : 0));
	struct spread x = spread_of(f->sorted, n, f->room);
	for (size_t i = 0; i < g->n; i++) {
		double v = f->values[i] - (relative ? typical : 0);
		double of = relative ? 0 : typical;
		double distance = isnan(v) ? 0 : distance_of(m, &x, of, v);
		if (distance > 0)
			f->item[f->n++] =
				(struct unusual){ g->hosts[i], g, m, n, v, of, distance, 0 };
		n_above += distance > 0 && v > of;
	}
	bool too_many[2] = { f->n - from - n_above > most_of(n), n_above > most_of(n) };
	size_t left = from;
	for (size_t i = from; i < f->n; i++)
		if (!too_many[f->item[i].value > f->item[i].typical])
			f->item[left++] = f->item[i];
	f->n = left;
}

static void compare(struct finding *f, const struct group *g, const struct measure *m)
{
	for (size_t i = 0; i < g->n; i++) {
		f->values[i] = f->hosts[g->hosts[i]].values[m - measures];
		f->n_known[g->hosts[i]] += !isnan(f->values[i]);
	}
	compare_values(f, g, m, m->get == clock_of && (m->extra == DRIFT || m->extra == OFFSET));
}

/* Of a host nothing is recorded of what the others have. */
static void compare_known(struct finding *f, const struct group *g)
{
	static const struct measure known = { .id = "measures",
		.what = "measures that are known",
		.unit = NUMBER,
		.matters = 5,
		.is_two_way = true };
	for (size_t i = 0; i < g->n; i++)
		f->values[i] = f->n_known[g->hosts[i]];
	compare_values(f, g, &known, false);
}

static void emit(const struct finding *f, struct mer_table *t)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct unusual *u = &f->item[i];
		bool has_times = u->typical > 0 && u->value > 0;
		const char *sentence = sentence_of(f->arena, u->measure, u->typical, u->value);
		t->failed |= !sentence;
		mer_table_add(t,
			(struct mer_cell[PEERS_N_COLS]){
				[PEERS_COL_HOST] = mer_text(f->hosts[u->host].name),
				[PEERS_COL_GROUP] = mer_text(u->group->name),
				[PEERS_COL_HOSTS] = MER_INT(u->n),
				[PEERS_COL_MEASURE] = mer_text(u->measure->id),
				[PEERS_COL_VALUE] = MER_REAL_CELL(u->value),
				[PEERS_COL_TYPICAL] = MER_REAL_CELL(u->typical),
				[PEERS_COL_UNIT] = mer_text(units[u->measure->unit]),
				[PEERS_COL_TIMES] =
					has_times ? MER_REAL_CELL(u->value / u->typical) : MER_NONE,
				[PEERS_COL_DISTANCE] = MER_REAL_CELL(u->distance),
				[PEERS_COL_SENTENCE] = mer_text(sentence) });
	}
}

static void add_link(
	const struct summary *s, struct sums *sums, const struct summary_link *l, bool is_to)
{
	const struct summary_host *h = summary_host_named(s, is_to ? l->to : l->from);
	if (!h)
		return;
	struct sums *x = &sums[h - s->hosts];
	const struct {
		bool is_known;
		double sum;
	} all[N_LINK_MEASURES] = {
		[LATENCY] = { is_to && l->has_times, (double)l->total_ns },
		[REPEATED] = { l->has_counts, (double)l->repeated },
		[NOT_RECEIVED] = { l->has_counts, (double)l->unmatched },
	};
	for (int i = 0; i < N_LINK_MEASURES; i++)
		if (all[i].is_known) {
			x->link_sum[i] += all[i].sum;
			x->link_n[i] += (double)l->packets;
		}
}

static void sum_rows(const struct summary *s, struct sums *sums)
{
	const struct mer_table *t = &s->in[SUMMARY_IN_REQUESTS];
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct summary_host *h = summary_host_of(s, t, r);
		if (!h || strcmp(summary_text(t, r, "name"), "disk flush") == 0)
			continue;
		sums[h - s->hosts].disk_n += (double)summary_number(t, r, "count");
		sums[h - s->hosts].disk_ns += (double)summary_number(t, r, "total_ns");
	}
	for (size_t i = 0; i < s->n_links; i++)
		for (int is_to = 0; is_to < 2; is_to++)
			add_link(s, sums, &s->links[i], is_to);
}

static void find_unusual(struct finding *f, const struct group *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_compared(&g[i]))
			continue;
		for (size_t m = 0; m < PEERS_MEASURES; m++)
			compare(f, &g[i], &measures[m]);
		compare_known(f, &g[i]);
	}
	for (size_t i = 0; i < f->n; i++)
		f->most[f->item[i].host] = fmax(f->most[f->item[i].host], f->item[i].distance);
	for (size_t i = 0; i < f->n; i++)
		f->item[i].most = f->most[f->item[i].host];
	if (f->n)
		qsort(f->item, f->n, sizeof(*f->item), by_host);
}

void peers_measure(const struct summary *s, struct mer_table *t)
{
	struct sums *sums = mer_arena_zalloc(&s->run->arena, s->n + 1u, sizeof(*sums));
	t->failed |= !sums;
	if (sums)
		sum_rows(s, sums);
	for (uint32_t h = 0; sums && h < s->n; h++)
		for (size_t m = 0; s->hosts[h].name && m < PEERS_MEASURES; m++) {
			double v = measures[m].get(s, sums, h, measures[m].extra);
			/* A host of which nothing is known is there nevertheless. */
			if (m && isnan(v))
				continue;
			mer_table_add(t,
				(struct mer_cell[]){ [PEERS_OF_HOST] = mer_text(s->hosts[h].name),
					[PEERS_OF_PROGRAM] = mer_text(s->hosts[h].cpu_user.comm),
					[PEERS_OF_MEASURE] = mer_text(measures[m].id),
					[PEERS_OF_VALUE] =
						isnan(v) ? MER_NONE : MER_REAL_CELL(v) });
		}
}

void peers_gather(
	const struct mer_table *t, const char *const *names, uint32_t n, struct peers_host *hosts)
{
	uint32_t h = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns];
		size_t m = 0;
		if (!c[PEERS_OF_HOST].set || !c[PEERS_OF_MEASURE].set)
			continue;
		/* Rows of a host follow each other. */
		for (uint32_t i = 0; i < n && strcmp(names[h], c[PEERS_OF_HOST].v.text) != 0; i++)
			h = (h + 1) % n;
		if (!n || strcmp(names[h], c[PEERS_OF_HOST].v.text) != 0)
			continue;
		while (m < PEERS_MEASURES &&
			strcmp(measures[m].id, c[PEERS_OF_MEASURE].v.text) != 0)
			m++;
		if (!hosts[h].name)
			for (size_t i = 0; i < PEERS_MEASURES; i++)
				hosts[h].values[i] = NAN;
		hosts[h].name = names[h];
		if (c[PEERS_OF_PROGRAM].set)
			hosts[h].program = c[PEERS_OF_PROGRAM].v.text;
		if (m < PEERS_MEASURES && c[PEERS_OF_VALUE].set)
			hosts[h].values[m] = c[PEERS_OF_VALUE].v.f;
	}
}

void peers_compare(const struct peers_host *hosts, uint32_t n, enum peers_by by,
	struct mer_arena *a, struct mer_table *unusual, struct mer_table *groups)
{
	size_t n_groups;
	struct group *g = find_groups(hosts, n, by, a, &n_groups);
	struct finding f = { .hosts = hosts,
		.arena = a,
		.item = malloc(((size_t)n * (PEERS_MEASURES + 1) + 1) * sizeof(*f.item)),
		.values = mer_arena_zalloc(a, n + 1u, sizeof(double)),
		.sorted = mer_arena_zalloc(a, n + 1u, sizeof(double)),
		.room = mer_arena_zalloc(a, n + 1u, sizeof(double)),
		.most = mer_arena_zalloc(a, n + 1u, sizeof(double)),
		.n_known = mer_arena_zalloc(a, n + 1u, sizeof(double)) };
	bool ok = g && f.item && f.values && f.sorted && f.room && f.most && f.n_known;
	unusual->failed |= !ok;
	if (ok) {
		find_unusual(&f, g, n_groups);
		emit(&f, unusual);
	}
	for (size_t i = 0; ok && i < n_groups; i++) {
		for (size_t k = 0; k < g[i].n; k++)
			g[i].n_unusual += f.most[g[i].hosts[k]] > 0;
		mer_table_add(
			groups, (struct mer_cell[]){ mer_text(g[i].name), MER_INT(g[i].n),
					MER_INT(g[i].n_unusual), MER_INT(is_compared(&g[i])) });
	}
	free(f.item);
}
