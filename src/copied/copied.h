/* Copied: recordings that are no CTF traces are copied into CTF once, into the cache folder, never
 * beside the user's data, and then read like any trace.
 *
 *   recording ── a process of its own: its reader ──→ CACHE/KIND-KEY.ctf/0, 1, ..., notes
 *
 * The key is what the recording's files are: device, number, size, times of change. What the reader
 * found is in FOLDER/notes (notes.h), told each time. What hostile bytes do to a reader happens to
 * the other process. */
#ifndef MER_COPIED_COPIED_H
#define MER_COPIED_COPIED_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"

struct copied {
	const char *source; /* what was given: a file */
	const char *folder; /* of its copy: a trace for each host */
	bool is_temporary;  /* it is to be removed when nobody reads it any more */
};

/* In the environment of a copy: what the recording was ("perf.data"), and what it calls its
 * clock. */
#define COPIED_ENV_FORM "recorded_format"
#define COPIED_ENV_CLOCK "recorded_clock"

typedef int copied_read_fn(const char *path, const char *folder, uint64_t id, struct mer_err *err);

struct copied_kind {
	const char *name; /* "otf2": begins the names of its folders */
	unsigned format;  /* copies of another one are made again */
	/* Such a recording is read also where CTF traces lie beside it: it says what they do
	 * not. */
	bool is_beside_traces;
	/* It says less than others: where a trace or a recording of another kind lies in its
	 * folder, or below, it is left out; those elsewhere do not matter. */
	bool is_lesser;
	/* How many bytes of the path people call it by, where that is not all of it; NULL: all. */
	size_t (*called)(const char *source);
	/* Adds to the key what tells one recording from others. */
	void (*key)(const char *source, uint64_t key[2]);
	/* Reads all of it into folder, which is there and empty, in a process of its own. id: of
	 * the recording, the same whenever it is copied. The error does not name the source. */
	copied_read_fn *read;
	/* Instead of read, where that is no more than a part of it: the error names the source. */
	int (*copy)(const char *source, const char *folder, struct mer_err *err);
};

/* Its copy, made if there is none in the cache; cache NULL: in a temporary folder. Texts are in
 * arena. MER_ERR_INPUT: it cannot be read, err says why. */
int copied_open(const struct copied_kind *kind, const char *source, const char *cache,
	struct mer_arena *arena, struct mer_diags *diags, struct copied *copied,
	struct mer_err *err);
void copied_close(const struct copied *copied);

/* Of a file in a folder (its descriptor, or AT_FDCWD); the sum of these does not depend on the
 * order in which a folder lists them. 0: there is none. */
uint64_t copied_hash(int dir, const char *name, uint64_t seed);
/* Adds a file to a key: the key of a recording that is one file. */
void copied_add_file(const char *path, uint64_t key[2]);

/* Does the work in a process of its own, which prints nothing and ends with this one. status: as
 * waitpid has it. MER_ERR_SYS: there is no process. */
int copied_run(void (*work)(void *), void *of, int *status, struct mer_err *err);
/* Somebody wants all of us to end. */
bool copied_ended_from_outside(int status);

#endif
