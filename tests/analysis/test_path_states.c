/* Paths cut by what tasks did by their own account, and their profiles: hand-made states of a
 * thread, times in ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "path/path_diff.h"
#include "path/user_states.h"
#include "tasks_world.h"
#include "trace/experiment.h"
#include "views/states.h"

/* Task 10 of the first host is in "parse" from 10 to 20, in "query" from 20 to 30, in another
 * "parse" from 40 to 50; its thread 11 in "query" from 5 on. Others have no states. */
struct subject {
	struct tasks_world t;
	struct view_states views;
	struct view_host v[2];
	struct view_state states[4];
	struct view_piece pieces[4];
	struct view_lane lanes[2];
	struct mer_experiment e;
	struct mer_host hosts[2];
	struct mer_err err;
};

static uint32_t word(struct view_host *v, const char *text)
{
	return mer_intern_add(&v->words, text, strlen(text));
}

static void begin_views(struct view_host *v, const struct view_states *of)
{
	*v = (struct view_host){ .of = of };
	mer_arena_init(&v->arena);
	mer_intern_init(&v->words, &v->arena);
}

static void begin(struct subject *s)
{
	static const struct {
		int64_t begin, end;
		const char *text;
	} states[] = { { 10, 20, "parse" }, { 20, 30, "query" }, { 40, 50, "parse" },
		{ 5, 100, "query" } };
	*s = (struct subject){ .views = { .n_views = 1 } };
	tw_init(&s->t, 2, 100);
	begin_views(&s->v[0], &s->views);
	for (uint32_t i = 0; i < 4; i++) {
		s->states[i] = (struct view_state){ .begin = states[i].begin * MS,
			.end = states[i].end * MS,
			.word = word(&s->v[0], states[i].text) };
		s->pieces[i] =
			(struct view_piece){ s->states[i].begin, s->states[i].end, i, i == 3 };
	}
	s->lanes[0] = (struct view_lane){ .tid = 10, .first = 0, .n = 3 };
	s->lanes[1] = (struct view_lane){ .tid = 11, .first = 3, .n = 1 };
	*mer_map_put(&s->v[0].lane_of, 10) = 1;
	*mer_map_put(&s->v[0].lane_of, 11) = 2;
	s->v[0].states = s->states;
	s->v[0].pieces = s->pieces;
	s->v[0].lanes = s->lanes;
	s->v[0].n_states = s->v[0].n_pieces = 4;
	s->v[0].n_lanes = 2;
	s->t.hosts[0].views = &s->v[0];
	s->hosts[0].name = "front";
	s->hosts[1].name = "back";
	s->e.hosts = s->hosts;
	s->e.n_hosts = 2;
	s->t.w.e = &s->e;
}

static void end(struct subject *s)
{
	s->t.hosts[0].views = NULL;
	mer_map_fini(&s->v[0].lane_of);
	mer_intern_fini(&s->v[0].words);
	mer_arena_fini(&s->v[0].arena);
	tw_fini(&s->t);
}

/* "TID STATE BEGIN-END", of each segment. */
static void path_is(
	struct subject *s, uint32_t task, int64_t from, int64_t to, const char *expected)
{
	struct path p;
	struct mer_str out = { 0 };
	assert_int_equal(path_find(&s->t.w, 0, task, from * MS, to * MS, &p, &s->err), 0);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *g = &p.segments[i];
		const char *state = path_user_state(&p, g);
		mer_str_printf(&out, "%s%d %s %d-%d", i ? ", " : "",
			(int)s->t.hosts[g->host].tasks[g->task].tid, state ? state : "-",
			(int)(g->begin / MS), (int)(g->end / MS));
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	path_fini(&p);
}

static void cut(void **state)
{
	(void)state;
	struct subject s;
	begin(&s);
	uint32_t main = tw_task(&s.t, 0, 10, "server"), thread = tw_task(&s.t, 0, 11, "worker"),
		 other = tw_task(&s.t, 0, 12, "other");
	tw_span(&s.t, 0, main, 0, KERNEL_USER);
	tw_span(&s.t, 0, thread, 0, KERNEL_USER);
	tw_span(&s.t, 0, other, 0, KERNEL_USER);
	tw_span(&s.t, 0, main, 15, KERNEL_SYSCALL);
	tw_span(&s.t, 0, main, 60, KERNEL_USER);
	path_is(&s, main, 0, 100,
		"10 - 0-10, 10 parse 10-15, 10 parse 15-20, 10 query 20-30, 10 - 30-40, 10 parse "
		"40-50, 10 - 50-60, 10 - 60-100");
	path_is(&s, main, 20, 30, "10 query 20-30");
	path_is(&s, main, 19, 31, "10 parse 19-20, 10 query 20-30, 10 - 30-31");
	path_is(&s, thread, 0, 100, "11 - 0-5, 11 query 5-100");
	path_is(&s, other, 0, 100, "12 - 0-100");
	path_is(&s, main, 20, 20, "");
	s.t.hosts[0].views = NULL; /* without views there are no states */
	path_is(&s, main, 0, 100, "10 - 0-15, 10 - 15-60, 10 - 60-100");
	end(&s);
}

/* Tasks are asked in turns, each from where it was. */
static void in_turns(void **state)
{
	(void)state;
	struct subject s;
	struct path_user_states u;
	begin(&s);
	uint32_t main = tw_task(&s.t, 0, 10, "server"), thread = tw_task(&s.t, 0, 11, "worker"),
		 away = tw_task(&s.t, 1, 10, "away");
	path_user_states_init(&u, &s.t.w);
	assert_true(u.has_views);
	for (int64_t t = 0; t < 100; t++) {
		static const uint32_t numbers[10] = { 0, 1, 2, 0, 3, 0, 0, 0, 0, 0 };
		int64_t until;
		uint32_t number;
		assert_true(
			path_user_states_next(&u, 0, main, t * MS, (t + 1) * MS, &until, &number));
		assert_int_equal(number, numbers[t / 10]);
		assert_int_equal(until, (t + 1) * MS);
		assert_true(path_user_states_next(
			&u, 0, thread, t * MS, (t + 1) * MS, &until, &number));
		assert_int_equal(number, t < 5 ? 0 : 4);
		assert_true(
			path_user_states_next(&u, 1, away, t * MS, (t + 1) * MS, &until, &number));
		assert_int_equal(number, 0);
		number = 5;
		assert_true(path_user_states_next(
			&u, 0, KERNEL_NONE, t * MS, (t + 1) * MS, &until, &number));
		assert_int_equal(number, 0);
		assert_int_equal(until, (t + 1) * MS);
	}
	assert_int_equal(u.n_walks, 2);
	path_user_states_fini(&u);
	assert_string_equal(path_user_state_name(&s.t.w, 0, 4), "query");
	assert_null(path_user_state_name(&s.t.w, 0, 5));
	assert_null(path_user_state_name(&s.t.w, 0, 0));
	assert_null(path_user_state_name(&s.t.w, 1, 1));
	s.t.hosts[0].views = NULL;
	path_user_states_init(&u, &s.t.w);
	assert_false(u.has_views);
	path_user_states_fini(&u);
	end(&s);
}

/* The same text, or both in none, on one host; on different hosts only none is the same. */
static void same_state(void **state)
{
	(void)state;
	struct subject s;
	begin(&s);
	const struct path p = { .world = &s.t.w };
	for (uint32_t a = 0; a <= 4; a++)
		for (uint32_t b = 0; b <= 4; b++) {
			static const int text[] = { 0, 1, 2, 1, 2 };
			const struct path_segment x = { .user_state = a }, y = { .user_state = b },
						  there = { .host = 1, .user_state = b };
			assert_int_equal(path_same_user_state(&p, &x, &y), text[a] == text[b]);
			assert_int_equal(path_same_user_state(&p, &x, &there), a == b);
		}
	end(&s);
}

/* Profiles have the program with its state, and sums of what is in none. */
static void profile(void **state)
{
	(void)state;
	struct subject s;
	struct path p;
	struct path_profile f;
	struct mer_str out = { 0 };
	begin(&s);
	uint32_t main = tw_task(&s.t, 0, 10, "server"), back = tw_task(&s.t, 1, 20, "db"),
		 unnamed = tw_task(&s.t, 0, 30, "");
	tw_span(&s.t, 0, main, 0, KERNEL_USER);
	uint32_t db = tw_span(&s.t, 1, back, 0, KERNEL_USER);
	uint32_t wait = tw_wait(&s.t, 0, main, 60, "read", "", KERNEL_NETWORK);
	tw_by_packet(&s.t, 0, wait, 1, db, 69, 70);
	tw_span(&s.t, 0, main, 70, KERNEL_USER);
	tw_span(&s.t, 0, unnamed, 80, KERNEL_USER);
	assert_int_equal(path_find(&s.t.w, 0, main, 0, 100 * MS, &p, &s.err), 0);
	assert_int_equal(path_profile_of(&f, &p, &s.err), 0);
	for (size_t i = 0; i < f.n; i++)
		mer_str_printf(&out, "%s%s/%s %s %d %d%s", i ? ", " : "",
			mer_intern_text(&f.names, f.parts[i].host),
			mer_intern_text(&f.names, f.parts[i].comm),
			path_cause_name((enum path_cause)f.parts[i].cause), (int)f.parts[i].n,
			(int)(f.parts[i].ns / MS), f.parts[i].in_flight ? " flight" : "");
	assert_string_equal(out.data,
		"front/server running 4 60, back/db running 1 9, front/server network 1 1 flight, "
		"front/server: parse running 2 20, front/server: query running 1 10");
	assert_int_equal(f.total_ns, 100 * MS);
	mer_str_fini(&out);
	path_profile_fini(&f);
	path_fini(&p);
	end(&s);
}

/* Who is nobody, has no name, or is not known. */
static void names(void **state)
{
	(void)state;
	struct subject s;
	struct path_profile f;
	begin(&s);
	uint32_t unnamed = tw_task(&s.t, 0, 30, "");
	struct path_segment segments[] = { { .end = 1, .task = KERNEL_NONE },
		{ .end = 2, .task = unnamed }, { .end = 4, .task = 77 },
		{ .end = 8, .task = unnamed, .cause = PATH_DISK },
		{ .end = 16, .task = unnamed, .host = 1 } };
	const struct path p = { .world = &s.t.w, .segments = segments, .n_segments = 5 };
	assert_int_equal(path_profile_of(&f, &p, &s.err), 0);
	assert_int_equal(f.n, 4);
	assert_string_equal(mer_intern_text(&f.names, f.parts[0].comm), PATH_NOBODY);
	assert_string_equal(mer_intern_text(&f.names, f.parts[1].comm), "?");
	assert_int_equal(f.parts[1].ns, 2 + 4);
	assert_int_equal(f.parts[2].cause, PATH_DISK);
	assert_string_equal(mer_intern_text(&f.names, f.parts[3].host), "back");
	assert_string_equal(mer_intern_text(&f.names, f.parts[3].comm), "?");
	path_profile_fini(&f);
	end(&s);
}

/* Many tasks and causes: each has a part of its own, whatever the order. */
static void many(void **state)
{
	enum { TASKS = 40, N = TASKS * 2 * PATH_N_CAUSES };
	(void)state;
	struct subject s;
	struct path_profile f;
	begin(&s);
	struct path_segment *g = calloc(2 * N, sizeof(*g));
	assert_non_null(g);
	for (uint32_t i = 0; i < TASKS; i++) {
		char comm[20];
		snprintf(comm, sizeof(comm), "t%u", (unsigned)i);
		for (uint32_t host = 0; host < 2; host++)
			tw_task(&s.t, host, 100 + (int32_t)i, comm);
	}
	for (uint32_t i = 0; i < 2 * N; i++)
		g[i] = (struct path_segment){ .end = i,
			.task = i % TASKS,
			.host = i / TASKS % 2,
			.cause = (uint8_t)(i / TASKS / 2 % PATH_N_CAUSES),
			.in_flight = i >= N };
	const struct path p = { .world = &s.t.w, .segments = g, .n_segments = 2 * N };
	assert_int_equal(path_profile_of(&f, &p, &s.err), 0);
	assert_int_equal(f.n, 2 * N);
	for (uint32_t i = 0; i < 2 * N; i++) {
		char comm[20];
		snprintf(comm, sizeof(comm), "t%u", (unsigned)g[i].task);
		assert_string_equal(mer_intern_text(&f.names, f.parts[i].comm), comm);
		assert_int_equal(f.parts[i].ns, i);
		assert_int_equal(f.parts[i].n, 1);
		assert_int_equal(f.parts[i].cause, g[i].cause);
		assert_int_equal(f.parts[i].in_flight, g[i].in_flight);
	}
	path_profile_fini(&f);
	free(g);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut),
		cmocka_unit_test(in_turns),
		cmocka_unit_test(same_state),
		cmocka_unit_test(profile),
		cmocka_unit_test(names),
		cmocka_unit_test(many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
