/* Offsets from BTF (record/btf.h): of a small one made by hand, in both byte orders, of a damaged
 * one, and of the running kernel's own where it has one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/btf.h"

enum { INT = 1, ARRAY = 3, STRUCT = 4, UNION = 5, ENUM = 6, FUNC = 12, PROTO = 13 };

static struct blob {
	uint32_t word[64];
	size_t n;
} types;
static const char strings[] = "\0int\0sk_buff\0data\0len\0head\0bits\0other";
/* Where each of them begins. */
enum { S_INT = 1, S_SKB = 5, S_DATA = 13, S_LEN = 18, S_HEAD = 22, S_BITS = 27, S_OTHER = 32 };

static void put(uint32_t v)
{
	types.word[types.n++] = v;
}

static void put_type(uint32_t name, uint32_t kind, uint32_t n, bool has_bits, uint32_t size)
{
	put(name);
	put((has_bits ? 1u << 31 : 0) | kind << 24 | n);
	put(size);
}

static void put_member(uint32_t name, uint32_t type, uint32_t offset)
{
	put(name);
	put(type);
	put(offset);
}

/* 1 int; 2 an array; 3 a function's type; 4 an enum; 5 a union without a name; 6 a structure of the
 * same name, without the member; 7 the structure. */
static void make(void)
{
	types.n = 0;
	put_type(S_INT, INT, 0, false, 4);
	put(32);
	put_type(0, ARRAY, 0, false, 0);
	put_member(1, 1, 4);
	put_type(0, PROTO, 1, false, 1);
	put(0);
	put(1);
	put_type(S_OTHER, ENUM, 1, false, 4);
	put(S_INT);
	put(7);
	put_type(0, UNION, 2, false, 8);
	put_member(S_LEN, 1, 0);
	put_member(S_HEAD, 1, 32);
	put_type(S_SKB, STRUCT, 1, false, 4);
	put_member(S_OTHER, 1, 0);
	put_type(S_SKB, STRUCT, 4, true, 64);
	put_member(S_OTHER, 2, 0);
	put_member(S_BITS, 1, 3u << 24 | 13);
	put_member(0, 5, 128);
	put_member(S_DATA, 1, 1600);
}

static size_t write_blob(uint8_t *out, bool swapped)
{
	uint32_t head[6] = { 0, 24, 0, (uint32_t)(4 * types.n), (uint32_t)(4 * types.n),
		sizeof(strings) };
	uint16_t magic = swapped ? __builtin_bswap16(0xeB9F) : 0xeB9F;
	for (size_t i = 1; i < 6; i++)
		head[i] = swapped ? __builtin_bswap32(head[i]) : head[i];
	memcpy(out, head, sizeof(head));
	memcpy(out, &magic, sizeof(magic));
	for (size_t i = 0; i < types.n; i++) {
		uint32_t v = swapped ? __builtin_bswap32(types.word[i]) : types.word[i];
		memcpy(out + 24 + 4 * i, &v, 4);
	}
	memcpy(out + 24 + 4 * types.n, strings, sizeof(strings));
	return 24 + 4 * types.n + sizeof(strings);
}

static void members(void **state)
{
	uint8_t blob[512];
	(void)state;
	make();
	for (int swapped = 0; swapped < 2; swapped++) {
		size_t n = write_blob(blob, swapped);
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "data"), 200);
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "other"), 0);
		/* In a union without a name. */
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "len"), 16);
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "head"), 20);
		/* Bit fields have no offset; nor has what is not there. */
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "bits"), -1);
		assert_int_equal(record_btf_offset(blob, n, "sk_buff", "int"), -1);
		assert_int_equal(record_btf_offset(blob, n, "other", "data"), -1);
	}
}

/* Cut at each byte: no offset, or the right one. Each byte changed: no crash, no end without an
 * answer. */
static void damaged(void **state)
{
	uint8_t blob[512];
	(void)state;
	make();
	size_t n = write_blob(blob, false);
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *part = malloc(cut + 1);
		memcpy(part, blob, cut);
		assert_int_equal(record_btf_offset(part, cut, "sk_buff", "data"), -1);
		free(part);
	}
	for (size_t i = 0; i < n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			uint8_t *copy = malloc(n);
			memcpy(copy, blob, n);
			copy[i] ^= (uint8_t)(1u << bit);
			(void)record_btf_offset(copy, n, "sk_buff", "data");
			free(copy);
		}
	}
}

/* A structure that contains itself. */
static void endless(void **state)
{
	uint8_t blob[512];
	(void)state;
	types.n = 0;
	put_type(S_SKB, STRUCT, 8, false, 8);
	for (int i = 0; i < 8; i++)
		put_member(0, 1, 0);
	size_t n = write_blob(blob, false);
	assert_int_equal(record_btf_offset(blob, n, "sk_buff", "data"), -1);
}

static void own(void **state)
{
	(void)state;
	FILE *f = fopen("/sys/kernel/btf/vmlinux", "rb");
	size_t cap = 64 << 20, n = 0;
	uint8_t *data = f ? malloc(cap) : NULL;
	if (data)
		n = fread(data, 1, cap, f);
	if (f)
		fclose(f);
	if (n == 0) {
		free(data);
		print_message("skipped: this kernel has no BTF\n");
		skip();
	}
	int64_t at = record_btf_offset(data, n, "sk_buff", "data");
	int64_t head = record_btf_offset(data, n, "sk_buff", "head");
	/* Pointers, the one behind the other in every kernel since 2.6. */
	assert_true(at > 0 && at < 1024 && at % (int64_t)sizeof(void *) == 0);
	assert_int_equal(at - head, sizeof(void *));
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(damaged),
		cmocka_unit_test(endless),
		cmocka_unit_test(own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
