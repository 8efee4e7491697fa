#include "requests/explain_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "requests/like.h"

/* What is the same for all groups. */
struct population {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct requests_culprits *finder;
	struct requests_told *told;
	uint32_t *which;   /* by latency */
	uint32_t n, slow;  /* from `slow` on they are slow */
	uint32_t *in_time; /* places of the slow ones in the order of time */
	uint32_t kind;
	bool is_one;
	struct requests_like like;
	struct requests_groups groups;
	struct mer_err *err;
};

struct timed {
	int64_t ns;
	uint32_t number;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* ---- a group ---- */

/* So many of a class are compared: at most its share of all that are, and a few. What each waited
 * for is followed through others, which takes long. */
static uint32_t n_compared(const struct requests_explanation *x, uint32_t n_of, uint32_t n)
{
	enum { MOST = 400, FEW = 20 };
	uint32_t most = FEW + (uint32_t)((uint64_t)MOST * n_of / x->n_slow);
	return n < most ? n : most;
}

/* The typical ones of a class, evenly by latency, each with the weight that the class has among the
 * slow ones. */
static int add_typical(
	const struct population *p, struct requests_explaining *e, const uint32_t *n_of)
{
	struct requests_explanation *x = e->x;
	double sum = 0;
	int rc = 0;
	x->is_like = !n_of[0];
	for (uint32_t c = 0; rc == 0 && c < p->like.n; c++) {
		uint32_t from = p->like.first[c], n = p->like.first[c + 1] - from;
		uint32_t some = n_of[c] ? n_compared(x, n_of[c], n) : 0;
		double weight = some ? (double)n_of[c] / x->n_slow / some : 0;
		for (uint32_t i = 0; rc == 0 && i < some; i++) {
			uint32_t place = from + (uint32_t)((uint64_t)i * n / some);
			uint32_t exchange = p->which[p->like.typical[place]];
			const struct requests_exchange *r = &p->k->r->exchanges[exchange];
			sum += weight * (double)(r->end - r->begin);
			rc = requests_explaining_add(e, exchange, weight);
		}
		x->n_typical += some;
	}
	x->typical_ns = (int64_t)sum;
	return rc;
}

static int add_slow(
	const struct population *p, struct requests_explaining *e, unsigned group, uint32_t *n_of)
{
	struct requests_explanation *x = e->x;
	int64_t sum = 0;
	int rc = 0;
	uint32_t slowest = 0;
	x->first_begin = INT64_MAX;
	x->last_begin = INT64_MIN;
	for (uint32_t m = 0; rc == 0 && m < p->n - p->slow; m++) {
		uint32_t i = p->in_time[m];
		const struct requests_exchange *r = &p->k->r->exchanges[p->which[i]];
		if (p->groups.of[i - p->slow] != group)
			continue;
		n_of[p->like.class_of[i]]++;
		x->n_slow++;
		slowest = i > slowest ? i : slowest;
		x->first_begin = r->begin < x->first_begin ? r->begin : x->first_begin;
		x->last_begin = r->begin > x->last_begin ? r->begin : x->last_begin;
		sum += r->end - r->begin;
		rc = requests_explaining_add(e, p->which[i], 0);
		if (rc == 0 && !requests_explaining_lead(e, i, r->end - r->begin))
			rc = mer_fail_nomem(e->err);
	}
	x->example = p->which[slowest];
	uint32_t class = p->like.class_of[slowest], first = p->like.first[class];
	uint32_t n_like = p->like.first[class + 1] - first;
	x->middle = n_like ? p->which[p->like.typical[first + n_like / 2]] : KERNEL_NONE;
	x->slow_ns = x->n_slow ? sum / x->n_slow : 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t begin = p->k->r->exchanges[p->which[i]].begin;
		x->n_meanwhile += begin >= x->first_begin && begin <= x->last_begin;
	}
	return rc;
}

/* Do the requests that `best` leads lie by themselves in time, with no more others among them than
 * they are? */
static bool are_apart(const struct population *p, const struct requests_explaining *e,
	const uint32_t *leads, uint32_t best)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t n = 0, n_others = 0;
	for (size_t i = 0; i < e->n_leds; i++) {
		int64_t begin = p->k->r->exchanges[p->which[e->leds[i].place]].begin;
		if (leads[i] != best + 1)
			continue;
		n++;
		first = begin < first ? begin : first;
		last = begin > last ? begin : last;
	}
	for (size_t i = 0; i < e->n_leds; i++) {
		int64_t begin = p->k->r->exchanges[p->which[e->leds[i].place]].begin;
		n_others += leads[i] != best + 1 && begin >= first && begin <= last;
	}
	return n_others <= n;
}

/* Some of the slow requests have one main reason that is not the main reason of the mean: each of
 * them owes at least half of its excess time to it. Together they have a quarter of the excess time
 * of all; or they are a twentieth of all, at a time of their own. They are marked as group `to`;
 * false: there are none. */
static int split_by_cause(
	const struct population *p, const struct requests_explaining *e, uint8_t to, bool *is_split)
{
	enum { LEAST_SLOW = 4 };
	static const double main = 0.5, least = 0.25, least_apart = 0.05;
	const struct requests_explanation *x = e->x;
	int64_t typical = x->typical_ns, all = (x->slow_ns - typical) * x->n_slow, most = 0;
	int64_t *sums = calloc(e->n_doers + 1, sizeof(*sums)); /* of requests that it is main of */
	int64_t *own = calloc(e->n_doers + 1, sizeof(*own));   /* of it in all requests */
	uint32_t *leads = calloc(e->n_leds + 1, sizeof(*leads)); /* plus 1 */
	uint32_t best = KERNEL_NONE, n = 0;
	bool ok = sums && own && leads;
	for (size_t i = 0; ok && i < e->n_leds; i++) {
		const struct requests_led *l = &e->leds[i];
		for (int k = 0; k < REQUESTS_LONGEST && l->longest[k].doer; k++) {
			const struct requests_doer *d = &e->doers[l->longest[k].doer - 1];
			int64_t more = l->longest[k].ns - (int64_t)d->typical_ns;
			own[l->longest[k].doer - 1] += more;
			if (leads[i] || !d->is_cause || l->ns <= typical ||
				(double)more < main * (double)(l->ns - typical))
				continue;
			leads[i] = l->longest[k].doer;
			sums[leads[i] - 1] += l->ns - typical;
		}
	}
	for (uint32_t d = 0; ok && d < e->n_doers; d++)
		if (sums[d] > most && (double)own[d] < main * (double)all) {
			most = sums[d];
			best = d;
		}
	for (size_t i = 0; best != KERNEL_NONE && i < e->n_leds; i++)
		n += leads[i] == best + 1;
	bool is_enough =
		n && ((double)most >= least * (double)all ||
			     (n >= least_apart * x->n_slow && are_apart(p, e, leads, best)));
	*is_split = n >= LEAST_SLOW && n < x->n_slow && is_enough;
	for (size_t i = 0; *is_split && i < e->n_leds; i++)
		if (leads[i] == best + 1)
			p->groups.of[e->leds[i].place - p->slow] = to;
	free(sums);
	free(own);
	free(leads);
	return ok ? 0 : mer_fail_nomem(p->err);
}

static void free_explanation(struct requests_explanation *x)
{
	if (!x)
		return;
	free(x->reasons);
	mer_intern_fini(&x->names);
	mer_arena_fini(&x->arena);
	free(x);
}

/* split: whether some of it were put into a group of their own (the next one); NULL: none are to
 * be. Then nothing is explained yet. */
static int explain_group(
	const struct population *p, unsigned group, struct requests_explanation **out, bool *split)
{
	struct requests_explanation *x = calloc(1, sizeof(*x));
	struct requests_explaining e = {
		.k = p->k, .finder = p->finder, .told = p->told, .x = x, .err = p->err
	};
	uint32_t *n_of = calloc((size_t)p->like.n + 1, sizeof(*n_of));
	*out = x;
	if (x) {
		mer_arena_init(&x->arena);
		mer_intern_init(&x->names, &x->arena);
		x->group = p->groups.item[group];
		x->kind = p->kind;
		x->is_one = p->is_one;
	}
	int rc = x && n_of ? add_slow(p, &e, group, n_of) : mer_fail_nomem(p->err);
	if (rc == 0)
		rc = add_typical(p, &e, n_of);
	if (rc == 0 && split)
		rc = split_by_cause(p, &e, (uint8_t)p->groups.n, split);
	bool is_split = rc == 0 && split && *split;
	if (rc == 0 && !is_split && !requests_explaining_compare(&e))
		rc = mer_fail_nomem(p->err);
	requests_explaining_fini(&e);
	free(n_of);
	return rc;
}

/* ---- groups that became slow in the same way ---- */

/* How much of the difference each culprit has: those of one program that did the same are one,
 * whichever task waited; where none is known, by reason. */
struct profile {
	struct mer_map map; /* number in shares, plus 1 */
	double *shares;
	size_t n, cap;
};

static bool add_to_profile(struct profile *p, uint64_t key, double share)
{
	uint32_t *at = mer_map_put(&p->map, key);
	if (!at || !mer_grow(&p->shares, p->n, &p->cap, sizeof(*p->shares)))
		return false;
	if (!*at) {
		p->shares[p->n++] = 0;
		*at = (uint32_t)p->n;
	}
	p->shares[*at - 1] += share;
	return true;
}

/* All of a last culprit is one, whoever met it; else it is what and where. */
static uint64_t key_of_reason(const struct population *of, const struct requests_explanation *x,
	const struct requests_reason *r)
{
	if (r->is_last && r->n_culprits)
		return requests_culprit_key(of->k, of->finder, &r->culprits[0]);
	const char *program = mer_intern_text(&x->names, r->program);
	uint64_t key[] = { r->host, r->part, r->in, mer_hash(program, strlen(program)) };
	return mer_hash(key, sizeof(key));
}

static bool find_profile(
	const struct population *of, const struct requests_explanation *x, struct profile *p)
{
	double all = 0;
	for (size_t i = 0; i < x->n; i++)
		all += x->reasons[i].ns > 0 ? (double)x->reasons[i].ns : 0;
	for (size_t i = 0; i < x->n && x->reasons[i].ns > 0; i++) {
		const struct requests_reason *r = &x->reasons[i];
		int64_t left = r->ns;
		uint64_t rest = key_of_reason(of, x, r);
		for (unsigned u = 0; u < r->n_culprits; u++) {
			uint64_t who = requests_culprit_key(of->k, of->finder, &r->culprits[u]);
			left -= r->culprits[u].ns;
			if (!add_to_profile(p, who, (double)r->culprits[u].ns / all))
				return false;
		}
		if (left > 0 && !add_to_profile(p, rest, (double)left / all))
			return false;
	}
	return true;
}

/* How much of the differences of both has the same culprits; negative: no memory. */
static double likeness(const struct population *of, const struct requests_explanation *x,
	const struct requests_explanation *y)
{
	struct profile p = { 0 }, q = { 0 };
	bool ok = find_profile(of, x, &p) && find_profile(of, y, &q);
	double sum = 0;
	for (size_t i = 0; ok && i < p.map.cap; i++) {
		const struct mer_map_slot *s = &p.map.slots[i];
		const uint32_t *other = s->used ? mer_map_get(&q.map, s->key) : NULL;
		if (other) {
			double a = p.shares[s->value - 1], b = q.shares[*other - 1];
			sum += a < b ? a : b;
		}
	}
	mer_map_fini(&p.map);
	mer_map_fini(&q.map);
	free(p.shares);
	free(q.shares);
	return ok ? sum : -1;
}

static int64_t cost_of(const struct requests_explanation *x)
{
	return (x->slow_ns - x->typical_ns) * x->n_slow;
}

/* What the two are together. */
static struct requests_group both_of(const struct requests_group *a, const struct requests_group *b)
{
	struct requests_group both = *a;
	bool has_cause = a->kind == REQUESTS_GROUP_CAUSE || b->kind == REQUESTS_GROUP_CAUSE;
	if (has_cause)
		both = (struct requests_group){ .kind = REQUESTS_GROUP_CAUSE };
	else if (a->kind == REQUESTS_GROUP_BURST && b->kind == REQUESTS_GROUP_BURST)
		both.n_bursts += b->n_bursts;
	else
		both = (struct requests_group){ .kind = REQUESTS_GROUP_MIXED };
	return both;
}

/* How alike two groups must be to be one. That requests lie together in time, or are mostly of one
 * shape, is evidence of its own; that they are of one shape as chance has it is none. */
static double least_likeness(const struct requests_group *a, const struct requests_group *b)
{
	static const double burst = 0.75, usual = 0.6, likely = 0.4;
	if (a->kind == REQUESTS_GROUP_BURST || b->kind == REQUESTS_GROUP_BURST ||
		a->kind == REQUESTS_GROUP_CAUSE || b->kind == REQUESTS_GROUP_CAUSE)
		return burst;
	bool may_be_chance = a->may_be_chance || b->may_be_chance ||
			     a->kind == REQUESTS_GROUP_REST || b->kind == REQUESTS_GROUP_REST;
	return may_be_chance ? likely : usual;
}

/* The first group takes the second one. */
static int join_groups(
	struct population *p, struct requests_explanations *x, unsigned a, unsigned b)
{
	struct requests_groups *g = &p->groups;
	unsigned n_left = 0;
	for (uint32_t i = 0; i < p->n - p->slow; i++)
		if (g->of[i] == b)
			g->of[i] = (uint8_t)a;
	g->item[a] = both_of(&g->item[a], &g->item[b]);
	free_explanation(x->group[a]);
	free_explanation(x->group[b]);
	x->group[a] = x->group[b] = NULL;
	for (unsigned i = 0; i < g->n; i++)
		n_left += i == a || x->group[i];
	if (n_left == 1 && g->item[a].kind == REQUESTS_GROUP_MIXED) {
		g->item[a].kind = REQUESTS_GROUP_ALL;
		int rc = requests_shape_find(
			p->k->r, p->f, p->which, p->n, p->slow, &g->item[a].shape, p->err);
		if (rc)
			return rc;
	}
	return explain_group(p, a, &x->group[a], NULL);
}

/* The two groups that are most alike, and are of one population then; a == b: there are none. */
static int find_alike(
	struct population *p, const struct requests_explanations *x, unsigned *a, unsigned *b)
{
	double most = 0;
	*a = *b = 0;
	for (unsigned i = 0; i < p->groups.n; i++)
		for (unsigned k = i + 1; k < p->groups.n; k++) {
			if (!x->group[i] || !x->group[k])
				continue;
			double like = likeness(p, x->group[i], x->group[k]);
			if (like < 0)
				return mer_fail_nomem(p->err);
			if (like <= most ||
				like < least_likeness(&p->groups.item[i], &p->groups.item[k]))
				continue;
			most = like;
			*a = i;
			*b = k;
		}
	return 0;
}

static int join_alike(struct population *p, struct requests_explanations *x)
{
	unsigned a, b;
	int rc = find_alike(p, x, &a, &b);
	while (rc == 0 && a != b) {
		rc = join_groups(p, x, a, b);
		if (rc == 0)
			rc = find_alike(p, x, &a, &b);
	}
	return rc;
}

/* Takes the largest group apart if its mean hides a reason that some of it have. */
static int split_mixed(struct population *p, struct requests_explanations *x, bool *is_any)
{
	struct requests_groups *g = &p->groups;
	unsigned most = KERNEL_NONE;
	bool is_split = false;
	for (unsigned i = 0; i < g->n; i++)
		if (x->group[i] && g->item[i].kind != REQUESTS_GROUP_BURST &&
			g->item[i].kind != REQUESTS_GROUP_CAUSE &&
			(most == KERNEL_NONE || cost_of(x->group[i]) > cost_of(x->group[most])))
			most = i;
	*is_any = false;
	if (most == KERNEL_NONE || g->n == REQUESTS_GROUPS)
		return 0;
	free_explanation(x->group[most]);
	x->group[most] = NULL;
	int rc = explain_group(p, most, &x->group[most], &is_split);
	if (rc || !is_split)
		return rc;
	*is_any = true;
	if (g->item[most].kind == REQUESTS_GROUP_ALL || g->item[most].kind == REQUESTS_GROUP_MIXED)
		g->item[most] = (struct requests_group){ .kind = REQUESTS_GROUP_REST };
	g->item[g->n++] = (struct requests_group){ .kind = REQUESTS_GROUP_CAUSE };
	free_explanation(x->group[most]);
	x->group[most] = NULL;
	rc = explain_group(p, most, &x->group[most], NULL);
	if (rc == 0)
		rc = explain_group(p, g->n - 1, &x->group[g->n - 1], NULL);
	return rc ? rc : join_alike(p, x);
}

bool requests_is_for_others(const struct requests_reason *r)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < r->n_culprits; i++)
		sum += r->culprits[i].deed == REQUESTS_DEED_CONNECTION ? r->culprits[i].ns : 0;
	return !r->is_last && (r->part == REQUESTS_QUEUED || sum > r->ns / 3);
}

bool requests_is_cause(const struct requests_reason *r)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < r->n_culprits; i++)
		sum += r->culprits[i].ns;
	return !requests_is_for_others(r) && sum > r->ns / 2;
}

/* The greatest cause of a group: what explains it. NULL: none is known. */
static const struct requests_reason *main_cause_of(const struct requests_explanation *x)
{
	for (size_t i = 0; i < x->n && x->reasons[i].ns > 0; i++)
		if (requests_is_cause(&x->reasons[i]))
			return &x->reasons[i];
	return NULL;
}

struct rank {
	double all, own; /* what the main cause of a group cost: in all groups, and in this one */
};

/* The same row in each group: of what serves requests itself, who met it stays apart. */
static uint64_t key_of_row(const struct population *of, const struct requests_explanation *x,
	const struct requests_reason *r)
{
	const char *program = mer_intern_text(&x->names, r->program);
	uint64_t key[] = { key_of_reason(of, x, r), r->host, r->part, r->in,
		mer_hash(program, strlen(program)) };
	return requests_is_of_none(of->finder, r) ? key[0] : mer_hash(key, sizeof(key));
}

static struct rank rank_of(const struct population *p, const struct requests_explanations *all,
	const struct requests_explanation *x)
{
	const struct requests_reason *main = main_cause_of(x);
	struct rank k = { 0 };
	uint64_t key = main ? key_of_row(p, x, main) : 0;
	for (unsigned i = 0; main && i < all->n; i++) {
		const struct requests_explanation *y = all->group[i];
		for (size_t m = 0; m < y->n && y->reasons[m].ns > 0; m++)
			if (key_of_row(p, y, &y->reasons[m]) == key)
				k.all += (double)y->reasons[m].ns * y->n_slow;
	}
	k.own = main ? (double)main->ns * x->n_slow : 0;
	return k;
}

static bool is_before(const struct rank *a, const struct rank *b)
{
	return a->all != b->all ? a->all > b->all : a->own > b->own;
}

/* Puts the group first whose main cause cost most, summed over all groups: several groups may
 * have the same cause. */
static void sort_groups(const struct population *p, struct requests_explanations *x, unsigned n)
{
	struct rank ranks[REQUESTS_GROUPS];
	for (unsigned i = 0; i < n; i++)
		if (x->group[i])
			x->group[x->n++] = x->group[i];
	for (unsigned i = x->n; i < n; i++)
		x->group[i] = NULL;
	for (unsigned i = 0; i < x->n; i++)
		ranks[i] = rank_of(p, x, x->group[i]);
	for (unsigned i = 1; i < x->n; i++)
		for (unsigned k = i; k && is_before(&ranks[k], &ranks[k - 1]); k--) {
			struct requests_explanation *g = x->group[k];
			struct rank r = ranks[k];
			x->group[k] = x->group[k - 1];
			x->group[k - 1] = g;
			ranks[k] = ranks[k - 1];
			ranks[k - 1] = r;
		}
}

/* ---- which are slow ---- */

/* One in twenty, and at least 30 if these are not more than one in ten: a few would be an accident,
 * more would hardly be slower than the others. */
static uint32_t usual_number(uint32_t n)
{
	enum { LEAST = 30 };
	uint32_t twentieth = n / 20 + (n % 20 > 0), tenth = n / 10;
	uint32_t least = tenth < LEAST ? tenth : LEAST;
	return twentieth > least ? twentieth : least;
}

static int sort_population(struct population *p, const uint32_t *which, uint32_t n,
	const struct requests_choice *choice, struct requests_explanations *x)
{
	struct timed *rows = malloc(((size_t)n + 1) * sizeof(*rows));
	uint32_t m = 0, only = KERNEL_NONE;
	p->which = malloc(((size_t)n + 1) * sizeof(*p->which));
	if (!rows || !p->which) {
		free(rows);
		return mer_fail_nomem(p->err);
	}
	x->first_begin = INT64_MAX;
	x->last_begin = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_exchange *r = &p->k->r->exchanges[which[i]];
		if (p->k->of[which[i]] != p->kind || !requests_has_latency(r))
			continue;
		x->first_begin = r->begin < x->first_begin ? r->begin : x->first_begin;
		x->last_begin = r->begin > x->last_begin ? r->begin : x->last_begin;
		if (choice->only && which[i] + 1 == choice->only)
			only = which[i];
		else
			rows[m++] = (struct timed){ r->end - r->begin, which[i] };
	}
	if (m)
		qsort(rows, m, sizeof(*rows), by_time);
	x->slowest_ns = m ? rows[m - 1].ns : 0;
	p->n = m;
	p->slow = m - usual_number(m);
	if (choice->only)
		p->slow = m;
	else if (choice->slowest)
		p->slow = choice->slowest < m ? m - choice->slowest : 0;
	else if (choice->above_ns)
		for (p->slow = 0; p->slow < m && rows[p->slow].ns <= choice->above_ns;)
			p->slow++;
	for (uint32_t i = 0; i < m; i++)
		p->which[i] = rows[i].number;
	x->slow_from_ns = p->slow < m ? rows[p->slow].ns : 0;
	if (only != KERNEL_NONE)
		p->which[p->n++] = only;
	x->n_all = p->n;
	x->n_chosen = p->n - p->slow;
	free(rows);
	return 0;
}

/* Some typical ones are not slow. */
static bool is_comparable(const struct population *p)
{
	return p->slow < p->n && p->slow > (uint32_t)((uint64_t)p->n * 2 / 5);
}

/* Requests that were under way together waited for the same ones, whose parts are then found once.
 * False: no memory. */
static bool sort_places(const struct population *p, uint32_t *places, uint32_t n)
{
	struct timed *rows = malloc(((size_t)n + 1) * sizeof(*rows));
	for (uint32_t i = 0; rows && i < n; i++)
		rows[i] =
			(struct timed){ p->k->r->exchanges[p->which[places[i]]].begin, places[i] };
	if (rows && n)
		qsort(rows, n, sizeof(*rows), by_time);
	for (uint32_t i = 0; rows && i < n; i++)
		places[i] = rows[i].number;
	bool ok = rows != NULL;
	free(rows);
	return ok;
}

static bool sort_by_time(struct population *p)
{
	uint32_t n = p->n - p->slow;
	p->in_time = malloc(((size_t)n + 1) * sizeof(*p->in_time));
	for (uint32_t i = 0; p->in_time && i < n; i++)
		p->in_time[i] = p->slow + i;
	bool ok = p->in_time && sort_places(p, p->in_time, n);
	for (uint32_t c = 0; ok && c < p->like.n; c++)
		ok = sort_places(p, p->like.typical + p->like.first[c],
			p->like.first[c + 1] - p->like.first[c]);
	return ok;
}

static int find_groups(struct population *p, const struct requests_choice *choice)
{
	int rc = requests_like_find(p->k, p->f, p->which, p->n, p->slow, &p->like, p->err);
	if (rc == 0 && !sort_by_time(p))
		rc = mer_fail_nomem(p->err);
	if (rc == 0 && !choice->only)
		return requests_groups_find(
			p->k, p->f, &p->like, p->which, p->n, p->slow, &p->groups, p->err);
	p->groups.of = rc ? NULL : calloc(1, sizeof(*p->groups.of));
	p->groups.n = 1;
	return rc || p->groups.of ? rc : mer_fail_nomem(p->err);
}

int requests_explain(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t kind, const struct requests_choice *choice,
	struct requests_explanations *x, struct mer_err *err)
{
	struct requests_told told = { .k = k, .f = f };
	struct population p = {
		.k = k, .f = f, .told = &told, .kind = kind, .is_one = choice->only, .err = err
	};
	*x = (struct requests_explanations){ .kind = kind };
	int rc = sort_population(&p, which, n, choice, x);
	if (rc == 0 && is_comparable(&p)) {
		rc = requests_culprits_new(k, f, &p.finder, err);
		told.finder = p.finder;
		if (rc == 0)
			rc = find_groups(&p, choice);
		for (unsigned g = 0; rc == 0 && g < p.groups.n; g++)
			rc = explain_group(&p, g, &x->group[g], NULL);
		if (rc == 0)
			rc = join_alike(&p, x);
		for (bool more = !choice->only; rc == 0 && more;)
			rc = split_mixed(&p, x, &more);
		sort_groups(&p, x, p.groups.n);
	}
	requests_told_fini(&told);
	requests_culprits_free(p.finder);
	requests_like_fini(&p.like);
	free(p.groups.of);
	free(p.in_time);
	free(p.which);
	return rc;
}

void requests_explanations_fini(struct requests_explanations *x)
{
	for (unsigned i = 0; i < REQUESTS_GROUPS; i++)
		free_explanation(x->group[i]);
	*x = (struct requests_explanations){ 0 };
}
