/* Fetch: copies traces from all hosts in parallel, file by file.
 *
 * A file that exists here is continued at its end, so an interrupted fetch can be repeated. Names
 * come from another host: only paths that stay below the recording's folder are accepted. */
#ifndef MER_RECORD_FETCH_H
#define MER_RECORD_FETCH_H

#include "record/run.h"

enum { RECORD_MOST_FILES = 200000 };

struct record_file {
	const char *path; /* below the folder, without "./" */
	int64_t size;
};

/* Reads what `wc -c` prints of each file: "123 ./kernel/metadata". Any other line is an error, as
 * an incomplete list would mean an incomplete trace. */
int record_files_read(const char *text, size_t len, struct mer_arena *arena,
	struct record_file **files, size_t *n, struct mer_err *err);
/* Is this a path that stays below a folder, with printable characters only? */
bool record_is_path(const char *path);

/* Fetches from all remote hosts that have data, and sets h->bytes. Local traces are here
 * already. */
int record_fetch(struct record_run *r, struct mer_err *err);
/* Removes the fetched traces from the hosts. */
int record_fetched_remove(struct record_run *r, struct mer_err *err);
/* Finds the sizes of the traces without fetching them. */
void record_measure(struct record_run *r);

#endif
