#include "store/numbers.h"

#include <stdlib.h>

void store_put_numbers(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	enum store_packing packing, uint64_t (*get)(const void *ctx, size_t i), const void *ctx,
	size_t n)
{
	uint64_t v[STORE_PACK_MAX];
	size_t n_blocks = (n + STORE_PACK_MAX - 1) / STORE_PACK_MAX;
	struct store_block *blocks = calloc(n_blocks + 1, sizeof(*blocks));
	struct mer_str bytes = { .failed = !blocks };
	for (size_t b = 0; b < n_blocks && !bytes.failed; b++) {
		size_t first = b * STORE_PACK_MAX;
		size_t count = n - first < STORE_PACK_MAX ? n - first : STORE_PACK_MAX;
		for (size_t i = 0; i < count; i++)
			v[i] = get(ctx, first + i);
		mer_str_clear(&bytes);
		store_pack(&bytes, packing, v, count);
		if (!bytes.failed)
			store_put_block(w, bytes.data, bytes.len, &blocks[b]);
	}
	if (bytes.failed)
		store_writer_fail(w);
	else
		store_put_section(w, type, host, number, blocks, n_blocks, sizeof(*blocks));
	mer_str_fini(&bytes);
	free(blocks);
}

bool store_get_numbers(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	store_take_numbers *take, void *ctx, size_t n)
{
	return store_get_some_numbers(f, type, host, number, take, ctx, n, 0, n);
}

bool store_get_some_numbers(const struct store_file *f, uint32_t type, uint32_t host,
	uint32_t number, store_take_numbers *take, void *ctx, size_t n, size_t from,
	size_t n_wanted)
{
	uint64_t v[STORE_PACK_MAX], n_blocks = 0;
	const struct store_block *blocks =
		store_find(f, type, host, number, sizeof(*blocks), &n_blocks);
	bool ok = blocks && n_blocks == (n + STORE_PACK_MAX - 1) / STORE_PACK_MAX && from <= n &&
		  n_wanted <= n - from;
	size_t end = from + n_wanted;
	for (size_t b = from / STORE_PACK_MAX; ok && b * STORE_PACK_MAX < end; b++) {
		size_t first = b * STORE_PACK_MAX;
		size_t count = n - first < STORE_PACK_MAX ? n - first : STORE_PACK_MAX;
		const uint8_t *bytes = store_block_bytes(f, &blocks[b]);
		struct store_in in = { bytes, bytes ? bytes + blocks[b].bytes : NULL };
		size_t skipped = first < from ? from - first : 0;
		ok = bytes && store_unpack(&in, v, count);
		if (first + count > end)
			count = end - first;
		if (ok)
			take(ctx, first + skipped, v + skipped, count - skipped);
	}
	return ok;
}
