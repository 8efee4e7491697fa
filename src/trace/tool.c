#include "trace/tool.h"

#include <string.h>

#include "trace/experiment.h"

/* Names of tracers as trace metadata has them, without what follows after a blank (a version). */
static const struct {
	const char *name;
	enum trace_tool tool;
} names[] = {
	{ "perf", TRACE_BY_PERF },
	{ "trace-cmd", TRACE_BY_TRACE_CMD },
	{ "ftrace", TRACE_BY_TRACE_CMD },
};

enum trace_tool trace_tool_of(const struct mer_experiment *e, uint32_t host)
{
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const char *tracer = e->traces[t].tracer;
		size_t len = strcspn(tracer, " ");
		if (e->traces[t].host != host)
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (strlen(names[i].name) == len && memcmp(names[i].name, tracer, len) == 0)
				return names[i].tool;
	}
	return TRACE_BY_LTTNG;
}

const char *trace_tool_command(enum trace_tool tool)
{
	static const char *const commands[TRACE_N_TOOLS] = {
		[TRACE_BY_LTTNG] = "lttng enable-event --kernel ",
		[TRACE_BY_TRACE_CMD] = "trace-cmd record -C mono -e ",
		[TRACE_BY_PERF] = "perf record -a -k CLOCK_MONOTONIC -e ",
	};
	return commands[tool];
}

bool trace_has_packets_only(const struct mer_experiment *e, uint32_t host)
{
	bool any = false;
	for (uint32_t i = 0; i < e->n_traces; i++) {
		if (e->traces[i].host != host)
			continue;
		if (strcmp(e->traces[i].tracer, "pcap") != 0)
			return false;
		any = true;
	}
	return any;
}
