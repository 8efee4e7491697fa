/* Discovery: directories that hold a trace (a file called metadata), and files of recordings that
 * are copied (recording.h), at or below a path. */
#ifndef MER_TRACE_DISCOVER_H
#define MER_TRACE_DISCOVER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"

enum { DISCOVER_MAX_DEPTH = 256, DISCOVER_MAX_ENTRIES = 1 << 24 };

struct trace_dirs {
	const char **paths; /* in arena; in the order of their names */
	uint32_t n, cap;
};

/* Adds the traces found. path may also be the metadata file itself, or such a recording. An error
 * says what is there instead; folders below path that cannot be read become diagnostics. Symbolic
 * links are followed; each folder is searched once, even if links form a cycle. */
int trace_discover(const char *path, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *dirs, struct trace_dirs *recordings, struct mer_err *err);

/* Names of the data stream files of a trace directory: regular, not hidden, not metadata; sorted.
 * Entries that are neither file nor folder are reported. Names and list are allocated in arena. */
int trace_stream_files(const char *dir, struct mer_arena *arena, struct mer_diags *diags,
	struct trace_dirs *names, struct mer_err *err);

#endif
