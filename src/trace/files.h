/* Files: the data stream files of an experiment, mapped for reading.
 *
 * Up to TRACE_FILES_MAPPED of them all stay mapped, and a file's bytes are simply there. The system
 * limits the number of mappings, so of more files only those in use and the ones used last are
 * mapped; the least recently used is unmapped for another. So a reader marks a file as in use:
 *
 *   data = trace_file_use(e, file);    its bytes, until
 *   trace_file_done(e, file);          as often as trace_file_use
 *
 * Both cost nothing while all files are mapped, and may be called from any thread.  */
#ifndef MER_TRACE_FILES_H
#define MER_TRACE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct mer_experiment;
struct mer_diags;

enum { TRACE_FILES_MAPPED = 16384, TRACE_MAX_FILES = 1 << 24 };

struct trace_file {
	const char *path;
	/* Name shown to users: path; for a copy, the recording and the file's name. */
	const char *shown;
	uint64_t bytes;
	const uint8_t *data; /* NULL: not mapped now */
	uint32_t part;
	/* Used only when not all files stay mapped. newer, older: index + 1 of the neighbours in
	 * the list of mapped files not in use. */
	uint32_t n_users, newer, older;
};

/* Adds a file as number e->n_files - 1, marked as in use. */
int trace_file_add(struct mer_experiment *e, const char *path, uint32_t part, struct mer_err *err);
/* NULL: the file cannot be mapped again, or has changed; then do not call trace_file_done. */
const uint8_t *trace_file_use(const struct mer_experiment *e, uint32_t file);
void trace_file_done(const struct mer_experiment *e, uint32_t file);
/* Do all files stay mapped? */
bool trace_files_stay(const struct mer_experiment *e);
/* Reports that a file could not be used, so that the rest of it is missing. */
void trace_file_report_gone(const struct mer_experiment *e, uint32_t file, struct mer_diags *diags);

/* Sets how many files may stay mapped while not in use (for tests); false: no memory. */
bool trace_files_limit(struct mer_experiment *e, uint32_t most);
void trace_files_free(struct mer_experiment *e);

#endif
