/* Metadata: parses the bytes of a metadata stream to a schema. */
#ifndef MER_CTF_METADATA_H
#define MER_CTF_METADATA_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "ctf/schema.h"

enum { CTF_MAX_METADATA_BYTES = 256 << 20 };

/* Reads a whole metadata stream: packetized (either byte order) or plain, TSDL or JSON, whatever
 * the bytes are. path names it in messages. The schema is allocated in arena; what can be survived
 * (unknown attributes, ...) goes to diags. On failure err->text is
 * "PATH:LINE:COLUMN: what is wrong", the source line, and a line with a caret under the place. */
int ctf_metadata_read(const uint8_t *data, size_t len, const char *path, struct mer_arena *arena,
	struct mer_diags *diags, struct ctf_schema **schema, struct mer_err *err);

/* The two languages. text is the joined text (not NUL terminated). packet_order: byte order of the
 * metadata packets' headers, -1 when there were none. */
int ctf_tsdl_parse(const char *text, size_t len, const char *path, int packet_order,
	struct mer_arena *arena, struct mer_diags *diags, struct ctf_schema **schema,
	struct mer_err *err);
int ctf_json_parse(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct mer_diags *diags, struct ctf_schema **schema, struct mer_err *err);

#endif
