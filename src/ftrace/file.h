/* File: trace.dat of trace-cmd, perf.data of perf, text of both and of the kernel, and folders of
 * ftrace's raw pages, which are named by their file header_page, as kinds of recordings that are
 * converted to CTF (copied/copied.h). */
#ifndef MER_FTRACE_FILE_H
#define MER_FTRACE_FILE_H

#include "copied/copied.h"

/* Which of these a file is, by its first bytes; NULL: none. Only regular files are opened. */
const struct copied_kind *ftrace_kind(const char *path);
/* Is it a header_page? */
bool ftrace_is_raw(const char *path);
/* The length of the part of such a path that is the folder of the pages. header_page lies in that
 * folder, or in its subfolder events, as in tracefs. 0: the current folder. */
size_t ftrace_raw_folder(const char *path);
/* Is a folder of this name a copy of /proc, beside a recording? */
bool ftrace_proc_is_name(const char *name);
extern const struct copied_kind ftrace_file, ftrace_text_file;

#endif
