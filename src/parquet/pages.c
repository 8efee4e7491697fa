#include "parquet/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

#include "base/grow.h"
#include "base/utf.h"
#include "parquet/bits.h"
#include "parquet/thrift.h"

/* ---- Values ---- */

void parquet_pages_init(struct parquet_pages *p, enum parquet_type type)
{
	*p = (struct parquet_pages){ .type = type };
	mer_arena_init(&p->arena);
	mer_intern_init(&p->texts, &p->arena);
}

void parquet_pages_fini(struct parquet_pages *p)
{
	mer_intern_fini(&p->texts);
	mer_arena_fini(&p->arena);
	free(p->known);
	free(p->values);
}

static void forget(struct parquet_pages *p)
{
	p->n_rows = p->n_values = 0;
	if (p->type == PARQUET_TEXT) {
		mer_intern_fini(&p->texts);
		mer_arena_reset(&p->arena);
		mer_intern_init(&p->texts, &p->arena);
	}
}

static uint32_t number_of_text(struct parquet_pages *p, const char *text)
{
	size_t len = strlen(text), valid = 0, n;
	while ((n = mer_utf8_length(text + valid, len - valid)) > 0)
		valid += n;
	if (valid == len)
		return mer_intern_add(&p->texts, text, len);
	struct mer_str clean = { 0 };
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = mer_utf8_length(text + i, len - i);
		mer_str_add(&clean, n ? text + i : "\xef\xbf\xbd", n ? n : 3);
	}
	uint32_t number =
		clean.failed ? MER_INTERN_NONE : mer_intern_add(&p->texts, clean.data, clean.len);
	mer_str_fini(&clean);
	return number;
}

bool parquet_pages_add(struct parquet_pages *p, const struct parquet_value *v)
{
	uint64_t bits = 0;
	if (!mer_grow(&p->known, p->n_rows, &p->cap_rows, sizeof(*p->known)) ||
		!mer_grow(&p->values, p->n_values, &p->cap_values, sizeof(*p->values)))
		return false;
	p->known[p->n_rows++] = v->known;
	if (!v->known)
		return true;
	if (p->type == PARQUET_TEXT)
		bits = number_of_text(p, v->v.text);
	else if (p->type == PARQUET_DOUBLE)
		memcpy(&bits, &v->v.f, sizeof(bits));
	else
		bits = (uint64_t)v->v.i;
	p->values[p->n_values++] = bits;
	return p->type != PARQUET_TEXT || bits != MER_INTERN_NONE;
}

size_t parquet_pages_bytes(const struct parquet_pages *p)
{
	return (p->n_rows + p->n_values) * sizeof(*p->values) + p->arena.total_bytes +
	       p->texts.n * sizeof(*p->texts.texts);
}

/* ---- Encodings ---- */

/* The values as they are. */
static void put_plain(
	struct mer_str *out, const struct parquet_pages *p, const uint64_t *values, size_t n)
{
	if (p->type != PARQUET_TEXT) {
		parquet_pack(out, values, n, p->type == PARQUET_BOOL ? 1 : 64);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct mer_intern_text *t = &p->texts.texts[values[i]];
		parquet_pack(out, &(uint64_t){ t->len }, 1, 32);
		mer_str_add(out, t->text, t->len);
	}
}

struct dictionary {
	uint64_t *values; /* distinct ones, in the order in which they come first */
	uint64_t *places; /* of each value, in that order */
	size_t n;
	bool failed; /* no memory */
};

static void free_dictionary(struct dictionary *d)
{
	free(d->values);
	free(d->places);
	*d = (struct dictionary){ 0 };
}

/* None, n being 0, where about half of the values or more are distinct. */
static struct dictionary find_distinct(const struct parquet_pages *p)
{
	enum { ALWAYS = 1024 };
	struct dictionary d = { .values = malloc((p->n_values + 1) * sizeof(*d.values)),
		.places = malloc((p->n_values + 1) * sizeof(*d.places)) };
	struct mer_map map = { 0 };
	d.failed = !d.values || !d.places;
	for (size_t i = 0; i < p->n_values && !d.failed; i++) {
		uint32_t *place = mer_map_put(&map, p->values[i]);
		d.failed = !place;
		if (place && !*place) {
			d.values[d.n] = p->values[i];
			*place = (uint32_t)++d.n;
		}
		if (place)
			d.places[i] = *place - 1;
		if (d.n > ALWAYS + i / 2) {
			d.n = 0;
			break;
		}
	}
	mer_map_fini(&map);
	return d;
}

struct encoded {
	struct mer_str dictionary, data; /* without levels */
	size_t n_distinct;		 /* of the dictionary; 0: there is none */
	enum parquet_encoding encoding;
};

static void replace(struct encoded *e, struct mer_str *data, enum parquet_encoding encoding)
{
	mer_str_fini(&e->data);
	e->data = *data;
	e->encoding = encoding;
}

static void try_deltas(const struct parquet_pages *p, struct encoded *e)
{
	struct mer_str deltas = { 0 };
	parquet_deltas(&deltas, p->values, p->n_values);
	if (deltas.len < e->data.len || deltas.failed)
		replace(e, &deltas, PARQUET_DELTAS);
	else
		mer_str_fini(&deltas);
}

static void try_dictionary(const struct parquet_pages *p, struct encoded *e)
{
	struct dictionary d = find_distinct(p);
	struct mer_str dictionary = { 0 }, places = { 0 };
	/* Zero bits, for a single value, are valid; not every reader expects them. */
	unsigned width = d.n > 1 ? parquet_width(d.n - 1) : 1;
	if (d.n) {
		put_plain(&dictionary, p, d.values, d.n);
		mer_str_putc(&places, (char)width);
		parquet_runs(&places, d.places, p->n_values, width);
	}
	dictionary.failed |= d.failed;
	if (d.failed || (d.n && dictionary.len + places.len < e->data.len)) {
		e->dictionary = dictionary;
		e->n_distinct = d.n;
		replace(e, &places, PARQUET_DICTIONARY);
	} else {
		e->data.failed |= dictionary.failed | places.failed;
		mer_str_fini(&dictionary);
		mer_str_fini(&places);
	}
	free_dictionary(&d);
}

/* The shortest, before it is compressed. */
static struct encoded encode(const struct parquet_pages *p)
{
	struct encoded e = { .encoding = PARQUET_PLAIN };
	put_plain(&e.data, p, p->values, p->n_values);
	if (p->type == PARQUET_INT64 || p->type == PARQUET_TIME)
		try_deltas(p, &e);
	if (p->type != PARQUET_BOOL)
		try_dictionary(p, &e);
	return e;
}

/* ---- Bounds ---- */

static double real_of(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static bool is_less(const struct parquet_pages *p, uint64_t a, uint64_t b)
{
	if (p->type == PARQUET_DOUBLE)
		return real_of(a) < real_of(b);
	if (p->type != PARQUET_TEXT)
		return (int64_t)a < (int64_t)b;
	const struct mer_intern_text *x = &p->texts.texts[a], *y = &p->texts.texts[b];
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
	return order ? order < 0 : x->len < y->len;
}

/* A bound that is a zero stands for both of them. */
static void put_bound(struct mer_str *out, const struct parquet_pages *p, uint64_t v, double zero)
{
	if (p->type == PARQUET_TEXT) {
		mer_str_add(out, p->texts.texts[v].text, p->texts.texts[v].len);
		return;
	}
	if (p->type == PARQUET_DOUBLE && real_of(v) == 0)
		memcpy(&v, &zero, sizeof(v));
	parquet_pack(out, &v, 1, p->type == PARQUET_BOOL ? 8 : 64);
}

/* Not of what has no order, nor of texts that would make the file's end large. */
static void find_bounds(const struct parquet_pages *p, struct parquet_chunk *c)
{
	enum { LONGEST = 128 };
	bool is_text = p->type == PARQUET_TEXT; /* all of them occur */
	size_t n = is_text ? p->texts.n : p->n_values;
	uint64_t min = 0, max = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t v = is_text ? i : p->values[i];
		if (p->type == PARQUET_DOUBLE && isnan(real_of(v)))
			return;
		min = i == 0 || is_less(p, v, min) ? v : min;
		max = i == 0 || is_less(p, max, v) ? v : max;
	}
	if (!n)
		return;
	put_bound(&c->min, p, min, -0.0);
	put_bound(&c->max, p, max, 0.0);
	c->has_bounds = c->min.len <= LONGEST && c->max.len <= LONGEST;
}

/* ---- Pages ---- */

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };

static void compress_page(const struct mer_str *in, struct mer_str *out)
{
#ifdef MER_HAS_ZSTD
	enum { LEVEL = 3 };
	size_t most = ZSTD_compressBound(in->len);
	if (!mer_str_reserve(out, most))
		return;
	out->len = ZSTD_compress(out->data, most, in->data ? in->data : "", in->len, LEVEL);
	out->failed = ZSTD_isError(out->len);
#else
	mer_str_add(out, in->data, in->len);
#endif
}

/* The page as it is in the file, behind its header. */
static void put_page(struct mer_str *out, const struct encoded *e, size_t n_rows,
	const struct mer_str *plain, const struct mer_str *stored, bool is_dictionary)
{
	struct thrift t = { .out = out };
	uLong sum = crc32_z(0, (const Bytef *)stored->data, stored->len);
	thrift_begin(&t);
	thrift_i32(&t, 1, is_dictionary ? DICTIONARY_PAGE : DATA_PAGE);
	thrift_i32(&t, 2, (int32_t)plain->len);
	thrift_i32(&t, 3, (int32_t)stored->len);
	thrift_i32(&t, 4, (int32_t)sum);
	thrift_struct(&t, is_dictionary ? 7 : 5);
	thrift_i32(&t, 1, (int32_t)(is_dictionary ? e->n_distinct : n_rows));
	thrift_i32(&t, 2, (int32_t)(is_dictionary ? PARQUET_PLAIN : e->encoding));
	if (!is_dictionary) {
		thrift_i32(&t, 3, PARQUET_RLE);
		thrift_i32(&t, 4, PARQUET_RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
	mer_str_add(out, stored->data, stored->len);
}

/* Behind the levels, which say which rows are known. */
static void put_data(struct mer_str *out, const struct parquet_pages *p, const struct mer_str *data)
{
	struct mer_str levels = { 0 };
	parquet_runs(&levels, p->known, p->n_rows, 1);
	parquet_pack(out, &(uint64_t){ levels.len }, 1, 32);
	mer_str_add(out, levels.data, levels.len);
	mer_str_add(out, data->data, data->len);
	out->failed |= levels.failed;
	mer_str_fini(&levels);
}

bool parquet_pages_write(struct parquet_pages *p, struct mer_str *out, struct parquet_chunk *c)
{
	struct encoded e = encode(p);
	struct mer_str data = { 0 }, small[2] = { { 0 }, { 0 } };
	put_data(&data, p, &e.data);
	compress_page(&e.dictionary, &small[0]);
	compress_page(&data, &small[1]);
	c->has_dictionary = e.n_distinct > 0;
	c->is_compressed = small[0].len + small[1].len < e.dictionary.len + data.len;
	c->encoding = e.encoding;
	c->n_nulls = p->n_rows - p->n_values;
	find_bounds(p, c);
	size_t begin = out->len;
	if (c->has_dictionary)
		put_page(out, &e, p->n_rows, &e.dictionary,
			c->is_compressed ? &small[0] : &e.dictionary, true);
	c->dictionary_bytes = out->len - begin;
	put_page(out, &e, p->n_rows, &data, c->is_compressed ? &small[1] : &data, false);
	c->plain_bytes = out->len - begin;
	if (c->is_compressed) /* plus what compression has saved */
		c->plain_bytes += data.len - small[1].len +
				  (c->has_dictionary ? e.dictionary.len - small[0].len : 0);
	bool ok = !out->failed && !data.failed && !e.data.failed && !e.dictionary.failed &&
		  !small[0].failed && !small[1].failed && !c->min.failed && !c->max.failed;
	mer_str_fini(&e.dictionary);
	mer_str_fini(&e.data);
	mer_str_fini(&data);
	mer_str_fini(&small[0]);
	mer_str_fini(&small[1]);
	forget(p);
	return ok;
}

void parquet_chunk_fini(struct parquet_chunk *c)
{
	mer_str_fini(&c->min);
	mer_str_fini(&c->max);
}
