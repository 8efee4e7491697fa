#include "ftrace/pages/tracedat.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/bytes.h"
#include "ftrace/reading.h"

enum {
	MAX_BUFFERS = 1024,
	MAX_CPUS = 1 << 16,
	MAX_SECTION = 1 << 28, /* unpacked: all formats of a kernel have 4 MB */
	MAX_SECTIONS = 1 << 12,
	LEAST_PAGE = 256,
	MOST_PAGE = 1 << 24
};

enum { /* options */
	DONE = 0,
	DATE = 1,
	BUFFER = 3,
	TRACECLOCK = 4,
	UNAME = 5,
	OFFSET = 7,
	VERSION = 9,
	TRACEID = 11,
	TSC2NSEC = 14,
	HEADER_INFO = 16,
	FTRACE_EVENTS = 17,
	EVENT_FORMATS = 18,
	BUFFER_TEXT = 22
};
enum { IS_PACKED = 1 }; /* a flag of a section */

static const char *own(struct tracedat *t, const uint8_t *p, size_t n)
{
	/* Options are padded with NULs. */
	return mer_arena_strndup(t->arena, (const char *)p, strnlen((const char *)p, n));
}

/* ---- what both versions have ---- */

static bool is_page_size(uint64_t n)
{
	return n >= LEAST_PAGE && n <= MOST_PAGE && (n & (n - 1)) == 0;
}

static struct tracedat_buffer *add_buffer(struct tracedat *t, const char *name, uint32_t n_cpus)
{
	if (t->n_buffers == MAX_BUFFERS || n_cpus > MAX_CPUS)
		return NULL;
	struct tracedat_buffer *b = &t->buffers[t->n_buffers];
	*b = (struct tracedat_buffer){ .name = name ? mer_arena_strdup(t->arena, name) : "",
		.page_bytes = t->tracing.page_bytes,
		.cpus = mer_arena_zalloc(t->arena, n_cpus + 1u, sizeof(*b->cpus)) };
	if (!b->name || !b->cpus)
		return NULL;
	t->n_buffers++;
	return b;
}

static void add_cpu(
	struct tracedat *t, struct tracedat_buffer *b, uint32_t id, uint64_t offset, uint64_t size)
{
	uint64_t end = t->file->size;
	if (offset > end || size > end - offset)
		t->is_cut = true;
	if (!size || offset > end)
		return;
	size = size > end - offset ? end - offset : size;
	b->cpus[b->n_cpus++] = (struct tracedat_cpu){ .id = id, .offset = offset, .size = size };
}

/* Options that mean the same in both versions; data has this many bytes. */
static void take_option(struct tracedat *t, unsigned id, const uint8_t *data, size_t n)
{
	struct ftrace_bytes b = ftrace_bytes(data, n, t->tracing.is_be);
	const char *text;
	switch (id) {
	case DATE: /* us */
	case OFFSET:
		text = own(t, data, n);
		if (text)
			t->offset_ns += (int64_t)((uint64_t)strtoll(text, NULL, 0) *
						  (id == DATE ? 1000u : 1u));
		break;
	case TRACECLOCK:
		text = own(t, data, n);
		t->clock = text ? ftrace_chosen_clock(t->arena, text) : NULL;
		break;
	case UNAME: t->uname = own(t, data, n); break;
	case VERSION: t->tracer = own(t, data, n); break;
	case TRACEID: t->trace_id = ftrace_u64(&b); break;
	case TSC2NSEC:
		t->tsc.mult = ftrace_u32(&b);
		t->tsc.shift = ftrace_u32(&b);
		t->tsc.offset = ftrace_u64(&b);
		if (b.ended || t->tsc.shift > 63)
			t->tsc = (struct tracedat_tsc){ 0 };
		break;
	default: break;
	}
}

/* ---- version 6 ---- */

/* "flyrecord" and where the pages of each CPU are. */
static bool read_flyrecord(struct tracedat *t, struct ftrace_bytes *b, const char *name)
{
	const uint8_t *kind = ftrace_take(b, 10);
	if (!kind || memcmp(kind, "flyrecord", 10) != 0)
		return true;
	struct tracedat_buffer *buffer = add_buffer(t, name, t->n_cpus);
	if (!buffer)
		return false;
	for (uint32_t i = 0; i < t->n_cpus && !b->ended; i++) {
		uint64_t offset = ftrace_u64(b), size = ftrace_u64(b);
		if (!b->ended)
			add_cpu(t, buffer, i, offset, size);
	}
	return true;
}

struct later { /* buffers that options name */
	uint64_t offset;
	const char *name;
};

static bool read_v6_options(
	struct tracedat *t, struct ftrace_bytes *b, struct later *later, uint32_t *n_later)
{
	while (!b->ended) {
		unsigned id = ftrace_u16(b);
		if (id == DONE)
			break;
		uint32_t size = ftrace_u32(b);
		const uint8_t *data = ftrace_take(b, size);
		if (!data)
			break;
		if (id == BUFFER && size > 8 && *n_later < MAX_BUFFERS) {
			const char *name = own(t, data + 8, size - 8);
			if (!name)
				return false;
			later[(*n_later)++] =
				(struct later){ ftrace_load64(data, t->tracing.is_be), name };
		} else {
			take_option(t, id, data, size);
		}
	}
	return true;
}

static bool read_v6(struct tracedat *t, struct ftrace_bytes *b)
{
	uint32_t n_later = 0;
	struct later *later = mer_arena_zalloc(t->arena, MAX_BUFFERS, sizeof(*later));
	ftrace_tracing_pages(&t->tracing, b);
	if (!later || !ftrace_tracing_formats(&t->tracing, b, "ftrace", t->arena) ||
		!ftrace_tracing_systems(&t->tracing, b, t->arena))
		return false;
	ftrace_take(b, ftrace_u32(b)); /* kallsyms */
	ftrace_take(b, ftrace_u32(b)); /* formats of trace_printk */
	ftrace_take(b, ftrace_u64(b)); /* command lines */
	t->n_cpus = ftrace_u32(b);
	if (t->n_cpus > MAX_CPUS)
		t->n_cpus = 0;
	if (ftrace_left(b) >= 10 && memcmp(b->at, "options  ", 10) == 0) {
		ftrace_take(b, 10);
		if (!read_v6_options(t, b, later, &n_later))
			return false;
	}
	bool ok = read_flyrecord(t, b, NULL);
	for (uint32_t i = 0; i < n_later && ok; i++) {
		struct ftrace_bytes at = ftrace_from(
			t->file->data, t->file->size, later[i].offset, t->tracing.is_be);
		ok = read_flyrecord(t, &at, later[i].name);
		t->is_cut |= at.ended;
	}
	return ok;
}

/* ---- version 7 ---- */

struct section {
	unsigned id;
	struct ftrace_bytes bytes;
	void *unpacked; /* NULL: they are the file's */
};

/* The section that begins at this offset; false: there is none that can be read. */
static bool open_section(struct tracedat *t, uint64_t offset, struct section *s)
{
	struct ftrace_bytes b = ftrace_from(t->file->data, t->file->size, offset, t->tracing.is_be);
	struct mer_err ignored;
	*s = (struct section){ .id = ftrace_u16(&b) };
	unsigned flags = ftrace_u16(&b);
	(void)ftrace_u32(&b);		/* which text describes it */
	uint64_t size = ftrace_u64(&b); /* the manual says 4 bytes, trace-cmd writes 8 */
	if (b.ended)
		return false;
	if (size > ftrace_left(&b)) {
		t->is_cut = true;
		size = ftrace_left(&b);
	}
	s->bytes = ftrace_bytes(b.at, size, t->tracing.is_be);
	if (!(flags & IS_PACKED))
		return true;
	uint32_t packed = ftrace_u32(&s->bytes);
	size_t plain = ftrace_u32(&s->bytes);
	const uint8_t *data = ftrace_take(&s->bytes, packed);
	if (!data || plain > MAX_SECTION)
		return false;
	s->unpacked = malloc(plain + 1);
	if (!s->unpacked ||
		ftrace_unpack(t->packing, data, packed, s->unpacked, &plain, &ignored)) {
		free(s->unpacked);
		return false;
	}
	s->bytes = ftrace_bytes(s->unpacked, plain, t->tracing.is_be);
	return true;
}

static bool read_section(struct tracedat *t, uint64_t offset, unsigned id)
{
	struct section s;
	bool ok = true;
	if (!open_section(t, offset, &s)) {
		t->is_cut = true;
		return true;
	}
	if (s.id != id)
		t->is_cut = true;
	else if (id == HEADER_INFO)
		ftrace_tracing_pages(&t->tracing, &s.bytes);
	else if (id == FTRACE_EVENTS)
		ok = ftrace_tracing_formats(&t->tracing, &s.bytes, "ftrace", t->arena);
	else
		ok = ftrace_tracing_systems(&t->tracing, &s.bytes, t->arena);
	free(s.unpacked);
	return ok;
}

static bool read_buffer(struct tracedat *t, const uint8_t *data, size_t n)
{
	struct ftrace_bytes b = ftrace_bytes(data, n, t->tracing.is_be);
	(void)ftrace_u64(&b); /* the section; the CPUs say where their pages are */
	const char *name = ftrace_text(&b), *clock = ftrace_text(&b);
	/* trace-cmd writes the size of a page since 3.1.3. */
	bool has_page = ftrace_left(&b) % 20 == 8;
	uint64_t page = has_page ? ftrace_u32(&b) : t->tracing.page_bytes;
	uint32_t n_cpus = ftrace_u32(&b);
	if (!clock || n_cpus > ftrace_left(&b) / 20)
		return true;
	struct tracedat_buffer *buffer = add_buffer(t, name, n_cpus);
	if (!buffer)
		return false;
	buffer->clock = ftrace_chosen_clock(t->arena, clock);
	buffer->page_bytes = is_page_size(page) ? (uint32_t)page : t->tracing.page_bytes;
	for (uint32_t i = 0; i < n_cpus; i++) {
		uint32_t id = ftrace_u32(&b);
		uint64_t offset = ftrace_u64(&b), size = ftrace_u64(&b);
		add_cpu(t, buffer, id, offset, size);
	}
	return buffer->clock != NULL;
}

/* *next: where the next section of options is. */
static bool read_v7_options(struct tracedat *t, struct ftrace_bytes *b, uint64_t *next)
{
	*next = 0;
	while (!b->ended) {
		unsigned id = ftrace_u16(b);
		uint32_t size = ftrace_u32(b);
		const uint8_t *data = ftrace_take(b, size);
		bool ok = true;
		if (!data)
			break;
		uint64_t offset = size >= 8 ? ftrace_load64(data, t->tracing.is_be) : 0;
		if (id == DONE) {
			*next = offset;
			break;
		}
		if (id == HEADER_INFO || id == FTRACE_EVENTS || id == EVENT_FORMATS)
			ok = read_section(t, offset, id);
		else if (id == BUFFER)
			ok = read_buffer(t, data, size);
		else
			take_option(t, id, data, size);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- version 7 whose end is missing ---- */

/* The options, which say where sections are, are at the end; but the sections follow each other
 * from the beginning of the file, formats first. */

/* Chunks of pages of one CPU: where they end; 0: there are none. */
static uint64_t end_of_chunks(const struct tracedat *t, uint64_t at)
{
	struct ftrace_bytes b = ftrace_from(t->file->data, t->file->size, at, t->tracing.is_be);
	uint32_t n = ftrace_u32(&b);
	for (uint32_t i = 0; i < n && !b.ended; i++) {
		uint32_t packed = ftrace_u32(&b), plain = ftrace_u32(&b);
		if (!packed || plain % t->tracing.page_bytes)
			return b.ended ? t->file->size : 0;
		ftrace_take(&b, packed);
	}
	return n ? (uint64_t)(b.at - t->file->data) : 0;
}

/* Where the pages of one CPU end: at one that is earlier than the page before it. */
static uint64_t end_of_pages(const struct tracedat *t, uint64_t at)
{
	uint64_t last = 0;
	for (; at < t->file->size && t->file->size - at >= 8; at += t->tracing.page_bytes) {
		uint64_t time = ftrace_load64(t->file->data + at, t->tracing.is_be);
		if (time < last)
			break;
		last = time;
	}
	return at < t->file->size ? at : t->file->size;
}

static uint64_t aligned(const struct tracedat *t, uint64_t at)
{
	uint64_t page = t->tracing.page_bytes;
	return (at + page - 1) / page * page;
}

/* The pages of a buffer follow the section's head; those of each CPU begin at a multiple of the
 * page size. */
static bool guess_buffer(struct tracedat *t, uint64_t at)
{
	enum { MOST = 4096 };
	struct tracedat_buffer *buffer = add_buffer(t, NULL, MOST);
	if (!buffer)
		return false;
	for (uint32_t cpu = 0; cpu < MOST; cpu++) {
		at = aligned(t, at);
		uint64_t end = at < t->file->size ? t->packing == FTRACE_PLAIN
							    ? end_of_pages(t, at)
							    : end_of_chunks(t, at)
						  : 0;
		if (end <= at)
			break;
		add_cpu(t, buffer, cpu, at, end - at);
		buffer->cpus[buffer->n_cpus - 1].is_guessed = true;
		at = end;
	}
	return true;
}

static bool read_v7_forwards(struct tracedat *t, uint64_t at)
{
	enum { SECTION_HEAD = 16 };
	for (unsigned i = 0; i < MAX_SECTIONS && at < t->file->size; i++) {
		struct ftrace_bytes b =
			ftrace_from(t->file->data, t->file->size, at, t->tracing.is_be);
		unsigned id = ftrace_u16(&b);
		(void)ftrace_u16(&b);
		(void)ftrace_u32(&b);
		uint64_t size = ftrace_u64(&b);
		if (b.ended)
			break;
		if (id == BUFFER)
			return guess_buffer(t, at + SECTION_HEAD);
		if (id > BUFFER_TEXT)
			break;
		if ((id == HEADER_INFO || id == FTRACE_EVENTS || id == EVENT_FORMATS) &&
			!read_section(t, at, id))
			return false;
		if (size > t->file->size)
			break;
		at += SECTION_HEAD + size;
	}
	return true;
}

static bool read_v7(struct tracedat *t, struct ftrace_bytes *b)
{
	uint64_t next = ftrace_u64(b), first = (uint64_t)(b->at - t->file->data);
	bool ok = true;
	for (unsigned i = 0; next && ok && i < MAX_SECTIONS; i++) {
		struct section s;
		uint64_t at = next;
		next = 0;
		if (!open_section(t, at, &s) || s.id != DONE) {
			t->is_cut = true;
			break;
		}
		ok = read_v7_options(t, &s.bytes, &next);
		free(s.unpacked);
	}
	return ok && t->n_buffers == 0 ? read_v7_forwards(t, first) : ok;
}

/* ---- opening ---- */

static int read_head(struct tracedat *t, struct ftrace_bytes *b, struct mer_err *err)
{
	int rc = ftrace_tracing_head(&t->tracing, b, err);
	if (rc)
		return rc;
	t->version = (unsigned)strtoul(t->tracing.version, NULL, 10);
	if (t->version == 6)
		return 0;
	if (t->version != 7)
		return mer_fail(err, MER_ERR_INPUT,
			"it is a trace.dat of version %.20s; 6 and 7 are read", t->tracing.version);
	const char *packing = ftrace_text(b);
	(void)ftrace_text(b); /* its version */
	return packing ? ftrace_packing_of(packing, &t->packing, err)
		       : mer_fail(err, MER_ERR_INPUT, "it ends within its first bytes");
}

int tracedat_open(struct tracedat *t, const struct mer_file *file, struct mer_arena *arena,
	struct mer_err *err)
{
	struct ftrace_bytes b = ftrace_bytes(file->data, file->size, false);
	*t = (struct tracedat){ .file = file,
		.arena = arena,
		.buffers = mer_arena_zalloc(arena, MAX_BUFFERS, sizeof(*t->buffers)) };
	if (!t->buffers)
		return mer_fail_nomem(err);
	int rc = read_head(t, &b, err);
	if (rc)
		return rc;
	if (!(t->version == 6 ? read_v6(t, &b) : read_v7(t, &b)))
		return mer_fail_nomem(err);
	t->is_cut |= b.ended;
	if (t->tracing.formats.n == 0)
		return mer_fail(err, MER_ERR_INPUT,
			"the formats of its events are missing: it is cut or damaged before them");
	return 0;
}
