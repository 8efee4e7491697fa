#include "kernel/span_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum {
	EXTENT_MOST = 1024, /* chunks: 16 MiB */
	STAGED = 64,	    /* chunks that are in memory while the file's are written */
	LOADED = 4096	    /* chunks of a loader: 64 MiB */
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

struct kernel_loaded {
	kernel_span_load *load;
	void *ctx;
	uint32_t n_spans, most, n, next, n_unreadable;
	uint32_t *numbers; /* by place: the chunk that is there */
	struct kernel_span *spans;
};

/* ---- writing ---- */

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
	uint32_t n = l->n_chunks < EXTENT_MOST ? l->n_chunks + 1 : EXTENT_MOST;
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
		if (!l->n_free && !add_extent(l))
			return false;
		chunk = stage(l, l->extents[l->n_extents - 1], l->next);
		l->next += KERNEL_CHUNK;
		l->n_free--;
	}
	l->chunks[l->n_chunks++] = chunk;
	return true;
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
	if (l->loaded) {
		free(l->loaded->numbers);
		free(l->loaded->spans);
	}
	free(l->loaded);
	*l = (struct kernel_span_log){ 0 };
}

/* ---- loading ---- */

int kernel_span_log_load_by(struct kernel_span_log *l, uint32_t n_spans, kernel_span_load *load,
	void *ctx, uint32_t most, struct mer_err *err)
{
	uint32_t n = (uint32_t)(((uint64_t)n_spans + KERNEL_CHUNK - 1) >> KERNEL_CHUNK_BITS);
	struct kernel_loaded *d = l->loaded = calloc(1, sizeof(*d));
	if (!d)
		return mer_fail_nomem(err);
	most = most ? most : LOADED;
	*d = (struct kernel_loaded){ .load = load, .ctx = ctx, .n_spans = n_spans };
	d->most = most < n ? most : n;
	l->chunks = calloc((size_t)n + 1, sizeof(*l->chunks));
	d->numbers = calloc((size_t)d->most + 1, sizeof(*d->numbers));
	d->spans = malloc(((size_t)d->most * KERNEL_CHUNK + 1) * sizeof(*d->spans));
	if (!l->chunks || !d->numbers || !d->spans)
		return mer_fail_nomem(err);
	l->n_chunks = l->cap_chunks = n;
	return 0;
}

struct kernel_span *kernel_span_log_load(const struct kernel_span_log *l, uint32_t chunk)
{
	struct kernel_loaded *d = l->loaded;
	uint32_t place = d->next, first = chunk << KERNEL_CHUNK_BITS;
	uint32_t n = d->n_spans - first < KERNEL_CHUNK ? d->n_spans - first : KERNEL_CHUNK;
	struct kernel_span *to = d->spans + ((size_t)place << KERNEL_CHUNK_BITS);
	if (d->n == d->most)
		l->chunks[d->numbers[place]] = NULL;
	else
		d->n++;
	d->next = place + 1 < d->most ? place + 1 : 0;
	if (!d->load(d->ctx, chunk, to, n)) {
		d->n_unreadable++;
		for (uint32_t i = 0; i < n; i++)
			to[i] = (struct kernel_span){ .before = KERNEL_NONE,
				.call = KERNEL_NONE,
				.by = KERNEL_NONE,
				.source = KERNEL_NONE,
				.cpu = KERNEL_NO_CPU,
				.state = KERNEL_UNKNOWN };
	}
	d->numbers[place] = chunk;
	return l->chunks[chunk] = to;
}

uint32_t kernel_span_log_unreadable(const struct kernel_span_log *l)
{
	return l->loaded ? l->loaded->n_unreadable : 0;
}
