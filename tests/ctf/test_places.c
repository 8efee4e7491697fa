/* Places in texts: line, column, and what is shown of the line; packet indexes; classes by id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/index.h"
#include "ctf/schema.h"
#include "ctf/text_place.h"

/* ---- places ---- */

static void place(const char *text, size_t offset, uint64_t line, uint64_t column)
{
	size_t len = strlen(text);
	struct ctf_text_place p = ctf_text_place_find(text, len, offset, NULL);
	assert_int_equal(p.line, line);
	assert_int_equal(p.column, column);
	/* The same from any place before it, and from one behind it. */
	for (size_t from = 0; from <= len; from++) {
		struct ctf_text_place earlier = ctf_text_place_find(text, len, from, NULL);
		struct ctf_text_place again = ctf_text_place_find(text, len, offset, &earlier);
		assert_memory_equal(&again, &p, sizeof(p));
	}
}

static void lines_and_columns(void **state)
{
	(void)state;
	place("", 0, 1, 1);
	place("ab", 0, 1, 1);
	place("ab", 2, 1, 3);
	place("ab", 9, 1, 3); /* behind the end is the end */
	place("a\nb", 1, 1, 2);
	place("a\nb", 2, 2, 1);
	place("a\n\n", 3, 3, 1);
	place("\xc3\xa4\xe2\x82\xac x", 5, 1, 3); /* characters, not bytes */
}

static void shown(const char *text, size_t offset, const char *expected)
{
	struct mer_err err = { 0 };
	assert_int_equal(
		ctf_place_fail(&err, MER_ERR_INPUT, "p", text, strlen(text), offset, "%s", "why"),
		MER_ERR_INPUT);
	assert_string_equal(err.text, expected);
}

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define FIFTY_BLANKS "                                                  "

static void what_is_shown(void **state)
{
	(void)state;
	shown("ab", 1, "p:1:2: why\nab\n ^");
	shown("x\nab\ny", 3, "p:2:2: why\nab\n ^");
	shown("ab\r\n", 0, "p:1:1: why\nab\n^");
	shown("\ta\x01\x7f", 2, "p:1:3: why\n\ta??\n\t ^");
	shown("\xc3\xa4x", 2, "p:1:2: why\n\xc3\xa4x\n ^");
	/* Of a long line 120 bytes, at most 80 of them before the place. */
	shown(FIFTY FIFTY TEN TEN, 80,
		"p:1:81: why\n" FIFTY FIFTY TEN TEN "\n" FIFTY_BLANKS
		"                              ^");
	shown(FIFTY FIFTY TEN TEN "x", 80,
		"p:1:81: why\n" FIFTY FIFTY TEN TEN "...\n" FIFTY_BLANKS
		"                              ^");
	shown(FIFTY FIFTY TEN TEN, 81,
		"p:1:82: why\n...123456789" FIFTY FIFTY TEN "\n   " FIFTY_BLANKS
		"                              ^");
	/* Characters are not cut. */
	shown("\xc3\xa4" FIFTY TEN TEN TEN, 81,
		"p:1:81: why\n..." FIFTY TEN TEN TEN "\n   " FIFTY_BLANKS
		"                             ^");
	shown(FIFTY FIFTY TEN "012345678\xc3\xa4", 0,
		"p:1:1: why\n" FIFTY FIFTY TEN "012345678...\n^");
}

static void long_ones(void **state)
{
	char path[400], message[600];
	struct mer_err err = { 0 };
	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	for (size_t n = 300; n <= 301; n++) {
		path[n] = '\0';
		ctf_place_fail(&err, MER_ERR_INPUT, path, "x", 1, 0, "why");
		assert_int_equal(strcspn(err.text, ":"), n == 300 ? 300 : 303);
		assert_int_equal(strncmp(err.text, "...", 3) == 0, n == 301);
		path[n] = 'p';
	}
	memset(message, 'm', sizeof(message) - 1);
	message[sizeof(message) - 1] = '\0';
	ctf_place_fail(&err, MER_ERR_INPUT, "p", "x", 1, 0, "%s", message);
	assert_int_equal(strcspn(err.text, "\n"), strlen("p:1:1: ") + 399);
}

/* ---- indexes ---- */

static void put(uint8_t *to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
}

static void make_index(uint8_t *data, uint32_t magic, uint32_t major, uint32_t entry, unsigned n)
{
	put(data, magic, 4);
	put(data + 4, major, 4);
	put(data + 8, 1, 4);
	put(data + 12, entry, 4);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 5; k++)
			put(data + 16 + i * entry + 8 * k, 100 * (i + 1) + k, 8);
}

static void indexes(void **state)
{
	static uint8_t data[16 + 3 * 4096];
	struct ctf_index index;
	(void)state;
	for (uint32_t entry = 56; entry <= 72; entry += 16) {
		make_index(data, 0xC1F1DCC1, 1, entry, 3);
		/* A part of an entry at the end is none. */
		for (size_t bytes = 16; bytes <= 16 + 3 * entry; bytes++) {
			assert_true(ctf_index_open(&index, data, bytes));
			assert_int_equal(index.n, (bytes - 16) / entry);
		}
		for (uint64_t i = 0; i < 3; i++) {
			struct ctf_index_entry e = ctf_index_get(&index, i);
			assert_int_equal(e.offset_bytes, 100 * (i + 1));
			assert_int_equal(e.size_bits, 100 * (i + 1) + 1);
			assert_int_equal(e.content_bits, 100 * (i + 1) + 2);
			assert_int_equal(e.begin, 100 * (i + 1) + 3);
			assert_int_equal(e.end, 100 * (i + 1) + 4);
		}
		static const uint64_t found[][2] = { { 0, 0 }, { 100, 0 }, { 101, 1 }, { 200, 1 },
			{ 201, 2 }, { 300, 2 }, { 301, 3 } };
		for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
			assert_int_equal(ctf_index_find(&index, found[i][0]), found[i][1]);
	}
	assert_false(ctf_index_open(&index, data, 15));
	static const struct {
		uint32_t magic, major, entry;
		bool ok;
	} rows[] = { { 0xC1F1DCC0, 1, 56, false }, { 0xC1F1DCC1, 0, 56, false },
		{ 0xC1F1DCC1, 2, 56, false }, { 0xC1F1DCC1, 1, 55, false },
		{ 0xC1F1DCC1, 1, 4096, true }, { 0xC1F1DCC1, 1, 4097, false } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		make_index(data, rows[i].magic, rows[i].major, rows[i].entry, 1);
		assert_int_equal(ctf_index_open(&index, data, sizeof(data)), rows[i].ok);
	}
}

/* ---- classes by id ---- */

static void classes(void **state)
{
	struct ctf_event_class events[] = { { .id = 2 }, { .id = 5 }, { .id = 9 } };
	struct ctf_stream_class streams[] = { { .id = 7, .events = events, .n_events = 3 },
		{ .id = 3 } };
	struct ctf_env env[] = { { .name = "a" }, { .name = "b" } };
	const struct ctf_schema s = { .streams = streams, .n_streams = 2, .env = env, .n_env = 2 };
	(void)state;
	for (uint64_t id = 0; id <= 10; id++) {
		const struct ctf_event_class *ec = ctf_event_class_find(&streams[0], id);
		bool is = id == 2 || id == 5 || id == 9;
		assert_int_equal(ec != NULL, is);
		assert_true(!ec || ec->id == id);
		assert_null(ctf_event_class_find(&streams[1], id));
		const struct ctf_stream_class *sc = ctf_stream_class_find(&s, id);
		assert_true(sc == (id == 7 ? &streams[0] : id == 3 ? &streams[1] : NULL));
	}
	assert_true(ctf_env_find(&s, "a") == &env[0]);
	assert_true(ctf_env_find(&s, "b") == &env[1]);
	assert_null(ctf_env_find(&s, "c"));
}

static void scopes(void **state)
{
	struct ctf_fc fc[6];
	const struct ctf_schema s = { .packet_header = &fc[0] };
	const struct ctf_stream_class sc = {
		.packet_context = &fc[1], .event_header = &fc[2], .event_context = &fc[3]
	};
	const struct ctf_event_class ec = { .specific_context = &fc[4], .payload = &fc[5] };
	static const enum ctf_scope all[] = { CTF_SCOPE_PACKET_HEADER, CTF_SCOPE_PACKET_CONTEXT,
		CTF_SCOPE_EVENT_HEADER, CTF_SCOPE_COMMON_CONTEXT, CTF_SCOPE_SPECIFIC_CONTEXT,
		CTF_SCOPE_PAYLOAD };
	(void)state;
	for (int i = 0; i < 6; i++) {
		assert_true(ctf_scope_fc(&s, &sc, &ec, all[i]) == &fc[i]);
		assert_true(ctf_scope_fc(&s, NULL, NULL, all[i]) == (i ? NULL : &fc[0]));
	}
	assert_null(ctf_scope_fc(&s, &sc, &ec, CTF_N_SCOPES));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lines_and_columns),
		cmocka_unit_test(what_is_shown), cmocka_unit_test(long_ones),
		cmocka_unit_test(indexes), cmocka_unit_test(classes), cmocka_unit_test(scopes) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
