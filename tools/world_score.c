/* Score: how far from the truth a synchronization of a world is. */
#include "world_score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct samples {
	double *errors, *bounds; /* us */
};

static int64_t put_on_reference(const struct world_answer *a, uint32_t host, int64_t t)
{
	if (a->result)
		return trace_map_time(&a->result->hosts[host].map, t);
	return a->map(a->ctx, host, t);
}

static uint32_t reference_of(const struct world_answer *a, uint32_t host)
{
	if (a->result)
		return a->result->references[a->result->hosts[host].group];
	return a->reference(a->ctx, host);
}

static void judge_limits(const struct world_answer *a, uint32_t host, int64_t clock, int64_t truth,
	struct samples *v, struct world_score *s)
{
	int64_t low = INT64_MIN, high = INT64_MAX;
	int64_t estimate = put_on_reference(a, host, clock);
	sync_host_limits(a->result, host, clock, &low, &high);
	if (low == INT64_MIN && high == INT64_MAX)
		return;
	s->n_limited++;
	s->n_inside += low <= truth && truth <= high;
	s->n_off += estimate < low || estimate > high;
	if (low != INT64_MIN && high != INT64_MAX)
		v->bounds[s->n_bounded++] = ((double)high - (double)low) / 2e3;
}

static void judge_host(const struct world *w, const struct world_answer *a, uint32_t host,
	size_t each, struct samples *v, struct world_score *s)
{
	uint32_t reference = reference_of(a, host);
	if (reference == host || reference == UINT32_MAX)
		return;
	for (size_t i = 0; i < each; i++) {
		double share = ((double)i + 0.5) / (double)each;
		int64_t t = (int64_t)((double)w->options.duration_ns * share);
		int64_t clock = world_clock_at(&w->clocks[host], t);
		int64_t truth = world_clock_at(&w->clocks[reference], t);
		double error = (double)(put_on_reference(a, host, clock) - truth);
		v->errors[s->n++] = fabs(error) / 1e3;
		if (a->result)
			judge_limits(a, host, clock, truth, v, s);
	}
}

static void judge_messages(
	const struct sync_messages *messages, const struct world_answer *a, struct world_score *s)
{
	for (size_t i = 0; i < messages->n_links; i++) {
		const struct sync_link *l = &messages->links[i];
		uint32_t from = reference_of(a, l->from), to = reference_of(a, l->to);
		if (from != to || from == UINT32_MAX)
			continue;
		s->n_messages += l->n;
		for (size_t k = 0; k < l->n; k++)
			s->n_violated += put_on_reference(a, l->to, l->messages[k].received) <
					 put_on_reference(a, l->from, l->messages[k].sent);
	}
}

/* What no clock that keeps to 1000 ppm does: a jump, a stop, a slew. In true time. */
struct change {
	int64_t begin, end;
	bool found;
};

struct changes {
	struct change *c;
	size_t n, cap;
};

static int add_change(struct changes *all, int64_t begin, int64_t end, struct mer_err *err)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 16;
		struct change *p = realloc(all->c, cap * sizeof(*p));
		if (!p)
			return mer_fail_nomem(err);
		all->c = p;
		all->cap = cap;
	}
	all->c[all->n++] = (struct change){ .begin = begin, .end = end };
	return 0;
}

static int find_changes(const struct world *w, struct changes *all, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t h = 0; h < w->options.n_hosts; h++) {
		const struct world_clock *c = &w->clocks[h];
		for (size_t i = 1; !rc && i < c->n && c->pieces[i].begin < w->options.duration_ns;
			i++) {
			const struct world_clock_piece *p = &c->pieces[i];
			bool jump = p->clock - world_clock_at(c, p->begin - 1) > 1000;
			bool fast = fabs((double)p->rate / 0x1p60) > 1e-3;
			if (jump || fast)
				rc = add_change(all, p->begin,
					!fast	       ? p->begin
					: i + 1 < c->n ? p[1].begin
						       : w->options.duration_ns,
					err);
		}
	}
	return rc;
}

/* A range of a host's clock in which something is said to have happened. */
static void judge_range(const struct world *w, uint32_t host, struct sync_range r,
	struct changes *all, struct world_score *s)
{
	int64_t begin = world_clock_when(&w->clocks[host], r.begin) - 1000;
	int64_t end = world_clock_when(&w->clocks[host], r.end) + 1000;
	bool any = false;
	for (size_t i = 0; i < all->n; i++)
		if (begin <= all->c[i].end && end >= all->c[i].begin)
			any = all->c[i].found = true;
	s->n_invented += !any;
}

static int judge_steps(const struct world *w, const struct sync_result *result,
	struct world_score *s, struct mer_err *err)
{
	struct changes all = { 0 };
	int rc = find_changes(w, &all, err);
	for (uint32_t h = 0; !rc && result && h < result->n_hosts; h++) {
		const struct sync_host *host = &result->hosts[h];
		for (size_t i = 0; i < host->n_steps; i++)
			judge_range(w, h, host->steps[i].range, &all, s);
		for (size_t i = 0; i < host->n_slews; i++)
			judge_range(w, h, host->slews[i].range, &all, s);
	}
	s->n_steps = all.n;
	for (size_t i = 0; i < all.n; i++)
		s->n_found += all.c[i].found;
	free(all.c);
	return rc;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void summarize(struct samples *v, struct world_score *s)
{
	s->mean = s->p99 = s->max = s->bound_median = s->bound_max = NAN;
	if (s->n) {
		double sum = 0;
		qsort(v->errors, s->n, sizeof(double), by_value);
		for (size_t i = 0; i < s->n; i++)
			sum += v->errors[i];
		s->mean = sum / (double)s->n;
		s->p99 = v->errors[s->n * 99 / 100];
		s->max = v->errors[s->n - 1];
	}
	if (s->n_bounded) {
		qsort(v->bounds, s->n_bounded, sizeof(double), by_value);
		s->bound_median = v->bounds[s->n_bounded / 2];
		s->bound_max = v->bounds[s->n_bounded - 1];
	}
}

int world_judge(const struct world *w, const struct sync_messages *messages,
	const struct world_answer *a, size_t each, struct world_score *s, struct mer_err *err)
{
	size_t most = each * w->options.n_hosts;
	struct samples v = { calloc(most + 1, sizeof(double)), calloc(most + 1, sizeof(double)) };
	int rc = v.errors && v.bounds ? 0 : mer_fail_nomem(err);
	*s = (struct world_score){ 0 };
	for (uint32_t h = 0; !rc && h < w->options.n_hosts; h++)
		judge_host(w, a, h, each, &v, s);
	if (!rc) {
		judge_messages(messages, a, s);
		summarize(&v, s);
		rc = judge_steps(w, a->result, s, err);
	}
	free(v.errors);
	free(v.bounds);
	return rc;
}

int world_solve(const struct world *w, const struct sync_messages *messages,
	const struct sync_options *o, struct sync_result **result, struct mer_err *err)
{
	uint32_t n = w->options.n_hosts;
	struct sync_host_info *hosts = calloc(n, sizeof(*hosts));
	char(*names)[16] = calloc(n, sizeof(*names));
	int rc = hosts && names ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; !rc && i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "h%04u", i);
		hosts[i].name = hosts[i].id = names[i];
		hosts[i].span.begin = world_clock_at(&w->clocks[i], 0);
		hosts[i].span.end = world_clock_at(&w->clocks[i], w->options.duration_ns);
	}
	if (!rc)
		rc = sync_solve(messages, hosts, n, o, result, err);
	free(hosts);
	free(names);
	return rc;
}

void world_shorten(struct world_options *o, uint64_t messages, uint32_t hosts)
{
	double most = (double)messages / o->link.rate_hz * 1e9, now = (double)o->duration_ns;
	if (o->n_hosts > hosts)
		o->n_hosts = hosts;
	if (now <= most)
		return;
	for (unsigned i = 0; i < o->clock.n_glitches; i++)
		o->clock.glitches[i].at_ns =
			(int64_t)((double)o->clock.glitches[i].at_ns / now * most);
	o->duration_ns = (int64_t)most;
}
