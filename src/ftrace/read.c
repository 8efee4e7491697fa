#include "ftrace/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "copied/notes.h"
#include "ftrace/bytes.h"
#include "ftrace/copy.h"
#include "ftrace/pages.h"
#include "ftrace/tracedat.h"

enum { PATH_BYTES = 4200, MAX_CHUNK = 1 << 28 };

struct reading {
	const char *folder;
	struct mer_arena arena;
	struct mer_file file;
	struct tracedat dat;
	struct ftrace_copy *copy;
	struct mer_str notes;
	uint64_t n_damaged, n_unknown_losses;
	struct mer_err *err;
};

/* ---- pages ---- */

/* In ns of the clock. */
static uint64_t time_of(const struct tracedat *t, uint64_t stamp)
{
	if (!t->tsc.mult)
		return stamp;
	return (uint64_t)(((unsigned __int128)stamp * t->tsc.mult) >> t->tsc.shift) + t->tsc.offset;
}

static int read_page(struct reading *r, struct ftrace_stream *s, const uint8_t *data, size_t size)
{
	const struct tracedat *t = &r->dat;
	struct ftrace_page p = ftrace_page_open(data, size, &t->layout, t->is_be);
	struct ftrace_record record;
	int rc = 0;
	if (p.lost) {
		r->n_unknown_losses += p.lost == UINT64_MAX;
		rc = ftrace_stream_lost(s, p.lost == UINT64_MAX ? 1 : p.lost, r->err);
	}
	while (rc == 0 && ftrace_page_next(&p, &record))
		rc = ftrace_stream_record(
			s, time_of(t, record.time), record.data, record.size, r->err);
	r->n_damaged += p.is_damaged;
	return rc;
}

static int read_pages(struct reading *r, struct ftrace_stream *s, const uint8_t *data,
	uint64_t size, uint32_t page_bytes)
{
	int rc = 0;
	for (uint64_t at = 0; at < size && rc == 0; at += page_bytes) {
		uint64_t n = size - at < page_bytes ? size - at : page_bytes;
		rc = read_page(r, s, data + at, n);
	}
	return rc;
}

/* Chunks of pages: their number, then each with its sizes. */
static int read_packed(
	struct reading *r, struct ftrace_stream *s, struct ftrace_bytes b, uint32_t page_bytes)
{
	uint32_t n = ftrace_u32(&b);
	struct mer_err why;
	int rc = 0;
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		uint32_t packed = ftrace_u32(&b);
		size_t plain = ftrace_u32(&b);
		const uint8_t *data = ftrace_take(&b, packed);
		if (!data || plain > MAX_CHUNK) {
			r->n_damaged++;
			break;
		}
		uint8_t *pages = malloc(plain + 1);
		if (!pages)
			return mer_fail_nomem(r->err);
		if (ftrace_unpack(r->dat.packing, data, packed, pages, &plain, &why) == 0)
			rc = read_pages(r, s, pages, plain, page_bytes);
		else
			r->n_damaged++;
		free(pages);
	}
	return rc;
}

static int read_cpu(
	struct reading *r, const struct tracedat_buffer *buffer, const struct tracedat_cpu *cpu)
{
	const struct tracedat *t = &r->dat;
	const uint8_t *data = r->file.data + cpu->offset;
	/* trace-cmd does not count the number of chunks as a part of them. */
	uint64_t end_of_file = r->file.size - cpu->offset;
	uint64_t room = cpu->size + 4 < end_of_file ? cpu->size + 4 : end_of_file;
	struct ftrace_stream *s;
	int rc = ftrace_stream_open(r->copy, buffer->name, cpu->id, &s, r->err);
	if (rc == 0 && t->packing == FTRACE_PLAIN)
		rc = read_pages(r, s, data, cpu->size, buffer->page_bytes);
	else if (rc == 0)
		rc = read_packed(r, s, ftrace_bytes(data, room, t->is_be), buffer->page_bytes);
	int end = ftrace_stream_close(s, rc ? NULL : r->err);
	return rc ? rc : end;
}

/* ---- what is told ---- */

static void note(struct reading *r, enum mer_severity severity, const char *code, uint64_t n,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void note(struct reading *r, enum mer_severity severity, const char *code, uint64_t n,
	const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	copied_note(&r->notes, severity, code, n, text);
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

static void note_clock(struct reading *r, const char *clock)
{
	if (strcmp(clock, "counter") == 0 || (strcmp(clock, "x86-tsc") == 0 && !r->dat.tsc.mult))
		note(r, MER_ERROR, "ftrace-clock", 1,
			"its times are those of the clock '%s', which are no ns: durations are wrong; record with 'trace-cmd record -C mono'",
			clock);
	else if (!is_common_clock(&r->dat, clock))
		note(r, MER_WARNING, "ftrace-clock", 1,
			"it was recorded with the clock '%s', which fits no other recording and may differ between CPUs; record with 'trace-cmd record -C mono'",
			clock);
}

static void note_all(struct reading *r)
{
	const struct ftrace_copied *done = ftrace_copied(r->copy);
	if (r->dat.is_cut)
		note(r, MER_ERROR, "ftrace-cut", 1,
			"the file ends too early; what lies before its end is read");
	if (r->n_damaged)
		note(r, MER_ERROR, "ftrace-damaged", r->n_damaged,
			"pages are damaged; what follows in each was left out");
	if (r->n_unknown_losses)
		note(r, MER_WARNING, "ftrace-lost", r->n_unknown_losses,
			"events were lost, and the kernel did not say how many: each place counts as one");
	if (done->n_unknown)
		note(r, MER_WARNING, "ftrace-unknown", done->n_unknown,
			"records of events whose formats are not in the file were left out");
	if (done->n_short)
		note(r, MER_ERROR, "ftrace-damaged", done->n_short,
			"records are shorter than their formats say, and were left out");
	if (done->n_back)
		note(r, MER_WARNING, "ftrace-times", done->n_back,
			"times went back within a CPU's events; the later one was taken");
}

static int write_notes(struct reading *r)
{
	char path[PATH_BYTES];
	int n = snprintf(path, sizeof(path), "%s/notes", r->folder);
	if (r->notes.failed)
		return mer_fail_nomem(r->err);
	if ((size_t)n >= sizeof(path))
		return mer_fail(r->err, MER_ERR_LIMIT, "the path of its copy is too long");
	const char *text = r->notes.data ? r->notes.data : "";
	return mer_file_replace(path, &(struct mer_bytes){ text, strlen(text) }, 1)
		       ? 0
		       : mer_fail_errno(r->err, "write", path);
}

/* ---- all of it ---- */

/* "Linux client 6.1.0-56-amd64 #1 SMP ...": the word with this number. */
static const char *word(struct mer_arena *a, const char *text, unsigned n)
{
	for (; text && n; n--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text && *text ? mer_arena_strndup(a, text, strcspn(text, " ")) : NULL;
}

static int make_copy(struct reading *r, const char *folder, uint64_t id)
{
	struct tracedat *t = &r->dat;
	const struct ftrace_copy_host host = { .name = word(&r->arena, t->uname, 1),
		.release = word(&r->arena, t->uname, 2),
		.tracer = "trace-cmd",
		.clock = clock_of(t),
		.id = id,
		.offset_ns = t->offset_ns,
		.is_be = t->is_be };
	if (!mer_make_folder(folder))
		return mer_fail_errno(r->err, "make the folder", folder);
	int rc = ftrace_copy_new(folder, &host, &t->formats, &r->copy, r->err);
	for (uint32_t i = 0; i < t->n_buffers && rc == 0; i++)
		for (uint32_t k = 0; k < t->buffers[i].n_cpus && rc == 0; k++)
			rc = read_cpu(r, &t->buffers[i], &t->buffers[i].cpus[k]);
	if (rc)
		return rc;
	note_clock(r, host.clock);
	note_all(r);
	rc = ftrace_copy_end(r->copy, r->err);
	return rc ? rc : write_notes(r);
}

int ftrace_read(const char *path, const char *folder, uint64_t id, struct mer_err *err)
{
	char below[PATH_BYTES];
	struct reading r = { .folder = folder, .err = err };
	int n = snprintf(below, sizeof(below), "%s/0", folder);
	int rc = mer_file_open(&r.file, path, err);
	if (rc)
		return rc;
	mer_arena_init(&r.arena);
	if ((size_t)n >= sizeof(below))
		rc = mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	if (rc == 0)
		rc = tracedat_open(&r.dat, &r.file, &r.arena, err);
	if (rc == 0)
		rc = make_copy(&r, below, id);
	ftrace_copy_free(r.copy);
	mer_str_fini(&r.notes);
	mer_arena_fini(&r.arena);
	mer_file_close(&r.file);
	return rc;
}
