#include "trace/missing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/human.h"
#include "base/plural.h"
#include "trace/scan.h"
#include "trace/twins.h"

static const struct ctf_packet *first_packet(const struct mer_experiment *e, uint32_t stream)
{
	return e->data[stream].n_packets ? &e->data[stream].packets[0] : NULL;
}

static const struct ctf_packet *last_packet(const struct mer_experiment *e, uint32_t stream)
{
	const struct trace_stream *t = &e->data[stream];
	return t->n_packets ? &t->packets[t->n_packets - 1] : NULL;
}

static const struct mer_trace *trace_of(const struct mer_experiment *e, uint32_t stream)
{
	return &e->traces[e->streams[stream].trace];
}

/* ---- other traces of the host ---- */

static bool is_same_place(const struct mer_experiment *e, uint32_t a, uint32_t b)
{
	const struct mer_trace *p = trace_of(e, a), *q = trace_of(e, b);
	return p != q && p->host == q->host && strcmp(p->domain, q->domain) == 0 &&
	       e->data[a].cpu == e->data[b].cpu && e->data[a].has_id == e->data[b].has_id &&
	       e->data[a].class_id == e->data[b].class_id && e->streams[a].id == e->streams[b].id;
}

/* Is b's first packet the one after a's last? */
static bool follows(const struct mer_experiment *e, uint32_t a, uint32_t b)
{
	const struct ctf_packet *last = last_packet(e, a), *first = first_packet(e, b);
	if (!last || !first || !last->has_seq_num || !first->has_seq_num ||
		first->seq_num != last->seq_num + 1 || !is_same_place(e, a, b))
		return false;
	int64_t end = trace_packet_end(e, last), begin = trace_packet_begin(e, first);
	return end != MER_NO_TIME && begin != MER_NO_TIME && end <= begin;
}

uint32_t trace_stream_after(const struct mer_experiment *e, uint32_t stream)
{
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (follows(e, stream, i))
			return i;
	return UINT32_MAX;
}

/* A stream that ended where this one begins; UINT32_MAX: none. */
static uint32_t stream_before(const struct mer_experiment *e, uint32_t stream)
{
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (follows(e, i, stream))
			return i;
	return UINT32_MAX;
}

/* Has the other trace all kinds of events of this stream's class? */
static bool has_all_kinds(const struct mer_experiment *e, uint32_t other, uint32_t stream)
{
	const struct ctf_schema *s = e->parts[e->data[stream].part].schema;
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0;
			s->streams[k].id == e->data[stream].class_id && c < s->streams[k].n_events;
			c++)
			if (!trace_has_class(e, other, s->streams[k].events[c].name))
				return false;
	return true;
}

/* Has another trace of the host recorded the same kinds of events of this CPU in this time,
 * without losses? */
static bool is_elsewhere(
	const struct mer_experiment *e, uint32_t stream, int64_t begin, int64_t end)
{
	const struct mer_trace *t = trace_of(e, stream);
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct mer_trace *u = trace_of(e, i);
		if (u == t || u->host != t->host || strcmp(u->domain, t->domain) != 0 ||
			e->data[i].cpu != e->data[stream].cpu || u->begin == MER_NO_TIME ||
			u->begin > begin || u->end < end || u->lost_events || u->lost_packets)
			continue;
		const struct ctf_packet *first = first_packet(e, i), *last = last_packet(e, i);
		if (!first || (trace_has_before(first) && trace_packet_begin(e, first) > begin))
			continue;
		int64_t last_end = trace_packet_end(e, last);
		if ((last_end == MER_NO_TIME || last_end >= end) &&
			has_all_kinds(e, e->streams[i].trace, stream))
			return true;
	}
	return false;
}

/* ---- first and last packets ---- */

static bool begins_late(const struct mer_experiment *e, uint32_t stream)
{
	const struct ctf_packet *p = first_packet(e, stream);
	/* Tracers other than LTTng may count from 1. */
	bool from_0 = strncmp(trace_of(e, stream)->tracer, "lttng", 5) == 0;
	return p && trace_has_before(p) && (from_0 || p->seq_num > 1) && e->data[stream].ordered &&
	       stream_before(e, stream) == UINT32_MAX;
}

/* Did the packet end because the next event did not fit? Buffers are a power of two of bytes; the
 * packets written at the end of a recording are rarely that long. */
static bool is_full(const struct ctf_packet *p)
{
	enum { LEAST_BYTES = 4096, LEFT_BITS = 128 * 8 };
	uint64_t bytes = p->size_bits / 8;
	return bytes >= LEAST_BYTES && (bytes & (bytes - 1)) == 0 && !p->is_cut &&
	       p->size_bits - p->content_bits < LEFT_BITS;
}

/* The time of the last event in the other streams of its trace. */
static int64_t end_of_others(const struct mer_experiment *e, uint32_t stream)
{
	const struct mer_trace *t = trace_of(e, stream);
	int64_t end = MER_NO_TIME;
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++)
		if (i != stream && e->streams[i].end > end) /* MER_NO_TIME is the least */
			end = e->streams[i].end;
	return end;
}

static bool ends_early(const struct mer_experiment *e, uint32_t stream)
{
	enum { AT_ONCE_NS = 1000000, LARGE_BITS = 65536 * 8 };
	const struct ctf_packet *p = last_packet(e, stream);
	const struct mer_trace *t = trace_of(e, stream);
	int64_t own = e->streams[stream].end, others = end_of_others(e, stream);
	int64_t end = p ? trace_packet_end(e, p) : MER_NO_TIME;
	if (end == MER_NO_TIME || !e->data[stream].ordered || p->is_cut ||
		strncmp(t->tracer, "lttng", 5) != 0)
		return false;
	/* A packet that ends at its last event and is not full says nothing about the time after;
	 * nor does one of a user-space trace, whose buffers are closed one after the other while
	 * the program runs. */
	bool is_ust = strcmp(t->domain, "ust") == 0;
	bool is_early =
		others != MER_NO_TIME && end < others && (is_full(p) || (end > own && !is_ust));
	/* Even if no other stream goes on: the last packet of a recording is rarely as long as a
	 * large buffer, and is written some time after its last event. */
	if (!is_ust && is_full(p) && own != MER_NO_TIME &&
		(p->size_bits >= LARGE_BITS || end - own < AT_ONCE_NS))
		is_early = true;
	return is_early && trace_stream_after(e, stream) == UINT32_MAX;
}

/* ---- reports ---- */

static struct mer_diag about(const struct mer_experiment *e, uint32_t trace, const char *code)
{
	const struct mer_trace *t = &e->traces[trace];
	return (struct mer_diag){ .severity = MER_WARNING,
		.code = code,
		.host = e->hosts[t->host].name,
		.path = t->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
}

/* "CPUs 0, 1 and 3"; "2 streams" if a stream has no CPU, or there are too many CPUs. */
static void put_cpus(struct mer_str *out, const struct mer_experiment *e, uint32_t trace,
	bool (*is)(const struct trace_stream *))
{
	enum { SHOWN = 8 };
	const struct mer_trace *t = &e->traces[trace];
	int32_t cpus[SHOWN];
	uint32_t n = 0, n_streams = 0;
	bool all_have = true;
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++) {
		int32_t cpu = e->data[i].cpu;
		bool again = false;
		if (!is(&e->data[i]))
			continue;
		n_streams++;
		all_have &= cpu >= 0;
		for (uint32_t k = 0; k < n && k < SHOWN; k++)
			again |= cpus[k] == cpu;
		if (!again && n++ < SHOWN)
			cpus[n - 1] = cpu;
	}
	if (!all_have || n > SHOWN) {
		mer_str_printf(out, "%u %s", n_streams, mer_plural(n_streams, "stream", "streams"));
		return;
	}
	mer_str_puts(out, mer_plural(n, "CPU ", "CPUs "));
	for (uint32_t k = 0; k < n; k++)
		mer_str_printf(out, "%s%" PRId32,
			k == 0	    ? ""
			: k + 1 < n ? ", "
				    : " and ",
			cpus[k]);
}

static bool is_late(const struct trace_stream *s)
{
	return s->begins_late;
}

static bool is_early(const struct trace_stream *s)
{
	return s->ends_early;
}

/* ns: the longest time without data while other streams of the trace were recorded. */
static void report(struct mer_experiment *e, uint32_t trace, bool early, uint32_t n, int64_t ns)
{
	struct mer_diag d = about(e, trace, early ? "stream-ends-early" : "stream-begins-late");
	struct mer_str cpus = { 0 }, time = { 0 };
	d.count = n;
	put_cpus(&cpus, e, trace, early ? is_early : is_late);
	if (ns > 0) {
		mer_str_puts(&time, early ? "the last " : "the first ");
		mer_put_duration(&time, ns);
	}
	mer_diag_add(&e->diags, &d, "the %s packets of %s are missing%s: %s%s",
		early ? "last" : "first", cpus.data ? cpus.data : "a stream",
		early ? "" : " (overwritten, or not among the files)",
		ns <= 0	 ? early ? "the recording went on after its last event"
				 : "the recording began before its first event"
		: n == 1 ? "what happened there is unknown for "
			 : "what happened there is unknown for up to ",
		time.data ? time.data : "");
	mer_str_fini(&cpus);
	mer_str_fini(&time);
}

/* Adds the loss, unless another trace of the host has recorded this time. */
static int miss(struct mer_experiment *e, struct mer_loss loss, int64_t *longest, bool *is_missing,
	struct mer_err *err)
{
	*is_missing = !is_elsewhere(e, loss.stream, loss.begin, loss.end);
	if (!*is_missing)
		return 0;
	int64_t ns = mer_time_between(loss.begin, loss.end);
	*longest = ns > *longest ? ns : *longest;
	return trace_add_loss(e, loss) ? 0 : mer_fail_nomem(err);
}

static int mark(struct mer_experiment *e, uint32_t stream, int64_t longest[2], struct mer_err *err)
{
	const struct mer_trace *t = trace_of(e, stream);
	struct trace_stream *s = &e->data[stream];
	struct mer_loss loss = { .stream = stream };
	int rc = 0;
	if (begins_late(e, stream)) {
		loss.kind = MER_LOSS_FIRST_PACKETS;
		loss.end = trace_packet_begin(e, first_packet(e, stream));
		loss.begin = t->begin != MER_NO_TIME && t->begin < loss.end ? t->begin : loss.end;
		rc = miss(e, loss, &longest[0], &s->begins_late, err);
	}
	if (rc == 0 && ends_early(e, stream)) {
		loss.kind = MER_LOSS_LAST_PACKETS;
		loss.begin = trace_packet_end(e, last_packet(e, stream));
		loss.end = t->end > loss.begin ? t->end : loss.begin;
		rc = miss(e, loss, &longest[1], &s->ends_early, err);
	}
	return rc;
}

/* By stream; first packets come first, last packets last, counted losses between, by time. */
static int compare(const void *a, const void *b)
{
	static const int rank[] = {
		[MER_LOSS_COUNTED] = 1, [MER_LOSS_FIRST_PACKETS] = 0, [MER_LOSS_LAST_PACKETS] = 2
	};
	const struct mer_loss *p = a, *q = b;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	if (p->kind != q->kind)
		return rank[p->kind] - rank[q->kind];
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* ---- channels (classes of streams) without a stream ---- */

static bool has_packets_of(const struct mer_experiment *e, uint32_t trace, uint64_t class_id)
{
	const struct mer_trace *t = &e->traces[trace];
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++)
		if (e->data[i].n_packets && e->data[i].class_id == class_id)
			return true;
	return false;
}

/* The stream class of a part if it has event record classes but no packet; otherwise NULL. Each
 * class once, although a trace of several folders describes it in each. */
static const struct ctf_stream_class *unseen_class(
	const struct mer_experiment *e, uint32_t part, uint32_t class)
{
	const struct ctf_stream_class *c = &e->parts[part].schema->streams[class];
	uint32_t trace = e->parts[part].trace;
	if (!c->n_events || has_packets_of(e, trace, c->id))
		return NULL;
	for (uint32_t p = 0; p < part; p++)
		for (uint32_t k = 0;
			e->parts[p].trace == trace && k < e->parts[p].schema->n_streams; k++) {
			const struct ctf_stream_class *other = &e->parts[p].schema->streams[k];
			if (other->id == c->id && other->n_events)
				return NULL;
		}
	return c;
}

static uint32_t count_unseen(const struct mer_experiment *e, uint32_t trace)
{
	uint32_t n = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t k = 0;
			e->parts[p].trace == trace && k < e->parts[p].schema->n_streams; k++)
			n += unseen_class(e, p, k) && !trace_part_is_copy(&e->parts[p]);
	return n;
}

/* "events of lock, unlock", "events of 1,208 kinds, such as sched_switch," */
static void put_kinds(struct mer_str *out, const struct ctf_stream_class *c)
{
	enum { SHOWN = 3 };
	const char *one = c->events[0].name;
	for (uint32_t i = 0; i < c->n_events; i++)
		if (c->events[i].name && strcmp(c->events[i].name, "sched_switch") == 0)
			one = c->events[i].name;
	mer_str_puts(out, "events of ");
	if (c->n_events > SHOWN) {
		mer_put_count(out, c->n_events);
		mer_str_printf(out, " kinds, such as %s,", one ? one : "one without a name");
		return;
	}
	for (uint32_t i = 0; i < c->n_events; i++)
		mer_str_printf(out, "%s%s", i ? ", " : "",
			c->events[i].name ? c->events[i].name : "a kind without a name");
}

static void report_unseen(struct mer_experiment *e, uint32_t trace)
{
	struct mer_diag d = about(e, trace, "stream-class-empty");
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t k = 0;
			e->parts[p].trace == trace && k < e->parts[p].schema->n_streams; k++) {
			const struct ctf_stream_class *c = unseen_class(e, p, k);
			struct mer_str kinds = { 0 };
			if (!c)
				continue;
			put_kinds(&kinds, c);
			const char *what = kinds.data ? kinds.data : "events of a channel";
			if (trace_part_is_copy(&e->parts[p]))
				mer_diag_add(&e->diags, &d,
					"no %s were recorded: none occurred, or tracing was off",
					what);
			else
				mer_diag_add(&e->diags, &d,
					"no %s were found, though the metadata describes them: nothing was recorded, or the files of their streams are missing",
					what);
			mer_str_fini(&kinds);
		}
}

int trace_find_missing(struct mer_experiment *e, struct mer_err *err)
{
	uint32_t n_counted = e->n_losses;
	int rc = 0;
	for (uint32_t t = 0; t < e->n_traces && rc == 0; t++) {
		int64_t longest[2] = { 0, 0 };
		struct trace_missing m = { 0 };
		for (uint32_t i = 0; i < e->traces[t].n_streams && rc == 0; i++)
			rc = mark(e, e->traces[t].first_stream + i, longest, err);
		trace_count_missing(e, t, &m);
		if (rc == 0)
			report_unseen(e, t);
		if (rc == 0 && m.n_late)
			report(e, t, false, m.n_late, longest[0]);
		if (rc == 0 && m.n_early)
			report(e, t, true, m.n_early, longest[1]);
	}
	if (rc || e->n_losses == n_counted)
		return rc;
	qsort(e->losses, e->n_losses, sizeof(*e->losses), compare);
	return 0;
}

/* ---- streams ---- */

int trace_add_absent(struct mer_experiment *e, uint32_t trace, int32_t cpu, struct mer_err *err)
{
	for (uint32_t i = 0; i < e->n_absent; i++)
		if (e->absent[i].trace == trace && e->absent[i].cpu == cpu)
			return 0;
	if (!mer_grow32(&e->absent, e->n_absent, &e->cap_absent, sizeof(*e->absent)))
		return mer_fail_nomem(err);
	e->absent[e->n_absent++] = (struct trace_absent){ trace, cpu };
	struct mer_diag d = about(e, trace, "stream-missing");
	mer_diag_add(&e->diags, &d,
		"the stream of CPU %" PRId32
		" is missing, though other CPUs woke or moved tasks there: what happened on it is unknown",
		cpu);
	return 0;
}

void trace_count_missing(const struct mer_experiment *e, uint32_t trace, struct trace_missing *m)
{
	const struct mer_trace *t = &e->traces[trace];
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++) {
		m->n_late += e->data[i].begins_late;
		m->n_early += e->data[i].ends_early;
	}
	for (uint32_t i = 0; i < e->n_absent; i++)
		m->n_absent += e->absent[i].trace == trace;
	/* If other channels have packets, most likely nothing was recorded in the empty ones. */
	bool any = false;
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++)
		any |= e->data[i].n_packets > 0;
	m->n_unseen += any ? 0 : count_unseen(e, trace);
}

void trace_put_missing(struct mer_str *out, const struct trace_missing *m)
{
	const struct {
		uint32_t n;
		const char *before, *one, *many;
	} parts[] = { { m->n_late, "the first packets of ", "stream", "streams" },
		{ m->n_early, "the last packets of ", "stream", "streams" },
		{ m->n_absent, "the whole stream of ", "CPU", "CPUs" },
		{ m->n_unseen, "all streams of ", "channel", "channels" } };
	enum { N = sizeof(parts) / sizeof(parts[0]) };
	int n_left = 0;
	bool first = true;
	for (int i = 0; i < N; i++)
		n_left += parts[i].n > 0;
	for (int i = 0; i < N; i++) {
		if (!parts[i].n)
			continue;
		n_left--;
		mer_str_printf(out, "%s%s%u %s",
			first	 ? ""
			: n_left ? ", "
				 : " and ",
			parts[i].before, parts[i].n,
			mer_plural(parts[i].n, parts[i].one, parts[i].many));
		first = false;
	}
}
