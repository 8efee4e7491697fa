#include "cli/serve/tables.h"

enum { ROWS = 200 };
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, "--json", NULL })
#define TOP(analysis, title, about)                                                                \
	{                                                                                          \
		.id = "meridian.top." analysis, .name = title, .help = about,                      \
		.words = WORDS("top", analysis), .has_window = true, .limit = ROWS                 \
	}

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
		.table = "waits",
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
		.table = "by_name",
		.has_window = true,
		.limit = ROWS },
	{ .id = "meridian.latency",
		.name = "Latencies between hosts",
		.help = "Messages of each pair of hosts: latency, before and after alignment of clocks; of the whole recording",
		.words = WORDS("latency"),
		.table = "latencies",
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
