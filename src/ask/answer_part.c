#include "ask/answer_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "ask/answer_bytes.h"
#include "base/file.h"

/* Of what is unpacked: no part of an answer that people read is as large. */
#define MOST_BYTES ((size_t)1 << 30)

static const char magic[] = "meridian part of an answer\n";

void answer_part_init(struct answer_part *p)
{
	*p = (struct answer_part){ .path = "" };
	mer_arena_init(&p->arena);
	answer_init_read(&p->about);
}

void answer_part_fini(struct answer_part *p)
{
	answer_fini(&p->about);
	mer_arena_fini(&p->arena);
}

/* ---- The walk ---- */

static void walk_texts(struct mer_walk *w, struct session_texts *t)
{
	t->n = mer_walk_count(w, t->n);
	const char **list = mer_walk_room(w, NULL, t->n, sizeof(*list));
	for (size_t i = 0; i < t->n && !w->failed; i++) {
		const char *text = list ? NULL : t->item[i];
		mer_walk_text(w, &text);
		w->failed |= !text;
		if (list)
			list[i] = text;
	}
	if (list)
		t->item = list;
	t->n = w->failed ? 0 : t->n;
}

static void walk_bytes(struct mer_walk *w, struct analysis_partial_bytes *b)
{
	b->n = mer_walk_count(w, b->n);
	if (mer_walk_writes(w)) {
		mer_str_add(w->out, b->bytes ? b->bytes : "", b->n);
	} else {
		b->bytes = w->p;
		w->p += b->n;
	}
}

static void walk_host(struct mer_walk *w, struct answer_part_host *h, size_t n_tables)
{
	mer_walk_text(w, &h->name);
	mer_walk_text(w, &h->id);
	MER_WALK(w, h->begin);
	MER_WALK(w, h->end);
	MER_WALK(w, h->lost_events);
	MER_WALK(w, h->lost_packets);
	MER_WALK(w, h->first_stream);
	MER_WALK(w, h->n_streams);
	mer_walk_text(w, &h->streams_by);
	w->failed |= !h->name || !*h->name || !h->id || !h->streams_by || h->end < h->begin;
	h->of = mer_walk_room(w, h->of, n_tables, sizeof(*h->of));
	for (size_t i = 0; i < n_tables && !w->failed; i++)
		walk_bytes(w, &h->of[i]);
}

static void walk(struct mer_walk *w, struct answer_part *p)
{
	mer_walk_text(w, &p->verb);
	mer_walk_text(w, &p->analysis);
	walk_texts(w, &p->options);
	MER_WALK(w, p->begin);
	MER_WALK(w, p->end);
	p->knows_events = mer_walk_flag(w, p->knows_events);
	MER_WALK(w, p->first_event);
	MER_WALK(w, p->last_event);
	p->n_tables = mer_walk_count(w, p->n_tables);
	p->n_hosts = mer_walk_count(w, p->n_hosts);
	w->failed |= !p->verb || !p->analysis || !p->n_hosts || p->n_tables > ANSWER_TABLES;
	p->hosts = mer_walk_room(w, p->hosts, p->n_hosts, sizeof(*p->hosts));
	for (size_t i = 0; i < p->n_hosts && !w->failed; i++)
		walk_host(w, &p->hosts[i], p->n_tables);
	mer_walk_text(w, &p->lacking);
	walk_texts(w, &p->aligned);
	MER_WALK(w, p->clocks);
	MER_WALK(w, p->n_opening);
	if (!w->failed)
		answer_walk(w, &p->about);
	/* Rows of hosts, or what they have for tables. */
	w->failed |= p->about.n > 1 || (p->about.n && p->n_tables);
}

void answer_part_to_bytes(struct answer_part *p, struct mer_str *out)
{
	struct mer_walk w = { .out = out };
	walk(&w, p);
	out->failed |= w.failed;
}

static int damaged(const struct answer_part *p, struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT,
		"%.500s: this part of an answer is damaged, or its end is missing", p->path);
}

int answer_part_from_bytes(struct answer_part *p, const char *bytes, size_t n, struct mer_err *err)
{
	struct mer_walk w = { .p = bytes, .end = bytes + n, .arena = &p->arena };
	walk(&w, p);
	if (p->arena.failed || p->about.arena.failed)
		return mer_fail_nomem(err);
	return w.failed || w.p != w.end ? damaged(p, err) : 0;
}

/* Behind it are the bytes. */
static int read_head(
	const struct answer_part *p, const char **bytes, size_t *n, struct mer_err *err)
{
	struct mer_walk w = { .p = *bytes, .end = *bytes + *n };
	const char *version;
	if (*n < sizeof(magic) - 1 || memcmp(*bytes, magic, sizeof(magic) - 1) != 0)
		return mer_fail(err, MER_ERR_INPUT,
			"%.500s: this is no part of an answer, which a question with --part writes",
			p->path);
	w.p += sizeof(magic) - 1;
	mer_walk_text(&w, &version);
	if (w.failed || !version)
		return damaged(p, err);
	if (strcmp(version, MERIDIAN_VERSION) != 0)
		return mer_fail(err, MER_ERR_INPUT,
			"%.500s: meridian %.50s wrote this part, this is %s: all hosts need the same version",
			p->path, version, MERIDIAN_VERSION);
	*n = (size_t)(w.end - w.p);
	*bytes = w.p;
	return 0;
}

/* ---- Files ---- */

int answer_part_clocks(const char *path, uint64_t *clocks, struct mer_err *err)
{
	struct mer_file f;
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	*clocks = mer_hash(f.data, f.size);
	mer_file_close(&f);
	return 0;
}

int answer_part_write(struct answer_part *p, FILE *out, struct mer_err *err)
{
	enum { GZIP = 16, MEMORY = 8 };
	struct mer_str bytes = { 0 };
	struct mer_walk head = { .out = &bytes };
	const char *version = MERIDIAN_VERSION;
	mer_str_puts(&bytes, magic);
	mer_walk_text(&head, &version);
	answer_part_to_bytes(p, &bytes);
	z_stream z = { 0 };
	uLong most = 0;
	Bytef *packed = NULL;
	int rc = bytes.failed ? mer_fail_nomem(err) : 0;
	if (rc == 0 && deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY,
			       Z_DEFAULT_STRATEGY) != Z_OK)
		rc = mer_fail_nomem(err);
	if (rc == 0) {
		most = deflateBound(&z, bytes.len);
		packed = malloc(most + 1);
	}
	if (rc == 0 && bytes.len >= MOST_BYTES)
		rc = mer_fail(err, MER_ERR_LIMIT,
			"this part of an answer is larger than 1 GiB: ask for fewer rows");
	if (rc == 0 && !packed)
		rc = mer_fail_nomem(err);
	if (rc == 0) {
		z.next_in = (Bytef *)bytes.data;
		z.avail_in = (uInt)bytes.len;
		z.next_out = packed;
		z.avail_out = (uInt)most;
		if (deflate(&z, Z_FINISH) != Z_STREAM_END)
			rc = mer_fail(err, MER_ERR_BUG, "a part of an answer cannot be packed");
		else
			fwrite(packed, 1, z.total_out, out);
	}
	deflateEnd(&z);
	free(packed);
	mer_str_fini(&bytes);
	return rc;
}

/* All of it, into the arena, where its texts stay. */
static int unpack(
	struct answer_part *p, gzFile f, const char **bytes, size_t *n, struct mer_err *err)
{
	enum { STEP = 1 << 16 };
	struct mer_str all = { 0 };
	int got = 1, code;
	while (got > 0 && all.len < MOST_BYTES && mer_str_reserve(&all, STEP)) {
		got = gzread(f, all.data + all.len, STEP);
		all.len += got > 0 ? (size_t)got : 0;
	}
	gzerror(f, &code);
	int rc = 0;
	if (all.failed)
		rc = mer_fail_nomem(err);
	else if (all.len >= MOST_BYTES)
		rc = mer_fail(
			err, MER_ERR_LIMIT, "%.500s: unpacked, it is larger than 1 GiB", p->path);
	else if (all.len && gzdirect(f)) /* it is not packed */
		rc = mer_fail(err, MER_ERR_INPUT,
			"%.500s: this is no part of an answer, which a question with --part writes",
			p->path);
	else if (code == Z_ERRNO)
		rc = mer_fail_errno(err, "read", p->path);
	else if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
		rc = damaged(p, err);
	*n = all.len;
	*bytes = rc ? NULL : mer_arena_strndup(&p->arena, all.data ? all.data : "", all.len);
	mer_str_fini(&all);
	return rc == 0 && !*bytes ? mer_fail_nomem(err) : rc;
}

int answer_part_read(struct answer_part *p, const char *path, struct mer_err *err)
{
	const char *bytes;
	size_t n;
	answer_part_init(p);
	p->path = path;
	gzFile f = gzopen(path, "rb");
	if (!f)
		return mer_fail_errno(err, "open", path);
	int rc = unpack(p, f, &bytes, &n, err);
	/* What is behind its last byte is checked only when it is read. */
	if (gzclose_r(f) != Z_OK && rc == 0)
		rc = damaged(p, err);
	if (rc == 0)
		rc = read_head(p, &bytes, &n, err);
	return rc ? rc : answer_part_from_bytes(p, bytes, n, err);
}
