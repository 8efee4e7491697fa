/* Mapped files: content, empty files, and things that are no files; files that are replaced. */
#include <errno.h>
#include <fcntl.h>
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

/* All of the new content or what was there before, and nothing beside it. */
static void replaced_as_a_whole(void **state)
{
	char dir[] = "/tmp/test_file.XXXXXX", path[100], beside[100];
	const struct mer_bytes parts[] = { { "head", 4 }, { "", 0 }, { "body", 4 } };
	struct mer_file f;
	struct mer_err err = { 0 };
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	assert_true(mer_file_replace(path, parts, 3));
	assert_true(mer_file_replace(path, parts + 2, 1));
	assert_int_equal(mer_file_open(&f, path, &err), 0);
	assert_int_equal(f.size, 4);
	assert_memory_equal(f.data, "body", 4);
	mer_file_close(&f);
	/* A folder in its place cannot be replaced: errno says so, and no part stays behind. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(mer_file_replace(path, parts, 3));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(dir), 0);
	snprintf(beside, sizeof(beside), "%s/none/f", dir);
	assert_false(mer_file_replace(beside, parts, 3));
	assert_int_equal(errno, ENOENT);
}

/* A folder, and the one above it if that is missing too, but no more than these; one that is there
 * already is as good. */
static void folder_and_those_above(void **state)
{
	char dir[] = "/tmp/test_file.XXXXXX", above[100], path[100], deep[100], beside[100];
	char long_path[5000];
	struct stat st;
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(above, sizeof(above), "%s/a", dir);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	snprintf(deep, sizeof(deep), "%s/c/d/e", dir);
	assert_true(mer_make_folder(path));
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0700); /* nobody else's business */
	assert_true(mer_make_folder(path));
	assert_int_equal(rmdir(path), 0);
	assert_true(mer_make_folder(path)); /* only the last one is missing */
	assert_true(mer_make_folder(deep));
	assert_true(mer_make_folder(deep));
	/* Below a file there can be none. */
	snprintf(beside, sizeof(beside), "%s/f", dir);
	FILE *out = fopen(beside, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	snprintf(deep, sizeof(deep), "%s/f/g", dir);
	assert_false(mer_make_folder(deep));
	assert_int_equal(errno, ENOTDIR);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_false(mer_make_folder(long_path));
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(unlink(beside), 0);
	assert_true(mer_remove_folder(dir));
}

/* Folders for a file that others may read; of a folder that cannot be made the path is left. */
static void folders_of_a_file(void **state)
{
	char dir[] = "/tmp/test_file.XXXXXX", path[100], wanted[100];
	struct stat st;
	(void)state;
	mode_t mask = umask(027);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b/f", dir);
	snprintf(wanted, sizeof(wanted), "%s", path);
	assert_true(mer_make_folders_of(path, 0777));
	assert_string_equal(path, wanted);
	assert_int_equal(stat(path, &st), -1);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	/* Below a file there can be none. */
	snprintf(wanted, sizeof(wanted), "%s/a/f", dir);
	FILE *out = fopen(wanted, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	snprintf(path, sizeof(path), "%s/a/f/c/g", dir);
	assert_false(mer_make_folders_of(path, 0777));
	assert_int_equal(errno, ENOTDIR);
	assert_string_equal(path, wanted);
	umask(mask);
	assert_true(mer_remove_folder(dir));
}

/* What cannot be written: the reason is kept. */
static void not_written(void **state)
{
	int fds[2];
	char got[8];
	(void)state;
	assert_false(mer_write_all(-1, "x", 1));
	assert_int_equal(errno, EBADF);
	assert_true(mer_write_all(-1, "", 0)); /* nothing to write */
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (full >= 0) {
		assert_false(mer_write_all(full, "x", 1));
		assert_int_equal(errno, ENOSPC);
		close(full);
	}
	assert_int_equal(pipe(fds), 0);
	assert_true(mer_write_all(fds[1], "pieces", 6));
	assert_int_equal(read(fds[0], got, sizeof(got)), 6);
	assert_memory_equal(got, "pieces", 6);
	close(fds[0]);
	close(fds[1]);
}

/* Links are removed, not followed; what is not there is not removed. */
static void removed(void **state)
{
	char dir[] = "/tmp/test_file.XXXXXX", path[100], other[100];
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_true(mer_make_folder(path));
	assert_true(mer_make_folder(other));
	snprintf(path, sizeof(path), "%s/a/b/link", dir);
	assert_int_equal(symlink(other, path), 0);
	snprintf(path, sizeof(path), "%s/a", dir);
	assert_true(mer_remove_folder(path));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(other, F_OK), 0);
	assert_false(mer_remove_folder(path));
	assert_true(mer_remove_folder(dir));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(files),
		cmocka_unit_test(replaced_as_a_whole), cmocka_unit_test(not_written),
		cmocka_unit_test(removed), cmocka_unit_test(folder_and_those_above),
		cmocka_unit_test(folders_of_a_file) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
