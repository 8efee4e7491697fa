/* Tool: the tracer that recorded a host's kernel, and its command to record more events. */
#ifndef MER_TRACE_TOOL_H
#define MER_TRACE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

struct mer_experiment;

enum trace_tool { TRACE_BY_LTTNG, TRACE_BY_TRACE_CMD, TRACE_BY_PERF, TRACE_N_TOOLS };

/* From the environment of the host's traces; LTTng if that does not name another. */
enum trace_tool trace_tool_of(const struct mer_experiment *e, uint32_t host);
/* Does the host have packet captures only? */
bool trace_has_packets_only(const struct mer_experiment *e, uint32_t host);
/* The command up to the list of event names (separated by commas), with the clock option that suits
 * alignment with other hosts. */
const char *trace_tool_command(enum trace_tool tool);

#endif
