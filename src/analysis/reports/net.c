/* Network: packets and bytes by thread, interface and pair of hosts.
 *
 * Bytes are those of IP and what it carries: the length that is recorded for a packet which is sent has the
 * header of the link layer too, one that is received does not. A packet in an interrupt is put down to
 * nobody: the thread that has the CPU has nothing to do with it. The same packet counts on each interface
 * that it passes. */
#include "analysis/reports/net.h"

#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/busiest.h"
#include "analysis/cells.h"

enum { TOP, INTERFACES, PAIRS, SOCKETS, LOG, FREQ, STATS, BINS, TASK_BINS };

/* ---- while reading ---- */

static int begin(struct analysis_host *a)
{
	struct net_state *s = a->state;
	return analysis_asks(a, BINS) || analysis_asks(a, TASK_BINS)
		       ? analysis_bins_find(a->run, &s->bins, a->err)
		       : 0;
}

/* Its number; KERNEL_NONE: no memory. */
static uint32_t device_of(struct net_state *s, uint32_t name)
{
	uint32_t *at = mer_map_put(&s->device_map, name);
	if (at && *at)
		return *at - 1;
	struct net_device *d =
		at ? mer_grow_at(&s->devices, &s->cap_devices, s->n_devices, sizeof(*d)) : NULL;
	if (!d)
		return KERNEL_NONE;
	d->name = name;
	*at = (uint32_t)++s->n_devices;
	return *at - 1;
}

static struct net_flow *flow_of(struct net_state *s, uint32_t task, uint32_t device)
{
	uint32_t *at = mer_map_put(&s->flow_map, (uint64_t)task << 32 | device);
	if (at && *at)
		return &s->flows[*at - 1];
	struct net_flow *f =
		at ? mer_grow_at(&s->flows, &s->cap_flows, s->n_flows, sizeof(*f)) : NULL;
	if (!f)
		return NULL;
	f->task = task;
	f->device = device;
	*at = (uint32_t)++s->n_flows;
	return f;
}

/* The same of a size. */
static uint32_t size_of(struct net_state *s, const struct kernel_packet_seen *p)
{
	uint32_t *at = mer_map_put(&s->size_map, (uint64_t)p->device << 32 | p->bytes);
	if (at && *at)
		return *at - 1;
	uint32_t device = at ? device_of(s, p->device) : KERNEL_NONE;
	struct net_size *x = device != KERNEL_NONE
				     ? mer_grow_at(&s->sizes, &s->cap_sizes, s->n_sizes, sizeof(*x))
				     : NULL;
	if (!x)
		return KERNEL_NONE;
	*x = (struct net_size){ device, p->bytes };
	*at = (uint32_t)++s->n_sizes;
	return *at - 1;
}

static bool add_end(struct analysis_host *a, const struct kernel_packet_seen *p, uint32_t size)
{
	struct net_state *s = a->state;
	if (p->packet == KERNEL_NONE)
		return true;
	if (!mer_spill_grow(a->run->e->spill, &s->ends, s->n_ends, &s->cap_ends, sizeof(*s->ends)))
		return false;
	s->ends[s->n_ends] = (struct net_end){ p->packet & INT32_MAX, p->is_send, size };
	s->n_ends++;
	return true;
}

static bool add_bin(struct net_state *s, const struct kernel_packet_seen *p, uint32_t flow, int way)
{
	int64_t bin = analysis_bin_of(&s->bins, p->time);
	return bin < 0 || analysis_series_add(&s->series, flow * NET_N_WAYS + (uint32_t)way,
				  (uint32_t)bin, p->bytes, 1);
}

static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	struct analysis_host *a = ctx;
	const struct analysis_options *o = a->run->options;
	struct net_state *s = a->state;
	uint32_t task = p->in_interrupt ? KERNEL_NONE : p->task;
	int way = p->is_send ? NET_SENT : NET_RECEIVED;
	if (!analysis_wants_task(a, h, task) || !analysis_wants_cpu(a, p->cpu))
		return 0;
	uint32_t size = size_of(s, p);
	/* Ends of packets are kept beyond the range: a packet belongs to where it was sent. */
	if (size == KERNEL_NONE || !add_end(a, p, size))
		return mer_fail_nomem(a->err);
	if (!analysis_is_asked(o, p->time))
		return 0;
	uint32_t device = s->sizes[size].device;
	struct net_flow *f = flow_of(s, task, device);
	if (!f || !add_bin(s, p, (uint32_t)(f - s->flows), way))
		return mer_fail_nomem(a->err);
	f->packets[way]++;
	f->bytes[way] += p->bytes;
	if (!analysis_asks(a, LOG))
		return 0;
	struct net_row row = { .row.key = p->time,
		.packet = p->packet,
		.bytes = p->bytes,
		.device = device,
		.task = task,
		.cpu = p->cpu,
		.is_send = p->is_send,
		.in_interrupt = p->in_interrupt };
	/* How long a packet was in flight is known when all hosts are read: none is left out before. */
	bool limited = analysis_limits_durations(o);
	if (limited && p->packet == KERNEL_NONE)
		return 0;
	bool ok = analysis_rows_add(&s->log, &row, sizeof(row), limited ? 0 : o->limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

static void free_state(void *state)
{
	struct net_state *s = state;
	free(s->devices);
	free(s->flows);
	free(s->sizes);
	mer_spill_release(s->ends);
	free(s->sockets);
	mer_map_fini(&s->device_map);
	mer_map_fini(&s->size_map);
	mer_map_fini(&s->flow_map);
	mer_map_fini(&s->socket_map);
	analysis_series_fini(&s->series);
	analysis_rows_fini(&s->log);
}

/* ---- tables of sums ---- */

#define TRAFFIC_COLUMNS                                                                            \
	{ "bytes", NULL, MER_BYTES }, { "sent_packets", "packets sent", MER_COUNT },               \
		{ "sent_bytes", "sent", MER_BYTES },                                               \
		{ "received_packets", "packets received", MER_COUNT },                             \
	{                                                                                          \
		"received_bytes", "received", MER_BYTES                                            \
	}
enum { TRAFFIC_CELLS = 5 };

struct traffic {
	uint64_t packets[NET_N_WAYS], bytes[NET_N_WAYS];
};

static void add_flow(struct traffic *to, const struct net_state *s, const struct net_flow *f)
{
	for (int way = 0; way < NET_N_WAYS; way++) {
		to->packets[way] += f->packets[way];
		to->bytes[way] +=
			net_bytes(&s->devices[f->device], way, f->packets[way], f->bytes[way]);
	}
}

/* No packet is empty: where there are some without any byte, their events do not tell how long they are. */
static struct mer_cell bytes_cell(const struct traffic *x, int way)
{
	return x->packets[way] && !x->bytes[way] ? MER_NONE : MER_INT(x->bytes[way]);
}

static void traffic_cells(const struct traffic *x, struct mer_cell *c)
{
	c[1] = MER_INT(x->packets[NET_SENT]);
	c[2] = bytes_cell(x, NET_SENT);
	c[3] = MER_INT(x->packets[NET_RECEIVED]);
	c[4] = bytes_cell(x, NET_RECEIVED);
	c[0] = c[2].set && c[4].set ? MER_INT(c[2].v.i + c[4].v.i) : MER_NONE;
}

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, TRAFFIC_COLUMNS,
	{ "socket_sent_bytes", "to sockets", MER_BYTES },
	{ "socket_received_bytes", "from sockets", MER_BYTES }, { 0 } };

struct task_traffic {
	struct traffic packets, sockets;
	bool any;
};

static bool tells_lengths(const struct net_state *s)
{
	for (size_t i = 0; i < s->n_flows; i++)
		if (s->flows[i].bytes[NET_SENT] || s->flows[i].bytes[NET_RECEIVED])
			return true;
	return false;
}

static void add_top(struct analysis_run *run, struct mer_table *t, uint32_t host, uint32_t task,
	const struct task_traffic *x, bool has_lengths)
{
	struct mer_cell c[ANALYSIS_TASK_CELLS + TRAFFIC_CELLS + 2];
	if (!x->any)
		return;
	analysis_task_cells(run, host, task, INT64_MAX, c);
	traffic_cells(&x->packets, c + ANALYSIS_TASK_CELLS);
	if (!has_lengths) /* nor of no packets: those would come first */
		c[ANALYSIS_TASK_CELLS] = MER_NONE;
	c[ANALYSIS_TASK_CELLS + TRAFFIC_CELLS] = MER_INT(x->sockets.bytes[NET_SENT]);
	c[ANALYSIS_TASK_CELLS + TRAFFIC_CELLS + 1] = MER_INT(x->sockets.bytes[NET_RECEIVED]);
	mer_table_add(t, c);
}

static int emit_top(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct net_state *s = run->states[host];
		uint32_t n = run->world->hosts[host].n_tasks; /* nobody is the one after them */
		bool has_lengths = tells_lengths(s);
		struct task_traffic *tasks = calloc((size_t)n + 1, sizeof(*tasks));
		if (!tasks)
			return mer_fail_nomem(run->err);
		for (size_t i = 0; i < s->n_flows; i++) {
			const struct net_flow *f = &s->flows[i];
			struct task_traffic *x = &tasks[f->task < n ? f->task : n];
			add_flow(&x->packets, s, f);
			x->any = true;
		}
		for (size_t i = 0; i < s->n_sockets; i++) {
			if (s->sockets[i].is_unix)
				continue;
			struct task_traffic *x =
				&tasks[s->sockets[i].task < n ? s->sockets[i].task : n];
			for (int way = 0; way < NET_N_WAYS; way++)
				x->sockets.bytes[way] += s->sockets[i].bytes[way];
			x->any = true;
		}
		for (uint32_t i = 0; i <= n; i++)
			add_top(run, t, host, i < n ? i : KERNEL_NONE, &tasks[i], has_lengths);
		free(tasks);
	}
	/* Where bytes are equal, or not known. */
	mer_table_sort(t, "socket_sent_bytes", false);
	mer_table_sort(t, "received_packets", false);
	mer_table_sort(t, "sent_packets", false);
	return 0;
}

static const char *device_text(const struct analysis_run *run, uint32_t host, uint32_t device)
{
	const struct net_state *s = run->states[host];
	uint32_t name = s->devices[device].name;
	return name == KERNEL_NONE ? NULL : kernel_name_text(&run->world->hosts[host], name);
}

static const struct mer_column interfaces_columns[] = { { "host", "host", MER_TEXT },
	{ "interface", "interface", MER_TEXT }, TRAFFIC_COLUMNS,
	{ "link_header_bytes", NULL, MER_BYTES }, { 0 } };

static int emit_interfaces(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct net_state *s = run->states[host];
		struct traffic *all = calloc(s->n_devices + 1, sizeof(*all));
		if (!all)
			return mer_fail_nomem(run->err);
		for (size_t i = 0; i < s->n_flows; i++)
			add_flow(&all[s->flows[i].device], s, &s->flows[i]);
		for (size_t i = 0; i < s->n_devices; i++) {
			struct mer_cell c[2 + TRAFFIC_CELLS + 1] = { mer_text(analysis_host_name(
									     run, host)),
				mer_text(device_text(run, host, (uint32_t)i)) };
			traffic_cells(&all[i], c + 2);
			c[2 + TRAFFIC_CELLS] = MER_INT(s->devices[i].header_bytes);
			if (all[i].packets[NET_SENT] + all[i].packets[NET_RECEIVED])
				mer_table_add(t, c);
		}
		free(all);
	}
	return 0;
}

/* ---- log ---- */

static const struct mer_column log_columns[] = { { "begin", "time", MER_TIME },
	{ "direction", "direction", MER_TEXT }, { "interface", "interface", MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "peer", "peer", MER_TEXT },
	{ "duration_ns", "latency", MER_DURATION }, { "in_interrupt", NULL, MER_COUNT },
	{ "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct net_state *)state)->log;
}

static void add_log(
	struct analysis_run *run, struct mer_table *t, uint32_t host, const struct net_row *r)
{
	const struct net_state *s = run->states[host];
	struct mer_cell c[8 + ANALYSIS_TASK_CELLS] = { MER_INT(r->row.key),
		mer_text(r->is_send ? "sent" : "received"),
		mer_text(device_text(run, host, r->device)) };
	if (r->bytes)
		c[3] = MER_INT(net_bytes(
			&s->devices[r->device], r->is_send ? NET_SENT : NET_RECEIVED, 1, r->bytes));
	if (r->packet != KERNEL_NONE) {
		const struct kernel_bridge *p = &run->world->bridges[r->packet];
		c[4] = mer_text(analysis_host_name(run, r->is_send ? p->to.host : p->from.host));
		c[5] = MER_INT(p->to.time - p->from.time);
	}
	c[6] = MER_INT(r->in_interrupt);
	c[7] = MER_INT(r->cpu);
	analysis_task_cells(run, host, r->task, r->row.key, c + 8);
	mer_table_add(t, c);
}

/* As long as was asked for? */
static bool flew(const struct analysis_run *run, uint32_t packet)
{
	const struct kernel_bridge *p = &run->world->bridges[packet];
	int64_t ns = p->to.time - p->from.time;
	return ns >= run->options->min_ns && ns <= run->options->max_ns;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	const struct analysis_options *o = run->options;
	bool limited = analysis_limits_durations(o);
	size_t n;
	struct analysis_row_of *rows =
		limited ? analysis_rows_join_all(run, log_of, sizeof(struct net_row), &n)
			: analysis_rows_join(
				  run, log_of, sizeof(struct net_row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct net_row *r = rows[i].row;
		if (limited && !flew(run, r->packet))
			continue;
		if (limited && o->limit && t->n_rows >= o->limit)
			t->n_left_out++;
		else
			add_log(run, t, rows[i].host, r);
	}
	free(rows);
	return 0;
}

/* ---- bins ---- */

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT },
	{ "interface", "interface", MER_TEXT }, { "sent_packets", "packets sent", MER_COUNT },
	{ "received_packets", "packets received", MER_COUNT }, { "sent_bytes", NULL, MER_BYTES },
	{ "received_bytes", NULL, MER_BYTES }, { "sent_bytes_per_s", "sent/s", MER_RATE },
	{ "received_bytes_per_s", "received/s", MER_RATE }, { 0 } };

static void add_bin_row(struct analysis_run *run, struct mer_table *t, uint32_t host,
	uint32_t device, uint32_t bin, const struct traffic *x)
{
	static const double ns_per_s = 1e9;
	const struct analysis_bins *b = &((const struct net_state *)run->states[host])->bins;
	int64_t from = analysis_bin_edge(b, bin), to = analysis_bin_edge(b, bin + 1);
	double s = (double)analysis_bin_asked(run->options, b, bin) / ns_per_s;
	struct mer_cell c[] = { MER_INT(from), MER_INT(to), mer_text(analysis_host_name(run, host)),
		mer_text(device_text(run, host, device)), MER_INT(x->packets[NET_SENT]),
		MER_INT(x->packets[NET_RECEIVED]), bytes_cell(x, NET_SENT),
		bytes_cell(x, NET_RECEIVED), MER_REAL_CELL((double)x->bytes[NET_SENT] / s),
		MER_REAL_CELL((double)x->bytes[NET_RECEIVED] / s) };
	c[8].set = c[6].set;
	c[9].set = c[7].set;
	mer_table_add(t, c);
}

/* A row for each bin of each device: entries are sorted, and by device and way. */
static int emit_device_bins(struct analysis_run *run, struct mer_table *t, uint32_t host,
	const struct analysis_series *by_device)
{
	const struct net_state *s = run->states[host];
	const struct analysis_series_entry *e = by_device->entries;
	const struct analysis_series_entry *end = e + by_device->n;
	struct traffic *bins = calloc((size_t)s->bins.n + 1, sizeof(*bins));
	if (!bins)
		return mer_fail_nomem(run->err);
	for (uint32_t d = 0; d < s->n_devices; d++) {
		for (uint32_t i = 0; i < s->bins.n; i++)
			bins[i] = (struct traffic){ 0 };
		for (; e < end && e->key / NET_N_WAYS == d; e++) {
			bins[e->bin].packets[e->key % NET_N_WAYS] = (uint64_t)e->b;
			bins[e->bin].bytes[e->key % NET_N_WAYS] = (uint64_t)e->a;
		}
		for (uint32_t i = 0; i < s->bins.n; i++)
			add_bin_row(run, t, host, d, i, &bins[i]);
	}
	free(bins);
	return 0;
}

/* Bytes of an entry of a flow, without headers. */
static int64_t entry_bytes(const struct net_state *s, const struct analysis_series_entry *e)
{
	const struct net_flow *f = &s->flows[e->key / NET_N_WAYS];
	int way = (int)(e->key % NET_N_WAYS);
	return (int64_t)net_bytes(&s->devices[f->device], way, (uint64_t)e->b, (uint64_t)e->a);
}

static int emit_bins(struct analysis_run *run, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t host = 0; host < run->e->n_hosts && rc == 0; host++) {
		const struct net_state *s = run->states[host];
		struct analysis_series by_device = { 0 };
		bool ok = true;
		if (s->bins.n == 0 || s->n_devices == 0)
			continue;
		for (size_t i = 0; i < s->series.n && ok; i++) {
			const struct analysis_series_entry *e = &s->series.entries[i];
			uint32_t device = s->flows[e->key / NET_N_WAYS].device;
			ok = analysis_series_add(&by_device,
				device * NET_N_WAYS + e->key % NET_N_WAYS, e->bin,
				entry_bytes(s, e), e->b);
		}
		analysis_series_sort(&by_device);
		rc = ok ? emit_device_bins(run, t, host, &by_device) : mer_fail_nomem(run->err);
		analysis_series_fini(&by_device);
	}
	return rc;
}

static const struct mer_column task_bins_columns[] = { ANALYSIS_TASK_BINS_COLUMNS,
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "sent_packets", "packets sent", MER_COUNT },
	{ "received_packets", "packets received", MER_COUNT }, { 0 } };

/* As with bytes_cell. */
static void forget_unknown_bytes(struct mer_table *t)
{
	size_t sent = mer_table_column(t, "sent_bytes");
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *c = &t->cells[r * t->n_columns + sent];
		for (size_t way = 0; way < NET_N_WAYS; way++)
			c[way].set &= c[way].v.i || !c[NET_N_WAYS + way].v.i;
	}
}

static int emit_task_bins(struct analysis_run *run, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t host = 0; host < run->e->n_hosts && rc == 0; host++) {
		const struct net_state *s = run->states[host];
		struct analysis_series bytes = { 0 }, packets = { 0 };
		struct analysis_series *const series[] = { &bytes, &packets };
		bool ok = true;
		if (s->bins.n == 0)
			continue;
		for (size_t i = 0; i < s->series.n && ok; i++) {
			const struct analysis_series_entry *e = &s->series.entries[i];
			uint32_t key = s->flows[e->key / NET_N_WAYS].task + 1; /* NONE: 0 */
			bool is_sent = e->key % NET_N_WAYS == NET_SENT;
			int64_t n = entry_bytes(s, e);
			ok = analysis_series_add(
				     &bytes, key, e->bin, is_sent ? n : 0, is_sent ? 0 : n) &&
			     analysis_series_add(
				     &packets, key, e->bin, is_sent ? e->b : 0, is_sent ? 0 : e->b);
		}
		rc = ok ? analysis_task_bins(run, t, host, &s->bins, series, 2)
			: mer_fail_nomem(run->err);
		analysis_series_fini(&bytes);
		analysis_series_fini(&packets);
	}
	forget_unknown_bytes(t);
	return rc;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = net_learn_headers(run);
	if (rc)
		return rc;
	switch (output) {
	case TOP: return emit_top(run, t);
	case INTERFACES: return emit_interfaces(run, t);
	case PAIRS: return net_emit_pairs(run, t, NET_PAIRS);
	case SOCKETS: net_emit_sockets(run, t); return 0;
	case LOG: return emit_log(run, t);
	case FREQ: return net_emit_pairs(run, t, NET_PAIRS_FREQ);
	case STATS: return net_emit_pairs(run, t, NET_PAIRS_STATS);
	case BINS: return emit_bins(run, t);
	default: return emit_task_bins(run, t);
	}
}

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Network traffic by thread", top_columns, .sort = "bytes" },
	[INTERFACES] = { "interfaces", "Network traffic by interface", interfaces_columns,
		.sort = NULL },
	[PAIRS] = { "pairs", "Packets between hosts", net_pairs_columns, .sort = NULL },
	[SOCKETS] = { "sockets", "Sockets", net_sockets_columns, .sort = "bytes" },
	[LOG] = { "log", "Packets", log_columns, .sort = NULL },
	[FREQ] = { "freq", "One-way latency of packets", net_freq_columns, .sort = NULL },
	[STATS] = { "stats", "One-way latency by pair of hosts", net_stats_columns, .sort = NULL },
	[BINS] = { "bins", "Network traffic over time", bins_columns, .sort = NULL },
	[TASK_BINS] = { "bins_tasks", "Network traffic by thread over time", task_bins_columns,
		.sort = NULL },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Network: sent", .y = "sent", .keys = "sent_bytes_per_s", .summary = true },
	{ .title = "Network: received", .y = "received", .keys = "received_bytes_per_s" },
	{ .title = "Network: packets sent",
		.y = "per second",
		.keys = "sent_packets",
		.per = "time" },
	{ .title = "Network: packets received",
		.y = "per second",
		.keys = "received_packets",
		.per = "time" },
	{ .title = "Network: sent by thread",
		.table = "bins_tasks",
		.y = "sent",
		.keys = "sent_bytes",
		.per = "time" },
	{ .title = "Network: received by thread",
		.table = "bins_tasks",
		.y = "received",
		.keys = "received_bytes",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_net = {
	.id = "net",
	.title = "Network",
	.help = "packets and bytes by thread, interface, socket and pair of hosts",
	.wants = KERNEL_WANT_PACKETS,
	.messages = true,
	.by_duration = 1u << LOG | 1u << FREQ | 1u << STATS,
	.outputs = outputs,
	.worth = "socket bytes sent_bytes received_bytes duration_ns peer max_ns avg_ns packets "
		 "sent_bytes_per_s "
		 "received_bytes_per_s",
	.charts = charts,
	.state_size = sizeof(struct net_state),
	.on = { .packet = on_packet, .call = net_on_call },
	.begin = begin,
	.emit = emit,
	.free_state = free_state,
};
