/* Tool: what a host's kernel was recorded with, and how one types there what else to record. */
#ifndef MER_TRACE_TOOL_H
#define MER_TRACE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

struct mer_experiment;

enum trace_tool { TRACE_BY_LTTNG, TRACE_BY_TRACE_CMD, TRACE_BY_PERF, TRACE_N_TOOLS };

/* By the environment of the host's traces; LTTng where that says nothing else. */
enum trace_tool trace_tool_of(const struct mer_experiment *e, uint32_t host);
/* Are there captures of the host's packets, and nothing else? */
bool trace_has_packets_only(const struct mer_experiment *e, uint32_t host);
/* The command, up to the names of events, which follow with commas between them; with the clock
 * that fits other hosts. */
const char *trace_tool_command(enum trace_tool tool);

#endif
