/* Joins tables of several analyses to those of the summary. Each of its rows is found from rows of one
 * table; nothing here looks at events. */
#include "analysis/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "base/map.h"
#include "base/str.h"

/* From where on something stands out, of what there is of it. */
#define BUSY 0.8	  /* processors of a host, a disk */
#define ALONE 0.9	  /* one thread, of a processor */
#define QUEUE_PER_CPU 0.5 /* threads that wait for a processor, on the average */
#define DISK_QUEUE 0.5	  /* requests that wait for a disk, on the average */
#define SOFTIRQ 0.1
#define LATENCY_NS INT64_C(10000000) /* from wake-up to running */
#define FAILED 0.1		     /* of system calls; below is everyday life */
#define POLLING 0.1
#define FUTEX 0.5 /* threads that wait for locks, on the average */
#define IDLE 0.5
/* Waits for a lock that had not ended: from so long on somebody holds it who should not, ... */
#define STUCK_NS INT64_C(1000000000)
#define STUCK 0.5 /* or such a part of a shorter recording */

enum {
	CPU_TOP,
	CPU_HOSTS,
	SCHED,
	IO_TOP,
	DISKS,
	IO_BINS,
	PAIRS,
	INTERFACES,
	CALLS,
	IRQ,
	FUTEXES,
	LOCKS,
	POLL
};

static const struct {
	const struct analysis *analysis;
	const char *output;
} wanted[SUMMARY_REQUESTS] = {
	[CPU_TOP] = { &analysis_cpu, "top" },
	[CPU_HOSTS] = { &analysis_cpu, "hosts" },
	[SCHED] = { &analysis_sched, "stats" },
	[IO_TOP] = { &analysis_io, "top" },
	[DISKS] = { &analysis_io, "disks" },
	[IO_BINS] = { &analysis_io, "bins" },
	[PAIRS] = { &analysis_net, "pairs" },
	[INTERFACES] = { &analysis_net, "interfaces" },
	[CALLS] = { &analysis_syscall, "tasks" },
	[IRQ] = { &analysis_irq, "stats" },
	[FUTEXES] = { &analysis_futex, "top" },
	[LOCKS] = { &analysis_futex, "top_unfinished" },
	[POLL] = { &analysis_poll, "stats" },
};

void summary_requests(struct analysis_request *requests)
{
	for (int i = 0; i < SUMMARY_REQUESTS; i++)
		requests[i] = (struct analysis_request){ wanted[i].analysis,
			(unsigned)analysis_find_output(wanted[i].analysis, wanted[i].output) };
}

static const struct analysis_column host_columns[] = { { "host", "host", ANALYSIS_TEXT },
	{ "range_ns", NULL, ANALYSIS_DURATION }, { "cpus", "CPUs", ANALYSIS_COUNT },
	{ "cpu_percent", "busy", ANALYSIS_RATIO }, { "run_queue", "waiting", ANALYSIS_REAL },
	{ "unknown_percent", NULL, ANALYSIS_RATIO }, { "irq_percent", NULL, ANALYSIS_RATIO },
	{ "softirq_percent", "softirq", ANALYSIS_RATIO },
	{ "disk_percent", "disk", ANALYSIS_RATIO }, { "disk", NULL, ANALYSIS_TEXT },
	{ "disk_queue", "queued", ANALYSIS_REAL }, { "net_bytes", "network", ANALYSIS_BYTES },
	{ "calls", NULL, ANALYSIS_COUNT }, { "failed_calls", "failed", ANALYSIS_COUNT },
	{ "lost_events", "lost", ANALYSIS_COUNT }, { 0 } };
static const struct analysis_column top_columns[] = { { "resource", "of", ANALYSIS_TEXT },
	{ "host", "host", ANALYSIS_TEXT }, { "who", "who", ANALYSIS_TEXT },
	{ "tid", NULL, ANALYSIS_ID }, { "comm", NULL, ANALYSIS_TEXT },
	{ "time_ns", "time", ANALYSIS_DURATION }, { "percent", "%", ANALYSIS_RATIO },
	{ "bytes", "bytes", ANALYSIS_BYTES }, { SUMMARY_NEXT, NULL, ANALYSIS_TEXT }, { 0 } };
static const struct analysis_column wait_columns[] = { { "cause", "for", ANALYSIS_TEXT },
	{ "host", "host", ANALYSIS_TEXT }, { "max_ns", "longest", ANALYSIS_DURATION },
	{ "who", "who", ANALYSIS_TEXT }, { "max_at", NULL, ANALYSIS_TIME },
	{ "count", "count", ANALYSIS_COUNT }, { "total_ns", "total", ANALYSIS_DURATION },
	{ SUMMARY_NEXT, NULL, ANALYSIS_TEXT }, { 0 } };
static const struct analysis_column finding_columns[] = { { "kind", "kind", ANALYSIS_TEXT },
	{ "host", "host", ANALYSIS_TEXT }, { "finding", "finding", ANALYSIS_TEXT },
	{ SUMMARY_NEXT, "next", ANALYSIS_TEXT }, { 0 } };

enum { KEPT_CALLS = 3 }; /* of each host */

struct host { /* sums of one; 0: nothing is known of it */
	const char *name;
	int64_t range, cpus;
	double cpu, unknown, irq, softirq, disk, disk_queue;
	const char *disk_name;
	int64_t ready, futex, net, calls, failed, lost, disk_errors, polling;
	int64_t latency; /* the longest */
	size_t latency_row;
	bool has_latency, has_disk, has_net, has_calls;
};

struct summary {
	struct analysis_run *run;
	const struct analysis_table *in;
	struct analysis_table *out;
	struct host *hosts;
	uint32_t n;
	uint32_t *owners[SUMMARY_REQUESTS]; /* of the rows of in: host, plus 1; 0: none */
};

/* ---- reading tables ---- */

static const struct analysis_cell *cell(const struct analysis_table *t, size_t row, const char *key)
{
	static const struct analysis_cell none = { 0 };
	size_t c = analysis_table_column(t, key);
	return c == SIZE_MAX ? &none : &t->cells[row * t->n_columns + c];
}

static int64_t number(const struct analysis_table *t, size_t row, const char *key)
{
	const struct analysis_cell *c = cell(t, row, key);
	return c->set ? c->v.i : 0;
}

static double real(const struct analysis_table *t, size_t row, const char *key)
{
	const struct analysis_cell *c = cell(t, row, key);
	return c->set ? c->v.f : 0;
}

static const char *text(const struct analysis_table *t, size_t row, const char *key)
{
	const struct analysis_cell *c = cell(t, row, key);
	return c->set ? c->v.text : "";
}

/* Once for all: there may be many hosts, and many rows of each. The hosts' names are known. */
static int find_owners(struct summary *s)
{
	struct mer_map by_name = { 0 }; /* hash of a name -> host, plus 1 */
	bool ok = true;
	for (uint32_t h = s->n; h-- > 0 && ok;) {
		const char *name = s->hosts[h].name;
		uint32_t *at = name ? mer_map_put(&by_name, mer_hash(name, strlen(name))) : NULL;
		ok = at || !name;
		if (at)
			*at = h + 1;
	}
	for (int i = 0; i < SUMMARY_REQUESTS && ok; i++) {
		const struct analysis_table *t = &s->in[i];
		size_t column = analysis_table_column(t, "host");
		s->owners[i] =
			mer_arena_zalloc(&s->run->arena, t->n_rows + 1, sizeof(*s->owners[i]));
		ok = s->owners[i] != NULL;
		for (size_t r = 0; r < t->n_rows && ok && column != SIZE_MAX; r++) {
			const struct analysis_cell *c = &t->cells[r * t->n_columns + column];
			const uint32_t *at =
				c->set ? mer_map_get(
						 &by_name, mer_hash(c->v.text, strlen(c->v.text)))
				       : NULL;
			bool is_same = at && strcmp(s->hosts[*at - 1].name, c->v.text) == 0;
			s->owners[i][r] = is_same ? *at : 0;
		}
	}
	mer_map_fini(&by_name);
	return ok ? 0 : mer_fail_nomem(s->run->err);
}

/* Whose row it is. NULL: of none. */
static struct host *host_of(const struct summary *s, const struct analysis_table *t, size_t row)
{
	uint32_t owner = s->owners[t - s->in][row];
	return owner ? &s->hosts[owner - 1] : NULL;
}

static bool is_of(
	const struct summary *s, const struct analysis_table *t, size_t row, const struct host *h)
{
	return s->owners[t - s->in][row] == (uint32_t)(h - s->hosts) + 1;
}

static double per(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Does anything tell what its processors did? */
static bool knows_cpus(const struct host *h)
{
	return h->cpus && h->unknown < 1;
}

static double run_queue(const struct host *h)
{
	return per(h->ready, h->range);
}

/* ---- texts ---- */

/* Memory that is out is found at the end, by the arena. */
static const char *or_empty(const char *text)
{
	return text ? text : "";
}
#define say(s, ...) or_empty(mer_arena_printf(&(s)->run->arena, __VA_ARGS__))

/* " --host NAME" as a shell reads it; nothing where there is only one. */
static const char *host_option(const struct summary *s, const char *host)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-:@+";
	if (s->n < 2)
		return "";
	if (host[0] && strspn(host, plain) == strlen(host))
		return say(s, " --host %s", host);
	struct mer_str quoted = { 0 };
	for (const char *p = host; *p; p++)
		if (*p == '\'')
			mer_str_puts(&quoted, "'\\''");
		else
			mer_str_putc(&quoted, *p);
	const char *option = say(s, " --host '%s'", quoted.data ? quoted.data : "");
	s->run->arena.failed |= quoted.failed;
	mer_str_fini(&quoted);
	return option;
}

static const char *who(const struct summary *s, const struct analysis_table *t, size_t row)
{
	const struct analysis_cell *tid = cell(t, row, "tid");
	const char *comm = text(t, row, "comm");
	return tid->set && tid->v.i >= 0 ? say(s, "%s/%" PRId64, comm, tid->v.i)
	       : comm[0]		 ? comm
					 : "not known";
}

/* ---- hosts ---- */

static void sum_disks(struct summary *s)
{
	const struct analysis_table *t = &s->in[DISKS];
	for (size_t r = 0; r < t->n_rows; r++) {
		struct host *h = host_of(s, t, r);
		if (!h)
			continue;
		h->disk_errors += number(t, r, "errors");
		if (!h->has_disk || real(t, r, "busy_percent") > h->disk) {
			h->disk = real(t, r, "busy_percent");
			h->disk_name = text(t, r, "disk");
		}
		h->has_disk = true;
	}
	t = &s->in[IO_BINS];
	for (size_t r = 0; r < t->n_rows; r++) {
		struct host *h = host_of(s, t, r);
		if (h)
			h->disk_queue += per(number(t, r, "queue_ns"), h->range);
	}
}

static void sum_tasks(struct summary *s)
{
	const struct analysis_table *t = &s->in[CPU_TOP];
	struct host *h;
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r)))
			h->ready += number(t, r, "wait_cpu_ns");
	t = &s->in[FUTEXES];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r)))
			h->futex += number(t, r, "total_ns");
	t = &s->in[POLL];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r)))
			h->polling += number(t, r, "cpu_ns");
	t = &s->in[CALLS];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r))) {
			h->has_calls = true;
			h->calls += number(t, r, "count");
			h->failed += number(t, r, "errors");
		}
	t = &s->in[SCHED];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r)) && number(t, r, "count") &&
			(!h->has_latency || number(t, r, "max_ns") > h->latency)) {
			h->latency = number(t, r, "max_ns");
			h->latency_row = r;
			h->has_latency = true;
		}
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
	}
}

static void sum_hosts(struct summary *s)
{
	const struct analysis_table *t = &s->in[CPU_HOSTS];
	const struct mer_experiment *e = s->run->e;
	struct host *h;
	for (uint32_t i = 0; i < e->n_traces; i++)
		if (e->traces[i].host < s->n)
			s->hosts[e->traces[i].host].lost += (int64_t)e->traces[i].lost_events;
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r))) {
			h->cpus = number(t, r, "cpus");
			h->cpu = real(t, r, "percent");
			h->unknown = per(number(t, r, "unknown_ns"), h->cpus * h->range);
			h->irq = per(number(t, r, "irq_ns"), h->cpus * h->range);
			h->softirq = per(number(t, r, "softirq_ns"), h->cpus * h->range);
		}
	t = &s->in[INTERFACES];
	for (size_t r = 0; r < t->n_rows; r++)
		if ((h = host_of(s, t, r)) && strcmp(text(t, r, "interface"), "lo") != 0 &&
			cell(t, r, "bytes")->set) {
			h->net += number(t, r, "bytes");
			h->has_net = true;
		}
	sum_disks(s);
	sum_tasks(s);
}

static void emit_hosts(struct summary *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct host *h = &s->hosts[i];
		if (!h->name)
			continue;
		bool known = h->cpus && h->range;
		struct analysis_cell c[] = { analysis_text(h->name), ANALYSIS_INT(h->range),
			ANALYSIS_INT(h->cpus), ANALYSIS_REAL_CELL(h->cpu),
			ANALYSIS_REAL_CELL(run_queue(h)), ANALYSIS_REAL_CELL(h->unknown),
			ANALYSIS_REAL_CELL(h->irq), ANALYSIS_REAL_CELL(h->softirq),
			ANALYSIS_REAL_CELL(h->disk), analysis_text(h->disk_name),
			ANALYSIS_REAL_CELL(h->disk_queue), ANALYSIS_INT(h->net),
			ANALYSIS_INT(h->calls), ANALYSIS_INT(h->failed), ANALYSIS_INT(h->lost) };
		for (int k = 2; k < 8; k++)
			c[k].set = known;
		c[3].set = c[4].set = known && knows_cpus(h);
		c[8].set = c[10].set = h->has_disk;
		c[11].set = h->has_net;
		c[12].set = c[13].set = h->has_calls;
		analysis_table_add(&s->out[SUMMARY_HOSTS], c);
	}
}

/* ---- who uses most ---- */

struct ranked {
	int64_t value;
	size_t row;
};

/* Most first; of equal ones the first. */
static int compare(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->value != q->value)
		return p->value < q->value ? 1 : -1;
	return (p->row > q->row) - (p->row < q->row);
}

/* Keeps the greatest n above 0 of rows that come one by one. */
static size_t keep(struct ranked *best, size_t n, size_t most, int64_t value, size_t row)
{
	if (value <= 0 || (n == most && value <= best[n - 1].value))
		return n;
	n += n < most;
	best[n - 1] = (struct ranked){ value, row };
	qsort(best, n, sizeof(*best), compare);
	return n;
}

enum { CPU_ROWS = 3, DISK_ROWS = 2, PAIR_ROWS = 2, MOST = 3 };

static void add_top(struct summary *s, const char *resource, const struct analysis_table *t,
	size_t row, struct analysis_cell ns, struct analysis_cell percent,
	struct analysis_cell bytes)
{
	const char *host = text(t, row, "host");
	const struct analysis_cell *tid = cell(t, row, "tid");
	const char *next = tid->set && tid->v.i > 0 ? say(s, "task --tid %" PRId64 "%s", tid->v.i,
							      host_option(s, host))
						    : say(s, "top cpu%s", host_option(s, host));
	analysis_table_add(&s->out[SUMMARY_TOP],
		(struct analysis_cell[]){ analysis_text(resource), analysis_text(host),
			analysis_text(who(s, t, row)), *tid, *cell(t, row, "comm"), ns, percent,
			bytes, analysis_text(next) });
}

static int64_t pair_bytes(const struct analysis_table *t, size_t r)
{
	int64_t sent = number(t, r, "sent_bytes"), received = number(t, r, "received_bytes");
	return sent > received ? sent : received;
}

static void emit_pairs(struct summary *s)
{
	const struct analysis_table *t = &s->in[PAIRS];
	struct ranked best[MOST];
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		if (strcmp(text(t, r, "from_host"), text(t, r, "to_host")) != 0)
			n = keep(best, n, PAIR_ROWS, pair_bytes(t, r), r);
	for (size_t i = 0; i < n; i++)
		analysis_table_add(&s->out[SUMMARY_TOP],
			(struct analysis_cell[]){ analysis_text("network"),
				*cell(t, best[i].row, "from_host"),
				analysis_text(say(s, "to %s", text(t, best[i].row, "to_host"))),
				ANALYSIS_NONE, ANALYSIS_NONE, ANALYSIS_NONE, ANALYSIS_NONE,
				ANALYSIS_INT(best[i].value),
				analysis_text("top net --table pairs") });
}

static void emit_top(struct summary *s)
{
	const struct analysis_table *t = &s->in[CPU_TOP];
	struct ranked best[MOST];
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		n = keep(best, n, CPU_ROWS, number(t, r, "self_ns"), r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "CPU", t, best[i].row, ANALYSIS_INT(best[i].value),
			*cell(t, best[i].row, "percent"), ANALYSIS_NONE);
	t = &s->in[POLL];
	n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		n = keep(best, n, 1, number(t, r, "cpu_ns"), r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "busy polling", t, best[i].row, ANALYSIS_INT(best[i].value),
			ANALYSIS_NONE, ANALYSIS_NONE);
	t = &s->in[IO_TOP];
	n = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		n = keep(best, n, DISK_ROWS,
			number(t, r, "block_read_bytes") + number(t, r, "block_written_bytes"), r);
	for (size_t i = 0; i < n; i++)
		add_top(s, "disk", t, best[i].row, ANALYSIS_NONE, ANALYSIS_NONE,
			ANALYSIS_INT(best[i].value));
	emit_pairs(s);
}

/* ---- the longest waits by cause ---- */

struct wait {
	int64_t max, count, total;
	size_t row; /* where the longest is */
	bool any, has_total;
};

static void add_wait(struct summary *s, const char *cause, const struct host *h,
	const struct wait *w, const char *name, struct analysis_cell at, const char *next)
{
	if (!w->any || w->max <= 0)
		return;
	analysis_table_add(&s->out[SUMMARY_WAITS],
		(struct analysis_cell[]){ analysis_text(cause), analysis_text(h->name),
			ANALYSIS_INT(w->max), analysis_text(name), at,
			w->has_total ? ANALYSIS_INT(w->count) : ANALYSIS_NONE,
			w->has_total ? ANALYSIS_INT(w->total) : ANALYSIS_NONE,
			analysis_text(say(s, "%s%s", next, host_option(s, h->name))) });
}

/* Rows of a host, or those whose key has this value; keys NULL: there are none. */
static struct wait find_wait(const struct summary *s, const struct host *h,
	const struct analysis_table *t, const char *key, const char *value, const char *max,
	const char *total)
{
	struct wait w = { .has_total = total != NULL };
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!is_of(s, t, r, h) || (key && strcmp(text(t, r, key), value) != 0) ||
			!cell(t, r, max)->set)
			continue;
		w.count += number(t, r, "count");
		w.total += total ? number(t, r, total) : 0;
		if (!w.any || number(t, r, max) > w.max) {
			w.max = number(t, r, max);
			w.row = r;
		}
		w.any = true;
	}
	return w;
}

/* The system calls of a host that took longest altogether; those at futexes are told apart. */
static int add_calls(struct summary *s, const struct host *h)
{
	const struct analysis_table *t = &s->in[CALLS];
	struct { /* by name */
		const char *name;
		int64_t total;
	} *sums = calloc(t->n_rows + 1, sizeof(*sums));
	struct ranked best[KEPT_CALLS];
	size_t n = 0, n_sums = 0;
	if (!sums)
		return mer_fail_nomem(s->run->err);
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *name = text(t, r, "name");
		size_t i = 0;
		if (!is_of(s, t, r, h) || strcmp(name, "futex") == 0)
			continue;
		while (i < n_sums && strcmp(sums[i].name, name) != 0)
			i++;
		sums[i].name = name;
		sums[i].total += number(t, r, "total_ns");
		n_sums += i == n_sums;
	}
	for (size_t i = 0; i < n_sums; i++)
		n = keep(best, n, KEPT_CALLS, sums[i].total, i);
	for (size_t i = 0; i < n; i++) {
		const char *name = sums[best[i].row].name;
		struct wait w = find_wait(s, h, t, "name", name, "max_ns", "total_ns");
		add_wait(s, say(s, "%s()", name), h, &w, who(s, t, w.row),
			*cell(t, w.row, "max_at"), "top syscall");
	}
	free(sums);
	return 0;
}

static int emit_waits(struct summary *s)
{
	int rc = 0;
	for (uint32_t i = 0; i < s->n && rc == 0; i++) {
		const struct host *h = &s->hosts[i];
		const struct analysis_table *t = &s->in[SCHED];
		if (!h->name)
			continue;
		struct wait w = find_wait(s, h, t, NULL, NULL, "max_ns", "total_ns");
		add_wait(s, "CPU", h, &w, w.any ? who(s, t, w.row) : "",
			w.any ? *cell(t, w.row, "max_at") : ANALYSIS_NONE, "top sched");
		t = &s->in[FUTEXES];
		w = find_wait(s, h, t, NULL, NULL, "max_ns", "total_ns");
		add_wait(s, "futex", h, &w, w.any ? text(t, w.row, "comm") : "",
			w.any ? *cell(t, w.row, "max_at") : ANALYSIS_NONE, "top futex");
		t = &s->in[DISKS];
		w = find_wait(s, h, t, NULL, NULL, "queue_max_ns", NULL);
		add_wait(s, "disk queue", h, &w, w.any ? text(t, w.row, "disk") : "", ANALYSIS_NONE,
			"top io --table disks");
		w = find_wait(s, h, t, NULL, NULL, "service_max_ns", NULL);
		add_wait(s, "disk", h, &w, w.any ? text(t, w.row, "disk") : "", ANALYSIS_NONE,
			"top io --table disks");
		t = &s->in[IRQ];
		w = find_wait(s, h, t, "kind", "softirq", "raise_max_ns", NULL);
		add_wait(s, "softirq", h, &w, w.any ? text(t, w.row, "name") : "", ANALYSIS_NONE,
			"stats irq");
		rc = add_calls(s, h);
	}
	return rc;
}

/* ---- what stands out ---- */

static void find(struct summary *s, const char *kind, const char *host, const char *finding,
	const char *verb)
{
	const char *next = say(s, "%s%s", verb, host ? host_option(s, host) : "");
	analysis_table_add(&s->out[SUMMARY_FINDINGS],
		(struct analysis_cell[]){ analysis_text(kind), analysis_text(host),
			analysis_text(finding), analysis_text(next) });
}

static void find_errors(struct summary *s, const struct host *h)
{
	if (h->lost)
		find(s, "loss", h->name,
			say(s, "%" PRId64 " events were lost: numbers of that time are not whole",
				h->lost),
			"check");
	if (h->disk_errors)
		find(s, "error", h->name,
			say(s, "%" PRId64 " requests to disks failed", h->disk_errors),
			"top io --table disks");
	if (per(h->failed, h->calls) >= FAILED)
		find(s, "error", h->name,
			say(s, "%.0f %% of system calls failed (%" PRId64 ")",
				100 * per(h->failed, h->calls), h->failed),
			"stats syscall");
}

/* Threads that waited for a lock and did not get it while recorded. Waits for work are no such waits: only
 * those count that are made for a lock. */
static void find_stuck(struct summary *s, const struct host *h)
{
	const struct analysis_table *t = &s->in[LOCKS];
	size_t longest = SIZE_MAX, n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!is_of(s, t, r, h))
			continue;
		int64_t so_far = number(t, r, "so_far_ns");
		if (strcmp(text(t, r, "kind"), "lock") != 0 ||
			(so_far < STUCK_NS && per(so_far, h->range) < STUCK))
			continue;
		n++;
		if (longest == SIZE_MAX || so_far > number(t, longest, "so_far_ns"))
			longest = r;
	}
	if (!n)
		return;
	const char *holder = text(t, longest, "holder_comm");
	find(s, "error", h->name,
		say(s, "%zu thread%s still waited for a lock at the end, %s for %.2f s%s%s%s", n,
			n > 1 ? "s" : "", who(s, t, longest),
			(double)number(t, longest, "so_far_ns") / 1e9,
			holder[0] ? "; it was held by " : "", holder,
			holder[0] ? say(s, "/%" PRId64, number(t, longest, "holder_tid")) : ""),
		"top futex --table top_unfinished");
}

static void find_saturation(struct summary *s, const struct host *h)
{
	if (h->cpus && run_queue(h) >= QUEUE_PER_CPU * (double)h->cpus)
		find(s, "saturation", h->name,
			say(s,
				"%.1f threads waited for a processor on the average (CPUs: %" PRId64
				")",
				run_queue(h), h->cpus),
			"stats sched");
	if (h->disk_queue >= DISK_QUEUE)
		find(s, "saturation", h->name,
			say(s, "%.1f requests waited for a disk on the average", h->disk_queue),
			"top io --table disks");
	if (h->softirq >= SOFTIRQ)
		find(s, "saturation", h->name,
			say(s, "softirqs took %.0f %% of the processors", 100 * h->softirq),
			"stats irq");
	if (h->has_latency && h->latency >= LATENCY_NS)
		find(s, "saturation", h->name,
			say(s, "%s had to wait %.1f ms for a processor once woken",
				who(s, &s->in[SCHED], h->latency_row), (double)h->latency / 1e6),
			"top sched");
	if (per(h->futex, h->range) >= FUTEX)
		find(s, "saturation", h->name,
			say(s, "%.1f threads waited at futexes on the average",
				per(h->futex, h->range)),
			"top futex");
}

static void find_load(struct summary *s, const struct host *h)
{
	if (h->cpu >= BUSY)
		find(s, "load", h->name,
			say(s, "its processors were busy for %.0f %% of the time", 100 * h->cpu),
			"top cpu");
	if (h->disk >= BUSY)
		find(s, "load", h->name,
			say(s, "disk %s was busy for %.0f %% of the time", h->disk_name,
				100 * h->disk),
			"top io");
	if (per(h->polling, h->range) >= POLLING)
		find(s, "load", h->name,
			say(s, "busy polling took %.0f %% of a processor",
				100 * per(h->polling, h->range)),
			"stats poll");
	const struct analysis_table *t = &s->in[CPU_TOP];
	for (size_t r = 0; r < t->n_rows; r++)
		if (is_of(s, t, r, h) && h->cpus > 1 && real(t, r, "percent") >= ALONE)
			find(s, "load", h->name,
				say(s, "%s kept one processor busy (%.0f %%)", who(s, t, r),
					100 * real(t, r, "percent")),
				say(s, "task --tid %" PRId64, number(t, r, "tid")));
}

/* Silence about hosts of which nothing was recorded would look like praise. */
static void find_unknown(struct summary *s)
{
	uint32_t n = 0, n_unknown = 0, n_there = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		n += s->hosts[i].name != NULL;
		n_unknown += s->hosts[i].name && !knows_cpus(&s->hosts[i]);
		n_there += s->hosts[i].name && s->hosts[i].range;
	}
	if (n && n_unknown == n)
		find(s, "recording", NULL,
			"nothing tells what processors and tasks did: no sched_switch was recorded",
			"check");
	else if (n && !n_there)
		find(s, "recording", NULL, "nothing was recorded at the time that was asked for",
			"info");
	for (uint32_t i = 0; i < s->n && n_unknown < n; i++)
		if (s->hosts[i].name && !knows_cpus(&s->hosts[i]))
			find(s, "recording", s->hosts[i].name,
				"nothing tells what its processors did: no sched_switch was "
				"recorded",
				"check");
}

/* Where all wait for something else, that is what to look for: if anything tells who ended the waits. */
static void find_idle(struct summary *s)
{
	double cpu = 0, disk = 0;
	bool any = false, has_disks = false, has_wakeups = false;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct host *h = &s->hosts[i];
		if (!h->name || !h->cpus || !h->range)
			continue;
		cpu = h->cpu + h->unknown > cpu ? h->cpu + h->unknown : cpu;
		disk = h->disk > disk ? h->disk : disk;
		has_disks |= h->has_disk;
		has_wakeups |= s->run->world->hosts[i].has_wakeups;
		any = true;
	}
	if (any && cpu < IDLE && disk < IDLE)
		find(s, "note", NULL,
			say(s, "no processors (at most %.0f %%)%s were busy%s", 100 * cpu,
				has_disks ? " or disks" : "",
				has_wakeups ? ": who waits for whom?" : "; no wake-ups tell why"),
			has_wakeups ? "graph" : "check");
}

static void emit_findings(struct summary *s)
{
	static void (*const finders[])(struct summary *, const struct host *) = { find_errors,
		find_stuck, find_saturation, find_load };
	for (size_t f = 0; f < sizeof(finders) / sizeof(*finders); f++)
		for (uint32_t i = 0; i < s->n; i++)
			if (s->hosts[i].name)
				finders[f](s, &s->hosts[i]);
	find_unknown(s);
	find_idle(s);
}

int summary_make(struct analysis_run *run, const struct analysis_table *in,
	struct analysis_table *out, struct mer_err *err)
{
	struct summary s = { .run = run, .in = in, .out = out, .n = run->e->n_hosts };
	analysis_table_init(
		&out[SUMMARY_HOSTS], "hosts", "Load of hosts", host_columns, &run->arena);
	analysis_table_init(&out[SUMMARY_TOP], "top", "Who used most", top_columns, &run->arena);
	analysis_table_init(
		&out[SUMMARY_WAITS], "waits", "Longest waits", wait_columns, &run->arena);
	analysis_table_init(&out[SUMMARY_FINDINGS], "findings", "What stands out", finding_columns,
		&run->arena);
	s.hosts = calloc((size_t)s.n + 1, sizeof(*s.hosts));
	if (!s.hosts)
		return mer_fail_nomem(err);
	name_hosts(&s);
	int rc = find_owners(&s);
	if (rc == 0) {
		sum_hosts(&s);
		emit_hosts(&s);
		emit_top(&s);
		rc = emit_waits(&s);
		emit_findings(&s);
	}
	free(s.hosts);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (out[i].failed && rc == 0)
			rc = mer_fail_nomem(err);
	return rc == 0 && run->arena.failed ? mer_fail_nomem(err) : rc;
}
