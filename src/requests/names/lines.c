#include "requests/names/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/grow.h"
#include "base/safe_text.h"
#include "base/str.h"
#include "requests/names/pattern.h"

enum { MOST_TEXT = 200, MOST_TEXTS = 1 << 20, MOST_JSON = 1 << 29 };

void names_lines_init(struct names_lines *l)
{
	*l = (struct names_lines){ 0 };
	mer_arena_init(&l->arena);
	mer_intern_init(&l->texts, &l->arena);
}

void names_lines_fini(struct names_lines *l)
{
	free(l->item);
	mer_intern_fini(&l->texts);
	mer_arena_fini(&l->arena);
	*l = (struct names_lines){ 0 };
}

const char *names_text(const struct names_lines *l, uint32_t number_plus_1)
{
	return number_plus_1 ? mer_intern_text(&l->texts, number_plus_1 - 1) : NULL;
}

struct names_line *names_add_line(struct names_lines *l, const char *path, struct mer_err *err)
{
	if (l->n == NAMES_MOST_LINES) {
		mer_fail(err, MER_ERR_USAGE,
			"%s: more than %d requests: cut out those of the time of the recording",
			path, NAMES_MOST_LINES);
		return NULL;
	}
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 1024;
		struct names_line *item = realloc(l->item, cap * sizeof(*item));
		if (!item) {
			mer_fail_nomem(err);
			return NULL;
		}
		l->item = item;
		l->cap = cap;
	}
	struct names_line *x = &l->item[l->n++];
	*x = (struct names_line){ 0 };
	return x;
}

uint32_t names_keep(struct names_lines *l, const char *text, size_t len)
{
	struct mer_str safe = { 0 };
	if (!len || l->texts.n >= MOST_TEXTS)
		return 0;
	mer_safe_add(&safe, text, len < MOST_TEXT ? len : MOST_TEXT);
	uint32_t kept =
		safe.failed ? MER_INTERN_NONE : mer_intern_add(&l->texts, safe.data, safe.len);
	mer_str_fini(&safe);
	return kept == MER_INTERN_NONE ? 0 : kept + 1;
}

/* 17, 5f3c9a1b, 123e4567-e89b-12d3-a456-426614174000: what is different each time. */
static bool is_id(const char *text, size_t len)
{
	enum { LEAST_HEX = 8 };
	size_t n_digits = 0, n_hex = 0, n_dashes = 0;
	for (size_t i = 0; i < len; i++) {
		n_digits += isdigit((unsigned char)text[i]) != 0;
		n_hex += isxdigit((unsigned char)text[i]) != 0;
		n_dashes += text[i] == '-';
	}
	return len &&
	       (n_digits == len || (n_digits && n_hex >= LEAST_HEX && n_hex + n_dashes == len));
}

uint32_t names_keep_request(struct names_lines *l, const char *method, size_t method_len,
	const char *target, size_t target_len)
{
	struct mer_str out = { 0 };
	if (method_len)
		mer_str_add(&out, method, method_len);
	for (size_t i = 0; i < target_len; i++)
		if (target[i] == '?' || target[i] == '#')
			target_len = i;
	if (method_len && target_len)
		mer_str_putc(&out, ' ');
	while (target_len) {
		const char *slash = memchr(target, '/', target_len);
		size_t len = slash ? (size_t)(slash - target) : target_len;
		if (is_id(target, len))
			mer_str_putc(&out, '*');
		else
			mer_str_add(&out, target, len);
		if (slash)
			mer_str_putc(&out, '/');
		len += slash != NULL;
		target += len;
		target_len -= len;
	}
	uint32_t kept = out.failed ? 0 : names_keep(l, out.data, out.len);
	mer_str_fini(&out);
	return kept;
}

uint32_t names_keep_id(struct names_lines *l, const char *text, size_t len, size_t n_digits)
{
	char lower[33];
	bool is_any = false;
	if (len != n_digits || len >= sizeof(lower))
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return 0;
		lower[i] = (char)tolower((unsigned char)text[i]);
		is_any |= text[i] != '0';
	}
	return is_any ? names_keep(l, lower, len) : 0;
}

/* ---- the file ---- */

struct file {
	gzFile f;
	const char *path;
	struct mer_str line;
	bool is_long; /* the line was longer than that */
	bool is_damaged;
	char bytes[1 << 16];
	int n, at;
};

static bool fill(struct file *f)
{
	f->at = 0;
	f->n = gzread(f->f, f->bytes, sizeof(f->bytes));
	f->is_damaged |= f->n < 0;
	return f->n > 0;
}

/* The next line, without its end. False: there is none. */
static bool next_line(struct file *f)
{
	bool is_any = false;
	f->is_long = false;
	mer_str_clear(&f->line);
	for (;;) {
		if (f->at >= f->n && !fill(f))
			return is_any;
		is_any = true;
		const char *from = f->bytes + f->at;
		const char *end = memchr(from, '\n', (size_t)(f->n - f->at));
		size_t len = end ? (size_t)(end - from) : (size_t)(f->n - f->at);
		f->at += (int)len + (end != NULL);
		f->is_long |= f->line.len + len > NAMES_MOST_BYTES;
		if (!f->is_long)
			mer_str_add(&f->line, from, len);
		if (end)
			break;
	}
	if (f->line.len && f->line.data[f->line.len - 1] == '\r')
		f->line.len--;
	return true;
}

static int read_lines(
	struct names_lines *l, struct file *f, const char *format, struct mer_err *err)
{
	struct names_pattern p;
	int rc = names_pattern_of(&p, format, &l->arena, err);
	for (uint32_t number = 1; rc == 0 && next_line(f); number++) {
		struct names_line line = { .number = number };
		if (!f->line.len && !f->is_long)
			continue;
		if (f->is_long || !names_pattern_read(&p, l, f->line.data, f->line.len, &line)) {
			l->first_unread = l->n_unread++ ? l->first_unread : number;
			continue;
		}
		struct names_line *x = names_add_line(l, f->path, err);
		if (!x)
			return MER_ERR_USAGE;
		*x = line;
	}
	return rc;
}

static int read_json(struct names_lines *l, struct file *f, struct mer_err *err)
{
	struct mer_str all = { 0 };
	int rc = 0;
	do {
		if (all.len > MOST_JSON)
			rc = mer_fail(err, MER_ERR_USAGE,
				"%s: more than %d MiB of JSON: cut out the spans of the time of the recording",
				f->path, MOST_JSON >> 20);
		else if (f->n > f->at)
			mer_str_add(&all, f->bytes + f->at, (size_t)(f->n - f->at));
	} while (rc == 0 && fill(f));
	if (rc == 0 && all.failed)
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = names_read_spans(l, f->path, all.data ? all.data : "", all.len, err);
	mer_str_fini(&all);
	return rc;
}

static int open_file(struct file *f, const char *path, struct mer_err *err)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return mer_fail_errno(err, "open", path);
	if (!S_ISREG(st.st_mode)) /* a fifo would hang */
		return mer_fail(err, MER_ERR_USAGE, "%s is no file", path);
	f->path = path;
	f->f = gzopen(path, "rbe");
	return f->f ? 0 : mer_fail_errno(err, "open", path);
}

/* Lines in JSON have a format, which says where their values are; spans have none. */
static bool is_spans(const struct file *f, const char *format)
{
	for (int i = 0; i < f->n && !format; i++)
		if (!isspace((unsigned char)f->bytes[i]))
			return f->bytes[i] == '{' || f->bytes[i] == '[';
	return false;
}

int names_read(struct names_lines *l, const char *path, const char *format, struct mer_err *err)
{
	struct file *f = calloc(1, sizeof(*f));
	int rc = f ? open_file(f, path, err) : mer_fail_nomem(err);
	if (rc == 0) {
		fill(f);
		if (is_spans(f, format))
			rc = read_json(l, f, err);
		else if (format)
			rc = read_lines(l, f, format, err);
		else
			rc = mer_fail(err, MER_ERR_USAGE,
				"%s is no JSON with spans, and of an access log the format of its lines must be given",
				path);
		l->is_cut |= f->is_damaged;
		/* What is behind its last byte is checked only when it is read. */
		l->is_cut |= gzclose_r(f->f) != Z_OK;
		mer_str_fini(&f->line);
	}
	free(f);
	return rc == 0 && (l->arena.failed) ? mer_fail_nomem(err) : rc;
}
