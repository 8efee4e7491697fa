/* Own requests of recordings: what holds for each, where every request that a server answered is
 * one: from the moment when it was read to the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"
#include "requests/own.h"
#include "requests/parts.h"

static int by_begin(const void *a, const void *b)
{
	const struct analysis_whole_period *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* From when it was read to its answer, which may be another thread's. */
static size_t find_periods(const struct requests *r, struct analysis_whole_period *all)
{
	size_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		uint32_t host = requests_connection_of(r, i)->ends[REQUESTS_SERVER].host;
		if (x->reader == KERNEL_NONE || x->server_task == KERNEL_NONE ||
			x->read > x->answered)
			continue;
		const struct kernel_task *tasks = r->w->hosts[host].tasks;
		all[n++] = (struct analysis_whole_period){ .begin = x->read,
			.end = x->answered,
			.from = { host, tasks[x->reader].tid, 0, 0 },
			.to = { host, tasks[x->server_task].tid, 0, 0 } };
	}
	qsort(all, n, sizeof(*all), by_begin);
	return n;
}

static void check_parts(struct requests_parts_finder *f, const struct requests *r, uint32_t i)
{
	const struct requests_exchange *x = &r->exchanges[i];
	struct requests_parts parts = { 0 };
	struct path p;
	struct mer_err err = { 0 };
	int64_t queued = 0, t = x->begin;
	assert_int_equal(requests_parts_find(f, i, &parts, &err), 0);
	for (size_t k = 0; k < parts.n; k++) {
		const struct requests_part *s = &parts.item[k];
		assert_int_equal(s->begin, t);
		assert_true(s->end > s->begin);
		assert_true(requests_is_within(r, s->exchange, i));
		assert_true((s->of != 0) == (s->kind == REQUESTS_QUEUED));
		queued += s->kind == REQUESTS_QUEUED ? s->end - s->begin : 0;
		t = s->end;
	}
	assert_int_equal(t, x->end);
	requests_parts_fini(&parts);
	assert_int_equal(requests_path(f, i, &p, &err), 0);
	assert_int_equal(p.by_cause[PATH_QUEUED], queued);
	path_check(&p);
	path_fini(&p);
}

static void check_same(const struct requests_part *a, const struct requests_part *b)
{
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->host, b->host);
	assert_int_equal(a->task, b->task);
	assert_int_equal(a->exchange, b->exchange);
	assert_int_equal(a->of, b->of);
	assert_int_equal(a->cause, b->cause);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->packet, b->packet);
	assert_int_equal(a->wait, b->wait);
}

static void own_of(const char *name, size_t n_least)
{
	struct recording r;
	struct requests_log *log;
	struct requests *found;
	struct requests_parts_finder *before, *after;
	struct kernel_world *w;
	struct mer_err err = { 0 };
	struct requests_parts a = { 0 }, b = { 0 };
	recording_open(&r, name);
	assert_int_equal(requests_log_new(r.e->n_hosts, NULL, &log, &err), 0);
	struct kernel_world_options o = { .n_threads = 2,
		.observers = requests_log_observers(log) };
	assert_int_equal(kernel_world_build(r.e, &r.messages, r.result, &o, &w, &err), 0);
	assert_int_equal(requests_find(w, log, &found, &err), 0);
	struct analysis_whole_period *all = calloc((size_t)found->n + 1, sizeof(*all));
	struct analysis_periods periods = { .all = all, .n = find_periods(found, all) };
	assert_true(periods.n >= n_least);
	assert_int_equal(requests_parts_finder_new(found, &before, &err), 0);
	assert_int_equal(requests_add_own(found, &periods, &err), 0);
	assert_int_equal(found->n - found->n_found, periods.n);
	assert_int_equal(requests_parts_finder_new(found, &after, &err), 0);
	for (uint32_t i = 0; i < found->n; i++) {
		const struct requests_exchange *x = &found->exchanges[i];
		const struct requests_exchange *p =
			x->parent ? &found->exchanges[x->parent - 1] : NULL;
		char id[REQUESTS_ID_BYTES];
		requests_id_text(found, i, id);
		assert_int_equal(requests_by_id(found, id), i);
		if (p && requests_is_own(found, x->parent - 1))
			assert_true(p->begin <= x->begin && x->end <= p->end);
		if (requests_is_own(found, i)) {
			assert_true(!p || (p->read <= x->begin && x->end <= p->done));
			check_parts(after, found, i);
			continue;
		}
		/* Others are as they were without. */
		assert_int_equal(requests_parts_find(before, i, &a, &err), 0);
		assert_int_equal(requests_parts_find(after, i, &b, &err), 0);
		assert_int_equal(a.n, b.n);
		for (size_t k = 0; k < a.n; k++)
			check_same(&a.item[k], &b.item[k]);
	}
	requests_parts_fini(&a);
	requests_parts_fini(&b);
	requests_parts_finder_free(before);
	requests_parts_finder_free(after);
	free(all);
	requests_free(found);
	kernel_world_free(w);
	recording_close(&r);
}

#define CASE(test, name, n_least)                                                                  \
	static void test(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		own_of(name, n_least);                                                             \
	}

CASE(web_load, "lab/web-load", 2000)
CASE(web_lossy, "lab/web-lossy", 1)
CASE(shop_a, "lab/shop-a", 2000)
CASE(shop_node, "lab/shop-node", 900)
CASE(h2_mux, "lab/h2-mux", 400)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(web_load),
		cmocka_unit_test(web_lossy),
		cmocka_unit_test(shop_a),
		cmocka_unit_test(shop_node),
		cmocka_unit_test(h2_mux),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
