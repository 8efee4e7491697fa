#include "trace/clock.h"

/* Largest offset in seconds that leaves room for 2^31 more in 64-bit nanoseconds. */
enum { MAX_OFFSET_S = 7000000000 };

/* Converts cycles to nanoseconds, rounded down. Floating point is used as long as its error is
 * below a nanosecond (52 days), as in babeltrace, so that the same event has the same time in both.
 * Beyond that the result is exact: floating point would be wrong by up to 128 ns. Never
 * decreases. */
static uint64_t cycles_to_ns(uint64_t cycles, uint64_t freq_hz)
{
	double d = 1e9 * (double)cycles / (double)freq_hz;
	if (d < (double)((uint64_t)1 << 52))
		return (uint64_t)d;
	unsigned __int128 ns = (unsigned __int128)cycles * NS_PER_S / freq_hz;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

void mer_clock_init(struct mer_clock *c, const struct ctf_clock *from)
{
	*c = (struct mer_clock){ .freq_hz = from->freq_hz };
	__int128 freq = from->freq_hz, cycles = from->offset_cycles;
	__int128 whole = cycles / freq, rest = cycles % freq;
	if (rest < 0) {
		rest += freq;
		whole--;
	}
	__int128 s = whole + from->offset_s;
	c->base_ns = (int64_t)cycles_to_ns((uint64_t)rest, c->freq_hz);
	if (s >= -(__int128)MAX_OFFSET_S && s <= MAX_OFFSET_S) {
		c->base_ns += (int64_t)s * NS_PER_S;
	} else {
		c->no_base = s > INT64_MAX || s < INT64_MIN;
		c->base_s = s > INT64_MAX ? INT64_MAX : s < INT64_MIN ? INT64_MIN : (int64_t)s;
	}
}

int64_t mer_clock_ns_slow(const struct mer_clock *c, uint64_t cycles)
{
	__int128 all = (__int128)cycles_to_ns(cycles, c->freq_hz) + c->base_ns;
	return all > TRACE_LAST_TIME ? TRACE_LAST_TIME : (int64_t)all;
}
