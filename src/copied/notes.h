/* Notes: findings from when a recording was copied. They are kept beside the copy and reported
 * each time it is read. One per line: severity, code, count, text. */
#ifndef MER_COPIED_NOTES_H
#define MER_COPIED_NOTES_H

#include "base/diag.h"
#include "base/str.h"

/* Adds a note. Characters of text that are not printable become blanks. */
void copied_note(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *text);
void copied_notef(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Reports all notes in FOLDER/notes as diagnostics; false: there is no such file. */
bool copied_notes_tell(const char *folder, const char *anchor, struct mer_diags *diags);

#endif
