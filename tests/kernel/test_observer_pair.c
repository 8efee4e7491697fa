/* Two observers as one: both hear everything, the first one first, with their own contexts; a
 * failure of the first ends it. What neither hears is not told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel/events.h"
#include "kernel/observer_pair.h"

#define SIGNALS KERNEL_WANT_EVENT(SIGNAL)

struct ear {
	const struct ear *before; /* has heard it */
	unsigned n;
	int rc;
};

static int hear(struct ear *e)
{
	if (e->before)
		assert_int_equal(e->before->n, e->n + 1);
	e->n++;
	return e->rc;
}

static const struct kernel_host *const host = (const struct kernel_host *)8;

#define HEAR(name_, values_, ...)                                                                  \
	static int name_(void *ctx, const struct kernel_host *h, __VA_ARGS__)                      \
	{                                                                                          \
		assert_ptr_equal(h, host);                                                         \
		assert_true(values_); /* as they were told */                                      \
		return hear(ctx);                                                                  \
	}
HEAR(span, a == 1 && b == 2, uint32_t a, int64_t b)
HEAR(call, !x, const struct kernel_call_end *x)
HEAR(open_call, !x, const struct kernel_open_call *x)
HEAR(request, a == 1, uint32_t a)
HEAR(interrupt, !x, const struct kernel_interrupt *x)
HEAR(idle, !x, const struct kernel_idle *x)
HEAR(switched, a == 1 && b == 2, uint16_t a, int64_t b)
HEAR(woken_ready, a == 1 && b == 2 && c == 3, uint32_t a, int64_t b, uint32_t c)
HEAR(packet, !x, const struct kernel_packet_seen *x)
HEAR(migrate, a == 1 && b == 2 && c == 3 && d == 4, uint32_t a, int64_t b, uint16_t c, uint16_t d)
HEAR(merge, !x, const struct kernel_merge *x)
HEAR(event, x->kind == KERNEL_EV_SIGNAL, const struct kernel_told_event *x)

static struct kernel_observer all(struct ear *e, uint32_t wants)
{
	return (struct kernel_observer){ .ctx = e,
		.wants = wants,
		.span = span,
		.call = call,
		.open_call = open_call,
		.request = request,
		.interrupt = interrupt,
		.idle = idle,
		.switched = switched,
		.woken_ready = woken_ready,
		.packet = packet,
		.migrate = migrate,
		.merge = merge,
		.event = event };
}

/* Everything, once; the last thing that went wrong. */
static int tell(const struct kernel_observer *o, unsigned *n)
{
	const struct kernel_told_event signal = { .kind = KERNEL_EV_SIGNAL };
	int rc = 0;
#define TELL(name_, ...)                                                                           \
	if (o->name_) {                                                                            \
		int r = o->name_(o->ctx, host, __VA_ARGS__);                                       \
		rc = r ? r : rc;                                                                   \
		++*n;                                                                              \
	}
	TELL(span, 1, 2)
	TELL(call, NULL)
	TELL(open_call, NULL)
	TELL(request, 1)
	TELL(interrupt, NULL)
	TELL(idle, NULL)
	TELL(switched, 1, 2)
	TELL(woken_ready, 1, 2, 3)
	TELL(packet, NULL)
	TELL(migrate, 1, 2, 3, 4)
	TELL(merge, NULL)
	TELL(event, &signal)
	return rc;
}

static void check(bool first_hears, bool second_hears, int first_rc, int second_rc)
{
	struct ear a = { .rc = first_rc },
		   b = { .before = first_hears ? &a : NULL, .rc = second_rc };
	const struct kernel_observer first = first_hears ? all(&a, SIGNALS)
							 : (struct kernel_observer){ .wants = 1 },
				     second = second_hears ? all(&b, SIGNALS | KERNEL_WANT_MERGES)
							   : (struct kernel_observer){ .wants = 2 };
	struct kernel_observer_pairs p;
	unsigned n = 0;
	assert_true(kernel_observer_pairs_make(&p, 1, &first, &second));
	assert_int_equal(p.both[0].wants, first.wants | second.wants);
	int rc = tell(&p.both[0], &n);
	bool second_is_told = second_hears && !first_rc;
	assert_int_equal(n, first_hears || second_hears ? 12 : 0);
	assert_int_equal(a.n, first_hears ? 12 : 0);
	assert_int_equal(b.n, second_is_told ? 12 : 0);
	assert_int_equal(rc, first_rc ? first_rc : second_hears ? second_rc : 0);
	kernel_observer_pairs_fini(&p);
	assert_true(!p.listeners && !p.both);
}

static void both(void **state)
{
	(void)state;
	check(true, true, 0, 0);
	check(true, true, 5, 0);
	check(true, true, 0, 6);
	check(true, false, 0, 0);
	check(true, false, 5, 0);
	check(false, true, 0, 0);
	check(false, true, 0, 6);
	check(false, false, 0, 0);
}

/* An event goes to whom it is wanted by, whatever the other one wants. */
static void events_of_others(void **state)
{
	(void)state;
	for (unsigned wanted = 0; wanted < 4; wanted++) {
		const uint64_t other = KERNEL_WANT_EVENT(FREQUENCY) | KERNEL_WANT_RAISES;
		struct ear a = { 0 }, b = { 0 };
		const struct kernel_observer first = { .ctx = &a,
			.wants = wanted & 1 ? SIGNALS : other,
			.event = event },
					     second = { .ctx = &b,
						     .wants = wanted & 2 ? SIGNALS : other,
						     .event = event };
		struct kernel_observer_pairs p;
		unsigned n = 0;
		assert_true(kernel_observer_pairs_make(&p, 1, &first, &second));
		assert_int_equal(tell(&p.both[0], &n), 0);
		assert_true(a.n == (wanted & 1) && b.n == wanted >> 1);
		kernel_observer_pairs_fini(&p);
	}
}

static void of_several_hosts(void **state)
{
	(void)state;
	struct ear a[2] = { 0 }, b[2] = { 0 };
	const struct kernel_observer first[] = { all(&a[0], SIGNALS), all(&a[1], SIGNALS | 2) },
				     second[] = { all(&b[0], SIGNALS | 4),
					     all(&b[1], SIGNALS | 8) };
	struct kernel_observer_pairs p;
	unsigned n = 0;
	assert_true(kernel_observer_pairs_make(&p, 2, first, second));
	assert_int_equal(p.both[0].wants, SIGNALS | 4);
	assert_int_equal(p.both[1].wants, SIGNALS | 10);
	assert_int_equal(tell(&p.both[1], &n), 0);
	assert_true(a[0].n == 0 && b[0].n == 0 && a[1].n == 12 && b[1].n == 12);
	kernel_observer_pairs_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both),
		cmocka_unit_test(events_of_others),
		cmocka_unit_test(of_several_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
