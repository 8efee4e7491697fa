/* Layout: the trace in a part. One stream of two classes of events. */
#ifndef MER_SYNC_PART_LAYOUT_H
#define MER_SYNC_PART_LAYOUT_H

#include "ctf/writer.h"
#include "sync/match/end.h"
#include "trace/experiment.h"

/* The first is an end; the second one, at the end of the recording, how many could not be one for
 * lack of what identifies a message. */
#define SYNC_PART_END "meridian:end"
#define SYNC_PART_WITHOUT "meridian:ends_without_key"

enum sync_part_field {
	SYNC_PART_SEQ,
	SYNC_PART_ACK,
	SYNC_PART_ADDRESSES,
	SYNC_PART_PORTS,
	SYNC_PART_FROM,
	SYNC_PART_TO,
	SYNC_PART_FLAGS,
	SYNC_PART_ID,
	SYNC_PART_LEN,
	SYNC_PART_HEAD,
	SYNC_PART_KIND,
	SYNC_PART_WAY, /* bits: enum sync_part_way */
	SYNC_PART_N_FIELDS
};
enum sync_part_way { SYNC_PART_IS_SEND = 1, SYNC_PART_IS_LOCAL = 2, SYNC_PART_IS_IPV4 = 4 };
extern const char *const sync_part_fields[SYNC_PART_N_FIELDS];

enum sync_part_missing { SYNC_PART_RECEIVED, SYNC_PART_SENT, SYNC_PART_N_MISSING };
extern const char *const sync_part_missing[SYNC_PART_N_MISSING];

/* The payload of an end as bytes, *n of them. */
enum { SYNC_PART_END_BYTES = 33 };
void sync_part_encode(const struct sync_end *e, uint8_t bytes[SYNC_PART_END_BYTES]);
/* values: by field, as decoded. False: it is none (the file lies). */
bool sync_part_decode(const uint64_t values[SYNC_PART_N_FIELDS], struct sync_end *e);

/* Its clock counts ns from *base on, which is at most begin; where possible that is the zero of the
 * clock that the host's traces have, as the recorder's rounds count from there. The events are
 * those of the one stream, in the order above. is_sampled: not all ends are kept. NULL: no
 * memory. */
struct ctf_schema *sync_part_schema(struct mer_arena *a, const struct mer_experiment *e,
	uint32_t host, bool is_sampled, int64_t begin, int64_t *base);

#endif
