/* Sums of a plan: cells of columns that are made of the same sum share it. */
#include "analysis/fold/plan_maker.h"

uint16_t fold_plan_needs(const struct fold_cell *c)
{
	switch (c->op) {
	case FOLD_COUNT: return FOLD_HAS_COUNT;
	case FOLD_SUM:
	case FOLD_SPREAD: return FOLD_HAS_SUM | (c->empty_if_none ? FOLD_HAS_COUNT : 0);
	case FOLD_MIN: return FOLD_HAS_COUNT | FOLD_HAS_MIN;
	case FOLD_MAX: return FOLD_HAS_COUNT | FOLD_HAS_MAX;
	case FOLD_MEAN: return FOLD_HAS_COUNT | FOLD_HAS_SUM;
	case FOLD_STDDEV: return FOLD_HAS_COUNT | FOLD_HAS_SUM | FOLD_HAS_SQUARES;
	case FOLD_P50:
	case FOLD_P90:
	case FOLD_P95:
	case FOLD_P99: return FOLD_HAS_COUNT | FOLD_HAS_MIN | FOLD_HAS_MAX | FOLD_HAS_BUCKETS;
	case FOLD_MEDIAN:
	case FOLD_EXACT_P50:
	case FOLD_EXACT_P90:
	case FOLD_EXACT_P99:
	case FOLD_EXACT_P999: return FOLD_HAS_COUNT | FOLD_HAS_VALUES;
	case FOLD_SPREAD_PER_SECOND: return FOLD_HAS_FINE;
	case FOLD_AT_MIN: return FOLD_HAS_COUNT | FOLD_HAS_MIN | FOLD_HAS_AT_MIN;
	case FOLD_AT_MAX: return FOLD_HAS_COUNT | FOLD_HAS_MAX | FOLD_HAS_AT_MAX;
	case FOLD_FIRST: return FOLD_HAS_COUNT | FOLD_HAS_FIRST;
	case FOLD_LAST: return FOLD_HAS_COUNT | FOLD_HAS_LAST;
	case FOLD_TIME_MEAN:
	case FOLD_TIME_SUM: return FOLD_HAS_TIMES | FOLD_HAS_LENGTHS;
	case FOLD_FUNCTION: return c->of ? FOLD_HAS_COUNT | FOLD_HAS_SUM : 0;
	default: return 0;
	}
}

static int find_value(const struct fold_maker *m, struct fold_input *in, const struct fold_cell *c)
{
	struct fold_source s = { .what = FOLD_FROM_LENGTH };
	if (!c->of && c->op == FOLD_COUNT)
		return -1;
	if (c->of_piece)
		s = (struct fold_source){ .what = FOLD_FROM_PIECE, .of_piece = c->of_piece };
	if (c->of && !fold_source_find(in->kind, c->of, &s))
		return fold_plan_is_wrong(m, "field", c->of);
	if (c->op == FOLD_SPREAD)
		s.what = FOLD_FROM_SHARE;
	for (uint32_t i = 0; i < in->n_values; i++)
		if (fold_source_is_same(&in->values[i], &s))
			return (int)i;
	if (in->n_values == FOLD_MAX_VALUES)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many values");
	in->values[in->n_values] = s;
	return (int)in->n_values++;
}

/* The choices for which a condition holds, as bits; 0: not a condition on a choice. */
static uint64_t choices_of(const struct fold_where *w)
{
	if (w->test == FOLD_ONE_OF)
		return (uint64_t)w->a;
	return w->test == FOLD_IS && w->a >= 0 && w->a < FOLD_MAX_CHOICES ? (uint64_t)1 << w->a : 0;
}

/* Is there a sum for exactly these choices, or room for one? *sum: its index plus 1; 0: it is
 * new. */
static bool fits_switch(const struct fold_switch *x, uint64_t choices, uint16_t *sum)
{
	*sum = x->sum[__builtin_ctzll(choices)];
	for (unsigned i = 0; i < FOLD_MAX_CHOICES; i++)
		if (choices >> i & 1 ? x->sum[i] != *sum : *sum && x->sum[i] == *sum)
			return false;
	return true;
}

/* Sums selected by a choice need one addition, however many they are. */
static struct fold_switch *find_switch(
	struct fold_input *in, const struct fold_cell *c, int value, uint16_t *sum)
{
	struct fold_source s;
	bool fits = (c->op == FOLD_COUNT && !c->of) || (c->op == FOLD_SUM && !c->empty_if_none);
	if (!fits || !c->where.field || !choices_of(&c->where) ||
		!fold_source_find(in->kind, c->where.field, &s) || s.what != FOLD_FROM_FIELD ||
		s.meaning != FACT_CHOICE)
		return NULL;
	for (uint32_t i = 0; i < in->n_switches; i++)
		if (in->switches[i].value == value &&
			fold_source_is_same(&in->switches[i].choice, &s) &&
			fits_switch(&in->switches[i], choices_of(&c->where), sum))
			return &in->switches[i];
	if (in->n_switches == FOLD_MAX_SWITCHES)
		return NULL;
	struct fold_switch *x = &in->switches[in->n_switches++];
	*x = (struct fold_switch){ .value = (int8_t)value, .choice = s };
	*sum = 0;
	return x;
}

static void set_switch(struct fold_switch *x, const struct fold_where *w, int sum)
{
	for (unsigned i = 0; i < FOLD_MAX_CHOICES; i++)
		if (choices_of(w) >> i & 1)
			x->sum[i] = (uint16_t)(sum + 1);
}

static int find_condition(
	const struct fold_maker *m, struct fold_input *in, const struct fold_where *w)
{
	struct fold_condition c;
	if (!w->field)
		return -1;
	int rc = fold_plan_condition(m, in->kind, w, &c);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < in->n_conditions; i++) {
		const struct fold_condition *x = &in->conditions[i];
		if (x->test == c.test && x->a == c.a && x->b == c.b &&
			fold_source_is_same(&x->source, &c.source))
			return (int)i;
	}
	if (in->n_conditions == FOLD_MAX_CONDITIONS)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many conditions");
	in->conditions[in->n_conditions] = c;
	return (int)in->n_conditions++;
}

static int new_sum(const struct fold_maker *m, const struct fold_sum *x)
{
	struct fold_plan *p = m->p;
	if (p->n_sums == FOLD_MAX_SUMS)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many sums");
	p->sums[p->n_sums] = *x;
	return (int)p->n_sums++;
}

/* For several kinds that have the choice: each adds to the same sum. */
static int sum_of_all(const struct fold_maker *m, const struct fold_cell *c)
{
	struct fold_plan *p = m->p;
	int n = -1;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct fold_source s;
		uint16_t sum = 0;
		if (!c->where.field || !fold_source_find(p->inputs[i].kind, c->where.field, &s))
			continue;
		int value = find_value(m, &p->inputs[i], c);
		if (value < -1)
			return value;
		struct fold_switch *by = find_switch(&p->inputs[i], c, value, &sum);
		if (!by)
			break;
		if (n < 0)
			n = sum ? sum - 1
				: new_sum(m, &(struct fold_sum){ .input = (uint8_t)i,
						     .value = (int8_t)value,
						     .condition = -1,
						     .is_switched = true,
						     .has = fold_plan_needs(c) });
		if (n < 0)
			return n;
		set_switch(by, &c->where, n);
	}
	return n >= 0 ? n : fold_plan_is_wrong(m, "choice", c->key);
}

/* The sum that a cell is made of: its number; negative: an error. */
int fold_plan_sum(const struct fold_maker *m, const struct fold_cell *c)
{
	struct fold_plan *p = m->p;
	if (c->kind == FOLD_EVERY_KIND)
		return sum_of_all(m, c);
	if (c->kind >= p->n_inputs)
		return fold_plan_is_wrong(m, "kind", c->key);
	struct fold_input *in = &p->inputs[c->kind];
	int value = find_value(m, in, c);
	if (value < -1)
		return value;
	struct fold_sum x = {
		.input = c->kind, .value = (int8_t)value, .condition = -1, .has = fold_plan_needs(c)
	};
	uint16_t sum = 0;
	struct fold_switch *by = find_switch(in, c, value, &sum);
	if (by && sum)
		return sum - 1;
	if (by) {
		x.is_switched = true;
		int n = new_sum(m, &x);
		if (n >= 0)
			set_switch(by, &c->where, n);
		return n;
	}
	int condition = find_condition(m, in, &c->where);
	if (condition < -1)
		return condition;
	x.condition = (int8_t)condition;
	for (uint32_t i = 0; i < p->n_sums; i++) {
		struct fold_sum *y = &p->sums[i];
		if (y->input == x.input && y->value == x.value && y->condition == x.condition &&
			!y->is_switched) {
			y->has |= x.has;
			return (int)i;
		}
	}
	return new_sum(m, &x);
}

int fold_plan_slots(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t i = 0; i < p->n_sums; i++)
		for (unsigned bit = 0; bit < FOLD_N_SLOTS; bit++) {
			if (!(p->sums[i].has >> bit & 1))
				continue;
			bool is_wide =
				1u << bit & (FOLD_HAS_SQUARES | FOLD_HAS_TIMES | FOLD_HAS_FINE);
			p->sums[i].at[bit] = (uint16_t)p->n_slots;
			p->n_slots += is_wide ? 2 : 1;
		}
	uint32_t n_histograms = 0, n_lists = 0;
	for (uint32_t i = 0; i < p->n_sums; i++) {
		n_histograms += (p->sums[i].has & FOLD_HAS_BUCKETS) != 0;
		n_lists += (p->sums[i].has & FOLD_HAS_VALUES) != 0;
	}
	if (n_histograms > FOLD_MAX_HISTOGRAMS || n_lists > FOLD_MAX_HISTOGRAMS)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many histograms");
	enum {
		OF_PIECES = FOLD_HAS_AT_MIN | FOLD_HAS_AT_MAX | FOLD_HAS_FIRST | FOLD_HAS_LAST |
			    FOLD_HAS_TIMES | FOLD_HAS_LENGTHS | FOLD_HAS_FINE
	};
	for (uint32_t i = 0; i < p->n_sums; i++)
		p->needs_pieces |= (p->sums[i].has & OF_PIECES) != 0;
	for (uint32_t in = 0; in < p->n_inputs; in++)
		for (uint32_t i = 0; i < p->inputs[in].n_values; i++) {
			enum fold_source_what what = p->inputs[in].values[i].what;
			p->needs_pieces |= what == FOLD_FROM_LENGTH || what == FOLD_FROM_PIECE ||
					   what == FOLD_FROM_SHARE;
		}
	p->empty = mer_arena_zalloc(&p->arena, (size_t)p->n_slots + 1, sizeof(*p->empty));
	if (!p->empty)
		return mer_fail_nomem(m->err);
	for (uint32_t i = 0; i < p->n_sums; i++) {
		const struct fold_sum *x = &p->sums[i];
		static const struct {
			uint16_t has;
			uint8_t bit;
			int64_t first;
		} firsts[] = { { FOLD_HAS_MIN, 3, INT64_MAX }, { FOLD_HAS_MAX, 4, INT64_MIN },
			{ FOLD_HAS_AT_MIN, 5, INT64_MAX }, { FOLD_HAS_AT_MAX, 6, INT64_MAX },
			{ FOLD_HAS_FIRST, 7, INT64_MAX }, { FOLD_HAS_LAST, 8, INT64_MIN } };
		for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++)
			if (x->has & firsts[k].has)
				p->empty[x->at[firsts[k].bit]] = firsts[k].first;
	}
	for (uint32_t in = 0; in < p->n_inputs; in++)
		for (uint32_t i = 0; i < p->inputs[in].n_switches; i++) {
			struct fold_switch *x = &p->inputs[in].switches[i];
			for (unsigned c = 0; c < FOLD_MAX_CHOICES; c++) {
				const struct fold_sum *y =
					x->sum[c] ? &p->sums[x->sum[c] - 1] : NULL;
				if (y)
					x->to[c] = (uint16_t)(y->at[x->value < 0 ? 0 : 1] + 1);
			}
		}
	return 0;
}
