/* Copy: an archive's events as CTF traces, one for each host, with the names and fields that
 * readers of "OTF2 converted to CTF" know (mpi/events.h). So nothing else has to learn OTF2.
 *
 *   FOLDER/0, 1, ...     a trace for each host; 0 has the stream of definitions
 *   FOLDER/N/definitions   without a clock: they hold from the beginning
 *   FOLDER/N/M             the events of the location with place M among the archive's locations
 *
 * Knows nothing of libotf2: what is written comes as numbers. */
#ifndef MER_OTF2_COPY_H
#define MER_OTF2_COPY_H

#include <stdint.h>
#include "base/err.h"

enum copy_event {
	COPY_PROGRAM_BEGIN,
	COPY_PROGRAM_END,
	COPY_ENTER,
	COPY_LEAVE,
	COPY_SEND,
	COPY_ISEND,
	COPY_ISEND_COMPLETE,
	COPY_IRECV_REQUEST,
	COPY_RECV,
	COPY_IRECV,
	COPY_COLLECTIVE_BEGIN,
	COPY_COLLECTIVE_END,
	COPY_N_EVENTS
};
enum copy_definition {
	COPY_STRING, /* its text comes last, by itself */
	COPY_REGION,
	COPY_GROUP,
	COPY_MEMBER,
	COPY_COMM,
	COPY_LOCATION,
	COPY_N_DEFINITIONS
};
enum { COPY_MAX_FIELDS = 7 };

struct copy_clock {
	uint64_t freq_hz;  /* not 0 */
	int64_t offset_ns; /* of tick 0, since 1970 */
};

struct otf2ctf_copy;
struct ctf_writer;

/* In a folder that is there. id: of the archive, the same whenever it is copied. */
int otf2ctf_copy_new(
	const char *folder, uint64_t id, struct otf2ctf_copy **copy, struct mer_err *err);
void otf2ctf_copy_free(struct otf2ctf_copy *c); /* NULL is fine */

/* One more definition; text: of COPY_STRING. All of them come before the first host. */
int otf2ctf_copy_define(struct otf2ctf_copy *c, enum copy_definition what, const uint64_t *values,
	const char *text, struct mer_err *err);
int otf2ctf_copy_defined(struct otf2ctf_copy *c, struct mer_err *err); /* that was the last one */
/* One more host, numbered from 0; key: what tells it from others of its archive. The clock is that
 * of all hosts. */
int otf2ctf_copy_host(struct otf2ctf_copy *c, const char *name, uint64_t key,
	const struct copy_clock *clock, const char *creator, struct mer_err *err);
/* The stream of a location, which is closed before the next one is opened. */
int otf2ctf_copy_stream(struct otf2ctf_copy *c, uint32_t host, uint32_t place, struct mer_err *err);
/* Ticks never decrease in a stream. values: the fields of the event after its locationID. */
int otf2ctf_copy_event(struct otf2ctf_copy *c, enum copy_event what, uint64_t ticks,
	uint64_t location, const uint64_t *values, struct mer_err *err);
int otf2ctf_copy_stream_end(struct otf2ctf_copy *c, struct mer_err *err);

#endif
