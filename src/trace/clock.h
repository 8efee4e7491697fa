/* Clock: converts cycles of one trace's clock to nanoseconds: first on its host's clock and then,
 * if clocks are aligned, on the experiment's time line (clock_map.h).
 *
 *   host time = offset_s + (offset_cycles + cycles) / freq       (CTF 1.8, section 8)
 *
 * where the offset and the cycles are each rounded down to nanoseconds, as other readers do, so
 * that the same event has the same time everywhere. Offsets that do not fit into 64-bit nanoseconds
 * (the year 2262) are kept as whole seconds in base_s. Times that do not fit become
 * TRACE_LAST_TIME, and the reader of the packet reports it (damage.h). */
#ifndef MER_TRACE_CLOCK_H
#define MER_TRACE_CLOCK_H

#include "ctf/schema.h"
#include "meridian/meridian.h"
#include "trace/clock_map.h"

struct mer_clock {
	uint64_t freq_hz;
	int64_t base_ns; /* time of cycle 0, without base_s */
	int64_t base_s;
	bool no_base; /* the offset does not even fit into 64-bit seconds: base_s is wrong */
	/* of its host; NULL: the host's time is the experiment's time */
	const struct trace_clock_map *map;
};

enum { NS_PER_S = 1000000000 };
/* INT64_MAX itself means "no end", or "nothing at all". */
#define TRACE_LAST_TIME (INT64_MAX - 1)

void mer_clock_init(struct mer_clock *c, const struct ctf_clock *from);

int64_t mer_clock_ns_slow(const struct mer_clock *c, uint64_t cycles);

/* The host's clock, as recorded. */
static inline int64_t mer_clock_host_ns(const struct mer_clock *c, uint64_t cycles)
{
	if (c->freq_hz == NS_PER_S) {
		int64_t t;
		bool over = __builtin_add_overflow(c->base_ns, cycles, &t);
		return __builtin_expect(over || t > TRACE_LAST_TIME, 0) ? TRACE_LAST_TIME : t;
	}
	return mer_clock_ns_slow(c, cycles);
}

/* The experiment's time line. */
static inline int64_t mer_clock_ns(const struct mer_clock *c, uint64_t cycles)
{
	int64_t t = mer_clock_host_ns(c, cycles);
	return __builtin_expect(c->map != NULL, 0) ? trace_map_time(c->map, t) : t;
}

/* Distance from one time to a later one; INT64_MAX if it does not fit. Damaged traces may have any
 * times. */
static inline int64_t mer_time_between(int64_t from, int64_t to)
{
	int64_t d;
	return __builtin_sub_overflow(to, from, &d) ? INT64_MAX : d;
}

#endif
