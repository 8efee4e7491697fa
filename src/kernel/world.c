#include "kernel/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "kernel/model.h"
#include "kernel/recorded.h"
#include "kernel/vm/guests.h"
#include "kernel/vm/relays.h"
#include "sync/match/end.h"
#include "sync/result.h"
#include "trace/cursor.h"
#include "trace/files.h"
#include "trace/read_ahead.h"
#include "trace/tool.h"

struct builder {
	struct kernel_world *w;
	const struct kernel_world_options *o;
	struct kernel_layouts *layouts;
	struct trace_reading *switches, *all;
	struct kernel_event_reading *vms;
	struct kernel_end **ends; /* by host */
	size_t *n_ends;
	struct found *found; /* by host */
	bool has_losses;
};

/* What reading a host's events told about its trace: apart, as hosts are read on several
 * threads. */
struct found {
	struct mer_arena arena;
	struct mer_diags diags;
};

/* ---- packets ---- */

static bool comparable(const struct sync_result *r, uint32_t a, uint32_t b)
{
	return a == b || (r && r->hosts[a].group == r->hosts[b].group);
}

static int64_t common_time(const struct sync_result *r, uint32_t host, int64_t t)
{
	return r ? trace_map_time(&r->hosts[host].map, t) : t;
}

static int compare_packets(const void *a, const void *b)
{
	const struct kernel_bridge *p = a, *q = b;
	int order = kernel_bridge_compare(p, q);
	if (order)
		return order;
	if (p->from.stream != q->from.stream)
		return p->from.stream < q->from.stream ? -1 : 1;
	return (p->to.stream > q->to.stream) - (p->to.stream < q->to.stream);
}

static int collect_packets(struct kernel_world *w, const struct sync_messages *messages,
	const struct sync_result *r, struct mer_err *err)
{
	size_t n = 0;
	for (size_t i = 0; messages && i < messages->n_links; i++)
		n += messages->links[i].n;
	if (n > INT32_MAX)
		return mer_fail(err, MER_ERR_LIMIT,
			"more than 2^31 messages between the hosts: look at fewer hosts, or at traces of a shorter time");
	w->bridges = mer_spill_array(w->spill, n + 1, sizeof(*w->bridges));
	if (!w->bridges)
		return mer_fail_nomem(err);
	for (size_t i = 0; messages && i < messages->n_links; i++) {
		const struct sync_link *l = &messages->links[i];
		if (!comparable(r, l->from, l->to)) {
			w->n_unsynchronized += l->n;
			continue;
		}
		for (size_t k = 0; k < l->n; k++) {
			if (l->kinds && l->kinds[k] == SYNC_MPI)
				continue; /* world.mpi has them, with their calls */
			struct kernel_bridge p = {
				.from.time = common_time(r, l->from, l->messages[k].sent),
				.to.time = common_time(r, l->to, l->messages[k].received),
				.from.host = l->from,
				.to.host = l->to,
				.from.stream = l->streams ? l->streams[k].sent : SYNC_NO_STREAM,
				.to.stream = l->streams ? l->streams[k].received : SYNC_NO_STREAM,
				.from.span = KERNEL_NONE,
				.answers = KERNEL_NONE,
				.to.span = KERNEL_NONE,
				.from.endpoint = l->streams ? l->streams[k].source : 0,
				.to.endpoint = l->streams ? l->streams[k].destination : 0,
				.kind = l->kinds ? l->kinds[k] : (uint8_t)SYNC_TCP,
				.content = l->streams ? l->streams[k].content
						      : (uint8_t)SYNC_CONTENT_UNKNOWN,
			};
			if (p.to.time < p.from.time)
				w->n_inversions++;
			else
				w->bridges[w->n_bridges++] = p;
		}
	}
	return mer_sort(w->spill, w->bridges, w->n_bridges, sizeof(*w->bridges), compare_packets)
		       ? 0
		       : mer_fail_nomem(err);
}

static int find_clock_groups(
	struct kernel_world *w, const struct sync_result *r, struct mer_err *err)
{
	w->clock_groups = calloc((size_t)w->n_hosts + 1, sizeof(*w->clock_groups));
	for (uint32_t h = 0; w->clock_groups && h < w->n_hosts; h++)
		w->clock_groups[h] = r ? r->hosts[h].group : h;
	return w->clock_groups ? 0 : mer_fail_nomem(err);
}

static int compare_singles(const void *a, const void *b)
{
	const struct kernel_single *p = a, *q = b;
	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	if (p->destination != q->destination)
		return p->destination < q->destination ? -1 : 1;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return p->is_send - q->is_send;
}

int kernel_singles_sort(struct kernel_world *w, struct mer_err *err)
{
	return mer_sort(w->spill, w->singles, w->n_singles, sizeof(*w->singles), compare_singles)
		       ? 0
		       : mer_fail_nomem(err);
}

/* Each host knows its end of a message, but none the other one's, as their times are not those of
 * one clock. */
static void add_apart(
	struct kernel_world *w, const struct sync_link *l, const struct sync_result *r)
{
	if (comparable(r, l->from, l->to) || !l->streams)
		return;
	for (size_t i = 0; i < l->n; i++) {
		const struct sync_streams *s = &l->streams[i];
		if ((l->kinds && l->kinds[i] != SYNC_TCP) || !s->source ||
			(s->content != SYNC_DATA && s->content != SYNC_OPENS))
			continue;
		struct kernel_single x = { .time = common_time(r, l->from, l->messages[i].sent),
			.source = s->source,
			.destination = s->destination,
			.host = l->from,
			.is_send = true,
			.leaves = true,
			.opens = s->content == SYNC_OPENS };
		w->singles[w->n_singles++] = x;
		x.time = common_time(r, l->to, l->messages[i].received);
		x.host = l->to;
		x.is_send = x.leaves = false;
		w->singles[w->n_singles++] = x;
	}
}

static int collect_singles(struct kernel_world *w, const struct sync_messages *messages,
	const struct sync_result *r, struct mer_err *err)
{
	size_t n = messages ? messages->n_singles : 0, n_all = n;
	for (size_t i = 0; messages && i < messages->n_links; i++)
		if (!comparable(r, messages->links[i].from, messages->links[i].to))
			n_all += 2 * messages->links[i].n;
	if (n_all > UINT32_MAX)
		n = n_all = 0;
	w->singles = mer_spill_array(w->spill, n_all + 1, sizeof(*w->singles));
	if (!w->singles)
		return mer_fail_nomem(err);
	for (; w->n_singles < n; w->n_singles++) {
		const struct sync_single *s = &messages->singles[w->n_singles];
		w->singles[w->n_singles] =
			(struct kernel_single){ .time = common_time(r, s->host, s->time),
				.source = s->source,
				.destination = s->destination,
				.host = s->host,
				.is_send = s->is_send,
				.opens = s->opens,
				.leaves = s->leaves };
	}
	for (size_t i = 0; n_all && i < messages->n_links; i++)
		add_apart(w, &messages->links[i], r);
	return kernel_singles_sort(w, err);
}

const struct kernel_single *kernel_singles(const struct kernel_world *w, uint32_t source,
	uint32_t destination, int64_t begin, int64_t until, uint32_t *n)
{
	const struct kernel_single from = {
		.time = begin, .source = source, .destination = destination
	};
	const struct kernel_single to = {
		.time = until, .source = source, .destination = destination
	};
	MER_LOWER_BOUND(i, 0, w->n_singles, m, compare_singles(&w->singles[m], &from) < 0);
	MER_LOWER_BOUND(k, i, w->n_singles, m, compare_singles(&w->singles[m], &to) < 0);
	*n = (uint32_t)(k - i);
	return w->singles ? &w->singles[i] : NULL;
}

static int copy_places(
	struct kernel_world *w, const struct sync_messages *messages, struct mer_err *err)
{
	uint32_t n = messages ? messages->n_places : 0;
	w->places = calloc((size_t)n + 1, sizeof(*w->places));
	if (!w->places)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		const struct sync_place *p = &messages->places[i];
		uint32_t *at = mer_map_put(&w->endpoints, sync_endpoint(p->address, p->port));
		if (!at)
			return mer_fail_nomem(err);
		*at = i + 1;
		w->places[i] = *p;
	}
	return 0;
}

bool kernel_endpoint_text(const struct kernel_world *w, uint32_t endpoint,
	char text[KERNEL_ENDPOINT_BYTES], uint16_t *port)
{
	const uint32_t *at = endpoint ? mer_map_get(&w->endpoints, endpoint) : NULL;
	if (!at || !*at)
		return false;
	const struct sync_place *p = &w->places[*at - 1];
	*port = p->port;
	snprintf(text, KERNEL_ENDPOINT_BYTES, "%u.%u.%u.%u:%u", p->address >> 24,
		p->address >> 16 & 255, p->address >> 8 & 255, p->address & 255, p->port);
	return true;
}

struct timed { /* an end with what it is sorted by */
	int64_t time;
	uint32_t stream;
	struct kernel_end end;
};

static int compare_timed(const void *a, const void *b)
{
	const struct timed *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	return (p->end.packet > q->end.packet) - (p->end.packet < q->end.packet);
}

static int sort_one_way(
	const struct kernel_world *w, struct kernel_end *ends, size_t n, struct mer_err *err)
{
	const struct kernel_bridge *packets = w->bridges;
	size_t in_order = 1;
	while (in_order < n && kernel_end_compare(packets, ends[in_order - 1], ends[in_order]) <= 0)
		in_order++;
	if (in_order >= n)
		return 0;
	struct timed *timed = mer_spill_array(w->spill, n, sizeof(*timed));
	if (!timed)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		timed[i] = (struct timed){ kernel_end_time(packets, ends[i]),
			kernel_end_stream(packets, ends[i]), ends[i] };
	bool ok = mer_sort(w->spill, timed, n, sizeof(*timed), compare_timed);
	for (size_t i = 0; i < n; i++)
		ends[i] = timed[i].end;
	mer_spill_release(timed);
	return ok ? 0 : mer_fail_nomem(err);
}

/* The ends of a host, of which the first n_sent are those of packets that it sent: both parts are
 * in order, or nearly so. */
static int sort_ends(const struct kernel_world *w, struct kernel_end **ends, size_t n_sent,
	size_t n, struct mer_err *err)
{
	const struct kernel_bridge *packets = w->bridges;
	struct kernel_end *sent = *ends, *received = *ends + n_sent;
	int rc = sort_one_way(w, sent, n_sent, err);
	if (rc == 0)
		rc = sort_one_way(w, received, n - n_sent, err);
	if (rc)
		return rc;
	struct kernel_end *to = mer_spill_array(w->spill, n + 1, sizeof(*to));
	if (!to)
		return mer_fail_nomem(err);
	size_t s = 0, r = 0;
	while (s + r < n) {
		bool is_send =
			r == n - n_sent ||
			(s < n_sent && kernel_end_compare(packets, sent[s], received[r]) <= 0);
		to[s + r] = is_send ? sent[s] : received[r];
		s += is_send;
		r += !is_send;
	}
	mer_spill_release(*ends);
	*ends = to;
	return 0;
}

static int collect_ends(struct builder *b, struct mer_err *err)
{
	struct kernel_world *w = b->w;
	size_t *n_sent = calloc((size_t)w->n_hosts + 1, sizeof(*n_sent));
	int rc = 0;
	b->ends = calloc((size_t)w->n_hosts + 1, sizeof(struct kernel_end *));
	b->n_ends = calloc((size_t)w->n_hosts + 1, sizeof(*b->n_ends));
	if (!b->ends || !b->n_ends || !n_sent) {
		free(n_sent);
		return mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		b->n_ends[w->bridges[i].from.host]++;
		b->n_ends[w->bridges[i].to.host]++;
	}
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++) {
		b->ends[i] = mer_spill_array(w->spill, b->n_ends[i] + 1, sizeof(**b->ends));
		rc = b->ends[i] ? 0 : mer_fail_nomem(err);
		b->n_ends[i] = 0;
	}
	for (uint32_t i = 0; i < w->n_bridges && rc == 0; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		b->ends[p->from.host][b->n_ends[p->from.host]++] =
			(struct kernel_end){ i & INT32_MAX, true };
	}
	for (uint32_t i = 0; i < w->n_hosts; i++)
		n_sent[i] = b->n_ends[i];
	for (uint32_t i = 0; i < w->n_bridges && rc == 0; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		b->ends[p->to.host][b->n_ends[p->to.host]++] =
			(struct kernel_end){ i & INT32_MAX, false };
	}
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = sort_ends(w, &b->ends[i], n_sent[i], b->n_ends[i], err);
	free(n_sent);
	return rc;
}

/* ---- hosts ---- */

static int open_cursor(
	const struct builder *b, uint32_t host, struct mer_cursor **c, struct mer_err *err)
{
	const struct trace_reading *reading = kernel_layouts_reading(b->layouts);
	return trace_cursor_of_host(b->w->e, reading, host, c, err);
}

/* Does each host have two threads? */
static bool reads_ahead(const struct builder *b)
{
	return b->o->n_threads / 2 >= b->w->n_hosts && trace_files_stay(b->w->e);
}

static int run_batches(const struct builder *b, struct trace_read_ahead *a, struct kernel_model *m,
	struct mer_err *err)
{
	uint64_t reported = 0;
	int rc = 0;
	while (rc == 0) {
		struct trace_ahead_batch batch;
		if (mer_cancelled(b->o->cancel)) {
			rc = mer_fail(err, MER_ERR_CANCELLED, "cancelled");
			break;
		}
		rc = trace_read_ahead_next(a, &batch, err);
		if (rc || batch.n == 0)
			break;
		rc = kernel_model_run(m, batch.events, batch.n, err);
		if (b->o->done_bytes)
			atomic_fetch_add_explicit(
				b->o->done_bytes, batch.bytes - reported, memory_order_relaxed);
		reported = batch.bytes;
	}
	return rc;
}

static int read_events(
	const struct builder *b, uint32_t host, struct kernel_model *m, struct mer_err *err)
{
	struct mer_cursor *c;
	struct trace_read_ahead *a = NULL;
	int rc = open_cursor(b, host, &c, err);
	if (rc)
		return rc;
	rc = trace_read_ahead_start(c, reads_ahead(b), &a, err);
	if (rc == 0)
		rc = run_batches(b, a, m, err);
	trace_read_ahead_stop(a);
	trace_cursor_free_to(c, &b->found[host].diags);
	return rc;
}

/* As if they were read: progress is a share of all. */
static void skip_bytes(const struct builder *b, uint32_t host)
{
	const struct mer_experiment *e = b->w->e;
	uint64_t bytes = 0;
	for (uint32_t i = 0; b->o->done_bytes && i < e->n_streams; i++)
		if (e->traces[e->streams[i].trace].host == host)
			bytes += e->streams[i].bytes;
	if (bytes)
		atomic_fetch_add_explicit(b->o->done_bytes, bytes, memory_order_relaxed);
}

/* When the host was recorded, and what of that is missing. */
static int find_recorded(const struct builder *b, uint32_t host, struct kernel_model_input *in,
	struct kernel_losses *losses, struct mer_err *err)
{
	struct kernel_world *w = b->w;
	int64_t begin, end;
	int rc = kernel_recorded_find(w->e, host, b->all, &begin, &end, err);
	if (rc == 0)
		rc = kernel_losses_find(w->e, host, b->switches, losses, err);
	in->begin = begin == MER_NO_TIME ? 0 : begin;
	in->end = end == MER_NO_TIME ? 0 : end;
	return rc;
}

static int run_model(
	struct builder *b, uint32_t host, const struct kernel_model_input *in, struct mer_err *err)
{
	struct kernel_model *m = NULL;
	struct kernel_host *h = &b->w->hosts[host];
	int rc = kernel_model_new(in, h, &m, err);
	if (rc == 0)
		rc = read_events(b, host, m, err);
	if (rc == 0)
		rc = kernel_model_finish(m, err);
	kernel_model_free(m);
	if (h->guest)
		kernel_guest_sort_moves(h->guest);
	kernel_span_log_finish(&h->log);
	return rc;
}

static int build_host(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	struct builder *b = ctx;
	struct kernel_world *w = b->w;
	struct kernel_losses losses = { .begin = MER_NO_TIME };
	(void)worker;
	if (b->o->unread && b->o->unread[i]) {
		skip_bytes(b, (uint32_t)i);
		return 0;
	}
	struct kernel_model_input in = { .e = w->e,
		.host = (uint32_t)i,
		.layouts = b->layouts,
		.losses = &losses,
		.packets = w->bridges,
		.ends = b->ends[i],
		.n_ends = b->n_ends[i],
		.has_losses = b->has_losses,
		.observer = b->o->observers ? &b->o->observers[i] : NULL };
	int rc = find_recorded(b, (uint32_t)i, &in, &losses, err);
	if (rc == 0 && losses.begin != MER_NO_TIME)
		rc = run_model(b, (uint32_t)i, &in, err);
	kernel_losses_fini(&losses);
	return rc;
}

static int begin_found(struct builder *b, struct mer_err *err)
{
	b->found = calloc((size_t)b->w->n_hosts + 1, sizeof(*b->found));
	for (uint32_t i = 0; b->found && i < b->w->n_hosts; i++) {
		mer_arena_init(&b->found[i].arena);
		mer_diags_init(&b->found[i].diags, &b->found[i].arena);
	}
	return b->found ? 0 : mer_fail_nomem(err);
}

/* Host by host, so that the order is the same for any number of threads. */
static void end_found(struct builder *b)
{
	for (uint32_t i = 0; b->found && i < b->w->n_hosts; i++) {
		mer_diags_merge_new(&b->w->e->diags, &b->found[i].diags);
		mer_diags_fini(&b->found[i].diags);
		mer_arena_fini(&b->found[i].arena);
	}
	free(b->found);
}

/* ---- virtual machines ---- */

static int read_vcpus(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	struct builder *b = ctx;
	struct kernel_losses losses = { .begin = MER_NO_TIME };
	(void)worker;
	if (!kernel_vcpus_are_recorded(b->w->e, (uint32_t)i, b->vms))
		return 0;
	int rc = kernel_losses_find(b->w->e, (uint32_t)i, b->switches, &losses, err);
	if (rc == 0 && losses.begin != MER_NO_TIME)
		rc = kernel_vcpus_read(
			b->w->e, (uint32_t)i, b->vms, &losses, b->o->cancel, &b->w->vcpus[i], err);
	kernel_losses_fini(&losses);
	return rc;
}

/* Ahead of the models: those of guests need it. */
static int find_vms(
	struct builder *b, uint64_t wants, const struct sync_result *r, struct mer_err *err)
{
	struct kernel_world *w = b->w;
	bool has_guests = r && r->n_vms && !b->o->no_guests;
	if (!(wants & KERNEL_WANT_VMS) && !has_guests)
		return 0;
	int rc = kernel_vcpus_reading_new(w->e, &b->vms, err);
	if (rc == 0) {
		w->vcpus = calloc((size_t)w->n_hosts + 1, sizeof(*w->vcpus));
		rc = w->vcpus ? 0 : mer_fail_nomem(err);
	}
	if (rc == 0)
		rc = mer_pool_run(b->o->n_threads, w->n_hosts, read_vcpus, b, b->o->cancel, err);
	struct kernel_guest **guests =
		rc ? NULL : calloc((size_t)w->n_hosts + 1, sizeof(struct kernel_guest *));
	if (!guests)
		return rc ? rc : mer_fail_nomem(err);
	rc = kernel_guests_find(w->e, w->vcpus, r, b->o->cancel, guests, err);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		w->hosts[i].guest = guests[i];
	free(guests);
	return rc;
}

/* Ahead of the models, whose observers want it. */
static int find_mpi(
	struct builder *b, uint64_t wants, const struct sync_result *r, struct mer_err *err)
{
	struct kernel_world *w = b->w;
	if (!(wants & KERNEL_WANT_MPI))
		return 0;
	int rc = kernel_mpi_read(w->e, r, b->o->cancel, &w->own_mpi, err);
	w->mpi = w->own_mpi;
	for (uint32_t i = 0; rc == 0 && i < w->n_hosts; i++)
		w->hosts[i].mpi = w->mpi;
	if (rc == 0 && w->mpi)
		mpi_report(w->e, w->mpi->run);
	return rc;
}

/* What makes results worse than they could be. */
static void report_host(struct mer_experiment *e, uint32_t host, const struct kernel_host *h)
{
	struct mer_diag d = { .severity = MER_WARNING,
		.host = e->hosts[host].name,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 1 };
	if (h->n_events == 0)
		return;
	if (trace_has_packets_only(e, host)) {
		d.code = "kernel-only-packets";
		mer_diag_add_once(&e->diags, &d,
			"it is known by a capture of its packets alone: nothing is known of its tasks, CPUs and disks");
		return;
	}
	d.code = "kernel-no-wakeups";
	bool is_lttng = trace_tool_of(e, host) == TRACE_BY_LTTNG;
	if (!h->has_wakeups) {
		char text[200];
		snprintf(text, sizeof(text),
			"no wake-ups were recorded, so what ended a wait is unknown; record sched_waking (%s%ssched_waking)",
			trace_tool_command(trace_tool_of(e, host)), is_lttng ? "" : "sched:");
		mer_diag_add_once(&e->diags, &d, text);
	}
	d.code = "kernel-no-interrupts";
	if (h->has_wakeups && !h->has_interrupts)
		mer_diag_add_once(&e->diags, &d,
			is_lttng
				? "no interrupts were recorded, so the time and wake-ups of some are counted as those of the task that they interrupted; record irq_handler_*, irq_softirq_* and timer_hrtimer_*"
				: "no interrupts were recorded, so the time and wake-ups of some are counted as those of the task that they interrupted; record irq:irq_handler_*, irq:softirq_* and timer:hrtimer_*");
	d.code = "kernel-contradictions";
	d.count = h->n_odd;
	d.severity = h->n_odd > h->n_events / 1000 ? MER_WARNING : MER_NOTE;
	if (h->n_odd)
		mer_diag_add_once(&e->diags, &d,
			"events contradict earlier ones: events are missing that no counter reports as lost; states in between are unknown");
}

static int find_packets(struct builder *b, const struct sync_messages *messages,
	const struct sync_result *r, struct mer_err *err)
{
	int rc = collect_packets(b->w, messages, r, err);
	if (rc == 0)
		rc = copy_places(b->w, messages, err);
	if (rc == 0)
		rc = collect_singles(b->w, messages, r, err);
	return rc ? rc : find_clock_groups(b->w, r, err);
}

int kernel_world_build(struct mer_experiment *e, const struct sync_messages *messages,
	const struct sync_result *r, const struct kernel_world_options *o,
	struct kernel_world **world, struct mer_err *err)
{
	static const struct kernel_world_options defaults = { .n_threads = 1 };
	struct kernel_world *w = calloc(1, sizeof(*w));
	if (!w)
		return mer_fail_nomem(err);
	struct builder b = { .w = w, .o = o ? o : &defaults, .has_losses = trace_has_losses(e) };
	w->e = e;
	w->spill = e->spill;
	w->cancel = b.o->cancel;
	w->hosts = calloc((size_t)e->n_hosts + 1, sizeof(*w->hosts));
	int rc = w->hosts ? 0 : mer_fail_nomem(err);
	for (; rc == 0 && w->n_hosts < e->n_hosts; w->n_hosts++) {
		kernel_host_init_in(&w->hosts[w->n_hosts], e->spill, b.o->forget);
		w->hosts[w->n_hosts].views = b.o->views ? b.o->views[w->n_hosts] : NULL;
	}
	if (rc == 0)
		rc = find_packets(&b, messages, r, err);
	if (b.o->drop)
		sync_messages_free(b.o->drop);
	if (rc == 0)
		rc = collect_ends(&b, err);
	uint64_t wants = b.o->observers && e->n_hosts ? b.o->observers[0].wants : 0;
	if (rc == 0)
		rc = kernel_layouts_new(e,
			(wants & ~(uint64_t)(KERNEL_WANT_VMS | KERNEL_WANT_MPI)) |
				(b.has_losses ? KERNEL_WANT_PACKETS : 0),
			&b.layouts, err);
	if (rc == 0)
		rc = kernel_switch_reading_new(e, &b.switches, err);
	if (rc == 0)
		rc = kernel_recorded_reading_new(e, &b.all, err);
	if (rc == 0)
		rc = find_vms(&b, wants, r, err);
	if (rc == 0)
		rc = find_mpi(&b, wants, r, err);
	if (rc == 0)
		rc = begin_found(&b, err);
	if (rc == 0)
		rc = mer_pool_run(b.o->n_threads, w->n_hosts, build_host, &b, b.o->cancel, err);
	if (rc == 0)
		rc = kernel_relays_find(w->hosts, w->n_hosts, w->vcpus, r, err);
	if (rc == 0 && w->own_mpi)
		rc = kernel_mpi_settle(w->own_mpi, w, err);
	end_found(&b);
	for (uint32_t i = 0; b.ends && i < w->n_hosts; i++)
		mer_spill_release(b.ends[i]);
	free(b.ends);
	free(b.n_ends);
	kernel_layouts_free(b.layouts);
	trace_reading_free(b.switches);
	trace_reading_free(b.all);
	kernel_event_reading_free(b.vms);
	for (uint32_t i = 0; rc == 0 && i < w->n_hosts; i++)
		report_host(e, i, &w->hosts[i]);
	if (rc) {
		kernel_world_free(w);
		return rc;
	}
	*world = w;
	return 0;
}

void kernel_world_free(struct kernel_world *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n_hosts; i++)
		kernel_host_fini(&w->hosts[i]);
	for (uint32_t i = 0; w->vcpus && i < w->n_hosts; i++)
		kernel_vcpus_fini(&w->vcpus[i]);
	free(w->vcpus);
	kernel_mpi_free(w->own_mpi);
	free(w->hosts);
	mer_spill_release(w->bridges);
	mer_spill_release(w->singles);
	free(w->clock_groups);
	mer_map_fini(&w->endpoints);
	free(w->places);
	free(w);
}

uint32_t kernel_find_task(const struct kernel_host *h, int32_t tid, const char *comm, uint32_t from)
{
	for (uint32_t i = from; i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		if (tid >= 0 && t->tid != tid)
			continue;
		if (!comm)
			return i;
		for (uint32_t n = t->name; n != KERNEL_NONE; n = h->renames[n].before)
			if (mer_glob(comm, kernel_name_text(h, h->renames[n].name)))
				return i;
	}
	return KERNEL_NONE;
}
