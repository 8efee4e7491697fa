#include "kernel/disk.h"

#include <stdio.h>

enum { DISK_NUMBER_BYTES = 24 };

/* number: for the name of a disk that has none. */
static const char *disk_name(
	const struct kernel_host *h, uint32_t dev, char number[DISK_NUMBER_BYTES])
{
	enum { MINOR_BITS = 20 };
	const uint32_t *at = mer_map_get(&h->devices, dev);
	if (at && *at && *kernel_name_text(h, *at - 1))
		return kernel_name_text(h, *at - 1);
	snprintf(number, DISK_NUMBER_BYTES, "%u,%u", dev >> MINOR_BITS,
		dev & ((1u << MINOR_BITS) - 1));
	return number;
}

const char *kernel_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena)
{
	char number[DISK_NUMBER_BYTES];
	const char *name = disk_name(h, dev, number);
	return name == number ? mer_arena_strdup(arena, name) : name;
}

bool kernel_disk_has_name(const struct kernel_host *h, uint32_t dev,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	char number[DISK_NUMBER_BYTES];
	return wants(ctx, disk_name(h, dev, number));
}

/* Commands to a device that has no disk (or none yet): nothing is read or written. */
static bool is_of_disk(const struct kernel_request *r)
{
	return r->dev != 0 || r->bytes != 0;
}

enum io_op kernel_request_op(const struct kernel_request *r)
{
	if (!is_of_disk(r) || r->flags & KERNEL_MERGED)
		return IO_NONE;
	if (r->bytes == 0)
		return r->flags & KERNEL_FLUSH ? IO_DISK_FLUSH : IO_NONE;
	if (r->flags & KERNEL_DISCARD)
		return IO_DISK_DISCARD;
	return r->flags & KERNEL_WRITE ? IO_DISK_WRITE : IO_DISK_READ;
}

int64_t kernel_request_begin(const struct kernel_request *r)
{
	return r->issue != INT64_MIN ? r->issue : r->insert != INT64_MIN ? r->insert : r->complete;
}

int64_t kernel_request_queued(const struct kernel_request *r)
{
	return r->insert != INT64_MIN && r->issue >= r->insert ? r->issue - r->insert : -1;
}

bool kernel_request_was_in_flight(const struct kernel_request *r)
{
	return r->issue != INT64_MIN && r->complete != INT64_MIN && r->complete >= r->issue;
}

int64_t kernel_request_end(const struct kernel_request *r)
{
	int64_t begin = kernel_request_begin(r);
	return r->complete != INT64_MIN && r->complete < begin ? begin : r->complete;
}
