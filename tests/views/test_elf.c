/* Functions of ELF files: a file of the build id alone, in which symbols an address is, and why
 * there are none. The files are written here, with no more in them than is looked at. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "views/elf.h"

static const uint8_t id[] = { 1, 2, 3, 4 };
static char path[] = "/tmp/elf.XXXXXX";

struct wanted {
	uint16_t type;
	uint32_t note_type, symbols_type;
	const char *owner;
	uint64_t first; /* of the segment that is loaded; 0: none is */
};

static const char names[] = "\0small\0large\0alias\0data\0outside\0bare\0ifunc";
enum { SMALL = 1, LARGE = 7, ALIAS = 13, DATA = 19, OUTSIDE = 24, BARE = 32, IFUNC = 37 };

static const Elf64_Sym symbols[] = { { 0 },
	{ .st_name = LARGE, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x2000, .st_size = 16 },
	{ .st_name = SMALL, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1000, .st_size = 4 },
	{ .st_name = ALIAS, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x2000, .st_size = 16 },
	{ .st_name = DATA, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0x3000, .st_size = 8 },
	{ .st_name = OUTSIDE, .st_info = STT_FUNC, .st_value = 0x4000, .st_size = 8 },
	{ .st_name = BARE, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x5000 },
	{ .st_name = BARE, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x2008 },
	{ .st_name = IFUNC,
		.st_info = STT_GNU_IFUNC,
		.st_shndx = 1,
		.st_value = 0x6000,
		.st_size = 1 },
	{ .st_name = 0, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x7000, .st_size = 8 } };

static void write_elf(const struct wanted *w)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segments[2];
		Elf64_Shdr sections[4];
		struct {
			Elf64_Nhdr head;
			char owner[4];
			uint8_t id[sizeof(id)];
		} note;
		Elf64_Sym symbols[sizeof(symbols) / sizeof(*symbols)];
		char names[sizeof(names)];
	} f;
	memset(&f, 0, sizeof(f));
	memcpy(f.head.e_ident, ELFMAG, SELFMAG);
	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.head.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	f.head.e_ident[EI_VERSION] = EV_CURRENT;
	f.head.e_version = EV_CURRENT;
	f.head.e_type = w->type;
	f.head.e_machine = EM_X86_64;
	f.head.e_ehsize = sizeof(f.head);
	f.head.e_phoff = offsetof(__typeof__(f), segments);
	f.head.e_phentsize = sizeof(*f.segments);
	f.head.e_phnum = 2;
	f.head.e_shoff = offsetof(__typeof__(f), sections);
	f.head.e_shentsize = sizeof(*f.sections);
	f.head.e_shnum = 4;
	f.segments[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_vaddr = 0x123456 };
	f.segments[1] = (Elf64_Phdr){ .p_type = w->first ? PT_LOAD : PT_NULL, .p_vaddr = w->first };
	f.sections[1] = (Elf64_Shdr){ .sh_type = SHT_NOTE,
		.sh_offset = offsetof(__typeof__(f), note),
		.sh_size = sizeof(f.note),
		.sh_addralign = 4 };
	f.sections[2] = (Elf64_Shdr){ .sh_type = w->symbols_type,
		.sh_offset = offsetof(__typeof__(f), symbols),
		.sh_size = sizeof(f.symbols),
		.sh_entsize = sizeof(*symbols),
		.sh_link = 3,
		.sh_addralign = 8 };
	f.sections[3] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(__typeof__(f), names),
		.sh_size = sizeof(names),
		.sh_addralign = 1 };
	f.note.head = (Elf64_Nhdr){ sizeof(f.note.owner), sizeof(id), w->note_type };
	memcpy(f.note.owner, w->owner, sizeof(f.note.owner));
	memcpy(f.note.id, id, sizeof(id));
	memcpy(f.symbols, symbols, sizeof(symbols));
	memcpy(f.names, names, sizeof(names));
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(&f, sizeof(f), 1, out), 1);
	assert_int_equal(fclose(out), 0);
}

static const struct wanted usual = { .type = ET_DYN,
	.note_type = NT_GNU_BUILD_ID,
	.symbols_type = SHT_SYMTAB,
	.owner = "GNU",
	.first = 0x1234 };

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
	write_elf(&usual);
	view_elf_read(&e, path, id, sizeof(id));
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
	struct wanted w = usual;
	struct view_elf e;
	(void)state;
	w.type = ET_EXEC;
	w.first = 0x400fff;
	write_elf(&w);
	view_elf_read(&e, path, id, sizeof(id));
	assert_null(e.reason);
	assert_true(e.is_fixed);
	assert_int_equal(e.first, 0x400000);
	view_elf_fini(&e);
	w.first = 0;
	w.symbols_type = SHT_DYNSYM; /* without the others, those that are exported */
	write_elf(&w);
	view_elf_read(&e, path, id, sizeof(id));
	assert_null(e.reason);
	assert_int_equal(e.n, 6);
	assert_int_equal(e.first, 0);
	view_elf_fini(&e);
}

static void refuses(const struct wanted *w, const char *where, size_t n, const char *reason)
{
	struct view_elf e;
	write_elf(w);
	view_elf_read(&e, where, id, n);
	assert_string_equal(e.reason, reason);
	assert_int_equal(e.n, 0);
	view_elf_fini(&e);
}

static void reasons(void **state)
{
	struct wanted w = usual;
	struct view_elf e;
	(void)state;
	refuses(&w, path, 0, "its build id was not recorded");
	refuses(&w, path, 1, "its build id was not recorded");
	refuses(&w, "[vdso]", sizeof(id), "it is no file");
	refuses(&w, "", sizeof(id), "it is no file");
	refuses(&w, "/nonexistent/file", sizeof(id), "there is no such file here");
	refuses(&w, "/", sizeof(id), "there is no such file here");
	refuses(&w, "/dev/null", sizeof(id), "there is no such file here");
	refuses(&w, path, 3, "the file here is of another build");
	w.owner = "XYZ";
	refuses(&w, path, sizeof(id), "the file here is of another build");
	w = usual;
	w.note_type = NT_GNU_ABI_TAG;
	refuses(&w, path, sizeof(id), "the file here is of another build");
	w = usual;
	w.symbols_type = SHT_NULL;
	refuses(&w, path, sizeof(id), "its file has no symbols; install its debug symbols");
	static const uint8_t other[] = { 1, 2, 3, 5 };
	write_elf(&usual);
	view_elf_read(&e, path, other, sizeof(other));
	assert_string_equal(e.reason, "the file here is of another build");
	/* No ELF file at all. */
	FILE *f = fopen(path, "w");
	assert_true(f && fputs("#!/bin/sh\n", f) >= 0 && fclose(f) == 0);
	view_elf_read(&e, path, id, sizeof(id));
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
