#include "ftrace/reading.h"

#include "ftrace/pages/pages.h"

/* In ns of the clock. */
static uint64_t time_of(const struct ftrace_pages_of *of, uint64_t stamp)
{
	if (!of->mult)
		return stamp;
	return (uint64_t)(((unsigned __int128)stamp * of->mult) >> of->shift) + of->offset;
}

static int read_page(struct ftrace_reading *r, struct ftrace_stream *s,
	const struct ftrace_pages_of *of, const uint8_t *data, size_t size, bool is_first)
{
	struct ftrace_page p = ftrace_page_open(data, size, &of->layout, of->is_be);
	struct ftrace_record record;
	int rc = 0;
	if (p.lost && !(is_first && of->is_snapshot)) {
		r->n_unknown_losses += p.lost == UINT64_MAX;
		rc = ftrace_stream_lost(s, p.lost == UINT64_MAX ? 1 : p.lost, r->err);
	}
	while (rc == 0 && ftrace_page_next(&p, &record))
		rc = ftrace_stream_record(
			s, time_of(of, record.time), record.data, record.size, r->err);
	r->n_damaged += p.is_damaged;
	return rc;
}

int ftrace_read_pages(struct ftrace_reading *r, struct ftrace_stream *s,
	const struct ftrace_pages_of *of, const uint8_t *data, uint64_t size)
{
	int rc = 0;
	for (uint64_t at = 0; at < size && rc == 0; at += of->page_bytes) {
		uint64_t n = size - at < of->page_bytes ? size - at : of->page_bytes;
		rc = read_page(r, s, of, data + at, n, at == 0);
	}
	return rc;
}
