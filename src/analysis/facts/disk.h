/* Facts of requests to block devices. */
#ifndef MER_ANALYSIS_FACTS_DISK_H
#define MER_ANALYSIS_FACTS_DISK_H

#include "analysis/fact.h"
#include "kernel/io_op.h"

struct disk_request {
	struct fact fact; /* choice: enum io_op; no end if it was not completed */
	int64_t bytes, sector;
	int64_t queue_ns, service_ns; /* FACT_UNKNOWN: not seen */
	/* Distance from the end of the previous data request to the begin of this one: on the
	 * disk, and among requests of the same task on that disk. FACT_UNKNOWN: the first one,
	 * or no data moved. */
	int64_t seek_bytes, own_seek_bytes;
	uint32_t device;
	int16_t error;
	uint16_t unused;
};

struct disk_merge { /* a request that was merged into another one */
	struct fact fact;
	int64_t bytes;
	uint32_t device, unused;
};

enum disk_phase {
	DISK_QUEUED,	/* from insertion to issue */
	DISK_IN_FLIGHT, /* from issue to completion */
	/* the part of DISK_IN_FLIGHT when no request issued earlier is in flight */
	DISK_BUSY,
	/* the nanosecond of its completion, if its time in flight is not known */
	DISK_COMPLETED
};
struct disk_time { /* a stretch of time of a request; choice: enum disk_phase */
	struct fact fact;
	/* of the whole request; request_ns FACT_UNKNOWN: it has not ended */
	int64_t bytes, request_ns;
	uint32_t device;
	uint8_t op; /* enum io_op */
	/* enum io_way: direction in which its bytes are moved during this time */
	uint8_t way;
	uint16_t unused;
};

#endif
