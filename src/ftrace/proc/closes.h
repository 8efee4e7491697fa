/* Closes: which descriptors the system calls of a recording may have closed. What a descriptor
 * refers to after a recording it referred to all the time, unless it was closed in between. If it
 * is unknown whether it was closed, it counts as closed. */
#ifndef MER_FTRACE_CLOSES_H
#define MER_FTRACE_CLOSES_H

#include <stdbool.h>
#include "base/map.h"
#include "ftrace/formats.h"

struct ftrace_close_range { /* of a task */
	int32_t tid;
	uint32_t first, last;
};

enum { FTRACE_CLOSES_NUMBERS = 512 };
struct ftrace_closes { /* zeroed: none */
	bool is_wanted;
	bool is_recorded;	 /* calls that close are in the recording */
	bool is_full;		 /* the limit was reached: any descriptor may have been closed */
	struct mer_map at;	 /* task and descriptor */
	struct mer_map programs; /* tasks that began another program */
	struct ftrace_close_range *ranges;
	size_t n_ranges, cap_ranges;
	uint8_t by_number[FTRACE_CLOSES_NUMBERS]; /* what each system call does */
};
/* Starts to look for closes. machine: as from uname; NULL: unknown. For machines without a table
 * of system call numbers, calls recorded by number are not recognized. */
void ftrace_closes_want(struct ftrace_closes *c, const char *machine);

/* How a record of this event is examined; 0: not at all. */
enum ftrace_close_way {
	FTRACE_CLOSES_NOTHING,
	FTRACE_CLOSES_BY_NUMBER, /* raw_syscalls:sys_enter */
	FTRACE_CLOSES_FD,
	FTRACE_CLOSES_RANGE,
	FTRACE_CLOSES_PROGRAM
};
struct ftrace_close_plan {
	enum ftrace_close_way way;
	uint32_t number, first, second; /* places of fields in the record */
	uint8_t bytes;			/* of each */
};
struct ftrace_close_plan ftrace_close_plan(const struct ftrace_format *f);
/* A record, which is as long as its format says. False: no memory. */
bool ftrace_closes_take(struct ftrace_closes *c, const struct ftrace_close_plan *p,
	const struct ftrace_format *f, const uint8_t *record, bool is_be);

void ftrace_closes_fini(struct ftrace_closes *c);

#endif
