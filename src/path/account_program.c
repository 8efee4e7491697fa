/* Which program a task runs: the one that it executed last, otherwise the one that its parent
 * ran when it forked the task. */
#include "path/account.h"

enum { LINEAGE = 64 };

/* The name of the program if the call executes one, else KERNEL_NONE. */
static uint32_t executed(const struct kernel_host *h, const struct kernel_span *s)
{
	const struct kernel_call *c = s->call == KERNEL_NONE ? NULL : &h->calls[s->call];
	return c && (kernel_call_classes(c->id) & KERNEL_CALLS_EXEC) ? c->object : KERNEL_NONE;
}

const char *account_program(const struct kernel_host *h, uint32_t task)
{
	int64_t until = INT64_MAX;
	for (int k = 0; k < LINEAGE && task != KERNEL_NONE; k++) {
		for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE;
			i = kernel_span(h, i)->before) {
			const struct kernel_span *s = kernel_span(h, i);
			if (s->call == KERNEL_NONE || s->begin >= until)
				continue;
			uint32_t name = executed(h, s);
			if (name != KERNEL_NONE)
				return kernel_name_text(h, name);
		}
		until = h->tasks[task].begin;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return "";
}
