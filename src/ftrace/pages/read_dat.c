#include "ftrace/reading.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/bytes.h"
#include "ftrace/pages/tracedat.h"

enum { MAX_CHUNK = 1 << 28 };

struct dat {
	struct ftrace_reading *r;
	struct tracedat file;
	struct ftrace_pages_of pages; /* of the buffer that is read */
};

/* Chunks of pages: their number, then each with its sizes. */
static int read_packed(struct dat *d, struct ftrace_stream *s, struct ftrace_bytes b)
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
			rc = ftrace_read_pages(d->r, s, &d->pages, pages, plain);
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
	/* The size that trace-cmd writes does not include the number of chunks (4 bytes). */
	uint64_t end_of_file = d->r->file.size - cpu->offset;
	uint64_t room = cpu->size + 4 < end_of_file ? cpu->size + 4 : end_of_file;
	d->pages = (struct ftrace_pages_of){ .layout = t->tracing.layout,
		.is_be = t->tracing.is_be,
		.page_bytes = buffer->page_bytes,
		.mult = t->tsc.mult,
		.shift = t->tsc.shift,
		.offset = t->tsc.offset };
	struct ftrace_stream *s;
	int rc = ftrace_stream_open(d->r->copy, buffer->name, cpu->id, &s, d->r->err);
	if (rc == 0 && t->packing == FTRACE_PLAIN)
		rc = ftrace_read_pages(d->r, s, &d->pages, data, cpu->size);
	else if (rc == 0)
		rc = read_packed(d, s, ftrace_bytes(data, room, t->tracing.is_be));
	int end = ftrace_stream_close(s, rc ? NULL : d->r->err);
	return rc ? rc : end;
}

static const char *clock_of(const struct tracedat *t)
{
	for (uint32_t i = 0; i < t->n_buffers; i++)
		if (t->buffers[i].n_cpus && t->buffers[i].clock && t->buffers[i].clock[0])
			return t->buffers[i].clock;
	return t->clock && t->clock[0] ? t->clock : "local";
}

int ftrace_read_dat(struct ftrace_reading *r)
{
	struct dat d = { .r = r };
	struct tracedat *t = &d.file;
	int rc = tracedat_open(t, &r->file, &r->arena, r->err);
	if (rc)
		return rc;
	const struct ftrace_copy_host host = { .name = ftrace_word(&r->arena, t->uname, 1),
		.release = ftrace_word(&r->arena, t->uname, 2),
		.machine = ftrace_machine(&r->arena, t->uname),
		.tracer = "trace-cmd",
		.form = t->version == 6 ? "trace.dat 6" : "trace.dat 7",
		.clock = clock_of(t),
		.id = r->id,
		.offset_ns = t->offset_ns,
		.is_be = t->tracing.is_be,
		.wants_closes = r->has_state };
	rc = ftrace_copy_new(r->folder, &host, &t->tracing.formats, &r->copy, r->err);
	for (uint32_t i = 0; i < t->n_buffers && rc == 0; i++)
		for (uint32_t k = 0; k < t->buffers[i].n_cpus && rc == 0; k++)
			rc = read_cpu(&d, &t->buffers[i], &t->buffers[i].cpus[k]);
	if (rc == 0)
		rc = ftrace_copy_declare(r->copy, r->err);
	if (t->n_buffers && t->buffers[0].n_cpus && t->buffers[0].cpus[0].is_guessed)
		copied_notef(&r->notes, MER_ERROR, "ftrace-cut", 1,
			"the end of the file is missing, and with it the host's name, the clock, and which CPU is which: they are counted");
	else
		ftrace_note_clock(r, host.clock, t->tsc.mult != 0, "trace-cmd record -C mono");
	r->is_cut |= t->is_cut;
	return rc;
}
