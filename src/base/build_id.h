/* Build id: which build of this code runs. The linker computes it from its output and writes it
 * into the program or shared library (NT_GNU_BUILD_ID). Different code has a different id; a copy,
 * a file with other permissions or a reinstalled one has the same. */
#ifndef MER_BASE_BUILD_ID_H
#define MER_BASE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* The build id of the object that holds this code: the program, or libmeridian.so, whatever program
 * loaded it. Returns its length in bytes (0: none); *id points into the object. */
size_t mer_build_id(const uint8_t **id);

#endif
