#include "trace/extent.h"

#include "trace/probe.h"

/* Bits read at the end of a stream: a few buffers of the largest usual size. */
static const uint64_t max_tail_bits = (uint64_t)32 << 23;

/* Packets are in the order of their begin times, and may overlap: a later one may have the first
 * event as long as it begins before the first event known. */
static int64_t find_begin(struct trace_prober *p, const struct trace_stream *t)
{
	int64_t best = MER_NO_TIME;
	for (uint32_t i = 0; i < t->n_packets; i++) {
		const struct ctf_packet *packet = &t->packets[i];
		const struct mer_clock *c = trace_probe_clock(p, packet);
		uint64_t clock = 0;
		if (best != MER_NO_TIME && trace_packet_begin(p->e, packet) >= best)
			break;
		struct trace_times found = trace_probe(p, packet, 1, 0, &clock);
		int64_t first = c && found.any ? mer_clock_ns(c, found.first) : MER_NO_TIME;
		if (first != MER_NO_TIME && (best == MER_NO_TIME || first < best))
			best = first;
	}
	return best;
}

/* From the last packet back, as long as one may hold a later event than the last one known. */
static int64_t find_end(struct trace_prober *p, const struct trace_stream *t)
{
	int64_t best = MER_NO_TIME;
	uint64_t read_bits = 0;
	for (uint32_t i = t->n_packets; i-- > 0;) {
		const struct ctf_packet *packet = &t->packets[i];
		const struct mer_clock *c = trace_probe_clock(p, packet);
		int64_t end = trace_packet_end(p->e, packet);
		uint64_t clock = 0;
		if (!c)
			continue;
		if (best != MER_NO_TIME && (end == MER_NO_TIME || end <= best))
			break;
		read_bits += packet->content_bits;
		if (read_bits > max_tail_bits && (best != MER_NO_TIME || end != MER_NO_TIME))
			return best == MER_NO_TIME ? end : best;
		struct trace_times found = trace_probe(p, packet, UINT64_MAX, 0, &clock);
		int64_t last = found.any ? mer_clock_ns(c, found.last) : MER_NO_TIME;
		best = last > best ? last : best; /* MER_NO_TIME is the least */
	}
	return best;
}

/* Packets that do not say when they begin are read from the first one on, if that is little. */
static struct trace_extent find_unordered(struct trace_prober *p, const struct trace_stream *t)
{
	struct trace_extent x = { MER_NO_TIME, MER_NO_TIME };
	uint64_t clock = 0, bits = 0;
	for (uint32_t i = 0; i < t->n_packets; i++)
		bits += t->packets[i].content_bits;
	for (uint32_t i = 0; bits <= max_tail_bits && i < t->n_packets; i++) {
		const struct mer_clock *c = trace_probe_clock(p, &t->packets[i]);
		struct trace_times found = trace_probe(p, &t->packets[i], UINT64_MAX, 0, &clock);
		if (c && found.any)
			trace_widen(&x.begin, &x.end, mer_clock_ns(c, found.first),
				mer_clock_ns(c, found.last));
	}
	return x;
}

static struct trace_extent find(struct trace_prober *p, const struct trace_stream *t)
{
	if (!t->ordered)
		return find_unordered(p, t);
	struct trace_extent x = { .begin = find_begin(p, t) };
	x.end = x.begin == MER_NO_TIME ? MER_NO_TIME : find_end(p, t);
	if (x.end < x.begin) /* only a header that contradicts the events can say so */
		x.end = x.begin;
	return x;
}

int trace_find_extents(struct mer_experiment *e, struct trace_extent *extents, struct mer_err *err)
{
	struct trace_prober p;
	int rc = trace_prober_init(&p, e, err);
	for (uint32_t i = 0; rc == 0 && i < e->n_streams; i++)
		extents[i] = find(&p, &e->data[i]);
	trace_prober_fini(&p);
	return rc;
}

struct trace_extent trace_extent_of_host(const struct mer_experiment *e, uint32_t host)
{
	struct trace_extent x = { MER_NO_TIME, MER_NO_TIME };
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (e->traces[t].host == host)
			trace_widen(&x.begin, &x.end, e->traces[t].begin, e->traces[t].end);
	return x;
}
