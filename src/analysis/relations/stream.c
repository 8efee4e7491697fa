#include "analysis/relations/stream.h"

#include <stdlib.h>

enum { MAX_PARTS = 4096 }; /* beyond that, the oldest is dropped */

static struct relation_part *part(const struct relation_stream *s, size_t i)
{
	return &s->parts[(s->first + i) % s->cap];
}

static void drop(struct relation_stream *s)
{
	s->first = (s->first + 1) % s->cap;
	s->n--;
}

static bool append(struct relation_stream *s, const struct relation_part *p)
{
	struct relation_part *last = s->n ? part(s, s->n - 1) : NULL;
	if (last && last->task == p->task && last->bytes <= UINT64_MAX - p->bytes) {
		last->bytes += p->bytes;
		last->n += p->n;
		last->time = p->time;
		return true;
	}
	if (s->n == MAX_PARTS)
		drop(s);
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 4;
		struct relation_part *more = malloc(cap * sizeof(*more));
		if (!more)
			return false;
		for (size_t i = 0; i < s->n; i++)
			more[i] = *part(s, i);
		free(s->parts);
		s->parts = more;
		s->first = 0;
		s->cap = cap;
	}
	*part(s, s->n++) = *p;
	return true;
}

bool relation_stream_write(struct relation_stream *s, uint32_t task, int64_t begin, uint64_t bytes,
	relation_give *give, void *ctx)
{
	struct relation_part rest = { .task = task, .n = 1, .bytes = bytes };
	while (s->is_owed && s->n && part(s, 0)->time < begin)
		drop(s);
	while (s->is_owed && s->n && rest.bytes) {
		struct relation_part *debt = part(s, 0);
		uint64_t paid = debt->bytes < rest.bytes ? debt->bytes : rest.bytes;
		debt->bytes -= paid;
		rest.bytes -= paid;
		if (!give(ctx, task, debt->task, rest.bytes == 0, paid))
			return false;
		if (!debt->bytes)
			drop(s);
	}
	if (!rest.bytes)
		return true;
	s->is_owed = false;
	return append(s, &rest);
}

bool relation_stream_read(struct relation_stream *s, uint32_t task, int64_t end, uint64_t bytes,
	relation_give *give, void *ctx)
{
	struct relation_part rest = { .task = task, .bytes = bytes, .time = end };
	while (!s->is_owed && s->n && rest.bytes) {
		struct relation_part *p = part(s, 0);
		uint64_t got = p->bytes < rest.bytes ? p->bytes : rest.bytes;
		/* The number of writes in proportion to these bytes. */
		uint64_t n = got == p->bytes
				     ? p->n
				     : (uint64_t)((double)p->n * (double)got / (double)p->bytes);
		if (n > p->n)
			n = p->n;
		p->bytes -= got;
		p->n -= n;
		rest.bytes -= got;
		if (!give(ctx, p->task, task, n, got))
			return false;
		if (!p->bytes)
			drop(s);
	}
	if (!rest.bytes)
		return true;
	s->is_owed = true;
	return append(s, &rest);
}

void relation_stream_fini(struct relation_stream *s)
{
	free(s->parts);
	*s = (struct relation_stream){ 0 };
}
