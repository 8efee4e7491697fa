/* What the fuzzers of readers of recordings share: the input is a file, of which a copy is made. */
#ifndef FUZZ_COPY_OF_H
#define FUZZ_COPY_OF_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "check.h"

typedef int reader_fn(const char *path, const char *folder, uint64_t id, struct mer_err *err);

static inline int copy_of(const uint8_t *data, size_t size, reader_fn *read_file)
{
	char folder[] = "/tmp/fuzz_copy.XXXXXX", path[64];
	struct mer_err err = { 0 };
	int fd = memfd_create("recording", MFD_CLOEXEC);
	check(fd >= 0 && mkdtemp(folder));
	check(mer_write_all(fd, data, size));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (read_file(path, folder, 1, &err))
		check(err.text[0] != '\0');
	close(fd);
	check(mer_remove_folder(folder));
	return 0;
}

#endif
