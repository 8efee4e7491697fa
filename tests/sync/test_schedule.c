/* When the vCPUs of a hypervisor were not in their guests, from text; times in us. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "sync/vcpu/schedule.h"

#define ENTRY(at, cpu) at "us " cpu " kvm_x86_entry vcpu_id=177722608\n"
#define EXIT(at, cpu, vcpu)                                                                        \
	at "us " cpu                                                                               \
	   " kvm_x86_exit exit_reason=48 guest_rip=1 isa=1 info1=0 info2=0 vcpu_id=" vcpu "\n"
#define SWITCH(at, cpu, from, to)                                                                  \
	at "us " cpu " sched_switch prev_comm=\"t" from "\" prev_tid=" from                        \
	   " prev_state=0 next_comm=\"t" to "\" next_tid=" to "\n"

/* "TID/ID: EXIT-ENTRY ..." of each thread, with " | " between. */
static void gaps_are(const char *events, const char *expected)
{
	struct scenario s;
	struct sync_schedule found;
	struct mer_err err;
	struct mer_str text = { 0 }, out = { 0 };
	mer_str_printf(&text, "host h\n%s", events);
	scenario_open(&s, text.data);
	if (sync_schedule_read(s.e, NULL, &found, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < found.n_threads; i++) {
		const struct sync_vcpu_thread *t = &found.threads[i];
		mer_str_printf(&out, "%s%" PRIu32 "/%" PRIu32 ":", i ? " | " : "", t->tid, t->id);
		for (size_t k = 0; k < t->n; k++)
			mer_str_printf(&out, " %" PRId64 "-%" PRId64, t->gaps[k].exit / 1000,
				t->gaps[k].entry / 1000);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	sync_schedule_free(&found);
	mer_str_fini(&text);
	mer_str_fini(&out);
	scenario_close(&s);
}

/* From an exit to the entry that follows, whatever else was on the CPU. */
static void between_exit_and_entry(void **state)
{
	(void)state;
	gaps_are(SWITCH("10", "0", "0", "31") ENTRY("20", "0") EXIT("30", "0", "0") ENTRY("32", "0")
			 EXIT("40", "0", "0") SWITCH("45", "0", "31", "32") ENTRY("46", "0")
				 EXIT("50", "0", "1") ENTRY("55", "0") EXIT("60", "0", "1")
					 SWITCH("65", "0", "32", "31") ENTRY("70", "0"),
		"31/0: 30-32 40-70 | 32/1: 50-55");
	/* Who was there first is told by the switch that takes it away. */
	gaps_are(EXIT("5", "0", "0") ENTRY("10", "0") SWITCH("20", "0", "31", "0"), "31/0: 5-10");
}

/* The switch from 31 to 32 at 46 is missing, and nothing counts it: neither an exit nor an entry of
 * that stretch is anybody's, and no gap of 32 goes across it. */
static void a_switch_is_missing(void **state)
{
	(void)state;
	gaps_are(SWITCH("5", "0", "0", "32") ENTRY("6", "0") EXIT("8", "0", "1") SWITCH(
			 "10", "0", "32", "31") ENTRY("20", "0") EXIT("30", "0", "0")
			 ENTRY("32", "0") SWITCH("35", "0", "31", "7") SWITCH("38", "0", "7", "31")
				 EXIT("40", "0", "0") ENTRY("50", "0") EXIT("55", "0", "1") SWITCH(
					 "60", "0", "32", "5") SWITCH("65", "0", "5", "32")
					 ENTRY("66", "0") EXIT("70", "0", "1") ENTRY("75", "0"),
		"31/0: 30-32 | 32/1: 70-75");
	/* Who has entries in such a stretch alone is no vCPU. */
	gaps_are(SWITCH("10", "0", "0", "5") ENTRY("20", "0") EXIT("30", "0", "0") ENTRY("32", "0")
			 SWITCH("40", "0", "31", "5"),
		"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_exit_and_entry),
		cmocka_unit_test(a_switch_is_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
