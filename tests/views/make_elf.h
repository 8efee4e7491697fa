/* ELF files with no more in them than src/views/elf.c looks at. Functions:
 *
 *   small 0x1000 to 0x1004   large, alias 0x2000 to 0x2010   bare (without a size) 0x2008, 0x5000
 *   ifunc 0x6000 to 0x6001   and data, one that is elsewhere, one without a name, which are none */
#ifndef TESTS_MAKE_ELF_H
#define TESTS_MAKE_ELF_H

#include <elf.h>
#include <stdint.h>

enum { MADE_ID_BYTES = 4 };
extern const uint8_t made_id[MADE_ID_BYTES];

struct made_elf {
	uint16_t type;
	uint32_t note_type, symbols_type;
	const char *owner;
	uint64_t first; /* of the segment that is loaded; 0: none is */
};

#define MADE_ELF                                                                                   \
	{                                                                                          \
		.type = ET_DYN, .note_type = NT_GNU_BUILD_ID, .symbols_type = SHT_SYMTAB,          \
		.owner = "GNU", .first = 0x1234                                                    \
	}

void make_elf(const char *path, const struct made_elf *w);

#endif
