#include "store/columns.h"

#include <string.h>

#include "store/numbers.h"

static const struct store_column size = { .bytes = sizeof(size_t), .packing = STORE_DELTA };
const struct store_columns store_sizes = { sizeof(size_t), &size, 1 };

struct cells { /* a column of rows */
	uint8_t *rows;
	size_t size;
	struct store_column column;
};

static uint64_t load(const uint8_t *at, uint16_t bytes)
{
	uint64_t v;
	uint32_t half;
	uint16_t quarter;
	switch (bytes) {
	case sizeof(v): memcpy(&v, at, sizeof(v)); return v;
	case sizeof(half): memcpy(&half, at, sizeof(half)); return half;
	case sizeof(quarter): memcpy(&quarter, at, sizeof(quarter)); return quarter;
	default: return *at;
	}
}

static uint64_t base_of(const struct cells *c, const uint8_t *row)
{
	return c->column.since ? load(row + c->column.since - 1, c->column.bytes) : 0;
}

static uint64_t get_cell(const void *ctx, size_t i)
{
	const struct cells *c = ctx;
	const uint8_t *row = c->rows + i * c->size;
	uint64_t v = load(row + c->column.at, c->column.bytes);
	return c->column.has_none ? (uint32_t)(v + 1) : v - base_of(c, row);
}

/* A loop for each type: it is most of the time of reading columns. */
#define SET_CELLS(type_, value_)                                                                   \
	for (size_t i = 0; i < count; i++, row += bytes) {                                         \
		type_ cell = (type_)(value_), base = 0;                                            \
		if (since)                                                                         \
			memcpy(&base, row + since - 1, sizeof(base));                              \
		cell = (type_)(cell + base);                                                       \
		memcpy(row + at, &cell, sizeof(cell));                                             \
	}                                                                                          \
	break

static void set_cells(void *ctx, size_t first, const uint64_t *v, size_t count)
{
	const struct cells *c = ctx;
	const size_t bytes = c->size, at = c->column.at, since = c->column.since;
	const uint64_t less = c->column.has_none;
	uint8_t *row = c->rows + first * bytes;
	switch (c->column.bytes) {
	case sizeof(uint64_t): SET_CELLS(uint64_t, v[i]);
	case sizeof(uint32_t): SET_CELLS(uint32_t, v[i] - less);
	case sizeof(uint16_t): SET_CELLS(uint16_t, v[i]);
	case sizeof(uint8_t): SET_CELLS(uint8_t, v[i]);
	default: SET_CELLS(uint8_t, v[i] != 0);
	}
}

void store_put_column(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, uint32_t column, const void *rows, size_t n)
{
	/* const is cast away, but nothing is written through it. */
	const struct cells c = { (uint8_t *)(uintptr_t)rows, of->size, of->columns[column] };
	store_put_numbers(w, type, host, number + column, c.column.packing, get_cell, &c, n);
}

bool store_get_column(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, uint32_t column, void *rows, size_t n, size_t part)
{
	struct cells c = { rows, of->size, of->columns[column] };
	size_t from = part * STORE_PACK_MAX;
	return store_get_some_numbers(f, type, host, number + column, set_cells, &c, n, from,
		n - from < STORE_PACK_MAX ? n - from : STORE_PACK_MAX);
}

void store_put_columns(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, const void *rows, size_t n)
{
	for (uint32_t i = 0; i < of->n; i++)
		store_put_column(w, type, host, number, of, i, rows, n);
}

bool store_get_columns(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, void *rows, size_t n)
{
	bool ok = true;
	for (size_t part = 0; ok && part < store_n_parts(n); part++)
		for (uint32_t i = 0; ok && i < of->n; i++)
			ok = store_get_column(f, type, host, number, of, i, rows, n, part);
	return ok;
}
