/* Formats: the kernel's descriptions of its events, as text: files events/SYSTEM/EVENT/format,
 * and the same text within trace.dat and perf.data.
 *
 *   name: sched_switch
 *   ID: 316
 *   format:
 *           field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *           ...
 *           field:char prev_comm[16];  offset:8;  size:16;  signed:0;
 *
 * Source: Documentation/trace/events.rst of the kernel, "Event formats". */
#ifndef MER_FTRACE_FORMATS_H
#define MER_FTRACE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum ftrace_kind {
	FTRACE_INT,	    /* of 1, 2, 4 or 8 bytes */
	FTRACE_INTS,	    /* n of these */
	FTRACE_CHARS,	    /* a text with a NUL, or as long as the field */
	FTRACE_TEXT,	    /* __data_loc char[]: the field locates a text */
	FTRACE_LIST,	    /* __data_loc of a list of integers */
	FTRACE_TEXT_TO_END, /* char NAME[] without a size: to the end of the record */
	FTRACE_LIST_TO_END  /* integers, likewise */
};

struct ftrace_field {
	const char *name;
	enum ftrace_kind kind;
	uint32_t offset,
		size;	 /* within the record; of the place, for FTRACE_TEXT and FTRACE_LIST */
	uint8_t element; /* bytes of an integer */
	bool is_signed, is_hex;
	bool is_relative; /* __rel_loc: the text's place counts from the field's end */
};

struct ftrace_format {
	const char *system, *name; /* system: may be empty */
	uint32_t id;
	uint32_t n_fields; /* without the common ones */
	struct ftrace_field *fields;
	uint32_t least;					   /* bytes that a record has at least */
	uint32_t pid_offset, flags_offset, preempt_offset; /* of common fields; 0: not there */
};

struct ftrace_formats {
	struct ftrace_format **by_id; /* FTRACE_MAX_IDS, NULL: not known */
	struct ftrace_format **list;
	uint32_t n, cap;
};

enum { FTRACE_MAX_IDS = 1 << 16 };

/* Adds the event of this text; a second one of its id is ignored. False: memory is out. Invalid
 * formats are left out. long_bytes: of the kernel's `long`. Everything is in arena. */
bool ftrace_formats_add(struct ftrace_formats *f, struct mer_arena *a, const char *system,
	const char *text, size_t len, unsigned long_bytes);

/* Adds this format, whose id must be free; it and all that it points to are borrowed. False: no
 * memory, or there are FTRACE_MAX_IDS. */
bool ftrace_formats_put(
	struct ftrace_formats *f, struct mer_arena *a, struct ftrace_format *format);

/* Of header_page: where the records of a page begin, and the size of its `commit`. */
struct ftrace_page_layout {
	uint32_t data_offset;
	uint8_t commit_bytes;
};
struct ftrace_page_layout ftrace_page_layout(const char *header_page, size_t len);
uint32_t ftrace_page_bytes(
	const char *header_page, size_t len); /* of a page; 4096 if it does not say */

#endif
