/* LTTng discards an event when it does not fit into what is left of the packet and there is no room
 * to begin another one. So what is missing lies before the first event of the packet that counts
 * it, or in its tail, where small events may still have found a place after a larger one had not:
 * TAIL_BYTES are more than the largest event of the scheduler takes. Of other tracers only the
 * counters are known: then it may lie anywhere from the end of the packet before. Whole packets
 * that are missing lie between two.
 *
 * A CPU is also unknown while no trace of its host records it: before the first packet that is
 * left of a stream, behind the last one, where its stream is missing, between two sessions. What
 * one trace lacks another one of the same host may have. */
#include "kernel/oncpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/events.h"
#include "kernel/span.h"
#include "trace/cursor.h"
#include "trace/missing.h"
#include "trace/probe.h"
#include "trace/twins.h"

enum { TAIL_BYTES = 256 };

struct window { /* a loss as the packets tell it */
	int64_t begin, end;
	uint32_t stream;
	uint32_t packet; /* that tells it; KERNEL_NONE: none */
	bool only_packets;
};

struct finder {
	struct mer_experiment *e;
	uint32_t host;
	struct kernel_losses *l;
	struct window *windows; /* by stream, then time */
	uint32_t n_windows;
	uint32_t *next;	 /* by stream: its packet after the last that tells a loss */
	bool has_others; /* several traces of this host */
	uint32_t cap;	 /* of l->by_begin */
	struct mer_err *err;
};

static bool is_of_host(const struct finder *f, uint32_t stream)
{
	const struct mer_trace *t = &f->e->traces[f->e->streams[stream].trace];
	return t->host == f->host && strcmp(t->domain, "ust") != 0;
}

static bool is_usable_cpu(int64_t cpu)
{
	return cpu >= 0 && cpu < KERNEL_MAX_CPUS;
}

static int see_cpu(struct finder *f, uint32_t cpu)
{
	struct kernel_losses *l = f->l;
	if (cpu < l->n_cpus)
		return 0;
	int32_t *p = realloc(l->first_tid, ((size_t)cpu + 1) * sizeof(*p));
	if (!p)
		return mer_fail_nomem(f->err);
	l->first_tid = p;
	while (l->n_cpus <= cpu)
		p[l->n_cpus++] = KERNEL_TID_UNKNOWN;
	return 0;
}

/* Since when events are missing because the stream's last file was cut: its last event. The
 * packet's header says until when there were some. */
static bool has_lost_end(
	const struct mer_experiment *e, uint32_t stream, int64_t *begin, int64_t *end)
{
	const struct trace_stream *t = &e->data[stream];
	const struct ctf_packet *last = t->n_packets ? &t->packets[t->n_packets - 1] : NULL;
	*begin = e->streams[stream].end;
	*end = last && last->is_cut ? trace_packet_end(e, last) : MER_NO_TIME;
	return *end != MER_NO_TIME && *begin != MER_NO_TIME && *begin < *end;
}

/* Is all of this time that of another trace, which has the same? */
static bool is_in_twin(const struct finder *f, uint32_t stream, int64_t begin, int64_t end)
{
	const struct mer_experiment *e = f->e;
	/* By stream, then time, without overlaps. */
	MER_LOWER_BOUND(at, 0, e->n_twins, m,
		e->twins[m].stream < stream ||
			(e->twins[m].stream == stream && e->twins[m].end < end));
	return at < e->n_twins && e->twins[at].stream == stream && e->twins[at].begin <= begin;
}

/* The packet that tells of the stream's next loss. */
static uint32_t find_packet(struct finder *f, const struct mer_loss *loss)
{
	const struct mer_experiment *e = f->e;
	const struct trace_stream *t = &e->data[loss->stream];
	uint32_t *next = &f->next[loss->stream];
	while (*next < t->n_packets) {
		const struct ctf_packet *p = &t->packets[(*next)++];
		int64_t end = trace_packet_end(e, p), begin = trace_packet_begin(e, p);
		if (p != t->packets)
			begin = trace_packet_end(e, p - 1);
		if (begin == loss->begin && (end == loss->end || end == MER_NO_TIME))
			return *next - 1;
	}
	return KERNEL_NONE;
}

static int collect_windows(struct finder *f)
{
	const struct mer_experiment *e = f->e;
	f->windows = calloc((size_t)e->n_losses + (size_t)e->n_streams + 1, sizeof(*f->windows));
	f->next = calloc((size_t)e->n_streams + 1, sizeof(*f->next));
	if (!f->windows || !f->next)
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *loss = &e->losses[i];
		int64_t begin = loss->begin == MER_NO_TIME ? f->l->begin : loss->begin;
		int64_t end = loss->end == MER_NO_TIME ? f->l->end : loss->end;
		if (loss->kind != MER_LOSS_COUNTED || !is_of_host(f, loss->stream) ||
			!is_usable_cpu(e->streams[loss->stream].cpu))
			continue;
		uint32_t packet = find_packet(f, loss);
		if (is_in_twin(f, loss->stream, begin, end))
			continue;
		f->windows[f->n_windows++] = (struct window){
			.begin = begin,
			.end = end,
			.stream = loss->stream,
			.packet = packet,
			.only_packets = loss->events == 0,
		};
	}
	for (uint32_t i = 0; i < e->n_streams; i++) {
		int64_t begin, end;
		if (!is_of_host(f, i) || !is_usable_cpu(e->streams[i].cpu))
			continue;
		if (has_lost_end(e, i, &begin, &end))
			f->windows[f->n_windows++] = (struct window){
				.begin = begin,
				.end = end < f->l->end ? end : f->l->end,
				.stream = i,
				.packet = KERNEL_NONE,
			};
	}
	return 0;
}

static int add(struct finder *f, int64_t begin, int64_t end, uint32_t cpu)
{
	struct kernel_losses *l = f->l;
	if (!mer_grow32(&l->by_begin, l->n, &f->cap, sizeof(*l->by_begin)))
		return mer_fail_nomem(f->err);
	l->by_begin[l->n++] = (struct kernel_loss){ .begin = begin,
		.end = end > begin ? end : begin + 1,
		.cpu = (uint16_t)cpu,
		.next_tid = KERNEL_TID_UNKNOWN };
	return 0;
}

static int compare_losses(const void *a, const void *b)
{
	const struct kernel_loss *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->end != q->end)
		return p->end < q->end ? -1 : 1;
	return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

struct by_end { /* for sorting */
	int64_t end;
	uint32_t number;
};

static int compare_ends(const void *a, const void *b)
{
	const struct by_end *p = a, *q = b;
	if (p->end != q->end)
		return p->end < q->end ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* by_end and reach, from by_begin. */
static int order(struct kernel_losses *l, struct mer_err *err)
{
	struct by_end *ends = calloc((size_t)l->n + 1, sizeof(*ends));
	l->by_end = calloc((size_t)l->n + 1, sizeof(*l->by_end));
	l->reach = calloc((size_t)l->n + 1, sizeof(*l->reach));
	if (!ends || !l->by_end || !l->reach) {
		free(ends);
		return mer_fail_nomem(err);
	}
	if (l->n)
		qsort(l->by_begin, l->n, sizeof(*l->by_begin), compare_losses);
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t end = l->by_begin[i].end;
		l->reach[i] = i && l->reach[i - 1] > end ? l->reach[i - 1] : end;
		ends[i] = (struct by_end){ end, i };
	}
	if (l->n)
		qsort(ends, l->n, sizeof(*ends), compare_ends);
	for (uint32_t i = 0; i < l->n; i++)
		l->by_end[i] = ends[i].number;
	free(ends);
	return 0;
}

/* switches: NULL, by their name. */
static bool has_switches(
	const struct finder *f, const struct trace_reading *switches, uint32_t part)
{
	const struct ctf_schema *s = f->e->parts[part].schema;
	if (!switches)
		return kernel_event_is_in(KERNEL_EV_SWITCH, s);
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++)
			if (switches->programs[part]->streams[k].events[c].wanted)
				return true;
	return false;
}

static int add_window(struct finder *f, struct trace_prober *prober, const struct window *w)
{
	const struct trace_stream *t = &f->e->data[w->stream];
	const struct ctf_packet *p = w->packet == KERNEL_NONE ? NULL : &t->packets[w->packet];
	const char *tracer = f->e->traces[f->e->streams[w->stream].trace].tracer;
	uint32_t cpu = (uint32_t)f->e->streams[w->stream].cpu;
	/* Copies of recordings begin a packet behind each loss. */
	bool is_before = w->only_packets || trace_part_is_copy(&f->e->parts[t->part]);
	int64_t kept = p && is_before ? trace_packet_begin(f->e, p) : MER_NO_TIME;
	if (kept != MER_NO_TIME && kept >= w->begin)
		return add(f, w->begin, kept, cpu);
	const struct mer_clock *clock = p ? trace_probe_clock(prober, p) : NULL;
	uint64_t cycles = 0;
	struct trace_times found = { 0 };
	if (clock && p->has_begin && strncmp(tracer, "lttng", 5) == 0)
		found = trace_probe(prober, p, UINT64_MAX, TAIL_BYTES * 8, &cycles);
	if (!found.has_tail)
		return add(f, w->begin, w->end, cpu);
	int64_t first = mer_clock_ns(clock, found.first) - 1;
	int rc = first > w->begin ? add(f, w->begin, first, cpu) : 0;
	return rc ? rc : add(f, mer_clock_ns(clock, found.tail), w->end, cpu);
}

static int add_windows(struct finder *f)
{
	struct trace_prober prober;
	int rc = trace_prober_init(&prober, f->e, f->err);
	for (uint32_t i = 0; i < f->n_windows && rc == 0; i++)
		rc = add_window(f, &prober, &f->windows[i]);
	trace_prober_fini(&prober);
	return rc;
}

/* ---- which traces record a CPU when ---- */

struct recorded {
	int64_t begin, end;
};

static int compare_recorded(const void *a, const void *b)
{
	const struct recorded *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* The time in which all streams of a trace that the CPU has are whole; false: it has none. Streams
 * that name no CPU are of all of them. */
static bool recorded_by(const struct finder *f, uint32_t trace, uint32_t cpu, struct recorded *r)
{
	const struct mer_experiment *e = f->e;
	const struct mer_trace *t = &e->traces[trace];
	bool any = false;
	*r = (struct recorded){ t->begin, t->end };
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++) {
		const struct trace_stream *s = &e->data[i];
		if (e->streams[i].cpu >= 0 && (uint32_t)e->streams[i].cpu != cpu)
			continue;
		any = true;
		if (s->n_packets == 0)
			continue;
		const struct ctf_packet *first = s->packets, *last = first + s->n_packets - 1;
		int64_t begin = trace_packet_begin(e, first), end = trace_packet_end(e, last);
		/* Not begins_late and ends_early alone: those that go on in another trace end, too,
		 * but right where the other one begins. */
		uint32_t next = f->has_others ? trace_stream_after(e, i) : UINT32_MAX;
		if (trace_has_before(first) && begin != MER_NO_TIME && begin > r->begin)
			r->begin = begin;
		if (next != UINT32_MAX) {
			r->end = trace_packet_begin(e, e->data[next].packets);
			return true;
		}
		if (s->ends_early && end != MER_NO_TIME && end < r->end)
			r->end = end;
	}
	return any && r->begin < r->end;
}

/* Where no trace records the CPU nothing is known. Traces without context switches do not count,
 * unless none has them. */
static int add_gaps_of(struct finder *f, const bool *tells, struct recorded *all, uint32_t cpu)
{
	const struct mer_experiment *e = f->e;
	uint32_t n = 0;
	int64_t covered = f->l->begin;
	int rc = 0;
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (tells[t] && recorded_by(f, t, cpu, &all[n]))
			n++;
	if (n)
		qsort(all, n, sizeof(*all), compare_recorded);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		if (all[i].begin > covered)
			rc = add(f, covered, all[i].begin, cpu);
		covered = all[i].end > covered ? all[i].end : covered;
	}
	if (rc == 0 && covered < f->l->end)
		rc = add(f, covered, n ? f->l->end : f->l->end + 1, cpu);
	return rc;
}

/* Numbers of CPUs may have gaps: one that is switched off has no stream, and runs nothing. */
static bool is_there(const struct finder *f, uint32_t cpu)
{
	const struct mer_experiment *e = f->e;
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (is_of_host(f, i) && e->streams[i].cpu == (int32_t)cpu)
			return true;
	for (uint32_t i = 0; i < e->n_absent; i++)
		if (e->traces[e->absent[i].trace].host == f->host &&
			e->absent[i].cpu == (int32_t)cpu)
			return true;
	return false;
}

static int add_gaps(struct finder *f, const struct trace_reading *switches)
{
	const struct mer_experiment *e = f->e;
	bool *tells = calloc((size_t)e->n_traces + 1, sizeof(*tells)), any = false;
	struct recorded *all = calloc((size_t)e->n_traces + 1, sizeof(*all));
	int rc = tells && all ? 0 : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < e->n_parts && rc == 0; i++) {
		const struct mer_trace *t = &e->traces[e->parts[i].trace];
		if (t->host == f->host && t->begin != MER_NO_TIME && has_switches(f, switches, i))
			tells[e->parts[i].trace] = any = true;
	}
	/* Without any, what CPUs do is unknown throughout. */
	for (uint32_t cpu = 0; any && cpu < f->l->n_cpus && rc == 0; cpu++)
		if (is_there(f, cpu))
			rc = add_gaps_of(f, tells, all, cpu);
	free(tells);
	free(all);
	return rc;
}

/* ---- who runs next ---- */

static int64_t cpu_of(const struct finder *f, const struct mer_event *ev)
{
	int32_t cpu = f->e->streams[ev->stream].cpu;
	return cpu >= 0 ? cpu : (int64_t)ev->slots[KERNEL_SLOT_CPU];
}

struct waiting { /* for the next switch of each CPU */
	struct kernel_holes holes;
	struct kernel_before *before; /* by CPU */
	uint32_t n_first;	      /* of which nothing is known since the record's begin */
};

static void wait_for_first(struct waiting *w, int64_t cpu)
{
	w->n_first += w->before[cpu].is != KERNEL_BEFORE_FIRST;
	w->before[cpu].is = KERNEL_BEFORE_FIRST;
}

static int see_switch(struct finder *f, struct waiting *w, const struct mer_event *ev)
{
	struct kernel_losses *l = f->l;
	struct kernel_hole_edge edge;
	int64_t cpu = cpu_of(f, ev);
	if (!is_usable_cpu(cpu) || !is_of_host(f, ev->stream))
		return 0;
	int rc = see_cpu(f, (uint32_t)cpu);
	if (rc)
		return rc;
	while (kernel_holes_pass(&w->holes, ev->ts, &edge)) {
		struct kernel_before *b = &w->before[edge.loss->cpu];
		w->n_first -= b->is == KERNEL_BEFORE_FIRST;
		kernel_before_edge(b, &edge);
	}
	int32_t tid = (int32_t)ev->slots[SWITCH_PREV];
	struct kernel_before *b = &w->before[cpu];
	if (b->is == KERNEL_BEHIND_HOLE)
		l->by_begin[b->hole].next_tid = tid;
	if (b->is == KERNEL_BEFORE_FIRST) {
		l->first_tid[cpu] = tid;
		w->n_first--;
	}
	b->is = KERNEL_BEFORE_KNOWN;
	return 0;
}

static int look_ahead(struct finder *f, const struct trace_reading *switches)
{
	struct waiting w = { 0 };
	struct mer_cursor *c = NULL;
	w.before = calloc(KERNEL_MAX_CPUS, sizeof(*w.before));
	kernel_holes_init(&w.holes, f->l);
	int rc = w.before ? 0 : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < f->e->n_streams && rc == 0; i++) {
		int32_t cpu = f->e->streams[i].cpu;
		if (!is_of_host(f, i) || f->e->streams[i].n_packets == 0)
			continue;
		/* CPUs are in the events: how many there are is not known. */
		for (uint32_t k = 0; cpu < 0 && k < KERNEL_MAX_CPUS; k++)
			wait_for_first(&w, k);
		if (!is_usable_cpu(cpu))
			continue;
		rc = see_cpu(f, (uint32_t)cpu);
		wait_for_first(&w, cpu);
	}
	if (rc == 0)
		rc = trace_cursor_of_host(f->e, switches, f->host, &c, f->err);
	while (rc == 0 && (f->l->n || w.n_first)) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, f->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n && rc == 0; i++)
			rc = see_switch(f, &w, &ev[i]);
	}
	if (c)
		trace_cursor_drop(c);
	free(w.before);
	return rc;
}

/* A hole behind which the CPU has no event goes on: who runs there is not told any more. */
static int64_t told_again(const struct finder *f, uint32_t cpu, int64_t end)
{
	const struct mer_experiment *e = f->e;
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (is_of_host(f, i) && (uint32_t)e->streams[i].cpu == cpu &&
			e->streams[i].end != MER_NO_TIME && e->streams[i].end >= end)
			return end;
	return f->l->end + 1;
}

/* As they are known from headers. */
static int add_whole_windows(struct finder *f)
{
	int rc = 0;
	for (uint32_t i = 0; i < f->n_windows && rc == 0; i++) {
		const struct window *w = &f->windows[i];
		uint32_t cpu = (uint32_t)f->e->streams[w->stream].cpu;
		rc = add(f, w->begin, told_again(f, cpu, w->end), cpu);
	}
	return rc;
}

/* switches: NULL, of headers alone. */
static int find(struct mer_experiment *e, uint32_t host, const struct trace_reading *switches,
	struct kernel_losses *l, struct mer_err *err)
{
	struct finder f = { .e = e, .host = host, .l = l, .err = err };
	*l = (struct kernel_losses){ .begin = MER_NO_TIME, .end = MER_NO_TIME };
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (is_of_host(&f, i))
			trace_widen(&l->begin, &l->end, e->streams[i].begin, e->streams[i].end);
	uint32_t n_traces = 0;
	for (uint32_t t = 0; t < e->n_traces; t++)
		n_traces += e->traces[t].host == host;
	f.has_others = n_traces > 1;
	int rc = collect_windows(&f);
	if (rc == 0 && f.n_windows)
		rc = switches ? add_windows(&f) : add_whole_windows(&f);
	for (uint32_t i = 0; i < e->n_streams && rc == 0; i++)
		if (is_of_host(&f, i) && is_usable_cpu(e->streams[i].cpu))
			rc = see_cpu(&f, (uint32_t)e->streams[i].cpu);
	for (uint32_t i = 0; i < e->n_absent && rc == 0; i++)
		if (e->traces[e->absent[i].trace].host == host && is_usable_cpu(e->absent[i].cpu))
			rc = see_cpu(&f, (uint32_t)e->absent[i].cpu);
	if (rc == 0)
		rc = add_gaps(&f, switches);
	if (rc == 0)
		rc = order(l, err);
	if (rc == 0 && switches)
		rc = look_ahead(&f, switches);
	free(f.windows);
	free(f.next);
	return rc;
}

int kernel_losses_find(struct mer_experiment *e, uint32_t host,
	const struct trace_reading *switches, struct kernel_losses *l, struct mer_err *err)
{
	return find(e, host, switches, l, err);
}

int kernel_losses_of_headers(
	struct mer_experiment *e, uint32_t host, struct kernel_losses *l, struct mer_err *err)
{
	return find(e, host, NULL, l, err);
}

void kernel_losses_fini(struct kernel_losses *l)
{
	free(l->by_begin);
	free(l->by_end);
	free(l->reach);
	free(l->first_tid);
	*l = (struct kernel_losses){ 0 };
}

bool kernel_lost_between(
	const struct kernel_losses *l, int64_t begin, int64_t end, int64_t *from, int64_t *until)
{
	/* the first whose reach is after begin */
	MER_LOWER_BOUND(low, 0, l->n, at, l->reach[at] <= begin);
	if (low == l->n || l->by_begin[low].begin >= end)
		return false;
	*from = l->by_begin[low].begin > begin ? l->by_begin[low].begin : begin;
	/* The last that begins before end: this one does. */
	MER_LOWER_BOUND(last, low + 1, l->n, at, l->by_begin[at].begin < end);
	last--;
	*until = l->reach[last] < end ? l->reach[last] : end;
	return true;
}

bool kernel_lost_at(const struct kernel_losses *l, uint32_t cpu, int64_t time, int64_t *next)
{
	int64_t change = INT64_MAX;
	bool is_lost = false;
	MER_LOWER_BOUND(low, 0, l->n, at, l->reach[at] <= time);
	for (uint32_t i = (uint32_t)low; i < l->n; i++) {
		const struct kernel_loss *x = &l->by_begin[i];
		if (x->cpu != cpu || x->end <= time)
			continue;
		bool is_in = x->begin <= time;
		if (is_in && (!is_lost || x->end > change))
			change = x->end;
		is_lost |= is_in;
		if (!is_in) {
			if (!is_lost)
				change = x->begin;
			break; /* by begin */
		}
	}
	if (next)
		*next = change;
	return is_lost;
}
