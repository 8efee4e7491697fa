/* Numbers: an array of any length in packed blocks, read as a whole. */
#ifndef MER_STORE_NUMBERS_H
#define MER_STORE_NUMBERS_H

#include "store/pack.h"
#include "store/sections.h"

/* The i-th number is get(ctx, i). A failure is recorded in the writer. */
void store_put_numbers(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	enum store_packing packing, uint64_t (*get)(const void *ctx, size_t i), const void *ctx,
	size_t n);
/* Takes count numbers, from number `first` on. */
typedef void store_take_numbers(void *ctx, size_t first, const uint64_t *v, size_t count);
/* Passes all numbers to `take`, in runs. False: they are missing, damaged, or not n in number; some
 * may have been taken. */
bool store_get_numbers(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	store_take_numbers *take, void *ctx, size_t n);
/* The same for [from, from + count) only. */
bool store_get_some_numbers(const struct store_file *f, uint32_t type, uint32_t host,
	uint32_t number, store_take_numbers *take, void *ctx, size_t n, size_t from, size_t count);

#endif
