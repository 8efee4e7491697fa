/* Mapped files: content, empty files, and things that are no files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/file.h"

static void files(void **state)
{
	char dir[] = "/tmp/test_file.XXXXXX", path[100];
	struct mer_file f;
	struct mer_err err = { 0 };
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);

	assert_int_equal(mer_file_open(&f, path, &err), MER_ERR_SYS);
	assert_non_null(strstr(err.text, path));
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(mer_file_open(&f, path, &err), 0);
	assert_int_equal(f.size, 0);
	assert_non_null(f.data);
	mer_file_close(&f);

	out = fopen(path, "w");
	for (int i = 0; i < 10000; i++)
		fputc(i & 0xff, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(mer_file_open(&f, path, &err), 0);
	assert_int_equal(f.size, 10000);
	mer_file_release(f.data, 10000);
	mer_file_release(f.data + 1, 9000);
	mer_file_release(f.data + 5000, 1);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(f.data[i], i & 0xff);
	mer_file_close(&f);
	mer_file_close(&f);
	unlink(path);

	assert_int_equal(mer_file_open(&f, dir, &err), MER_ERR_INPUT);
	/* A FIFO without a writer: an error at once, not a wait. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(mer_file_open(&f, path, &err), MER_ERR_INPUT);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(files) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
