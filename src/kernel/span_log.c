#include "kernel/span_log.h"

#include <stdlib.h>

#include "base/grow.h"

enum {
	EXTENT_DOUBLINGS = 10,
	EXTENT_MOST = 1 << EXTENT_DOUBLINGS, /* chunks: 16 MiB */
	STAGED = 64 /* chunks that are in memory while the file's are written */
};

struct kernel_staged {
	struct staged_chunk {
		struct kernel_span spans[KERNEL_CHUNK];
	} chunks[STAGED];
	struct home { /* of each of these; block NULL: nothing is there */
		struct kernel_span *block, *to;
		uint32_t chunk;
	} homes[STAGED];
};

/* A chunk that is complete goes home. */
static void unstage(struct kernel_span_log *l, uint32_t place)
{
	struct home *h = &l->staged->homes[place];
	if (!h->block)
		return;
	mer_spill_copy(
		h->block, h->to, l->staged->chunks[place].spans, sizeof(l->staged->chunks[place]));
	l->chunks[h->chunk] = h->to;
	h->block = NULL;
}

void kernel_span_log_finish(struct kernel_span_log *l)
{
	for (uint32_t i = 0; i < STAGED && l->staged; i++)
		unstage(l, i);
	free(l->staged);
	l->staged = NULL;
}

/* Extents grow with the log, so that small hosts are small. */
static bool add_extent(struct kernel_span_log *l)
{
	uint32_t n = l->n_extents < EXTENT_DOUBLINGS ? 1U << l->n_extents : EXTENT_MOST;
	if (!mer_grow32(&l->extents, l->n_extents, &l->cap_extents, sizeof(*l->extents)))
		return false;
	struct kernel_span *block =
		mer_spill_array(l->spill, n, KERNEL_CHUNK * sizeof(struct kernel_span));
	if (!block)
		return false;
	l->extents[l->n_extents++] = block;
	l->next = block;
	l->n_free = n;
	return true;
}

/* Where a chunk stays, in the last extent. NULL: no memory. */
static struct kernel_span *take_room(struct kernel_span_log *l)
{
	if (!l->n_free && !add_extent(l))
		return NULL;
	struct kernel_span *to = l->next;
	l->next += KERNEL_CHUNK;
	l->n_free--;
	return to;
}

/* Where the spans of the next chunk are written first, if not where they stay. */
static struct kernel_span *stage(
	struct kernel_span_log *l, struct kernel_span *block, struct kernel_span *to)
{
	if (!mer_spill_is_file(block))
		return to;
	if (!l->staged)
		l->staged = calloc(1, sizeof(*l->staged));
	if (!l->staged)
		return to; /* slower, and the same */
	uint32_t place = l->n_chunks % STAGED;
	unstage(l, place);
	l->staged->homes[place] = (struct home){ block, to, l->n_chunks };
	return l->staged->chunks[place].spans;
}

bool kernel_span_log_add_chunk(struct kernel_span_log *l)
{
	if (l->n_chunks == KERNEL_NONE >> KERNEL_CHUNK_BITS ||
		!mer_grow32(&l->chunks, l->n_chunks, &l->cap_chunks, sizeof(*l->chunks)))
		return false;
	struct kernel_span *chunk;
	if (l->drops) {
		chunk = malloc(KERNEL_CHUNK * sizeof(*chunk));
		if (!chunk)
			return false;
	} else {
		struct kernel_span *to = take_room(l);
		if (!to)
			return false;
		chunk = stage(l, l->extents[l->n_extents - 1], to);
	}
	l->chunks[l->n_chunks++] = chunk;
	return true;
}

bool kernel_span_log_add_absent(struct kernel_span_log *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!mer_grow32(&l->chunks, l->n_chunks, &l->cap_chunks, sizeof(*l->chunks)))
			return false;
		l->chunks[l->n_chunks++] = NULL;
	}
	return true;
}

struct kernel_span *kernel_span_log_put(
	struct kernel_span_log *l, uint32_t chunk, const struct kernel_span *spans)
{
	struct kernel_span *to = take_room(l);
	if (to)
		mer_spill_copy(
			l->extents[l->n_extents - 1], to, spans, KERNEL_CHUNK * sizeof(*spans));
	return l->chunks[chunk] = to;
}

void kernel_span_log_drop(struct kernel_span_log *l, uint32_t chunk)
{
	free(l->chunks[chunk]);
	l->chunks[chunk] = NULL;
}

void kernel_span_log_fini(struct kernel_span_log *l)
{
	for (uint32_t i = 0; i < l->n_chunks && l->drops; i++)
		free(l->chunks[i]);
	for (uint32_t i = 0; i < l->n_extents; i++)
		mer_spill_release(l->extents[i]);
	free(l->extents);
	free(l->chunks);
	free(l->staged);
	*l = (struct kernel_span_log){ 0 };
}
