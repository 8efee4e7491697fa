/* Network: packets and bytes by thread, interface and pair of hosts.
 *
 * facts/packet.c says what a packet is. Packets sent or received in an interrupt belong to no
 * task. */
#include "analysis/reports/net.h"

#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "kernel/io_op.h"
#include "kernel/files/files.h"

#define TRAFFIC_COLUMNS                                                                            \
	{ "bytes", NULL, MER_BYTES }, { "sent_packets", "packets sent", MER_COUNT },               \
		{ "sent_bytes", "sent", MER_BYTES },                                               \
		{ "received_packets", "packets received", MER_COUNT },                             \
	{                                                                                          \
		"received_bytes", "received", MER_BYTES                                            \
	}
#define WAY_IS(way_) .where = { "direction", FOLD_IS, (way_), 0 }
#define WAY_CELLS                                                                                  \
	{ "sent_packets", FOLD_COUNT, WAY_IS(NET_SENT) },                                          \
		{ "sent_bytes", FOLD_SUM, .of = "bytes", WAY_IS(NET_SENT) },                       \
		{ "received_packets", FOLD_COUNT, WAY_IS(NET_RECEIVED) },                          \
	{                                                                                          \
		"received_bytes", FOLD_SUM, .of = "bytes", WAY_IS(NET_RECEIVED)                    \
	}
#define TRAFFIC_CELLS { "bytes", FOLD_PLUS, .of = "sent_bytes received_bytes" }, WAY_CELLS

static struct mer_cell *cell_at(const struct mer_table *t, size_t row, const char *key)
{
	size_t column = mer_table_column(t, key);
	return column == SIZE_MAX ? NULL : &t->cells[row * t->n_columns + column];
}

static void forget(const struct mer_table *t, size_t row, const char *key)
{
	struct mer_cell *c = cell_at(t, row, key);
	if (c)
		*c = MER_NONE;
}

/* No packet is empty: if there are packets but no bytes, their events do not record the length. */
static void forget_unknown_bytes(const struct mer_table *t, size_t row)
{
	static const char *const of[][3] = { { "sent_packets", "sent_bytes", "sent_bytes_per_s" },
		{ "received_packets", "received_bytes", "received_bytes_per_s" } };
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct mer_cell *packets = cell_at(t, row, of[i][0]);
		const struct mer_cell *bytes = cell_at(t, row, of[i][1]);
		if (!packets || !bytes || !packets->set || !packets->v.i || bytes->v.i)
			continue;
		forget(t, row, of[i][1]);
		forget(t, row, of[i][2]);
		forget(t, row, "bytes");
	}
}

static int add_unknown(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	(void)run;
	(void)n_seen;
	for (size_t r = 0; r < t->n_rows; r++)
		forget_unknown_bytes(t, r);
	return 0;
}

/* ---- by thread ---- */

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, TRAFFIC_COLUMNS,
	{ "socket_sent_bytes", "to sockets", MER_BYTES },
	{ "socket_received_bytes", "from sockets", MER_BYTES }, { 0 } };

static bool is_of(const struct mer_table *t, size_t row, const char *host)
{
	const struct mer_cell *c = cell_at(t, row, "host");
	return !c || !host || !c->set || strcmp(c->v.text, host) == 0;
}

static bool tells_lengths(const struct mer_table *t, const char *host)
{
	bool any = false;
	for (size_t r = 0; r < t->n_rows && !any; r++) {
		const struct mer_cell *sent = cell_at(t, r, "sent_bytes");
		const struct mer_cell *received = cell_at(t, r, "received_bytes");
		any = is_of(t, r, host) &&
		      ((sent->set && sent->v.i) || (received->set && received->v.i));
	}
	return any;
}

static bool is_nobody(const struct mer_table *t, size_t row)
{
	const struct mer_cell *tid = cell_at(t, row, "tid");
	return tid && !tid->set;
}

/* Packets sent or received in interrupts belong to no task. If a host has such packets, some of
 * them may be those of a task that seems to have none: its 0 becomes unknown. */
static void forget_unknown_packets(const struct mer_table *t)
{
	static const char *const of[][2] = { { "sent_packets", "sent_bytes" },
		{ "received_packets", "received_bytes" } };
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (size_t n = 0; n < t->n_rows; n++) {
			const struct mer_cell *packets = cell_at(t, n, of[i][0]);
			const struct mer_cell *host = cell_at(t, n, "host");
			if (!is_nobody(t, n) || !packets || !packets->set || !packets->v.i)
				continue;
			for (size_t r = 0; r < t->n_rows; r++) {
				const struct mer_cell *own = cell_at(t, r, of[i][0]);
				if (is_nobody(t, r) || !own->set || own->v.i ||
					!is_of(t, r, host && host->set ? host->v.text : NULL))
					continue;
				forget(t, r, of[i][0]);
				forget(t, r, of[i][1]);
			}
		}
}

/* If a host records no lengths, `bytes` is emptied in all of its rows, also where there are no
 * packets: rows with 0 would come before those with unknown bytes. */
static int add_unknown_of_hosts(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	const char *host = NULL;
	bool tells = false;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *c = cell_at(t, r, "host");
		const char *own = c && c->set ? c->v.text : "";
		if (!host || strcmp(host, own) != 0) {
			host = own;
			tells = tells_lengths(t, c && c->set ? own : NULL);
		}
		if (!tells)
			forget(t, r, "bytes");
	}
	forget_unknown_packets(t);
	return add_unknown(run, t, n_seen);
}

#define OF_CALLS(way_) .of = "bytes", .where = { "way", FOLD_IS, (way_), 0 }, .kind = 1
static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_packet, &fact_io },
	.ignores = FOLD_BY_DURATION | FOLD_BY_NAME | FOLD_BY_SIZE,
	.group = "host thread",
	.where = { { "kind", FOLD_IS, KERNEL_OBJECT_SOCKET, 0 },
		{ "way", FOLD_IS_NOT, IO_MOVES_NONE, 0 } },
	.cells = (const struct fold_cell[]){ TRAFFIC_CELLS,
		{ "socket_sent_bytes", FOLD_SUM, OF_CALLS(IO_MOVES_OUT) },
		{ "socket_received_bytes", FOLD_SUM, OF_CALLS(IO_MOVES_IN) }, { 0 } },
	/* for rows whose bytes are equal or not known */
	.order = "-sent_packets -received_packets -socket_sent_bytes host thread",
	.from = "at",
	.to = "at",
	.finish = add_unknown_of_hosts,
};

/* ---- by interface ---- */

static const struct mer_column interfaces_columns[] = { { "host", "host", MER_TEXT },
	{ "interface", "interface", MER_TEXT }, TRAFFIC_COLUMNS,
	{ "link_header_bytes", NULL, MER_BYTES }, { 0 } };
static const struct fold interfaces = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_packet },
	.ignores = FOLD_BY_DURATION,
	.group = "host interface",
	.cells = (const struct fold_cell[]){ TRAFFIC_CELLS,
		{ "link_header_bytes", FOLD_MAX, .of = "link_header_bytes" }, { 0 } },
	.from = "at",
	.to = "at",
	.finish = add_unknown,
};

/* ---- log ---- */

static const struct mer_column log_columns[] = { { "begin", "time", MER_TIME },
	{ "direction", "direction", MER_TEXT }, { "interface", "interface", MER_TEXT },
	{ "bytes", "bytes", MER_BYTES }, { "peer", "peer", MER_TEXT },
	{ "duration_ns", "latency", MER_DURATION }, { "in_interrupt", NULL, MER_COUNT },
	{ "cpu", NULL, MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_packet },
	.cells = (const struct fold_cell[]){ { "begin", FOLD_VALUE, .of = "at" }, { 0 } },
	.value = "at",
	.from = "at",
	.to = "at",
};

/* ---- over time ---- */

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT },
	{ "interface", "interface", MER_TEXT }, { "sent_packets", "packets sent", MER_COUNT },
	{ "received_packets", "packets received", MER_COUNT }, { "sent_bytes", NULL, MER_BYTES },
	{ "received_bytes", NULL, MER_BYTES }, { "sent_bytes_per_s", "sent/s", MER_RATE },
	{ "received_bytes_per_s", "received/s", MER_RATE }, { 0 } };
static const struct fold bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_packet },
	.ignores = FOLD_BY_DURATION,
	.scopes = (const struct fold_scope[]){ { .group = "host interface", .every_bin = true },
		{ 0 } },
	.cells = (const struct fold_cell[]){ WAY_CELLS,
		{ "sent_bytes_per_s", FOLD_PER_SECOND, .of = "sent_bytes" },
		{ "received_bytes_per_s", FOLD_PER_SECOND, .of = "received_bytes" }, { 0 } },
	.from = "at",
	.to = "at",
	.finish = add_unknown,
};

static const struct mer_column task_bins_columns[] = { ANALYSIS_TASK_BINS_COLUMNS,
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "sent_packets", "packets sent", MER_COUNT },
	{ "received_packets", "packets received", MER_COUNT }, { 0 } };
static const struct fold task_bins = {
	.shape = FOLD_BINS,
	.kinds = { &fact_packet },
	.ignores = FOLD_BY_DURATION,
	.scopes = (const struct fold_scope[]){ { .group = "host thread",
						       .busiest = "sent_bytes received_bytes "
								  "sent_packets received_packets" },
		{ 0 } },
	.cells = (const struct fold_cell[]){ WAY_CELLS, { 0 } },
	.order = "thread",
	.from = "at",
	.to = "at",
	.finish = add_unknown,
};

/* ---- the analysis ---- */

enum { TOP, INTERFACES, PAIRS, SOCKETS, LOG, FREQ, STATS, BINS, TASK_BINS };

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Network traffic by thread", top_columns, "bytes", &top },
	[INTERFACES] = { "interfaces", "Network traffic by interface", interfaces_columns,
		.fold = &interfaces },
	[PAIRS] = { "pairs", "Packets between hosts", net_pairs_columns, .fold = &net_pairs },
	[SOCKETS] = { "sockets", "Sockets", net_sockets_columns, "bytes", &net_sockets },
	[LOG] = { "log", "Packets", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "One-way latency of packets", net_freq_columns,
		.fold = &net_pairs_freq },
	[STATS] = { "stats", "One-way latency by pair of hosts", net_stats_columns,
		.fold = &net_pairs_stats },
	[BINS] = { "bins", "Network traffic over time", bins_columns, .fold = &bins },
	[TASK_BINS] = { "bins_tasks", "Network traffic by thread over time", task_bins_columns,
		.fold = &task_bins },
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
	.outputs = outputs,
	.worth = "socket bytes sent_bytes received_bytes duration_ns peer max_ns mean_ns packets "
		 "sent_bytes_per_s "
		 "received_bytes_per_s",
	.charts = charts,
};
