#include "requests_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/grow.h"
#include "path_check.h"
#include "requests/culprits.h"
#include "requests/parts.h"
#include "requests/pieces.h"

/* Of one connection they do not overlap. */
static void check_order(const struct requests *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		char id[REQUESTS_ID_BYTES];
		requests_id_text(r, i, id);
		assert_int_equal(requests_by_id(r, id), i);
		assert_true(x->begin <= x->sent && x->sent <= x->end);
		assert_true(x->n_messages >= 1);
		assert_true(x->confidence >= 0 && x->confidence <= 1);
		if (i > 0 && x->connection == x[-1].connection)
			assert_true(x[-1].end <= x->begin);
		if (!x->parent)
			continue;
		/* It was served on the host, and open, when this one was sent. */
		const struct requests_exchange *p = &r->exchanges[x->parent - 1];
		assert_int_equal(
			requests_connection_of(r, x->parent - 1)->ends[REQUESTS_SERVER].host,
			requests_connection_of(r, i)->ends[REQUESTS_CLIENT].host);
		assert_true(p->read <= x->begin && x->end <= p->done);
		assert_true(p->begin <= x->begin && x->end <= p->end);
	}
}

/* What a task did on the path is among what it did for the request. Looks at all actions of each
 * host: of some requests only. */
enum { PIECES_STEP = 4 };
static void check_pieces(struct requests_parts_finder *f, const struct requests *r, uint32_t i,
	const struct requests_parts *parts)
{
	const struct requests_exchange *x = &r->exchanges[i];
	struct requests_piece *p;
	struct mer_err err = { 0 };
	size_t n;
	assert_int_equal(requests_pieces_find(f, r, i, &p, &n, &err), 0);
	for (size_t k = 0; k < n; k++) {
		assert_true(p[k].begin >= x->begin && p[k].begin <= p[k].end && p[k].end <= x->end);
		assert_true(!k || p[k].host != p[k - 1].host || p[k].task != p[k - 1].task ||
			    p[k].begin >= p[k - 1].end);
	}
	for (size_t m = 0; m < parts->n; m++) {
		const struct requests_part *s = &parts->item[m];
		int64_t left = s->end - s->begin;
		if (s->kind == REQUESTS_QUEUED || s->task == KERNEL_NONE ||
			s->begin < r->w->hosts[s->host].tasks[s->task].begin)
			continue;
		for (size_t k = 0; k < n; k++) {
			int64_t from = p[k].begin > s->begin ? p[k].begin : s->begin;
			int64_t to = p[k].end < s->end ? p[k].end : s->end;
			if (p[k].host == s->host && p[k].task == s->task && from < to)
				left -= to - from;
		}
		assert_int_equal(left, 0);
	}
	free(p);
}

/* Parts and the path say the same of each cause, in both kinds of lists. */
static void same_causes(
	const struct path *p, const struct requests_parts *parts, const int64_t sums[])
{
	int64_t by_cause[PATH_N_CAUSES] = { 0 }, ns = 0;
	for (size_t k = 0; k < parts->n; k++) {
		const struct requests_part *s = &parts->item[k];
		by_cause[s->kind == REQUESTS_QUEUED ? PATH_QUEUED : s->cause] += s->end - s->begin;
	}
	assert_memory_equal(by_cause, p->by_cause, sizeof(by_cause));
	for (int i = 0; i < REQUESTS_N_PARTS; i++)
		ns += sums[i];
	assert_int_equal(ns, p->end - p->begin);
}

static void check_parts(const struct requests *r)
{
	struct requests_parts_finder *f;
	struct mer_err err = { 0 };
	struct requests_parts parts = { 0 };
	assert_int_equal(requests_parts_finder_new(r, &f, &err), 0);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		struct path p;
		int64_t sums[REQUESTS_N_PARTS] = { 0 };
		assert_int_equal(requests_parts_sum(f, i, sums, &err), 0);
		assert_int_equal(requests_parts_find(f, i, &parts, &err), 0);
		assert_int_equal(parts.item[0].begin, x->begin);
		for (size_t k = 0; k < parts.n; k++) {
			const struct requests_part *s = &parts.item[k];
			assert_true(s->end > s->begin);
			assert_true(k == 0 || s->begin == s[-1].end);
			assert_true((s->of != 0) == (s->kind == REQUESTS_QUEUED));
			assert_int_not_equal(s->of, i + 1);
		}
		assert_int_equal(parts.item[parts.n - 1].end, x->end);
		if (i % PIECES_STEP == 0)
			check_pieces(f, r, i, &parts);
		assert_int_equal(requests_path(f, i, &p, &err), 0);
		same_causes(&p, &parts, sums);
		path_check(&p);
		path_fini(&p);
	}
	requests_parts_fini(&parts);
	requests_parts_finder_free(f);
}

static void same_parts(const struct requests_part *a, const struct requests_part *b)
{
	assert_true(a->begin == b->begin && a->end == b->end);
	assert_true(a->host == b->host && a->task == b->task && a->exchange == b->exchange);
	assert_true(a->of == b->of && a->cause == b->cause && a->kind == b->kind);
	assert_true(a->in_flight == b->in_flight && a->packet == b->packet);
	assert_true(a->span == b->span && a->depth == b->depth && a->wait == b->wait);
}

/* Of these alone, found with what happened meanwhile: as with all. */
static void check_some(struct requests_parts_finder *all, const struct requests *r,
	const uint32_t *which, uint32_t n)
{
	struct requests_parts_finder *f;
	struct mer_err err = { 0 };
	struct requests_parts whole = { 0 }, part = { 0 };
	if (n == 0)
		return;
	assert_int_equal(requests_parts_finder_of(r, which, n, &f, &err), 0);
	for (uint32_t i = 0; i <= n; i++) {
		int64_t sums[2][REQUESTS_N_PARTS] = { 0 };
		/* One of another time last, which is added. */
		uint32_t exchange = i < n ? which[i] : (which[0] + r->n / 2) % r->n;
		if (i == n)
			assert_true(requests_parts_finder_add(f, exchange));
		assert_int_equal(requests_parts_find_each(all, exchange, &whole, &err), 0);
		assert_int_equal(requests_parts_find_each(f, exchange, &part, &err), 0);
		assert_int_equal(whole.n, part.n);
		for (size_t k = 0; k < whole.n; k++)
			same_parts(&whole.item[k], &part.item[k]);
		assert_int_equal(requests_parts_find(all, exchange, &whole, &err), 0);
		assert_int_equal(requests_parts_find(f, exchange, &part, &err), 0);
		assert_int_equal(whole.n, part.n);
		for (size_t k = 0; k < whole.n; k++)
			same_parts(&whole.item[k], &part.item[k]);
		assert_int_equal(requests_parts_sum(all, exchange, sums[0], &err), 0);
		assert_int_equal(requests_parts_sum(f, exchange, sums[1], &err), 0);
		assert_memory_equal(sums[0], sums[1], sizeof(sums[0]));
	}
	requests_parts_fini(&whole);
	requests_parts_fini(&part);
	requests_parts_finder_free(f);
}

struct told { /* culprits of all parts of a request */
	struct requests_culprit *item;
	size_t n, cap;
};

static bool tell(void *ctx, const struct requests_culprit *c)
{
	struct told *t = ctx;
	assert_true(mer_grow(&t->item, t->n, &t->cap, sizeof(*t->item)));
	t->item[t->n++] = *c;
	return true;
}

static void find_culprits(const struct requests_kinds *k, struct requests_parts_finder *f,
	uint32_t exchange, struct told *t)
{
	struct requests_culprits *x;
	struct requests_parts parts = { 0 };
	struct mer_err err = { 0 };
	assert_int_equal(requests_culprits_new(k, f, &x, &err), 0);
	assert_int_equal(requests_parts_find_each(f, exchange, &parts, &err), 0);
	for (size_t i = 0; i < parts.n; i++)
		assert_true(requests_culprits_of(x, &parts.item[i], tell, t));
	requests_parts_fini(&parts);
	requests_culprits_free(x);
}

static void same_culprits(const struct requests_culprit *a, const struct requests_culprit *b)
{
	assert_true(a->host == b->host && a->task == b->task && a->ns == b->ns);
	assert_true(a->kind == b->kind && a->example == b->example && a->call == b->call);
	assert_true(a->object == b->object && a->number == b->number && a->bytes == b->bytes);
	assert_true(a->count == b->count && a->deed == b->deed && a->cause == b->cause);
	assert_true(a->meanwhile == b->meanwhile && a->via == b->via);
	assert_true(a->is_write == b->is_write && a->is_later == b->is_later);
	assert_true(a->is_slowing == b->is_slowing && a->at_kind == b->at_kind);
	assert_true(a->at_host == b->at_host && a->at_task == b->at_task);
	assert_int_equal(a->at_exchange, b->at_exchange);
}

/* Who was behind what a request waited for may have begun before it, or be another request: they
 * are those that are known with all. */
static void check_culprits(struct requests_parts_finder *all, const struct requests *r)
{
	enum { SINGLE = 200 };
	struct requests_kinds kinds;
	struct mer_err err = { 0 };
	assert_int_equal(requests_kinds_find(r, &kinds, &err), 0);
	for (uint32_t i = 0; i < r->n; i += r->n / SINGLE + 1) {
		struct told whole = { 0 }, part = { 0 };
		struct requests_parts_finder *f;
		assert_int_equal(requests_parts_finder_of(r, &i, 1, &f, &err), 0);
		find_culprits(&kinds, all, i, &whole);
		find_culprits(&kinds, f, i, &part);
		assert_int_equal(whole.n, part.n);
		for (size_t k = 0; k < whole.n; k++)
			same_culprits(&whole.item[k], &part.item[k]);
		requests_parts_finder_free(f);
		free(whole.item);
		free(part.item);
	}
	requests_kinds_fini(&kinds);
}

/* One by one, and those of parts of the time: each as with all. */
static void check_windows(const struct requests *r)
{
	enum { SINGLE = 25, WINDOWS = 5 };
	struct requests_parts_finder *all;
	struct mer_err err = { 0 };
	uint32_t *which = calloc((size_t)r->n + 1, sizeof(*which));
	int64_t begin = INT64_MAX, end = INT64_MIN;
	assert_non_null(which);
	if (r->n == 0) {
		free(which);
		return;
	}
	assert_int_equal(requests_parts_finder_new(r, &all, &err), 0);
	for (uint32_t i = 0; i < r->n; i += r->n / SINGLE + 1)
		check_some(all, r, &i, 1);
	for (uint32_t i = 0; i < r->n; i++) {
		begin = r->exchanges[i].begin < begin ? r->exchanges[i].begin : begin;
		end = r->exchanges[i].begin > end ? r->exchanges[i].begin : end;
	}
	for (int k = 0; k < WINDOWS; k++) {
		int64_t from = begin + (end - begin) / WINDOWS * k;
		int64_t until = from + (end - begin) / WINDOWS / (k % 4 + 1);
		uint32_t n = 0;
		for (uint32_t i = 0; i < r->n; i++)
			if (r->exchanges[i].begin >= from && r->exchanges[i].begin < until)
				which[n++] = i;
		check_some(all, r, which, n);
	}
	check_culprits(all, r);
	requests_parts_finder_free(all);
	free(which);
}

void requests_check(const struct requests *r)
{
	check_order(r);
	check_parts(r);
	check_windows(r);
}

struct kernel_world *requests_check_find(
	const struct recording *r, const struct sync_result *result, struct requests **found)
{
	struct requests_log *log;
	struct kernel_world *w;
	struct mer_err err = { 0 };
	assert_int_equal(requests_log_new(r->e->n_hosts, NULL, &log, &err), 0);
	struct kernel_world_options o = { .n_threads = 2,
		.observers = requests_log_observers(log) };
	assert_int_equal(kernel_world_build(r->e, &r->messages, result, &o, &w, &err), 0);
	assert_int_equal(requests_find(w, log, found, &err), 0);
	return w;
}
