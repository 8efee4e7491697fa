/* Archives: what is written is read back, whatever it is; references are local to an archive; and
 * bytes that end early, or numbers beyond their limits, are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/checkpoint/keep.h"

static const uint64_t numbers[] = { 0, 1, 127, 128, 129, 16383, 16384, (1u << 21) - 1, 1u << 21,
	UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 62, (uint64_t)INT64_MAX, UINT64_C(1) << 63,
	UINT64_MAX };
enum { N = sizeof(numbers) / sizeof(*numbers) };

/* Each kind of number, for each of those above; values are as x in the mode that reads. */
static void visit_all(struct archive *a, uint64_t *u64, int64_t *i64, int64_t *time, uint32_t *u32,
	int32_t *i32, uint16_t *u16, uint8_t *u8, bool *truth)
{
	archive_u64(a, u64);
	archive_i64(a, i64);
	archive_time(a, time, 1000);
	archive_u32(a, u32);
	archive_i32(a, i32);
	archive_u16(a, u16);
	archive_u8(a, u8, 0);
	archive_bool(a, truth);
}

static void numbers_come_back(void **state)
{
	(void)state;
	struct archive w = { .mode = ARCHIVE_WRITE };
	size_t ends[N];
	for (int i = 0; i < N; i++) {
		uint64_t v = numbers[i];
		int64_t s = (int64_t)v, t = (int64_t)v;
		uint32_t u32 = (uint32_t)v;
		int32_t i32 = (int32_t)v;
		uint16_t u16 = (uint16_t)v;
		uint8_t u8 = (uint8_t)v;
		bool truth = v & 1;
		visit_all(&w, &v, &s, &t, &u32, &i32, &u16, &u8, &truth);
		assert_int_equal(v, numbers[i]); /* what is written stays */
		assert_int_equal(u32, (uint32_t)numbers[i]);
		ends[i] = w.n;
	}
	assert_false(w.failed);
	struct archive r;
	archive_open(&r, w.bytes, w.n);
	for (int i = 0; i < N; i++) {
		uint64_t v = 5;
		int64_t s = 5, t = 5;
		uint32_t u32 = 5;
		int32_t i32 = 5;
		uint16_t u16 = 5;
		uint8_t u8 = 5;
		bool truth = !(numbers[i] & 1);
		visit_all(&r, &v, &s, &t, &u32, &i32, &u16, &u8, &truth);
		assert_true(v == numbers[i] && s == (int64_t)numbers[i] && t == s);
		assert_true(u32 == (uint32_t)numbers[i] && i32 == (int32_t)numbers[i]);
		assert_true(u16 == (uint16_t)numbers[i] && u8 == (uint8_t)numbers[i]);
		assert_true(truth == (numbers[i] & 1));
		assert_false(r.failed);
		assert_ptr_equal(r.at, w.bytes + ends[i]);
	}
	/* Cut anywhere: some number fails, and all behind it are zero. */
	for (size_t n = 0; n < w.n; n++) {
		uint64_t v = 5;
		archive_open(&r, w.bytes, n);
		for (size_t i = 0; i < w.n && !r.failed; i++)
			archive_u64(&r, &v);
		assert_true(r.failed);
		v = 5;
		archive_u64(&r, &v);
		assert_int_equal(v, 0);
	}
	archive_fini(&w);
	assert_null(w.bytes);
}

/* Small ones take a byte; so do small distances of times, and those that are none. */
static void small_is_small(void **state)
{
	(void)state;
	struct archive w = { .mode = ARCHIVE_WRITE };
	static const struct {
		int64_t time;
		size_t bytes;
	} times[] = { { INT64_MIN, 1 }, { INT64_MAX, 1 }, { 1000, 1 }, { 1062, 1 }, { 937, 1 },
		{ 1063, 2 }, { 936, 2 } };
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		int64_t t = times[i].time;
		size_t before = w.n;
		archive_time(&w, &t, 1000);
		assert_int_equal(w.n - before, times[i].bytes);
	}
	int64_t far = -3; /* a distance that does not fit */
	archive_time(&w, &far, INT64_MAX);
	far = INT64_MIN + 1;
	assert_false(w.failed);
	archive_time(&w, &far, 0);
	assert_false(w.failed);
	archive_time(&w, &far, 1);
	assert_true(w.failed);
	archive_fini(&w);
}

/* Beyond its limit a number is refused, when it is written and when it is read. */
static void limits(void **state)
{
	(void)state;
	static const uint64_t values[] = { UINT64_C(1) << 32, 65536, 256, 2, 7 };
	for (int kind = 0; kind < 5; kind++)
		for (int beyond = 0; beyond < 2; beyond++) {
			struct archive w = { .mode = ARCHIVE_WRITE }, r;
			uint64_t v = values[kind] - !beyond;
			uint32_t u32 = 9;
			uint16_t u16 = 9;
			uint8_t u8 = 9;
			bool truth = false;
			archive_u64(&w, &v);
			archive_open(&r, w.bytes, w.n);
			if (kind == 0)
				archive_u32(&r, &u32);
			else if (kind == 1)
				archive_u16(&r, &u16);
			else if (kind == 3)
				archive_bool(&r, &truth);
			else
				archive_u8(&r, &u8, kind == 4 ? 7 : 0);
			assert_int_equal(r.failed, beyond);
			uint64_t got = kind == 0 ? u32 : kind == 1 ? u16 : kind == 3 ? truth : u8;
			assert_int_equal(got, beyond ? 0 : v);
			archive_fini(&w);
		}
	static const int64_t wide[] = { INT32_MAX, INT32_MIN, INT64_C(1) << 31,
		-(INT64_C(1) << 31) - 1 };
	for (int i = 0; i < 4; i++) {
		struct archive w = { .mode = ARCHIVE_WRITE }, r;
		int64_t v = wide[i];
		int32_t got = 9;
		archive_i64(&w, &v);
		archive_open(&r, w.bytes, w.n);
		archive_i32(&r, &got);
		assert_int_equal(r.failed, i >= 2);
		assert_int_equal(got, i < 2 ? wide[i] : 0);
		archive_fini(&w);
	}
	struct archive w = { .mode = ARCHIVE_WRITE };
	uint8_t u8 = 7;
	archive_u8(&w, &u8, 8);
	assert_false(w.failed);
	archive_u8(&w, &u8, 7);
	assert_true(w.failed);
	assert_int_equal(u8, 7);
	archive_fini(&w);
}

/* Marked in any order, numbered by size; the reader's are by a table, or from a number on. */
static void references(void **state)
{
	(void)state;
	struct archive a = { .mode = ARCHIVE_MARK };
	static const uint32_t marked[] = { 70, 5, 70, 900, 5, 0 };
	for (size_t i = 0; i < sizeof(marked) / sizeof(*marked); i++) {
		uint32_t v = marked[i];
		archive_ref(&a, ARCHIVE_SPAN, &v);
		v = KERNEL_NONE;
		archive_ref(&a, ARCHIVE_SPAN, &v);
		v = 77;
		archive_ref(&a, ARCHIVE_TASK, &v);
		assert_int_equal(v, 77);
	}
	archive_sort(&a);
	assert_false(a.failed);
	assert_int_equal(a.sets[ARCHIVE_SPAN].n, 4);
	assert_int_equal(a.sets[ARCHIVE_PACKET].n, 0);
	assert_int_equal(archive_local(&a, ARCHIVE_SPAN, 0), 0);
	assert_int_equal(archive_local(&a, ARCHIVE_SPAN, 5), 1);
	assert_int_equal(archive_local(&a, ARCHIVE_SPAN, 900), 3);
	assert_true(archive_local(&a, ARCHIVE_SPAN, 6) == KERNEL_NONE);
	a.mode = ARCHIVE_WRITE;
	static const uint32_t written[] = { 900, 5, KERNEL_NONE, 6 };
	for (size_t i = 0; i < 4; i++) {
		uint32_t v = written[i];
		archive_ref(&a, ARCHIVE_SPAN, &v);
		assert_true(v == written[i]);
		archive_ref(&a, ARCHIVE_TASK, &v);
	}
	static const uint32_t table[] = { 10, 11, 12, 13 };
	for (int by_table = 0; by_table < 2; by_table++) {
		struct archive r;
		archive_open(&r, a.bytes, a.n);
		r.limits[ARCHIVE_SPAN] = 4;
		r.limits[ARCHIVE_TASK] = 901;
		r.bases[ARCHIVE_SPAN] = 500;
		r.tables[ARCHIVE_SPAN] = by_table ? table : NULL;
		const uint32_t local[] = { 3, 1, KERNEL_NONE, KERNEL_NONE };
		for (size_t i = 0; i < 4; i++) {
			uint32_t v = 1, task = 1;
			archive_ref(&r, ARCHIVE_SPAN, &v);
			archive_ref(&r, ARCHIVE_TASK, &task);
			uint32_t want = local[i] == KERNEL_NONE ? KERNEL_NONE
					: by_table		? table[local[i]]
								: 500 + local[i];
			assert_true(v == want);
			assert_true(task == written[i]);
		}
		assert_false(r.failed);
		/* One more than there are. */
		archive_open(&r, a.bytes, a.n);
		r.limits[ARCHIVE_SPAN] = 3;
		uint32_t v = 1;
		archive_ref(&r, ARCHIVE_SPAN, &v);
		assert_true(r.failed && v == KERNEL_NONE);
	}
	archive_fini(&a);
}

/* No more of something than the bytes that are left can hold. */
static void counts(void **state)
{
	(void)state;
	for (uint32_t n = 5; n < 8; n++) {
		struct archive w = { .mode = ARCHIVE_WRITE }, r;
		uint32_t got = n;
		archive_count(&w, &got, 2);
		assert_non_null(archive_data(&w, "twelve bytes", 12));
		archive_open(&r, w.bytes, w.n);
		archive_count(&r, &got, 2);
		assert_int_equal(r.failed, n == 7);
		assert_int_equal(got, n == 7 ? 0 : n);
		if (n < 7) {
			const uint8_t *data = archive_data(&r, NULL, 12);
			assert_memory_equal(data, "twelve bytes", 12);
			assert_ptr_equal(r.at, r.end);
			assert_non_null(archive_data(&r, NULL, 0));
			assert_null(archive_data(&r, NULL, 1));
			assert_true(r.failed);
		}
		archive_fini(&w);
	}
}

/* ---- what was open ---- */

static void ends(void **state)
{
	(void)state;
	static const uint8_t kinds[] = { CHECKPOINT_NO_END, CHECKPOINT_SPAN, CHECKPOINT_OPEN_CALL };
	for (int i = 0; i < 3; i++) {
		struct archive w = { .mode = ARCHIVE_WRITE }, r;
		struct checkpoint_end e = { .kind = kinds[i],
			.begin = 500,
			.end = 900,
			.told = 901,
			.task = 3,
			.call = 4,
			.cpu = 5,
			.state = KERNEL_N_STATES - 1,
			.cause = KERNEL_N_CAUSES - 1,
			.by = 6,
			.call_kind = KERNEL_N_CALL_KINDS - 1,
			.ret = -7,
			.args = { 8, 9 } };
		struct checkpoint_end got = { 0 };
		checkpoint_visit_end(&w, &e);
		assert_false(w.failed);
		archive_open(&r, w.bytes, w.n);
		r.limits[ARCHIVE_TASK] = r.limits[ARCHIVE_CALL] = 10;
		checkpoint_visit_end(&r, &got);
		assert_false(r.failed);
		assert_ptr_equal(r.at, r.end);
		assert_int_equal(got.kind, kinds[i]);
		if (i == 0) {
			archive_fini(&w);
			continue;
		}
		assert_true(got.begin == 500 && got.end == 900 && got.told == 901);
		assert_true(got.task == 3 && got.call == 4 && got.cpu == 5);
		assert_int_equal(got.state, e.state);
		assert_int_equal(got.cause, i == 1 ? e.cause : 0);
		assert_int_equal(got.by, i == 1 ? 6 : 0);
		assert_int_equal(got.call_kind, i == 2 ? e.call_kind : 0);
		assert_int_equal(got.ret, i == 2 ? -7 : 0);
		assert_int_equal(got.args[1], i == 2 ? 9 : 0);
		archive_fini(&w);
	}
	/* Of a kind, a state or a cause that is none. */
	for (int wrong = 0; wrong < 4; wrong++) {
		struct archive w = { .mode = ARCHIVE_WRITE };
		struct checkpoint_end e = { .kind = wrong == 3 ? CHECKPOINT_OPEN_CALL
							       : CHECKPOINT_SPAN };
		if (wrong == 0)
			e.kind = CHECKPOINT_OPEN_CALL + 1;
		else if (wrong == 1)
			e.state = KERNEL_N_STATES;
		else if (wrong == 2)
			e.cause = KERNEL_N_CAUSES;
		else
			e.call_kind = KERNEL_N_CALL_KINDS;
		checkpoint_visit_end(&w, &e);
		assert_true(w.failed);
		archive_fini(&w);
	}
}

/* Losses by their begins, each not before the one before it, nor ending before it begins. */
static void losses(void **state)
{
	(void)state;
	static const struct {
		struct kernel_loss rows[2];
		bool is_refused;
	} cases[] = { { { { 10, 20, 0, 5 }, { 15, 18, 4095, -1 } }, false },
		{ { { 10, 10, 0, 5 }, { 10, 10, 1, 5 } }, false },
		{ { { 10, 20, 0, 5 }, { 9, 18, 1, 5 } }, true },
		{ { { 10, 9, 0, 5 }, { 15, 18, 1, 5 } }, true },
		{ { { 4, 9, 0, 5 }, { 15, 18, 1, 5 } }, true },
		{ { { 10, 20, 4096, 5 }, { 15, 18, 1, 5 } }, true } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct archive w = { .mode = ARCHIVE_WRITE }, r;
		struct kernel_loss rows[2] = { cases[i].rows[0], cases[i].rows[1] };
		int32_t first_tid[] = { 7, 0, -1 };
		struct kernel_losses l = { .by_begin = rows,
			.n = 2,
			.first_tid = first_tid,
			.n_cpus = 3,
			.begin = 5,
			.end = 50 };
		struct kernel_losses got = { 0 };
		checkpoint_visit_losses(&w, &l);
		assert_int_equal(w.failed, cases[i].is_refused);
		if (!w.failed) {
			archive_open(&r, w.bytes, w.n);
			checkpoint_visit_losses(&r, &got);
			assert_false(r.failed);
			assert_true(
				got.n == 2 && got.n_cpus == 3 && got.begin == 5 && got.end == 50);
			for (int k = 0; k < 2; k++) {
				const struct kernel_loss *x = &got.by_begin[k], *y = &rows[k];
				assert_true(x->begin == y->begin && x->end == y->end);
				assert_true(x->cpu == y->cpu && x->next_tid == y->next_tid);
			}
			assert_memory_equal(got.first_tid, first_tid, sizeof(first_tid));
			free(got.by_begin);
			free(got.first_tid);
		}
		archive_fini(&w);
	}
}

/* More CPUs than a host can have. */
static void losses_of_too_many(void **state)
{
	(void)state;
	static int32_t first_tid[KERNEL_MAX_CPUS + 1];
	for (uint32_t more = 0; more < 2; more++) {
		struct archive w = { .mode = ARCHIVE_WRITE }, r;
		struct kernel_losses l = { .first_tid = first_tid,
			.n_cpus = KERNEL_MAX_CPUS + more };
		struct kernel_losses got = { 0 };
		checkpoint_visit_losses(&w, &l);
		archive_open(&r, w.bytes, w.n);
		checkpoint_visit_losses(&r, &got);
		assert_int_equal(r.failed, more);
		free(got.by_begin);
		free(got.first_tid);
		archive_fini(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_come_back),
		cmocka_unit_test(small_is_small),
		cmocka_unit_test(limits),
		cmocka_unit_test(references),
		cmocka_unit_test(counts),
		cmocka_unit_test(ends),
		cmocka_unit_test(losses),
		cmocka_unit_test(losses_of_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
