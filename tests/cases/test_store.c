/* Worlds of small recordings from a store (store_case.h); others: test_store_large.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/record.h"
#include "store_case.h"

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-1vm",
		"lab/ipc-zoo",
		"lab/lost-events",
		"lab/lost-packets",
		"lab/netns-containers",
		"lab/threadirqs",
		"lab/wget-cold-hot-nogro",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[N + 2];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i],
			.test_func = store_case_same,
			.initial_state = (void *)(uintptr_t)names[i] };
	tests[N] = (struct CMUnitTest){ .name = "damage",
		.test_func = store_case_damage,
		.initial_state = (void *)(uintptr_t) "lab/wget-cold-hot" };
	tests[N + 1] = (struct CMUnitTest){ .name = "one key",
		.test_func = store_case_key,
		.initial_state = (void *)(uintptr_t) "lab/wget-cold-hot" };
	return cmocka_run_group_tests_name("worlds from a store", tests, NULL, NULL);
}
