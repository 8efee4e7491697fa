/* Build id: which build of this code runs. The linker computes it of what it links, and writes it
 * into the program, or into the shared library (NT_GNU_BUILD_ID). Other code has another one; a
 * copy of the file, one with other permissions, or one that is installed again has the same. */
#ifndef MER_BASE_BUILD_ID_H
#define MER_BASE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* Of the object that holds this code: the program, or libmeridian.so, whatever has loaded it. The
 * number of bytes in *id, which lie in the object; 0: it has none. */
size_t mer_build_id(const uint8_t **id);

#endif
