/* The build id: the one that is written in the file of the object that holds the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "base/build_id.h"

/* The file that has mer_build_id: this program, or where it is linked with all of it. */
static char *read_file(size_t *n)
{
	Dl_info of;
	const uint8_t *id;
	assert_true(mer_build_id(&id) > 0);
	assert_int_not_equal(dladdr(id, &of), 0);
	FILE *f = fopen(of.dli_fname, "rb");
	assert_non_null(f);
	char *bytes = NULL;
	*n = 0;
	for (size_t cap = 1 << 20, got = 1; got; *n += got, cap *= 2) {
		bytes = realloc(bytes, cap);
		assert_non_null(bytes);
		got = fread(bytes + *n, 1, cap - *n, f);
	}
	fclose(f);
	return bytes;
}

static void as_in_the_file(void **state)
{
	(void)state;
	const uint8_t *id, *again;
	size_t n = mer_build_id(&id), n_bytes;
	assert_true(n >= 8 && n <= 64);
	assert_int_equal(mer_build_id(&again), n);
	assert_ptr_equal(again, id);
	char *bytes = read_file(&n_bytes);
	/* Its note: lengths of name and of what it says, type 3, name. */
	uint32_t note[4] = { 4, (uint32_t)n, 3 };
	memcpy(&note[3], "GNU", 4);
	const char *at = memmem(bytes, n_bytes, note, sizeof(note));
	assert_non_null(at);
	assert_memory_equal(at + sizeof(note), id, n);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_in_the_file) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
