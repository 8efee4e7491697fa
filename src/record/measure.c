#include "record/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "base/now.h"
#include "base/sort.h"

/* ---- The thread that wakes ---- */

enum { PERIOD_NS = 1000000, SECOND_NS = 1000000000 };

static void *wake(void *ctx)
{
	struct record_pulse *p = ctx;
	int64_t due = mer_now_ns();
	while (!atomic_load_explicit(&p->over, memory_order_relaxed)) {
		due += PERIOD_NS;
		struct timespec at = { due / SECOND_NS, due % SECOND_NS };
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
			;
		int64_t now = mer_now_ns();
		if (now - due > p->worst_ns)
			p->worst_ns = now - due;
		/* Wake-ups that were missed meanwhile count as one delay. */
		if (now - due > PERIOD_NS)
			due = now;
	}
	return NULL;
}

bool record_pulse_begin(struct record_pulse *p)
{
	*p = (struct record_pulse){ 0 };
	p->started = pthread_create(&p->thread, NULL, wake, p) == 0;
	return p->started;
}

int64_t record_pulse_end(struct record_pulse *p)
{
	if (!p->started)
		return -1;
	atomic_store_explicit(&p->over, true, memory_order_relaxed);
	pthread_join(p->thread, NULL);
	p->started = false;
	return p->worst_ns;
}

/* ---- What follows from the runs ---- */

/* Student's t, two-sided 95 %, by degrees of freedom from 1 on. */
static const double t_95[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
	2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
	2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };
enum { N_T = sizeof(t_95) / sizeof(*t_95) };

static double log_ratio(const struct record_cost *c, size_t i, bool of_cpu)
{
	const struct record_once *a = &c->without[i], *b = &c->with[i];
	double from = (double)(of_cpu ? a->cpu_ns : a->ns);
	double to = (double)(of_cpu ? b->cpu_ns : b->ns);
	/* CPU time is counted in us, and may be 0. */
	return log(fmax(to, 1000) / fmax(from, 1000));
}

struct record_slower record_cost_slower(const struct record_cost *c, bool of_cpu)
{
	struct record_slower s = { NAN, NAN, NAN };
	double sum = 0, squares = 0;
	if (c->n == 0)
		return s;
	for (size_t i = 0; i < c->n; i++)
		sum += log_ratio(c, i, of_cpu);
	double mean = sum / (double)c->n;
	s.mean = expm1(mean);
	if (c->n < 2)
		return s;
	for (size_t i = 0; i < c->n; i++) {
		double d = log_ratio(c, i, of_cpu) - mean;
		squares += d * d;
	}
	size_t df = c->n - 1;
	/* Beyond the table, its last value makes the interval a little too wide. */
	double t = t_95[(df < N_T ? df : N_T) - 1];
	double half = t * sqrt(squares / (double)df / (double)c->n);
	s.low = expm1(mean - half);
	s.high = expm1(mean + half);
	return s;
}

double record_cost_per_event(const struct record_cost *c)
{
	double added = 0;
	for (size_t i = 0; i < c->n; i++)
		added += (double)(c->with[i].cpu_ns - c->without[i].cpu_ns);
	return c->n_events ? added / (double)c->n_events : NAN;
}

int64_t record_cost_median(const struct record_cost *c, enum record_what what)
{
	int64_t v[RECORD_MOST_PAIRS];
	for (size_t i = 0; i < c->n; i++)
		v[i] = what == RECORD_WITHOUT_NS ? c->without[i].ns
		       : what == RECORD_WITH_NS	 ? c->with[i].ns
						 : c->with[i].late_ns - c->without[i].late_ns;
	if (c->n == 0)
		return 0;
	qsort(v, c->n, sizeof(*v), mer_compare_int64);
	int64_t upper = v[c->n / 2], lower = v[(c->n - 1) / 2];
	return lower + (upper - lower) / 2;
}
