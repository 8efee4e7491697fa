/* Values over time: amounts that rules add and take; the fields in `by` say which amount is
 * taken. */
#include <string.h>

#include "base/grow.h"
#include "views/run.h"

static int no_memory(struct run *x)
{
	return mer_fail_nomem(x->err);
}

int run_add_sample(struct run *x, uint32_t row, int64_t t, int64_t value)
{
	struct view_host *h = x->h;
	struct run_row *r = &x->rows[row];
	r->value = value;
	r->has_value = true;
	if (!mer_spill_grow32(
		    x->e->spill, &h->samples, h->n_samples, &x->cap_samples, sizeof(*h->samples)))
		return no_memory(x);
	h->samples[h->n_samples++] = (struct view_sample){ t, value, row };
	return 0;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Finds the amount that was added with these fields. NULL: no memory. */
static size_t *amount_at(struct run *x, uint32_t row, size_t *number)
{
	char part[sizeof(row)];
	memcpy(part, &row, sizeof(row));
	mer_str_add(&x->key, part, sizeof(part));
	uint32_t *at = mer_map_put(&x->amounts, mer_hash(x->key.data, x->key.len));
	if (!at)
		return NULL;
	if (!*at) {
		if (x->n_amounts >= MER_GROW32_MOST ||
			!mer_grow_at(
				&x->amount, &x->cap_amounts, x->n_amounts, sizeof(*x->amount)) ||
			!mer_grow_at(&x->has_amount, &x->cap_has_amount, x->n_amounts,
				sizeof(*x->has_amount)))
			return NULL;
		*at = (uint32_t)++x->n_amounts;
	}
	*number = *at - 1;
	return number;
}

int run_change_value(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, uint32_t row)
{
	const struct view_rule *rule = b->rule;
	struct run_row *r = &x->rows[row];
	int64_t amount = rule->number, value = r->value;
	size_t number;
	if (rule->has_amount && !rule->has_number &&
		(!b->has_amount || !run_number(x, c, ev, &b->amount, &amount))) {
		x->h->doubts.n_unnamed++;
		return 0;
	}
	if (rule->verb == VIEW_LEVEL)
		return run_add_sample(x, row, ev->ts, amount);
	if (!rule->n_by)
		return run_add_sample(x, row, ev->ts,
			plus(value, rule->verb == VIEW_ADD ? amount
				    : amount == INT64_MIN  ? INT64_MAX
							   : -amount));
	mer_str_clear(&x->key);
	if (!b->has_by || !run_put_fields(x, c, ev, b->by, rule->n_by)) {
		x->h->doubts.n_keyless++;
		return 0;
	}
	if (!amount_at(x, row, &number))
		return no_memory(x);
	if (rule->verb == VIEW_TAKE && !x->has_amount[number]) {
		x->h->doubts.n_untaken++;
		return 0;
	}
	/* After a loss, the event that took it may be among those lost. */
	if (rule->verb == VIEW_ADD && x->has_amount[number] && x->amount[number] &&
		!x->traces[r->trace].has_lost)
		x->h->doubts.n_replaced++;
	if (x->has_amount[number] && x->amount[number] != INT64_MIN)
		value = plus(value, -x->amount[number]);
	x->has_amount[number] = rule->verb == VIEW_ADD;
	if (rule->verb == VIEW_ADD) {
		x->amount[number] = amount;
		value = plus(value, amount);
	}
	return run_add_sample(x, row, ev->ts, value);
}
