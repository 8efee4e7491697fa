/* Span log: where the spans of a host lie: in chunks, found by number.
 *
 * A chunk has one of three homes, and who reads spans (kernel_span, host.h) need not know which:
 *
 *   memory    as long as there is little of it (base/spill.h)
 *   a file    without a name, mapped. The newest chunks are in memory while they are written, as
 *             most of what is learned later is about them; older ones are copied to the file, and
 *             what changes in them changes through the mapping
 *   a source  spans that were written elsewhere: a saved world, whose chunks are decoded when one
 *             of their spans is looked at
 *
 * Of the first two, pointers hold until the next span is added; after the last one, as long as the
 * log, and any number of threads may read. Of a source they hold as long as the log, too (its
 * chunks, once loaded, lie in memory or a file as the others do), and there is one thread.
 *
 * Numbers are 32 bits: 2^32 - 2 spans, of some five thousand million events. */
#ifndef MER_KERNEL_SPAN_LOG_H
#define MER_KERNEL_SPAN_LOG_H

#include <stdbool.h>
#include "base/spill.h"
#include "kernel/span.h"

enum { KERNEL_CHUNK_BITS = 9, KERNEL_CHUNK = 1 << KERNEL_CHUNK_BITS };

struct kernel_host;
struct kernel_staged;

struct kernel_span_source {
	/* A chunk. Never NULL: of what cannot be read the spans are KERNEL_UNKNOWN. It may call
	 * kernel_span_log_put, so that it is not called for it again. */
	struct kernel_span *(*load)(const struct kernel_host *h, uint32_t chunk);
	/* A span of the task with which a search backwards for this time can begin; KERNEL_NONE:
	 * its last. */
	uint32_t (*near)(const struct kernel_host *h, uint32_t task, int64_t time);
	/* For kernel_spans_between. */
	void (*between)(const struct kernel_host *h, int64_t begin, int64_t end, uint32_t *from,
		uint32_t *to);
	/* Sees to it that a request of kernel_host.requests is there. */
	void (*load_request)(const struct kernel_host *h, uint32_t request);
};

struct kernel_span_log {
	struct kernel_span **chunks; /* NULL: dropped, or not loaded */
	uint32_t n_chunks, cap_chunks;
	struct mer_spill *spill; /* borrowed; NULL: all is memory */
	/* chunks will be dropped, so each is allocated alone, in memory. Set at first. */
	bool drops;
	/* Blocks of chunks. The last one has room for n_free more, from next on. */
	struct kernel_span **extents, *next;
	uint32_t n_extents, cap_extents, n_free;
	struct kernel_staged
		*staged; /* of the file's chunks those that are in memory; NULL: none */
};

void kernel_span_log_fini(struct kernel_span_log *l);
/* One chunk more, whose spans are not set. False: no memory, or too many. */
bool kernel_span_log_add_chunk(struct kernel_span_log *l);
void kernel_span_log_drop(struct kernel_span_log *l, uint32_t chunk);
/* After the last span: nothing of the file's chunks is in memory any more. */
void kernel_span_log_finish(struct kernel_span_log *l);
/* n chunks more that are NULL, for a source. False: no memory. */
bool kernel_span_log_add_absent(struct kernel_span_log *l, uint32_t n);
/* One of these is there from now on, with these KERNEL_CHUNK spans. Returns them where they stay;
 * NULL: no memory. */
struct kernel_span *kernel_span_log_put(
	struct kernel_span_log *l, uint32_t chunk, const struct kernel_span *spans);

#endif
