/* Guests: which offsets a schedule leaves, in which stay an event is, what lost events take away,
 * and what a steady rate adds. Times are in us; a unit of the schedules here is an ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sync/vcpu/feasible.h"
#include "sync/vcpu/holes.h"
#include "sync/vcpu/lines.h"
#include "sync/vcpu/track.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

/* ---- feasible ---- */

static void assert_ranges(const struct sync_feasible *f, size_t n, const int64_t *ends)
{
	assert_int_equal(f->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(f->v[i].low, ends[2 * i]);
		assert_int_equal(f->v[i].high, ends[2 * i + 1]);
	}
}

static void gaps_cut(void **state)
{
	(void)state;
	static const struct sync_gap gaps[] = { { 100, 200 }, { 300, 310 }, { 900, 1000 } };
	struct sync_cpu_gaps cpu = { gaps, 3, 0 }, none = { 0 };
	struct sync_feasible f;
	sync_feasible_init(&f, 0);
	assert_true(sync_feasible_begin(&f, 50, (struct sync_offsets){ 0, 500 }));
	/* At 50 the offsets 50 to 150 would put it into the first gap, 250 to 260 into the second;
	 * the ends of a gap are not in it. */
	assert_int_equal(sync_feasible_cut(&f, &cpu), SYNC_CUT);
	assert_ranges(&f, 3, (const int64_t[]){ 0, 50, 150, 250, 260, 500 });
	/* Later on the same gaps are earlier offsets; without drift it widens by the rounding. */
	sync_feasible_move(&f, 60);
	assert_int_equal(sync_feasible_cut(&f, &cpu), SYNC_CUT);
	assert_ranges(&f, 4, (const int64_t[]){ -1, 40, 149, 240, 250, 251, 259, 501 });
	/* A CPU of which nothing is known says nothing. */
	assert_int_equal(sync_feasible_cut(&f, &none), SYNC_CUT);
	assert_int_equal(f.n, 4);
	assert_true(sync_feasible_within(&f, (struct sync_offsets){ 200, 240 }));
	assert_ranges(&f, 1, (const int64_t[]){ 200, 240 });
	assert_false(sync_feasible_within(&f, (struct sync_offsets){ 300, 400 }));
	assert_ranges(&f, 1, (const int64_t[]){ 200, 240 });
	/* At 700 all of it would be in the last gap: it contradicts, and nothing changes. */
	sync_feasible_move(&f, 720);
	assert_int_equal(sync_feasible_cut(&f, &cpu), SYNC_CUT_CONTRADICTS);
	assert_ranges(&f, 1, (const int64_t[]){ 199, 241 });
	sync_feasible_fini(&f);
}

static void drift_widens(void **state)
{
	(void)state;
	static const struct sync_gap gaps[] = { { 100 * US, 104 * US } };
	struct sync_cpu_gaps cpu = { gaps, 1, 0 };
	struct sync_feasible f;
	sync_feasible_init(&f, 1e-3);
	assert_true(sync_feasible_begin(&f, 0, (struct sync_offsets){ 0, 200 * US }));
	assert_int_equal(sync_feasible_cut(&f, &cpu), SYNC_CUT);
	assert_int_equal(f.n, 2);
	/* 1 us a ms, forwards or backwards, rounded outwards: after 2 ms the two ranges meet. */
	sync_feasible_move(&f, -MS);
	assert_ranges(
		&f, 2, (const int64_t[]){ -US - 1, 101 * US + 1, 103 * US - 1, 201 * US + 1 });
	sync_feasible_move(&f, 0);
	assert_int_equal(f.n, 1);
	sync_feasible_fini(&f);
}

static void stays_have_numbers(void **state)
{
	(void)state;
	static const struct sync_gap gaps[] = { { 100, 200 }, { 300, 310 } };
	for (size_t hint = 0; hint < 3; hint++) {
		struct sync_cpu_gaps cpu = { gaps, 2, hint };
		assert_int_equal(sync_stay_at(&cpu, 310), 2);
		assert_int_equal(sync_stay_at(&cpu, 300), 1);
		assert_int_equal(sync_stay_at(&cpu, 200), 1);
		assert_int_equal(sync_stay_at(&cpu, 100), 0);
	}
}

/* ---- track ---- */

enum { N_STAYS = 400 };

/* A vCPU that is in its guest for a part of each ms that changes, and a guest in which something
 * happens soon after each entry and soon before each exit. */
struct world {
	struct sync_gap gaps[N_STAYS];
	struct sync_guest_event events[2 * N_STAYS];
	struct sync_guest_events g;
	struct sync_cpu_gaps cpu;
};

/* offset: hypervisor - guest; from `jump` on the second one. */
static void make_world(struct world *w, int64_t offset, size_t jump, int64_t after)
{
	*w = (struct world){ 0 };
	int64_t entry[N_STAYS + 1], exit[N_STAYS + 1];
	uint64_t random = 3;
	for (int i = 0; i <= N_STAYS; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		entry[i] = i * MS + (int64_t)(random >> 40) % 100 * US;
		exit[i] = entry[i] + (300 + (int64_t)(random >> 50) % 400) * US;
	}
	for (size_t i = 0; i < N_STAYS; i++) {
		int64_t o = i < jump ? offset : after;
		w->gaps[i] = (struct sync_gap){ exit[i], entry[i + 1] };
		w->events[2 * i].time = entry[i] + 5 * US - o;
		w->events[2 * i + 1].time = exit[i] - 5 * US - o;
	}
	w->g = (struct sync_guest_events){ .events = w->events, .n = (size_t)2 * N_STAYS };
	w->cpu = (struct sync_cpu_gaps){ w->gaps, N_STAYS, 0 };
}

static struct sync_track run(struct world *w, const struct sync_offset_limit *limits, size_t n)
{
	struct sync_track t;
	struct sync_track_options o = {
		.max_drift = 1e-3, .limits = limits, .n_limits = n, .is_proven = true
	};
	assert_int_equal(sync_track_run(&w->g, &w->cpu, 1, &o, &t, NULL), 0);
	return t;
}

/* How many are in another stay than the n-th event is, and how many in none. */
static void count(const struct sync_track *t, size_t *wrong, size_t *none)
{
	*wrong = *none = 0;
	for (size_t i = 0; i < t->n; i++) {
		*none += t->stays[i] == SYNC_NO_STAY;
		*wrong += t->stays[i] != SYNC_NO_STAY && t->stays[i] != i / 2;
	}
}

static void all_stays_are_found(void **state)
{
	(void)state;
	struct world w;
	make_world(&w, -3 * MS, N_STAYS, 0);
	struct sync_offset_limit limit = { 0, { -20 * MS, 20 * MS }, false };
	struct sync_track t = run(&w, &limit, 1);
	size_t wrong, none;
	count(&t, &wrong, &none);
	assert_int_equal(wrong, 0);
	assert_int_equal(none, 0); /* those before it was clear, too: on the way back */
	assert_int_equal(t.n_bad, 0);
	assert_int_equal(t.n_gaps, 0);
	assert_true(sync_track_is_likely(&t));
	sync_track_fini(&t);

	/* With an offset that is not in the limits, nothing is likely. */
	limit.range = (struct sync_offsets){ -1 * MS, 20 * MS };
	t = run(&w, &limit, 1);
	assert_false(sync_track_is_likely(&t));
	assert_int_equal(t.n_certain, 0);
	sync_track_fini(&t);
}

static void one_that_contradicts_is_left_out(void **state)
{
	(void)state;
	struct world w;
	make_world(&w, -3 * MS, N_STAYS, 0);
	struct sync_offset_limit limit = { 0, { -20 * MS, 20 * MS }, false };
	w.events[301].time += 100 * US; /* in the middle of a gap */
	struct sync_track t = run(&w, &limit, 1);
	size_t wrong, none;
	count(&t, &wrong, &none);
	assert_int_equal(wrong, 0);
	assert_int_equal(none, 1);
	assert_int_equal(t.stays[301], SYNC_NO_STAY);
	assert_int_equal(t.n_bad, 1);
	assert_int_equal(t.n_breaks, 0);
	sync_track_fini(&t);
}

static void a_jump_is_found(void **state)
{
	(void)state;
	struct world w;
	make_world(&w, -3 * MS, 200, -4 * MS - 500 * US);
	struct sync_offset_limit limit = { 0, { -20 * MS, 20 * MS }, false };
	struct sync_track t = run(&w, &limit, 1);
	size_t wrong, none;
	count(&t, &wrong, &none);
	assert_int_equal(wrong, 0);
	assert_true(none < 10);
	assert_int_equal(t.n_gaps, 1);
	/* From the last event that is certain to the first: the jump lies between. */
	assert_true(t.gaps[0].begin <= w.events[399].time);
	assert_true(t.gaps[0].end >= w.events[400].time);
	assert_true(t.gaps[0].end - t.gaps[0].begin < 20 * MS);
	sync_track_fini(&t);
}

/* Where the messages say that the clock jumped, nothing contradicts; what happened between the two
 * limits is not certain. */
static void a_known_jump_is_no_contradiction(void **state)
{
	(void)state;
	struct world w;
	make_world(&w, -3 * MS, 200, -44 * MS - 500 * US);
	struct sync_offset_limit limits[] = { { 0, { -4 * MS, -2 * MS }, false },
		{ w.events[395].time, { -4 * MS, -2 * MS }, false },
		{ w.events[410].time, { -45 * MS, -43 * MS }, true } };
	struct sync_track t = run(&w, limits, 3);
	size_t wrong, none;
	count(&t, &wrong, &none);
	assert_int_equal(wrong, 0);
	assert_int_equal(t.n_bad, 0);
	assert_int_equal(t.n_breaks, 0);
	assert_in_range(none, 1, 16);
	sync_track_fini(&t);
}

/* All stays are alike: any offset of some ms fits. */
static void the_ambiguous_stays_open(void **state)
{
	(void)state;
	struct world w;
	make_world(&w, 0, N_STAYS, 0);
	for (int64_t i = 0; i < N_STAYS; i++) {
		w.gaps[i] = (struct sync_gap){ i * MS + 500 * US, (i + 1) * MS };
		w.events[2 * i].time = i * MS + 100 * US;
		w.events[2 * i + 1].time = i * MS + 400 * US;
	}
	struct sync_offset_limit limit = { 0, { -5 * MS, 5 * MS }, false };
	struct sync_track t = run(&w, &limit, 1);
	/* But the first and the last: with some offsets they lie outside of all that is known. */
	assert_true(t.n_certain * 10 < t.n);
	assert_false(sync_track_is_likely(&t));
	sync_track_fini(&t);
	limit.range = (struct sync_offsets){ -100 * US, 100 * US };
	t = run(&w, &limit, 1);
	assert_int_equal(t.n_certain, t.n_looked_at);
	sync_track_fini(&t);
}

/* ---- lines ---- */

enum { N_LIMITS = 2000 };

/* Offsets of a rate that changes at `bend`, and limits up to 40 us from them on both sides. */
static int64_t true_offset(int64_t x, int64_t bend)
{
	return x < bend ? x / 20000 : bend / 20000 - (x - bend) / 10000;
}

static void steady_rates_narrow(void **state)
{
	(void)state;
	const int64_t bends[] = { INT64_MAX / 2, 2000 * MS, 2100 * MS + 7 };
	for (int b = 0; b < 3; b++) {
		struct sync_point upper[N_LIMITS], lower[N_LIMITS];
		uint64_t random = 7;
		for (int64_t i = 0; i < N_LIMITS; i++) {
			int64_t x = i * 2 * MS;
			random = random * 6364136223846793005 + 1442695040888963407;
			upper[i] = (struct sync_point){ x,
				true_offset(x, bends[b]) + 1000 + (int64_t)(random >> 33) % 40000 };
			random = random * 6364136223846793005 + 1442695040888963407;
			lower[i] = (struct sync_point){ x + US,
				true_offset(x + US, bends[b]) - 1000 -
					(int64_t)(random >> 33) % 40000 };
		}
		struct sync_straight *out;
		size_t n;
		struct sync_lines_options o = {
			.steady_ns = 1000 * MS, .every_ns = 10 * MS, .max_rate = 1e-3
		};
		assert_int_equal(
			sync_lines(upper, N_LIMITS, lower, N_LIMITS, &o, &out, &n, NULL), 0);
		assert_true(n > 390);
		double width = 0;
		for (size_t i = 0; i < n; i++) {
			int64_t y = true_offset(out[i].x, bends[b]);
			assert_true(out[i].low <= y + 1 && y - 1 <= out[i].high);
			width += (double)(out[i].high - out[i].low) / (double)n;
		}
		/* The limits next to each of them leave 40 us on average. */
		assert_true(width < 6000);
		free(out);
	}
}

/* Of all lines through two limits, and of the steepest through one, those that keep all limits. */
static void widest_lines(const struct sync_point *p, size_t n, size_t n_upper, int64_t x,
	int64_t from, int64_t to, double rate, double *low, double *high)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k <= i + 1; k++) {
			double b = (double)(p[i].y - p[k < i ? k : 0].y) /
				   (double)(p[i].x - p[k < i ? k : 0].x);
			if (k >= i)
				b = k == i ? rate : -rate;
			bool inside = p[i].x >= from && p[i].x < to && fabs(b) <= rate;
			if (k < i)
				inside &= p[k].x >= from && p[k].x < to;
			for (size_t m = 0; m < n && inside; m++) {
				double at = (double)p[i].y + b * (double)(p[m].x - p[i].x);
				inside = p[m].x < from || p[m].x >= to ||
					 (m < n_upper ? at <= (double)p[m].y + 1e-6
						      : at >= (double)p[m].y - 1e-6);
			}
			if (!inside)
				continue;
			double at = (double)p[i].y + b * (double)(x - p[i].x);
			*low = fmin(*low, at);
			*high = fmax(*high, at);
		}
}

static void lines_are_the_outermost(void **state)
{
	(void)state;
	enum { N = 150, MOMENTS = 5 };
	struct sync_point p[2 * N];
	uint64_t random = 3;
	for (int64_t i = 0; i < 2 * N; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		int64_t x = i % N * 2 * MS + (i >= N) * US, off = (int64_t)(random >> 33) % 40000;
		p[i] = (struct sync_point){ x,
			true_offset(x, 100 * MS) + (i < N ? 1000 + off : -1000 - off) };
	}
	struct sync_lines_options o = {
		.steady_ns = 160 * MS, .every_ns = 2 * N / MOMENTS * MS + 7, .max_rate = 2e-4
	};
	struct sync_straight *out;
	size_t n;
	assert_int_equal(sync_lines(p, N, p + N, N, &o, &out, &n, NULL), 0);
	assert_int_equal(n, MOMENTS - 1); /* at one of them the bend leaves none */
	for (size_t i = 0; i < n; i++) {
		double low = INFINITY, high = -INFINITY;
		for (int k = 0; k < 8; k++)
			widest_lines(p, (size_t)2 * N, N, out[i].x, out[i].x - k * 20 * MS,
				out[i].x + (7 - k) * 20 * MS, o.max_rate, &low, &high);
		assert_true(fabs((double)out[i].low - low) <= 2.1);
		assert_true(fabs((double)out[i].high - high) <= 2.1);
	}
	free(out);
}

/* Two bends where one is allowed: nothing is claimed where no line fits. */
static void no_line_says_nothing(void **state)
{
	(void)state;
	struct sync_point upper[40], lower[40];
	for (int64_t i = 0; i < 40; i++) {
		int64_t y = i % 2 ? 100 * US : 0;
		upper[i] = (struct sync_point){ i * 10 * MS, y + 10 };
		lower[i] = (struct sync_point){ i * 10 * MS, y - 10 };
	}
	struct sync_straight *out;
	size_t n;
	struct sync_lines_options o = { .steady_ns = 100 * MS, .every_ns = MS, .max_rate = 1e-3 };
	assert_int_equal(sync_lines(upper, 40, lower, 40, &o, &out, &n, NULL), 0);
	/* But at both ends, where all that fits may lie. */
	for (size_t i = 0; i < n; i++)
		assert_true(out[i].x < 20 * MS || out[i].x > 370 * MS);
	free(out);
	assert_int_equal(sync_lines(upper, 0, lower, 40, &o, &out, &n, NULL), 0);
	assert_int_equal(n, 0);
}

/* ---- holes ---- */

static void losses_are_narrowed(void **state)
{
	(void)state;
	for (int lttng = 0; lttng < 2; lttng++) {
		struct mer_host host = { .name = "a" };
		struct mer_trace trace = { .tracer = lttng ? "lttng-modules 2.13" : "other",
			.domain = "kernel" };
		struct mer_stream streams[2] = { { .cpu = 0 }, { .cpu = 1 } };
		struct mer_loss loss = { .stream = 0, .begin = 1000, .end = 2000, .events = 5 };
		struct mer_experiment e = { .hosts = &host,
			.traces = &trace,
			.streams = streams,
			.losses = &loss,
			.n_hosts = 1,
			.n_traces = 1,
			.n_streams = 2,
			.n_losses = 1 };
		struct sync_holes h;
		assert_int_equal(sync_holes_begin(&e, 0, &h, NULL), 0);
		size_t n_after = 0;
		for (int64_t t = 500; t < 3000; t += 10) {
			bool is_after;
			if (t > 1000 && t < 1200)
				continue; /* nothing was recorded */
			assert_int_equal(sync_holes_event(&h, 0, t, &is_after, NULL), 0);
			n_after += is_after;
			assert_int_equal(is_after, t == 1000 || t == 2010);
			assert_int_equal(sync_holes_event(&h, 1, t, &is_after, NULL), 0);
			assert_false(is_after);
		}
		assert_int_equal(n_after, 2);
		assert_int_equal(sync_holes_finish(&h, NULL), 0);
		assert_false(sync_holes_between(&h, 500, 1000));
		/* The tail: some of the last events of the packet, up to the first of the next. */
		assert_true(sync_holes_between(&h, 1980, 1990));
		assert_true(sync_holes_between(&h, 2001, 2009));
		assert_false(sync_holes_between(&h, 2010, 2500));
		assert_int_equal(sync_holes_between(&h, 1300, 1600), !lttng);
		sync_holes_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_cut),
		cmocka_unit_test(drift_widens),
		cmocka_unit_test(stays_have_numbers),
		cmocka_unit_test(all_stays_are_found),
		cmocka_unit_test(one_that_contradicts_is_left_out),
		cmocka_unit_test(a_jump_is_found),
		cmocka_unit_test(a_known_jump_is_no_contradiction),
		cmocka_unit_test(the_ambiguous_stays_open),
		cmocka_unit_test(steady_rates_narrow),
		cmocka_unit_test(lines_are_the_outermost),
		cmocka_unit_test(lines_are_the_outermost),
		cmocka_unit_test(no_line_says_nothing),
		cmocka_unit_test(losses_are_narrowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
