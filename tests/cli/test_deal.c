/* Who reads what in an MPI job: traces of a host together, the largest hosts first, where they are
 * seen; what cannot be opened goes along, and is read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cli/ranks/deal.h"

enum { MOST = 16 };
static struct deal_trace traces[MOST];
static size_t n_traces;
static const char *names[MOST][2];

static struct deal_trace *add(uint32_t place, uint32_t word, const char *path, const char *host,
	const char *id, uint64_t bytes)
{
	names[n_traces][0] = host;
	names[n_traces][1] = id;
	traces[n_traces] = (struct deal_trace){ .place = place,
		.word = word,
		.path = path,
		.bytes = bytes,
		.hosts = { &names[n_traces][0], host != NULL },
		.ids = { &names[n_traces][1], id != NULL } };
	return &traces[n_traces++];
}

/* Ranks of the traces by path, in the order of deal(): "a0 b1 c-". */
static const char *dealt(const uint32_t *places, uint32_t n)
{
	static char text[256];
	size_t len = 0;
	text[0] = '\0';
	assert_true(deal(traces, &n_traces, places, n));
	for (size_t i = 0; i < n_traces; i++) {
		char rank = traces[i].rank == DEAL_NOBODY ? '-' : (char)('0' + traces[i].rank);
		if (traces[i].is_less) /* and nobody reads it */
			rank = rank == '-' ? '<' : '?';
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%c ", traces[i].path, rank);
	}
	n_traces = 0;
	return text;
}

static void by_size(void **state)
{
	static const uint32_t one_place[] = { 0, 0, 0 };
	(void)state;
	for (int i = 0; i < 6; i++)
		add(0, 0, (const char *[]){ "a", "b", "c", "d", "e", "f" }[i],
			(const char *[]){ "a", "b", "c", "d", "e", "f" }[i], NULL,
			(uint64_t[]){ 1, 9, 3, 6, 4, 2 }[i]);
	/* 9, 6 and 2, 4 and 3 and 1 */
	assert_string_equal(dealt(one_place, 3), "a2 b0 c2 d1 e2 f1 ");
	add(0, 0, "a", "a", NULL, 5);
	assert_string_equal(dealt(one_place, 3), "a0 ");
	assert_string_equal(dealt(one_place, 3), "");
}

static void together(void **state)
{
	static const uint32_t one_place[] = { 0, 0 };
	(void)state;
	add(0, 0, "a", "web", "1", 5); /* by name, and by the clock of its container */
	add(0, 1, "b", "db", "2", 4);
	add(0, 2, "c", "web", NULL, 1);
	add(0, 3, "d", "container", "1", 1);
	assert_string_equal(dealt(one_place, 2), "a0 b1 c0 d0 ");
	/* A name is no id. */
	add(0, 0, "a", "x", NULL, 1);
	add(0, 0, "b", NULL, "x", 1);
	assert_string_equal(dealt(one_place, 2), "a0 b1 ");
	/* Those of a word that are read together. */
	add(0, 0, "a", "a", NULL, 1)->is_whole = true;
	add(0, 0, "b", "b", NULL, 1)->is_whole = true;
	add(0, 1, "c", "c", NULL, 1)->is_whole = true;
	assert_string_equal(dealt(one_place, 2), "a0 b0 c1 ");
}

static void by_place(void **state)
{
	static const uint32_t two[] = { 0, 0, 2, 2 };
	(void)state;
	/* One file system: each is read at one place. */
	for (uint32_t place = 0; place <= 2; place += 2) {
		add(place, 0, "a", "a", NULL, 4);
		add(place, 0, "b", "b", NULL, 3);
		add(place, 0, "c", "c", NULL, 2);
	}
	assert_string_equal(dealt(two, 4), "a0 b1 c- a- b- c2 ");
	/* Each its own, by the same name. */
	add(0, 0, "t", "a", NULL, 9);
	add(2, 0, "t", "b", NULL, 1);
	assert_string_equal(dealt(two, 4), "t0 t2 ");
	/* Where most of it is. */
	add(0, 0, "a", "a", NULL, 1);
	add(2, 0, "a", "a", NULL, 1);
	add(2, 1, "b", "a", NULL, 1);
	assert_string_equal(dealt(two, 4), "a< a2 b2 ");
}

static void unreadable(void **state)
{
	static const uint32_t two[] = { 0, 0, 2 };
	struct deal_trace *t;
	(void)state;
	/* Not there, but elsewhere: not a word. */
	t = add(0, 0, "t", NULL, NULL, 0);
	t->why = "no such file";
	t->is_missing = true;
	add(0, 1, "a", "a", NULL, 1);
	add(2, 0, "t", "b", NULL, 1);
	assert_string_equal(dealt(two, 3), "a0 t2 ");
	/* Nowhere: once, with what can be read; so is what is damaged. */
	for (uint32_t place = 0; place <= 2; place += 2) {
		t = add(place, 0, "t", NULL, NULL, 0);
		t->why = "no such file";
		t->is_missing = true;
		add(place, 1, "a", "a", NULL, 1);
		add(place, 2, "b", "b", NULL, 2);
		add(place, 3, "c", NULL, NULL, 0)->why = "damaged";
	}
	assert_string_equal(dealt(two, 3), "t1 a1 b0 c1 t- a- b- c- ");
	add(2, 0, "a", NULL, NULL, 0)->why = "damaged";
	assert_string_equal(dealt(two, 3), "a2 ");
}

static void words(void **state)
{
	static const uint32_t one_place[] = { 0, 0 };
	static const char *const given[] = { "x", "y", "z" };
	const char *out[MOST];
	(void)state;
	add(0, 0, "x/a", "a", NULL, 5);
	add(0, 0, "x/b", "b", NULL, 4);
	add(0, 1, "y/a", "a", NULL, 1);
	add(0, 1, "y/c", "a", NULL, 1);
	size_t n = n_traces;
	assert_string_equal(dealt(one_place, 2), "x/a0 x/b1 y/a0 y/c0 ");
	assert_int_equal(deal_words(traces, n, 0, 0, given, 3, out), 2);
	assert_string_equal(out[0], "x/a"); /* others read some of it */
	assert_string_equal(out[1], "y");   /* as it was given */
	assert_int_equal(deal_words(traces, n, 1, 0, given, 3, out), 1);
	assert_string_equal(out[0], "x/b");
	assert_int_equal(deal_words(traces, n, 1, 1, given, 3, out), 0);
}

static void sent(void **state)
{
	struct mer_str bytes = { 0 };
	struct mer_walk w = { .out = &bytes };
	struct mer_arena arena;
	struct deal_trace got = { 0 }, *t = add(3, 4, "p", "h", "i", 5);
	(void)state;
	t->why = "w";
	t->is_missing = t->is_whole = true;
	t->cpus = (const int32_t[]){ 7, -1 };
	t->n_cpus = 2;
	deal_walk(&w, t);
	n_traces = 0;
	mer_arena_init(&arena);
	w = (struct mer_walk){ .p = bytes.data, .end = bytes.data + bytes.len, .arena = &arena };
	deal_walk(&w, &got);
	assert_false(w.failed);
	assert_ptr_equal(w.p, w.end);
	assert_int_equal(got.place, 3);
	assert_int_equal(got.word, 4);
	assert_int_equal(got.bytes, 5);
	assert_true(got.is_missing && got.is_whole);
	assert_string_equal(got.path, "p");
	assert_string_equal(got.why, "w");
	assert_string_equal(got.hosts.item[0], "h");
	assert_string_equal(got.ids.item[0], "i");
	assert_int_equal(got.n_cpus, 2);
	assert_int_equal(got.cpus[0], 7);
	assert_int_equal(got.cpus[1], -1);
	mer_arena_fini(&arena);
	mer_str_fini(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_size), cmocka_unit_test(together),
		cmocka_unit_test(by_place), cmocka_unit_test(unreadable), cmocka_unit_test(words),
		cmocka_unit_test(sent) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
