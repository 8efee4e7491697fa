/* Pairs: packets with both ends known, by the hosts that sent and received them. A packet counts
 * once if any of its ends is selected, where and when it was sent; bytes are those of the selected
 * ends. A packet that is sent whole and received in parts, or the other way round, is one packet
 * here, with the bytes of its first part; the table of interfaces counts all parts. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/reports/net.h"

#define PAIR_COLUMNS                                                                               \
	{ "from_host", "from host", MER_TEXT },                                                    \
	{                                                                                          \
		"to_host", "to host", MER_TEXT                                                     \
	}

const struct mer_column net_pairs_columns[] = { PAIR_COLUMNS, { "packets", "packets", MER_COUNT },
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "min_ns", "latency min", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "first", "first", MER_TIME },
	{ "last", "last", MER_TIME }, { 0 } };
const struct mer_column net_stats_columns[] = { PAIR_COLUMNS, ANALYSIS_STATS_COLUMNS, { 0 } };
const struct mer_column net_freq_columns[] = { PAIR_COLUMNS, ANALYSIS_FREQ_COLUMNS, { 0 } };

#define FIRST_EVENTS                                                                               \
	{ "packet", FOLD_KNOWN, 0, 0 },                                                            \
	{                                                                                          \
		"is_first", FOLD_IS, 1, 0                                                          \
	}
#define ONCE                                                                                       \
	{                                                                                          \
		"packet", FOLD_ONCE, 0, 0                                                          \
	}
#define WAY_BYTES(way_)                                                                            \
	.of = "bytes", .where = { "direction", FOLD_IS, (way_), 0 }, .empty_if_none = true

const struct fold net_pairs = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_packet },
	.group = "from_host to_host",
	.where = { FIRST_EVENTS },
	.ignores = FOLD_BY_DURATION,
	.cells = (const struct fold_cell[]){ { "packets", FOLD_COUNT, .where = ONCE },
		{ "sent_bytes", FOLD_SUM, WAY_BYTES(NET_SENT) },
		{ "received_bytes", FOLD_SUM, WAY_BYTES(NET_RECEIVED) },
		{ "min_ns", FOLD_MIN, .of = "duration_ns", .where = ONCE },
		{ "max_ns", FOLD_MAX, .of = "duration_ns", .where = ONCE },
		{ "mean_ns", FOLD_MEAN, .of = "duration_ns", .where = ONCE },
		{ "first", FOLD_FIRST, .of = "packet" }, { "last", FOLD_LAST, .of = "packet" },
		{ 0 } },
	.is_fixed = true,
	.order = "first from_host to_host",
};
const struct fold net_pairs_stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_packet },
	.group = "from_host to_host",
	.where = { FIRST_EVENTS, ONCE },
	.cells = (const struct fold_cell[]){ FOLD_STATS("duration_ns"), { 0 } },
	.is_fixed = true,
	.order = "first from_host to_host",
};
const struct fold net_pairs_freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_packet },
	.group = "from_host to_host",
	.where = { FIRST_EVENTS, ONCE },
	.value = "duration_ns",
	.is_fixed = true,
	.order = "first from_host to_host",
};
