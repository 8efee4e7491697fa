/* Foreign files: recordings of other tools, archives, and other things that people name where a
 * trace is wanted. They are not read here, so it is said what they are, and what to do with
 * them. */
#ifndef MER_TRACE_FOREIGN_H
#define MER_TRACE_FOREIGN_H

#include <stddef.h>

/* Writes a sentence about the file, which is there and is no trace, without its name: "this is a
 * recording of perf: ...". Always something. */
void trace_foreign_file(const char *path, char *text, size_t size);
/* The same of what cannot be opened because it is no path at all, such as the address of a live
 * session; NULL: it looks like a path. */
const char *trace_foreign_address(const char *given);
/* The same of a folder without a trace, such as perf's or ftrace's own; NULL: nothing is known of
 * it. */
const char *trace_foreign_folder(const char *path);

#endif
