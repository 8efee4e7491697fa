#include "ftrace/reading.h"

#include <string.h>

#include "ftrace/pages.h"

/* In ns of the clock. */
static uint64_t time_of(const struct ftrace_pages_of *of, uint64_t stamp)
{
	if (!of->mult)
		return stamp;
	return (uint64_t)(((unsigned __int128)stamp * of->mult) >> of->shift) + of->offset;
}

static int read_page(struct ftrace_reading *r, struct ftrace_stream *s,
	const struct ftrace_pages_of *of, const uint8_t *data, size_t size)
{
	struct ftrace_page p = ftrace_page_open(data, size, &of->layout, of->is_be);
	struct ftrace_record record;
	int rc = 0;
	if (p.lost) {
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
		rc = read_page(r, s, of, data + at, n);
	}
	return rc;
}

const char *ftrace_chosen_clock(struct mer_arena *a, const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? mer_arena_strndup(a, open + 1, (size_t)(close - open - 1))
		     : mer_arena_strndup(a, text, strcspn(text, " \n"));
}

/* Clocks of other hosts, and of other recordings, can be set against these. */
static bool is_common_clock(const char *clock, bool has_ns)
{
	static const char *const common[] = { "mono", "mono_raw", "boot", "tai" };
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (strcmp(clock, common[i]) == 0)
			return true;
	return has_ns && strcmp(clock, "x86-tsc") == 0;
}

void ftrace_note_clock(struct ftrace_reading *r, const char *clock, bool has_ns)
{
	if (strcmp(clock, "counter") == 0 || (strcmp(clock, "x86-tsc") == 0 && !has_ns))
		ftrace_note(r, MER_ERROR, "ftrace-clock", 1,
			"its times are those of the clock '%s', which are no ns: durations are wrong; record with 'trace-cmd record -C mono'",
			clock);
	else if (!is_common_clock(clock, has_ns))
		ftrace_note(r, MER_WARNING, "ftrace-clock", 1,
			"it was recorded with the clock '%s', which fits no other recording and may differ between CPUs; record with 'trace-cmd record -C mono'",
			clock);
}

const char *ftrace_word(struct mer_arena *a, const char *text, unsigned n)
{
	for (; text && n; n--) {
		text += strcspn(text, " \n");
		text += strspn(text, " \n");
	}
	return text && *text ? mer_arena_strndup(a, text, strcspn(text, " \n")) : NULL;
}
