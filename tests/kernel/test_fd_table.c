/* Tables of descriptors: the same as plain arrays, whatever is done to them, copies included;
 * within a budget that comes back whole; beyond it something is forgotten, and nothing is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernel/files/fd_table.h"

enum { TABLES = 4, FDS = 300 };

static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

struct subject {
	struct kernel_fd_budget b;
	struct kernel_fd_table t[TABLES];
	struct kernel_fd plain[TABLES][FDS]; /* name 0: not known */
};

/* exact: all is known; else what is known is right. */
static void compare(const struct subject *s, bool exact)
{
	for (int t = 0; t < TABLES; t++)
		for (int32_t fd = 0; fd < FDS; fd++) {
			const struct kernel_fd *found = kernel_fd_get(&s->t[t], fd),
					       *expected = &s->plain[t][fd];
			if (exact)
				assert_int_equal(found != NULL, expected->name != 0);
			if (found) {
				assert_int_equal(found->name, expected->name);
				assert_int_equal(found->flags & KERNEL_FD_CLOEXEC,
					expected->flags & KERNEL_FD_CLOEXEC);
			}
		}
}

static void set(struct subject *s, uint32_t t, int32_t fd, bool known)
{
	struct mer_err err = { 0 };
	struct kernel_fd what = { 0 };
	if (known)
		what = (struct kernel_fd){ .name = 1 + any(1000),
			.flags = (uint8_t)(any(3) ? 0 : KERNEL_FD_CLOEXEC) };
	assert_int_equal(kernel_fd_set(&s->b, &s->t[t], fd, known ? &what : NULL, &err), 0);
	s->plain[t][fd] = what;
}

static void range(
	struct subject *s, uint32_t t, uint32_t first, uint32_t last, enum kernel_fd_change change)
{
	struct mer_err err = { 0 };
	assert_int_equal(kernel_fd_range(&s->b, &s->t[t], first, last, change, &err), 0);
	for (uint32_t fd = first; fd <= last && fd < FDS; fd++) {
		struct kernel_fd *p = &s->plain[t][fd];
		bool goes = change == KERNEL_FD_FORGET ||
			    (change == KERNEL_FD_EXEC && p->flags & KERNEL_FD_CLOEXEC);
		if (goes)
			*p = (struct kernel_fd){ 0 };
		else if (change == KERNEL_FD_SET_CLOEXEC && p->name)
			p->flags |= KERNEL_FD_CLOEXEC;
	}
}

static void copy_or_merge(struct subject *s, uint32_t to, uint32_t from, bool merges)
{
	struct mer_err err = { 0 };
	if (to == from)
		return;
	if (!merges) {
		kernel_fd_clear(&s->b, &s->t[to]);
		memset(s->plain[to], 0, sizeof(s->plain[to]));
		assert_int_equal(kernel_fd_copy(&s->b, &s->t[to], &s->t[from], &err), 0);
	} else {
		assert_int_equal(kernel_fd_merge(&s->b, &s->t[to], &s->t[from], &err), 0);
	}
	for (int32_t fd = 0; fd < FDS; fd++)
		if (!s->plain[to][fd].name)
			s->plain[to][fd] = s->plain[from][fd];
}

static void change(struct subject *s)
{
	uint32_t t = any(TABLES);
	uint32_t first = any(FDS);
	switch (any(10)) {
	case 0: range(s, t, first, first + any(200), (enum kernel_fd_change)any(3)); break;
	case 1: range(s, t, first, any(FDS), (enum kernel_fd_change)any(3)); break;
	case 2: range(s, t, first, UINT32_MAX, (enum kernel_fd_change)any(3)); break;
	case 3: copy_or_merge(s, t, any(TABLES), any(2)); break;
	case 4: set(s, t, (int32_t)first, false); break;
	default: set(s, t, (int32_t)first, true);
	}
}

static void end(struct subject *s, uint64_t bytes)
{
	for (int t = 0; t < TABLES; t++) {
		kernel_fd_clear(&s->b, &s->t[t]);
		assert_true(s->t[t].n_pages == 0 && !s->t[t].pages);
	}
	assert_int_equal(s->b.bytes, bytes); /* all of it is back */
}

static void as_arrays(void **state)
{
	static struct subject s;
	(void)state;
	kernel_fd_budget_init(&s.b);
	assert_int_equal(s.b.bytes, 128 << 20);
	assert_int_equal(s.b.steps, 1 << 20);
	for (int round = 0; round < 3000; round++) {
		change(&s);
		if (round % 10 == 0)
			compare(&s, true);
	}
	assert_int_equal(s.b.forgotten, 0);
	end(&s, 128 << 20);
}

/* A small budget, of bytes or of steps. */
static void beyond(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		static struct subject s;
		const uint64_t bytes = i ? 1 << 20 : 5000, steps = i ? 100 : 1 << 20;
		s = (struct subject){ .b = { .bytes = bytes, .steps = steps } };
		for (int round = 0; round < 2000; round++) {
			change(&s);
			assert_true(s.b.bytes <= bytes && s.b.steps <= steps);
		}
		compare(&s, false);
		assert_true(s.b.forgotten > 0);
		end(&s, bytes);
	}
}

/* What is no descriptor, or beyond all, is not remembered; the last one is. */
static void limits(void **state)
{
	(void)state;
	struct kernel_fd_budget b;
	struct kernel_fd_table t = { 0 };
	const struct kernel_fd what = { .name = 5 };
	struct mer_err err = { 0 };
	kernel_fd_budget_init(&b);
	assert_int_equal(kernel_fd_set(&b, &t, -1, &what, &err), 0);
	assert_int_equal(kernel_fd_set(&b, &t, KERNEL_FD_LIMIT, &what, &err), 0);
	assert_int_equal(kernel_fd_set(&b, &t, 7, NULL, &err), 0);
	assert_int_equal(t.n_pages, 0);
	assert_null(kernel_fd_get(&t, -1));
	assert_int_equal(kernel_fd_set(&b, &t, KERNEL_FD_LIMIT - 1, &what, &err), 0);
	assert_non_null(kernel_fd_get(&t, KERNEL_FD_LIMIT - 1));
	assert_null(kernel_fd_get(&t, KERNEL_FD_LIMIT));
	assert_int_equal(
		kernel_fd_range(&b, &t, KERNEL_FD_LIMIT - 1, UINT32_MAX, KERNEL_FD_FORGET, &err),
		0);
	assert_null(kernel_fd_get(&t, KERNEL_FD_LIMIT - 1));
	kernel_fd_clear(&b, &t);
	assert_int_equal(b.bytes, 128 << 20);
}

/* Pages that are looked at count: of a range those that there are, of a copy up to the last one of
 * which something is known, of a merge all. */
static void steps(void **state)
{
	(void)state;
	struct kernel_fd_budget b;
	struct kernel_fd_table t = { 0 }, copy = { 0 };
	const struct kernel_fd what = { .name = 5 };
	struct mer_err err = { 0 };
	kernel_fd_budget_init(&b);
	assert_int_equal(kernel_fd_set(&b, &t, 64, &what, &err), 0);
	assert_int_equal(kernel_fd_set(&b, &t, 200, &what, &err), 0);
	assert_int_equal(kernel_fd_set(&b, &t, 200, NULL, &err), 0);
	assert_int_equal(t.n_pages, 4);
	uint64_t before = b.steps;
	assert_int_equal(kernel_fd_range(&b, &t, 63, 128, KERNEL_FD_EXEC, &err), 0);
	assert_int_equal(before - b.steps, 3);
	assert_int_equal(kernel_fd_range(&b, &t, 64, 127, KERNEL_FD_EXEC, &err), 0);
	assert_int_equal(before - b.steps, 3 + 1);
	assert_int_equal(kernel_fd_range(&b, &t, 0, UINT32_MAX, KERNEL_FD_EXEC, &err), 0);
	assert_int_equal(before - b.steps, 4 + 4);
	assert_int_equal(kernel_fd_copy(&b, &copy, &t, &err), 0);
	assert_int_equal(before - b.steps, 8 + 2);
	assert_int_equal(kernel_fd_merge(&b, &copy, &t, &err), 0);
	assert_int_equal(before - b.steps, 10 + 4);
	/* Just enough, and one too few: then nothing is known. */
	b.steps = 4;
	assert_int_equal(kernel_fd_range(&b, &t, 0, 255, KERNEL_FD_EXEC, &err), 0);
	assert_non_null(kernel_fd_get(&t, 64));
	assert_int_equal(b.steps, 0);
	b.steps = 3;
	assert_int_equal(kernel_fd_range(&b, &t, 0, 255, KERNEL_FD_EXEC, &err), 0);
	assert_null(kernel_fd_get(&t, 64));
	assert_int_equal(b.steps, 3);
	assert_int_equal(b.forgotten, 1);
	assert_non_null(kernel_fd_get(&copy, 64));
	kernel_fd_clear(&b, &copy);
	assert_int_equal(b.bytes, 128 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_arrays),
		cmocka_unit_test(beyond),
		cmocka_unit_test(limits),
		cmocka_unit_test(steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
