/* On CPUs: the stretches of time that tasks are on CPUs, from the saved spans of a window. */
#ifndef MER_STORE_ON_CPU_H
#define MER_STORE_ON_CPU_H

#include "analysis/fact.h"
#include "store/spans.h"

/* Another return than 0 ends the reading, and is returned. */
typedef int store_on_cpu_taker(void *ctx, const struct fact_stretch *s);

/* All stretches that overlap [begin, end], and others, in the order of their ends. is_exact: those
 * that end later are followed to their end; else an end after the window may be given as later than
 * it is. */
int store_on_cpu_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	int64_t begin, int64_t end, bool is_exact, store_on_cpu_taker *take, void *ctx,
	struct mer_err *err);

#endif
