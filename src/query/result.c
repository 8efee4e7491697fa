#include "query/result.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "query/tables.h"
#include "store/pack.h"

/* SEEN_LARGE: a whole number that a double may not have. */
enum { SEEN_INT = 1, SEEN_REAL = 2, SEEN_TEXT = 4, SEEN_LARGE = 8 };
enum { CHUNK = 1 << 20 };
#define LARGE (INT64_C(1) << 53)

/* ---- Columns ---- */

static bool is_taken(const struct query_result *r, const char *key, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (strcmp(r->columns[i].key, key) == 0)
			return true;
	return false;
}

/* Objects of JSON have each key once. */
static const char *key_of(struct query_result *r, const char *name, size_t i)
{
	const char *key = mer_arena_strdup(&r->arena, name ? name : "");
	for (unsigned n = 2; key && is_taken(r, key, i); n++)
		key = mer_arena_printf(&r->arena, "%s_%u", name ? name : "", n);
	return key;
}

int query_result_begin(struct query_result *r, struct sqlite3_stmt *s, struct mer_spill *spill,
	struct mer_err *err)
{
	*r = (struct query_result){ .spill = spill, .is_begun = true };
	mer_arena_init(&r->arena);
	r->n_columns = (size_t)sqlite3_column_count(s);
	r->columns = mer_arena_zalloc(&r->arena, r->n_columns + 1, sizeof(*r->columns));
	r->seen = mer_arena_zalloc(&r->arena, r->n_columns + 1, 1);
	for (size_t i = 0; i < r->n_columns && !r->arena.failed; i++) {
		r->columns[i].key = key_of(r, sqlite3_column_name(s, (int)i), i);
		r->columns[i].title = r->columns[i].key;
	}
	return r->arena.failed ? mer_fail_nomem(err) : 0;
}

void query_result_fini(struct query_result *r)
{
	if (!r->is_begun)
		return;
	for (size_t i = 0; i < r->n_chunks; i++)
		mer_spill_release(r->chunks[i].bytes);
	free(r->chunks);
	mer_arena_fini(&r->arena);
	*r = (struct query_result){ 0 };
}

/* ---- Values ---- */

/* NUL bytes, which end texts elsewhere, and bytes that are no text are written as hex digits. */
static void put_text(struct mer_str *out, sqlite3_stmt *s, int i)
{
	bool is_blob = sqlite3_column_type(s, i) == SQLITE_BLOB;
	const unsigned char *bytes =
		is_blob ? sqlite3_column_blob(s, i) : sqlite3_column_text(s, i);
	size_t n = (size_t)sqlite3_column_bytes(s, i);
	struct mer_str hex = { 0 };
	if (is_blob || (n && memchr(bytes, 0, n))) {
		mer_str_puts(&hex, "X'");
		for (size_t k = 0; k < n; k++)
			mer_str_printf(&hex, "%02X", bytes[k]);
		mer_str_puts(&hex, "'");
		bytes = (const unsigned char *)hex.data;
		n = hex.len;
	}
	store_put_varint(out, n);
	if (n)
		mer_str_add(out, (const char *)bytes, n);
	mer_str_putc(out, '\0');
	out->failed |= hex.failed;
	mer_str_fini(&hex);
}

static uint8_t put_value(struct mer_str *out, sqlite3_stmt *s, int i)
{
	double real;
	int64_t whole;
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL: mer_str_putc(out, 0); return 0;
	case SQLITE_INTEGER:
		whole = sqlite3_column_int64(s, i);
		mer_str_putc(out, SEEN_INT);
		store_put_varint(out, store_zigzag(whole));
		return whole > LARGE || whole < -LARGE ? SEEN_INT | SEEN_LARGE : SEEN_INT;
	case SQLITE_FLOAT:
		real = sqlite3_column_double(s, i);
		mer_str_putc(out, SEEN_REAL);
		mer_str_add(out, (const char *)&real, sizeof(real));
		return SEEN_REAL;
	default:
		mer_str_putc(out, SEEN_TEXT);
		put_text(out, s, i);
		return SEEN_TEXT;
	}
}

int query_result_add(struct query_result *r, struct sqlite3_stmt *s, struct mer_err *err)
{
	struct mer_str row = { 0 };
	for (size_t i = 0; i < r->n_columns; i++)
		r->seen[i] |= put_value(&row, s, (int)i);
	struct query_chunk *c = r->n_chunks ? &r->chunks[r->n_chunks - 1] : NULL;
	int rc = row.failed || row.len > UINT32_MAX / 2 ? mer_fail_nomem(err) : 0;
	if (rc == 0 && (!c || c->cap - c->n < row.len)) {
		uint32_t cap = row.len > CHUNK ? (uint32_t)row.len : CHUNK;
		/* The first one is small: most answers are. */
		if (!c && row.len < CHUNK / 64)
			cap = CHUNK / 64;
		uint8_t *bytes = mer_spill_alloc(r->spill, cap);
		if (!bytes || !mer_grow(&r->chunks, r->n_chunks, &r->cap_chunks, sizeof(*c))) {
			mer_spill_release(bytes);
			rc = mer_fail_nomem(err);
		} else {
			c = &r->chunks[r->n_chunks++];
			*c = (struct query_chunk){ bytes, 0, cap };
		}
	}
	if (rc == 0 && row.len) {
		mer_spill_copy(c->bytes, c->bytes + c->n, row.data, row.len);
		c->n += (uint32_t)row.len;
	}
	r->n_rows += rc == 0;
	mer_str_fini(&row);
	return rc;
}

/* ---- What columns are ---- */

static bool ends_with(const char *key, const char *unit)
{
	size_t len = strlen(key), n = strlen(unit);
	return len >= n && strcmp(key + len - n, unit) == 0 &&
	       (len == n || key[len - n - 1] == '_');
}

static enum mer_type type_by_unit(const char *key, bool is_real)
{
	static const struct {
		const char *unit;
		enum mer_type whole, real;
	} units[] = {
		{ "bytes_per_s", MER_RATE, MER_RATE },
		{ "ns", MER_DURATION, MER_MEAN },
		{ "bytes", MER_BYTES, MER_TEXT },
		{ "khz", MER_KHZ, MER_TEXT },
		{ "hz", MER_HZ, MER_TEXT },
		{ "percent", MER_RATIO, MER_RATIO },
		{ "ppm", MER_PPM, MER_PPM },
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ends_with(key, units[i].unit))
			return is_real ? units[i].real : units[i].whole;
	return is_real ? MER_REAL : MER_COUNT;
}

/* A column of facts or tables with this name that is a time, or a number that names something. */
static enum mer_type type_by_name(const char *key, const struct query_table *tables, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (const struct mer_column *c = tables[i].columns; c->key; c++)
			if ((c->type == MER_TIME || c->type == MER_DATE || c->type == MER_ID) &&
				strcmp(c->key, key) == 0)
				return c->type;
	return MER_COUNT;
}

void query_result_end(struct query_result *r, const struct query_table *tables, size_t n)
{
	for (size_t i = 0; i < r->n_columns; i++) {
		struct mer_column *c = &r->columns[i];
		bool is_real = r->seen[i] & SEEN_REAL;
		if (r->seen[i] & SEEN_TEXT || !r->seen[i])
			c->type = MER_TEXT;
		else
			c->type = type_by_unit(c->key, is_real);
		if (mer_type_is_real(c->type) && r->seen[i] & SEEN_LARGE)
			c->type = MER_TEXT;
		if (c->type == MER_COUNT)
			c->type = type_by_name(c->key, tables, n);
	}
}

/* ---- Reading ---- */

/* What programs get as x: a ratio is kept as a part of 1, whose hundredfold is exactly x if there
 * is one. */
static double real_to_keep(enum mer_type type, double x)
{
	double v = x;
	if (type != MER_RATIO)
		return v;
	v = x / 100;
	for (int side = 0; side < 2 && v * 100 != x; side++) {
		double near = nextafter(x / 100, side ? INFINITY : -INFINITY);
		if (near * 100 == x)
			v = near;
	}
	return v;
}

static struct mer_cell cell_of(
	const struct mer_column *c, uint8_t tag, struct store_in *in, struct mer_arena *texts)
{
	uint64_t v = 0;
	double real = 0;
	const char *text = NULL;
	if (tag == SEEN_INT || tag == SEEN_TEXT)
		store_get_varint(in, &v);
	if (tag == SEEN_REAL) {
		memcpy(&real, in->at, sizeof(real));
		in->at += sizeof(real);
	} else if (tag == SEEN_TEXT) {
		text = (const char *)in->at;
		in->at += v + 1;
		return mer_text(text);
	}
	if (!tag || (tag == SEEN_REAL && !isfinite(real)))
		return MER_NONE;
	if (c->type == MER_TEXT)
		return mer_text(tag == SEEN_INT
					? mer_arena_printf(texts, "%" PRId64, store_unzigzag(v))
					: mer_arena_printf(texts, "%.17g", real));
	if (!mer_type_is_real(c->type))
		return MER_INT(store_unzigzag(v));
	real = tag == SEEN_INT ? (double)store_unzigzag(v) : real;
	return MER_REAL_CELL(real_to_keep(c->type, real));
}

void query_result_next(struct query_result *r, size_t most, struct mer_table *t)
{
	struct mer_cell *row = mer_arena_zalloc(t->arena, r->n_columns + 1, sizeof(*row));
	t->failed |= !row;
	for (size_t n = 0; row && n < most && r->chunk < r->n_chunks; n++) {
		const struct query_chunk *c = &r->chunks[r->chunk];
		struct store_in in = { c->bytes + r->at, c->bytes + c->n };
		for (size_t i = 0; i < r->n_columns; i++) {
			uint8_t tag = *in.at++;
			row[i] = cell_of(&r->columns[i], tag, &in, t->arena);
		}
		mer_table_add(t, row);
		r->at = (uint32_t)(in.at - c->bytes);
		if (r->at == c->n) {
			r->chunk++;
			r->at = 0;
		}
	}
}
