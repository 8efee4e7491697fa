/* Wraps: a counter of few bits that starts again at 0, in a clock of more bits. Its times go back
 * by nearly all of its range at once, and on from there as before. */
#ifndef MER_TRACE_WRAP_H
#define MER_TRACE_WRAP_H

#include "base/str.h"
#include "meridian/meridian.h"

struct trace_wrap {
	uint64_t cycles; /* after which it starts again; 0: it does not look like that */
	unsigned bits;	 /* 0: the counter's cycles are not those of the clock */
};

/* By the greatest step back of a stream: from one value of its clock to another. */
struct trace_wrap trace_guess_wrap(uint64_t from, uint64_t to, uint64_t freq_hz);
/* "; it looks like a counter of 32 bits that starts again at 0: read with a wrap of 32 (bits),
 * times go on", which MER_REMEDY_CLOCK_WRAP goes with; nothing if it does not look like that. */
void trace_put_wrap(struct mer_str *out, const struct trace_wrap *w, uint64_t freq_hz);

#endif
