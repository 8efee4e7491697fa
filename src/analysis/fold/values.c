/* Values: all values of a group, for results that must be exact and cannot be computed from
 * sums. Takes 8 bytes for each, so only for kinds with few facts. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

struct values {
	size_t n, cap;
	int64_t v[];
};

static struct values *of(int64_t values)
{
	return (struct values *)(intptr_t)values;
}

static struct values *make_room(int64_t *values, size_t n)
{
	enum { FIRST = 8 };
	struct values *x = of(*values);
	if (x && n <= x->cap - x->n)
		return x;
	size_t is = x ? x->n : 0, cap = x ? x->cap * 2 : FIRST;
	cap = cap < is + n ? is + n : cap;
	x = realloc(x, sizeof(*x) + cap * sizeof(x->v[0]));
	if (!x)
		return NULL;
	x->n = is;
	x->cap = cap;
	*values = (int64_t)(intptr_t)x;
	return x;
}

bool fold_values_add(int64_t *values, int64_t value)
{
	struct values *x = make_room(values, 1);
	if (x)
		x->v[x->n++] = value;
	return x != NULL;
}

bool fold_values_join(int64_t *into, int64_t from)
{
	const struct values *more = of(from);
	if (!more)
		return true;
	struct values *x = make_room(into, more->n);
	if (!x)
		return false;
	memcpy(x->v + x->n, more->v, more->n * sizeof(x->v[0]));
	x->n += more->n;
	return true;
}

const int64_t *fold_values_list(int64_t values, size_t *n)
{
	const struct values *x = of(values);
	*n = x ? x->n : 0;
	return x ? x->v : NULL;
}

void fold_values_free(int64_t values)
{
	free(of(values));
}

static int compare(const void *a, const void *b)
{
	const int64_t *p = a, *q = b;
	return (*p > *q) - (*p < *q);
}

static const struct values *sorted(int64_t values)
{
	struct values *x = of(values);
	if (!x) /* of bytes that contradict themselves: sums without values */
		return NULL;
	qsort(x->v, x->n, sizeof(x->v[0]), compare);
	return x;
}

int64_t fold_values_rank(int64_t values, unsigned per_mille)
{
	const struct values *x = sorted(values);
	return !x ? 0 : x->v[(x->n * per_mille + 999) / 1000 - 1];
}

int64_t fold_values_median(int64_t values)
{
	const struct values *x = sorted(values);
	if (!x)
		return 0;
	int64_t low = x->v[(x->n - 1) / 2], high = x->v[x->n / 2];
	return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}
