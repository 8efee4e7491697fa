#include "trace/clock.h"

/* Largest offset in seconds that leaves room for 2^31 more in 64-bit nanoseconds. */
enum { MAX_OFFSET_S = 7000000000 };

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
	c->offset_cycles = (uint64_t)rest;
	if (s >= -(__int128)MAX_OFFSET_S && s <= MAX_OFFSET_S)
		c->base_ns = (int64_t)s * NS_PER_S;
	else
		c->base_s = s > INT64_MAX ? INT64_MAX : s < INT64_MIN ? INT64_MIN : (int64_t)s;
}

int64_t mer_clock_ns_slow(const struct mer_clock *c, uint64_t cycles)
{
	unsigned __int128 t = (unsigned __int128)cycles + c->offset_cycles;
	uint64_t s = (uint64_t)(t / c->freq_hz), rest = (uint64_t)(t % c->freq_hz);
	uint64_t ns = (uint64_t)((unsigned __int128)rest * NS_PER_S / c->freq_hz);
	__int128 all = (__int128)s * NS_PER_S + ns + c->base_ns;
	return all > INT64_MAX ? INT64_MAX : (int64_t)all;
}
