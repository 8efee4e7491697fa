/* Accounts in simulated worlds: many clients of few servers, some of which hand their work on. All
 * of a task's time is told, and of what a server did no more is charged, to all clients and through
 * whomever, than it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/account.h"
#include "truth.h"

struct sums {
	struct blocked b;
	struct account_index *x;
	/* Of each task: what it did for clients, wherever in their trees; without what they say
	 * that it did for others. */
	int64_t *charged;
	size_t n;
};

static size_t number_of(const struct sums *s, uint32_t host, uint32_t task)
{
	return (size_t)s->b.hosts[host].processes + task;
}

static int64_t cpu_of(const struct kernel_host *h, uint32_t task)
{
	int64_t until = h->tasks[task].end, ns = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		ns += kernel_is_on_cpu(s->state) ? until - s->begin : 0;
		until = s->begin;
	}
	return ns;
}

static void add(struct sums *s, const struct account *a, bool is_client)
{
	int64_t all = a->nodes[0].self_ns + a->nodes[0].children_ns;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct account_node *n = &a->nodes[i];
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++) {
			assert_true(n->residual_ns[r] >= 0);
			all += n->residual_ns[r];
		}
		if (is_client && i)
			s->charged[number_of(s, n->host, n->task)] += n->self_ns - n->others_ns;
	}
	assert_int_equal(all, a->end - a->begin);
}

static int64_t check_world(const char *options, bool sync)
{
	struct subject w;
	struct sums s = { 0 };
	struct mer_err err = { 0 };
	int64_t charged = 0;
	subject_open(&w, options, sync, 2);
	assert_int_equal(blocked_find(w.w, &s.b, &err), 0);
	assert_int_equal(account_index_new(&s.b, NULL, &s.x, &err), 0);
	for (uint32_t i = 0; i < w.w->n_hosts; i++)
		s.n += w.w->hosts[i].n_tasks;
	s.charged = calloc(s.n + 1, sizeof(*s.charged));
	assert_true(s.charged);
	for (uint32_t i = 0; i < w.w->n_hosts; i++)
		for (uint32_t k = 0; k < w.w->hosts[i].n_tasks; k++) {
			struct account a;
			assert_int_equal(
				account_find(s.x, i, k, INT64_MIN, INT64_MAX, false, &a, &err), 0);
			const char *comm = kernel_comm(&w.w->hosts[i], k);
			add(&s, &a, strcmp(comm, "client") == 0);
			account_fini(&a);
		}
	for (uint32_t i = 0; i < w.w->n_hosts; i++)
		for (uint32_t k = 0; k < w.w->hosts[i].n_tasks; k++) {
			int64_t cpu = cpu_of(&w.w->hosts[i], k);
			if (s.charged[number_of(&s, i, k)] > cpu)
				fail_msg("%s: %s/%d: on a CPU for %lld ns, charged %lld", options,
					kernel_comm(&w.w->hosts[i], k),
					(int)w.w->hosts[i].tasks[k].tid, (long long)cpu,
					(long long)s.charged[number_of(&s, i, k)]);
			charged += s.charged[number_of(&s, i, k)];
		}
	free(s.charged);
	account_index_free(s.x);
	blocked_fini(&s.b);
	subject_close(&w);
	return charged;
}

static void check_seeds(const char *options, bool sync)
{
	int64_t charged = 0;
	for (unsigned seed = 1; seed <= 5; seed++) {
		char with_seed[200];
		snprintf(with_seed, sizeof(with_seed), "%s --seed %u", options, seed);
		charged += check_world(with_seed, sync);
	}
	assert_true(charged > 0);
}

static void one_host(void **state)
{
	(void)state;
	check_seeds("--statedump", false);
}

static void several_hosts(void **state)
{
	(void)state;
	check_seeds("--hosts 3 --statedump", false);
}

static void events_lost(void **state)
{
	(void)state;
	check_seeds("--hosts 2 --lost 10%", false);
}

static void wrong_clocks(void **state)
{
	(void)state;
	check_seeds("--hosts 3 --clock", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host),
		cmocka_unit_test(several_hosts),
		cmocka_unit_test(events_lost),
		cmocka_unit_test(wrong_clocks),
	};
	return cmocka_run_group_tests_name("accounts of worlds", tests, NULL, NULL);
}
