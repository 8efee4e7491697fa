/* Spans in a file: the log of a host in blocks of a chunk each, with two indexes.
 *
 *   by time: what a block's spans begin between      → which blocks a window needs
 *   by task: its last span in each stretch of blocks → where a search for a time begins
 *
 * A block is decoded when one of its spans is first accessed: 4 KB, a few microseconds. Indexes in
 * its spans are checked against the rest of the file, so that they always refer to something that
 * exists. */
#ifndef MER_STORE_SPANS_H
#define MER_STORE_SPANS_H

#include "base/pool.h"
#include "kernel/world.h"
#include "store/sections.h"

enum { STORE_STRETCH = 16 }; /* blocks */

struct store_span_block {
	struct store_block block;
	int64_t first; /* ns: no span of this or a later block begins earlier */
	int64_t last;  /* ns: no span of this or an earlier block begins later */
};

/* Writes blocks and sections of the host's spans. */
int store_spans_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	unsigned n_threads, struct mer_cancel *cancel, struct mer_err *err);

struct store_spans {
	const struct store_file *file;
	const struct store_span_block *blocks;
	/* The last span of a task in each stretch, by task, then in order; and its begin time. */
	const uint32_t *place_spans;
	const int64_t *place_begins;
	const uint64_t *first_place; /* by task; and one more for the end */
	uint32_t n_blocks;
	uint32_t n_spans, n_tasks, n_calls, n_requests,
		n_bridges; /* limits of the indexes in spans */
	bool is_damaged;   /* some block was damaged; its spans say "unknown" */
};

/* Reads the sections of the host, and checks that they agree (MER_ERR_INPUT: they do not). The
 * limits of indexes must be set before. */
int store_spans_open(
	struct store_spans *s, const struct store_file *f, uint32_t host, struct mer_err *err);
/* Decodes a block into KERNEL_CHUNK spans. False: it is damaged, and the spans get harmless
 * values. */
bool store_spans_read(struct store_spans *s, uint32_t block, struct kernel_span *spans);
/* The columns of a block that drawing needs: quicker to decode than all. n is 0 if the block is
 * damaged. */
struct store_brief {
	size_t n;
	uint64_t begin[KERNEL_CHUNK], task[KERNEL_CHUNK], state[KERNEL_CHUNK], cpu[KERNEL_CHUNK];
	uint8_t cause[KERNEL_CHUNK];
};
bool store_spans_read_brief(struct store_spans *s, uint32_t block, struct store_brief *b);
/* Blocks [*from, *to) contain all spans that begin in [begin, end], and possibly others. */
void store_spans_between(
	const struct store_spans *s, int64_t begin, int64_t end, uint32_t *from, uint32_t *to);
/* For kernel_span_source.near. */
uint32_t store_spans_near(const struct store_spans *s, uint32_t task, int64_t time);

#endif
