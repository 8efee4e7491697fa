#include "parquet/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "parquet/bits.h"
#include "parquet/pages.h"
#include "parquet/thrift.h"

struct parquet {
	int fd;
	const char *path;
	const struct parquet_column *columns;
	size_t n;
	struct parquet_pages *pages; /* by column */
	struct mer_str groups;	     /* what the end says of row groups, as list elements */
	size_t n_groups;
	uint64_t n_rows, n_bytes;
	size_t n_held; /* rows that are not written yet */
};

static const char magic[4] = { 'P', 'A', 'R', '1' };

/* In the file. */
enum { BOOLEAN = 0, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6, OPTIONAL = 1, ZSTD = 6, UTF8 = 0 };

static int physical(enum parquet_type type)
{
	switch (type) {
	case PARQUET_DOUBLE: return DOUBLE;
	case PARQUET_BOOL: return BOOLEAN;
	case PARQUET_TEXT: return BYTE_ARRAY;
	default: return INT64;
	}
}

static int put(struct parquet *p, const void *bytes, size_t n, struct mer_err *err)
{
	if (!mer_write_all(p->fd, bytes, n))
		return mer_fail_errno(err, "write", p->path);
	p->n_bytes += n;
	return 0;
}

int parquet_new(int fd, const char *path, const struct parquet_column *columns, size_t n,
	struct parquet **out, struct mer_err *err)
{
	struct parquet *p = calloc(1, sizeof(*p));
	*out = p;
	if (!p)
		return mer_fail_nomem(err);
	*p = (struct parquet){ .fd = fd, .path = path, .columns = columns, .n = n };
	p->pages = calloc(n + 1, sizeof(*p->pages));
	if (!p->pages)
		return mer_fail_nomem(err);
	for (size_t c = 0; c < n; c++)
		parquet_pages_init(&p->pages[c], columns[c].type);
	return put(p, magic, sizeof(magic), err);
}

void parquet_free(struct parquet *p)
{
	for (size_t c = 0; p && p->pages && c < p->n; c++)
		parquet_pages_fini(&p->pages[c]);
	if (p) {
		free(p->pages);
		mer_str_fini(&p->groups);
	}
	free(p);
}

uint64_t parquet_rows(const struct parquet *p)
{
	return p->n_rows + p->n_held;
}

uint64_t parquet_bytes(const struct parquet *p)
{
	return p->n_bytes;
}

/* ---- Row groups ---- */

static void put_statistics(struct thrift *t, const struct parquet_chunk *c)
{
	thrift_struct(t, 12);
	thrift_i64(t, 3, (int64_t)c->n_nulls);
	if (c->has_bounds) {
		thrift_text(t, 5, c->max.data, c->max.len);
		thrift_text(t, 6, c->min.data, c->min.len);
	}
	thrift_end(t);
}

/* A chunk that begins at `at` and takes n bytes. */
static void put_chunk(struct thrift *t, const struct parquet *p, size_t column,
	const struct parquet_chunk *c, uint64_t at, uint64_t n)
{
	const char *name = p->columns[column].name;
	thrift_begin(t);
	thrift_i64(t, 2, (int64_t)at);
	thrift_struct(t, 3);
	thrift_i32(t, 1, physical(p->columns[column].type));
	thrift_list(t, 2, THRIFT_I32, c->has_dictionary ? 3 : 2);
	thrift_add_i32(t, (int32_t)c->encoding);
	thrift_add_i32(t, PARQUET_RLE);
	if (c->has_dictionary)
		thrift_add_i32(t, PARQUET_PLAIN);
	thrift_list(t, 3, THRIFT_TEXT, 1);
	thrift_add_text(t, name, strlen(name));
	thrift_i32(t, 4, c->is_compressed ? ZSTD : 0);
	thrift_i64(t, 5, (int64_t)p->n_held);
	thrift_i64(t, 6, (int64_t)c->plain_bytes);
	thrift_i64(t, 7, (int64_t)n);
	thrift_i64(t, 9, (int64_t)(at + c->dictionary_bytes));
	if (c->has_dictionary)
		thrift_i64(t, 11, (int64_t)at);
	put_statistics(t, c);
	thrift_end(t);
	thrift_end(t);
}

static int write_column(struct parquet *p, size_t column, struct thrift *t, uint64_t *plain_bytes,
	struct mer_err *err)
{
	struct parquet_chunk c = { 0 };
	struct mer_str bytes = { 0 };
	uint64_t at = p->n_bytes;
	int rc = parquet_pages_write(&p->pages[column], &bytes, &c) ? 0 : mer_fail_nomem(err);
	if (rc == 0)
		rc = put(p, bytes.data, bytes.len, err);
	if (rc == 0)
		put_chunk(t, p, column, &c, at, bytes.len);
	*plain_bytes += c.plain_bytes;
	mer_str_fini(&bytes);
	parquet_chunk_fini(&c);
	return rc;
}

static int write_group(struct parquet *p, struct mer_err *err)
{
	struct thrift t = { .out = &p->groups };
	uint64_t at = p->n_bytes, plain_bytes = 0;
	int rc = 0;
	thrift_begin(&t);
	thrift_list(&t, 1, THRIFT_STRUCT, p->n);
	for (size_t c = 0; c < p->n && rc == 0; c++)
		rc = write_column(p, c, &t, &plain_bytes, err);
	thrift_i64(&t, 2, (int64_t)plain_bytes);
	thrift_i64(&t, 3, (int64_t)p->n_held);
	thrift_i64(&t, 5, (int64_t)at);
	thrift_i64(&t, 6, (int64_t)(p->n_bytes - at));
	thrift_end(&t);
	p->n_groups++;
	p->n_rows += p->n_held;
	p->n_held = 0;
	return rc ? rc : p->groups.failed ? mer_fail_nomem(err) : 0;
}

int parquet_add(struct parquet *p, const struct parquet_value *values, struct mer_err *err)
{
	size_t bytes = 0;
	for (size_t c = 0; c < p->n; c++) {
		if (!parquet_pages_add(&p->pages[c], &values[c]))
			return mer_fail_nomem(err);
		bytes += parquet_pages_bytes(&p->pages[c]);
	}
	p->n_held++;
	bool is_full = p->n_held == PARQUET_GROUP_ROWS || bytes >= PARQUET_GROUP_BYTES;
	return is_full ? write_group(p, err) : 0;
}

/* ---- The end ---- */

static void put_column(struct thrift *t, const struct parquet_column *c)
{
	enum { STRING = 1, TIMESTAMP = 8, NANOS = 3 };
	thrift_begin(t);
	thrift_i32(t, 1, physical(c->type));
	thrift_i32(t, 3, OPTIONAL);
	thrift_text(t, 4, c->name, strlen(c->name));
	if (c->type == PARQUET_TEXT)
		thrift_i32(t, 6, UTF8); /* for readers that do not know the next one */
	if (c->type == PARQUET_TEXT || c->type == PARQUET_TIME)
		thrift_struct(t, 10);
	if (c->type == PARQUET_TEXT) {
		thrift_struct(t, STRING);
		thrift_end(t);
		thrift_end(t);
	} else if (c->type == PARQUET_TIME) {
		thrift_struct(t, TIMESTAMP);
		/* A time of UTC, of which readers need not convert anything: DuckDB reads instants
		 * (true) as microseconds. */
		thrift_bool(t, 1, false);
		thrift_struct(t, 2);
		thrift_struct(t, NANOS);
		for (int i = 0; i < 4; i++)
			thrift_end(t);
	}
	thrift_end(t);
}

static void put_schema(struct thrift *t, const struct parquet *p)
{
	static const char root[] = "schema";
	thrift_list(t, 2, THRIFT_STRUCT, p->n + 1);
	thrift_begin(t);
	thrift_text(t, 4, root, sizeof(root) - 1);
	thrift_i32(t, 5, (int32_t)p->n);
	thrift_end(t);
	for (size_t c = 0; c < p->n; c++)
		put_column(t, &p->columns[c]);
}

static void put_pairs(struct thrift *t, const struct parquet_pair *pairs, size_t n)
{
	thrift_list(t, 5, THRIFT_STRUCT, n);
	for (size_t i = 0; i < n; i++) {
		thrift_begin(t);
		thrift_text(t, 1, pairs[i].key, strlen(pairs[i].key));
		thrift_text(t, 2, pairs[i].value, strlen(pairs[i].value));
		thrift_end(t);
	}
}

/* Bounds are ordered as their types are. */
static void put_orders(struct thrift *t, size_t n)
{
	thrift_list(t, 7, THRIFT_STRUCT, n);
	for (size_t c = 0; c < n; c++) {
		thrift_begin(t);
		thrift_struct(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
}

int parquet_end(struct parquet *p, const char *made_by, const struct parquet_pair *pairs,
	size_t n_pairs, struct mer_err *err)
{
	struct mer_str end = { 0 };
	struct thrift t = { .out = &end };
	int rc = p->n_held ? write_group(p, err) : 0;
	thrift_begin(&t);
	thrift_i32(&t, 1, 2);
	put_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->n_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->n_groups);
	mer_str_add(&end, p->groups.data, p->groups.len);
	put_pairs(&t, pairs, n_pairs);
	thrift_text(&t, 6, made_by, strlen(made_by));
	put_orders(&t, p->n);
	thrift_end(&t);
	parquet_pack(&end, &(uint64_t){ end.len }, 1, 32);
	mer_str_add(&end, magic, sizeof(magic));
	if (rc == 0)
		rc = end.failed ? mer_fail_nomem(err) : put(p, end.data, end.len, err);
	mer_str_fini(&end);
	return rc;
}
