/* What follows from a field class alone: slots, sizes, which registers it refers to, and byte
 * orders that show. Each kind by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/traits.h"

#define BITS(k, len, align)                                                                        \
	{                                                                                          \
		.kind = k, .align_bits = align, .u.bits = {.len_bits = len }                       \
	}
static struct ctf_fc u8 = BITS(CTF_INT, 8, 8), u32 = BITS(CTF_INT, 32, 32),
		     bit3 = BITS(CTF_INT, 3, 1), real = BITS(CTF_FLOAT, 64, 64),
		     truth = BITS(CTF_BOOL, 8, 8), map = BITS(CTF_BIT_MAP, 16, 8),
		     array_of_bits = BITS(CTF_BIT_ARRAY, 5, 1), number = BITS(CTF_VARINT, 0, 8),
		     string = { .kind = CTF_STRING, .align_bits = 8 },
		     empty = { .kind = CTF_STRUCT, .align_bits = 1 };

#define TEXT(k, len, r)                                                                            \
	{                                                                                          \
		.kind = k, .align_bits = 8, .u.text = {.len_bytes = len, .ref = { .reg = r } }     \
	}
#define ARRAY(of, count, r)                                                                        \
	{                                                                                          \
		.kind = CTF_ARRAY, .align_bits = 8, .u.array = {                                   \
			.n = count,                                                                \
			.ref = { .reg = r },                                                       \
			.element = { .fc = of }                                                    \
		}                                                                                  \
	}
#define STRUCT(list)                                                                               \
	{                                                                                          \
		.kind = CTF_STRUCT, .align_bits = 32, .u.record = {                                \
			.n = sizeof(list) / sizeof(*(list)),                                       \
			.fields = list                                                             \
		}                                                                                  \
	}
#define VARIANT(list, r)                                                                           \
	{                                                                                          \
		.kind = CTF_VARIANT, .align_bits = 8, .u.variant = {                               \
			.n = sizeof(list) / sizeof(*(list)),                                       \
			.options = list,                                                           \
			.ref = { .reg = r }                                                        \
		}                                                                                  \
	}
#define OPTIONAL(of, r)                                                                            \
	{                                                                                          \
		.kind = CTF_OPTIONAL, .align_bits = 8, .u.optional = {                             \
			.ref = { .reg = r },                                                       \
			.content = { .fc = of }                                                    \
		}                                                                                  \
	}

#define ANY UINT64_MAX

static void size_is(const struct ctf_fc *fc, uint64_t min, uint64_t exact)
{
	struct ctf_size s = ctf_size_of(fc);
	assert_true(s.min == min);
	assert_true(s.exact == exact);
}

static void sizes_of_fields(void **state)
{
	(void)state;
	size_is(&u8, 8, 8);
	size_is(&bit3, 3, 3);
	size_is(&real, 64, 64);
	size_is(&truth, 8, 8);
	size_is(&map, 16, 16);
	size_is(&array_of_bits, 5, 5);
	size_is(&number, 8, ANY);
	size_is(&string, 8, ANY);
	struct ctf_fc text = TEXT(CTF_TEXT, 5, 0), blob = TEXT(CTF_BLOB, 0, 0),
		      by_length = TEXT(CTF_TEXT, 5, 2), most = TEXT(CTF_BLOB, 1ull << 53, 0),
		      more = TEXT(CTF_BLOB, (1ull << 53) + 1, 0);
	size_is(&text, 40, 40);
	size_is(&blob, 0, 0);
	size_is(&by_length, 0, ANY);
	size_is(&most, 1ull << 56, 1ull << 56);
	size_is(&more, 1ull << 56, ANY);
}

static void sizes_of_compounds(void **state)
{
	(void)state;
	/* Of elements: each but the last takes up to where the next one is aligned. */
	struct ctf_fc none = ARRAY(&u32, 0, 0), one = ARRAY(&bit3, 1, 0), four = ARRAY(&u32, 4, 0),
		      bits = ARRAY(&bit3, 4, 0), strings = ARRAY(&string, 4, 0),
		      by_length = ARRAY(&u8, 4, 7);
	size_is(&none, 0, 0);
	size_is(&one, 3, 3);
	size_is(&four, 128, 128);
	size_is(&bits, 12, 12);
	size_is(&strings, 8, ANY);
	size_is(&by_length, 0, ANY);
	struct ctf_fc odd = BITS(CTF_INT, 12, 8);
	struct ctf_fc odds = ARRAY(&odd, 3, 0);
	size_is(&odds, 44, 44);
	struct ctf_fc many = ARRAY(&u8, 1ull << 24, 0), fewer = ARRAY(&u8, (1ull << 24) - 1, 0);
	size_is(&many, 8, ANY);
	size_is(&fewer, 8 * ((1ull << 24) - 1), 8 * ((1ull << 24) - 1));
	/* Elements that are larger than 2^31 bits are as good as of no known size. */
	struct ctf_fc large = TEXT(CTF_BLOB, (UINT32_MAX / 2 + 1) / 8, 0),
		      less = TEXT(CTF_BLOB, (UINT32_MAX / 2 + 1) / 8 - 1, 0);
	struct ctf_fc larges = ARRAY(&large, 2, 0), lesser = ARRAY(&less, 2, 0);
	size_is(&larges, 1ull << 31, ANY);
	size_is(&lesser, (1ull << 32) - 16, (1ull << 32) - 16);
	/* Members begin aligned. */
	struct ctf_field members[] = { { .fc = &bit3 }, { .fc = &u32 }, { .fc = &u8 } };
	struct ctf_fc record = STRUCT(members);
	size_is(&empty, 0, 0);
	size_is(&record, 43, 72);
	struct ctf_field open[] = { { .fc = &u8 }, { .fc = &string }, { .fc = &u32 } };
	struct ctf_fc unknown = STRUCT(open);
	size_is(&unknown, 48, ANY);
	struct ctf_fc huge = TEXT(CTF_BLOB, 1ull << 53, 0);
	struct ctf_field two[] = { { .fc = &huge }, { .fc = &huge }, { .fc = &u8 } };
	struct ctf_fc limited = STRUCT(two);
	assert_true(ctf_size_of(&limited).min == 1ull << 56);
	assert_true(ctf_size_of(&limited).exact == ANY);
	struct ctf_option options[] = { { .field = { .fc = &u8 } }, { .field = { .fc = &u8 } } };
	struct ctf_fc either = VARIANT(options, 3), maybe = OPTIONAL(&u8, 4);
	size_is(&either, 0, ANY);
	size_is(&maybe, 0, ANY);
}

static void slots(void **state)
{
	(void)state;
	static struct ctf_fc *const ones[] = { &u8, &bit3, &real, &truth, &map, &array_of_bits,
		&number };
	for (size_t i = 0; i < sizeof(ones) / sizeof(*ones); i++)
		assert_int_equal(ctf_slot_width(ones[i]), 1);
	struct ctf_fc text = TEXT(CTF_TEXT, 5, 0), blob = TEXT(CTF_BLOB, 5, 0),
		      array = ARRAY(&u8, 9, 0);
	assert_int_equal(ctf_slot_width(&string), 2);
	assert_int_equal(ctf_slot_width(&text), 2);
	assert_int_equal(ctf_slot_width(&blob), 2);
	assert_int_equal(ctf_slot_width(&array), 2);
	assert_int_equal(ctf_slot_width(&empty), 0);
	struct ctf_field members[] = { { .fc = &u8 }, { .fc = &string }, { .fc = &u32 } };
	struct ctf_fc record = STRUCT(members);
	assert_int_equal(ctf_slot_width(&record), 4);
	struct ctf_option options[] = { { .field = { .fc = &u8 } }, { .field = { .fc = &record } },
		{ .field = { .fc = &string } } };
	struct ctf_fc either = VARIANT(options, 3), maybe = OPTIONAL(&record, 4);
	assert_int_equal(ctf_slot_width(&either), 5);
	assert_int_equal(ctf_slot_width(&maybe), 5);
	/* More than there may be: one more than that, however many they are. */
	static struct ctf_field many[1024], more[1025];
	for (int i = 0; i < 1024; i++)
		many[i].fc = &u8;
	static struct ctf_fc wide = STRUCT(many);
	for (int i = 0; i < 1025; i++)
		more[i].fc = &wide;
	struct ctf_fc all = STRUCT(more);
	all.u.record.n = 1024;
	assert_int_equal(ctf_slot_width(&all), CTF_MAX_SLOTS);
	all.u.record.n = 1025;
	assert_int_equal(ctf_slot_width(&all), CTF_MAX_SLOTS + 1);
	struct ctf_fc optional = OPTIONAL(&all, 4);
	assert_int_equal(ctf_slot_width(&optional), CTF_MAX_SLOTS + 1);
}

/* ---- registers ---- */

static char seen[100];

static void see(void *arg, uint16_t reg, bool inside)
{
	assert_ptr_equal(arg, seen);
	size_t n = strlen(seen);
	seen[n] = (char)('0' + reg);
	seen[n + 1] = inside ? '?' : '\0';
}

static void registers(void **state)
{
	(void)state;
	struct ctf_fc array = ARRAY(&u8, 0, 6), maybe = OPTIONAL(&u8, 7);
	array.u.array.element.reg = 1;
	maybe.u.optional.content.reg = 2;
	struct ctf_option options[] = { { .field = { .fc = &u8, .reg = 3 } },
		{ .field = { .fc = &u8 } } };
	struct ctf_fc either = VARIANT(options, 8);
	struct ctf_field members[] = { { .fc = &u8, .reg = 4 }, { .fc = &array }, { .fc = &maybe },
		{ .fc = &either }, { .fc = &u8, .reg = 5 } };
	struct ctf_fc record = STRUCT(members);
	const struct ctf_field field = { .fc = &record };
	memset(seen, 0, sizeof(seen));
	ctf_each_reg(&field, false, see, seen);
	assert_string_equal(seen, "41?2?3?5");
	memset(seen, 0, sizeof(seen));
	ctf_each_reg(&members[0], true, see, seen);
	assert_string_equal(seen, "4?");
	/* Of what refers to them. */
	struct ctf_fc text = TEXT(CTF_TEXT, 0, 9), blob = TEXT(CTF_BLOB, 0, 1);
	static const struct {
		int reg;
		bool record, text, blob;
	} cases[] = { { 0, false, false, false }, { 4, false, false, false },
		{ 6, true, false, false }, { 7, true, false, false }, { 8, true, false, false },
		{ 9, false, true, false }, { 1, false, false, true } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool regs[10] = { false };
		regs[cases[i].reg] = cases[i].reg > 0;
		assert_int_equal(ctf_refers_to(&record, regs), cases[i].record);
		assert_int_equal(ctf_refers_to(&text, regs), cases[i].text);
		assert_int_equal(ctf_refers_to(&blob, regs), cases[i].blob);
		assert_false(ctf_refers_to(&u8, regs));
		assert_false(ctf_refers_to(NULL, regs));
	}
	/* Inside of others. */
	bool regs[10] = { [9] = true };
	struct ctf_fc texts = ARRAY(&text, 3, 0), maybe_text = OPTIONAL(&text, 0);
	struct ctf_option with_text[] = { { .field = { .fc = &u8 } },
		{ .field = { .fc = &text } } };
	struct ctf_fc either_text = VARIANT(with_text, 0);
	assert_true(ctf_refers_to(&texts, regs));
	assert_true(ctf_refers_to(&maybe_text, regs));
	assert_true(ctf_refers_to(&either_text, regs));
}

/* ---- byte orders ---- */

static void orders(void **state)
{
	(void)state;
	struct ctf_fc little = BITS(CTF_INT, 5, 8), big = BITS(CTF_INT, 8, 4),
		      whole = BITS(CTF_INT, 32, 8);
	little.u.bits.order = CTF_LE;
	big.u.bits.order = CTF_BE;
	whole.u.bits.order = CTF_BE;
	assert_int_equal(ctf_orders_of(NULL), 0);
	assert_int_equal(ctf_orders_of(&little), 1u << CTF_LE);
	assert_int_equal(ctf_orders_of(&big), 1u << CTF_BE);
	assert_int_equal(ctf_orders_of(&whole), 0);
	assert_int_equal(ctf_orders_of(&string), 0);
	struct ctf_field members[] = { { .fc = &whole }, { .fc = &little }, { .fc = &big } };
	struct ctf_fc record = STRUCT(members), array = ARRAY(&little, 2, 0),
		      maybe = OPTIONAL(&big, 1);
	assert_int_equal(ctf_orders_of(&record), 1u << CTF_LE | 1u << CTF_BE);
	assert_int_equal(ctf_orders_of(&array), 1u << CTF_LE);
	assert_int_equal(ctf_orders_of(&maybe), 1u << CTF_BE);
	struct ctf_option options[] = { { .field = { .fc = &whole } },
		{ .field = { .fc = &little } } };
	struct ctf_fc either = VARIANT(options, 1);
	assert_int_equal(ctf_orders_of(&either), 1u << CTF_LE);
}

static void arrays_that_fit(void **state)
{
	(void)state;
	const struct ctf_size byte = { 8, 8 }, nothing = { 0, 0 }, maybe = { 0, ANY };
	assert_true(ctf_array_fits(byte, 4, 32, 0));
	assert_false(ctf_array_fits(byte, 5, 39, 0));
	assert_true(ctf_array_fits(byte, 5, 40, 0));
	assert_true(ctf_array_fits(nothing, CTF_MAX_IDLE, 0, 0));
	assert_false(ctf_array_fits(nothing, CTF_MAX_IDLE + 1, 1000, 0));
	assert_false(ctf_array_fits(nothing, CTF_MAX_IDLE, 1000, 1));
	assert_true(ctf_array_fits(maybe, CTF_MAX_IDLE + 1000, 1000, 0));
	assert_false(ctf_array_fits(maybe, CTF_MAX_IDLE + 1001, 1000, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_fields),
		cmocka_unit_test(sizes_of_compounds),
		cmocka_unit_test(slots),
		cmocka_unit_test(registers),
		cmocka_unit_test(orders),
		cmocka_unit_test(arrays_that_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
