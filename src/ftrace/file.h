/* File: trace.dat of trace-cmd, perf.data of perf, text of both and of the kernel, and folders of ftrace's raw pages, which are
 * named by their file header_page, as a kind of recording that is copied (copied/copied.h). */
#ifndef MER_FTRACE_FILE_H
#define MER_FTRACE_FILE_H

#include "copied/copied.h"

/* Does the file begin as one that is read here? Only regular files are opened. */
bool ftrace_is_file(const char *path);
/* Is it a header_page? */
bool ftrace_is_raw(const char *path);
extern const struct copied_kind ftrace_file;

#endif
