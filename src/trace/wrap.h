/* Wraps: a narrow counter that wraps to 0, stored in a wider clock field. Its times jump back by
 * nearly its whole range, and continue from there. */
#ifndef MER_TRACE_WRAP_H
#define MER_TRACE_WRAP_H

#include "base/str.h"
#include "meridian/meridian.h"

struct trace_wrap {
	uint64_t cycles; /* after which the counter wraps; 0: this does not look like a wrap */
	unsigned bits;	 /* width of the counter; 0: its cycles are not those of the clock */
};

/* Guesses from the largest step back of a stream: from one clock value to another. */
struct trace_wrap trace_guess_wrap(uint64_t from, uint64_t to, uint64_t freq_hz);
/* "; it looks like a counter of 32 bits that starts again at 0: read with a wrap of 32 (bits),
 * times go on", to be followed by MER_REMEDY_CLOCK_WRAP; nothing if this does not look like a
 * wrap. */
void trace_put_wrap(struct mer_str *out, const struct trace_wrap *w, uint64_t freq_hz);

#endif
