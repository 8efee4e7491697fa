#include "trace/hole.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/sort.h"
#include "base/str.h"
#include "trace/extent.h"
#include "trace/probe.h"

enum { FIRST_EVENTS = 8 };
static const int64_t least_ns = 60 * (int64_t)1000000000;

/* The times of the first events of a stream, in the order of its packets. */
static uint32_t first_times(
	struct trace_prober *p, const struct mer_experiment *e, uint32_t stream, int64_t *times)
{
	const struct trace_stream *t = &e->data[stream];
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n_packets && n < FIRST_EVENTS; i++) {
		const struct mer_clock *c = trace_probe_clock(p, &t->packets[i]);
		struct trace_times before = { 0 };
		/* Reads one event more each time; when there are no more, the last time does not
		 * change. */
		for (uint64_t k = 1; c && n < FIRST_EVENTS; k++) {
			uint64_t clock = 0;
			struct trace_times x = trace_probe(p, &t->packets[i], k, 0, &clock);
			if (!x.any || (k > 1 && x.last == before.last))
				break;
			times[n++] = mer_clock_ns(c, x.last);
			before = x;
		}
	}
	return n;
}

bool trace_find_hole(struct mer_experiment *e, uint32_t host, struct trace_hole *hole)
{
	struct trace_prober p;
	struct mer_err ignored;
	uint32_t n = 0;
	bool found = false;
	struct trace_extent all = trace_extent_of_host(e, host);
	if (e->has_no_events || all.begin == MER_NO_TIME ||
		mer_time_between(all.begin, all.end) < least_ns)
		return false;
	int64_t *times = calloc((size_t)e->n_streams * FIRST_EVENTS + 1, sizeof(*times));
	bool ok = times && trace_prober_init(&p, e, &ignored) == 0;
	for (uint32_t i = 0; i < e->n_streams && ok; i++)
		if (e->data[i].ordered && e->traces[e->streams[i].trace].host == host)
			n += first_times(&p, e, i, &times[n]);
	if (ok)
		trace_prober_fini(&p);
	if (n)
		qsort(times, n, sizeof(*times), mer_compare_int64);
	/* At least as many events of each stream are known, so no other event lies between
	 * these. */
	for (uint32_t i = 1; i < n && i <= FIRST_EVENTS / 2 && !found; i++) {
		int64_t gap = mer_time_between(times[i - 1], times[i]);
		found = gap >= least_ns && gap > mer_time_between(all.begin, all.end) / 2;
		if (found)
			*hole = (struct trace_hole){ times[i - 1], times[i], i };
	}
	free(times);
	return found;
}

static void report(struct mer_experiment *e, uint32_t host)
{
	struct trace_hole h;
	struct mer_str length = { 0 };
	if (!trace_find_hole(e, host, &h))
		return;
	mer_put_duration(&length, mer_time_between(h.begin, h.end));
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "early-events",
		.host = e->hosts[host].name,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = h.n_before };
	int64_t from = mer_time_between(e->begin, h.end) / 1000000000;
	mer_diag_add(&e->diags, &d,
		"no event was recorded for %s after the first %s, so percentages of the whole duration are misleading; the other events begin at +%" PRId64
		"s",
		length.data ? length.data : "", h.n_before == 1 ? "event" : "few events", from);
	mer_str_fini(&length);
}

void trace_report_holes(struct mer_experiment *e)
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		report(e, h);
}
