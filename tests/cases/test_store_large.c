/* Worlds of large recordings from a store (store_case.h). */
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
		"lab/clihog-srvhog-2vm",
		"lab/cluster-10",
		"lab/cold-disk",
		"lab/cpu-mem-io",
		"lab/kvm-nested",
		"lab/login-tree",
		"lab/long-ntp",
		"lab/mpi-3vm",
		"lab/reader-zoo",
		"lab/swap",
		"lab/web-load",
		"lab/web-lossy",
		"lab/wget-cold-hot",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i],
			.test_func = store_case_same,
			.initial_state = (void *)(uintptr_t)names[i] };
	return cmocka_run_group_tests_name("worlds from a store", tests, NULL, NULL);
}
