/* Advice, each rule by itself on a result made by hand: the word for each pair and host, at the
 * limits where it changes, and which sentences are said, about whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "sync/advice.h"

enum { MAX_HOSTS = 40, MAX_PAIRS = 8, MANY = 20 };
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

struct advised {
	struct sync_result r;
	struct sync_host hosts[MAX_HOSTS];
	struct sync_pair pairs[MAX_PAIRS];
	uint32_t references[MAX_HOSTS];
	char names[MAX_HOSTS][16];
};

/* Hosts h0 (the reference), h1, ... of one group; all that is known of their clocks is good. */
static void begin(struct advised *x, uint32_t n)
{
	memset(x, 0, sizeof(*x));
	mer_arena_init(&x->r.arena);
	mer_diags_init(&x->r.diags, &x->r.arena);
	x->r.method = SYNC_AUTO;
	x->r.max_drift_ppm = 1000;
	x->r.hosts = x->hosts;
	x->r.pairs = x->pairs;
	x->r.references = x->references;
	x->r.n_hosts = n;
	x->r.n_groups = 1;
	for (uint32_t h = 0; h < n; h++) {
		snprintf(x->names[h], sizeof(x->names[h]), "h%u", (unsigned)h);
		x->hosts[h].name = x->hosts[h].id = x->names[h];
		x->hosts[h].quality = h ? SYNC_ABSENT : SYNC_REFERENCE;
		x->hosts[h].span = (struct sync_range){ 1000 * SECOND, 1100 * SECOND };
		x->hosts[h].bound =
			(struct sync_bound){ 1, MS, 10 * MS, 1000 * SECOND + 7 * SECOND };
		x->hosts[h].likely_off =
			(struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME };
		x->hosts[h].via = h ? h - 1 : UINT32_MAX;
	}
}

static struct sync_pair *pair(
	struct advised *x, uint32_t a, uint32_t b, uint64_t n_ab, uint64_t n_ba)
{
	struct sync_pair *p = &x->pairs[x->r.n_pairs++];
	p->a = a;
	p->b = b;
	p->ab.before.n = p->ab.after.n = n_ab;
	p->ba.before.n = p->ba.after.n = n_ba;
	p->ab.after.min = p->ba.after.min = 50 * US;
	p->bound.median = MS;
	p->line.quality = SYNC_ACCURATE;
	return p;
}

static const struct mer_diag *row(const struct advised *x, const char *code)
{
	for (size_t i = 0; i < x->r.diags.n; i++)
		if (strcmp(x->r.diags.rows[i].code, code) == 0)
			return &x->r.diags.rows[i];
	return NULL;
}

/* The words of the pairs, then those of the hosts, and what is said about which host. */
static void says(struct advised *x, const char *expected)
{
	struct mer_str s = { 0 };
	sync_advise(&x->r);
	for (size_t i = 0; i < x->r.n_pairs; i++)
		mer_str_printf(&s, "%s%s", i ? " " : "", sync_quality_name(x->pairs[i].quality));
	mer_str_printf(&s, " |");
	for (uint32_t h = 0; h < x->r.n_hosts; h++)
		mer_str_printf(&s, " %s", sync_quality_name(x->hosts[h].quality));
	mer_str_printf(&s, " |");
	for (size_t i = 0; i < x->r.diags.n; i++) {
		const struct mer_diag *d = &x->r.diags.rows[i];
		mer_str_printf(&s, " %s(%s)", d->code, d->host ? d->host : "");
	}
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

static void contains(const struct advised *x, const char *code, const char *text)
{
	const struct mer_diag *d = row(x, code);
	assert_non_null(d);
	if (!strstr(d->message, text))
		fail_msg("\"%s\" is not in \"%s\"", text, d->message);
}

static void end(struct advised *x)
{
	mer_diags_fini(&x->r.diags);
	mer_arena_fini(&x->r.arena);
}

/* Of two hosts: a pair is accurate from eight messages each way, and up to a bound of a
 * millisecond. */
static void a_pair(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 2);
	pair(&x, 0, 1, 8, 8);
	says(&x, "accurate | reference accurate |");
	end(&x);
	begin(&x, 2);
	pair(&x, 0, 1, 7, 8);
	says(&x, "approximate | reference accurate | sync-few(h1)");
	contains(&x, "sync-few", "7 and 8 messages between h0 and h1");
	assert_int_equal(row(&x, "sync-few")->count, 15);
	assert_int_equal(row(&x, "sync-few")->severity, MER_NOTE);
	end(&x);
	begin(&x, 2);
	pair(&x, 0, 1, 8, 7);
	says(&x, "approximate | reference accurate | sync-few(h1)");
	end(&x);
	begin(&x, 2);
	pair(&x, 0, 1, 8, 8)->bound.median = MS + 1;
	says(&x, "approximate | reference accurate |");
	end(&x);
	begin(&x, 2);
	pair(&x, 0, 1, 0, 0);
	says(&x, "absent | reference accurate |");
	end(&x);
}

static void one_way(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 2);
	x.hosts[1].bound.median = INT64_MAX;
	pair(&x, 0, 1, MANY, 0);
	says(&x, "incomplete | reference incomplete | sync-one-way(h1)");
	contains(&x, "sync-one-way", "from h0 to h1 only");
	assert_int_equal(row(&x, "sync-one-way")->count, MANY);
	end(&x);
	begin(&x, 2);
	x.hosts[1].bound.median = INT64_MAX;
	pair(&x, 0, 1, 0, MANY);
	says(&x, "incomplete | reference incomplete | sync-one-way(h1)");
	contains(&x, "sync-one-way", "from h1 to h0 only");
	end(&x);
	/* Others limit both sides. */
	begin(&x, 2);
	pair(&x, 0, 1, 0, MANY);
	says(&x, "incomplete | reference accurate |");
	end(&x);
}

/* Messages that contradict the others: up to 5 % are mistakes, more say that the drift is beyond
 * the limit. */
static void left_out(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 2);
	pair(&x, 0, 1, 10, 10)->n_rejected = 1;
	says(&x, "approximate | reference approximate | sync-rejected(h1)");
	contains(&x, "sync-rejected", "1 of 20 messages between h0 and h1 contradicts all");
	end(&x);
	begin(&x, 2);
	pair(&x, 0, 1, 10, 10)->n_rejected = 2;
	says(&x, "approximate | reference approximate | sync-max-drift(h1)");
	contains(&x, "sync-max-drift", "2 of 20 messages between h0 and h1 contradict the");
	contains(&x, "sync-max-drift", "1000 ppm");
	assert_int_equal(row(&x, "sync-max-drift")->count, 2);
	assert_int_equal(row(&x, "sync-max-drift")->remedy, MER_REMEDY_DRIFT_LIMIT);
	end(&x);
	/* And those that are received before they are sent; of the pairs of that host. */
	begin(&x, 3);
	pair(&x, 0, 1, MANY, MANY)->ab.after.n_inversions = 1;
	pair(&x, 0, 2, MANY, MANY);
	says(&x, "accurate accurate | reference approximate accurate |");
	end(&x);
	begin(&x, 3);
	pair(&x, 0, 1, MANY, MANY)->ba.after.n_inversions = 1;
	pair(&x, 1, 2, MANY, MANY);
	says(&x, "accurate accurate | reference approximate accurate |");
	end(&x);
	begin(&x, 3);
	pair(&x, 0, 1, MANY, MANY);
	pair(&x, 1, 2, MANY, MANY)->n_rejected = 1;
	says(&x, "accurate approximate | reference approximate approximate | sync-rejected(h2)");
	end(&x);
}

/* What the least latencies add up to may hide in one direction: where it is much, and both have
 * messages enough. */
static void asymmetric(void **state)
{
	(void)state;
	static const struct {
		int64_t ab, ba;
		uint64_t n_ab, n_ba;
		bool is_said;
	} cases[] = { { 999999, 999999, MANY, MANY, false }, { 50 * MS, 50 * MS, MANY, MANY, true },
		{ 2 * MS, 0, MANY, MANY, true }, { 1000, 100, MANY, MANY, false },
		{ 50 * MS, 50 * MS, 7, MANY, false }, { 50 * MS, 50 * MS, MANY, 7, false },
		{ 50 * MS, 50 * MS, 8, 8, true } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct advised x;
		begin(&x, 2);
		struct sync_pair *p = pair(&x, 0, 1, cases[i].n_ab, cases[i].n_ba);
		p->ab.after.min = cases[i].ab;
		p->ba.after.min = cases[i].ba;
		sync_advise(&x.r);
		if ((row(&x, "sync-asymmetry") != NULL) != cases[i].is_said)
			fail_msg("case %zu", i);
		if (i == 1) {
			contains(&x, "sync-asymmetry",
				"between h0 and h1 took 100 ms there and back");
			contains(&x, "sync-asymmetry", "up to 50 ms;");
			assert_string_equal(row(&x, "sync-asymmetry")->host, "h1");
		}
		end(&x);
	}
}

/* With the classic method its own words count; of a host that of its best pair, unless nothing is
 * usable. */
static void classic(void **state)
{
	(void)state;
	static const struct {
		enum sync_quality lines[2], host;
	} cases[] = {
		{ { SYNC_FAIL, SYNC_FAIL }, SYNC_FAIL },
		{ { SYNC_FAIL, SYNC_ABSENT }, SYNC_FAIL },
		{ { SYNC_INCOMPLETE, SYNC_FAIL }, SYNC_FAIL },
		{ { SYNC_APPROXIMATE, SYNC_FAIL }, SYNC_APPROXIMATE },
		{ { SYNC_FAIL, SYNC_ACCURATE }, SYNC_ACCURATE },
		{ { SYNC_ACCURATE, SYNC_APPROXIMATE }, SYNC_ACCURATE },
		{ { SYNC_INCOMPLETE, SYNC_ABSENT }, SYNC_INCOMPLETE },
		{ { SYNC_ABSENT, SYNC_ABSENT }, SYNC_ABSENT },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct advised x;
		begin(&x, 4);
		x.r.method = SYNC_HULL;
		for (uint32_t h = 0; h < 4; h++)
			x.hosts[h].method = SYNC_HULL;
		pair(&x, 0, 1, MANY, MANY)->line.quality = cases[i].lines[0];
		pair(&x, 1, 2, MANY, MANY)->line.quality = cases[i].lines[1];
		pair(&x, 2, 3, MANY, MANY)->line.quality = SYNC_ACCURATE; /* not of h1 */
		for (int k = 0; k < 2; k++)
			x.pairs[k].line.failed_at = 1005 * SECOND;
		sync_advise(&x.r);
		if (x.hosts[1].quality != cases[i].host)
			fail_msg("case %zu: %s", i, sync_quality_name(x.hosts[1].quality));
		for (int k = 0; k < 2; k++)
			assert_int_equal(x.pairs[k].quality, cases[i].lines[k]);
		const struct mer_diag *d = row(&x, "sync-no-straight-line");
		bool failed = cases[i].lines[0] == SYNC_FAIL || cases[i].lines[1] == SYNC_FAIL;
		assert_int_equal(d != NULL, failed);
		if (d) {
			contains(&x, "sync-no-straight-line", " after 5 s;");
			assert_int_equal(d->remedy, MER_REMEDY_METHOD_AUTO);
			assert_string_equal(d->host, cases[i].lines[0] == SYNC_FAIL ? "h1" : "h2");
		}
		end(&x);
	}
}

/* A host is accurate up to a median of 1 ms and 10 ms at worst, by the method that gives a
 * guarantee. */
static void a_host(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 2);
	x.hosts[1].bound.median = MS + 1;
	says(&x, " | reference approximate | sync-wide(h1)");
	contains(&x, "sync-wide", "10 ms (max, 7 s after");
	contains(&x, "sync-wide", "by 1000 us per second");
	end(&x);
	begin(&x, 2);
	x.hosts[1].bound.max = 10 * MS + 1;
	says(&x, " | reference approximate | sync-wide(h1)");
	end(&x);
	begin(&x, 2);
	x.hosts[1].bound.max = INT64_MAX; /* somewhere nothing is known */
	says(&x, " | reference approximate |");
	end(&x);
	begin(&x, 2);
	x.hosts[1].bound.median = x.hosts[1].bound.max = INT64_MAX;
	says(&x, " | reference incomplete |");
	end(&x);
	begin(&x, 2);
	x.hosts[1].method = SYNC_OFFSET;
	says(&x, " | reference approximate |");
	end(&x);
}

/* What is likely counts, where it is known: of a clock that does not move as fast as it may. And
 * one that drifts by as much as is allowed may drift more. */
static void likely(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 2);
	x.hosts[1].bound = (struct sync_bound){ 1, 5 * MS, 50 * MS, 0 };
	x.hosts[1].likely_off = (struct sync_bound){ 1, MS, 10 * MS, 0 };
	says(&x, " | reference accurate |");
	end(&x);
	begin(&x, 2);
	x.hosts[1].bound = (struct sync_bound){ 1, 5 * MS, 50 * MS, 1000 * SECOND };
	x.hosts[1].likely_off = (struct sync_bound){ 1, MS + 1, 10 * MS, 0 };
	says(&x, " | reference approximate | sync-wide(h1)");
	end(&x);
	/* Rates in 2^-60. */
	static const double ppm[] = { 979, 981, -981, 1200 };
	for (size_t i = 0; i < 4; i++) {
		begin(&x, 2);
		struct trace_clock_piece piece = { 1000 * SECOND, 1000 * SECOND,
			(int64_t)(ppm[i] * 1e-6 * 0x1p60) };
		x.hosts[1].map = (struct trace_clock_map){ &piece, 1 };
		says(&x, i ? " | reference approximate | sync-at-limit(h1)"
			   : " | reference accurate |");
		end(&x);
	}
}

/* The pair that lacks traffic is the one that leaves most open on the way to the reference. */
static void who_lacks_traffic(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 4);
	pair(&x, 0, 1, MANY, MANY)->bound.max = 3 * MS;
	pair(&x, 1, 2, MANY, MANY)->bound.max = 9 * MS;
	pair(&x, 2, 3, MANY, MANY)->bound.max = 5 * MS;
	pair(&x, 1, 3, MANY, MANY)->bound.max = 90 * MS;
	x.hosts[3].bound.max = 20 * MS;
	sync_advise(&x.r);
	contains(&x, "sync-wide", "of h3's clock");
	contains(&x, "sync-wide", "some traffic between h2 and h1 all the time");
	end(&x);
}

/* The reference of nobody is no reference, but for the only host that there is. */
static void alone(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 1);
	says(&x, " | reference |");
	end(&x);
	begin(&x, 2);
	x.hosts[1].group = 1;
	x.hosts[1].quality = SYNC_REFERENCE;
	x.r.n_groups = 2;
	says(&x, " | absent absent | sync-groups()");
	assert_true(x.hosts[1].bound.max == INT64_MAX);
	end(&x);
	begin(&x, 3);
	x.hosts[2].group = 1;
	x.hosts[2].quality = SYNC_REFERENCE;
	x.r.n_groups = 2;
	says(&x, " | reference accurate absent | sync-groups()");
	assert_int_equal(x.hosts[0].bound.max, 10 * MS);
	contains(&x, "sync-groups", ": {h0 h1}, {h2}");
	assert_int_equal(row(&x, "sync-groups")->count, 2);
	end(&x);
	/* Of many as many as a line holds. */
	begin(&x, MAX_HOSTS);
	x.r.n_groups = MAX_HOSTS;
	for (uint32_t h = 0; h < MAX_HOSTS; h++) {
		x.hosts[h].group = h;
		x.hosts[h].name = "a-host-with-a-name-of-more-than-32-letters";
	}
	sync_advise(&x.r);
	contains(&x, "sync-groups", ": {a-host-with-a-name-of-more-than-}, {a-host");
	unsigned n = 0;
	for (const char *c = row(&x, "sync-groups")->message; *c; c++)
		n += *c == '{';
	assert_int_equal(n, 9);
	end(&x);
}

static void breaks(void **state)
{
	(void)state;
	struct advised x;
	struct sync_step steps[4];
	struct sync_slew slews[2];
	static const int64_t jumps[4] = { 3 * MS, -2 * SECOND, 5, 6 };
	for (int i = 0; i < 4; i++)
		steps[i] = (struct sync_step){
			{ 1001 * SECOND + i * SECOND, 1002 * SECOND + i * SECOND }, jumps[i]
		};
	for (int i = 0; i < 2; i++)
		slews[i] = (struct sync_slew){ { 1020 * SECOND + i * SECOND,
						       1021 * SECOND + i * SECOND },
			i ? -500 : 2000, i ? 1000 : 4000 };
	begin(&x, 2);
	x.hosts[1].steps = steps;
	x.hosts[1].n_steps = 1;
	says(&x, " | reference approximate | sync-step(h1)");
	contains(&x, "sync-step", "of h1 jumped ahead by about 3 ms between 1 s and 2 s");
	end(&x);
	begin(&x, 2);
	x.hosts[1].slews = slews;
	x.hosts[1].n_slews = 1;
	says(&x, " | reference approximate | sync-slew(h1)");
	contains(&x, "sync-slew", "of h1 ran at +2000 ppm or more between 20 s and 21 s");
	contains(&x, "sync-slew", "up to 4000 ppm");
	end(&x);
	/* Back and forth, three times or more. */
	static const struct {
		size_t first, n_steps, first_slew, n_slews;
		bool is_said;
	} cases[] = { { 0, 3, 0, 0, true }, { 0, 2, 0, 0, false }, { 2, 2, 0, 1, false },
		{ 2, 2, 1, 1, true }, { 0, 1, 0, 2, true }, { 1, 1, 0, 2, true },
		{ 0, 0, 0, 2, false }, { 1, 2, 0, 0, false }, { 1, 2, 1, 1, true },
		{ 1, 1, 1, 1, false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(&x, 2);
		x.hosts[1].steps = steps + cases[i].first;
		x.hosts[1].n_steps = cases[i].n_steps;
		x.hosts[1].slews = slews + cases[i].first_slew;
		x.hosts[1].n_slews = cases[i].n_slews;
		sync_advise(&x.r);
		if ((row(&x, "sync-sawtooth") != NULL) != cases[i].is_said)
			fail_msg("case %zu", i);
		end(&x);
	}
	/* Clocks that only go one way are pulled by one source. */
	begin(&x, 2);
	steps[1].size_ns = 4;
	x.hosts[1].steps = steps;
	x.hosts[1].n_steps = 4;
	sync_advise(&x.r);
	assert_null(row(&x, "sync-sawtooth"));
	end(&x);
}

static void units(void **state)
{
	(void)state;
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = { { 0, "about 0 ns " }, { 999, "about 999 ns " }, { 1000, "about 1 us " },
		{ 999999, "about 1 ms " }, { 999400, "about 999 us " }, { MS, "about 1 ms " },
		{ 1234567, "about 1.23 ms " }, { SECOND, "about 1 s " },
		{ -59 * SECOND, "set back by about 59 s " }, { 60 * SECOND, "about 1 min " },
		{ 90 * 60 * SECOND, "about 1.5 h " }, { -36 * 3600 * SECOND, "about 1.5 d " } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct advised x;
		begin(&x, 2);
		const struct sync_step s = { { 1001 * SECOND, 1002 * SECOND }, cases[i].ns };
		x.hosts[1].steps = &s;
		x.hosts[1].n_steps = 1;
		sync_advise(&x.r);
		contains(&x, "sync-step", cases[i].text);
		end(&x);
	}
}

/* What is found on the way. */
static void others(void **state)
{
	(void)state;
	struct advised x;
	begin(&x, 3);
	sync_advise_drift(&x.r, 1e-3, 2e-3);
	contains(&x, "sync-drift", "at most 1000 ppm; the bounds are computed for 2000 ppm");
	assert_null(row(&x, "sync-drift")->host);
	sync_advise_conflict(&x.r, 1, 2, 17);
	contains(&x, "sync-conflict", "from h1 to h2 ");
	assert_string_equal(row(&x, "sync-conflict")->host, "h1");
	assert_int_equal(row(&x, "sync-conflict")->count, 17);
	sync_advise_inconsistent(&x.r, 0);
	assert_int_equal(row(&x, "sync-inconsistent")->remedy, MER_REMEDY_LATENCIES);
	sync_advise_no_line(&x.r, 2, "it is late");
	contains(&x, "sync-no-line", "h2 keeps its recorded clock: it is late");
	assert_string_equal(row(&x, "sync-no-line")->host, "h2");
	assert_int_equal(x.r.diags.n_warnings, 4);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair),
		cmocka_unit_test(one_way),
		cmocka_unit_test(left_out),
		cmocka_unit_test(asymmetric),
		cmocka_unit_test(classic),
		cmocka_unit_test(a_host),
		cmocka_unit_test(likely),
		cmocka_unit_test(who_lacks_traffic),
		cmocka_unit_test(alone),
		cmocka_unit_test(breaks),
		cmocka_unit_test(units),
		cmocka_unit_test(others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
