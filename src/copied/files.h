/* Files of a copy other than streams, and the UUIDs in them. */
#ifndef MER_COPIED_FILES_H
#define MER_COPIED_FILES_H

#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "ctf/schema.h"

/* The UUID of one part of a recording, the same for each copy. */
void copied_uuid(uint8_t uuid[16], uint64_t id, uint64_t what, uint64_t key);
/* FOLDER/metadata: the schema as text. */
int copied_write_metadata(const char *folder, const struct ctf_schema *schema, struct mer_err *err);
/* FOLDER/notes (notes.h), without which a copy does not count as complete. */
int copied_write_notes(const char *folder, const struct mer_str *notes, struct mer_err *err);

#endif
