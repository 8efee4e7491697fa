#include "cli/serve/tables.h"

#include "base/table.h"

enum { ROWS = 200 };
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, "--json", NULL })
#define TOP(analysis, title, about)                                                                \
	{                                                                                          \
		.id = "meridian.top." analysis, .name = title, .help = about,                      \
		.words = WORDS("top", analysis), .has_window = true, .limit = ROWS                 \
	}

static const struct mer_column of_waits[] = { { "host", "host", MER_TEXT },
	{ "tid", "tid", MER_ID }, { "comm", "comm", MER_TEXT }, { "kind", "kind", MER_TEXT },
	{ "call", "call", MER_TEXT }, { "object", "object", MER_TEXT },
	{ "cause", "cause", MER_TEXT }, { "by", "by", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "total_ns", "total", MER_DURATION }, { "class", "class", MER_TEXT },
	{ "min_ns", "min", MER_DURATION }, { "max_ns", "max", MER_DURATION },
	{ "mean_ns", "mean", MER_DURATION }, { "runnable_ns", "runnable", MER_DURATION },
	{ "max_at", "max at", MER_TIME }, { 0 } };

static const struct mer_column of_names[] = { { "host", "host", MER_TEXT },
	{ "name", "event", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "percent", "%", MER_RATIO }, { "count_per_s", "per second", MER_COUNT },
	{ "bytes", "size", MER_BYTES }, { 0 } };

#define OF_PAIR(before, title)                                                                     \
	{ before "min_ns", title "min", MER_DURATION },                                            \
		{ before "max_ns", title "max", MER_DURATION },                                    \
		{ before "mean_ns", title "mean", MER_MEAN },                                      \
		{ before "stddev_ns", title "std. dev.", MER_MEAN },                               \
		{ before "p50_ns", title "p50", MER_DURATION },                                    \
		{ before "p90_ns", title "p90", MER_DURATION },                                    \
		{ before "p99_ns", title "p99", MER_DURATION },                                    \
	{                                                                                          \
		before "inversions", title "inversions", MER_COUNT                                 \
	}
static const struct mer_column of_pairs[] = { { "from", "from", MER_TEXT },
	{ "to", "to", MER_TEXT }, { "count", "messages", MER_COUNT }, OF_PAIR("", ""),
	OF_PAIR("before_", "before: "), { "duplicates", "duplicates", MER_COUNT },
	{ "reordered", "reordered", MER_COUNT }, { "unmatched", "unmatched", MER_COUNT }, { 0 } };

const struct server_table cli_serve_tables[] = {
	{ .id = "meridian.summary",
		.name = "Host load",
		.help = "Load of each host: CPUs, tasks, interrupts, disks, network",
		.words = WORDS("summary"),
		.has_window = true },
	{ .id = "meridian.findings",
		.name = "Findings",
		.help = "What stands out, the most important first, and the command that shows more of it",
		.words = WORDS("summary"),
		.table = "findings",
		.has_window = true },
	{ .id = "meridian.requests",
		.name = "Requests",
		.help = "Requests of services by kind: how many, how long",
		.words = WORDS("requests"),
		.table = "kinds",
		.has_window = true,
		.limit = ROWS },
	{ .id = "meridian.blocked",
		.name = "Waits",
		.help = "What tasks waited for, how often and for how long",
		.words = WORDS("blocked", "--flat"),
		.list = "waits",
		.columns = of_waits,
		.has_window = true,
		.limit = ROWS },
	TOP("cpu", "CPU usage by thread", "Which threads used most CPU time"),
	TOP("syscall", "Longest system calls", "The system calls that took longest"),
	TOP("io", "Bytes read and written by thread", "Which threads read and wrote most"),
	TOP("disk", "Disks", "Requests to disks: bytes, latency, queues"),
	TOP("net", "Network by thread", "Which threads sent and received most"),
	TOP("sched", "Scheduling latency", "How long threads were runnable after a wake-up"),
	TOP("irq", "Interrupts", "Duration of interrupts, softirqs and timers"),
	TOP("futex", "Locks", "Which locks tasks waited for, and for how long"),
	{ .id = "meridian.stats",
		.name = "Statistics",
		.help = "Which events were recorded, on which host, and how often",
		.words = WORDS("stats"),
		.list = "by_name",
		.columns = of_names,
		.has_window = true,
		.limit = ROWS },
	{ .id = "meridian.latency",
		.name = "Latencies between hosts",
		.help = "Messages of each pair of hosts: latency, before and after alignment of clocks; of the whole recording",
		.words = WORDS("latency"),
		.list = "latencies",
		.columns = of_pairs,
		.limit = ROWS },
	{ 0 },
};

const struct server_words cli_serve_words = {
	.begin = "--begin",
	.end = "--end",
	.limit = "--limit",
	.events = (const char *const[]){ "events", "--format", "csv", NULL },
	.requests = (const char *const[]){ "requests", "--list", "--json", NULL },
	.kinds = (const char *const[]){ "requests", "--json", "--bins", NULL },
	.summary = WORDS("summary"),
};
