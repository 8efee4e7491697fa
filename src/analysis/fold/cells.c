/* Cells: what a row shows of its sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

static __int128 wide(const int64_t *slot)
{
	__int128 v;
	memcpy(&v, slot, sizeof(v));
	return v;
}

/* Rounded; halves up. n > 0. */
static int64_t mean_of(int64_t sum, int64_t n)
{
	return sum / n + (sum % n * 2 >= n);
}

/* Of the sample: the sum of squares around a whole number near the mean is exact. */
static struct mer_cell stddev_of(__int128 squares, int64_t sum, int64_t n)
{
	if (n < 2)
		return MER_NONE;
	int64_t middle = sum / n, rest = sum % n;
	__int128 around = squares - (__int128)2 * middle * sum + (__int128)middle * middle * n;
	double m2 = (double)around - (double)rest * (double)rest / (double)n;
	return MER_INT(llround(sqrt(fmax(m2, 0) / (double)(n - 1))));
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

static struct mer_cell percentile(const struct fold_sum *s, const int64_t *slots, double share)
{
	size_t n;
	struct fold_bucket *list = fold_histogram_list(slots[s->at[11]], &n);
	struct mer_cell c = MER_NONE;
	if (list)
		c = MER_INT(
			clamp(fold_percentile(list, n, share), slots[s->at[3]], slots[s->at[4]]));
	free(list);
	return c;
}

static struct mer_cell scaled(int64_t value, const struct fold_cell *c)
{
	return MER_INT(c->scale ? value / c->scale : value);
}

static struct mer_cell time_mean(const struct fold_sum *s, const int64_t *slots)
{
	int64_t length = slots[s->at[10]];
	return length ? MER_INT((wide(&slots[s->at[9]]) + length / 2) / length) : MER_NONE;
}

static struct mer_cell time_sum(
	const struct fold_sum *s, const int64_t *slots, const struct fold_cell *c)
{
	static const int64_t ns_per_s = 1000000000;
	__int128 sum = wide(&slots[s->at[9]]) * (c->scale ? c->scale : 1);
	if (c->empty_if_none && slots[s->at[10]] == 0)
		return MER_NONE;
	return MER_INT((sum + ns_per_s / 2) / ns_per_s);
}

/* asked: ns. */
static struct mer_cell per_second(const struct fold_sum *s, const int64_t *slots, int64_t asked)
{
	static const double ns_per_s = 1e9;
	double sum = (double)wide(&slots[s->at[13]]) / (double)(INT64_C(1) << FOLD_FINE_BITS);
	return MER_REAL_CELL(asked > 0 ? sum * ns_per_s / (double)asked : 0);
}

/* What is made of one sum. */
static struct mer_cell sum_cell(const struct fold_context *x, const struct fold_column *column)
{
	const struct fold_sum *s = &x->j->plan->sums[column->sum];
	const struct fold_cell *c = column->cell;
	const int64_t *v = x->slots;
	int64_t n = s->has & FOLD_HAS_COUNT ? v[s->at[0]] : 1;
	if (n == 0 && (c->empty_if_none ||
			      (c->op != FOLD_COUNT && c->op != FOLD_SUM && c->op != FOLD_SPREAD &&
				      c->op != FOLD_SPREAD_PER_SECOND)))
		return MER_NONE;
	switch (c->op) {
	case FOLD_COUNT: return MER_INT(n);
	case FOLD_SUM:
	case FOLD_SPREAD: return scaled(v[s->at[1]], c);
	case FOLD_MIN: return MER_INT(v[s->at[3]]);
	case FOLD_MAX: return MER_INT(v[s->at[4]]);
	case FOLD_MEAN: return MER_INT(mean_of(v[s->at[1]], n));
	case FOLD_STDDEV: return stddev_of(wide(&v[s->at[2]]), v[s->at[1]], n);
	case FOLD_P50: return percentile(s, v, 0.5);
	case FOLD_P90: return percentile(s, v, 0.9);
	case FOLD_P99: return percentile(s, v, 0.99);
	case FOLD_MEDIAN: return MER_INT(fold_values_median(v[s->at[12]]));
	case FOLD_SPREAD_PER_SECOND: return per_second(s, v, x->asked);
	case FOLD_AT_MIN: return MER_INT(v[s->at[5]]);
	case FOLD_AT_MAX: return MER_INT(v[s->at[6]]);
	case FOLD_FIRST: return MER_INT(v[s->at[7]]);
	case FOLD_LAST: return MER_INT(v[s->at[8]]);
	case FOLD_TIME_MEAN: return time_mean(s, v);
	case FOLD_TIME_SUM: return time_sum(s, v, c);
	default: return MER_NONE;
	}
}

/* ---- of other columns ---- */

static double real_of(const struct mer_column *c, const struct mer_cell *cell)
{
	return mer_type_is_real(c->type) ? cell->v.f : (double)cell->v.i;
}

static const struct mer_cell *of_column(
	const struct mer_table *t, const struct mer_cell *cells, const char *key, double *value)
{
	size_t c = mer_table_column(t, key);
	if (c == SIZE_MAX || !cells[c].set)
		return NULL;
	*value = real_of(&t->columns[c], &cells[c]);
	return &cells[c];
}

static struct mer_cell plus(
	const struct mer_table *t, const struct mer_cell *cells, const char *list)
{
	char key[64];
	int64_t sum = 0;
	double value;
	while (fold_list_next(&list, key, sizeof(key))) {
		const struct mer_cell *c = of_column(t, cells, key, &value);
		if (!c)
			return MER_NONE;
		sum += c->v.i;
	}
	return MER_INT(sum);
}

static struct mer_cell ratio(double part, double whole)
{
	return MER_REAL_CELL(whole > 0 ? part / whole : 0);
}

static struct mer_cell different(const struct fold_context *x, const struct fold_cell *c)
{
	struct fold_parts parts = { x->j, &x->j->by_row[x->j->part_of[x->row]],
		x->j->part_of[x->row + 1] - x->j->part_of[x->row] };
	struct mer_map seen = { 0 };
	for (size_t i = 0; i < parts.n; i++) {
		int64_t key = fold_part_key(&parts, i, c->of);
		if (key != FACT_UNKNOWN)
			mer_map_put(
				&seen, (uint64_t)fold_part_host(&parts, i) << 40 ^ (uint64_t)key);
	}
	struct mer_cell cell = MER_INT(seen.n);
	mer_map_fini(&seen);
	return cell;
}

static int derived_cell(const struct fold_context *x, const struct mer_table *t,
	const struct mer_cell *cells, const struct fold_cell *c, struct mer_cell *to)
{
	static const double ns_per_s = 1e9;
	double of = 0, by = 0;
	const struct mer_cell *first = c->of && c->op != FOLD_PLUS && c->op != FOLD_DIFFERENT
					       ? of_column(t, cells, c->of, &of)
					       : NULL;
	const struct mer_cell *second = c->by ? of_column(t, cells, c->by, &by) : NULL;
	switch (c->op) {
	case FOLD_PLUS: *to = plus(t, cells, c->of); return 0;
	case FOLD_LESS:
		*to = first && second ? MER_INT(first->v.i - second->v.i) : MER_NONE;
		return 0;
	case FOLD_RATIO: *to = first && second ? ratio(of, by) : MER_NONE; return 0;
	case FOLD_OF_RANGE: *to = first ? ratio(of, (double)x->range) : MER_NONE; return 0;
	case FOLD_OF_CAPACITY: *to = first ? ratio(of, (double)x->capacity) : MER_NONE; return 0;
	case FOLD_PER_SECOND:
		*to = first ? ratio(of, (double)x->asked / ns_per_s) : MER_NONE;
		return 0;
	case FOLD_OF_TIME: *to = first ? ratio(of, (double)x->asked) : MER_NONE; return 0;
	case FOLD_CONSTANT: *to = MER_INT(c->scale); return 0;
	case FOLD_DIFFERENT: *to = different(x, c); return 0;
	case FOLD_FUNCTION: {
		struct fold_parts parts = { x->j, &x->j->by_row[x->j->part_of[x->row]],
			x->j->part_of[x->row + 1] - x->j->part_of[x->row] };
		return c->of_parts(&parts, to);
	}
	default: return 0;
	}
}

int fold_cells_fill(const struct fold_context *x, struct mer_table *t, struct mer_cell *cells)
{
	const struct fold_plan *p = x->j->plan;
	int rc = 0;
	for (uint32_t c = 0; c < p->n_columns; c++)
		if (p->plan_of[c].sum >= 0)
			cells[c] = x->columns >> c & 1 ? sum_cell(x, &p->plan_of[c]) : MER_NONE;
	for (const struct fold_cell *cell = p->fold->cells; cell && cell->key && rc == 0; cell++) {
		size_t c = mer_table_column(t, cell->key);
		if (c == SIZE_MAX || p->plan_of[c].sum >= 0)
			continue;
		cells[c] = MER_NONE;
		if (x->columns >> c & 1)
			rc = derived_cell(x, t, cells, cell, &cells[c]);
	}
	return rc;
}

void fold_cells_share(const struct fold_plan *p, struct mer_table *t)
{
	for (const struct fold_cell *cell = p->fold->cells; cell && cell->key; cell++) {
		size_t to = mer_table_column(t, cell->key);
		size_t of = cell->op == FOLD_SHARE ? mer_table_column(t, cell->of) : SIZE_MAX;
		double all = 0;
		if (to == SIZE_MAX || of == SIZE_MAX)
			continue;
		for (size_t r = 0; r < t->n_rows; r++) {
			const struct mer_cell *c = &t->cells[r * t->n_columns + of];
			all += c->set ? real_of(&t->columns[of], c) : 0;
		}
		for (size_t r = 0; r < t->n_rows; r++) {
			const struct mer_cell *c = &t->cells[r * t->n_columns + of];
			t->cells[r * t->n_columns + to] =
				c->set ? ratio(real_of(&t->columns[of], c), all) : MER_NONE;
		}
	}
}

static int64_t range_of(
	const struct analysis_run *run, uint32_t host, int64_t from, int64_t to, int64_t *capacity)
{
	struct analysis_host a = { .run = (struct analysis_run *)run, .host = host };
	int64_t begin, end, range = 0, n = 0;
	uint32_t at = 0;
	uint16_t cpu;
	if (analysis_range(run, host, &begin, &end))
		range = analysis_overlap(
			run->options, from > begin ? from : begin, to < end ? to : end);
	uint8_t seen[(KERNEL_NO_CPU + 1) / 8] = { 0 };
	while (analysis_next_cpu(&a, &at, &cpu)) {
		n += !(seen[cpu / 8] >> cpu % 8 & 1);
		seen[cpu / 8] |= (uint8_t)(1 << cpu % 8);
	}
	*capacity = range * n;
	return range;
}

void fold_find_range(const struct analysis_run *run, uint32_t host, int64_t from, int64_t to,
	int64_t *range, int64_t *capacity)
{
	*range = *capacity = 0;
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		int64_t own;
		if (host != KERNEL_NONE && host != h)
			continue;
		int64_t length = range_of(run, h, from, to, &own);
		*range = length > *range ? length : *range;
		*capacity += own;
	}
}
