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

/* Puts a row where nothing is below it that is after it, from hole i down. */
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

static int compare(const void *a, const void *b)
{
	const struct analysis_row_of *p = a, *q = b;
	const struct analysis_row *x = p->row, *y = q->row;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* As analysis_rows_join, of all rows that are kept, where no limit was given for them. */
static struct analysis_row_of *analysis_rows_join_all(const struct analysis_run *run,
	const struct analysis_rows *(*of)(const void *state), size_t bytes, size_t *n)
{
	size_t count = 0, k = 0;
	for (uint32_t h = 0; h < run->e->n_hosts; h++)
		count += of(run->states[h])->n;
	struct analysis_row_of *all = malloc((count + 1) * sizeof(*all));
	if (!all)
		return NULL;
	for (uint32_t h = 0; h < run->e->n_hosts; h++)
		for (size_t i = 0; i < of(run->states[h])->n; i++)
			all[k++] = (struct analysis_row_of){ at(of(run->states[h]), i, bytes), h };
	qsort(all, count, sizeof(*all), compare);
	*n = count;
	return all;
}

struct analysis_row_of *analysis_rows_join(const struct analysis_run *run,
	const struct analysis_rows *(*of)(const void *state), size_t bytes, size_t *n,
	uint64_t *left_out)
{
	struct analysis_row_of *all = analysis_rows_join_all(run, of, bytes, n);
	uint64_t seen = 0;
	if (!all)
		return NULL;
	for (uint32_t h = 0; h < run->e->n_hosts; h++)
		seen += of(run->states[h])->n_seen;
	if (run->options->limit && *n > run->options->limit)
		*n = run->options->limit;
	*left_out = seen - *n;
	return all;
}
