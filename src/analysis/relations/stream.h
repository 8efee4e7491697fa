/* A stream of bytes with any number of writers and readers, such as a pipe: which writers' bytes
 * does a reader get?
 *
 * Data is read in the order in which it was written, so it is enough to know how many bytes of
 * which writer it contains. Calls are reported when they end, so a read may be reported before
 * the write. The bytes read are then a debt, which a write that began before the read ended
 * settles. A debt that remains was written by calls that were not recorded. */
#ifndef MER_ANALYSIS_RELATIONS_STREAM_H
#define MER_ANALYSIS_RELATIONS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relation_part {
	uint32_t task;
	/* number of writes, and bytes of them that are left; in debts n is unused */
	uint64_t n, bytes;
	int64_t time; /* in a debt: when the read ended */
};

struct relation_stream { /* zeroed: empty */
	struct relation_part *parts;
	size_t first, n, cap; /* a ring */
	bool is_owed;	      /* parts are debts of readers, otherwise bytes of writers */
};

/* Bytes passed from one task to another, and the number of writes that they complete. from may
 * equal to. */
typedef bool relation_give(void *ctx, uint32_t from, uint32_t to, uint64_t n, uint64_t bytes);

/* A call has ended that wrote, or read, this many bytes. False: no memory, or give returned
 * false. */
bool relation_stream_write(struct relation_stream *s, uint32_t task, int64_t begin, uint64_t bytes,
	relation_give *give, void *ctx);
bool relation_stream_read(struct relation_stream *s, uint32_t task, int64_t end, uint64_t bytes,
	relation_give *give, void *ctx);
void relation_stream_fini(struct relation_stream *s);

#endif
