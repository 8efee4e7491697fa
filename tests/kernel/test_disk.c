/* Requests to disks: what each does, from when until when, and how disks are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/disk.h"

static void what_it_does(void **state)
{
	(void)state;
	static const struct {
		uint32_t dev, bytes;
		uint8_t flags;
		enum io_op op;
	} cases[] = { { 8, 512, KERNEL_READ, IO_DISK_READ },
		{ 8, 512, KERNEL_WRITE, IO_DISK_WRITE }, { 8, 512, 0, IO_DISK_READ },
		{ 8, 512, KERNEL_WRITE | KERNEL_SYNC, IO_DISK_WRITE },
		{ 8, 512, KERNEL_WRITE | KERNEL_FLUSH, IO_DISK_WRITE },
		{ 8, 512, KERNEL_DISCARD, IO_DISK_DISCARD },
		{ 8, 512, KERNEL_WRITE | KERNEL_DISCARD, IO_DISK_DISCARD },
		{ 8, 0, KERNEL_FLUSH, IO_DISK_FLUSH }, { 8, 0, KERNEL_WRITE, IO_NONE },
		{ 8, 0, KERNEL_WRITE | KERNEL_FLUSH, IO_DISK_FLUSH },
		{ 1, 0, KERNEL_FLUSH, IO_DISK_FLUSH },
		/* A command, or part of another request. */
		{ 0, 0, KERNEL_FLUSH, IO_NONE }, { 0, 1, KERNEL_READ, IO_DISK_READ },
		{ 8, 512, KERNEL_READ | KERNEL_MERGED, IO_NONE },
		{ 8, 0, KERNEL_FLUSH | KERNEL_MERGED, IO_NONE } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct kernel_request r = {
			.dev = cases[i].dev, .bytes = cases[i].bytes, .flags = cases[i].flags
		};
		if (kernel_request_op(&r) != cases[i].op)
			fail_msg("case %zu: %d", i, (int)kernel_request_op(&r));
	}
}

#define NO INT64_MIN

static void when(void **state)
{
	(void)state;
	static const struct {
		int64_t insert, issue, complete, begin, end, queued;
		bool was_in_flight;
	} cases[] = { { 10, 20, 30, 20, 30, 10, true }, { NO, 20, 30, 20, 30, -1, true },
		{ 10, NO, 30, 10, 30, -1, false }, { NO, NO, 30, 30, 30, -1, false },
		{ 10, 20, NO, 20, NO, 10, false }, { 10, 10, 10, 10, 10, 0, true },
		{ NO, NO, NO, NO, NO, -1, false },
		/* Clocks of CPUs that differ. */
		{ 30, 20, 40, 20, 40, -1, true }, { 10, 20, 15, 20, 20, 10, false } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct kernel_request r = { .insert = cases[i].insert,
			.issue = cases[i].issue,
			.complete = cases[i].complete };
		assert_true(kernel_request_begin(&r) == cases[i].begin);
		assert_true(kernel_request_end(&r) == cases[i].end);
		assert_true(kernel_request_queued(&r) == cases[i].queued);
		assert_int_equal(kernel_request_was_in_flight(&r), cases[i].was_in_flight);
	}
}

static bool is_called(void *ctx, const char *name)
{
	return strcmp(name, ctx) == 0;
}

static void names(void **state)
{
	(void)state;
	struct kernel_host h;
	struct mer_arena arena;
	static const struct {
		uint32_t dev;
		const char *name;
	} cases[] = { { 8 << 20 | 16, "sdb" }, { 8 << 20 | 17, "8,17" }, { 0, "0,0" },
		{ 259 << 20 | ((1 << 20) - 1), "259,1048575" }, { 8 << 20, "8,0" },
		{ UINT32_MAX, "4095,1048575" } };
	kernel_host_init(&h);
	mer_arena_init(&arena);
	*mer_map_put(&h.devices, 8 << 20 | 16) = mer_intern_add(&h.names, "sdb", 3) + 1;
	*mer_map_put(&h.devices, 8 << 20) = mer_intern_add(&h.names, "", 0) + 1;
	*mer_map_put(&h.devices, 8 << 20 | 17) = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(kernel_disk_name(&h, cases[i].dev, &arena), cases[i].name);
		assert_true(kernel_disk_has_name(
			&h, cases[i].dev, is_called, (void *)(uintptr_t)cases[i].name));
		assert_false(kernel_disk_has_name(
			&h, cases[i].dev, is_called, (void *)(uintptr_t) "other"));
	}
	mer_arena_fini(&arena);
	kernel_host_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_does),
		cmocka_unit_test(when),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
