/* Spans in a file: the log of a host in blocks of a chunk each, with two indexes.
 *
 *   by time: what a block's spans begin between      → which blocks a window needs
 *   by task: its last span in each stretch of blocks → where a search for a time begins
 *
 * A block is read when one of its spans is first looked at: 4 KB, some microseconds. What lies in
 * it is compared with what else the file has, so that numbers in spans are always of things that
 * are there. */
#ifndef MER_STORE_SPANS_H
#define MER_STORE_SPANS_H

#include "base/pool.h"
#include "kernel/world.h"
#include "store/sections.h"

enum { STORE_STRETCH = 16 }; /* blocks */

struct store_span_block {
	struct store_block block;
	int64_t first; /* ns: no span of this or a later block begins before */
	int64_t last;  /* none of this or an earlier block begins after */
};

/* Writes blocks and sections of the host's spans. */
int store_spans_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	unsigned n_threads, struct mer_cancel *cancel, struct mer_err *err);

struct store_spans {
	const struct store_file *file;
	const struct store_span_block *blocks;
	/* The last span of a task in each stretch, by task, then in order; and when it begins. */
	const uint32_t *place_spans;
	const int64_t *place_begins;
	const uint64_t *first_place; /* of a task; and the end */
	uint32_t n_blocks;
	uint32_t n_spans, n_tasks, n_calls, n_requests,
		n_bridges; /* what numbers in spans are below */
	/* Chunks in memory, in a ring: the next one that is loaded takes the place of the oldest
	 * one. */
	uint32_t *ring;
	size_t next, n_ring;
	bool is_damaged; /* a block was; its spans say "unknown" */
};

/* The sections of the host, compared with each other; MER_ERR_INPUT: they do not belong together.
 * The numbers must be set. */
int store_spans_open(
	struct store_spans *s, const struct store_file *f, uint32_t host, struct mer_err *err);
void store_spans_close(struct store_spans *s);
/* Decodes a block into KERNEL_CHUNK spans. False: it is damaged; spans are then set so that they do
 * no harm. */
bool store_spans_read(struct store_spans *s, uint32_t block, struct kernel_span *spans);
/* Of a block's spans what drawing needs: less to decode. n is 0 where it is damaged. */
struct store_brief {
	size_t n;
	uint64_t begin[KERNEL_CHUNK], task[KERNEL_CHUNK], state[KERNEL_CHUNK], cpu[KERNEL_CHUNK];
	uint8_t cause[KERNEL_CHUNK];
};
bool store_spans_read_brief(struct store_spans *s, uint32_t block, struct store_brief *b);
/* The blocks [*from, *to) have all spans that begin in [begin, end], and others. */
void store_spans_between(
	const struct store_spans *s, int64_t begin, int64_t end, uint32_t *from, uint32_t *to);
/* For kernel_span_source.near. */
uint32_t store_spans_near(const struct store_spans *s, uint32_t task, int64_t time);

#endif
