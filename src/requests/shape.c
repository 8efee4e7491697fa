#include "requests/shape.h"

#include <stdlib.h>

enum { MOST = 1 << 16, LEAST_SLOW = 3 }; /* of a million others not all are looked at */
static const double gain_of_a_size = 0.05, least_difference = 0.4, least_of_slow = 0.5;

struct sized {
	uint64_t sizes[REQUESTS_N_SIZES];
	bool is_slow, is_in;
};

struct value { /* of one size */
	uint64_t v;
	bool is_slow;
};

struct finder {
	struct sized *rows;
	struct value *values;
	uint32_t n, n_slow;
};

static uint32_t count_below(
	const struct requests_parts_finder *f, uint32_t exchange, unsigned depth)
{
	uint32_t n, sum = 0;
	const uint32_t *children = requests_children(f, exchange, &n);
	for (uint32_t i = 0; i < n && depth < REQUESTS_MOST_DEPTH; i++)
		sum += 1 + count_below(f, children[i], depth + 1);
	return sum;
}

static int by_size(const void *a, const void *b)
{
	const struct value *p = a, *q = b;
	return (p->v > q->v) - (p->v < q->v);
}

static double weight_of(const struct finder *x, bool is_slow)
{
	return (is_slow ? 1.0 / x->n_slow : 0) - 1.0 / x->n;
}

/* The range of a size, among the rows that are in, whose share of the slow requests exceeds its
 * share of all by most; and that difference. */
static double best_range(
	const struct finder *x, enum requests_size size, uint64_t *least, uint64_t *most)
{
	double best = 0, sum = 0;
	uint32_t n = 0, from = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->rows[i].is_in)
			x->values[n++] =
				(struct value){ x->rows[i].sizes[size], x->rows[i].is_slow };
	if (n)
		qsort(x->values, n, sizeof(*x->values), by_size);
	for (uint32_t i = 0; i < n; i++) {
		sum += weight_of(x, x->values[i].is_slow);
		if (i + 1 < n && x->values[i + 1].v == x->values[i].v)
			continue; /* not between equal ones */
		if (sum > best) {
			best = sum;
			*least = x->values[from].v;
			*most = x->values[i].v;
		}
		if (sum <= 0) {
			sum = 0;
			from = i + 1;
		}
	}
	return best;
}

/* Narrows the shape by the size that tells the slow ones apart best; false: none does. */
static bool narrow(struct finder *x, struct requests_shape *s, double *difference)
{
	double best = *difference + gain_of_a_size;
	uint64_t least = 0, most = 0;
	int size = -1;
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		uint64_t low = 0, high = 0;
		double d = s->sizes[k].is_limit ? 0
						: best_range(x, (enum requests_size)k, &low, &high);
		if (d > best) {
			best = d;
			least = low;
			most = high;
			size = k;
		}
	}
	if (size < 0)
		return false;
	s->sizes[size].is_limit = true;
	s->sizes[size].least = least;
	s->sizes[size].most = most;
	for (uint32_t i = 0; i < x->n; i++)
		x->rows[i].is_in &=
			x->rows[i].sizes[size] >= least && x->rows[i].sizes[size] <= most;
	*difference = best;
	return true;
}

int requests_shape_find(const struct requests *r, const struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t slow, struct requests_shape *shape,
	struct mer_err *err)
{
	uint32_t step = slow / MOST + 1, n_in = 0;
	size_t most = (size_t)slow / step + (n - slow) + 2;
	struct finder x = { .rows = malloc(most * sizeof(*x.rows)),
		.values = malloc(most * sizeof(*x.values)),
		.n_slow = n - slow };
	double difference = 0;
	*shape = (struct requests_shape){ 0 };
	for (uint32_t i = 0; x.rows && x.values && i < n; i++) {
		const struct requests_exchange *e = &r->exchanges[which[i]];
		if (i < slow && i % step)
			continue;
		x.rows[x.n++] = (struct sized){ .sizes = { e->bytes_out, e->bytes_in,
							count_below(f, which[i], 0) },
			.is_slow = i >= slow,
			.is_in = true };
	}
	bool ok = x.rows && x.values;
	while (ok && x.n_slow && narrow(&x, shape, &difference)) {
	}
	for (uint32_t i = 0; ok && i < x.n; i++) {
		n_in += x.rows[i].is_in;
		shape->n_slow += x.rows[i].is_in && x.rows[i].is_slow;
	}
	if (ok && x.n) {
		shape->share = (double)n_in / x.n;
		shape->slow_share = x.n_slow ? (double)shape->n_slow / x.n_slow : 0;
		shape->is_found = difference >= least_difference && shape->n_slow >= LEAST_SLOW &&
				  shape->slow_share >= least_of_slow;
	}
	free(x.rows);
	free(x.values);
	return ok ? 0 : mer_fail_nomem(err);
}

bool requests_shape_has(const struct requests_shape *shape, const struct requests *r,
	const struct requests_parts_finder *f, uint32_t exchange)
{
	const struct requests_exchange *e = &r->exchanges[exchange];
	uint64_t sizes[REQUESTS_N_SIZES] = { e->bytes_out, e->bytes_in,
		count_below(f, exchange, 0) };
	for (int k = 0; k < REQUESTS_N_SIZES; k++)
		if (shape->sizes[k].is_limit &&
			(sizes[k] < shape->sizes[k].least || sizes[k] > shape->sizes[k].most))
			return false;
	return true;
}

uint32_t requests_count_below(const struct requests_parts_finder *f, uint32_t exchange)
{
	return count_below(f, exchange, 0);
}
