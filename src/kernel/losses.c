/* LTTng discards events when there is no room to begin another packet, so what is missing lies before the
 * first event of the packet that counts it or after its last one, not in between. Of other tracers
 * only the counters are known: then it may lie anywhere from the end of the packet before. */
#include "kernel/losses.h"

#include <stdlib.h>
#include <string.h>

#include "trace/cursor.h"

struct window { /* a loss as the packets tell it */
	int64_t begin, end;
	int64_t first, last; /* events of the stream inside; first > last: none */
	uint32_t stream;
};

struct finder {
	struct mer_experiment *e;
	uint32_t host;
	struct kernel_losses *l;
	struct window *windows; /* by stream, then time */
	uint32_t n_windows;
	uint32_t *next; /* by stream: its first window that is not over */
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

static int compare_windows(const void *a, const void *b)
{
	const struct window *p = a, *q = b;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	return p->begin != q->begin ? (p->begin < q->begin ? -1 : 1)
				    : (p->end > q->end) - (p->end < q->end);
}

/* A recorder that overwrites its oldest packets (snapshots) has lost what was before its first one. */
static bool has_lost_beginning(const struct mer_experiment *e, uint32_t stream)
{
	const struct trace_stream *t = &e->data[stream];
	return t->n_packets > 0 && (t->packets[0].seen & CTF_ROLE_SEQ_NUM) &&
	       t->packets[0].seq_num > 0 && e->streams[stream].begin != MER_NO_TIME;
}

static int collect_windows(struct finder *f)
{
	const struct mer_experiment *e = f->e;
	f->windows = calloc((size_t)e->n_losses + e->n_streams + 1, sizeof(*f->windows));
	f->next = calloc((size_t)e->n_streams + 1, sizeof(*f->next));
	if (!f->windows || !f->next)
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *loss = &e->losses[i];
		if (!is_of_host(f, loss->stream) || !is_usable_cpu(e->streams[loss->stream].cpu))
			continue;
		f->windows[f->n_windows++] = (struct window){
			.begin = loss->begin == MER_NO_TIME ? f->l->begin : loss->begin,
			.end = loss->end == MER_NO_TIME ? f->l->end : loss->end,
			.first = INT64_MAX,
			.last = INT64_MIN,
			.stream = loss->stream,
		};
	}
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (is_of_host(f, i) && is_usable_cpu(e->streams[i].cpu) &&
			has_lost_beginning(e, i) && e->streams[i].begin > f->l->begin)
			f->windows[f->n_windows++] = (struct window){
				.begin = f->l->begin,
				.end = e->streams[i].begin,
				.first = INT64_MAX,
				.last = INT64_MIN,
				.stream = i,
			};
	qsort(f->windows, f->n_windows, sizeof(*f->windows), compare_windows);
	for (uint32_t i = f->n_windows; i-- > 0;)
		f->next[f->windows[i].stream] = i;
	return 0;
}

/* First and last event of each window's stream inside it. */
static int look_into_windows(struct finder *f)
{
	static const struct mer_need all = { "*", "" };
	struct trace_reading *reading;
	struct mer_cursor *c = NULL;
	int rc = trace_reading_from_needs(f->e, &all, 1, false, &reading, f->err);
	if (rc)
		return rc;
	rc = trace_cursor_of_host(f->e, reading, f->host, &c, f->err);
	while (rc == 0) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, f->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			uint32_t *w = &f->next[ev[i].stream];
			while (*w < f->n_windows && f->windows[*w].stream == ev[i].stream &&
				ev[i].ts > f->windows[*w].end)
				++*w;
			struct window *at = &f->windows[*w];
			if (*w >= f->n_windows || at->stream != ev[i].stream ||
				ev[i].ts <= at->begin)
				continue;
			if (ev[i].ts < at->first)
				at->first = ev[i].ts;
			if (ev[i].ts > at->last)
				at->last = ev[i].ts;
		}
	}
	if (c)
		trace_cursor_drop(c);
	trace_reading_free(reading);
	return rc;
}

static void add(struct finder *f, int64_t begin, int64_t end, uint32_t stream)
{
	f->l->by_begin[f->l->n++] = (struct kernel_loss){ .begin = begin,
		.end = end > begin ? end : begin + 1,
		.cpu = (uint16_t)f->e->streams[stream].cpu,
		.next_tid = KERNEL_TID_UNKNOWN };
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

static int sort(struct finder *f)
{
	struct kernel_losses *l = f->l;
	struct by_end *ends = calloc((size_t)l->n + 1, sizeof(*ends));
	if (!ends)
		return mer_fail_nomem(f->err);
	qsort(l->by_begin, l->n, sizeof(*l->by_begin), compare_losses);
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t end = l->by_begin[i].end;
		l->reach[i] = i && l->reach[i - 1] > end ? l->reach[i - 1] : end;
		ends[i] = (struct by_end){ end, i };
	}
	qsort(ends, l->n, sizeof(*ends), compare_ends);
	for (uint32_t i = 0; i < l->n; i++)
		l->by_end[i] = ends[i].number;
	free(ends);
	return 0;
}

static int make_losses(struct finder *f)
{
	struct kernel_losses *l = f->l;
	size_t room = (size_t)f->n_windows * 2 + 1;
	l->by_begin = calloc(room, sizeof(*l->by_begin));
	l->by_end = calloc(room, sizeof(*l->by_end));
	l->reach = calloc(room, sizeof(*l->reach));
	if (!l->by_begin || !l->by_end || !l->reach)
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < f->n_windows; i++) {
		const struct window *w = &f->windows[i];
		const char *tracer = f->e->traces[f->e->streams[w->stream].trace].tracer;
		bool inside = w->first <= w->last;
		if (!inside || strncmp(tracer, "lttng", 5) != 0) {
			add(f, w->begin, w->end, w->stream);
			continue;
		}
		if (w->first - 1 > w->begin)
			add(f, w->begin, w->first - 1, w->stream);
		add(f, w->last, w->end, w->stream);
	}
	return sort(f);
}

/* ---- who runs next ---- */

static int64_t cpu_of(const struct finder *f, const struct mer_event *ev)
{
	int32_t cpu = f->e->streams[ev->stream].cpu;
	return cpu >= 0 ? cpu : (int64_t)ev->slots[0];
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

struct waiting {		  /* losses whose next switch has not come: per CPU a stack */
	uint32_t *newest;	  /* by CPU: loss, plus 1 */
	uint32_t *older;	  /* by loss: the one below it, plus 1 */
	uint32_t n_cpus, n_known; /* streams' CPUs; those whose first switch was seen */
	uint32_t ended;		  /* losses of by_end that are over */
};

static int see_switch(struct finder *f, struct waiting *w, const struct mer_event *ev)
{
	struct kernel_losses *l = f->l;
	int64_t cpu = cpu_of(f, ev);
	if (!is_usable_cpu(cpu) || !is_of_host(f, ev->stream))
		return 0;
	int rc = see_cpu(f, (uint32_t)cpu);
	if (rc)
		return rc;
	for (; w->ended < l->n && l->by_begin[l->by_end[w->ended]].end <= ev->ts; w->ended++) {
		uint32_t loss = l->by_end[w->ended], at = l->by_begin[loss].cpu;
		w->older[loss] = w->newest[at];
		w->newest[at] = loss + 1;
	}
	int32_t tid = (int32_t)ev->slots[1];
	for (uint32_t i = w->newest[cpu]; i; i = w->older[i - 1])
		l->by_begin[i - 1].next_tid = tid;
	w->newest[cpu] = 0;
	if (l->first_tid[cpu] == KERNEL_TID_UNKNOWN && tid >= 0) {
		l->first_tid[cpu] = tid;
		w->n_known++;
	}
	return 0;
}

static int look_ahead(struct finder *f, const struct trace_reading *switches)
{
	struct waiting w = { 0 };
	struct mer_cursor *c = NULL;
	w.newest = calloc(KERNEL_MAX_CPUS, sizeof(*w.newest));
	w.older = calloc((size_t)f->l->n + 1, sizeof(*w.older));
	int rc = w.newest && w.older ? 0 : mer_fail_nomem(f->err);
	bool any_cpu = false; /* CPUs are in the events, so how many there are is not known */
	for (uint32_t i = 0; i < f->e->n_streams && rc == 0; i++) {
		int32_t cpu = f->e->streams[i].cpu;
		if (!is_of_host(f, i) || f->e->streams[i].n_packets == 0)
			continue;
		any_cpu |= cpu < 0;
		if (is_usable_cpu(cpu)) {
			if ((uint32_t)cpu >= f->l->n_cpus)
				rc = see_cpu(f, (uint32_t)cpu);
			w.newest[cpu] = UINT32_MAX; /* to count each once */
		}
	}
	for (uint32_t i = 0; i < f->l->n_cpus && rc == 0; i++) {
		w.n_cpus += w.newest[i] == UINT32_MAX;
		w.newest[i] = 0;
	}
	if (rc == 0)
		rc = trace_cursor_of_host(f->e, switches, f->host, &c, f->err);
	while (rc == 0 && (f->l->n || any_cpu || w.n_known < w.n_cpus)) {
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
	free(w.newest);
	free(w.older);
	return rc;
}

int kernel_losses_find(struct mer_experiment *e, uint32_t host,
	const struct trace_reading *switches, struct kernel_losses *l, struct mer_err *err)
{
	struct finder f = { .e = e, .host = host, .l = l, .err = err };
	*l = (struct kernel_losses){ .begin = MER_NO_TIME, .end = MER_NO_TIME };
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (is_of_host(&f, i))
			trace_widen(&l->begin, &l->end, e->streams[i].begin, e->streams[i].end);
	int rc = collect_windows(&f);
	if (rc == 0 && f.n_windows)
		rc = look_into_windows(&f);
	if (rc == 0)
		rc = make_losses(&f);
	if (rc == 0)
		rc = look_ahead(&f, switches);
	free(f.windows);
	free(f.next);
	return rc;
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
	uint32_t low = 0, high = l->n;
	while (low < high) { /* the first whose reach is after begin */
		uint32_t mid = low + (high - low) / 2;
		if (l->reach[mid] > begin)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == l->n || l->by_begin[low].begin >= end)
		return false;
	*from = l->by_begin[low].begin > begin ? l->by_begin[low].begin : begin;
	uint32_t last = low, top = l->n; /* the last that begins before end */
	while (last + 1 < top) {
		uint32_t mid = last + (top - last) / 2;
		if (l->by_begin[mid].begin < end)
			last = mid;
		else
			top = mid;
	}
	*until = l->reach[last] < end ? l->reach[last] : end;
	return true;
}
