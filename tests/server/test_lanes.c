/* Lanes as bytes: in bins each lane has the shares of states and causes that it has exactly; which
 * span of a bin stands for it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <endian.h>

#include "ask/library/api.h"
#include "base/map.h"
#include "given.h"
#include "server/state.h"
#include "session/lanes.h"
#include "store/lanes.h"

/* ---- Shares ---- */

struct sums {
	double ns[STORE_KINDS];
};

static uint32_t u32(const char *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* What the lanes of the answer say. in_bins: do they come so? */
static size_t sums_of(
	struct server *s, const char *target, struct sums *sums, size_t most, bool *in_bins)
{
	enum { HEAD = 32, EACH = 15 };
	struct http_answer a = { 0 };
	int64_t unit;
	server_ask(s, target, &a);
	if (a.status != 200 || a.body.len < HEAD || memcmp(a.body.data, "MLN1", 4) != 0)
		fail_msg("%s: %d", target, a.status);
	size_t n = u32(a.body.data + 4), n_spans = u32(a.body.data + 8);
	*in_bins = u32(a.body.data + 12);
	memcpy(&unit, a.body.data + 24, sizeof(unit));
	const char *first = a.body.data + HEAD, *begin = first + 4 * (n + 1);
	const char *end = begin + 4 * n_spans, *state = end + 8 * n_spans, *cause = state + n_spans;
	const unsigned char *share = (const unsigned char *)cause + n_spans;
	assert_true(n <= most && a.body.len == HEAD + 4 * (n + 1) + EACH * n_spans);
	memset(sums, 0, n * sizeof(*sums));
	for (size_t lane = 0; lane < n; lane++)
		for (uint32_t i = u32(first + 4 * lane); i < u32(first + 4 * (lane + 1)); i++)
			sums[lane].ns[store_lane_kind((unsigned)state[i], (unsigned)cause[i])] +=
				(double)((int64_t)le64toh((uint64_t)unit) *
					 (u32(end + 4 * (size_t)i) - u32(begin + 4 * (size_t)i))) *
				share[i] / 255;
	mer_str_fini(&a.body);
	return n;
}

enum { MOST = 300 };

static void shares_of(const char *name)
{
	static struct sums bins[MOST], exact;
	static const uint32_t widths[] = { 60, 1000, 8000 };
	char path[500], dir[] = "/tmp/test_lanes.XXXXXX", target[100], remove[100];
	const char *paths[] = { path };
	struct mer_str lanes = { 0 };
	struct mer_err err = { 0 };
	struct server *s;
	size_t n = 0, n_bins = 0;
	bool in_bins;
	if (!given_find(path, sizeof(path), name)) {
		print_message("skipped: %s is not there\n", name);
		return;
	}
	assert_non_null(mkdtemp(dir));
	struct mer_session_options session = {
		.size = sizeof(session), .n_threads = 1, .cache_folder = dir
	};
	static const struct ask_asker asker = { 0 };
	struct server_options o = { .address = "127.0.0.1",
		.paths = paths,
		.n_paths = 1,
		.session = &session,
		.asker = &asker };
	if (server_open(&o, &s, &err))
		fail_msg("%s: %s", name, err.text);
	struct session_world w;
	struct http_answer none = { 0 };
	struct server_traces *t = server_traces_use(s, SERVER_CLOCKS_ALIGNED, &none);
	assert_non_null(t);
	if (session_world(api_session(t->session), SESSION_USAGE_NONE, &w, &err))
		fail_msg("%s: %s", name, err.text);
	int64_t begin = w.e->begin, end = w.e->end + 1;
	for (uint32_t h = 0; h < w.e->n_hosts; h++) {
		uint32_t n_tasks = w.world->hosts[h].n_tasks, step = n_tasks / 30 + 1;
		for (uint32_t task = 0; task < n_tasks && n < MOST; task += step, n++)
			mer_str_printf(&lanes, ",t:%" PRIu32 ":%" PRIu32, h, task);
		for (uint32_t cpu = 0; cpu < 4 && n < MOST; cpu++, n++)
			mer_str_printf(&lanes, ",c:%" PRIu32 ":%" PRIu32, h, cpu);
	}
	server_traces_done(t);
	for (size_t k = 0; k < sizeof(widths) / sizeof(*widths); k++) {
		struct mer_str ask = { 0 };
		mer_str_printf(&ask,
			"/api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%" PRIu32 "&lanes=%s",
			begin, end, widths[k], lanes.data + 1);
		assert_int_equal(sums_of(s, ask.data, bins, MOST, &in_bins), n);
		n_bins += in_bins;
		char *rest = NULL, *list = strdup(lanes.data);
		char *lane = strtok_r(list, ",", &rest);
		for (size_t i = 0; in_bins && i < n; i++, lane = strtok_r(NULL, ",", &rest)) {
			bool as_bins;
			snprintf(target, sizeof(target),
				"/api/lanes?begin=%" PRId64 "&end=%" PRId64 "&exact=1&lanes=%s",
				begin, end, lane);
			sums_of(s, target, &exact, 1, &as_bins);
			assert_false(as_bins);
			for (unsigned kind = 0; kind < STORE_KINDS; kind++) {
				double off = bins[i].ns[kind] - exact.ns[kind];
				uint8_t state, cause;
				store_lane_kind_is(kind, &state, &cause);
				/* New and stopped tasks, and spinning ones, have causes exactly. */
				if (off > 0.005 * (double)(end - begin) ||
					off < -0.005 * (double)(end - begin))
					fail_msg("%s, lane %s, %" PRIu32 " bins: %s %s for %.0f "
						 "ns, not %.0f",
						name, lane, widths[k],
						kernel_state_name((enum kernel_state)state),
						kernel_cause_name((enum kernel_cause)cause),
						bins[i].ns[kind], exact.ns[kind]);
			}
		}
		free(list);
		mer_str_fini(&ask);
	}
	print_message("%s: %zu lanes, %zu of 3 in bins\n", name, n, n_bins);
	server_stop(s);
	mer_str_fini(&lanes);
	snprintf(remove, sizeof(remove), "rm -rf '%s'", dir);
	assert_int_equal(system(remove), 0);
}

static void shares(void **state)
{
	(void)state;
	static const char *const names[] = { "lab/shop-a", "lab/kvm-nested", "lab/web-load",

		"lab/cluster-10", "lab/shop-node" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i += GIVEN_EVERY(4))
		shares_of(names[i]);
}

/* ---- Which span of a bin is shown ---- */

static void kinds(void **state)
{
	(void)state;
	unsigned next = 0;
	for (uint8_t s = 0; s < KERNEL_N_STATES; s++) {
		bool has_causes = s == KERNEL_INTERRUPTED || s == KERNEL_BLOCKED;
		for (uint8_t c = 0; c < (has_causes ? KERNEL_N_CAUSES : 1); c++, next++) {
			uint8_t got_state, got_cause;
			assert_int_equal(store_lane_kind(s, c), next);
			store_lane_kind_is(next, &got_state, &got_cause);
			assert_int_equal(got_state, s);
			assert_int_equal(got_cause, c);
		}
		/* Of others the cause does not count. */
		if (!has_causes)
			assert_int_equal(store_lane_kind(s, KERNEL_TIMER), store_lane_kind(s, 0));
	}
	assert_int_equal(next, STORE_KINDS);
}

static void one_is_shown(void **state)
{
	(void)state;
	static const struct {
		struct session_lane_span s[4];
		size_t n;
		uint8_t is, cause;
		int64_t ns;
	} cases[] = {
#define SPAN(state_, cause_, ns_) { 0, 100, ns_, 0, KERNEL_NONE, state_, cause_ }
		/* Who runs goes before who waits, however short. */
		{ { SPAN(KERNEL_USER, 0, 1), SPAN(KERNEL_BLOCKED, KERNEL_DISK, 99) }, 2,
			KERNEL_USER, 0, 1 },
		/* The disk before a lock before the network before sleep. */
		{ { SPAN(KERNEL_BLOCKED, KERNEL_DISK, 1), SPAN(KERNEL_BLOCKED, KERNEL_NETWORK, 20),
			  SPAN(KERNEL_BLOCKED, KERNEL_FUTEX, 30),
			  SPAN(KERNEL_BLOCKED, KERNEL_TIMER, 49) },
			4, KERNEL_BLOCKED, KERNEL_DISK, 1 },
		{ { SPAN(KERNEL_BLOCKED, KERNEL_NETWORK, 60),
			  SPAN(KERNEL_BLOCKED, KERNEL_TIMER, 30),
			  SPAN(KERNEL_BLOCKED, KERNEL_FUTEX, 10) },
			3, KERNEL_BLOCKED, KERNEL_FUTEX, 10 },
		{ { SPAN(KERNEL_BLOCKED, KERNEL_NETWORK, 5),
			  SPAN(KERNEL_BLOCKED, KERNEL_TIMER, 95) },
			2, KERNEL_BLOCKED, KERNEL_NETWORK, 5 },
		/* Of sleeps the longest. */
		{ { SPAN(KERNEL_BLOCKED, KERNEL_TIMER, 30), SPAN(KERNEL_BLOCKED, KERNEL_PIPE, 60) },
			2, KERNEL_BLOCKED, KERNEL_PIPE, 90 },
		/* Interruptions together are more than the call. */
		{ { SPAN(KERNEL_SYSCALL, 0, 40), SPAN(KERNEL_INTERRUPTED, KERNEL_IRQ, 35),
			  SPAN(KERNEL_INTERRUPTED, KERNEL_SOFTIRQ, 25) },
			3, KERNEL_INTERRUPTED, KERNEL_IRQ, 100 },
		{ { SPAN(KERNEL_UNKNOWN, 0, 90), SPAN(KERNEL_NEW, 0, 10) }, 2, KERNEL_NEW, 0, 10 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_lane_span spans[4];
		struct session_lanes l = { .spans = spans, .n_spans = cases[i].n };
		memcpy(spans, cases[i].s, sizeof(spans));
		server_lanes_thin_out(&l);
		assert_int_equal(l.n_spans, 1);
		assert_int_equal(spans[0].state, cases[i].is);
		assert_int_equal(spans[0].cause, cases[i].cause);
		assert_int_equal(spans[0].ns, cases[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(shares), cmocka_unit_test(kinds),
		cmocka_unit_test(one_is_shown) };
	return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
