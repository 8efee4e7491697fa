/* Cells: the values that a row shows of its sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

/* What traces can have does not overflow; parts of answers (partial.h) may say anything: then
 * numbers are wrong, but nothing else. */
static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int64_t less_of(int64_t a, int64_t b)
{
	int64_t rest;
	return __builtin_sub_overflow(a, b, &rest) ? (a < 0 ? INT64_MIN : INT64_MAX) : rest;
}

static __int128 wide(const int64_t *slot)
{
	__int128 v;
	memcpy(&v, slot, sizeof(v));
	return v;
}

/* Rounded, halves upwards. n > 0. */
static int64_t mean_of(int64_t sum, int64_t n)
{
	return sum / n + ((__int128)(sum % n) * 2 >= n);
}

/* Standard deviation of the sample (n - 1): the sum of squares around an integer near the mean
 * is exact. */
static struct mer_cell stddev_of(__int128 squares, int64_t sum, int64_t n)
{
	if (n < 2)
		return MER_NONE;
	int64_t middle = sum / n, rest = sum % n;
	typedef unsigned __int128 wrapping;
	__int128 around =
		(__int128)((wrapping)squares - (wrapping)2 * (wrapping)middle * (wrapping)sum +
			   (wrapping)middle * (wrapping)middle * (wrapping)n);
	double m2 = (double)around - (double)rest * (double)rest / (double)n;
	return MER_INT(llround(sqrt(fmax(m2, 0) / (double)(n - 1))));
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

/* The buckets of the histogram used last, as a row has several columns of one histogram. */
struct listed {
	int64_t of; /* 0: none */
	struct fold_bucket *buckets;
	size_t n;
	bool failed; /* no memory */
};

static struct mer_cell percentile(
	const struct fold_sum *s, const int64_t *slots, double share, struct listed *l)
{
	int64_t histogram = slots[s->at[11]];
	if (!l->buckets || l->of != histogram) {
		free(l->buckets);
		l->buckets = fold_histogram_list(histogram, &l->n);
		l->of = histogram;
		l->failed |= !l->buckets;
	}
	return l->buckets ? MER_INT(clamp(fold_percentile(l->buckets, l->n, share), slots[s->at[3]],
				    slots[s->at[4]]))
			  : MER_NONE;
}

static struct mer_cell scaled(int64_t value, const struct fold_cell *c)
{
	return MER_INT(c->scale ? value / c->scale : value);
}

static struct mer_cell time_mean(const struct fold_sum *s, const int64_t *slots)
{
	int64_t length = slots[s->at[10]];
	return length ? MER_INT((__int128)((unsigned __int128)wide(&slots[s->at[9]]) +
					   (unsigned __int128)(length / 2)) /
				length)
		      : MER_NONE;
}

static struct mer_cell time_sum(
	const struct fold_sum *s, const int64_t *slots, const struct fold_cell *c)
{
	static const int64_t ns_per_s = 1000000000;
	unsigned __int128 sum = (unsigned __int128)wide(&slots[s->at[9]]) *
				(unsigned __int128)(c->scale ? c->scale : 1);
	if (c->empty_if_none && slots[s->at[10]] == 0)
		return MER_NONE;
	return MER_INT((__int128)(sum + (unsigned __int128)(ns_per_s / 2)) / ns_per_s);
}

/* asked: ns. */
static struct mer_cell per_second(const struct fold_sum *s, const int64_t *slots, int64_t asked)
{
	static const double ns_per_s = 1e9;
	double sum = (double)wide(&slots[s->at[13]]) / (double)(INT64_C(1) << FOLD_FINE_BITS);
	return MER_REAL_CELL(asked > 0 ? sum * ns_per_s / (double)asked : 0);
}

/* The cell of one sum. */
static struct mer_cell sum_cell(
	const struct fold_context *x, const struct fold_column *column, struct listed *l)
{
	const struct fold_sum *s = &x->j->plan->sums[column->sum];
	const struct fold_cell *c = column->cell;
	const int64_t *v = x->slots;
	int64_t n = s->has & FOLD_HAS_COUNT ? v[s->at[0]] : 1;
	if (n <= 0 && (c->empty_if_none ||
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
	case FOLD_P50: return percentile(s, v, 0.5, l);
	case FOLD_P90: return percentile(s, v, 0.9, l);
	case FOLD_P95: return percentile(s, v, 0.95, l);
	case FOLD_P99: return percentile(s, v, 0.99, l);
	case FOLD_MEDIAN: return MER_INT(fold_values_median(v[s->at[12]]));
	case FOLD_EXACT_P50: return MER_INT(fold_values_rank(v[s->at[12]], 500));
	case FOLD_EXACT_P90: return MER_INT(fold_values_rank(v[s->at[12]], 900));
	case FOLD_EXACT_P99: return MER_INT(fold_values_rank(v[s->at[12]], 990));
	case FOLD_EXACT_P999: return MER_INT(fold_values_rank(v[s->at[12]], 999));
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

/* The sum over the columns `of`; empty if one of them is empty or does not exist. A column that
 * is only empty because no fact counted is 0. */
static struct mer_cell plus(
	const struct fold_plan *p, const struct fold_derived *d, const struct mer_cell *cells)
{
	int64_t sum = 0;
	for (uint8_t i = 0; i < d->n_of; i++) {
		const struct fold_cell *c = p->plan_of[d->of[i]].cell;
		if (!cells[d->of[i]].set && c && c->op == FOLD_SUM && c->empty_if_none)
			continue;
		if (!cells[d->of[i]].set)
			return MER_NONE;
		sum = sum_of(sum, cells[d->of[i]].v.i);
	}
	return d->lacks_of ? MER_NONE : MER_INT(sum);
}

static struct mer_cell ratio(double part, double whole)
{
	return MER_REAL_CELL(whole > 0 ? part / whole : 0);
}

static int different(const struct fold_context *x, const struct fold_cell *c, struct mer_cell *to)
{
	struct fold_parts parts = { x->j, &x->j->by_row[x->j->part_of[x->row]],
		x->j->part_of[x->row + 1] - x->j->part_of[x->row] };
	struct mer_map seen = { 0 };
	bool ok = true;
	for (size_t i = 0; i < parts.n && ok; i++) {
		int64_t key = fold_part_key(&parts, i, c->of);
		if (key != FACT_UNKNOWN)
			ok = mer_map_put(
				&seen, (uint64_t)fold_part_host(&parts, i) << 40 ^ (uint64_t)key);
	}
	*to = MER_INT(seen.n);
	mer_map_fini(&seen);
	return ok ? 0 : mer_fail_nomem(x->j->run->err);
}

static struct mer_cell of_own(const struct mer_cell *of, int64_t own)
{
	return of->set && own > 0 ? MER_REAL_CELL((double)of->v.i / (double)own) : MER_NONE;
}

static int call_function(
	const struct fold_context *x, const struct fold_cell *c, struct mer_cell *to)
{
	struct fold_parts parts = { x->j, &x->j->by_row[x->j->part_of[x->row]],
		x->j->part_of[x->row + 1] - x->j->part_of[x->row] };
	return c->of_parts(&parts, to);
}

static int derived_cell(const struct fold_context *x, const struct fold_derived *d,
	const struct mer_cell *cells, struct mer_cell *to)
{
	static const double ns_per_s = 1e9;
	const struct mer_column *columns = x->j->plan->columns;
	const struct fold_cell *c = d->cell;
	const struct mer_cell *first = d->n_of && cells[d->of[0]].set ? &cells[d->of[0]] : NULL;
	const struct mer_cell *second = d->by >= 0 && cells[d->by].set ? &cells[d->by] : NULL;
	double of = first ? real_of(&columns[d->of[0]], first) : 0;
	double by = second ? real_of(&columns[d->by], second) : 0;
	int64_t own = x->j->keys->has_cpu ? x->range : x->capacity;
	struct mer_cell sum;
	*to = MER_NONE;
	switch (c->op) {
	case FOLD_PLUS: *to = plus(x->j->plan, d, cells); break;
	case FOLD_LESS:
		*to = first && second ? MER_INT(less_of(first->v.i, second->v.i)) : MER_NONE;
		break;
	case FOLD_RATIO: *to = first && second ? ratio(of, by) : MER_NONE; break;
	case FOLD_OF_RANGE: *to = first ? ratio(of, (double)x->range) : MER_NONE; break;
	case FOLD_OF_CAPACITY: *to = first ? ratio(of, (double)x->capacity) : MER_NONE; break;
	case FOLD_PER_SECOND:
		*to = first ? ratio(of, (double)x->asked / ns_per_s) : MER_NONE;
		break;
	case FOLD_OF_TIME: *to = first ? ratio(of, (double)x->asked) : MER_NONE; break;
	case FOLD_CAPACITY: *to = MER_INT(x->capacity); break;
	case FOLD_REST:
		sum = plus(x->j->plan, d, cells);
		if (sum.set)
			*to = MER_INT(own > sum.v.i ? less_of(own, sum.v.i) : 0);
		break;
	case FOLD_OF_OWN:
		sum = plus(x->j->plan, d, cells);
		*to = of_own(&sum, own);
		break;
	case FOLD_CONSTANT: *to = MER_INT(c->scale); break;
	case FOLD_DIFFERENT:
	case FOLD_FUNCTION:
		if (x->made)
			*to = x->made[d->column];
		else
			return c->op == FOLD_DIFFERENT ? different(x, c, to)
						       : call_function(x, c, to);
		break;
	default: break;
	}
	return 0;
}

/* Cells of other scopes are emptied last, because cells of this scope may be computed from them. */
int fold_cells_fill(const struct fold_context *x, struct mer_cell *cells)
{
	const struct fold_plan *p = x->j->plan;
	size_t scope = (size_t)(x->j->keys - p->scopes);
	struct listed listed = { 0 };
	for (uint32_t c = 0; c < p->n_columns; c++)
		if (p->plan_of[c].sum >= 0 && p->plan_of[c].cell->op != FOLD_FUNCTION)
			cells[c] = sum_cell(x, &p->plan_of[c], &listed);
	int rc = listed.failed ? mer_fail_nomem(x->j->run->err) : 0;
	free(listed.buckets);
	for (uint32_t i = 0; i < p->n_derived && rc == 0; i++) {
		const struct fold_derived *d = &p->derived[i];
		if (d->scopes >> scope & 1)
			rc = derived_cell(x, d, cells, &cells[d->column]);
	}
	for (uint32_t c = 0; c < p->n_columns; c++)
		if (p->plan_of[c].cell && !(x->columns >> c & 1))
			cells[c] = MER_NONE;
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

int64_t fold_range_of(const struct analysis_run *run, uint32_t host, int64_t from, int64_t to)
{
	int64_t begin, end;
	if (!analysis_range(run, host, &begin, &end))
		return 0;
	return analysis_overlap(run->options, from > begin ? from : begin, to < end ? to : end);
}

int64_t fold_n_cpus(const struct analysis_run *run, uint32_t host)
{
	struct analysis_host a = { .run = (struct analysis_run *)run, .host = host };
	uint8_t seen[(KERNEL_NO_CPU + 1) / 8] = { 0 };
	int64_t n = 0;
	uint32_t at = 0;
	uint16_t cpu;
	while (analysis_next_cpu(&a, &at, &cpu)) {
		n += !(seen[cpu / 8] >> cpu % 8 & 1);
		seen[cpu / 8] |= (uint8_t)(1 << cpu % 8);
	}
	return n;
}

void fold_find_range(
	const struct analysis_run *run, uint32_t host, int64_t *range, int64_t *capacity)
{
	*range = *capacity = 0;
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		if (host != KERNEL_NONE && host != h)
			continue;
		int64_t length = fold_range_of(run, h, INT64_MIN, INT64_MAX);
		*range = length > *range ? length : *range;
		int64_t n = fold_n_cpus(run, h), room = INT64_MAX - *capacity;
		*capacity += n && length > room / n ? room : length * n;
	}
}
