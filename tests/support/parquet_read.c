#include "parquet_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

static bool fail(struct parquet_read *f, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!f->why[0])
		vsnprintf(f->why, sizeof(f->why), fmt, ap);
	va_end(ap);
	return false;
}

/* ---- Bytes ---- */

struct bytes {
	const uint8_t *at, *end;
	bool bad; /* it ended too early */
};

static uint8_t byte(struct bytes *b)
{
	if (b->at < b->end)
		return *b->at++;
	b->bad = true;
	return 0;
}

static uint64_t little(struct bytes *b, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)byte(b) << 8 * i;
	return v;
}

static uint64_t varint(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t x = byte(b);
		v |= (uint64_t)(x & 127) << shift;
		if (!(x & 128))
			return v;
	}
	b->bad = true;
	return 0;
}

static int64_t zigzag(struct bytes *b)
{
	uint64_t v = varint(b);
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static struct bytes take(struct bytes *b, uint64_t n)
{
	struct bytes part = { b->at, b->at, false };
	if (n > (uint64_t)(b->end - b->at)) {
		b->bad = true;
		return part;
	}
	part.end = b->at += n;
	return part;
}

static char *text_of(struct bytes b)
{
	size_t n = (size_t)(b.end - b.at);
	char *text = calloc(1, n + 1);
	if (n)
		memcpy(text, b.at, n);
	return text;
}

/* ---- Thrift ---- */

struct node {
	int id, type;
	int64_t i; /* numbers, truth values */
	struct bytes text;
	struct node *children; /* fields of a struct, elements of a list */
	size_t n;
};

static void free_node(struct node *x)
{
	for (size_t i = 0; i < x->n; i++)
		free_node(&x->children[i]);
	free(x->children);
}

static void read_node(struct bytes *b, struct node *x);

static struct node *add_child(struct node *x)
{
	x->children = realloc(x->children, (x->n + 1) * sizeof(*x->children));
	x->children[x->n] = (struct node){ 0 };
	return &x->children[x->n++];
}

static void read_struct(struct bytes *b, struct node *x)
{
	int id = 0;
	for (uint8_t head; !b->bad && (head = byte(b)) != 0;) {
		id = head >> 4 ? id + (head >> 4) : (int)zigzag(b);
		struct node *c = add_child(x);
		c->id = id;
		c->type = head & 15;
		read_node(b, c);
	}
}

static void read_list(struct bytes *b, struct node *x)
{
	uint8_t head = byte(b);
	uint64_t n = head >> 4 == 15 ? varint(b) : head >> 4;
	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct node *c = add_child(x);
		c->type = head & 15;
		read_node(b, c);
	}
}

static void read_node(struct bytes *b, struct node *x)
{
	switch (x->type) {
	case 1: x->i = 1; break;
	case 2: x->i = 0; break;
	case 4:
	case 5:
	case 6: x->i = zigzag(b); break;
	case 8: x->text = take(b, varint(b)); break;
	case 9: read_list(b, x); break;
	case 12: read_struct(b, x); break;
	default: b->bad = true;
	}
}

static const struct node none;

static const struct node *get(const struct node *x, int id)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->children[i].id == id)
			return &x->children[i];
	return &none;
}

static bool has(const struct node *x, int id)
{
	return get(x, id) != &none;
}

/* ---- Encodings ---- */

static uint64_t bits_at(const struct bytes *b, uint64_t bit, unsigned width, bool *bad)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < width; i++) {
		const uint8_t *at = b->at + (bit + i) / 8;
		*bad |= at >= b->end;
		if (!*bad)
			v |= (uint64_t)(*at >> (bit + i) % 8 & 1) << i;
	}
	return v;
}

/* n values: runs of one, and groups of eight side by side. */
static void read_runs(struct bytes *b, uint64_t *values, size_t n, unsigned width)
{
	for (size_t i = 0; i < n && !b->bad;) {
		uint64_t head = varint(b);
		if (head & 1) {
			struct bytes packed = take(b, (head >> 1) * width);
			for (uint64_t k = 0; k < (head >> 1) * 8; k++) {
				uint64_t v = bits_at(&packed, k * width, width, &b->bad);
				if (i < n)
					values[i++] = v;
				else
					b->bad |= v != 0; /* what fills the last group */
			}
		} else {
			uint64_t v = little(b, (width + 7) / 8);
			b->bad |= !(head >> 1) || (head >> 1) > n - i;
			for (uint64_t k = 0; k < head >> 1 && i < n; k++)
				values[i++] = v;
		}
	}
}

static void read_deltas(struct bytes *b, uint64_t *values, size_t n)
{
	uint64_t block = varint(b), parts = varint(b), count = varint(b);
	uint64_t v = (uint64_t)zigzag(b);
	b->bad |= block % 128 || !parts || parts > 64 || block / parts % 32 || count != n;
	for (size_t i = 0; i < n && !b->bad;) {
		if (i == 0) {
			values[i++] = v;
			continue;
		}
		uint64_t least = (uint64_t)zigzag(b);
		struct bytes widths = take(b, parts);
		for (uint64_t p = 0; p < parts && i < n && !b->bad; p++) {
			unsigned width = widths.at[p];
			struct bytes packed = take(b, block / parts * width / 8);
			for (uint64_t k = 0; k < block / parts && i < n; k++)
				values[i++] = v +=
					least + bits_at(&packed, k * width, width, &b->bad);
		}
	}
}

/* ---- Chunks ---- */

struct chunk { /* what is needed to read one */
	struct parquet_read *f;
	struct parquet_read_column *column;
	const struct node *about; /* ColumnMetaData */
	size_t first, n;	  /* rows */
	uint64_t *dictionary;
	char **dictionary_texts;
	size_t n_dictionary;
};

/* n values as they are; texts is NULL, but for texts. */
static void read_plain(
	struct bytes *b, enum parquet_read_type type, size_t n, uint64_t *values, char **texts)
{
	for (size_t i = 0; i < n && !b->bad; i++)
		if (type == READ_TEXT)
			texts[i] = text_of(take(b, little(b, 4)));
		else if (type == READ_BOOL)
			values[i] = bits_at(b, i, 1, &b->bad);
		else
			values[i] = little(b, 8);
	if (type == READ_BOOL)
		take(b, (n + 7) / 8);
}

static bool read_dictionary(struct chunk *c, const struct node *head, struct bytes *b)
{
	c->n_dictionary = (size_t)get(get(head, 7), 1)->i;
	if (c->n_dictionary > (size_t)(b->end - b->at) || get(get(head, 7), 2)->i != 0)
		return fail(c->f, "%s: dictionary", c->column->name);
	c->dictionary = calloc(c->n_dictionary + 1, sizeof(uint64_t));
	c->dictionary_texts = calloc(c->n_dictionary + 1, sizeof(char *));
	read_plain(b, c->column->type, c->n_dictionary, c->dictionary, c->dictionary_texts);
	return !b->bad && b->at == b->end;
}

static bool read_values(struct chunk *c, unsigned encoding, struct bytes *b, size_t n,
	uint64_t *values, char **texts)
{
	c->column->encodings |= encoding < 31 ? 1u << encoding : 0;
	if (encoding == 0) {
		read_plain(b, c->column->type, n, values, texts);
	} else if (encoding == 5) {
		read_deltas(b, values, n);
	} else if (encoding == 8) {
		unsigned width = byte(b);
		read_runs(b, values, n, width > 32 ? 32 : width);
		for (size_t i = 0; i < n && !b->bad; i++) {
			b->bad |= values[i] >= c->n_dictionary;
			if (!b->bad && c->column->type == READ_TEXT)
				texts[i] = strdup(c->dictionary_texts[values[i]]);
			else if (!b->bad)
				values[i] = c->dictionary[values[i]];
		}
	} else {
		b->bad = true;
	}
	return !b->bad && b->at == b->end;
}

static bool read_data(struct chunk *c, const struct node *head, struct bytes *b)
{
	const struct node *h = get(head, 5);
	uint64_t *levels = calloc(c->n + 1, sizeof(*levels)),
		 *values = calloc(c->n + 1, sizeof(*values));
	char **texts = calloc(c->n + 1, sizeof(*texts));
	size_t n = 0;
	struct bytes part = take(b, little(b, 4));
	bool ok = (size_t)get(h, 1)->i == c->n && get(h, 3)->i == 3 && get(h, 4)->i == 3;
	read_runs(&part, levels, c->n, 1);
	ok = ok && !part.bad && part.at == part.end && !b->bad;
	for (size_t i = 0; i < c->n; i++)
		n += levels[i];
	ok = ok && read_values(c, (unsigned)get(h, 2)->i, b, n, values, texts);
	for (size_t i = 0, k = 0; i < c->n && ok; i++) {
		c->column->known[c->first + i] = levels[i];
		c->column->values[c->first + i] = levels[i] ? values[k] : 0;
		c->column->texts[c->first + i] = levels[i] ? texts[k] : NULL;
		k += levels[i];
	}
	free(levels);
	free(values);
	free(texts);
	return ok || fail(c->f, "%s: data", c->column->name);
}

/* A page: its head, and its bytes, made whole again. */
static bool read_page(struct chunk *c, struct bytes *b, uint64_t *plain_bytes, bool *is_data)
{
	struct node head = { 0 };
	const uint8_t *begin = b->at;
	read_struct(b, &head);
	size_t plain = (size_t)get(&head, 2)->i, stored = (size_t)get(&head, 3)->i;
	*plain_bytes += (uint64_t)(b->at - begin) + plain;
	struct bytes page = take(b, stored);
	bool ok = !b->bad && plain < (size_t)1 << 30 &&
		  (uint32_t)get(&head, 4)->i == crc32_z(0, page.at, stored);
	uint8_t *whole = ok ? malloc(plain + 1) : NULL;
	bool is_zstd = get(c->about, 4)->i == 6;
	if (ok && !is_zstd && (ok = plain == stored))
		memcpy(whole, page.at, plain);
#ifdef MER_HAS_ZSTD
	if (ok && is_zstd)
		ok = ZSTD_decompress(whole, plain + 1, page.at, stored) == plain;
#endif
	if (!ok)
		fail(c->f, "%s: a page is damaged", c->column->name);
	struct bytes all = { whole, whole ? whole + plain : NULL, false };
	*is_data = get(&head, 1)->i == 0;
	if (ok)
		ok = *is_data ? read_data(c, &head, &all) : read_dictionary(c, &head, &all);
	c->column->encodings |= is_zstd ? 1u << 31 : 0;
	free(whole);
	free_node(&head);
	return ok;
}

/* -1, 0, 1 */
static int compare(
	enum parquet_read_type type, uint64_t a, const char *x, uint64_t b, const char *y)
{
	double p, q;
	if (type == READ_TEXT)
		return strcmp(x, y);
	if (type != READ_DOUBLE)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	memcpy(&p, &a, sizeof(p));
	memcpy(&q, &b, sizeof(q));
	return (p > q) - (p < q);
}

/* What the file says of the values is so, and bounds are those of values. */
static bool check_statistics(struct chunk *c)
{
	const struct node *s = get(c->about, 12);
	enum parquet_read_type type = c->column->type;
	size_t n_nulls = 0, n_min = 0, n_max = 0;
	bool ok = true;
	struct bytes bounds[2] = { get(s, 6)->text, get(s, 5)->text };
	char *texts[2] = { text_of(bounds[0]), text_of(bounds[1]) };
	uint64_t values[2] = { 0, 0 };
	for (int i = 0; i < 2 && type != READ_TEXT && has(s, 5); i++)
		values[i] = little(&bounds[i], type == READ_BOOL ? 1 : 8);
	c->column->n_bounds += has(s, 5);
	c->column->min = values[0];
	c->column->max = values[1];
	for (size_t i = c->first; i < c->first + c->n; i++) {
		n_nulls += !c->column->known[i];
		if (!c->column->known[i] || !has(s, 5))
			continue;
		uint64_t v = c->column->values[i];
		int min = compare(type, v, c->column->texts[i], values[0], texts[0]);
		int max = compare(type, v, c->column->texts[i], values[1], texts[1]);
		ok = ok && min >= 0 && max <= 0;
		n_min += min == 0;
		n_max += max == 0;
	}
	ok = ok && (!has(s, 5) || (n_min && n_max)) && has(s, 5) == has(s, 6) &&
	     (size_t)get(s, 3)->i == n_nulls;
	free(texts[0]);
	free(texts[1]);
	return ok || fail(c->f, "%s: statistics", c->column->name);
}

static bool read_chunk(struct parquet_read *f, const struct bytes *file, const struct node *node,
	struct parquet_read_column *column, size_t first, size_t n)
{
	const struct node *about = get(node, 3);
	struct chunk c = { .f = f, .column = column, .about = about, .first = first, .n = n };
	int64_t data = get(about, 9)->i, begin = has(about, 11) ? get(about, 11)->i : data;
	struct bytes b = *file;
	take(&b, (uint64_t)begin);
	b = take(&b, (uint64_t)get(about, 7)->i);
	uint64_t plain = 0;
	bool is_data = false,
	     ok = !b.bad && get(about, 5)->i == (int64_t)n && begin >= 4 && get(about, 3)->n == 1;
	ok = ok || fail(f, "%s: place", column->name);
	while (ok && !is_data) {
		bool is_place = (b.at - file->at == data);
		ok = read_page(&c, &b, &plain, &is_data) &&
		     (is_place == is_data || fail(f, "%s: offset", column->name));
	}
	if (ok && (b.at != b.end || plain != (uint64_t)get(about, 6)->i))
		ok = fail(f, "%s: bytes", column->name);
	for (size_t i = 0; i < c.n_dictionary; i++)
		free(c.dictionary_texts[i]);
	free(c.dictionary);
	free(c.dictionary_texts);
	return ok && check_statistics(&c);
}

/* ---- The file ---- */

static bool read_column_type(const struct node *x, enum parquet_read_type *type)
{
	const struct node *logical = get(x, 10), *time = get(logical, 8);
	bool is_text = has(logical, 1) && get(x, 6)->i == 0 && has(x, 6);
	switch (get(x, 1)->i) {
	case 0: *type = READ_BOOL; return true;
	case 2:
		*type = has(logical, 8) ? READ_TIME : READ_INT64;
		return !has(logical, 8) ||
		       (has(time, 1) && !get(time, 1)->i && has(get(time, 2), 3));
	case 5: *type = READ_DOUBLE; return true;
	case 6: *type = READ_TEXT; return is_text;
	default: return false;
	}
}

static bool read_schema(struct parquet_read *f, const struct node *end)
{
	const struct node *schema = get(end, 2);
	f->n_columns = schema->n ? schema->n - 1 : 0;
	f->columns = calloc(f->n_columns + 1, sizeof(*f->columns));
	bool ok = schema->n && (size_t)get(&schema->children[0], 5)->i == f->n_columns &&
		  get(end, 7)->n == f->n_columns;
	for (size_t i = 0; i < f->n_columns; i++) {
		const struct node *x = &schema->children[i + 1];
		struct parquet_read_column *c = &f->columns[i];
		c->name = text_of(get(x, 4)->text);
		ok = ok && get(x, 3)->i == 1 && read_column_type(x, &c->type);
		c->known = calloc(f->n_rows + 1, sizeof(*c->known));
		c->values = calloc(f->n_rows + 1, sizeof(*c->values));
		c->texts = calloc(f->n_rows + 1, sizeof(*c->texts));
	}
	return ok || fail(f, "schema");
}

/* What the file says of a row group is the sum of its chunks, one behind the other. */
static bool check_sums(struct parquet_read *f, const struct node *group)
{
	const struct node *columns = get(group, 1);
	int64_t plain = 0, stored = 0;
	bool ok = true;
	for (size_t c = 0; c < columns->n; c++) {
		ok = ok && get(&columns->children[c], 2)->i == get(group, 5)->i + stored;
		plain += get(get(&columns->children[c], 3), 6)->i;
		stored += get(get(&columns->children[c], 3), 7)->i;
	}
	ok = ok && get(group, 2)->i == plain && get(group, 6)->i == stored;
	return ok || fail(f, "sums of a row group");
}

static bool read_groups(struct parquet_read *f, const struct node *end, const struct bytes *file)
{
	const struct node *groups = get(end, 4);
	size_t first = 0;
	bool ok = true;
	f->n_groups = groups->n;
	for (size_t g = 0; g < groups->n && ok; g++) {
		const struct node *columns = get(&groups->children[g], 1);
		size_t n = (size_t)get(&groups->children[g], 3)->i;
		ok = (columns->n == f->n_columns && n <= f->n_rows - first) ||
		     fail(f, "row group %zu", g);
		ok = ok && check_sums(f, &groups->children[g]);
		for (size_t c = 0; c < columns->n && ok; c++)
			ok = read_chunk(f, file, &columns->children[c], &f->columns[c], first, n);
		first += n;
	}
	return ok && (first == f->n_rows || fail(f, "rows"));
}

static void read_pairs(struct parquet_read *f, const struct node *pairs)
{
	f->n_pairs = pairs->n;
	f->keys = calloc(pairs->n + 1, sizeof(*f->keys));
	f->pairs = calloc(pairs->n + 1, sizeof(*f->pairs));
	for (size_t i = 0; i < pairs->n; i++) {
		f->keys[i] = text_of(get(&pairs->children[i], 1)->text);
		f->pairs[i] = text_of(get(&pairs->children[i], 2)->text);
	}
}

static bool read_file(struct parquet_read *f, struct bytes file)
{
	size_t size = (size_t)(file.end - file.at);
	if (size < 12 || memcmp(file.at, "PAR1", 4) != 0 || memcmp(file.end - 4, "PAR1", 4) != 0)
		return fail(f, "no Parquet file");
	struct bytes tail = { file.end - 8, file.end - 4, false };
	uint64_t length = little(&tail, 4);
	if (length > size - 12)
		return fail(f, "length of the end");
	struct bytes b = { file.end - 8 - length, file.end - 8, false };
	struct node end = { 0 };
	read_struct(&b, &end);
	f->n_rows = (size_t)get(&end, 3)->i;
	bool ok = (!b.bad && b.at == b.end && f->n_rows < (size_t)1 << 31) || fail(f, "end");
	if (ok) {
		f->made_by = text_of(get(&end, 6)->text);
		read_pairs(f, get(&end, 5));
		ok = read_schema(f, &end) && read_groups(f, &end, &file);
	}
	free_node(&end);
	return ok;
}

bool parquet_read(struct parquet_read *f, const char *path)
{
	*f = (struct parquet_read){ 0 };
	FILE *in = fopen(path, "rb");
	if (!in)
		return fail(f, "cannot be opened");
	fseek(in, 0, SEEK_END);
	size_t n = (size_t)ftell(in);
	uint8_t *bytes = malloc(n + 1);
	rewind(in);
	bool ok = fread(bytes, 1, n, in) == n || fail(f, "cannot be read");
	fclose(in);
	ok = ok && read_file(f, (struct bytes){ bytes, bytes + n, false });
	free(bytes);
	return ok;
}

void parquet_read_free(struct parquet_read *f)
{
	for (size_t c = 0; c < f->n_columns && f->columns; c++) {
		struct parquet_read_column *x = &f->columns[c];
		for (size_t i = 0; i < f->n_rows && x->texts; i++)
			free(x->texts[i]);
		free(x->name);
		free(x->known);
		free(x->values);
		free(x->texts);
	}
	for (size_t i = 0; i < f->n_pairs; i++) {
		free(f->keys[i]);
		free(f->pairs[i]);
	}
	free(f->columns);
	free(f->keys);
	free(f->pairs);
	free(f->made_by);
	*f = (struct parquet_read){ 0 };
}

const char *parquet_read_pair(const struct parquet_read *f, const char *key)
{
	for (size_t i = 0; i < f->n_pairs; i++)
		if (strcmp(f->keys[i], key) == 0)
			return f->pairs[i];
	return NULL;
}
