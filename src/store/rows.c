#include "store/rows.h"

#include <stdlib.h>
#include <string.h>

static uint32_t count_blocks(uint32_t n)
{
	return (uint32_t)(((uint64_t)n + STORE_ROWS - 1) >> STORE_ROWS_BITS);
}

static size_t rows_of_block(uint32_t n, uint32_t block)
{
	uint32_t first = block << STORE_ROWS_BITS;
	return n - first < STORE_ROWS ? n - first : STORE_ROWS;
}

void store_rows_put(struct store_writer *w, uint32_t type, uint32_t host,
	const struct store_row_kind *kind, const void *rows, uint32_t n)
{
	uint32_t n_blocks = count_blocks(n);
	struct store_block *blocks = calloc((size_t)n_blocks + 1, sizeof(*blocks));
	struct mer_str bytes = { .failed = !blocks };
	for (uint32_t b = 0; b < n_blocks && !bytes.failed; b++) {
		uint32_t first = b << STORE_ROWS_BITS;
		mer_str_clear(&bytes);
		kind->put(&bytes, (const char *)rows + (size_t)first * kind->size,
			rows_of_block(n, b), first);
		if (!bytes.failed)
			store_put_block(w, bytes.data, bytes.len, &blocks[b]);
	}
	if (bytes.failed)
		store_writer_fail(w);
	else
		store_put_section(w, type, host, 0, blocks, n_blocks, sizeof(*blocks));
	mer_str_fini(&bytes);
	free(blocks);
}

bool store_rows_are_of(const struct store_file *f, uint32_t type, uint32_t host, uint32_t n)
{
	uint64_t n_blocks = 0;
	return store_find(f, type, host, 0, sizeof(struct store_block), &n_blocks) &&
	       n_blocks == count_blocks(n);
}

int store_rows_open(struct store_rows *r, const struct store_file *f, uint32_t type, uint32_t host,
	const struct store_row_kind *kind, const void *ctx, uint32_t n, struct mer_spill *spill,
	struct mer_err *err)
{
	uint64_t n_blocks = 0;
	*r = (struct store_rows){ .file = f, .kind = kind, .ctx = ctx, .n = n };
	r->blocks = store_find(f, type, host, 0, sizeof(*r->blocks), &n_blocks);
	if (!store_rows_are_of(f, type, host, n))
		return mer_fail(err, MER_ERR_INPUT, "tables that cannot be");
	r->rows = mer_spill_array(spill, (size_t)n + 1, kind->size);
	r->is_loaded = calloc((size_t)n_blocks + 1, sizeof(*r->is_loaded));
	return r->rows && r->is_loaded ? 0 : mer_fail_nomem(err);
}

void store_rows_close(struct store_rows *r)
{
	mer_spill_release(r->rows);
	free(r->is_loaded);
	*r = (struct store_rows){ 0 };
}

bool store_rows_load(struct store_rows *r, uint32_t row, uint32_t *first_row, uint32_t *n_rows)
{
	uint32_t block = row >> STORE_ROWS_BITS, first = block << STORE_ROWS_BITS;
	if (row >= r->n || r->is_loaded[block])
		return true;
	r->is_loaded[block] = true;
	size_t n = rows_of_block(r->n, block);
	char *to = (char *)r->rows + (size_t)first * r->kind->size;
	*first_row = first;
	*n_rows = (uint32_t)n;
	const uint8_t *bytes = store_block_bytes(r->file, &r->blocks[block]);
	struct store_in in = { bytes, bytes ? bytes + r->blocks[block].bytes : NULL };
	if (bytes && r->kind->get(&in, to, n, first, r->ctx))
		return true;
	memset(to, 0, n * r->kind->size);
	r->kind->absent(to, n);
	return false;
}
