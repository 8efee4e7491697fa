/* Span log: where the spans of a host lie: in chunks, found by number.
 *
 * A chunk has one of three homes, and who reads spans (kernel_span, host.h) need not know which:
 *
 *   memory    as long as there is little of it (base/spill.h)
 *   a file    without a name, mapped. The newest chunks are in memory while they are written, as most of
 *             what is learned later is about them; whole ones are copied to the file. What is changed in them
 *             afterwards is changed through the mapping. Pointers hold until the next span is added,
 *             then until the log is gone: the log may be read by any number of threads.
 *   a loader  a finished log in another place (a store): a chunk is decoded when one of its spans is read.
 *             Of these chunks `most` are kept; another one replaces the one that was loaded first. So a
 *             pointer holds until most - 1 other chunks were loaded; what is changed is forgotten with its
 *             chunk. One thread at a time.
 *
 * Numbers are 32 bits: 2^32 - 2 spans, some five thousand million events. */
#ifndef MER_KERNEL_SPAN_LOG_H
#define MER_KERNEL_SPAN_LOG_H

#include <stdbool.h>
#include "base/err.h"
#include "base/spill.h"
#include "kernel/span.h"

enum { KERNEL_CHUNK_BITS = 9, KERNEL_CHUNK = 1 << KERNEL_CHUNK_BITS };

/* Writes the n spans of that chunk, from number chunk << KERNEL_CHUNK_BITS on. False: they cannot be read. */
typedef bool kernel_span_load(void *ctx, uint32_t chunk, struct kernel_span *to, uint32_t n);

struct kernel_staged;
struct kernel_loaded;

struct kernel_span_log {
	struct kernel_span **chunks; /* NULL: dropped, or not loaded */
	uint32_t n_chunks, cap_chunks;
	struct mer_spill *spill; /* borrowed; NULL: all is memory */
	bool drops; /* chunks will be dropped, so each is allocated alone, in memory. Set at first. */
	/* Blocks of chunks. The last one has room for n_free more, from next on. */
	struct kernel_span **extents, *next;
	uint32_t n_extents, cap_extents, n_free;
	struct kernel_staged
		*staged; /* of the file's chunks those that are in memory; NULL: none */
	struct kernel_loaded *loaded; /* NULL: no loader */
};

void kernel_span_log_fini(struct kernel_span_log *l);

/* One chunk more, whose spans are not set. False: no memory, or too many. */
bool kernel_span_log_add_chunk(struct kernel_span_log *l);
void kernel_span_log_drop(struct kernel_span_log *l, uint32_t chunk);
/* After the last span: nothing of the file's chunks is in memory any more. */
void kernel_span_log_finish(struct kernel_span_log *l);

/* An empty log becomes one of n_spans spans that are loaded. most: chunks that are kept; 0: a default (64 MiB). */
int kernel_span_log_load_by(struct kernel_span_log *l, uint32_t n_spans, kernel_span_load *load,
	void *ctx, uint32_t most, struct mer_err *err);
/* The chunk, which is not there. If it cannot be loaded, its spans are KERNEL_UNKNOWN, of task 0, and the log
 * knows it. */
struct kernel_span *kernel_span_log_load(const struct kernel_span_log *l, uint32_t chunk);
/* Chunks that could not be loaded. */
uint32_t kernel_span_log_unreadable(const struct kernel_span_log *l);

#endif
