#include "ftrace/reading.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/bytes.h"
#include "ftrace/pages.h"
#include "ftrace/tracedat.h"

enum { MAX_CHUNK = 1 << 28 };

struct dat {
	struct ftrace_reading *r;
	struct tracedat file;
};

/* In ns of the clock. */
static uint64_t time_of(const struct tracedat *t, uint64_t stamp)
{
	if (!t->tsc.mult)
		return stamp;
	return (uint64_t)(((unsigned __int128)stamp * t->tsc.mult) >> t->tsc.shift) + t->tsc.offset;
}

static int read_page(struct dat *d, struct ftrace_stream *s, const uint8_t *data, size_t size)
{
	const struct tracedat *t = &d->file;
	struct ftrace_page p = ftrace_page_open(data, size, &t->tracing.layout, t->tracing.is_be);
	struct ftrace_record record;
	int rc = 0;
	if (p.lost) {
		d->r->n_unknown_losses += p.lost == UINT64_MAX;
		rc = ftrace_stream_lost(s, p.lost == UINT64_MAX ? 1 : p.lost, d->r->err);
	}
	while (rc == 0 && ftrace_page_next(&p, &record))
		rc = ftrace_stream_record(
			s, time_of(t, record.time), record.data, record.size, d->r->err);
	d->r->n_damaged += p.is_damaged;
	return rc;
}

static int read_pages(struct dat *d, struct ftrace_stream *s, const uint8_t *data, uint64_t size,
	uint32_t page_bytes)
{
	int rc = 0;
	for (uint64_t at = 0; at < size && rc == 0; at += page_bytes) {
		uint64_t n = size - at < page_bytes ? size - at : page_bytes;
		rc = read_page(d, s, data + at, n);
	}
	return rc;
}

/* Chunks of pages: their number, then each with its sizes. */
static int read_packed(
	struct dat *d, struct ftrace_stream *s, struct ftrace_bytes b, uint32_t page_bytes)
{
	uint32_t n = ftrace_u32(&b);
	struct mer_err why;
	int rc = 0;
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		uint32_t packed = ftrace_u32(&b);
		size_t plain = ftrace_u32(&b);
		const uint8_t *data = ftrace_take(&b, packed);
		if (!data || plain > MAX_CHUNK) {
			d->r->n_damaged++;
			break;
		}
		uint8_t *pages = malloc(plain + 1);
		if (!pages)
			return mer_fail_nomem(d->r->err);
		if (ftrace_unpack(d->file.packing, data, packed, pages, &plain, &why) == 0)
			rc = read_pages(d, s, pages, plain, page_bytes);
		else
			d->r->n_damaged++;
		free(pages);
	}
	return rc;
}

static int read_cpu(
	struct dat *d, const struct tracedat_buffer *buffer, const struct tracedat_cpu *cpu)
{
	const struct tracedat *t = &d->file;
	const uint8_t *data = d->r->file.data + cpu->offset;
	/* trace-cmd does not count the number of chunks as a part of them. */
	uint64_t end_of_file = d->r->file.size - cpu->offset;
	uint64_t room = cpu->size + 4 < end_of_file ? cpu->size + 4 : end_of_file;
	struct ftrace_stream *s;
	int rc = ftrace_stream_open(d->r->copy, buffer->name, cpu->id, &s, d->r->err);
	if (rc == 0 && t->packing == FTRACE_PLAIN)
		rc = read_pages(d, s, data, cpu->size, buffer->page_bytes);
	else if (rc == 0)
		rc = read_packed(
			d, s, ftrace_bytes(data, room, t->tracing.is_be), buffer->page_bytes);
	int end = ftrace_stream_close(s, rc ? NULL : d->r->err);
	return rc ? rc : end;
}

/* Clocks of other hosts, and of other recordings, can be set against these. */
static bool is_common_clock(const struct tracedat *t, const char *clock)
{
	static const char *const common[] = { "mono", "mono_raw", "boot", "tai" };
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (strcmp(clock, common[i]) == 0)
			return true;
	return t->tsc.mult && strcmp(clock, "x86-tsc") == 0;
}

static const char *clock_of(const struct tracedat *t)
{
	for (uint32_t i = 0; i < t->n_buffers; i++)
		if (t->buffers[i].n_cpus && t->buffers[i].clock && t->buffers[i].clock[0])
			return t->buffers[i].clock;
	return t->clock && t->clock[0] ? t->clock : "local";
}

static void note_clock(struct dat *d, const char *clock)
{
	if (strcmp(clock, "counter") == 0 || (strcmp(clock, "x86-tsc") == 0 && !d->file.tsc.mult))
		ftrace_note(d->r, MER_ERROR, "ftrace-clock", 1,
			"its times are those of the clock '%s', which are no ns: durations are wrong; record with 'trace-cmd record -C mono'",
			clock);
	else if (!is_common_clock(&d->file, clock))
		ftrace_note(d->r, MER_WARNING, "ftrace-clock", 1,
			"it was recorded with the clock '%s', which fits no other recording and may differ between CPUs; record with 'trace-cmd record -C mono'",
			clock);
}

/* "Linux client 6.1.0-56-amd64 #1 SMP ...": the word with this number. */
static const char *word(struct mer_arena *a, const char *text, unsigned n)
{
	for (; text && n; n--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text && *text ? mer_arena_strndup(a, text, strcspn(text, " ")) : NULL;
}

int ftrace_read_dat(struct ftrace_reading *r)
{
	struct dat d = { .r = r };
	struct tracedat *t = &d.file;
	int rc = tracedat_open(t, &r->file, &r->arena, r->err);
	if (rc)
		return rc;
	const struct ftrace_copy_host host = { .name = word(&r->arena, t->uname, 1),
		.release = word(&r->arena, t->uname, 2),
		.tracer = "trace-cmd",
		.clock = clock_of(t),
		.id = r->id,
		.offset_ns = t->offset_ns,
		.is_be = t->tracing.is_be };
	rc = ftrace_copy_new(r->folder, &host, &t->tracing.formats, &r->copy, r->err);
	for (uint32_t i = 0; i < t->n_buffers && rc == 0; i++)
		for (uint32_t k = 0; k < t->buffers[i].n_cpus && rc == 0; k++)
			rc = read_cpu(&d, &t->buffers[i], &t->buffers[i].cpus[k]);
	if (t->n_buffers && t->buffers[0].n_cpus && t->buffers[0].cpus[0].is_guessed)
		ftrace_note(r, MER_ERROR, "ftrace-cut", 1,
			"the end of the file is missing, and with it the host's name, the clock, and which CPU is which: they are counted");
	else
		note_clock(&d, host.clock);
	r->is_cut |= t->is_cut;
	return rc;
}
