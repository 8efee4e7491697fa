#include "sync/limits/pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/lower_bound.h"
#include "sync/limits/corridor.h"

/* ---- The width of the corridor ---- */

/* Points of one direction without those left out. */
struct feed {
	const struct sync_point *p;
	size_t n, next;
	const uint8_t *out; /* NULL: none */
};

/* Adds the points in [from, to]; those before it are passed over. */
static int feed_part(struct feed *f, bool upper, int64_t from, int64_t to, struct sync_corridor *c,
	struct mer_err *err)
{
	int rc = 0;
	for (; f->next < f->n && f->p[f->next].x <= to && rc == 0; f->next++)
		if (f->p[f->next].x >= from && !(f->out && f->out[f->next]))
			rc = sync_corridor_add(c, upper, f->p[f->next], err);
	return rc;
}

/* A corridor for each part between two breaks: messages before a break do not limit the offset
 * after it. */
static int measure(struct sync_pair_scan *pair, struct feed *upper, struct feed *lower, double rate,
	struct mer_err *err)
{
	pair->min = pair->median = pair->max = INFINITY;
	if (upper->n == 0 || lower->n == 0)
		return 0;
	int64_t u = upper->p[upper->n - 1].x, l = lower->p[lower->n - 1].x;
	struct sync_widths w;
	sync_widths_init(
		&w, upper->p[0].x < lower->p[0].x ? upper->p[0].x : lower->p[0].x, u > l ? u : l);
	const struct sync_breaks *b = &pair->breaks;
	struct sync_corridor c;
	sync_corridor_init(&c, rate);
	int rc = 0;
	for (size_t i = 0; i <= b->n && rc == 0; i++) {
		int64_t from = i ? b->rows[i - 1].end.x : INT64_MIN;
		int64_t to = i < b->n ? b->rows[i].begin.x : INT64_MAX;
		rc = feed_part(upper, true, from, to, &c, err);
		if (rc == 0)
			rc = feed_part(lower, false, from, to, &c, err);
		if (rc == 0)
			sync_widths_take(&w, &c, from, to);
		sync_corridor_free(&c);
	}
	struct sync_width width = sync_widths_result(&w);
	pair->min = width.min;
	pair->median = width.median;
	pair->max = width.max;
	pair->max_at = width.max_at;
	return rc;
}

/* ---- Scanning ---- */

/* Marks of points, from the list of those left out; also of the link's messages. */
static int mark(const uint32_t *list, size_t n_list, size_t n_points, const uint32_t *of,
	uint8_t **points, uint8_t *link_out)
{
	*points = NULL;
	if (n_list == 0)
		return 0;
	*points = calloc(n_points, 1);
	if (!*points)
		return MER_ERR_NOMEM;
	for (size_t i = 0; i < n_list; i++) {
		(*points)[list[i]] = 1;
		link_out[of ? of[list[i]] : list[i]] = 1;
	}
	return 0;
}

static int prepare_out(const struct sync_messages *m, struct sync_pairs *pairs, size_t link,
	size_t n_list, struct mer_err *err)
{
	if (link == SYNC_NO_LINK)
		return 0;
	if (pairs->out[link]) {
		memset(pairs->out[link], 0, m->links[link].n);
	} else if (n_list) {
		pairs->out[link] = calloc(m->links[link].n, 1);
		if (!pairs->out[link])
			return mer_fail_nomem(err);
	}
	return 0;
}

int sync_pair_points(const struct sync_messages *m, const struct sync_pairs *pairs, size_t number,
	uint32_t axis, uint8_t *const *out, struct sync_pair_points *p, struct mer_err *err)
{
	const struct sync_pair_scan *pair = &pairs->pairs[number];
	size_t forth = axis == pair->a ? pair->ab : pair->ba;
	size_t back = axis == pair->a ? pair->ba : pair->ab;
	bool has_forth = forth != SYNC_NO_LINK, has_back = back != SYNC_NO_LINK;
	return sync_points_new(has_forth ? &m->links[forth] : NULL,
		has_back ? &m->links[back] : NULL, has_forth && out ? out[forth] : NULL,
		has_back && out ? out[back] : NULL, p, err);
}

int sync_pair_scan_on(const struct sync_messages *m, struct sync_pairs *pairs, size_t number,
	uint32_t axis, double max_rate, struct mer_err *err)
{
	struct sync_pair_scan *pair = &pairs->pairs[number];
	size_t forth = axis == pair->a ? pair->ab : pair->ba;
	size_t back = axis == pair->a ? pair->ba : pair->ab;
	struct sync_pair_points p;
	int rc = sync_pair_points(m, pairs, number, axis, NULL, &p, err);
	if (rc)
		return rc;
	sync_breaks_free(&pair->breaks);
	pair->axis = axis;
	struct sync_breaks *b = &pair->breaks;
	rc = sync_find_breaks(
		&(struct sync_points){ p.upper, p.lower, p.n_upper, p.n_lower }, max_rate, b, err);
	pair->n_out = b->n_out_upper + b->n_out_lower;
	if (rc == 0)
		rc = prepare_out(m, pairs, forth, b->n_out_upper, err);
	if (rc == 0)
		rc = prepare_out(m, pairs, back, b->n_out_lower, err);
	uint8_t *out_upper = NULL, *out_lower = NULL;
	if (rc == 0 && (mark(b->out_upper, b->n_out_upper, p.n_upper, p.upper_of, &out_upper,
				forth == SYNC_NO_LINK ? NULL : pairs->out[forth]) ||
			       mark(b->out_lower, b->n_out_lower, p.n_lower, p.lower_of, &out_lower,
				       back == SYNC_NO_LINK ? NULL : pairs->out[back])))
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = measure(pair, &(struct feed){ p.upper, p.n_upper, 0, out_upper },
			&(struct feed){ p.lower, p.n_lower, 0, out_lower }, max_rate, err);
	free(out_upper);
	free(out_lower);
	sync_points_free(&p);
	return rc;
}

/* The other clock of the pair at both ends of a break. */
static struct sync_range other_range(const struct sync_break *b)
{
	return (struct sync_range){ sync_add(b->begin.x, b->begin.y),
		sync_add(b->end.x, b->end.y) };
}

/* Was the other clock set back? It then shows some times twice. Messages that overtake each other
 * look similar, but by much less than the jump. */
static bool is_set_back(const struct sync_break *b)
{
	struct sync_range r = other_range(b);
	return b->rate <= 0 && b->jump_ns < 0 && r.end < r.begin &&
	       sync_sub(r.begin, r.end) > -(b->jump_ns / 4);
}

/* Was the clock that is not the pair's axis set back? It cannot be an axis: its times are
 * ambiguous. */
static bool shows_back(const struct sync_pair_scan *pair)
{
	for (size_t i = 0; i < pair->breaks.n; i++)
		if (is_set_back(&pair->breaks.rows[i]))
			return true;
	return false;
}

/* Were many more messages left out of this scan? On the axis of a clock that stood still, later
 * points contradict the earlier ones. */
static bool many_more(size_t n_out, size_t than)
{
	enum { A_FEW = 16 };
	return n_out > than + A_FEW;
}

int sync_pair_scan(const struct sync_messages *m, struct sync_pairs *pairs, size_t number,
	double max_rate, struct mer_err *err)
{
	struct sync_pair_scan *p = &pairs->pairs[number];
	int rc = sync_pair_scan_on(m, pairs, number, p->a, max_rate, err);
	if (rc || p->n_out + p->breaks.n == 0 || shows_back(p))
		return rc;
	size_t n_out = p->n_out;
	rc = sync_pair_scan_on(m, pairs, number, p->b, max_rate, err);
	return rc || shows_back(p) || many_more(n_out, p->n_out)
		       ? rc
		       : sync_pair_scan_on(m, pairs, number, p->a, max_rate, err);
}

int sync_pair_scan_blamed(const struct sync_messages *m, struct sync_pairs *pairs, size_t number,
	uint32_t axis, double max_rate, struct mer_err *err)
{
	struct sync_pair_scan *p = &pairs->pairs[number];
	uint32_t before = p->axis;
	size_t n_out = p->n_out;
	if (axis == before || shows_back(p))
		return 0;
	int rc = sync_pair_scan_on(m, pairs, number, axis, max_rate, err);
	return rc || !many_more(p->n_out, n_out)
		       ? rc
		       : sync_pair_scan_on(m, pairs, number, before, max_rate, err);
}

/* Messages of a link, in its order, that show the same time of the clock at one end as the message
 * before, within a range of the sender's times. */
static size_t count_same(const struct sync_link *l, bool of_sender, struct sync_range sent)
{
	size_t n = 0;
	MER_LOWER_BOUND(i, 0, l->n, at, l->messages[at].sent < sent.begin);
	for (i = i ? i : 1; i < l->n && l->messages[i].sent <= sent.end; i++) {
		const struct sync_message *p = &l->messages[i - 1], *q = &l->messages[i];
		n += of_sender ? p->sent == q->sent : p->received == q->received;
	}
	return n;
}

bool sync_break_stands_still(const struct sync_messages *m, const struct sync_pair_scan *pair,
	const struct sync_break *b, uint32_t host)
{
	enum { MANY = 3 };
	size_t from = host == pair->a ? pair->ab : pair->ba;
	size_t to = host == pair->a ? pair->ba : pair->ab;
	struct sync_range own =
		pair->axis == host ? (struct sync_range){ b->begin.x, b->end.x } : other_range(b);
	struct sync_range other =
		pair->axis == host ? other_range(b) : (struct sync_range){ b->begin.x, b->end.x };
	size_t n = 0;
	if (from != SYNC_NO_LINK)
		n += count_same(&m->links[from], true, own);
	if (to != SYNC_NO_LINK)
		n += count_same(&m->links[to], false, other);
	return n >= MANY;
}

/* The longest latency that is assumed next to a clock that was set back. */
static const int64_t AROUND_NS = 20000000;

struct sync_range sync_break_range(
	const struct sync_pair_scan *pair, const struct sync_break *b, uint32_t host)
{
	if (pair->axis == host)
		return (struct sync_range){ b->begin.x, b->end.x };
	struct sync_range r = other_range(b);
	if (is_set_back(b)) {
		/* The clock shows the times from r.end to r.begin twice. On each side, the range is
		 * longer by the duration of the break on the axis' clock, plus AROUND_NS. */
		int64_t time = sync_add(sync_sub(b->end.x, b->begin.x), AROUND_NS);
		return (struct sync_range){ sync_sub(r.end, time), sync_add(r.begin, time) };
	}
	/* Points that no clock can produce may be in reverse order there. */
	return r.begin < r.end ? r : (struct sync_range){ r.end, r.begin };
}

struct place {		    /* a link as a pair, for sorting */
	uint32_t low, high; /* ranks */
	size_t link;
};

static int by_pair(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	if (p->low != q->low)
		return p->low < q->low ? -1 : 1;
	if (p->high != q->high)
		return p->high < q->high ? -1 : 1;
	return p->link < q->link ? -1 : p->link > q->link;
}

int sync_pairs_new(const struct sync_messages *m, const uint32_t *rank, struct sync_pairs *pairs,
	struct mer_err *err)
{
	*pairs = (struct sync_pairs){ .n_links = m->n_links };
	struct place *places = malloc((m->n_links + 1) * sizeof(*places));
	pairs->pairs = calloc(m->n_links + 1, sizeof(*pairs->pairs));
	pairs->out = calloc(m->n_links + 1, sizeof(*pairs->out));
	int rc = places && pairs->pairs && pairs->out ? 0 : mer_fail_nomem(err);
	size_t n = 0;
	for (size_t i = 0; i < m->n_links && rc == 0; i++) {
		const struct sync_link *l = &m->links[i];
		uint32_t p = rank[l->from], q = rank[l->to];
		if (l->from != l->to && l->n)
			places[n++] = (struct place){ p < q ? p : q, p < q ? q : p, i };
	}
	if (rc == 0)
		qsort(places, n, sizeof(*places), by_pair);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct sync_link *l = &m->links[places[i].link];
		bool same = i && places[i].low == places[i - 1].low &&
			    places[i].high == places[i - 1].high;
		if (!same) {
			bool forth = rank[l->from] < rank[l->to];
			pairs->pairs[pairs->n++] = (struct sync_pair_scan){
				.a = forth ? l->from : l->to,
				.b = forth ? l->to : l->from,
				.ab = SYNC_NO_LINK,
				.ba = SYNC_NO_LINK,
			};
		}
		struct sync_pair_scan *pair = &pairs->pairs[pairs->n - 1];
		*(l->from == pair->a ? &pair->ab : &pair->ba) = places[i].link;
	}
	free(places);
	if (rc)
		sync_pairs_free(pairs);
	return rc;
}

void sync_pairs_free(struct sync_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		sync_breaks_free(&pairs->pairs[i].breaks);
	for (size_t i = 0; pairs->out && i < pairs->n_links; i++)
		free(pairs->out[i]);
	free(pairs->pairs);
	free(pairs->out);
	memset(pairs, 0, sizeof(*pairs));
}
