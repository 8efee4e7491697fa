/* Context switches that contradict each other, from text; times in us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/switches.h"
#include "scenario.h"

#define SWITCH(at, cpu, from, to)                                                                  \
	at "us " cpu " sched_switch prev_comm=\"t" from "\" prev_tid=" from                        \
	   " prev_state=0 next_comm=\"t" to "\" next_tid=" to "\n"

static void count_is(const char *events, uint64_t n, uint64_t n_contradict, int64_t first_us)
{
	struct scenario s;
	struct kernel_switches found;
	struct mer_err err;
	struct mer_str text = { 0 };
	mer_str_printf(&text, "host h\n%s", events);
	scenario_open(&s, text.data);
	if (kernel_switches_count(s.e, 0, NULL, &found, &err))
		fail_msg("%s", err.text);
	assert_int_equal(found.n, n);
	assert_int_equal(found.n_contradict, n_contradict);
	if (n_contradict)
		assert_int_equal(found.first, first_us * 1000);
	mer_str_fini(&text);
	scenario_close(&s);
}

/* Of each CPU by itself; the first has none before it. */
static void each_takes_off_who_was_put_on(void **state)
{
	(void)state;
	count_is(SWITCH("10", "0", "0", "5") SWITCH("20", "1", "0", "6") SWITCH("30", "0", "5", "7")
			 SWITCH("40", "1", "6", "0"),
		2, 0, 0);
	count_is(SWITCH("10", "0", "0", "5") SWITCH("20", "0", "6", "0") SWITCH("30", "0", "0", "7")
			 SWITCH("40", "0", "8", "9"),
		3, 2, 20);
}

/* What the tracer counted as lost is no contradiction, as long as nothing is missing behind it. */
static void counted_losses(void **state)
{
	(void)state;
	count_is("1us 0 packet\n" SWITCH("10", "0", "0",
			 "5") "20us 0 lost 3\n21us 0 packet\n" SWITCH("30", "0", "6", "0")
			 SWITCH("40", "0", "0", "7"),
		3, 0, 0);
	count_is("1us 0 packet\n" SWITCH("10", "0", "0",
			 "5") "20us 0 lost 3\n21us 0 packet\n" SWITCH("30", "0", "6", "0")
			 SWITCH("40", "0", "4", "7"),
		3, 1, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_takes_off_who_was_put_on),
		cmocka_unit_test(counted_losses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
