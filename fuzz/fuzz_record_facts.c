/* Fuzzer of what hosts say of themselves: no text may crash the reader; addresses and names of
 * events that come out of it can stand in a shell's line, and what is shown has no control
 * characters. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/facts.h"
#include "record/words.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena;
	struct record_facts f;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	if (record_facts_read(&f, (const char *)data, size, &arena, &err) == 0) {
		const char *shown[] = { f.name, f.kernel, f.groups, f.lttng, f.kernel_tracer_error,
			f.clock_source, f.clock_daemon, f.card };
		check(!*f.address || record_is_address(f.address));
		check(!*f.seen_address || record_is_address(f.seen_address));
		for (size_t i = 0; i < f.events.n; i++)
			check(record_is_event(f.events.name[i]));
		for (size_t i = 0; i < f.trace_events.n; i++)
			check(record_is_event(f.trace_events.name[i]));
		for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
			for (const char *c = shown[i]; *c; c++)
				check((unsigned char)*c >= ' ' && *c != 0x7f);
		record_facts_may_trace(&f);
		record_facts_has_event(&f, "sched_*");
		record_facts_has_trace_event(&f, "sched");
	}
	record_facts_free(&f);
	mer_arena_fini(&arena);
	return 0;
}
