/* Requests cut by the innermost states of their tasks, as a view has them: parts, and their sums.
 * And pieces of time found by halving, against looking at each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calls_world.h"
#include "requests/state_sums.h"
#include "views/states.h"

enum { US = 1000, TEXT = 2000 };

/* ---- a view's states, made by hand ---- */

struct made {
	struct view_states all;
	struct view_host host;
};

static uint32_t lane_of(struct made *m, int32_t tid)
{
	uint32_t *at = mer_map_put(&m->host.lane_of, (uint32_t)tid);
	assert_non_null(at);
	if (!*at) {
		m->host.lanes =
			realloc(m->host.lanes, (m->host.n_lanes + 1u) * sizeof(*m->host.lanes));
		assert_non_null(m->host.lanes);
		m->host.lanes[m->host.n_lanes++] = (struct view_lane){
			.row = VIEW_NONE, .tid = tid, .first = m->host.n_pieces
		};
		*at = m->host.n_lanes;
	}
	return *at - 1;
}

/* Pieces of a thread come one after the other. */
static void add(struct made *m, int32_t tid, int64_t begin, int64_t end, const char *word)
{
	struct view_host *h = &m->host;
	uint32_t lane = lane_of(m, tid), i = h->n_pieces++;
	h->pieces = realloc(h->pieces, h->n_pieces * sizeof(*h->pieces));
	h->states = realloc(h->states, h->n_pieces * sizeof(*h->states));
	assert_true(h->pieces && h->states);
	h->n_states = h->n_pieces;
	h->pieces[i] = (struct view_piece){ begin, end, i, lane };
	h->states[i] = (struct view_state){
		.begin = begin, .end = end, .word = mer_intern_add(&h->words, word, strlen(word))
	};
	h->lanes[lane].n++;
}

static void begin(struct made *m)
{
	*m = (struct made){ .all = { .n_views = 1 } };
	m->host.of = &m->all;
	mer_arena_init(&m->host.arena);
	mer_intern_init(&m->host.words, &m->host.arena);
}

static void end(struct made *m)
{
	free(m->host.pieces);
	free(m->host.states);
	free(m->host.lanes);
	mer_map_fini(&m->host.lane_of);
	mer_intern_fini(&m->host.words);
	mer_arena_fini(&m->host.arena);
}

/* ---- requests ---- */

/* 10 asks 20 from 1 to 11; 20 asks 30 from 4 to 7 for it. */
#define WORLD                                                                                      \
	"pair 10:5 20:6\npair 20:7 30:8\n"                                                         \
	"0 10 blocked network by 20 call read fd 5\n"                                              \
	"0 20 user\n0 30 user\n"                                                                   \
	"1-1 10 write 5 10\n2-2 20 read 6 10\n4-4 20 write 7 10\n5-5 30 read 8 10\n"               \
	"6-6 30 write 8 10\n7-7 20 read 7 10\n10-10 20 write 6 20\n11-11 10 read 5 20\n"

static void put_states(const struct calls_world *c, const char *id, char *text, size_t size)
{
	struct requests_parts p = { 0 };
	struct mer_err err = { 0 };
	uint32_t i = requests_by_id(c->r, id);
	size_t at = 0;
	int64_t t = c->r->exchanges[i].begin;
	*text = '\0';
	assert_int_equal(requests_parts_find(c->parts, i, &p, &err), 0);
	for (size_t k = 0; k < p.n; k++) {
		const struct requests_part *x = &p.item[k];
		const char *state = requests_part_state(c->r, x);
		assert_int_equal(x->begin, t);
		t = x->end;
		at += (size_t)snprintf(text + at, size - at, "%s%d %s %d", k ? ", " : "",
			(int)c->host.tasks[x->task].tid, state ? state : "-",
			(int)((x->end - x->begin) / US));
		assert_true(at < size);
	}
	assert_int_equal(t, c->r->exchanges[i].end);
	requests_parts_fini(&p);
}

static void open_world(struct calls_world *c, struct made *m)
{
	struct mer_err err = { 0 };
	begin(m);
	calls_world_open(c, WORLD);
	c->host.views = &m->host;
	requests_parts_finder_free(c->parts);
	assert_int_equal(requests_parts_finder_new(c->r, &c->parts, &err), 0);
}

static void parts_are_cut(void **state)
{
	struct calls_world c;
	struct made m;
	char text[TEXT], before[TEXT];
	(void)state;
	calls_world_open(&c, WORLD);
	put_states(&c, "r1.1", before, sizeof(before));
	assert_null(strstr(before, "query")); /* nothing without a view */
	calls_world_close(&c);
	open_world(&c, &m);
	add(&m, 20, 3 * US, 4 * US, "parse");
	add(&m, 20, 4 * US, 8 * US, "query");
	add(&m, 30, 0, 6 * US, "table");
	put_states(&c, "r1.1", text, sizeof(text));
	/* It computes, and reads the answer, in the same state. */
	assert_string_equal(
		text, "20 - 2, 20 parse 1, 30 table 2, 20 query 1, 20 query 1, 20 - 2, 10 - 1");
	/* What is below has the same, and any order of questions will do. */
	char again[TEXT];
	put_states(&c, "r2.1", before, sizeof(before));
	assert_non_null(strstr(before, "30 table 2"));
	put_states(&c, "r1.1", again, sizeof(again));
	assert_string_equal(text, again);
	end(&m);
	calls_world_close(&c);
}

static void sums_are_of_each_kind(void **state)
{
	struct calls_world c;
	struct made m;
	struct requests_kinds k;
	struct requests_state_sums s;
	struct mer_err err = { 0 };
	const uint32_t which[] = { 0, 1 };
	(void)state;
	open_world(&c, &m);
	add(&m, 20, 3 * US, 4 * US, "parse");
	add(&m, 20, 4 * US, 10 * US, "query");
	add(&m, 30, 0, 20 * US, "table");
	assert_int_equal(requests_kinds_find(c.r, &k, &err), 0);
	assert_int_equal(c.r->n, 2);
	assert_int_equal(requests_state_sum(&k, c.parts, which, 2, &s, &err), 0);
	/* Of the one above only what it does itself; of the one below also its requester's. */
	int64_t query = 0, table = 0, parse = 0;
	for (size_t i = 0; i < s.n; i++) {
		const struct requests_state_row *r = &s.rows[i];
		const char *name = mer_intern_text(&s.names, r->state);
		int64_t sum = 0;
		for (unsigned p = 0; p < REQUESTS_N_PARTS; p++)
			sum += r->parts_ns[p];
		assert_int_equal(sum, r->ns);
		assert_int_equal(r->parts_ns[REQUESTS_BELOW], 0);
		if (strcmp(name, "query") == 0 && r->kind == k.of[requests_by_id(c.r, "r1.1")])
			query = r->ns;
		if (strcmp(name, "parse") == 0)
			parse = r->ns;
		if (strcmp(name, "table") == 0)
			table += r->ns;
	}
	assert_int_equal(parse, 1 * US);
	assert_int_equal(query, 3 * US);
	assert_true(table >= 1 * US);
	requests_state_sums_fini(&s);
	requests_kinds_fini(&k);
	end(&m);
	calls_world_close(&c);
}

/* ---- the piece of a time ---- */

static void any_order(void **state)
{
	enum { PIECES = 400, QUESTIONS = 20000 };
	struct made m;
	struct view_walk w;
	uint32_t seed = 7;
	int64_t t = 0;
	(void)state;
	begin(&m);
	add(&m, 1, 0, 5, "other");
	for (int i = 0; i < PIECES; i++) {
		seed = seed * 1664525 + 1013904223;
		int64_t from = t + (seed >> 28) % 3; /* some follow at once */
		t = from + 1 + (seed >> 24) % 7;
		add(&m, 2, from, t, "mine");
	}
	view_walk_begin(&w, &m.host, 2);
	for (int i = 0; i < QUESTIONS; i++) {
		uint32_t got, expected = VIEW_NONE;
		seed = seed * 1664525 + 1013904223;
		int64_t at =
			i < QUESTIONS / 2 ? (int64_t)(seed % (uint32_t)(t + 10)) : i % (t + 10);
		int64_t until = at + 30;
		for (uint32_t p = 1; p < m.host.n_pieces; p++) {
			const struct view_piece *x = &m.host.pieces[p];
			if (x->begin <= at && at < x->end) {
				expected = x->state;
				until = x->end < until ? x->end : until;
			} else if (x->begin > at && x->begin < until && expected == VIEW_NONE) {
				until = x->begin;
			}
		}
		assert_int_equal(view_walk_next(&w, &m.host, at, at + 30, &got), until);
		assert_int_equal(got, expected);
	}
	view_walk_begin(&w, &m.host, 3); /* a thread without any */
	uint32_t got;
	assert_int_equal(view_walk_next(&w, &m.host, 3, 9, &got), 9);
	assert_int_equal(got, VIEW_NONE);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_cut),
		cmocka_unit_test(sums_are_of_each_kind),
		cmocka_unit_test(any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
