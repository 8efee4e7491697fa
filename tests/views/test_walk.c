/* The innermost state of a thread at each instant: several views at once, asked in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "views/states.h"

enum { TID = 5, N_VIEWS = 3, EACH = 40, END = 400 };

static struct view_piece pieces[N_VIEWS * EACH];
static struct view_state all[N_VIEWS * EACH];
static struct view_lane lanes[N_VIEWS];
static struct view_states states = { .n_views = N_VIEWS };
static struct view_host host = { .pieces = pieces, .states = all, .lanes = lanes, .of = &states };

/* Pieces of some length with gaps of some length, of the views 0 and 2; view 1 has none. */
static void make(unsigned seed)
{
	uint32_t n = 0;
	srand(seed);
	for (uint32_t v = 0; v < N_VIEWS; v += 2) {
		uint32_t *lane = mer_map_put(&host.lane_of, (uint64_t)v << 32 | TID);
		assert_non_null(lane);
		*lane = v + 1;
		lanes[v] = (struct view_lane){ .view = v, .tid = TID, .first = n };
		for (int64_t t = rand() % 3; lanes[v].n < EACH; lanes[v].n++, n++) {
			pieces[n] = (struct view_piece){ t, t + 1 + rand() % 8, n, v };
			all[n] = (struct view_state){ .begin = pieces[n].begin * 2 + v % 2 };
			t = pieces[n].end + (rand() % 2 ? 0 : rand() % 6);
		}
	}
}

/* The same by looking at all pieces. */
static uint32_t at(int64_t t)
{
	uint32_t found = VIEW_NONE;
	for (uint32_t v = 0; v < N_VIEWS; v++)
		for (uint32_t i = lanes[v].first; i < lanes[v].first + lanes[v].n; i++)
			if (pieces[i].begin <= t && t < pieces[i].end &&
				(found == VIEW_NONE ||
					all[pieces[i].state].begin > all[found].begin))
				found = pieces[i].state;
	return found;
}

static bool is_edge(int64_t t)
{
	for (uint32_t i = 0; i < N_VIEWS * EACH; i++)
		if (pieces[i].begin == t || pieces[i].end == t)
			return true;
	return false;
}

static void stretch(struct view_walk *w, int64_t begin, int64_t end)
{
	uint32_t state;
	int64_t to = view_walk_next(w, &host, begin, end, &state);
	assert_true(to > begin && to <= end);
	assert_int_equal(state, at(begin));
	assert_true(to == end || is_edge(to));
	for (int64_t t = begin + 1; t < to; t++)
		assert_false(is_edge(t));
}

static void in_any_order(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct view_walk w;
		make(seed);
		view_walk_begin(&w, &host, TID);
		for (int64_t t = 0; t < END; t++) /* in rising order */
			stretch(&w, t, END + 1);
		for (int i = 0; i < 2000; i++) {
			int64_t t = rand() % END;
			stretch(&w, t, t + 1 + rand() % 20);
		}
	}
	mer_map_fini(&host.lane_of);
}

static void of_nobody(void **state)
{
	struct view_walk w;
	uint32_t found;
	(void)state;
	make(1);
	static const int32_t nobody[] = { TID + 1, -1 };
	for (int i = 0; i < 2; i++) {
		view_walk_begin(&w, &host, nobody[i]);
		assert_int_equal(view_walk_next(&w, &host, 3, 9, &found), 9);
		assert_int_equal(found, VIEW_NONE);
	}
	view_walk_begin(&w, NULL, TID);
	assert_int_equal(view_walk_next(&w, NULL, 3, 9, &found), 9);
	assert_int_equal(found, VIEW_NONE);
	mer_map_fini(&host.lane_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_any_order),
		cmocka_unit_test(of_nobody) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
