/* Results as Arrow: rows of cells become columns, a batch at a time, by Arrow's C data and C stream
 * interfaces (meridian/session.h).
 *
 * Each schema and each array has an arena of its own, its private data: a reader may take a child
 * out of its parent, by copying its struct, and release either first. Nothing of a batch is shared
 * with the result or with another batch. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "base/table_write.h"
#include "base/utf.h"

enum {
	USUAL_ROWS = 65536,
	/* Of the texts in a batch, unless one row has more: a batch is then shorter. */
	BATCH_BYTES = 16 << 20,
	/* Offsets have 31 bits, and a byte can become three. */
	ROW_BYTES = INT32_MAX / 3,
	ALIGNMENT = 64
};

struct stream {
	const struct mer_result *result;
	size_t next, max_rows; /* rows */
	bool dictionaries;
	const char *error; /* of the last call */
};

static struct mer_arena *new_arena(void)
{
	struct mer_arena *a = malloc(sizeof(*a));
	if (a)
		mer_arena_init(a);
	return a;
}

static void free_arena(struct mer_arena *a)
{
	mer_arena_fini(a);
	free(a);
}

/* ---- Schemas ---- */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++)
		if (s->children[i]->release)
			s->children[i]->release(s->children[i]);
	if (s->dictionary && s->dictionary->release)
		s->dictionary->release(s->dictionary);
	free_arena(s->private_data);
	s->release = NULL;
}

/* n pairs of a key and a value; those whose value is NULL are left out. Lengths are as int32 in
 * front of what they are of. */
static const char *metadata_of(struct mer_arena *a, const char *const pairs[][2], size_t n)
{
	size_t bytes = sizeof(int32_t);
	int32_t n_known = 0;
	for (size_t i = 0; i < n; i++)
		if (pairs[i][1]) {
			bytes += 2 * sizeof(int32_t) + strlen(pairs[i][0]) + strlen(pairs[i][1]);
			n_known++;
		}
	char *to = mer_arena_alloc(a, bytes), *p = to;
	if (!to)
		return NULL;
	memcpy(p, &n_known, sizeof(n_known));
	p += sizeof(n_known);
	for (size_t i = 0; i < 2 * n; i++) {
		const char *text = pairs[i / 2][i % 2];
		int32_t length = pairs[i / 2][1] ? (int32_t)strlen(text) : 0;
		if (!pairs[i / 2][1])
			continue;
		memcpy(p, &length, sizeof(length));
		memcpy(p + sizeof(length), text, (size_t)length);
		p += sizeof(length) + (size_t)length;
	}
	return to;
}

/* The members without children. False: no memory; s can be released all the same. */
static bool begin_schema(struct ArrowSchema *s, const char *format, const char *name,
	const char *const pairs[][2], size_t n_pairs)
{
	struct mer_arena *a = new_arena();
	*s = (struct ArrowSchema){ .format = format, .flags = ARROW_FLAG_NULLABLE };
	if (!a)
		return false;
	s->private_data = a;
	s->release = release_schema;
	s->name = mer_arena_strdup(a, name);
	s->metadata = n_pairs ? metadata_of(a, pairs, n_pairs) : NULL;
	return !a->failed;
}

static const char *format_of(const struct mer_column *c, const struct stream *x)
{
	switch (c->type) {
	case MER_TEXT: return x->dictionaries ? "i" : "u";
	case MER_TIME:
	case MER_DATE: return "tsn:UTC";
	case MER_DURATION:
	case MER_OFFSET: return "tDn";
	default: return mer_type_is_real(c->type) ? "g" : "l";
	}
}

static bool column_schema(struct ArrowSchema *s, const struct mer_column *c, const struct stream *x)
{
	const char *const pairs[][2] = { { "title", c->title }, { "type", mer_type_name(c->type) },
		{ "unit", mer_column_unit(c) } };
	if (!begin_schema(s, format_of(c, x), c->key, pairs, 3))
		return false;
	if (c->type != MER_TEXT || !x->dictionaries)
		return true;
	s->dictionary = mer_arena_zalloc(s->private_data, 1, sizeof(*s->dictionary));
	return s->dictionary && begin_schema(s->dictionary, "u", "", NULL, 0);
}

static bool table_schema(struct ArrowSchema *s, const struct mer_table *t, const struct stream *x)
{
	const char *const pairs[][2] = { { "id", t->id }, { "title", t->title } };
	if (!begin_schema(s, "+s", "", pairs, 2))
		return false;
	s->flags = 0; /* no row is unknown as a whole */
	struct ArrowSchema *all = mer_arena_zalloc(s->private_data, t->n_columns, sizeof(*all));
	s->children = mer_arena_zalloc(s->private_data, t->n_columns, sizeof(*s->children));
	for (size_t i = 0; all && s->children && i < t->n_columns; i++) {
		s->children[i] = &all[i];
		s->n_children++;
		if (!column_schema(&all[i], &t->columns[i], x))
			return false;
	}
	return s->n_children == (int64_t)t->n_columns;
}

/* ---- Arrays ---- */

static void release_array(struct ArrowArray *a)
{
	for (int64_t i = 0; i < a->n_children; i++)
		if (a->children[i]->release)
			a->children[i]->release(a->children[i]);
	if (a->dictionary && a->dictionary->release)
		a->dictionary->release(a->dictionary);
	free_arena(a->private_data);
	a->release = NULL;
}

static bool begin_array(struct ArrowArray *a, size_t length, size_t n_buffers)
{
	struct mer_arena *arena = new_arena();
	*a = (struct ArrowArray){ .length = (int64_t)length };
	if (!arena)
		return false;
	a->private_data = arena;
	a->release = release_array;
	a->buffers = mer_arena_zalloc(arena, n_buffers, sizeof(*a->buffers));
	a->n_buffers = (int64_t)n_buffers;
	return a->buffers;
}

/* A zeroed buffer of the array, aligned and padded as Arrow recommends; NULL: no memory. */
static void *add_buffer(struct ArrowArray *a, size_t i, size_t bytes)
{
	size_t padded = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	char *p = mer_arena_zalloc(a->private_data, padded + ALIGNMENT, 1);
	if (p)
		p += (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
	a->buffers[i] = p;
	return p;
}

/* The bits of which values are known; said only if some are not. */
static uint8_t *add_known(struct ArrowArray *a)
{
	a->null_count = a->length;
	return add_buffer(a, 0, ((size_t)a->length + 7) / 8);
}

static void put_known(struct ArrowArray *a, uint8_t *known, size_t row)
{
	known[row / 8] |= (uint8_t)(1u << row % 8);
	a->null_count--;
}

static bool end_known(struct ArrowArray *a)
{
	if (a->null_count == 0)
		a->buffers[0] = NULL;
	return true;
}

/* The cells of a column in some rows of a table. */
struct cells {
	const struct mer_cell *first;
	size_t n, step;
	enum mer_type type;
};

static const struct mer_cell *cell_at(const struct cells *c, size_t row)
{
	return &c->first[row * c->step];
}

static bool number_array(struct ArrowArray *a, const struct cells *c)
{
	bool is_real = mer_type_is_real(c->type);
	if (!begin_array(a, c->n, 2))
		return false;
	uint8_t *known = add_known(a);
	int64_t *values = add_buffer(a, 1, c->n * sizeof(*values));
	if (!known || !values)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct mer_cell *cell = cell_at(c, i);
		double real = is_real && cell->set ? mer_table_real(c->type, cell) : 0;
		if (!cell->set || !isfinite(real))
			continue;
		if (is_real)
			memcpy(&values[i], &real, sizeof(real));
		else
			values[i] = cell->v.i;
		put_known(a, known, i);
	}
	return end_known(a);
}

/* The text as UTF-8; to NULL: only how long that is. */
static size_t put_text(char *to, const char *text)
{
	static const char unknown[] = "\xef\xbf\xbd";
	size_t left = strlen(text), length = 0;
	while (left) {
		size_t n = mer_utf8_length(text, left), n_out = n ? n : sizeof(unknown) - 1;
		if (to)
			memcpy(to + length, n ? text : unknown, n_out);
		length += n_out;
		text += n ? n : 1;
		left -= n ? n : 1;
	}
	return length;
}

/* NULL: unknown. */
static bool text_array(struct ArrowArray *a, const char *const *texts, size_t n)
{
	size_t bytes = 0;
	if (!begin_array(a, n, 3))
		return false;
	for (size_t i = 0; i < n; i++)
		bytes += texts[i] ? put_text(NULL, texts[i]) : 0;
	uint8_t *known = add_known(a);
	int32_t *offsets = add_buffer(a, 1, (n + 1) * sizeof(*offsets));
	char *data = add_buffer(a, 2, bytes);
	if (!known || !offsets || !data)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t length = texts[i] ? put_text(data + offsets[i], texts[i]) : 0;
		offsets[i + 1] = offsets[i] + (int32_t)length;
		if (texts[i])
			put_known(a, known, i);
	}
	return end_known(a);
}

/* The different texts of a column. Equal ones are mostly the same in memory: they are not compared
 * again. */
struct distinct {
	struct mer_arena arena;
	struct mer_intern texts;
	struct mer_str utf8;
	struct {
		const char *text;
		uint32_t number;
	} seen[1024];
};

static uint32_t number_of(struct distinct *d, const char *text)
{
	size_t at = ((uintptr_t)text >> 3 ^ (uintptr_t)text >> 13) % 1024;
	if (d->seen[at].text == text)
		return d->seen[at].number;
	size_t length = put_text(NULL, text);
	mer_str_clear(&d->utf8);
	if (!mer_str_reserve(&d->utf8, length))
		return MER_INTERN_NONE;
	put_text(d->utf8.data, text);
	uint32_t number = mer_intern_add(&d->texts, d->utf8.data, length);
	d->seen[at].text = text;
	d->seen[at].number = number;
	return number;
}

static bool number_texts(
	struct ArrowArray *a, const char *const *texts, size_t n, struct distinct *d)
{
	if (!begin_array(a, n, 2))
		return false;
	uint8_t *known = add_known(a);
	int32_t *values = add_buffer(a, 1, n * sizeof(*values));
	if (!known || !values)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!texts[i])
			continue;
		uint32_t number = number_of(d, texts[i]);
		if (number == MER_INTERN_NONE)
			return false;
		values[i] = (int32_t)number;
		put_known(a, known, i);
	}
	return end_known(a);
}

static bool dictionary_array(struct ArrowArray *a, const char *const *texts, size_t n)
{
	struct distinct *d = calloc(1, sizeof(*d));
	const char **all = NULL;
	if (!d)
		return false;
	mer_arena_init(&d->arena);
	mer_intern_init(&d->texts, &d->arena);
	bool ok = number_texts(a, texts, n, d);
	if (ok)
		a->dictionary = mer_arena_zalloc(a->private_data, 1, sizeof(*a->dictionary));
	if (ok && a->dictionary)
		all = calloc(d->texts.n + 1, sizeof(*all));
	for (uint32_t i = 0; all && i < d->texts.n; i++)
		all[i] = mer_intern_text(&d->texts, i);
	ok = all && text_array(a->dictionary, all, d->texts.n);
	free(all);
	mer_str_fini(&d->utf8);
	mer_intern_fini(&d->texts);
	mer_arena_fini(&d->arena);
	free(d);
	return ok;
}

static bool column_array(struct ArrowArray *a, const struct cells *c, const struct stream *x)
{
	if (c->type != MER_TEXT)
		return number_array(a, c);
	const char **texts = calloc(c->n, sizeof(*texts));
	for (size_t i = 0; texts && i < c->n; i++)
		texts[i] = cell_at(c, i)->set ? cell_at(c, i)->v.text : NULL;
	bool ok = texts && (x->dictionaries ? dictionary_array : text_array)(a, texts, c->n);
	free(texts);
	return ok;
}

static bool rows_array(
	struct ArrowArray *a, const struct mer_table *t, size_t n, const struct stream *x)
{
	if (!begin_array(a, n, 1)) /* no bits of rows: none is unknown as a whole */
		return false;
	struct ArrowArray *all = mer_arena_zalloc(a->private_data, t->n_columns, sizeof(*all));
	a->children = mer_arena_zalloc(a->private_data, t->n_columns, sizeof(*a->children));
	for (size_t i = 0; all && a->children && i < t->n_columns; i++) {
		const struct cells c = { &t->cells[x->next * t->n_columns + i], n, t->n_columns,
			t->columns[i].type };
		a->children[i] = &all[i];
		a->n_children++;
		if (!column_array(&all[i], &c, x))
			return false;
	}
	return a->n_children == (int64_t)t->n_columns;
}

/* ---- Streams ---- */

static size_t bytes_of_row(const struct mer_table *t, size_t row)
{
	const struct mer_cell *cells = &t->cells[row * t->n_columns];
	size_t bytes = 0;
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].type == MER_TEXT && cells[i].set)
			bytes += strlen(cells[i].v.text);
	return bytes;
}

/* Rows of the next batch; 0: a row is too large for one. */
static size_t count_rows(const struct mer_table *t, const struct stream *x)
{
	size_t n = 0, bytes = 0;
	for (size_t row = x->next; row < t->n_rows && n < x->max_rows; row++, n++) {
		bytes += bytes_of_row(t, row);
		if (bytes > (n ? (size_t)BATCH_BYTES : (size_t)ROW_BYTES))
			break;
	}
	return n;
}

static int end_call(struct stream *x, int rc)
{
	x->error = rc == ENOMEM ? "out of memory"
		   : rc		? "a row has more text than a batch may"
				: NULL;
	return rc;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct stream *x = stream->private_data;
	bool ok = table_schema(out, x->result->table, x);
	if (!ok && out->release)
		out->release(out);
	return end_call(x, ok ? 0 : ENOMEM);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct stream *x = stream->private_data;
	const struct mer_table *t = x->result->table;
	out->release = NULL; /* the end */
	if (x->next == t->n_rows)
		return end_call(x, 0);
	size_t n = count_rows(t, x);
	if (n == 0)
		return end_call(x, EOVERFLOW);
	if (!rows_array(out, t, n, x)) {
		if (out->release)
			out->release(out);
		return end_call(x, ENOMEM);
	}
	x->next += n;
	return end_call(x, 0);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	return ((const struct stream *)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct stream *x = stream->private_data;
	struct mer_result *r = (struct mer_result *)x->result;
	if (r->within)
		mer_answer_free(r->within);
	else
		mer_result_free(r);
	free(x);
	stream->release = NULL;
}

int mer_result_arrow(const struct mer_result *result, const struct mer_arrow_options *options,
	struct ArrowArrayStream *stream, struct mer_err *err)
{
	struct mer_result *r = (struct mer_result *)result;
	struct mer_arrow_options o;
	API_ERR(err);
	stream->release = NULL;
	int rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc)
		return rc;
	struct stream *x = calloc(1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	if (r->within)
		api_hold_answer(r->within);
	else
		atomic_fetch_add(&r->n_holders, 1);
	*x = (struct stream){ .result = r,
		.max_rows = o.max_rows ? o.max_rows : USUAL_ROWS,
		.dictionaries = o.dictionaries };
	*stream = (struct ArrowArrayStream){ .get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release_stream,
		.private_data = x };
	return 0;
}
