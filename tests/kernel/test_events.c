/* Events: the rows are complete, no name is taken by another row's star, and fields go to their
 * slots. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "kernel/events.h"
#include "kernel/observer.h"

static const char *next_name(const char **names, char name[100])
{
	const char *p = *names ? *names + strspn(*names, " ") : "";
	size_t len = strcspn(p, " ");
	if (!len)
		return NULL;
	assert_true(len < 100);
	memcpy(name, p, len);
	name[len] = '\0';
	*names = p + len;
	return name;
}

/* The first event whose names, in the order in which they are tried, this one fits. */
static enum kernel_event event_of(const char *name)
{
	char pattern[100];
	for (int i = KERNEL_EV_NONE + 1; i < KERNEL_N_EVENTS; i++)
		for (int d = 0; d < KERNEL_N_DIALECTS; d++) {
			const char *names = kernel_event_rows[i].names[d];
			while (next_name(&names, pattern))
				if (fnmatch(pattern, name, 0) == 0)
					return (enum kernel_event)i;
		}
	return KERNEL_EV_NONE;
}

static void rows_are_complete(void **state)
{
	(void)state;
	char name[100];
	for (int i = KERNEL_EV_NONE + 1; i < KERNEL_N_EVENTS; i++) {
		const struct kernel_event_row *r = &kernel_event_rows[i];
		assert_non_null(r->handle);
		/* Told events are wanted one by one. */
		if (i >= KERNEL_EV_FIRST_TOLD && i < KERNEL_EV_END_TOLD)
			assert_int_equal(r->wants, KERNEL_WANT_KIND(i));
		else
			assert_true(r->wants < KERNEL_WANTS_END);
		assert_true(r->names[KERNEL_LTTNG] || r->names[KERNEL_PERF]);
		for (int d = 0; d < KERNEL_N_DIALECTS; d++) {
			const char *names = r->names[d];
			while (next_name(&names, name)) {
				assert_int_equal(event_of(name), i);
				bool is_perf = strchr(name, ':') || strncmp(name, "perf_", 5) == 0;
				assert_int_equal(is_perf, d == KERNEL_PERF);
				assert_true(kernel_event_is((enum kernel_event)i, name));
			}
			for (unsigned s = 0; s < KERNEL_EVENT_SLOTS; s++) {
				const char *f = r->fields[s].names[d];
				if (!f || !strchr(f, ':'))
					continue;
				/* The second slot of a text is its own. */
				assert_true(s > KERNEL_SLOT_CPU && s + 1 < KERNEL_EVENT_SLOTS);
				for (int k = 0; k < KERNEL_N_DIALECTS; k++)
					assert_null(r->fields[s + 1].names[k]);
			}
		}
	}
	assert_int_equal(event_of("syscall_entry_read"), KERNEL_EV_SYSCALL_ENTRY);
	assert_int_equal(event_of("x86_irq_vectors_thermal_apic_exit"), KERNEL_EV_VECTOR_EXIT);
	assert_int_equal(event_of("lttng_ust_cyg_profile:func_entry"), KERNEL_EV_NONE);
	assert_false(kernel_event_is(KERNEL_EV_SWITCH, "sched_switc"));
	assert_false(kernel_event_is(KERNEL_EV_SWITCH, "sched_switch sched:sched_switch"));
	assert_false(kernel_event_is(KERNEL_EV_SWITCH, ""));
}

static void fields_go_to_their_slots(void **state)
{
	(void)state;
	static const struct {
		enum kernel_event event;
		enum kernel_dialect dialect;
		uint64_t wants;
		const char *fields;
	} cases[] = {
		{ KERNEL_EV_SWITCH, KERNEL_LTTNG, 0,
			"perf_cpu prev_tid|prev_pid prev_state next_tid|next_pid prev_comm:s next_comm:s" },
		{ KERNEL_EV_SWITCH, KERNEL_PERF, KERNEL_WANT_PRIORITIES,
			"perf_cpu prev_pid|prev_tid prev_state|prev_waits next_pid|next_tid prev_comm:s next_comm:s next_prio" },
		{ KERNEL_EV_HRTIMER_ENTRY, KERNEL_LTTNG, 0, "perf_cpu" },
		{ KERNEL_EV_SEND, KERNEL_LTTNG, 0, "perf_cpu skbaddr" },
		{ KERNEL_EV_SEND, KERNEL_LTTNG, KERNEL_WANT_PACKETS,
			"perf_cpu skbaddr len name:s" },
		{ KERNEL_EV_SEND, KERNEL_OTHER, KERNEL_WANT_PACKETS, "perf_cpu - - - -" },
		{ KERNEL_EV_BLOCK_ISSUE, KERNEL_LTTNG, 0,
			"perf_cpu dev sector nr_sector bytes rwbs tid - - -" },
		{ KERNEL_EV_BLOCK_ISSUE, KERNEL_PERF, 0,
			"perf_cpu dev sector nr_sector bytes - - - rwbs:s" },
		{ KERNEL_EV_BLOCK_COMPLETE, KERNEL_LTTNG, 0,
			"perf_cpu dev sector nr_sector - rwbs error errors - -" },
		{ KERNEL_EV_BLOCK_RQ_MERGE, KERNEL_OTHER, KERNEL_WANT_MERGES,
			"perf_cpu dev nextrq_sector - - rwbs - rq_sector" },
		{ KERNEL_EV_DUMP_TASK, KERNEL_LTTNG, 0,
			"perf_cpu tid|pid pid ppid name:s type status file_table_address vtid vpid" },
		{ KERNEL_EV_DUMP_SOCKET, KERNEL_LTTNG, 0, "perf_cpu pid fd family name:s local:s" },
	};
	struct mer_arena a;
	mer_arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(
			kernel_event_fields(&a, cases[i].event, cases[i].dialect, cases[i].wants),
			cases[i].fields);
	mer_arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(fields_go_to_their_slots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
