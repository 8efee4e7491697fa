#include "requests/like.h"

#include <stdlib.h>

#include "base/map.h"

enum { LEAST = 20 }; /* requests of a class */

struct class
{
	uint32_t n, n_slow;
	uint32_t passed; /* of its requests */
};

struct finding {
	const struct requests_kinds *k;
	const struct requests_parts_finder *f;
	struct requests_like *x;
	uint64_t *sizes; /* of answers */
	struct class *classes;
	struct mer_map map;
};

/* The same for the same kinds of requests below it, in whatever order. */
static uint64_t below(const struct finding *x, uint32_t exchange, unsigned depth)
{
	uint32_t n;
	uint64_t sum = 0;
	const uint32_t *children = requests_children(x->f, exchange, &n);
	for (uint32_t i = 0; i < n && depth < REQUESTS_MOST_DEPTH; i++) {
		uint64_t key[] = { x->k->of[children[i]], below(x, children[i], depth + 1) };
		sum += mer_hash(key, sizeof(key)) | 1;
	}
	return sum;
}

static int by_size(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
	return (p > q) - (p < q);
}

/* Sizes without a gap of a quarter between them are one: each becomes the least of these. */
static uint32_t join_sizes(uint64_t *sizes, uint32_t n, uint64_t *least)
{
	uint32_t n_least = 0;
	if (n)
		qsort(sizes, n, sizeof(*sizes), by_size);
	for (uint32_t i = 0; i < n; i++)
		if (!i || sizes[i] - sizes[i - 1] > sizes[i - 1] / 4)
			least[n_least++] = sizes[i];
	return n_least;
}

static uint32_t number_of_size(const uint64_t *least, uint32_t n, uint64_t size)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (least[middle] <= size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool number(struct finding *x, uint64_t key, uint32_t level, uint32_t *of)
{
	uint64_t keys[] = { key, level };
	uint32_t *at = mer_map_put(&x->map, mer_hash(keys, sizeof(keys)));
	if (!at)
		return false;
	if (!*at)
		*at = ++x->x->n;
	*of = *at - 1;
	return true;
}

/* Classes with their numbers; class 0 is that of all. */
static bool count(struct finding *x, const uint32_t *which, uint32_t n, uint32_t slow)
{
	const struct requests *r = x->k->r;
	uint64_t *least = malloc(((size_t)n + 1) * sizeof(*least));
	bool ok = least != NULL;
	for (uint32_t i = 0; ok && i < n; i++)
		x->sizes[i] = r->exchanges[which[i]].bytes_in;
	uint32_t n_least = ok ? join_sizes(x->sizes, n, least) : 0;
	x->x->n = 1;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint64_t has = below(x, which[i], 0);
		uint64_t key[] = { has,
			number_of_size(least, n_least, r->exchanges[which[i]].bytes_in) };
		ok = number(x, mer_hash(key, sizeof(key)), REQUESTS_SAME_ANSWER,
			     &x->x->level[i][REQUESTS_SAME_ANSWER]) &&
		     number(x, has, REQUESTS_SAME_BELOW, &x->x->level[i][REQUESTS_SAME_BELOW]);
	}
	free(least);
	x->classes = ok ? calloc(x->x->n, sizeof(*x->classes)) : NULL;
	if (!x->classes)
		return false;
	x->classes[0].n = n;
	for (uint32_t i = 0; i < n; i++)
		for (int level = 0; level < REQUESTS_LIKE_LEVELS; level++) {
			x->classes[x->x->level[i][level]].n++;
			x->classes[x->x->level[i][level]].n_slow += i >= slow;
		}
	return true;
}

static uint32_t first_typical(uint32_t n)
{
	return (uint32_t)((uint64_t)n * 2 / 5);
}

static uint32_t end_typical(uint32_t n)
{
	uint32_t end = (uint32_t)((uint64_t)n * 3 / 5);
	return end > first_typical(n) ? end : first_typical(n) + (n > 0);
}

/* None of the typical ones, which are the fastest but for two fifths, is slow. */
static bool is_telling(const struct class *c)
{
	return c->n >= LEAST && c->n - c->n_slow >= end_typical(c->n);
}

static void add_typical(struct finding *x, uint32_t class, uint32_t i)
{
	struct class *c = &x->classes[class];
	uint32_t at = c->passed++, from = first_typical(c->n);
	if (at >= from && at < end_typical(c->n))
		x->x->typical[x->x->first[class] + at - from] = i;
}

static bool choose(struct finding *x, uint32_t n)
{
	struct requests_like *l = x->x;
	l->class_of = calloc((size_t)n + 1, sizeof(*l->class_of));
	l->first = calloc((size_t)l->n + 1, sizeof(*l->first));
	for (uint32_t c = 0; l->first && c < l->n; c++)
		l->first[c + 1] =
			l->first[c] + end_typical(x->classes[c].n) - first_typical(x->classes[c].n);
	l->typical = l->first ? malloc(((size_t)l->first[l->n] + 1) * sizeof(*l->typical)) : NULL;
	if (!l->class_of || !l->typical)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		add_typical(x, 0, i);
		for (int level = 0; level < REQUESTS_LIKE_LEVELS; level++)
			add_typical(x, x->x->level[i][level], i);
		for (int level = 0; level < REQUESTS_LIKE_LEVELS && !l->class_of[i]; level++)
			if (is_telling(&x->classes[x->x->level[i][level]]))
				l->class_of[i] = x->x->level[i][level];
	}
	return true;
}

int requests_like_find(const struct requests_kinds *k, const struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t slow, struct requests_like *like,
	struct mer_err *err)
{
	struct finding x = {
		.k = k, .f = f, .x = like, .sizes = malloc(((size_t)n + 1) * sizeof(*x.sizes))
	};
	*like = (struct requests_like){ .level = malloc(((size_t)n + 1) * sizeof(*like->level)) };
	bool ok = x.sizes && like->level && count(&x, which, n, slow) && choose(&x, n);
	mer_map_fini(&x.map);
	free(x.sizes);
	free(x.classes);
	return ok ? 0 : mer_fail_nomem(err);
}

void requests_like_fini(struct requests_like *x)
{
	free(x->level);
	free(x->class_of);
	free(x->typical);
	free(x->first);
}
