/* A new file takes its place when it is complete; until then, and whatever goes wrong, what was
 * there before is. */
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
#include "base/new_file.h"

static char dir[] = "/tmp/test_new_file.XXXXXX", path[100], link_path[100];

static int begin(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	snprintf(path, sizeof(path), "%s/f", mkdtemp(dir));
	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return mer_remove_folder(dir) ? 0 : 1;
}

static void has(const char *name, const char *text)
{
	char got[100] = "";
	FILE *f = fopen(name, "r");
	assert_non_null(f);
	size_t n = fread(got, 1, sizeof(got) - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static void put(const char *name, const char *text)
{
	struct mer_new_file f;
	assert_true(mer_new_file_open(&f, name));
	assert_true(mer_write_all(f.fd, text, strlen(text)));
	assert_true(mer_new_file_commit(&f));
	has(name, text);
}

static void committed_or_not(void **state)
{
	struct mer_new_file f;
	struct stat st;
	(void)state;
	put(path, "old");
	assert_true(mer_new_file_open(&f, path));
	assert_true(mer_write_all(f.fd, "new", 3));
	has(path, "old");
	mer_new_file_abandon(&f);
	has(path, "old");
	/* What others may do with it stays. */
	assert_int_equal(chmod(path, 0604), 0);
	put(path, "newer");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	/* Nothing is left beside it. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
}

static void by_a_link(void **state)
{
	struct stat st;
	(void)state;
	put(path, "old");
	assert_int_equal(symlink("f", link_path), 0);
	put(link_path, "new");
	has(path, "new");
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	/* To where nothing is yet. */
	assert_int_equal(unlink(path), 0);
	put(link_path, "made");
	has(path, "made");
}

static void no_regular_file(void **state)
{
	struct mer_new_file f;
	struct stat st;
	(void)state;
	assert_true(mer_new_file_open(&f, "/dev/null"));
	assert_true(mer_write_all(f.fd, "x", 1));
	assert_true(mer_new_file_commit(&f));
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_false(mer_new_file_open(&f, dir));
	snprintf(path, sizeof(path), "%s/nowhere/f", dir);
	assert_false(mer_new_file_open(&f, path));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(committed_or_not, begin, end),
		cmocka_unit_test_setup_teardown(by_a_link, begin, end),
		cmocka_unit_test_setup_teardown(no_regular_file, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
