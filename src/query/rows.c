#include "query/rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/table_write.h"
#include "store/pack.h"

_Static_assert((int)QUERY_BLOCK <= (int)STORE_PACK_MAX, "a block is one packed column");

int query_rows_init(struct query_rows *r, const struct mer_column *columns, uint64_t kept,
	struct mer_spill *spill, struct mer_err *err)
{
	*r = (struct query_rows){ .columns = columns, .spill = spill };
	mer_arena_init(&r->arena);
	mer_intern_init(&r->texts, &r->arena);
	for (; columns[r->n_columns].key; r->n_columns++) {
		size_t c = r->n_columns;
		if (c >= QUERY_COLUMNS || !(kept >> c & 1))
			continue;
		r->kept |= UINT64_C(1) << c;
		r->place[c] = (uint8_t)r->n_kept++;
	}
	r->filling = calloc((r->n_kept + 1) * 2 * QUERY_BLOCK, sizeof(*r->filling));
	r->last_text = malloc((r->n_kept + 1) * sizeof(*r->last_text));
	if (!r->filling || !r->last_text)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < r->n_kept; i++)
		r->last_text[i] = MER_INTERN_NONE;
	return 0;
}

void query_rows_fini(struct query_rows *r)
{
	for (size_t i = 0; i < r->n_blocks; i++)
		mer_spill_release(r->blocks[i].bytes);
	free(r->blocks);
	free(r->filling);
	free(r->last_text);
	mer_intern_fini(&r->texts);
	mer_arena_fini(&r->arena);
	*r = (struct query_rows){ 0 };
}

static bool is_time(enum mer_type type)
{
	return type == MER_TIME || type == MER_DATE;
}

/* What to expect of values: most columns have small numbers, or few different ones. */
static enum store_packing packing_of(enum mer_type type)
{
	return is_time(type)			    ? STORE_DELTA
	       : type == MER_TEXT || type == MER_ID ? STORE_DICT
						    : STORE_PLAIN;
}

static void find_limits(const struct query_rows *r, struct query_block *b)
{
	const uint64_t *v = r->filling, *known = v + r->n_kept * QUERY_BLOCK;
	b->first = INT64_MIN;
	b->last = INT64_MAX;
	if (!(r->kept & 1) || !is_time(r->columns[0].type))
		return;
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (uint32_t i = 0; i < b->n; i++) {
		int64_t t = store_unzigzag(v[i]);
		if (!known[i])
			return;
		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	b->first = first;
	b->last = last;
}

/* What was filled becomes a block. */
static int end_block(struct query_rows *r, struct mer_err *err)
{
	struct mer_str out = { 0 };
	if (!mer_grow(&r->blocks, r->n_blocks, &r->cap_blocks, sizeof(*r->blocks)))
		return mer_fail_nomem(err);
	struct query_block *b = &r->blocks[r->n_blocks];
	*b = (struct query_block){ .n = r->n_filling };
	find_limits(r, b);
	for (size_t c = 0; c < r->n_columns && c < QUERY_COLUMNS; c++) {
		if (!(r->kept >> c & 1))
			continue;
		size_t k = r->place[c];
		b->at[k] = (uint32_t)out.len;
		store_pack(&out, STORE_PLAIN, r->filling + (r->n_kept + k) * QUERY_BLOCK, b->n);
		store_pack(
			&out, packing_of(r->columns[c].type), r->filling + k * QUERY_BLOCK, b->n);
	}
	b->at[r->n_kept] = (uint32_t)out.len;
	b->bytes = out.failed ? NULL : mer_spill_alloc(r->spill, out.len + STORE_SLACK);
	if (!b->bytes) {
		mer_str_fini(&out);
		return mer_fail_nomem(err);
	}
	if (out.len)
		mer_spill_copy(b->bytes, b->bytes, out.data, out.len);
	r->bytes += out.len + sizeof(*b);
	r->n_blocks++;
	r->n_filling = 0;
	mer_str_fini(&out);
	return 0;
}

static bool put_text(struct query_rows *r, size_t k, const char *text, uint64_t *v)
{
	uint32_t id = r->last_text[k];
	if (id == MER_INTERN_NONE || strcmp(mer_intern_text(&r->texts, id), text) != 0)
		id = mer_intern_add(&r->texts, text, strlen(text));
	r->last_text[k] = id;
	*v = id;
	return id != MER_INTERN_NONE;
}

int query_rows_add(struct query_rows *r, const struct mer_cell *cells, struct mer_err *err)
{
	for (size_t c = 0; c < r->n_columns && c < QUERY_COLUMNS; c++) {
		if (!(r->kept >> c & 1))
			continue;
		size_t k = r->place[c];
		uint64_t *v = &r->filling[k * QUERY_BLOCK + r->n_filling];
		uint64_t *known = &r->filling[(r->n_kept + k) * QUERY_BLOCK + r->n_filling];
		enum mer_type type = r->columns[c].type;
		*v = 0;
		*known = cells[c].set;
		if (!cells[c].set)
			continue;
		if (type == MER_TEXT) {
			if (!put_text(r, k, cells[c].v.text, v))
				return mer_fail_nomem(err);
		} else if (mer_type_is_real(type)) {
			double real = mer_table_real(type, &cells[c]);
			*known = isfinite(real); /* what is no number is not known */
			if (*known)
				memcpy(v, &real, sizeof(real));
		} else {
			*v = store_zigzag(cells[c].v.i);
		}
	}
	r->n_rows++;
	return ++r->n_filling < QUERY_BLOCK ? 0 : end_block(r, err);
}

int query_rows_end(struct query_rows *r, struct mer_err *err)
{
	int rc = r->n_filling ? end_block(r, err) : 0;
	free(r->filling);
	r->filling = NULL;
	return rc;
}

/* ---- Reading ---- */

int query_place_init(struct query_place *p, const struct query_rows *rows, struct mer_err *err)
{
	*p = (struct query_place){ .rows = rows };
	p->values = malloc((rows->n_kept + 1) * 2 * QUERY_BLOCK * sizeof(*p->values));
	return p->values ? 0 : mer_fail_nomem(err);
}

void query_place_fini(struct query_place *p)
{
	free(p->values);
	*p = (struct query_place){ 0 };
}

void query_place_enter(struct query_place *p)
{
	p->row = 0;
	p->decoded = 0;
}

static void decode(struct query_place *p, size_t k)
{
	const struct query_block *b = &p->rows->blocks[p->block];
	struct store_in in = { b->bytes + b->at[k], b->bytes + b->at[k + 1] };
	/* These are our own bytes. */
	bool ok = store_unpack(&in, p->values + (p->rows->n_kept + k) * QUERY_BLOCK, b->n) &&
		  store_unpack(&in, p->values + k * QUERY_BLOCK, b->n);
	assert(ok);
	(void)ok;
}

struct mer_cell query_place_cell(struct query_place *p, size_t column)
{
	const struct query_rows *r = p->rows;
	if (column >= r->n_columns || !(r->kept >> column & 1))
		return MER_NONE;
	size_t k = r->place[column];
	if (!(p->decoded >> column & 1)) {
		decode(p, k);
		p->decoded |= UINT64_C(1) << column;
	}
	uint64_t v = p->values[k * QUERY_BLOCK + p->row];
	enum mer_type type = r->columns[column].type;
	if (!p->values[(r->n_kept + k) * QUERY_BLOCK + p->row])
		return MER_NONE;
	if (type == MER_TEXT)
		return mer_text(mer_intern_text(&r->texts, (uint32_t)v));
	if (!mer_type_is_real(type))
		return MER_INT(store_unzigzag(v));
	double real;
	memcpy(&real, &v, sizeof(real));
	return MER_REAL_CELL(real);
}
