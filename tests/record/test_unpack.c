/* What a host packed with tar (record/unpack.h): the same files, and nothing outside the folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/unpack.h"

static char dir[64];

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/record-unpack-XXXXXX");
	return !mkdtemp(dir) || chdir(dir);
}

static int end(void **state)
{
	char text[128];
	(void)state;
	snprintf(text, sizeof(text), "cd / && rm -rf %s", dir);
	return system(text);
}

static void entry(FILE *f, const char *name, char type, const char *data)
{
	char head[512] = { 0 }, rest[512] = { 0 };
	size_t n = strlen(data);
	strncpy(head, name, 100);
	snprintf(head + 124, 12, "%011o", (unsigned)n);
	head[156] = type;
	memcpy(head + 257, "ustar", 6);
	strcpy(head + 157, "/etc/passwd");
	fwrite(head, 1, sizeof(head), f);
	fwrite(data, 1, n, f);
	if (n % 512)
		fwrite(rest, 1, 512 - n % 512, f);
}

static bool is(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");
	if (!f)
		return !expected;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return expected && strcmp(text, expected) == 0;
}

static void files(void **state)
{
	struct mer_err err = { 0 };
	struct stat st;
	(void)state;
	FILE *f = fopen("a.tar", "w");
	entry(f, "./", '5', "");
	entry(f, "./12/", '5', "");
	entry(f, "./12/stat", '0', "one");
	entry(f, "13/task/14/comm", '0', "two");
	entry(f, "./empty", '0', "");
	entry(f, "../out", '0', "no");
	entry(f, "/tmp/out", '0', "no");
	entry(f, "12/../../out", '0', "no");
	entry(f, "link", '2', "");
	entry(f, "link/x", '0', "below");
	entry(f, "last", '0', "end");
	fclose(f);
	assert_int_equal(record_unpack("a.tar", "a", &err), 0);
	assert_true(is("a/12/stat", "one") && is("a/13/task/14/comm", "two") && is("a/empty", ""));
	assert_true(is("a/last", "end"));
	assert_true(is("out", NULL) && is("a/out", NULL) && is("/tmp/out", NULL));
	assert_true(lstat("a/link", &st) == 0 && S_ISDIR(st.st_mode));
	/* Again, as after a fetch that was interrupted; but not through a link. */
	assert_int_equal(record_unpack("a.tar", "a", &err), 0);
	assert_true(is("a/12/stat", "one"));
	assert_int_equal(symlink("/tmp", "b"), 0);
	assert_int_not_equal(record_unpack("a.tar", "b", &err), 0);
	assert_int_not_equal(record_unpack("none.tar", "c", &err), 0);
}

/* As tar packs it; then cut at each place: what is whole before is there. */
static void by_tar(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	if (system("mkdir -p in/1/task/2 && echo x >in/1/stat && echo y >in/1/task/2/comm && "
		   "tar -C in -cf t.tar . 2>/dev/null")) {
		print_message("skipped: there is no tar\n");
		skip();
	}
	assert_int_equal(record_unpack("t.tar", "t", &err), 0);
	assert_int_equal(system("diff -r in t"), 0);
	struct stat st;
	assert_int_equal(stat("t.tar", &st), 0);
	for (off_t cut = 0; cut < st.st_size && cut < 4096; cut += 100) {
		assert_int_equal(system("rm -rf t && cp t.tar u.tar"), 0);
		assert_int_equal(truncate("u.tar", cut), 0);
		assert_int_equal(record_unpack("u.tar", "t", &err), 0);
		assert_true(is("t/1/stat", NULL) || is("t/1/stat", "x\n"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files, begin, end),
		cmocka_unit_test_setup_teardown(by_tar, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
