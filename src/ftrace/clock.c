#include "ftrace/reading.h"

#include <string.h>

const char *ftrace_chosen_clock(struct mer_arena *a, const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? mer_arena_strndup(a, open + 1, (size_t)(close - open - 1))
		     : mer_arena_strndup(a, text, strcspn(text, " \n"));
}

/* Clocks that can be compared with those of other recordings. */
static const char *const common[] = { "mono", "mono_raw", "boot", "tai", "realtime", NULL };
/* Clocks that do not count ns: in_ns = 0 in trace_clocks of the kernel's kernel/trace/trace.c. */
static const char *const ticks[] = { "counter", "uptime", "x86-tsc", "ppc-tb", "s390-tod", NULL };

static bool is_among(const char *clock, const char *const *names)
{
	while (*names && strcmp(clock, *names) != 0)
		names++;
	return *names != NULL;
}

void ftrace_note_clock(struct ftrace_reading *r, const char *clock, bool has_ns, const char *better)
{
	bool is_common = is_among(clock, common) || (has_ns && strcmp(clock, "x86-tsc") == 0);
	if (is_among(clock, ticks) && !has_ns)
		copied_notef(&r->notes, MER_ERROR, "ftrace-clock", 1,
			"its times are those of the clock '%s', which are no ns: durations are wrong; record with '%s'",
			clock, better);
	else if (!is_common)
		copied_notef(&r->notes, MER_WARNING, "ftrace-clock", 1,
			"it was recorded with the clock '%s', which fits no other recording and may differ between CPUs; record with '%s'",
			clock, better);
}
