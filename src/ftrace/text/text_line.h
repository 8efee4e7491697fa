/* Lines of ftrace's text, as `cat trace`, trace_pipe, `trace-cmd report` and `perf script` write
 * them:
 *
 *             sh-330     [001] d..2.    57.332291: sched_switch: prev_comm=...
 *             sh-330     (  330) [001] d..2.    57.332291: sched_switch: ...      record-tgid
 *             sh-330     [001]    57.332291: sched_switch:         sh:330 [120] S ==> ...
 *     sh   330/330 [001]    57.332291:       sched:sched_switch: prev_comm=...    perf script
 *     sh-330       1d..2.    57.332291: sched_switch: ...                         latency format
 *
 * The name of a task may have blanks, brackets, dashes and digits; where it ends follows from the
 * text after it. Nothing is copied: results are slices of the line. */
#ifndef MER_FTRACE_TEXT_LINE_H
#define MER_FTRACE_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftrace_line_kind {
	FTRACE_LINE_OTHER,   /* not recognized */
	FTRACE_LINE_BESIDE,  /* a comment, a blank line, a part of a call stack */
	FTRACE_LINE_EVENT,   /* ... of a tracepoint, or of a function tracer */
	FTRACE_LINE_SAMPLE,  /* ... a sample of perf, not of a tracepoint */
	FTRACE_LINE_LOST,    /* "CPU:3 [LOST 123 EVENTS]" */
	FTRACE_LINE_STARTED, /* "##### CPU 2 buffer started ####": earlier events are missing */
};

struct ftrace_slice {
	const char *at;
	size_t len;
};

enum ftrace_time_unit { FTRACE_US, FTRACE_FRACTION, FTRACE_WHOLE };

struct ftrace_line {
	enum ftrace_line_kind kind;
	struct ftrace_slice comm;
	int32_t tid, pid; /* pid: of the process; -1: not given */
	uint32_t cpu;
	uint8_t flags, preempt; /* as common_flags, common_preempt_count */
	uint64_t time;		/* ns */
	enum ftrace_time_unit unit;
	bool is_perf;
	struct ftrace_slice event; /* with its system, if given */
	struct ftrace_slice body;
	uint64_t lost; /* 0: number unknown */
	bool has_time; /* for a loss */
};

void ftrace_line_read(const char *text, size_t len, struct ftrace_line *l);

/* Does a file with this beginning have such lines? is_all: `head` is the whole file. */
bool ftrace_text_is(const char *head, size_t size, bool is_all);

/* The next line of a text, without its end; is_whole: it has one. False: there is none. */
bool ftrace_line_next(const char **at, const char *end, struct ftrace_slice *line, bool *is_whole);

#endif
