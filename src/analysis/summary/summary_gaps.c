#include "analysis/summary/summary_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "ctf/schema.h"
#include "kernel/events.h"

struct extent {
	int64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
	const struct extent *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* The time that no extent covers, ns; n: the number of gaps. all: sorted by begin. */
static int64_t uncovered(
	const struct analysis_options *o, const struct extent *all, size_t n_all, int64_t *n)
{
	int64_t sum = 0, covered = n_all ? all[0].end : 0;
	*n = 0;
	for (size_t i = 1; i < n_all; i++) {
		int64_t ns =
			all[i].begin > covered ? analysis_overlap(o, covered, all[i].begin) : 0;
		sum += ns;
		*n += ns > 0;
		covered = all[i].end > covered ? all[i].end : covered;
	}
	return sum;
}

/* The times of kernel traces; user space traces do not show what CPUs did. Begin and end of the
 * host's recording are extents of no length. */
static size_t collect(
	const struct analysis_run *run, uint32_t host, bool of_switches, struct extent *all)
{
	const struct mer_experiment *e = run->e;
	const struct kernel_host *h = &run->world->hosts[host];
	size_t n = 0;
	all[n++] = (struct extent){ h->begin, h->begin };
	all[n++] = (struct extent){ h->end, h->end };
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct mer_trace *t = &e->traces[e->parts[i].trace];
		if (t->host == host && t->begin != MER_NO_TIME && strcmp(t->domain, "ust") != 0 &&
			(!of_switches || kernel_event_is_in(KERNEL_EV_SWITCH, e->parts[i].schema)))
			all[n++] = (struct extent){ t->begin, t->end };
	}
	qsort(all, n, sizeof(*all), by_begin);
	return n;
}

int summary_gaps_find(const struct analysis_run *run, uint32_t host, struct summary_gaps *gaps)
{
	const struct analysis_options *o = run->options;
	struct extent *all = calloc((size_t)run->e->n_parts + 2, sizeof(*all));
	int64_t n;
	*gaps = (struct summary_gaps){ 0 };
	if (!all)
		return mer_fail_nomem(run->err);
	gaps->ns = uncovered(o, all, collect(run, host, false, all), &gaps->n);
	gaps->blind_ns = uncovered(o, all, collect(run, host, true, all), &n) - gaps->ns;
	free(all);
	return 0;
}
