/* The stable words of paths, waits and accounts: one for each, no two alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "path/account.h"

static void causes(void **state)
{
	static const char *const words[] = { "running", "interrupted", "runnable", "stolen",
		"hypervisor", "disk", "network", "timer", "task", "futex", "pipe", "input", "ipi",
		"device", "stopped", "fork", "queued", "mpi", "blocked", "unknown" };
	(void)state;
	assert_int_equal(PATH_N_CAUSES, sizeof(words) / sizeof(words[0]));
	for (unsigned i = 0; i < PATH_N_CAUSES; i++) {
		assert_string_equal(path_cause_name((enum path_cause)i), words[i]);
		/* The rests of accounts have the same, and two of their own. */
		assert_string_equal(account_rest_name((enum account_rest)i), words[i]);
		assert_int_equal(path_is_unexplained((enum path_cause)i),
			strcmp(words[i], "blocked") == 0 || strcmp(words[i], "unknown") == 0);
	}
	assert_string_equal(path_cause_name(PATH_N_CAUSES), "?");
	assert_string_equal(account_rest_name(ACCOUNT_IDLE), "idle");
	assert_string_equal(account_rest_name(ACCOUNT_N_RESIDUALS), "?");
}

static void links(void **state)
{
	(void)state;
	assert_string_equal(path_link_name(PATH_LINK_WAKE), "wake");
	assert_string_equal(path_link_name(PATH_LINK_FUTEX), "futex");
	assert_string_equal(path_link_name(PATH_LINK_PIPE), "pipe");
	assert_string_equal(path_link_name(PATH_LINK_FORK), "fork");
	assert_string_equal(path_link_name(PATH_LINK_NETWORK), "network");
	assert_string_equal(path_link_name(PATH_LINK_MPI), "mpi");
	assert_string_equal(path_link_name(PATH_LINK_WAIT), "wait");
	assert_string_equal(path_link_name((enum path_link_kind)(PATH_LINK_WAIT + 1)), "?");
}

static void waits(void **state)
{
	(void)state;
	assert_string_equal(blocked_kind_name(BLOCKED_IN_CALL), "syscall");
	assert_string_equal(blocked_kind_name(BLOCKED_PAGE_FAULT), "page-fault");
	assert_string_equal(blocked_kind_name(BLOCKED_IN_KERNEL), "kernel");
	assert_string_equal(blocked_kind_name(BLOCKED_IN_UNKNOWN), "unknown");
	assert_string_equal(blocked_class_name(BLOCKED_REQUEST), "request");
	assert_string_equal(blocked_class_name(BLOCKED_INPUT), "input");
	assert_string_equal(blocked_class_name(BLOCKED_IDLE), "idle");
}

/* For input before for work before felt; who was chosen feels all the rest. */
static void classes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct blocked_wait w = {
			.is_input = i & 1, .is_for_work = i & 2, .is_felt = i & 4
		};
		bool chosen = i & 8;
		assert_int_equal(blocked_class_of(&w, chosen), w.is_input      ? BLOCKED_INPUT
							       : w.is_for_work ? BLOCKED_IDLE
							       : w.is_felt || chosen
								       ? BLOCKED_REQUEST
								       : BLOCKED_IDLE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes),
		cmocka_unit_test(links),
		cmocka_unit_test(waits),
		cmocka_unit_test(classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
