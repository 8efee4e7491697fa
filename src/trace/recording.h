/* Recordings: files that are no CTF traces, and are read through converted copies
 * (copied/copied.h). */
#ifndef MER_TRACE_RECORDING_H
#define MER_TRACE_RECORDING_H

#include "copied/copied.h"

/* The kind of a recording, by its name or first bytes; NULL: it is none. */
const struct copied_kind *trace_recording_kind(const char *path);

#endif
