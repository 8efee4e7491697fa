#include "ftrace/reading.h"

#include "ftrace/pages/pages.h"

/* In ns of the clock. */
static uint64_t time_of(const struct ftrace_pages_of *of, uint64_t stamp)
{
	if (!of->mult)
		return stamp;
	return (uint64_t)(((unsigned __int128)stamp * of->mult) >> of->shift) + of->offset;
}

/* Losses for pages that say only that events were lost, not how many. */
struct unknown_losses {
	uint64_t each,
		more;	 /* of each such page, and additional ones of the first; each 0: unknown */
	uint64_t behind; /* after the last page: if no page reports a loss of unknown size */
};

static struct unknown_losses unknown_losses(
	const struct ftrace_pages_of *of, const uint8_t *data, uint64_t size)
{
	uint64_t told = 0, n = 0;
	if (!of->n_lost || of->is_snapshot)
		return (struct unknown_losses){ 0 };
	for (uint64_t at = 0; at < size; at += of->page_bytes) {
		uint64_t bytes = size - at < of->page_bytes ? size - at : of->page_bytes;
		struct ftrace_page p = ftrace_page_open(data + at, bytes, &of->layout, of->is_be);
		n += p.lost == UINT64_MAX;
		told += p.lost == UINT64_MAX ? 0 : p.lost;
	}
	uint64_t rest = of->n_lost > told ? of->n_lost - told : 0;
	return n && rest >= n ? (struct unknown_losses){ .each = rest / n, .more = rest % n }
	       : n	      ? (struct unknown_losses){ 0 }
			      : (struct unknown_losses){ .behind = rest };
}

static int read_page(struct ftrace_reading *r, struct ftrace_stream *s,
	const struct ftrace_pages_of *of, struct unknown_losses *unknown, const uint8_t *data,
	size_t size, bool is_first)
{
	struct ftrace_page p = ftrace_page_open(data, size, &of->layout, of->is_be);
	struct ftrace_record record;
	int rc = 0;
	if (p.lost && !(is_first && of->is_snapshot)) {
		uint64_t n = p.lost;
		if (n == UINT64_MAX) {
			r->n_unknown_losses += !unknown->each;
			n = unknown->each ? unknown->each + unknown->more : 1;
			unknown->more = 0;
		}
		rc = ftrace_stream_lost(s, n, r->err);
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
	struct unknown_losses unknown = unknown_losses(of, data, size);
	for (uint64_t at = 0; at < size && rc == 0; at += of->page_bytes) {
		uint64_t n = size - at < of->page_bytes ? size - at : of->page_bytes;
		rc = read_page(r, s, of, &unknown, data + at, n, at == 0);
	}
	return rc == 0 && unknown.behind ? ftrace_stream_lost(s, unknown.behind, r->err) : rc;
}
