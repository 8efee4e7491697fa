/* ELF: the functions of a program or library, if the file is of the build that was traced. Without
 * elfutils (libelf) no file is read. */
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
	struct view_elf_symbol *symbols; /* malloc'ed; by address */
	size_t n;
	char *names;	    /* malloc'ed: their texts */
	bool is_fixed;	    /* loaded where it says, not anywhere */
	uint64_t first;	    /* address of the first segment: what is loaded at the base */
	const char *reason; /* why there are none; NULL: there are */
};

/* path: as recorded; id: the build id, n bytes. Looked for at this path, and as a debug file by
 * build id in /usr/lib/debug. view_elf_fini in any case. */
void view_elf_read(struct view_elf *e, const char *path, const uint8_t *id, size_t n);
void view_elf_fini(struct view_elf *e);
/* The function that the address is in; NULL: none. */
const char *view_elf_find(const struct view_elf *e, uint64_t address);

#endif
