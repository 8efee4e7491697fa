/* Fit: what must hold of any estimate, and how far it is from the truth in made worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sync/estimate/fit.h"

static const double MAX_RATE = 1e-3;
static const double S = 1e9;

/* A world: the truth at every tick, and messages of both directions. */

struct points {
	struct sync_point *p;
	size_t n, cap;
};

struct world {
	double tick; /* s */
	double *truth;
	size_t n_truth;
	struct points side[2]; /* upper, lower */
	uint64_t random;
};

static double uniform(struct world *w) /* 0 < u < 1 */
{
	uint64_t z = w->random += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double exponential(struct world *w)
{
	return -log(uniform(w));
}

static double normal(struct world *w)
{
	return sqrt(2 * exponential(w)) * cos(6.283185307179586 * uniform(w));
}

static double truth_at(const struct world *w, double t)
{
	double at = t / w->tick;
	size_t i = (size_t)at;
	if (i > w->n_truth - 2)
		i = w->n_truth - 2;
	return w->truth[i] + (w->truth[i + 1] - w->truth[i]) * (at - (double)i);
}

static void add(struct points *s, int64_t x, int64_t y)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->p = realloc(s->p, s->cap * sizeof *s->p);
		assert_non_null(s->p);
	}
	s->p[s->n++] = (struct sync_point){ x, y };
}

enum clock { STRAIGHT, CRYSTAL, STEERED };

struct setting {
	enum clock clock;
	double span, rate;    /* s; messages per s and direction */
	double floor, jitter; /* ns */
	uint64_t seed;
};

static void make(struct world *w, struct setting s)
{
	*w = (struct world){ .tick = s.span > 1000 ? 0.1 : 0.01, .random = s.seed * 7919 };
	w->n_truth = (size_t)(s.span / w->tick) + 2;
	w->truth = malloc(w->n_truth * sizeof *w->truth);
	assert_non_null(w->truth);
	double rate = 20e3, walk = 0, y = 1e6 * uniform(w), next = 0;
	double period = 1200 + 2400 * uniform(w), phase = 6 * uniform(w);
	for (size_t i = 0; i < w->n_truth; i++) {
		double t = (double)i * w->tick;
		w->truth[i] = y;
		if (s.clock == CRYSTAL) {
			walk += normal(w) * sqrt(w->tick);
			rate = 20e3 + walk + 500 * sin(6.283185307179586 * t / period + phase);
		} else if (s.clock == STEERED && t >= next) {
			rate = 20e3 + 60e3 * (uniform(w) - 0.5);
			next = t + 30 + 270 * uniform(w);
		}
		y += rate * w->tick;
	}
	for (int k = 0; k < 2; k++) {
		double t = 0;
		while ((t += exponential(w) / s.rate) < s.span) {
			double delay = s.floor + s.jitter * exponential(w);
			add(&w->side[k], (int64_t)(t * S),
				llround(truth_at(w, t) + (k ? -delay : delay)));
		}
	}
}

static void discard(struct world *w)
{
	free(w->truth);
	free(w->side[0].p);
	free(w->side[1].p);
}

static struct sync_fit fit(const struct points side[2])
{
	struct sync_fit_job job = { side[0].p, side[1].p, side[0].n, side[1].n, MAX_RATE, { 0 } };
	struct mer_err err;
	if (sync_fit(&job, 1, &err))
		fail_msg("%s", err.text);
	struct sync_fit f = job.fit;
	assert_true(f.n > 0);
	for (size_t i = 0; i < f.n; i++) {
		assert_true(isfinite(f.knots[i].y));
		if (i) {
			double dx = (double)((uint64_t)f.knots[i].x - (uint64_t)f.knots[i - 1].x);
			double dy = f.knots[i].y - f.knots[i - 1].y;
			double at = (double)((uint64_t)f.knots[i].x - (uint64_t)f.knots[0].x);
			double rounding = 1e-3 + 1e-15 * (fabs(f.knots[i].y) + at);
			assert_true(dx > 0);
			assert_true(fabs(dy) <= dx * MAX_RATE * (1 + 1e-9) + rounding);
		}
	}
	return f;
}

struct quality {
	double mean, max, floor; /* ns */
	size_t pieces;
};

static struct quality measure(struct setting s)
{
	enum { N = 5000 };
	struct world w;
	make(&w, s);
	struct sync_fit f = fit(w.side);
	struct quality q = { .floor = f.floor_ns, .pieces = f.n - 1 };
	for (int i = 0; i < N; i++) {
		double t = s.span * (i + 0.5) / N;
		double e = fabs(sync_fit_at(&f, (int64_t)(t * S)) - truth_at(&w, t));
		q.mean += e / N;
		q.max = fmax(q.max, e);
	}
	sync_fit_free(&f);
	discard(&w);
	return q;
}

static void test_accuracy(void **state)
{
	(void)state;
	static const struct {
		struct setting s;
		double mean, floor_error; /* ns: the most that we accept */
		size_t pieces;
	} rows[] = {
		/* The means found are about half of these. */
		{ { CRYSTAL, 7200, 1, 40e3, 100e3, 0 }, 1000, 4000, 300 },
		{ { CRYSTAL, 3600, 10, 40e3, 100e3, 0 }, 250, 1000, 400 },
		{ { STEERED, 3600, 2, 40e3, 100e3, 0 }, 1000, 4000, 200 },
		{ { STRAIGHT, 3600, 1, 40e3, 100e3, 0 }, 80, 500, 4 },
		{ { STRAIGHT, 3600, 1, 40e3, 1000e3, 0 }, 800, 5000, 4 },
		{ { CRYSTAL, 20, 1000, 500, 200, 0 }, 4, 10, 100 },
		{ { CRYSTAL, 300, 1, 40e3, 100e3, 0 }, 6000, 10000, 20 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct setting s = rows[i].s;
			s.seed = seed;
			struct quality q = measure(s);
			if (!(q.mean <= rows[i].mean) || q.pieces > rows[i].pieces ||
				!(fabs(q.floor - 2 * s.floor) <= rows[i].floor_error))
				fail_msg("row %zu seed %d: mean error %.0f ns, floor %.0f ns, "
					 "%zu pieces",
					i, (int)seed, q.mean, q.floor, q.pieces);
		}
}

/* All limits are kept where the clock is straight, and the floor is what they have in common. */
static void test_inside(void **state)
{
	(void)state;
	struct world w;
	make(&w, (struct setting){ STRAIGHT, 600, 5, 40e3, 100e3, 7 });
	struct sync_fit f = fit(w.side);
	assert_int_equal(f.n, 2);
	double least[2] = { INFINITY, INFINITY };
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < w.side[k].n; i++) {
			struct sync_point p = w.side[k].p[i];
			double d = (double)p.y - sync_fit_at(&f, p.x);
			least[k] = fmin(least[k], k ? -d : d);
		}
	assert_true(least[0] > 0 && least[1] > 0);
	assert_true(fabs(least[0] - least[1]) < 10);
	assert_true(least[0] + least[1] >= f.floor_ns);
	sync_fit_free(&f);
	discard(&w);
}

/* Without jitter nothing is left to estimate. */
static void test_exact(void **state)
{
	(void)state;
	struct points side[2] = { { 0 } };
	for (int64_t i = 0; i < 1000; i++) {
		add(&side[0], i * 1000000000, 123456789 + 20000 * i + 500);
		add(&side[1], i * 1000000000 + 400000000, 123456789 + 20000 * i + 8000 - 500);
	}
	struct sync_fit f = fit(side);
	assert_int_equal(f.n, 2);
	assert_true(fabs(f.floor_ns - 1000) < 1);
	for (int64_t i = -100; i < 1100; i += 10) /* its ends go on */
		assert_true(fabs(sync_fit_at(&f, i * 1000000000) -
				    (123456789 + 20000 * (double)i)) < 0.5);
	sync_fit_free(&f);
	free(side[0].p);
	free(side[1].p);
}

/* A line added to all y, and another epoch, change nothing else. */
static void test_same_elsewhere(void **state)
{
	(void)state;
	struct world w;
	make(&w, (struct setting){ CRYSTAL, 3600, 2, 40e3, 100e3, 3 });
	struct sync_fit f = fit(w.side);
	static const int64_t shifts[] = { 0, 1700000000000000000, -9000000000000000000 };
	static const int64_t offsets[] = { 0, -77, 4000000000000000 };
	for (int k = 0; k < 3; k++) {
		struct points moved[2] = { { 0 } };
		int64_t ppm = k ? 50 : 0;
		for (int d = 0; d < 2; d++)
			for (size_t i = 0; i < w.side[d].n; i++) {
				struct sync_point p = w.side[d].p[i];
				add(&moved[d], p.x + shifts[k],
					p.y + offsets[k] + p.x / 1000000 * ppm);
			}
		struct sync_fit g = fit(moved);
		/* The result may differ by what rounding does. */
		assert_true(fabs(f.floor_ns - g.floor_ns) < 500);
		double sum = 0;
		for (int64_t x = 0; x < 3600; x += 4)
			sum += fabs(sync_fit_at(&g, x * 1000000000 + shifts[k]) -
				       (double)(offsets[k] + x * 1000 * ppm) -
				       sync_fit_at(&f, x * 1000000000)) /
			       900;
		assert_true(sum < (k ? 150 : 1e-9));
		sync_fit_free(&g);
		free(moved[0].p);
		free(moved[1].p);
	}
	sync_fit_free(&f);
	discard(&w);
}

static struct sync_fit of(
	const struct sync_point *u, size_t nu, const struct sync_point *l, size_t nl)
{
	struct points side[2] = { { .n = nu }, { .n = nl } };
	side[0].p = (struct sync_point *)u;
	side[1].p = (struct sync_point *)l;
	return fit(side);
}

static void test_few(void **state)
{
	(void)state;
	struct sync_fit f = of(NULL, 0, NULL, 0);
	assert_true(sync_fit_at(&f, 5) == 0 && isnan(f.floor_ns));
	sync_fit_free(&f);

	/* One message each way: halfway, no slope out of nothing. */
	struct sync_point u[] = { { 1000000000, 5000 }, { 1000000000, 9000 } };
	struct sync_point l[] = { { 3000000000, 1000 }, { 3000000000, 500 } };
	f = of(u, 1, l, 1);
	assert_true(fabs(sync_fit_at(&f, 1000000000) - 3000) < 100);
	assert_true(fabs(sync_fit_at(&f, 3000000000) - 3000) < 100);
	assert_true(fabs(f.floor_ns - 4000) < 10);
	sync_fit_free(&f);
	/* All at one time. */
	struct sync_point l2[] = { { 1000000000, 1000 }, { 1000000000, 2000 } };
	f = of(u, 2, l2, 2);
	assert_true(fabs(sync_fit_at(&f, 1000000000) - 3500) < 100);
	sync_fit_free(&f);
	/* One alone is touched. */
	f = of(u, 1, NULL, 0);
	assert_true(fabs(sync_fit_at(&f, 1000000000) - 5000) < 1 && isnan(f.floor_ns));
	sync_fit_free(&f);
	f = of(NULL, 0, l, 1);
	assert_true(fabs(sync_fit_at(&f, 3000000000) - 1000) < 1);
	sync_fit_free(&f);
}

/* One direction alone: the estimate follows the least delays. */
static void test_one_way(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct world w;
		make(&w, (struct setting){ CRYSTAL, 7200, 2, 40e3, 100e3, 5 });
		w.side[!k].n = 0;
		struct sync_fit f = fit(w.side);
		assert_true(isnan(f.floor_ns));
		double least = INFINITY, mean = 0;
		for (size_t i = 0; i < w.side[k].n; i++) {
			struct sync_point p = w.side[k].p[i];
			double d = (double)p.y - sync_fit_at(&f, p.x);
			least = fmin(least, k ? -d : d);
		}
		for (int i = 0; i < 720; i++) {
			double e = sync_fit_at(&f, (int64_t)(10 * i * S)) - truth_at(&w, 10 * i);
			mean += fabs(e - (k ? -40e3 : 40e3)) / 720;
		}
		assert_true(fabs(least) < 2000);
		assert_true(mean < 15000);
		sync_fit_free(&f);
		discard(&w);
	}
}

/* One way, once a second like a ping, and mostly fast but sometimes held up for long: nothing calls
 * the course back from the other side, but it stays where the messages are. */
static void test_one_way_evenly(void **state)
{
	(void)state;
	enum { N = 600 };
	for (unsigned run = 0; run < 8; run++) {
		struct sync_point p[N];
		uint64_t x = run + 1;
		double held_up = run % 2 ? 50e6 : 0, jitter = run & 2 ? 10e3 : 100e3, worst = 0;
		for (size_t i = 0; i < N; i++) {
			double late[2];
			for (int k = 0; k < 2; k++) {
				x = x * 6364136223846793005u + 1442695040888963407u;
				late[k] = -log(((double)(x >> 11) + 1) / 9007199254740994.0);
			}
			double delay = jitter * late[0] + (i % 50 < 5 ? held_up * late[1] : 0);
			p[i] = (struct sync_point){ (int64_t)((double)i * S),
				(int64_t)(20e3 * (double)i + delay) };
			worst = fmax(worst, delay);
		}
		struct sync_fit_job job = { .upper = p, .n_upper = N, .max_rate = MAX_RATE };
		struct mer_err err;
		assert_int_equal(sync_fit(&job, 1, &err), 0);
		struct sync_fit f = job.fit;
		double sum = 0;
		for (size_t i = 0; i < N; i++) {
			double off = fabs(sync_fit_at(&f, p[i].x) - 20e3 * (double)i);
			assert_true(off < worst + 1e6);
			sum += off / N;
		}
		assert_true(held_up > 0 || sum < jitter);
		sync_fit_free(&f);
	}
}

/* Dense traffic for a moment tells little of the rate: it must not go wild elsewhere. */
static void test_burst(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct world w;
		make(&w, (struct setting){ STRAIGHT, 0.3, 300, 40e3, 100e3, seed });
		struct sync_fit f = fit(w.side);
		double slope = (sync_fit_at(&f, 25000000000) - sync_fit_at(&f, 24000000000)) / S;
		assert_true(fabs(slope) < 150e-6);
		assert_true(fabs(sync_fit_at(&f, 150000000) - truth_at(&w, 0.15)) < 10e3);
		sync_fit_free(&f);
		discard(&w);
	}
}

/* An hour without traffic between two with it: the course goes from one to the other. */
static void test_gap(void **state)
{
	(void)state;
	struct world w;
	make(&w, (struct setting){ CRYSTAL, 10800, 2, 40e3, 100e3, 4 });
	for (int k = 0; k < 2; k++) {
		size_t n = 0;
		for (size_t i = 0; i < w.side[k].n; i++)
			if (w.side[k].p[i].x < 3600000000000 || w.side[k].p[i].x > 7200000000000)
				w.side[k].p[n++] = w.side[k].p[i];
		w.side[k].n = n;
	}
	struct sync_fit f = fit(w.side);
	for (int i = 10; i < 3590; i += 10) {
		assert_true(fabs(sync_fit_at(&f, (int64_t)(i * S)) - truth_at(&w, i)) < 20e3);
		double t = 7200 + i;
		assert_true(fabs(sync_fit_at(&f, (int64_t)(t * S)) - truth_at(&w, t)) < 20e3);
		t = 3600 + i; /* half a ppm for an hour */
		assert_true(fabs(sync_fit_at(&f, (int64_t)(t * S)) - truth_at(&w, t)) < 2e6);
	}
	sync_fit_free(&f);
	discard(&w);
}

/* Limits that contradict each other: no wild result. */
static void test_wrong_limits(void **state)
{
	(void)state;
	struct world w;
	make(&w, (struct setting){ CRYSTAL, 3600, 2, 40e3, 100e3, 6 });
	for (int k = 0; k < 2; k++)
		for (size_t i = 50; i < w.side[k].n; i += 100) {
			double g = truth_at(&w, (double)w.side[k].p[i].x / S);
			w.side[k].p[i].y = llround(g + (k ? 10e3 : -10e3));
		}
	struct sync_fit f = fit(w.side);
	for (int i = 0; i < 3600; i += 10)
		assert_true(fabs(sync_fit_at(&f, (int64_t)(i * S)) - truth_at(&w, i)) < 100e3);
	sync_fit_free(&f);
	discard(&w);
}

/* Any numbers at all: fit() checks what always holds. */
static void test_any_numbers(void **state)
{
	(void)state;
	struct world w = { .random = 99 };
	for (int run = 0; run < 200; run++) {
		int shape = run % 5;
		for (int k = 0; k < 2; k++) {
			struct points *s = &w.side[k];
			s->n = 0;
			size_t n = (size_t)pow(10, 3 * uniform(&w)) - 1;
			int64_t x = shape == 0 ? -4000000000000000000 : 1000;
			double step =
				shape == 0 ? 8e18 / ((double)n + 1) : pow(10, 10 * uniform(&w));
			for (size_t i = 0; i < n; i++) {
				double y = shape < 2   ? 1e6 * normal(&w)
					   : shape < 3 ? (k ? 1e12 : -1e12) * uniform(&w)
					   : shape < 4 ? 0
						       : 1e15 * uniform(&w);
				add(s, x, llround(y));
				if (uniform(&w) < 0.8)
					x += (int64_t)(uniform(&w) * step);
			}
		}
		struct sync_fit f = fit(w.side);
		sync_fit_free(&f);
	}
	discard(&w);
}

static void assert_same_knots(
	const struct sync_knot *a, size_t n_a, const struct sync_knot *b, size_t n_b)
{
	assert_int_equal(n_a, n_b);
	for (size_t i = 0; i < n_a; i++) {
		assert_true(a[i].x == b[i].x);
		assert_true(a[i].y == b[i].y);
	}
}

/* To the last bit the same as one after the other, whatever their number, kinds and sizes. */
static void test_many_at_once(void **state)
{
	(void)state;
	static const struct setting settings[] = {
		{ CRYSTAL, 600, 5, 40e3, 100e3, 1 },
		{ STRAIGHT, 600, 5, 40e3, 100e3, 2 }, /* one line */
		{ STEERED, 1200, 2, 40e3, 100e3, 3 },
		{ CRYSTAL, 60, 0.2, 40e3, 100e3, 4 }, /* few */
		{ CRYSTAL, 20, 1000, 500, 200, 5 },
		{ STEERED, 900, 1, 40e3, 1000e3, 6 },
		{ CRYSTAL, 300, 1, 40e3, 100e3, 7 },
	};
	enum { N = sizeof settings / sizeof *settings };
	struct world w[N];
	struct sync_fit alone[N];
	for (size_t i = 0; i < N; i++) {
		make(&w[i], settings[i]);
		if (i == 5) /* one direction only */
			w[i].side[1].n = 0;
		alone[i] = fit(w[i].side);
	}
	assert_int_equal(alone[1].n, 2);
	for (size_t n = 1; n <= N; n++) {
		struct sync_fit_job jobs[N];
		struct mer_err err;
		for (size_t i = 0; i < n; i++) {
			const struct points *p = w[i].side;
			jobs[i] = (struct sync_fit_job){ p[0].p, p[1].p, p[0].n, p[1].n, MAX_RATE,
				{ 0 } };
		}
		assert_int_equal(sync_fit(jobs, n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			struct sync_fit *f = &jobs[i].fit;
			assert_same_knots(f->knots, f->n, alone[i].knots, alone[i].n);
			assert_same_knots(f->off, f->n_off, alone[i].off, alone[i].n_off);
			assert_true(f->rate_before == alone[i].rate_before);
			assert_true(f->rate_varies == alone[i].rate_varies);
			assert_true(f->floor_ns == alone[i].floor_ns || i == 5);
			sync_fit_free(f);
		}
	}
	for (size_t i = 0; i < N; i++) {
		sync_fit_free(&alone[i]);
		discard(&w[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accuracy),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_same_elsewhere),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_one_way_evenly),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_wrong_limits),
		cmocka_unit_test(test_any_numbers),
		cmocka_unit_test(test_many_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
