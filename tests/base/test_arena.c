/* Arenas, growing texts, and maps: what was put in is there, whatever the sizes are; words that are
 * the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"
#include "base/str.h"

/* ---- arenas ---- */

static void blocks(void **state)
{
	struct mer_arena a;
	unsigned char *made[3000];
	size_t sizes[3000];
	(void)state;
	mer_arena_init(&a);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		sizes[i] = i % 50 == 0 ? (size_t)rand() % 9000 : (size_t)rand() % 60;
		made[i] = i % 2 ? mer_arena_alloc(&a, sizes[i]) : mer_arena_zalloc(&a, sizes[i], 1);
		assert_non_null(made[i]);
		assert_int_equal((uintptr_t)made[i] % 16, 0);
		for (size_t k = 0; k < sizes[i] && i % 2 == 0; k++)
			assert_int_equal(made[i][k], 0);
		memset(made[i], i % 251, sizes[i]);
	}
	for (int i = 0; i < 3000; i++) /* none is in another one */
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(made[i][k], i % 251);
	mer_arena_fini(&a);
	assert_int_equal(a.total_bytes, 0);
	assert_null(a.chunk);
}

/* Chunks: 4 KiB, each twice as large as the one before, up to 1 MiB; larger ones as they are. */
static void chunks(void **state)
{
	struct mer_arena a;
	size_t size = 4096, total = 0;
	(void)state;
	mer_arena_init(&a);
	for (int i = 0; i < 12; i++, size = size < 1 << 20 ? size * 2 : size) {
		total += size;
		assert_non_null(mer_arena_alloc(&a, 1));
		assert_int_equal(a.total_bytes, total);
		assert_non_null(mer_arena_alloc(&a, size - 16)); /* the rest of it */
		assert_int_equal(a.total_bytes, total);
	}
	assert_non_null(mer_arena_alloc(&a, (3 << 20) + 1));
	assert_int_equal(a.total_bytes, total + (3 << 20) + 16);
	/* After a reset the newest one is used again. */
	mer_arena_reset(&a);
	assert_int_equal(a.total_bytes, (3 << 20) + 16);
	assert_non_null(mer_arena_alloc(&a, 3 << 20));
	assert_int_equal(a.total_bytes, (3 << 20) + 16);
	mer_arena_fini(&a);
	mer_arena_reset(&a);
	assert_int_equal(a.total_bytes, 0);
	assert_non_null(mer_arena_alloc(&a, 0));
	mer_arena_fini(&a);
}

/* What cannot be had is not, from then on. */
static void too_much(void **state)
{
	struct mer_arena a;
	(void)state;
	mer_arena_init(&a);
	assert_null(mer_arena_alloc(&a, SIZE_MAX / 2 + 1));
	assert_true(a.failed);
	assert_null(mer_arena_alloc(&a, 1));
	mer_arena_fini(&a);
	assert_null(mer_arena_zalloc(&a, SIZE_MAX / 4 + 1, 4));
	assert_true(a.failed);
	mer_arena_fini(&a);
}

static void copies(void **state)
{
	struct mer_arena a;
	(void)state;
	mer_arena_init(&a);
	assert_string_equal(mer_arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(mer_arena_strndup(&a, "", 0), "");
	assert_string_equal(mer_arena_strdup(&a, "0123456789abcdef"), "0123456789abcdef");
	char *text = mer_arena_printf(&a, "%s-%d", "0123456789ab", 345);
	assert_string_equal(text, "0123456789ab-345");
	assert_string_equal(mer_arena_strdup(&a, "next"), "next");
	assert_string_equal(text, "0123456789ab-345");
	mer_arena_fini(&a);
}

/* ---- growing texts ---- */

static void growing(void **state)
{
	struct mer_str s = { 0 };
	char all[3000];
	(void)state;
	mer_str_clear(&s);
	assert_null(s.data);
	for (int i = 0; i < 2999; i++) {
		all[i] = (char)('a' + i % 26);
		mer_str_putc(&s, all[i]);
		assert_int_equal(s.len, i + 1);
		assert_true(s.cap > s.len);
		assert_int_equal(s.data[s.len], 0);
	}
	assert_memory_equal(s.data, all, 2999);
	mer_str_clear(&s);
	assert_int_equal(s.len, 0);
	assert_string_equal(s.data, "");
	for (size_t n = 0; n < 200; n++) { /* each length beside each edge */
		struct mer_str p = { 0 };
		mer_str_printf(&p, "%.*s", (int)n, all);
		mer_str_printf(&p, "%d", 7);
		mer_str_add(&p, all, n);
		mer_str_puts(&p, "!");
		assert_int_equal(p.len, 2 * n + 2);
		assert_memory_equal(p.data, all, n);
		assert_int_equal(p.data[n], '7');
		assert_memory_equal(p.data + n + 1, all, n);
		assert_string_equal(p.data + 2 * n + 1, "!");
		mer_str_fini(&p);
		assert_null(p.data);
	}
	mer_str_fini(&s);
	/* Room: 64 bytes, then twice as much, with one for the end. */
	assert_true(mer_str_reserve(&s, 63));
	assert_int_equal(s.cap, 64);
	assert_true(mer_str_reserve(&s, 64));
	assert_int_equal(s.cap, 128);
	assert_false(mer_str_reserve(&s, SIZE_MAX / 4 + 1));
	assert_true(s.failed);
	assert_false(mer_str_reserve(&s, 1));
	mer_str_fini(&s);
	assert_false(s.failed);
}

static void same_words(void **state)
{
	(void)state;
	assert_true(mer_same_word("", ""));
	assert_true(mer_same_word("AZ az-_ ", "az_AZ_ -"));
	assert_false(mer_same_word("ab", "a"));
	assert_false(mer_same_word("a", "ab"));
	assert_false(mer_same_word("ab", "ac"));
	assert_false(mer_same_word("@", "`"));
	assert_false(mer_same_word("[", "{"));
	assert_false(mer_same_word("a.b", "a_b"));
}

/* ---- maps ---- */

static void numbers(void **state)
{
	struct mer_map m = { 0 };
	(void)state;
	assert_null(mer_map_get(&m, 5));
	assert_int_equal(mer_map_number(&m, 5), UINT32_MAX);
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t key = i % 2 ? i : i << 40;
		uint32_t *at = mer_map_put(&m, key);
		assert_non_null(at);
		assert_int_equal(*at, 0);
		*at = (uint32_t)i + 1;
		assert_int_equal(m.n, i + 1);
		assert_true(m.n * 4 <= m.cap * 3 && (m.cap == 16 || m.n * 8 >= m.cap * 3));
		assert_true(mer_map_put(&m, key) == mer_map_get(&m, key)); /* there already */
		assert_int_equal(m.n, i + 1);
	}
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t key = i % 2 ? i : i << 40;
		assert_int_equal(*mer_map_get(&m, key), i + 1);
		assert_int_equal(mer_map_number(&m, key), i);
		assert_null(mer_map_get(&m, key + (UINT64_C(1) << 60)));
	}
	assert_true(mer_map_put_number(&m, 77777, 3));
	assert_true(mer_map_put_number(&m, 77777, 4));
	assert_int_equal(mer_map_number(&m, 77777), 4);
	assert_true(mer_map_put_number(&m, 77778, 0));
	assert_int_equal(mer_map_number(&m, 77778), 0);
	*mer_map_put(&m, 77779) = 0;
	assert_int_equal(mer_map_number(&m, 77779), UINT32_MAX);
	mer_map_fini(&m);
	assert_null(mer_map_get(&m, 77777));
}

static void texts(void **state)
{
	struct mer_arena a;
	struct mer_intern in;
	char text[20];
	(void)state;
	mer_arena_init(&a);
	mer_intern_init(&in, &a);
	assert_int_equal(mer_intern_find(&in, "x", 1), MER_INTERN_NONE);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < 1000; i++) {
			size_t n = (size_t)snprintf(text, sizeof(text), "%u", (unsigned)i);
			assert_int_equal(mer_intern_add(&in, text, n), i);
			assert_int_equal(mer_intern_find(&in, text, n), i);
			assert_string_equal(mer_intern_text(&in, i), text);
			assert_int_equal(in.n, pass ? 1000 : i + 1);
		}
	/* A zero byte is a byte; the empty text is a text. */
	assert_int_equal(mer_intern_add(&in, "7\0x", 3), 1000);
	assert_int_equal(mer_intern_add(&in, "", 0), 1001);
	assert_int_equal(mer_intern_find(&in, "7", 1), 7);
	mer_intern_fini(&in);
	mer_arena_fini(&a);
}

/* Texts of one hash, which none of these have: the chain that they would be in. */
static void one_hash(void **state)
{
	struct mer_arena a;
	struct mer_intern in;
	(void)state;
	mer_arena_init(&a);
	mer_intern_init(&in, &a);
	assert_int_equal(mer_intern_add(&in, "old", 3), 0);
	assert_int_equal(mer_intern_add(&in, "new", 3), 1);
	in.texts[1].next = 1; /* "new" is before "old" in one chain */
	*mer_map_put(&in.map, mer_hash("old", 3)) = 2;
	assert_int_equal(mer_intern_find(&in, "old", 3), 0);
	assert_int_equal(mer_intern_add(&in, "old", 3), 0);
	assert_int_equal(mer_intern_find(&in, "new", 3), 1);
	mer_intern_fini(&in);
	mer_arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(blocks), cmocka_unit_test(chunks),
		cmocka_unit_test(too_much), cmocka_unit_test(copies), cmocka_unit_test(growing),
		cmocka_unit_test(same_words), cmocka_unit_test(numbers), cmocka_unit_test(texts),
		cmocka_unit_test(one_hash) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
