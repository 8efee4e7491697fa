#include "store/sections.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/map.h"

enum {
	VERSION = 13,
	BYTE_ORDER_MARK = 0x01020304,
	BUFFER_BYTES = 1 << 20,
	/* Bytes after the last section: reading packed columns reads slightly beyond the end. */
	SLACK_BYTES = 64
};

static const char magic[8] = "MERSTORE";

struct header {
	char magic[8];
	uint32_t version, byte_order;
	uint8_t key[STORE_KEY_BYTES];
	uint64_t table, n_sections; /* where the table of sections begins */
	uint64_t bytes;		    /* of the file */
	uint64_t hash;		    /* of all above, and of the table */
};

/* ---- writing ---- */

static void fail(struct store_writer *w, const char *what)
{
	if (w->rc == 0)
		w->rc = mer_fail_errno(&w->err, what, w->temporary);
}

static void flush(struct store_writer *w)
{
	if (w->rc == 0 && w->buffer.failed)
		w->rc = mer_fail_nomem(&w->err);
	if (w->rc == 0 && w->buffer.len && !mer_write_all(w->fd, w->buffer.data, w->buffer.len))
		fail(w, "write");
	w->at += w->buffer.len;
	mer_str_clear(&w->buffer);
}

static void add(struct store_writer *w, const void *bytes, size_t n)
{
	if (w->buffer.len + n > BUFFER_BYTES)
		flush(w);
	if (w->rc)
		return;
	if (n <= BUFFER_BYTES) {
		mer_str_add(&w->buffer, bytes, n);
		return;
	}
	if (!mer_write_all(w->fd, bytes, n))
		fail(w, "write");
	w->at += n;
}

static uint64_t place(const struct store_writer *w)
{
	return w->at + w->buffer.len;
}

static void align(struct store_writer *w)
{
	static const char zeros[STORE_ALIGN];
	add(w, zeros, (STORE_ALIGN - place(w) % STORE_ALIGN) % STORE_ALIGN);
}

int store_writer_begin(struct store_writer *w, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err)
{
	static const struct header none;
	size_t len = strlen(path);
	*w = (struct store_writer){ .fd = -1 };
	pthread_mutex_init(&w->lock, NULL);
	memcpy(w->key, key, STORE_KEY_BYTES);
	w->path = strdup(path);
	w->temporary = malloc(len + sizeof(".XXXXXX"));
	if (!w->path || !w->temporary)
		return mer_fail_nomem(err);
	memcpy(w->temporary, path, len);
	memcpy(w->temporary + len, ".XXXXXX", sizeof(".XXXXXX"));
	w->fd = mkostemp(w->temporary, O_CLOEXEC);
	if (w->fd < 0)
		return mer_fail_errno(err, "create", w->temporary);
	add(w, &none, sizeof(none));
	return 0;
}

void store_put_block(struct store_writer *w, const void *bytes, size_t n, struct store_block *block)
{
	uint32_t hash = (uint32_t)mer_hash(bytes, n);
	pthread_mutex_lock(&w->lock);
	*block = (struct store_block){ place(w), (uint32_t)n, hash };
	add(w, bytes, n);
	pthread_mutex_unlock(&w->lock);
}

void store_writer_fail(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->rc == 0)
		w->rc = mer_fail_nomem(&w->err);
	pthread_mutex_unlock(&w->lock);
}

void store_put_section(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const void *elements, size_t n, size_t bytes_each)
{
	size_t bytes = n * bytes_each;
	uint64_t hash = mer_hash(elements, bytes);
	pthread_mutex_lock(&w->lock);
	align(w);
	if (w->rc == 0 && !mer_grow(&w->sections, w->n, &w->cap, sizeof(*w->sections)))
		w->rc = mer_fail_nomem(&w->err);
	if (w->rc == 0)
		w->sections[w->n++] =
			(struct store_section){ type, host, number, 0, place(w), bytes, n, hash };
	add(w, elements, bytes);
	pthread_mutex_unlock(&w->lock);
}

static int compare_sections(const void *a, const void *b)
{
	const struct store_section *p = a, *q = b;
	if (p->type != q->type)
		return p->type < q->type ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static uint64_t hash_of(const struct header *h, const struct store_section *sections)
{
	uint64_t parts[2] = { mer_hash(h, offsetof(struct header, hash)),
		mer_hash(sections, h->n_sections * sizeof(*sections)) };
	return mer_hash(parts, sizeof(parts));
}

static void put_table(struct store_writer *w)
{
	static const char slack[SLACK_BYTES];
	struct header h = { .version = VERSION, .byte_order = BYTE_ORDER_MARK };
	memcpy(h.magic, magic, sizeof(magic));
	memcpy(h.key, w->key, STORE_KEY_BYTES);
	add(w, slack, sizeof(slack));
	align(w);
	if (w->n)
		qsort(w->sections, w->n, sizeof(*w->sections), compare_sections);
	h.table = place(w);
	h.n_sections = w->n;
	add(w, w->sections, w->n * sizeof(*w->sections));
	flush(w);
	if (w->rc)
		return;
	h.bytes = w->at;
	h.hash = hash_of(&h, w->sections);
	if (pwrite(w->fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		fail(w, "write");
}

int store_writer_end(struct store_writer *w, bool ok, struct mer_err *err)
{
	if (ok && w->fd >= 0)
		put_table(w);
	if (w->fd >= 0 && close(w->fd) != 0)
		fail(w, "write");
	if (w->fd >= 0 && ok && w->rc == 0 && rename(w->temporary, w->path) != 0)
		fail(w, "rename");
	if (w->fd >= 0 && (!ok || w->rc))
		unlink(w->temporary);
	int rc = w->rc;
	if (ok && rc && err)
		*err = w->err;
	free(w->path);
	free(w->temporary);
	free(w->sections);
	mer_str_fini(&w->buffer);
	pthread_mutex_destroy(&w->lock);
	*w = (struct store_writer){ .fd = -1 };
	return ok ? rc : 0;
}

/* ---- reading ---- */

static int refuse(struct mer_err *err, const char *path, const char *why)
{
	return mer_fail(err, MER_ERR_INPUT, "%s: %s", path, why);
}

static bool is_inside(const struct store_file *f, uint64_t at, uint64_t bytes)
{
	return at <= f->file.size && bytes <= f->file.size - at;
}

static int read_table(
	struct store_file *f, const char *path, const uint8_t *key, struct mer_err *err)
{
	struct header h;
	if (f->file.size < sizeof(h))
		return refuse(err, path, "no saved analysis: too short");
	memcpy(&h, f->file.data, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) != 0)
		return refuse(err, path, "no saved analysis");
	if (h.version != VERSION || h.byte_order != BYTE_ORDER_MARK)
		return refuse(err, path, "saved by another version of meridian");
	if (h.bytes != f->file.size || h.table % STORE_ALIGN ||
		h.n_sections > f->file.size / sizeof(*f->sections) ||
		!is_inside(f, h.table, h.n_sections * sizeof(*f->sections)))
		return refuse(err, path, "incomplete");
	f->sections = (const struct store_section *)(f->file.data + h.table);
	f->n = h.n_sections;
	if (hash_of(&h, f->sections) != h.hash)
		return refuse(err, path, "damaged");
	if (key && memcmp(h.key, key, STORE_KEY_BYTES) != 0)
		return refuse(err, path, "of other traces");
	for (size_t i = 0; i < f->n; i++)
		if (!is_inside(f, f->sections[i].at, f->sections[i].bytes) ||
			f->sections[i].at % STORE_ALIGN)
			return refuse(err, path, "damaged");
	return 0;
}

int store_file_peek(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err)
{
	*f = (struct store_file){ 0 };
	int rc = mer_file_open(&f->file, path, err);
	if (rc == 0)
		rc = read_table(f, path, key, err);
	if (rc)
		store_file_close(f);
	return rc;
}

int store_file_check(const struct store_file *f, const char *path, struct mer_err *err)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct store_section *s = &f->sections[i];
		if (mer_hash(f->file.data + s->at, s->bytes) != s->hash)
			return refuse(err, path, "damaged");
	}
	return 0;
}

int store_file_open(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err)
{
	int rc = store_file_peek(f, path, key, err);
	if (rc == 0)
		rc = store_file_check(f, path, err);
	if (rc)
		store_file_close(f);
	return rc;
}

void store_file_close(struct store_file *f)
{
	mer_file_close(&f->file);
	*f = (struct store_file){ 0 };
}

const void *store_find(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	size_t bytes_each, uint64_t *n)
{
	struct store_section key = {
		.type = type, .host = f->numbers ? f->numbers[host] : host, .number = number
	};
	const struct store_section *s =
		f->n ? bsearch(&key, f->sections, f->n, sizeof(key), compare_sections) : NULL;
	if (!s || s->n > s->bytes || s->n * bytes_each != s->bytes)
		return NULL;
	*n = s->n;
	return f->file.data + s->at;
}

const uint8_t *store_block_bytes(const struct store_file *f, const struct store_block *b)
{
	if (!is_inside(f, b->at, (uint64_t)b->bytes + SLACK_BYTES))
		return NULL;
	const uint8_t *bytes = f->file.data + b->at;
	return (uint32_t)mer_hash(bytes, b->bytes) == b->hash ? bytes : NULL;
}
