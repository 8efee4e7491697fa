/* A stream of bytes with any number of writers and readers, such as a pipe: whose bytes does a
 * reader get?
 *
 * What was written is read in that order, so it is enough to know how many bytes of whom are in it.
 * Calls are told when they end, and a reader may be told before the writer is; its bytes are then
 * owed, to be given by a write that had begun by then. What is owed longer was written where nobody
 * saw it. */
#ifndef MER_ANALYSIS_RELATIONS_STREAM_H
#define MER_ANALYSIS_RELATIONS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relation_part {
	uint32_t task;
	uint64_t n, bytes; /* writes, and what of them is left; of debts n is nothing */
	int64_t time;	   /* of a debt: when the read ended */
};

struct relation_stream { /* zeroed: empty */
	struct relation_part *parts;
	size_t first, n, cap; /* a ring */
	bool is_owed;	      /* parts are debts of readers, else bytes of writers */
};

/* Bytes that went from one task to another, and how many writes were thereby read. from may be
 * to. */
typedef bool relation_give(void *ctx, uint32_t from, uint32_t to, uint64_t n, uint64_t bytes);

/* A call that ended has written, or read, so many bytes. False: no memory, or give said so. */
bool relation_stream_write(struct relation_stream *s, uint32_t task, int64_t begin, uint64_t bytes,
	relation_give *give, void *ctx);
bool relation_stream_read(struct relation_stream *s, uint32_t task, int64_t end, uint64_t bytes,
	relation_give *give, void *ctx);
void relation_stream_fini(struct relation_stream *s);

#endif
