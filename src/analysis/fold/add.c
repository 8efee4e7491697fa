/* Adding: facts into the sums of their groups. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

/* ---- sums ---- */

static inline void add_wide(int64_t *slot, __int128 value)
{
	__int128 sum;
	memcpy(&sum, slot, sizeof(sum));
	sum = (__int128)((unsigned __int128)sum + (unsigned __int128)value);
	memcpy(slot, &sum, sizeof(sum));
}

static inline void add_to(int64_t *slot, int64_t value)
{
	*slot = (int64_t)((uint64_t)*slot + (uint64_t)value);
}

/* Adds one value to a sum: in loops `has` is a constant, so that the loop only contains the code
 * it needs. */
static inline __attribute__((always_inline)) void add_one(const struct fold_sum *x, uint16_t has,
	int64_t *at, int64_t value, int64_t from, int64_t to)
{
	if (has & FOLD_HAS_COUNT)
		at[x->at[0]]++;
	if (has & FOLD_HAS_SUM)
		add_to(&at[x->at[1]], value);
	if (has & FOLD_HAS_SQUARES)
		add_wide(&at[x->at[2]], (__int128)value * value);
	if (has & FOLD_HAS_MIN) {
		int64_t *min = &at[x->at[3]];
		if (value < *min ||
			(value == *min && (has & FOLD_HAS_AT_MIN) && from < at[x->at[5]])) {
			*min = value;
			if (has & FOLD_HAS_AT_MIN)
				at[x->at[5]] = from;
		}
	}
	if (has & FOLD_HAS_MAX) {
		int64_t *max = &at[x->at[4]];
		if (value > *max ||
			(value == *max && (has & FOLD_HAS_AT_MAX) && from < at[x->at[6]])) {
			*max = value;
			if (has & FOLD_HAS_AT_MAX)
				at[x->at[6]] = from;
		}
	}
	if ((has & FOLD_HAS_FIRST) && from < at[x->at[7]])
		at[x->at[7]] = from;
	if ((has & FOLD_HAS_LAST) && from > at[x->at[8]])
		at[x->at[8]] = from;
	if (has & FOLD_HAS_TIMES)
		add_wide(&at[x->at[9]], (__int128)value * (to - from));
	if (has & FOLD_HAS_LENGTHS)
		add_to(&at[x->at[10]], to - from);
}

static inline __attribute__((always_inline)) void add_all(
	struct fold_state *s, const struct fold_sum *x, uint16_t has)
{
	const struct fold_batch *b = &s->batch;
	const int64_t *values = x->value >= 0 ? s->values[x->value] : NULL;
	const uint8_t *holds = x->condition >= 0 ? s->holds[x->condition] : NULL;
	for (uint32_t i = 0; i < b->n; i++) {
		int64_t value = values ? values[i] : 0;
		if (value != FACT_UNKNOWN && (!holds || holds[i]))
			add_one(x, has, s->at[i], value, b->from[i], b->to[i]);
	}
}

/* Sums that add_one does not handle. */
enum { APART = FOLD_HAS_BUCKETS | FOLD_HAS_VALUES | FOLD_HAS_FINE };

static void add_sum(struct fold_state *s, const struct fold_sum *x)
{
	enum {
		STATS = FOLD_HAS_COUNT | FOLD_HAS_SUM | FOLD_HAS_SQUARES | FOLD_HAS_MIN |
			FOLD_HAS_MAX | FOLD_HAS_AT_MIN | FOLD_HAS_AT_MAX
	};
	switch (x->has & ~APART) {
	case 0: break;
	case FOLD_HAS_COUNT: add_all(s, x, FOLD_HAS_COUNT); break;
	case FOLD_HAS_SUM: add_all(s, x, FOLD_HAS_SUM); break;
	case FOLD_HAS_COUNT | FOLD_HAS_SUM: add_all(s, x, FOLD_HAS_COUNT | FOLD_HAS_SUM); break;
	case STATS: add_all(s, x, STATS); break;
	default: add_all(s, x, x->has); break;
	}
}

static bool add_buckets(struct fold_state *s, const struct fold_sum *x)
{
	const int64_t *values = s->values[x->value];
	const uint8_t *holds = x->condition >= 0 ? s->holds[x->condition] : NULL;
	bool ok = true;
	for (uint32_t i = 0; i < s->batch.n && ok; i++)
		if (values[i] != FACT_UNKNOWN && (!holds || holds[i]))
			ok = fold_histogram_add(&s->at[i][x->at[11]], fold_bucket(values[i]), 1);
	return ok;
}

static bool add_values(struct fold_state *s, const struct fold_sum *x)
{
	const int64_t *values = s->values[x->value];
	const uint8_t *holds = x->condition >= 0 ? s->holds[x->condition] : NULL;
	bool ok = true;
	for (uint32_t i = 0; i < s->batch.n && ok; i++)
		if (values[i] != FACT_UNKNOWN && (!holds || holds[i]))
			ok = fold_values_add(&s->at[i][x->at[12]], values[i]);
	return ok;
}

/* Each piece of a fact gets its share, rounded down at the last bit, so the sum does not depend
 * on the order. For values below 2^32. */
static void add_fine(struct fold_state *s, const struct fold_sum *x)
{
	enum { LONGEST_BITS = 54 };
	const struct fold_batch *b = &s->batch;
	const int64_t *values = s->values[x->value];
	const uint8_t *holds = x->condition >= 0 ? s->holds[x->condition] : NULL;
	for (uint32_t i = 0; i < b->n; i++) {
		if (values[i] == FACT_UNKNOWN || (holds && !holds[i]))
			continue;
		__int128 all = (__int128)values[i] << FOLD_FINE_BITS;
		int64_t part = b->to[i] - b->from[i], length = b->end[i] - b->begin[i];
		/* lengths of years: the product would overflow */
		for (; length >> LONGEST_BITS; length >>= 1)
			part >>= 1;
		add_wide(&s->at[i][x->at[13]], part < length ? all * part / length : all);
	}
}

static bool add_apart(struct fold_state *s, const struct fold_sum *x)
{
	if (x->has & FOLD_HAS_FINE)
		add_fine(s, x);
	return (!(x->has & FOLD_HAS_BUCKETS) || add_buckets(s, x)) &&
	       (!(x->has & FOLD_HAS_VALUES) || add_values(s, x));
}

static void add_switch(struct fold_state *s, const struct fold_switch *x)
{
	const struct fold_batch *b = &s->batch;
	const int64_t *values = x->value >= 0 ? s->values[x->value] : NULL;
	int64_t choices[FOLD_PIECES];
	fold_gather(&x->choice, b, choices);
	for (uint32_t i = 0; i < b->n; i++) {
		uint16_t to = (uint64_t)choices[i] < FOLD_MAX_CHOICES ? x->to[choices[i]] : 0;
		int64_t value = values ? values[i] : 1;
		if (to && value != FACT_UNKNOWN)
			add_to(&s->at[i][to - 1], value);
	}
}

/* ---- a batch ---- */

/* For new groups. */
static bool number_groups(struct fold_state *s, struct fold_groups *g)
{
	for (uint32_t i = 0; i < s->batch.n; i++)
		while (g->n_seqs <= s->found[i]) {
			if (!mer_grow32(&g->seqs, g->n_seqs, &g->cap_seqs, sizeof(*g->seqs)))
				return false;
			g->seqs[g->n_seqs++] = s->seqs[s->batch.of[i]];
		}
	return true;
}

static bool find_groups(struct fold_state *s, const struct fold_input *in, uint32_t table)
{
	struct fold_groups *g = &s->groups[table];
	const struct fold_table *t = &s->plan->tables[table];
	const struct fold_batch *b = &s->batch;
	for (uint32_t k = 0; k < t->n; k++)
		fold_gather(&in->inner[table][k], b, s->keys[k]);
	for (uint32_t i = 0; i < b->n && t->outcome < t->n; i++)
		s->keys[t->outcome][i] = fold_filter_outcome(s->plan, in, s->host, b->h,
			(const void *)(b->facts + (size_t)b->of[i] * b->stride));
	if (!fold_groups_find(g, t, (const int64_t(*)[FOLD_PIECES])s->keys, b->n, s->found))
		return false;
	for (uint32_t i = 0; i < b->n; i++)
		s->at[i] = fold_group_row(g, s->found[i]) + g->n_keys;
	return !s->seqs || number_groups(s, g);
}

static void gather_all(struct fold_state *s, const struct fold_input *in)
{
	int64_t values[FOLD_PIECES];
	for (uint32_t i = 0; i < in->n_values; i++)
		fold_gather(&in->values[i], &s->batch, s->values[i]);
	for (uint32_t c = 0; c < in->n_conditions; c++) {
		fold_gather(&in->conditions[c].source, &s->batch, values);
		fold_conditions_hold(&in->conditions[c], values, s->batch.n, s->holds[c]);
	}
}

static int add_batch(struct fold_state *s, const struct fold_input *in, struct mer_err *err)
{
	const struct fold_plan *p = s->plan;
	uint8_t number = (uint8_t)(in - p->inputs);
	if (p->fold->shape == FOLD_ROWS)
		return fold_rows_add(s, in, err);
	gather_all(s, in);
	for (uint32_t t = 0; t < p->n_tables; t++) {
		if (!find_groups(s, in, t))
			return mer_fail_nomem(err);
		for (uint32_t i = 0; i < in->n_switches; i++)
			add_switch(s, &in->switches[i]);
		for (uint32_t i = 0; i < p->n_sums; i++) {
			const struct fold_sum *x = &p->sums[i];
			if (x->input != number || x->is_switched)
				continue;
			add_sum(s, x);
			if (x->has & APART && !add_apart(s, x))
				return mer_fail_nomem(err);
		}
	}
	return 0;
}

static int add_some(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	const char *facts, uint32_t n, struct mer_err *err)
{
	struct fold_selection x = { .facts = facts, .n = n };
	int rc = 0;
	do {
		rc = fold_select(s, h, in, &x, err);
		if (rc == 0 && s->batch.n)
			rc = add_batch(s, in, err);
	} while (rc == 0 && (x.at < x.n || x.next < x.n_chosen));
	return rc;
}

int fold_add_numbered(struct fold_state *s, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n, const uint64_t *seqs,
	struct mer_err *err)
{
	const struct fold_plan *p = s->plan;
	int rc = 0;
	for (uint32_t i = 0; i < p->n_inputs && rc == 0; i++) {
		if (p->inputs[i].kind != kind)
			continue;
		for (size_t done = 0; done < n && rc == 0;) {
			uint32_t some = n - done < FOLD_PIECES ? (uint32_t)(n - done) : FOLD_PIECES;
			s->seqs = seqs ? seqs + done : NULL;
			rc = add_some(s, h, &p->inputs[i], (const char *)facts + done * kind->size,
				some, err);
			done += some;
		}
	}
	return rc;
}

int fold_add(struct fold_state *s, const struct kernel_host *h, const struct fact_kind *kind,
	const void *facts, size_t n, struct mer_err *err)
{
	s->n_seen += n;
	return fold_add_numbered(s, h, kind, facts, n, NULL, err);
}

/* ---- states ---- */

struct fold_state *fold_state_new(const struct fold_plan *p, uint32_t host)
{
	struct fold_state *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->plan = p;
	s->host = host;
	for (uint32_t t = 0; t < p->n_tables; t++)
		fold_groups_init(&s->groups[t], p, p->tables[t].n);
	return s;
}

void fold_state_free(struct fold_state *s)
{
	if (!s)
		return;
	for (uint32_t t = 0; t < s->plan->n_tables; t++)
		fold_groups_fini(&s->groups[t]);
	for (size_t i = 0; i < s->cap_rows; i++)
		analysis_rows_fini(&s->rows[i]);
	free(s->rows);
	free(s->cpus);
	for (uint32_t i = 0; i < FOLD_KINDS; i++) {
		analysis_wanted_fini(&s->wanted[i]);
		mer_map_fini(&s->named[i]);
	}
	fold_levels_fini(&s->levels);
	free(s);
}

static void join_least(int64_t *value, int64_t *at, int64_t other, int64_t other_at, bool greatest)
{
	if (greatest ? other > *value : other < *value) {
		*value = other;
		if (at)
			*at = other_at;
	} else if (other == *value && at && other_at < *at) {
		*at = other_at;
	}
}

static bool join_sum(const struct fold_sum *x, int64_t *a, const int64_t *b)
{
	__int128 wide;
	if (x->has & FOLD_HAS_COUNT)
		add_to(&a[x->at[0]], b[x->at[0]]);
	if (x->has & FOLD_HAS_SUM)
		add_to(&a[x->at[1]], b[x->at[1]]);
	if (x->has & FOLD_HAS_SQUARES) {
		memcpy(&wide, &b[x->at[2]], sizeof(wide));
		add_wide(&a[x->at[2]], wide);
	}
	bool at_min = x->has & FOLD_HAS_AT_MIN, at_max = x->has & FOLD_HAS_AT_MAX;
	if (x->has & FOLD_HAS_MIN)
		join_least(&a[x->at[3]], at_min ? &a[x->at[5]] : NULL, b[x->at[3]],
			at_min ? b[x->at[5]] : 0, false);
	if (x->has & FOLD_HAS_MAX)
		join_least(&a[x->at[4]], at_max ? &a[x->at[6]] : NULL, b[x->at[4]],
			at_max ? b[x->at[6]] : 0, true);
	if (x->has & FOLD_HAS_FIRST)
		join_least(&a[x->at[7]], NULL, b[x->at[7]], 0, false);
	if (x->has & FOLD_HAS_LAST)
		join_least(&a[x->at[8]], NULL, b[x->at[8]], 0, true);
	if (x->has & FOLD_HAS_TIMES) {
		memcpy(&wide, &b[x->at[9]], sizeof(wide));
		add_wide(&a[x->at[9]], wide);
	}
	if (x->has & FOLD_HAS_LENGTHS)
		add_to(&a[x->at[10]], b[x->at[10]]);
	if (x->has & FOLD_HAS_FINE) {
		memcpy(&wide, &b[x->at[13]], sizeof(wide));
		add_wide(&a[x->at[13]], wide);
	}
	return (!(x->has & FOLD_HAS_BUCKETS) || fold_histogram_join(&a[x->at[11]], b[x->at[11]])) &&
	       (!(x->has & FOLD_HAS_VALUES) || fold_values_join(&a[x->at[12]], b[x->at[12]]));
}

bool fold_join_slots(const struct fold_plan *p, int64_t *a, const int64_t *b)
{
	bool ok = true;
	for (uint32_t i = 0; i < p->n_sums && ok; i++)
		ok = join_sum(&p->sums[i], a, b);
	return ok;
}
