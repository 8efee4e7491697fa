#include "kernel/io_op.h"

#include <stdbool.h>

#include "kernel/calls.h"

const char *const io_op_names[IO_N_OPS] = { NULL, "open", "read", "write", "sync", "copy",
	"disk read", "disk write", "disk discard", "disk flush" };

enum io_op io_op_of(uint32_t classes)
{
	return classes & KERNEL_CALLS_COPY    ? IO_COPY
	       : classes & KERNEL_CALLS_READ  ? IO_READ
	       : classes & KERNEL_CALLS_WRITE ? IO_WRITE
	       : classes & KERNEL_CALLS_OPEN  ? IO_OPEN
	       : classes & KERNEL_CALLS_SYNC  ? IO_SYNC
					      : IO_NONE;
}

uint64_t io_bytes_of(uint32_t classes, int64_t ret)
{
	bool moves = classes & (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE);
	return moves && ret > 0 && !(classes & KERNEL_CALLS_MESSAGES) ? (uint64_t)ret : 0;
}
