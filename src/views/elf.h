/* ELF: the functions of a program or library, if the file has the build ID that was traced.
 * Without elfutils (libelf) no files are read. */
#ifndef MER_VIEWS_ELF_H
#define MER_VIEWS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view_elf_symbol {
	uint64_t address, size;
	const char *name;
};

struct view_elf {
	struct view_elf_symbol *symbols; /* malloc'ed; sorted by address */
	size_t n;
	char *names;	    /* malloc'ed: texts of the names */
	bool is_fixed;	    /* loaded at its own addresses, not relocated */
	uint64_t first;	    /* address of its first segment, which is loaded at the base */
	const char *reason; /* why there are no symbols; NULL: there are */
};

/* path: as recorded; id: the build ID, n bytes. The file is searched at this path, and as a
 * debug file by build ID in /usr/lib/debug. Call view_elf_fini whatever the result. */
void view_elf_read(struct view_elf *e, const char *path, const uint8_t *id, size_t n);
void view_elf_fini(struct view_elf *e);
/* The function that contains the address; NULL: none. */
const char *view_elf_find(const struct view_elf *e, uint64_t address);

#endif
