/* Copied: recordings that are not CTF traces are converted to CTF once, into the cache folder,
 * never beside the user's data, and then read like any trace.
 *
 *   recording ── reader, in a process of its own ───→ CACHE/KIND-KEY.ctf/0, 1, ..., notes
 *
 * The key is made of the identity of the recording's files: device, inode, size, modification
 * times. The reader's findings are kept in FOLDER/notes (notes.h) and reported each time. Should
 * hostile input crash a reader, only its process ends. */
#ifndef MER_COPIED_COPIED_H
#define MER_COPIED_COPIED_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"

struct copied {
	const char *source; /* what was given: a file */
	const char *folder; /* folder of the copy: a trace for each host */
	bool is_temporary;  /* remove the copy when it is no longer read */
};

/* Keys in the environment of a copy: the recording's format ("perf.data"), and its name for the
 * clock. */
#define COPIED_ENV_FORM "recorded_format"
#define COPIED_ENV_CLOCK "recorded_clock"
/* Of a part of a recording (part/file.h): mer_host.id of the host there; and, if that had a trace
 * that was no copy, any text. */
#define COPIED_ENV_HOST "recorded_host"
#define COPIED_ENV_TRACE "recorded_trace"
/* The same: it keeps some of the messages only (sync/part/sample.h). */
#define COPIED_ENV_SAMPLED "recorded_sample"
/* The same: events were lost in the recording. */
#define COPIED_ENV_LOST "recorded_losses"

typedef int copied_read_fn(const char *path, const char *folder, uint64_t id, struct mer_err *err);

struct copied_kind {
	const char *name; /* "otf2": prefix of the names of its folders */
	unsigned format;  /* format of copies; copies with another number are made again */
	/* Such a recording is read even if CTF traces lie beside it, because it has data that they
	 * do not have. */
	bool is_beside_traces;
	/* Such a recording has less data than others: it is left out if a trace or a recording of
	 * another kind lies in its folder or below. Those elsewhere do not matter. */
	bool is_lesser;
	/* How many bytes of the path form the recording's name for users; NULL: all of it. */
	size_t (*called)(const char *source);
	/* Adds to the key what distinguishes this recording from others. */
	void (*key)(const char *source, uint64_t key[2]);
	/* Reads all of it into folder, which exists and is empty, in a process of its own. id:
	 * identifies the recording, the same for each copy. The error does not name the source. */
	copied_read_fn *read;
	/* If not NULL, called instead of read, in the calling process: it starts processes itself
	 * (copied_run), maybe several in turn. The error names the source. */
	int (*copy)(const char *source, const char *folder, struct mer_err *err);
};

/* Opens the copy of a recording, and makes it if the cache has none; cache NULL: in a temporary
 * folder. Texts are in arena. MER_ERR_INPUT: it cannot be read, err says why. */
int copied_open(const struct copied_kind *kind, const char *source, const char *cache,
	struct mer_arena *arena, struct mer_diags *diags, struct copied *copied,
	struct mer_err *err);
void copied_close(const struct copied *copied);

/* Hash of a file's identity; dir: descriptor of its folder, or AT_FDCWD. Hashes are summed, so the
 * order in which a folder lists files does not matter. 0: there is no such file. */
uint64_t copied_hash(int dir, const char *name, uint64_t seed);
/* Adds a file to a key: the key of a recording that is one file. */
void copied_add_file(const char *path, uint64_t key[2]);

/* Does the work in a process of its own, which prints nothing and is killed when this one ends.
 * status: as from waitpid. MER_ERR_SYS: the process could not be created. */
int copied_run(void (*work)(void *), void *of, int *status, struct mer_err *err);
/* Was the process ended by a signal from outside (Ctrl-C, kill), and not by a crash? */
bool copied_ended_from_outside(int status);

#endif
