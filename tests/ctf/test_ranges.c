/* The range index against looking at every range: random ranges, overlapping or not, signed or
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/schema.h"

enum { N_CASES = 2000, MAX_ITEMS = 60, MAX_RANGES = 3, N_VALUES = 200 };

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

struct world {
	uint64_t rng;
	bool is_signed;
	uint32_t n;
	struct ctf_range ranges[MAX_ITEMS][MAX_RANGES];
	uint32_t n_ranges[MAX_ITEMS];
};

/* Small ones often, so that ranges meet; else the ends of what 64 bits hold. */
static uint64_t random_value(struct world *w)
{
	uint64_t r = next_random(&w->rng);
	switch (r >> 60) {
	case 0: return UINT64_MAX;
	case 1: return (uint64_t)INT64_MAX + (r & 1);
	case 2: return 0;
	case 3: return r;
	default: return w->is_signed ? (r & 127) - 64 : r & 127;
	}
}

static void make_world(struct world *w, uint64_t seed)
{
	w->rng = seed;
	w->is_signed = next_random(&w->rng) & 1;
	w->n = 1 + (uint32_t)(next_random(&w->rng) % MAX_ITEMS);
	bool wide = next_random(&w->rng) % 4 == 0;
	for (uint32_t i = 0; i < w->n; i++) {
		w->n_ranges[i] = (uint32_t)(next_random(&w->rng) % (MAX_RANGES + 1));
		for (uint32_t k = 0; k < w->n_ranges[i]; k++) {
			uint64_t a = random_value(w), b = wide ? random_value(w) : a;
			bool less = w->is_signed ? (int64_t)a <= (int64_t)b : a <= b;
			w->ranges[i][k] =
				less ? (struct ctf_range){ a, b } : (struct ctf_range){ b, a };
		}
	}
}

static void check_labels(struct world *w, struct mer_arena *arena)
{
	struct ctf_mapping m[MAX_ITEMS];
	struct ctf_fc fc = { .kind = CTF_INT };
	fc.u.bits.is_signed = w->is_signed;
	fc.u.bits.n_mappings = w->n;
	fc.u.bits.mappings = m;
	for (uint32_t i = 0; i < w->n; i++)
		m[i] = (struct ctf_mapping){ "x", w->n_ranges[i], w->ranges[i] };
	assert_true(ctf_index_labels(&fc, arena));
	for (int t = 0; t < N_VALUES; t++) {
		uint64_t v = random_value(w);
		struct ctf_labels l;
		ctf_labels_begin(&l, &fc, v);
		for (uint32_t i = 0; i < w->n; i++)
			if (ctf_mapping_has(&fc, &m[i], v))
				assert_ptr_equal(ctf_labels_next(&l), &m[i]);
		assert_null(ctf_labels_next(&l));
	}
}

static void check_options(struct world *w, struct mer_arena *arena)
{
	struct ctf_option o[MAX_ITEMS];
	memset(o, 0, sizeof(o));
	struct ctf_fc fc = { .kind = CTF_VARIANT };
	fc.u.variant.ref.is_signed = w->is_signed;
	fc.u.variant.n = w->n;
	fc.u.variant.options = o;
	for (uint32_t i = 0; i < w->n; i++) {
		o[i].ranges = w->ranges[i];
		o[i].n_ranges = w->n_ranges[i];
	}
	assert_true(ctf_index_options(&fc, arena));
	for (int t = 0; t < N_VALUES; t++) {
		uint64_t v = random_value(w);
		uint32_t first = 0;
		while (first < w->n && !ctf_in_ranges(o[first].ranges, o[first].n_ranges, v))
			first++;
		assert_int_equal(ctf_option_of(&fc, v), first);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_CASES; seed++) {
		struct world w;
		struct mer_arena arena;
		mer_arena_init(&arena);
		make_world(&w, seed);
		check_labels(&w, &arena);
		check_options(&w, &arena);
		mer_arena_fini(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
