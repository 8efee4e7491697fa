/* Tracing data: formats of all events of a kernel, as trace-cmd and perf keep them in their files.
 *
 *   17 08 44 "tracing" VERSION\0 ORDER LONG page size | header_page, header_event |
 *   ftrace's formats | formats of each system | ...
 *
 * A trace.dat of version 6 begins with it; perf.data has it as a feature section, or as a
 * record. */
#ifndef MER_FTRACE_TRACING_H
#define MER_FTRACE_TRACING_H

#include "base/arena.h"
#include "base/err.h"
#include "ftrace/bytes.h"
#include "ftrace/formats.h"

struct ftrace_tracing {
	const char *version; /* in the data */
	bool is_be;
	unsigned long_bytes; /* of user space; the kernel's are those of commit */
	uint32_t page_bytes;
	struct ftrace_page_layout layout;
	struct ftrace_formats formats;
};

enum { FTRACE_MAGIC_BYTES = 10 };
/* Is this the beginning of tracing data? */
bool ftrace_tracing_is(const void *head, size_t size);

/* Each takes its part from b. The head sets b's byte order; MER_ERR_INPUT: it is not one. The
 * others return false if there is no memory, and set b->ended if the data ends too early. */
int ftrace_tracing_head(struct ftrace_tracing *t, struct ftrace_bytes *b, struct mer_err *err);
void ftrace_tracing_pages(struct ftrace_tracing *t, struct ftrace_bytes *b);
bool ftrace_tracing_formats(
	struct ftrace_tracing *t, struct ftrace_bytes *b, const char *system, struct mer_arena *a);
bool ftrace_tracing_systems(struct ftrace_tracing *t, struct ftrace_bytes *b, struct mer_arena *a);

#endif
