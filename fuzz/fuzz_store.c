/* Fuzzer of what is packed in stores: columns, blocks of spans, of facts and of numbers, whose
 * checksums are right. Whatever the bytes are, nothing beside them is read, and numbers of tasks,
 * calls and spans are of things that are there. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fact.h"
#include "base/map.h"
#include "store/facts.h"
#include "store/pack.h"
#include "store/spans.h"
#include "store/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLACK = 64, TASKS = 40, CALLS = 20, NAMES = 30, SPANS = 3 * KERNEL_CHUNK };

static void check_spans(const struct store_file *f, const struct store_span_block *blocks)
{
	static struct kernel_span spans[KERNEL_CHUNK];
	static struct store_brief brief;
	struct store_spans s = { .file = f,
		.blocks = blocks,
		.n_blocks = 3,
		.n_spans = SPANS,
		.n_tasks = TASKS,
		.n_calls = CALLS,
		.n_requests = 5,
		.n_bridges = 5 };
	for (uint32_t b = 0; b < s.n_blocks; b++) {
		store_spans_read(&s, b, spans);
		for (uint32_t i = 0; i < KERNEL_CHUNK; i++) {
			const struct kernel_span *x = &spans[i];
			uint32_t number = (b << KERNEL_CHUNK_BITS) + i;
			if (x->task >= TASKS || (x->before != KERNEL_NONE && x->before >= number) ||
				(x->call != KERNEL_NONE && x->call >= CALLS) ||
				(x->by != KERNEL_NONE && x->by >= SPANS) ||
				x->state >= KERNEL_N_STATES || x->cause >= KERNEL_N_CAUSES)
				abort();
		}
		store_spans_read_brief(&s, b, &brief);
		for (size_t i = 0; i < brief.n; i++)
			if (brief.task[i] >= TASKS || brief.state[i] >= KERNEL_N_STATES)
				abort();
	}
}

static int take(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	(void)ctx;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		const struct fact *f =
			(const struct fact *)((const char *)facts + i * *(size_t *)ctx);
		if (f->task != KERNEL_NONE && f->task >= h->n_tasks)
			abort();
	}
	return 0;
}

/* The index of blocks as it is in facts.c: a block, two times, how many, which tasks. */
struct fact_block {
	struct store_block block;
	int64_t begin, end;
	uint32_t n, reserved;
	uint64_t tasks[4];
};

static void check_facts(struct store_file *f, const struct fact_kind *kind, size_t size, uint32_t n)
{
	struct kernel_host h = { .n_tasks = TASKS, .n_calls = CALLS, .names = { .n = NAMES } };
	struct mer_err err;
	size_t fact_bytes = kind->size;
	const struct fact_block *b =
		(const struct fact_block *)(f->file.data + (size + SLACK + 63) / 64 * 64);
	struct fact_block block = { { 0, (uint32_t)size, (uint32_t)mer_hash(f->file.data, size) },
		INT64_MIN, INT64_MAX, n, 0, { 0 } };
	memcpy((void *)(uintptr_t)b, &block, sizeof(block));
	(void)store_facts_read(f, 0, 0, kind, &h, STORE_NEEDS_ALL,
		&(struct fact_range){ INT64_MIN, INT64_MAX, NULL }, take, &fact_bytes, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t v[STORE_PACK_MAX];
	if (size < 4 || size > 1 << 20)
		return 0;
	uint32_t n = (uint32_t)(data[0] | data[1] << 8) % (STORE_PACK_MAX + 2), which = data[2];
	data += 3;
	size -= 3;
	size_t room = (size + SLACK + 63) / 64 * 64, all = room + 256;
	uint8_t *bytes = aligned_alloc(64, all);
	if (!bytes)
		return 0;
	memset(bytes, 0xee, all);
	memcpy(bytes, data, size);
	struct store_in in = { bytes, bytes + size };
	(void)store_unpack(&in, v, n < STORE_PACK_MAX ? n : STORE_PACK_MAX);
	if (in.at > in.end)
		abort();
	struct store_section section = {
		.type = STORE_FACT_BLOCKS, .at = room, .bytes = sizeof(struct fact_block), .n = 1
	};
	struct store_file f = { .file = { bytes, all }, .sections = &section, .n = 1 };
	struct store_span_block blocks[3] = { 0 };
	for (size_t i = 0; i < 3; i++)
		blocks[i].block =
			(struct store_block){ 0, (uint32_t)size, (uint32_t)mer_hash(bytes, size) };
	check_spans(&f, blocks);
	size_t n_kinds = 0;
	while (fact_kinds[n_kinds])
		n_kinds++;
	if (n_kinds)
		check_facts(&f, fact_kinds[which % n_kinds], size, n);
	free(bytes);
	return 0;
}
