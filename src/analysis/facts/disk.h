/* Facts of requests to block devices. */
#ifndef MER_ANALYSIS_FACTS_DISK_H
#define MER_ANALYSIS_FACTS_DISK_H

#include "analysis/fact.h"
#include "kernel/io_op.h"

struct disk_request {
	struct fact fact; /* choice: enum io_op; not completed: no end */
	int64_t bytes, sector;
	int64_t queue_ns, service_ns; /* FACT_UNKNOWN where that was not seen */
	/* Where the request for data before it ended, to where it begins: of the disk, and of those
	 * that the same task had there. FACT_UNKNOWN: it is the first one, or moves nothing. */
	int64_t seek_bytes, own_seek_bytes;
	uint32_t device;
	int16_t error;
	uint16_t unused;
};

struct disk_merge { /* a request that became part of another one */
	struct fact fact;
	int64_t bytes;
	uint32_t device, unused;
};

enum disk_phase {
	DISK_QUEUED,	/* from insertion to issue */
	DISK_IN_FLIGHT, /* from issue to completion */
	DISK_BUSY,	/* of that: while no request that was issued before is in flight */
	DISK_COMPLETED	/* the nanosecond of its completion, where no time in flight is known */
};
struct disk_time { /* a stretch of time of a request; choice: enum disk_phase */
	struct fact fact;
	int64_t bytes, request_ns; /* of the whole request; FACT_UNKNOWN: it has not ended */
	uint32_t device;
	uint8_t op;  /* enum io_op */
	uint8_t way; /* enum io_way: its bytes are moved in this time */
	uint16_t unused;
};

#endif
