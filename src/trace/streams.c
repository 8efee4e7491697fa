/* Completes a finished scan: sorts packets, drops duplicates, and counts losses. */
#include "trace/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/count.h"
#include "base/grow.h"

int64_t trace_packet_begin(const struct mer_experiment *e, const struct ctf_packet *p)
{
	const struct mer_clock *c = trace_clock(&e->parts[e->files[p->file].part], p->stream_class);
	return c && p->has_begin ? mer_clock_ns(c, p->begin) : MER_NO_TIME;
}

int64_t trace_packet_end(const struct mer_experiment *e, const struct ctf_packet *p)
{
	const struct mer_clock *c = trace_clock(&e->parts[e->files[p->file].part], p->stream_class);
	/* A tracer that crashed leaves 0. */
	bool said = p->has_end && (p->end || !p->begin);
	return c && said ? mer_clock_ns(c, p->end) : MER_NO_TIME;
}

static int by_begin(const void *a, const void *b)
{
	const struct ctf_packet *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	return p->offset < q->offset ? -1 : p->offset > q->offset;
}

static struct mer_diag about(const struct mer_experiment *e, uint32_t stream, const char *code,
	enum mer_severity severity)
{
	const struct mer_trace *trace = &e->traces[e->parts[e->data[stream].part].trace];
	return (struct mer_diag){ .severity = severity,
		.code = code,
		.host = e->hosts[trace->host].name,
		.path = e->files[e->data[stream].file].shown,
		.stream = stream,
		.packet = -1,
		.offset_bits = -1 };
}

/* Files of a rotation and chunks are scanned in the order of their names, which need not be that of
 * time. The parts of a trace share a clock, so cycles can be compared. */
static void sort_packets(struct mer_experiment *e, uint32_t stream)
{
	struct trace_stream *t = &e->data[stream];
	bool sorted = true, same_file = true;
	for (uint32_t i = 1; i < t->n_packets; i++)
		if (t->packets[i].begin < t->packets[i - 1].begin) {
			sorted = false;
			same_file &= t->packets[i].file == t->packets[i - 1].file;
		}
	if (sorted || !t->ordered)
		return;
	qsort(t->packets, t->n_packets, sizeof(*t->packets), by_begin);
	if (same_file) {
		struct mer_diag d = about(e, stream, "packets-out-of-order", MER_NOTE);
		mer_diag_add(&e->diags, &d,
			"packets are not stored in the order of their start times; they are read in time order");
	}
}

static bool same_bytes(
	const struct mer_experiment *e, const struct ctf_packet *a, const struct ctf_packet *b)
{
	const uint8_t *p = trace_file_use(e, a->file), *q = trace_file_use(e, b->file);
	bool same = p && q && memcmp(p + a->offset, q + b->offset, a->content_bits / 8) == 0;
	if (p)
		trace_file_done(e, a->file);
	if (q)
		trace_file_done(e, b->file);
	return same;
}

static bool same_packet(
	const struct mer_experiment *e, const struct ctf_packet *a, const struct ctf_packet *b)
{
	return a->file != b->file && a->begin == b->begin && a->end == b->end &&
	       a->seq_num == b->seq_num && a->content_bits == b->content_bits &&
	       same_bytes(e, a, b);
}

static void drop_twins(struct mer_experiment *e, uint32_t stream)
{
	struct trace_stream *t = &e->data[stream];
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t->n_packets; i++)
		if (kept == 0 || !same_packet(e, &t->packets[kept - 1], &t->packets[i]))
			t->packets[kept++] = t->packets[i];
	if (kept == t->n_packets)
		return;
	struct mer_diag d = about(e, stream, "packets-twice", MER_NOTE);
	d.count = t->n_packets - kept;
	mer_diag_add(&e->diags, &d,
		"%u %s in more than one file (overlapping snapshots); each is read once",
		t->n_packets - kept, mer_plural(t->n_packets - kept, "packet is", "packets are"));
	t->n_packets = kept;
}

bool trace_add_loss(struct mer_experiment *e, struct mer_loss loss)
{
	if (!mer_grow32(&e->losses, e->n_losses, &e->cap_losses, sizeof(*e->losses)))
		return false;
	e->losses[e->n_losses++] = loss;
	return true;
}

/* Reports counters that are larger than anything a tracer can lose: the header is damaged, and the
 * real number is unknown. */
static void report_implausible(
	struct mer_experiment *e, uint32_t stream, uint32_t packet, const struct mer_loss *loss)
{
	const uint64_t most = (uint64_t)1 << 48;
	if (loss->events < most && loss->packets < most)
		return;
	struct mer_diag d = about(e, stream, "damaged-counters", MER_ERROR);
	d.packet = packet;
	mer_diag_add(&e->diags, &d,
		"the counters in the header of packet %u are damaged: they claim that %" PRIu64
		" events and %" PRIu64 " packets were lost before it",
		packet, loss->events, loss->packets);
}

/* The counter runs since the stream began: the first packet's own value counts in full, later ones
 * by their difference; a counter that decreased has wrapped or began anew. Gaps in the sequence
 * numbers are lost packets. */
static bool count_losses(struct mer_experiment *e, uint32_t stream)
{
	struct trace_stream *t = &e->data[stream];
	uint64_t counter = 0;
	for (uint32_t i = 0; i < t->n_packets; i++) {
		const struct ctf_packet *p = &t->packets[i], *before = i ? p - 1 : NULL;
		struct mer_loss loss = { .stream = stream };
		if (p->has_discarded) {
			if (p->discarded >= counter)
				loss.events = p->discarded - counter;
			else if (p->discarded_len < 64 && p->discarded_len > 0 &&
				 counter - p->discarded > (uint64_t)1 << (p->discarded_len - 1))
				loss.events =
					p->discarded + ((uint64_t)1 << p->discarded_len) - counter;
			else
				loss.events = p->discarded;
			counter = p->discarded;
		}
		if (before && p->has_seq_num && before->has_seq_num &&
			p->seq_num > before->seq_num + 1)
			loss.packets = p->seq_num - before->seq_num - 1;
		if (!loss.events && !loss.packets)
			continue;
		/* Lost packets lie between the two; events were discarded while this one was
		 * written, or when there was no room to begin it. */
		loss.begin = before ? trace_packet_end(e, before) : trace_packet_begin(e, p);
		loss.end = trace_packet_end(e, p);
		if (loss.end == MER_NO_TIME)
			loss.end = trace_packet_begin(e, p);
		report_implausible(e, stream, i, &loss);
		loss.events = loss.events < INT64_MAX ? loss.events : INT64_MAX;
		loss.packets = loss.packets < INT64_MAX ? loss.packets : INT64_MAX;
		mer_add_count(&t->lost_events, loss.events);
		mer_add_count(&t->lost_packets, loss.packets);
		if (!trace_add_loss(e, loss))
			return false;
	}
	return true;
}

/* If a packet begins before the previous one has ended, the clock goes backwards in the file. Old
 * tracers do that (they took the end time too late); both packets are then read side by side. */
static void report_overlaps(struct mer_experiment *e, uint32_t stream)
{
	const struct trace_stream *t = &e->data[stream];
	uint64_t n = 0;
	int64_t worst = 0;
	for (uint32_t i = 1; t->ordered && i < t->n_packets; i++) {
		int64_t end = trace_packet_end(e, &t->packets[i - 1]);
		int64_t begin = trace_packet_begin(e, &t->packets[i]);
		if (end == MER_NO_TIME || begin == MER_NO_TIME || begin >= end)
			continue;
		n++;
		int64_t by = mer_time_between(begin, end);
		worst = by > worst ? by : worst;
	}
	if (!n)
		return;
	struct mer_diag d = about(e, stream, "clock-backwards", MER_WARNING);
	d.count = n;
	mer_diag_add(&e->diags, &d,
		"the clock goes backwards between packets: %" PRIu64
		" packet%s before the previous one ends, by up to %.3f us; events are merged by time",
		n, n == 1 ? " begins" : "s begin", (double)worst / 1e3);
}

static void report_losses(struct mer_experiment *e, uint32_t stream)
{
	const struct trace_stream *t = &e->data[stream];
	if (t->lost_events) {
		struct mer_diag d = about(e, stream, "lost-events", MER_WARNING);
		d.count = t->lost_events;
		const struct mer_trace *trace = &e->traces[e->parts[t->part].trace];
		bool lttng = strncmp(trace->tracer, "lttng", 5) == 0;
		mer_diag_add(&e->diags, &d,
			"the tracer discarded %" PRIu64
			" %s because its buffers were full: record with more or larger buffers%s or with fewer events",
			t->lost_events, mer_plural(t->lost_events, "event", "events"),
			lttng ? " (lttng enable-channel --num-subbuf, --subbuf-size)" : "");
	}
	if (t->lost_packets) {
		struct mer_diag d = about(e, stream, "lost-packets", MER_WARNING);
		d.count = t->lost_packets;
		mer_diag_add(&e->diags, &d, "%" PRIu64 " %s missing (gaps in the sequence numbers)",
			t->lost_packets, mer_plural(t->lost_packets, "packet is", "packets are"));
	}
}

int trace_finish_streams(struct mer_experiment *e, struct mer_err *err)
{
	for (uint32_t i = 0; i < e->n_streams; i++) {
		sort_packets(e, i);
		drop_twins(e, i);
		if (!count_losses(e, i))
			return mer_fail_nomem(err);
		report_losses(e, i);
		report_overlaps(e, i);
	}
	return 0;
}
