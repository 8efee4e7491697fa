/* Recordings: files that are no CTF traces, and are read by their copies (copied/copied.h). */
#ifndef MER_TRACE_RECORDING_H
#define MER_TRACE_RECORDING_H

#include "copied/copied.h"

/* Which kind a file is: by its name, or its first bytes. NULL: of none. */
const struct copied_kind *trace_recording_kind(const char *path);

#endif
