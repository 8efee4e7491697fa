/* Read: an archive by libotf2, into a copy (copy.h).
 *
 * libotf2 trusts what it reads: a damaged archive can make it crash, or go round in a circle. So
 * this runs in a process of its own (archive.c), and tells where it is. */
#ifndef MER_OTF2_READ_H
#define MER_OTF2_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* In memory that both processes see. */
struct otf2ctf_progress {
	uint64_t place;	 /* of the location that is read, plus 1; 0: definitions */
	uint64_t events; /* of it so far */
	uint64_t location;
	bool is_done;
	int code; /* of err */
	struct mer_err err;
};

/* Of the location with this place only so many events are read: what is after them is damaged. */
struct otf2ctf_limit {
	uint64_t place, events, location;
	bool has_hung;
};

/* Seconds of CPU that a part of the work never takes; SIGPROF ends the process then. */
enum { OTF2_HANGS_SECONDS = 3 };

/* Writes the copy and FOLDER/notes into folder. */
int otf2ctf_read(const char *anchor, const char *folder, struct otf2ctf_progress *progress,
	const struct otf2ctf_limit *limits, size_t n_limits, struct mer_err *err);

#endif
