/* Foreign files: recordings of other tools, archives, and other things that users pass instead of a
 * trace. They cannot be read; the error says what they are and what to do with them. */
#ifndef MER_TRACE_FOREIGN_H
#define MER_TRACE_FOREIGN_H

#include <stddef.h>

/* Writes a sentence about the file, which exists and is no trace, without its name: "this is a
 * recording of perf: ...". Never empty. */
void trace_foreign_file(const char *path, char *text, size_t size);
/* The same for an argument that is no path at all, such as the address of a live session; NULL: it
 * looks like a path. */
const char *trace_foreign_address(const char *given);
/* The same for a folder without a trace, such as one of perf or ftrace; NULL: nothing known about
 * it. */
const char *trace_foreign_folder(const char *path);

#endif
