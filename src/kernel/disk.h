/* Disks: what a request to a block device of a host is, and what the device is called.
 *
 * A request waits from its insertion to its issue, and is in flight from there to its completion;
 * any of these may be unknown. What was merged into another request is no request: its bytes are
 * those of the other. */
#ifndef MER_KERNEL_DISK_H
#define MER_KERNEL_DISK_H

#include "kernel/host.h"
#include "kernel/io_op.h"

/* The name of a device: "sda", or "8,16" where none is known. In arena; NULL: no memory. */
const char *kernel_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena);
/* Do patterns want a device of this name? */
bool kernel_disk_has_name(const struct kernel_host *h, uint32_t dev,
	bool (*wants)(void *ctx, const char *name), void *ctx);

/* IO_NONE: it is about no disk, or part of another one. */
enum io_op kernel_request_op(const struct kernel_request *r);
/* When it was issued, if that was seen, else inserted, else completed. */
int64_t kernel_request_begin(const struct kernel_request *r);
int64_t kernel_request_end(const struct kernel_request *r); /* INT64_MIN: not known */
/* From insertion to issue, ns; -1: not known. */
int64_t kernel_request_queued(const struct kernel_request *r);
/* Were its issue and its completion seen? */
bool kernel_request_was_in_flight(const struct kernel_request *r);

#endif
