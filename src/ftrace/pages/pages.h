/* Pages of the kernel's ring buffer: each has its start time, then records, each with the time
 * since the previous one.
 *
 *   | u64 time | long commit | record | record | ... | (count of lost events)
 *
 * commit: bytes of records, and two bits that say that events in front of the page were lost, and
 * that their count follows the records. A record begins with 5 bits type and 27 bits time: types 1
 * to 28 are its length in words, 0: the length is in the next word.
 *
 * Source: include/linux/ring_buffer.h and kernel/trace/ring_buffer.c of the kernel, whose
 * header_event file says the same. */
#ifndef MER_FTRACE_PAGES_H
#define MER_FTRACE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/formats.h"

struct ftrace_page {
	const uint8_t *at, *end; /* records that are left */
	uint64_t time;		 /* of the last record, at first of the page */
	uint64_t lost;		 /* events in front of it; UINT64_MAX: it is not known how many */
	bool is_be;
	bool is_damaged; /* its records are inconsistent */
};

struct ftrace_record {
	const uint8_t *data;
	uint32_t size;
	uint64_t time; /* of the buffer's clock */
};

/* Opens the page in these bytes; a page that is cut is read as far as it goes. */
struct ftrace_page ftrace_page_open(
	const uint8_t *data, size_t size, const struct ftrace_page_layout *layout, bool is_be);
/* The next record; false: that was the last one, or the rest is damaged. */
bool ftrace_page_next(struct ftrace_page *p, struct ftrace_record *r);

#endif
