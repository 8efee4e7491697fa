/* Two traces of one host that recorded the same: a session of each of two users, or a flight
 * recorder beside a session. Both have the same context switches of a CPU, some hundred ns apart,
 * as one probe runs after the other.
 *
 * The more complete one of the two is used, and what the other one has of the same kinds of events
 * in the time in which that one has all of them is passed; where the first has lost events, and the
 * other has not, it is the other way around. */
#include "kernel/survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/human.h"
#include "base/str.h"
#include "kernel/events.h"
#include "kernel/layouts.h"
#include "trace/cursor.h"
#include "trace/missing.h"
#include "trace/twins.h"

enum {
	SAMPLE = 4096,	   /* switches of both together */
	APART_NS = 100000, /* a slow machine takes so long from one probe to the next */
	LEAST = 3
};

struct sample {
	int64_t ts;
	int32_t cpu, prev, next;
};

struct finder {
	struct mer_experiment *e;
	const struct trace_reading *switches;
	struct sample *of[2]; /* of both traces, by time; SAMPLE each */
	uint32_t n[2];
	struct trace_twin *twins; /* so far; they are the experiment's when all are found */
	uint32_t n_twins, cap_twins;
	struct mer_err *err;
};

static int64_t sooner(int64_t time)
{
	return time > INT64_MIN + APART_NS ? time - APART_NS : INT64_MIN;
}

static int64_t later(int64_t time)
{
	return time < INT64_MAX - APART_NS ? time + APART_NS : INT64_MAX;
}

static bool has_switches(const struct mer_experiment *e, uint32_t trace)
{
	for (uint32_t p = 0; p < e->n_parts; p++)
		if (e->parts[p].trace == trace &&
			kernel_event_is_in(KERNEL_EV_SWITCH, e->parts[p].schema))
			return true;
	return false;
}

static int read_samples(struct finder *f, const uint32_t trace[2], int64_t begin, int64_t end)
{
	struct mer_cursor *c;
	const struct mer_experiment *e = f->e;
	int rc = trace_cursor_of_host_from(f->e, f->switches, e->traces[trace[0]].host,
		(struct trace_range){ begin, end }, NULL, &c, f->err);
	if (rc)
		return rc;
	f->n[0] = f->n[1] = 0;
	while (rc == 0 && f->n[0] < SAMPLE && f->n[1] < SAMPLE) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, f->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			const struct mer_stream *s = &e->streams[ev[i].stream];
			int which = s->trace == trace[0] ? 0 : s->trace == trace[1] ? 1 : -1;
			if (which < 0 || f->n[which] == SAMPLE || ev[i].ts < begin)
				continue;
			f->of[which][f->n[which]++] = (struct sample){ ev[i].ts,
				s->cpu >= 0 ? s->cpu : (int32_t)ev[i].slots[KERNEL_SLOT_CPU],
				(int32_t)ev[i].slots[SWITCH_PREV],
				(int32_t)ev[i].slots[SWITCH_NEXT] };
		}
	}
	trace_cursor_drop(c);
	return rc;
}

/* How many of a's switches b has, too, and how far apart they are at most. */
static uint32_t n_same(
	const struct sample *a, uint32_t n_a, const struct sample *b, uint32_t n_b, int64_t *apart)
{
	uint32_t n = 0, from = 0;
	*apart = 0;
	for (uint32_t i = 0; i < n_a; i++) {
		while (from < n_b && b[from].ts < sooner(a[i].ts))
			from++;
		int64_t nearest = INT64_MAX;
		for (uint32_t k = from; k < n_b && b[k].ts <= later(a[i].ts); k++) {
			int64_t d = b[k].ts > a[i].ts ? b[k].ts - a[i].ts : a[i].ts - b[k].ts;
			if (b[k].cpu == a[i].cpu && b[k].prev == a[i].prev &&
				b[k].next == a[i].next && d < nearest)
				nearest = d;
		}
		if (nearest == INT64_MAX)
			continue;
		*apart = nearest > *apart ? nearest : *apart;
		n++;
	}
	return n;
}

/* ---- which one to use ---- */

static uint64_t n_missing(const struct mer_experiment *e, uint32_t trace)
{
	const struct mer_trace *t = &e->traces[trace];
	uint64_t n = t->lost_events + t->lost_packets;
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++)
		n += e->data[i].begins_late + e->data[i].ends_early;
	for (uint32_t i = 0; i < e->n_absent; i++)
		n += e->absent[i].trace == trace;
	return n;
}

static uint32_t n_kinds(const struct mer_experiment *e, uint32_t trace)
{
	uint32_t n = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t k = 0;
			e->parts[p].trace == trace && k < e->parts[p].schema->n_streams; k++)
			n += e->parts[p].schema->streams[k].n_events;
	return n;
}

/* 0 or 1: of trace[]. The one with more switches of the same time, unless that is a matter of where
 * the sample ends; more kinds of events; fewer losses; the longer one. */
static int better_of(const struct finder *f, const uint32_t trace[2])
{
	const struct mer_experiment *e = f->e;
	const struct mer_trace *a = &e->traces[trace[0]], *b = &e->traces[trace[1]];
	uint32_t more = f->n[0] > f->n[1] ? f->n[0] - f->n[1] : f->n[1] - f->n[0];
	if (more > f->n[0] / 20 + 1)
		return f->n[1] > f->n[0];
	uint32_t kinds[2] = { n_kinds(e, trace[0]), n_kinds(e, trace[1]) };
	if (kinds[0] != kinds[1])
		return kinds[1] > kinds[0];
	uint64_t missing[2] = { n_missing(e, trace[0]), n_missing(e, trace[1]) };
	if (missing[0] != missing[1])
		return missing[1] < missing[0];
	return mer_time_between(b->begin, b->end) > mer_time_between(a->begin, a->end);
}

/* ---- what is passed ---- */

static int pass(struct finder *f, uint32_t stream, uint32_t other, int64_t begin, int64_t end)
{
	if (begin >= end)
		return 0;
	if (!mer_grow32(&f->twins, f->n_twins, &f->cap_twins, sizeof(*f->twins)))
		return mer_fail_nomem(f->err);
	f->twins[f->n_twins++] = (struct trace_twin){ stream, other, begin, end };
	return 0;
}

/* Within [begin, end) of a stream of the trace that is used: the end of the first loss after at;
 * false: there is none. */
static bool next_loss(const struct mer_experiment *e, uint32_t stream, int64_t at, int64_t end,
	struct mer_loss *loss)
{
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *l = &e->losses[i];
		if (l->stream == stream && l->kind == MER_LOSS_COUNTED && l->begin != MER_NO_TIME &&
			l->end != MER_NO_TIME && l->end > at && l->begin < end) {
			*loss = *l;
			return true;
		}
	}
	return false;
}

static bool lacks_any(const struct mer_experiment *e, uint32_t stream, int64_t begin, int64_t end)
{
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *l = &e->losses[i];
		if (l->stream == stream && (l->begin == MER_NO_TIME || l->begin < end) &&
			(l->end == MER_NO_TIME || l->end > begin))
			return true;
	}
	return e->streams[stream].begin == MER_NO_TIME ||
	       e->traces[e->streams[stream].trace].begin > begin ||
	       e->traces[e->streams[stream].trace].end < end;
}

/* Two streams of one CPU: used, and passed where used has all. */
static int pass_stream(struct finder *f, uint32_t used, uint32_t passed)
{
	const struct mer_experiment *e = f->e;
	uint32_t used_trace = e->streams[used].trace, other = e->streams[passed].trace;
	const struct trace_stream *s = &e->data[used];
	int64_t begin = e->traces[used_trace].begin, end = e->traces[used_trace].end;
	struct mer_loss loss;
	int rc = 0;
	if (s->n_packets == 0)
		return 0;
	int64_t first = trace_packet_begin(e, &s->packets[0]);
	int64_t last = trace_packet_end(e, &s->packets[s->n_packets - 1]);
	if (trace_has_before(&s->packets[0]) && first != MER_NO_TIME)
		begin = first;
	if (s->ends_early && last != MER_NO_TIME)
		end = last;
	begin = sooner(begin);
	end = later(end);
	while (rc == 0 && next_loss(e, used, begin, end, &loss)) {
		bool helps = !lacks_any(e, passed, loss.begin, loss.end);
		rc = pass(f, passed, used_trace, begin, helps ? loss.begin : loss.end);
		if (rc == 0 && helps)
			rc = pass(f, used, other, loss.begin, loss.end);
		begin = loss.end;
	}
	return rc ? rc : pass(f, passed, used_trace, begin, end);
}

/* By stream, then time. */
static int compare(const void *a, const void *b)
{
	const struct trace_twin *p = a, *q = b;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* In order, without overlaps: a third session may have the same once more. */
static void keep(struct finder *f)
{
	struct mer_experiment *e = f->e;
	uint32_t n = 0;
	if (f->n_twins)
		qsort(f->twins, f->n_twins, sizeof(*f->twins), compare);
	for (uint32_t i = 0; i < f->n_twins; i++) {
		struct trace_twin x = f->twins[i];
		if (n && f->twins[n - 1].stream == x.stream && f->twins[n - 1].end > x.begin)
			x.begin = f->twins[n - 1].end;
		if (x.begin < x.end)
			f->twins[n++] = x;
	}
	e->twins = f->twins;
	e->n_twins = n;
}

static void tell(
	struct finder *f, uint32_t used, uint32_t passed, uint32_t n, uint32_t n_all, int64_t apart)
{
	const struct mer_experiment *e = f->e;
	struct mer_str within = { 0 };
	mer_put_duration(&within, apart);
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "recorded-twice",
		.host = e->hosts[e->traces[used].host].name,
		.path = e->traces[passed].path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = n };
	mer_diag_add(&f->e->diags, &d,
		"two sessions recorded this host at the same time: %" PRIu32 " of %" PRIu32
		" context switches are also in %s, at most %s apart; analyses use the events of %s, and from this trace only those that are missing there",
		n, n_all, e->traces[used].path, within.data ? within.data : "",
		e->traces[used].path);
	mer_str_fini(&within);
}

static int look_at(struct finder *f, const uint32_t trace[2], bool *is_passed)
{
	const struct mer_experiment *e = f->e;
	const struct mer_trace *a = &e->traces[trace[0]], *b = &e->traces[trace[1]];
	int64_t begin = a->begin > b->begin ? a->begin : b->begin;
	int64_t end = a->end < b->end ? a->end : b->end, apart;
	if (begin >= end)
		return 0;
	int rc = read_samples(f, trace, sooner(begin), later(end));
	if (rc)
		return rc;
	int few = f->n[1] < f->n[0];
	uint32_t n = n_same(f->of[few], f->n[few], f->of[!few], f->n[!few], &apart);
	if (n < LEAST || n < f->n[few] / 2)
		return 0;
	int used = better_of(f, trace);
	is_passed[trace[!used]] = true;
	for (uint32_t i = a->first_stream; i < a->first_stream + a->n_streams && rc == 0; i++)
		for (uint32_t k = b->first_stream; k < b->first_stream + b->n_streams && rc == 0;
			k++)
			if (e->streams[i].cpu == e->streams[k].cpu)
				rc = pass_stream(f, used ? k : i, used ? i : k);
	if (rc == 0)
		tell(f, trace[used], trace[!used], n, f->n[few], apart);
	return rc;
}

int kernel_twins_find(struct mer_experiment *e, struct mer_err *err)
{
	struct finder f = { .e = e, .err = err };
	struct trace_reading *switches = NULL;
	bool *is_passed = calloc((size_t)e->n_traces + 1, sizeof(*is_passed));
	int rc = is_passed ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_traces && rc == 0; i++)
		for (uint32_t k = i + 1; k < e->n_traces && rc == 0; k++) {
			const struct mer_trace *a = &e->traces[i], *b = &e->traces[k];
			if (a->host != b->host || is_passed[i] || is_passed[k] ||
				a->begin == MER_NO_TIME || b->begin == MER_NO_TIME ||
				a->begin >= b->end || b->begin >= a->end || !has_switches(e, i) ||
				!has_switches(e, k))
				continue;
			if (!switches) {
				rc = kernel_switch_reading_new(e, &switches, err);
				f.switches = switches;
				f.of[0] = calloc(SAMPLE, sizeof(*f.of[0]));
				f.of[1] = calloc(SAMPLE, sizeof(*f.of[1]));
				if (rc == 0 && (!f.of[0] || !f.of[1]))
					rc = mer_fail_nomem(err);
			}
			if (rc == 0)
				rc = look_at(&f, (uint32_t[]){ i, k }, is_passed);
		}
	keep(&f);
	trace_reading_free(switches);
	free(f.of[0]);
	free(f.of[1]);
	free(is_passed);
	return rc;
}
