#include "arrow_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/utf.h"

void arrow_check_schema(const struct ArrowSchema *s)
{
	assert_non_null(s->release);
	assert_non_null(s->format);
	assert_non_null(s->name);
	assert_int_equal(s->flags & ~(ARROW_FLAG_DICTIONARY_ORDERED | ARROW_FLAG_NULLABLE |
					    ARROW_FLAG_MAP_KEYS_SORTED),
		0);
	assert_int_equal(s->n_children > 0, strcmp(s->format, "+s") == 0);
	for (int64_t i = 0; i < s->n_children; i++)
		arrow_check_schema(s->children[i]);
	if (s->dictionary)
		arrow_check_schema(s->dictionary);
}

static bool bit(const uint8_t *bits, int64_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static void check_buffers(const struct ArrowArray *a, const char *format)
{
	bool is_text = strcmp(format, "u") == 0;
	assert_int_equal(a->n_buffers, is_text ? 3 : strcmp(format, "+s") == 0 ? 1 : 2);
	int64_t unknown = 0;
	for (int64_t i = 0; a->buffers[0] && i < a->length; i++)
		unknown += !bit(a->buffers[0], i);
	assert_int_equal(a->null_count, unknown);
	assert_int_equal(!a->buffers[0], unknown == 0);
	for (int64_t i = 0; i < a->n_buffers; i++) {
		assert_int_equal((uintptr_t)a->buffers[i] % 64, 0);
		assert_true(i == 0 || a->buffers[i]);
	}
	if (!is_text)
		return;
	const int32_t *offsets = a->buffers[1];
	const char *text = a->buffers[2];
	assert_int_equal(offsets[0], 0);
	for (int64_t i = 0; i < a->length; i++)
		assert_true(offsets[i] <= offsets[i + 1]);
	for (int32_t i = 0, n; i < offsets[a->length]; i += n) {
		n = (int32_t)mer_utf8_length(text + i, (size_t)(offsets[a->length] - i));
		assert_true(n > 0);
	}
}

void arrow_check_array(const struct ArrowArray *a, const struct ArrowSchema *s)
{
	assert_non_null(a->release);
	assert_int_equal(a->offset, 0);
	check_buffers(a, s->format);
	assert_int_equal(a->n_children, s->n_children);
	for (int64_t i = 0; i < a->n_children; i++) {
		assert_int_equal(a->children[i]->length, a->length);
		arrow_check_array(a->children[i], s->children[i]);
	}
	assert_int_equal(!a->dictionary, !s->dictionary);
	if (!a->dictionary)
		return;
	assert_string_equal(s->format, "i");
	arrow_check_array(a->dictionary, s->dictionary);
	assert_int_equal(a->dictionary->null_count, 0);
	for (int64_t i = 0; i < a->length; i++) {
		int32_t number = ((const int32_t *)a->buffers[1])[i];
		assert_true(!arrow_known(a, i) || (number >= 0 && number < a->dictionary->length));
	}
	/* Each text once. */
	for (int64_t i = 0; i < a->dictionary->length && i < 100; i++)
		for (int64_t k = 0; k < i; k++) {
			size_t m, n;
			const char *p = arrow_text(a->dictionary, i, &m),
				   *q = arrow_text(a->dictionary, k, &n);
			assert_false(m == n && memcmp(p, q, n) == 0);
		}
}

bool arrow_known(const struct ArrowArray *column, int64_t row)
{
	return !column->buffers[0] || bit(column->buffers[0], row);
}

int64_t arrow_int(const struct ArrowArray *column, int64_t row)
{
	return ((const int64_t *)column->buffers[1])[row];
}

double arrow_real(const struct ArrowArray *column, int64_t row)
{
	return ((const double *)column->buffers[1])[row];
}

const char *arrow_text(const struct ArrowArray *column, int64_t row, size_t *length)
{
	if (column->dictionary) {
		row = ((const int32_t *)column->buffers[1])[row];
		column = column->dictionary;
	}
	const int32_t *offsets = column->buffers[1];
	*length = (size_t)(offsets[row + 1] - offsets[row]);
	return (const char *)column->buffers[2] + offsets[row];
}

const char *arrow_metadata(const struct ArrowSchema *s, const char *key)
{
	static char value[200];
	const char *p = s->metadata;
	int32_t n, length;
	memcpy(&n, p, sizeof(n));
	p += sizeof(n);
	for (int32_t i = 0; i < n; i++) {
		memcpy(&length, p, sizeof(length));
		p += sizeof(length);
		bool is_it = (size_t)length == strlen(key) && memcmp(p, key, strlen(key)) == 0;
		p += length;
		memcpy(&length, p, sizeof(length));
		p += sizeof(length);
		snprintf(value, sizeof(value), "%.*s", (int)length, p);
		if (is_it)
			return value;
		p += length;
	}
	return "";
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static void same_columns(const struct ArrowSchema *s, const struct mer_result *r)
{
	arrow_check_schema(s);
	assert_string_equal(s->format, "+s");
	assert_string_equal(arrow_metadata(s, "id"), mer_result_id(r));
	assert_string_equal(arrow_metadata(s, "title"), text_of(mer_result_title(r)));
	assert_int_equal(s->n_children, mer_result_n_columns(r));
	for (size_t i = 0; i < mer_result_n_columns(r); i++) {
		const struct ArrowSchema *c = s->children[i];
		const char *type = mer_result_type(r, i);
		const char *format =
			mer_result_value(r, i) == MER_VALUE_TEXT   ? c->dictionary ? "i" : "u"
			: mer_result_value(r, i) == MER_VALUE_REAL ? "g"
			: strcmp(type, "time") == 0		   ? "tsn:UTC"
			: strcmp(type, "duration") == 0 || strcmp(type, "offset") == 0 ? "tDn"
										       : "l";
		assert_string_equal(c->name, mer_result_key(r, i));
		assert_string_equal(c->format, format);
		assert_string_equal(
			arrow_metadata(c, "title"), text_of(mer_result_column_title(r, i)));
		assert_string_equal(arrow_metadata(c, "type"), type);
		assert_string_equal(arrow_metadata(c, "unit"), text_of(mer_result_unit(r, i)));
	}
}

static void same_cell(const struct ArrowArray *column, int64_t at, const struct mer_result *r,
	size_t row, size_t i)
{
	bool known = arrow_known(column, at);
	int64_t number;
	double real;
	const char *text;
	if (mer_result_int(r, row, i, &number))
		assert_true(known && arrow_int(column, at) == number);
	else if (mer_result_real(r, row, i, &real)) {
		assert_int_equal(known, isfinite(real) != 0);
		assert_true(!known || arrow_real(column, at) == real);
	} else if (mer_result_text(r, row, i, &text)) {
		size_t length;
		const char *got = arrow_text(column, at, &length);
		assert_true(known);
		assert_int_equal(length, strlen(text));
		assert_memory_equal(got, text, length);
	} else
		assert_false(known);
}

size_t arrow_same_rows(struct ArrowArrayStream *stream, const struct mer_result *r)
{
	struct ArrowSchema schema;
	struct ArrowArray batch;
	size_t row = 0, n = 0;
	assert_int_equal(stream->get_schema(stream, &schema), 0);
	same_columns(&schema, r);
	for (;; n++) {
		assert_int_equal(stream->get_next(stream, &batch), 0);
		assert_null(stream->get_last_error(stream));
		if (!batch.release)
			break;
		arrow_check_array(&batch, &schema);
		assert_true(batch.length > 0);
		for (int64_t at = 0; at < batch.length; at++, row++)
			for (size_t i = 0; i < mer_result_n_columns(r); i++)
				same_cell(batch.children[i], at, r, row, i);
		batch.release(&batch);
		assert_null(batch.release);
	}
	assert_int_equal(row, mer_result_n_rows(r));
	schema.release(&schema);
	assert_null(schema.release);
	stream->release(stream);
	assert_null(stream->release);
	return n;
}
