/* Aligning while reading, by hand: which clocks are believed at first, and what a message moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync/match/align.h"

enum { MAX = 8 };

struct aligned {
	struct sync_align a;
	struct mer_trace traces[MAX];
	uint32_t n_traces;
};

static void trace(struct aligned *x, uint32_t host, int64_t begin, int64_t end)
{
	struct mer_trace *t = &x->traces[x->n_traces++];
	*t = (struct mer_trace){ 0 };
	t->host = host;
	t->begin = begin;
	t->end = end;
}

static void start(struct aligned *x, uint32_t n_hosts)
{
	struct mer_experiment e = {
		.n_hosts = n_hosts, .traces = x->traces, .n_traces = x->n_traces
	};
	struct mer_err err;
	assert_int_equal(sync_align_init(&x->a, &e, &err), 0);
}

static void shifts_are(const struct aligned *x, const int64_t *expected)
{
	for (uint32_t h = 0; h < x->a.n; h++)
		if (x->a.shifts[h] != expected[h])
			fail_msg("host %u: %lld", (unsigned)h, (long long)x->a.shifts[h]);
}

static enum sync_shifted message(
	struct aligned *x, uint32_t from, uint32_t to, int64_t sent, int64_t received)
{
	const struct sync_match m = {
		.found = true, .from = from, .to = to, .sent = sent, .received = received
	};
	return sync_align_by(&x->a, &m);
}

/* Of clocks that overlap, directly or by others, the most are right; the others begin together with
 * these. */
static void believed_at_first(void **state)
{
	(void)state;
	struct aligned x = { 0 };
	trace(&x, 0, 5000, 5100);
	trace(&x, 1, 100, 200);
	trace(&x, 2, 150, 400);
	trace(&x, 3, 400, 500); /* touches */
	trace(&x, 4, 501, 600); /* does not */
	trace(&x, 0, 5050, 5300);
	trace(&x, 5, MER_NO_TIME, MER_NO_TIME);
	start(&x, 6);
	shifts_are(&x, (const int64_t[]){ -4900, 0, 0, 0, -401, 0 });
	assert_int_equal(x.a.begins[0], 5000);
	assert_int_equal(x.a.begins[3], 400);
	assert_true(x.a.begins[5] == MER_NO_TIME);
	sync_align_fini(&x.a);
	/* Of equally many the first. A long one reaches over several. */
	x = (struct aligned){ 0 };
	trace(&x, 0, 900, 950);
	trace(&x, 1, 910, 920);
	trace(&x, 2, 0, 500);
	trace(&x, 3, 100, 200);
	start(&x, 4);
	shifts_are(&x, (const int64_t[]){ -900, -900, 0, 0 });
	sync_align_fini(&x.a);
	x = (struct aligned){ 0 };
	trace(&x, 0, 0, 500);
	trace(&x, 1, 10, 20);
	trace(&x, 2, 400, 410);
	trace(&x, 3, 900, 950);
	trace(&x, 4, 901, 902);
	start(&x, 5);
	shifts_are(&x, (const int64_t[]){ 0, 0, 0, -900, -900 });
	sync_align_fini(&x.a);
}

/* The first message between two groups: the smaller group moves, so that it arrives when it was
 * sent. */
static void groups_join(void **state)
{
	(void)state;
	struct aligned x = { 0 };
	for (uint32_t h = 0; h < 5; h++)
		trace(&x, h, 0, 1000);
	start(&x, 5);
	/* Of equal groups the receiver's moves. */
	assert_int_equal(message(&x, 0, 1, 500, 200), SYNC_MANY_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 0, 300, 0, 0, 0 });
	/* A single host, whether it sends or receives. */
	assert_int_equal(message(&x, 2, 1, 900, 100), SYNC_MANY_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 0, 300, -500, 0, 0 });
	assert_int_equal(message(&x, 3, 4, 10, 20), SYNC_MANY_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 0, 300, -500, 0, -10 });
	/* All of a group move together: 4 received at 100 - 10, sent at 1000 by host 0. */
	assert_int_equal(message(&x, 0, 4, 1000, 100), SYNC_MANY_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 0, 300, -500, 910, 900 });
	/* From now on they are one: late messages change nothing, early ones both hosts alone. */
	assert_int_equal(message(&x, 3, 2, 0, 5000), SYNC_NOT_SHIFTED);
	assert_int_equal(message(&x, 3, 2, 0, 1410), SYNC_NOT_SHIFTED);
	assert_int_equal(message(&x, 3, 2, 0, 1403), SYNC_TWO_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 0, 300, -496, 907, 900 });
	/* A host does not contradict itself. */
	assert_int_equal(message(&x, 1, 1, 100, 50), SYNC_NOT_SHIFTED);
	sync_align_fini(&x.a);
}

/* Damaged times stop at the ends. */
static void any_times(void **state)
{
	(void)state;
	struct aligned x = { 0 };
	trace(&x, 0, INT64_MIN + 1, INT64_MIN + 2);
	trace(&x, 1, INT64_MAX - 1, INT64_MAX);
	trace(&x, 2, INT64_MAX - 1, INT64_MAX);
	start(&x, 3);
	shifts_are(&x, (const int64_t[]){ INT64_MAX, 0, 0 });
	message(&x, 1, 2, INT64_MAX, INT64_MIN);
	message(&x, 1, 2, INT64_MAX, INT64_MIN);
	assert_true(x.a.shifts[2] == INT64_MAX);
	assert_true(sync_common_time(&x.a, 2, 5) == INT64_MAX);
	sync_align_fini(&x.a);
}

/* Read again: those that found no message begin with the first of the others. */
static void again(void **state)
{
	(void)state;
	struct aligned x = { 0 };
	trace(&x, 0, 100, 1000);
	trace(&x, 1, 200, 1000);
	trace(&x, 2, 300, 1000);
	trace(&x, 3, MER_NO_TIME, MER_NO_TIME);
	start(&x, 4);
	message(&x, 1, 0, 700, 500); /* 0 moves by 200: begins at 300; 1 begins at 200 */
	shifts_are(&x, (const int64_t[]){ 200, 0, 0, 0 });
	sync_align_again(&x.a, (const bool[]){ false, false, true, true });
	shifts_are(&x, (const int64_t[]){ 200, 0, -100, 0 });
	/* Groups are single hosts again. */
	assert_int_equal(message(&x, 1, 0, 700, 600), SYNC_MANY_SHIFTED);
	shifts_are(&x, (const int64_t[]){ 100, 0, -100, 0 });
	/* All are lost: they begin together, where the first of them does. */
	sync_align_again(&x.a, (const bool[]){ true, true, true, true });
	shifts_are(&x, (const int64_t[]){ 100, 0, -100, 0 });
	x.a.shifts[0] = 7;
	sync_align_again(&x.a, (const bool[]){ true, true, true, true });
	shifts_are(&x, (const int64_t[]){ 7, -93, -193, 0 });
	sync_align_fini(&x.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(believed_at_first),
		cmocka_unit_test(groups_join),
		cmocka_unit_test(any_times),
		cmocka_unit_test(again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
