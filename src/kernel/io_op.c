#include "kernel/io_op.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *io_op_name(enum io_op op)
{
	static const char *const names[IO_N_OPS] = { "", "open", "read", "write", "sync", "copy",
		"disk read", "disk write", "disk discard", "disk flush" };
	return names[op];
}

static const struct {
	const char *name;
	enum io_op op;
} calls[] = {
	{ "read", IO_READ },
	{ "write", IO_WRITE },
	{ "readv", IO_READ },
	{ "writev", IO_WRITE },
	{ "pread64", IO_READ },
	{ "pwrite64", IO_WRITE },
	{ "preadv", IO_READ },
	{ "pwritev", IO_WRITE },
	{ "preadv2", IO_READ },
	{ "pwritev2", IO_WRITE },
	{ "recvfrom", IO_READ },
	{ "recvmsg", IO_READ },
	{ "recvmmsg", IO_READ },
	{ "recvmmsg_time32", IO_READ },
	{ "recv", IO_READ },
	{ "sendto", IO_WRITE },
	{ "sendmsg", IO_WRITE },
	{ "sendmmsg", IO_WRITE },
	{ "send", IO_WRITE },
	{ "vmsplice", IO_WRITE },
	{ "open", IO_OPEN },
	{ "openat", IO_OPEN },
	{ "openat2", IO_OPEN },
	{ "creat", IO_OPEN },
	{ "open_by_handle_at", IO_OPEN },
	{ "sync", IO_SYNC },
	{ "fsync", IO_SYNC },
	{ "fdatasync", IO_SYNC },
	{ "syncfs", IO_SYNC },
	{ "sync_file_range", IO_SYNC },
	{ "sync_file_range2", IO_SYNC },
	{ "msync", IO_SYNC },
	{ "sendfile", IO_COPY },
	{ "sendfile64", IO_COPY },
	{ "splice", IO_COPY },
	{ "tee", IO_COPY },
	{ "copy_file_range", IO_COPY },
};

enum io_op io_op_of_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].op;
	return IO_NONE;
}

uint64_t io_bytes_of_call(enum io_op op, const char *name, int64_t ret)
{
	bool moves = op == IO_READ || op == IO_WRITE || op == IO_COPY;
	return moves && ret > 0 && !strstr(name, "mmsg") ? (uint64_t)ret : 0;
}
