/* Dump: our own events in a copy that describe the state of the host, with the names of LTTng's
 * statedump: its tasks, what their descriptors refer to, its disks and interrupts. perf.data has
 * some of it (read_perf.c), copies of /proc have all (proc.h).
 *
 * meridian_statedump_socket is a descriptor with the addresses of its socket, which LTTng does not
 * record; docs/recordings.md has its fields. */
#ifndef MER_FTRACE_DUMP_H
#define MER_FTRACE_DUMP_H

#include <stdint.h>
#include "base/err.h"

enum ftrace_dump_kind {
	FTRACE_DUMP_TASK,      /* tid pid ppid type status, name; ppid -1: not known */
	FTRACE_DUMP_PID_NS,    /* tid vtid vpid ns_inum */
	FTRACE_DUMP_FILE,      /* pid fd, filename */
	FTRACE_DUMP_SOCKET,    /* pid fd family, name, local */
	FTRACE_DUMP_DISK,      /* dev, diskname */
	FTRACE_DUMP_IRQ,       /* irq, action */
	FTRACE_DUMP_INTERFACE, /* name */
	FTRACE_DUMP_CPU,       /* cpu_id physical_id */
	FTRACE_N_DUMPS
};
enum { FTRACE_DUMP_NUMBERS = 5, FTRACE_DUMP_TEXTS = 2 };
/* enum lttng_thread_type, lttng_process_status: the values that are used. */
enum { FTRACE_TASK_OF_USER = 0, FTRACE_TASK_OF_KERNEL = 1 };
enum { FTRACE_STATUS_UNKNOWN = 0, FTRACE_STATUS_ZOMBIE = 4, FTRACE_STATUS_WAIT = 5 };

struct ftrace_dump { /* an event; numbers and texts as its kind has them */
	enum ftrace_dump_kind kind;
	int32_t numbers[FTRACE_DUMP_NUMBERS];
	const char *texts[FTRACE_DUMP_TEXTS]; /* NULL: "" */
};

struct ftrace_stream;
int ftrace_stream_dump(
	struct ftrace_stream *s, uint64_t time, const struct ftrace_dump *d, struct mer_err *err);

#endif
