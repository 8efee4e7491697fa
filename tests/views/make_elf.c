#include "make_elf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

const uint8_t made_id[MADE_ID_BYTES] = { 1, 2, 3, 4 };

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

void make_elf(const char *path, const struct made_elf *w)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segments[2];
		Elf64_Shdr sections[4];
		struct {
			Elf64_Nhdr head;
			char owner[4];
			uint8_t id[sizeof(made_id)];
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
	f.note.head = (Elf64_Nhdr){ sizeof(f.note.owner), sizeof(made_id), w->note_type };
	memcpy(f.note.owner, w->owner, sizeof(f.note.owner));
	memcpy(f.note.id, made_id, sizeof(made_id));
	memcpy(f.symbols, symbols, sizeof(symbols));
	memcpy(f.names, names, sizeof(names));
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(&f, sizeof(f), 1, out), 1);
	assert_int_equal(fclose(out), 0);
}
