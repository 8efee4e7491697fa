/* What requests of recordings cost: all of them, and what was done for none, add up to what the
 * tasks of all hosts used, to the ns and the byte, in any part of the time and for any number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/observer_pair.h"
#include "path/usage.h"
#include "recording.h"
#include "requests/cost.h"

struct case_of {
	struct recording recording;
	struct kernel_world *w;
	struct usage *u;
	struct requests *r;
	struct requests_parts_finder *f;
};

static void open_case(struct case_of *c, const char *name, unsigned n_threads)
{
	struct requests_log *log;
	struct mer_err err = { 0 };
	struct kernel_observer_pairs pairs;
	recording_open(&c->recording, name);
	uint32_t n = c->recording.e->n_hosts;
	assert_int_equal(requests_log_new(n, NULL, &log, &err), 0);
	assert_int_equal(usage_new(n, NULL, &c->u, &err), 0);
	assert_true(kernel_observer_pairs_make(
		&pairs, n, requests_log_observers(log), usage_observers(c->u)));
	struct kernel_world_options o = { .n_threads = n_threads, .observers = pairs.both };
	assert_int_equal(kernel_world_build(c->recording.e, &c->recording.messages,
				 c->recording.result, &o, &c->w, &err),
		0);
	kernel_observer_pairs_fini(&pairs);
	assert_int_equal(usage_settle(c->u, c->w, &err), 0);
	assert_int_equal(requests_find(c->w, log, &c->r, &err), 0);
	assert_int_equal(requests_parts_finder_new(c->r, &c->f, &err), 0);
}

static void close_case(struct case_of *c)
{
	requests_parts_finder_free(c->f);
	requests_free(c->r);
	usage_free(c->u);
	kernel_world_free(c->w);
	recording_close(&c->recording);
}

/* What all tasks used, without any request. */
static struct requests_cost spent(const struct case_of *c, int64_t begin, int64_t end)
{
	struct requests_cost sum = { 0 };
	for (uint32_t host = 0; host < c->w->n_hosts; host++) {
		const struct kernel_host *h = &c->w->hosts[host];
		for (uint32_t t = 0; t < h->n_tasks; t++) {
			int64_t span_end = kernel_task_end(h, t);
			for (unsigned k = 0; k < USAGE_N_KINDS; k++)
				sum.used[k] += usage_of(c->u, host, t, (enum usage_kind)k,
					begin == INT64_MIN ? begin : begin - 1,
					end == INT64_MAX ? end : end - 1);
			for (uint32_t i = h->tasks[t].last; i != KERNEL_NONE;) {
				const struct kernel_span *s = kernel_span(h, i);
				int64_t from = s->begin > begin ? s->begin : begin;
				int64_t to = span_end < end ? span_end : end;
				int64_t ns =
					to > from && kernel_is_on_cpu(s->state) ? to - from : 0;
				sum.cpu_ns += ns;
				sum.interrupted_ns += s->state == KERNEL_INTERRUPTED ? ns : 0;
				span_end = s->begin;
				i = s->before;
			}
		}
	}
	return sum;
}

struct sums {
	const struct case_of *c;
	struct requests_cost all, none;
	struct requests_cost *of; /* by exchange */
};

static bool add(void *ctx, const struct requests_charge *x)
{
	struct sums *s = ctx;
	assert_true(x->cost.cpu_ns >= x->cost.interrupted_ns && x->cost.interrupted_ns >= 0);
	assert_true(x->exchange <= s->c->r->n);
	requests_cost_add(&s->all, &x->cost);
	requests_cost_add(x->exchange ? &s->of[x->exchange - 1] : &s->none, &x->cost);
	return true;
}

static void sum_up(const struct case_of *c, int64_t begin, int64_t end, struct sums *s)
{
	struct mer_err err = { 0 };
	*s = (struct sums){ .c = c, .of = calloc((size_t)c->r->n + 1, sizeof(*s->of)) };
	assert_int_equal(requests_charge(c->f, c->r, c->u, begin, end, add, s, &err), 0);
	struct requests_cost expected = spent(c, begin, end);
	assert_memory_equal(&s->all, &expected, sizeof(expected));
}

/* What a request and those below it cost is the total of its tree. */
static void check_tree(const struct case_of *c, const struct sums *s, uint32_t exchange)
{
	struct requests_cost whole = { 0 };
	struct account a;
	struct mer_err err = { 0 };
	int rc = requests_account(c->f, c->r, c->u, exchange, &a, &err);
	for (uint32_t i = 0; i < c->r->n; i++)
		if (requests_is_within(c->r, i, exchange))
			requests_cost_add(&whole, &s->of[i]);
	if (rc == 0) {
		assert_int_equal(a.nodes[0].self_ns + a.nodes[0].children_ns, whole.cpu_ns);
		for (unsigned k = 0; k < USAGE_N_KINDS; k++)
			assert_int_equal(
				a.nodes[0].used[k] + a.nodes[0].children_used[k], whole.used[k]);
	}
	account_fini(&a);
}

static void costs_of(const char *name, bool has_requests)
{
	struct case_of c, one;
	struct sums s, part, again;
	open_case(&c, name, 4);
	sum_up(&c, INT64_MIN, INT64_MAX, &s);
	assert_true(!has_requests || s.none.cpu_ns < s.all.cpu_ns);
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (uint32_t i = 0; i < c.w->n_hosts; i++) {
		begin = c.w->hosts[i].begin < begin ? c.w->hosts[i].begin : begin;
		end = c.w->hosts[i].end > end ? c.w->hosts[i].end : end;
	}
	/* Parts of the time add up, too. */
	struct requests_cost parts = { 0 };
	for (int i = 0; i < 3; i++) {
		int64_t third = (end - begin) / 3;
		sum_up(&c, i ? begin + i * third : INT64_MIN,
			i < 2 ? begin + (i + 1) * third : INT64_MAX, &part);
		requests_cost_add(&parts, &part.all);
		free(part.of);
	}
	assert_memory_equal(&parts, &s.all, sizeof(parts));
	for (uint32_t i = 0; i < c.r->n; i += c.r->n / 40 + 1)
		check_tree(&c, &s, i);
	open_case(&one, name, 1);
	sum_up(&one, INT64_MIN, INT64_MAX, &again);
	assert_int_equal(one.r->n, c.r->n);
	assert_memory_equal(again.of, s.of, c.r->n * sizeof(*s.of));
	free(again.of);
	free(s.of);
	close_case(&one);
	close_case(&c);
}

#define CASE(test, name, has_requests)                                                             \
	static void test(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		costs_of(name, has_requests);                                                      \
	}

CASE(shop_a, "lab/shop-a", true)
CASE(web_load, "lab/web-load", true)
CASE(web_lossy, "lab/web-lossy", true)
CASE(shop_node, "lab/shop-node", true)
CASE(h2_mux, "lab/h2-mux", true)
CASE(mpi, "lab/mpi-3vm", false)
CASE(ipc_zoo, "lab/ipc-zoo", true)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shop_a),
		cmocka_unit_test(web_load),
		cmocka_unit_test(web_lossy),
		cmocka_unit_test(shop_node),
		cmocka_unit_test(h2_mux),
		cmocka_unit_test(mpi),
		cmocka_unit_test(ipc_zoo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
