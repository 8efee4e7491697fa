/* On CPU: the stretches of time in which tasks run on CPUs, from the saved spans of a window. */
#ifndef MER_STORE_ON_CPU_H
#define MER_STORE_ON_CPU_H

#include "analysis/fact.h"
#include "store/spans.h"

/* A return value other than 0 ends the reading, and is passed on. */
typedef int store_on_cpu_taker(void *ctx, const struct fact_stretch *s);

/* All stretches that overlap [begin, end], and possibly more, ordered by end. is_exact: stretches
 * that end after the window are followed to their real end; otherwise such an end may be too
 * late. */
int store_on_cpu_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	int64_t begin, int64_t end, bool is_exact, store_on_cpu_taker *take, void *ctx,
	struct mer_err *err);

#endif
