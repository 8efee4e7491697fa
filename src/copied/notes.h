/* Notes: what was found while an archive was copied. They are kept beside the copy, as they are to
 * be told each time that it is read. A line each: severity, code, count, text. */
#ifndef MER_COPIED_NOTES_H
#define MER_COPIED_NOTES_H

#include "base/diag.h"
#include "base/str.h"

/* text: what of it is no printable text becomes a blank. */
void copied_note(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *text);
void copied_notef(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Tells all lines of FOLDER/notes; false: there are none. */
bool copied_notes_tell(const char *folder, const char *anchor, struct mer_diags *diags);

#endif
