/* Read: reads an archive with libotf2 and writes it as a copy (copy.h).
 *
 * libotf2 trusts its input: a damaged archive can make it crash or loop forever. So this runs in a
 * separate process (archive.c) and reports its progress. */
#ifndef MER_OTF2_READ_H
#define MER_OTF2_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* In memory that both processes share. */
struct otf2ctf_progress {
	uint64_t place;	 /* of the location being read, plus 1; 0: definitions */
	uint64_t events; /* read from this location so far */
	uint64_t location;
	bool is_done;
	int code; /* of err */
	struct mer_err err;
};

/* Only the first `events` events of the location with this place are read: the rest is damaged. */
struct otf2ctf_limit {
	uint64_t place, events, location;
	bool has_hung;
};

/* CPU time after which a part of the work counts as hung; SIGPROF then ends the process. */
enum { OTF2_HANGS_SECONDS = 3 };

/* Writes the copy and FOLDER/notes into folder. */
int otf2ctf_read(const char *anchor, const char *folder, struct otf2ctf_progress *progress,
	const struct otf2ctf_limit *limits, size_t n_limits, struct mer_err *err);

#endif
