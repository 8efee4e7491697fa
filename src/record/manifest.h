/* The manifest: the description of a recording, manifest.json in its folder (docs/record.md).
 *
 * It is written before the first session is created, so that a recording whose program was killed
 * can be cleaned up and fetched later: reading it gives the hosts, their folders and the session.
 * It is untrusted input: every word is checked. This program does not read its rounds so far. */
#ifndef MER_RECORD_MANIFEST_H
#define MER_RECORD_MANIFEST_H

#include "record/run.h"

enum { RECORD_MANIFEST_BYTES = 256 << 20 };

struct record_about {
	const char *version; /* of the program */
	const char *const *presets;
	size_t n_presets;
	const char *own_name, *own_boot_id;
	bool complete; /* traces are here, and sessions are removed */
};

void record_manifest_put(
	const struct record_run *r, const struct record_about *a, struct mer_str *out);
/* Writes it to path, replacing what was there. */
int record_manifest_write(const struct record_run *r, const struct record_about *a,
	const char *path, struct mer_err *err);
/* Fills session, mode, folder and hosts of r, whose arena must be set. has_data is set for hosts
 * that recorded. *complete: nothing is left to do. path is for messages. */
int record_manifest_read(struct record_run *r, bool *complete, const char *text, size_t len,
	const char *path, struct mer_err *err);
/* Sets "complete" in the file, and leaves the rest unchanged. */
int record_mark_complete(const char *path, struct mer_err *err);

#endif
