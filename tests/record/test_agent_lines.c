/* Lines of an agent (record/agents.h), each rule by itself: which answers become rounds, which
 * rounds stay when there are too many, and how many beacons were answered. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "record/agents.h"

#define S INT64_C(1000000000)

/* Reads the text at that time. */
static void hear(struct record_host *h, const char *text, int64_t now_ns)
{
	h->parsed = 0;
	record_agent_read(h, text, strlen(text), now_ns);
	assert_int_equal(h->parsed, strlen(text));
}

/* "ASKED ARRIVED REALTIME LEFT ANSWERED; " of each round. */
static void rounds_are(struct record_host *h, const char *expected)
{
	struct mer_str s = { 0 };
	mer_str_puts(&s, "");
	for (size_t i = 0; i < h->n_rounds; i++) {
		const struct record_round *x = &h->rounds[i];
		mer_str_printf(&s, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "; ",
			x->asked, x->arrived, x->arrived_realtime, x->left, x->answered);
	}
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

/* What one line becomes that answers the question of 5000 at 5000 + 9 s. */
static void becomes(const char *line, const char *expected)
{
	struct record_host h = { .most_rounds = 4, .asked_ns = 5000 };
	hear(&h, line, 5000 + 9 * S);
	rounds_are(&h, expected);
	free(h.rounds);
}

static void a_round(void **state)
{
	(void)state;
	becomes("t 5000 12.000000034 1700000000.000000007 12.000000035\n",
		"5000 12000000034 1700000000000000007 12000000035 9000005000; ");
	/* Not a line yet; more behind it, less, or something else between the times. */
	struct record_host h = { .most_rounds = 4, .asked_ns = 5000 };
	record_agent_read(&h, "t 5000 1 2 3", 12, 6000);
	assert_true(h.parsed == 0 && h.n_rounds == 0 && h.asked_ns == 5000);
	becomes("t 5000 1 2 3 \n", "");
	becomes("t 5000 1 2\n", "");
	becomes("t 5000 1 2 \n", "");
	becomes("t 5000 1  2 3\n", "");
	becomes("t 5000 1 -2 3\n", "");
	becomes("t 5000 1 2,5 3\n", "");
	becomes("u 5000 1 2 3\n", "");
	becomes("t5000 1 2 3\n", "");
	/* A line that no agent writes is passed over, however long it is. */
	char text[400];
	snprintf(text, sizeof(text), "t 5000 1 2 %0300d\nt 5000 1 2 3\n", 3);
	becomes(text, "5000 1000000000 2000000000 3000000000 9000005000; ");
}

static void digits(void **state)
{
	(void)state;
	/* Fewer than nine are tenths, hundredths, ...; what is finer than 1 ns is cut. */
	becomes("t 5000 1.5 2.25 3.123456789\n",
		"5000 1500000000 2250000000 3123456789 9000005000; ");
	becomes("t 5000 1. 2 3.0000000019999\n",
		"5000 1000000000 2000000000 3000000001 9000005000; ");
	/* The largest time, and one too large: in its nanoseconds, its seconds, its digits. */
	becomes("t 5000 1 9223372036.854775807 1\n",
		"5000 1000000000 9223372036854775807 1000000000 9000005000; ");
	becomes("t 5000 1 9223372036.854775808 1\n", "");
	becomes("t 5000 1 9223372037 1\n", "");
	becomes("t 5000 1 9223372036854775808 1\n", "");
	becomes("t 5000 1 92233720368547758070 1\n", "");
}

static void questions(void **state)
{
	(void)state;
	struct record_host h = { .most_rounds = 4, .asked_ns = 5000 };
	/* The answer to one that was given up: the last one is still open. */
	hear(&h, "t 4000 1 1 1\n", 6000);
	rounds_are(&h, "");
	assert_int_equal(h.asked_ns, 5000);
	hear(&h, "t 5000 1 1 1\n", 7000);
	rounds_are(&h, "5000 1000000000 1000000000 1000000000 7000; ");
	assert_int_equal(h.asked_ns, 0);
	/* Twice, and when nothing was asked. */
	hear(&h, "t 5000 2 2 2\nt 0 2 2 2\n", 8000);
	assert_int_equal(h.n_rounds, 1);
	/* An answer that is none closes its question all the same. */
	h.asked_ns = 9000;
	hear(&h, "t 9000 nonsense\n", 10000);
	assert_true(h.asked_ns == 0 && h.n_rounds == 1);
	free(h.rounds);
}

/* Rounds that cannot have been. */
static void impossible(void **state)
{
	(void)state;
	becomes("t 5000 3 1 3\n", "5000 3000000000 1000000000 3000000000 9000005000; ");
	becomes("t 5000 3 1 2.999999999\n", ""); /* left before it arrived */
	/* Longer there than until the answer was here. */
	becomes("t 5000 3 1 12\n", "5000 3000000000 1000000000 12000000000 9000005000; ");
	becomes("t 5000 3 1 12.000000001\n", "");
	/* Answered before it was asked. */
	struct record_host h = { .most_rounds = 4, .asked_ns = 5000 };
	hear(&h, "t 5000 1 1 1\n", 4999);
	rounds_are(&h, "");
}

/* When there is no room the quicker of each two neighbours stays, and there is room again. */
static void thinned(void **state)
{
	static const int64_t took[] = { 20, 10, 30, 40, 50, 60, 7, 7 };
	struct record_host h = { .most_rounds = 4 };
	struct mer_str kept = { 0 };
	char line[64];
	(void)state;
	for (int i = 0; i < 8; i++) {
		int64_t asked = 1000 * (i + 1);
		h.asked_ns = asked;
		/* 100 ns there do not count. */
		snprintf(line, sizeof(line), "t %" PRId64 " 1 1 1.0000001\n", asked);
		hear(&h, line, asked + 100 + took[i]);
		mer_str_printf(&kept, "%d:", i);
		for (size_t k = 0; k < h.n_rounds; k++)
			mer_str_printf(&kept, " %d", (int)(h.rounds[k].asked / 1000) - 1);
		mer_str_puts(&kept, "\n");
	}
	assert_string_equal(kept.data, "0: 0\n1: 0 1\n2: 0 1 2\n3: 0 1 2 3\n"
				       "4: 1 2 4\n5: 1 2 4 5\n"
				       "6: 1 4 6\n7: 1 4 6 7\n");
	mer_str_fini(&kept);
	free(h.rounds);
}

/* One that has no neighbour stays. */
static void thinned_of_odd_number(void **state)
{
	static const char *const lines[] = { "t 1000 1 1 1\n", "t 2000 1 1 1\n", "t 3000 1 1 1\n" };
	struct record_host h = { .most_rounds = 1 };
	(void)state;
	for (int i = 0; i < 3; i++) {
		h.asked_ns = 1000 * (i + 1);
		hear(&h, lines[i], h.asked_ns + 10);
		assert_int_equal(h.n_rounds, i == 0 ? 1 : 2);
	}
	assert_int_equal(h.rounds[0].asked, 1000);
	free(h.rounds);
}

static void beacons(void **state)
{
	struct record_host h = { .asked_ns = 5000 };
	(void)state;
	hear(&h, "n 7\nn7 8\nn\n", 6000);
	assert_false(h.counted);
	hear(&h, "n 12 34\n", 6000);
	assert_true(h.counted && h.n_answered == 12 && h.n_silent == 34);
	assert_int_equal(h.asked_ns, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round),
		cmocka_unit_test(digits),
		cmocka_unit_test(questions),
		cmocka_unit_test(impossible),
		cmocka_unit_test(thinned),
		cmocka_unit_test(thinned_of_odd_number),
		cmocka_unit_test(beacons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
