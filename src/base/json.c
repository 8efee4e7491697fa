#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/real.h"
#include "base/safe_text.h"
#include "base/utf.h"

enum { FLUSH_BYTES = 1 << 16 };

void mer_json_init(struct mer_json *j, struct mer_str *out, FILE *file, int indent)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->file = file;
	j->indent = indent;
}

void mer_json_flush(struct mer_json *j)
{
	if (!j->file)
		return;
	/* A failed write shows in the stream's error flag, which its owner checks. */
	if (j->out->len)
		fwrite(j->out->data, 1, j->out->len, j->file);
	mer_str_clear(j->out);
}

int mer_json_finish(struct mer_json *j, struct mer_err *err)
{
	if (j->depth != 0 || j->has_key)
		j->failed = true;
	mer_str_putc(j->out, '\n');
	mer_json_flush(j);
	if (j->out->failed)
		return mer_fail_nomem(err);
	if (j->failed)
		return mer_fail(err, MER_ERR_BUG, "JSON output is not well formed");
	return 0;
}

static void newline(struct mer_json *j)
{
	if (!j->indent)
		return;
	mer_str_putc(j->out, '\n');
	for (int i = 0; i < j->depth * j->indent; i++)
		mer_str_putc(j->out, ' ');
}

/* Writes what precedes a value: the comma and the indentation. */
static void before_value(struct mer_json *j)
{
	if (j->file && j->out->len >= FLUSH_BYTES)
		mer_json_flush(j);
	if (j->has_key) {
		j->has_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (j->level[j->depth - 1].object)
		j->failed = true; /* a value without a key */
	if (j->level[j->depth - 1].used)
		mer_str_putc(j->out, ',');
	j->level[j->depth - 1].used = true;
	newline(j);
}

static void begin(struct mer_json *j, bool object)
{
	before_value(j);
	if (j->depth == MER_JSON_DEPTH) {
		j->failed = true;
		return;
	}
	mer_str_putc(j->out, object ? '{' : '[');
	j->level[j->depth].object = object;
	j->level[j->depth].used = false;
	j->depth++;
}

static void end(struct mer_json *j, bool object)
{
	if (j->depth == 0 || j->level[j->depth - 1].object != object || j->has_key) {
		j->failed = true;
		return;
	}
	j->depth--;
	if (j->level[j->depth].used)
		newline(j);
	mer_str_putc(j->out, object ? '}' : ']');
}

void mer_json_begin_object(struct mer_json *j)
{
	begin(j, true);
}

void mer_json_end_object(struct mer_json *j)
{
	end(j, true);
}

void mer_json_begin_array(struct mer_json *j)
{
	begin(j, false);
}

void mer_json_end_array(struct mer_json *j)
{
	end(j, false);
}

void mer_json_key(struct mer_json *j, const char *key)
{
	if (j->depth == 0 || !j->level[j->depth - 1].object || j->has_key) {
		j->failed = true;
		return;
	}
	if (j->level[j->depth - 1].used)
		mer_str_putc(j->out, ',');
	j->level[j->depth - 1].used = true;
	newline(j);
	mer_json_quote(j->out, key, strlen(key));
	mer_str_puts(j->out, j->indent ? ": " : ":");
	j->has_key = true;
}

void mer_json_uint(struct mer_json *j, uint64_t v)
{
	char digits[24];
	char *p = digits + sizeof(digits);
	before_value(j);
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	mer_str_add(j->out, p, (size_t)(digits + sizeof(digits) - p));
}

void mer_json_int(struct mer_json *j, int64_t v)
{
	if (v >= 0) {
		mer_json_uint(j, (uint64_t)v);
		return;
	}
	before_value(j);
	mer_str_printf(j->out, "%" PRId64, v);
}

void mer_json_double(struct mer_json *j, double v)
{
	if (!isfinite(v)) {
		mer_json_null(j);
		return;
	}
	before_value(j);
	mer_put_real(j->out, v, false);
}

void mer_json_bool(struct mer_json *j, bool v)
{
	before_value(j);
	mer_str_puts(j->out, v ? "true" : "false");
}

void mer_json_null(struct mer_json *j)
{
	before_value(j);
	mer_str_puts(j->out, "null");
}

static void mer_json_text_n(struct mer_json *j, const char *s, size_t len)
{
	before_value(j);
	mer_json_quote(j->out, s, len);
}

void mer_json_text(struct mer_json *j, const char *s)
{
	if (s)
		mer_json_text_n(j, s, strlen(s));
	else
		mer_json_null(j);
}

void mer_json_kv_int(struct mer_json *j, const char *key, int64_t v)
{
	mer_json_key(j, key);
	mer_json_int(j, v);
}

void mer_json_kv_uint(struct mer_json *j, const char *key, uint64_t v)
{
	mer_json_key(j, key);
	mer_json_uint(j, v);
}

void mer_json_kv_double(struct mer_json *j, const char *key, double v)
{
	mer_json_key(j, key);
	mer_json_double(j, v);
}

void mer_json_kv_bool(struct mer_json *j, const char *key, bool v)
{
	mer_json_key(j, key);
	mer_json_bool(j, v);
}

void mer_json_kv_null(struct mer_json *j, const char *key)
{
	mer_json_key(j, key);
	mer_json_null(j);
}

void mer_json_kv_text(struct mer_json *j, const char *key, const char *s)
{
	mer_json_key(j, key);
	mer_json_text(j, s);
}

void mer_json_kv_object(struct mer_json *j, const char *key)
{
	mer_json_key(j, key);
	mer_json_begin_object(j);
}

void mer_json_kv_array(struct mer_json *j, const char *key)
{
	mer_json_key(j, key);
	mer_json_begin_array(j);
}

/* \u with four digits; beyond U+FFFF as a pair of surrogates. */
static void add_escaped(struct mer_str *out, uint32_t c)
{
	if (c >= 0x10000) {
		add_escaped(out, 0xd800 + ((c - 0x10000) >> 10));
		c = 0xdc00 + (c & 0x3ff);
	}
	mer_str_printf(out, "\\u%04x", (unsigned)c);
}

/* Adds what stands for the character or byte at s; returns the bytes that it took. */
static size_t add_special(struct mer_str *out, const char *s, size_t len)
{
	static const char named[] = "\"\"\\\\\nn\rr\tt";
	for (const char *p = named; *p; p += 2)
		if (*p == *s) {
			mer_str_putc(out, '\\');
			mer_str_putc(out, p[1]);
			return 1;
		}
	size_t n = mer_utf8_length(s, len);
	if (n) {
		add_escaped(out, mer_code_point(s, n));
		return n;
	}
	mer_str_add(out, "\xef\xbf\xbd", 3);
	return 1;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Adds the rest of a text, from its first character that is not plain. */
static void add_rest(struct mer_str *out, const char *s, size_t len)
{
	size_t done = 0, i = 0;
	while (i < len) {
		size_t n = (unsigned char)s[i] >= 0x80 ? mer_safe_length(s + i, len - i)
						       : is_plain(s[i]);
		if (n) {
			i += n;
			continue;
		}
		mer_str_add(out, s + done, i - done);
		i += add_special(out, s + i, len - i);
		done = i;
	}
	mer_str_add(out, s + done, len - done);
}

void mer_json_quote(struct mer_str *out, const char *s, size_t len)
{
	if (!mer_str_reserve(out, len + 2))
		return;
	char *p = out->data + out->len;
	size_t i = 0;
	*p++ = '"';
	for (; i < len && is_plain(s[i]); i++)
		*p++ = s[i];
	out->len = (size_t)(p - out->data);
	if (__builtin_expect(i < len, 0))
		add_rest(out, s + i, len - i);
	mer_str_putc(out, '"');
}
