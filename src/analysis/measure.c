/* What analyses share: ranges, names, growing arrays, statistics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/grow.h"

int64_t analysis_range(const struct analysis_run *run, uint32_t host, int64_t *begin, int64_t *end)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct analysis_options *o = run->options;
	*begin = h->begin > o->begin ? h->begin : o->begin;
	*end = h->end < o->end ? h->end : o->end;
	return h->n_events ? analysis_overlap(o, *begin, *end) : 0;
}

bool analysis_next_cpu_of(const struct mer_experiment *e, const struct kernel_host *h,
	uint32_t host, uint32_t *at, uint16_t *cpu)
{
	for (; *at < e->n_streams; ++*at) {
		const struct mer_trace *t = &e->traces[e->streams[*at].trace];
		int32_t number = e->streams[*at].cpu;
		if (t->host == host && strcmp(t->domain, "ust") != 0 && number >= 0 &&
			number < KERNEL_NO_CPU) {
			*cpu = (uint16_t)number;
			++*at;
			return true;
		}
	}
	/* CPUs that were recorded, but whose streams are missing. */
	while (*at - e->n_streams < e->n_absent) {
		const struct trace_absent *absent = &e->absent[(*at)++ - e->n_streams];
		if (e->traces[absent->trace].host == host && absent->cpu >= 0 &&
			absent->cpu < KERNEL_NO_CPU) {
			*cpu = (uint16_t)absent->cpu;
			return true;
		}
	}
	/* For some tracers (perf) packets have no CPU, only their events do. */
	uint32_t first = e->n_streams + e->n_absent;
	while (h && *at - first < h->cpus.cap) {
		const struct mer_map_slot *slot = &h->cpus.slots[(*at)++ - first];
		if (slot->used && slot->key < KERNEL_NO_CPU) {
			*cpu = (uint16_t)slot->key;
			return true;
		}
	}
	return false;
}

bool analysis_next_cpu(const struct analysis_host *a, uint32_t *at, uint16_t *cpu)
{
	const struct kernel_host *h = &a->run->world->hosts[a->host];
	while (analysis_next_cpu_of(a->run->e, h, a->host, at, cpu))
		if (analysis_wants_cpu(a, *cpu))
			return true;
	return false;
}

bool analysis_is_brief(const struct kernel_task *t)
{
	static const int64_t brief_ns = 1000000000;
	return t->born && !t->is_kernel && t->died != INT64_MAX && t->died - t->begin < brief_ns;
}

const char *analysis_host_name(const struct analysis_run *run, uint32_t host)
{
	return run->e->hosts[host].name;
}

const char *analysis_comm(const struct analysis_run *run, uint32_t host, uint32_t task)
{
	return task == KERNEL_NONE ? "" : kernel_comm(&run->world->hosts[host], task);
}

void analysis_wanted_fini(struct analysis_wanted *w)
{
	free(w->known);
}

void analysis_stats_add(struct analysis_stats *s, int64_t value, int64_t at)
{
	if (s->n == 0 || value < s->min) {
		s->min = value;
		s->min_at = at;
	}
	if (s->n == 0 || value > s->max) {
		s->max = value;
		s->max_at = at;
	}
	s->n++;
	s->total += value;
	double d = (double)value - s->mean;
	s->mean += d / (double)s->n;
	s->m2 += d * ((double)value - s->mean);
}

double analysis_stats_stddev(const struct analysis_stats *s)
{
	return s->n < 2 ? NAN : sqrt(s->m2 / (double)(s->n - 1));
}

/* Two buckets for each power of two: [2^k, 1.5 * 2^k) and [1.5 * 2^k, 2^(k+1)). */
unsigned analysis_bucket(int64_t ns)
{
	if (ns < 2)
		return ns > 0;
	unsigned k = 63u - (unsigned)__builtin_clzll((unsigned long long)ns);
	unsigned half = (unsigned)(ns >> (k - 1)) & 1;
	return 2 * k + half;
}

int64_t analysis_bucket_begin(unsigned bucket)
{
	if (bucket < 2)
		return (int64_t)bucket;
	unsigned k = bucket / 2;
	if (k > 62)
		return INT64_MAX;
	return bucket % 2 ? (int64_t)3 << (k - 1) : (int64_t)1 << k;
}
