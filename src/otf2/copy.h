/* Copy: an archive's events as CTF traces, one for each host, with the names and fields that are
 * usual for "OTF2 converted to CTF" (mpi/events.h), so that no other layer has to know OTF2.
 *
 *   FOLDER/0, 1, ...     a trace for each host; 0 has the stream of definitions
 *   FOLDER/N/definitions   without a clock: they hold from the beginning
 *   FOLDER/N/M             the events of the location with place M among the archive's locations
 *
 * Independent of libotf2: callers pass numbers. */
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

/* folder: must exist. id: of the archive, the same for each copy of it. */
int otf2ctf_copy_new(
	const char *folder, uint64_t id, struct otf2ctf_copy **copy, struct mer_err *err);
void otf2ctf_copy_free(struct otf2ctf_copy *c); /* NULL is fine */

/* Writes a definition; text: for COPY_STRING. All definitions come before the first host. */
int otf2ctf_copy_define(struct otf2ctf_copy *c, enum copy_definition what, const uint64_t *values,
	const char *text, struct mer_err *err);
/* after the last definition */
int otf2ctf_copy_defined(struct otf2ctf_copy *c, struct mer_err *err);
/* Adds a host; hosts are numbered from 0. key: unique in its archive. All hosts have the same
 * clock. */
int otf2ctf_copy_host(struct otf2ctf_copy *c, const char *name, uint64_t key,
	const struct copy_clock *clock, const char *creator, struct mer_err *err);
/* Opens the stream of a location; close it (_stream_end) before the next one. */
int otf2ctf_copy_stream(struct otf2ctf_copy *c, uint32_t host, uint32_t place, struct mer_err *err);
/* Ticks never decrease in a stream. values: the fields of the event after its locationID. */
int otf2ctf_copy_event(struct otf2ctf_copy *c, enum copy_event what, uint64_t ticks,
	uint64_t location, const uint64_t *values, struct mer_err *err);
int otf2ctf_copy_stream_end(struct otf2ctf_copy *c, struct mer_err *err);

#endif
