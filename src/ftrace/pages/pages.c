#include "ftrace/pages/pages.h"

#include "ftrace/bytes.h"

/* Parts of a page's `commit`. */
enum { LENGTH = (1 << 27) - 1, COUNT_FOLLOWS = 1 << 30 };
static const uint32_t lost_events = 1u << 31;

enum { IN_NEXT_WORD = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

struct ftrace_page ftrace_page_open(
	const uint8_t *data, size_t size, const struct ftrace_page_layout *layout, bool is_be)
{
	struct ftrace_page p = { .at = data, .end = data, .is_be = is_be };
	if (size < layout->data_offset) {
		p.is_damaged = size > 0;
		return p;
	}
	p.time = ftrace_load64(data, is_be);
	uint64_t commit = layout->commit_bytes == 4 ? ftrace_load32(data + 8, is_be)
						    : ftrace_load64(data + 8, is_be);
	uint64_t length = commit & LENGTH, room = size - layout->data_offset;
	p.at = data + layout->data_offset;
	if (length > room) {
		p.is_damaged = true;
		length = room;
	}
	p.end = p.at + length;
	if (commit & lost_events) {
		p.lost = UINT64_MAX;
		if (commit & COUNT_FOLLOWS && room - length >= layout->commit_bytes)
			p.lost = layout->commit_bytes == 4 ? ftrace_load32(p.end, is_be)
							   : ftrace_load64(p.end, is_be);
	}
	return p;
}

static bool end(struct ftrace_page *p, bool damaged)
{
	p->is_damaged |= damaged;
	p->at = p->end;
	return false;
}

bool ftrace_page_next(struct ftrace_page *p, struct ftrace_record *r)
{
	while ((size_t)(p->end - p->at) >= 4) {
		uint32_t head = ftrace_load32(p->at, p->is_be), word = 0;
		unsigned type = p->is_be ? head >> 27 : head & 31;
		uint64_t delta = p->is_be ? head & ((1u << 27) - 1) : head >> 5;
		p->at += 4;
		size_t left = (size_t)(p->end - p->at);
		if (type == IN_NEXT_WORD || type >= PADDING) {
			/* Padding up to the page's end. */
			if (type == PADDING && (delta == 0 || left < 4))
				return end(p, false);
			if (left < 4)
				return end(p, true);
			word = ftrace_load32(p->at, p->is_be);
		}
		if (type == TIME_EXTEND || type == TIME_STAMP) {
			uint64_t long_delta = delta | (uint64_t)word << 27;
			p->at += 4;
			/* A stamp has 59 bits; the upper ones are those of the time so far. */
			p->time = type == TIME_EXTEND
					  ? p->time + long_delta
					  : (p->time & UINT64_C(0xf8) << 56) | long_delta;
			continue;
		}
		p->time += delta;
		uint64_t size = type == PADDING	       ? word
				: type == IN_NEXT_WORD ? ((uint64_t)word + 3) / 4 * 4
						       : 4 * (uint64_t)type;
		if (size > left || size < 4)
			return end(p, true);
		const uint8_t *data = p->at;
		p->at += size;
		if (type == PADDING)
			continue; /* a record that was discarded */
		unsigned skipped = type == IN_NEXT_WORD ? 4 : 0;
		*r = (struct ftrace_record){ data + skipped, (uint32_t)size - skipped, p->time };
		return true;
	}
	return end(p, p->at != p->end);
}
