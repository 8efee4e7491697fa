/* Bridges: who set off what came to a host, through interrupts that only answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernel/world.h"

enum { A, B, C, N_HOSTS };

struct fixture {
	struct kernel_host hosts[N_HOSTS];
	struct kernel_bridge bridges[100];
	struct kernel_world w;
};

/* Each host has one task with one span, from 0 on. */
static void open_fixture(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	for (uint32_t i = 0; i < N_HOSTS; i++) {
		kernel_host_init(&f->hosts[i]);
		uint32_t task = kernel_add_task(&f->hosts[i], 10, 0);
		struct kernel_span s = {
			.task = task, .call = KERNEL_NONE, .by = KERNEL_NONE, .source = KERNEL_NONE
		};
		assert_int_equal(kernel_add_span(&f->hosts[i], &s), 0);
	}
	f->w.hosts = f->hosts;
	f->w.n_hosts = N_HOSTS;
	f->w.bridges = f->bridges;
}

static void close_fixture(struct fixture *f)
{
	for (uint32_t i = 0; i < N_HOSTS; i++)
		kernel_host_fini(&f->hosts[i]);
}

static uint32_t add(struct fixture *f, uint32_t from, int64_t sent, uint32_t span, uint32_t to,
	int64_t received, uint32_t answers)
{
	f->bridges[f->w.n_bridges] = (struct kernel_bridge){
		.from = { .time = sent, .host = from, .span = span },
		.to = { .time = received, .host = to, .span = KERNEL_NONE },
		.answers = answers,
	};
	return f->w.n_bridges++;
}

static void is_of(const struct fixture *f, uint32_t host, uint32_t bridge, int64_t end,
	uint32_t by_host, int64_t asked)
{
	struct kernel_waker by = { .asked = end };
	assert_true(kernel_bridge_origin(&f->w, host, bridge, &by));
	assert_int_equal(by.host, by_host);
	assert_int_equal(by.task, 0);
	assert_int_equal(by.span, 0);
	assert_int_equal(by.asked, asked);
}

static void is_of_nobody(const struct fixture *f, uint32_t host, uint32_t bridge, int64_t end)
{
	struct kernel_waker by = { .asked = end };
	assert_false(kernel_bridge_origin(&f->w, host, bridge, &by));
}

static void through_answers(void **state)
{
	(void)state;
	struct fixture f;
	open_fixture(&f);
	uint32_t asks = add(&f, A, 10, 0, B, 20, KERNEL_NONE);
	uint32_t passes_on = add(&f, B, 30, KERNEL_NONE, C, 40, asks);
	uint32_t answers = add(&f, C, 50, KERNEL_NONE, A, 60, passes_on);
	is_of(&f, B, asks, 25, A, 10);
	is_of(&f, C, passes_on, INT64_MAX, A, 10);
	is_of(&f, A, answers, 60, A, 10);
	/* It came to another host, or after that. */
	is_of_nobody(&f, B, answers, 60);
	is_of_nobody(&f, A, answers, 59);
	is_of_nobody(&f, A, KERNEL_NONE, 60);
	/* What it is said to answer came later, or elsewhere. */
	f.bridges[passes_on].to.time = 51;
	is_of_nobody(&f, A, answers, 60);
	f.bridges[passes_on].to.time = 50;
	is_of(&f, A, answers, 60, A, 10);
	f.bridges[passes_on].to.host = B;
	is_of_nobody(&f, A, answers, 60);
	/* Nobody knows what it answers. */
	is_of_nobody(&f, A, add(&f, B, 70, KERNEL_NONE, A, 80, KERNEL_NONE), 90);
	/* Held back: its task had asked when that span began. */
	uint32_t held = add(&f, B, 70, 0, A, 80, KERNEL_NONE);
	f.bridges[held].was_held = true;
	is_of(&f, A, held, 90, B, 0);
	close_fixture(&f);
}

/* Each answers the one before, all at one time: followed only so far. */
static void without_end(void **state)
{
	(void)state;
	struct fixture f;
	open_fixture(&f);
	for (uint32_t i = 0; i < 100; i++)
		add(&f, i % 2, 5, i ? KERNEL_NONE : 0, 1 - i % 2, 5, i ? i - 1 : KERNEL_NONE);
	is_of(&f, A, 63, 5, A, 5);
	is_of_nobody(&f, B, 64, 5);
	f.bridges[1].answers = 1;
	is_of_nobody(&f, A, 99, 5);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_answers),
		cmocka_unit_test(without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
