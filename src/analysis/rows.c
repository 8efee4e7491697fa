#include "analysis/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static bool is_before(const struct analysis_row *a, const struct analysis_row *b)
{
	return a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

static struct analysis_row *at(const struct analysis_rows *r, size_t i, size_t bytes)
{
	return (struct analysis_row *)(void *)(r->rows + i * bytes);
}

/* A heap with the last row at the top. Moves the hole at i down until no row below it is after the
 * new one, and puts the new row there. */
static void sift_down(struct analysis_rows *r, size_t i, const void *row, size_t bytes)
{
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= r->n)
			break;
		if (child + 1 < r->n && is_before(at(r, child, bytes), at(r, child + 1, bytes)))
			child++;
		if (is_before(at(r, child, bytes), row))
			break;
		memcpy(at(r, i, bytes), at(r, child, bytes), bytes);
		i = child;
	}
	memcpy(at(r, i, bytes), row, bytes);
}

static void sift_up(struct analysis_rows *r, size_t i, const void *row, size_t bytes)
{
	while (i > 0 && is_before(at(r, (i - 1) / 2, bytes), row)) {
		memcpy(at(r, i, bytes), at(r, (i - 1) / 2, bytes), bytes);
		i = (i - 1) / 2;
	}
	memcpy(at(r, i, bytes), row, bytes);
}

static void push(struct analysis_rows *r, const void *row, size_t bytes, uint64_t limit)
{
	size_t i = r->n++;
	if (limit)
		sift_up(r, i, row, bytes);
	else
		memcpy(at(r, i, bytes), row, bytes);
}

bool analysis_rows_add(struct analysis_rows *r, const void *row, size_t bytes, uint64_t limit)
{
	enum { MAX_BYTES = 512 };
	_Alignas(16) char copy[MAX_BYTES];
	int64_t key = ((const struct analysis_row *)row)->key;
	uint64_t seq = r->n_seen++;
	if (limit && r->n >= limit && key >= at(r, 0, bytes)->key)
		return true;
	memcpy(copy, row, bytes);
	((struct analysis_row *)(void *)copy)->seq = seq;
	if (limit && r->n >= limit) {
		sift_down(r, 0, copy, bytes);
		return true;
	}
	if (!mer_grow(&r->rows, r->n, &r->cap, bytes))
		return false;
	push(r, copy, bytes, limit);
	return true;
}

void analysis_rows_fini(struct analysis_rows *r)
{
	free(r->rows);
	*r = (struct analysis_rows){ 0 };
}
