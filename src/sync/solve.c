#include "sync/solve_once.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/lower_bound.h"
#include "base/pool.h"
#include "sync/advice.h"
#include "sync/limits/between.h"
#include "sync/limits/blame.h"
#include "sync/estimate/estimate.h"
#include "sync/latency.h"
#include "sync/estimate/likely.h"
#include "sync/limits/limits.h"
#include "sync/order.h"
#include "sync/estimate/project.h"
#include "sync/rounds/count.h"

struct giving_in;

struct solve {
	const struct sync_messages *m;
	const struct sync_host_info *info;
	const struct sync_options *o;
	uint32_t n_hosts;
	double max_drift;
	struct sync_result *r;
	struct mer_arena arena; /* until the end */
	uint32_t *rank;		/* of the hosts by id */
	struct sync_pairs pairs;
	struct sync_hull **hulls; /* as pairs */
	struct sync_tree tree;
	struct sync_drift *drift;
	struct sync_net net;
	struct sync_pair_course *pair_courses; /* as pairs */
	size_t *estimated;		       /* numbers of the pairs whose course matters */
	size_t *batches, n_batches;	       /* of `estimated`: where each begins, and the end */
	struct sync_course *courses;
	enum sync_method *methods;
	bool *given; /* hosts whose course is not estimated */
	struct giving_in *groups;
	struct sync_messages all; /* m, and what pairs say (sync/limits/between.h) */
	uint8_t **out;		  /* as all's links: messages left out, or NULL */
	bool *ignored;		  /* as all's links: they contradict others */
	struct mer_err *err;
};

/* ---- Hosts in the order of their ids ---- */

struct named {
	const char *id;
	uint32_t host;
};

static int by_id(const void *a, const void *b)
{
	const struct named *p = a, *q = b;
	int c = strcmp(p->id, q->id);
	return c ? c : p->host < q->host ? -1 : p->host > q->host;
}

static const char *order_of(const struct sync_host_info *h)
{
	return h->order ? h->order : h->id ? h->id : "";
}

static int rank_hosts(struct solve *s)
{
	struct named *names = malloc((s->n_hosts + (size_t)1) * sizeof(*names));
	if (!names)
		return mer_fail_nomem(s->err);
	for (uint32_t h = 0; h < s->n_hosts; h++)
		names[h] = (struct named){ order_of(&s->info[h]), h };
	qsort(names, s->n_hosts, sizeof(*names), by_id);
	for (uint32_t i = 0; i < s->n_hosts; i++)
		s->rank[names[i].host] = i;
	free(names);
	return 0;
}

static bool any_method(const struct solve *s, enum sync_method method)
{
	for (uint32_t h = 0; h < s->n_hosts; h++)
		if (s->methods[h] == method)
			return true;
	return false;
}

/* ---- The classic line of every pair ---- */

/* The messages of a link by the later of their two times. */
static int by_later_time(
	const struct sync_link *l, struct sync_order_key *keys, size_t n, struct mer_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct sync_message *m = &l->messages[i];
		keys[i] = (struct sync_order_key){ m->sent > m->received ? m->sent : m->received,
			(uint32_t)i };
	}
	return sync_order(keys, n, err);
}

/* Adds the messages in the order of the later of their two times, as the method is defined. */
static int add_to_hull(const struct solve *s, const struct sync_pair_scan *p,
	struct sync_hull *hull, struct mer_err *err)
{
	const struct sync_link *ab = p->ab == SYNC_NO_LINK ? NULL : &s->m->links[p->ab];
	const struct sync_link *ba = p->ba == SYNC_NO_LINK ? NULL : &s->m->links[p->ba];
	size_t n_ab = ab ? ab->n : 0, n_ba = ba ? ba->n : 0;
	struct sync_order_key *forth = mer_spill_array(NULL, n_ab + n_ba, sizeof(*forth));
	if (!forth)
		return mer_fail_nomem(err);
	const struct sync_order_key *back = forth + n_ab;
	int rc = by_later_time(ab, forth, n_ab, err);
	if (rc == 0)
		rc = by_later_time(ba, forth + n_ab, n_ba, err);
	for (size_t i = 0, k = 0; i + k < n_ab + n_ba && rc == 0;) {
		bool is_forth = k == n_ba || (i < n_ab && forth[i].time <= back[k].time);
		rc = sync_hull_add(hull, is_forth,
			is_forth ? ab->messages[forth[i].index] : ba->messages[back[k].index], err);
		*(is_forth ? &i : &k) += 1;
	}
	mer_spill_release(forth);
	return rc;
}

static int find_line(struct solve *s, size_t pair, struct mer_err *err)
{
	s->hulls[pair] = sync_hull_new();
	if (!s->hulls[pair])
		return mer_fail_nomem(err);
	int rc = add_to_hull(s, &s->pairs.pairs[pair], s->hulls[pair], err);
	sync_hull_line(s->hulls[pair], &s->r->pairs[pair].line);
	return rc;
}

/* Each pair alone: its classic line, and the scan of its messages. */
static int scan_item(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	(void)worker;
	struct solve *s = ctx;
	size_t pair = i / 2;
	if (i % 2 == 0)
		return sync_pair_scan(s->m, &s->pairs, pair, s->max_drift, err);
	bool wanted = !s->o->no_lines || any_method(s, SYNC_HULL);
	return wanted ? find_line(s, pair, err) : 0;
}

/* ---- Which hosts, against which ---- */

/* With the classic method: paths with the fewest pairs that have a line, to the host whose id sorts
 * first. Else: paths with the least sum of widths. */
static int find_tree(struct solve *s)
{
	bool classic = s->o->method == SYNC_HULL;
	struct sync_edge *edges = malloc((s->pairs.n + 1) * sizeof(*edges));
	uint32_t *number = malloc((s->pairs.n + 1) * sizeof(*number));
	uint32_t *rank = calloc((size_t)s->n_hosts + 1, sizeof(*rank));
	int rc = edges && number && rank ? 0 : mer_fail_nomem(s->err);
	size_t n = 0;
	for (size_t i = 0; i < s->pairs.n && rc == 0; i++) {
		const struct sync_pair_scan *p = &s->pairs.pairs[i];
		enum sync_quality q = s->r->pairs[i].line.quality;
		if (classic && q != SYNC_ACCURATE && q != SYNC_APPROXIMATE && q != SYNC_FAIL)
			continue;
		/* Messages in one direction only are a last resort: a large width, but one that a
		 * double can sum up. Contradictory limits (< 0) count as wide as they are apart. */
		double width = isfinite(p->median) ? fmin(fabs(p->median) + 1, 1e18) : 1e20;
		edges[n] = (struct sync_edge){ p->a, p->b, classic ? 1 : width };
		number[n++] = (uint32_t)i;
	}
	if (rc == 0 && classic)
		memcpy(rank, s->rank, s->n_hosts * sizeof(*rank));
	else if (rc == 0)
		sync_blame_rank(&s->pairs, s->n_hosts, rank);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0 && !classic && s->o->is_guest; h++)
		rank[h] = 2 * rank[h] + s->o->is_guest[h];
	uint32_t wanted =
		s->o->reference_plus_1 ? (uint32_t)(s->o->reference_plus_1 - 1) : SYNC_NO_HOST;
	if (rc == 0)
		rc = sync_tree_new(edges, n, s->n_hosts, wanted, rank, &s->tree, s->err);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++)
		if (s->tree.parent[h] != SYNC_NO_HOST)
			s->tree.edge[h] = number[s->tree.edge[h]];
	free(edges);
	free(number);
	free(rank);
	return rc;
}

/* ---- What is certain ---- */

/* How far the constraints of a group of hosts had to be relaxed until its messages agreed. */
struct giving_in {
	unsigned factor; /* index in FACTORS: more drift than max_drift */
	bool alone;	 /* the additional messages of pairs (sync/limits/between.h) do not
			    count */
	bool failed;	 /* its messages do not agree at all */
};

static const double FACTORS[] = { 1, 2, 4 };
enum { N_FACTORS = sizeof(FACTORS) / sizeof(FACTORS[0]) };

static double host_rate(const struct solve *s, double factor)
{
	/* The limit per host time: max_drift is relative to reference time. */
	double r = s->max_drift / (1 - s->max_drift) * factor;
	return r > 0.5 ? 0.5 : r;
}

static void set_rates(struct solve *s)
{
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		bool reference = s->tree.parent[h] == SYNC_NO_HOST;
		double factor = FACTORS[s->groups[s->tree.group[h]].factor];
		s->drift[h].max_rate = reference ? 0 : host_rate(s, factor);
		s->drift[h].origin =
			s->info[h].span.begin == MER_NO_TIME ? 0 : s->info[h].span.begin;
	}
}

static int make_net(struct solve *s, struct mer_err *err)
{
	bool *reference = calloc((size_t)s->n_hosts + 1, sizeof(*reference));
	if (!reference)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; h < s->n_hosts; h++)
		reference[h] = s->tree.parent[h] == SYNC_NO_HOST;
	sync_net_free(&s->net);
	int rc = sync_net_new(&s->all, s->drift, reference, s->out, &s->net, err);
	free(reference);
	for (size_t i = 0, k = 0; i < s->net.n_links && rc == 0; i++, k++) {
		struct sync_net_link *l = &s->net.links[i];
		while (s->all.links[k].messages != l->messages)
			k++;
		l->skip = s->tree.group[l->from] != s->tree.group[l->to] ||
			  s->groups[s->tree.group[l->from]].failed || s->ignored[k] ||
			  (k >= s->m->n_links && s->groups[s->tree.group[l->from]].alone);
	}
	return rc;
}

static bool in_tree(const struct solve *s, uint32_t a, uint32_t b)
{
	return s->tree.parent[a] == b || s->tree.parent[b] == a;
}

/* Solves a group alone: first its tree, then each further pair that agrees with it. Links that do
 * not agree are ignored from now on. *agrees: false if not even the tree does. */
static int find_agreeing(struct solve *s, uint32_t group, bool *agrees, struct mer_err *err)
{
	enum { MAX_TRIES = 200 };
	unsigned both = SYNC_NET_HIGH | SYNC_NET_LOW;
	size_t tries = 0;
	for (size_t i = 0; i < s->net.n_links; i++)
		s->net.links[i].skip |= !in_tree(s, s->net.links[i].from, s->net.links[i].to) ||
					s->tree.group[s->net.links[i].from] != group;
	sync_net_reset(&s->net);
	int rc = sync_net_tighten(&s->net, both, 0, agrees, err);
	for (size_t i = 0, k = 0; i < s->net.n_links && rc == 0 && *agrees; i++, k++) {
		struct sync_net_link *l = &s->net.links[i];
		while (s->all.links[k].messages != l->messages)
			k++;
		if (!l->skip || s->tree.group[l->from] != group || s->tree.group[l->to] != group)
			continue;
		bool fits = false;
		if (++tries <= MAX_TRIES) {
			l->skip = false;
			sync_net_reset(&s->net);
			rc = sync_net_tighten(&s->net, both, 0, &fits, err);
			l->skip = !fits;
		}
		if (fits || rc)
			continue;
		s->ignored[k] = true;
		sync_advise_conflict(s->r, l->from, l->to, l->n);
	}
	return rc;
}

static int by_step_begin(const void *a, const void *b)
{
	const struct sync_step *p = a, *q = b;
	return p->range.begin < q->range.begin ? -1 : p->range.begin > q->range.begin;
}

/* A clock that was set back, or stood still, may look like a slewed one, but its messages then
 * contradict each other. A slew that is turned into a step excludes only the time around it, by as
 * much as the clock may have been set back. */
static int slews_to_steps(struct solve *s, uint32_t h, struct mer_err *err)
{
	struct sync_drift *d = &s->drift[h];
	size_t n = 0;
	struct sync_step *steps =
		mer_arena_zalloc(&s->arena, d->n_slews + d->n_steps, sizeof(*steps));
	if (!steps)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < d->n_steps; i++)
		steps[n++] = d->steps[i];
	for (size_t i = 0; i < d->n_slews; i++) {
		const struct sync_slew *w = &d->slews[i];
		double size = w->ppm * 1e-6 * (double)sync_sub(w->range.end, w->range.begin);
		int64_t jump = (int64_t)fmin(fmax(size, -9e18), 9e18);
		int64_t more = jump < 0 ? sync_add(-jump, 1) : 1;
		steps[n++] = (struct sync_step){
			{ sync_sub(w->range.begin, more), sync_add(w->range.end, more) }, jump
		};
	}
	qsort(steps, n, sizeof(*steps), by_step_begin);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct sync_step *last = kept ? &steps[kept - 1] : NULL;
		if (!last || steps[i].range.begin >= last->range.end) {
			steps[kept++] = steps[i];
			continue;
		}
		if (steps[i].range.end > last->range.end)
			last->range.end = steps[i].range.end;
		last->size_ns = steps[i].size_ns < last->size_ns ? steps[i].size_ns : last->size_ns;
	}
	d->steps = steps;
	d->n_steps = kept;
	d->n_slews = 0;
	return 0;
}

static bool has_slews(const struct solve *s, uint32_t group)
{
	for (uint32_t h = 0; h < s->n_hosts; h++)
		if (s->tree.group[h] == group && s->drift[h].n_slews)
			return true;
	return false;
}

/* Removes all limits of a group: nothing certain is known about its clocks. */
static void withhold(struct solve *s, uint32_t group)
{
	s->groups[group].failed = true;
	for (uint32_t h = 0; h < s->n_hosts; h++)
		if (s->tree.group[h] == group && s->tree.parent[h] != SYNC_NO_HOST)
			s->r->hosts[h].quality = SYNC_FAIL;
	sync_advise_inconsistent(s->r, group);
}

/* Tries all constraints at once. If they cannot be satisfied, the group of hosts that contradict
 * each other is relaxed step by step: without the additional messages of pairs (between.h); with
 * more drift than max_drift (each pair keeps the limit, but drift adds up over several hosts); with
 * apparent slews treated as steps; with its tree alone, and then each further pair that agrees; at
 * last without any limits. */
static int find_limits(struct solve *s, struct mer_err *err)
{
	bool consistent = false;
	int rc = sync_between(s->m, &s->pairs, &s->tree, s->max_drift, &s->arena, &s->all, err);
	s->ignored = mer_arena_zalloc(&s->arena, s->all.n_links + 1, sizeof(*s->ignored));
	s->out = mer_arena_zalloc(&s->arena, s->all.n_links + 1, sizeof(*s->out));
	if (rc == 0 && (!s->ignored || !s->out))
		rc = mer_fail_nomem(err);
	for (size_t i = 0; i < s->m->n_links && rc == 0; i++)
		s->out[i] = s->pairs.out[i];
	while (rc == 0 && !consistent) {
		set_rates(s);
		rc = make_net(s, err);
		if (rc == 0)
			rc = sync_net_tighten(
				&s->net, SYNC_NET_HIGH | SYNC_NET_LOW, 0, &consistent, err);
		if (rc || consistent)
			break;
		uint32_t group = s->tree.group[s->net.contradiction];
		struct giving_in *g = &s->groups[group];
		if (!g->alone) {
			g->alone = true;
			continue;
		}
		if (g->factor + 1 < N_FACTORS) {
			g->factor++;
			continue;
		}
		if (has_slews(s, group)) {
			for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++)
				if (s->tree.group[h] == group)
					rc = slews_to_steps(s, h, err);
			g->factor = 0;
			continue;
		}
		bool agrees;
		rc = find_agreeing(s, group, &agrees, err);
		if (rc == 0 && !agrees)
			withhold(s, group);
	}
	double factor = 1;
	for (uint32_t g = 0; g < s->tree.n_groups; g++)
		if (!s->groups[g].failed)
			factor = fmax(factor, FACTORS[s->groups[g].factor]);
	if (rc == 0 && factor > 1)
		sync_advise_drift(s->r, s->max_drift, s->max_drift * factor);
	return rc;
}

/* ---- What is plausible ---- */

/* A piece of a map as a course. */
static int from_piece(const struct trace_clock_piece *p, struct sync_course *f, struct mer_err *err)
{
	const int64_t far = (int64_t)1 << 50; /* 13 days: slopes to 1e-15 */
	struct trace_clock_map m = { p, 1 };
	int64_t end = sync_add(p->begin, far);
	*f = (struct sync_course){ 0 };
	int rc = sync_course_add(f, p->begin, (long double)p->time - p->begin, err);
	if (rc == 0)
		rc = sync_course_add(f, end, (long double)trace_map_time(&m, end) - end, err);
	return rc;
}

/* One offset for all time: in the middle between the tightest limits. */
static int constant(struct solve *s, uint32_t h, struct sync_course *f)
{
	struct sync_pair_points pts;
	int rc = sync_pair_points(s->m, &s->pairs, s->tree.edge[h], h, s->pairs.out, &pts, s->err);
	if (rc)
		return rc;
	int64_t high = INT64_MAX, low = INT64_MIN;
	for (size_t i = 0; i < pts.n_upper; i++)
		high = pts.upper[i].y < high ? pts.upper[i].y : high;
	for (size_t i = 0; i < pts.n_lower; i++)
		low = pts.lower[i].y > low ? pts.lower[i].y : low;
	int64_t at = pts.n_upper == 0	? low
		     : pts.n_lower == 0 ? high
					: low + (int64_t)(((__int128)high - low) / 2);
	*f = (struct sync_course){ 0 };
	rc = sync_course_add(f, s->info[h].span.begin, at, s->err);
	sync_points_free(&pts);
	return rc;
}

/* Courses of hosts for which the user chose another method. */
static int given_courses(struct solve *s)
{
	for (uint32_t i = 0; i < s->n_hosts; i++) {
		uint32_t h = s->tree.order[i], p = s->tree.parent[h];
		s->given[h] = p == SYNC_NO_HOST || s->methods[h] != SYNC_AUTO;
		if (p == SYNC_NO_HOST || s->methods[h] == SYNC_AUTO ||
			s->methods[h] == SYNC_REALTIME || s->methods[h] == SYNC_NONE)
			continue;
		struct sync_course f;
		int rc;
		if (s->methods[h] == SYNC_OFFSET) {
			rc = constant(s, h, &f);
		} else {
			size_t pair = s->tree.edge[h];
			struct trace_clock_piece piece;
			struct mer_err why;
			if (sync_hull_piece(
				    s->hulls[pair], s->pairs.pairs[pair].b == h, &piece, &why)) {
				sync_advise_no_line(s->r, h, why.text);
				continue;
			}
			rc = from_piece(&piece, &f, s->err);
		}
		if (rc)
			return rc;
		sync_course_free(&s->courses[h]);
		rc = sync_course_compose(&f, &s->courses[p], &s->courses[h], s->err);
		sync_course_free(&f);
		if (rc)
			return rc;
	}
	return 0;
}

/* Which pairs' courses matter, in batches for sync_estimate_pairs. */
static int make_batches(struct solve *s)
{
	enum { LEAST_PAIRS = 4, MOST_PAIRS = 32, MOST_MESSAGES = 1 << 20, EACH_THREAD = 4 };
	bool tree_only = s->pairs.n + s->tree.n_groups == s->n_hosts;
	s->estimated = mer_arena_zalloc(&s->arena, s->pairs.n + 1, sizeof(*s->estimated));
	s->batches = mer_arena_zalloc(&s->arena, s->pairs.n + 1, sizeof(*s->batches));
	if (!s->estimated || !s->batches)
		return mer_fail_nomem(s->err);
	size_t n = 0;
	for (size_t i = 0; i < s->pairs.n && any_method(s, SYNC_AUTO); i++)
		if (!tree_only || in_tree(s, s->pairs.pairs[i].a, s->pairs.pairs[i].b))
			s->estimated[n++] = i;
	/* Some for each thread, so that all threads end together; but many pairs at once are
	 * faster (smooth.c). */
	size_t threads = s->o->n_threads ? s->o->n_threads : 1, messages = 0;
	size_t share = n / threads + 1; /* the limits are an item, too */
	size_t most = threads > 1 ? share / EACH_THREAD : share;
	most = most > MOST_PAIRS ? MOST_PAIRS : most < LEAST_PAIRS ? LEAST_PAIRS : most;
	most = most > share ? share : most;
	for (size_t i = 0; i < n; i++) {
		const struct sync_pair_scan *p = &s->pairs.pairs[s->estimated[i]];
		size_t own = (p->ab == SYNC_NO_LINK ? 0 : s->m->links[p->ab].n) +
			     (p->ba == SYNC_NO_LINK ? 0 : s->m->links[p->ba].n);
		if (i == 0 || i - s->batches[s->n_batches - 1] == most ||
			messages + own > MOST_MESSAGES) {
			s->batches[s->n_batches++] = i;
			messages = 0;
		}
		messages += own;
	}
	s->batches[s->n_batches] = n;
	return 0;
}

/* Item 0: the limits of all hosts; the others: the courses of pairs. All run at the same time. */
static int course_item(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	(void)worker;
	struct solve *s = ctx;
	if (i > 0) {
		size_t first = s->batches[i - 1];
		return sync_estimate_pairs(s->m, &s->pairs, s->estimated + first,
			s->batches[i] - first, s->max_drift, s->pair_courses, err);
	}
	int rc = find_limits(s, err);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++)
		rc = sync_take_limits(&s->net, h, s->r, err);
	return rc;
}

/* Clocks that agree already stay as they are: synchronized copies are not moved again. */
static int keep_what_agrees(struct solve *s)
{
	bool *agree = mer_arena_zalloc(&s->arena, s->tree.n_groups + 1u, sizeof(*agree));
	int rc = agree ? sync_agreeing_groups(&s->pairs, s->pair_courses, &s->tree, agree, s->err)
		       : mer_fail_nomem(s->err);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++)
		if (!s->given[h] && agree[s->tree.group[h]])
			sync_course_free(&s->courses[h]);
	return rc;
}

static int project(struct solve *s)
{
	/* Rounding costs up to a nanosecond at each end. */
	static const int64_t slacks[] = { 4, 0 };
	bool consistent = false;
	for (uint32_t h = 0; h < s->n_hosts; h++)
		s->net.hosts[h].fixed = s->given[h];
	for (size_t i = 0; i < sizeof(slacks) / sizeof(slacks[0]) && !consistent; i++) {
		int rc = sync_project(&s->net, s->courses, slacks[i], &consistent, s->err);
		if (rc)
			return rc;
	}
	return 0;
}

static int make_maps(struct solve *s)
{
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		const struct sync_host_choice *c = s->o->choices ? &s->o->choices[h] : NULL;
		struct sync_course *course = &s->courses[h];
		int rc = 0;
		if (c && c->has_offset && c->offset_ns) {
			if (course->n == 0)
				rc = sync_course_add(course, s->info[h].span.begin, 0, s->err);
			for (size_t i = 0; i < course->n; i++)
				course->knots[i].off += c->offset_ns;
		}
		if (rc == 0)
			rc = sync_course_map(course, &s->r->arena, &s->r->hosts[h].map, s->err);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- The result ---- */

static bool in_step(const struct sync_host *h, int64_t t)
{
	for (size_t i = 0; i < h->n_steps; i++)
		if (t > h->steps[i].range.begin && t < h->steps[i].range.end)
			return true;
	return false;
}

/* Messages that do not count for latencies: those left out, and those at times at which a clock
 * stood still or was set back, so that its times are ambiguous. *out: malloc'ed, or NULL. */
static int leave_out(const struct solve *s, size_t link, uint8_t **out, struct mer_err *err)
{
	const struct sync_link *l = &s->m->links[link];
	const struct sync_host *from = &s->r->hosts[l->from], *to = &s->r->hosts[l->to];
	const uint8_t *left = s->pairs.out[link];
	*out = NULL;
	if (!left && from->n_steps + to->n_steps == 0)
		return 0;
	*out = malloc(l->n + 1);
	if (!*out)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < l->n; i++) {
		const struct sync_message *m = &l->messages[i];
		(*out)[i] = (left && left[i]) || in_step(from, m->sent) || in_step(to, m->received);
	}
	return 0;
}

static int measure_direction(const struct solve *s, size_t link, const struct trace_clock_map *from,
	const struct trace_clock_map *to, struct sync_direction *d, struct mer_err *err)
{
	if (link == SYNC_NO_LINK) {
		d->before.stddev = d->after.stddev = NAN;
		return 0;
	}
	const struct sync_link *l = &s->m->links[link];
	d->n_duplicates = l->n_duplicates;
	d->n_reordered = l->n_reordered;
	d->n_unmatched = l->n_unmatched;
	uint8_t *out;
	int rc = leave_out(s, link, &out, err);
	if (rc == 0)
		rc = sync_latency_of(l, NULL, NULL, NULL, &d->before, err);
	if (rc == 0)
		rc = sync_latency_of(l, out, from, to, &d->after, err);
	free(out);
	return rc;
}

static int measure_pair(struct solve *s, size_t i, struct mer_err *err)
{
	const struct sync_pair_scan *from = &s->pairs.pairs[i];
	struct sync_pair *p = &s->r->pairs[i];
	const struct trace_clock_map *a = &s->r->hosts[p->a].map, *b = &s->r->hosts[p->b].map;
	p->n_rejected = from->n_out;
	sync_count_rounds(s->m, &s->pairs, i, p);
	p->bound = (struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, 0 };
	/* Limits that contradict each other, by more than what was rounded, say nothing. */
	if (isfinite(from->max) && from->max < 9e18 && from->min > -1)
		p->bound = (struct sync_bound){ (int64_t)from->min, (int64_t)from->median,
			(int64_t)from->max, from->max_at };
	int rc = measure_direction(s, from->ab, a, b, &p->ab, err);
	return rc ? rc : measure_direction(s, from->ba, b, a, &p->ba, err);
}

static int measure_item(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	(void)worker;
	struct solve *s = ctx;
	if (i < s->pairs.n)
		return measure_pair(s, i, err);
	sync_take_bound(s->r, (uint32_t)(i - s->pairs.n));
	return 0;
}

static bool is_pair_before(
	const struct solve *s, const struct sync_pair_scan *pair, uint32_t p, uint32_t q)
{
	uint32_t a = s->rank[pair->a], b = s->rank[pair->b];
	return a < p || (a == p && b < q);
}

static size_t pair_of(const struct solve *s, uint32_t from, uint32_t to)
{
	uint32_t x = s->rank[from], y = s->rank[to], p = x < y ? x : y, q = x < y ? y : x;
	MER_LOWER_BOUND(i, 0, s->pairs.n, at, is_pair_before(s, &s->pairs.pairs[at], p, q));
	return i;
}

static int measure(struct solve *s)
{
	struct sync_result *r = s->r;
	int rc = mer_pool_run(
		s->o->n_threads, s->pairs.n + s->n_hosts, measure_item, s, s->o->cancel, s->err);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++) {
		const struct sync_host_choice *c = s->o->choices ? &s->o->choices[h] : NULL;
		s->given[h] = !s->given[h] && !(c && c->has_offset && c->offset_ns);
	}
	if (rc == 0)
		rc = sync_take_likely(r, &s->pairs, s->pair_courses, &s->tree, s->given, s->err);
	for (size_t i = 0; i < s->pairs.n && rc == 0; i++) {
		uint64_t n = r->pairs[i].ab.before.n + r->pairs[i].ba.before.n;
		r->hosts[r->pairs[i].a].n_matched += n;
		r->hosts[r->pairs[i].b].n_matched += n;
	}
	for (size_t i = 0; i < s->m->n_links && rc == 0; i++) {
		const struct sync_link *l = &s->m->links[i];
		if (l->from == l->to)
			rc = sync_latency_of(l, NULL, NULL, NULL, &r->loopback[l->from], s->err);
	}
	for (size_t i = 0, k = 0; i < s->net.n_links; i++, k++) {
		const struct sync_net_link *l = &s->net.links[i];
		while (s->all.links[k].messages != l->messages)
			k++;
		if (k >= s->m->n_links)
			break;
		r->hosts[l->from].n_used += l->n;
		r->hosts[l->to].n_used += l->n;
		r->pairs[pair_of(s, l->from, l->to)].n_used += l->n;
	}
	return rc;
}

static int begin(struct solve *s)
{
	struct sync_result *r = s->r;
	size_t n = (size_t)s->n_hosts + 1;
	r->n_hosts = s->n_hosts;
	r->method = s->o->method;
	r->max_drift_ppm = s->max_drift * 1e6;
	r->hosts = mer_arena_zalloc(&r->arena, n, sizeof(*r->hosts));
	r->counts = mer_arena_zalloc(&r->arena, n, sizeof(*r->counts));
	r->loopback = mer_arena_zalloc(&r->arena, n, sizeof(*r->loopback));
	r->references = mer_arena_zalloc(&r->arena, n, sizeof(*r->references));
	s->rank = mer_arena_zalloc(&s->arena, n, sizeof(*s->rank));
	s->drift = mer_arena_zalloc(&s->arena, n, sizeof(*s->drift));
	s->courses = mer_arena_zalloc(&s->arena, n, sizeof(*s->courses));
	s->methods = mer_arena_zalloc(&s->arena, n, sizeof(*s->methods));
	s->given = mer_arena_zalloc(&s->arena, n, sizeof(*s->given));
	s->groups = mer_arena_zalloc(&s->arena, n, sizeof(*s->groups));
	if (r->arena.failed || s->arena.failed)
		return mer_fail_nomem(s->err);
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		const struct sync_host_choice *c = s->o->choices ? &s->o->choices[h] : NULL;
		struct sync_host *host = &r->hosts[h];
		s->methods[h] = c && c->has_method ? c->method : s->o->method;
		host->name = mer_arena_strdup(&r->arena, s->info[h].name ? s->info[h].name : "");
		host->id = mer_arena_strdup(&r->arena, s->info[h].id ? s->info[h].id : "");
		host->span = s->info[h].span;
		r->loopback[h].stddev = NAN;
		if (s->m->hosts)
			r->counts[h] = s->m->hosts[h];
	}
	return r->arena.failed ? mer_fail_nomem(s->err) : 0;
}

static int go_on(const struct solve *s)
{
	return mer_cancelled(s->o->cancel) ? mer_fail(s->err, MER_ERR_CANCELLED, "cancelled") : 0;
}

static int solve(struct solve *s)
{
	struct sync_result *r = s->r;
	int rc = begin(s);
	if (rc == 0)
		rc = rank_hosts(s);
	if (rc == 0)
		rc = sync_pairs_new(s->m, s->rank, &s->pairs, s->err);
	if (rc)
		return rc;
	r->n_pairs = s->pairs.n;
	r->pairs = mer_arena_zalloc(&r->arena, s->pairs.n, sizeof(*r->pairs));
	s->hulls = mer_arena_zalloc(&s->arena, s->pairs.n + 1, sizeof(struct sync_hull *));
	s->pair_courses = mer_arena_zalloc(&s->arena, s->pairs.n + 1, sizeof(*s->pair_courses));
	if (!r->pairs || !s->hulls || !s->pair_courses)
		return mer_fail_nomem(s->err);
	for (size_t i = 0; i < s->pairs.n; i++) {
		r->pairs[i].a = s->pairs.pairs[i].a;
		r->pairs[i].b = s->pairs.pairs[i].b;
	}
	rc = mer_pool_run(s->o->n_threads, 2 * s->pairs.n, scan_item, s, s->o->cancel, s->err);
	if (rc == 0)
		rc = find_tree(s);
	if (rc)
		return rc;
	r->n_groups = s->tree.n_groups;
	for (uint32_t i = 0; i < r->n_groups; i++)
		r->references[i] = s->tree.references[i];
	for (uint32_t h = 0; h < s->n_hosts; h++) {
		r->hosts[h].group = s->tree.group[h];
		r->hosts[h].method = s->methods[h];
		r->hosts[h].quality = SYNC_ABSENT;
		r->hosts[h].via = s->tree.parent[h];
	}
	for (uint32_t i = 0; i < r->n_groups; i++)
		r->hosts[r->references[i]].quality = SYNC_REFERENCE;
	rc = sync_blame_hosts(s->m, &s->pairs, &s->tree, s->max_drift, &s->arena, s->drift, s->err);
	if (rc == 0)
		rc = given_courses(s);
	if (rc == 0)
		rc = make_batches(s);
	if (rc == 0)
		rc = mer_pool_run(
			s->o->n_threads, s->n_batches + 1, course_item, s, s->o->cancel, s->err);
	if (rc == 0)
		rc = go_on(s);
	if (rc == 0 && any_method(s, SYNC_AUTO)) {
		rc = sync_estimate(
			&s->pairs, s->pair_courses, &s->tree, s->given, s->courses, s->err);
		if (rc == 0)
			rc = keep_what_agrees(s);
		if (rc == 0)
			rc = go_on(s);
		if (rc == 0)
			rc = project(s);
	}
	if (rc == 0)
		rc = go_on(s);
	if (rc == 0)
		rc = make_maps(s);
	for (uint32_t h = 0; h < s->n_hosts && rc == 0; h++)
		if (s->methods[h] == SYNC_AUTO && r->hosts[h].n_steps)
			rc = sync_take_step_sizes(r, h, s->err);
	if (rc == 0)
		rc = measure(s);
	if (rc == 0) {
		sync_result_sort_pairs(r); /* from here on the order differs from s->pairs */
		sync_advise(r);
	}
	return rc;
}

int sync_solve_once(const struct sync_messages *m, const struct sync_host_info *hosts,
	uint32_t n_hosts, const struct sync_options *o, struct sync_result **result,
	struct mer_err *err)
{
	struct sync_result *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	mer_diags_init(&r->diags, &r->arena);
	struct solve s = {
		.m = m,
		.info = hosts,
		.o = o,
		.n_hosts = n_hosts,
		.max_drift = sync_drift_allowed(o),
		.r = r,
		.err = err,
	};
	mer_arena_init(&s.arena);
	int rc =
		s.max_drift < 0.3
			? solve(&s)
			: mer_fail(err, MER_ERR_USAGE,
				  "a clock cannot drift by %.0f ppm: the limit is below 300000 ppm",
				  s.max_drift * 1e6);
	for (size_t i = 0; s.hulls && i < s.pairs.n; i++)
		sync_hull_free(s.hulls[i]);
	for (size_t i = 0; s.pair_courses && i < s.pairs.n; i++)
		sync_pair_course_free(&s.pair_courses[i]);
	for (uint32_t h = 0; s.courses && h < n_hosts; h++)
		sync_course_free(&s.courses[h]);
	sync_pairs_free(&s.pairs);
	sync_tree_free(&s.tree);
	sync_net_free(&s.net);
	mer_arena_fini(&s.arena);
	if (rc)
		sync_result_free(r);
	else
		*result = r;
	return rc;
}
