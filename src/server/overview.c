/* The overview of each host: how much was recorded when, from packet headers, known as soon as the
 * traces are open; and, while they are read into a store, how busy its CPUs were up to the time
 * read so far. Requests never wait for a reading. */
#include <stdlib.h>
#include <string.h>
#include "analysis/analysis.h"
#include "ask/library/api.h"
#include "server/state.h"
#include "trace/experiment.h"

enum { BINS = 600 };

struct overview_host {
	const char *name; /* belongs to the experiment */
	int64_t begin, end;
	uint32_t n_cpus;
	double bytes[BINS];
	_Atomic int64_t busy_ns[BINS];	/* of all CPUs */
	_Atomic int64_t other_ns[BINS]; /* known, but not busy: idle, or taken by a hypervisor */
	_Atomic int64_t until;		/* time up to which it is read; MER_NO_TIME: not read yet */
};

struct overview {
	struct kernel_observer *observers; /* by host: they add to it as the traces are read */
	uint32_t n;
	struct overview_host hosts[];
};

/* ---- by headers of packets ---- */

static int64_t begin_of_bin(const struct overview_host *h, size_t i)
{
	/* length * i would overflow for recordings of weeks. */
	int64_t length = h->end - h->begin;
	return h->begin + length / BINS * (int64_t)i + length % BINS * (int64_t)i / BINS;
}

/* Spreads the bytes of a packet evenly over its time. */
static void add_bytes(struct overview_host *d, int64_t begin, int64_t end, double bytes)
{
	double width = (double)(d->end - d->begin) / BINS;
	double from = (double)(begin - d->begin) / width, to = (double)(end - d->begin) / width;
	from = from < 0 ? 0 : from > BINS - 1 ? BINS - 1 : from;
	to = to > BINS ? BINS : to < from ? from : to;
	size_t first = (size_t)from, last = to < BINS ? (size_t)to : BINS - 1;
	if (first == last) {
		d->bytes[first] += bytes;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double part = ((double)(i + 1) < to ? (double)(i + 1) : to) -
			      ((double)i > from ? (double)i : from);
		d->bytes[i] += bytes * part / (to - from);
	}
}

static void add_stream(const struct mer_experiment *e, uint32_t stream, struct overview_host *d)
{
	const struct trace_stream *s = &e->data[stream];
	for (uint32_t i = 0; i < s->n_packets; i++) {
		const struct ctf_packet *p = &s->packets[i];
		int64_t begin = trace_packet_begin(e, p), end = trace_packet_end(e, p);
		if (begin == MER_NO_TIME || end == MER_NO_TIME || end < d->begin || begin > d->end)
			continue;
		/* The first packet begins when the buffer was created, the last one ends when it
		 * was closed; both may be far from the events. */
		add_bytes(d, begin > d->begin ? begin : d->begin, end < d->end ? end : d->end,
			(double)p->content_bits / 8);
	}
}

static void fill_host(const struct mer_experiment *e, uint32_t host, struct overview_host *d)
{
	uint8_t seen[(UINT16_MAX + 1) / 8] = { 0 };
	uint32_t at = 0;
	uint16_t cpu;
	d->name = e->hosts[host].name;
	d->begin = INT64_MAX;
	d->end = INT64_MIN;
	atomic_store(&d->until, MER_NO_TIME);
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct mer_stream *s = &e->streams[i];
		if (e->traces[s->trace].host != host || s->begin == MER_NO_TIME)
			continue;
		d->begin = s->begin < d->begin ? s->begin : d->begin;
		d->end = s->end > d->end ? s->end : d->end;
	}
	for (uint32_t i = 0; d->begin < d->end && i < e->n_streams; i++)
		if (e->traces[e->streams[i].trace].host == host)
			add_stream(e, i, d);
	while (analysis_next_cpu_of(e, NULL, host, &at, &cpu)) { /* may list a CPU twice */
		d->n_cpus += !(seen[cpu / 8] >> cpu % 8 & 1);
		seen[cpu / 8] |= (uint8_t)(1u << cpu % 8);
	}
}

/* ---- as the traces are read ---- */

static size_t bin_of(const struct overview_host *h, int64_t time)
{
	size_t i = (size_t)((double)(time - h->begin) / (double)(h->end - h->begin) * BINS);
	i = i < BINS ? i : BINS - 1;
	while (i && begin_of_bin(h, i) > time)
		i--;
	while (i + 1 < BINS && begin_of_bin(h, i + 1) <= time)
		i++;
	return i;
}

static void add_time(struct overview_host *h, _Atomic int64_t *bins, int64_t begin, int64_t end)
{
	if (h->begin >= h->end)
		return;
	begin = begin > h->begin ? begin : h->begin;
	end = end < h->end ? end : h->end;
	for (size_t i = begin < end ? bin_of(h, begin) : BINS; i < BINS && begin < end; i++) {
		int64_t until = i + 1 < BINS ? begin_of_bin(h, i + 1) : h->end;
		until = until < end ? until : end;
		atomic_fetch_add_explicit(&bins[i], until - begin, memory_order_relaxed);
		begin = until;
	}
}

static void is_read_until(struct overview_host *h, int64_t time)
{
	if (time > atomic_load_explicit(&h->until, memory_order_relaxed))
		atomic_store_explicit(&h->until, time, memory_order_relaxed);
}

static int on_span(void *ctx, const struct kernel_host *host, uint32_t span, int64_t end)
{
	struct overview_host *h = ctx;
	const struct kernel_span *s = kernel_span(host, span);
	if (kernel_is_on_cpu((enum kernel_state)s->state))
		add_time(h, kernel_is_away(s) ? h->other_ns : h->busy_ns, s->begin, end);
	is_read_until(h, end);
	return 0;
}

/* A CPU that serves an interrupt is busy, whichever task is on it. */
static int on_idle(void *ctx, const struct kernel_host *host, const struct kernel_idle *i)
{
	struct overview_host *h = ctx;
	(void)host;
	add_time(h, i->cause != KERNEL_NO_CAUSE ? h->busy_ns : h->other_ns, i->begin, i->end);
	is_read_until(h, i->end);
	return 0;
}

static void overview_free(struct overview *o)
{
	if (o)
		free(o->observers);
	free(o);
}

/* NULL: no memory; then no overview is shown. */
static struct overview *overview_new(const struct mer_experiment *e)
{
	struct overview *o = calloc(1, sizeof(*o) + e->n_hosts * sizeof(*o->hosts));
	if (o)
		o->observers = calloc((size_t)e->n_hosts + 1, sizeof(*o->observers));
	if (!o || !o->observers) {
		overview_free(o);
		return NULL;
	}
	for (; o->n < e->n_hosts; o->n++) {
		fill_host(e, o->n, &o->hosts[o->n]);
		o->observers[o->n] = (struct kernel_observer){
			.ctx = &o->hosts[o->n], .span = on_span, .idle = on_idle
		};
	}
	return o;
}

void server_overview_prepare(struct server *s)
{
	struct mer_session *session = s->traces[SERVER_CLOCKS_ALIGNED].session;
	struct overview *now = overview_new(mer_session_experiment(session));
	pthread_mutex_lock(&s->known_lock);
	struct overview *before = s->overview;
	s->overview = now;
	pthread_mutex_unlock(&s->known_lock);
	session_listen(api_session(session), now ? now->observers : NULL);
	overview_free(before);
}

void server_overview_free(struct server *s)
{
	overview_free(s->overview);
}

/* ---- the answer ---- */

/* Time of which nothing is known, as where events were lost: there a busy time of 0 means
 * nothing. */
static int64_t unknown_of(struct overview_host *h, size_t i)
{
	int64_t length = (i + 1 < BINS ? begin_of_bin(h, i + 1) : h->end) - begin_of_bin(h, i);
	int64_t known = atomic_load(&h->busy_ns[i]) + atomic_load(&h->other_ns[i]);
	int64_t all = length * (int64_t)h->n_cpus;
	return known < all ? all - known : 0;
}

static void put_busy(struct overview_host *h, struct mer_json *j)
{
	int64_t until = atomic_load(&h->until);
	if (until == MER_NO_TIME)
		return;
	mer_json_kv_uint(j, "cpus", h->n_cpus);
	mer_json_kv_int(j, "read_until", until < h->end ? until : h->end);
	mer_json_kv_array(j, "busy_ns");
	for (size_t i = 0; i < BINS; i++) {
		if (begin_of_bin(h, i) < until)
			mer_json_int(j, atomic_load(&h->busy_ns[i]));
		else
			mer_json_null(j);
	}
	mer_json_end_array(j);
	mer_json_kv_array(j, "unknown_ns");
	for (size_t i = 0; i < BINS; i++) {
		if (begin_of_bin(h, i) < until)
			mer_json_int(j, unknown_of(h, i));
		else
			mer_json_null(j);
	}
	mer_json_end_array(j);
}

static void put_host(struct overview_host *h, struct mer_json *j)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "host", h->name);
	if (h->begin < h->end) {
		mer_json_kv_int(j, "begin", h->begin);
		mer_json_kv_int(j, "end", h->end);
		mer_json_kv_array(j, "bytes");
		for (size_t i = 0; i < BINS; i++)
			mer_json_int(j, (int64_t)(h->bytes[i] + 0.5));
		mer_json_end_array(j);
		put_busy(h, j);
	}
	mer_json_end_object(j);
}

void server_overview(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct mer_json j;
	(void)r;
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_array(&j, "hosts");
	pthread_mutex_lock(&s->known_lock);
	for (uint32_t i = 0; s->overview && i < s->overview->n; i++)
		put_host(&s->overview->hosts[i], &j);
	pthread_mutex_unlock(&s->known_lock);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
	a->status = 200;
	a->type = "application/json";
}
