/* Fetch: brings traces here from all hosts side by side, file by file.
 *
 * A file that is here already goes on where it ends, so an interrupted fetch can be repeated. Names
 * come from another host: only paths that stay below the recording's folder are taken. */
#ifndef MER_RECORD_FETCH_H
#define MER_RECORD_FETCH_H

#include "record/run.h"

enum { RECORD_MOST_FILES = 200000 };

struct record_file {
	const char *path; /* below the folder, without "./" */
	int64_t size;
};

/* Reads what `wc -c` prints of each file: "123 ./kernel/metadata". Lines that are no such thing are
 * errors: half a list would be half a trace. */
int record_files_read(const char *text, size_t len, struct mer_arena *arena,
	struct record_file **files, size_t *n, struct mer_err *err);
/* Is this a path below a folder, in what may be shown? */
bool record_is_path(const char *path);

/* From all remote hosts that have data; h->bytes is set. Own traces are here already. */
int record_fetch(struct record_run *r, struct mer_err *err);
/* Removes what was fetched from the hosts. */
int record_fetched_remove(struct record_run *r, struct mer_err *err);
/* Sizes of what was recorded, without fetching. */
void record_measure(struct record_run *r);

#endif
