/* File: trace.dat of trace-cmd and perf.data of perf as a kind of recording that is copied (copied/copied.h). */
#ifndef MER_FTRACE_FILE_H
#define MER_FTRACE_FILE_H

#include "copied/copied.h"

/* Does the file begin as one that is read here? Only regular files are opened. */
bool ftrace_is_file(const char *path);
extern const struct copied_kind ftrace_file;

#endif
