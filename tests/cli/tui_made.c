#include "tui_made.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lanes ---- */

struct made_span { /* in us */
	uint32_t begin, end, task;
	uint8_t state, cause;
};
struct made_lane {
	const char *name;
	struct made_span spans[8];
};

/* Numbers of tasks: 1 srv/10, 2 srv/11, 3 job/20, 1 (of b) evil/30. srv/10 waits for the network
 * from 2 to 6 ms. */
static const struct made_lane lanes[] = {
	{ "c:0:0", { { 0, 2000, 1, KERNEL_USER, 0 }, { 6000, 8000, 1, KERNEL_SYSCALL, 0 },
			   { 8000, 10000, 3, KERNEL_USER, 0 } } },
	{ "c:0:1", { { 1000, 9000, 2, KERNEL_USER, 0 } } },
	{ "c:1:0", { { 3000, 5000, 1, KERNEL_USER, 0 } } },
	{ "t:0:1", { { 0, 2000, UINT32_MAX, KERNEL_USER, 0 },
			   { 2000, 6000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_NETWORK },
			   { 6000, 8000, UINT32_MAX, KERNEL_SYSCALL, 0 },
			   { 8000, 10000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_TIMER } } },
	{ "t:0:2", { { 1000, 9000, UINT32_MAX, KERNEL_USER, 0 } } },
	{ "t:0:3", { { 0, 8000, UINT32_MAX, KERNEL_RUNNABLE, 0 },
			   { 8000, 10000, UINT32_MAX, KERNEL_USER, 0 } } },
	{ "t:1:1", { { 0, 3000, UINT32_MAX, KERNEL_UNKNOWN, 0 },
			   { 3000, 5000, UINT32_MAX, KERNEL_USER, 0 },
			   { 5000, 10000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_DISK } } },
};

static void put_u32(struct mer_str *out, uint32_t v)
{
	v = htole32(v);
	mer_str_add(out, (const char *)&v, sizeof(v));
}
static void put_i64(struct mer_str *out, int64_t v)
{
	uint64_t u = htole64((uint64_t)v);
	mer_str_add(out, (const char *)&u, sizeof(u));
}

static int64_t number_of(const char *target, const char *key)
{
	const char *at = strstr(target, key);
	return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* Those whose names are asked for, cut to the window, as the server does it. */
static void put_lanes(const char *target, struct mer_str *out)
{
	struct made_span spans[200];
	uint32_t first[100] = { 0 };
	size_t n = 0, n_lanes = 0;
	int64_t begin = number_of(target, "begin="), end = number_of(target, "end=");
	const char *list = strstr(target, "lanes=");
	while ((list = strpbrk(list, "ct"))) {
		char name[16];
		unsigned host, number;
		int len = 0;
		if (sscanf(list + 1, "%%3A%u%%3A%u%n", &host, &number, &len) != 2 || !len) {
			list++;
			continue;
		}
		snprintf(name, sizeof(name), "%c:%u:%u", *list, host, number);
		list += len;
		for (size_t i = 0; i < sizeof(lanes) / sizeof(*lanes); i++)
			for (size_t k = 0; strcmp(lanes[i].name, name) == 0 && k < 8; k++) {
				struct made_span s = lanes[i].spans[k];
				int64_t b = MADE_BEGIN + 1000 * (int64_t)s.begin;
				int64_t e = MADE_BEGIN + 1000 * (int64_t)s.end;
				b = b < begin ? begin : b;
				e = e > end ? end : e;
				s.begin = (uint32_t)(b - begin);
				s.end = (uint32_t)(e - begin);
				if (lanes[i].spans[k].end && b < e)
					spans[n++] = s;
			}
		first[++n_lanes] = (uint32_t)n;
	}
	mer_str_puts(out, "MLN1");
	put_u32(out, (uint32_t)n_lanes);
	put_u32(out, (uint32_t)n);
	put_u32(out, 0);
	put_i64(out, begin);
	put_i64(out, 1);
	for (size_t i = 0; i <= n_lanes; i++)
		put_u32(out, first[i]);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].begin);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].end);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].task);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)spans[i].state);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)spans[i].cause);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)255);
}

/* ---- Tables ---- */

/* Columns, and tables, of paths. */
#define WHO(key, type)                                                                             \
	"{\"key\":\"" key "\",\"title\":\"" key "\",\"type\":\"" type "\",\"unit\":null}"
#define WHEN(key) "{\"key\":\"" key "\",\"title\":\"" key "\",\"type\":\"time\",\"unit\":\"ns\"},"
#define WHOLE(ns)                                                                                  \
	"{\"id\":\"path\",\"title\":null,\"columns\":[],\"rows\":[{\"total_ns\":" ns "}]},"
#define SEGMENTS                                                                                   \
	"{\"id\":\"segments\",\"title\":null,\"columns\":[" WHEN("begin") WHEN("end")              \
		WHO("host", "text") "," WHO("tid", "id") "," WHO("comm", "text") "," WHO(          \
			"state", "text") "," WHO("cause", "text") "," WHO("detail", "text") "],"

static const struct {
	const char *target, *answer; /* target: how it begins */
} answers[] = {
	{ "api/status",
		"{\"begin\":1000000000000000000,\"end\":1000000000009999999,\"reference\":\"a\","
		"\"hosts_unsynchronized\":0}" },
	{ "api/tasks",
		"{\"hosts\":[{\"name\":\"a\",\"cpus\":[0,1],\"tasks\":["
		"{\"task\":1,\"tid\":10,\"pid\":10,\"comm\":\"srv\",\"begin\":1000000000000000000,\"end\":1000000000009999999},"
		"{\"task\":2,\"tid\":11,\"pid\":10,\"comm\":\"srv-io\",\"begin\":1000000000000000000,\"end\":1000000000009999999},"
		"{\"task\":3,\"tid\":20,\"pid\":20,\"comm\":\"job\",\"begin\":1000000000000000000,\"end\":1000000000009999999},"
		"{\"task\":4,\"tid\":21,\"pid\":21,\"comm\":\"idler\",\"begin\":1000000000000000000,\"end\":1000000000009999999}]},"
		"{\"name\":\"b\",\"cpus\":[0],\"tasks\":["
		"{\"task\":1,\"tid\":30,\"pid\":30,\"comm\":\"evil\\u001b[2J\\u009b\\u202e\\u4e2d\",\"begin\":1000000000000000000,\"end\":1000000000009999999}]}]}" },
	{ "api/run?w=top&w=cpu&w=--limit&w=0&",
		"{\"tables\":[{\"id\":\"top\",\"columns\":[],\"rows\":["
		"{\"host\":\"a\",\"tid\":10,\"self_ns\":4000000},{\"host\":\"a\",\"tid\":11,\"self_ns\":8000000},"
		"{\"host\":\"a\",\"tid\":20,\"self_ns\":2000000},{\"host\":\"b\",\"tid\":30,\"self_ns\":2000000}]}]}" },
	{ "api/run?w=top&w=disk&",
		"{\"tables\":[{\"id\":\"bins\",\"columns\":[],\"rows\":["
		"{\"host\":\"a\",\"disk\":\"vda\",\"begin\":1000000000005000000,\"end\":1000000000005100000,\"in_flight\":0.9,\"queued\":0}]}]}" },
	{ "api/run?w=stats&w=--limit&w=0&",
		"{\"losses\":[{\"host\":\"b\",\"path\":\"b/ch_0\",\"begin\":1000000000006000000,\"end\":1000000000007000000}],"
		"\"by_stream\":[{\"host\":\"b\",\"path\":\"b/ch_0\",\"cpu\":0}]}" },
	{ "api/run?w=summary&",
		"{\"tables\":[{\"id\":\"findings\",\"columns\":["
		"{\"key\":\"rule\",\"title\":null,\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"host\",\"title\":\"host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"finding\",\"title\":\"finding\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"next\",\"title\":null,\"type\":\"text\",\"unit\":null}],"
		"\"rows\":[{\"rule\":\"network-latency\",\"host\":\"a\",\"finding\":\"tasks waited 4.00 ms for packets in flight\",\"next\":\"meridian latency 'my trace'\"},"
		"{\"rule\":\"x\",\"host\":null,\"finding\":\"clocks are as recorded\",\"next\":\"meridian sync 'my trace'\"}]},"
		"{\"id\":\"hosts\",\"title\":\"Host load\",\"columns\":["
		"{\"key\":\"host\",\"title\":\"host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"cpus\",\"title\":\"CPUs\",\"type\":\"count\",\"unit\":null},"
		"{\"key\":\"cpu_percent\",\"title\":\"busy\",\"type\":\"ratio\",\"unit\":\"percent\"}],"
		"\"rows\":[{\"host\":\"a\",\"cpus\":2,\"cpu_percent\":70.25},{\"host\":\"b\",\"cpus\":1,\"cpu_percent\":20}]},"
		"{\"id\":\"waits\",\"title\":\"Waits by cause\",\"columns\":["
		"{\"key\":\"cause\",\"title\":\"cause\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"host\",\"title\":\"host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"max_ns\",\"title\":\"longest\",\"type\":\"duration\",\"unit\":\"ns\"},"
		"{\"key\":\"tid\",\"title\":null,\"type\":\"id\",\"unit\":null},"
		"{\"key\":\"max_at\",\"title\":null,\"type\":\"time\",\"unit\":\"ns\"}],"
		"\"rows\":[{\"cause\":\"network\",\"host\":\"a\",\"max_ns\":4000000,\"tid\":10,\"max_at\":1000000000002000000}]}],"
		"\"diagnostics\":[{\"severity\":\"warning\",\"host\":\"b\",\"message\":\"the tracer discarded 7 events\"},"
		"{\"severity\":\"note\",\"host\":\"b\",\"message\":\"not of interest\"}]}" },
	/* job/20 is runnable behind who has CPU 1. */
	{ "api/run?w=path&w=--tid&w=20&",
		"{\"begin\":1000000000000000000,\"end\":1000000000008000000,\"tables\":[" WHOLE(
			"8000000") SEGMENTS
		"\"rows\":[{\"begin\":1000000000000000000,\"end\":1000000000000500000,\"host\":\"a\",\"tid\":20,\"comm\":\"job\",\"state\":\"user\",\"cause\":\"running\",\"detail\":\"no task/10\"},"
		"{\"begin\":1000000000000500000,\"end\":1000000000008000000,\"host\":\"a\",\"tid\":20,\"comm\":\"job\",\"state\":\"runnable\",\"cause\":\"preempted\",\"detail\":\"srv-io/11\"}]}]}" },
	{ "api/run?w=path&",
		"{\"begin\":1000000000002000000,\"end\":1000000000006000000,\"tables\":[" WHOLE(
			"4000000") SEGMENTS
		"\"rows\":[{\"begin\":1000000000002000000,\"end\":1000000000003000000,\"host\":\"a\",\"tid\":10,\"comm\":\"srv\",\"state\":\"blocked\",\"cause\":\"network\"},"
		"{\"begin\":1000000000003000000,\"end\":1000000000005000000,\"host\":\"b\",\"tid\":30,\"comm\":\"evil\",\"state\":\"user\",\"cause\":\"running\"},"
		"{\"begin\":1000000000005000000,\"end\":1000000000006000000,\"host\":\"a\",\"tid\":null,\"comm\":null,\"state\":\"blocked\",\"cause\":\"network\"}]},"
		"{\"id\":\"by_task\",\"title\":null,\"columns\":[" WHO("host", "text") "," WHO(
			"tid", "id") "," WHO("comm",
			"text") ","
				"{\"key\":\"total_ns\",\"title\":\"total\",\"type\":\"duration\",\"unit\":\"ns\"}],"
				"\"rows\":[{\"host\":\"b\",\"tid\":30,\"comm\":\"evil\",\"total_ns\":2000000}]},"
				"{\"id\":\"links\",\"title\":null,\"columns\":[],\"rows\":[{\"from_host\":\"b\",\"from_tid\":30,\"from_time\":1000000000005000000,"
				"\"to_host\":\"a\",\"to_tid\":10,\"to_time\":1000000000006000000,\"kind\":\"network\"}]}]}" },
	/* Nothing is known of CPU 1 of a, but what its lane says. */
	{ "api/run?w=top&w=cpu&w=--table&w=cpus&",
		"{\"tables\":[{\"id\":\"cpus\",\"columns\":[],\"rows\":["
		"{\"host\":\"a\",\"cpu\":0,\"idle_ns\":1,\"task_ns\":1},"
		"{\"host\":\"a\",\"cpu\":1,\"idle_ns\":0,\"task_ns\":0},"
		"{\"host\":\"b\",\"cpu\":0,\"idle_ns\":1,\"task_ns\":0}]}]}" },
	{ "api/run?w=log&w=cpu&",
		"{\"tables\":[{\"id\":\"log\",\"title\":\"Time slices on a CPU\",\"columns\":["
		"{\"key\":\"begin\",\"title\":\"begin\",\"type\":\"time\",\"unit\":\"ns\"},"
		"{\"key\":\"duration_ns\",\"title\":\"duration\",\"type\":\"duration\",\"unit\":\"ns\"},"
		"{\"key\":\"host\",\"title\":\"host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"tid\",\"title\":\"tid\",\"type\":\"id\",\"unit\":null}],"
		"\"rows\":[{\"begin\":1000000000006000000,\"duration_ns\":2000000,\"host\":\"a\",\"tid\":10}]}]}" },
	{ "api/run?w=top&w=cpu&",
		"{\"tables\":[{\"id\":\"top\",\"title\":\"CPU usage by thread\",\"columns\":["
		"{\"key\":\"host\",\"title\":\"host\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"tid\",\"title\":\"tid\",\"type\":\"id\",\"unit\":null},"
		"{\"key\":\"comm\",\"title\":\"comm\",\"type\":\"text\",\"unit\":null},"
		"{\"key\":\"self_ns\",\"title\":\"time\",\"type\":\"duration\",\"unit\":\"ns\"},"
		"{\"key\":\"percent\",\"title\":\"%\",\"type\":\"ratio\",\"unit\":\"percent\"}],"
		"\"rows\":[{\"host\":\"a\",\"tid\":11,\"comm\":\"srv-io\",\"self_ns\":8000000,\"percent\":80},"
		"{\"host\":\"a\",\"tid\":10,\"comm\":\"srv\",\"self_ns\":4000000,\"percent\":40.5},"
		"{\"host\":\"b\",\"tid\":30,\"comm\":\"evil\\u001b[2J\",\"self_ns\":2000000,\"percent\":null}]}]}" },
};

static enum tui_asked ask(void *ctx, const char *target, struct mer_str *body)
{
	struct made *m = ctx;
	snprintf(m->asked[m->n_asked++ % 64], sizeof(m->asked[0]), "%s", target);
	if (m->gives_up)
		return TUI_GIVEN_UP;
	if (strncmp(target, "api/lanes", 9) == 0) {
		put_lanes(target, body);
		return TUI_ANSWERED;
	}
	bool refuses = m->refuses && strncmp(target, m->refuses, strlen(m->refuses)) == 0;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers) && !refuses; i++)
		if (strncmp(target, answers[i].target, strlen(answers[i].target)) == 0) {
			mer_str_puts(body, answers[i].answer);
			return TUI_ANSWERED;
		}
	mer_str_puts(body, "{\"error\":\"no such table in this made recording\"}");
	return TUI_REFUSED;
}

struct tui_source made_source(struct made *m)
{
	return (struct tui_source){ ask, m };
}

bool made_was_asked(const struct made *m, const char *begin)
{
	for (size_t i = 0; i < m->n_asked && i < 64; i++)
		if (strncmp(m->asked[i], begin, strlen(begin)) == 0)
			return true;
	return false;
}
