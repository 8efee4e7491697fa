#include "trace/wrap.h"

#include <inttypes.h>
#include <stdbool.h>

/* Does a counter with this range wrap shortly after `from`, and is `to` shortly after 0: both
 * times, and together, by less than range / part? */
static bool is_close(uint64_t range, uint64_t from, uint64_t to, uint64_t part)
{
	return range > from && to < range / part && range - from + to < range / part;
}

struct trace_wrap trace_guess_wrap(uint64_t from, uint64_t to, uint64_t freq_hz)
{
	/* A short range has few events, so more distance is allowed. Close to a long one there are
	 * other candidates (multiples of 2^32 ns), so less is. */
	enum { LEAST_BITS = 16, BITS = 32, MOST_BITS = 60, SHORT_PART = 8, LONG_PART = 64 };
	enum { MAX_UNIT = 1000 }; /* ns for each count: of counters of 1 MHz and more */
	static const uint64_t ns_per_s = 1000000000;
	if (from <= to)
		return (struct trace_wrap){ 0 };
	for (unsigned bits = LEAST_BITS; bits <= MOST_BITS; bits++)
		if (is_close((uint64_t)1 << bits, from, to, bits <= BITS ? SHORT_PART : LONG_PART))
			return (struct trace_wrap){ (uint64_t)1 << bits, bits };
	uint64_t unit = (from >> BITS) + 1;
	/* Closer than the ranges of a unit that is one ns more or less. */
	if (freq_hz == ns_per_s && unit <= MAX_UNIT &&
		is_close(unit << BITS, from, to, unit * SHORT_PART))
		return (struct trace_wrap){ unit << BITS, 0 };
	return (struct trace_wrap){ 0 };
}

void trace_put_wrap(struct mer_str *out, const struct trace_wrap *w, uint64_t freq_hz)
{
	if (!w->cycles)
		return;
	mer_str_puts(out, "; it looks like a counter ");
	if (w->bits) {
		mer_str_printf(out,
			"of %u bits that starts again at 0: read with a wrap of %u (bits), times go on",
			w->bits, w->bits);
		return;
	}
	uint64_t s = w->cycles / freq_hz, ns = w->cycles % freq_hz;
	int digits = 9;
	for (; digits > 1 && ns % 10 == 0; digits--)
		ns /= 10;
	mer_str_printf(out,
		"that starts again at 0: read with a wrap of %" PRIu64 ".%0*" PRIu64
		"s, times go on",
		s, digits, ns);
}
