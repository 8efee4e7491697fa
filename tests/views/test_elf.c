/* Functions of ELF files: a file of the build id alone, in which symbols an address is, and why
 * there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "make_elf.h"
#include "views/elf.h"

static char path[] = "/tmp/elf.XXXXXX";
static const struct made_elf usual = MADE_ELF;

static void finds(const struct view_elf *e, uint64_t address, const char *expected)
{
	const char *name = view_elf_find(e, address);
	if (!expected)
		assert_null(name);
	else
		assert_string_equal(name ? name : "none", expected);
}

static void functions(void **state)
{
	struct view_elf e;
	(void)state;
	make_elf(path, &usual);
	view_elf_read(&e, path, made_id, MADE_ID_BYTES);
	assert_null(e.reason);
	assert_int_equal(e.n, 6);
	assert_false(e.is_fixed);
	assert_int_equal(e.first, 0x1000);
	finds(&e, 0, NULL);
	finds(&e, 0xfff, NULL);
	finds(&e, 0x1000, "small");
	finds(&e, 0x1003, "small");
	finds(&e, 0x1004, NULL);
	finds(&e, 0x1fff, NULL);
	/* Of two names of one place the first in the alphabet. */
	finds(&e, 0x2000, "alias");
	finds(&e, 0x200f, "alias");
	finds(&e, 0x2010, NULL);
	/* One without a size is at its address alone, within another one too. */
	finds(&e, 0x2008, "bare");
	finds(&e, 0x2009, "alias");
	finds(&e, 0x5000, "bare");
	finds(&e, 0x5001, NULL);
	finds(&e, 0x6000, "ifunc");
	finds(&e, 0x6001, NULL);
	/* No functions, or not here, or without a name. */
	finds(&e, 0x3000, NULL);
	finds(&e, 0x4000, NULL);
	finds(&e, 0x7000, NULL);
	view_elf_fini(&e);
	assert_int_equal(e.n, 0);
}

static void kinds_of_files(void **state)
{
	struct made_elf w = usual;
	struct view_elf e;
	(void)state;
	w.type = ET_EXEC;
	w.first = 0x400fff;
	make_elf(path, &w);
	view_elf_read(&e, path, made_id, MADE_ID_BYTES);
	assert_null(e.reason);
	assert_true(e.is_fixed);
	assert_int_equal(e.first, 0x400000);
	view_elf_fini(&e);
	w.first = 0;
	w.symbols_type = SHT_DYNSYM; /* without the others, those that are exported */
	make_elf(path, &w);
	view_elf_read(&e, path, made_id, MADE_ID_BYTES);
	assert_null(e.reason);
	assert_int_equal(e.n, 6);
	assert_int_equal(e.first, 0);
	view_elf_fini(&e);
}

static void refuses(const struct made_elf *w, const char *where, size_t n, const char *reason)
{
	struct view_elf e;
	make_elf(path, w);
	view_elf_read(&e, where, made_id, n);
	assert_string_equal(e.reason, reason);
	assert_int_equal(e.n, 0);
	view_elf_fini(&e);
}

static void reasons(void **state)
{
	struct made_elf w = usual;
	struct view_elf e;
	(void)state;
	refuses(&w, path, 0, "its build id was not recorded");
	refuses(&w, path, 1, "its build id was not recorded");
	refuses(&w, "[vdso]", MADE_ID_BYTES, "it is no file");
	refuses(&w, "", MADE_ID_BYTES, "it is no file");
	refuses(&w, "/nonexistent/file", MADE_ID_BYTES, "there is no such file here");
	refuses(&w, "/", MADE_ID_BYTES, "there is no such file here");
	refuses(&w, "/dev/null", MADE_ID_BYTES, "there is no such file here");
	refuses(&w, path, 3, "the file here is of another build");
	w.owner = "XYZ";
	refuses(&w, path, MADE_ID_BYTES, "the file here is of another build");
	w = usual;
	w.note_type = NT_GNU_ABI_TAG;
	refuses(&w, path, MADE_ID_BYTES, "the file here is of another build");
	w = usual;
	w.symbols_type = SHT_NULL;
	refuses(&w, path, MADE_ID_BYTES, "its file has no symbols; install its debug symbols");
	static const uint8_t other[] = { 1, 2, 3, 5 };
	make_elf(path, &usual);
	view_elf_read(&e, path, other, sizeof(other));
	assert_string_equal(e.reason, "the file here is of another build");
	/* No ELF file at all. */
	FILE *f = fopen(path, "w");
	assert_true(f && fputs("#!/bin/sh\n", f) >= 0 && fclose(f) == 0);
	view_elf_read(&e, path, made_id, MADE_ID_BYTES);
	assert_string_equal(e.reason, "there is no such file here");
}

int main(void)
{
#ifndef MER_HAS_ELF
	print_message("skipped: this build reads no ELF files\n");
	return 77;
#endif
	const struct CMUnitTest tests[] = { cmocka_unit_test(functions),
		cmocka_unit_test(kinds_of_files), cmocka_unit_test(reasons) };
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
