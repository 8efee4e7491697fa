#include "ftrace/pages/tracing.h"

#include <string.h>

static const char magic[FTRACE_MAGIC_BYTES + 1] = "\x17\x08\x44tracing";

bool ftrace_tracing_is(const void *head, size_t size)
{
	return size >= FTRACE_MAGIC_BYTES && memcmp(head, magic, FTRACE_MAGIC_BYTES) == 0;
}

int ftrace_tracing_head(struct ftrace_tracing *t, struct ftrace_bytes *b, struct mer_err *err)
{
	enum { LEAST_PAGE = 256, MOST_PAGE = 1 << 24 };
	*t = (struct ftrace_tracing){ .layout = { .data_offset = 16, .commit_bytes = 8 } };
	if (!ftrace_tracing_is(b->at, ftrace_left(b)))
		return mer_fail(err, MER_ERR_INPUT, "it does not begin as trace-cmd's data does");
	ftrace_take(b, FTRACE_MAGIC_BYTES);
	t->version = ftrace_text(b);
	const uint8_t *order = ftrace_take(b, 2);
	t->is_be = b->is_be = order && order[0] == 1;
	t->long_bytes = order && order[1] == 4 ? 4 : 8;
	t->page_bytes = ftrace_u32(b);
	if (b->ended)
		return mer_fail(err, MER_ERR_INPUT, "it ends within its first bytes");
	if (t->page_bytes < LEAST_PAGE || t->page_bytes > MOST_PAGE ||
		(t->page_bytes & (t->page_bytes - 1)))
		return mer_fail(err, MER_ERR_INPUT, "it is damaged: its pages would have %u bytes",
			t->page_bytes);
	return 0;
}

void ftrace_tracing_pages(struct ftrace_tracing *t, struct ftrace_bytes *b)
{
	for (int i = 0; i < 2; i++) {
		const char *what = ftrace_text(b);
		uint64_t size = ftrace_u64(b);
		const uint8_t *text = ftrace_take(b, size);
		if (what && text && strcmp(what, "header_page") == 0)
			t->layout = ftrace_page_layout((const char *)text, size);
	}
}

bool ftrace_tracing_formats(
	struct ftrace_tracing *t, struct ftrace_bytes *b, const char *system, struct mer_arena *a)
{
	uint32_t n = ftrace_u32(b);
	bool ok = true;
	for (uint32_t i = 0; i < n && ok && !b->ended; i++) {
		uint64_t size = ftrace_u64(b);
		const uint8_t *text = ftrace_take(b, size);
		/* The kernel's long has the size of `commit`. */
		ok = !text || ftrace_formats_add(&t->formats, a, system, (const char *)text, size,
				      t->layout.commit_bytes);
	}
	return ok;
}

bool ftrace_tracing_systems(struct ftrace_tracing *t, struct ftrace_bytes *b, struct mer_arena *a)
{
	uint32_t n = ftrace_u32(b);
	bool ok = true;
	for (uint32_t i = 0; i < n && ok && !b->ended; i++) {
		const char *system = ftrace_text(b);
		ok = !system || ftrace_tracing_formats(t, b, system, a);
	}
	return ok;
}
