/* Hull line: from the four points of the two lines to published digits, and to a clock map's piece.
 *
 * Rounds where the published tool rounds (quotients, alpha * x, means) and nowhere else, so the
 * digits are the same to the last. */
#include "sync/classic/hull_state.h"

#include "sync/classic/decimal.h"

_Static_assert(sizeof(((struct sync_line *)0)->alpha) == SYNC_DECIMAL_TEXT, "texts fit");

struct line_values {
	struct sync_decimal alpha, beta;
};

static struct sync_decimal difference(int64_t a, int64_t b)
{
	struct hull_difference d = hull_difference(a, b);
	return sync_decimal_magnitude(d.negative, d.magnitude);
}

/* A side without a line counts as one of slope 1, through its newest point if it has any. */
static struct line_values values_of(const struct hull_line *l)
{
	struct line_values v = { sync_decimal_int(1), sync_decimal_int(0) };
	if (l->from.is_set && l->from.p.x != l->to.p.x) {
		struct sync_decimal dy = difference(l->to.p.y, l->from.p.y);
		struct sync_decimal dx = difference(l->to.p.x, l->from.p.x);
		v.alpha = sync_decimal_div(&dy, &dx);
	}
	if (l->to.is_set) {
		struct sync_decimal x = sync_decimal_int(l->to.p.x);
		struct sync_decimal y = sync_decimal_int(l->to.p.y);
		struct sync_decimal rise = sync_decimal_mul(&v.alpha, &x);
		v.beta = sync_decimal_sub(&y, &rise);
	}
	return v;
}

static struct line_values mean(const struct line_values *a, const struct line_values *b)
{
	struct sync_decimal alphas = sync_decimal_add(&a->alpha, &b->alpha);
	struct sync_decimal betas = sync_decimal_add(&a->beta, &b->beta);
	return (struct line_values){ sync_decimal_half(&alphas), sync_decimal_half(&betas) };
}

/* x = slope * y + offset; alpha is not 0. */
static struct line_values inverse(const struct line_values *v)
{
	struct sync_decimal one = sync_decimal_int(1), minus_beta = sync_decimal_negate(v->beta);
	return (struct line_values){ sync_decimal_div(&one, &v->alpha),
		sync_decimal_div(&minus_beta, &v->alpha) };
}

static struct line_values current(const struct sync_hull *h)
{
	struct line_values max = values_of(&h->good[true]), min = values_of(&h->good[false]);
	return mean(&max, &min);
}

void sync_hull_line(const struct sync_hull *h, struct sync_line *line)
{
	*line = (struct sync_line){ .quality = h->quality,
		.n_messages = h->n_messages,
		.n_accurate = h->n_accurate,
		.n_upper = h->sides[false].n,
		.n_lower = h->sides[true].n,
		.failed_at = h->failed_at };
	struct line_values max = values_of(&h->good[true]), min = values_of(&h->good[false]);
	struct line_values v = mean(&max, &min);
	sync_decimal_text(&v.alpha, line->alpha);
	sync_decimal_text(&v.beta, line->beta);
	if (v.alpha.n) {
		struct line_values back = inverse(&v);
		sync_decimal_text(&back.alpha, line->slope);
		sync_decimal_text(&back.beta, line->offset);
	}
	bool has_max = h->good[true].from.is_set, has_min = h->good[false].from.is_set;
	max.alpha = sync_decimal_strip(max.alpha);
	min.alpha = sync_decimal_strip(min.alpha);
	if (has_max)
		sync_decimal_text(&max.alpha, line->alpha_max);
	if (has_min)
		sync_decimal_text(&min.alpha, line->alpha_min);
	if (has_max && has_min) {
		struct sync_decimal d = sync_decimal_sub(&max.alpha, &min.alpha);
		d = sync_decimal_strip(d);
		sync_decimal_text(&d, line->accuracy);
	}
}

static bool ceiling(const struct sync_decimal *a, int64_t *v)
{
	struct sync_decimal minus = sync_decimal_negate(*a);
	if (!sync_decimal_floor(&minus, v) || *v == INT64_MIN)
		return false;
	*v = -*v;
	return true;
}

int sync_hull_piece(const struct sync_hull *h, bool second_on_first,
	struct trace_clock_piece *piece, struct mer_err *err)
{
	struct line_values v = current(h);
	if (second_on_first && v.alpha.n)
		v = inverse(&v);
	/* First the slope: the other numbers stay small when it is in range. */
	struct sync_decimal one = sync_decimal_int(1);
	struct sync_decimal unit = sync_decimal_int((int64_t)1 << TRACE_RATE_BITS);
	struct sync_decimal rate = sync_decimal_sub(&v.alpha, &one);
	rate = sync_decimal_mul(&rate, &unit);
	struct sync_decimal half = sync_decimal_half(&one);
	rate = sync_decimal_add(&rate, &half);
	struct trace_clock_piece p = { .begin = second_on_first ? h->first.y : h->first.x };
	if (!v.alpha.n || v.alpha.negative || !sync_decimal_floor(&rate, &p.rate)) {
		char text[SYNC_DECIMAL_TEXT];
		sync_decimal_text(&v.alpha, text);
		return mer_fail(err, MER_ERR_LIMIT,
			"the line through the messages of two hosts has the slope %s: that is not the rate of a clock",
			text);
	}
	/* Rounded up, because the piece's own product is rounded down: less than 1 ns in all. */
	struct sync_decimal begin = sync_decimal_int(p.begin);
	struct sync_decimal time = sync_decimal_mul(&v.alpha, &begin);
	time = sync_decimal_add(&time, &v.beta);
	if (!ceiling(&time, &p.time))
		return mer_fail(err, MER_ERR_LIMIT,
			"the line through the messages of two hosts leaves the range of times at the start");
	*piece = p;
	return 0;
}
